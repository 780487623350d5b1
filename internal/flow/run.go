package flow

import (
	"math/bits"

	"github.com/isago/isago/internal/sem"
)

// Host provides what a program needs while it runs. A function may be nil if the program does not need
// it.
type Host struct {
	// Read returns the initial value of a register component in a lane, such as an input or a uniform.
	Read func(v Variable, lane int) uint64
	// Load returns the bytes of a memory at an address, the first byte in the lowest bits. ok is false if
	// the memory does not contain all of them.
	Load func(s *sem.State, lane int, addr, size uint64) (v uint64, ok bool)
	// Store changes the bytes of a memory at an address. It returns false, and changes nothing, if the
	// memory does not contain all of them.
	Store func(s *sem.State, lane int, addr, size, v uint64) (ok bool)
	// Barrier waits at a barrier. kind is a combination of sem.Arrives and sem.Waits. If Barrier is nil,
	// barriers have no effect, as in a launch with a single wave.
	Barrier func(number, count, kind uint64)
	// Call executes a service. If Call is nil, lanes that call a service stop.
	Call func(c *Call)
}

// Call is a call of a service by the lanes of a mask.
type Call struct {
	Service *sem.Service
	Lanes   uint64
	// Args and Results have a list for each component of the parameters and of the result, with a value for
	// each lane. Results are 0 when the call starts.
	Args, Results [][]uint64
	// Seen returns the value of a register component that the service reads.
	Seen func(v Variable, lane int) uint64
}

// Result is the result of a run.
type Result struct {
	// Outputs are the outputs of the program, with a value for each lane.
	Outputs map[Variable][]uint64
	// Stops has for each lane the reason why it stopped abnormally, or "".
	Stops []string
}

// Run runs the program. It is the reference implementation of the semantics of a Program. lanes is the
// mask of the lanes, bit 0 the first lane. A program that is not for a wave runs in lane 0 only. ok is
// false if the program does not end within the given number of blocks. An access outside of a memory
// that traps stops the lane that makes it, and the run.
func (p *Program) Run(h Host, lanes uint64, blocks int) (res Result, ok bool) {
	width := bits.Len64(lanes)
	r := runner{
		Host: h, p: p, lanes: lanes, values: make([][]uint64, len(p.Insts)),
		arrays: map[element]uint64{}, stacks: map[*sem.State][][][]uint64{}, calls: map[ID]*Call{},
	}
	r.res.Stops = make([]string, width)
	for i := range r.values {
		r.values[i] = make([]uint64, width)
		if in := &p.Insts[i]; in.Op == sem.OpConst {
			for lane := range width {
				r.values[i][lane] = in.Imm
			}
		}
	}
	b := p.Blocks[0]
	for ; blocks > 0; blocks-- {
		if !r.run(b) {
			return r.res, true
		}
		next := 0
		switch b.End.Kind {
		case Branch:
			if r.get(b.End.Cond, bits.TrailingZeros64(lanes)) == 0 {
				next = 1
			}
		case Exit, Stop:
			r.finish(&b.End)
			return r.res, true
		}
		e := &b.End.Edges[next]
		args := make([][]uint64, len(e.Args))
		for i, a := range e.Args {
			args[i] = append([]uint64(nil), r.values[a]...)
		}
		for i, q := range e.To.Params {
			r.values[q.ID] = args[i]
		}
		b = e.To
	}
	return r.res, false
}

// runner is the state of a running program.
type runner struct {
	Host
	p      *Program
	lanes  uint64
	values [][]uint64 // for each operation, the values in the lanes
	arrays map[element]uint64
	stacks map[*sem.State][][][]uint64 // for each entry and slot, the values in the lanes
	calls  map[ID]*Call                // the last call of each OpService
	res    Result
}

// element is an element of an array in a lane.
type element struct {
	Variable
	lane int
}

// each calls f for each lane of a mask.
func each(lanes uint64, f func(lane int)) {
	for ; lanes != 0; lanes &= lanes - 1 {
		f(bits.TrailingZeros64(lanes))
	}
}

// finish records the outputs and the lanes that stop at an Exit or a Stop.
func (r *runner) finish(end *Terminator) {
	r.res.Outputs = map[Variable][]uint64{}
	for _, o := range end.Outputs {
		r.res.Outputs[o.Variable] = r.values[o.ID]
	}
	if end.Kind == Stop {
		each(r.lanes, func(lane int) {
			if end.Lanes == NoID || r.get(end.Lanes, lane)>>uint(lane)&1 != 0 {
				r.res.Stops[lane] = end.Text
			}
		})
	}
}

// run runs the operations of a block. It returns false if a lane stopped by an access outside of a memory.
func (r *runner) run(b *Block) bool {
	if b.Serial {
		ok := true
		each(r.lanes, func(lane int) {
			for _, id := range b.Insts {
				ok = ok && r.step(id, 1<<uint(lane))
			}
		})
		return ok
	}
	for _, id := range b.Insts {
		if !r.step(id, r.lanes) {
			return false
		}
	}
	return true
}

// get returns a value in a lane. NoID is 0.
func (r *runner) get(id ID, lane int) uint64 {
	if id == NoID {
		return 0
	}
	return r.values[id][lane]
}

// holds returns the lanes in which a guard holds.
func (r *runner) holds(guard ID) (lanes uint64) {
	if guard == NoID {
		return r.lanes
	}
	return r.mask(guard)
}

// mask returns the lanes in which a condition holds.
func (r *runner) mask(id ID) (lanes uint64) {
	each(r.lanes, func(lane int) { lanes |= (r.values[id][lane] & 1) << uint(lane) })
	return lanes
}

// step runs an operation in the given lanes. It returns false if a lane stopped by an access outside of a
// memory.
func (r *runner) step(id ID, lanes uint64) bool {
	in := &r.p.Insts[id]
	guard := r.holds(in.Guard)
	all := func(v uint64) {
		each(lanes, func(lane int) { r.values[id][lane] = v })
	}
	switch in.Op {
	case sem.OpExists:
		all(r.lanes)
		return true
	case sem.OpAny:
		all(flag(r.mask(in.A)&guard != 0))
		return true
	case sem.OpAll:
		all(flag(guard&^r.mask(in.A) == 0))
		return true
	case sem.OpBallot:
		all(r.mask(in.A) & guard)
		return true
	case sem.OpPush:
		if guard != 0 {
			var entry [][]uint64
			for _, a := range in.Args() {
				entry = append(entry, append([]uint64(nil), r.values[a]...))
			}
			r.stacks[in.State] = append(r.stacks[in.State], entry)
		}
		return true
	case sem.OpPop:
		r.stacks[in.State] = r.stacks[in.State][:len(r.stacks[in.State])-1]
		return true
	case sem.OpTop:
		copy(r.values[id], r.stacks[in.State][len(r.stacks[in.State])-1][in.Comp])
		return true
	case sem.OpBarrier:
		if guard != 0 && r.Barrier != nil {
			lane := bits.TrailingZeros64(guard)
			r.Barrier(r.get(in.A, lane), r.get(in.B, lane), in.Imm)
		}
		return true
	}
	ok := true
	if in.Op == sem.OpService {
		return r.call(id, guard&lanes)
	}
	each(lanes, func(lane int) {
		if text := r.lane(id, in, lane, guard>>uint(lane)&1 != 0); text != "" {
			r.res.Stops[lane] = text
			ok = ok && in.Op == sem.OpTrap
		}
	})
	return ok
}

// call calls a service in the given lanes. It returns false if there is no host.
func (r *runner) call(id ID, lanes uint64) bool {
	in := &r.p.Insts[id]
	width := len(r.values[id])
	c := &Call{Service: in.Service(), Lanes: lanes}
	r.calls[id] = c
	for range in.Type().Count() {
		c.Results = append(c.Results, make([]uint64, width))
	}
	if lanes == 0 {
		return true
	}
	if r.Call == nil {
		each(lanes, func(lane int) { r.res.Stops[lane] = "no host callback for " + c.Service.Name })
		return false
	}
	for _, a := range in.Args() {
		c.Args = append(c.Args, r.values[a])
	}
	seen := map[Variable]ID{}
	in.EachSeen(func(st *sem.State, number, comp int, a ID) { seen[Variable{st, number, comp}] = a })
	c.Seen = func(v Variable, lane int) uint64 { return r.get(seen[v], lane) }
	r.Call(c)
	return true
}

// lane runs an operation in a lane. guard reports whether the guard holds. text is the reason why the lane
// stops, or "".
func (r *runner) lane(id ID, in *sem.Inst, lane int, guard bool) (text string) {
	v, a, b := &r.values[id][lane], r.get(in.A, lane), r.get(in.B, lane)
	ok := true
	switch in.Op {
	case sem.OpRead:
		*v = r.read(Variable{in.State, int(in.Imm), in.Comp}, lane)
	case sem.OpWrite:
		if guard {
			r.arrays[element{Variable{in.State, int(in.Imm), in.Comp}, lane}] = b
		}
	case sem.OpReadX:
		var n int
		*v = in.State.OutsideBits
		if n, ok = register(in, a); ok {
			*v = r.read(Variable{in.State, n, in.Comp}, lane)
		}
	case sem.OpWriteX:
		var n int
		if n, ok = register(in, a); ok && guard {
			r.arrays[element{Variable{in.State, n, in.Comp}, lane}] = b
		}
	case sem.OpLoad:
		if *v, ok = r.Load(in.State, lane, a, in.Imm); !ok {
			*v = 0
		}
	case sem.OpStore:
		ok = !guard || r.Store(in.State, lane, a, in.Imm, b)
	case sem.OpTrap:
		if guard {
			return in.Text()
		}
	case sem.OpLane:
		*v = uint64(lane)
	case sem.OpLanesOf:
		*v = a >> uint(lane) & 1
	case sem.OpFrom:
		*v = 0
		if b < 64 && r.lanes>>b&1 != 0 {
			*v = r.get(in.A, int(b))
		}
	case sem.OpResult:
		*v = r.calls[in.A].Results[in.Comp][lane]
	case sem.OpSplat:
		*v = a
	default:
		*v = sem.Apply(in, a, b, r.get(in.C, lane))
	}
	if !ok && guard && in.State.Outside == sem.OutsideTrap {
		return "access outside of " + in.State.Name
	}
	return ""
}

// read returns the value of a register component.
func (r *runner) read(v Variable, lane int) uint64 {
	if x, ok := r.arrays[element{v, lane}]; ok {
		return x
	}
	return r.Read(v, lane)
}

// register returns the register number for a computed number. ok is false if the file has no such
// register.
func register(in *sem.Inst, n uint64) (number int, ok bool) {
	count := uint64(in.State.Count)
	if in.State.Outside == sem.OutsideWrap {
		n %= count
	}
	return int(n), n < count
}
