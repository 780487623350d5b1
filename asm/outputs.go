package asm

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/isa"
)

// outputRead returns an explanation for the error if the text names an output as a source operand. Otherwise it returns
// "".
func (p *Parser) outputRead(f *failure) string {
	end := p.outputAt(f.pos)
	if end == 0 {
		return ""
	}
	q := p.assistant()
	for _, text := range f.words() {
		for _, single := range []bool{true, false} { // other outputs may be sources as well
			var got [2]isa.Inst
			ok := true
			for n := range got {
				var res Result
				if res, ok = q.Try(p.replaced(f.pos, end, text+strconv.Itoa(n), single)); !ok {
					break
				}
				got[n] = res.Inst
			}
			if ok && p.readsDifferent(got) {
				return ": outputs cannot be read"
			}
		}
	}
	return ""
}

// outputAt returns the end of the name of an output at pos, or 0 if there is none.
func (p *Parser) outputAt(pos int) int {
	named := func(name string) int {
		if name == "" || len(p.raw)-pos <= len(name) || !strings.EqualFold(string(p.raw[pos:pos+len(name)]), name) {
			return 0
		}
		rest := p.raw[pos+len(name):]
		if rest[0] == '[' {
			return pos + len(name) + 1 + bytes.IndexByte(rest, ']')
		}
		digits := len(rest) - len(bytes.TrimLeft(rest, "0123456789"))
		if digits == 0 {
			return 0
		}
		return pos + len(name) + digits
	}
	for _, file := range p.set.Files() {
		if end := named(file.Name); end > pos && file.Use == "output" {
			return end
		}
	}
	for _, m := range p.set.Memories() {
		if end := named(m.Name); end > pos && m.Use == "output" {
			return end
		}
	}
	return 0
}

// replaced returns the line with the output from pos to end replaced with text. If single is false, it also replaces all
// later outputs.
func (p *Parser) replaced(pos, end int, text string, single bool) string {
	out := append(slices.Clone(p.raw[:pos]), text...)
	for at := end; at < len(p.raw); at++ {
		if next := p.outputAt(at); next > 0 && !single && !isSymbolByte(p.raw[at-1], false) {
			out, at = append(out, text...), next-1
			continue
		}
		out = append(out, p.raw[at])
	}
	return string(out)
}

// readsDifferent reports whether two instructions differ in the register of a source operand.
func (p *Parser) readsDifferent(in [2]isa.Inst) bool {
	d, err := p.set.NewDecoder(p.root.Name)
	if err != nil {
		return false
	}
	d.SetContext(p.context)
	a := d.Operands(nil, in[0])
	for i, b := range d.Operands(nil, in[1]) {
		if i < len(a) && a[i].Register != b.Register && b.Role == isa.Read {
			return true
		}
	}
	return false
}
