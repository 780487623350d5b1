package prove

import (
	"errors"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// meaning checks the semantics of the description, if it has any.
func (c *checker) meaning() {
	for _, m := range c.machines {
		s, err := sem.New(m.m)
		c.mistakes(m, err)
		if err != nil || !s.Speaks() {
			continue
		}
		roots := m.m.TopRoots() // nested roots are checked where they are used
		if c.opt.Root != "" {
			roots = c.roots(m)
		}
		for _, r := range roots {
			if s.Acts(r.Spec) {
				c.mistakes(m, s.Check(r))
			}
		}
		c.unusedState(s)
	}
}

// mistakes records the diagnostics in an error as findings.
func (c *checker) mistakes(m *machine, err error) {
	var list diag.List
	if !errors.As(err, &list) {
		return
	}
	for _, e := range list {
		c.add(m, &Finding{Code: e.Code, Level: Error, Span: e.Span, Msg: e.Msg, Notes: e.Notes})
	}
}

// unusedState reports registers, stacks, memories and ROMs that neither code nor an operand names.
// unusedFacts reports register files.
func (c *checker) unusedState(s *sem.Machine) {
	words := c.words()
	for _, b := range c.spec.Bitsets {
		for _, cs := range b.Cases {
			if m := cs.Facts.Mem; m != nil && m.Memory != nil {
				words[m.Memory.Name] = true
			}
		}
		for _, o := range b.Operands {
			if m := o.Facts.Mem; m != nil && m.Memory != nil {
				words[m.Memory.Name] = true
			}
		}
	}
	for _, st := range s.States {
		if !words[st.Name] && !words[st.Group] && c.spec.File(st.Name) == nil {
			c.add(nil, &Finding{Code: diag.StateUnused, Level: Warning, Span: st.Span, Msg: "nothing reads or writes " + st.Name})
		}
	}
}

// words returns the set of names in all code of the description.
func (c *checker) words() map[string]bool {
	out := map[string]bool{}
	for _, code := range c.codes() {
		_, _, words := sem.Mentions(code)
		for _, w := range words {
			out[w] = true
		}
	}
	return out
}

// codes returns all code of the description.
func (c *checker) codes() []spec.Code {
	var list []spec.Code
	for _, b := range c.spec.Bitsets {
		list = append(list, sem.Codes(b)...)
	}
	for _, f := range c.spec.Meaning.Functions {
		list = append(list, f.Body)
	}
	return list
}
