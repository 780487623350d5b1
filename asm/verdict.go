package asm

import (
	"math/bits"

	wide "github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// verdicts remembers of words what their texts do not say, so that a word that comes again is not read back. It
// depends on all bits of the word, and on settings, with which everything is forgotten. Words with table entries
// are not remembered, nor those that may have a label or whose text could be read as one, nor any where the program has
// names of its own: what those are read as depends on more.
type verdicts struct {
	set      settings
	slots    []said
	used     int // places that were taken since there are so many
	suffixes []string
}

// settings are what the verdict of each word depends on beside the word.
type settings struct {
	printed, read wide.Value
	lines         bool
	remarks       bool
	labels        bool
	indent        string
	comment       string
}

// said is what is known of a word.
type said struct {
	word [2]uint64
	leaf int32
	// says is what the text says: 0 where the place is empty, else saysAll, saysNothing, or from there on one more
	// than the number of the suffix.
	says int32
}

const (
	saysAll = iota + 1
	saysNothing
)

// Limits of what is remembered.
const (
	fewVerdicts  = 1 << 8
	mostVerdicts = 1 << 17
	mostSuffixes = 1 << 14
	placesOfOne  = 8
)

// remembers reports whether the verdict of an instruction depends on nothing but its bits and settings.
func (l *Lossless) remembers(in isa.Inst) bool {
	d, p := l.d, l.p
	if l.forgetful || d.Symbol != nil || d.Custom != nil || p.Name != nil || p.Custom != nil || len(p.Tables) > 0 || in.Bits[2]|in.Bits[3] != 0 {
		return false
	}
	return d.Label == nil && p.Symbol == nil && p.Later == nil || !d.MayBranch(in.Leaf)
}

// find returns the verdict of an instruction, nil where none is known.
func (l *Lossless) find(in isa.Inst) *said {
	v, d := &l.verdicts, l.d
	if now := (settings{d.Context(), l.p.context, d.Lines, d.Remarks, l.p.Symbol != nil, d.Indent, l.p.Comment}); v.slots == nil || now != v.set {
		if v.slots = v.slots[:0]; cap(v.slots) == 0 {
			v.slots = make([]said, fewVerdicts)
		}
		v.slots = v.slots[:cap(v.slots)]
		clear(v.slots)
		v.set, v.used, v.suffixes = now, 0, v.suffixes[:0]
	}
	key := said{word: [2]uint64(in.Bits[:2]), leaf: int32(in.Leaf.ID)}
	places := v.places(&key)
	for i := range places {
		if x := &places[i]; x.says != 0 && x.word == key.word && x.leaf == key.leaf {
			return x
		}
	}
	return nil
}

// places returns the places that a verdict can have.
func (v *verdicts) places(x *said) []said {
	h, more := bits.Mul64(x.word[0]^0x9e3779b97f4a7c15, x.word[1]^uint64(x.leaf)<<32^0xa0761d6478bd642f)
	h = (h ^ more) * 0x9e3779b97f4a7c15
	at := h >> (64 - bits.Len(uint(len(v.slots)-1))) &^ (placesOfOne - 1)
	return v.slots[at : at+placesOfOne]
}

// put gives a verdict a place, that of another if all are taken.
func (v *verdicts) put(x said) {
	places := v.places(&x)
	v.used++
	for i := range places {
		if places[i].says == 0 {
			places[i] = x
			return
		}
	}
	places[v.used%placesOfOne] = x
}

// keep remembers a verdict: the suffix of the text, where there is a text.
func (l *Lossless) keep(in isa.Inst, suffix []byte, ok bool) {
	v := &l.verdicts
	x := said{word: [2]uint64(in.Bits[:2]), leaf: int32(in.Leaf.ID), says: saysAll}
	switch {
	case !ok:
		x.says = saysNothing
	case len(suffix) > 0:
		if len(v.suffixes) == mostSuffixes {
			return
		}
		v.suffixes = append(v.suffixes, string(suffix))
		x.says = saysNothing + int32(len(v.suffixes))
	}
	if v.used > len(v.slots)/2 && len(v.slots) < mostVerdicts {
		v.grow()
	}
	v.put(x)
}

func (v *verdicts) grow() {
	old := v.slots
	v.slots, v.used = make([]said, 4*len(old)), 0
	for _, x := range old {
		if x.says != 0 {
			v.put(x)
		}
	}
}
