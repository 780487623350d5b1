package glsl

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/shade"
)

// fragment is a printed expression. rank is the rank of its outermost operator: an operator that binds weaker has a greater rank.
type fragment struct {
	s    string
	rank int
}

const (
	rankPrimary = iota
	rankUnary
	rankMul
	rankAdd
	rankShift
	rankLess
	rankEqual
	rankAnd
	rankXor
	rankOr
	rankLogicAnd
	rankLogicXor
	rankLogicOr
	rankSelect
)

// in returns the text for a place where operators up to a rank need no parentheses.
func (t fragment) in(rank int) string {
	if t.rank > rank {
		return "(" + t.s + ")"
	}
	return t.s
}

// inside returns the text of an argument of an operator. Readers do not know by heart how arithmetic and comparisons bind in
// operations on bits.
func inside(t fragment, operator, rank int) string {
	bits := operator == rankShift || operator >= rankAnd && operator <= rankOr
	if bits && t.rank != operator && t.rank >= rankMul && t.rank <= rankEqual {
		rank = rankUnary
	}
	return t.in(rank)
}

// operators are the left-associative operators.
var operators = map[shade.Op]fragment{
	shade.Add: {"+", rankAdd}, shade.Sub: {"-", rankAdd}, shade.Mul: {"*", rankMul}, shade.Div: {"/", rankMul}, shade.Mod: {"%", rankMul},
	shade.And: {"&", rankAnd}, shade.Or: {"|", rankOr}, shade.Xor: {"^", rankXor}, shade.ShiftLeft: {"<<", rankShift}, shade.ShiftRight: {">>", rankShift},
	shade.LogicAnd: {"&&", rankLogicAnd}, shade.LogicOr: {"||", rankLogicOr}, shade.LogicXor: {"^^", rankLogicXor},
	shade.Eq: {"==", rankEqual}, shade.Ne: {"!=", rankEqual}, shade.Lt: {"<", rankLess}, shade.Le: {"<=", rankLess}, shade.Gt: {">", rankLess}, shade.Ge: {">=", rankLess},
}

// prefixes are the unary operators. The argument of Neg is primary: there is an operator --.
var prefixes = map[shade.Op]fragment{shade.Neg: {"-", rankPrimary}, shade.Complement: {"~", rankUnary}, shade.Not: {"!", rankUnary}}

// functions are the functions of the language. Comparisons and Not are functions for vectors only.
var functions = map[shade.Op]string{
	shade.Eq: "equal", shade.Ne: "notEqual", shade.Lt: "lessThan", shade.Le: "lessThanEqual", shade.Gt: "greaterThan", shade.Ge: "greaterThanEqual", shade.Not: "not",
	shade.Any: "any", shade.All: "all", shade.Abs: "abs", shade.Min: "min", shade.Max: "max", shade.Floor: "floor", shade.Ceil: "ceil", shade.Trunc: "trunc",
	shade.RoundEven: "roundEven", shade.Fma: "fma", shade.Sqrt: "sqrt", shade.InverseSqrt: "inversesqrt", shade.Exp2: "exp2", shade.Log2: "log2", shade.Sin: "sin",
	shade.Cos: "cos", shade.AtomicSwap: "atomicCompSwap", shade.FindMSB: "findMSB", shade.BitCount: "bitCount", shade.DerivX: "dFdx", shade.DerivY: "dFdy",
}

// samplers are the functions that read textures. The texture is the first argument.
var samplers = map[shade.Op]string{
	shade.Sample: "texture", shade.SampleBias: "texture", shade.SampleLod: "textureLod", shade.SampleGrad: "textureGrad", shade.Fetch: "texelFetch", shade.Size: "textureSize",
}

// Type returns the name of a type that is no array.
func Type(t shade.Type) string {
	if t.Kind == shade.Texture {
		s := map[shade.Kind]string{shade.Int: "i", shade.Uint: "u"}[t.Of] + "sampler" + map[shade.Dim]string{shade.Dim1: "1D", shade.Dim2: "2D", shade.Dim3: "3D", shade.Cube: "Cube"}[t.Dim]
		if t.Arrayed {
			s += "Array"
		}
		if t.Shadow {
			s += "Shadow"
		}
		return s
	}
	names := map[shade.Type][2]string{
		shade.None: {"void", ""}, shade.B: {"bool", "bvec"}, shade.U32: {"uint", "uvec"}, shade.I32: {"int", "ivec"}, shade.F32: {"float", "vec"},
		shade.U64: {"uint64_t", "u64vec"}, shade.I64: {"int64_t", "i64vec"}, shade.F64: {"double", "dvec"},
	}[t.Scalar()]
	if t.N == 0 {
		return names[0]
	}
	return names[1] + strconv.Itoa(int(t.N))
}

func primary(format string, args ...any) fragment {
	return fragment{fmt.Sprintf(format, args...), rankPrimary}
}

// signed returns the text of a number that may be negative.
func signed(s string) fragment {
	if s[0] == '-' {
		return fragment{s, rankUnary}
	}
	return fragment{s, rankPrimary}
}

// longest is the number of digits up to which a float of 64 bits is written in decimals.
const longest = 8

// literal prints a constant scalar.
func literal(t shade.Type, v uint64) fragment {
	switch {
	case t.Kind == shade.Bool:
		return primary("%t", v != 0)
	case t.Kind == shade.Uint:
		suffix := "u"
		if t.Width == 64 {
			suffix = "ul"
		}
		if v > 4096 {
			return primary("%#x%s", v, suffix)
		}
		return primary("%d%s", v, suffix)
	case t == shade.I64 && v == 1<<63:
		return primary("int64_t(%#xul)", v)
	case t == shade.I64:
		return signed(fmt.Sprintf("%dl", int64(v)))
	case t.Kind == shade.Int && uint32(v) == 1<<31:
		return primary("int(%#xu)", v)
	case t.Kind == shade.Int:
		return signed(fmt.Sprint(int32(v)))
	}
	f, least := math.Float64frombits(v), 0x1p-1022
	if t.Width == 32 {
		f, least = float64(math.Float32frombits(uint32(v))), 0x1p-126
	}
	s := shade.Decimal(f, int(t.Width))
	if f != f || math.IsInf(f, 0) || f == 0 && v != 0 || f != 0 && math.Abs(f) < least || t.Width == 64 && len(s) > longest {
		if t.Width == 64 {
			return primary("packDouble2x32(uvec2(%#xu, %#xu))", v&0xffffffff, v>>32)
		}
		return primary("uintBitsToFloat(%#xu)", v)
	}
	if t.Width == 64 {
		s += "lf"
	}
	return signed(s)
}

// list prints arguments.
func (p *printer) list(args []*shade.Expr) string {
	var list []string
	for _, a := range args {
		list = append(list, p.expr(a).s)
	}
	return strings.Join(list, ", ")
}

// expr prints an expression.
func (p *printer) expr(e *shade.Expr) fragment {
	arg := func(i int) fragment { return p.expr(e.Args[i]) }
	switch e.Op {
	case shade.Literal:
		if e.Type.N == 0 {
			return literal(e.Type, e.Bits[0])
		}
		var list []string
		for _, v := range e.Bits {
			list = append(list, literal(e.Type.Scalar(), v).s)
		}
		return primary("%s(%s)", Type(e.Type), strings.Join(list, ", "))
	case shade.Ref:
		if p.widened(e.Var) {
			return fragment{e.Var.Name + "." + "xyzw"[:e.Type.Count()], rankPrimary}
		}
		return fragment{p.name(e.Var), rankPrimary}
	case shade.Index:
		i := e.Args[1]
		s := p.expr(i).s
		if i.IsLiteral() {
			s = strconv.FormatUint(i.Bits[0], 10)
		}
		if v := e.Args[0].Var; v.Storage == shade.Input && v.Builtin != shade.NotBuiltin && v.Builtin != shade.ClipDistance && p.Stage == shade.Geometry {
			return primary("gl_in[%s].%s", s, p.name(v))
		}
		return primary("%s[%s]", arg(0).in(rankPrimary), s)
	case shade.Length:
		return primary("uint(%s.length())", arg(0).in(rankPrimary))
	case shade.Swizzle:
		s := arg(0).in(rankPrimary) + "."
		if a := e.Args[0]; a.Op == shade.Ref {
			s = p.name(a.Var) + "."
		}
		for _, k := range e.Comps {
			s += "xyzw"[k : k+1]
		}
		return fragment{s, rankPrimary}
	case shade.Construct, shade.Splat, shade.Convert:
		return primary("%s(%s)", Type(e.Type), p.list(e.Args))
	case shade.Call:
		return primary("%s(%s)", e.Func.Name, p.list(e.Args))
	case shade.Bitcast:
		return primary("%s(%s)", bitcast(e.Args[0].Type, e.Type), p.list(e.Args))
	case shade.Select:
		if c := e.Args[0]; c.Op == shade.Splat {
			return fragment{p.expr(c.Args[0]).in(rankLogicOr) + " ? " + arg(1).in(rankLogicOr) + " : " + arg(2).in(rankSelect), rankSelect}
		}
		if e.Args[0].Type.N > 0 {
			return primary("mix(%s, %s, %s)", arg(2).s, arg(1).s, arg(0).s)
		}
		return fragment{arg(0).in(rankLogicOr) + " ? " + arg(1).in(rankLogicOr) + " : " + arg(2).in(rankSelect), rankSelect}
	}
	if p.es && e.Op == shade.Fma {
		p.fail("the function fma")
	}
	if name := samplers[e.Op]; name != "" {
		if t := e.Var.Type; t.Shadow && (e.Op == shade.SampleLod && (t.Dim == shade.Cube || t.Arrayed) || e.Op == shade.SampleBias && t.Arrayed) {
			p.fail("a level for %s", Type(t))
		}
		return primary("%s(%s, %s)", name, p.name(e.Var), p.list(e.Args))
	}
	if e.Args[0].Type.N == 0 || functions[e.Op] == "" {
		if o, ok := operators[e.Op]; ok {
			a, b := shade.Spread(e)
			return fragment{inside(p.expr(a), o.rank, o.rank) + " " + o.s + " " + inside(p.expr(b), o.rank, o.rank-1), o.rank}
		}
		if o, ok := prefixes[e.Op]; ok {
			return fragment{o.s + arg(0).in(o.rank), rankUnary}
		}
	}
	return primary("%s(%s)", functions[e.Op], p.list(e.Args))
}

// bitcast returns the function that converts the bits of a type to another.
func bitcast(from, to shade.Type) string {
	switch f, t := from.Scalar(), to.Scalar(); {
	case f == shade.F32:
		return map[shade.Kind]string{shade.Int: "floatBitsToInt", shade.Uint: "floatBitsToUint"}[t.Kind]
	case t == shade.F32:
		return map[shade.Kind]string{shade.Int: "intBitsToFloat", shade.Uint: "uintBitsToFloat"}[f.Kind]
	case f == shade.F64 && t == shade.U32:
		return "unpackDouble2x32"
	case f == shade.F64:
		return map[shade.Kind]string{shade.Int: "doubleBitsToInt64", shade.Uint: "doubleBitsToUint64"}[t.Kind]
	case t == shade.F64 && f == shade.U32:
		return "packDouble2x32"
	case t == shade.F64:
		return map[shade.Kind]string{shade.Int: "int64BitsToDouble", shade.Uint: "uint64BitsToDouble"}[f.Kind]
	case f.Width == 64 && t.Width == 32:
		return "unpackUint2x32"
	case f.Width == 32 && t.Width == 64:
		return "packUint2x32"
	}
	return Type(to)
}

// builtins are the names of the values of the pipeline.
var builtins = map[shade.Builtin]string{
	shade.Position: "gl_Position", shade.PointSize: "gl_PointSize", shade.ClipDistance: "gl_ClipDistance", shade.VertexIndex: "gl_VertexIndex",
	shade.InstanceIndex: "gl_InstanceIndex", shade.PrimitiveID: "gl_PrimitiveID", shade.Layer: "gl_Layer", shade.ViewportIndex: "gl_ViewportIndex",
	shade.FragCoord: "gl_FragCoord", shade.FrontFacing: "gl_FrontFacing", shade.PointCoord: "gl_PointCoord", shade.HelperInvocation: "gl_HelperInvocation",
	shade.SampleID: "gl_SampleID", shade.FragDepth: "gl_FragDepth", shade.LocalID: "gl_LocalInvocationID", shade.LocalIndex: "gl_LocalInvocationIndex",
	shade.GlobalID: "gl_GlobalInvocationID", shade.WorkgroupID: "gl_WorkGroupID", shade.NumWorkgroups: "gl_NumWorkGroups", shade.WorkgroupSize: "gl_WorkGroupSize",
}

// openGL are the names that differ in OpenGL.
var openGL = map[shade.Builtin]string{shade.VertexIndex: "gl_VertexID", shade.InstanceIndex: "gl_InstanceID"}

// name returns the name of a variable.
func (p *printer) name(v *shade.Var) string {
	if p.es && (v.Builtin == shade.VertexIndex || v.Builtin == shade.InstanceIndex) {
		return strings.Replace(builtins[v.Builtin], "Index", "ID", 1)
	}
	if v.Builtin == shade.PrimitiveID && v.Storage == shade.Input && p.Stage == shade.Geometry {
		return "gl_PrimitiveIDIn"
	}
	if s := openGL[v.Builtin]; s != "" && (p.es || slices.ContainsFunc(p.Blocks, func(b *shade.Block) bool { return b.Kind == shade.PlainUniforms })) {
		return s
	}
	if s := builtins[v.Builtin]; s != "" {
		return s
	}
	return v.Name
}
