package cost

import (
	"container/heap"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/lint"
	"github.com/isago/isago/isa"
)

// Path states how many instructions run from an entry to an end of the program. An instruction that runs others counts
// with them.
type Path struct {
	// Entry is the address of the entry in bytes.
	Entry int64 `json:"entry"`
	// Shortest is the length of the shortest path. It is 0 if Unknown is set.
	Shortest int `json:"shortest,omitempty"`
	// Longest is the length of the longest path.
	Longest *Length `json:"longest,omitempty"`
	// Unknown is the reason why the lengths, or only the longest, are unknown.
	Unknown string `json:"unknown,omitempty"`
}

// Loop is a loop in the longest path.
type Loop struct {
	// Name is the number of times that control goes back to the start of the loop each time the loop is entered. The body
	// runs once more than that, unless the loop ends before its body.
	Name string `json:"name"`
	// Address is the start of the loop in bytes.
	Address int64 `json:"address"`
	// Counter is the constant register that determines the number, or "" if it is unknown.
	Counter string `json:"counter,omitempty"`
}

// Length is the largest of several sums.
type Length struct {
	Text string   `json:"text"`
	Sums [][]Term `json:"sums"`
}

// Term is Count times the product of Loops, which are names of loops.
type Term struct {
	Count int      `json:"count"`
	Loops []string `json:"loops,omitempty"`
}

// maxSums limits the sums of a length. Beyond it, the largest count of each term replaces them, which is an upper bound.
const maxSums = 4

// sum maps products of loops to their counts. A product is the numbers of the loops in ascending order, each as a rune.
type sum map[string]int

// plus returns the sum of two sums.
func (a sum) plus(b sum) sum {
	c := maps.Clone(a)
	for k, v := range b {
		c[k] += v
	}
	return c
}

// times multiplies a sum by a loop.
func (a sum) times(loop int) sum {
	c := sum{}
	for k, v := range a {
		list := append([]rune(k), rune(loop))
		slices.Sort(list)
		c[string(list)] = v
	}
	return c
}

// covers reports whether a is at least as large as b for all numbers of repetitions.
func (a sum) covers(b sum) bool {
	for k, v := range b {
		if a[k] < v {
			return false
		}
	}
	return true
}

// largest is the largest of several sums, of which none covers another.
type largest []sum

// with returns the largest of l and more sums.
func (l largest) with(more largest) largest {
	for _, x := range more {
		if slices.ContainsFunc(l, func(o sum) bool { return o.covers(x) }) {
			continue
		}
		l = append(slices.DeleteFunc(slices.Clone(l), func(o sum) bool { return x.covers(o) }), x)
	}
	if len(l) > maxSums {
		bound := sum{}
		for _, x := range l {
			for k, v := range x {
				bound[k] = max(bound[k], v)
			}
		}
		return largest{bound}
	}
	return l
}

// plus returns the sums of each element of l and each of o.
func (l largest) plus(o largest) (out largest) {
	for _, a := range l {
		var list largest
		for _, b := range o {
			list = append(list, a.plus(b))
		}
		out = out.with(list)
	}
	return out
}

// pathFinder computes lengths of paths in a graph.
type pathFinder struct {
	g       *lint.Graph
	next    [][]int
	weight  []int
	headers map[int64]int // the number of the loop at an address
	loops   []Loop
	unknown string
}

// paths computes the lengths of the paths from each entry.
func (m *meter) paths(c *ProgramCost, g *lint.Graph, insts map[*lint.Inst]*instruction) {
	f := &pathFinder{g: g, headers: map[int64]int{}}
	open := ""
	for _, n := range g.Nodes {
		f.weight = append(f.weight, len(insts[n.Inst].words))
		var next []int
		for i := range n.Ways {
			if w := &n.Ways[i]; len(n.Targets[i]) == 0 && !w.Ends && w.Stops == "" && w.Next < 0 && open == "" {
				open = fmt.Sprintf("the target of the jump at 0x%x is unknown", n.Addr/8)
			}
			for _, to := range n.Targets[i] {
				next = append(next, to.Index)
			}
		}
		slices.Sort(next)
		f.next = append(f.next, slices.Compact(next))
	}
	for _, start := range g.Starts {
		p := Path{Entry: start.Addr / 8}
		switch {
		case open != "":
			p.Unknown = open
		case g.Joins:
			p.Unknown = "the stacks of calls and loops can take too many values to follow"
		default:
			f.unknown = ""
			if p.Shortest = f.shortest(start.Index); p.Shortest == 0 {
				p.Unknown = "no end can be reached"
				break
			}
			if l := f.longest(start.Index); f.unknown != "" {
				p.Unknown = f.unknown
			} else {
				p.Longest = f.length(l)
			}
		}
		c.Paths = append(c.Paths, p)
	}
	c.Loops = f.loops
	f.name()
	for i := range c.Paths {
		if l := c.Paths[i].Longest; l != nil {
			l.name(f.loops)
		}
	}
}

// ends reports whether a program can end at a node.
func (f *pathFinder) ends(i int) bool {
	return slices.ContainsFunc(f.g.Nodes[i].Ways, func(w facts.Way) bool { return w.Ends })
}

// distance is the length of a path to a node, for a heap.
type distance struct{ node, length int }

type distances []distance

func (d distances) Len() int           { return len(d) }
func (d distances) Less(i, k int) bool { return d[i].length < d[k].length }
func (d distances) Swap(i, k int)      { d[i], d[k] = d[k], d[i] }
func (d *distances) Push(x any)        { *d = append(*d, x.(distance)) }
func (d *distances) Pop() any {
	x := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return x
}

// shortest returns the length of the shortest path from a node to an end, or 0 if there is none.
func (f *pathFinder) shortest(start int) int {
	done := make([]bool, len(f.next))
	for open := (&distances{{start, f.weight[start]}}); open.Len() > 0; {
		x := heap.Pop(open).(distance)
		if done[x.node] {
			continue
		}
		done[x.node] = true
		if f.ends(x.node) {
			return x.length
		}
		for _, to := range f.next[x.node] {
			heap.Push(open, distance{to, x.length + f.weight[to]})
		}
	}
	return 0
}

// longest returns the length of the longest path from a node to an end.
func (f *pathFinder) longest(start int) (l largest) {
	nodes := make([]int, len(f.next))
	for i := range nodes {
		nodes[i] = i
	}
	at := f.region(nodes, start, -1, 0)
	for i := range f.next {
		if f.ends(i) {
			l = l.with(at[i])
		}
	}
	return l
}

// region returns the lengths of the longest paths from a node to each node of a region, both ends included. It ignores
// edges to the node header, which is where the loop of the region starts, or -1.
func (f *pathFinder) region(nodes []int, start, header, depth int) map[int]largest {
	at := map[int]largest{}
	for _, scc := range f.components(nodes, start, header) {
		set := make(map[int]bool, len(scc))
		for _, i := range scc {
			set[i] = true
		}
		// Lengths from outside are in at already, because components come in topological order.
		entered := map[int]largest{}
		for _, i := range scc {
			if l, ok := at[i]; ok {
				entered[i] = l
				delete(at, i)
			}
		}
		if set[start] {
			entered[start] = largest{sum{}}
		}
		looping := len(scc) > 1 || slices.Contains(f.next[scc[0]], scc[0]) && scc[0] != header
		if !looping {
			at[scc[0]] = entered[scc[0]].plus(largest{sum{"": f.weight[scc[0]]}})
		} else {
			if len(entered) != 1 {
				f.unknown = fmt.Sprintf("the loop at 0x%x has several entries", f.first(scc)/8)
				return at
			}
			if depth == maxDepth {
				f.unknown = fmt.Sprintf("loops are nested deeper than %d", maxDepth)
				return at
			}
			for h, before := range entered {
				f.loop(at, scc, h, before, depth)
			}
		}
		if f.unknown != "" {
			return at
		}
		for _, i := range scc {
			for _, to := range f.next[i] {
				if !set[to] && to != header {
					at[to] = at[to].with(at[i])
				}
			}
		}
	}
	return at
}

// first returns the lowest address of some nodes, in bits.
func (f *pathFinder) first(nodes []int) int64 {
	at := f.g.Nodes[nodes[0]].Addr
	for _, i := range nodes {
		at = min(at, f.g.Nodes[i].Addr)
	}
	return at
}

// maxDepth limits the nesting of loops.
const maxDepth = 64

// loop adds the lengths of the longest paths to the nodes of a loop with the header h, which is entered after paths of
// the given lengths.
func (f *pathFinder) loop(at map[int]largest, scc []int, h int, before largest, depth int) {
	number := f.number(h)
	inner := f.region(scc, h, h, depth+1)
	if f.unknown != "" {
		return
	}
	var body largest
	for _, i := range scc {
		if slices.Contains(f.next[i], h) {
			body = body.with(inner[i])
		}
	}
	var rounds largest
	for _, b := range body {
		rounds = append(rounds, b.times(number))
	}
	for _, i := range scc {
		at[i] = before.plus(rounds).plus(inner[i])
	}
}

// number returns the number of the loop with a header, and records the loop if it is new.
func (f *pathFinder) number(h int) int {
	addr := f.g.Nodes[h].Addr
	n, ok := f.headers[addr]
	if !ok {
		n = len(f.loops)
		f.headers[addr] = n
		f.loops = append(f.loops, Loop{Address: addr / 8, Counter: f.counter(h)})
	}
	return n
}

// counter returns the constant register that the instructions read that start or end a loop, or "".
func (f *pathFinder) counter(h int) string {
	found := ""
	for i, n := range f.g.Nodes {
		if !slices.Contains(f.next[i], h) {
			continue
		}
		if !slices.ContainsFunc(n.Flows, func(x isa.Flow) bool { return x.Kind == isa.Loop || x.Kind == isa.LoopEnd }) {
			continue
		}
		for a := range n.Facts.Reads() {
			if a.State.Use == "constant" && a.State.Kind == facts.Registers && a.Number >= 0 {
				name := fmt.Sprintf("%s%d", a.State.Name, a.Number)
				if found != "" && found != name {
					return ""
				}
				found = name
			}
		}
	}
	return found
}

// components returns the strongly connected components of a region that a node reaches, in topological order. It ignores
// edges to header.
func (f *pathFinder) components(nodes []int, start, header int) (list [][]int) {
	inside := make(map[int]bool, len(nodes))
	for _, i := range nodes {
		inside[i] = true
	}
	type state struct{ index, low int }
	type frame struct{ node, next int }
	seen := map[int]*state{}
	on := map[int]bool{}
	var stack []int
	push := func(calls []frame, i int) []frame {
		seen[i] = &state{len(seen), len(seen)}
		stack, on[i] = append(stack, i), true
		return append(calls, frame{node: i})
	}
	for calls := push(nil, start); len(calls) > 0; {
		c := &calls[len(calls)-1]
		if c.next < len(f.next[c.node]) {
			to := f.next[c.node][c.next]
			c.next++
			switch {
			case !inside[to] || to == header:
			case seen[to] == nil:
				calls = push(calls, to)
			case on[to]:
				seen[c.node].low = min(seen[c.node].low, seen[to].index)
			}
			continue
		}
		node := c.node
		calls = calls[:len(calls)-1]
		if len(calls) > 0 {
			s := seen[calls[len(calls)-1].node]
			s.low = min(s.low, seen[node].low)
		}
		if seen[node].low == seen[node].index {
			var scc []int
			for {
				i := stack[len(stack)-1]
				stack, on[i] = stack[:len(stack)-1], false
				scc = append(scc, i)
				if i == node {
					break
				}
			}
			list = append(list, scc)
		}
	}
	slices.Reverse(list)
	return list
}

// name names the loops.
func (f *pathFinder) name() {
	for i := range f.loops {
		if f.loops[i].Name = "n"; len(f.loops) > 1 {
			f.loops[i].Name = fmt.Sprintf("n%d", i+1)
		}
	}
}

// length returns the exported form of a length, in which the names of loops are still missing.
func (f *pathFinder) length(l largest) *Length {
	out := &Length{}
	for _, s := range l {
		var terms []Term
		for _, k := range slices.SortedFunc(maps.Keys(s), func(a, b string) int {
			if n := len([]rune(a)) - len([]rune(b)); n != 0 {
				return n
			}
			return strings.Compare(a, b)
		}) {
			if s[k] == 0 {
				continue
			}
			t := Term{Count: s[k]}
			for _, r := range k {
				t.Loops = append(t.Loops, string(r))
			}
			terms = append(terms, t)
		}
		out.Sums = append(out.Sums, terms)
	}
	return out
}

// name replaces the numbers of loops by their names, and makes the text.
func (l *Length) name(loops []Loop) {
	var sums []string
	for _, terms := range l.Sums {
		var parts []string
		for i := range terms {
			t := &terms[i]
			text := fmt.Sprint(t.Count)
			for k, r := range t.Loops {
				t.Loops[k] = loops[[]rune(r)[0]].Name
				text += " " + t.Loops[k]
			}
			parts = append(parts, text)
		}
		sums = append(sums, strings.Join(parts, " + "))
	}
	if l.Text = strings.Join(sums, ", "); len(sums) > 1 {
		l.Text = "max(" + l.Text + ")"
	}
}
