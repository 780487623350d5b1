package asm

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// A branch target may have bits that something else gives too: a pattern, an expression without fields,
// an operand that the same text shows. A label would then be right only as long as the program stays as
// it is, and source shows the number.

// leftOpen is the condition, which always holds, of a branch whose label is left open.
var leftOpen = model.Prog{Root: &model.Node{Op: spec.OpConst, Value: 1}}

// pins reports whether something else in a line gives bits of one of its branch targets too.
func (p *Parser) pins(line []byte) bool {
	p.pinning, p.pinned = true, false
	_, ok := p.Try(string(line))
	p.pinning = false
	return !ok || p.pinned
}

// notePinned notes, when all of a line has been read, whether bits of a branch target are known though
// the label gives none. Zeros in all words, of a target that is a multiple, leave labels their places.
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

// alone is what is known of a branch target where no bit is known.
func (sv *solver) alone(c *constraint) (t ternary) {
	contexts := sv.spaces[spaceContext].known
	sv.supposing(bits.Value{}, func() {
		sv.spaces[spaceContext].known = contexts
		t = sv.reference(c.ref, c.scope, true)
	})
	return t
}
