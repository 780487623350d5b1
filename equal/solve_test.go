package equal

import (
	"testing"

	"github.com/isago/isago/internal/sem"
)

// terms makes terms for tests.
type terms struct{ g *graph }

func (b terms) op(op sem.Op, t sem.Type, args ...id) id {
	n := node{op: op, typ: t, args: args}
	switch op {
	case sem.OpEq, sem.OpNe, sem.OpLt, sem.OpLe, sem.OpCast:
		n.from = b.g.nodes[args[0]].typ
	}
	return b.g.add(n)
}

// TestSolver proves identities that no rule has, and checks the proofs. It does not prove what does not hold.
func TestSolver(t *testing.T) {
	u := sem.U32
	for _, x := range []struct {
		name  string
		want  bool
		terms func(b terms) (x, y id)
	}{
		{"a selection of an argument", true, func(b terms) (id, id) {
			c, p, q, z := b.g.free(sem.BoolType, "c"), b.g.free(sem.F32, "p"), b.g.free(sem.F32, "q"), b.g.free(sem.F32, "z")
			return b.op(sem.OpSelect, sem.F32, c, b.op(sem.OpAdd, sem.F32, p, z), b.op(sem.OpAdd, sem.F32, q, z)),
				b.op(sem.OpAdd, sem.F32, b.op(sem.OpSelect, sem.F32, c, p, q), z)
		}},
		{"a selection of an argument of an unknown function", true, func(b terms) (id, id) {
			c, p, q := b.g.free(sem.BoolType, "c"), b.g.free(u, "p"), b.g.free(u, "q")
			return b.op(sem.OpSelect, sem.Type{}, c, b.g.free(sem.Type{}, "f", p), b.g.free(sem.Type{}, "f", q)),
				b.g.free(sem.Type{}, "f", b.op(sem.OpSelect, u, c, p, q))
		}},
		{"a shift and a product", true, func(b terms) (id, id) {
			p := b.op(sem.OpAnd, u, b.g.free(u, "p"), b.g.constant(u, 255))
			three := b.op(sem.OpAdd, u, b.op(sem.OpShl, u, p, b.g.constant(u, 1)), p)
			return three, b.op(sem.OpSub, u, b.op(sem.OpShl, u, p, b.g.constant(u, 2)), p)
		}},
		{"and, or and not", true, func(b terms) (id, id) {
			p, q := b.g.free(u, "p"), b.g.free(u, "q")
			return b.op(sem.OpOr, u, b.op(sem.OpAnd, u, p, q), b.op(sem.OpAnd, u, p, b.op(sem.OpNot, u, q))), p
		}},
		{"an order of floats that are no NaN", true, func(b terms) (id, id) {
			p, q := b.g.free(sem.F32, "p"), b.g.free(sem.F32, "q")
			return b.op(sem.OpAnd, sem.BoolType, b.op(sem.OpLt, sem.BoolType, p, q), b.op(sem.OpLe, sem.BoolType, q, p)), b.g.truth(false)
		}},
		{"a negated order with NaN", false, func(b terms) (id, id) {
			p, q := b.g.free(sem.F32, "p"), b.g.free(sem.F32, "q")
			return b.op(sem.OpNot, sem.BoolType, b.op(sem.OpLt, sem.BoolType, p, q)), b.op(sem.OpLe, sem.BoolType, q, p)
		}},
		{"sums in another order", false, func(b terms) (id, id) {
			p, q, z := b.g.free(sem.F32, "p"), b.g.free(sem.F32, "q"), b.g.free(sem.F32, "z")
			return b.op(sem.OpAdd, sem.F32, b.op(sem.OpAdd, sem.F32, p, q), z), b.op(sem.OpAdd, sem.F32, p, b.op(sem.OpAdd, sem.F32, q, z))
		}},
		{"a selection with other values", false, func(b terms) (id, id) {
			c, p, q := b.g.free(sem.BoolType, "c"), b.g.free(u, "p"), b.g.free(u, "q")
			return b.op(sem.OpSelect, u, c, b.g.free(u, "f", p), b.g.free(u, "f", q)), b.g.free(u, "f", b.op(sem.OpSelect, u, c, q, p))
		}},
	} {
		g := newGraph()
		a, b := x.terms(terms{g})
		if a == b {
			t.Errorf("%s: the rules suffice", x.name)
		}
		newSolver(g).sweep([]pair{{x.name, a, b}})
		if got := g.simplify(a) == g.simplify(b); got != x.want {
			t.Errorf("%s: proved %v, expected %v", x.name, got, x.want)
		}
		err := checkProof(g.nodes, g.steps, [][2]id{{a, b}})
		if (err == nil) != x.want {
			t.Errorf("%s: the checker returns %v", x.name, err)
		}
		if !x.want {
			continue
		}
		for i, s := range g.steps {
			if s.rule != byBits && s.rule != byCases {
				continue
			}
			// The same proof of something else.
			broken := append([]step(nil), g.steps...)
			broken[i].to = g.constant(g.nodes[s.to].typ, 1)
			if g.nodes[s.to].typ.Kind == sem.None {
				broken[i].to = g.free(sem.Type{}, "g")
			}
			if broken[i].to != s.to && checkProof(g.nodes, broken, [][2]id{{a, b}}) == nil {
				t.Errorf("%s: the checker accepts a step to another value", x.name)
			}
			if s.rule == byCases {
				broken[i] = s
				broken[i].cases = &cases{condition: s.cases.condition, steps: [2][]step{s.cases.steps[0], s.cases.steps[0]}}
				if checkProof(g.nodes, broken, [][2]id{{a, b}}) == nil {
					t.Errorf("%s: the checker accepts one case for both", x.name)
				}
			}
		}
	}
}
