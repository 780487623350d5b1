// Package sat decides whether a set of clauses is satisfiable. Its solver learns from conflicts (CDCL) and is incremental.
// It gives up after a number of conflicts that the caller sets.
package sat

import "slices"

// Lit is a literal: twice the number of a variable, plus one where it is negated.
type Lit int32

// Not returns the negated literal.
func (l Lit) Not() Lit { return l ^ 1 }

// Var returns the number of the variable.
func (l Lit) Var() int { return int(l >> 1) }

// Answer is that of a question.
type Answer uint8

// The answers: the clauses contradict each other or what is assumed, they can hold, or the limit was hit.
const (
	Unsat Answer = iota
	Sat
	Unknown
)

// Solver holds clauses and what it has learned of them. The zero value has none and is ready. It
// answers the same questions in the same way on each machine; one goroutine at a time may use it.
type Solver struct {
	// Learned, where it is not nil, is told each clause that is learned: a proof, as each of them
	// follows from those before it by unit propagation. It must not keep the slice.
	Learned func(clause []Lit)
	// Spend, where it is not nil, is told how many clauses were looked at since it was told before. It may panic to end a
	// question; the solver is of no use afterwards.
	Spend func(clauses int)

	lits    []Lit // of all clauses, one behind the other
	clauses []clause
	learned int
	watches [][]watch // by literal: the clauses to look at when it becomes false

	values []int8  // by literal: 1 is true, -1 false, 0 open
	level  []int32 // by variable: the decisions before it had its value
	reason []int32 // by variable: the clause that gave the value, or none
	phase  []bool  // by variable: whether it was true at last, tried first the next time
	trail  []Lit   // what is true, in the order in which it became so
	levels []int   // where in the trail each decision is
	head   int     // what of the trail has been propagated
	order  order

	// broken tells that the clauses contradict each other whatever is assumed.
	broken    bool
	conflicts int
	restarts  int
	// seen marks variables while a clause is learned; marked lists them.
	seen   []bool
	marked []int
	lesson []Lit
	depths []int32 // by level: the last lesson that it takes part in
}

// clause is a run of lits, the first two of which are watched. spread is how many levels one that was
// learned joins, 0 for a given one.
type clause struct{ at, n, lbd int32 }

// watch is a clause of two or more literals, and one of the others: where that is true the clause
// need not be looked at.
type watch struct {
	clause int32
	other  Lit
}

const none = -1

// NewVar returns the positive literal of a new variable. Questions decide it, if Focus does not say
// otherwise.
func (s *Solver) NewVar() Lit {
	v := len(s.level)
	s.watches = append(s.watches, nil, nil)
	s.values = append(s.values, 0, 0)
	s.level, s.reason = append(s.level, 0), append(s.reason, none)
	s.phase, s.seen = append(s.phase, false), append(s.seen, false)
	s.order.grow()
	return Lit(2 * v)
}

// Conflicts returns how many contradictions all questions have met.
func (s *Solver) Conflicts() int { return s.conflicts }

// Value reports whether a literal is true in the answer of the last question, which was Sat. One that
// has no value is false.
func (s *Solver) Value(l Lit) bool { return s.values[l] > 0 }

// Focus chooses the variables that questions decide, until it is called again; without it they decide
// all. The caller answers for it that what these allow can be completed: so it is where clauses say what
// the gates of a circuit compute, and the variables are all that one of them depends on.
func (s *Solver) Focus(vars []int) { s.order.focus(vars) }

// Add adds a clause: one of its literals must be true. The answer of the last question is gone.
func (s *Solver) Add(lits ...Lit) {
	s.backtrack(0)
	from := len(s.lits)
	for _, l := range lits {
		s.lits = append(s.lits, l)
		if s.values[l] > 0 || slices.Contains(s.lits[from:], l.Not()) {
			s.lits = s.lits[:from] // it holds anyway
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

// store watches a clause whose literals stand at the end of lits, and returns its number.
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

// Solve asks whether all clauses can hold with what is assumed. It meets at most so many
// contradictions, then it gives up; what it has learned serves the next question.
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

// next returns what to decide next: what is assumed, then the most active variable.
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

// propagate follows what is true to all that it makes true, and returns a clause that has become
// false, or none.
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

// rewatch watches another literal in place of the second, which is false. It reports whether there is
// one that is not false too.
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

// backtrack takes back all decisions behind so many.
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
