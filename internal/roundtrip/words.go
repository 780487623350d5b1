// Package roundtrip tests that the assembler accepts what the disassembler prints, for any
// description. It generates words for every case of every leaf.
package roundtrip

import (
	"math/rand/v2"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Words generates random words of one root. It prefers values to which the description refers.
type Words struct {
	rnd   *rand.Rand
	roots map[*spec.Bitset]*model.Root
	// numbers holds the constants in the conditions of each bitset.
	numbers map[*spec.Bitset][]uint64
}

// NewWords returns a generator that depends only on the set and the seed.
func NewWords(set *isa.Set, seed uint64) *Words {
	w := &Words{
		rnd:   rand.New(rand.NewPCG(seed, 1)),
		roots: map[*spec.Bitset]*model.Root{}, numbers: map[*spec.Bitset][]uint64{},
	}
	for _, r := range inside.Machine(set).Roots {
		w.roots[r.Spec] = r
	}
	return w
}

// Random returns a random word with few, half or most of its bits set.
func (w *Words) Random() bits.Value {
	word := func() bits.Value {
		return bits.Value{w.rnd.Uint64(), w.rnd.Uint64(), w.rnd.Uint64(), w.rnd.Uint64()}
	}
	v := word()
	switch w.rnd.IntN(4) {
	case 0:
		return v.And(word())
	case 1:
		return v.Or(word())
	}
	return v
}

// Leaf returns a word of a leaf. Most fields have values that occur in conditions, in enums or as
// operands. Most ignored bits are 0, and most asserts of one case hold.
func (w *Words) Leaf(l *isa.Leaf) bits.Value { return w.leaf(inside.Leaf(l)) }

func (w *Words) leaf(l *model.Leaf) bits.Value {
	v := w.Random()
	for b := l.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				w.fill(&v, f, b)
			}
		}
	}
	if w.rnd.IntN(8) > 0 {
		w.setAsserts(&v, l)
	}
	if w.rnd.IntN(8) > 0 {
		v = v.AndNot(l.DontCare)
	}
	return v.AndNot(l.Mask).Or(l.Match).And(bits.Ones(l.Size))
}

// setAsserts sets the asserted bits of the default cases and of one override.
func (w *Words) setAsserts(v *bits.Value, l *model.Leaf) {
	var overrides []*spec.Case
	set := func(c *spec.Case) {
		for _, a := range c.Asserts {
			*v = v.AndNot(a.Mask).Or(a.Match)
		}
	}
	for b := l.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			if c.Expr != nil && len(c.Asserts) > 0 {
				overrides = append(overrides, c)
			}
			if c.Expr == nil {
				set(c)
			}
		}
	}
	if len(overrides) > 0 {
		if i := w.rnd.IntN(len(overrides) + 1); i < len(overrides) {
			set(overrides[i])
		}
	}
}

// fill sets a field to a value or leaves it unchanged.
func (w *Words) fill(v *bits.Value, f *spec.Field, b *spec.Bitset) {
	if len(f.Parts) == 0 {
		return
	}
	switch n := w.rnd.IntN(8); {
	case f.Kind == spec.KindBitset && f.Table == nil && n < 7:
		if r := w.roots[f.Bitset]; r != nil && len(r.Leaves) > 0 {
			put(v, f, w.leaf(r.Leaves[w.rnd.IntN(len(r.Leaves))]))
		}
	case f.Kind == spec.KindEnum && len(f.Enum.Values) > 0 && n < 6:
		put(v, f, bits.Of(f.Enum.Values[w.rnd.IntN(len(f.Enum.Values))].Val))
	case n < 2:
		put(v, f, bits.Of(w.rnd.Uint64N(3)))
	case n == 2:
		put(v, f, bits.Ones(f.Width))
	case n < 5:
		if list := w.compared(b); len(list) > 0 {
			put(v, f, bits.Of(list[w.rnd.IntN(len(list))]))
		}
	}
}

// put stores the low bits of x in a field.
func put(v *bits.Value, f *spec.Field, x bits.Value) {
	for i := len(f.Parts) - 1; i >= 0; i-- {
		p := f.Parts[i]
		ones := bits.Ones(p.Width)
		*v = v.AndNot(ones.Shl(p.Low)).Or(x.And(ones).Shl(p.Low))
		x = x.Shr(p.Width)
	}
}

// compared lists the constants in the conditions of a bitset and its ancestors.
func (w *Words) compared(b *spec.Bitset) []uint64 {
	list, ok := w.numbers[b]
	if ok {
		return list
	}
	for p := b; p != nil; p = p.Extends {
		for _, c := range p.Cases {
			if c.Expr != nil {
				list = constants(list, c.Expr.Root())
			}
		}
	}
	w.numbers[b] = list
	return list
}

func constants(list []uint64, n *spec.Node) []uint64 {
	if n == nil {
		return list
	}
	if n.Op == spec.OpConst {
		list = append(list, n.Value)
	}
	return constants(constants(constants(list, n.X), n.Y), n.Z)
}
