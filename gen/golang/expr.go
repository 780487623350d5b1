package golang

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/internal/expr"
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

func (f *body) value(x *gen.Expr) string              { return expr.Value(f, x) }
func (f *body) cond(x *gen.Expr) string               { return expr.Cond(f, x) }
func (f *body) bits(src *gen.Source, limb int) string { return expr.Bits(f, src, limb) }
func (f *body) test(limbs string, mask, match *gen.Bits) string {
	return expr.Test(f, limbs, mask, match)
}

func scope(hops int) string { return "s" + strings.Repeat(".up", hops) }

// Limbs and what follows is the language of expressions.
func (f *body) Limbs(hops int) string { return scope(hops) + ".w" }

func (f *body) Entry(e *gen.Entry) string {
	return fmt.Sprintf("p.entry(p.o.%s, %q, %s)", f.w.tables[e.Table], e.Table.Name, f.value(e.Index))
}

func (f *body) Constant(v uint64) string { return constant(v) }

func (f *body) Leaf(x *gen.Expr) string {
	switch x.Kind {
	case gen.Context:
		return "uint64(p.o.Context." + f.w.contexts[x.Context] + ")"
	case gen.Gen:
		return "uint64(p.o.Gen)"
	case gen.Call:
		return fmt.Sprintf("p.%s(%s)", f.w.funcs[x.Func], scope(x.Hops))
	case gen.Absent:
		return fmt.Sprintf("p.noField(%q)", x.Name)
	}
	return fmt.Sprintf("a%d", x.Value)
}

func (f *body) Choose(cond, x, y string) string {
	return fmt.Sprintf("func() uint64 {\nif %s {\nreturn %s\n}\nreturn %s\n}()", cond, x, y)
}

func (f *body) Comma(x, y string) string {
	return fmt.Sprintf("func() uint64 {\n_ = %s\nreturn %s\n}()", x, y)
}

func (f *body) Bit(cond string) string { return "bit(" + cond + ")" }

func (f *body) Masked(value, mask string) string { return value + " & " + mask }

// Turned turns the bits of a value, which those of a constant may not be.
func (f *body) Turned(op spec.Op, x *gen.Expr) string {
	sign := map[spec.Op]string{spec.OpInv: "^", spec.OpNeg: "-"}[op]
	if x.Kind == gen.Const {
		return sign + "(zero() + " + constant(x.Value) + ")"
	}
	return sign + f.value(x)
}

func (f *body) Helper(name string) string { return local(name) }

// Number gives a constant a type, so that no arithmetic of constants overflows.
func (f *body) Number(x *gen.Expr, value string) string {
	if x.Kind == gen.Const {
		return "uint64(" + value + ")"
	}
	return value
}

// Signed converts a value, which a large constant cannot be.
func (f *body) Signed(x *gen.Expr, value string) string {
	if x.Kind == gen.Const {
		value = "zero() + " + value
	}
	return "int64(" + value + ")"
}

func (f *body) Unsigned(value string) string { return "uint64(" + value + ")" }

func (f *body) Operands(x *gen.Expr, write func(*gen.Expr) string) (before, a, b string) {
	return "", write(x.X), write(x.Y)
}

func (f *body) BelowZero(spec.Op, string) string { return "" }
