package asm

import (
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// spread is where the bits are of a computed value that is bits of a scope in another order: in the scope that many
// scopes out, the most significant part first. There is nothing to solve then.
type spread struct {
	scopeDepth int
	parts      []spec.Part
}

// spreadOf returns where the bits of a value are, nil where it is not computed, or more than bits in another order.
func spreadOf(ref *model.Ref) *spread {
	if ref.Prog == nil || ref.Env != nil && ref.Env.Root.Size > len(model.Wires{}) {
		return nil
	}
	w, ok := model.WiringOf(ref.Prog.Root)
	if !ok {
		return nil
	}
	size := len(w.Wires)
	if ref.Env != nil {
		size = ref.Env.Root.Size
	}
	for ref.Env == nil && size > 0 && w.Wires[size-1] == model.NoWire {
		size--
	}
	if size == 0 { // it is always 0
		return nil
	}
	s := &spread{scopeDepth: w.ScopeDepth}
	for i := size - 1; i >= 0; i-- {
		n, wire := len(s.parts), int(w.Wires[i])
		switch {
		case wire == model.NoWire:
			return nil
		case n > 0 && s.parts[n-1].Low == wire+1:
			s.parts[n-1] = spec.Part{Low: wire, Width: s.parts[n-1].Width + 1}
		default:
			s.parts = append(s.parts, spec.Part{Low: wire, Width: 1})
		}
	}
	return s
}
