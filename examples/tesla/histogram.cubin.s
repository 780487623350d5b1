// Counts how often each byte occurs. Threads step through the data by the size of the grid, and add 1 to a bin atomically.
// Parameters: data, bins, n.
architecture {sm_11}
abiversion {0}
modname {cubin}
code {
	name = histogram
	lmem = 0
	smem = 28
	reg = 7
	bar = 0
	bincode {
		mov b16 $r2l u16 s[0x2]
		cvt u32 $r3 u16 $r0l
		add $r3 (mul u16 u16 s[0xc] $r2l) $r3
		mul $r4 u16 u16 s[0x8] u16 $r2l
		mov b32 $r5 0x1
	next:
		set $c0 # g u32 b32 s[0x18] $r3
		(e $c0) ret
		add b32 $r6 b32 s[0x10] $r3
		ld u8 $r6 g14[$r6]
		shl b32 $r6 $r6 0x2
		add b32 $r6 b32 s[0x14] $r6
		red add u32 g14[$r6] $r5
		add b32 $r3 $r3 $r4
		bra next
	}
}
