uint64_t isago_u64_add(uint64_t a, uint64_t b) {
	uvec2 x = unpackUint2x32(a), y = unpackUint2x32(b);
	uint low = x.x + y.x;
	return packUint2x32(uvec2(low, x.y + y.y + (low < x.x ? 1u : 0u)));
}

uint64_t isago_u64_subtract(uint64_t a, uint64_t b) {
	uvec2 x = unpackUint2x32(a), y = unpackUint2x32(b);
	return packUint2x32(uvec2(x.x - y.x, x.y - y.y - (x.x < y.x ? 1u : 0u)));
}

uint64_t isago_u64_multiply(uint64_t a, uint64_t b) {
	uvec2 x = unpackUint2x32(a), y = unpackUint2x32(b);
	return packUint2x32(uvec2(x.x * y.x, isago_mul_high(x.x, y.x) + x.x * y.y + x.y * y.x));
}

uint64_t isago_u64_negate(uint64_t a) {
	return isago_u64_subtract(packUint2x32(uvec2(0u, 0u)), a);
}

uint64_t isago_u64_shift_left(uint64_t a, int n) {
	uvec2 x = unpackUint2x32(a);
	if (n >= 64) return packUint2x32(uvec2(0u, 0u));
	if (n >= 32) return packUint2x32(uvec2(0u, x.x << (n - 32)));
	if (n == 0) return a;
	return packUint2x32(uvec2(x.x << n, x.y << n | x.x >> (32 - n)));
}

uint64_t isago_u64_shift_right(uint64_t a, int n) {
	uvec2 x = unpackUint2x32(a);
	if (n >= 64) return packUint2x32(uvec2(0u, 0u));
	if (n >= 32) return packUint2x32(uvec2(x.y >> (n - 32), 0u));
	if (n == 0) return a;
	return packUint2x32(uvec2(x.x >> n | x.y << (32 - n), x.y >> n));
}

uint64_t isago_i64_shift_right(uint64_t a, int n) {
	uvec2 x = unpackUint2x32(a);
	uint sign = uint(int(x.y) >> 31);
	if (n >= 32) return packUint2x32(uvec2(uint(int(x.y) >> min(n - 32, 31)), sign));
	if (n == 0) return a;
	return packUint2x32(uvec2(x.x >> n | x.y << (32 - n), uint(int(x.y) >> n)));
}

bool isago_u64_less(uint64_t a, uint64_t b) {
	uvec2 x = unpackUint2x32(a), y = unpackUint2x32(b);
	return x.y < y.y || x.y == y.y && x.x < y.x;
}

bool isago_i64_less(uint64_t a, uint64_t b) {
	uvec2 x = unpackUint2x32(a), y = unpackUint2x32(b);
	return int(x.y) < int(y.y) || x.y == y.y && x.x < y.x;
}

uint64_t isago_i64_from_int(int a) {
	return packUint2x32(uvec2(uint(a), uint(a >> 31)));
}

double isago_f64_negate(double a) {
	uvec2 w = unpackDouble2x32(a);
	return packDouble2x32(uvec2(w.x, w.y ^ 0x80000000u));
}

double isago_f64_abs(double a) {
	uvec2 w = unpackDouble2x32(a);
	return packDouble2x32(uvec2(w.x, w.y & 0x7fffffffu));
}

bool isago_f64_less(double a, double b) {
	if (isago_nan64(a) || isago_nan64(b)) return false;
	uvec2 x = unpackDouble2x32(a), y = unpackDouble2x32(b);
	if (((x.y | y.y) & 0x7fffffffu) == 0u && (x.x | y.x) == 0u) return false;
	if ((x.y & 0x80000000u) == 0u || (y.y & 0x80000000u) == 0u) return int(x.y) < int(y.y) || x.y == y.y && x.x < y.x;
	return y.y < x.y || y.y == x.y && y.x < x.x;
}

bool isago_f64_less_equal(double a, double b) {
	return !isago_nan64(a) && !isago_nan64(b) && !isago_f64_less(b, a);
}

bool isago_f64_equal(double a, double b) {
	if (isago_nan64(a) || isago_nan64(b)) return false;
	uvec2 x = unpackDouble2x32(a), y = unpackDouble2x32(b);
	return x.x == y.x && x.y == y.y || ((x.y | y.y) & 0x7fffffffu) == 0u && (x.x | y.x) == 0u;
}

double isago_f64_rounded(uint sign, int e, uint64_t m) {
	// Bit 62 is the highest bit of m. The lowest bit also says whether the exact value has bits below it.
	int drop = e > 0 ? 10 : 11 - e;
	if (drop > 63) return packDouble2x32(uvec2(0u, sign));
	if (e > 2046) return packDouble2x32(uvec2(0u, sign | 0x7ff00000u));
	uint64_t kept = m >> drop, lost = m & ((1ul << drop) - 1ul), middle = 1ul << (drop - 1);
	if (lost > middle || lost == middle && (kept & 1ul) != 0ul) kept += 1ul;
	uvec2 w = unpackUint2x32(kept);
	if (e > 0) w.y += uint(e - 1) << 20;
	return packDouble2x32(uvec2(w.x, w.y | sign));
}

double isago_f64_add(double a, double b) {
	uvec2 wa = unpackDouble2x32(a), wb = unpackDouble2x32(b);
	uint sign = wa.y & 0x80000000u, other = wb.y & 0x80000000u;
	wa.y ^= sign;
	wb.y ^= other;
	uint64_t x = packUint2x32(wa), y = packUint2x32(wb);
	if (wa.y >= 0x7ff00000u || wb.y >= 0x7ff00000u) {
		uint64_t infinite = 0x7ff0000000000000ul;
		if (x > infinite || y > infinite || x == y && sign != other) return packDouble2x32(uvec2(0u, 0x7ff80000u));
		return x == infinite ? a : b;
	}
	if (x < y) {
		uvec2 wt = wa;
		wa = wb;
		wb = wt;
		uint t = sign;
		sign = other;
		other = t;
	}
	if ((wb.x | wb.y) == 0u) return packDouble2x32(uvec2(wa.x, (wa.x | wa.y) == 0u ? sign & other : sign | wa.y));
	uint64_t m, n;
	int e = isago_parts(packDouble2x32(wa), m), d = e - isago_parts(packDouble2x32(wb), n);
	m <<= 10;
	n <<= 10;
	if (d > 62) {
		n = 1ul;
	} else if (d > 0) {
		n = n >> d | ((n & ((1ul << d) - 1ul)) != 0ul ? 1ul : 0ul);
	}
	e += 1075;
	if (sign == other) {
		m += n;
		if ((m >> 63) != 0ul) {
			m = m >> 1 | m & 1ul;
			e++;
		}
	} else {
		m -= n;
		if (m == 0ul) return packDouble2x32(uvec2(0u, 0u));
		int left = 62 - isago_msb64(m);
		m <<= left;
		e -= left;
	}
	return isago_f64_rounded(sign, e, m);
}

double isago_f64_multiply(double a, double b) {
	uvec2 wa = unpackDouble2x32(a), wb = unpackDouble2x32(b);
	uint sign = (wa.y ^ wb.y) & 0x80000000u;
	wa.y &= 0x7fffffffu;
	wb.y &= 0x7fffffffu;
	bool none = (wa.x | wa.y) == 0u || (wb.x | wb.y) == 0u;
	if (wa.y >= 0x7ff00000u || wb.y >= 0x7ff00000u) return packDouble2x32(uvec2(0u, isago_nan64(a) || isago_nan64(b) || none ? 0x7ff80000u : sign | 0x7ff00000u));
	if (none) return packDouble2x32(uvec2(0u, sign));
	uint64_t m, n, h, l;
	int e = isago_parts(a, m) + isago_parts(b, n) + 1127;
	isago_mul64(m << 10, n << 11, h, l);
	if ((h >> 62) == 0ul) {
		h = h << 1 | l >> 63;
		l <<= 1;
	} else {
		e++;
	}
	if (l != 0ul) h |= 1ul;
	return isago_f64_rounded(sign, e, h);
}

double isago_f64_product(float a, float b) {
	// The exact product.
	uint x = floatBitsToUint(a), y = floatBitsToUint(b), sign = (x ^ y) & 0x80000000u;
	x &= 0x7fffffffu;
	y &= 0x7fffffffu;
	bool none = x == 0u || y == 0u;
	if (x >= 0x7f800000u || y >= 0x7f800000u) return packDouble2x32(uvec2(0u, x > 0x7f800000u || y > 0x7f800000u || none ? 0x7ff80000u : sign | 0x7ff00000u));
	if (none) return packDouble2x32(uvec2(0u, sign));
	int n = x < 0x800000u ? 23 - findMSB(x) : 0, m = y < 0x800000u ? 23 - findMSB(y) : 0;
	int e = (n > 0 ? 1 - n : int(x >> 23)) + (m > 0 ? 1 - m : int(y >> 23)) + 769;
	x = (x << n) & 0x7fffffu | 0x800000u;
	y = (y << m) & 0x7fffffu | 0x800000u;
	uint h = isago_mul_high(x, y), l = x * y;
	int k = 6;
	if ((h & 0x8000u) != 0u) {
		k = 5;
		e++;
	}
	return packDouble2x32(uvec2(l << k, sign | uint(e) << 20 | (h << k | l >> (32 - k)) & 0xfffffu));
}

double isago_f64_divide(double a, double b) {
	uvec2 wa = unpackDouble2x32(a), wb = unpackDouble2x32(b);
	uint sign = (wa.y ^ wb.y) & 0x80000000u;
	wa.y &= 0x7fffffffu;
	wb.y &= 0x7fffffffu;
	bool zero = (wa.x | wa.y) == 0u, none = (wb.x | wb.y) == 0u;
	if (isago_nan64(a) || isago_nan64(b) || zero && none || wa.y == 0x7ff00000u && wb.y == 0x7ff00000u) return packDouble2x32(uvec2(0u, 0x7ff80000u));
	if (none || wa.y == 0x7ff00000u) return packDouble2x32(uvec2(0u, sign | 0x7ff00000u));
	if (zero || wb.y == 0x7ff00000u) return packDouble2x32(uvec2(0u, sign));
	uint64_t m, n, q = 0ul;
	int e = isago_parts(a, m) - isago_parts(b, n) + 1023, i = 0;
	if (m < n) {
		m <<= 1;
		e--;
	}
	while (i < 55) {
		q <<= 1;
		if (m >= n) {
			m -= n;
			q |= 1ul;
		}
		m <<= 1;
		i++;
	}
	q <<= 8;
	if (m != 0ul) q |= 1ul;
	return isago_f64_rounded(sign, e, q);
}

double isago_f64_sqrt(double a) {
	uvec2 w = unpackDouble2x32(a);
	if (((w.y & 0x7fffffffu) | w.x) == 0u || w.y == 0x7ff00000u && w.x == 0u) return a;
	if (w.y >= 0x7ff00000u) return packDouble2x32(uvec2(0u, 0x7ff80000u));
	uint64_t m, q = 0ul, r = 0ul;
	int e = isago_parts(a, m) + 52, i = 0;
	m <<= 9;
	if ((e & 1) != 0) {
		m <<= 1;
		e--;
	}
	// Two bits of m make a bit of the root.
	while (i < 55) {
		r = r << 2 | m >> 61 & 3ul;
		m = m << 2 & 0x7ffffffffffffffful;
		q <<= 1;
		if (r > q << 1) {
			r -= q << 1 | 1ul;
			q |= 1ul;
		}
		i++;
	}
	q <<= 8;
	if (r != 0ul) q |= 1ul;
	return isago_f64_rounded(0u, e / 2 + 1023, q);
}

double isago_f64_round(double x, int mode) {
	uvec2 w = unpackDouble2x32(x);
	uint sign = w.y & 0x80000000u;
	w.y ^= sign;
	int e = int(w.y >> 20) - 1023;
	if (e >= 52 || (w.x | w.y) == 0u) return x;
	bool away = mode == DOWN && sign != 0u || mode == UP && sign == 0u;
	if (e < 0) {
		if (mode == NEAREST) away = w.y > 0x3fe00000u || w.y == 0x3fe00000u && w.x != 0u;
		return packDouble2x32(uvec2(0u, sign | (away ? 0x3ff00000u : 0u)));
	}
	uint64_t b = packUint2x32(w), one = 1ul << (52 - e), lost = b & (one - 1ul), middle = one >> 1;
	if (lost == 0ul) return x;
	b -= lost;
	if (mode == NEAREST) away = lost > middle || lost == middle && (b & one) != 0ul;
	if (away) b += one;
	w = unpackUint2x32(b);
	return packDouble2x32(uvec2(w.x, w.y | sign));
}

double isago_f64_from_float(float x) {
	uint b = floatBitsToUint(x), sign = b & 0x80000000u;
	b ^= sign;
	if (b >= 0x7f800000u) return packDouble2x32(uvec2(0u, b > 0x7f800000u ? 0x7ff80000u : sign | 0x7ff00000u));
	if (b == 0u) return packDouble2x32(uvec2(0u, sign));
	int n = b < 0x800000u ? 23 - findMSB(b) : 0;
	uint m = (b << n) & 0x7fffffu, e = uint((n > 0 ? 1 - n : int(b >> 23)) + 896);
	return packDouble2x32(uvec2(m << 29, sign | e << 20 | m >> 3));
}

double isago_f64_from_uint(uint x) {
	if (x == 0u) return packDouble2x32(uvec2(0u, 0u));
	int n = findMSB(x);
	uint m = (x << (31 - n)) << 1;
	return packDouble2x32(uvec2(m << 20, uint(1023 + n) << 20 | m >> 12));
}

double isago_f64_from_int(int x) {
	uvec2 w = unpackDouble2x32(isago_f64_from_uint(x < 0 ? 0u - uint(x) : uint(x)));
	return packDouble2x32(uvec2(w.x, w.y | uint(x) & 0x80000000u));
}

double isago_f64_from_u64(uint64_t x) {
	int n = isago_msb64(x);
	if (n < 0) return packDouble2x32(uvec2(0u, 0u));
	return isago_f64_rounded(0u, 1023 + n, n == 63 ? x >> 1 | x & 1ul : x << (62 - n));
}

double isago_f64_from_i64(uint64_t x) {
	uint sign = unpackUint2x32(x).y & 0x80000000u;
	uvec2 w = unpackDouble2x32(isago_f64_from_u64(sign != 0u ? 0ul - x : x));
	return packDouble2x32(uvec2(w.x, w.y | sign));
}

float isago_f64_to_float(double x) {
	uvec2 w = unpackDouble2x32(x);
	uint sign = w.y & 0x80000000u;
	if (isago_nan64(x)) return uintBitsToFloat(0x7fc00000u);
	return isago_rounded(sign, 0x1000000u | (w.y & 0xfffffu) << 4 | w.x >> 28, int(w.y >> 20 & 0x7ffu) - 896, (w.x & 0xfffffffu) != 0u);
}

uint isago_f64_to_uint(double x) {
	uvec2 w = unpackDouble2x32(x);
	int e = int(w.y >> 20 & 0x7ffu) - 1023;
	if (e < 0) return 0u;
	return (0x80000000u | (w.y & 0xfffffu) << 11 | w.x >> 21) >> max(31 - e, 0);
}

int isago_f64_to_int(double x) {
	uint m = isago_f64_to_uint(x);
	return int((unpackDouble2x32(x).y & 0x80000000u) != 0u ? 0u - m : m);
}
