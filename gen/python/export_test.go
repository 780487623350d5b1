package python

import (
	"context"

	"github.com/isago/isago/gen"
)

// Names are what a package calls what belongs to a root.
type Names struct {
	Find string
	// Contexts and Tables are attributes of Options.
	Contexts, Tables []string
}

// NamesOf returns the names of a root.
func NamesOf(p *gen.Program, r *gen.Root) (n Names) {
	w := newWriter(context.Background(), p)
	n.Find = "find" + w.suffix(r)
	for _, c := range p.Contexts {
		n.Contexts = append(n.Contexts, w.contexts[c])
	}
	for _, t := range p.Tables {
		n.Tables = append(n.Tables, w.tables[t])
	}
	return n
}
