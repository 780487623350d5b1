package sem

import (
	"math"
	mathbits "math/bits"
)

// The transcendental functions are computed in float64 with nothing but + - * and bit operations, so that each
// host gives the same bits; float64(a*b) keeps Go from fusing. Their errors are below 2^-45, which is nothing
// before they are rounded to 32 bits.

const ln2 = 0.693147180559945309417232121458176568

// horner computes a polynomial, the highest coefficient first.
func horner(x float64, coeffs ...float64) float64 {
	y := coeffs[0]
	for _, c := range coeffs[1:] {
		y = float64(y*x) + c
	}
	return y
}

// expTaylor is e^x for small x: the coefficients are 1/n!.
var expTaylor = []float64{
	1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
	1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
}

func exp2(x float64) float64 {
	switch {
	case x != x:
		return x
	case x >= 1024:
		return math.Inf(1)
	case x < -1100:
		return 0
	}
	n := math.RoundToEven(x)
	return scale(horner((x-n)*ln2, expTaylor...), int(n))
}

// scale returns x * 2^n.
func scale(x float64, n int) float64 {
	for n > 1000 {
		x *= 0x1p1000
		n -= 1000
	}
	for n < -1000 {
		x *= 0x1p-1000
		n += 1000
	}
	return x * math.Float64frombits(uint64(n+1023)<<52)
}

// atanhTaylor are the coefficients of atanh(s)/s in s*s, the highest first.
var atanhTaylor = []float64{
	1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1,
}

func log2(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	e := 0
	if x < 0x1p-1022 {
		x, e = x*0x1p54, -54
	}
	b := math.Float64bits(x)
	e += int(b>>52) - 1023
	m := math.Float64frombits(b&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m, e = m/2, e+1
	}
	s := (m - 1) / (m + 1)
	return float64(e) + float64((2/ln2)*float64(s*horner(float64(s*s), atanhTaylor...)))
}

// twoOverPi are the bits of 2/pi behind the point, in words of 64.
var twoOverPi = [...]uint64{
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb1f8d5d085, 0x6033046fc7b6babf,
}

var (
	sinTaylor = []float64{-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1}
	cosTaylor = []float64{1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2, 1}
)

// sine returns sin(x + quarter*pi/2).
func sine(x float64, quarter int) float64 {
	if x != x || math.IsInf(x, 0) {
		return math.NaN()
	}
	if x == 0 && quarter == 0 {
		return x
	}
	n, r := quarters(math.Abs(x))
	if x < 0 {
		n, r = -n, -r
	}
	r2 := float64(r * r)
	var y float64
	if n += quarter; n&1 == 0 {
		y = float64(r * horner(r2, sinTaylor...))
	} else {
		y = horner(r2, cosTaylor...)
	}
	if n&2 != 0 {
		return -y
	}
	return y
}

// quarters splits x into n quarters of a circle and a rest between -pi/4 and pi/4. The product of the mantissa
// with the bits of 2/pi that matter is computed in integers, so that no argument is too large.
func quarters(x float64) (n int, r float64) {
	if x < 0.7853981633974483 {
		return 0, x
	}
	b := math.Float64bits(x)
	m, e := b&(1<<52-1)|1<<52, int(b>>52)-1023-52 // x = m * 2^e
	// The bits of 2/pi from 2^-(skip+1) on: those before give multiples of 4 quarters.
	skip := max(0, e-2)
	w := skip / 64
	s := uint(skip % 64)
	word := func(i int) uint64 {
		if i+1 >= len(twoOverPi) {
			return 0
		}
		if s == 0 {
			return twoOverPi[i]
		}
		return twoOverPi[i]<<s | twoOverPi[i+1]>>(64-s)
	}
	h0, l0 := mathbits.Mul64(m, word(w))
	h1, l1 := mathbits.Mul64(m, word(w+1))
	h2, _ := mathbits.Mul64(m, word(w+2))
	var carry uint64
	l1, carry = mathbits.Add64(l1, h2, 0)
	l0, carry = mathbits.Add64(l0, h1, carry)
	h0 += carry
	// h0:l0:l1 is m * 2/pi * 2^skip with 128 bits behind the point; the quarters are that * 2^(e-skip).
	shift := e - skip
	var whole, f0, f1 uint64
	switch {
	case shift >= 0:
		whole, f0, f1 = h0<<uint(shift)|l0>>uint(64-shift), l0<<uint(shift)|l1>>uint(64-shift), l1<<uint(shift)
	case shift > -64:
		k := uint(-shift)
		whole, f0, f1 = h0>>k, h0<<(64-k)|l0>>k, l0<<(64-k)|l1>>k
	default:
		whole, f0, f1 = 0, h0>>uint(min(-shift-64, 63)), l0
	}
	n = int(whole & 3)
	negative := f0>>63 != 0
	if negative {
		n++
		f1 = -f1
		f0 = ^f0
		if f1 == 0 {
			f0++
		}
	}
	r = (float64(float64(f0)*0x1p-64) + float64(float64(f1)*0x1p-128)) * 1.57079632679489661923
	if negative {
		r = -r
	}
	return n, r
}

// Series returns the coefficients of the polynomials of the transcendental functions, the highest first: of e^x, of atanh(s)/s
// in s*s, of sin(x)/x and of cos(x) in x*x. Translators repeat the computation with them.
func Series() (exp, atanh, sin, cos []float64) { return expTaylor, atanhTaylor, sinTaylor, cosTaylor }

// TwoOverPi returns the first bits of 2/pi after the point, in words of 64 bits.
func TwoOverPi() []uint64 { return twoOverPi[:] }
