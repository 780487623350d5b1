// Branches without a joinat. Each thread that reaches the addition has written $r1 before.
architecture {sm_11}
abiversion {0}
modname {cubin}
code {
	name = branches
	lmem = 0
	smem = 16
	reg = 2
	bar = 0
	bincode {
		set $c1 # g u32 $r0 $r0
		(e $c1) bra far
		mov b32 $r1 0x2
		(e $c1) bra near
		long add b32 $r0 $r1 $r1
	near:
	far:
		(lg $c1) bra far
		exit nop
	}
}
