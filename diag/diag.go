// Package diag defines source positions and the errors that refer to them. An error has a stable code and a message.
// Render prints it with its line and a caret.
package diag

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/internal/quote"
)

// Source is a text with its name in errors.
type Source struct {
	Name string
	Text string
	// Before is the number of lines before Text in the file. If line markers divide a text into pieces, each piece is a
	// source.
	Before int
	// Code is set if the text is one instruction of a program in the file. Its positions then have an address instead
	// of a line and a column.
	Code *CodePlace
}

// CodePlace is the place of an instruction in a program.
type CodePlace struct {
	// Program is the name of the program, "" if the file has only one.
	Program string
	// Address is in bytes from the start of the program.
	Address int64
}

// String returns the place as it follows the name of a file: @0x10, or :NAME@0x10.
func (p CodePlace) String() string {
	if p.Program != "" {
		return fmt.Sprintf(":%s@0x%x", p.Program, p.Address)
	}
	return fmt.Sprintf("@0x%x", p.Address)
}

// Span is a range of bytes of a source, from Off up to but not including End. The zero Span is no position.
type Span struct {
	Src      *Source
	Off, End int
}

// IsValid reports whether the span points into a source.
func (s Span) IsValid() bool { return s.Src != nil }

// start returns the offset of the span, limited to the text.
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

// text returns the line in which the span starts, and the part of the line in the span, in bytes.
func (s Span) text() (line string, from, to int) {
	text, off := s.Src.Text, s.start()
	start := strings.LastIndexByte(text[:off], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[off:], '\n'); i >= 0 {
		end = off + i
	}
	return strings.TrimSuffix(text[start:end], "\r"), off - start, min(max(s.End, off+1), end) - start
}

// Note is a second position of an error, such as the other definition.
type Note struct {
	Span Span
	Msg  string
}

// Level is the severity of an error.
type Level uint8

// The levels. A Mistake is an error. A Warning is about something legal that is probably a mistake. A Remark is
// information.
const (
	Mistake Level = iota
	Warning
	Remark
)

// String returns the level as compilers print it.
func (l Level) String() string { return [...]string{"error", "warning", "note"}[l] }

// Error is a mistake or a warning, at one position.
type Error struct {
	Code  Code
	Span  Span
	Msg   string
	Level Level
	Notes []Note
	// Help are suggestions that fix it.
	Help []string
	// More is the number of further positions with the same message that are not in the list.
	More int
}

// Errorf returns an error with a message that is formatted like fmt.Sprintf.
func Errorf(code Code, span Span, format string, args ...any) *Error {
	return &Error{Code: code, Span: span, Msg: fmt.Sprintf(format, args...)}
}

// Warnf returns a warning with a message that is formatted like fmt.Sprintf.
func Warnf(code Code, span Span, format string, args ...any) *Error {
	e := Errorf(code, span, format, args...)
	e.Level = Warning
	return e
}

// With adds a related position and returns the error.
func (e *Error) With(span Span, format string, args ...any) *Error {
	e.Notes = append(e.Notes, Note{span, fmt.Sprintf(format, args...)})
	return e
}

// Meant adds the question "did you mean" with the name nearest to word, if there is one. It returns the error.
func (e *Error) Meant(word string, names []string) *Error {
	if near := quote.Nearest(word, names); near != "" {
		e.Help = append(e.Help, "did you mean "+near+"?")
	}
	return e
}

// Error returns one line: file:line:col: message [code].
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

// List is a list of errors. Sort orders it by position.
type List []*Error

// Error returns one line for each error.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find each error of the list.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Sort orders the errors by source name and position. Errors without a position come last.
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

// MaxShown is the largest number of different mistakes, or of different warnings, that one run prints.
const MaxShown = 50

// cause is what errors with the same message have in common.
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

// Capped returns the errors with the first MaxShown different messages, and the number of the others. what is the noun
// for the others, such as "warning".
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

// Full reports whether the list is so long that the rest of a source need not be read.
func (l List) Full() bool { return len(l) > MaxShown }

// Bounded returns the list in order, with at most MaxShown errors. An error at its end reports that there are more.
func (l List) Bounded() List {
	l.Sort()
	if !l.Full() {
		return l
	}
	return append(l[:MaxShown], Errorf(l[MaxShown].Code, Span{}, "more than %d mistakes, the rest is not shown", MaxShown))
}

// Err returns the list as an error, nil if it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// maxSame is the largest number of warnings with the same message in a Bag, each with its line.
const maxSame = 1 << 6

// Bag collects the warnings of a source of any length.
type Bag struct {
	// List has the first maxSame warnings of each message.
	List List
	same map[cause]*same
}

// same counts the warnings with one message. kept is the last one in the list, and last is the position of the latest
// one.
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
