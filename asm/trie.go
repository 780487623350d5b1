package asm

import "bytes"

// trie is a set of texts, each with its values, found longest first at a place of the input.
type trie struct {
	bytes []byte
	kids  []*trie
	// values belong to the text that ends here, in the order in which they were added.
	values []uint64
	ends   bool
}

func (t *trie) add(text string, value uint64) {
	for i := 0; i < len(text); i++ {
		t = t.child(text[i])
	}
	t.ends = true
	for _, v := range t.values {
		if v == value {
			return
		}
	}
	t.values = append(t.values, value)
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

// find returns the longest text that stands at pos and ends before limit, with its end. A blank
// of the input beside punctuation does not count.
func (t *trie) find(src []byte, pos, limit int) (found *trie, end int) {
	start := pos
	for {
		if t.ends && pos < limit {
			found, end = t, pos
		}
		if pos >= len(src) || len(t.bytes) == 0 {
			return found, end
		}
		c := src[pos]
		i := 0
		for ; i < len(t.bytes); i++ {
			if t.bytes[i] == c {
				break
			}
		}
		if i == len(t.bytes) {
			if c != ' ' || pos+1 >= len(src) || pos == start || !loose[src[pos-1]] && !loose[src[pos+1]] {
				return found, end
			}
			pos++
			continue
		}
		t = t.kids[i]
		pos++
	}
}

// loose marks the punctuation beside which blanks are free.
var loose = func() (set [256]bool) {
	for _, c := range []byte(",;[](){}+-*=:|&<>!/%^~") {
		set[c] = true
	}
	return set
}()
