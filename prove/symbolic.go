package prove

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// world is a circuit together with the bits of the contexts. All scopes of one query share a world.
type world struct {
	*circuit.Circuit
	m *model.Machine
	// ctx are the bits of the contexts. valid is the condition that each context has one of its
	// defined values.
	ctx   []circuit.Lit
	valid circuit.Lit
	// approximate reports whether an expression was too large or cyclic. Its value is then
	// unconstrained, so some results that seem possible may be impossible.
	approximate bool
	// scopes is the number of scopes that use the circuit.
	scopes int
	// cycles are the expressions that depend on their own value.
	cycles map[*spec.Expr]bool
}

// world returns a circuit for a query about the machine.
func (m *machine) world() *world {
	w := newWorld(m.m)
	w.Conflicts, w.Spend = &m.conflicts, m.budget.spend
	return w
}

func newWorld(m *model.Machine) *world {
	w := &world{Circuit: circuit.New(), m: m, valid: circuit.True, cycles: map[*spec.Expr]bool{}}
	for _, c := range m.ISA.Contexts {
		low := len(w.ctx)
		for range c.Width {
			w.ctx = append(w.ctx, w.Input())
		}
		if c.Enum == nil {
			continue
		}
		any := circuit.False
		for _, v := range c.Enum.Values {
			any = w.Or(any, w.Equal(extend(w.ctx[low:]), constant(v.Val)))
		}
		w.valid = w.And(w.valid, any)
	}
	return w
}

// extend converts bits, least significant first, to a number. It keeps only the first 64 bits.
func extend(bits []circuit.Lit) circuit.Vec {
	v := constant(0)
	copy(v[:], bits)
	return v
}

// frame is a scope: a leaf in an environment, with the bits from which the leaf is decoded.
type frame struct {
	w    *world
	unit *model.BoundLeaf
	word []circuit.Lit
	up   *frame
	// exists is the condition under which the bits match the leaf, in this scope and in all enclosing
	// scopes. shown is the condition under which the leaf is also printed.
	exists, shown circuit.Lit

	values  map[*model.Prog]circuit.Vec
	nodes   map[*model.Node]circuit.Vec
	busy    map[*model.Prog]bool
	entries map[*spec.Field][]circuit.Lit
}

// maxInWorld limits the scopes of one circuit. Nested operands may need many scopes.
const maxInWorld = 1 << 13

// full reports whether the limit on scopes is exceeded. Queries that need more scopes stay undecided.
func (w *world) full() bool {
	w.approximate = w.approximate || w.scopes > maxInWorld
	return w.scopes > maxInWorld
}

func (w *world) frame(u *model.BoundLeaf, word []circuit.Lit, up *frame) *frame {
	w.scopes++
	return &frame{
		w: w, unit: u, word: word, up: up, exists: circuit.True, shown: circuit.True,
		values: map[*model.Prog]circuit.Vec{}, nodes: map[*model.Node]circuit.Vec{}, busy: map[*model.Prog]bool{}, entries: map[*spec.Field][]circuit.Lit{},
	}
}

// top returns the scope of a leaf that is not nested. Its fixed bits are constants and all other bits
// are inputs.
func (w *world) top(u *model.BoundLeaf) *frame {
	word := make([]circuit.Lit, u.Leaf.Size)
	for i := range word {
		if u.Leaf.Mask.Bit(i) == 1 {
			word[i] = circuit.Lit(u.Leaf.Match.Bit(i))
		} else {
			word[i] = w.Input()
		}
	}
	f := w.frame(u, word, nil)
	f.exists = w.All(w.valid, f.required(), f.notRefined())
	f.shown = f.exists
	return f
}

// unambiguous returns the condition that no other leaf matches the word. A word that two leaves match
// does not decode. In a strict description, leaves share words only with leaves that refine them.
func (f *frame) unambiguous() circuit.Lit {
	l, out := f.unit.Leaf, circuit.True
	if f.w.m.ISA.Strict {
		return out
	}
	for _, o := range l.Root.Leaves {
		if differ := l.Match.Xor(o.Match).And(l.Mask).And(o.Mask); o != l && differ.IsZero() && !slices.Contains(l.Refines, o) {
			out = f.w.And(out, f.claimedBy(o).Not())
		}
	}
	return out
}

// matches returns the condition that the bits match a leaf's pattern.
func (w *world) matches(l *model.Leaf, word []circuit.Lit) circuit.Lit {
	out := circuit.True
	for i, b := range word {
		if l.Mask.Bit(i) == 1 {
			out = w.And(out, b^circuit.Lit(1-l.Match.Bit(i)))
		}
	}
	return out
}

// required returns the condition that the leaf's requirements hold.
func (f *frame) required() circuit.Lit {
	out := circuit.True
	for _, p := range f.unit.Requires {
		out = f.w.And(out, f.holds(p))
	}
	return out
}

// notRefined returns the condition that no leaf that refines this one matches the word.
func (f *frame) notRefined() circuit.Lit {
	out := circuit.True
	for _, other := range f.unit.Leaf.RefinedBy {
		out = f.w.And(out, f.claimedBy(other).Not())
	}
	return out
}

// claimedBy returns the condition that another leaf also matches the word.
func (f *frame) claimedBy(other *model.Leaf) circuit.Lit {
	g := f.w.frame(f.unit.Env.Bound(other), f.word, f.up)
	return f.w.And(f.w.matches(other, f.word), g.required())
}

// inside returns the scope of a leaf of a bitset field. shown is the condition under which f prints
// the field.
func (f *frame) inside(ref *model.Ref, l *model.Leaf, shown circuit.Lit) *frame {
	g, word := f.operand(ref)
	if len(word) > l.Size {
		word = word[:l.Size]
	}
	for len(word) < l.Size {
		word = append(word, circuit.False)
	}
	in := f.w.frame(ref.Env.Bound(l), word, g)
	match := f.w.All(f.w.matches(l, word), in.required(), in.notRefined())
	in.exists = f.w.And(f.exists, match)
	in.shown = f.w.And(shown, match)
	return in
}

// operand returns the enclosing scope and the bits of a bitset field.
func (f *frame) operand(ref *model.Ref) (up *frame, word []circuit.Lit) {
	at := f.above(ref.ScopeDepth)
	if ref.Prog != nil {
		return f, slices.Clone(f.ownBits(ref))
	}
	up, word = f, at.word
	for _, e := range ref.Path {
		word = at.bitsOf(e, word)
		up = f.w.frame(e.Env.Bound(e.Env.Root.Leaves[0]), word, up)
	}
	return up, at.bitsOf(ref, word)
}

// above returns the scope that is the given number of levels further out.
func (f *frame) above(levels int) *frame {
	for range levels {
		if f.up == nil {
			break
		}
		f = f.up
	}
	return f
}

// bitsOf returns the bits of a field in a word. For a table index it returns the bits of the entry,
// which are unconstrained.
func (f *frame) bitsOf(ref *model.Ref, word []circuit.Lit) []circuit.Lit {
	if t := ref.Field.Table; t != nil {
		if f.entries[ref.Field] == nil {
			entry := make([]circuit.Lit, t.Type.Size)
			for i := range entry {
				entry[i] = f.w.Input()
			}
			f.entries[ref.Field] = entry
		}
		return f.entries[ref.Field]
	}
	return gather(ref.Field, word)
}

// gather returns the bits of a field, least significant first. Bits outside the word read as 0.
func gather(field *spec.Field, word []circuit.Lit) []circuit.Lit {
	var out []circuit.Lit
	for i := len(field.Parts) - 1; i >= 0; i-- {
		for b := field.Parts[i].Low; b < field.Parts[i].Low+field.Parts[i].Width; b++ {
			if b < len(word) {
				out = append(out, word[b])
			} else {
				out = append(out, circuit.False)
			}
		}
	}
	return out
}

// holds returns the condition that an expression is not 0.
func (f *frame) holds(p *model.Prog) circuit.Lit { return f.w.IsSet(f.value(p)) }

// value returns the value of an expression in the scope.
func (f *frame) value(p *model.Prog) circuit.Vec {
	if v := f.values[p]; v != nil {
		return v
	}
	if f.busy[p] { // a cycle, which Mesa's tools evaluate as 0 in most places
		f.w.approximate = true
		f.w.cycles[p.Spec] = true
		return f.anything()
	}
	f.busy[p] = true
	v := f.node(p.Root)
	delete(f.busy, p)
	f.values[p] = v
	return v
}

// anything returns an unconstrained value.
func (f *frame) anything() circuit.Vec { return f.w.Inputs(64) }

// maxGates limits the gates of a circuit. An expression that would exceed the limit has an
// unconstrained value.
const maxGates = 1 << 19

func (f *frame) node(n *model.Node) circuit.Vec {
	if v := f.nodes[n]; v != nil {
		return v
	}
	if f.w.Size() > maxGates {
		f.w.approximate = true
		return f.anything()
	}
	var v circuit.Vec
	switch n.Op {
	case spec.OpConst:
		v = constant(n.Value)
	case spec.OpField:
		v = f.alternatives(n.Alts)
	case spec.OpCond:
		v = f.w.MuxVec(f.w.IsSet(f.node(n.X)), f.node(n.Y), f.node(n.Z))
	default:
		y := constant(0)
		if n.Y != nil {
			y = f.node(n.Y)
		}
		v = f.w.apply(n, f.node(n.X), y)
	}
	f.nodes[n] = v
	return v
}

// alternatives returns the value of the first meaning of a name whose condition holds. It returns 0 if
// the name is undefined.
func (f *frame) alternatives(alts []model.Alt) circuit.Vec {
	out := constant(0)
	for i := len(alts) - 1; i >= 0; i-- {
		v := constant(0)
		if alts[i].Ref != nil {
			v = f.reference(alts[i].Ref)
		}
		out = f.w.MuxVec(f.condition(&alts[i]), v, out)
	}
	return out
}

// condition returns the condition of an alternative. It does not consider the conditions of earlier
// alternatives.
func (f *frame) condition(a *model.Alt) circuit.Lit {
	if a.Cond == nil {
		return circuit.True
	}
	return f.above(a.CondDepth).holds(a.Cond)
}

// reference returns the low 64 bits of a reference.
func (f *frame) reference(ref *model.Ref) circuit.Vec {
	if ref.Context != nil {
		return extend(f.w.ctx[ref.Low : ref.Low+ref.Width])
	}
	if ref.Prog != nil {
		return f.above(ref.ScopeDepth).value(ref.Prog)
	}
	return extend(f.rawBits(ref))
}

// rawBits returns the bits of a field. For a table index these are the bits of the index, not of the
// entry.
func (f *frame) rawBits(ref *model.Ref) []circuit.Lit {
	at := f.above(ref.ScopeDepth)
	word := at.word
	for _, e := range ref.Path {
		word = at.bitsOf(e, word)
	}
	return gather(ref.Field, word)
}

// ownBits returns the bits of an operand. For a table entry, these are the bits of the index. For a
// computed operand, they are the bits of the value that the leaves use.
func (f *frame) ownBits(ref *model.Ref) []circuit.Lit {
	if ref.Prog == nil {
		return f.rawBits(ref)
	}
	size := 0
	for _, l := range ref.Env.Root.Leaves {
		size = max(size, l.Size)
	}
	return f.reference(ref)[:min(64, size)]
}

// root returns the outermost scope.
func (f *frame) root() *frame {
	for f.up != nil {
		f = f.up
	}
	return f
}

// expected returns the condition that all ignored bits of the scope are 0.
func (f *frame) expected() circuit.Lit {
	out := circuit.True
	for i, b := range f.word {
		if f.unit.Leaf.DontCare.Bit(i) == 1 {
			out = f.w.And(out, b.Not())
		}
	}
	return out
}

// asserted returns the condition that the asserts of a case hold.
func (f *frame) asserted(asserts []*spec.Pattern) circuit.Lit {
	out := circuit.True
	for _, a := range asserts {
		out = f.w.And(out, f.agrees(a))
	}
	return out
}

// agrees returns the condition that the bits match a pattern.
func (f *frame) agrees(p *spec.Pattern) circuit.Lit {
	out := circuit.True
	for i, b := range f.word {
		if p.Mask.Bit(i) == 1 {
			out = f.w.And(out, b^circuit.Lit(1-p.Match.Bit(i)))
		}
	}
	return out
}

// words returns the word and the contexts of an assignment.
func (f *frame) words(a circuit.Assignment) (word, ctx bits.Value) {
	set := func(v *bits.Value, list []circuit.Lit) {
		for i, l := range list {
			if a.Value(l) {
				v.SetUint(i, 1, 1)
			}
		}
	}
	set(&word, f.word)
	set(&ctx, f.w.ctx)
	return word, ctx
}
