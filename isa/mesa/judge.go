package mesa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// alike describes how far the decoder of package isa agrees with Mesa's rules for a whole description.
type alike struct {
	// ours reports whether the Printer may use the decoder at all. findings reports whether the
	// decoder's findings have Mesa's wording.
	ours, findings bool
}

// description determines how far the decoder agrees with Mesa's rules. It examines only the properties
// that concern all leaves.
func (p *Printer) description() alike {
	m := p.machine
	wide := false
	for _, b := range m.ISA.Bitsets {
		wide = wide || b.Size > 32
		if len(b.Requires) > 0 {
			return alike{}
		}
	}
	a := alike{ours: m.Syntax == "" && m.ISA.Text.Storage == 0 && wide == (p.steps.words > 1), findings: (p.root.Size+31)/32 == p.steps.words}
	for _, r := range m.Roots { // a conflict names the first two leaves
		a.findings = a.findings && slices.Equal(r.Leaves, p.steps.leaves[r.Spec])
	}
	return a
}

// judge reports whether the decoder and Mesa's rules produce the same text and findings for every word
// of a leaf. padded reports whether the text is aligned to columns, which Mesa counts in bytes.
//
// The results can differ if an expression is evaluated inside itself or beyond the stack limit, or if a
// name in an expression is undefined. They can also differ if isago and Mesa's tools parse a display
// differently, and for a few types of fields. judge examines everything that could be evaluated for any
// word. So it may reject a leaf although every word of the leaf is printed in the same way.
//
// To find a field, Mesa's rules evaluate the conditions of all overrides before the field, including
// overrides without that field. The conditions of the overrides without the field do not affect the
// result, but the scope stores their values. So judge examines each expression in Mesa's order, once per
// scope. An expression whose value changes because it was needed inside itself is a difference. The
// outermost expression is an exception if nothing else has used its value: its evaluation continues to
// the end and replaces that value.
func (p *Printer) judge(l *model.Leaf) (same, padded bool) {
	j := judge{p: p, known: map[exprAt]bool{}, wrong: map[exprAt]bool{}}
	j.place(&place{leaf: l})
	return !j.mayDiffer, j.padded
}

// judge examines everything that may be evaluated while a word is printed.
type judge struct {
	p *Printer
	// places and evals count the scopes and evaluations. They are upper bounds for each single word.
	places, evals int
	// open holds the expressions that are being evaluated. The first one is the outermost one, and it is
	// evaluated in the scope outer.
	open  []*spec.Expr
	outer *place
	// known holds the expressions that a scope has certainly evaluated, and trail lists them in the
	// order of evaluation. wrong holds the expressions whose value is not final.
	known map[exprAt]bool
	trail []exprAt
	wrong map[exprAt]bool
	// mayDiffer reports whether there may be a difference. padded reports whether the text is aligned to
	// columns.
	mayDiffer, padded bool
}

// exprAt identifies the evaluation of an expression in a scope.
type exprAt struct {
	at   *place
	expr *spec.Expr
}

// maxJudged is the maximum number of evaluations that judge examines for a leaf.
const maxJudged = 1 << 14

// place is a scope without its bits.
type place struct {
	leaf   *model.Leaf
	params []spec.Param
	up     *place
	depth  int
}

// place examines everything that may be evaluated while a value is printed in the scope at.
func (j *judge) place(at *place) {
	j.places++
	if j.mayDiffer = j.mayDiffer || at.depth == maxDepth || j.places > maxOperands; j.mayDiffer {
		return
	}
	for c := range cases(at.leaf) {
		if c.Expr != nil {
			j.expr(at, c.Expr)
		}
		if t := c.Displays[""]; t != nil {
			j.underCondition(func() { j.template(at, t) })
			if c.Expr == nil {
				return
			}
		}
	}
}

// template examines a display. Both tools must parse it in the same way.
func (j *judge) template(at *place, t *spec.Template) {
	items := j.p.steps.text(t)
	j.mayDiffer = j.mayDiffer || pieces(items) != oursOf(t)
	for i := range items {
		it := &items[i]
		if it.Last {
			return
		}
		if j.padded = j.padded || it.Column >= 0; strings.HasPrefix("NAME", it.Name) {
			continue
		}
		if at.leaf.Spec.Operand(it.Name) != nil || strings.Contains(it.Name, "#assert") {
			j.mayDiffer = true
		}
		for c := range cases(at.leaf) {
			j.mayDiffer = j.mayDiffer || c.Set(it.Name) != nil
		}
		m := j.name(at, it.Name, func(f *spec.Field, owner *place) bool { j.shown(at, f, owner); return false })
		j.mayDiffer = j.mayDiffer || m.found && !m.always && it.Column >= 0 // Mesa pads only before a defined name
	}
}

// pieces formats the items of a display as Mesa's tools parse it. The result can be compared with the
// result of oursOf.
func pieces(items []spec.MesaItem) string {
	var b strings.Builder
	for _, it := range items {
		if b.WriteString(it.Text); it.Last {
			break
		}
		if it.Column >= 0 {
			writeColumn(&b, it.Column)
		}
		if it.Column < 0 || it.Name != "" {
			writeName(&b, it.Name)
		}
	}
	return b.String()
}

// oursOf formats the items of a display as the decoder parses it. It returns "\x00" if Mesa's tools
// parse it differently.
func oursOf(t *spec.Template) string {
	var b strings.Builder
	for _, it := range t.Items() {
		switch {
		case it.Kind == spec.ItemText:
			b.WriteString(it.Text)
		case it.Kind == spec.ItemAlign:
			writeColumn(&b, it.Column)
		case it.Kind == spec.ItemRef && it.Before+it.After == "":
			writeName(&b, it.Ref)
		default:
			return "\x00"
		}
	}
	return b.String()
}

func writeColumn(b *strings.Builder, column int) { fmt.Fprintf(b, "{:%d}", column) }

func writeName(b *strings.Builder, name string) { fmt.Fprintf(b, "{%s}", name) }

// underCondition calls do, which examines something that happens only for some words. Afterwards it
// removes the expressions that do has added to known.
func (j *judge) underCondition(do func()) {
	n := len(j.trail)
	do()
	for _, k := range j.trail[n:] {
		delete(j.known, k)
	}
	j.trail = j.trail[:n]
}

// meaning describes what a name means. found reports whether some case defines it, and always reports
// whether it is defined for all words. wrong reports whether the field or its value may not be final.
type meaning struct{ found, always, wrong bool }

// name calls do with each possible field of a name and the scope that defines the field. do reports
// whether the field's value may not be final.
func (j *judge) name(at *place, name string, do func(f *spec.Field, owner *place) bool) (m meaning) {
	open := top(j.open)
	j.mayDiffer = j.mayDiffer || strings.HasPrefix(name, "@") // a context
	n := len(j.trail)
	defer func() { // Only expressions evaluated before the first field are known.
		if m.found {
			for _, k := range j.trail[n:] {
				delete(j.known, k)
			}
			j.trail = j.trail[:n]
		}
	}()
	for up := at; !j.mayDiffer; up = up.up {
		for c := range cases(up.leaf) {
			f := c.Field(name)
			holds := c.Expr == nil || c.Expr == open
			if !holds {
				wrong := j.expr(up, c.Expr)
				m.wrong = m.wrong || wrong && f != nil
			}
			if !m.found {
				n = len(j.trail)
			}
			if f == nil {
				continue
			}
			j.mayDiffer = j.mayDiffer || holds && c.Expr != nil && up != at // the decoder evaluates it in the outer scope
			only := holds && !m.found
			m.found = true
			if do(f, up) {
				m.wrong = true
			}
			if only {
				n = len(j.trail)
			}
			if holds {
				m.always = true
				return m
			}
		}
		i := slices.IndexFunc(up.params, func(p spec.Param) bool { return p.As == name })
		if i < 0 {
			j.mayDiffer = j.mayDiffer || strings.Contains(name, ".") // a path
			return m
		}
		name = up.params[i].Name
	}
	return m
}

// value examines the value of a field. It reports whether the value may not be final.
func (j *judge) value(f *spec.Field, owner *place) (wrong bool) {
	j.mayDiffer = j.mayDiffer || f.Table != nil
	return f.Expr != nil && j.expr(owner, f.Expr)
}

// expr examines an expression, in which every name must be defined. It reports whether the value may be
// different inside the open expressions than outside of them.
func (j *judge) expr(at *place, e *spec.Expr) (wrong bool) {
	key := exprAt{at, e}
	switch {
	case j.wrong[key]:
		return true
	case j.known[key]:
		return false
	case len(j.open) == maxOpen || len(j.open) > 0 && slices.Contains(j.open[1:], e):
		return true
	}
	if j.evals++; j.evals > maxJudged {
		j.mayDiffer = true
	}
	if j.mayDiffer {
		return false
	}
	again := len(j.open) > 0 && e == j.open[0]
	if len(j.open) == 0 {
		j.outer = at
	}
	j.open = append(j.open, e)
	for _, name := range e.FieldNames() {
		m := j.name(at, name, j.value)
		j.mayDiffer = j.mayDiffer || !m.always
		wrong = wrong || m.wrong
	}
	j.open = j.open[:len(j.open)-1]
	switch {
	case !wrong:
		j.known[key] = true
		j.trail = append(j.trail, key)
	case again && at == j.outer:
		j.wrong[key] = true // until its evaluation ends
	default:
		j.mayDiffer = true // the value is final
	}
	if len(j.open) == 0 {
		clear(j.wrong)
	}
	return wrong
}

// shown examines a field that is printed.
func (j *judge) shown(at *place, f *spec.Field, owner *place) {
	j.value(f, owner)
	switch f.Kind {
	case spec.KindBitset:
		j.mayDiffer = j.mayDiffer || f.AllParams
		for _, l := range j.p.steps.leaves[f.Bitset] {
			j.underCondition(func() { j.place(&place{leaf: l, params: f.Params, up: at, depth: at.depth + 1}) })
		}
		return
	case spec.KindEnum:
		j.mayDiffer = j.mayDiffer || !plain(f.Enum)
	case spec.KindBranch, spec.KindAbsBranch:
		j.mayDiffer = j.mayDiffer || f.Unit != 0 || f.Width > 32
	}
	j.mayDiffer = j.mayDiffer || f.Width > 64 || f.Remark
}

// plain reports whether no value of an enum belongs to a syntax. If so, the decoder prints the values of
// the enum in the same way as Mesa's tools.
func plain(e *spec.Enum) bool {
	return !slices.ContainsFunc(e.Values, func(v *spec.Value) bool { return v.Syntax != "" })
}
