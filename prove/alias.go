package prove

import (
	"fmt"
	"slices"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// displayUse is a use of a case, with the display and the aliases of the case. here is the condition
// under which the case is used. optional reports whether the use is inside a set whose omitted members
// have their defaults.
type displayUse struct {
	c        *model.Case
	f        *frame
	here     circuit.Lit
	optional bool
}

// aliases reports aliases that omit a field which the corresponding display shows. The assembler would
// then silently use the field's default.
func (k *walker) aliases() {
	var shown map[int]circuit.Lit
	for _, p := range k.displayUses {
		for _, a := range p.c.Aliases() {
			if shown == nil {
				shown = k.shownBits()
			}
			k.alias(p, a, shown)
		}
	}
}

// display returns the display that corresponds to the aliases of a case: the case's own display, or
// the display of the next case that has one.
func (p *displayUse) display() []model.Item {
	cases := p.f.unit.Cases
	for _, c := range cases[slices.Index(cases, p.c):] {
		if c.Shown {
			return c.Items
		}
	}
	return nil
}

// shownBits returns, for each input, the condition under which at least one display shows the input.
func (k *walker) shownBits() map[int]circuit.Lit {
	shown := map[int]circuit.Lit{}
	for _, p := range k.displayUses {
		for _, ref := range references(p.c.Items, nil) { // no references if the case has no display
			if ref.Kind == spec.KindBitset && !ref.Env.Closed() {
				continue // Its cases are separate uses.
			}
			for _, n := range k.w.Support(p.f.shownAs(ref)...) {
				shown[n] = k.w.Or(shown[n], p.here)
			}
		}
	}
	return shown
}

// shownAs returns the bits that a reference prints.
func (f *frame) shownAs(ref *model.Ref) []circuit.Lit {
	if ref.Prog != nil || ref.Context != nil {
		return f.reference(ref)[:]
	}
	return f.rawBits(ref)
}

// references appends to list all references of the items. It includes the members of sets.
func references(items []model.Item, list []*model.Ref) []*model.Ref {
	for i := range items {
		list = references(items[i].Members, list)
		if items[i].Kind != model.ItemRef {
			continue
		}
		for _, a := range items[i].Alts {
			if a.Ref != nil {
				list = append(list, a.Ref)
			}
		}
	}
	return list
}

func (k *walker) alias(p displayUse, items []model.Item, shown map[int]circuit.Lit) {
	collected := collector{m: k.m, seen: map[int]bool{}, determined: map[int]bool{}, floats: map[int]bool{}}
	collected.items(p.f, items, circuit.False)
	defaults := p.f.defaults()
	for _, ref := range references(p.display(), nil) {
		if ref.Field == nil || ref.Prog != nil || ref.Kind == spec.KindBitset {
			continue
		}
		raw := p.f.rawBits(ref)
		if slices.ContainsFunc(raw, func(b circuit.Lit) bool { return b <= circuit.True || collected.seen[b.Node()] }) {
			continue
		}
		// left is the condition that the field has its default value. set is the condition that the default value is
		// not 0. away is the condition that no display shows the field.
		left, set, away := circuit.True, circuit.False, p.f.root().exists
		for _, b := range raw {
			v := defaults[b.Node()]
			left, set = k.w.And(left, k.w.Xor(b, v).Not()), k.w.Or(set, v)
			if !p.optional {
				away = k.w.And(away, shown[b.Node()].Not())
			}
		}
		if !k.can(k.w.And(away, left), p.f) {
			continue
		}
		if in, ans := k.witness(k.w.All(p.here, left, set), p.f); ans == circuit.Sometimes {
			k.reportAliasDefault(p, items, ref, raw, in)
		}
	}
}

// reportAliasDefault reports that an alias leaves a field at its default.
func (k *walker) reportAliasDefault(p displayUse, items []model.Item, ref *model.Ref, raw []circuit.Lit, in circuit.Assignment) {
	var v uint64
	for i, b := range raw[:min(64, len(raw))] {
		v |= uint64(b2i(in.Value(b))) << i
	}
	x := &Finding{Code: diag.AliasDefault, Level: Warning, Span: aliasSpan(p.c, items)}
	x.key = fmt.Sprintf("alias %s %s", x.Span, ref.Field.Span)
	x.Msg = fmt.Sprintf("this alias omits {%s}, which then has its default %d", ref.Field.Name, v)
	k.addFinding(x.with(ref.Field.Span, "field %s is defined here", ref.Field.Name), p.f, in)
}

// defaults returns the default of each input. An input has its default if the text does not determine
// it. The default is 0 if the map has no entry for the input.
func (f *frame) defaults() map[int]circuit.Lit {
	list := map[int]circuit.Lit{}
	for g := f; g != nil; g = g.up {
		for _, d := range g.unit.Defaults {
			v := constant(d.Val)
			if d.Prog != nil {
				v = g.value(d.Prog)
			}
			for i, b := range g.rawBits(d.Ref) {
				if _, ok := list[b.Node()]; !ok && i < len(v) {
					list[b.Node()] = v[i]
				}
			}
		}
	}
	return list
}

// aliasSpan returns the location of an alias of a case.
func aliasSpan(c *model.Case, items []model.Item) diag.Span {
	for _, t := range c.Spec.Aliases {
		if len(items) > 0 && t.Span.Src == items[0].Span.Src && t.Span.Off <= items[0].Span.Off && items[0].Span.Off < t.Span.End {
			return t.Span
		}
	}
	return c.Spec.Span
}
