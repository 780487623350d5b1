package source

import (
	"slices"
	"sort"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// Statement is what a line of the source became.
type Statement struct {
	// Span is the statement without its labels and its comment.
	Span diag.Span
	// Addr is its address in bits. Size is the number of bits that it occupies.
	Addr, Size int64
	// Words are its instruction or its data. They are empty for a statement with a mistake.
	Words []Word
}

// Statement returns the statement of a line.
func (d *Document) Statement(n int) Statement {
	l := &d.lines[n]
	text, off := d.withoutLabels(n)
	from := off + len(text) - len(trimLeft(text))
	return Statement{
		Span: diag.Span{Src: d.src, Off: from, End: max(from, off+len(strings.TrimRight(text, blanks)))},
		Addr: l.addr, Size: d.size(&l.item, l.at), Words: d.words(&l.item, l.at),
	}
}

// Lines returns the number of lines.
func (d *Document) Lines() int { return len(d.lines) }

// LineAt returns the line whose statement occupies an address, which is in bits. ok is false if there is none.
func (d *Document) LineAt(addr int64) (n int, ok bool) {
	n = sort.Search(len(d.lines), func(i int) bool { return d.lines[i].addr+d.size(&d.lines[i].item, d.lines[i].at) > addr })
	return n, n < len(d.lines) && d.lines[n].addr <= addr
}

// withoutLabels returns the statement of a line after its labels, and its offset in the source.
func (d *Document) withoutLabels(n int) (text string, off int) {
	l := &d.lines[n]
	return d.statement(n).Text[l.begin:], l.start + l.begin
}

// Symbol is a label.
type Symbol struct {
	Name string
	Addr int64 // in bits from the start of the program
	// Span is its definition, without the colon.
	Span diag.Span
}

// Symbols returns the labels in the order of their definitions.
func (d *Document) Symbols() []Symbol {
	list := make([]Symbol, 0, len(d.labels))
	for name := range d.labels {
		s, _ := d.Symbol(name)
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Symbol) int { return a.Span.Off - b.Span.Off })
	return list
}

// Symbol returns the label with a name.
func (d *Document) Symbol(name string) (s Symbol, ok bool) {
	p, ok := d.labels[name]
	if !ok {
		return s, false
	}
	off := d.lines[p.line].start + p.column
	return Symbol{name, p.addr, diag.Span{Src: d.src, Off: off, End: off + len(name)}}, true
}

// SymbolAt returns the label whose definition or use contains the byte at off or ends at off.
func (d *Document) SymbolAt(off int) (s Symbol, ok bool) {
	for _, t := range d.Tokens(d.Line(off)) {
		if t.Kind == isa.TokenLabel && t.Start <= off && off <= t.End {
			return d.Symbol(d.src.Text[t.Start:t.End])
		}
	}
	return s, false
}

// References returns the places at which a label is defined or used, in their order.
func (d *Document) References(name string) (list []diag.Span) {
	for i := range d.lines {
		if !strings.Contains(d.src.Text[d.lines[i].start:d.lines[i].end], name) {
			continue
		}
		for _, t := range d.Tokens(i) {
			if t.Kind == isa.TokenLabel && d.src.Text[t.Start:t.End] == name {
				list = append(list, diag.Span{Src: d.src, Off: t.Start, End: t.End})
			}
		}
	}
	return list
}

// Tokens returns the tokens of a line with their kinds. Their offsets count from the start of the source. The
// instruction of a line with a mistake has no tokens.
func (d *Document) Tokens(n int) (list []isa.Token) {
	l := &d.lines[n]
	s := d.statement(n)
	for text := s.Text; ; {
		name, rest, ok := cutLabel(text)
		if !ok || len(s.Text)-len(rest) > l.begin {
			break
		}
		end := l.start + len(s.Text) - len(rest) - 1
		list = append(list, isa.Token{Kind: isa.TokenLabel, Start: end - len(name), End: end})
		text = rest
	}
	text, off := d.withoutLabels(n)
	if l.traits&isDirective != 0 || strings.HasPrefix(text, ".word") {
		list = append(list, directive(text, off)...)
	} else if a, err := d.annotate(l, text); err == nil {
		for _, t := range a.Tokens {
			list = append(list, isa.Token{Kind: t.Kind, Start: off + t.Start, End: off + t.End})
		}
	}
	if from := l.start + len(s.Text); from < l.end && strings.Trim(d.src.Text[from:l.end], blanks) != "" {
		list = append(list, isa.Token{Kind: isa.TokenComment, Start: from, End: l.end})
	}
	return list
}

// Annotate returns the operands and fields of the instruction in a line. off is the offset of the instruction in the
// source, from which the offsets in the result count. ok is false if the line has no instruction.
func (d *Document) Annotate(n int) (a asm.Annotated, off int, ok bool) {
	text, off := d.withoutLabels(n)
	if text == "" || d.lines[n].traits&isDirective != 0 {
		return a, off, false
	}
	a, err := d.annotate(&d.lines[n], text)
	return a, off, err == nil
}

func (d *Document) annotate(l *line, text string) (asm.Annotated, error) {
	d.resume(l)
	return d.assembler.Parser.Annotate(text)
}

// directive returns the tokens of a directive at off.
func directive(text string, off int) (list []isa.Token) {
	for i := 0; i < len(text); {
		n := i
		for n < len(text) && nameByte(text[n]) {
			n++
		}
		kind := isa.TokenLabel
		switch {
		case n == i:
			i++
			continue
		case len(list) == 0:
			kind = isa.TokenMnemonic
		case text[i] >= '0' && text[i] <= '9':
			kind = isa.TokenImmediate
		}
		list = append(list, isa.Token{Kind: kind, Start: off + i, End: off + n})
		i = n
	}
	return list
}

func nameByte(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// Expected returns what can stand at a byte of the source. Its offsets count from the start of the source. In place of a
// branch target, it also returns the labels, as words. At the start of a statement, it also returns the directives.
func (d *Document) Expected(off int) []asm.Expected {
	n := d.Line(off)
	l := &d.lines[n]
	text, start := d.withoutLabels(n)
	if off < start || off > start+len(text) {
		return nil // in a label or a comment
	}
	d.resume(l)
	typed := text[:off-start]
	var list []asm.Expected
	if !strings.ContainsAny(typed, blanks) {
		for _, name := range directiveNames() {
			if strings.HasPrefix(name, typed) && name != typed {
				list = append(list, asm.Expected{Kind: asm.ExpectedWord, Text: name})
			}
		}
	}
	for _, x := range d.assembler.Parser.Expected(text, off-start) {
		if list = append(list, x); x.Kind == asm.ExpectedTarget {
			for _, s := range d.Symbols() {
				if strings.HasPrefix(s.Name, typed[x.Off:]) && s.Name != typed[x.Off:] {
					list = append(list, asm.Expected{Kind: asm.ExpectedWord, Off: x.Off, Text: s.Name, Field: x.Field, Leaf: x.Leaf})
				}
			}
		}
	}
	for i := range list {
		list[i].Off += start
	}
	return list
}
