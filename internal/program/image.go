package program

import (
	"github.com/isago/isago/bits"
)

// Image is the code of a file, whatever its format, with what a listing shows beside it.
type Image struct {
	// Format is the name of the file format.
	Format string
	// Words are the 32-bit words of the code in the order of the file.
	Words []uint32
	// Tables are the entries of each table of the instruction set.
	Tables [][]bits.Value
	// Entries are the places at which the program starts.
	Entries []Entry
	// Header are lines about the file as a whole, before the code.
	Header []string
	// Sections are lines before the code at an address, in bits.
	Sections map[int64][]string
	// Symbol names a value in the space that a field's description names, at an address; nil has no
	// names. targets tells which instruction goes where.
	Symbol func(addr int64, space string, value uint64) (string, bool)
	// Contents lists what the file holds, for the list command: pairs of a title and lines.
	Contents []Part
}

// Part is a titled piece of a file's contents.
type Part struct {
	Title string   `json:"title"`
	Lines []string `json:"lines"`
}

// At returns the bits from word i on, and how many there are, at most 256.
func (im *Image) At(i int, highFirst bool, size int) (v bits.Value, n int) {
	n = min(len(im.Words)-i, (size+31)/32)
	for k := range n {
		at := k
		if highFirst {
			at = n - 1 - k
		}
		v.SetUint(32*at, 32, uint64(im.Words[i+k]))
	}
	return v, 32 * n
}
