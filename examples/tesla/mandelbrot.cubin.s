// The Mandelbrot set, with one thread per pixel in blocks of 16 by 16: the number of steps in which a point leaves the circle
// of radius 2, and a colour. Parameters: steps, colours, width, limit, and as floats x, y (the corner) and step.
architecture {sm_11}
abiversion {0}
modname {cubin}
code {
	name = mandelbrot
	lmem = 0
	smem = 44
	reg = 18
	bar = 0
	bincode {
		cvt u32 $r2 u16 $r0l
		cvt u32 $r3 u16 $r0h
		mov b16 $r4l u16 s[0x2]
		mov b16 $r4h u16 s[0x4]
		add $r2 (mul u16 u16 s[0xc] $r4l) $r2
		add $r3 (mul u16 u16 s[0xe] $r4h) $r3
		// c = (x + step * column, y + step * row)
		cvt rn f32 $r5 u32 $r2
		cvt rn f32 $r6 u32 $r3
		mul f32 $r5 b32 s[0x28] $r5
		mul f32 $r6 b32 s[0x28] $r6
		add f32 $r5 b32 s[0x20] $r5
		add f32 $r6 b32 s[0x24] $r6
		// the offset of the pixel: 4 * (row * width + column)
		mov b16 $r4l u16 s[0x18]
		mul $r3 u16 $r3l u16 $r4l
		add b32 $r2 $r2 $r3
		shl b32 $r2 $r2 0x2
		mov b32 $r8 0x0
		mov b32 $r9 0x0
		ld $r10 b32 s[0x1c]
		mov b32 $r14 0x40800000
		mov b32 $r15 0x1
		breakaddr outside
	step:
		mul f32 $r11 $r8 $r8
		mul f32 $r12 $r9 $r9
		add f32 $r13 $r11 $r12
		set $c0 # g f32 $r13 $r14
		(lg $c0) break
		mul f32 $r13 $r8 $r9
		add f32 $r8 $r11 neg $r12
		add f32 $r8 $r8 $r5
		add f32 $r9 $r13 $r13
		add f32 $r9 $r9 $r6
		sub b32 $c1 $r10 $r10 $r15
		(lg $c1) bra step
		break
	outside:
		sub b32 $r11 b32 s[0x1c] $r10
		add b32 $r3 b32 s[0x10] $r2
		st b32 g14[$r3] $r11
		add b32 $r2 b32 s[0x14] $r2
		// points that never leave are black
		mov b32 $r12 0xff000000
		and b32 $c0 # $r10 $r10
		joinat painted
		(e $c0) bra painted
		// t = steps / limit; red, green and blue are polynomials of t and u = 1 - t
		cvt rn f32 $r5 u32 $r11
		ld $r6 b32 s[0x1c]
		cvt rn f32 $r6 u32 $r6
		rcp f32 $r6 $r6
		mul f32 $r5 $r5 $r6
		add f32 $r6 neg $r5 0x3f800000
		mul f32 $r7 $r5 $r5
		mul f32 $r8 $r6 $r6
		mul f32 $r9 $r7 $r5
		mul f32 $r9 $r9 $r6
		mul f32 $r9 $r9 0x450f7000
		mul f32 $r10 $r7 $r8
		mul f32 $r10 $r10 0x456f1000
		mul f32 $r11 $r8 $r6
		mul f32 $r11 $r11 $r5
		mul f32 $r11 $r11 0x45077800
		cvt rzi u32 $r9 f32 $r9
		cvt rzi u32 $r10 f32 $r10
		cvt rzi u32 $r11 f32 $r11
		shl b32 $r10 $r10 0x8
		shl b32 $r11 $r11 0x10
		or b32 $r12 $r12 $r9
		or b32 $r12 $r12 $r10
		or b32 $r12 $r12 $r11
	painted:
		join (never) nop
		exit st b32 g14[$r2] $r12
	}
}
