package asm

import (
	"math/bits"
	"slices"

	wide "github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// spread is where the bits are of a computed value that is bits of a scope in another order, among zeros: in the scope
// that many scopes out, the most significant part first. There is nothing to solve then.
type spread struct {
	scopeDepth int
	parts      []spec.Part
	// zeros are the bits that the value does not have, those beyond it too; ones are those that it has whatever the scope is.
	zeros, ones uint64
}

// zeros is the place of a part of which all bits are 0, whatever the word is.
const zeros = model.NoWire

// spreadOf returns where the bits of a value are, nil where it is not computed, or more than bits in another order.
func spreadOf(ref *model.Ref) *spread {
	if ref.Prog == nil || ref.Env != nil && ref.Env.Root.Size > len(model.Wires{}) {
		return nil
	}
	root, always := withoutOnes(ref)
	w, ok := model.WiringOf(root, nil)
	for i, wire := range w.Wires {
		ok = ok && (always>>i&1 == 0 || wire == zeros) // or a sum would carry
	}
	c := derivedConstraint(ref, 0, 0)
	size := min(bits.Len64(c.mask), len(w.Wires))
	for size > 0 && w.Wires[size-1] == zeros {
		size--
	}
	if !ok || c.kind != wantValue || size == 0 { // or it is always 0
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

// decided is where the bits of a computed value are, as far as conditions go these ways; its spread is nil where that is
// not so simple.
type decided struct {
	ways   []decision
	spread *spread
}

// decision is the way that a condition goes.
type decision struct {
	cond       *model.Node
	scopeDepth int
	truth      bool
}

// spreadOfNested returns where the bits of a value are that has a scope of its own, with its choices made by what is known;
// nil where that is not so simple. settled tells that they can be made.
func (p *Parser) spreadOfNested(c *constraint) (x *spread, settled bool) {
	decide := func(cond *model.Node, scopeDepth int) (truth, ok bool) {
		v, ok := p.eval(cond, p.up(c.scope, scopeDepth))
		return v != 0, ok
	}
	for _, d := range p.decided[c.prog] {
		if !slices.ContainsFunc(d.ways, func(w decision) bool {
			truth, ok := decide(w.cond, w.scopeDepth)
			return !ok || truth != w.truth
		}) {
			return d.spread, true
		}
	}
	d, open := decided{}, false
	w, ok := model.WiringOf(c.prog.Root, func(cond *model.Node, scopeDepth int) (truth, ok bool) {
		truth, ok = decide(cond, scopeDepth)
		d.ways, open = append(d.ways, decision{cond, scopeDepth, truth}), open || !ok
		return truth, ok
	})
	if open {
		return nil, false
	}
	if width := int(c.width); ok && width <= len(w.Wires) {
		d.spread = &spread{scopeDepth: w.ScopeDepth, parts: runsOf(w.Wires[:width])}
	}
	if p.decided == nil {
		p.decided = map[*model.Prog][]decided{}
	}
	p.decided[c.prog] = append(p.decided[c.prog], d)
	return d.spread, true
}

// wire gives the bits that a nested value is, all of which are known, to where they are, and from the holes that gave them.
func (p *Parser) wire(x *spread, c *constraint) bool {
	home, nested := &p.scopes[p.up(c.scope, x.scopeDepth)], p.scopes[c.nested].space
	value := wide.Of(p.spaces[nested].val[0])
	for _, u := range p.trail {
		if u.space != nested || u.limb != 0 {
			continue
		}
		if u.hole != 0 {
			p.tag = tag{u.hole, u.negated, -u.shift}
		}
		ok := p.setPieces(home, x.parts, value, wide.Of(u.set), p.pos)
		if p.tag = (tag{}); !ok {
			return false
		}
	}
	return true
}

// withoutOnes returns what a number is computed from beside a constant that is added, whose bits are always set.
func withoutOnes(ref *model.Ref) (root *model.Node, ones uint64) {
	root = ref.Prog.Root
	sum := root.Op == spec.OpAdd || root.Op == spec.OpOr
	if ref.Env == nil && sum && root.Y.Op == spec.OpConst && root.Y.Value < 1<<31 {
		return root.X, root.Y.Value
	}
	return root, 0
}

// runsOf returns the parts that wires are, the most significant first.
func runsOf(wires []int16) (parts []spec.Part) {
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
