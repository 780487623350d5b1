package cost

import (
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/lint"
)

// liveness computes the register components that are live before each word: those that some path from there reads before
// it writes them. A write that a path may skip does not end the life of a value. It joins all contents that the stacks can have
// at a word.
func (m *meter) liveness(g *lint.Graph, insts map[*lint.Inst]*instruction) {
	end := m.newSet()
	for _, p := range g.LiveAtEnd {
		end.add(p)
	}
	in := make([]partSet, len(g.Nodes))
	from := make([][]*lint.Node, len(g.Nodes))
	for i, n := range g.Nodes {
		in[i] = m.newSet()
		for _, list := range n.Targets {
			for _, to := range list {
				from[to.Index] = append(from[to.Index], n)
			}
		}
	}
	waiting := make([]bool, len(g.Nodes))
	var open []*lint.Node
	push := func(n *lint.Node) {
		if !waiting[n.Index] {
			waiting[n.Index] = true
			open = append(open, n)
		}
	}
	for _, n := range g.Nodes {
		push(n)
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		waiting[n.Index] = false
		before := m.newSet()
		for i := range n.Ways {
			m.liveBefore(before, m.liveAfter(n, i, in, end), &n.Ways[i], insts[n.Inst].reads)
		}
		if in[n.Index].addAll(before) {
			for _, f := range from[n.Index] {
				push(f)
			}
		}
	}
	for i, n := range g.Nodes {
		words := insts[n.Inst].words
		words[0].live.addAll(in[i])
		if len(words) == 1 {
			continue
		}
		after := m.newSet()
		for k := range n.Ways {
			after.addAll(m.liveAfter(n, k, in, end))
		}
		for k := len(words) - 1; k > 0; k-- {
			m.liveBeforeWord(words[k], after)
			words[k].live.addAll(after)
		}
	}
}

// liveAfter returns the components that are live after a path of a node. in are those that are live before each node, and
// end are those at the end of the program.
func (m *meter) liveAfter(n *lint.Node, way int, in []partSet, end partSet) partSet {
	after := m.newSet()
	if n.Ways[way].Ends {
		after.addAll(end)
	}
	for _, to := range n.Targets[way] {
		after.addAll(in[to.Index])
	}
	return after
}

// liveBeforeWord turns the components that are live after a word into those that are live before it.
func (m *meter) liveBeforeWord(w *word, live partSet) {
	carries := false
	for a := range w.facts.Writes() {
		if a.State.Carries {
			m.eachPart(a, func(p facts.Part) { carries = carries || live.has(p) })
		}
	}
	for i := range live {
		live[i] = live[i]&^w.writes[i] | w.reads.own[i]
		if carries {
			live[i] |= w.reads.carried[i]
		}
	}
}

// reads are the components that an instruction may read. A carried component counts as read only if the register that
// carries its value is live.
type reads struct{ own, carried partSet }

func (m *meter) readsOf(x *facts.Facts) reads {
	r := reads{m.newSet(), m.newSet()}
	for a := range x.Reads() {
		switch {
		case a.Kept || a.State.Kind != facts.Registers:
		case a.Carried:
			m.eachPart(a, r.carried.add)
		default:
			m.eachPart(a, r.own.add)
		}
	}
	return r
}

// writesOf returns the components that an instruction always writes.
func (m *meter) writesOf(x *facts.Facts) partSet {
	s := m.newSet()
	for a := range x.Writes() {
		if a.State.Kind == facts.Registers && a.Number >= 0 && !a.Maybe {
			m.eachPart(a, s.add)
		}
	}
	return s
}

// liveBefore adds the components that are live before a path of an instruction.
func (m *meter) liveBefore(before, after partSet, w *facts.Way, r reads) {
	rest := after
	add := func(list []facts.Part, carries bool) {
		for _, p := range list {
			if r.own.has(p) || carries && r.carried.has(p) {
				before.add(p)
			}
		}
	}
	for _, c := range w.Changes {
		add(c.From, after.has(c.Part))
	}
	add(w.Uses, true)
	add(w.Pushed, true)
	for _, c := range w.Changes {
		if !c.Weak && !(c.Copies && c.From[0] == c.Part) {
			rest.remove(c.Part)
		}
	}
	before.addAll(rest)
}
