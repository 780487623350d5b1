package a2xx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Buffer is a third of a fetch constant, and the layout of vertices in the buffer that it describes.
type Buffer struct{ Constant, Third int }

// filling is how a runtime fills in a vertex fetch, as attributes of its bitset say it.
type filling struct {
	leaf *isa.Leaf
	// placeholder is the hazard of a fetch that is to be filled in, filled are the fields of one that is.
	placeholder   string
	filled        []fieldValue
	stride, start run
	// constant and third are where a fetch names its buffer.
	constant, third run
	// declared is true of a fetch that a file lists among its vertex elements.
	declared flag
}

// fieldValue is a field with a value.
type fieldValue struct {
	run
	value uint64
}

// filling reads the attributes of a leaf; nil where it has none.
func (r *reader) filling(l *isa.Leaf) *filling {
	if l.Meta("placeholder") == "" {
		return nil
	}
	f := &filling{leaf: l, placeholder: l.Meta("placeholder"), filled: r.values(l, "filled"), stride: r.named(l, "stride"), start: r.named(l, "start"), constant: r.named(l, "constant"), third: r.named(l, "third"), declared: r.m.flag(l.Meta("declared"))}
	if !slices.ContainsFunc(inside.Leaf(l).Spec.Hazards, func(h *spec.Hazard) bool { return h.Name == f.placeholder }) {
		r.fail(fmt.Errorf("%s: placeholder names the unknown hazard %q", l.Name, f.placeholder))
	}
	return f
}

// values reads a list such as "FORMAT=0 SEL=2".
func (r *reader) values(l *isa.Leaf, meta string) (list []fieldValue) {
	for _, word := range strings.Fields(l.Meta(meta)) {
		name, text, _ := strings.Cut(word, "=")
		part, ok := inside.Leaf(l).Spec.BitsOf(name)
		value, err := strconv.ParseUint(text, 0, 32)
		if !ok || err != nil {
			r.fail(fmt.Errorf("%s: %s=%q, expected fields with contiguous bits, each with = and a number", l.Name, meta, l.Meta(meta)))
			return nil
		}
		list = append(list, fieldValue{run{part.Low, part.Width}, value})
	}
	return list
}

// FillFetches fills in the vertex fetches that are placeholders, as the runtime of the Xbox 360 does from a vertex
// declaration: each reads four floats from the one buffer that is returned. slots has, by the unit of the fetch, the number
// of the four floats within a vertex; a vertex is size words, which the stride counts in units of so many to the word.
// The words are changed, and filled tells which slots are read.
func FillFetches(set *isa.Set, words []uint32, slots map[int]int, size, scale int) (b Buffer, filled map[int]bool, err error) {
	m, err := newMachine(set)
	if err != nil {
		return b, nil, err
	}
	filled = map[int]bool{}
	for _, k := range m.kinds {
		if k.filling == nil {
			continue
		}
		f := k.filling
		for unit, slot := range slots {
			if unit < 0 || unit >= len(words)/unitWords {
				continue
			}
			p := layout{words: words}
			v := p.unit(unit)
			in, ok := k.decoder.Decode(v)
			if !ok || in.Leaf != f.leaf || !f.holds(k.decoder, in) {
				continue
			}
			b = Buffer{int(f.constant.of(&v)), int(f.third.of(&v))}
			for _, x := range f.filled {
				v.SetUint(x.low, x.width, x.value)
			}
			if size*scale>>f.stride.width != 0 {
				return b, nil, fmt.Errorf("a vertex of %d words does not fit a stride of %d bits", size, f.stride.width)
			}
			v.SetUint(f.stride.low, f.stride.width, uint64(size*scale))
			v.SetUint(f.start.low, f.start.width, uint64(4*slot*scale))
			for i := range unitWords {
				words[unitWords*unit+i] = v.Word(i)
			}
			filled[slot] = true
		}
	}
	return b, filled, nil
}

// holds reports whether a fetch is a placeholder.
func (f *filling) holds(d *isa.Decoder, in isa.Inst) bool {
	return slices.ContainsFunc(d.Hazards(nil, in), func(h isa.Hazard) bool { return h.Name == f.placeholder })
}
