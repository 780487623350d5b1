package flow

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// Specialise specialises a program. It returns ErrTooLarge, which may be wrapped, if the program
// exceeds a limit. It returns the error of the context if the context is cancelled, and another error
// if the program uses an unsupported feature.
func Specialise(ctx context.Context, c Config) (*Program, error) {
	x := &explorer{Config: c, counters: map[counter]bool{}, arrays: map[*sem.State]bool{}, live: running}
	entry, err := x.explore(ctx)
	if err != nil {
		return nil, err
	}
	a := &assembler{explorer: x, p: &Program{Wave: x.wave(), Written: map[ID]Variable{}}, constants: map[constantKey]ID{}}
	a.assemble(entry)
	return a.p, nil
}

// running is the variable of the lanes that run. Its initial value is that all lanes of the wave run.
var running = Variable{State: &sem.State{Kind: sem.FileState, Name: "running", Count: 1, Single: true, Index: -1, Type: sem.U64, Scope: spec.ScopeWave, Init: ^uint64(0)}}

// assembler builds a Program from the nodes.
type assembler struct {
	*explorer
	p         *Program
	constants map[constantKey]ID
	links     []link
	same      []ID   // for each value, an equal value that replaces it, or the value itself
	addr      uint64 // the address of the instruction whose operations are being added
	wants     []Variable
}

type constantKey struct {
	typ   sem.Type
	value uint64
}

// link is an edge from a fragment to a node.
type link struct {
	from *node
	f    *fragment
	edge *Edge
	to   *node
}

func (a *assembler) assemble(entry *node) {
	start := a.block(a.Entry)
	a.addr = a.Entry
	a.order = reachable(entry)
	for _, n := range a.order {
		a.addNode(n)
	}
	for _, n := range a.order {
		a.addEnds(n)
	}
	for _, n := range a.order {
		n.release()
	}
	a.findWants()
	a.addr = NoAddr
	start.End = Terminator{Kind: Jump, Cond: NoID, Lanes: NoID, Edges: []Edge{{To: entry.heads[entry.body.root]}}}
	a.demand(entry, &start.End.Edges[0], start)
	a.same = make([]ID, len(a.p.Insts))
	for i := range a.same {
		a.same[i] = ID(i)
		if in := &a.p.Insts[i]; in.Op == sem.OpSplat { // in a program for one lane, a splat equals its operand
			a.same[i] = in.A
		}
	}
	a.dropTrivial()
	a.mergeChains()
	a.dropUnused()
	for a.dropEmpty() {
		a.dropTrivial()
		a.mergeChains()
		a.dropUnused()
	}
	for jumps := !a.p.Wave; jumps; { // operations among lanes keep the operations of a wave as they are
		jumps = a.simplify()
		a.dropUnused()
		for changed := jumps; changed; changed = a.dropEmpty() {
			a.dropTrivial()
			a.mergeChains()
			a.dropUnused()
		}
	}
	a.dropRepeated()
	a.dropUnused()
	for _, s := range a.Machine.States {
		if a.arrays[s] {
			a.p.Arrays = append(a.p.Arrays, s)
		}
	}
	for i, b := range a.p.Blocks {
		b.Index = i
	}
}

// reachable returns the nodes to which paths from the entry lead. Others were found while more seemed to be constant.
func reachable(entry *node) []*node {
	list, seen := []*node{entry}, map[*node]bool{entry: true}
	for i := 0; i < len(list); i++ {
		for _, f := range list[i].body.leaves {
			if f.kind == Jump && !seen[f.target] {
				seen[f.target] = true
				list = append(list, f.target)
			}
		}
	}
	return list
}

func (a *assembler) block(addr uint64) *Block {
	b := &Block{Addr: addr}
	a.p.Blocks = append(a.p.Blocks, b)
	return b
}

func (a *assembler) constant(t sem.Type, v uint64) ID {
	key := constantKey{t, v}
	id, ok := a.constants[key]
	if !ok {
		in := sem.Inst{Op: sem.OpConst, Imm: v, A: NoID, B: NoID, C: NoID, Guard: NoID, Uniform: true}
		id = a.add(in.Typed(t, sem.Type{}))
		a.constants[key] = id
	}
	return id
}

func (a *assembler) add(in sem.Inst) ID {
	a.p.Insts, a.p.Addrs = append(a.p.Insts, in), append(a.p.Addrs, a.addr)
	return ID(len(a.p.Insts) - 1)
}

// addNode adds the operations of a node, and a block for each of its fragments.
func (a *assembler) addNode(n *node) {
	n.first, a.addr = ID(len(a.p.Insts)), n.addr
	for i := range n.body.w.Insts() {
		a.add(n.body.w.Insts()[i].WithArgs(func(id ID) ID { return id + n.first }))
	}
	n.heads = map[*fragment]*Block{}
	a.addFragment(n, n.body.root)
	head := n.heads[n.body.root]
	params := map[ID]bool{}
	for v, id := range n.body.params {
		id += n.first
		params[id] = true
		head.Params = append(head.Params, Param{id, v})
	}
	slices.SortFunc(head.Params, func(x, y Param) int { return cmp.Compare(x.ID, y.ID) })
	for _, b := range n.heads {
		b.Insts = slices.DeleteFunc(b.Insts, func(id ID) bool { return params[id] })
	}
}

func (a *assembler) addFragment(n *node, f *fragment) {
	b := a.block(n.addr)
	n.heads[f], b.Serial = b, f.serial
	for _, id := range f.insts {
		b.Insts = append(b.Insts, id+n.first)
	}
	for _, next := range f.next {
		if next != nil {
			a.addFragment(n, next)
		}
	}
}

// addEnds adds the terminators of a node's blocks and records the links from the node.
func (a *assembler) addEnds(n *node) {
	for f, b := range n.heads {
		for v, id := range f.vals {
			id += n.first
			if old, ok := a.p.Written[id]; v.State.Kind == sem.FileState && (!ok || v.compare(old) < 0) {
				a.p.Written[id] = v
			}
		}
		b.End = Terminator{Kind: f.kind, Cond: NoID, Lanes: NoID, Text: f.text, Addr: n.addr}
		switch f.kind {
		case Branch:
			b.End.Cond = f.cond + n.first
			b.End.Edges = []Edge{{To: n.heads[f.next[0]]}, {To: n.heads[f.next[1]]}}
		case Jump:
			if to := f.next[0]; to != nil {
				b.End.Edges = []Edge{{To: n.heads[to]}}
			} else {
				b.End.Edges = []Edge{{To: f.target.heads[f.target.body.root]}}
			}
		}
	}
	for _, f := range n.body.leaves {
		if f.kind == Jump {
			a.links = append(a.links, link{n, f, &n.heads[f].End.Edges[0], f.target})
		}
	}
}

// findWants collects the variables that an instruction writes and that are used after the program
// ends, and the addresses of the instructions.
func (a *assembler) findWants() {
	written := map[Variable][]uint64{}
	for _, n := range a.order {
		for _, f := range n.body.leaves {
			for v := range f.vals {
				if v.State.Kind == sem.FileState && a.wanted(v) && !slices.Contains(written[v], n.addr) {
					written[v] = append(written[v], n.addr)
				}
			}
		}
	}
	a.p.Writers = written
	a.wants = slices.SortedFunc(maps.Keys(written), Variable.compare)
}

func (v Variable) compare(w Variable) int {
	// Files that Config.Cell makes of one memory have its index.
	return cmp.Or(cmp.Compare(v.State.Index, w.State.Index), cmp.Compare(v.Number, w.Number), cmp.Compare(v.Comp, w.Comp), cmp.Compare(v.State.Count, w.State.Count), cmp.Compare(v.State.Name, w.State.Name))
}

// demand adds the outputs of each Exit, and an argument for each parameter to each edge. If a variable
// passes through a node, demand adds a parameter for the variable to the node.
func (a *assembler) demand(entry *node, begin *Edge, start *Block) {
	into := map[*node][]link{}
	for _, l := range a.links {
		into[l.to] = append(into[l.to], l)
	}
	type want struct {
		n *node
		v Variable
	}
	var open []want
	head := func(n *node) *Block { return n.heads[n.body.root] }
	// param returns the value of a variable before a node.
	param := func(n *node, v Variable) ID {
		if c := a.before(n, v); !c.dynamic {
			return a.constant(v.Type(), c.value)
		}
		id, ok := n.body.params[v]
		if !ok {
			id = a.add(v.parameter()) - n.first
			n.body.params[v] = id
			b := head(n)
			b.Params = append(b.Params, Param{id + n.first, v})
			open = append(open, want{n, v})
		}
		return id + n.first
	}
	value := func(n *node, f *fragment, v Variable) ID {
		if id, ok := f.vals[v]; ok {
			return id + n.first
		}
		return param(n, v)
	}
	for _, n := range a.order {
		for _, p := range head(n).Params {
			open = append(open, want{n, p.Variable})
		}
		for _, f := range n.body.leaves {
			if f.kind == Stop && a.wave() {
				n.heads[f].End.Lanes = value(n, f, a.live)
			}
			if f.kind != Exit && (f.kind != Stop || f.inside) {
				continue
			}
			b := n.heads[f]
			for _, v := range a.wants {
				b.End.Outputs = append(b.End.Outputs, Param{value(n, f, v), v})
			}
			for s := range a.arrays {
				a.addElements(b, s)
			}
		}
	}
	for len(open) > 0 {
		w := open[0]
		open = open[1:]
		for _, l := range into[w.n] {
			l.edge.Args = append(l.edge.Args, value(l.from, l.f, w.v))
		}
		if w.n == entry {
			id := NoID
			if c := a.initial(w.v); c.dynamic {
				id = a.add(sem.Reading(w.v.State, w.v.Number, w.v.Comp))
				start.Insts = append(start.Insts, id)
			} else {
				id = a.constant(w.v.Type(), c.value)
			}
			begin.Args = append(begin.Args, id)
		}
	}
}

// addElements adds the wanted elements of an array to the outputs of a block that ends with an Exit.
func (a *assembler) addElements(b *Block, s *sem.State) {
	for n := range s.Count {
		for comp := range max(1, s.Type.Len) {
			if v := (Variable{s, n, comp}); a.wanted(v) {
				id := a.add(sem.Reading(s, n, comp))
				b.Insts = append(b.Insts, id)
				b.End.Outputs = append(b.End.Outputs, Param{id, v})
			}
		}
	}
}

// find returns the value that replaces a value, or the value itself.
func (a *assembler) find(id ID) ID {
	for id != NoID && a.same[id] != id {
		a.same[id] = a.same[a.same[id]]
		id = a.same[id]
	}
	return id
}

// dropTrivial replaces each parameter that has the same argument on all edges with that argument. It
// ignores edges whose argument is the parameter itself.
func (a *assembler) dropTrivial() {
	edges := a.edges()
	for changed := true; changed; {
		changed = false
		for _, b := range a.p.Blocks {
			for i := 0; i < len(b.Params); i++ {
				p := b.Params[i].ID
				only := NoID
				for _, e := range edges[b] {
					switch id := a.find(e.Args[i]); {
					case id == p:
					case only == NoID:
						only = id
					case only != id:
						only = -2
					}
				}
				if only < 0 {
					continue
				}
				a.same[p] = only
				a.dropParam(b, edges[b], i)
				i--
				changed = true
			}
		}
	}
	a.replace()
}

// replace replaces each operand in operations, terminators and edges with the value that find returns.
func (a *assembler) replace() {
	for i := range a.p.Insts {
		a.p.Insts[i] = a.p.Insts[i].WithArgs(a.find)
	}
	for _, b := range a.p.Blocks {
		b.End.Cond, b.End.Lanes = a.find(b.End.Cond), a.find(b.End.Lanes)
		for i := range b.End.Outputs {
			b.End.Outputs[i].ID = a.find(b.End.Outputs[i].ID)
		}
		for _, e := range b.End.Edges {
			for i := range e.Args {
				e.Args[i] = a.find(e.Args[i])
			}
		}
	}
}

// dropRepeated removes operations that repeat an earlier operation of the same block.
func (a *assembler) dropRepeated() {
	for _, b := range a.p.Blocks {
		var seen sem.Finder
		b.Insts = slices.DeleteFunc(b.Insts, func(id ID) bool {
			in := a.p.Insts[id].WithArgs(a.find)
			a.p.Insts[id] = in
			if !a.unchanging(&in) {
				return false
			}
			first := seen.Find(a.p.Insts, id)
			a.same[id] = first
			return first != id
		})
	}
	a.replace()
}

// unchanging reports whether an operation computes a value from its operands and from the lanes of the wave,
// or reads a register that no operation writes.
func (a *assembler) unchanging(in *sem.Inst) bool {
	switch in.Op {
	case sem.OpRead, sem.OpReadX:
		return !a.arrays[in.State]
	case sem.OpLane, sem.OpExists, sem.OpAny, sem.OpAll, sem.OpBallot, sem.OpFrom, sem.OpLanesOf:
		return true
	}
	return in.Op.Pure()
}

func (a *assembler) dropParam(b *Block, edges []*Edge, i int) {
	b.Params = slices.Delete(b.Params, i, i+1)
	for _, e := range edges {
		e.Args = slices.Delete(e.Args, i, i+1)
	}
}

// edges returns the edges to each block.
func (a *assembler) edges() map[*Block][]*Edge {
	into := map[*Block][]*Edge{}
	for _, b := range a.p.Blocks {
		for i := range b.End.Edges {
			e := &b.End.Edges[i]
			into[e.To] = append(into[e.To], e)
		}
	}
	return into
}

// dropUnused removes parameters and operations whose values are not used.
func (a *assembler) dropUnused() {
	used := make([]bool, len(a.p.Insts))
	args := map[ID][]ID{} // the arguments of each parameter
	for b, edges := range a.edges() {
		for i, p := range b.Params {
			for _, e := range edges {
				args[p.ID] = append(args[p.ID], e.Args[i])
			}
		}
	}
	var mark func(id ID)
	mark = func(id ID) {
		if id == NoID || used[id] {
			return
		}
		used[id] = true
		a.p.Insts[id].EachArg(mark)
		for _, x := range args[id] {
			mark(x)
		}
	}
	for _, b := range a.p.Blocks {
		for _, id := range b.Insts {
			if hasEffect(&a.p.Insts[id]) {
				mark(id)
			}
		}
		mark(b.End.Cond)
		mark(b.End.Lanes)
		for _, o := range b.End.Outputs {
			mark(o.ID)
		}
	}
	for b, edges := range a.edges() {
		for i := len(b.Params) - 1; i >= 0; i-- {
			if !used[b.Params[i].ID] {
				a.dropParam(b, edges, i)
			}
		}
	}
	for _, b := range a.p.Blocks {
		b.Insts = slices.DeleteFunc(b.Insts, func(id ID) bool { return !used[id] })
	}
}

// hasEffect reports whether an operation does more than compute a value.
func hasEffect(in *sem.Inst) bool {
	switch in.Op {
	case sem.OpWrite, sem.OpWriteX, sem.OpStore, sem.OpBarrier, sem.OpTrap, sem.OpPush, sem.OpPop, sem.OpService:
		return true
	case sem.OpLoad, sem.OpReadX:
		return in.State.Outside == sem.OutsideTrap
	}
	return false
}

// dropEmpty redirects edges past blocks that contain only a jump. It also converts each branch with
// two equal edges to a jump. It reports whether it changed anything.
func (a *assembler) dropEmpty() (changed bool) {
	uses := a.uses()
	for _, b := range a.p.Blocks {
		if b.End.Kind == Branch && b.End.Edges[0].To == b.End.Edges[1].To && slices.Equal(b.End.Edges[0].Args, b.End.Edges[1].Args) {
			b.End.Kind, b.End.Cond, b.End.Edges = Jump, NoID, b.End.Edges[:1]
			changed = true
		}
		for i := range b.End.Edges {
			e := &b.End.Edges[i]
			to := e.To
			if to == b || to == a.p.Blocks[0] || len(to.Insts) > 0 || to.End.Kind != Jump || to.End.Edges[0].To == to {
				continue
			}
			args := slices.Clone(to.End.Edges[0].Args)
			own := map[ID]int{}
			for k, x := range args {
				if at := slices.IndexFunc(to.Params, func(p Param) bool { return p.ID == x }); at >= 0 {
					args[k] = e.Args[at]
					own[x]++
				}
			}
			if slices.ContainsFunc(to.Params, func(p Param) bool { return uses[p.ID] != own[p.ID] }) {
				continue // another block uses a parameter of this block
			}
			*e = Edge{to.End.Edges[0].To, args}
			changed = true
		}
	}
	return changed
}

// uses counts the uses of each value.
func (a *assembler) uses() []int {
	n := make([]int, len(a.p.Insts))
	count := func(id ID) {
		if id != NoID {
			n[id]++
		}
	}
	for _, b := range a.p.Blocks {
		for _, id := range b.Insts {
			a.p.Insts[id].EachArg(count)
		}
		count(b.End.Cond)
		count(b.End.Lanes)
		for _, o := range b.End.Outputs {
			count(o.ID)
		}
		for _, e := range b.End.Edges {
			for _, x := range e.Args {
				count(x)
			}
		}
	}
	return n
}

// mergeChains appends a block to its predecessor if the predecessor jumps to it, no other edge leads
// to it and it has no parameters. It also removes blocks to which no edge leads.
func (a *assembler) mergeChains() {
	for changed := true; changed; {
		changed = false
		into := a.edges()
		gone := map[*Block]bool{}
		for _, b := range a.p.Blocks {
			for !gone[b] && b.End.Kind == Jump {
				to := b.End.Edges[0].To
				if to == b || len(into[to]) != 1 || len(to.Params) > 0 || b.Serial || to.Serial {
					break
				}
				b.Insts = append(b.Insts, to.Insts...)
				b.End = to.End
				gone[to], changed = true, true
			}
		}
		a.p.Blocks = slices.DeleteFunc(a.p.Blocks, func(b *Block) bool { return gone[b] || b != a.p.Blocks[0] && len(into[b]) == 0 })
	}
}
