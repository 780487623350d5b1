package asm

import (
	"slices"

	wide "github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// verdicts remembers of words what their texts do not say, so that a word that comes again is not read back. It
// depends on all bits of the word, and on settings. Words with table entries
// are not remembered, nor those that may have a label or whose text could be read as one, nor any where the program has
// names of its own, which depend on more.
type verdicts struct {
	hashTable[verdict]
	// settings are those that there were, set the present ones among them.
	settings []settings
	set      int
	room     arena[verdict]
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

// verdict is what is known of a word: the suffix of its text, if it has a text.
type verdict struct {
	word   [2]uint64
	set    int
	leaf   *isa.Leaf
	ok     bool
	suffix string
}

// maxVerdicts bounds the slots of what is remembered, maxSettings for how many settings.
const (
	maxVerdicts = 1 << 17
	maxSettings = 64
)

// remembers reports whether the verdict of an instruction depends on nothing but its bits and settings.
func (l *Lossless) remembers(in isa.Inst) bool {
	d, p := l.d, l.p
	if l.forgetful || d.Symbol != nil || d.Custom != nil || p.Custom != nil || len(p.Tables) > 0 || in.Bits[2]|in.Bits[3] != 0 {
		return false
	}
	return d.Label == nil && p.Symbol == nil && p.Later == nil || !d.MayBranch(in.Leaf)
}

// find returns the verdict of an instruction, nil where none is known.
func (l *Lossless) find(in isa.Inst, remembers bool) *verdict {
	if !remembers {
		return nil
	}
	v, d := &l.verdicts, l.d
	v.setTo(&settings{d.Context(), l.p.context, d.Lines, d.Remarks, l.p.Symbol != nil, d.Indent, l.p.Comment})
	hash := v.hashOf(in)
	for i := range v.probes() {
		s := v.slot(hash, i)
		if s.value == nil {
			break
		}
		if x := s.value; s.hash == hash && x.word == [2]uint64(in.Bits[:2]) && x.set == v.set && x.leaf == in.Leaf {
			return x
		}
	}
	return nil
}

// setTo makes some settings the present ones. Where there were too many all is forgotten.
func (v *verdicts) setTo(now *settings) {
	if v.set < len(v.settings) && v.settings[v.set] == *now {
		return
	}
	if v.set = slices.Index(v.settings, *now); v.set >= 0 {
		return
	}
	if len(v.settings) == maxSettings {
		clear(v.slots)
		v.used, v.settings = 0, v.settings[:0]
	}
	v.set = len(v.settings)
	v.settings = append(v.settings, *now)
}

func (v *verdicts) hashOf(in isa.Inst) uint64 {
	return mix(mix(in.Bits[0], in.Bits[1]), uint64(in.Leaf.ID)<<8|uint64(v.set))
}

// keep remembers a verdict: the suffix of the text, where there is a text.
func (l *Lossless) keep(in isa.Inst, suffix []byte, ok bool) {
	v := &l.verdicts
	x := v.room.keep([]verdict{{[2]uint64(in.Bits[:2]), v.set, in.Leaf, ok, string(suffix)}})
	v.add(v.hashOf(in), &x[0], maxVerdicts)
}
