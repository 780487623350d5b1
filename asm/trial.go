package asm

import (
	"cmp"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// This file searches for bits that satisfy the constraints that propagation leaves open. It tries the bits of each
// field in order, the least significant bit first, because the low bits of operands determine the low bits of a sum, a
// product or a left shift. The search therefore detects a wrong bit at once, and can solve fields of any width. For
// quotients and remainders, it starts with the high bits.

// freeBit is an unknown bit.
type freeBit struct {
	space uint8
	low   int16
	// rank is the position of the bit in its field.
	rank int16
}

// givenBit is a bit with its value.
type givenBit struct {
	freeBit
	value uint64
}

// Limits of the search: the number of unknown bits in a list, the number of bits tried for one reading of a line, and
// the number of bits tried for all readings. maxTrials is enough for every combination of 16 bits.
const (
	maxFree      = 256
	maxTrials    = 1 << 17
	maxAllTrials = 1 << 19
)

// find sets unknown bits so that every constraint holds, and reports whether this is possible. If not, the caller must
// undo the bits that find has set.
func (sv *solver) find() bool {
	c, ok := sv.firstOpen()
	if c == nil {
		return ok
	}
	return sv.try(c, slices.Clone(sv.freeBits(c)))
}

// firstOpen settles all constraints and returns the first that remains open. ok is false if a constraint is broken.
func (sv *solver) firstOpen() (first *constraint, ok bool) {
	for i := range sv.cons {
		if sv.cons[i].done {
			continue
		}
		switch sv.settle(&sv.cons[i]) {
		case broken:
			return nil, false
		case open:
			if first == nil {
				first = &sv.cons[i]
			}
		}
	}
	return first, true
}

// try sets the bits of free, which c reads, one after another. It reports whether it found a solution.
func (sv *solver) try(c *constraint, free []freeBit) bool {
	for len(free) > 0 && sv.spaces[free[0].space].known.Bit(int(free[0].low)) == 1 {
		free = free[1:]
	}
	if len(free) == 0 || sv.settle(c) == holds {
		if next, ok := sv.firstOpen(); !ok || next == c {
			return false
		}
		return sv.find()
	}
	b := free[0]
	for v := range uint64(2) {
		if sv.trials++; sv.trials > maxTrials || sv.all+sv.trials > maxAllTrials {
			return false
		}
		mark := len(sv.trail)
		if sv.setBit(b, v) && sv.propagate() != broken && sv.try(c, free[1:]) {
			return true
		}
		sv.undo(mark)
	}
	return false
}

// allFree returns the unknown bits that constraints read, the most significant bits of the word first.
func (sv *solver) allFree() []freeBit {
	sv.free = sv.free[:0]
	for i := range sv.cons {
		if c := &sv.cons[i]; !c.done {
			sv.freeIn(c.prog.Root, c.scope, 0)
		}
	}
	free := slices.Clone(sv.free)
	slices.SortFunc(free, func(a, b freeBit) int {
		return cmp.Or(cmp.Compare(b.space, a.space), cmp.Compare(b.low, a.low))
	})
	return free
}

// minimise replaces the solution of find with the smallest solution, and reports whether it succeeded. mark is the
// length of the trail before find. minimise makes each bit of free 0 if possible, the most significant bit first.
func (sv *solver) minimise(free []freeBit, mark int) bool {
	found := sv.values(free)
	sv.undo(mark)
	for i, b := range free {
		decided := len(sv.trail)
		if found[i] == 1 && sv.without(b) {
			copy(found[i:], sv.values(free[i:]))
			sv.undo(decided)
		}
		sv.setBit(b, found[i])
	}
	return sv.propagate() == holds || sv.find()
}

// without searches for a solution in which bit b is 0, and reports whether there is one. If there is none, it sets
// nothing.
func (sv *solver) without(b freeBit) bool {
	mark := len(sv.trail)
	if sv.setBit(b, 0) && sv.propagate() != broken && sv.find() {
		return true
	}
	sv.undo(mark)
	return false
}

// freeBits returns the unknown bits that a constraint reads, the low bits of all fields first. If the constraint
// divides, the high bits come first. The result is valid until the next call.
func (sv *solver) freeBits(c *constraint) []freeBit {
	sv.free = sv.free[:0]
	sv.freeIn(c.prog.Root, c.scope, 0)
	order := 1
	if divides(c.prog.Root, 0) { // start with the high bits
		order = -1
	}
	slices.SortStableFunc(sv.free, func(a, b freeBit) int { return order * cmp.Compare(a.rank, b.rank) })
	return sv.free
}

// divides reports whether an expression contains a quotient or a remainder.
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

// maxDivides limits the nesting depth of the computed values that divides examines.
const maxDivides = 4

// maxLooseDepth limits the nesting depth of the computed values that freeIn examines.
const maxLooseDepth = 32

// freeIn appends to free the unknown bits that an expression reads, the lowest bit of each field first.
func (sv *solver) freeIn(n *model.Node, scope int32, depth int) {
	if n == nil || depth > maxLooseDepth || sv.work > MaxWork {
		return
	}
	if n.Test != nil && !n.Test.Context {
		sv.freeInTest(n.Test, &sv.scopes[sv.up(scope, n.Test.ScopeDepth)])
		return
	}
	sv.work += len(n.Alts)
	for i := range n.Alts {
		a := &n.Alts[i]
		if a.Cond != nil {
			sv.freeIn(a.Cond.Root, sv.up(scope, a.CondDepth), depth+1)
		}
		if a.Ref != nil {
			sv.freeRef(a.Ref, scope, depth)
		}
	}
	sv.freeIn(n.X, scope, depth)
	sv.freeIn(n.Y, scope, depth)
	sv.freeIn(n.Z, scope, depth)
}

// freeInTest is like freeIn, but for a bit test, which reads only some bits of its fields.
func (sv *solver) freeInTest(t *model.Test, s *scope) {
	for mask := t.Mask; mask != 0; mask &= mask - 1 {
		for low, width := range s.pieces([]bits.Part{{Low: t.Low + mathbits.TrailingZeros64(mask), Width: 1}}) {
			sv.freeRun(s.space, low, width)
		}
	}
}

func (sv *solver) freeRef(ref *model.Ref, scope int32, depth int) {
	if ref.Context != nil {
		sv.freeRun(spaceContext, ref.Low, ref.Width)
		return
	}
	scope = sv.up(scope, ref.ScopeDepth)
	if ref.Prog != nil {
		sv.freeIn(ref.Prog.Root, scope, depth+1)
		return
	}
	if s, ok := sv.enter(ref, scope); ok {
		for low, width := range s.pieces(ref.Field.Parts) {
			sv.freeRun(s.space, low, width)
		}
	}
}

func (sv *solver) freeRun(sp uint8, low, width int) {
	if low == zeros {
		return
	}
	known := &sv.spaces[sp].known
	for i := low; i < low+width && len(sv.free) <= maxFree; i++ {
		b := freeBit{sp, int16(i), int16(i - low)}
		if known.Bit(i) == 0 && !sv.isFree(b) {
			sv.free = append(sv.free, b)
		}
	}
}

func (sv *solver) isFree(b freeBit) bool {
	return slices.ContainsFunc(sv.free, func(x freeBit) bool { return x.space == b.space && x.low == b.low })
}
