package isa

import (
	"slices"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// OperandForm describes an operand of a leaf, independently of the word.
type OperandForm struct {
	// Name is the name in the description.
	Name string
	Role Role
	Kind OperandKind
	// Files are the register files and views to which the operand can refer.
	Files []*File
	// Added lists those elements of Files for which the value of another register can be added to the
	// register number.
	Added []*File
}

// OperandForms lists the operands in the leaf's default display, in the order of the text.
func (l *Leaf) OperandForms() []OperandForm {
	return l.set.declared.forms(nil, l.set.model.TopEnv(l.model.Root).Bound(l.model), 0)
}

// forms appends the forms of the operands in a leaf's default display.
func (x *declared) forms(list []OperandForm, u *model.BoundLeaf, depth int) []OperandForm {
	for items := plainDisplay(u); len(items) > 0; {
		o, n := sameOperand(items)
		if o == nil {
			list = x.form(list, &items[0], depth)
		} else {
			list = append(list, x.groupForm(o, u.LeafFacts().Operands[o], items[:n]))
		}
		items = items[n:]
	}
	return list
}

// sameOperand returns the operand to which the first item belongs and the number of consecutive items
// that belong to it. It returns nil and 1 if the first item does not belong to an operand.
func sameOperand(items []model.Item) (o *spec.Operand, n int) {
	o, n = items[0].Operand, 1
	for o != nil && n < len(items) && items[n].Operand == o {
		n++
	}
	return o, n
}

// plainDisplay returns the default display of a leaf.
func plainDisplay(u *model.BoundLeaf) []model.Item {
	for _, c := range u.Cases {
		if c.Shown && c.Cond == nil {
			return c.Items
		}
	}
	return nil
}

// plainRef returns the reference to the field that an item prints by default, or nil.
func plainRef(it *model.Item) *model.Ref {
	if it.Kind != model.ItemRef || len(it.Alts) == 0 {
		return nil
	}
	if ref := it.Alts[len(it.Alts)-1].Ref; ref != nil && ref.Field != nil {
		return ref
	}
	return nil
}

// form appends the forms of the operands in an item that is not a part of an <operand>.
func (x *declared) form(list []OperandForm, it *model.Item, depth int) []OperandForm {
	for i := range it.Members {
		list = x.form(list, &it.Members[i], depth)
	}
	ref := plainRef(it)
	switch {
	case ref == nil:
	case ref.Field.Bitset != nil && ref.Field.Bitset.HasOperands:
		if depth < maxFrames && len(ref.Env.Root.Leaves) > 0 {
			list = x.forms(list, ref.Env.Bound(ref.Env.Root.Leaves[0]), depth+1)
		}
	case ref.Field.IsOperand():
		f := OperandForm{Name: ref.Field.Name, Role: Role(ref.Field.Role)}
		f.piece(x, ref)
		list = append(list, f.settled())
	}
	return list
}

// groupForm returns the form of an operand with several parts.
func (x *declared) groupForm(o *spec.Operand, facts *model.Facts, items []model.Item) OperandForm {
	f := OperandForm{Name: o.Name, Role: Role(o.Role), Kind: OperandKind(o.Kind)}
	f.facts(x, facts)
	for i := range items {
		name := items[i].Name
		if ref := plainRef(&items[i]); ref != nil && !slices.ContainsFunc(facts.Relatives, func(r model.Relative) bool { return r.Field == name }) {
			f.piece(x, ref)
		}
	}
	f.relatives(x, facts, f.Files)
	return f.settled()
}

// relatives appends to f.Added those files for which the value of another register can be added to the
// register number.
func (f *OperandForm) relatives(x *declared, facts *model.Facts, files []*File) {
	for _, r := range facts.Relatives {
		for _, file := range files {
			if (r.Of == nil || file == x.file(r.Of)) && !slices.Contains(f.Added, file) {
				f.Added = append(f.Added, file)
			}
		}
	}
}

// piece adds the properties of a field's type to the form.
func (f *OperandForm) piece(x *declared, ref *model.Ref) {
	if f.Kind == UnknownOperand {
		f.Kind = OperandKind(ref.Field.KindOfOperand())
	}
	switch ref.Field.Kind {
	case spec.KindBitset:
		for _, l := range ref.Env.Root.Leaves {
			own := OperandForm{Kind: f.Kind}
			facts := &ref.Env.Bound(l).LeafFacts().Own
			own.facts(x, facts)
			f.relatives(x, facts, own.Files)
			for _, file := range own.Files {
				f.add(file)
			}
			f.Kind = own.Kind
		}
	case spec.KindEnum:
		for _, v := range ref.Enum.Spec.Values {
			if v.Reg != nil {
				f.add(x.file(v.Reg.File))
			}
		}
	case spec.KindBranch, spec.KindAbsBranch:
		f.Kind = TargetOperand
	case spec.KindBool, spec.KindBoolInv, spec.KindCustom:
	default:
		if f.Kind == UnknownOperand && len(f.Files) == 0 {
			f.Kind = ImmediateOperand
		}
	}
}

func (f *OperandForm) facts(x *declared, facts *model.Facts) {
	for _, r := range facts.Regs {
		f.add(x.file(r.File))
	}
	if len(facts.Mems) > 0 && f.Kind == UnknownOperand {
		f.Kind = MemoryOperand
	}
}

func (f *OperandForm) add(file *File) {
	if !slices.Contains(f.Files, file) {
		f.Files = append(f.Files, file)
	}
}

// settled returns f. If the kind of f is unknown and the operand can be a register, the kind of the
// result is RegisterOperand.
func (f OperandForm) settled() OperandForm {
	if f.Kind == UnknownOperand && len(f.Files) > 0 {
		f.Kind = RegisterOperand
	}
	return f
}
