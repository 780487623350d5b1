package asm

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
)

// suffix is one part of the braces after an instruction. PATH=0x12 sets a field, PATH@57 chooses the index of an entry,
// 44..50=0x3 sets bits of the word by number, and PATH.4..5=0x1 sets bits of an entry by number.
type suffix struct {
	path      string
	pin       bool
	low, high int // of bits by number; low is -1 for a field
	value     bits.Value
	off, end  int
}

// split parses the suffix of a text into p.suffix, and returns the text before the suffix. The text must not end with a
// blank.
func (p *Parser) split(text []byte) (body []byte, err error) {
	p.suffix = p.suffix[:0]
	if len(text) == 0 || text[len(text)-1] != '}' {
		return text, nil
	}
	open := bytes.LastIndexByte(text, '{')
	if open < 0 {
		return text, nil
	}
	return text[:open], p.readSuffix(string(text[open+1:len(text)-1]), open+1)
}

// suffixed parses a line that consists of an instruction and a suffix. text is the length of the instruction. The
// parser must just have parsed the instruction without the suffix.
func (p *Parser) suffixed(line []byte, text int) (res Result, err error) {
	if text > 0 && line[text-1] != '}' && (p.Comment == "" || !bytes.Contains(line, []byte(p.Comment))) && len(p.plan) == 0 {
		p.suffix = p.suffix[:0]
		open := text + bytes.IndexByte(line[text:], '{')
		if p.readSuffix(string(line[open+1:len(line)-1]), open+1) == nil && p.complete(&res) == nil {
			return res, nil
		}
	}
	return p.parse(line)
}

func (p *Parser) readSuffix(text string, off int) error {
	for more := true; more; {
		var part string
		part, text, more = strings.Cut(text, ",")
		value, wrong := p.withConstant(part, off)
		if wrong != nil {
			return wrong
		}
		s, err := readSuffixPart(strings.TrimSpace(value))
		lead := len(part) - len(strings.TrimLeft(part, blanks))
		s.off, s.end = off+lead, off+len(part)
		if err != "" {
			return &Error{Code: diag.TextSuffix, Off: s.off, End: s.end, Msg: err}
		}
		p.suffix = append(p.suffix, s)
		off += len(part) + 1
	}
	return nil
}

// withConstant returns part, which starts at off, with its constant expression replaced with the value.
func (p *Parser) withConstant(part string, off int) (string, error) {
	i := strings.Index(part, "$(")
	if i < 0 || p.Constant == nil {
		return part, nil
	}
	p.asked = true
	v, n, err := p.Constant(part[i+1:])
	if err != nil {
		return part, Shifted(err, off+i+1)
	}
	return fmt.Sprintf("%s$(%d)%s", part[:i], v, part[i+1+n:]), nil
}

func readSuffixPart(part string) (s suffix, err string) {
	if path, index, ok := strings.Cut(part, "@"); ok && path != "" {
		n, e := strconv.ParseUint(index, 0, 20)
		if e != nil {
			return s, fmt.Sprintf("%q, expected the number of a table entry after @", index)
		}
		return suffix{path: path, pin: true, value: bits.Of(n), low: -1}, ""
	}
	path, value, ok := strings.Cut(part, "=")
	s = suffix{path: strings.TrimSpace(path), low: -1}
	if !ok || s.path == "" {
		return s, fmt.Sprintf("%q, expected FIELD=VALUE, FIELD@ENTRY or LOW..HIGH=VALUE", part)
	}
	value = strings.TrimSpace(value)
	if number, ok := strings.CutPrefix(value, "$("); ok {
		value = strings.TrimSuffix(number, ")")
	}
	hex, isHex := strings.CutPrefix(strings.ToLower(value), "0x")
	var e error
	if isHex {
		s.value, e = bits.ParseHex(hex)
	} else {
		var n uint64
		n, e = strconv.ParseUint(value, 10, 64)
		s.value = bits.Of(n)
	}
	if e != nil {
		return s, fmt.Sprintf("%q is not a value", value)
	}
	return s, s.nameless()
}

// nameless parses LOW..HIGH or the number of one bit at the end of the path, and removes it from the path. err is "" or
// an error message.
func (s *suffix) nameless() (err string) {
	at := len(strings.TrimRight(s.path, ".0123456789"))
	if at > 0 { // digits may end a name
		point := strings.IndexByte(s.path[at:], '.')
		if point < 0 {
			return ""
		}
		at += point
	}
	run := strings.TrimPrefix(s.path[at:], ".")
	if run == "" {
		return ""
	}
	low, high, ranged := strings.Cut(run, "..")
	if !ranged {
		high = low
	}
	a, err1 := strconv.Atoi(low)
	b, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil || a > b || b >= bits.Size {
		return fmt.Sprintf("%q, expected bits such as 44..50", run)
	}
	s.path, s.low, s.high = s.path[:at], a, b
	if s.value.Len() > b-a+1 {
		return fmt.Sprintf("0x%s does not fit %d bits", s.value, b-a+1)
	}
	return ""
}

// indexPath returns the path of the field that holds the index of an entry.
func (p *Parser) indexPath(s *space, leaf *isa.Leaf) string {
	if s.home.atTop() || s.home.space != spaceWord {
		return s.field.Name
	}
	parts := s.home.compose(s.field.Parts)
	p.listFields(leaf)
	for i := range p.fields {
		if f := &p.fields[i]; f.Index && slices.Equal(f.Parts, parts) {
			return f.Path
		}
	}
	return s.field.Name
}

func (p *Parser) pin(field string) *suffix {
	for i := range p.suffix {
		if s := &p.suffix[i]; s.pin && strings.EqualFold(s.path, field) {
			return s
		}
	}
	return nil
}

// complete makes the result of a line: it applies the suffix and places the table entries.
func (p *Parser) complete(res *Result) error {
	if len(p.suffix) > 0 {
		if err := p.applySuffix(p.leaf); err != nil {
			return err
		}
	}
	p.planEntries()
	if len(p.suffix) > 0 { // the suffix may have changed the instruction
		if other, ok := p.recoder().Decode(p.spaces[spaceWord].val); ok {
			p.leaf, p.spaces[spaceWord].val = other.Leaf, other.Bits
		}
	}
	return p.result(res)
}

// result makes the result of a line, and places its table entries.
func (p *Parser) result(res *Result) error {
	res.Inst = isa.Inst{Leaf: p.leaf, Bits: p.spaces[spaceWord].val}
	res.Context, res.Entries = p.spaces[spaceContext].val, p.entries[:0]
	if len(p.plan) > 0 {
		return p.place(res)
	}
	return nil
}

// recoder returns the decoder that resolves the paths in suffixes.
func (p *Parser) recoder() *isa.Decoder {
	if p.decoder == nil {
		p.decoder, _ = p.set.NewDecoder(p.root.Name) // the root exists
	}
	p.decoder.SetContext(p.spaces[spaceContext].val)
	return p.decoder
}

// applySuffix sets the bits that the suffix names. Paths refer to the fields of the word without the suffix.
func (p *Parser) applySuffix(leaf *isa.Leaf) error {
	var spaces []entrySpace
	if p.fields = p.fields[:0]; slices.ContainsFunc(p.suffix, p.namesField) {
		spaces = p.listFields(leaf)
	}
	for i := range p.suffix {
		s, err := &p.suffix[i], ""
		switch {
		case !s.pin:
			err = p.applyOne(s, spaces)
		case !p.hasEntry(s.path):
			err = p.pinField(s, leaf)
		}
		if err != "" {
			return &Error{Code: diag.TextSuffix, Off: s.off, End: s.end, Msg: err}
		}
	}
	return nil
}

// namesField reports whether a part of the suffix needs the list of fields. Bits of the word by number do not need it,
// nor does the index of an entry if the index is a field of the word itself.
func (p *Parser) namesField(s suffix) bool { return s.path != "" && !(s.pin && p.hasEntry(s.path)) }

// pinField sets an index field for which the text needs no entry. If the text needs one, planEntries handles the pin.
func (p *Parser) pinField(s *suffix, leaf *isa.Leaf) string {
	f := fieldNamed(p.fields, s.path, isIndex)
	if f == nil {
		return fmt.Sprintf("%s has no table entry %s", leaf.Display, s.path)
	}
	for k := spaceTable; k < p.nspaces; k++ {
		x := &p.spaces[k]
		if x.field != nil && x.home.space == spaceWord && slices.Equal(f.Parts, x.home.compose(x.field.Parts)) {
			return ""
		}
	}
	return p.applyField(s, f, nil)
}

// setNameless sets bits of the word by number.
func (p *Parser) setNameless(s *suffix) string {
	if s.high >= p.root.Size {
		return fmt.Sprintf("bit %d, but the instruction has %d bits", s.high, p.root.Size)
	}
	word := &p.spaces[spaceWord].val
	*word = word.AndNot(bits.Range(s.low, s.high-s.low+1)).Or(s.value.Shl(s.low))
	return ""
}

func (p *Parser) hasEntry(name string) bool {
	for i := spaceTable; i < p.nspaces; i++ {
		s := &p.spaces[i]
		if s.field != nil && s.home.atTop() && strings.EqualFold(s.field.Name, name) {
			return true
		}
	}
	return false
}

// entrySpace connects a table entry with its space.
type entrySpace struct {
	table string
	entry int
	space int
}

// listFields lists the fields of the current word in p.fields, and returns the spaces of the entries in them.
func (p *Parser) listFields(leaf *isa.Leaf) []entrySpace {
	in, spaces := p.withEntries(leaf)
	p.fields = p.decoder.FieldValues(p.fields[:0], in)
	return spaces
}

// withEntries returns the current word with an index for each of its entries: the index that the text specifies, or a
// free one. It sets the tables of p.decoder to these entries.
func (p *Parser) withEntries(leaf *isa.Leaf) (isa.Inst, []entrySpace) {
	d := p.recoder()
	in := isa.Inst{Leaf: leaf, Bits: p.spaces[spaceWord].val}
	tables := make([][]bits.Value, len(p.Tables))
	var spaces []entrySpace
	put := func(i, index int) {
		s := &p.spaces[i]
		t := s.field.Table
		for len(tables[t.Index]) <= index {
			tables[t.Index] = append(tables[t.Index], bits.Value{})
		}
		setIndex(&in.Bits, s.field, &s.home, uint64(index))
		spaces = append(spaces, entrySpace{t.Name, index, i})
		tables[t.Index][index] = s.val
	}
	var open []int
	for i := spaceTable; i < p.nspaces; i++ {
		s := &p.spaces[i]
		if s.field == nil {
			continue
		}
		if index := p.givenIndex(&planned{field: s.field, home: s.home}); index >= 0 && index < s.field.Table.Size {
			put(i, index)
		} else {
			open = append(open, i)
		}
	}
	for _, i := range open {
		put(i, free(spaces, p.spaces[i].field.Table.Name))
	}
	for i, t := range tables {
		d.SetTable(i, t)
	}
	return in, spaces
}

// free returns the first index in a table that none of the spaces uses.
func free(spaces []entrySpace, table string) (index int) {
	for slices.ContainsFunc(spaces, func(x entrySpace) bool { return x.table == table && x.entry == index }) {
		index++
	}
	return index
}

func (p *Parser) applyOne(s *suffix, spaces []entrySpace) string {
	if name, ok := strings.CutPrefix(s.path, "@"); ok {
		c := inside.Machine(p.set).ISA.Context(name)
		if c == nil || s.value.Len() > c.Width {
			return fmt.Sprintf("unknown context %q, or its value is too large", name)
		}
		p.spaces[spaceContext].val.SetUint(c.Low, c.Width, s.value[0])
		return ""
	}
	if s.path == "" {
		return p.setNameless(s)
	}
	f := fieldNamed(p.fields, s.path, hasBits)
	if f == nil {
		return fmt.Sprintf("this instruction has no field %q", s.path)
	}
	return p.applyField(s, f, spaces)
}

// fieldNamed returns the first field with the given path for which kind returns true. If there is none, it ignores the
// case of the path. It returns nil if there is still none.
func fieldNamed(fields []isa.Field, path string, kind func(*isa.Field) bool) *isa.Field {
	for i := range fields {
		if f := &fields[i]; f.Path == path && kind(f) {
			return f
		}
	}
	for i := range fields {
		if f := &fields[i]; kind(f) && strings.EqualFold(f.Path, path) {
			return f
		}
	}
	return nil
}

func isIndex(f *isa.Field) bool { return f.Index }

func hasBits(f *isa.Field) bool { return !f.Derived() }

func (p *Parser) applyField(s *suffix, f *isa.Field, spaces []entrySpace) string {
	parts, table, entry := f.Parts, f.Table, f.Entry
	if s.low >= 0 { // bits by number, in the entry to which the field refers
		if !f.Index {
			return fmt.Sprintf("%s is not a table entry, expected FIELD=VALUE or LOW..HIGH=VALUE", s.path)
		}
		for _, t := range p.set.Tables() {
			if t.Name == f.IndexOf && s.high >= t.Bits {
				return fmt.Sprintf("bit %d, but the entry has %d bits", s.high, t.Bits)
			}
		}
		parts, table, entry = []bits.Part{{Low: s.low, Width: s.high - s.low + 1}}, f.IndexOf, int(f.Value[0])
	}
	if mask := maskOf(parts); s.value.Len() > mask.OnesCount() {
		return fmt.Sprintf("0x%s does not fit the %d bits of %s", s.value, mask.OnesCount(), s.path)
	}
	if table == "" {
		setParts(&p.spaces[spaceWord].val, parts, s.value)
		return ""
	}
	for _, e := range spaces {
		if e.table == table && e.entry == entry {
			setParts(&p.spaces[e.space].val, parts, s.value)
			p.spaces[e.space].known = p.spaces[e.space].known.Or(maskOf(parts))
			p.spaces[e.space].assumed = p.spaces[e.space].assumed.AndNot(maskOf(parts))
		}
	}
	return ""
}

func maskOf(parts []bits.Part) bits.Value {
	var m bits.Value
	for _, part := range parts {
		if part.Low != zeros {
			m = m.Or(bits.Range(part.Low, part.Width))
		}
	}
	return m
}

// anyBitSet reports whether one of the bits of parts is set.
func anyBitSet(parts []bits.Part, v *bits.Value) bool {
	for _, part := range parts {
		for at := 0; part.Low != zeros && at < part.Width; at += 64 {
			if v.Uint(part.Low+at, min(64, part.Width-at)) != 0 {
				return true
			}
		}
	}
	return false
}
