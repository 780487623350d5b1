package prove

import (
	"fmt"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// conclude reports every part of the description that has no effect in any generation or environment.
// It also reports overrides that always apply.
func (c *checker) conclude() {
	for _, b := range c.spec.Bitsets {
		if len(b.Children) == 0 {
			c.leaf(b)
		}
		for _, cs := range b.Cases {
			if fact := c.facts.cases[cs]; fact != nil {
				c.override(cs, fact)
			}
		}
	}
	c.values()
}

func (c *checker) leaf(b *spec.Bitset) {
	x := &Finding{Code: diag.LeafNever, Level: Warning, Span: b.Span}
	low, high := b.Min, b.Max
	for p := b.Extends; p != nil; p = p.Extends {
		low, high = max(low, p.Min), min(high, p.Max)
	}
	fact := c.facts.leaves[b]
	switch {
	case low > high:
		x.Msg = fmt.Sprintf("%s exists in no generation: it would start with %d and end with %d", b.Name, low, high)
	case fact == nil || fact.possible || c.interrupted():
		return
	case len(fact.by) > 0:
		x.Msg = fmt.Sprintf("no word decodes to %s: the leaves that refine it match all its words (%s)", b.Name, names(fact.by))
		for _, l := range fact.by {
			x.with(l.Spec.Span, "%s refines it", l.Name)
		}
	default:
		x.Msg = fmt.Sprintf("no word decodes to %s: its requirements never hold", b.Name)
	}
	c.add(nil, x)
}

func names(list []*model.Leaf) string {
	var s []string
	for _, l := range list {
		s = append(s, l.Name)
	}
	return listed(s)
}

// listed joins names. It abbreviates a long list to the first names and a count.
func listed(s []string) string {
	const most = 4
	switch n := len(s); {
	case n > most+1:
		return strings.Join(s[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
	case n > 1:
		return strings.Join(s[:n-1], ", ") + " and " + s[n-1]
	}
	return strings.Join(s, "")
}

// override reports the parts of a case that never have an effect, and a condition that always holds.
func (c *checker) override(cs *spec.Case, fact *caseFact) {
	if !fact.holds && !fact.fails || c.interrupted() {
		return // no word matches a leaf that has this case, or the search ended early
	}
	name := cs.Bitset.Name
	switch {
	case !fact.holds:
		c.add(nil, &Finding{Code: diag.OverrideNever, Level: Warning, Span: cs.Span, Msg: "this override of " + name + " never applies: its condition is never true"})
		return
	case cs.Expr != nil && !fact.fails:
		c.add(nil, &Finding{Code: diag.OverrideAlways, Level: Warning, Span: cs.Span, Msg: "this override of " + name + " always applies: its condition is never false"})
	}
	if t := cs.Displays[""]; t != nil && !fact.text {
		c.add(nil, &Finding{Code: diag.DisplayNever, Level: Warning, Span: t.Span, Msg: "this display of " + name + " is never used: an earlier display always applies"})
	}
	for i, a := range cs.Asserts {
		if !fact.asserts[i] {
			c.add(nil, &Finding{
				Code: diag.AssertNever, Level: Error, Span: a.Span, Rows: []Row{{"assert", pattern(cs.Bitset.Size, a.Mask, a.Match, bits.Value{})}},
				Msg: fmt.Sprintf("bits %d to %d of %s can never be %s", a.High, a.Low, name, bitText(a)),
			})
		}
	}
}

func bitText(p *spec.Pattern) string {
	mask, match := p.Mask.Shr(p.Low), p.Match.Shr(p.Low)
	return pattern(p.High-p.Low+1, mask, match, p.DontCare)
}

// values reports enum values that no field can have. It also reports a value whose text is never
// printed, because an earlier value has the same number.
func (c *checker) values() {
	width := map[*spec.Enum]int{}
	derived := map[*spec.Enum]bool{}
	for _, b := range c.spec.Bitsets {
		for _, cs := range b.Cases {
			for _, f := range cs.Fields {
				switch {
				case f.Enum == nil:
				case f.Expr != nil:
					derived[f.Enum] = true
				default:
					width[f.Enum] = max(width[f.Enum], f.Width)
				}
			}
		}
	}
	for _, x := range c.spec.Contexts {
		if x.Enum != nil {
			width[x.Enum] = max(width[x.Enum], x.Width)
		}
	}
	for _, e := range c.spec.Enums {
		first := map[string]*spec.Value{}
		for _, v := range e.Values {
			c.value(e, v, width[e], derived[e])
			key := fmt.Sprintf("%d %s", v.Val, v.Syntax)
			if old := first[key]; old != nil {
				c.add(nil, (&Finding{
					Code: diag.ValueNever, Level: Warning, Span: v.Span,
					Msg: fmt.Sprintf("the text %q of %s is never printed: %d is %q", v.Display, e.Name, v.Val, old.Display),
				}).with(old.Span, "the first value with this number is printed"))
				continue
			}
			first[key] = v
		}
	}
}

func (c *checker) value(e *spec.Enum, v *spec.Value, width int, derived bool) {
	switch {
	case width == 0 && !derived, derived && c.interrupted(), c.facts.values[v]:
		return
	case width >= 64 || width > 0 && v.Val>>uint(width) == 0:
		return
	}
	msg := fmt.Sprintf("no field can have the value %d of %s: the largest possible value is %d", v.Val, e.Name, uint64(1)<<uint(width)-1)
	if derived {
		msg = fmt.Sprintf("no field can have the value %d of %s", v.Val, e.Name)
	}
	c.add(nil, &Finding{Code: diag.ValueNever, Level: Warning, Span: v.Span, Msg: msg})
}
