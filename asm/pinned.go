package asm

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Bits of a branch target may be specified not only by its label, but also by a pattern, an expression without fields,
// or another operand. The label would then be correct only until the program changes, so Lossless prints a number
// instead.

// leftOpen is a condition that always holds. It marks a branch target whose label has set no bits.
var leftOpen = model.Prog{Root: &model.Node{Op: spec.OpConst, Value: 1}}

// pins reports whether anything other than the label specifies bits of a branch target in a line. It also returns true
// if the line cannot be parsed.
func (p *Parser) pins(line []byte) bool {
	p.pinning, p.pinned = true, false
	_, ok := p.Try(string(line))
	p.pinning = false
	return !ok || p.pinned
}

// notePinned is called after the whole line has been read. It sets pinned if bits of a branch target are known although
// the label has set no bits. Bits that are 0 in every word, such as the low bits of a multiple, do not count.
func (m *matcher) notePinned() {
	if !m.pinning {
		return
	}
	m.pinned = false
	for i := range m.cons {
		if c := &m.cons[i]; c.prog == &leftOpen {
			withoutLabel := m.withoutLabel(c)
			m.pinned = m.pinned || withoutLabel.val != 0 || withoutLabel.known() || m.reference(c.ref, c.scope, true) != withoutLabel
		}
	}
}

// withoutLabel evaluates a branch target with only the bits of the contexts known.
func (sv *solver) withoutLabel(c *constraint) (t ternary) {
	contexts := sv.spaces[spaceContext].known
	sv.supposing(bits.Value{}, func() {
		sv.spaces[spaceContext].known = contexts
		t = sv.reference(c.ref, c.scope, true)
	})
	return t
}
