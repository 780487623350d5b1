// Sorts n integers, where n is a power of two up to 512, in one block with one thread per element. The integers are in s[] from 0x20 on.
// Parameters: values, n.
architecture {sm_11}
abiversion {0}
modname {cubin}
code {
	name = bitonic
	lmem = 0
	smem = 2080
	reg = 13
	bar = 1
	bincode {
		cvt u32 $r2 u16 $r0l
		shl b32 $r3 $r2 0x2
		add b32 $r4 b32 s[0x10] $r3
		ld b32 $r5 g14[$r4]
		shl $a1 $r2 0x2
		st b32 s[$a1+0x20] $r5
		// sort runs of $r6 elements, alternately up and down, by comparing elements $r7 apart
		mov b32 $r6 0x2
	run:
		shr u32 $r7 $r6 0x1
	apart:
		bar inc wait 0x0 0xfff
		xor b32 $r8 $r2 $r7
		joinat ordered
		set $c0 # g u32 $r8 $r2
		(e $c0) bra ordered
		shl $a2 $r8 0x2
		ld $r9 b32 s[$a1+0x20]
		ld $r10 b32 s[$a2+0x20]
		min s32 $r11 $r9 $r10
		max s32 $r12 $r9 $r10
		and b32 $c1 # $r2 $r6
		(e $c1) st b32 s[$a1+0x20] $r11
		(e $c1) st b32 s[$a2+0x20] $r12
		(lg $c1) st b32 s[$a1+0x20] $r12
		(lg $c1) st b32 s[$a2+0x20] $r11
	ordered:
		join (never) nop
		shr u32 $c0 $r7 $r7 0x1
		(lg $c0) bra apart
		shl b32 $r6 $r6 0x1
		set $c0 # ge u32 b32 s[0x14] $r6
		(lg $c0) bra run
		bar inc wait 0x0 0xfff
		ld $r5 b32 s[$a1+0x20]
		exit st b32 g14[$r4] $r5
	}
}
