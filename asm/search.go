package asm

import (
	"cmp"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// This file searches for the bits that settle what propagation leaves open. Bits are tried from the
// least significant of each field upwards: what is known of the low bits of the operands of a sum, a
// product or a shift decides the low bits of its value, so that a wrong bit is found out at once and
// fields of any width can be solved for. Of quotients and remainders the high bits decide.

// solver is the state of the search for one instruction.
type solver struct {
	trials, all int
	bits        []freeBit
}

// freeBit is an unknown bit.
type freeBit struct {
	space uint8
	low   int16
	// rank is its place in its field.
	rank int16
}

// givenBit is a bit with its value.
type givenBit struct {
	freeBit
	value uint64
}

// setBit gives a bit a value; ok is false where it has the other one.
func (p *Parser) setBit(b freeBit, v uint64) (ok bool) {
	return p.setSome(b.space, int(b.low), 1, v, 1, p.pos)
}

// Limits of the search: the unknown bits that are listed, the bits that are tried for one way to read
// a line, within which is every combination of 16 bits, and for all ways.
const (
	maxFree      = 256
	maxTrials    = 1 << 17
	maxAllTrials = 1 << 19
)

// find looks for values of unknown bits with which every constraint holds, and leaves those that
// matter known. Where there are none it leaves everything as it was.
func (p *Parser) find() bool {
	c, ok := p.firstOpen()
	if c == nil {
		return ok
	}
	return p.try(c, slices.Clone(p.freeBits(c)))
}

// firstOpen returns the first constraint that is not settled; ok is false where one is broken.
func (p *Parser) firstOpen() (first *constraint, ok bool) {
	for i := range p.cons {
		if p.cons[i].done {
			continue
		}
		switch p.settle(&p.cons[i]) {
		case broken:
			return nil, false
		case open:
			if first == nil {
				first = &p.cons[i]
			}
		}
	}
	return first, true
}

// try gives the bits that c reads values, one after another.
func (p *Parser) try(c *constraint, free []freeBit) bool {
	for len(free) > 0 && p.spaces[free[0].space].known.Bit(int(free[0].low)) == 1 {
		free = free[1:]
	}
	if len(free) == 0 || p.settle(c) == holds {
		if next, ok := p.firstOpen(); !ok || next == c {
			return false
		}
		return p.find()
	}
	b := free[0]
	for v := range uint64(2) {
		if p.solver.trials++; p.solver.trials > maxTrials || p.solver.all+p.solver.trials > maxAllTrials {
			return false
		}
		mark := len(p.trail)
		if p.setBit(b, v) && p.propagate() != broken && p.try(c, free[1:]) {
			return true
		}
		p.undo(mark)
	}
	return false
}

// allFree lists the unknown bits that constraints read, the most significant of the word first.
func (p *Parser) allFree() []freeBit {
	p.solver.bits = p.solver.bits[:0]
	for i := range p.cons {
		if c := &p.cons[i]; !c.done {
			p.freeIn(c.prog.Root, c.scope, 0)
		}
	}
	free := slices.Clone(p.solver.bits)
	slices.SortFunc(free, func(a, b freeBit) int {
		return cmp.Or(cmp.Compare(b.space, a.space), cmp.Compare(b.low, a.low))
	})
	return free
}

// minimise makes the word that find found the smallest: each bit of free, from the most significant,
// is 0 if that can be. The trail behind mark is what find has done.
func (p *Parser) minimise(free []freeBit, mark int) bool {
	found := p.values(free)
	p.undo(mark)
	for i, b := range free {
		decided := len(p.trail)
		if found[i] == 1 && p.without(b) {
			copy(found[i:], p.values(free[i:]))
			p.undo(decided)
		}
		p.setBit(b, found[i])
	}
	return p.propagate() == holds || p.find()
}

// without looks for a solution in which a bit is 0; where there is none it leaves everything as it
// was.
func (p *Parser) without(b freeBit) bool {
	mark := len(p.trail)
	if p.setBit(b, 0) && p.propagate() != broken && p.find() {
		return true
	}
	p.undo(mark)
	return false
}

// values returns the values of bits, 0 for one that is unknown.
func (p *Parser) values(list []freeBit) []uint64 {
	out := make([]uint64, len(list))
	for i, b := range list {
		s := &p.spaces[b.space]
		out[i] = s.val.Bit(int(b.low)) & s.known.Bit(int(b.low))
	}
	return out
}

// freeBits collects the unknown bits that a constraint reads, the low ones of all fields first.
// The result is valid until the next call.
func (p *Parser) freeBits(c *constraint) []freeBit {
	p.solver.bits = p.solver.bits[:0]
	p.freeIn(c.prog.Root, c.scope, 0)
	order := 1
	if divides(c.prog.Root, 0) { // where the high bits decide
		order = -1
	}
	slices.SortStableFunc(p.solver.bits, func(a, b freeBit) int { return order * cmp.Compare(a.rank, b.rank) })
	return p.solver.bits
}

// divides reports whether an expression has a quotient or a remainder in it.
func divides(n *model.Node, depth int) bool {
	switch {
	case n == nil || depth > maxDivides:
		return false
	case n.Op == spec.OpDiv || n.Op == spec.OpMod:
		return true
	}
	for i := range n.Alts {
		if ref := n.Alts[i].Ref; ref != nil && ref.Prog != nil && divides(ref.Prog.Root, depth+1) {
			return true
		}
	}
	return divides(n.X, depth) || divides(n.Y, depth) || divides(n.Z, depth)
}

// maxDivides bounds the computed values inside each other of which divides is asked.
const maxDivides = 4

// maxLooseDepth bounds the walk through derived fields.
const maxLooseDepth = 32

// freeIn collects the unknown bits that an expression reads, the lowest first within a field.
func (p *Parser) freeIn(n *model.Node, scope int32, depth int) {
	if n == nil || depth > maxLooseDepth || p.work > maxWork {
		return
	}
	if n.Test != nil && !n.Test.Context {
		p.freeInTest(n.Test, &p.scopes[p.up(scope, n.Test.ScopeDepth)])
		return
	}
	p.work += len(n.Alts)
	for i := range n.Alts {
		a := &n.Alts[i]
		if a.Cond != nil {
			p.freeIn(a.Cond.Root, p.up(scope, a.CondDepth), depth+1)
		}
		if a.Ref != nil {
			p.freeRef(a.Ref, scope, depth)
		}
	}
	p.freeIn(n.X, scope, depth)
	p.freeIn(n.Y, scope, depth)
	p.freeIn(n.Z, scope, depth)
}

// freeInTest is freeIn for a test, which reads some bits of its fields alone.
func (p *Parser) freeInTest(t *model.Test, s *scope) {
	for mask := t.Mask; mask != 0; mask &= mask - 1 {
		for low, width := range s.pieces([]spec.Part{{Low: t.Low + mathbits.TrailingZeros64(mask), Width: 1}}) {
			p.freeRun(s.space, low, width)
		}
	}
}

func (p *Parser) freeRef(ref *model.Ref, scope int32, depth int) {
	if ref.Context != nil {
		p.freeRun(spaceContext, ref.Low, ref.Width)
		return
	}
	scope = p.up(scope, ref.ScopeDepth)
	if ref.Prog != nil {
		p.freeIn(ref.Prog.Root, scope, depth+1)
		return
	}
	if s, ok := p.enter(ref, scope); ok {
		for low, width := range s.pieces(ref.Field.Parts) {
			p.freeRun(s.space, low, width)
		}
	}
}

func (p *Parser) freeRun(sp uint8, low, width int) {
	if low == zeros {
		return
	}
	known := &p.spaces[sp].known
	for i := low; i < low+width && len(p.solver.bits) <= maxFree; i++ {
		b := freeBit{sp, int16(i), int16(i - low)}
		if known.Bit(i) == 0 && !p.isFree(b) {
			p.solver.bits = append(p.solver.bits, b)
		}
	}
}

func (p *Parser) isFree(b freeBit) bool {
	return slices.ContainsFunc(p.solver.bits, func(x freeBit) bool { return x.space == b.space && x.low == b.low })
}
