package asm

import (
	mathbits "math/bits"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// match reads the item of an edge, continues after it, and reports whether the text matched. s is the zero value,
// unless match resumes at a choice.
func (m *matcher) match(e *edge, s resumePoint) bool {
	it, next := &e.item, e.next
	if len(it.conds) > 0 && s == (resumePoint{}) && !m.require(it.conds) {
		return false
	}
	switch it.kind {
	case itemBlank:
		return m.matchBlank(next, it.padding)
	case itemEnum:
		return m.matchWord(e, s)
	case itemCall:
		return m.matchCall(e)
	case itemSet:
		return m.matchSet(e)
	case itemSetEnd:
		return m.memberDone()
	case itemNothing:
		m.node = next
		return it.extent != someText
	case itemCustom:
		if m.caller.Custom != nil {
			return m.matchCustom(e)
		}
	}
	return m.matchNumber(e, s)
}

// matchBlank reads a blank. The blank may be absent next to punctuation, after another blank, and at both ends of the
// line. Padding may be absent anywhere.
func (m *matcher) matchBlank(next *node, padding bool) bool {
	switch {
	case m.pos < len(m.src) && m.src[m.pos] == ' ':
		m.pos++
	case m.completion.needsBlank(padding):
		return false
	case m.pos == 0 || m.pos == len(m.src) || m.src[m.pos-1] == ' ':
	case padding:
	case (punctuation[m.src[m.pos-1]] || punctuation[m.src[m.pos]]) && m.spelled(false):
	default:
		m.failure.expect(m.pos, &blankItem)
		return false
	}
	m.node = next
	return true
}

// findWord finds the longest text that matches at pos and ends before limit.
func (m *matcher) findWord(t *trie, pos, limit int) (found *word, end int) {
	return t.find(m.src, pos, limit, m.strict)
}

// matchWord reads a text of an enum or a bool.
func (m *matcher) matchWord(e *edge, s resumePoint) bool {
	it, next := &e.item, e.next
	if s.as == asNumber {
		return m.matchNumber(e, s)
	}
	pos, free, limit, tried := m.pos, m.skipBlank(), len(m.src)+1, int(s.tried)
	if s.n > 0 {
		limit = int(s.n)
	}
	switch own := m.hasBlank(it); {
	case it.extent == noText:
		limit = pos + 1
	case own && s.as == pastBlank && m.strict:
		return false
	case !own || s.as == pastBlank:
		pos = free
	case free > pos && s == resumePoint{}:
		m.save(e, resumePoint{as: pastBlank})
	}
	found, end := m.findWord(it.words, pos, limit)
	if found == nil || end == pos && it.extent == someText {
		if it.ref.Kind == spec.KindEnum && it.extent != noText {
			return m.matchNumber(e, resumePoint{})
		}
		m.failure.expect(pos, it)
		return false
	}
	if end+1 < limit {
		tried = 0 // tried counts values of a longer text, which does not match in strict mode
	}
	switch {
	case tried+1 < len(found.values):
		m.save(e, resumePoint{int32(end + 1), uint8(tried + 1), s.as})
	case end > pos && m.otherwise(it, found, next, pos):
		m.save(e, resumePoint{n: int32(max(end, 1)), as: s.as})
	case it.ref.Kind == spec.KindEnum && it.extent == anyExtent && pos < len(m.src) && digitValue[m.src[pos]] < 10:
		m.save(e, resumePoint{as: asNumber})
	}
	if end == pos {
		end = m.pos // nothing was read, not even a blank
	}
	if !m.spelled(end-m.pos == len(found.text) && !found.aliases[tried]) || !m.bind(it, found.values[tried], end) {
		return false
	}
	m.accept(it, pos, end, next)
	return true
}

// hasBlank reports whether the blank at the current position may belong to a text of an enum or a bool.
func (m *matcher) hasBlank(it *item) bool {
	return m.pos < len(m.src) && m.src[m.pos] == ' ' && it.extent != noText && it.words.after(it.words.start(), ' ') != nil
}

// otherwise reports whether an enum or a bool at pos may have a reading other than the longest text that matches. Other
// readings are a shorter text, no text, and a number.
func (m *matcher) otherwise(it *item, longest *word, next *node, pos int) bool {
	return m.triesAll() || longest.shorter || it.numbers && numeric[m.src[pos]] ||
		it.words.start().ends != nil && it.extent == anyExtent && m.follows(next, m.pos)
}

// matchCall reads a nested value.
func (m *matcher) matchCall(e *edge) bool {
	it, next := &e.item, e.next
	depth := m.frames[m.frame].depth + 1
	if depth == maxNested {
		m.failure.failAt(diag.TextAmbiguous, m.pos, m.pos, "operands nested more than %d deep in %s", maxNested, it.name)
		return false
	}
	inner, ok := m.open(it)
	if !ok {
		return false
	}
	m.push(callFrame{parent: m.frame, scope: inner, ret: next, extent: it.extent, from: m.pos, depth: depth}, m.ready(it.call).start)
	return true
}

// push enters frame f. Parsing continues at n, the first node of its value or member.
func (m *matcher) push(f callFrame, n *node) {
	m.frames = append(m.frames, f)
	m.frame, m.node = int32(len(m.frames)-1), n
}

// matchSet reads a set of optional members.
func (m *matcher) matchSet(e *edge) bool {
	it, f := &e.item, &m.frames[m.frame]
	m.push(callFrame{parent: m.frame, scope: f.scope, ret: e.next, set: it.set, extent: it.extent, from: m.pos, depth: f.depth}, it.set.at)
	return m.member(0)
}

// member reads the next member of a set, in any order, or ends the set. state is the index of the first member to try.
func (m *matcher) member(state int) bool {
	f, s := &m.frames[m.frame], m.node.set
	if f.extent != noText && !f.closing {
		if may := m.mayStart(s, f.used) >> uint(state) << uint(state); may != 0 {
			return m.readMember(s, mathbits.TrailingZeros64(may))
		}
	}
	if !f.closing && (f.extent == someText && f.used == 0 || !m.triesAll() && !m.endsAt(m.pos)) {
		return false
	}
	return m.absent(s, *f)
}

// readMember reads member i of a set.
func (m *matcher) readMember(s *setItem, i int) bool {
	m.save(nil, nth(i+1))
	f := m.frames[m.frame]
	if f.used != 0 && !m.text(s.join) || !m.spelled(f.used>>uint(i) == 0) {
		return false
	}
	f.used |= 1 << uint(i)
	m.push(f, s.members[i])
	return true
}

// mayStart returns the bit set of the unused members of a set that can start at the current position. If a separator
// comes first, it returns all unused members.
func (m *matcher) mayStart(s *setItem, used uint64) (members uint64) {
	rest := (uint64(1)<<uint(len(s.members)) - 1) &^ used
	if m.triesAll() {
		return rest
	}
	a := m.firstSets(m.node)
	switch {
	case !m.startsAt(&a.node, m.pos):
		return 0
	case used != 0 && s.joined:
		return rest
	}
	for left := rest &^ a.enums; left != 0; left &= left - 1 {
		if i := mathbits.TrailingZeros64(left); m.startsAt(&a.others[i], m.pos) {
			members |= 1 << uint(i)
		}
	}
	if rest&a.enums == 0 {
		return members
	}
	pos := m.pos
	if m.src[pos] == ' ' {
		pos++
	}
	if found, end := m.findWord(a.words, pos, len(m.src)+1); found != nil && end > pos {
		members |= found.members & rest
	}
	return members
}

// absent ends a set. It sets each absent member to the value that prints nothing. If a member has more than one item,
// absent parses it like other members and is called again after it. In a free set, the bits of absent members stay
// open, and a text without a member that always prints is not in printed form.
func (m *matcher) absent(s *setItem, f callFrame) bool {
	f.closing = true
	for i, n := range s.absent {
		if f.used>>uint(i)&1 != 0 {
			continue
		}
		if s.free {
			if !m.firstSets(n).node.empty && !m.spelled(false) {
				return false
			}
			continue
		}
		f.used |= 1 << uint(i)
		m.push(f, n)
		if n.open(); n.only == nil || n.only.item.kind == itemCall {
			return true
		}
		if !m.match(n.only, resumePoint{}) {
			return false
		}
	}
	m.frame, m.node = f.parent, f.ret
	return true
}

// memberDone returns from a member to its set.
func (m *matcher) memberDone() bool {
	m.node = m.frames[m.frame].set.at
	return true
}

// text reads the text s. Blanks in the input are optional next to punctuation.
func (m *matcher) text(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			if !m.matchBlank(m.node, false) {
				return false
			}
			continue
		}
		pos := m.skipBlank()
		if pos >= len(m.src) || m.src[pos] != s[i] || !m.spelled(pos == m.pos) {
			m.failure.expect(pos, &m.node.set.joint)
			return false
		}
		m.accept(&m.node.set.joint, pos, pos+1, m.node)
	}
	return true
}

// matchCustom reads a field with the caller's hook.
func (m *matcher) matchCustom(e *edge) bool {
	it, next := &e.item, e.next
	m.node, m.asked = next, true
	pos := m.skipBlank()
	v, n, ok := m.caller.Custom(m.raw[pos:], it.ref.Field.Name)
	switch {
	case !ok || n > len(m.raw)-pos || n == 0 && it.extent == someText || n > 0 && it.extent == noText:
		m.failure.expect(pos, it)
		return false
	case !m.spelled(n == 0 || pos == m.pos) || !m.bind(it, v, pos+n):
		return false
	case n > 0:
		m.accept(it, pos, pos+n, next)
	}
	return true
}
