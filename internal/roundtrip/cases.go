package roundtrip

import (
	"fmt"
	"sort"

	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Cases counts how often words use each case that can print, in instructions and in their operands. It
// evaluates conditions itself and not with the decoder under test.
type Cases struct {
	d      *isa.Decoder
	counts map[caseKey]int
	// reached is the number of counts that are not 0.
	reached int
}

// caseKey identifies a case of a leaf, wherever the leaf occurs.
type caseKey struct {
	leaf *model.Leaf
	c    *spec.Case
}

// NewCases lists the cases that instructions of d's root can use.
func NewCases(d *isa.Decoder) *Cases {
	c := &Cases{d: d, counts: map[caseKey]int{}}
	env := inside.Top(d.Set(), d.Root().ID)
	done := map[*model.BoundLeaf]bool{}
	for _, l := range env.Root.Leaves {
		c.reach(env.Bound(l), done)
	}
	return c
}

func (c *Cases) reach(u *model.BoundLeaf, done map[*model.BoundLeaf]bool) {
	if done[u] {
		return
	}
	done[u] = true
	for _, x := range u.Cases {
		if !x.Shown {
			continue
		}
		c.counts[caseKey{u.Leaf, x.Spec}] += 0
		for _, it := range x.Items {
			for _, a := range it.Alts {
				if a.Ref == nil || a.Ref.Env == nil {
					continue
				}
				for _, l := range a.Ref.Env.Root.Leaves {
					c.reach(a.Ref.Env.Bound(l), done)
				}
			}
		}
	}
}

// Count counts the cases that print an instruction. It reports whether one of them is new.
func (c *Cases) Count(in isa.Inst) bool {
	before := c.reached
	e := model.Evaluator{Context: c.d.Context(), Tables: c.d.Tables()}
	c.walk(&e, &model.Scope{Unit: inside.Top(c.d.Set(), in.Leaf.Root.ID).Bound(inside.Leaf(in.Leaf)), Bits: in.Bits})
	return c.reached > before
}

// Missing lists the cases that no word has used, each with its location and leaf.
func (c *Cases) Missing() []string { return c.list(func(n int) bool { return n == 0 }) }

// Reached lists the cases that words have used, in the format of Missing.
func (c *Cases) Reached() []string { return c.list(func(n int) bool { return n > 0 }) }

func (c *Cases) list(which func(count int) bool) []string {
	var list []string
	for k, n := range c.counts {
		if which(n) {
			list = append(list, fmt.Sprintf("%s: %s of %s", k.c.Span, k.c.Bitset.Name, k.leaf.Name))
		}
	}
	sort.Strings(list)
	return list
}

// Len returns the number of cases and the number of those that words have used.
func (c *Cases) Len() (all, reached int) { return len(c.counts), c.reached }

func (c *Cases) walk(e *model.Evaluator, s *model.Scope) {
	for _, x := range s.Unit.Cases {
		if !x.Shown || x.Cond != nil && e.Eval(x.Cond, s) == 0 {
			continue
		}
		key := caseKey{s.Unit.Leaf, x.Spec}
		if c.counts[key] == 0 {
			c.reached++
		}
		c.counts[key]++
		for _, it := range x.Items {
			ref := e.Resolve(it.Alts, s)
			if ref == nil || ref.Env == nil {
				continue
			}
			if inner := e.NestedScope(ref, s); inner != nil {
				c.walk(e, inner)
			}
		}
		return
	}
}
