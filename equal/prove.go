package equal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
)

// pair is a value of the first program with the value of the second program that should be equal.
type pair struct {
	what string
	a, b id
}

// proof is the result of a search for a proof.
type proof struct {
	g     *graph
	sides [2]*symbolic
	// outputs are the outputs, and others the outcome, the effects and the memories.
	outputs, others []pair
	// open are the pairs that are not proved to be equal.
	open []pair
	// reason is the reason why there is no proof, if no pair is the reason.
	reason string
	solver *solver
}

// prove searches for a proof that two programs are equal.
func (c *comparison) prove(ctx context.Context, programs [2]*flow.Program) (p *proof, err error) {
	p = &proof{g: newGraph()}
	p.solver = newSolver(p.g)
	defer func() {
		if e, ok := recover().(error); ok && errors.Is(e, errLimit) {
			p.reason, err = e.Error(), nil
		} else if ok {
			panic(e)
		}
	}()
	symbols := map[symbol]id{}
	for attempt := 0; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for side, x := range programs {
			s := c.symbolic(p.g, side, x)
			s.symbols = symbols
			if err := s.prepare(); err != nil {
				p.reason = err.Error()
				return p, nil
			}
			s.compute()
			p.sides[side] = s
		}
		p.outputs, p.others = nil, nil
		p.compare(c)
		loops, ok := p.pairLoops(symbols, attempt == 0)
		if !ok {
			if attempt < maxAttempts {
				continue
			}
			// The values were computed with pairs that are not proved.
			p.reason = "the values that change in the loops were not paired"
			return p, nil
		}
		var pairs [][2]id
		p.solver.sweep(slices.Concat(p.outputs, p.others))
		for _, x := range slices.Concat(p.outputs, p.others, loops) {
			if x.a == none && x.b == none {
				continue // no run comes to the end, as how the programs end shows
			}
			if !p.same(x.a, x.b) {
				p.open = append(p.open, x)
				c.hint(p.solver, x)
			}
			pairs = append(pairs, [2]id{x.a, x.b})
		}
		if len(p.open) == 0 {
			if p.others[0].a == none {
				p.reason = "no run of a program comes to an end"
				return p, nil
			}
			if err := checkProof(p.g.nodes, p.g.steps, pairs); err != nil {
				p.reason = err.Error()
			}
		}
		return p, nil
	}
}

// pairLoops pairs the loops of the programs, and the values that change in them. It returns the pairs of values that must be equal so
// that paired symbols are equal in each iteration. ok is false if symbols has changed, so that the values must be computed again.
func (p *proof) pairLoops(symbols map[symbol]id, first bool) (pairs []pair, ok bool) {
	a, b := p.sides[0], p.sides[1]
	if len(a.loops) != len(b.loops) {
		for _, s := range p.sides {
			for _, l := range s.loops {
				pairs = append(pairs, pair{s.place(l.head) + ": a loop without a counterpart", none, none - 1})
			}
		}
		return pairs[:min(len(pairs), 1)], true
	}
	if len(a.loops) == 0 {
		return nil, true
	}
	if first {
		colors := p.colors()
		for i, l := range a.loops {
			m := b.loops[i]
			taken := map[int]bool{}
			for k, x := range l.symbols {
				for j, y := range m.symbols {
					if !taken[j] && p.g.nodes[l.nodes[k]].typ == p.g.nodes[m.nodes[j]].typ && p.stateName(0, l, x) == p.stateName(1, m, y) && colors[l.nodes[k]] == colors[m.nodes[j]] {
						taken[j] = true
						symbols[y] = l.nodes[k]
						break
					}
				}
			}
		}
		return nil, false
	}
	ok = true
	var all []pair
	for i, l := range a.loops {
		m := b.loops[i]
		all = append(all, pair{"", l.again, m.again})
		for j, y := range m.symbols {
			if k := slices.Index(l.nodes, symbols[y]); k >= 0 {
				all = append(all, pair{"", l.initial[k], m.initial[j]}, pair{"", l.next[k], m.next[j]})
			}
		}
	}
	p.solver.sweep(all)
	for i, l := range a.loops {
		m := b.loops[i]
		pairs = append(pairs, pair{a.place(l.head) + ": whether the loop goes on", l.again, m.again})
		for j, y := range m.symbols {
			k := slices.Index(l.nodes, symbols[y])
			if _, paired := symbols[y]; !paired || k < 0 {
				continue
			}
			if !p.same(l.initial[k], m.initial[j]) || !p.same(l.next[k], m.next[j]) {
				delete(symbols, y)
				ok = false
				continue
			}
			pairs = append(pairs,
				pair{a.place(l.head) + ": a value before the loop", l.initial[k], m.initial[j]},
				pair{a.place(l.head) + ": a value after an iteration", l.next[k], m.next[j]})
		}
	}
	return pairs, ok
}

// hint records under which valuations a pair differs.
func (c *comparison) hint(s *solver, x pair) {
	if x.a < 0 || x.b < 0 || s.cone(maxSwept, x.a, x.b) == nil {
		return
	}
	a, b := s.sign(x.a), s.sign(x.b)
	for k := range trials {
		if a[k] != b[k] && !slices.Contains(c.hints, k) {
			c.hints = append(c.hints, k)
		}
	}
}

// same reports whether two nodes are known to be equal.
func (p *proof) same(x, y id) bool {
	return x == y || x >= 0 && y >= 0 && p.g.simplify(x) == p.g.simplify(y)
}

// stateName returns the name of the state for a symbol of a loop, or "" for a parameter of a block.
func (p *proof) stateName(side int, l *loop, x symbol) string {
	if n := len(l.head.Params); x.index >= n {
		return p.sides[side].states[x.index-n]
	}
	return ""
}

// colors returns a number for each symbol. Symbols that are computed alike have the same number.
func (p *proof) colors() map[id]uint64 {
	colors := map[id]uint64{}
	for range maxAttempts {
		known := map[id]uint64{}
		next := map[id]uint64{}
		for _, s := range p.sides {
			for _, l := range s.loops {
				for k, x := range l.nodes {
					h := mix(colors[x], p.color(l.initial[k], colors, known))
					next[x] = mix(mix(h, p.color(l.next[k], colors, known)), p.color(l.again, colors, known))
				}
			}
		}
		colors = next
	}
	return colors
}

func mix(a, b uint64) uint64 {
	a = (a ^ b<<32 ^ b>>32 ^ b) * 0x9e3779b97f4a7c15
	return a ^ a>>29
}

// color returns a number for a value, which follows from the numbers of the symbols in it. It does not depend on the order of arguments.
func (p *proof) color(x id, colors, known map[id]uint64) uint64 {
	if x == none {
		return 1
	}
	if c, ok := colors[x]; ok {
		return c + 7
	}
	if c, ok := known[x]; ok {
		return c
	}
	n := &p.g.nodes[x]
	h := mix(uint64(n.op)+11, n.imm)
	if len(n.args) > 0 || n.op != opFree || len(n.name) < 5 || n.name[:5] != "loop " {
		for _, c := range []byte(n.name) {
			h = mix(h, uint64(c))
		}
	}
	sum := uint64(0)
	for _, a := range n.args {
		sum += mix(3, p.color(a, colors, known))
	}
	h = mix(h, sum)
	known[x] = h
	return h
}

// place returns the place of a block for a message.
func (s *symbolic) place(b *flow.Block) string {
	return fmt.Sprintf("program %d, 0x%x", s.side+1, b.Addr)
}

// compare lists the values that must be equal at the end.
func (p *proof) compare(c *comparison) {
	g := p.g
	for _, o := range c.outputs {
		if c.emits() {
			break // the calls of the host are compared
		}
		x := pair{what: o.name}
		x.a, x.b = p.sides[0].output(o.at[0]), p.sides[1].output(o.at[1])
		x.a, x.b = c.observed(g, x.a), c.observed(g, x.b)
		p.outputs = append(p.outputs, x)
	}
	p.others = append(p.others, pair{"how the programs end", p.sides[0].ending(), p.sides[1].ending()})
	names := map[string]bool{}
	for _, s := range p.sides {
		for _, name := range s.states {
			if s.observed(name) {
				names[name] = true
			}
		}
	}
	list := make([]string, 0, len(names))
	for name := range names {
		list = append(list, name)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(a, b) })
	for _, name := range list {
		what := "the stores to " + name
		if name == control {
			what = "the order of barriers, calls and accesses that may stop a lane"
		}
		p.others = append(p.others, pair{what, p.sides[0].final(name), p.sides[1].final(name)})
	}
}

// observed returns what counts of an output.
func (c *comparison) observed(g *graph, x id) id {
	if x == none {
		return x
	}
	x = g.canonical(x)
	if t := g.nodes[x].typ; t.Kind == sem.Float && c.ZeroSign {
		x = g.add(node{op: sem.OpAdd, typ: t, args: []id{x, g.constant(t, 0)}}) // -0 + 0 = 0
	}
	return x
}

// output returns the value of a register at the end.
func (s *symbolic) output(v flow.Variable) id {
	return s.outcome(func(x *flow.Block) id {
		for _, o := range x.End.Outputs {
			if o.Variable == v {
				return s.values[o.ID]
			}
		}
		if x.End.Kind == flow.Stop {
			return none
		}
		if isGiven(v) {
			return s.leaf(v)
		}
		if v.State.InitExists {
			return s.g.free(v.Type(), s.machine+" exists")
		}
		return s.g.constant(v.Type(), v.State.Init)
	})
}

// ending returns how the program ends.
func (s *symbolic) ending() id {
	return s.outcome(func(x *flow.Block) id {
		if x.End.Kind == flow.Exit {
			return s.g.free(sem.U32, "end")
		}
		return s.g.free(sem.U32, "stop "+x.End.Text, s.arg(x.End.Lanes))
	})
}

// final returns the node for a state at the end.
func (s *symbolic) final(name string) id {
	i, ok := s.at[name]
	if !ok {
		return s.initialState(name)
	}
	return s.outcome(func(x *flow.Block) id { return s.out[x.Index][i] })
}
