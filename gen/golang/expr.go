package golang

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

// body writes the statements of one function.
type body struct {
	w     *writer
	b     strings.Builder
	marks int
}

func (f *body) line(format string, args ...any) {
	fmt.Fprintf(&f.b, format, args...)
	f.b.WriteByte('\n')
}

func scope(hops int) string { return "s" + strings.Repeat(".up", hops) }

func (f *body) limb(src *gen.Source, i int) string {
	if src.Entry != nil {
		return fmt.Sprintf("%s[%d]", f.entry(src.Entry), i)
	}
	return fmt.Sprintf("%s.w[%d]", scope(src.Hops), i)
}

func (f *body) entry(e *gen.Entry) string {
	return fmt.Sprintf("p.entry(p.o.%s, %q, %s)", f.w.tables[e.Table], e.Table.Name, f.value(e.Index))
}

// part reads up to 64 bits in one run.
func (f *body) part(src *gen.Source, p spec.Part) string {
	i, shift := p.Low/64, p.Low%64
	s := f.limb(src, i)
	if shift > 0 {
		s = fmt.Sprintf("%s>>%d", s, shift)
	}
	if shift+p.Width > 64 {
		s = fmt.Sprintf("(%s | %s<<%d)", s, f.limb(src, i+1), 64-shift)
	}
	if p.Width < 64 && shift+p.Width != 64 {
		s = fmt.Sprintf("%s & %s", s, constant(^uint64(0)>>(64-p.Width)))
	}
	return s
}

// bits reads one limb of a source.
func (f *body) bits(src *gen.Source, limb int) string {
	if src.Parts == nil {
		return f.limb(src, limb)
	}
	var list []string
	at := 0
	parts := gen.Slice(src.Parts, spec.Part{Low: 64 * limb, Width: 64})
	for i := len(parts) - 1; i >= 0; i-- {
		s := f.part(src, parts[i])
		if len(parts) > 1 || strings.Contains(s, " ") || strings.Contains(s, ">>") {
			s = "(" + s + ")"
		}
		if at > 0 {
			s = fmt.Sprintf("%s<<%d", s, at)
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

// value writes an expression as a uint64.
func (f *body) value(x *gen.Expr) string {
	switch x.Kind {
	case gen.Const:
		return constant(x.Value)
	case gen.BitsOf:
		return f.bits(&x.Source, 0)
	case gen.Context:
		return "uint64(p.o.Context." + f.w.contexts[x.Context] + ")"
	case gen.Gen:
		return "uint64(p.o.Gen)"
	case gen.Call:
		return fmt.Sprintf("p.%s(%s)", f.w.funcs[x.Func], scope(x.Hops))
	case gen.Local:
		return fmt.Sprintf("a%d", x.Value)
	case gen.Absent:
		return fmt.Sprintf("p.noField(%q)", x.Name)
	case gen.Choose:
		return fmt.Sprintf("func() uint64 {\nif %s {\nreturn %s\n}\nreturn %s\n}()", f.cond(x.X), f.value(x.Y), f.value(x.Z))
	}
	if x.IsBool() {
		return "bit(" + f.cond(x) + ")"
	}
	return f.operator(x)
}

const int31 = 1<<31 - 1

func (f *body) operator(x *gen.Expr) string {
	if x.Y == nil {
		op := map[spec.Op]string{spec.OpInv: "^", spec.OpNeg: "-"}[x.Op]
		return f.wrapped(x.Type, op+f.variable(x.X))
	}
	switch x.Op {
	case spec.OpComma:
		return fmt.Sprintf("func() uint64 {\n_ = %s\nreturn %s\n}()", f.value(x.X), f.value(x.Y))
	case spec.OpShl, spec.OpShr:
		return f.shift(x)
	}
	a, b := f.as(x.Type, x.X), f.as(x.Type, x.Y)
	switch x.Op {
	case spec.OpDiv, spec.OpMod:
		return fmt.Sprintf("%s(%s, %s)", divide(x), a, b)
	case spec.OpAdd, spec.OpSub, spec.OpMul:
		if x.Op == spec.OpSub || x.Bound() > int31 {
			return f.wrapped(x.Type, fmt.Sprintf("%s %s %s", f.typed(x.X, a), symbols[x.Op], b))
		}
	}
	return fmt.Sprintf("(%s %s %s)", a, symbols[x.Op], b)
}

// typed gives a constant a type, so that no arithmetic of constants overflows.
func (f *body) typed(x *gen.Expr, s string) string {
	if x.Kind == gen.Const {
		return "uint64(" + s + ")"
	}
	return s
}

// variable is a value whose bits may be turned, which those of a constant may not.
func (f *body) variable(x *gen.Expr) string {
	if x.Kind == gen.Const {
		return "zero() + " + constant(x.Value)
	}
	return f.value(x)
}

var symbols = map[spec.Op]string{
	spec.OpOr: "|", spec.OpXor: "^", spec.OpAnd: "&", spec.OpEq: "==", spec.OpNe: "!=", spec.OpLt: "<", spec.OpLe: "<=",
	spec.OpGt: ">", spec.OpGe: ">=", spec.OpAdd: "+", spec.OpSub: "-", spec.OpMul: "*", spec.OpOrOr: "||", spec.OpAndAnd: "&&",
}

// as writes a value in another type of C.
func (f *body) as(t spec.Type, x *gen.Expr) string {
	s := f.value(x)
	if x.Type == t || x.Bound() <= int31 {
		return s
	}
	return f.wrapped(t, s)
}

// wrapped keeps what a type has of a value.
func (f *body) wrapped(t spec.Type, s string) string {
	switch t {
	case spec.I32:
		return "i32(" + s + ")"
	case spec.U32:
		return "u32(" + s + ")"
	}
	return "(" + s + ")"
}

func divide(x *gen.Expr) string {
	name := map[spec.Op]string{spec.OpDiv: "divide", spec.OpMod: "modulo"}[x.Op]
	switch x.Type {
	case spec.I32:
		return name + "I32"
	case spec.I64:
		return name + "I64"
	}
	return name
}

func (f *body) shift(x *gen.Expr) string {
	narrow := x.Type == spec.I32 || x.Type == spec.U32
	a, b := f.value(x.X), f.value(x.Y)
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
		s := f.typed(x.X, a) + " << " + b
		if x.Bound() > int31 {
			return f.wrapped(x.Type, s)
		}
		return "(" + s + ")"
	}
	signed := x.Type == spec.I32 || x.Type == spec.I64
	if x.X.Bound() > int31 {
		if x.X.Type != x.Type {
			a = f.wrapped(x.Type, f.typed(x.X, a))
		}
		if signed && x.X.Bound() > 1<<63-1 {
			return fmt.Sprintf("uint64(int64(%s) >> %s)", f.notConstant(x.X, a), b)
		}
	}
	return fmt.Sprintf("(%s >> %s)", f.typed(x.X, a), b)
}

// notConstant is a value that can be converted to a signed one, which a large constant cannot.
func (f *body) notConstant(x *gen.Expr, s string) string {
	if x.Kind == gen.Const {
		return "zero() + " + s
	}
	return s
}

// cond writes an expression as a condition.
func (f *body) cond(x *gen.Expr) string {
	switch {
	case x.Kind == gen.Test:
		return f.test(scope(x.Hops)+".w", &x.Mask, &x.Match)
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
	a, b := f.as(t, x.X), f.as(t, x.Y)
	ordered := x.Op != spec.OpEq && x.Op != spec.OpNe
	if ordered && (t == spec.I32 || t == spec.I64) && max(x.X.Bound(), x.Y.Bound()) > 1<<63-1 {
		a, b = "int64("+f.notConstant(x.X, a)+")", "int64("+f.notConstant(x.Y, b)+")"
	}
	return fmt.Sprintf("%s %s %s", a, symbols[x.Op], b)
}

// test compares the bits of a mask.
func (f *body) test(value string, mask, match *gen.Bits) string {
	var list []string
	for i, m := range mask {
		switch {
		case m == 0:
		case m == ^uint64(0):
			list = append(list, fmt.Sprintf("%s[%d] == %s", value, i, constant(match[i])))
		default:
			list = append(list, fmt.Sprintf("%s[%d]&%s == %s", value, i, constant(m), constant(match[i])))
		}
	}
	if len(list) == 0 {
		return "true"
	}
	return strings.Join(list, " && ")
}
