package c

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

func (f *body) stmts(list []gen.Stmt) {
	for i := range list {
		f.stmt(&list[i])
		if list[i].Kind == gen.Done {
			return
		}
	}
}

func (f *body) stmt(s *gen.Stmt) {
	switch s.Kind {
	case gen.Text:
		f.text(s.Text)
	case gen.LeafName:
		f.line("put(p, s->leaf->display, s->leaf->length);")
	case gen.Part:
		f.line("%s(p, s);", s.Func.Name)
	case gen.Align:
		f.line("align(p, %d);", s.Column)
	case gen.Break:
		f.line("line_break(p, %s, %d);", quote(s.Text), len(s.Text))
	case gen.Remark:
		f.remark(s)
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
		f.symbol(s)
	case gen.Notify:
		f.notify(s)
	case gen.NoField:
		f.line("(void)no_field(p, %s);", quote(s.Text))
	case gen.NoText:
		f.line("no_display(p, s);")
	case gen.Expected:
		f.expected(s)
	case gen.Compute:
		f.line("(void)%s;", f.value(s.Value))
	case gen.Done:
		f.line("return;")
	case gen.Ignored:
		f.ignored(s)
	case gen.AddOperand:
		f.addOperand(s)
	case gen.Act:
		f.act(s)
	}
}

func (f *body) text(s string) {
	for ; len(s) > padded; s = s[padded:] {
		f.line("put(p, %s, %d);", quote(s[:padded]), padded)
	}
	if s != "" {
		f.line("put(p, %s, %d);", pad(s), len(s))
	}
}

// padded is the number of bytes that are copied of each text.
const padded = 16

// pad writes a text as a string behind which as many bytes can be read as are copied.
func pad(s string) string {
	if len(s) >= padded {
		return quote(s)
	}
	return quote(s) + " PAD"
}

func (f *body) branch(s *gen.Stmt) {
	f.line("if (%s) {", f.cond(s.Value))
	f.depth++
	f.stmts(s.Body)
	f.depth--
	for len(s.Else) == 1 && s.Else[0].Kind == gen.If {
		s = &s.Else[0]
		f.line("} else if (%s) {", f.cond(s.Value))
		f.depth++
		f.stmts(s.Body)
		f.depth--
	}
	if len(s.Else) > 0 {
		f.line("} else {")
		f.depth++
		f.stmts(s.Else)
		f.depth--
	}
	f.line("}")
}

// optional prints what stands around something only where that prints something; before only behind something else,
// where first is the length of the text before that.
func (f *body) optional(before string, inside []gen.Stmt, after, first string) {
	if first == "" && f.joined(before, inside, after) {
		return
	}
	if before == "" && after == "" {
		f.stmts(inside)
		return
	}
	f.marks++
	n := f.marks
	f.line("{")
	f.depth++
	if before != "" {
		f.line("const size_t m%d = p->out.length, l%d = p->out.lost;", n, n)
		f.line("size_t n%d;", n)
		if first != "" {
			f.line("if (p->out.length > %s) {", first)
			f.depth++
		}
		f.text(before)
		if first != "" {
			f.depth--
			f.line("}")
		}
		f.line("n%d = p->out.length;", n)
	} else {
		f.line("const size_t n%d = p->out.length;", n)
	}
	f.stmts(inside)
	switch {
	case before == "":
		f.line("if (p->out.length != n%d) {", n)
	default:
		f.line("if (p->out.length == n%d) {", n)
		f.line("\tp->out.length = m%d;", n)
		f.line("\tp->out.lost = l%d;", n)
		if after != "" {
			f.line("} else {")
		}
	}
	f.depth++
	f.text(after)
	f.depth--
	f.line("}")
	f.depth--
	f.line("}")
}

// joined writes a flag or a value of an enum in one text with what stands around it, if that is all that is inside.
func (f *body) joined(before string, inside []gen.Stmt, after string) bool {
	last := len(inside) - 1
	if last < 0 || inside[last].Kind != gen.Scalar {
		return false
	}
	for i := range inside[:last] {
		if inside[i].Kind != gen.Notify {
			return false
		}
	}
	s := &inside[last]
	t := s.Scalar
	if t.Wide != nil {
		return false
	}
	switch t.Kind {
	case spec.KindBool, spec.KindBoolInv:
		if t.Display == nil || *t.Display == "" || len(before+*t.Display+after) > padded {
			return false
		}
		f.stmts(inside[:last])
		f.flag(s, before+*t.Display+after)
	case spec.KindEnum:
		f.stmts(inside[:last])
		f.line("%s(p, %s);", f.w.textOf(t.Enum, before, after), f.value(s.Value))
	default:
		return false
	}
	return true
}

// flag prints a text where a value, or its opposite, is not 0.
func (f *body) flag(s *gen.Stmt, text string) {
	on := f.cond(s.Value)
	if s.Scalar.Kind == spec.KindBoolInv {
		on = "!(" + on + ")"
	}
	if len(text) <= padded {
		f.line("put(p, %s, %s ? %du : 0u);", pad(text), parens(on), len(text))
		return
	}
	f.line("if (%s) {", on)
	f.depth++
	f.text(text)
	f.depth--
	f.line("}")
}

// parens puts a condition in parentheses where it has none of its own.
func parens(cond string) string {
	if cond == "true" || cond == "false" {
		return cond
	}
	return "(" + cond + ")"
}

func (f *body) set(s *gen.Stmt) {
	f.marks++
	first := fmt.Sprintf("f%d", f.marks)
	f.line("{")
	f.depth++
	if s.Text == "" {
		first = "" // nothing stands between them
	} else {
		f.line("const size_t %s = p->out.length;", first)
	}
	for _, m := range s.Members {
		f.optional(s.Text, m, "", first)
	}
	if len(s.Members) == 0 && first != "" {
		f.line("(void)%s;", first)
	}
	f.depth--
	f.line("}")
}

func (f *body) remark(s *gen.Stmt) {
	f.line("if (p->o->remarks) {")
	f.depth++
	f.optional("\t"+f.w.p.ISA.Text.Comment+" ", s.Body, "", "")
	f.depth--
	f.line("}")
}

func (f *body) notify(s *gen.Stmt) {
	value := "0"
	if s.Value != nil {
		value = f.value(s.Value)
	}
	if strings.Contains(value, "(p, ") {
		f.line("if (p->o->field)")
		f.line("\ttell(p, %s, %s);", quote(s.Text), value)
		return
	}
	f.line("tell(p, %s, %s);", quote(s.Text), value)
}

func (f *body) symbol(s *gen.Stmt) {
	f.line("if (!p->o->symbol || !p->o->symbol(p->o->user, &p->out, %s, %s)) {", quote(s.Text), f.value(s.Value))
	f.depth++
	f.stmts(s.Body)
	f.depth--
	f.line("}")
}

func (f *body) scalar(s *gen.Stmt) {
	t := s.Scalar
	if t.Wide != nil {
		f.wide(t)
		return
	}
	v := f.value(s.Value)
	if s.Value.Effects && (t.Kind == spec.KindBranch || t.Kind == spec.KindAbsBranch) { // which is written twice
		f.line("{")
		f.depth++
		f.line("const uint64_t b = %s;", v)
		v = "b"
		defer func() {
			f.depth--
			f.line("}")
		}()
	}
	sign := t.Width <= 0 || t.Width >= 64
	extended := fmt.Sprintf("sign_extend(%s, %d)", v, t.Width)
	if sign {
		extended = "(int64_t)" + v
	}
	switch t.Kind {
	case spec.KindInt:
		f.line("put_int(p, %s);", extended)
	case spec.KindUint:
		f.line("put_uint(p, %s);", v)
	case spec.KindHex:
		f.line("put_hex(p, %s);", v)
	case spec.KindOffset:
		f.line("put_offset(p, %s, %d);", v, min(max(t.Width, 0), 64))
	case spec.KindUOffset:
		f.line("put_uoffset(p, %s);", v)
	case spec.KindFloat:
		f.float(v, t)
	case spec.KindBool, spec.KindBoolInv:
		f.boolean(s, v)
	case spec.KindEnum:
		f.line("%s(p, %s);", f.w.textOf(t.Enum, "", ""), v)
	case spec.KindBranch:
		f.line("put_branch(p, %s, %s, %d, %t);", extended, extended, t.Unit, t.Call)
	case spec.KindAbsBranch:
		shown := extended
		if f.w.p.ISA.Strict {
			shown = "(int64_t)" + v
		}
		f.line("put_absbranch(p, (int64_t)%s, %s, %d, %t);", v, shown, t.Unit, t.Call)
	case spec.KindCustom:
		f.line("put_custom(p, %s, %s);", quote(t.Name), v)
	}
}

func (f *body) float(v string, t *gen.ScalarType) {
	if t.Width == 16 {
		f.line("put_half(p, %s);", v)
		return
	}
	f.line("put_float(p, %s, %d);", v, min(max(t.Width, 1), 32))
}

func (f *body) boolean(s *gen.Stmt, v string) {
	t := s.Scalar
	switch {
	case t.Display != nil && *t.Display == "":
		if s.Value.Effects {
			f.line("(void)%s;", v)
		}
	case t.Display != nil:
		f.flag(s, *t.Display)
	case t.Kind == spec.KindBoolInv:
		f.line("put_uint(p, %s ? 0 : 1);", parens(f.cond(s.Value)))
	default:
		f.line("put_uint(p, %s & UINT64_C(0xffffffff));", v)
	}
}

// wide prints a number of more than 64 bits.
func (f *body) wide(t *gen.ScalarType) {
	n := f.array("v", t.Wide)
	if t.Kind == spec.KindHex {
		f.line("put_wide_hex(p, v, %d);", n)
	} else if f.w.p.ISA.Strict {
		f.line("put_wide(p, v, %d);", n)
	} else {
		f.line("put_uint(p, v[0]);")
	}
	f.depth--
	f.line("}")
}

// array opens a block in which the value of a source is an array.
func (f *body) array(name string, src *gen.Source) (limbs int) {
	f.line("{")
	f.depth++
	return f.declare(name, src)
}

func (f *body) declare(name string, src *gen.Source) (limbs int) {
	if src.Parts == nil && src.Entry != nil {
		f.line("const uint64_t *const %s = %s;", name, f.Entry(src.Entry))
		return f.w.p.Limbs
	}
	n := src.Limbs()
	var list []string
	for i := range n {
		list = append(list, f.bits(src, i))
	}
	f.line("const uint64_t %s[%d] = {%s};", name, n, strings.Join(list, ", "))
	return n
}

func (f *body) nested(n *gen.NestedField) {
	f.line("{")
	f.depth++
	up := "s"
	for i := range n.Steps {
		name := fmt.Sprintf("e%d", i+1)
		f.declare(name, &n.Steps[i].Source)
		up = f.openScope(fmt.Sprintf("s%d", i+1), up, name, f.w.leafInfo(n.Steps[i].Leaf))
	}
	if n.Value != nil {
		f.declareFor("v", n.Value, n.Show.Root)
	} else {
		f.line("const uint64_t v[%d] = {%s};", n.Show.Root.Limbs(), f.value(n.Computed))
	}
	f.line("%s(p, %s, v, %s);", n.Show.Name, up, quote(n.Field))
	f.depth--
	f.line("}")
}

// declareFor is declare with as many limbs as words of a root have.
func (f *body) declareFor(name string, src *gen.Source, r *gen.Root) {
	if src.Parts == nil && src.Entry != nil {
		f.declare(name, src)
		return
	}
	n := src.Limbs()
	var list []string
	for i := range max(n, r.Limbs()) {
		if i < n {
			list = append(list, f.bits(src, i))
		} else {
			list = append(list, "0")
		}
	}
	f.line("const uint64_t %s[%d] = {%s};", name, len(list), strings.Join(list, ", "))
}

// openScope declares a scope and returns its address.
func (f *body) openScope(name, up, value, leaf string) string {
	extra := ""
	if n := f.w.p.Told; n > 0 {
		f.line("unsigned char told_%s[%d] = {0};", name, n)
		extra += ", told_" + name
	}
	if n := f.w.p.Known; n > 0 {
		f.line("struct known known_%s[%d] = {{0, 0}};", name, n)
		extra += ", known_" + name
	}
	depth := ""
	if f.w.p.Deep {
		depth = ", " + up + " ? " + up + "->depth + 1 : 0"
		if up == "NULL" {
			depth = ", 0"
		}
	}
	f.line("struct scope %s = {%s, %s, %s%s%s};", name, value, up, leaf, extra, depth)
	return "&" + name
}

func (f *body) expected(s *gen.Stmt) {
	a := s.Assert
	var got []string
	for i := range f.w.p.Limbs {
		if a.Mask[i] == 0 {
			got = append(got, "0")
		} else {
			got = append(got, fmt.Sprintf("s->w[%d] & %s", i, constant(a.Mask[i])))
		}
	}
	f.line("if (!(%s))", f.test("s->w", &a.Mask, &a.Match))
	f.line("\tunexpected(p, %s, %d, %d, word_of(%s), %s);", quote(s.Text), a.Low, a.High,
		strings.Join(got, ", "), f.w.word(a.Match.Shr(a.Low)))
}

// word writes a constant word.
func (w *writer) word(v gen.Bits) string {
	var list []string
	for i := range w.p.Limbs {
		list = append(list, constant(v[i]))
	}
	return "word_of(" + strings.Join(list, ", ") + ")"
}

func (f *body) ignored(s *gen.Stmt) {
	f.array("v", s.Nested.Value)
	if s.Leaf == nil {
		f.line("(void)v;")
	} else {
		f.ignoredBits("v", s.Leaf)
	}
	f.depth--
	f.line("}")
}

// ignoredBits finds the ignored bits of a leaf that are set.
func (f *body) ignoredBits(value string, l *gen.Leaf) {
	if l.DontCare.IsZero() {
		f.line("(void)%s;", value)
		return
	}
	var list []string
	for i := range f.w.p.Limbs {
		if m := l.DontCare[i]; m == 0 {
			list = append(list, "0")
		} else {
			list = append(list, fmt.Sprintf("%s[%d] & %s", value, i, constant(m)))
		}
	}
	f.line("if (p->o->findings)")
	f.line("\tignored(p, %s, word_of(%s));", quote(l.Spec.DisplayName), strings.Join(list, ", "))
}
