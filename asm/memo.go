package asm

import (
	"hash/maphash"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Programs repeat themselves: their lines, and in lines that differ the same operands. What reading a line
// has shown is kept by its text; and by its shape, with a table of words for each place (recorder says when
// two lines are of one shape). Lines that depend on labels, names or hooks are not kept. Turning the memo off
// changes nothing but time.

// memo is what a parser remembers. It grows up to limits.
type memo struct {
	seed maphash.Seed
	// seen has a mark of each line that was read once; lines are those that were read again.
	seen  []uint32
	lines []*knownLine
	read  int    // the lines that were marked
	mark  uint64 // of the present line
	words wordTable
	// alike are lines by the hash of what they look like.
	alike map[uint64]*alike
	size  int // of all shapes
	pace  pace
	// odd counts lines that differed although their traces did not: it stays 0.
	odd   int
	hooks [3]bool
	rec   recorder
}

// knownLine is a text with what it was read as, given contexts.
type knownLine struct {
	text    string
	given   bits.Value
	reading reading
}

// reading is what a line was read as, before its suffix and the places of its entries.
type reading struct {
	leaf          *isa.Leaf
	word, context bits.Value
	// entries are the spaces beside the word and the contexts, with what the instruction depends on.
	entries []space
}

// Limits of a memo.
const (
	maxLines   = 1 << 15
	minSeen    = 1 << 12
	maxSeen    = 1 << 16
	minWords   = 1 << 10
	maxWords   = 1 << 16
	maxPlaces  = 1 << 18 // words at places of shapes
	maxAlike   = 16      // shapes whose lines look alike
	maxInShape = 64      // words of a line
)

// remembers reports whether the memo counts for the present line.
func (p *Parser) remembers() bool { return p.memo != nil && !p.careful && !p.pinning }

// recall makes what a text was read as before that of the present line; ok is false where it is not known.
func (p *Parser) recall(body []byte) (ok bool) {
	m := p.memo
	// With other hooks a line may be something else.
	if hooks := [3]bool{p.Symbol != nil, p.Name != nil, p.Custom != nil}; m.seen == nil || m.hooks != hooks {
		*m = memo{seed: maphash.MakeSeed(), seen: make([]uint32, minSeen), hooks: hooks, pace: pace{budget: maxBudget}}
	}
	if m.mark = maphash.Bytes(m.seed, body); m.lines == nil {
		return false
	}
	for at := range uint64(2) {
		k := m.lines[m.mark%maxLines^at]
		if k != nil && k.text == string(body) && k.given == p.context {
			return p.restore(&k.reading)
		}
	}
	return false
}

// keepLine keeps what a text was read as, if it has been read before.
func (p *Parser) keepLine(body []byte) {
	m := p.memo
	if m.read++; m.read > len(m.seen)/2 && len(m.seen) < maxSeen { // few lines are worth little memory
		m.seen = make([]uint32, 4*len(m.seen))
	}
	if at := &m.seen[m.mark%uint64(len(m.seen))]; *at != uint32(m.mark>>32) {
		*at = uint32(m.mark >> 32)
		return
	}
	if m.lines == nil {
		m.lines = make([]*knownLine, maxLines)
	}
	at := m.mark % maxLines // each line has two places
	if m.lines[at] != nil && (m.lines[at^1] == nil || m.mark>>63 == 0) {
		at ^= 1
	}
	m.lines[at] = &knownLine{string(body), p.context, p.reading()}
}

// reading returns what was read.
func (p *Parser) reading() reading {
	r := reading{leaf: p.leaf, word: p.spaces[spaceWord].val, context: p.spaces[spaceContext].val}
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

// limb returns 64 bits of a space.
func (r *reading) limb(space, n int) *uint64 {
	switch space {
	case spaceWord:
		return &r.word[n]
	case spaceContext:
		return &r.context[n]
	}
	return &r.entries[space-spaceTable].val[n]
}

// cuts are the bytes between words.
var cuts = [256]bool{' ': true, ',': true, '(': true, ')': true}

// span is a word of a line; id is its number, -1 where it has none.
type span struct{ from, to, id int }

// wordTable numbers the words that lines had.
type wordTable struct {
	slots []uint32 // the numbers of words, from 1 on, by hash
	list  []word
}

type word struct {
	text string
	// names tells that instructions are named by it.
	names bool
}

// find returns the number of a word, -1 if it has none, and its slot.
func (t *wordTable) find(seed maphash.Seed, text []byte) (id, slot int) {
	if len(t.slots) == 0 {
		return -1, 0
	}
	slot = int(maphash.Bytes(seed, text)) & (len(t.slots) - 1)
	for t.slots[slot] != 0 {
		id = int(t.slots[slot]) - 1
		if t.list[id].text == string(text) {
			return id, slot
		}
		slot = (slot + 1) & (len(t.slots) - 1)
	}
	return -1, slot
}

// add gives a word a number.
func (t *wordTable) add(seed maphash.Seed, text []byte) {
	if 2*len(t.list) >= len(t.slots) {
		t.grow(seed)
	}
	if id, slot := t.find(seed, text); id < 0 {
		t.list = append(t.list, word{text: string(text)})
		t.slots[slot] = uint32(len(t.list))
	}
}

func (t *wordTable) grow(seed maphash.Seed) {
	t.slots = make([]uint32, max(minWords, 2*len(t.slots)))
	for i := range t.list {
		_, slot := t.find(seed, []byte(t.list[i].text))
		t.slots[slot] = uint32(i + 1)
	}
}

// cut divides a line into words, and says what it looks like: the bytes between words, the words by which
// instructions are named, and of the others whether punctuation stands at their ends, beside which blanks are
// free. known tells that all words have numbers.
func (m *memo) cut(src []byte) (known bool) {
	r := &m.rec
	r.words, r.looks, known = r.words[:0], r.looks[:0], true
	for pos := 0; pos < len(src); {
		if cuts[src[pos]] {
			r.looks = append(r.looks, src[pos])
			pos++
			continue
		}
		from := pos
		for pos < len(src) && !cuts[src[pos]] {
			pos++
		}
		id, _ := m.words.find(m.seed, src[from:pos])
		r.words = append(r.words, span{from, pos, id})
		known = known && id >= 0
		if id >= 0 && m.words.list[id].names {
			r.looks = append(r.looks, 'n', byte(id), byte(id>>8), byte(id>>16))
		} else {
			r.looks = append(r.looks, '0'|byte(truthBit(loose[src[from]]))|byte(truthBit(loose[src[pos-1]]))<<1)
		}
	}
	return known && len(r.words) <= maxInShape
}

// alike are lines that look alike.
type alike struct {
	shapes []*shape
	// hits are the lines that were known, learned those that were recorded; none is where that is no use.
	hits, learned int
	hopeless      bool
}

// worth reports whether another line should be recorded, which takes longer than reading it.
func (a *alike) worth() bool { return !a.hopeless && a.learned <= 2+a.hits }

// shape is what lines have in common that are read in the same way.
type shape struct {
	looks string
	given bits.Value
	trace uint64
	// base is the reading without what the words give.
	base   reading
	places []hole
}

// hole is a place of a shape with the words that were read there and the bits that they give: limbs says to
// what these belong, and vals has so many for each word.
type hole struct {
	words map[int]int // index in vals
	limbs []uint8
	vals  []uint64
}

// pace keeps the work on shapes in proportion to its use: a line that is looked at in vain costs a part of
// reading it, and one that is recorded a few times as much.
type pace struct {
	lines, looked, hits int // since the pace was set
	budget              int // what may be recorded, in parts of a line
	slow                bool
}

const (
	paceLines  = 1 << 11 // after which the pace is set anew
	slowLooks  = 8       // of so many lines one is looked at where few are known
	fewHits    = 32      // less than one line of so many
	recordCost = 32      // of a line that is recorded; each line that is read earns 1
	hitEarns   = 16
	maxBudget  = 64 * recordCost
)

// looks reports whether the next line is looked at.
func (c *pace) looks() bool {
	c.budget = min(c.budget+1, maxBudget)
	if c.lines++; c.lines >= paceLines {
		c.slow = c.hits*fewHits < c.looked
		c.lines, c.looked, c.hits = 0, 0, 0
	}
	if c.slow && c.lines%slowLooks != 0 {
		return false
	}
	c.looked++
	return true
}

func (c *pace) hit() {
	c.hits++
	c.budget += hitEarns
}

// records reports whether a line may be recorded.
func (c *pace) records() bool {
	if c.budget < recordCost {
		return false
	}
	c.budget -= recordCost
	return true
}

// recallShape reads a line of a known shape with known words; ok is false for any other. One that is worth it
// is recorded while it is read.
func (p *Parser) recallShape() (ok bool) {
	m := p.memo
	m.rec.words = m.rec.words[:0]
	if !m.pace.looks() || !m.cut(p.src) {
		return false
	}
	a := m.alike[maphash.Bytes(m.seed, m.rec.looks)]
	if a == nil {
		m.meet(m.rec.looks)
		return false
	}
	for _, s := range a.shapes {
		if s.given == p.context && s.looks == string(m.rec.looks) && p.recallWords(s) {
			a.hits++
			m.pace.hit()
			return true
		}
	}
	if a.worth() && m.pace.records() {
		p.startRecording()
	}
	return false
}

// recallWords reads the words of the line as those of a shape, if it knows all of them.
func (p *Parser) recallWords(s *shape) bool {
	r := &p.memo.rec
	r.found = r.found[:0]
	for i := range s.places {
		at, ok := s.places[i].words[r.words[i].id]
		if !ok {
			return false
		}
		r.found = append(r.found, at)
	}
	if !p.restore(&s.base) {
		return false
	}
	for i := range s.places {
		pl := &s.places[i]
		for j, limb := range pl.limbs {
			p.spaces[limb>>2].val[limb&3] |= pl.vals[r.found[i]+j]
		}
	}
	return true
}

// learn keeps the line that was read: as a whole, and its words, or its shape if it was recorded.
func (p *Parser) learn(body []byte) {
	m, r := p.memo, p.rec
	if !p.asked {
		p.keepLine(body)
	}
	if r != nil {
		p.learnShape(r)
		p.rec = nil
		return
	}
	if len(m.words.list) > maxWords {
		m.words, m.alike = wordTable{}, nil
	}
	for _, w := range m.rec.words {
		m.words.add(m.seed, p.src[w.from:w.to])
	}
}

// learnShape adds the words of the line that was recorded to its shape.
func (p *Parser) learnShape(r *recorder) {
	m := p.memo
	for i, w := range r.words {
		m.words.list[w.id].names = m.words.list[w.id].names || r.names[i]
	}
	m.cut(p.src)
	a := m.meet(r.looks)
	a.learned++
	if p.asked || r.whole {
		a.hopeless = true
		return
	}
	base := p.reading() // which consults too
	r.enter(p, -1, -1)
	r.mixPointer(p.leaf)
	gives := p.given(len(r.words))
	s := m.shapeOf(a, p)
	switch {
	case s == nil:
		s = p.newShape(a, base, gives)
	case !s.agrees(&base, gives):
		m.odd++
		return
	}
	for i := range s.places {
		s.places[i].learn(r.words[i].id, p, &gives[i])
	}
	m.size += len(r.words)
}

// meet returns the lines that look so.
func (m *memo) meet(looks []byte) *alike {
	if m.alike == nil || m.size > maxPlaces {
		m.alike, m.size = map[uint64]*alike{}, 0
	}
	key := maphash.Bytes(m.seed, looks)
	if m.alike[key] == nil {
		m.alike[key] = &alike{}
		m.size++
	}
	return m.alike[key]
}

// shapeOf returns the shape of the line that was recorded, nil where it has none yet.
func (m *memo) shapeOf(a *alike, p *Parser) *shape {
	for _, s := range a.shapes {
		if s.trace == m.rec.trace && s.given == p.context && s.looks == string(m.rec.looks) {
			return s
		}
	}
	return nil
}

// newShape adds the shape of the line that was recorded.
func (p *Parser) newShape(a *alike, base reading, gives [][maxSpaces]bits.Value) *shape {
	r := &p.memo.rec
	s := &shape{looks: string(r.looks), given: p.context, trace: r.trace, base: base, places: make([]hole, len(gives))}
	for w := range gives {
		s.places[w].words = map[int]int{}
		for i := range p.nspaces {
			for j, mask := range gives[w][i] {
				if mask != 0 {
					s.places[w].limbs = append(s.places[w].limbs, uint8(4*i+j))
					*s.base.limb(i, j) &^= mask
				}
			}
		}
	}
	if len(a.shapes) == maxAlike {
		a.shapes = a.shapes[1:]
	}
	a.shapes = append(a.shapes, s)
	return s
}

// learn adds a word, which gives the bits of masks.
func (pl *hole) learn(id int, p *Parser, masks *[maxSpaces]bits.Value) {
	pl.words[id] = len(pl.vals)
	for _, limb := range pl.limbs {
		pl.vals = append(pl.vals, p.spaces[limb>>2].val[limb&3]&masks[limb>>2][limb&3])
	}
}

// given returns which bits each word of the line that was recorded has given.
func (p *Parser) given(words int) [][maxSpaces]bits.Value {
	masks := make([][maxSpaces]bits.Value, words)
	for i, u := range p.trail {
		if w := p.memo.rec.from[i]; w >= 0 {
			m := &masks[w][u.space]
			*m = m.Or(bits.Of(ones(int(u.width)) &^ u.known).Shl(int(u.low)))
		}
	}
	return masks
}

// agrees reports whether a reading is the base of the shape but for what its words give.
func (s *shape) agrees(r *reading, gives [][maxSpaces]bits.Value) bool {
	if r.leaf != s.base.leaf || len(r.entries) != len(s.base.entries) {
		return false
	}
	for i := range spaceTable + len(r.entries) {
		if i >= spaceTable && r.entries[i-spaceTable].care != s.base.entries[i-spaceTable].care {
			return false
		}
		for j := range bits.Size / 64 {
			rest := *r.limb(i, j)
			for w := range gives {
				rest &^= gives[w][i][j]
				if slices.Contains(s.places[w].limbs, uint8(4*i+j)) != (gives[w][i][j] != 0) {
					return false
				}
			}
			if rest != *s.base.limb(i, j) {
				return false
			}
		}
	}
	return true
}
