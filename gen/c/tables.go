package c

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

// matchTables is a tree as tables, for walk.
type matchTables struct {
	b     *body
	root  *gen.Root
	nodes []string
	next  []int
	// candidates are rows of what is left to be verified, known the nodes by their rows.
	candidates []string
	known      map[string]int
	requires   []string
	conflicts  []*gen.Tree
	depth      int
	runs       int // of one node behind the first at most
	// contexts are those on which conditions depend; byContext tells that these depend on nothing else.
	contexts  []*spec.Context
	byContext bool
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

// add adds a subtree and returns the number of its node.
func (t *matchTables) add(tree *gen.Tree, depth int) int {
	if len(tree.Next) == 0 {
		t.depth = max(t.depth, depth)
		return t.last(tree)
	}
	n, base := len(t.nodes), len(t.next)
	t.nodes = append(t.nodes, "")
	const none = -1
	values := 1 << tree.Width()
	t.next = append(t.next, slices.Repeat([]int{none}, values)...)
	if n > 0 { // that of the first is in the code
		var runs []string
		up := 0
		for _, r := range tree.Runs {
			runs = append(runs, fmt.Sprintf("{%d, %d, %d, %d}", r.Low/64, r.Low%64, up, 1<<r.Width-1))
			up += r.Width
		}
		t.runs = max(t.runs, len(runs))
		t.nodes[n] = fmt.Sprintf("{{%s}, %d, 0}", strings.Join(runs, ", "), base)
	} else {
		t.nodes[n] = "{{{0, 0, 0, 0}}, 0, 0}"
	}
	for _, x := range tree.Next {
		to := t.add(x.Tree, depth+1)
		for _, v := range x.Values {
			t.next[base+int(v)] = to
		}
	}
	for i := range values {
		if t.next[base+i] == none {
			t.next[base+i] = t.add(&gen.Tree{First: true}, depth+1)
		}
	}
	return n
}

// last adds a node that goes on to itself, unless there is one with these candidates.
func (t *matchTables) last(tree *gen.Tree) int {
	from := len(t.candidates)
	t.leaves(tree)
	key := strings.Join(t.candidates[from:], "")
	if n, ok := t.known[key]; ok {
		t.candidates = t.candidates[:from]
		return n
	}
	n := len(t.nodes)
	t.known[key] = n
	t.nodes = append(t.nodes, fmt.Sprintf("{{{0, 0, 0, 0}}, %d, %d}", len(t.next), from))
	t.next = append(t.next, n)
	return n
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

// write writes the tables and what walks them. It takes as many steps for each value, since processors foresee that.
func (t *matchTables) write(tree *gen.Tree) {
	b, none := t.b, fmt.Sprintf("%du", len(t.root.Leaves))
	b.rows("struct node nodes", t.nodes)
	var next []string
	for _, n := range t.next {
		next = append(next, fmt.Sprint(n))
	}
	kind := "unsigned short"
	if len(t.nodes) >= 1<<16 {
		kind = "uint32_t"
	}
	b.rows(kind+" next", next)
	b.rows("struct candidate candidates", append(t.candidates, t.candidates[len(t.candidates)-1])) // one is looked at behind the last
	b.line("unsigned at = next[%s];", b.bits(tree.Bits(), 0))
	for range t.depth - 1 {
		var list []string
		for i := range t.runs {
			limb := "0"
			if b.w.wide() {
				limb = fmt.Sprintf("nodes[at].runs[%d].limb", i)
			}
			list = append(list, fmt.Sprintf("(unsigned)(s->w[%s] >> nodes[at].runs[%d].shift & nodes[at].runs[%d].mask)", limb, i, i))
			if i > 0 {
				list[i] += fmt.Sprintf(" << nodes[at].runs[%d].up", i)
			}
		}
		b.line("at = next[nodes[at].base + (%s)];", strings.Join(list, " | "))
	}
	b.line("const struct candidate *c = candidates + nodes[at].first;")
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
