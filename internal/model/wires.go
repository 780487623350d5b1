package model

import (
	mathbits "math/bits"

	"github.com/isago/isago/internal/spec"
)

// A computed value is often bits of the values around it in another order: a mask of two halves, a number in two
// pieces, part of a register's number.

// Wiring says of each bit of a value which bit of a scope it is, NoWire for one that is 0. The scope is so many out.
type Wiring struct {
	ScopeDepth int
	Wires
}

// Wires are those of a Wiring.
type Wires [64]int16

// NoWire stands for a bit that is 0.
const NoWire = -1

// maxWiring bounds the computed values inside each other.
const maxWiring = 4

// Decider says which way a condition goes that stands so many scopes out; ok is false where that is open.
type Decider func(cond *Node, scopeDepth int) (truth, ok bool)

// FindWiring returns the wiring of an expression, all of which must come from one scope; ok is false where it is something
// else. A bit may be in two places of a value. A choice is what decide says of its condition; nil says nothing of any.
func FindWiring(n *Node, decide Decider) (w Wiring, ok bool) {
	finder := wiring{decide: decide}
	w.Wires, ok = finder.node(n, 0, maxWiring)
	w.ScopeDepth = finder.scopeDepth
	return w, ok && finder.found
}

// wiring finds the wires of an expression.
type wiring struct {
	scopeDepth int
	found      bool // scopeDepth is known
	decide     Decider
}

// node returns the wires of an expression that stands so many scopes out.
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

// choice returns the wires of what a choice is.
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

// constantSide returns the other side of an operator whose one side is a constant, and that; nil and 0 where none is.
func constantSide(n *Node) (x *Node, constant uint64) {
	switch {
	case n.Y.Op == spec.OpConst:
		return n.X, n.Y.Value
	case n.X.Op == spec.OpConst:
		return n.Y, n.X.Value
	}
	return nil, 0
}

// shifted returns the wires of n, which moves those of x.
func (w *wiring) shifted(n, x *Node, count uint64, scopeDepth, depth int) (v Wires, ok bool) {
	if count >= 31 {
		return v, false
	}
	if v, ok = w.node(x, scopeDepth, depth); !ok {
		return v, false
	}
	return v.shifted(n.Op, int(count)).typed(n.Type)
}

// field returns the wires of a field.
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

// masked returns the wires with zeros where a mask has them.
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

// typed reports whether the value of a type has the wires, which a sign would change.
func (v Wires) typed(t spec.Type) (Wires, bool) {
	return v, v == v.masked(1<<(t.Width()-1)-1)
}

// joined returns the wires of both; ok is false where both have one for a bit.
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

// fixValue returns the bits that a scope must have for the bits of a value that are in care to be those of x; ok is false where
// that is none, or says nothing.
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

// fixComparison is simple for a comparison with a constant: bits above say whether a value is below a power of two.
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
	if n.Op == spec.OpGt || n.Op == spec.OpGe { // a single bit above is 1
		ok = ok && f.mask.TrailingZeros() == f.mask.Len()-1
		f.match = f.mask
	}
	return f, ok
}
