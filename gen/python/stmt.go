package python

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

// mostIndented is the number of levels that generated code indents. Python accepts 100. A deeper block becomes a function.
const mostIndented = 40

// body writes the statements of one function.
type body struct {
	w      *writer
	b      strings.Builder
	indent int
	marks  int
	depth  int // of parentheses in the current expression
	// locals reports whether expressions read values that the function computed before, a.
	locals bool
}

func (w *writer) body() *body { return &body{w: w, indent: 1} }

func (f *body) line(format string, args ...any) {
	f.b.WriteString(strings.Repeat("    ", f.indent))
	fmt.Fprintf(&f.b, format, args...)
	f.b.WriteByte('\n')
}

// block writes an indented block after a line that ends with a colon.
func (f *body) block(write func()) {
	f.indent++
	if f.indent <= mostIndented {
		before := f.b.Len()
		write()
		if f.b.Len() == before {
			f.line("pass")
		}
		f.indent--
		return
	}
	outer := *f
	*f = body{w: f.w, indent: 1, locals: f.locals}
	write()
	text := f.b.String()
	*f = outer
	if text == "" {
		text = "    pass\n"
	}
	name := f.w.unique("_block")
	fmt.Fprintf(&f.w.outlined, "\n\ndef %s(p, s):\n%s", name, text)
	f.line("if %s(p, s):", name)
	f.indent++
	f.line("return True")
	f.indent -= 2
}

func (f *body) stmts(list []gen.Stmt) {
	for i := 0; i < len(list); i++ {
		s := &list[i]
		if s.Kind == gen.Notify && s.Value != nil && i+1 < len(list) {
			// The next statement prints the field.
			f.marks++
			at := fmt.Sprintf("at%d", f.marks)
			f.line("%s = p.open(s, %s, lambda: %s)", at, quote(s.Text), f.value(s.Value))
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

func (f *body) put(text string) {
	if text != "" {
		f.line("p.out += %s", quote(text))
	}
}

func (f *body) stmt(s *gen.Stmt) {
	switch s.Kind {
	case gen.Text:
		f.put(s.Text)
	case gen.LeafName:
		f.line("p.out += s.leaf.%s", map[bool]string{false: "display", true: "name"}[f.w.p.Mesa])
	case gen.Part:
		f.line("%s(p, s)", f.w.funcs[s.Func])
	case gen.Align:
		f.line("p.align(%d)", s.Column)
	case gen.Break:
		f.line("p.line_break(%s)", quote(s.Text))
	case gen.Remark:
		f.line("if p.o.remarks:")
		f.block(func() { f.optional("\t"+f.w.p.ISA.Text.Comment+" ", s.Body, "", "") })
	case gen.Optional:
		f.optional(s.Before, s.Body, s.After, "")
	case gen.Set:
		f.marks++
		first := fmt.Sprintf("first%d", f.marks)
		f.line("%s = len(p.out)", first)
		for _, m := range s.Members {
			f.optional(s.Text, m, "", first)
		}
	case gen.If:
		f.branch(s)
	case gen.Scalar:
		f.scalar(s)
	case gen.Nested:
		f.enter(s.Nested)
	case gen.Symbol:
		f.line("if not p.symbol(%s, %s):", quote(s.Text), f.value(s.Value))
		f.block(func() { f.stmts(s.Body) })
	case gen.Notify:
		f.line("p.tell(%s)", quote(s.Text))
	case gen.NoField:
		f.line("p.no_field(%s)", quote(s.Text))
	case gen.NoText:
		f.line("p.find(Finding(FindingKind.NO_DISPLAY, s.leaf.name))")
	case gen.Expected:
		a := s.Assert
		f.line("if not %s:", test("s.w", a.Mask, a.Match))
		f.block(func() {
			f.line("p.unexpected(s, %s, %d, %d, %s, %s)", quote(s.Text), a.Low, a.High, integer(a.Mask), integer(a.Match.Shr(a.Low)))
		})
	case gen.Compute:
		f.line("%s", f.value(s.Value))
	case gen.Done:
		f.line("return True")
	case gen.Ignored:
		value := f.whole(s.Nested.Value)
		if s.Leaf == nil {
			f.line("%s", value)
		} else {
			f.line("p.ignored(%s, %s)", f.w.leafInfo(s.Leaf), value)
		}
	case gen.AddOperand:
		f.addOperand(s)
	case gen.Act:
		f.act(s)
	}
}

func (f *body) branch(s *gen.Stmt) {
	f.line("if %s:", f.cond(s.Value))
	f.block(func() { f.stmts(s.Body) })
	for len(s.Else) == 1 && s.Else[0].Kind == gen.If {
		s = &s.Else[0]
		f.line("elif %s:", f.cond(s.Value))
		f.block(func() { f.stmts(s.Body) })
	}
	if len(s.Else) > 0 {
		f.line("else:")
		f.block(func() { f.stmts(s.Else) })
	}
}

// optional prints before and after only if the statements between them print something. first is the variable with the start of
// a list: the first element has nothing before it.
func (f *body) optional(before string, inside []gen.Stmt, after, first string) {
	f.marks++
	n := f.marks
	f.line("start%d = p.mark()", n)
	if first != "" {
		f.line("if len(p.out) > %s:", first)
		f.block(func() { f.put(before) })
	} else {
		f.put(before)
	}
	f.line("from%d = len(p.out)", n)
	f.stmts(inside)
	if len(inside) > 0 && inside[len(inside)-1].Kind == gen.Done {
		return
	}
	f.line("if len(p.out) == from%d:", n)
	f.block(func() { f.line("p.reset(start%d)", n) })
	if after != "" {
		f.line("else:")
		f.block(func() { f.put(after) })
	}
}

func (f *body) scalar(s *gen.Stmt) {
	t := s.Scalar
	if t.Wide != nil {
		value := f.whole(t.Wide)
		switch {
		case t.Kind == spec.KindHex:
			f.line("p.out += '%%x' %% %s", value)
		case f.w.p.ISA.Strict:
			f.line("p.out += str(%s)", value)
		default:
			f.line("p.out += str(%s & M64)", value)
		}
		return
	}
	v := f.value(s.Value)
	extended := fmt.Sprintf("sign_extend(%s, %d)", v, t.Width)
	switch t.Kind {
	case spec.KindInt:
		f.line("p.out += str(%s)", extended)
	case spec.KindUint:
		f.line("p.out += str(%s)", v)
	case spec.KindHex:
		f.line("p.out += '%%x' %% %s", v)
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
		f.line("p.out += enum_text(_TEXTS_%s, %s)", f.w.enums[t.Enum], v)
	case spec.KindBranch:
		f.line("p.branch(%s, %d, %s)", extended, t.Unit, boolean(t.Call))
	case spec.KindAbsBranch:
		shown := extended
		if f.w.p.ISA.Strict {
			shown = "i64(" + v + ")"
		}
		f.line("p.absbranch(i64(%s), %s, %d, %s)", v, shown, t.Unit, boolean(t.Call))
	case spec.KindCustom:
		f.line("p.custom(%s, %s)", quote(t.Name), v)
	}
}

func boolean(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func (f *body) boolean(s *gen.Stmt, v string) {
	t := s.Scalar
	on := f.cond(s.Value)
	if t.Kind == spec.KindBoolInv {
		on = "not (" + on + ")"
	}
	switch {
	case t.Display != nil && *t.Display == "":
		f.line("%s", v)
	case t.Display != nil:
		f.line("if %s:", on)
		f.block(func() { f.put(*t.Display) })
	case t.Kind == spec.KindBoolInv:
		f.line("p.out += '1' if %s else '0'", on)
	default:
		f.line("p.out += str(%s & 0xffffffff)", v)
	}
}

// enter prints a field in a scope of its own.
func (f *body) enter(n *gen.NestedField) {
	up := "s"
	for i := range n.Steps {
		depth := ""
		if f.w.p.Deep {
			depth = ", " + up + ".depth + 1"
		}
		f.line("s%d = Scope(%s, %s, %s%s)", i+1, f.whole(&n.Steps[i].Source), up, f.w.leafInfo(n.Steps[i].Leaf), depth)
		up = fmt.Sprintf("s%d", i+1)
	}
	value := ""
	if n.Value != nil {
		value = f.whole(n.Value)
	} else {
		value = f.value(n.Computed)
	}
	f.line("%s(p, %s, %s, %s)", f.w.funcs[n.Show], up, value, quote(n.Field))
}

func (w *writer) leafInfo(l *gen.Leaf) string {
	return fmt.Sprintf("LEAVES_%s[%d]", w.roots[l.Root], number(l.ID))
}

// number is the number of a leaf in generated code: its value in the enum of instructions. 0 is no leaf.
func number(leaf int) int { return leaf + 1 }

func (f *body) addOperand(s *gen.Stmt) {
	describe := func() {
		f.line("p.open_operand(%s, %d, %d)", quote(s.Text), s.Numbers[0], s.Numbers[1])
		f.stmts(s.Else)
		f.line("p.close_operand()")
	}
	if len(s.Body) == 0 {
		describe()
		return
	}
	f.marks++
	n := f.marks
	f.line("from%d = len(p.out)", n)
	f.stmts(s.Body)
	f.line("if len(p.out) != from%d:", n)
	f.block(describe)
}

// act calls a method of the printer.
func (f *body) act(s *gen.Stmt) {
	var list []string
	for _, n := range s.Numbers {
		if n < 0 { // no file
			n = len(f.w.p.Files)
		}
		list = append(list, fmt.Sprint(n))
	}
	for _, x := range s.Values {
		list = append(list, f.value(x))
	}
	f.line("p.%s(%s)", s.Text, strings.Join(list, ", "))
}

// eval computes an expression in a scope.
func (f *body) eval(e *gen.Evaluation) {
	if e.Open || e.Mesa {
		f.line("k = s.known.get(%d)", e.Known)
		f.line("if k is not None:")
		f.block(func() { f.line("return k") })
	}
	if e.Mesa {
		f.line("if not p.push(%d):", e.ID)
		f.block(func() { f.line("return 0") })
		f.locals = true
		f.line("a = []")
		for _, m := range e.Locals {
			f.line("a.append(%s)", f.value(m.Value))
		}
		f.line("s.known[%d] = k = %s", e.Known, f.value(e.Value))
		f.line("p.stack.pop()")
		f.line("return k")
		return
	}
	if e.Told >= 0 {
		f.line("if not s.told >> %d & 1:", e.Told)
		f.block(func() {
			f.line("s.told |= 1 << %d", e.Told)
			if e.Cycle != "" {
				f.line("p.find(Finding(FindingKind.CYCLE, %s))", quote(e.Cycle))
			}
			for _, m := range e.Missing {
				switch {
				case m.Found.Kind == gen.Const && m.Found.Value != 0:
				case m.Found.Kind == gen.Const:
					f.line("p.no_field(%s)", quote(m.Name))
				default:
					f.line("if not (%s):", f.cond(m.Found))
					f.block(func() { f.line("p.no_field(%s)", quote(m.Name)) })
				}
			}
		})
	}
	if e.Cycle != "" {
		f.line("return 0")
		return
	}
	for _, x := range e.Fetch {
		f.line("%s", f.value(x))
	}
	if e.Open {
		f.line("s.known[%d] = k = %s", e.Known, f.value(e.Value))
		f.line("return k")
		return
	}
	f.result(e.Value)
}

// result returns a value. A choice becomes statements.
func (f *body) result(x *gen.Expr) {
	for x.Kind == gen.Choose && f.indent < mostIndented {
		f.line("if %s:", f.cond(x.X))
		f.indent++
		f.result(x.Y)
		f.indent--
		x = x.Z
	}
	f.line("return %s", f.value(x))
}

// tree writes the tree that finds the leaf of a value as a table: of bits and the next node for their values, or of a function
// that tests the candidates, or the number of a leaf.
func (w *writer) tree(name string, t *gen.Tree, r *gen.Root) {
	var nodes []string
	var add func(*gen.Tree) int
	add = func(t *gen.Tree) int {
		n := len(nodes)
		nodes = append(nodes, "")
		if len(t.Next) == 0 {
			nodes[n] = w.candidates(t, r)
			return n
		}
		var runs, next []string
		at := 0
		for _, run := range t.Runs {
			runs = append(runs, fmt.Sprintf("(%d, %s, %d)", run.Low, ones(run.Width), at))
			at += run.Width
		}
		for _, x := range t.Next {
			to := add(x.Tree)
			for _, v := range x.Values {
				next = append(next, fmt.Sprintf("%d: %d", v, to))
			}
		}
		nodes[n] = fmt.Sprintf("((%s,), {%s})", strings.Join(runs, ", "), strings.Join(next, ", "))
		return n
	}
	add(t)
	fmt.Fprintf(&w.trees, "\n_TREE%s = (\n", name)
	for _, n := range nodes {
		w.wrap(&w.trees, "    ", n+",")
	}
	fmt.Fprintf(&w.trees, ")\n")
}

// candidates tests leaves one after another.
func (w *writer) candidates(t *gen.Tree, r *gen.Root) string {
	f := w.body()
	switch {
	case !t.First && len(t.Leaves) > 1:
		f.line("found = 0")
		for i := range t.Leaves {
			c := &t.Leaves[i]
			cond := f.candidate(c)
			for _, l := range c.Refined {
				cond = fmt.Sprintf("found != %d and %s", number(l.ID), cond)
			}
			f.line("if %s:", cond)
			f.indent++
			if i > 0 {
				f.line("if found:")
				f.indent++
				f.line("p.conflict(LEAVES_%[1]s[found], LEAVES_%[1]s[%[2]d])", w.roots[r], number(c.Leaf.ID))
				f.line("return 0")
				f.indent--
			}
			f.line("found = %d", number(c.Leaf.ID))
			f.indent--
		}
		f.line("return found")
	default:
		sure := false
		for i := range t.Leaves {
			c := &t.Leaves[i]
			cond := f.candidate(c)
			if cond == "True" {
				if i == 0 {
					return fmt.Sprint(number(c.Leaf.ID))
				}
				f.line("return %d", number(c.Leaf.ID))
				sure = true
				break
			}
			f.line("if %s:", cond)
			f.indent++
			f.line("return %d", number(c.Leaf.ID))
			f.indent--
		}
		if len(t.Leaves) == 0 {
			return "0"
		}
		if !sure {
			f.line("return 0")
		}
	}
	name := w.unique("_try")
	fmt.Fprintf(&w.outlined, "\n\ndef %s(p, s):\n%s", name, f.b.String())
	return name
}

func (f *body) candidate(c *gen.Candidate) string {
	cond := test("s.w", c.Mask, c.Match)
	for _, x := range c.Requires {
		if cond == "True" {
			cond = "(" + f.cond(x) + ")"
		} else {
			cond += " and (" + f.cond(x) + ")"
		}
	}
	return cond
}
