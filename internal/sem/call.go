package sem

import (
	"strconv"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
)

func itoa(n int) string { return strconv.Itoa(n) }

// parsePlain reads a scalar type such as u16.
func parsePlain(s string) (Type, bool) {
	base, n, ok := matchType(s)
	if !ok || n > 0 {
		return Type{}, false
	}
	if base == "bool" {
		return BoolType, true
	}
	w, err := strconv.Atoi(base[1:])
	if err != nil || w < 1 || w > 64 {
		return Type{}, false
	}
	switch base[0] {
	case 'u':
		return Type{Kind: Uint, Width: w}, true
	case 's':
		return Type{Kind: Sint, Width: w}, true
	}
	return Type{Kind: Float, Width: w}, w == 16 || w == 32 || w == 64
}

// namedType reads a type that is used as a function: u32, f32x4.
func namedType(s string) (Type, bool) {
	base, n, ok := matchType(s)
	if !ok {
		return Type{}, false
	}
	t, ok := parsePlain(base)
	t.Len = n
	return t, ok
}

// callExpr lowers f(...): an intrinsic, a type, a function of the description or a service.
func (l *lowerer) callExpr(e *expr, want Type) value {
	switch {
	case e.known != nil:
		return e.known(l, e, want)
	case e.typ != nil:
		return l.make(*e.typ, e)
	}
	if f := l.m.functions[e.name]; f != nil {
		return l.callFunction(f, e)
	}
	if f := l.m.services[e.name]; f != nil {
		return l.callService(f, e)
	}
	if len(e.name) > 3 && e.name[:3] == "to_" {
		if t, ok := parsePlain(e.name[3:]); ok && t.Kind != Bool {
			return l.convertTo(t, e)
		}
	}
	l.fail(e.span, diag.MeaningName, "unknown function %s", e.name)
	return value{}
}

// make lowers T(...): the same bits in another type, or a vector of its components.
func (l *lowerer) make(t Type, e *expr) value {
	if len(e.args) == 1 {
		v := l.expr(e.args[0], t)
		switch {
		case v.t.loose():
			return l.settle(v, t, e.span)
		case v.t.same(t):
			return v
		case v.t.Len == 0 && t.Len > 0 && v.t.same(t.Elem()):
			return value{t: t, comps: l.widen(v, t.Len).comps, has: NoID}
		case v.t.Len == t.Len && v.t.Width == t.Width && v.t.Kind != Tuple:
			return l.reread(v, t)
		case v.t.Kind == Bool && t.integer() && v.t.Len == t.Len:
			return l.reread(v, t)
		}
		l.fail(e.span, diag.MeaningType, "%s of a value of type %s, expected a value of the same size; zext, sext, trunc and to_%s convert", t, v.t, t.Elem())
	}
	out := value{t: t, has: NoID, comps: l.b.list(t.Count())[:0]}
	for _, a := range e.args {
		v := l.expr(a, t.Elem())
		if v.t.loose() {
			v = l.settle(v, t.Elem(), a.span)
		}
		if !v.t.Elem().same(t.Elem()) {
			l.fail(a.span, diag.MeaningType, "a component of type %s, expected %s", v.t.Elem(), t.Elem())
		}
		out.comps = append(out.comps, v.comps...)
	}
	if len(out.comps) != t.Len {
		l.fail(e.span, diag.MeaningType, "%d components for a value of type %s", len(out.comps), t)
	}
	return out
}

// arguments describes how many arguments a call has.
func arguments(args []*expr) string {
	if len(args) == 1 {
		return "1 argument"
	}
	return itoa(len(args)) + " arguments"
}

// only lowers the argument of a call, of which there must be one.
func (l *lowerer) only(e *expr, want Type) value {
	if len(e.args) != 1 {
		l.fail(e.span, diag.MeaningType, "%s with %s, expected 1", e.name, arguments(e.args))
	}
	return l.expr(e.args[0], want)
}

// mode returns the rounding mode that an argument selects: one of the names, or a value of an enum that has these names.
func (l *lowerer) mode(e *expr, i int) Mode {
	if i >= len(e.args) {
		return Nearest
	}
	a := e.args[i]
	if m, ok := modeNames[a.name]; ok && a.kind == eName {
		return m
	}
	var v value
	if a.kind != eName || l.find(a.name) != nil {
		v = l.expr(a, Type{})
	}
	enum := v.t.enum()
	if enum == nil {
		l.fail(a.span, diag.MeaningType, "expected a rounding mode: rn, rz, rm, rp, ra or a value of an enum with these names")
	}
	mode := Nearest
	for _, x := range enum.Values {
		if !v.unknown && x.Val != uint64(v.n) {
			continue
		}
		m, ok := modeNames[x.Name]
		if !ok {
			l.fail(a.span, diag.MeaningType, "%s.%s is not a rounding mode, expected an enum with the names rn, rz, rm, rp and ra", enum.Name, x.Name)
		}
		if mode = m; !v.unknown {
			break
		}
	}
	return mode
}

func (l *lowerer) convertTo(t Type, e *expr) value {
	if len(e.args) < 1 || len(e.args) > 2 {
		l.fail(e.span, diag.MeaningType, "%s with %s, expected a value and an optional rounding mode", e.name, arguments(e.args))
	}
	v, mode := l.expr(e.args[0], Type{}), l.mode(e, 1)
	if v.t.loose() {
		return l.settle(v, t, e.span)
	}
	if !v.t.integer() && v.t.Kind != Float {
		l.fail(e.span, diag.MeaningType, "%s cannot be applied to a value of type %s", e.name, v.t)
	}
	to := t
	to.Len = v.t.Len
	if v.t.same(to) {
		return v
	}
	if to.Kind != Float && v.t.Kind != Float {
		mode = Nearest // between integers nothing is rounded
	}
	return l.each(OpConvert, to, v.t, uint64(mode), v)
}

// callFunction lowers the body of a function in the place of the call. A function of scalars takes vectors
// component by component.
func (l *lowerer) callFunction(f *function, e *expr) value {
	if len(e.args) != len(f.params) {
		l.fail(e.span, diag.MeaningType, "%s with %s, expected %d", f.name, arguments(e.args), len(f.params))
	}
	var widths []local
	var room [4]value
	args := append(room[:0], make([]value, len(e.args))...)
	lanes := 0
	for i, p := range f.params {
		var want Type
		if p.typ.width == nil {
			want = p.typ.t
		}
		args[i] = l.expr(e.args[i], want)
		widths = l.bindWidth(widths, p.typ, args[i])
		if args[i].t.Len > 0 && p.typ.t.Len == 0 {
			if lanes > 0 && lanes != args[i].t.Len {
				l.fail(e.span, diag.MeaningType, "vectors of %d and %d components, expected vectors of the same length", lanes, args[i].t.Len)
			}
			lanes = args[i].t.Len
		}
	}
	for i, p := range f.params {
		t := l.typeIn(p.typ, widths)
		if args[i].t.Len > 0 && t.Len == 0 {
			t.Len = args[i].t.Len
		}
		args[i] = l.typed(args[i], t, e.args[i].span)
	}
	var result Type
	if f.result != nil {
		result = l.typeIn(f.result, widths)
	}
	one := func(k int) value {
		var room [6]local
		locals := append(room[:0], widths...)
		for i, p := range f.params {
			v := args[i]
			if k >= 0 && v.t.Len > 0 && p.typ.t.Len == 0 {
				v = l.b.scalar(v.t, v.comps[k])
			}
			locals = append(locals, local{name: p.name, v: v})
		}
		outer := l.b.whereabouts
		l.b.function, l.b.site = f.spec, uint64(e.span.Off)<<8|uint64(k+1)
		v := l.call(f.body, result, l.frame, l.given, locals)
		l.b.whereabouts = outer
		return v
	}
	if lanes == 0 {
		return one(-1)
	}
	var out value
	for k := range lanes {
		v := one(k)
		if k == 0 {
			out = l.vectorOf(v, lanes)
		}
		l.appendTo(&out, v)
	}
	return out
}

// vectorOf is an empty vector of what a function returns for each component.
func (l *lowerer) vectorOf(v value, n int) value {
	out := value{t: v.t, has: NoID}
	if v.t.Kind != Tuple {
		out.t.Len = n
		return out
	}
	var elems []Type
	for _, e := range v.elems() {
		x := l.vectorOf(e, n)
		out.add(x)
		elems = append(elems, x.t)
	}
	out.t = tupleOf(elems)
	return out
}

func (l *lowerer) appendTo(out *value, v value) {
	out.comps = append(out.comps, v.comps...)
	for i := range out.elems() {
		l.appendTo(&out.elems()[i], v.elems()[i])
	}
}

// bindWidth notes the width that an argument gives a generic function.
func (l *lowerer) bindWidth(widths []local, t *typeExpr, v value) []local {
	if t.width == nil || t.width.kind != eName || v.t.loose() {
		return widths
	}
	for _, w := range widths {
		if w.name == t.width.name {
			return widths
		}
	}
	return append(widths, local{name: t.width.name, v: number(int64(v.t.Width))})
}

// typeIn settles a type of a function whose widths are bound.
func (l *lowerer) typeIn(t *typeExpr, widths []local) Type {
	saved := l.locals
	l.locals = widths
	out := l.typeOf(t)
	l.locals = saved
	return out
}

// callService asks the surroundings.
func (l *lowerer) callService(s *Service, e *expr) value {
	if len(e.args) != len(s.Params) {
		l.fail(e.span, diag.MeaningType, "%s with %s, expected %d", s.Name, arguments(e.args), len(s.Params))
	}
	t := s.Result
	in := valued(OpService, t)
	in.more = &more{service: s}
	for i, p := range s.Params {
		in.more.args = append(in.more.args, l.typed(l.expr(e.args[i], p.Type), p.Type, e.args[i].span).comps...)
	}
	l.do(in, false)
	out := value{t: t, has: NoID}
	if t.Kind == None {
		return out
	}
	id := ID(len(l.b.insts) - 1)
	never, known := l.b.isConst(l.b.guard)
	for i := range t.Count() {
		if known && never == 0 { // nobody asks
			out.comps = append(out.comps, l.b.constant(t.Elem(), 0))
			continue
		}
		r := valued(OpResult, t.Elem())
		r.A, r.Comp = id, i
		out.comps = append(out.comps, l.b.push(&r))
	}
	return out
}

// intrinsic lowers a call of what code knows without a description.
type intrinsic func(l *lowerer, e *expr, want Type) value

var intrinsics map[string]intrinsic

func init() {
	intrinsics = map[string]intrinsic{
		"bits": func(l *lowerer, e *expr, _ Type) value {
			v := l.concrete(l.only(e, Type{}), e)
			if v.t.Kind == Tuple || v.t.Kind == None {
				l.fail(e.span, diag.MeaningType, "bits cannot be applied to a value of type %s", v.t)
			}
			t := unsigned(v.t)
			t.Len = v.t.Len
			return l.reread(v, t)
		},
		"raw":      rawBits,
		"zext":     extend(OpCast),
		"sext":     extend(OpSext),
		"trunc":    truncate,
		"concat":   concat,
		"select":   selectValue,
		"floor":    rounded(Down),
		"ceil":     rounded(Up),
		"rint":     rintValue,
		"sqrt":     unaryFloat(OpSqrt, true),
		"exp2":     unaryFloat(OpExp2, false),
		"log2":     unaryFloat(OpLog2, false),
		"sin":      unaryFloat(OpSin, false),
		"cos":      unaryFloat(OpCos, false),
		"fadd":     floatOp(OpAdd, 2),
		"fsub":     floatOp(OpSub, 2),
		"fmul":     floatOp(OpMul, 2),
		"fdiv":     floatOp(OpDiv, 2),
		"fma":      floatOp(OpFma, 3),
		"min":      intOp(OpMin),
		"max":      intOp(OpMax),
		"mulhigh":  intOp(OpMulHigh),
		"abs":      absolute,
		"isnan":    isNaN,
		"clz":      count(OpClz),
		"popcount": count(OpPopcount),
		"carry":    sumFlag(OpCarry),
		"overflow": sumFlag(OpOverflow),
		"any":      across(OpAny),
		"all":      across(OpAll),
		"ballot":   across(OpBallot),
		"from":     fromLane,
		"depth":    ofStack(OpDepth),
		"empty":    ofStack(OpEmpty),
		"top": func(l *lowerer, e *expr, _ Type) value {
			l.fail(e.span, diag.MeaningSyntax, "top without a slot, expected top(STACK).SLOT")
			return value{}
		},
	}
}

// concrete refuses numbers without a type.
func (l *lowerer) concrete(v value, e *expr) value {
	if v.t.loose() {
		l.fail(e.span, diag.MeaningType, "%s of a number without a type, expected one such as u32(...)", e.name)
	}
	return v
}

// integers refuses what is no integer.
func (l *lowerer) integers(v value, e *expr) value {
	if v = l.concrete(v, e); !v.t.integer() && v.t.Kind != Bool {
		l.fail(e.span, diag.MeaningType, "%s of a value of type %s, expected an integer", e.name, v.t)
	}
	return v
}

func (l *lowerer) floats(v value, e *expr) value {
	if v.t.Kind != Float {
		l.fail(e.span, diag.MeaningType, "%s of a value of type %s, expected a float", e.name, v.t)
	}
	return v
}

// extend widens an integer to the type that is wanted, or to a number of bits.
func extend(op Op) intrinsic {
	return func(l *lowerer, e *expr, want Type) value {
		if len(e.args) < 1 || len(e.args) > 2 {
			l.fail(e.span, diag.MeaningType, "%s with %s, expected a value and an optional number of bits", e.name, arguments(e.args))
		}
		v := l.expr(e.args[0], Type{})
		t := Type{Kind: Uint, Len: v.t.Len}
		if op == OpSext {
			t.Kind = Sint
		}
		switch {
		case len(e.args) == 2:
			n, _ := l.constant(l.expr(e.args[1], Type{}), e.args[1].span)
			t.Width = int(n)
		case want.integer():
			t.Kind, t.Width = want.Kind, want.Width
		default:
			l.fail(e.span, diag.MeaningType, "%s needs a number of bits, as in %s(x, 32)", e.name, e.name)
		}
		if v.t.Kind == Int {
			return l.settle(v, t, e.span)
		}
		v = l.integers(v, e)
		if t.Width < v.t.Width || t.Width > 64 {
			l.fail(e.span, diag.MeaningType, "%s cannot convert a value of type %s to %d bits", e.name, v.t, t.Width)
		}
		return l.each(op, t, v.t, 0, v)
	}
}

func truncate(l *lowerer, e *expr, want Type) value {
	if len(e.args) < 1 || len(e.args) > 2 {
		l.fail(e.span, diag.MeaningType, "trunc with %s, expected a value and an optional number of bits", arguments(e.args))
	}
	v := l.integers(l.expr(e.args[0], Type{}), e)
	t := Type{Kind: v.t.Kind, Len: v.t.Len, Width: want.Width}
	if want.integer() {
		t.Kind = want.Kind
	}
	if len(e.args) == 2 {
		n, _ := l.constant(l.expr(e.args[1], Type{}), e.args[1].span)
		t.Width = int(n)
	}
	if t.Width < 1 || t.Width > v.t.Width {
		l.fail(e.span, diag.MeaningType, "trunc cannot convert a value of type %s to %d bits", v.t, t.Width)
	}
	return l.each(OpCast, t, v.t, 0, v)
}

func concat(l *lowerer, e *expr, _ Type) value {
	if len(e.args) < 2 {
		l.fail(e.span, diag.MeaningType, "concat with %s, expected 2 or more", arguments(e.args))
	}
	out := l.integers(l.expr(e.args[0], Type{}), e)
	for _, a := range e.args[1:] {
		v := l.integers(l.expr(a, Type{}), e)
		t := Type{Kind: Uint, Width: out.t.Width + v.t.Width}
		if out.t.Len > 0 || v.t.Len > 0 || t.Width > 64 {
			l.fail(e.span, diag.MeaningType, "concat cannot join values of type %s and %s", out.t, v.t)
		}
		from := unsigned(out.t)
		out = l.b.scalar(t, l.b.op(OpConcat, t, from, 0, l.bits(out.comps[0], out.t), l.bits(v.comps[0], v.t)))
	}
	return out
}

// selectValue lowers select(c, x, y): with a vector of conditions component by component.
func selectValue(l *lowerer, e *expr, want Type) value {
	if len(e.args) != 3 {
		l.fail(e.span, diag.MeaningType, "select with %s, expected a condition and two values", arguments(e.args))
	}
	c := l.expr(e.args[0], BoolType)
	if c.t.Kind == Int {
		c = l.b.scalar(BoolType, l.cond(e.args[0]))
	}
	x, y := l.expr(e.args[1], want), l.expr(e.args[2], want)
	x, y = l.both(x, y, want, e.span)
	if c.t.Kind != Bool || c.t.Len > 0 && c.t.Len != x.t.Len {
		l.fail(e.args[0].span, diag.MeaningType, "a value of type %s, expected a condition for values of type %s", c.t, x.t)
	}
	if c.t.Len == 0 {
		return l.choose(c.comps[0], x, y)
	}
	out := value{t: x.t, has: NoID}
	for i := range x.comps {
		out.comps = append(out.comps, l.b.choose(c.comps[i], x.t, x.comps[i], y.comps[i]))
	}
	return out
}

func rounded(mode Mode) intrinsic {
	return func(l *lowerer, e *expr, want Type) value {
		v := l.floats(l.only(e, want), e)
		return l.each(OpRint, v.t, v.t, uint64(mode), v)
	}
}

func rintValue(l *lowerer, e *expr, want Type) value {
	if len(e.args) != 2 {
		l.fail(e.span, diag.MeaningType, "rint with %s, expected a value and a rounding mode", arguments(e.args))
	}
	v := l.floats(l.expr(e.args[0], want), e)
	return l.each(OpRint, v.t, v.t, uint64(l.mode(e, 1)), v)
}

func unaryFloat(op Op, modes bool) intrinsic {
	return func(l *lowerer, e *expr, want Type) value {
		if len(e.args) == 0 || len(e.args) > 1 && !modes || len(e.args) > 2 {
			l.fail(e.span, diag.MeaningType, "%s with %s, expected 1", e.name, arguments(e.args))
		}
		v := l.floats(l.expr(e.args[0], want), e)
		return l.each(op, v.t, v.t, uint64(l.mode(e, 1)), v)
	}
}

// floatOp is an operator with a way to round behind its values.
func floatOp(op Op, n int) intrinsic {
	return func(l *lowerer, e *expr, want Type) value {
		if len(e.args) != n && len(e.args) != n+1 {
			l.fail(e.span, diag.MeaningType, "%s with %s, expected %d and an optional rounding mode", e.name, arguments(e.args), n)
		}
		var args []value
		for _, a := range e.args[:n] {
			args = append(args, l.expr(a, want))
		}
		for i := 1; i < n; i++ {
			args[0], args[i] = l.both(args[0], args[i], want, e.span)
		}
		for i := 1; i < n; i++ {
			args[0], args[i] = l.both(args[0], args[i], want, e.span)
		}
		l.floats(args[0], e)
		return l.each(op, args[0].t, args[0].t, uint64(l.mode(e, n)), args...)
	}
}

func intOp(op Op) intrinsic {
	return func(l *lowerer, e *expr, want Type) value {
		if len(e.args) != 2 {
			l.fail(e.span, diag.MeaningType, "%s with %s, expected 2", e.name, arguments(e.args))
		}
		x, y := l.both(l.expr(e.args[0], want), l.expr(e.args[1], want), want, e.span)
		if !x.t.integer() {
			advice := ""
			switch {
			case x.t.Kind != Float:
			case op == OpMin:
				advice = "; for floats write a < b ? a : b, because machines treat NaN differently"
			case op == OpMax:
				advice = "; for floats write a > b ? a : b, because machines treat NaN differently"
			}
			l.fail(e.span, diag.MeaningType, "%s of values of type %s, expected integers%s", e.name, x.t, advice)
		}
		return l.each(op, x.t, x.t, 0, x, y)
	}
}

func absolute(l *lowerer, e *expr, want Type) value {
	v := l.concrete(l.only(e, want), e)
	switch v.t.Kind {
	case Float:
		t := unsigned(v.t)
		out := value{t: v.t, has: NoID}
		for _, c := range v.comps {
			word := l.b.op(OpSlice, Type{Kind: Uint, Width: t.Width - 1}, v.t, 0, c)
			out.comps = append(out.comps, l.b.op(OpConcat, v.t, Type{Kind: Uint, Width: 1}, 0, l.b.constant(Type{Kind: Uint, Width: 1}, 0), word))
		}
		return out
	case Sint:
		zero := l.zero(v.t)
		t := BoolType
		t.Len = v.t.Len
		neg := l.each(OpLt, t, v.t, 0, v, zero)
		minus := l.each(OpNeg, v.t, v.t, 0, v)
		out := value{t: v.t, has: NoID}
		for i := range v.comps {
			out.comps = append(out.comps, l.b.choose(neg.comps[i], v.t, minus.comps[i], v.comps[i]))
		}
		return out
	}
	l.fail(e.span, diag.MeaningType, "abs cannot be applied to a value of type %s", v.t)
	return v
}

func isNaN(l *lowerer, e *expr, want Type) value {
	v := l.floats(l.only(e, want), e)
	t := BoolType
	t.Len = v.t.Len
	return l.each(OpNe, t, v.t, 0, v, v)
}

func count(op Op) intrinsic {
	return func(l *lowerer, e *expr, _ Type) value {
		v := l.integers(l.only(e, Type{}), e)
		t := U32
		t.Len = v.t.Len
		return l.each(op, t, v.t, 0, v)
	}
}

// sumFlag lowers carry(a, b, k) and overflow(a, b, k), of the sum of all three.
func sumFlag(op Op) intrinsic {
	return func(l *lowerer, e *expr, want Type) value {
		if len(e.args) < 2 || len(e.args) > 3 {
			l.fail(e.span, diag.MeaningType, "%s with %s, expected two values and an optional carry", e.name, arguments(e.args))
		}
		x, y := l.both(l.expr(e.args[0], want), l.expr(e.args[1], want), want, e.span)
		if !x.t.integer() {
			l.fail(e.span, diag.MeaningType, "%s cannot be applied to values of type %s", e.name, x.t)
		}
		k := l.b.constant(BoolType, 0)
		if len(e.args) == 3 {
			bit := Type{Kind: Uint, Width: 1}
			v := l.expr(e.args[2], bit)
			if v.t.loose() {
				v = l.settle(v, bit, e.args[2].span)
			}
			if v.t.Width != 1 || v.t.Len > 0 {
				l.fail(e.args[2].span, diag.MeaningType, "a value of type %s, expected a carry of one bit", v.t)
			}
			k = v.comps[0]
		}
		out := value{t: BoolType, has: NoID}
		out.t.Len = x.t.Len
		for i := range x.comps {
			out.comps = append(out.comps, l.b.op(op, BoolType, x.t.Elem(), 0, x.comps[i], y.comps[i], k))
		}
		return out
	}
}

// across lowers any, all and ballot: of a condition that each lane computes for itself.
func across(op Op) intrinsic {
	return func(l *lowerer, e *expr, _ Type) value {
		if len(e.args) != 1 {
			l.fail(e.span, diag.MeaningType, "%s with %s, expected a condition", e.name, arguments(e.args))
		}
		saved := l.wave
		l.wave = false
		c := l.cond(e.args[0])
		l.wave = saved
		t := BoolType
		if op == OpBallot {
			t = U64
		}
		in := valued(op, t)
		in.A, in.Guard, in.Uniform = l.b.lanes(c), l.b.guard, true
		return l.b.scalar(t, l.b.push(&in))
	}
}

func fromLane(l *lowerer, e *expr, want Type) value {
	if len(e.args) != 2 {
		l.fail(e.span, diag.MeaningType, "from with %s, expected a value and a lane", arguments(e.args))
	}
	v := l.concrete(l.expr(e.args[0], want), e)
	k := l.typed(l.expr(e.args[1], U32), U32, e.args[1].span)
	out := value{t: v.t, has: NoID}
	for _, c := range v.comps {
		in := valued(OpFrom, v.t.Elem())
		in.A, in.B = l.b.lanes(c), k.comps[0]
		if in.Uniform = l.b.uniform(in.B); !in.Uniform {
			in.B = l.b.lanes(in.B)
		}
		out.comps = append(out.comps, l.b.push(&in))
	}
	return out
}

// ofStack lowers depth(stack) and empty(stack).
func ofStack(op Op) intrinsic {
	return func(l *lowerer, e *expr, _ Type) value {
		if len(e.args) != 1 || e.args[0].kind != eName {
			l.fail(e.span, diag.MeaningType, "expected %s(STACK)", e.name)
		}
		in := question(op, l.stack(e.args[0].name, e.span))
		return l.b.scalar(in.Type(), l.b.again(&in))
	}
}

// rawBits lowers raw({X}): the bits of a field whose value is something else.
func rawBits(l *lowerer, e *expr, _ Type) value {
	if len(e.args) != 1 || e.args[0].kind != eField || l.operand(e.args[0].name) != nil {
		l.fail(e.span, diag.MeaningType, "raw of an expression that is not a field, expected raw({NAME})")
	}
	var out value
	l.eachRef(e.args[0].name, e.span, func(r *model.Ref) {
		if out = (value{t: intType, unknown: true, has: NoID}); !l.check {
			out = number(int64(l.eval.Value(r, l.frame)))
		}
	})
	return out
}
