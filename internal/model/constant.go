package model

import "github.com/isago/isago/internal/spec"

// Constant reports whether the text of a value of this bitset is always the same: no label, no hook,
// no column, no context, no table.
//
// Nested values must be narrower each time, which also ends the recursion.
func (e *Env) Constant() bool {
	c := constancy{map[any]bool{}}
	return c.env(e)
}

// constancy looks at each thing once, however often others name it: all of it must be constant.
type constancy struct{ seen map[any]bool }

// first reports whether a thing was not looked at before.
func (c *constancy) first(x any) bool {
	if c.seen[x] {
		return false
	}
	c.seen[x] = true
	return true
}

func (c *constancy) env(env *Env) bool {
	if !c.first(env) {
		return true
	}
	for _, l := range env.Root.Leaves {
		u := env.Bound(l)
		if len(u.Requires) > 0 {
			return false
		}
		for _, x := range u.Cases {
			if x.Cond != nil && !c.prog(x.Cond) || !c.items(x.Items, env.Root.Size) {
				return false
			}
		}
	}
	return true
}

func (c *constancy) prog(p *Prog) bool { return !c.first(p) || !p.Cycle && c.node(p.Root) }

func (c *constancy) node(n *Node) bool {
	if n == nil {
		return true
	}
	for _, a := range n.Alts {
		if a.Ref == nil || a.Ref.Context != nil || len(a.Ref.Enter) > 0 || a.Ref.Prog != nil && !c.prog(a.Ref.Prog) {
			return false
		}
	}
	return c.node(n.X) && c.node(n.Y) && c.node(n.Z)
}

func (c *constancy) items(items []Item, size int) bool {
	for _, it := range items {
		if it.Kind == ItemAlign || it.Kind == ItemBreak || !c.items(it.Members, size) {
			return false
		}
		for _, a := range it.Alts {
			if a.Cond != nil && !c.prog(a.Cond) || !c.ref(a.Ref, size) {
				return false
			}
		}
	}
	return true
}

func (c *constancy) ref(r *Ref, size int) bool {
	if r == nil || r.Context != nil || r.Field.Table != nil || r.Field.Symbols != "" || len(r.Enter) > 0 {
		return false
	}
	switch r.Kind {
	case spec.KindBranch, spec.KindAbsBranch, spec.KindCustom:
		return false
	case spec.KindBitset:
		return r.Env.Closed() && r.Env.Root.Size < size && c.env(r.Env)
	}
	return r.Prog == nil || c.prog(r.Prog)
}
