package asm

import (
	mathbits "math/bits"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/spec"
)

// match reads one item and goes on behind it; s is nothing at the first try.
func (p *Parser) match(e *edge, s again) bool {
	it, next := &e.item, e.next
	if len(it.conds) > 0 && s == (again{}) && !p.require(it.conds) {
		return false
	}
	switch it.kind {
	case itemBlank:
		return p.matchBlank(next, it.padding)
	case itemEnum:
		return p.matchWord(e, s)
	case itemCall:
		return p.matchCall(e, int(s.n))
	case itemSet:
		return p.matchSet(e, int(s.n))
	case itemSetEnd:
		return p.memberDone()
	case itemNothing:
		p.node = next
		return it.extent != someText
	case itemCustom:
		if p.Custom != nil {
			return p.matchCustom(e)
		}
	}
	return p.matchNumber(e, s)
}

// matchBlank takes a blank, or nothing beside punctuation, another blank, or an end of the line.
// padding may be nothing anywhere.
func (p *Parser) matchBlank(next *node, padding bool) bool {
	switch {
	case p.pos < len(p.src) && p.src[p.pos] == ' ':
		p.pos++
	case p.pos == 0 || p.pos == len(p.src) || p.src[p.pos-1] == ' ':
	case padding:
	case (loose[p.src[p.pos-1]] || loose[p.src[p.pos]]) && p.spelled(false):
	default:
		p.expect(p.pos, aBlank)
		return false
	}
	p.node = next
	return true
}

// findWord finds the longest text that ends before limit.
func (p *Parser) findWord(t *trie, pos, limit int) (found *word, end int) {
	return t.find(p.src, pos, limit, p.strict)
}

// matchWord reads a text of an enum or a bool.
func (p *Parser) matchWord(e *edge, s again) bool {
	it, next := &e.item, e.next
	if s.as == asNumber {
		return p.matchNumber(e, s)
	}
	pos, free, limit, tried := p.pos, p.skipBlank(), len(p.src)+1, int(s.tried)
	if s.n > 0 {
		limit = int(s.n)
	}
	switch own := p.hasBlank(it); {
	case it.extent == noText:
		limit = pos + 1
	case own && s.as == pastBlank && p.strict:
		return false
	case !own || s.as == pastBlank:
		pos = free
	case free > pos && s == again{}:
		p.save(e, again{as: pastBlank})
	}
	found, end := p.findWord(it.words, pos, limit)
	if found == nil || end == pos && it.extent == someText {
		if it.ref.Kind == spec.KindEnum && it.extent != noText {
			return p.matchNumber(e, again{})
		}
		p.expectItem(pos, it)
		return false
	}
	if end+1 < limit {
		tried = 0 // of a longer text, which does not stand here as it is printed
	}
	switch {
	case tried+1 < len(found.values):
		p.save(e, again{int32(end + 1), uint8(tried + 1), s.as})
	case end > pos && p.otherwise(it, found, next, pos):
		p.save(e, again{n: int32(max(end, 1)), as: s.as})
	case it.ref.Kind == spec.KindEnum && it.extent == anyExtent && pos < len(p.src) && digitValue[p.src[pos]] < 10:
		p.save(e, again{as: asNumber})
	}
	if end == pos {
		end = p.pos // nothing was read, the blank included
	}
	if !p.spelled(end-p.pos == len(found.text) && !found.aliases[tried]) || !p.bind(it, found.values[tried], end) {
		return false
	}
	p.pos, p.node = end, next
	return true
}

// hasBlank reports whether a text of an enum or a bool can have the blank that stands here.
func (p *Parser) hasBlank(it *item) bool {
	return p.pos < len(p.src) && p.src[p.pos] == ' ' && it.extent != noText && it.words.after(it.words.start(), ' ') != nil
}

// otherwise reports whether the text of an enum or a bool at pos can be read in another way than as the
// longest text that it has: as a shorter one, as nothing, or as a number.
func (p *Parser) otherwise(it *item, longest *word, next *node, pos int) bool {
	return p.everyWay() || longest.shorter || it.numbers && numeric[p.src[pos]] ||
		it.words.start().ends != nil && it.extent == anyExtent && p.follows(next, p.pos)
}

// matchCall reads a nested value.
func (p *Parser) matchCall(e *edge, way int) bool {
	it, next := &e.item, e.next
	depth := p.frames[p.frame].depth + 1
	if depth == maxNested {
		p.failAt(diag.TextAmbiguous, p.pos, p.pos, "operands nested more than %d deep in %s", maxNested, it.name)
		return false
	}
	inner, ok := p.open(it)
	if !ok {
		return false
	}
	p.push(callFrame{parent: p.frame, scope: inner, ret: next, extent: it.extent, from: p.pos, depth: depth}, p.ready(it.call).start)
	return true
}

// push goes on at a node of a value or a member of a set.
func (p *Parser) push(f callFrame, n *node) {
	p.frames = append(p.frames, f)
	p.frame, p.node = int32(len(p.frames)-1), n
}

// matchSet reads a set of options.
func (p *Parser) matchSet(e *edge, way int) bool {
	it, f := &e.item, &p.frames[p.frame]
	p.push(callFrame{parent: p.frame, scope: f.scope, ret: e.next, set: it.set, extent: it.extent, from: p.pos, depth: f.depth}, it.set.at)
	return p.member(0)
}

// member reads the next member of a set, in any order, or ends it. state is the member to try.
func (p *Parser) member(state int) bool {
	f, s := &p.frames[p.frame], p.node.set
	if f.extent != noText && !f.closing {
		if may := p.mayStart(s, f.used) >> uint(state) << uint(state); may != 0 {
			return p.takeMember(s, mathbits.TrailingZeros64(may))
		}
	}
	if !f.closing && (f.extent == someText && f.used == 0 || !p.everyWay() && !p.endsAt(p.pos)) {
		return false
	}
	return p.absent(s, *f)
}

// takeMember reads the member of a set with that number.
func (p *Parser) takeMember(s *setItem, i int) bool {
	p.save(nil, nth(i+1))
	f := p.frames[p.frame]
	if f.used != 0 && !p.text(s.join) || !p.spelled(f.used>>uint(i) == 0) {
		return false
	}
	f.used |= 1 << uint(i)
	p.push(f, s.members[i])
	return true
}

// mayStart returns those members of a set beside the used ones that can stand here; all of them where what joins them comes
// first.
func (p *Parser) mayStart(s *setItem, used uint64) (members uint64) {
	rest := (uint64(1)<<uint(len(s.members)) - 1) &^ used
	if p.everyWay() {
		return rest
	}
	a := p.firstSets(p.node)
	switch {
	case !p.stands(&a.node, p.pos):
		return 0
	case used != 0 && s.joined:
		return rest
	}
	for m := rest &^ a.alone; m != 0; m &= m - 1 {
		if i := mathbits.TrailingZeros64(m); p.stands(&a.others[i], p.pos) {
			members |= 1 << uint(i)
		}
	}
	if rest&a.alone == 0 {
		return members
	}
	pos := p.pos
	if p.src[pos] == ' ' {
		pos++
	}
	if found, end := p.findWord(a.words, pos, len(p.src)+1); found != nil && end > pos {
		members |= found.members & rest
	}
	return members
}

// absent gives the members that were not read values that print nothing, and goes on behind the set; those of a free set
// have any value, and text that lacks one that is always printed is no printed text. A member that is more than one item
// is read as others are, and comes back here.
func (p *Parser) absent(s *setItem, f callFrame) bool {
	f.closing = true
	for i, n := range s.absent {
		if f.used>>uint(i)&1 != 0 {
			continue
		}
		if s.free {
			if !p.firstSets(n).node.empty && !p.spelled(false) {
				return false
			}
			continue
		}
		f.used |= 1 << uint(i)
		p.push(f, n)
		if n.open(); n.only == nil || n.only.item.kind == itemCall {
			return true
		}
		if !p.match(n.only, again{}) {
			return false
		}
	}
	p.frame, p.node = f.parent, f.ret
	return true
}

// memberDone returns from a member to its set.
func (p *Parser) memberDone() bool {
	p.node = p.frames[p.frame].set.at
	return true
}

// text takes a piece of text with its blanks.
func (p *Parser) text(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			if !p.matchBlank(p.node, false) {
				return false
			}
			continue
		}
		pos := p.skipBlank()
		if pos >= len(p.src) || p.src[pos] != s[i] || !p.spelled(pos == p.pos) {
			p.expectItem(pos, &item{kind: itemLiteral, text: s})
			return false
		}
		p.pos = pos + 1
	}
	return true
}

// matchCustom reads what a hook prints.
func (p *Parser) matchCustom(e *edge) bool {
	it, next := &e.item, e.next
	p.node, p.asked = next, true
	pos := p.skipBlank()
	v, n, ok := p.Custom(p.raw[pos:], it.ref.Field.Name)
	switch {
	case !ok || n > len(p.raw)-pos || n == 0 && it.extent == someText || n > 0 && it.extent == noText:
		p.expectItem(pos, it)
		return false
	case !p.spelled(n == 0 || pos == p.pos) || !p.bind(it, v, pos+n):
		return false
	case n > 0:
		p.pos = pos + n
	}
	return true
}
