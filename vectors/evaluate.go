package vectors

import (
	"math/bits"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// cells holds a value for each run of a batch.
type cells [runs]uint64

// runs is the number of lanes of a batch. Every few of them are a wave.
const runs = 64

// component is a component of a register.
type component struct {
	state        *sem.State
	number, comp int
}

// byteAt is a byte of a memory. If all lanes of a wave share it, run is the first of them.
type byteAt struct {
	state   *sem.State
	run     int
	address uint64
}

// initial is the state of each run of a batch before the instruction. Values that the instruction asks for are made when
// it asks for the first time.
type initial struct {
	// width is the number of lanes of a wave. exists has a mask for each wave of the lanes that exist, bit 0 the first.
	width     int
	exists    [runs]uint64
	registers map[component]*cells
	stacks    map[*sem.State]*[runs][][]uint64 // the entries, the oldest first, each with its slots
	bytes     map[byteAt]byte
	// register makes the values of a component, entries those of a stack, and load those of a memory at an address.
	register func(c component) *cells
	entries  func(s *sem.State) *[runs][][]uint64
	load     func(id sem.ID, s *sem.State, run int, address, size uint64) uint64
}

// first returns the first lane of the wave of a lane.
func (s *initial) first(run int) int { return run - run%s.width }

// owner returns the run of byteAt for a memory and a lane.
func (s *initial) owner(st *sem.State, run int) int {
	if shared(st) {
		return s.first(run)
	}
	return run
}

// lanes returns the mask of the lanes that exist.
func (s *initial) lanes() (m uint64) {
	for i := range runs / s.width {
		m |= s.exists[i] << (i * s.width)
	}
	return m
}

// wave returns the bits of a mask that belong to the wave of a lane, bit 0 the first lane.
func (s *initial) wave(mask uint64, run int) uint64 {
	return mask >> s.first(run) & (1<<s.width - 1)
}

func (s *initial) get(c component) *cells {
	v := s.registers[c]
	if v == nil {
		v = s.register(c)
		s.registers[c] = v
	}
	return v
}

func (s *initial) stack(st *sem.State) *[runs][][]uint64 {
	v := s.stacks[st]
	if v == nil {
		v = s.entries(st)
		s.stacks[st] = v
	}
	return v
}

// evaluation is the evaluation of a piece of code in all runs of a batch. It follows docs/ir.md.
type evaluation struct {
	insts  []sem.Inst
	init   *initial
	values []*cells
	final

	// base is the evaluation without a mutation, or nil. changed marks the values that differ from it.
	base    *evaluation
	changed []bool
	pool    []*cells
	used    int
}

// final is the state of the runs after the instruction, as far as it may have changed.
type final struct {
	registers map[component]*cells
	stacks    map[*sem.State]*[runs][][]uint64
	bytes     map[byteAt]byte
	jumped    uint64 // the runs that jumped
	target    cells
	ended     uint64
	// trapped and called identify the traps and the calls of host callbacks, and their order.
	trapped, called cells
}

func newEvaluation(insts []sem.Inst, init *initial) *evaluation {
	e := &evaluation{insts: insts, init: init, values: make([]*cells, len(insts)), changed: make([]bool, len(insts))}
	block := make([]cells, len(insts))
	for i := range insts {
		e.values[i] = &block[i]
		if insts[i].Op == sem.OpConst {
			for r := range block[i] {
				block[i][r] = insts[i].Imm
			}
		}
	}
	return e
}

func (f *final) reset() {
	f.registers, f.stacks, f.bytes = map[component]*cells{}, map[*sem.State]*[runs][][]uint64{}, map[byteAt]byte{}
	f.jumped, f.ended = 0, 0
	f.target, f.trapped, f.called = cells{}, cells{}, cells{}
}

// run evaluates the code.
func (e *evaluation) run() {
	e.reset()
	for i := range e.insts {
		e.step(sem.ID(i), &e.insts[i])
	}
}

// mutation is a change of an operation: inst replaces it, or value computes its value in each run.
type mutation struct {
	id    sem.ID
	inst  sem.Inst
	value func(e *evaluation, run int) uint64
	// If the operation has another constant as an argument, arg is the number of the argument from 1 on, and constant its bits.
	arg      int
	constant uint64
}

// differ appends operations to some code, of which n are its own, that tell whether the change leads to other values, and
// returns their result. It returns NoID for changes of other kinds.
func (m *mutation) differ(code *sem.Code, n int) sem.ID {
	old := code.Insts[m.id]
	if !old.Op.Pure() || m.value != nil && m.arg == 0 || m.value == nil && !m.inst.Op.Pure() {
		return sem.NoID
	}
	add := func(in sem.Inst) sem.ID {
		code.Insts = append(code.Insts, in)
		return sem.ID(len(code.Insts) - 1)
	}
	none := sem.Inst{A: sem.NoID, B: sem.NoID, C: sem.NoID, Guard: sem.NoID}
	in := m.inst
	if m.arg > 0 {
		in = old
		a := [...]*sem.ID{&in.A, &in.B, &in.C}[m.arg-1]
		c := none
		c.Op, c.Imm = sem.OpConst, m.constant
		*a = add(c.Typed(code.Insts[*a].Type(), sem.Type{}))
	}
	// other has the values that depend on the change. The operations after them, such as writes and sums of floats, must see a
	// difference.
	other := map[sem.ID]sem.ID{m.id: add(in)}
	result := sem.NoID
	differ := func(a sem.ID) {
		if _, ok := other[a]; !ok {
			return
		}
		ne := none
		ne.Op, ne.A, ne.B = sem.OpNe, a, other[a]
		id := add(ne.Typed(sem.BoolType, code.Insts[a].Type()))
		if result != sem.NoID {
			or := none
			or.Op, or.A, or.B = sem.OpOr, result, id
			id = add(or.Typed(sem.BoolType, sem.Type{}))
		}
		result = id
	}
	for i := m.id + 1; int(i) < n; i++ {
		in := code.Insts[i]
		if !in.Op.Pure() || floating(&in) || len(other) == maxCone {
			in.EachArg(differ)
			continue
		}
		depends := false
		for _, a := range []*sem.ID{&in.A, &in.B, &in.C} {
			if x, ok := other[*a]; ok {
				*a, depends = x, true
			}
		}
		if depends {
			other[i] = add(in)
		}
	}
	return result
}

// maxCone is the number of operations that differ copies.
const maxCone = 64

// mutant evaluates the code of base with a mutation, and returns the runs whose final state differs.
func (e *evaluation) mutant(base *evaluation, m *mutation) uint64 {
	e.base, e.used = base, 0
	e.reset()
	clear(e.changed)
	for i := range e.insts {
		id, in := sem.ID(i), &e.insts[i]
		e.values[i] = base.values[i]
		switch {
		case id == m.id && m.value != nil:
			v := e.room()
			for r := range v {
				v[r] = m.value(e, r)
			}
			e.set(id, v)
			if in.Op.Pure() {
				continue
			}
		case id == m.id:
			in = &m.inst
			e.again(id, in)
		case !in.Op.Pure() || e.depends(in):
			e.again(id, in)
		}
	}
	return e.differs(base)
}

// again evaluates an operation of a mutant.
func (e *evaluation) again(id sem.ID, in *sem.Inst) {
	if in.Op == sem.OpConst && in.HasValue() {
		v := e.room()
		for r := range v {
			v[r] = in.Imm
		}
		e.set(id, v)
		return
	}
	if !in.HasValue() {
		e.step(id, in)
		return
	}
	e.values[id] = e.room()
	e.step(id, in)
	e.set(id, e.values[id])
}

// set gives an operation other values.
func (e *evaluation) set(id sem.ID, v *cells) {
	if *v == *e.base.values[id] {
		e.values[id] = e.base.values[id]
		return
	}
	e.values[id], e.changed[id] = v, true
}

func (e *evaluation) room() *cells {
	if e.used == len(e.pool) {
		e.pool = append(e.pool, new(cells))
	}
	e.used++
	return e.pool[e.used-1]
}

func (e *evaluation) depends(in *sem.Inst) (yes bool) {
	in.EachArg(func(a sem.ID) { yes = yes || e.changed[a] })
	return yes
}

// differs returns the runs whose final state is not that of another evaluation.
func (e *evaluation) differs(x *evaluation) (mask uint64) {
	same := func(a, b *cells, t sem.Type) {
		for r := range a {
			if a[r] != b[r] && sem.Canonical(a[r], t) != sem.Canonical(b[r], t) {
				mask |= 1 << r
			}
		}
	}
	for c, v := range e.registers {
		if y, ok := x.registers[c]; ok {
			same(v, y, c.state.Type.Elem())
		} else {
			same(v, x.init.get(c), c.state.Type.Elem())
		}
	}
	for c, y := range x.registers {
		if _, ok := e.registers[c]; !ok {
			same(y, x.init.get(c), c.state.Type.Elem())
		}
	}
	stacks := func(s *sem.State) {
		a, b := e.entries(s), x.entries(s)
		for r := range runs {
			if !sameEntries(a[r], b[r]) {
				mask |= 1 << r
			}
		}
	}
	for s := range e.stacks {
		stacks(s)
	}
	for s := range x.stacks {
		stacks(s)
	}
	for at, v := range e.bytes {
		if v != x.byteAt(at) {
			mask |= 1 << at.run
		}
	}
	for at, v := range x.bytes {
		if v != e.byteAt(at) {
			mask |= 1 << at.run
		}
	}
	mask |= e.jumped ^ x.jumped | e.ended ^ x.ended
	for r := range runs {
		if e.jumped>>r&1 != 0 && e.target[r] != x.target[r] || e.trapped[r] != x.trapped[r] || e.called[r] != x.called[r] {
			mask |= 1 << r
		}
	}
	return mask
}

func sameEntries(a, b [][]uint64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		for k := range a[i] {
			if a[i][k] != b[i][k] {
				return false
			}
		}
	}
	return true
}

// guard returns the lanes in which an operation counts. An effect on state that all lanes share counts in all lanes of the
// wave.
func (e *evaluation) guard(in *sem.Inst) uint64 {
	m := e.mask(in.Guard)
	if in.Uniform {
		return m
	}
	return m & e.init.lanes()
}

// mask returns the runs in which a condition holds.
func (e *evaluation) mask(id sem.ID) (mask uint64) {
	if id == sem.NoID {
		return ^uint64(0)
	}
	for r, v := range e.values[id] {
		mask |= v & 1 << r
	}
	return mask
}

func (e *evaluation) entries(s *sem.State) *[runs][][]uint64 {
	if v := e.stacks[s]; v != nil {
		return v
	}
	return e.init.stack(s)
}

// changing returns the entries of a stack for a change.
func (e *evaluation) changing(s *sem.State) *[runs][][]uint64 {
	v := e.stacks[s]
	if v == nil {
		copied := *e.init.stack(s)
		v = &copied
		e.stacks[s] = v
	}
	return v
}

func (e *evaluation) byteAt(at byteAt) byte {
	if v, ok := e.bytes[at]; ok {
		return v
	}
	return e.init.bytes[at]
}

func (e *evaluation) read(c component) *cells {
	if v := e.registers[c]; v != nil {
		return v
	}
	return e.init.get(c)
}

// written returns the cells of a component for a change.
func (e *evaluation) written(c component) *cells {
	v := e.registers[c]
	if v == nil {
		copied := *e.init.get(c)
		v = &copied
		e.registers[c] = v
	}
	return v
}

// register returns the number of a register for a computed number. ok is false if the file has no such register.
func register(s *sem.State, n uint64) (number int, ok bool) {
	count := uint64(s.Count)
	if s.Outside == sem.OutsideWrap {
		n %= count
	}
	return int(n), n < count
}

// each calls f for each run of a mask.
func each(mask uint64, f func(run int)) {
	for ; mask != 0; mask &= mask - 1 {
		f(bits.TrailingZeros64(mask))
	}
}

// mix adds a number to a hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// trap notes that runs trap for a reason.
func (e *evaluation) trap(mask, reason uint64) {
	each(mask, func(r int) {
		if e.trapped[r] == 0 {
			e.trapped[r] = reason
		}
	})
}

const outsideReason = 1

func hashText(s string) uint64 {
	h := uint64(2)
	for i := range len(s) {
		h = mix(h, uint64(s[i]))
	}
	return h
}

func (e *evaluation) step(id sem.ID, in *sem.Inst) {
	v := e.values[id]
	arg := func(a sem.ID, r int) uint64 {
		if a == sem.NoID {
			return 0
		}
		return e.values[a][r]
	}
	all := func(x uint64) {
		for r := range v {
			v[r] = x
		}
	}
	switch in.Op {
	case sem.OpConst:
	case sem.OpRead:
		*v = *e.read(component{in.State, int(in.Imm), in.Comp})
	case sem.OpWrite:
		if g := e.guard(in); g != 0 {
			to := e.written(component{in.State, int(in.Imm), in.Comp})
			each(g, func(r int) { to[r] = arg(in.B, r) })
		}
	case sem.OpReadX:
		g := e.guard(in)
		for r := range v {
			n, ok := register(in.State, arg(in.A, r))
			if ok {
				v[r] = e.read(component{in.State, n, in.Comp})[r]
				continue
			}
			v[r] = in.State.OutsideBits
			if in.State.Outside == sem.OutsideTrap {
				e.trap(g&(1<<r), outsideReason)
			}
		}
	case sem.OpWriteX:
		each(e.guard(in), func(r int) {
			n, ok := register(in.State, arg(in.A, r))
			if ok {
				e.written(component{in.State, n, in.Comp})[r] = arg(in.B, r)
			} else if in.State.Outside == sem.OutsideTrap {
				e.trap(1<<r, outsideReason)
			}
		})
	case sem.OpLoad:
		e.load(id, in, v)
	case sem.OpStore:
		each(e.guard(in), func(r int) {
			at, n := arg(in.A, r), arg(in.B, r)
			if size := memorySize(in.State); at >= size || at+in.Imm > size {
				e.trap(1<<r, outsideReason)
				return
			}
			for k := range in.Imm {
				e.bytes[byteAt{in.State, e.init.owner(in.State, r), at + k}] = byte(n >> (8 * k))
			}
		})
	case sem.OpTop:
		list := e.entries(in.State)
		for r := range v {
			v[r] = 0
			if k := len(list[r]) - 1 - int(in.Imm); k >= 0 {
				v[r] = list[r][k][in.Comp]
			}
		}
	case sem.OpDepth:
		list := e.entries(in.State)
		for r := range v {
			v[r] = uint64(len(list[r]))
		}
	case sem.OpEmpty:
		list := e.entries(in.State)
		for r := range v {
			v[r] = truth(len(list[r]) == 0)
		}
	case sem.OpPush:
		e.push(in)
	case sem.OpPop:
		list := e.changing(in.State)
		each(e.guard(in), func(r int) {
			if n := len(list[r]); n > 0 {
				list[r] = list[r][: n-1 : n-1]
			} else if in.State.EmptyTraps {
				e.trap(1<<r, hashText(in.State.Name))
			}
		})
	case sem.OpLane:
		for r := range v {
			v[r] = uint64(r % e.init.width)
		}
	case sem.OpExists:
		for r := range v {
			v[r] = e.init.exists[r/e.init.width]
		}
	case sem.OpAny, sem.OpBallot, sem.OpAll:
		m := e.mask(in.A) & e.guard(in)
		for r := range v {
			exists := e.init.exists[r/e.init.width]
			switch w := e.init.wave(m, r) & exists; {
			case in.Op == sem.OpBallot:
				v[r] = w
			case in.Op == sem.OpAny:
				v[r] = truth(w != 0)
			default:
				v[r] = truth(e.init.wave(e.guard(in), r)&exists&^e.init.wave(e.mask(in.A), r) == 0)
			}
		}
	case sem.OpFrom:
		for r := range v {
			v[r] = 0
			if b := arg(in.B, r); b < uint64(e.init.width) && e.init.exists[r/e.init.width]>>b&1 != 0 {
				v[r] = arg(in.A, e.init.first(r)+int(b))
			}
		}
	case sem.OpLanesOf:
		for r := range v {
			v[r] = arg(in.A, r) >> (r % e.init.width) & 1
		}
	case sem.OpJump:
		g := e.guard(in)
		e.jumped |= g
		each(g, func(r int) { e.target[r] = arg(in.A, r) })
	case sem.OpEnd:
		e.ended |= e.guard(in)
	case sem.OpTrap:
		e.trap(e.guard(in), hashText(in.Text()))
	case sem.OpBarrier:
		each(e.guard(in), func(r int) {
			e.called[r] = mix(mix(mix(e.called[r]+1, arg(in.A, r)), arg(in.B, r)), in.Imm)
		})
	case sem.OpService:
		name := hashText(in.Service().Name)
		each(e.guard(in), func(r int) {
			e.called[r] = mix(e.called[r]+1, name)
			for _, a := range in.Args() {
				e.called[r] = mix(e.called[r], sem.Canonical(arg(a, r), e.insts[a].Type()))
			}
		})
	case sem.OpResult:
		all(0)
	case sem.OpSkip, sem.OpAtomic, sem.OpUnknown, sem.OpHazard, sem.OpRun, sem.OpFlow:
	default:
		for r := range v {
			v[r] = sem.Apply(in, arg(in.A, r), arg(in.B, r), arg(in.C, r))
		}
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (e *evaluation) push(in *sem.Inst) {
	list := e.changing(in.State)
	each(e.guard(in), func(r int) {
		entry := make([]uint64, len(in.Args()))
		for i, a := range in.Args() {
			entry[i] = e.values[a][r]
		}
		old := list[r]
		if len(old) >= in.State.Count {
			if in.State.FullTraps {
				e.trap(1<<r, hashText(in.State.Name)+1)
				return
			}
			old = old[1:]
		}
		list[r] = append(old[:len(old):len(old)], entry)
	})
}

// memorySize returns the size of a memory in a vector.
func memorySize(s *sem.State) uint64 {
	if s.Count > 0 {
		return uint64(s.Count)
	}
	return unsized
}

// unsized is the size of a memory without a size in the description, in bytes, as isago step has it.
const unsized = 1 << 16

func (e *evaluation) load(id sem.ID, in *sem.Inst, v *cells) {
	g := e.guard(in)
	for r := range v {
		at := e.values[in.A][r]
		v[r] = 0
		if size := memorySize(in.State); at >= size || at+in.Imm > size {
			e.trap(g&(1<<r), outsideReason)
			continue
		}
		if e.base == nil && g>>r&1 != 0 {
			e.fill(id, in, r, at)
		}
		for k := range in.Imm {
			v[r] |= uint64(e.byteAt(byteAt{in.State, e.init.owner(in.State, r), at + k})) << (8 * k)
		}
	}
}

// fill makes the bytes that a run loads, unless there are some.
func (e *evaluation) fill(id sem.ID, in *sem.Inst, run int, at uint64) {
	made, have := uint64(0), false
	for k := range in.Imm {
		b := byteAt{in.State, e.init.owner(in.State, run), at + k}
		if _, ok := e.init.bytes[b]; ok {
			continue
		}
		if !have {
			made, have = e.init.load(id, in.State, run, at, in.Imm), true
		}
		e.init.bytes[b] = byte(made >> (8 * k))
	}
}

// shared reports whether all lanes of a wave share a state.
func shared(s *sem.State) bool { return s.Scope >= spec.ScopeWave }
