package isa

import (
	"slices"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// operandMemo caches the values of an operand of a site by the bits on which the operand depends.
type operandMemo struct {
	// ref is the field that is the operand, and first is the first meaning of the field's name if that
	// meaning has a condition. For an operand with several parts, operand is set instead.
	ref     *model.Ref
	first   *model.Alt
	operand *spec.Operand
	// uses counts the uses of the operand without a memo.
	uses int
	// kept reports whether values of the operand are cached. It is false before the memo is prepared,
	// and if the operand depends on too many bits.
	kept  bool
	reads reads
	key   key
	// slots holds operands without their positions in the text.
	slots[Operand]
}

// maxOperandMemos is the maximum number of values that are cached for an operand.
const maxOperandMemos = 1 << 7

// memo returns the memo of an operand and the operand's key in this word. It returns nil if the operand
// is not cached. An operand in a table entry is never cached, because its bits depend on the index of
// the entry.
func (w *operandWalk) memo(ref *model.Ref, alts []model.Alt, o *spec.Operand, items []model.Item, depth int) (m *operandMemo, x uint64) {
	s := w.d.frames[depth].site
	if s.table != wordTable {
		return nil, 0
	}
	var first *model.Alt
	if len(alts) > 0 && alts[0].Cond != nil {
		first = &alts[0]
	}
	i := slices.IndexFunc(s.operands, func(m *operandMemo) bool { return m.ref == ref && m.first == first && m.operand == o })
	if i < 0 {
		i = len(s.operands)
		s.operands = append(s.operands, &operandMemo{ref: ref, first: first, operand: o})
	}
	m = s.operands[i]
	if m.uses++; m.uses == minUses {
		m.prepare(w.d.frames[depth].leaf, alts, items)
	}
	if !m.kept || w.d.general || m.skip() {
		return nil, 0
	}
	from := &w.d.frames[depth].from
	if len(m.reads) > 0 {
		own := *from // a copy, because find would replace the entries of the display
		from = &own
	}
	if !m.reads.find(w.d, from) {
		return nil, 0
	}
	return m, m.key.from(from)
}

// prepare computes the key of the bits on which the operand depends: the bits that determine its text
// and its facts, and the table indices. If there are too many bits, the operand is not cached.
func (m *operandMemo) prepare(u *model.BoundLeaf, alts []model.Alt, items []model.Item) {
	g := dependencies{budget: maxDependencies, facts: true}
	if m.ref != nil {
		items = []model.Item{{Kind: model.ItemRef, Alts: []model.Alt{{Ref: m.ref}}}}
		for i := range alts {
			if alts[i].Cond != nil {
				g.prog(alts[i].Cond, alts[i].CondDepth)
			}
		}
	} else {
		g.operandFacts(u.LeafFacts().Operands[m.operand], 0)
	}
	for i := range items {
		g.item(&items[i], 0)
	}
	for _, e := range g.tables {
		g.masks[0][e.limb] |= e.mask << e.shift
	}
	m.key, m.kept = g.key(64)
	m.kept = m.kept && m.reads.add(&m.key, g.tables)
}

// recall appends the cached operand for the key x. It returns false if no operand is cached for that
// key.
func (w *operandWalk) recall(m *operandMemo, x uint64, from, end int) bool {
	if m == nil {
		return false
	}
	known := m.find(x)
	if known == nil {
		return false
	}
	op := w.next()
	bits := append(op.Bits[:0], known.Bits...)
	*op = *known
	op.Bits, op.Start, op.End = bits, from-w.start, end-w.start
	return true
}

// keep caches an operand for the key x. It does nothing if m is nil.
func (m *operandMemo) keep(x uint64, op *Operand) {
	if m == nil {
		return
	}
	to := m.put(x, maxOperandMemos)
	bits := append(to.Bits[:0], op.Bits...)
	*to = *op
	to.Bits = bits
}

// operandFacts collects the dependencies of the facts about an operand.
func (g *dependencies) operandFacts(f *model.Facts, scopeDepth int) {
	all := func(list ...*model.Prog) {
		for _, p := range list {
			if p != nil {
				g.prog(p, scopeDepth)
			}
		}
	}
	for _, r := range f.Regs {
		all(r.Case, r.Own, r.Index, r.Component)
	}
	for _, m := range f.Mems {
		all(m.Case, m.Own, m.Index, m.Offset)
	}
	for _, r := range f.Relatives {
		all(r.Case, r.Own, r.Reg.Index, r.Reg.Component)
	}
	for _, m := range f.Modifiers {
		all(m.Case, m.Own)
	}
	for _, s := range slices.Concat(f.Swizzles, f.Masks) {
		all(append([]*model.Prog{s.Case, s.Own}, s.Components...)...)
	}
}
