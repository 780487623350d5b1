package prove

import (
	"math/bits"
	"slices"

	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// constant returns a number of 64 bits, as all numbers of this package are.
func constant(v uint64) circuit.Vec { return circuit.Constant(64, v) }

func boolVec(l circuit.Lit) circuit.Vec { return extend([]circuit.Lit{l}) }

// wrapVec converts a number to a type. It keeps the low bits that fit the type and sign- or
// zero-extends them.
func wrapVec(t spec.Type, x circuit.Vec) circuit.Vec {
	out := slices.Clone(x)
	for i := 32; i < 64; i++ {
		switch t {
		case spec.I32:
			out[i] = x[31]
		case spec.U32:
			out[i] = circuit.False
		}
	}
	return out
}

// divide builds the circuit that computes / and % as model.Apply does. Quotients round toward 0, and a
// division by 0 returns 0.
func (w *world) divide(op spec.Op, t spec.Type, x, y circuit.Vec) circuit.Vec {
	var quo, rem circuit.Vec
	if t.Signed() {
		sx, sy := x[63], y[63]
		quo, rem = w.Quotient(w.MuxVec(sx, w.Negate(x), x), w.MuxVec(sy, w.Negate(y), y))
		quo = w.MuxVec(w.Xor(sx, sy), w.Negate(quo), quo)
		rem = w.MuxVec(sx, w.Negate(rem), rem)
	} else {
		quo, rem = w.Quotient(x, y)
	}
	if op == spec.OpMod {
		quo = rem
	}
	return w.MuxVec(w.IsSet(y), wrapVec(t, quo), constant(0))
}

// apply builds the circuit that computes an operator as model.Apply does.
func (w *world) apply(n *model.Node, x, y circuit.Vec) circuit.Vec {
	t := n.Type
	switch n.Op {
	case spec.OpNot:
		return boolVec(w.IsSet(x).Not())
	case spec.OpInv:
		return wrapVec(t, x.Invert())
	case spec.OpNeg:
		return wrapVec(t, w.Negate(x))
	case spec.OpOrOr:
		return boolVec(w.Or(w.IsSet(x), w.IsSet(y)))
	case spec.OpAndAnd:
		return boolVec(w.And(w.IsSet(x), w.IsSet(y)))
	case spec.OpEq, spec.OpNe, spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe:
		return boolVec(w.compare(n.Op, max(n.X.Type, n.Y.Type), x, y))
	case spec.OpShl, spec.OpShr:
		return w.shift(n.Op, t, x, y)
	}
	x, y = wrapVec(t, x), wrapVec(t, y)
	switch n.Op {
	case spec.OpOr, spec.OpXor, spec.OpAnd:
		return w.bitwise(n.Op, x, y)
	case spec.OpAdd:
		return wrapVec(t, w.Sum(x, y, circuit.False))
	case spec.OpSub:
		return wrapVec(t, w.Sum(x, y.Invert(), circuit.True))
	case spec.OpMul:
		return wrapVec(t, w.Product(x, y))
	case spec.OpDiv, spec.OpMod:
		return w.divide(n.Op, t, x, y)
	}
	return y // the comma operator
}

func (w *world) bitwise(op spec.Op, x, y circuit.Vec) circuit.Vec {
	f := w.And
	switch op {
	case spec.OpOr:
		f = w.Or
	case spec.OpXor:
		f = w.Xor
	}
	out := constant(0)
	for i := range out {
		out[i] = f(x[i], y[i])
	}
	return out
}

func (w *world) compare(op spec.Op, t spec.Type, x, y circuit.Vec) circuit.Lit {
	x, y = wrapVec(t, x), wrapVec(t, y)
	switch op {
	case spec.OpEq:
		return w.Equal(x, y)
	case spec.OpNe:
		return w.Equal(x, y).Not()
	case spec.OpLt:
		return w.Less(x, y, t.Signed())
	case spec.OpGe:
		return w.Less(x, y, t.Signed()).Not()
	case spec.OpGt:
		return w.Less(y, x, t.Signed())
	}
	return w.Less(y, x, t.Signed()).Not()
}

func (w *world) shift(op spec.Op, t spec.Type, x, y circuit.Vec) circuit.Vec {
	steps := bits.Len(uint(t.Width() - 1))
	if op == spec.OpShl {
		return wrapVec(t, w.Shifted(x, y, steps, true, circuit.False))
	}
	x = wrapVec(t, x)
	fill := circuit.False
	if t.Signed() {
		fill = x[63]
	}
	return wrapVec(t, w.Shifted(x, y, steps, false, fill))
}
