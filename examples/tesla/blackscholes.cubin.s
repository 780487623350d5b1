// Option prices by Black and Scholes. Parameters: call, put, price, strike, years, n, and as floats the rate and the
// volatility. The normal distribution is a function that is called twice.
architecture {sm_11}
abiversion {0}
modname {cubin}
code {
	name = blackscholes
	lmem = 0
	smem = 48
	reg = 24
	bar = 0
	bincode {
		mov b16 $r0h u16 s[0x2]
		cvt u32 $r1 u16 $r0l
		add $r0 (mul u16 u16 s[0xc] $r0h) $r1
		set $c0 # g u32 b32 s[0x24] $r0
		(e $c0) ret
		shl b32 $r0 $r0 0x2
		add b32 $r1 b32 s[0x18] $r0
		add b32 $r2 b32 s[0x1c] $r0
		add b32 $r3 b32 s[0x20] $r0
		ld b32 $r1 g14[$r1]
		ld b32 $r2 g14[$r2]
		ld b32 $r3 g14[$r3]
		mov b32 $r20 0x3f800000
		// $r4 = volatility * sqrt(years), $r5 = 1 / $r4
		rsqrt f32 $r4 $r3
		mul f32 $r4 $r4 $r3
		mul f32 $r4 b32 s[0x2c] $r4
		rcp f32 $r5 $r4
		// $r6 = log(price / strike)
		rcp f32 $r6 $r2
		mul f32 $r6 $r6 $r1
		lg2 f32 $r6 $r6
		mul f32 $r6 $r6 0x3f317218
		// $r10 = d1 = ($r6 + (rate + volatility^2 / 2) * years) / $r4
		ld $r7 b32 s[0x2c]
		mul f32 $r7 $r7 $r7
		mul f32 $r7 $r7 0x3f000000
		add f32 $r7 b32 s[0x28] $r7
		mul f32 $r7 $r7 $r3
		add f32 $r7 $r7 $r6
		mul f32 $r10 $r7 $r5
		add f32 $r8 $r10 neg $r4
		call normal
		mov b32 $r9 $r11
		// d2 = d1 - $r4
		mov b32 $r10 $r8
		call normal
		// $r3 = strike * exp(-rate * years)
		mul f32 $r3 b32 s[0x28] $r3
		mul f32 $r3 $r3 0xbfb8aa3b
		preex2 f32 $r3 $r3
		ex2 f32 $r3 $r3
		mul f32 $r3 $r3 $r2
		// call = price * N(d1) - $r3 * N(d2)
		mul f32 $r4 $r1 $r9
		mul f32 $r5 $r3 $r11
		add f32 $r4 $r4 neg $r5
		add b32 $r6 b32 s[0x10] $r0
		st b32 g14[$r6] $r4
		// put = $r3 * (1 - N(d2)) - price * (1 - N(d1))
		add f32 $r9 neg $r9 $r20
		add f32 $r11 neg $r11 $r20
		mul f32 $r4 $r3 $r11
		mul f32 $r5 $r1 $r9
		add f32 $r4 $r4 neg $r5
		add b32 $r6 b32 s[0x14] $r0
		exit st b32 g14[$r6] $r4
		// $r11 = N($r10): a polynomial of $r12 = 1 / (1 + 0.2316419 * |$r10|)
	normal:
		and b32 $r12 $r10 0x7fffffff
		mul f32 $r12 $r12 0x3e6d3389
		add f32 $r12 $r12 0x3f800000
		rcp f32 $r12 $r12
		mul f32 $r11 $r12 0x3faa466f
		add f32 $r11 $r11 0xbfe91eea
		mul f32 $r11 $r11 $r12
		add f32 $r11 $r11 0x3fe40778
		mul f32 $r11 $r11 $r12
		add f32 $r11 $r11 0xbeb68f87
		mul f32 $r11 $r11 $r12
		add f32 $r11 $r11 0x3ea385fa
		mul f32 $r11 $r11 $r12
		mul f32 $r13 $r10 $r10
		mul f32 $r13 $r13 0xbf38aa3b
		preex2 f32 $r13 $r13
		ex2 f32 $r13 $r13
		mul f32 $r13 $r13 0x3ecc422a
		mul f32 $r11 $r11 $r13
		set $c0 # g f32 $r10 $r124
		(lg $c0) add f32 $r11 neg $r11 $r20
		ret
	}
}
