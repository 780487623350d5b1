package c

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

// body writes the statements of one function.
type body struct {
	w *writer
	b strings.Builder
	// depth is that of blocks; temps is the number of values that are kept between two calls.
	depth, temps int
	marks        int
	local        func(i uint64) string
	encoding     bool // of <encode>, whose state has the generation
}

func (f *body) line(format string, args ...any) {
	f.b.WriteString(strings.Repeat("\t", f.depth))
	fmt.Fprintf(&f.b, format, args...)
	f.b.WriteByte('\n')
}

// scope is the scope so many hops up.
func scope(hops int) string { return "s" + strings.Repeat("->up", hops) }

// limb is a limb of the value in which a source is.
func (f *body) limb(src *gen.Source, i int) string {
	if src.Entry != nil {
		return fmt.Sprintf("%s[%d]", f.entry(src.Entry), i)
	}
	return fmt.Sprintf("%s->w[%d]", scope(src.Hops), i)
}

// entry is the address of a table entry.
func (f *body) entry(e *gen.Entry) string {
	return fmt.Sprintf("entry_of_%s(p, %s)", tableName(e.Table), f.value(e.Index))
}

func tableName(t *spec.Table) string { return fmt.Sprintf("%s_%d", gen.Lower(t.Name), t.Index) }

// part reads up to 64 bits in one run.
func (f *body) part(src *gen.Source, p spec.Part) string {
	i, shift := p.Low/64, p.Low%64
	s := f.limb(src, i)
	if shift > 0 {
		s = fmt.Sprintf("%s >> %d", s, shift)
	}
	if shift+p.Width > 64 {
		s = fmt.Sprintf("(%s | %s << %d)", s, f.limb(src, i+1), 64-shift)
	}
	if p.Width < 64 && shift+p.Width != 64 {
		if shift > 0 && shift+p.Width < 64 {
			s = "(" + s + ")"
		}
		s = fmt.Sprintf("%s & %s", s, constant(^uint64(0)>>(64-p.Width)))
	}
	return s
}

// bits reads a source, one limb of it.
func (f *body) bits(src *gen.Source, limb int) string {
	if src.Parts == nil {
		return f.limb(src, limb)
	}
	var list []string
	at := 0
	parts := partsOf(src, limb)
	for i := len(parts) - 1; i >= 0; i-- {
		s := "(" + f.part(src, parts[i]) + ")"
		if at > 0 {
			s = fmt.Sprintf("%s << %d", s, at)
		}
		list = append([]string{s}, list...)
		at += parts[i].Width
	}
	switch len(list) {
	case 0:
		return "0"
	case 1:
		return list[0]
	}
	return "(" + strings.Join(list, " | ") + ")"
}

// value writes an expression as 64 bits.
func (f *body) value(x *gen.Expr) string {
	switch x.Kind {
	case gen.Const:
		return constant(x.Value)
	case gen.BitsOf:
		return f.bits(&x.Source, 0)
	case gen.Context:
		if f.encoding {
			return "(uint64_t)s->" + f.w.contexts[x.Context]
		}
		return f.w.context(x.Context)
	case gen.Gen:
		if f.encoding {
			return "(uint64_t)s->gen"
		}
		return "(uint64_t)p->o->gen"
	case gen.Call:
		return fmt.Sprintf("%s(p, %s)", x.Func.Name, scope(x.Hops))
	case gen.Local:
		if f.local != nil {
			return f.local(x.Value)
		}
		return fmt.Sprintf("a%d", x.Value)
	case gen.Absent:
		return fmt.Sprintf("no_field(p, %s)", quote(x.Name))
	case gen.Choose:
		return fmt.Sprintf("(%s ? %s : %s)", f.cond(x.X), f.value(x.Y), f.value(x.Z))
	}
	if x.IsBool() {
		return fmt.Sprintf("(uint64_t)(%s)", f.cond(x))
	}
	return f.operator(x)
}

// context is the value of a context.
func (w *writer) context(c *spec.Context) string {
	return "(uint64_t)p->o->context." + w.contexts[c]
}

// operands writes both operands of an operator. Where both may find something, the first is computed first.
func (f *body) operands(x *gen.Expr, write func(*gen.Expr) string) (before, a, b string) {
	a, b = write(x.X), write(x.Y)
	if x.X.Effects && x.Y.Effects {
		f.temps++
		t := fmt.Sprintf("t%d", f.temps)
		return t + " = " + a + ", ", t, b
	}
	return "", a, b
}

const int31 = 1<<31 - 1

func (f *body) operator(x *gen.Expr) string {
	if x.Y == nil {
		op := map[spec.Op]string{spec.OpInv: "~", spec.OpNeg: "0 - "}[x.Op]
		return f.wrapped(x.Type, op+f.value(x.X))
	}
	if x.Op == spec.OpComma {
		return fmt.Sprintf("((void)%s, %s)", f.value(x.X), f.value(x.Y))
	}
	if x.Op == spec.OpShl || x.Op == spec.OpShr {
		return f.shift(x)
	}
	before, a, b := f.operands(x, func(y *gen.Expr) string { return f.as(x.Type, y) })
	if x.Op == spec.OpDiv || x.Op == spec.OpMod {
		return fmt.Sprintf("(%s%s(%s, %s))", before, f.divide(x), a, b)
	}
	s := fmt.Sprintf("%s %s %s", a, symbols[x.Op], b)
	switch x.Op {
	case spec.OpAdd, spec.OpSub, spec.OpMul:
		if x.Op == spec.OpSub || x.Bound() > int31 {
			return fmt.Sprintf("(%s%s)", before, f.wrapped(x.Type, s))
		}
	}
	return "(" + before + s + ")"
}

var symbols = map[spec.Op]string{
	spec.OpOr: "|", spec.OpXor: "^", spec.OpAnd: "&", spec.OpEq: "==", spec.OpNe: "!=", spec.OpLt: "<", spec.OpLe: "<=",
	spec.OpGt: ">", spec.OpGe: ">=", spec.OpAdd: "+", spec.OpSub: "-", spec.OpMul: "*", spec.OpOrOr: "||", spec.OpAndAnd: "&&",
}

// as writes a value in another type.
func (f *body) as(t spec.Type, x *gen.Expr) string {
	s := f.value(x)
	if x.Type == t || x.Bound() <= int31 {
		return s
	}
	return f.wrapped(t, s)
}

// wrapped keeps what a type has of a value: its low bits, sign- or zero-extended.
func (f *body) wrapped(t spec.Type, s string) string {
	switch t {
	case spec.I32:
		return "i32(" + s + ")"
	case spec.U32:
		return "((" + s + ") & UINT64_C(0xffffffff))"
	}
	return "(" + s + ")"
}

func (f *body) divide(x *gen.Expr) string {
	name := "divide"
	if x.Op == spec.OpMod {
		name = "modulo"
	}
	switch x.Type {
	case spec.I32:
		return name + "_i32"
	case spec.I64:
		return name + "_i64"
	}
	return name
}

func (f *body) shift(x *gen.Expr) string {
	narrow := x.Type == spec.I32 || x.Type == spec.U32
	before, a, b := f.operands(x, f.value)
	switch {
	case x.Y.Kind == gen.Const && narrow:
		b = fmt.Sprint(x.Y.Value & 31)
	case x.Y.Kind == gen.Const:
		b = fmt.Sprint(x.Y.Value & 63)
	case narrow:
		b = "(" + b + " & 31)"
	default:
		b = "(" + b + " & 63)"
	}
	if x.Op == spec.OpShl {
		s := a + " << " + b
		if x.Bound() > int31 {
			return "(" + before + f.wrapped(x.Type, s) + ")"
		}
		return "(" + before + s + ")"
	}
	signed := x.Type == spec.I32 || x.Type == spec.I64
	if x.X.Bound() > int31 {
		if x.X.Type != x.Type {
			a = f.wrapped(x.Type, a)
		}
		if signed && x.X.Bound() > 1<<63-1 {
			return fmt.Sprintf("(%s(uint64_t)((int64_t)%s >> %s))", before, a, b)
		}
	}
	return "(" + before + a + " >> " + b + ")"
}

// cond writes an expression as a condition.
func (f *body) cond(x *gen.Expr) string {
	switch {
	case x.Kind == gen.Test:
		return f.test(fmt.Sprintf("%s->w", scope(x.Hops)), &x.Mask, &x.Match)
	case x.Kind == gen.Const:
		return fmt.Sprint(x.Value != 0)
	case !x.IsBool():
		return f.value(x) + " != 0"
	case x.Op == spec.OpNot:
		if x.X.IsBool() {
			return "!(" + f.cond(x.X) + ")"
		}
		return f.value(x.X) + " == 0"
	case x.Op == spec.OpAndAnd || x.Op == spec.OpOrOr:
		return "(" + f.cond(x.X) + ") " + symbols[x.Op] + " (" + f.cond(x.Y) + ")"
	}
	t := max(x.X.Type, x.Y.Type)
	before, a, b := f.operands(x, func(y *gen.Expr) string { return f.as(t, y) })
	ordered := x.Op != spec.OpEq && x.Op != spec.OpNe
	if ordered && (t == spec.I32 || t == spec.I64) && max(x.X.Bound(), x.Y.Bound()) > 1<<63-1 {
		a, b = "(int64_t)"+a, "(int64_t)"+b
	}
	if ordered && b == constant(0) && (x.Op == spec.OpLt || x.Op == spec.OpGe) && !strings.HasPrefix(a, "(int64_t)") {
		// What is never below 0 is said so, since compilers warn of the comparison.
		if x.Op == spec.OpLt {
			return fmt.Sprintf("(%s(void)%s, false)", before, a)
		}
		return fmt.Sprintf("(%s(void)%s, true)", before, a)
	}
	s := fmt.Sprintf("%s %s %s", a, symbols[x.Op], b)
	if before != "" {
		return "(" + before + s + ")"
	}
	return s
}

// test compares the bits of a mask.
func (f *body) test(value string, mask, match *gen.Bits) string {
	var list []string
	for i, m := range mask {
		if m == 0 {
			continue
		}
		if m == ^uint64(0) {
			list = append(list, fmt.Sprintf("%s[%d] == %s", value, i, constant(match[i])))
		} else {
			list = append(list, fmt.Sprintf("(%s[%d] & %s) == %s", value, i, constant(m), constant(match[i])))
		}
	}
	if len(list) == 0 {
		return "true"
	}
	return strings.Join(list, " && ")
}
