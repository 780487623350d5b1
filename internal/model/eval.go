package model

import (
	"fmt"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Eval computes an expression. It calls ask for each field and each node with a Test whose value it
// needs.
func (n *Node) Eval(ask func(*Node) uint64) uint64 {
	if n.Test != nil {
		return ask(n)
	}
	switch n.Op {
	case spec.OpConst:
		return n.Value
	case spec.OpField:
		return ask(n)
	case spec.OpOrOr, spec.OpAndAnd:
		if x := n.X.Eval(ask); (x != 0) == (n.Op == spec.OpOrOr) {
			return flag(x != 0)
		}
		return flag(n.Y.Eval(ask) != 0)
	case spec.OpCond:
		if n.X.Eval(ask) != 0 {
			return n.Y.Eval(ask)
		}
		return n.Z.Eval(ask)
	}
	x := n.X.Eval(ask)
	var y uint64
	if n.Y != nil {
		y = n.Y.Eval(ask)
	}
	return Apply(n, x, y)
}

// Eval returns 1 if the test holds for the bits v of its scope or for the contexts, and 0 if it does
// not.
func (t *Test) Eval(v, context *bits.Value) uint64 {
	if t.Context {
		v = context
	}
	return flag((v[t.Low>>6]&t.Mask == t.Match) != t.Not)
}

// BitsFor returns the value of the masked bits for which the result of the test is want. ok is false if
// several values produce this result.
func (t *Test) BitsFor(want bool) (match uint64, ok bool) {
	if want != t.Not {
		return t.Match, true
	}
	return ^t.Match & t.Mask, t.Mask&(t.Mask-1) == 0
}

// Scope is a leaf and its bits. Up is the scope that contains the operand, or nil for an instruction.
type Scope struct {
	Unit  *BoundLeaf
	Bits  bits.Value
	Up    *Scope
	Depth int
}

// ancestor returns the scope the given number of levels up, but at most the outermost one.
func (s *Scope) ancestor(levels int) *Scope {
	for ; levels > 0 && s.Up != nil; levels-- {
		s = s.Up
	}
	return s
}

// Evaluator computes everything that depends on the bits: conditions, derived fields, and the leaves of
// operands. A Decoder of package isa computes the same results with caches and preallocated frames.
type Evaluator struct {
	Context bits.Value
	Tables  [][]bits.Value
	// OnMissingEntry is called each time an index selects a table entry that does not exist. A missing
	// entry reads as 0. OnMissingEntry may be nil.
	OnMissingEntry func(t *spec.Table, index uint64)
}

// Eval computes an expression in the scope in which it is bound.
func (e *Evaluator) Eval(p *Prog, s *Scope) uint64 {
	return p.Root.Eval(func(n *Node) uint64 {
		if n.Test != nil {
			return n.Test.Eval(&s.ancestor(n.Test.ScopeDepth).Bits, &e.Context)
		}
		if ref := e.Resolve(n.Alts, s); ref != nil {
			return e.Value(ref, s)
		}
		return 0
	})
}

// Resolve returns the meaning of a name that applies to these bits, or nil if the name is undefined.
func (e *Evaluator) Resolve(alts []Alt, s *Scope) *Ref {
	for i := range alts {
		if a := &alts[i]; a.Cond == nil || e.Eval(a.Cond, s.ancestor(a.CondDepth)) != 0 {
			return a.Ref
		}
	}
	return nil
}

// Value returns the low 64 bits of the value of a reference.
func (e *Evaluator) Value(r *Ref, s *Scope) uint64 {
	if r.Context != nil {
		return e.Context.Uint(r.Low, r.Width)
	}
	s = s.ancestor(r.ScopeDepth)
	if r.Prog != nil {
		return e.Eval(r.Prog, s)
	}
	v := s.Bits
	for _, in := range r.Path {
		v = e.nestedBits(in, v)
	}
	v = r.Field.Gather(&v)
	return v[0]
}

// AppendNoEntry appends the finding that a table has no entry with that index. most is the number of
// entries. All commands use this text.
func AppendNoEntry(dst []byte, table *spec.Table, index uint64, most int) []byte {
	return fmt.Appendf(dst, "no entry %d in table %s of %d [%s]", index, table.Name, most, diag.TableEntry)
}

// nestedBits returns the bits of a bitset field, or the table entry that the field selects.
func (e *Evaluator) nestedBits(r *Ref, v bits.Value) bits.Value {
	w := r.Field.Gather(&v)
	if r.Field.Table == nil {
		return w
	}
	if t := e.Tables[r.Field.Table.Index]; w[0] < uint64(len(t)) {
		return t[w[0]]
	}
	if e.OnMissingEntry != nil {
		e.OnMissingEntry(r.Field.Table, w[0])
	}
	return bits.Value{}
}

// NestedScope returns the scope of a bitset field that is used in the scope s. It returns nil if no
// leaf matches the field's bits.
func (e *Evaluator) NestedScope(r *Ref, s *Scope) *Scope {
	from := s.ancestor(r.ScopeDepth)
	v := from.Bits
	for _, in := range r.Path {
		v = e.nestedBits(in, v)
		s = &Scope{in.Env.Bound(in.Env.Root.Leaves[0]), v, s, s.Depth + 1}
	}
	if r.Prog != nil {
		v = bits.Of(e.Eval(r.Prog, from))
	} else {
		v = e.nestedBits(r, v)
	}
	return e.Match(r.Env, v, s)
}

// Match returns the scope of the leaf that matches v, or nil if no leaf matches. A leaf takes precedence
// over the leaves that it refines.
func (e *Evaluator) Match(env *Env, v bits.Value, up *Scope) *Scope {
	var found *Scope
	for _, l := range env.Root.Leaves {
		if v.And(l.Mask) != l.Match {
			continue
		}
		s := &Scope{Unit: env.Bound(l), Bits: v, Up: up}
		if up != nil {
			s.Depth = up.Depth + 1
		}
		if e.allowed(s) && (found == nil || l.refines(found.Unit.Leaf)) {
			found = s
		}
	}
	return found
}

func (e *Evaluator) allowed(s *Scope) bool {
	return !slices.ContainsFunc(s.Unit.Requires, func(p *Prog) bool { return e.Eval(p, s) == 0 })
}

// Apply computes one operator in the type of the node. x and y are 64-bit values, sign- or zero-extended
// from their own types. If C leaves the result undefined, Apply uses fixed rules: integers wrap, a shift
// count is taken modulo the width, and a division by zero returns 0.
func Apply(n *Node, x, y uint64) uint64 {
	t := n.Type
	switch n.Op {
	case spec.OpNot:
		return flag(x == 0)
	case spec.OpInv:
		return wrap(t, ^x)
	case spec.OpNeg:
		return wrap(t, -x)
	case spec.OpOrOr:
		return flag(x != 0 || y != 0)
	case spec.OpAndAnd:
		return flag(x != 0 && y != 0)
	case spec.OpEq, spec.OpNe, spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe:
		return compare(n.Op, max(n.X.Type, n.Y.Type), x, y)
	case spec.OpShl, spec.OpShr:
		return shift(n.Op, t, x, y)
	}
	x, y = wrap(t, x), wrap(t, y)
	switch n.Op {
	case spec.OpOr:
		return x | y
	case spec.OpXor:
		return x ^ y
	case spec.OpAnd:
		return x & y
	case spec.OpAdd:
		return wrap(t, x+y)
	case spec.OpSub:
		return wrap(t, x-y)
	case spec.OpMul:
		return wrap(t, x*y)
	case spec.OpDiv, spec.OpMod:
		return divide(n.Op, t, x, y)
	}
	return y // the comma operator
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// wrap converts x to a type. It keeps the low bits and sign- or zero-extends them.
func wrap(t spec.Type, x uint64) uint64 {
	switch t {
	case spec.I32:
		return uint64(int64(int32(x)))
	case spec.U32:
		return uint64(uint32(x))
	}
	return x
}

func compare(op spec.Op, t spec.Type, x, y uint64) uint64 {
	x, y = wrap(t, x), wrap(t, y)
	less := x < y
	if t.Signed() {
		less = int64(x) < int64(y)
	}
	switch op {
	case spec.OpEq:
		return flag(x == y)
	case spec.OpNe:
		return flag(x != y)
	case spec.OpLt:
		return flag(less)
	case spec.OpLe:
		return flag(less || x == y)
	case spec.OpGt:
		return flag(!less && x != y)
	}
	return flag(!less)
}

func shift(op spec.Op, t spec.Type, x, y uint64) uint64 {
	count := y & uint64(t.Width()-1)
	switch {
	case op == spec.OpShl:
		return wrap(t, x<<count)
	case t.Signed():
		return uint64(int64(wrap(t, x)) >> count)
	}
	return wrap(t, x) >> count
}

func divide(op spec.Op, t spec.Type, x, y uint64) uint64 {
	if y == 0 {
		return 0
	}
	signed := t.Signed()
	switch {
	case signed && int64(y) == -1:
		if op == spec.OpMod {
			return 0
		}
		return wrap(t, -x)
	case signed && op == spec.OpDiv:
		return wrap(t, uint64(int64(x)/int64(y)))
	case signed:
		return wrap(t, uint64(int64(x)%int64(y)))
	case op == spec.OpDiv:
		return x / y
	}
	return x % y
}
