package c

import (
	"context"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

// ContextMember returns what the generated code calls a context.
func ContextMember(p *gen.Program, c *spec.Context) string {
	return newWriter(context.Background(), p).contexts[c]
}

// Names returns what the generated code calls the functions and the struct of a leaf's fields, and the number of
// limbs of the struct's rest.
func Names(p *gen.Program, l *gen.Leaf) (pack, unpack, fields string, limbs int) {
	w := newWriter(context.Background(), p)
	return w.function("pack", l), w.function("unpack", l), w.structs[l], rest(l)
}
