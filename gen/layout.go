package gen

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// layout says where the fields of a leaf are.
func (l *lowering) layout(leaf *Leaf, u *model.BoundLeaf) {
	if leaf.Layout.Fields != nil || !leaf.Layout.Rest.IsZero() {
		return // of another generation, with the same bitsets
	}
	b := layouter{l: l, out: &leaf.Layout, u: u, names: NewNames("rest")}
	var chain []*spec.Bitset
	for x := leaf.Spec; x != nil; x = x.Extends {
		chain = append(chain, x)
	}
	rest := bits.Ones(leaf.Size).AndNot(leaf.Mask)
	for _, x := range slices.Backward(chain) {
		c := x.Cases[len(x.Cases)-1]
		rest = rest.AndNot(b.fields(c, nil))
		b.out.Expected = b.out.Expected.Or(expected(c))
	}
	first := len(b.out.Cases)
	for _, x := range slices.Backward(chain) {
		for _, c := range slices.Backward(x.Cases[:len(x.Cases)-1]) {
			b.override(c)
		}
	}
	b.out.Rest, b.out.Expected = rest, b.out.Expected.And(rest)
	for i := first; i < len(b.out.Cases); i++ {
		c := &b.out.Cases[i]
		c.Rest, c.Expected, c.Covers = c.Rest.And(rest), c.Expected.And(rest), c.Covers.And(rest)
	}
	b.out.Cases = slices.DeleteFunc(b.out.Cases, func(c LayoutCase) bool { return len(c.Fields) == 0 && c.Rest.IsZero() && c.Covers.IsZero() })
}

type layouter struct {
	l     *lowering
	u     *model.BoundLeaf
	out   *Layout
	names *Names
}

func expected(c *spec.Case) (v Bits) {
	for _, a := range c.Asserts {
		v = v.Or(a.Match)
	}
	return v
}

func (b *layouter) override(c *spec.Case) {
	x := LayoutCase{Cond: b.l.prog(b.u.Prog(c.Expr), 0), Expected: expected(c)}
	for _, a := range c.Asserts {
		x.Rest = x.Rest.Or(a.Mask)
	}
	x.Covers = b.fields(c, &x)
	b.out.Cases = append(b.out.Cases, x)
}

// fields adds the fields of a case, and returns their bits.
func (b *layouter) fields(c *spec.Case, to *LayoutCase) (mask Bits) {
	for _, f := range c.Fields {
		if len(f.Parts) == 0 {
			continue
		}
		for _, p := range f.Parts {
			mask = mask.Or(bits.Range(p.Low, p.Width))
		}
		i := slices.IndexFunc(b.out.Fields, func(x *Field) bool {
			return x.Spec.Name == f.Name && slices.Equal(x.Parts, f.Parts) && x.Spec.Kind == f.Kind
		})
		if i >= 0 {
			continue // the same bits by the same name
		}
		x := &Field{
			Spec: f, Name: b.names.Unique(Lower(f.Name), f.Name), Parts: f.Parts, Width: f.Width,
			Bool: f.Kind == spec.KindBool && f.Width == 1,
		}
		switch f.Kind {
		case spec.KindInt, spec.KindOffset, spec.KindBranch:
			x.Signed = f.Width <= 64
		case spec.KindEnum:
			x.Enum = b.l.p.enumOf(f.Enum)
		case spec.KindBitset:
			x.Root = b.l.p.rootOf(f.Bitset)
		}
		b.out.Fields = append(b.out.Fields, x)
		if to != nil {
			x.Where = Comment(c.Expr.Text)
			to.Fields = append(to.Fields, x)
		}
	}
	return mask
}

func (p *Program) enumOf(e *spec.Enum) *Enum {
	i := slices.IndexFunc(p.Enums, func(x *Enum) bool { return x.Spec == e })
	if i < 0 {
		return nil
	}
	return p.Enums[i]
}

func (p *Program) rootOf(b *spec.Bitset) *Root {
	i := slices.IndexFunc(p.Roots, func(x *Root) bool { return x.Spec == b })
	if i < 0 {
		return nil
	}
	return p.Roots[i]
}

// maxCost bounds the expressions that are computed for one: those that use others twice, which use others
// twice, would take ages.
const maxCost = 1 << 20

// bound refuses expressions that take ages.
func (l *lowering) bound() {
	for _, f := range l.p.Funcs {
		if f.Kind != Eval {
			continue
		}
		f.Cost = 1
		for _, x := range f.Eval.all() {
			f.Cost += x.cost()
		}
		if f.Cost > maxCost {
			refuse(l.places[f], "computing the expression needs more than %d other expressions", maxCost)
		}
	}
}

// all lists the expressions of which an evaluation consists.
func (e *Evaluation) all() []*Expr {
	list := slices.Clone(e.Fetch)
	for _, m := range slices.Concat(e.Missing, e.Locals) {
		list = append(list, m.Found, m.Value)
	}
	return append(list, e.Value)
}

func (x *Expr) cost() uint64 {
	if x == nil {
		return 0
	}
	n := x.X.cost() + x.Y.cost() + x.Z.cost()
	if x.Kind == Call {
		n += x.Func.Cost
	}
	if x.Kind == BitsOf && x.Source.Entry != nil {
		n += x.Source.Entry.Index.cost()
	}
	return min(n, maxCost+1)
}

// Bits returns the bits of a word that the field has.
func (f *Field) Bits() (all Bits) {
	for _, p := range f.Parts {
		all = all.Or(bits.Range(p.Low, p.Width))
	}
	return all
}

// Default lists the fields that no override has, and tells of each whether its bits are 0 in a word that has the pattern
// and the fields before it.
func (l *Leaf) Default() (list []*Field, fresh []bool) {
	conditional := map[*Field]bool{}
	for _, c := range l.Layout.Cases {
		for _, f := range c.Fields {
			conditional[f] = true
		}
	}
	taken := l.Match
	for _, f := range l.Layout.Fields {
		if !conditional[f] {
			both := f.Bits().And(taken)
			list, fresh = append(list, f), append(fresh, both.IsZero())
			taken = taken.Or(f.Bits())
		}
	}
	return list, fresh
}
