package asm

import (
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
)

// matcher reads a line along the templates of a grammar, one item after another. Where the text can be read in several
// ways it takes the first, and goes back to the others as long as what it has read leads nowhere.
type matcher struct {
	language
	solver
	input
	names
	node    *node
	frame   int32
	frames  []callFrame
	choices []choice
	roots   []*node // of starts
	looking []*node // of firstSets
	steps   int
	// strict refuses text that is not read as it would be printed.
	strict bool
	scalar []byte // room for what a value prints
}

// input is a line: as it was given, then with its blanks collapsed, and in src folded.
type input struct {
	line     []byte
	src, raw []byte
	room     []byte // of raw
}

// names are what a line has asked of its surroundings.
type names struct {
	// asks are the names of labels that were asked for; asked tells that a hook was that can say something else the next
	// time.
	asked bool
	asks  []ask
	// pinning asks whether the branch targets of a line are given by other things than their labels, which
	// are left open; pinned is the answer.
	pinning, pinned bool
	// caller has the hooks that are asked.
	caller *Parser
	// wrong is why a constant expression of the line has no value.
	wrong *Error
}

// callFrame is where to go on when a nested value, or a member of a set, has been read.
type callFrame struct {
	parent int32
	scope  int32
	ret    *node
	// set, used and closing belong to a member of a set: which members have been read, and that no
	// other will be.
	set     *setItem
	used    uint64
	closing bool
	extent  extent
	from    int
	// depth is the number of nested values that it is in.
	depth int
}

// resumePoint is what a choice leaves to be tried of a node or an item.
type resumePoint struct {
	// n is the number of the next way of a node, a set or an operand; of a piece of text, before which place it has to
	// end, 0 for anywhere.
	n int32
	// tried is how many values of a text of an enum were.
	tried uint8
	as    readMode
}

// readMode is how a piece of text is read, where there are several ways.
type readMode uint8

const (
	asPrinted readMode = iota
	asNumber           // of an enum or a branch
	pastBlank          // a blank that is free does not count, though a text of the enum could have it
	asNothing          // of an offset
	asRange            // a computed float that is any that prints as the text
)

// choice is a way not yet tried.
type choice struct {
	node                                       *node
	edge                                       *edge // nil for a way from the node
	again                                      resumePoint
	pos, frame                                 int32
	trail, frames, scopes, cons, leafScopesLen int32
	nspaces                                    uint8
	noncanonical                               bool
	off                                        float64
}

// The ways out of a node, in the order in which they are tried: its literals, longest first
// (state is the limit of their length, encoded), then its other edges, then its ends.
const (
	stateEdges   = 1 << 20
	stateAccepts = 2 << 20
)

// nth leaves the ways from a number on.
func nth(n int) resumePoint { return resumePoint{n: int32(n)} }

func (m *matcher) fold(s string) string {
	if m.folding {
		return strings.ToLower(s)
	}
	return s
}

// load puts the input into src and raw with its runs of blanks collapsed.
func (m *matcher) load(body []byte) {
	m.unspent()
	m.src = slices.Grow(m.src[:0], len(body))
	m.raw = body
	src, n := m.src[:len(body)], len(body)
	folds, text := m.folds, src
	for i, c := range body {
		f := folds[c]
		if f == ' ' && (c != ' ' || i == 0 || text[i-1] == ' ') {
			m.room = slices.Grow(m.room[:0], len(body))
			m.raw = m.room[:len(body)]
			n = m.collapse(src, m.raw, body)
			break
		}
		text[i] = f
	}
	if n > 0 && src[n-1] == ' ' {
		n--
	}
	m.src, m.raw = src[:n], m.raw[:n:n]
}

// collapse folds a text, and makes every run of blanks one but for those at the start; raw, if it is not nil, has what is
// not folded. It returns the size of both.
func (m *matcher) collapse(src, raw, body []byte) (n int) {
	blank := true
	for _, c := range body {
		f := m.folds[c]
		if f == ' ' {
			if blank {
				continue
			}
			c = ' '
		}
		blank = f == ' '
		if src[n] = f; raw != nil {
			raw[n] = c
		}
		n++
	}
	return n
}

// spent returns the work that the last line took.
func (m *matcher) spent() int { return m.work + m.steps + m.all + m.trials }

// unspent gives a line all the work that it may take.
func (m *matcher) unspent() { m.work, m.steps, m.all, m.trials = 0, 0, 0, 0 }

// run reads the whole input as an instruction. It stops at the first way that encodes.
func (m *matcher) run() bool {
	if m.allowAliases = m.failure != nil; m.allowAliases {
		return m.from(m.ready(m.top).start)
	}
	read := false
	starts, complete := m.startsFor(func(start *node) bool {
		read = m.from(start)
		return read
	})
	if read || !complete && m.from(m.ready(m.top).start) {
		return true
	}
	m.allowAliases = true
	return slices.ContainsFunc(starts, m.from) || !complete && m.from(m.ready(m.top).start)
}

// from reads the whole input as one of the templates of a grammar.
func (m *matcher) from(start *node) bool {
	m.reset(m.root.Size)
	m.node = start
	return m.search()
}

// reset forgets what was read before, for a word of that size.
func (m *matcher) reset(size int) {
	m.pos, m.nspaces, m.frame = 0, spaceTable, 0
	m.noncanonical, m.named, m.off = false, false, 0
	m.spaces[spaceWord].val, m.spaces[spaceWord].known = bits.Value{}, bits.Value{}
	m.spaces[spaceWord].assumed = bits.Value{}
	known := bits.Ones(bits.Size).AndNot(m.textContexts) // contexts that text can give are not
	m.spaces[spaceContext].val, m.spaces[spaceContext].known = m.context.And(known), known
	m.trail, m.choices, m.cons, m.leafScopes = m.trail[:0], m.choices[:0], m.cons[:0], m.leafScopes[:0]
	m.scopes = append(m.scopes[:0], scope{up: -1, size: size})
	m.frames = append(m.frames[:0], callFrame{parent: -1})
}

// search goes on from the present place, trying the ways left open when it gets stuck.
func (m *matcher) search() bool { return m.resume(m.advance(0)) }

// resume goes on after a step that went well or did not.
func (m *matcher) resume(ok bool) bool {
	for {
		for ; ok && m.node != nil; m.steps++ {
			ok = m.advance(0)
		}
		if ok || len(m.choices) == 0 || m.steps > maxSteps {
			return ok
		}
		ok = m.retry()
		m.steps++
	}
}

// save leaves a way open: another one from the present node, or an item to be read in another way.
func (m *matcher) save(e *edge, s resumePoint) {
	m.choices = append(m.choices, choice{
		node: m.node, edge: e, again: s, pos: int32(m.pos), frame: m.frame,
		trail: int32(len(m.trail)), frames: int32(len(m.frames)), scopes: int32(len(m.scopes)),
		cons: int32(len(m.cons)), leafScopesLen: int32(len(m.leafScopes)), nspaces: uint8(m.nspaces), noncanonical: m.noncanonical, off: m.off,
	})
}

// retry goes back to the way left open last.
func (m *matcher) retry() bool {
	n := len(m.choices) - 1
	c := &m.choices[n]
	m.choices = m.choices[:n]
	m.pos, m.frame, m.nspaces, m.noncanonical, m.off = int(c.pos), c.frame, int(c.nspaces), c.noncanonical, c.off
	m.undo(int(c.trail))
	m.frames, m.scopes = m.frames[:c.frames], m.scopes[:c.scopes]
	m.cons, m.leafScopes = m.cons[:c.cons], m.leafScopes[:c.leafScopesLen]
	m.node = c.node
	if c.edge != nil {
		return m.match(c.edge, c.again)
	}
	return m.advance(int(c.again.n))
}

// advance takes a way out of the present node. state says from which on.
func (m *matcher) advance(state int) bool {
	n := m.node
	n.open()
	if e := n.only; e != nil && e.item.kind != itemLiteral {
		return m.match(e, resumePoint{})
	}
	if n.set != nil {
		return m.member(state)
	}
	if state < stateEdges {
		if (n.literal != nil || n.literals != nil) && m.literalWay(n, state) {
			return true
		}
		state = stateEdges
	}
	state = m.nextWay(n, state)
	if state < stateAccepts {
		e := n.others[state-stateEdges]
		if next := m.nextWay(n, state+1); m.isWay(n, next) {
			m.save(nil, nth(next))
		}
		return m.match(e, resumePoint{})
	}
	i := state - stateAccepts
	if i >= len(n.reductions) {
		return false
	}
	if i+1 < len(n.reductions) {
		m.save(nil, nth(state+1))
	}
	return m.reduce(n.reductions[i])
}

// nextWay returns the first way from state on, other than a literal, that the text can go.
func (m *matcher) nextWay(n *node, state int) int {
	if i := state - stateEdges; i < len(n.others) {
		if m.triesAll() {
			return state
		}
		for a := m.firstSets(n); i < len(n.others); i++ {
			if m.goesOn(&a.others[i], m.pos) {
				return i + stateEdges
			}
		}
	}
	return max(state, stateAccepts)
}

// isWay reports whether the way that nextWay has found is one.
func (m *matcher) isWay(n *node, state int) bool {
	if state < stateAccepts {
		return true
	}
	return len(n.reductions) > 0 && (m.triesAll() || m.endsAt(m.pos))
}

// findLiteral returns the longest literal edge that stands at pos and ends before limit, nil if there is
// none, with its end.
func (m *matcher) findLiteral(n *node, pos, limit int) (e *edge, end int) {
	if e = n.literal; e != nil {
		if end, ok := m.literalAt(pos, limit, e.item.text); ok {
			return e, end
		}
		return nil, 0
	}
	found, end := m.findWord(n.literals, pos, limit)
	if found == nil {
		return nil, 0
	}
	return n.edges[found.values[0]], end
}

// literalAt returns the end of a text at pos, and whether it stands there and ends before limit.
func (m *matcher) literalAt(pos, limit int, text string) (end int, ok bool) {
	end, ok = stands(m.src, pos, limit, text, m.strict)
	return end, ok
}

// literalWay takes the longest literal edge that stands here and is shorter than what was tried.
func (m *matcher) literalWay(n *node, state int) bool {
	pos := m.skipBlank()
	limit := len(m.src) + 1
	if state > 0 {
		limit = state
	}
	e, end := m.findLiteral(n, pos, limit)
	if e == nil {
		m.failure.expectLiterals(n, pos)
		return false
	}
	if e.longer || len(n.others)+len(n.reductions) > 0 && m.isWay(n, m.nextWay(n, stateEdges)) {
		m.save(nil, nth(max(end, 1)))
	}
	if !m.spelled(end-m.pos == len(e.item.text)) {
		return false
	}
	m.pos, m.node = end, e.next
	return true
}

// spelled notes whether a piece of text is as it would be printed, and reports whether it can be read.
func (m *matcher) spelled(exactly bool) bool {
	m.noncanonical = m.noncanonical || !exactly
	return exactly || !m.strict
}

// skipBlank returns the place after a blank that is free because it stands beside punctuation.
func (m *matcher) skipBlank() int {
	if !m.strict && m.pos < len(m.src) && m.src[m.pos] == ' ' &&
		(m.pos == 0 || loose[m.src[m.pos-1]] || m.pos+1 < len(m.src) && loose[m.src[m.pos+1]]) {
		return m.pos + 1
	}
	return m.pos
}

// reduce ends a template: its leaf's fixed bits are set and its conditions noted. The whole input
// is done when this was the outermost one.
func (m *matcher) reduce(a *reduction) bool {
	f := &m.frames[m.frame]
	switch {
	case f.extent == someText && m.pos == f.from, f.extent == noText && m.pos != f.from:
		return false
	case f.parent < 0 && m.pos < len(m.src):
		m.failure.expect(m.pos, "the end of the instruction")
		return false
	}
	if !m.spelled(!a.alias) {
		return false
	}
	leaf := a.unit.Leaf
	if !m.bindPattern(f.scope, leaf) {
		return false
	}
	if f.parent < 0 || a.completes {
		m.leafScopes = append(m.leafScopes, leafScope{a.unit, f.scope, a})
	}
	for _, r := range a.unit.Requires {
		if !m.constrain(r, f.scope, true) {
			return false
		}
	}
	if a.own != nil && !m.constrain(a.own, f.scope, true) {
		return false
	}
	if !m.notBefore(a, f.scope) {
		return false
	}
	switch {
	case f.parent < 0:
		m.node = nil
		m.notePinned()
		return m.solve()
	}
	m.frame, m.node = f.parent, f.ret
	return true
}

// notBefore notes that no case before that of a template applies. One that does where all bits are
// known would print the word: the text is an alias then.
func (m *matcher) notBefore(a *reduction, scope int32) bool {
	all, every := len(a.not) > 0 && !a.anyOutside && m.allKnown(scope), m.triesAll()
	for i := len(a.not) - 1; i >= 0; i-- { // the last says of bits what others ask of too, as a rule
		e := &a.not[i]
		if e.outside && !every {
			if !m.constrain(e.cond, scope, false) {
				return false
			}
			continue
		}
		v, known := m.eval(e.cond.Root, scope)
		switch {
		case !all && (every || !known || v != 0 && m.allowAliases):
			m.cons = append(m.cons, constraint{prog: e.cond, scope: scope, kind: wantFalse, soft: !e.outside})
		case v != 0 && (!m.allowAliases || !m.spelled(false)):
			return false
		}
	}
	return true
}

// scopeOf returns the scope of the present frame, so many scopes up.
func (m *matcher) scopeOf(scopeDepth int) int32 { return m.up(m.frames[m.frame].scope, scopeDepth) }

// open makes the scope of a nested value, and those that a path to it passes through.
func (m *matcher) open(it *item) (int32, bool) {
	ref := it.ref
	from := m.scopeOf(ref.ScopeDepth)
	up := m.frames[m.frame].scope
	switch {
	case it.spread != nil && !m.triesAll(): // which would give other reasons
		return m.openSpread(it.spread, ref, from, up), true
	case ref.Prog != nil:
		return m.openDerived(ref, from, up)
	}
	for _, e := range ref.Enter {
		var ok bool
		if from, ok = m.inner(e, from, up); !ok {
			return 0, false
		}
		up = from
	}
	return m.inner(ref, from, up)
}

// bind gives a reference a value that text has named.
func (m *matcher) bind(it *item, v uint64, end int) bool {
	ref := it.ref
	if ref.Context != nil {
		return m.setSome(spaceContext, ref.Low, ref.Width, v, ones(ref.Width), end)
	}
	scope := m.scopeOf(ref.ScopeDepth)
	switch {
	case it.spread != nil && m.failure == nil:
		return m.bindSpread(it.spread, scope, v, end)
	case ref.Prog != nil:
		return m.bindComputed(derivedConstraint(ref, scope, v), end)
	case ref.Width < 64 && v>>uint(ref.Width) != 0:
		if m.failure != nil {
			m.failure.failAt(diag.TextRange, m.skipBlank(), end, "%d does not fit the %d bits of %s", v, ref.Width, ref.Name())
		}
		return false
	case ref.Width <= 64:
		return m.bindSome(ref, scope, v, ones(ref.Width), end)
	}
	return m.bindMasked(ref, scope, bits.Of(v), bits.Ones(ref.Width), end)
}

// require notes what must hold for a reference to mean what it is read as.
func (m *matcher) require(conds []condition) bool {
	for _, c := range conds {
		if !m.constrain(c.prog, m.scopeOf(c.scopeDepth), c.want) {
			return false
		}
	}
	return true
}
