package prove

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// maxGenerations limits the number of generations that are checked.
const maxGenerations = 64

// generations returns the generations to check: those in the options, or else one generation of each
// range in which the description is the same.
func (c *checker) generations(set *isa.Set) []uint32 {
	if c.opt.Gens != nil {
		return c.opt.Gens
	}
	list := c.genStarts()
	if len(list) == 1 {
		return []uint32{inside.Machine(set).Gen}
	}
	if len(list) > maxGenerations {
		c.limit(nil, c.spec.Span, "not checked: generation %d and later; specify one to check it", list[maxGenerations])
		list = list[:maxGenerations]
	}
	c.starts = list
	return list
}

// Generations returns the first generation of each range in which a description is the same, in
// ascending order, starting with 0. If an expression computes with the generation number, the
// description may also differ within a range.
func Generations(set *isa.Set) []uint32 {
	return (&checker{spec: inside.Machine(set).ISA}).genStarts()
}

// genStarts implements Generations.
func (c *checker) genStarts() []uint32 {
	starts := map[uint32]bool{0: true}
	add := func(v uint64) {
		if v <= math.MaxUint32 {
			starts[uint32(v)] = true
		}
	}
	for _, b := range c.spec.Bitsets {
		add(uint64(b.Min))
		add(uint64(b.Max) + 1)
	}
	for _, e := range c.exprs() {
		for _, v := range startsIn(e.Root()) {
			add(v)
		}
	}
	return slices.Sorted(maps.Keys(starts))
}

// startsIn returns the generations at which the result of a comparison in an expression changes. It
// ignores other arithmetic with the generation number.
func startsIn(n *spec.Node) (starts []uint64) {
	if n == nil {
		return nil
	}
	if n.X != nil && n.Y != nil {
		op, v := n.Op, n.Y
		if n.Y.Op == spec.OpGen {
			op, v = mirrored[n.Op], n.X
		}
		if (n.X.Op == spec.OpGen || n.Y.Op == spec.OpGen) && v.Op == spec.OpConst {
			switch op {
			case spec.OpGe, spec.OpLt:
				starts = append(starts, v.Value)
			case spec.OpGt, spec.OpLe:
				starts = append(starts, v.Value+1)
			default:
				starts = append(starts, v.Value, v.Value+1)
			}
		}
	}
	for _, child := range []*spec.Node{n.X, n.Y, n.Z} {
		starts = append(starts, startsIn(child)...)
	}
	return starts
}

// mirrored maps each comparison to the comparison that has the same result when the operands are
// exchanged.
var mirrored = map[spec.Op]spec.Op{
	spec.OpLt: spec.OpGt, spec.OpGt: spec.OpLt, spec.OpLe: spec.OpGe, spec.OpGe: spec.OpLe, spec.OpEq: spec.OpEq, spec.OpNe: spec.OpNe,
}

// genSpan formats the range of generations that gen represents.
func (c *checker) genSpan(gen uint32) string { return FormatGenRange(c.starts, gen) }

// FormatGenRange formats the range of generations that starts with gen. starts holds the first
// generation of each range, in ascending order. If gen is not in starts, FormatGenRange formats only
// gen.
func FormatGenRange(starts []uint32, gen uint32) string {
	i := slices.Index(starts, gen)
	switch {
	case i < 0:
		return fmt.Sprint(gen)
	case i == len(starts)-1:
		return fmt.Sprintf("%d and later", gen)
	case starts[i+1] == gen+1:
		return fmt.Sprint(gen)
	}
	return fmt.Sprintf("%d to %d", gen, starts[i+1]-1)
}

// genNote returns the end of a message, which names the generations that have a finding. It returns ""
// if all generations have the finding.
func (c *checker) genNote(f *Finding) string {
	if len(f.Gens) == 0 || len(f.Gens) == len(c.machines) {
		return ""
	}
	var list []string
	for _, g := range f.Gens {
		list = append(list, c.genSpan(g))
	}
	return "; generation " + strings.Join(list, ", ")
}

// refusedIn adds the generation to the messages of a load error, if the description has several ranges
// of generations.
func (c *checker) refusedIn(gen uint32, err error) error {
	r, ok := ReportLoadError(err)
	if !ok || len(c.starts) == 0 {
		return err
	}
	var list diag.List
	for i := range r.Findings {
		r.Findings[i].Msg += "; generation " + c.genSpan(gen)
		list = append(list, r.Findings[i].diagnostic())
	}
	return list
}
