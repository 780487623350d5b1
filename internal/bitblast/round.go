package bitblast

import (
	"math/bits"

	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/sem"
)

// wide is the number of bits of exponents in computations.
const wide = 14

func bias(width int) int { return 1<<(width-fractionBits(width)-2) - 1 }

// significand returns the significand of a finite float, with the leading bit, and the exponent of that bit.
func (s *Solver) significand(a circuit.Vec) (m, exponent circuit.Vec) {
	f, n := fractionBits(len(a)), len(a)-1
	normal := s.IsSet(a[f:n])
	m = append(append(circuit.Vec{}, a[:f]...), normal)
	exponent = extend(a[f:n], wide)
	exponent[0] = s.Or(exponent[0], normal.Not()) // a denormal has the exponent 1
	return m, s.Sum(exponent, circuit.Constant(wide, uint64(-bias(len(a)))), circuit.False)
}

// roundUp returns the condition that rounding increases a magnitude, given its sign and last bit, the first bit that is lost,
// and whether any further lost bit is set.
func (s *Solver) roundUp(mode sem.Mode, sign, last, half, sticky circuit.Lit) circuit.Lit {
	switch mode {
	case sem.Nearest:
		return s.And(half, s.Or(sticky, last))
	case sem.Away:
		return half
	case sem.Down:
		return s.And(s.Or(half, sticky), sign)
	case sem.Up:
		return s.And(s.Or(half, sticky), sign.Not())
	}
	return circuit.False
}

// whole rounds a finite float to an integer. It returns the magnitude in width+1 bits, and the condition that the magnitude
// has more than width bits.
func (s *Solver) whole(a circuit.Vec, mode sem.Mode, width int) (magnitude circuit.Vec, big circuit.Lit) {
	m, exponent := s.significand(a)
	p := len(m)
	// m << (exponent+1) has p fraction bits, one of which is before the first bit of m if the exponent is -1.
	count := s.Sum(exponent, circuit.Constant(wide, 1), circuit.False)
	small := count[wide-1]
	big = s.And(small.Not(), s.Less(circuit.Constant(wide, uint64(width)), count, false))
	fixed := s.Shifted(extend(m, p+width), count, bits.Len(uint(width)), true, circuit.False)
	fixed = s.MuxVec(small, make(circuit.Vec, len(fixed)), fixed)
	sticky := s.Or(s.Any(fixed[:p-1]...), s.And(small, s.IsSet(m)))
	up := s.roundUp(mode, a[len(a)-1], fixed[p], fixed[p-1], sticky)
	magnitude = s.Sum(extend(fixed[p:], width+1), make(circuit.Vec, width+1), up)
	return magnitude, s.Or(big, magnitude[width])
}

// integral converts a float to an integer.
func (s *Solver) integral(a circuit.Vec, mode sem.Mode, to sem.Type) circuit.Vec {
	x := s.parts(a)
	magnitude, big := s.whole(a, mode, to.Width)
	n := to.Width
	big = s.Or(big, x.inf)
	low, high, value := make(circuit.Vec, n), same(circuit.True, n), magnitude[:n]
	if to.Kind == sem.Sint {
		big = s.Or(big, magnitude[n-1])
		high = append(same(circuit.True, n-1), circuit.False)
		low = high.Invert()
		value = s.MuxVec(x.sign, s.Negate(value), value)
	} else {
		big = s.Or(big, x.sign)
	}
	value = s.MuxVec(big, s.MuxVec(x.sign, low, high), value)
	return s.MuxVec(x.nan, make(circuit.Vec, n), value)
}

// rint rounds a float to an integer, as a float.
func (s *Solver) rint(a circuit.Vec, mode sem.Mode) circuit.Vec {
	x := s.parts(a)
	n := fractionBits(len(a)) + 1
	magnitude, big := s.whole(a, mode, n)
	rounded := s.pack(x.sign, magnitude, circuit.Constant(wide, uint64(n)), sem.Nearest, len(a))
	return s.rules(rounded, rule{x.nan, nan(len(a))}, rule{s.Or(big, x.inf), a})
}

// pack rounds a number to a float. exponent is the exponent of the highest bit of magnitude, which may be 0. If all bits are
// 0, the result is 0 with the sign.
func (s *Solver) pack(sign circuit.Lit, magnitude, exponent circuit.Vec, mode sem.Mode, width int) circuit.Vec {
	f := fractionBits(width)
	n := max(len(magnitude), f+3)
	m := append(make(circuit.Vec, n-len(magnitude)), magnitude...)
	zeros := s.leadingZeros(magnitude)
	m = s.Shifted(m, zeros, len(zeros), true, circuit.False)
	exponent = s.Sum(exponent, extend(zeros, wide).Invert(), circuit.True)
	// A denormal result is shifted to the right.
	least := circuit.Constant(wide, uint64(1-bias(width)))
	short := s.Sum(least, exponent.Invert(), circuit.True)
	denormal := s.And(short[wide-1].Not(), s.IsSet(short))
	exponent = s.MuxVec(denormal, least, exponent)
	most := circuit.Constant(wide, uint64(f+2))
	short = s.MuxVec(s.Less(most, short, false), most, short)
	short = s.MuxVec(denormal, short, make(circuit.Vec, wide))
	m = append(make(circuit.Vec, f+2), m...)
	m = s.Shifted(m, short, bits.Len(uint(f+2)), false, circuit.False)
	kept, rest := m[len(m)-f-1:], m[:len(m)-f-1]
	last := len(rest) - 1
	up := s.roundUp(mode, sign, kept[0], rest[last], s.Any(rest[:last]...))
	// A carry out of kept, and its leading bit, increase the exponent.
	total := f + wide
	field := s.Sum(exponent, circuit.Constant(wide, uint64(bias(width)-1)), circuit.False)
	out := s.Sum(extend(kept, total), append(make(circuit.Vec, f), field...), up)
	inf := extend(infinity(width), total)
	over := s.Less(out, inf, false).Not()
	limit := infinity(width)
	switch mode {
	case sem.Zero:
		limit = s.below(limit, circuit.True)
	case sem.Down:
		limit = s.below(limit, sign.Not())
	case sem.Up:
		limit = s.below(limit, sign)
	}
	out = s.MuxVec(over, limit, out[:width-1])
	return signed(s.MuxVec(s.IsSet(magnitude), out, make(circuit.Vec, width-1)), sign)
}

// below returns the largest finite magnitude if a condition holds, and otherwise infinity.
func (s *Solver) below(infinity circuit.Vec, finite circuit.Lit) circuit.Vec {
	return s.MuxVec(finite, s.Sum(infinity, same(circuit.True, len(infinity)), circuit.False), infinity)
}
