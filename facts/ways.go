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

// Way is one path from an instruction to the next one that runs, for known stacks.
type Way struct {
	// Next is the address of the next instruction in bits, or -1 if it is unknown.
	Next int64
	// Stacks holds the stacks at the next instruction.
	Stacks Stacks
	// Ends is set if the program ends. Stops is the reason if the program traps, and "" otherwise.
	Ends  bool
	Stops string
	// Overruled is set if the instruction jumps, and its implicit effects override the jump. Lost is the name of a full
	// stack whose oldest entry was overwritten, or "".
	Overruled bool
	Lost      string
	// ToNext is set if the instruction itself jumps to the instruction that follows it.
	ToNext bool
	// Hazards lists the hazards that are certain on the path.
	Hazards []isa.Hazard
	// Conditions lists alternatives. On the path, the conditions of at least one alternative hold, or do not hold, as
	// stated. Each alternative is ordered by keys. An alternative without conditions is always possible.
	Conditions [][]Condition
	// Effort is the number of operations that the search for the path examined.
	Effort int
	// Changes lists the changes to registers, ordered by parts. Uses lists the parts whose values before the
	// instruction affect something other than registers of the lane: memories, conditions of the path, register
	// numbers, addresses, host callbacks, and registers of the wave. Pushed lists the parts whose values are pushed
	// onto stacks.
	Changes      []Change
	Uses, Pushed []Part
}

// Condition is a condition on the values before an instruction that only a run decides. Two conditions with the same
// key are the same condition, unless a part in Parts changes in between. A key contains p, a hexadecimal number and a
// blank for the value of a part, and #, a hexadecimal number and a blank for a constant. The rest of the notation is
// not documented.
type Condition struct {
	Key   string
	Holds bool
	Parts []Part // in ascending order
}

// Stacks holds the contents of a program's stacks at an instruction: addresses and other numbers, if they are known.
// The zero value has empty stacks.
type Stacks struct{ list []entries }

// entries holds the entries of a stack, beginning with the oldest. more is set if there are others below them.
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

// Key returns a text that is equal for equal stacks only.
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

// with returns the stacks with new contents for one of them.
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

// Limits of the search for one instruction.
const (
	maxWays  = 64
	maxDepth = 64
)

// ErrWays is the error for an instruction with too many paths.
var ErrWays = errors.New("an instruction with too many paths")

// Ways returns the paths from an instruction at the decoder's address, for known stacks. A condition that only a run
// decides gives a path for each case. From the entry of a program, Ways gives a graph of all paths through the program.
//
// If the lanes of a wave share a program counter, the paths are those of a wave of one lane: any(c), all(c) and the bit
// of ballot(c) are c, and no lane waits for others. A lane of a larger wave takes the same paths, unless lanes disagree
// in a vote.
//
// known returns the values of registers before the instruction. If known is nil, Ways does not compute Changes, Uses
// and Pushed, and takes about half the time.
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

// address returns the decoder's address in units of the program counter.
func (m *Machine) address(d *isa.Decoder) uint64 { return uint64(d.Addr / int64(m.sem.Unit)) }

// words returns the settings for lowering an instruction.
func (m *Machine) words(d *isa.Decoder) *sem.Words {
	words := &sem.Words{Context: d.Context(), Tables: d.Tables(), Quirks: m.quirks}
	if m.word != nil {
		words.Word = func(root *model.Root, addr uint64) (bits.Value, bool) { return m.word(root.Name, root.Size, addr) }
	}
	return words
}

// relevant marks the operations on which control flow and stacks depend.
func relevant(code *sem.Code) []bool {
	counts := make([]bool, len(code.Insts))
	read := map[register]bool{} // registers that later operations read
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

// walk evaluates the control flow of an instruction for one path. The script decides unknown conditions. Conditions
// after the end of the script are true.
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
	changed map[register]*change // registers that the instruction wrote
	// written maps reads of registers that the instruction wrote to the written value, or to NoID if there are several.
	written    map[sem.ID]sem.ID
	conditions map[string]Condition // by key
	way        Way
	target     number // the target of the instruction's own jump
	jumps      bool
	deep       bool // it popped more entries than are listed
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

// value computes the value of an operation, if it is known.
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

// vote returns the value of a vote for a wave of one lane if control depends on it. A vote that is only data has the
// unknown result of a larger wave.
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

// register returns the value of a register, if it is known.
func (w *walk) register(in *sem.Inst, at int) (n number) {
	s := in.State
	if c, ok := w.changed[register{s, at, in.Comp}]; ok {
		return c.value
	}
	if st := w.m.of[s]; st != nil && w.known != nil {
		n.v, n.known = w.known(st, at, in.Comp)
		return n
	}
	if s.InitExists && w.m.sem.Wave { // this lane runs the instruction
		return number{true, 1}
	}
	return number{s.Scope == spec.ScopeInstruction && !s.Undefined && !s.InitExists, s.Init}
}

// short returns the value of a condition that one operand determines.
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

// choose returns the value of a select. If the condition is unknown and the values differ, choose decides the
// condition.
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

// holdsHere reports whether a condition holds on this path.
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

// decide decides a condition. Equal conditions have the same result.
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

// put adds an element to a map, which it allocates if necessary.
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
	return number{known: !e.more} // a read below an empty stack gives 0
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
