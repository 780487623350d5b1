package circuit

import "github.com/isago/isago/internal/sat"

// solve uses the SAT solver to decide whether the goal of a cone can hold. It first adds the missing
// gates to the solver. The solver keeps learned clauses for later queries.
func (c *Circuit) solve(k *cone) (Assignment, Answer) {
	if len(k.nodes) > maxGatesAsked {
		return nil, Unknown
	}
	c.solver.Focus(c.encode(k))
	most, before := maxConflicts, c.solver.Conflicts()
	if c.Conflicts != nil {
		most = max(0, min(most, *c.Conflicts))
	}
	c.solver.Spend = c.Spend
	ans := c.solver.Solve(most, c.solverLit(k.goal))
	if c.Conflicts != nil {
		*c.Conflicts -= c.solver.Conflicts() - before
	}
	switch ans {
	case sat.Unsat:
		return nil, Never
	case sat.Unknown:
		return nil, Unknown
	}
	out := Assignment{}
	for _, n := range k.inputs {
		if c.solver.Value(c.names[n]) {
			out[n] = true
		}
	}
	return out, Sometimes
}

// encode adds the nodes of a cone to the solver and returns their variables.
func (c *Circuit) encode(k *cone) []int {
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
func (c *Circuit) solverLit(l Lit) sat.Lit { return c.names[l.Node()] ^ sat.Lit(l&1) }
