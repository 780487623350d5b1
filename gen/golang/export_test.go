package golang

import (
	"context"

	"github.com/isago/isago/gen"
)

// Names are what a package calls what belongs to a root.
type Names struct {
	// Inst is the type of its instructions, Decode the method that decodes one and tells what is found.
	Inst, Decode string
	// Fields are the types of the fields of its leaves.
	Fields []string
	// Contexts are the members of Context with their types, Tables those of Options.
	Contexts [][2]string
	Tables   []string
}

// NamesOf returns the names of a root.
func NamesOf(p *gen.Program, r *gen.Root) (n Names) {
	w := newWriter(context.Background(), p)
	n.Inst, n.Decode = w.of("Inst", r), w.finder(r)
	for _, l := range r.Leaves {
		n.Fields = append(n.Fields, w.types[l])
	}
	for _, c := range p.Contexts {
		n.Contexts = append(n.Contexts, [2]string{w.contexts[c], w.contextType(c)})
	}
	for _, t := range p.Tables {
		n.Tables = append(n.Tables, w.tables[t])
	}
	return n
}
