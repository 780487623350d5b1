package translate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/sem"
)

// text is a printed expression. rank is the rank of its outermost operator: an operator that binds weaker has a greater rank.
type text struct {
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
func (t text) in(rank int) string {
	if t.rank > rank {
		return "(" + t.s + ")"
	}
	return t.s
}

func primary(format string, args ...any) text { return text{fmt.Sprintf(format, args...), rankPrimary} }

// binary prints a left-associative operator.
func binary(a text, op string, b text, rank int) text {
	return text{a.in(rank) + " " + op + " " + b.in(rank-1), rank}
}

const letters = "xyzw"

// swizzle returns the selection of components of a vector of a size.
func swizzle(comps []int, size int) string {
	if size == 0 || len(comps) == 0 {
		return ""
	}
	whole := len(comps) == size
	s := "."
	for i, k := range comps {
		whole = whole && k == i
		s += letters[k : k+1]
	}
	if whole {
		return ""
	}
	return s
}

// glslType returns the name of a type. n is the number of components, or 0.
func glslType(t sem.Type, n int) string {
	scalar, vector := "float", "vec"
	switch {
	case t.Kind == sem.Bool:
		scalar, vector = "bool", "bvec"
	case t.Kind == sem.Uint && t.Width > 32:
		scalar, vector = "uint64_t", "u64vec"
	case t.Kind == sem.Sint && t.Width > 32:
		scalar, vector = "int64_t", "i64vec"
	case t.Kind == sem.Uint:
		scalar, vector = "uint", "uvec"
	case t.Kind == sem.Sint:
		scalar, vector = "int", "ivec"
	case t.Width == 64:
		scalar, vector = "double", "dvec"
	}
	if n < 2 {
		return scalar
	}
	return vector + strconv.Itoa(n)
}

// wide reports whether a value needs 64 bits.
func wide(t sem.Type) bool { return t.Width > 32 }

// literal prints a constant.
func (g *glsl) literal(t sem.Type, v uint64) text {
	switch t.Kind {
	case sem.Bool:
		return primary("%t", v != 0)
	case sem.Uint:
		if wide(t) {
			return primary("%#xul", v)
		}
		if v > 4096 {
			return primary("%#xu", v)
		}
		return primary("%du", v)
	case sem.Sint:
		n := int64(v<<(64-t.Width)) >> (64 - t.Width)
		if n == math.MinInt32 || n == math.MinInt64 {
			return primary("%s(%#xu%s)", glslType(t, 0), v, map[bool]string{true: "l", false: ""}[wide(t)])
		}
		if wide(t) {
			return primaryOrNegative(fmt.Sprintf("%dl", n), n < 0)
		}
		return primaryOrNegative(strconv.FormatInt(n, 10), n < 0)
	}
	f := sem.FloatOf(v, t.Width)
	least := 0x1p-126
	if t.Width == 64 {
		least = 0x1p-1022
	}
	if f != f || math.IsInf(f, 0) || f == 0 && v != 0 || f != 0 && math.Abs(f) < least {
		if t.Width == 64 {
			return primary("packDouble2x32(uvec2(%#xu, %#xu))", v&0xffffffff, v>>32)
		}
		return primary("uintBitsToFloat(%#xu)", v)
	}
	s := strconv.FormatFloat(f, 'g', -1, t.Width)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	if t.Width == 64 {
		s += "lf"
	}
	return primaryOrNegative(s, f < 0)
}

func primaryOrNegative(s string, negative bool) text {
	if negative {
		return text{s, rankUnary}
	}
	return text{s, rankPrimary}
}

// expr prints an expression.
func (g *glsl) expr(e *expr) text {
	switch e.form {
	case constant:
		if e.n == 0 {
			return g.literal(e.typ, e.values[0])
		}
		var list []string
		for _, v := range e.values {
			list = append(list, g.literal(e.typ, v).s)
		}
		return primary("%s(%s)", glslType(e.typ, e.n), strings.Join(list, ", "))
	case reference:
		return g.reference(e)
	case element:
		return g.element(e)
	case splat:
		return primary("%s(%s)", glslType(e.typ, e.n), g.expr(e.args[0]).s)
	case construct:
		return primary("%s(%s)", glslType(e.typ, e.n), g.list(e.args))
	case call:
		if e.n > 0 {
			g.overload(g.functions[e.call], e.call, e.n)
		}
		return primary("%s(%s)", g.functions[e.call], g.list(e.args))
	case load:
		return g.load(e)
	case canonical:
		return g.canonical(g.expr(e.args[0]), e.args[0])
	}
	return g.operation(e)
}

func (g *glsl) list(args []*expr) string {
	var list []string
	for _, a := range args {
		list = append(list, g.expr(a).s)
	}
	return strings.Join(list, ", ")
}

// reference prints components of a variable.
func (g *glsl) reference(e *expr) text {
	s := e.variable.name
	if e.index != nil {
		if e.index.form == constant {
			s += fmt.Sprintf("[%d]", e.index.values[0])
		} else {
			s += "[" + g.expr(e.index).s + "]"
		}
	}
	t := primary("%s%s", s, swizzle(e.comps, e.variable.size))
	if e.typ.Kind == sem.Bool && g.stored[e.variable] { // uniform blocks have no bool
		if e.n > 0 {
			return primary("notEqual(%s, uvec%d(0u))", t.s, e.n)
		}
		return binary(t, "!=", text{"0u", 0}, rankEqual)
	}
	return t
}

// element prints components of an element of an array with a computed number.
func (g *glsl) element(e *expr) text {
	index := g.unsigned(g.expr(e.index), e.index.typ)
	s := e.variable
	name := g.accessor(s, e.state)
	t := primary("%s(%s)%s", name, index.s, swizzle(e.comps, s.size))
	return t
}

// unsigned returns the bits of an integer as an unsigned number of 32 or 64 bits.
func (g *glsl) unsigned(a text, t sem.Type) text {
	switch t.Kind {
	case sem.Bool:
		return primary("uint(%s)", a.s)
	case sem.Sint:
		x := primary("%s(%s)", glslType(sem.Type{Kind: sem.Uint, Width: t.Width}, 0), a.s)
		if t.Width != 32 && t.Width != 64 {
			return g.masked(x, t.Width)
		}
		return x
	case sem.Float:
		if t.Width == 64 {
			g.need("int64")
			return primary("doubleBitsToUint64(%s)", a.s)
		}
		return primary("floatBitsToUint(%s)", a.s)
	}
	return a
}

// masked keeps the low bits of an unsigned number.
func (g *glsl) masked(a text, width int) text {
	if width == 32 || width == 64 {
		return a
	}
	return binary(a, "&", g.literal(sem.Type{Kind: sem.Uint, Width: max(32, width)}, 1<<width-1), rankAnd)
}

// resized converts an unsigned number of some bits to one of other bits.
func (g *glsl) resized(a text, from, to int) text {
	switch {
	case from > 32 && to <= 32:
		a = primary("uint(%s)", a.s)
	case from <= 32 && to > 32:
		g.need("int64")
		a = primary("uint64_t(%s)", a.s)
	}
	if to < from && to != 32 {
		return g.masked(a, to)
	}
	return a
}

// from returns the value of a type with the given bits, an unsigned number of the width of the type.
func (g *glsl) from(a text, t sem.Type) text {
	switch t.Kind {
	case sem.Bool:
		return binary(a, "!=", text{"0u", 0}, rankEqual)
	case sem.Sint:
		return g.signed(primary("%s(%s)", glslType(t, 0), a.s), t)
	case sem.Float:
		if t.Width == 64 {
			g.need("int64")
			return primary("uint64BitsToDouble(%s)", a.s)
		}
		return primary("uintBitsToFloat(%s)", a.s)
	}
	return a
}

// signed extends the sign of a signed number of few bits.
func (g *glsl) signed(a text, t sem.Type) text {
	k := 32 - t.Width
	if wide(t) {
		k = 64 - t.Width
	}
	if k == 0 {
		return a
	}
	shift := text{strconv.Itoa(k), 0}
	return binary(binary(a, "<<", shift, rankShift), ">>", shift, rankShift)
}

// wrap cuts the result of integer arithmetic to the width of its type.
func (g *glsl) wrap(a text, t sem.Type) text {
	if t.Kind == sem.Sint {
		return g.signed(a, t)
	}
	return g.masked(a, t.Width)
}

// canonical replaces a NaN by the one that has the bits of the machine.
func (g *glsl) canonical(a text, e *expr) text {
	if e.form == constant {
		return a
	}
	if e.typ.Width == 64 {
		return primary("%s(%s)", g.helper("canonical64"), a.s)
	}
	return primary("%s(%s)", g.helper("canonical"), a.s)
}

// helperCall prints a call of a function of the library, for scalars or vectors.
func (g *glsl) helperCall(name string, e *expr, args ...text) text {
	var list []string
	for _, a := range args {
		list = append(list, a.s)
	}
	h := g.helper(name)
	if e.n > 0 {
		g.overloadHelper(name, len(args), e.n)
	}
	return primary("%s(%s)", h, strings.Join(list, ", "))
}

// operation prints an operation.
func (g *glsl) operation(e *expr) text {
	var a, b, c text
	args := make([]text, len(e.args))
	for i, x := range e.args {
		args[i] = g.expr(x)
	}
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
	if t.Kind == sem.Float && t.Width == 16 || len(e.args) > 0 && e.from.Kind == sem.Float && e.from.Width == 16 {
		g.refuse("floats of 16 bits")
	}
	if wide(t) || wide(e.from) {
		if t.Kind == sem.Float || e.from.Kind == sem.Float {
			g.need("double")
		}
		if t.Kind == sem.Uint || t.Kind == sem.Sint || e.from.Kind == sem.Uint || e.from.Kind == sem.Sint {
			g.need("int64")
		}
	}
	switch e.op {
	case sem.OpEq, sem.OpNe, sem.OpLt, sem.OpLe:
		return g.compare(e, a, b)
	case sem.OpSelect:
		if e.n > 0 {
			return primary("mix(%s, %s, %s)", c.s, b.s, a.s)
		}
		return text{a.in(rankLogicOr) + " ? " + b.in(rankLogicOr) + " : " + c.in(rankSelect), rankSelect}
	case sem.OpNot:
		if t.Kind == sem.Bool {
			if e.n > 0 {
				return primary("not(%s)", a.s)
			}
			return g.not(e.args[0])
		}
		return g.wrap(text{"~" + a.in(rankUnary), rankUnary}, t)
	case sem.OpAnd, sem.OpOr, sem.OpXor:
		return g.logic(e, a, b)
	case sem.OpCast:
		return g.cast(e, a)
	case sem.OpSext:
		x := sem.Type{Kind: sem.Sint, Width: e.from.Width}
		s := g.from(g.unsigned(a, e.from), x)
		if wide(t) != wide(x) {
			g.need("int64")
			s = primary("%s(%s)", glslType(sem.Type{Kind: sem.Sint, Width: t.Width}, 0), s.s)
		}
		if t.Kind == sem.Sint {
			return s
		}
		return g.masked(primary("%s(%s)", glslType(t, 0), s.s), t.Width)
	case sem.OpSlice:
		x := g.unsigned(a, e.from)
		if e.imm > 0 {
			x = binary(x, ">>", text{strconv.FormatUint(e.imm, 10), 0}, rankShift)
		}
		if wide(e.from) && !wide(t) {
			x = primary("uint(%s)", x.s)
		}
		if int(e.imm)+t.Width < e.from.Width || e.imm == 0 && t.Width < e.from.Width {
			x = g.masked(x, t.Width)
		}
		return x
	case sem.OpConcat:
		low := t.Width - e.from.Width
		if x := e.args[1]; t == sem.F32 && low == 31 && e.args[0].form == constant && e.args[0].values[0] == 0 && x.form == operation && x.op == sem.OpSlice && x.imm == 0 && x.from == sem.F32 {
			return primary("abs(%s)", g.expr(x.args[0]).s) // the bits without the sign
		}
		hi, lo := g.resized(g.unsigned(a, e.from), e.from.Width, t.Width), g.resized(b, low, t.Width)
		return g.from(binary(binary(hi, "<<", text{strconv.Itoa(low), 0}, rankShift), "|", lo, rankOr), t)
	case sem.OpConvert:
		return g.convert(e, a)
	case sem.OpClz:
		if wide(e.from) {
			g.refuse("the operation %s of 64 bits", e.op)
		}
		return binary(text{strconv.Itoa(e.from.Width-1) + "u", 0}, "-", primary("uint(findMSB(%s))", g.unsigned(a, e.from).s), rankAdd)
	case sem.OpPopcount:
		if wide(e.from) {
			g.refuse("the operation %s of 64 bits", e.op)
		}
		return primary("uint(bitCount(%s))", g.unsigned(a, e.from).s)
	case sem.OpCarry, sem.OpOverflow:
		return g.carry(e, a, b, c)
	case sem.OpFlush:
		if t.Kind == sem.Uint {
			return g.helperCall("flush_bits", e, a)
		}
		return g.helperCall("flush", e, a)
	case sem.OpProduct:
		if e.imm == 1 {
			return g.helperCall("product_flushed", e, a, b)
		}
		return g.helperCall("product", e, a, b)
	}
	if t.Kind == sem.Float {
		return g.float(e, a, b, c)
	}
	return g.integer(e, a, b)
}

// compare prints a comparison.
func (g *glsl) compare(e *expr, a, b text) text {
	x, y := e.args[0], e.args[1]
	if e.op == sem.OpNe && e.from.Kind == sem.Float && equalExpr(x, y) {
		if e.from.Width == 64 {
			return primary("%s(%s)", g.helper("nan64"), a.s)
		}
		return g.helperCall("nan", e, a)
	}
	if e.n > 0 {
		name := map[sem.Op]string{sem.OpEq: "equal", sem.OpNe: "notEqual", sem.OpLt: "lessThan", sem.OpLe: "lessThanEqual"}[e.op]
		return primary("%s(%s, %s)", name, a.s, b.s)
	}
	switch e.op {
	case sem.OpEq:
		return binary(a, "==", b, rankEqual)
	case sem.OpNe:
		return binary(a, "!=", b, rankEqual)
	case sem.OpLt:
		return binary(a, "<", b, rankLess)
	}
	return binary(a, "<=", b, rankLess)
}

// equalExpr reports whether two expressions are the same components or constants.
func equalExpr(x, y *expr) bool {
	if x.form != y.form || x.variable != y.variable || x.op != y.op || x.call != y.call || x.imm != y.imm || x.n != y.n || len(x.args) != len(y.args) || fmt.Sprint(x.comps, x.values) != fmt.Sprint(y.comps, y.values) {
		return false
	}
	for i := range x.args {
		if !equalExpr(x.args[i], y.args[i]) {
			return false
		}
	}
	return x.index == nil && y.index == nil || x.index != nil && y.index != nil && equalExpr(x.index, y.index)
}

// not prints the negation of a condition.
func (g *glsl) not(x *expr) text {
	if x.form == operation && x.n == 0 {
		y := *x
		switch {
		case x.op == sem.OpEq:
			y.op = sem.OpNe
		case x.op == sem.OpNe && !(x.from.Kind == sem.Float && equalExpr(x.args[0], x.args[1])):
			y.op = sem.OpEq
		case x.op == sem.OpLt && x.from.Kind != sem.Float:
			y.op, y.args = sem.OpLe, []*expr{x.args[1], x.args[0]}
		case x.op == sem.OpLe && x.from.Kind != sem.Float:
			y.op, y.args = sem.OpLt, []*expr{x.args[1], x.args[0]}
		case x.op == sem.OpNot && x.typ.Kind == sem.Bool:
			return g.expr(x.args[0])
		}
		if y.op != x.op {
			return g.operation(&y)
		}
	}
	a := g.expr(x)
	if x.form == reference && g.stored[x.variable] {
		return text{strings.Replace(a.s, " != ", " == ", 1), a.rank}
	}
	return text{"!" + a.in(rankUnary), rankUnary}
}

// logic prints an operation on bits or conditions.
func (g *glsl) logic(e *expr, a, b text) text {
	if e.typ.Kind == sem.Bool {
		switch e.op {
		case sem.OpAnd:
			return binary(a, "&&", b, rankLogicAnd)
		case sem.OpOr:
			return binary(a, "||", b, rankLogicOr)
		}
		return binary(a, "^^", b, rankLogicXor)
	}
	switch e.op {
	case sem.OpAnd:
		return binary(a, "&", b, rankAnd)
	case sem.OpOr:
		return binary(a, "|", b, rankOr)
	}
	return binary(a, "^", b, rankXor)
}

// cast prints the bits of a value as another type.
func (g *glsl) cast(e *expr, a text) text {
	if e.from == e.typ {
		return a
	}
	if e.from.Kind == sem.Float && e.typ.Kind != sem.Float {
		a = g.canonical(a, e.args[0])
	}
	if e.from.Kind == sem.Bool && e.typ.Kind == sem.Uint && !wide(e.typ) {
		return primary("uint(%s)", a.s)
	}
	if e.from.Kind == sem.Uint && e.typ.Kind == sem.Sint && e.from.Width < e.typ.Width && !wide(e.typ) {
		return primary("int(%s)", a.s)
	}
	bits := g.unsigned(a, e.from)
	bits = g.resized(bits, e.from.Width, e.typ.Width)
	if e.typ.Kind == sem.Sint && e.from.Width < e.typ.Width {
		return primary("%s(%s)", glslType(e.typ, 0), bits.s) // zeros above
	}
	return g.from(bits, e.typ)
}

// convert prints a conversion between numbers.
func (g *glsl) convert(e *expr, a text) text {
	from, to := e.from, e.typ
	mode := sem.Mode(e.imm)
	switch {
	case from.Kind == sem.Float && to.Kind == sem.Float:
		if to.Width == 64 {
			return primary("double(%s)", a.s)
		}
		if mode != sem.Nearest {
			g.refuse("a conversion of f64 to f32 that does not round to nearest")
		}
		return primary("float(%s)", a.s)
	case from.Kind == sem.Float:
		if from.Width == 64 || wide(to) {
			g.refuse("a conversion of f%d to %s", from.Width, to)
		}
		x := a
		if y := e.args[0]; mode != sem.Zero && !(y.form == operation && y.op == sem.OpRint) { // the conversion truncates
			x = g.round(a, mode, e)
		}
		top := uint64(1)<<to.Width - 1
		if to.Kind == sem.Sint {
			half := uint64(1) << (to.Width - 1)
			return primary("%s(%s, %s, %s)", g.helper("to_int"), x.s, g.literal(sem.Type{Kind: sem.Sint, Width: 32}, uint64(uint32(-int32(half)))).s, g.literal(sem.Type{Kind: sem.Sint, Width: 32}, half-1).s)
		}
		return primary("%s(%s, %s)", g.helper("to_uint"), x.s, g.literal(sem.U32, top).s)
	case to.Kind == sem.Float:
		if to.Width == 32 && mode != sem.Nearest && from.Width > 24 || to.Width == 64 && from.Width > 53 {
			g.refuse("a conversion of %s to %s that does not round to nearest", from, to)
		}
		return primary("%s(%s)", glslType(to, 0), a.s)
	}
	// Integers saturate.
	if wide(from) || wide(to) {
		g.refuse("a saturating conversion of %s to %s", from, to)
	}
	u := sem.U32
	s32 := sem.Type{Kind: sem.Sint, Width: 32}
	switch {
	case from.Kind == sem.Uint && to.Kind == sem.Uint:
		if to.Width >= from.Width {
			return a
		}
		return primary("min(%s, %s)", a.s, g.literal(u, 1<<to.Width-1).s)
	case from.Kind == sem.Uint:
		if to.Width > from.Width {
			return primary("int(%s)", a.s)
		}
		return primary("int(min(%s, %s))", a.s, g.literal(u, 1<<(to.Width-1)-1).s)
	case to.Kind == sem.Uint:
		x := primary("uint(max(%s, 0))", a.s)
		if to.Width >= from.Width-1 {
			return x
		}
		return primary("min(%s, %s)", x.s, g.literal(u, 1<<to.Width-1).s)
	}
	if to.Width >= from.Width {
		return a
	}
	half := int64(1) << (to.Width - 1)
	return primary("clamp(%s, %s, %s)", a.s, g.literal(s32, uint64(uint32(-half))).s, g.literal(s32, uint64(half-1)).s)
}

// round prints a float rounded to an integer.
func (g *glsl) round(a text, mode sem.Mode, e *expr) text {
	switch mode {
	case sem.Zero:
		return primary("trunc(%s)", a.s)
	case sem.Down:
		return primary("floor(%s)", a.s)
	case sem.Up:
		return primary("ceil(%s)", a.s)
	case sem.Away:
		g.refuse("rounding to nearest with ties away from 0")
	}
	return primary("roundEven(%s)", a.s)
}

// carry prints the carry or the overflow of a sum.
func (g *glsl) carry(e *expr, a, b, c text) text {
	if wide(e.from) {
		g.refuse("the operation %s of 64 bits", e.op)
	}
	u := func(x text) text { return g.unsigned(x, e.from) }
	cin := primary("uint(%s)", c.s)
	if e.args[2].form == constant {
		cin = g.literal(sem.U32, e.args[2].values[0])
	}
	name := "carry"
	if e.op == sem.OpOverflow {
		name = "overflows"
	}
	return primary("%s(%s, %s, %s, %d)", g.helper(name), u(a).s, u(b).s, cin.s, e.from.Width)
}

// float prints arithmetic on floats.
func (g *glsl) float(e *expr, a, b, c text) text {
	double := e.typ.Width == 64
	if e.imm != 0 && e.op != sem.OpRint {
		g.refuse("the operation %s with directed rounding", e.op)
	}
	if t, ok := g.withZero(e, a, b); ok {
		return t
	}
	switch e.op {
	case sem.OpAdd:
		if rest, ok := strings.CutPrefix(b.s, "-"); ok && b.rank == rankUnary {
			return binary(a, "-", text{rest, rankPrimary}, rankAdd)
		}
		return binary(a, "+", b, rankAdd)
	case sem.OpSub:
		return binary(a, "-", b, rankAdd)
	case sem.OpMul:
		return binary(a, "*", b, rankMul)
	case sem.OpNeg:
		return text{"-" + a.in(rankPrimary), rankUnary}
	case sem.OpRint:
		return g.round(a, sem.Mode(e.imm), e)
	case sem.OpDiv:
		if double {
			return binary(a, "/", b, rankMul)
		}
		return g.helperCall("divide", e, a, b)
	case sem.OpSqrt:
		if double {
			return primary("sqrt(%s)", a.s)
		}
		return g.helperCall("square_root", e, a)
	case sem.OpFma:
		if double {
			g.refuse("the operation fma of f64")
		}
		return g.helperCall("fma", e, a, b, c)
	case sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos:
		name := e.op.String()
		if double {
			return primary("%s(%s)", g.helper(name+"_64"), a.s)
		}
		return g.helperCall(name, e, a)
	}
	g.refuse("the operation %s of floats", e.op)
	return a
}

// withZero prints arithmetic with the constant 0 without arithmetic.
func (g *glsl) withZero(e *expr, a, b text) (t text, ok bool) {
	if e.typ.Width != 32 || e.n > 0 || len(e.args) != 2 {
		return text{}, false
	}
	zero := func(x *expr) (negative, ok bool) {
		ok = x.form == constant && x.values[0]&0x7fffffff == 0
		return ok && x.values[0] != 0, ok
	}
	minus := func(x text) text { return text{"-" + x.in(rankPrimary), rankUnary} }
	positive := func(x text) text { return primary("%s(%s)", g.helper("add_zero"), x.s) }
	left, isLeft := zero(e.args[0])
	right, isRight := zero(e.args[1])
	switch {
	case e.op == sem.OpAdd && isLeft && left, e.op == sem.OpSub && isRight && !right:
		if e.op == sem.OpAdd {
			return b, true
		}
		return a, true
	case e.op == sem.OpAdd && isLeft:
		return positive(b), true
	case e.op == sem.OpAdd && isRight && right:
		return a, true
	case e.op == sem.OpAdd && isRight, e.op == sem.OpSub && isRight:
		return positive(a), true
	case e.op == sem.OpSub && isLeft && left:
		return minus(b), true
	case e.op == sem.OpSub && isLeft:
		return positive(minus(b)), true
	case e.op == sem.OpMul && isLeft:
		return primary("%s(%s, %s)", g.helper("multiply_zero"), b.s, a.s), true
	case e.op == sem.OpMul && isRight:
		return primary("%s(%s, %s)", g.helper("multiply_zero"), a.s, b.s), true
	}
	return text{}, false
}

// integer prints arithmetic on integers.
func (g *glsl) integer(e *expr, a, b text) text {
	t := e.typ
	switch e.op {
	case sem.OpAdd:
		return g.wrap(binary(a, "+", b, rankAdd), t)
	case sem.OpSub:
		return g.wrap(binary(a, "-", b, rankAdd), t)
	case sem.OpMul:
		return g.wrap(binary(a, "*", b, rankMul), t)
	case sem.OpNeg:
		if t.Kind == sem.Uint {
			return g.wrap(text{"0u - " + a.in(rankMul), rankAdd}, t)
		}
		return g.wrap(text{"-" + a.in(rankPrimary), rankUnary}, t)
	case sem.OpMin, sem.OpMax:
		return primary("%s(%s, %s)", e.op, a.s, b.s)
	case sem.OpShl, sem.OpShr:
		return g.shift(e, a, b)
	case sem.OpDiv, sem.OpMod:
		if t.Kind == sem.Sint || wide(t) {
			g.refuse("the operation %s of %s", e.op, t)
		}
		return primary("%s(%s, %s)", g.helper("u"+e.op.String()), a.s, b.s)
	case sem.OpMulHigh:
		if t.Kind == sem.Sint || wide(t) {
			g.refuse("the operation %s of %s", e.op, t)
		}
		if t.Width == 32 {
			return primary("%s(%s, %s)", g.helper("mul_high"), a.s, b.s)
		}
		if t.Width <= 16 {
			return binary(binary(a, "*", b, rankMul), ">>", text{strconv.Itoa(t.Width), 0}, rankShift)
		}
	}
	g.refuse("the operation %s of %s", e.op, t)
	return a
}

// shift prints a shift. A shift by the width or more gives 0 or copies of the sign.
func (g *glsl) shift(e *expr, a, b text) text {
	t := e.typ
	size := uint64(32)
	if wide(t) {
		size = 64
	}
	if y := e.args[1]; y.form == constant {
		n := y.values[0]
		k := text{strconv.FormatUint(min(n, size-1), 10), 0}
		switch {
		case e.op == sem.OpShr && t.Kind == sem.Sint:
			return binary(a, ">>", k, rankShift)
		case n >= uint64(t.Width):
			return g.literal(t, 0)
		case n == 0:
			return a
		case e.op == sem.OpShr:
			return binary(a, ">>", k, rankShift)
		}
		return g.wrap(binary(a, "<<", k, rankShift), t)
	}
	n := g.unsigned(b, e.args[1].typ)
	if wide(e.args[1].typ) {
		g.refuse("a shift by a number of 64 bits")
	}
	if e.op == sem.OpShr && t.Kind == sem.Sint {
		return binary(a, ">>", primary("min(%s, %du)", n.s, size-1), rankShift)
	}
	if wide(t) {
		return text{binary(n, "<", primary("%du", t.Width), rankLess).s + " ? " + g.wrap(binary(a, map[bool]string{true: "<<", false: ">>"}[e.op == sem.OpShl], primary("min(%s, 63u)", n.s), rankShift), t).in(rankLogicOr) + " : " + g.literal(t, 0).s, rankSelect}
	}
	name := "shift_right"
	if e.op == sem.OpShl {
		if t.Kind == sem.Sint {
			return g.from(g.masked(primary("%s(uint(%s), %s)", g.helper("shift_left"), a.s, n.s), t.Width), t)
		}
		name = "shift_left"
	}
	return g.wrap(primary("%s(%s, %s)", g.helper(name), a.s, n.s), t)
}
