package circuit

import (
	"slices"

	"github.com/isago/isago/internal/sat"
)

// clauses returns the clauses for the nodes of a cone, the number of their variables, and the literal of the goal.
func (c *Circuit) clauses(k *cone) (list [][]sat.Lit, vars int, goal sat.Lit) {
	names := map[int]sat.Lit{0: 0}
	list, vars = append(list, []sat.Lit{1}), 1 // the constant is false
	for _, n := range k.inputs {
		names[n] = sat.Lit(2 * vars)
		vars++
	}
	lit := func(l Lit) sat.Lit { return names[l.Node()] ^ sat.Lit(l&1) }
	for _, n := range k.nodes {
		v, a, b := sat.Lit(2*vars), lit(c.gates[n].a), lit(c.gates[n].b)
		names[n] = v
		vars++
		list = append(list, []sat.Lit{v.Not(), a}, []sat.Lit{v.Not(), b}, []sat.Lit{v, a.Not(), b.Not()})
	}
	return list, vars, lit(k.goal)
}

// Refute searches for a proof that a goal never holds, within a limit on conflicts.
func (c *Circuit) Refute(goal Lit, conflicts int) (learned [][]sat.Lit, ok bool) {
	list, vars, g := c.clauses(c.cone(goal))
	var s sat.Solver
	for range vars {
		s.NewVar()
	}
	for _, x := range list {
		s.Add(x...)
	}
	s.Learned = func(x []sat.Lit) { learned = append(learned, slices.Clone(x)) }
	return learned, s.Solve(conflicts, g) == sat.Unsat
}

// Refuted reports whether a proof of Refute shows that a goal never holds. The circuit may be another one that was built in the same way.
func (c *Circuit) Refuted(goal Lit, learned [][]sat.Lit) bool {
	list, vars, g := c.clauses(c.cone(goal))
	for _, x := range learned {
		for _, l := range x {
			if l < 0 || l.Var() >= vars {
				return false
			}
		}
	}
	return sat.Refutes(vars, list, learned, g)
}
