package asm

import (
	"hash/maphash"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Programs repeat lines, so the parser caches them by their texts. A line is not cached if it depends on a hook of the
// caller other than Symbol and Later. The cache does not change any result.

// cache maps lines to their readings, for each value of the contexts. It is bounded by the limits below.
type cache struct {
	seed maphash.Seed
	by   map[bits.Value]*lineTable
	// lines is the table of the current contexts, or nil after the contexts have changed.
	lines *lineTable
	// hooks records which hooks the parser had when it parsed the lines. With other hooks, a line may have another
	// reading.
	hooks hooks
}

// hooks records which hooks a parser has.
type hooks struct{ symbol, custom, constant bool }

// lineTable maps the texts of lines to readings.
type lineTable struct {
	hashTable[reading]
	known, read int // the numbers of readings that find returned and that were passed to keep
	// seenOnce holds the hashes of lines that were parsed while the hit rate was low.
	seenOnce marks
	readings arena[reading]
	extras   arena[readingExtra]
	texts    arena[byte]
	plans    arena[planned]
	asks     arena[ask]
}

// marks is an approximate set of hashes with a limited capacity. used is the number of occupied slots.
type marks struct {
	list []uint32
	used int
	turn uint32 // state of a random number generator that chooses the mark to replace
}

// Limits of the cache.
const (
	maxContexts = 32
	maxLines    = 1 << 16
	manyRead    = 1 << 12 // the hit rate is ignored until this many lines have been parsed
	minMarks    = 1 << 10
	manyMarks   = 1 << 16
)

// reading is a parsed line, without the indices of its table entries.
type reading struct {
	text          []byte // the line
	leaf          *isa.Leaf
	word, context bits.Value
	named         bool
	*readingExtra
}

// readingExtra holds the rarely used parts of a reading.
type readingExtra struct {
	plan []planned
	asks []ask
}

// noExtra is the readingExtra of most lines.
var noExtra readingExtra

// ask is a label that a line has looked up, with the answer.
type ask struct {
	name     string
	relative bool
	answer
}

// answer is the result of the lookup of a label. addr is the address of the label in bits, relative to the instruction
// if the ask is relative.
type answer struct {
	addr int64
	// known reports whether the name is a label. open reports whether the address of the label is not known yet.
	known, open bool
}

// maxAsks limits the number of labels of a cached line.
const maxAsks = 8

// enter selects the table for a value of the contexts. It empties the cache if the hooks have changed or there are too
// many tables.
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

// leave deselects the current table. It is called when the contexts change.
func (c *cache) leave() { c.lines = nil }

// find returns the cached reading of a line. It returns nil if no reading of the line with the current addresses of its
// labels is cached. The caller passes hash to keep.
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

// answers reports whether the labels of a reading still have the same answers, and returns a hash of the current
// answers.
func (r *reading) answers(labels func(name string, relative bool) answer) (hash uint64, same bool) {
	same = true
	for i := range r.asks {
		a := labels(r.asks[i].name, r.asks[i].relative)
		same = same && a == r.asks[i].answer
		hash = mix(hash, uint64(a.addr)<<2|truthBit(a.known)<<1|truthBit(a.open))
	}
	return hash, same
}

// find returns the reading of a line with the given hash, or nil if there is none.
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

// keep caches a copy of a reading, with the hash that find returned.
func (c *cache) keep(hash uint64, x reading, plan []planned, asks []ask) {
	t := c.lines
	if !t.shouldCache(hash) {
		return
	}
	x.text, x.readingExtra = t.texts.keep(x.text), &noExtra
	if len(plan)+len(asks) > 0 {
		x.readingExtra = &t.extras.keep([]readingExtra{{t.plans.keep(plan), t.asks.keep(asks)}})[0]
	}
	t.add(hash, &t.readings.keep([]reading{x})[0], maxLines)
}

// shouldCache reports whether to cache a line that was not found. If the hit rate is low, it returns true only for a
// line that has been seen before.
func (t *lineTable) shouldCache(hash uint64) bool {
	t.read++
	return t.read < manyRead || t.known > t.read || t.seenOnce.seen(hash)
}

// seen adds a hash to the set, and reports whether it was in the set before. Because the set is approximate, either
// result may be wrong.
func (m *marks) seen(hash uint64) bool {
	if m.used >= len(m.list)/2 && len(m.list) < manyMarks { // grows with the number of lines
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

// place returns the slots that a mark can occupy.
func (m *marks) place(mark uint32) []uint32 {
	const together = 4 // 1<<2, because two bits of turn select a slot
	return m.list[mix(uint64(mark), 0)&uint64(len(m.list)-together):][:together]
}

// add adds a mark, and reports whether it was in the set before. If all slots that the mark can occupy are in use, add
// replaces a random one. Otherwise two marks that alternate could always evict each other.
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
