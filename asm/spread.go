package asm

import (
	"math/bits"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// spread is where the bits are of a computed value that is bits of a scope in another order, among zeros: in the scope
// that many scopes out, the most significant part first; zeros are at model.NoWire. There is nothing to solve then.
type spread struct {
	scopeDepth int
	parts      []spec.Part
}

// spreadOf returns where the bits of a value are, nil where it is not computed, or more than bits in another order. A
// nested value has no zeros.
func spreadOf(ref *model.Ref) *spread {
	if ref.Prog == nil || ref.Env != nil && ref.Env.Root.Size > len(model.Wires{}) {
		return nil
	}
	w, ok := model.WiringOf(ref.Prog.Root)
	c := derivedConstraint(ref, 0, 0)
	s, size := &spread{scopeDepth: w.ScopeDepth}, min(bits.Len64(c.mask), len(w.Wires))
	for size > 0 && w.Wires[size-1] == model.NoWire {
		size--
	}
	if ref.Env != nil {
		size = ref.Env.Root.Size
	}
	if !ok || c.kind != wantValue || size == 0 { // or it is always 0
		return nil
	}
	for i := size - 1; i >= 0; i-- {
		n, wire := len(s.parts), int(w.Wires[i])
		switch {
		case wire == model.NoWire && ref.Env != nil:
			return nil
		case n > 0 && s.parts[n-1].Low == wire && wire == model.NoWire:
			s.parts[n-1].Width++
		case n > 0 && s.parts[n-1].Low == wire+1 && wire != model.NoWire:
			s.parts[n-1] = spec.Part{Low: wire, Width: s.parts[n-1].Width + 1}
		default:
			s.parts = append(s.parts, spec.Part{Low: wire, Width: 1})
		}
	}
	return s
}
