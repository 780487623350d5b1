package sat

import "slices"

// Refutes reports whether unit propagation shows that clauses cannot hold together with a literal, if the learned clauses are added
// one after another. A learned clause only counts if it follows by unit propagation, too. The variables are numbered from 0.
func Refutes(vars int, clauses, learned [][]Lit, goal Lit) bool {
	c := newRefutation(vars, clauses)
	for _, list := range learned {
		if !c.follows(list) {
			return false
		}
		c.add(list)
	}
	return c.follows([]Lit{goal.Not()})
}

// checker propagates units. It shares no code with the solver.
type checker struct {
	clauses [][]Lit
	uses    [][]int // by literal: the clauses with its negation
	known   []bool  // by literal: whether it is true
	trail   []Lit
	broken  bool
}

func newRefutation(vars int, clauses [][]Lit) *checker {
	c := &checker{uses: make([][]int, 2*vars), known: make([]bool, 2*vars)}
	for _, list := range clauses {
		c.add(list)
	}
	return c
}

// add adds a clause and the literals that follow from it.
func (c *checker) add(list []Lit) {
	list = slices.Clone(list)
	for _, l := range list {
		c.uses[l.Not()] = append(c.uses[l.Not()], len(c.clauses))
	}
	c.clauses = append(c.clauses, list)
	c.broken = c.broken || !c.unit(list) || !c.propagate(len(c.trail)-1)
}

func (c *checker) set(l Lit) {
	c.known[l] = true
	c.trail = append(c.trail, l)
}

// unit makes the only literal of a clause that is not false true. It returns false if all literals are
// false.
func (c *checker) unit(list []Lit) bool {
	open := Lit(-1)
	for _, l := range list {
		if c.known[l] || open >= 0 && open != l && !c.known[l.Not()] {
			return true
		}
		if !c.known[l.Not()] {
			open = l
		}
	}
	if open >= 0 {
		c.set(open)
	}
	return open >= 0
}

// propagate propagates the trail from an index on. It returns false if there is a contradiction.
func (c *checker) propagate(from int) bool {
	for i := max(from, 0); i < len(c.trail); i++ {
		for _, n := range c.uses[c.trail[i]] {
			if !c.unit(c.clauses[n]) {
				return false
			}
		}
	}
	return true
}

// follows reports whether unit propagation refutes that all literals of a clause are false.
func (c *checker) follows(list []Lit) bool {
	if c.broken {
		return true
	}
	from := len(c.trail)
	refuted := false
	for _, l := range list {
		refuted = refuted || c.known[l]
		if !c.known[l.Not()] {
			c.set(l.Not())
		}
	}
	refuted = refuted || !c.propagate(from)
	for _, l := range c.trail[from:] {
		c.known[l] = false
	}
	c.trail = c.trail[:from]
	return refuted
}
