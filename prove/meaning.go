package prove

import (
	"errors"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// meaning checks what the description says of what instructions do, if it says anything.
func (c *checker) meaning() {
	for _, m := range c.machines {
		s, err := sem.New(m.m)
		c.mistakes(m, err)
		if err != nil || !s.Speaks() {
			continue
		}
		for _, r := range c.roots(m) {
			if s.Acts(r.Spec) {
				c.mistakes(m, s.Check(r))
			}
		}
		c.unusedState(s)
	}
}

// mistakes makes findings of errors.
func (c *checker) mistakes(m *machine, err error) {
	var list diag.List
	if !errors.As(err, &list) {
		return
	}
	for _, e := range list {
		c.add(m, &Finding{Code: e.Code, Level: Error, Span: e.Span, Msg: e.Msg, Notes: e.Notes})
	}
}

// unusedState reports registers, stacks and memories that no code and no operand names.
func (c *checker) unusedState(s *sem.Machine) {
	used := map[string]bool{}
	for _, f := range c.spec.Files {
		if f.Of != nil {
			used[f.Of.Name] = true
		}
	}
	for _, code := range c.codes() {
		_, _, words := sem.Mentions(code)
		for _, w := range words {
			used[w] = true
		}
	}
	facts := func(f *spec.Facts) {
		if f.Reg != nil {
			used[f.Reg.File.Name] = true
		}
		if f.Relative != nil && f.Relative.Reg.File != nil {
			used[f.Relative.Reg.File.Name] = true
		}
		if f.Mem != nil && f.Mem.Memory != nil {
			used[f.Mem.Memory.Name] = true
		}
	}
	for _, b := range c.spec.Bitsets {
		for _, cs := range b.Cases {
			facts(&cs.Facts)
		}
		for _, o := range b.Operands {
			facts(&o.Facts)
		}
	}
	for _, e := range c.spec.Enums {
		for _, v := range e.Values {
			if v.Reg != nil {
				used[v.Reg.File.Name] = true
			}
		}
	}
	for _, st := range s.States {
		if !used[st.Name] {
			c.add(nil, &Finding{Code: diag.StateUnused, Level: Warning, Span: st.Span, Msg: "nothing reads or writes " + st.Name})
		}
	}
}

// codes lists all code of the description.
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
