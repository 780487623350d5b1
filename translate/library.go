package translate

import (
	"fmt"
	"math"
	"strings"

	"github.com/isago/isago/internal/sem"
)

// helper is a function of the library that the text contains if the program needs it. Its name in the text starts with
// isago_. The library computes without relying on what a GPU may round as it likes.
type helper struct {
	result string
	params string // types of the parameters
	needs  []string
	code   string
}

// f64 prints a float of 64 bits exactly.
func f64(x float64) string {
	b := math.Float64bits(x)
	return fmt.Sprintf("packDouble2x32(uvec2(%#xu, %#xu))", b&0xffffffff, b>>32)
}

// horner prints the evaluation of a polynomial of x as a function body with the result y.
func horner(coeffs []float64) string {
	var s strings.Builder
	fmt.Fprintf(&s, "\tprecise double y = %s;\n", f64(coeffs[0]))
	for _, c := range coeffs[1:] {
		fmt.Fprintf(&s, "\ty = y * x + %s;\n", f64(c))
	}
	return s.String() + "\treturn y;\n"
}

// library returns the helpers by name.
func library() map[string]helper {
	exp, atanh, sin, cos := sem.Series()
	var pi strings.Builder
	for i, w := range sem.TwoOverPi()[:6] {
		fmt.Fprintf(&pi, "\tif (i == %d) return packUint2x32(uvec2(%#xu, %#xu));\n", i, w&0xffffffff, w>>32)
	}
	return map[string]helper{
		"nan":         {"bool", "float x", nil, "\treturn (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;\n"},
		"nan64":       {"bool", "double x", []string{"double"}, "\tuvec2 b = unpackDouble2x32(x);\n\tb.y &= 0x7fffffffu;\n\treturn b.y > 0x7ff00000u || b.y == 0x7ff00000u && b.x != 0u;\n"},
		"canonical":   {"float", "float x", []string{"nan"}, "\treturn isago_nan(x) ? uintBitsToFloat(0x7fc00000u) : x;\n"},
		"canonical64": {"double", "double x", []string{"nan64"}, "\treturn isago_nan64(x) ? packDouble2x32(uvec2(0u, 0x7ff80000u)) : x;\n"},
		"add_zero":    {"float", "float x", nil, "\t// 0.0 + x, for drivers that take it for x.\n\treturn (floatBitsToUint(x) & 0x7fffffffu) == 0u ? 0.0 : x;\n"},
		"multiply_zero": {"float", "float x, float zero", nil, `	// zero * x, for drivers that take it for 0.
	uint b = floatBitsToUint(x);
	return (b & 0x7f800000u) == 0x7f800000u ? uintBitsToFloat(0x7fc00000u) : uintBitsToFloat((b ^ floatBitsToUint(zero)) & 0x80000000u);
`},
		"flush":      {"float", "float x", nil, "\tuint b = floatBitsToUint(x);\n\treturn (b & 0x7f800000u) == 0u ? uintBitsToFloat(b & 0x80000000u) : x;\n"},
		"flush_bits": {"uint", "uint b", nil, "\treturn (b & 0x7f800000u) == 0u ? b & 0x80000000u : b;\n"},
		"product": {"float", "float a, float b", nil, `	bool zero = (floatBitsToUint(a) & 0x7fffffffu) == 0u || (floatBitsToUint(b) & 0x7fffffffu) == 0u;
	precise float p = a * b;
	return zero ? 0.0 : p;
`},
		"product_flushed": {"float", "float a, float b", nil, `	bool zero = (floatBitsToUint(a) & 0x7f800000u) == 0u || (floatBitsToUint(b) & 0x7f800000u) == 0u;
	precise float p = a * b;
	return zero ? 0.0 : p;
`},
		"to_int": {"int", "float x, int low, int high", []string{"nan"}, `	if (isago_nan(x)) return 0;
	return x >= float(high) ? high : x <= float(low) ? low : int(x);
`},
		"to_uint": {"uint", "float x, uint high", []string{"nan"}, `	if (isago_nan(x) || x <= 0.0) return 0u;
	return x >= float(high) ? high : uint(x);
`},
		"shift_left":  {"uint", "uint a, uint n", nil, "\treturn n < 32u ? a << n : 0u;\n"},
		"shift_right": {"uint", "uint a, uint n", nil, "\treturn n < 32u ? a >> n : 0u;\n"},
		"udiv":        {"uint", "uint a, uint b", nil, "\treturn b == 0u ? 0u : a / b;\n"},
		"umod":        {"uint", "uint a, uint b", nil, "\treturn b == 0u ? 0u : a % b;\n"},
		"mul_high":    {"uint", "uint a, uint b", nil, "\tuint high, low;\n\tumulExtended(a, b, high, low);\n\treturn high;\n"},
		"carry": {"bool", "uint a, uint b, uint c, int width", nil, `	uint first, second;
	uint s = uaddCarry(uaddCarry(a << (32 - width), b << (32 - width), first), c << (32 - width), second);
	return (first | second) != 0u;
`},
		"overflows": {"bool", "uint a, uint b, uint c, int width", nil, `	uint s = a + b + c;
	return (((a ^ s) & (b ^ s)) >> (width - 1) & 1u) != 0u;
`},
		"rounded": {"float", "uint sign, uint q, int e, bool rest", nil, `	// q has 25 bits. rest says that it is less than the exact value.
	if (e >= 255) return uintBitsToFloat(sign | 0x7f800000u);
	int drop = e > 0 ? 1 : 2 - e;
	if (drop > 25) return uintBitsToFloat(sign);
	uint kept = q >> drop, lost = q & ((1u << drop) - 1u), middle = 1u << (drop - 1);
	if (lost > middle || lost == middle && (rest || (kept & 1u) != 0u)) kept++;
	if (e > 0) kept += uint(e - 1) << 23;
	return uintBitsToFloat(sign | min(kept, 0x7f800000u));
`},
		"divide": {"float", "float a, float b", []string{"rounded"}, `	// GPUs need not round quotients to nearest, so that the quotient is corrected with its remainder.
	uint x = floatBitsToUint(a), y = floatBitsToUint(b), sign = (x ^ y) & 0x80000000u;
	x &= 0x7fffffffu;
	y &= 0x7fffffffu;
	if (x > 0x7f800000u || y > 0x7f800000u || x == 0u && y == 0u || x == 0x7f800000u && y == 0x7f800000u) return uintBitsToFloat(0x7fc00000u);
	if (x == 0x7f800000u || y == 0u) return uintBitsToFloat(sign | 0x7f800000u);
	if (x == 0u || y == 0x7f800000u) return uintBitsToFloat(sign);
	int n = x < 0x800000u ? 23 - findMSB(x) : 0, m = y < 0x800000u ? 23 - findMSB(y) : 0;
	int e = (n > 0 ? 1 - n : int(x >> 23)) - (m > 0 ? 1 - m : int(y >> 23)) + 127;
	x = (x << n) & 0x7fffffu | 0x800000u;
	y = (y << m) & 0x7fffffu | 0x800000u;
	if (x < y) {
		x <<= 1;
		e--;
	}
	precise float near = float(x) / float(y) * 16777216.0;
	uint q = uint(near);
	int r = int((x << 24) - q * y);
	for (; r < 0; q--) r += int(y);
	for (; r >= int(y); q++) r -= int(y);
	return isago_rounded(sign, q, e, r != 0);
`},
		"square_root": {"float", "float a", []string{"rounded"}, `	uint x = floatBitsToUint(a);
	if ((x & 0x7fffffffu) == 0u || x == 0x7f800000u) return a;
	if (x > 0x7f800000u) return uintBitsToFloat(0x7fc00000u);
	int n = x < 0x800000u ? 23 - findMSB(x) : 0;
	int e = (n > 0 ? 1 - n : int(x >> 23)) - 127;
	x = (x << n) & 0x7fffffu | 0x800000u;
	if ((e & 1) != 0) {
		x <<= 1;
		e--;
	}
	precise float near = sqrt(float(x) / 8388608.0) * 16777216.0;
	uint s = uint(near);
	int r = int((x << 25) - s * s);
	for (; r < 0; r += 2 * int(s) + 1) s--;
	for (; r > 2 * int(s); s++) r -= 2 * int(s) + 1;
	return isago_rounded(0u, s, e / 2 + 127, r != 0);
`},
		"fma": {"float", "float a, float b, float c", []string{"double"}, `	// The sum is rounded to odd with 64 bits, so that rounding it again to 32 bits rounds the exact result.
	precise double p = double(a) * double(b), z = double(c), s = p + z, back = s - p, err = (p - (s - back)) + (z - back);
	uvec2 w = unpackDouble2x32(s);
	if ((w.y & 0x7ff00000u) != 0x7ff00000u && err != 0.0lf && s != 0.0lf && (w.x & 1u) == 0u) {
		if ((err > 0.0lf) == (s > 0.0lf)) {
			w.x++;
		} else {
			if (w.x == 0u) w.y--;
			w.x--;
		}
		s = packDouble2x32(w);
	}
	return float(s);
`},
		"exp2_series": {"double", "double x", []string{"double"}, horner(exp)},
		"exp2_64": {"double", "double x", []string{"double", "nan64", "exp2_series"}, `	if (isago_nan64(x)) return x;
	if (x >= 1024.0lf) return packDouble2x32(uvec2(0u, 0x7ff00000u));
	if (x < -1100.0lf) return 0.0lf;
	precise double n = roundEven(x), y = isago_exp2_series((x - n) * ` + f64(0.693147180559945309417232121458176568) + `);
	int k = int(n);
	if (k > 1000) {
		y *= packDouble2x32(uvec2(0u, 0x7e700000u));
		k -= 1000;
	}
	if (k < -1000) {
		y *= packDouble2x32(uvec2(0u, 0x01700000u));
		k += 1000;
	}
	y *= packDouble2x32(uvec2(0u, uint(k + 1023) << 20));
	return y;
`},
		"exp2":        {"float", "float x", []string{"exp2_64"}, "\treturn float(isago_exp2_64(double(x)));\n"},
		"log2_series": {"double", "double x", []string{"double"}, horner(atanh)},
		"log2_64": {"double", "double x", []string{"double", "nan64", "log2_series"}, `	uvec2 b = unpackDouble2x32(x);
	if (isago_nan64(x) || x < 0.0lf) return packDouble2x32(uvec2(0u, 0x7ff80000u));
	if (x == 0.0lf) return packDouble2x32(uvec2(0u, 0xfff00000u));
	if (b.y == 0x7ff00000u) return x;
	int e = 0;
	if (b.y < 0x100000u) {
		precise double scaled = x * packDouble2x32(uvec2(0u, 0x43500000u));
		b = unpackDouble2x32(scaled);
		e = -54;
	}
	e += int(b.y >> 20) - 1023;
	precise double m = packDouble2x32(uvec2(b.x, b.y & 0xfffffu | 0x3ff00000u));
	if (m > ` + f64(math.Sqrt2) + `) {
		m *= 0.5lf;
		e++;
	}
	precise double s = (m - 1.0lf) / (m + 1.0lf), t = s * s, y = s * isago_log2_series(t);
	y = double(e) + ` + f64(2/0.693147180559945309417232121458176568) + ` * y;
	return y;
`},
		"log2":         {"float", "float x", []string{"log2_64"}, "\treturn float(isago_log2_64(double(x)));\n"},
		"sin_series":   {"double", "double x", []string{"double"}, horner(sin)},
		"cos_series":   {"double", "double x", []string{"double"}, horner(cos)},
		"two_over_pi":  {"uint64_t", "int i", []string{"int64"}, pi.String() + "\treturn 0ul;\n"},
		"pi_word":      {"uint64_t", "int i, int s", []string{"two_over_pi"}, "\treturn s == 0 ? isago_two_over_pi(i) : isago_two_over_pi(i) << s | isago_two_over_pi(i + 1) >> (64 - s);\n"},
		"mul64":        {"void", "uint64_t a, uint64_t b, out uint64_t high, out uint64_t low", []string{"int64"}, mul64},
		"u64_to_f64":   {"double", "uint64_t x", []string{"int64", "double"}, "\tuvec2 b = unpackUint2x32(x);\n\tprecise double y = double(b.y) * 4294967296.0lf + double(b.x);\n\treturn y;\n"},
		"quarters":     {"int", "double x, out double r", []string{"double", "pi_word", "mul64", "u64_to_f64"}, quarters},
		"sine_quarter": {"double", "double x, int quarter", []string{"quarters", "sin_series", "cos_series"}, sine},
		"sin":          {"float", "float x", []string{"sine_quarter"}, "\treturn float(isago_sine_quarter(double(x), 0));\n"},
		"cos":          {"float", "float x", []string{"sine_quarter"}, "\treturn float(isago_sine_quarter(double(x), 1));\n"},
	}
}

const mul64 = `	uvec2 x = unpackUint2x32(a), y = unpackUint2x32(b);
	uint64_t p = uint64_t(x.x) * y.x, q = uint64_t(x.y) * y.x, r = uint64_t(x.x) * y.y;
	uint64_t middle = (p >> 32) + (q & 0xfffffffful) + (r & 0xfffffffful);
	low = middle << 32 | p & 0xfffffffful;
	high = uint64_t(x.y) * y.y + (q >> 32) + (r >> 32) + (middle >> 32);
`

const quarters = `	r = x;
	if (x < packDouble2x32(uvec2(0x54442d18u, 0x3fe921fbu))) return 0;
	uvec2 b = unpackDouble2x32(x);
	uint64_t m = packUint2x32(uvec2(b.x, b.y & 0xfffffu | 0x100000u));
	int e = int(b.y >> 20) - 1023 - 52, skip = max(0, e - 2), w = skip / 64, s = skip % 64;
	uint64_t h0, l0, h1, l1, h2, l2;
	isago_mul64(m, isago_pi_word(w, s), h0, l0);
	isago_mul64(m, isago_pi_word(w + 1, s), h1, l1);
	isago_mul64(m, isago_pi_word(w + 2, s), h2, l2);
	l1 += h2;
	uint64_t carry = l1 < h2 ? 1ul : 0ul;
	uint64_t sum = l0 + h1;
	uint64_t over = sum < h1 ? 1ul : 0ul;
	l0 = sum + carry;
	if (l0 < sum) over++;
	h0 += over;
	int shift = e - skip;
	uint64_t whole, f0, f1;
	if (shift > 0) {
		whole = h0 << shift | l0 >> (64 - shift);
		f0 = l0 << shift | l1 >> (64 - shift);
		f1 = l1 << shift;
	} else if (shift == 0) {
		whole = h0;
		f0 = l0;
		f1 = l1;
	} else if (shift > -64) {
		int k = -shift;
		whole = h0 >> k;
		f0 = h0 << (64 - k) | l0 >> k;
		f1 = l0 << (64 - k) | l1 >> k;
	} else {
		whole = 0ul;
		f0 = h0 >> min(-shift - 64, 63);
		f1 = l0;
	}
	int n = int(uint(whole) & 3u);
	bool negative = f0 >> 63 != 0ul;
	if (negative) {
		n++;
		f1 = ~f1 + 1ul;
		f0 = ~f0;
		if (f1 == 0ul) f0++;
	}
	precise double y = (isago_u64_to_f64(f0) * packDouble2x32(uvec2(0u, 0x3bf00000u)) + isago_u64_to_f64(f1) * packDouble2x32(uvec2(0u, 0x37f00000u))) * packDouble2x32(uvec2(0x54442d18u, 0x3ff921fbu));
	r = negative ? -y : y;
	return n;
`

const sine = `	uvec2 b = unpackDouble2x32(x);
	if ((b.y & 0x7ff00000u) == 0x7ff00000u) return packDouble2x32(uvec2(0u, 0x7ff80000u));
	if (x == 0.0lf && quarter == 0) return x;
	precise double r;
	int n = isago_quarters(abs(x), r);
	if (x < 0.0lf) {
		n = -n;
		r = -r;
	}
	precise double r2 = r * r, y;
	n += quarter;
	if ((n & 1) == 0) {
		y = r * isago_sin_series(r2);
	} else {
		y = isago_cos_series(r2);
	}
	return (n & 2) != 0 ? -y : y;
`
