package asm

import (
	"iter"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// scopeOf returns the scope of the present frame, so many scopes up.
func (p *Parser) scopeOf(scopeDepth int) int32 { return p.up(p.frames[p.frame].scope, scopeDepth) }

// open makes the scope of a nested value, and those that a path to it passes through.
func (p *Parser) open(it *item) (int32, bool) {
	ref := it.ref
	from := p.scopeOf(ref.ScopeDepth)
	up := p.frames[p.frame].scope
	switch {
	case it.spread != nil && !p.everyWay(): // which would give other reasons
		return p.openSpread(it.spread, ref, from, up), true
	case ref.Prog != nil:
		return p.openDerived(ref, from, up)
	}
	for _, e := range ref.Enter {
		var ok bool
		if from, ok = p.inner(e, from, up); !ok {
			return 0, false
		}
		up = from
	}
	return p.inner(ref, from, up)
}

// inner adds the scope of a bitset field of scope from; names climb from it to scope up.
func (p *Parser) inner(ref *model.Ref, from, up int32) (int32, bool) {
	s := scope{up: up, size: ref.Env.Root.Size}
	if ref.Field.Table != nil {
		sp, ok := p.entry(ref.Field, &p.scopes[from])
		if !ok {
			return 0, false
		}
		s.space = sp
	} else {
		outer := &p.scopes[from]
		s.space = outer.space
		s.low, s.parts = outer.place(ref.Field.Parts)
	}
	return p.addScope(s), true
}

// addScope adds a scope and returns its number.
func (p *Parser) addScope(s scope) int32 {
	p.scopes = append(p.scopes, s)
	return int32(len(p.scopes) - 1)
}

// openSpread makes the scope of a computed value that is bits of a scope.
func (p *Parser) openSpread(s *spread, ref *model.Ref, from, up int32) int32 {
	home := &p.scopes[p.up(from, s.scopeDepth)]
	inner := scope{up: up, space: home.space, size: ref.Env.Root.Size}
	inner.low, inner.parts = home.place(s.parts)
	return p.addScope(inner)
}

// bindSpread sets the bits of a scope that are a computed value, of which the others must be as they always are.
func (p *Parser) bindSpread(x *spread, scope int32, v uint64, end int) bool {
	home := &p.scopes[p.up(scope, x.scopeDepth)]
	return v&x.zeros == 0 && v&x.ones == x.ones && p.setPieces(home, x.parts, bits.Of(v&^x.ones), bits.Of(^uint64(0)), end)
}

// openDerived makes a space of its own for a nested value that is computed; its bits are compared
// with the expression when they are known.
func (p *Parser) openDerived(ref *model.Ref, from, up int32) (int32, bool) {
	sp, ok := p.openSpace()
	if !ok {
		return 0, false
	}
	inner := p.addScope(scope{up: up, space: sp, size: ref.Env.Root.Size})
	p.cons = append(p.cons, constraint{prog: ref.Prog, scope: from, nested: inner, kind: wantNested, width: int32(ref.Env.Root.Size)})
	return inner, true
}

// entry returns the space of a table entry, one for each index field.
func (p *Parser) entry(f *spec.Field, home *scope) (uint8, bool) {
	for i := spaceTable; i < p.nspaces; i++ {
		if s := &p.spaces[i]; s.field == f && s.home.same(home) {
			return uint8(i), true
		}
	}
	sp, ok := p.openSpace()
	if ok {
		p.spaces[sp].field, p.spaces[sp].home = f, *home
	}
	return sp, ok
}

// openSpace adds a space; ok is false where there is no room.
func (p *Parser) openSpace() (sp uint8, ok bool) {
	if p.nspaces == maxSpaces {
		p.failAt(diag.TextAmbiguous, p.pos, p.pos, "more than %d operands beside the word", maxSpaces)
		return 0, false
	}
	p.spaces[p.nspaces] = space{}
	p.nspaces++
	return uint8(p.nspaces - 1), true
}

// same reports whether two scopes are the same bits.
func (s *scope) same(x *scope) bool {
	return s.space == x.space && s.low == x.low && (s.parts == nil && x.parts == nil || slices.Equal(s.parts, x.parts))
}

// pieces yields where runs of bits of the scope are in its space, the least significant first; the list has the most
// significant first.
func (s *scope) pieces(list []spec.Part) iter.Seq2[int, int] {
	return func(yield func(low, width int) bool) {
		for i := len(list) - 1; i >= 0; i-- {
			run, base := list[i], 0
			if (s.parts == nil || run.Low == zeros) && !yield(bitOf(run, s.low), run.Width) {
				return
			}
			for j := len(s.parts) - 1; j >= 0; j-- {
				part := s.parts[j]
				low, high := max(run.Low, base), min(run.Low+run.Width, base+part.Width)
				if run.Low != zeros && low < high && !yield(bitOf(part, low-base), high-low) {
					return
				}
				base += part.Width
			}
		}
	}
}

// bitOf returns the place of a bit of a part.
func bitOf(part spec.Part, at int) int {
	if part.Low == zeros {
		return zeros
	}
	return part.Low + at
}

// compose lists where runs of bits of the scope are in its space, the most significant first as they are.
func (s *scope) compose(list []spec.Part) (parts []spec.Part) {
	for low, width := range s.pieces(list) {
		parts = append(parts, spec.Part{Low: low, Width: width})
	}
	slices.Reverse(parts)
	return parts
}

// place maps runs of bits of the scope to its space: one piece from low upwards, or parts.
func (s *scope) place(list []spec.Part) (low int, parts []spec.Part) {
	switch {
	case s.parts == nil && len(list) == 1 && list[0].Low != zeros:
		return s.low + list[0].Low, nil
	case s.parts == nil && s.low == 0:
		return -1, list
	}
	if parts = s.compose(list); len(parts) == 1 && parts[0].Low != zeros {
		return parts[0].Low, nil
	}
	return -1, parts
}

// bind gives a reference a value that text has named.
func (p *Parser) bind(it *item, v uint64, end int) bool {
	ref := it.ref
	if ref.Context != nil {
		return p.setSome(spaceContext, ref.Low, ref.Width, v, ones(ref.Width), end)
	}
	scope := p.scopeOf(ref.ScopeDepth)
	switch {
	case it.spread != nil && p.failure == nil:
		return p.bindSpread(it.spread, scope, v, end)
	case ref.Prog != nil:
		return p.bindComputed(derivedConstraint(ref, scope, v), end)
	case ref.Width < 64 && v>>uint(ref.Width) != 0:
		if p.failure != nil {
			p.failAt(diag.TextRange, p.skipBlank(), end, "%d does not fit the %d bits of %s", v, ref.Width, ref.Name())
		}
		return false
	case ref.Width <= 64:
		return p.bindSome(ref, scope, v, ones(ref.Width), end)
	}
	return p.bindMasked(ref, scope, bits.Of(v), bits.Ones(ref.Width), end)
}

// bindSome is bindMasked for up to 64 bits.
func (p *Parser) bindSome(ref *model.Ref, scope int32, v, mask uint64, end int) bool {
	if sp, low, ok := p.runAt(ref, scope); ok {
		return p.setSome(sp, low, ref.Width, v, mask&ones(ref.Width), end)
	}
	return p.bindMasked(ref, scope, bits.Of(v), bits.Of(mask), end)
}

// bindMasked sets those bits that are set in mask of a field that stands in scope, or at the end of a path from it.
func (p *Parser) bindMasked(ref *model.Ref, scope int32, v, mask bits.Value, end int) bool {
	s, ok := p.enter(ref, scope)
	switch {
	case !ok:
		return false
	case ref.Field.Table == nil || ref.Kind != spec.KindBitset || ref.Env == nil:
		return p.setPieces(&s, ref.Field.Parts, v, mask, end)
	}
	sp, ok := p.entry(ref.Field, &s)
	return ok && p.setMasked(sp, 0, mask.Len(), v, mask, end)
}

// setPieces sets those bits of runs of a scope that are in the mask.
func (p *Parser) setPieces(s *scope, list []spec.Part, v, mask bits.Value, end int) bool {
	at := 0
	for low, width := range s.pieces(list) {
		if !p.setFrom(at, s.space, low, width, &v, &mask, end) {
			return false
		}
		at += width
	}
	return true
}

// runAt returns where the bits of a field are that stands in scope, or at the end of a path from it; ok is false where
// they are not in one piece of at most 64.
func (p *Parser) runAt(ref *model.Ref, scope int32) (sp uint8, low int, ok bool) {
	s := &p.scopes[scope]
	switch {
	case ref.At < 0:
		return 0, 0, false
	case ref.Entry != nil:
		sp, ok = p.entry(ref.Entry, s)
		return sp, ref.At, ok
	}
	return s.space, s.low + ref.At, s.parts == nil
}

// enter returns the scope at the end of a path.
func (p *Parser) enter(ref *model.Ref, from int32) (s scope, ok bool) {
	s, ok = p.scopes[from], true
	for i := 0; ok && i < len(ref.Enter); i++ {
		s, ok = p.step(ref.Enter[i], s)
	}
	return s, ok
}

// step enters one field of a path without adding a scope.
func (p *Parser) step(e *model.Ref, s scope) (scope, bool) {
	if e.Field.Table != nil {
		sp, ok := p.entry(e.Field, &s)
		return scope{space: sp}, ok
	}
	s.low, s.parts = s.place(e.Field.Parts)
	s.up = max(s.up, 0) // inside the instruction
	return s, true
}

// setMasked sets bits of the mask.
func (p *Parser) setMasked(sp uint8, low, width int, v, mask bits.Value, end int) bool {
	return p.setFrom(0, sp, low, width, &v, &mask, end)
}

// setFrom sets bits of the mask, of which the first is at.
func (p *Parser) setFrom(at int, sp uint8, low, width int, v, mask *bits.Value, end int) bool {
	for i := 0; i < width; i += 64 {
		size := min(64, width-i)
		value, some := v.Uint(at+i, size), mask.Uint(at+i, size)
		switch {
		case some == 0:
			continue
		case low == zeros:
			if value&some != 0 {
				return false
			}
			continue
		}
		if !p.setSome(sp, low+i, size, value, some, end) {
			return false
		}
	}
	return true
}

// setSome sets those of up to 64 bits that are in the mask, which has no others. It fails where one of them is known to be different. They
// are set by text that ends at end.
func (p *Parser) setSome(sp uint8, low, width int, v, mask uint64, end int) bool {
	if p.failure != nil {
		return p.setNoted(sp, low, width, v, mask, end)
	}
	limb, shift := low>>6&3, uint(low)&63
	if !p.setLimb(sp, limb, v<<shift, mask<<shift) {
		return false
	}
	above := mask >> 1 >> (^shift & 63)
	return above == 0 || p.setLimb(sp, (limb+1)&3, v>>1>>(^shift&63), above)
}

// setNoted is setSome where the reasons are wanted.
func (p *Parser) setNoted(sp uint8, low, width int, v, mask uint64, end int) (ok bool) {
	mark, f := len(p.trail), p.failure
	p.failure = nil
	ok = p.setSome(sp, low, width, v, mask, end)
	p.failure = f
	p.noteOrigins(mark, origin{p.readUpTo(end), low, width})
	if !ok {
		p.undo(mark)
		p.conflict(sp, low, v, mask, end)
	}
	return ok
}

// setLimb sets the bits of the mask in one limb of a space.
func (p *Parser) setLimb(sp uint8, limb int, v, mask uint64) bool {
	s := &p.spaces[sp]
	if (s.val[limb]^v)&s.known[limb]&mask != 0 {
		return false
	}
	if fresh := mask &^ s.known[limb]; fresh != 0 {
		p.trail = append(p.trail, undo{space: sp, limb: uint8(limb), set: fresh})
		s.known[limb] |= fresh
		s.val[limb] |= v & fresh
	}
	return true
}

// bindPattern sets the fixed bits of a leaf.
func (p *Parser) bindPattern(scope int32, l *model.Leaf) bool {
	s := &p.scopes[scope]
	if s.parts == nil {
		return p.setFrom(0, s.space, s.low, l.Size, &l.Match, &l.Mask, p.pos)
	}
	return p.setPieces(s, []spec.Part{{Width: l.Size}}, l.Match, l.Mask, p.pos)
}

// allKnown reports whether every bit of a scope has its value.
func (p *Parser) allKnown(scope int32) bool {
	s := &p.scopes[scope]
	if s.parts == nil && s.size <= 64 {
		return p.spaces[s.space].known.Uint(s.low, s.size) == ones(s.size)
	}
	for low, width := range s.pieces([]spec.Part{{Width: s.size}}) {
		for at := 0; low != zeros && at < width; at += 64 {
			if n := min(64, width-at); p.spaces[s.space].known.Uint(low+at, n) != ones(n) {
				return false
			}
		}
	}
	return true
}

func ones(width int) uint64 { return ^uint64(0) >> (64 - uint(width)) }

// give sets up to 64 bits of a scope from one on.
func (p *Parser) give(s *scope, low int, val, known uint64) bool {
	if s.parts == nil {
		return p.setSome(s.space, s.low+low, 64, val, known, p.pos)
	}
	return p.setPieces(s, []spec.Part{{Low: low, Width: mathbits.Len64(known)}}, bits.Of(val), bits.Of(known), p.pos)
}
