package equal

import (
	"slices"

	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/sat"
	"github.com/isago/isago/internal/sem"
)

// Limits of the solver.
const (
	// trials is the number of valuations under which values must be equal before a proof is tried.
	trials = 32
	// maxSwept limits the values in which equal values are searched, and maxClass those among which a value is searched.
	maxSwept = 1 << 15
	maxClass = 4
	// maxVisits limits the values that all cases simplify.
	maxVisits = 1 << 20
	// maxConflicts limits a search of the SAT solver.
	maxConflicts = 2000
)

// The rules of the solver.
var (
	byCases = &rule{text: "equal if a condition holds, and if it does not"}
	byBits  = &rule{text: "no bit differs"}
	implied = &rule{text: "what is equal to a constant by a condition is that constant"}
)

// solver proves that values are equal for which the rules do not suffice. It compares them under some valuations, and then tries each
// value of a condition in them, or the circuits of their bits.
type solver struct {
	g      *graph
	signs  map[id]signature
	failed map[[2]id]bool
	// visits and queries are what remains of maxVisits and MaxQueries.
	visits, queries int
}

// signature has the values of a node under the valuations.
type signature [trials]uint64

// kind is what candidates for equal values have in common.
type kind struct {
	typ  sem.Type
	sign signature
}

func newSolver(g *graph) *solver {
	return &solver{g: g, signs: map[id]signature{}, failed: map[[2]id]bool{}, visits: maxVisits, queries: MaxQueries}
}

// leafValue returns the value of an input under a valuation. Some valuations have one value for all inputs.
func leafValue(name string, t sem.Type, trial int) uint64 {
	h := mix(uint64(trial)*77+5, uint64(len(name)))
	if trial%4 != 3 {
		for _, c := range []byte(name) {
			h = mix(h, uint64(c))
		}
	}
	h = mix(h, 99)
	return shaped(h, t, trial%2 == 0)
}

// shaped returns a value of a type for a hash.
func shaped(h uint64, t sem.Type, plain bool) uint64 {
	pick := h >> 32
	switch {
	case t.Kind == sem.None:
		return h
	case t.Kind == sem.Float && (!plain || pick%8 == 0):
		list := specialsOf(t)
		return list[h%uint64(len(list))]
	case t.Kind == sem.Float:
		return sem.FloatBits(float64(int64(h)>>40)/(1<<20), t.Width)
	case t.Width <= 8 || pick%4 == 0:
		return h & (^uint64(0) >> (64 - uint(t.Width)))
	case pick%4 == 1:
		ones := ^uint64(0) >> (64 - uint(t.Width))
		return [...]uint64{0, 1, ones, ones >> 1, ones>>1 + 1}[h%5]
	}
	return h % 16
}

// sign returns the values of a node under the valuations.
func (s *solver) sign(x id) *signature {
	if v, ok := s.signs[x]; ok {
		return &v
	}
	n := s.g.nodes[x]
	var v signature
	args := make([]*signature, len(n.args))
	for i, a := range n.args {
		args[i] = s.sign(a)
	}
	for k := range v {
		switch {
		case n.op == sem.OpConst:
			v[k] = n.imm
		case n.op == opFree && len(args) == 0:
			v[k] = leafValue(n.name, n.typ, k)
		case n.op == opFree:
			h := mix(uint64(k), uint64(len(n.name)))
			for _, c := range []byte(n.name) {
				h = mix(h, uint64(c))
			}
			for _, a := range args {
				h = mix(h, a[k])
			}
			v[k] = shaped(h, n.typ, k%2 == 0)
		case n.op == sem.OpSelect:
			if v[k] = args[2][k]; args[0][k] != 0 {
				v[k] = args[1][k]
			}
		default:
			var values [3]uint64
			for i := range args {
				values[i] = args[i][k]
			}
			v[k] = evaluate(&n, values)
		}
	}
	s.signs[x] = v
	return &v
}

// hopeful reports whether two nodes are equal under all valuations.
func (s *solver) hopeful(x, y id) bool {
	return x == y || s.g.nodes[x].typ == s.g.nodes[y].typ && *s.sign(x) == *s.sign(y)
}

// cone returns the nodes of which some nodes consist, in ascending order, or nil if they are more than a limit.
func (s *solver) cone(limit int, roots ...id) []id {
	seen := map[id]bool{}
	list := slices.Clone(roots)
	var out []id
	for len(list) > 0 {
		x := list[len(list)-1]
		list = list[:len(list)-1]
		if seen[x] {
			continue
		}
		if len(out) == limit {
			return nil
		}
		seen[x] = true
		out = append(out, x)
		list = append(list, s.g.nodes[x].args...)
	}
	slices.Sort(out)
	return out
}

// sweep searches for equal nodes among those of which some pairs consist, and simplifies the nodes by what it finds.
func (s *solver) sweep(pairs []pair) {
	var roots []id
	for _, p := range pairs {
		if p.a >= 0 && p.b >= 0 && p.a != p.b && len(s.cone(maxSwept, p.a, p.b)) > 0 && s.hopeful(p.a, p.b) {
			roots = append(roots, p.a, p.b)
		}
	}
	nodes := s.cone(maxSwept, roots...)
	if len(nodes) == 0 {
		return
	}
	g := s.g
	g.normal = map[id]id{}
	classes := map[kind][]id{}
	for _, n := range nodes {
		x := g.simplify(n)
		k := kind{g.nodes[x].typ, *s.sign(x)}
		list := classes[k]
		if slices.Contains(list, x) {
			continue
		}
		if i := slices.IndexFunc(list, func(r id) bool { return s.prove(x, r) }); i >= 0 {
			g.normal[x] = list[i]
			continue
		}
		if len(list) < maxClass {
			classes[k] = append(list, x)
		}
	}
}

// prove tries to prove that two nodes are equal, and adds the steps of the proof.
func (s *solver) prove(x, y id) bool {
	if s.failed[[2]id{x, y}] || s.g.nodes[x].op == sem.OpConst && s.g.nodes[y].op == sem.OpConst {
		return false
	}
	splits := MaxCases
	steps, ok := s.cases(x, y, &splits)
	if !ok && splits < MaxCases {
		var learned [][]sat.Lit
		learned, ok = s.bits(x, y) // the bits know how conditions depend on each other
		steps = []step{{from: x, to: y, rule: byBits, learned: learned}}
	}
	if !ok {
		s.failed[[2]id{x, y}] = true
		return false
	}
	s.g.steps = append(s.g.steps, steps...)
	return true
}

// cases returns steps that prove that two nodes are equal, each of them simplified.
func (s *solver) cases(x, y id, splits *int) ([]step, bool) {
	if x == y {
		return nil, true
	}
	c := s.condition(x, y)
	if c == none || *splits == 0 {
		if learned, ok := s.bits(x, y); ok {
			return []step{{from: x, to: y, rule: byBits, learned: learned}}, true
		}
		return nil, false
	}
	*splits--
	if s.visits -= len(s.cone(maxSwept, x, y)); s.visits < 0 {
		return nil, false
	}
	k := &cases{condition: c}
	for i, v := range [2]bool{true, false} {
		restore := s.assume(c, v)
		a, b := s.g.simplify(x), s.g.simplify(y)
		more, ok := s.cases(a, b, splits)
		k.steps[i] = append(s.g.steps, more...)
		restore()
		if !ok {
			return nil, false
		}
	}
	return []step{{from: x, to: y, rule: byCases, cases: k}}, true
}

// assume lets the graph simplify nodes under the assumption that a condition has a value, until the returned function is called. The
// steps of the graph are then those of this case.
func (s *solver) assume(c id, v bool) (restore func()) {
	g := s.g
	not := func(x id) id { return g.raw(node{op: sem.OpNot, typ: sem.BoolType, args: []id{x}}) }
	opposite := g.simplify(not(c))
	normal, steps := g.normal, g.steps
	yes, no := g.truth(v), g.truth(!v)
	g.normal = map[id]id{yes: yes, no: no, c: yes}
	g.steps = []step{{from: not(c), to: not(yes), rule: congruence}, {from: not(yes), to: no, rule: folding}}
	if opposite != c && g.nodes[opposite].op != sem.OpConst {
		g.normal[opposite] = no
	}
	n := g.nodes[c]
	if n.op == sem.OpEq && v || n.op == sem.OpNe && !v {
		if x, k := n.args[0], n.args[1]; n.from.Kind != sem.Float && g.nodes[k].op == sem.OpConst && g.nodes[x].op != sem.OpConst {
			g.normal[k], g.normal[x] = k, k
			g.steps = append(g.steps, step{from: x, to: k, rule: implied, via: c})
		}
	}
	return func() { g.normal, g.steps = normal, steps }
}

// condition returns a condition on which two nodes depend in different ways, or none.
func (s *solver) condition(x, y id) id {
	if x == y {
		return none
	}
	a, b := &s.g.nodes[x], &s.g.nodes[y]
	for _, n := range [2]*node{a, b} {
		if n.op == sem.OpSelect {
			if c := s.atom(n.args[0]); c != none {
				return c
			}
		}
	}
	if a.typ == sem.BoolType {
		for _, n := range [2]id{x, y} {
			if s.connects(n) {
				return s.atom(n)
			}
		}
	}
	if a.op == b.op && a.name == b.name && len(a.args) == len(b.args) {
		for i := range a.args {
			if c := s.condition(a.args[i], b.args[i]); c != none {
				return c
			}
		}
	}
	// Any selection that only one of them contains.
	const near = 200
	p, q := s.cone(near, x), s.cone(near, y)
	for _, list := range [2][2][]id{{p, q}, {q, p}} {
		for _, n := range list[0] {
			if s.g.nodes[n].op == sem.OpSelect && !slices.Contains(list[1], n) {
				return s.atom(s.g.nodes[n].args[0])
			}
		}
	}
	return none
}

// connects reports whether a node connects conditions.
func (s *solver) connects(x id) bool {
	n := &s.g.nodes[x]
	switch n.op {
	case sem.OpAnd, sem.OpOr, sem.OpXor, sem.OpNot, sem.OpSelect:
		return n.typ == sem.BoolType
	}
	return false
}

// atom returns the first condition that a condition connects with others.
func (s *solver) atom(x id) id {
	best := none
	seen := map[id]bool{}
	list := []id{x}
	for len(list) > 0 {
		y := list[len(list)-1]
		list = list[:len(list)-1]
		switch {
		case seen[y] || s.g.nodes[y].op == sem.OpConst:
		case s.connects(y):
			list = append(list, s.g.nodes[y].args...)
		case best == none || y < best:
			best = y
		}
		seen[y] = true
	}
	return best
}

// bits searches for a proof that no bit of two nodes differs.
func (s *solver) bits(x, y id) (learned [][]sat.Lit, ok bool) {
	if s.g.nodes[x].typ.Kind == sem.None || s.queries == 0 {
		return nil, false
	}
	s.queries--
	defer func() {
		if r := recover(); r != nil && r != circuit.TooLarge {
			panic(r)
		}
	}()
	c, differs := circuitOf(s.g.nodes, x, y)
	if c.Size() > maxGates {
		return nil, false
	}
	return c.Refute(differs, maxConflicts)
}
