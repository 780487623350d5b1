package c

import (
	"fmt"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

// matchTables is a tree as a table of steps, and the candidates to which these lead.
type matchTables struct {
	b    *body
	root *gen.Root
	// steps are those of all tables, one behind the other.
	steps []step
	// candidates are rows of what is left to be verified, known the groups of them by their rows.
	candidates []string
	known      map[string]int
	requires   []string
	conflicts  []*gen.Tree
	depth      int
	// contexts are those on which conditions depend; byContext tells that these depend on nothing else.
	contexts  []*spec.Context
	byContext bool
}

// step goes on to the table that starts at base, by the bits of run; to the candidates that start there if it is last.
type step struct {
	base int
	run  bits.Part
	last bool
}

// match finds the number of a leaf.
func (b *body) match(f *gen.Func) {
	if f.Large() {
		t := &matchTables{b: b, root: f.Root, known: map[string]int{}}
		t.contexts, t.byContext = f.Tree.When()
		t.add(f.Tree, 0)
		t.write(f.Tree)
		return
	}
	b.tree(f.Tree, f.Root)
}

// add adds a subtree and returns the step to it.
func (t *matchTables) add(tree *gen.Tree, depth int) step {
	if len(tree.Next) == 0 {
		t.depth = max(t.depth, depth)
		return step{base: t.last(tree), last: true}
	}
	base, values := len(t.steps), 1<<tree.Width()
	t.steps = append(t.steps, make([]step, values)...)
	led := make([]bool, values)
	for _, x := range tree.Next {
		to := t.add(x.Tree, depth+1)
		for _, v := range x.Values {
			t.steps[base+int(v)], led[v] = to, true
		}
	}
	for v, ok := range led {
		if !ok {
			t.steps[base+v] = t.add(&gen.Tree{First: true}, depth+1)
		}
	}
	return step{base: base, run: tree.Runs[0]} // that of the first is in the code, and its runs may be more
}

// last adds the candidates of a tree without subtrees, unless they are there, and returns the first of them.
func (t *matchTables) last(tree *gen.Tree) int {
	from := len(t.candidates)
	t.leaves(tree)
	key := strings.Join(t.candidates[from:], "")
	if n, ok := t.known[key]; ok {
		t.candidates = t.candidates[:from]
		return n
	}
	t.known[key] = from
	return from
}

// leaves adds the candidates of a node, and behind them one that always matches.
func (t *matchTables) leaves(tree *gen.Tree) {
	last := len(t.root.Leaves) // none
	if !tree.First && len(tree.Leaves) > 1 {
		t.conflicts = append(t.conflicts, tree)
		last += len(t.conflicts)
	} else {
		for i := range tree.Leaves {
			c := &tree.Leaves[i]
			if c.Mask.IsZero() && len(c.Requires) == 0 {
				last = c.Leaf.ID
				break
			}
			if t.byContext {
				t.candidate(&c.Mask, &c.Match, c.When(t.contexts), c.Leaf.ID, 0)
			} else {
				t.candidate(&c.Mask, &c.Match, 0, c.Leaf.ID, t.require(c))
			}
		}
	}
	t.candidate(&gen.Bits{}, &gen.Bits{}, ^uint64(0), last, 0)
}

func (t *matchTables) candidate(mask, match *gen.Bits, when uint64, leaf, require int) {
	list := func(v *gen.Bits) string {
		var out []string
		for _, limb := range v[:t.b.w.p.Limbs] {
			out = append(out, constant(limb))
		}
		return strings.Join(out, ", ")
	}
	t.candidates = append(t.candidates, fmt.Sprintf("{{%s}, {%s}, %s, %d, %d}", list(mask), list(match), constant(when), leaf, require))
}

// require returns the number of a candidate's conditions, 0 for none.
func (t *matchTables) require(c *gen.Candidate) int {
	if len(c.Requires) == 0 {
		return 0
	}
	var list []string
	for _, x := range c.Requires {
		list = append(list, parens(t.b.cond(x)))
	}
	cond := strings.Join(list, " && ")
	for i, known := range t.requires {
		if known == cond {
			return i + 1
		}
	}
	t.requires = append(t.requires, cond)
	return len(t.requires)
}

// write writes the tables and what walks them. It takes as many steps for each value, since processors foresee that: the
// table begins with steps that go on to themselves, one for each candidate.
func (t *matchTables) write(tree *gen.Tree) {
	b, none := t.b, fmt.Sprintf("%du", len(t.root.Leaves))
	first := len(t.candidates)
	var steps []string
	for i := range t.candidates {
		steps = append(steps, fmt.Sprintf("{%d, 0, 0, 0}", i))
	}
	for _, x := range t.steps {
		if x.last {
			steps = append(steps, fmt.Sprintf("{%d, 0, 0, 0}", x.base))
		} else {
			steps = append(steps, fmt.Sprintf("{%d, %d, %d, %d}", first+x.base, 1<<x.run.Width-1, x.run.Low/64, x.run.Low%64))
		}
	}
	b.rows("struct step steps", steps)
	b.rows("struct candidate candidates", append(t.candidates, t.candidates[first-1])) // one is looked at behind the last
	b.line("const struct step *at = &steps[%d + %s];", first, b.bits(tree.Bits(), 0))
	for range t.depth - 1 {
		limb := "0"
		if b.w.wide() {
			limb = "at->limb"
		}
		b.line("at = &steps[at->base + (s->w[%s] >> at->shift & at->mask)];", limb)
	}
	b.line("const struct candidate *c = candidates + at->base;")
	switch {
	case !t.byContext:
		t.oneByOne()
	case len(t.contexts) > 0:
		b.line("const unsigned now = %s;", t.now())
		t.search("matches(%s, s->w, LIMBS) & (unsigned)(%s->when >> now & 1)")
	default:
		t.search("matches(%s, s->w, LIMBS)")
	}
	if len(t.conflicts) > 0 {
		b.line("switch (c->leaf) {")
		for i, tree := range t.conflicts {
			b.line("case %d:", len(t.root.Leaves)+1+i)
			b.depth++
			b.conflicting(tree, t.root, none)
			b.depth--
		}
		b.line("default:")
		b.line("\tbreak;")
		b.line("}")
	}
	b.line("return c->leaf;")
}

// search writes what finds the first candidate that matches. The third one mostly is the last, and to go there without a
// jump is faster.
func (t *matchTables) search(is string) {
	b := t.b
	is = strings.NewReplacer("%s", "%[1]s", "LIMBS", fmt.Sprint(t.root.Limbs())).Replace(is)
	b.line("const unsigned first = %s;", fmt.Sprintf(is, "c"))
	b.line("c += (first ^ 1) + (~first & 1 & ~(%s));", fmt.Sprintf(is, "(c + 1)"))
	b.line("while (!(%s))", fmt.Sprintf(is, "c"))
	b.line("\tc++;")
}

// now is the values of the contexts side by side, the first lowest.
func (t *matchTables) now() string {
	var list []string
	at := 0
	for _, c := range t.contexts {
		list = append(list, fmt.Sprintf("(unsigned)(%s & %d) << %d", t.b.w.context(c), 1<<c.Width-1, at))
		at += c.Width
	}
	return strings.Join(list, " | ")
}

// oneByOne tries candidates, and of each that matches its condition.
func (t *matchTables) oneByOne() {
	b := t.b
	b.line("for (;; c++) {")
	b.depth++
	b.line("if (!matches(c, s->w, %d))", t.root.Limbs())
	b.line("\tcontinue;")
	b.line("switch (c->require) {")
	for i, cond := range t.requires {
		b.line("case %d:", i+1)
		b.line("\tif (!(%s))", cond)
		b.line("\t\tcontinue;")
		b.line("\tbreak;")
	}
	b.line("default:")
	b.line("\tbreak;")
	b.line("}")
	b.line("break;")
	b.depth--
	b.line("}")
}

// rows declares a table.
func (b *body) rows(name string, list []string) {
	b.line("static const %s[] = {", name)
	b.depth++
	const widest = 100
	line := ""
	for _, x := range list {
		if line != "" && len(line)+len(x) > widest {
			b.line("%s", line)
			line = ""
		}
		line += x + ", "
	}
	b.line("%s", line)
	b.depth--
	b.line("};")
}
