package view

import "testing"

// A picture that is too wide ends its rows at borders of fields. A row of n bits has 2 columns before it, 2n-1 of bits and the
// blanks between them, and 1 between bytes.
func TestFold(t *testing.T) {
	fields := func(widths ...int) *picture {
		pic := &picture{size: 32, cells: make([]legend, 32)}
		b := 31
		for n, width := range widths {
			for range width {
				pic.cells[b].letter = letters[n]
				b--
			}
		}
		return pic
	}
	for _, x := range []struct {
		name      string
		pic       *picture
		width     int
		high, low int
	}{
		{"whole, 2 + 63 + 3 columns", fields(12, 4, 6, 10), 68, 31, 0},
		{"one column less: 31..1 would fit", fields(12, 4, 6, 10), 67, 31, 10},
		{"18 bits fit, 31..14", fields(12, 4, 6, 10), 40, 31, 16},
		{"the rest fits", fields(12, 4, 6, 10), 40, 15, 0},
		{"a field ends with the row", fields(18, 14), 40, 31, 14},
		{"a field that is longer is cut at a byte", fields(32), 40, 31, 16},
		{"and without a whole byte at any bit: 7 fit", fields(32), 15, 31, 25},
		{"at least one bit", fields(32), 1, 31, 31},
	} {
		e := newExplainer(nil, Palette{}, ExplainOptions{Width: x.width})
		if low := e.fold(x.pic, x.high, 0); low != x.low {
			t.Errorf("%s: the row ends at %d, want %d", x.name, low, x.low)
		}
	}
}
