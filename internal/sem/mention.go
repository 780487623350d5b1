package sem

import "github.com/isago/isago/internal/spec"

// Mentions lists what code names: fields in braces, values of enums, and other words. Code that cannot be
// read names nothing.
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

// Codes lists the pieces of code of a bitset.
func Codes(b *spec.Bitset) []spec.Code {
	var list []spec.Code
	actions := func(a *spec.Actions) {
		if a.Semantics != nil {
			list = append(list, a.Semantics.Code)
		}
		if a.Write != nil {
			list = append(list, a.Write.Code)
		}
	}
	for _, c := range b.Cases {
		actions(&c.Actions)
	}
	for _, o := range b.Operands {
		actions(&o.Actions)
	}
	for _, a := range b.Arounds {
		list = append(list, a.Code)
	}
	return list
}

// Acts reports whether a leaf of a root is an instruction that does something, and no operand with a value.
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
