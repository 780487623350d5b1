package main

import (
	"slices"

	"github.com/isago/isago/internal/bitblast"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/sem"
)

// equal reports whether a proof exists that two codes of a word do the same in a wave of one lane. The codes must have the
// same effects in the same order, with other values or conditions. states are the states of the machine: those of the codes
// may belong to different machines.
func equal(a, b *sem.Code, states []*sem.State) bool {
	joined := &sem.Code{Next: a.Next}
	known := map[operation]sem.ID{}
	ea, ok := join(joined, a, states, known)
	eb, ok2 := join(joined, b, states, known)
	if a.Next != b.Next || len(ea) != len(eb) {
		return false
	}
	if slices.EqualFunc(ea, eb, func(x, y effect) bool {
		return x.op == y.op && x.state == y.state && x.imm == y.imm && x.comp == y.comp && x.text == y.text && x.guard == y.guard && slices.Equal(x.args, y.args)
	}) {
		return true
	}
	if !ok || !ok2 {
		return false
	}
	s := bitblast.New(joined, bitblast.Options{ZeroResults: true})
	differ := circuit.False
	for i := range ea {
		x, y := &ea[i], &eb[i]
		if x.op != y.op || x.state != y.state || x.imm != y.imm || x.comp != y.comp || x.text != y.text || len(x.args) != len(y.args) {
			return false
		}
		other := circuit.False
		for k := range x.args {
			v, w := s.Value(x.args[k]), s.Value(y.args[k])
			if len(v) != len(w) {
				return false
			}
			other = s.Or(other, s.Equal(v, w).Not())
		}
		g, h := guard(s, x.guard), guard(s, y.guard)
		differ = s.Or(differ, s.Or(s.Xor(g, h), s.And(s.And(g, h), other)))
	}
	_, answer := s.Solve(differ)
	return answer == circuit.Never
}

func guard(s *bitblast.Solver, id sem.ID) circuit.Lit {
	if id == sem.NoID {
		return circuit.True
	}
	return s.Value(id)[0]
}

// effect is an effect of a code in a joined code.
type effect struct {
	op    sem.Op
	state int // its index, or -1
	imm   uint64
	comp  int
	text  string
	args  []sem.ID
	guard sem.ID
}

// register is a component of a register.
type register struct {
	state int
	imm   uint64
	comp  int
}

// operation is an operation after a number of effects. Equal operations have equal values if the effects are equal.
type operation struct {
	inst  sem.Inst
	after int
}

// join appends the operations of a code to another without their effects, which it returns. States are those of states by
// index. ok is false if the solver cannot compare the code: it has operations on several lanes, or may read a part of a state
// that it has changed through a number that is not constant. known has the numbers of the operations of to.
func join(to, code *sem.Code, states []*sem.State, known map[operation]sem.ID) (list []effect, ok bool) {
	ok = true
	ids := make([]sem.ID, len(code.Insts))
	moved := func(id sem.ID) sem.ID {
		if id == sem.NoID {
			return id
		}
		return ids[id]
	}
	add := func(in sem.Inst, after int) sem.ID {
		in.Uniform, in.Notes = false, 0
		switch in.Op {
		case sem.OpAdd, sem.OpMul, sem.OpProduct, sem.OpMin, sem.OpMax, sem.OpAnd, sem.OpOr, sem.OpXor, sem.OpEq, sem.OpNe:
			in.A, in.B = min(in.A, in.B), max(in.A, in.B) // NaNs with other bits are equal
		}
		id, old := known[operation{in, after}]
		if !old {
			id = sem.ID(len(to.Insts))
			known[operation{in, after}], to.Insts = id, append(to.Insts, in)
		}
		return id
	}
	written, unsure := map[register][]effect{}, map[int]bool{}
	any := map[int]bool{}
	for i := range code.Insts {
		in := code.Insts[i]
		in.A, in.B, in.C, in.Guard = moved(in.A), moved(in.B), moved(in.C), moved(in.Guard)
		at := -1
		if in.State != nil {
			at = in.State.Index
			in.State = states[at]
		}
		here := register{at, in.Imm, in.Comp}
		switch in.Op {
		case sem.OpRead:
			if unsure[at] {
				ids[i], ok = add(in, len(list)), false
				continue
			}
			ids[i] = add(in, 0)
			for _, w := range written[here] {
				if w.guard == sem.NoID {
					ids[i] = w.args[0]
					continue
				}
				in.Op, in.State, in.A, in.B, in.C = sem.OpSelect, nil, w.guard, w.args[0], ids[i]
				in.Guard, in.Imm, in.Comp = sem.NoID, 0, 0
				ids[i] = add(in, 0)
			}
			continue
		case sem.OpReadX, sem.OpLoad, sem.OpTop, sem.OpDepth, sem.OpEmpty:
			if any[at] {
				ids[i], ok = add(in, len(list)), false
				continue
			}
		case sem.OpAny, sem.OpAll, sem.OpBallot, sem.OpFrom, sem.OpLane, sem.OpExists, sem.OpLanesOf, sem.OpAtomic, sem.OpRun, sem.OpResult:
			if in.HasValue() {
				ids[i], ok = add(in, len(list)+1), false
				continue
			}
			ok = false
		}
		if !in.HasValue() || in.Op == sem.OpService {
			e := effect{op: in.Op, state: at, imm: in.Imm, comp: in.Comp, text: in.Text(), guard: in.Guard}
			if in.Op == sem.OpService {
				e.text = in.Service().Name
			}
			for _, a := range [3]sem.ID{in.A, in.B, in.C} {
				if a != sem.NoID {
					e.args = append(e.args, a)
				}
			}
			for _, a := range in.Args() {
				e.args = append(e.args, moved(a))
			}
			if !in.Op.Informs() && in.Op != sem.OpSkip {
				list = append(list, e)
			}
			if in.Op == sem.OpWrite {
				written[here] = append(written[here], e)
			} else if at >= 0 {
				unsure[at] = true
			}
			any[at] = true
			in = sem.Inst{Op: sem.OpSkip, A: sem.NoID, B: sem.NoID, C: sem.NoID, Guard: sem.NoID}
		}
		ids[i] = add(in, 0)
	}
	return list, ok
}
