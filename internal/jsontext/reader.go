package jsontext

import (
	"bytes"
	"encoding/binary"
	mathbits "math/bits"
)

// Reader reads JSON text in the form in which programs write it, without reflection: the strings are ASCII without
// escapes, and each name of an object occurs once. Unmarshal accepts all text that a Reader accepts. For other text,
// Failed becomes true, and Unmarshal decides whether there is a mistake.
//
// The caller reads an object or an array with Enter, followed by More before each element. It reads a name with Name, and
// a value with Value, Text or Enter.
type Reader struct {
	// Failed is set when the text does not have the form, or another kind of value follows than the caller reads. The
	// Reader then reads nothing more.
	Failed bool
	// Valid is set by the caller if the text is known to be valid, with unique names. The Reader then accepts all of JSON.
	Valid bool

	data  []byte
	at    int
	depth int
	first bool // the next element is the first one of its object or array
	keys  keySet
}

// maxDepth limits the depth of the values that a Reader skips.
const maxDepth = 64

// Reset makes the reader read a text from its start.
func (r *Reader) Reset(data []byte) {
	r.Failed, r.data, r.at, r.depth, r.first, r.keys = false, data, 0, 0, false, r.keys[:0]
}

// peek skips blanks and returns the next character, or 0 at the end.
func (r *Reader) peek() byte {
	for r.at < len(r.data) {
		if c := r.data[r.at]; c > ' ' || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
		r.at++
	}
	return 0
}

// expect reads a character.
func (r *Reader) expect(c byte) bool {
	if r.Failed || r.peek() != c {
		r.Failed = true
		return false
	}
	r.at++
	return true
}

// Enter reads the start of an object or an array, { or [.
func (r *Reader) Enter(open byte) bool {
	r.first = r.expect(open)
	return r.first
}

// More reports whether another element follows, and reads the comma before it. After the last element, it reads the end
// of the object or array, } or ].
func (r *Reader) More(end byte) bool {
	c := r.peek()
	switch {
	case r.Failed:
		return false
	case c == end:
		r.at++
		r.first = false
		return false
	case r.first:
		r.first = false
		return true
	}
	return r.expect(',')
}

// Name reads the name of a value in an object, and the colon after it. Only Value checks that names are unique.
func (r *Reader) Name() []byte {
	name := r.Text()
	r.expect(':')
	return name
}

// Text reads a string. The result is valid until the text changes.
func (r *Reader) Text() []byte {
	text, plain := r.quoted()
	switch {
	case r.Failed:
		return nil
	case plain:
		return text[1 : len(text)-1]
	}
	return unquote(text)
}

// quoted reads a string and returns it with its quotes. plain reports whether the string has neither escapes nor
// characters outside of ASCII.
func (r *Reader) quoted() (text []byte, plain bool) {
	if !r.expect('"') {
		return nil, false
	}
	start := r.at - 1
	for plain = true; ; plain = false {
		r.skipPlain()
		switch {
		case r.at < len(r.data) && r.data[r.at] == '"':
			r.at++
			return r.data[start:r.at], plain
		case r.at >= len(r.data) || !r.Valid:
			r.Failed = true
			return nil, false
		case r.data[r.at] == '\\':
			r.at++
		}
		r.at++
	}
}

// skipPlain skips characters of ASCII, up to a quote, a backslash or a control character.
func (r *Reader) skipPlain() {
	const ones = 0x0101010101010101
	zero := func(x uint64) uint64 { return (x - ones) &^ x } // bit 7 is set in the lowest byte that is 0, and in none before it
	for ; r.at+8 <= len(r.data); r.at += 8 {
		x := binary.LittleEndian.Uint64(r.data[r.at:])
		if special := (zero(x^ones*'"') | zero(x^ones*'\\') | (x-ones*' ')&^x | x) & (ones << 7); special != 0 {
			r.at += mathbits.TrailingZeros64(special) / 8
			return
		}
	}
	for r.at < len(r.data) {
		if c := r.data[r.at]; c == '"' || c == '\\' || c < ' ' || c >= 0x80 {
			return
		}
		r.at++
	}
}

// Rest returns the text after what was read.
func (r *Reader) Rest() []byte { return r.data[r.at:] }

// Value reads a value of any kind, and returns its text.
func (r *Reader) Value() []byte {
	c := r.peek()
	start := r.at
	switch {
	case r.Failed:
	case c == '"':
		r.quoted()
	case c == '{':
		r.object()
	case c == '[':
		if r.deeper() && r.Enter('[') {
			for r.More(']') {
				r.Value()
			}
		}
		r.depth--
	case c == '-' || c >= '0' && c <= '9':
		r.number()
	default:
		r.Failed = !r.word("true") && !r.word("false") && !r.word("null")
	}
	if r.Failed {
		return nil
	}
	return r.data[start:r.at]
}

// deeper adds a level of depth. It returns false at the limit.
func (r *Reader) deeper() bool {
	if r.depth++; r.depth > maxDepth {
		r.Failed = true
	}
	return !r.Failed
}

// object reads an object.
func (r *Reader) object() {
	if r.deeper() && r.Enter('{') {
		first := len(r.keys)
		var many map[string]bool
		for r.More('}') {
			if name := r.Name(); !r.Valid && r.keys.add(first, name, &many) {
				r.Failed = true
			}
			r.Value()
		}
		r.keys = r.keys[:first]
	}
	r.depth--
}

// word reads a word.
func (r *Reader) word(text string) bool {
	ok := bytes.HasPrefix(r.data[r.at:], []byte(text))
	if ok {
		r.at += len(text)
	}
	return ok
}

// number reads a number.
func (r *Reader) number() {
	r.sign('-', '-')
	if r.at < len(r.data) && r.data[r.at] == '0' {
		r.at++
	} else {
		r.digits()
	}
	if r.sign('.', '.') {
		r.digits()
	}
	if r.sign('e', 'E') {
		r.sign('+', '-')
		r.digits()
	}
}

// sign reads one of two characters, if it follows.
func (r *Reader) sign(a, b byte) bool {
	ok := r.at < len(r.data) && (r.data[r.at] == a || r.data[r.at] == b)
	if ok {
		r.at++
	}
	return ok
}

// digits reads at least one digit.
func (r *Reader) digits() {
	start := r.at
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' {
		r.at++
	}
	r.Failed = r.Failed || r.at == start
}

// End reports whether the reader is at the end of the text, after blanks, and has not failed.
func (r *Reader) End() bool {
	r.peek()
	r.Failed = r.Failed || r.at < len(r.data)
	return !r.Failed
}
