package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
)

// maxOverlaps limits the number of overlapping pairs of leaves that are reported per generation.
const maxOverlaps = 1_000

// overlaps searches for words that match two leaves of a root.
func (m *machine) overlaps(r *model.Root) {
	clean := true
	for i, a := range r.Leaves {
		m.budget.spend(pairCost * i)
		for _, b := range r.Leaves[:i] {
			size := min(a.Size, b.Size)
			differ := a.Match.Xor(b.Match).And(a.Mask).And(b.Mask).And(bits.Ones(size))
			if differ.IsZero() && !m.disjoint(a, b) {
				clean = false
			}
		}
		m.recordMatched(r, a)
	}
	if clean {
		m.c.proved("no word matches two leaves of %s%s", r.Name, m.genText())
	}
}

// genText returns the end of a claim, which names the generation. It returns "" if only one generation
// is checked.
func (m *machine) genText() string {
	if len(m.c.machines) == 1 {
		return ""
	}
	return " in generation " + m.c.genSpan(m.gen)
}

// disjoint reports whether two leaves with compatible patterns share no word. It records a finding if
// they share one.
func (m *machine) disjoint(a, b *model.Leaf) bool {
	if slices.Contains(a.Refines, b) || slices.Contains(b.Refines, a) {
		return true
	}
	w := m.world()
	fa, fb := m.bothFrames(w, a, b)
	goal := w.And(fa.exists, fb.exists)
	in, ans := w.Satisfy(goal)
	switch {
	case ans == circuit.Never:
		return true
	case ans == circuit.Unknown || w.approximate:
		m.c.limit(m, a.Spec.Span, "not proved: that no word matches both %s and %s; their requirements are too large", a.Name, b.Name)
		return false
	}
	m.overlap(a, b, fa, fb, in)
	return false
}

// bothFrames returns the scopes of two leaves for the same word.
func (m *machine) bothFrames(w *world, a, b *model.Leaf) (fa, fb *frame) {
	env := m.m.TopEnv(a.Root)
	word := make([]circuit.Lit, max(a.Size, b.Size))
	mask, match := a.Mask.Or(b.Mask), a.Match.Or(b.Match)
	for i := range word {
		if mask.Bit(i) == 1 {
			word[i] = circuit.Lit(match.Bit(i))
		} else {
			word[i] = w.Input()
		}
	}
	frames := [2]*frame{}
	for i, l := range []*model.Leaf{a, b} {
		f := w.frame(env.Bound(l), word[:l.Size], nil)
		f.exists = w.All(w.valid, f.required(), f.notRefined())
		frames[i] = f
	}
	return frames[0], frames[1]
}

func (m *machine) overlap(a, b *model.Leaf, fa, fb *frame, in circuit.Assignment) {
	if m.overlapping++; m.overlapping > maxOverlaps {
		panic(stop(fmt.Sprintf("more than %d pairs of leaves overlap", maxOverlaps)))
	}
	long := fa
	if b.Size > a.Size {
		long = fb
	}
	f := &Finding{Code: diag.LeafOverlap, Level: Error, Span: a.Spec.Span, Root: a.Root.Name}
	f.key = "overlap " + a.Spec.Span.String() + b.Spec.Span.String()
	f.Msg = a.Name + " and " + b.Name + " match the same words"
	f.with(b.Spec.Span, "%s is defined here", b.Name)
	f.Rows = []Row{leafRow(a), leafRow(b)}
	word, ctx := long.words(in)
	f.Witnesses = []Witness{m.witness(a.Root, word, ctx, max(a.Size, b.Size), nil)}
	m.c.add(m, f)
}

// leafRow returns the pattern of a leaf as a row.
func leafRow(l *model.Leaf) Row { return Row{l.Name, pattern(l.Size, l.Mask, l.Match, l.DontCare)} }

// pattern formats bits as in a Row, most significant bit first.
func pattern(size int, mask, match, ignored bits.Value) string {
	var s strings.Builder
	for i := size - 1; i >= 0; i-- {
		switch {
		case mask.Bit(i) == 1 && match.Bit(i) == 1:
			s.WriteByte('1')
		case mask.Bit(i) == 1:
			s.WriteByte('0')
		case ignored.Bit(i) == 1:
			s.WriteByte('x')
		default:
			s.WriteByte('-')
		}
	}
	return s.String()
}

// recordMatched records whether a leaf matches any word. A leaf matches no word if its requirements
// never hold, or if the leaves that refine it match all its words.
func (m *machine) recordMatched(r *model.Root, l *model.Leaf) {
	fact := m.c.facts.leaf(l.Spec)
	if fact.possible {
		return
	}
	w := m.world()
	f := w.top(m.m.TopEnv(r).Bound(l))
	if ans := w.Possible(f.exists); ans != circuit.Never {
		fact.possible = true
		return
	}
	fact.by = append(fact.by, l.RefinedBy...)
}
