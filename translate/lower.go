package translate

import (
	"slices"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/tidy"
)

// shadeType returns the type of a value in a shader: its type in the program, widened to 32 or 64 bits. n is the number of
// components, or 0.
func shadeType(t sem.Type, n int) shade.Type {
	width := uint8(32)
	if wide(t) {
		width = 64
	}
	u := shade.Type{Kind: shade.Float, Width: width}
	switch t.Kind {
	case sem.Bool:
		u = shade.B
	case sem.Uint:
		u.Kind = shade.Uint
	case sem.Sint:
		u.Kind = shade.Int
	}
	return u.Vec(n)
}

// wide reports whether a value needs 64 bits.
func wide(t sem.Type) bool { return t.Width > 32 }

// literal returns a constant.
func literal(t sem.Type, v uint64) *shade.Expr {
	if t.Kind == sem.Sint { // the sign is extended to the width of the type in the shader
		v = uint64(int64(v<<(64-t.Width)) >> (64 - t.Width))
		if !wide(t) {
			v = uint64(uint32(v))
		}
	}
	if isHalf(t) {
		in := sem.Inst{Op: sem.OpConvert}.Typed(sem.F32, t)
		v = sem.Apply(&in, v, 0, 0)
	}
	return shade.Lit(shadeType(t, 0), v)
}

// isHalf reports whether a type is a float of 16 bits. The shader has a float of 32 bits with the same value.
func isHalf(t sem.Type) bool { return t.Kind == sem.Float && t.Width == 16 }

// expr returns the shader's expression for an expression.
func (g *lowering) expr(e *expr) *shade.Expr {
	t := shadeType(e.typ, e.n)
	switch e.form {
	case constant:
		if e.n == 0 {
			return literal(e.typ, e.values[0])
		}
		x := &shade.Expr{Op: shade.Literal, Type: t}
		for _, v := range e.values {
			x.Bits = append(x.Bits, literal(e.typ, v).Bits[0])
		}
		return x
	case reference:
		return g.reference(e)
	case element:
		index := g.unsigned(g.expr(e.index), e.index.typ)
		return swizzle(shade.CallOf(g.accessor(e.variable, e.state), index), e.comps)
	case splat, construct:
		op := shade.Construct
		if e.form == splat {
			op = shade.Splat
		}
		return shade.Make(op, t, g.list(e.args)...)
	case call:
		f := g.functions[e.call]
		if e.n > 0 {
			f = g.overload(f, e.n)
		}
		return shade.CallOf(f, g.list(e.args)...)
	case load:
		return g.load(e)
	case outside:
		return shade.CallOf(g.access("outside", e.state, 8*int(e.imm)), g.unsigned(g.expr(e.args[0]), e.args[0].typ))
	case canonical:
		return g.canonical(g.expr(e.args[0]), e.args[0])
	}
	return g.operation(e)
}

func (g *lowering) list(args []*expr) (list []*shade.Expr) {
	for _, a := range args {
		list = append(list, g.expr(a))
	}
	return list
}

// swizzle returns components of a value, or the whole value if comps is empty.
func swizzle(x *shade.Expr, comps []int) *shade.Expr {
	if x.Type.N == 0 || len(comps) == 0 {
		return x
	}
	return shade.Pick(x, comps...)
}

// reference returns components of a variable.
func (g *lowering) reference(e *expr) *shade.Expr {
	x := shade.Value(g.variable(e.variable))
	if e.index != nil {
		x = shade.At(x, g.expr(e.index))
	}
	return g.asBool(swizzle(x, e.comps), e.variable)
}

// asBool returns the bool of a value of a uniform: blocks have no bool.
func (g *lowering) asBool(x *shade.Expr, v *variable) *shade.Expr {
	switch {
	case !g.stored[v]:
		return x
	case x.Type.N > 0:
		return shade.Apply(shade.Ne, x, shade.Make(shade.Splat, x.Type, shade.Uint32(0)))
	}
	return shade.Apply(shade.Ne, x, shade.Uint32(0))
}

// bitsType returns the unsigned type of a number of bits.
func bitsType(width int) sem.Type { return sem.Type{Kind: sem.Uint, Width: width} }

// unsigned returns the bits of a value as an unsigned number of 32 or 64 bits.
func (g *lowering) unsigned(a *shade.Expr, t sem.Type) *shade.Expr {
	u := shadeType(bitsType(t.Width), 0)
	switch t.Kind {
	case sem.Bool:
		return shade.Make(shade.Convert, shade.U32, a)
	case sem.Sint:
		return g.masked(shade.Make(shade.Bitcast, u, a), t.Width)
	case sem.Float:
		if isHalf(t) {
			return g.call("half_bits", a)
		}
		return shade.Make(shade.Bitcast, u, a)
	}
	return a
}

// masked keeps the low bits of an unsigned number.
func (g *lowering) masked(a *shade.Expr, width int) *shade.Expr {
	if width == 32 || width == 64 {
		return a
	}
	return shade.Apply(shade.And, a, shade.Lit(shadeType(bitsType(width), 0), 1<<width-1))
}

// resized converts an unsigned number of some bits to one of other bits.
func (g *lowering) resized(a *shade.Expr, from, to int) *shade.Expr {
	if (from > 32) != (to > 32) {
		a = shade.Make(shade.Convert, shadeType(bitsType(to), 0), a)
	}
	if to < from && to != 32 {
		return g.masked(a, to)
	}
	return a
}

// from returns the value of a type with the given bits, an unsigned number of the width of the type.
func (g *lowering) from(a *shade.Expr, t sem.Type) *shade.Expr {
	switch t.Kind {
	case sem.Bool:
		return shade.Apply(shade.Ne, a, shade.Lit(a.Type, 0))
	case sem.Sint:
		return g.signed(shade.Make(shade.Bitcast, shadeType(t, 0), a), t)
	case sem.Float:
		if isHalf(t) {
			return g.call("half", a)
		}
		return shade.Make(shade.Bitcast, shadeType(t, 0), a)
	}
	return a
}

// signed extends the sign of a signed number of few bits.
func (g *lowering) signed(a *shade.Expr, t sem.Type) *shade.Expr {
	k := int32(32 - t.Width)
	if wide(t) {
		k = int32(64 - t.Width)
	}
	if k == 0 {
		return a
	}
	return shade.Apply(shade.ShiftRight, shade.Apply(shade.ShiftLeft, a, shade.Int32(k)), shade.Int32(k))
}

// wrap cuts the result of integer arithmetic to the width of its type.
func (g *lowering) wrap(a *shade.Expr, t sem.Type) *shade.Expr {
	if t.Kind == sem.Sint {
		return g.signed(a, t)
	}
	return g.masked(a, t.Width)
}

// canonical replaces a NaN by the one that has the bits of the machine.
func (g *lowering) canonical(a *shade.Expr, e *expr) *shade.Expr {
	switch {
	case e.form == constant || e.form == reference && e.variable.stored:
		return a
	case e.typ.Width == 64:
		return g.call("canonical64", a)
	}
	return g.call("canonical", a)
}

// call returns a call of a function of the library, for scalars or vectors.
func (g *lowering) call(name string, args ...*shade.Expr) *shade.Expr {
	f := g.helper(name)
	if n := args[0].Type.N; n > 0 {
		f = g.overload(f, int(n))
	}
	return shade.CallOf(f, args...)
}

// operation returns an operation.
func (g *lowering) operation(e *expr) *shade.Expr {
	var a, b, c *shade.Expr
	args := g.list(e.args)
	switch len(args) {
	case 3:
		c = args[2]
		fallthrough
	case 2:
		b = args[1]
		fallthrough
	case 1:
		a = args[0]
	}
	t := e.typ
	if x := g.approximate(e, a, b, c); x != nil {
		return x
	}
	switch e.op {
	case sem.OpEq, sem.OpNe, sem.OpLt, sem.OpLe:
		return g.compare(e, a, b)
	case sem.OpSelect:
		if x := b; e.n == 0 && x.Op == shade.Select && shade.Equal(x.Args[2], c) { // two conditions for one value
			cond := x.Args[0]
			if cond.Op == shade.LogicAnd {
				a, cond = shade.Apply(shade.LogicAnd, a, cond.Args[0]), cond.Args[1]
			}
			a, b = shade.Apply(shade.LogicAnd, a, cond), x.Args[1]
		}
		return shade.Apply(shade.Select, a, b, c)
	case sem.OpNot:
		if t.Kind == sem.Bool {
			if e.n > 0 {
				return shade.Apply(shade.Not, a)
			}
			return tidy.Not(a)
		}
		return g.wrap(shade.Apply(shade.Complement, a), t)
	case sem.OpAnd, sem.OpOr, sem.OpXor:
		ops := map[sem.Op][2]shade.Op{sem.OpAnd: {shade.And, shade.LogicAnd}, sem.OpOr: {shade.Or, shade.LogicOr}, sem.OpXor: {shade.Xor, shade.LogicXor}}[e.op]
		if t.Kind == sem.Bool {
			return shade.Apply(ops[1], a, b)
		}
		return shade.Apply(ops[0], a, b)
	case sem.OpCast:
		return g.cast(e, a)
	case sem.OpSext:
		x := sem.Type{Kind: sem.Sint, Width: e.from.Width}
		s := g.from(g.unsigned(a, e.from), x)
		if wide(t) != wide(x) {
			s = shade.Make(shade.Convert, shadeType(sem.Type{Kind: sem.Sint, Width: t.Width}, 0), s)
		}
		if t.Kind == sem.Sint {
			return s
		}
		return g.masked(shade.Make(shade.Bitcast, shadeType(t, 0), s), t.Width)
	case sem.OpSlice:
		x := g.unsigned(a, e.from)
		if e.imm > 0 {
			x = shade.Apply(shade.ShiftRight, x, shade.Int32(int32(e.imm)))
		}
		if wide(e.from) && !wide(t) {
			x = shade.Make(shade.Convert, shade.U32, x)
		}
		if int(e.imm)+t.Width < e.from.Width || e.imm == 0 && t.Width < e.from.Width {
			x = g.masked(x, t.Width)
		}
		return x
	case sem.OpConcat:
		low := t.Width - e.from.Width
		if x := e.args[1]; t == sem.F32 && low == 31 && e.args[0].form == constant && e.args[0].values[0] == 0 && x.form == operation && x.op == sem.OpSlice && x.imm == 0 && x.from == sem.F32 {
			return shade.Apply(shade.Abs, g.expr(x.args[0])) // the bits without the sign
		}
		hi, lo := g.resized(g.unsigned(a, e.from), e.from.Width, t.Width), g.resized(b, low, t.Width)
		return g.from(shade.Apply(shade.Or, shade.Apply(shade.ShiftLeft, hi, shade.Int32(int32(low))), lo), t)
	case sem.OpConvert:
		return g.convert(e, a)
	case sem.OpClz, sem.OpPopcount:
		x := g.unsigned(a, e.from)
		if wide(e.from) {
			if e.op == sem.OpPopcount {
				return shade.Make(shade.Bitcast, shade.U32, g.call("bits64", x))
			}
			return shade.Apply(shade.Sub, shade.Uint32(uint32(e.from.Width-1)), shade.Make(shade.Bitcast, shade.U32, g.call("msb64", x)))
		}
		if e.op == sem.OpPopcount {
			return shade.Make(shade.Bitcast, shade.U32, shade.Apply(shade.BitCount, x))
		}
		return shade.Apply(shade.Sub, shade.Uint32(uint32(e.from.Width-1)), shade.Make(shade.Bitcast, shade.U32, shade.Apply(shade.FindMSB, x)))
	case sem.OpCarry, sem.OpOverflow:
		return g.carry(e, a, b, c)
	case sem.OpFlush:
		if t.Kind == sem.Uint {
			return g.call("flush_bits", a)
		}
		return g.call("flush", a)
	case sem.OpProduct:
		if e.imm == 1 {
			return g.call("product_flushed", a, b)
		}
		return g.call("product", a, b)
	}
	if t.Kind == sem.Float {
		return g.float(e, a, b, c)
	}
	return g.integer(e, a, b)
}

// approximation is an operation that the device computes as it likes with Options.Approximate. bound is the greatest
// difference that TestApproximate allows, which text states: that of exp2, quotients and square roots is a part of the result,
// that of fused sums a part of the sum of the sizes of the product and the addend.
type approximation struct {
	op    sem.Op
	bound float64
	text  string
}

var approximations = []approximation{
	{sem.OpExp2, 0x1p-21, "exp2 2^-21 of the result"},
	{sem.OpLog2, 0x1p-20, "log2 2^-20"},
	{sem.OpSin, 0x1p-23, "sin 2^-23"},
	{sem.OpCos, 0x1p-23, "cos 2^-23"},
	{sem.OpDiv, 0, "quotients 0"},
	{sem.OpSqrt, 0, "square roots 0"},
	{sem.OpFma, 0x1p-23, "fused sums 2^-23 of the sizes of product and addend"},
	{sem.OpProduct, 0, "products 0"},
}

// approximate returns an operation that the device computes as it likes, or nil.
func (g *lowering) approximate(e *expr, a, b, c *shade.Expr) (x *shade.Expr) {
	if !g.fast || e.typ != sem.F32 || e.imm != 0 && e.op != sem.OpProduct {
		return nil
	}
	switch e.op {
	case sem.OpExp2:
		x = shade.Apply(shade.Exp2, a)
	case sem.OpLog2:
		x = shade.Apply(shade.Log2, a)
	case sem.OpSin:
		x = shade.Apply(shade.Sin, a)
	case sem.OpCos:
		x = shade.Apply(shade.Cos, a)
	case sem.OpDiv:
		x = shade.Apply(shade.Div, a, b)
	case sem.OpSqrt:
		x = shade.Apply(shade.Sqrt, a)
	case sem.OpFma:
		x = shade.Apply(shade.Add, shade.Apply(shade.Mul, a, b), c)
	case sem.OpProduct:
		x = shade.Apply(shade.Mul, a, b)
	default:
		return nil
	}
	g.inexact[e.op] = true
	return x
}

// compare returns a comparison.
func (g *lowering) compare(e *expr, a, b *shade.Expr) *shade.Expr {
	if e.op == sem.OpNe && e.from.Kind == sem.Float && equalExpr(e.args[0], e.args[1]) {
		if e.from.Width == 64 {
			return g.call("nan64", a)
		}
		return g.call("nan", a)
	}
	op := map[sem.Op]shade.Op{sem.OpEq: shade.Eq, sem.OpNe: shade.Ne, sem.OpLt: shade.Lt, sem.OpLe: shade.Le}[e.op]
	if e.args[0].form == constant && e.args[1].form != constant { // the constant to the right
		if op == shade.Lt || op == shade.Le {
			op += shade.Gt - shade.Lt
		}
		a, b = b, a
	}
	return shade.Apply(op, a, b)
}

// equalExpr reports whether two expressions are the same components or constants.
func equalExpr(x, y *expr) bool {
	if x.form != y.form || x.variable != y.variable || x.op != y.op || x.call != y.call || x.imm != y.imm || x.n != y.n || !slices.Equal(x.comps, y.comps) || !slices.Equal(x.values, y.values) {
		return false
	}
	return slices.EqualFunc(x.args, y.args, equalExpr) && (x.index == nil && y.index == nil || x.index != nil && y.index != nil && equalExpr(x.index, y.index))
}

// cast returns the bits of a value as another type.
func (g *lowering) cast(e *expr, a *shade.Expr) *shade.Expr {
	if e.from == e.typ {
		return a
	}
	if x := e.args[0]; x.form == operation && x.op == sem.OpCast && x.from == e.typ && x.args[0].form == reference && x.args[0].variable.stored {
		return g.expr(x.args[0]) // there and back
	}
	if e.from.Kind == sem.Float && e.typ.Kind != sem.Float {
		a = g.canonical(a, e.args[0])
	}
	t := shadeType(e.typ, 0)
	if e.from.Kind == sem.Uint && e.typ.Kind == sem.Sint && e.from.Width < e.typ.Width && !wide(e.typ) {
		return shade.Make(shade.Bitcast, t, a)
	}
	bits := g.resized(g.unsigned(a, e.from), e.from.Width, e.typ.Width)
	if e.typ.Kind == sem.Sint && e.from.Width < e.typ.Width {
		return shade.Make(shade.Bitcast, t, bits) // zeros above
	}
	return g.from(bits, e.typ)
}

// convert returns a conversion between numbers.
func (g *lowering) convert(e *expr, a *shade.Expr) *shade.Expr {
	from, to := e.from, e.typ
	mode := sem.Mode(e.imm)
	t := shadeType(to, 0)
	switch {
	case from.Kind == sem.Float && to.Kind == sem.Float:
		switch {
		case to.Width < from.Width && mode == sem.Away:
			g.refuse("rounding to nearest with ties away from 0")
		case isHalf(to) && to != from:
			return g.call("to_half", g.double(a), shade.Int32(int32(mode)))
		case to.Width < from.Width && mode != sem.Nearest:
			return g.call("to_float", a, shade.Int32(int32(mode)))
		}
		if a.Type == t {
			return a
		}
		return shade.Make(shade.Convert, t, a)
	case from.Kind == sem.Float && (from.Width == 64 || wide(to)):
		if mode == sem.Away {
			g.refuse("rounding to nearest with ties away from 0")
		}
		name := "to_uint64"
		if to.Kind == sem.Sint {
			name = "to_int64"
		}
		bits := g.call(name, g.call("round64", g.double(a), shade.Int32(int32(mode))), shade.Int32(int32(to.Width)))
		if !wide(to) {
			bits = shade.Make(shade.Convert, shade.U32, bits)
		}
		if to.Kind == sem.Sint {
			return shade.Make(shade.Bitcast, t, bits)
		}
		return bits
	case from.Kind == sem.Float:
		x := a
		if y := e.args[0]; mode != sem.Zero && !(y.form == operation && y.op == sem.OpRint) { // the conversion truncates
			x = g.round(a, mode)
		}
		if to.Kind == sem.Sint {
			half := int32(1) << (to.Width - 1)
			return g.call("to_int", x, shade.Int32(-half), shade.Int32(half-1))
		}
		return g.call("to_uint", x, shade.Uint32(uint32(uint64(1)<<to.Width-1)))
	case to.Kind == sem.Float:
		precision := map[int]int{16: 11, 32: 24, 64: 53}[to.Width]
		switch {
		case mode == sem.Away && from.Width > precision:
			g.refuse("rounding to nearest with ties away from 0")
		case isHalf(to) && from.Width > 53:
			g.refuse("a conversion of %s to %s", from, to)
		case isHalf(to):
			return g.call("to_half", shade.Make(shade.Convert, shade.F64, a), shade.Int32(int32(mode)))
		case to.Width == 32 && from.Width > 24 && (mode != sem.Nearest || wide(from)) || to.Width == 64 && from.Width > 53:
			name, w := "unsigned", shade.U64
			if from.Kind == sem.Sint {
				name, w = "signed", shade.I64
			}
			if !wide(from) {
				a = shade.Make(shade.Convert, w, a)
			}
			x := g.call(name, a, shade.Int32(int32(precision)), shade.Int32(int32(mode)))
			if to.Width == 32 {
				x = shade.Make(shade.Convert, t, x)
			}
			return x
		}
		return shade.Make(shade.Convert, t, a)
	}
	// Integers saturate.
	if wide(from) || wide(to) {
		g.refuse("a saturating conversion of %s to %s", from, to)
		return shade.Lit(t, 0)
	}
	least := func(x *shade.Expr, bits int) *shade.Expr {
		return shade.Apply(shade.Min, x, shade.Lit(x.Type, 1<<bits-1))
	}
	switch {
	case from.Kind == sem.Uint && to.Kind == sem.Uint:
		if to.Width >= from.Width {
			return a
		}
		return least(a, to.Width)
	case from.Kind == sem.Uint:
		if to.Width <= from.Width {
			a = least(a, to.Width-1)
		}
		return shade.Make(shade.Bitcast, t, a)
	case to.Kind == sem.Uint:
		x := shade.Make(shade.Bitcast, t, shade.Apply(shade.Max, a, shade.Int32(0)))
		if to.Width >= from.Width-1 {
			return x
		}
		return least(x, to.Width)
	}
	if to.Width >= from.Width {
		return a
	}
	return least(shade.Apply(shade.Max, a, shade.Int32(-1<<(to.Width-1))), to.Width-1)
}

// double returns a float with 64 bits.
func (g *lowering) double(a *shade.Expr) *shade.Expr {
	if a.Type.Width == 64 {
		return a
	}
	return shade.Make(shade.Convert, shade.F64, a)
}

// round returns a float rounded to an integer.
func (g *lowering) round(a *shade.Expr, mode sem.Mode) *shade.Expr {
	op := shade.RoundEven
	switch mode {
	case sem.Zero:
		op = shade.Trunc
	case sem.Down:
		op = shade.Floor
	case sem.Up:
		op = shade.Ceil
	case sem.Away:
		g.refuse("rounding to nearest with ties away from 0")
	}
	return shade.Apply(op, a)
}

// carry returns the carry or the overflow of a sum.
func (g *lowering) carry(e *expr, a, b, c *shade.Expr) *shade.Expr {
	if wide(e.from) {
		g.refuse("the operation %s of 64 bits", e.op)
		return shade.Lit(shade.B, 0)
	}
	cin := g.unsigned(c, e.args[2].typ)
	if c.IsLiteral() {
		cin = shade.Lit(shade.U32, c.Bits[0])
	}
	name := "carry"
	if e.op == sem.OpOverflow {
		name = "overflows"
	}
	return g.call(name, g.unsigned(a, e.from), g.unsigned(b, e.from), cin, shade.Int32(int32(e.from.Width)))
}

// float returns arithmetic on floats.
func (g *lowering) float(e *expr, a, b, c *shade.Expr) *shade.Expr {
	double := e.typ.Width == 64
	mode := shade.Int32(int32(e.imm))
	switch e.op {
	case sem.OpNeg, sem.OpRint:
	case sem.OpFma:
		if double && sem.Mode(e.imm) != sem.Away {
			return g.call("fma64", a, b, c, mode)
		}
	case sem.OpAdd, sem.OpSub, sem.OpMul:
		if sem.Mode(e.imm) == sem.Nearest && isHalf(e.typ) {
			x := shade.Apply(map[sem.Op]shade.Op{sem.OpAdd: shade.Add, sem.OpSub: shade.Sub, sem.OpMul: shade.Mul}[e.op], a, b)
			return g.call("to_half", g.double(x), mode)
		}
		if sem.Mode(e.imm) == sem.Nearest || sem.Mode(e.imm) == sem.Away || isHalf(e.typ) {
			break
		}
		if e.op == sem.OpSub {
			b = shade.Apply(shade.Neg, b)
		}
		names := []string{"add_rounded", "mul_rounded", "add64", "multiply64"}
		if e.op == sem.OpMul {
			names = names[1:]
		}
		if double {
			names = names[2:]
		}
		return g.call(names[0], a, b, mode)
	}
	if (e.imm != 0 || isHalf(e.typ)) && e.op != sem.OpRint && e.op != sem.OpNeg {
		g.refuse("the operation %s of %s with such a rounding", e.op, e.typ)
	}
	if x := g.withZero(e, a, b); x != nil {
		return x
	}
	switch e.op {
	case sem.OpAdd:
		sign := uint64(1) << (e.typ.Width - 1)
		switch {
		case b.Op == shade.Neg:
			return shade.Apply(shade.Sub, a, b.Args[0])
		case b.IsLiteral() && b.Bits[0]&sign != 0 && plain(b):
			return shade.Apply(shade.Sub, a, shade.Lit(b.Type, b.Bits[0]^sign))
		}
		if a.IsLiteral() && plain(a) && a.Bits[0]&sign != 0 {
			return shade.Apply(shade.Sub, b, shade.Lit(a.Type, a.Bits[0]^sign))
		}
		return shade.Apply(shade.Add, a, b)
	case sem.OpSub:
		return shade.Apply(shade.Sub, a, b)
	case sem.OpMul:
		return shade.Apply(shade.Mul, a, b)
	case sem.OpNeg:
		return shade.Apply(shade.Neg, a)
	case sem.OpRint:
		return g.round(a, sem.Mode(e.imm))
	case sem.OpDiv:
		if double {
			return shade.Apply(shade.Div, a, b)
		}
		return g.call("divide", a, b)
	case sem.OpSqrt:
		if double {
			return shade.Apply(shade.Sqrt, a)
		}
		return g.call("square_root", a)
	case sem.OpFma:
		return g.call("fma", a, b, c)
	case sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos:
		name := e.op.String()
		if double {
			name += "_64"
		}
		return g.call(name, a)
	}
	g.refuse("the operation %s of floats", e.op)
	return a
}

// plain reports whether a constant float is a number above the denormals, so that its sign can be turned.
func plain(x *shade.Expr) bool {
	v := x.Bits[0]
	if x.Type.Width == 64 {
		e := v >> 52 & 0x7ff
		return e != 0 && e != 0x7ff
	}
	e := v >> 23 & 0xff
	return e != 0 && e != 0xff
}

// withZero returns arithmetic with the constant 0 without arithmetic, or nil.
func (g *lowering) withZero(e *expr, a, b *shade.Expr) *shade.Expr {
	if e.typ.Width != 32 || e.n > 0 || len(e.args) != 2 {
		return nil
	}
	zero := func(x *shade.Expr) (negative, ok bool) {
		ok = x.IsLiteral() && x.Bits[0]&0x7fffffff == 0
		return ok && x.Bits[0] != 0, ok
	}
	minus := func(x *shade.Expr) *shade.Expr { return shade.Apply(shade.Neg, x) }
	positive := func(x *shade.Expr) *shade.Expr { return g.call("add_zero", x) }
	left, isLeft := zero(a)
	right, isRight := zero(b)
	switch {
	case e.op == sem.OpAdd && isLeft && left:
		return b
	case e.op == sem.OpAdd && isLeft:
		return positive(b)
	case e.op == sem.OpAdd && isRight && right, e.op == sem.OpSub && isRight && !right:
		return a
	case e.op == sem.OpAdd && isRight, e.op == sem.OpSub && isRight:
		return positive(a)
	case e.op == sem.OpSub && isLeft && left:
		return minus(b)
	case e.op == sem.OpSub && isLeft:
		return positive(minus(b))
	case e.op == sem.OpMul && isLeft:
		return g.call("multiply_zero", b, a)
	case e.op == sem.OpMul && isRight:
		return g.call("multiply_zero", a, b)
	}
	return nil
}

// integer returns arithmetic on integers.
func (g *lowering) integer(e *expr, a, b *shade.Expr) *shade.Expr {
	t := e.typ
	switch e.op {
	case sem.OpAdd:
		return g.wrap(shade.Apply(shade.Add, a, b), t)
	case sem.OpSub:
		return g.wrap(shade.Apply(shade.Sub, a, b), t)
	case sem.OpMul:
		return g.wrap(shade.Apply(shade.Mul, a, b), t)
	case sem.OpNeg:
		if t.Kind == sem.Uint {
			return g.wrap(shade.Apply(shade.Sub, shade.Lit(a.Type, 0), a), t)
		}
		return g.wrap(shade.Apply(shade.Neg, a), t)
	case sem.OpMin:
		return shade.Apply(shade.Min, a, b)
	case sem.OpMax:
		return shade.Apply(shade.Max, a, b)
	case sem.OpShl, sem.OpShr:
		return g.shift(e, a, b)
	case sem.OpDiv, sem.OpMod, sem.OpMulHigh:
		switch {
		case t.Kind == sem.Sint || wide(t):
		case e.op != sem.OpMulHigh:
			return g.call("u"+e.op.String(), a, b)
		case t.Width == 32:
			return g.call("mul_high", a, b)
		case t.Width <= 16:
			return shade.Apply(shade.ShiftRight, shade.Apply(shade.Mul, a, b), shade.Int32(int32(t.Width)))
		}
	}
	g.refuse("the operation %s of %s", e.op, t)
	return a
}

// shift returns a shift. A shift by the width or more gives 0 or copies of the sign.
func (g *lowering) shift(e *expr, a, b *shade.Expr) *shade.Expr {
	t := e.typ
	size := uint64(32)
	if wide(t) {
		size = 64
	}
	op := shade.ShiftRight
	if e.op == sem.OpShl {
		op = shade.ShiftLeft
	}
	if b.IsLiteral() {
		n := b.Bits[0]
		k := shade.Int32(int32(min(n, size-1)))
		switch {
		case e.op == sem.OpShr && t.Kind == sem.Sint:
			return shade.Apply(op, a, k)
		case n >= uint64(t.Width):
			return shade.Lit(shadeType(t, 0), 0)
		case n == 0:
			return a
		case e.op == sem.OpShr:
			return shade.Apply(op, a, k)
		}
		return g.wrap(shade.Apply(op, a, k), t)
	}
	if wide(e.args[1].typ) {
		g.refuse("a shift by a number of 64 bits")
		return a
	}
	n := g.unsigned(b, e.args[1].typ)
	most := shade.Apply(shade.Min, n, shade.Uint32(uint32(size-1)))
	if e.op == sem.OpShr && t.Kind == sem.Sint {
		return shade.Apply(op, a, most)
	}
	if wide(t) {
		return shade.Apply(shade.Select, shade.Apply(shade.Lt, n, shade.Uint32(uint32(t.Width))), g.wrap(shade.Apply(op, a, most), t), shade.Lit(a.Type, 0))
	}
	if e.op == sem.OpShr {
		return g.wrap(g.call("shift_right", a, n), t)
	}
	if t.Kind == sem.Sint {
		return g.from(g.masked(g.call("shift_left", shade.Make(shade.Bitcast, shade.U32, a), n), t.Width), t)
	}
	return g.wrap(g.call("shift_left", a, n), t)
}
