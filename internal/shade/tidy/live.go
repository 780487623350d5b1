package tidy

import (
	"maps"
	"slices"

	"github.com/isago/isago/internal/shade"
)

// maxUnits is the number of components of variables from which on variables are not merged: the table of those that hold
// values at the same time grows with its square.
const maxUnits = 8192

// units is a set of components of variables.
type units []uint64

func (u units) has(i int) bool { return u[i>>6]>>(i&63)&1 != 0 }
func (u units) add(i int)      { u[i>>6] |= 1 << (i & 63) }
func (u units) remove(i int)   { u[i>>6] &^= 1 << (i & 63) }

func (u units) each(f func(i int)) {
	for w, bits := range u {
		for k := 0; bits != 0; k++ {
			if bits&1 != 0 {
				f(w<<6 + k)
			}
			bits >>= 1
		}
	}
}

// union adds the members of another set, and reports whether there were new ones.
func (u units) union(v units) (more bool) {
	for i, w := range v {
		more = more || w&^u[i] != 0
		u[i] |= w
	}
	return more
}

// liveness finds which components hold values at the same time.
type liveness struct {
	first  map[*shade.Var]int // the number of the first component
	count  int
	clash  []units // for each component, those that hold another value when it is set
	heads  map[*shade.Stmt]units
	exits  map[*shade.Stmt]units // what is read after a loop
	result units                 // what the caller reads
}

// jumps are the components that are read after a break and a continue.
type jumps struct{ leave, again units }

func newLiveness(f *shade.Func) *liveness {
	l := &liveness{first: map[*shade.Var]int{}, heads: map[*shade.Stmt]units{}, exits: map[*shade.Stmt]units{}}
	for _, v := range slices.Concat(f.Params, f.Locals) {
		if v.Type.Len == 0 && (v.Storage == shade.Local || v.Out) {
			l.first[v] = l.count
			l.count += v.Type.Count()
		}
	}
	if l.count > maxUnits {
		return nil
	}
	l.result = l.set()
	for _, v := range f.Params {
		if first, ok := l.first[v]; ok {
			for k := range v.Type.Count() {
				l.result.add(first + k)
			}
		}
	}
	for range l.count {
		l.clash = append(l.clash, l.set())
	}
	l.list(f.Body, slices.Clone(l.result), jumps{})
	return l
}

func (l *liveness) set() units { return make(units, (l.count+63)/64) }

// read adds the components that an expression reads.
func (l *liveness) read(e *shade.Expr, to units) {
	if e == nil {
		return
	}
	v, comps := e.Var, []int(nil)
	if e.Op == shade.Swizzle && e.Args[0].Op == shade.Ref {
		v, comps = e.Args[0].Var, e.Comps
	} else if e.Op != shade.Ref {
		for i, a := range e.Args {
			if e.Op != shade.Call || !e.Func.Params[i].Out {
				l.read(a, to)
			}
		}
		return
	}
	first, ok := l.first[v]
	if !ok {
		return
	}
	if comps == nil {
		comps = []int{0, 1, 2, 3}[:v.Type.Count()]
	}
	for _, k := range comps {
		to.add(first + k)
	}
}

// sets records that a statement sets components. sources are the components of which they become copies, or -1.
func (l *liveness) sets(list, sources []int, after units) {
	for i, u := range list {
		after.each(func(o int) {
			if o != u && o != sources[i] {
				l.clash[u].add(o)
				l.clash[o].add(u)
			}
		})
		for k, o := range list {
			if o != u && sources[i] != o && sources[k] != u {
				l.clash[u].add(o)
				l.clash[o].add(u)
			}
		}
	}
	for _, u := range list {
		after.remove(u)
	}
}

// targets returns the components that a statement sets, and those of which they become copies.
func (l *liveness) targets(s *shade.Stmt) (list, sources []int) {
	switch s.Kind {
	case shade.Assign, shade.Declare:
		v, comps := s.Var, []int(nil)
		if s.Kind == shade.Assign {
			if s.Dest.Op == shade.Swizzle {
				comps = s.Dest.Comps
				v = nil
				if s.Dest.Args[0].Op == shade.Ref {
					v = s.Dest.Args[0].Var
				}
			} else if v = nil; s.Dest.Op == shade.Ref {
				v = s.Dest.Var
			}
		}
		if first, ok := l.first[v]; ok && s.Value != nil {
			if comps == nil {
				comps = []int{0, 1, 2, 3}[:v.Type.Count()]
			}
			for i, k := range comps {
				list, sources = append(list, first+k), append(sources, l.source(s.Value, i))
			}
		}
	}
	outs(s.Value, func(v *shade.Var) {
		if first, ok := l.first[v]; ok {
			for k := range v.Type.Count() {
				list, sources = append(list, first+k), append(sources, -1)
			}
		}
	})
	return list, sources
}

// source returns the component whose value a component of an expression is, or -1.
func (l *liveness) source(e *shade.Expr, k int) int {
	e, k = component(e, k)
	if e.Op != shade.Ref {
		return -1
	}
	if first, ok := l.first[e.Var]; ok {
		return first + k
	}
	return -1
}

// component returns the expression of which a component of a vector is a component.
func component(e *shade.Expr, k int) (*shade.Expr, int) {
	for {
		switch e.Op {
		case shade.Swizzle:
			e, k = e.Args[0], e.Comps[k]
			continue
		case shade.Splat:
			e, k = e.Args[0], 0
			continue
		case shade.Construct:
			i := 0
			for k >= e.Args[i].Type.Count() {
				k -= e.Args[i].Type.Count()
				i++
			}
			e = e.Args[i]
			continue
		}
		return e, k
	}
}

// list returns what is read at the start of statements, of what is read after them. It changes after.
func (l *liveness) list(list []*shade.Stmt, after units, j jumps) units {
	for _, s := range slices.Backward(list) {
		after = l.statement(s, after, j)
	}
	return after
}

func (l *liveness) statement(s *shade.Stmt, after units, j jumps) units {
	switch s.Kind {
	case shade.If:
		other := l.list(s.Else, slices.Clone(after), j)
		after = l.list(s.Body, after, j)
		after.union(other)
	case shade.Loop:
		head := l.heads[s]
		if head == nil {
			head = l.set()
			l.heads[s] = head
		}
		l.exits[s] = slices.Clone(after)
		for more := true; more; {
			again := slices.Clone(head)
			if s.Step != nil {
				again = l.statement(s.Step, again, jumps{})
			}
			in := l.list(s.Body, slices.Clone(again), jumps{after, again})
			if s.Value != nil {
				in.union(after)
				l.read(s.Value, in)
			}
			more = head.union(in)
		}
		before := slices.Clone(head)
		if s.Init != nil {
			before = l.statement(s.Init, before, j)
		}
		return before
	case shade.Once:
		leave := slices.Clone(after)
		return l.list(s.Body, after, jumps{leave, j.again})
	case shade.Switch:
		next := slices.Clone(after)
		for _, c := range s.Cases {
			after.union(l.list(c.Body, slices.Clone(next), j))
		}
	case shade.Break:
		return slices.Clone(j.leave)
	case shade.Continue:
		return slices.Clone(j.again)
	case shade.Return:
		after = slices.Clone(l.result)
	case shade.Discard:
		return l.set()
	default:
		list, sources := l.targets(s)
		l.sets(list, sources, after)
	}
	l.read(s.Value, after)
	if s.Kind == shade.Assign {
		for d := s.Dest; d.Op != shade.Ref; d = d.Args[0] {
			if d.Op == shade.Index {
				l.read(d.Args[1], after)
			}
		}
	}
	return after
}

// merger merges variables that never hold different values at the same time.
type merger struct {
	*liveness
	into map[*shade.Var]*shade.Var
	// rigid are the variables that a call sets, whose type cannot grow.
	rigid    map[*shade.Var]bool
	register func(v *shade.Var) string
}

// merge merges the variables of one register, first those of which one is copied to the other.
func (t *tidier) merge() {
	l := newLiveness(t.f)
	if l == nil {
		return
	}
	m := &merger{l, map[*shade.Var]*shade.Var{}, map[*shade.Var]bool{}, t.register}
	shade.EachStmt(t.f.Body, func(s *shade.Stmt) { outs(s.Value, func(v *shade.Var) { m.rigid[v] = true }) })
	owner := make([]*shade.Var, l.count)
	for v, first := range l.first {
		for k := range v.Type.Count() {
			owner[first+k] = v
		}
	}
	shade.EachStmt(t.f.Body, func(s *shade.Stmt) {
		list, sources := l.targets(s)
		for i, u := range list {
			if o := sources[i]; o >= 0 && u-l.first[owner[u]] == o-l.first[owner[o]] {
				m.join(owner[u], owner[o])
			}
		}
	})
	versions := map[string][]*shade.Var{}
	for _, b := range t.f.Locals {
		if name := t.register(b); name != "" && b.Type.Len == 0 {
			for _, a := range versions[name] {
				m.join(a, b)
			}
			versions[name] = append(versions[name], b)
		}
	}
	if len(m.into) == 0 {
		return
	}
	shade.EachStmt(t.f.Body, func(s *shade.Stmt) {
		if s.Dest != nil {
			m.rename(s.Dest)
		}
		if s.Value != nil {
			m.rename(s.Value)
		}
	})
	t.f.Locals = slices.DeleteFunc(t.f.Locals, func(v *shade.Var) bool { return m.find(v) != v })
	names := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		for _, v := range versions[name] {
			names[name] = append(names[name], v.Name)
		}
	}
	for _, v := range t.f.Locals { // the variables that are left get the first names
		if list := names[t.register(v)]; len(list) > 0 {
			v.Name, names[t.register(v)] = list[0], list[1:]
		}
	}
}

// find returns the variable into which a variable was merged, or itself.
func (m *merger) find(v *shade.Var) *shade.Var {
	for m.into[v] != nil {
		v = m.into[v]
	}
	return v
}

// join merges two variables if no component of one clashes with the same component of the other.
func (m *merger) join(a, b *shade.Var) {
	a, b = m.find(a), m.find(b)
	if a == b || m.register(a) != m.register(b) || m.register(a) == "" || a.Type.Scalar() != b.Type.Scalar() || (a.Type.N == 0) != (b.Type.N == 0) || a.Storage != shade.Local && b.Storage != shade.Local {
		return
	}
	if b.Storage != shade.Local || a.Storage == shade.Local && a.Type.N < b.Type.N { // a stays
		a, b = b, a
	}
	if a.Type.N < b.Type.N || a.Type.N != b.Type.N && m.rigid[b] {
		return
	}
	x, y := m.first[a], m.first[b]
	for k := range b.Type.Count() {
		if m.clash[x+k].has(y + k) {
			return
		}
	}
	for k := range b.Type.Count() {
		m.clash[y+k].each(func(o int) { m.clash[o].add(x + k) })
		m.clash[x+k].union(m.clash[y+k])
	}
	m.into[b], m.rigid[a], a.Precise = a, m.rigid[a] || m.rigid[b], a.Precise || b.Precise
}

// rename replaces merged variables in an expression.
func (m *merger) rename(e *shade.Expr) {
	if e.Op == shade.Swizzle && e.Args[0].Op == shade.Ref {
		if v := m.find(e.Args[0].Var); v != e.Args[0].Var {
			*e = *shade.Pick(shade.Value(v), e.Comps...)
		}
		return
	}
	if e.Op == shade.Ref {
		if v := m.find(e.Var); v != e.Var {
			if e.Type.N == 0 {
				*e = *shade.Value(v)
				return
			}
			*e = *shade.Pick(shade.Value(v), []int{0, 1, 2, 3}[:e.Type.N]...)
		}
		return
	}
	for _, a := range e.Args {
		m.rename(a)
	}
}
