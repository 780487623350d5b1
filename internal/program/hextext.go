package program

import (
	"bytes"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/isa"
)

// Of a text that starts with so many numbers, and at least so many digits, no more is asked: code is no such text.
const (
	certainNumbers = 8
	certainDigits  = 8
)

// IsHexText reports whether raw code of a root, of which it sees the start, is text that HexText reads, where numbers
// without 0x have all digits of their words.
func IsHexText(root *isa.Root, start []byte) bool {
	r := hexReader{text: start}
	count, marks := 0, 0
	for n := 0; n < certainNumbers; n++ {
		group, at := r.next()
		if len(group) == 0 {
			break
		}
		number := digits(group)
		prefixed := len(number) < len(group)
		_, err := parseNumber(number, at)
		if size := 4 * len(number); err != nil || size%root.Unit != 0 && !(prefixed && size < root.Unit) {
			return false
		}
		if count += len(number); prefixed || r.end < len(start) {
			marks++
		}
	}
	return marks > 0 && count >= certainDigits
}

// HexText returns raw code that is written as text: numbers in hexadecimal, the most significant digit first, each a word
// of the code or several, with or without 0x; blanks, commas and comments of C stand between them, as where a driver
// has its programs in C.
func HexText(root *isa.Root, src *diag.Source) (code []byte, err error) {
	r := hexReader{text: []byte(src.Text)}
	for {
		group, at := r.next()
		if len(group) == 0 {
			return code, nil
		}
		number := digits(group)
		v, err := parseNumber(number, at)
		size := 4 * len(number)
		if err == nil && size > root.Unit && size%root.Unit != 0 {
			err = errorAt(at, diag.HexSize, "%q has %d digits, expected %d for each word", diag.Shorten(string(group)), len(number), root.Unit/4)
		}
		if err != nil {
			err.Span = diag.Span{Src: src, Off: at, End: at + len(group)}
			return nil, err
		}
		code = AppendBytes(code, root, v, size)
	}
}

// longestGroup is more than any number that is read has digits, so that of other bytes no more is looked at.
const longestGroup = len("0x") + bits.Size/4 + 1

// hexReader splits a text into groups; end is the place behind the last one.
type hexReader struct {
	text []byte
	end  int
}

// next returns the next group with its place; it is empty at the end of the text.
func (r *hexReader) next() (group []byte, at int) {
	for r.end < len(r.text) && r.skip() {
	}
	at = r.end
	for r.end < len(r.text) && r.end-at < longestGroup && !r.separates() {
		r.end++
	}
	return r.text[at:r.end], at
}

// separates reports whether a group ends here.
func (r *hexReader) separates() bool {
	c := r.text[r.end]
	return c == ',' || classes[c] == classBlank || r.comment() != nil
}

// comment returns what ends the comment that starts here, nil where there is none.
func (r *hexReader) comment() []byte {
	switch rest := r.text[r.end:]; {
	case bytes.HasPrefix(rest, []byte("/*")):
		return []byte("*/")
	case bytes.HasPrefix(rest, []byte("//")):
		return []byte("\n")
	}
	return nil
}

// skip goes past a blank, a comma or a comment; ok is false where there is none.
func (r *hexReader) skip() (ok bool) {
	if !r.separates() {
		return false
	}
	end := r.comment()
	if end == nil {
		r.end++
		return true
	}
	r.end += 2
	if n := bytes.Index(r.text[r.end:], end); n >= 0 {
		r.end += n + len(end)
	} else {
		r.end = len(r.text)
	}
	return true
}
