package shade

import (
	"fmt"
	"slices"
)

// Check returns an error if a shader breaks a rule of this package.
func Check(s *Shader) error {
	c := &checker{defined: map[*Func]bool{}}
	for _, f := range s.Funcs {
		c.f, c.known = f, map[*Var]bool{}
		if f.External {
			c.that(s.Stage == Library && f.Body == nil, "an external function")
		}
		for _, v := range slices.Concat(f.Params, f.Locals) {
			c.known[v] = true
		}
		c.statements(f.Body, false, false)
		c.defined[f] = true
		if c.err != nil {
			return fmt.Errorf("shade: %s: %w", f.Name, c.err)
		}
	}
	if e := s.Entry; e == nil || !c.defined[e] || s.Stage != Library && (len(e.Params) > 0 || e.Result != None) {
		return fmt.Errorf("shade: the entry point")
	}
	return nil
}

// checker checks the functions of a shader.
type checker struct {
	f       *Func
	known   map[*Var]bool // the variables of the function
	defined map[*Func]bool
	err     error
}

// that records an error unless a rule holds.
func (c *checker) that(holds bool, format string, args ...any) {
	if !holds && c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// statements checks statements. breaks and continues are set where Break and Continue may be.
func (c *checker) statements(list []*Stmt, breaks, continues bool) {
	for _, s := range list {
		for _, x := range [2]*Stmt{s.Init, s.Step} {
			if x != nil {
				c.that(s.Kind == Loop && (x.Kind == Assign || x.Kind == Declare && x == s.Init), "the step of a loop")
				c.statements([]*Stmt{x}, false, false)
			}
		}
		if s.Value != nil {
			c.expr(s.Value, s.Kind == Do)
			c.swaps(s.Value, s.Kind == Declare)
		}
		switch s.Kind {
		case Declare:
			c.that(!c.known[s.Var] && s.Var.Storage == Local, "the declaration of %s", s.Var.Name)
			c.that(s.Value == nil || s.Value.Type == s.Var.Type, "the value of %s", s.Var.Name)
			c.known[s.Var] = true
		case Assign:
			c.expr(s.Dest, false)
			c.dest(s.Dest)
			c.that(s.Dest.Type == s.Value.Type, "the value of an assignment has the type %v, its destination %v", s.Value.Type, s.Dest.Type)
		case Do:
			c.that(s.Value.Op == Call, "the statement Do of %s", s.Value.Op)
		case If:
			c.that(s.Value.Type == B, "the condition of an If")
			c.statements(s.Body, breaks, continues)
			c.statements(s.Else, breaks, continues)
		case Loop:
			c.that(s.Value == nil || s.Value.Type == B, "the condition of a Loop")
			c.statements(s.Body, true, true)
		case Once:
			c.statements(s.Body, true, false)
		case Switch:
			c.that(s.Value.Type == U32, "the value of a Switch")
			for _, x := range s.Cases {
				c.statements(x.Body, false, false)
			}
		case Break:
			c.that(breaks, "a Break")
		case Continue:
			c.that(continues, "a Continue")
		case Return:
			c.that(s.Value == nil && c.f.Result == None || s.Value != nil && s.Value.Type == c.f.Result, "the result")
		}
	}
}

// swaps checks that an expression contains no AtomicSwap. The expression itself may be one if whole is set.
func (c *checker) swaps(e *Expr, whole bool) {
	c.that(whole || e.Op != AtomicSwap, "an AtomicSwap in an expression")
	for _, a := range e.Args {
		c.swaps(a, false)
	}
}

// dest checks the destination of an assignment.
func (c *checker) dest(e *Expr) {
	if e.Op == Swizzle {
		comps := slices.Sorted(slices.Values(e.Comps))
		c.that(len(slices.Compact(comps)) == len(e.Comps), "an assignment to a component twice")
		e = e.Args[0]
	}
	if e.Op == Index {
		e = e.Args[0]
	}
	if c.that(e.Op == Ref, "an assignment to %s", e.Op); e.Op != Ref {
		return
	}
	switch v := e.Var; v.Storage {
	case Param:
		c.that(v.Out, "an assignment to the parameter %s", v.Name)
	case Const, Input, Sampled:
		c.that(false, "an assignment to %s", v.Name)
	case Member:
		c.that(v.Block.Kind == StorageBuffer && !v.Block.ReadOnly, "an assignment to %s", v.Name)
	}
}

// form is what an operation demands. args is the number of arguments, and same the number of the first ones that have the type
// of the value (or of the first one, for a comparison). kinds are the kinds of the first argument.
type form struct {
	args, same int
	kinds      []Kind
}

var (
	integers = []Kind{Uint, Int}
	floats   = []Kind{Float}
	numbers  = []Kind{Uint, Int, Float}
	logical  = []Kind{Bool}
	all      = []Kind{Bool, Uint, Int, Float}
)

var forms = map[Op]form{
	Neg: {1, 1, numbers[1:]}, Complement: {1, 1, integers}, Not: {1, 1, logical}, Add: {2, 2, numbers}, Sub: {2, 2, numbers}, Mul: {2, 2, numbers}, Div: {2, 2, numbers},
	Mod: {2, 2, integers[:1]}, And: {2, 2, integers}, Or: {2, 2, integers}, Xor: {2, 2, integers}, ShiftLeft: {2, 1, integers}, ShiftRight: {2, 1, integers},
	LogicAnd: {2, 2, logical}, LogicOr: {2, 2, logical}, LogicXor: {2, 2, logical}, Eq: {2, 2, all}, Ne: {2, 2, all}, Lt: {2, 2, numbers}, Le: {2, 2, numbers},
	Gt: {2, 2, numbers}, Ge: {2, 2, numbers}, Any: {1, 0, logical}, All: {1, 0, logical}, Select: {3, 0, logical}, Bitcast: {1, 0, numbers}, Convert: {1, 0, all},
	Abs: {1, 1, numbers[1:]}, Min: {2, 2, numbers}, Max: {2, 2, numbers}, Floor: {1, 1, floats}, Ceil: {1, 1, floats}, Trunc: {1, 1, floats}, RoundEven: {1, 1, floats},
	Fma: {3, 3, floats}, Sqrt: {1, 1, floats}, InverseSqrt: {1, 1, floats}, Exp2: {1, 1, floats}, Log2: {1, 1, floats}, Sin: {1, 1, floats}, Cos: {1, 1, floats},
	FindMSB: {1, 0, integers[:1]}, BitCount: {1, 0, integers[:1]}, Sample: {1, 0, floats}, SampleBias: {2, 0, floats}, SampleLod: {2, 0, floats}, SampleGrad: {3, 0, floats},
	Fetch: {2, 0, integers[1:]}, Size: {1, 0, integers[1:]}, DerivX: {1, 1, floats}, DerivY: {1, 1, floats},
}

// expr checks an expression. void is set if it may have no value.
func (c *checker) expr(e *Expr, void bool) {
	c.that(void || e.Type.Kind != Void, "%s without a value", e.Op)
	for _, a := range e.Args {
		c.expr(a, false)
	}
	if c.err != nil {
		return
	}
	arg := func(i int) Type { return e.Args[i].Type }
	t := e.Type
	if f, ok := forms[e.Op]; ok {
		if c.that(len(e.Args) == f.args, "%s with %d arguments", e.Op, len(e.Args)); c.err != nil {
			return
		}
		first := arg(0)
		c.that(slices.Contains(f.kinds, first.Kind) && first.Len == 0, "%s of %v", e.Op, first)
		want := t
		switch e.Op {
		case Eq, Ne, Lt, Le, Gt, Ge:
			want = first
			c.that(t == B.Vec(int(first.N)), "%s with the type %v", e.Op, t)
		}
		for i := range f.same {
			c.that(arg(i) == want, "%s with the argument %v, expected %v", e.Op, arg(i), want)
		}
	}
	scalar := func(t Type, want ...Type) bool { return slices.Contains(want, t) }
	switch e.Op {
	case Literal:
		c.that(len(e.Bits) == t.Count() && t.Len == 0, "a Literal with %d components", len(e.Bits))
	case Ref:
		c.that(t == e.Var.Type, "a Ref of %s with the type %v", e.Var.Name, t)
		if s := e.Var.Storage; s == Local || s == Param {
			c.that(c.known[e.Var], "the variable %s", e.Var.Name)
		}
	case Index:
		c.that(e.Args[0].Op == Ref && arg(0).Len != 0 && arg(0).Elem() == t && scalar(arg(1), U32, I32), "an Index")
	case Swizzle:
		c.that(arg(0).N > 0 && arg(0).Scalar().Vec(len(e.Comps)) == t, "a Swizzle")
		for _, k := range e.Comps {
			c.that(k >= 0 && k < int(arg(0).N), "a Swizzle")
		}
	case Construct:
		n := 0
		for _, a := range e.Args {
			n += a.Type.Count()
			c.that(a.Type.Scalar() == t.Scalar(), "a Construct of %v with %v", t, a.Type)
		}
		c.that(n == int(t.N), "a Construct of %v with %d components", t, n)
	case Splat:
		c.that(t.N > 0 && arg(0) == t.Scalar(), "a Splat")
	case Call:
		c.that(c.defined[e.Func] && t == e.Func.Result && len(e.Args) == len(e.Func.Params), "a call of %s", e.Func.Name)
		if c.err != nil {
			return
		}
		for i, v := range e.Func.Params {
			c.that(arg(i) == v.Type, "the argument %s of %s has the type %v, expected %v", v.Name, e.Func.Name, arg(i), v.Type)
			if v.Out {
				a := e.Args[i]
				c.that(a.Op == Ref && (a.Var.Storage == Local || a.Var.Storage == Param && a.Var.Out), "the argument %s of %s is no variable", v.Name, e.Func.Name)
			}
		}
	case ShiftLeft, ShiftRight:
		c.that(scalar(arg(1).Scalar(), U32, I32) && arg(1).N == t.N, "%s by %v", e.Op, arg(1))
	case LogicAnd, LogicOr, LogicXor:
		c.that(t == B, "%s of vectors", e.Op)
	case Any, All:
		c.that(t == B && arg(0).N > 0, "%s of %v", e.Op, arg(0))
	case Select:
		c.that((arg(0) == B || arg(0) == B.Vec(int(t.N))) && arg(1) == t && arg(2) == t, "a Select")
	case Bitcast:
		c.that(int(arg(0).Width)*arg(0).Count() == int(t.Width)*t.Count(), "a Bitcast of %v to %v", arg(0), t)
	case Convert:
		a := arg(0)
		ok := a != t && a.N == t.N && t.Kind != Bool && (a.Kind == t.Kind || a.Kind == Bool || (a.Kind == Float) != (t.Kind == Float))
		c.that(ok, "a Convert of %v to %v", a, t)
	case FindMSB, BitCount:
		c.that(arg(0) == U32.Vec(int(t.N)) && t.Scalar() == I32, "%s of %v", e.Op, arg(0))
	case Exp2, Log2, Sin, Cos, DerivX, DerivY:
		c.that(t.Width == 32, "%s of %v", e.Op, t)
	case Length:
		c.that(len(e.Args) == 1 && t == U32 && e.Args[0].Op == Ref && e.Args[0].Var.Storage == Member && arg(0).Len < 0, "a Length")
	case AtomicSwap:
		ok := len(e.Args) == 3 && t == U32 && arg(0) == t && arg(1) == t && arg(2) == t && e.Args[0].Op == Index
		c.that(ok, "an AtomicSwap")
		if ok {
			c.dest(e.Args[0])
			s := e.Args[0].Args[0].Var.Storage
			c.that(s == Workgroup || s == Member, "an AtomicSwap of %s", e.Args[0].Args[0].Var.Name)
		}
	case Sample, SampleBias, SampleLod, SampleGrad, Fetch, Size:
		c.that(e.Var.Storage == Sampled && e.Var.Type.Kind == Texture, "%s of %s", e.Op, e.Var.Name)
	}
}

// names are the names of the operations.
var names = [...]string{
	"Literal", "Ref", "Index", "Swizzle", "Construct", "Splat", "Call", "Neg", "Complement", "Not", "Add", "Sub", "Mul", "Div", "Mod", "And", "Or", "Xor", "ShiftLeft", "ShiftRight",
	"LogicAnd", "LogicOr", "LogicXor", "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "Any", "All", "Select", "Bitcast", "Convert", "Abs", "Min", "Max", "Floor", "Ceil", "Trunc", "RoundEven",
	"Fma", "Sqrt", "InverseSqrt", "Exp2", "Log2", "Sin", "Cos", "FindMSB", "BitCount", "Sample", "SampleBias", "SampleLod", "SampleGrad", "Fetch", "Size", "Length", "AtomicSwap", "DerivX", "DerivY",
}

func (o Op) String() string { return names[o] }

// String returns the type as in vec3<f32>[4].
func (t Type) String() string {
	s := [...]string{"void", "bool", "u", "i", "f", "texture"}[t.Kind]
	if t.Width > 0 {
		s += fmt.Sprint(t.Width)
	}
	if t.N > 0 {
		s = fmt.Sprintf("vec%d<%s>", t.N, s)
	}
	if t.Len != 0 {
		s += fmt.Sprintf("[%d]", t.Len)
	}
	return s
}
