package roundtrip

import (
	"fmt"
	"sort"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Cases counts how often words reach each case that can give a leaf its text, of instructions and
// of the operands in them. It evaluates conditions by itself, not with the decoder under test.
type Cases struct {
	d      *isa.Decoder
	counts map[caseKey]int
	// reached is the number of counts that are not 0.
	reached int
}

// caseKey is a case of a leaf, wherever the leaf occurs.
type caseKey struct {
	leaf *model.Leaf
	c    *spec.Case
}

// scope is a leaf, the bits that it is, and the scope in which it is an operand.
type scope struct {
	unit *model.BoundLeaf
	v    bits.Value
	up   *scope
}

// NewCases lists the cases that instructions of d's root reach.
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

// Count adds the cases that give an instruction its text. It reports whether one of them is new.
func (c *Cases) Count(in isa.Inst) bool {
	before := c.reached
	c.walk(&scope{inside.Unit(c.d.Set(), in.Leaf), in.Bits, nil})
	return c.reached > before
}

// Missing names the cases that no word has reached: where a case stands, and for which leaf.
func (c *Cases) Missing() []string { return c.list(func(n int) bool { return n == 0 }) }

// Reached names the cases that words have reached, as Missing does.
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

// Len returns the number of cases, and of those that words have reached.
func (c *Cases) Len() (all, reached int) { return len(c.counts), c.reached }

func (c *Cases) walk(s *scope) {
	for _, x := range s.unit.Cases {
		if !x.Shown || x.Cond != nil && c.eval(x.Cond, s) == 0 {
			continue
		}
		key := caseKey{s.unit.Leaf, x.Spec}
		if c.counts[key] == 0 {
			c.reached++
		}
		c.counts[key]++
		for _, it := range x.Items {
			c.operand(it, s)
		}
		return
	}
}

func (c *Cases) operand(it model.Item, s *scope) {
	r := c.pick(it.Alts, s)
	if r == nil || r.Env == nil {
		return
	}
	at := s.at(r.ScopeDepth)
	v := c.inside(r, c.enter(r, at.v))
	for _, l := range r.Env.Root.Leaves {
		if v.And(l.Mask) == l.Match {
			c.walk(&scope{r.Env.Bound(l), v, s})
			return
		}
	}
}

func (s *scope) at(hops int) *scope {
	for range hops {
		s = s.up
	}
	return s
}

func (c *Cases) pick(alts []model.Alt, s *scope) *model.Ref {
	for _, a := range alts {
		if a.Cond == nil || c.eval(a.Cond, s.at(a.CondDepth)) != 0 {
			return a.Ref
		}
	}
	return nil
}

func (c *Cases) eval(p *model.Prog, s *scope) uint64 { return c.node(p.Root, s) }

func (c *Cases) node(n *model.Node, s *scope) uint64 {
	if n == nil {
		return 0
	}
	switch n.Op {
	case spec.OpConst:
		return n.Value
	case spec.OpField:
		r := c.pick(n.Alts, s)
		if r == nil {
			return 0
		}
		return c.value(r, s)
	case spec.OpOrOr, spec.OpAndAnd:
		x, y := c.node(n.X, s) != 0, c.node(n.Y, s) != 0
		if x && y || n.Op == spec.OpOrOr && (x || y) {
			return 1
		}
		return 0
	case spec.OpCond:
		if c.node(n.X, s) != 0 {
			return c.node(n.Y, s)
		}
		return c.node(n.Z, s)
	}
	return model.Apply(n, c.node(n.X, s), c.node(n.Y, s))
}

func (c *Cases) value(r *model.Ref, s *scope) uint64 {
	if r.Context != nil {
		ctx := c.d.Context()
		return ctx.Uint(r.Low, r.Width)
	}
	s = s.at(r.ScopeDepth)
	if r.Prog != nil {
		return c.eval(r.Prog, s)
	}
	return get(c.enter(r, s.v), r.Field)[0]
}

// enter follows the path of a reference to the value of the bitset that has the field.
func (c *Cases) enter(r *model.Ref, v bits.Value) bits.Value {
	for _, e := range r.Enter {
		v = c.inside(e, v)
	}
	return v
}

func (c *Cases) inside(r *model.Ref, v bits.Value) bits.Value {
	w := get(v, r.Field)
	if r.Field.Table != nil {
		return c.d.TableEntry(r.Field.Table.Index, int(w[0]))
	}
	return w
}

func get(v bits.Value, f *spec.Field) bits.Value {
	var w bits.Value
	for _, p := range f.Parts {
		w = w.Shl(p.Width).Or(v.Slice(p.Low, p.Width))
	}
	return w
}
