package asm

import (
	"hash/maphash"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Programs repeat their lines, which are kept by their texts. What depended on the caller's hooks is not. Without a cache
// nothing is different but the time that is taken.

// cache has what lines were read as, for each of the contexts in which lines were read. It grows up to limits.
type cache struct {
	seed maphash.Seed
	by   map[bits.Value]*lineTable
	// lines are those of the present contexts, nil where they have changed.
	lines *lineTable
	// hooks are those with which the lines were read: with other ones a line may be something else.
	hooks hooks
}

// hooks tells which hooks a parser has.
type hooks struct{ symbol, custom, constant bool }

// lineTable has lines by their texts.
type lineTable struct {
	hashTable[reading]
	known, read int // lines that were and that were not
	// once is what was met once, where lines that come again are few.
	once     marks
	readings arena[reading]
	mores    arena[readingMore]
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

// Limits of a cache.
const (
	maxContexts = 32
	maxLines    = 1 << 16
	manyRead    = 1 << 12 // lines, after which it is seen whether they come again
	minMarks    = 1 << 10
	manyMarks   = 1 << 16
)

// reading is what a line was read as, before the places of its entries.
type reading struct {
	text          []byte // of the line
	leaf          *isa.Leaf
	word, context bits.Value
	named         bool
	*readingMore
}

// readingMore is what most lines have nothing of.
type readingMore struct {
	plan []planned
	asks []ask
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

// enter makes the lines those of contexts and hooks.
func (c *cache) enter(context bits.Value, h hooks) {
	if c.by == nil || c.hooks != h || len(c.by) > maxContexts {
		*c = cache{seed: maphash.MakeSeed(), by: map[bits.Value]*lineTable{}, hooks: h}
	}
	if c.lines != nil {
		return
	}
	if c.lines = c.by[context]; c.lines == nil {
		c.lines = &lineTable{}
		c.by[context] = c.lines
	}
}

// leave forgets which contexts are the present ones.
func (c *cache) leave() { c.lines = nil }

// find returns what a line was read as while its labels were what they are now, nil where that is not known; hash is the
// place for keep. labels says what a label is.
func (c *cache) find(text []byte, labels func(name string, relative bool) answer) (r *reading, hash uint64) {
	t := c.lines
	hash = maphash.Bytes(c.seed, text)
	if r = t.find(hash, text); r == nil {
		return nil, hash
	}
	if others, same := r.answers(labels); !same {
		hash = mix(hash, others)
		if r = t.find(hash, text); r == nil {
			return nil, hash
		}
		if _, same = r.answers(labels); !same {
			return nil, hash
		}
	}
	t.known++
	return r, hash
}

// answers reports whether the names of a reading mean what they did, and returns a hash of what they mean.
func (r *reading) answers(labels func(name string, relative bool) answer) (hash uint64, same bool) {
	same = true
	for i := range r.asks {
		a := labels(r.asks[i].name, r.asks[i].relative)
		same = same && a == r.asks[i].answer
		hash = mix(hash, uint64(a.addr)<<2|truthBit(a.known)<<1|truthBit(a.open))
	}
	return hash, same
}

// find returns the reading of a line with a hash, nil where there is none.
func (t *lineTable) find(hash uint64, text []byte) *reading {
	for i := range t.probes() {
		s := t.slot(hash, i)
		if s.value == nil {
			break
		}
		if r := s.value; s.hash == hash && string(r.text) == string(text) {
			return r
		}
	}
	return nil
}

// keep remembers what a line was read as, at the place that find has told. It copies all of it.
func (c *cache) keep(hash uint64, x reading, plan []planned, asks []ask) {
	t := c.lines
	if !t.shouldCache(hash) {
		return
	}
	x.text, x.readingMore = t.texts.keep(x.text), &noMore
	if len(plan)+len(asks) > 0 {
		x.readingMore = &t.mores.keep([]readingMore{{t.plans.keep(plan), t.asks.keep(asks)}})[0]
	}
	t.add(hash, &t.readings.keep([]reading{x})[0], maxLines)
}

// shouldCache reports whether a line with a hash, which is not known, is to be remembered: at once, or where few come again,
// when it does.
func (t *lineTable) shouldCache(hash uint64) bool {
	t.read++
	return t.read < manyRead || t.known > t.read || t.once.met(hash)
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
