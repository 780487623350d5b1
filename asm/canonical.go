package asm

import (
	mathbits "math/bits"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/isa"
)

// Canonical chooses values for the bits of table entries on which an instruction does not depend. Otherwise these bits
// would have values from other instructions that share the entry, and equal instructions would have different texts.
type Canonical struct {
	d *isa.Decoder
	p *Parser
	// entries caches results for leaves whose idle bits depend only on the entry.
	entries map[settled]CanonicalEntry
	// least caches the values that print as the shortest texts.
	least  map[idlePart]uint64
	types  map[string]*isa.Decoder
	fields []isa.Field
	text   []byte
}

// CanonicalEntry is the table entry of an instruction, with chosen values for the bits on which the instruction does
// not depend.
type CanonicalEntry struct {
	// Entry is the entry with the chosen values of the bits on which the instruction does not depend.
	Entry bits.Value
	// Text is the entry to which the text of the instruction assembles. It is equal to Entry in the bits that the text
	// specifies. The other bits are defaults or 0. Care is the mask of the bits on which the instruction depends.
	Text, Care bits.Value
}

// settled is the key of entries.
type settled struct {
	leaf  *isa.Leaf
	entry bits.Value
}

// idlePart is the key of least: the type of a part of an entry, its idle bits, and the value of its other bits.
type idlePart struct {
	typ         string
	idle, value uint64
}

// Limits: the number of cached entries, and the largest number of idle bits of a part for which all values are tried.
const (
	maxSettled = 1 << 14
	maxIdle    = 8
)

// NewCanonical returns a Canonical for instructions that d prints and p parses.
func NewCanonical(d *isa.Decoder, p *Parser) *Canonical {
	return &Canonical{d: d, p: p, entries: map[settled]CanonicalEntry{}, least: map[idlePart]uint64{}, types: map[string]*isa.Decoder{}}
}

// Entry returns the entry of an instruction with the chosen values of idle bits. entry is the value in the decoder's
// table. Entry returns the value unchanged if the text of the instruction cannot be parsed or does not refer to exactly
// one entry.
func (c *Canonical) Entry(in isa.Inst, entry bits.Value) CanonicalEntry {
	key := settled{in.Leaf, entry}
	if e, ok := c.entries[key]; ok {
		return e
	}
	c.text = c.d.Append(c.text[:0], in)
	res, err := c.p.ParseBytes(c.text)
	if err != nil || len(res.Entries) != 1 {
		return CanonicalEntry{Entry: entry, Text: entry, Care: bits.Ones(bits.Size)}
	}
	read := &res.Entries[0]
	e := CanonicalEntry{Entry: c.settle(in, entry, read.Care), Care: read.Care}
	e.Text = read.Value.AndNot(read.Bound).Or(e.Entry.And(read.Bound))
	if c.entryDecides(in.Leaf) {
		if len(c.entries) >= maxSettled {
			clear(c.entries)
		}
		c.entries[key] = e
	}
	return e
}

// entryDecides reports whether the idle bits of a leaf's entry depend only on the entry.
func (c *Canonical) entryDecides(leaf *isa.Leaf) bool {
	for _, x := range c.p.env.Bound(c.p.root.Leaves[leaf.ID]).Unused {
		for _, b := range x.Bits {
			if b.Cond != nil && !readsEntries(b.Cond.Root) {
				return false
			}
		}
	}
	return true
}

// readsEntries reports whether an expression reads only table entries.
func readsEntries(n *model.Node) bool {
	for n := range n.All {
		for _, a := range n.Alts {
			if a.Cond != nil || a.Ref == nil || a.Ref.Prog != nil || len(a.Ref.Path) == 0 || a.Ref.Path[0].Field.Table == nil {
				return false
			}
		}
	}
	return true
}

// settle sets the idle bits of an entry, part by part, and returns the entry.
func (c *Canonical) settle(in isa.Inst, entry, care bits.Value) bits.Value {
	c.fields = c.d.FieldValues(c.fields[:0], in)
	for i, f := range c.fields {
		if f.Table == "" || f.Depth != 1 || len(f.Parts) != 1 {
			continue
		}
		end := i + 1
		for end < len(c.fields) && c.fields[end].Depth > f.Depth {
			end++
		}
		part := f.Parts[0]
		if idle := bits.Range(part.Low, part.Width).AndNot(care); !idle.IsZero() {
			entry = c.part(entry, f, c.fields[i+1:end], idle)
		}
	}
	return entry
}

// part sets the idle bits of one part of an entry, and returns the entry. If the instruction depends on only one
// component, the other components get the value of that component. Otherwise the part gets the value that prints as the
// shortest text.
func (c *Canonical) part(entry bits.Value, f isa.Field, components []isa.Field, idle bits.Value) bits.Value {
	one, ok := onlyComponent(components, idle)
	if !ok {
		return c.shortest(entry, f, idle)
	}
	for _, x := range components {
		entry.SetUint(x.Parts[0].Low, x.Parts[0].Width, one.Value[0])
	}
	return entry
}

// onlyComponent returns the only component on which the instruction depends. ok is false if there is not exactly one
// such component, or if the components have different types or widths.
func onlyComponent(list []isa.Field, idle bits.Value) (one isa.Field, ok bool) {
	for _, x := range list {
		if len(x.Parts) != 1 || x.Type != list[0].Type || x.Parts[0].Width != list[0].Parts[0].Width {
			return one, false
		}
		if counts := bits.Range(x.Parts[0].Low, x.Parts[0].Width).AndNot(idle); counts.IsZero() {
			continue
		}
		if ok {
			return one, false
		}
		one, ok = x, true
	}
	return one, ok
}

// shortest sets the idle bits of a part so that the part prints as the shortest text, and returns the entry. If several
// values have the shortest text, it uses the smallest.
func (c *Canonical) shortest(entry bits.Value, f isa.Field, idle bits.Value) bits.Value {
	part := f.Parts[0]
	mask, value := idle.Uint(part.Low, part.Width), entry.Uint(part.Low, part.Width)
	key := idlePart{f.Type, mask, value &^ mask}
	best, ok := c.least[key]
	if !ok {
		if best, ok = c.leastText(key); !ok {
			best = value
		}
		if len(c.least) >= maxSettled {
			clear(c.least)
		}
		c.least[key] = best
	}
	entry.SetUint(part.Low, part.Width, best)
	return entry
}

// leastText tries all values of the idle bits and returns the value of the part that prints as the shortest text. ok is
// false if the type of the part is not a bitset, if there are too many idle bits, or if no value decodes.
func (c *Canonical) leastText(key idlePart) (best uint64, ok bool) {
	d := c.typeOf(key.typ)
	if d == nil || mathbits.OnesCount64(key.idle) > maxIdle {
		return 0, false
	}
	shortest := 0
	for v := uint64(0); ; {
		if in, known := d.Decode(bits.Of(key.value | v)); known {
			if c.text = d.Append(c.text[:0], in); !ok || len(c.text) < shortest {
				best, shortest, ok = key.value|v, len(c.text), true
			}
		}
		if v = (v - key.idle) & key.idle; v == 0 { // the next value of these bits
			return best, ok
		}
	}
}

// typeOf returns the decoder of a bitset that is an operand type, or nil for other types.
func (c *Canonical) typeOf(name string) *isa.Decoder {
	d, ok := c.types[name]
	if !ok {
		d, _ = c.d.Set().NewDecoder(name)
		c.types[name] = d
	}
	return d
}
