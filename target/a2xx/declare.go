package a2xx

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// Symbol is a name that a source declares for registers or constants.
type Symbol struct {
	// Kind is the word after the @: attribute, varying, uniform, const, sampler, bool, loop.
	Kind string
	Name string
	// Prefix is the text before the number of a register, "" for plain numbers; First and Last are the numbers.
	Prefix      string
	First, Last int
	// Values are those of a const, as in the source.
	Values []string

	span diag.Span
	bits []uint32 // of the values that a shader file holds
}

// names are the names that a source declares.
type names struct {
	a    *Assembler
	set  *isa.Set
	list []Symbol
	// byName has the index of each name in list, failedName for those of headers that could not be read, which
	// was reported there: instructions with such a name fail without another message.
	byName map[string]int
}

const failedName = -1

func newNames(a *Assembler) names { return names{a: a, set: a.m.set, byName: map[string]int{}} }

func (n *names) forget() {
	n.list = n.list[:0]
	clear(n.byName)
}

// failed declares the name with which the rest of a header starts, if it has one and no header before has it.
func (n *names) failed(rest string) {
	name := identifier(strings.TrimSpace(rest))
	if _, ok := n.byName[name]; !ok && n.isName(name) {
		n.byName[name] = failedName
	}
}

// isName reports whether a header can declare a name.
func (n *names) isName(name string) bool {
	return name != "" && !n.isRegister(name) && !strings.Contains(name, ".")
}

// headers are the kinds of headers. Of which registers they are, a file or view of the description says. The
// registers of shared ones may overlap.
var headers = map[string]struct {
	shared bool
	hex    bool   // as its numbers are written
	file   string // of the registers, "" for that of the header's name
}{
	"attribute": {shared: true},
	"varying":   {shared: true},
	"uniform":   {},
	"const":     {},
	"sampler":   {},
	"bool":      {hex: true, file: "bools"},
	"loop":      {},
}

// bank is the registers that a header is of: how many there are, and what stands before their numbers, which
// for a view is the name of its file.
type bank struct {
	prefix string
	size   int
}

// fileOf returns the name of the file or view that a kind of headers is of.
func fileOf(kind string) string { return cmp.Or(headers[kind].file, kind) }

// bankOf returns the registers of a kind of headers, none where the description has no such file.
func bankOf(set *isa.Set, kind string) bank {
	f := set.File(fileOf(kind))
	switch {
	case f == nil:
		return bank{}
	case f.Of == nil:
		return bank{"", f.Count}
	}
	return bank{f.Of.Name, f.Count}
}

// header reads a line such as "@uniform(C0-C3) matrix". Without registers those that follow the
// highest so far of the bank are taken.
func (n *names) header(text string, off int) {
	end, text := off+len(text), text[1:]
	word := identifier(text)
	h, ok := headers[strings.ToLower(word)]
	if !ok {
		n.a.fail(diag.Directive, off, off+1+len(word), "unknown header @%s, expected @attribute, @varying, @uniform, @const, @sampler, @bool or @loop", word)
		return
	}
	kind := strings.ToLower(word)
	regs := bankOf(n.set, kind)
	s := Symbol{Kind: kind, Prefix: regs.prefix, First: -1, span: n.a.span(off, end)}
	rest := strings.TrimSpace(text[len(word):])
	if strings.HasPrefix(rest, "(") {
		inside, behind, closed := strings.Cut(rest[1:], ")")
		first, last, isRange := strings.Cut(inside, "-")
		s.First, ok = regs.register(first)
		s.Last = s.First
		if ok && isRange {
			s.Last, ok = regs.register(last)
		}
		if !closed || !ok || s.Last < s.First {
			n.a.fail(diag.RegisterUse, off, end, "(%s, expected %s", rest[1:], regs.expected())
			n.failed(behind)
			return
		}
		rest = strings.TrimSpace(behind)
	}
	n.named(&s, rest, off, end, regs.size, h.shared)
}

// expected describes the registers.
func (b bank) expected() string {
	last := strconv.Itoa(b.size - 1)
	if b.prefix == "" {
		return "a number from 0 to " + last + " in parentheses"
	}
	return "(" + b.prefix + "0) to (" + b.prefix + last + "), or a range such as (" + b.prefix + "0-" + b.prefix + "3)"
}

// register reads the name of a register.
func (b bank) register(text string) (int, bool) {
	text = strings.TrimSpace(text)
	if len(text) < len(b.prefix) || !strings.EqualFold(text[:len(b.prefix)], b.prefix) {
		return -1, false
	}
	text = text[len(b.prefix):]
	base := 10
	if b.prefix == "" && (strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")) {
		base, text = 16, text[2:]
	}
	v, err := strconv.ParseUint(text, base, 16)
	return int(v), err == nil && int(v) < b.size
}

// named reads the name of a header, the number of its registers if these are not given, and values.
func (n *names) named(s *Symbol, rest string, off, end, size int, shared bool) {
	s.Name = identifier(rest)
	defer n.failed(s.Name)
	rest = strings.TrimSpace(rest[len(s.Name):])
	count := 1
	if strings.HasPrefix(rest, "[") {
		inside, behind, _ := strings.Cut(rest[1:], "]")
		v, err := strconv.ParseUint(strings.TrimSpace(inside), 10, 16)
		if err != nil || v == 0 || s.First >= 0 && int(v) != s.Last-s.First+1 {
			n.a.fail(diag.RegisterUse, off, end, "[%s], expected the number of registers", inside)
			return
		}
		count, rest = int(v), strings.TrimSpace(behind)
	}
	if s.First < 0 {
		s.First = n.free(s.Kind)
		s.Last = s.First + count - 1
	}
	if s.Last >= size {
		n.a.fail(diag.SpaceFull, off, end, "not enough registers for @%s with %d registers: there are only %d", s.Kind, count, size)
		return
	}
	for _, v := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if _, err := strconv.ParseFloat(v, 32); err != nil || s.Kind != "const" {
			n.a.fail(diag.Directive, off, end, "unexpected %q after @%s", v, s.Kind)
			return
		}
		s.Values = append(s.Values, v)
	}
	n.declare(s, off, end, shared)
}

// free returns the number after the highest that is taken of what a kind names.
func (n *names) free(kind string) int {
	next := 0
	for i := range n.list {
		if n.same(n.list[i].Kind, kind) {
			next = max(next, n.list[i].Last+1)
		}
	}
	return next
}

// same reports whether two kinds name the same registers.
func (n *names) same(a, b string) bool {
	prefix := bankOf(n.set, a).prefix
	return a == b || prefix != "" && prefix == bankOf(n.set, b).prefix
}

func (n *names) declare(s *Symbol, off, end int, shared bool) {
	if o := n.overlapped(s); o != nil && !shared {
		n.a.errs = append(n.a.errs, errorf(diag.Duplicate, s.span, "@%s overlaps another declaration", s.Kind).With(o.span, "the other declaration"))
		return
	}
	n.list = append(n.list, *s)
	if len(s.Values) > 0 {
		n.a.out.Consts = append(n.a.out.Consts, *s)
	}
	if s.Name == "" && s.Kind == "const" {
		return
	}
	switch at, taken := n.byName[s.Name]; {
	case !n.isName(s.Name):
		n.a.fail(diag.Directive, off, end, "%q, expected a name after @%s", s.Name, s.Kind)
	case taken && (at == failedName || n.list[at].Kind != s.Kind):
		n.a.fail(diag.Duplicate, off, end, "%s is declared twice", s.Name)
	default:
		n.byName[s.Name] = len(n.list) - 1
		n.a.out.Symbols = append(n.a.out.Symbols, *s)
	}
}

// overlapped returns what is declared of registers of a symbol, nil for none.
func (n *names) overlapped(s *Symbol) *Symbol {
	for i := range n.list {
		if o := &n.list[i]; n.same(o.Kind, s.Kind) && s.First <= o.Last && o.First <= s.Last {
			return o
		}
	}
	return nil
}

// isRegister reports whether a name is that of a register, there or not.
func (n *names) isRegister(name string) bool {
	for kind := range headers {
		b := bank{bankOf(n.set, kind).prefix, 1 << 16}
		if _, ok := b.register(name); ok && b.prefix != "" {
			return true
		}
	}
	return false
}

// spellOut puts a text into a line, with registers in the places of names, and returns what is wrong with these. ok is
// false where a name is that of a header which could not be read.
func (n *names) spellOut(line *asm.Line, text string) (wrong []*asm.Error, ok bool) {
	line.Start(text)
	for i := 0; i < len(text) && len(n.byName) > 0; {
		word := identifier(text[i:])
		name, _, _ := strings.Cut(word, ".")
		at, known := n.byName[name]
		if !known || i > 0 && (nameByte(text[i-1], false) || text[i-1] == '@') {
			i += max(len(word), 1)
			continue
		}
		if at == failedName {
			return nil, false
		}
		line.Keep(i)
		size, problems := n.register(line, &n.list[at], text[i+len(name):])
		end := i + len(name) + size
		line.Replace(end)
		for _, p := range problems {
			wrong = append(wrong, &asm.Error{Code: diag.RegisterUse, Off: i, End: end, Msg: p})
		}
		i = end
	}
	line.Keep(len(text))
	return wrong, true
}

// register puts the register that a name stands for into a line, and returns the length of the index after the name,
// a number, an address register, or their sum, and what is wrong with it.
func (n *names) register(line *asm.Line, s *Symbol, behind string) (size int, wrong []string) {
	number, index := s.First, ""
	if strings.HasPrefix(behind, "[") {
		inside, _, closed := strings.Cut(behind[1:], "]")
		if size = len(inside) + 2; !closed {
			size = len(inside) + 1
		}
		for _, part := range strings.Split(inside, "+") {
			part = strings.TrimSpace(part)
			v, err := strconv.ParseUint(part, 10, 16)
			switch {
			case err == nil:
				number += int(v)
			case index == "" && part != "":
				index = "[" + part + "]"
			default:
				wrong = append(wrong, "["+inside+"], expected a number, an address register or their sum")
			}
		}
	}
	if number > s.Last {
		wrong = append(wrong, fmt.Sprintf("%s has %d registers", s.Name, s.Last-s.First+1))
	}
	base := 10
	switch {
	case s.Prefix != "":
		line.Text = append(line.Text, s.Prefix...)
	case headers[s.Kind].hex:
		line.Text, base = append(line.Text, "0x"...), 16
	}
	line.Text = append(strconv.AppendInt(line.Text, int64(number), base), index...)
	return size, wrong
}
