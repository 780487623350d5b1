package asm

import (
	"slices"

	wide "github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// verdicts caches the suffixes of words, so that the text of a repeated word is not parsed again. A suffix depends on
// all bits of the word and on the settings. Words of machines with tables, words larger than 128 bits, and words that
// are printed or parsed with Custom or Decoder.Symbol are not cached. If there are labels, verdicts are not cached for
// instructions that may have a branch target, or for texts that may contain a label.
type verdicts struct {
	hashTable[verdict]
	// settings holds all settings so far, and set is the index of the current ones.
	settings []settings
	set      int
	room     arena[verdict]
}

// settings holds everything on which a verdict depends, except the word.
type settings struct {
	printed, read wide.Value
	lines         bool
	remarks       bool
	labels        bool
	indent        string
	comment       string
}

// verdict is the suffix of a word. ok reports whether the word has a text.
type verdict struct {
	word   [2]uint64
	set    int
	leaf   *isa.Leaf
	ok     bool
	suffix string
}

// maxVerdicts limits the number of slots in the cache, and maxSettings the number of different settings.
const (
	maxVerdicts = 1 << 17
	maxSettings = 64
)

// cacheable reports whether the verdict of an instruction may be cached.
func (l *Lossless) cacheable(in isa.Inst) bool {
	d, p := l.d, l.p
	if l.uncached || d.Symbol != nil || d.Custom != nil || p.Custom != nil || len(p.Tables) > 0 || in.Bits[2]|in.Bits[3] != 0 {
		return false
	}
	return d.Label == nil && p.Symbol == nil && p.Later == nil || !d.MayBranch(in.Leaf)
}

// find returns the verdict of an instruction, or nil if it is not cached.
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

// setTo sets the current settings. If there are too many different ones, it empties the cache.
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

// hashOf returns the hash of an instruction under the current settings.
func (v *verdicts) hashOf(in isa.Inst) uint64 {
	return mix(mix(in.Bits[0], in.Bits[1]), uint64(in.Leaf.ID)<<8|uint64(v.set))
}

// keep caches a verdict.
func (l *Lossless) keep(in isa.Inst, suffix []byte, ok bool) {
	v := &l.verdicts
	x := v.room.keep([]verdict{{[2]uint64(in.Bits[:2]), v.set, in.Leaf, ok, string(suffix)}})
	v.add(v.hashOf(in), &x[0], maxVerdicts)
}
