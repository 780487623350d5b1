package spec

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/diag"
)

// scan parses a document that uses only elements, attributes, text, comments, and the five entities of XML. It reports
// whether it succeeded. Other documents, and documents with errors, need encoding/xml, which is several times slower
// but explains errors.
func (p *xmlParser) scan() bool {
	s := p.src.Text
	if p.deferred == "" && !isPlain(s) {
		return false
	}
	at := 0
	if strings.HasPrefix(s, declaration) {
		at = len(declaration)
	}
	return p.scanFrom(at, len(s)) && p.root != nil && len(p.stack) == 0
}

// scanFrom parses the text from index at up to index end, and reports whether it succeeded. end must not be inside a
// tag, a comment or a piece of text.
func (p *xmlParser) scanFrom(at, end int) bool {
	s := p.src.Text[:end]
	for at < len(s) {
		from := at
		switch {
		case s[at] != '<':
			if at += strings.IndexByte(s[at:], '<'); at < from {
				at = len(s)
			}
			raw := s[from:at]
			decoded, ok := unescaped(raw)
			if !ok || strings.Contains(raw, cdataEnd) || p.addText(decoded, diag.Span{Src: p.src, Off: from, End: at}) != nil {
				return false
			}
		case strings.HasPrefix(s[at:], "<!--"):
			n := strings.Index(s[at+4:], "--")
			if at += 4 + n + 2; n < 0 || at >= len(s) || s[at] != '>' {
				return false
			}
			at++
		case strings.HasPrefix(s[at:], cdata):
			at += len(cdata)
			n := strings.Index(s[at:], cdataEnd)
			if n < 0 || p.addText(s[at:at+n], diag.Span{Src: p.src, Off: from, End: at + n + 3}) != nil {
				return false
			}
			at += n + 3
		case strings.HasPrefix(s[at:], "</"):
			n := strings.IndexByte(s[at:], '>')
			if n < 0 || len(p.stack) == 0 || strings.TrimRight(s[at+2:at+n], blanks) != p.stack[len(p.stack)-1].name {
				return false
			}
			p.endElement()
			at += n + 1
		default:
			if at = p.scanTag(at); at < 0 {
				return false
			}
		}
	}
	return true
}

// The start and the end of a CDATA section, in which < and & are ordinary characters.
const (
	cdata    = "<![CDATA["
	cdataEnd = "]]>"
)

const declaration = `<?xml version="1.0" encoding="UTF-8"?>`

// isPlain reports whether a text has only valid XML characters, and no carriage return.
func isPlain(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneError && r <= 0xFFFF {
			return false
		}
		i += size
	}
	return true
}

// scanTag parses the start tag at an index. It returns the index after the tag, or -1 if encoding/xml must parse the
// document.
func (p *xmlParser) scanTag(from int) int {
	s := p.src.Text
	at := from + 1
	name := s[at : at+nameLength(s[at:])]
	if at += len(name); name == "" {
		return -1
	}
	p.attrs.reserve(attrsOfOne)
	list := p.attrs.free[:0]
	for {
		behind := at
		for at < len(s) && charClass[s[at]] == classBlank {
			at++
		}
		closed := strings.HasPrefix(s[at:], "/>")
		if closed || strings.HasPrefix(s[at:], ">") {
			at++
			if closed {
				at++
			}
			n := p.newNode(name, diag.Span{Src: p.src, Off: from, End: at})
			if p.attrs.free = p.attrs.free[min(len(list), len(p.attrs.free)):]; p.startElement(n) != nil || p.setAttributes(n, slices.Clip(list)) != nil {
				return -1
			}
			if !closed && name == p.deferred {
				size := strings.Index(s[at:], "</"+p.deferred+">")
				if size < 0 {
					return -1
				}
				n.endTag = at + size
				at = n.endTag + len(p.deferred) + len("</>")
				closed = true
			}
			if closed {
				p.endElement()
			}
			return at
		}
		n := nameLength(s[at:])
		if n == 0 || at == behind || at+n+1 >= len(s) || s[at+n] != '=' {
			return -1
		}
		quote := at + n + 1
		size := strings.IndexByte(s[quote+1:], s[quote])
		if s[quote] != '"' && s[quote] != '\'' || size < 0 {
			return -1
		}
		raw := s[quote+1 : quote+1+size]
		value, ok := unescaped(raw)
		if !ok || strings.IndexByte(raw, '<') >= 0 {
			return -1
		}
		a := attr{
			name:  s[at : at+n],
			value: text{s: value, span: diag.Span{Src: p.src, Off: quote + 1, End: quote + 1 + size}},
			off:   at,
		}
		if value != raw {
			a.value.runs = appendRuns(nil, 0, p.src, quote+1, raw, true)
		}
		list = append(list, a)
		at = quote + 1 + size + 1
	}
}

// nameLength returns the length of the ASCII name at the start of a text, or 0 if the text does not start with a name.
func nameLength(s string) int {
	for i := range len(s) {
		if kind := charClass[s[i]]; kind < classNameRest || i == 0 && kind == classNameRest {
			return i
		}
	}
	return len(s)
}

// attrsOfOne is the number of attributes for which scanTag reserves capacity.
const attrsOfOne = 8

// The classes of characters: blanks, characters of a name other than the first, and characters that may start a name.
const (
	classBlank = 1 + iota
	classNameRest
	classNameStart
)

var charClass = func() (marks [256]uint8) {
	for c := range marks {
		switch {
		case strings.IndexByte(blanks, byte(c)) >= 0:
			marks[c] = classBlank
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_':
			marks[c] = classNameStart
		case c >= '0' && c <= '9' || c == '-' || c == '.':
			marks[c] = classNameRest
		}
	}
	return marks
}()

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`, "&apos;", "'")

// unescaped replaces the entities of a text. ok is false if the text has an & that does not start one of the five
// entities of XML.
func unescaped(s string) (text string, ok bool) {
	if strings.IndexByte(s, '&') < 0 {
		return s, true
	}
	for rest := s; ; {
		i := strings.IndexByte(rest, '&')
		if i < 0 {
			return entities.Replace(s), true
		}
		rest = rest[i:]
		if !strings.HasPrefix(rest, "&lt;") && !strings.HasPrefix(rest, "&gt;") && !strings.HasPrefix(rest, "&amp;") &&
			!strings.HasPrefix(rest, "&quot;") && !strings.HasPrefix(rest, "&apos;") {
			return s, false
		}
		rest = rest[1:]
	}
}
