// Package parse reads functions that are written in a small part of GLSL. Package translate writes its library so.
//
// A text is a sequence of functions, each after those that it calls. Statements are declarations, assignments (also with an
// operator, ++ and --), if, while, break, continue, return, and calls. length(a) is the number of elements of an array. Nothing is converted without a constructor. The names in
// a function are unique. Comments before the first statement become Func.Comment; others may not occur.
package parse

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/shade"
)

// Functions reads functions, which may use global variables. An error starts with the number of its line.
func Functions(text string, globals ...*shade.Var) (list []*shade.Func, err error) {
	p := &parser{line: 1, rest: text, funcs: map[string][]*shade.Func{}, globals: globals}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case failure:
			list, err = nil, fmt.Errorf("%d: %s", p.line, string(x))
		default:
			panic(x)
		}
	}()
	for p.next(); p.token != ""; {
		f := p.function()
		p.funcs[f.Name] = append(p.funcs[f.Name], f)
		list = append(list, f)
	}
	return list, nil
}

// failure is an error in the text.
type failure string

func fail(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// parser reads a text token by token.
type parser struct {
	line    int
	rest    string
	token   string
	comment []string // the lines of the comments since the last token
	funcs   map[string][]*shade.Func
	vars    map[string]*shade.Var
	f       *shade.Func
	globals []*shade.Var
}

// tokens are the forms of tokens. The longest operators come first.
const tokens = `^(?:[A-Za-z_]\w*|0x[0-9a-f]+u?l?|\d+(?:\.\d+(?:e-?\d+)?)?(?:lf|ul|u|l)?|<<=|>>=|&&|\|\||\^\^|<<|>>|[-+*/%&|^<>=!]=|\+\+|--|[-+*/%&|^<>=!~?:;,.(){}\[\]])`

// next reads the next token. It is "" at the end.
func (p *parser) next() {
	p.comment = nil
	for {
		trimmed := strings.TrimLeft(p.rest, " \t\n")
		p.line += strings.Count(p.rest[:len(p.rest)-len(trimmed)], "\n")
		p.rest = trimmed
		if !strings.HasPrefix(p.rest, "//") {
			break
		}
		line, rest, _ := strings.Cut(p.rest, "\n")
		p.comment, p.rest, p.line = append(p.comment, strings.TrimSpace(line[2:])), rest, p.line+1
	}
	p.token = tokenOf().FindString(p.rest)
	if p.token == "" && p.rest != "" {
		fail("unknown character %q", p.rest[0])
	}
	p.rest = p.rest[len(p.token):]
}

// is reads a token if it is the next one.
func (p *parser) is(token string) bool {
	if p.token != token {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(token string) {
	if !p.is(token) {
		fail("%q, expected %q", p.token, token)
	}
}

func (p *parser) name() string {
	s := p.token
	if s == "" || !(s[0] == '_' || s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z') {
		fail("%q, expected a name", s)
	}
	p.next()
	return s
}

// types are the types by name.
var types = map[string]shade.Type{
	"bool": shade.B, "uint": shade.U32, "int": shade.I32, "float": shade.F32, "double": shade.F64, "uint64_t": shade.U64, "int64_t": shade.I64,
	"uvec2": shade.U32.Vec(2), "uvec3": shade.U32.Vec(3), "uvec4": shade.U32.Vec(4),
}

func (p *parser) typ() shade.Type {
	t, ok := types[p.token]
	if !ok && p.token != "void" {
		fail("%q, expected a type", p.token)
	}
	p.next()
	return t
}

// declare adds a variable.
func (p *parser) declare(v *shade.Var) *shade.Var {
	if p.vars[v.Name] != nil {
		fail("a second variable %s", v.Name)
	}
	p.vars[v.Name] = v
	return v
}

func (p *parser) function() *shade.Func {
	f := &shade.Func{Result: p.typ(), Name: p.name(), Guarded: true}
	p.f, p.vars = f, map[string]*shade.Var{}
	p.expect("(")
	for !p.is(")") {
		if len(f.Params) > 0 {
			p.expect(",")
		}
		precise, out := p.is("precise"), p.is("out")
		f.Params = append(f.Params, p.declare(&shade.Var{Type: p.typ(), Name: p.name(), Storage: shade.Param, Out: out, Precise: precise}))
	}
	p.expect("{")
	f.Comment = p.comment
	f.Body = p.block()
	return f
}

// block reads statements up to the brace that ends them.
func (p *parser) block() (list []*shade.Stmt) {
	for !p.is("}") {
		list = append(list, p.statement()...)
	}
	return list
}

// body reads a statement or a block of statements.
func (p *parser) body() []*shade.Stmt {
	if p.is("{") {
		return p.block()
	}
	return p.statement()
}

func (p *parser) statement() []*shade.Stmt {
	s := &shade.Stmt{}
	switch _, isType := types[p.token]; {
	case p.token == "precise" || isType:
		return p.declaration()
	case p.is("if"):
		s.Kind, s.Value = shade.If, p.condition()
		s.Body = p.body()
		if p.is("else") {
			s.Else = p.body()
		}
		return []*shade.Stmt{s}
	case p.is("while"):
		if s.Kind, s.Value = shade.Loop, p.condition(); s.Value.IsLiteral() && s.Value.Bits[0] != 0 {
			s.Value = nil
		}
		s.Body = p.body()
		return []*shade.Stmt{s}
	case p.is("break"):
		s.Kind = shade.Break
	case p.is("continue"):
		s.Kind = shade.Continue
	case p.is("return"):
		s.Kind = shade.Return
		if p.token != ";" {
			s.Value = p.of(p.expr(), p.f.Result)
		}
	default:
		p.simple(s)
	}
	p.expect(";")
	return []*shade.Stmt{s}
}

// declaration reads the declaration of variables of one type.
func (p *parser) declaration() (list []*shade.Stmt) {
	precise := p.is("precise")
	for t := p.typ(); ; p.expect(",") {
		v := &shade.Var{Name: p.name(), Type: t, Precise: precise}
		s := &shade.Stmt{Kind: shade.Declare, Var: v}
		if p.is("=") {
			s.Value = p.of(p.expr(), t)
		}
		p.declare(v)
		list = append(list, s)
		if p.is(";") {
			return list
		}
	}
}

// simple reads a call or an assignment.
func (p *parser) simple(s *shade.Stmt) {
	e := p.primary()
	if e.Op == shade.Call {
		s.Kind, s.Value = shade.Do, e
		return
	}
	s.Kind, s.Dest = shade.Assign, e
	switch op := p.token; {
	case p.is("="):
		s.Value = p.of(p.expr(), e.Type)
	case p.is("++"), p.is("--"):
		if e.Type != shade.U32 && e.Type != shade.I32 {
			fail("%s of another type than int and uint", op)
		}
		s.Value = shade.Apply(binary[op[:1]].op, e, shade.Lit(e.Type, 1))
	default:
		b, ok := binary[strings.TrimSuffix(op, "=")]
		if !ok || !strings.HasSuffix(op, "=") {
			fail("%q, expected an assignment", op)
		}
		p.next()
		s.Value = p.apply(b.op, e, p.expr())
	}
}

// condition reads a condition in parentheses.
func (p *parser) condition() *shade.Expr {
	p.expect("(")
	e := p.of(p.expr(), shade.B)
	p.expect(")")
	return e
}

// of reports an error if an expression has not the type t.
func (p *parser) of(e *shade.Expr, t shade.Type) *shade.Expr {
	if e.Type != t {
		fail("a value of type %s, expected %s", nameOf(e.Type), nameOf(t))
	}
	return e
}

func nameOf(t shade.Type) string {
	for name, u := range types {
		if u == t {
			return name
		}
	}
	return "void"
}

// operator is a binary operator, with a greater rank if it binds stronger.
type operator struct {
	op   shade.Op
	rank int
}

var binary = map[string]operator{
	"*": {shade.Mul, 10}, "/": {shade.Div, 10}, "%": {shade.Mod, 10}, "+": {shade.Add, 9}, "-": {shade.Sub, 9}, "<<": {shade.ShiftLeft, 8}, ">>": {shade.ShiftRight, 8},
	"<": {shade.Lt, 7}, "<=": {shade.Le, 7}, ">": {shade.Gt, 7}, ">=": {shade.Ge, 7}, "==": {shade.Eq, 6}, "!=": {shade.Ne, 6},
	"&": {shade.And, 5}, "^": {shade.Xor, 4}, "|": {shade.Or, 3}, "&&": {shade.LogicAnd, 2}, "^^": {shade.LogicXor, 1}, "||": {shade.LogicOr, 0},
}

// expr reads an expression.
func (p *parser) expr() *shade.Expr {
	c := p.binary(0)
	if !p.is("?") {
		return c
	}
	p.of(c, shade.B)
	a := p.expr()
	p.expect(":")
	return shade.Apply(shade.Select, c, a, p.of(p.expr(), a.Type))
}

// binary reads an expression of operators of a rank or a greater one.
func (p *parser) binary(rank int) *shade.Expr {
	a := p.unary()
	for {
		o, ok := binary[p.token]
		if !ok || o.rank < rank {
			return a
		}
		p.next()
		a = p.apply(o.op, a, p.binary(o.rank+1))
	}
}

// apply returns a binary operation.
func (p *parser) apply(op shade.Op, a, b *shade.Expr) *shade.Expr {
	switch op {
	case shade.ShiftLeft, shade.ShiftRight:
		if b.Type != shade.U32 && b.Type != shade.I32 {
			fail("a shift by a value of type %s", nameOf(b.Type))
		}
	default:
		p.of(b, a.Type)
	}
	if isLogic := op == shade.LogicAnd || op == shade.LogicOr || op == shade.LogicXor; isLogic != (a.Type == shade.B) && op != shade.Eq && op != shade.Ne {
		fail("an operator with values of type %s", nameOf(a.Type))
	}
	return shade.Apply(op, a, b)
}

func (p *parser) unary() *shade.Expr {
	switch {
	case p.is("-"):
		a := p.unary()
		if a.IsLiteral() && a.Type == shade.I32 {
			return shade.Int32(-int32(a.Bits[0]))
		}
		if a.IsLiteral() && a.Type.Kind == shade.Float {
			return shade.Lit(a.Type, a.Bits[0]^1<<(a.Type.Width-1))
		}
		return shade.Apply(shade.Neg, a)
	case p.is("~"):
		return shade.Apply(shade.Complement, p.unary())
	case p.is("!"):
		return shade.Apply(shade.Not, p.of(p.unary(), shade.B))
	}
	return p.primary()
}

// builtin is a function of the language. Its arguments have the type from, or all the type of the first one if from is None.
// Its result has the type to, or the type of the arguments if to is None.
type builtin struct {
	op       shade.Op
	args     int
	from, to shade.Type
}

var builtins = map[string]builtin{
	"floatBitsToUint": {shade.Bitcast, 1, shade.F32, shade.U32}, "uintBitsToFloat": {shade.Bitcast, 1, shade.U32, shade.F32},
	"packDouble2x32": {shade.Bitcast, 1, shade.U32.Vec(2), shade.F64}, "unpackDouble2x32": {shade.Bitcast, 1, shade.F64, shade.U32.Vec(2)},
	"packUint2x32": {shade.Bitcast, 1, shade.U32.Vec(2), shade.U64}, "unpackUint2x32": {shade.Bitcast, 1, shade.U64, shade.U32.Vec(2)},
	"abs": {shade.Abs, 1, shade.None, shade.None}, "min": {shade.Min, 2, shade.None, shade.None}, "max": {shade.Max, 2, shade.None, shade.None},
	"floor": {shade.Floor, 1, shade.None, shade.None}, "ceil": {shade.Ceil, 1, shade.None, shade.None}, "trunc": {shade.Trunc, 1, shade.None, shade.None},
	"roundEven": {shade.RoundEven, 1, shade.None, shade.None}, "sqrt": {shade.Sqrt, 1, shade.None, shade.None},
	"atomicCompSwap": {shade.AtomicSwap, 3, shade.U32, shade.U32}, "findMSB": {shade.FindMSB, 1, shade.U32, shade.I32}, "bitCount": {shade.BitCount, 1, shade.U32, shade.I32},
	"exp2": {shade.Exp2, 1, shade.F32, shade.F32}, "log2": {shade.Log2, 1, shade.F32, shade.F32}, "sin": {shade.Sin, 1, shade.F32, shade.F32}, "cos": {shade.Cos, 1, shade.F32, shade.F32},
}

func (p *parser) primary() *shade.Expr {
	var e *shade.Expr
	switch c := p.token; {
	case p.is("("):
		e = p.expr()
		p.expect(")")
	case c != "" && c[0] >= '0' && c[0] <= '9':
		p.next()
		return number(c)
	case p.is("true"), p.is("false"):
		return shade.Lit(shade.B, map[string]uint64{"true": 1}[c])
	default:
		name := p.name()
		if p.is("(") {
			e = p.call(name, p.args())
			break
		}
		v := p.vars[name]
		for _, g := range p.globals {
			if v == nil && g.Name == name {
				v = g
			}
		}
		if v == nil {
			fail("no variable %s", name)
		}
		e = shade.Value(v)
		if p.is("[") {
			e = shade.At(e, p.of(p.expr(), shade.U32))
			p.expect("]")
		}
	}
	if p.is(".") {
		name := p.name()
		k := strings.Index("xyzw", name)
		if len(name) != 1 || k < 0 || k >= int(e.Type.N) {
			fail("no component %s", name)
		}
		e = shade.Pick(e, k)
	}
	return e
}

// args reads arguments up to the parenthesis that ends them.
func (p *parser) args() (list []*shade.Expr) {
	for !p.is(")") {
		if len(list) > 0 {
			p.expect(",")
		}
		list = append(list, p.expr())
	}
	return list
}

// call returns a call of a function or constructor.
func (p *parser) call(name string, args []*shade.Expr) *shade.Expr {
	if t, ok := types[name]; ok {
		return p.construct(t, args)
	}
	if name == "length" && len(args) == 1 {
		return shade.Apply(shade.Length, args[0])
	}
	if b, ok := builtins[name]; ok {
		from, to := b.from, b.to
		if len(args) != b.args {
			fail("%s with %d arguments", name, len(args))
		}
		if from == shade.None {
			from = args[0].Type
		}
		for _, a := range args {
			p.of(a, from)
		}
		if to == shade.None {
			to = from
		}
		return fold(shade.Make(b.op, to, args...))
	}
	for _, f := range p.funcs[name] {
		if slices.EqualFunc(f.Params, args, func(v *shade.Var, a *shade.Expr) bool { return v.Type == a.Type }) {
			for i, v := range f.Params {
				if v.Out && args[i].Op != shade.Ref {
					fail("the argument %s of %s is no variable", v.Name, name)
				}
			}
			return shade.CallOf(f, args...)
		}
	}
	fail("no function %s with such arguments", name)
	return nil
}

// construct returns a value of a type.
func (p *parser) construct(t shade.Type, args []*shade.Expr) *shade.Expr {
	if t.N > 0 {
		n := 0
		for _, a := range args {
			n += a.Type.Count()
			p.of(a, t.Scalar().Vec(int(a.Type.N)))
		}
		if n != int(t.N) {
			fail("%s of %d components", nameOf(t), n)
		}
		return shade.Make(shade.Construct, t, args...)
	}
	if len(args) != 1 || args[0].Type.N > 0 || t == shade.B {
		fail("a conversion to %s of other than one number", nameOf(t))
	}
	from := args[0].Type
	switch {
	case from == t:
		fail("a conversion of %s to itself", nameOf(t))
	case from.Kind != shade.Float && from.Kind != shade.Bool && t.Kind != shade.Float && from.Kind != t.Kind && from.Width == t.Width:
		return shade.Make(shade.Bitcast, t, args...)
	case from.Kind != t.Kind && from.Kind != shade.Bool && t.Kind != shade.Float && from.Kind != shade.Float:
		fail("a conversion of %s to %s", nameOf(from), nameOf(t))
	}
	return shade.Make(shade.Convert, t, args...)
}

// fold makes the bits of a constant a constant.
func fold(e *shade.Expr) *shade.Expr {
	if e.Op != shade.Bitcast || e.Type.N > 0 {
		return e
	}
	a := e.Args[0]
	switch {
	case a.IsLiteral():
		return shade.Lit(e.Type, a.Bits[0])
	case a.Op == shade.Construct && len(a.Args) == 2 && a.Args[0].IsLiteral() && a.Args[1].IsLiteral():
		return shade.Lit(e.Type, a.Args[0].Bits[0]|a.Args[1].Bits[0]<<32)
	}
	return e
}

// number returns the value of a number.
func number(s string) *shade.Expr {
	digits := strings.TrimRight(s, "ulf")
	if strings.HasPrefix(s, "0x") {
		digits = strings.TrimRight(s, "ul")
	}
	suffix := s[len(digits):]
	if strings.Contains(digits, ".") {
		switch suffix {
		case "":
			x, err := strconv.ParseFloat(digits, 32)
			if err == nil {
				return shade.Lit(shade.F32, uint64(math.Float32bits(float32(x))))
			}
		case "lf":
			x, err := strconv.ParseFloat(digits, 64)
			if err == nil {
				return shade.Lit(shade.F64, math.Float64bits(x))
			}
		}
		fail("%q is no number", s)
	}
	t := map[string]shade.Type{"": shade.I32, "u": shade.U32, "l": shade.I64, "ul": shade.U64}[suffix]
	v, err := strconv.ParseUint(digits, 0, int(t.Width))
	if err != nil {
		fail("%q is no number", s)
	}
	return shade.Lit(t, v)
}

var tokenOf = lazy.Regexp(tokens)
