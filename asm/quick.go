package asm

import (
	"strings"

	"github.com/isago/isago/bits"
)

// maxQuick bounds the width of an operand whose texts are kept whole.
const maxQuick = 10

// quick is the language of a small operand that depends on nothing outside it, as whole texts.
type quick struct {
	words *trie // text -> index in values
	vals  []quickValue
	// body marks the characters that a text may go on with: only a text before another character
	// is known to be whole.
	body [256]bool
}

// quickValue is what a text fixes: known bits, and those of defaults where nothing else gives them.
type quickValue struct {
	val, known, defaults uint64
	// size is the length of the text as it is printed.
	size int
}

// find returns the bits of the text at pos and its end, if the longest text there is certainly
// whole; nil otherwise.
func (q *quick) find(src []byte, pos int) (*quickValue, int) {
	found, end := q.words.find(src, pos, len(src)+1)
	if found == nil {
		return nil, 0
	}
	next := end
	if next+1 < len(src) && src[next] == ' ' && loose[src[next+1]] {
		next++ // the blank does not end the text
	}
	if next < len(src) && q.body[src[next]] {
		return nil, 0
	}
	return &q.vals[found.first], end
}

// makeQuick prints every value of an operand and reads each text back in the general way; nil if
// the texts do not lend themselves to it.
func (p *Parser) makeQuick(g *grammar) *quick {
	d, err := p.set.NewDecoder(g.env.Root.Name)
	if err != nil {
		return nil
	}
	d.SetContext(p.context)
	q := &quick{words: &trie{}}
	inner := &Parser{set: p.set, root: g.env.Root, leaves: d.Root().Leaves, env: g.env, top: g, folding: p.folding, enums: p.enums, bools: p.bools, context: p.context, Tables: p.Tables}
	for i := range uint64(1) << uint(g.env.Root.Size) {
		in, ok := d.Decode(bits.Of(i))
		if !ok {
			continue
		}
		text := p.fold(normal(string(d.Append(nil, in))))
		if d.Odd() > 0 {
			continue
		}
		if strings.Trim(text, " ") != text || !inner.quickValue(q, g, text) {
			return nil
		}
	}
	q.words.finish()
	for i := range q.body {
		q.body[i] = q.body[i] || isSymbolByte(byte(i), false) && byte(i) != '.'
	}
	return q
}

// squeeze drops the blanks beside punctuation, where they are free.
func squeeze(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == ' ' && (loose[text[i-1]] || loose[text[i+1]]) {
			continue
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// quickValue reads a text with the general grammar and keeps what it fixes.
func (p *Parser) quickValue(q *quick, g *grammar, text string) bool {
	p.src, p.raw = append(p.src[:0], text...), append(p.raw[:0], text...)
	p.unspent()
	p.reset(g.env.Root.Size)
	p.node = g.start
	if !p.search() || p.nspaces > spaceTable {
		return false
	}
	s := &p.spaces[spaceWord]
	known := s.known[0]
	p.defaults()
	printed := len(text)
	text = squeeze(text)
	q.words.add(text, uint64(len(q.vals)), false)
	q.vals = append(q.vals, quickValue{s.val[0], known, s.known[0] &^ known, printed})
	for i := 1; i < len(text); i++ {
		q.body[text[i]] = true
	}
	return true
}
