package diag

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/isago/isago/internal/quote"
)

// Render formats err for people. It prints each *Error with its source line, a caret, suggestions and notes. It prints
// errors of a List that have the same message only once. For any other error, it returns the message with long quotes
// shortened.
func Render(err error) string { return render(err, false) }

// RenderColour is like Render, but for a terminal with colours.
func RenderColour(err error) string { return render(err, true) }

func render(err error, colour bool) string {
	r := renderer{colour: colour}
	var list List
	var one *Error
	switch {
	case errors.As(err, &list):
		r.renderList(list)
	case errors.As(err, &one):
		r.renderError(one, nil)
	default:
		fmt.Fprintf(&r.b, "%s\n", quote.BriefQuotes(err.Error()))
	}
	return r.b.String()
}

type renderer struct {
	b      strings.Builder
	colour bool
}

// The colours resemble the colours of clang and rustc.
const (
	noteColour   = "\x1b[1;36m"
	boldColour   = "\x1b[1m"
	caretColour  = "\x1b[1;32m"
	gutterColour = "\x1b[34m"
	resetColour  = "\x1b[0m"
)

var levelColours = [...]string{Mistake: "\x1b[1;31m", Warning: "\x1b[1;35m", Remark: noteColour}

func (r *renderer) paint(colour, text string) string {
	if !r.colour || text == "" {
		return text
	}
	return colour + text + resetColour
}

// renderList renders errors in order. It renders errors with the same message together, at the position of the first
// one.
func (r *renderer) renderList(list List) {
	again := map[cause]List{}
	for _, e := range list {
		again[e.cause()] = append(again[e.cause()], e)
	}
	for _, e := range list {
		if same := again[e.cause()]; same[0] == e {
			r.renderError(e, same[1:])
		}
	}
}

// renderError renders an error. same holds the later errors with the same message.
func (r *renderer) renderError(e *Error, same List) {
	what, msg := r.paint(levelColours[e.Level], e.Level.String()+": "), quote.Brief(e.Msg)
	switch {
	case e.Span.IsValid():
		fmt.Fprintf(&r.b, "%s %s%s [%s]\n", r.paint(boldColour, e.Span.String()+":"), what, r.paint(boldColour, msg), e.Code)
		r.writeCaret(e.Span)
	case e.Level == Mistake: // the command prints its name first
		fmt.Fprintf(&r.b, "%s [%s]\n", msg, e.Code)
	default:
		fmt.Fprintf(&r.b, "%s%s [%s]\n", what, msg, e.Code)
	}
	if len(same) > 0 && e.Span.IsValid() {
		r.writeRemark("note", "the same "+places(same))
	}
	for _, h := range e.Help {
		r.writeRemark("help", h)
	}
	for _, n := range e.Notes {
		fmt.Fprintf(&r.b, "%s %s%s\n", r.paint(boldColour, n.Span.String()+":"), r.paint(noteColour, "note: "), quote.Brief(n.Msg))
		r.writeCaret(n.Span)
	}
}

// mostPlaces is the maximum number of places that are listed for one message.
const mostPlaces = 5

// places returns a text with the lines or the addresses of errors that have the same message.
func places(same List) string {
	var lines []string
	var last Span
	line, unlisted := 0, 0
	what := [2]string{"in line ", "in lines "}
	for _, e := range same {
		unlisted += e.More
		if at := e.Span.Src.Code; at != nil {
			what = [2]string{"at ", "at "}
			lines = append(lines, strings.TrimPrefix(at.String(), "@"))
			continue
		}
		if s := e.Span; s.Src == last.Src && s.Off >= last.Off { // count lines from the last position, because a source may have thousands of errors
			line += strings.Count(s.Src.Text[last.start():s.start()], "\n")
		} else {
			line, _ = s.LineCol()
		}
		last = e.Span
		if text := strconv.Itoa(line); len(lines) == 0 || lines[len(lines)-1] != text {
			lines = append(lines, text)
		}
	}
	lead := what[min(len(lines)/2, 1)]
	if more := len(lines) - mostPlaces + unlisted; more > 0 {
		return fmt.Sprintf("%s%s and %d more", lead, strings.Join(lines[:min(mostPlaces, len(lines))], ", "), more)
	}
	return lead + strings.Join(lines, ", ")
}

// gutter is the width of the column of line numbers, the same as in clang.
const gutter = 5

// writeRemark writes a note or a suggestion without a position, below the quoted source line.
func (r *renderer) writeRemark(kind, text string) {
	fmt.Fprintf(&r.b, "%*s %s %s\n", gutter, "", r.paint(gutterColour, "="), r.paint(noteColour, kind+": ")+text)
}

// caretWidth is the maximum number of bytes of a line that are quoted. Lines can be long: a description may be a single
// line of a megabyte.
const caretWidth = 160

// writeCaret writes the line of a span, with carets below the span.
func (r *renderer) writeCaret(s Span) {
	if !s.IsValid() {
		return
	}
	line, from, to := s.text()
	if strings.TrimSpace(line) == "" {
		return
	}
	if len(line) > caretWidth {
		cut := quote.RuneStart(line, max(0, from-caretWidth/2))
		line = line[cut:quote.RuneStart(line, cut+caretWidth)]
		from, to = from-cut, min(to-cut, caretWidth)
	}
	var shown, marks strings.Builder
	for i, c := range line {
		c = visible(c)
		shown.WriteRune(c)
		switch {
		case i >= to:
		case i >= from:
			marks.WriteString("^^"[:columns(c)])
		case c == '\t':
			marks.WriteByte('\t')
		default:
			marks.WriteString("  "[:columns(c)])
		}
	}
	if from >= len(line) {
		marks.WriteByte('^')
	}
	number := ""
	if s.Src.Code == nil {
		n, _ := s.LineCol()
		number = strconv.Itoa(n)
	}
	indent := strings.TrimRight(marks.String(), "^")
	fmt.Fprintf(&r.b, "%s %s\n%s %s%s\n", r.paint(gutterColour, fmt.Sprintf("%*s |", gutter, number)), shown.String(),
		r.paint(gutterColour, fmt.Sprintf("%*s |", gutter, "")), indent, r.paint(caretColour, marks.String()[len(indent):]))
}

// visible returns a printable character for c. It replaces characters that could control the terminal or change the
// order of the text.
func visible(c rune) rune {
	switch {
	case c == '\t':
	case c < ' ':
		return '\u2400' + c
	case c == 0x7f:
		return '\u2421'
	case unicode.In(c, unicode.Cc, unicode.Cf):
		return unicode.ReplacementChar
	}
	return c
}

// wide is the set of characters that occupy two terminal columns: East Asian characters and emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{{0x1100, 0x115f, 1}, {0x2e80, 0x303e, 1}, {0x3041, 0xa4cf, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1}},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}},
}

// columns returns the number of terminal columns that a character occupies.
func columns(c rune) int {
	switch {
	case unicode.In(c, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, c):
		return 2
	}
	return 1
}
