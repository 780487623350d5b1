package model

import "github.com/isago/isago/internal/spec"

// Constant tells whether the text of a value of this bitset is always the same: no label, no hook,
// no column, no context, no table.
//
// Nested values must be narrower each time, which also ends the recursion.
func (e *Env) Constant() bool {
	for _, l := range e.Root.Leaves {
		u := e.Unit(l)
		if len(u.Requires) > 0 {
			return false
		}
		for _, c := range u.Cases {
			if c.Cond != nil && !constantNode(c.Cond.Root) || !constantItems(c.Items, e.Root.Size) {
				return false
			}
		}
	}
	return true
}

func constantNode(n *Node) bool {
	if n == nil {
		return true
	}
	for _, a := range n.Alts {
		if a.Ref == nil || a.Ref.Context != nil || len(a.Ref.Enter) > 0 || a.Ref.Prog != nil && !constantNode(a.Ref.Prog.Root) {
			return false
		}
	}
	return constantNode(n.X) && constantNode(n.Y) && constantNode(n.Z)
}

func constantItems(items []Item, size int) bool {
	for _, it := range items {
		if it.Kind == ItemAlign || it.Kind == ItemBreak || !constantItems(it.Members, size) {
			return false
		}
		for _, a := range it.Alts {
			if a.Cond != nil && !constantNode(a.Cond.Root) || !constantRef(a.Ref, size) {
				return false
			}
		}
	}
	return true
}

func constantRef(r *Ref, size int) bool {
	if r == nil || r.Context != nil || r.Field.Table != nil || r.Field.Symbols != "" || len(r.Enter) > 0 {
		return false
	}
	switch r.Kind {
	case spec.KindBranch, spec.KindAbsBranch, spec.KindCustom:
		return false
	case spec.KindBitset:
		return r.Env.Closed() && r.Env.Root.Size < size && r.Env.Constant()
	}
	return r.Prog == nil || constantNode(r.Prog.Root)
}
