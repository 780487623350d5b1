package program

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/isa"
)

// Line is one instruction written as hex: its word, and the table entries behind a slash.
type Line struct {
	Word bits.Value
	// Bits is the number of bits that were written.
	Bits    int
	Entries []bits.Value
}

// ParseLine reads a line of hex. A single group of digits is a number, its most significant digit
// first; several groups are 32-bit words in the order in which programs store them. Table entries
// follow, each behind a slash. A leading 0x on a group is skipped.
func ParseLine(set *isa.Set, text string) (Line, error) {
	var line Line
	err := line.Parse(set, []byte(text))
	return line, err
}

// Parse is ParseLine into a line whose memory is used again. Errors have the offset of what is wrong, in a Span without
// a source.
func (l *Line) Parse(set *isa.Set, text []byte) error {
	l.Entries = l.Entries[:0]
	var err *diag.Error // not an error, which a nil *diag.Error would not compare as nil
	var end int
	if l.Word, l.Bits, end, err = parseGroups(set, text, 0); err != nil {
		return err
	}
	for end < len(text) { // at a slash
		if len(l.Entries) == maxLineEntries {
			return errorAt(end, diag.TableEntry, "more than %d table entries", maxLineEntries)
		}
		var entry bits.Value
		if entry, _, end, err = parseGroups(set, text, end+1); err != nil {
			return errorAt(err.Span.Off, diag.HexSyntax, "table entry %d: %s", len(l.Entries), err.Msg)
		}
		l.Entries = append(l.Entries, entry)
	}
	return nil
}

// maxLineEntries bounds the table entries of a line; no instruction has as many index fields.
const maxLineEntries = 64

func errorf(code diag.Code, format string, args ...any) *diag.Error {
	return errorAt(0, code, format, args...)
}

func errorAt(off int, code diag.Code, format string, args ...any) *diag.Error {
	return diag.Errorf(code, diag.Span{Off: off}, format, args...)
}

// maxGroups is the number of 32-bit words in the longest instruction.
const maxGroups = bits.Size / 32

// parseGroups reads groups of digits from a place up to the end of the text or to a slash, of which end is the
// place. n is the number of bits that were written.
func parseGroups(set *isa.Set, text []byte, from int) (v bits.Value, n, end int, err *diag.Error) {
	var groups [maxGroups][]byte
	var starts [maxGroups]int
	count := 0
	for end = from; ; {
		for end < len(text) && classes[text[end]] == classBlank {
			end++
		}
		start := end
		for end < len(text) && classes[text[end]] < classBlank {
			end++
		}
		if start == end {
			break
		}
		if count < maxGroups {
			groups[count], starts[count] = digits(text[start:end]), start
		}
		count++
	}
	switch {
	case count == 0:
		return v, 0, end, errorAt(end, diag.HexSyntax, "no hexadecimal digits")
	case count > maxGroups:
		return v, 0, end, errorAt(starts[0], diag.HexSize, "the line has %d words, expected at most %d", count, maxGroups)
	case count == 1:
		v, err = parseNumber(groups[0], starts[0])
		return v, 4 * len(groups[0]), end, err
	}
	for i, g := range groups[:count] {
		word, err := parseNumber(g, starts[i])
		if err != nil {
			return v, 0, end, err
		}
		if word.Len() > 32 {
			return v, 0, end, errorAt(starts[i], diag.HexSize, "%q has more than 32 bits, the size of a word in a list", quote.Shorten(string(g)))
		}
		at := i
		if set.HighFirst() {
			at = count - 1 - i
		}
		v.SetUint(32*at, 32, word[0])
	}
	return v, 32 * count, end, nil
}

// classes has the value of each digit, classOther for what is none but belongs to a group all the
// same, and what ends a group.
var classes = func() (c [256]uint8) {
	for i := range c {
		c[i] = classOther
	}
	for i, digit := range []byte("0123456789abcdef") {
		c[digit] = uint8(i)
		if i > 9 {
			c[digit&^0x20] = uint8(i)
		}
	}
	for _, b := range []byte(" \t\r\n\v\f") {
		c[b] = classBlank
	}
	c['/'] = classSlash
	return c
}()

const (
	classOther = 16 + iota
	classBlank
	classSlash
)

// digits returns a group without its 0x.
func digits(group []byte) []byte {
	if len(group) > 1 && group[0] == '0' && group[1]|0x20 == 'x' {
		return group[2:]
	}
	return group
}

// parseNumber reads hexadecimal digits, the most significant first, of a group that stands at a place.
func parseNumber(s []byte, at int) (v bits.Value, err *diag.Error) {
	if len(s) == 0 {
		return v, errorAt(at, diag.HexSyntax, "no hexadecimal digits after 0x")
	}
	for _, c := range s {
		d := classes[c]
		if d >= classOther {
			return v, errorAt(at, diag.HexSyntax, "%q, expected hexadecimal digits", quote.Shorten(string(s)))
		}
		if v[3]>>60 != 0 {
			return v, errorAt(at, diag.HexSize, "a number with more than %d bits", bits.Size)
		}
		if len(s) > 16 {
			v[3] = v[3]<<4 | v[2]>>60
			v[2] = v[2]<<4 | v[1]>>60
			v[1] = v[1]<<4 | v[0]>>60
		}
		v[0] = v[0]<<4 | uint64(d)
	}
	return v, nil
}

// AppendWords appends a word of size bits as groups of 32 bits in the order in which programs
// store them.
func AppendWords(dst []byte, set *isa.Set, v bits.Value, size int) []byte {
	n := (size + 31) / 32
	for i := range n {
		at := i
		if set.HighFirst() {
			at = n - 1 - i
		}
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendGroup(dst, v.Word(at), min(32, size-32*at))
	}
	return dst
}

// appendGroup appends the digits of a group of size bits.
func appendGroup(dst []byte, word uint32, size int) []byte {
	for shift := (size+3)/4*4 - 4; shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[word>>uint(shift)&15])
	}
	return dst
}

// Size returns the number of bits that the word takes in a program if it is no instruction: what
// was written, in whole units.
func (l *Line) Size(root *isa.Root) int {
	return root.StoredSize(max(l.Word.Len(), min(l.Bits, root.Size), root.MinSize))
}

// Prepare gives a decoder the line's table entries, if it has any, and returns the instruction, as Placer does.
func (l *Line) Prepare(d *isa.Decoder) (in isa.Inst, ok bool, err error) {
	return NewPlacer(d).Prepare(l)
}

// Placer gives a decoder the table entries of one line after another. A line without entries has those that the decoder
// had before.
type Placer struct {
	d      *isa.Decoder
	tables []isa.TableInfo
	given  [][]bits.Value
	// entries are the tables, of which used are the places that the last line filled.
	entries [][]bits.Value
	used    []isa.IndexField
}

// NewPlacer returns a Placer, which takes the decoder's tables over.
func NewPlacer(d *isa.Decoder) *Placer {
	p := &Placer{d: d, tables: d.Set().Tables(), given: slices.Clone(d.Tables())}
	p.entries = make([][]bits.Value, len(p.tables))
	return p
}

// Decoder returns the decoder that gets the entries.
func (p *Placer) Decoder() *isa.Decoder { return p.d }

// Prepare puts the line's table entries where the index fields of the word point, and returns the
// instruction. A word that no instruction has is not an error: ok is false.
func (p *Placer) Prepare(l *Line) (in isa.Inst, ok bool, err error) {
	d := p.d
	p.forget()
	if n := l.Word.Len(); n > d.Root().Size {
		return in, false, errorf(diag.HexSize, "%d bits, but an instruction has at most %d", n, d.Root().Size)
	}
	in, ok = d.Decode(l.Word)
	if !ok {
		return in, false, nil
	}
	if rest := l.Word.Shr(in.Leaf.Size); !rest.IsZero() {
		return in, false, errorf(diag.HexSize, "%d bits, but %s has %d", l.Word.Len(), in.Leaf.Display, in.Leaf.Size)
	}
	// Leading zeros may be left out, but not so many that a shorter instruction could be meant.
	if in.Leaf.Size > l.Bits && in.Leaf.Size > d.Root().MinSize {
		return in, false, errorf(diag.HexSize, "%d bits, but %s has %d", l.Bits, in.Leaf.Display, in.Leaf.Size)
	}
	if len(l.Entries) == 0 {
		return in, true, nil
	}
	if err := p.place(l, in); err != nil {
		return in, false, err
	}
	in, ok = d.Decode(l.Word)
	return in, ok, nil
}

// maxTable bounds the entries of a table that are kept.
const maxTable = 1 << 20

// place gives the decoder the entries, one for each index field.
func (p *Placer) place(l *Line, in isa.Inst) error {
	fields := p.d.IndexFields(in)
	if len(fields) != len(l.Entries) {
		return errorf(diag.TableEntry, "table entries: %d given, but %s uses %d", len(l.Entries), in.Leaf.Display, len(fields))
	}
	for i, f := range fields {
		t := &p.tables[f.TableIndex]
		if size := min(t.Size, maxTable); f.Index >= uint64(size) {
			return errorf(diag.TableEntry, "%s names entry %d of table %s, which has %d entries", in.Leaf.Display, f.Index, f.Table, size)
		}
		if n := l.Entries[i].Len(); n > t.Bits {
			return errorf(diag.HexSize, "table entry %d has %d bits, but entries of %s have %d", i, n, f.Table, t.Bits)
		}
		if p.taken(f, l.Entries[i]) {
			return errorf(diag.TableEntry, "%s names entry %d of table %s twice, with different values", in.Leaf.Display, f.Index, f.Table)
		}
		p.put(f, l.Entries[i])
	}
	return nil
}

// forget takes the last line's entries out of the tables.
func (p *Placer) forget() {
	for _, f := range p.used {
		p.entries[f.TableIndex][f.Index] = bits.Value{}
		p.d.SetTable(f.TableIndex, p.given[f.TableIndex])
	}
	p.used = p.used[:0]
}

// taken reports whether the line has another entry for the same place.
func (p *Placer) taken(f isa.IndexField, entry bits.Value) bool {
	for _, u := range p.used {
		if u.TableIndex == f.TableIndex && u.Index == f.Index {
			return p.entries[f.TableIndex][f.Index] != entry
		}
	}
	return false
}

// put fills a place. What the decoder sees of the table ends with the last entry of the line.
func (p *Placer) put(f isa.IndexField, entry bits.Value) {
	end := int(f.Index) + 1
	p.used = append(p.used, f)
	for _, u := range p.used {
		if u.TableIndex == f.TableIndex {
			end = max(end, int(u.Index)+1)
		}
	}
	t := p.entries[f.TableIndex]
	if end > len(t) {
		t = append(t, make([]bits.Value, end-len(t))...)
		p.entries[f.TableIndex] = t
	}
	t[f.Index] = entry
	p.d.SetTable(f.TableIndex, t[:end])
}
