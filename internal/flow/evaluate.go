package flow

import (
	"errors"
	"maps"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// evaluator evaluates an instruction.
type evaluator struct {
	*explorer
	n    *node
	code *sem.Code
	body *body
	w    *sem.Writer
	// facts are the conditions on parameters that hold on all paths through the instruction.
	facts map[ID]uint64
	made  int // the number of operations that have been assigned to a fragment
}

// state is the state of the evaluation on one path through an instruction.
type state struct {
	at     int  // the next operation
	ids    []ID // the values of the operations evaluated so far
	vals   map[Variable]ID
	stacks []stack
	pc     ID            // the operation whose value was assigned to the program counter, or NoID
	ended  bool          // the program ends after the instruction
	left   ID            // in a wave, the running lanes after lanes ended, or NoID if no lane ended
	serial int           // the number of the operation at which the serial region ends, or 0 outside of one
	known  map[ID]uint64 // the conditions whose value is known on this path
}

func (s *state) clone() *state {
	c := *s
	c.ids, c.vals, c.stacks, c.known = append([]ID(nil), s.ids...), maps.Clone(s.vals), cloneStacks(s.stacks), maps.Clone(s.known)
	return &c
}

// evaluate evaluates the instruction of a node.
func (x *explorer) evaluate(n *node) error {
	b := &body{w: sem.NewWriter(), params: map[Variable]ID{}}
	n.release()
	n.body = b
	code, err := x.Code(n.addr)
	if err != nil {
		b.root = &fragment{kind: Stop, text: err.Error()}
		b.leaves = append(b.leaves, b.root)
		return nil
	}
	code = code.Bare()
	e := &evaluator{explorer: x, n: n, code: code, body: b, w: b.w, facts: map[ID]uint64{}}
	s := &state{ids: make([]ID, len(code.Insts)), vals: map[Variable]ID{}, stacks: cloneStacks(n.stacks), pc: NoID, left: NoID, known: map[ID]uint64{}}
	b.root = &fragment{}
	if err := e.fragment(b.root, s); err != nil {
		return err
	}
	e.align()
	for _, f := range b.leaves {
		if f.kind != Jump {
			continue
		}
		if f.target, err = e.node(f.to.addr, f.to.stacks, f.to.registers); err != nil {
			return err
		}
	}
	return nil
}

// close ends a fragment. It adds all new operations except constants to the fragment.
func (e *evaluator) close(f *fragment, kind Kind) {
	for ; e.made < len(e.w.Insts()); e.made++ {
		if in := &e.w.Insts()[e.made]; in.Op != sem.OpConst {
			f.insts = append(f.insts, ID(e.made))
		}
	}
	f.kind = kind
}

// leaf ends a fragment at the end of the instruction.
func (e *evaluator) leaf(f *fragment, kind Kind) {
	e.close(f, kind)
	e.body.leaves = append(e.body.leaves, f)
}

// fragment evaluates the rest of the instruction, starting with the given fragment.
func (e *evaluator) fragment(f *fragment, s *state) error {
	for s.at < len(e.code.Insts) {
		in := &e.code.Insts[s.at]
		switch {
		case in.Op == sem.OpAtomic:
			f = e.fall(f)
			f.serial, s.serial = true, int(in.Imm)
		case s.serial == s.at && s.serial > 0:
			f, s.serial = e.fall(f), 0
		}
		if in.Op == sem.OpSkip {
			if v, known := e.w.Const(e.value(s, in.Guard)); known && v == 0 {
				for _, r := range in.Results() {
					s.ids[r] = e.w.Constant(e.code.Insts[r].Type(), 0)
				}
				s.at = int(in.Imm)
				continue
			}
			s.at++
			continue
		}
		done, err := e.inst(f, s, in)
		if done || err != nil {
			return err
		}
		s.at++
	}
	return e.leave(f, s)
}

// fall ends a fragment that continues at a new one, which it returns.
func (e *evaluator) fall(f *fragment) *fragment {
	e.close(f, Jump)
	f.next[0] = &fragment{}
	return f.next[0]
}

func (e *evaluator) value(s *state, id ID) ID {
	if id == NoID {
		return NoID
	}
	return s.ids[id]
}

// inst evaluates an operation. done is true if the operation has ended the fragment.
func (e *evaluator) inst(f *fragment, s *state, old *sem.Inst) (done bool, err error) {
	in := old.WithArgs(func(a ID) ID { return s.ids[a] })
	if v, known := e.holds(s, in.Guard); known {
		in.Guard = e.w.Constant(sem.BoolType, v)
	}
	guard, decided := e.w.Const(in.Guard)
	switch {
	case in.Op.Pure() || in.Op == sem.OpConst:
		id := e.decided(s, e.pure(in))
		if v, known := e.holds(s, id); known && in.Type() == sem.BoolType {
			id = e.w.Constant(sem.BoolType, v)
		}
		s.ids[s.at] = id
		return false, nil
	case decided && in.Guard != NoID:
		in.Guard = NoID
	}
	holds := !decided || guard != 0
	switch in.Op {
	case sem.OpRead:
		s.ids[s.at], err = e.read(s, &in)
	case sem.OpReadX:
		s.ids[s.at], err = e.readX(s, &in)
	case sem.OpWrite:
		if holds {
			in.Guard = e.running(in.Guard, in.State.Scope)
			err = e.write(s, &in)
		}
	case sem.OpWriteX:
		if holds {
			in.Guard = e.running(in.Guard, in.State.Scope)
			err = e.writeX(s, &in)
		}
	case sem.OpTop:
		if done, err := e.resolve(f, s, in.State, int(in.Imm)+1); done || err != nil {
			return done, err
		}
		s.ids[s.at] = e.top(s, &in)
	case sem.OpDepth, sem.OpEmpty:
		count := 1
		if in.Op == sem.OpDepth {
			count = maxDepth
		}
		if done, err := e.resolve(f, s, in.State, count); done || err != nil {
			return done, err
		}
		n := uint64(len(e.stack(s, in.State).entries))
		if in.Op == sem.OpEmpty {
			n = flag(n == 0)
		}
		s.ids[s.at] = e.w.Constant(in.Type(), n)
	case sem.OpEnd, sem.OpTrap:
		if e.wave() && in.Guard != NoID && !e.w.Inst(in.Guard).Uniform {
			e.endLanes(s, &in)
			break
		}
		fallthrough
	case sem.OpPush, sem.OpPop, sem.OpJump:
		switch {
		case !decided && e.wave() && !e.w.Inst(in.Guard).Uniform:
			return false, unsupported("the operation %s for some of the lanes of a wave", in.Op)
		case !decided:
			return true, e.fork(f, s, s.ids[old.Guard])
		case holds:
			return e.effect(f, s, &in)
		}
	case sem.OpAtomic:
	case sem.OpLane, sem.OpExists, sem.OpAny, sem.OpAll, sem.OpBallot, sem.OpFrom, sem.OpLanesOf:
		if e.OneLane {
			s.ids[s.at] = e.oneLane(&in)
			break
		}
		if in.Op == sem.OpAny || in.Op == sem.OpAll || in.Op == sem.OpBallot {
			in.Guard = e.running(in.Guard, spec.ScopeLane)
		}
		s.ids[s.at] = e.w.Once(in)
	case sem.OpLoad, sem.OpStore, sem.OpBarrier:
		if v, ok := e.cell(&in); ok && holds {
			return false, e.write(s, e.cellWrite(&in, v))
		}
		if holds || in.Op == sem.OpLoad {
			in.Guard = e.running(in.Guard, spec.ScopeLane)
			s.ids[s.at] = e.w.Write(in)
		}
	case sem.OpService:
		if s.ids[s.at] = NoID; holds {
			in.Guard = e.running(in.Guard, spec.ScopeLane)
			s.ids[s.at], err = e.call(s, in)
		}
	case sem.OpResult:
		if in.A == NoID {
			s.ids[s.at] = e.w.Constant(in.Type(), 0)
		} else {
			s.ids[s.at] = e.w.Write(in)
		}
	default:
		return false, unsupported("the operation %s", in.Op)
	}
	return false, err
}

// cell returns the register that a store writes.
func (e *evaluator) cell(in *sem.Inst) (v Variable, ok bool) {
	if in.Op != sem.OpStore || e.Cell == nil {
		return v, false
	}
	addr, known := e.w.Const(in.A)
	if !known {
		return v, false
	}
	return e.Cell(in.State, addr, in.Imm)
}

// cellWrite returns the write of a register for a store.
func (e *evaluator) cellWrite(in *sem.Inst, v Variable) *sem.Inst {
	id := in.B
	if t := e.w.Inst(id).Type(); t != v.Type() {
		c := sem.Inst{Op: sem.OpCast, A: id, B: NoID, C: NoID, Guard: NoID}
		id = e.pure(c.Typed(v.Type(), t))
	}
	w := sem.Inst{Op: sem.OpWrite, State: v.State, Imm: uint64(v.Number), Comp: v.Comp, A: NoID, B: id, C: NoID, Guard: e.running(in.Guard, spec.ScopeLane)}
	return &w
}

// wave reports whether the program runs with several lanes, which share the program counter.
func (x *explorer) wave() bool { return x.Machine.Wave && !x.OneLane }

// lanesOf returns the condition that a lane is in a mask.
func (e *evaluator) lanesOf(mask ID) ID {
	in := sem.Inst{Op: sem.OpLanesOf, A: mask, B: NoID, C: NoID, Guard: NoID}
	return e.w.Once(in.Typed(sem.BoolType, e.w.Inst(mask).Type()))
}

// running returns the condition that a guard holds and that the lane has not ended before the
// instruction. For an effect on state that all lanes of a wave share, it returns the condition that the
// guard holds in any lane.
func (e *evaluator) running(guard ID, scope spec.Scope) ID {
	if !e.wave() {
		return guard
	}
	if c := e.before(e.n, e.live); c.dynamic && scope <= spec.ScopeLane {
		guard = e.w.And(guard, e.lanesOf(e.param(e.live)))
	}
	if scope > spec.ScopeLane && guard != NoID && !e.w.Inst(guard).Uniform {
		in := sem.Inst{Op: sem.OpAny, A: guard, B: NoID, C: NoID, Guard: e.running(NoID, spec.ScopeLane), Uniform: true}
		guard = e.w.Write(in.Typed(sem.BoolType, sem.BoolType))
	}
	return guard
}

// endLanes ends the lanes of a wave for which a guard holds.
func (e *evaluator) endLanes(s *state, in *sem.Inst) {
	guard := e.running(in.Guard, spec.ScopeLane)
	if in.Op == sem.OpTrap {
		x := *in
		x.Guard = guard
		e.w.Write(x)
	}
	op := func(op sem.Op, a, b ID) ID {
		x := sem.Inst{Op: op, A: a, B: b, C: NoID, Guard: NoID, Uniform: true}
		return e.w.Write(x.Typed(sem.U64, e.w.Inst(a).Type()))
	}
	if s.left == NoID {
		s.left = e.variable(s, e.live)
	}
	s.left = op(sem.OpAnd, s.left, op(sem.OpNot, op(sem.OpBallot, guard, NoID), NoID))
}

// call writes a call of a service, with the values of the registers that the host reads.
func (e *evaluator) call(s *state, in sem.Inst) (id ID, err error) {
	var seen []ID
	in.Service().EachRead(func(st *sem.State, number, comp int) {
		r := sem.Reading(st, number, comp)
		value, failed := e.read(s, &r)
		seen, err = append(seen, value), errors.Join(err, failed)
	})
	return e.w.Write(in.WithSeen(seen)), err
}

// pure writes an operation. If its operands are constants and selections between two constants by one
// condition, the result is a selection between two constants.
func (e *evaluator) pure(in sem.Inst) ID {
	if in.Op == sem.OpSplat && e.OneLane {
		return in.A
	}
	cond, t := NoID, in.Type()
	var values [2][3]uint64
	for i, a := range [3]ID{in.A, in.B, in.C} {
		if a == NoID {
			continue
		}
		x := *e.w.Inst(a)
		c, onTrue, onFalse := x.A, x.B, x.C
		switch {
		case x.Op == sem.OpConst:
			values[0][i], values[1][i] = x.Imm, x.Imm
			continue
		case x.Op != sem.OpSelect:
			return e.w.Write(in)
		}
		v, known := e.w.Const(onTrue)
		u, also := e.w.Const(onFalse)
		if !known || !also || cond != NoID && c != cond {
			return e.w.Write(in)
		}
		cond, values[1][i], values[0][i] = c, v, u
	}
	if cond == NoID || in.Op == sem.OpSelect && cond == in.A {
		return e.w.Write(in)
	}
	choice := func(v [3]uint64) ID { return e.w.Constant(t, sem.Apply(&in, v[0], v[1], v[2])) }
	return e.w.Select(cond, t, choice(values[1]), choice(values[0]))
}

// oneLane evaluates an operation among the lanes of a wave, for a wave of one lane.
func (e *evaluator) oneLane(in *sem.Inst) ID {
	t := in.Type()
	number := func(v uint64) ID { return e.w.Constant(t, v) }
	switch in.Op {
	case sem.OpLane:
		return number(0)
	case sem.OpExists:
		return number(1)
	case sem.OpAny:
		return e.w.And(in.Guard, in.A)
	case sem.OpAll:
		return e.w.Not(e.w.And(in.Guard, e.w.Not(in.A)))
	case sem.OpBallot:
		return e.w.Select(e.w.And(in.Guard, in.A), t, number(1), number(0))
	case sem.OpFrom:
		lane := e.w.Inst(in.B).Type()
		first := sem.Inst{Op: sem.OpEq, A: in.B, B: e.w.Constant(lane, 0), C: NoID, Guard: NoID}
		return e.w.Select(e.pure(first.Typed(sem.BoolType, lane)), t, in.A, number(0))
	case sem.OpLanesOf:
		mask := e.w.Inst(in.A).Type()
		bit := sem.Inst{Op: sem.OpSlice, A: in.A, B: NoID, C: NoID, Guard: NoID}
		low := sem.Type{Kind: sem.Uint, Width: 1}
		set := sem.Inst{Op: sem.OpNe, A: e.pure(bit.Typed(low, mask)), B: e.w.Constant(low, 0), C: NoID, Guard: NoID}
		return e.pure(set.Typed(sem.BoolType, low))
	}
	return NoID
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// fork ends a fragment with a branch on an unknown condition. It evaluates the rest of the instruction
// once for each value of the condition.
func (e *evaluator) fork(f *fragment, s *state, id ID) error {
	if s.serial > 0 {
		return unsupported("a branch within an atomic region")
	}
	if len(e.body.leaves) > maxLeaves {
		return ErrTooLarge
	}
	e.close(f, Branch)
	f.cond = id
	for i, v := range []uint64{1, 0} {
		mark := e.w.Mark()
		next := s.clone()
		e.assume(next, id, v)
		e.refine(next)
		f.next[i] = &fragment{}
		if err := e.fragment(f.next[i], next); err != nil {
			return err
		}
		e.w.Forget(mark)
	}
	return nil
}

// assume records the value of a condition, and the values of other conditions that follow from it. It
// also assigns these values to the variables that hold the conditions.
func (e *evaluator) assume(s *state, id ID, v uint64) {
	if _, known := e.w.Const(id); known {
		return
	}
	s.known[id] = v
	value := e.w.Constant(sem.BoolType, v)
	for x, p := range e.body.params {
		if _, written := s.vals[x]; p == id && !written {
			s.vals[x] = value
		}
	}
	s.replace(id, value)
	switch in := *e.w.Inst(id); {
	case in.Op == sem.OpEq, in.Op == sem.OpNe:
		if in.Op = sem.OpEq + sem.OpNe - in.Op; in.From().Kind != sem.Float {
			s.known[e.w.Write(in)] = 1 - v
		}
	case in.Op == sem.OpNot:
		e.assume(s, in.A, 1-v)
	case in.Op == sem.OpSplat:
		e.assume(s, in.A, v)
	case in.Op == sem.OpAnd && v == 1, in.Op == sem.OpOr && v == 0:
		e.assume(s, in.A, v)
		e.assume(s, in.B, v)
	}
}

// refine repeats the evaluation of operations that depend on conditions whose values have become
// known.
func (e *evaluator) refine(s *state) {
	for x, id := range s.vals {
		s.vals[x] = e.decided(s, id)
	}
	changed := make([]bool, s.at)
	for i := 0; i < s.at; i++ {
		in := &e.code.Insts[i]
		if in.Op == sem.OpSkip {
			if v, known := e.w.Const(e.value(s, in.Guard)); known && v == 0 {
				i = int(in.Imm) - 1 // the evaluation skipped the region
			}
			continue
		}
		if v, known := e.holds(s, s.ids[i]); known && in.Type() == sem.BoolType {
			s.ids[i], changed[i] = e.w.Constant(sem.BoolType, v), true
			continue
		}
		if x := e.decided(s, s.ids[i]); x != s.ids[i] {
			s.ids[i], changed[i] = x, true
			continue
		}
		in.EachArg(func(a ID) { changed[i] = changed[i] || changed[a] })
		if changed[i] && in.Op.Pure() {
			old := s.ids[i]
			if s.ids[i] = e.pure(in.WithArgs(func(a ID) ID { return s.ids[a] })); s.ids[i] != old {
				s.replace(old, s.ids[i])
			}
		}
	}
}

// holds returns the value of a condition on this path. known is false if it is not known.
func (e *evaluator) holds(s *state, cond ID) (v uint64, known bool) {
	if v, known = s.known[cond]; known || cond == NoID {
		return v, known
	}
	if v, known = e.facts[cond]; known {
		return v, known
	}
	return e.w.Const(cond)
}

// zero returns the condition that a mask is 0.
func (e *evaluator) zero(mask ID) ID {
	t := e.w.Inst(mask).Type()
	in := sem.Inst{Op: sem.OpEq, A: mask, B: e.w.Constant(t, 0), C: NoID, Guard: NoID}
	return e.w.Write(in.Typed(sem.BoolType, t))
}

// decided returns the value that a selection chooses on this path, or the value itself if the condition
// is not known.
func (e *evaluator) decided(s *state, id ID) ID {
	for id != NoID {
		in := e.w.Inst(id)
		if in.Op != sem.OpSelect {
			break
		}
		v, known := e.holds(s, in.A)
		if !known {
			break
		}
		if id = in.C; v != 0 {
			id = in.B
		}
	}
	return id
}

// replace replaces a value in the variables that hold it.
func (s *state) replace(old, value ID) {
	for x, id := range s.vals {
		if id == old {
			s.vals[x] = value
		}
	}
}

// variable returns the present value of a variable.
func (e *evaluator) variable(s *state, v Variable) ID {
	if id, ok := s.vals[v]; ok {
		return id
	}
	var id ID
	switch c := e.before(e.n, v); {
	case reset(v.State):
		id = e.w.Constant(v.Type(), v.initial())
	case !c.dynamic:
		id = e.w.Constant(v.Type(), c.value)
	default:
		id = e.param(v)
	}
	return id
}

// param returns the value of a variable before the instruction, which is not constant.
func (e *evaluator) param(v Variable) ID {
	id, ok := e.body.params[v]
	if !ok {
		id = e.w.Write(v.parameter())
		e.body.params[v] = id
	}
	if e.before(e.n, v).nonzero {
		zero := e.zero(id) // another operation after the Writer has forgotten the first
		in := *e.w.Inst(zero)
		in.Op = sem.OpNe
		e.facts[zero], e.facts[e.w.Write(in)] = 0, 1
	}
	return id
}

// read reads a component of a register.
func (e *evaluator) read(s *state, in *sem.Inst) (ID, error) {
	v := Variable{in.State, int(in.Imm), in.Comp}
	if v.Number >= e.count(in.State) {
		return e.w.Constant(v.Type(), in.State.OutsideBits), nil
	}
	if !e.own(in.State) {
		if e.Known != nil {
			if k, ok := e.Known(v.State, v.Number, v.Comp); ok {
				return e.w.Constant(v.Type(), k), nil
			}
		}
		return e.w.Once(sem.Reading(v.State, v.Number, v.Comp)), nil
	}
	if in.State.ReadOnly {
		return e.w.Once(sem.Reading(v.State, v.Number, v.Comp)), nil
	}
	if e.arrays[in.State] {
		return e.w.Write(sem.Reading(v.State, v.Number, v.Comp)), nil
	}
	return e.variable(s, v), nil
}

// count returns the number of registers of a file.
func (x *explorer) count(s *sem.State) int {
	if x.Count != nil {
		return x.Count(s)
	}
	return s.Count
}

// own reports whether the specialised program has its own copy of a state.
func (x *explorer) own(s *sem.State) bool {
	return s.Scope <= spec.ScopeLane || x.Machine.Wave && s.Scope == spec.ScopeWave
}

// readX reads a register whose number is computed.
func (e *evaluator) readX(s *state, in *sem.Inst) (ID, error) {
	if n, ok := e.w.Const(in.A); ok && n < uint64(e.count(in.State)) {
		x := *in
		x.Op, x.A, x.Imm = sem.OpRead, NoID, n
		return e.read(s, &x)
	}
	x := *in
	x.Guard = NoID
	if e.own(in.State) && !in.State.ReadOnly && in.State.Use != "input" {
		return e.w.Write(x), e.array(in.State)
	}
	return e.w.Once(x), nil
}

// write writes a component of a register.
func (e *evaluator) write(s *state, in *sem.Inst) error {
	if !e.own(in.State) {
		return unsupported("a write of %s, which lanes share", in.State.Name)
	}
	if e.arrays[in.State] {
		e.w.Write(*in)
		return nil
	}
	v := Variable{in.State, int(in.Imm), in.Comp}
	if v.Number >= e.count(in.State) {
		return nil
	}
	id := in.B
	if in.Guard != NoID {
		id = e.w.Select(in.Guard, v.Type(), id, e.variable(s, v))
	}
	if c := (counter{in.State, in.Comp}); e.control(in.State) && !e.counters[c] && e.counts(e.code.Insts[s.at].B) {
		e.counters[c] = true
		e.again = true
	}
	s.vals[v] = id
	return nil
}

// array makes a register file an array. The exploration starts again.
func (e *evaluator) array(f *sem.State) error {
	if reset(f) {
		return unsupported("a computed register number of %s, which holds values for one instruction", f.Name)
	}
	if !e.arrays[f] {
		e.arrays[f], e.again = true, true
	}
	return nil
}

// writeX writes a register whose number is computed.
func (e *evaluator) writeX(s *state, in *sem.Inst) error {
	if n, ok := e.w.Const(in.A); ok && n < uint64(e.count(in.State)) {
		x := *in
		x.Op, x.A, x.Imm = sem.OpWrite, NoID, n
		return e.write(s, &x)
	}
	if !e.own(in.State) {
		return unsupported("a write of %s, which lanes share", in.State.Name)
	}
	e.w.Write(*in)
	return e.array(in.State)
}

// effect evaluates an operation that changes a stack or the program counter, or that ends the
// program. done is true if the operation has ended the fragment.
func (e *evaluator) effect(f *fragment, s *state, in *sem.Inst) (done bool, err error) {
	switch in.Op {
	case sem.OpJump:
		s.pc = e.code.Insts[s.at].A
	case sem.OpEnd:
		s.ended = true // the rest of the instruction is still evaluated
	case sem.OpTrap:
		return true, e.stop(f, in.Text())
	case sem.OpPop:
		if done, err := e.resolve(f, s, in.State, 1); done || err != nil {
			return done, err
		}
		st := e.stack(s, in.State)
		n := len(st.entries) - 1
		switch {
		case n >= 0:
			st.entries = st.entries[:n]
			e.forget(s, st, n)
		case in.State.EmptyTraps:
			return true, e.stop(f, "a pop of an empty stack: "+in.State.Name)
		}
	case sem.OpPush:
		return e.push(f, s, in)
	}
	return false, nil
}

func (e *evaluator) stop(f *fragment, text string) error {
	e.leaf(f, Stop)
	f.text, f.inside = text, true
	return nil
}

// control reports whether a state is a control register: a register of the wave that instructions can
// write. The keys of nodes contain the constant values of control registers, except counters.
func (x *explorer) control(s *sem.State) bool {
	return x.OneLane && s.Kind == sem.FileState && s.Scope == spec.ScopeWave && !s.ReadOnly && s.Count <= maxControl && !x.arrays[s]
}

// maxControl limits the size of a file of control registers.
const maxControl = 16

// leave ends a fragment at the end of the instruction. It forks if the next address depends on an
// unknown condition.
func (e *evaluator) leave(f *fragment, s *state) error {
	if s.left != NoID && !s.ended {
		s.vals[e.live] = s.left
		done := e.none(s.left)
		v, known := e.holds(s, done)
		if !known {
			return e.fork(f, s, done)
		}
		s.ended = v != 0
	}
	if s.ended {
		e.leaf(f, Exit)
		f.vals = s.vals
		return nil
	}
	next := e.code.Next
	if s.pc != NoID {
		id := s.ids[s.pc]
		v, known := e.w.Const(id)
		if !known {
			if cond := e.decider(s, s.pc); cond != NoID {
				return e.fork(f, s, s.ids[cond])
			}
			return unsupported("a jump to a computed address")
		}
		next = v
	}
	for i := range s.stacks {
		e.gather(s, &s.stacks[i])
	}
	for v := range s.vals {
		if reset(v.State) {
			delete(s.vals, v)
		}
	}
	if e.wave() {
		f.nonzero = map[Variable]bool{}
		for v, id := range s.vals {
			if v.Type() == sem.U64 && v.State.Scope == spec.ScopeWave {
				zero, known := e.holds(s, e.zero(id))
				f.nonzero[v] = known && zero == 0
			}
		}
	}
	e.leaf(f, Jump)
	f.to, f.vals = place{next, s.stacks, e.registers(s)}, s.vals
	return nil
}

// none returns the condition that a mask contains no lane of the wave.
func (e *evaluator) none(mask ID) ID {
	in := sem.Inst{Op: sem.OpExists, A: NoID, B: NoID, C: NoID, Guard: NoID, Uniform: true}
	exists := e.w.Once(in.Typed(sem.U64, sem.Type{}))
	in = sem.Inst{Op: sem.OpAnd, A: mask, B: exists, C: NoID, Guard: NoID}
	return e.zero(e.w.Write(in.Typed(sem.U64, sem.U64)))
}

// registers returns the values of the control registers that are part of a node's key.
func (e *evaluator) registers(s *state) []slot {
	var list []slot
	for _, v := range e.controls {
		if e.counters[counter{v.State, v.Comp}] {
			continue
		}
		c := e.before(e.n, v)
		if id, ok := s.vals[v]; ok {
			k, known := e.w.Const(id)
			c = constant{dynamic: !known, value: k}
		}
		list = append(list, c.slot())
	}
	return list
}

// decider returns the unknown condition that selects a value, or NoID if there is none.
func (e *evaluator) decider(s *state, id ID) ID {
	in := &e.code.Insts[id]
	switch in.Op {
	case sem.OpSelect:
		if _, known := e.w.Const(s.ids[in.A]); !known {
			return in.A
		}
		if v, _ := e.w.Const(s.ids[in.A]); v != 0 {
			return e.decider(s, in.B)
		}
		return e.decider(s, in.C)
	case sem.OpSplat, sem.OpCast:
		return e.decider(s, in.A)
	}
	return NoID
}
