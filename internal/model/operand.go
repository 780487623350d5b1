package model

import (
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Facts holds the bound declarations for an operand. All modifiers whose conditions hold apply. For
// every other kind of declaration, the first one whose condition holds applies.
type Facts struct {
	Regs      []Reg
	Mems      []Mem
	Relatives []Relative
	Modifiers []Modifier
	Swizzles  []Selection
	Masks     []Selection
}

// When consists of the condition of the enclosing override and the condition of the declaration itself.
// Both must hold. A nil condition always holds.
type When struct{ Case, Own *Prog }

// Reg declares that the bits select a register.
type Reg struct {
	When
	File *spec.File
	// Component is nil if the operand is a whole register.
	Index, Component *Prog
}

// Mem declares that the bits select a location in memory.
type Mem struct {
	When
	Spec *spec.Mem
	// Index is nil if the memory is not in a group. Offset is nil if another part of the operand
	// defines the offset.
	Index, Offset *Prog
}

// Relative is a register whose value is added to a register number or to an address. Field names the
// part of the operand that is the register. If Field is empty, Reg is the register.
type Relative struct {
	When
	Field string
	Reg   Reg
	// Of is the register file to which the operand must belong, or nil for any file.
	Of *spec.File
}

// Modifier declares a change to the operand's value, such as negation.
type Modifier struct {
	When
	Spec *spec.Modifier
}

// Selection is a swizzle or a mask, with one expression per component.
type Selection struct {
	When
	Components []*Prog
}

// Flow is a bound control flow declaration.
type Flow struct {
	Spec        *spec.Flow
	When, Maybe *Prog
	// Target and Count are the meanings of the fields, or nil if there is no such field.
	Target, Count []Alt
}

// Class is a class of the leaf, with the condition under which the leaf is of the class. A nil When always holds.
type Class struct {
	Spec *spec.Class
	When *Prog
}

// LeafFacts holds the declarations for a leaf, except its encoding and its text.
type LeafFacts struct {
	// Own are the facts about the leaf as an operand.
	Own Facts
	// Operands are the facts about the operands in the leaf's displays.
	Operands map[*spec.Operand]*Facts
	Flows    []Flow
	Classes  []Class
	// Errs contains an error for each name that could not be bound.
	Errs diag.List
}

// LeafFacts returns the declarations for the leaf's operands and control flow. It binds them on the
// first call.
func (u *BoundLeaf) LeafFacts() *LeafFacts {
	if k := u.leafFacts.Load(); k != nil {
		return k
	}
	u.Env.Machine.mu.Lock()
	defer u.Env.Machine.mu.Unlock()
	if k := u.leafFacts.Load(); k != nil {
		return k
	}
	before := len(u.errs)
	k := &LeafFacts{Operands: map[*spec.Operand]*Facts{}}
	for _, c := range u.Cases {
		u.shown(k.Operands, c.Items)
	}
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			u.facts(&k.Own, &c.Facts, c.Expr)
		}
		for _, f := range b.Flows {
			k.Flows = append(k.Flows, u.flow(f))
		}
		for _, c := range b.Classes {
			k.Classes = append(k.Classes, Class{c.Class, u.optional(c.When)})
		}
		for _, l := range b.Limits {
			u.field(l.Name, l.Span)
		}
	}
	k.Errs = append(k.Errs, u.errs[before:]...)
	u.errs = u.errs[:before]
	u.leafFacts.Store(k)
	return k
}

// shown binds the facts of the operands that a display names.
func (u *BoundLeaf) shown(operands map[*spec.Operand]*Facts, items []Item) {
	for i := range items {
		o := items[i].Operand
		if o == nil || operands[o] != nil {
			continue
		}
		operands[o] = &Facts{}
		u.facts(operands[o], &o.Facts, nil)
	}
}

// field returns the meanings of a field name, or nil for "". It reports an error if the name is not a
// field.
func (u *BoundLeaf) field(path string, at diag.Span) []Alt {
	if path == "" {
		return nil
	}
	alts := u.resolve(path, nil)
	if alts[0].Ref == nil || alts[0].Ref.Field == nil {
		u.fail(diag.Errorf(diag.Unresolved, at, "%s is not a field of %s", path, u.Leaf.Name))
		return nil
	}
	return alts
}

func (u *BoundLeaf) facts(to *Facts, from *spec.Facts, condition *spec.Expr) {
	if from.IsZero() {
		return
	}
	when := func(own *spec.Expr) When { return When{u.optional(condition), u.optional(own)} }
	if r := from.Reg; r != nil {
		to.Regs = append(to.Regs, u.reg(r, when(r.When)))
	}
	if m := from.Mem; m != nil {
		to.Mems = append(to.Mems, Mem{when(nil), m, u.optional(m.Index), u.optional(m.Offset)})
	}
	if r := from.Relative; r != nil {
		bound := Relative{When: when(r.Reg.When), Field: r.Field, Of: r.Of}
		if r.Field == "" {
			bound.Reg = u.reg(&r.Reg, bound.When)
		}
		u.field(r.Field, r.Span)
		to.Relatives = append(to.Relatives, bound)
	}
	for _, m := range from.Modifiers {
		to.Modifiers = append(to.Modifiers, Modifier{when(m.When), m})
	}
	if from.Swizzle != nil {
		to.Swizzles = append(to.Swizzles, Selection{when(nil), u.each(from.Swizzle)})
	}
	if from.Mask != nil {
		to.Masks = append(to.Masks, Selection{when(nil), u.each(from.Mask)})
	}
}

func (u *BoundLeaf) reg(r *spec.Reg, when When) Reg {
	return Reg{when, r.File, u.prog(r.Index), u.optional(r.Component)}
}

// optional binds an expression that may be absent.
func (u *BoundLeaf) optional(e *spec.Expr) *Prog {
	if e == nil {
		return nil
	}
	return u.prog(e)
}

func (u *BoundLeaf) each(list []*spec.Expr) []*Prog {
	out := make([]*Prog, len(list))
	for i, e := range list {
		out[i] = u.prog(e)
	}
	return out
}

func (u *BoundLeaf) flow(f *spec.Flow) Flow {
	target := u.field(f.Target, f.Span)
	for _, a := range target {
		if a.Ref != nil && a.Ref.Kind != spec.KindBranch && a.Ref.Kind != spec.KindAbsBranch {
			u.fail(diag.Errorf(diag.FieldType, f.Span, "target %s of a <flow> is not a branch in %s", f.Target, u.Leaf.Name))
			break
		}
	}
	return Flow{f, u.optional(f.When), u.optional(f.Maybe), target, u.field(f.Count, f.Span)}
}

// operandItems binds the items of an operand as if the display contained them.
func (u *BoundLeaf) operandItems(it spec.Item, o *spec.Operand, given Assumptions) []Item {
	t := o.Displays[u.Env.Machine.Syntax]
	if t == nil {
		t = o.Displays[""]
	}
	items := u.pieces(t, given, func(string) *spec.Operand { return nil }) // Operands do not contain operands.
	for i := range items {
		items[i].Operand = o
	}
	if it.Before == "" && it.After == "" {
		return items
	}
	if len(items) != 1 || items[0].Kind != ItemRef || items[0].Before != "" || items[0].After != "" {
		u.fail(diag.Errorf(diag.TemplateText, it.Span, "operand %s has several parts, so no text can depend on whether it prints", o.Name))
		return items
	}
	items[0].Before, items[0].After = it.Before, it.After
	return items
}
