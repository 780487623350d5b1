package program

import (
	"bytes"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/quote"
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
	r := newHexReader(start)
	count, marks := 0, 0
	for n := 0; n < certainNumbers; n++ {
		g := r.next()
		if len(g.text) == 0 {
			break
		}
		_, err := g.number()
		if size := 4 * len(g.digits); err != nil || size%root.WordSize != 0 && !((g.prefixed || g.inArray) && size < root.WordSize) {
			return false
		}
		if count += len(g.digits); g.prefixed || r.end < len(start) {
			marks++
		}
	}
	return marks > 0 && count >= certainDigits
}

// HexText returns raw code that is written as text: numbers in hexadecimal, the most significant digit first, each a word
// of the code or several, with or without 0x; blanks, commas and comments of C stand between them. Of the declaration of
// an array, as where a driver has its programs in C, it reads what stands in the braces.
func HexText(root *isa.Root, src *diag.Source) (code []byte, err error) {
	r := newHexReader([]byte(src.Text))
	for {
		g := r.next()
		if len(g.text) == 0 {
			break
		}
		v, err := g.number()
		size := 4 * len(g.digits)
		if err == nil && size > root.WordSize && size%root.WordSize != 0 {
			err = errorAt(g.at, diag.HexSize, "%q has %d digits, expected %d for each word", quote.Shorten(string(g.text)), len(g.digits), root.WordSize/4)
		}
		if err != nil {
			err.Span = diag.Span{Src: src, Off: g.at, End: g.at + len(g.text)}
			return nil, err
		}
		code = AppendBytes(code, root, v, size)
	}
	if second := r.brace(); second >= 0 {
		return nil, diag.Errorf(diag.HexSyntax, diag.Span{Src: src, Off: second, End: second + 1}, "the text contains a second array, expected only one")
	}
	return code, nil
}

// hexGroup is what stands between separators: a number, if it has the form of one.
type hexGroup struct {
	text []byte
	at   int // its place
	// digits are those behind 0x, without the suffixes of C.
	digits   []byte
	prefixed bool
	inArray  bool
}

// number returns the value. In C a number without 0x is decimal, and of those only 0 is the same.
func (g *hexGroup) number() (bits.Value, *diag.Error) {
	if g.inArray && !g.prefixed && string(g.text) != "0" {
		return bits.Value{}, errorAt(g.at, diag.HexSyntax, "the C array contains %q, expected a number with 0x", quote.Shorten(string(g.text)))
	}
	return parseNumber(g.digits, g.at)
}

// longestGroup is more than any number that is read has digits, so that of other bytes no more is looked at.
const longestGroup = len("0x") + bits.Size/4 + len("ull") + 1

// hexReader splits a text into groups; end is the place behind the last one.
type hexReader struct {
	text []byte
	end  int
	// depth is how many braces are open, of the array that is read; inArray tells that there is one.
	depth   int
	inArray bool
}

// newHexReader returns a reader of what is in braces, or of all where there are none.
func newHexReader(text []byte) *hexReader {
	r := &hexReader{text: text}
	if brace := r.brace(); brace >= 0 {
		return &hexReader{text: text, end: brace + 1, depth: 1, inArray: true}
	}
	return &hexReader{text: text}
}

// brace goes on to the next brace that opens and returns its place, -1 where there is none in the text, or behind
// something that is no text.
func (r *hexReader) brace() int {
	for r.end < len(r.text) {
		switch c := r.text[r.end]; {
		case r.comment() != nil:
			r.skip()
			continue
		case c == '{':
			return r.end
		case c < ' ' && classes[c] != classBlank:
			return -1
		}
		r.end++
	}
	return -1
}

// next returns the next group; its text is empty at the end.
func (r *hexReader) next() hexGroup {
	for !r.atEnd() && r.skip() {
	}
	g := hexGroup{at: r.end, inArray: r.inArray}
	for !r.atEnd() && r.end-g.at < longestGroup && !r.separates() {
		r.end++
	}
	g.text = r.text[g.at:r.end]
	g.digits = digits(g.text)
	g.prefixed = len(g.digits) < len(g.text)
	if g.prefixed {
		g.digits = bytes.TrimRight(g.digits, "uUlL")
	}
	return g
}

// atEnd reports whether the numbers are read: all of the text, or of the array.
func (r *hexReader) atEnd() bool { return r.end >= len(r.text) || r.inArray && r.depth == 0 }

// separates reports whether a group ends here.
func (r *hexReader) separates() bool {
	c := r.text[r.end]
	return c == ',' || classes[c] == classBlank || r.inArray && (c == '{' || c == '}') || r.comment() != nil
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

// skip goes past a blank, a comma, a brace or a comment; ok is false where there is none.
func (r *hexReader) skip() (ok bool) {
	if !r.separates() {
		return false
	}
	end := r.comment()
	if end == nil {
		switch r.text[r.end] {
		case '{':
			r.depth++
		case '}':
			r.depth--
		}
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
