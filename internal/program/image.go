// Package program holds what whole programs need on every machine: images, words in hexadecimal, labels, data, layout.
package program

import (
	"encoding/binary"
	mathbits "math/bits"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// Image is the code of a file, whatever its format, with what a listing shows beside it.
type Image struct {
	// Format is the name of the file format.
	Format string
	// Words are the 32-bit words of the code in the order of the file.
	Words []uint32
	// Start is the address of the first of Words, in bits: 0 but where they are a piece of the code.
	Start int64
	// Bits is the length of the code where it ends inside the last word; 0 where the words are full.
	Bits int64
	// Tables are the entries of each table of the instruction set.
	Tables [][]bits.Value
	// Entries are the places at which the program starts.
	Entries []Entry
	// Header are lines about the file as a whole, before the code.
	Header []string
	// Sections are lines before the code at an address, in bits.
	Sections map[int64][]string
	// Symbol names a value in the space that a field's description names, at an address; nil has no
	// names.
	Symbol func(addr int64, space string, value uint64) (string, bool)
	// Pieces say what stands where, in the order in which it is shown, of programs that are not one
	// instruction after another; nil for those that are.
	Pieces []Piece
	// Names are the names of the programs of an image that has several, by the Base of their pieces.
	Names map[int64]string
	// Registers are how many registers a launch allocates to the programs of an image, by the Base of their pieces; a
	// program of which the file does not say it has none.
	Registers map[int64]int
	// Shared is how many bytes of memory a block of lanes has in the programs of an image, by the Base of their pieces. A
	// program that does not run in blocks has none.
	Shared map[int64]int
	// Break stands in front of the second line of a piece, and those behind it.
	Break string
	// Lead are the lines that source of the code starts with, for listings that are assembled.
	Lead []string
	// OneWay says why a listing of the code does not give the file back; "" for one that does.
	OneWay string
	// Quirks are those of the machine that the file is for, by name; nil for the defaults.
	Quirks map[string]string
	// Contents lists what the file holds, for the list command: what it holds under titles.
	Contents []Part
	// Declarations returns what the file holds next to its code, each program's together; nil for a file that holds code
	// only. It is called when somebody asks.
	Declarations func() ([]FileDeclaration, error)
	// Numbered reports whether Names are numbers in the order of the file, which say nothing about the programs.
	Numbered bool
	// Picked reports whether the image is one program of its file, which somebody chose by its name.
	Picked bool
}

// Piece is an instruction, or data, at a place of an image.
type Piece struct {
	// Root is the kind of instruction, nil for data.
	Root *isa.Root
	// Addr is the place in bits, Size the number of bits there.
	Addr int64
	Size int
	// Base is where the program starts that the piece belongs to: addresses in it count from there.
	Base    int64
	Context bits.Value
	// Target tells that branches can go here.
	Target bool
	// Indent stands in front of the text.
	Indent string
	// Text is what stands for data, "" for words; Lead is a line that source has before the piece.
	Text, Lead string
}

// Part is a titled piece of a file's contents: as lines for people, and as values for programs.
type Part struct {
	Title string   `json:"title"`
	Lines []string `json:"-"`
	Data  any      `json:"data,omitempty"`
}

// NewDecoder returns a decoder of the instructions of the image, with the tables of the image. set is the machine's. Roots
// and contexts of Pieces are for the caller to follow.
func (im *Image) NewDecoder(set *isa.Set) (*isa.Decoder, error) {
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	d.SetTables(im.Tables)
	return d, nil
}

// Raw returns the image of a file that is nothing but code.
func Raw(root *isa.Root, data []byte) (*Image, error) {
	if err := WholeWords(root, int64(len(data))); err != nil {
		return nil, err
	}
	im := &Image{Format: "raw", Bits: 8 * int64(len(data)), Words: make([]uint32, 0, (len(data)+3)/4)}
	for ; len(data) >= 4; data = data[4:] {
		word := binary.LittleEndian.Uint32(data)
		if root.Swapped {
			word = mathbits.RotateLeft32(word, 16)
		}
		im.Words = append(im.Words, word)
	}
	if len(data) > 0 {
		var last [4]byte
		copy(last[:], data)
		im.Words = append(im.Words, binary.LittleEndian.Uint32(last[:]))
	}
	return im, nil
}

// WholeWords returns an error where so many bytes end inside a word of a root.
func WholeWords(root *isa.Root, size int64) error {
	if unit := int64(root.WordSize / 8); size%unit != 0 {
		return errorf(diag.FileFormat, "%d bytes, expected a multiple of %d, the size of a word", size, unit)
	}
	return nil
}

// Size returns the address behind the code, in bits: its length where it starts at 0.
func (im *Image) Size() int64 {
	if im.Bits > 0 {
		return im.Start + im.Bits
	}
	return im.Start + 32*int64(len(im.Words))
}

// At returns the bits in which an instruction of at most size bits is stored at an address, and how many
// there are. Addresses are multiples of 8.
func (im *Image) At(addr int64, root *isa.Root, size int) (v bits.Value, n int) {
	n = int(min(im.Size()-addr, int64(root.StoredSize(size)), bits.Size))
	step := 32
	if root.HighFirst {
		step = root.WordSize
	}
	words := (n + step - 1) / step
	for k := range words {
		at := k
		if root.HighFirst {
			at = words - 1 - k
		}
		v.SetUint(step*at, min(step, n-step*k), uint64(im.word(addr+int64(step*k))))
	}
	return v, n
}

// word returns the 32 bits from an address on; bits beyond the end are 0.
func (im *Image) word(addr int64) uint32 {
	addr -= im.Start
	i, shift := addr/32, uint(addr%32)
	w := im.Words[i] >> shift
	if shift > 0 && i+1 < int64(len(im.Words)) {
		w |= im.Words[i+1] << (32 - shift)
	}
	return w
}

// AppendBytes appends an instruction as programs store it: little-endian words in the order of the machine.
func AppendBytes(dst []byte, root *isa.Root, v bits.Value, size int) []byte {
	stored := root.StoredSize(size)
	for at := 0; at < stored; at += 8 {
		dst = append(dst, byte(v.Uint(root.BitAt(stored, at), 8)))
	}
	return dst
}

// AppendData appends the directive that stands for a word of size bits that is no instruction.
func AppendData(dst []byte, root *isa.Root, word bits.Value, size int) []byte {
	dst = append(dst, ".word"...)
	n := root.StoredSize(size) / root.WordSize
	for i := range n {
		at := i
		if root.HighFirst {
			at = n - 1 - i
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, " 0x"...)
		dst = appendGroup(dst, uint32(word.Uint(root.WordSize*at, root.WordSize)), root.WordSize)
	}
	return dst
}

// Comment returns what starts a comment in programs of the machine; a semicolon where the
// description does not say.
func Comment(set *isa.Set) string {
	if c := set.Comment(); c != "" {
		return c
	}
	return ";"
}
