package prove

import (
	"sync"

	"github.com/crillab/gophersat/solver"
)

// solve asks gophersat whether the goal of a cone can hold, by its Tseitin clauses.
func (c *circuit) solve(k *cone) (assignment, answer) {
	if 3*len(k.nodes) > maxClauses {
		return nil, unknown
	}
	name := func(l lit) int {
		v := k.index[l.node()] + 1
		if l&1 == 1 {
			return -v
		}
		return v
	}
	clauses := [][]int{{name(k.goal)}}
	for i, n := range k.nodes {
		g, v := c.gates[n], len(k.inputs)+i+1
		a, b := name(g.a), name(g.b)
		clauses = append(clauses, []int{-v, a}, []int{-v, b}, []int{v, -a, -b})
	}
	most := maxConflicts
	if c.conflicts != nil {
		most = min(most, *c.conflicts)
	}
	model, cost, ans := bounded(clauses, most)
	if c.conflicts != nil {
		*c.conflicts -= cost
	}
	if ans != sometimes {
		return nil, ans
	}
	out := assignment{}
	for i, n := range k.inputs {
		if i < len(model) && model[i] {
			out[n] = true
		}
	}
	return out, sometimes
}

// solving is held while the solver runs: it sorts in a buffer that all its solvers share.
var solving sync.Mutex

// bounded runs the solver for a number of conflicts. The solver has no limit of its own, but it
// hands out each clause that it learns: it is left waiting where that is no longer read.
func bounded(clauses [][]int, most int) (model []bool, cost int, ans answer) {
	solving.Lock()
	defer solving.Unlock()
	problem := solver.ParseSlice(clauses)
	if problem.Status == solver.Unsat {
		return nil, 0, never
	}
	s := solver.New(problem)
	s.Certified, s.CertChan = true, make(chan string)
	done := make(chan solver.Status, 1)
	go func() { done <- s.Solve() }()
	for cost = range most + 1 {
		select {
		case <-s.CertChan:
		case status := <-done:
			if status == solver.Sat {
				return s.Model(), cost, sometimes
			}
			return nil, cost, never
		}
	}
	return nil, cost, unknown
}
