package flow

import (
	"errors"
	"maps"
	"slices"

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

// align reduces the number of variants. If two leaves continue at the same address, and one of them has
// pushed an entry that the other has not, align adds an absent entry to the stack of the other.
func (e *evaluator) align() {
	for _, f := range e.body.leaves {
		for _, g := range e.body.leaves {
			if f.kind == Jump && g.kind == Jump && f.to.addr == g.to.addr {
				e.alignTo(f, g)
			}
		}
	}
}

// alignTo adds an absent entry to a stack of f if this makes the stacks of f and g equal.
func (e *evaluator) alignTo(f, g *fragment) {
	at := -1
	for i := range f.to.stacks {
		x, y := f.to.stacks[i].entries, g.to.stacks[i].entries
		switch {
		case slices.EqualFunc(x, y, slices.Equal):
		case len(y) == len(x)+1 && at < 0 && slices.EqualFunc(x, y[:len(x)], slices.Equal):
			at = i
		default:
			return
		}
	}
	if at < 0 {
		return
	}
	st := &f.to.stacks[at]
	n := len(st.entries)
	entry := g.to.stacks[at].entries[n]
	here := Variable{st.state, n, len(st.state.Slots) + presence}
	switch form(entry) {
	case repeated:
		return
	case present:
		entry = withForm(entry, possible)
		g.to.stacks[at].entries[n] = entry
		g.vals[here] = e.w.Constant(sem.BoolType, 1)
	}
	st.entries = append(st.entries, entry)
	f.vals[here] = e.w.Constant(sem.BoolType, 0)
	for k := range st.state.Slots {
		if v := (Variable{st.state, n, k}); entry[k].dynamic {
			f.vals[v] = e.w.Constant(v.Type(), 0)
		}
	}
}

// resolve makes it known on this path which of the top entries of a stack are present, so that the number
// of entries that are present is at least count, or the number of all entries is known. It forks if it
// has to. done is true if it has ended the fragment.
func (e *evaluator) resolve(f *fragment, s *state, of *sem.State, count int) (done bool, err error) {
	st := e.stack(s, of)
	for at := len(st.entries) - 1; at >= 0 && len(st.entries)-at <= count; at-- {
		here := Variable{of, at, len(of.Slots) + presence}
		if form(st.entries[at]) == present {
			continue
		}
		many := form(st.entries[at]) == repeated
		if many {
			here.Comp = len(of.Slots) + copies
		}
		id := e.variable(s, here)
		if many {
			id = e.nonzero(id)
		}
		v, known := e.holds(s, id)
		switch {
		case !known:
			return true, e.fork(f, s, id)
		case v == 0:
			if err := e.remove(s, st, at); err != nil {
				return false, err
			}
		case many:
			if err := e.takeOut(s, st, at); err != nil {
				return false, err
			}
			at++ // the entry that was taken out, which is present
		default:
			st.entries[at] = withForm(st.entries[at], present)
			delete(s.vals, here)
		}
	}
	return false, nil
}

// takeOut takes the newest entry out of a repeated entry, and puts it above.
func (e *evaluator) takeOut(s *state, st *stack, at int) error {
	if len(st.entries) >= maxDepth {
		return ErrTooLarge
	}
	for to := len(st.entries); to > at+1; to-- {
		e.move(s, st, to-1, to, st.entries[to-1])
	}
	entry := withForm(st.entries[at], present)
	st.entries = slices.Insert(slices.Clone(st.entries), at+1, entry)
	for k := range st.state.Slots {
		v := Variable{st.state, at + 1, k}
		if delete(s.vals, v); entry[k].dynamic {
			s.vals[v] = e.w.Write(sem.Top(st.state, k))
		}
	}
	e.w.Write(sem.Popping(st.state))
	e.addCopies(s, st, at, e.w.Constant(sem.U32, 1<<32-1))
	return nil
}

// addCopies adds a number, modulo 2^32, to the number of entries of a repeated entry.
func (e *evaluator) addCopies(s *state, st *stack, at int, n ID) {
	v := Variable{st.state, at, len(st.state.Slots) + copies}
	s.vals[v] = e.sum(e.variable(s, v), n)
}

// sum returns the sum of two values of 32 bits.
func (e *evaluator) sum(x, y ID) ID {
	in := sem.Inst{Op: sem.OpAdd, A: x, B: y, C: NoID, Guard: NoID}
	return e.w.Write(in.Typed(sem.U32, sem.U32))
}

// move moves the variables of a stack entry to another position. The variables at the old position remain.
func (e *evaluator) move(s *state, st *stack, from, to int, entry []slot) {
	for k := range len(st.state.Slots) + variables {
		v, dynamic := Variable{st.state, to, k}, false
		switch k - len(st.state.Slots) {
		case presence:
			dynamic = form(entry) == possible
		case copies:
			dynamic = form(entry) == repeated
		default:
			dynamic = entry[k].dynamic && form(entry) != repeated
		}
		if delete(s.vals, v); dynamic {
			s.vals[v] = e.variable(s, Variable{st.state, from, k})
		}
	}
}

// nonzero returns the condition that a number is not 0.
func (e *evaluator) nonzero(id ID) ID { return e.w.Not(e.zero(id)) }

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
		case in.Op == sem.OpAtomic && !e.OneLane:
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
		x.Imm = n
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
		x.Imm = n
		return e.write(s, &x)
	}
	if !e.own(in.State) {
		return unsupported("a write of %s, which lanes share", in.State.Name)
	}
	e.w.Write(*in)
	return e.array(in.State)
}

func (e *evaluator) stack(s *state, of *sem.State) *stack {
	for i := range s.stacks {
		if s.stacks[i].state == of {
			return &s.stacks[i]
		}
	}
	return nil
}

// top returns the value of a slot of a stack entry, or 0 if the entry does not exist.
func (e *evaluator) top(s *state, in *sem.Inst) ID {
	st := e.stack(s, in.State)
	at := len(st.entries) - 1 - int(in.Imm)
	if at < 0 {
		return e.w.Constant(in.Type(), 0)
	}
	if x := st.entries[at][in.Comp]; !x.dynamic {
		return e.w.Constant(in.Type(), x.value)
	}
	return e.variable(s, Variable{in.State, at, in.Comp})
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

// push evaluates a push. A slot becomes dynamic if its value is not constant or if it is a counter.
func (e *evaluator) push(f *fragment, s *state, in *sem.Inst) (done bool, err error) {
	st := e.stack(s, in.State)
	if full, known, cond := e.full(s, st); !known {
		return true, e.fork(f, s, cond)
	} else if full {
		if in.State.FullTraps {
			return true, e.stop(f, "a push onto a full stack: "+in.State.Name)
		}
		if err := e.remove(s, st, 0); err != nil {
			return false, err
		}
	}
	n := len(st.entries)
	if n >= maxDepth {
		return false, ErrTooLarge
	}
	entry := make([]slot, len(in.State.Slots)+1)
	entry[len(in.State.Slots)] = present
	for k, a := range in.Args() {
		v, known := e.w.Const(a)
		switch c := (counter{in.State, k}); {
		case known && !e.counters[c] && !e.counts(e.code.Insts[s.at].Args()[k]):
			entry[k] = slot{value: v}
			continue
		case known && !e.counters[c]:
			e.counters[c], e.again = true, true
		}
		entry[k].dynamic = true
		s.vals[Variable{in.State, n, k}] = a
	}
	st.entries = append(st.entries, entry)
	return false, nil
}

// gather makes one repeated entry of adjacent entries that differ in unknown values only, if the stack is
// deep. The machine's stack contains the unknown values of the repeated entries in order. Therefore gather
// leaves out entries below a repeated entry that it cannot join.
func (e *evaluator) gather(s *state, st *stack) {
	if st.state.Count <= maxDepth {
		return
	}
	first := 1 // the first entry above which there is no repeated entry
	for at, x := range st.entries {
		if form(x) == repeated {
			first = at + 1
		}
	}
	for at := len(st.entries) - 1; at > 0; at-- {
		below, x := st.entries[at-1], st.entries[at]
		switch {
		case !alike(below, x):
			continue
		case form(x) == repeated && form(below) == repeated:
			e.addCopies(s, st, at-1, e.variable(s, Variable{st.state, at, len(st.state.Slots) + copies}))
		case form(below) == repeated && at >= first:
			e.addCopies(s, st, at-1, e.putAway(s, st, at))
		case at-1 >= first || first == 1:
			count := e.putAway(s, st, at-1)
			count = e.sum(count, e.putAway(s, st, at))
			st.entries = slices.Clone(st.entries)
			st.entries[at-1] = withForm(below, repeated)
			e.forget(s, st, at-1)
			s.vals[Variable{st.state, at - 1, len(st.state.Slots) + copies}] = count
			first = at
		default:
			continue
		}
		last := len(st.entries) - 1
		for to := at; to < last; to++ {
			e.move(s, st, to+1, to, st.entries[to+1])
		}
		e.forget(s, st, last)
		st.entries = slices.Delete(slices.Clone(st.entries), at, at+1)
	}
}

// putAway pushes the values of an entry onto the machine's stack. It returns the number of entries: 0 or 1.
func (e *evaluator) putAway(s *state, st *stack, at int) ID {
	x := st.entries[at]
	slots := make([]ID, len(st.state.Slots))
	for k := range slots {
		if slots[k] = e.w.Constant(st.state.Slots[k].Type, x[k].value); x[k].dynamic {
			slots[k] = e.variable(s, Variable{st.state, at, k})
		}
	}
	guard, count := NoID, e.w.Constant(sem.U32, 1)
	if form(x) == possible {
		guard = e.variable(s, Variable{st.state, at, len(slots) + presence})
		count = e.w.Select(guard, sem.U32, count, e.w.Constant(sem.U32, 0))
	}
	e.w.Write(sem.Pushing(st.state, slots, guard))
	return count
}

// full reports whether a stack has no room for another entry. If this depends on a condition that is not
// known, known is false.
func (e *evaluator) full(s *state, st *stack) (full, known bool, cond ID) {
	room, many := uint64(st.state.Count), false
	entries, count := uint64(0), e.w.Constant(sem.U32, 0)
	for at, x := range st.entries {
		switch form(x) {
		case present:
			entries++
		case possible:
			there := e.variable(s, Variable{st.state, at, len(st.state.Slots) + presence})
			count = e.sum(count, e.w.Select(there, sem.U32, e.w.Constant(sem.U32, 1), e.w.Constant(sem.U32, 0)))
		case repeated:
			many = true
			count = e.sum(count, e.variable(s, Variable{st.state, at, len(st.state.Slots) + copies}))
		}
	}
	if !many && uint64(len(st.entries)) < room {
		return false, true, NoID
	}
	if entries >= room {
		return true, true, NoID
	}
	in := sem.Inst{Op: sem.OpLe, A: e.w.Constant(sem.U32, room-entries), B: count, C: NoID, Guard: NoID}
	cond = e.w.Write(in.Typed(sem.BoolType, sem.U32))
	v, known := e.holds(s, cond)
	return v != 0, known, cond
}

// remove removes an entry of a stack. It returns ErrTooLarge if the entry is a repeated entry whose number
// of entries may not be 0, below others.
func (e *evaluator) remove(s *state, st *stack, entry int) error {
	if form(st.entries[entry]) == repeated {
		some := e.nonzero(e.variable(s, Variable{st.state, entry, len(st.state.Slots) + copies}))
		if v, known := e.holds(s, some); !known || v != 0 {
			return ErrTooLarge
		}
	}
	last := len(st.entries) - 1
	for at := entry; at < last; at++ {
		e.move(s, st, at+1, at, st.entries[at+1])
	}
	e.forget(s, st, last)
	st.entries = slices.Delete(slices.Clone(st.entries), entry, entry+1)
	return nil
}

// forget deletes the values of the variables of a stack entry.
func (e *evaluator) forget(s *state, st *stack, entry int) {
	for k := range len(st.state.Slots) + variables {
		delete(s.vals, Variable{st.state, entry, k})
	}
}

// counts reports whether a value is computed by arithmetic from a stack slot or a control register, as
// for a loop counter.
func (e *evaluator) counts(id ID) bool {
	in := &e.code.Insts[id]
	found := false
	switch in.Op {
	case sem.OpCast, sem.OpSext, sem.OpSplat, sem.OpSlice, sem.OpConcat:
		in.EachArg(func(a ID) { found = found || e.counts(a) })
	case sem.OpSelect:
		found = e.counts(in.B) || e.counts(in.C)
	case sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpShl, sem.OpShr, sem.OpConvert, sem.OpMin, sem.OpMax:
		in.EachArg(func(a ID) { found = found || e.fromControl(a) })
	}
	return found
}

// fromControl reports whether a value is read from a stack slot or a control register, or computed from
// such a value.
func (e *evaluator) fromControl(id ID) bool {
	in := &e.code.Insts[id]
	switch in.Op {
	case sem.OpTop:
		return true
	case sem.OpRead, sem.OpReadX:
		return e.control(in.State)
	case sem.OpSelect:
		return e.fromControl(in.B) || e.fromControl(in.C)
	}
	found := false
	if in.Op.Pure() {
		in.EachArg(func(a ID) { found = found || e.fromControl(a) })
	}
	return found
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
