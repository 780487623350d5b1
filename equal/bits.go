package equal

import (
	"slices"

	"github.com/isago/isago/internal/bitblast"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/sem"
)

// Limits of the circuits of proofs by bits.
const (
	// maxParts limits the nodes in a circuit. Nodes that are farther away may have any value.
	maxParts = 300
	maxGates = 40_000
)

// circuitOf returns a circuit, and the condition that two nodes differ in it. The results of floating-point arithmetic may have any
// value, but NaN has one form. A condition that never holds in the circuit never holds, because nodes with any value make more
// possible.
func circuitOf(nodes []node, x, y id) (*circuit.Circuit, circuit.Lit) {
	code, at := &sem.Code{}, map[id]sem.ID{}
	emit := func(in sem.Inst, t, from sem.Type) sem.ID {
		in.Guard = sem.NoID
		code.Insts = append(code.Insts, in.Typed(t, from))
		return sem.ID(len(code.Insts) - 1)
	}
	one := func(op sem.Op, a sem.ID, t, from sem.Type) sem.ID {
		return emit(sem.Inst{Op: op, A: a, B: sem.NoID, C: sem.NoID}, t, from)
	}
	canonical := func(a sem.ID, t sem.Type) sem.ID {
		u := unsigned(t)
		return one(sem.OpCast, one(sem.OpCast, a, u, t), t, u)
	}
	known := partsOf(nodes, x, y)
	list := make([]id, 0, len(known))
	for n := range known {
		list = append(list, n)
	}
	slices.Sort(list)
	for _, i := range list {
		n := &nodes[i]
		switch {
		case !known[i]:
			at[i] = one(sem.OpOpaque, sem.NoID, n.typ, sem.Type{})
			if n.typ.Kind == sem.Float && hasOneNaN(n.op) {
				at[i] = canonical(at[i], n.typ)
			}
		case n.op == opCanon:
			at[i] = canonical(at[n.args[0]], n.typ)
		default:
			in := sem.Inst{Op: n.op, Imm: n.imm, A: sem.NoID, B: sem.NoID, C: sem.NoID}
			for k, a := range n.args {
				*[3]*sem.ID{&in.A, &in.B, &in.C}[k] = at[a]
			}
			at[i] = emit(in, n.typ, n.from)
		}
	}
	s := bitblast.New(code, bitblast.Options{})
	return s.Circuit, s.Equal(s.Value(at[x]), s.Value(at[y])).Not()
}

// partsOf returns the nodes near two nodes. A value that is false marks a node that may have any value.
func partsOf(nodes []node, x, y id) map[id]bool {
	parts := map[id]bool{}
	list := []id{x, y}
	for i := 0; i < len(list); i++ {
		n := list[i]
		if _, seen := parts[n]; seen {
			continue
		}
		parts[n] = i < maxParts && hasBits(&nodes[n])
		if parts[n] {
			list = append(list, nodes[n].args...)
		}
	}
	return parts
}

// hasBits reports whether the bits of an operation are those of a small circuit.
func hasBits(n *node) bool {
	switch n.op {
	case opFree:
		return false
	case sem.OpMul, sem.OpMulHigh, sem.OpDiv, sem.OpMod:
		return n.typ.Kind != sem.Float && n.typ.Width <= 16
	case sem.OpConvert:
		return n.typ.Kind != sem.Float && n.from.Width <= 32
	}
	return n.typ.Kind != sem.Float || !hasOneNaN(n.op)
}

// hasOneNaN reports whether the floats that an operation computes have the canonical NaN.
func hasOneNaN(op sem.Op) bool {
	switch op {
	case sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpDiv, sem.OpFma, sem.OpSqrt, sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos, sem.OpRint,
		sem.OpProduct, sem.OpConvert:
		return true
	}
	return false
}
