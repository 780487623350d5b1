package bitblast

import (
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

// number returns a float that is not NaN and has the given sign. Otherwise, it may be any.
func (s *Solver) number(id sem.ID, width int, sign circuit.Lit) circuit.Vec {
	x := append(s.anything(id, 0, width-1), sign)
	return append(s.MuxVec(s.parts(x).nan, infinity(width), x[:width-1]), sign)
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
func (s *Solver) float(id sem.ID, in *sem.Inst, a, b, c circuit.Vec) circuit.Vec {
	width := in.Type().Width
	zero := make(circuit.Vec, width-1)
	inf, mode := infinity(width), sem.Mode(in.Imm)
	x := s.parts(a)
	var y parts
	if b != nil {
		y = s.parts(b)
	}
	switch in.Op {
	case sem.OpNeg:
		return signed(x.magnitude, x.sign.Not())
	case sem.OpAdd:
		return s.add(id, a, b, mode)
	case sem.OpSub:
		return s.add(id, a, signed(y.magnitude, y.sign.Not()), mode)
	case sem.OpMul:
		sign := s.Xor(x.sign, y.sign)
		return s.rules(s.number(id, width, sign),
			rule{s.Any(x.nan, y.nan, s.And(x.inf, y.zero), s.And(x.zero, y.inf)), nan(width)},
			rule{s.Or(x.inf, y.inf), signed(inf, sign)},
			rule{s.Or(x.zero, y.zero), signed(zero, sign)})
	case sem.OpDiv:
		sign := s.Xor(x.sign, y.sign)
		return s.rules(s.number(id, width, sign),
			rule{s.Any(x.nan, y.nan, s.And(x.inf, y.inf), s.And(x.zero, y.zero)), nan(width)},
			rule{s.Or(x.inf, y.zero), signed(inf, sign)},
			rule{s.Or(x.zero, y.inf), signed(zero, sign)})
	case sem.OpFma:
		z := s.parts(c)
		sign := s.Xor(x.sign, y.sign)
		huge := s.Or(x.inf, y.inf)
		return s.rules(s.number(id, width, s.anything(id, width-1, 1)[0]),
			rule{s.Any(x.nan, y.nan, z.nan, s.And(x.inf, y.zero), s.And(x.zero, y.inf), s.All(huge, z.inf, s.Xor(sign, z.sign))), nan(width)},
			rule{huge, signed(inf, sign)},
			rule{s.Or(z.inf, s.And(s.Or(x.zero, y.zero), z.zero.Not())), c})
	case sem.OpSqrt:
		return s.rules(s.number(id, width, circuit.False),
			rule{s.Or(x.nan, s.And(x.sign, x.zero.Not())), nan(width)},
			rule{s.Or(x.zero, x.inf), a})
	case sem.OpRint:
		return s.rules(s.number(id, width, x.sign), rule{x.nan, nan(width)}, rule{s.Or(x.zero, x.inf), a})
	}
	return s.rules(s.canonical(s.anything(id, 0, width)), rule{x.nan, nan(width)})
}

func (s *Solver) add(id sem.ID, a, b circuit.Vec, mode sem.Mode) circuit.Vec {
	x, y := s.parts(a), s.parts(b)
	width := len(a)
	zero := signed(make(circuit.Vec, width-1), circuit.Lit(b2i(mode == sem.Down)))
	differ := s.Xor(x.sign, y.sign)
	return s.rules(s.number(id, width, s.anything(id, width-1, 1)[0]),
		rule{s.Any(x.nan, y.nan, s.All(x.inf, y.inf, differ)), nan(width)},
		rule{x.inf, a}, rule{y.inf, b},
		rule{s.And(differ, s.Equal(x.magnitude, y.magnitude)), zero},
		rule{x.zero, b}, rule{y.zero, a})
}

// product returns a product of which a factor 0 is +0.
func (s *Solver) product(id sem.ID, in *sem.Inst, a, b circuit.Vec) circuit.Vec {
	x, y := s.parts(a), s.parts(b)
	zeroA, zeroB := x.zero, y.zero
	if sem.Zeros(in)>>23<<23 == sem.Zeros(in) { // a denormal is 0, too
		zeroA, zeroB = s.IsSet(a[23:31]).Not(), s.IsSet(b[23:31]).Not()
	}
	sign := s.Xor(x.sign, y.sign)
	return s.rules(s.number(id, len(a), sign),
		rule{s.Or(zeroA, zeroB), make(circuit.Vec, len(a))},
		rule{s.Or(x.nan, y.nan), nan(len(a))},
		rule{s.Or(x.inf, y.inf), signed(infinity(len(a)), sign)})
}

// convert returns a number as a number of another type.
func (s *Solver) convert(id sem.ID, in *sem.Inst, a circuit.Vec) circuit.Vec {
	t, from := in.Type(), in.From()
	switch {
	case from.Kind == sem.Float && t.Kind == sem.Float:
		x := s.parts(a)
		return s.rules(s.number(id, t.Width, x.sign),
			rule{x.nan, nan(t.Width)},
			rule{x.inf, signed(infinity(t.Width), x.sign)},
			rule{x.zero, signed(make(circuit.Vec, t.Width-1), x.sign)})
	case from.Kind == sem.Float:
		x := s.parts(a)
		return s.MuxVec(s.Or(x.nan, x.zero), make(circuit.Vec, t.Width), s.anything(id, 0, t.Width))
	case t.Kind == sem.Float:
		sign := circuit.False
		if from.Kind == sem.Sint {
			sign = a[len(a)-1]
		}
		return s.rules(s.number(id, t.Width, sign), rule{s.IsSet(a).Not(), make(circuit.Vec, t.Width)})
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
