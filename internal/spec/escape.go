package spec

import "strings"

// simpleEscapes holds C's escapes of one character. It maps the character after the backslash to the byte that the
// escape denotes.
var simpleEscapes = map[byte]byte{
	'a': 7, 'b': 8, 't': 9, 'n': 10, 'v': 11, 'f': 12, 'r': 13, '\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// MesaItem is a piece of text in a display, with the name in braces that follows it. The last item has no name.
type MesaItem struct {
	Text, Name string
	// Column is the column to which Mesa pads before the name, or -1. Last is set if there is no name.
	Column int
	Last   bool
}

// MesaItems returns a template as Mesa's tools parse it. They copy its text into a C string, so C's escapes apply.
func (t *Template) MesaItems() (items []MesaItem) {
	for text := unescape(t.Text); ; {
		before, after, _ := strings.Cut(text, "{")
		ref, rest, ok := strings.Cut(after, "}")
		if !ok {
			return append(items, MesaItem{Text: text, Last: true})
		}
		it := MesaItem{Text: before, Column: -1}
		column, aligned := "", false
		if it.Name, column, aligned = strings.Cut(ref, ":align="); aligned {
			it.Column = LeadingNumber(column)
		}
		items, text = append(items, it), rest
	}
}

// unescape decodes the escapes of C. An unknown escape decodes to the character after the backslash.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if c, ok := simpleEscapes[s[i]]; ok {
			b.WriteByte(c)
			continue
		}
		base, digits, most := byte(8), s[i:], 3
		if s[i] == 'x' {
			base, digits, most = 16, s[i+1:], len(s)
		}
		v, n := byte(0), 0
		for n < len(digits) && n < most && digit(digits[n]) < base {
			v = v*base + digit(digits[n])
			n++
		}
		if n == 0 {
			b.WriteByte(s[i])
			continue
		}
		b.WriteByte(v)
		i += len(s[i:]) - len(digits) + n - 1
	}
	return b.String()
}

// digit returns the value of a hexadecimal digit, or 255 for any other character.
func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}
