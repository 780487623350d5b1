// Package mesa prints words exactly as the decoder that Mesa's isaspec generates, defects included.
//
// A word is printed by the decoder of package isa if its text is the same either way; otherwise this package follows
// Mesa's rules step by step. The rules were found by observing the output of Mesa's decoder. docs/language.md lists the
// differences from package isa.
package mesa

import (
	"fmt"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Printer prints the words of one root of a description that is not strict. It is not for use by several
// goroutines at once.
type Printer struct {
	// Label names the target of a branch, an instruction's index; ok is false where the target is to
	// be printed as a number. nil: numbers everywhere.
	Label func(index int64, call bool) (name string, ok bool)
	// Custom prints a field of type custom; nil prints nothing.
	Custom func(dst []byte, field string, value uint64) []byte
	// Index is that of the instruction in the program; relative targets count from it.
	Index int64
	// Stepwise follows Mesa's rules for each word. The text is the same, and takes ten times as long.
	Stepwise bool

	machine *model.Machine
	root    *model.Root
	decoder *isa.Decoder
	unit    int64 // of branch targets, in bits
	steps   steps
	leaves  []leaf // by Leaf.ID
	alike   alike
	found   findings
}

// leaf is what is known of a leaf: in how many words it was met, and whether the decoder prints it.
type leaf struct {
	met                  uint8
	judged, same, padded bool
}

// minWords is how many words of a leaf are printed step by step before it is worth a judgement.
const minWords = 8

// New returns a printer for a root, "" being that of instructions. The error tells that there is no such root,
// or that Mesa's tools do not read the description.
func New(set *isa.Set, root string) (*Printer, error) {
	machine := inside.Machine(set)
	if machine.ISA.Strict {
		return nil, fmt.Errorf("%s is strict: Mesa's tools do not read it", set.Name())
	}
	d, err := set.NewDecoder(root)
	if err != nil {
		return nil, err
	}
	p := &Printer{machine: machine, root: machine.Roots[d.Root().ID], decoder: d, unit: int64(d.Root().StoredSize(d.Root().Size))}
	p.leaves = make([]leaf, len(p.root.Leaves))
	p.steps = steps{
		hooks: p, leaves: map[*spec.Bitset][]*model.Leaf{}, exprs: map[*spec.Expr]*model.Node{}, texts: map[*spec.Template][]spec.MesaItem{},
	}
	first := map[string]int{}
	for i, b := range slices.Backward(machine.ISA.Bitsets) {
		first[b.Name] = i
	}
	for _, r := range machine.Roots {
		p.steps.words = max(p.steps.words, (r.Size+31)/32)
		leaves := slices.Clone(r.Leaves)
		slices.SortStableFunc(leaves, func(a, b *model.Leaf) int { return first[a.Name] - first[b.Name] })
		p.steps.leaves[r.Spec] = leaves
	}
	p.alike = p.description()
	d.Custom, d.Label = p.custom, func(addr int64, call bool) (string, bool) { return p.label(addr/p.unit, call) }
	return p, nil
}

// Append appends the text of a word to dst. Up to 64 bytes behind it may be overwritten. ok is false for an
// unknown word, of which nothing is printed. What is found is added to the findings.
func (p *Printer) Append(dst []byte, word bits.Value) (text []byte, ok bool) {
	if p.Stepwise || !p.alike.ours {
		return p.steps.word(dst, p.root.Spec, word)
	}
	in, ok := p.decoder.Decode(word)
	odd := p.decoder.NumFindings() > 0
	switch {
	case !ok && !odd:
		return dst, false
	case !ok || in.Bits != word || !p.same(in) || odd && !p.alike.findings:
		return p.steps.word(dst, p.root.Spec, word)
	}
	p.decoder.Addr = p.Index * p.unit
	text = p.decoder.Append(dst, in)
	if odd = p.decoder.NumFindings() > 0; odd && !p.alike.findings || p.leaves[in.Leaf.ID].padded && !ascii(text[len(dst):]) {
		return p.steps.word(text[:len(dst)], p.root.Spec, word)
	}
	for i := range p.decoder.NumFindings() {
		p.found.text = p.decoder.AppendFinding(p.found.text, i)
		p.found.end()
	}
	return text, true
}

// same reports whether the decoder prints an instruction as Mesa's does, as far as is known by now.
func (p *Printer) same(in isa.Inst) bool {
	l := &p.leaves[in.Leaf.ID]
	if l.judged {
		return l.same
	}
	if l.met++; l.met > minWords {
		l.judged = true
		l.same, l.padded = p.judge(p.root.Leaves[in.Leaf.ID])
	}
	return l.judged && l.same
}

// ascii reports whether a text has as many characters as bytes.
func ascii(text []byte) bool {
	for _, c := range text {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func (p *Printer) custom(dst []byte, field string, value uint64) []byte {
	if p.Custom == nil {
		return dst
	}
	return p.Custom(dst, field, value)
}

// label names a target, which is cut to 32 bits before.
func (p *Printer) label(index int64, call bool) (name string, ok bool) {
	if p.Label == nil {
		return "", false
	}
	return p.Label(int64(int32(index)), call)
}

// findings are texts, one behind the other.
type findings struct {
	text []byte
	ends []int
}

// end ends a finding, which was appended to the text.
func (f *findings) end() { f.ends = append(f.ends, len(f.text)) }

// NumFindings returns the number of findings since the last Reset.
func (p *Printer) NumFindings() int { return len(p.found.ends) }

// Finding returns a finding in isaspec's words, by its number from 0 below Odd. It is valid until the next Append
// or Reset.
func (p *Printer) Finding(i int) []byte {
	from := 0
	if i > 0 {
		from = p.found.ends[i-1]
	}
	return p.found.text[from:p.found.ends[i]]
}

// Findings returns what was found since the last Reset, in isaspec's words.
func (p *Printer) Findings() []string {
	var list []string
	for i := range p.NumFindings() {
		list = append(list, string(p.Finding(i)))
	}
	return list
}

// Reset forgets the findings.
func (p *Printer) Reset() { p.found.text, p.found.ends = p.found.text[:0], p.found.ends[:0] }
