package golang

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
)

// name gives the functions of the plan names that Go has.
func (w *writer) nameFuncs() {
	w.funcs = map[*gen.Func]string{}
	names := gen.NewNames(strings.Fields(`put align lineBreak int uint hex offset uoffset half float branch absBranch custom wide wideHex
		symbol tell open close mark reset find noField unexpected ignored noOperand conflict entry cycle tooDeep push
		openOperand closeOperand setRegister onlyOf modify swizzle mask setMemory setType setValue setKind setNumber setTarget take takeFlag`)...)
	for f := range gen.Until(w.ctx, w.p.Funcs) {
		w.funcs[f] = names.Unique(local(f.Name), "")
	}
}

// reached finds the functions that something calls; those of operands are for nothing else.
func (w *writer) reached() (printing, operands map[*gen.Func]bool) {
	shown, collected := gen.NewReached(false), gen.NewReached(false)
	for _, r := range w.p.Roots {
		for _, d := range r.Decoders {
			shown.Func(d.Match)
			if d.Show == nil {
				continue
			}
			for _, f := range d.Show.Shows {
				shown.Func(f)
			}
			for _, list := range d.Checks {
				shown.Stmts(list)
			}
			if d.Collect != nil {
				for _, f := range d.Collect.Shows {
					collected.Func(f)
				}
			}
		}
		for l := range gen.Until(w.ctx, r.Leaves) {
			for _, c := range l.Layout.Cases {
				shown.Expr(c.Cond)
			}
		}
	}
	return shown.Used, collected.Used
}

// Where functions stand.
const (
	forDecoding = iota // what finds leaves
	forPrinting
	forOperands
)

// funcsOf writes the functions that stand somewhere.
func (w *writer) funcsOf(where int) {
	printing, operands := w.reached()
	for f := range gen.Until(w.ctx, w.p.Funcs) {
		at := forPrinting
		switch {
		case !printing[f] && !operands[f]:
			continue
		case f.Kind == gen.Match:
			at = forDecoding
		case !printing[f]:
			at = forOperands
		}
		if at != where {
			continue
		}
		b := &body{w: w}
		head := ""
		switch f.Kind {
		case gen.Eval:
			head = fmt.Sprintf("%s(s *scope) uint64", w.funcs[f])
			b.eval(f.Eval)
		case gen.Match:
			head = fmt.Sprintf("%s(s *scope) int", w.funcs[f])
			b.tree(f.Tree, f.Root)
		case gen.Enter:
			head = fmt.Sprintf("%s(up *scope, w limbs, field string)", w.funcs[f])
			b.enter(f)
		default:
			head = fmt.Sprintf("%s(s *scope)", w.funcs[f])
			b.stmts(f.Body)
		}
		w.f("\n// %s: %s\nfunc (p *printer) %s {\n%s}\n", w.funcs[f], gen.Comment(f.Doc), head, b.b.String())
	}
}

// eval computes an expression.
func (b *body) eval(e *gen.Evaluation) {
	if e.Open || e.Mesa {
		b.line("if k := &s.known[%d]; k.is {\nreturn k.value\n}", e.Known)
	}
	if e.Mesa {
		b.line("if !p.push(%d) {\nreturn 0\n}", e.ID)
		for i, m := range e.Locals {
			b.line("a%d := %s", i, b.value(m.Value))
			b.line("_ = a%d", i)
		}
		b.line("s.known[%d] = known{true, %s}", e.Known, b.value(e.Value))
		b.line("p.stack = p.stack[:len(p.stack)-1]")
		b.line("return s.known[%d].value", e.Known)
		return
	}
	if e.Told >= 0 {
		b.line("if !s.told[%d] {\ns.told[%d] = true", e.Told, e.Told)
		if e.Cycle != "" {
			b.line("p.find(Finding{Kind: Cycle, Name: %q})", e.Cycle)
		}
		for _, m := range e.Missing {
			switch {
			case m.Found.Kind == gen.Const && m.Found.Value != 0:
			case m.Found.Kind == gen.Const:
				b.line("p.noField(%q)", m.Name)
			default:
				b.line("if !(%s) {\np.noField(%q)\n}", b.cond(m.Found), m.Name)
			}
		}
		b.line("}")
	}
	if e.Cycle != "" {
		b.line("return 0")
		return
	}
	for _, x := range e.Fetch {
		b.line("_ = %s", b.value(x))
	}
	if !e.Open {
		b.result(e.Value)
		return
	}
	b.line("s.known[%d] = known{true, %s}", e.Known, b.value(e.Value))
	b.line("return s.known[%d].value", e.Known)
}

// result returns a value, a choice as statements.
func (b *body) result(x *gen.Expr) {
	for x.Kind == gen.Choose {
		b.line("if %s {", b.cond(x.X))
		b.result(x.Y)
		b.line("}")
		x = x.Z
	}
	b.line("return %s", b.value(x))
}

// number is that of a leaf in generated code, by its index: 0 is noLeaf.
func number(leaf int) int { return leaf + 1 }

// tree finds the number of a leaf, noLeaf for none.
func (b *body) tree(t *gen.Tree, r *gen.Root) {
	if len(t.Next) == 0 {
		b.candidates(t, r)
		return
	}
	const widest = 5 // bits of which the values are listed
	if t.Width() <= widest {
		b.line("switch %s {", b.bits(t.Bits(), 0))
	} else {
		b.line("switch %s[%s] {", b.w.row(t), b.bits(t.Bits(), 0))
	}
	for i, n := range t.Next {
		list := []string{fmt.Sprint(i + 1)}
		if t.Width() <= widest {
			list = nil
			for _, v := range n.Values {
				list = append(list, fmt.Sprint(v))
			}
		}
		b.line("case %s:", strings.Join(list, ", "))
		b.tree(n.Tree, r)
	}
	b.line("}\nreturn noLeaf")
}

// row declares a table that has, for each value of the bits at which a tree looks, the number of the branch, 0 for none.
func (w *writer) row(t *gen.Tree) string {
	row := make([]int, 1<<t.Width())
	for i, n := range t.Next {
		for _, v := range n.Values {
			row[v] = i + 1
		}
	}
	w.tableCount++
	name := fmt.Sprintf("branches%d", w.tableCount)
	kind := "uint8"
	if len(t.Next) > 255 {
		kind = "uint16"
	}
	fmt.Fprintf(&w.declared, "\nvar %s = [...]%s{", name, kind)
	for i, n := range row {
		if i%32 == 0 {
			w.declared.WriteByte('\n')
		}
		fmt.Fprintf(&w.declared, "%d, ", n)
	}
	w.declared.WriteString("\n}\n")
	return name
}

func (b *body) candidates(t *gen.Tree, r *gen.Root) {
	if !t.First && len(t.Leaves) > 1 {
		b.line("found := noLeaf")
		for i := range t.Leaves {
			c := &t.Leaves[i]
			cond := b.candidate(c)
			for _, l := range c.Refined {
				cond = fmt.Sprintf("found != %d && %s", number(l.ID), cond)
			}
			b.line("if %s {", cond)
			if i > 0 {
				b.line("if found != noLeaf {\np.conflict(&leaves%s[found], &leaves%s[%d])\nreturn noLeaf\n}", camel(r.Name), camel(r.Name), number(c.Leaf.ID))
			}
			b.line("found = %d\n}", number(c.Leaf.ID))
		}
		b.line("return found")
		return
	}
	for i := range t.Leaves {
		c := &t.Leaves[i]
		cond := b.candidate(c)
		if cond == "true" {
			b.line("return %d", number(c.Leaf.ID))
			return
		}
		b.line("if %s {\nreturn %d\n}", cond, number(c.Leaf.ID))
	}
	b.line("return noLeaf")
}

func (b *body) candidate(c *gen.Candidate) string {
	cond := b.test("s.w", &c.Mask, &c.Match)
	for _, x := range c.Requires {
		if cond == "true" {
			cond = "(" + b.cond(x) + ")"
		} else {
			cond += " && (" + b.cond(x) + ")"
		}
	}
	return cond
}

// enter finds the leaf of a nested value and prints it.
func (b *body) enter(f *gen.Func) {
	if b.w.p.Deep {
		b.line("if p.tooDeep(up, field) {\nreturn\n}")
	}
	b.line("s := &scope{w: w, up: up%s}", b.w.depth("up"))
	if len(f.Root.Leaves) == 0 {
		b.line("_ = s\np.noOperand(up, field, w)")
		return
	}
	b.line("leaf := p.%s(s)\nif leaf == noLeaf {\np.noOperand(up, field, w)\nreturn\n}", b.w.funcs[f.Match])
	b.line("s.leaf = &leaves%s[leaf]\np.ignored(s.leaf, w)", camel(f.Root.Name))
	b.dispatch(f, "leaf")
	b.line("}")
}

// dispatch calls the function of a leaf, in a switch that it leaves open.
func (b *body) dispatch(f *gen.Func, leaf string) {
	b.line("switch %s {", leaf)
	done := map[*gen.Func]bool{}
	for i, show := range f.Shows {
		if show == nil || done[show] {
			continue
		}
		done[show] = true
		var list []string
		for k := i; k < len(f.Shows); k++ {
			if f.Shows[k] == show {
				list = append(list, fmt.Sprint(number(k)))
			}
		}
		b.line("case %s:\np.%s(s)", strings.Join(list, ", "), b.w.funcs[show])
	}
}
