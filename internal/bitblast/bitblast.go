// Package bitblast converts the operations of an instruction to a circuit, and finds states in which a condition of the
// instruction holds, or proves that there are none.
//
// The instruction runs in one lane, which is a wave of its own. State, integers and conditions are exact, and so are sums,
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

	values []circuit.Vec // by operation; nil if it was not built
	guards []circuit.Lit // by operation, plus one; 0 if it was not built

	uses     map[*sem.State][]sem.ID // the operations that change a state, in order
	arrays   map[array]*[]element
	arrayIDs []array // the keys of arrays, in the order in which they were added
	stacks   map[*sem.State]*stack
	stackIDs []*stack
	loads    map[*sem.State]*[]load
	loadIDs  []*sem.State
	results  []result
	// opaque are the inputs that are opaque, by node.
	opaque map[int]unknownBit
	// nans are the conditions that opaque floats are NaN.
	nans map[sem.ID]circuit.Lit
	// same holds the first operation with an operation code and arguments.
	same map[string]sem.ID
}

// unknownBit is a bit of the value of an operation.
type unknownBit struct {
	id  sem.ID
	bit int
}

// result is a component of the result of a host callback.
type result struct {
	id   sem.ID // of the OpResult
	bits circuit.Vec
}

// New returns a solver for an instruction.
func New(code *sem.Code, opt Options) *Solver {
	s := &Solver{
		Circuit: circuit.New(), code: code, opt: opt,
		values: make([]circuit.Vec, len(code.Insts)), guards: make([]circuit.Lit, len(code.Insts)),
		uses: map[*sem.State][]sem.ID{}, arrays: map[array]*[]element{}, stacks: map[*sem.State]*stack{},
		loads: map[*sem.State]*[]load{}, opaque: map[int]unknownBit{}, nans: map[sem.ID]circuit.Lit{}, same: map[string]sem.ID{},
	}
	for i := range code.Insts {
		switch in := &code.Insts[i]; in.Op {
		case sem.OpWrite, sem.OpWriteX, sem.OpStore, sem.OpPush, sem.OpPop:
			s.uses[in.State] = append(s.uses[in.State], sem.ID(i))
		}
	}
	return s
}

// Guard returns the guard of an operation.
func (s *Solver) Guard(id sem.ID) circuit.Lit {
	if g := s.code.Insts[id].Guard; g != sem.NoID {
		return s.Value(g)[0]
	}
	return circuit.True
}

// Value returns the bits of the value of an operation, least significant first. It returns nil if the operation has no
// value.
func (s *Solver) Value(id sem.ID) circuit.Vec {
	in := &s.code.Insts[id]
	if s.values[id] == nil && in.HasValue() && in.Op != sem.OpService {
		if s.Size() > maxNodes {
			s.values[id] = s.anything(id, 0, in.Type().Width)
		} else {
			s.values[id] = s.build(id, in)
		}
	}
	return s.values[id]
}

// anything returns opaque bits of the value of an operation, from the bit low upwards.
func (s *Solver) anything(id sem.ID, low, width int) circuit.Vec {
	x := s.Inputs(width)
	for i, l := range x {
		s.opaque[l.Node()] = unknownBit{id, low + i}
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

func (s *Solver) build(id sem.ID, in *sem.Inst) circuit.Vec {
	width := in.Type().Width
	switch in.Op {
	case sem.OpConst:
		return circuit.Constant(width, in.Imm)
	case sem.OpRead, sem.OpReadX:
		return s.read(id, in)
	case sem.OpLoad:
		return s.load(id, in)
	case sem.OpTop, sem.OpDepth, sem.OpEmpty:
		return s.asked(id, in)
	case sem.OpLane:
		return circuit.Constant(width, 0)
	case sem.OpExists:
		return circuit.Constant(width, 1)
	case sem.OpAny:
		return circuit.Vec{s.And(s.Value(in.A)[0], s.Guard(id))}
	case sem.OpAll:
		return circuit.Vec{s.Or(s.Value(in.A)[0], s.Guard(id).Not())}
	case sem.OpBallot:
		return extend(circuit.Vec{s.And(s.Value(in.A)[0], s.Guard(id))}, width)
	case sem.OpFrom:
		return s.MuxVec(s.IsSet(s.Value(in.B)), make(circuit.Vec, width), s.Value(in.A))
	case sem.OpLanesOf:
		return s.Value(in.A)[:1]
	case sem.OpResult:
		if s.opt.ZeroResults {
			return make(circuit.Vec, width)
		}
		s.results = append(s.results, result{id, s.Inputs(width)})
		return s.results[len(s.results)-1].bits
	}
	if in.Op.Pure() {
		return s.pure(id, in)
	}
	return s.anything(id, 0, width)
}

// extend returns a number with more or fewer bits. New bits are 0.
func extend(x circuit.Vec, width int) circuit.Vec {
	out := make(circuit.Vec, width)
	copy(out, x)
	return out
}

// initial reports whether a state has its initial value when an instruction starts.
func initial(st *sem.State) bool { return st.ReadOnly || st.Scope == spec.ScopeInstruction }
