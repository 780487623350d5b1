// c = a * b, square matrices of n rows, n a multiple of 16. A block of 16 by 16 threads computes a tile of c;
// tiles of a and b go through s[]: a at 0x20, b at 0x420. Parameters: a, b, c, n.
architecture {sm_11}
abiversion {0}
modname {cubin}
code {
	name = matmul
	lmem = 0
	smem = 2080
	reg = 12
	bar = 1
	bincode {
		cvt u32 $r2 u16 $r0l
		cvt u32 $r3 u16 $r0h
		// the offset of the thread's elements in s[]: 64 * y + 4 * x; rows of a are at 64 * y, columns of b at 4 * x
		shl b32 $r1 $r3 0x6
		shl $a1 $r3 0x6
		shl $a2 $r2 0x2
		shl b32 $r4 $r2 0x2
		add b32 $r1 $r1 $r4
		shl $a3 $r1 0x0
		// the row of c is 16 * ctaid.y + y, the column 16 * ctaid.x + x
		cvt u32 $r4 u16 u16 s[0xe]
		shl b32 $r4 $r4 0x4
		add b32 $r4 $r4 $r3
		cvt u32 $r5 u16 u16 s[0xc]
		shl b32 $r5 $r5 0x4
		add b32 $r5 $r5 $r2
		// a + 4 * (row * n + x), b + 4 * (y * n + column), c + 4 * (row * n + column)
		mov b16 $r6l u16 s[0x1c]
		mul $r7 u16 $r4l u16 $r6l
		mul $r8 u16 $r3l u16 $r6l
		add b32 $r9 $r7 $r5
		add b32 $r7 $r7 $r2
		add b32 $r8 $r8 $r5
		shl b32 $r7 $r7 0x2
		shl b32 $r8 $r8 0x2
		shl b32 $r9 $r9 0x2
		add b32 $r7 b32 s[0x10] $r7
		add b32 $r8 b32 s[0x14] $r8
		add b32 $r9 b32 s[0x18] $r9
		// the step of b from tile to tile, and the number of tiles
		cvt u32 $r6 u16 $r6l
		shl b32 $r10 $r6 0x6
		shr u32 $r6 $r6 0x4
		mov b32 $r11 0xffffffff
		mov b32 $r4 0x0
	tile:
		ld b32 $r5 g14[$r7]
		st b32 s[$a3+0x20] $r5
		ld b32 $r5 g14[$r8]
		st b32 s[$a3+0x420] $r5
		bar inc wait 0x0 0xfff
		ld $r5 b32 s[$a2+0x420]
		add f32 $r4 (mul b32 s[$a1+0x20] $r5) $r4
		ld $r5 b32 s[$a2+0x460]
		add f32 $r4 (mul b32 s[$a1+0x24] $r5) $r4
		ld $r5 b32 s[$a2+0x4a0]
		add f32 $r4 (mul b32 s[$a1+0x28] $r5) $r4
		ld $r5 b32 s[$a2+0x4e0]
		add f32 $r4 (mul b32 s[$a1+0x2c] $r5) $r4
		ld $r5 b32 s[$a2+0x520]
		add f32 $r4 (mul b32 s[$a1+0x30] $r5) $r4
		ld $r5 b32 s[$a2+0x560]
		add f32 $r4 (mul b32 s[$a1+0x34] $r5) $r4
		ld $r5 b32 s[$a2+0x5a0]
		add f32 $r4 (mul b32 s[$a1+0x38] $r5) $r4
		ld $r5 b32 s[$a2+0x5e0]
		add f32 $r4 (mul b32 s[$a1+0x3c] $r5) $r4
		ld $r5 b32 s[$a2+0x620]
		add f32 $r4 (mul b32 s[$a1+0x40] $r5) $r4
		ld $r5 b32 s[$a2+0x660]
		add f32 $r4 (mul b32 s[$a1+0x44] $r5) $r4
		ld $r5 b32 s[$a2+0x6a0]
		add f32 $r4 (mul b32 s[$a1+0x48] $r5) $r4
		ld $r5 b32 s[$a2+0x6e0]
		add f32 $r4 (mul b32 s[$a1+0x4c] $r5) $r4
		ld $r5 b32 s[$a2+0x720]
		add f32 $r4 (mul b32 s[$a1+0x50] $r5) $r4
		ld $r5 b32 s[$a2+0x760]
		add f32 $r4 (mul b32 s[$a1+0x54] $r5) $r4
		ld $r5 b32 s[$a2+0x7a0]
		add f32 $r4 (mul b32 s[$a1+0x58] $r5) $r4
		ld $r5 b32 s[$a2+0x7e0]
		add f32 $r4 (mul b32 s[$a1+0x5c] $r5) $r4
		bar inc wait 0x0 0xfff
		add b32 $r7 $r7 0x40
		add b32 $r8 $r8 $r10
		add b32 $c0 $r6 $r6 $r11
		(lg $c0) bra tile
		exit st b32 g14[$r9] $r4
	}
}
