package program

import (
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Data joins the numbers of a .word directive into one value, in the order in which programs store words. The numbers
// must fit in 256 bits. size is the number of bits.
func Data(root *isa.Root, numbers []uint32) (v bits.Value, size int) {
	unit := root.WordSize
	for i, x := range numbers {
		at := i
		if root.HighFirst {
			at = len(numbers) - 1 - i
		}
		v.SetUint(unit*at, unit, uint64(x))
	}
	return v, unit * len(numbers)
}

// StripComment returns the text of a line up to its comment.
func StripComment(text, comment string) string {
	text, _, _ = strings.Cut(text, comment)
	return text
}
