// Package diag defines source positions and the errors that refer to them. An error has a stable code and a message, and
// prints the line with a caret.
package diag

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/internal/quote"
)

// Source is a text with the name under which errors show it.
type Source struct {
	Name string
	Text string
	// Before is the number of lines before Text in what Name names: of the pieces of a text that line
	// markers divide, each is a source.
	Before int
	// Code is set of a text that is one instruction of a program in the file of that name: its positions have an address in place of
	// line and column.
	Code *CodePlace
}

// CodePlace is a place in a program.
type CodePlace struct {
	// Program is the name of the program, "" where the file has one.
	Program string
	// Address is in bytes from the start of the program.
	Address int64
}

// String returns the notation of the place behind the name of the file: @0x10, or :NAME@0x10.
func (p CodePlace) String() string {
	if p.Program != "" {
		return fmt.Sprintf(":%s@0x%x", p.Program, p.Address)
	}
	return fmt.Sprintf("@0x%x", p.Address)
}

// Span is a range of bytes of a source, from Off up to but not including End. The zero Span is
// no position at all.
type Span struct {
	Src      *Source
	Off, End int
}

// IsValid reports whether the span points into a source.
func (s Span) IsValid() bool { return s.Src != nil }

// start returns where the span starts in its source.
func (s Span) start() int { return min(max(s.Off, 0), len(s.Src.Text)) }

// LineCol returns the line and the column of the start, both counted from 1; columns count
// characters, not bytes.
func (s Span) LineCol() (line, col int) {
	before := s.Src.Text[:s.start()]
	start := strings.LastIndexByte(before, '\n') + 1
	return s.Src.Before + strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// String returns file:line:col, FILE@ADDRESS of an instruction, or "-" for the zero Span.
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

// text returns the line in which the span starts, and the span's place in it in bytes.
func (s Span) text() (line string, from, to int) {
	text, off := s.Src.Text, s.start()
	start := strings.LastIndexByte(text[:off], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[off:], '\n'); i >= 0 {
		end = off + i
	}
	return strings.TrimSuffix(text[start:end], "\r"), off - start, min(max(s.End, off+1), end) - start
}

// Note is a second position that belongs to an error: the other definition, the other match.
type Note struct {
	Span Span
	Msg  string
}

// Level says how bad something is.
type Level uint8

// The levels. A mistake is an error, a warning is legal and hardly meant, a remark is for those who want to know.
const (
	Mistake Level = iota
	Warning
	Remark
)

// String returns the level as compilers print it.
func (l Level) String() string { return [...]string{"error", "warning", "note"}[l] }

// Error is one mistake of the user, at one place, or something that is legal and hardly meant.
type Error struct {
	Code  Code
	Span  Span
	Msg   string
	Level Level
	Notes []Note
	// Help says what to do about it, where that is known.
	Help []string
	// More is how many places say the same behind those that have errors.
	More int
}

// Errorf makes an error; the message is formatted as by fmt.Sprintf.
func Errorf(code Code, span Span, format string, args ...any) *Error {
	return &Error{Code: code, Span: span, Msg: fmt.Sprintf(format, args...)}
}

// Warnf makes a warning; the message is formatted as by fmt.Sprintf.
func Warnf(code Code, span Span, format string, args ...any) *Error {
	e := Errorf(code, span, format, args...)
	e.Level = Warning
	return e
}

// With adds a contributing position and returns the error.
func (e *Error) With(span Span, format string, args ...any) *Error {
	e.Notes = append(e.Notes, Note{span, fmt.Sprintf(format, args...)})
	return e
}

// Meant asks for a name that is like the one that was read, and returns the error.
func (e *Error) Meant(word string, names []string) *Error {
	if near := quote.Nearest(word, names); near != "" {
		e.Help = append(e.Help, "did you mean "+near+"?")
	}
	return e
}

// Error returns the error in one line, file:line:col: message [code].
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

// List is several errors, in the order of their positions once sorted.
type List []*Error

// Error returns one line for each error.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes each error of the list visible to errors.As.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Sort orders the errors by source name and place.
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

// MaxShown is the number of mistakes, or of warnings, of one run that are told of.
const MaxShown = 50

// cause is what errors have in common that say the same of several places.
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

// Capped returns the errors of the first causes of the list, with a count of the rest, which are of the
// kind what.
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

// Full reports whether so much is wrong that the rest of a source need not be read.
func (l List) Full() bool { return len(l) > MaxShown }

// Bounded returns what is told of a source that was read until the list was Full, in order.
func (l List) Bounded() List {
	l.Sort()
	if !l.Full() {
		return l
	}
	return append(l[:MaxShown], Errorf(l[MaxShown].Code, Span{}, "more than %d mistakes, the rest is not shown", MaxShown))
}

// Err returns the list as an error, nil when it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// maxSame is how many warnings that say the same a Bag keeps, each with the text around it.
const maxSame = 1 << 6

// Bag collects the warnings of a source, which may be of any length.
type Bag struct {
	// List has the first of those that say the same.
	List List
	same map[cause]*same
}

// same are warnings that say the same: how many there are, the last one that is kept and the place of the last one.
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
