package asm

import (
	"bytes"
	"slices"
)

// Swizzles, masks and other selectors differ from line to line as numbers do. Once a word behind a point was read as an
// operand, all of it and in one way, words of the letters of such ones are selectors, and a hole stands in their place. The
// value is what the word gives as an operand; as which, the reader says who asks for one there. Everyone else has it written
// out.

// selectors are the words for which holes stand.
type selectors struct {
	hashTable[selector]
	letters [256]bool      // they are made of
	kinds   []selectorKind // by their numbers, which are not 0
	room    arena[selector]
	// anchors are those of the root: a word in which one may start is no selector, and no number.
	anchors *trie
}

// selector is a word of up to maxSelector bytes; hole is 0 for one that never has a hole in its place.
type selector struct {
	packed uint64 // the word as a number
	hole   byte
	broken bool // it has punctuation inside
	// values are what it gives as operands.
	values []selectorValue
}

type selectorValue struct {
	kind  uint16 // its number
	value uint64
}

// writtenOut is the number of no kind: that of selectors that are read as the text that they are.
const writtenOut = ^uint16(0)

// selectorKind is what selectors are read as: an operand of a kind that starts with the word, or with the point before it.
// The bits of known are those of its value that it gives, none where it is not to be read so. What stands behind it has
// decided that it is all of the operand.
type selectorKind struct {
	kind operandKind
	// point tells that it starts with the point, loosely that it is not as it would be printed.
	point, loosely bool
	depth          uint8
	known          uint64
	behind         string
}

// Limits of selectors.
const (
	maxSelector      = 8
	maxSelectors     = 1 << 12 // slots
	maxSelectorKinds = 1 << 10
)

// selectorBytes marks what selectors are made of.
var selectorBytes = func() (set [256]bool) {
	for c := range set {
		set[c] = startsSelector(byte(c)) || digitValue[c] < 10
	}
	return set
}()

// startsSelector reports whether a selector can start with a byte.
func startsSelector(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '*' }

// selectorEnd returns the end of the word at a place that looks like a selector; the place where none does.
func selectorEnd(text []byte, from int) (end int) {
	if from == len(text) || !startsSelector(text[from]) {
		return from
	}
	for end = from; end < len(text) && selectorBytes[text[end]]; end++ {
		if end == from+maxSelector {
			return from
		}
	}
	return end
}

// find returns the selector of those bytes, nil where it is none.
func (t *selectors) find(x uint64) *selector {
	hash := mix(x, 0)
	for i := range t.probes() {
		s := t.slot(hash, i)
		if s.value == nil {
			break
		}
		if s.value.packed == x {
			return s.value
		}
	}
	return nil
}

// at returns the selector at a place of a line, and its end; nil where there is none. One with punctuation at an end is none
// before a blank, which it would make free.
func (t *selectors) at(line []byte, from int, folds *[256]byte) (s *selector, end int) {
	x := uint64(0)
	for end = from; end < len(line) && t.letters[folds[line[end]]]; end++ {
		x = x<<8 | uint64(folds[line[end]])
	}
	if end == from || end-from > maxSelector || end < len(line) && selectorBytes[line[end]] || !startsSelector(line[from]) {
		return nil, from
	}
	if s = t.find(x); s == nil {
		s = t.newSelector(x, line[from:end], folds)
	}
	if s.hole == 0 || s.hole == looseHole && end < len(line) && folds[line[end]] == ' ' {
		return nil, from
	}
	return s, end
}

// newSelector adds a word.
func (t *selectors) newSelector(x uint64, word []byte, folds *[256]byte) *selector {
	s := &t.room.keep([]selector{{packed: x, hole: selectorHole}})[0]
	var room [maxSelector]byte
	folded := room[:len(word)]
	for i, c := range word {
		folded[i] = folds[c]
	}
	switch {
	case t.hasAnchor(folded, nil):
		s.hole = 0
	case loose[folded[0]] || loose[folded[len(folded)-1]]:
		s.hole = looseHole
	}
	s.broken = slices.ContainsFunc(folded, func(c byte) bool { return loose[c] })
	t.add(mix(x, 0), s, maxSelectors)
	return s
}

// hasAnchor reports whether a template could have its anchor in a word, or from there on; where it is known what stands
// behind the word, behind has that.
func (t *selectors) hasAnchor(word, behind []byte) bool {
	for i := range word {
		found, _, stop, at := t.anchors.find(word, i, len(word)+1, true)
		if found != nil || stop == len(word) && (behind == nil || len(behind) > 0 && t.anchors.after(at, behind[0]) != nil) {
			return true
		}
	}
	return false
}

// as returns what a selector gives as one of the kinds; ok is false where it is not known as that.
func (s *selector) as(kind uint16) (v uint64, ok bool) {
	for i := range s.values {
		if x := &s.values[i]; x.kind == kind {
			return x.value, true
		}
	}
	return 0, false
}

// noteSelector notes the letters of the word at the present place, or behind a point there, if that is what was read alone.
func (p *Parser) noteSelector(o *operand) {
	from := p.pos
	if from < len(p.src) && p.src[from] == '.' {
		from++
	} else if from == 0 || p.src[from-1] != '.' {
		return
	}
	end := selectorEnd(p.src, from)
	if end == from || o.wayOf(end-p.pos) == nil {
		return
	}
	for _, c := range p.src[from:end] {
		p.memo.selectors.letters[c] = true
	}
}

// wayOf returns the way to read an operand whose text has that size, if it is the longest, the only one of that size and
// gives nothing but bits of the value; else nil.
func (o *operand) wayOf(size int) (way *way) {
	if o.inPlace || len(o.text) > size+2 {
		return nil
	}
	for i := range o.ways {
		w := &o.ways[i]
		switch {
		case w.size > size, w.size == size && (way != nil || w.off != 0 || w.more != nil || w.hole.set != 0 || w.known == 0):
			return nil
		case w.size == size:
			way = w
		}
	}
	return way
}

// selectorAt returns the place of the selector that stands at the present place, or behind a point there; ok is false where
// there is none.
func (p *Parser) selectorAt() (at int, ok bool) {
	at = p.pos
	if at < len(p.src) && p.src[at] == '.' {
		at++
	}
	return at, p.holeAt(at) && p.src[at] >= selectorHole
}

// selected returns the operand that the selector at a place is, which starts at the present one; nil where it is none and
// has to be written out.
func (p *Parser) selected(g *grammar, kind operandKind, depth, at int) *operand {
	t, s := &p.memo.selectors, p.holes.open[p.holes.from(at)].selector
	i := slices.IndexFunc(s.values, func(v selectorValue) bool {
		k := &t.kinds[v.kind]
		return k.kind == kind && k.point == (at > p.pos) && bytes.HasPrefix(p.whole[at+1:], []byte(k.behind))
	})
	if i < 0 && len(t.kinds) < maxSelectorKinds {
		i = len(s.values)
		s.values = append(s.values, p.selectAlone(g, kind, depth, at))
	}
	if i < 0 || t.kinds[s.values[i].kind].known == 0 {
		p.writeOut(at)
		return nil
	}
	n := s.values[i].kind
	k := &t.kinds[n]
	m, size := &p.memo.operands.wayParts, at+1-p.pos
	o := &m.operands.keep([]operand{{kind: kind, depth: k.depth, text: m.texts.keep(p.whole[p.pos : at+1+len(k.behind)])}})[0]
	o.only[0] = way{size: size, loosely: k.loosely, hole: holeBits{set: k.known, tag: tag{hole: 1}}}
	o.cuts = cuts{1, 1} // of some selectors less of the text is an operand too, of some that comes first
	o.ways, o.facts = o.only[:], m.facts.keep([]fact{{most: ^uint64(0), kind: n}})
	return o
}

// selectAlone reads the selector at a place as an operand that starts at the present one. All holes from there on are
// written out for it, since what it finds is remembered, and hooks see the text.
func (p *Parser) selectAlone(g *grammar, kind operandKind, depth, at int) selectorValue {
	line, h := p.input, p.holes
	open := h.open
	text, size := h.spell(line.whole, p.pos, at+1)
	h.open = nil
	p.whole, p.src, p.raw, p.shaped = text, text[:len(text)-1], text[:len(text)-1], false
	o := p.readAlone(g, depth)
	p.input, p.shaped, h.open = line, true, open
	k := selectorKind{kind: kind, point: at > p.pos, behind: string(o.text[min(size, len(o.text)):])}
	v := selectorValue{}
	if w := o.wayOf(size); w != nil && bytes.HasPrefix(line.whole[at+1:], o.text[size:]) {
		k.loosely, k.depth, k.known = w.loosely, o.depth, w.known
		v.value = w.val
	}
	v.kind = p.memo.selectors.number(k)
	return v
}

// number returns the number of a kind.
func (t *selectors) number(k selectorKind) uint16 {
	if len(t.kinds) == 0 {
		t.kinds = append(t.kinds, selectorKind{})
	}
	i := slices.Index(t.kinds[1:], k) + 1
	if i == 0 {
		i = len(t.kinds)
		t.kinds = append(t.kinds, k)
	}
	return uint16(i)
}

// isLoose reports whether the byte at a place is punctuation beside which blanks are free. Of a hole that has some at one
// end it is not known: the selector is written out.
func (p *Parser) isLoose(pos int) bool {
	if p.shaped && p.src[pos] == looseHole {
		p.writeOut(pos)
	}
	return loose[p.src[pos]]
}
