package model

import (
	"fmt"
	"strings"

	"github.com/isago/isago/internal/spec"
)

// Leaves that inherit their fields hand the same things in to what is nested in them. What they
// hand in is compared by what it comes from, so that one Env serves them all.

// maxSignature bounds the length of what is written to compare two names.
const maxSignature = 1 << 12

// signatureOf writes what a name means in the scope that names it, the same for two scopes in which it
// means the same; ok is false where that would be too long.
func signatureOf(alts []Alt) (sig string, ok bool) {
	var b strings.Builder
	writeAlts(&b, alts)
	return b.String(), b.Len() < maxSignature
}

func writeAlts(b *strings.Builder, alts []Alt) {
	for i := range alts {
		if b.Len() >= maxSignature {
			return
		}
		a := &alts[i]
		b.WriteByte('(')
		if a.Cond != nil {
			fmt.Fprintf(b, "%d?", a.CondDepth)
			writeProg(b, a.Cond)
		}
		writeRef(b, a.Ref)
		b.WriteByte(')')
	}
}

func writeRef(b *strings.Builder, r *Ref) {
	if r == nil || b.Len() >= maxSignature {
		return
	}
	fmt.Fprintf(b, "%d:%p:%p", r.ScopeDepth, r.Field, r.Context)
	if r.Env != nil {
		fmt.Fprintf(b, "@%d", r.Env.Index)
	}
	for _, e := range r.Path {
		b.WriteByte('.')
		writeRef(b, e)
	}
	if r.Prog != nil {
		b.WriteByte('=')
		writeProg(b, r.Prog)
	}
}

// writeProg writes an expression: where it is written, and what its names mean.
func writeProg(b *strings.Builder, p *Prog) {
	fmt.Fprintf(b, "%p[", p.Spec)
	writeNode(b, p.Root)
	b.WriteByte(']')
}

func writeNode(b *strings.Builder, n *Node) {
	if n == nil || b.Len() >= maxSignature {
		return
	}
	if n.Op == spec.OpField {
		writeAlts(b, n.Alts)
	}
	writeNode(b, n.X)
	writeNode(b, n.Y)
	writeNode(b, n.Z)
}
