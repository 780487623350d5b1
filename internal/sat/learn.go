package sat

import (
	"cmp"
	"slices"
)

// learn adds the clause learned from a conflict. It backtracks to the level at which the clause has
// one unassigned literal and makes that literal true.
func (s *Solver) learn(conflict int32) {
	s.conflicts++
	s.analyze(conflict)
	s.minimize()
	for _, v := range s.marked {
		s.seen[v] = false
	}
	s.marked = s.marked[:0]
	s.order.decay()

	list := s.lesson
	if s.Learned != nil {
		s.Learned(list)
	}
	if len(list) == 1 {
		s.backtrack(0)
		s.assign(list[0], none)
		return
	}
	last := 1
	for i := 2; i < len(list); i++ {
		if s.level[list[i].Var()] > s.level[list[last].Var()] {
			last = i
		}
	}
	list[1], list[last] = list[last], list[1]
	spread := s.lbd(list)
	s.backtrack(int(s.level[list[1].Var()]))
	at := len(s.lits)
	s.lits = append(s.lits, list...)
	s.learned++
	s.assign(list[0], s.store(clause{int32(at), int32(len(list)), spread}))
}

// analyze stores the first-UIP clause of a conflict in lesson. The first literal of this clause is its
// only literal of the current level.
func (s *Solver) analyze(conflict int32) {
	s.lesson = append(s.lesson[:0], 0)
	at, open := len(s.trail), 0
	for {
		for _, l := range s.of(conflict) {
			v := l.Var()
			if s.seen[v] || s.level[v] == 0 {
				continue
			}
			s.seen[v] = true
			s.marked = append(s.marked, v)
			s.order.bump(v)
			if int(s.level[v]) == len(s.levels) {
				open++
			} else {
				s.lesson = append(s.lesson, l)
			}
		}
		for at--; !s.seen[s.trail[at].Var()]; at-- {
		}
		l := s.trail[at]
		if open--; open == 0 {
			s.lesson[0] = l.Not()
			return
		}
		conflict = s.reason[l.Var()]
	}
}

// minimize removes the literals of the lesson that the other literals imply.
func (s *Solver) minimize() {
	kept := s.lesson[:1]
	for _, l := range s.lesson[1:] {
		if !s.redundant(l) {
			kept = append(kept, l)
		}
	}
	s.lesson = kept
}

func (s *Solver) redundant(l Lit) bool {
	reason := s.reason[l.Var()]
	if reason == none {
		return false
	}
	for _, o := range s.of(reason) {
		if v := o.Var(); !s.seen[v] && s.level[v] > 0 {
			return false
		}
	}
	return true
}

// lbd returns the literal block distance of a clause: the number of different decision levels of its
// literals. Clauses with a small distance are the most useful.
func (s *Solver) lbd(list []Lit) (n int32) {
	for len(s.depths) <= len(s.levels) {
		s.depths = append(s.depths, 0)
	}
	for _, l := range list {
		if d := s.level[l.Var()]; s.depths[d] != int32(s.conflicts) {
			s.depths[d] = int32(s.conflicts)
			n++
		}
	}
	return n
}

// Limits for searches and for learned clauses.
const (
	unit          = 64    // the number of conflicts in the shortest interval between restarts
	maxLearned    = 2_000 // the number of learned clauses at which reduce starts to remove some
	alwaysKeptLBD = 2     // clauses with at most this distance are never removed
)

// restartInterval returns the number of conflicts until the next restart. It follows the sequence 1 1
// 2 1 1 2 4 1 1 2 ... of Luby, Sinclair and Zuckerman.
func (s *Solver) restartInterval() int {
	n := s.restarts + 1
	for {
		k := 1
		for 1<<k-1 < n {
			k++
		}
		if 1<<k-1 == n {
			return unit << (k - 1)
		}
		n -= 1<<(k-1) - 1
	}
}

// If there are many learned clauses, reduce removes the weaker half of the clauses with a distance
// above alwaysKeptLBD. It runs only without decisions. The remaining assignments need no reasons,
// because analyze ignores literals of level 0.
func (s *Solver) reduce() {
	if s.learned < maxLearned || s.broken {
		return
	}
	var weak []int32
	for i, c := range s.clauses {
		if c.lbd > alwaysKeptLBD {
			weak = append(weak, int32(i))
		}
	}
	slices.SortStableFunc(weak, func(a, b int32) int { return cmp.Compare(s.clauses[b].lbd, s.clauses[a].lbd) })
	for _, n := range weak[:len(weak)/2] {
		s.clauses[n].n = 0
	}
	lits, clauses := s.lits, s.clauses
	s.lits, s.clauses, s.learned = s.lits[:0], s.clauses[:0], 0
	for i := range s.watches {
		s.watches[i] = s.watches[i][:0]
	}
	for _, c := range clauses {
		if c.n == 0 {
			continue
		}
		if c.lbd > 0 {
			s.learned++
		}
		at := int32(len(s.lits))
		s.lits = append(s.lits, lits[c.at:c.at+c.n]...)
		s.store(clause{at, c.n, c.lbd})
	}
}
