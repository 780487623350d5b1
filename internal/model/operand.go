package model

import (
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Facts are what the description says of an operand, bound in the scope of a bound leaf. Of registers,
// places in memory, relatives, swizzles and masks the first whose conditions hold counts; of modifiers
// all that hold.
type Facts struct {
	Regs      []Reg
	Mems      []Mem
	Relatives []Relative
	Modifiers []Modifier
	Swizzles  []Selection
	Masks     []Selection
}

// When is a condition in two parts, that of the override in which something stands and its own; nil
// parts hold.
type When struct{ Case, Own *Prog }

// Reg says that the bits mean a register.
type Reg struct {
	When
	File *spec.File
	// Component is nil for a whole register.
	Index, Component *Prog
}

// Mem says that the bits mean a place in memory.
type Mem struct {
	When
	Spec *spec.Mem
	// Index is nil for a memory that stands alone, Offset where another piece says it.
	Index, Offset *Prog
}

// Relative says what is added to the number of a register or to an address: the register of a piece,
// or Reg where Field is empty.
type Relative struct {
	When
	Field string
	Reg   Reg
	// Of is the file of which the operand's register must be; nil for any.
	Of *spec.File
}

// Modifier is a change of the value.
type Modifier struct {
	When
	Spec *spec.Modifier
}

// Selection gives an expression for each component.
type Selection struct {
	When
	Components []*Prog
}

// Flow is a flow of control, bound.
type Flow struct {
	Spec        *spec.Flow
	When, Maybe *Prog
	// Target and Count are the meanings of the fields, nil where there is none.
	Target, Count []Alt
}

// LeafFacts is what a description says of a leaf beside its encoding and its text.
type LeafFacts struct {
	// Own are the facts of the leaf's bits as an operand.
	Own Facts
	// Operands are those of the operands that its displays name.
	Operands map[*spec.Operand]*Facts
	Flows    []Flow
	// Errs are the names that could not be bound.
	Errs diag.List
}

// LeafFacts binds what the description says of the leaf's operands and of its flow, when somebody asks.
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

// field returns what the name of a field means, nil for "". It is an error if it is none.
func (u *BoundLeaf) field(path string, at diag.Span) []Alt {
	if path == "" {
		return nil
	}
	alts := u.resolve(path, nil)
	if alts[0].Ref == nil || alts[0].Ref.Field == nil {
		u.fail(diag.Errorf(diag.Unresolved, at, "%s is no field of %s", path, u.Leaf.Name))
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
			u.fail(diag.Errorf(diag.FieldType, f.Span, "target %s of a <flow> is no branch in %s", f.Target, u.Leaf.Name))
			break
		}
	}
	return Flow{f, u.optional(f.When), u.optional(f.Maybe), target, u.field(f.Count, f.Span)}
}

// operandItems binds the pieces of an operand, as if they stood in the display themselves.
func (u *BoundLeaf) operandItems(it spec.Item, o *spec.Operand, given Assumptions) []Item {
	t := o.Displays[u.Env.Machine.Syntax]
	if t == nil {
		t = o.Displays[""]
	}
	items := u.pieces(t, given, func(string) *spec.Operand { return nil }) // an operand has fields as its pieces
	for i := range items {
		items[i].Operand = o
	}
	if it.Before == "" && it.After == "" {
		return items
	}
	if len(items) != 1 || items[0].Kind != ItemRef || items[0].Before != "" || items[0].After != "" {
		u.fail(diag.Errorf(diag.TemplateText, it.Span, "operand %s has several pieces: text that is printed only with it has nothing to go by", o.Name))
		return items
	}
	items[0].Before, items[0].After = it.Before, it.After
	return items
}
