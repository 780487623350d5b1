bool isago_nan(float x) {
	return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;
}

bool isago_nan64(double x) {
	uvec2 b = unpackDouble2x32(x);
	b.y &= 0x7fffffffu;
	return b.y > 0x7ff00000u || b.y == 0x7ff00000u && b.x != 0u;
}

float isago_canonical(float x) {
	return isago_nan(x) ? uintBitsToFloat(0x7fc00000u) : x;
}

double isago_canonical64(double x) {
	return isago_nan64(x) ? packDouble2x32(uvec2(0u, 0x7ff80000u)) : x;
}

float isago_add_zero(float x) {
	// 0.0 + x, for drivers that take it for x.
	return (floatBitsToUint(x) & 0x7fffffffu) == 0u ? 0.0 : x;
}

float isago_multiply_zero(float x, float zero) {
	// zero * x, for drivers that take it for 0.
	uint b = floatBitsToUint(x);
	return (b & 0x7f800000u) == 0x7f800000u ? uintBitsToFloat(0x7fc00000u) : uintBitsToFloat((b ^ floatBitsToUint(zero)) & 0x80000000u);
}

float isago_flush(float x) {
	uint b = floatBitsToUint(x);
	return (b & 0x7f800000u) == 0u ? uintBitsToFloat(b & 0x80000000u) : x;
}

uint isago_flush_bits(uint b) {
	return (b & 0x7f800000u) == 0u ? b & 0x80000000u : b;
}

float isago_product(float a, float b) {
	bool zero = (floatBitsToUint(a) & 0x7fffffffu) == 0u || (floatBitsToUint(b) & 0x7fffffffu) == 0u;
	precise float p = a * b;
	return zero ? 0.0 : p;
}

float isago_product_flushed(float a, float b) {
	bool zero = (floatBitsToUint(a) & 0x7f800000u) == 0u || (floatBitsToUint(b) & 0x7f800000u) == 0u;
	precise float p = a * b;
	return zero ? 0.0 : p;
}

int isago_to_int(float x, int low, int high) {
	if (isago_nan(x)) return 0;
	if (x >= float(high)) return high;
	if (x <= float(low)) return low;
	return int(x);
}

uint isago_to_uint(float x, uint high) {
	if (isago_nan(x) || x <= 0.0) return 0u;
	if (x >= float(high)) return high;
	return uint(x);
}

uint isago_shift_left(uint a, uint n) {
	return n < 32u ? a << (n & 31u) : 0u;
}

uint isago_shift_right(uint a, uint n) {
	return n < 32u ? a >> (n & 31u) : 0u;
}

uint isago_udiv(uint a, uint b) {
	return b == 0u ? 0u : a / max(b, 1u);
}

uint isago_umod(uint a, uint b) {
	return b == 0u ? 0u : a % max(b, 1u);
}

uint isago_mul_high(uint a, uint b) {
	// The sum of the products of halves.
	uint p = (a & 0xffffu) * (b & 0xffffu), q = (a >> 16) * (b & 0xffffu) + (p >> 16), r = (a & 0xffffu) * (b >> 16) + (q & 0xffffu);
	return (a >> 16) * (b >> 16) + (q >> 16) + (r >> 16);
}

bool isago_carry(uint a, uint b, uint c, int width) {
	uint x = a << (32 - width), s = x + (b << (32 - width)), t = s + (c << (32 - width));
	return s < x || t < s;
}

bool isago_overflows(uint a, uint b, uint c, int width) {
	uint s = a + b + c;
	return (((a ^ s) & (b ^ s)) >> (width - 1) & 1u) != 0u;
}

float isago_rounded(uint sign, uint q, int e, bool rest) {
	// q has 25 bits. rest says that it is less than the exact value.
	if (e >= 255) return uintBitsToFloat(sign | 0x7f800000u);
	int drop = e > 0 ? 1 : 2 - e;
	if (drop > 25) return uintBitsToFloat(sign);
	uint kept = q >> drop, lost = q & ((1u << drop) - 1u), middle = 1u << (drop - 1);
	if (lost > middle || lost == middle && (rest || (kept & 1u) != 0u)) kept++;
	if (e > 0) kept += uint(e - 1) << 23;
	return uintBitsToFloat(sign | min(kept, 0x7f800000u));
}

float isago_divide(float a, float b) {
	// GPUs need not round quotients to nearest, so that the quotient is corrected with its remainder.
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
	while (r < 0) {
		r += int(y);
		q--;
	}
	while (r >= int(y)) {
		r -= int(y);
		q++;
	}
	return isago_rounded(sign, q, e, r != 0);
}

float isago_square_root(float a) {
	uint x = floatBitsToUint(a);
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
	while (r < 0) {
		s--;
		r += 2 * int(s) + 1;
	}
	while (r > 2 * int(s)) {
		r -= 2 * int(s) + 1;
		s++;
	}
	return isago_rounded(0u, s, e / 2 + 127, r != 0);
}

void isago_shift_jam(uint high, uint low, int n, out uint h, out uint l) {
	// The bits that leave 64 bits to the right set the lowest bit.
	uint a = high, b = low, lost = 0u;
	int k = min(n, 64);
	if (k >= 32) {
		lost = b;
		b = a;
		a = 0u;
		k -= 32;
	}
	if (k >= 32) {
		lost |= b;
		b = 0u;
		k -= 32;
	}
	if (k > 0) {
		lost |= b << (32 - k);
		b = b >> k | a << (32 - k);
		a >>= k;
	}
	h = a;
	l = lost != 0u ? b | 1u : b;
}

float isago_fma(float a, float b, float c) {
	// The exact product and c are added as numbers of 64 bits.
	uint x = floatBitsToUint(a), y = floatBitsToUint(b), z = floatBitsToUint(c), sign = (x ^ y) & 0x80000000u, other = z & 0x80000000u;
	x &= 0x7fffffffu;
	y &= 0x7fffffffu;
	z &= 0x7fffffffu;
	bool infinite = x == 0x7f800000u || y == 0x7f800000u;
	if (x > 0x7f800000u || y > 0x7f800000u || z > 0x7f800000u || infinite && (x == 0u || y == 0u || z == 0x7f800000u && sign != other)) return uintBitsToFloat(0x7fc00000u);
	if (infinite) return uintBitsToFloat(sign | 0x7f800000u);
	if (z == 0u && (x == 0u || y == 0u)) return uintBitsToFloat(sign & other);
	if (x == 0u || y == 0u || z == 0x7f800000u) return c;
	int n = x < 0x800000u ? 23 - findMSB(x) : 0, m = y < 0x800000u ? 23 - findMSB(y) : 0, k = z < 0x800000u ? 23 - findMSB(z) : 0;
	int e = (n > 0 ? 1 - n : int(x >> 23)) + (m > 0 ? 1 - m : int(y >> 23)) - 126, f = k > 0 ? 1 - k : int(z >> 23);
	x = (x << n) & 0x7fffffu | 0x800000u;
	y = (y << m) & 0x7fffffu | 0x800000u;
	// The highest bits of product and addend are at 61.
	uint h = isago_mul_high(x << 7, y << 7), l = (x << 7) * (y << 7), p = 0u, q = 0u, r, s;
	if (h < 0x20000000u) {
		e--;
		h = h << 1 | l >> 31;
		l <<= 1;
	}
	if (z != 0u) {
		p = ((z << k) & 0x7fffffu | 0x800000u) << 6;
		if (e < f) {
			isago_shift_jam(h, l, f - e, r, s);
			h = r;
			l = s;
			e = f;
		} else {
			isago_shift_jam(p, 0u, e - f, r, s);
			p = r;
			q = s;
		}
	}
	if (sign == other) {
		l += q;
		h += l < q ? p + 1u : p;
	} else {
		if (h < p || h == p && l < q) {
			r = h;
			h = p;
			p = r;
			s = l;
			l = q;
			q = s;
			sign = other;
		}
		h -= l < q ? p + 1u : p;
		l -= q;
		if (h == 0u && l == 0u) return 0.0;
	}
	// The highest bit comes to 62.
	int left = h != 0u ? 30 - findMSB(h) : 62 - findMSB(l);
	if (left >= 32) {
		h = l << (left - 32);
		l = 0u;
	} else if (left > 0) {
		h = h << left | l >> (32 - left);
		l <<= left;
	}
	return isago_rounded(sign, h >> 6, e - left + 1, (h & 63u) != 0u || l != 0u);
}

double isago_exp2_64(double x) {
	if (isago_nan64(x)) return x;
	if (x >= 1024.0lf) return packDouble2x32(uvec2(0u, 0x7ff00000u));
	if (x < -1100.0lf) return 0.0lf;
	precise double n = roundEven(x), y = isago_exp2_series((x - n) * LN2);
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
}

float isago_exp2(float x) {
	return float(isago_exp2_64(double(x)));
}

double isago_log2_64(double x) {
	uvec2 b = unpackDouble2x32(x);
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
	if (m > SQRT2) {
		m *= 0.5lf;
		e++;
	}
	precise double s = (m - 1.0lf) / (m + 1.0lf), t = s * s, y = s * isago_log2_series(t);
	y = double(e) + TWO_OVER_LN2 * y;
	return y;
}

float isago_log2(float x) {
	return float(isago_log2_64(double(x)));
}

uint64_t isago_pi_word(int i, int s) {
	return s == 0 ? isago_two_over_pi(i) : isago_two_over_pi(i) << s | isago_two_over_pi(i + 1) >> (63 - s) >> 1;
}

void isago_mul64(uint64_t a, uint64_t b, out uint64_t high, out uint64_t low) {
	uint64_t a0 = a & 0xfffffffful, a1 = a >> 32, b0 = b & 0xfffffffful, b1 = b >> 32;
	uint64_t p = a0 * b0, q = a1 * b0, r = a0 * b1;
	uint64_t middle = (p >> 32) + (q & 0xfffffffful) + (r & 0xfffffffful);
	low = middle << 32 | p & 0xfffffffful;
	high = a1 * b1 + (q >> 32) + (r >> 32) + (middle >> 32);
}

double isago_u64_to_f64(uint64_t x) {
	uvec2 b = unpackUint2x32(x);
	precise double y = double(b.y) * 4294967296.0lf + double(b.x);
	return y;
}

int isago_quarters(double x, out double r) {
	// The number of quarter turns that is nearest to x radians, and the rest in radians.
	r = x;
	if (x < packDouble2x32(uvec2(0x54442d18u, 0x3fe921fbu))) return 0;
	uvec2 b = unpackDouble2x32(x);
	uint64_t m = packUint2x32(uvec2(b.x, b.y & 0xfffffu | 0x100000u));
	int e = int(b.y >> 20) - 1023 - 52, skip = max(0, e - 2), w = skip / 64, s = skip - 64 * w;
	uint64_t h0, l0, h1, l1, h2, l2;
	isago_mul64(m, isago_pi_word(w, s), h0, l0);
	isago_mul64(m, isago_pi_word(w + 1, s), h1, l1);
	isago_mul64(m, isago_pi_word(w + 2, s), h2, l2);
	l1 += h2;
	uint64_t carry = l1 < h2 ? 1ul : 0ul;
	uint64_t sum = l0 + h1;
	uint64_t over = sum < h1 ? 1ul : 0ul;
	l0 = sum + carry;
	if (l0 < sum) over += 1ul;
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
		if (f1 == 0ul) f0 += 1ul;
	}
	precise double y = (isago_u64_to_f64(f0) * packDouble2x32(uvec2(0u, 0x3bf00000u)) + isago_u64_to_f64(f1) * packDouble2x32(uvec2(0u, 0x37f00000u))) * packDouble2x32(uvec2(0x54442d18u, 0x3ff921fbu));
	r = negative ? -y : y;
	return n;
}

double isago_sine_quarter(double x, int quarter) {
	uvec2 b = unpackDouble2x32(x);
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
}

float isago_sin(float x) {
	return float(isago_sine_quarter(double(x), 0));
}

float isago_cos(float x) {
	return float(isago_sine_quarter(double(x), 1));
}

int isago_msb64(uint64_t x) {
	uvec2 b = unpackUint2x32(x);
	return b.y != 0u ? 32 + findMSB(b.y) : findMSB(b.x);
}

int isago_bits64(uint64_t x) {
	uvec2 b = unpackUint2x32(x);
	return bitCount(b.x) + bitCount(b.y);
}

double isago_odd(double s, double err) {
	// s, which lacks err, rounded to odd instead of to nearest. Rounding it again to fewer bits rounds the exact result.
	uvec2 w = unpackDouble2x32(s);
	if ((w.y & 0x7ff00000u) == 0x7ff00000u || err == 0.0lf || s == 0.0lf || (w.x & 1u) != 0u) return s;
	if ((err > 0.0lf) == (s > 0.0lf)) {
		w.x++;
	} else {
		if (w.x == 0u) w.y--;
		w.x--;
	}
	return packDouble2x32(w);
}

float isago_to_float(double x, int mode) {
	float y = float(x);
	uint b = floatBitsToUint(y);
	double z = double(y);
	if (z > x && (mode == DOWN || mode == ZERO && x > 0.0lf)) {
		b = y > 0.0 ? b - 1u : y == 0.0 ? 0x80000001u : b + 1u;
	} else if (z < x && (mode == UP || mode == ZERO && x < 0.0lf)) {
		b = y < 0.0 ? b - 1u : y == 0.0 ? 1u : b + 1u;
	}
	return uintBitsToFloat(b);
}

float isago_add_rounded(float a, float b, int mode) {
	precise double x = double(a), y = double(b), s = x + y, back = s - x, err = (x - (s - back)) + (y - back);
	if (s == 0.0lf && mode == DOWN && floatBitsToUint(a) != floatBitsToUint(b)) return uintBitsToFloat(0x80000000u);
	return isago_to_float(isago_odd(s, err), mode);
}

float isago_mul_rounded(float a, float b, int mode) {
	precise double p = double(a) * double(b);
	return isago_to_float(p, mode);
}

double isago_round64(double x, int mode) {
	return mode == ZERO ? trunc(x) : mode == DOWN ? floor(x) : mode == UP ? ceil(x) : roundEven(x);
}

float isago_to_half(double x, int mode) {
	// The float of 32 bits that has the value of the half.
	uvec2 w = unpackDouble2x32(x);
	uint sign = w.y & 0x80000000u;
	int e = max(int(w.y >> 20 & 0x7ffu) - 1023, -14);
	if (e == 1024) return float(x);
	precise double y = isago_round64(x * packDouble2x32(uvec2(0u, uint(1033 - e) << 20)), mode) * packDouble2x32(uvec2(0u, uint(1013 + e) << 20));
	uint b = floatBitsToUint(float(y)) & 0x7fffffffu;
	if (e >= 16 || b > 0x477fe000u) b = mode == ZERO || mode == DOWN && sign == 0u || mode == UP && sign != 0u ? 0x477fe000u : 0x7f800000u;
	return uintBitsToFloat(b | sign);
}

uint isago_half_bits(float x) {
	uint b = floatBitsToUint(x), sign = b >> 16 & 0x8000u;
	b &= 0x7fffffffu;
	if (b > 0x7f800000u) return sign | 0x7c00u | max(b >> 13 & 0x3ffu, 1u);
	if (b == 0x7f800000u) return sign | 0x7c00u;
	if (b < 0x38800000u) {
		precise float m = uintBitsToFloat(b) * 16777216.0;
		return sign | uint(m);
	}
	return sign | (b >> 13) - 0x1c000u;
}

float isago_half(uint h) {
	uint sign = (h & 0x8000u) << 16, e = h >> 10 & 31u, m = h & 0x3ffu;
	if (e == 0u) {
		precise float y = float(m) / 16777216.0;
		return uintBitsToFloat(floatBitsToUint(y) | sign);
	}
	if (e == 31u) return uintBitsToFloat(sign | 0x7f800000u | m << 13);
	return uintBitsToFloat(sign | (e + 112u) << 23 | m << 13);
}

double isago_integer(uint64_t x, bool negative, int bits, int mode) {
	// x or -x, rounded to bits of precision.
	int n = isago_msb64(x) + 1 - bits;
	uint64_t kept = x;
	if (n > 0) {
		uint64_t lost = x & ((1ul << n) - 1ul), middle = 1ul << (n - 1);
		kept >>= n;
		bool more = lost > middle || lost == middle && (kept & 1ul) != 0ul;
		if (mode != NEAREST) more = lost != 0ul && (mode == UP && !negative || mode == DOWN && negative);
		if (more) kept += 1ul;
	}
	precise double y = isago_u64_to_f64(kept) * packDouble2x32(uvec2(0u, uint(1023 + max(n, 0)) << 20));
	return negative ? -y : y;
}

double isago_unsigned(uint64_t x, int bits, int mode) {
	return isago_integer(x, false, bits, mode);
}

double isago_signed(int64_t x, int bits, int mode) {
	uint64_t b = uint64_t(x);
	bool negative = (unpackUint2x32(b).y & 0x80000000u) != 0u;
	return isago_integer(negative ? 0ul - b : b, negative, bits, mode);
}

uint64_t isago_to_uint64(double x, int width) {
	// x has an integer as its value, or is infinite or NaN.
	if (isago_nan64(x) || x <= 0.0lf) return 0ul;
	if (x >= packDouble2x32(uvec2(0u, uint(1023 + width) << 20))) return 0xfffffffffffffffful >> (64 - width);
	precise double high = floor(x * packDouble2x32(uvec2(0u, 0x3df00000u))), low = x - high * 4294967296.0lf;
	return packUint2x32(uvec2(uint(low), uint(high)));
}

uint64_t isago_to_int64(double x, int width) {
	if (x < 0.0lf) {
		uint64_t limit = 1ul << (width - 1);
		return 0ul - (-x >= packDouble2x32(uvec2(0u, uint(1022 + width) << 20)) ? limit : isago_to_uint64(-x, width));
	}
	return isago_to_uint64(x, width - 1);
}

int isago_parts(double x, out uint64_t m) {
	// The mantissa of x with 53 bits, and its exponent. x is finite and not 0.
	uvec2 w = unpackDouble2x32(x);
	int e = int(w.y >> 20 & 0x7ffu);
	m = packUint2x32(uvec2(w.x, w.y & 0xfffffu));
	if (e != 0) {
		m |= 0x10000000000000ul;
		return e - 1075;
	}
	int n = 52 - isago_msb64(m);
	m <<= n;
	return -1074 - n;
}

void isago_lower(uint64_t h, uint64_t l, int n, out uint64_t high, out uint64_t low) {
	// Shifts 128 bits to the right. The lowest bit says whether a bit was lost.
	bool lost = false;
	high = h;
	low = l;
	if (n >= 128) {
		lost = (high | low) != 0ul;
		high = 0ul;
		low = 0ul;
	} else if (n >= 64) {
		lost = low != 0ul || (high & ((1ul << (n - 64)) - 1ul)) != 0ul;
		low = high >> (n - 64);
		high = 0ul;
	} else if (n > 0) {
		lost = (low & ((1ul << n) - 1ul)) != 0ul;
		low = low >> n | high << (64 - n);
		high >>= n;
	}
	if (lost) low |= 1ul;
}

double isago_fma64(double a, double b, double c, int mode) {
	uvec2 wa = unpackDouble2x32(a), wb = unpackDouble2x32(b), wc = unpackDouble2x32(c);
	bool finite = (wa.y & 0x7ff00000u) != 0x7ff00000u && (wb.y & 0x7ff00000u) != 0x7ff00000u;
	if (finite && (wc.y & 0x7ff00000u) == 0x7ff00000u) return c;
	if (!finite || a == 0.0lf || b == 0.0lf) {
		if (finite && c != 0.0lf) return c;
		precise double p = a * b, s = p + c;
		if (finite && mode == DOWN && ((wa.y ^ wb.y ^ wc.y) & 0x80000000u) != 0u) return packDouble2x32(uvec2(0u, 0x80000000u));
		return s;
	}
	// The product and c get their highest bits into bit 126.
	bool negative = ((wa.y ^ wb.y) & 0x80000000u) != 0u;
	uint64_t ma, mb, h, l;
	int ea = isago_parts(a, ma), eb = isago_parts(b, mb), e = ea + eb - 21;
	isago_mul64(ma << 10, mb << 11, h, l);
	if ((h >> 62 & 1ul) == 0ul) {
		h = h << 1 | l >> 63;
		l <<= 1;
		e--;
	}
	if (c != 0.0lf) {
		uint64_t mc, ch, cl = 0ul, sh, sl;
		int ec = isago_parts(c, mc) - 74;
		bool other = (wc.y & 0x80000000u) != 0u, differ = other != negative;
		ch = mc << 10;
		if (ec > e || ec == e && ch > h) { // the larger one comes first
			isago_lower(h, l, ec - e, sh, sl);
			h = ch;
			l = cl;
			e = ec;
			negative = other;
		} else {
			isago_lower(ch, cl, e - ec, sh, sl);
		}
		if (differ) {
			h -= sh + (l < sl ? 1ul : 0ul);
			l -= sl;
		} else {
			l += sl;
			h += sh + (l < sl ? 1ul : 0ul);
		}
		if ((h | l) == 0ul) return packDouble2x32(uvec2(0u, mode == DOWN ? 0x80000000u : 0u));
		if ((h >> 63) != 0ul) {
			uint64_t h1 = h, l1 = l;
			isago_lower(h1, l1, 1, h, l);
			e++;
		}
		if (h == 0ul) {
			h = l >> 1;
			l <<= 63;
			e -= 63;
		}
		int n = 62 - isago_msb64(h);
		if (n > 0) {
			h = h << n | l >> (64 - n);
			l <<= n;
			e -= n;
		}
	}
	// 53 bits are kept, or fewer if the result is denormal.
	e += 126;
	int drop = 10 + max(-1022 - e, 0);
	uint64_t kept = 0ul, lost = h | 1ul, middle = 1ul << 63;
	if (drop < 64) {
		kept = h >> drop;
		lost = h & ((1ul << drop) - 1ul);
		middle = 1ul << (drop - 1);
	}
	bool more = lost > middle || lost == middle && (l != 0ul || (kept & 1ul) != 0ul);
	if (mode != NEAREST) more = (lost | l) != 0ul && (mode == UP && !negative || mode == DOWN && negative);
	if (more) kept += 1ul;
	if (e >= -1022) kept += uint64_t(uint(e + 1022)) << 52;
	if (kept >= 0x7ff0000000000000ul) kept = mode == ZERO || mode == DOWN && !negative || mode == UP && negative ? 0x7feffffffffffffful : 0x7ff0000000000000ul;
	uvec2 w = unpackUint2x32(kept);
	if (negative) w.y |= 0x80000000u;
	return packDouble2x32(w);
}

double isago_add64(double a, double b, int mode) {
	return isago_fma64(a, 1.0lf, b, mode);
}

double isago_multiply64(double a, double b, int mode) {
	uint sign = (unpackDouble2x32(a).y ^ unpackDouble2x32(b).y) & 0x80000000u;
	return isago_fma64(a, b, packDouble2x32(uvec2(0u, sign)), mode);
}
