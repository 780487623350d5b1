package python

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

// deepest is the number of parentheses that an expression of generated code nests. Python's parser accepts 200. A deeper
// expression becomes a function.
const deepest = 40

func scope(hops int) string { return "s" + strings.Repeat(".up", hops) }

func constant(v uint64) string {
	if v < 10 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%#x", v)
}

// integer writes a value of up to 256 bits.
func integer(v gen.Bits) string {
	if v[1]|v[2]|v[3] == 0 {
		return constant(v[0])
	}
	text := strings.TrimLeft(string(v.AppendHex(nil, 64)), "0")
	return "0x" + text
}

func ones(width int) string {
	var v gen.Bits
	for i := range width {
		v[i/64] |= 1 << (i % 64)
	}
	return integer(v)
}

// whole reads all bits of a source.
func (f *body) whole(src *gen.Source) string {
	if src.Parts == nil {
		return f.holder(src)
	}
	at := 0
	var list []string
	for i := len(src.Parts) - 1; i >= 0; i-- {
		part := src.Parts[i]
		s := f.holder(src)
		if part.Low > 0 {
			s = fmt.Sprintf("%s >> %d", s, part.Low)
		}
		s = fmt.Sprintf("%s & %s", s, ones(part.Width))
		if at > 0 {
			s = fmt.Sprintf("(%s) << %d", s, at)
		}
		list = append([]string{"(" + s + ")"}, list...)
		at += part.Width
	}
	switch len(list) {
	case 0:
		return "0"
	case 1:
		return list[0]
	}
	return "(" + strings.Join(list, " | ") + ")"
}

// holder is the value that contains the bits of a source.
func (f *body) holder(src *gen.Source) string {
	if e := src.Entry; e != nil {
		return fmt.Sprintf("p.entry(p.o.%s, %s, %s)", f.w.tables[e.Table], quote(e.Table.Name), f.value(e.Index))
	}
	return scope(src.Hops) + ".w"
}

// low reads the low 64 bits of a source.
func (f *body) low(src *gen.Source) string {
	s := f.whole(src)
	if src.Parts == nil || src.Width > 64 {
		s = "(" + s + " & M64)"
	}
	return s
}

// nested writes a part of an expression, as a function if it is nested too deeply.
func (f *body) nested(x *gen.Expr, write func(*gen.Expr) string) string {
	if f.depth++; f.depth < deepest {
		s := write(x)
		f.depth--
		return s
	}
	depth := f.depth
	f.depth = 0
	s := write(x)
	f.depth = depth - 1
	name := f.w.unique("_part")
	fmt.Fprintf(&f.w.outlined, "\n\ndef %s(p, s, a):\n    return %s\n", name, s)
	locals := "None"
	if f.locals {
		locals = "a"
	}
	return fmt.Sprintf("%s(p, s, %s)", name, locals)
}

// value writes an expression as a number from 0 to 2^64-1. Numbers below 0 are in two's complement, extended to 64 bits.
func (f *body) value(x *gen.Expr) string { return f.nested(x, f.valueOf) }

// cond writes an expression as a condition.
func (f *body) cond(x *gen.Expr) string { return f.nested(x, f.condOf) }

func (f *body) valueOf(x *gen.Expr) string {
	switch {
	case x.Kind == gen.Const:
		return constant(x.Value)
	case x.Kind == gen.BitsOf:
		return f.low(&x.Source)
	case x.Kind == gen.Choose:
		return fmt.Sprintf("(%[2]s if %[1]s else %[3]s)", f.cond(x.X), f.value(x.Y), f.value(x.Z))
	case x.IsBool():
		return "(1 if " + f.cond(x) + " else 0)"
	case x.Kind == gen.Operator:
		return f.operator(x)
	}
	switch x.Kind {
	case gen.Context:
		return "(p.o." + f.w.contexts[x.Context] + " & M64)"
	case gen.Gen:
		return "p.o.gen"
	case gen.Call:
		return fmt.Sprintf("%s(p, %s)", f.w.funcs[x.Func], scope(x.Hops))
	case gen.Absent:
		return fmt.Sprintf("p.no_field(%s)", quote(x.Name))
	}
	return fmt.Sprintf("a[%d]", x.Value)
}

var symbols = map[spec.Op]string{
	spec.OpOr: "|", spec.OpXor: "^", spec.OpAnd: "&", spec.OpEq: "==", spec.OpNe: "!=", spec.OpLt: "<", spec.OpLe: "<=",
	spec.OpGt: ">", spec.OpGe: ">=", spec.OpAdd: "+", spec.OpSub: "-", spec.OpMul: "*", spec.OpOrOr: "or", spec.OpAndAnd: "and",
	spec.OpShl: "<<", spec.OpShr: ">>", spec.OpInv: "~", spec.OpNeg: "-",
}

// small is the largest value that all types have.
const small = 1<<31 - 1

// wrapped keeps the bits of a number that a type has, and extends them to 64 bits.
func wrapped(t spec.Type, s string) string {
	switch t {
	case spec.I32:
		return "i32(" + s + ")"
	case spec.U32:
		return "(" + s + " & 0xffffffff)"
	}
	return "(" + s + " & M64)"
}

// as converts a value to a type.
func (f *body) as(t spec.Type, x *gen.Expr) string {
	s := f.value(x)
	if x.Type == t || x.Bound() <= small {
		return s
	}
	return wrapped(t, s)
}

func (f *body) operator(x *gen.Expr) string {
	switch {
	case x.Y == nil:
		return wrapped(x.Type, "("+symbols[x.Op]+f.value(x.X)+")")
	case x.Op == spec.OpComma:
		return fmt.Sprintf("(%s, %s)[1]", f.value(x.X), f.value(x.Y))
	case x.Op == spec.OpShl || x.Op == spec.OpShr:
		return f.shift(x)
	}
	a, b := f.as(x.Type, x.X), f.as(x.Type, x.Y)
	switch x.Op {
	case spec.OpDiv, spec.OpMod:
		name := map[spec.Op]string{spec.OpDiv: "divide", spec.OpMod: "modulo"}[x.Op]
		switch x.Type {
		case spec.I32:
			name += "_i32"
		case spec.I64:
			name += "_i64"
		}
		return fmt.Sprintf("%s(%s, %s)", name, a, b)
	case spec.OpAdd, spec.OpSub, spec.OpMul:
		return wrapped(x.Type, fmt.Sprintf("(%s %s %s)", a, symbols[x.Op], b))
	}
	return fmt.Sprintf("(%s %s %s)", a, symbols[x.Op], b)
}

func (f *body) shift(x *gen.Expr) string {
	a, b := f.value(x.X), f.value(x.Y)
	count := uint64(x.Type.Width() - 1)
	if x.Y.Kind == gen.Const {
		b = fmt.Sprint(x.Y.Value & count)
	} else {
		b = fmt.Sprintf("(%s & %d)", b, count)
	}
	if x.Op == spec.OpShl {
		return wrapped(x.Type, fmt.Sprintf("(%s << %s)", a, b))
	}
	if x.X.Type != x.Type && x.X.Bound() > small {
		a = wrapped(x.Type, a)
	}
	if x.Type.Signed() && x.X.Bound() > 1<<63-1 {
		return fmt.Sprintf("(i64(%s) >> %s & M64)", a, b)
	}
	return fmt.Sprintf("(%s >> %s)", a, b)
}

func (f *body) condOf(x *gen.Expr) string {
	switch {
	case x.Kind == gen.Test:
		return test(scope(x.Hops)+".w", x.Mask, x.Match)
	case x.Kind == gen.Const:
		return map[bool]string{false: "False", true: "True"}[x.Value != 0]
	case !x.IsBool():
		return f.value(x) + " != 0"
	case x.Op == spec.OpNot:
		return "not (" + f.cond(x.X) + ")"
	case x.Op == spec.OpAndAnd || x.Op == spec.OpOrOr:
		return fmt.Sprintf("((%s) %s (%s))", f.cond(x.X), symbols[x.Op], f.cond(x.Y))
	}
	t := max(x.X.Type, x.Y.Type)
	a, b := f.as(t, x.X), f.as(t, x.Y)
	if x.Op != spec.OpEq && x.Op != spec.OpNe && t.Signed() && max(x.X.Bound(), x.Y.Bound()) > 1<<63-1 {
		a, b = "i64("+a+")", "i64("+b+")"
	}
	return fmt.Sprintf("(%s %s %s)", a, symbols[x.Op], b)
}

// test compares the bits of a mask.
func test(value string, mask, match gen.Bits) string {
	if mask.IsZero() {
		return "True"
	}
	return fmt.Sprintf("(%s & %s == %s)", value, integer(mask), integer(match))
}
