package asm

import (
	"slices"
	"strings"
)

// trie is a set of texts, each with its values, found longest first at a place of the input.
type trie struct {
	words []word // by their texts
	// states has the start first, then those behind one byte, and so on; nexts the numbers of those behind each state.
	states []state
	nexts  []int32
}

// word is a text of a trie.
type word struct {
	text string
	// values are in the order in which they were added.
	values []uint64
	// aliases tells of each value whether the text is only read and never printed for it.
	aliases []bool
	// shorter tells that the text starts with another, of a byte or more.
	shorter bool
	// members are those of a set that the text, or its start, is one of.
	members uint64
}

// state is a place in the texts of a trie.
type state struct {
	ends *word // here
	// nexts of the trie has from row on, for each of so many bytes from the first on, the state behind it, 0 where no text
	// goes on with it.
	row   int32
	first byte
	bytes uint16
}

// start is the place before all texts.
func (t *trie) start() *state { return &t.states[0] }

// after returns the place behind a byte, nil where no text goes on with it.
func (t *trie) after(s *state, c byte) *state {
	if i := uint16(c - s.first); i < s.bytes {
		if n := t.nexts[int(s.row)+int(i)]; n > 0 {
			return &t.states[n]
		}
	}
	return nil
}

// add puts a text in; alias tells that the value prints another.
func (t *trie) add(text string, value uint64, alias bool) {
	t.words = append(t.words, word{text: text, values: []uint64{value}, aliases: []bool{alias}})
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

// joined returns sorted words with those of one text made one.
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

// finish makes the states of a trie to which nothing will be added.
func (t *trie) finish() {
	slices.SortStableFunc(t.words, func(a, b word) int { return strings.Compare(a.text, b.text) })
	t.words = joined(t.words)
	type run struct {
		words []word // that start alike
		size  int
		// shorter tells that one of the texts before is their start.
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

// unbroken reports whether no text has a blank.
func (t *trie) unbroken() bool {
	return !slices.ContainsFunc(t.words, func(w word) bool { return strings.Contains(w.text, " ") })
}

// gather tells of the texts of a set the members.
func (t *trie) gather() {
	for i := range t.words {
		w := &t.words[i]
		for _, v := range w.values {
			w.members |= 1 << v
		}
		for k := i - 1; w.shorter && k >= 0; k-- { // the last of those that it starts with comes first
			if start := &t.words[k]; start.text != "" && strings.HasPrefix(w.text, start.text) {
				w.members |= start.members
				break
			}
		}
	}
}

// find returns the longest text that stands at pos and ends before limit, with its end,
// and where it does not go on. A blank of the input beside punctuation does not count, unless the text must stand
// as it is.
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
			if exactly || !freeBlank(src, pos, start) {
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
