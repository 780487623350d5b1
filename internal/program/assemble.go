package program

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/isa"
)

// Code is an assembled program.
type Code struct{ Insts []Word }

// Word is an instruction, or data of a .word directive.
type Word struct {
	Addr int64 // in bits
	Word bits.Value
	Size int
	// Entries are the table entries, each instruction having its own.
	Entries []asm.Entry
}

// UsesTables tells whether an instruction has table entries.
func (c *Code) UsesTables() bool {
	for i := range c.Insts {
		if len(c.Insts[i].Entries) > 0 {
			return true
		}
	}
	return false
}

// Assemble reads a program without container: instructions, labels and .word directives, one a
// line. All mistakes are reported at once.
func Assemble(p *asm.Parser, set *isa.Set, src *diag.Source) (*Code, error) {
	a := assembler{p: p, set: set, src: src, labels: map[string]label{}}
	defer func() { p.Symbol = nil }()
	a.pass(true)
	if len(a.errs) == 0 {
		a.pass(false)
	}
	a.errs.Sort()
	return &a.code, a.errs.Err()
}

type label struct {
	addr int64
	span diag.Span
}

type assembler struct {
	p      *asm.Parser
	set    *isa.Set
	src    *diag.Source
	labels map[string]label
	code   Code
	addr   int64
	errs   diag.List
}

// pass reads the whole text. In the first pass names that are not defined yet stand for the
// instruction's own address, which is always in reach; only lengths and labels are kept.
func (a *assembler) pass(first bool) {
	a.addr, a.code.Insts = 0, nil
	a.p.Symbol = func(name string) (int64, bool) {
		l, ok := a.labels[name]
		if !ok && first {
			return a.addr, true
		}
		return l.addr, ok
	}
	off := 0
	for line := range strings.Lines(a.src.Text) {
		a.line(strings.TrimRight(line, "\r\n"), off, first)
		off += len(line)
	}
}

func (a *assembler) span(off, n int) diag.Span {
	return diag.Span{Src: a.src, Off: off, End: off + n}
}

func (a *assembler) line(text string, off int, first bool) {
	if c := a.set.Comment(); c != "" {
		text, _, _ = strings.Cut(text, c)
	}
	for {
		lead := len(text) - len(strings.TrimLeft(text, " \t"))
		text, off = text[lead:], off+lead
		name, rest, ok := strings.Cut(text, ":")
		if !ok || !isLabel(name) {
			break
		}
		if first {
			a.define(name, off)
		}
		text, off = rest, off+len(name)+1
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	if words, ok, err := ParseWord(text); ok || err != nil {
		a.data(words, err, off, len(strings.TrimSpace(text)))
		return
	}
	a.p.Addr = a.addr
	res, err := a.p.Parse(text)
	if err != nil {
		var e *asm.Error
		if errors.As(err, &e) {
			a.errs = append(a.errs, e.At(a.src, off))
		}
		return
	}
	w := Word{Addr: a.addr, Word: res.Inst.Bits, Size: res.Inst.Leaf.Size, Entries: append([]asm.Entry(nil), res.Entries...)}
	a.code.Insts = append(a.code.Insts, w)
	a.addr += int64(w.Size)
}

func (a *assembler) define(name string, off int) {
	span := a.span(off, len(name))
	if old, ok := a.labels[name]; ok {
		a.errs = append(a.errs, diag.Errorf(diag.Duplicate, span, "label %s is defined twice", name).With(old.span, "the other definition"))
		return
	}
	a.labels[name] = label{a.addr, span}
}

func (a *assembler) data(words []uint32, err error, off, n int) {
	if err != nil {
		a.errs = append(a.errs, diag.Errorf(diag.TextExpected, a.span(off, n), "%v", err))
		return
	}
	for _, w := range words {
		a.code.Insts = append(a.code.Insts, Word{Addr: a.addr, Word: bits.Of(uint64(w)), Size: 32})
		a.addr += 32
	}
}

// isLabel tells whether s is a name that can stand before a colon.
func isLabel(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// ParseWord reads a .word directive: 32-bit numbers separated by commas. ok is false for any other
// text.
func ParseWord(text string) (words []uint32, ok bool, err error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), ".word")
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return nil, false, nil
	}
	for _, part := range strings.Split(rest, ",") {
		v, err := strconv.ParseUint(strings.TrimSpace(part), 0, 32)
		if err != nil {
			return nil, true, fmt.Errorf("%q, expected a number of 32 bits such as 0x12ab34cd", strings.TrimSpace(part))
		}
		words = append(words, uint32(v))
	}
	return words, true, nil
}
