package sem

import (
	"math"
	"slices"
	"strconv"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// value is what an expression is: the operations of its components, or a number that has no type yet.
type value struct {
	t     Type
	comps []ID
	tuple *[]value // what elems returns
	n     int64    // of an Int; of a Real the bits
	// has says of a T? in which lanes there is a value.
	has ID
	// unknown tells of an Int that it is not known while a description is checked.
	unknown bool
}

func number(n int64) value { return value{t: intType, n: n, has: NoID} }

func realNumber(f float64) value { return value{t: realType, n: int64(math.Float64bits(f)), has: NoID} }

// real is the number that a Real is.
func (v *value) real() float64 { return math.Float64frombits(uint64(v.n)) }

// elems are the values of a tuple.
func (v *value) elems() []value {
	if v.tuple == nil {
		return nil
	}
	return *v.tuple
}

// add appends a value to a tuple.
func (v *value) add(e value) {
	list := append(v.elems(), e)
	v.tuple = &list
}

func (l *lowerer) fail(at diag.Span, code diag.Code, format string, args ...any) {
	panic(diag.Errorf(code, at, format, args...))
}

func (b *builder) scalar(t Type, id ID) value {
	comps := b.list(1)
	comps[0] = id
	return value{t: t.Elem(), comps: comps, has: NoID}
}

// typed gives a loose value a type, and refuses a value of another type.
func (l *lowerer) typed(v value, t Type, at diag.Span) value {
	if t.enum() != nil {
		return l.enumerated(v, t, at)
	}
	if v.t.loose() {
		return l.settle(v, t, at)
	}
	if v.t.Kind == Tuple && t.Kind == Tuple && len(v.elems()) == len(t.elems()) {
		out := value{t: t, has: v.has}
		for i, e := range v.elems() {
			out.add(l.typed(e, t.elems()[i], at))
		}
		return out
	}
	if !v.t.same(t) {
		l.fail(at, diag.MeaningType, "a value of type %s, expected %s", v.t, t)
	}
	return v
}

// enumerated returns a constant as a value of an enum.
func (l *lowerer) enumerated(v value, t Type, at diag.Span) value {
	n, known := l.constant(v, at)
	if known && !slices.ContainsFunc(t.enum().Values, func(x *spec.Value) bool { return x.Val == uint64(n) }) {
		l.fail(at, diag.MeaningType, "%d is not a value of %s", n, t)
	}
	out := number(n)
	out.t, out.unknown = t, !known
	return out
}

// settle gives a number a type; a vector gets it in each component.
func (l *lowerer) settle(v value, t Type, at diag.Span) value {
	if t.Kind == None || t.Kind == Tuple || t.loose() {
		l.fail(at, diag.MeaningType, "a number, expected %s", t)
	}
	var id ID
	switch {
	case v.unknown:
		id = l.b.param(t)
	case v.t.Kind == Real && t.Kind != Float:
		l.fail(at, diag.MeaningType, "%v, expected %s", v.real(), t)
	case v.t.Kind == Real:
		id = l.b.constant(t, round(v.real(), t.Width, Nearest))
	case t.Kind == Float:
		id = l.b.constant(t, round(float64(v.n), t.Width, Nearest))
	case t.Kind == Bool:
		id = l.b.flag(v.n != 0)
	default:
		if !fits(v.n, t) && l.check {
			l.fail(at, diag.MeaningType, "%d does not fit %s", v.n, t)
		}
		id = l.b.constant(t, uint64(v.n))
	}
	out := value{t: t, has: NoID, comps: l.b.list(t.Count())}
	out.t = t.optional(false)
	for i := range out.comps {
		out.comps[i] = id
	}
	return out
}

// fits reports whether a number is one of the type, read with or without a sign.
func fits(n int64, t Type) bool {
	if t.Width >= 63 { // a number has 64 bits, of which the sign may be one
		return t.Width == 64 || n >= -1<<62
	}
	return n >= -1<<uint(t.Width-1) && n < 1<<uint(t.Width)
}

// constant returns a value as a number, where it is one that is settled; known is false while it is not
// known.
func (l *lowerer) constant(v value, at diag.Span) (n int64, known bool) {
	switch {
	case v.t.Kind == Int:
		return v.n, !v.unknown
	case (v.t.integer() || v.t.Kind == Bool) && v.t.Len == 0 && l.b.settled(v.comps[0]):
		in := &l.b.insts[v.comps[0]]
		return v.t.signed(in.Imm), in.Op == OpConst
	}
	l.fail(at, diag.MeaningType, "a value that is only known when the program runs, expected a constant")
	return 0, false
}

// both gives the operands of an operator one type.
func (l *lowerer) both(x, y value, want Type, at diag.Span) (value, value) {
	switch {
	case x.t.loose() && y.t.loose():
		if want.enum() != nil {
			l.fail(at, diag.MeaningType, "a value of %s that is only known when the program runs, expected a constant", want)
		}
		if want.Kind == None || want.loose() || want.Kind == Tuple {
			l.fail(at, diag.MeaningType, "numbers without a type, write one such as f32(...) or u32(...)")
		}
		return l.typed(x, want, at), l.typed(y, want, at)
	case x.t.loose():
		return l.typed(x, y.t, at), y
	case y.t.loose():
		return x, l.typed(y, x.t, at)
	case !x.t.same(y.t):
		l.fail(at, diag.MeaningType, "a value of type %s and one of type %s, expected the same type", x.t, y.t)
	}
	return x, y
}

// each does an operation on each component of values of one type.
func (l *lowerer) each(op Op, t Type, from Type, imm uint64, args ...value) value {
	out := value{t: t, has: NoID, comps: l.b.list(len(args[0].comps))}
	for i := range out.comps {
		var ids [3]ID
		for k, a := range args {
			ids[k] = a.comps[i]
		}
		out.comps[i] = l.b.op(op, t.Elem(), from.Elem(), imm, ids[:len(args)]...)
	}
	return out
}

// choose takes x where a condition holds and y elsewhere.
func (l *lowerer) choose(cond ID, x, y value) value {
	if c, ok := l.b.isConst(cond); ok {
		if c != 0 {
			return x
		}
		return y
	}
	if x.t.Kind == Int {
		if !l.b.settled(cond) {
			l.fail(l.b.span, diag.MeaningType, "a value of %s that is only known when the program runs, expected a constant", x.t)
		}
		x.unknown = true
		return x
	}
	out := value{t: x.t, has: NoID}
	for i, e := range x.elems() {
		out.add(l.choose(cond, e, y.elems()[i]))
	}
	out.comps = l.b.list(len(x.comps))
	for i := range x.comps {
		out.comps[i] = l.b.choose(cond, x.t, x.comps[i], y.comps[i])
	}
	return out
}

// zero is a value of which nothing matters.
func (l *lowerer) zero(t Type) value {
	out := value{t: t, has: NoID}
	for _, e := range t.elems() {
		out.add(l.zero(e))
	}
	if t.Kind != Tuple {
		for range t.Count() {
			out.comps = append(out.comps, l.b.constant(t, 0))
		}
	}
	return out
}

// opaque is a value of which only the type is known, and whether it is the same in all lanes: while a description is checked.
func (l *lowerer) opaque(t Type, uniform bool) value {
	if t.Kind == Int {
		return value{t: t, unknown: true, has: NoID}
	}
	out := value{t: t, has: NoID}
	for _, e := range t.elems() {
		out.add(l.opaque(e, uniform))
	}
	if t.Kind != Tuple {
		for range t.Count() {
			in := valued(OpOpaque, t.Elem())
			in.Uniform = uniform
			out.comps = append(out.comps, l.b.push(&in))
		}
	}
	return out
}

// ParseLiteral parses a number, true or false, and returns the bits of a component. It returns an error if the text is not a
// literal or does not fit the type. An integer may be signed or unsigned, whatever the type.
func ParseLiteral(text string, t Type) (uint64, error) {
	if t.Kind == Float {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, err
		}
		bits := round(f, t.Width, Nearest)
		if math.IsInf(toFloat64(bits, t.Width), 0) && !math.IsInf(f, 0) {
			return 0, strconv.ErrRange
		}
		return bits, nil
	}
	switch text {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		if !fits(n, t) || t.Kind == Bool && n < 0 {
			return 0, strconv.ErrRange
		}
		return uint64(n) & t.mask(), nil
	}
	u, err := strconv.ParseUint(text, 0, 64)
	if err == nil && t.Width < 64 {
		err = strconv.ErrRange
	}
	return u, err
}

var infinity = math.Inf(1)

// Number formats a component as a number.
func Number(bits uint64, t Type) string {
	switch t.Kind {
	case Float:
		return strconv.FormatFloat(toFloat64(bits, t.Width), 'g', -1, min(64, max(32, t.Width)))
	case Bool:
		return strconv.FormatBool(bits != 0)
	case Sint:
		return strconv.FormatInt(t.signed(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}
