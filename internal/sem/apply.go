package sem

import (
	"math"
	mathbits "math/bits"
)

// Apply computes a pure operation on one component. It defines the arithmetic of the IR: engines use it for every operation
// that they do not implement themselves.
func Apply(in *Inst, a, b, c uint64) uint64 {
	switch in.Op {
	case OpSplat:
		return a
	case OpSelect:
		if a != 0 {
			return b
		}
		return c
	case OpCast:
		if in.From().Kind == Float && in.Type().Kind != Float {
			a = canonical(a, in.From().Width)
		}
		return a & in.Type().mask()
	case OpSext:
		w := uint(64 - in.From().Width)
		return uint64(int64(a<<w)>>w) & in.Type().mask()
	case OpConvert:
		return convert(a, in.From(), in.Type(), Mode(in.Imm))
	case OpFlush:
		if a&0x7f800000 == 0 {
			a &= 0x80000000
		}
		return a
	case OpProduct:
		if zeros := Zeros(in); a&zeros == 0 || b&zeros == 0 {
			return 0
		}
		return bits32(math.Float32frombits(uint32(a)) * math.Float32frombits(uint32(b)))
	case OpSlice:
		return a >> uint(in.Imm) & in.Type().mask()
	case OpConcat:
		return (a<<uint(in.Type().Width-in.From().Width) | b) & in.Type().mask()
	case OpEq, OpNe, OpLt, OpLe:
		return flag(compare(in.Op, in.From(), a, b))
	case OpCarry, OpOverflow:
		return carry(in, a, b, c)
	}
	if in.Type().Kind == Float {
		return applyFloat(in, a, b, c)
	}
	return applyInt(in, a, b) & in.Type().mask()
}

// Zeros returns a mask for the factors of an OpProduct. A factor counts as 0 if all bits of the mask are 0 in it.
func Zeros(in *Inst) uint64 {
	if in.Imm == 1 {
		return 0x7f800000
	}
	return 0x7fffffff
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func compare(op Op, t Type, a, b uint64) bool {
	if t.Kind == Float {
		x, y := toFloat64(a, t.Width), toFloat64(b, t.Width)
		switch op {
		case OpEq:
			return x == y
		case OpNe:
			return x != y
		case OpLt:
			return x < y
		}
		return x <= y
	}
	less := a < b
	if t.Kind == Sint {
		less = t.signed(a) < t.signed(b)
	}
	switch op {
	case OpEq:
		return a == b
	case OpNe:
		return a != b
	case OpLt:
		return less
	}
	return less || a == b
}

// carry computes the carry out of A+B+C, or whether the signed sum overflows.
func carry(in *Inst, a, b, c uint64) uint64 {
	w := uint(in.From().Width)
	if in.Op == OpCarry {
		sum, over := mathbits.Add64(a<<(64-w), b<<(64-w), 0)
		_, more := mathbits.Add64(sum, c<<(64-w), 0)
		return over | more
	}
	sum := (a + b + c) & in.From().mask()
	return (a ^ sum) & (b ^ sum) >> (w - 1) & 1
}

func applyInt(in *Inst, a, b uint64) uint64 {
	t := in.Type()
	switch in.Op {
	case OpAdd:
		return a + b
	case OpSub:
		return a - b
	case OpMul:
		return a * b
	case OpMulHigh:
		return mulHigh(t, a, b)
	case OpDiv, OpMod:
		return divide(in.Op, t, a, b)
	case OpNeg:
		return -a
	case OpNot:
		return ^a
	case OpAnd:
		return a & b
	case OpOr:
		return a | b
	case OpXor:
		return a ^ b
	case OpShl:
		if b >= uint64(t.Width) {
			return 0
		}
		return a << b
	case OpShr:
		if t.Kind == Sint {
			return uint64(t.signed(a) >> min(b, 63))
		}
		return a >> min(b, 64)
	case OpMin, OpMax:
		if compare(OpLt, t, a, b) == (in.Op == OpMin) {
			return a
		}
		return b
	case OpClz:
		return uint64(mathbits.LeadingZeros64(a) - 64 + in.From().Width)
	case OpPopcount:
		return uint64(mathbits.OnesCount64(a))
	}
	return 0
}

func mulHigh(t Type, a, b uint64) uint64 {
	hi, lo := mathbits.Mul64(a, b)
	if t.Kind == Sint {
		x, y := t.signed(a), t.signed(b)
		hi, lo = mathbits.Mul64(uint64(x), uint64(y))
		hi -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
	}
	w := uint(t.Width)
	return lo>>w | hi<<(64-w)
}

func divide(op Op, t Type, a, b uint64) uint64 {
	if b == 0 {
		return 0
	}
	if t.Kind == Sint {
		x, y := t.signed(a), t.signed(b)
		switch {
		case y == -1 && op == OpDiv:
			return uint64(-x)
		case y == -1:
			return 0
		case op == OpDiv:
			return uint64(x / y)
		}
		return uint64(x % y)
	}
	if op == OpDiv {
		return a / b
	}
	return a % b
}

// toFloat64 reads the bits of a float.
func toFloat64(x uint64, width int) float64 {
	switch width {
	case 64:
		return math.Float64frombits(x)
	case 32:
		return float64(math.Float32frombits(uint32(x)))
	}
	return half(uint16(x))
}

// half reads a float of 16 bits.
func half(h uint16) float64 {
	sign, exp, frac := float64(1), int(h>>10&31), float64(h&0x3ff)
	if h>>15 != 0 {
		sign = -1
	}
	switch exp {
	case 0:
		return sign * frac * 0x1p-24
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * (frac + 1024) * math.Float64frombits(uint64(exp-25+1023)<<52)
}

const signBit64 = 1 << 63

func applyFloat(in *Inst, a, b, c uint64) uint64 {
	w := in.Type().Width
	if in.Op == OpNeg {
		return a ^ 1<<uint(w-1)
	}
	if w == 32 && in.Imm == 0 {
		if r, ok := applyF32(in.Op, a, b); ok {
			return r
		}
	}
	x, y, z, mode := toFloat64(a, w), toFloat64(b, w), toFloat64(c, w), Mode(in.Imm)
	if w == 64 && mode != Nearest && (in.Op >= OpAdd && in.Op <= OpDiv || in.Op == OpFma) {
		return directed(in.Op, x, y, z, mode)
	}
	switch in.Op {
	case OpAdd:
		return narrow(addOdd(x, y), w, mode, x, y)
	case OpSub:
		return narrow(addOdd(x, -y), w, mode, x, -y)
	case OpMul:
		return narrow(exact{x * y, 0}, w, mode, 0, 0)
	case OpDiv:
		return narrow(divOdd(x, y), w, mode, 0, 0)
	case OpFma:
		return fma(x, y, z, w, mode)
	case OpSqrt:
		return narrow(sqrtOdd(x), w, mode, 0, 0)
	case OpExp2:
		return round(exp2(x), w, Nearest)
	case OpLog2:
		return round(log2(x), w, Nearest)
	case OpSin:
		return round(sine(x, 0), w, Nearest)
	case OpCos:
		return round(sine(x, 1), w, Nearest)
	case OpRint:
		return round(Rint(x, mode), w, Nearest)
	}
	return 0
}

// applyF32 is applyFloat for what float32 does itself.
func applyF32(op Op, a, b uint64) (uint64, bool) {
	x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
	switch op {
	case OpAdd:
		return bits32(x + y), true
	case OpSub:
		return bits32(x - y), true
	case OpMul:
		return bits32(x * y), true
	case OpDiv:
		return bits32(x / y), true
	}
	return 0, false
}

// bits32 returns the bits of a float with the one NaN that there is.
func bits32(x float32) uint64 {
	if x != x {
		return nan32
	}
	return uint64(math.Float32bits(x))
}

// canonical returns the bits of a float with the one NaN that there is.
func canonical(a uint64, width int) uint64 {
	switch width {
	case 64:
		if a&^signBit64 > 0x7ff<<52 {
			return nan64
		}
	case 32:
		if a&0x7fffffff > 0x7f800000 {
			return nan32
		}
	case 16:
		if a&0x7fff > 0x7c00 {
			return nan16
		}
	}
	return a
}

// Canonical returns the bits of a component as a result of a run. It replaces each NaN with the canonical NaN.
func Canonical(a uint64, t Type) uint64 {
	if t.Kind == Float {
		return canonical(a, t.Width)
	}
	return a
}

const (
	nan16 = 0x7e00
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000000
)
