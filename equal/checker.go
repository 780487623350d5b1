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
	// truth are the constants false and true, or none.
	truth [2]id
	// undo has the changes of class in a case, and depth is the number of cases in each other.
	undo  []change
	depth int
}

// change is an earlier value in checker.class.
type change struct{ at, was id }

// checkProof returns an error if the steps do not prove that the nodes of each pair are equal.
func checkProof(nodes []node, steps []step, pairs [][2]id) error {
	c := checker{nodes: nodes, class: make([]id, len(nodes)), truth: [2]id{none, none}}
	for i := range c.class {
		c.class[i] = id(i)
		if n := &nodes[i]; n.op == sem.OpConst && n.typ == sem.BoolType {
			c.truth[n.imm&1] = id(i)
		}
	}
	if i := c.repeat(steps); i >= 0 {
		return fmt.Errorf("step %d of the proof, by the rule %s, does not follow", i, steps[i].rule.text)
	}
	for _, p := range pairs {
		if c.find(p[0]) != c.find(p[1]) {
			return fmt.Errorf("the proof does not show that the values %d and %d are equal", p[0], p[1])
		}
	}
	return nil
}

// repeat repeats steps. It returns the number of the first that does not follow, or -1.
func (c *checker) repeat(steps []step) int {
	for i, s := range steps {
		if !c.follows(s) {
			return i
		}
		c.join(s.from, s.to)
	}
	return -1
}

// join makes two nodes equal.
func (c *checker) join(x, y id) {
	a, b := c.find(x), c.find(y)
	c.set(max(a, b), min(a, b))
}

// set changes class.
func (c *checker) set(at, to id) {
	if c.depth > 0 {
		c.undo = append(c.undo, change{at, c.class[at]})
	}
	c.class[at] = to
}

// find returns the first node that was shown to be equal to a node.
func (c *checker) find(x id) id {
	for c.class[x] != x {
		if y := c.class[c.class[x]]; y != c.class[x] {
			c.set(x, y)
		}
		x = c.class[x]
	}
	return x
}

// eachCase reports whether the steps of both cases show that two nodes are equal.
func (c *checker) eachCase(s step) bool {
	if s.cases == nil || c.nodes[s.cases.condition].typ != sem.BoolType || c.truth[0] == none || c.truth[1] == none {
		return false
	}
	for i, steps := range s.cases.steps {
		mark := len(c.undo)
		c.depth++
		c.join(s.cases.condition, c.truth[1-i])
		ok := c.repeat(steps) < 0 && c.find(s.from) == c.find(s.to)
		for len(c.undo) > mark {
			x := c.undo[len(c.undo)-1]
			c.undo = c.undo[:len(c.undo)-1]
			c.class[x.at] = x.was
		}
		c.depth--
		if !ok {
			return false
		}
	}
	return true
}

// implies reports whether the condition of a step shows that a node is a constant.
func (c *checker) implies(s step) bool {
	n := &c.nodes[s.via]
	holds := 0
	switch n.op {
	case sem.OpEq:
		holds = 1
	case sem.OpNe:
	default:
		return false
	}
	return n.from.Kind != sem.Float && c.truth[holds] != none && c.find(s.via) == c.find(c.truth[holds]) && n.args[0] == s.from && n.args[1] == s.to
}

// noBit reports whether the clauses of a step show that no bit of two nodes differs.
func (c *checker) noBit(s step) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	circuit, differs := circuitOf(c.nodes, s.from, s.to)
	return circuit.Refuted(differs, s.learned)
}

// follows reports whether a step follows from its rule and the steps before it.
func (c *checker) follows(s step) bool {
	x, y := c.nodes[s.from], c.nodes[s.to]
	if x.typ != y.typ {
		return false
	}
	switch s.rule {
	case byCases:
		return c.eachCase(s)
	case byBits:
		return c.noBit(s)
	case implied:
		return c.implies(s)
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
