package asm

import (
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// A computed value is often bits of the values around it in another order: a mask of two halves, a number in two
// pieces. Where that is so, a value nested in it lies in those bits, and there is nothing to solve.

// spread is where the bits of such a value are: in the scope that many scopes out, the most significant part first.
type spread struct {
	scopeDepth int
	parts      []spec.Part
}

// wires say of each bit of a value which bit of a scope it is, noWire for one that is 0.
type wires [64]int16

const noWire = -1

// wiring finds the wires of an expression, all of which must come from one scope.
type wiring struct {
	scopeDepth int
	found      bool // scopeDepth is known
}

// maxWiring bounds the computed values inside each other.
const maxWiring = 4

// spreadOf returns where the bits of a nested value are, nil where it is not computed, or more than bits in another
// order.
func spreadOf(ref *model.Ref) *spread {
	size := ref.Env.Root.Size
	if ref.Prog == nil || size > len(wires{}) {
		return nil
	}
	w := wiring{}
	v, ok := w.node(ref.Prog.Root, 0, maxWiring)
	if !ok {
		return nil
	}
	s := &spread{scopeDepth: w.scopeDepth}
	for i := size - 1; i >= 0; i-- {
		n := len(s.parts)
		switch {
		case v[i] == noWire:
			return nil
		case n > 0 && s.parts[n-1].Low == int(v[i])+1:
			s.parts[n-1] = spec.Part{Low: int(v[i]), Width: s.parts[n-1].Width + 1}
		default:
			s.parts = append(s.parts, spec.Part{Low: int(v[i]), Width: 1})
		}
	}
	return s
}

// node returns the wires of an expression that stands so many scopes out; ok is false where it is something else.
func (w *wiring) node(n *model.Node, scopeDepth, depth int) (v wires, ok bool) {
	switch n.Op {
	case spec.OpField:
		return w.field(n, scopeDepth, depth)
	case spec.OpShl, spec.OpShr:
		if v, ok = w.node(n.X, scopeDepth, depth); ok && n.Y.Op == spec.OpConst && n.Y.Value < 31 {
			return v.shifted(n.Op, int(n.Y.Value)).typed(n.Type)
		}
	case spec.OpAnd:
		if v, ok = w.node(n.X, scopeDepth, depth); ok && n.Y.Op == spec.OpConst {
			return v.masked(n.Y.Value), true
		}
	case spec.OpOr, spec.OpXor, spec.OpAdd:
		x, okX := w.node(n.X, scopeDepth, depth)
		y, okY := w.node(n.Y, scopeDepth, depth)
		return x.joined(&y, okX && okY)
	}
	return v, false
}

// field returns the wires of a field.
func (w *wiring) field(n *model.Node, scopeDepth, depth int) (v wires, ok bool) {
	if len(n.Alts) != 1 || n.Alts[0].Cond != nil || n.Alts[0].Ref == nil {
		return v, false
	}
	ref := n.Alts[0].Ref
	if scopeDepth += ref.ScopeDepth; ref.Prog != nil && depth > 0 {
		return w.node(ref.Prog.Root, scopeDepth, depth-1)
	}
	if ref.Prog != nil || ref.Context != nil || len(ref.Enter) > 0 || ref.Width >= 32 || w.found && w.scopeDepth != scopeDepth {
		return v, false
	}
	w.scopeDepth, w.found = scopeDepth, true
	v = v.masked(0)
	at := 0
	for i := len(ref.Field.Parts) - 1; i >= 0; i-- {
		for k := range ref.Field.Parts[i].Width {
			v[at] = int16(ref.Field.Parts[i].Low + k)
			at++
		}
	}
	return v, true
}

// masked returns the wires with zeros where a mask has them.
func (v wires) masked(mask uint64) wires {
	for i := range v {
		if mask>>i&1 == 0 {
			v[i] = noWire
		}
	}
	return v
}

func (v wires) shifted(op spec.Op, count int) wires {
	out := v.masked(0)
	if op == spec.OpShl {
		copy(out[count:], v[:])
	} else {
		copy(out[:], v[count:])
	}
	return out
}

// typed reports whether the value of a type has the wires, which a sign would change.
func (v wires) typed(t spec.Type) (wires, bool) {
	high := 63
	if t == spec.I32 || t == spec.U32 {
		high = 31
	}
	return v, v == v.masked(1<<high-1)
}

// joined returns the wires of both; ok is false where both have one for a bit.
func (v wires) joined(x *wires, ok bool) (wires, bool) {
	for i := range v {
		switch {
		case v[i] == noWire:
			v[i] = x[i]
		case x[i] != noWire:
			return v, false
		}
	}
	return v, ok
}
