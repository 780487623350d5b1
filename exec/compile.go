package exec

import (
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

func popcount(m uint64) int { return mathbits.OnesCount64(m) }
func trailing(m uint64) int { return mathbits.TrailingZeros64(m) }

// compiled is an instruction that was compiled for one wave, in two forms. parts is for diverged lanes. whole is for a
// wave whose lanes all run the instruction with equal stacks: it computes values that depend only on the stacks once
// for all lanes, and computes other values directly in their registers. Each form is compiled at its first use.
type compiled struct {
	code         *sem.Code
	parts, whole []step
	// stacks are the stacks that whole assumes to be even, and same are the slots that it assumes to be equal in all
	// lanes.
	stacks []*store
	same   []uint64
	// atomic is set if the instruction has an atomic region. It then always runs in the form for diverged lanes.
	atomic bool
	next   uint64
	err    error
}

// step is one operation, which may be nil, and an optional skip. If skip is set and the guard holds in no lane, the
// step with this number is next.
type step struct {
	run   func(w *Wave)
	guard guard
	skip  int
	cond  sem.ID // the value of the guard
}

func (c *compiled) run(w *Wave) {
	// A trace needs each step. One lane gains nothing from the form for all lanes, which takes longer to compile.
	if w.width > 1 && w.active == w.whole && w.Trace == nil && !c.atomic && c.level() {
		if c.whole == nil {
			c.prepareWhole(w)
		}
		run(w, c.whole)
		return
	}
	if c.parts == nil {
		c.parts = newCompiler(w, c.code).compile()
	}
	run(w, c.parts)
}

// level reports whether the stacks are even. It discards whole if the assumptions about slots no longer hold.
func (c *compiled) level() bool {
	for i, st := range c.stacks {
		if !st.even {
			return false
		}
		if st.same&c.same[i] != c.same[i] {
			c.whole = nil
		}
	}
	return true
}

// watch records the stacks that an instruction uses, before whole is compiled.
func (c *compiled) watch(w *Wave) {
	for i := range c.code.Insts {
		if s := c.code.Insts[i].State; s != nil && s.Kind == sem.StackState && s.Scope < spec.ScopeWave && !slices.Contains(c.stacks, w.stores[s.Index]) {
			c.stacks, c.same = append(c.stacks, w.stores[s.Index]), append(c.same, 0)
		}
	}
}

// prepareWhole compiles the form for all lanes, with the present stacks.
func (c *compiled) prepareWhole(w *Wave) {
	code := c.code
	if w.has(code) {
		code = code.Whole()
	}
	n := newCompiler(w, code)
	n.whole = true
	n.assume(c.stacks)
	c.stacks, c.same = nil, nil
	for st, same := range n.same {
		c.stacks, c.same = append(c.stacks, st), append(c.same, same)
	}
	c.whole = n.compile()
}

// has reports whether the wave has all registers with constant numbers in code. A write to a missing register has no
// effect.
func (w *Wave) has(code *sem.Code) bool {
	return !slices.ContainsFunc(code.Insts, func(in sem.Inst) bool {
		return (in.Op == sem.OpRead || in.Op == sem.OpWrite) && int(in.Imm) >= w.stores[in.State.Index].count
	})
}

func run(w *Wave, steps []step) {
	for i := 0; i < len(steps); {
		s := &steps[i]
		i++
		if s.run != nil {
			s.run(w)
		}
		if s.skip > 0 && s.guard.of(w) == 0 {
			i = s.skip
		}
	}
}

// guard selects the lanes in which an operation has an effect. If cell is nil, these are all active lanes.
type guard struct {
	cell    *uint64
	uniform bool
}

func (g guard) of(w *Wave) uint64 {
	switch {
	case g.cell == nil:
		return w.active
	case !g.uniform:
		return *g.cell & w.active
	case *g.cell != 0:
		return w.active
	}
	return 0
}

// loc is the location of a value: one number for all lanes, a mask of lanes, or a plane.
type loc struct {
	scalar *uint64 // of a uniform value
	mask   *uint64 // of a condition that lanes have separately
	plane  *plane
}

// lane returns the value in one lane.
func (l loc) lane(i int) uint64 {
	switch {
	case l.plane != nil:
		return l.plane[i]
	case l.mask != nil:
		return *l.mask >> uint(i) & 1
	}
	return *l.scalar
}

// compiler compiles one instruction.
type compiler struct {
	w     *Wave
	code  *sem.Code
	whole bool
	// same holds the even stacks, and for each the slots that are equal in all lanes.
	same    map[*store]uint64
	uniform []bool // whether the value is equal in all lanes
	locs    []loc
	owned   []bool   // whether the plane of a value belongs to the value
	homes   []*plane // the register in which a value is computed, or nil
	done    []bool   // whether an operation was compiled with another one
	inside  []bool   // whether an operation is compiled with its only user
	last    []int    // the last use of a value
	free    []*plane
	steps   []step
	start   []int  // the first step of each operation
	first   int    // the first step of the current block
	target  []bool // whether a skip goes to the operation
	stays   []bool // whether a select writes over its last argument
	used    int    // number of planes of the wave that are in use
	checks  *checks
	spreads map[*uint64]*spreadValue
	sources map[sem.ID]*uint64 // for carried values: the lanes in which their source was written
	// atomic is set while an atomic region is compiled.
	atomic bool
	// seen is set if lanes read values of other lanes. Values are then necessary in all existing lanes.
	seen bool
}

// counts returns the lanes in which values are necessary.
func (c *compiler) counts(w *Wave) uint64 {
	if c.seen {
		return w.exists
	}
	return w.active
}

// reads returns the lanes that read under a guard. If lanes read values of other lanes, these are all existing lanes.
func (c *compiler) reads(w *Wave, g guard) uint64 {
	if c.seen {
		return w.exists
	}
	return g.of(w)
}

func newCompiler(w *Wave, code *sem.Code) *compiler {
	n := len(code.Insts)
	c := &compiler{w: w, code: code, spreads: map[*uint64]*spreadValue{}, uniform: make([]bool, n), locs: make([]loc, n), owned: make([]bool, n), homes: make([]*plane, n), done: make([]bool, n), inside: make([]bool, n), last: make([]int, n), start: make([]int, n+1), target: make([]bool, n+1), stays: make([]bool, n), sources: map[sem.ID]*uint64{}}
	for i := range code.Insts {
		c.last[i] = i
		c.seen = c.seen || code.Insts[i].Op == sem.OpFrom
		code.Insts[i].EachArg(func(a sem.ID) { c.last[a] = i })
	}
	return c
}

func (c *compiler) compile() []step {
	c.spread()
	c.findJoins()
	if c.whole {
		c.findHomes()
	}
	if c.w.turn != nil && slices.ContainsFunc(c.code.Insts, c.w.inTurn) {
		c.add(func(w *Wave) { w.turn() })
	}
	c.clearInstruction()
	c.block(0, len(c.code.Insts))
	return append([]step{}, c.steps...)
}

// inTurn reports whether an operation writes shared state, or reads shared state that programs can write.
func (w *Wave) inTurn(in sem.Inst) bool {
	if in.State == nil || slices.Contains(w.own, w.stores[in.State.Index]) {
		return false
	}
	switch in.Op {
	case sem.OpWrite, sem.OpWriteX, sem.OpStore, sem.OpPush, sem.OpPop:
		return true
	}
	return w.Program.Machine.sem.Writes(in.State)
}

// block compiles the operations from from up to to. Values of an atomic region keep their planes until its end, because
// its operations run again for other lanes.
func (c *compiler) block(from, to int) {
	first := len(c.steps)
	c.first, c.checks = first, nil
	for i := from; i < to; i++ {
		c.start[i] = len(c.steps)
		if in := &c.code.Insts[i]; in.Op == sem.OpAtomic {
			c.region(sem.ID(i), in)
			i = int(in.Imm) - 1
			continue
		}
		if !c.done[i] {
			c.inst(sem.ID(i))
		}
		if !c.atomic {
			c.release(i)
		}
	}
	c.start[to] = len(c.steps)
	for i := first; i < len(c.steps); i++ {
		if s := &c.steps[i]; s.skip > 0 {
			s.skip = c.start[c.landing(s)]
		}
	}
}

// assume records assumptions about even stacks, except for those that the instruction invalidates.
func (c *compiler) assume(stacks []*store) {
	c.same = map[*store]uint64{}
	for _, st := range stacks {
		c.same[st] = st.same
	}
	for again := true; again; {
		c.spread()
		again = false
		for i := range c.code.Insts {
			again = c.giveUp(&c.code.Insts[i]) || again
		}
	}
}

// landing returns the operation to which a skip goes. It leaves out a select that has no effect if the guard holds in
// no lane.
func (c *compiler) landing(s *step) int {
	if to := s.skip; to < len(c.code.Insts) && c.stays[to] && c.code.Insts[to].A == s.cond {
		return to + 1
	}
	return s.skip
}

// skip compiles a skip, if possible as a part of the step before it. There are no skips if lanes read values of other
// lanes, because the guard may hold in those lanes.
func (c *compiler) skip(id sem.ID, in *sem.Inst) {
	if c.seen && !c.uniform[in.Guard] {
		return
	}
	n := len(c.steps)
	if n == c.first || c.steps[n-1].skip > 0 || c.target[id] {
		c.add(nil)
		n++
	}
	s := &c.steps[n-1]
	s.guard, s.skip, s.cond = c.guardOf(in.Guard), int(in.Imm), in.Guard
	c.target[in.Imm], c.checks = true, nil
}

// giveUp drops the assumptions about a stack that an operation invalidates, and reports whether there were any.
func (c *compiler) giveUp(in *sem.Inst) bool {
	if in.Op != sem.OpPush && in.Op != sem.OpPop {
		return false
	}
	st := c.w.stores[in.State.Index]
	same, ok := c.same[st]
	if !ok {
		return false
	}
	if in.Guard != sem.NoID && !c.uniform[in.Guard] {
		delete(c.same, st)
		return true
	}
	for i, a := range in.Args() {
		if !c.uniform[a] {
			same &^= 1 << uint(i)
		}
	}
	gone := same != c.same[st]
	c.same[st] = same
	return gone
}

// spread determines which values are uniform.
func (c *compiler) spread() {
	for i := range c.code.Insts {
		c.uniform[i] = c.isUniform(&c.code.Insts[i])
	}
}

func (c *compiler) isUniform(in *sem.Inst) bool {
	if in.Uniform || in.Op == sem.OpConst {
		return true
	}
	switch in.Op {
	case sem.OpTop, sem.OpDepth, sem.OpEmpty:
		same, ok := c.same[c.w.stores[in.State.Index]]
		return ok && (in.Op != sem.OpTop || same>>uint(in.Comp)&1 != 0)
	}
	if !in.Op.Pure() {
		return false
	}
	for _, a := range [3]sem.ID{in.A, in.B, in.C} {
		if a != sem.NoID && !c.uniform[a] {
			return false
		}
	}
	return true
}

// clearInstruction resets the states of instruction scope that the instruction uses.
func (c *compiler) clearInstruction() {
	seen := map[*sem.State]bool{}
	for i := range c.code.Insts {
		s := c.code.Insts[i].State
		if s == nil || s.Scope != spec.ScopeInstruction || seen[s] {
			continue
		}
		seen[s] = true
		st := c.w.stores[s.Index]
		c.add(func(w *Wave) { st.reset(w.exists) })
	}
}

func (c *compiler) add(run func(w *Wave)) {
	c.steps = append(c.steps, step{run: run})
	c.checks = nil
}

// release frees the planes of values whose last use is an operation.
func (c *compiler) release(i int) {
	free := func(a sem.ID) {
		if c.last[a] == i && c.owned[a] {
			c.owned[a] = false
			c.free = append(c.free, c.locs[a].plane)
		}
	}
	c.code.Insts[i].EachArg(func(a sem.ID) {
		if free(a); c.inside[a] {
			c.code.Insts[a].EachArg(free)
		}
	})
	free(sem.ID(i)) // of an unused value
}

// aliases reports whether a read of a register may use the register's own plane, because the register is not written
// before the last use of the value.
func (c *compiler) aliases(a sem.ID) bool {
	in := &c.code.Insts[a]
	for i := int(a) + 1; i < c.last[a]; i++ {
		if o := &c.code.Insts[i]; o.Op == sem.OpWriteX && o.State == in.State || o.Op == sem.OpWrite && sameRegister(o, in) {
			return false
		}
	}
	return true
}

func sameRegister(a, b *sem.Inst) bool {
	return a.State == b.State && a.Comp == b.Comp && a.Imm == b.Imm
}

// findHomes finds values that can be computed in their destination register: all lanes write the register, and no
// operation reads it in between.
func (c *compiler) findHomes() {
	for i := len(c.code.Insts) - 1; i >= 0; i-- {
		in := &c.code.Insts[i]
		switch {
		case in.Op == sem.OpWrite && in.Guard == sem.NoID && in.Type().Kind != sem.Bool:
			st := c.w.stores[in.State.Index]
			if k := int(in.Imm)*st.comps + in.Comp; !st.wide() && int(in.Imm) < st.count && c.lives(in.B, i, in) {
				c.homes[in.B] = &st.planes[k]
			}
		case in.Op == sem.OpSelect && c.homes[i] != nil: // a select writes over one of its arguments
			for _, a := range [2]sem.ID{in.C, in.B} {
				write := c.writeOf(i)
				if c.last[a] == i && write >= 0 && c.lives(a, write, &c.code.Insts[write]) {
					c.homes[a] = c.homes[i]
					break
				}
			}
		}
	}
}

// writeOf returns the operation that writes a value to its home.
func (c *compiler) writeOf(v int) int {
	for i := v + 1; i <= c.last[v]; i++ {
		in := &c.code.Insts[i]
		if in.Op == sem.OpWrite && in.B == sem.ID(v) && in.Guard == sem.NoID && &c.w.stores[in.State.Index].planes[int(in.Imm)*c.w.stores[in.State.Index].comps+in.Comp] == c.homes[v] {
			return i
		}
	}
	return -1
}

// lives reports whether a value can be in a register from its computation to the write of the register.
func (c *compiler) lives(v sem.ID, at int, write *sem.Inst) bool {
	if !c.code.Insts[v].Op.Pure() || c.uniform[v] || c.homes[v] != nil {
		return false
	}
	for i := range c.code.Insts {
		in := &c.code.Insts[i]
		switch {
		case i <= int(v): // values that were read before must not be used later
			if in.Op == sem.OpRead && sameRegister(in, write) && c.last[i] > int(v) {
				return false
			}
		case i > max(at, c.last[v]) || i == at:
		case in.Op == sem.OpService, in.State == write.State && (in.Op == sem.OpReadX || in.Op == sem.OpWriteX):
			return false
		case (in.Op == sem.OpRead && i < at || in.Op == sem.OpWrite) && sameRegister(in, write):
			return false
		}
	}
	return true
}

func (c *compiler) newPlane() *plane {
	if n := len(c.free); n > 0 {
		p := c.free[n-1]
		c.free = c.free[:n-1]
		return p
	}
	if c.used == len(c.w.temps) {
		c.w.temps = append(c.w.temps, new(plane))
	}
	c.used++
	return c.w.temps[c.used-1]
}

// place allocates the location of a value.
func (c *compiler) place(id sem.ID) loc {
	var l loc
	switch {
	case c.uniform[id]:
		l.scalar = new(uint64)
	case c.code.Insts[id].Type().Kind == sem.Bool:
		l.mask = new(uint64)
	case c.homes[id] != nil:
		l.plane = c.homes[id]
	default:
		l.plane = c.newPlane()
		c.owned[id] = true
	}
	c.locs[id] = l
	return l
}

// constPlane returns a plane that holds a constant.
func (w *Wave) constPlane(v uint64) *plane {
	p := w.consts[v]
	if p == nil {
		p = new(plane)
		fill(p[:], v)
		w.consts[v] = p
	}
	return p
}

func fill(p []uint64, v uint64) {
	for i := range p {
		p[i] = v
	}
}

// spreadValue is a plane with a copy of a uniform value in all lanes. The copy is updated when the value has changed.
type spreadValue struct {
	from  *uint64
	value uint64
	plane plane
}

// planeOf returns an argument of an operation as a plane.
func (c *compiler) planeOf(id sem.ID) *plane {
	if in := &c.code.Insts[id]; in.Op == sem.OpConst {
		return c.w.constPlane(in.Imm)
	}
	l := c.locs[id]
	if l.plane != nil {
		return l.plane
	}
	if l.mask != nil {
		panic("a condition has no plane")
	}
	s := c.spreads[l.scalar]
	if s == nil {
		s = &spreadValue{from: l.scalar}
		c.spreads[l.scalar] = s
	}
	n := c.w.width
	c.add(func(*Wave) {
		if v := *s.from; v != s.value {
			s.value = v
			fill(s.plane[:n], v)
		}
	})
	return &s.plane
}

// maskOf returns a condition of an operation as a mask.
func (c *compiler) maskOf(id sem.ID) *uint64 {
	if in := &c.code.Insts[id]; in.Op == sem.OpConst {
		m := -in.Imm
		return &m
	}
	l := c.locs[id]
	if l.mask != nil {
		return l.mask
	}
	m := new(uint64)
	c.add(func(*Wave) { *m = -*l.scalar })
	return m
}

func (c *compiler) guardOf(id sem.ID) guard {
	switch {
	case id == sem.NoID:
		return guard{}
	case c.uniform[id]:
		return guard{c.locs[id].scalar, true}
	}
	return guard{c.locs[id].mask, false}
}

// inst compiles one operation.
func (c *compiler) inst(id sem.ID) {
	in := &c.code.Insts[id]
	switch {
	case in.Op == sem.OpConst:
		v := in.Imm
		c.locs[id] = loc{scalar: &v}
	case in.Op == sem.OpSkip:
		c.skip(id, in)
	case in.Op == sem.OpSplat:
		c.locs[id] = c.locs[in.A]
	case in.Op.Pure():
		c.pure(id, in)
	default:
		c.effect(id, in)
	}
}

// pure compiles an operation without effects.
func (c *compiler) pure(id sem.ID, in *sem.Inst) {
	if c.uniform[id] {
		c.scalarKernel(id, in)
		return
	}
	if c.maskKernel(id, in) || c.planeKernel(id, in) {
		return
	}
	var args [3]loc
	for i, a := range [3]sem.ID{in.A, in.B, in.C} {
		if args[i] = (loc{scalar: new(uint64)}); a != sem.NoID {
			args[i] = c.locs[a]
		}
	}
	d := c.place(id)
	if d.mask != nil {
		c.add(func(w *Wave) {
			var m uint64
			for left := c.counts(w); left != 0; left &= left - 1 {
				i := trailing(left)
				m |= sem.Apply(in, args[0].lane(i), args[1].lane(i), args[2].lane(i)) << uint(i)
			}
			*d.mask = m
		})
		return
	}
	c.add(func(w *Wave) {
		for left := c.counts(w); left != 0; left &= left - 1 {
			i := trailing(left)
			d.plane[i] = sem.Apply(in, args[0].lane(i), args[1].lane(i), args[2].lane(i))
		}
	})
}

// effect compiles an operation that reads or changes state.
func (c *compiler) effect(id sem.ID, in *sem.Inst) {
	g := c.guardOf(in.Guard)
	var st *store
	if in.State != nil {
		st = c.w.stores[in.State.Index]
	}
	switch in.Op {
	case sem.OpRead:
		c.read(id, in, st, g)
	case sem.OpReadX:
		c.readX(id, in, st, g)
	case sem.OpWrite:
		handed := c.handed(in)
		c.write(in, st, g)
		c.carry(in, st, g, handed)
	case sem.OpWriteX:
		c.writeX(in, st, g)
	case sem.OpLoad, sem.OpStore:
		c.memory(id, in, st, g)
	case sem.OpTop, sem.OpDepth, sem.OpEmpty, sem.OpPush, sem.OpPop:
		c.stack(id, in, st, g)
	case sem.OpLane, sem.OpExists, sem.OpAny, sem.OpAll, sem.OpBallot, sem.OpFrom, sem.OpLanesOf:
		c.lanes(id, in, g)
	case sem.OpJump:
		a := c.locs[in.A]
		c.add(func(w *Wave) {
			m := g.of(w)
			w.jumped = m
			if a.scalar != nil && m == w.active {
				w.along, w.pcs[0] = true, *a.scalar
				return
			}
			for ; m != 0; m &= m - 1 {
				i := trailing(m)
				w.pcs[i] = a.lane(i)
			}
		})
	case sem.OpEnd:
		c.add(func(w *Wave) {
			w.inner.there = false // the program ends at the program counter
			w.stop(g.of(w), "end", "")
		})
	case sem.OpTrap:
		c.add(func(w *Wave) { w.stop(g.of(w), "trap", in.Text()) })
	case sem.OpRun:
		root, _ := c.w.Program.Machine.sem.Model.Root(in.Text()) // which exists, because the description was checked
		at := inner{true, root.ByteOffset(in.Imm)}
		c.add(func(w *Wave) {
			w.inner = at
			m := g.of(w)
			if m != 0 {
				w.Instructions++
				w.LaneInstructions += int64(popcount(m))
			}
			if w.Trace != nil {
				w.Trace(w, Event{Runs, w.pc, m, int(id)})
			}
		})
	case sem.OpUnknown:
		c.add(func(w *Wave) { w.unknown(in.Text(), g.of(w)) })
	case sem.OpBarrier:
		a, b := c.locs[in.A], c.locs[in.B]
		c.add(func(w *Wave) {
			if m := g.of(w); m != 0 {
				lane := trailing(m)
				w.barrier = barrier{there: true, number: a.lane(lane), count: b.lane(lane), arrives: in.Imm&sem.Arrives != 0, waits: in.Imm&sem.Waits != 0, pc: w.pc}
			}
		})
	case sem.OpService:
		c.service(id, in, g)
	case sem.OpResult:
		p := c.results(in.A)[in.Comp]
		if in.Type().Kind != sem.Bool {
			c.locs[id] = loc{plane: p}
			break
		}
		d := c.place(id).mask
		c.add(func(*Wave) {
			*d = 0
			for i, v := range p {
				if v != 0 { // any nonzero result of a host callback is true
					*d |= 1 << uint(i)
				}
			}
		})
	}
}

func (c *compiler) read(id sem.ID, in *sem.Inst, st *store, g guard) {
	number, comp := int(in.Imm), in.Comp
	if number >= st.count {
		c.add(func(w *Wave) { w.noRegister(st, g.of(w)) })
		c.constant(id, in.State.OutsideBits)
		return
	}
	k := number*st.comps + comp
	switch {
	case in.Carried() && c.written(in.State): // perhaps before the copy
		from, known := &st.written[k], new(uint64)
		c.sources[id] = known
		c.add(func(*Wave) { *known = *from })
	case in.Carried():
		c.sources[id] = &st.written[k]
	case in.State.Undefined && !in.Kept():
		c.check(g, check{st, number, comp, &st.written[k]})
	}
	switch {
	case st.wide():
		c.locs[id] = loc{scalar: &st.scalars[k]}
		if c.written(in.State) {
			from, d := &st.scalars[k], c.place(id).scalar
			c.add(func(*Wave) { *d = *from })
		}
	case in.Type().Kind == sem.Bool:
		p, d := &st.planes[k], c.place(id).mask
		c.add(func(w *Wave) { *d = maskOfPlane(p) })
	case c.aliases(id):
		c.locs[id] = loc{plane: &st.planes[k]}
	default:
		p, d := &st.planes[k], c.place(id).plane
		c.add(func(*Wave) { *d = *p })
	}
}

// checks are reads under one guard that may read unwritten components.
type checks struct {
	guard guard
	list  []check
}

type check struct {
	st           *store
	number, comp int
	written      *uint64
}

// check adds a check, if possible to the checks before it.
func (c *compiler) check(g guard, x check) {
	if c.checks != nil && c.checks.guard == g {
		c.checks.list = append(c.checks.list, x)
		return
	}
	n := &checks{g, []check{x}}
	c.add(func(w *Wave) {
		m, all := n.guard.of(w)&w.lanes, ^uint64(0)
		for i := range n.list {
			all &= *n.list[i].written
		}
		if m&^all != 0 {
			n.report(w, m)
		}
	})
	c.checks = n
}

func (n *checks) report(w *Wave, m uint64) {
	for _, x := range n.list {
		if lanes := m &^ *x.written; lanes != 0 {
			w.unwritten(x.st, x.number, x.comp, lanes)
		}
	}
}

// handed returns the lanes in which the source of a copy was written, or nil for all lanes.
func (c *compiler) handed(in *sem.Inst) *uint64 {
	var sources []*uint64
	for _, id := range c.code.Sources(in) {
		sources = append(sources, c.sources[id])
	}
	if len(sources) == 0 {
		return nil
	}
	all := new(uint64)
	c.add(func(*Wave) {
		*all = *sources[0]
		for _, s := range sources[1:] {
			*all &= *s
		}
	})
	return all
}

// carry marks a register as unwritten in the lanes in which an unwritten value was copied to it.
func (c *compiler) carry(in *sem.Inst, st *store, g guard, handed *uint64) {
	if handed == nil {
		return
	}
	written := &st.written[int(in.Imm)*st.comps+in.Comp]
	st.carried = true
	c.add(func(w *Wave) { *written &^= g.of(w) &^ *handed })
}

// written reports whether the instruction writes a state.
func (c *compiler) written(s *sem.State) bool {
	for i := range c.code.Insts {
		if in := &c.code.Insts[i]; in.State == s && (in.Op == sem.OpWrite || in.Op == sem.OpWriteX) {
			return true
		}
	}
	return false
}

// constant sets the location of a constant.
func (c *compiler) constant(id sem.ID, v uint64) {
	in := &c.code.Insts[id]
	switch {
	case c.uniform[id]:
		c.locs[id] = loc{scalar: &v}
	case in.Type().Kind == sem.Bool:
		m := -v
		c.locs[id] = loc{mask: &m}
	default:
		c.locs[id] = loc{plane: c.w.constPlane(v)}
	}
}

func maskOfPlane(p *plane) uint64 {
	var m uint64
	for i, v := range p {
		m |= v << uint(i)
	}
	return m
}

// noRegister stops lanes that access a missing register, if that is a trap.
func (w *Wave) noRegister(st *store, lanes uint64) {
	if st.state.Outside == sem.OutsideTrap {
		w.stop(lanes, "trap", st.state.Name+" has no such register")
	}
}

// number returns the register for an index. ok is false if the index is outside the file.
func (st *store) number(n uint64) (int, bool) {
	if n < uint64(st.count) {
		return int(n), true
	}
	if st.state.Outside == sem.OutsideWrap {
		return int(n % uint64(st.count)), true
	}
	return 0, false
}

func (c *compiler) readX(id sem.ID, in *sem.Inst, st *store, g guard) {
	a, comp := c.locs[in.A], in.Comp
	from := c.code.Insts[in.A].Type()
	known := new(uint64)
	if in.Carried() {
		c.sources[id] = known
		c.add(func(*Wave) { *known = ^uint64(0) })
	}
	read := func(w *Wave, lane int) uint64 {
		n, ok := st.number(index(from, a.lane(lane)))
		if !ok {
			lanes := g.of(w)
			if !c.uniform[id] {
				lanes &= 1 << uint(lane)
			}
			w.noRegister(st, lanes)
			return st.state.OutsideBits
		}
		if st.state.Undefined && !in.Kept() {
			if lanes := g.of(w) & w.lanes & (1 << uint(lane)) &^ st.written[n*st.comps+comp]; in.Carried() {
				*known &^= lanes
			} else if lanes != 0 {
				w.unwritten(st, n, comp, lanes)
			}
		}
		return st.get(n, comp, lane)
	}
	d := c.place(id)
	switch {
	case d.scalar != nil:
		c.add(func(w *Wave) { *d.scalar = read(w, trailing(w.active|1<<63)) })
	case d.mask != nil:
		c.add(func(w *Wave) {
			var m uint64
			each(c.counts(w), func(i int) { m |= read(w, i) << uint(i) })
			*d.mask = m
		})
	default:
		c.add(func(w *Wave) {
			for m := c.counts(w); m != 0; m &= m - 1 {
				i := trailing(m)
				d.plane[i] = read(w, i)
			}
		})
	}
}

// index returns the number of a register. A negative number becomes one outside every file.
func index(t sem.Type, v uint64) uint64 {
	if t.Kind == sem.Sint && t.Width < 64 {
		return uint64(int64(v<<uint(64-t.Width)) >> uint(64-t.Width))
	}
	return v
}

func (c *compiler) write(in *sem.Inst, st *store, g guard) {
	number := int(in.Imm)
	if number >= st.count {
		c.add(func(w *Wave) { w.noRegister(st, g.of(w)) })
		return
	}
	k := number*st.comps + in.Comp
	st.use(k)
	if st.wide() {
		v := c.locs[in.B].scalar
		c.add(func(w *Wave) {
			if g.of(w) != 0 {
				st.scalars[k], st.written[k] = *v, ^uint64(0)
			}
		})
		return
	}
	p := &st.planes[k]
	if in.Type().Kind == sem.Bool {
		v := c.maskOf(in.B)
		c.add(func(w *Wave) {
			m := g.of(w)
			st.written[k] |= m
			for ; m != 0; m &= m - 1 {
				i := trailing(m)
				p[i] = *v >> uint(i) & 1
			}
		})
		return
	}
	written := &st.written[k]
	if l := c.locs[in.B]; l.plane == p && in.Guard == sem.NoID {
		c.add(func(w *Wave) { *written |= w.active })
		return
	} else if l.scalar != nil {
		c.add(func(w *Wave) {
			m := g.of(w)
			*written |= m
			if m == w.whole {
				fill(p[:w.width], *l.scalar)
				return
			}
			for ; m != 0; m &= m - 1 {
				p[trailing(m)] = *l.scalar
			}
		})
		return
	}
	v := c.planeOf(in.B)
	c.add(func(w *Wave) {
		m := g.of(w)
		*written |= m
		if m == w.whole {
			copy(p[:w.width], v[:w.width])
			return
		}
		for ; m != 0; m &= m - 1 {
			i := trailing(m)
			p[i] = v[i]
		}
	})
}

func (c *compiler) writeX(in *sem.Inst, st *store, g guard) {
	a, v, comp := c.locs[in.A], c.locs[in.B], in.Comp
	from := c.code.Insts[in.A].Type()
	c.add(func(w *Wave) {
		m := g.of(w)
		step := uint64(1) // mask of the lanes that write together
		if st.wide() {
			step = m
		}
		for ; m != 0; m &^= step {
			lane := trailing(m)
			if !st.wide() {
				step = 1 << uint(lane)
			}
			if n, ok := st.number(index(from, a.lane(lane))); ok {
				st.set(n, comp, lane, v.lane(lane))
			} else {
				w.noRegister(st, step)
			}
		}
	})
}

func (c *compiler) stack(id sem.ID, in *sem.Inst, st *store, g guard) {
	switch in.Op {
	case sem.OpDepth:
		d := c.place(id)
		if d.scalar != nil {
			c.add(func(*Wave) { *d.scalar = uint64(st.depth[0]) })
			return
		}
		c.add(func(*Wave) {
			for i := range d.plane {
				d.plane[i] = uint64(st.depthIn(i))
			}
		})
	case sem.OpEmpty:
		d := c.place(id)
		if d.scalar != nil {
			c.add(func(*Wave) { *d.scalar = boolean(st.some == 0) })
			return
		}
		c.add(func(*Wave) { *d.mask = ^st.some })
	case sem.OpTop:
		c.top(id, in, st, g)
	case sem.OpPush:
		c.push(in, st, g)
	case sem.OpPop:
		c.add(func(w *Wave) {
			m := g.of(w)
			switch {
			case m == 0:
			case st.wide() || st.even && m == w.whole:
				if !st.pop(0) {
					w.stop(m, "trap", "stack "+st.state.Name+" is empty")
				}
				if st.depth[0] == 0 {
					st.some, st.same = 0, ^uint64(0)
				}
			default:
				st.part()
				each(m, func(lane int) {
					if !st.pop(lane) {
						w.stop(1<<uint(lane), "trap", "stack "+st.state.Name+" is empty")
					}
				})
				st.level()
			}
		})
	}
}

func (c *compiler) push(in *sem.Inst, st *store, g guard) {
	args := make([]loc, len(in.Args()))
	for i, a := range in.Args() {
		args[i] = c.locs[a]
	}
	full := "stack " + st.state.Name + " is full"
	one := func(w *Wave, lane int) {
		if !st.push(lane, func(i int) uint64 { return args[i].lane(lane) }) {
			w.stop(1<<uint(lane), "trap", full)
		}
	}
	c.add(func(w *Wave) {
		m := g.of(w)
		switch {
		case m == 0:
		case st.wide():
			if !st.push(0, func(i int) uint64 { return args[i].lane(0) }) {
				w.stop(m, "trap", full)
			}
		case st.even && m == w.whole:
			at, ok := st.grow(0)
			if !ok {
				w.stop(m, "trap", full)
				return
			}
			st.some = ^uint64(0)
			for i, a := range args {
				p := &st.planes[at*st.comps+i]
				if a.scalar != nil {
					fill(p[:], *a.scalar)
					continue
				}
				st.same &^= 1 << uint(i)
				for lane := range p {
					p[lane] = a.lane(lane)
				}
			}
		default:
			st.part()
			each(m, func(lane int) { one(w, lane) })
		}
	})
}

func (c *compiler) top(id sem.ID, in *sem.Inst, st *store, g guard) {
	k, slot := int(in.Imm), in.Comp
	read := func(w *Wave, lane int) uint64 {
		at, ok := st.entry(k, lane)
		if !ok {
			if st.state.EmptyTraps {
				lanes := uint64(1) << uint(lane)
				if c.uniform[id] {
					lanes = w.active
				}
				w.stop(lanes&g.of(w), "trap", "stack "+st.state.Name+" is empty")
			}
			return 0
		}
		return st.get(at, slot, lane)
	}
	d := c.place(id)
	switch {
	case d.scalar != nil:
		c.add(func(w *Wave) { *d.scalar = read(w, 0) })
	case d.mask != nil:
		c.add(func(w *Wave) {
			var m uint64
			each(c.reads(w, g), func(i int) { m |= read(w, i) << uint(i) })
			*d.mask = m
		})
	default:
		c.add(func(w *Wave) {
			if at, ok := st.entry(k, 0); st.even && ok {
				*d.plane = st.planes[at*st.comps+slot]
				return
			}
			each(c.reads(w, g), func(i int) { d.plane[i] = read(w, i) })
		})
	}
}

func (c *compiler) lanes(id sem.ID, in *sem.Inst, g guard) {
	switch in.Op {
	case sem.OpLane:
		d := c.place(id).plane
		c.add(func(*Wave) {
			for i := range d {
				d[i] = uint64(i)
			}
		})
	case sem.OpExists:
		d := c.place(id).scalar
		c.add(func(w *Wave) { *d = w.exists })
	case sem.OpLanesOf:
		a, d := c.locs[in.A].scalar, c.place(id).mask
		c.add(func(w *Wave) { *d = *a })
	case sem.OpFrom:
		a, b, d := c.locs[in.A], c.locs[in.B], c.place(id)
		fetch := func(w *Wave, lane int) uint64 {
			if k := b.lane(lane); k < Lanes && w.exists>>k&1 != 0 {
				return a.lane(int(k))
			}
			return 0
		}
		switch {
		case d.scalar != nil:
			c.add(func(w *Wave) { *d.scalar = fetch(w, 0) })
		case d.mask != nil:
			c.add(func(w *Wave) {
				var m uint64
				each(w.exists, func(i int) { m |= fetch(w, i) << uint(i) })
				*d.mask = m
			})
		default:
			c.add(func(w *Wave) { each(w.exists, func(i int) { d.plane[i] = fetch(w, i) }) })
		}
	default:
		c.vote(id, in, g)
	}
}

func (c *compiler) vote(id sem.ID, in *sem.Inst, g guard) {
	a, d := c.maskOf(in.A), c.place(id).scalar
	switch in.Op {
	case sem.OpAny:
		c.add(func(w *Wave) { *d = boolean(*a&g.of(w) != 0) })
	case sem.OpAll:
		c.add(func(w *Wave) { *d = boolean(g.of(w)&^*a == 0) })
	case sem.OpBallot:
		c.add(func(w *Wave) { *d = *a & g.of(w) })
	}
}

func boolean(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// results returns the planes for the result of a host callback.
func (c *compiler) results(id sem.ID) []*plane {
	in := &c.code.Insts[id]
	r := c.w.resultPlanes[in]
	if r == nil {
		for range in.Type().Count() {
			r = append(r, new(plane))
		}
		c.w.resultPlanes[in] = r
	}
	return r
}

func (c *compiler) service(id sem.ID, in *sem.Inst, g guard) {
	service := in.Service()
	call := &Call{Wave: c.w, Results: c.results(id), service: service}
	type copied struct {
		to   *plane
		from *uint64
	}
	var masks []copied // Boolean arguments
	for _, a := range in.Args() {
		if m := c.locs[a].mask; m != nil {
			p := new(plane)
			masks = append(masks, copied{p, m})
			call.Args = append(call.Args, p)
			continue
		}
		call.Args = append(call.Args, c.planeOf(a))
	}
	c.add(func(w *Wave) {
		for i := 0; c.seen && i < len(call.Results); i++ {
			*call.Results[i] = plane{} // for the other lanes
		}
		if call.Mask = g.of(w); call.Mask == 0 {
			return
		}
		s := w.Services[service.Name]
		if s == nil {
			w.stop(call.Mask, "trap", "no host callback for "+service.Name)
			return
		}
		for _, o := range masks {
			for k := range o.to {
				o.to[k] = *o.from >> uint(k) & 1
			}
		}
		s(call)
	})
}
