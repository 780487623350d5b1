package asm

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Annotated is a parsed instruction with the places of its parts. All offsets count bytes in the line that was parsed.
// They are the same whatever the spelling: an alias, another radix, additional or missing blanks.
type Annotated struct {
	Result
	// Tokens classifies each piece of the text, in order. Blanks and some punctuation belong to no token.
	Tokens []isa.Token
	// Operands are the operands of the instruction. Start and End are -1 for an operand that the line does not contain.
	Operands []isa.Operand
	// Fields are the fields of the instruction. Start and End are -1 for a field that the line does not contain.
	Fields []isa.Field
}

// OperandAt returns the operand that contains the byte at off or that ends at off, or nil if there is none.
func (a *Annotated) OperandAt(off int) (o *isa.Operand) {
	for i := range a.Operands {
		if x := &a.Operands[i]; x.Start <= off && off <= x.End && x.Start >= 0 && (o == nil || o.End == off) {
			o = x
		}
	}
	return o
}

// FieldAt returns the innermost field that contains the byte at off or that ends at off, or nil if there is none.
func (a *Annotated) FieldAt(off int) (f *isa.Field) {
	for i := range a.Fields {
		x := &a.Fields[i]
		if x.Start <= off && off <= x.End && x.Start >= 0 && (f == nil || f.End == off || x.End-x.Start <= f.End-f.Start) {
			f = x
		}
	}
	return f
}

// piece is an item that was read, with the range of its text.
type piece struct {
	it *item
	textRange
}

// Annotate parses a line like Parse, and locates the tokens, operands and fields in it. It does not use Tables: the
// entries of the result are numbered from 0. It takes several times as long as Parse.
func (p *Parser) Annotate(line string) (a Annotated, err error) {
	q := p.assistant()
	q.tracing = true
	defer func() { q.tracing = false }()
	if a.Result, err = q.Parse(line); err != nil {
		return Annotated{}, err
	}
	a.Entries = slices.Clone(a.Entries)
	written := q.pieces([]byte(line))
	d, in := q.decoderOf(&a.Result)
	printed, operands := d.AppendOperands(nil, nil, in)
	_, tokens := d.AppendTokens(nil, nil, in)
	fields := d.Fields(nil, in)
	q.Symbol, q.Later, q.Custom, q.Constant = nil, nil, nil, nil
	if _, ok := q.Try(string(printed)); !ok {
		q.trace = nil
	}
	m := newPlaceMap(q.pieces(printed), written)
	for _, t := range tokens {
		if start, end, ok := m.place(t.Start, t.End); ok {
			a.Tokens = append(a.Tokens, isa.Token{Kind: t.Kind, Start: start, End: end})
		}
	}
	a.Tokens = m.complete(line, a.Tokens)
	for i := range operands {
		operands[i].Start, operands[i].End = m.orNowhere(operands[i].Start, operands[i].End)
	}
	for i := range fields {
		fields[i].Start, fields[i].End = m.orNowhere(fields[i].Start, fields[i].End)
	}
	a.Operands, a.Fields = operands, fields
	return a, nil
}

// pieces returns the pieces of the line that was parsed last. Their offsets count bytes of the line as given.
func (p *Parser) pieces(line []byte) []piece {
	list := slices.Clone(p.trace)
	for i := range list {
		x := &list[i]
		last := original(line, x.end-1)
		x.pos, x.end = original(line, x.pos), last+1
	}
	return list
}

// decoderOf returns a decoder with the context and the table entries of a result, and the decoded instruction.
func (p *Parser) decoderOf(res *Result) (*isa.Decoder, isa.Inst) {
	p.spaces[spaceContext].val = res.Context
	d := p.recoder()
	tables := make([][]bits.Value, len(p.set.Tables()))
	for _, e := range res.Entries {
		for len(tables[e.Table]) <= e.Index {
			tables[e.Table] = append(tables[e.Table], bits.Value{})
		}
		tables[e.Table][e.Index] = e.Value
	}
	d.SetTables(tables)
	if in, ok := d.Decode(res.Inst.Bits); ok {
		return d, in
	}
	return d, res.Inst
}

// placeMap maps places in the printed text of an instruction to places in the text as written.
type placeMap struct {
	printed, written []piece
	// at has the index in written for each piece of printed, or -1.
	at   []int
	used []bool // for each piece of written
}

// newPlaceMap aligns the pieces of both texts. If the text is not an alias, both have the same pieces.
func newPlaceMap(printed, written []piece) *placeMap {
	m := &placeMap{printed: printed, written: written, at: make([]int, len(printed)), used: make([]bool, len(written))}
	common := make([][]int, len(printed)+1) // the lengths of the longest common subsequences of the rests
	common[len(printed)] = make([]int, len(written)+1)
	for i := len(printed) - 1; i >= 0; i-- {
		common[i] = make([]int, len(written)+1)
		for k := len(written) - 1; k >= 0; k-- {
			common[i][k] = max(common[i+1][k], common[i][k+1])
			if printed[i].specifies(&written[k]) {
				common[i][k] = max(common[i][k], common[i+1][k+1]+1)
			}
		}
	}
	for i, k := 0, 0; i < len(printed); i++ {
		m.at[i] = -1
		for k < len(written) && common[i][k] == common[i][k+1] {
			k++
		}
		if k < len(written) && printed[i].specifies(&written[k]) && common[i][k] == common[i+1][k+1]+1 {
			m.at[i], m.used[k] = k, true
			k++
		}
	}
	return m
}

// specifies reports whether two pieces are the same literal or specify the same field.
func (x *piece) specifies(y *piece) bool {
	switch {
	case x.it.ref == nil || y.it.ref == nil:
		return x.it.ref == y.it.ref && x.it.text == y.it.text
	}
	return x.it.ref == y.it.ref || x.it.ref.Name() == y.it.ref.Name()
}

// place maps a range of the printed text. ok is false if the text as written has no part of it.
func (m *placeMap) place(start, end int) (from, to int, ok bool) {
	for i := range m.printed {
		p := &m.printed[i]
		if m.at[i] < 0 || p.end <= start || p.pos >= end {
			continue
		}
		w := &m.written[m.at[i]]
		a, b := w.pos, w.end
		if p.it.kind == itemLiteral && p.end-p.pos == w.end-w.pos { // other values may have another length
			a, b = a+max(0, start-p.pos), b-max(0, p.end-end)
		}
		if !ok {
			from, ok = a, true
		}
		to = b
	}
	return from, to, ok
}

// orNowhere is like place, but returns -1 and -1 if ok is false.
func (m *placeMap) orNowhere(start, end int) (from, to int) {
	if from, to, ok := m.place(start, end); ok && end > start {
		return from, to
	}
	return -1, -1
}

// complete adds tokens for the pieces of the text that the printed text does not have, and marks labels.
func (m *placeMap) complete(line string, tokens []isa.Token) []isa.Token {
	named := slices.ContainsFunc(tokens, func(t isa.Token) bool { return t.Kind == isa.TokenMnemonic })
	for k := range m.written {
		w := &m.written[k]
		text := line[w.pos:w.end]
		kind := isa.TokenModifier
		switch {
		case w.it.kind == itemBranch && isSymbolByte(text[0], true):
			kind = isa.TokenLabel
			tokens = slices.DeleteFunc(tokens, func(t isa.Token) bool { return t.Start == w.pos })
		case m.used[k]:
			continue
		case w.it.kind == itemBranch:
			kind = isa.TokenAddress
		case w.it.kind == itemNumber, w.it.kind == itemFloat:
			kind = isa.TokenImmediate
		case w.it.kind != itemLiteral:
		case anchorWord(text) == "":
			kind = isa.TokenPunctuation
		case !named:
			kind, named = isa.TokenMnemonic, true
		}
		tokens = append(tokens, isa.Token{Kind: kind, Start: w.pos, End: w.end})
	}
	slices.SortStableFunc(tokens, func(a, b isa.Token) int { return a.Start - b.Start })
	return tokens
}
