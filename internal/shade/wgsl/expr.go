package wgsl

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/shade"
)

// fragment is a printed expression.
type fragment struct {
	s     string
	level level
}

// level is the outermost operator of an expression. WGSL orders few operators: the others need parentheses around each other.
type level uint8

const (
	atom level = iota
	unary
	product
	sum
	shift
	relation
	and
	xor
	or
	both
	either
)

// inside says which expressions an operator has without parentheses as its arguments. Each operator of bits and of conditions
// also has itself as its left argument.
func inside(operator, argument level, left bool) bool {
	switch operator {
	case unary:
		return argument == atom
	case product, sum:
		return argument < operator || argument == operator && left
	case relation:
		return argument <= shift
	case both, either:
		return argument <= relation || argument == operator && left
	case shift:
		return argument <= unary
	}
	return argument <= unary || argument == operator && left
}

// in returns the text for an argument that may only be at a level up to another.
func (t fragment) in(most level) string {
	if t.level > most {
		return "(" + t.s + ")"
	}
	return t.s
}

// operators are the binary operators.
var operators = map[shade.Op]fragment{
	shade.Add: {"+", sum}, shade.Sub: {"-", sum}, shade.Mul: {"*", product}, shade.Div: {"/", product}, shade.Mod: {"%", product}, shade.And: {"&", and}, shade.Or: {"|", or},
	shade.Xor: {"^", xor}, shade.ShiftLeft: {"<<", shift}, shade.ShiftRight: {">>", shift}, shade.LogicAnd: {"&&", both}, shade.LogicOr: {"||", either}, shade.LogicXor: {"!=", relation},
	shade.Eq: {"==", relation}, shade.Ne: {"!=", relation}, shade.Lt: {"<", relation}, shade.Le: {"<=", relation}, shade.Gt: {">", relation}, shade.Ge: {">=", relation},
}

var prefixes = map[shade.Op]string{shade.Neg: "-", shade.Complement: "~", shade.Not: "!"}

var functions = map[shade.Op]string{
	shade.Any: "any", shade.All: "all", shade.Abs: "abs", shade.Min: "min", shade.Max: "max", shade.Floor: "floor", shade.Ceil: "ceil", shade.Trunc: "trunc", shade.RoundEven: "round",
	shade.Fma: "fma", shade.Sqrt: "sqrt", shade.InverseSqrt: "inverseSqrt", shade.Exp2: "exp2", shade.Log2: "log2", shade.Sin: "sin", shade.Cos: "cos", shade.DerivX: "dpdx",
	shade.DerivY: "dpdy",
}

func call(format string, args ...any) fragment { return fragment{fmt.Sprintf(format, args...), atom} }

// literal prints a constant scalar.
func (p *printer) literal(t shade.Type, v uint64) fragment {
	negative := func(s string) fragment {
		if s[0] == '-' {
			return fragment{s, unary}
		}
		return fragment{s, atom}
	}
	switch t.Kind {
	case shade.Bool:
		return call("%t", v != 0)
	case shade.Uint:
		if v > 4096 {
			return call("%#xu", v)
		}
		return call("%du", v)
	case shade.Int:
		if uint32(v) == 1<<31 {
			return call("i32(-2147483648)")
		}
		return negative(fmt.Sprintf("%di", int32(v)))
	}
	f := float64(math.Float32frombits(uint32(v)))
	if special(t, v) {
		p.nonfinite = true
		return call("bitcast<f32>(%s + %#xu)", zero, v)
	}
	if f == 0 && v != 0 || f != 0 && math.Abs(f) < 0x1p-126 {
		return call("bitcast<f32>(%#xu)", v)
	}
	return negative(shade.Decimal(f, 32) + "f")
}

// list prints arguments. One with the operator < has parentheses: with a > in a later argument, it would be a template.
func (p *printer) list(args []*shade.Expr) string {
	var list []string
	for _, a := range args {
		t := p.expr(a)
		if a.Op == shade.Lt {
			t.s = "(" + t.s + ")"
		}
		list = append(list, t.s)
	}
	return strings.Join(list, ", ")
}

// operand prints an argument of an operator.
func (p *printer) operand(e *shade.Expr, operator level, left bool) string {
	t := p.expr(e)
	if !inside(operator, t.level, left) {
		return "(" + t.s + ")"
	}
	return t.s
}

// expr prints an expression.
func (p *printer) expr(e *shade.Expr) fragment {
	t := Type(e.Type)
	switch e.Op {
	case shade.Literal:
		if e.Type.N == 0 {
			return p.literal(e.Type, e.Bits[0])
		}
		var list []string
		for _, v := range e.Bits {
			list = append(list, p.literal(e.Type.Scalar(), v).s)
		}
		return call("%s(%s)", t, strings.Join(list, ", "))
	case shade.Ref:
		s := p.ref(e.Var)
		if e.Var.Builtin == shade.WorkgroupSize {
			return call("%s(%s)", t, strings.Join(p.localSize(), ", "))
		}
		if bitsOf(e.Var) && e.Type.Len == 0 {
			return call("bitcast<%s>(%s)", t, s)
		}
		return fragment{s, atom}
	case shade.Index:
		v, s := e.Args[0].Var, p.element(e)
		switch {
		case p.atomic[v]:
			return call("atomicLoad(&%s)", s)
		case bitsOf(v):
			return call("bitcast<%s>(%s)", t, s)
		case widened(v):
			s += "." + "xyzw"[:e.Type.Count()]
		}
		return fragment{s, atom}
	case shade.Swizzle:
		if a := e.Args[0]; a.Op == shade.Ref && a.Var.Builtin == shade.WorkgroupSize && len(e.Comps) == 1 {
			return call("%s", p.localSize()[e.Comps[0]])
		}
		s := p.expr(e.Args[0]).in(atom) + "."
		for _, k := range e.Comps {
			s += "xyzw"[k : k+1]
		}
		return fragment{s, atom}
	case shade.Construct, shade.Splat, shade.Convert:
		return call("%s(%s)", t, p.list(e.Args))
	case shade.Bitcast:
		if e.Type.Kind != shade.Float && e.Args[0].Type.Kind != shade.Float {
			return call("%s(%s)", t, p.list(e.Args))
		}
		return call("bitcast<%s>(%s)", t, p.list(e.Args))
	case shade.Call:
		var list []string
		for i, v := range e.Func.Params {
			a := p.list(e.Args[i : i+1])
			if v.Out {
				a = "&" + a
				if e.Args[i].Var.Storage == shade.Param {
					a = unreserved(e.Args[i].Var.Name)
				}
			}
			list = append(list, a)
		}
		return call("%s(%s)", p.funcName(e.Func), strings.Join(list, ", "))
	case shade.Length:
		return call("arrayLength(&%s)", p.list(e.Args))
	case shade.Select:
		cond := e.Args[0]
		if cond.Op == shade.Splat {
			cond = cond.Args[0]
		}
		return call("select(%s)", p.list([]*shade.Expr{e.Args[2], e.Args[1], cond}))
	case shade.FindMSB:
		return call("%s(firstLeadingBit(%s))", t, p.list(e.Args))
	case shade.BitCount:
		return call("%s(countOneBits(%s))", t, p.list(e.Args))
	case shade.Sample, shade.SampleBias, shade.SampleLod, shade.SampleGrad, shade.Fetch, shade.Size:
		return p.texture(e)
	}
	if e.Op == shade.Ne && e.Args[0].Type.Kind == shade.Float { // compilers take != for the comparison that is false for NaN
		equal := *e
		equal.Op = shade.Eq
		return p.expr(&shade.Expr{Op: shade.Not, Type: e.Type, Args: []*shade.Expr{&equal}})
	}
	if o, ok := operators[e.Op]; ok {
		a, b := e.Args[0], e.Args[1]
		if o.level == product || o.level == sum {
			a, b = shade.Spread(e)
		}
		right := p.operand(b, o.level, false)
		if o.level == shift {
			right = p.amount(b)
		}
		return fragment{p.operand(a, o.level, true) + " " + o.s + " " + right, o.level}
	}
	if s, ok := prefixes[e.Op]; ok {
		return fragment{s + p.operand(e.Args[0], unary, true), unary}
	}
	return call("%s(%s)", functions[e.Op], p.list(e.Args))
}

// element prints an element of an array.
func (p *printer) element(e *shade.Expr) string {
	i := e.Args[1]
	s := p.expr(i).s
	if i.IsLiteral() {
		s = strconv.FormatUint(i.Bits[0], 10)
	}
	return fmt.Sprintf("%s[%s]", p.ref(e.Args[0].Var), s)
}

// amount prints the number of bits of a shift, a u32.
func (p *printer) amount(e *shade.Expr) string {
	switch {
	case e.IsLiteral():
		return p.literal(shade.U32, e.Bits[0]).s
	case e.Type.Kind == shade.Int:
		return fmt.Sprintf("%s(%s)", Type(shade.U32.Vec(int(e.Type.N))), p.expr(e).s)
	}
	return p.operand(e, shift, false)
}

// ref prints a variable.
func (p *printer) ref(v *shade.Var) string {
	switch v.Storage {
	case shade.Member:
		return p.name(v.Block, "") + "." + unreserved(v.Name)
	case shade.Local:
		return unreserved(v.Name)
	case shade.Param:
		if v.Out {
			return "(*" + unreserved(v.Name) + ")"
		}
		return unreserved(v.Name)
	}
	return p.name(v, v.Name)
}

// texture prints an operation on a texture.
func (p *printer) texture(e *shade.Expr) fragment {
	name, t := p.ref(e.Var), e.Var.Type
	if e.Op == shade.Size && t.Arrayed {
		return call("%s(vec3<u32>(textureDimensions(%s, %s), textureNumLayers(%s)))", Type(e.Type), name, p.list(e.Args), name)
	}
	if e.Op == shade.Size {
		return call("%s(textureDimensions(%s, %s))", Type(e.Type), name, p.list(e.Args))
	}
	filters := e.Op != shade.Fetch
	switch {
	case filters && t.Of != shade.Float:
		p.fail("samples of a texture of integers")
	case filters && t.Dim == shade.Dim1 && e.Op != shade.Sample:
		p.fail("a level of a texture of one dimension")
	case filters && t.Shadow && e.Op != shade.Sample:
		p.fail("comparisons in a given level of a texture")
	}
	coordinate := []string{p.expr(e.Args[0]).s}
	if n := e.Args[0].Type.Count(); t.Arrayed || t.Shadow {
		vector := p.expr(e.Args[0]).in(atom)
		size := n
		if t.Shadow {
			size--
		}
		if t.Arrayed {
			size--
		}
		coordinate[0] = vector + "." + "xyzw"[:size]
		at := size
		if t.Arrayed {
			layer := fmt.Sprintf("%s.%c", vector, "xyzw"[at])
			if e.Op != shade.Fetch {
				layer = fmt.Sprintf("i32(round(%s))", layer)
			}
			coordinate = append(coordinate, layer)
			at++
		}
		if t.Shadow && e.Op != shade.Fetch {
			coordinate = append(coordinate, fmt.Sprintf("%s.%c", vector, "xyzw"[at]))
		}
	}
	args := strings.Join(coordinate, ", ")
	more := ""
	if len(e.Args) > 1 {
		more = ", " + p.list(e.Args[1:])
	}
	if e.Op == shade.Fetch {
		return call("textureLoad(%s, %s%s)", name, args, more)
	}
	function := map[shade.Op]string{shade.Sample: "textureSample", shade.SampleBias: "textureSampleBias", shade.SampleLod: "textureSampleLevel", shade.SampleGrad: "textureSampleGrad"}[e.Op]
	if t.Shadow {
		function, more = "textureSampleCompare", ""
	}
	return call("%s(%s, %s_sampler, %s%s)", function, name, name, args, more)
}
