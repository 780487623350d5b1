package exec

import (
	"slices"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// Twin returns a wave that runs another program of the same machine on the state of w. The two share registers, stacks
// and memories, and each keeps its compiled instructions. Only one of them may run at a time, beginning with Start.
func (w *Wave) Twin(p *Program) *Wave {
	t := newWave(p)
	t.Services, t.Budget, t.Strict, t.Watch, t.KeepMemories = w.Services, w.Budget, w.Strict, w.Watch, w.KeepMemories
	t.width, t.stores, t.own, t.on = w.width, w.stores, w.own, w.on
	return t
}

// SetWidth sets the largest number of lanes that Start can start, 1 to 64. Fewer lanes are faster. Call SetWidth before
// the wave runs.
func (w *Wave) SetWidth(lanes int) { w.width = lanes }

// Mark holds the values that the registers and stacks of a wave had when Wave.Mark was called. It leaves out states that
// no instruction can write, and states of instruction scope.
type Mark struct {
	lanes  int
	states []marked // by State.Index
}

// marked holds the values of a state.
type marked struct {
	writes bool // whether an instruction can write the state
	// at lists the written components of a file, in ascending order, and values has one value for each lane of each. For
	// a stack, values has the depth in each lane, each followed by the entries.
	at     []int
	values []uint64
}

// Mark records the values of the lanes that Start started. m may be reused, for waves of the same machine.
func (w *Wave) Mark(m *Mark) {
	m.lanes = popcount(w.whole)
	if m.states == nil {
		m.states = make([]marked, len(w.stores))
		for i, st := range w.stores {
			s := st.state
			m.states[i].writes = s.Kind != sem.MemoryState && !s.ReadOnly && s.Scope != spec.ScopeInstruction && w.Program.Machine.sem.Writes(s)
		}
	}
	for i, st := range w.stores {
		x := &m.states[i]
		switch {
		case !x.writes:
		case st.state.Kind == sem.StackState:
			x.values = st.appendEntries(x.values[:0], m.lanes)
		default:
			x.at, x.values = x.at[:0], x.values[:0]
			for k, lanes := range st.written[:st.used] {
				if lanes != 0 {
					x.at, x.values = append(x.at, k), append(x.values, st.lanes(k, m.lanes)...)
				}
			}
		}
	}
}

// Changed calls f for each register whose value has changed since Mark, in ascending order, with the mask of the lanes in
// which it has. All NaNs are equal. For a stack, number is 0. For a state that lanes share, the mask is 1.
func (w *Wave) Changed(m *Mark, s *State, f func(number int, lanes uint64)) {
	x, st := &m.states[s.Index], w.stores[s.Index]
	switch {
	case !x.writes:
	case s.Kind == Stack:
		if lanes := st.changedEntries(x.values, m.lanes); lanes != 0 {
			f(0, lanes)
		}
	default:
		st.changed(x, m.lanes, f)
	}
}

// lanes returns the values of a component in the first n lanes, or its value if lanes share it.
func (st *store) lanes(k, n int) []uint64 {
	if st.wide() {
		return st.scalars[k : k+1]
	}
	return st.planes[k][:n]
}

// changed is Changed for a file.
func (st *store) changed(x *marked, lanes int, f func(number int, lanes uint64)) {
	t, at, values := st.state.Type.Elem(), x.at, x.values
	number, mask := 0, uint64(0)
	for k := range st.used {
		if st.written[k] == 0 && !st.carried { // it has its initial value
			continue
		}
		if n := k / st.comps; n != number {
			if mask != 0 {
				f(number, mask)
			}
			number, mask = n, 0
		}
		now := st.lanes(k, lanes)
		for len(at) > 0 && at[0] < k {
			at, values = at[1:], values[len(now):]
		}
		for lane, v := range now {
			before := st.first
			switch {
			case len(at) > 0 && at[0] == k:
				before = values[lane]
			case st.wide() && k < len(st.state.Values):
				before = st.state.Values[k]
			}
			if v != before && sem.Canonical(v, t) != sem.Canonical(before, t) {
				mask |= 1 << uint(lane)
			}
		}
	}
	if mask != 0 {
		f(number, mask)
	}
}

// appendEntries appends the depth of a stack in each lane, followed by its entries, the oldest first.
func (st *store) appendEntries(list []uint64, lanes int) []uint64 {
	if st.wide() {
		lanes = 1
	}
	for lane := range lanes {
		list = st.appendLane(list, lane)
	}
	return list
}

func (st *store) appendLane(list []uint64, lane int) []uint64 {
	depth := st.depthIn(lane)
	list = append(list, uint64(depth))
	for k := depth - 1; k >= 0; k-- {
		at, _ := st.entry(k, lane)
		for slot := range st.comps {
			list = append(list, st.get(at, slot, lane))
		}
	}
	return list
}

// changedEntries returns the lanes in which a stack has changed since appendEntries.
func (st *store) changedEntries(before []uint64, lanes int) (mask uint64) {
	if st.wide() {
		lanes = 1
	}
	var now []uint64
	for lane := range lanes {
		n := 1 + int(before[0])*st.comps
		if now = st.appendLane(now[:0], lane); !slices.Equal(now, before[:n]) {
			mask |= 1 << uint(lane)
		}
		before = before[n:]
	}
	return mask
}
