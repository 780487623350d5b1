package asm

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Programs repeat themselves: their lines, and in lines that differ the same operands. Both are kept by their texts,
// operands when they are met for the second time. What depended on the caller's hooks is not. Turning the memo off changes
// nothing but time.

// memo is what a parser remembers. It grows up to limits.
type memo struct {
	seed  maphash.Seed
	hooks [3]bool
	// by has what belongs to given contexts; memory is that of the present ones, nil where they have changed.
	by map[bits.Value]*memory
	*memory
}

// memory is what is remembered for given contexts: lines in the words of the machine, lines as they stand in sources,
// and parts of lines.
type memory struct {
	lines, shaped, sources lineTable
	shapes                 shapes
	selectors              selectors
	operands               operandTable
	marks
}

// lineTable has lines by their texts and names.
type lineTable struct {
	hashTable[reading]
	line        uint64 // the hash of the present one
	known, read int    // lines that were and that were not
	many        int    // are remembered at once
	// once is what was met once, where lines that come again are few.
	once     marks
	readings arena[reading]
	mores    arena[readingMore]
	facts    arena[fact]
	pairs    arena[pair]
	fills    arena[holeBits]
	texts    arena[byte]
	plans    arena[planned]
	asks     arena[ask]
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
	manySources = 1 << 9  // such lines of sources
	minMarks    = 1 << 10
	manyMarks   = 1 << 16
)

// ready makes the memo that of the parser's contexts. With other hooks a line may be something else.
func (m *memo) ready(p *Parser) {
	hooks := [3]bool{p.Symbol != nil, p.Custom != nil, p.Constant != nil}
	if m.by == nil || m.hooks != hooks || len(m.by) > maxContexts {
		*m = memo{seed: maphash.MakeSeed(), by: map[bits.Value]*memory{}, hooks: hooks}
	}
	if m.memory != nil {
		return
	}
	if m.memory = m.by[p.context]; m.memory == nil {
		m.memory = &memory{lines: lineTable{many: manyRead}, shaped: lineTable{many: manyRead}, sources: lineTable{many: manySources}}
		m.by[p.context] = m.memory
	}
}

// reading is what a line was read as, before the places of its entries.
type reading struct {
	text          []byte // the line, or its shape
	names         uint64 // of a line of a source
	leaf          *isa.Leaf
	word, context bits.Value
	named         bool
	checked       bool // by the caller
	*readingMore
}

// readingMore is what most lines have nothing of.
type readingMore struct {
	// facts and pairs must hold of the numbers of a shape; fills are the bits that they give.
	facts []fact
	pairs []pair
	fills []holeBits
	note  Note // of a line of a source
	plan  []planned
	asks  []ask
}

// noMore is nothing of it.
var noMore readingMore

// ask is what the name of a label meant while a line was read: its address, that of the line taken off for a relative
// one.
type ask struct {
	name     string
	relative bool
	answer
}

type answer struct {
	addr int64
	// known tells that it is the name of a label, open that its address is not known yet.
	known, open bool
}

// maxAsks bounds the names of a line that is remembered.
const maxAsks = 8

// remembers reports whether the memo counts for the present line.
func (p *Parser) remembers() bool { return p.memo != nil && !p.careful && !p.pinning }

// hash is that of a text of the machine, or of a source with names.
func (p *Parser) hash(text []byte, names uint64) uint64 {
	return mix(maphash.Bytes(p.memo.seed, text), names)
}

// recall makes what a line of a table was read as before that of the present line; ok is false where it is not known.
func (p *Parser) recall(t *lineTable, text []byte, names uint64) (ok bool) {
	return p.recallAt(t, p.hash(text, names), text, names, nil)
}

// recallAt is recall for a line that is found by a hash and has numbers of such values.
func (p *Parser) recallAt(t *lineTable, hash uint64, text []byte, names uint64, values []uint64) (ok bool) {
	r := t.find(hash, text, names, values)
	if r == nil {
		return false
	}
	if hash, same := p.answers(r); !same {
		if r = t.find(mix(t.line, hash), text, names, values); r == nil {
			return false
		}
		if _, same = p.answers(r); !same {
			return false
		}
	}
	t.known++
	p.restore(r, values)
	p.asked, p.remembered = false, r
	return true
}

// answers reports whether the names of a reading mean what they did, and returns a hash of what they mean.
func (p *Parser) answers(r *reading) (hash uint64, same bool) {
	same = true
	for i := range r.asks {
		a := p.answer(r.asks[i].name, r.asks[i].relative)
		same = same && a == r.asks[i].answer
		hash = mix(hash, uint64(a.addr)<<2|truthBit(a.known)<<1|truthBit(a.open))
	}
	return hash, same
}

// find returns the reading of a line, which becomes the present line; nil where there is none.
func (t *lineTable) find(hash uint64, text []byte, names uint64, values []uint64) *reading {
	t.line = hash
	for i := range t.probes() {
		s := t.slot(hash, i)
		if s.value == nil {
			break
		}
		if r := s.value; s.hash == hash && r.names == names && string(r.text) == string(text) && r.holdsOf(values) {
			return r
		}
	}
	return nil
}

// learn keeps in a table what the present line was read as.
func (p *Parser) learn(t *lineTable, text []byte, names uint64, note Note) {
	if p.asked || !t.worthy() {
		return
	}
	if !p.shaped { // or it is that of the shape
		text = t.texts.keep(text)
	}
	w, c := &p.spaces[spaceWord], &p.spaces[spaceContext]
	x := reading{text, names, p.leaf, w.val, c.val, p.named, false, &noMore}
	if p.shaped || note != (Note{}) || len(p.plan)+len(p.asks) > 0 {
		x.readingMore = &t.mores.keep([]readingMore{{note: note, plan: t.plans.keep(p.plan), asks: t.asks.keep(p.asks)}})[0]
	}
	if p.shaped {
		x.facts, x.pairs, x.fills = t.facts.keep(p.holes.facts), t.pairs.keep(p.holes.pairs), t.fills.keep(p.holes.fills)
		x.word, x.context = w.val.AndNot(w.holes), c.val.AndNot(c.holes)
		for i := range x.fills {
			if f := &x.fills[i]; f.space >= spaceTable {
				x.plan[f.space-spaceTable].Value[f.limb&3] &^= f.set
			}
		}
	}
	r := t.readings.keep([]reading{x})
	t.add(t.line, &r[0], maxLines)
	p.remembered = &r[0]
}

// Check notes that the caller has nothing to tell of the line that was read last, wherever its entries and labels are. It
// counts as long as the line is remembered.
func (p *Parser) Check() {
	if p.remembered != nil {
		p.remembered.checked = true
	}
}

// Checked reports whether Check was called for the line that was read last, now or when it was read before.
func (p *Parser) Checked() bool { return p.remembered != nil && p.remembered.checked }

// worthy reports whether the present line, which is not known, is to be remembered: at once, or where few come again,
// when it does.
func (t *lineTable) worthy() bool {
	t.read++
	return t.read < t.many || t.known > t.read || t.once.met(t.line)
}

// met reports whether something with that hash was met before, as far as can be told, and notes that it is now.
func (m *marks) met(hash uint64) bool {
	if m.used >= len(m.list)/2 && len(m.list) < manyMarks { // few lines are worth little memory
		before := m.list
		m.list, m.used = make([]uint32, max(minMarks, 4*len(before))), 0
		for _, mark := range before {
			if mark != 0 {
				m.add(mark)
			}
		}
	}
	return m.add(uint32(hash>>32) | 1)
}

// place returns where a mark is if it is there.
func (m *marks) place(mark uint32) []uint32 {
	const together = 4 // as many as two bits of turn tell apart
	return m.list[mix(uint64(mark), 0)&uint64(len(m.list)-together):][:together]
}

// add adds a mark and reports whether it was there. Those that share a place push one another out, in no order in which
// they could do so for ever.
func (m *marks) add(mark uint32) (was bool) {
	at := m.place(mark)
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

// restore makes a reading that of the present line, whose numbers have such values.
func (p *Parser) restore(r *reading, values []uint64) {
	p.leaf, p.named, p.noncanonical = r.leaf, r.named, false
	p.spaces[spaceWord].val, p.spaces[spaceContext].val, p.nspaces = r.word, r.context, spaceTable
	p.plan, p.note, p.asks = r.plan, r.note, append(p.asks[:0], r.asks...)
	for i := range r.fills {
		f := &r.fills[i]
		v := f.of(values[f.hole-1])
		if f.space < spaceTable {
			p.spaces[f.space].val[f.limb&3] |= v
			continue
		}
		if &p.plan[0] == &r.plan[0] {
			p.made = append(p.made[:0], r.plan...)
			p.plan = p.made
		}
		p.plan[f.space-spaceTable].Value[f.limb&3] |= v
	}
}

// operandKind is what the reading of an operand depends on beside its text.
type operandKind int32

func (p *Parser) kindOf(g *grammar) operandKind {
	kind := g.index<<2 | int(p.behind())
	return operandKind(kind<<1 | int(truthBit(p.leniently)))
}

// operandTable has operands by what they depend on. It is searched for the word that a text starts with, which may be
// more or less than what decides.
type operandTable struct {
	hashTable[operand]
	uses []operandUse // by kind
	wayParts
}

// wayParts are room for what ways are made of.
type wayParts struct {
	operands arena[operand]
	facts    arena[fact]
	holes    arena[holeBits]
	texts    arena[byte]
	more     arena[wayMore]
	gives    arena[given]
	opened   arena[home]
	scopes   arena[scope]
	cons     arena[constraint]
	units    arena[leafScope]
}

// maxOperands bounds the slots of the table.
const maxOperands = 1 << 16

// hash returns a hash of a kind and the word that a text starts with, or of what stands in place of one. There is room for
// 8 bytes behind the text.
func (kind operandKind) hash(text []byte, reach reach) uint64 {
	n := reach.wordEnd(text)
	if n == 0 {
		n = min(2, len(text))
	}
	h := uint64(kind)<<16 | uint64(n)
	for ; n > 8; text, n = text[8:], n-8 {
		h = mix(h, binary.LittleEndian.Uint64(text))
	}
	return mix(h, binary.LittleEndian.Uint64(text[:8])&ones(8*n))
}

// reach says how far the word goes that operands of a kind are found by.
type reach uint8

const (
	toBracket reach = iota // or to what ends the others
	toPoint                // or behind brackets
	toBlank                // or to a comma, where they stand in no brackets
)

// wordEnd returns the end of the word that a text starts with.
func (r reach) wordEnd(text []byte) int {
	depth := 0
	for i, c := range text {
		kind := wordBytes[c]
		if kind == 0 {
			continue
		}
		switch {
		case kind == opens:
			if r == toBracket && i > 0 {
				return i
			}
			depth++
		case kind == closes:
			if depth--; depth < 0 || depth == 0 && r < toBlank {
				return i
			}
		case depth == 0 && (kind == parts || r < toBlank):
			return i
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

// operandUse says of a kind of operands how far the word goes that they are found by, how many were read alone and how
// often one was known.
type operandUse struct {
	reach        reach
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

// findOperand returns the operand of a kind that a text starts with, nil where it is not known.
func (p *Parser) findOperand(t *operandTable, kind operandKind, hash uint64, text []byte) *operand {
	for i := range t.probes() {
		s := t.slot(hash, i)
		if s.value == nil {
			break
		}
		if o := s.value; s.hash == hash && o.kind == kind && len(o.text) <= len(text) && string(o.text) == string(text[:len(o.text)]) && (len(o.facts) == 0 || p.holes.allHold(o.facts, p.holes.from(p.pos))) {
			return o
		}
	}
	return nil
}
