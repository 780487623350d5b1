// Package pairs rewrites shaders for languages without values of 64 bits: each value becomes a uvec2, whose x is the low half, and
// functions compute with them.
package pairs

import (
	"fmt"

	"github.com/isago/isago/internal/shade"
)

// pair is the type that values of 64 bits get.
var pair = shade.U32.Vec(2)

// Lower rewrites a shader. library returns the function isago_NAME that computes with values of 64 bits, which Lower rewrites too. The
// result is the new function of each function. The error says what cannot be rewritten: variables that are vectors of such values,
// and operations without a function.
func Lower(s *shade.Shader, library func(name string) *shade.Func) (map[*shade.Func]*shade.Func, error) {
	p := &pass{library: library, vars: map[*shade.Var]*shade.Var{}, funcs: map[*shade.Func]*shade.Func{}}
	for i, v := range s.Globals {
		s.Globals[i] = p.variable(v)
	}
	for _, f := range s.Funcs {
		if !vectors(f) {
			p.function(f)
		}
	}
	s.Funcs, s.Entry = p.list, p.funcs[s.Entry]
	return p.funcs, p.err
}

// pass is the rewriting of a shader.
type pass struct {
	library func(name string) *shade.Func
	vars    map[*shade.Var]*shade.Var
	funcs   map[*shade.Func]*shade.Func
	list    []*shade.Func // each after those that it calls
	err     error
}

func (p *pass) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func wide(t shade.Type) bool { return t.Width == 64 }

// vectors reports whether a function has vectors of 64 bits as parameters or result. Its calls become calls for each component.
func vectors(f *shade.Func) bool {
	for _, v := range f.Params {
		if wide(v.Type) && v.Type.N > 0 {
			return true
		}
	}
	return wide(f.Result) && f.Result.N > 0
}

func lowered(t shade.Type) shade.Type {
	if !wide(t) {
		return t
	}
	return pair.Array(t.Len)
}

// variable returns the variable that replaces a variable.
func (p *pass) variable(v *shade.Var) *shade.Var {
	if v == nil || !wide(v.Type) {
		return v
	}
	if p.vars[v] == nil {
		if v.Type.N > 0 {
			p.fail("the vector %s of values of 64 bits", v.Name)
		}
		w := *v
		w.Type, w.Precise, w.Bits = lowered(v.Type), false, nil
		for _, b := range v.Bits {
			w.Bits = append(w.Bits, b&0xffffffff, b>>32)
		}
		p.vars[v] = &w
	}
	return p.vars[v]
}

// function rewrites a function, after those that it calls.
func (p *pass) function(f *shade.Func) *shade.Func {
	if p.funcs[f] != nil {
		return p.funcs[f]
	}
	g := *f
	p.funcs[f] = &g
	g.Result = lowered(f.Result)
	variables := func(list []*shade.Var) (out []*shade.Var) {
		for _, v := range list {
			out = append(out, p.variable(v))
		}
		return out
	}
	g.Params, g.Locals, g.Body = variables(f.Params), variables(f.Locals), p.block(f.Body)
	p.list = append(p.list, &g)
	return &g
}

func (p *pass) block(list []*shade.Stmt) (out []*shade.Stmt) {
	for _, s := range list {
		out = append(out, p.statement(s))
	}
	return out
}

func (p *pass) statement(s *shade.Stmt) *shade.Stmt {
	if s == nil {
		return nil
	}
	t := *s
	t.Var, t.Dest, t.Value = p.variable(s.Var), p.expr(s.Dest), p.expr(s.Value)
	t.Body, t.Else, t.Init, t.Step = p.block(s.Body), p.block(s.Else), p.statement(s.Init), p.statement(s.Step)
	t.Cases = nil
	for _, c := range s.Cases {
		t.Cases = append(t.Cases, shade.Case{Number: c.Number, Body: p.block(c.Body)})
	}
	return &t
}

// overVectors reports whether an argument of an expression is a vector of values of 64 bits.
func overVectors(e *shade.Expr) bool {
	for _, a := range e.Args {
		if wide(a.Type) && a.Type.N > 0 {
			return true
		}
	}
	return false
}

// component returns component k of a vector, before it is rewritten.
func (p *pass) component(e *shade.Expr, k int) *shade.Expr {
	switch {
	case e.Type.N == 0:
		return e
	case e.Op == shade.Swizzle:
		return p.component(e.Args[0], e.Comps[k])
	case e.Op == shade.Splat:
		return e.Args[0]
	case e.Op == shade.Literal:
		return shade.Lit(e.Type.Scalar(), e.Bits[k])
	case e.Op == shade.Construct:
		for _, a := range e.Args {
			if k < a.Type.Count() {
				return p.component(a, k)
			}
			k -= a.Type.Count()
		}
	case !wide(e.Type) && !overVectors(e):
		return shade.Pick(e, k)
	}
	c := *e
	c.Type, c.Args = e.Type.Scalar(), nil
	for _, a := range e.Args {
		c.Args = append(c.Args, p.component(a, k))
	}
	if e.Op == shade.Call { // the form for vectors of a function: it returns a Construct of calls
		if result := e.Func.Body[0].Value; result != nil && result.Op == shade.Construct && len(result.Args) > k && result.Args[k].Op == shade.Call {
			c.Func = result.Args[k].Func
		} else {
			p.fail("the function %s with vectors of values of 64 bits", e.Func.Name)
		}
	}
	return &c
}

// call returns a call of a function of the library.
func (p *pass) call(name string, args ...*shade.Expr) *shade.Expr {
	f := p.library(name)
	if f == nil {
		p.fail("the operation %s", name)
		return args[0]
	}
	return shade.CallOf(p.function(f), args...)
}

// expr rewrites an expression.
func (p *pass) expr(e *shade.Expr) *shade.Expr {
	if e == nil {
		return nil
	}
	if overVectors(e) && e.Type.N > 0 {
		all := shade.Make(shade.Construct, e.Type)
		for k := range int(e.Type.N) {
			all.Args = append(all.Args, p.component(e, k))
		}
		return p.expr(all)
	}
	if overVectors(e) && e.Op == shade.Swizzle {
		return p.expr(p.component(e.Args[0], e.Comps[0]))
	}
	c := *e
	c.Type, c.Var, c.Args = lowered(e.Type), p.variable(e.Var), nil
	over := wide(e.Type)
	for _, a := range e.Args {
		c.Args = append(c.Args, p.expr(a))
		over = over || wide(a.Type)
	}
	switch {
	case e.Op == shade.Call:
		c.Func = p.function(e.Func)
		return &c
	case !over || e.Op == shade.Ref || e.Op == shade.Index || e.Op == shade.Select || e.Op == shade.And || e.Op == shade.Or || e.Op == shade.Xor || e.Op == shade.Complement:
		return &c
	case e.Op == shade.Literal:
		return pairOf(e.Bits[0])
	case e.Op == shade.Bitcast:
		return c.Args[0]
	case e.Op == shade.Convert:
		return p.convert(e, c.Args[0])
	}
	return p.operation(e, c.Args)
}

func pairOf(v uint64) *shade.Expr {
	return &shade.Expr{Op: shade.Literal, Type: pair, Bits: []uint64{v & 0xffffffff, v >> 32}}
}

// prefixes are the starts of the names of functions by the kinds of their arguments.
var prefixes = map[shade.Kind]string{shade.Uint: "u64_", shade.Int: "i64_", shade.Float: "f64_"}

// names are the names of functions. Those of integers are those of unsigned ones, except in signed.
var names = map[shade.Op]string{
	shade.Add: "add", shade.Sub: "subtract", shade.Mul: "multiply", shade.Div: "divide", shade.ShiftLeft: "shift_left", shade.ShiftRight: "shift_right",
	shade.Neg: "negate", shade.Abs: "abs", shade.Sqrt: "sqrt",
}

var signed = map[shade.Op]bool{shade.ShiftRight: true, shade.Abs: true}

// rounding are the modes of f64_round.
var rounding = map[shade.Op]int32{shade.RoundEven: 0, shade.Trunc: 1, shade.Floor: 2, shade.Ceil: 3}

// operation rewrites an operation on values of 64 bits.
func (p *pass) operation(e *shade.Expr, args []*shade.Expr) *shade.Expr {
	kind := e.Args[0].Type.Kind
	prefix := prefixes[kind]
	mode, rounds := rounding[e.Op]
	switch {
	case kind == shade.Float && e.Op == shade.Sub:
		return p.call("f64_add", args[0], p.call("f64_negate", args[1]))
	case kind == shade.Float && e.Op == shade.Mul && single(e.Args[0]) && single(e.Args[1]):
		return p.call("f64_product", p.expr(e.Args[0].Args[0]), p.expr(e.Args[1].Args[0]))
	case rounds:
		return p.call("f64_round", args[0], shade.Int32(mode))
	case e.Op == shade.Eq && kind != shade.Float:
		return shade.Apply(shade.All, shade.Apply(shade.Eq, args...))
	case e.Op == shade.Ne && kind != shade.Float:
		return shade.Apply(shade.Any, shade.Apply(shade.Ne, args...))
	case e.Op == shade.Eq:
		return p.call("f64_equal", args...)
	case e.Op == shade.Ne:
		return shade.Apply(shade.Not, p.call("f64_equal", args...))
	case e.Op == shade.Gt || e.Op == shade.Ge:
		args[0], args[1] = args[1], args[0]
		if e.Op == shade.Gt {
			return p.call(prefix+"less", args...)
		}
		fallthrough
	case e.Op == shade.Le:
		if kind == shade.Float {
			return p.call("f64_less_equal", args...)
		}
		return shade.Apply(shade.Not, p.call(prefix+"less", args[1], args[0]))
	case e.Op == shade.Lt:
		return p.call(prefix+"less", args...)
	case kind == shade.Int && !signed[e.Op]:
		prefix = prefixes[shade.Uint]
	}
	if (e.Op == shade.ShiftLeft || e.Op == shade.ShiftRight) && args[1].Type == shade.U32 {
		args[1] = shade.Make(shade.Bitcast, shade.I32, args[1])
	}
	name := names[e.Op]
	if name == "" {
		name = e.Op.String()
	}
	return p.call(prefix+name, args...)
}

// single reports whether a float has 32 bits before it is widened.
func single(e *shade.Expr) bool {
	return e.Op == shade.Convert && e.Args[0].Type == shade.F32
}

// convert rewrites a conversion of a, which is the rewritten argument.
func (p *pass) convert(e, a *shade.Expr) *shade.Expr {
	from, to := e.Args[0].Type, e.Type
	low := func(x *shade.Expr) *shade.Expr { return shade.Make(shade.Construct, pair, x, shade.Uint32(0)) }
	switch {
	case to.Kind == shade.Float && wide(to):
		name := map[shade.Kind]string{shade.Float: "float", shade.Uint: "uint", shade.Int: "int"}[from.Kind]
		if wide(from) {
			name = prefixes[from.Kind][:3]
		}
		return p.call("f64_from_"+name, a)
	case from.Kind == shade.Float && wide(from):
		return p.call("f64_to_"+map[shade.Kind]string{shade.Float: "float", shade.Uint: "uint", shade.Int: "int"}[to.Kind], a)
	case wide(to) && from.Kind == shade.Bool:
		return low(shade.Make(shade.Convert, shade.U32, a))
	case wide(to) && from == shade.I32:
		return p.call("i64_from_int", a)
	case wide(to) && from == shade.U32:
		return low(a)
	case wide(from) && to == shade.U32 || wide(from) && to == shade.I32:
		x := shade.Pick(a, 0)
		if a.Op == shade.Construct {
			x = a.Args[0]
		}
		if to == shade.I32 {
			return shade.Make(shade.Bitcast, to, x)
		}
		return x
	}
	p.fail("a conversion of %s to %s", from, to)
	return a
}
