package vectors

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
)

// word is a word of an instruction with its table entries.
type word struct {
	bits   bits.Value
	tables [][]bits.Value
	text   string
	// forms are the goals that the fields of the word reach.
	forms []*target
	// narrow are the values of the narrow fields, by name.
	narrow map[string]int
	// full is set if vectors for the word must reach every kind of goal, because no word before has the same code.
	full bool
	// rare is set if few words before decide a condition as this one does.
	rare bool
}

// wordFinder finds words of one leaf.
type wordFinder struct {
	*rand.Rand
	d    *isa.Decoder
	leaf *isa.Leaf
	free []int // the bits that the pattern leaves free
	// ends makes fields more likely that have all bits set or none.
	ends bool
	buf  []isa.Field
}

func newWordFinder(seed uint64, d *isa.Decoder, leaf *isa.Leaf) *wordFinder {
	f := &wordFinder{Rand: rand.New(rand.NewPCG(seed, 7)), d: d, leaf: leaf}
	for i := range leaf.Size {
		if leaf.Mask.Bit(i) == 0 && leaf.DontCare.Bit(i) == 0 {
			f.free = append(f.free, i)
		}
	}
	return f
}

// random returns a word of the leaf with random fields. ok is false if the bits are not such a word.
func (f *wordFinder) random(like *word) (w word, ok bool) {
	v := f.leaf.Match
	ones := [4]int{0, 1, 2, 4}[f.IntN(4)] // of 4
	for _, i := range f.free {
		switch {
		case like != nil && f.IntN(4) > 0:
			v.SetUint(i, 1, like.bits.Bit(i))
		case ones == 0 && f.IntN(8) == 0, ones == 4 && f.IntN(8) > 0, f.IntN(4) < ones:
			v.SetUint(i, 1, 1)
		}
	}
	var tables [][]bits.Value
	for range f.d.Set().Tables() {
		tables = append(tables, nil)
	}
	f.d.SetTables(tables)
	in, ok := f.d.Decode(v)
	if !ok || in.Leaf != f.leaf {
		return w, false
	}
	if f.ends && f.IntN(2) == 0 {
		f.buf = f.d.Fields(f.buf[:0], in)
		for _, x := range f.buf {
			if n := uint64(f.IntN(2)) * ^uint64(0); !x.Derived() && !x.Index && f.IntN(3) == 0 {
				_ = f.d.SetField(&in, x.Path, n&widthMask(widthOf(&x)))
			}
		}
	}
	for _, x := range f.d.IndexFields(in) { // a small number keeps the tables small
		n := uint64(f.IntN(2))
		if f.IntN(16) == 0 {
			n = uint64(f.IntN(8))
		}
		if f.d.SetField(&in, x.Field, n) != nil {
			continue
		}
		for len(tables[x.TableIndex]) <= int(n) {
			size := f.d.Set().Tables()[x.TableIndex].Bits
			entry := bits.Value{f.Uint64(), f.Uint64()}
			if f.IntN(3) == 0 {
				entry = bits.Value{f.Uint64() | f.Uint64(), f.Uint64()}
			}
			tables[x.TableIndex] = append(tables[x.TableIndex], entry.And(bits.Ones(size)))
		}
	}
	f.d.SetTables(tables)
	in, ok = f.d.Decode(in.Bits)
	if !ok || in.Leaf != f.leaf || f.d.NumFindings() > 0 {
		return w, false
	}
	w = word{bits: in.Bits, tables: tables, text: f.d.Text(in)}
	if f.d.NumFindings() > 0 {
		return w, false
	}
	w.narrow = map[string]int{}
	w.forms = f.forms(in, w.narrow)
	return w, true
}

// forms lists the goals that the fields of a word reach: each value of a narrow field, and each bit of a wide one. It adds the
// values of narrow fields to narrow.
func (f *wordFinder) forms(in isa.Inst, narrow map[string]int) (list []*target) {
	f.buf = f.d.Fields(f.buf[:0], in)
	var around []string // the texts of the fields around
	for i := range f.buf {
		x := &f.buf[i]
		around = around[:min(x.Depth, len(around))]
		if x.Derived() || x.Index {
			for len(around) <= x.Depth {
				around = append(around, "")
			}
			continue
		}
		width := widthOf(x)
		name := x.Meaning
		if name == "" {
			name = strconv.FormatUint(x.Value.Uint(0, 64), 10)
		}
		add := func(which int, text string) {
			list = append(list, &target{goal: goal{kind: form, place: hashText(x.Path), which: which}, text: text})
		}
		text := strings.TrimSpace(x.Path + " " + name)
		for k := range around { // a part of a field is described by the field
			if around[k] != "" {
				text = around[k]
				break
			}
		}
		for len(around) <= x.Depth {
			around = append(around, text)
		}
		if width <= 4 {
			narrow[x.Path[strings.LastIndexByte(x.Path, '.')+1:]] = int(x.Value.Uint(0, 16))
		}
		if width <= 4 || f.enum(x.Type) {
			add(int(x.Value.Uint(0, 16)), text)
			continue
		}
		for k := range min(width, 64) {
			add(2*k+int(x.Value.Bit(k)), text)
		}
	}
	return list
}

// widthOf returns the number of bits of a field.
func widthOf(x *isa.Field) (width int) {
	for _, p := range x.Parts {
		width += p.Width
	}
	return width
}

// enum reports whether a type is an enum with few values.
func (f *wordFinder) enum(name string) bool {
	e := inside.Machine(f.d.Set()).ISA.Enum(name)
	return e != nil && len(e.Values) <= 64
}

// hexWords returns the words of an instruction as files store them, in hexadecimal.
func hexWords(root *isa.Root, v bits.Value, size int) (list []string) {
	n := (size + 31) / 32
	for i := range n {
		k := i
		if root.HighFirst {
			k = n - 1 - i
		}
		width := min(32, size-32*k)
		list = append(list, fmt.Sprintf("%0*x", width/4, v.Uint(32*k, width)))
	}
	return list
}
