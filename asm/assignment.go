package asm

import (
	"iter"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// assignment holds the known values of bits that text can specify: bits of the word, of contexts, of table entries and
// of computed values. A trail records each bit that becomes known, so that backtracking can undo it.
type assignment struct {
	parseState
	trail []trailEntry
	// pos is the position in the text at which parsing continues.
	pos int
	// failure collects the reasons why bits cannot be set. It is nil unless an error is being explained.
	failure *failure
	// exhaustive is set to turn off the pruning of alternatives that cannot succeed. Tests compare results with and
	// without pruning.
	exhaustive bool
}

// space is a group of bits that text can specify: the word, the contexts, a table entry, or a computed value.
type space struct {
	val, known bits.Value
	// assumed is the mask of the known bits that come from defaults, not from the text.
	assumed bits.Value
	// field is the index field of a table entry, and home is the scope that contains the field. field is nil for other
	// spaces.
	field *spec.Field
	home  scope
}

const (
	spaceWord = iota
	spaceContext
	spaceTable
)

// trailEntry records the bits of one 64-bit limb of a space that became known together.
type trailEntry struct {
	space, limb uint8
	set         uint64
}

// scope maps the bits of a nested value to the space that contains them.
type scope struct {
	up    int32 // the enclosing scope, or -1 for the instruction itself
	space uint8
	// low is the first bit of a contiguous value in its space. For other values, low is -1 and parts lists the pieces.
	low   int
	size  int
	parts []bits.Part
}

// inner adds a scope for the value of a bitset field and returns the number of the new scope. from is the scope that
// contains the field. up is the scope that encloses the new scope when names are looked up. The second result is false
// if the value is a table entry for which no space is left.
func (a *assignment) inner(ref *model.Ref, from, up int32) (int32, bool) {
	s := scope{up: up, size: ref.Env.Root.Size}
	if ref.Field.Table != nil {
		sp, ok := a.entry(ref.Field, &a.scopes[from])
		if !ok {
			return 0, false
		}
		s.space = sp
	} else {
		outer := &a.scopes[from]
		s.space = outer.space
		s.low, s.parts = outer.place(ref.Field.Parts)
	}
	return a.addScope(s), true
}

// addScope adds a scope and returns its number.
func (a *assignment) addScope(s scope) int32 {
	a.scopes = append(a.scopes, s)
	return int32(len(a.scopes) - 1)
}

// openSpread adds the scope of a computed value that consists of bits of another scope (see spread), and returns the
// number of the new scope.
func (a *assignment) openSpread(s *spread, ref *model.Ref, from, up int32) int32 {
	home := &a.scopes[a.up(from, s.scopeDepth)]
	inner := scope{up: up, space: home.space, size: ref.Env.Root.Size}
	inner.low, inner.parts = home.place(s.parts)
	return a.addScope(inner)
}

// bindSpread sets the bits that make up a computed value to v. It returns false if v contradicts the constant bits of
// the value or bits that are already known.
func (a *assignment) bindSpread(x *spread, scope int32, v uint64, end int) bool {
	home := &a.scopes[a.up(scope, x.scopeDepth)]
	return v&x.zeros == 0 && v&x.ones == x.ones && a.setPieces(home, x.parts, bits.Of(v&^x.ones), bits.Of(^uint64(0)), end)
}

// entry returns the space of the table entry to which index field f refers, and adds the space if necessary. Two index
// fields never share a space. The second result is false if no space is left.
func (a *assignment) entry(f *spec.Field, home *scope) (uint8, bool) {
	for i := spaceTable; i < a.nspaces; i++ {
		if s := &a.spaces[i]; s.field == f && s.home.same(home) {
			return uint8(i), true
		}
	}
	sp, ok := a.openSpace()
	if ok {
		a.spaces[sp].field, a.spaces[sp].home = f, *home
	}
	return sp, ok
}

// openSpace adds a space and returns its index. ok is false if there are already maxSpaces spaces.
func (a *assignment) openSpace() (sp uint8, ok bool) {
	if a.nspaces == maxSpaces {
		a.failure.failAt(diag.TextAmbiguous, a.pos, a.pos, "more than %d operands in addition to the word", maxSpaces)
		return 0, false
	}
	a.spaces[a.nspaces] = space{}
	a.nspaces++
	return uint8(a.nspaces - 1), true
}

// same reports whether two scopes cover the same bits.
func (s *scope) same(x *scope) bool {
	return s.space == x.space && s.low == x.low && (s.parts == nil && x.parts == nil || slices.Equal(s.parts, x.parts))
}

// pieces maps parts of the scope to runs of bits in its space. It yields the first bit and the width of each run. The
// first part in list is the most significant, but the first run that pieces yields is the least significant.
func (s *scope) pieces(list []bits.Part) iter.Seq2[int, int] {
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

// bitOf returns the position of a bit of a part. The index of the bit in the part is at. It returns zeros for a part
// whose bits are always 0.
func bitOf(part bits.Part, at int) int {
	if part.Low == zeros {
		return zeros
	}
	return part.Low + at
}

// compose maps parts of the scope to parts of its space. In both lists, the most significant part is first.
func (s *scope) compose(list []bits.Part) (parts []bits.Part) {
	for low, width := range s.pieces(list) {
		parts = append(parts, bits.Part{Low: low, Width: width})
	}
	slices.Reverse(parts)
	return parts
}

// place maps parts of the scope to its space. If the result is one run of bits in the space, low is the first bit of
// the run and parts is nil. Otherwise low is -1 and parts holds the mapped parts.
func (s *scope) place(list []bits.Part) (low int, parts []bits.Part) {
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

// bindSome is like bindMasked, but for up to 64 bits.
func (a *assignment) bindSome(ref *model.Ref, scope int32, v, mask uint64, end int) bool {
	if sp, low, ok := a.runAt(ref, scope); ok {
		return a.setSome(sp, low, ref.Width, v, mask&ones(ref.Width), end)
	}
	return a.bindMasked(ref, scope, bits.Of(v), bits.Of(mask), end)
}

// bindMasked copies the bits of v that are in mask to the field of a reference. The path of the reference starts at
// scope.
func (a *assignment) bindMasked(ref *model.Ref, scope int32, v, mask bits.Value, end int) bool {
	s, ok := a.enter(ref, scope)
	switch {
	case !ok:
		return false
	case ref.Field.Table == nil || ref.Kind != spec.KindBitset || ref.Env == nil:
		return a.setPieces(&s, ref.Field.Parts, v, mask, end)
	}
	sp, ok := a.entry(ref.Field, &s)
	return ok && a.setMasked(sp, 0, mask.Len(), v, mask, end)
}

// setPieces copies the bits of v that are in mask to parts of a scope.
func (a *assignment) setPieces(s *scope, list []bits.Part, v, mask bits.Value, end int) bool {
	at := 0
	for low, width := range s.pieces(list) {
		if !a.setFrom(at, s.space, low, width, &v, &mask, end) {
			return false
		}
		at += width
	}
	return true
}

// runAt returns the space and the first bit of the field of a reference. The path of the reference starts at scope. ok
// is false if the field is not one run of at most 64 bits, or if no space is left for its table entry.
func (a *assignment) runAt(ref *model.Ref, scope int32) (sp uint8, low int, ok bool) {
	s := &a.scopes[scope]
	switch {
	case ref.At < 0:
		return 0, 0, false
	case ref.Entry != nil:
		sp, ok = a.entry(ref.Entry, s)
		return sp, ref.At, ok
	}
	return s.space, s.low + ref.At, s.parts == nil
}

// enter follows the path of a reference and returns the scope at its end. The number of the scope at which the path
// starts is from. enter does not add the returned scope to a.scopes. ok is false if no space is left for a table entry.
func (a *assignment) enter(ref *model.Ref, from int32) (s scope, ok bool) {
	s, ok = a.scopes[from], true
	for i := 0; ok && i < len(ref.Path); i++ {
		s, ok = a.step(ref.Path[i], s)
	}
	return s, ok
}

// step returns the scope of the value of one field of a path. s is the scope that contains the field. step does not add
// a scope to a.scopes.
func (a *assignment) step(e *model.Ref, s scope) (scope, bool) {
	if e.Field.Table != nil {
		sp, ok := a.entry(e.Field, &s)
		return scope{space: sp}, ok
	}
	s.low, s.parts = s.place(e.Field.Parts)
	s.up = max(s.up, 0) // no longer the instruction itself
	return s, true
}

// setMasked copies the bits of v that are in mask to a run of a space.
func (a *assignment) setMasked(sp uint8, low, width int, v, mask bits.Value, end int) bool {
	return a.setFrom(0, sp, low, width, &v, &mask, end)
}

// setFrom is like setMasked, but the first bit of the run corresponds to bit number at of v and mask, not to bit 0.
func (a *assignment) setFrom(at int, sp uint8, low, width int, v, mask *bits.Value, end int) bool {
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
		if !a.setSome(sp, low+i, size, value, some, end) {
			return false
		}
	}
	return true
}

// setSome copies the bits of v that are in mask to a run of up to 64 bits. end is the end of the text that specifies
// the bits. mask must not have bits beyond width. setSome returns false if one of the bits is already known to have the
// other value.
func (a *assignment) setSome(sp uint8, low, width int, v, mask uint64, end int) bool {
	if a.failure != nil {
		return a.setNoted(sp, low, width, v, mask, end)
	}
	limb, shift := low>>6&3, uint(low)&63
	if !a.setLimb(sp, limb, v<<shift, mask<<shift) {
		return false
	}
	above := mask >> 1 >> (^shift & 63)
	return above == 0 || a.setLimb(sp, (limb+1)&3, v>>1>>(^shift&63), above)
}

// setNoted is setSome while failure collects reasons. It also records the text that sets the bits, or the conflict.
func (a *assignment) setNoted(sp uint8, low, width int, v, mask uint64, end int) (ok bool) {
	mark, f := len(a.trail), a.failure
	a.failure = nil
	ok = a.setSome(sp, low, width, v, mask, end)
	a.failure = f
	a.failure.noteOrigins(mark, origin{a.failure.readUpTo(end), low, width})
	if !ok {
		a.undo(mark)
		a.failure.conflict(sp, low, v, mask, end)
	}
	return ok
}

// setLimb copies the bits of v that are in mask to a 64-bit limb of a space. If one of the bits is already known to
// have the other value, setLimb sets nothing and returns false.
func (a *assignment) setLimb(sp uint8, limb int, v, mask uint64) bool {
	s := &a.spaces[sp]
	if (s.val[limb]^v)&s.known[limb]&mask != 0 {
		return false
	}
	if fresh := mask &^ s.known[limb]; fresh != 0 {
		a.trail = append(a.trail, trailEntry{space: sp, limb: uint8(limb), set: fresh})
		s.known[limb] |= fresh
		s.val[limb] |= v & fresh
	}
	return true
}

// bindPattern sets the fixed bits of a leaf.
func (a *assignment) bindPattern(scope int32, l *model.Leaf) bool {
	s := &a.scopes[scope]
	if s.parts == nil {
		return a.setFrom(0, s.space, s.low, l.Size, &l.Match, &l.Mask, a.pos)
	}
	return a.setPieces(s, []bits.Part{{Width: l.Size}}, l.Match, l.Mask, a.pos)
}

// allKnown reports whether every bit of a scope is known.
func (a *assignment) allKnown(scope int32) bool {
	s := &a.scopes[scope]
	if s.parts == nil && s.size <= 64 {
		return a.spaces[s.space].known.Uint(s.low, s.size) == ones(s.size)
	}
	for low, width := range s.pieces([]bits.Part{{Width: s.size}}) {
		for at := 0; low != zeros && at < width; at += 64 {
			if n := min(64, width-at); a.spaces[s.space].known.Uint(low+at, n) != ones(n) {
				return false
			}
		}
	}
	return true
}

func ones(width int) uint64 { return ^uint64(0) >> (64 - uint(width)) }

// setKnown copies the bits of val that are in known to a scope. Bit 0 of val corresponds to bit low of the scope.
func (a *assignment) setKnown(s *scope, low int, val, known uint64) bool {
	if s.parts == nil {
		return a.setSome(s.space, s.low+low, 64, val, known, a.pos)
	}
	return a.setPieces(s, []bits.Part{{Low: low, Width: mathbits.Len64(known)}}, bits.Of(val), bits.Of(known), a.pos)
}

// has reports whether the entry contains bit b.
func (u *trailEntry) has(b freeBit) bool {
	return b.space == u.space && uint8(b.low>>6) == u.limb && u.set>>uint(b.low&63)&1 != 0
}

// atTop reports whether the scope is the instruction itself, not a nested value.
func (s *scope) atTop() bool { return s.up < 0 }

func (a *assignment) undo(to int) {
	for n := len(a.trail) - 1; n >= to; n-- {
		u := &a.trail[n]
		s := &a.spaces[u.space]
		s.known[u.limb] &^= u.set
		s.val[u.limb] &^= u.set
		s.assumed[u.limb] &^= u.set
	}
	a.trail = a.trail[:to]
}

// triesAll reports whether the parser also tries alternatives that cannot succeed. It does so while errors are
// collected, and in some tests.
func (a *assignment) triesAll() bool { return a.failure != nil || a.exhaustive }

// up returns the scope that is scopeDepth scopes outward from scope.
func (a *assignment) up(scope int32, scopeDepth int) int32 {
	for ; scopeDepth > 0; scopeDepth-- {
		scope = a.scopes[scope].up
	}
	return scope
}

// bitsSince returns the bits that were set since the trail had the length mark, with their values.
func (a *assignment) bitsSince(mark int) (list []givenBit) {
	for _, u := range a.trail[mark:] {
		for set := u.set; set != 0; set &= set - 1 {
			low := 64*int(u.limb) + mathbits.TrailingZeros64(set)
			list = append(list, givenBit{freeBit{space: u.space, low: int16(low)}, a.spaces[u.space].val.Bit(low)})
		}
	}
	return list
}

// supposing calls read with exactly the bits of known marked as known in every space, and then restores the spaces.
// read must not set bits.
func (a *assignment) supposing(known bits.Value, read func()) {
	spaces := a.spaces
	for i := range a.spaces {
		a.spaces[i].known = known
	}
	read()
	a.spaces = spaces
}

// fillMasked sets the unknown bits of a space that are in mask to their values in v, and marks them as assumed.
func (a *assignment) fillMasked(sp uint8, v, mask *bits.Value) {
	s := &a.spaces[sp]
	for i, m := range mask {
		fresh := m &^ s.known[i]
		if fresh == 0 {
			continue
		}
		a.setLimb(sp, i, v[i], fresh)
		s.assumed[i] |= fresh
	}
}

// fill sets the unknown bits of parts of a scope to the low bits of v, and marks them as assumed.
func (a *assignment) fill(s *scope, list []bits.Part, v bits.Value) {
	for low, width := range s.pieces(list) {
		for at := 0; low != zeros && at < width; at += 64 {
			a.fillRun(s.space, low+at, min(64, width-at), v.Uint(at, 64))
		}
		v = v.Shr(width)
	}
}

// fillRun is like fill, but for a run of up to 64 bits.
func (a *assignment) fillRun(sp uint8, low, width int, v uint64) {
	s := &a.spaces[sp]
	unknown := ones(width) &^ s.known.Uint(low, width)
	if unknown == 0 {
		return
	}
	a.setSome(sp, low, width, v, unknown, a.pos)
	s.assumed.SetUint(low, width, s.assumed.Uint(low, width)|unknown)
}

// setBit sets a bit to v. ok is false if the bit is already known to have the other value.
func (a *assignment) setBit(b freeBit, v uint64) (ok bool) {
	return a.setSome(b.space, int(b.low), 1, v, 1, a.pos)
}

// values returns the values of bits. Unknown bits are 0.
func (a *assignment) values(list []freeBit) []uint64 {
	out := make([]uint64, len(list))
	for i, b := range list {
		s := &a.spaces[b.space]
		out[i] = s.val.Bit(int(b.low)) & s.known.Bit(int(b.low))
	}
	return out
}
