// A fragment program (--stage fp): the colour of the texture, fading with the distance.
	interp $r4 v[0x0]            // 1/w
	rcp f32 $r4 $r4
	interp $r0 v[0x4] $r4        // the coordinates, times w
	interp $r1 v[0x8] $r4
	interp $r5 v[0xc] $r4        // the distance
	texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1
	// the weight of the texture: 1 minus the distance, clamped to 0 to 1
	add sat f32 $r5 neg $r5 0x3f800000
	mul f32 $r0 $r0 $r5
	mul f32 $r1 $r1 $r5
	exit mul f32 $r2 $r2 $r5
