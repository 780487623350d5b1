package sem

import (
	"math"
	"math/big"
)

// Rounding doubles in a mode other than the nearest takes more bits than a double has to spare, and happens
// rarely: it is done with the exact result.

// exactBits hold every sum of a product and a number, from the smallest to the largest.
const exactBits = 4400

// directed computes an operation on doubles, rounded as a mode other than Nearest says.
func directed(op Op, x, y, z float64, mode Mode) uint64 {
	near := nearest64(op, x, y, z)
	if near != near || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0) || op == OpDiv && y == 0 {
		return bits64(near)
	}
	v := exactResult(op, x, y, z)
	if v.Sign() != 0 {
		return round64(v, mode)
	}
	if op == OpMul || op == OpDiv || sameZero(op, x, y, z) {
		return bits64(near)
	}
	if mode == Down {
		return signBit64
	}
	return 0
}

func nearest64(op Op, x, y, z float64) float64 {
	switch op {
	case OpAdd:
		return x + y
	case OpSub:
		return x - y
	case OpMul:
		return x * y
	case OpDiv:
		return x / y
	}
	return math.FMA(x, y, z)
}

// sameZero reports whether both parts of a sum that is 0 are zeros of one sign, which the sum has then too.
func sameZero(op Op, x, y, z float64) bool {
	a, b := x, y
	switch op {
	case OpSub:
		b = -y
	case OpFma:
		if x != 0 && y != 0 {
			return false
		}
		a, b = x*y, z
	}
	return a == 0 && b == 0 && math.Signbit(a) == math.Signbit(b)
}

// exactResult is the result, of a quotient with all bits that matter.
func exactResult(op Op, x, y, z float64) *big.Float {
	number := func(f float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(f) }
	v := new(big.Float).SetPrec(exactBits).SetMode(big.ToZero)
	switch op {
	case OpAdd:
		return v.Add(number(x), number(y))
	case OpSub:
		return v.Sub(number(x), number(y))
	case OpMul:
		return v.Mul(number(x), number(y))
	case OpDiv:
		return v.Quo(number(x), number(y))
	}
	return v.Add(v.Mul(number(x), number(y)), number(z))
}

// round64 rounds what is not 0 to a double.
func round64(v *big.Float, mode Mode) uint64 {
	const leastExponent, mantissa = -1074, 53
	modes := [...]big.RoundingMode{Nearest: big.ToNearestEven, Zero: big.ToZero, Down: big.ToNegativeInf, Up: big.ToPositiveInf, Away: big.ToNearestAway}
	negative := v.Signbit()
	outward := mode == Up && !negative || mode == Down && negative
	sign := uint64(0)
	if negative {
		sign = signBit64
	}
	kept := min(mantissa, v.MantExp(nil)-leastExponent)
	if kept < 1 { // less than the least number there is
		half := new(big.Float).SetMantExp(big.NewFloat(1), leastExponent-1)
		if outward || mode == Away && v.Abs(v).Cmp(half) >= 0 {
			sign++
		}
		return sign
	}
	f, _ := v.SetMode(modes[mode]).SetPrec(uint(kept)).Float64()
	if math.IsInf(f, 0) && (mode == Zero || (mode == Up || mode == Down) && !outward) {
		return sign | math.Float64bits(math.MaxFloat64)
	}
	return math.Float64bits(f)
}
