package asm

import "testing"

// What is known of a value that is one of two is what both have: of one of 0 to 3, and 3, nothing.
func TestJoin(t *testing.T) {
	for _, c := range []struct{ x, y, want ternary }{
		{ternary{0, 3}, exactly(3), ternary{0, 3}},
		{exactly(3), ternary{0, 3}, ternary{0, 3}},
		{exactly(5), exactly(4), ternary{4, 1}},
		{ternary{4, 2}, ternary{4, 8}, ternary{4, 10}},
	} {
		if got := c.x.join(c.y); got != c.want {
			t.Errorf("%x or %x is %x, want %x", c.x, c.y, got, c.want)
		}
	}
}
