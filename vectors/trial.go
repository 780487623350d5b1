package vectors

import (
	"slices"
	"strconv"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/step"
)

// spot is a part of the state of a wave that has a value: a component of a register, the program counter, the depth of a
// stack, a slot of a stack entry counted from the oldest, or a byte of a memory. lane is -1 for what all lanes share.
type spot struct {
	kind               spotKind
	state              *exec.State
	number, comp, lane int
}

type spotKind uint8

const (
	registerSpot spotKind = iota
	counterSpot
	depthSpot
	slotSpot
	byteSpot
)

// theory is an assumption about how another engine differs from isago. A trial tests it.
type theory struct {
	cause Cause
	// text completes "the engine ...", or is "" for quirks.
	text   string
	quirks map[string]string
	// args changes the arguments of an operation, instead computes its value, and after changes its value.
	args    func(in *sem.Inst, a *[3]uint64)
	instead func(t *trial, id sem.ID, in *sem.Inst, a [3]uint64) (v uint64, ok bool)
	after   func(in *sem.Inst, a [3]uint64, v uint64) uint64
	// base is set if relative addresses have no offset, ordered if a write is visible to the operations after it that
	// compute from its register, and always if conditions of writes are ignored.
	base, ordered, always bool
}

// trial runs a vector with one lane, operation by operation, as an engine that differs by some theories.
type trial struct {
	m        *sem.Machine
	states   []*exec.State
	theories []*theory
	start    map[component3]uint64 // the registers before the run
	now      map[component3]uint64
	stacks   map[int][][]uint64
	bytes    map[component3]byte
	calls    []Call
	pc       uint64
	stopped  bool
	insts    []sem.Inst
	vals     []uint64
	uses     []int32
	// floats has the types of the registers in which the instructions read or write a float, and places the registers
	// that the operations of the last instruction read.
	floats map[component3]sem.Type
	places map[sem.ID]component3
	// writes has the operations that wrote registers last, in the last instruction, and next its next address.
	writes map[component3]sem.ID
	next   uint64
}

// component3 is a component of a register, or a byte of a memory, by the index of the state.
type component3 struct{ state, number, comp int }

// try runs a vector. It returns nil if the vector has several lanes or needs an operation that a trial does not have.
func (f *File) try(m *exec.Machine, v *Vector, p *exec.Program, theories ...*theory) *trial {
	if v.Lanes != 1 || v.Active != "" {
		return nil
	}
	t := &trial{
		m: m.Inside(inside.Key{}), states: m.States, theories: theories, start: map[component3]uint64{}, now: map[component3]uint64{},
		stacks: map[int][][]uint64{}, bytes: map[component3]byte{}, pc: v.Initial.PC, floats: map[component3]sem.Type{},
	}
	for i := range v.Initial.Registers {
		r := &v.Initial.Registers[i]
		for k, x := range r.Values {
			t.start[component3{m.State(r.Name).Index, r.Number, k}] = x
		}
	}
	for i := range v.Initial.Stacks {
		s := m.State(v.Initial.Stacks[i].Name)
		for _, e := range v.Initial.Stacks[i].Entries {
			entry := make([]uint64, len(s.Slots))
			for k, slot := range s.Slots {
				entry[k] = e[slot.Name]
			}
			t.stacks[s.Index] = append(t.stacks[s.Index], entry)
		}
	}
	for i := range v.Initial.Memories {
		b := &v.Initial.Memories[i]
		for k, x := range b.Bytes {
			t.bytes[component3{m.State(b.Name).Index, int(b.Address) + k, 0}] = x
		}
	}
	steps := v.Steps
	if steps == 0 {
		steps = step.DefaultSteps
	}
	for ; steps > 0 && !t.stopped; steps-- {
		code, err := p.Code(inside.Key{}, t.pc)
		if err != nil {
			break
		}
		if !t.step(code) {
			return nil
		}
	}
	return t
}

// step runs an instruction. It returns false if a trial cannot run it.
func (t *trial) step(code *sem.Code) bool {
	t.insts = code.Insts
	if cap(t.vals) < len(t.insts) {
		t.vals = make([]uint64, len(t.insts))
	}
	t.vals = t.vals[:len(t.insts)]
	t.count()
	t.places, t.writes, t.next = map[sem.ID]component3{}, map[component3]sem.ID{}, code.Next
	for c := range t.now {
		if t.states[c.state].Scope == exec.ScopeInstruction {
			delete(t.now, c)
		}
	}
	next := code.Next
	for id := sem.ID(0); int(id) < len(t.insts); id++ {
		in := &t.insts[id]
		on := in.Guard == sem.NoID || t.vals[in.Guard] != 0
		switch in.Op {
		case sem.OpSkip:
			if !on && !t.forced(nil) {
				id = sem.ID(in.Imm) - 1
			}
			continue
		case sem.OpJump:
			if on {
				next = t.vals[in.A]
			}
			continue
		case sem.OpEnd, sem.OpTrap:
			t.stopped = t.stopped || on
			continue
		}
		if !t.one(id, in, on) {
			return false
		}
	}
	if !t.stopped {
		t.pc = next
	}
	return true
}

// forced reports whether a theory ignores conditions, of an operation if it is not nil.
func (t *trial) forced(in *sem.Inst) bool {
	if in != nil && in.Notes&sem.Around != 0 {
		return false
	}
	return slices.ContainsFunc(t.theories, func(th *theory) bool { return th.always })
}

// count counts the uses of each value.
func (t *trial) count() {
	t.uses = make([]int32, len(t.insts))
	for i := range t.insts {
		t.insts[i].EachArg(func(a sem.ID) {
			if a != sem.NoID {
				t.uses[a]++
			}
		})
	}
}

func (t *trial) arg(id sem.ID) uint64 {
	if id == sem.NoID {
		return 0
	}
	return t.vals[id]
}

// one runs an operation.
func (t *trial) one(id sem.ID, in *sem.Inst, on bool) bool {
	v := &t.vals[id]
	switch in.Op {
	case sem.OpConst:
		*v = in.Imm
	case sem.OpRead:
		*v = t.read(in.State, int(in.Imm), in.Comp)
		t.places[id] = component3{in.State.Index, int(in.Imm), in.Comp}
	case sem.OpReadX:
		n, ok := t.number(in)
		t.outside(in, on && !ok)
		if *v = in.State.OutsideBits; ok {
			*v = t.read(in.State, n, in.Comp)
			t.places[id] = component3{in.State.Index, n, in.Comp}
		}
	case sem.OpWrite, sem.OpWriteX:
		n, ok := int(in.Imm), true
		if in.Op == sem.OpWriteX {
			n, ok = t.number(in)
			t.outside(in, on && !ok)
		}
		if on = on || t.forced(in); on && ok {
			c := component3{in.State.Index, n, in.Comp}
			t.now[c] = t.written(in)
			t.writes[c] = id
			t.note(c, t.floatOf(in.B))
		}
	case sem.OpLoad:
		*v = 0
		if !t.inside(in, on) {
			break
		}
		for k := range int(in.Imm) {
			*v |= uint64(t.bytes[component3{in.State.Index, int(t.arg(in.A)) + k, 0}]) << (8 * k)
		}
	case sem.OpStore:
		if on && t.inside(in, on) {
			for k := range int(in.Imm) {
				t.bytes[component3{in.State.Index, int(t.arg(in.A)) + k, 0}] = byte(t.arg(in.B) >> (8 * k))
			}
		}
	case sem.OpTop, sem.OpDepth, sem.OpEmpty, sem.OpPush, sem.OpPop:
		t.stack(in, v, on)
	case sem.OpLane, sem.OpResult:
		*v = 0
	case sem.OpExists:
		*v = 1
	case sem.OpAny, sem.OpBallot:
		if *v = 0; on {
			*v = t.arg(in.A) & 1
		}
	case sem.OpAll:
		if *v = 1; on {
			*v = t.arg(in.A) & 1
		}
	case sem.OpFrom:
		if *v = 0; t.arg(in.B) == 0 {
			*v = t.arg(in.A)
		}
	case sem.OpLanesOf:
		*v = t.arg(in.A) & 1
	case sem.OpService:
		if on {
			call := Call{Name: in.Service().Name, Args: []string{}}
			for _, a := range in.Args() {
				call.Args = append(call.Args, strconv.FormatUint(t.arg(a), 16))
			}
			t.calls = append(t.calls, call)
		}
	case sem.OpBarrier, sem.OpAtomic, sem.OpUnknown, sem.OpHazard, sem.OpRun, sem.OpFlow:
	default:
		if !in.Op.Pure() {
			return false
		}
		if in.Op == sem.OpCast && in.Type().Kind == sem.Float {
			if c, ok := t.places[t.origin(in.A)]; ok {
				t.note(c, in.Type())
			}
		}
		*v = t.compute(id, in, [3]uint64{t.arg(in.A), t.arg(in.B), t.arg(in.C)})
	}
	return true
}

// note records the type of a register if it is a float.
func (t *trial) note(c component3, typ sem.Type) {
	if typ.Kind == sem.Float {
		t.floats[c] = typ
	}
}

// floatOf returns the type of the float whose bits a value is, or another type.
func (t *trial) floatOf(id sem.ID) sem.Type {
	in := &t.insts[id]
	switch {
	case in.Op == sem.OpCast && in.From().Kind == sem.Float && in.From().Width == in.Type().Width:
		return in.From()
	case in.Op == sem.OpFlush:
		return t.floatOf(in.A)
	case in.Op == sem.OpSelect:
		if typ := t.floatOf(in.B); typ.Kind == sem.Float {
			return typ
		}
		return t.floatOf(in.C)
	}
	return in.Type()
}

// origin returns the operation whose value another one has, but for its sign and whether it is flushed.
func (t *trial) origin(id sem.ID) sem.ID {
	for {
		in := &t.insts[id]
		switch {
		case in.Op == sem.OpFlush, (in.Op == sem.OpXor || in.Op == sem.OpAnd || in.Op == sem.OpOr) && t.insts[in.B].Op == sem.OpConst:
			id = in.A
		case (in.Op == sem.OpXor || in.Op == sem.OpAnd || in.Op == sem.OpOr) && t.insts[in.A].Op == sem.OpConst:
			id = in.B
		default:
			return id
		}
	}
}

// outside stops the run if an operation accesses a part of a state that does not exist, and that is a trap.
func (t *trial) outside(in *sem.Inst, does bool) {
	t.stopped = t.stopped || does && in.State.Outside == sem.OutsideTrap
}

// inside reports whether a load or a store accesses bytes that the memory has.
func (t *trial) inside(in *sem.Inst, on bool) bool {
	size := uint64(t.states[in.State.Index].Count)
	if size == 0 {
		size = exec.MaxLaneBytes
	}
	at := t.arg(in.A)
	ok := at < size && at+in.Imm <= size
	t.outside(in, on && !ok)
	return ok
}

func (t *trial) stack(in *sem.Inst, v *uint64, on bool) {
	list := t.stacks[in.State.Index]
	switch in.Op {
	case sem.OpTop:
		*v = 0
		if k := len(list) - 1 - int(in.Imm); k >= 0 {
			*v = list[k][in.Comp]
		}
	case sem.OpDepth:
		*v = uint64(len(list))
	case sem.OpEmpty:
		if *v = 0; len(list) == 0 {
			*v = 1
		}
	case sem.OpPop:
		if on && len(list) > 0 {
			t.stacks[in.State.Index] = list[: len(list)-1 : len(list)-1]
		} else if on && in.State.EmptyTraps {
			t.stopped = true
		}
	case sem.OpPush:
		if !on {
			return
		}
		entry := make([]uint64, len(in.Args()))
		for i, a := range in.Args() {
			entry[i] = t.arg(a)
		}
		if len(list) >= in.State.Count {
			if in.State.FullTraps {
				t.stopped = true
				return
			}
			list = list[1:]
		}
		t.stacks[in.State.Index] = append(list[:len(list):len(list)], entry)
	}
}

// compute computes a pure operation as the theories assume.
func (t *trial) compute(id sem.ID, in *sem.Inst, a [3]uint64) (v uint64) {
	for _, th := range t.theories {
		if th.args != nil {
			th.args(in, &a)
		}
	}
	done := false
	for _, th := range t.theories {
		if th.instead != nil && !done {
			v, done = th.instead(t, id, in, a)
		}
	}
	if !done {
		v = sem.Apply(in, a[0], a[1], a[2])
	}
	for _, th := range t.theories {
		if th.after != nil {
			v = th.after(in, a, v)
		}
	}
	return v
}

// read returns a component of a register.
func (t *trial) read(s *sem.State, number, comp int) uint64 {
	c := component3{s.Index, number, comp}
	if v, ok := t.now[c]; ok {
		return v
	}
	return t.before(s, c)
}

// before returns the value of a component before the run.
func (t *trial) before(s *sem.State, c component3) uint64 {
	if v, ok := t.start[c]; ok {
		return v
	}
	return first(s, c.number, c.comp, 1)
}

// number returns the number of the register of an OpReadX or an OpWriteX. ok is false if the file has no such register.
func (t *trial) number(in *sem.Inst) (n int, ok bool) {
	at := t.arg(in.A)
	if slices.ContainsFunc(t.theories, func(th *theory) bool { return th.base }) {
		at = t.again(in.A, map[sem.ID]uint64{}, func(id sem.ID, in *sem.Inst) (uint64, bool) {
			return 0, in.Op == sem.OpRead || in.Op == sem.OpReadX || in.Op == sem.OpTop
		})
	}
	count := uint64(in.State.Count)
	if in.State.Outside == sem.OutsideWrap {
		at %= count
	}
	return int(at), at < count
}

// written returns the value that a write writes.
func (t *trial) written(in *sem.Inst) uint64 {
	if !slices.ContainsFunc(t.theories, func(th *theory) bool { return th.ordered }) {
		return t.arg(in.B)
	}
	return t.again(in.B, map[sem.ID]uint64{}, func(id sem.ID, in *sem.Inst) (uint64, bool) {
		if in.Op == sem.OpRead {
			return t.read(in.State, int(in.Imm), in.Comp), true
		}
		return 0, false
	})
}

// again computes a value once more, with other values for some operations.
func (t *trial) again(id sem.ID, memo map[sem.ID]uint64, other func(id sem.ID, in *sem.Inst) (uint64, bool)) uint64 {
	if id == sem.NoID {
		return 0
	}
	if v, ok := memo[id]; ok {
		return v
	}
	in := &t.insts[id]
	v, ok := other(id, in)
	switch {
	case ok:
	case in.Op.Pure():
		v = t.compute(id, in, [3]uint64{t.again(in.A, memo, other), t.again(in.B, memo, other), t.again(in.C, memo, other)})
	default:
		v = t.vals[id]
	}
	memo[id] = v
	return v
}

func (t *trial) called() []Call { return t.calls }

func (t *trial) value(p spot) uint64 {
	switch p.kind {
	case counterSpot:
		return t.pc
	case depthSpot:
		return uint64(len(t.stacks[p.state.Index]))
	case slotSpot:
		if list := t.stacks[p.state.Index]; p.number < len(list) {
			return list[p.number][p.comp]
		}
		return 0
	case byteSpot:
		return uint64(t.bytes[component3{p.state.Index, p.number, 0}])
	}
	return t.read(t.m.States[p.state.Index], p.number, p.comp)
}
