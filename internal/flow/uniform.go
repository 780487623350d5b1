package flow

import (
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// Diverges reports for each block whether lanes may take different edges at its end: whether the condition depends on a value
// that may differ among lanes. In a wave, where the condition itself is the same for all lanes, such a branch decides for which
// lanes the code after it counts. A value that a service or a memory provides may differ.
func (p *Program) Diverges() []bool {
	differs := make([]bool, len(p.Insts))
	out := make([]bool, len(p.Blocks))
	for i := range p.Insts {
		switch in := &p.Insts[i]; in.Op {
		case sem.OpLoad, sem.OpLane, sem.OpLanesOf, sem.OpService:
			differs[i] = true
		default:
			differs[i] = in.State != nil && in.State.Scope <= spec.ScopeLane
		}
	}
	for changed, branches := true, false; changed; { // each pass marks a value or a block, or is the last
		changed = false
		mark := func(id ID) {
			if !differs[id] {
				differs[id], changed = true, true
			}
		}
		for _, b := range p.Blocks {
			for _, id := range b.Insts {
				p.Insts[id].EachArg(func(a ID) {
					if differs[a] {
						mark(id)
					}
				})
			}
			if b.End.Kind == Branch && differs[b.End.Cond] && !out[b.Index] {
				out[b.Index], branches, changed = true, true, true
			}
		}
		first := map[ID]ID{} // the argument of each parameter on the first edge
		for _, b := range p.Blocks {
			for _, e := range b.End.Edges {
				for i, a := range e.Args {
					id := e.To.Params[i].ID
					other, ok := first[id]
					if !ok {
						first[id] = a
					}
					// Lanes that have parted can come from different edges.
					if differs[a] || branches && ok && other != a {
						mark(id)
					}
				}
			}
		}
	}
	return out
}
