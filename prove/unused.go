package prove

import (
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// exprs returns every expression once, including expressions without a name.
func (c *checker) exprs() []*spec.Expr {
	seen := map[*spec.Expr]bool{}
	var list []*spec.Expr
	add := func(e *spec.Expr) {
		if e != nil && !seen[e] {
			seen[e] = true
			list = append(list, e)
		}
	}
	for _, e := range c.spec.Exprs {
		add(e)
	}
	for _, b := range c.spec.Bitsets {
		for _, e := range ownExprs(b) {
			add(e)
		}
	}
	return list
}

// ownExprs returns the expressions that a bitset contains or refers to.
func ownExprs(b *spec.Bitset) []*spec.Expr {
	list := slices.Clone(b.Requires)
	for _, u := range b.Unused {
		if u.Expr != nil {
			list = append(list, u.Expr)
		}
	}
	for _, d := range b.Defaults {
		if d.Expr != nil {
			list = append(list, d.Expr)
		}
	}
	for _, h := range b.Hazards {
		list = append(list, h.Expr)
	}
	list = append(list, leafFactExprs(b)...)
	for _, c := range b.Cases {
		if c.Expr != nil {
			list = append(list, c.Expr)
		}
		for _, f := range c.Fields {
			if f.Expr != nil {
				list = append(list, f.Expr)
			}
		}
	}
	return list
}

// unused reports definitions that nothing refers to.
func (c *checker) unused() {
	u := uses{isa: c.spec, own: map[*spec.Bitset]map[string]bool{}, parts: map[string]bool{}}
	u.collect()
	c.unusedFacts(&u)
	for _, b := range c.spec.Bitsets {
		for _, cs := range b.Cases {
			for _, f := range cs.Fields {
				c.unusedField(&u, b, f)
			}
		}
	}
	used := map[*spec.Expr]bool{}
	for _, b := range c.spec.Bitsets {
		for _, e := range ownExprs(b) {
			used[e] = true
		}
	}
	for _, e := range c.spec.Exprs {
		if !used[e] && e.Name != "" {
			c.add(nil, &Finding{Code: diag.ExprUnused, Level: Warning, Span: e.Span, Msg: "nothing uses the expression " + e.Name})
		}
	}
	for _, t := range c.spec.Templates {
		if !t.Used {
			c.add(nil, &Finding{Code: diag.TemplateUnused, Level: Warning, Span: t.Span, Msg: "no display uses the template {" + t.Name + "}"})
		}
	}
	for _, e := range c.spec.Enums {
		if !u.enum(e) {
			c.add(nil, &Finding{Code: diag.EnumUnused, Level: Warning, Span: e.Span, Msg: "no field has the type " + e.Name})
		}
	}
}

func (c *checker) unusedField(u *uses, b *spec.Bitset, f *spec.Field) {
	if !u.field(b, f) {
		what := "field "
		if f.Expr != nil {
			what = "derived field "
		}
		c.add(nil, &Finding{
			Code: diag.FieldUnused, Level: Warning, Span: f.Span, key: "unused " + f.Span.String(),
			Msg: "no display shows " + what + f.Name + " of " + b.Name + ", and no expression uses it",
		})
	}
	if f.Bitset == nil {
		return
	}
	names := map[string]bool{}
	u.addBelow(f.Bitset, names)
	for _, p := range f.Params {
		if !names[p.As] {
			c.add(nil, &Finding{
				Code: diag.ParamUnused, Level: Warning, Span: p.Span,
				Msg: "nothing in " + f.Bitset.Name + " uses the parameter " + p.As + " of field " + f.Name,
			})
		}
	}
}

// uses are the names to which the description refers.
type uses struct {
	isa *spec.ISA
	// own holds the names in a bitset's own displays, expressions, sets and parameters.
	own map[*spec.Bitset]map[string]bool
	// parts are the names that follow a dot anywhere.
	parts map[string]bool
}

func (u *uses) collect() {
	for _, b := range u.isa.Bitsets {
		u.own[b] = map[string]bool{}
		for _, c := range b.Cases {
			u.ofCase(b, c)
		}
		u.addLeafFacts(b)
		for _, e := range ownExprs(b) {
			u.expr(b, e.Root())
		}
		for _, d := range b.Defaults {
			u.path(b, d.Path)
		}
		for _, x := range b.Unused {
			u.path(b, x.Path)
		}
		for _, code := range sem.Codes(b) {
			fields, _, _ := sem.Mentions(code)
			for _, name := range fields {
				u.path(b, name)
			}
		}
		for _, o := range b.Operands {
			for _, t := range o.Displays {
				for _, it := range t.Items() {
					u.path(b, it.Ref)
				}
			}
		}
	}
	// A nested bitset may use names of the enclosing bitset. The loop adds one level of nesting at a
	// time.
	for range 8 {
		if !u.climb() {
			return
		}
	}
}

func (u *uses) ofCase(b *spec.Bitset, c *spec.Case) {
	for _, t := range c.Displays {
		for _, it := range t.Items() {
			u.path(b, it.Ref)
		}
	}
	for _, t := range c.Aliases {
		for _, it := range t.Items() {
			u.path(b, it.Ref)
		}
	}
	for _, s := range c.Sets {
		for _, m := range s.Members {
			u.path(b, m.Name)
		}
	}
	for _, f := range c.Fields {
		for _, p := range f.Params {
			u.path(b, p.Name)
		}
	}
}

func (u *uses) expr(b *spec.Bitset, n *spec.Node) {
	if n == nil {
		return
	}
	if n.Op == spec.OpField {
		u.path(b, n.Name)
	}
	u.expr(b, n.X)
	u.expr(b, n.Y)
	u.expr(b, n.Z)
}

func (u *uses) path(b *spec.Bitset, name string) {
	head, tail, ok := strings.Cut(name, ".")
	if ok {
		for _, part := range strings.Split(tail, ".") {
			u.parts[part] = true
		}
	}
	u.own[b][head], u.own[b][name] = true, true
}

// climb adds names to the enclosing bitsets: the names that nested bitsets use, if they receive the
// whole enclosing scope. It reports whether it added any names.
func (u *uses) climb() (changed bool) {
	for _, b := range u.isa.Bitsets {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				if f.Bitset == nil || !f.AllParams {
					continue
				}
				before := len(u.own[b])
				u.addBelow(f.Bitset, u.own[b])
				changed = changed || len(u.own[b]) > before
			}
		}
	}
	return changed
}

// addBelow adds the names that a bitset and its descendants use.
func (u *uses) addBelow(root *spec.Bitset, names map[string]bool) {
	for name := range u.own[root] {
		names[name] = true
	}
	for _, c := range root.Children {
		u.addBelow(c, names)
	}
}

// field reports whether something may refer to a field of a bitset.
func (u *uses) field(b *spec.Bitset, f *spec.Field) bool {
	if u.parts[f.Name] {
		return true
	}
	for p := b.Extends; p != nil; p = p.Extends {
		if u.own[p][f.Name] {
			return true
		}
	}
	names := map[string]bool{}
	u.addBelow(b, names)
	return names[f.Name]
}

// enum reports whether the enum is the type of a field, a context or a quirk, or whether an expression
// or the semantics name one of its values.
func (u *uses) enum(e *spec.Enum) bool {
	for _, x := range u.isa.Contexts {
		if x.Enum == e {
			return true
		}
	}
	if slices.ContainsFunc(u.isa.Meaning.Quirks, func(q *spec.Quirk) bool { return q.Enum == e }) {
		return true
	}
	for _, b := range u.isa.Bitsets {
		for _, code := range sem.Codes(b) {
			_, enums, _ := sem.Mentions(code)
			if slices.ContainsFunc(enums, func(name string) bool { return strings.HasPrefix(name, e.Name+".") }) {
				return true
			}
		}
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				if f.Enum == e {
					return true
				}
			}
		}
		for _, x := range ownExprs(b) {
			if strings.Contains(x.Text, e.Name+".") {
				return true
			}
		}
	}
	return false
}
