package prove

import (
	"math"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/lazy"
)

// suppression is a comment that suppresses findings:
//
//	<!-- check: ignore CODE: reason -->
//
// It applies to findings with that code on the lines of the comment and on the lines after it, up to
// and including the line of the next text that is not a comment. The form
//
//	<!-- check: ignore CODE in this file: reason -->
//
// applies to the whole file. The form
//
//	<!-- check: ignore CODE of FIELD OTHER in this file: reason -->
//
// applies only to findings about bits of these fields. "of FIELD" is also valid without "in this
// file".
type suppression struct {
	span   diag.Span
	code   diag.Code
	fields []string
	reason string
	// first and last are the first and the last line to which the suppression applies.
	src         *diag.Source
	first, last int
	used        bool
}

var (
	comment    = lazy.Regexp(`(?s)<!--(.*?)-->`)
	exceptForm = lazy.Regexp(`(?s)^ignore\s+([a-z-]+)(?:\s+of((?:\s+[A-Z_][A-Z0-9_]*)+))?(\s+in\s+this\s+file)?\s*:\s*(\S.*)$`)
)

// sources returns the files of the description.
func (c *checker) sources() []*diag.Source {
	list := []*diag.Source{c.spec.Source}
	add := func(s diag.Span) {
		if s.IsValid() && !slices.Contains(list, s.Src) {
			list = append(list, s.Src)
		}
	}
	for _, b := range c.spec.Bitsets {
		add(b.Span)
	}
	for _, e := range c.spec.Enums {
		add(e.Span)
	}
	for _, e := range c.spec.Exprs {
		add(e.Span)
	}
	for _, t := range c.spec.Templates {
		add(t.Span)
	}
	return list
}

// suppressions parses the suppressions and reports malformed ones.
func (c *checker) suppressions() []*suppression {
	var list []*suppression
	for _, src := range c.sources() {
		for _, at := range comment().FindAllStringSubmatchIndex(src.Text, -1) {
			text, ok := strings.CutPrefix(strings.TrimSpace(src.Text[at[2]:at[3]]), "check:")
			if !ok {
				continue
			}
			span := diag.Span{Src: src, Off: at[0], End: at[1]}
			form := exceptForm().FindStringSubmatch(strings.TrimSpace(text))
			if form == nil {
				c.add(nil, &Finding{Code: diag.ExceptionForm, Level: Error, Span: span, Msg: "the suppression has a syntax error, expected \"check: ignore CODE: reason\""})
				continue
			}
			e := &suppression{span: span, code: diag.Code(form[1]), fields: strings.Fields(form[2]), reason: strings.Join(strings.Fields(form[4]), " "), src: src}
			e.first, _ = span.LineCol()
			e.last = lineAfter(src, at[1])
			if form[3] != "" {
				e.first, e.last = 1, math.MaxInt
			}
			list = append(list, e)
		}
	}
	c.sort()
	return list
}

// lineAfter returns the line of the first text after an offset that is not a comment.
func lineAfter(src *diag.Source, off int) int {
	for {
		rest := src.Text[off:]
		off += len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
		if at := comment().FindStringIndex(src.Text[off:]); at != nil && at[0] == 0 {
			off += at[1]
			continue
		}
		line, _ := diag.Span{Src: src, Off: off}.LineCol()
		return line
	}
}

// findSuppression returns the first suppression that applies to a finding, or nil. It marks all
// suppressions that apply as used. A suppression may be at the location of the finding or of one of
// its notes.
func findSuppression(list []*suppression, f *Finding) *suppression {
	var found *suppression
	for _, e := range list {
		if e.code != f.Code || !e.appliesTo(f.fields) || !e.contains(f.Span) && !slices.ContainsFunc(f.Notes, func(n diag.Note) bool { return e.contains(n.Span) }) {
			continue
		}
		e.used = true
		if found == nil {
			found = e
		}
	}
	return found
}

// appliesTo reports whether a suppression covers findings about these fields.
func (e *suppression) appliesTo(fields []string) bool {
	if len(e.fields) == 0 {
		return true
	}
	other := func(name string) bool { return !slices.Contains(e.fields, name) }
	return len(fields) > 0 && !slices.ContainsFunc(fields, other)
}

func (e *suppression) contains(s diag.Span) bool {
	if s.Src != e.src {
		return false
	}
	line, _ := s.LineCol()
	return e.first <= line && line <= e.last
}

// unusedSuppressions returns a finding for each suppression that matches no finding. It returns none
// if the check was partial. If random words were searched, it does not report suppressions of
// same-text findings, because the search may have missed the finding.
func (c *checker) unusedSuppressions(list []*suppression) []Finding {
	if c.opt.Gens != nil || c.opt.Root != "" || c.interrupted() {
		return nil
	}
	var out []Finding
	for _, e := range list {
		if !e.used && !(c.searched && e.code == diag.SameText) {
			out = append(out, Finding{Code: diag.ExceptionIdle, Level: Warning, Span: e.span, Msg: "this suppression matches no finding " + string(e.code) + "; remove it"})
		}
	}
	return out
}
