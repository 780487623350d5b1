package facts

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Way is one way in which a program goes on behind an instruction, where its stacks are known.
type Way struct {
	// Next is the address of the next instruction in bits, -1 where that is not known.
	Next int64
	// Stacks are what stacks hold then.
	Stacks Stacks
	// Ends is set where the program ends, Stops says why it stops, "" where it does not.
	Ends  bool
	Stops string
	// Overruled is set where the instruction jumps and what is around it goes elsewhere. Lost names a full stack of
	// which the oldest entry was overwritten, "" for none.
	Overruled bool
	Lost      string
	// ToNext is set where the instruction itself jumps, to the instruction that follows it anyway.
	ToNext bool
	// Hazards are those of the semantics that are certain.
	Hazards []isa.Hazard
	// Conditions are the alternatives of which one is the case on the way: the conditions that hold and do not hold, in the
	// order of their keys. An alternative without conditions can always be the case.
	Conditions [][]Condition
	// Effort is the number of operations that were looked at to find it.
	Effort int
	// Changes are what it changes of registers, by parts. Uses are the parts, with the values before the instruction, that
	// reach more than registers: memories, conditions of the way, numbers of registers and addresses, the surroundings, and
	// registers of the wave. Pushed are those that reach a stack.
	Changes      []Change
	Uses, Pushed []Part
}

// Condition is a condition that only running the program decides, over the values before the instruction. Two conditions with
// one key are the same condition, as long as no part changes in between on which it depends. In a key, p and a hexadecimal
// number and a blank are the value of a part, and # and a hexadecimal number and a blank a constant. The rest is not documented.
type Condition struct {
	Key   string
	Holds bool
	Parts []Part // in ascending order
}

// Stacks are what the stacks of a program hold at a place: addresses and other numbers, as far as they are known. The
// zero Stacks are empty.
type Stacks struct{ list []entries }

// entries are those of a stack, the oldest first. more tells that others lie below those that are listed.
type entries struct {
	state *sem.State
	slots [][]number
	more  bool
}

// number is a value, if it is known.
type number struct {
	known bool
	v     uint64
}

// Key tells stacks apart.
func (s Stacks) Key() string {
	var b strings.Builder
	for _, e := range s.list {
		if len(e.slots) == 0 {
			continue
		}
		b.WriteString(e.key())
	}
	return b.String()
}

func (e *entries) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:", e.state.Index)
	if e.more {
		b.WriteByte('+')
	}
	for _, slots := range e.slots {
		for _, x := range slots {
			if x.known {
				fmt.Fprintf(&b, "%x", x.v)
			}
			b.WriteByte(',')
		}
	}
	return b.String()
}

func (s Stacks) of(state *sem.State) entries {
	for _, e := range s.list {
		if e.state == state {
			return e
		}
	}
	return entries{state: state}
}

// with returns stacks of which one holds something else.
func (s Stacks) with(e entries) Stacks {
	out := Stacks{append([]entries(nil), s.list...)}
	at := 0
	for at < len(out.list) && out.list[at].state.Index < e.state.Index {
		at++
	}
	if at == len(out.list) || out.list[at].state != e.state {
		out.list = append(out.list, entries{})
		copy(out.list[at+1:], out.list[at:])
	}
	out.list[at] = e
	return out
}

// Limits on what is looked at for one instruction.
const (
	maxWays  = 64
	maxDepth = 64
)

// ErrWays is the error of an instruction that goes on in too many ways.
var ErrWays = errors.New("an instruction with too many paths")

// Ways lists the ways in which a program goes on behind an instruction at the decoder's address, where the stacks are
// as given: conditions that only running the program decides go both ways. From its entry on, a program so has a graph
// of all that can happen, without a search for its structure.
//
// On a machine whose lanes share a counter, the ways are those of a wave of one lane: any(c), all(c) and the bit of
// ballot(c) are c, and nobody waits for other lanes. A launch may have such a wave. A lane of a larger one goes the same
// ways, unless lanes disagree in a vote.
//
// known tells what registers hold there. Without it, which is nil, what ways change and use is not found out, and it takes half
// as long.
func (m *Machine) Ways(d *isa.Decoder, in isa.Inst, from Stacks, known Known) ([]Way, error) {
	x, err := m.At(d, in)
	if err != nil {
		return nil, err
	}
	return x.Ways(from, known)
}

func (m *Machine) ways(code *sem.Code, from Stacks, known Known) ([]Way, error) {
	r := &reader{m: m, code: code}
	r.out.Next = int64(code.Next) * int64(m.sem.Unit)
	counts := relevant(code)
	var out []Way
	seen := map[string]int{}
	for script := []bool{}; ; {
		w := &walk{
			reader: r, counts: counts, stacks: from, known: known, script: script, way: Way{Next: r.out.Next},
			values: make([]number, len(code.Insts)), sources: make([]sources, len(code.Insts)), decided: map[sem.ID]bool{}, changed: map[register]*change{},
		}
		w.run()
		w.way.Effort = len(code.Insts)
		if w.way.Stacks = w.stacks; known != nil {
			w.way.Changes = w.changes()
			w.way.Conditions = [][]Condition{slices.SortedFunc(maps.Values(w.conditions), compareConditions)}
		} else {
			w.way.Uses, w.way.Pushed, w.way.Hazards = nil, nil, nil
		}
		if script = w.script; len(script) == 0 {
			return []Way{w.way}, nil
		}
		key := fmt.Sprint(w.way.Next, w.way.Ends, w.way.Stops, w.way.Overruled, w.way.Lost, w.way.ToNext, w.stacks.Key())
		if at, ok := seen[key]; ok {
			out[at].also(&w.way)
		} else {
			seen[key] = len(out)
			out = append(out, w.way)
		}
		for len(script) > 0 && !script[len(script)-1] {
			script = script[:len(script)-1]
		}
		if len(script) == 0 {
			return out, nil
		}
		script[len(script)-1] = false
		if len(seen) > maxWays || len(script) > maxDepth {
			return nil, ErrWays
		}
	}
}

// annotated lowers an instruction.
func (m *Machine) annotated(d *isa.Decoder, in isa.Inst) (*sem.Code, error) {
	return m.sem.Annotated(inside.Leaf(in.Leaf).Root, m.words(d), in.Bits, m.address(d))
}

// address returns the decoder's address in units of the counter.
func (m *Machine) address(d *isa.Decoder) uint64 { return uint64(d.Addr / int64(m.sem.Unit)) }

// words are what is known of the program around an instruction.
func (m *Machine) words(d *isa.Decoder) *sem.Words {
	words := &sem.Words{Context: d.Context(), Tables: d.Tables(), Quirks: m.quirks}
	if m.word != nil {
		words.Word = func(root *model.Root, addr uint64) (bits.Value, bool) { return m.word(root.Name, root.Size, addr) }
	}
	return words
}

// relevant tells on which operations it depends where control goes, and what stacks hold.
func relevant(code *sem.Code) []bool {
	counts := make([]bool, len(code.Insts))
	read := map[register]bool{} // what is read behind
	for i := len(code.Insts) - 1; i >= 0; i-- {
		in := &code.Insts[i]
		switch in.Op {
		case sem.OpPush, sem.OpPop, sem.OpEnd, sem.OpTrap, sem.OpJump, sem.OpFlow:
			counts[i] = true
		case sem.OpWrite:
			counts[i] = read[registerOf(in)]
		case sem.OpRead:
			read[registerOf(in)] = read[registerOf(in)] || counts[i]
		}
		if counts[i] {
			in.EachArg(func(a sem.ID) { counts[a] = true })
		}
	}
	return counts
}

func registerOf(in *sem.Inst) register { return register{in.State, int(in.Imm), in.Comp} }

// walk does an instruction once, as far as control goes. What is not known is decided by the script, and by true behind
// its end.
type walk struct {
	*reader
	counts  []bool
	stacks  Stacks
	known   Known
	script  []bool
	step    int
	values  []number
	sources []sources
	decided map[sem.ID]bool
	changed map[register]*change // what the instruction wrote
	// written has, of reads of what the instruction wrote, the value that it wrote, or NoID where that is not one value.
	written    map[sem.ID]sem.ID
	conditions map[string]Condition // by their keys
	way        Way
	target     number // where the instruction itself jumps
	jumps      bool
	deep       bool // it took more from a stack than is listed
}

func (w *walk) run() {
	for i := range w.code.Insts {
		in := &w.code.Insts[i]
		if w.known == nil && !w.counts[i] {
			continue
		}
		w.inst(sem.ID(i), in)
		w.trace(sem.ID(i), in)
		if w.way.Ends || w.way.Stops != "" {
			return
		}
	}
	if w.deep {
		w.way.Next = -1
	}
}

func (w *walk) inst(id sem.ID, in *sem.Inst) {
	switch in.Op {
	case sem.OpPush, sem.OpPop, sem.OpEnd, sem.OpTrap, sem.OpJump, sem.OpFlow:
		if w.holdsHere(in.Guard) {
			w.effect(in)
		}
	case sem.OpWrite:
		if w.counts[id] {
			w.holdsHere(in.Guard) // decides
		}
	case sem.OpRead:
		w.values[id] = w.register(in, int(in.Imm))
		if c, ok := w.changed[registerOf(in)]; ok {
			put(&w.written, id, c.last)
		}
	case sem.OpReadX:
		if n := w.values[in.A]; n.known && n.v < uint64(in.State.Count) {
			w.values[id] = w.register(in, int(n.v))
		}
	case sem.OpTop, sem.OpDepth, sem.OpEmpty:
		w.values[id] = w.stackValue(in)
	default:
		w.values[id] = w.value(id, in)
	}
}

// value computes a value, if it is known.
func (w *walk) value(id sem.ID, in *sem.Inst) number {
	switch {
	case in.Op == sem.OpConst:
		return number{true, in.Imm}
	case in.Op == sem.OpSplat:
		return w.values[in.A]
	case in.Op == sem.OpSelect:
		return w.choose(id, in)
	case w.m.sem.Wave && in.Op >= sem.OpExists && in.Op <= sem.OpLanesOf:
		return w.vote(id, in)
	case in.Type().Kind == sem.Bool:
		if t := w.truth(id); t != maybe {
			return number{true, map[truth]uint64{always: 1, never: 0}[t]}
		}
	}
	if !in.Op.Pure() {
		return number{}
	}
	var args [3]uint64
	for i, a := range [3]sem.ID{in.A, in.B, in.C} {
		if a == sem.NoID {
			continue
		}
		if !w.values[a].known {
			return w.short(in)
		}
		args[i] = w.values[a].v
	}
	return number{true, sem.Apply(in, args[0], args[1], args[2])}
}

// vote is the value of an operation on the lanes of a wave of one lane. A condition on which control depends is decided; a
// result that is only data is that of some larger wave.
func (w *walk) vote(id sem.ID, in *sem.Inst) number {
	switch in.Op {
	case sem.OpExists:
		return number{true, 1}
	case sem.OpLanesOf:
		if x := w.values[in.A]; x.known {
			return number{true, x.v & 1}
		}
		switch w.truth(id) {
		case always:
			return number{true, 1}
		case never:
			return number{true, 0}
		}
		return number{}
	case sem.OpFrom:
		return number{}
	}
	runs, holds := w.holdsSurely(in.Guard), w.holdsSurely(in.A)
	if w.counts[id] {
		decide := func(id sem.ID) truth {
			if w.holdsHere(id) {
				return always
			}
			return never
		}
		if runs = decide(in.Guard); runs == always {
			holds = decide(in.A)
		}
	}
	t := and(runs, holds)
	if in.Op == sem.OpAll {
		t = or(runs.not(), holds)
	}
	return number{t != maybe, flag(t == always)}
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// register is what a register holds, if that is known.
func (w *walk) register(in *sem.Inst, at int) (n number) {
	s := in.State
	if c, ok := w.changed[register{s, at, in.Comp}]; ok {
		return c.value
	}
	if st := w.m.of[s]; st != nil && w.known != nil {
		n.v, n.known = w.known(st, at, in.Comp)
		return n
	}
	if s.InitExists && w.m.sem.Wave { // the lane runs the instruction
		return number{true, 1}
	}
	return number{s.Scope == spec.ScopeInstruction && !s.Undefined && !s.InitExists, s.Init}
}

// short is the value of a condition of which one side says it all.
func (w *walk) short(in *sem.Inst) number {
	if in.Type().Kind == sem.Bool && (in.Op == sem.OpAnd || in.Op == sem.OpOr) {
		for _, a := range [2]sem.ID{in.A, in.B} {
			if x := w.values[a]; x.known && (x.v != 0) == (in.Op == sem.OpOr) {
				return x
			}
		}
	}
	return number{}
}

// choose is the value of a choice. One that nobody knows is decided if its sides differ.
func (w *walk) choose(id sem.ID, in *sem.Inst) number {
	x, y := w.values[in.B], w.values[in.C]
	if x == y || in.Type().Kind == sem.Bool && !w.values[in.A].known {
		return number{known: x.known && x == y, v: x.v}
	}
	if !w.counts[id] {
		switch w.holdsSurely(in.A) {
		case always:
			return x
		case never:
			return y
		}
		return number{}
	}
	if w.holdsHere(in.A) {
		return x
	}
	return y
}

// holdsHere reports whether a condition holds on this way.
func (w *walk) holdsHere(id sem.ID) bool {
	if id == sem.NoID {
		return true
	}
	if v := w.values[id]; v.known {
		return v.v != 0
	}
	switch in := w.at(id); in.Op {
	case sem.OpSplat:
		return w.holdsHere(in.A)
	case sem.OpNot:
		return !w.holdsHere(in.A)
	case sem.OpAnd:
		return w.holdsHere(in.A) && w.holdsHere(in.B)
	case sem.OpOr:
		return w.holdsHere(in.A) || w.holdsHere(in.B)
	case sem.OpSelect:
		if w.holdsHere(in.A) {
			return w.holdsHere(in.B)
		}
		return w.holdsHere(in.C)
	case sem.OpEq, sem.OpNe, sem.OpXor:
		if w.at(in.A).Type().Kind == sem.Bool {
			return (w.holdsHere(in.A) == w.holdsHere(in.B)) == (in.Op == sem.OpEq)
		}
	}
	d, ok := w.decided[id]
	if !ok {
		d = w.decide(id)
		w.decided[id] = d
		w.use(id)
	}
	return d
}

// decide decides a condition, as another was that is the same.
func (w *walk) decide(id sem.ID) bool {
	c, named := w.condition(id)
	if was, ok := w.conditions[c.Key]; named && ok {
		return was.Holds == c.Holds
	}
	d := true
	if w.step < len(w.script) {
		d = w.script[w.step]
	} else {
		w.script = append(w.script, true)
	}
	w.step++
	if named {
		c.Holds = c.Holds == d
		put(&w.conditions, c.Key, c)
	}
	return d
}

// put adds to a map, which is made when it is first needed.
func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

func (w *walk) stackValue(in *sem.Inst) number {
	e := w.stacks.of(in.State)
	switch in.Op {
	case sem.OpDepth:
		return number{!e.more, uint64(len(e.slots))}
	case sem.OpEmpty:
		if len(e.slots) > 0 {
			return number{true, 0}
		}
		return number{!e.more, 1}
	}
	if at := len(e.slots) - 1 - int(in.Imm); at >= 0 {
		return e.slots[at][in.Comp]
	}
	return number{known: !e.more} // 0 is below an empty stack
}

func (w *walk) effect(in *sem.Inst) {
	switch in.Op {
	case sem.OpEnd:
		w.way.Ends = true
	case sem.OpTrap:
		w.way.Stops = in.Text()
	case sem.OpFlow:
		w.target, w.jumps = w.values[in.A], true
		w.way.ToNext = w.target.known && int64(w.target.v)*int64(w.m.sem.Unit) == w.out.Next
	case sem.OpJump:
		w.jump(w.values[in.A])
	case sem.OpPush:
		w.push(in)
	case sem.OpPop:
		w.pop(in.State)
	}
}

func (w *walk) push(in *sem.Inst) {
	e := w.stacks.of(in.State)
	if len(e.slots) == in.State.Count {
		if in.State.FullTraps {
			w.way.Stops = "stack " + in.State.Name + " is full"
			return
		}
		e.slots, w.way.Lost = e.slots[1:], in.State.Name
	}
	var slots []number
	for _, a := range in.Args() {
		slots = append(slots, w.values[a])
	}
	e.slots = append(e.slots[:len(e.slots):len(e.slots)], slots)
	w.stacks = w.stacks.with(e)
}

func (w *walk) pop(state *sem.State) {
	e := w.stacks.of(state)
	switch n := len(e.slots); {
	case n > 0:
		e.slots = e.slots[: n-1 : n-1]
		w.stacks = w.stacks.with(e)
	case e.more:
		w.deep = true
	case state.EmptyTraps:
		w.way.Stops = "stack " + state.Name + " is empty"
	}
}

func (w *walk) jump(to number) {
	w.way.Next = -1
	if to.known {
		w.way.Next = int64(to.v) * int64(w.m.sem.Unit)
	}
	w.way.Overruled = w.jumps && w.target.known && to.known && w.target.v != to.v
}
