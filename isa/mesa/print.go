// Package mesa prints words in the same way as the decoder that Mesa's isaspec generates, including its
// defects.
//
// If the decoder of package isa is known to print the same text for a word, this package uses that
// decoder. Otherwise it applies Mesa's rules step by step. The rules were found by observing the output
// of Mesa's decoder. docs/language.md lists the differences from package isa.
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

// Printer prints the words of one root of a description that is not strict. It is not safe for
// concurrent use.
type Printer struct {
	// Label returns the name of a branch target. index is the target, as the index of an instruction.
	// call reports whether the branch is a call. If ok is false or Label is nil, the target is printed
	// as a number.
	Label func(index int64, call bool) (name string, ok bool)
	// Custom appends the text of a field of type custom to dst. If Custom is nil, the field has no text.
	Custom func(dst []byte, field string, value uint64) []byte
	// Index is the index of the instruction in the program. Relative branch targets are relative to
	// Index.
	Index int64
	// If Stepwise is true, the Printer applies Mesa's rules step by step to each word. The text is the
	// same, but printing takes about ten times as long.
	Stepwise bool

	machine *model.Machine
	root    *model.Root
	decoder *isa.Decoder
	unit    int64 // the unit of branch targets, in bits
	steps   steps
	leaves  []leaf // by Leaf.ID
	alike   alike
	found   findings
}

// leaf is the state of a leaf. met is the number of its words that were printed before the leaf was
// judged. same and padded are the results of judge if judged is true.
type leaf struct {
	met                  uint8
	judged, same, padded bool
}

// minWords is the number of words of a leaf that are printed step by step before judge examines the
// leaf.
const minWords = 8

// New returns a Printer for the root with the given name. The empty name selects the root of the
// instructions. It returns an error if there is no such root or if the description is strict.
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

// Append appends the text of a word to dst and records its findings. It may overwrite up to 64 bytes
// after the text. For an unknown word, ok is false and dst is returned unchanged.
func (p *Printer) Append(dst []byte, word bits.Value) (text []byte, ok bool) {
	if p.Stepwise || !p.alike.ours {
		return p.steps.word(dst, p.root.Spec, word)
	}
	in, ok := p.decoder.Decode(word)
	nonconforming := p.decoder.NumFindings() > 0
	switch {
	case !ok && !nonconforming:
		return dst, false
	case !ok || in.Bits != word || !p.same(in) || nonconforming && !p.alike.findings:
		return p.steps.word(dst, p.root.Spec, word)
	}
	p.decoder.Addr = p.Index * p.unit
	text = p.decoder.Append(dst, in)
	if nonconforming = p.decoder.NumFindings() > 0; nonconforming && !p.alike.findings || p.leaves[in.Leaf.ID].padded && !ascii(text[len(dst):]) {
		return p.steps.word(text[:len(dst)], p.root.Spec, word)
	}
	for i := range p.decoder.NumFindings() {
		p.found.text = p.decoder.AppendFinding(p.found.text, i)
		p.found.end()
	}
	return text, true
}

// same reports whether the decoder is known to print an instruction in the same way as Mesa's decoder.
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

// ascii reports whether every character of a text is a single byte.
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

// label returns the name of a target. It truncates the index of the target to 32 bits.
func (p *Printer) label(index int64, call bool) (name string, ok bool) {
	if p.Label == nil {
		return "", false
	}
	return p.Label(int64(int32(index)), call)
}

// findings holds the concatenated texts of findings.
type findings struct {
	text []byte
	ends []int
}

// end records the end of a finding after its text was appended.
func (f *findings) end() { f.ends = append(f.ends, len(f.text)) }

// NumFindings returns the number of findings since the last Reset.
func (p *Printer) NumFindings() int { return len(p.found.ends) }

// Finding returns finding i in isaspec's wording. i is at least 0 and less than NumFindings. The result
// is valid until the next Append or Reset.
func (p *Printer) Finding(i int) []byte {
	from := 0
	if i > 0 {
		from = p.found.ends[i-1]
	}
	return p.found.text[from:p.found.ends[i]]
}

// Findings returns the findings since the last Reset, in isaspec's wording.
func (p *Printer) Findings() []string {
	var list []string
	for i := range p.NumFindings() {
		list = append(list, string(p.Finding(i)))
	}
	return list
}

// Reset discards the findings.
func (p *Printer) Reset() { p.found.text, p.found.ends = p.found.text[:0], p.found.ends[:0] }
