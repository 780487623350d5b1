package prove

import "github.com/isago/isago/internal/sat"

// solve uses the SAT solver to decide whether the goal of a cone can hold. It first adds the missing
// gates to the solver. The solver keeps learned clauses for later queries.
func (c *circuit) solve(k *cone) (assignment, answer) {
	if len(k.nodes) > maxGatesAsked {
		return nil, unknown
	}
	c.solver.Focus(c.encode(k))
	most, before := maxConflicts, c.solver.Conflicts()
	if c.conflicts != nil {
		most = max(0, min(most, *c.conflicts))
	}
	c.solver.Spend = c.budget.spend
	ans := c.solver.Solve(most, c.solverLit(k.goal))
	if c.conflicts != nil {
		*c.conflicts -= c.solver.Conflicts() - before
	}
	switch ans {
	case sat.Unsat:
		return nil, never
	case sat.Unknown:
		return nil, unknown
	}
	out := assignment{}
	for _, n := range k.inputs {
		if c.solver.Value(c.names[n]) {
			out[n] = true
		}
	}
	return out, sometimes
}

// encode adds the nodes of a cone to the solver and returns their variables.
func (c *circuit) encode(k *cone) []int {
	for len(c.names) < len(c.gates) {
		c.names = append(c.names, unnamed)
	}
	var vars []int
	for _, n := range k.inputs {
		if c.names[n] == unnamed {
			c.names[n] = c.solver.NewVar()
		}
		vars = append(vars, c.names[n].Var())
	}
	for _, n := range k.nodes {
		if c.names[n] == unnamed {
			c.names[n] = c.solver.NewVar()
			v, a, b := c.names[n], c.solverLit(c.gates[n].a), c.solverLit(c.gates[n].b)
			c.solver.Add(v.Not(), a)
			c.solver.Add(v.Not(), b)
			c.solver.Add(v, a.Not(), b.Not())
		}
		vars = append(vars, c.names[n].Var())
	}
	return vars
}

// unnamed marks a node that the solver does not have.
const unnamed sat.Lit = -1

// solverLit converts a literal of the circuit to a literal of the solver.
func (c *circuit) solverLit(l lit) sat.Lit { return c.names[l.node()] ^ sat.Lit(l&1) }
