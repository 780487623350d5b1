// y[i] = a * x[i] + y[i], one thread per element. The parameters are in s[], from 0x10 on: n, a, x, y.
architecture {sm_10}
abiversion {0}
modname {cubin}
code {
	name = saxpy
	lmem = 0
	smem = 32
	reg = 5
	bar = 0
	bincode {
		// i = ctaid.x * ntid.x + tid.x
		mov b16 $r0h u16 s[0x2]
		cvt u32 $r1 u16 $r0l
		add $r0 (mul u16 u16 s[0xc] $r0h) $r1
		// threads beyond n have nothing to do
		set $c0 # g u32 b32 s[0x10] $r0
		(e $c0) ret
		// the addresses of x[i] and y[i]
		shl b32 $r0 $r0 0x2
		add b32 $r1 b32 s[0x18] $r0
		add b32 $r2 b32 s[0x1c] $r0
		ld b32 $r3 g14[$r1]
		ld b32 $r4 g14[$r2]
		mul f32 $r3 b32 s[0x14] $r3
		add f32 $r3 $r3 $r4
		exit st b32 g14[$r2] $r3
	}
}
