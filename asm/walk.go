package asm

import (
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
)

// walker reads a line along the templates of a grammar, one item after another. Where the text can be read in several
// ways it takes the first, and goes back to the others as long as what it has read leads nowhere.
type walker struct {
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

// again is what a choice leaves to be tried of a node or an item.
type again struct {
	// n is the number of the next way of a node, a set or an operand; of a piece of text, before which place it has to
	// end, 0 for anywhere.
	n int32
	// tried is how many values of a text of an enum were.
	tried uint8
	as    manner
}

// manner is how a piece of text is read, where there are several ways.
type manner uint8

const (
	asPrinted manner = iota
	asNumber         // of an enum or a branch
	pastBlank        // a blank that is free does not count, though a text of the enum could have it
	asNothing        // of an offset
	asRange          // a computed float that is any that prints as the text
)

// choice is a way not yet tried.
type choice struct {
	node                                       *node
	edge                                       *edge // nil for a way from the node
	again                                      again
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
func nth(n int) again { return again{n: int32(n)} }

func (w *walker) fold(s string) string {
	if w.folding {
		return strings.ToLower(s)
	}
	return s
}

// load puts the input into src and raw with its runs of blanks collapsed.
func (w *walker) load(body []byte) {
	w.unspent()
	w.src = slices.Grow(w.src[:0], len(body))
	w.raw = body
	src, n := w.src[:len(body)], len(body)
	folds, text := w.folds, src
	for i, c := range body {
		f := folds[c]
		if f == ' ' && (c != ' ' || i == 0 || text[i-1] == ' ') {
			w.room = slices.Grow(w.room[:0], len(body))
			w.raw = w.room[:len(body)]
			n = w.collapse(src, w.raw, body)
			break
		}
		text[i] = f
	}
	if n > 0 && src[n-1] == ' ' {
		n--
	}
	w.src, w.raw = src[:n], w.raw[:n:n]
}

// collapse folds a text, and makes every run of blanks one but for those at the start; raw, if it is not nil, has what is
// not folded. It returns the size of both.
func (w *walker) collapse(src, raw, body []byte) (n int) {
	blank := true
	for _, c := range body {
		f := w.folds[c]
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
func (w *walker) spent() int { return w.work + w.steps + w.all + w.trials }

// unspent gives a line all the work that it may take.
func (w *walker) unspent() { w.work, w.steps, w.all, w.trials = 0, 0, 0, 0 }

// run reads the whole input as an instruction. It stops at the first way that encodes.
func (w *walker) run() bool {
	if w.leniently = w.failure != nil; w.leniently {
		return w.from(w.ready(w.top).start)
	}
	read := false
	starts, complete := w.startsFor(func(start *node) bool {
		read = w.from(start)
		return read
	})
	if read || !complete && w.from(w.ready(w.top).start) {
		return true
	}
	w.leniently = true
	return slices.ContainsFunc(starts, w.from) || !complete && w.from(w.ready(w.top).start)
}

// from reads the whole input as one of the templates of a grammar.
func (w *walker) from(start *node) bool {
	w.reset(w.root.Size)
	w.node = start
	return w.search()
}

// reset forgets what was read before, for a word of that size.
func (w *walker) reset(size int) {
	w.pos, w.nspaces, w.frame = 0, spaceTable, 0
	w.noncanonical, w.named, w.off = false, false, 0
	w.spaces[spaceWord].val, w.spaces[spaceWord].known = bits.Value{}, bits.Value{}
	w.spaces[spaceWord].assumed = bits.Value{}
	known := bits.Ones(bits.Size).AndNot(w.textContexts) // contexts that text can give are not
	w.spaces[spaceContext].val, w.spaces[spaceContext].known = w.context.And(known), known
	w.trail, w.choices, w.cons, w.leafScopes = w.trail[:0], w.choices[:0], w.cons[:0], w.leafScopes[:0]
	w.scopes = append(w.scopes[:0], scope{up: -1, size: size})
	w.frames = append(w.frames[:0], callFrame{parent: -1})
}

// search goes on from the present place, trying the ways left open when it gets stuck.
func (w *walker) search() bool { return w.resume(w.advance(0)) }

// resume goes on after a step that went well or did not.
func (w *walker) resume(ok bool) bool {
	for {
		for ; ok && w.node != nil; w.steps++ {
			ok = w.advance(0)
		}
		if ok || len(w.choices) == 0 || w.steps > maxSteps {
			return ok
		}
		ok = w.retry()
		w.steps++
	}
}

// save leaves a way open: another one from the present node, or an item to be read in another way.
func (w *walker) save(e *edge, s again) {
	w.choices = append(w.choices, choice{
		node: w.node, edge: e, again: s, pos: int32(w.pos), frame: w.frame,
		trail: int32(len(w.trail)), frames: int32(len(w.frames)), scopes: int32(len(w.scopes)),
		cons: int32(len(w.cons)), leafScopesLen: int32(len(w.leafScopes)), nspaces: uint8(w.nspaces), noncanonical: w.noncanonical, off: w.off,
	})
}

// retry goes back to the way left open last.
func (w *walker) retry() bool {
	n := len(w.choices) - 1
	c := &w.choices[n]
	w.choices = w.choices[:n]
	w.pos, w.frame, w.nspaces, w.noncanonical, w.off = int(c.pos), c.frame, int(c.nspaces), c.noncanonical, c.off
	w.undo(int(c.trail))
	w.frames, w.scopes = w.frames[:c.frames], w.scopes[:c.scopes]
	w.cons, w.leafScopes = w.cons[:c.cons], w.leafScopes[:c.leafScopesLen]
	w.node = c.node
	if c.edge != nil {
		return w.match(c.edge, c.again)
	}
	return w.advance(int(c.again.n))
}

// advance takes a way out of the present node. state says from which on.
func (w *walker) advance(state int) bool {
	n := w.node
	n.open()
	if e := n.only; e != nil && e.item.kind != itemLiteral {
		return w.match(e, again{})
	}
	if n.set != nil {
		return w.member(state)
	}
	if state < stateEdges {
		if (n.literal != nil || n.literals != nil) && w.literalWay(n, state) {
			return true
		}
		state = stateEdges
	}
	state = w.nextWay(n, state)
	if state < stateAccepts {
		e := n.others[state-stateEdges]
		if next := w.nextWay(n, state+1); w.isWay(n, next) {
			w.save(nil, nth(next))
		}
		return w.match(e, again{})
	}
	i := state - stateAccepts
	if i >= len(n.accepts) {
		return false
	}
	if i+1 < len(n.accepts) {
		w.save(nil, nth(state+1))
	}
	return w.accept(n.accepts[i])
}

// nextWay returns the first way from state on, other than a literal, that the text can go.
func (w *walker) nextWay(n *node, state int) int {
	if i := state - stateEdges; i < len(n.others) {
		if w.everyWay() {
			return state
		}
		for a := w.firstSets(n); i < len(n.others); i++ {
			if w.goesOn(&a.others[i], w.pos) {
				return i + stateEdges
			}
		}
	}
	return max(state, stateAccepts)
}

// isWay reports whether the way that nextWay has found is one.
func (w *walker) isWay(n *node, state int) bool {
	if state < stateAccepts {
		return true
	}
	return len(n.accepts) > 0 && (w.everyWay() || w.endsAt(w.pos))
}

// findLiteral returns the longest literal edge that stands at pos and ends before limit, nil if there is
// none, with its end.
func (w *walker) findLiteral(n *node, pos, limit int) (e *edge, end int) {
	if e = n.literal; e != nil {
		if end, ok := w.literalAt(pos, limit, e.item.text); ok {
			return e, end
		}
		return nil, 0
	}
	found, end := w.findWord(n.literals, pos, limit)
	if found == nil {
		return nil, 0
	}
	return n.edges[found.values[0]], end
}

// literalAt returns the end of a text at pos, and whether it stands there and ends before limit.
func (w *walker) literalAt(pos, limit int, text string) (end int, ok bool) {
	end, ok = stands(w.src, pos, limit, text, w.strict)
	return end, ok
}

// literalWay takes the longest literal edge that stands here and is shorter than what was tried.
func (w *walker) literalWay(n *node, state int) bool {
	pos := w.skipBlank()
	limit := len(w.src) + 1
	if state > 0 {
		limit = state
	}
	e, end := w.findLiteral(n, pos, limit)
	if e == nil {
		w.failure.expectLiterals(n, pos)
		return false
	}
	if e.longer || len(n.others)+len(n.accepts) > 0 && w.isWay(n, w.nextWay(n, stateEdges)) {
		w.save(nil, nth(max(end, 1)))
	}
	if !w.spelled(end-w.pos == len(e.item.text)) {
		return false
	}
	w.pos, w.node = end, e.next
	return true
}

// spelled notes whether a piece of text is as it would be printed, and reports whether it can be read.
func (w *walker) spelled(exactly bool) bool {
	w.noncanonical = w.noncanonical || !exactly
	return exactly || !w.strict
}

// skipBlank returns the place after a blank that is free because it stands beside punctuation.
func (w *walker) skipBlank() int {
	if !w.strict && w.pos < len(w.src) && w.src[w.pos] == ' ' &&
		(w.pos == 0 || loose[w.src[w.pos-1]] || w.pos+1 < len(w.src) && loose[w.src[w.pos+1]]) {
		return w.pos + 1
	}
	return w.pos
}

// accept ends a template: its leaf's fixed bits are set and its conditions noted. The whole input
// is done when this was the outermost one.
func (w *walker) accept(a *accept) bool {
	f := &w.frames[w.frame]
	switch {
	case f.extent == someText && w.pos == f.from, f.extent == noText && w.pos != f.from:
		return false
	case f.parent < 0 && w.pos < len(w.src):
		w.failure.expect(w.pos, "the end of the instruction")
		return false
	}
	if !w.spelled(!a.alias) {
		return false
	}
	leaf := a.unit.Leaf
	if !w.bindPattern(f.scope, leaf) {
		return false
	}
	if f.parent < 0 || a.completes {
		w.leafScopes = append(w.leafScopes, leafScope{a.unit, f.scope, a})
	}
	for _, r := range a.unit.Requires {
		if !w.constrain(r, f.scope, true) {
			return false
		}
	}
	if a.own != nil && !w.constrain(a.own, f.scope, true) {
		return false
	}
	if !w.notBefore(a, f.scope) {
		return false
	}
	switch {
	case f.parent < 0:
		w.node = nil
		w.notePinned()
		return w.solve()
	}
	w.frame, w.node = f.parent, f.ret
	return true
}

// notBefore notes that no case before that of a template applies. One that does where all bits are
// known would print the word: the text is an alias then.
func (w *walker) notBefore(a *accept, scope int32) bool {
	all, every := len(a.not) > 0 && !a.anyOutside && w.allKnown(scope), w.everyWay()
	for i := len(a.not) - 1; i >= 0; i-- { // the last says of bits what others ask of too, as a rule
		e := &a.not[i]
		if e.outside && !every {
			if !w.constrain(e.cond, scope, false) {
				return false
			}
			continue
		}
		v, known := w.eval(e.cond.Root, scope)
		switch {
		case !all && (every || !known || v != 0 && w.leniently):
			w.cons = append(w.cons, constraint{prog: e.cond, scope: scope, kind: wantFalse, soft: !e.outside})
		case v != 0 && (!w.leniently || !w.spelled(false)):
			return false
		}
	}
	return true
}

// scopeOf returns the scope of the present frame, so many scopes up.
func (w *walker) scopeOf(scopeDepth int) int32 { return w.up(w.frames[w.frame].scope, scopeDepth) }

// open makes the scope of a nested value, and those that a path to it passes through.
func (w *walker) open(it *item) (int32, bool) {
	ref := it.ref
	from := w.scopeOf(ref.ScopeDepth)
	up := w.frames[w.frame].scope
	switch {
	case it.spread != nil && !w.everyWay(): // which would give other reasons
		return w.openSpread(it.spread, ref, from, up), true
	case ref.Prog != nil:
		return w.openDerived(ref, from, up)
	}
	for _, e := range ref.Enter {
		var ok bool
		if from, ok = w.inner(e, from, up); !ok {
			return 0, false
		}
		up = from
	}
	return w.inner(ref, from, up)
}

// bind gives a reference a value that text has named.
func (w *walker) bind(it *item, v uint64, end int) bool {
	ref := it.ref
	if ref.Context != nil {
		return w.setSome(spaceContext, ref.Low, ref.Width, v, ones(ref.Width), end)
	}
	scope := w.scopeOf(ref.ScopeDepth)
	switch {
	case it.spread != nil && w.failure == nil:
		return w.bindSpread(it.spread, scope, v, end)
	case ref.Prog != nil:
		return w.bindComputed(derivedConstraint(ref, scope, v), end)
	case ref.Width < 64 && v>>uint(ref.Width) != 0:
		if w.failure != nil {
			w.failure.failAt(diag.TextRange, w.skipBlank(), end, "%d does not fit the %d bits of %s", v, ref.Width, ref.Name())
		}
		return false
	case ref.Width <= 64:
		return w.bindSome(ref, scope, v, ones(ref.Width), end)
	}
	return w.bindMasked(ref, scope, bits.Of(v), bits.Ones(ref.Width), end)
}

// require notes what must hold for a reference to mean what it is read as.
func (w *walker) require(conds []condition) bool {
	for _, c := range conds {
		if !w.constrain(c.prog, w.scopeOf(c.scopeDepth), c.want) {
			return false
		}
	}
	return true
}
