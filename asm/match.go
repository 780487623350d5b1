package asm

import (
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// matcher parses a line along the templates of a grammar, one item after another. If several alternatives are possible,
// it tries the first and saves the next as a choice. If parsing fails, it returns to the last choice.
type matcher struct {
	language
	solver
	input
	names
	node    *node
	frame   int32
	frames  []callFrame
	choices []choice
	roots   []*node // set by startsFor
	looking []*node // nodes whose FIRST sets are being computed
	steps   int
	// strict is set to reject text that is not in printed form.
	strict bool
	// tracing is set to record the pieces of the text in trace.
	tracing bool
	// completion collects what can follow the text. It is nil unless Expected runs.
	completion *completion
	scalar     []byte // buffer for printed values
}

// input is the line being parsed: line as given, raw with runs of blanks collapsed, src also case-folded.
type input struct {
	line     []byte
	src, raw []byte
	room     []byte // storage of raw
}

// names records how a line has used the caller's hooks.
type names struct {
	// asks holds the labels that the line has looked up. asked is set if the line has called a hook whose answer may
	// change, or if it has more than maxAsks labels. Such a line is not cached.
	asked bool
	asks  []ask
	// While pinning is set, labels set no bits. notePinned then sets pinned if anything else specifies bits of a branch
	// target (see pins).
	pinning, pinned bool
	// caller is the parser whose hooks are called.
	caller *Parser
	// constantErr is the error of a constant expression in the line.
	constantErr *Error
}

// callFrame records where parsing continues after a nested value, a set, or a member of a set.
type callFrame struct {
	parent int32
	scope  int32
	ret    *node
	// set is the set that is being read. It is nil for other frames. used is the bit set of its members that have been
	// read. closing is true after the last member.
	set     *setItem
	used    uint64
	closing bool
	extent  extent
	from    int
	// depth is the nesting depth of values.
	depth int
}

// resumePoint identifies the alternative of a node, or the reading of an item, at which parsing resumes.
type resumePoint struct {
	// n is the next state of a node (see advance) or of a set (see member). For a piece of text, it limits the end of
	// the text, unless it is 0.
	n int32
	// tried is the number of values already tried for the text of an enum.
	tried uint8
	as    readMode
}

// readMode is one of the ways to read a piece of text.
type readMode uint8

const (
	asPrinted readMode = iota
	asNumber           // an enum or a branch target as a number
	pastBlank          // skip an optional blank, although a text of the enum could contain it
	asNothing          // an offset as 0, without text
	asRange            // a computed float: any value that prints as the text
)

// choice is a backtrack point: an alternative that has not been tried yet, and the state to restore before trying it.
type choice struct {
	node                                       *node
	edge                                       *edge // nil for an alternative of the node
	again                                      resumePoint
	pos, frame                                 int32
	trail, frames, scopes, cons, leafScopesLen int32
	trace                                      int32
	nspaces                                    uint8
	noncanonical                               bool
	off                                        float64
}

// A state of a node selects the next alternative to try. State 0 selects the longest literal that matches. Another
// state below stateEdges selects the longest literal that matches and ends before the position with that number. The
// states from stateEdges to stateAccepts-1 select the other edges, and the states at and above stateAccepts select the
// reductions.
const (
	stateEdges   = 1 << 20
	stateAccepts = 2 << 20
)

// nth returns the resume point at which the alternatives of a node are tried, starting at state n.
func nth(n int) resumePoint { return resumePoint{n: int32(n)} }

func (m *matcher) fold(s string) string {
	if m.folding {
		return strings.ToLower(s)
	}
	return s
}

// load sets src and raw from body. It removes the blanks at both ends and replaces each other run of blanks with one
// blank. It also resets the work counters.
func (m *matcher) load(body []byte) {
	m.resetWork()
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

// collapse copies body to src, folds its case, removes leading blanks and replaces each other run of blanks with one
// blank. If raw is not nil, collapse copies the same text to raw without folding its case. It returns the length of the
// text.
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

// spent returns the cost of parsing the last line.
func (m *matcher) spent() int { return m.work + m.steps + m.all + m.trials }

// resetWork resets the work counters for a new line.
func (m *matcher) resetWork() { m.work, m.steps, m.all, m.trials = 0, 0, 0, 0 }

// run reads the whole input as an instruction, and reports whether one was found. It stops at the first reading whose
// constraints can be satisfied. It accepts a word that prints through another case only if there is no other reading,
// or while errors are collected.
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

// from reads the whole input as a template of the grammar whose first node is start, and reports whether it succeeded.
func (m *matcher) from(start *node) bool {
	m.reset(m.root.Size)
	m.node = start
	return m.search()
}

// reset discards the state of the previous parse and starts a word of size bits.
func (m *matcher) reset(size int) {
	m.pos, m.nspaces, m.frame = 0, spaceTable, 0
	m.noncanonical, m.named, m.off = false, false, 0
	m.spaces[spaceWord].val, m.spaces[spaceWord].known = bits.Value{}, bits.Value{}
	m.spaces[spaceWord].assumed = bits.Value{}
	known := bits.Ones(bits.Size).AndNot(m.textContexts) // not the bits that text can specify
	m.spaces[spaceContext].val, m.spaces[spaceContext].known = m.context.And(known), known
	m.trail, m.choices, m.cons, m.leafScopes, m.trace = m.trail[:0], m.choices[:0], m.cons[:0], m.leafScopes[:0], m.trace[:0]
	m.scopes = append(m.scopes[:0], scope{up: -1, size: size})
	m.frames = append(m.frames[:0], callFrame{parent: -1})
}

// search parses with backtracking, starting at the current node, and reports whether it found a reading.
func (m *matcher) search() bool { return m.resume(m.advance(0)) }

// resume continues the search after a step, and reports whether it found a reading. ok reports whether the step
// succeeded.
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

// save records a choice: another alternative of the current node (e is nil), or another reading of e's item.
func (m *matcher) save(e *edge, s resumePoint) {
	m.choices = append(m.choices, choice{
		node: m.node, edge: e, again: s, pos: int32(m.pos), frame: m.frame,
		trail: int32(len(m.trail)), frames: int32(len(m.frames)), scopes: int32(len(m.scopes)),
		cons: int32(len(m.cons)), leafScopesLen: int32(len(m.leafScopes)), trace: int32(len(m.trace)), nspaces: uint8(m.nspaces), noncanonical: m.noncanonical, off: m.off,
	})
}

// retry restores the state of the last choice and tries its alternative.
func (m *matcher) retry() bool {
	n := len(m.choices) - 1
	c := &m.choices[n]
	m.choices = m.choices[:n]
	m.restore(c)
	if c.edge != nil {
		return m.match(c.edge, c.again)
	}
	return m.advance(int(c.again.n))
}

// restore restores the state that a choice has saved.
func (m *matcher) restore(c *choice) {
	m.pos, m.frame, m.nspaces, m.noncanonical, m.off = int(c.pos), c.frame, int(c.nspaces), c.noncanonical, c.off
	m.undo(int(c.trail))
	m.frames, m.scopes = m.frames[:c.frames], m.scopes[:c.scopes]
	m.cons, m.leafScopes, m.trace = m.cons[:c.cons], m.leafScopes[:c.leafScopesLen], m.trace[:c.trace]
	m.node = c.node
}

// advance tries one alternative of the current node: the first one, at or after state, that the text can match. It
// saves the next such alternative as a choice. It reports whether the alternative that it tried matched.
func (m *matcher) advance(state int) bool {
	n := m.node
	n.open()
	if m.completion != nil && state == 0 {
		m.completion.visit(n)
	}
	if e := n.only; e != nil && e.item.kind != itemLiteral {
		return m.match(e, resumePoint{})
	}
	if n.set != nil {
		return m.member(state)
	}
	if state < stateEdges {
		if (n.literal != nil || n.literals != nil) && m.matchLiteral(n, state) {
			return true
		}
		state = stateEdges
	}
	state = m.nextAlternative(n, state)
	if state < stateAccepts {
		e := n.others[state-stateEdges]
		if next := m.nextAlternative(n, state+1); m.isAlternative(n, next) {
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

// nextAlternative returns the state of the first edge, at or after state, that is not a literal and that the text can
// match. If there is no such edge, it returns the state of the next reduction.
func (m *matcher) nextAlternative(n *node, state int) int {
	if i := state - stateEdges; i < len(n.others) {
		if m.triesAll() {
			return state
		}
		for a := m.firstSets(n); i < len(n.others); i++ {
			if m.canFollow(&a.others[i], m.pos) {
				return i + stateEdges
			}
		}
	}
	return max(state, stateAccepts)
}

// isAlternative reports whether the text can match the alternative whose state nextAlternative returned.
func (m *matcher) isAlternative(n *node, state int) bool {
	if state < stateAccepts {
		return true
	}
	return len(n.reductions) > 0 && (m.triesAll() || m.endsAt(m.pos))
}

// findLiteral returns the longest literal edge that matches at pos and ends before limit, and the end of its text. e is
// nil if there is none.
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

// literalAt returns the end of text at pos, and reports whether it matches there and ends before limit.
func (m *matcher) literalAt(pos, limit int, text string) (end int, ok bool) {
	end, ok = matchText(m.src, pos, limit, text, m.strict)
	return end, ok
}

// matchLiteral reads the longest literal that matches here. If state is not 0, the literal must end before state.
func (m *matcher) matchLiteral(n *node, state int) bool {
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
	if e.longer || len(n.others)+len(n.reductions) > 0 && m.isAlternative(n, m.nextAlternative(n, stateEdges)) {
		m.save(nil, nth(max(end, 1)))
	}
	if !m.spelled(end-m.pos == len(e.item.text)) {
		return false
	}
	m.accept(&e.item, pos, end, e.next)
	return true
}

// accept continues at next after the item whose text is from pos to end.
func (m *matcher) accept(it *item, pos, end int, next *node) {
	if m.tracing && end > pos {
		m.trace = append(m.trace, piece{it, textRange{pos, end}})
	}
	m.pos, m.node = end, next
}

// spelled records whether a piece of text is in printed form (exactly), and reports whether the matcher accepts it.
func (m *matcher) spelled(exactly bool) bool {
	m.noncanonical = m.noncanonical || !exactly
	return exactly || !m.strict
}

// skipBlank returns the current position, or the position after a blank that is optional because it is next to
// punctuation.
func (m *matcher) skipBlank() int {
	if !m.strict && m.pos < len(m.src) && m.src[m.pos] == ' ' &&
		(m.pos == 0 || punctuation[m.src[m.pos-1]] || m.pos+1 < len(m.src) && punctuation[m.src[m.pos+1]]) {
		return m.pos + 1
	}
	return m.pos
}

// reduce ends a template: it sets the fixed bits of the leaf and adds its conditions. If the template is the outermost
// one, the whole input must have been read, and reduce ends the parse by solving the constraints.
func (m *matcher) reduce(a *reduction) bool {
	f := &m.frames[m.frame]
	switch {
	case f.extent == someText && m.pos == f.from, f.extent == noText && m.pos != f.from:
		return false
	case f.parent < 0 && m.pos < len(m.src):
		m.failure.expect(m.pos, &endItem)
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
	if !m.excludeEarlier(a, f.scope) {
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

// excludeEarlier requires that no case before the case of the template applies. If all bits of the scope are known and
// such a case applies, the word prints through that case, and the text is an alias.
func (m *matcher) excludeEarlier(a *reduction, scope int32) bool {
	all, every := len(a.not) > 0 && !a.anyOutside && m.allKnown(scope), m.triesAll()
	for i := len(a.not) - 1; i >= 0; i-- { // the last usually fixes bits that the others read
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

// scopeOf returns the scope that is scopeDepth scopes outward from the scope of the current frame.
func (m *matcher) scopeOf(scopeDepth int) int32 { return m.up(m.frames[m.frame].scope, scopeDepth) }

// open adds the scope of a nested value, and the scopes of the fields on the path to the value. It returns the number
// of the scope of the value. The second result is false if no space is left.
func (m *matcher) open(it *item) (int32, bool) {
	ref := it.ref
	from := m.scopeOf(ref.ScopeDepth)
	up := m.frames[m.frame].scope
	switch {
	case it.spread != nil && !m.triesAll(): // not while errors are collected, because the reasons would differ
		return m.openSpread(it.spread, ref, from, up), true
	case ref.Prog != nil:
		return m.openDerived(ref, from, up)
	}
	for _, e := range ref.Path {
		var ok bool
		if from, ok = m.inner(e, from, up); !ok {
			return 0, false
		}
		up = from
	}
	return m.inner(ref, from, up)
}

// bind requires that a reference has the value v, and sets the bits that this determines. end is the end of the text
// that specifies the value.
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

// require adds the conditions under which a reference has the chosen meaning.
func (m *matcher) require(conds []condition) bool {
	for _, c := range conds {
		if !m.constrain(c.prog, m.scopeOf(c.scopeDepth), c.want) {
			return false
		}
	}
	return true
}
