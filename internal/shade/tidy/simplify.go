package tidy

import (
	"maps"
	"slices"

	"github.com/isago/isago/internal/shade"
)

// block simplifies statements.
func (t *tidier) block(list []*shade.Stmt) []*shade.Stmt {
	var out []*shade.Stmt
	for _, s := range list {
		if n := len(out); n > 0 && out[n-1].Kind == shade.If && s.Kind == shade.If && s.Value.Op == shade.Ref && s.Value.Var.Storage == shade.Local {
			if x := lone(s.Body); x != nil && x.Kind == shade.Break {
				thread(out[n-1], s.Value.Var)
			}
		}
		if ends(out) { // nothing reaches the other statements
			break
		}
		s.Body, s.Else = t.block(s.Body), t.block(s.Else)
		for i := range s.Cases {
			s.Cases[i].Body = t.block(s.Cases[i].Body)
		}
		switch s.Kind {
		case shade.Assign:
			if narrow(s); s.Kind == gone {
				continue
			}
		case shade.If:
			out = append(out, t.condition(s)...)
			continue
		case shade.Loop:
			out = t.counted(append(out, t.loop(s)...), s)
			continue
		}
		if n := len(out); n > 0 && joins(out[n-1], s) {
			continue
		}
		out = append(out, s)
	}
	return out
}

// joins adds an assignment of components to the one before it, if both only move values.
func joins(a, b *shade.Stmt) bool {
	if a.Kind != shade.Assign || b.Kind != shade.Assign || !moves(a.Value) || !moves(b.Value) || a.Dest.Op != shade.Swizzle || b.Dest.Op != shade.Swizzle || !shade.Equal(a.Dest.Args[0], b.Dest.Args[0]) || a.Dest.Args[0].Op != shade.Ref {
		return false
	}
	v, set := root(a.Dest), map[int]*shade.Expr{}
	add := func(s *shade.Stmt) {
		for i, k := range s.Dest.Comps {
			x, c := component(s.Value, i)
			if x.Type.N > 0 && x.Op != shade.Literal {
				x = shade.Pick(x, c)
			} else if x.Type.N > 0 {
				x = shade.Lit(x.Type.Scalar(), x.Bits[c])
			}
			set[k] = x
		}
	}
	add(a)
	for i := range b.Dest.Comps {
		if x, c := component(b.Value, i); x.Op == shade.Ref && x.Var == v && set[c] != nil {
			return false // it reads what the first one sets
		}
	}
	add(b)
	comps := slices.Sorted(maps.Keys(set))
	var list []*shade.Expr
	for _, k := range comps {
		list = append(list, set[k])
	}
	a.Dest, a.Value = shade.Pick(shade.Value(v), comps...), pack(list)
	return true
}

// moves reports whether an expression consists of components of variables and constants.
func moves(e *shade.Expr) (yes bool) {
	yes = true
	visit(e, func(x *shade.Expr) {
		switch x.Op {
		case shade.Ref, shade.Literal, shade.Swizzle, shade.Construct, shade.Splat:
		default:
			yes = false
		}
	})
	return yes
}

// pack returns a vector of scalars. Components of one vector that follow each other stay together.
func pack(list []*shade.Expr) *shade.Expr {
	var parts []*shade.Expr
	for _, x := range list {
		if n := len(parts); n > 0 && x.Op == shade.Swizzle && parts[n-1].Op == shade.Swizzle && shade.Equal(parts[n-1].Args[0], x.Args[0]) {
			parts[n-1] = shade.Pick(x.Args[0], append(slices.Clone(parts[n-1].Comps), x.Comps...)...)
			continue
		}
		parts = append(parts, x)
	}
	t := list[0].Type.Vec(len(list))
	switch {
	case len(parts) == 1:
		return parts[0]
	case !slices.ContainsFunc(parts, func(x *shade.Expr) bool { return !shade.Equal(x, parts[0]) }) && parts[0].Type.N == 0:
		return shade.Make(shade.Splat, t, parts[0])
	}
	return shade.Make(shade.Construct, t, parts...)
}

// narrow removes the components that an assignment sets to themselves.
func narrow(s *shade.Stmt) {
	dest, comps := s.Dest, []int{0, 1, 2, 3}[:s.Dest.Type.Count()]
	if dest.Op == shade.Swizzle {
		dest, comps = dest.Args[0], dest.Comps
	}
	if dest.Op != shade.Ref {
		return
	}
	var kept []int // the numbers in the value
	for i, k := range comps {
		if e, c := component(s.Value, i); e.Op != shade.Ref || e.Var != dest.Var || c != k {
			kept = append(kept, i)
		}
	}
	switch v := s.Value; {
	case len(kept) == 0:
		s.Kind = gone
	case len(kept) == len(comps):
	case v.Op == shade.Construct || v.Op == shade.Swizzle || v.Op == shade.Splat:
		value, rest := parts(v, kept)
		if !rest {
			return
		}
		var left []int
		for _, i := range kept {
			left = append(left, comps[i])
		}
		s.Dest, s.Value = shade.Pick(dest, left...), value
	}
}

// parts returns some components of a vector that is made of parts. ok is not set if that would compute a part twice.
func parts(v *shade.Expr, comps []int) (e *shade.Expr, ok bool) {
	var list []*shade.Expr
	for _, i := range comps {
		x, k := component(v, i)
		if x.Type.N > 0 {
			if x.Op != shade.Ref && x.Op != shade.Index {
				return nil, false
			}
			x = shade.Pick(x, k)
		}
		list = append(list, x)
	}
	return pack(list), true
}

// thread puts a break in place of the end of a branch that sets a variable, if the statement after it is a break under the
// condition that the variable is set.
func thread(s *shade.Stmt, v *shade.Var) {
	for _, list := range [2][]*shade.Stmt{s.Body, s.Else} {
		if len(list) == 0 {
			continue
		}
		switch x := list[len(list)-1]; {
		case x.Kind == shade.If:
			thread(x, v)
		case assigned(x) == v && x.Kind == shade.Assign && x.Value.IsLiteral() && x.Value.Bits[0] != 0:
			list[len(list)-1] = &shade.Stmt{Kind: shade.Break}
		}
	}
}

// leaves reports whether a statement leaves the block.
func leaves(s *shade.Stmt) bool {
	return s.Kind == shade.Break || s.Kind == shade.Continue || s.Kind == shade.Return || s.Kind == shade.Discard
}

// lone returns the only statement of a list, or nil.
func lone(list []*shade.Stmt) *shade.Stmt {
	if len(list) == 1 {
		return list[0]
	}
	return nil
}

// maxChoice is the size of the values up to which two assignments under a condition become one.
const maxChoice = 6

// condition simplifies an If.
func (t *tidier) condition(s *shade.Stmt) (out []*shade.Stmt) {
	var after []*shade.Stmt
	for len(s.Body) > 0 && len(s.Else) > 0 { // what both parts do at their end
		a, b := s.Body[len(s.Body)-1], s.Else[len(s.Else)-1]
		if a.Kind != shade.Assign || b.Kind != shade.Assign || !shade.Equal(a.Dest, b.Dest) || !shade.Equal(a.Value, b.Value) {
			break
		}
		after = slices.Insert(after, 0, a)
		s.Body, s.Else = s.Body[:len(s.Body)-1], s.Else[:len(s.Else)-1]
	}
	for len(s.Body) > 0 && len(s.Else) > 0 { // and at their start
		a, b := s.Body[0], s.Else[0]
		if a.Kind != shade.Assign || b.Kind != shade.Assign || !shade.Equal(a.Dest, b.Dest) || !shade.Equal(a.Value, b.Value) || t.effects(s.Value) || reads(s.Value, root(a.Dest)) {
			break
		}
		out = append(out, a)
		s.Body, s.Else = s.Body[1:], s.Else[1:]
	}
	if len(s.Body) == 0 && len(s.Else) == 0 {
		if t.effects(s.Value) {
			out = append(out, s)
		}
		return append(out, after...)
	}
	if len(s.Body) == 0 {
		s.Value, s.Body, s.Else = Not(s.Value), s.Else, nil
	}
	if x := t.choice(s); x != nil {
		if narrow(x); x.Kind != gone {
			out = append(out, x)
		}
		return append(out, after...)
	}
	if e := lone(s.Else); e != nil && leaves(e) {
		rest := s.Body
		s.Value, s.Body, s.Else = Not(s.Value), s.Else, nil
		out = append(append(out, s), rest...)
		return append(out, after...)
	}
	if n := len(s.Body); n > 0 && leaves(s.Body[n-1]) && len(after) == 0 {
		rest := s.Else
		s.Else = nil
		return append(append(out, s), rest...)
	}
	return append(append(out, s), after...)
}

// choice returns the assignment that does what an If does whose parts set the same variable, or nil.
func (t *tidier) choice(s *shade.Stmt) *shade.Stmt {
	a, b := lone(s.Body), lone(s.Else)
	if a == nil || b == nil || a.Kind != shade.Assign || b.Kind != shade.Assign || !shade.Equal(a.Dest, b.Dest) || arithmetic(s.Value) {
		return nil
	}
	x := &shade.Stmt{Kind: shade.Assign, Dest: a.Dest}
	switch value := func(e *shade.Expr, v uint64) bool {
		return e.Type == shade.B && e.Op == shade.Literal && e.Bits[0] == v
	}; {
	case value(a.Value, 1) && value(b.Value, 0):
		x.Value = s.Value
	case value(a.Value, 0) && value(b.Value, 1):
		x.Value = Not(s.Value)
	case size(a.Value) <= maxChoice && size(b.Value) <= maxChoice && !t.effects(a.Value) && !t.effects(b.Value) && !calls(a.Value) && !calls(b.Value):
		cond := s.Value
		if n := int(a.Value.Type.N); n > 0 {
			cond = shade.Make(shade.Splat, shade.B.Vec(n), cond)
		}
		x.Value = shade.Apply(shade.Select, cond, a.Value, b.Value)
	default:
		return nil
	}
	return x
}

func calls(e *shade.Expr) (yes bool) {
	visit(e, func(x *shade.Expr) { yes = yes || x.Op == shade.Call })
	return yes
}

// reads reports whether an expression reads a variable.
func reads(e *shade.Expr, v *shade.Var) (yes bool) {
	visit(e, func(x *shade.Expr) { yes = yes || x.Op == shade.Ref && x.Var == v })
	return yes
}

// Not returns the negation of a condition.
func Not(e *shade.Expr) *shade.Expr {
	if e.Type.N == 0 {
		isFloat := len(e.Args) == 2 && e.Args[0].Type.Kind == shade.Float
		switch opposite := map[shade.Op]shade.Op{shade.Eq: shade.Ne, shade.Ne: shade.Eq, shade.Lt: shade.Ge, shade.Ge: shade.Lt, shade.Le: shade.Gt, shade.Gt: shade.Le}[e.Op]; {
		case e.Op == shade.Not:
			return e.Args[0]
		case e.Op == shade.LogicAnd && e.Args[0].Op == shade.Not && e.Args[1].Op == shade.Not:
			return shade.Apply(shade.LogicOr, e.Args[0].Args[0], e.Args[1].Args[0])
		case e.Op == shade.LogicOr && (e.Args[0].Op == shade.Not || e.Args[1].Op == shade.Not):
			return shade.Apply(shade.LogicAnd, Not(e.Args[0]), Not(e.Args[1]))
		case opposite != 0 && (e.Op == shade.Eq || e.Op == shade.Ne || !isFloat):
			return shade.Apply(opposite, e.Args...)
		}
	}
	return shade.Apply(shade.Not, e)
}

// loop simplifies a Loop.
func (t *tidier) loop(s *shade.Stmt) (out []*shade.Stmt) {
	if n := len(s.Body); n > 0 && s.Body[n-1].Kind == shade.Continue {
		s.Body = s.Body[:n-1]
	}
	var after []*shade.Stmt
	first := 0
	for first < len(s.Body) && s.Body[first].Kind == shade.Comment {
		first++
	}
	// A path that ends in the loop, which nothing else leaves, follows the loop.
	if s.Value == nil && !exits(s.Body) {
		for i, x := range slices.Backward(s.Body) {
			if x.Kind == shade.If && len(x.Else) > 1 && len(x.Body) > 0 && i == len(s.Body)-1 && x.Else[len(x.Else)-1].Kind == shade.Return {
				rest := x.Body
				x.Value, x.Body, x.Else = Not(x.Value), x.Else, nil
				s.Body = append(s.Body, rest...)
			}
			if x.Kind == shade.If && len(x.Else) == 0 && len(x.Body) > 1 && x.Body[len(x.Body)-1].Kind == shade.Return && !within(x.Body, shade.Continue) {
				after, x.Body = x.Body, []*shade.Stmt{{Kind: shade.Break}}
				break
			}
		}
	}
	if s.Value == nil && after == nil {
		after = leaving(s)
	}
	if first < len(s.Body) && s.Value == nil && s.Body[first].Kind == shade.If && !arithmetic(s.Body[first].Value) {
		if x := s.Body[first]; len(x.Else) == 0 && len(x.Body) == 1 && x.Body[0].Kind == shade.Break {
			out = append(out, s.Body[:first]...)
			s.Value, s.Uniform, s.Body = Not(x.Value), x.Uniform, s.Body[first+1:]
		}
	}
	return append(append(out, s), after...)
}

// leaving takes the end of the body of a loop that runs on only through a continue before it, and returns it for the place
// behind the loop. Mesa's lavapipe, versions 22.3 and 25.0, loses values in nested loops without this.
func leaving(s *shade.Stmt) []*shade.Stmt {
	i := len(s.Body)
	for i > 0 && !own(s.Body[i-1:], shade.Continue) {
		i--
	}
	for i > 0 && i < len(s.Body) && s.Body[i-1].Kind == shade.Comment {
		i--
	}
	rest := s.Body[i:]
	if i == 0 || !ends(rest) || rest[0].Kind == shade.Break || exits(s.Body[:i]) {
		return nil
	}
	after, ok := withoutBreak(rest)
	if !ok {
		return nil
	}
	s.Body = append(slices.Clip(s.Body[:i]), &shade.Stmt{Kind: shade.Break})
	return after
}

// ends reports whether the end of a list is never reached.
func ends(list []*shade.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	s := list[len(list)-1]
	return s.Kind != shade.Discard && leaves(s) || s.Kind == shade.If && ends(s.Body) && ends(s.Else)
}

// withoutBreak returns statements that end where the given ones leave a loop with a break. ok is false if there are none.
func withoutBreak(list []*shade.Stmt) (out []*shade.Stmt, ok bool) {
	for k, s := range list {
		if s.Kind == shade.Break {
			return out, true
		}
		if s.Kind != shade.If || !exits([]*shade.Stmt{s}) {
			out = append(out, s)
			continue
		}
		x, rest := *s, list[k+1:]
		switch {
		case ends(s.Body):
			x.Else = slices.Concat(s.Else, rest)
		case ends(s.Else):
			x.Body = slices.Concat(s.Body, rest)
		case len(rest) > 0:
			return nil, false
		}
		var ok2 bool
		x.Body, ok = withoutBreak(x.Body)
		x.Else, ok2 = withoutBreak(x.Else)
		if len(x.Body) == 0 {
			x.Value, x.Body, x.Else = Not(x.Value), x.Else, nil
		}
		return append(out, &x), ok && ok2
	}
	return out, true
}

// counted turns a loop that counts down to 0 and tests its counter at the end of each turn into a for that counts up. The
// statement that sets the counter is in front of the loop. It returns the list.
func (t *tidier) counted(list []*shade.Stmt, s *shade.Stmt) []*shade.Stmt {
	at := slices.Index(list, s)
	var code []int // the statements of the body that are no comments
	for i, x := range s.Body {
		if x.Kind != shade.Comment {
			code = append(code, i)
		}
	}
	if len(code) < 2 || t.live == nil || s.Step != nil || within(s.Body, shade.Continue) {
		return list
	}
	step := s.Body[code[len(code)-1]]
	v := counter(step)
	if v == nil || v.Storage != shade.Local {
		return list
	}
	test := -1 // the position in code of if (v == 0) break
	for i := len(code) - 2; i >= 0 && test < 0; i-- {
		switch x := s.Body[code[i]]; {
		case x.Kind == shade.If && len(x.Else) == 0 && len(x.Body) == 1 && x.Body[0].Kind == shade.Break && isZero(x.Value, v):
			test = i
		case x.Kind != shade.Assign || t.effects(x.Value) || x.Dest.Op == shade.Index || contains(x, v) || t.after(s, root(x.Dest)):
			return list
		}
	}
	start := at - 1
	for start >= 0 && (list[start].Kind == shade.Comment || list[start].Kind == shade.Assign && assigned(list[start]) != v && !contains(list[start], v)) {
		start--
	}
	if test < 0 || start < 0 || assigned(list[start]) != v || t.after(s, v) {
		return list
	}
	most := list[start].Value
	for i, x := range s.Body {
		if i != code[test] && x != step && contains(x, v) {
			return list
		}
	}
	if s.Value != nil && reads(s.Value, v) || t.effects(most) || reads(most, v) {
		return list
	}
	for _, x := range slices.Concat(list[start+1:at], []*shade.Stmt{s}) { // the last value of the counter must stay the same
		changed := false
		shade.EachStmt([]*shade.Stmt{x}, func(x *shade.Stmt) {
			writes(x, func(w *shade.Var) { changed = changed || w != v && reads(most, w) })
		})
		if changed {
			return list
		}
	}
	i := &shade.Var{Name: "i", Type: shade.U32}
	op := shade.Le
	if most.IsLiteral() {
		op, most = shade.Lt, shade.Uint32(uint32(most.Bits[0]+1))
	}
	s.Init = &shade.Stmt{Kind: shade.Declare, Var: i, Value: shade.Uint32(0)}
	s.Step = &shade.Stmt{Kind: shade.Assign, Dest: shade.Value(i), Value: shade.Apply(shade.Add, shade.Value(i), shade.Uint32(1))}
	uniform := s.Body[code[test]].Uniform
	if cond := shade.Apply(op, shade.Value(i), most); s.Value == nil {
		s.Value, s.Uniform = cond, uniform
	} else {
		s.Value, s.Uniform = shade.Apply(shade.LogicAnd, cond, s.Value), s.Uniform && uniform
	}
	s.Body[code[test]].Kind, step.Kind = gone, gone
	s.Body = slices.DeleteFunc(s.Body, func(x *shade.Stmt) bool { return x.Kind == gone })
	return slices.Delete(list, start, start+1)
}

// counter returns the variable of fewer than 32 bits that a statement decreases by 1, or nil.
func counter(s *shade.Stmt) *shade.Var {
	v := assigned(s)
	if v == nil || v.Type != shade.U32 || s.Kind != shade.Assign || s.Value.Op != shade.And {
		return nil
	}
	a, mask := s.Value.Args[0], s.Value.Args[1]
	if a.Op == shade.Sub && a.Args[0].Op == shade.Ref && a.Args[0].Var == v && a.Args[1].IsLiteral() && a.Args[1].Bits[0] == 1 && mask.IsLiteral() && mask.Bits[0] < 1<<31 && mask.Bits[0]&(mask.Bits[0]+1) == 0 {
		return v
	}
	return nil
}

// isZero reports whether a condition is that a variable is 0.
func isZero(e *shade.Expr, v *shade.Var) bool {
	return e.Op == shade.Eq && e.Args[0].Op == shade.Ref && e.Args[0].Var == v && e.Args[1].IsLiteral() && e.Args[1].Bits[0] == 0
}

// after reports whether a variable is read after a loop.
func (t *tidier) after(s *shade.Stmt, v *shade.Var) bool {
	first, ok := t.live.first[v]
	if !ok || t.live.exits[s] == nil {
		return true
	}
	for k := range v.Type.Count() {
		if t.live.exits[s].has(first + k) {
			return true
		}
	}
	return false
}

// exits reports whether a break leaves a loop with the given body.
func exits(list []*shade.Stmt) bool { return own(list, shade.Break) }

// own reports whether the body of a loop has a break or continue of the loop itself.
func own(list []*shade.Stmt, kind shade.StmtKind) bool {
	return slices.ContainsFunc(list, func(s *shade.Stmt) bool {
		return s.Kind == kind || s.Kind == shade.If && (own(s.Body, kind) || own(s.Else, kind))
	})
}

// within reports whether a list has a statement of a kind.
func within(list []*shade.Stmt, kind shade.StmtKind) (yes bool) {
	shade.EachStmt(list, func(s *shade.Stmt) { yes = yes || s.Kind == kind })
	return yes
}

// declare declares local variables where they get their first value, if that is in front of everything that has them.
func (t *tidier) declare() {
	t.prune()
	for _, v := range t.f.Locals {
		v.Precise = false
	}
	shade.EachStmt(t.f.Body, func(s *shade.Stmt) {
		if s.Kind == shade.Assign {
			if v := root(s.Dest); v.Storage == shade.Local && arithmetic(s.Value) {
				v.Precise = true
			}
		} else if s.Kind == shade.Declare {
			s.Var.Precise = s.Value != nil && arithmetic(s.Value)
		}
	})
	wanted := map[*shade.Var]bool{}
	for _, v := range t.f.Locals {
		wanted[v] = true
	}
	declareIn(t.f.Body, wanted)
	t.f.Locals = slices.DeleteFunc(t.f.Locals, func(v *shade.Var) bool { return !wanted[v] })
}

// counters names the counters of loops: i, and j for those in such a loop.
func (t *tidier) counters(list []*shade.Stmt, depth int) {
	for _, s := range list {
		below := depth
		if s.Init != nil {
			if depth == len(t.letters) {
				t.letters = append(t.letters, t.unique(string(rune('i'+min(depth, 17)))))
			}
			s.Init.Var.Name = t.letters[depth]
			below++
		}
		t.counters(s.Body, below)
		t.counters(s.Else, below)
		for _, c := range s.Cases {
			t.counters(c.Body, below)
		}
	}
}

// declareIn declares variables that occur only in a list of statements. It removes those that it declares from wanted.
func declareIn(list []*shade.Stmt, wanted map[*shade.Var]bool) {
	count, first := map[*shade.Var]int{}, map[*shade.Var]int{}
	for i, s := range list {
		seen := map[*shade.Var]bool{}
		shade.Walk([]*shade.Stmt{s}, func(e *shade.Expr) {
			if v := e.Var; e.Op == shade.Ref && wanted[v] && !seen[v] {
				if seen[v] = true; count[v] == 0 {
					first[v] = i
				}
				count[v]++
			}
		})
	}
	inner := map[*shade.Stmt]map[*shade.Var]bool{}
	for v, i := range first {
		s := list[i]
		if s.Kind == shade.Assign && assigned(s) == v && !reads(s.Value, v) {
			s.Kind, s.Var, s.Dest = shade.Declare, v, nil
			delete(wanted, v)
		} else if count[v] == 1 && s.Kind != shade.Assign && (s.Value == nil || !reads(s.Value, v)) {
			if inner[s] == nil {
				inner[s] = map[*shade.Var]bool{}
			}
			inner[s][v] = true
		}
	}
	for s, in := range inner {
		parts := [][]*shade.Stmt{s.Body, s.Else}
		for _, c := range s.Cases {
			parts = append(parts, c.Body)
		}
		for i, part := range parts {
			only := map[*shade.Var]bool{}
			for v := range in {
				has := func(list []*shade.Stmt) bool {
					return slices.ContainsFunc(list, func(s *shade.Stmt) bool { return contains(s, v) })
				}
				if has(part) && !slices.ContainsFunc(append(slices.Clone(parts[:i]), parts[i+1:]...), has) {
					only[v] = true
				}
			}
			if len(only) == 0 {
				continue
			}
			all := slices.Collect(maps.Keys(only))
			declareIn(part, only)
			for _, v := range all {
				if !only[v] {
					delete(wanted, v)
				}
			}
		}
	}
}
