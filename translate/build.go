package translate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
)

// variable is a variable of the text: a scalar, a vector, or an array of them.
type variable struct {
	name string
	typ  sem.Type
	// size is the number of components of a vector, or 0 for a scalar. count is the number of elements of an array, or 0.
	size, count int
	// taken are the components that hold values. base is the component of the register that is the first.
	taken map[int]bool
	// given is set if the variable exists without a declaration in the function. stored is set if it has words of a memory,
	// whose bits the program may read.
	given, stored bool
	// register is the name of the register whose value the variable has, or "".
	register string
}

// expr is an expression.
type expr struct {
	op  sem.Op
	typ sem.Type // of a component
	// from is the type of the components of the first argument, for operations that have a second type.
	from sem.Type
	n    int // the number of components, or 0 for a scalar
	imm  uint64
	args []*expr
	form form
	call *function
	// variable and comps are the components that a reference names. index is the number of the element of an array.
	variable *variable
	comps    []int
	index    *expr
	state    *sem.State
	values   []uint64 // of a constant
}

// form is the kind of an expression.
type form uint8

const (
	operation form = iota
	constant
	reference // components of a variable
	element   // components of an element of an array, or what is outside of it
	splat     // the same scalar in all components
	construct // a vector of scalars and vectors
	call      // of a function of the description
	load      // of a memory: args are the address
	outside   // whether bytes of a memory do not exist: args are the address, and imm is their number
	canonical // the argument, with the bits of the machine if it is NaN
)

// stmt is a statement.
type stmt struct {
	kind stmtKind
	// addrs are the addresses of the instructions of which the statement is a part.
	addrs []uint64
	// dest are the components that an assignment sets, and index the number of the element.
	dest  *variable
	comps []int
	index *expr
	state *sem.State
	// value is the value of an assignment, the condition of an If and the call of a service.
	value     *expr
	body, els []*stmt
	block     *flow.Block // where a leave leads to, and the start of a loop
	after     *flow.Block // where a path that leaves a loop arrives
	loop      bool        // a leave starts the loop again
	text      string
	service   *sem.Inst
	params    []*expr
	names     []string // of the parameters of a service
	sample    *sample
	bytes     uint64
	cases     []oneTurn
	decides   bool // whether a branch decides on a barrier, so that all threads of a block go the same way
}

type stmtKind uint8

const (
	assign stmtKind = iota
	assignElement
	storeBytes
	exchange // an atomic operation: dest receives the old value, body computes the new one, and els is empty
	callService
	sampleTexture
	storeVertex // params are whether the slots are a triangle, and whether it is inverted; body stores the vertex
	branch      // if
	loop
	once  // a part that leave leaves
	leave // to block
	breakOut
	again
	finish // the end of the program
	barrier
	turns // a loop over the number of a block
)

// builder converts a specialised program to statements.
type builder struct {
	p         *flow.Program
	names     *names
	functions []*function
	nodes     []*node
	// inputs and outputs are the registers that the program reads before it writes them, and that it returns.
	inputs, outputs map[register]*variable
	arrays          map[*sem.State]*variable
	uniforms        map[register]*variable
	wholes          map[*sem.State]bool // files that the program reads with a computed number
	locals          []*variable
	current         map[register]*variable
	services        map[flow.ID]*variable
	called          []*function
	stops           bool
	// traps is set if the program can end in an instruction. open is set if accesses outside of memories do not end it.
	traps, open bool
	temps       int
	decides     map[*flow.Block]bool // the blocks whose branches decide on a barrier
	last        *node                // the last value that got a variable without a register
	err         error
	sources     map[*node][]*node       // the arguments of each parameter
	own         func(s *sem.State) bool // each lane has its own copy
	options     *Options
	samples     map[*node]*sample
	textures    map[int]int // the dimensions of textures by number
	samplers    map[int]int // the numbers of their samplers
	assumed     bool        // the dimension of a texture is an assumption
	// emitted are the registers of a vertex that a Geometry shader emits, and elements the numbers of vertices in inputs.
	emitted  []register
	elements map[register]int
	// attributes are the numbers of the registers of inputs in the first vertex.
	attributes map[*variable]int
}

// register is a register of the machine.
type register struct {
	state  *sem.State
	number int
}

// name returns the name of a register in the description.
func (r register) name() string {
	if r.state.Single {
		return r.state.Name
	}
	return r.state.Name + fmt.Sprint(r.number)
}

// maxWeight is the size from which on an expression gets a variable of its own.
const maxWeight = 14

// maxDot is the size up to which the result of a function of vectors is a part of an expression: a vector of such results
// repeats the expression.
const maxDot = 5

// refuse records that a program cannot be translated.
func (b *builder) refuse(addr uint64, format string, args ...any) {
	if b.err == nil {
		b.err = &Refusal{Addr: addr, Reason: fmt.Sprintf(format, args...)}
	}
}

// load makes the nodes.
func (b *builder) load() {
	b.nodes = make([]*node, len(b.p.Insts))
	for i := range b.nodes {
		b.nodes[i] = &node{Inst: b.p.Insts[i], id: flow.ID(i)}
	}
	for _, n := range b.nodes {
		for _, a := range [3]flow.ID{n.A, n.B, n.C} {
			if a != flow.NoID {
				n.args = append(n.args, b.nodes[a])
			}
		}
	}
	for _, x := range b.p.Blocks {
		for _, q := range x.Params {
			b.nodes[q.ID].block = x
		}
		for _, id := range x.Insts {
			if n := b.nodes[id]; !b.fixed(n) {
				n.block = x
			}
		}
	}
}

// fixed reports whether an operation reads a register that no operation of the program changes. Its place does not matter.
func (b *builder) fixed(n *node) bool {
	return (n.Op == sem.OpRead || n.Op == sem.OpReadX) && !slices.Contains(b.p.Arrays, n.State)
}

// leaf reports whether an expression is as short as the name of a variable.
func (n *node) leaf() bool {
	return n.Op == sem.OpConst || n.Op == sem.OpParam || n.variable != nil || n.Op == sem.OpRead && n.block == nil
}

// ordered reports whether the place of an operation matters, so that it gets a variable.
func (n *node) ordered() bool {
	switch n.Op {
	case sem.OpRead, sem.OpReadX:
		return n.block != nil && !n.late
	case sem.OpLoad, sem.OpResult, sem.OpTop:
		return true
	}
	return false
}

// markLate marks the reads of arrays after which their block does not write the array. Their place does not matter, if only
// their block uses them.
func (b *builder) markLate() {
	for _, x := range b.p.Blocks {
		written := map[*sem.State]bool{}
		for _, id := range slices.Backward(x.Insts) {
			switch n := b.nodes[id]; n.Op {
			case sem.OpWrite, sem.OpWriteX:
				written[n.State] = true
			case sem.OpRead, sem.OpReadX:
				n.late = n.block != nil && !written[n.State]
			}
		}
	}
}

// markRaw marks a value whose bits are read as they are. Where arithmetic computes it, a NaN has the bits of the machine.
func (b *builder) markRaw(n *node) {
	if n.raw || n.Type().Kind != sem.Float {
		return
	}
	n.raw = true
	switch n.Op {
	case sem.OpSelect:
		b.markRaw(n.args[1])
		b.markRaw(n.args[2])
	case sem.OpNeg, sem.OpFlush:
		b.markRaw(n.args[0])
	case sem.OpParam:
		for _, a := range b.sources[n] {
			b.markRaw(a)
		}
	}
}

// findRaw finds the values whose bits are read.
func (b *builder) findRaw() {
	b.sources = map[*node][]*node{}
	for _, x := range b.p.Blocks {
		for _, e := range x.End.Edges {
			for i, q := range e.To.Params {
				p := b.nodes[q.ID]
				b.sources[p] = append(b.sources[p], b.nodes[e.Args[i]])
			}
		}
	}
	for _, n := range b.nodes {
		if n.Op == sem.OpSlice {
			b.markRaw(n.args[0])
		}
	}
}

// demand visits what an expression in a block uses.
func (b *builder) demand(n *node, at *flow.Block) {
	n.uses++
	n.users = append(n.users, at)
	if n.visited {
		return
	}
	n.visited = true
	if n.Op.Pure() && !n.raw {
		match(b.functions, n, anySize)
	}
	if n.call != nil {
		b.useFunction(n.call)
		for i, s := range n.call.slots {
			if s.raw {
				b.markRaw(n.with[i])
			}
		}
	}
	own := n.block
	if own == nil {
		own = at
	}
	for _, a := range n.operands() {
		if n.Op == sem.OpReadX || n.Op == sem.OpLoad { // an index or an address
			a.hold = true
		}
		b.demand(a, own)
	}
	if n.Guard != flow.NoID && n.ordered() {
		b.nodes[n.Guard].hold = true
		b.demand(b.nodes[n.Guard], own)
	}
	if n.call != nil { // a vector from one element of an array has the number of the element once
		k := 0
		for _, p := range n.call.params {
			list := n.with[k : k+len(p.comps)]
			k += len(p.comps)
			first := list[0]
			if !slices.ContainsFunc(list, func(a *node) bool {
				return a.Op != sem.OpReadX || a.uses != 1 || a.State != first.State || a.args[0] != first.args[0]
			}) {
				first.args[0].uses -= len(list) - 1
			}
		}
	}
}

// useFunction adds a function to the text, after the functions that it calls.
func (b *builder) useFunction(f *function) {
	if slices.Contains(b.called, f) {
		return
	}
	var visit func(n *node)
	seen := map[*node]bool{}
	visit = func(n *node) {
		n.uses++
		if seen[n] {
			return
		}
		seen[n] = true
		if n.Op.Pure() {
			below := f.size
			match(b.functions, n, below)
		}
		if n.call != nil {
			b.useFunction(n.call)
		}
		for _, a := range n.operands() {
			visit(a)
		}
	}
	visit(f.result)
	b.called = append(b.called, f)
}

// plan decides which values get variables.
func (b *builder) plan() {
	for _, x := range b.p.Blocks {
		for _, id := range x.Insts {
			n := b.nodes[id]
			if b.effect(n) {
				n.visited = true
				for _, a := range b.arguments(n) {
					a.hold = true
					b.demand(a, x)
				}
				if n.Guard != flow.NoID {
					b.nodes[n.Guard].hold = true
					b.demand(b.nodes[n.Guard], x)
				}
			}
		}
		if x.End.Cond != flow.NoID {
			b.nodes[x.End.Cond].hold = true
			b.demand(b.nodes[x.End.Cond], x)
		}
		for _, e := range x.End.Edges {
			for _, a := range e.Args {
				b.demand(b.nodes[a], x)
			}
		}
		for _, o := range x.End.Outputs {
			b.demand(b.nodes[o.ID], x)
		}
	}
	for _, x := range b.p.Blocks {
		params := map[register]*variable{}
		for _, q := range x.Params {
			n := b.nodes[q.ID]
			b.place(n, q.Variable, params)
		}
		for _, id := range x.Insts {
			n := b.nodes[id]
			if !n.visited || b.effect(n) && n.Op != sem.OpLoad && n.Op != sem.OpReadX {
				continue
			}
			if n.Op == sem.OpResult {
				n.variable = b.result(n.args[0])
				if n.comp = n.Comp; n.variable.size == 0 {
					n.comp = 0
				}
				continue
			}
			n.weigh()
			if !b.fixed(n) || n.Op == sem.OpReadX {
				if b.keep(n, x) {
					b.placeValue(n)
				}
			}
		}
	}
}

// weigh computes the size of an expression. A vector of names counts as one name.
func (n *node) weigh() {
	n.weight = 1
	add := func(list []*node) {
		names := 0
		for _, a := range list {
			if a.leaf() || a.Op == sem.OpReadX {
				names = 1
				if a.Op == sem.OpReadX && !a.args[0].leaf() && a == list[0] {
					n.weight += a.args[0].weight
				}
			} else {
				n.weight += a.weight
			}
		}
		n.weight += names
	}
	if n.call == nil {
		for i := range n.args {
			add(n.args[i : i+1])
		}
		return
	}
	k := 0
	for _, p := range n.call.params {
		add(n.with[k : k+len(p.comps)])
		k += len(p.comps)
	}
}

// keep reports whether a value gets a variable.
func (b *builder) keep(n *node, x *flow.Block) bool {
	switch {
	case n.Op == sem.OpConst || n.Op == sem.OpService:
		return false
	case n.ordered():
		return true
	case n.Op == sem.OpReadX && n.block == nil:
		return false
	case n.late && n.Op == sem.OpRead:
		return slices.ContainsFunc(n.users, func(u *flow.Block) bool { return u != x })
	}
	cheap := (n.Op == sem.OpNeg || n.Op == sem.OpNot || n.Op == sem.OpCast) && n.call == nil && n.args[0].leaf()
	if cheap {
		return false
	}
	if _, ok := b.p.Written[n.id]; ok && n.call != nil && !n.call.scalars() && n.weight > maxDot {
		return true
	}
	return n.uses > 1 || n.hold && computes(n, true) || n.weight > maxWeight || slices.ContainsFunc(n.users, func(u *flow.Block) bool { return u != x })
}

// computes reports whether an expression contains arithmetic on floats outside of functions. Only in the assignment of a
// precise variable is such arithmetic exact.
func computes(n *node, top bool) bool {
	if n.leaf() && !top {
		return false
	}
	if n.call == nil && n.Op.Pure() && n.Type().Kind == sem.Float {
		switch n.Op {
		case sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpDiv, sem.OpSqrt:
			return true
		}
	}
	return slices.ContainsFunc(n.operands(), func(a *node) bool { return computes(a, false) })
}

// placeValue gives a value a variable: a component of the register that receives it, or a scalar.
func (b *builder) placeValue(n *node) {
	if v, ok := b.p.Written[n.id]; ok {
		b.place(n, v, b.current)
		return
	}
	if p := b.last; p != nil && !wide(n.Type()) && p.block == n.block && p.comp < 3 && b.p.Addrs[p.id] == b.p.Addrs[n.id] && alikeTop(p, n) {
		n.variable, n.comp = p.variable, p.comp+1
		n.variable.size, n.variable.taken[n.comp] = n.comp+1, true
		b.last = n
		return
	}
	b.temps++
	n.variable = &variable{name: b.names.unique(fmt.Sprintf("t%d", b.temps)), typ: n.Type(), taken: map[int]bool{0: true}}
	b.locals, b.last = append(b.locals, n.variable), n
}

// place gives a value a component of a variable for a register. current has the variables that are being filled.
func (b *builder) place(n *node, v flow.Variable, current map[register]*variable) {
	r, comp, size := register{v.State, v.Number}, v.Comp, v.State.Type.Len
	name := r.name()
	if v.State.Kind == sem.StackState || size > 4 {
		name = v.String()
		r, comp, size = register{v.State, -1 - v.Number<<8 - v.Comp}, 0, 0
	}
	x := current[r]
	if x == nil || x.taken[comp] || x.typ != n.Type() {
		x = nil
		if b.outputs[r] != nil && len(b.outputs[r].taken) == 0 {
			x = b.outputs[r]
		}
		if x == nil {
			x = &variable{name: b.names.unique(identifier(name)), typ: n.Type(), size: size, taken: map[int]bool{}, register: name}
			b.locals = append(b.locals, x)
		}
		current[r] = x
	}
	x.taken[comp] = true
	n.variable, n.comp = x, comp
}

// effect reports whether an operation does more than compute a value.
func (b *builder) effect(n *node) bool {
	switch n.Op {
	case sem.OpWrite, sem.OpWriteX, sem.OpStore, sem.OpBarrier, sem.OpTrap, sem.OpPush, sem.OpPop, sem.OpService:
		return true
	case sem.OpLoad, sem.OpReadX:
		return n.State.Outside == sem.OutsideTrap
	}
	return false
}

// shrink makes a variable of one component a scalar.
func (b *builder) shrink() {
	for _, v := range b.locals {
		if v.size == 0 || v.given {
			continue
		}
		last := 0
		for k := range v.taken {
			last = max(last, k)
		}
		if len(v.taken) > 1 {
			v.size = last + 1
			continue
		}
		v.size = 0
		for _, n := range b.nodes {
			if n.variable == v {
				n.comp = 0
			}
		}
	}
}

// value returns the expression for a value.
func (b *builder) value(n *node) *expr {
	if n.variable != nil {
		return refer(n.variable, n.comp, n.Type())
	}
	return b.define(n)
}

func refer(v *variable, comp int, t sem.Type) *expr {
	e := &expr{form: reference, variable: v, typ: t}
	if v.size > 0 {
		e.comps = []int{comp}
	}
	return e
}

// define returns the expression that computes a value.
func (b *builder) define(n *node) *expr {
	e := b.plain(n)
	if n.raw && n.Op.Pure() && (n.call != nil || n.Op != sem.OpSelect && n.Op != sem.OpNeg && n.Op != sem.OpFlush && n.Op != sem.OpCast && n.Op != sem.OpConcat) {
		return &expr{form: canonical, typ: e.typ, n: e.n, args: []*expr{e}}
	}
	return e
}

// plain returns the expression that computes a value, whose NaN may have any bits.
func (b *builder) plain(n *node) *expr {
	e := &expr{op: n.Op, typ: n.Type(), from: n.From(), imm: n.Imm, state: n.State}
	if n.State != nil && n.State.Outside == sem.OutsideTrap && n.Op == sem.OpReadX {
		b.refuse(b.p.Addrs[n.id], "an access that ends the program if it is outside of %s", n.State.Name)
	}
	switch {
	case n.call != nil:
		e.form, e.call, e.args = call, n.call, nil
		k := 0
		for _, p := range n.call.params {
			e.args = append(e.args, b.vector(n.with[k:k+len(p.comps)]))
			k += len(p.comps)
		}
		return e
	case n.Op == sem.OpConst:
		e.form, e.values = constant, []uint64{n.Imm}
		return e
	case n.Op == sem.OpRead:
		return b.read(n)
	case n.Op == sem.OpReadX:
		e.form, e.variable, e.index, e.comps = element, b.array(n.State), b.value(n.args[0]), nil
		if n.State.Type.Len > 0 {
			e.comps = []int{n.Comp}
		}
		return e
	case n.Op == sem.OpLoad:
		e.form, e.args = load, []*expr{b.value(n.args[0])}
		return e
	case !n.Op.Pure():
		b.refuse(b.p.Addrs[n.id], "the operation %s", n.Op)
	}
	for _, a := range n.args {
		e.args = append(e.args, b.value(a))
	}
	return e
}

// vector returns the expression for values side by side, or for one value.
func (b *builder) vector(list []*node) *expr {
	if len(list) == 1 {
		return b.value(list[0])
	}
	first := list[0]
	every := func(f func(n *node) bool) bool {
		return !slices.ContainsFunc(list, func(n *node) bool { return !f(n) })
	}
	t := first.Type()
	switch {
	case every(func(n *node) bool { return n.Op == sem.OpConst }):
		if every(func(n *node) bool { return n.Imm == first.Imm }) {
			return &expr{form: splat, typ: t, n: len(list), args: []*expr{b.value(first)}}
		}
		e := &expr{form: constant, typ: t, n: len(list)}
		for _, n := range list {
			e.values = append(e.values, n.Imm)
		}
		return e
	case every(func(n *node) bool { return n == first || same(n, first) }):
		return &expr{form: splat, typ: t, n: len(list), args: []*expr{b.value(first)}}
	case every(func(n *node) bool { return n.variable != nil || n.Op == sem.OpRead && n.block == nil }):
		return b.pack(list)
	case every(func(n *node) bool {
		return n.variable == nil && n.Op == sem.OpReadX && n.State == first.State && same(n.args[0], first.args[0])
	}):
		e := b.define(first)
		e.n, e.comps = len(list), nil
		for _, n := range list {
			e.comps = append(e.comps, n.Comp)
		}
		return e
	case every(func(n *node) bool { return alike(n, first) }) && vectorises(first):
		e := &expr{op: first.Op, typ: t, from: first.From(), imm: first.Imm, n: len(list), call: first.call}
		if first.call != nil {
			e.form = call
		}
		for k := range first.operands() {
			var column []*node
			for _, n := range list {
				column = append(column, n.operands()[k])
			}
			e.args = append(e.args, b.vector(column))
		}
		return e
	}
	return b.pack(list)
}

// alike reports whether two values are computed in the same way from other arguments.
func alike(n, m *node) bool {
	return n.variable == nil && m.variable == nil && !n.raw && !m.raw && !n.withZero() && !m.withZero() && n.Op == m.Op && n.call == m.call && n.Type() == m.Type() && n.From() == m.From() && (n.call != nil || n.Imm == m.Imm)
}

// vectorises reports whether an operation can be done on vectors.
func vectorises(n *node) bool {
	if n.call != nil {
		return n.call.scalars()
	}
	switch n.Op {
	case sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpNeg, sem.OpDiv, sem.OpSqrt, sem.OpFma, sem.OpRint, sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos, sem.OpFlush, sem.OpProduct:
		return n.Type() == sem.F32 && n.Imm == 0 || n.Type() == sem.F32 && (n.Op == sem.OpRint || n.Op == sem.OpProduct)
	case sem.OpEq, sem.OpNe, sem.OpLt, sem.OpLe:
		return n.From() == sem.F32
	case sem.OpSelect:
		return n.Type() == sem.F32
	case sem.OpNot:
		return n.Type().Kind == sem.Bool
	}
	return false
}

// pack returns a vector of scalars. Components of one variable that are side by side stay together, and so do values that are
// computed in the same way.
func (b *builder) pack(list []*node) *expr {
	e := &expr{form: construct, typ: list[0].Type(), n: len(list)}
	for i := 0; i < len(list); i++ {
		n := list[i]
		run := i + 1
		for run < len(list) && vectorises(n) && n.Op != sem.OpSelect && !n.leaf() && alike(list[run], n) {
			run++
		}
		if run > i+1 && run-i < len(list) {
			e.args = append(e.args, b.vector(list[i:run]))
			i = run - 1
			continue
		}
		x := b.value(n)
		if last := len(e.args) - 1; last >= 0 && x.form == reference && len(x.comps) == 1 {
			if p := e.args[last]; p.form == reference && p.variable == x.variable && p.index == nil && x.index == nil || p.form == reference && p.variable == x.variable && equalIndex(p.index, x.index) {
				p.comps = append(p.comps, x.comps[0])
				p.n = len(p.comps)
				continue
			}
		}
		e.args = append(e.args, x)
	}
	if len(e.args) == 1 {
		return e.args[0]
	}
	return e
}

func equalIndex(a, b *expr) bool {
	return a != nil && b != nil && a.form == constant && b.form == constant && a.values[0] == b.values[0]
}

// read returns the reference to a register that the program does not change, or to an element of an array.
func (b *builder) read(n *node) *expr {
	v := flow.Variable{State: n.State, Number: int(n.Imm), Comp: n.Comp}
	if n.State.ReadOnly {
		comps := max(1, n.State.Type.Len)
		return &expr{form: constant, typ: n.Type(), values: []uint64{n.State.Values[v.Number*comps+v.Comp]}}
	}
	comp := func(e *expr, x *variable, k int) *expr {
		if x.size > 0 {
			e.comps = []int{k}
		}
		return e
	}
	r := register{n.State, v.Number}
	_, vertex := b.elements[r]
	if !vertex && (slices.Contains(b.p.Arrays, n.State) || b.wholes[n.State]) {
		x := b.array(n.State)
		e := &expr{form: reference, variable: x, typ: n.Type(), index: number(uint64(v.Number))}
		return comp(e, x, n.Comp)
	}
	list := b.inputs
	if !b.own(n.State) && !vertex {
		list = b.uniforms
	}
	k := n.Comp
	if n.State.Type.Len > 4 {
		r.number, k = v.Number*n.State.Type.Len+v.Comp, 0
	}
	x := list[r]
	if x == nil {
		b.refuse(b.p.Addrs[n.id], "a read of %s, which nothing provides", v)
		return number(0)
	}
	if x.count > 0 { // an element of a named array
		e := &expr{form: reference, variable: x, typ: n.Type(), index: number(uint64(b.offset(x, r)))}
		return comp(e, x, k)
	}
	return comp(&expr{form: reference, variable: x, typ: n.Type()}, x, k)
}

func number(v uint64) *expr { return &expr{form: constant, typ: sem.U32, values: []uint64{v}} }

// offset returns the number of a register in the array that has it.
func (b *builder) offset(x *variable, r register) int {
	if n, ok := b.elements[r]; ok {
		return n
	}
	first := r.number
	for b.uniforms[register{r.state, first - 1}] == x || b.inputs[register{r.state, first - 1}] == x {
		first--
	}
	return r.number - first
}

// array returns the array of the registers of a file.
func (b *builder) array(s *sem.State) *variable {
	x := b.arrays[s]
	if x == nil {
		x = &variable{name: b.names.unique(identifier(s.Name)), typ: s.Type.Elem(), size: s.Type.Len, count: s.Count, given: true}
		b.arrays[s] = x
	}
	return x
}

// addrs returns the addresses of the instructions of an expression.
func (b *builder) addrs(list ...*node) []uint64 {
	var out []uint64
	var visit func(n *node, top bool)
	visit = func(n *node, top bool) {
		if n.variable != nil && !top || n.Op == sem.OpConst || n.Op == sem.OpRead && n.block == nil {
			return
		}
		if a := b.p.Addrs[n.id]; a != flow.NoAddr && !slices.Contains(out, a) && n.Op != sem.OpParam {
			out = append(out, a)
		}
		for _, a := range n.operands() {
			visit(a, false)
		}
	}
	for _, n := range list {
		visit(n, true)
	}
	slices.Sort(out)
	return out
}

// withAddr adds an address to a list in ascending order.
func (b *builder) withAddr(list []uint64, addr uint64) []uint64 {
	i, found := slices.BinarySearch(list, addr)
	if found || addr == flow.NoAddr {
		return list
	}
	return slices.Insert(list, i, addr)
}

// code returns the statements of the operations of a block.
func (b *builder) code(x *flow.Block) []*stmt {
	if x.Serial {
		return b.atomic(x)
	}
	return b.list(x.Insts)
}

// list returns the statements of operations.
func (b *builder) list(list []flow.ID) []*stmt {
	var out []*stmt
	var open []*node // values that may become one statement
	flush := func() {
		if len(open) > 0 {
			out = append(out, b.group(open)...)
			open = nil
		}
	}
	for _, id := range list {
		n := b.nodes[id]
		if !n.visited {
			continue
		}
		if b.effect(n) && n.Op != sem.OpLoad && n.Op != sem.OpReadX {
			flush()
			out = append(out, b.act(n)...)
			continue
		}
		if n.variable == nil || n.Op == sem.OpRead && n.block == nil {
			continue
		}
		if n.Op == sem.OpResult {
			continue // the call has assigned it
		}
		if n.Op == sem.OpLoad && (n.Guard != flow.NoID || n.State.Outside == sem.OutsideTrap) {
			flush()
			out = append(out, b.guard(n, b.trap(n))...)
			out = append(out, b.assignment([]*node{n}))
			continue
		}
		if len(open) > 0 && !b.joins(open, n) {
			flush()
		}
		open = append(open, n)
	}
	flush()
	return out
}

// joins reports whether a value can be assigned with the values before it: it is in the same instruction and variable, and
// is computed without them.
func (b *builder) joins(open []*node, n *node) bool {
	first := open[0]
	if n.variable != first.variable || n.variable.size == 0 || b.p.Addrs[n.id] != b.p.Addrs[first.id] || !alikeTop(first, n) {
		return false
	}
	var uses func(m *node, top bool) bool
	uses = func(m *node, top bool) bool {
		if !top && m.variable != nil {
			return slices.Contains(open, m)
		}
		return slices.ContainsFunc(m.operands(), func(a *node) bool { return uses(a, false) })
	}
	return !uses(n, true)
}

// alikeTop reports whether two values can be computed by one operation on vectors.
func alikeTop(n, m *node) bool {
	if n.raw || m.raw || n.withZero() || m.withZero() || n.Op != m.Op || n.call != m.call || n.Type() != m.Type() || n.From() != m.From() || n.call == nil && n.Op != sem.OpRead && n.Imm != m.Imm {
		return false
	}
	switch n.Op {
	case sem.OpRead:
		return n.State == m.State && n.Imm == m.Imm
	case sem.OpReadX:
		return n.State == m.State && same(n.args[0], m.args[0])
	}
	return vectorises(n)
}

// group returns the assignments of values that are alike.
func (b *builder) group(open []*node) []*stmt { return []*stmt{b.assignment(open)} }

// assignment assigns values to components of one variable.
func (b *builder) assignment(list []*node) *stmt {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(m, n *node) int { return cmp.Compare(m.comp, n.comp) })
	s := &stmt{kind: assign, dest: list[0].variable, addrs: b.addrs(list...)}
	saved := make([]*variable, len(list))
	for i, n := range list {
		saved[i], n.variable = n.variable, nil
		if s.dest.size > 0 {
			s.comps = append(s.comps, n.comp)
		}
	}
	s.value = b.vector(list)
	for i, n := range list {
		n.variable = saved[i]
	}
	if n := list[0]; n.Op == sem.OpLoad && n.Guard != flow.NoID {
		zero := &expr{form: constant, typ: n.Type(), values: []uint64{0}}
		s.value = &expr{op: sem.OpSelect, typ: n.Type(), args: []*expr{b.value(b.nodes[n.Guard]), s.value, zero}}
	}
	return s
}

// act returns the statements of an operation with an effect.
func (b *builder) act(n *node) []*stmt {
	addr := b.p.Addrs[n.id]
	s := &stmt{addrs: []uint64{addr}, state: n.State}
	if n.State != nil && n.State.Outside == sem.OutsideTrap && n.Op != sem.OpStore {
		b.refuse(addr, "an access that ends the program if it is outside of %s", n.State.Name)
	}
	switch n.Op {
	case sem.OpWrite, sem.OpWriteX:
		s.kind, s.dest, s.value = assignElement, b.array(n.State), b.value(n.args[len(n.args)-1])
		if n.Op == sem.OpWrite {
			s.index = number(n.Imm)
		} else {
			s.index = b.value(n.args[0])
		}
		if a := n.args[0]; n.Op == sem.OpWriteX && a.Op == sem.OpConst { // outside of the array
			if n.State.Outside != sem.OutsideWrap && a.Imm >= uint64(n.State.Count) {
				return nil
			}
			s.index = number(a.Imm % uint64(n.State.Count))
		}
		if s.dest.size > 0 {
			s.comps = []int{n.Comp}
		}
	case sem.OpStore:
		s.kind, s.index, s.value, s.bytes = storeBytes, b.value(n.args[0]), b.value(n.args[1]), n.Imm
	case sem.OpBarrier:
		s.kind = barrier
		b.checkBarrier(n)
	case sem.OpService:
		switch b.callback(n) {
		case textureKind:
			return b.texture(n)
		case emitKind:
			return b.emit(n)
		}
		return b.service(n)
	default:
		b.refuse(addr, "the operation %s", n.Op)
		return nil
	}
	return b.guard(n, append(b.trap(n), s))
}

// trap returns the statement that ends the program if an access is outside of its memory, or nothing if that does not end it.
func (b *builder) trap(n *node) []*stmt {
	if n.Op != sem.OpStore && n.Op != sem.OpLoad || n.State.Outside != sem.OutsideTrap || b.open {
		return nil
	}
	if b.options.Shape != Function && b.own(n.State) && n.State.Count == 0 && n.args[0].Op == sem.OpConst && n.args[0].Imm+n.Imm <= maxPrivate {
		return nil // the shader has the memory, up to this address
	}
	b.stops, b.traps = true, true
	addrs := []uint64{b.p.Addrs[n.id]}
	end := &stmt{kind: finish, loop: true, text: "access outside of " + n.State.Name, addrs: addrs}
	is := &expr{form: outside, typ: sem.BoolType, imm: n.Imm, state: n.State, args: []*expr{b.value(n.args[0])}}
	return []*stmt{{kind: branch, value: is, body: []*stmt{end}, addrs: addrs}}
}

// atomic returns the statements of an atomic region: a load of a memory, and the store of a new value at the same address.
func (b *builder) atomic(x *flow.Block) []*stmt {
	var load, store *node
	for _, id := range x.Insts {
		switch n := b.nodes[id]; n.Op {
		case sem.OpLoad:
			if load != nil {
				b.refuse(b.p.Addrs[id], "an atomic region with several loads")
				return nil
			}
			load = n
		case sem.OpStore:
			if store != nil {
				b.refuse(b.p.Addrs[id], "an atomic region with several stores")
				return nil
			}
			store = n
		case sem.OpWrite, sem.OpWriteX, sem.OpService, sem.OpBarrier:
			b.refuse(b.p.Addrs[id], "the operation %s in an atomic region", n.Op)
			return nil
		}
	}
	if store == nil {
		return b.list(x.Insts)
	}
	addr := b.p.Addrs[store.id]
	if load == nil || load.State != store.State || load.Imm != store.Imm || !same(load.args[0], store.args[0]) || load.Guard != store.Guard {
		b.refuse(addr, "an atomic region that does not load and store at one address")
		return nil
	}
	if load.Imm != 4 {
		b.refuse(addr, "an atomic operation of %d bits", 8*load.Imm)
		return nil
	}
	at := slices.Index(x.Insts, load.id)
	v := load.variable
	if v == nil {
		b.temps++
		v = &variable{name: b.names.unique(fmt.Sprintf("t%d", b.temps)), typ: load.Type(), taken: map[int]bool{0: true}}
		b.locals = append(b.locals, v)
		load.variable, load.comp = v, 0
	}
	s := &stmt{kind: exchange, dest: v, state: store.State, bytes: store.Imm, index: b.value(store.args[0]), addrs: []uint64{addr}}
	if v.size > 0 {
		s.comps = []int{load.comp}
	}
	s.body = b.list(slices.DeleteFunc(slices.Clone(x.Insts[at+1:]), func(id flow.ID) bool { return id == store.id }))
	s.value = b.value(store.args[1])
	zero := &stmt{kind: assign, dest: v, comps: s.comps, value: &expr{form: constant, typ: load.Type(), values: []uint64{0}}, addrs: s.addrs}
	out := b.list(x.Insts[:at])
	if store.Guard != flow.NoID {
		out = append(out, zero)
	}
	return append(out, b.guard(store, append(b.trap(store), s))...)
}

// guard returns statements under the guard of an operation.
func (b *builder) guard(n *node, list []*stmt) []*stmt {
	if n.Guard == flow.NoID || len(list) == 0 {
		return list
	}
	return []*stmt{{kind: branch, value: b.value(b.nodes[n.Guard]), body: list, addrs: list[0].addrs, decides: n.Op == sem.OpBarrier}}
}

// service returns the call of a service.
func (b *builder) service(n *node) []*stmt {
	sv := n.Service()
	s := &stmt{kind: callService, service: &n.Inst, addrs: []uint64{b.p.Addrs[n.id]}}
	args := n.Args()
	for _, p := range sv.Params {
		var list []*node
		for range p.Type.Count() {
			list, args = append(list, b.nodes[args[0]]), args[1:]
		}
		s.addParams(p.Name, b.parts(list))
	}
	var list []*node
	last := register{}
	flushSeen := func() {
		if len(list) > 0 {
			s.addParams(last.name(), b.parts(list))
		}
		list = nil
	}
	n.EachSeen(func(st *sem.State, number, comp int, a flow.ID) {
		if r := (register{st, number}); r != last {
			flushSeen()
			last = r
		}
		list = append(list, b.nodes[a])
	})
	flushSeen()
	if t := sv.Result; t.Kind != sem.None {
		if t.Len > 4 {
			b.refuse(s.addrs[0], "the service %s, whose result has %d components", sv.Name, t.Len)
		}
		s.dest = b.result(n)
	}
	return b.guarded(n, s)
}

// addParams adds parameters of a service. Those of one vector have numbers.
func (s *stmt) addParams(name string, list []*expr) {
	for i, e := range list {
		if s.params = append(s.params, e); len(list) > 1 {
			s.names = append(s.names, fmt.Sprint(name, "_", i))
		} else {
			s.names = append(s.names, name)
		}
	}
}

// guarded returns a statement under the guard of an operation. Without the guard, the result is 0.
func (b *builder) guarded(n *node, s *stmt) (out []*stmt) {
	if v := s.dest; v != nil && n.Guard != flow.NoID {
		zero := &stmt{kind: assign, dest: v, addrs: s.addrs, value: zeroOf(v)}
		for k := range v.size {
			zero.comps = append(zero.comps, k)
		}
		out = append(out, zero)
	}
	return append(out, b.guard(n, []*stmt{s})...)
}

// zeroOf returns a value of zeros for a variable.
func zeroOf(v *variable) *expr { return repeated(v, 0) }

func repeated(v *variable, bits uint64) *expr {
	e := &expr{form: constant, typ: v.typ, values: []uint64{bits}}
	if v.size > 0 {
		return &expr{form: splat, typ: v.typ, n: v.size, args: []*expr{e}}
	}
	return e
}

// result returns the variable of the result of a service.
func (b *builder) result(n *node) *variable {
	v := b.services[n.id]
	if v == nil {
		t := n.Service().Result
		b.temps++
		v = &variable{name: b.names.unique(fmt.Sprintf("t%d", b.temps)), typ: t.Elem(), size: t.Len, given: true}
		b.locals = append(b.locals, v)
		b.services[n.id] = v
	}
	return v
}

// parts returns vectors of at most four components.
func (b *builder) parts(list []*node) (out []*expr) {
	for len(list) > 4 {
		out, list = append(out, b.value(list[0])), list[1:]
		if len(list) == 4 {
			break
		}
	}
	if len(out) > 0 { // a long vector becomes scalars
		for _, n := range list {
			out = append(out, b.value(n))
		}
		return out
	}
	return []*expr{b.vector(list)}
}

// copies returns the assignments of an edge or of an exit, all of which happen at once.
func (b *builder) copies(dests []place, values []*node) []*stmt {
	type move struct {
		place
		n *node
	}
	var moves []move
	for i, d := range dests {
		if n := values[i]; n.variable != d.variable || n.comp != d.comp {
			moves = append(moves, move{d, n})
		}
	}
	reads := func(n *node, p place) bool {
		var visit func(n *node) bool
		visit = func(n *node) bool {
			if n.variable != nil {
				return n.variable == p.variable && n.comp == p.comp
			}
			return slices.ContainsFunc(n.operands(), visit)
		}
		return visit(n)
	}
	var out []*stmt
	for len(moves) > 0 {
		// A move may come first if no other move reads what it changes.
		var ready []move
		for i, m := range moves {
			free := true
			for k, o := range moves {
				if k != i && reads(o.n, m.place) {
					free = false
				}
			}
			if free {
				ready = append(ready, m)
			}
		}
		if len(ready) == 0 { // a cycle: the old value of the first one is kept aside
			m := moves[0]
			b.temps++
			v := &variable{name: b.names.unique(fmt.Sprintf("t%d", b.temps)), typ: m.n.Type()}
			b.locals = append(b.locals, v)
			out = append(out, &stmt{kind: assign, dest: v, value: b.value(m.n), addrs: b.addrs(m.n)})
			held := &node{Inst: m.n.Inst, id: m.n.id, variable: v}
			moves[0].n = held
			continue
		}
		slices.SortStableFunc(ready, func(x, y move) int {
			return cmp.Or(cmp.Compare(x.variable.name, y.variable.name), cmp.Compare(x.comp, y.comp))
		})
		first := ready[0].variable
		s := &stmt{kind: assign, dest: first}
		var list []*node
		for _, m := range ready {
			if m.variable == first {
				list = append(list, m.n)
				if first.size > 0 {
					s.comps = append(s.comps, m.comp)
				}
			}
		}
		s.addrs, s.value = b.addrs(list...), b.vector(list)
		out = append(out, b.split(s, list)...)
		moves = slices.DeleteFunc(moves, func(m move) bool {
			return slices.ContainsFunc(ready, func(r move) bool { return r.place == m.place && r.variable == first })
		})
	}
	return out
}

// split splits an assignment of a vector into assignments of its parts if several of them are computed.
func (b *builder) split(s *stmt, list []*node) []*stmt {
	computed := 0
	for _, a := range s.value.args {
		if a.form != reference && a.form != constant {
			computed++
		}
	}
	if s.value.form != construct || computed < 2 {
		return []*stmt{s}
	}
	var out []*stmt
	k := 0
	for _, a := range s.value.args {
		n := max(1, a.n)
		out = append(out, &stmt{kind: assign, dest: s.dest, comps: s.comps[k : k+n], value: a, addrs: b.addrs(list[k : k+n]...)})
		k += n
	}
	return out
}

// place is a component of a variable.
type place struct {
	variable *variable
	comp     int
}

// follow returns the assignments to the parameters of the block to which an edge leads.
func (b *builder) follow(e *flow.Edge) []*stmt {
	var dests []place
	var values []*node
	for i, q := range e.To.Params {
		p := b.nodes[q.ID]
		if p.uses == 0 {
			continue
		}
		dests, values = append(dests, place{p.variable, p.comp}), append(values, b.nodes[e.Args[i]])
	}
	return b.copies(dests, values)
}

// exit returns the assignments to the outputs at the end of the program.
func (b *builder) exit(end *flow.Terminator) []*stmt {
	var dests []place
	var values []*node
	writers := map[place]uint64{}
	for _, o := range end.Outputs {
		r := register{o.Variable.State, o.Variable.Number}
		x, k := b.outputs[r], o.Variable.Comp
		if x == nil {
			continue
		}
		if x.size == 0 {
			k = 0
		}
		dests, values = append(dests, place{x, k}), append(values, b.nodes[o.ID])
		if list := b.p.Writers[o.Variable]; len(list) == 1 {
			writers[place{x, k}] = list[0]
		}
	}
	out := b.copies(dests, values)
	for _, s := range out { // a move computes nothing, so that no operation has its address
		comps := s.comps
		if s.dest != nil && s.dest.size == 0 {
			comps = []int{0}
		}
		for _, k := range comps {
			if addr, ok := writers[place{s.dest, k}]; ok {
				s.addrs = b.withAddr(s.addrs, addr)
			}
		}
	}
	return out
}

// tree returns the statements of structured code. next is the block that follows it.
func (b *builder) tree(list []*flow.Tree, next *flow.Block) []*stmt {
	var out []*stmt
	for i, t := range list {
		after := next
		if i+1 < len(list) {
			after = firstBlock(list[i+1:])
		}
		switch t.Kind {
		case flow.Code:
			out = append(out, b.code(t.Block)...)
		case flow.If:
			n := b.nodes[t.Block.End.Cond]
			s := &stmt{kind: branch, value: b.value(n), addrs: b.withAddr(b.addrs(n), t.Block.End.Addr), decides: b.decides[t.Block]}
			s.body, s.els = b.tree(t.Body, after), b.tree(t.Else, after)
			out = append(out, s)
		case flow.Loop:
			body := b.tree(t.Body, t.Block)
			out = append(out, &stmt{kind: loop, block: t.Block, after: next, body: body})
		case flow.Scope:
			out = append(out, &stmt{kind: once, block: t.Block, body: b.tree(t.Body, t.Block)})
		case flow.Go:
			out = append(out, b.follow(t.Edge)...)
			if t.Edge.To != after {
				out = append(out, &stmt{kind: leave, block: t.Edge.To})
			}
		case flow.End:
			out = append(out, b.finish(&t.Block.End)...)
		}
	}
	return out
}

// finish returns the statements at the end of the program.
func (b *builder) finish(end *flow.Terminator) []*stmt {
	s := &stmt{kind: finish}
	if end.Kind == flow.Stop {
		b.stops = true
		s.loop, s.text, s.addrs = true, end.Text, []uint64{end.Addr}
	}
	return append(b.exit(end), s)
}

// firstBlock returns the block with which code starts, or nil.
func firstBlock(list []*flow.Tree) *flow.Block {
	for len(list) > 0 {
		switch t := list[0]; t.Kind {
		case flow.Code, flow.Loop:
			return t.Block
		case flow.Scope:
			list = t.Body
		default:
			return nil
		}
	}
	return nil
}
