.asm
	EXEC MOVv r1.xy**, a[0].xyzw MOVs r1.**zw, a[0].xyzw;
	EXEC_END NOPv;
