package exec

import (
	mathbits "math/bits"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

func popcount(m uint64) int { return mathbits.OnesCount64(m) }
func trailing(m uint64) int { return mathbits.TrailingZeros64(m) }

// compiled is an instruction prepared for one wave: operations whose operands are places in memory.
type compiled struct {
	steps []step
	next  uint64
	err   error
}

// step is one operation. Where skip is set it goes on there if the guard holds in no lane.
type step struct {
	run   func(w *Wave)
	guard guard
	skip  int
}

func (c *compiled) run(w *Wave) { run(w, c.steps) }

func run(w *Wave, steps []step) {
	for i := 0; i < len(steps); {
		s := &steps[i]
		if s.skip > 0 {
			if s.guard.of(w) == 0 {
				i = s.skip
				continue
			}
		} else {
			s.run(w)
		}
		i++
	}
}

// guard says for which lanes an operation counts: all that run where cell is nil.
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

// loc is where a value is: one number for all lanes, a mask of lanes, or a plane.
type loc struct {
	scalar *uint64 // of what is uniform
	mask   *uint64 // of a condition in each lane
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

// compiler prepares one instruction.
type compiler struct {
	w     *Wave
	code  *sem.Code
	locs  []loc
	last  []int // where a value is used last
	free  []*plane
	steps []step
	start []int // of each operation in steps
	used  int   // planes that were taken from the wave's
	fresh map[*sem.State]bool
	// atomic tells that the operations of an atomic are prepared.
	atomic bool
}

func (w *Wave) compile(code *sem.Code) *compiled {
	n := len(code.Insts)
	c := &compiler{w: w, code: code, locs: make([]loc, n), last: make([]int, n), start: make([]int, n+1), fresh: map[*sem.State]bool{}}
	for i := range code.Insts {
		in := &code.Insts[i]
		for _, a := range append([]sem.ID{in.A, in.B, in.C, in.Guard}, in.Args...) {
			if a != sem.NoID {
				c.last[a] = i
			}
		}
	}
	c.clearInstruction()
	c.block(0, n)
	return &compiled{steps: c.steps, next: code.Next}
}

// block prepares the operations from one up to another. Values of an atomic keep their planes to its end: its
// operations are done again for other lanes.
func (c *compiler) block(from, to int) {
	first := len(c.steps)
	for i := from; i < to; i++ {
		c.start[i] = len(c.steps)
		if in := &c.code.Insts[i]; in.Op == sem.OpAtomic {
			c.region(sem.ID(i), in)
			i = int(in.Imm) - 1
			continue
		}
		c.inst(sem.ID(i))
		if !c.atomic {
			c.release(i)
		}
	}
	c.start[to] = len(c.steps)
	for i := first; i < len(c.steps); i++ {
		if s := &c.steps[i]; s.skip > 0 {
			s.skip = c.start[s.skip]
		}
	}
}

// clearInstruction gives the state that lives for one instruction its first value, where the instruction
// uses it.
func (c *compiler) clearInstruction() {
	for i := range c.code.Insts {
		s := c.code.Insts[i].State
		if s == nil || s.Scope != spec.ScopeInstruction || c.fresh[s] {
			continue
		}
		c.fresh[s] = true
		st := c.w.stores[s.Index]
		c.add(func(w *Wave) { st.reset(w.exists) })
	}
}

func (c *compiler) add(run func(w *Wave)) { c.steps = append(c.steps, step{run: run}) }

// release frees the planes of values that are not used behind an operation.
func (c *compiler) release(i int) {
	in := &c.code.Insts[i]
	for _, a := range append([]sem.ID{in.A, in.B, in.C, in.Guard}, in.Args...) {
		if a == sem.NoID || c.last[a] != i {
			continue
		}
		if p := c.locs[a].plane; p != nil && c.temporary(a) {
			c.last[a] = -1
			c.free = append(c.free, p)
		}
	}
}

// temporary tells whether the plane of a value belongs to the value.
func (c *compiler) temporary(a sem.ID) bool {
	in := &c.code.Insts[a]
	if in.Op == sem.OpConst {
		return false
	}
	return in.Op != sem.OpRead || !c.aliases(a)
}

// aliases tells whether a read of a register may use the register's own plane: nobody writes it before the
// value is used for the last time.
func (c *compiler) aliases(a sem.ID) bool {
	in := &c.code.Insts[a]
	if in.Op != sem.OpRead || in.Type.Kind == sem.Bool || in.State.Scope >= spec.ScopeWave {
		return false
	}
	last := max(c.last[a], int(a))
	if c.last[a] < 0 {
		last = len(c.code.Insts) - 1
	}
	for i := int(a) + 1; i < last; i++ {
		o := &c.code.Insts[i]
		if o.State == in.State && (o.Op == sem.OpWriteX || o.Op == sem.OpWrite && o.Comp == in.Comp && o.Imm == in.Imm) {
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

// place makes the place of a value.
func (c *compiler) place(id sem.ID) loc {
	in := &c.code.Insts[id]
	var l loc
	switch {
	case in.Uniform:
		l.scalar = new(uint64)
	case in.Type.Kind == sem.Bool:
		l.mask = new(uint64)
	default:
		l.plane = c.newPlane()
	}
	c.locs[id] = l
	return l
}

// constPlane is a plane that holds a constant.
func (w *Wave) constPlane(v uint64) *plane {
	p := w.consts[v]
	if p == nil {
		p = new(plane)
		for i := range p {
			p[i] = v
		}
		w.consts[v] = p
	}
	return p
}

// planeOf is an argument of an operation on lanes.
func (c *compiler) planeOf(id sem.ID) *plane {
	if in := &c.code.Insts[id]; in.Op == sem.OpConst {
		return c.w.constPlane(in.Imm)
	}
	return c.locs[id].plane
}

// maskOf is a condition of an operation on lanes.
func (c *compiler) maskOf(id sem.ID) *uint64 {
	if in := &c.code.Insts[id]; in.Op == sem.OpConst {
		m := -in.Imm
		return &m
	}
	return c.locs[id].mask
}

func (c *compiler) guardOf(id sem.ID) guard {
	if id == sem.NoID {
		return guard{}
	}
	in := &c.code.Insts[id]
	if in.Op == sem.OpConst {
		v := in.Imm
		return guard{&v, true}
	}
	l := c.locs[id]
	if in.Uniform {
		return guard{l.scalar, true}
	}
	return guard{l.mask, false}
}

// inst prepares one operation.
func (c *compiler) inst(id sem.ID) {
	in := &c.code.Insts[id]
	switch in.Op {
	case sem.OpConst:
		v := in.Imm
		c.locs[id] = loc{scalar: &v}
		return
	case sem.OpSkip:
		c.steps = append(c.steps, step{guard: c.guardOf(in.Guard), skip: int(in.Imm)})
		return
	}
	if in.Op >= sem.OpSplat && in.Op <= sem.OpConcat {
		c.pure(id, in)
		return
	}
	c.effect(id, in)
}

// pure prepares an operation on values.
func (c *compiler) pure(id sem.ID, in *sem.Inst) {
	if in.Uniform {
		c.uniform(id, in)
		return
	}
	if in.Op == sem.OpSplat {
		c.splat(id, in)
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
			for left := w.active; left != 0; left &= left - 1 {
				i := trailing(left)
				m |= sem.Apply(in, args[0].lane(i), args[1].lane(i), args[2].lane(i)) << uint(i)
			}
			*d.mask = m
		})
		return
	}
	c.add(func(w *Wave) {
		for left := w.active; left != 0; left &= left - 1 {
			i := trailing(left)
			d.plane[i] = sem.Apply(in, args[0].lane(i), args[1].lane(i), args[2].lane(i))
		}
	})
}

// uniform prepares an operation that is done once for all lanes.
func (c *compiler) uniform(id sem.ID, in *sem.Inst) {
	var args [3]*uint64
	for i, a := range [3]sem.ID{in.A, in.B, in.C} {
		if args[i] = new(uint64); a != sem.NoID {
			args[i] = c.locs[a].scalar
		}
	}
	d := c.place(id).scalar
	c.add(func(*Wave) { *d = sem.Apply(in, *args[0], *args[1], *args[2]) })
}

func (c *compiler) splat(id sem.ID, in *sem.Inst) {
	a, d := c.locs[in.A].scalar, c.place(id)
	if d.mask != nil {
		c.add(func(*Wave) { *d.mask = -*a })
		return
	}
	p := d.plane
	c.add(func(*Wave) {
		v := *a
		for i := range p {
			p[i] = v
		}
	})
}

// effect prepares what reads and changes state.
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
		c.write(in, st, g)
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
			w.jumped |= m
			for ; m != 0; m &= m - 1 {
				i := trailing(m)
				w.pcs[i] = a.lane(i)
			}
		})
	case sem.OpEnd:
		c.add(func(w *Wave) { w.stop(g.of(w), "end", "") })
	case sem.OpTrap:
		c.add(func(w *Wave) { w.stop(g.of(w), "trap", in.Text) })
	case sem.OpUnknown:
		c.add(func(w *Wave) { w.unknown(in.Text, g.of(w)) })
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
		c.locs[id] = loc{plane: c.results(in.A)[in.Comp]}
	}
}

func (c *compiler) read(id sem.ID, in *sem.Inst, st *store, g guard) {
	number, comp := int(in.Imm), in.Comp
	if number >= st.count {
		c.constant(id, in.State.OutsideBits)
		return
	}
	k := number*st.comps + comp
	if in.State.Undefined {
		c.add(func(w *Wave) {
			if m := g.of(w) &^ st.written[k]; m != 0 {
				w.unwritten(st, number, comp, m)
			}
		})
	}
	switch {
	case st.wide():
		c.locs[id] = loc{scalar: &st.scalars[k]}
		if c.written(in.State) {
			from, d := &st.scalars[k], c.place(id).scalar
			c.add(func(*Wave) { *d = *from })
		}
	case in.Type.Kind == sem.Bool:
		p, d := &st.planes[k], c.place(id).mask
		c.add(func(w *Wave) { *d = maskOfPlane(p) })
	case c.aliases(id):
		c.locs[id] = loc{plane: &st.planes[k]}
	default:
		p, d := &st.planes[k], c.place(id).plane
		c.add(func(*Wave) { *d = *p })
	}
}

// written tells whether the instruction writes a state.
func (c *compiler) written(s *sem.State) bool {
	for i := range c.code.Insts {
		if in := &c.code.Insts[i]; in.State == s && (in.Op == sem.OpWrite || in.Op == sem.OpWriteX) {
			return true
		}
	}
	return false
}

// constant makes a value that is the same always.
func (c *compiler) constant(id sem.ID, v uint64) {
	in := &c.code.Insts[id]
	switch {
	case in.Uniform:
		c.locs[id] = loc{scalar: &v}
	case in.Type.Kind == sem.Bool:
		m := -v
		c.locs[id] = loc{mask: &m}
	default:
		c.locs[id] = loc{plane: c.newPlane()}
		p := c.locs[id].plane
		c.add(func(*Wave) { *p = *c.w.constPlane(v) })
	}
}

func maskOfPlane(p *plane) uint64 {
	var m uint64
	for i, v := range p {
		m |= v << uint(i)
	}
	return m
}

// number returns the register that an index means; ok is false for one outside.
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
	from := c.code.Insts[in.A].Type
	read := func(w *Wave, lane int) uint64 {
		n, ok := st.number(index(from, a.lane(lane)))
		if !ok {
			if st.state.Outside == sem.OutsideTrap {
				w.stop(1<<uint(lane)&g.of(w), "trap", st.state.Name+" has no such register")
			}
			return st.state.OutsideBits
		}
		if st.state.Undefined {
			if k := n*st.comps + comp; g.of(w)&(1<<uint(lane))&^st.written[k] != 0 {
				w.unwritten(st, n, comp, 1<<uint(lane))
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
			each(w.active, func(i int) { m |= read(w, i) << uint(i) })
			*d.mask = m
		})
	default:
		c.add(func(w *Wave) {
			for m := w.active; m != 0; m &= m - 1 {
				i := trailing(m)
				d.plane[i] = read(w, i)
			}
		})
	}
}

// index reads a register's number: one below 0 is outside.
func index(t sem.Type, v uint64) uint64 {
	if t.Kind == sem.Sint && t.Width < 64 {
		return uint64(int64(v<<uint(64-t.Width)) >> uint(64-t.Width))
	}
	return v
}

func (c *compiler) write(in *sem.Inst, st *store, g guard) {
	number := int(in.Imm)
	if number >= st.count {
		return
	}
	k := number*st.comps + in.Comp
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
	if in.Type.Kind == sem.Bool {
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
	v := c.planeOf(in.B)
	c.add(func(w *Wave) {
		m := g.of(w)
		st.written[k] |= m
		if m == w.whole {
			*p = *v
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
	from := c.code.Insts[in.A].Type
	c.add(func(w *Wave) {
		m := g.of(w)
		if st.wide() && m != 0 {
			m = 1 << uint(trailing(m))
		}
		each(m, func(lane int) {
			n, ok := st.number(index(from, a.lane(lane)))
			switch {
			case ok:
				st.set(n, comp, lane, v.lane(lane))
			case st.state.Outside == sem.OutsideTrap:
				w.stop(1<<uint(lane), "trap", st.state.Name+" has no such register")
			}
		})
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
					st.some = 0
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
	args := make([]loc, len(in.Args))
	for i, a := range in.Args {
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
				if st.wide() {
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
			each(g.of(w), func(i int) { m |= read(w, i) << uint(i) })
			*d.mask = m
		})
	default:
		c.add(func(w *Wave) {
			if at, ok := st.entry(k, 0); st.even && ok {
				*d.plane = st.planes[at*st.comps+slot]
				return
			}
			each(g.of(w), func(i int) { d.plane[i] = read(w, i) })
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

// results are the planes of what a service returns.
func (c *compiler) results(id sem.ID) []*plane {
	in := &c.code.Insts[id]
	r := c.w.resultPlanes[in]
	if r == nil {
		for range in.Type.Count() {
			r = append(r, new(plane))
		}
		c.w.resultPlanes[in] = r
	}
	return r
}

func (c *compiler) service(id sem.ID, in *sem.Inst, g guard) {
	call := &Call{Wave: c.w, Results: c.results(id)}
	var sources []loc
	for _, a := range in.Args {
		sources = append(sources, c.locs[a])
		call.Args = append(call.Args, new(plane))
	}
	c.add(func(w *Wave) {
		if call.Mask = g.of(w); call.Mask == 0 {
			return
		}
		s := w.Services[in.Text]
		if s == nil {
			w.stop(call.Mask, "trap", "nothing here does "+in.Text)
			return
		}
		for i, src := range sources {
			for k := range Lanes {
				call.Args[i][k] = src.lane(k)
			}
		}
		s(call)
	})
}
