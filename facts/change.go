package facts

import (
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// Part is the number of a register component among all components of the registers that programs can change. It is less
// than Machine.Parts.
type Part int32

// Change describes how an instruction changes a part of a register on a path.
type Change struct {
	Part Part
	// From lists the parts on whose values before the instruction the new value depends, in ascending order. It
	// includes Part if the change depends on an undecided condition.
	From []Part
	// Weak is set if the part may keep its value. Indexed is set if the reason is that the number of the register is
	// unknown.
	Weak, Indexed bool
	// Copies is set if the new value is that of From[0], the only element of From.
	Copies bool
	// Known is set if the new value is always Value.
	Known bool
	Value uint64
	// Key is the new value in the notation of Condition.Key. It is "" unless the value has only a few bits, such as a
	// flag, and depends only on parts and constants.
	Key string
}

// Known returns the value of a register component before an instruction. ok is false if the value is unknown.
type Known func(s *State, number, comp int) (value uint64, ok bool)

// Parts returns the number of parts.
func (m *Machine) Parts() int { return m.parts }

// Part returns the part for a register component. ok is false if the component does not exist, or if programs cannot
// change it.
func (m *Machine) Part(s *State, number, comp int) (p Part, ok bool) {
	n := max(1, len(s.Components))
	if s.first < 0 || comp < 0 || comp >= n || number < 0 || number >= s.Count {
		return 0, false
	}
	return s.first + Part(number*n+comp), true
}

// layOut assigns the numbers of the parts.
func (m *Machine) layOut() {
	for _, s := range m.states {
		s.first = -1
		if s.Changes() {
			s.first = Part(m.parts)
			m.parts += s.Count * max(1, len(s.Components))
		}
	}
}

// Changes reports whether programs can change the registers, so that they have parts: registers of a lane or a wave
// that are neither inputs nor constants.
func (s *State) Changes() bool {
	own := s.Scope == "lane" || s.Scope == "wave"
	return s.Kind == Registers && own && s.Use != "input" && s.Use != "constant"
}

// change describes how the operations so far changed a part.
type change struct {
	from          []Part
	weak, indexed bool
	copies        bool
	value         number
	last          sem.ID // the operation that computed the value, or NoID if it is one of several
}

// sources are the parts on which a value depends.
type sources struct {
	from   []Part
	copies bool // the value is that of from[0]
}

// union returns the union of two ascending lists.
func union(a, b []Part) []Part {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	case slices.Equal(a, b):
		return a
	}
	out := make([]Part, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// part returns the part for a component of a state in the semantics.
func (w *walk) part(s *sem.State, number, comp int) (Part, bool) {
	st := w.m.of[s]
	if st == nil {
		return 0, false
	}
	return w.m.Part(st, number, comp)
}

// trace records the sources of an operation's value, and what the operation changes and uses.
func (w *walk) trace(id sem.ID, in *sem.Inst) {
	if w.known == nil {
		if in.Op == sem.OpWrite && w.holdsSurely(in.Guard) == always {
			w.changed[registerOf(in)] = &change{value: w.values[in.B], last: in.B}
		}
		return
	}
	switch in.Op {
	case sem.OpRead:
		w.sources[id] = w.reads(in, int(in.Imm))
	case sem.OpReadX:
		w.use(in.A)
		if n := w.values[in.A]; n.known {
			w.sources[id] = w.reads(in, int(min(n.v, 1<<30)))
		} else {
			w.sources[id] = w.readsAny(in)
		}
	case sem.OpWrite:
		w.writes(in, int(in.Imm), w.holdsSurely(in.Guard), false)
	case sem.OpWriteX:
		if t := w.holdsSurely(in.Guard); t != never {
			w.use(in.A)
			w.writesAt(in, t)
		}
	case sem.OpLoad:
		w.use(in.A)
	case sem.OpPush:
		if w.holdsSurely(in.Guard) != never {
			for _, a := range in.Args() {
				w.way.Pushed = union(w.way.Pushed, w.sources[a].from)
			}
		}
	case sem.OpStore, sem.OpService, sem.OpBarrier, sem.OpTrap, sem.OpUnknown, sem.OpEnd, sem.OpJump, sem.OpFlow:
		if w.holdsSurely(in.Guard) != never {
			in.EachArg(w.use)
		}
	case sem.OpHazard:
		if w.holdsSurely(in.Guard) == always {
			name, text, _ := strings.Cut(in.Text(), " ")
			w.way.Hazards = append(w.way.Hazards, isa.Hazard{Name: name, Text: text})
		}
	case sem.OpTop, sem.OpDepth, sem.OpEmpty, sem.OpResult, sem.OpPop, sem.OpSkip, sem.OpRun, sem.OpAtomic:
	case sem.OpSelect:
		w.sources[id] = w.choice(in)
	case sem.OpSplat:
		w.sources[id] = w.sources[in.A]
	default:
		w.sources[id] = sources{from: w.mixed(id, in)}
	}
}

// mixed returns the sources of a computed value. A value that is known although an argument is unknown depends only on
// an argument that determines it, if there is one.
func (w *walk) mixed(id sem.ID, in *sem.Inst) (from []Part) {
	known := w.values[id].known
	if known && in.Type().Kind == sem.Bool && (in.Op == sem.OpAnd || in.Op == sem.OpOr) {
		for _, a := range [2]sem.ID{in.A, in.B} {
			if x := w.values[a]; x.known && (x.v != 0) == (in.Op == sem.OpOr) {
				return w.sources[a].from
			}
		}
	}
	all := true
	in.EachArg(func(a sem.ID) {
		from = union(from, w.sources[a].from)
		all = all && w.values[a].known
	})
	if known && !all {
		return nil
	}
	return from
}

// choice returns the sources of a select.
func (w *walk) choice(in *sem.Inst) sources {
	chosen := sources{from: union(w.sources[in.B].from, w.sources[in.C].from)}
	switch w.holdsSurely(in.A) {
	case always:
		chosen = w.sources[in.B]
	case never:
		chosen = w.sources[in.C]
	}
	if from := w.sources[in.A].from; len(from) > 0 {
		chosen = sources{from: union(from, chosen.from)}
	}
	return chosen
}

// use records that a value has an effect other than on the contents of registers.
func (w *walk) use(id sem.ID) {
	if id != sem.NoID {
		w.way.Uses = union(w.way.Uses, w.sources[id].from)
	}
}

// reads returns the sources of a read of a register component.
func (w *walk) reads(in *sem.Inst, number int) sources {
	if c, ok := w.changed[register{in.State, number, in.Comp}]; ok {
		return sources{c.from, c.copies}
	}
	if p, ok := w.part(in.State, number, in.Comp); ok && !in.State.InitExists { // the analysed lane runs
		return sources{[]Part{p}, true}
	}
	return sources{}
}

// readsAny is like reads, for a register whose number is unknown.
func (w *walk) readsAny(in *sem.Inst) sources {
	var from []Part
	if _, ok := w.part(in.State, 0, in.Comp); ok {
		for n := range in.State.Count {
			from = append(from, w.reads(in, n).from...)
		}
		slices.Sort(from)
		from = slices.Compact(from)
	}
	return sources{from: from}
}

// writesAt records a write to a register whose number is a value.
func (w *walk) writesAt(in *sem.Inst, t truth) {
	if n := w.values[in.A]; n.known {
		if n.v < uint64(in.State.Count) {
			w.writes(in, int(n.v), t, false)
		}
		return
	}
	for n := range in.State.Count {
		w.writes(in, n, maybe, true)
	}
}

// writes records a write to a register component.
func (w *walk) writes(in *sem.Inst, number int, t truth, indexed bool) {
	if t == never {
		return
	}
	from := w.sources[in.B]
	c := change{from: from.from, copies: from.copies, value: w.values[in.B], last: in.B}
	if t == maybe {
		before, was := w.reads(in, number), w.changed[register{in.State, number, in.Comp}]
		c = change{from: union(from.from, before.from), weak: true, indexed: indexed, last: sem.NoID}
		if was != nil {
			c.weak, c.indexed = was.weak, was.indexed && indexed
		}
		if in.Guard != sem.NoID {
			c.from = union(c.from, w.sources[in.Guard].from)
		}
	}
	if st := w.m.of[in.State]; st != nil && st.Scope == "wave" {
		w.way.Uses = union(w.way.Uses, c.from)
	}
	w.changed[register{in.State, number, in.Comp}] = &c
}

// holdsSurely returns what is known of a condition on this path. It does not decide the condition.
func (w *walk) holdsSurely(id sem.ID) truth {
	if id == sem.NoID {
		return always
	}
	if v := w.values[id]; v.known {
		if v.v != 0 {
			return always
		}
		return never
	}
	if d, ok := w.decided[id]; ok {
		if d {
			return always
		}
		return never
	}
	switch in := w.at(id); in.Op {
	case sem.OpSplat:
		return w.holdsSurely(in.A)
	case sem.OpNot:
		return w.holdsSurely(in.A).not()
	case sem.OpAnd:
		return and(w.holdsSurely(in.A), w.holdsSurely(in.B))
	case sem.OpOr:
		return or(w.holdsSurely(in.A), w.holdsSurely(in.B))
	}
	return w.truth(id)
}

// changes returns the changes of a path, ordered by parts.
func (w *walk) changes() (list []Change) {
	for reg, c := range w.changed {
		p, ok := w.part(reg.state, reg.number, reg.comp)
		if !ok {
			continue
		}
		x := Change{Part: p, From: c.from, Weak: c.weak, Indexed: c.weak && c.indexed, Copies: c.copies && !c.weak, Known: c.value.known, Value: c.value.v}
		if !x.Weak && c.last != sem.NoID && reg.state.Type.Elem().Width <= maxFlag {
			x.Key = w.text(c.last)
		}
		if x.Weak {
			x.From = union(x.From, []Part{p})
		}
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b Change) int { return int(a.Part - b.Part) })
	return list
}

// also merges the changes and uses of another path with the same continuation.
func (w *Way) also(o *Way) {
	w.Effort += o.Effort
	for _, c := range o.Conditions {
		w.Conditions = orAlso(w.Conditions, c)
	}
	w.Hazards = slices.DeleteFunc(w.Hazards, func(h isa.Hazard) bool { return !slices.Contains(o.Hazards, h) })
	w.Uses, w.Pushed = union(w.Uses, o.Uses), union(w.Pushed, o.Pushed)
	all := map[Part]Change{}
	for _, c := range w.Changes {
		all[c.Part] = c
	}
	for _, c := range o.Changes {
		was, ok := all[c.Part]
		switch {
		case !ok:
			c.Weak, c.Key, c.From = true, "", union(c.From, []Part{c.Part})
		default:
			known := c.Known && was.Known && c.Value == was.Value
			copies := c.Copies && was.Copies && c.From[0] == was.From[0]
			if c.Key != was.Key {
				c.Key = ""
			}
			c = Change{Part: c.Part, From: union(c.From, was.From), Weak: c.Weak || was.Weak, Indexed: c.Indexed && was.Indexed, Copies: copies, Known: known, Value: c.Value, Key: c.Key}
		}
		c.Copies, c.Known = c.Copies && !c.Weak, c.Known && !c.Weak
		all[c.Part] = c
	}
	for _, c := range w.Changes {
		if !slices.ContainsFunc(o.Changes, func(x Change) bool { return x.Part == c.Part }) {
			c.Weak, c.Copies, c.Known, c.Key, c.From = true, false, false, "", union(c.From, []Part{c.Part})
			all[c.Part] = c
		}
	}
	w.Changes = slices.SortedFunc(maps.Values(all), func(a, b Change) int { return int(a.Part - b.Part) })
}
