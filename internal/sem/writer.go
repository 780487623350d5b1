package sem

// Writer builds a list of operations. It folds operations on constants, and writes an operation on the same values only once.
type Writer struct{ b *builder }

// NewWriter returns a Writer without operations.
func NewWriter() *Writer { return &Writer{newBuilder()} }

// Release releases the memory of the Writer. The Writer and its operations must not be used afterwards.
func (w *Writer) Release() { w.b.release() }

// Insts returns the operations. The result belongs to the Writer.
func (w *Writer) Insts() []Inst { return w.b.insts }

// Inst returns an operation. The result is valid until the next operation is written.
func (w *Writer) Inst(id ID) *Inst { return &w.b.insts[id] }

// Constant returns a constant of a scalar type.
func (w *Writer) Constant(t Type, v uint64) ID { return w.b.constant(t, v) }

// Const returns the value of a constant. ok is false if the value is not a constant. NoID is the constant 1.
func (w *Writer) Const(id ID) (v uint64, ok bool) { return w.b.isConst(id) }

// Select returns a value that is x if a condition holds and y otherwise.
func (w *Writer) Select(cond ID, t Type, x, y ID) ID { return w.b.choose(cond, t, x, y) }

// Not returns the negation of a condition.
func (w *Writer) Not(x ID) ID { return w.b.not(x) }

// And returns the conjunction of two guards.
func (w *Writer) And(x, y ID) ID { return w.b.and(x, y) }

// Write writes an operation whose arguments are values of the Writer, and returns its value.
func (w *Writer) Write(in Inst) ID {
	switch {
	case in.Op == OpConst:
		return w.b.constant(in.Type(), in.Imm)
	case in.Op == OpSplat:
		return w.b.lanes(in.A)
	case in.Op.Pure():
		args := []ID{in.A, in.B, in.C}
		for args[len(args)-1] == NoID {
			args = args[:len(args)-1]
		}
		return w.b.op(in.Op, in.Type(), in.From(), in.Imm, args...)
	}
	return w.b.push(&in)
}

// Once writes an operation without arguments whose value does not change, or returns its value if it was written before.
func (w *Writer) Once(in Inst) ID { return w.b.again(&in) }

// Mark returns a mark for Forget.
func (w *Writer) Mark() int { return len(w.b.added) }

// Forget makes the Writer write operations again that were written since a mark, because they may not run.
func (w *Writer) Forget(mark int) { w.b.forget(mark) }

// WithArgs returns the operation with other arguments and another guard. It calls f with each of them, in order.
func (in Inst) WithArgs(f func(ID) ID) Inst {
	for _, p := range [4]*ID{&in.A, &in.B, &in.C, &in.Guard} {
		if *p != NoID {
			*p = f(*p)
		}
	}
	if in.more != nil {
		m := &more{text: in.more.text, service: in.more.service}
		for _, a := range in.more.args {
			m.args = append(m.args, f(a))
		}
		for _, a := range in.more.seen {
			m.seen = append(m.seen, f(a))
		}
		in.more = m
	}
	return in
}

// WithSeen returns an OpService with the values of the registers that the host reads.
func (in Inst) WithSeen(seen []ID) Inst {
	m := *in.more
	m.seen = seen
	in.more = &m
	return in
}

// Reading returns an operation that reads a component of a register.
func Reading(s *State, number, comp int) Inst {
	in := valued(OpRead, s.Type.Elem())
	in.State, in.Imm, in.Comp, in.Uniform = s, uint64(number), comp, s.wide()
	return in
}

// Pushing returns an operation that pushes an entry with these slots onto a stack if a guard holds.
func Pushing(s *State, slots []ID, guard ID) Inst {
	in := blank(OpPush)
	in.State, in.Guard, in.Uniform, in.more = s, guard, s.wide(), &more{args: slots}
	return in
}

// Popping returns an operation that pops an entry of a stack.
func Popping(s *State) Inst {
	in := blank(OpPop)
	in.State, in.Uniform = s, s.wide()
	return in
}

// Top returns an operation that reads a slot of the top entry of a stack.
func Top(s *State, slot int) Inst {
	in := valued(OpTop, s.Slots[slot].Type)
	in.State, in.Comp, in.Uniform = s, slot, s.wide()
	return in
}

// Param returns a parameter of a block.
func Param(t Type) Inst { return valued(OpParam, t) }

// Finder finds equal operations: the same operation on the same values.
type Finder struct{ t table }

// Find returns the first of the operations with which Find has been called that is equal to insts[id]. If there is none, it
// returns id.
func (f *Finder) Find(insts []Inst, id ID) ID {
	if f.t.slots == nil {
		f.t = newTable()
	}
	slot := f.t.find(insts, &insts[id])
	if *slot > 0 {
		return *slot - 1
	}
	f.t.put(slot, insts, id)
	return id
}
