package golang

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

func (f *body) stmts(list []gen.Stmt) {
	for i := 0; i < len(list); i++ {
		s := &list[i]
		if s.Kind == gen.Notify && s.Value != nil && i+1 < len(list) {
			// The field is what is printed next.
			f.marks++
			at := fmt.Sprintf("at%d", f.marks)
			f.line("%s := p.open(s, %q, func() uint64 { return %s })", at, s.Text, f.value(s.Value))
			i++
			f.stmt(&list[i])
			f.line("p.close(%s)", at)
			continue
		}
		f.stmt(s)
		if s.Kind == gen.Done {
			return
		}
	}
}

func (f *body) stmt(s *gen.Stmt) {
	switch s.Kind {
	case gen.Text:
		f.line("p.put(%q)", s.Text)
	case gen.LeafName:
		f.line("p.put(s.leaf.%s)", map[bool]string{false: "display", true: "name"}[f.w.p.Mesa])
	case gen.Part:
		f.line("p.%s(s)", f.w.funcs[s.Func])
	case gen.Align:
		f.line("p.align(%d)", s.Column)
	case gen.Break:
		f.line("p.lineBreak(%q)", s.Text)
	case gen.Remark:
		f.line("if p.o.Remarks {")
		f.optional("\t"+f.w.p.ISA.Text.Comment+" ", s.Body, "", "")
		f.line("}")
	case gen.Optional:
		f.optional(s.Before, s.Body, s.After, "")
	case gen.Set:
		f.set(s)
	case gen.If:
		f.branch(s)
	case gen.Scalar:
		f.scalar(s)
	case gen.Nested:
		f.nested(s.Nested)
	case gen.Symbol:
		f.line("if !p.symbol(%q, %s) {", s.Text, f.value(s.Value))
		f.stmts(s.Body)
		f.line("}")
	case gen.Notify:
		f.line("p.tell(%q)", s.Text)
	case gen.NoField:
		f.line("p.noField(%q)", s.Text)
	case gen.NoText:
		f.line("p.find(Finding{Kind: NoDisplay, Name: s.leaf.name})")
	case gen.Expected:
		f.expected(s)
	case gen.Compute:
		f.line("_ = %s", f.value(s.Value))
	case gen.Done:
		f.line("return")
	case gen.Ignored:
		f.ignored(s)
	case gen.AddOperand:
		f.addOperand(s)
	case gen.Act:
		f.act(s)
	}
}

func (f *body) branch(s *gen.Stmt) {
	f.line("if %s {", f.cond(s.Value))
	f.stmts(s.Body)
	for len(s.Else) == 1 && s.Else[0].Kind == gen.If {
		s = &s.Else[0]
		f.line("} else if %s {", f.cond(s.Value))
		f.stmts(s.Body)
	}
	if len(s.Else) > 0 {
		f.line("} else {")
		f.stmts(s.Else)
	}
	f.line("}")
}

// optional prints what stands around something only where that prints something.
func (f *body) optional(before string, inside []gen.Stmt, after, first string) {
	f.marks++
	n := f.marks
	f.line("{")
	f.line("start%d := p.mark()", n)
	if first != "" {
		f.line("if len(p.out) > %s {\np.put(%q)\n}", first, before)
	} else if before != "" {
		f.line("p.put(%q)", before)
	}
	f.line("from%d := len(p.out)", n)
	f.stmts(inside)
	f.line("if len(p.out) == from%d {\np.reset(start%d)", n, n)
	if after != "" {
		f.line("} else {\np.put(%q)", after)
	}
	f.line("}\n}")
}

func (f *body) set(s *gen.Stmt) {
	f.marks++
	first := fmt.Sprintf("first%d", f.marks)
	f.line("{\n%s := len(p.out)", first)
	for _, m := range s.Members {
		f.optional(s.Text, m, "", first)
	}
	if len(s.Members) == 0 {
		f.line("_ = %s", first)
	}
	f.line("}")
}

func (f *body) scalar(s *gen.Stmt) {
	t := s.Scalar
	if t.Wide != nil {
		f.wide(t)
		return
	}
	v := f.value(s.Value)
	if s.Value.Kind == gen.Const {
		v = "uint64(" + v + ")"
	}
	extended := fmt.Sprintf("signExtend(%s, %d)", v, t.Width)
	switch t.Kind {
	case spec.KindInt:
		f.line("p.int(%s)", extended)
	case spec.KindUint:
		f.line("p.uint(%s)", v)
	case spec.KindHex:
		f.line("p.hex(%s)", v)
	case spec.KindOffset:
		f.line("p.offset(%s, %d)", v, t.Width)
	case spec.KindUOffset:
		f.line("p.uoffset(%s)", v)
	case spec.KindFloat:
		if t.Width == 16 {
			f.line("p.half(%s)", v)
		} else {
			f.line("p.float(%s, %d)", v, min(max(t.Width, 1), 32))
		}
	case spec.KindBool, spec.KindBoolInv:
		f.boolean(s, v)
	case spec.KindEnum:
		f.line("p.put(%s(%s).String())", f.w.enums[t.Enum], v)
	case spec.KindBranch:
		f.line("p.branch(%s, %s, %d, %t)", extended, extended, t.Unit, t.Call)
	case spec.KindAbsBranch:
		shown := extended
		if f.w.p.ISA.Strict {
			shown = "int64(" + v + ")"
		}
		f.line("p.absBranch(int64(%s), %s, %d, %t)", v, shown, t.Unit, t.Call)
	case spec.KindCustom:
		f.line("p.custom(%q, %s)", t.Name, v)
	}
}

func (f *body) boolean(s *gen.Stmt, v string) {
	t := s.Scalar
	on := f.cond(s.Value)
	if t.Kind == spec.KindBoolInv {
		on = "!(" + on + ")"
	}
	switch {
	case t.Display != nil && *t.Display == "":
		f.line("_ = %s", v)
	case t.Display != nil:
		f.line("if %s {\np.put(%q)\n}", on, *t.Display)
	case t.Kind == spec.KindBoolInv:
		f.line("p.uint(bit(%s))", on)
	default:
		f.line("p.uint(%s & 0xffffffff)", v)
	}
}

// wide prints a number of more than 64 bits.
func (f *body) wide(t *gen.ScalarType) {
	value := f.array(t.Wide, t.Wide.Limbs(), "[]uint64")
	switch {
	case t.Kind == spec.KindHex:
		f.line("p.wideHex(%s)", value)
	case f.w.p.ISA.Strict:
		f.line("p.wide(%s)", value)
	default:
		f.line("p.uint(%s[0])", value)
	}
}

// array is the value of a source, as many limbs as are asked for.
func (f *body) array(src *gen.Source, limbs int, kind string) string {
	n := src.Limbs()
	var list []string
	for i := range limbs {
		if i < n {
			list = append(list, f.bits(src, i))
		} else {
			list = append(list, "0")
		}
	}
	return kind + "{" + strings.Join(list, ", ") + "}"
}

// word is the value of a source as the limbs of a scope.
func (f *body) word(src *gen.Source) string {
	if src.Parts == nil && src.Entry != nil {
		return f.Entry(src.Entry)
	}
	return f.array(src, f.w.p.Limbs, "limbs")
}

func (f *body) nested(n *gen.NestedField) {
	up := "s"
	f.line("{")
	for i := range n.Steps {
		f.line("s%d := &scope{w: %s, up: %s, leaf: %s%s}", i+1, f.word(&n.Steps[i].Source), up, f.w.leafInfo(n.Steps[i].Leaf), f.w.depth(up))
		up = fmt.Sprintf("s%d", i+1)
	}
	value := ""
	if n.Value != nil {
		value = f.word(n.Value)
	} else {
		value = "limbs{" + f.value(n.Computed) + "}"
	}
	f.line("p.%s(%s, %s, %q)\n}", f.w.funcs[n.Show], up, value, n.Field)
}

// depth is that of a scope inside another.
func (w *writer) depth(up string) string {
	if !w.p.Deep {
		return ""
	}
	return ", depth: " + up + ".depth + 1"
}

func (w *writer) leafInfo(l *gen.Leaf) string {
	return fmt.Sprintf("&leaves%s[%d]", camel(l.Root.Name), number(l.ID))
}

func (f *body) expected(s *gen.Stmt) {
	a := s.Assert
	f.line("if !(%s) {\np.unexpected(s, %q, %d, %d, %s, %s)\n}", f.test("s.w", &a.Mask, &a.Match), s.Text, a.Low, a.High,
		f.w.limbs(a.Mask), f.w.limbs(a.Match.Shr(a.Low)))
}

// limbs writes a constant value.
func (w *writer) limbs(v gen.Bits) string {
	var list []string
	for i := range w.p.Limbs {
		list = append(list, constant(v[i]))
	}
	return "limbs{" + strings.Join(list, ", ") + "}"
}

func (f *body) ignored(s *gen.Stmt) {
	value := f.word(s.Nested.Value)
	if s.Leaf == nil {
		f.line("_ = %s", value)
		return
	}
	f.line("p.ignored(%s, %s)", f.w.leafInfo(s.Leaf), value)
}
