package isa

import (
	"slices"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// operandWalk collects the operands of an instruction while it is printed.
type operandWalk struct {
	d   *Decoder
	out []Operand
	// start is the start of the text.
	start int
	// of is the only file to which the current operand's Relative applies, or nil for any file.
	of *spec.File
	// bits collects the bits of the current operand.
	bits operandBits
}

// wordTable is used as the table index of bits of the word itself.
const wordTable = -1

// field records a printed field if the field is an operand by itself. alts are the meanings of the
// field's name. from and end delimit its text in the buffer.
func (w *operandWalk) field(ref *model.Ref, alts []model.Alt, depth, from, end int) {
	if f := ref.Field; f != nil && f.IsOperand() && (f.Bitset == nil || !f.Bitset.HasOperands) {
		w.note(ref, alts, nil, nil, depth, from, end)
	}
}

// note records a printed operand: the field ref, whose name has the meanings alts, or the operand o,
// whose parts are items. It discards findings and does not count operands, because the printer has
// already recorded the findings and counted the operands.
func (w *operandWalk) note(ref *model.Ref, alts []model.Alt, o *spec.Operand, items []model.Item, depth, from, end int) {
	if end == from {
		return
	}
	m, x := w.memo(ref, alts, o, items, depth)
	if w.recall(m, x, from, end) {
		return
	}
	d := w.d
	found, operands := len(d.findings), d.operands
	var op *Operand
	if o != nil {
		op = w.open(o.Name, o.Role, from, depth)
		w.group(op, o, items, depth)
	} else {
		op = w.open(ref.Field.Name, ref.Field.Role, from, depth)
		w.pick(alts, depth)
		w.piece(op, ref, false, depth)
		if k := ref.Field.Kind; k == spec.KindBool || k == spec.KindBoolInv {
			op.setBits(d.value(ref, depth))
		}
	}
	w.close(op, end)
	m.keep(x, op)
	d.dropFindings(found)
	d.operands = operands
}

// next returns storage for another operand. It reuses the capacity of the buffer.
func (w *operandWalk) next() *Operand {
	w.of = nil
	w.out = slices.Grow(w.out, 1)[:len(w.out)+1]
	return &w.out[len(w.out)-1]
}

// open appends a new operand, whose text is in the text of a frame, and starts to record its bits.
func (w *operandWalk) open(name string, role spec.Role, from, depth int) *Operand {
	op := w.next()
	*op = Operand{Name: name, Role: Role(role), Bits: op.Bits[:0], Start: from - w.start}
	op.Register.Component, op.Relative.Component = -1, -1
	w.openBits(op, depth)
	return op
}

// close sets the end of an operand and lists its bits. If the kind is still unknown, close derives it
// from the register or the memory.
func (w *operandWalk) close(op *Operand, end int) {
	op.End = end - w.start
	w.closeBits()
	if f := op.Relative.File; f != nil && w.of != nil && !op.Register.named(w.d.set.declared.file(w.of)) {
		op.Relative = Register{Component: -1}
	}
	if op.Kind != UnknownOperand {
		return
	}
	switch {
	case op.Register.File != nil:
		op.Kind = RegisterOperand
	case op.Memory != nil:
		op.Kind = MemoryOperand
	}
}

// group adds the facts and the parts of the operand o, which has several parts, to op.
func (w *operandWalk) group(op *Operand, o *spec.Operand, items []model.Item, depth int) {
	op.Kind = OperandKind(o.Kind)
	relative := w.apply(op, w.d.frames[depth].leaf.LeafFacts().Operands[o], depth)
	for i := range items {
		w.shownPiece(op, &items[i], relative, depth)
	}
}

// apply adds facts about the value of a frame to the operand. It does not change a register, a memory or
// a selection of components that an enclosing scope has set. It returns the name of the part whose
// register is added to the register number or the address, or "" if there is none.
func (w *operandWalk) apply(op *Operand, f *model.Facts, depth int) (relative string) {
	if op.Register.File == nil {
		w.register(&op.Register, f.Regs, depth)
	}
	for i := range f.Mems {
		if m := &f.Mems[i]; w.holds(m.When, depth) {
			w.memory(op, m, depth)
			break
		}
	}
	for i := range f.Relatives {
		r := &f.Relatives[i]
		if !w.holds(r.When, depth) {
			continue
		}
		if r.Field == "" && op.Relative.File == nil {
			w.setRegister(&op.Relative, &r.Reg, depth)
		}
		relative, w.of = r.Field, r.Of
		break
	}
	for i := range f.Modifiers {
		if m := &f.Modifiers[i]; w.holds(m.When, depth) {
			op.Modifiers |= 1 << m.Spec.Index
		}
	}
	w.selections(op, f, depth)
	return relative
}

func (w *operandWalk) selections(op *Operand, f *model.Facts, depth int) {
	for i := range f.Swizzles {
		if s := &f.Swizzles[i]; !op.Swizzled && w.holds(s.When, depth) {
			op.Swizzled = true
			for k, p := range s.Components {
				op.Swizzle[k] = uint8(w.eval(p, depth))
			}
			break
		}
	}
	for i := range f.Masks {
		if s := &f.Masks[i]; !op.Masked && w.holds(s.When, depth) {
			op.Masked, op.Mask = true, 0
			for k, p := range s.Components {
				op.Mask |= uint8(boolean(w.eval(p, depth) != 0)) << k
			}
			break
		}
	}
}

func (w *operandWalk) holds(c model.When, depth int) bool {
	return (c.Case == nil || w.eval(c.Case, depth) != 0) && (c.Own == nil || w.eval(c.Own, depth) != 0)
}

// register sets the register from the first fact whose condition holds.
func (w *operandWalk) register(to *Register, regs []model.Reg, depth int) {
	for i := range regs {
		if r := &regs[i]; w.holds(r.When, depth) {
			w.setRegister(to, r, depth)
			return
		}
	}
}

func (w *operandWalk) setRegister(to *Register, r *model.Reg, depth int) {
	component := -1
	if r.Component != nil {
		component = int(w.eval(r.Component, depth))
	}
	*to = w.d.set.declared.register(r.File, int(int64(w.eval(r.Index, depth))), component)
}

// register returns the register whose number in a file or view is index.
func (x *declared) register(f *spec.File, index, component int) Register {
	if f.Of == nil {
		return Register{File: x.file(f), Index: index, Count: 1, Width: f.Type.Size(), Component: component}
	}
	size, whole := f.Type.Size(), f.Of.Type.Size()
	count, end := f.Extent()
	r := Register{File: x.file(f.Of), View: x.file(f), Index: index, Count: count, Width: whole, Component: component}
	if index < end {
		r.Count = min(count, end-index)
	}
	if n := whole / size; n > 1 {
		r.Index, r.Low, r.Width = index/n, index%n*size, size
	}
	return r
}

// named reports whether f is the file of the register or the view that names it.
func (r *Register) named(f *File) bool { return r.File == f || r.View == f }

// memoryOf returns the memory of a fact. For a group, it returns the member that the index selects, or
// nil if the group has no such member.
func (w *operandWalk) memoryOf(m *model.Mem, depth int) *Memory {
	if m.Index == nil {
		return w.d.set.declared.memories[m.Spec.Memory.Index]
	}
	n := w.eval(m.Index, depth)
	if n >= uint64(m.Spec.Memory.Count) {
		return nil
	}
	return w.d.set.declared.memories[m.Spec.Memory.Index+int(n)]
}

func (w *operandWalk) memory(op *Operand, m *model.Mem, depth int) {
	if m.Spec.Memory != nil && op.Memory == nil {
		op.Memory = w.memoryOf(m, depth)
	}
	if m.Spec.Type != nil && op.Type.Bits == 0 {
		op.Type = typeOf(*m.Spec.Type)
	}
	if m.Offset != nil {
		op.Value = w.eval(m.Offset, depth)
	}
}

// piece adds a field to an operand: its bits and the properties of its type. relative means that the
// field's register is added to the operand's register number or address.
func (w *operandWalk) piece(op *Operand, ref *model.Ref, relative bool, depth int) {
	f := ref.Field
	w.addBits(ref, depth, all, f.Kind == spec.KindBitset && f.Table == nil && ref.Prog == nil && !relative)
	if k := f.KindOfOperand(); k != spec.OperandNone && op.Kind == UnknownOperand {
		op.Kind = OperandKind(k)
	}
	switch f.Kind {
	case spec.KindBitset:
		w.nested(op, ref, relative, depth)
	case spec.KindEnum:
		w.value(op, ref, relative, depth)
	case spec.KindBranch, spec.KindAbsBranch:
		op.Kind = TargetOperand
		op.Value = uint64(w.d.target(ref, w.d.value(ref, depth)))
	case spec.KindBool, spec.KindBoolInv, spec.KindCustom:
		if op.Kind == ModifierOperand || op.Kind == ConditionOperand {
			op.Value = w.d.value(ref, depth)
		}
	default:
		w.number(op, ref, depth)
	}
}

// number sets the operand's Value to the number in a field if nothing else determines the Value.
func (w *operandWalk) number(op *Operand, ref *model.Ref, depth int) {
	if op.Register.File != nil || op.Memory != nil || op.Type.Bits != 0 {
		return
	}
	if op.Kind == UnknownOperand {
		op.Kind = ImmediateOperand
	}
	v := w.d.value(ref, depth)
	op.Type = Type{Kind: Unsigned, Bits: ref.Width, Lanes: 1}
	switch ref.Kind {
	case spec.KindInt, spec.KindOffset:
		op.Type.Kind = Signed
		v = uint64(model.SignExtend(v, ref.Width))
	case spec.KindFloat:
		op.Type.Kind = Float
	}
	op.Value = v
}

// value sets the register that the value of an enum field names. If the value names no register, it
// becomes the Value of a condition, a modifier or a sampler.
func (w *operandWalk) value(op *Operand, ref *model.Ref, relative bool, depth int) {
	v := w.d.value(ref, depth)
	for _, x := range ref.Enum.Spec.Values {
		if x.Val != v || x.Reg == nil {
			continue
		}
		component := -1
		if x.Reg.Component != nil {
			component = int(x.Reg.Component.Root().Value)
		}
		r := w.d.set.declared.register(x.Reg.File, int(x.Reg.Index.Root().Value), component)
		switch {
		case relative:
			op.Relative = r
		case op.Register.File == nil:
			op.Register = r
		}
		return
	}
	op.setBits(v)
}

// setBits sets the Value of a condition, a modifier or a sampler. It reports whether the operand has one
// of these kinds.
func (op *Operand) setBits(v uint64) bool {
	if op.Kind != ConditionOperand && op.Kind != ModifierOperand && op.Kind != SamplerOperand {
		return false
	}
	op.Value = v
	return true
}

// nested adds the facts and the parts of a nested bitset to the operand.
func (w *operandWalk) nested(op *Operand, ref *model.Ref, relative bool, depth int) {
	inner, x, ok := w.d.enterDisplayed(ref, depth)
	if !ok {
		w.addBits(ref, depth, all, false)
		return
	}
	w.choice(inner)
	facts := &w.d.frames[inner].leaf.LeafFacts().Own
	if relative {
		w.register(&op.Relative, facts.Regs, inner)
		return
	}
	name := w.apply(op, facts, inner)
	if x != nil {
		w.pieces(op, x.items, name, inner)
	}
	if op.setBits(w.d.frames[inner].v[0]) {
		w.addBits(ref, depth, all, false)
	}
}

func (w *operandWalk) pieces(op *Operand, items []model.Item, relative string, depth int) {
	for i := range items {
		if it := &items[i]; it.Kind == model.ItemSet {
			w.pieces(op, it.Members, relative, depth)
		} else if depth+1 < maxFrames {
			w.shownPiece(op, it, relative, depth)
		}
	}
}

// shownPiece adds the field that an item prints to the operand. relative is the name of the part whose
// register is added to the register number or the address.
func (w *operandWalk) shownPiece(op *Operand, it *model.Item, relative string, depth int) {
	if it.Kind != model.ItemRef {
		return
	}
	if ref := w.pick(it.Alts, depth); ref != nil && ref.Field != nil {
		w.piece(op, ref, it.Name == relative, depth)
	}
}
