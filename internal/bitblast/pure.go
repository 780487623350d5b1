package bitblast

import (
	"encoding/binary"
	"math/bits"

	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/sem"
)

// maxQuotient is the largest number of bits of a dividend whose quotient is exact.
const maxQuotient = 32

// pure returns the value of an operation that sem.Apply computes.
func (s *Solver) pure(o op, in *sem.Inst) circuit.Vec {
	var a, b, c circuit.Vec
	for i, arg := range [3]sem.ID{in.A, in.B, in.C} {
		if arg != sem.NoID {
			*[3]*circuit.Vec{&a, &b, &c}[i] = s.ValueIn(arg, o.lane)
		}
	}
	t, from := in.Type(), in.From()
	switch in.Op {
	case sem.OpSplat:
		return a
	case sem.OpSelect:
		return s.MuxVec(a[0], b, c)
	case sem.OpCast:
		if from.Kind == sem.Float && t.Kind != sem.Float {
			a = s.canonical(a)
		}
		return extend(a, t.Width)
	case sem.OpSext:
		return signExtend(a, t.Width)
	case sem.OpSlice:
		return extend(a[min(int(in.Imm), len(a)):], t.Width)
	case sem.OpConcat:
		return extend(append(append(circuit.Vec{}, b...), a...), t.Width)
	case sem.OpFlush:
		denormal := s.IsSet(a[23:31]).Not()
		return append(s.MuxVec(denormal, make(circuit.Vec, 31), a[:31]), a[31:]...)
	case sem.OpEq, sem.OpNe, sem.OpLt, sem.OpLe:
		return circuit.Vec{s.compare(o, in, a, b)}
	case sem.OpCarry, sem.OpOverflow:
		return circuit.Vec{s.carry(in.Op, a, b, c[0])}
	case sem.OpClz:
		return extend(s.leadingZeros(a), t.Width)
	case sem.OpPopcount:
		return extend(s.ones(a), t.Width)
	case sem.OpConvert:
		return s.convert(in, a)
	case sem.OpProduct:
		return s.product(o, in, a, b)
	}
	// Equal operations on equal values have equal results, even opaque ones.
	key := keyOf(in, a, b, c)
	if same, ok := s.same[key]; ok {
		if l, ok := s.nans[same]; ok {
			s.nans[o] = l
		}
		return s.values[same.lane][same.id]
	}
	s.same[key] = o
	if t.Kind == sem.Float {
		return s.float(o, in, a, b, c)
	}
	return s.integer(o, in, a, b)
}

// keyOf returns a text that only equal operations on equal values have.
func keyOf(in *sem.Inst, args ...circuit.Vec) string {
	t := in.Type()
	key := []byte{byte(in.Op), byte(in.Imm), byte(t.Kind), byte(t.Width)}
	for _, x := range args {
		for _, l := range x {
			key = binary.LittleEndian.AppendUint32(key, uint32(l))
		}
	}
	return string(key)
}

func (s *Solver) integer(o op, in *sem.Inst, a, b circuit.Vec) circuit.Vec {
	signed := in.Type().Kind == sem.Sint
	switch in.Op {
	case sem.OpAdd:
		return s.Sum(a, b, circuit.False)
	case sem.OpSub:
		return s.Sum(a, b.Invert(), circuit.True)
	case sem.OpNeg:
		return s.Negate(a)
	case sem.OpNot:
		return a.Invert()
	case sem.OpAnd:
		return bitwise(s.And, a, b)
	case sem.OpOr:
		return bitwise(s.Or, a, b)
	case sem.OpXor:
		return bitwise(s.Xor, a, b)
	case sem.OpShl, sem.OpShr:
		return s.shift(in.Op, signed, a, b)
	case sem.OpMin, sem.OpMax:
		return s.MuxVec(s.Xor(s.Less(a, b, signed), circuit.Lit(b2i(in.Op == sem.OpMax))), a, b)
	case sem.OpMul:
		return s.multiply(a, b)
	case sem.OpMulHigh:
		n := len(a)
		if n > 32 {
			break
		}
		if signed {
			return s.multiply(signExtend(a, 2*n), signExtend(b, 2*n))[n:]
		}
		return s.multiply(extend(a, 2*n), extend(b, 2*n))[n:]
	case sem.OpDiv, sem.OpMod:
		if a.Length() > maxQuotient {
			break
		}
		return s.divide(in.Op, signed, a, b)
	}
	return s.anything(o, 0, in.Type().Width)
}

// multiply returns the low bits of a product. It leaves out copies of the signs.
func (s *Solver) multiply(a, b circuit.Vec) circuit.Vec {
	n := min(signedLength(a)+signedLength(b), len(a))
	return signExtend(s.Product(a[:n], b[:n]), len(a))
}

// signedLength returns the number of bits of a signed number without copies of its sign.
func signedLength(a circuit.Vec) int {
	n := len(a)
	for n > 1 && a[n-1] == a[n-2] {
		n--
	}
	return n
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func bitwise(f func(a, b circuit.Lit) circuit.Lit, a, b circuit.Vec) circuit.Vec {
	out := make(circuit.Vec, len(a))
	for i := range out {
		out[i] = f(a[i], b[i])
	}
	return out
}

func (s *Solver) shift(op sem.Op, signed bool, a, b circuit.Vec) circuit.Vec {
	fill := circuit.False
	if op == sem.OpShr && signed {
		fill = a[len(a)-1]
	}
	steps := min(len(b), bits.Len(uint(len(a)-1)))
	out := s.Shifted(a, b, steps, op == sem.OpShl, fill)
	far := s.Any(b[steps:]...)
	return s.MuxVec(far, same(fill, len(a)), out)
}

// same returns a number whose bits are all equal.
func same(l circuit.Lit, width int) circuit.Vec {
	out := make(circuit.Vec, width)
	for i := range out {
		out[i] = l
	}
	return out
}

func (s *Solver) divide(op sem.Op, signed bool, a, b circuit.Vec) circuit.Vec {
	var quo, rem circuit.Vec
	if signed {
		sa, sb := a[len(a)-1], b[len(b)-1]
		quo, rem = s.Quotient(s.MuxVec(sa, s.Negate(a), a), s.MuxVec(sb, s.Negate(b), b))
		quo = s.MuxVec(s.Xor(sa, sb), s.Negate(quo), quo)
		rem = s.MuxVec(sa, s.Negate(rem), rem)
	} else {
		quo, rem = s.Quotient(a, b)
	}
	if op == sem.OpMod {
		quo = rem
	}
	return s.MuxVec(s.IsSet(b), quo, make(circuit.Vec, len(a)))
}

func (s *Solver) carry(op sem.Op, a, b circuit.Vec, c circuit.Lit) circuit.Lit {
	n := len(a)
	sum := s.Sum(extend(a, n+1), extend(b, n+1), c)
	if op == sem.OpCarry {
		return sum[n]
	}
	return s.And(s.Xor(a[n-1], sum[n-1]), s.Xor(b[n-1], sum[n-1]))
}

// leadingZeros returns the number of leading zeros.
func (s *Solver) leadingZeros(a circuit.Vec) circuit.Vec {
	width := bits.Len(uint(len(a)))
	out := circuit.Constant(width, uint64(len(a)))
	for i, l := range a {
		out = s.MuxVec(l, circuit.Constant(width, uint64(len(a)-1-i)), out)
	}
	return out
}

// ones returns the number of ones.
func (s *Solver) ones(a circuit.Vec) circuit.Vec {
	width := bits.Len(uint(len(a)))
	if len(a) == 1 {
		return a
	}
	half := len(a) / 2
	return s.Sum(extend(s.ones(a[:half]), width), extend(s.ones(a[half:]), width), circuit.False)
}

// compare returns the condition that a comparison holds.
func (s *Solver) compare(o op, in *sem.Inst, a, b circuit.Vec) circuit.Lit {
	op, kind := in.Op, in.From().Kind
	if kind != sem.Float {
		switch op {
		case sem.OpEq:
			return s.Equal(a, b)
		case sem.OpNe:
			return s.Equal(a, b).Not()
		case sem.OpLt:
			return s.Less(a, b, kind == sem.Sint)
		}
		return s.Less(b, a, kind == sem.Sint).Not()
	}
	x, y := s.partsOf(in.A, o.lane, a), s.partsOf(in.B, o.lane, b)
	ordered := s.Or(x.nan, y.nan).Not()
	zeros := s.And(x.zero, y.zero)
	equal := s.And(ordered, s.Or(zeros, s.Equal(a, b)))
	switch op {
	case sem.OpEq:
		return equal
	case sem.OpNe:
		return equal.Not()
	}
	magnitudes := s.Mux(x.sign, s.Less(y.magnitude, x.magnitude, false), s.Less(x.magnitude, y.magnitude, false))
	less := s.All(ordered, zeros.Not(), s.Mux(s.Xor(x.sign, y.sign), x.sign, magnitudes))
	if op == sem.OpLe {
		return s.Or(less, equal)
	}
	return less
}
