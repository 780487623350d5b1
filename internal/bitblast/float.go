package bitblast

import (
	"math/bits"

	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/sem"
)

// fractionBits returns the number of fraction bits of a float.
func fractionBits(width int) int {
	switch width {
	case 16:
		return 10
	case 32:
		return 23
	}
	return 52
}

// parts are the parts of a float, and what it is.
type parts struct {
	magnitude            circuit.Vec // the bits without the sign
	sign, zero, inf, nan circuit.Lit
}

func (s *Solver) parts(a circuit.Vec) parts {
	n := len(a) - 1
	f := fractionBits(len(a))
	fraction, exponent := s.IsSet(a[:f]), s.All(a[f:n]...)
	return parts{
		magnitude: a[:n], sign: a[n], zero: s.IsSet(a[:n]).Not(),
		inf: s.And(exponent, fraction.Not()), nan: s.And(exponent, fraction),
	}
}

// special returns a magnitude: the exponent of NaN and infinity, and the first bit of the fraction.
func special(width int, first bool) circuit.Vec {
	f := fractionBits(width)
	out := make(circuit.Vec, width-1)
	for i := f; i < len(out); i++ {
		out[i] = circuit.True
	}
	out[f-1] = circuit.Lit(b2i(first))
	return out
}

func nan(width int) circuit.Vec { return extend(special(width, true), width) }

func infinity(width int) circuit.Vec { return special(width, false) }

// canonical returns a float with the one NaN that there is.
func (s *Solver) canonical(a circuit.Vec) circuit.Vec {
	return s.MuxVec(s.parts(a).nan, nan(len(a)), a)
}

// signed returns a float with a magnitude and a sign.
func signed(magnitude circuit.Vec, sign circuit.Lit) circuit.Vec {
	return append(append(circuit.Vec{}, magnitude...), sign)
}

// rule is a rule for a result: if where holds, the result is value.
type rule struct {
	where circuit.Lit
	value circuit.Vec
}

// rules returns the value of the first rule that applies, or else value.
func (s *Solver) rules(value circuit.Vec, list ...rule) circuit.Vec {
	for i := len(list) - 1; i >= 0; i-- {
		value = s.MuxVec(list[i].where, list[i].value, value)
	}
	return value
}

// float returns the result of an arithmetic operation on floats.
func (s *Solver) float(o op, in *sem.Inst, a, b, c circuit.Vec) circuit.Vec {
	width, mode := in.Type().Width, sem.Mode(in.Imm)
	zero, inf := make(circuit.Vec, width-1), infinity(width)
	x, y := s.partsOf(in.A, o.lane, a), s.partsOf(in.B, o.lane, b)
	sign := s.Xor(x.sign, y.sign)
	switch in.Op {
	case sem.OpNeg:
		return signed(x.magnitude, x.sign.Not())
	case sem.OpAdd:
		return s.add(a, b, mode)
	case sem.OpSub:
		return s.add(a, signed(y.magnitude, y.sign.Not()), mode)
	case sem.OpRint:
		return s.rint(a, mode)
	case sem.OpMul:
		return s.times(o, a, b, mode, sign, s.Any(x.nan, y.nan, s.And(x.inf, y.zero), s.And(x.zero, y.inf)),
			rule{s.Or(x.inf, y.inf), signed(inf, sign)},
			rule{s.Or(x.zero, y.zero), signed(zero, sign)})
	case sem.OpDiv:
		return s.number(o, sign, s.Any(x.nan, y.nan, s.And(x.inf, y.inf), s.And(x.zero, y.zero)),
			rule{s.Or(x.inf, y.zero), signed(inf, sign)},
			rule{s.Or(x.zero, y.inf), signed(zero, sign)})
	case sem.OpFma:
		z := s.partsOf(in.C, o.lane, c)
		huge := s.Or(x.inf, y.inf)
		return s.number(o, s.anything(o, width-1, 1)[0],
			s.Any(x.nan, y.nan, z.nan, s.And(x.inf, y.zero), s.And(x.zero, y.inf), s.All(huge, z.inf, s.Xor(sign, z.sign))),
			rule{huge, signed(inf, sign)},
			rule{s.Or(z.inf, s.And(s.Or(x.zero, y.zero), z.zero.Not())), c})
	case sem.OpSqrt:
		return s.number(o, circuit.False, s.Or(x.nan, s.And(x.sign, x.zero.Not())), rule{s.Or(x.zero, x.inf), a})
	}
	return s.rules(s.canonical(s.anything(o, 0, width)), rule{x.nan, nan(width)})
}

// number returns an opaque float with the given sign, for which some rules hold. isNaN is the condition that it is NaN.
func (s *Solver) number(o op, sign, isNaN circuit.Lit, list ...rule) circuit.Vec {
	width := s.code.Insts[o.id].Type().Width
	x := signed(s.anything(o, 0, width-1), sign)
	x = s.MuxVec(s.parts(x).nan, signed(infinity(width), sign), x)
	return s.finish(o, x, isNaN, list)
}

// finish applies the rules for a result.
func (s *Solver) finish(o op, x circuit.Vec, isNaN circuit.Lit, list []rule) circuit.Vec {
	s.nans[o] = isNaN
	return s.MuxVec(isNaN, nan(len(x)), s.rules(x, list...))
}

// times returns the product of two floats with the given sign, for which some rules hold. Products of 64 bits are opaque.
func (s *Solver) times(o op, a, b circuit.Vec, mode sem.Mode, sign, isNaN circuit.Lit, list ...rule) circuit.Vec {
	if len(a) > 32 {
		return s.number(o, sign, isNaN, list...)
	}
	x, ex := s.significand(a)
	y, ey := s.significand(b)
	n := 2 * len(x)
	exponent := s.Sum(ex, ey, circuit.True) // that of the highest bit
	value := s.pack(sign, s.Product(extend(x, n), extend(y, n)), exponent, mode, len(a))
	return s.finish(o, value, isNaN, list)
}

// partsOf returns the parts of the value of an operation. It may have a shorter condition for NaN than parts.
func (s *Solver) partsOf(id sem.ID, lane int, a circuit.Vec) parts {
	if id == sem.NoID {
		return parts{}
	}
	x := s.parts(a)
	if l, ok := s.nans[s.op(id, lane)]; ok {
		x.nan = l
	}
	return x
}

// add returns a sum.
func (s *Solver) add(a, b circuit.Vec, mode sem.Mode) circuit.Vec {
	x, y := s.parts(a), s.parts(b)
	width := len(a)
	zero := signed(make(circuit.Vec, width-1), circuit.Lit(b2i(mode == sem.Down)))
	differ := s.Xor(x.sign, y.sign)
	return s.rules(s.sum(a, b, differ, mode),
		rule{s.Any(x.nan, y.nan, s.All(x.inf, y.inf, differ)), nan(width)},
		rule{x.inf, a}, rule{y.inf, b},
		rule{s.And(differ, s.Equal(x.magnitude, y.magnitude)), zero},
		rule{x.zero, b}, rule{y.zero, a})
}

// sum returns the sum of two finite floats that is not 0. differ is the condition that their signs differ.
func (s *Solver) sum(a, b circuit.Vec, differ circuit.Lit, mode sem.Mode) circuit.Vec {
	n := len(a) - 1
	swap := s.Less(a[:n], b[:n], false)
	a, b = s.MuxVec(swap, b, a), s.MuxVec(swap, a, b)
	x, ex := s.significand(a)
	y, ey := s.significand(b)
	// Three more bits suffice if the last one is set for all lost bits: if the difference has more than one leading zero, b is
	// shifted by at most one bit.
	const more = 3
	p := len(x) + more
	most := circuit.Constant(wide, uint64(p))
	distance := s.Sum(ex, ey.Invert(), circuit.True)
	distance = s.MuxVec(s.Less(most, distance, false), most, distance)
	moved := s.Shifted(append(make(circuit.Vec, p+more), y...), distance, bits.Len(uint(p)), false, circuit.False)
	lost := s.Any(moved[:p]...)
	moved = moved[p:]
	moved[0] = s.Or(moved[0], lost)
	left := extend(append(make(circuit.Vec, more), x...), p+1)
	right := extend(moved, p+1)
	for i := range right {
		right[i] = s.Xor(right[i], differ)
	}
	return s.pack(a[n], s.Sum(left, right, differ), s.Sum(ex, circuit.Constant(wide, 1), circuit.False), mode, len(a))
}

// product returns a product of which a factor 0 makes +0.
func (s *Solver) product(o op, in *sem.Inst, a, b circuit.Vec) circuit.Vec {
	x, y := s.partsOf(in.A, o.lane, a), s.partsOf(in.B, o.lane, b)
	zeroA, zeroB := x.zero, y.zero
	if sem.Zeros(in) == 0x7f800000 { // a denormal is 0, too
		zeroA, zeroB = s.IsSet(a[23:31]).Not(), s.IsSet(b[23:31]).Not()
	}
	sign, zero := s.Xor(x.sign, y.sign), s.Or(zeroA, zeroB)
	return s.times(o, a, b, sem.Nearest, sign, s.And(s.Or(x.nan, y.nan), zero.Not()),
		rule{zero, make(circuit.Vec, len(a))},
		rule{s.Or(x.inf, y.inf), signed(infinity(len(a)), sign)})
}

// convert returns a number as a number of another type.
func (s *Solver) convert(in *sem.Inst, a circuit.Vec) circuit.Vec {
	t, from, mode := in.Type(), in.From(), sem.Mode(in.Imm)
	if t == (sem.Type{Kind: sem.Float, Width: 64}) && mode == sem.Away { // as sem.Apply does
		mode = sem.Nearest
	}
	switch {
	case from.Kind == sem.Float && t.Kind == sem.Float:
		x := s.parts(a)
		m, exponent := s.significand(a)
		return s.rules(s.pack(x.sign, m, exponent, mode, t.Width),
			rule{x.nan, nan(t.Width)},
			rule{x.inf, signed(infinity(t.Width), x.sign)})
	case from.Kind == sem.Float:
		return s.integral(a, mode, t)
	case t.Kind == sem.Float:
		sign := circuit.False
		if from.Kind == sem.Sint {
			sign = a[len(a)-1]
			a = s.MuxVec(sign, s.Negate(a), a)
		}
		return s.pack(sign, a, circuit.Constant(wide, uint64(len(a)-1)), mode, t.Width)
	}
	return s.clamp(a, from, t)
}

// clamp returns the integer of a type that is nearest to another integer.
func (s *Solver) clamp(a circuit.Vec, from, to sem.Type) circuit.Vec {
	wide := max(from.Width, to.Width) + 1
	sign := circuit.False
	if from.Kind == sem.Sint {
		sign = a[len(a)-1]
	}
	x := append(append(circuit.Vec{}, a...), same(sign, wide-len(a))...)
	low, high := make(circuit.Vec, wide), extend(same(circuit.True, to.Width), wide)
	if to.Kind == sem.Sint {
		high = extend(same(circuit.True, to.Width-1), wide)
		low = high.Invert()
	}
	x = s.MuxVec(s.Less(x, low, true), low, x)
	return s.MuxVec(s.Less(high, x, true), high, x)[:to.Width]
}
