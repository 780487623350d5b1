package view

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
)

// Forms lists the instructions that have a mnemonic or a name. It ignores case.
func Forms(set *isa.Set, mnemonic string) []*isa.Leaf {
	var list []*isa.Leaf
	for _, r := range set.InstructionRoots() {
		for _, l := range r.Leaves {
			if slices.ContainsFunc(append(l.Mnemonics(), l.Display, l.Name), func(s string) bool { return strings.EqualFold(s, mnemonic) }) {
				list = append(list, l)
			}
		}
	}
	return list
}

// ExplainForm draws an encoding without values: its bits, its fields, the findings that it may have, and words that decode to
// it.
func ExplainForm(w io.Writer, d *isa.Decoder, l *isa.Leaf, p Palette, opt ExplainOptions) error {
	e := newExplainer(w, p, opt)
	e.form = true
	e.printf("%s\n", p.paint(tokenColours[isa.TokenMnemonic], flat(l.Template())))
	e.printf("%s\n", p.paint(dim, fmt.Sprintf("%s, %d bits", title(d.Set(), isa.Inst{Leaf: l}), l.Size)))
	e.docs(d.Set(), l)
	in := isa.Inst{Leaf: l, Bits: l.Match}
	fields := d.Fields(nil, in)
	e.drawWord(in, fields)
	e.derived(fields)
	e.warned(l)
	if e.Facts != nil {
		e.quirks(e.Facts.QuirksOfLeaf(l))
	}
	e.examples(d, l)
	return e.err
}

// warned lists the hazards of an instruction.
func (e *explainer) warned(l *isa.Leaf) {
	first := true
	for b := inside.Leaf(l).Spec; b != nil; b = b.Extends {
		for _, h := range b.Hazards {
			if first {
				e.printf("\n  asm and lint warn about:\n")
				first = false
			}
			e.printf("%s\n", hang(h.Name+": "+h.Text, "    ", "      ", e.Width))
		}
	}
}

// exampleTries is the number of random words that examples tries. The words are the same each time. exampleCount is the
// maximum number of examples.
const (
	exampleTries = 400
	exampleCount = 3
)

// examples prints a few words of a leaf that have no findings and no hazards, with texts of different lengths.
func (e *explainer) examples(d *isa.Decoder, l *isa.Leaf) {
	random := rand.New(rand.NewPCG(1, uint64(l.ID)))
	type example struct{ text, word string }
	var list []example
	var found []isa.Hazard
	for try := range exampleTries {
		var word bits.Value
		for i := range word {
			word[i] = random.Uint64()
		}
		if try == 0 {
			word = bits.Value{}
		}
		word = word.AndNot(l.Mask).AndNot(l.DontCare).Or(l.Match).And(bits.Ones(l.Size))
		in, ok := d.Decode(word)
		if !ok || in.Leaf != l {
			continue
		}
		text := string(d.Append(nil, in))
		if found = d.Hazards(found[:0], in); d.NumFindings() > 0 || len(found) > 0 {
			continue
		}
		if !slices.ContainsFunc(list, func(x example) bool { return x.text == text }) {
			list = append(list, example{text, string(word.AppendHex(nil, (l.Size+3)/4))})
		}
	}
	slices.SortStableFunc(list, func(a, b example) int { return len(a.text) - len(b.text) })
	if len(list) > exampleCount { // the shortest, one of the middle, and one of the longer
		list = []example{list[0], list[len(list)/2], list[len(list)*9/10]}
	}
	if len(list) > 0 {
		e.printf("\n  Examples:\n")
	}
	for _, x := range list {
		e.printf("    %s  %s\n", e.p.paint(dim, x.word), flat(x.text))
	}
}

// formRows makes a row for each field of a form, with its type in place of a value.
func (e *explainer) formRows(list []legend) (rows [][]string) {
	for _, l := range list {
		f := l.field
		rows = append(rows, []string{string(rune(l.letter)), where(f.Parts), f.Path, strings.TrimPrefix(f.Type, "#"), "", flat(f.Doc)})
	}
	return rows
}

// Entry prints an instruction or a register in a list: its name, padded to a number of columns, its text, and the first
// sentence of its documentation.
func Entry(w io.Writer, p Palette, name, text, doc string, columns, width int) {
	e := newExplainer(w, p, ExplainOptions{Width: width})
	doc, _, _ = strings.Cut(doc, ". ")
	pad := strings.Repeat(" ", max(0, columns-len(name)))
	e.printf("  %s%s  %s\n", p.paint(tokenColours[isa.TokenMnemonic], name), pad, text)
	if doc != "" {
		e.printf("%s\n", wrap(strings.TrimSuffix(doc, ".")+".", strings.Repeat(" ", columns+4), e.Width))
	}
}
