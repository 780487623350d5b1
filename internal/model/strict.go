package model

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// checkStrict returns the errors that make a description unsound: undefined names, undeclared overlaps,
// and instruction lengths that the bits of the shorter leaf do not determine.
func (m *Machine) checkStrict() diag.List {
	c := strictChecker{m: m, units: map[*BoundLeaf]bool{}, seen: map[string]bool{}}
	for _, r := range m.Roots {
		c.overlaps(r)
	}
	for _, r := range m.TopRoots() { // checks operands where they are used
		c.env(m.TopEnv(r))
	}
	for _, r := range m.Roots { // the remaining roots, which no display prints
		if !c.reached(r) {
			c.env(m.TopEnv(r))
		}
	}
	return c.errs
}

type strictChecker struct {
	m     *Machine
	units map[*BoundLeaf]bool
	seen  map[string]bool
	errs  diag.List
	roots map[*Root]bool
}

func (c *strictChecker) reached(r *Root) bool { return c.roots[r] }

// env binds every leaf in this environment and in all nested ones.
func (c *strictChecker) env(e *Env) {
	if c.roots == nil {
		c.roots = map[*Root]bool{}
	}
	c.roots[e.Root] = true
	for _, l := range e.Root.Leaves {
		u := e.Bound(l)
		if c.units[u] {
			continue
		}
		c.units[u] = true
		c.boundLeaf(u)
	}
}

func (c *strictChecker) boundLeaf(u *BoundLeaf) {
	for _, e := range slices.Concat(u.Errs(), u.LeafFacts().Errs) {
		if len(c.errs) >= maxErrors {
			return
		}
		if key := e.Error(); !c.seen[key] { // the same error can be reached in several ways
			c.seen[key] = true
			c.errs = append(c.errs, e)
		}
	}
	for _, cs := range u.Cases {
		c.items(cs.Items)
		for _, a := range cs.Aliases() {
			c.items(a)
		}
	}
}

func (c *strictChecker) items(items []Item) {
	for _, it := range items {
		c.items(it.Members)
		for _, a := range it.Alts {
			if a.Ref == nil {
				continue
			}
			for _, e := range a.Ref.Path {
				c.env(e.Env)
			}
			if a.Ref.Env != nil {
				c.env(a.Ref.Env)
			}
		}
	}
}

// overlaps reports every undeclared overlap: two leaves that match a common word although neither
// refines the other.
func (c *strictChecker) overlaps(r *Root) {
	for i, a := range r.Leaves {
		for _, b := range r.Leaves[:i] {
			c.pair(a, b)
		}
	}
}

func (c *strictChecker) pair(a, b *Leaf) {
	size := min(a.Size, b.Size)
	both := a.Mask.And(b.Mask).And(bits.Ones(size))
	differ := a.Match.Xor(b.Match).And(both)
	if !differ.IsZero() || a.refines(b) || b.refines(a) || !c.compatible(a, b) {
		return
	}
	witness := a.Match.Or(b.Match)
	digits := (max(a.Size, b.Size) + 3) / 4
	text := string(witness.AppendHex(nil, digits))
	if a.Size != b.Size {
		c.errs = append(c.errs, diag.Errorf(diag.LeafLength, a.Spec.Span, "%s of %d bits and %s of %d bits both match %s: the first %d bits do not determine the length",
			a.Name, a.Size, b.Name, b.Size, text, size).With(b.Spec.Span, "%s is defined here", b.Name))
		return
	}
	c.errs = append(c.errs, diag.Errorf(diag.LeafOverlap, a.Spec.Span, "%s and %s both match %s; to allow this, add overlap=\"refines NAME\" to the narrower one",
		a.Name, b.Name, text).With(b.Spec.Span, "%s is defined here", b.Name))
}

// maxErrors is the number of errors at which boundLeaf stops adding errors.
const maxErrors = 100

// maxContexts limits the number of combinations of context values that compatible tries.
const maxContexts = 1 << 16

// compatible reports whether the requirements of both leaves can hold for the same values of the
// contexts. It assumes that a condition that reads fields can hold.
func (c *strictChecker) compatible(a, b *Leaf) bool {
	ua, ub := c.m.TopEnv(a.Root).Bound(a), c.m.TopEnv(b.Root).Bound(b)
	if len(ua.Requires) == 0 && len(ub.Requires) == 0 {
		return true
	}
	all := append(append([]*Prog{}, ua.Requires...), ub.Requires...)
	return c.try(all, 0, bits.Value{}, maxContexts)
}

func (c *strictChecker) try(progs []*Prog, i int, ctx bits.Value, budget int) bool {
	contexts := c.m.ISA.Contexts
	if i == len(contexts) || budget == 0 {
		for _, p := range progs {
			if v, known := evalContext(p.Root, &ctx); known && v == 0 {
				return false
			}
		}
		return true
	}
	x := contexts[i]
	values := []uint64{0, 1}
	if x.Enum != nil {
		values = values[:0]
		for _, v := range x.Enum.Values {
			values = append(values, v.Val)
		}
	}
	for _, v := range values {
		ctx.SetUint(x.Low, x.Width, v)
		if c.try(progs, i+1, ctx, budget/max(1, len(values))) {
			return true
		}
	}
	return false
}

// evalContext computes an expression that depends only on contexts. known is false if the expression
// needs a field.
func evalContext(n *Node, ctx *bits.Value) (v uint64, known bool) {
	switch n.Op {
	case spec.OpConst:
		return n.Value, true
	case spec.OpField:
		if len(n.Alts) == 1 && n.Alts[0].Ref != nil && n.Alts[0].Ref.Context != nil {
			return ctx.Uint(n.Alts[0].Ref.Low, n.Alts[0].Ref.Width), true
		}
		return 0, false
	case spec.OpAndAnd, spec.OpOrOr:
		x, kx := evalContext(n.X, ctx)
		y, ky := evalContext(n.Y, ctx)
		decides := flag(n.Op == spec.OpOrOr)
		if kx && flag(x != 0) == decides || ky && flag(y != 0) == decides {
			return decides, true
		}
		return flag(n.Op == spec.OpAndAnd), kx && ky
	case spec.OpCond:
		x, kx := evalContext(n.X, ctx)
		if !kx {
			return 0, false
		}
		if x != 0 {
			return evalContext(n.Y, ctx)
		}
		return evalContext(n.Z, ctx)
	}
	x, kx := evalContext(n.X, ctx)
	y, ky := uint64(0), true
	if n.Y != nil {
		y, ky = evalContext(n.Y, ctx)
	}
	if !kx || !ky {
		return 0, false
	}
	return Apply(n, x, y), true
}
