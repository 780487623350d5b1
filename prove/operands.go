package prove

import (
	"fmt"
	"slices"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// factExprs returns the expressions in the facts about an operand.
func factExprs(f *spec.Facts) (list []*spec.Expr) {
	ofReg := func(r *spec.Reg) { list = append(list, r.Index, r.Component, r.When) }
	if f.Reg != nil {
		ofReg(f.Reg)
	}
	if f.Mem != nil {
		list = append(list, f.Mem.Index, f.Mem.Offset)
	}
	if f.Relative != nil {
		ofReg(&f.Relative.Reg)
	}
	for _, m := range f.Modifiers {
		list = append(list, m.When)
	}
	list = append(append(list, f.Swizzle...), f.Mask...)
	return slices.DeleteFunc(list, func(e *spec.Expr) bool { return e == nil })
}

// leafFactExprs returns the expressions in a bitset's operands and control flow.
func leafFactExprs(b *spec.Bitset) (list []*spec.Expr) {
	for _, c := range b.Cases {
		list = append(list, factExprs(&c.Facts)...)
	}
	for _, o := range b.Operands {
		list = append(list, factExprs(&o.Facts)...)
	}
	for _, f := range b.Flows {
		for _, e := range []*spec.Expr{f.Maybe, f.When} {
			if e != nil {
				list = append(list, e)
			}
		}
	}
	for _, c := range b.Classes {
		if c.When != nil {
			list = append(list, c.When)
		}
	}
	return list
}

// addLeafFacts adds the names that the operands and the control flow of a bitset use.
func (u *uses) addLeafFacts(b *spec.Bitset) {
	for _, o := range b.Operands {
		for _, t := range o.Displays {
			for _, it := range t.Items() {
				u.path(b, it.Ref)
			}
		}
		if o.Facts.Relative != nil {
			u.path(b, o.Facts.Relative.Field)
		}
	}
	for _, f := range b.Flows {
		u.path(b, f.Target)
		u.path(b, f.Count)
	}
}

// unusedFacts reports declarations about operands that have no effect: operands that no display shows,
// and register files that nothing uses. It also reports leaves that declare no kind of operand,
// although other leaves of the root declare registers.
func (c *checker) unusedFacts(u *uses) {
	files := map[*spec.File]bool{}
	use := func(f *spec.Facts) {
		if f.Reg != nil {
			files[f.Reg.File] = true
		}
		if f.Relative != nil && f.Relative.Reg.File != nil {
			files[f.Relative.Reg.File] = true
		}
	}
	for _, e := range c.spec.Enums {
		for _, v := range e.Values {
			if v.Reg != nil {
				files[v.Reg.File] = true
			}
		}
	}
	for _, b := range c.spec.Bitsets {
		for _, cs := range b.Cases {
			use(&cs.Facts)
		}
		for _, o := range b.Operands {
			use(&o.Facts)
			names := map[string]bool{}
			u.addBelow(b, names)
			if !names[o.Name] {
				c.add(nil, &Finding{Code: diag.OperandUnused, Level: Warning, Span: o.Span, Msg: "no display shows operand " + o.Name + " of " + b.Name})
			}
		}
		if b.Layout != nil && b.Layout.Flushes != nil {
			files[b.Layout.Flushes] = true
		}
		c.missingOperandKind(b)
	}
	words := c.words()
	for _, f := range c.spec.Files {
		files[f] = files[f] || words[f.Name]
	}
	for _, f := range c.spec.Files {
		if f.Of != nil && files[f] {
			files[f.Of] = true
		}
	}
	for _, f := range c.spec.Files {
		if !files[f] {
			c.add(nil, &Finding{Code: diag.FileUnused, Level: Warning, Span: f.Span, Msg: "nothing uses a register of " + f.Name})
		}
	}
}

// missingOperandKind reports a leaf that declares no kind of operand, although other leaves of its
// root declare registers.
func (c *checker) missingOperandKind(leaf *spec.Bitset) {
	root := leaf.Root()
	if len(leaf.Children) > 0 || leaf.OperandKind != spec.OperandNone || root.OperandKind != spec.OperandNone || !c.registers(root) {
		return
	}
	for b := leaf; b != nil; b = b.Extends {
		if slices.ContainsFunc(b.Cases, func(cs *spec.Case) bool { return cs.Facts.Reg != nil || cs.Facts.Mem != nil }) || b.OperandKind != spec.OperandNone {
			return
		}
	}
	c.add(nil, &Finding{
		Code: diag.RegisterUntold, Level: Warning, Span: leaf.Span,
		Msg: leaf.Name + " declares no kind of operand, unlike other leaves of " + root.Name + ", expected <reg>, <mem> or kind",
	})
}

// registers reports whether a bitset or one of its descendants declares a register.
func (c *checker) registers(b *spec.Bitset) bool {
	return slices.ContainsFunc(b.Cases, func(cs *spec.Case) bool { return cs.Facts.Reg != nil }) || slices.ContainsFunc(b.Children, c.registers)
}

// checkOperands searches for words whose register numbers or swizzle components are out of range.
func (k *walker) checkOperands(f *frame) {
	known := f.unit.LeafFacts()
	k.facts(f, &known.Own)
	seen := map[*spec.Operand]bool{}
	for _, c := range f.unit.Cases {
		for i := range c.Items {
			if o := c.Items[i].Operand; o != nil && !seen[o] {
				seen[o] = true
				k.facts(f, known.Operands[o])
			}
		}
	}
}

func (k *walker) facts(f *frame, facts *model.Facts) {
	rest := f.exists
	for i := range facts.Regs {
		r := &facts.Regs[i]
		here := k.w.And(rest, k.when(f, r.When))
		rest = k.w.And(rest, here.Not())
		k.number(f, r, here)
	}
	for i := range facts.Swizzles {
		s := &facts.Swizzles[i]
		here := k.w.And(f.exists, k.when(f, s.When))
		for _, p := range s.Components {
			if in, ans := k.witness(k.w.And(here, k.w.Less(f.value(p), constant(4), false).Not()), f); ans == circuit.Sometimes {
				x := &Finding{Code: diag.ComponentRange, Level: Warning, Span: p.Spec.Span, Msg: "the swizzle selects a component beyond the fourth"}
				k.addFinding(x, f, in)
			}
		}
	}
}

// number reports a register number that is too large for its file.
func (k *walker) number(f *frame, r *model.Reg, here circuit.Lit) {
	file := r.File
	outside := file.Outside
	if file.Of != nil {
		outside = file.Of.Outside
	}
	if outside != "" {
		return
	}
	beyond := k.w.Less(f.value(r.Index), constant(uint64(file.Count)), false).Not()
	if in, ans := k.witness(k.w.And(here, beyond), f); ans == circuit.Sometimes {
		x := &Finding{Code: diag.RegisterOutside, Level: Warning, Span: r.Index.Spec.Span}
		x.Msg = fmt.Sprintf("a register number beyond the %d registers of %s; define such registers with the attribute outside of the file", file.Count, file.Name)
		k.addFinding(x, f, in)
	}
}

func (k *walker) when(f *frame, w model.When) circuit.Lit {
	holds := circuit.True
	for _, p := range []*model.Prog{w.Case, w.Own} {
		if p != nil {
			holds = k.w.And(holds, f.holds(p))
		}
	}
	return holds
}
