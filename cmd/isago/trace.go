package main

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

// tracer tells of each instruction what it read and what it wrote, in one line.
type tracer struct {
	w       io.Writer
	set     *isa.Set
	palette view.Palette
	before  map[string]uint64
}

// traceWidth is the width of the column of instructions.
const traceWidth = 32

func (t *tracer) step(w *exec.Wave, pc, lanes uint64, after bool) {
	if lanes&1 == 0 {
		return
	}
	if !after {
		t.before = w.Values(0)
		return
	}
	text, length := t.instruction(w.Program, pc)
	now := w.Values(0)
	read, wrote := touched(w.Program, pc)
	for name, v := range now {
		if t.before[name] != v && !slices.Contains(wrote, name) {
			wrote = append(wrote, name)
		}
	}
	line := fmt.Sprintf("%4d  %s%s", pc, text, strings.Repeat(" ", max(0, traceWidth-length)))
	if text := registers(w, read, t.before); text != "" {
		line += "  " + t.palette.Dim(text)
	}
	if text := registers(w, wrote, now); text != "" {
		line += "  -> " + text
	}
	fmt.Fprintln(t.w, strings.TrimRight(line, " "))
}

// touched names the components of registers that an instruction reads and writes in any case: neither what it
// does on a condition, such as at the end of a loop, nor what an offset chooses.
func touched(p *exec.Program, pc uint64) (read, wrote []string) {
	code, err := p.Code(pc)
	if err != nil {
		return nil, nil
	}
	for i := range code.Insts {
		in := &code.Insts[i]
		list := &read
		if in.Op == sem.OpWrite {
			list = &wrote
		}
		if in.Op != sem.OpRead && in.Op != sem.OpWrite || in.Guard != sem.NoID || in.State.ReadOnly {
			continue
		}
		name := exec.Finding{State: in.State, Number: int(in.Imm), Comp: in.Comp}.Register()
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	return read, wrote
}

// registers gives components their values, those of one register together: v0.xy=1,2.
func registers(w *exec.Wave, names []string, values map[string]uint64) string {
	sort.SliceStable(names, func(i, j int) bool { return inTurn(names[i]) < inTurn(names[j]) })
	var list []string
	for i := 0; i < len(names); {
		base, letters, _ := strings.Cut(names[i], ".")
		numbers := []string{w.Text(names[i], values[names[i]])}
		for i++; i < len(names); i++ {
			next, letter, dotted := strings.Cut(names[i], ".")
			if next != base || !dotted {
				break
			}
			letters += letter
			numbers = append(numbers, w.Text(names[i], values[names[i]]))
		}
		if letters != "" {
			base += "." + letters
		}
		list = append(list, base+"="+strings.Join(numbers, ","))
	}
	return strings.Join(list, " ")
}

// inTurn is a name that sorts as people count: numbers by their length, w behind z.
func inTurn(name string) string {
	base, letter, _ := strings.Cut(name, ".")
	digits := strings.TrimLeft(base, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
	if letter == "w" {
		letter = "~"
	}
	return fmt.Sprintf("%s%8s.%s", strings.TrimSuffix(base, digits), digits, letter)
}

// instruction is the text of the one at an address, and how many characters it has.
func (t *tracer) instruction(p *exec.Program, pc uint64) (text string, length int) {
	v, ok := p.Fetch(pc)
	d, err := t.set.NewDecoder(p.Root.Name)
	if !ok || err != nil {
		return "?", 1
	}
	for i, table := range p.Words.Tables {
		d.SetTable(i, table)
	}
	d.SetContext(p.Words.Context)
	in, ok := d.Decode(v)
	if !ok {
		return "?", 1
	}
	return string(t.palette.Append(nil, d, in)), len(d.Append(nil, in))
}

// text is the instruction at an address.
func (t *tracer) text(p *exec.Program, pc uint64) string {
	text, _ := t.instruction(p, pc)
	return text
}
