// Package cfile helps to write source files of C.
package cfile

import (
	"fmt"
	"strings"
)

// File is a file. Its name is relative to a folder, with slashes.
type File struct {
	Name string
	Data []byte
}

// Literal returns text as a string literal of C.
func Literal(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '?': // no trigraphs
			b.WriteString(`\?`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
