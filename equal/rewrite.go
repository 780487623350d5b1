package equal

import (
	"slices"

	"github.com/isago/isago/internal/sem"
)

// apply returns the right term of the rule for a node that matches the left term.
func (r *rule) apply(g *graph, x id) (id, bool) {
	n := &g.nodes[x]
	if !r.fits(n) || r.swaps && !inWrongOrder(g, n.args[0], n.args[1]) {
		return 0, false
	}
	var vars variables
	if !g.bind(r.left, x, &vars) {
		return 0, false
	}
	if r.when != nil && !r.when(n.typ, g.types(r, x, &vars)) {
		return 0, false
	}
	if r.inner {
		return n.args[0], true
	}
	return g.build(r.right, n, &vars), true
}

// variables are the nodes for the variables a to d, plus 1.
type variables [4]id

// fits reports whether the type and the mode of a node are those of the left term of the rule.
func (r *rule) fits(n *node) bool {
	return n.op == r.left.op && len(n.args) == len(r.left.args) && slices.Contains(r.kinds, n.typ.Kind) &&
		(r.modes == nil || slices.Contains(r.modes, sem.Mode(n.imm)))
}

// inWrongOrder reports whether two arguments should be swapped: constants come last, otherwise the smaller number comes first.
func inWrongOrder(g *graph, a, b id) bool {
	x, y := g.nodes[a].op == sem.OpConst, g.nodes[b].op == sem.OpConst
	if x != y {
		return x
	}
	return a > b
}

// bind matches a term with a node, and records the nodes of the variables.
func (g *graph) bind(t *term, x id, vars *variables) bool {
	n := &g.nodes[x]
	switch {
	case t.isVariable():
		v := &vars[t.name[0]-'a']
		if *v == 0 {
			*v = x + 1
		}
		return *v == x+1
	case t.name != "":
		want, ok := constantBits(t.name, n.typ)
		return n.op == sem.OpConst && ok && n.imm == want
	case n.op != t.op || len(n.args) != len(t.args):
		return false
	}
	for i, a := range t.args {
		if !g.bind(a, n.args[i], vars) {
			return false
		}
	}
	return true
}

// types returns the types of the variables, and that of the first argument of a node as "(" if the term has an operation there.
func (g *graph) types(r *rule, x id, vars *variables) map[string]sem.Type {
	types := map[string]sem.Type{}
	for i, v := range vars {
		if v > 0 {
			types[string(rune('a'+i))] = g.nodes[v-1].typ
		}
	}
	if r.left.args[0].name == "" {
		types["("] = g.nodes[g.nodes[x].args[0]].typ
	}
	return types
}

// build returns the node for a right term, without simplifying it. root is the node that matched the left term.
func (g *graph) build(t *term, root *node, vars *variables) id {
	if t.isVariable() {
		return vars[t.name[0]-'a'] - 1
	}
	typ := root.typ
	if t.name != "" {
		v, _ := constantBits(t.name, typ)
		return g.constant(typ, v)
	}
	shape := *root // build adds nodes
	n := node{op: t.op}
	for _, a := range t.args {
		n.args = append(n.args, g.build(a, &shape, vars))
	}
	first := g.nodes[n.args[0]].typ
	switch {
	case t.op == shape.op:
		n.typ, n.from, n.imm = shape.typ, shape.from, shape.imm
	case t.op == sem.OpSelect:
		n.typ = g.nodes[n.args[1]].typ
	case t.op == sem.OpEq || t.op == sem.OpNe:
		n.typ, n.from = sem.BoolType, first
	default:
		n.typ = first
	}
	if rounds(t.op) {
		n.imm = shape.imm
	}
	return g.raw(n)
}

// rounds reports whether an operation has a rounding mode in the right term of a rule.
func rounds(op sem.Op) bool {
	return op == sem.OpAdd || op == sem.OpSub || op == sem.OpMul || op == sem.OpDiv || op == sem.OpFma
}
