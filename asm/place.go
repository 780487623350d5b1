package asm

import (
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// place is where the bits of a reference are, in terms that do not change while text is read.
type place struct {
	// index is the field whose table entry they are in, nil for the scope of the reference.
	index      *spec.Field
	low, width int
	// scopeDepth is the number of enclosing values up to the one that the bits are in.
	scopeDepth int
	context    bool
}

// placeOf returns the place of a reference; ok is false where it is not a run of bits of the scope
// itself or of an entry.
func placeOf(ref *model.Ref) (pl place, ok bool) {
	if ref != nil && ref.Prog != nil {
		return placeOfCopy(ref)
	}
	if ref == nil || ref.Low < 0 || ref.Width < 1 || ref.Width > 64 {
		return pl, false
	}
	if ref.Context != nil {
		return place{context: true, low: ref.Low, width: ref.Width}, true
	}
	for i, e := range ref.Enter {
		if e.Prog != nil || e.Low < 0 || e.Field.Table != nil && i > 0 {
			return pl, false
		}
		if pl.low += e.Low; e.Field.Table != nil {
			pl.index, pl.low = e.Field, 0
		}
	}
	pl.low, pl.width, pl.scopeDepth = pl.low+ref.Low, ref.Width, ref.ScopeDepth
	return pl, pl.scopeDepth == 0 || pl.index == nil
}

// placeOfCopy returns the place of a derived field that is another field as it is.
func placeOfCopy(ref *model.Ref) (pl place, ok bool) {
	n := ref.Prog.Root
	if n.Op != spec.OpField || len(n.Alts) != 1 || n.Alts[0].Cond != nil || n.Alts[0].Ref == nil || n.Alts[0].Ref.Width != ref.Width {
		return pl, false
	}
	pl, ok = placeOf(n.Alts[0].Ref)
	pl.scopeDepth += ref.ScopeDepth
	return pl, ok && !pl.context && (pl.scopeDepth == 0 || pl.index == nil)
}

func ones(width int) uint64 { return ^uint64(0) >> (64 - uint(width)) }
