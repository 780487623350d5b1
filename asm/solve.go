package asm

import (
	mathbits "math/bits"
	"slices"

	wide "github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

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
func (p *Parser) constrain(prog *model.Prog, scope int32, want bool) bool {
	if s := &p.scopes[scope]; p.failure != nil && want && prog.Simple && s.parts == nil && asksFields(prog.Root) {
		return p.setMasked(s.space, s.low, s.size, prog.Match, prog.Mask, p.pos)
	}
	return p.addConstraint(&constraint{prog: prog, scope: scope, kind: wanted(want)}, p.pos)
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
func (p *Parser) bindComputed(c constraint, end int) bool {
	if p.failure != nil {
		c.text = p.readUpTo(end)
	}
	return p.addConstraint(&c, end)
}

// addConstraint settles a constraint, and adds it unless it holds for good.
func (p *Parser) addConstraint(c *constraint, end int) bool {
	mark := len(p.trail)
	switch p.settle(c) {
	case broken:
		p.undo(mark)
		p.failConstraint(c, end)
		return false
	case open:
		p.cons = append(p.cons, *c)
	}
	return true
}

// require notes what must hold for a reference to mean what it is read as.
func (p *Parser) require(conds []condition) bool {
	for _, c := range conds {
		if !p.constrain(c.prog, p.scopeOf(c.scopeDepth), c.want) {
			return false
		}
	}
	return true
}

// settle derives bits from a constraint, as far as they follow from it.
func (p *Parser) settle(c *constraint) status {
	s := p.derive(c)
	if s != open || c.kind == wantNested {
		return s
	}
	return p.inspect(c)
}

// inspect tells what is known of a constraint, and derives nothing.
func (p *Parser) inspect(c *constraint) status {
	t := p.ternary(c.prog.Root, c.scope)
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
func (p *Parser) derive(c *constraint) status {
	switch c.kind {
	case wantTrue, wantFalse:
		return p.truth(c.prog.Root, c.scope, c.kind == wantTrue)
	case wantValue:
		return p.assign(c.prog.Root, c.scope, c.value, c.mask)
	case wantRange: // its bounds start alike
		alike := c.mask &^ fill(c.value^c.high)
		return both(p.assign(c.prog.Root, c.scope, c.value, alike), open)
	}
	return p.deriveNested(c)
}

// deriveNested is derive for a value that has a scope of its own.
func (p *Parser) deriveNested(c *constraint) status {
	s := p.scopes[c.nested]
	if v, known := p.eval(c.prog.Root, c.scope); known {
		width := int(c.width)
		return statusOf(p.setMasked(s.space, s.low, width, wide.Of(v), wide.Ones(width), p.pos))
	}
	sp, width := &p.spaces[s.space], min(int(c.width), 64)
	return both(p.assign(c.prog.Root, c.scope, sp.val.Uint(0, width), sp.known.Uint(0, width)), open)
}

// up returns the scope so many scopes outside.
func (p *Parser) up(scope int32, scopeDepth int) int32 {
	for ; scopeDepth > 0; scopeDepth-- {
		scope = p.scopes[scope].up
	}
	return scope
}

// meaning picks the alternative that holds; known is false where that is not decided yet.
func (p *Parser) meaning(alts []model.Alt, scope int32) (ref *model.Ref, known bool) {
	for i := range alts {
		a := &alts[i]
		if a.Cond == nil {
			return a.Ref, true
		}
		v, ok := p.eval(a.Cond.Root, p.up(scope, a.CondDepth))
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
func (p *Parser) solve() bool {
	if len(p.cons) == 0 {
		return true
	}
	mark, n := len(p.trail), len(p.cons)
	if p.solveAll() {
		return true
	}
	p.undo(mark)
	p.cons = p.cons[:n]
	hard := slices.DeleteFunc(slices.Clone(p.cons), func(c constraint) bool { return c.soft })
	if len(hard) < n && p.leniently {
		p.cons, p.noncanonical = append(p.cons[:0], hard...), true
		if p.solveAll() {
			return true
		}
		p.undo(mark)
	}
	p.failConstraint(&p.cons[0], p.pos)
	return false
}

func (p *Parser) solveAll() bool {
	p.solver.all, p.solver.trials = p.solver.all+p.solver.trials, 0
	for i := range p.cons {
		p.cons[i].done = false
	}
	if p.settleAll(!p.everyWay()) == broken {
		return false
	}
	mark := len(p.trail)
	p.defaults()
	if p.satisfied() {
		return true
	}
	p.undo(mark)
	p.preferences()
	mark = len(p.trail)
	free := p.allFree()
	return p.find() && p.minimise(free, mark)
}

// preferences sets what asserts and defaults say, one after the other, as far as that leaves a solution.
func (p *Parser) preferences() {
	p.fillContexts()
	p.prefer(func() { p.asserts(false) })
	for _, u := range p.leafScopes {
		for i := range u.leaf.Defaults {
			p.prefer(func() { p.default1(&u.leaf.Defaults[i], u.scope, false) })
		}
	}
}

// prefer keeps what set sets, if every constraint can hold with it, but for bits that cannot be so whatever
// the others are.
func (p *Parser) prefer(set func()) {
	mark := len(p.trail)
	if p.keeps(set) {
		return
	}
	set()
	given := p.bitsSince(mark)
	p.undo(mark)
	for _, b := range given {
		if !p.keeps(func() { p.setBit(b.freeBit, b.value) }) {
			p.setBit(b.freeBit, 1-b.value)
			continue
		}
		p.undo(len(p.trail) - 1)
	}
	if len(p.trail) > mark && p.keeps(set) {
		return
	}
	p.undo(mark)
}

// keeps reports whether every constraint can hold with what set sets, which stays if so.
func (p *Parser) keeps(set func()) bool {
	mark := len(p.trail)
	set()
	given := len(p.trail)
	if given == mark {
		return true
	}
	if p.propagate() != broken && p.find() {
		p.undo(given)
		return true
	}
	p.undo(mark)
	return false
}

// bitsSince lists the bits that the trail has set from mark on.
func (p *Parser) bitsSince(mark int) (list []givenBit) {
	for _, u := range p.trail[mark:] {
		for set := u.set; set != 0; set &= set - 1 {
			low := 64*int(u.limb) + mathbits.TrailingZeros64(set)
			list = append(list, givenBit{freeBit{space: u.space, low: int16(low)}, p.spaces[u.space].val.Bit(low)})
		}
	}
	return list
}

// propagate settles every constraint again and again until nothing new follows.
func (p *Parser) propagate() status { return p.settleAll(false) }

// settleAll is propagate; for good, those that hold are done with.
func (p *Parser) settleAll(forGood bool) status {
	for {
		mark, result := len(p.trail), holds
		for i := range p.cons {
			if p.cons[i].done {
				continue
			}
			s := p.settle(&p.cons[i])
			if s == broken {
				return broken
			}
			p.cons[i].done = forGood && s == holds
			result = both(result, s)
		}
		if len(p.trail) == mark {
			return result
		}
	}
}

// satisfied reports whether every constraint holds when the bits still unknown are 0. It leaves the
// bits that expressions read known.
func (p *Parser) satisfied() bool {
	for i := range p.cons {
		if c := &p.cons[i]; !c.done {
			p.solver.bits = p.solver.bits[:0]
			p.freeIn(c.prog.Root, c.scope, 0)
			for _, b := range p.solver.bits {
				p.setBit(b, 0)
			}
		}
	}
	return p.propagate() == holds
}

// defaults gives the bits that are still unknown the values that the description names for them: those of
// asserts, without which the word has a finding, then those of defaults. all is false where a value is
// computed from bits that are unknown.
func (p *Parser) defaults() (all bool) {
	p.fillContexts()
	p.asserts(false)
	all = p.leafDefaults(false)
	p.asserts(true)
	return all
}

// lastDefaults is defaults where nothing else will give bits a value: those from which a default is computed, and which
// are unknown even now, are 0 in the word, and so they are for the default.
func (p *Parser) lastDefaults() {
	if !p.defaults() {
		p.leafDefaults(true)
	}
}

// leafDefaults gives the bits of all leaves that are still unknown what their defaults say, as default1 does.
func (p *Parser) leafDefaults(zeros bool) (all bool) {
	all = true
	for j := range p.leafScopes {
		u := &p.leafScopes[j]
		for i := range u.leaf.Defaults {
			all = p.default1(&u.leaf.Defaults[i], u.scope, zeros) && all
		}
	}
	return all
}

// asserts gives the bits that are still unknown the values that asserts expect of them. With zeros, bits
// that are unknown are 0 where it depends on them whether a case applies.
func (p *Parser) asserts(zeros bool) {
	for _, u := range p.leafScopes {
		if u.accept.asserts {
			p.leafAsserts(u, zeros)
		}
	}
}

// leafAsserts goes through the cases as the printer does, up to the one that was read.
func (p *Parser) leafAsserts(u leafScope, zeros bool) {
	for _, c := range u.leaf.Cases {
		own := c.Cond == u.accept.own && (c.Shown || u.accept.alias)
		switch {
		case own || c.Cond == nil:
		case c.Shown: // it would have been printed
			continue
		default:
			t := p.computed(c.Cond, u.scope, zeros).truth()
			if !t.known() {
				return
			}
			if t.val == 0 {
				continue
			}
		}
		for _, a := range c.Spec.Asserts {
			p.fill(&p.scopes[u.scope], []spec.Part{{Low: a.Low, Width: a.High - a.Low + 1}}, a.Match.Shr(a.Low))
		}
		if own {
			return
		}
	}
}

// computed is what is known of an expression, with zeros for the bits that are unknown or without.
func (p *Parser) computed(prog *model.Prog, scope int32, zeros bool) (t ternary) {
	if !zeros {
		return p.ternary(prog.Root, scope)
	}
	p.supposing(wide.Ones(wide.Size), func() { t = p.ternary(prog.Root, scope) })
	return t
}

// supposing does what reads bits and sets none, as if those of known were known in each space, and no others.
func (p *Parser) supposing(known wide.Value, read func()) {
	spaces := p.spaces
	for i := range p.spaces {
		p.spaces[i].known = known
	}
	read()
	p.spaces = spaces
}

// default1 gives the bits of one default their value where they are unknown; all is false where it is
// computed from bits that are unknown. With zeros these are 0.
func (p *Parser) default1(d *model.Default, scope int32, zeros bool) (all bool) {
	if d.Ref.Field.Table != nil { // tables say where entries are
		return true
	}
	home := p.up(scope, d.Ref.ScopeDepth)
	sp, low, run := p.runAt(d.Ref, home)
	if run && p.spaces[sp].known.Uint(low, d.Ref.Width) == ones(d.Ref.Width) {
		return true
	}
	v := exactly(d.Val)
	if d.Prog != nil {
		v = p.computed(d.Prog, scope, zeros)
	}
	switch {
	case !v.known():
		return false
	case run:
		p.fillRun(sp, low, d.Ref.Width, v.val)
		return true
	}
	if s, ok := p.enter(d.Ref, home); ok {
		p.fill(&s, d.Ref.Field.Parts, wide.Of(v.val))
	}
	return true
}

// fillContexts gives contexts that the text does not name their defaults.
func (p *Parser) fillContexts() { p.fillMasked(spaceContext, &p.context, &p.textContexts) }

// fillMasked sets those bits of a space that are in a mask and unknown, to those of v.
func (p *Parser) fillMasked(sp uint8, v, mask *wide.Value) {
	s := &p.spaces[sp]
	for i, m := range mask {
		fresh := m &^ s.known[i]
		if fresh == 0 {
			continue
		}
		p.setLimb(sp, i, v[i], fresh)
		s.assumed[i] |= fresh
	}
}

// fill sets those bits of runs of a scope that are unknown, to the low bits of v.
func (p *Parser) fill(s *scope, list []spec.Part, v wide.Value) {
	for low, width := range s.pieces(list) {
		for at := 0; low != zeros && at < width; at += 64 {
			p.fillRun(s.space, low+at, min(64, width-at), v.Uint(at, 64))
		}
		v = v.Shr(width)
	}
}

// fillRun is fill for a run of up to 64 bits.
func (p *Parser) fillRun(sp uint8, low, width int, v uint64) {
	s := &p.spaces[sp]
	unknown := ones(width) &^ s.known.Uint(low, width)
	if unknown == 0 {
		return
	}
	p.setSome(sp, low, width, v, unknown, p.pos)
	s.assumed.SetUint(low, width, s.assumed.Uint(low, width)|unknown)
}
