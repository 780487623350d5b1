package isa

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// FindingKind is what a finding is about.
type FindingKind uint8

// The kinds of findings in a word.
const (
	NoMatch FindingKind = iota
	Conflict
	DontCare
	NoField
	Unexpected
	NoDisplay
	NoEntry
	TooDeep
	Cycle
)

// Finding is something in a word that is not as the description expects. The word is decoded all
// the same.
type Finding struct {
	Kind FindingKind
	// Text is the message, in isaspec's words where isaspec has some.
	Text string
}

// finding is a finding as it is kept: what its text is made of when somebody reads it.
type finding struct {
	kind FindingKind
	// leaf is the one in which it was found, of whose field ref; other is a second one that matches.
	leaf, other *model.Leaf
	ref         *model.Ref
	prog        *model.Prog
	assert      *spec.Pattern
	// bitset is the one that has the assert.
	bitset *spec.Bitset
	// name is one that resolves nowhere.
	name  *string
	value bits.Value
	// number and most are of an entry and of the entries that there are, or of operands.
	number, most int
}

// addFinding keeps a finding.
func (d *Decoder) addFinding(f finding) {
	if f.kind == NoEntry { // which several paths can enter
		for i := range d.findings {
			if x := &d.findings[i]; x.kind == NoEntry && x.ref.Field.Table == f.ref.Field.Table && x.number == f.number {
				return
			}
		}
	}
	d.findings = append(d.findings, f)
}

// dropFindings forgets the findings but for the first n: nobody asked for the others.
func (d *Decoder) dropFindings(n int) { d.findings = d.findings[:n] }

// NumFindings returns the number of findings of the last Decode and the printing since.
func (d *Decoder) NumFindings() int { return len(d.findings) }

// Findings returns what was found by the last Decode and the printing since. The slice is reused; making
// the texts takes longer than printing an instruction, so that Odd is the way to ask whether there are any.
func (d *Decoder) Findings() []Finding {
	d.reported = d.reported[:0]
	for i := range d.findings {
		d.reported = append(d.reported, Finding{d.findings[i].kind, string(d.appendFinding(nil, &d.findings[i]))})
	}
	return d.reported
}

// AppendFinding appends the text of a finding, by its number from 0 below Odd.
func (d *Decoder) AppendFinding(dst []byte, i int) []byte {
	return d.appendFinding(dst, &d.findings[i])
}

func (d *Decoder) appendFinding(dst []byte, f *finding) []byte {
	switch f.kind {
	case NoMatch:
		dst = append(append(dst, "no match: FIELD: '"...), f.leaf.Spec.DisplayName...)
		dst = append(append(append(dst, '.'), f.ref.Field.Name...), "': "...)
		return d.appendHex(dst, f.value)
	case Conflict:
		dst = append(append(dst, "bitset conflict: "...), f.leaf.Spec.DisplayName...)
		return append(append(dst, " vs "...), f.other.Spec.DisplayName...)
	case DontCare:
		dst = append(append(dst, "dontcare bits in "...), f.leaf.Spec.DisplayName...)
		return d.appendHex(append(dst, ": "...), f.value)
	case NoField:
		return append(append(append(dst, "no field '"...), *f.name...), '\'')
	case Unexpected:
		dst = strconv.AppendInt(append(dst, "WARNING: unexpected bits["...), int64(f.assert.Low), 10)
		dst = strconv.AppendInt(append(dst, ':'), int64(f.assert.High), 10)
		dst = append(append(append(dst, "] in "...), f.bitset.DisplayName...), ": "...)
		dst = d.appendHex(dst, f.value.Shr(f.assert.Low))
		return d.appendHex(append(dst, " vs "...), f.assert.Match.Shr(f.assert.Low))
	case NoDisplay:
		return append(append(dst, f.leaf.Spec.DisplayName...), ": no display template"...)
	case NoEntry:
		return model.AppendNoEntry(dst, f.ref.Field.Table, uint64(f.number), f.most)
	case TooDeep:
		if f.number > 0 {
			return fmt.Appendf(dst, "more than %d operands in %s", f.number, f.ref.Field.Name)
		}
		return fmt.Appendf(dst, "operands nested more than %d deep in %s", f.most, f.ref.Field.Name)
	}
	return append(append(dst, "expression needs its own value: "...), strings.Join(strings.Fields(f.prog.Spec.Text), " ")...)
}

// appendHex formats a value as wide as the instruction, as the findings of isaspec have it.
func (d *Decoder) appendHex(dst []byte, v bits.Value) []byte {
	return v.AppendHex(dst, (d.root.Size+31)/32*8)
}
