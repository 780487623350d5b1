// Reverses the elements of a block through s[], with a barrier between the stores and the loads.
// The parameter at 0x10 is the array. The elements of the block are in s[] from 0x20 on.
architecture {sm_11}
abiversion {0}
modname {cubin}
code {
	name = reverse
	lmem = 0
	smem = 1056
	reg = 4
	bar = 1
	bincode {
		cvt u32 $r0 u16 $r0l
		shl b32 $r1 $r0 0x2
		// the thread's element into s[0x20 + 4 * tid]
		add b32 $r2 b32 s[0x10] $r1
		ld b32 $r3 g14[$r2]
		shl $a1 $r0 0x2
		st b32 s[$a1+0x20] $r3
		bar inc wait 0x0 0xfff
		// the element of the opposite thread, ntid - 1 - tid
		cvt u32 $r3 u16 u16 s[0x2]
		sub b32 $r3 $r3 $r0
		add b32 $r3 $r3 0xffffffff
		shl $a1 $r3 0x2
		ld $r3 b32 s[$a1+0x20]
		exit st b32 g14[$r2] $r3
	}
}
