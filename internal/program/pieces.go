package program

import (
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/lazy"
)

// Pieces divides a text at the line markers that C preprocessors leave, # LINE "FILE": each piece is
// a source of its own, whose positions are those of the file that the marker names. A text without
// markers is one piece. Other lines that start with # are comments, and left in their pieces; those
// for a preprocessor that has not run are mistakes.
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
		text := strings.TrimSpace(line)
		if preprocessor().MatchString(text) {
			errs = append(errs, diag.Errorf(diag.TextExpected, position(src, name, before, start, off, len(line)),
				"%q, expected a line marker such as # 12 %q or a comment: run the preprocessor first", text, "file"))
		}
		if file, n, ok := marker(text); ok {
			cut(off)
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

// preprocessor matches a line that would change the program.
var preprocessor = lazy.Regexp(`^#(include|import|define|undef|if|ifdef|ifndef|elif|else|endif|error)\b`)

// position returns where n bytes of a text lie that has been cut at start.
func position(src *diag.Source, name string, before, start, off, n int) diag.Span {
	piece := &diag.Source{Name: name, Text: src.Text[start:], Before: before}
	return diag.Span{Src: piece, Off: off - start, End: off - start + n}
}

// marker reads a line marker: the number of the next line, and perhaps its file and flags.
func marker(text string) (file string, line int, ok bool) {
	if !strings.HasPrefix(text, "#") {
		return "", 0, false
	}
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
