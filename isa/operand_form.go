package isa

import (
	"slices"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// OperandForm is an operand that instructions of a leaf can have, as far as that is the same in all words.
type OperandForm struct {
	// Name is the description's.
	Name string
	Role Role
	Kind OperandKind
	// Files are the register files and views of which the operand can be a register.
	Files []*File
	// Added are those of Files to whose numbers a register can be added.
	Added []*File
}

// OperandForms lists the operands of the leaf's text, in its order, where no override holds.
func (l *Leaf) OperandForms() []OperandForm {
	m := l.set.model
	return l.set.forms(nil, m.Top(l.model.Root).Bound(l.model), 0)
}

// forms appends the operands of a leaf's display.
func (s *Set) forms(list []OperandForm, u *model.BoundLeaf, depth int) []OperandForm {
	items := plainDisplay(u)
	for i := 0; i < len(items); {
		o, end := items[i].Operand, i+1
		if o == nil {
			list = s.form(list, &items[i], depth)
			i = end
			continue
		}
		for end < len(items) && items[end].Operand == o {
			end++
		}
		list = append(list, s.group(o, u.Knowledge().Operands[o], items[i:end]))
		i = end
	}
	return list
}

// plainDisplay returns the display of a leaf where no override holds.
func plainDisplay(u *model.BoundLeaf) []model.Item {
	for _, c := range u.Cases {
		if c.Shown && c.Cond == nil {
			return c.Items
		}
	}
	return nil
}

// form appends the operands of what is a piece of none.
func (s *Set) form(list []OperandForm, it *model.Item, depth int) []OperandForm {
	for i := range it.Members {
		list = s.form(list, &it.Members[i], depth)
	}
	if it.Kind != model.ItemRef || len(it.Alts) == 0 {
		return list
	}
	ref := it.Alts[len(it.Alts)-1].Ref // the one that holds where no override does
	if ref == nil || ref.Field == nil {
		return list
	}
	if b := ref.Field.Bitset; b != nil && b.Groups {
		if depth < maxFrames && len(ref.Env.Root.Leaves) > 0 {
			list = s.forms(list, ref.Env.Bound(ref.Env.Root.Leaves[0]), depth+1)
		}
		return list
	}
	if !ref.Field.IsOperand() {
		return list
	}
	f := OperandForm{Name: ref.Field.Name, Role: ref.Field.Role}
	s.pieceForm(&f, ref)
	return append(list, f.settled())
}

// group returns the form of an operand of several pieces.
func (s *Set) group(o *spec.Operand, facts *model.Facts, items []model.Item) OperandForm {
	f := OperandForm{Name: o.Name, Role: o.Role, Kind: o.Kind}
	s.factForms(&f, facts)
	for i := range items {
		it := &items[i]
		if it.Kind != model.ItemRef || len(it.Alts) == 0 || slices.ContainsFunc(facts.Relatives, func(r model.Relative) bool { return r.Field == it.Name }) {
			continue
		}
		if ref := it.Alts[len(it.Alts)-1].Ref; ref != nil && ref.Field != nil {
			s.pieceForm(&f, ref)
		}
	}
	s.relativeForms(&f, facts, f.Files)
	return f.settled()
}

// relativeForms notes to which of some files something can be added.
func (s *Set) relativeForms(f *OperandForm, facts *model.Facts, files []*File) {
	for _, r := range facts.Relatives {
		for _, file := range files {
			if (r.Of == nil || file == s.files[r.Of.Index]) && !slices.Contains(f.Added, file) {
				f.Added = append(f.Added, file)
			}
		}
	}
}

// pieceForm adds what the type of a field says.
func (s *Set) pieceForm(f *OperandForm, ref *model.Ref) {
	if k := ref.Field.KindOfOperand(); k != spec.OperandNone && f.Kind == UnknownOperand {
		f.Kind = k
	}
	switch ref.Field.Kind {
	case spec.KindBitset:
		for _, l := range ref.Env.Root.Leaves {
			own := OperandForm{Kind: f.Kind}
			facts := &ref.Env.Bound(l).Knowledge().Own
			s.factForms(&own, facts)
			s.relativeForms(f, facts, own.Files)
			for _, file := range own.Files {
				f.add(file)
			}
			f.Kind = own.Kind
		}
	case spec.KindEnum:
		for _, v := range ref.Enum.Spec.Values {
			if v.Reg != nil {
				f.add(s.files[v.Reg.File.Index])
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

func (s *Set) factForms(f *OperandForm, facts *model.Facts) {
	for _, r := range facts.Regs {
		f.add(s.files[r.File.Index])
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

// settled gives an operand that can be a register its kind.
func (f OperandForm) settled() OperandForm {
	if f.Kind == UnknownOperand && len(f.Files) > 0 {
		f.Kind = RegisterOperand
	}
	return f
}
