package shade

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Lit returns the constant scalar with the given bits.
func Lit(t Type, bits uint64) *Expr { return &Expr{Op: Literal, Type: t, Bits: []uint64{bits}} }

// Uint32 returns a constant of type uint.
func Uint32(v uint32) *Expr { return Lit(U32, uint64(v)) }

// Int32 returns a constant of type int.
func Int32(v int32) *Expr { return Lit(I32, uint64(uint32(v))) }

// Value returns the value of a variable.
func Value(v *Var) *Expr { return &Expr{Op: Ref, Type: v.Type, Var: v} }

// At returns an element of an array.
func At(array, index *Expr) *Expr {
	return &Expr{Op: Index, Type: array.Type.Elem(), Args: []*Expr{array, index}}
}

// Pick returns components of a vector, and the vector itself if they are all of its components in order.
func Pick(a *Expr, comps ...int) *Expr {
	if slices.Equal(comps, []int{0, 1, 2, 3}[:a.Type.N]) {
		return a
	}
	return &Expr{Op: Swizzle, Type: a.Type.Vec(len(comps)), Args: []*Expr{a}, Comps: comps}
}

// Make returns an operation whose type is given.
func Make(op Op, t Type, args ...*Expr) *Expr { return &Expr{Op: op, Type: t, Args: args} }

// Apply returns an operation whose type follows from its first argument, or its second one for Select.
func Apply(op Op, args ...*Expr) *Expr {
	t := args[0].Type
	switch op {
	case Eq, Ne, Lt, Le, Gt, Ge:
		t = B.Vec(int(t.N))
	case Any, All:
		t = B
	case Length:
		t = U32
	case Select:
		t = args[1].Type
	case FindMSB, BitCount:
		t = I32.Vec(int(t.N))
	}
	return &Expr{Op: op, Type: t, Args: args}
}

// CallOf returns a call of a function.
func CallOf(f *Func, args ...*Expr) *Expr {
	return &Expr{Op: Call, Type: f.Result, Func: f, Args: args}
}

// IsLiteral reports whether an expression is a constant scalar.
func (e *Expr) IsLiteral() bool { return e.Op == Literal && e.Type.N == 0 }

// Walk calls f for each expression of statements, each before its arguments.
func Walk(list []*Stmt, f func(e *Expr)) {
	var visit func(e *Expr)
	visit = func(e *Expr) {
		if e == nil {
			return
		}
		f(e)
		for _, a := range e.Args {
			visit(a)
		}
	}
	EachStmt(list, func(s *Stmt) {
		visit(s.Dest)
		visit(s.Value)
	})
}

// EachStmt calls f for each statement and the statements in it.
func EachStmt(list []*Stmt, f func(s *Stmt)) {
	for _, s := range list {
		f(s)
		EachStmt(s.Body, f)
		EachStmt(s.Else, f)
		for _, x := range [2]*Stmt{s.Init, s.Step} {
			if x != nil {
				f(x)
			}
		}
		for _, c := range s.Cases {
			EachStmt(c.Body, f)
		}
	}
}

// Needs reports whether a shader needs floats and integers of 64 bits.
func (s *Shader) Needs() (float64s, int64s bool) {
	note := func(t Type) {
		if t.Width == 64 {
			float64s = float64s || t.Kind == Float
			int64s = int64s || t.Kind != Float
		}
	}
	for _, v := range s.Globals {
		note(v.Type)
	}
	for _, b := range s.Blocks {
		for _, v := range b.Members {
			note(v.Type)
		}
	}
	for _, f := range s.Funcs {
		note(f.Result)
		for _, v := range slices.Concat(f.Params, f.Locals) {
			note(v.Type)
		}
		EachStmt(f.Body, func(s *Stmt) {
			if s.Var != nil {
				note(s.Var.Type)
			}
		})
		Walk(f.Body, func(e *Expr) { note(e.Type) })
	}
	return float64s, int64s
}

// Modes returns execution modes for the widths of floats that a shader has.
func (s *Shader) Modes(list ...ControlMode) (out []Control) {
	float64s, _ := s.Needs()
	for _, m := range list {
		if out = append(out, Control{m, 32}); float64s {
			out = append(out, Control{m, 64})
		}
	}
	return out
}

// Equal reports whether two expressions are the same.
func Equal(a, b *Expr) bool {
	return a == b || a.Op == b.Op && a.Type == b.Type && a.Var == b.Var && a.Func == b.Func && slices.Equal(a.Bits, b.Bits) && slices.Equal(a.Comps, b.Comps) && slices.EqualFunc(a.Args, b.Args, Equal)
}

// Spread returns the arguments of an operator as a language has them whose operators accept a vector and a scalar: one of them
// may be the scalar of a Splat.
func Spread(e *Expr) (a, b *Expr) {
	a, b = e.Args[0], e.Args[1]
	switch {
	case e.Type.N == 0 || e.Type.Kind == Bool:
	case a.Op == Splat && b.Op != Splat && e.Op != ShiftLeft && e.Op != ShiftRight:
		a = a.Args[0]
	case b.Op == Splat:
		b = b.Args[0]
	}
	return a, b
}

// Decimal returns the shortest decimal number that is a float of some bits, with a point or an exponent.
func Decimal(f float64, width int) string {
	form := byte('g')
	if a := math.Abs(f); a >= 1e-4 && a < 1e9 {
		form = 'f'
	}
	s := strconv.FormatFloat(f, form, -1, width)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
