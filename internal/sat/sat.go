// Package sat is an incremental CDCL solver. It decides whether a set of clauses is satisfiable,
// within a limit on the number of conflicts.
package sat

import "slices"

// Lit is a literal: twice the number of a variable, plus one if the variable is negated.
type Lit int32

// Not returns the negated literal.
func (l Lit) Not() Lit { return l ^ 1 }

// Var returns the number of the variable.
func (l Lit) Var() int { return int(l >> 1) }

// Answer is the result of Solve.
type Answer uint8

// Unsat means that no assignment satisfies the clauses and the assumptions. Sat means that one does.
// Unknown means that the limit on conflicts was reached.
const (
	Unsat Answer = iota
	Sat
	Unknown
)

// Solver holds clauses, given and learned. The zero value is ready to use. The same calls produce the
// same results on every machine. A Solver is not safe for concurrent use.
type Solver struct {
	// Learned, if not nil, is called with each learned clause. The learned clauses are a proof,
	// because each one follows from the earlier clauses by unit propagation. Learned must not keep the
	// slice.
	Learned func(clause []Lit)
	// Spend, if not nil, is called during propagation with the number of watches to visit, plus one.
	// It may panic to end a call of Solve. The solver cannot be used afterwards.
	Spend func(clauses int)

	lits    []Lit // the literals of all clauses, concatenated
	clauses []clause
	learned int
	watches [][]watch // by literal: the clauses to visit when it becomes false

	values []int8  // by literal: 1 is true, -1 false, 0 unassigned
	level  []int32 // by variable: the decision level of its value
	reason []int32 // by variable: the clause that implied the value, or none
	phase  []bool  // by variable: its last value, which is tried first
	trail  []Lit   // the true literals, in order of assignment
	levels []int   // the index in trail of each decision
	head   int     // the index in trail of the next literal to propagate
	order  order

	// broken means that the clauses are unsatisfiable even without assumptions.
	broken    bool
	conflicts int
	restarts  int
	// seen marks variables while a clause is learned. marked lists them.
	seen   []bool
	marked []int
	lesson []Lit
	depths []int32 // by level: the last lesson that contains it
}

// clause consists of the n literals that start at lits[at]. The first two are watched. lbd is the
// literal block distance of a learned clause and 0 for other clauses.
type clause struct{ at, n, lbd int32 }

// watch is a clause with at least two literals, and one literal other than the watched one. If that
// literal is true, the clause need not be visited.
type watch struct {
	clause int32
	other  Lit
}

const none = -1

// NewVar returns the positive literal of a new variable. After a call of Focus, Solve does not decide
// the variable until another call of Focus includes it.
func (s *Solver) NewVar() Lit {
	v := len(s.level)
	s.watches = append(s.watches, nil, nil)
	s.values = append(s.values, 0, 0)
	s.level, s.reason = append(s.level, 0), append(s.reason, none)
	s.phase, s.seen = append(s.phase, false), append(s.seen, false)
	s.order.grow()
	return Lit(2 * v)
}

// Conflicts returns the total number of conflicts in all calls of Solve.
func (s *Solver) Conflicts() int { return s.conflicts }

// Value reports whether a literal is true in the solution of the last call of Solve, which must have
// returned Sat. It returns false for an unassigned literal.
func (s *Solver) Value(l Lit) bool { return s.values[l] > 0 }

// Focus sets the variables that Solve decides. Before the first call of Focus, Solve decides all
// variables. The caller guarantees that every consistent assignment of these variables can be
// completed. This holds if the clauses define the gates of a circuit and vars contains everything on
// which the goal depends.
func (s *Solver) Focus(vars []int) { s.order.focus(vars) }

// Add adds a clause, which requires that at least one of its literals is true. It discards the last
// solution.
func (s *Solver) Add(lits ...Lit) {
	s.backtrack(0)
	from := len(s.lits)
	for _, l := range lits {
		s.lits = append(s.lits, l)
		if s.values[l] > 0 || slices.Contains(s.lits[from:], l.Not()) {
			s.lits = s.lits[:from] // a tautology
			return
		}
		if s.values[l] < 0 || slices.Contains(s.lits[from:len(s.lits)-1], l) {
			s.lits = s.lits[:len(s.lits)-1]
		}
	}
	switch rest := s.lits[from:]; len(rest) {
	case 0:
		s.broken = true
	case 1:
		s.assign(rest[0], none)
		s.lits = s.lits[:from]
		s.broken = s.broken || s.propagate() != none
	default:
		s.store(clause{int32(from), int32(len(rest)), 0})
	}
}

// store adds the clause whose literals are at the end of lits, and returns its number.
func (s *Solver) store(c clause) int32 {
	n := int32(len(s.clauses))
	s.clauses = append(s.clauses, c)
	a, b := s.lits[c.at], s.lits[c.at+1]
	s.watches[a] = append(s.watches[a], watch{n, b})
	s.watches[b] = append(s.watches[b], watch{n, a})
	return n
}

// of returns the literals of a clause.
func (s *Solver) of(n int32) []Lit {
	c := s.clauses[n]
	return s.lits[c.at : c.at+c.n]
}

// Solve decides whether all clauses can hold under the assumptions. It returns Unknown after the given
// number of conflicts. The solver keeps learned clauses for later calls.
func (s *Solver) Solve(conflicts int, assume ...Lit) Answer {
	s.backtrack(0)
	s.order.refill()
	s.restarts = 0
	for left := s.restartInterval(); ; {
		if s.broken {
			return Unsat
		}
		if c := s.propagate(); c != none {
			switch {
			case len(s.levels) == 0:
				s.broken = true
			case conflicts == 0:
				return Unknown
			default:
				conflicts--
				left--
				s.learn(c)
			}
			continue
		}
		if left <= 0 {
			s.backtrack(0)
			s.restarts++
			left = s.restartInterval()
			s.reduce()
			continue
		}
		l, ans := s.next(assume)
		if ans != Unknown {
			return ans
		}
		s.levels = append(s.levels, len(s.trail))
		if s.values[l] == 0 {
			s.assign(l, none)
		}
	}
}

// next returns the next decision with the answer Unknown. The decision is the next assumption or,
// after all assumptions, the most active variable. next returns Unsat if the assumption is false, and
// Sat if no variable is left.
func (s *Solver) next(assume []Lit) (Lit, Answer) {
	if n := len(s.levels); n < len(assume) {
		if s.values[assume[n]] < 0 {
			return 0, Unsat
		}
		return assume[n], Unknown
	}
	for {
		v := s.order.pop()
		if v < 0 {
			return 0, Sat
		}
		if l := Lit(2 * v); s.values[l] == 0 {
			if !s.phase[v] {
				l = l.Not()
			}
			return l, Unknown
		}
	}
}

func (s *Solver) assign(l Lit, reason int32) {
	v := l.Var()
	s.values[l], s.values[l.Not()] = 1, -1
	s.level[v], s.reason[v] = int32(len(s.levels)), reason
	s.trail = append(s.trail, l)
}

// propagate applies unit propagation. It returns the number of a clause that has become false, or
// none.
func (s *Solver) propagate() int32 {
	for ; s.head < len(s.trail); s.head++ {
		gone := s.trail[s.head].Not()
		list := s.watches[gone]
		if s.Spend != nil {
			s.Spend(len(list) + 1)
		}
		kept := list[:0]
		for i, w := range list {
			if s.values[w.other] > 0 {
				kept = append(kept, w)
				continue
			}
			c := s.of(w.clause)
			if c[0] == gone {
				c[0], c[1] = c[1], gone
			}
			if s.values[c[0]] <= 0 && s.rewatch(w.clause, c) {
				continue
			}
			kept = append(kept, watch{w.clause, c[0]})
			if s.values[c[0]] < 0 {
				s.watches[gone] = append(kept, list[i+1:]...)
				return w.clause
			}
			if s.values[c[0]] == 0 {
				s.assign(c[0], w.clause)
			}
		}
		s.watches[gone] = kept
	}
	return none
}

// rewatch replaces the second watched literal, which is false, with a literal that is not false. It
// reports whether the clause has such a literal.
func (s *Solver) rewatch(n int32, c []Lit) bool {
	for i := 2; i < len(c); i++ {
		if s.values[c[i]] >= 0 {
			c[1], c[i] = c[i], c[1]
			s.watches[c[1]] = append(s.watches[c[1]], watch{n, c[0]})
			return true
		}
	}
	return false
}

// backtrack undoes all decisions above a level, with their consequences.
func (s *Solver) backtrack(level int) {
	if len(s.levels) <= level {
		return
	}
	from := s.levels[level]
	for _, l := range s.trail[from:] {
		v := l.Var()
		s.values[l], s.values[l.Not()] = 0, 0
		s.phase[v] = l&1 == 0
		s.order.push(v)
	}
	s.trail, s.levels, s.head = s.trail[:from], s.levels[:level], from
}
