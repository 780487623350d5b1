package model

import (
	mathbits "math/bits"

	"github.com/isago/isago/internal/spec"
)

// In many computed values, each bit is a copy of a bit in a scope. Examples are a mask that consists
// of two halves and a register number in two parts.

// Wiring maps each bit of a value to a bit of one scope. A bit that is always 0 has NoWire. ScopeDepth
// is the number of levels up to the scope.
type Wiring struct {
	ScopeDepth int
	Wires
}

// Wires holds, for each bit of a value, the number of a bit in the scope, or NoWire.
type Wires [64]int16

// NoWire marks a bit that is 0.
const NoWire = -1

// maxWiring limits the nesting depth of derived fields.
const maxWiring = 4

// Decider returns the truth of a condition in the scope that is scopeDepth levels up. ok is false if the
// truth is not known.
type Decider func(cond *Node, scopeDepth int) (truth, ok bool)

// FindWiring returns the wiring of an expression. ok is false if FindWiring cannot show that each bit of
// the value is always 0 or a copy of a bit in one scope. Several bits may be copies of the same bit.
// decide selects the branch of each operator ?:. If decide is nil, no expression that needs such a
// selection has a wiring.
func FindWiring(n *Node, decide Decider) (w Wiring, ok bool) {
	finder := wiring{decide: decide}
	w.Wires, ok = finder.node(n, 0, maxWiring)
	w.ScopeDepth = finder.scopeDepth
	return w, ok && finder.found
}

// wiring computes the wires of an expression.
type wiring struct {
	scopeDepth int
	found      bool // whether scopeDepth is known
	decide     Decider
}

// node returns the wires of an expression in the scope that is scopeDepth levels up. depth is the
// remaining number of derived fields that may be nested.
func (w *wiring) node(n *Node, scopeDepth, depth int) (v Wires, ok bool) {
	switch n.Op {
	case spec.OpField:
		return w.field(n, scopeDepth, depth)
	case spec.OpShl, spec.OpShr:
		if n.Y.Op == spec.OpConst {
			return w.shifted(n, n.X, n.Y.Value, scopeDepth, depth)
		}
	case spec.OpMul:
		if x, by := constantSide(n); by != 0 && by&(by-1) == 0 {
			return w.shifted(n, x, uint64(mathbits.TrailingZeros64(by)), scopeDepth, depth)
		}
	case spec.OpAnd:
		if x, mask := constantSide(n); x != nil {
			v, ok = w.node(x, scopeDepth, depth)
			return v.masked(mask), ok
		}
	case spec.OpCond:
		return w.choice(n, scopeDepth, depth)
	case spec.OpOr, spec.OpXor, spec.OpAdd:
		x, okX := w.node(n.X, scopeDepth, depth)
		if !okX {
			return v, false
		}
		y, okY := w.node(n.Y, scopeDepth, depth)
		return x.joined(&y, okY)
	}
	return v, false
}

// choice returns the wires of the selected branch of an operator ?:.
func (w *wiring) choice(n *Node, scopeDepth, depth int) (v Wires, ok bool) {
	if w.decide == nil {
		return v, false
	}
	switch truth, ok := w.decide(n.X, scopeDepth); {
	case !ok:
		return v, false
	case truth:
		return w.node(n.Y, scopeDepth, depth)
	}
	return w.node(n.Z, scopeDepth, depth)
}

// constantSide returns the value of the constant operand of an operator, and the other operand x. It
// returns nil and 0 if neither operand is constant.
func constantSide(n *Node) (x *Node, constant uint64) {
	switch {
	case n.Y.Op == spec.OpConst:
		return n.X, n.Y.Value
	case n.X.Op == spec.OpConst:
		return n.Y, n.X.Value
	}
	return nil, 0
}

// shifted returns the wires of n, which shifts x by a constant.
func (w *wiring) shifted(n, x *Node, count uint64, scopeDepth, depth int) (v Wires, ok bool) {
	if count >= 31 {
		return v, false
	}
	if v, ok = w.node(x, scopeDepth, depth); !ok {
		return v, false
	}
	return v.shifted(n.Op, int(count)).typed(n.Type)
}

func (w *wiring) field(n *Node, scopeDepth, depth int) (v Wires, ok bool) {
	if len(n.Alts) != 1 || n.Alts[0].Cond != nil || n.Alts[0].Ref == nil {
		return v, false
	}
	ref := n.Alts[0].Ref
	scopeDepth += ref.ScopeDepth
	if p := ref.Prog; p != nil {
		if depth == 0 || p.Open || p.Cycle || len(p.Missing) > 0 {
			return v, false
		}
		return w.node(p.Root, scopeDepth, depth-1)
	}
	if ref.Context != nil || len(ref.Path) > 0 || ref.Width >= 32 || w.found && w.scopeDepth != scopeDepth {
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

// masked returns the wires with NoWire for all bits outside the mask.
func (v Wires) masked(mask uint64) Wires {
	for i := range v {
		if mask>>i&1 == 0 {
			v[i] = NoWire
		}
	}
	return v
}

func (v Wires) shifted(op spec.Op, count int) Wires {
	out := v.masked(0)
	if op == spec.OpShr {
		copy(out[:], v[count:])
	} else {
		copy(out[count:], v[:])
	}
	return out
}

// typed returns the wires and whether the conversion to a type leaves them unchanged. It returns false
// if a wire is at the highest bit of the type or beyond.
func (v Wires) typed(t spec.Type) (Wires, bool) {
	return v, v == v.masked(1<<(t.Width()-1)-1)
}

// joined merges two sets of wires. ok is false if both define the same bit.
func (v Wires) joined(x *Wires, ok bool) (Wires, bool) {
	for i := range v {
		switch {
		case v[i] == NoWire:
			v[i] = x[i]
		case x[i] != NoWire:
			return v, false
		}
	}
	return v, ok
}

// fixValue returns the bit values of a scope for which n and x are equal in all bits of the mask care.
// ok is false if n has no wiring, if n and x can never be equal in these bits, or if they always are.
func fixValue(n *Node, x, care uint64) (f fixedBits, ok bool) {
	w, ok := FindWiring(n, nil)
	if !ok {
		return f, false
	}
	f.scopeDepth = w.ScopeDepth
	for i, wire := range w.Wires {
		switch bit := x >> i & 1; {
		case care>>i&1 == 0:
		case wire == NoWire:
			ok = ok && bit == 0
		default:
			ok = ok && (f.mask.Bit(int(wire)) == 0 || f.match.Bit(int(wire)) == bit)
			f.mask.SetUint(int(wire), 1, 1)
			f.match.SetUint(int(wire), 1, bit)
		}
	}
	return f, ok && !f.mask.IsZero()
}

// fixComparison is like fixCondition, but for a comparison with a constant. A value is below a power of two if and only
// if all higher bits are 0.
func fixComparison(n *Node) (f fixedBits, ok bool) {
	if n.Y.Op != spec.OpConst || n.Y.Value >= 1<<31 {
		return f, false
	}
	limit := n.Y.Value
	if n.Op == spec.OpLe || n.Op == spec.OpGt {
		limit++
	}
	if limit&(limit-1) != 0 || limit == 0 {
		return f, false
	}
	f, ok = fixValue(n.X, 0, -limit)
	if n.Op == spec.OpGt || n.Op == spec.OpGe { // The value is at least the limit if its only higher bit is 1.
		ok = ok && f.mask.TrailingZeros() == f.mask.Len()-1
		f.match = f.mask
	}
	return f, ok
}
