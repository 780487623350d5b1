package asm

import (
	"slices"
	"strings"
)

// trie maps texts to values, and finds the longest text at a position of the input.
type trie struct {
	words []word // sorted by text
	// states starts with the root. The states after one byte follow, then the states after two bytes, and so on. nexts
	// holds the transitions of all states.
	states []state
	nexts  []int32
}

// word is a text of a trie with its values.
type word struct {
	text string
	// values are in the order in which they were added.
	values []uint64
	// aliases reports for each value whether the text is only parsed and never printed.
	aliases []bool
	// shorter reports whether a shorter text, which is not empty, is a prefix of this one.
	shorter bool
	// members is the bit set of the members of a set that have this text or a prefix of it.
	members uint64
}

// state is a node of a trie.
type state struct {
	ends *word // the word that ends here, or nil
	// The next state after byte first+i, for i < bytes, is nexts[row+i] of the trie, or 0 for none.
	row   int32
	first byte
	bytes uint16
}

// start returns the root state.
func (t *trie) start() *state { return &t.states[0] }

// after returns the state after byte c, or nil if no text continues with c.
func (t *trie) after(s *state, c byte) *state {
	if i := uint16(c - s.first); i < s.bytes {
		if n := t.nexts[int(s.row)+int(i)]; n > 0 {
			return &t.states[n]
		}
	}
	return nil
}

// add adds a value with its text. alias is set if the value prints as another text.
func (t *trie) add(text string, value uint64, alias bool) {
	t.words = append(t.words, word{text: text, values: []uint64{value}, aliases: []bool{alias}})
}

// addWord adds a text, and also the text without the blank at its start, at its end, or both. Such a blank may coincide
// with another blank or be at an end of the line.
func (t *trie) addWord(text string, value uint64, alias bool) {
	t.add(text, value, alias)
	for _, s := range []string{strings.TrimPrefix(text, " "), strings.TrimSuffix(text, " "), strings.Trim(text, " ")} {
		if s != text {
			t.add(s, value, alias || s == "")
		}
	}
}

// joined merges the entries of equal texts. list must be sorted by text.
func joined(list []word) (words []word) {
	for _, w := range list {
		n := len(words) - 1
		switch {
		case n < 0 || words[n].text != w.text:
			words = append(words, w)
		case !slices.Contains(words[n].values, w.values[0]):
			words[n].values, words[n].aliases = append(words[n].values, w.values[0]), append(words[n].aliases, w.aliases[0])
		}
	}
	return words
}

// finish builds the states of a trie to which nothing more will be added.
func (t *trie) finish() {
	slices.SortStableFunc(t.words, func(a, b word) int { return strings.Compare(a.text, b.text) })
	t.words = joined(t.words)
	type run struct {
		words []word // with a common prefix
		size  int
		// shorter reports whether a shorter text is a prefix of these, other than the empty text.
		shorter bool
	}
	runs := []run{{words: t.words}}
	for i := 0; i < len(runs); i++ {
		r, s := runs[i], state{row: int32(len(t.nexts))}
		if len(r.words) > 0 && len(r.words[0].text) == r.size {
			s.ends, r.words = &r.words[0], r.words[1:]
			s.ends.shorter, r.shorter = r.shorter, r.shorter || r.size > 0
		}
		if n := len(r.words); n > 0 {
			s.first = r.words[0].text[r.size]
			s.bytes = uint16(r.words[n-1].text[r.size]-s.first) + 1
			t.nexts = append(t.nexts, make([]int32, s.bytes)...)
		}
		for len(r.words) > 0 {
			c := r.words[0].text[r.size]
			n := slices.IndexFunc(r.words, func(w word) bool { return w.text[r.size] != c })
			if n < 0 {
				n = len(r.words)
			}
			t.nexts[int(s.row)+int(c-s.first)] = int32(len(runs))
			runs = append(runs, run{r.words[:n], r.size + 1, r.shorter})
			r.words = r.words[n:]
		}
		t.states = append(t.states, s)
	}
}

// unbroken reports whether no text contains a blank.
func (t *trie) unbroken() bool {
	return !slices.ContainsFunc(t.words, func(w word) bool { return strings.Contains(w.text, " ") })
}

// gather sets the members of each word. The values of the words must be numbers of members.
func (t *trie) gather() {
	for i := range t.words {
		w := &t.words[i]
		for _, v := range w.values {
			w.members |= 1 << v
		}
		for k := i - 1; w.shorter && k >= 0; k-- { // the longest prefix comes first
			if start := &t.words[k]; start.text != "" && strings.HasPrefix(w.text, start.text) {
				w.members |= start.members
				break
			}
		}
	}
}

// find returns the longest text that matches at pos and ends before limit, and the end of the match. found is nil if
// there is none. find skips optional blanks of the input, unless exactly is true.
func (t *trie) find(src []byte, pos, limit int, exactly bool) (found *word, end int) {
	states, nexts, start := t.states, t.nexts, pos
	s := &states[0]
	if s.ends != nil && pos < limit {
		found, end = s.ends, pos
	}
	for ; pos < len(src); pos++ {
		next := int32(0)
		if i := src[pos] - s.first; uint16(i) < s.bytes {
			next = nexts[int(s.row)+int(i)]
		}
		if next == 0 {
			if exactly || !optionalBlank(src, pos, start) {
				break
			}
			continue
		}
		if s = &states[next]; s.ends != nil && pos+1 < limit {
			found, end = s.ends, pos+1
		}
		if s.bytes == 0 {
			break
		}
	}
	return found, end
}

// matchText reports whether text matches at pos and ends before limit. It also returns the end of the match, or the
// position of the mismatch. It skips optional blanks of the input, unless exactly is true.
func matchText(src []byte, pos, limit int, text string, exactly bool) (end int, ok bool) {
	start := pos
	for i := 0; i < len(text); pos++ {
		switch {
		case pos >= len(src):
			return pos, false
		case src[pos] == text[i]:
			i++
		case exactly || !optionalBlank(src, pos, start):
			return pos, false
		}
	}
	return pos, pos < limit
}

// optionalBlank reports whether there is an optional blank at pos: after start, and next to punctuation.
func optionalBlank(src []byte, pos, start int) bool {
	return src[pos] == ' ' && pos+1 < len(src) && pos != start && (punctuation[src[pos-1]] || punctuation[src[pos+1]])
}

// punctuation is the set of punctuation characters next to which blanks are optional.
var punctuation = func() (set [256]bool) {
	for _, c := range []byte(",;[](){}+-*=:|&<>!/%^~") {
		set[c] = true
	}
	return set
}()

// numeric is the set of bytes with which a decimal number starts.
var numeric = func() (set [256]bool) {
	for _, c := range []byte("+-0123456789") {
		set[c] = true
	}
	return set
}()
