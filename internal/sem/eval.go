package sem

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// frame is a scope in which names of fields are looked up: a leaf and its bits. While a description is
// checked the bits are not known.
type frame struct {
	unit  *model.BoundLeaf
	v     bits.Value
	up    *frame
	depth int
}

// above returns the frame that many scopes up.
func (f *frame) above(hops int) *frame {
	for ; hops > 0 && f.up != nil; hops-- {
		f = f.up
	}
	return f
}

// Words is what is known of a program while its words are lowered.
type Words struct {
	Context bits.Value
	Tables  [][]bits.Value
	// Word returns the bits from an address on, in units of the root's size: what run executes.
	Word func(root *model.Root, addr uint64) (bits.Value, bool)
	// Quirks by name; those that are missing have their defaults.
	Quirks map[string]uint64
}

// evaluator computes what the bits decide: conditions and derived fields, and which leaves operands are. Code is lowered.
type evaluator struct{ words *Words }

func (e *evaluator) prog(p *model.Prog, f *frame) uint64 { return e.node(p.Root, f) }

func (e *evaluator) node(n *model.Node, f *frame) uint64 {
	switch n.Op {
	case spec.OpConst:
		return n.Value
	case spec.OpField:
		if ref := e.pick(n.Alts, f); ref != nil {
			return e.value(ref, f)
		}
		return 0
	case spec.OpOrOr, spec.OpAndAnd:
		if x := e.node(n.X, f); (x != 0) == (n.Op == spec.OpOrOr) {
			return flag(x != 0)
		}
		return flag(e.node(n.Y, f) != 0)
	case spec.OpCond:
		if e.node(n.X, f) != 0 {
			return e.node(n.Y, f)
		}
		return e.node(n.Z, f)
	}
	x := e.node(n.X, f)
	var y uint64
	if n.Y != nil {
		y = e.node(n.Y, f)
	}
	return model.Apply(n, x, y)
}

// pick returns what a name means on these bits, nil where it resolves nowhere.
func (e *evaluator) pick(alts []model.Alt, f *frame) *model.Ref {
	for i := range alts {
		if a := &alts[i]; a.Cond == nil || e.prog(a.Cond, f.above(a.CondDepth)) != 0 {
			return a.Ref
		}
	}
	return nil
}

// value returns the low 64 bits of a reference.
func (e *evaluator) value(r *model.Ref, f *frame) uint64 {
	if r.Context != nil {
		return e.words.Context.Uint(r.Low, r.Width)
	}
	f = f.above(r.ScopeDepth)
	if r.Prog != nil {
		return e.prog(r.Prog, f)
	}
	v := e.gather(r, e.entered(r, f.v))
	return v[0]
}

// gather joins the parts of a field.
func (e *evaluator) gather(r *model.Ref, v bits.Value) bits.Value {
	var w bits.Value
	for _, p := range r.Field.Parts {
		w = w.Shl(p.Width).Or(v.Slice(p.Low, p.Width))
	}
	return w
}

// entered returns the value of the last bitset that a path passes through.
func (e *evaluator) entered(r *model.Ref, v bits.Value) bits.Value {
	for _, in := range r.Enter {
		v = e.inner(in, v)
	}
	return v
}

// inner returns the value of a bitset field: its bits, or the entry that they are the index of.
func (e *evaluator) inner(r *model.Ref, v bits.Value) bits.Value {
	w := e.gather(r, v)
	if r.Field.Table == nil {
		return w
	}
	if t := e.words.Tables[r.Field.Table.Index]; w[0] < uint64(len(t)) {
		return t[w[0]]
	}
	return bits.Value{}
}

// nested returns the scope of a bitset field that is used in the scope f, nil where no leaf matches it.
func (e *evaluator) nested(r *model.Ref, f *frame) *frame {
	from := f.above(r.ScopeDepth)
	v := from.v
	for _, in := range r.Enter {
		v = e.inner(in, v)
		f = &frame{unit: in.Env.Bound(in.Env.Root.Leaves[0]), v: v, up: f, depth: f.depth + 1}
	}
	if r.Prog != nil {
		v = bits.Of(e.prog(r.Prog, from))
	} else {
		v = e.inner(r, v)
	}
	return e.match(r.Env, v, f)
}

// match returns the scope of the leaf that a value is, nil where it is none.
func (e *evaluator) match(env *model.Env, v bits.Value, up *frame) *frame {
	var found *frame
	for _, l := range env.Root.Leaves {
		if v.And(l.Mask) != l.Match {
			continue
		}
		f := &frame{unit: env.Bound(l), v: v, up: up}
		if up != nil {
			f.depth = up.depth + 1
		}
		if e.allowed(f) && (found == nil || refines(l, found.unit.Leaf)) {
			found = f
		}
	}
	return found
}

func refines(l, old *model.Leaf) bool {
	for _, r := range l.Refines {
		if r == old {
			return true
		}
	}
	return false
}

func (e *evaluator) allowed(f *frame) bool {
	for _, p := range f.unit.Requires {
		if e.prog(p, f) == 0 {
			return false
		}
	}
	return true
}
