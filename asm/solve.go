package asm

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

type leafScope struct {
	leaf   *model.BoundLeaf
	scope  int32
	accept *reduction
}

// solver finds bits for what must hold of expressions of them.
type solver struct {
	assignment
	cons []constraint
	// context has the contexts; textContexts are the bits of those that text can give.
	context, textContexts bits.Value
	// allowAliases accepts words too that would be printed through another case of their instruction; noncanonical tells that
	// one was, or that some text was not read as it would be printed: a number in another spelling, a blank too few, an alias.
	allowAliases, noncanonical bool
	// work counts the expressions inside others that were computed for the line, trials the bits that were tried for one way
	// to read it, all those for others.
	work, trials, all int
	free              []freeBit
	// ignorant knows no bit; most are those that can be set in the values of expressions.
	ignorant *solver
	most     map[*model.Node]uint64
}

// constraint is something that must hold of an expression.
type constraint struct {
	prog  *model.Prog
	scope int32
	// nested is the scope whose bits are the value of the expression, width of them.
	nested, width int32
	kind          want
	// soft constraints choose among words that print the same fields: they say that an earlier
	// case does not apply. Text that would be printed through an earlier case is accepted.
	soft bool
	// done tells that it holds whatever the bits are that were unknown when all of the text had been read.
	done bool
	// value and mask of wantValue: value(prog) & mask == value.
	value, mask uint64
	// high is the largest value of wantRange; value is the smallest.
	high uint64
	// ref is the computed field that text gave a value, and text where that stands, for an error.
	ref  *model.Ref
	text textRange
}

type want uint8

const (
	wantTrue want = iota
	wantFalse
	wantValue
	wantNested
	wantRange // value(prog) & mask is from value to high
)

// status is what is known of a constraint.
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

// wanted asks for a condition, or that it does not hold.
func wanted(holds bool) want {
	if holds {
		return wantTrue
	}
	return wantFalse
}

// derivedConstraint says that a derived field has the value that text gives it.
func derivedConstraint(ref *model.Ref, scope int32, v uint64) constraint {
	c := constraint{prog: ref.Prog, scope: scope, kind: wantValue, value: v, mask: ^uint64(0), ref: ref}
	switch {
	case ref.Kind == spec.KindBoolInv, ref.Kind == spec.KindBool && ref.Field.Display != nil:
		c.kind = wanted(v != 0)
	case ref.Kind != spec.KindEnum: // of which a name says all bits
		c.mask = ones(min(max(readWidth(ref), 1), 64))
		c.value &= c.mask
	}
	return c
}

// constrain adds that a condition holds, or does not, settling it at once where that is possible.
func (sv *solver) constrain(prog *model.Prog, scope int32, want bool) bool {
	if s := &sv.scopes[scope]; sv.failure != nil && want && prog.Simple && s.parts == nil && asksFields(prog.Root) {
		return sv.setMasked(s.space, s.low, s.size, prog.Match, prog.Mask, sv.pos)
	}
	return sv.addConstraint(&constraint{prog: prog, scope: scope, kind: wanted(want)}, sv.pos)
}

// asksFields reports whether a simple condition asks for the values of whole fields, so that an error can name them.
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

// bindComputed notes what text that ends at end says of a computed field.
func (sv *solver) bindComputed(c constraint, end int) bool {
	if sv.failure != nil {
		c.text = sv.failure.readUpTo(end)
	}
	return sv.addConstraint(&c, end)
}

// addConstraint settles a constraint, and adds it unless it holds for good.
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

// settle derives bits from a constraint, as far as they follow from it.
func (sv *solver) settle(c *constraint) status {
	s := sv.derive(c)
	if s != open || c.kind == wantNested {
		return s
	}
	return sv.inspect(c)
}

// inspect tells what is known of a constraint, and derives nothing.
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

// within reports whether a value has the bits of mask as in want.
func within(t ternary, want, mask uint64) status {
	switch {
	case (t.val^want)&mask&^t.open != 0:
		return broken
	case t.open&mask == 0:
		return holds
	}
	return open
}

// derive finds bits that follow from a constraint by turning its operators around.
func (sv *solver) derive(c *constraint) status {
	switch c.kind {
	case wantTrue, wantFalse:
		return sv.truth(c.prog.Root, c.scope, c.kind == wantTrue)
	case wantValue:
		return sv.assign(c.prog.Root, c.scope, c.value, c.mask)
	case wantRange: // its bounds start alike
		alike := c.mask &^ fill(c.value^c.high)
		return both(sv.assign(c.prog.Root, c.scope, c.value, alike), open)
	}
	return sv.deriveNested(c)
}

// deriveNested is derive for a value that has a scope of its own.
func (sv *solver) deriveNested(c *constraint) status {
	s := sv.scopes[c.nested]
	if v, known := sv.eval(c.prog.Root, c.scope); known {
		width := int(c.width)
		return statusOf(sv.setMasked(s.space, s.low, width, bits.Of(v), bits.Ones(width), sv.pos))
	}
	sp, width := &sv.spaces[s.space], min(int(c.width), 64)
	return both(sv.assign(c.prog.Root, c.scope, sp.val.Uint(0, width), sp.known.Uint(0, width)), open)
}

// meaning picks the alternative that holds; known is false where that is not decided yet.
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

// solve is called when the whole text has been read: it looks for bits that satisfy every
// constraint, preferring the defaults and then the smallest. Where no word satisfies the soft
// ones, the text is one that another case would print, and they are dropped.
func (sv *solver) solve() bool {
	if len(sv.cons) == 0 {
		return true
	}
	mark, n := len(sv.trail), len(sv.cons)
	if sv.solveAll() {
		return true
	}
	sv.undo(mark)
	sv.cons = sv.cons[:n]
	hard := slices.DeleteFunc(slices.Clone(sv.cons), func(c constraint) bool { return c.soft })
	if len(hard) < n && sv.allowAliases {
		sv.cons, sv.noncanonical = append(sv.cons[:0], hard...), true
		if sv.solveAll() {
			return true
		}
		sv.undo(mark)
	}
	sv.failure.failConstraint(&sv.cons[0], sv.pos)
	return false
}

func (sv *solver) solveAll() bool {
	sv.all, sv.trials = sv.all+sv.trials, 0
	for i := range sv.cons {
		sv.cons[i].done = false
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

// preferences sets what asserts and defaults say, one after the other, as far as that leaves a solution.
func (sv *solver) preferences() {
	sv.fillContexts()
	sv.prefer(func() { sv.asserts(false) })
	for _, u := range sv.leafScopes {
		for i := range u.leaf.Defaults {
			sv.prefer(func() { sv.default1(&u.leaf.Defaults[i], u.scope, false) })
		}
	}
}

// prefer keeps what set sets, if every constraint can hold with it, but for bits that cannot be so whatever
// the others are.
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

// keeps reports whether every constraint can hold with what set sets, which stays if so.
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

// propagate settles every constraint again and again until nothing new follows.
func (sv *solver) propagate() status { return sv.settleAll(false) }

// settleAll is propagate; for good, those that hold are done with.
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

// satisfied reports whether every constraint holds when the bits still unknown are 0. It leaves the
// bits that expressions read known.
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

// defaults gives the bits that are still unknown the values that the description names for them: those of
// asserts, without which the word has a finding, then those of defaults. all is false where a value is
// computed from bits that are unknown.
func (sv *solver) defaults() (all bool) {
	sv.fillContexts()
	sv.asserts(false)
	all = sv.leafDefaults(false)
	sv.asserts(true)
	return all
}

// lastDefaults is defaults where nothing else will give bits a value: those from which a default is computed, and which
// are unknown even now, are 0 in the word, and so they are for the default.
func (sv *solver) lastDefaults() {
	if !sv.defaults() {
		sv.leafDefaults(true)
	}
}

// leafDefaults gives the bits of all leaves that are still unknown what their defaults say, as default1 does.
func (sv *solver) leafDefaults(zeros bool) (all bool) {
	all = true
	for j := range sv.leafScopes {
		u := &sv.leafScopes[j]
		for i := range u.leaf.Defaults {
			all = sv.default1(&u.leaf.Defaults[i], u.scope, zeros) && all
		}
	}
	return all
}

// asserts gives the bits that are still unknown the values that asserts expect of them. With zeros, bits
// that are unknown are 0 where it depends on them whether a case applies.
func (sv *solver) asserts(zeros bool) {
	for _, u := range sv.leafScopes {
		if u.accept.asserts {
			sv.leafAsserts(u, zeros)
		}
	}
}

// leafAsserts goes through the cases as the printer does, up to the one that was read.
func (sv *solver) leafAsserts(u leafScope, zeros bool) {
	for _, c := range u.leaf.Cases {
		own := c.Cond == u.accept.own && (c.Shown || u.accept.alias)
		switch {
		case own || c.Cond == nil:
		case c.Shown: // it would have been printed
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
			sv.fill(&sv.scopes[u.scope], []spec.Part{{Low: a.Low, Width: a.High - a.Low + 1}}, a.Match.Shr(a.Low))
		}
		if own {
			return
		}
	}
}

// computed is what is known of an expression, with zeros for the bits that are unknown or without.
func (sv *solver) computed(prog *model.Prog, scope int32, zeros bool) (t ternary) {
	if !zeros {
		return sv.ternary(prog.Root, scope)
	}
	sv.supposing(bits.Ones(bits.Size), func() { t = sv.ternary(prog.Root, scope) })
	return t
}

// default1 gives the bits of one default their value where they are unknown; all is false where it is
// computed from bits that are unknown. With zeros these are 0.
func (sv *solver) default1(d *model.Default, scope int32, zeros bool) (all bool) {
	if d.Ref.Field.Table != nil { // tables say where entries are
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

// fillContexts gives contexts that the text does not name their defaults.
func (sv *solver) fillContexts() { sv.fillMasked(spaceContext, &sv.context, &sv.textContexts) }

// openDerived makes a space of its own for a nested value that is computed; its bits are compared
// with the expression when they are known.
func (sv *solver) openDerived(ref *model.Ref, from, up int32) (int32, bool) {
	sp, ok := sv.openSpace()
	if !ok {
		return 0, false
	}
	inner := sv.addScope(scope{up: up, space: sp, size: ref.Env.Root.Size})
	sv.cons = append(sv.cons, constraint{prog: ref.Prog, scope: from, nested: inner, kind: wantNested, width: int32(ref.Env.Root.Size)})
	return inner, true
}

// unused lists the bits of each space on which the instruction does not depend. It may need an entry that nothing else
// does.
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
