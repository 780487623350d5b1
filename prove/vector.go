package prove

import (
	"math/bits"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// vec is a 64-bit number, least significant bit first, sign- or zero-extended from its C type.
type vec [64]lit

func constant(v uint64) *vec {
	var x vec
	for i := range x {
		x[i] = lit(v >> uint(i) & 1)
	}
	return &x
}

// value returns the number if all its bits are constant.
func (x *vec) value() (v uint64, ok bool) {
	for i, l := range x {
		if l > yes {
			return 0, false
		}
		v |= uint64(l) << uint(i)
	}
	return v, true
}

func boolVec(l lit) *vec { return &vec{0: l} }

// isSet returns the condition that a number is not 0.
func (c *circuit) isSet(x *vec) lit { return c.any(x[:]...) }

func (c *circuit) equal(x, y *vec) lit {
	out := yes
	for i := range x {
		out = c.and(out, c.xor(x[i], y[i]).not())
	}
	return out
}

// wrapVec converts a number to a type. It keeps the low bits that fit the type and sign- or
// zero-extends them.
func wrapVec(t spec.Type, x *vec) *vec {
	out := *x
	for i := 32; i < 64; i++ {
		switch t {
		case spec.I32:
			out[i] = x[31]
		case spec.U32:
			out[i] = no
		}
	}
	return &out
}

// sum adds two numbers and a carry. It drops the carry out of the top bit.
func (c *circuit) sum(x, y *vec, carry lit) *vec {
	var out vec
	for i := range out {
		half := c.xor(x[i], y[i])
		out[i] = c.xor(half, carry)
		carry = c.or(c.and(x[i], y[i]), c.and(half, carry))
	}
	return &out
}

func invert(x *vec) *vec {
	var out vec
	for i := range out {
		out[i] = x[i].not()
	}
	return &out
}

func (c *circuit) negate(x *vec) *vec { return c.sum(invert(x), &vec{}, yes) }

func (c *circuit) product(x, y *vec) *vec {
	if _, ok := x.value(); ok {
		x, y = y, x
	}
	out := &vec{}
	for i := range y {
		if y[i] == no {
			continue
		}
		var part vec
		for j := 0; i+j < 64; j++ {
			part[i+j] = c.and(x[j], y[i])
		}
		out = c.sum(out, &part, no)
	}
	return out
}

// less returns the condition that x is less than y, as signed or unsigned numbers.
func (c *circuit) less(x, y *vec, signed bool) lit {
	out := no
	for i := range x {
		a, b := x[i], y[i]
		if signed && i == 63 {
			a, b = b, a
		}
		out = c.mux(c.xor(a, b), b, out)
	}
	return out
}

func (c *circuit) muxVec(s lit, x, y *vec) *vec {
	var out vec
	for i := range out {
		out[i] = c.mux(s, x[i], y[i])
	}
	return &out
}

// shifted shifts a number by the value of the low bits of count. steps is the number of these bits.
// fill replaces the vacated bits of a right shift.
func (c *circuit) shifted(x, count *vec, steps int, left bool, fill lit) *vec {
	out := x
	for s := range steps {
		by := 1 << s
		var moved vec
		for i := range moved {
			from := i + by
			if left {
				from = i - by
			}
			switch {
			case from < 0:
			case from > 63:
				moved[i] = fill
			default:
				moved[i] = out[from]
			}
		}
		out = c.muxVec(count[s], &moved, out)
	}
	return out
}

// quotient divides unsigned numbers bit by bit. The caller handles division by 0.
func (c *circuit) quotient(x, y *vec) (quo, rem *vec) {
	quo, rem = &vec{}, &vec{}
	for i := length(x) - 1; i >= 0; i-- {
		top := rem[63]
		var next vec
		copy(next[1:], rem[:63])
		next[0] = x[i]
		fits := c.or(top, c.less(&next, y, false).not())
		quo[i] = fits
		rem = c.muxVec(fits, c.sum(&next, invert(y), yes), &next)
	}
	return quo, rem
}

// divide builds the circuit that computes / and % as model.Apply does. Quotients round toward 0, and a
// division by 0 returns 0.
func (c *circuit) divide(op spec.Op, t spec.Type, x, y *vec) *vec {
	var quo, rem *vec
	if t.Signed() {
		sx, sy := x[63], y[63]
		quo, rem = c.quotient(c.muxVec(sx, c.negate(x), x), c.muxVec(sy, c.negate(y), y))
		quo = c.muxVec(c.xor(sx, sy), c.negate(quo), quo)
		rem = c.muxVec(sx, c.negate(rem), rem)
	} else {
		quo, rem = c.quotient(x, y)
	}
	if op == spec.OpMod {
		quo = rem
	}
	return c.muxVec(c.isSet(y), wrapVec(t, quo), &vec{})
}

// apply builds the circuit that computes an operator as model.Apply does.
func (c *circuit) apply(n *model.Node, x, y *vec) *vec {
	t := n.Type
	switch n.Op {
	case spec.OpNot:
		return boolVec(c.isSet(x).not())
	case spec.OpInv:
		return wrapVec(t, invert(x))
	case spec.OpNeg:
		return wrapVec(t, c.negate(x))
	case spec.OpOrOr:
		return boolVec(c.or(c.isSet(x), c.isSet(y)))
	case spec.OpAndAnd:
		return boolVec(c.and(c.isSet(x), c.isSet(y)))
	case spec.OpEq, spec.OpNe, spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe:
		return boolVec(c.compare(n.Op, max(n.X.Type, n.Y.Type), x, y))
	case spec.OpShl, spec.OpShr:
		return c.shift(n.Op, t, x, y)
	}
	x, y = wrapVec(t, x), wrapVec(t, y)
	switch n.Op {
	case spec.OpOr, spec.OpXor, spec.OpAnd:
		return c.bitwise(n.Op, x, y)
	case spec.OpAdd:
		return wrapVec(t, c.sum(x, y, no))
	case spec.OpSub:
		return wrapVec(t, c.sum(x, invert(y), yes))
	case spec.OpMul:
		return wrapVec(t, c.product(x, y))
	case spec.OpDiv, spec.OpMod:
		return c.divide(n.Op, t, x, y)
	}
	return y // the comma operator
}

func (c *circuit) bitwise(op spec.Op, x, y *vec) *vec {
	f := c.and
	switch op {
	case spec.OpOr:
		f = c.or
	case spec.OpXor:
		f = c.xor
	}
	var out vec
	for i := range out {
		out[i] = f(x[i], y[i])
	}
	return &out
}

func (c *circuit) compare(op spec.Op, t spec.Type, x, y *vec) lit {
	x, y = wrapVec(t, x), wrapVec(t, y)
	switch op {
	case spec.OpEq:
		return c.equal(x, y)
	case spec.OpNe:
		return c.equal(x, y).not()
	case spec.OpLt:
		return c.less(x, y, t.Signed())
	case spec.OpGe:
		return c.less(x, y, t.Signed()).not()
	case spec.OpGt:
		return c.less(y, x, t.Signed())
	}
	return c.less(y, x, t.Signed()).not()
}

func (c *circuit) shift(op spec.Op, t spec.Type, x, y *vec) *vec {
	steps := bits.Len(uint(t.Width() - 1))
	if op == spec.OpShl {
		return wrapVec(t, c.shifted(x, y, steps, true, no))
	}
	x = wrapVec(t, x)
	fill := no
	if t.Signed() {
		fill = x[63]
	}
	return wrapVec(t, c.shifted(x, y, steps, false, fill))
}
