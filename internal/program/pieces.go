package program

import (
	"strconv"
	"strings"

	"github.com/isago/isago/internal/diag"
)

// Pieces divides a text at the line markers that C preprocessors leave, # LINE "FILE": each piece is
// a source of its own, whose positions are those of the file that the marker names. A text without
// markers is one piece.
func Pieces(src *diag.Source) ([]*diag.Source, error) {
	if !strings.Contains(src.Text, "#") {
		return []*diag.Source{src}, nil
	}
	var pieces []*diag.Source
	var errs diag.List
	name, before, start, off := src.Name, src.Before, 0, 0
	cut := func(end int) {
		if start < end {
			pieces = append(pieces, &diag.Source{Name: name, Text: src.Text[start:end], Before: before})
		}
	}
	for line := range strings.Lines(src.Text) {
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "#") {
			cut(off)
			file, n, ok := marker(text)
			if !ok {
				errs = append(errs, diag.Errorf(diag.TextExpected, diag.Span{Src: src, Off: off, End: off + len(line)},
					"%q, expected a line marker such as # 12 %q, or a comment", text, "file"))
			}
			if file != "" {
				name = file
			}
			before, start = n-1, off+len(line)
		}
		off += len(line)
	}
	cut(off)
	return pieces, errs.Err()
}

// marker reads a line marker: the number of the next line, and perhaps its file and flags.
func marker(text string) (file string, line int, ok bool) {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text[1:]), "line "))
	number, rest, _ := strings.Cut(text, " ")
	line, err := strconv.Atoi(number)
	if err != nil || line < 0 {
		return "", 1, false
	}
	rest = strings.TrimSpace(rest)
	if rest == "" {
		return "", line, true
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", line, false
	}
	file, err = strconv.Unquote(quoted)
	return file, line, err == nil
}
