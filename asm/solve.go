package asm

import (
	"cmp"
	"math/bits"
	"slices"

	wide "github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// constraint is something that must hold of an expression.
type constraint struct {
	prog  *model.Prog
	scope int32
	kind  want
	// value and mask of wantValue: value(prog) & mask == value.
	value, mask uint64
	// nested is the scope whose bits are the value of the expression, width of them.
	nested int32
	width  int
	// soft constraints choose among words that print the same fields: they say that an earlier
	// case does not apply. Text that would be printed through an earlier case is accepted.
	soft bool
	// ref is the computed field that text gave a value, for an error.
	ref *model.Ref
}

type want uint8

const (
	wantTrue want = iota
	wantFalse
	wantValue
	wantNested
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

// derivedConstraint says that a derived field has the value that text gives it.
func derivedConstraint(ref *model.Ref, scope int32, v uint64) constraint {
	c := constraint{prog: ref.Prog, scope: scope, kind: wantValue, value: v, mask: ^uint64(0), ref: ref}
	switch ref.Kind {
	case spec.KindBool:
		if ref.Field.Display != nil {
			c.kind = wantFalse
			if v != 0 {
				c.kind = wantTrue
			}
			return c
		}
		c.mask = 0xffffffff
	case spec.KindBoolInv:
		c.kind = wantFalse
		if v != 0 {
			c.kind = wantTrue
		}
		return c
	case spec.KindInt, spec.KindOffset, spec.KindBranch, spec.KindFloat:
		c.mask = ^uint64(0) >> (64 - uint(min(max(ref.Width, 1), 64)))
	}
	c.value &= c.mask
	return c
}

// constrain adds a constraint, settling it at once where that is possible.
func (p *Parser) constrain(c constraint) bool {
	if c.kind == wantTrue && c.prog.Simple {
		s := &p.scopes[c.scope]
		if s.parts == nil {
			return p.setMasked(s.space, s.low, s.size, c.prog.Match, c.prog.Mask, p.pos)
		}
	}
	p.cons = append(p.cons, c)
	return p.propagateLast(p.pos)
}

// propagateLast settles the constraint added last, and drops it if it holds for good.
func (p *Parser) propagateLast(end int) bool {
	n := len(p.cons) - 1
	switch p.settle(&p.cons[n]) {
	case broken:
		p.failConstraint(&p.cons[n], end)
		return false
	case holds:
		p.cons = p.cons[:n]
	}
	return true
}

// failConstraint notes that no word satisfies a constraint.
func (p *Parser) failConstraint(c *constraint, end int) {
	switch {
	case p.failure == nil:
	case c.kind == wantValue:
		p.fail(diag.TextRange, end, "%s cannot be %d: it is computed as %s", c.ref.Name(), int64(c.value), c.prog.Spec.Text)
	default:
		p.fail(diag.TextCondition, end, "no word prints so: it would need %s to be %t", c.prog.Spec.Text, c.kind == wantTrue)
	}
}

// require notes what must hold for a reference to mean what it is read as.
func (p *Parser) require(conds []condition) bool {
	for _, c := range conds {
		kind := wantTrue
		if !c.want {
			kind = wantFalse
		}
		if !p.constrain(constraint{prog: c.prog, scope: p.scopeOf(c.hops), kind: kind}) {
			return false
		}
	}
	return true
}

// settle derives bits from a constraint, as far as they follow from it.
func (p *Parser) settle(c *constraint) status {
	switch c.kind {
	case wantTrue:
		return p.truth(c.prog.Root, c.scope, true)
	case wantFalse:
		return p.truth(c.prog.Root, c.scope, false)
	case wantValue:
		return p.assign(c.prog.Root, c.scope, c.value, c.mask)
	}
	s := p.scopes[c.nested]
	if v, known := p.eval(c.prog.Root, c.scope); known {
		mask := wide.Ones(c.width)
		return statusOf(p.setMasked(s.space, s.low, c.width, wide.Of(v), mask, p.pos))
	}
	sp := &p.spaces[s.space]
	return both(p.assign(c.prog.Root, c.scope, sp.val.Uint(0, min(c.width, 64)), sp.known.Uint(0, min(c.width, 64))), open)
}

// up returns the scope hops scopes outside.
func (p *Parser) up(scope int32, hops int) int32 {
	for ; hops > 0; hops-- {
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
		v, ok := p.eval(a.Cond.Root, p.up(scope, a.CondHops))
		if !ok {
			return nil, false
		}
		if v != 0 {
			return a.Ref, true
		}
	}
	return nil, true
}

// eval computes an expression from the bits known so far.
func (p *Parser) eval(n *model.Node, scope int32) (v uint64, known bool) {
	switch n.Op {
	case spec.OpConst:
		return n.Value, true
	case spec.OpField:
		ref, ok := p.meaning(n.Alts, scope)
		if !ok {
			return 0, false
		}
		return p.fieldValue(ref, scope)
	case spec.OpAndAnd, spec.OpOrOr:
		return p.evalLogic(n, scope)
	case spec.OpCond:
		x, ok := p.eval(n.X, scope)
		if !ok {
			return 0, false
		}
		if x != 0 {
			return p.eval(n.Y, scope)
		}
		return p.eval(n.Z, scope)
	}
	x, kx := p.eval(n.X, scope)
	y, ky := uint64(0), true
	if n.Y != nil {
		y, ky = p.eval(n.Y, scope)
	}
	if !kx || !ky {
		return 0, false
	}
	return model.Apply(n, x, y), true
}

// evalLogic computes && and ||, of which one side can decide.
func (p *Parser) evalLogic(n *model.Node, scope int32) (uint64, bool) {
	decider := n.Op == spec.OpOrOr
	x, kx := p.eval(n.X, scope)
	if kx && (x != 0) == decider {
		return truthBit(decider), true
	}
	y, ky := p.eval(n.Y, scope)
	if ky && (y != 0) == decider {
		return truthBit(decider), true
	}
	return truthBit(!decider), kx && ky
}

func truthBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// fieldValue returns the low 64 bits of a reference if all of them are known.
func (p *Parser) fieldValue(ref *model.Ref, scope int32) (v uint64, known bool) {
	if ref == nil {
		return 0, true
	}
	if ref.Context != nil {
		s := &p.spaces[spaceContext]
		return s.val.Uint(ref.Low, ref.Width), s.known.Uint(ref.Low, ref.Width) == ^uint64(0)>>(64-uint(ref.Width))
	}
	scope = p.up(scope, ref.Hops)
	if ref.Prog != nil {
		return p.eval(ref.Prog.Root, scope)
	}
	val, k, ok := p.gather(ref, scope)
	if !ok {
		return 0, false
	}
	return val, k == ^uint64(0)>>(64-uint(min(ref.Width, 64)))
}

// gather joins the known bits of a field of bits, its low 64.
func (p *Parser) gather(ref *model.Ref, scope int32) (val, known uint64, ok bool) {
	plain := *ref
	plain.Env = nil // of an index the bits, not the entry
	sp, parts, low, ok := p.locate(&plain, scope)
	if !ok {
		return 0, 0, false
	}
	s := &p.spaces[sp]
	if parts == nil {
		w := min(ref.Width, 64)
		return s.val.Uint(low, w), s.known.Uint(low, w), true
	}
	for _, part := range parts {
		w := min(part.Width, 64)
		val = val<<uint(w) | s.val.Uint(part.Low, w)
		known = known<<uint(w) | s.known.Uint(part.Low, w)
	}
	return val, known, true
}

// assign makes value(n) & mask equal to v, deriving the bits that must be so.
func (p *Parser) assign(n *model.Node, scope int32, v, mask uint64) status {
	if x, known := p.eval(n, scope); known {
		return statusOf((x^v)&mask == 0)
	}
	v &= mask
	if v&^possible(n) != 0 {
		return broken
	}
	switch n.Op {
	case spec.OpField:
		return p.assignField(n, scope, v, mask)
	case spec.OpInv:
		return p.assign(n.X, scope, ^v, mask)
	case spec.OpNeg:
		if lowMask(mask) {
			return p.assign(n.X, scope, -v, mask)
		}
	case spec.OpNot, spec.OpEq, spec.OpNe, spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe, spec.OpAndAnd, spec.OpOrOr:
		if mask&1 != 0 {
			return p.truth(n, scope, v != 0)
		}
	case spec.OpCond:
		if c, known := p.eval(n.X, scope); known {
			if c != 0 {
				return p.assign(n.Y, scope, v, mask)
			}
			return p.assign(n.Z, scope, v, mask)
		}
	case spec.OpComma:
		return p.assign(n.Y, scope, v, mask)
	case spec.OpAdd, spec.OpOr, spec.OpXor, spec.OpAnd, spec.OpSub, spec.OpMul, spec.OpShl, spec.OpShr:
		return p.assignBinary(n, scope, v, mask)
	}
	return open
}

// lowMask tells whether the mask is a run of ones from bit 0.
func lowMask(mask uint64) bool { return mask&(mask+1) == 0 }

func (p *Parser) assignField(n *model.Node, scope int32, v, mask uint64) status {
	ref, known := p.meaning(n.Alts, scope)
	if !known || ref == nil {
		return open
	}
	if ref.Context != nil {
		return statusOf(p.setMasked(spaceContext, ref.Low, ref.Width, wide.Of(v), wide.Of(mask), p.pos))
	}
	scope = p.up(scope, ref.Hops)
	if ref.Prog != nil {
		return p.assign(ref.Prog.Root, scope, v, mask)
	}
	plain := *ref
	plain.Env = nil
	return statusOf(p.bindMaskedAt(&plain, scope, wide.Of(v), wide.Of(mask), min(ref.Width, 64), p.pos))
}

// assignBinary inverts an operator of which one side is known, or whose sides share no bit.
func (p *Parser) assignBinary(n *model.Node, scope int32, v, mask uint64) status {
	if y, known := p.eval(n.Y, scope); known {
		return p.assignLeft(n, scope, y, v, mask)
	}
	if x, known := p.eval(n.X, scope); known && n.Op != spec.OpShl && n.Op != spec.OpShr {
		if n.Op == spec.OpSub {
			if !lowMask(mask) {
				return open
			}
			return p.assign(n.Y, scope, x-v, mask)
		}
		mirror := *n
		mirror.X, mirror.Y = n.Y, n.X
		return p.assignLeft(&mirror, scope, x, v, mask)
	}
	px, py := possible(n.X), possible(n.Y)
	if n.Op == spec.OpAnd || n.Op == spec.OpSub || n.Op == spec.OpMul || n.Op == spec.OpShl || n.Op == spec.OpShr || px&py != 0 {
		return open
	}
	return both(p.assign(n.X, scope, v&px, mask&px), p.assign(n.Y, scope, v&py, mask&py))
}

// assignLeft inverts X op y.
func (p *Parser) assignLeft(n *model.Node, scope int32, y, v, mask uint64) status {
	switch n.Op {
	case spec.OpAdd:
		if lowMask(mask) {
			return p.assign(n.X, scope, v-y, mask)
		}
	case spec.OpSub:
		if lowMask(mask) {
			return p.assign(n.X, scope, v+y, mask)
		}
	case spec.OpXor:
		return p.assign(n.X, scope, v^y, mask)
	case spec.OpOr:
		if y&mask&^v != 0 {
			return broken
		}
		return p.assign(n.X, scope, v, mask&^y)
	case spec.OpAnd:
		if v&^y != 0 {
			return broken
		}
		return p.assign(n.X, scope, v, mask&y)
	case spec.OpMul:
		if y == 0 || mask != ^uint64(0) {
			return open
		}
		if v%y != 0 {
			return broken
		}
		return p.assign(n.X, scope, v/y, mask)
	case spec.OpShl:
		if y >= 64 || (n.Type == spec.I32 || n.Type == spec.U32) && y >= 31 {
			return open
		}
		if v&(1<<y-1) != 0 {
			return broken
		}
		return p.assign(n.X, scope, v>>y, mask>>y)
	case spec.OpShr:
		if y < 64 {
			return p.assign(n.X, scope, v<<y, mask<<y)
		}
	}
	return open
}

// possible returns the bits that can be set in the value of an expression. It may return too many.
func possible(n *model.Node) uint64 {
	switch n.Op {
	case spec.OpConst:
		return n.Value
	case spec.OpField:
		var m uint64
		for _, a := range n.Alts {
			m |= possibleRef(a.Ref)
		}
		return m
	case spec.OpNot, spec.OpEq, spec.OpNe, spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe, spec.OpAndAnd, spec.OpOrOr:
		return 1
	case spec.OpOr, spec.OpXor:
		return possible(n.X) | possible(n.Y)
	case spec.OpAnd:
		return possible(n.X) & possible(n.Y)
	case spec.OpAdd:
		return sumMask(possible(n.X), possible(n.Y))
	case spec.OpMul:
		x, y := possible(n.X), possible(n.Y)
		if hi, lo := bits.Mul64(x, y); hi == 0 {
			return fill(lo)
		}
	case spec.OpShl:
		if n.Y.Op == spec.OpConst && n.Y.Value < 64 && (n.Type == spec.I64 || n.Type == spec.U64) {
			return possible(n.X) << n.Y.Value
		}
	case spec.OpShr:
		if x := possible(n.X); n.Y.Op == spec.OpConst && n.Y.Value < 64 && x>>63 == 0 {
			return x >> n.Y.Value
		}
	case spec.OpCond:
		return possible(n.Y) | possible(n.Z)
	}
	return ^uint64(0)
}

// sumMask returns the bits that a sum can have: those of both where they share none.
func sumMask(x, y uint64) uint64 {
	if x&y == 0 {
		return x | y
	}
	sum, carry := bits.Add64(x, y, 0)
	if carry != 0 {
		return ^uint64(0)
	}
	return fill(sum)
}

// fill returns all bits up to the highest one of x.
func fill(x uint64) uint64 {
	n := bits.Len64(x)
	if n == 64 {
		return ^uint64(0)
	}
	return 1<<uint(n) - 1
}

func possibleRef(r *model.Ref) uint64 {
	switch {
	case r == nil:
		return 0
	case r.Prog != nil:
		return possible(r.Prog.Root)
	case r.Width >= 64:
		return ^uint64(0)
	}
	return 1<<uint(r.Width) - 1
}

// truth makes an expression true or false.
func (p *Parser) truth(n *model.Node, scope int32, want bool) status {
	if x, known := p.eval(n, scope); known {
		return statusOf((x != 0) == want)
	}
	switch n.Op {
	case spec.OpNot:
		return p.truth(n.X, scope, !want)
	case spec.OpAndAnd, spec.OpOrOr:
		if want == (n.Op == spec.OpAndAnd) {
			return both(p.truth(n.X, scope, want), p.truth(n.Y, scope, want))
		}
		if x, known := p.eval(n.X, scope); known && (x != 0) != want {
			return p.truth(n.Y, scope, want)
		}
		if y, known := p.eval(n.Y, scope); known && (y != 0) != want {
			return p.truth(n.X, scope, want)
		}
		return open
	case spec.OpEq, spec.OpNe:
		return p.equal(n, scope, want == (n.Op == spec.OpEq))
	case spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe:
		return open
	case spec.OpField:
		if ref, known := p.meaning(n.Alts, scope); known && ref != nil && ref.Prog != nil {
			return p.truth(ref.Prog.Root, p.up(scope, ref.Hops), want)
		}
	}
	if !want {
		return p.assign(n, scope, 0, ^uint64(0))
	}
	if m := possible(n); m&(m-1) == 0 && m != 0 {
		return p.assign(n, scope, m, ^uint64(0))
	}
	return open
}

// equal makes two sides the same, or different where only one other value is possible.
func (p *Parser) equal(n *model.Node, scope int32, want bool) status {
	x, y := n.X, n.Y
	v, known := p.eval(y, scope)
	if !known {
		x, y = y, x
		if v, known = p.eval(y, scope); !known {
			return open
		}
	}
	if want {
		return p.assign(x, scope, v, ^uint64(0))
	}
	if possible(x) == 1 && v <= 1 {
		return p.assign(x, scope, 1-v, ^uint64(0))
	}
	return open
}

// solver searches for the bits that settle what propagation leaves open.
type solver struct {
	evals int
	bits  []looseBit
}

// looseBit is an unknown bit.
type looseBit struct {
	space uint8
	low   int16
}

// Limits of the search for one instruction.
const (
	maxLoose = 16
	maxEvals = 1 << 18
)

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
	hard := p.cons[:0:0]
	for _, c := range p.cons {
		if !c.soft {
			hard = append(hard, c)
		}
	}
	if len(hard) == n {
		p.failConstraint(&p.cons[0], p.pos)
		return false
	}
	p.cons = append(p.cons[:0], hard...)
	if p.solveAll() {
		return true
	}
	p.failConstraint(&p.cons[0], p.pos)
	return false
}

func (p *Parser) solveAll() bool {
	p.solver.evals = 0
	if p.propagate() == broken {
		return false
	}
	mark := len(p.trail)
	p.defaults()
	if p.satisfied() {
		return true
	}
	p.undo(mark)
	for i := spaceTable; i < p.nspaces; i++ {
		p.spaces[i].assumed = wide.Value{}
	}
	return p.enumerate()
}

// propagate settles every constraint again and again until nothing new follows.
func (p *Parser) propagate() status {
	for {
		mark, result := len(p.trail), holds
		for i := range p.cons {
			s := p.settle(&p.cons[i])
			if s == broken {
				return broken
			}
			result = both(result, s)
		}
		if len(p.trail) == mark {
			return result
		}
	}
}

// satisfied tells whether every constraint holds when the bits still unknown are 0. It leaves the
// bits that expressions read known.
func (p *Parser) satisfied() bool {
	for i := range p.cons {
		c := &p.cons[i]
		p.solver.bits = p.solver.bits[:0]
		p.loose(c.prog.Root, c.scope, 0)
		for _, b := range p.solver.bits {
			p.setBits(b.space, int(b.low), 1, 0, p.pos)
		}
	}
	return p.propagate() == holds
}

// enumerate tries values for the unknown bits of the first open constraint, and so on inwards.
func (p *Parser) enumerate() bool {
	var first *constraint
	for i := range p.cons {
		switch p.settle(&p.cons[i]) {
		case broken:
			return false
		case open:
			if first == nil {
				first = &p.cons[i]
			}
		}
	}
	if first == nil {
		return true
	}
	p.solver.bits = p.solver.bits[:0]
	p.loose(first.prog.Root, first.scope, 0)
	if len(p.solver.bits) == 0 || len(p.solver.bits) > maxLoose {
		return false
	}
	free := append([]looseBit(nil), p.solver.bits...)
	slices.SortFunc(free, func(a, b looseBit) int { // the smallest word first
		return cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.low, b.low))
	})
	for v := range uint64(1) << uint(len(free)) {
		if p.solver.evals++; p.solver.evals > maxEvals {
			return false
		}
		mark := len(p.trail)
		for i, b := range free {
			p.setBits(b.space, int(b.low), 1, v>>uint(i)&1, p.pos)
		}
		if p.propagate() != broken && p.enumerate() {
			return true
		}
		p.undo(mark)
	}
	return false
}

// maxLooseDepth bounds the walk through derived fields.
const maxLooseDepth = 32

// loose collects the unknown bits that an expression reads, the lowest first within a field.
func (p *Parser) loose(n *model.Node, scope int32, depth int) {
	if n == nil || depth > maxLooseDepth {
		return
	}
	for i := range n.Alts {
		a := &n.Alts[i]
		if a.Cond != nil {
			p.loose(a.Cond.Root, p.up(scope, a.CondHops), depth+1)
		}
		if a.Ref != nil {
			p.looseRef(a.Ref, scope, depth)
		}
	}
	p.loose(n.X, scope, depth)
	p.loose(n.Y, scope, depth)
	p.loose(n.Z, scope, depth)
}

func (p *Parser) looseRef(ref *model.Ref, scope int32, depth int) {
	if ref.Context != nil {
		p.looseRun(spaceContext, ref.Low, ref.Width)
		return
	}
	scope = p.up(scope, ref.Hops)
	if ref.Prog != nil {
		p.loose(ref.Prog.Root, scope, depth+1)
		return
	}
	plain := *ref
	plain.Env = nil
	sp, parts, low, ok := p.locate(&plain, scope)
	switch {
	case !ok:
	case parts == nil:
		p.looseRun(sp, low, ref.Width)
	default:
		for i := len(parts) - 1; i >= 0; i-- {
			p.looseRun(sp, parts[i].Low, parts[i].Width)
		}
	}
}

func (p *Parser) looseRun(sp uint8, low, width int) {
	known := &p.spaces[sp].known
	for i := low; i < low+width && len(p.solver.bits) <= maxLoose; i++ {
		b := looseBit{sp, int16(i)}
		if known.Bit(i) == 0 && !p.isLoose(b) {
			p.solver.bits = append(p.solver.bits, b)
		}
	}
}

func (p *Parser) isLoose(b looseBit) bool {
	for _, x := range p.solver.bits {
		if x == b {
			return true
		}
	}
	return false
}

// defaults gives the bits that are still unknown the values that the description names for them.
func (p *Parser) defaults() {
	p.fillContexts()
	for _, u := range p.units {
		for i := range u.unit.Defaults {
			d := &u.unit.Defaults[i]
			if d.Cond != nil {
				if v, known := p.eval(d.Cond.Root, u.scope); !known || v == 0 {
					continue
				}
			}
			plain := *d.Ref
			plain.Env = nil
			sp, parts, low, ok := p.locate(&plain, p.up(u.scope, d.Ref.Hops))
			if !ok {
				continue
			}
			if parts == nil {
				parts = []spec.Part{{Low: low, Width: d.Ref.Width}}
			}
			at := 0
			for j := len(parts) - 1; j >= 0; j-- {
				p.fill(sp, parts[j].Low, parts[j].Width, wide.Of(d.Val).Slice(at, parts[j].Width))
				at += parts[j].Width
			}
		}
	}
}

// fillContexts gives contexts that the text does not name their defaults.
func (p *Parser) fillContexts() {
	for _, c := range p.set.Model().ISA.Contexts {
		if c.FromText {
			p.fill(spaceContext, c.Low, c.Width, p.context.Slice(c.Low, c.Width))
		}
	}
}

// fill sets those bits of a run that are unknown.
func (p *Parser) fill(sp uint8, low, width int, v wide.Value) {
	s := &p.spaces[sp]
	unknown := wide.Range(low, width).AndNot(s.known)
	p.setMasked(sp, low, width, v, unknown.Slice(low, width), p.pos)
	if sp >= spaceTable {
		s.assumed = s.assumed.Or(unknown)
	}
}
