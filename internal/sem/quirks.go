package sem

import (
	"maps"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// QuirksOf returns the quirks that the semantics of an instruction read, with any of their values, in ASCII order of their
// names. The error is that of Lower.
func (m *Machine) QuirksOf(root *model.Root, w *Words, v bits.Value, addr uint64) ([]*spec.Quirk, error) {
	asked, open := map[string]bool{}, []map[string]uint64{w.Quirks}
	for len(open) > 0 {
		words := *w
		words.Quirks, open = open[0], open[1:]
		l := m.newLowerer(&words)
		l.asked = map[string]bool{}
		if _, err := l.lower(root, v, addr); err != nil {
			return nil, err
		}
		for name := range l.asked {
			if asked[name] {
				continue
			}
			asked[name] = true
			for _, value := range m.quirks[name].Numbers() {
				other := maps.Clone(words.Quirks)
				if other == nil {
					other = map[string]uint64{}
				}
				other[name] = value
				open = append(open, other)
			}
		}
	}
	return m.quirksNamed(asked), nil
}

// QuirksOfLeaf returns the quirks that the semantics of a leaf read, for all bits of the leaf. If the leaf has semantics only
// inside another bitset, because it uses the fields of that bitset, QuirksOfLeaf uses the semantics that it has there.
func (m *Machine) QuirksOfLeaf(root *model.Root, leaf *model.Leaf) []*spec.Quirk {
	a := &asking{leaf: leaf, quirks: map[string]bool{}}
	if m.askLeaf(a, root, leaf) {
		return m.quirksNamed(a.quirks)
	}
	roots := slices.Clone(m.Model.Roots)
	slices.SortStableFunc(roots, func(x, y *model.Root) int { return y.Size - x.Size }) // instructions are the largest
	for _, a.all = range []bool{false, true} {
		for _, r := range roots {
			for _, l := range r.Leaves {
				if r != root && !a.found {
					m.askLeaf(a, r, l)
				}
			}
		}
	}
	return m.quirksNamed(a.quirks)
}

// asking is the leaf of which somebody wants to know the quirks, and those that were found.
type asking struct {
	leaf   *model.Leaf
	quirks map[string]bool
	// all looks for the leaf inside of all others, else only in what these consist of.
	all, found bool
}

// askLeaf looks at a leaf, and reports whether it has a meaning alone.
func (m *Machine) askLeaf(a *asking, root *model.Root, leaf *model.Leaf) bool {
	c := newChecks()
	c.asking = a
	return c.try(func() {
		l := m.newChecker(c)
		if leaf == a.leaf {
			l.asked = a.quirks
		}
		l.instruction(&model.Scope{Unit: m.Model.TopEnv(root).Bound(leaf)})
		l.finish()
	})
}

// nested looks at a nested leaf with run: at the one that is asked about as if nothing had been looked at before.
func (c *checks) nested(l *lowerer, leaf *model.Leaf, run func()) {
	switch a := c.asking; {
	case a == nil || l.asked != nil || a.all && leaf != a.leaf:
		run()
	case leaf == a.leaf:
		saved, fresh := *c, newChecks()
		c.values, c.places, c.operands = fresh.values, fresh.places, fresh.operands
		l.asked, a.found = a.quirks, true
		run()
		c.values, c.places, c.operands = saved.values, saved.places, saved.operands
	}
}

// quirksNamed lists quirks in ASCII order of their names.
func (m *Machine) quirksNamed(names map[string]bool) (list []*spec.Quirk) {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, m.quirks[name])
	}
	return list
}
