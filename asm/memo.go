package asm

import (
	"hash/maphash"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Programs repeat their lines, which are kept by their texts. What depended on the caller's hooks is not. Turning the memo
// off changes nothing but time.

// memo is what a parser remembers. It grows up to limits.
type memo struct {
	seed  maphash.Seed
	hooks [3]bool
	// by has what belongs to given contexts; memory is that of the present ones, nil where they have changed.
	by map[bits.Value]*memory
	*memory
}

// memory is what is remembered for given contexts: lines in the words of the machine, and lines as they stand in sources.
type memory struct {
	lines, sources lineTable
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
		m.memory = &memory{lines: lineTable{many: manyRead}, sources: lineTable{many: manySources}}
		m.by[p.context] = m.memory
	}
}

// reading is what a line was read as, before the places of its entries.
type reading struct {
	text          []byte // of the line
	names         uint64 // of a line of a source
	leaf          *isa.Leaf
	word, context bits.Value
	named         bool
	checked       bool // by the caller
	*readingMore
}

// readingMore is what most lines have nothing of.
type readingMore struct {
	note Note // of a line of a source
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

// remembers reports whether the memo counts for the present line.
func (p *Parser) remembers() bool { return p.memo != nil && !p.careful && !p.pinning }

// hash is that of a text of the machine, or of a source with names.
func (p *Parser) hash(text []byte, names uint64) uint64 {
	return mix(maphash.Bytes(p.memo.seed, text), names)
}

// recall makes what a line of a table was read as before that of the present line; ok is false where it is not known.
func (p *Parser) recall(t *lineTable, text []byte, names uint64) (ok bool) {
	r := t.find(p.hash(text, names), text, names)
	if r == nil {
		return false
	}
	if hash, same := p.answers(r); !same {
		if r = t.find(mix(t.line, hash), text, names); r == nil {
			return false
		}
		if _, same = p.answers(r); !same {
			return false
		}
	}
	t.known++
	p.restore(r)
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
func (t *lineTable) find(hash uint64, text []byte, names uint64) *reading {
	t.line = hash
	for i := range t.probes() {
		s := t.slot(hash, i)
		if s.value == nil {
			break
		}
		if r := s.value; s.hash == hash && r.names == names && string(r.text) == string(text) {
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
	w, c := &p.spaces[spaceWord], &p.spaces[spaceContext]
	x := reading{t.texts.keep(text), names, p.leaf, w.val, c.val, p.named, false, &noMore}
	if note != (Note{}) || len(p.plan)+len(p.asks) > 0 {
		x.readingMore = &t.mores.keep([]readingMore{{note: note, plan: t.plans.keep(p.plan), asks: t.asks.keep(p.asks)}})[0]
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

// restore makes a reading that of the present line.
func (p *Parser) restore(r *reading) {
	p.leaf, p.named, p.noncanonical = r.leaf, r.named, false
	p.spaces[spaceWord].val, p.spaces[spaceContext].val, p.nspaces = r.word, r.context, spaceTable
	p.plan, p.note, p.asks = r.plan, r.note, append(p.asks[:0], r.asks...)
}
