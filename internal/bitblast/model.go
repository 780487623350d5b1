package bitblast

import (
	"cmp"
	"maps"
	"slices"

	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/sem"
)

// Model is a state before the instruction. What it does not list does not matter.
type Model struct {
	Registers []Register
	Stacks    []Stack
	Memories  []Byte
	Results   []Result
}

// Register is the value of a component of a register. Lane is 0 for state that lanes share.
type Register struct {
	State  *sem.State
	Lane   int
	Number int
	Comp   int
	Bits   uint64
}

// Stack are the entries of a stack, the oldest first, each with the bits of its slots. Lane is 0 for a stack that lanes share.
type Stack struct {
	State   *sem.State
	Lane    int
	Entries [][]uint64
}

// Byte is a byte of a memory. Lane is 0 for a memory that lanes share.
type Byte struct {
	State   *sem.State
	Lane    int
	Address uint64
	Value   byte
}

// Result is a component of the result of a call. ID is the number of the OpResult.
type Result struct {
	ID   sem.ID
	Lane int
	Bits uint64
}

// Solve searches for a state before the instruction in which a condition holds, preferably one with few ones. It returns
// circuit.Unknown if a limit of the search was reached. If the condition depends on opaque values, the answer Never is
// certain, but Sometimes is not.
func (s *Solver) Solve(goal circuit.Lit) (*Model, circuit.Answer) {
	a, answer := s.Satisfy(goal)
	if answer != circuit.Sometimes {
		return nil, answer
	}
	return s.model(goal, a), answer
}

// evaluator evaluates values for one assignment.
type evaluator struct {
	s       *Solver
	inputs  map[int]uint64
	support map[int]bool
}

func (e *evaluator) value(x circuit.Vec) (v uint64) {
	for i, b := range e.s.Evaluate(e.inputs, x...) {
		v |= b & 1 << i
	}
	return v
}

// matters reports whether the goal depends on one of some inputs.
func (e *evaluator) matters(x circuit.Vec) bool {
	return slices.ContainsFunc(x, func(l circuit.Lit) bool { return e.support[l.Node()] })
}

// model returns the state of an assignment.
func (s *Solver) model(goal circuit.Lit, a circuit.Assignment) *Model {
	e := &evaluator{s, map[int]uint64{}, map[int]bool{}}
	s.AddSupport(e.support, goal)
	s.addNumbers(e)
	for n, v := range a {
		e.inputs[n] = uint64(b2i(v))
	}
	m := &Model{}
	for _, id := range s.arrayIDs {
		m.Registers = append(m.Registers, s.registers(e, id)...)
	}
	slices.SortFunc(m.Registers, func(a, b Register) int {
		return cmp.Or(cmp.Compare(a.State.Index, b.State.Index), cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Comp, b.Comp))
	})
	for _, k := range s.stackIDs {
		used := e.matters(k.raw)
		for _, x := range k.entries {
			used = used || e.matters(x)
		}
		if used {
			m.Stacks = append(m.Stacks, e.stack(k))
		}
	}
	for _, of := range s.loadIDs {
		known := map[uint64]byte{}
		for _, x := range *s.loads[of] {
			if !e.matters(x.inputs) || e.value(circuit.Vec{x.inside}) == 0 {
				continue
			}
			at, bits := e.value(s.value(x.address)), e.value(x.value)
			for i := range x.size {
				known[at+uint64(i)] = byte(bits >> (8 * i))
			}
		}
		for _, at := range slices.Sorted(maps.Keys(known)) {
			m.Memories = append(m.Memories, Byte{of.State, of.lane, at, known[at]})
		}
	}
	for _, r := range s.results {
		if e.matters(r.bits) {
			m.Results = append(m.Results, Result{r.id, r.lane, e.value(r.bits)})
		}
	}
	return m
}

// addNumbers adds the inputs that decide which registers and bytes the inputs of the support are.
func (s *Solver) addNumbers(e *evaluator) {
	for before := -1; before != len(e.support); {
		before = len(e.support)
		for _, id := range s.arrayIDs {
			for _, x := range *s.arrays[id] {
				if e.matters(x.inputs) {
					s.AddSupport(e.support, x.number...)
				}
			}
		}
		for _, of := range s.loadIDs {
			for _, x := range *s.loads[of] {
				if e.matters(x.inputs) {
					s.AddSupport(e.support, s.value(x.address)...)
				}
			}
		}
	}
}

// registers returns the values of a component of all registers that matter.
func (s *Solver) registers(e *evaluator, id array) (list []Register) {
	known := map[int]bool{}
	for _, x := range *s.arrays[id] {
		if !e.matters(x.inputs) {
			continue
		}
		n := int(e.value(x.number))
		if n < s.count(id.State) && !known[n] {
			known[n] = true
			list = append(list, Register{id.State, id.lane, n, id.comp, e.value(x.value)})
		}
	}
	return list
}

func (e *evaluator) stack(k *stack) Stack {
	out := Stack{State: k.State, Lane: k.lane}
	for n := int(e.value(k.depth)) - 1; n >= 0; n-- {
		entry := make([]uint64, len(k.Slots))
		for slot := range entry {
			entry[slot] = e.value(k.entries[n*len(k.Slots)+slot])
		}
		out.Entries = append(out.Entries, entry)
	}
	return out
}
