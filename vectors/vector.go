package vectors

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/step"
)

// vector runs a row on the plain engine and adds it to the file.
func (w *leafWork) vector(x *word, s setting, e *evaluation, one row) error {
	v := Vector{
		Name: fmt.Sprintf("%s/%d", w.file.Instruction, len(w.file.Vectors)+1), Text: []string{x.text}, Words: hexWords(w.root, x.bits, w.leaf.Size),
		Context: s.contexts, Quirks: s.changed, Lanes: e.init.width, Steps: 1, Reasons: one.reasons,
	}
	slices.Sort(v.Reasons)
	v.Reasons = slices.Compact(v.Reasons)
	for i, t := range w.m.Set().Tables() {
		if i >= len(x.tables) || len(x.tables[i]) == 0 {
			continue
		}
		if v.Tables == nil {
			v.Tables = map[string][]string{}
		}
		for _, entry := range x.tables[i] {
			v.Tables[t.Name] = append(v.Tables[t.Name], entry.String())
		}
	}
	q := step.Query{Lanes: v.Lanes, Steps: 1}
	if m := e.init.exists[one.run/e.init.width]; m != 1<<e.init.width-1 {
		v.Active, q.Active = strconv.FormatUint(m, 16), m
	}
	q.Initial = e.state(w.m, one.run)
	res, err := w.execute(&v, &q)
	if err != nil {
		return err
	}
	v.Initial, v.Calls = q.Initial, slices.Clone(res.Calls)
	for i := range res.Stops {
		if res.Stops[i].Reason == "budget" { // after the only step
			continue
		}
		text := res.Stops[i].Reason
		if res.Stops[i].Text != "" {
			text += ": " + res.Stops[i].Text
		}
		v.Stops = append(v.Stops, Stop{Lanes: strconv.FormatUint(res.Stops[i].Lanes, 16), Reason: text})
	}
	v.Final = w.runner.Final(&q)
	if err := e.agrees(w.m, one.run, &v.Final, len(v.Stops) > 0); err != nil {
		return fmt.Errorf("%s: %w", x.text, err)
	}
	if err := w.decides(&v, &q); err != nil {
		return err
	}
	w.file.Vectors = append(w.file.Vectors, v)
	return nil
}

// execute runs a vector.
func (w *leafWork) execute(v *Vector, q *step.Query) (*step.Result, error) {
	key := fmt.Sprint(v.Context, v.Quirks)
	if w.programs[key] == nil {
		quirks := maps.Clone(w.given)
		maps.Copy(quirks, v.Quirks)
		code := step.Code{Root: w.root.Name, Words: v.Words, Tables: v.Tables, Context: v.Context, Quirks: quirks}
		p, err := code.Program(w.m)
		if err != nil {
			return nil, err
		}
		w.programs[key] = w.runner.Program(p)
	}
	q.Program = w.programs[key]
	return w.runner.Run(context.Background(), q)
}

// decides adds the values of quirks with which the vector ends in another state.
func (w *leafWork) decides(v *Vector, q *step.Query) error {
	final, err := json.Marshal(v.Final)
	if err != nil {
		return err
	}
	for _, quirk := range w.sem.Quirks() {
		if !slices.Contains(w.names, quirk.Name) {
			continue
		}
		if _, ok := v.Quirks[quirk.Name]; ok {
			continue
		}
		for i, value := range quirk.Values() {
			if old, ok := w.quirks[quirk.Name]; ok && old == quirk.Numbers()[i] || !ok && quirk.Default == quirk.Numbers()[i] {
				continue
			}
			other := *v
			other.Quirks = maps.Clone(v.Quirks)
			if other.Quirks == nil {
				other.Quirks = map[string]string{}
			}
			other.Quirks[quirk.Name] = value
			if _, err := w.execute(&other, q); err != nil {
				return err
			}
			state := w.runner.Final(q)
			if text, err := json.Marshal(state); err == nil && string(text) != string(final) {
				v.Decides = append(v.Decides, Decision{Quirk: quirk.Name, Value: value, Final: state})
			}
		}
	}
	return nil
}

// lane returns the number of a lane in a State.
func lane(s *sem.State, lane int) int {
	if shared(s) {
		return -1
	}
	return lane
}

// owners returns the number of lanes that have a state of their own, or 1 if all lanes share it.
func (s *initial) owners(st *sem.State) int {
	if shared(st) {
		return 1
	}
	return s.width
}

// state returns the state before the wave whose first lane is run: all components of the registers that the wave may read or
// write, the stacks, and the bytes that it loads.
func (e *evaluation) state(m *exec.Machine, run int) (out State) {
	named := map[[2]int]*sem.State{}
	for k := range e.init.width {
		for _, c := range e.touches(run + k) {
			named[[2]int{c.state.Index, c.number}] = c.state
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(named), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		st := named[at]
		if st.ReadOnly {
			continue
		}
		for k := range e.init.owners(st) {
			r := Register{Name: st.Name, Single: st.Single, Number: at[1], Lane: lane(st, k), Bits: st.Type.Width, Vector: st.Type.Len > 0}
			for comp := range max(1, st.Type.Len) {
				r.Values = append(r.Values, e.init.get(component{st, at[1], comp})[run+k])
			}
			out.Registers = append(out.Registers, r)
		}
	}
	for _, public := range m.States {
		for st, list := range e.init.stacks {
			if st.Index != public.Index {
				continue
			}
			for k := range e.init.owners(st) {
				if len(list[run+k]) > 0 {
					out.Stacks = append(out.Stacks, Stack{Name: st.Name, Lane: lane(st, k), Entries: slotsOf(st, list[run+k])})
				}
			}
		}
	}
	bytes := slices.SortedFunc(maps.Keys(e.init.bytes), func(a, b byteAt) int {
		return slices.Compare([]int{a.state.Index, a.run, int(a.address)}, []int{b.state.Index, b.run, int(b.address)})
	})
	for _, at := range bytes {
		if at.run < run || at.run >= run+e.init.width {
			continue
		}
		k := lane(at.state, at.run-run)
		if n := len(out.Memories) - 1; n >= 0 {
			if last := &out.Memories[n]; last.Name == at.state.Name && last.Lane == k && last.Address+uint64(len(last.Bytes)) == at.address {
				last.Bytes = append(last.Bytes, e.init.bytes[at])
				continue
			}
		}
		out.Memories = append(out.Memories, Memory{Name: at.state.Name, Lane: k, Address: at.address, Bytes: []byte{e.init.bytes[at]}})
	}
	if n := len(out.Memories) - 1; n >= 0 && e.init.width > 1 && out.Lanes() == 1 && out.Memories[n].Lane == 0 {
		// JSON shows the lanes only if another one has a state: a byte that is 0.
		out.Memories = append(out.Memories, Memory{Name: out.Memories[n].Name, Lane: e.init.width - 1, Address: out.Memories[n].Address, Bytes: []byte{0}})
	}
	return out
}

// slotsOf returns entries of a stack with the names of their slots.
func slotsOf(st *sem.State, list [][]uint64) (out []map[string]uint64) {
	for _, entry := range list {
		slots := map[string]uint64{}
		for k, v := range entry {
			slots[st.Slots[k].Name] = v
		}
		out = append(out, slots)
	}
	return out
}

// touches lists the components that a run may read or write.
func (e *evaluation) touches(run int) (list []component) {
	for i := range e.insts {
		in := &e.insts[i]
		if in.State == nil || in.State.Scope == spec.ScopeInstruction {
			continue
		}
		switch in.Op {
		case sem.OpRead, sem.OpWrite:
			list = append(list, component{in.State, int(in.Imm), in.Comp})
		case sem.OpReadX, sem.OpWriteX:
			if n, ok := register(in.State, e.values[in.A][run]); ok {
				list = append(list, component{in.State, n, in.Comp})
			}
		}
	}
	return list
}

// agrees returns an error if the state after a wave is not that of the evaluation. stopped is set if lanes have stopped.
func (e *evaluation) agrees(m *exec.Machine, run int, final *State, stopped bool) error {
	exists := e.init.exists[run/e.init.width]
	for i := range final.Registers {
		r := &final.Registers[i]
		st := m.State(r.Name)
		k := max(0, r.Lane)
		if exists>>k&1 == 0 && r.Lane >= 0 {
			continue
		}
		for c, v := range e.registers {
			if c.state.Index != st.Index || c.number != r.Number {
				continue
			}
			if want, got := exec.Canonical(v[run+k], st.Type), exec.Canonical(r.Values[c.comp], st.Type); want != got {
				return fmt.Errorf("the engine computes %x for component %d of %s %d in lane %d, and the evaluation %x", got, c.comp, r.Name, r.Number, k, want)
			}
		}
	}
	for st, list := range e.stacks {
		for k := range e.init.owners(st) {
			var got []map[string]uint64
			for _, s := range final.Stacks {
				if s.Name == st.Name && s.Lane == lane(st, k) {
					got = s.Entries
				}
			}
			if want := slotsOf(st, list[run+k]); !slices.EqualFunc(got, want, maps.Equal[map[string]uint64, map[string]uint64]) {
				return fmt.Errorf("the engine leaves %v in %s, and the evaluation %v", got, st.Name, want)
			}
		}
	}
	for at, b := range e.bytes {
		if at.run < run || at.run >= run+e.init.width {
			continue
		}
		got := e.init.bytes[at]
		for _, x := range final.Memories {
			if x.Name == at.state.Name && x.Lane == lane(at.state, at.run-run) && at.address >= x.Address && at.address-x.Address < uint64(len(x.Bytes)) {
				got = x.Bytes[at.address-x.Address]
			}
		}
		if got != b {
			return fmt.Errorf("the engine stores %x at %#x of %s, and the evaluation %x", got, at.address, at.state.Name, b)
		}
	}
	if !stopped && e.init.width == 1 && e.jumped>>run&1 != 0 && final.PC != e.target[run] {
		return fmt.Errorf("the engine continues at %#x, and the evaluation at %#x", final.PC, e.target[run])
	}
	return nil
}
