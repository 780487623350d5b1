// Package quote shortens quotations of input in messages, and finds the name that a misspelled word most likely means.
package quote

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// RuneStart returns the index of the first byte of the character that contains byte i of s. It returns len(s) if i is
// beyond the end of s.
func RuneStart(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for n := 0; n < utf8.UTFMax && i > 0 && !utf8.RuneStart(s[i]); n++ {
		i--
	}
	return i
}

// Shorten returns s. If s is long, it returns only the start of s and "...".
func Shorten(s string) string {
	const most = 40
	if len(s) > most {
		return s[:RuneStart(s, most)] + "..."
	}
	return s
}

// longWord is the maximum size of a word in a message. It is large enough for the names in descriptions. longText is
// the maximum size of a message.
const longWord, longText = 80, 4 << 10

// Brief returns a message with long words shortened, because words quoted from an input may have any length. It cuts
// the message after longText bytes.
func Brief(msg string) string {
	if len(msg) <= longWord {
		return msg
	}
	words := strings.Split(msg[:RuneStart(msg, longText)], " ")
	for i, w := range words {
		if len(w) > longWord {
			words[i] = Shorten(w) + w[len(strings.TrimRight(w, "\",;:)")):]
		}
	}
	return strings.Join(words, " ")
}

// BriefQuotes returns a message in which quoted texts longer than longWord are shortened. Other words may be paths, so
// only those longer than longText are shortened.
func BriefQuotes(msg string) string {
	if len(msg) <= longWord {
		return msg
	}
	var b strings.Builder
	for msg != "" {
		i := strings.IndexByte(msg, '"')
		quoted, err := strconv.QuotedPrefix(msg[max(i, 0):])
		switch {
		case i < 0:
			b.WriteString(msg)
			msg = ""
			continue
		case err != nil:
			b.WriteString(msg[:i+1])
			msg = msg[i+1:]
			continue
		}
		b.WriteString(msg[:i])
		if msg = msg[i+len(quoted):]; len(quoted) > longWord {
			quoted = Shorten(quoted) + `"`
		}
		b.WriteString(quoted)
	}
	words := strings.Split(b.String(), " ")
	for i, w := range words {
		if len(w) > longText {
			words[i] = Shorten(w)
		}
	}
	return strings.Join(words, " ")
}

// Nearest returns the name that is most similar to a word, or "" if no name is similar enough.
func Nearest(word string, names []string) string {
	best, distance := "", 2+len(word)/4
	a := strings.ToLower(word)
	for _, n := range names {
		if len(a)-len(n) >= distance { // the word has too many letters for this name
			continue
		}
		b := strings.ToLower(n)
		d := EditDistance(a, b)
		if len(a) >= 3 && strings.HasPrefix(b, a) {
			d = 1 // a prefix of a name is nearly as good as the name
		}
		if d < distance && d < len(word) {
			best, distance = n, d
		}
	}
	return best
}

// DidYouMean returns the end of a message about an unknown word, "; did you mean NAME?", or "" if no name is similar.
func DidYouMean(word string, names []string) string {
	if near := Nearest(word, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// EditDistance returns the smallest number of insertions, deletions, replacements and exchanges of adjacent bytes that
// turn a into b. If a word is longer than 32 bytes, it returns the size of the longer word.
func EditDistance(a, b string) int {
	const most = 32
	if len(a) > most || len(b) > most {
		return max(len(a), len(b))
	}
	var rows [3][most + 1]int // the row for a byte of a, and the rows for the two bytes before it
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, last, before := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			if row[j] = last[j-1]; a[i-1] != b[j-1] {
				row[j] = 1 + min(last[j-1], last[j], row[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
