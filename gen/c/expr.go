package c

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/internal/expr"
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

func (f *body) value(x *gen.Expr) string              { return expr.Value(f, x) }
func (f *body) cond(x *gen.Expr) string               { return expr.Cond(f, x) }
func (f *body) bits(src *gen.Source, limb int) string { return expr.Bits(f, src, limb) }
func (f *body) test(limbs string, mask, match *gen.Bits) string {
	return expr.Test(f, limbs, mask, match)
}

// scope is the scope so many hops up.
func scope(hops int) string { return "s" + strings.Repeat("->up", hops) }

func tableName(t *spec.Table) string { return fmt.Sprintf("%s_%d", gen.Lower(t.Name), t.Index) }

// Limbs and what follows is the language of expressions.
func (f *body) Limbs(hops int) string { return scope(hops) + "->w" }

// Entry is the address of a table entry.
func (f *body) Entry(e *gen.Entry) string {
	return fmt.Sprintf("entry_of_%s(p, %s)", tableName(e.Table), f.value(e.Index))
}

func (f *body) Constant(v uint64) string { return constant(v) }

func (f *body) Leaf(x *gen.Expr) string {
	switch x.Kind {
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
	case gen.Absent:
		return fmt.Sprintf("no_field(p, %s)", quote(x.Name))
	}
	if f.local != nil {
		return f.local(x.Value)
	}
	return fmt.Sprintf("a%d", x.Value)
}

func (f *body) Choose(cond, x, y string) string { return fmt.Sprintf("(%s ? %s : %s)", cond, x, y) }

func (f *body) Comma(x, y string) string { return fmt.Sprintf("((void)%s, %s)", x, y) }

func (f *body) Bit(cond string) string { return "(uint64_t)(" + cond + ")" }

func (f *body) Masked(value, mask string) string { return "(" + value + " & " + mask + ")" }

func (f *body) Turned(op spec.Op, x *gen.Expr) string {
	if op == spec.OpInv && x.IsBool() { // compilers take ~ for a slip
		return f.value(x) + " ^ UINT64_MAX"
	}
	return map[spec.Op]string{spec.OpInv: "~", spec.OpNeg: "0 - "}[op] + f.value(x)
}

func (f *body) Helper(name string) string { return name }

func (f *body) Number(_ *gen.Expr, value string) string { return value }

func (f *body) Signed(_ *gen.Expr, value string) string { return "(int64_t)" + value }

func (f *body) Unsigned(value string) string { return "(uint64_t)(" + value + ")" }

// Operands computes the first operand first where both may find something: C says nothing of the order.
func (f *body) Operands(x *gen.Expr, write func(*gen.Expr) string) (before, a, b string) {
	a, b = write(x.X), write(x.Y)
	if x.X.Effects && x.Y.Effects {
		f.temps++
		t := fmt.Sprintf("t%d", f.temps)
		return t + " = " + a + ", ", t, b
	}
	return "", a, b
}

func (f *body) BelowZero(op spec.Op, value string) string {
	switch op {
	case spec.OpLt:
		return "(void)" + value + ", false"
	case spec.OpGe:
		return "(void)" + value + ", true"
	}
	return ""
}

// context is the value of a context.
func (w *writer) context(c *spec.Context) string {
	return "(uint64_t)p->o->context." + w.contexts[c]
}
