package asm

import (
	"fmt"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Entry is a table entry to which an instruction refers.
type Entry struct {
	// Table is the index of the table in isa.Set.Tables. Field is the path of the field that holds the index of the
	// entry.
	Table int
	Field string
	// Index is the index of the entry in the table.
	Index int
	Value bits.Value
	// Bound is the mask of the bits that the text specifies. Care is the mask of the known bits on which the
	// instruction depends, including bits from defaults.
	Bound, Care bits.Value
	// Limit is the number of entries that the field can address.
	Limit int
}

// Table chooses the indices of entries.
type Table interface {
	// Place returns the index of an entry that matches e. If no entry matches, it may add one. If e.Index is not -1,
	// Place must not return another index. It must not retain e.
	Place(e *Entry) (index int, err error)
}

// FixedTable is a table that cannot change. An entry matches if it has the same values in all bits that the text
// specifies.
type FixedTable struct{ Entries []bits.Value }

// Place returns the index of the first entry that matches.
func (t *FixedTable) Place(e *Entry) (int, error) {
	if e.Index >= 0 {
		if e.Index < len(t.Entries) && t.serves(e.Index, e) {
			return e.Index, nil
		}
		return 0, fmt.Errorf("entry %d of the table differs from the text", e.Index)
	}
	n := min(len(t.Entries), e.Limit)
	i := 0
	if b := &e.Bound; b[1]|b[2]|b[3] == 0 { // usually the text specifies only the low 64 bits
		for i < n && (t.Entries[i][0]^e.Value[0])&b[0] != 0 {
			i++
		}
	}
	for i < n && !t.serves(i, e) {
		i++
	}
	if i < n {
		return i, nil
	}
	return 0, fmt.Errorf("none of the first %d entries of the table matches the text", n)
}

func (t *FixedTable) serves(i int, e *Entry) bool {
	x := &t.Entries[i]
	return (x[0]^e.Value[0])&e.Bound[0]|(x[1]^e.Value[1])&e.Bound[1]|
		(x[2]^e.Value[2])&e.Bound[2]|(x[3]^e.Value[3])&e.Bound[3] == 0
}

// GrowingTable is a table to which Place adds entries. Instructions share entries: an entry matches if all bits that
// matter both to it and to the instruction are equal. The entry then also gets the other bits that matter to the
// instruction. If no entry matches, Place adds one.
type GrowingTable struct {
	// Size is the maximum number of entries.
	Size int
	// Swapped is called after two entries have exchanged their indices, so that the caller can patch earlier
	// instructions. Place exchanges entries if a field is too narrow for the index of its entry.
	Swapped func(i, j int)
	// Entries are the entries so far. Care has a mask for each entry: the bits that matter to an instruction.
	Entries, Care []bits.Value

	// limits holds, for each entry, the smallest Limit of the fields that refer to the entry.
	limits []int
}

// Reset removes all entries, and keeps the memory for new ones.
func (t *GrowingTable) Reset() { t.Entries, t.Care, t.limits = t.Entries[:0], t.Care[:0], t.limits[:0] }

// Place returns the index of the first entry that matches. If no entry matches, it adds one at the end. If the index
// does not fit the field, it exchanges entries so that the entry gets an index that fits. If e.Index is not -1, Place
// puts the entry there.
func (t *GrowingTable) Place(e *Entry) (int, error) {
	if e.Index >= 0 {
		return e.Index, t.pin(e)
	}
	t.grow(len(t.Entries)) // the caller may have set Entries
	i := t.find(e)
	fresh := i == len(t.Entries)
	if i >= t.Size {
		return 0, fmt.Errorf("the table is full: all %d entries are in use", t.Size)
	}
	if fresh {
		t.grow(i + 1)
		t.Entries[i] = e.Value
	}
	target := i
	if i >= e.Limit {
		if target = t.moveBelow(e.Limit, i); target < 0 {
			if fresh {
				t.Entries, t.Care, t.limits = t.Entries[:i], t.Care[:i], t.limits[:i]
			}
			return 0, fmt.Errorf("%s can name only the first %d entries, and none of these can move to another index", e.Field, e.Limit)
		}
	}
	t.absorb(target, e)
	t.limits[target] = min(t.limits[target], e.Limit)
	return target, nil
}

// find returns the index of the first entry that matches, or the number of entries if none matches.
func (t *GrowingTable) find(e *Entry) int {
	for i := range t.Entries {
		if (t.Entries[i][0]^e.Value[0])&t.Care[i][0]&e.Care[0] != 0 {
			continue
		}
		if t.Entries[i].Xor(e.Value).And(t.Care[i]).And(e.Care) == (bits.Value{}) {
			return i
		}
	}
	return len(t.Entries)
}

// grow adds empty entries until there are n.
func (t *GrowingTable) grow(n int) {
	for len(t.Entries) < n {
		t.Entries = append(t.Entries, bits.Value{})
	}
	for len(t.Care) < n {
		t.Care = append(t.Care, bits.Value{})
	}
	for len(t.limits) < n {
		t.limits = append(t.limits, t.Size)
	}
}

// moveBelow exchanges entries so that entry i gets an index below limit. All other entries keep an index that their
// fields can address. moveBelow returns the new index of entry i, or -1 if no exchange is possible.
func (t *GrowingTable) moveBelow(limit, i int) int {
	below := t.limits[:min(limit, i)]
	for k, l := range below {
		if l > i {
			t.swap(k, i)
			return k
		}
	}
	for k, l := range below {
		if l > limit { // move entry i below l first, so that entry k can take its index
			if j := t.moveBelow(l, i); j >= 0 {
				t.swap(k, j)
				return k
			}
		}
	}
	return -1
}

func (t *GrowingTable) swap(i, j int) {
	t.Entries[i], t.Entries[j] = t.Entries[j], t.Entries[i]
	t.Care[i], t.Care[j] = t.Care[j], t.Care[i]
	t.limits[i], t.limits[j] = t.limits[j], t.limits[i]
	if t.Swapped != nil {
		t.Swapped(i, j)
	}
}

func (t *GrowingTable) absorb(i int, e *Entry) {
	t.Entries[i] = t.Entries[i].AndNot(e.Care).Or(e.Value.And(e.Care)) // the bits in both masks are equal
	t.Care[i] = t.Care[i].Or(e.Care)
}

// pin puts an entry at the index that the text specifies. All bits that the text specifies matter, even if the
// instruction does not depend on them. Bits from defaults do not matter.
func (t *GrowingTable) pin(e *Entry) error {
	if e.Index >= t.Size {
		return fmt.Errorf("entry %d, but the table has %d entries", e.Index, t.Size)
	}
	t.grow(max(len(t.Entries), e.Index+1))
	if t.Entries[e.Index].Xor(e.Value).And(t.Care[e.Index]).And(e.Bound) != (bits.Value{}) {
		return fmt.Errorf("entry %d of the table is already %s", e.Index, t.Entries[e.Index])
	}
	whole := *e
	whole.Care = e.Bound
	t.absorb(e.Index, &whole)
	t.limits[e.Index] = min(t.limits[e.Index], e.Limit)
	return nil
}

// planned is an entry of the line whose index has not been chosen yet. Index is -1, unless the text or the suffix
// specifies it.
type planned struct {
	Entry
	field *spec.Field
	home  scope
	// off and end delimit the index in the text.
	off, end int
}

// planEntries sets p.plan to the entries of the line.
func (p *Parser) planEntries() {
	p.made = p.made[:0]
	var unused [maxSpaces]bits.Value
	for i := spaceTable; i < p.nspaces; i++ {
		s := &p.spaces[i]
		if s.field == nil { // the space of a computed value
			continue
		}
		if len(p.made) == 0 {
			p.unused(&unused)
		}
		path := p.indexPath(s, p.leaf)
		e := planned{field: s.field, home: s.home, Entry: Entry{
			Table: s.field.Table.Index, Field: path, Index: -1, Value: s.val,
			Bound: s.known.AndNot(s.assumed), Care: s.known.AndNot(unused[i]), Limit: 1 << min(uint(s.field.Width), 20),
		}}
		if pin := p.pin(path); pin != nil {
			e.Index, e.off, e.end = int(pin.value[0]), pin.off, pin.end
		} else {
			e.Index = p.givenIndex(&e)
		}
		p.made = append(p.made, e)
	}
	p.plan = p.made
}

// givenIndex returns the index of an entry if the text specifies bits of the index, for example by a value computed
// from the index. Otherwise it returns -1.
func (p *Parser) givenIndex(e *planned) int {
	s := &p.spaces[spaceWord]
	low, parts := e.home.place(e.field.Parts)
	if low >= 0 {
		parts = []bits.Part{{Low: low, Width: e.field.Width}}
	}
	given := maskOf(parts).And(s.known).AndNot(s.assumed)
	if given == (bits.Value{}) {
		return -1
	}
	index := 0
	for _, part := range parts {
		if index <<= part.Width; part.Low != zeros {
			index |= int(s.val.Uint(part.Low, part.Width))
		}
	}
	return index
}

// place chooses an index for each entry of the instruction.
func (p *Parser) place(res *Result) error {
	for i := range p.plan {
		x := &p.plan[i]
		res.Entries = append(res.Entries, x.Entry)
		e, t := &res.Entries[len(res.Entries)-1], x.field.Table
		index, err := e.Index, error(nil)
		switch table := p.Tables[t.Index]; {
		case table != nil:
			index, err = table.Place(e)
		case index < 0:
			index = p.freeEntry(res.Entries[:len(res.Entries)-1], e)
		}
		if err == nil && index >= e.Limit {
			err = fmt.Errorf("entry %d does not fit %s of %d bits", index, e.Field, x.field.Width)
		}
		if err != nil {
			return &Error{Code: diag.TableFull, Off: x.off, End: x.end, Msg: fmt.Sprintf("%s: %v", t.Name, err)}
		}
		e.Index = index
		setIndex(&res.Inst.Bits, x.field, &x.home, uint64(index))
	}
	p.entries = res.Entries
	return nil
}

// freeEntry returns an index for an entry that has no Table and no given index. It starts at the number of earlier
// entries in the same table, and skips the indices of entries with other values.
func (p *Parser) freeEntry(placed []Entry, e *Entry) (index int) {
	for i := range placed {
		if placed[i].Table == e.Table {
			index++
		}
	}
	other := func(x *Entry) bool { return x.Table == e.Table && x.Index == index && x.Value != e.Value }
	for slices.ContainsFunc(placed, func(x Entry) bool { return other(&x) }) ||
		slices.ContainsFunc(p.plan, func(x planned) bool { return other(&x.Entry) }) {
		index++
	}
	return index
}

// setIndex writes the index of a table entry to the word.
func setIndex(word *bits.Value, f *spec.Field, home *scope, index uint64) {
	if len(f.Parts) == 1 && home.parts == nil {
		word.SetUint(home.low+f.Parts[0].Low, f.Width, index)
		return
	}
	setParts(word, home.compose(f.Parts), bits.Of(index))
}

// setParts writes a value to parts of a word. The most significant part is first.
func setParts(word *bits.Value, parts []bits.Part, v bits.Value) {
	at := 0
	for i := len(parts) - 1; i >= 0; i-- {
		part := parts[i]
		if part.Low == zeros {
			at += part.Width
			continue
		}
		*word = word.AndNot(bits.Range(part.Low, part.Width)).Or(v.Slice(at, part.Width).Shl(part.Low))
		at += part.Width
	}
}
