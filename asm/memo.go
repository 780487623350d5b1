package asm

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Programs repeat themselves: their lines, and in lines that differ the same operands. Both are kept by their texts
// when they are met for the second time. What depended on the caller's hooks is not. Turning the memo off changes
// nothing but time.

// memo is what a parser remembers. It grows up to limits.
type memo struct {
	seed  maphash.Seed
	hooks [3]bool
	// by has what belongs to given contexts; memory is that of the present ones, nil where they have changed.
	by map[bits.Value]*memory
	*memory
}

// memory is what is remembered for given contexts. Of lines there are two generations: those that were met lately,
// and those before.
type memory struct {
	lines, older map[string]*reading
	operands     []*texts // by kind
	size         int      // of operands
	ends         map[uint64]*ends
	endings      int // in ends
	marks        []uint32 // of lines and operands that were met once
}

// Limits of a memo.
const (
	maxContexts = 32
	maxLines    = 1 << 15
	maxOperands = 1 << 16
	manyMarks   = 1 << 15
)

// ready makes the memo that of the parser's contexts. With other hooks a line may be something else.
func (m *memo) ready(p *Parser) {
	hooks := [3]bool{p.Symbol != nil, p.Name != nil, p.Custom != nil}
	if m.by == nil || m.hooks != hooks || len(m.by) > maxContexts {
		*m = memo{seed: maphash.MakeSeed(), by: map[bits.Value]*memory{}, hooks: hooks}
	}
	if m.memory != nil {
		return
	}
	if m.memory = m.by[p.context]; m.memory == nil {
		m.memory = &memory{lines: map[string]*reading{}, marks: make([]uint32, manyMarks)}
		m.by[p.context] = m.memory
	}
}

// reading is what a line was read as, before its suffix and the places of its entries.
type reading struct {
	leaf          *isa.Leaf
	word, context bits.Value
	// entries are the spaces beside the word and the contexts, with what the instruction depends on.
	entries []space
}

// remembers reports whether the memo counts for the present line.
func (p *Parser) remembers() bool { return p.memo != nil && !p.careful && !p.pinning }

// recall makes what a text was read as before that of the present line; ok is false where it is not known.
func (p *Parser) recall(body []byte) (ok bool) {
	m := p.memo
	r := m.lines[string(body)]
	if r == nil {
		if r = m.older[string(body)]; r == nil {
			return false
		}
		m.keepLine(string(body), r)
	}
	return p.restore(r)
}

func (m *memory) keepLine(text string, r *reading) {
	if len(m.lines) == maxLines {
		m.lines, m.older = map[string]*reading{}, m.lines
	}
	m.lines[text] = r
}

// learn keeps what a text was read as, if it has been read before.
func (p *Parser) learn(body []byte) {
	if m := p.memo; !p.asked && m.met(maphash.Bytes(m.seed, body)) {
		m.keepLine(string(body), p.reading())
	}
}

// met reports whether something with that hash was met before, as far as can be told, and notes that it is now.
func (m *memory) met(hash uint64) bool {
	at := &m.marks[hash%manyMarks]
	before := *at
	*at = uint32(hash >> 32)
	return before == *at
}

// reading returns what was read.
func (p *Parser) reading() *reading {
	r := &reading{leaf: p.leaf, word: p.spaces[spaceWord].val, context: p.spaces[spaceContext].val}
	for i := spaceTable; i < p.nspaces; i++ {
		s := p.spaces[i]
		s.care = p.care(uint8(i))
		r.entries = append(r.entries, s)
	}
	return r
}

// restore makes a reading that of the present line. It cannot where a suffix may change what entries depend
// on.
func (p *Parser) restore(r *reading) bool {
	if len(r.entries) > 0 && len(p.suffix) > 0 {
		return false
	}
	p.leaf, p.cared, p.named, p.loosely = r.leaf, true, false, false
	p.spaces[spaceWord].val = r.word
	p.spaces[spaceContext].val = r.context
	p.nspaces = spaceTable + copy(p.spaces[spaceTable:], r.entries)
	return true
}

// operandKind is what the reading of an operand depends on beside its text.
type operandKind int

func (p *Parser) kindOf(g *grammar) operandKind {
	kind := g.env.Index<<2 | int(p.behind())
	return operandKind(kind<<2 | int(truthBit(p.strict))<<1 | int(truthBit(p.leniently)))
}

// operand returns the operand that a text starts with, nil if it is not known.
func (m *memory) operand(kind operandKind, text []byte) *operand {
	if int(kind) >= len(m.operands) || m.operands[kind] == nil {
		return nil
	}
	return m.operands[kind].find(text)
}

// worth reports whether an operand should be kept: something that starts like it was met before.
func (m *memo) worth(kind operandKind, text []byte) bool {
	var start [8]byte
	copy(start[:], text)
	hash := (binary.LittleEndian.Uint64(start[:]) ^ uint64(kind)<<48 ^ uint64(kind)) * 0x9e3779b97f4a7c15
	return m.met(hash ^ hash>>29)
}

func (m *memory) keepOperand(kind operandKind, text []byte, o *operand) {
	if m.size++; m.size > maxOperands {
		m.operands, m.size = nil, 0
	}
	if n := int(kind) + 1 - len(m.operands); n > 0 {
		m.operands = append(m.operands, make([]*texts, n)...)
	}
	if m.operands[kind] == nil {
		m.operands[kind] = &texts{}
	}
	m.operands[kind].add(string(text[:o.size]), o)
}

// keepEnds makes room for the endings of lines of the same conditions.
func (m *memory) keepEnds(key uint64, all *ends) {
	if m.ends == nil || m.endings > maxEndings {
		m.ends, m.endings = map[uint64]*ends{}, 0
	}
	m.ends[key] = all
	m.endings++
}

func (m *memory) keepEnding(all *ends, hash uint64, e *ending) {
	all.by[hash] = e
	m.endings++
}

// texts are operands by the text that decides, none of which is the start of another.
type texts struct {
	text    string // behind what leads here
	operand *operand
	firsts  []byte // of the texts that follow
	kids    []*texts
}

// find returns the operand that a text starts with, nil if there is none.
func (t *texts) find(text []byte) *operand {
	for t.operand == nil {
		if len(text) == 0 {
			return nil
		}
		i := bytes.IndexByte(t.firsts, text[0])
		if i < 0 {
			return nil
		}
		if t = t.kids[i]; len(text) < len(t.text) || string(text[:len(t.text)]) != t.text {
			return nil
		}
		text = text[len(t.text):]
	}
	return t.operand
}

func (t *texts) add(text string, o *operand) {
	for text != "" {
		i := bytes.IndexByte(t.firsts, text[0])
		if i < 0 {
			t.firsts, t.kids = append(t.firsts, text[0]), append(t.kids, &texts{text: text, operand: o})
			return
		}
		kid := t.kids[i]
		rest, whole := strings.CutPrefix(text, kid.text)
		if !whole {
			same := 0
			for same < len(text) && same < len(kid.text) && text[same] == kid.text[same] {
				same++
			}
			t.kids[i] = &texts{text: text[:same], firsts: []byte{kid.text[same]}, kids: []*texts{kid}}
			kid.text = kid.text[same:]
			kid, rest = t.kids[i], text[same:]
		}
		t, text = kid, rest
	}
	t.operand = o
}
