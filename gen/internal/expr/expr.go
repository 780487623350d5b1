// Package expr writes the expressions of a plan of gen in the syntax that C and Go share.
package expr

import (
	"fmt"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

// Language is what such languages write differently. Values are 64 bits without a sign.
type Language interface {
	// Limbs is the value of the scope so many hops up, as an array; Entry is a table entry, as one.
	Limbs(hops int) string
	Entry(e *gen.Entry) string
	Constant(v uint64) string
	// Leaf writes an expression that is no operator and no bits.
	Leaf(x *gen.Expr) string
	Choose(cond, x, y string) string
	Comma(x, y string) string
	// Bit is 1 where a condition holds, else 0.
	Bit(cond string) string
	// Masked is the bits of a mask.
	Masked(value, mask string) string
	// Turned is a value with its bits, or its sign, turned.
	Turned(op spec.Op, x *gen.Expr) string
	// Helper is the name of a function of the runtime.
	Helper(name string) string
	// Number is a value that is what an expression is, and may be a constant that is to be computed with; Signed is
	// one with a sign.
	Number(x *gen.Expr, value string) string
	Signed(x *gen.Expr, value string) string
	// Unsigned is a value without a sign, of one that has.
	Unsigned(value string) string
	// Operands writes both operands of an operator, and what stands before the operator so that they are computed in order.
	Operands(x *gen.Expr, write func(*gen.Expr) string) (before, a, b string)
	// BelowZero is the comparison of a value without a sign with 0, which compilers say is always the same; "" where they
	// say nothing.
	BelowZero(op spec.Op, value string) string
}

// source is an array of limbs.
func source(l Language, src *gen.Source) string {
	if src.Entry != nil {
		return l.Entry(src.Entry)
	}
	return l.Limbs(src.Hops)
}

// part reads up to 64 bits in one run.
func part(l Language, src *gen.Source, p bits.Part) string {
	limbs, i, shift := source(l, src), p.Low/64, p.Low%64
	s := fmt.Sprintf("%s[%d]", limbs, i)
	if shift > 0 {
		s = fmt.Sprintf("%s >> %d", s, shift)
	}
	if shift+p.Width > 64 {
		s = fmt.Sprintf("(%s | %s[%d] << %d)", s, limbs, i+1, 64-shift)
	}
	if p.Width < 64 && shift+p.Width != 64 {
		s = fmt.Sprintf("%s & %s", s, l.Constant(^uint64(0)>>(64-p.Width)))
	}
	return s
}

// Bits reads one limb of a source.
func Bits(l Language, src *gen.Source, limb int) string {
	if src.Parts == nil {
		return fmt.Sprintf("%s[%d]", source(l, src), limb)
	}
	var list []string
	at := 0
	parts := src.PartsOf(limb)
	for i := len(parts) - 1; i >= 0; i-- {
		s := part(l, src, parts[i])
		if len(parts) > 1 || strings.Contains(s, " ") {
			s = "(" + s + ")"
		}
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

// Value writes an expression as 64 bits.
func Value(l Language, x *gen.Expr) string {
	switch {
	case x.Kind == gen.Const:
		return l.Constant(x.Value)
	case x.Kind == gen.BitsOf:
		return Bits(l, &x.Source, 0)
	case x.Kind == gen.Choose:
		return l.Choose(Cond(l, x.X), Value(l, x.Y), Value(l, x.Z))
	case x.IsBool():
		return l.Bit(Cond(l, x))
	case x.Kind == gen.Operator:
		return operator(l, x)
	}
	return l.Leaf(x)
}

// Small is the largest value whose type of C does not matter.
const Small = 1<<31 - 1

func operator(l Language, x *gen.Expr) string {
	switch {
	case x.Y == nil:
		return wrapped(l, x.Type, l.Turned(x.Op, x.X))
	case x.Op == spec.OpComma:
		return l.Comma(Value(l, x.X), Value(l, x.Y))
	case x.Op == spec.OpShl || x.Op == spec.OpShr:
		return shift(l, x)
	}
	before, a, b := l.Operands(x, func(y *gen.Expr) string { return as(l, x.Type, y) })
	switch x.Op {
	case spec.OpDiv, spec.OpMod:
		return inOrder(before, fmt.Sprintf("%s(%s, %s)", l.Helper(divide(x)), a, b))
	case spec.OpAdd, spec.OpSub, spec.OpMul:
		if x.Op == spec.OpSub || x.Bound() > Small {
			return inOrder(before, wrapped(l, x.Type, fmt.Sprintf("%s %s %s", l.Number(x.X, a), symbols[x.Op], b)))
		}
	}
	return fmt.Sprintf("(%s%s %s %s)", before, a, symbols[x.Op], b)
}

// inOrder computes something before a value.
func inOrder(before, value string) string {
	if before == "" {
		return value
	}
	return "(" + before + value + ")"
}

var symbols = map[spec.Op]string{
	spec.OpOr: "|", spec.OpXor: "^", spec.OpAnd: "&", spec.OpEq: "==", spec.OpNe: "!=", spec.OpLt: "<", spec.OpLe: "<=",
	spec.OpGt: ">", spec.OpGe: ">=", spec.OpAdd: "+", spec.OpSub: "-", spec.OpMul: "*", spec.OpOrOr: "||", spec.OpAndAnd: "&&",
}

// as writes a value in another type of C.
func as(l Language, t spec.Type, x *gen.Expr) string {
	s := Value(l, x)
	if x.Type == t || x.Bound() <= Small {
		return s
	}
	return wrapped(l, t, s)
}

// wrapped keeps what a type has of a value: its low bits, sign- or zero-extended.
func wrapped(l Language, t spec.Type, s string) string {
	switch t {
	case spec.I32:
		return l.Helper("i32") + "(" + s + ")"
	case spec.U32:
		return l.Helper("u32") + "(" + s + ")"
	}
	return "(" + s + ")"
}

func divide(x *gen.Expr) string {
	name := map[spec.Op]string{spec.OpDiv: "divide", spec.OpMod: "modulo"}[x.Op]
	switch x.Type {
	case spec.I32:
		return name + "_i32"
	case spec.I64:
		return name + "_i64"
	}
	return name
}

func shift(l Language, x *gen.Expr) string {
	before, a, b := l.Operands(x, func(y *gen.Expr) string { return Value(l, y) })
	if count := x.Type.Width() - 1; x.Y.Kind == gen.Const {
		b = fmt.Sprint(x.Y.Value & uint64(count))
	} else {
		b = fmt.Sprintf("(%s & %d)", b, count)
	}
	if x.Op == spec.OpShl {
		s := l.Number(x.X, a) + " << " + b
		if x.Bound() > Small {
			return inOrder(before, wrapped(l, x.Type, s))
		}
		return "(" + before + s + ")"
	}
	if x.X.Bound() > Small {
		if x.X.Type != x.Type {
			a = wrapped(l, x.Type, l.Number(x.X, a))
		}
		if x.Type.Signed() && x.X.Bound() > 1<<63-1 {
			return inOrder(before, l.Unsigned(l.Signed(x.X, a)+" >> "+b))
		}
	}
	return "(" + before + l.Number(x.X, a) + " >> " + b + ")"
}

// Cond writes an expression as a condition.
func Cond(l Language, x *gen.Expr) string {
	switch {
	case x.Kind == gen.Test:
		return Test(l, l.Limbs(x.Hops), &x.Mask, &x.Match)
	case x.Kind == gen.Const:
		return fmt.Sprint(x.Value != 0)
	case !x.CanBe(0) && x.Effects:
		return l.Comma(Value(l, x), l.Constant(1)) + " != 0"
	case !x.CanBe(0):
		return "true" // compilers say so of a comparison
	case !x.IsBool():
		return Value(l, x) + " != 0"
	case x.Op == spec.OpNot && x.X.IsBool():
		return "!(" + Cond(l, x.X) + ")"
	case x.Op == spec.OpNot:
		return Value(l, x.X) + " == 0"
	case x.Op == spec.OpAndAnd || x.Op == spec.OpOrOr:
		return "(" + Cond(l, x.X) + ") " + symbols[x.Op] + " (" + Cond(l, x.Y) + ")"
	}
	t := max(x.X.Type, x.Y.Type)
	before, a, b := l.Operands(x, func(y *gen.Expr) string { return as(l, t, y) })
	s := fmt.Sprintf("%s %s %s", a, symbols[x.Op], b)
	if x.Op != spec.OpEq && x.Op != spec.OpNe {
		signed := t.Signed() && max(x.X.Bound(), x.Y.Bound()) > 1<<63-1
		if signed {
			s = fmt.Sprintf("%s %s %s", l.Signed(x.X, a), symbols[x.Op], l.Signed(x.Y, b))
		} else if always := l.BelowZero(x.Op, a); always != "" && b == l.Constant(0) {
			return fmt.Sprintf("(%s%s)", before, always)
		}
	}
	return inOrder(before, s)
}

// Test compares the bits of a mask.
func Test(l Language, limbs string, mask, match *gen.Bits) string {
	var list []string
	for i, m := range mask {
		if m == 0 {
			continue
		}
		value := fmt.Sprintf("%s[%d]", limbs, i)
		if m != ^uint64(0) {
			value = l.Masked(value, l.Constant(m))
		}
		list = append(list, value+" == "+l.Constant(match[i]))
	}
	if len(list) == 0 {
		return "true"
	}
	return strings.Join(list, " && ")
}

// Bare is an expression without the parentheses around it.
func Bare(s string) string {
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && strings.Count(s, "(") == 1 {
		return s[1 : len(s)-1]
	}
	return s
}
