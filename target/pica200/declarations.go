package pica200

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/program"
)

// declarations lists what the programs of the file declare. Not among them is what no driver gives the hardware: versions, the
// second words of descriptors, the numbers and sizes of labels, and bytes outside of every table.
func (f *SHBIN) declarations() ([]program.FileDeclaration, error) {
	var list []program.FileDeclaration
	for i := range f.DVLEs {
		w := declarationWriter{list: list, program: strconv.Itoa(i)}
		w.declare(&f.DVLEs[i])
		list = w.list
	}
	return list, nil
}

// declarationWriter collects the declarations of a program.
type declarationWriter struct {
	list    []program.FileDeclaration
	program string
}

// add adds a declaration, which is returned for what else is known of it.
func (w *declarationWriter) add(key, text string) *program.FileDeclaration {
	w.list = append(w.list, program.FileDeclaration{Program: w.program, Key: key, Text: text})
	return &w.list[len(w.list)-1]
}

// place adds a declaration of an address, given in words.
func (w *declarationWriter) place(key, text string, word uint32) {
	x := w.add(key, text)
	x.Place, x.Placed = wordBits*int64(word), true
}

// number adds a declaration of a number, unless the number is 0.
func (w *declarationWriter) number(key, text string, n uint8) {
	if n != 0 {
		w.add(key, fmt.Sprintf(text, n))
	}
}

func (w *declarationWriter) declare(d *DVLE) {
	w.add("stage", d.Type.String()+" shader").Feature = "stage " + d.Type.String()
	if d.Type == GeometryShader || d.GeometryMode != 0 {
		w.add("mode", "mode "+d.GeometryMode.String()).Feature = "mode " + d.GeometryMode.String()
	}
	w.number("variable", "%d vertices with all attributes", d.VariableCount)
	w.number("fixed", "%d vertices of mode fixed", d.FixedCount)
	w.number("start", "vertices of mode fixed from "+floatBank.name(0)[:1]+"%d", d.FixedStart)
	w.number("merge", "merge output maps %d", d.MergeOutmaps)
	w.place("entry", ".entry", d.Entry)
	w.place("end", "end", d.End)
	w.mask("inputs", inputBank, d.InputMask)
	w.mask("outputs", outputBank, d.OutputMask)
	for _, u := range program.SortDeclarations(d.Uniforms, func(u Uniform) int { return int(u.First)<<16 | int(u.Last) }) {
		w.add("uniform "+u.First.String(), u.declaration())
	}
	for _, c := range program.SortDeclarations(d.Constants, func(c Constant) int { return int(c.Type)<<16 | int(c.ID) }) {
		w.add("constant "+c.place(), c.declaration())
	}
	for _, o := range program.SortDeclarations(d.Outputs, func(o Output) int { return int(o.Register)<<8 | int(o.Mask) }) {
		w.add("output "+outputBank.name(int(o.Register)), o.declaration()).Feature = "semantic " + o.Semantic.String()
	}
	for _, l := range program.SortDeclarations(d.Labels, func(l Label) int { return int(l.Address) }) {
		w.place("label "+l.Name, "label "+quoted(l.Name), l.Address)
	}
}

// mask adds the registers of a mask.
func (w *declarationWriter) mask(key string, of bank, mask uint16) {
	var names []string
	for n := range outputRegisters {
		if mask>>n&1 != 0 {
			names = append(names, of.name(n))
		}
	}
	w.add(key, strings.TrimSpace(key+" "+strings.Join(names, ", ")))
}

// declaration returns the line of source for the registers of a uniform, each named.
func (u *Uniform) declaration() string {
	of, _, ok := u.First.place()
	last, _, ok2 := u.Last.place()
	switch {
	case !ok || !ok2 || of != last || u.Last < u.First:
		return u.line()
	case of == inputBank && u.First == u.Last:
		return fmt.Sprintf(".in %s %s", quoted(u.Name), u.First)
	}
	text := fmt.Sprintf(".%s %s@%s", of.word(), quoted(u.Name), u.First)
	if u.Last > u.First {
		text += fmt.Sprintf("[%d]", u.Last-u.First+1)
	}
	return text
}

// declaration returns the line of source that gives the register its value.
func (c *Constant) declaration() string {
	r, ok := c.Register()
	if !ok {
		return c.line()
	}
	if of, _, _ := r.place(); of != boolBank {
		return fmt.Sprintf(".set%s %s%s", constantLetters[of], r, c.sourceValue())
	}
	return fmt.Sprintf(".setb %s %s", r, c.sourceValue())
}

// declaration returns the line of source that says what the register carries.
func (o *Output) declaration() string {
	text := fmt.Sprintf(".out - %s %s.%s", o.Semantic, outputBank.name(int(o.Register)), o.Components())
	if more := o.Mask >> 4; more != 0 {
		text += fmt.Sprintf(", mask bits 0x%x", more<<4)
	}
	return text
}
