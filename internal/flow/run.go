package flow

import (
	"github.com/isago/isago/internal/sem"
)

// Host provides what a program needs while it runs. Load and Store may be nil if the program accesses
// no memory.
type Host struct {
	// Read returns the initial value of a register component, such as an input or a uniform.
	Read func(v Variable) uint64
	// Load returns the bytes of a memory at an address, the first byte in the lowest bits. ok is false if
	// the memory does not contain all of them.
	Load func(s *sem.State, addr, size uint64) (v uint64, ok bool)
	// Store changes the bytes of a memory at an address. It returns false, and changes nothing, if the
	// memory does not contain all of them.
	Store func(s *sem.State, addr, size, v uint64) (ok bool)
}

// Run runs the program for one lane. It is the reference implementation of the semantics of a Program.
// outputs are the outputs of the program. stop is the reason why the program stopped abnormally, or ""
// if it ended normally. ok is false if the program does not end within the given number of blocks.
// Barriers have no effect, because there is one lane.
func (p *Program) Run(h Host, blocks int) (outputs map[Variable]uint64, stop string, ok bool) {
	r := runner{Host: h, p: p, values: make([]uint64, len(p.Insts)), arrays: map[Variable]uint64{}}
	for i := range p.Insts {
		if p.Insts[i].Op == sem.OpConst {
			r.values[i] = p.Insts[i].Imm
		}
	}
	b := p.Blocks[0]
	for ; blocks > 0; blocks-- {
		for _, id := range b.Insts {
			if stop := r.step(id); stop != "" {
				return nil, stop, true
			}
		}
		next := 0
		switch b.End.Kind {
		case Branch:
			if r.get(b.End.Cond) == 0 {
				next = 1
			}
		case Exit, Stop:
			outputs = map[Variable]uint64{}
			for _, o := range b.End.Outputs {
				outputs[o.Variable] = r.get(o.ID)
			}
			return outputs, b.End.Text, true
		}
		e := &b.End.Edges[next]
		args := make([]uint64, len(e.Args))
		for i, a := range e.Args {
			args[i] = r.get(a)
		}
		for i, q := range e.To.Params {
			r.values[q.ID] = args[i]
		}
		b = e.To
	}
	return nil, "", false
}

// runner is the state of a running program.
type runner struct {
	Host
	p      *Program
	values []uint64
	arrays map[Variable]uint64 // the elements of arrays that were written
}

// get returns a value. NoID is 0.
func (r *runner) get(id ID) uint64 {
	if id == NoID {
		return 0
	}
	return r.values[id]
}

func (r *runner) guard(in *sem.Inst) bool { return in.Guard == NoID || r.values[in.Guard] != 0 }

// step runs an operation. stop is the reason why the program stops, or "".
func (r *runner) step(id ID) (stop string) {
	in, v := &r.p.Insts[id], &r.values[id]
	switch in.Op {
	case sem.OpRead:
		*v = r.read(Variable{in.State, int(in.Imm), in.Comp})
	case sem.OpWrite:
		if r.guard(in) {
			r.arrays[Variable{in.State, int(in.Imm), in.Comp}] = r.get(in.B)
		}
	case sem.OpReadX:
		*v = in.State.OutsideBits
		n, ok := register(in, r.get(in.A))
		switch {
		case ok:
			*v = r.read(Variable{in.State, n, in.Comp})
		case in.State.Outside == sem.OutsideTrap && r.guard(in):
			return "access outside of " + in.State.Name
		}
	case sem.OpWriteX:
		n, ok := register(in, r.get(in.A))
		switch {
		case !r.guard(in):
		case ok:
			r.arrays[Variable{in.State, n, in.Comp}] = r.get(in.B)
		case in.State.Outside == sem.OutsideTrap:
			return "access outside of " + in.State.Name
		}
	case sem.OpLoad:
		x, ok := r.Load(in.State, r.get(in.A), in.Imm)
		if *v = x; !ok {
			*v = 0
			if in.State.Outside == sem.OutsideTrap && r.guard(in) {
				return "access outside of " + in.State.Name
			}
		}
	case sem.OpStore:
		if r.guard(in) && !r.Store(in.State, r.get(in.A), in.Imm, r.get(in.B)) && in.State.Outside == sem.OutsideTrap {
			return "access outside of " + in.State.Name
		}
	case sem.OpBarrier:
	case sem.OpSplat:
		*v = r.get(in.A)
	default:
		*v = sem.Apply(in, r.get(in.A), r.get(in.B), r.get(in.C))
	}
	return ""
}

// read returns the value of a register component.
func (r *runner) read(v Variable) uint64 {
	if x, ok := r.arrays[v]; ok {
		return x
	}
	return r.Read(v)
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
