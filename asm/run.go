package asm

import (
	"math"
	"math/bits"
)

// This file takes in one step what alone may come at a node: text, or letters that are values of fields, as those of
// swizzles are. What does not stand there as it is printed is read item by item.

// run is what alone may come at a node: a text, or letters.
type run struct {
	text    string
	letters []letter
	// scopeDepth says of which scope the letters give bits: those of mask, from low on.
	scopeDepth, low int
	mask            uint64
	behind          *node
}

// letter is an item that one byte gives a value, to bits from shift on of those of its run.
type letter struct {
	shift int
	// values are one more than those of bytes, 0 for one that is not all that there is to it.
	values *[256]uint16
}

// lookAhead returns what alone may come at a node, nil where that is read item by item.
func (n *node) lookAhead() *run {
	if n.only == nil {
		return nil
	}
	it, behind := &n.only.item, n.only.next
	r := &run{behind: behind}
	switch {
	case it.kind == itemLiteral:
		r.text = it.text
	case it.kind == itemBlank:
		r.text = " "
	case it.isLetter():
		r.letters = []letter{{values: it.words.letters(it.ref.Width)}}
		r.scopeDepth, r.low, r.mask = it.ref.ScopeDepth, it.ref.At, ones(it.ref.Width)
	default:
		return nil
	}
	if behind.open(); behind.run != nil {
		r.join(behind.run)
	}
	return r
}

// isLetter reports whether the item may be a letter of a run: bits in one piece with a name for each value.
func (it *item) isLetter() bool {
	return it.kind == itemEnum && len(it.conds) == 0 && it.extent != noText && it.spread == nil && it.isBits() &&
		it.ref.At >= 0 && it.ref.Entry == nil && it.words.start().ends == nil
}

// letters returns one more than the value of each byte that is a text by itself, with which no other starts, for a field
// of that width; 0 for others, and for those of which there is more to say.
func (t *trie) letters(width int) *[256]uint16 {
	values := new([256]uint16)
	for c := range values {
		s := t.after(t.start(), byte(c))
		if s == nil || s.bytes > 0 || numeric[c] || len(s.ends.values) > 1 || s.ends.aliases[0] {
			continue
		}
		if v := s.ends.values[0]; v>>uint(width) == 0 && v < math.MaxUint16 {
			values[c] = uint16(v) + 1
		}
	}
	return values
}

// join adds what comes behind, where that is more of the same.
func (r *run) join(x *run) {
	switch {
	case r.text != "" && x.text != "":
		r.text += x.text
	case r.letters == nil || x.letters == nil || r.scopeDepth != x.scopeDepth || !r.joinLetters(x):
		return
	}
	r.behind = x.behind
}

// joinLetters adds letters behind a single one, if the bits of all are different ones and not too far from each other.
func (r *run) joinLetters(x *run) bool {
	low := min(r.low, x.low)
	up, above := r.low-low, x.low-low
	if bits.Len64(r.mask)+up > 64 || bits.Len64(x.mask)+above > 64 || r.mask<<up&(x.mask<<above) != 0 {
		return false
	}
	r.letters[0].shift = up
	for _, l := range x.letters {
		l.shift += above
		r.letters = append(r.letters, l)
	}
	r.low, r.mask = low, r.mask<<up|x.mask<<above
	return true
}

// takeRun takes what alone may come, if it stands here as it is printed.
func (p *Parser) takeRun(r *run) bool {
	end := p.pos + len(r.text) + len(r.letters)
	if p.everyWay() || end > len(p.src) {
		return false
	}
	here := p.src[p.pos:end]
	if r.letters == nil && string(here) != r.text || r.letters != nil && !p.takeLetters(r, here, end) {
		return false
	}
	p.see(end - 1)
	p.pos, p.node = end, r.behind
	return true
}

// takeLetters gives the bits of letters.
func (p *Parser) takeLetters(r *run, text []byte, end int) bool {
	var given uint64
	for i, c := range text {
		l := &r.letters[i]
		v := uint64(l.values[c])
		if v == 0 {
			return false
		}
		given |= (v - 1) << uint(l.shift&63)
	}
	s, mark := &p.scopes[p.scopeOf(r.scopeDepth)], len(p.trail)
	if s.parts == nil && p.setSome(s.space, s.low+r.low, 64, given, r.mask, end) {
		return true
	}
	p.undo(mark)
	return false
}
