package isa

import (
	"iter"
	"slices"

	"github.com/isago/isago/bits"
)

// Word is what stands at a place of a program.
type Word struct {
	// Addr is the place, Stored the room that the word takes there, in bits.
	Addr, Size int64
	// Inst is the instruction; its Leaf is nil where the word is none.
	Inst Inst
	// Bits are the word, also where it is no instruction.
	Bits bits.Value
	// Present is not set of what the end of the code cuts off, which is no instruction.
	Present bool
}

// DecodeAll decodes a program, one instruction after another, however long each is. A word that is no
// instruction is as long as the shortest. The decoder stands at the address of what is yielded, and
// Findings tells of it; the code starts at address 0.
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

// lengths lists the lengths at which an instruction has to be looked for. The bits of longer ones start
// with those of shorter ones, so that the longest does for all, unless the order of the words depends on
// their number.
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

// word decodes what the code starts with.
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

// load reads the bits of an instruction of at most size bits as it is stored, and how many there are.
func (r *Root) load(code []byte, size int) (v bits.Value, have int) {
	stored := r.StoredSize(size)
	if have = min(8*len(code), stored); r.Swapped {
		have -= have % r.WordSize // of a piece of a word the low bits may be missing
	}
	for at := 0; at < have; at += 8 {
		if to := r.BitAt(stored, at); to < bits.Size {
			v.SetUint(to, 8, uint64(code[at/8]))
		}
	}
	return v, have
}
