package isa

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// FindingKind is the kind of a Finding.
type FindingKind uint8

// Finding kinds.
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

// Finding is a deviation of a word from its description, such as an ignored bit that is set. The word
// decodes despite its findings, except for a Conflict.
type Finding struct {
	Kind FindingKind
	// Text is the message. It follows the wording of isaspec's tools where these report the same.
	Text string
}

// finding is a finding before its text is formatted.
type finding struct {
	kind FindingKind
	// leaf is the leaf that has the finding, and ref the field in it. other is the second leaf that
	// matches.
	leaf, other *model.Leaf
	ref         *model.Ref
	prog        *model.Prog
	assert      *spec.Pattern
	// bitset is the bitset with the failed assert.
	bitset *spec.Bitset
	// name is the undefined name.
	name  *string
	value bits.Value
	// number is an entry or a count of operands. most is the corresponding limit.
	number, most int
}

// addFinding records a finding.
func (d *Decoder) addFinding(f finding) {
	if f.kind == NoEntry { // several paths may reach the entry
		for i := range d.findings {
			if x := &d.findings[i]; x.kind == NoEntry && x.ref.Field.Table == f.ref.Field.Table && x.number == f.number {
				return
			}
		}
	}
	d.findings = append(d.findings, f)
}

// dropFindings discards all findings except the first n.
func (d *Decoder) dropFindings(n int) { d.findings = d.findings[:n] }

// NumFindings returns the number of findings of the last Decode and of printing since then.
func (d *Decoder) NumFindings() int { return len(d.findings) }

// Findings returns the findings of the last Decode and of printing since then. The next call reuses
// the slice. Formatting is slower than printing an instruction, so check NumFindings first.
func (d *Decoder) Findings() []Finding {
	d.reported = d.reported[:0]
	for i := range d.findings {
		d.reported = append(d.reported, Finding{d.findings[i].kind, string(d.appendFinding(nil, &d.findings[i]))})
	}
	return d.reported
}

// AppendFinding appends the text of a finding. i is at least 0 and less than NumFindings.
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

// appendHex formats a value with the digits of the instruction, as isaspec's findings do.
func (d *Decoder) appendHex(dst []byte, v bits.Value) []byte {
	return v.AppendHex(dst, (d.root.Size+31)/32*8)
}
