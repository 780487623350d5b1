// Package exec runs programs on waves of lanes. It is the reference engine. Package feed, which is built on it, runs whole
// programs by the names of their inputs and outputs.
//
// A Processor runs instructions for emulators and tests. A Launch is a whole program. Launch.Bind prepares a program for
// runs over many lanes: a Plane holds one component of all lanes, and an Engine runs the lanes. Launch.Run does the same
// with a row for each lane. The other types are for the packages target/NAME/launch.
//
// Values are the bits of one component, in the low bits of a uint64 or a uint32. Program addresses are in units of the
// program counter, and memory addresses are in bytes. In a mask of lanes, bit 0 is the first lane.
package exec

import (
	mathbits "math/bits"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// Lanes is the maximum number of lanes of a wave.
const Lanes = spec.MaxLanes

// plane holds one component of all lanes.
type plane = [Lanes]uint64

// store holds the values of a state: planes if each lane has its own values, and otherwise scalars.
type store struct {
	state *sem.State
	// public is the form of state that users see.
	public *State
	comps  int
	// count is the number of allocated registers. Other registers are outside the file.
	count   int
	planes  []plane
	scalars []uint64
	// written holds the mask of the lanes in which each component was written. For scalars, it is all or none.
	// Components from used on were not written.
	written []uint64
	used    int
	// carried is set if a component that counts as unwritten may hold a copy of an unwritten value.
	carried bool
	// place is the position of a stack's next entry, and depth is the number of entries. While even is set, they are
	// equal in all lanes, and only lane 0 is up to date.
	place, depth [Lanes]int32
	even         bool
	// same is the mask of the slots whose values are equal in all lanes, in all entries, while even is set.
	same uint64
	// some is the mask of the lanes in which a stack has entries.
	some uint64
	// started is set if all unwritten components have the value first.
	started bool
	first   uint64
	// bytes are those of a memory, allocated at the first use. size is the size of the memory, or of the memory of one
	// lane. areas are the accessible parts in ascending order, or nil if all of the memory is accessible.
	bytes []byte
	size  int
	areas []Area
	// known holds the mask of the lanes in which each word of a memory was written. It is nil if this is not recorded.
	known []uint64
}

func newStore(s *sem.State, public *State) *store {
	st := &store{state: s, public: public, comps: s.Type.Count(), count: s.Count}
	n := s.Count * st.comps
	switch s.Kind {
	case sem.MemoryState:
		st.size = s.Count
		return st
	case sem.StackState:
		st.comps = len(s.Slots)
		n = s.Count * st.comps
	}
	if st.wide() {
		st.scalars = make([]uint64, n)
	} else {
		st.planes = make([]plane, n)
	}
	st.written = make([]uint64, n)
	st.reset(0)
	return st
}

// limit reduces the number of registers to n. A file whose numbers wrap always has all of them.
func (st *store) limit(n int) {
	if st.state.Outside != sem.OutsideWrap {
		st.count = min(n, st.state.Count)
	}
}

func (st *store) wide() bool { return st.state.Scope >= spec.ScopeWave }

// reset resets a state to its initial values.
func (st *store) reset(exists uint64) {
	st.resetValues(exists)
	clear(st.bytes)
}

// resetValues resets a state to its initial values, except for the bytes of a memory.
func (st *store) resetValues(exists uint64) {
	s := st.state
	init := s.Init
	if s.InitExists {
		init = exists
	}
	used := st.used
	if !st.started || st.first != init {
		used = len(st.written)
	}
	for i := range st.written[:used] {
		switch {
		case st.started && st.first == init && st.written[i] == 0 && !st.carried:
		case st.wide():
			st.scalars[i] = init
		case s.Kind == sem.StackState: // only entries of the stack are read
		case init == 0:
			st.planes[i] = plane{}
		default:
			fill(st.planes[i][:], init)
		}
	}
	copy(st.scalars, s.Values)
	st.started, st.first = true, init
	clear(st.written[:used])
	st.place[0], st.depth[0], st.some, st.even, st.same = 0, 0, 0, true, ^uint64(0)
	clear(st.known)
}

// use records that a component may be written.
func (st *store) use(i int) { st.used = max(st.used, i+1) }

// get returns a component of a register in a lane.
func (st *store) get(number, comp, lane int) uint64 {
	if st.state.Kind == sem.MemoryState {
		return st.wordAt(number, lane)
	}
	i := number*st.comps + comp
	if st.wide() {
		return st.scalars[i]
	}
	return st.planes[i][lane]
}

// set sets a component of a register in a lane.
func (st *store) set(number, comp, lane int, v uint64) {
	if st.state.Kind == sem.MemoryState {
		st.setWord(number, lane, v)
		return
	}
	i := number*st.comps + comp
	st.use(i)
	if st.wide() {
		st.scalars[i], st.written[i] = v, ^uint64(0)
		return
	}
	st.planes[i][lane] = v
	st.written[i] |= 1 << uint(lane)
}

// put sets a component in a lane. The component may belong to a view.
func (st *store) put(c Component, lane int, v uint64) {
	if c.View == nil {
		st.set(c.Number, c.Comp, lane, v)
		return
	}
	for _, r := range c.View.sem.Runs(c.Number, c.Comp) {
		mask := ^uint64(0) >> (64 - r.Width) << r.Low
		old := st.get(r.Register, r.Comp, lane)
		st.set(r.Register, r.Comp, lane, old&^mask|v>>r.At<<r.Low&mask)
	}
}

// gather returns the bits of runs in a lane.
func (st *store) gather(runs []sem.Run, lane int) (v uint64) {
	for _, r := range runs {
		mask := ^uint64(0) >> (64 - r.Width)
		v |= st.get(r.Register, r.Comp, lane) >> r.Low & mask << r.At
	}
	return v
}

// wrote returns the mask of the lanes in which a component of a register was written. It returns 0 for memories and
// views.
func (w *Wave) wrote(c Component) uint64 {
	if c.View != nil || c.State.Kind != Registers {
		return 0
	}
	return w.Written(c.State, c.Number, c.Comp)
}

// column copies a component of a register in the first len(out) lanes, with canonical NaNs.
func (w *Wave) column(c Component, out []uint64) {
	st := w.stores[c.State.Index]
	if c.View != nil {
		runs := c.View.sem.Runs(c.Number, c.Comp)
		for lane := range out {
			out[lane] = sem.Canonical(st.gather(runs, lane), c.View.sem.Type.Elem())
		}
		return
	}
	t := st.componentType()
	for lane := range out {
		out[lane] = sem.Canonical(st.get(c.Number, c.Comp, lane), t)
	}
}

// depthIn returns the number of entries of a stack in a lane.
func (st *store) depthIn(lane int) int {
	if st.even {
		lane = 0
	}
	return int(st.depth[lane])
}

// entry returns the position of a stack entry in a lane. k is 0 for the top entry. ok is false if there is no such
// entry.
func (st *store) entry(k, lane int) (place int, ok bool) {
	if st.even {
		lane = 0
	}
	if int32(k) >= st.depth[lane] {
		return 0, false
	}
	if place = int(st.place[lane]) - 1 - k; place < 0 {
		place += st.state.Count
	}
	return place, true
}

// part clears even: from now on, each lane has its own place and depth.
func (st *store) part() {
	if !st.even {
		return
	}
	st.even = false
	for i := range st.place {
		st.place[i], st.depth[i] = st.place[0], st.depth[0]
	}
}

// push pushes an entry onto a stack in a lane. It returns false if this is a trap because the stack is full.
func (st *store) push(lane int, slot func(i int) uint64) bool {
	at, ok := st.grow(lane)
	if !ok {
		return false
	}
	st.some |= 1 << uint(lane)
	for i := range st.comps {
		st.set(at, i, lane, slot(i))
	}
	return true
}

// grow adds an entry to a stack and returns its position. ok is false if this is a trap.
func (st *store) grow(lane int) (at int, ok bool) {
	if int(st.depth[lane]) < st.state.Count {
		st.depth[lane]++
	} else if st.state.FullTraps {
		return 0, false
	}
	at = int(st.place[lane])
	if st.place[lane]++; int(st.place[lane]) == st.state.Count {
		st.place[lane] = 0
	}
	return at, true
}

// pop pops the top entry of a stack in a lane. It returns false if this is a trap because the stack is empty.
func (st *store) pop(lane int) bool {
	if st.depth[lane] == 0 {
		return !st.state.EmptyTraps
	}
	if st.depth[lane]--; st.depth[lane] == 0 {
		st.some &^= 1 << uint(lane)
	}
	if st.place[lane]--; st.place[lane] < 0 {
		st.place[lane] = int32(st.state.Count) - 1
	}
	return true
}

// level sets even if the stack has become empty in all lanes.
func (st *store) level() {
	if st.some == 0 && !st.wide() {
		st.place[0], st.depth[0], st.even, st.same = 0, 0, true, ^uint64(0)
	}
}

// each calls f for the lanes of a mask in ascending order.
func each(mask uint64, f func(lane int)) {
	for ; mask != 0; mask &= mask - 1 {
		f(mathbits.TrailingZeros64(mask))
	}
}

// componentType returns the type of a component of a register, or of a word of a memory.
func (st *store) componentType() sem.Type {
	if st.state.Kind == sem.MemoryState {
		return st.state.Word.Elem()
	}
	return st.state.Type.Elem()
}
