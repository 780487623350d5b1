package prove

import "github.com/isago/isago/internal/sat"

// lit is a literal of a circuit: twice the number of a node, plus one if the node is negated.
type lit int32

// Node 0 is the constant false.
const (
	no  lit = 0
	yes lit = 1
)

func (l lit) not() lit { return l ^ 1 }

func (l lit) node() int { return int(l >> 1) }

// gate is the AND of two literals. If a is negative, the node is an input.
type gate struct{ a, b lit }

// circuit is a network of AND gates and negations. Equal gates are shared and constants are folded.
// Each node comes after its operands.
type circuit struct {
	gates []gate
	known map[gate]lit
	// conflicts is the number of SAT conflicts left for all queries of a generation. nil means
	// unlimited.
	conflicts *int
	// budget is charged for the gates and for their evaluation.
	budget *budget
	// solver decides queries that are too large to enumerate. names maps nodes to literals of the
	// solver.
	solver sat.Solver
	names  []sat.Lit
	// marks records the last walk that visited each node. places holds the index of each node in the
	// values of the last simulator.
	marks  []int
	places []int32
	walks  int
}

func newCircuit() *circuit {
	return &circuit{gates: []gate{{-1, -1}}, known: map[gate]lit{}}
}

func (c *circuit) input() lit {
	c.gates = append(c.gates, gate{-1, -1})
	return lit(2 * (len(c.gates) - 1))
}

func (c *circuit) and(a, b lit) lit {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == no || a == b.not():
		return no
	case a == yes || a == b:
		return b
	}
	g := gate{a, b}
	if l, ok := c.known[g]; ok {
		return l
	}
	c.budget.spend(gateCost)
	if len(c.gates) > maxCircuit {
		panic(stop("it is too large"))
	}
	c.gates = append(c.gates, g)
	l := lit(2 * (len(c.gates) - 1))
	c.known[g] = l
	return l
}

func (c *circuit) or(a, b lit) lit { return c.and(a.not(), b.not()).not() }

func (c *circuit) xor(a, b lit) lit {
	switch {
	case a <= yes:
		return b ^ a
	case b <= yes:
		return a ^ b
	}
	return c.or(c.and(a, b.not()), c.and(a.not(), b))
}

// mux returns x if s holds, and y otherwise.
func (c *circuit) mux(s, x, y lit) lit {
	if x == y {
		return x
	}
	return c.or(c.and(s, x), c.and(s.not(), y))
}

func (c *circuit) all(list ...lit) lit {
	out := yes
	for _, l := range list {
		out = c.and(out, l)
	}
	return out
}

func (c *circuit) any(list ...lit) lit {
	out := no
	for _, l := range list {
		out = c.or(out, l)
	}
	return out
}

// cone is the set of nodes on which some literals depend. The goal is the last literal.
type cone struct {
	goal lit
	// nodes are the gates, each one after its operands. inputs are the inputs.
	nodes, inputs []int
}

// cone collects the nodes on which some literals depend. It marks a node once before it visits the
// operands and again when the operands are complete.
func (c *circuit) cone(goals ...lit) *cone {
	k := &cone{goal: goals[len(goals)-1]}
	defer func() { c.budget.spend(len(k.nodes) + len(k.inputs)) }()
	for len(c.marks) < len(c.gates) {
		c.marks, c.places = append(c.marks, 0), append(c.places, 0)
	}
	c.walks += 2
	asked, done := c.walks-1, c.walks
	c.marks[0] = done
	var stack []int
	for _, l := range goals {
		stack = append(stack, l.node())
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		g := c.gates[n]
		switch {
		case c.marks[n] == done:
			stack = stack[:len(stack)-1]
		case g.a < 0:
			stack = stack[:len(stack)-1]
			c.marks[n] = done
			k.inputs = append(k.inputs, n)
		case c.marks[n] == asked:
			stack = stack[:len(stack)-1]
			c.marks[n] = done
			k.nodes = append(k.nodes, n)
		default:
			c.marks[n] = asked
			for _, l := range []lit{g.a, g.b} {
				if c.marks[l.node()] < asked {
					stack = append(stack, l.node())
				}
			}
		}
	}
	return k
}

// inputs adds to a set all inputs on which some literals depend.
func (c *circuit) inputs(set map[int]bool, list ...lit) {
	for _, n := range c.cone(list...).inputs {
		set[n] = true
	}
}

// answer is the result of a query.
type answer uint8

const (
	never answer = iota
	sometimes
	unknown // a limit was reached
)

// assignment maps inputs, by node, to their values. A missing input is 0.
type assignment map[int]bool

func (a assignment) value(l lit) bool {
	if l <= yes {
		return l == yes
	}
	return a[l.node()] != (l&1 == 1)
}

// simulator evaluates a cone for 64 assignments at once.
type simulator struct {
	k      *cone
	budget *budget
	// values holds the values of the inputs, followed by the values of the gates. The last value
	// belongs to the node of the goal.
	values []uint64
	plan   []step
}

// step is a gate whose operands are indices into values.
type step struct {
	a, b         int32
	flipA, flipB uint64
}

func newSimulator(c *circuit, k *cone) *simulator {
	s := &simulator{k: k, budget: c.budget, values: make([]uint64, len(k.inputs)+len(k.nodes)), plan: make([]step, len(k.nodes))}
	for i, n := range k.inputs {
		c.places[n] = int32(i)
	}
	for i, n := range k.nodes {
		c.places[n] = int32(len(k.inputs) + i)
		g := c.gates[n]
		s.plan[i] = step{c.places[g.a.node()], c.places[g.b.node()], -uint64(g.a & 1), -uint64(g.b & 1)}
	}
	return s
}

// run computes the gates from the inputs and returns the value of the goal.
func (s *simulator) run() uint64 {
	s.budget.spend(len(s.plan)/8 + 1)
	out := s.values[len(s.k.inputs):]
	for i, p := range s.plan {
		out[i] = (s.values[p.a] ^ p.flipA) & (s.values[p.b] ^ p.flipB)
	}
	return s.values[len(s.values)-1] ^ -uint64(s.k.goal&1)
}

// lane returns the assignment of one lane, 0 to 63.
func (s *simulator) lane(n int) assignment {
	a := assignment{}
	for i, in := range s.k.inputs {
		if s.values[i]>>uint(n)&1 != 0 {
			a[in] = true
		}
	}
	return a
}

// Limits of the methods that answer a query.
const (
	maxExhaustive = 1 << 16 // gate evaluations, each of 64 assignments
	randomRounds  = 8
	maxGatesAsked = 20_000
	maxCircuit    = 1 << 21
	maxConflicts  = 5_000  // for one query
	allConflicts  = 60_000 // for all queries of a generation
)

// satisfy searches for an assignment that makes the goal true, preferably one with few ones. If the
// goal is small, satisfy enumerates all assignments. Otherwise it tries random assignments first and
// then runs the SAT solver.
func (c *circuit) satisfy(goal lit) (assignment, answer) {
	switch goal {
	case no:
		return nil, never
	case yes:
		return assignment{}, sometimes
	}
	k := c.cone(goal)
	s := newSimulator(c, k)
	if k.small() {
		return s.exhaust()
	}
	if a := s.draw(randomRounds); a != nil {
		return s.shrink(a), sometimes
	}
	a, ans := c.solve(k)
	if ans == sometimes {
		a = s.shrink(a)
	}
	return a, ans
}

// small reports whether all assignments of the inputs can be enumerated.
func (k *cone) small() bool {
	n := len(k.inputs)
	return n <= 26 && (len(k.nodes)+1)<<max(0, n-6) <= maxExhaustive
}

// possible is like satisfy, but it returns only the answer.
func (c *circuit) possible(goal lit) answer {
	if goal <= yes {
		return answer(goal)
	}
	k := c.cone(goal)
	s := newSimulator(c, k)
	if len(k.inputs) > 6 && s.draw(randomRounds) != nil {
		return sometimes
	}
	if k.small() {
		_, ans := s.exhaust()
		return ans
	}
	_, ans := c.solve(k)
	return ans
}

// lanes holds, for each of the first six inputs, its values in 64 assignments. Together, the
// assignments are all combinations of these inputs.
var lanes = [6]uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
	0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// exhaust tries all assignments in ascending order. The first input is the least significant bit.
func (s *simulator) exhaust() (assignment, answer) {
	n := len(s.k.inputs)
	for i := range min(n, 6) {
		s.values[i] = lanes[i]
	}
	for high := range 1 << max(0, n-6) {
		for i := 6; i < n; i++ {
			s.values[i] = -uint64(high >> (i - 6) & 1)
		}
		hit := s.run()
		if n < 6 {
			hit &= 1<<(1<<n) - 1
		}
		if hit == 0 {
			continue
		}
		for lane := range 64 {
			if hit>>lane&1 != 0 {
				return s.lane(lane), sometimes
			}
		}
	}
	return nil, never
}

// draw tries random assignments with different proportions of ones. It returns nil if none makes the
// goal true.
func (s *simulator) draw(rounds int) assignment {
	r := random(1)
	for round := range rounds {
		for i := range s.k.inputs {
			switch v := r.next(); round % 4 {
			case 0:
				s.values[i] = v & r.next() & r.next()
			case 1:
				s.values[i] = v | r.next() | r.next()
			default:
				s.values[i] = v
			}
		}
		if hit := s.run(); hit != 0 {
			for lane := range 64 {
				if hit>>lane&1 != 0 {
					return s.lane(lane)
				}
			}
		}
	}
	return nil
}

// shrink clears each input that the goal does not need, because a small witness is easier to read. It
// considers only the first 300 inputs.
func (s *simulator) shrink(a assignment) assignment {
	const most = 300
	for i, n := range s.k.inputs {
		if !a[n] || i >= most {
			continue
		}
		delete(a, n)
		for j, m := range s.k.inputs {
			s.values[j] = 0
			if a[m] {
				s.values[j] = 1
			}
		}
		if s.run()&1 == 0 {
			a[n] = true
		}
	}
	return a
}

// random is a generator similar to SplitMix64. It produces the same numbers in each run, so that
// reports can be compared.
type random uint64

func (r *random) next() uint64 {
	x := uint64(*r) * 0x9e3779b97f4a7c15
	*r++
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 32
	x *= 0x94d049bb133111eb
	return x ^ x>>29
}
