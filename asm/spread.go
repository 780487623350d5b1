package asm

import (
	mathbits "math/bits"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// spread locates a computed value that consists of bits of a scope. The bits may be in any order, with constant bits
// between them. The scope is scopeDepth scopes outward, and the most significant part is first. Such a value is bound
// directly, without the solver.
type spread struct {
	scopeDepth int
	parts      []bits.Part
	// zeros is the mask of the bits that are always 0, including the bits beyond the value. ones is the mask of the
	// bits that are always 1.
	zeros, ones uint64
}

// zeros is the Low of a part whose bits are 0 in every word.
const zeros = model.NoWire

// spreadOf returns the spread of a computed value, or nil if the value does not have this form.
func spreadOf(ref *model.Ref) *spread {
	if ref.Prog == nil || ref.Env != nil && ref.Env.Root.Size > len(model.Wires{}) {
		return nil
	}
	root, always := withoutOnes(ref)
	w, ok := model.FindWiring(root, nil)
	for i, wire := range w.Wires {
		ok = ok && (always>>i&1 == 0 || wire == zeros) // otherwise a sum would carry
	}
	c := derivedConstraint(ref, 0, 0)
	size := min(mathbits.Len64(c.mask), len(w.Wires))
	for size > 0 && w.Wires[size-1] == zeros {
		size--
	}
	if !ok || c.kind != wantValue || size == 0 { // size 0: the value is constant
		return nil
	}
	if ref.Env != nil {
		size = ref.Env.Root.Size
	}
	never := ^ones(size)
	for i, wire := range w.Wires[:size] {
		never |= truthBit(wire == zeros) << i
	}
	return &spread{w.ScopeDepth, runsOf(w.Wires[:size]), never &^ always, always}
}

// withoutOnes handles the expression of a number that adds a constant to a value. It returns the expression of the
// value as root, and the constant as ones. If the expression adds no constant, ones is 0.
func withoutOnes(ref *model.Ref) (root *model.Node, ones uint64) {
	root = ref.Prog.Root
	sum := root.Op == spec.OpAdd || root.Op == spec.OpOr
	if ref.Env == nil && sum && root.Y.Op == spec.OpConst && root.Y.Value < 1<<31 {
		return root.X, root.Y.Value
	}
	return root, 0
}

// runsOf returns the parts that wires make up, the most significant first.
func runsOf(wires []int16) (parts []bits.Part) {
	for i := len(wires) - 1; i >= 0; i-- {
		n, wire := len(parts), int(wires[i])
		switch {
		case n > 0 && wire == zeros && parts[n-1].Low == zeros:
			parts[n-1].Width++
		case n > 0 && wire != zeros && parts[n-1].Low == wire+1:
			parts[n-1] = bits.Part{Low: wire, Width: parts[n-1].Width + 1}
		default:
			parts = append(parts, bits.Part{Low: wire, Width: 1})
		}
	}
	return parts
}
