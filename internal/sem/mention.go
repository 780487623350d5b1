package sem

import "github.com/isago/isago/internal/spec"

// Mentions returns the names that code contains: fields in braces, values of enums, and other words. If the code has a syntax
// error, Mentions returns nothing.
func Mentions(code spec.Code) (fields, enums, words []string) {
	toks, err := lex(code)
	if err != nil {
		return nil, nil, nil
	}
	for _, t := range toks {
		switch t.kind {
		case tField:
			fields = append(fields, t.text)
		case tEnum:
			enums = append(enums, t.text)
		case tName:
			words = append(words, t.text)
		}
	}
	return fields, enums, words
}

// Codes returns the pieces of code in a bitset.
func Codes(b *spec.Bitset) []spec.Code {
	var list []spec.Code
	eachCode(b, func(code, _ spec.Code) { list = append(list, code) })
	return list
}

// eachCode calls f with each piece of code of a bitset and the type of its value, which is empty for none.
func eachCode(b *spec.Bitset, f func(code, typ spec.Code)) {
	actions := func(a *spec.Actions) {
		if a.Semantics != nil {
			f(a.Semantics.Code, a.Semantics.Type)
		}
		if a.Write != nil {
			f(a.Write.Code, a.Write.Type)
		}
	}
	for _, c := range b.Cases {
		actions(&c.Actions)
	}
	for _, o := range b.Operands {
		actions(&o.Actions)
	}
	for _, a := range b.Arounds {
		f(a.Code, spec.Code{})
	}
}

// Acts reports whether a leaf of a root has semantics of an instruction, not only the value of an operand.
func (m *Machine) Acts(root *spec.Bitset) bool {
	for _, b := range m.Model.ISA.Bitsets {
		if b.Root() != root {
			continue
		}
		for _, c := range b.Cases {
			if c.Semantics != nil && c.Semantics.Type.Text() == "" {
				return true
			}
		}
	}
	return false
}

// Writes reports whether an instruction may change a state, by an assignment, by a push, or by an assignment to an operand
// that may be one of its registers. Writes ignores code with syntax errors.
func (m *Machine) Writes(s *State) bool {
	m.wrote.Do(func() {
		w := writing{m: m, states: map[*State]bool{}}
		for _, f := range m.functions {
			w.stmts(f.body)
		}
		for _, b := range m.Model.ISA.Bitsets {
			eachCode(b, func(code, typ spec.Code) { w.stmts(m.body(code, typ).stmts) })
		}
		if w.operands {
			for _, b := range m.Model.ISA.Bitsets {
				w.registers(b)
			}
		}
		m.written = w.states
	})
	return m.written[s]
}

// writing collects the states that code assigns. operands tells that it assigns an operand.
type writing struct {
	m        *Machine
	states   map[*State]bool
	operands bool
}

func (w *writing) stmts(list []*stmt) {
	for _, s := range list {
		switch s.kind {
		case sAssign:
			w.place(s.x)
		case sPush, sPop:
			w.file(s.name)
		}
		w.stmts(s.body)
		w.stmts(s.other)
	}
}

// place notes what an expression is a part of: name.u32[address] or name[number].u32[address] of a memory, name[number] of a
// file or a view, the name of a register that stands alone. Another name is a variable.
func (w *writing) place(e *expr) {
	switch x := e.x; {
	case e.kind == eName:
		if s := w.m.states[e.name]; s != nil && s.Single {
			w.states[s] = true
		}
	case e.kind == eField:
		w.operands = true
	case e.kind == eTuple:
		for _, x := range e.args {
			w.place(x)
		}
	case e.kind == eIndex && x.kind == eDot && x.x.kind == eName:
		w.memory(x.x.name)
	case e.kind == eIndex && x.kind == eDot && x.x.kind == eIndex && x.x.x.kind == eName:
		w.memory(x.x.x.name)
	case e.kind == eIndex && x.kind == eName:
		w.file(x.name)
	case x != nil:
		w.place(x)
	}
}

func (w *writing) memory(name string) {
	if s := w.m.states[name]; s != nil && s.Kind == MemoryState {
		w.states[s] = true
	}
	for _, s := range w.m.groups[name] {
		w.states[s] = true
	}
}

func (w *writing) file(name string) {
	if s := w.m.states[name]; s != nil && s.Kind != MemoryState {
		w.states[s] = true
	}
	if v := w.m.views[name]; v != nil {
		w.states[v.Of] = true
	}
}

// registers notes the files of the operands of a bitset.
func (w *writing) registers(b *spec.Bitset) {
	note := func(f *spec.Facts) {
		if f.Reg != nil && f.Reg.File != nil && f.Reg.File.Use != "constant" {
			w.file(f.Reg.File.Name)
		}
	}
	for _, c := range b.Cases {
		note(&c.Facts)
	}
	for _, o := range b.Operands {
		note(&o.Facts)
	}
}
