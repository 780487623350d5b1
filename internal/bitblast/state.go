package bitblast

import (
	"math/bits"
	"slices"

	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/sem"
)

// array is a component of all registers of a file.
type array struct {
	owned
	comp int
}

// element is a component of a register in the state before the instruction. An element whose number is equal to that of an
// earlier element has the value of the earlier one, and its own inputs do not matter.
type element struct {
	number circuit.Vec
	inputs circuit.Vec
	value  circuit.Vec
}

// count returns the number of registers of a file.
func (s *Solver) count(st *sem.State) int {
	if st.Allocated && s.opt.Allocated > 0 && st.Outside != sem.OutsideWrap {
		return min(st.Count, s.opt.Allocated)
	}
	return st.Count
}

// register returns the number of the register that an operation accesses, and the condition that the register exists.
func (s *Solver) register(in *sem.Inst, lane int) (number circuit.Vec, exists circuit.Lit) {
	n := uint64(s.count(in.State))
	width := bits.Len64(n - 1)
	if in.Op == sem.OpRead || in.Op == sem.OpWrite {
		if in.Imm >= n {
			return circuit.Constant(width, 0), circuit.False
		}
		return circuit.Constant(width, in.Imm), circuit.True
	}
	x := s.ValueIn(in.A, lane)
	if s.code.Insts[in.A].Type().Kind == sem.Sint {
		x = signExtend(x, 64)
	} else {
		x = extend(x, 64)
	}
	if in.State.Outside != sem.OutsideWrap {
		return x[:width], s.Less(x, circuit.Constant(64, n), false)
	}
	if n&(n-1) != 0 {
		_, x = s.Quotient(x, circuit.Constant(64, n))
	}
	return x[:width], circuit.True
}

func signExtend(x circuit.Vec, width int) circuit.Vec {
	out := make(circuit.Vec, width)
	for i := range out {
		out[i] = x[min(i, len(x)-1)]
	}
	return out
}

func (s *Solver) read(o op, in *sem.Inst) circuit.Vec {
	width := in.Type().Width
	number, exists := s.register(in, o.lane)
	outside := circuit.Constant(width, in.State.OutsideBits)
	if exists == circuit.False {
		return outside
	}
	// Find the last write that certainly writes the register, and the later ones that may write it.
	type write struct {
		hit circuit.Lit
		op
	}
	var later []write
	of := s.owned(in.State, o.lane)
	for _, u := range slices.Backward(s.before(of, o)) {
		w := &s.code.Insts[u.id]
		if w.Comp != in.Comp {
			continue
		}
		n, there := s.register(w, u.lane)
		hit := s.And(there, s.Equal(number, n))
		if hit != circuit.False {
			hit = s.And(hit, s.GuardIn(u.id, u.lane))
		}
		if hit != circuit.False {
			later = append(later, write{hit, u})
		}
		if hit == circuit.True {
			break
		}
	}
	var value circuit.Vec
	if n := len(later); n == 0 || later[n-1].hit != circuit.True {
		value = s.initialRegister(array{of, in.Comp}, number)
	}
	for _, w := range slices.Backward(later) {
		value = s.replace(w.hit, s.ValueIn(s.code.Insts[w.id].B, w.lane), value)
	}
	return s.MuxVec(exists, value, outside)
}

// before returns the operations that change a state before an operation runs.
func (s *Solver) before(of owned, o op) []op {
	uses := s.uses[of]
	n := 0
	for n < len(uses) && s.turns[uses[n].lane][uses[n].id] < s.turns[o.lane][o.id] {
		n++
	}
	return uses[:n]
}

// replace returns value if a condition holds, and old otherwise. old may be nil if the condition is true.
func (s *Solver) replace(hit circuit.Lit, value, old circuit.Vec) circuit.Vec {
	if hit == circuit.True {
		return value
	}
	return s.MuxVec(hit, value, old)
}

// initialRegister returns the value of a component of a register before the instruction.
func (s *Solver) initialRegister(a array, number circuit.Vec) circuit.Vec {
	width := a.Type.Width
	if a.ReadOnly {
		return s.choose(number, func(n int) circuit.Vec {
			if i := n*a.Type.Count() + a.comp; i < len(a.Values) {
				return circuit.Constant(width, a.Values[i])
			}
			return make(circuit.Vec, width)
		})
	}
	init := a.Init
	if a.InitExists {
		init = s.exists()
	}
	if initial(a.State) {
		return circuit.Constant(width, init)
	}
	list := s.arrays[a]
	if list == nil {
		list = new([]element)
		s.arrays[a], s.arrayIDs = list, append(s.arrayIDs, a)
	}
	equal := make([]circuit.Lit, len(*list))
	for i, e := range *list {
		if equal[i] = s.Equal(e.number, number); equal[i] == circuit.True {
			return e.value
		}
	}
	e := element{number: number}
	if a.InitExists { // the bits of lanes that do not exist are 0
		e.inputs = extend(s.Inputs(s.lanes), width)
	} else {
		e.inputs = s.Inputs(width)
	}
	e.value = e.inputs
	for i := len(*list) - 1; i >= 0; i-- {
		e.value = s.MuxVec(equal[i], (*list)[i].value, e.value)
	}
	*list = append(*list, e)
	return e.value
}

// choose returns the value with a number.
func (s *Solver) choose(number circuit.Vec, value func(n int) circuit.Vec) circuit.Vec {
	if len(number) == 0 {
		return value(0)
	}
	top, rest := number[len(number)-1], number[:len(number)-1]
	high := func(n int) circuit.Vec { return value(n + 1<<len(rest)) }
	switch top {
	case circuit.False:
		return s.choose(rest, value)
	case circuit.True:
		return s.choose(rest, high)
	}
	return s.MuxVec(top, s.choose(rest, high), s.choose(rest, value))
}

// stack is a stack. Places of entries are numbers relative to the place above the newest entry before the instruction: -1 is
// the place of that entry. An entry that is overwritten because the stack is full needs no place of its own: it is below all
// entries that can be read.
type stack struct {
	owned
	depth   circuit.Vec         // before the instruction
	raw     circuit.Vec         // the inputs of depth
	entries map[int]circuit.Vec // the inputs of slots, by number of the entry from the top * slots + slot
	after   []stackState        // after each operation of Solver.uses, the first element before all
	known   map[slotAt]circuit.Vec
}

type stackState struct {
	depth circuit.Vec
	// tops are the conditions that the place above the newest entry is low, low+1 and so on.
	low  int
	tops []circuit.Lit
	// pushed is the condition that the operation added an entry.
	pushed circuit.Lit
}

func (t *stackState) at(place int) circuit.Lit {
	if i := place - t.low; i >= 0 && i < len(t.tops) {
		return t.tops[i]
	}
	return circuit.False
}

// slotAt is a slot of the entry at a place, after a number of operations.
type slotAt struct{ place, slot, after int }

// stack returns a stack with its states after all operations that run before o, and the number of these operations.
func (s *Solver) stack(of owned, o op) (k *stack, n int) {
	k = s.stacks[of]
	width := bits.Len(uint(of.Count))
	if k == nil {
		k = &stack{owned: of, entries: map[int]circuit.Vec{}, known: map[slotAt]circuit.Vec{}, depth: make(circuit.Vec, width)}
		if !initial(of.State) {
			most := circuit.Constant(width, uint64(of.Count))
			k.raw = s.Inputs(width)
			k.depth = s.MuxVec(s.Less(most, k.raw, false), most, k.raw)
		}
		k.after = []stackState{{depth: k.depth, tops: []circuit.Lit{circuit.True}}}
		s.stacks[of], s.stackIDs = k, append(s.stackIDs, k)
	}
	uses := s.before(of, o)
	for len(k.after) <= len(uses) {
		u := uses[len(k.after)-1]
		k.after = append(k.after, s.advance(k, k.after[len(k.after)-1], s.code.Insts[u.id].Op == sem.OpPush, s.GuardIn(u.id, u.lane)))
	}
	return k, len(uses)
}

// advance returns the state of a stack after a push or a pop.
func (s *Solver) advance(k *stack, t stackState, push bool, guard circuit.Lit) stackState {
	width := len(t.depth)
	next := stackState{low: t.low, pushed: circuit.False}
	moved := guard
	if push {
		full := s.Equal(t.depth, circuit.Constant(width, uint64(k.Count)))
		more := s.And(guard, full.Not())
		if k.FullTraps {
			moved = more
		}
		next.pushed = moved
		next.depth = s.Sum(t.depth, make(circuit.Vec, width), more)
		for i := range len(t.tops) + 1 {
			next.tops = append(next.tops, s.Mux(moved, t.at(t.low+i-1), t.at(t.low+i)))
		}
		return next
	}
	moved = s.And(guard, s.IsSet(t.depth))
	next.low--
	next.depth = s.Sum(t.depth, circuit.Constant(width, ^uint64(0)), circuit.False)
	next.depth = s.MuxVec(moved, next.depth, t.depth)
	for i := range len(t.tops) + 1 {
		next.tops = append(next.tops, s.Mux(moved, t.at(next.low+i+1), t.at(next.low+i)))
	}
	return next
}

// asked returns the value of an operation that asks a stack.
func (s *Solver) asked(o op, in *sem.Inst) circuit.Vec {
	k, n := s.stack(s.owned(in.State, o.lane), o)
	t := &k.after[n]
	switch in.Op {
	case sem.OpDepth:
		return extend(t.depth, in.Type().Width)
	case sem.OpEmpty:
		return circuit.Vec{s.IsSet(t.depth).Not()}
	}
	out := make(circuit.Vec, in.Type().Width)
	if in.Imm >= uint64(k.Count) {
		return out
	}
	there := s.Less(circuit.Constant(len(t.depth), in.Imm), t.depth, false)
	for i, top := range t.tops {
		if top = s.And(top, there); top == circuit.False {
			continue
		}
		for b, l := range s.slot(k, slotAt{t.low + i - 1 - int(in.Imm), in.Comp, n}) {
			out[b] = s.Or(out[b], s.And(top, l))
		}
	}
	return out
}

// slot returns a slot of the entry at a place.
func (s *Solver) slot(k *stack, at slotAt) circuit.Vec {
	if v := k.known[at]; v != nil {
		return v
	}
	width := k.Slots[at.slot].Type.Width
	var v circuit.Vec
	if at.after == 0 {
		entry := -1 - at.place
		if entry < 0 || entry >= k.Count || initial(k.State) {
			return make(circuit.Vec, width)
		}
		n := entry*len(k.Slots) + at.slot
		if k.entries[n] == nil {
			k.entries[n] = s.Inputs(width)
		}
		return k.entries[n]
	}
	before := at
	before.after--
	hit := s.And(k.after[at.after].pushed, k.after[at.after-1].at(at.place))
	if hit != circuit.True {
		v = s.slot(k, before)
	}
	if hit != circuit.False {
		u := s.uses[k.owned][before.after]
		v = s.replace(hit, s.ValueIn(s.code.Insts[u.id].Args()[at.slot], u.lane), v)
	}
	k.known[at] = v
	return v
}

// load is the bytes at an address before the instruction. Bytes of an earlier load have the values of that load, and their
// own inputs do not matter.
type load struct {
	address op
	size    int
	inside  circuit.Lit
	inputs  circuit.Vec
	value   circuit.Vec
}

func (s *Solver) load(o op, in *sem.Inst) circuit.Vec {
	size, address, of := int(in.Imm), s.op(in.A, o.lane), s.owned(in.State, o.lane)
	s.ValueIn(in.A, o.lane) // before the inputs, which have the values at this address
	inside := s.inside(in.State, address, size)
	value := s.initialBytes(of, address, size, inside)
	for _, u := range s.before(of, o) {
		store := &s.code.Insts[u.id]
		n, at := int(store.Imm), s.op(store.A, u.lane)
		var hit circuit.Lit
		for _, x := range s.overlaps(address, at, size, n) {
			if hit == circuit.False {
				hit = s.And(s.GuardIn(u.id, u.lane), s.inside(in.State, at, n))
			}
			value = s.overlay(s.And(x.where, hit), value, extend(s.ValueIn(store.B, u.lane), 8*n), x.distance)
		}
	}
	return s.MuxVec(inside, value, make(circuit.Vec, 8*size))[:in.Type().Width]
}

// overlay replaces the bytes of a number by those of another one, which starts d bytes before it.
func (s *Solver) overlay(hit circuit.Lit, value, other circuit.Vec, d int) circuit.Vec {
	out := append(circuit.Vec{}, value...)
	for i := range out {
		if from := i + 8*d; from >= 0 && from < len(other) {
			out[i] = s.Mux(hit, other[from], out[i])
		}
	}
	return out
}

// inside returns the condition that an access is inside of a memory.
func (s *Solver) inside(st *sem.State, address op, size int) circuit.Lit {
	bytes, ok := s.opt.Sizes[st]
	if !ok {
		bytes = uint64(st.Count)
	}
	if bytes == 0 {
		return circuit.True
	}
	if bytes < uint64(size) {
		return circuit.False
	}
	x := extend(s.value(address), 64)
	return s.Less(circuit.Constant(64, bytes-uint64(size)), x, false).Not()
}

// initialBytes returns the bytes at an address before the instruction.
func (s *Solver) initialBytes(of owned, address op, size int, inside circuit.Lit) circuit.Vec {
	if initial(of.State) {
		return make(circuit.Vec, 8*size)
	}
	list := s.loads[of]
	if list == nil {
		list = new([]load)
		s.loads[of], s.loadIDs = list, append(s.loadIDs, of)
	}
	x := load{address: address, size: size, inside: inside, inputs: s.Inputs(8 * size)}
	x.value = x.inputs
	for i := len(*list) - 1; i >= 0; i-- {
		e := &(*list)[i]
		for _, o := range s.overlaps(address, e.address, size, e.size) {
			x.value = s.overlay(s.And(o.where, e.inside), x.value, e.value, o.distance)
		}
	}
	*list = append(*list, x)
	return x.value
}

// overlap is a distance in bytes between two accesses that overlap, and the condition that they have this distance.
type overlap struct {
	distance int
	where    circuit.Lit
}

// overlaps returns the possible distances a - b at which accesses of m bytes at a and of n bytes at b overlap.
func (s *Solver) overlaps(a, b op, m, n int) (list []overlap) {
	x, dx := s.base(a)
	y, dy := s.base(b)
	width := s.code.Insts[a.id].Type().Width
	if x == y && width == s.code.Insts[b.id].Type().Width {
		switch d := int64(dx-dy) << (64 - width) >> (64 - width); {
		case d == 0:
			return []overlap{{0, circuit.True}}
		case d >= int64(n), d <= -int64(m):
			return nil
		}
	}
	const wide = 65 // bits, for the sign of the distance
	distance := s.Sum(extend(s.value(a), wide), extend(s.value(b), wide).Invert(), circuit.True)
	for d := 1 - m; d < n; d++ {
		if at := s.Equal(distance, signExtend(circuit.Constant(64, uint64(d)), wide)); at != circuit.False {
			list = append(list, overlap{d, at})
		}
	}
	return list
}

// value returns the value of an operation in its lane.
func (s *Solver) value(o op) circuit.Vec { return s.ValueIn(o.id, o.lane) }

// base returns an operation and an offset whose sum is the value of an integer.
func (s *Solver) base(o op) (base op, offset uint64) {
	for {
		in := &s.code.Insts[o.id]
		switch {
		case in.Op == sem.OpSplat:
			o = s.op(in.A, o.lane)
			continue
		case in.Op == sem.OpAdd && s.code.Insts[in.B].Op == sem.OpConst:
			o, offset = s.op(in.A, o.lane), offset+s.code.Insts[in.B].Imm
			continue
		case in.Op == sem.OpAdd && s.code.Insts[in.A].Op == sem.OpConst:
			o, offset = s.op(in.B, o.lane), offset+s.code.Insts[in.A].Imm
			continue
		case in.Op == sem.OpConst:
			return op{sem.NoID, 0}, offset + in.Imm
		}
		return o, offset
	}
}
