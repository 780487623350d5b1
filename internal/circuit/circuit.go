// Package circuit decides whether a network of AND gates and negations can have the value 1.
package circuit

import (
	"math/bits"

	"github.com/isago/isago/internal/sat"
)

// Lit is a literal of a circuit: twice the number of a node, plus one if the node is negated.
type Lit int32

// The constant literals. Node 0 is the constant false.
const (
	False Lit = 0
	True  Lit = 1
)

// Not returns the negated literal.
func (l Lit) Not() Lit { return l ^ 1 }

// Node returns the number of the node.
func (l Lit) Node() int { return int(l >> 1) }

// gateCost is the cost of a gate in steps. The evaluation of a gate costs one step.
const gateCost = 10

// limit is a panic value of And.
type limit string

// TooLarge is the panic value of And if the circuit is too large.
const TooLarge limit = "it is too large"

// gate is the AND of two literals. If a is negative, the node is an input.
type gate struct{ a, b Lit }

// Circuit is a network of AND gates and negations. Equal gates are shared and constants are folded.
// Each node comes after its operands.
type Circuit struct {
	gates []gate
	known map[gate]Lit
	// Conflicts is the number of SAT conflicts left for all queries. nil means unlimited.
	Conflicts *int
	// Spend, if not nil, is called with the steps that gates and their evaluation cost. It may panic to
	// end a query.
	Spend func(steps int)
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

func (c *Circuit) spend(steps int) {
	if c.Spend != nil {
		c.Spend(steps)
	}
}

// New returns a circuit without inputs.
func New() *Circuit {
	return &Circuit{gates: []gate{{-1, -1}}, known: map[gate]Lit{}}
}

// Size returns the number of nodes.
func (c *Circuit) Size() int { return len(c.gates) }

// Input returns a new input.
func (c *Circuit) Input() Lit {
	c.gates = append(c.gates, gate{-1, -1})
	return Lit(2 * (len(c.gates) - 1))
}

// And returns the condition that both literals hold. It panics with TooLarge if the circuit has
// maxCircuit gates.
func (c *Circuit) And(a, b Lit) Lit {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == False || a == b.Not():
		return False
	case a == True || a == b:
		return b
	}
	g := gate{a, b}
	if l, ok := c.known[g]; ok {
		return l
	}
	c.spend(gateCost)
	if len(c.gates) > maxCircuit {
		panic(TooLarge)
	}
	c.gates = append(c.gates, g)
	l := Lit(2 * (len(c.gates) - 1))
	c.known[g] = l
	return l
}

// Or returns the condition that a literal holds.
func (c *Circuit) Or(a, b Lit) Lit { return c.And(a.Not(), b.Not()).Not() }

// Xor returns the condition that exactly one literal holds.
func (c *Circuit) Xor(a, b Lit) Lit {
	switch {
	case a <= True:
		return b ^ a
	case b <= True:
		return a ^ b
	}
	return c.Or(c.And(a, b.Not()), c.And(a.Not(), b))
}

// Mux returns x if s holds, and y otherwise.
func (c *Circuit) Mux(s, x, y Lit) Lit {
	if x == y {
		return x
	}
	return c.Or(c.And(s, x), c.And(s.Not(), y))
}

// All returns the condition that all literals hold.
func (c *Circuit) All(list ...Lit) Lit {
	out := True
	for _, l := range list {
		out = c.And(out, l)
	}
	return out
}

// Any returns the condition that a literal holds.
func (c *Circuit) Any(list ...Lit) Lit {
	out := False
	for _, l := range list {
		out = c.Or(out, l)
	}
	return out
}

// cone is the set of nodes on which some literals depend. The goal is the last literal.
type cone struct {
	goal Lit
	// nodes are the gates, each one after its operands. inputs are the inputs.
	nodes, inputs []int
}

// cone collects the nodes on which some literals depend. It marks a node once before it visits the
// operands and again when the operands are complete.
func (c *Circuit) cone(goals ...Lit) *cone {
	k := &cone{}
	if len(goals) > 0 {
		k.goal = goals[len(goals)-1]
	}
	defer func() { c.spend(len(k.nodes) + len(k.inputs)) }()
	for len(c.marks) < len(c.gates) {
		c.marks, c.places = append(c.marks, 0), append(c.places, 0)
	}
	c.walks += 2
	asked, done := c.walks-1, c.walks
	c.marks[0] = done
	var stack []int
	for _, l := range goals {
		stack = append(stack, l.Node())
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
			for _, l := range []Lit{g.a, g.b} {
				if c.marks[l.Node()] < asked {
					stack = append(stack, l.Node())
				}
			}
		}
	}
	return k
}

// Support returns the inputs on which some literals depend, by node.
func (c *Circuit) Support(list ...Lit) []int { return c.cone(list...).inputs }

// AddSupport adds to a set all inputs on which some literals depend.
func (c *Circuit) AddSupport(set map[int]bool, list ...Lit) {
	for _, n := range c.Support(list...) {
		set[n] = true
	}
}

// Answer is the result of a query.
type Answer uint8

// The answers.
const (
	Never Answer = iota
	Sometimes
	Unknown // a limit was reached
)

// Assignment maps inputs, by node, to their values. A missing input is 0.
type Assignment map[int]bool

// Value returns the value of a constant or an input, possibly negated.
func (a Assignment) Value(l Lit) bool {
	if l <= True {
		return l == True
	}
	return a[l.Node()] != (l&1 == 1)
}

// simulator evaluates a cone for 64 assignments at once.
type simulator struct {
	c *Circuit
	k *cone
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

func newSimulator(c *Circuit, k *cone) *simulator {
	s := &simulator{c: c, k: k, values: make([]uint64, len(k.inputs)+len(k.nodes)), plan: make([]step, len(k.nodes))}
	for i, n := range k.inputs {
		c.places[n] = int32(i)
	}
	for i, n := range k.nodes {
		c.places[n] = int32(len(k.inputs) + i)
		g := c.gates[n]
		s.plan[i] = step{c.places[g.a.Node()], c.places[g.b.Node()], -uint64(g.a & 1), -uint64(g.b & 1)}
	}
	return s
}

// run computes the gates from the inputs and returns the value of the goal.
func (s *simulator) run() uint64 {
	s.compute()
	return s.values[len(s.values)-1] ^ -uint64(s.k.goal&1)
}

// compute computes the gates from the inputs.
func (s *simulator) compute() {
	s.c.spend(len(s.plan)/8 + 1)
	out := s.values[len(s.k.inputs):]
	for i, p := range s.plan {
		out[i] = (s.values[p.a] ^ p.flipA) & (s.values[p.b] ^ p.flipB)
	}
}

// Evaluate returns the values of some literals for 64 assignments at once. in has the values of the inputs, by node. A
// missing input is 0.
func (c *Circuit) Evaluate(in map[int]uint64, list ...Lit) []uint64 {
	k := c.cone(list...)
	s := newSimulator(c, k)
	for i, n := range k.inputs {
		s.values[i] = in[n]
	}
	s.compute()
	out := make([]uint64, len(list))
	for i, l := range list {
		if out[i] = -uint64(l & 1); l > True {
			out[i] ^= s.values[c.places[l.Node()]]
		}
	}
	return out
}

// lane returns the assignment of one lane, 0 to 63.
func (s *simulator) lane(n int) Assignment {
	a := Assignment{}
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
	maxCircuit    = 1 << 21 // gates
	maxConflicts  = 5_000   // for one query
)

// Satisfy searches for an assignment that makes the goal true, preferably one with few ones. If the
// goal is small, Satisfy enumerates all assignments. Otherwise it tries random assignments first and
// then runs the SAT solver.
func (c *Circuit) Satisfy(goal Lit) (Assignment, Answer) {
	switch goal {
	case False:
		return nil, Never
	case True:
		return Assignment{}, Sometimes
	}
	k := c.cone(goal)
	s := newSimulator(c, k)
	if k.small() {
		return s.exhaust()
	}
	if a := s.draw(randomRounds); a != nil {
		return s.shrink(a), Sometimes
	}
	a, ans := c.solve(k)
	if ans == Sometimes {
		a = s.shrink(a)
	}
	return a, ans
}

// small reports whether all assignments of the inputs can be enumerated.
func (k *cone) small() bool {
	n := len(k.inputs)
	return n <= 26 && (len(k.nodes)+1)<<max(0, n-6) <= maxExhaustive
}

// Possible is like Satisfy, but it returns only the answer.
func (c *Circuit) Possible(goal Lit) Answer {
	if goal <= True {
		return Answer(goal)
	}
	k := c.cone(goal)
	s := newSimulator(c, k)
	if len(k.inputs) > 6 && s.draw(randomRounds) != nil {
		return Sometimes
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
func (s *simulator) exhaust() (Assignment, Answer) {
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
				return s.lane(lane), Sometimes
			}
		}
	}
	return nil, Never
}

// draw tries random assignments with different proportions of ones. It returns nil if none makes the
// goal true.
func (s *simulator) draw(rounds int) Assignment {
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
// tries the inputs in order, 64 at a time: lane n clears the next n+1 inputs.
func (s *simulator) shrink(a Assignment) Assignment {
	var ones []int // indices into values
	for i, n := range s.k.inputs {
		if s.values[i] = 0; a[n] {
			s.values[i] = ^uint64(0)
			ones = append(ones, i)
		}
	}
	for len(ones) > 0 {
		next := ones[:min(len(ones), 64)]
		for n, i := range next {
			s.values[i] = 1<<uint(n) - 1
		}
		cleared := bits.TrailingZeros64(^s.run()) // the goal needs the input with this number
		for n, i := range next {
			if s.values[i] = ^uint64(0); n < cleared {
				s.values[i] = 0
				delete(a, s.k.inputs[i])
			}
		}
		ones = ones[min(cleared+1, len(next)):]
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
