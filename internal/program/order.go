package program

import "slices"

// Order says how the bytes of each stored word lie in a file, where that is not the least significant first.
type Order struct {
	// Big tells that the most significant byte comes first.
	Big bool
	// Swapped tells that the halves of the words, which have 32 bits, have changed places.
	Swapped bool
}

// BigEndian is the line of source that says that the bytes of each word are stored with the most significant one first.
const BigEndian = option + BigEndianName

// The operands of .isago that say an order.
const (
	BigEndianName     = "big-endian"
	SwappedHalvesName = "swapped-halves"
	option            = ".isago "
)

// Lines returns the lines with which source says the order.
func (o Order) Lines() (lines []string) {
	if o.Big {
		lines = append(lines, BigEndian)
	}
	if o.Swapped {
		lines = append(lines, option+SwappedHalvesName)
	}
	return lines
}

// Read takes an operand of .isago, of a program that is stored in words of so many bits. What is expected is "" for one that
// says an order.
func (o *Order) Read(name string, unit int) (expected string) {
	switch {
	case name == BigEndianName:
		o.Big = true
	case name == SwappedHalvesName && unit == 32:
		o.Swapped = true
	case unit == 32:
		return BigEndianName + " or " + SwappedHalvesName
	default:
		return BigEndianName
	}
	return ""
}

// Arrange puts the bytes of each word of so many into the order, or back. What is left behind the last word stays.
func (o Order) Arrange(data []byte, size int) {
	for ; len(data) >= size; data = data[size:] {
		word, half := data[:size], size/2
		if o.Big {
			slices.Reverse(word)
		}
		for i := 0; o.Swapped && i < half; i++ {
			word[i], word[half+i] = word[half+i], word[i]
		}
	}
}
