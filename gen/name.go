package gen

import (
	"fmt"
	"path"
	"strings"

	"github.com/isago/isago/diag"
)

// Line returns where something stands in the description, FILE:LINE, the name of the file without its folder.
func Line(s diag.Span) string {
	if !s.IsValid() {
		return ""
	}
	line, _ := s.LineCol()
	return fmt.Sprintf("%s:%d", Comment(path.Base(s.Src.Name)), line)
}

// Comment makes a text harmless inside a comment of C or Go: one line, printable, no end of a comment.
func Comment(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\\' || r == 0xfffd || r >= 0x80 && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '.'
		}
		return r
	}, s)
	for strings.Contains(clean, "*/") || strings.Contains(clean, "/*") {
		clean = strings.NewReplacer("*/", "* /", "/*", "/ *").Replace(clean)
	}
	return strings.ReplaceAll(clean, "??/", "?? /")
}

// Lower makes an identifier of a name: small letters, digits and _ alone, a letter first.
func Lower(name string) string { return strings.ToLower(identifier(name)) }

// Upper is Lower with capitals.
func Upper(name string) string { return strings.ToUpper(identifier(name)) }

// spelled are the names of characters of which names consist that have no letter.
var spelled = map[byte]string{
	'=': "eq", '!': "not", '<': "lt", '>': "gt", '+': "plus", '-': "minus", '*': "times", '/': "div", '%': "mod",
	'&': "and", '|': "or", '^': "xor", '~': "inv", '?': "any", '@': "at", '$': "s", '.': "dot", ',': "comma",
}

func identifier(name string) string {
	var b strings.Builder
	gap := false
	for i := range len(name) {
		c := name[i]
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			b.WriteByte(c)
			gap = false
			continue
		}
		gap = true
	}
	if b.Len() == 0 {
		for i := range len(name) {
			if s := spelled[name[i]]; s != "" {
				if b.Len() > 0 {
					b.WriteByte('_')
				}
				b.WriteString(s)
			}
		}
	}
	const longest = 60
	s := b.String()
	if len(s) > longest {
		s = s[:longest]
	}
	switch {
	case s == "":
		return "x"
	case s[0] <= '9':
		return "n" + s
	}
	return s
}

// Names makes names unique.
type Names struct {
	taken map[string]bool
	// last is the number that a name was given last.
	last map[string]int
}

// NewNames returns a space of names in which some are taken.
func NewNames(taken ...string) *Names {
	n := &Names{map[string]bool{}, map[string]int{}}
	for _, t := range taken {
		n.taken[t] = true
	}
	return n
}

// Unique returns a name, with a number behind it where it is taken.
func (n *Names) Unique(name, _ string) string {
	free := name
	for i := max(2, n.last[name]+1); n.taken[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
		n.last[name] = i
	}
	n.taken[free] = true
	return free
}
