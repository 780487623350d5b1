// The sum of n integers. Each block of 256 threads adds 256 of them in a tree and writes one sum. Run it again on the
// sums. Parameters: in, out, n. The tree is in s[] from 0x20 on.
architecture {sm_11}
abiversion {0}
modname {cubin}
code {
	name = reduce
	lmem = 0
	smem = 1056
	reg = 9
	bar = 1
	bincode {
		cvt u32 $r3 u16 $r0l
		mov b16 $r2l u16 s[0x2]
		add $r4 (mul u16 u16 s[0xc] $r2l) $r3
		// elements beyond n are 0
		mov b32 $r5 0x0
		set $c0 # g u32 b32 s[0x18] $r4
		shl b32 $r4 $r4 0x2
		add b32 $r4 b32 s[0x10] $r4
		(lg $c0) ld b32 $r5 g14[$r4]
		shl $a1 $r3 0x2
		st b32 s[$a1+0x20] $r5
		mov b32 $r6 0x80
	half:
		bar inc wait 0x0 0xfff
		set $c0 # g u32 $r6 $r3
		joinat added
		(e $c0) bra added
		add b32 $r7 $r3 $r6
		shl $a2 $r7 0x2
		ld $r7 b32 s[$a2+0x20]
		ld $r8 b32 s[$a1+0x20]
		add b32 $r8 $r8 $r7
		st b32 s[$a1+0x20] $r8
	added:
		join (never) nop
		shr u32 $c0 $r6 $r6 0x1
		(lg $c0) bra half
		// the first thread writes the sum of the block
		and b32 $c0 # $r3 $r3
		(lg $c0) ret
		cvt u32 $r2 u16 u16 s[0xc]
		shl b32 $r2 $r2 0x2
		add b32 $r2 b32 s[0x14] $r2
		ld $r5 b32 s[0x20]
		exit st b32 g14[$r2] $r5
	}
}
