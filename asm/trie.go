package asm

import (
	"bytes"
	"slices"
	"strings"
)

// trie is a set of texts, each with its values, found longest first at a place of the input.
type trie struct {
	bytes []byte
	kids  []*trie
	// values belong to the text that ends here, in the order in which they were added.
	values []uint64
	// aliases tells of each value whether the text is only read and never printed for it.
	aliases []bool
	ends    bool
	first   uint64 // of values
	// size is the length of the text; shorter tells that it starts with another, of a byte or more.
	size    int
	shorter bool
	// auto finds the texts of the whole trie quicker, nil where it has not been made.
	auto *automaton
}

// add puts a text in; alias tells that the value prints another.
func (t *trie) add(text string, value uint64, alias bool) {
	t.auto = nil
	for i := 0; i < len(text); i++ {
		t = t.child(text[i])
	}
	t.ends, t.size = true, len(text)
	if slices.Contains(t.values, value) {
		return
	}
	if t.values, t.aliases = append(t.values, value), append(t.aliases, alias); len(t.values) == 1 {
		t.first = value
	}
}

// addWord is add for a text whose blanks at the ends may be one with those around it, or stand at an
// end of the line.
func (t *trie) addWord(text string, value uint64, alias bool) {
	t.add(text, value, alias)
	for _, s := range []string{strings.TrimPrefix(text, " "), strings.TrimSuffix(text, " "), strings.Trim(text, " ")} {
		if s != text {
			t.add(s, value, alias || s == "")
		}
	}
}

func (t *trie) child(c byte) *trie {
	if i := bytes.IndexByte(t.bytes, c); i >= 0 {
		return t.kids[i]
	}
	kid := &trie{}
	t.bytes = append(t.bytes, c)
	t.kids = append(t.kids, kid)
	return kid
}

// kid returns the trie behind a byte, nil if there is none.
func (t *trie) kid(c byte) *trie {
	if i := bytes.IndexByte(t.bytes, c); i >= 0 {
		return t.kids[i]
	}
	return nil
}

// find returns the longest text that stands at pos and ends before limit, with its end, and the place of the
// byte that ended the search. A blank of the input beside punctuation does not count, unless the text must stand
// as it is.
func (t *trie) find(src []byte, pos, limit int, exactly bool) (found *trie, end, stop int) {
	if t.auto != nil {
		return t.auto.find(src, pos, limit, exactly)
	}
	for start := pos; ; pos++ {
		if t.ends && pos < limit {
			found, end = t, pos
		}
		for !exactly && pos < len(src) && t.kid(src[pos]) == nil && freeBlank(src, pos, start) {
			pos++
		}
		if pos >= len(src) {
			return found, end, pos
		}
		if t = t.kid(src[pos]); t == nil {
			return found, end, pos
		}
	}
}

// stands returns the end of a text at pos, or where it does not go on, and whether it stands there and ends before limit. A blank of the
// input beside punctuation does not count, unless the text must stand as it is.
func stands(src []byte, pos, limit int, text string, exactly bool) (end int, ok bool) {
	start := pos
	for i := 0; i < len(text); pos++ {
		switch {
		case pos >= len(src):
			return pos, false
		case src[pos] == text[i]:
			i++
		case exactly || !freeBlank(src, pos, start):
			return pos, false
		}
	}
	return pos, pos < limit
}

// freeBlank reports whether a blank beside punctuation stands at pos, behind start.
func freeBlank(src []byte, pos, start int) bool {
	return src[pos] == ' ' && pos+1 < len(src) && pos != start && (loose[src[pos-1]] || loose[src[pos+1]])
}

// automaton is a finished trie as one array.
type automaton struct {
	// class numbers the bytes that occur in texts from 1 on.
	class   [256]uint8
	classes int
	// next is the state behind each state and class, 0 for none.
	next []uint16
	// ends are the tries of the states in which a text ends.
	ends []*trie
}

// maxAutomaton bounds the size of an automaton; larger tries are walked.
const maxAutomaton = 1 << 16

// finish makes the automaton of a trie to which nothing will be added.
func (t *trie) finish() {
	for _, kid := range t.kids {
		kid.compare(false)
	}
	a := &automaton{}
	states := t.count(a)
	if states >= 1<<16 || states*(a.classes+1) > maxAutomaton || a.classes == 255 {
		return
	}
	a.classes++
	a.next = make([]uint16, 0, states*a.classes)
	a.add(t)
	t.auto = a
}

// compare tells each text whether another is its start.
func (t *trie) compare(shorter bool) {
	t.shorter = shorter
	for _, kid := range t.kids {
		kid.compare(shorter || t.ends)
	}
}

// count returns the number of states, and gives every byte of the texts its class.
func (t *trie) count(a *automaton) int {
	n := 1
	for i, c := range t.bytes {
		if a.class[c] == 0 && a.classes < 255 {
			a.classes++
			a.class[c] = uint8(a.classes)
		}
		n += t.kids[i].count(a)
	}
	return n
}

// add appends the states of a trie and returns the first of them.
func (a *automaton) add(t *trie) uint16 {
	state := len(a.ends)
	a.ends = append(a.ends, nil)
	if t.ends {
		a.ends[state] = t
	}
	a.next = append(a.next, make([]uint16, a.classes)...)
	for i, c := range t.bytes {
		a.next[state*a.classes+int(a.class[c])] = a.add(t.kids[i])
	}
	return uint16(state)
}

// find is trie.find.
func (a *automaton) find(src []byte, pos, limit int, exactly bool) (found *trie, end, stop int) {
	start, state := pos, 0
	if t := a.ends[0]; t != nil && pos < limit {
		found, end = t, pos
	}
	for ; pos < len(src); pos++ {
		next := a.next[state*a.classes+int(a.class[src[pos]])]
		if next == 0 {
			if !exactly && freeBlank(src, pos, start) {
				continue
			}
			break
		}
		state = int(next)
		if t := a.ends[state]; t != nil && pos+1 < limit {
			found, end = t, pos+1
		}
	}
	return found, end, pos
}

// loose marks the punctuation beside which blanks are free.
var loose = func() (set [256]bool) {
	for _, c := range []byte(",;[](){}+-*=:|&<>!/%^~") {
		set[c] = true
	}
	return set
}()

// numeric marks what numbers start with.
var numeric = func() (set [256]bool) {
	for _, c := range []byte("+-0123456789") {
		set[c] = true
	}
	return set
}()
