package isa

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// operandBits collects the bits of the current operand.
type operandBits struct {
	// op is the current operand. It is nil while no bits are recorded.
	op *Operand
	// depth is the depth of the frame whose text contains the operand.
	depth int
	// shown holds the bits of the parts in the text. decide holds the bits that determine which parts
	// the operand has and what they mean.
	shown, decide []placedBits
	// deciding is true while the deciding bits are recorded.
	deciding bool
	// known has an element for the word and one for each table entry.
	known []knownBits
	// followed holds the expressions whose bits were recorded.
	followed []followed
}

// placedBits are bits of the word or of a table entry.
type placedBits struct {
	mask         bits.Value
	table, entry int
	// parts are the parts of the field, most significant first.
	parts []bits.Part
	// whole means that mask contains all bits of a nested bitset. closeBits lists only those that the
	// operand uses.
	whole bool
}

// knownBits holds bits of the word or of one table entry. used contains the bits on which the operand
// depends, and listed contains the bits that are already in Operand.Bits.
type knownBits struct {
	used, listed bits.Value
	table, entry int
}

// followed is an expression whose bits were recorded in a scope. needed is a mask of the bits of the
// value that the recorded bits determine.
type followed struct {
	prog          *model.Prog
	site          *site
	deciding      bool
	needed, value uint64
}

// openBits starts to record the bits of an operand that is in the text of a frame.
func (w *operandWalk) openBits(op *Operand, depth int) {
	b := &w.bits
	b.op, b.depth = op, depth
	b.shown, b.decide, b.known, b.followed = b.shown[:0], b.decide[:0], b.known[:0], b.followed[:0]
}

// closeBits lists the bits of the operand. The bits of its parts come first, in the order of the text.
// The deciding bits follow, except bits that the leaf or another operand claims.
func (w *operandWalk) closeBits() {
	b := &w.bits
	for i := range b.shown {
		x := &b.shown[i]
		known := b.at(x.table, x.entry)
		if x.whole {
			x.mask = x.mask.And(known.used)
		}
		b.list(x, known)
	}
	for i := range b.decide {
		x := &b.decide[i]
		known := b.at(x.table, x.entry)
		if x.mask = x.mask.AndNot(known.listed); x.mask.IsZero() {
			continue
		}
		for k := range b.depth + 1 {
			if f := &w.d.frames[k]; f.site.table == x.table && f.entry == x.entry {
				x.mask = x.mask.AndNot(*w.d.claimed(k))
			}
		}
		b.list(x, known)
	}
	b.op = nil
}

// list appends the bits of x that are not listed yet to the operand's bits, in the order of the field's
// parts.
func (b *operandBits) list(x *placedBits, known *knownBits) {
	m := x.mask.AndNot(known.listed)
	known.listed = known.listed.Or(m)
	if len(x.parts) == 1 {
		b.runs(m, x)
		return
	}
	for _, p := range x.parts {
		b.runs(m.And(bits.Range(p.Low, p.Width)), x)
	}
}

// runs appends the runs of bits in a mask to the operand's bits, most significant first.
func (b *operandBits) runs(m bits.Value, x *placedBits) {
	for !m.IsZero() {
		high, low := m.Len(), m.TrailingZeros()
		if m.OnesCount() != high-low { // several runs
			for low = high - 1; m.Bit(low-1) == 1; {
				low--
			}
		}
		b.op.Bits = append(b.op.Bits, BitRange{bits.Part{Low: low, Width: high - low}, x.table, x.entry})
		m = m.And(bits.Ones(low))
	}
}

// at returns the known bits of the word or of a table entry. If there are none, it adds an empty
// element.
func (b *operandBits) at(table, entry int) *knownBits {
	for i := range b.known {
		if x := &b.known[i]; x.table == table && x.entry == entry {
			return x
		}
	}
	b.known = append(b.known, knownBits{table: table, entry: entry})
	return &b.known[len(b.known)-1]
}

// add records bits of a part of the text or, if deciding is true, deciding bits.
func (b *operandBits) add(x placedBits) {
	known := b.at(x.table, x.entry)
	if b.deciding {
		if rest := x.mask.AndNot(known.used); !rest.IsZero() { // otherwise all bits of x are already recorded
			b.decide = append(b.decide, x)
		}
	} else {
		b.shown = append(b.shown, x)
	}
	if !x.whole {
		known.used = known.used.Or(x.mask)
	}
}

// eval evaluates an expression about the operand and records its bits. It does not record the bits of
// an expression that needs its own value, because such a value depends on earlier evaluations.
func (w *operandWalk) eval(p *model.Prog, depth int) uint64 {
	if w.bits.op == nil || p.Open {
		return w.d.eval(p, depth)
	}
	outer := w.bits.deciding
	w.bits.deciding = true
	x := w.follow(p, depth, all)
	w.bits.deciding = outer
	return x
}

// choice records the bits that select the leaf of a frame and its display.
func (w *operandWalk) choice(depth int) {
	f := &w.d.frames[depth]
	if f.leaf.Leaf.Mask != (bits.Value{}) {
		known := w.bits.at(f.site.table, f.entry)
		known.used = known.used.Or(spread(f.leaf.Leaf.Mask, f.site.parts))
	}
	for _, p := range f.leaf.Requires {
		w.eval(p, depth)
	}
	for _, c := range f.leaf.Cases {
		if c.Shown && (c.Cond == nil || w.eval(c.Cond, depth) != 0) {
			return
		}
	}
}

// pick returns the meaning of a name and records the bits that select this meaning.
func (w *operandWalk) pick(alts []model.Alt, depth int) *model.Ref {
	for i := range alts {
		if a := &alts[i]; a.Cond == nil || w.eval(a.Cond, depth-a.CondDepth) != 0 {
			return a.Ref
		}
	}
	return nil
}

// follow evaluates an expression and records the bits that determine the needed bits of its value.
func (w *operandWalk) follow(p *model.Prog, depth int, needed uint64) uint64 {
	b := &w.bits
	s := w.d.frames[depth].site
	i := slices.IndexFunc(b.followed, func(x followed) bool { return x.prog == p && x.site == s && x.deciding == b.deciding })
	if i >= 0 && needed&^b.followed[i].needed == 0 {
		return b.followed[i].value
	}
	if i < 0 {
		i = len(b.followed)
		b.followed = append(b.followed, followed{prog: p, site: s, deciding: b.deciding})
	}
	b.followed[i].needed |= needed
	x := w.node(p.Root, depth, needed)
	b.followed[i].value = x
	return x
}

// fields records the bits of all fields in an expression that needs its own value.
func (w *operandWalk) fields(p *model.Prog, depth int) {
	s := w.d.frames[depth].site
	if slices.ContainsFunc(w.bits.followed, func(x followed) bool { return x.prog == p && x.site == s }) {
		return
	}
	w.bits.followed = append(w.bits.followed, followed{prog: p, site: s})
	for n := range p.Root.All {
		if ref := w.d.pick(n.Alts, depth); ref != nil && ref.Field != nil {
			w.addBits(ref, depth, all, false)
		}
	}
}

// node evaluates a node and records the bits that determine the needed bits of its value. It records no
// bits for operands of the node that do not affect the value, such as the unused branch of ?: or the
// right side of && if the left side is 0.
func (w *operandWalk) node(n *model.Node, depth int, needed uint64) uint64 {
	switch n.Op {
	case spec.OpConst:
		return n.Value
	case spec.OpField:
		ref := w.pick(n.Alts, depth)
		if ref == nil {
			return 0
		}
		return w.read(ref, depth, needed)
	case spec.OpAndAnd, spec.OpOrOr:
		if x := w.node(n.X, depth, all) != 0; x == (n.Op == spec.OpOrOr) {
			return boolean(x)
		}
		return boolean(w.node(n.Y, depth, all) != 0)
	case spec.OpCond:
		if w.node(n.X, depth, all) != 0 {
			return w.node(n.Y, depth, needed)
		}
		return w.node(n.Z, depth, needed)
	}
	neededX, neededY, _ := neededOf(n, needed)
	x := w.node(n.X, depth, neededX)
	var y uint64
	if n.Y != nil {
		y = w.node(n.Y, depth, neededY)
	}
	return model.Apply(n, x, y)
}

// read returns the value of a reference and records the bits that determine the needed bits of the
// value.
func (w *operandWalk) read(ref *model.Ref, depth int, needed uint64) uint64 {
	if ref.Prog != nil && !ref.Prog.Open {
		return w.follow(ref.Prog, depth-ref.ScopeDepth, needed)
	}
	if ref.Field != nil {
		w.addBits(ref, depth, needed, false)
	}
	return w.d.value(ref, depth)
}

// addBits records the needed bits of a field. For a computed field, it records the bits of the fields in
// the expression. whole means that the field is a nested bitset whose parts are recorded separately.
func (w *operandWalk) addBits(ref *model.Ref, depth int, needed uint64, whole bool) {
	depth -= ref.ScopeDepth
	switch {
	case ref.Prog != nil && ref.Prog.Open:
		w.fields(ref.Prog, depth)
		return
	case ref.Prog != nil:
		w.follow(ref.Prog, depth, needed)
		return
	}
	f := &w.d.frames[depth]
	s, entry, v := f.site, f.entry, &f.v
	for _, e := range ref.Path {
		if e.Field.Table != nil {
			index := e.Field.Gather(v)
			entry = int(index[0])
		}
		v = w.d.nestedBits(e, v)
		s = s.fieldOf(e).inside(w.d, s, e.Env.Bound(e.Env.Root.Leaves[0]), nil)
	}
	at := s.fieldOf(ref)
	if m := at.bits(needed); !m.IsZero() {
		w.bits.add(placedBits{m, s.table, entry, at.info.Parts, whole})
	}
}

// bits returns a mask of the needed bits of a field in the word or the table entry.
func (f *fieldSite) bits(needed uint64) bits.Value {
	if !f.masked {
		f.masked, f.mask = true, spread(bits.Ones(bits.Size), f.info.Parts)
		for _, p := range f.info.Parts {
			f.width += p.Width
		}
	}
	if f.width > 64 || needed == all || f.width < 64 && ^needed<<(64-f.width) == 0 {
		return f.mask
	}
	return spread(bits.Of(needed), f.info.Parts)
}

// claimed returns a mask of the bits that belong to a frame's leaf: the bits that select the leaf, and
// the bits of the mnemonic and the operands in the leaf's displays.
func (d *Decoder) claimed(depth int) *bits.Value {
	s := d.frames[depth].site
	if s.claims == nil {
		g := dependencies{}
		for _, c := range d.frames[depth].leaf.Cases {
			g.claim(c.Items)
		}
		g.masks[0] = g.masks[0].Or(d.frames[depth].leaf.Leaf.Mask)
		s.claims = &bits.Value{}
		for up := range min(depth, maxScopeDepth) + 1 {
			if o := d.frames[depth-up].site; o.table == s.table {
				*s.claims = s.claims.Or(spread(g.masks[up], o.parts))
			}
		}
	}
	return s.claims
}

// claim collects the bits of the operands and of the mnemonic in a display. For a field that contains
// operands itself, it collects only the bits that select the field's leaf.
func (g *dependencies) claim(items []model.Item) {
	for i := range items {
		it := &items[i]
		g.claim(it.Members)
		if it.Kind != model.ItemRef {
			continue
		}
		for _, a := range it.Alts {
			g.budget, a.Cond = maxDependencies, nil
			ref := a.Ref
			switch {
			case ref == nil || ref.Field == nil:
				continue
			case ref.Field.Bitset != nil && ref.Field.Bitset.HasOperands:
			case it.Operand != nil || ref.Field.IsOperand() || ref.Field.KindOfOperand() == spec.OperandMnemonic:
				g.alt(&a, 0, all)
				continue
			default:
				continue
			}
			var m bits.Value
			for _, l := range ref.Env.Root.Leaves {
				m = m.Or(l.Mask)
			}
			if len(ref.Path) == 0 && ref.Prog == nil && ref.Field.Table == nil && ref.ScopeDepth <= maxScopeDepth {
				g.masks[ref.ScopeDepth] = g.masks[ref.ScopeDepth].Or(spread(m, ref.Field.Parts))
			}
		}
	}
}

// spread moves the low bits of a value to the positions in parts. The first part receives the most
// significant bits.
func spread(v bits.Value, parts []bits.Part) (out bits.Value) {
	at := 0
	for _, p := range slices.Backward(parts) {
		out = out.Or(v.Slice(at, p.Width).Shl(p.Low))
		at += p.Width
	}
	return out
}
