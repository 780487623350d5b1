package equal

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/target/catalog"
)

// TestValues compares the values of outputs as terms with runs on the reference engine. The programs have a branch,
// calls and predicates, and do not read registers with a computed number.
func TestValues(t *testing.T) {
	for _, x := range [][2]string{
		{"pica200", "light.shbin"}, {"pica200", "sprite.shbin"}, {"tegra", "light.vp"}, {"tegra", "wave.vp"},
	} {
		data, err := os.ReadFile("../examples/" + x[0] + "/" + x[1])
		if err != nil {
			t.Fatal(err)
		}
		m, err := catalog.Lookup(x[0])
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Launch(feed.Request{Data: data})
		if err != nil {
			t.Fatal(err)
		}
		l := r.(feed.Launched).Launched()
		c := &comparison{programs: [2]Program{{Launch: l}, {Launch: l}}, same: true}
		if err := c.match(); err != nil {
			t.Fatal(err)
		}
		p, err := flow.Specialise(t.Context(), c.config(0))
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.prove(t.Context(), [2]*flow.Program{p, p})
		if err != nil || len(res.open) > 0 || res.reason != "" || len(res.sides[0].loops) > 0 {
			t.Fatalf("%s: %v, %s, %v", x[1], err, res.reason, res.open)
		}
		rnd := rand.New(rand.NewPCG(1, 1))
		inputs := c.inputs()
		for i := range 40 {
			var values [][]uint64
			env := map[string]uint64{}
			for _, in := range inputs {
				values = append(values, []uint64{sample(rnd, in.typ, i)})
				env["input "+in.key] = values[len(values)-1][0]
			}
			outs := runOutputs(t, c, inputs, values)
			known := map[id]uint64{}
			for k, o := range res.outputs {
				if got := evaluateTerm(t, res.g, o.a, env, known); got != outs[k] {
					t.Fatalf("%s, run %d: %s is %x as a term, expected %x", x[1], i, o.what, got, outs[k])
				}
			}
		}
	}
}

// runOutputs returns the outputs of a run with one lane.
func runOutputs(t *testing.T, c *comparison, inputs []input, values [][]uint64) (list []uint64) {
	t.Helper()
	l := c.programs[0].Launch
	states := l.Program.Machine.States
	var in, out []exec.Port
	var given []exec.Plane
	for k, x := range inputs {
		v := x.at[0]
		in = append(in, exec.Port{State: states[v.State.Index], First: v.Number, Count: 1, Mask: maskOf(v)})
		given = append(given, plane(values[k], x.typ))
	}
	for _, o := range c.outputs {
		v := o.at[0]
		out = append(out, exec.Port{State: states[v.State.Index], First: v.Number, Count: 1, Mask: maskOf(v)})
	}
	b := l.Bind(in, out)
	planes := exec.NewPlanes(b.Outputs, 1)
	if _, err := b.Run(t.Context(), 1, given, planes, exec.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range planes {
		list = append(list, planes[i].At(0))
	}
	return list
}

// evaluateTerm evaluates a term.
func evaluateTerm(t *testing.T, g *graph, x id, env map[string]uint64, known map[id]uint64) uint64 {
	t.Helper()
	if v, ok := known[x]; ok {
		return v
	}
	n := g.nodes[x]
	var v uint64
	switch {
	case n.op == sem.OpConst:
		v = n.imm
	case n.op == opFree:
		in, ok := env[n.name]
		if !ok || !strings.HasPrefix(n.name, "input ") {
			t.Fatalf("no value for %s", n.name)
		}
		v = in
	default:
		var args [3]uint64
		for i, a := range n.args {
			args[i] = evaluateTerm(t, g, a, env, known)
		}
		v = evaluate(&n, args)
	}
	known[x] = v
	return v
}

// TestChecker checks that the checker rejects steps that do not follow.
func TestChecker(t *testing.T) {
	g := newGraph()
	a, b := g.free(sem.F32, "a"), g.free(sem.F32, "b")
	sum := func(mode sem.Mode, x, y id) id {
		return g.raw(node{op: sem.OpAdd, typ: sem.F32, imm: uint64(mode), args: []id{x, y}})
	}
	commutes := rules().of[sem.OpAdd][0]
	good := step{from: sum(sem.Nearest, a, b), to: sum(sem.Nearest, b, a), rule: commutes}
	if err := checkProof(g.nodes, []step{good}, [][2]id{{good.from, good.to}}); err != nil {
		t.Error(err)
	}
	for name, s := range map[string]step{
		"another mode":    {from: sum(sem.Nearest, a, b), to: sum(sem.Zero, b, a), rule: commutes},
		"other arguments": {from: sum(sem.Nearest, a, b), to: sum(sem.Nearest, b, b), rule: commutes},
		"congruence":      {from: sum(sem.Nearest, a, b), to: sum(sem.Nearest, a, a), rule: congruence},
		"an own rule":     {from: a, to: b, rule: &rule{text: "a = b"}},
		"folding":         {from: sum(sem.Nearest, a, b), to: g.constant(sem.F32, 0), rule: folding},
	} {
		if err := checkProof(g.nodes, []step{s}, [][2]id{{s.from, s.to}}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := checkProof(g.nodes, nil, [][2]id{{a, b}}); err == nil {
		t.Error("a pair without a proof: accepted")
	}
}
