package asm

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// leafScope is a leaf that was read, with its scope and the reduction that ended it.
type leafScope struct {
	leaf      *model.BoundLeaf
	scope     int32
	reduction *reduction
}

// solver finds values of unknown bits that satisfy constraints: first by inverting expressions, then by search.
type solver struct {
	assignment
	cons []constraint
	// context holds the values of the contexts. textContexts is the mask of the context bits that text can specify.
	context, textContexts bits.Value
	// allowAliases is set to accept words that print through another case of their instruction. noncanonical is set if
	// such a word was accepted, or if a piece of text is not in printed form. Examples are another spelling of a
	// number, a missing blank and an alias.
	allowAliases, noncanonical bool
	// work counts the names evaluated in expressions for the line. trials counts the bits tried in the current search,
	// and all counts the bits tried in earlier searches.
	work, trials, all int
	free              []freeBit
	// unassigned is a solver without known bits. most caches the results of possible.
	unassigned *solver
	most       map[*model.Node]uint64
}

// constraint is a condition that an expression must satisfy.
type constraint struct {
	prog  *model.Prog
	scope int32
	// For wantNested, nested is the scope whose low width bits are the value of the expression.
	nested, width int32
	kind          want
	// soft constraints require that no earlier case applies. If no word satisfies them, the text is an alias, and they
	// are dropped.
	soft bool
	// done reports whether the constraint holds for all values of the bits that are still unknown after the whole text
	// has been read, or is ignored.
	done bool
	// wantValue requires that the value of prog, masked with mask, equals value.
	value, mask uint64
	// high is the largest value for wantRange, and value is the smallest.
	high uint64
	// ref is the computed field whose value the text specifies. text is the range of that text, for errors.
	ref  *model.Ref
	text textRange
}

// want is the kind of condition that a constraint sets on its expression.
type want uint8

const (
	wantTrue want = iota
	wantFalse
	wantValue
	wantNested
	wantRange // value <= value(prog) & mask <= high
)

// status is the result of checking a constraint against the known bits.
type status uint8

const (
	holds status = iota
	open
	broken
)

func both(a, b status) status { return max(a, b) }

func statusOf(ok bool) status {
	if ok {
		return holds
	}
	return broken
}

// wanted returns wantTrue if the condition must hold, otherwise wantFalse.
func wanted(holds bool) want {
	if holds {
		return wantTrue
	}
	return wantFalse
}

// derivedConstraint returns the constraint that a computed field has the value that the text specifies.
func derivedConstraint(ref *model.Ref, scope int32, v uint64) constraint {
	c := constraint{prog: ref.Prog, scope: scope, kind: wantValue, value: v, mask: ^uint64(0), ref: ref}
	switch {
	case ref.Kind == spec.KindBoolInv, ref.Kind == spec.KindBool && ref.Field.Display != nil:
		c.kind = wanted(v != 0)
	case ref.Kind != spec.KindEnum: // a name of an enum fixes all bits
		c.mask = ones(min(max(readWidth(ref), 1), 64))
		c.value &= c.mask
	}
	return c
}

// constrain requires that a condition has the truth value want, and sets the bits that this determines. It returns
// false if the condition cannot have this value.
func (sv *solver) constrain(prog *model.Prog, scope int32, want bool) bool {
	if s := &sv.scopes[scope]; sv.failure != nil && want && prog.Simple && s.parts == nil && asksFields(prog.Root) {
		return sv.setMasked(s.space, s.low, s.size, prog.Match, prog.Mask, sv.pos)
	}
	return sv.addConstraint(&constraint{prog: prog, scope: scope, kind: wanted(want)}, sv.pos)
}

// asksFields reports whether a simple condition compares whole fields, so that an error can name their bits.
func asksFields(n *model.Node) bool {
	switch n.Op {
	case spec.OpConst:
		return true
	case spec.OpField:
		return n.Alts[0].Ref.Prog == nil
	case spec.OpNot:
		return asksFields(n.X)
	case spec.OpEq, spec.OpAndAnd:
		return asksFields(n.X) && asksFields(n.Y)
	}
	return false
}

// bindComputed adds the constraint on a computed field from text that ends at end.
func (sv *solver) bindComputed(c constraint, end int) bool {
	if sv.failure != nil {
		c.text = sv.failure.readUpTo(end)
	}
	return sv.addConstraint(&c, end)
}

// addConstraint settles a constraint, and adds it to sv.cons if it remains open. It returns false if the constraint is
// broken.
func (sv *solver) addConstraint(c *constraint, end int) bool {
	mark := len(sv.trail)
	switch sv.settle(c) {
	case broken:
		sv.undo(mark)
		sv.failure.failConstraint(c, end)
		return false
	case open:
		sv.cons = append(sv.cons, *c)
	}
	return true
}

// settle sets the bits that a constraint determines, and returns its status.
func (sv *solver) settle(c *constraint) status {
	s := sv.derive(c)
	if s != open || c.kind == wantNested {
		return s
	}
	return sv.inspect(c)
}

// inspect returns the status of a constraint without setting bits.
func (sv *solver) inspect(c *constraint) status {
	t := sv.ternary(c.prog.Root, c.scope)
	switch c.kind {
	case wantValue:
		return within(t, c.value, c.mask)
	case wantRange:
		t = t.and(exactly(c.mask))
		return both(within(t.below(exactly(c.value), false), 0, 1), within(exactly(c.high).below(t, false), 0, 1))
	}
	return within(t.truth(), truthBit(c.kind == wantTrue), 1)
}

// within returns the status of the condition that t and want are equal in the bits of mask.
func within(t ternary, want, mask uint64) status {
	switch {
	case (t.val^want)&mask&^t.open != 0:
		return broken
	case t.open&mask == 0:
		return holds
	}
	return open
}

// derive sets the bits that a constraint determines, by inverting its operators.
func (sv *solver) derive(c *constraint) status {
	switch c.kind {
	case wantTrue, wantFalse:
		return sv.truth(c.prog.Root, c.scope, c.kind == wantTrue)
	case wantValue:
		return sv.assign(c.prog.Root, c.scope, c.value, c.mask)
	case wantRange: // the high bits that both bounds share
		alike := c.mask &^ lowOnes(c.value^c.high)
		return both(sv.assign(c.prog.Root, c.scope, c.value, alike), open)
	}
	return sv.deriveNested(c)
}

// deriveNested is like derive, but for a nested value that is computed.
func (sv *solver) deriveNested(c *constraint) status {
	s := sv.scopes[c.nested]
	if v, known := sv.eval(c.prog.Root, c.scope); known {
		width := int(c.width)
		return statusOf(sv.setMasked(s.space, s.low, width, bits.Of(v), bits.Ones(width), sv.pos))
	}
	sp, width := &sv.spaces[s.space], min(int(c.width), 64)
	return both(sv.assign(c.prog.Root, c.scope, sp.val.Uint(0, width), sp.known.Uint(0, width)), open)
}

// meaning returns the alternative of a name that applies. known is false if this depends on unknown bits.
func (sv *solver) meaning(alts []model.Alt, scope int32) (ref *model.Ref, known bool) {
	for i := range alts {
		a := &alts[i]
		if a.Cond == nil {
			return a.Ref, true
		}
		v, ok := sv.eval(a.Cond.Root, sv.up(scope, a.CondDepth))
		if !ok {
			return nil, false
		}
		if v != 0 {
			return a.Ref, true
		}
	}
	return nil, true
}

// solve is called after the whole text has been read. It sets bits so that every constraint holds. Of several
// solutions, it prefers one with default values, and of these the smallest word. If no word satisfies the soft
// constraints, every word with this text prints through another case. If allowAliases is set, solve then drops the soft
// constraints.
func (sv *solver) solve() bool {
	if len(sv.cons) == 0 {
		return true
	}
	mark, n := len(sv.trail), len(sv.cons)
	if sv.solveAll(false) {
		return true
	}
	sv.undo(mark)
	sv.cons = sv.cons[:n]
	if sv.allowAliases && slices.ContainsFunc(sv.cons, func(c constraint) bool { return c.soft }) {
		if sv.solveAll(true) {
			sv.noncanonical = true
			return true
		}
		sv.undo(mark)
	}
	sv.failure.failConstraint(&sv.cons[0], sv.pos)
	return false
}

// solveAll sets bits so that every constraint holds. If hardOnly is set, it ignores the soft constraints.
func (sv *solver) solveAll(hardOnly bool) bool {
	sv.all, sv.trials = sv.all+sv.trials, 0
	for i := range sv.cons {
		sv.cons[i].done = hardOnly && sv.cons[i].soft
	}
	if sv.settleAll(!sv.triesAll()) == broken {
		return false
	}
	mark := len(sv.trail)
	sv.defaults()
	if sv.satisfied() {
		return true
	}
	sv.undo(mark)
	sv.preferences()
	mark = len(sv.trail)
	free := sv.allFree()
	return sv.find() && sv.minimise(free, mark)
}

// preferences sets the bits of asserts and then of each default. It keeps only bits with which the constraints still
// have a solution.
func (sv *solver) preferences() {
	sv.fillContexts()
	sv.prefer(func() { sv.asserts(false) })
	for _, u := range sv.leafScopes {
		for i := range u.leaf.Defaults {
			sv.prefer(func() { sv.setDefault(&u.leaf.Defaults[i], u.scope, false) })
		}
	}
}

// prefer keeps the bits that set sets if the constraints can be satisfied with them. Otherwise it inverts each of these
// bits for which no solution has the given value, and calls set again for the others.
func (sv *solver) prefer(set func()) {
	mark := len(sv.trail)
	if sv.keeps(set) {
		return
	}
	set()
	given := sv.bitsSince(mark)
	sv.undo(mark)
	for _, b := range given {
		if !sv.keeps(func() { sv.setBit(b.freeBit, b.value) }) {
			sv.setBit(b.freeBit, 1-b.value)
			continue
		}
		sv.undo(len(sv.trail) - 1)
	}
	if len(sv.trail) > mark && sv.keeps(set) {
		return
	}
	sv.undo(mark)
}

// keeps reports whether the constraints can be satisfied with the bits that set sets. If not, it undoes them.
func (sv *solver) keeps(set func()) bool {
	mark := len(sv.trail)
	set()
	given := len(sv.trail)
	if given == mark {
		return true
	}
	if sv.propagate() != broken && sv.find() {
		sv.undo(given)
		return true
	}
	sv.undo(mark)
	return false
}

// propagate settles all constraints repeatedly, until they determine no further bit. It returns broken if a constraint
// is broken, open if one remains open, and otherwise holds.
func (sv *solver) propagate() status { return sv.settleAll(false) }

// settleAll is propagate. If forGood, it marks the constraints that hold as done.
func (sv *solver) settleAll(forGood bool) status {
	for {
		mark, result := len(sv.trail), holds
		for i := range sv.cons {
			if sv.cons[i].done {
				continue
			}
			s := sv.settle(&sv.cons[i])
			if s == broken {
				return broken
			}
			sv.cons[i].done = forGood && s == holds
			result = both(result, s)
		}
		if len(sv.trail) == mark {
			return result
		}
	}
}

// satisfied sets the unknown bits that constraints read to 0, and reports whether every constraint then holds.
func (sv *solver) satisfied() bool {
	for i := range sv.cons {
		if c := &sv.cons[i]; !c.done {
			sv.free = sv.free[:0]
			sv.freeIn(c.prog.Root, c.scope, 0)
			for _, b := range sv.free {
				sv.setBit(b, 0)
			}
		}
	}
	return sv.propagate() == holds
}

// defaults sets the bits that are still unknown to values from the description. The values of asserts come first,
// because a word with other values has a finding. The values of defaults come next. all is false if a default is
// computed from unknown bits.
func (sv *solver) defaults() (all bool) {
	sv.fillContexts()
	sv.asserts(false)
	all = sv.leafDefaults(false)
	sv.asserts(true)
	return all
}

// lastDefaults is like defaults, but it is called at the end of parsing, when no other bits will be set. Bits that are
// still unknown are 0 in the word, so they count as 0 in the expressions of defaults.
func (sv *solver) lastDefaults() {
	if !sv.defaults() {
		sv.leafDefaults(true)
	}
}

// leafDefaults sets the defaults of all leaves, see setDefault.
func (sv *solver) leafDefaults(zeros bool) (all bool) {
	all = true
	for j := range sv.leafScopes {
		u := &sv.leafScopes[j]
		for i := range u.leaf.Defaults {
			all = sv.setDefault(&u.leaf.Defaults[i], u.scope, zeros) && all
		}
	}
	return all
}

// asserts sets unknown bits to the values that asserts expect. If zeros, unknown bits count as 0 in the conditions of
// cases.
func (sv *solver) asserts(zeros bool) {
	for _, u := range sv.leafScopes {
		if u.reduction.asserts {
			sv.leafAsserts(u, zeros)
		}
	}
}

// leafAsserts is like asserts, but for one leaf. It visits the same cases as the printer, up to the case that was read.
func (sv *solver) leafAsserts(u leafScope, zeros bool) {
	for _, c := range u.leaf.Cases {
		own := c.Cond == u.reduction.own && (c.Shown || u.reduction.alias)
		switch {
		case own || c.Cond == nil:
		case c.Shown: // its display would have been printed
			continue
		default:
			t := sv.computed(c.Cond, u.scope, zeros).truth()
			if !t.known() {
				return
			}
			if t.val == 0 {
				continue
			}
		}
		for _, a := range c.Spec.Asserts {
			sv.fill(&sv.scopes[u.scope], []bits.Part{{Low: a.Low, Width: a.High - a.Low + 1}}, a.Match.Shr(a.Low))
		}
		if own {
			return
		}
	}
}

// computed evaluates an expression from the known bits. If zeros, unknown bits count as 0.
func (sv *solver) computed(prog *model.Prog, scope int32, zeros bool) (t ternary) {
	if !zeros {
		return sv.ternary(prog.Root, scope)
	}
	sv.supposing(bits.Ones(bits.Size), func() { t = sv.ternary(prog.Root, scope) })
	return t
}

// setDefault sets the unknown bits of a default. all is false if the default is computed from unknown bits, unless
// zeros is true. If zeros, unknown bits count as 0.
func (sv *solver) setDefault(d *model.Default, scope int32, zeros bool) (all bool) {
	if d.Ref.Field.Table != nil { // the table chooses the index
		return true
	}
	home := sv.up(scope, d.Ref.ScopeDepth)
	sp, low, run := sv.runAt(d.Ref, home)
	if run && sv.spaces[sp].known.Uint(low, d.Ref.Width) == ones(d.Ref.Width) {
		return true
	}
	v := exactly(d.Val)
	if d.Prog != nil {
		v = sv.computed(d.Prog, scope, zeros)
	}
	switch {
	case !v.known():
		return false
	case run:
		sv.fillRun(sp, low, d.Ref.Width, v.val)
		return true
	}
	if s, ok := sv.enter(d.Ref, home); ok {
		sv.fill(&s, d.Ref.Field.Parts, bits.Of(v.val))
	}
	return true
}

// fillContexts sets the contexts that the text does not specify to their values in the parser.
func (sv *solver) fillContexts() { sv.fillMasked(spaceContext, &sv.context, &sv.textContexts) }

// openDerived opens a space for a nested value that is computed. A constraint connects its bits with the expression.
func (sv *solver) openDerived(ref *model.Ref, from, up int32) (int32, bool) {
	sp, ok := sv.openSpace()
	if !ok {
		return 0, false
	}
	inner := sv.addScope(scope{up: up, space: sp, size: ref.Env.Root.Size})
	sv.cons = append(sv.cons, constraint{prog: ref.Prog, scope: from, nested: inner, kind: wantNested, width: int32(ref.Env.Root.Size)})
	return inner, true
}

// unused adds to list, for each space, the bits on which the instruction does not depend. It may open a space for an
// entry to which nothing else refers.
func (sv *solver) unused(list *[maxSpaces]bits.Value) {
	for _, u := range sv.leafScopes {
		for _, x := range u.leaf.Unused {
			s, ok := sv.enter(x.Entry, u.scope)
			if !ok {
				continue
			}
			sp, ok := sv.entry(x.Entry.Field, &s)
			for i := 0; ok && i < len(x.Bits); i++ {
				if b := &x.Bits[i]; b.Cond == nil || sv.ternary(b.Cond.Root, u.scope).truth() == exactly(1) {
					list[sp] = list[sp].Or(b.Mask)
				}
			}
		}
	}
}
