// Package diag defines source positions and the errors that refer to them. An error has a stable code and a message.
// Render formats an error with its line and a caret.
package diag

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/internal/quote"
)

// Source is a text with the name that errors print for it.
type Source struct {
	Name string
	Text string
	// Before is the number of lines that precede Text in the file. If line markers divide a file into pieces, each
	// piece is a Source.
	Before int
	// Code is set if the text is one instruction of a program in the file. Positions then print with an address instead
	// of a line and a column.
	Code *CodePlace
}

// CodePlace is the place of an instruction in a program.
type CodePlace struct {
	// Program is the name of the program, or "" if the file has only one.
	Program string
	// Address is the number of bytes from the start of the program.
	Address int64
}

// String returns the place in the form that follows a file name: @0x10, or :NAME@0x10.
func (p CodePlace) String() string {
	if p.Program != "" {
		return fmt.Sprintf(":%s@0x%x", p.Program, p.Address)
	}
	return fmt.Sprintf("@0x%x", p.Address)
}

// Span is a range of bytes of a source, from Off up to but not including End. The zero Span has no position.
type Span struct {
	Src      *Source
	Off, End int
}

// IsValid reports whether the span points into a source.
func (s Span) IsValid() bool { return s.Src != nil }

// start returns the offset of the first byte of the span, clamped to the text.
func (s Span) start() int { return min(max(s.Off, 0), len(s.Src.Text)) }

// LineCol returns the line and the column of the start, counted from 1. Columns count characters.
func (s Span) LineCol() (line, col int) {
	before := s.Src.Text[:s.start()]
	start := strings.LastIndexByte(before, '\n') + 1
	return s.Src.Before + strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// String returns file:line:col, FILE@ADDRESS for an instruction, or "-" for the zero Span.
func (s Span) String() string {
	if !s.IsValid() {
		return "-"
	}
	if s.Src.Code != nil {
		return s.Src.Name + s.Src.Code.String()
	}
	line, col := s.LineCol()
	return fmt.Sprintf("%s:%d:%d", s.Src.Name, line, col)
}

// text returns the line in which the span starts. from and to delimit the bytes of the line that the span covers.
func (s Span) text() (line string, from, to int) {
	text, off := s.Src.Text, s.start()
	start := strings.LastIndexByte(text[:off], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[off:], '\n'); i >= 0 {
		end = off + i
	}
	return strings.TrimSuffix(text[start:end], "\r"), off - start, min(max(s.End, off+1), end) - start
}

// Note is a message about another position that explains an error, such as an earlier definition of the same name.
type Note struct {
	Span Span
	Msg  string
}

// Level is the severity of an error.
type Level uint8

// The levels. A Mistake is an error. A Warning reports something legal that is probably a mistake. A Remark is
// additional information.
const (
	Mistake Level = iota
	Warning
	Remark
)

// String returns the level as compilers print it.
func (l Level) String() string { return [...]string{"error", "warning", "note"}[l] }

// Error is a diagnostic: an error, a warning or a note about an input.
type Error struct {
	Code  Code
	Span  Span
	Msg   string
	Level Level
	Notes []Note
	// Help lists suggestions for a fix.
	Help []string
	// More is the number of further positions with the same message, for which a Bag has stored no error.
	More int
}

// Errorf returns an error. It formats the message as fmt.Sprintf does.
func Errorf(code Code, span Span, format string, args ...any) *Error {
	return &Error{Code: code, Span: span, Msg: fmt.Sprintf(format, args...)}
}

// Warnf returns a warning. It formats the message as fmt.Sprintf does.
func Warnf(code Code, span Span, format string, args ...any) *Error {
	e := Errorf(code, span, format, args...)
	e.Level = Warning
	return e
}

// With adds a note and returns the error.
func (e *Error) With(span Span, format string, args ...any) *Error {
	e.Notes = append(e.Notes, Note{span, fmt.Sprintf(format, args...)})
	return e
}

// Meant adds the suggestion "did you mean NAME?" with the name that is most similar to word. If no name is similar
// enough, it adds nothing. It returns the error.
func (e *Error) Meant(word string, names []string) *Error {
	if near := quote.Nearest(word, names); near != "" {
		e.Help = append(e.Help, "did you mean "+near+"?")
	}
	return e
}

// Error returns one line: file:line:col: message [code]. For a warning or a note, the level precedes the message.
func (e *Error) Error() string {
	msg := quote.Brief(e.Msg)
	if e.Level != Mistake {
		msg = e.Level.String() + ": " + msg
	}
	if !e.Span.IsValid() {
		return fmt.Sprintf("%s [%s]", msg, e.Code)
	}
	return fmt.Sprintf("%s: %s [%s]", e.Span, msg, e.Code)
}

// List is a list of errors. Sort sorts it by position.
type List []*Error

// Error returns one line for each error.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors of the list, so that errors.As can find each of them.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Sort sorts the errors by source name and position. Errors without a position come last.
func (l List) Sort() {
	sort.SliceStable(l, func(i, j int) bool {
		a, b := l[i].Span, l[j].Span
		if !a.IsValid() || !b.IsValid() {
			return a.IsValid() && !b.IsValid()
		}
		if a.Src.Name != b.Src.Name {
			return a.Src.Name < b.Src.Name
		}
		if x, y := a.Src.Code, b.Src.Code; x != nil && y != nil && *x != *y {
			return x.Program < y.Program || x.Program == y.Program && x.Address < y.Address
		}
		if a.Src.Before != b.Src.Before {
			return a.Src.Before < b.Src.Before
		}
		return a.Off < b.Off
	})
}

// MaxShown is the maximum number of different errors, and of different warnings, that one run prints.
const MaxShown = 50

// cause is the key of the errors that have the same message in one file.
type cause struct {
	code Code
	file string
	msg  string
}

func (e *Error) cause() cause {
	if !e.Span.IsValid() {
		return cause{code: e.Code, msg: e.Msg}
	}
	return cause{e.Code, e.Span.Src.Name, e.Msg}
}

// Capped returns the errors that have one of the first MaxShown different messages. If there are other errors, it
// appends an error with their number. what is the noun for them, such as "warning".
func (l List) Capped(what string) List {
	var shown List
	causes := map[cause]bool{}
	for _, e := range l {
		if c := e.cause(); causes[c] || len(causes) < MaxShown {
			causes[c] = true
			shown = append(shown, e)
		}
	}
	rest := len(l) - len(shown)
	if rest <= 0 {
		return l
	}
	more := Errorf(l[len(l)-1].Code, Span{}, "%d more %ss, not shown", rest, what)
	if rest == 1 {
		more.Msg = fmt.Sprintf("1 more %s, not shown", what)
	}
	return append(shown, more)
}

// Full reports whether the list has more than MaxShown errors, so that a parser can stop.
func (l List) Full() bool { return len(l) > MaxShown }

// Bounded sorts the list and returns its first MaxShown errors. If there are more, it appends an error that reports how
// many it shows.
func (l List) Bounded() List {
	l.Sort()
	if !l.Full() {
		return l
	}
	return append(l[:MaxShown], Errorf(l[MaxShown].Code, Span{}, "too many errors; only the first %d are shown", MaxShown))
}

// Err returns the list as an error, or nil if the list is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// maxSame is the maximum number of warnings with the same message that a Bag stores.
const maxSame = 1 << 6

// Bag collects the warnings about a source. For each message, it stores the first warnings and counts the positions of
// the later ones.
type Bag struct {
	// List holds the first 64 warnings with each message.
	List List
	same map[cause]*same
}

// same is the state of one message. n is the number of warnings with this message in the list, and kept is the last one
// in the list. last is the position of the last warning that was added.
type same struct {
	n    int
	kept *Error
	last Span
}

// Warn adds a warning.
func (b *Bag) Warn(code Code, span Span, msg string) {
	c := (&Error{Code: code, Span: span, Msg: msg}).cause()
	s := b.same[c]
	switch {
	case s == nil:
		if b.same == nil {
			b.same = map[cause]*same{}
		}
		s = &same{}
		b.same[c] = s
	case s.n >= maxSame:
		if s.last != span {
			s.kept.More++
		}
		s.last = span
		return
	}
	s.n, s.kept, s.last = s.n+1, &Error{Code: code, Span: span, Msg: msg, Level: Warning}, span
	b.List = append(b.List, s.kept)
}
