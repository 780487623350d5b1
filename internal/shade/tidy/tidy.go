// Package tidy rewrites functions of shaders so that they have fewer variables and statements. They compute the same bits.
package tidy

import (
	"slices"

	"github.com/isago/isago/internal/shade"
)

// Func tidies a function. register returns the name of the register whose value a variable has, or "". Variables of one
// register become one variable if they never hold different values at the same time. unique returns a name that the shader
// does not have yet.
func Func(f *shade.Func, register func(v *shade.Var) string, unique func(name string) string) {
	t := &tidier{f: f, register: register, unique: unique, impure: map[*shade.Func]bool{}}
	t.inline()
	t.merge()
	t.live = newLiveness(f)
	f.Body = t.block(f.Body)
	if n := len(f.Body); n > 0 && f.Body[n-1].Kind == shade.Return && f.Body[n-1].Value == nil {
		f.Body = f.Body[:n-1]
	}
	t.forget()
	t.declare()
	t.counters(f.Body, 0)
}

// tidier tidies a function.
type tidier struct {
	f        *shade.Func
	register func(v *shade.Var) string
	unique   func(name string) string
	live     *liveness
	letters  []string // the names of counters, by depth
	// sets and reads count the assignments and the reads of each variable.
	sets, reads map[*shade.Var]int
	impure      map[*shade.Func]bool // the result of effects for functions
}

// root returns the variable of a destination.
func root(e *shade.Expr) *shade.Var {
	for e.Op != shade.Ref {
		e = e.Args[0]
	}
	return e.Var
}

// visit calls f for an expression and its parts.
func visit(e *shade.Expr, f func(e *shade.Expr)) {
	if e != nil {
		shade.Walk([]*shade.Stmt{{Value: e}}, f)
	}
}

// outs calls f for each variable in which a call of an expression returns a value.
func outs(e *shade.Expr, f func(v *shade.Var)) {
	visit(e, func(x *shade.Expr) {
		if x.Op == shade.Call {
			for i, p := range x.Func.Params {
				if p.Out {
					f(x.Args[i].Var)
				}
			}
		}
	})
}

// writes calls f for each variable that a statement changes, without the statements in it.
func writes(s *shade.Stmt, f func(v *shade.Var)) {
	switch s.Kind {
	case shade.Assign:
		f(root(s.Dest))
	case shade.Declare:
		f(s.Var)
	}
	outs(s.Value, f)
}

// count counts the assignments and reads of variables.
func (t *tidier) count() {
	t.sets, t.reads = map[*shade.Var]int{}, map[*shade.Var]int{}
	shade.EachStmt(t.f.Body, func(s *shade.Stmt) {
		writes(s, func(v *shade.Var) { t.sets[v]++ })
		visit(s.Value, func(e *shade.Expr) {
			if e.Op == shade.Ref {
				t.reads[e.Var]++
			}
		})
		if s.Dest != nil {
			visit(s.Dest, func(e *shade.Expr) {
				if e.Op == shade.Ref && e.Var != root(s.Dest) {
					t.reads[e.Var]++
				}
			})
		}
		outs(s.Value, func(v *shade.Var) { t.reads[v]-- })
	})
}

// effects reports whether the evaluation of an expression may change something, or depends on what other statements than
// assignments change.
func (t *tidier) effects(e *shade.Expr) (yes bool) {
	visit(e, func(x *shade.Expr) {
		switch x.Op {
		case shade.Ref:
			yes = yes || outer(x.Var)
		case shade.AtomicSwap, shade.Sample, shade.SampleBias, shade.DerivX, shade.DerivY: // their place matters
			yes = true
		case shade.Call:
			yes = yes || t.acts(x.Func)
		}
	})
	return yes
}

// outer reports whether functions can change a variable for their caller.
func outer(v *shade.Var) bool {
	switch v.Storage {
	case shade.Private, shade.Workgroup, shade.Output:
		return true
	}
	return v.Storage == shade.Member && v.Block.Kind == shade.StorageBuffer
}

// acts reports whether a function does more than compute its result from its arguments.
func (t *tidier) acts(f *shade.Func) bool {
	yes, known := t.impure[f]
	if known {
		return yes
	}
	yes = f.External || slices.ContainsFunc(f.Params, func(v *shade.Var) bool { return v.Out })
	shade.EachStmt(f.Body, func(s *shade.Stmt) {
		switch s.Kind {
		case shade.Barrier, shade.Discard, shade.EmitVertex, shade.EndPrimitive:
			yes = true
		case shade.Assign:
			yes = yes || outer(root(s.Dest)) || t.effects(s.Dest)
		}
		yes = yes || s.Value != nil && t.effects(s.Value)
	})
	t.impure[f] = yes
	return yes
}

// arithmetic reports whether an expression has arithmetic on floats outside of functions. It is exact only in the assignment
// of a precise variable.
func arithmetic(e *shade.Expr) (yes bool) {
	visit(e, func(x *shade.Expr) {
		switch x.Op {
		case shade.Add, shade.Sub, shade.Mul, shade.Div, shade.Sqrt, shade.Fma:
			yes = yes || x.Type.Kind == shade.Float
		}
	})
	return yes
}

// size returns the number of operations and names in an expression.
func size(e *shade.Expr) (n int) {
	visit(e, func(x *shade.Expr) {
		if x.Op != shade.Swizzle && x.Op != shade.Splat {
			n++
		}
	})
	return n
}

// maxSize is the size up to which a statement gets the value of a variable that is read once.
const maxSize = 18

// inline puts the value of a variable that is set once and read once in the place where it is read, if that is in the same
// block and no statement between them changes what the value depends on.
func (t *tidier) inline() {
	t.count()
	t.inlineIn(t.f.Body)
	t.f.Body = drop(t.f.Body)
	t.prune()
}

// gone marks a statement that was removed.
const gone = shade.StmtKind(255)

func drop(list []*shade.Stmt) []*shade.Stmt {
	list = slices.DeleteFunc(list, func(s *shade.Stmt) bool { return s.Kind == gone })
	for _, s := range list {
		s.Body, s.Else = drop(s.Body), drop(s.Else)
		for i := range s.Cases {
			s.Cases[i].Body = drop(s.Cases[i].Body)
		}
	}
	return list
}

// forget removes conditions on local variables that are never set to something else than false, and the assignments of local
// variables that nothing reads.
func (t *tidier) forget() {
	set := map[*shade.Var]bool{}
	shade.EachStmt(t.f.Body, func(s *shade.Stmt) {
		no := assigned(s) != nil && s.Value.IsLiteral() && s.Value.Bits[0] == 0
		writes(s, func(v *shade.Var) { set[v] = set[v] || !no })
	})
	shade.EachStmt(t.f.Body, func(s *shade.Stmt) {
		if s.Kind == shade.If && len(s.Else) == 0 && s.Value.Op == shade.Ref && s.Value.Var.Storage == shade.Local {
			if other, ok := set[s.Value.Var]; ok && !other {
				s.Kind = gone
			}
		}
	})
	t.f.Body = drop(t.f.Body)
	t.count()
	shade.EachStmt(t.f.Body, func(s *shade.Stmt) {
		if v := assigned(s); v != nil && v.Storage == shade.Local && t.reads[v] == 0 && !t.effects(s.Value) {
			s.Kind = gone
		}
	})
	t.f.Body = drop(t.f.Body)
}

// prune removes the local variables that no statement has.
func (t *tidier) prune() {
	t.count()
	t.f.Locals = slices.DeleteFunc(t.f.Locals, func(v *shade.Var) bool { return t.sets[v] == 0 && t.reads[v] == 0 })
}

func (t *tidier) inlineIn(list []*shade.Stmt) {
	for i, s := range list {
		t.inlineIn(s.Body)
		t.inlineIn(s.Else)
		for _, c := range s.Cases {
			t.inlineIn(c.Body)
		}
		v := assigned(s)
		if v == nil || v.Type.Len != 0 || v.Storage != shade.Local || t.register(v) != "" || t.sets[v] != 1 || t.reads[v] != 1 || t.effects(s.Value) {
			continue
		}
		reads := map[*shade.Var]bool{}
		visit(s.Value, func(e *shade.Expr) {
			if e.Op == shade.Ref {
				reads[e.Var] = true
			}
		})
		for j, u := range list[i+1:] {
			if place := use(u, v); place != nil {
				if t.fits(s, u) {
					*place = *s.Value
					s.Kind = gone
					moveComments(list, i, i+1+j)
				}
				break
			}
			changed := false
			shade.EachStmt([]*shade.Stmt{u}, func(x *shade.Stmt) {
				writes(x, func(w *shade.Var) { changed = changed || reads[w] })
			})
			if changed || contains(u, v) {
				break
			}
		}
	}
}

// assigned returns the variable of which a statement sets all components, or nil.
func assigned(s *shade.Stmt) *shade.Var {
	switch {
	case s.Kind == shade.Assign && s.Dest.Op == shade.Ref:
		return s.Dest.Var
	case s.Kind == shade.Declare && s.Value != nil:
		return s.Var
	}
	return nil
}

// fits reports whether the value of s can be a part of u.
func (t *tidier) fits(s, u *shade.Stmt) bool {
	n := size(s.Value)
	if n > 3 && n+size(u.Value) > maxSize {
		return false
	}
	if arithmetic(s.Value) {
		switch u.Kind {
		case shade.Assign:
			return root(u.Dest).Precise
		case shade.Declare:
			return u.Var.Precise
		}
		return false
	}
	return true
}

// use returns the place where the value of a statement, but not the statements in it, reads a variable, or nil.
func use(s *shade.Stmt, v *shade.Var) (place *shade.Expr) {
	if s.Kind == shade.Loop || s.Value == nil {
		return nil
	}
	visit(s.Value, func(e *shade.Expr) {
		if e.Op == shade.Ref && e.Var == v {
			place = e
		}
	})
	return place
}

// contains reports whether a statement or one in it has a variable.
func contains(s *shade.Stmt, v *shade.Var) (yes bool) {
	shade.EachStmt([]*shade.Stmt{s}, func(x *shade.Stmt) { yes = yes || x.Kind != gone && x.Var == v })
	shade.Walk([]*shade.Stmt{s}, func(e *shade.Expr) { yes = yes || e.Op == shade.Ref && e.Var == v })
	return yes
}

// moveComments moves the comments in front of a removed statement to the statement that got its value, unless the statement
// after the removed one belongs to them too.
func moveComments(list []*shade.Stmt, from, to int) {
	first := from
	for first > 0 && list[first-1].Kind == shade.Comment {
		first--
	}
	next := from + 1
	for next < to && list[next].Kind == gone {
		next++
	}
	if next == to || list[next].Kind != shade.Comment {
		return
	}
	for to > from && list[to-1].Kind == shade.Comment { // in front of the comments of the statement
		to--
	}
	moved := slices.Clone(list[first : from+1])
	copy(list[first:], list[from+1:to])
	copy(list[to-len(moved):], moved)
}
