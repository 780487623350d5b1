package exec

import (
	"math"
	"testing"
)

// TestCells copies planes with a special value in each lane. NaNs are the values above infinity without their signs.
func TestCells(t *testing.T) {
	specials := map[uint32]bool{ // whether the value is a NaN
		0: false, 1 << 31: false, 1: false, 0x7f7fffff: false, 0x7f800000: false, 0xff800000: false,
		0x7f800001: true, 0xff800001: true, 0x7fc00000: true, math.MaxUint32: true, 0x7fffffff: true,
	}
	for lane := range Lanes {
		for special, want := range specials {
			var from, wide plane
			var cells, back [Lanes]uint32
			for i := range from {
				from[i] = 0xabcd_0000_0000 | uint64(0x3f800000+i)
			}
			from[lane] = 0xffff_ffff_0000_0000 | uint64(special)
			nan := truncate(&cells, &from)
			widen(&wide, &cells)
			for i, v := range wide {
				if v != from[i]&math.MaxUint32 || uint64(cells[i]) != v {
					t.Fatalf("lane %d with %x: cell %x, widened %x, expected %x", i, special, cells[i], v, uint32(from[i]))
				}
			}
			if nan != want {
				t.Errorf("lane %d with %x: NaN %t, expected %t", lane, special, nan, want)
			}
			if truncate(&back, &wide) != want || back != cells {
				t.Errorf("lane %d with %x: %x, expected %x", lane, special, back, cells)
			}
		}
	}
}
