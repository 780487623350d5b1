package isa

import (
	"strings"

	"github.com/isago/isago/internal/spec"
)

// Prints reports whether the text of an instruction can have a mark in it, such as what starts a
// comment, apart from what a hook prints. It may say yes of a mark that only the texts of several
// fields side by side could make.
func (s *Set) Prints(mark string) bool {
	if known, ok := s.prints.Load(mark); ok {
		return known.(bool)
	}
	f := markFinder{mark: mark, ends: make([]bool, len(mark)), starts: make([]bool, len(mark))}
	f.description(s.model.ISA)
	s.prints.Store(mark, f.found())
	return f.found()
}

// markFinder looks for a mark in pieces of text that may stand side by side.
type markFinder struct {
	mark   string
	inside bool
	// ends tells of each length whether a piece ends with that much of the mark, starts whether one
	// starts with what is left of it then.
	ends, starts []bool
}

func (f *markFinder) found() bool {
	for n := 1; n < len(f.mark); n++ {
		if f.ends[n] && f.starts[n] {
			return true
		}
	}
	return f.inside
}

func (f *markFinder) text(s string) {
	f.inside = f.inside || strings.Contains(s, f.mark)
	for n := 1; n < len(f.mark); n++ {
		f.ends[n] = f.ends[n] || strings.HasSuffix(s, f.mark[:n])
		f.starts[n] = f.starts[n] || strings.HasPrefix(s, f.mark[n:])
	}
}

func (f *markFinder) description(m *spec.ISA) {
	for _, e := range m.Enums {
		for _, v := range e.Values {
			f.text(v.Display)
			for _, a := range v.Aliases {
				f.text(a)
			}
		}
	}
	for _, b := range m.Bitsets {
		f.text(b.DisplayName)
		for _, name := range b.SyntaxNames {
			f.text(name)
		}
		for _, c := range b.Cases {
			f.ofCase(c)
		}
	}
}

func (f *markFinder) ofCase(c *spec.Case) {
	for _, t := range c.Displays {
		f.template(t)
	}
	for _, t := range c.Aliases {
		f.template(t)
	}
	for _, x := range c.Fields {
		if x.Display != nil {
			f.text(*x.Display)
		}
	}
	for _, x := range c.Sets {
		f.text(x.Join)
	}
}

func (f *markFinder) template(t *spec.Template) {
	for _, it := range t.Items() {
		f.text(it.Text)
		f.text(it.Before)
		f.text(it.After)
	}
}
