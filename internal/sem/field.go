package sem

import (
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// eachRef calls visit with what a name in braces means: one thing, or while a description is checked each
// thing that it may be.
func (l *lowerer) eachRef(name string, at diag.Span, visit func(r *model.Ref)) {
	alts := l.given.Narrow(l.frame.Unit.Resolve(name))
	if !l.check {
		r := l.eval.Resolve(alts, l.frame)
		if r == nil {
			l.fail(at, diag.MeaningName, "{%s} is not defined in %s", name, l.frame.Unit.Leaf.Name)
		}
		visit(r)
		return
	}
	for _, a := range alts {
		if a.Ref == nil {
			l.fail(at, diag.MeaningName, "{%s} is not defined in %s", name, l.frame.Unit.Leaf.Name)
		}
		visit(a.Ref)
	}
}

// operand returns the operand of that name, nil where the name is a field's: in the operand's own code, and
// where the operand has no meaning of its own and shows a field of its name.
func (l *lowerer) operand(name string) *spec.Operand {
	if strings.ContainsAny(name, ".@") {
		return nil
	}
	o := l.frame.Unit.Leaf.Spec.Operand(name)
	if o == nil || o == l.within {
		return nil
	}
	if o.Semantics == nil && o.Write == nil && o.Facts.Reg == nil && l.hasField(name) {
		return nil
	}
	return o
}

// inside lowers the code of an operand, in which its name means the field.
func (l *lowerer) inside(o *spec.Operand, run func()) {
	saved := l.within
	l.within = o
	run()
	l.within = saved
}

// hasField reports whether a name is a field's.
func (l *lowerer) hasField(name string) bool {
	for _, a := range l.frame.Unit.Resolve(name) {
		if a.Ref != nil {
			return true
		}
	}
	return false
}

// fieldExpr lowers {NAME}: a number, or the value of a bitset that has a meaning.
func (l *lowerer) fieldExpr(e *expr) value {
	if name, ok := strings.CutPrefix(e.name, "@"); ok {
		if v, ok := l.quirk(name); ok {
			if l.m.quirks[name].Launch {
				l.fail(e.span, diag.MeaningName, "only the launch uses the quirk %s, so code cannot read it", name)
			}
			return v
		}
		if l.m.Model.ISA.Context(name) == nil {
			l.fail(e.span, diag.MeaningName, "unknown context or quirk %s", name)
		}
	}
	l.b.site = uint64(e.span.Off) << 8
	if o := l.operand(e.name); o != nil {
		return l.operandValue(o, e.span)
	}
	var out value
	seen := false
	l.eachRef(e.name, e.span, func(r *model.Ref) {
		v := l.refValue(r)
		switch { // a number takes the type of what stands in its place in other cases
		case seen && out.t.Kind == Int && v.t.integer() || !seen:
			out, seen = v, true
		case v.t.Kind == Int && out.t.integer():
		case !v.t.same(out.t):
			l.fail(e.span, diag.MeaningType, "{%s} is a value of type %s in one case and of type %s in another", e.name, out.t, v.t)
		}
	})
	return out
}

// refValue is the value of a field.
func (l *lowerer) refValue(r *model.Ref) value {
	if r.Field != nil && r.Env != nil && l.m.speaks(r.Env.Root.Spec) {
		return l.nestedValue(r)
	}
	if r.Field != nil && r.Kind == spec.KindFloat {
		t := Type{Kind: Float, Width: r.Width}
		if l.check {
			return l.opaque(t, true)
		}
		return l.b.scalar(t, l.b.constant(t, l.eval.Value(r, l.frame)))
	}
	if l.check {
		return value{t: intType, unknown: true, has: NoID}
	}
	v := l.eval.Value(r, l.frame)
	if r.Field != nil && signedKind(r.Kind) && r.Width < 64 {
		w := uint(64 - r.Width)
		return number(int64(v<<w) >> w)
	}
	return number(int64(v))
}

// speaks reports whether a leaf of a root has a meaning as a value.
func (m *Machine) speaks(root *spec.Bitset) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.speaking[root]; ok {
		return s
	}
	s := false
	for _, b := range m.Model.ISA.Bitsets {
		if b.Root() != root {
			continue
		}
		for _, c := range b.Cases {
			s = s || c.Semantics != nil || c.Write != nil || c.Facts.Reg != nil || selects(&c.Facts)
		}
	}
	m.speaking[root] = s
	return s
}

// selects reports whether a mask or a swizzle is the value of an operand, which no register is.
func selects(f *spec.Facts) bool { return f.Reg == nil && (f.Mask != nil || f.Swizzle != nil) }

// nestedValue runs the meaning of a bitset field.
func (l *lowerer) nestedValue(r *model.Ref) value {
	if l.check {
		return l.opaqueOf(l.checks.value(l, r.Env))
	}
	f := l.enter(r)
	if f == nil {
		l.trap("an operand that matches no leaf")
		return l.opaqueOf(operandValue{t: l.typeOfEnv(r.Env), uniform: true})
	}
	return l.valueIn(f)
}

// opaqueOf is opaque, also for values that may be missing.
func (l *lowerer) opaqueOf(is operandValue) value {
	if is.settled {
		return l.settledOf(is.t)
	}
	v := l.opaque(is.t, is.uniform)
	if is.t.maybe() {
		in := valued(OpOpaque, BoolType)
		in.Uniform = is.uniform
		v.has = l.b.push(&in)
	}
	if !l.check {
		z := l.zero(is.t)
		z.has = l.b.flag(false)
		return z
	}
	return v
}

// typeOfEnv is the type of what leaves of an operand return.
func (l *lowerer) typeOfEnv(env *model.Env) Type {
	for _, leaf := range env.Root.Leaves {
		for b := leaf.Spec; b != nil; b = b.Extends {
			for _, c := range b.Cases {
				if c.Semantics != nil {
					if t := l.m.body(c.Semantics.Code, c.Semantics.Type).typ; t != nil {
						return l.typeOf(t)
					}
				}
				if c.Facts.Reg != nil {
					return l.fileType(c.Facts.Reg.File)
				}
				if selects(&c.Facts) {
					return selectionType(&c.Facts)
				}
			}
		}
	}
	return Type{}
}

func (l *lowerer) fileType(f *spec.File) Type {
	if v := l.m.views[f.Name]; v != nil {
		return v.Type
	}
	return l.m.states[f.Name].Type
}

// enter returns the scope of a bitset field.
func (l *lowerer) enter(r *model.Ref) *model.Scope {
	if l.frame.Depth > maxFrames {
		l.fail(r.Field.Span, diag.XMLLimit, "operands nested more than %d deep", maxFrames)
	}
	return l.eval.NestedScope(r, l.frame)
}

// valueIn is the value of the leaf of a scope.
func (l *lowerer) valueIn(f *model.Scope) value {
	var out value
	seen := false
	l.cases(f, func(c *spec.Case, given model.Assumptions) bool {
		v, ok := l.caseValue(f, given, c.Semantics, &c.Facts, c.Span)
		if ok && seen && !v.t.same(out.t) {
			l.fail(c.Span, diag.MeaningType, "a value of type %s, but of type %s in another case", v.t, out.t)
		}
		if ok {
			out, seen = v, true
		}
		return ok
	})
	if !seen {
		l.fail(f.Unit.Leaf.Spec.Span, diag.MeaningNone, "%s has no semantics, but other leaves of %s have them", f.Unit.Leaf.Name, f.Unit.Leaf.Root.Name)
	}
	return out
}

// caseValue is the value that a semantics, a register, a mask or a swizzle gives.
func (l *lowerer) caseValue(f *model.Scope, given model.Assumptions, s *spec.Semantics, k *spec.Facts, at diag.Span) (value, bool) {
	switch {
	case s != nil:
		var v value
		b := l.parsed(s.Code, s.Type)
		l.inScope(s.Wave, s.Span, func() { v = l.code(b, f, given) })
		return v, true
	case k.Reg != nil && l.holds(k.Reg.When, f):
		p := l.regPlace(k.Reg, f)
		return l.read(&p, at), true
	case selects(k):
		return l.selection(k, f, at), true
	}
	return value{}, false
}

// selection is the value of a mask or a swizzle: for each component whether it is written, or the number of the component
// that it reads.
func (l *lowerer) selection(k *spec.Facts, f *model.Scope, at diag.Span) value {
	if k.Mask != nil && k.Swizzle != nil {
		l.fail(at, diag.MeaningType, "a <mask> next to a <swizzle>, expected a <semantics> for the value")
	}
	t := selectionType(k)
	if l.check {
		return l.settledOf(t)
	}
	out := value{t: t, has: NoID, comps: l.b.list(t.Count())[:0]}
	for _, e := range slices.Concat(k.Mask, k.Swizzle) {
		n := uint64(l.eval.Eval(f.Unit.Prog(e), f))
		out.comps = append(out.comps, l.b.constant(t.Elem(), min(n, t.mask()))) // a number that is too large is beyond each register
	}
	return out
}

// selectionType is the type of the value of a mask or a swizzle. A number of a component has four bits, because a register
// has at most 16 components.
func selectionType(k *spec.Facts) Type {
	t, n := BoolType, len(k.Mask)
	if k.Mask == nil {
		t, n = Type{Kind: Uint, Width: 4}, len(k.Swizzle)
	}
	if n > 1 {
		t.Len = n
	}
	return t
}

// holds evaluates a condition on the bits; one that is absent holds, and while a description is checked each.
func (l *lowerer) holds(e *spec.Expr, f *model.Scope) bool {
	return e == nil || l.check || l.eval.Eval(f.Unit.Prog(e), f) != 0
}

func (l *lowerer) operandValue(o *spec.Operand, at diag.Span) value {
	if l.check {
		if is, ok := l.checks.operands[operandKey{l.frame.Unit, o}]; ok {
			return l.opaqueOf(is)
		}
	}
	var v value
	ok := false
	l.inside(o, func() { v, ok = l.caseValue(l.frame, model.Assumptions{}, o.Semantics, &o.Facts, at) })
	if !ok {
		l.fail(o.Span, diag.MeaningNone, "operand %s has no <semantics> for its value", o.Name)
	}
	if l.check {
		l.checks.operands[operandKey{l.frame.Unit, o}] = l.known(v)
	}
	return v
}

// fieldPlace lowers {NAME} where it is assigned.
func (l *lowerer) fieldPlace(e *expr) place {
	if o := l.operand(e.name); o != nil {
		var p place
		ok := false
		l.inside(o, func() { p, ok = l.casePlace(l.frame, model.Assumptions{}, &o.Actions, o.Facts.Reg) })
		if write := p.write; write != nil {
			p.write = func(v value, at diag.Span) { l.inside(o, func() { write(v, at) }) }
		}
		if read := p.read; read != nil {
			p.read = func() (v value) {
				l.inside(o, func() { v = read() })
				return v
			}
		}
		if !ok {
			l.fail(o.Span, diag.MeaningNone, "operand %s has no <write>, so it cannot be assigned", o.Name)
		}
		p.span = e.span
		return p
	}
	var out place
	seen := false
	l.eachRef(e.name, e.span, func(r *model.Ref) {
		if r.Field == nil || r.Env == nil || !l.m.speaks(r.Env.Root.Spec) {
			l.fail(e.span, diag.MeaningType, "{%s} is a number, expected an operand that can be assigned", e.name)
		}
		p := l.nestedPlace(r, e.span)
		if seen && !l.placeType(&p).same(l.placeType(&out)) {
			l.fail(e.span, diag.MeaningType, "{%s} is assigned a value of type %s in one case and of type %s in another", e.name, l.placeType(&out), l.placeType(&p))
		}
		out, seen = p, true
	})
	out.span = e.span
	return out
}

func (l *lowerer) nestedPlace(r *model.Ref, at diag.Span) place {
	if l.check {
		return l.checks.place(l, r.Env)
	}
	f := l.enter(r)
	if f == nil {
		l.trap("an operand that matches no leaf")
		return place{typ: l.typeOfEnv(r.Env), write: func(value, diag.Span) {}}
	}
	return l.placeIn(f)
}

// placeIn is what assigning the leaf of a scope assigns.
func (l *lowerer) placeIn(f *model.Scope) place {
	var out place
	seen := false
	l.cases(f, func(c *spec.Case, given model.Assumptions) bool {
		p, ok := l.casePlace(f, given, &c.Actions, c.Facts.Reg)
		if ok && seen && !l.placeType(&p).same(l.placeType(&out)) {
			l.fail(c.Span, diag.MeaningType, "assigned a value of type %s, but of type %s in another case", l.placeType(&p), l.placeType(&out))
		}
		if ok {
			out, seen = p, true
		}
		return ok
	})
	if !seen {
		l.fail(f.Unit.Leaf.Spec.Span, diag.MeaningNone, "%s cannot be assigned: it has neither <write> nor <reg>", f.Unit.Leaf.Name)
	}
	return out
}

func (l *lowerer) casePlace(f *model.Scope, given model.Assumptions, a *spec.Actions, r *spec.Reg) (place, bool) {
	switch {
	case a.Write != nil && r != nil:
		l.fail(a.Write.Span, diag.MeaningType, "a <write> next to a <reg>, which already defines what is written")
	case a.Write != nil:
		b := l.parsed(a.Write.Code, a.Write.Type)
		t := l.typeOf(b.typ)
		p := place{typ: t}
		p.write = func(v value, at diag.Span) {
			v = l.typed(v, t, at)
			l.call(b.stmts, Type{}, f, given, []local{{name: "value", v: v}})
		}
		if l.check {
			p.write(l.opaque(t, false), a.Write.Span)
			p.write = func(v value, at diag.Span) { l.typed(v, t, at) }
		}
		if s := a.Semantics; s != nil { // what is read is what the semantics says
			p.read = func() value {
				v, _ := l.caseValue(f, given, s, &spec.Facts{}, s.Span)
				return v
			}
		}
		return p, true
	case r != nil && l.holds(r.When, f):
		return l.regPlace(r, f), true
	}
	return place{}, false
}
