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

// zeros is the place of a part of which all bits are 0, whatever the word is.
const zeros = model.NoWire

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
	return &spread{scopeDepth: w.ScopeDepth, parts: runsOf(nil, w.Wires[:size])}
}

// runsOf appends the parts that wires are, the most significant first.
func runsOf(parts []spec.Part, wires []int16) []spec.Part {
	for i := len(wires) - 1; i >= 0; i-- {
		n, wire := len(parts), int(wires[i])
		switch {
		case n > 0 && wire == zeros && parts[n-1].Low == zeros:
			parts[n-1].Width++
		case n > 0 && wire != zeros && parts[n-1].Low == wire+1:
			parts[n-1] = spec.Part{Low: wire, Width: parts[n-1].Width + 1}
		default:
			parts = append(parts, spec.Part{Low: wire, Width: 1})
		}
	}
	return parts
}
