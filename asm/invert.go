package asm

import (
	"math/bits"
	"slices"

	wide "github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// assign requires that the value of an expression equals v in the bits of mask. It sets the bits that this condition
// determines, and returns the status of the condition.
func (sv *solver) assign(n *model.Node, scope int32, v, mask uint64) status {
	if x, known := sv.eval(n, scope); known {
		return statusOf((x^v)&mask == 0)
	}
	return sv.assignOpen(n, scope, v, mask)
}

// assignOpen is like assign, but for a value that is not known.
func (sv *solver) assignOpen(n *model.Node, scope int32, v, mask uint64) status {
	v &= mask
	if v != 0 && v&^sv.possible(n) != 0 {
		return broken
	}
	switch n.Op {
	case spec.OpField:
		return sv.assignField(n, scope, v, mask)
	case spec.OpInv:
		return sv.assign(n.X, scope, ^v, mask)
	case spec.OpNeg:
		if lowMask(mask) {
			return sv.assign(n.X, scope, -v, mask)
		}
	case spec.OpNot, spec.OpEq, spec.OpNe, spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe, spec.OpAndAnd, spec.OpOrOr:
		if mask&1 != 0 {
			return sv.truth(n, scope, v != 0)
		}
	case spec.OpCond:
		return sv.assignChoice(n, scope, v, mask)
	case spec.OpComma:
		return sv.assign(n.Y, scope, v, mask)
	case spec.OpAdd, spec.OpOr, spec.OpXor, spec.OpAnd, spec.OpSub, spec.OpMul, spec.OpShl, spec.OpShr, spec.OpDiv:
		return sv.assignBinary(n, scope, v, mask)
	}
	return open
}

// assignChoice is like assign, but for X ? Y : Z. If one of the two values is impossible, the other is chosen.
func (sv *solver) assignChoice(n *model.Node, scope int32, v, mask uint64) status {
	c, known := sv.eval(n.X, scope)
	first, second := !known || c != 0, !known || c == 0
	if !known && sv.failure == nil { // errors report the value, not the condition
		first = within(sv.ternary(n.Y, scope), v, mask) != broken
		second = within(sv.ternary(n.Z, scope), v, mask) != broken
	}
	switch {
	case first && second:
		return open
	case first:
		return both(sv.truth(n.X, scope, true), sv.assign(n.Y, scope, v, mask))
	case second:
		return both(sv.truth(n.X, scope, false), sv.assign(n.Z, scope, v, mask))
	}
	return broken
}

// lowMask reports whether the mask is a run of ones from bit 0.
func lowMask(mask uint64) bool { return mask&(mask+1) == 0 }

func (sv *solver) assignField(n *model.Node, scope int32, v, mask uint64) status {
	ref, known := sv.meaning(n.Alts, scope)
	if !known || ref == nil {
		return open
	}
	if ref.Context != nil {
		return statusOf(sv.setMasked(spaceContext, ref.Low, ref.Width, wide.Of(v), wide.Of(mask), sv.pos))
	}
	scope = sv.up(scope, ref.ScopeDepth)
	if ref.Prog != nil {
		return sv.assign(ref.Prog.Root, scope, v, mask)
	}
	if sp, low, ok := sv.runAt(ref, scope); ok {
		mask &= ones(ref.Width)
		return statusOf(sv.setSome(sp, low, ref.Width, v&mask, mask, sv.pos))
	}
	s, ok := sv.enter(ref, scope)
	return statusOf(ok && sv.setPieces(&s, ref.Field.Parts, wide.Of(v), wide.Of(mask), sv.pos))
}

// assignBinary inverts a binary operator if one operand is known, or if no bit can be 1 in both operands.
func (sv *solver) assignBinary(n *model.Node, scope int32, v, mask uint64) status {
	if y, known := sv.eval(n.Y, scope); known {
		return sv.assignSide(n, n.X, scope, y, v, mask)
	}
	if x, known := sv.eval(n.X, scope); known && n.Op == spec.OpSub {
		if !lowMask(mask) {
			return open
		}
		return sv.assign(n.Y, scope, x-v, mask)
	} else if known && n.Op != spec.OpShl && n.Op != spec.OpShr && n.Op != spec.OpDiv {
		return sv.assignSide(n, n.Y, scope, x, v, mask)
	}
	px, py := sv.possible(n.X), sv.possible(n.Y)
	if n.Op != spec.OpAdd && n.Op != spec.OpOr && n.Op != spec.OpXor || px&py != 0 {
		return open
	}
	return both(sv.assign(n.X, scope, v&px, mask&px), sv.assign(n.Y, scope, v&py, mask&py))
}

// assignQuotient requires that n / y equals v. It sets the high bits of n that are equal in all dividends with this
// quotient.
func (sv *solver) assignQuotient(n *model.Node, scope int32, y, v uint64) status {
	over, low := bits.Mul64(v, y)
	high := low + y - 1
	if over != 0 || y == 0 || high < low || high>>63 != 0 || sv.possible(n)>>63 != 0 {
		return open
	}
	return both(sv.assign(n, scope, low, ^lowOnes(low^high)), open)
}

// assignSide inverts n, where x is one operand and y is the value of the other. For operators that do not commute, x is
// the left operand.
func (sv *solver) assignSide(n, x *model.Node, scope int32, y, v, mask uint64) status {
	switch n.Op {
	case spec.OpAdd, spec.OpSub:
		if n.Op == spec.OpAdd {
			y = -y
		}
		if lowMask(mask) {
			return sv.assign(x, scope, v+y, mask)
		}
	case spec.OpXor:
		return sv.assign(x, scope, v^y, mask)
	case spec.OpOr:
		if y&mask&^v != 0 {
			return broken
		}
		return sv.assign(x, scope, v, mask&^y)
	case spec.OpAnd:
		if v&^y != 0 {
			return broken
		}
		return sv.assign(x, scope, v, mask&y)
	case spec.OpMul:
		if y == 0 || mask != ^uint64(0) {
			return open
		}
		if v%y != 0 {
			return broken
		}
		return sv.assign(x, scope, v/y, mask)
	case spec.OpShl:
		if y >= 64 || y >= 31 && n.Type.Width() == 32 {
			return open
		}
		if v&(1<<y-1) != 0 {
			return broken
		}
		return sv.assign(x, scope, v>>y, mask>>y)
	case spec.OpDiv:
		if mask == ^uint64(0) {
			return sv.assignQuotient(x, scope, y, v)
		}
	case spec.OpShr:
		if y < 64 {
			return sv.assign(x, scope, v<<y, mask<<y)
		}
	}
	return open
}

// possible returns a mask of the bits that can be 1 in the value of an expression. The mask may contain other bits too.
func (sv *solver) possible(n *model.Node) uint64 {
	most, ok := sv.most[n]
	if !ok {
		if sv.unassigned == nil { // one scope, which encloses itself
			sv.unassigned, sv.most = &solver{assignment: assignment{parseState: parseState{scopes: []scope{{}}, nspaces: maxSpaces}}}, map[*model.Node]uint64{}
		}
		sv.unassigned.work = MaxWork - maxLookups
		most = sv.unassigned.ternary(n, 0).max()
		sv.most[n] = most
	}
	return most
}

// maxLookups limits the names that possible evaluates.
const maxLookups = 1 << 12

// lowOnes returns a mask of the highest 1 bit of x and all bits below it.
func lowOnes(x uint64) uint64 {
	return ones(bits.Len64(x))
}

// truth requires that an expression has the truth value want. It sets the bits that this condition determines, and
// returns the status of the condition.
func (sv *solver) truth(n *model.Node, scope int32, want bool) status {
	if t := n.Test; t != nil && !t.Context && sv.failure == nil {
		if match, ok := t.BitsFor(want); ok {
			return statusOf(sv.setKnown(&sv.scopes[sv.up(scope, t.ScopeDepth)], t.Low, match, t.Mask))
		}
	}
	switch n.Op { // before eval, which would evaluate the whole expression again for each of its parts
	case spec.OpNot:
		return sv.truth(n.X, scope, !want)
	case spec.OpAndAnd, spec.OpOrOr:
		return sv.truthLogic(n, scope, want)
	}
	if x, known := sv.eval(n, scope); known {
		return statusOf((x != 0) == want)
	}
	switch n.Op {
	case spec.OpEq, spec.OpNe:
		return sv.equal(n, scope, want == (n.Op == spec.OpEq))
	case spec.OpLt, spec.OpGe:
		return sv.order(n, scope, want == (n.Op == spec.OpLt), true)
	case spec.OpLe, spec.OpGt:
		return sv.order(n, scope, want == (n.Op == spec.OpLe), false)
	case spec.OpField:
		if ref, known := sv.meaning(n.Alts, scope); known && ref != nil && ref.Prog != nil {
			return sv.truth(ref.Prog.Root, sv.up(scope, ref.ScopeDepth), want)
		}
	}
	if !want {
		return sv.assignOpen(n, scope, 0, ^uint64(0))
	}
	if m := sv.possible(n); m&(m-1) == 0 && m != 0 {
		return sv.assignOpen(n, scope, m, ^uint64(0))
	}
	return open
}

// truthLogic is like truth, but for && and ||. If both operands must have the truth value want, it requires this of
// both. If one operand is enough, it requires this of one when the other is known to have the opposite truth value.
func (sv *solver) truthLogic(n *model.Node, scope int32, want bool) status {
	if want == (n.Op == spec.OpAndAnd) {
		return both(sv.truth(n.X, scope, want), sv.truth(n.Y, scope, want))
	}
	for _, sides := range [2][2]*model.Node{{n.X, n.Y}, {n.Y, n.X}} {
		if v, known := sv.eval(sides[0], scope); known && (v != 0) == want {
			return holds
		} else if known {
			return sv.truth(sides[1], scope, want)
		}
	}
	return open
}

// order requires X < Y (less and strict) or X <= Y (less and not strict). If not less, it requires the opposite. A bit
// of the smaller operand becomes 0 if a 1 would make the operand too large whatever the other bits are. A bit of the
// larger operand becomes 1 if a 0 would make the operand too small. order sets nothing if a number may need more than
// 31 bits, because it may be negative.
func (sv *solver) order(n *model.Node, scope int32, less, strict bool) status {
	if sv.failure != nil { // errors report the numbers in the text
		return open
	}
	x, y := n.X, n.Y
	if !less {
		x, y, strict = y, x, !strict
	}
	small, great, apart := sv.ternary(x, scope), sv.ternary(y, scope), truthBit(strict)
	if (small.max()|great.max())>>31 != 0 || great.max() < apart {
		return open
	}
	least, most := small.val+apart, great.max()-apart
	clear, set := uint64(0), uint64(0)
	for b := uint64(1); b <= small.open|great.open; b <<= 1 {
		if small.open&b != 0 && small.val|b > most {
			clear |= b
		}
		if great.open&b != 0 && great.max()&^b < least {
			set |= b
		}
	}
	mark := len(sv.trail)
	if clear != 0 && sv.assign(x, scope, 0, clear) == broken || set != 0 && sv.assign(y, scope, set, set) == broken {
		return broken
	}
	if slices.ContainsFunc(sv.trail[mark:], func(u trailEntry) bool { return u.space >= spaceTable }) {
		sv.undo(mark) // in a table entry, the search chooses the smallest value that satisfies the condition, and sets all its bits
	}
	return open
}

// equal requires that two operands are equal. If not want, it requires that they differ, but sets bits only if this
// leaves only one possible value.
func (sv *solver) equal(n *model.Node, scope int32, want bool) status {
	x, y := n.X, n.Y
	v, known := sv.eval(y, scope)
	if !known {
		x, y = y, x
		if v, known = sv.eval(y, scope); !known {
			return open
		}
	}
	if want {
		return sv.assign(x, scope, v, ^uint64(0))
	}
	if sv.possible(x) == 1 && v <= 1 {
		return sv.assign(x, scope, 1-v, ^uint64(0))
	}
	return open
}
