package equal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// symbolic computes the values of a program as nodes of a graph. Besides the parameters of its blocks, a program has states: what its
// memories, its arrays of registers and its stacks hold, and what it has done to the outside.
type symbolic struct {
	g *graph
	p *flow.Program
	// side is the number of the program, 0 or 1. machine is the name of its machine.
	side    int
	machine string
	// leaf returns the node for the initial value of a register.
	leaf func(v flow.Variable) id
	// array returns the node for the initial values of a component of a file.
	array func(s *sem.State, comp int) id
	// registers is Program.Registers.
	registers int
	// compared are the memories that are outputs.
	compared map[string]bool
	// symbols has the nodes that replace symbols of loops.
	symbols map[symbol]id

	order  []*flow.Block
	number []int
	over   []*flow.Block
	into   [][]*flow.Block
	values []id // of each operation
	// states are the states of the program, and at their numbers. in and out have their nodes at the start and at the end of each block.
	states  []string
	at      map[string]int
	in, out [][]id
	loops   []*loop
	loopOf  map[*flow.Block]*loop
}

// symbol is a value that changes in a loop: a parameter of its first block, or a state.
type symbol struct {
	side, block, index int
}

// loop is a loop of a program. Its symbols stand for the values at the start of an iteration.
type loop struct {
	head *flow.Block
	body map[*flow.Block]bool
	// symbols are the values that change. initial and next are their values before the first and after an iteration, and again is the
	// condition under which another iteration follows.
	symbols       []symbol
	nodes         []id
	initial, next []id
	again         id
}

// errIrreducible is the error for a program with a loop that can be entered in several places.
var errIrreducible = errors.New("a loop can be entered in several places")

// prepare finds the order of the blocks and the loops.
func (s *symbolic) prepare() error {
	p := s.p
	s.order, s.over = p.Order(), p.Dominators()
	s.number = make([]int, len(p.Blocks))
	s.into = make([][]*flow.Block, len(p.Blocks))
	s.loopOf = map[*flow.Block]*loop{}
	for i, b := range s.order {
		s.number[b.Index] = i
	}
	for _, b := range s.order {
		for k := range b.End.Edges {
			to := b.End.Edges[k].To
			s.into[to.Index] = append(s.into[to.Index], b)
			if s.number[to.Index] > s.number[b.Index] {
				continue
			}
			if !s.dominates(to, b) {
				return errIrreducible
			}
			l := s.loopOf[to]
			if l == nil {
				l = &loop{head: to, body: map[*flow.Block]bool{to: true}}
				s.loopOf[to] = l
			}
		}
	}
	for _, b := range s.order {
		l := s.loopOf[b]
		if l == nil {
			continue
		}
		s.loops = append(s.loops, l)
		var list []*flow.Block
		for _, x := range s.into[b.Index] {
			if s.number[x.Index] >= s.number[b.Index] {
				list = append(list, x)
			}
		}
		for len(list) > 0 {
			x := list[len(list)-1]
			list = list[:len(list)-1]
			if !l.body[x] {
				l.body[x] = true
				list = append(list, s.into[x.Index]...)
			}
		}
	}
	s.findStates()
	return nil
}

func (s *symbolic) dominates(a, b *flow.Block) bool {
	for ; b != nil; b = s.over[b.Index] {
		if a == b {
			return true
		}
	}
	return false
}

// isBack reports whether an edge leads back to the start of a loop.
func (s *symbolic) isBack(from, to *flow.Block) bool {
	return s.number[to.Index] <= s.number[from.Index]
}

// control is the state of what the program has done to the outside: barriers, calls, and accesses that may stop it.
const control = "control"

// stateOf returns the name of the state that an operation reads or changes, or "".
func stateOf(in *sem.Inst) string {
	if in.State == nil {
		return ""
	}
	switch in.State.Kind {
	case sem.MemoryState:
		if in.State.Group != "" {
			return "memory " + in.State.Group
		}
		return "memory " + in.State.Name
	case sem.StackState:
		return "stack " + in.State.Name
	}
	return fmt.Sprintf("array %s %d", in.State.Name, in.Comp)
}

// findStates lists the states that operations of the program access.
func (s *symbolic) findStates() {
	s.at = map[string]int{control: 0}
	s.states = []string{control}
	for _, b := range s.order {
		for _, i := range b.Insts {
			in := &s.p.Insts[i]
			if in.Op == sem.OpRead && !slices.Contains(s.p.Arrays, in.State) {
				continue
			}
			if name := stateOf(in); name != "" {
				if _, ok := s.at[name]; !ok {
					s.at[name] = len(s.states)
					s.states = append(s.states, name)
				}
			}
		}
	}
}

// changes reports for each state whether a block may change it.
func (s *symbolic) changes(b *flow.Block) []bool {
	list := make([]bool, len(s.states))
	list[0] = b.Serial
	for _, i := range b.Insts {
		in := &s.p.Insts[i]
		switch in.Op {
		case sem.OpWrite, sem.OpWriteX, sem.OpStore, sem.OpPush, sem.OpPop:
			list[s.at[stateOf(in)]] = true
		case sem.OpBarrier:
			for i, name := range s.states {
				list[i] = list[i] || strings.HasPrefix(name, "memory ")
			}
			list[0] = true
		case sem.OpTrap:
			list[0] = true
		case sem.OpService:
			list[0] = list[0] || in.Type().Kind == sem.None
		}
		if traps(in) {
			list[0] = true
		}
	}
	return list
}

// traps reports whether an operation stops the lane if its address or its register number is outside.
func traps(in *sem.Inst) bool {
	switch in.Op {
	case sem.OpLoad, sem.OpStore, sem.OpReadX, sem.OpWriteX:
		return in.State.Outside == sem.OutsideTrap
	case sem.OpPush:
		return in.State.FullTraps
	case sem.OpPop:
		return in.State.EmptyTraps
	}
	return false
}

// initialState returns the node for a state at the start.
func (s *symbolic) initialState(name string) id {
	if kind, rest, _ := strings.Cut(name, " "); kind == "array" {
		var file string
		var comp int
		fmt.Sscan(rest, &file, &comp)
		for _, b := range s.order {
			for _, i := range b.Insts {
				if in := &s.p.Insts[i]; in.State != nil && in.State.Kind == sem.FileState && in.State.Name == file {
					return s.array(in.State, comp)
				}
			}
		}
	}
	if name == control {
		return s.g.free(sem.Type{}, "start")
	}
	return s.g.free(sem.Type{}, s.machine+" "+name)
}

// compute computes all values.
func (s *symbolic) compute() {
	s.values = make([]id, len(s.p.Insts))
	for i := range s.p.Insts {
		s.values[i] = none
		if in := &s.p.Insts[i]; in.Op == sem.OpConst {
			s.values[i] = s.g.constant(in.Type(), in.Imm)
		}
	}
	s.in, s.out = make([][]id, len(s.p.Blocks)), make([][]id, len(s.p.Blocks))
	for _, b := range s.order {
		s.enter(b)
		s.block(b)
	}
	for _, l := range s.loops {
		s.finishLoop(l)
	}
}

// enter computes the parameters and the states at the start of a block.
func (s *symbolic) enter(b *flow.Block) {
	in := make([]id, len(s.states))
	s.in[b.Index] = in
	if len(s.into[b.Index]) == 0 {
		for i, name := range s.states {
			in[i] = s.initialState(name)
		}
		return
	}
	region := s.region(b)
	from := s.over[b.Index]
	if from == nil { // the first block starts a loop
		from = b
	}
	initial := func(pick func(x *flow.Block, e *flow.Edge) id) id { return s.merge(b, from, region, pick) }
	l := s.loopOf[b]
	for i := range b.Params {
		v := none
		if s.hasEntry(b) {
			v = initial(func(_ *flow.Block, e *flow.Edge) id { return s.values[e.Args[i]] })
		}
		s.values[b.Params[i].ID] = v
		if l != nil {
			s.values[b.Params[i].ID] = s.change(l, i, v, s.p.Insts[b.Params[i].ID].Type())
		}
	}
	var changed []bool
	if l != nil {
		changed = make([]bool, len(s.states))
		for x := range l.body {
			for i, c := range s.changes(x) {
				changed[i] = changed[i] || c
			}
		}
	}
	for i, name := range s.states {
		if s.hasEntry(b) {
			in[i] = initial(func(x *flow.Block, _ *flow.Edge) id { return s.out[x.Index][i] })
		} else {
			in[i] = s.initialState(name)
		}
		if l != nil && changed[i] {
			in[i] = s.change(l, len(b.Params)+i, in[i], sem.Type{})
		}
	}
}

// hasEntry reports whether an edge that does not lead back enters a block.
func (s *symbolic) hasEntry(b *flow.Block) bool {
	return slices.ContainsFunc(s.into[b.Index], func(x *flow.Block) bool { return !s.isBack(x, b) })
}

// change returns the symbol for a value that changes in a loop.
func (s *symbolic) change(l *loop, index int, initial id, t sem.Type) id {
	x := symbol{s.side, l.head.Index, index}
	v, ok := s.symbols[x]
	if !ok {
		v = s.g.free(t, fmt.Sprintf("loop %d.%d.%d", x.side, x.block, x.index))
	}
	l.symbols, l.nodes, l.initial = append(l.symbols, x), append(l.nodes, v), append(l.initial, initial)
	return v
}

// region returns the blocks between the block that dominates b directly and b from which b can be reached without leading back.
func (s *symbolic) region(b *flow.Block) map[*flow.Block]bool {
	region := map[*flow.Block]bool{}
	list := []*flow.Block{b}
	for len(list) > 0 {
		x := list[len(list)-1]
		list = list[:len(list)-1]
		for _, y := range s.into[x.Index] {
			if !s.isBack(y, x) && !region[y] {
				region[y] = true
				if y != s.over[b.Index] {
					list = append(list, y)
				}
			}
		}
	}
	return region
}

// merge returns the value that reaches b from a block, of those that pick returns for the edges to b.
func (s *symbolic) merge(b, from *flow.Block, region map[*flow.Block]bool, pick func(x *flow.Block, e *flow.Edge) id) id {
	return s.tree(from, func(x *flow.Block, e *flow.Edge) (id, bool) {
		switch {
		case s.isBack(x, e.To):
			return none, true
		case e.To == b:
			return pick(x, e), true
		}
		return none, !region[e.To]
	}, func(*flow.Block) id { return none })
}

// tree returns the value at the end of the path from a block. end returns the value for an edge at which the path ends, and ok is false
// if it goes on. leaf returns that for a block without edges.
func (s *symbolic) tree(from *flow.Block, end func(x *flow.Block, e *flow.Edge) (v id, ok bool), leaf func(x *flow.Block) id) id {
	known := map[*flow.Block]id{}
	var visit func(x *flow.Block) id
	visit = func(x *flow.Block) id {
		if v, ok := known[x]; ok {
			return v
		}
		s.g.spend()
		var v [2]id
		for i := range x.End.Edges {
			e := &x.End.Edges[i]
			var ok bool
			if v[i], ok = end(x, e); !ok {
				v[i] = visit(e.To)
			}
		}
		res := none
		switch x.End.Kind {
		case flow.Jump:
			res = v[0]
		case flow.Branch:
			res = s.g.choose(s.values[x.End.Cond], v[0], v[1])
		default:
			res = leaf(x)
		}
		known[x] = res
		return res
	}
	return visit(from)
}

// finishLoop computes the values after an iteration.
func (s *symbolic) finishLoop(l *loop) {
	walk := func(pick func(x *flow.Block, e *flow.Edge) id, other id) id {
		return s.tree(l.head, func(x *flow.Block, e *flow.Edge) (id, bool) {
			switch {
			case e.To == l.head:
				return pick(x, e), true
			case !l.body[e.To]:
				return other, true
			case s.isBack(x, e.To):
				return none, true
			}
			return none, false
		}, func(*flow.Block) id { return other })
	}
	l.again = walk(func(*flow.Block, *flow.Edge) id { return s.g.truth(true) }, s.g.truth(false))
	for _, x := range l.symbols {
		l.next = append(l.next, walk(func(b *flow.Block, e *flow.Edge) id {
			if n := len(l.head.Params); x.index >= n {
				return s.out[b.Index][x.index-n]
			}
			return s.values[e.Args[x.index]]
		}, none))
	}
}

// outcome is the value that the program has at its end, of those that leaf returns for the blocks at which it ends.
func (s *symbolic) outcome(leaf func(x *flow.Block) id) id {
	return s.tree(s.p.Blocks[0], func(x *flow.Block, e *flow.Edge) (id, bool) { return none, s.isBack(x, e.To) }, leaf)
}

// block computes the operations of a block.
func (s *symbolic) block(b *flow.Block) {
	out := slices.Clone(s.in[b.Index])
	if b.Serial {
		out[0] = s.g.free(sem.Type{}, "lanes one after another", out[0])
	}
	for _, i := range b.Insts {
		s.values[i] = s.operation(&s.p.Insts[i], out)
	}
	if b.Serial {
		out[0] = s.g.free(sem.Type{}, "lanes together", out[0])
	}
	s.out[b.Index] = out
}

// arg returns the value of an argument.
func (s *symbolic) arg(a sem.ID) id {
	if a == sem.NoID {
		return s.g.truth(true)
	}
	return s.values[a]
}

// operation returns the value of an operation, and changes the states.
func (s *symbolic) operation(in *sem.Inst, out []id) id {
	g := s.g
	t := in.Type()
	if in.Op.Pure() {
		n := node{op: in.Op, typ: t, from: in.From(), imm: in.Imm}
		for _, a := range [3]sem.ID{in.A, in.B, in.C} {
			if a != sem.NoID {
				n.args = append(n.args, s.values[a])
			}
		}
		return g.add(n)
	}
	guard := s.arg(in.Guard)
	name := s.machine + " " + in.Op.String()
	if in.State != nil {
		name += fmt.Sprintf(" %s %d", in.State.Name, in.Imm)
	}
	element := "element"
	if in.State != nil && in.State.Allocated && s.registers > 0 { // whether a number is outside depends on the number of registers
		element = fmt.Sprintf("of %d element", s.registers)
	}
	var state *id
	if n, ok := s.at[stateOf(in)]; ok && stateOf(in) != "" {
		state = &out[n]
	}
	if traps(in) {
		s.accesses(&out[0], g.free(sem.Type{}, name+" access", s.arg(in.A), guard))
	}
	switch in.Op {
	case sem.OpRead:
		if !slices.Contains(s.p.Arrays, in.State) {
			return s.leaf(flow.Variable{State: in.State, Number: int(in.Imm), Comp: in.Comp})
		}
		return g.free(t, s.machine+" "+element+" "+in.State.Name, *state, g.constant(sem.U32, in.Imm))
	case sem.OpReadX:
		return g.free(t, s.machine+" "+element+" "+in.State.Name, *state, s.registerNumber(in.A))
	case sem.OpWrite:
		*state = g.free(sem.Type{}, s.machine+" with "+element+" "+in.State.Name, *state, g.constant(sem.U32, in.Imm), s.arg(in.B), guard)
	case sem.OpWriteX:
		*state = g.free(sem.Type{}, s.machine+" with "+element+" "+in.State.Name, *state, s.registerNumber(in.A), s.arg(in.B), guard)
	case sem.OpLoad:
		return g.free(t, name, *state, s.arg(in.A), guard)
	case sem.OpStore:
		*state = g.free(sem.Type{}, name, *state, s.arg(in.A), s.arg(in.B), guard)
	case sem.OpTop:
		return g.free(t, fmt.Sprintf("%s slot %d", name, in.Comp), *state)
	case sem.OpDepth, sem.OpEmpty:
		return g.free(t, name, *state)
	case sem.OpPop:
		*state = g.free(sem.Type{}, name, *state, guard)
	case sem.OpPush:
		args := []id{*state, guard}
		for _, a := range in.Args() {
			args = append(args, s.values[a])
		}
		*state = g.free(sem.Type{}, name, args...)
	case sem.OpTrap:
		out[0] = g.free(sem.Type{}, name+" "+in.Text(), out[0], guard)
	case sem.OpBarrier:
		out[0] = g.free(sem.Type{}, fmt.Sprintf("%s %d", name, in.Imm), out[0], s.arg(in.A), s.arg(in.B), guard)
		for i, state := range s.states {
			if strings.HasPrefix(state, "memory ") {
				out[i] = g.free(sem.Type{}, name, out[i], out[0])
			}
		}
	case sem.OpService:
		args := []id{guard}
		for _, a := range in.Args() {
			args = append(args, s.values[a])
		}
		for _, a := range in.Seen() {
			args = append(args, s.arg(a))
		}
		name += " " + in.Service().Name
		if t.Kind == sem.None {
			out[0] = g.free(sem.Type{}, name, append(args, out[0])...)
			return none
		}
		for i, state := range s.states { // the host may read the memories
			if strings.HasPrefix(state, "memory ") {
				args = append(args, out[i])
			}
		}
		return g.free(sem.Type{}, name, args...)
	case sem.OpResult:
		return g.free(t, fmt.Sprintf("%s %d", name, in.Comp), s.arg(in.A))
	case sem.OpLane, sem.OpExists:
		return g.free(t, name)
	case sem.OpAny, sem.OpAll, sem.OpBallot:
		return g.free(t, name, s.arg(in.A), guard)
	case sem.OpFrom:
		return g.free(t, name, s.arg(in.A), s.arg(in.B))
	case sem.OpLanesOf:
		return g.free(t, name, s.arg(in.A))
	default:
		panic(fmt.Errorf("the operation %s is not supported", in.Op))
	}
	return none
}

// registerNumber returns a register number. Constants have one type, whether or not the program computed them.
func (s *symbolic) registerNumber(a sem.ID) id {
	x := s.values[a]
	if n := &s.g.nodes[x]; n.op == sem.OpConst {
		return s.g.constant(sem.U32, n.imm)
	}
	return x
}

// accesses adds an access that may stop the lane. The order of accesses without anything else between them does not matter.
func (s *symbolic) accesses(state *id, access id) {
	const name = "accesses"
	g := s.g
	if n := &g.nodes[*state]; n.op == opFree && n.name == name {
		if slices.Contains(n.args[1:], access) {
			return
		}
		args := append(slices.Clone(n.args), access)
		slices.Sort(args[1:])
		*state = g.free(sem.Type{}, name, args...)
		return
	}
	*state = g.free(sem.Type{}, name, *state, access)
}

// observed reports whether a state is a result of the program: its effects and the memories that other lanes or the host can read.
func (s *symbolic) observed(name string) bool {
	if name == control || s.compared[name] {
		return true
	}
	for _, b := range s.order {
		for _, i := range b.Insts {
			if in := &s.p.Insts[i]; in.Op == sem.OpStore && stateOf(in) == name && in.State.Scope > spec.ScopeLane {
				return true
			}
		}
	}
	return false
}
