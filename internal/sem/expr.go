package sem

import (
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// expr lowers an expression. want is the type that a number without one gets where nothing else says it.
func (l *lowerer) expr(e *expr, want Type) value {
	l.effort(e.span)
	switch e.kind {
	case eInt:
		return number(int64(e.n))
	case eReal:
		return realNumber(e.f)
	case eBool:
		return l.b.scalar(BoolType, l.b.flag(e.name == "true"))
	case eEnum:
		return l.enum(e)
	case eUnary:
		return l.unary(e, want)
	case eBinary:
		return l.binary(e, want)
	case eCond:
		return l.condExpr(e, want)
	case eCall:
		return l.callExpr(e, want)
	case eTuple:
		return l.tuple(e, want)
	case eField:
		return l.fieldExpr(e)
	case eName:
		if v := l.find(e.name); v != nil {
			return v.v
		}
		if v, ok := l.name(e); ok {
			return v
		}
	case eSlice:
		return l.slice(e)
	case eComp:
		return l.comp(e)
	case eDot:
		if v, ok := l.dot(e); ok {
			return v
		}
	case eIndex:
		if v, ok := l.indexExpr(e); ok {
			return v
		}
	}
	p := l.place(e)
	return l.read(&p, e.span)
}

// name lowers a name that code knows.
func (l *lowerer) name(e *expr) (value, bool) {
	switch e.name {
	case "here":
		return l.here, true
	case "next":
		return l.next, true
	case "pc":
		return l.counter(), true
	case "lane":
		in := valued(OpLane, U32)
		return l.b.scalar(U32, l.b.push(&in)), true
	case "exists":
		in := valued(OpExists, U64)
		in.Uniform = true
		return l.b.scalar(U64, l.b.push(&in)), true
	case "inf":
		return realNumber(infinity), true
	}
	return value{}, false
}

// counter is the program counter as it stands.
func (l *lowerer) counter() value {
	if l.pc.comps != nil {
		return l.pc
	}
	return l.settle(l.next, U32, l.b.span)
}

func (l *lowerer) enum(e *expr) value {
	dot := strings.LastIndexByte(e.name, '.')
	if dot < 0 {
		l.fail(e.span, diag.MeaningName, "%s is not a value by itself, expected a dot and a name", e.name)
	}
	enum := l.m.Model.ISA.Enum(e.name[:dot])
	if enum == nil {
		l.fail(e.span, diag.MeaningName, "unknown enum %s", e.name[:dot])
	}
	v := enum.Named(e.name[dot+1:])
	if v == nil {
		l.fail(e.span, diag.MeaningName, "enum %s has no value %q", enum.Name, e.name[dot+1:])
	}
	return number(int64(v.Val))
}

func (l *lowerer) unary(e *expr, want Type) value {
	if e.op == "!" {
		return l.b.scalar(BoolType, l.b.not(l.truth(e.x)))
	}
	v := l.expr(e.x, want)
	switch {
	case v.t.Kind == Int && e.op == "-":
		v.n = -v.n
		return v
	case v.t.Kind == Int:
		v.n = ^v.n
		return v
	case v.t.Kind == Real && e.op == "-":
		return realNumber(-v.real())
	case e.op == "-" && (v.t.integer() || v.t.Kind == Float):
		return l.each(OpNeg, v.t, v.t, 0, v)
	case e.op == "~" && (v.t.integer() || v.t.Kind == Bool):
		return l.each(OpNot, v.t, v.t, 0, v)
	}
	l.fail(e.span, diag.MeaningType, "%s cannot be applied to a value of type %s", e.op, v.t)
	return v
}

// operators are what the operators do; > and >= with their sides exchanged.
var operators = map[string]Op{
	"==": OpEq, "!=": OpNe, "<": OpLt, "<=": OpLe, ">": OpLt, ">=": OpLe, "+": OpAdd, "-": OpSub, "*": OpMul, "/": OpDiv, "%": OpMod, "&": OpAnd, "|": OpOr, "^": OpXor, "<<": OpShl, ">>": OpShr,
}

func (l *lowerer) binary(e *expr, want Type) value {
	if e.op == "&&" || e.op == "||" {
		return l.logic(e)
	}
	compares := e.code.compares()
	if compares {
		want = Type{}
	}
	x, y := l.expr(e.x, want), l.expr(e.y, want)
	if x.t.loose() && y.t.loose() {
		return l.looseBinary(e, x, y)
	}
	if e.op == "<<" || e.op == ">>" {
		return l.shift(e, x, y)
	}
	x, y = l.both(x, y, want, e.span)
	if compares {
		if e.op[0] == '>' {
			x, y = y, x
		}
		if x.t.Kind == Tuple || x.t.Kind == None || x.t.Kind == Bool && e.op != "==" && e.op != "!=" {
			l.fail(e.span, diag.MeaningType, "%s cannot be applied to values of type %s", e.op, x.t)
		}
		t := BoolType
		t.Len = x.t.Len
		return l.each(e.code, t, x.t, 0, x, y)
	}
	op := e.code
	ok := x.t.integer() || x.t.Kind == Float && op <= OpDiv || x.t.Kind == Bool && op >= OpAnd && op <= OpXor
	if !ok {
		l.fail(e.span, diag.MeaningType, "%s cannot be applied to values of type %s", e.op, x.t)
	}
	return l.each(op, x.t, x.t, 0, x, y)
}

// shift shifts by a number of any unsigned type.
func (l *lowerer) shift(e *expr, x, y value) value {
	if x.t.loose() {
		l.fail(e.x.span, diag.MeaningType, "a number without a type, expected one such as u32(...)")
	}
	if y.t.loose() {
		y = l.settle(y, U32, e.y.span)
	}
	if !x.t.integer() || y.t.Kind != Uint || y.t.Len > 0 && y.t.Len != x.t.Len {
		l.fail(e.span, diag.MeaningType, "a value of type %s shifted by a value of type %s, expected an integer and an unsigned integer", x.t, y.t)
	}
	return l.each(e.code, x.t, x.t, 0, x, l.widen(y, x.t.Count()))
}

// widen repeats a scalar.
func (l *lowerer) widen(v value, n int) value {
	for len(v.comps) < n {
		v.comps = append(v.comps[:len(v.comps):len(v.comps)], v.comps[0])
	}
	return v
}

// looseBinary computes with numbers that have no type yet.
func (l *lowerer) looseBinary(e *expr, x, y value) value {
	if x.t.Kind == Real || y.t.Kind == Real {
		return l.realBinary(e, x, y)
	}
	out := value{t: intType, unknown: x.unknown || y.unknown, has: NoID}
	if e.code.compares() {
		if out.unknown {
			return l.b.scalar(BoolType, l.b.param(BoolType))
		}
		if e.op[0] == '>' {
			x, y = y, x
		}
		return l.b.scalar(BoolType, l.b.flag(compare(e.code, Type{Kind: Sint, Width: 64}, uint64(x.n), uint64(y.n))))
	}
	in := blank(e.code).Typed(Type{Kind: Sint, Width: 64}, Type{})
	out.n = int64(applyInt(&in, uint64(x.n), uint64(y.n)))
	return out
}

func (l *lowerer) realBinary(e *expr, x, y value) value {
	a, b := x.real(), y.real()
	if x.t.Kind == Int {
		a = float64(x.n)
	}
	if y.t.Kind == Int {
		b = float64(y.n)
	}
	switch e.op {
	case "+":
		return realNumber(a + b)
	case "-":
		return realNumber(a - b)
	case "*":
		return realNumber(a * b)
	case "/":
		return realNumber(a / b)
	}
	l.fail(e.span, diag.MeaningType, "%s cannot be applied to numbers with a fraction", e.op)
	return x
}

// logic lowers && and ||. What the right side does it does where the left one leaves it open.
func (l *lowerer) logic(e *expr) value {
	x := l.cond(e.x)
	if c, ok := l.b.isConst(x); ok && (c != 0) == (e.op == "||") {
		return l.b.scalar(BoolType, x)
	}
	open, op := x, OpAnd
	if e.op == "||" {
		open, op = l.b.not(x), OpOr
	}
	var y ID
	l.under(open, func() { y = l.cond(e.y) })
	return l.b.scalar(BoolType, l.b.op(op, BoolType, BoolType, 0, x, y))
}

// under lowers an expression for the lanes in which a condition holds.
func (l *lowerer) under(cond ID, run func()) {
	if c, ok := l.b.isConst(cond); ok && c != 0 { // which may have been met first in a region that is skipped
		run()
		return
	}
	path, start, guard := l.path, l.start, l.b.guard
	l.path = l.b.and(path, cond)
	l.b.guard = l.guardOf(l.path)
	run()
	l.path, l.start, l.b.guard = path, start, guard
}

// cond lowers a condition: a bool, or a number that is known when the instruction is lowered, which holds if
// it is not 0.
func (l *lowerer) cond(e *expr) ID {
	return l.condition(l.truth(e), e.span)
}

// truth is cond without a record of the condition.
func (l *lowerer) truth(e *expr) ID {
	v := l.expr(e, BoolType)
	switch {
	case v.t.Kind == Int && v.unknown:
		return l.b.param(BoolType)
	case v.t.Kind == Int:
		return l.b.flag(v.n != 0)
	case v.t.Kind == Uint && v.t.Width == 1 && v.t.Len == 0:
		return l.b.op(OpNe, BoolType, v.t, 0, v.comps[0], l.b.constant(v.t, 0))
	case !v.t.same(BoolType) || v.t.maybe():
		l.fail(e.span, diag.MeaningType, "a value of type %s, expected a condition", v.t)
	}
	return v.comps[0]
}

func (l *lowerer) condExpr(e *expr, want Type) value {
	cond := l.cond(e.x)
	if c, ok := l.b.isConst(cond); ok {
		if c != 0 {
			return l.expr(e.y, want)
		}
		return l.expr(e.z, want)
	}
	var x, y value
	l.under(cond, func() { x = l.expr(e.y, want) })
	l.under(l.b.not(cond), func() { y = l.expr(e.z, want) })
	if x.t.loose() && y.t.loose() && l.b.settled(cond) {
		x.unknown = true
		if x.t.Kind == Real || y.t.Kind == Real {
			x.t = realType
		}
		return x
	}
	x, y = l.both(x, y, want, e.span)
	return l.choose(cond, x, y)
}

func (l *lowerer) tuple(e *expr, want Type) value {
	values := make([]value, 0, len(e.args))
	elems := make([]Type, 0, len(e.args))
	for i, a := range e.args {
		var w Type
		if want.Kind == Tuple && i < len(want.elems()) {
			w = want.elems()[i]
		}
		v := l.expr(a, w)
		if v.t.loose() {
			v = l.settle(v, w, a.span)
		}
		values, elems = append(values, v), append(elems, v.t)
	}
	return value{t: tupleOf(elems), tuple: &values, has: NoID}
}

// slice lowers x[high:low]: bits at constant places.
func (l *lowerer) slice(e *expr) value {
	v := l.expr(e.x, Type{})
	high, okHigh := l.constant(l.expr(e.y, Type{}), e.y.span)
	low, okLow := l.constant(l.expr(e.z, Type{}), e.z.span)
	if !okHigh || !okLow {
		l.fail(e.span, diag.MeaningType, "bit numbers that are only known when the program runs, expected constants")
	}
	return l.sliceOf(v, int(high), int(low), e.span)
}

func (l *lowerer) sliceOf(v value, high, low int, at diag.Span) value {
	if v.t.Kind == Int {
		t := Type{Kind: Uint, Width: high - low + 1}
		if low < 0 || t.Width < 1 || high > 63 {
			l.fail(at, diag.MeaningType, "bits %d to %d of a number, expected bits from 0 to 63", high, low)
		}
		if v.unknown {
			return l.b.scalar(t, l.b.param(t))
		}
		return l.b.scalar(t, l.b.constant(t, uint64(v.n)>>uint(low)))
	}
	if !v.t.integer() || low < 0 || high < low || high >= v.t.Width {
		l.fail(at, diag.MeaningType, "bits %d to %d cannot be selected from a value of type %s", high, low, v.t)
	}
	t := Type{Kind: Uint, Width: high - low + 1, Len: v.t.Len}
	return l.each(OpSlice, t, v.t, uint64(low), v)
}

// comp lowers v.[k].
func (l *lowerer) comp(e *expr) value {
	v := l.expr(e.x, Type{})
	list, t := l.componentNumbers(e, v.t)
	out := value{t: t, has: NoID, comps: l.b.list(len(list))[:0]}
	for _, k := range list {
		if k < 0 {
			out.comps = append(out.comps, l.opaque(v.t.Elem(), l.uniformValue(v)).comps[0])
			continue
		}
		out.comps = append(out.comps, v.comps[k])
	}
	return out
}

// componentNumbers returns the numbers in k of x.[k], and the type of the result. x has the type t. A number that is not
// known while a description is checked is -1.
func (l *lowerer) componentNumbers(e *expr, t Type) ([]int, Type) {
	k := l.expr(e.y, Type{})
	if t.Len == 0 {
		l.fail(e.span, diag.MeaningType, "a value of type %s has no components", t)
	}
	list := make([]int, max(1, k.t.Len))
	for i := range list {
		one := k
		if k.t.Len > 0 {
			one = value{t: k.t.Elem(), comps: k.comps[i : i+1], has: NoID}
		}
		n, known := l.constant(one, e.y.span)
		if known && (n < 0 || n >= int64(t.Len)) {
			l.fail(e.span, diag.MeaningType, "a value of type %s has no component %d", t, n)
		}
		if list[i] = int(n); !known {
			list[i] = -1
		}
	}
	t.Len = k.t.Len
	return list, t
}

// dot lowers v.xy on a value, and top(stack).slot.
func (l *lowerer) dot(e *expr) (value, bool) {
	if e.x.kind == eCall && e.x.name == "top" {
		return l.top(e), true
	}
	if l.isPlace(e.x) {
		return value{}, false
	}
	v := l.expr(e.x, Type{})
	comps := l.components(e.name, nil, v.t, e.span)
	out := value{t: v.t.Elem(), has: NoID, comps: l.b.list(len(comps))[:0]}
	if len(comps) > 1 {
		out.t.Len = len(comps)
	}
	for _, c := range comps {
		out.comps = append(out.comps, v.comps[c])
	}
	return out, true
}

// components reads the letters of components.
func (l *lowerer) components(name string, names []string, t Type, at diag.Span) []int {
	var list []int
	for i := range name {
		k := strings.IndexByte("xyzw", name[i])
		if k < 0 || k >= max(1, t.Len) || t.Len == 0 {
			l.fail(at, diag.MeaningType, "a value of type %s has no component %q", t, name)
		}
		list = append(list, k)
	}
	return list
}

func (l *lowerer) top(e *expr) value {
	args := e.x.args
	if len(args) == 0 || len(args) > 2 || args[0].kind != eName {
		l.fail(e.span, diag.MeaningSyntax, "expected top(STACK).SLOT or top(STACK, NUMBER).SLOT")
	}
	st := l.stack(args[0].name, args[0].span)
	k := st.slot(e.name)
	if k < 0 {
		l.fail(e.span, diag.MeaningName, "stack %s has no slot %s", st.Name, e.name)
	}
	in := valued(OpTop, st.Slots[k].Type)
	in.State, in.Comp, in.Guard, in.Uniform = st, k, l.b.guard, st.wide()
	if len(args) == 2 {
		n, _ := l.constant(l.expr(args[1], Type{}), args[1].span)
		in.Imm = uint64(max(0, n))
	}
	return l.b.scalar(in.Type(), l.b.push(&in))
}

// indexExpr lowers x[i] where x is a value: one bit of it, or a number of a rom.
func (l *lowerer) indexExpr(e *expr) (value, bool) {
	if l.isPlace(e) {
		return value{}, false
	}
	v := l.expr(e.x, Type{})
	k, known := l.constant(l.expr(e.y, Type{}), e.y.span)
	if !known {
		t := Type{Kind: Uint, Width: 1}
		in := valued(OpOpaque, t)
		return l.b.scalar(t, l.b.push(&in)), true
	}
	return l.sliceOf(v, int(k), int(k), e.span), true
}

// typeOf settles a written type: widths may be constants of a generic function.
func (l *lowerer) typeOf(t *typeExpr) Type {
	out := t.t
	if t.enum != "" {
		e := l.m.Model.ISA.Enum(t.enum)
		if e == nil {
			l.fail(t.span, diag.MeaningName, "unknown enum %s", t.enum)
		}
		out.rare = &rareType{enum: e}
		return out
	}
	if t.width != nil {
		n, known := l.constant(l.expr(t.width, Type{}), t.span)
		if !known {
			n = 32
		}
		if n < 1 || n > 64 {
			l.fail(t.span, diag.MeaningType, "a type of %d bits, expected 1 to 64", n)
		}
		out.Width = int(n)
	}
	if t.elems == nil {
		return out
	}
	elems := make([]Type, len(t.elems))
	for i, e := range t.elems {
		elems[i] = l.typeOf(e)
	}
	return tupleOf(elems).optional(t.t.maybe())
}

// quirk returns the value of a quirk, if there is one of that name.
func (l *lowerer) quirk(name string) (value, bool) {
	q := l.m.quirks[name]
	if q == nil {
		return value{}, false
	}
	if l.asked != nil {
		l.asked[name] = true
	}
	if v, ok := l.words.Quirks[name]; ok {
		return number(int64(v)), true
	}
	if l.check {
		return value{t: intType, unknown: true, has: NoID}, true
	}
	return number(int64(q.Default)), true
}

// fieldKind reports whether a field is signed.
func signedKind(k spec.Kind) bool {
	return k == spec.KindInt || k == spec.KindOffset || k == spec.KindBranch
}
