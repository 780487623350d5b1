package gen

import (
	"slices"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// purpose is what is made of a bitset: functions that print it, that collect the operands which it shows, that say what
// it is as an operand, and that say which register is added to a number.
type purpose uint8

const (
	toShow purpose = iota
	toCollect
	toTell
	toAdd
)

// unitFor and envFor are what functions are made of.
type (
	unitFor struct {
		unit *model.BoundLeaf
		for_ purpose
	}
	envFor struct {
		env  *model.Env
		for_ purpose
	}
)

// Modes of the action that sets a register: of the operand, unless it has one; what is added; what is added, unless
// something is.
const (
	ownRegister = iota
	addedRegister
	addedIfNone
)

// act is a statement that hands values to a function of the runtime, by its name: numbers first, then expressions.
func act(name string, numbers []int, values ...*Expr) Stmt {
	return Stmt{Kind: Act, Text: name, Numbers: numbers, Values: values}
}

// collect returns the statements that collect the operands of a display.
func (l *lowering) collect(u *model.BoundLeaf) (out []Stmt) {
	for _, c := range u.Cases {
		if !c.Shown {
			continue
		}
		body := append(l.collectItems(u, c.Items), Stmt{Kind: Done})
		if c.Cond == nil {
			return append(out, body...)
		}
		out = append(out, Stmt{Kind: If, Value: l.prog(c.Cond, 0), Body: body})
	}
	return out
}

func (l *lowering) collectItems(u *model.BoundLeaf, items []model.Item) (out []Stmt) {
	for i := 0; i < len(items); {
		o, end := items[i].Operand, i+1
		if o == nil {
			out = append(out, l.collectItem(u, &items[i])...)
			i = end
			continue
		}
		for end < len(items) && items[end].Operand == o {
			end++
		}
		out = append(out, l.group(u, o, items[i:end]))
		i = end
	}
	return out
}

// collectItem collects the operands of what is a piece of none.
func (l *lowering) collectItem(u *model.BoundLeaf, it *model.Item) (out []Stmt) {
	if it.Kind == model.ItemSet {
		for i := range it.Members {
			out = append(out, l.collectItem(u, &it.Members[i])...)
		}
	}
	if it.Kind != model.ItemRef {
		return out
	}
	return l.pick(it.Alts, func(ref *model.Ref) []Stmt {
		if ref == nil || ref.Field == nil {
			return nil
		}
		if b := ref.Field.Bitset; b != nil && b.HasOperands {
			return []Stmt{{Kind: Nested, Nested: l.nestedField(ref, toCollect)}}
		}
		if !ref.Field.IsOperand() {
			return nil
		}
		facts := l.piece(u, ref, nil)
		if k := ref.Field.Kind; k == spec.KindBool || k == spec.KindBoolInv {
			facts = append(facts, act("take", nil, l.value(ref, 0)))
		}
		return []Stmt{l.operand(ref.Field.Name, ref.Field.Role, spec.OperandNone, l.show(u, it.Name, ref), facts)}
	})
}

// operand is the statement that adds an operand, if its text is not empty.
func (l *lowering) operand(name string, role spec.Role, kind spec.OperandKind, text, facts []Stmt) Stmt {
	if !mayBeEmpty(text) {
		text = nil
	}
	return Stmt{Kind: AddOperand, Text: name, Numbers: []int{int(role), int(kind)}, Body: text, Else: facts}
}

// mayBeEmpty reports whether statements may print nothing. Only of numbers it is known that they do not.
func mayBeEmpty(list []Stmt) bool {
	return !slices.ContainsFunc(list, func(s Stmt) bool {
		if s.Kind != Scalar {
			return false
		}
		switch s.Scalar.Kind {
		case spec.KindInt, spec.KindUint, spec.KindHex, spec.KindFloat:
			return true
		case spec.KindEnum:
			return !slices.ContainsFunc(s.Scalar.Enum.Texts, func(t model.EnumText) bool { return t.Text == "" })
		}
		return false
	})
}

// pick writes what a name means where its conditions hold.
func (l *lowering) pick(alts []model.Alt, of func(*model.Ref) []Stmt) []Stmt {
	if len(alts) == 0 {
		return of(nil)
	}
	a := alts[0]
	if a.Cond == nil {
		return of(a.Ref)
	}
	return either(l.prog(a.Cond, a.CondDepth), of(a.Ref), l.pick(alts[1:], of))
}

// either chooses between statements, of which there may be none.
func either(cond *Expr, then, other []Stmt) []Stmt {
	switch {
	case cond.Kind == Const && cond.Value != 0:
		return then
	case cond.Kind == Const:
		return other
	case len(then) == 0 && len(other) == 0:
		return nil
	case len(then) == 0:
		cond = settled(&Expr{Kind: Operator, Op: spec.OpNot, X: cond, Effects: cond.Effects})
		then, other = other, nil
	}
	return []Stmt{{Kind: If, Value: cond, Body: then, Else: other}}
}

// group collects an operand of several pieces.
func (l *lowering) group(u *model.BoundLeaf, o *spec.Operand, items []model.Item) Stmt {
	facts := u.LeafFacts().Operands[o]
	list := l.apply(facts)
	for i := range items {
		if it := &items[i]; it.Kind == model.ItemRef {
			list = append(list, l.pieceOf(u, it, facts)...)
		}
	}
	return l.operand(o.Name, o.Role, o.Kind, l.items(u, items), list)
}

// pieceOf is piece of what a name in a display means.
func (l *lowering) pieceOf(u *model.BoundLeaf, it *model.Item, facts *model.Facts) []Stmt {
	return l.pick(it.Alts, func(ref *model.Ref) []Stmt {
		if ref == nil || ref.Field == nil {
			return nil
		}
		return l.piece(u, ref, l.relative(facts.Relatives, it.Name))
	})
}

// relative is the condition under which the register of a piece is added to the number; nil for never.
func (l *lowering) relative(list []model.Relative, name string) *Expr {
	if !slices.ContainsFunc(list, func(r model.Relative) bool { return r.Field == name }) {
		return nil
	}
	is := &Expr{Kind: Const, Value: flag(list[0].Field == name)}
	rest := l.relative(list[1:], name)
	if rest == nil {
		rest = &Expr{Kind: Const}
	}
	return choice(l.holds(list[0].When), is, rest)
}

// holds is a condition in two parts.
func (l *lowering) holds(w model.When) *Expr {
	x := &Expr{Kind: Const, Value: 1}
	for _, p := range []*model.Prog{w.Case, w.Own} {
		if p == nil {
			continue
		}
		y := l.prog(p, 0)
		x = settledLogic(&Expr{Kind: Operator, Op: spec.OpAndAnd, X: x, Y: y, Effects: x.Effects || y.Effects})
	}
	return x
}

// firstOf chooses the first of a list that holds.
func firstOf[T any](l *lowering, list []T, when func(*T) model.When, of func(*T) []Stmt) []Stmt {
	if len(list) == 0 {
		return nil
	}
	return either(l.holds(when(&list[0])), of(&list[0]), firstOf(l, list[1:], when, of))
}

// register sets the register of the first facts that hold.
func (l *lowering) register(regs []model.Reg, mode int) []Stmt {
	return firstOf(l, regs, func(r *model.Reg) model.When { return r.When }, func(r *model.Reg) []Stmt {
		component := &Expr{Kind: Const, Value: ^uint64(0), Type: spec.I64}
		if r.Component != nil {
			component = l.prog(r.Component, 0)
		}
		return []Stmt{registerOf(r.File, mode, l.prog(r.Index, 0), component)}
	})
}

// registerOf sets a register of a file or view.
func registerOf(f *spec.File, mode int, index, component *Expr) Stmt {
	if f.Of == nil {
		return act("set_register", []int{mode, f.Index, -1, 1, f.Count, 1, f.Type.Size()}, index, component)
	}
	size, whole := f.Type.Size(), f.Of.Type.Size()
	count, end := f.Extent()
	if n := whole / size; n > 1 {
		return act("set_register", []int{mode, f.Of.Index, f.Index, count, end, n, size}, index, component)
	}
	return act("set_register", []int{mode, f.Of.Index, f.Index, count, end, 1, whole}, index, component)
}

// apply says what facts say.
func (l *lowering) apply(f *model.Facts) []Stmt {
	out := l.register(f.Regs, ownRegister)
	out = append(out, firstOf(l, f.Mems, func(m *model.Mem) model.When { return m.When }, l.memory)...)
	out = append(out, firstOf(l, f.Relatives, func(r *model.Relative) model.When { return r.When }, func(r *model.Relative) []Stmt {
		of := -1
		if r.Of != nil {
			of = r.Of.Index
		}
		list := []Stmt{act("only_of", []int{of})}
		if r.Field == "" {
			list = append(l.register([]model.Reg{r.Reg}, addedIfNone), list...)
		}
		return list
	})...)
	for i := range f.Modifiers {
		m := &f.Modifiers[i]
		out = append(out, either(l.holds(m.When), []Stmt{act("modify", []int{m.Spec.Index})}, nil)...)
	}
	out = append(out, l.selection("swizzle", f.Swizzles)...)
	return append(out, l.selection("mask", f.Masks)...)
}

// selection says which components are meant.
func (l *lowering) selection(name string, list []model.Selection) []Stmt {
	return firstOf(l, list, func(s *model.Selection) model.When { return s.When }, func(s *model.Selection) []Stmt {
		var values []*Expr
		for _, p := range s.Components {
			values = append(values, l.prog(p, 0))
		}
		for len(values) < 4 {
			values = append(values, &Expr{Kind: Const})
		}
		return []Stmt{act(name, nil, values...)}
	})
}

func (l *lowering) memory(m *model.Mem) (out []Stmt) {
	if at := m.Spec.Memory; at != nil {
		n, count := &Expr{Kind: Const}, 1
		if m.Index != nil {
			n, count = l.prog(m.Index, 0), at.Count
		}
		out = append(out, act("set_memory", []int{at.Index, count}, n))
	}
	if t := m.Spec.Type; t != nil {
		out = append(out, act("set_type", []int{int(t.Kind), t.Bits, t.Lanes}))
	}
	if m.Offset != nil {
		out = append(out, act("set_value", nil, l.prog(m.Offset, 0)))
	}
	return out
}

// piece says what a field says of an operand. Where relative holds, its register is added to the number of the
// operand's own.
func (l *lowering) piece(u *model.BoundLeaf, ref *model.Ref, relative *Expr) (out []Stmt) {
	f := ref.Field
	if k := f.KindOfOperand(); k != spec.OperandNone {
		out = append(out, act("set_kind", []int{int(k)}))
	}
	value := func() *Expr { return l.value(ref, 0) }
	switch f.Kind {
	case spec.KindBitset:
		tell := []Stmt{{Kind: Nested, Nested: l.nestedField(ref, toTell)}}
		if relative != nil {
			tell = either(relative, []Stmt{{Kind: Nested, Nested: l.nestedField(ref, toAdd)}}, tell)
		}
		return append(out, tell...)
	case spec.KindEnum:
		tell := l.enumValue(ref, ownRegister)
		if relative != nil {
			tell = either(relative, l.enumValue(ref, addedRegister), tell)
		}
		return append(out, tell...)
	case spec.KindBranch:
		return append(out, act("set_target", []int{f.Unit, ref.Width, 1}, value()))
	case spec.KindAbsBranch:
		return append(out, act("set_target", []int{f.Unit, 0, 0}, value()))
	case spec.KindBool, spec.KindBoolInv, spec.KindCustom:
		return append(out, act("take_flag", nil, value()))
	}
	kind := spec.ValueUnsigned
	signed := 0
	switch ref.Kind {
	case spec.KindInt, spec.KindOffset:
		kind, signed = spec.ValueSigned, 1
	case spec.KindFloat:
		kind = spec.ValueFloat
	}
	return append(out, act("set_number", []int{int(kind), ref.Width, signed}, value()))
}

// enumValue says which register a value of an enum names.
func (l *lowering) enumValue(ref *model.Ref, mode int) []Stmt {
	value := l.value(ref, 0)
	out := []Stmt{act("take", nil, value)}
	seen := map[uint64]bool{}
	var list []*spec.Value
	for _, x := range ref.Enum.Spec.Values {
		if x.Reg != nil && !seen[x.Val] {
			seen[x.Val] = true
			list = append(list, x)
		}
	}
	for _, x := range slices.Backward(list) {
		component := &Expr{Kind: Const, Value: ^uint64(0), Type: spec.I64}
		if x.Reg.Component != nil {
			component = &Expr{Kind: Const, Value: x.Reg.Component.Root().Value}
		}
		is := settled(&Expr{Kind: Operator, Op: spec.OpEq, X: value, Y: &Expr{Kind: Const, Value: x.Val, Type: spec.I64}, Effects: value.Effects})
		out = either(is, []Stmt{registerOf(x.Reg.File, mode, &Expr{Kind: Const, Value: x.Reg.Index.Root().Value}, component)}, out)
	}
	return out
}

// tell says what a nested bitset and the pieces that it shows say.
func (l *lowering) tell(u *model.BoundLeaf) []Stmt {
	facts := &u.LeafFacts().Own
	out := l.apply(facts)
	var shown []Stmt
	for _, c := range slices.Backward(u.Cases) {
		if !c.Shown {
			continue
		}
		pieces := l.pieces(u, c.Items, facts)
		if c.Cond == nil {
			shown = pieces
			continue
		}
		shown = either(l.prog(c.Cond, 0), pieces, shown)
	}
	whole := &Expr{Kind: BitsOf, Type: spec.I64, Source: Source{Width: u.Leaf.Size}}
	return append(append(out, shown...), act("take", nil, whole))
}

func (l *lowering) pieces(u *model.BoundLeaf, items []model.Item, facts *model.Facts) (out []Stmt) {
	for i := range items {
		switch it := &items[i]; it.Kind {
		case model.ItemSet:
			out = append(out, l.pieces(u, it.Members, facts)...)
		case model.ItemRef:
			out = append(out, l.pieceOf(u, it, facts)...)
		}
	}
	return out
}
