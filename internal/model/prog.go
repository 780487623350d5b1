package model

import (
	"math"
	mathbits "math/bits"
	"slices"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Prog is an expression bound in the scope of a leaf.
type Prog struct {
	Spec *spec.Expr
	Unit *BoundLeaf
	Root *Node
	// Mask and Match are a necessary condition: the expression is 0 unless word&Mask == Match. If
	// Simple is true, the condition is also sufficient and the value is 1.
	Simple      bool
	Mask, Match bits.Value
	// Missing lists the names that are undefined in some or all cases. An undefined name reads as 0. In
	// plain descriptions this includes names in comments, because Mesa's tools look up everything in
	// braces.
	Missing []Missing
	// Cycle marks the constant 0 that replaces an expression inside itself.
	Cycle bool
	// Open reports whether the expression contains such a constant. If so, a scope keeps the first value
	// that it computes for the expression. Fetch lists the names in the expression in the order in which
	// they are looked up. Both the value and the order follow Mesa's tools.
	Open  bool
	Fetch []Missing
	// Memo caches data of package isa. Asked counts the evaluations before the cache is set up.
	Memo  atomic.Value
	Asked atomic.Int32
}

// Missing is a name that may be undefined.
type Missing struct {
	Name string
	Alts []Alt
}

// Node is a node of a bound expression.
type Node struct {
	Op   spec.Op
	Type spec.Type
	// Test is a condition on bits that is equivalent to the node, or nil if there is none.
	Test    *Test
	X, Y, Z *Node
	Value   uint64
	// Name and Alts are set only for a field.
	Alts []Alt
	Name string
	Span diag.Span
}

// Test is a condition on bits. Its value is 1 if the bits in Mask equal Match, and 0 if they differ. Not
// inverts the value. If Context is true, the test reads the bits of the contexts instead of a scope.
type Test struct {
	Mask, Match  uint64
	Context, Not bool
	// Low is the bit of the scope that corresponds to bit 0 of Mask. ScopeDepth is the number of
	// levels up to the scope.
	Low, ScopeDepth int
}

// Prog binds an expression of the leaf or of one of its ancestors in the scope of u.
func (u *BoundLeaf) Prog(e *spec.Expr) *Prog {
	u.Env.Machine.mu.Lock()
	defer u.Env.Machine.mu.Unlock()
	return u.prog(e)
}

// openExprs holds the expressions that are being bound. Each one contains the next one.
type openExprs struct {
	stack []*spec.Expr
	// cycles counts how often an expression was found inside itself. rebound counts the expressions that
	// were bound again because of a cycle.
	cycles, rebound int
}

// maxRebound limits how often expressions are bound again. An expression may have a different value
// for each order in which the expressions of a cycle need each other.
const maxRebound = 1 << 12

// prog binds an expression in the scope of u once. As in Mesa's tools, an expression is 0 inside
// itself. Only the outermost expression may be entered a second time. Expressions in a cycle are bound
// again for each use.
func (u *BoundLeaf) prog(e *spec.Expr) *Prog {
	open := &u.Env.Machine.open
	depth := len(open.stack)
	if p := u.progs[e]; p != nil && (depth == 0 || !u.cyclic[e]) {
		return p
	}
	if i := slices.Index(open.stack, e); i >= 0 {
		u.reportCycle(e)
		if open.cycles++; i > 0 || slices.Contains(open.stack[1:], e) || open.rebound > maxRebound {
			return &Prog{Spec: e, Unit: u, Root: &Node{Op: spec.OpConst}, Cycle: true, Open: true}
		}
	}
	before := open.cycles
	open.stack = append(open.stack, e)
	p := &Prog{Spec: e, Unit: u}
	p.Root = u.node(e, e.Root())
	u.missing(p)
	open.stack = open.stack[:depth]
	if x, ok := fixCondition(p.Root); ok && x.scopeDepth == 0 {
		p.Mask, p.Match, p.Simple = x.mask, x.match, true
	}
	if open.cycles > before {
		open.rebound++
		u.cyclic[e], p.Open = true, true
		for _, name := range e.FieldNames() {
			p.Fetch = append(p.Fetch, Missing{name, u.fetched(p.Root, name)})
		}
		if depth > 0 {
			return p
		}
		open.rebound = 0
	}
	u.progs[e] = p
	return p
}

// fetched returns the meanings of a name in a bound expression. It returns nil if the name occurs only
// in comments.
func (u *BoundLeaf) fetched(n *Node, name string) []Alt {
	for x := range n.All {
		if x.Op == spec.OpField && x.Name == name {
			return x.Alts
		}
	}
	return nil
}

// All yields the nodes of an expression in preorder.
func (n *Node) All(yield func(*Node) bool) { n.each(yield) }

func (n *Node) each(yield func(*Node) bool) bool {
	return n == nil || yield(n) && n.X.each(yield) && n.Y.each(yield) && n.Z.each(yield)
}

// reportCycle reports an expression that needs its own value, once per cycle.
func (u *BoundLeaf) reportCycle(e *spec.Expr) {
	if !u.reportedCycles[e] && !u.reportedCycles[u.Env.Machine.open.stack[0]] {
		u.reportedCycles[e] = true
		u.fail(diag.Errorf(diag.ExprCycle, e.Span, "the expression needs its own value in %s", u.where()))
	}
}

// Unbound converts an expression without binding its names. The caller looks up the names.
func (m *Machine) Unbound(n *spec.Node) *Node {
	if n == nil {
		return nil
	}
	out := &Node{Op: n.Op, Type: n.Type, Value: n.Value, Name: n.Name, Span: n.Span}
	if n.Op == spec.OpGen {
		out.Op, out.Value = spec.OpConst, uint64(m.Gen)
		return out
	}
	out.X, out.Y, out.Z = m.Unbound(n.X), m.Unbound(n.Y), m.Unbound(n.Z)
	return out
}

// missing collects the names of an expression that may be undefined, in ASCII order.
func (u *BoundLeaf) missing(p *Prog) {
	for _, name := range p.Spec.FieldNames() {
		alts := u.fetched(p.Root, name)
		if alts == nil {
			alts = u.resolve(name, p.Spec)
		}
		if slices.ContainsFunc(alts, func(a Alt) bool { return a.Ref == nil }) {
			p.Missing = append(p.Missing, Missing{name, alts})
		}
	}
}

// RefinementConditions returns the conditions under which a leaf that refines u matches the word. Each
// condition is bound in the scope of u. Conditions that follow from others are omitted.
func (u *BoundLeaf) RefinementConditions() (list []*Prog) {
	by := slices.DeleteFunc(slices.Clone(u.Leaf.RefinedBy), func(l *Leaf) bool { return l.Size > u.Leaf.Size || !l.meets(u.Leaf) })
	for _, l := range by {
		wider := func(x *Leaf) bool { return l.refines(x) && l.within(x) && len(u.Env.Bound(x).Requires) == 0 }
		if !slices.ContainsFunc(by, wider) {
			list = append(list, u.Env.Bound(l).matchCondition())
		}
	}
	return list
}

// matchCondition returns the condition that a word has the leaf's pattern and meets the leaf's
// requirements.
func (u *BoundLeaf) matchCondition() *Prog {
	var all []*Node
	for low := 0; low < u.Leaf.Size; low += 64 {
		if f := maskedField(u.Leaf, low); f.Width > 0 {
			x := &Node{Op: spec.OpField, Type: spec.U64, Alts: []Alt{{Ref: u.ref(f)}}, Name: f.Name}
			n := &Node{Op: spec.OpEq, Type: spec.U64, X: x, Y: &Node{Op: spec.OpConst, Type: spec.U64, Value: f.Gather(&u.Leaf.Match)[0]}}
			n.Test = testOf(n)
			all = append(all, n)
		}
	}
	for _, r := range u.Requires {
		all = append(all, r.Root)
	}
	if len(all) == 0 { // The leaf matches every word.
		return &Prog{Unit: u, Root: &Node{Op: spec.OpConst, Type: spec.U64, Value: 1}}
	}
	root := all[0]
	for _, n := range all[1:] {
		root = &Node{Op: spec.OpAndAnd, Type: spec.U64, X: root, Y: n}
		root.Test = testOf(root)
	}
	return &Prog{Unit: u, Root: root}
}

// maskedField returns a field that consists of the fixed bits among the 64 bits that start at bit low.
func maskedField(l *Leaf, low int) *spec.Field {
	f := &spec.Field{Name: l.Name, Kind: spec.KindUint}
	for mask := l.Mask.Uint(low, 64); mask != 0; {
		at := mathbits.TrailingZeros64(mask)
		width := mathbits.TrailingZeros64(^(mask >> uint(at)))
		mask &^= (1<<uint(width) - 1) << uint(at)
		f.Parts, f.Width = slices.Insert(f.Parts, 0, bits.Part{Low: low + at, Width: width}), f.Width+width
	}
	return f
}

// derived binds the expression of a derived field. In plain descriptions without bitsets larger than 32
// bits, it truncates the value to 32 bits, because Mesa's tools store it in one 32-bit word.
func (u *BoundLeaf) derived(e *spec.Expr) *Prog {
	p := u.prog(e)
	if u.Env.Machine.wide() {
		return p
	}
	if top, ok := upperBound(p.Root); ok && top <= math.MaxUint32 {
		return p
	}
	cut := u.truncated[e]
	if cut == nil || cut.whole != p {
		mask := &Node{Op: spec.OpConst, Type: spec.U64, Value: math.MaxUint32}
		cut = &truncatedProg{whole: p, Prog: Prog{
			Spec: e, Unit: u, Missing: p.Missing, Open: p.Open, Fetch: p.Fetch,
			Root: &Node{Op: spec.OpAnd, Type: spec.U64, X: p.Root, Y: mask, Span: p.Root.Span},
		}}
		u.truncated[e] = cut
	}
	return &cut.Prog
}

// truncatedProg is an expression truncated to its low 32 bits.
type truncatedProg struct {
	Prog
	whole *Prog
}

// wide reports whether values may have more than 32 bits.
func (m *Machine) wide() bool {
	if m.ISA.Strict {
		return true
	}
	for _, b := range m.ISA.Bitsets {
		if b.Size > 32 {
			return true
		}
	}
	return false
}

// upperBound returns an upper bound for the value of an expression. ok is false if it finds no bound.
func upperBound(n *Node) (top uint64, ok bool) {
	switch n.Op {
	case spec.OpConst:
		return n.Value, true
	case spec.OpField:
		for _, a := range n.Alts {
			switch {
			case a.Ref == nil:
			case a.Ref.Prog != nil:
				top = max(top, math.MaxUint32)
			case a.Ref.Width > 32:
				return 0, false
			default:
				top = max(top, 1<<a.Ref.Width-1)
			}
		}
		return top, true
	case spec.OpNot, spec.OpOrOr, spec.OpAndAnd, spec.OpEq, spec.OpNe, spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe:
		return 1, true
	}
	return upperBoundOfArithmetic(n)
}

// upperBoundOfArithmetic is like upperBound, but for arithmetic operators. A value below 1<<31 does not overflow any
// type.
func upperBoundOfArithmetic(n *Node) (top uint64, ok bool) {
	if n.Y == nil {
		return 0, false
	}
	x, okX := upperBound(n.X)
	y, okY := upperBound(n.Y)
	if n.Op == spec.OpCond {
		x, okX = upperBound(n.Z)
	}
	if !okX || !okY || x > math.MaxUint32 || y > math.MaxUint32 {
		return 0, false
	}
	switch n.Op {
	case spec.OpCond:
		return max(x, y), true
	case spec.OpAnd:
		return min(x, y), true
	case spec.OpOr, spec.OpXor:
		return 1<<mathbits.Len64(x|y) - 1, true
	case spec.OpAdd:
		return x + y, x+y < 1<<31
	case spec.OpMul:
		return x * y, x*y < 1<<31
	case spec.OpShl:
		return x << (y & 31), y < 32 && x<<y < 1<<31
	case spec.OpShr, spec.OpDiv, spec.OpMod:
		return x, true
	}
	return 0, false
}

func (u *BoundLeaf) node(e *spec.Expr, n *spec.Node) *Node {
	if n == nil {
		return nil
	}
	out := &Node{Op: n.Op, Type: n.Type, Value: n.Value, Name: n.Name, Span: n.Span}
	switch n.Op {
	case spec.OpGen:
		out.Op, out.Value = spec.OpConst, uint64(u.Env.Machine.Gen)
	case spec.OpField:
		out.Alts = u.resolve(n.Name, e)
		if u.Env.Machine.ISA.Strict && e.Within != nil {
			out.Alts = Assumptions{Holds: e.Within}.Narrow(out.Alts)
		}
		if u.Env.Machine.ISA.Strict && slices.ContainsFunc(out.Alts, func(a Alt) bool { return a.Ref == nil }) {
			u.fail(diag.Errorf(diag.Unresolved, n.Span, "{%s} is not defined in %s", n.Name, u.where()).Meant(n.Name, u.fieldNames()))
		}
	default:
		out.X, out.Y, out.Z = u.node(e, n.X), u.node(e, n.Y), u.node(e, n.Z)
	}
	out.Test = testOf(out)
	return out
}

// opposites maps comparisons to their negations.
var opposites = [...]spec.Op{spec.OpNe: spec.OpEq, spec.OpGe: spec.OpLt, spec.OpGt: spec.OpLe}

// testOf returns the test that is equivalent to a node, or nil if there is none.
func testOf(n *Node) *Test {
	switch n.Op {
	case spec.OpNe, spec.OpGe, spec.OpGt:
		opposite := *n
		opposite.Op = opposites[n.Op]
		return testOf(&opposite).not()
	case spec.OpEq:
		if n.X.Op == spec.OpField && len(n.X.Alts) == 1 && n.X.Alts[0].Cond == nil && n.X.Alts[0].Ref != nil && n.Y.Op == spec.OpConst {
			if t := contextTest(n.X.Alts[0].Ref, n.Y.Value); t != nil {
				return t
			}
		}
	case spec.OpNot:
		if n.X.Test != nil {
			return n.X.Test.not()
		}
	case spec.OpLt, spec.OpLe:
		if most := *n; isMost(n) {
			most.Op = spec.OpEq
			return testOf(&most).not()
		}
	case spec.OpField, spec.OpAndAnd, spec.OpAnd:
	default:
		return nil
	}
	x, ok := fixCondition(n)
	if !ok {
		return nil
	}
	i := x.mask.TrailingZeros() >> 6
	if x.mask.Len() > 64*(i+1) {
		return nil
	}
	return &Test{Mask: x.mask[i], Match: x.match[i], Low: 64 * i, ScopeDepth: x.scopeDepth}
}

// isMost reports whether a comparison checks that a field is less than its greatest value.
func isMost(n *Node) bool {
	r := ownField(n.X)
	return n.Op == spec.OpLt && n.Y.Op == spec.OpConst && r != nil && 1 < r.Width && r.Width < 31 && n.Y.Value == 1<<uint(r.Width)-1
}

// contextTest returns a test of whether a context has the value v, or nil if no test can express the
// condition.
func contextTest(r *Ref, v uint64) *Test {
	if r.Context == nil || r.Low+r.Width > 64 || r.Width < 64 && v>>uint(r.Width) != 0 {
		return nil
	}
	return &Test{Mask: (1<<uint(r.Width) - 1) << uint(r.Low), Match: v << uint(r.Low), Context: true}
}

func (t *Test) not() *Test {
	if t == nil {
		return nil
	}
	opposite := *t
	opposite.Not = !t.Not
	return &opposite
}

// fixedBits holds bits of one scope and the values that they must have.
type fixedBits struct {
	mask, match bits.Value
	scopeDepth  int
}

// fixCondition returns the bit values for which a condition holds. The condition holds if and only if
// the bits have these values. ok is false if the condition is not a conjunction of bit values in one
// scope.
func fixCondition(n *Node) (f fixedBits, ok bool) {
	switch n.Op {
	case spec.OpAndAnd:
		f, okX := fixCondition(n.X)
		g, okY := fixCondition(n.Y)
		both := f.mask.And(g.mask) // If these bits contradict each other, the condition never holds.
		ok = okX && okY && f.scopeDepth == g.scopeDepth && f.match.And(both) == g.match.And(both)
		return fixedBits{f.mask.Or(g.mask), f.match.Or(g.match), f.scopeDepth}, ok
	case spec.OpEq:
		x, y := n.X, n.Y
		if x.Op == spec.OpConst {
			x, y = y, x
		}
		if y.Op != spec.OpConst {
			return f, false
		}
		return fixEqual(x, y.Value)
	case spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe:
		return fixComparison(n)
	case spec.OpNot:
		return fixEqual(n.X, 0)
	case spec.OpAnd: // the value is 0 or 1
		if n.X.Op == spec.OpConst && n.X.Value == 1 || n.Y.Op == spec.OpConst && n.Y.Value == 1 {
			return fixEqual(n, 1)
		}
	case spec.OpField:
		if r := ownField(n); r != nil && r.Width == 1 {
			return fixEqual(n, 1)
		}
	}
	return f, false
}

// ownField returns the field that a node reads directly, from its own or an enclosing scope. It
// returns nil for any other node.
func ownField(n *Node) *Ref {
	if n.Op != spec.OpField || len(n.Alts) != 1 {
		return nil
	}
	r := n.Alts[0].Ref
	if r == nil || !r.plain() || r.Low < 0 && r.Width > 64 || r.Field.Table != nil {
		return nil
	}
	return r
}

// fixEqual is like fixCondition, but for the condition that an expression equals v.
func fixEqual(n *Node, v uint64) (f fixedBits, ok bool) {
	r := ownField(n)
	if r == nil {
		return fixValue(n, v, ^uint64(0))
	}
	if r.Width < 64 && v>>uint(r.Width) != 0 {
		return f, false
	}
	f.scopeDepth = r.ScopeDepth
	if r.Low >= 0 {
		f.mask.SetUint(r.Low, r.Width, ^uint64(0))
		f.match.SetUint(r.Low, r.Width, v)
		return f, true
	}
	for i := len(r.Field.Parts) - 1; i >= 0; i-- {
		p := r.Field.Parts[i]
		f.mask.SetUint(p.Low, p.Width, ^uint64(0))
		f.match.SetUint(p.Low, p.Width, v)
		v >>= uint(p.Width)
	}
	return f, true
}
