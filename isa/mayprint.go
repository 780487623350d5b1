package isa

import (
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/internal/spec"
)

// MayPrint reports whether the text of an instruction may contain mark, such as the start of a comment.
// It examines only the texts in the description. It ignores numbers and the output of Label, Symbol and
// Custom. It also returns true if one text ends with the first part of mark and another text begins with
// the rest. The two texts need not ever be printed next to each other.
func (s *Set) MayPrint(mark string) bool {
	if known, ok := s.prints.Load(mark); ok {
		return known.(bool)
	}
	all := pieces(s.model.ISA)
	found := strings.Contains(all, mark)
	for n := 1; n < len(mark); n++ {
		found = found || strings.Contains(all, mark[:n]+between) && strings.Contains(all, between+mark[n:])
	}
	s.prints.Store(mark, found)
	return found
}

// between is the separator of the texts in the result of pieces.
const between = "\x00"

// pieces returns all texts of a description that can be printed, each between two separators.
func pieces(m *spec.ISA) string {
	list := []string{""}
	for _, e := range m.Enums {
		for _, v := range e.Values {
			list = append(append(list, v.Display), v.Aliases...)
		}
	}
	for _, b := range m.Bitsets {
		list = append(list, b.DisplayName)
		for _, name := range b.SyntaxNames {
			list = append(list, name)
		}
		for _, c := range b.Cases {
			list = appendPieces(list, c)
		}
	}
	return strings.Join(append(list, ""), between)
}

func appendPieces(list []string, c *spec.Case) []string {
	for _, t := range slices.AppendSeq(slices.Clone(c.Aliases), maps.Values(c.Displays)) {
		for _, it := range t.Items() {
			list = append(list, it.Text, it.Before, it.After)
		}
	}
	for _, x := range c.Fields {
		if x.Display != nil {
			list = append(list, *x.Display)
		}
	}
	for _, x := range c.Sets {
		list = append(list, x.Join)
	}
	return list
}
