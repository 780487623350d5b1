package asm

import (
	mathbits "math/bits"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// ternary is a value with unknown bits. The bits in open may be 0 or 1, and the others have their values in val. No bit
// is set in both.
type ternary struct{ val, open uint64 }

func exactly(v uint64) ternary { return ternary{val: v} }

func (t ternary) known() bool { return t.open == 0 }

// max returns the largest possible value as an unsigned number. The smallest is val.
func (t ternary) max() uint64 { return t.val | t.open }

// join returns the ternary of a value that is either t or x: a bit is known if it is known and equal in both.
func (t ternary) join(x ternary) ternary {
	open := t.open | x.open | (t.val ^ x.val)
	return ternary{t.val &^ open, open}
}

// truth returns the truth value of t, which is 0, 1 or an unknown bit.
func (t ternary) truth() ternary {
	switch {
	case t.val != 0:
		return exactly(1)
	case t.open == 0:
		return exactly(0)
	}
	return ternary{open: 1}
}

func (t ternary) not() ternary {
	t = t.truth()
	return ternary{(t.val ^ 1) &^ t.open, t.open}
}

func (t ternary) add(x ternary) ternary {
	val := t.val + x.val
	carries := (val + t.open + x.open) ^ val
	open := carries | t.open | x.open
	return ternary{val &^ open, open}
}

func (t ternary) sub(x ternary) ternary {
	val := t.val - x.val
	borrows := (val + t.open) ^ (val - x.open)
	open := borrows | t.open | x.open
	return ternary{val &^ open, open}
}

// mul returns the product of t and x. It adds the product of the known bits and the partial products that contain
// unknown bits.
func (t ternary) mul(x ternary) ternary {
	product, rest := exactly(t.val*x.val), ternary{}
	for ; t.val|t.open != 0; t, x = t.shiftRight(1), x.shiftLeft(1) {
		switch {
		case t.val&1 != 0:
			rest = rest.add(ternary{open: x.open})
		case t.open&1 != 0:
			rest = rest.add(ternary{open: x.val | x.open})
		}
	}
	return product.add(rest)
}

func (t ternary) shiftLeft(n uint) ternary  { return ternary{t.val << n, t.open << n} }
func (t ternary) shiftRight(n uint) ternary { return ternary{t.val >> n, t.open >> n} }

// shiftSigned shifts right by n bits and fills the high bits with copies of the top bit. If the top bit is open, its
// copies are open too.
func (t ternary) shiftSigned(n uint) ternary {
	return ternary{uint64(int64(t.val) >> n), uint64(int64(t.open) >> n)}
}

func (t ternary) and(x ternary) ternary {
	val := t.val & x.val
	return ternary{val, t.max() & x.max() &^ val}
}

func (t ternary) or(x ternary) ternary {
	val := t.val | x.val
	return ternary{val, (t.open | x.open) &^ val}
}

func (t ternary) xor(x ternary) ternary {
	open := t.open | x.open
	return ternary{(t.val ^ x.val) &^ open, open}
}

// wrap converts t to a type, as the operators of expressions convert their operands.
func (t ternary) wrap(typ spec.Type) ternary {
	switch typ {
	case spec.I32:
		return ternary{uint64(int64(int32(t.val))), uint64(int64(int32(t.open)))}
	case spec.U32:
		return ternary{uint64(uint32(t.val)), uint64(uint32(t.open))}
	}
	return t
}

// below returns the truth value of t < x. If signed, it compares signed numbers, and otherwise unsigned numbers.
func (t ternary) below(x ternary, signed bool) ternary {
	const sign = 1 << 63
	if signed { // with the sign bit inverted, signed numbers are in unsigned order
		t, x = ternary{(t.val ^ sign) &^ t.open, t.open}, ternary{(x.val ^ sign) &^ x.open, x.open}
	}
	switch {
	case t.max() < x.val:
		return exactly(1)
	case t.val >= x.max():
		return exactly(0)
	}
	return ternary{open: 1}
}

func (t ternary) equals(x ternary) ternary {
	switch {
	case (t.val^x.val)&^(t.open|x.open) != 0:
		return exactly(0)
	case t.known() && x.known():
		return exactly(1)
	}
	return ternary{open: 1}
}

func truthBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// unknown returns a value with all bits open.
func unknown() ternary { return ternary{open: ^uint64(0)} }

// ternary evaluates an expression from the known bits. Each bit of the result is known or unknown separately.
func (sv *solver) ternary(n *model.Node, scope int32) ternary { return sv.value(n, scope, true) }

// eval evaluates an expression. known is false if the value depends on unknown bits.
func (sv *solver) eval(n *model.Node, scope int32) (v uint64, known bool) {
	t := sv.value(n, scope, false)
	return t.val, t.known()
}

// value evaluates an expression from the known bits. If bitwise, each bit of the value is known or unknown separately.
// Otherwise the whole value is unknown if an operand is.
func (sv *solver) value(n *model.Node, scope int32, bitwise bool) ternary {
	switch {
	case sv.tests(n, scope):
		return sv.test(n.Test, scope)
	}
	switch n.Op {
	case spec.OpConst:
		return exactly(n.Value)
	case spec.OpField:
		return sv.field(n.Alts, scope, bitwise)
	case spec.OpAndAnd, spec.OpOrOr: // one known operand may determine the result
		x, decider := sv.value(n.X, scope, bitwise).truth(), truthBit(n.Op == spec.OpOrOr)
		if x == exactly(decider) {
			return x
		}
		if y := sv.value(n.Y, scope, bitwise).truth(); y == exactly(decider) || x.known() {
			return y
		}
		return x
	case spec.OpCond:
		switch x := sv.value(n.X, scope, bitwise).truth(); {
		case x.val != 0:
			return sv.value(n.Y, scope, bitwise)
		case x.known():
			return sv.value(n.Z, scope, bitwise)
		case !bitwise:
			return unknown()
		}
		return sv.ternary(n.Y, scope).join(sv.ternary(n.Z, scope))
	}
	x, y := sv.value(n.X, scope, bitwise), ternary{}
	if n.Y != nil {
		y = sv.value(n.Y, scope, bitwise)
	}
	if !bitwise && x.open|y.open != 0 {
		return unknown()
	}
	return applyTernary(n, x, y)
}

// tests reports whether a node is a bit test that can be read directly from its scope.
func (sv *solver) tests(n *model.Node, scope int32) bool {
	return n.Test != nil && (n.Test.Low == 0 || sv.scopes[sv.up(scope, n.Test.ScopeDepth)].parts == nil)
}

// test is like value, but for a bit test.
func (sv *solver) test(t *model.Test, scope int32) ternary {
	var val, set uint64
	s := &sv.scopes[sv.up(scope, t.ScopeDepth)]
	switch {
	case t.Context:
		sp := &sv.spaces[spaceContext]
		val, set = sp.val[0], sp.known[0]
	case s.parts == nil:
		sp := &sv.spaces[s.space]
		val, set = sp.val.Uint(s.low+t.Low, 64), sp.known.Uint(s.low+t.Low, 64)
	default:
		set = ^ones(min(s.size, 64)) // bits beyond the scope are 0
		at := 0
		for low, width := range s.pieces([]bits.Part{{Width: min(s.size, 64)}}) {
			if sp := &sv.spaces[s.space]; low == zeros {
				set |= ones(width) << uint(at)
			} else {
				val |= sp.val.Uint(low, width) << uint(at)
				set |= sp.known.Uint(low, width) << uint(at)
			}
			at += width
		}
	}
	switch {
	case (val^t.Match)&t.Mask&set != 0:
		return exactly(truthBit(t.Not))
	case t.Mask&^set == 0:
		return exactly(truthBit(!t.Not))
	}
	return ternary{open: 1}
}

// field is like value, but for a name. It joins the values of all alternatives that may apply.
func (sv *solver) field(alts []model.Alt, scope int32, bitwise bool) (out ternary) {
	if sv.work++; sv.work > MaxWork {
		return unknown()
	}
	if len(alts) == 1 && alts[0].Cond == nil {
		return sv.reference(alts[0].Ref, scope, bitwise)
	}
	first := true
	for i := range alts {
		a := &alts[i]
		cond := exactly(1)
		if a.Cond != nil {
			cond = sv.value(a.Cond.Root, sv.up(scope, a.CondDepth), bitwise).truth()
		}
		switch {
		case cond.max() == 0:
			continue
		case !bitwise && !cond.known():
			return unknown()
		}
		v := sv.reference(a.Ref, scope, bitwise)
		if !first {
			v = v.join(out)
		}
		if out, first = v, false; cond.val != 0 {
			return out
		}
	}
	return out
}

// reference is like value, but for a reference. It returns the low 64 bits.
func (sv *solver) reference(ref *model.Ref, scope int32, bitwise bool) (t ternary) {
	switch {
	case ref == nil:
		return ternary{}
	case ref.Context != nil:
		t = sv.run64(spaceContext, ref.Low, ref.Width)
	case ref.Prog != nil:
		return sv.value(ref.Prog.Root, sv.up(scope, ref.ScopeDepth), bitwise)
	default:
		t = sv.gather(ref, sv.up(scope, ref.ScopeDepth))
	}
	if !bitwise && !t.known() {
		return unknown()
	}
	return t
}

// gather returns the low 64 bits of a field. The bits that are not known are open.
func (sv *solver) gather(ref *model.Ref, scope int32) ternary {
	if sp, low, ok := sv.runAt(ref, scope); ok {
		return sv.run64(sp, low, ref.Width)
	}
	s, ok := sv.enter(ref, scope)
	if !ok {
		return ternary{open: ones(min(ref.Width, 64))}
	}
	return sv.pieces(&s, ref.Field.Parts)
}

// run64 returns a run of up to 64 bits of a space. The bits that are not known are open.
func (sv *solver) run64(space uint8, low, width int) ternary {
	s := &sv.spaces[space]
	open := ones(width) &^ s.known.Uint(low, width)
	return ternary{s.val.Uint(low, width) &^ open, open}
}

// pieces returns the low 64 bits of parts of a scope. The most significant part is first, and bits that are not known
// are open.
func (sv *solver) pieces(s *scope, list []bits.Part) (t ternary) {
	at := 0
	for low, width := range s.pieces(list) {
		if low != zeros {
			t = t.or(sv.run64(s.space, low, min(width, 64)).shiftLeft(uint(at)))
		}
		at += width
	}
	return t
}

// applyTernary is model.Apply for ternary operands.
func applyTernary(n *model.Node, x, y ternary) ternary {
	t := n.Type
	if x.known() && y.known() {
		return exactly(model.Apply(n, x.val, y.val))
	}
	switch n.Op {
	case spec.OpNot:
		return x.not()
	case spec.OpInv:
		return ternary{^x.val &^ x.open, x.open}.wrap(t)
	case spec.OpNeg:
		return exactly(0).sub(x).wrap(t)
	case spec.OpEq, spec.OpNe, spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe:
		return compareTernary(n, x, y)
	case spec.OpShl, spec.OpShr:
		return shiftTernary(n, x, y)
	}
	x, y = x.wrap(t), y.wrap(t)
	switch n.Op {
	case spec.OpOr:
		return x.or(y)
	case spec.OpXor:
		return x.xor(y)
	case spec.OpAnd:
		return x.and(y)
	case spec.OpAdd:
		return x.add(y).wrap(t)
	case spec.OpSub:
		return x.sub(y).wrap(t)
	case spec.OpMul:
		return x.mul(y).wrap(t)
	case spec.OpDiv, spec.OpMod:
		return divideTernary(n, x, y)
	}
	return y // the comma operator
}

func compareTernary(n *model.Node, x, y ternary) ternary {
	t := max(n.X.Type, n.Y.Type)
	x, y = x.wrap(t), y.wrap(t)
	signed := t.Signed()
	switch n.Op {
	case spec.OpEq:
		return x.equals(y)
	case spec.OpNe:
		return x.equals(y).not()
	case spec.OpLt:
		return x.below(y, signed)
	case spec.OpGe:
		return x.below(y, signed).not()
	case spec.OpGt:
		return y.below(x, signed)
	}
	return y.below(x, signed).not()
}

// shiftTernary joins the results of all possible shift counts.
func shiftTernary(n *model.Node, x, y ternary) ternary {
	most := uint64(n.Type.Width() - 1)
	var out ternary
	first := true
	for count := uint64(0); count <= most; count++ {
		if (count^y.val)&most&^y.open != 0 {
			continue
		}
		v := shiftBy(n, x, uint(count))
		if !first {
			v = v.join(out)
		}
		out, first = v, false
	}
	return out
}

func shiftBy(n *model.Node, x ternary, count uint) ternary {
	switch {
	case n.Op == spec.OpShl:
		return x.shiftLeft(count).wrap(n.Type)
	case n.Type.Signed():
		return x.wrap(n.Type).shiftSigned(count)
	}
	return x.wrap(n.Type).shiftRight(count)
}

// between returns a value from low to high. The leading bits that are equal in both bounds are known.
func between(low, high uint64) ternary {
	open := lowOnes(low ^ high)
	return ternary{low &^ open, open}
}

// divideTernary returns a quotient or a remainder. It is exact for powers of two. For other divisors, only the bits
// that the bounds of the result determine are known.
func divideTernary(n *model.Node, x, y ternary) ternary {
	if n.Type.Signed() && (x.max()>>63 != 0 || y.max()>>63 != 0) {
		return unknown()
	}
	power := y.known() && y.val != 0 && y.val&(y.val-1) == 0
	switch {
	case n.Op == spec.OpDiv && power:
		return x.shiftRight(uint(mathbits.TrailingZeros64(y.val)))
	case n.Op == spec.OpDiv && y.val == 0: // the quotient of a division by 0 is 0
		return between(0, x.max())
	case n.Op == spec.OpDiv:
		return between(x.val/y.max(), x.max()/y.val)
	case x.max() < y.val:
		return x
	case power:
		return x.and(exactly(y.val - 1))
	}
	return between(0, min(x.max(), y.max()))
}
