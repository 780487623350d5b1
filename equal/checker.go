package equal

import (
	"fmt"
	"slices"

	"github.com/isago/isago/internal/sem"
)

// checker repeats a proof. It shares no code with the search for the proof, except for the table of rules.
type checker struct {
	nodes []node
	// class has for each node an equal one with a smaller number, or the node itself.
	class []id
}

// checkProof returns an error if the steps do not prove that the nodes of each pair are equal.
func checkProof(nodes []node, steps []step, pairs [][2]id) error {
	c := checker{nodes: nodes, class: make([]id, len(nodes))}
	for i := range c.class {
		c.class[i] = id(i)
	}
	for i, s := range steps {
		if !c.follows(s) {
			return fmt.Errorf("step %d of the proof, by the rule %s, does not follow", i, s.rule.text)
		}
		a, b := c.find(s.from), c.find(s.to)
		c.class[max(a, b)] = min(a, b)
	}
	for _, p := range pairs {
		if c.find(p[0]) != c.find(p[1]) {
			return fmt.Errorf("the proof does not show that the values %d and %d are equal", p[0], p[1])
		}
	}
	return nil
}

// find returns the first node that was shown to be equal to a node.
func (c *checker) find(x id) id {
	for c.class[x] != x {
		c.class[x] = c.class[c.class[x]]
		x = c.class[x]
	}
	return x
}

// follows reports whether a step follows from its rule and the steps before it.
func (c *checker) follows(s step) bool {
	x, y := c.nodes[s.from], c.nodes[s.to]
	if x.typ != y.typ {
		return false
	}
	switch s.rule {
	case congruence:
		if x.op != y.op || x.name != y.name || x.from != y.from || x.imm != y.imm || len(x.args) != len(y.args) {
			return false
		}
		for i := range x.args {
			if c.find(x.args[i]) != c.find(y.args[i]) {
				return false
			}
		}
		return true
	case folding:
		var v [3]uint64
		for i, a := range x.args {
			if c.nodes[a].op != sem.OpConst || i >= len(v) {
				return false
			}
			v[i] = c.nodes[a].imm
		}
		if x.op == opCanon {
			return y.op == sem.OpConst && y.imm == sem.Canonical(v[0], x.typ)
		}
		in := sem.Inst{Op: x.op, Imm: x.imm}.Typed(x.typ, x.from)
		return x.op.Pure() && y.op == sem.OpConst && y.imm == sem.Apply(&in, v[0], v[1], v[2])
	}
	if !slices.Contains(rules().all, s.rule) || !slices.Contains(s.rule.kinds, x.typ.Kind) {
		return false
	}
	if s.rule.modes != nil && !slices.Contains(s.rule.modes, sem.Mode(x.imm)) {
		return false
	}
	found := map[string]id{}
	types := map[string]sem.Type{}
	if !c.is(s.rule.left, s.from, &x, true, found) || !c.is(s.rule.right, s.to, &x, false, found) {
		return false
	}
	for name, v := range found {
		if name[0] == '(' {
			continue
		}
		types[name] = c.nodes[v].typ
	}
	if first := s.rule.left.args[0]; first.name == "" {
		types["("] = c.nodes[x.args[0]].typ
	}
	return s.rule.when == nil || s.rule.when(x.typ, types)
}

// is reports whether a node is a term with these variables, and well-typed. In the left term, a new variable gets its node. root is
// the node of the whole left term.
func (c *checker) is(t *term, x id, root *node, isLeft bool, found map[string]id) bool {
	n := &c.nodes[x]
	if len(t.name) == 1 && t.name >= "a" && t.name <= "d" {
		old, ok := found[t.name]
		if !ok && isLeft {
			found[t.name] = x
			return true
		}
		return ok && old == x
	}
	if t.name != "" {
		want, ok := constantBits(t.name, n.typ)
		return n.op == sem.OpConst && ok && n.imm == want && (isLeft || n.typ == root.typ)
	}
	if n.op != t.op || len(n.args) != len(t.args) {
		return false
	}
	for i, a := range t.args {
		if !c.is(a, n.args[i], root, isLeft, found) {
			return false
		}
	}
	arg := func(i int) sem.Type { return c.nodes[n.args[i]].typ }
	switch n.op {
	case root.op:
		return n.typ == root.typ && n.from == root.from && n.imm == root.imm
	case sem.OpSelect:
		return n.imm == 0 && arg(0) == sem.BoolType && n.typ == arg(1) && n.typ == arg(2)
	case sem.OpEq, sem.OpNe:
		return n.imm == 0 && n.typ == sem.BoolType && n.from == arg(0) && n.from == arg(1)
	case sem.OpAdd, sem.OpMul:
		return n.imm == root.imm && n.typ == arg(0) && n.typ == arg(1)
	case sem.OpNot, sem.OpNeg, opCanon:
		return n.imm == 0 && n.typ == arg(0)
	case sem.OpAnd, sem.OpOr:
		return n.imm == 0 && n.typ == arg(0) && n.typ == arg(1)
	}
	// Another operation below the root of the left term may only occur in the right term as the same node.
	if isLeft {
		found["("+n.op.String()] = x
		return true
	}
	old, ok := found["("+n.op.String()]
	return ok && old == x
}
