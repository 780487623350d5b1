package gen

import (
	"slices"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// mostContextBits is the number of bits of contexts whose values have a bit each in 64.
const mostContextBits = 6

// largeTree is the number of leaves from which on a tree is better a table: compilers make jumps of switches that
// processors cannot foresee.
const largeTree = 17

// Large reports whether the tree of a Match is better written as a table.
func (f *Func) Large() bool { return len(f.Root.Leaves) >= largeTree && len(f.Tree.Next) > 0 }

// Tabled reports whether its conditions can then be tables, too.
func (f *Func) Tabled() bool {
	if !f.Large() {
		return false
	}
	_, ok := f.Tree.When()
	return ok
}

// When returns the contexts on which the conditions of a tree's candidates depend. ok is false where they depend on
// something else, too, or on contexts of more than six bits.
func (t *Tree) When() (contexts []*spec.Context, ok bool) {
	ok = true
	t.conditions(func(x *Expr) { ok = x.contexts(&contexts) && ok })
	n := 0
	for _, c := range contexts {
		n += c.Width
	}
	return contexts, ok && n <= mostContextBits
}

func (t *Tree) conditions(visit func(*Expr)) {
	for _, c := range t.Leaves {
		for _, x := range c.Requires {
			visit(x)
		}
	}
	for _, n := range t.Next {
		n.Tree.conditions(visit)
	}
}

// contexts adds the contexts that an expression reads, and reports whether it reads nothing else.
func (x *Expr) contexts(list *[]*spec.Context) bool {
	if x == nil {
		return true
	}
	switch x.Kind {
	case Const:
		return true
	case Context:
		if !slices.Contains(*list, x.Context) {
			*list = append(*list, x.Context)
		}
		return true
	case Call:
		e := x.Func.Eval
		return !x.Effects && !e.Mesa && e.Value.contexts(list)
	case Operator, Choose:
		return x.X.contexts(list) && x.Y.contexts(list) && x.Z.contexts(list)
	}
	return false
}

// When returns a bit for each value of some contexts, the first of which has the lowest bits: whether what the candidate
// requires holds.
func (c *Candidate) When(contexts []*spec.Context) (holds uint64) {
	n := 0
	for _, x := range contexts {
		n += x.Width
	}
	for v := range uint64(1) << n {
		if !slices.ContainsFunc(c.Requires, func(x *Expr) bool { return x.with(contexts, v) == 0 }) {
			holds |= 1 << v
		}
	}
	return holds
}

// with computes an expression of contexts alone.
func (x *Expr) with(contexts []*spec.Context, values uint64) uint64 {
	switch x.Kind {
	case Context:
		for _, c := range contexts {
			if c == x.Context {
				return values & ones(c.Width)
			}
			values >>= c.Width
		}
	case Call:
		return x.Func.Eval.Value.with(contexts, values)
	case Choose:
		if x.X.with(contexts, values) != 0 {
			return x.Y.with(contexts, values)
		}
		return x.Z.with(contexts, values)
	case Operator:
		n := &model.Node{Op: x.Op, Type: x.Type, X: &model.Node{Type: x.X.Type}}
		a, b := x.X.with(contexts, values), uint64(0)
		if x.Y != nil {
			n.Y = &model.Node{Type: x.Y.Type}
			b = x.Y.with(contexts, values)
		}
		return model.Apply(n, a, b)
	}
	return x.Value
}
