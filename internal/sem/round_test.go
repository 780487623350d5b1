package sem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Values by hand, from the definition of the formats.
func TestConvertFloats(t *testing.T) {
	f64 := Type{Kind: Float, Width: 64}
	for _, row := range []struct {
		x     float64
		width int
		mode  Mode
		want  uint64
	}{
		{1, 16, Nearest, 0x3c00},
		{65504, 16, Nearest, 0x7bff},
		{65519, 16, Nearest, 0x7bff},
		{65520, 16, Nearest, 0x7c00}, // half a unit above the greatest
		{65520, 16, Zero, 0x7bff},
		{-1e9, 16, Up, 0xfbff},
		{-1e9, 16, Down, 0xfc00},
		{0x1p-24, 16, Nearest, 1},
		{0x1p-25, 16, Nearest, 0}, // a tie, to even
		{0x1p-25, 16, Away, 1},
		{0x1p-25, 16, Up, 1},
		{-0x1p-30, 16, Down, 0x8001},
		{1 + 0x1p-24, 32, Nearest, 0x3f800000},
		{1 + 0x1p-24 + 0x1p-40, 32, Nearest, 0x3f800001},
		{1 + 0x1p-30, 32, Up, 0x3f800001},
		{1 + 0x1p-30, 32, Down, 0x3f800000},
		{0x1p-149, 32, Zero, 1},
		{0x1p-150, 32, Zero, 0},
		{1e300, 32, Zero, 0x7f7fffff},
		{math.NaN(), 16, Nearest, 0x7e00},
	} {
		to := Type{Kind: Float, Width: row.width}
		if got := convert(math.Float64bits(row.x), f64, to, row.mode); got != row.want {
			t.Errorf("%g to f%d, mode %d: %#x, want %#x", row.x, row.width, row.mode, got, row.want)
		}
	}
}

func TestConvertIntegers(t *testing.T) {
	s16, u8, s64 := Type{Kind: Sint, Width: 16}, Type{Kind: Uint, Width: 8}, Type{Kind: Sint, Width: 64}
	for _, row := range []struct {
		x        uint64
		from, to Type
		mode     Mode
		want     uint64
	}{
		{math.Float64bits(2.5), Type{Kind: Float, Width: 64}, s16, Nearest, 2},
		{math.Float64bits(-2.5), Type{Kind: Float, Width: 64}, s16, Away, 0xfffd},
		{math.Float64bits(-2.5), Type{Kind: Float, Width: 64}, s16, Up, 0xfffe},
		{math.Float64bits(1e10), Type{Kind: Float, Width: 64}, s16, Nearest, 0x7fff},
		{math.Float64bits(-1e10), Type{Kind: Float, Width: 64}, u8, Nearest, 0},
		{math.Float64bits(math.Inf(1)), Type{Kind: Float, Width: 64}, s64, Nearest, math.MaxInt64},
		{0xffff, s16, u8, Nearest, 0},
		{300, s16, u8, Nearest, 255},
		{1<<63 - 1, s64, F32, Nearest, 0x5f000000},
		{1<<63 - 1, s64, F32, Zero, 0x5effffff},
		{16777217, Type{Kind: Uint, Width: 32}, F32, Nearest, 0x4b800000},
		{16777219, Type{Kind: Uint, Width: 32}, F32, Nearest, 0x4b800002},
	} {
		if got := convert(row.x, row.from, row.to, row.mode); got != row.want {
			t.Errorf("%#x of %s to %s, mode %d: %#x, want %#x", row.x, row.from, row.to, row.mode, got, row.want)
		}
	}
}

// modes of math/big, by Mode.
var bigModes = []big.RoundingMode{big.ToNearestEven, big.ToZero, big.ToNegativeInf, big.ToPositiveInf, big.ToNearestAway}

// Sums, products, quotients, roots and fused products are the exact result, rounded once, in each mode.
func TestRoundedOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	small := func() float32 { // exponents that stay inside, of many distances
		return math.Float32frombits(r.Uint32()&0x807fffff | uint32(100+r.IntN(50))<<23)
	}
	exact := func(x float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(x)) }
	for range 30000 {
		a, b, c := small(), small(), small()
		mode := Mode(r.IntN(5))
		for _, row := range []struct {
			op   Op
			want *big.Float
		}{
			{OpAdd, new(big.Float).SetPrec(600).Add(exact(a), exact(b))},
			{OpSub, new(big.Float).SetPrec(600).Sub(exact(a), exact(b))},
			{OpMul, new(big.Float).SetPrec(600).Mul(exact(a), exact(b))},
			{OpDiv, new(big.Float).SetPrec(600).Quo(exact(a), exact(b))},
			{OpFma, new(big.Float).SetPrec(600).Add(new(big.Float).SetPrec(600).Mul(exact(a), exact(b)), exact(c))},
			{OpSqrt, new(big.Float).SetPrec(600).Sqrt(exact(float32(math.Abs(float64(a)))))},
		} {
			x := a
			if row.op == OpSqrt {
				x = float32(math.Abs(float64(a)))
			}
			in := Inst{Op: row.op, Imm: uint64(mode)}.Typed(F32, Type{})
			got := Apply(&in, uint64(math.Float32bits(x)), uint64(math.Float32bits(b)), uint64(math.Float32bits(c)))
			w, _ := new(big.Float).SetPrec(24).SetMode(bigModes[mode]).Set(row.want).Float32()
			if row.want.Sign() == 0 || math.Abs(float64(w)) < 0x1p-120 {
				continue
			}
			if got != uint64(math.Float32bits(w)) {
				t.Fatalf("%s of %g, %g, %g, mode %d: %#x, want %#x", row.op, x, b, c, mode, got, math.Float32bits(w))
			}
		}
	}
}

// The sum of a number and its negation is -0 where sums are rounded down, and 0 otherwise; zeros of one sign keep it
// (IEEE 754-2008, 6.3).
func TestZeroSums(t *testing.T) {
	const minus32, one32, minus16, one16 = 1 << 31, 0x3f800000, 1 << 15, 0x3c00
	for _, row := range []struct {
		op      Op
		width   int
		mode    Mode
		a, b, c uint64
		want    uint64
	}{
		{OpAdd, 32, Down, 0, minus32, 0, minus32},
		{OpAdd, 32, Down, minus32, 0, 0, minus32},
		{OpAdd, 32, Down, 0, 0, 0, 0},
		{OpAdd, 32, Up, minus32, minus32, 0, minus32},
		{OpAdd, 32, Zero, 0, minus32, 0, 0},
		{OpAdd, 32, Nearest, 0, minus32, 0, 0},
		{OpAdd, 32, Down, one32, minus32 | one32, 0, minus32},
		{OpSub, 32, Down, 0, 0, 0, minus32},
		{OpSub, 32, Down, minus32, 0, 0, minus32},
		{OpSub, 32, Up, 0, 0, 0, 0},
		{OpFma, 32, Down, minus32, one32, 0, minus32},
		{OpFma, 32, Down, 0, one32, 0, 0},
		{OpFma, 32, Nearest, minus32, one32, 0, 0},
		{OpMul, 32, Down, 0, one32, 0, 0},
		{OpAdd, 16, Down, 0, minus16, 0, minus16},
		{OpSub, 16, Down, one16, one16, 0, minus16},
	} {
		in := Inst{Op: row.op, Imm: uint64(row.mode)}.Typed(Type{Kind: Float, Width: row.width}, Type{})
		if got := Apply(&in, row.a, row.b, row.c); got != row.want {
			t.Errorf("%s of %#x, %#x, %#x, mode %d: %#x, want %#x", row.op, row.a, row.b, row.c, row.mode, got, row.want)
		}
	}
}

// Doubles in the other modes: what a double cannot say of the rest, results that are too large or too small, and the sign of 0.
func TestDirected(t *testing.T) {
	const one, eps, least, most = 0x3ff0000000000000, 0x3ff0000000000001, 1, 0x7fefffffffffffff
	const minus = 1 << 63
	for _, row := range []struct {
		op      Op
		mode    Mode
		a, b, c uint64
		want    uint64
	}{
		{OpAdd, Up, one, least, 0, eps}, // 1 and a bit far behind it
		{OpAdd, Zero, one, minus | least, 0, 0x3fefffffffffffff},
		{OpAdd, Down, one, minus | one, 0, minus}, // 0
		{OpAdd, Up, one, minus | one, 0, 0},
		{OpAdd, Down, 0, 0, 0, 0},
		{OpSub, Zero, minus, 0, 0, minus},
		{OpMul, Down, most, most, 0, most}, // too large
		{OpMul, Up, most, most, 0, 0x7ff0000000000000},
		{OpMul, Down, most, minus | most, 0, 0xfff0000000000000},
		{OpMul, Up, least, least, 0, least}, // too small
		{OpMul, Zero, least, minus | least, 0, minus},
		{OpMul, Zero, 0, minus | one, 0, minus},
		{OpMul, Down, eps, eps, 0, 0x3ff0000000000002}, // 1 + 2^-51 + 2^-104
		{OpFma, Down, eps, eps, minus | 0x3ff0000000000002, 0x3970000000000000},
		{OpFma, Zero, one, one, minus | least, 0x3fefffffffffffff},
		{OpFma, Down, one, one, minus | one, minus},
		{OpFma, Up, 0x0010000000000000, 0x3fe0000000000000, least, 0x0008000000000001},
		{OpDiv, Up, one, 0x4008000000000000, 0, 0x3fd5555555555556}, // 1/3
		{OpDiv, Down, one, 0x4008000000000000, 0, 0x3fd5555555555555},
		{OpDiv, Up, least, 0x4000000000000000, 0, least},
		{OpDiv, Zero, one, 0, 0, 0x7ff0000000000000},
		{OpSqrt, Zero, 8 * least, 0, 0, 0x1e76a09e667f3bcc}, // of 2, times 2^-536
		{OpSqrt, Up, 8 * least, 0, 0, 0x1e76a09e667f3bcd},
		{OpSqrt, Up, 12 * least, 0, 0, 0x1e7bb67ae8584cab}, // of 3
		{OpSqrt, Zero, 12 * least, 0, 0, 0x1e7bb67ae8584caa},
		{OpSqrt, Up, 4 * least, 0, 0, 0x1e70000000000000},
		{OpSqrt, Down, minus, 0, 0, minus},
	} {
		in := Inst{Op: row.op, Imm: uint64(row.mode)}.Typed(Type{Kind: Float, Width: 64}, Type{})
		if got := Apply(&in, row.a, row.b, row.c); got != row.want {
			t.Errorf("%s of %#x, %#x, %#x, mode %d: %#x, want %#x", row.op, row.a, row.b, row.c, row.mode, got, row.want)
		}
	}
}

// The functions of our own are at most one unit of f32 off, over the whole range.
func TestTranscendental(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, f := range []struct {
		name      string
		got, want func(x float64) float64
		from, to  float64
	}{
		{"exp2", exp2, math.Exp2, -149, 128},
		{"log2", log2, math.Log2, 0x1p-149, 0x1p127},
		{"sin", func(x float64) float64 { return sine(x, 0) }, math.Sin, -1e5, 1e5},
		{"cos", func(x float64) float64 { return sine(x, 1) }, math.Cos, -1e5, 1e5},
		{"sin", func(x float64) float64 { return sine(x, 0) }, math.Sin, -1e30, 1e30},
		{"cos", func(x float64) float64 { return sine(x, 1) }, math.Cos, -1, 1},
	} {
		for range 20000 {
			x := float64(float32(f.from + r.Float64()*(f.to-f.from)))
			if f.name == "log2" {
				x = float64(math.Float32frombits(r.Uint32() & 0x7f7fffff))
			}
			got, want := f.got(x), f.want(x)
			if x == 0 {
				continue
			}
			if unit := math.Max(math.Abs(want), 0x1p-126) * 0x1p-24; math.Abs(got-want) > unit {
				t.Fatalf("%s(%g) = %g, want %g", f.name, x, got, want)
			}
		}
	}
	for _, row := range []struct{ got, want float64 }{
		{exp2(0), 1}, {exp2(10), 1024}, {exp2(-126), 0x1p-126}, {exp2(math.Inf(-1)), 0}, {exp2(2000), math.Inf(1)},
		{log2(1), 0}, {log2(8), 3}, {log2(0x1p-149), -149}, {log2(0), math.Inf(-1)}, {sine(0, 0), 0}, {sine(0, 1), 1},
	} {
		if row.got != row.want {
			t.Errorf("%g, want %g", row.got, row.want)
		}
	}
	if log2(-1) == log2(-1) || sine(math.Inf(1), 0) == 0 {
		t.Error("log2(-1) or sin(inf) is a number")
	}
}
