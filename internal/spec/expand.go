package spec

import (
	"slices"
	"strings"

	"github.com/isago/isago/diag"
)

// MaxDisplay is the largest size of one display in bytes, and MaxExpanded is the largest size of all displays together.
// Both limits apply after the expansion of templates.
const (
	MaxDisplay  = 16 << 10
	MaxExpanded = 8 << 20
)

// references returns the names in braces in the text of a template, in order. In a strict description, it skips {{,
// which is a printed brace.
func references(s string, strict bool) []string {
	var list []string
	for {
		_, after, ok := strings.Cut(s, "{")
		if !ok {
			return list
		}
		if strict && strings.HasPrefix(after, "{") {
			s = after[1:]
			continue
		}
		name, tail, ok := strings.Cut(after, "}")
		if !ok {
			return list
		}
		list, s = append(list, name), tail
	}
}

// reference returns the index of the first occurrence of old in s, or -1. old is a name in braces. In a strict
// description, reference skips {{.
func reference(s, old string, strict bool) int {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '{')
		switch {
		case i < 0:
			return -1
		case strings.HasPrefix(s[from+i:], old) && !(strict && strings.HasPrefix(s[from+i:], "{{")):
			return from + i
		case strict && strings.HasPrefix(s[from+i:], "{{"):
			from += i + 2
		default:
			from += i + 1
		}
	}
}

// expander replaces {NAME} with the text of <template name="NAME">.
type expander struct {
	l     *loader
	named map[string]*Template
	done  map[*Template]text // expanded texts, in a strict description
	open  []*Template        // templates that are being expanded
	size  int
}

// replace returns src with each reference to the template name replaced with by. If the result is too long, it returns
// src unchanged and false.
func (x *expander) replace(src text, name string, by text, at diag.Span) (text, bool) {
	old := "{" + name + "}"
	count := strings.Count(src.s, old)
	n := count * len(by.s)
	switch x.size += n; {
	case len(src.s)+n-count*len(old) > MaxDisplay:
		x.l.fail(diag.Errorf(diag.XMLLimit, at, "display larger than %d bytes after expansion of its templates", MaxDisplay))
	case x.size > MaxExpanded:
		if x.size-n <= MaxExpanded {
			x.l.fail(diag.Errorf(diag.XMLLimit, at, "displays larger than %d bytes in total after expansion of their templates", MaxExpanded))
		}
	default:
		return src.replace(len(old), by, func(s string) int { return reference(s, old, x.l.isa.Strict) }), true
	}
	return src, false
}

// expandPlain expands templates as Mesa's reader does. At the end of each file, it visits the last definition of each
// bitset so far. In each display of the bitset, it lists the names in braces once. It then handles the names in this
// order and replaces all references to each name.
func (l *loader) expandPlain() {
	x := expander{l: l, named: map[string]*Template{}}
	bitsets, order := map[string]*Bitset{}, []string{}
	t, b := 0, 0
	for _, file := range l.files {
		for ; t < file.templates; t++ {
			x.named[l.isa.Templates[t].Name] = l.isa.Templates[t]
		}
		for ; b < file.bitsets; b++ {
			name := l.isa.Bitsets[b].Name
			if bitsets[name] == nil {
				order = append(order, name)
			}
			bitsets[name] = l.isa.Bitsets[b]
		}
		if len(x.named) == 0 {
			continue
		}
		for _, name := range order {
			for _, t := range bitsets[name].templates() {
				x.expandPlain(t)
			}
		}
	}
}

func (x *expander) expandPlain(t *Template) {
	for _, name := range references(t.src.s, false) {
		if by := x.named[name]; by != nil {
			by.Used = true
			var ok bool
			if t.src, ok = x.replace(t.src, name, by.src, t.Span); !ok {
				break
			}
		}
	}
	t.Text = t.src.s
}

// expandStrict expands all references to templates, including references inside templates.
func (l *loader) expandStrict() {
	x := expander{l: l, named: map[string]*Template{}, done: map[*Template]text{}}
	for _, t := range l.isa.Templates {
		if old := x.named[t.Name]; old != nil {
			l.fail(diag.Errorf(diag.Duplicate, t.Span, "template %s is defined twice", t.Name).With(old.Span, "the other definition"))
		}
		x.named[t.Name] = t
	}
	if len(x.named) == 0 {
		return
	}
	for _, b := range l.isa.Bitsets {
		for _, t := range b.templates() {
			t.src = x.expandStrict(t.src, t.Span)
			t.Text = t.src.s
		}
	}
}

func (x *expander) expandStrict(src text, at diag.Span) text {
	seen := map[string]bool{}
	for _, name := range references(src.s, true) {
		by := x.named[name]
		if by == nil || seen[name] {
			continue
		}
		seen[name], by.Used = true, true
		if slices.Contains(x.open, by) || len(x.open) == MaxDepth {
			x.l.fail(diag.Errorf(diag.TemplateText, by.Span, "template %s contains itself", by.Name))
			return src
		}
		inner, ok := x.done[by]
		if !ok {
			x.open = append(x.open, by)
			inner = x.expandStrict(by.src, by.Span)
			x.open = x.open[:len(x.open)-1]
			x.done[by] = inner
		}
		if src, ok = x.replace(src, name, inner, at); !ok {
			return src
		}
	}
	return src
}
