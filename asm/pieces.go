package asm

import (
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// This file reads, for Parser.straight, what is not a run of bits: fields in several pieces, and
// computed values, which are only compared.

// pieced reports whether a reference is a field in several pieces of the scope itself.
func pieced(ref *model.Ref) bool {
	return ref != nil && ref.Field != nil && ref.Prog == nil && ref.Hops == 0 && ref.Low < 0 &&
		len(ref.Enter) == 0 && ref.Field.Table == nil && ref.Width <= 64
}

// fixedPieces are the bits that are fixed where a field in several pieces has a value.
func fixedPieces(ref *model.Ref, v uint64) (list []fixedBits, ok bool) {
	if !pieced(ref) || v&^ones(ref.Width) != 0 {
		return nil, false
	}
	for i := len(ref.Field.Parts) - 1; i >= 0; i-- {
		p := ref.Field.Parts[i]
		list = append(list, fixedBits{place{low: p.Low, width: p.Width}, v & ones(p.Width)})
		v >>= uint(p.Width)
	}
	return list, true
}

// fastOther is fastItem for items that are no run of bits.
func (p *Parser) fastOther(e *edge) (*node, verdict) {
	it := &e.item
	switch {
	case len(it.conds) > 0 || it.ref == nil:
		return nil, giveUp
	case pieced(it.ref) && it.kind == itemCall:
		return e.next, p.fastPieces(it)
	case it.ref.Prog != nil && it.ref.Hops == 0 && it.kind == itemEnum && len(p.fast) == 1:
		return e.next, p.fastComputed(it)
	}
	return nil, giveUp
}

// fastPieces reads an operand in several pieces as a whole.
func (p *Parser) fastPieces(it *item) verdict {
	g := p.ready(it.call)
	if g.quick == nil || it.extent != anyExtent {
		return giveUp
	}
	q, end := g.quick.find(p.src, p.skipBlank())
	if q == nil || q.defaults != 0 {
		return giveUp
	}
	f := &p.fast[len(p.fast)-1]
	val, known := q.val, q.known
	for i := len(it.ref.Field.Parts) - 1; i >= 0; i-- {
		part := it.ref.Field.Parts[i]
		if !p.putMasked(f.space, f.low+part.Low, part.Width, val&ones(part.Width), known&ones(part.Width)) {
			return giveUp
		}
		val, known = val>>uint(part.Width), known>>uint(part.Width)
	}
	p.loosely = p.loosely || q.size > 0 && end-p.pos != q.size
	p.pos = max(p.pos, end)
	return took
}

// fastComputed reads the text of a computed value whose bits are known by now.
func (p *Parser) fastComputed(it *item) verdict {
	if it.extent == noText {
		return giveUp
	}
	pos := p.skipBlank()
	found, end := it.words.find(p.src, pos, len(p.src)+1)
	if found == nil || end == pos && it.extent == someText {
		return absent
	}
	v, known := p.eval(it.ref.Prog.Root, 0)
	if it.ref.Kind != spec.KindEnum {
		v = truthBit(v != 0)
	}
	if !known || v != found.first {
		return giveUp
	}
	p.loosely = p.loosely || found.firstAlias || found.size > 0 && end-p.pos != found.size
	if end > pos {
		p.pos = end
	}
	return took
}

// fastBehindBlank takes a blank and what stands behind it; absent, and nothing taken, if nothing does.
func (p *Parser) fastBehindBlank(e *edge) (*node, verdict) {
	at := p.pos
	loosely := p.loosely
	v := p.fastBlank(&e.item)
	n := e.next
	if v != took || n.literals != nil || n.literal != nil || n.set != nil || len(n.accepts) > 0 {
		return n, v
	}
	if next, v := p.fastEdge(n); v != absent {
		return next, v
	}
	p.pos, p.loosely = at, loosely
	return nil, absent
}
