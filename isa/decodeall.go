package isa

import (
	"iter"
	"slices"

	"github.com/isago/isago/bits"
)

// Word is an instruction or an unknown word of a program.
type Word struct {
	// Addr is the address of the word in the program. Size is the size of the word. Both are in bits.
	Addr, Size int64
	// Inst is the instruction. Its Leaf is nil if the word is not an instruction.
	Inst Inst
	// Bits are the bits of the word, even if it is not an instruction.
	Bits bits.Value
	// Present is false if the end of the code truncates the word. Such a word is not an instruction.
	Present bool
}

// DecodeAll decodes a program that starts at address 0, one instruction after another. An unknown word
// has the size of the shortest instruction. During each iteration, the decoder's Addr and Findings refer
// to the yielded word.
func (d *Decoder) DecodeAll(code []byte) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		sizes := d.lengths()
		for at := 0; at < len(code); {
			w := d.word(code[at:], sizes)
			w.Addr = 8 * int64(at)
			d.Addr = w.Addr
			if !yield(w) {
				return
			}
			at += int(w.Size / 8)
		}
		d.Addr = 8 * int64(len(code))
	}
}

// lengths lists the instruction lengths to try, in bits. If the low word is stored first, the longest
// length suffices, because it includes the bits of shorter instructions. Otherwise the position of the
// bits depends on the length.
func (d *Decoder) lengths() []int {
	if !d.root.HighFirst {
		return []int{d.root.Size}
	}
	var sizes []int
	for _, l := range d.root.Leaves {
		sizes = append(sizes, l.Size)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// word decodes the first word of the code. sizes are the instruction lengths to try, in bits.
func (d *Decoder) word(code []byte, sizes []int) Word {
	for _, size := range sizes {
		v, have := d.root.load(code, size)
		in, ok := d.Decode(v)
		if ok && in.Leaf.Size <= have && (len(sizes) == 1 || in.Leaf.Size == size) {
			return Word{Inst: in, Bits: in.Bits, Size: int64(d.root.StoredSize(in.Leaf.Size)), Present: true}
		}
	}
	size := d.root.MinSize
	v, have := d.root.load(code, size)
	w := Word{Bits: v.And(bits.Ones(min(size, have))), Size: int64(d.root.StoredSize(size)), Present: have >= size}
	if max := 8 * int64(len(code)); w.Size > max {
		w.Size = max
	}
	return w
}

// load reads an instruction of size bits from the start of the code. have is the number of its bits that
// the code contains.
func (r *Root) load(code []byte, size int) (v bits.Value, have int) {
	stored := r.StoredSize(size)
	if have = min(8*len(code), stored); r.Swapped {
		have -= have % r.WordSize // a partial word may lack its low bits
	}
	for at := 0; at < have; at += 8 {
		if to := r.BitAt(stored, at); to < bits.Size {
			v.SetUint(to, 8, uint64(code[at/8]))
		}
	}
	return v, have
}
