// Package bitblast converts the operations of an instruction to a circuit, and finds states in which a condition of the
// instruction holds, or proves that there are none.
//
// The instruction runs in a wave of a few lanes, which are all at its address. State, integers and conditions are exact, and so are sums,
// products of at most 32 bits, conversions and comparisons of floats. Other results of float arithmetic, and long quotients,
// are opaque: they may have any value that a few rules allow. So a condition that never holds in the circuit never holds, but
// a condition that holds in the circuit may need an opaque value that does not exist. Solver.Opaque reports whether a
// condition depends on such a value.
package bitblast

import (
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// maxNodes limits the circuit. When it has more nodes, further values are opaque.
const maxNodes = 1 << 18

// Options are what the launch of a program decides.
type Options struct {
	// Lanes is the number of lanes of the wave. 0 means one lane.
	Lanes int
	// Allocated is the number of registers in each file whose size the launch decides. 0 means all registers of the file.
	Allocated int
	// Sizes are the sizes of memories in bytes, if they are not those of the description. An access to a memory without a
	// size is never outside of it.
	Sizes map[*sem.State]uint64
	// ZeroResults makes host callbacks return 0. Otherwise their results are inputs.
	ZeroResults bool
}

// Solver is the circuit of an instruction. It builds a value when it is needed for the first time. A Solver is not safe for
// concurrent use.
type Solver struct {
	*circuit.Circuit
	code *sem.Code
	opt  Options

	lanes  int
	values [][]circuit.Vec // by lane and operation; nil if it was not built
	turns  [][]int         // by lane and operation: its place in the order in which they run

	uses     map[owned][]op // the operations that change a state, in order
	arrays   map[array]*[]element
	arrayIDs []array // the keys of arrays, in the order in which they were added
	stacks   map[owned]*stack
	stackIDs []*stack
	loads    map[owned]*[]load
	loadIDs  []owned
	results  []result
	// opaque are the inputs that are opaque, by node.
	opaque map[int]unknownBit
	// nans are the conditions that opaque floats are NaN.
	nans map[op]circuit.Lit
	// same holds the first operation with an operation code and arguments.
	same map[string]op
}

// op is an operation in a lane. An operation whose value is the same in all lanes is in lane 0.
type op struct {
	id   sem.ID
	lane int
}

// owned is the state of a lane. State that lanes share is that of lane 0.
type owned struct {
	*sem.State
	lane int
}

// unknownBit is a bit of the value of an operation.
type unknownBit struct {
	op
	bit int
}

// result is a component of the result of a host callback.
type result struct {
	op   // the OpResult
	bits circuit.Vec
}

// New returns a solver for an instruction.
func New(code *sem.Code, opt Options) *Solver {
	s := &Solver{
		Circuit: circuit.New(), code: code, opt: opt, lanes: max(opt.Lanes, 1),
		uses: map[owned][]op{}, arrays: map[array]*[]element{}, stacks: map[owned]*stack{}, loads: map[owned]*[]load{},
		opaque: map[int]unknownBit{}, nans: map[op]circuit.Lit{}, same: map[string]op{},
	}
	for range s.lanes {
		s.values = append(s.values, make([]circuit.Vec, len(code.Insts)))
		s.turns = append(s.turns, make([]int, len(code.Insts)))
	}
	turn := 0
	run := func(o op) {
		turn++
		s.turns[o.lane][o.id] = turn
		switch in := &code.Insts[o.id]; in.Op {
		case sem.OpWrite, sem.OpWriteX, sem.OpStore, sem.OpPush, sem.OpPop:
			if o == s.op(o.id, o.lane) {
				k := s.owned(in.State, o.lane)
				s.uses[k] = append(s.uses[k], o)
			}
		}
	}
	for id := sem.ID(0); int(id) < len(code.Insts); id++ {
		for lane := range s.lanes {
			run(op{id, lane})
		}
		in := &code.Insts[id]
		if in.Op != sem.OpAtomic {
			continue
		}
		for lane := range s.lanes {
			for inner := id + 1; uint64(inner) < in.Imm; inner++ {
				run(op{inner, lane})
			}
		}
		id = sem.ID(in.Imm) - 1
	}
	return s
}

// op returns an operation in a lane.
func (s *Solver) op(id sem.ID, lane int) op {
	if in := &s.code.Insts[id]; in.Uniform || in.Op == sem.OpConst {
		lane = 0
	}
	return op{id, lane}
}

// owned returns a state of a lane.
func (s *Solver) owned(st *sem.State, lane int) owned {
	if st.Scope >= spec.ScopeWave {
		lane = 0
	}
	return owned{st, lane}
}

// Guard returns the guard of an operation in lane 0.
func (s *Solver) Guard(id sem.ID) circuit.Lit { return s.GuardIn(id, 0) }

// GuardIn returns the guard of an operation in a lane.
func (s *Solver) GuardIn(id sem.ID, lane int) circuit.Lit {
	if g := s.code.Insts[id].Guard; g != sem.NoID {
		return s.ValueIn(g, lane)[0]
	}
	return circuit.True
}

// Value returns the bits of the value of an operation in lane 0, least significant first. It returns nil if the operation has
// no value.
func (s *Solver) Value(id sem.ID) circuit.Vec { return s.ValueIn(id, 0) }

// ValueIn is like Value for any lane.
func (s *Solver) ValueIn(id sem.ID, lane int) circuit.Vec {
	o, in := s.op(id, lane), &s.code.Insts[id]
	value := &s.values[o.lane][id]
	if *value == nil && in.HasValue() && in.Op != sem.OpService {
		if s.Size() > maxNodes {
			*value = s.anything(o, 0, in.Type().Width)
		} else {
			*value = s.build(o, in)
		}
	}
	return *value
}

// anything returns opaque bits of the value of an operation, from the bit low upwards.
func (s *Solver) anything(o op, low, width int) circuit.Vec {
	x := s.Inputs(width)
	for i, l := range x {
		s.opaque[l.Node()] = unknownBit{o, low + i}
	}
	return x
}

// Opaque reports whether a condition depends on an opaque value.
func (s *Solver) Opaque(goal circuit.Lit) bool {
	for _, n := range s.Support(goal) {
		if _, ok := s.opaque[n]; ok {
			return true
		}
	}
	return false
}

func (s *Solver) build(o op, in *sem.Inst) circuit.Vec {
	width := in.Type().Width
	switch in.Op {
	case sem.OpConst:
		return circuit.Constant(width, in.Imm)
	case sem.OpRead, sem.OpReadX:
		return s.read(o, in)
	case sem.OpLoad:
		return s.load(o, in)
	case sem.OpTop, sem.OpDepth, sem.OpEmpty:
		return s.asked(o, in)
	case sem.OpLane:
		return circuit.Constant(width, uint64(o.lane))
	case sem.OpExists:
		return circuit.Constant(width, s.exists())
	case sem.OpAny:
		return circuit.Vec{s.Any(s.ballot(o.id, in)...)}
	case sem.OpAll:
		out := circuit.True
		for lane := range s.lanes {
			out = s.And(out, s.Or(s.ValueIn(in.A, lane)[0], s.GuardIn(o.id, lane).Not()))
		}
		return circuit.Vec{out}
	case sem.OpBallot:
		return extend(s.ballot(o.id, in), width)
	case sem.OpFrom:
		out := make(circuit.Vec, width)
		from := s.ValueIn(in.B, o.lane)
		for lane := range s.lanes {
			out = s.MuxVec(s.Equal(from, circuit.Constant(len(from), uint64(lane))), s.ValueIn(in.A, lane), out)
		}
		return out
	case sem.OpLanesOf:
		return s.ValueIn(in.A, o.lane)[o.lane : o.lane+1]
	case sem.OpResult:
		if s.opt.ZeroResults {
			return make(circuit.Vec, width)
		}
		s.results = append(s.results, result{o, s.Inputs(width)})
		return s.results[len(s.results)-1].bits
	}
	if in.Op.Pure() {
		return s.pure(o, in)
	}
	return s.anything(o, 0, width)
}

// exists returns the mask of the lanes.
func (s *Solver) exists() uint64 { return 1<<s.lanes - 1 }

// ballot returns, for each lane, whether A and the guard hold.
func (s *Solver) ballot(id sem.ID, in *sem.Inst) circuit.Vec {
	var out circuit.Vec
	for lane := range s.lanes {
		out = append(out, s.And(s.ValueIn(in.A, lane)[0], s.GuardIn(id, lane)))
	}
	return out
}

// extend returns a number with more or fewer bits. New bits are 0.
func extend(x circuit.Vec, width int) circuit.Vec {
	out := make(circuit.Vec, width)
	copy(out, x)
	return out
}

// initial reports whether a state has its initial value when an instruction starts.
func initial(st *sem.State) bool { return st.ReadOnly || st.Scope == spec.ScopeInstruction }
