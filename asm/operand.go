package asm

import (
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/spec"
)

// Programs have few operands, which they repeat. What a nested value, or a set of options, can be at a place is found
// once for the text there: all the ways to read it, each with the bits that it gives and the conditions that it leaves to be met. It is
// read by a parser of its own, as if nothing were known of the values around it, so that the result depends on the
// text alone.

// operand is what a text can be as a nested value: all ways to read it, in the order in which they are tried.
type operand struct {
	kind operandKind
	// depth is how many values are nested in it.
	depth uint8
	// inPlace tells that it has to be read where it stands.
	inPlace bool
	text    []byte // that decides
	// facts must hold of the numbers for which holes stand in the text.
	facts []fact
	cuts  cuts
	ways  []way
	// behind has what stands behind the ways but the first.
	behind byteSet
	only   [1]way // room for the ways: as a rule there is one
}

// way is one way to read a nested value: the size of its text, and what that gives. Scopes and spaces are those of
// the parser that has read it alone.
type way struct {
	size    int
	loosely bool
	off     float64
	// val are bits of the value itself, in the low 64, where known is set; more is nil where there is nothing else.
	val, known uint64
	// hole has those of them that a hole gives, of which the numbers count from the start of the text.
	hole holeBits
	more *wayMore
}

// wayMore is what a way gives beside those bits.
type wayMore struct {
	// outside is how many scopes around the value are the first of the parser that has read it alone; so are the spaces
	// behind the word and the contexts. opened are the spaces behind those, and scopes the scopes behind the value's.
	outside int
	gives   []given
	holes   []holeBits // beside those of the way
	opened  []home
	scopes  []scope
	cons    []constraint
	units   []leafScope
}

// given are up to 64 bits of a space from low on.
type given struct {
	space      uint8
	low        int16
	val, known uint64
}

// home is what a space belongs to: the index of a table entry and where that stands, nothing for a computed value.
type home struct {
	field *spec.Field
	scope scope
}

// Limits. What needs more is read in place.
const (
	maxWays       = 16
	maxInnerSteps = 1 << 12
	maxOutside    = 5 // scopes around a value that its names reach
)

// operand returns what the text at the present place can be as a nested value that stands so deep in others; nil where
// that has to be read in place.
func (p *Parser) operand(g *grammar, depth int) *operand {
	if p.memo == nil || p.failure != nil || p.careful {
		return nil
	}
	m, kind, text := &p.memo.operands, p.kindOf(g), p.whole[p.pos:]
	use := m.use(kind)
	_, selects := p.selectorAt()
	if use.hopeless() && !selects {
		return nil
	}
	hash := kind.hash(text, use.reach)
	o := p.findOperand(m, kind, hash, text)
	switch {
	case o != nil:
		use.known++
	case !selects && !p.memo.met(hash) || p.inItself(g):
		return nil
	default:
		if o = p.newOperand(g, kind, depth); o == nil {
			return nil
		}
	}
	p.seen = max(p.seen, p.pos+len(o.text))
	if len(o.facts) > 0 {
		p.relyOnFacts(o.facts)
	}
	if depth += int(o.depth); o.inPlace || depth >= maxNested {
		return nil
	}
	p.deepest = max(p.deepest, depth)
	return o
}

// newOperand finds what the text at the present place can be as a nested value, and remembers it; nil where the line is to be
// read again.
func (p *Parser) newOperand(g *grammar, kind operandKind, depth int) (o *operand) {
	m := &p.memo.operands
	if at, selects := p.selectorAt(); selects {
		o = p.selected(g, kind, depth, at)
	} else {
		o = p.readAlone(g, depth)
		m.use(kind).alone++
		p.noteSelector(o)
	}
	if p.shaped && p.holes.again {
		return nil
	}
	o.kind = kind
	text, use := p.whole[p.pos:], m.use(kind)
	for use.reach < toBlank && use.reach.wordEnd(text)+1 < o.longest() {
		use.reach++
	}
	m.add(kind.hash(text, use.reach), o, maxOperands)
	return o
}

// longest returns the size of the longest way.
func (o *operand) longest() (size int) {
	for i := range o.ways {
		size = max(size, o.ways[i].size)
	}
	return size
}

// behind tells what the place is behind, as far as the reading of blanks depends on it.
func (p *Parser) behind() uint8 {
	switch {
	case p.pos == 0:
		return 0
	case p.src[p.pos-1] == ' ':
		return 1
	case p.isLoose(p.pos - 1):
		return 2
	}
	return 3
}

// see notes that the byte at a place decided something, where a value is read alone.
func (p *Parser) see(pos int) {
	if pos+1 >= p.seen {
		p.seeBlank(pos)
	}
}

// seeBlank is see for a byte that may be a blank, which the byte behind it may make free.
func (p *Parser) seeBlank(pos int) {
	if pos = min(pos, len(p.src)); pos < len(p.src) && p.src[pos] == ' ' {
		pos++
	}
	p.seen = max(p.seen, pos+1)
}

// inItself reports whether a value is being read alone: it is nested in itself.
func (p *Parser) inItself(g *grammar) bool {
	for ; p.helps != nil; p = p.helps {
		if p.top == g {
			return true
		}
	}
	return false
}

// readAlone finds all ways to read what stands at the present place, so deep in other values.
func (p *Parser) readAlone(g *grammar, depth int) *operand {
	outside := 0
	for up := g.env.Up; up != nil; up = up.Env.Up {
		outside++
	}
	if outside > maxOutside {
		return &operand{text: slices.Clone(p.whole[p.pos : p.pos+1]), inPlace: true}
	}
	q := p.reader(p.ready(g), depth, outside)
	m := &p.memo.operands.wayParts
	around := p.holes.alone(p.pos)
	o := &m.operands.keep([]operand{{}})[0]
	p.found = p.found[:0]
	for ok := q.search(); ok && len(p.found) <= maxWays; ok = q.resume(false) {
		if q.openConditions() {
			p.found = append(p.found, q.way(m, p.pos, outside))
		}
	}
	o.ways = append(o.only[:0], p.found...)
	p.steps, p.work = p.steps+q.steps, p.work+q.work
	p.asked = p.asked || q.asked
	o.text, o.depth = m.texts.keep(p.whole[p.pos:q.seen]), uint8(q.deepest-depth)
	first := uint(p.holes.from(p.pos))
	o.facts, o.cuts = m.facts.keep(p.holes.factsOf(p.pos, len(o.text))), cuts{p.holes.cuts.all >> first, p.holes.cuts.first >> first}
	p.holes.back(p.pos, around)
	o.inPlace = q.asked || len(q.asks) > 0 || q.steps > maxInnerSteps || len(o.ways) > maxWays || q.deepest == maxNested
	for i := 1; i < len(o.ways); i++ {
		o.behind.addAt(o.text, o.ways[i].size)
	}
	return o
}

// reader returns the parser that reads a value alone, at the start.
func (p *Parser) reader(g *grammar, depth, outside int) *Parser {
	if p.helper == nil {
		p.helper = &Parser{language: p.language, Tables: p.Tables, helping: helping{helps: p}}
	}
	q := p.helper
	q.Symbol, q.Later, q.Custom, q.Constant, q.memo = p.Symbol, p.Later, p.Custom, p.Constant, p.memo
	q.src, q.raw, q.whole, q.leniently, q.holes, q.shaped = p.src, p.raw, p.whole, p.leniently, p.holes, p.shaped
	q.root, q.env, q.top, q.context = g.env.Root, g.env, g, p.context
	q.unspent()
	q.asked, q.asks, q.seen, q.limit = false, q.asks[:0], p.pos, maxInnerSteps
	q.reset(g.env.Root.Size)
	q.pos, q.node, q.deepest = p.pos, g.start, depth
	q.frames[0].set, q.frames[0].from, q.frames[0].depth = g.set, p.pos, q.deepest
	for i := range outside {
		q.scopes[i].up = int32(i + 1)
		q.scopes = append(q.scopes, scope{up: -1, space: uint8(spaceTable + i), size: bits.Size})
		q.spaces[spaceTable+i] = space{}
	}
	q.nspaces, q.given = q.nspaces+outside, q.spaces[spaceContext].known
	return q
}

// openConditions lists the conditions that depend on what stands around the value; ok is false where one cannot hold.
func (p *Parser) openConditions() (ok bool) {
	for mark := -1; mark != len(p.trail); { // what one has derived may settle others
		mark, p.unmet = len(p.trail), p.unmet[:0]
		for i := range p.cons {
			c := &p.cons[i]
			if c.soft && p.leniently { // which may be dropped at the end, and then nothing follows from it
				p.unmet = append(p.unmet, *c)
				continue
			}
			switch p.settle(c) {
			case broken:
				return false
			case open:
				p.unmet = append(p.unmet, *c)
			}
		}
	}
	return true
}

// way returns the way in which the parser has read a value that starts at a place.
func (p *Parser) way(m *wayParts, from, outside int) way {
	own := &p.spaces[spaceWord]
	w := way{size: p.pos - from, loosely: p.noncanonical, off: p.off, val: own.val[0], known: own.known[0]}
	var holes []holeBits
	if p.shaped {
		w.val, w.known = w.val&^own.holes[0], w.known&^own.holes[0]
		w.hole, holes = p.holesOf(from)
	}
	gives := p.givesBeside()
	if len(gives)+len(p.unmet)+len(p.leafScopes)+len(holes) == 0 && p.nspaces == spaceTable+outside {
		return w
	}
	var opened [maxSpaces]home
	for i, s := range p.spaces[spaceTable+outside : p.nspaces] {
		opened[i] = home{s.field, s.home}
	}
	w.more = &m.more.keep([]wayMore{{
		outside: outside, gives: m.gives.keep(gives), holes: m.holes.keep(holes), opened: m.opened.keep(opened[:p.nspaces-spaceTable-outside]),
		scopes: m.scopes.keep(p.scopes[1+outside:]), cons: m.cons.keep(p.unmet), units: m.units.keep(p.leafScopes),
	}})[0]
	return w
}

// givesBeside lists the bits that are given beside the low 64 of the value.
func (p *Parser) givesBeside() []given {
	p.gives = p.gives[:0]
	for i := range p.nspaces {
		s := &p.spaces[i]
		for k, known := range s.known {
			if known &^= s.holes[k]; i == spaceContext {
				known &^= p.given[k]
			}
			if known != 0 && i+k > 0 {
				p.gives = append(p.gives, given{uint8(i), int16(64 * k), s.val[k], known})
			}
		}
	}
	return p.gives
}

// matchKnown reads a nested value as one of the ways that are known, from the one numbered state on.
func (p *Parser) matchKnown(e *edge, o *operand, state int) bool {
	it, next := &e.item, e.next
	i := p.wayFrom(e, o, state)
	if i+1 < len(o.ways) && p.firstSets(next).node.meets(&o.behind) {
		if other := p.wayFrom(e, o, i+1); other < len(o.ways) {
			p.save(e, nth(other))
		}
	}
	if o.cuts.all != 0 && state == 0 {
		p.saveCuts(e, o)
	}
	if i == len(o.ways) {
		return false
	}
	w := &o.ways[i]
	if !p.spelled(!w.loosely) || !p.take(it, w) {
		return false
	}
	p.pos, p.node, p.off = p.pos+w.size, next, p.off+w.off
	return true
}

// wayFrom returns the first way from a number on that is not refused, has as much text as the item must have and can be
// followed by what comes next; of the last one that is seen when the search goes on.
func (p *Parser) wayFrom(e *edge, o *operand, i int) int {
	it, next := &e.item, e.next
	for ; i < len(o.ways); i++ {
		size := o.ways[i].size
		if p.strict && o.ways[i].loosely {
			continue
		}
		if (it.extent == anyExtent || (it.extent == someText) == (size > 0)) && (i+1 == len(o.ways) || p.goesOn(&p.firstSets(next).node, p.pos+size)) {
			break
		}
	}
	return i
}

// take gives what a way to read a nested value gives.
func (p *Parser) take(it *item, w *way) bool {
	own, ok := p.frames[p.frame].scope, true
	if it.kind != itemSet {
		own, ok = p.open(it)
	}
	if !ok {
		return false
	}
	if w.more == nil {
		s := &p.scopes[own]
		return p.give(s, 0, w.val, w.known) && (w.hole.set == 0 || p.giveHole(s, &w.hole))
	}
	m := placing{p: p, way: w.more}
	return m.place(own, w)
}

// give sets up to 64 bits of a scope from one on.
func (p *Parser) give(s *scope, low int, val, known uint64) bool {
	if s.parts == nil {
		return p.setSome(s.space, s.low+low, 64, val, known, p.pos)
	}
	return p.setPieces(s, []spec.Part{{Low: low, Width: mathbits.Len64(known)}}, bits.Of(val), bits.Of(known), p.pos)
}

// placing puts what a value gave when it was read alone where it stands.
type placing struct {
	p   *Parser
	way *wayMore
	// bases say of each space of the way where its bits are; around are the scopes of the value and around it, and
	// new is the first of those that are added.
	bases  [maxSpaces]scope
	around [1 + maxOutside]int32
	new    int32
}

// place puts all of the way at a scope; ok is false where something contradicts it.
func (m *placing) place(own int32, bits *way) (ok bool) {
	p, w := m.p, m.way
	m.around[0], m.bases[spaceWord] = own, p.scopes[own]
	m.bases[spaceContext] = scope{space: spaceContext}
	for i := range w.outside {
		up := p.scopes[m.around[i]].up
		if up < 0 { // places that hand in the same share what is read, and this one is less deep: no name reaches further
			break
		}
		m.around[1+i], m.bases[spaceTable+i] = up, p.scopes[up]
	}
	for i := range w.opened {
		if !m.open(&w.opened[i], spaceTable+w.outside+i) {
			return false
		}
	}
	m.new = int32(len(p.scopes))
	for i := range w.scopes {
		p.scopes = append(p.scopes, m.moved(&w.scopes[i]))
	}
	if !p.give(&m.bases[spaceWord], 0, bits.val, bits.known) || bits.hole.set != 0 && !p.giveHole(&m.bases[spaceWord], &bits.hole) {
		return false
	}
	for i := range w.holes {
		if x := &w.holes[i]; !p.giveHole(&m.bases[x.space], x) {
			return false
		}
	}
	for i := range w.gives {
		if g := &w.gives[i]; !p.give(&m.bases[g.space], int(g.low), g.val, g.known) {
			return false
		}
	}
	return m.rest()
}

// open opens a space of the way: the entry of a table, or that of a computed value.
func (m *placing) open(h *home, i int) (ok bool) {
	if h.field == nil {
		m.bases[i].space, ok = m.p.openSpace()
		return ok
	}
	at := m.moved(&h.scope)
	m.bases[i].space, ok = m.p.entry(h.field, &at)
	return ok
}

// scope returns the scope that one of the way is.
func (m *placing) scope(i int32) int32 {
	if n := i - int32(m.way.outside) - 1; n >= 0 {
		return m.new + n
	}
	return m.around[i]
}

// moved returns what a scope of the way is.
func (m *placing) moved(s *scope) scope {
	base := &m.bases[s.space]
	out := scope{up: base.up, space: base.space, low: base.low + s.low, size: s.size}
	if s.up >= 0 {
		out.up = m.scope(s.up)
	}
	if base.parts != nil || s.parts != nil {
		parts := s.parts
		if parts == nil {
			parts = []spec.Part{{Low: s.low, Width: s.size}}
		}
		out.low, out.parts = base.place(parts)
	}
	return out
}

// rest adds the conditions of the way, and the templates of which more follows than bits.
func (m *placing) rest() (ok bool) {
	p := m.p
	for _, u := range m.way.units {
		u.scope = m.scope(u.scope)
		p.leafScopes = append(p.leafScopes, u)
	}
	for _, c := range m.way.cons {
		c.scope = m.scope(c.scope)
		if c.kind == wantNested {
			c.nested = m.scope(c.nested)
		}
		if c.kind == wantNested || c.soft {
			p.cons = append(p.cons, c)
		} else if !p.addConstraint(&c, p.pos) {
			return false
		}
	}
	return true
}
