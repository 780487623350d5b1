// c[i] = a[i] + b[i], one thread per element. Parameters: a, b, c, n.
architecture {sm_10}
abiversion {0}
modname {cubin}
code {
	name = vecadd
	lmem = 0
	smem = 32
	reg = 4
	bar = 0
	bincode {
		// i = ctaid.x * ntid.x + tid.x
		mov b16 $r0h u16 s[0x2]
		cvt u32 $r1 u16 $r0l
		add $r0 (mul u16 u16 s[0xc] $r0h) $r1
		// threads beyond n have nothing to do
		set $c0 # g u32 b32 s[0x1c] $r0
		(e $c0) ret
		shl b32 $r0 $r0 0x2
		add b32 $r1 b32 s[0x10] $r0
		add b32 $r2 b32 s[0x14] $r0
		ld b32 $r1 g14[$r1]
		ld b32 $r2 g14[$r2]
		add b32 $r0 b32 s[0x18] $r0
		mul f32 $r1 $r1 $r2
		exit st b32 g14[$r0] $r1
	}
}
