// A branch on a flag that an earlier branch has tested: l, g and e of one comparison exclude each other.
architecture {sm_11}
abiversion {0}
modname {cubin}
code {
	name = agree
	lmem = 0
	smem = 16
	reg = 4
	bar = 0
	bincode {
		cvt u32 $r2 u16 $r0l
		set $c0 # g u32 $r2 $r124
		(e $c0) bra first
		mov b32 $r1 0x1
	first:
		add b32 $r3 $r2 0x4
		(e $c0) bra second
		st b32 g14[$r3] $r1
	second:
		(lg $c0) bra third
		st b32 g14[$r3] $r1 // want: read-unwritten
	third:
		set $c0 # g u32 $r3 $r124
		(e $c0) bra fourth
		st b32 g14[$r3] $r1 // want: read-unwritten
	fourth:
		set $c0 # g u32 $r2 $r124
		(e $c0) bra fifth
		st b32 g14[$r3] $r1
	fifth:
		exit nop
	}
}
