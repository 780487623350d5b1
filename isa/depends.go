package isa

import (
	"encoding/binary"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// dependencies collects the bits on which a text or a value depends: bits of the frame, of enclosing
// frames, of table entries and of the contexts.
type dependencies struct {
	masks  [sourceContext + 1]bits.Value // by source
	tables []entrySource
	// budget is the amount of work that is left. It is negative if the text depends on too many bits or
	// on something other than bits.
	budget int
	// symbols reports whether the program may have a name for a value.
	symbols bool
	// If facts is true, the bits on which facts about operands depend are also collected.
	facts bool
	// nested is the current nesting depth of operands.
	nested int
}

// maxDependencies is the initial budget.
const maxDependencies = 1000

// maxWindows is the maximum number of windows of a key in addition to the first one. With more windows,
// a memo is not faster than printing.
const maxWindows = 8

func (g *dependencies) fail() { g.budget = -1 }

// spend uses one unit of the budget. It reports whether the budget sufficed.
func (g *dependencies) spend() bool {
	g.budget--
	return g.budget >= 0
}

// key returns a key that reads the collected bits. ok is false if the key would have more than most bits
// or too many windows, or if the budget is negative.
func (g *dependencies) key(most int) (k key, ok bool) {
	if g.budget < 0 {
		return k, false
	}
	for source := range g.masks {
		if g.masks[source].IsZero() {
			continue
		}
		for limb, x := range g.masks[source] {
			for x != 0 {
				shift := mathbits.TrailingZeros64(x)
				n := mathbits.TrailingZeros64(^(x >> shift))
				w := window{source: uint8(source), limb: uint8(limb), shift: uint8(shift), at: uint8(k.width), mask: ^uint64(0) >> (64 - n)}
				if k.width += n; k.width > most || len(k.rest) == maxWindows {
					return k, false
				}
				if k.first.mask == 0 {
					k.first = w
				} else {
					k.rest = append(k.rest, w)
				}
				x &^= w.mask << shift
			}
		}
	}
	return k, true
}

// item collects the dependencies of an item in the frame scopeDepth levels up. For a frame inside the
// current one, scopeDepth is negative. The bits of such a frame belong to a field whose bits are already
// collected.
func (g *dependencies) item(it *model.Item, scopeDepth int) {
	if it.Kind == model.ItemAlign || it.Kind == model.ItemBreak || it.Kind == model.ItemRemark {
		g.fail()
		return
	}
	for i := range it.Members {
		g.item(&it.Members[i], scopeDepth)
	}
	for i := range it.Alts {
		if g.alt(&it.Alts[i], scopeDepth, all); g.spend() {
			g.shown(it.Alts[i].Ref, scopeDepth)
		}
	}
}

// shown collects the dependencies of the text that a reference prints. It omits the bits of the value
// itself, which alt collects.
func (g *dependencies) shown(ref *model.Ref, scopeDepth int) {
	switch {
	case ref == nil || ref.Kind == spec.KindBranch || ref.Kind == spec.KindAbsBranch || ref.Kind == spec.KindCustom || ref.Width > 64:
		g.fail()
	case ref.Kind != spec.KindBitset:
	case ref.Field.Table != nil || len(ref.Path) > 0 && !ref.Env.Closed(): // the text depends on more of the entry than this field
		g.fail()
	default:
		g.env(ref.Env, scopeDepth-1-len(ref.Path))
	}
	g.symbols = g.symbols || ref != nil && ref.Field != nil && ref.Field.Symbols != ""
}

// env collects the dependencies of an operand. It caches them in the environment of the operand unless
// facts is true.
func (g *dependencies) env(env *model.Env, scopeDepth int) {
	if g.facts {
		g.leaves(env, scopeDepth)
		return
	}
	x, ok := env.Reads.Load().(*dependencies)
	if !ok {
		x = &dependencies{budget: maxDependencies, nested: g.nested + 1}
		x.leaves(env, -1)
		env.Reads.Store(x)
	}
	g.join(x, scopeDepth+1)
}

// join adds x, the dependencies of an operand. They are relative to the frame that contains the operand.
// That frame is scopeDepth levels up from the current frame. scopeDepth is at most 0.
func (g *dependencies) join(x *dependencies, scopeDepth int) {
	if g.budget -= maxDependencies - x.budget; x.budget < 0 || scopeDepth < 0 && len(x.tables) > 0 {
		g.fail()
		return
	}
	for i := range x.masks {
		at := i
		switch {
		case i <= maxScopeDepth:
			at += scopeDepth
		case i < sourceContext && i-sourceEntry < len(x.tables):
			at = g.entrySource(x.tables[i-sourceEntry])
		}
		if at >= 0 {
			g.masks[at] = g.masks[at].Or(x.masks[i])
		}
	}
	g.symbols = g.symbols || x.symbols
}

func (g *dependencies) leaves(env *model.Env, scopeDepth int) {
	if max(-scopeDepth, g.nested) >= maxFrames {
		g.fail()
	}
	for _, l := range env.Root.Leaves {
		if !g.spend() {
			return
		}
		u := env.Bound(l)
		if len(u.Tables) > 0 {
			g.fail()
		}
		g.cases(u, scopeDepth)
		if g.facts {
			g.operandFacts(&u.LeafFacts().Own, scopeDepth)
		}
		for _, x := range u.Cases {
			for i := range x.Items {
				g.item(&x.Items[i], scopeDepth)
			}
		}
	}
}

// cases collects the dependencies of a leaf's requirements, of the conditions of its cases, and of its
// asserts.
func (g *dependencies) cases(u *model.BoundLeaf, scopeDepth int) {
	for _, p := range u.Requires {
		g.prog(p, scopeDepth)
	}
	for _, x := range u.Cases {
		if x.Cond != nil {
			masks := g.masks
			if g.prog(x.Cond, scopeDepth); !x.Shown && len(x.Spec.Asserts) == 0 {
				g.masks = masks // the case has only aliases, which are never printed
			}
		}
		for _, a := range x.Spec.Asserts {
			if scopeDepth >= 0 {
				g.masks[scopeDepth] = g.masks[scopeDepth].Or(a.Mask)
			}
		}
	}
}

// alt collects the dependencies of one meaning of a name. needed is a mask of the bits of the value that
// matter.
func (g *dependencies) alt(a *model.Alt, scopeDepth int, needed uint64) {
	if !g.spend() {
		return
	}
	if a.Cond != nil {
		g.prog(a.Cond, scopeDepth+a.CondDepth)
	}
	ref := a.Ref
	switch {
	case ref == nil:
		g.fail()
	case ref.Context != nil:
		g.bits(sourceContext, bits.Part{Low: ref.Low, Width: ref.Width}, needed)
	case ref.Prog != nil && len(ref.Path) > 0:
		g.fail()
	case ref.Prog != nil:
		g.progBits(ref.Prog, scopeDepth+ref.ScopeDepth, needed)
	default:
		g.field(ref, scopeDepth+ref.ScopeDepth, needed)
	}
}

// field collects the bits of a field, which may be at the end of a path. needed is a mask of the bits of
// the value that matter.
func (g *dependencies) field(ref *model.Ref, scopeDepth int, needed uint64) {
	if scopeDepth < 0 { // The bits of that frame were collected before, except for table entries.
		for _, e := range ref.Path {
			if e.Field.Table != nil {
				g.fail()
			}
		}
		return
	}
	if scopeDepth > maxScopeDepth {
		g.fail()
		return
	}
	source, low := scopeDepth, 0
	for _, e := range ref.Path {
		if e.Prog != nil || e.Low < 0 {
			g.fail()
			return
		}
		low += e.Low
		if e.Field.Table == nil {
			continue
		}
		if source = g.entry(source, e, low); source < 0 {
			g.fail()
			return
		}
		low = 0
	}
	at := ref.Field.Width
	for _, p := range ref.Field.Parts { // most significant first
		at -= p.Width
		of := needed
		if ref.Field.Width <= 64 {
			of = needed >> at
		}
		g.bits(source, bits.Part{Low: low + p.Low, Width: p.Width}, of)
	}
}

// entry returns the number of the source for the table entry that a field selects. It returns -1 if a
// key cannot read that entry.
func (g *dependencies) entry(source int, e *model.Ref, low int) int {
	if source != 0 || low>>6 != (low+e.Width-1)>>6 {
		return -1
	}
	return g.entrySource(entrySource{e.Field.Table.Index, uint8(low >> 6), uint8(low & 63), ^uint64(0) >> (64 - uint(e.Width))})
}

// entrySource returns the number of the source for a table entry. If there are too many entries, it
// calls fail and returns -1.
func (g *dependencies) entrySource(x entrySource) int {
	i := slices.Index(g.tables, x)
	if i < 0 {
		if i = len(g.tables); i == maxEntries {
			g.fail()
			return -1
		}
		g.tables = append(g.tables, x)
	}
	return sourceEntry + i
}

func (g *dependencies) prog(p *model.Prog, scopeDepth int) { g.progBits(p, scopeDepth, all) }

// progBits collects the dependencies of an expression. needed is a mask of the bits of the value that
// matter.
func (g *dependencies) progBits(p *model.Prog, scopeDepth int, needed uint64) {
	if len(p.Missing) > 0 || p.Open {
		g.fail()
		return
	}
	g.node(p.Root, scopeDepth, needed)
}

// all is the mask of all bits of a value.
const all = ^uint64(0)

// node collects the dependencies of a node of an expression. needed is a mask of the bits of the value
// that matter.
func (g *dependencies) node(n *model.Node, scopeDepth int, needed uint64) {
	if n == nil || !g.spend() {
		return
	}
	if n.Test != nil {
		g.test(n.Test, scopeDepth+n.Test.ScopeDepth)
		return
	}
	for i := range n.Alts {
		g.alt(&n.Alts[i], scopeDepth, needed)
	}
	if n.X == nil {
		return
	}
	x, y, z := neededOf(n, needed)
	g.node(n.X, scopeDepth, x)
	g.node(n.Y, scopeDepth, y)
	g.node(n.Z, scopeDepth, z)
}

// test collects the bits that a test reads from a scope or from the contexts.
func (g *dependencies) test(t *model.Test, scopeDepth int) {
	switch {
	case t.Context:
		g.masks[sourceContext][t.Low>>6] |= t.Mask
	case scopeDepth > maxScopeDepth:
		g.fail()
	case scopeDepth >= 0:
		g.masks[scopeDepth][t.Low>>6] |= t.Mask
	}
}

// neededOf returns, for each operand of n, a mask of the bits that can affect the needed bits of the
// result.
func neededOf(n *model.Node, needed uint64) (x, y, z uint64) {
	var c uint64 // the right operand, if it is a small constant
	if n.Y != nil && n.Y.Op == spec.OpConst && n.Y.Value < signBit {
		c = n.Y.Value
	}
	switch n.Op {
	case spec.OpOr, spec.OpXor:
		return extended(needed), extended(needed), all
	case spec.OpInv:
		return extended(needed), all, all
	case spec.OpCond:
		return all, needed, needed
	case spec.OpAnd:
		if c != 0 {
			return needed & c, all, all
		}
		return extended(needed), extended(needed), all
	case spec.OpShr:
		if c > 0 && c < 31 {
			x = extended(needed << c)
			if needed>>(63-c) != 0 {
				x |= 1 << 63
			}
			return x, all, all
		}
	case spec.OpLt, spec.OpGe: // a comparison with 1<<k depends only on bits k and higher
		if mathbits.OnesCount64(c) == 1 {
			return -c, all, all
		}
	}
	return all, all, all
}

// signBit is the sign bit of a 32-bit value. Sign extension copies it to all higher bits.
const signBit = 1 << 31

// extended returns needed, with the sign bit added if a copy of that bit is needed.
func extended(needed uint64) uint64 {
	if needed >= signBit {
		needed |= signBit
	}
	return needed
}

// bits records that the needed bits of a part of a source matter. Bit 0 of needed corresponds to the
// lowest bit of the part.
func (g *dependencies) bits(source int, p bits.Part, needed uint64) {
	m := &g.masks[source]
	if p.Width > 64 || p.Low+p.Width > bits.Size {
		*m = m.Or(bits.Range(p.Low, p.Width))
		return
	}
	needed &= 1<<p.Width - 1
	limb, shift := p.Low>>6, p.Low&63
	if m[limb] |= needed << shift; shift+p.Width > 64 {
		m[limb+1] |= needed >> (64 - shift)
	}
}

// key describes how to combine the bits on which a text or a value depends into one number.
type key struct {
	// first is the window with the lowest bits of the key. It is empty if there are no dependencies.
	first window
	rest  []window
	// width is the number of bits in all windows.
	width int
}

// name returns a string that identifies the key. tables are the table entries that the key reads.
func (k *key) name(tables []entrySource) string {
	var name []byte
	part := func(limb, shift uint8, mask uint64) {
		name = append(name, limb, shift, uint8(mathbits.OnesCount64(mask)))
	}
	for _, e := range tables {
		name = binary.AppendUvarint(name, uint64(e.table))
		part(e.limb, e.shift, e.mask)
	}
	for _, w := range append([]window{k.first}, k.rest...) {
		name = append(name, w.source)
		part(w.limb, w.shift, w.mask)
	}
	return string(append(name, uint8(len(tables))))
}

// window is a run of bits of a source. The field at is the bit of the key at which the run starts.
type window struct {
	// source is the number of levels up to a frame, sourceEntry plus the number of an entry, or
	// sourceContext. The run starts at bit shift of element limb of the source. mask has one bit for
	// each bit of the run, starting at bit 0.
	source, limb, shift, at uint8
	mask                    uint64
}

// sources holds pointers to the values that keys read: the current frame, its enclosing frames from the
// inside out, table entries and the contexts.
type sources [8]*bits.Value

const (
	sourceEntry   = 4
	sourceContext = 7
	maxScopeDepth = sourceEntry - 1
	maxEntries    = sourceContext - sourceEntry
)

// entrySource identifies the table entry that a word selects. limb, shift and mask locate the index of
// the entry in the word.
type entrySource struct {
	table       int
	limb, shift uint8
	mask        uint64
}

// reads lists the table entries that the keys of a display read.
type reads []entrySource

// add adds the table entries of a key to the list and renumbers the entries in the key's windows to
// match. It reports whether the list has space for all entries.
func (r *reads) add(k *key, tables []entrySource) bool {
	place := make([]uint8, len(tables))
	for i, e := range tables {
		at := slices.Index(*r, e)
		if at < 0 {
			if at = len(*r); at == maxEntries {
				return false
			}
			*r = append(*r, e)
		}
		place[i] = uint8(sourceEntry + at)
	}
	k.first.number(place)
	for i := range k.rest {
		k.rest[i].number(place)
	}
	return true
}

// number replaces the number of the table entry that a window reads. place maps old numbers to new ones.
func (w *window) number(place []uint8) {
	if w.source >= sourceEntry && w.source < sourceContext {
		w.source = place[w.source-sourceEntry]
	}
}

// find looks up the entries and stores pointers to them in to. It returns false if the word selects an
// entry that its table does not have.
func (r reads) find(d *Decoder, to *sources) bool {
	for i := range r {
		e := &r[i]
		index := to[0][e.limb&3] >> (e.shift & 63) & e.mask
		t := d.tables[e.table]
		if index >= uint64(len(t)) {
			return false
		}
		to[(sourceEntry+i)&7] = &t[index]
	}
	return true
}

// of returns the bits of a window, shifted down to bit 0.
func (w *window) of(s *sources) uint64 {
	return s[w.source&7][w.limb&3] >> (w.shift & 63) & w.mask
}

// from returns the value of a key, which it reads from the sources.
func (k *key) from(s *sources) uint64 {
	x := k.first.of(s)
	if len(k.rest) > 0 {
		x |= k.others(s)
	}
	return x
}

// word returns a word for which the key has the value x. Bits that the key does not read are 0.
func (k *key) word(x uint64) (v bits.Value) {
	for _, w := range append([]window{k.first}, k.rest...) {
		v[w.limb] |= x >> w.at & w.mask << w.shift
	}
	return v
}

// others returns the bits of all windows except the first, at their positions in the key.
func (k *key) others(s *sources) (x uint64) {
	for i := range k.rest {
		w := &k.rest[i]
		x |= w.of(s) << (w.at & 63)
	}
	return x
}
