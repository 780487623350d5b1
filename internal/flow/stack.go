package flow

import (
	"slices"

	"github.com/isago/isago/internal/sem"
)

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
