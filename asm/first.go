package asm

import (
	"slices"
	"strings"

	"github.com/isago/isago/internal/spec"
)

// This file computes FIRST sets. The search in matcher uses them to skip alternatives that cannot start with the next
// byte of the text. FIRST sets are conservative: an alternative that is skipped cannot succeed.

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte) { s[c>>6] |= 1 << (c & 63) }

func (s *byteSet) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

func (s *byteSet) join(x *byteSet) {
	for i := range s {
		s[i] |= x[i]
	}
}

func (s *byteSet) addAll(text string) {
	for i := range len(text) {
		s.add(text[i])
	}
}

// everyByte is the set of all bytes.
var everyByte = byteSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

// firstSet is the FIRST set of an alternative: the bytes with which its text can start. empty reports whether the
// alternative can reach the end of its template without reading anything.
type firstSet struct {
	bytes byteSet
	empty bool
}

// anything is the FIRST set of an alternative about which nothing is known.
var anything = firstSet{bytes: everyByte, empty: true}

// firstSets holds the FIRST sets of the alternatives of a node.
type firstSets struct {
	node firstSet
	// others has the FIRST set of each edge that is not a literal, or of each member of the node's set.
	others []firstSet
	// enums is a bit set of members. It contains each member that consists of one enum whose texts have no blanks.
	// words maps the texts of these members to the numbers of the members.
	words *trie
	enums uint64
}

// firstSets returns the FIRST sets of a node.
func (m *matcher) firstSets(n *node) (a *firstSets) {
	if a = n.firstSets.Load(); a == nil {
		a = m.findFirstSets(n)
	}
	return
}

func (m *matcher) findFirstSets(n *node) *firstSets {
	if slices.Contains(m.looking, n) { // a value nested in itself
		return &firstSets{node: anything}
	}
	m.looking = append(m.looking, n)
	a := m.newFirstSets(n)
	m.looking = m.looking[:len(m.looking)-1]
	n.firstSets.Store(a)
	return a
}

func (m *matcher) newFirstSets(n *node) *firstSets {
	if n.set != nil {
		return m.firstOfMembers(n.set)
	}
	n.open()
	a := &firstSets{node: firstSet{empty: len(n.reductions) > 0}}
	for _, e := range n.edges {
		f := m.firstOfEdge(e)
		a.node.bytes.join(&f.bytes)
		a.node.empty = a.node.empty || f.empty
		if e.item.kind != itemLiteral {
			a.others = append(a.others, f)
		}
	}
	return a
}

// firstOfEdge returns the FIRST set of an edge together with everything that can follow it.
func (m *matcher) firstOfEdge(e *edge) firstSet {
	f := m.firstOfItem(&e.item)
	if f.empty && e.item.kind != itemSetEnd {
		next := &m.firstSets(e.next).node
		f.bytes.join(&next.bytes)
		f.empty = next.empty
	}
	return f
}

// firstOfItem returns the FIRST set of an item. In the result, empty reports whether the item can be empty.
func (m *matcher) firstOfItem(it *item) (f firstSet) {
	switch it.kind {
	case itemLiteral:
		f.bytes.add(it.text[0])
		return f
	case itemBlank, itemNothing: // startsAt skips a blank
		f.empty = true
		return f
	case itemEnum:
		f = firstOfWords(it)
	case itemNumber, itemFloat, itemBranch:
		f = firstOfNumber(it)
	case itemCall:
		f = m.firstOfCall(it)
	case itemSet:
		f = m.firstSets(it.set.at).node
	case itemSetEnd:
		return m.firstSets(it.set.at).node
	default:
		return anything
	}
	if it.extent == noText {
		return firstSet{empty: true}
	}
	f.empty = f.empty && it.extent == anyExtent
	return f
}

// firstOfMembers returns the FIRST sets of the members of a set. In the result, node is the union of these sets and of
// the FIRST set of the separator. node is marked as empty, because the text may contain no member of the set.
func (m *matcher) firstOfMembers(s *setItem) *firstSets {
	a := &firstSets{words: &trie{}}
	if s.joined {
		a.node.bytes.add(strings.TrimLeft(s.join, " ")[0])
	}
	a.node.empty = true
	for i, member := range s.members {
		next := m.firstSets(member).node
		a.node.bytes.join(&next.bytes)
		a.others = append(a.others, next)
		if e := member.only; e != nil && e.item.kind == itemEnum && !e.item.numbers && e.item.words.unbroken() {
			a.enums |= 1 << uint(i)
			for _, word := range e.item.words.words {
				a.words.add(word.text, uint64(i), false)
			}
		}
	}
	a.words.finish()
	a.words.gather()
	return a
}

// firstOfWords is like firstOfItem, but for the texts of an enum or a bool.
func firstOfWords(it *item) (f firstSet) {
	for _, w := range it.words.words {
		if w.text == "" {
			f.empty = true
			continue
		}
		f.bytes.add(w.text[0])
	}
	if it.numbers {
		f.bytes.addAll(numberStart)
	}
	return f
}

// numberStart contains the bytes with which a decimal number or $(EXPRESSION) can start.
const numberStart = "+-0123456789$"

// firstOfNumber is like firstOfItem, but for numbers and branches.
func firstOfNumber(it *item) (f firstSet) {
	f.bytes.addAll(numberStart)
	switch {
	case it.kind == itemBranch:
		for c := range 256 {
			if isSymbolByte(byte(c), true) {
				f.bytes.add(byte(c))
			}
		}
	case it.kind == itemFloat:
		f.bytes.addAll(".nNiIeE")
	case it.ref.Kind == spec.KindHex:
		f.bytes.addAll("abcdefABCDEF")
	case it.ref.Kind == spec.KindOffset || it.ref.Kind == spec.KindUOffset:
		f.empty = true
	}
	return f
}

// firstOfCall is like firstOfItem, but for a nested value.
func (m *matcher) firstOfCall(it *item) firstSet {
	return m.firstSets(m.ready(it.call).start).node
}

// follows reports whether parsing can continue at node n with the text at pos. Either an alternative of the node can
// start with this text, or the current value can end at the node and this text can follow the value.
func (m *matcher) follows(n *node, pos int) bool {
	return m.canFollow(&m.firstSets(n).node, pos)
}

// canFollow reports whether parsing can continue at pos with an alternative that has the FIRST set f.
func (m *matcher) canFollow(f *firstSet, pos int) bool {
	return m.startsAt(f, pos) || f.empty && m.endsAt(pos)
}

// endsAt reports whether the text at pos can follow the current value or set.
func (m *matcher) endsAt(pos int) bool {
	for frame := m.frame; ; {
		fr := &m.frames[frame]
		if fr.parent < 0 {
			return pos == len(m.src)
		}
		f := &m.firstSets(fr.ret).node
		switch {
		case m.startsAt(f, pos):
			return true
		case !f.empty:
			return false
		}
		frame = fr.parent
	}
}

// startsAt reports whether the byte at pos, or the byte after a blank at pos, is in a FIRST set.
func (m *matcher) startsAt(f *firstSet, pos int) bool {
	if pos >= len(m.src) {
		return false
	}
	c := m.src[pos]
	return f.bytes.has(c) || c == ' ' && pos+1 < len(m.src) && f.bytes.has(m.src[pos+1])
}
