package asm

import (
	"hash/maphash"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Programs repeat themselves: their lines, and in lines that differ the same operands. Both are kept by their texts,
// operands when they are met for the second time. What depended on the caller's hooks is not. Turning the memo off
// changes nothing but time.

// memo is what a parser remembers. It grows up to limits.
type memo struct {
	seed  maphash.Seed
	hooks [3]bool
	// by has what belongs to given contexts; memory is that of the present ones, nil where they have changed.
	by map[bits.Value]*memory
	*memory
}

// memory is what is remembered for given contexts.
type memory struct {
	lines       lineTable
	line        uint64 // the hash of the present one
	operands    operandTable
	completions map[uint64]*completions
	kept        int // in completions
	marks
}

// marks are of what was met once, as far as can be told; used of them are in use.
type marks struct {
	list []uint32
	used int
	turn uint32 // says which is pushed out, as if at random
}

// Limits of a memo.
const (
	maxContexts = 32
	maxLines    = 1 << 16
	manyRead    = 1 << 12 // lines, after which it is seen whether they come again
	minMarks    = 1 << 10
	manyMarks   = 1 << 16
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
		m.memory = &memory{}
		m.by[p.context] = m.memory
	}
}

// reading is what a line was read as, before its suffix and the places of its entries.
type reading struct {
	text          []byte
	leaf          *isa.Leaf
	word, context bits.Value
	// entries are the spaces beside the word and the contexts, with what the instruction depends on.
	entries []space
}

// lineTable has readings by their texts.
type lineTable struct {
	hashTable[reading]
	known, read int // lines that were and that were not
	// once is what was met once, where lines that come again are few.
	once     marks
	readings arena[reading]
	texts    arena[byte]
	entries  arena[space]
}

// find returns the reading of a text, nil where it is not known.
func (t *lineTable) find(hash uint64, text []byte) *reading {
	for i := range t.probes() {
		s := t.slot(hash, i)
		if s.value == nil {
			break
		}
		if s.hash == hash && string(s.value.text) == string(text) {
			return s.value
		}
	}
	return nil
}

// worth reports whether a line that is not known is worth being remembered at once.
func (t *lineTable) worth(hash uint64) bool {
	t.read++
	return t.read < manyRead || t.known > t.read/8 || t.once.met(hash)
}

// remembers reports whether the memo counts for the present line.
func (p *Parser) remembers() bool { return p.memo != nil && !p.careful && !p.pinning }

// recall makes what a text was read as before that of the present line; ok is false where it is not known.
func (p *Parser) recall(body []byte) (ok bool) {
	m := p.memo
	m.line = maphash.Bytes(m.seed, body)
	r := m.lines.find(m.line, body)
	if r == nil || !p.restore(r) {
		return false
	}
	m.lines.known++
	return true
}

// learn keeps what a text was read as.
func (p *Parser) learn(body []byte) {
	t := &p.memo.lines
	if p.asked || !t.worth(p.memo.line) {
		return
	}
	p.kept = p.kept[:0]
	for i := spaceTable; i < p.nspaces; i++ {
		if s := &p.spaces[i]; s.field != nil { // others are of computed values
			s.care = p.care(uint8(i))
			p.kept = append(p.kept, *s)
		}
	}
	p.cared = p.cared || len(p.kept) > 0 && len(p.suffix) == 0
	r := t.readings.keep([]reading{{
		text: t.texts.keep(body), leaf: p.leaf, word: p.spaces[spaceWord].val, context: p.spaces[spaceContext].val, entries: t.entries.keep(p.kept),
	}})
	t.add(p.memo.line, &r[0], maxLines)
}

// met reports whether something with that hash was met before, as far as can be told, and notes that it is now.
func (m *marks) met(hash uint64) bool {
	if m.used >= len(m.list)/2 && len(m.list) < manyMarks { // few lines are worth little memory
		*m = marks{list: make([]uint32, max(minMarks, 4*len(m.list)))}
	}
	// Those that share a place push one another out, in no order in which they could do so for ever.
	const together = 4 // as many as two bits of turn tell apart
	at, mark := m.list[hash&uint64(len(m.list)-together):][:together], uint32(hash>>32)|1
	if slices.Contains(at, mark) {
		return true
	}
	i := slices.Index(at, 0)
	if i < 0 {
		m.turn = m.turn*1664525 + 1013904223
		i = int(m.turn >> 30)
	} else {
		m.used++
	}
	at[i] = mark
	return false
}

// restore makes a reading that of the present line. It cannot where a suffix may change what entries depend
// on.
func (p *Parser) restore(r *reading) bool {
	if len(r.entries) > 0 && len(p.suffix) > 0 {
		return false
	}
	p.leaf, p.cared, p.named, p.noncanonical = r.leaf, true, false, false
	p.spaces[spaceWord].val = r.word
	p.spaces[spaceContext].val = r.context
	p.nspaces = spaceTable + copy(p.spaces[spaceTable:], r.entries)
	return true
}

// operandKind is what the reading of an operand depends on beside its text.
type operandKind int

func (p *Parser) kindOf(g *grammar) operandKind {
	kind := g.index<<2 | int(p.behind())
	return operandKind(kind<<2 | int(truthBit(p.strict))<<1 | int(truthBit(p.leniently)))
}

// operandTable has operands by what they depend on. It is searched for the word that a text starts with, which may be
// more or less than what decides.
type operandTable struct {
	hashTable[operand]
	uses []operandUse // by kind
}

// maxOperands bounds the slots of the table.
const maxOperands = 1 << 16

// hash returns a hash of a kind and the word that a text starts with.
func (kind operandKind) hash(text []byte, long bool) uint64 {
	h, x := uint64(kind), uint64(0)
	for i, c := range text[:wordEnd(text, long)] {
		if x = x<<8 | uint64(c); i&7 == 7 {
			h, x = mix(h, x), 0
		}
	}
	return mix(h, x)
}

// wordEnd returns the end of the word that a text starts with: a blank or a comma that stands in no brackets; where it
// is not to be long, a point too, or what is behind brackets.
func wordEnd(text []byte, long bool) int {
	depth := 0
	for i, c := range text {
		switch wordBytes[c] {
		case opens:
			depth++
		case closes:
			if depth--; depth < 0 || depth == 0 && !long {
				return i
			}
		case parts:
			if depth == 0 {
				return i
			}
		case point:
			if depth == 0 && !long {
				return i
			}
		}
	}
	return len(text)
}

// What bytes are to words.
const (
	parts = iota + 1
	point
	opens
	closes
)

// operandUse says of a kind of operands whether some go on behind a short word, how many were read alone and how often
// one was known.
type operandUse struct {
	long         bool
	alone, known int32
}

// manyAlone is how many operands of a kind are read alone before it is seen whether that is of use.
const manyAlone = 256

// hopeless reports whether too few were known: that is so of whole phrases.
func (u *operandUse) hopeless() bool { return u.alone >= manyAlone && u.known < 2*u.alone }

// use returns what is known of a kind.
func (t *operandTable) use(kind operandKind) *operandUse {
	if n := int(kind) + 1 - len(t.uses); n > 0 {
		t.uses = append(t.uses, make([]operandUse, n)...)
	}
	return &t.uses[kind]
}

var wordBytes = [256]uint8{' ': parts, ',': parts, ';': parts, '\n': parts, '.': point, '(': opens, '[': opens, ')': closes, ']': closes}

// find returns the operand of a kind that a text starts with, nil where it is not known.
func (t *operandTable) find(kind operandKind, hash uint64, text []byte) *operand {
	for i := range t.probes() {
		s := t.slot(hash, i)
		if s.value == nil {
			break
		}
		if o := s.value; s.hash == hash && o.kind == kind && len(o.text) <= len(text) && o.text == string(text[:len(o.text)]) {
			return o
		}
	}
	return nil
}

// keepCompletions makes room for the completions of lines of the same conditions.
func (m *memory) keepCompletions(key uint64, all *completions) {
	if m.completions == nil || m.kept > maxCompletions {
		m.completions, m.kept = map[uint64]*completions{}, 0
	}
	m.completions[key] = all
	m.kept++
}

func (m *memory) keepCompletion(all *completions, hash uint64, e *completion) {
	all.by[hash] = e
	m.kept++
}
