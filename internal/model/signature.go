package model

import (
	"fmt"
	"strings"

	"github.com/isago/isago/internal/spec"
)

// Leaves that inherit their fields pass the same values to nested bitsets. Signatures identify equal
// values, so that one Env serves all these leaves.

// maxSignature limits the length of a signature in bytes.
const maxSignature = 1 << 12

// signatureOf returns the signature of a name's meanings. If the name has the same meanings in two
// scopes, the signatures are equal. ok is false if the signature is too long.
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

// writeProg writes the identity of an expression and the meanings of its names.
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
