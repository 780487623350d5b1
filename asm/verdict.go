package asm

import (
	"bytes"
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
	if l.hooked() || len(p.Tables) > 0 || in.Bits[2]|in.Bits[3] != 0 {
		return false
	}
	return d.Label == nil && p.Symbol == nil && p.Later == nil || !d.MayBranch(in.Leaf)
}

// hooked reports whether the program may have names of its own, or nothing is to be remembered.
func (l *Lossless) hooked() bool {
	return l.forgetful || l.d.Symbol != nil || l.d.Custom != nil || l.p.Name != nil || l.p.Custom != nil
}

// textMemory is what is known of the paths of texts.
type textMemory struct {
	*uniqueness
	set      [2]wide.Value
	hopeless bool
	// asked and known count texts since it was last judged whether that is of use; judged tells that it was.
	asked, known int
	judged       bool
}

// Limits: the texts that are read back before paths are looked for, and those after which it is seen whether that is
// of use.
const (
	fewTexts  = 1 << 7
	manyTexts = fewTexts + 1<<9
)

// path returns what is known of texts like that of an instruction, nil where nothing can be, and the instruction without
// the ignored bits that are set in it.
func (l *Lossless) path(text []byte, in isa.Inst) (e *outcome, plain wide.Value) {
	t := &l.texts
	if t.hopeless || l.hooked() || in.Bits[2]|in.Bits[3] != 0 {
		return nil, plain
	}
	if t.asked++; t.asked <= fewTexts {
		return nil, plain
	}
	if now := [2]wide.Value{l.d.Context(), l.p.context}; t.uniqueness == nil || now != t.set || t.full() {
		if t.hopeless = !provable(l.p) || now[0] != now[1]; t.hopeless {
			return nil, plain
		}
		t.uniqueness, t.set = newUniqueness(l.p), now
	}
	if t.asked > manyTexts && t.judge() {
		return nil, plain
	}
	if len(text) == 0 || text[len(text)-1] == '}' || l.p.Comment != "" && bytes.Contains(text, []byte(l.p.Comment)) {
		return nil, plain
	}
	l.p.load(text)
	if way := t.path(); way != nil && !way.asks && way.leaf == in.Leaf.ID && in.Bits.And(way.fixed) == way.value {
		plain = in.Bits.AndNot(in.Leaf.DontCare.AndNot(way.given))
		return t.of(way, plain), plain
	}
	return nil, plain
}

// judge reports whether paths are of no use: of the first texts they are learned, of others half must be known.
func (t *textMemory) judge() bool {
	most := 2
	if !t.judged {
		most = 8
	}
	if t.hopeless = t.known < (t.asked-fewTexts)/most; t.hopeless {
		t.uniqueness = nil
	}
	t.asked, t.known, t.judged = fewTexts, 0, true
	return t.hopeless
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
