package prove

import (
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// stray reports parts of a description that the parser accepts but ignores: unknown elements and
// attributes, and misplaced text. It also reports braces that do not contain a valid reference.
func (c *checker) stray() {
	for _, e := range c.spec.Remarks {
		f := &Finding{Code: e.Code, Level: Warning, Span: e.Span, Msg: e.Msg}
		f.Notes = e.Notes
		c.add(nil, f)
	}
	for _, b := range c.spec.Bitsets {
		for _, cs := range b.Cases {
			for _, t := range cs.Displays {
				c.braces(t)
			}
		}
	}
}

// spelled reports whether a reference is a valid name. The method braces reports invalid names.
func spelled(name string) bool { return reference().MatchString("{" + name + "}") }

var reference = lazy.Regexp(`^\{(@?[A-Za-z0-9_.]*(:align=\d+)?|[^{}]*\?[^{}]*)\}$`)

// braces reports unmatched braces and braces whose content cannot be a name.
func (c *checker) braces(t *spec.Template) {
	var last diag.Span
	for _, it := range t.Items() {
		if it.Span == last {
			continue // the field after an alignment
		}
		last = it.Span
		msg, at := "", it.Span
		written := ""
		if it.Span.IsValid() && it.Span.End <= len(it.Span.Src.Text) {
			written = it.Span.Src.Text[it.Span.Off:it.Span.End]
		}
		switch {
		case it.Kind == spec.ItemText && it.Braces == strings.Count(it.Text, "{")+strings.Count(it.Text, "}"):
		case it.Kind == spec.ItemText && it.Braces > 0:
			msg = "} without {: it is printed unchanged, expected }}"
		case it.Kind == spec.ItemText && strings.Contains(it.Text, "{"):
			msg, at = "{ without }: it is printed unchanged", narrow(at, "{")
		case it.Kind == spec.ItemText && strings.Contains(it.Text, "}"):
			msg, at = "} without {: it is printed unchanged", narrow(at, "}")
		case it.Kind == spec.ItemRef && strings.HasPrefix(written, "{") && strings.HasSuffix(written, "}") && !reference().MatchString(written):
			msg = written + " is not a valid name in braces, expected {NAME} or {NAME:align=24}"
		case it.Kind == spec.ItemAlign && strings.HasPrefix(written, "{") && strings.HasSuffix(written, "}") && !reference().MatchString(written):
			msg = written + " has a column that is not a number, expected {NAME:align=24}"
		}
		if msg != "" {
			c.add(nil, &Finding{Code: diag.TemplateText, Level: Warning, Span: at, Msg: msg})
		}
	}
}

// narrow returns the location of the first such brace in a piece of text.
func narrow(s diag.Span, brace string) diag.Span {
	if !s.IsValid() || s.End > len(s.Src.Text) {
		return s
	}
	if i := strings.Index(s.Src.Text[s.Off:s.End], brace); i >= 0 {
		s.Off += i
		s.End = s.Off + 1
	}
	return s
}

// bound reports the errors that occurred when a leaf was bound, such as cycles and exceeded limits. It
// skips unresolved names and missing displays, which the walker reports.
func (m *machine) bound(u *model.BoundLeaf) {
	for _, e := range u.Errs() {
		if e.Code == diag.ExprCycle {
			m.cycle(e.Span)
			continue
		}
		if e.Code != diag.Unresolved && e.Code != diag.NoDisplay {
			f := &Finding{Code: e.Code, Level: Error, Span: e.Span, Msg: e.Msg, key: string(e.Code) + e.Span.String()}
			f.Notes = e.Notes
			m.c.add(m, f)
		}
	}
}
