package sat

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// problem is a set of clauses over a number of variables.
type problem struct {
	vars    int
	clauses [][]Lit
}

func (p problem) solver() *Solver {
	s := &Solver{}
	for range p.vars {
		s.NewVar()
	}
	for _, c := range p.clauses {
		s.Add(c...)
	}
	return s
}

// random3 returns random clauses of three variables each. With 4.26 clauses per variable, about half
// of such problems are satisfiable, and they are the hardest.
func random3(r *rand.Rand, vars int) problem {
	p := problem{vars: vars}
	for range int(4.26*float64(vars) + 0.5) {
		var c []Lit
		for _, v := range r.Perm(vars)[:3] {
			c = append(c, Lit(2*v+r.IntN(2)))
		}
		p.clauses = append(p.clauses, c)
	}
	return p
}

// pigeons returns the problem to put each of n pigeons into a hole, with at most one pigeon per hole.
func pigeons(n, holes int) problem {
	p := problem{vars: n * holes}
	in := func(pigeon, hole int) Lit { return Lit(2 * (pigeon*holes + hole)) }
	for i := range n {
		var some []Lit
		for h := range holes {
			some = append(some, in(i, h))
			for j := range i {
				p.clauses = append(p.clauses, []Lit{in(i, h).Not(), in(j, h).Not()})
			}
		}
		p.clauses = append(p.clauses, some)
	}
	return p
}

// fits reports whether the assignment given by the bits of word satisfies the clauses.
func fits(clauses [][]Lit, word uint64) bool {
	return !slices.ContainsFunc(clauses, func(c []Lit) bool {
		return !slices.ContainsFunc(c, func(l Lit) bool { return word>>l.Var()&1 != uint64(l&1) })
	})
}

// tryAll returns the answer after trying all assignments.
func tryAll(p problem, assume ...Lit) Answer {
	for _, l := range assume {
		p.clauses = append(slices.Clip(p.clauses), []Lit{l})
	}
	for word := range uint64(1) << p.vars {
		if fits(p.clauses, word) {
			return Sat
		}
	}
	return Unsat
}

func newChecker(p problem) *checker { return newRefutation(p.vars, p.clauses) }

// proved solves a problem and checks the answer: a solution must satisfy the clauses, and a refutation
// must follow step by step.
func proved(t *testing.T, p problem, s *Solver, check *checker, limit int, assume ...Lit) Answer {
	t.Helper()
	s.Learned = func(c []Lit) {
		if !check.follows(c) {
			t.Errorf("learned %v, which does not follow", c)
		}
		check.add(c)
	}
	ans := s.Solve(limit, assume...)
	switch ans {
	case Sat:
		for _, c := range append(slices.Clip(p.clauses), singles(assume)...) {
			if !slices.ContainsFunc(c, s.Value) {
				t.Errorf("%v is false in the model", c)
			}
		}
	case Unsat:
		var not []Lit
		for _, l := range assume {
			not = append(not, l.Not())
		}
		if !check.follows(not) {
			t.Errorf("that %v cannot hold does not follow from what was learned", assume)
		}
	}
	return ans
}

func singles(list []Lit) (clauses [][]Lit) {
	for _, l := range list {
		clauses = append(clauses, []Lit{l})
	}
	return clauses
}

const noLimit = 1 << 30

// TestRandomAgainstAll compares small problems, with assumptions and with clauses added later, with
// the result of trying all assignments.
func TestRandomAgainstAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	counts := map[Answer]int{}
	for range 300 {
		p := random3(r, 5+r.IntN(8))
		late := len(p.clauses) * r.IntN(4) / 4
		first := problem{p.vars, p.clauses[:late]}
		s, check := first.solver(), newChecker(first)
		for _, now := range []problem{first, p} {
			for _, c := range now.clauses[len(check.clauses[:min(late, len(check.clauses))]):] {
				s.Add(c...)
				check.add(c)
			}
			for range 4 {
				var assume []Lit
				for _, v := range r.Perm(p.vars)[:r.IntN(4)] {
					assume = append(assume, Lit(2*v+r.IntN(2)))
				}
				got, want := proved(t, now, s, check, noLimit, assume...), tryAll(now, assume...)
				if got != want {
					t.Fatalf("%v with %v: got %d, want %d", now.clauses, assume, got, want)
				}
				counts[got]++
			}
		}
	}
	if counts[Sat] < 500 || counts[Unsat] < 500 {
		t.Errorf("%v: this tests too little", counts)
	}
}

// TestRandomOrder checks the answers for larger problems. The answer must not depend on the order of
// clauses and literals or on the numbers of variables.
func TestRandomOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	counts := map[Answer]int{}
	for range 40 {
		p := random3(r, 60+r.IntN(40))
		ans := proved(t, p, p.solver(), newChecker(p), noLimit)
		counts[ans]++
		for range 3 {
			q := problem{vars: p.vars}
			names := r.Perm(p.vars)
			for _, i := range r.Perm(len(p.clauses)) {
				var c []Lit
				for _, k := range r.Perm(3) {
					l := p.clauses[i][k]
					c = append(c, Lit(2*names[l.Var()])|l&1)
				}
				q.clauses = append(q.clauses, c)
			}
			if got := proved(t, q, q.solver(), newChecker(q), noLimit); got != ans {
				t.Fatalf("%v: got %d and in another order %d", p.clauses, ans, got)
			}
		}
	}
	if counts[Sat] < 10 || counts[Unsat] < 10 {
		t.Errorf("%v: this tests too little", counts)
	}
}

// TestPigeons requires solutions for n pigeons in n holes and none for n+1 pigeons. Seven holes need
// more learned clauses than the solver keeps.
func TestPigeons(t *testing.T) {
	t.Parallel()
	for holes := 1; holes <= 7; holes++ {
		for n, want := range map[int]Answer{holes: Sat, holes + 1: Unsat} {
			p := pigeons(n, holes)
			s := p.solver()
			if got := proved(t, p, s, newChecker(p), noLimit); got != want {
				t.Errorf("%d pigeons in %d holes: got %d, want %d", n, holes, got, want)
			}
			if holes == 7 && want == Unsat && s.learned >= s.Conflicts() {
				t.Errorf("%d clauses kept of %d: this tests no forgetting", s.learned, s.Conflicts())
			}
		}
	}
}

// TestLimit requires that Solve ends at the limit and that the next call continues with the learned
// clauses.
func TestLimit(t *testing.T) {
	t.Parallel()
	p := pigeons(9, 8)
	s := p.solver()
	check := newChecker(p)
	for i := range 5 {
		if ans := proved(t, p, s, check, 100); ans != Unknown || s.Conflicts() != 100*(i+1) {
			t.Fatalf("answer %d after %d conflicts", ans, s.Conflicts())
		}
	}
	if ans := s.Solve(0); ans != Unknown || s.Conflicts() != 500 {
		t.Errorf("without conflicts: answer %d after %d", ans, s.Conflicts())
	}
	// A limit of 0 suffices for a problem without conflicts.
	p = pigeons(8, 8)
	if ans := proved(t, p, p.solver(), newChecker(p), 0); ans != Sat {
		t.Errorf("8 pigeons in 8 holes without conflicts: answer %d", ans)
	}
	p = problem{2, [][]Lit{{0, 2}, {0, 3}, {1}}}
	if ans := proved(t, p, p.solver(), newChecker(p), 0); ans != Unsat {
		t.Errorf("clauses that propagation refutes: answer %d", ans)
	}
}

// TestSameAgain requires that equal calls give equal solutions and equal numbers of conflicts.
func TestSameAgain(t *testing.T) {
	t.Parallel()
	p := random3(rand.New(rand.NewPCG(5, 6)), 120)
	var runs [2][]bool
	var conflicts [2]int
	for i := range runs {
		s := p.solver()
		for v := range 30 {
			if s.Solve(50, Lit(2*v)) == Sat {
				for v := range p.vars {
					runs[i] = append(runs[i], s.Value(Lit(2*v)))
				}
			}
		}
		conflicts[i] = s.Conflicts()
	}
	if !slices.Equal(runs[0], runs[1]) || conflicts[0] != conflicts[1] || conflicts[0] == 0 {
		t.Errorf("two runs differ: %v conflicts", conflicts)
	}
}

// TestAdd adds tautologies, duplicate literals and contradictory clauses.
func TestAdd(t *testing.T) {
	t.Parallel()
	var s Solver
	a, b := s.NewVar(), s.NewVar()
	s.Add(a, a.Not())
	s.Add(b, b, a)
	s.Add(a.Not(), a.Not())
	if s.Solve(0) != Sat || s.Value(a) || !s.Value(b) {
		t.Errorf("a or b, not a: %v %v", s.Value(a), s.Value(b))
	}
	if s.Solve(0, b.Not()) != Unsat || s.Solve(0, b, b.Not()) != Unsat || s.Solve(0, b, b) != Sat {
		t.Error("b follows, and assuming anything else does not stay")
	}
	s.Add(b.Not())
	if s.Solve(0) != Unsat || s.Solve(0, b) != Unsat {
		t.Error("nothing can hold any more")
	}
	s.Add(s.NewVar())
	if s.Solve(0) != Unsat {
		t.Error("a further clause mends nothing")
	}
	var none Solver
	if none.Add(); none.Solve(0) != Unsat {
		t.Error("the clause without literals cannot hold")
	}
}

// TestFocus encodes the gates of a circuit. Solve decides only the inputs of the goal, and the goal
// must hold in the solution for all values of other gates.
func TestFocus(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	counts := map[Answer]int{}
	for range 100 {
		const inputs, gates = 8, 60
		var s Solver
		p := problem{vars: inputs + gates}
		var ins [inputs + gates][2]Lit
		for v := range inputs + gates {
			out := s.NewVar()
			if v < inputs {
				continue
			}
			a, b := Lit(r.IntN(2*v)), Lit(r.IntN(2*v))
			ins[v] = [2]Lit{a, b}
			p.clauses = append(p.clauses, []Lit{out.Not(), a}, []Lit{out.Not(), b}, []Lit{out, a.Not(), b.Not()})
		}
		for _, c := range p.clauses {
			s.Add(c...)
		}
		// eval computes a literal from the bits of the inputs.
		var eval func(l Lit, word uint64) bool
		eval = func(l Lit, word uint64) bool {
			v := l.Var()
			if v < inputs {
				return word>>v&1 != uint64(l&1)
			}
			return (eval(ins[v][0], word) && eval(ins[v][1], word)) != (l&1 == 1)
		}
		for range 20 {
			goal := Lit(2*(inputs+r.IntN(gates)) + r.IntN(2))
			vars, known := []int{goal.Var()}, map[int]bool{goal.Var(): true}
			for i := 0; i < len(vars); i++ {
				for _, l := range ins[vars[i]] {
					if vars[i] >= inputs && !known[l.Var()] {
						known[l.Var()] = true
						vars = append(vars, l.Var())
					}
				}
			}
			want := Unsat
			for word := range uint64(1 << inputs) {
				if eval(goal, word) {
					want = Sat
				}
			}
			s.Focus(vars)
			got := s.Solve(noLimit, goal)
			if got != want {
				t.Fatalf("got %d, want %d", got, want)
			}
			counts[got]++
			var word uint64
			for v := range inputs {
				if s.Value(Lit(2 * v)) {
					word |= 1 << v
				}
			}
			if got == Sat && !eval(goal, word) {
				t.Fatalf("the inputs %b do not give the goal", word)
			}
		}
	}
	if counts[Sat] < 100 || counts[Unsat] < 100 {
		t.Errorf("%v: this tests too little", counts)
	}
}

// FuzzSolve reads clauses over eight variables, each terminated by 0, and compares the answer with the
// result of trying all assignments.
func FuzzSolve(f *testing.F) {
	f.Add([]byte("\x02\x04\x00\x03\x05\x00\x02\x05\x00"))
	f.Add([]byte("\x02\x00\x03\x00"))
	f.Add([]byte("\x02\x04\x06\x00\x03\x08\x00\x05\x09\x00\x07\x0a\x0b\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 300 {
			return
		}
		p := problem{vars: 8}
		for _, text := range bytes.Split(data, []byte{0}) {
			var c []Lit
			for _, b := range text {
				c = append(c, Lit(b&15))
			}
			p.clauses = append(p.clauses, c)
		}
		s, check := p.solver(), newChecker(p)
		for _, assume := range [][]Lit{nil, {0}, {3, 4}, nil} {
			if got, want := proved(t, p, s, check, noLimit, assume...), tryAll(p, assume...); got != want {
				t.Fatalf("%v with %v: got %d, want %d", p.clauses, assume, got, want)
			}
		}
	})
}

// BenchmarkRandom solves a different random problem at the threshold in each iteration.
func BenchmarkRandom(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	conflicts := 0
	for b.Loop() {
		s := random3(r, 120).solver()
		s.Solve(noLimit)
		conflicts += s.Conflicts()
	}
	b.ReportMetric(float64(conflicts)/b.Elapsed().Seconds(), "conflicts/s")
}
