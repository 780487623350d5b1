package asm

import (
	mathbits "math/bits"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/spec"
)

// match reads one item and goes on behind it; s is nothing at the first try.
func (w *walker) match(e *edge, s again) bool {
	it, next := &e.item, e.next
	if len(it.conds) > 0 && s == (again{}) && !w.require(it.conds) {
		return false
	}
	switch it.kind {
	case itemBlank:
		return w.matchBlank(next, it.padding)
	case itemEnum:
		return w.matchWord(e, s)
	case itemCall:
		return w.matchCall(e, int(s.n))
	case itemSet:
		return w.matchSet(e, int(s.n))
	case itemSetEnd:
		return w.memberDone()
	case itemNothing:
		w.node = next
		return it.extent != someText
	case itemCustom:
		if w.caller.Custom != nil {
			return w.matchCustom(e)
		}
	}
	return w.matchNumber(e, s)
}

// matchBlank takes a blank, or nothing beside punctuation, another blank, or an end of the line.
// padding may be nothing anywhere.
func (w *walker) matchBlank(next *node, padding bool) bool {
	switch {
	case w.pos < len(w.src) && w.src[w.pos] == ' ':
		w.pos++
	case w.pos == 0 || w.pos == len(w.src) || w.src[w.pos-1] == ' ':
	case padding:
	case (loose[w.src[w.pos-1]] || loose[w.src[w.pos]]) && w.spelled(false):
	default:
		w.failure.expect(w.pos, aBlank)
		return false
	}
	w.node = next
	return true
}

// findWord finds the longest text that ends before limit.
func (w *walker) findWord(t *trie, pos, limit int) (found *word, end int) {
	return t.find(w.src, pos, limit, w.strict)
}

// matchWord reads a text of an enum or a bool.
func (w *walker) matchWord(e *edge, s again) bool {
	it, next := &e.item, e.next
	if s.as == asNumber {
		return w.matchNumber(e, s)
	}
	pos, free, limit, tried := w.pos, w.skipBlank(), len(w.src)+1, int(s.tried)
	if s.n > 0 {
		limit = int(s.n)
	}
	switch own := w.hasBlank(it); {
	case it.extent == noText:
		limit = pos + 1
	case own && s.as == pastBlank && w.strict:
		return false
	case !own || s.as == pastBlank:
		pos = free
	case free > pos && s == again{}:
		w.save(e, again{as: pastBlank})
	}
	found, end := w.findWord(it.words, pos, limit)
	if found == nil || end == pos && it.extent == someText {
		if it.ref.Kind == spec.KindEnum && it.extent != noText {
			return w.matchNumber(e, again{})
		}
		w.failure.expectItem(pos, it)
		return false
	}
	if end+1 < limit {
		tried = 0 // of a longer text, which does not stand here as it is printed
	}
	switch {
	case tried+1 < len(found.values):
		w.save(e, again{int32(end + 1), uint8(tried + 1), s.as})
	case end > pos && w.otherwise(it, found, next, pos):
		w.save(e, again{n: int32(max(end, 1)), as: s.as})
	case it.ref.Kind == spec.KindEnum && it.extent == anyExtent && pos < len(w.src) && digitValue[w.src[pos]] < 10:
		w.save(e, again{as: asNumber})
	}
	if end == pos {
		end = w.pos // nothing was read, the blank included
	}
	if !w.spelled(end-w.pos == len(found.text) && !found.aliases[tried]) || !w.bind(it, found.values[tried], end) {
		return false
	}
	w.pos, w.node = end, next
	return true
}

// hasBlank reports whether a text of an enum or a bool can have the blank that stands here.
func (w *walker) hasBlank(it *item) bool {
	return w.pos < len(w.src) && w.src[w.pos] == ' ' && it.extent != noText && it.words.after(it.words.start(), ' ') != nil
}

// otherwise reports whether the text of an enum or a bool at pos can be read in another way than as the
// longest text that it has: as a shorter one, as nothing, or as a number.
func (w *walker) otherwise(it *item, longest *word, next *node, pos int) bool {
	return w.everyWay() || longest.shorter || it.numbers && numeric[w.src[pos]] ||
		it.words.start().ends != nil && it.extent == anyExtent && w.follows(next, w.pos)
}

// matchCall reads a nested value.
func (w *walker) matchCall(e *edge, way int) bool {
	it, next := &e.item, e.next
	depth := w.frames[w.frame].depth + 1
	if depth == maxNested {
		w.failure.failAt(diag.TextAmbiguous, w.pos, w.pos, "operands nested more than %d deep in %s", maxNested, it.name)
		return false
	}
	inner, ok := w.open(it)
	if !ok {
		return false
	}
	w.push(callFrame{parent: w.frame, scope: inner, ret: next, extent: it.extent, from: w.pos, depth: depth}, w.ready(it.call).start)
	return true
}

// push goes on at a node of a value or a member of a set.
func (w *walker) push(f callFrame, n *node) {
	w.frames = append(w.frames, f)
	w.frame, w.node = int32(len(w.frames)-1), n
}

// matchSet reads a set of options.
func (w *walker) matchSet(e *edge, way int) bool {
	it, f := &e.item, &w.frames[w.frame]
	w.push(callFrame{parent: w.frame, scope: f.scope, ret: e.next, set: it.set, extent: it.extent, from: w.pos, depth: f.depth}, it.set.at)
	return w.member(0)
}

// member reads the next member of a set, in any order, or ends it. state is the member to try.
func (w *walker) member(state int) bool {
	f, s := &w.frames[w.frame], w.node.set
	if f.extent != noText && !f.closing {
		if may := w.mayStart(s, f.used) >> uint(state) << uint(state); may != 0 {
			return w.takeMember(s, mathbits.TrailingZeros64(may))
		}
	}
	if !f.closing && (f.extent == someText && f.used == 0 || !w.everyWay() && !w.endsAt(w.pos)) {
		return false
	}
	return w.absent(s, *f)
}

// takeMember reads the member of a set with that number.
func (w *walker) takeMember(s *setItem, i int) bool {
	w.save(nil, nth(i+1))
	f := w.frames[w.frame]
	if f.used != 0 && !w.text(s.join) || !w.spelled(f.used>>uint(i) == 0) {
		return false
	}
	f.used |= 1 << uint(i)
	w.push(f, s.members[i])
	return true
}

// mayStart returns those members of a set beside the used ones that can stand here; all of them where what joins them comes
// first.
func (w *walker) mayStart(s *setItem, used uint64) (members uint64) {
	rest := (uint64(1)<<uint(len(s.members)) - 1) &^ used
	if w.everyWay() {
		return rest
	}
	a := w.firstSets(w.node)
	switch {
	case !w.stands(&a.node, w.pos):
		return 0
	case used != 0 && s.joined:
		return rest
	}
	for m := rest &^ a.alone; m != 0; m &= m - 1 {
		if i := mathbits.TrailingZeros64(m); w.stands(&a.others[i], w.pos) {
			members |= 1 << uint(i)
		}
	}
	if rest&a.alone == 0 {
		return members
	}
	pos := w.pos
	if w.src[pos] == ' ' {
		pos++
	}
	if found, end := w.findWord(a.words, pos, len(w.src)+1); found != nil && end > pos {
		members |= found.members & rest
	}
	return members
}

// absent gives the members that were not read values that print nothing, and goes on behind the set; those of a free set
// have any value, and text that lacks one that is always printed is no printed text. A member that is more than one item
// is read as others are, and comes back here.
func (w *walker) absent(s *setItem, f callFrame) bool {
	f.closing = true
	for i, n := range s.absent {
		if f.used>>uint(i)&1 != 0 {
			continue
		}
		if s.free {
			if !w.firstSets(n).node.empty && !w.spelled(false) {
				return false
			}
			continue
		}
		f.used |= 1 << uint(i)
		w.push(f, n)
		if n.open(); n.only == nil || n.only.item.kind == itemCall {
			return true
		}
		if !w.match(n.only, again{}) {
			return false
		}
	}
	w.frame, w.node = f.parent, f.ret
	return true
}

// memberDone returns from a member to its set.
func (w *walker) memberDone() bool {
	w.node = w.frames[w.frame].set.at
	return true
}

// text takes a piece of text with its blanks.
func (w *walker) text(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			if !w.matchBlank(w.node, false) {
				return false
			}
			continue
		}
		pos := w.skipBlank()
		if pos >= len(w.src) || w.src[pos] != s[i] || !w.spelled(pos == w.pos) {
			w.failure.expectItem(pos, &item{kind: itemLiteral, text: s})
			return false
		}
		w.pos = pos + 1
	}
	return true
}

// matchCustom reads what a hook prints.
func (w *walker) matchCustom(e *edge) bool {
	it, next := &e.item, e.next
	w.node, w.asked = next, true
	pos := w.skipBlank()
	v, n, ok := w.caller.Custom(w.raw[pos:], it.ref.Field.Name)
	switch {
	case !ok || n > len(w.raw)-pos || n == 0 && it.extent == someText || n > 0 && it.extent == noText:
		w.failure.expectItem(pos, it)
		return false
	case !w.spelled(n == 0 || pos == w.pos) || !w.bind(it, v, pos+n):
		return false
	case n > 0:
		w.pos = pos + n
	}
	return true
}
