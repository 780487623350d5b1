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

// The kinds of findings.
const (
	NoMatch    FindingKind = iota // no leaf matches the value of a nested bitset
	Conflict                      // two leaves match
	DontCare                      // an ignored bit is 1
	NoField                       // a display or an expression uses an undefined name
	Unexpected                    // bits differ from the value that the description expects
	NoDisplay                     // the leaf has no display that applies
	NoEntry                       // the table has no entry with the selected index
	TooDeep                       // operands are nested too deep or too numerous
	Cycle                         // an expression needs its own value
)

// Finding is a deviation of a word from its description, such as an ignored bit that is set. A word
// with findings still decodes, unless two leaves match the whole word.
type Finding struct {
	Kind FindingKind
	// Text is the message. If isaspec's tools report the same problem, Text has their wording.
	Text string
}

// finding is a finding before its text is formatted.
type finding struct {
	kind FindingKind
	// leaf is the leaf to which the finding belongs, and ref is the field. other is the second leaf of
	// a Conflict.
	leaf, other *model.Leaf
	ref         *model.Ref
	prog        *model.Prog
	assert      *spec.Pattern
	// bitset is the bitset with the failed assert.
	bitset *spec.Bitset
	// name is the undefined name.
	name  *string
	value bits.Value
	// number is the index of the missing entry or, for too many operands, the limit. most is the number
	// of entries in the table or the limit on the nesting depth.
	number, most int
}

// addFinding records a finding.
func (d *Decoder) addFinding(f finding) {
	if f.kind == NoEntry { // several paths may lead to the same entry
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

// NumFindings returns the number of findings from the last Decode and from the printing after it.
func (d *Decoder) NumFindings() int { return len(d.findings) }

// Findings returns the findings from the last Decode and from the printing after it. The next call
// reuses the slice. Formatting findings is slower than printing an instruction, so check NumFindings
// first.
func (d *Decoder) Findings() []Finding {
	d.reported = d.reported[:0]
	for i := range d.findings {
		d.reported = append(d.reported, Finding{d.findings[i].kind, string(d.appendFinding(nil, &d.findings[i]))})
	}
	return d.reported
}

// AppendFinding appends the text of finding i to dst. i is at least 0 and less than NumFindings.
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

// appendHex appends a value in hexadecimal. As in isaspec's findings, the value has as many digits as
// the longest instruction, rounded up to whole 32-bit words.
func (d *Decoder) appendHex(dst []byte, v bits.Value) []byte {
	return v.AppendHex(dst, (d.root.Size+31)/32*8)
}
