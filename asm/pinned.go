package asm

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Other things than a label may also give bits of a branch target: a pattern, an expression without fields, an operand
// in the same text. A label would then be right only until the program changes, so Lossless prints a number instead.

// leftOpen is a condition that always holds. It marks a branch target whose label is left open.
var leftOpen = model.Prog{Root: &model.Node{Op: spec.OpConst, Value: 1}}

// pins reports whether something else in a line also gives bits of one of its branch targets.
func (p *Parser) pins(line []byte) bool {
	p.pinning, p.pinned = true, false
	_, ok := p.Try(string(line))
	p.pinning = false
	return !ok || p.pinned
}

// notePinned is called after the whole line. It sets pinned if bits of a branch target are known although its label
// gave none. Zeros that the target has in every word, because it is a multiple, do not count.
func (m *matcher) notePinned() {
	if !m.pinning {
		return
	}
	m.pinned = false
	for i := range m.cons {
		if c := &m.cons[i]; c.prog == &leftOpen {
			alone := m.alone(c)
			m.pinned = m.pinned || alone.val != 0 || alone.known() || m.reference(c.ref, c.scope, true) != alone
		}
	}
}

// alone returns a branch target computed with no known bits except the contexts.
func (sv *solver) alone(c *constraint) (t ternary) {
	contexts := sv.spaces[spaceContext].known
	sv.supposing(bits.Value{}, func() {
		sv.spaces[spaceContext].known = contexts
		t = sv.reference(c.ref, c.scope, true)
	})
	return t
}
