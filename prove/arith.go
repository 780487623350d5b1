package prove

import (
	"fmt"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// checkUndefined reports an operator whose result is undefined in C for some operands.
func (k *walker) checkUndefined(n *model.Node, f *frame, guard lit) {
	if n.X == nil || n.Y == nil && n.Op != spec.OpNeg {
		return
	}
	x := f.node(n.X)
	y := &vec{}
	if n.Y != nil {
		y = f.node(n.Y)
	}
	for _, bad := range k.undefinedCases(n, x, y) {
		in, ans := k.witness(k.w.and(guard, bad.where), f)
		if ans == unknown {
			k.m.c.limit(k.m, n.Span, "not decided: whether the arithmetic in %s is defined; it is too large", f.unit.Leaf.Name)
		}
		if ans != sometimes {
			continue
		}
		k.addFinding(&Finding{
			Code: diag.ExprUndefined, Level: Warning, Span: n.Span, key: "undefined " + n.Span.String() + bad.what,
			Msg: fmt.Sprintf("%s in %s: the result is undefined in C", bad.what, where(f)),
		}, f, in)
		return
	}
}

type fault struct {
	where lit
	what  string
}

// undefinedCases returns the conditions under which the result of an operator is undefined in C.
func (k *walker) undefinedCases(n *model.Node, x, y *vec) []fault {
	c, t := k.w.circuit, n.Type
	width := uint64(t.Width())
	switch n.Op {
	case spec.OpDiv, spec.OpMod:
		list := []fault{{c.isSet(y).not(), "division by 0"}}
		if t.Signed() {
			lowest := c.equal(wrapVec(t, x), constant(-(uint64(1) << (width - 1))))
			list = append(list, fault{c.and(lowest, c.equal(y, constant(^uint64(0)))), "the most negative number divided by -1"})
		}
		return list
	case spec.OpShl, spec.OpShr:
		far := c.less(y, constant(width), false).not()
		list := []fault{{far, fmt.Sprintf("a shift of a %d-bit number by %d or more, or by a negative count", width, width)}}
		if n.Op == spec.OpShl && t.Signed() {
			back := c.apply(&model.Node{Op: spec.OpShr, Type: t, X: n.X, Y: n.Y}, c.apply(n, x, y), y)
			lost := c.or(c.equal(back, x).not(), x[63])
			list = append(list, fault{c.and(far.not(), lost), fmt.Sprintf("a shift that overflows a signed %d-bit number", width)})
		}
		return list
	case spec.OpAdd, spec.OpSub, spec.OpMul, spec.OpNeg:
		if t.Signed() {
			return []fault{{c.overflow(n, x, y), fmt.Sprintf("overflow of a signed %d-bit number", width)}}
		}
	}
	return nil
}

// overflow returns the condition under which the exact result does not fit in the signed type of a
// node.
func (c *circuit) overflow(n *model.Node, x, y *vec) lit {
	got := c.apply(n, x, y)
	sx, sy, s := x[63], y[63], got[63]
	switch n.Op {
	case spec.OpNeg:
		return c.and(sx, s)
	case spec.OpMul:
		return c.overflowProduct(n.Type, x, y)
	case spec.OpSub:
		sy = sy.not()
	}
	if n.Type == spec.I32 { // The 64-bit result is exact.
		y64 := y
		carry := no
		if n.Op == spec.OpSub {
			y64, carry = invert(y), yes
		}
		return c.equal(c.sum(x, y64, carry), got).not()
	}
	return c.and(c.xor(sx, sy).not(), c.xor(sx, s))
}

func (c *circuit) overflowProduct(t spec.Type, x, y *vec) lit {
	exact := c.product(x, y)
	if t == spec.I32 {
		return c.equal(wrapVec(t, exact), exact).not()
	}
	// In 64 bits, the product of short factors cannot overflow. Any other product has overflowed if it
	// has the wrong sign, or if its quotient by one factor is not the other factor.
	ax, ay := c.muxVec(x[63], c.negate(x), x), c.muxVec(y[63], c.negate(y), y)
	if length(ax)+length(ay) < 64 {
		return no
	}
	quo, _ := c.quotient(c.muxVec(exact[63], c.negate(exact), exact), ay)
	wrong := c.or(c.equal(quo, ax).not(), c.and(c.xor(c.xor(x[63], y[63]), exact[63]), c.isSet(exact)))
	return c.and(c.isSet(y), wrong)
}

// length returns an upper bound on the number of significant bits of a number.
func length(x *vec) int {
	n := 64
	for n > 0 && x[n-1] == no {
		n--
	}
	return n
}
