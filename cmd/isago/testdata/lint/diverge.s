// Both sides of a branch write $r1, each for its own threads: the warp runs one after the other, and both results count.
architecture {sm_11}
abiversion {0}
modname {cubin}
code {
	name = diverge
	lmem = 0
	smem = 16
	reg = 4
	bar = 0
	bincode {
		cvt u32 $r2 u16 $r0l
		set $c0 # g u32 $r2 $r124
		joinat both
		(e $c0) bra other
		mov b32 $r1 0x1
		bra both
	other:
		mov b32 $r1 0x2
	both:
		join nop
		exit st b32 g14[$r2] $r1
	}
}
