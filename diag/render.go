package diag

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/isago/isago/internal/quote"
)

// Render formats err for people: every error of a list with its line, a caret, its notes and what to do.
// Errors of a list that say the same of several places are one. Errors of other origin are printed as
// they are, without the whole of long texts that they quote.
func Render(err error) string { return render(err, false) }

// RenderColour is Render for a terminal with colours.
func RenderColour(err error) string { return render(err, true) }

func render(err error, colour bool) string {
	r := renderer{colour: colour}
	var list List
	var one *Error
	switch {
	case errors.As(err, &list):
		r.list(list)
	case errors.As(err, &one):
		r.error(one, nil)
	default:
		fmt.Fprintf(&r.b, "%s\n", quote.BriefQuotes(err.Error()))
	}
	return r.b.String()
}

type renderer struct {
	b      strings.Builder
	colour bool
}

// The colours of errors: those of clang and rustc, which people know.
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

// list renders errors in their order. One that says what another has said stands with that one.
func (r *renderer) list(list List) {
	again := map[cause]List{}
	for _, e := range list {
		again[e.cause()] = append(again[e.cause()], e)
	}
	for _, e := range list {
		if same := again[e.cause()]; same[0] == e {
			r.error(e, same[1:])
		}
	}
}

// error renders an error, of which there are more of the same kind elsewhere.
func (r *renderer) error(e *Error, same List) {
	what, msg := r.paint(levelColours[e.Level], e.Level.String()+": "), quote.Brief(e.Msg)
	switch {
	case e.Span.IsValid():
		fmt.Fprintf(&r.b, "%s %s%s [%s]\n", r.paint(boldColour, e.Span.String()+":"), what, r.paint(boldColour, msg), e.Code)
		r.caret(e.Span)
	case e.Level == Mistake: // the command says before it who speaks
		fmt.Fprintf(&r.b, "%s [%s]\n", msg, e.Code)
	default:
		fmt.Fprintf(&r.b, "%s%s [%s]\n", what, msg, e.Code)
	}
	if len(same) > 0 && e.Span.IsValid() {
		r.remark("note", "the same "+places(same))
	}
	for _, h := range e.Help {
		r.remark("help", h)
	}
	for _, n := range e.Notes {
		fmt.Fprintf(&r.b, "%s %s%s\n", r.paint(boldColour, n.Span.String()+":"), r.paint(noteColour, "note: "), quote.Brief(n.Msg))
		r.caret(n.Span)
	}
}

// mostPlaces bounds the lines that are named of errors that say the same.
const mostPlaces = 5

// places names the lines of errors that say what another one has said.
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
		if s := e.Span; s.Src == last.Src && s.Off >= last.Off { // on from there: a source may have thousands
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

// gutter is as wide as clang's: five digits of a line's number.
const gutter = 5

// remark prints a line below the one that is shown.
func (r *renderer) remark(kind, text string) {
	fmt.Fprintf(&r.b, "%*s %s %s\n", gutter, "", r.paint(gutterColour, "="), r.paint(noteColour, kind+": ")+text)
}

// caretWidth bounds the line that is shown: a description may be one line of a megabyte.
const caretWidth = 160

// caret prints the line of a span, and carets under the span.
func (r *renderer) caret(s Span) {
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

// visible returns what is shown for a character, so that none does something to a terminal or to the order of the others.
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

// wide are the characters that take two columns of a terminal: those of East Asia, and emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{{0x1100, 0x115f, 1}, {0x2e80, 0x303e, 1}, {0x3041, 0xa4cf, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1}},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}},
}

// columns returns how many columns of a terminal a character takes.
func columns(c rune) int {
	switch {
	case unicode.In(c, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, c):
		return 2
	}
	return 1
}
