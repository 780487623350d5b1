package translate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/spec"
)

// Kernel is a program that runs on a grid, and what its threads find when they start.
type Kernel struct {
	Program *exec.Program
	// Entry is the address of the first instruction, in units of the program counter.
	Entry uint64
	// Block is the number of threads of a block in x, y and z. It is the size of a workgroup. If it is zero, the host chooses it
	// when it creates the pipeline, with the specialization constants 0, 1 and 2, whose defaults are 1.
	Block [3]int
	// Thread, Threads, Group and Groups are the places of the thread in its block, of the size of a block, of the block in the
	// grid and of the size of the grid, in x, y and z. A place may be nil.
	Thread, Threads, Group, Groups [3]*exec.Place
	// Lane is the place of the number of a thread in its wave, and Wave that of the number of the wave in its block.
	Lane, Wave *exec.Place
	// Lanes is the number of lanes of a wave.
	Lanes int
	// Parameters is the place of the parameters, and Bytes their size.
	Parameters *exec.Place
	Bytes      int
	// Named are the parameters, as far as they are known.
	Named []Parameter
	// Registers is the number of registers that the launch allocates, or 0 for all.
	Registers int
	// Global is the place of the memory that the launch has: all memories of the place are one buffer.
	Global *exec.Place
	// Sizes are the sizes of the memories of a thread and of a block in bytes. The default is the size in the description.
	Sizes map[*exec.State]int
}

// Parameter is a parameter of a kernel.
type Parameter struct {
	// Name is "" if the file does not name its parameters.
	Name string
	// Offset is its place in the buffer of the parameters, and Size its size, in bytes.
	Offset, Size int
}

// Translate translates a kernel to a compute shader. A buffer holds the memory of the launch. Its first byte has the address 0. An
// access outside of a memory loads 0 and stores nothing. GLSL ES needs the size of a block; in WGSL, the specialization constants are
// overrides with these numbers. The error is a *Refusal if the kernel cannot be translated.
func (k *Kernel) Translate(ctx context.Context, o Options) (*Text, error) {
	if (o.Uniforms == Plain || o.Language == GLSLES) && k.Block == [3]int{} {
		return nil, &Refusal{NoAddr, "OpenGL has no specialization constants for the size of a block: state the size with --block X,Y,Z"}
	}
	machine := k.Program.Machine.Inside(inside.Key{})
	code := func(addr uint64) (*sem.Code, error) { return k.Program.Code(inside.Key{}, addr) }
	c := flow.Config{Machine: machine, Code: code, Entry: k.Entry, OneLane: machine.Wave}
	if k.Registers > 0 {
		c.Count = func(s *sem.State) int {
			if s.Allocated {
				return k.Registers
			}
			return s.Count
		}
	}
	s := source{functions: k.Program.Functions(inside.Key{}), machine: machine, kernel: k, cells: newCells()}
	s.nameOf = func(flow.Variable) string { return "" }
	if err := s.specialise(ctx, c); err != nil {
		return nil, err
	}
	if err := s.checkLanes(code, k.Lanes, true); err != nil {
		return nil, err
	}
	o.Shape = Compute
	return s.translate(ctx, o)
}

// checkLanes refuses an instruction whose result depends on the number of its lane, or on the other lanes of a wave.
func (s *source) checkLanes(code func(addr uint64) (*sem.Code, error), lanes int, votes bool) error {
	seen := map[uint64]bool{}
	for _, addr := range s.program.Addrs {
		if addr == NoAddr || seen[addr] {
			continue
		}
		seen[addr] = true
		if x, err := code(addr); err == nil {
			if op := flow.OtherLanes(x, lanes, votes); op != "" {
				return &Refusal{addr, fmt.Sprintf("the operation %s, whose result depends on the other lanes of a wave", op)}
			}
		}
	}
	return nil
}

// checkBarriers refuses a barrier that only some of the threads of a block may reach, as far as the values of the program
// show it, and finds the branches that decide on barriers. Loads at an address that is the same in all threads count as the same in all threads.
func (b *builder) checkBarriers() {
	depends := b.controlled()
	varying := map[*node]bool{}
	divergent := map[*flow.Block]bool{} // only some threads may run the block
	for changed := true; changed; {
		changed = false
		mark := func(n *node, is bool) {
			if is && !varying[n] {
				varying[n], changed = true, true
			}
		}
		for _, n := range b.nodes {
			switch n.Op {
			case sem.OpRead, sem.OpReadX:
				mark(n, b.own(n.State))
			case sem.OpLoad:
				mark(n, n.State.Scope <= spec.ScopeLane)
			}
			for _, a := range slices.Concat(n.args, b.sources[n]) {
				mark(n, varying[a])
			}
			mark(n, n.Guard != flow.NoID && varying[b.nodes[n.Guard]])
		}
		for _, x := range b.p.Blocks {
			if x.End.Kind != flow.Branch || !varying[b.nodes[x.End.Cond]] {
				continue
			}
			region := depends[x]
			for y := range region {
				if !divergent[y] {
					divergent[y], changed = true, true
				}
			}
			// Where the paths meet, parameters have the values of one of them. A loop may have another number of turns.
			for _, y := range b.p.Blocks {
				for _, q := range y.Params {
					list := b.sources[b.nodes[q.ID]]
					differ := slices.ContainsFunc(list, func(a *node) bool { return a != list[0] })
					mark(b.nodes[q.ID], differ && (region[x] && region[y] || b.brings(region, x, y)))
				}
			}
		}
	}
	for _, x := range b.p.Blocks {
		for _, id := range x.Insts {
			n := b.nodes[id]
			if n.Op != sem.OpBarrier {
				continue
			}
			if divergent[x] || n.Guard != flow.NoID && varying[b.nodes[n.Guard]] {
				b.refuse(b.p.Addrs[id], "a barrier that only some of the threads of a block may reach")
			}
			for y, region := range depends {
				if region[x] {
					b.decides[y] = true
				}
			}
		}
	}
}

// brings reports whether an edge from a branch, or from a block that the branch decides on, leads to a block.
func (b *builder) brings(region map[*flow.Block]bool, branch, to *flow.Block) bool {
	return slices.ContainsFunc(b.p.Blocks, func(x *flow.Block) bool {
		return (x == branch || region[x]) && slices.ContainsFunc(x.End.Edges, func(e flow.Edge) bool { return e.To == to })
	})
}

// controlled returns, for each branch, the blocks on whose execution it decides, directly or by the branches that it decides on.
func (b *builder) controlled() map[*flow.Block]map[*flow.Block]bool {
	// ends reports whether a path from a block to the end of the program avoids another block.
	ends := func(from, without *flow.Block) bool {
		seen := map[*flow.Block]bool{without: true}
		var visit func(x *flow.Block) bool
		visit = func(x *flow.Block) bool {
			if seen[x] {
				return false
			}
			seen[x] = true
			return len(x.End.Edges) == 0 || slices.ContainsFunc(x.End.Edges, func(e flow.Edge) bool { return visit(e.To) })
		}
		return visit(from)
	}
	out := map[*flow.Block]map[*flow.Block]bool{}
	for _, x := range b.p.Blocks {
		if x.End.Kind != flow.Branch {
			continue
		}
		out[x] = map[*flow.Block]bool{}
		for _, y := range b.p.Blocks {
			follows := func(e flow.Edge) bool { return e.To == y || !ends(e.To, y) }
			if slices.ContainsFunc(x.End.Edges, follows) && (x == y || ends(x, y)) {
				out[x][y] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, set := range out {
			for _, y := range slices.Collect(maps.Keys(set)) {
				for z := range out[y] {
					if !set[z] {
						set[z], changed = true, true
					}
				}
			}
		}
	}
	return out
}

// computeMain returns the function that starts a thread of a kernel.
func (g *lowering) computeMain(x *shade.Shader, program *shade.Func, t *Text, s *source, o Options) *shade.Func {
	k := s.kernel
	x.LocalSize = k.Block
	f := &shade.Func{Name: "main"}
	add := func(list ...*shade.Stmt) { f.Body = append(f.Body, list...) }
	builtins := map[shade.Builtin]*shade.Var{}
	builtin := func(b shade.Builtin, name string, comp int) *shade.Expr {
		v := builtins[b]
		if v == nil {
			v = &shade.Var{Name: name, Type: shade.U32.Vec(3), Storage: shade.Input, Builtin: b}
			if b == shade.LocalIndex {
				v.Type = shade.U32
			}
			builtins[b] = v
			x.Globals = append(x.Globals, v)
		}
		if b == shade.LocalIndex {
			return shade.Value(v)
		}
		return shade.Pick(shade.Value(v), comp)
	}
	// threads is the number of threads of a block in a direction, or in all directions for -1.
	var threads func(c int) *shade.Expr
	threads = func(c int) *shade.Expr {
		switch {
		case c < 0 && k.Block == [3]int{}:
			return shade.Apply(shade.Mul, shade.Apply(shade.Mul, threads(0), threads(1)), threads(2))
		case c < 0:
			return shade.Uint32(uint32(k.Block[0] * k.Block[1] * k.Block[2]))
		case k.Block == [3]int{}:
			return builtin(shade.WorkgroupSize, "gl_WorkGroupSize", c)
		}
		return shade.Uint32(uint32(k.Block[c]))
	}
	index := func() *shade.Expr { return builtin(shade.LocalIndex, "gl_LocalInvocationIndex", 0) }
	type given struct {
		place *exec.Place
		value *shade.Expr
	}
	var list []given
	give := func(p *exec.Place, value func() *shade.Expr) {
		if p == nil {
			return
		}
		st := s.machine.States[p.State().Index]
		if p.State().Kind == exec.Memory && g.spaces[st] != nil || p.State().Kind != exec.Memory && g.b.inputs[register{st, p.Number}] != nil {
			list = append(list, given{p, value()})
		}
	}
	for c := range 3 {
		give(k.Thread[c], func() *shade.Expr { return builtin(shade.LocalID, "gl_LocalInvocationID", c) })
		give(k.Threads[c], func() *shade.Expr { return threads(c) })
		give(k.Group[c], func() *shade.Expr { return builtin(shade.WorkgroupID, "gl_WorkGroupID", c) })
		give(k.Groups[c], func() *shade.Expr { return builtin(shade.NumWorkgroups, "gl_NumWorkGroups", c) })
	}
	lanes := shade.Uint32(uint32(k.Lanes))
	give(k.Lane, func() *shade.Expr { return shade.Apply(shade.Mod, index(), lanes) })
	give(k.Wave, func() *shade.Expr { return shade.Apply(shade.Div, index(), lanes) })
	// combine returns the bits that the places in a word of 32 bits have. at returns the lowest bit of a place, or -1.
	combine := func(at func(p *exec.Place) int) *shade.Expr {
		var sum *shade.Expr
		for _, x := range list {
			low := at(x.place)
			if low < 0 {
				continue
			}
			v := x.value
			if v.IsLiteral() {
				v = shade.Uint32(uint32(v.Bits[0]) << uint(low))
			} else if low > 0 {
				v = shade.Apply(shade.ShiftLeft, v, shade.Int32(int32(low)))
			}
			if sum == nil {
				sum = v
			} else {
				sum = shade.Apply(shade.Or, sum, v)
			}
		}
		return sum
	}
	for _, r := range sorted(g.b.inputs) {
		v := g.b.inputs[r]
		if v.typ != sem.U32 || v.size > 0 {
			g.refuse("the input %s of type %s", v.name, v.typ)
			continue
		}
		value := combine(func(p *exec.Place) int {
			if p.State().Kind == exec.Memory || s.machine.States[p.State().Index] != r.state || p.Number != r.number {
				return -1
			}
			return p.Low
		})
		if value == nil {
			value = shade.Lit(shade.U32, r.state.Init)
		}
		add(assignTo(shade.Value(g.variable(v)), value))
	}
	// The memories start with zeros.
	shared := false
	for _, st := range s.machine.States {
		v := g.spaces[st]
		if v == nil || v.Storage == shade.Member {
			continue
		}
		first, step := shade.Uint32(0), shade.Uint32(1)
		if v.Storage == shade.Workgroup {
			shared, first, step = true, index(), threads(-1)
		}
		add(g.zeros(v, first, step)...)
	}
	var first, copies []*shade.Stmt
	for _, st := range s.machine.States {
		v := g.spaces[st]
		if v == nil || v.Storage != shade.Workgroup {
			continue
		}
		for w := range v.Type.Len {
			value := combine(func(p *exec.Place) int {
				if p.State().Kind != exec.Memory || s.machine.States[p.State().Index] != st || int(p.Offset)/4 != w {
					return -1
				}
				return int(p.Offset) % 4 * 8
			})
			if value != nil {
				first = append(first, assignTo(shade.At(shade.Value(v), shade.Uint32(uint32(w))), value))
			}
		}
		if k.Parameters != nil && s.machine.States[k.Parameters.State().Index] == st {
			all, last := g.parameters(x, t, v, o, index, threads(-1))
			first, copies = append(first, last...), all
		}
	}
	if len(first)+len(copies) > 0 { // another invocation may set a word to 0 after this one has set it
		add(&shade.Stmt{Kind: shade.Barrier})
	}
	add(copies...)
	if len(first) > 0 {
		add(&shade.Stmt{Kind: shade.If, Value: shade.Apply(shade.Eq, index(), shade.Uint32(0)), Body: first})
	}
	if shared {
		add(&shade.Stmt{Kind: shade.Barrier})
	}
	add(&shade.Stmt{Kind: shade.Do, Value: shade.CallOf(program)})
	return f
}

// maxCopied is the number of words from which on a loop copies the parameters.
const maxCopied = 16

// parameters declares the parameters of a kernel. It returns the statements that copy them to a memory: all invocations run copies,
// and the first one runs last.
func (g *lowering) parameters(x *shade.Shader, t *Text, to *shade.Var, o Options, index func() *shade.Expr, threads *shade.Expr) (copies, last []*shade.Stmt) {
	k := g.source.kernel
	at := int(k.Parameters.Offset)
	n := min((k.Bytes+3)/4, to.Type.Len-at/4) // the kernel does not read the others
	if n <= 0 {
		return nil, nil
	}
	if at%4 != 0 {
		g.refuse("parameters at the address %#x of %s", at, to.Name)
	}
	b := Buffer{Name: g.b.names.unique("parameters"), Set: o.Set, Binding: o.Binding, Uniform: true, Size: (k.Bytes + 15) &^ 15, ReadOnly: true, Parameters: k.Named}
	block := &shade.Block{Kind: blockKinds[o.Uniforms], Name: b.Name + "_block", Set: b.Set, Binding: b.Binding}
	v := &shade.Var{Name: b.Name, Type: shade.U32.Vec(4).Array(b.Size / 16), Storage: shade.Member, Block: block, Stride: 16}
	block.Members = []*shade.Var{v}
	x.Blocks = append(x.Blocks, block)
	t.Buffers = append(t.Buffers, b)
	copyWord := func(row *shade.Expr, first *shade.Expr, comp int) *shade.Stmt {
		return assignTo(shade.At(shade.Value(to), first), shade.Pick(shade.At(shade.Value(v), row), comp))
	}
	done := 0
	if n > maxCopied {
		done = n &^ 3
		i := &shade.Var{Name: g.b.names.unique("i"), Type: shade.U32}
		row := shade.Value(i)
		loop := &shade.Stmt{Kind: shade.Loop, Value: shade.Apply(shade.Lt, row, shade.Uint32(uint32(done/4)))}
		for comp := range 4 {
			word := shade.Apply(shade.Add, shade.Apply(shade.Mul, row, shade.Uint32(4)), shade.Uint32(uint32(at/4+comp)))
			loop.Body = append(loop.Body, copyWord(row, word, comp))
		}
		loop.Body = append(loop.Body, assignTo(row, shade.Apply(shade.Add, row, threads)))
		copies = []*shade.Stmt{{Kind: shade.Declare, Var: i, Value: index()}, loop}
	}
	for w := done; w < n; w++ {
		last = append(last, copyWord(shade.Uint32(uint32(w/4)), shade.Uint32(uint32(at/4+w)), w%4))
	}
	return copies, last
}

// checkBarrier refuses a barrier of another kind than that of shaders: all threads of the block arrive and wait.
func (b *builder) checkBarrier(n *node) {
	count := n.args[1]
	if n.Imm&sem.Arrives == 0 || n.Imm&sem.Waits == 0 || count.Op != sem.OpConst || count.Imm != 0 {
		b.refuse(b.p.Addrs[n.id], "a barrier at which not all threads of a block arrive and wait")
	}
	if !b.open {
		b.refuse(b.p.Addrs[n.id], "a barrier, which only a compute shader has")
	}
}
