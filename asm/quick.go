package asm

import (
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

type quickValue struct{ val, known uint64 }

// find returns the bits of the text at pos, if the longest text there is certainly whole.
func (q *quick) find(src []byte, pos int) (quickValue, int, bool) {
	found, end := q.words.find(src, pos, len(src)+1)
	if found == nil || end < len(src) && q.body[src[end]] {
		return quickValue{}, 0, false
	}
	return q.vals[found.values[0]], end, true
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
	inner := &Parser{set: p.set, root: g.env.Root, env: g.env, top: g, folding: p.folding, enums: p.enums, context: p.context, Tables: p.Tables}
	for i := range uint64(1) << uint(g.env.Root.Size) {
		in, ok := d.Decode(bits.Of(i))
		if !ok {
			continue
		}
		text := p.fold(normal(string(d.Append(nil, in))))
		if len(d.Findings()) > 0 {
			continue
		}
		if !wordsOnly(text) || !inner.quickValue(q, g, text) {
			return nil
		}
	}
	for i := range q.body {
		q.body[i] = q.body[i] || isSymbolByte(byte(i), false) && byte(i) != '.'
	}
	return q
}

// wordsOnly tells whether a text has no blanks and no punctuation beside which blanks are free.
func wordsOnly(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] == ' ' || loose[text[i]] {
			return false
		}
	}
	return true
}

// quickValue reads a text with the general grammar and keeps what it fixes.
func (p *Parser) quickValue(q *quick, g *grammar, text string) bool {
	p.src, p.raw = append(p.src[:0], text...), append(p.raw[:0], text...)
	p.reset(g.env.Root.Size)
	p.node = g.start
	if !p.search() || p.nspaces > spaceTable {
		return false
	}
	s := &p.spaces[spaceWord]
	q.words.add(text, uint64(len(q.vals)))
	q.vals = append(q.vals, quickValue{s.val[0], s.known[0]})
	for i := 1; i < len(text); i++ {
		q.body[text[i]] = true
	}
	return true
}
