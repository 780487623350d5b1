package mesa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// alike says what of a description the decoder and Mesa's rules have in common.
type alike struct {
	// ours tells that the decoder may print at all; findings, that what it finds has Mesa's words.
	ours, findings bool
}

// description compares what concerns all leaves.
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
	for _, r := range m.Roots { // a conflict names the first two
		a.findings = a.findings && slices.Equal(r.Leaves, p.steps.leaves[r.Spec])
	}
	return a
}

// judge reports whether the decoder prints each word of a leaf as Mesa's rules do, and finds the same; padded,
// that its text has columns, which Mesa counts in bytes.
//
// They can differ where an expression that is open or beyond the stack is asked for its value, where a name
// resolves nowhere in an expression, where a template is read in another way, and in a few types. All that can
// be asked for is followed, whatever the bits are: a leaf may be refused that never shows a difference.
//
// Mesa's rules compute the conditions of all overrides that they pass, also of those without the field that is looked for:
// what these come to does not matter there. But a scope keeps it. So each expression is followed as those rules compute
// it, once in a scope, and one that comes to something else because it is needed inside itself is a difference, unless
// it is the outermost: that is computed to its end then, and nobody may have needed it before.
func (p *Printer) judge(l *model.Leaf) (same, padded bool) {
	j := judge{p: p, known: map[exprAt]bool{}, wrong: map[exprAt]bool{}}
	j.place(&place{leaf: l})
	return !j.mayDiffer, j.padded
}

// judge follows what can be asked for while a word is printed.
type judge struct {
	p *Printer
	// places and evals are what was looked at: no word makes the printers do more.
	places, evals int
	// open are the expressions that are open, the outermost of them in the scope of outer.
	open  []*spec.Expr
	outer *place
	// known are the expressions that a scope has whatever the bits are, in the order in which it got them, and wrong those that
	// are not what they will be.
	known map[exprAt]bool
	trail []exprAt
	wrong map[exprAt]bool
	// mayDiffer tells that there may be a difference.
	mayDiffer, padded bool
}

// exprAt is an expression in a scope.
type exprAt struct {
	at   *place
	expr *spec.Expr
}

// maxJudged bounds the expressions that are followed for a leaf.
const maxJudged = 1 << 14

// place is a scope as far as it is known without the bits.
type place struct {
	leaf   *model.Leaf
	params []spec.Param
	up     *place
	depth  int
}

// place follows the printing of a value.
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

// template follows a display, which both have to read alike.
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
		j.mayDiffer = j.mayDiffer || m.found && !m.always && it.Column >= 0 // Mesa pads only before what is there
	}
}

// pieces writes what a display consists of.
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

// oursOf is pieces for a display as the decoder reads it; "\x00" where that is not Mesa's way.
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

// underCondition follows what is done for some bits: what it computes is not known afterwards.
func (j *judge) underCondition(do func()) {
	n := len(j.trail)
	do()
	for _, k := range j.trail[n:] {
		delete(j.known, k)
	}
	j.trail = j.trail[:n]
}

// meaning is what a name can mean: found tells that there is a field; always, that there is one whatever the bits are;
// wrong, that which it is, or its value, may not be what it will be.
type meaning struct{ found, always, wrong bool }

// name calls do with each field that a name can mean, and the place that has it. do reports whether its value is wrong.
func (j *judge) name(at *place, name string, do func(f *spec.Field, owner *place) bool) (m meaning) {
	open := top(j.open)
	j.mayDiffer = j.mayDiffer || strings.HasPrefix(name, "@") // a context
	n := len(j.trail)
	defer func() { // only what was asked before the first field is known
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
			j.mayDiffer = j.mayDiffer || holds && c.Expr != nil && up != at // the decoder asks it out there
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

// value follows the value of a field, and reports whether it is wrong.
func (j *judge) value(f *spec.Field, owner *place) (wrong bool) {
	j.mayDiffer = j.mayDiffer || f.Table != nil
	return f.Expr != nil && j.expr(owner, f.Expr)
}

// expr follows an expression, in which every name has to mean something, and reports whether its value is not what it is
// outside of what is open.
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
		j.wrong[key] = true // until it is computed to its end
	default:
		j.mayDiffer = true // it stays so
	}
	if len(j.open) == 0 {
		clear(j.wrong)
	}
	return wrong
}

// shown follows a field that is printed.
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

// plain reports whether the first value that a number has in an enum is the one that the decoder prints.
func plain(e *spec.Enum) bool {
	return !slices.ContainsFunc(e.Values, func(v *spec.Value) bool { return v.Syntax != "" })
}
