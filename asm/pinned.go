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
func (p *Parser) notePinned() {
	if !p.pinning {
		return
	}
	p.pinned = false
	for i := range p.cons {
		if c := &p.cons[i]; c.prog == &leftOpen {
			alone := p.alone(c)
			p.pinned = p.pinned || alone.val != 0 || alone.known() || p.reference(c.ref, c.scope, true) != alone
		}
	}
}

// alone is what is known of a branch target where no bit is known.
func (p *Parser) alone(c *constraint) (t ternary) {
	contexts := p.spaces[spaceContext].known
	p.supposing(bits.Value{}, func() {
		p.spaces[spaceContext].known = contexts
		t = p.reference(c.ref, c.scope, true)
	})
	return t
}
