package prove

import (
	"fmt"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// checkUndefined reports an operator whose result is undefined in C for some operands.
func (k *walker) checkUndefined(n *model.Node, f *frame, guard circuit.Lit) {
	if n.X == nil || n.Y == nil && n.Op != spec.OpNeg {
		return
	}
	x := f.node(n.X)
	y := constant(0)
	if n.Y != nil {
		y = f.node(n.Y)
	}
	for _, bad := range k.undefinedCases(n, x, y) {
		in, ans := k.witness(k.w.And(guard, bad.where), f)
		if ans == circuit.Unknown {
			k.m.c.limit(k.m, n.Span, "not decided: whether the arithmetic in %s is defined; it is too large", f.unit.Leaf.Name)
		}
		if ans != circuit.Sometimes {
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
	where circuit.Lit
	what  string
}

// undefinedCases returns the conditions under which the result of an operator is undefined in C.
func (k *walker) undefinedCases(n *model.Node, x, y circuit.Vec) []fault {
	c, t := k.w, n.Type
	width := uint64(t.Width())
	switch n.Op {
	case spec.OpDiv, spec.OpMod:
		list := []fault{{c.IsSet(y).Not(), "division by 0"}}
		if t.Signed() {
			lowest := c.Equal(wrapVec(t, x), constant(-(uint64(1) << (width - 1))))
			list = append(list, fault{c.And(lowest, c.Equal(y, constant(^uint64(0)))), "the most negative number divided by -1"})
		}
		return list
	case spec.OpShl, spec.OpShr:
		far := c.Less(y, constant(width), false).Not()
		list := []fault{{far, fmt.Sprintf("a shift of a %d-bit number by %d or more, or by a negative count", width, width)}}
		if n.Op == spec.OpShl && t.Signed() {
			back := c.apply(&model.Node{Op: spec.OpShr, Type: t, X: n.X, Y: n.Y}, c.apply(n, x, y), y)
			lost := c.Or(c.Equal(back, x).Not(), x[63])
			list = append(list, fault{c.And(far.Not(), lost), fmt.Sprintf("a shift that overflows a signed %d-bit number", width)})
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
func (w *world) overflow(n *model.Node, x, y circuit.Vec) circuit.Lit {
	got := w.apply(n, x, y)
	sx, sy, s := x[63], y[63], got[63]
	switch n.Op {
	case spec.OpNeg:
		return w.And(sx, s)
	case spec.OpMul:
		return w.overflowProduct(n.Type, x, y)
	case spec.OpSub:
		sy = sy.Not()
	}
	if n.Type == spec.I32 { // The 64-bit result is exact.
		y64 := y
		carry := circuit.False
		if n.Op == spec.OpSub {
			y64, carry = y.Invert(), circuit.True
		}
		return w.Equal(w.Sum(x, y64, carry), got).Not()
	}
	return w.And(w.Xor(sx, sy).Not(), w.Xor(sx, s))
}

func (w *world) overflowProduct(t spec.Type, x, y circuit.Vec) circuit.Lit {
	exact := w.Product(x, y)
	if t == spec.I32 {
		return w.Equal(wrapVec(t, exact), exact).Not()
	}
	// In 64 bits, the product of short factors cannot overflow. Any other product has overflowed if it
	// has the wrong sign, or if its quotient by one factor is not the other factor.
	ax, ay := w.MuxVec(x[63], w.Negate(x), x), w.MuxVec(y[63], w.Negate(y), y)
	if ax.Length()+ay.Length() < 64 {
		return circuit.False
	}
	quo, _ := w.Quotient(w.MuxVec(exact[63], w.Negate(exact), exact), ay)
	wrong := w.Or(w.Equal(quo, ax).Not(), w.And(w.Xor(w.Xor(x[63], y[63]), exact[63]), w.IsSet(exact)))
	return w.And(w.IsSet(y), wrong)
}
