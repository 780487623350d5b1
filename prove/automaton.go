package prove

import (
	mathbits "math/bits"
	"slices"
)

// state is a state of an automaton that reads assembly text. A state either chooses between next
// states, or reads one byte of a set and continues with a single next state. Each path through the
// automaton is one way to parse a text, so two paths with the same text are an ambiguity.
type state struct {
	// next holds the alternatives of a choice, or the single next state after a byte.
	next []int32
	set  *byteSet // nil for a choice
	// mark, if set, is the step of the parse that begins or ends at this state.
	mark mark
}

type byteSet [4]uint64

func (s *byteSet) add(b byte) { s[b>>6] |= 1 << (b & 63) }
func (s *byteSet) both(t *byteSet) (first byte, ok bool) {
	for i := range s {
		if b := s[i] & t[i]; b != 0 {
			return byte(64*i + mathbits.TrailingZeros64(b)), true
		}
	}
	return 0, false
}

// mark is the beginning or the end of a step of a parse.
type mark struct {
	kind markKind
	step *textStep
}

type markKind uint8

const (
	markNone markKind = iota
	markBegin
	markEnd
)

// automaton is built backwards: each piece of a text is added after the piece that follows it in the
// text.
type automaton struct {
	states []state
	digits map[byte]*byteSet
	// full reports whether the limit on states was reached. The automaton then lacks some texts.
	full   bool
	budget *budget
}

const (
	maxStates = 400_000
	accept    = int32(0)
)

func newAutomaton() *automaton {
	return &automaton{states: []state{{}}, digits: map[byte]*byteSet{}}
}

func (a *automaton) add(s state) int32 {
	a.budget.spend(stateCost)
	if len(a.states) >= maxStates {
		a.full = true
		return accept
	}
	a.states = append(a.states, s)
	return int32(len(a.states) - 1)
}

// oneOf adds a state that reads one byte of a set.
func (a *automaton) oneOf(set *byteSet, then int32) int32 {
	return a.add(state{next: []int32{then}, set: set})
}

func (a *automaton) char(b byte, then int32) int32 {
	if a.digits[b] == nil {
		a.digits[b] = &byteSet{}
		a.digits[b].add(b)
	}
	return a.oneOf(a.digits[b], then)
}

func (a *automaton) text(s string, then int32) int32 {
	for i := len(s) - 1; i >= 0; i-- {
		then = a.char(s[i], then)
	}
	return then
}

func (a *automaton) choice(next ...int32) int32 {
	if len(next) == 1 {
		return next[0]
	}
	return a.add(state{next: next})
}

func (a *automaton) marked(k markKind, s *textStep, then int32) int32 {
	return a.add(state{next: []int32{then}, mark: mark{k, s}})
}

func setOf(s string) *byteSet {
	var b byteSet
	for i := range len(s) {
		b.add(s[i])
	}
	return &b
}

var (
	decimal  = setOf("0123456789")
	positive = setOf("123456789")
	hexDigit = setOf("0123456789abcdef")
	hexFirst = setOf("123456789abcdef")
	blank    = setOf(" ")
)

// number adds states that read a number without leading zeros. The number has at most the given number
// of digits.
func (a *automaton) number(first, others *byteSet, digits int, then int32) int32 {
	tail := then
	for range digits - 1 {
		tail = a.choice(a.oneOf(others, tail), then)
	}
	return a.oneOf(first, tail)
}

// trie adds states that read one of several sorted texts, each on its own path.
func (a *automaton) trie(texts []string, then int32) int32 { return a.trieFrom(texts, 0, then) }

// trieFrom is like trie for texts whose first at bytes are equal. The new states read the bytes after
// these.
func (a *automaton) trieFrom(texts []string, at int, then int32) int32 {
	var next []int32
	for i := 0; i < len(texts) && !a.full; {
		from := i
		if len(texts[i]) == at {
			next = append(next, then)
			for i < len(texts) && len(texts[i]) == at {
				i++
			}
			continue
		}
		b := texts[i][at]
		for i < len(texts) && texts[i][at] == b {
			i++
		}
		next = append(next, a.char(b, a.trieFrom(texts[from:i], at+1, then)))
	}
	if len(next) == 0 {
		return a.add(state{})
	}
	return a.choice(next...)
}

// pair holds the current states of two different paths that have read the same bytes.
type pair struct{ p, q int32 }

// trail records how a pair was reached: from another pair, given by its number, or from the state at
// which the paths split.
type trail struct {
	from, stem int32 // -1 if not used
	b          byte
	read       bool
}

// pairSet is a hash table of pairs, numbered in the order of their discovery. It may hold millions of
// pairs.
type pairSet struct {
	pairs  []pair
	trails []trail
	slots  []int32 // pair number + 1, or 0 if free
}

// add adds a pair if it is new.
func (s *pairSet) add(p pair, t trail) {
	if 2*len(s.pairs) >= len(s.slots) {
		s.grow()
	}
	if slot := s.slot(p); s.slots[slot] == 0 {
		s.pairs, s.trails = append(s.pairs, p), append(s.trails, t)
		s.slots[slot] = int32(len(s.pairs))
	}
}

// slot returns the slot of a pair, or the free slot for it.
func (s *pairSet) slot(p pair) int {
	mask := len(s.slots) - 1
	h := (uint64(uint32(p.p))<<32 | uint64(uint32(p.q))) * 0x9e3779b97f4a7c15
	for i := int(h>>32) & mask; ; i = (i + 1) & mask {
		if n := s.slots[i]; n == 0 || s.pairs[n-1] == p {
			return i
		}
	}
}

func (s *pairSet) grow() {
	s.slots = make([]int32, max(1<<10, 2*len(s.slots)))
	for i, p := range s.pairs {
		s.slots[s.slot(p)] = int32(i + 1)
	}
}

// merge is a point at which two paths meet again. Every text that continues from this point has two
// parses.
type merge struct {
	at pair
	by trail
}

// ambiguity is a search for texts that two paths read.
type ambiguity struct {
	a      *automaton
	firsts []first
	seen   pairSet
	// stems records how each state was reached before the paths split.
	stems map[int32]stem
	// onMerge is called for each merge.
	onMerge func(merge)
	full    bool
}

type stem struct {
	from int32
	b    byte
	read bool
}

// maxPairs limits the number of pairs in a search.
const maxPairs = 3_000_000

// search explores all pairs of paths that start at a state. It calls met for each merge.
func (a *automaton) search(start int32, met func(*ambiguity, merge)) *ambiguity {
	x := &ambiguity{a: a, firsts: a.firsts(), stems: map[int32]stem{start: {from: -1}}}
	x.onMerge = func(m merge) { met(x, m) }
	order := []int32{start}
	for i := 0; i < len(order); i++ {
		s := order[i]
		st := &a.states[s]
		for k, n := range st.next {
			if _, ok := x.stems[n]; !ok {
				from := stem{from: s}
				if st.set != nil {
					from.read, from.b = true, lowest(st.set)
				}
				x.stems[n] = from
				order = append(order, n)
			}
			for _, o := range st.next[:k] {
				x.part(pair{o, n}, trail{from: -1, stem: s})
			}
		}
	}
	for i := 0; i < len(x.seen.pairs) && !x.full; i++ {
		x.expand(int32(i))
	}
	return x
}

func lowest(s *byteSet) byte {
	b, _ := s.both(s)
	return b
}

// first describes how a text can continue at a state. set holds the possible next bytes, and end
// reports whether the text can end.
type first struct {
	set byteSet
	end bool
}

func (f *first) add(g *first) {
	for i := range f.set {
		f.set[i] |= g.set[i]
	}
	f.end = f.end || g.end
}

// firsts computes how a text can continue at each state. A state leads only to older states, except
// for the loop of padding, whose newer state reads a blank.
func (a *automaton) firsts() []first {
	list := make([]first, len(a.states))
	list[accept].end = true
	for i := range a.states {
		s := &a.states[i]
		if s.set != nil {
			list[i].set = *s.set
			continue
		}
		for _, n := range s.next {
			if int(n) > i {
				list[i].set.add(' ')
			} else {
				list[i].add(&list[n])
			}
		}
	}
	return list
}

func (x *ambiguity) part(p pair, t trail) {
	if p.p == p.q {
		x.onMerge(merge{p, t})
		return
	}
	f, g := &x.firsts[p.p], &x.firsts[p.q]
	if _, ok := f.set.both(&g.set); !ok && !(f.end && g.end) {
		return
	}
	x.a.budget.spend(stateCost)
	if x.full = x.full || len(x.seen.pairs) >= maxPairs; !x.full {
		x.seen.add(p, t)
	}
}

func (x *ambiguity) expand(i int32) {
	p := x.seen.pairs[i]
	from := trail{from: i, stem: -1}
	s, t := &x.a.states[p.p], &x.a.states[p.q]
	switch {
	case s.set == nil && p.p != accept:
		for _, n := range s.next {
			x.part(pair{n, p.q}, from)
		}
	case t.set == nil && p.q != accept:
		for _, n := range t.next {
			x.part(pair{p.p, n}, from)
		}
	case s.set != nil && t.set != nil:
		if b, ok := s.set.both(t.set); ok {
			from.b, from.read = b, true
			x.part(pair{s.next[0], t.next[0]}, from)
		}
	}
}

// event is a state on a path and the number of bytes read before it.
type event struct {
	state int32
	at    int
}

// follow appends an event, unless the path stayed in its state.
func follow(path []event, e event) []event {
	if n := len(path); n > 0 && path[n-1].state == e.state {
		return path
	}
	return append(path, e)
}

// paths returns a text through a merge, and the two paths that read it.
func (x *ambiguity) paths(m merge) (text string, p, q []event) {
	var back []pair
	var steps []trail
	at, t := m.at, m.by
	for {
		back, steps = append(back, at), append(steps, t)
		if t.stem >= 0 {
			break
		}
		at, t = x.seen.pairs[t.from], x.seen.trails[t.from]
	}
	var buf []byte
	for s := t.stem; s >= 0; s = x.stems[s].from {
		p = append(p, event{state: s})
	}
	slices.Reverse(p)
	for i := range p {
		if st := x.stems[p[i].state]; st.read {
			buf = append(buf, st.b)
		}
		p[i].at = len(buf)
	}
	q = append(q, p...)
	for i := len(back) - 1; i >= 0; i-- {
		if steps[i].read {
			buf = append(buf, steps[i].b)
		}
		p = follow(p, event{back[i].p, len(buf)})
		q = follow(q, event{back[i].q, len(buf)})
	}
	for s := m.at.p; s != accept; {
		st := &x.a.states[s]
		if len(st.next) == 0 {
			break
		}
		if st.set != nil {
			buf = append(buf, lowest(st.set))
		}
		s = st.next[len(st.next)-1]
		p, q = append(p, event{s, len(buf)}), append(q, event{s, len(buf)})
	}
	return string(buf), p, q
}
