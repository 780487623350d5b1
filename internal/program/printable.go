package program

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable escapes what a name out of a file must not do to a terminal or to the lines of a
// listing: control characters, and bytes that are no UTF-8.
func Printable(s string) string {
	clean := func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }
	if strings.IndexFunc(s, clean) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	quoted = strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
	return strings.ReplaceAll(quoted, `\\`, `\`)
}
