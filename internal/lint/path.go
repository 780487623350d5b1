package lint

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
)

// A query asks whether some path through the program has a property, such as a read of a register
// before any write. A path on which a condition both holds and does not hold, although nothing changes
// it in between, does not count. So a query computes, for each place on such paths, the cases in which
// a path leads there: the values of the conditions, as far as no instruction has changed them since.

// mark is a place on a path and the part that the query follows there.
type mark struct {
	n    *node
	part facts.Part
}

// noPart is the part of a mark of a query that follows none.
const noPart facts.Part = -1

// Limits of the queries about a program. maxSteps limits the marks that they continue, maxKept the marks
// that are kept for other queries.
const (
	maxSteps = 1 << 19
	maxKept  = 1 << 18
)

// edge is what a path of a node means for conditions. taken are the cases in which it is taken. It gives
// new values to the conditions in sets, of which values says how they follow from other conditions. Of
// those in drops it leaves unknown values. setsID and dropsID are the numbers of these lists.
type edge struct {
	taken, values   cases
	sets, drops     map[int32]bool
	setsID, dropsID int
}

// queries answers queries about a program.
type queries struct {
	*linter
	*diagrams
	conditions []string // the keys of conditions
	numbers    map[string]int32
	edges      map[*node][]edge
	lists      map[string]int // the numbers of lists of conditions
	steps      int
	warned     bool // a limit is exceeded, and a warning says so
	kept       map[facts.Part]map[mark]cases
	keptMarks  int
	// handed holds, for each part, the parts whose unwritten value an instruction hands on to it.
	handed map[facts.Part]map[facts.Part]bool
}

func (l *linter) newQueries() *queries {
	q := &queries{linter: l, diagrams: newDiagrams(), numbers: map[string]int32{}, edges: map[*node][]edge{}, lists: map[string]int{}}
	for _, n := range q.order {
		for i := range n.ways {
			for _, list := range n.ways[i].Conditions {
				for _, c := range list {
					q.number(c.Key)
				}
			}
		}
	}
	q.addRepeated()
	readers := q.readers()
	for _, n := range l.order {
		for i := range n.ways {
			q.edges[n] = append(q.edges[n], q.edge(&n.ways[i], readers))
		}
	}
	q.rank()
	return q
}

// number returns the number of a condition.
func (q *queries) number(key string) int32 {
	n, ok := q.numbers[key]
	if !ok {
		n = int32(len(q.conditions))
		q.numbers[key] = n
		q.conditions = append(q.conditions, key)
	}
	return n
}

// readers returns the numbers of the conditions that depend on each part.
func (q *queries) readers() map[facts.Part][]int32 {
	readers := map[facts.Part][]int32{}
	for i, key := range q.conditions {
		for p := range partsOf(key) {
			readers[p] = append(readers[p], int32(i))
		}
	}
	return readers
}

// changed calls do for each condition that a path of a node may change. old is the condition before the
// path that is equal to the condition after it, or "" if there is none.
func (q *queries) changed(w *facts.Way, readers map[facts.Part][]int32, do func(k int32, old string)) {
	done := map[int32]bool{}
	for _, c := range w.Changes {
		for _, k := range readers[c.Part] {
			if done[k] {
				continue
			}
			done[k] = true
			if old := replaced(q.conditions[k], w); old != q.conditions[k] {
				do(k, old)
			}
		}
	}
}

// addRepeated adds the conditions that several instructions compute, such as a comparison that is
// repeated.
func (q *queries) addRepeated() {
	readers := q.readers()
	first := map[string]int64{} // the address of an instruction that computes a condition
	for _, n := range q.order {
		for i := range n.ways {
			q.changed(&n.ways[i], readers, func(k int32, old string) {
				if at, ok := first[old]; ok && at != n.addr && old != "" {
					q.number(old)
				} else if !ok {
					first[old] = n.addr
				}
			})
		}
	}
}

// edge returns what a path of a node means for conditions.
func (q *queries) edge(w *facts.Way, readers map[facts.Part][]int32) edge {
	e := edge{taken: noCase, values: anyCase}
	for _, list := range w.Conditions {
		all := anyCase
		for _, c := range list {
			holds := q.holds(q.numbers[c.Key])
			if !c.Holds {
				holds = q.choose(holds, noCase, anyCase)
			}
			all = q.and(all, holds)
		}
		e.taken = q.or(e.taken, all)
	}
	put := func(m *map[int32]bool, k int32) {
		if *m == nil {
			*m = map[int32]bool{}
		}
		(*m)[k] = true
	}
	olds := map[int32]string{}
	q.changed(w, readers, func(k int32, old string) {
		if _, ok := q.numbers[old]; ok || old == "#0 " || old == "#1 " {
			olds[k] = old
			put(&e.sets, k)
		} else {
			put(&e.drops, k)
		}
	})
	for k, old := range olds {
		was := anyCase
		switch from, ok := q.numbers[old]; {
		case old == "#0 ":
			was = noCase
		case ok && e.sets[from]: // the value before the path is lost
			continue
		case ok:
			was = q.holds(from)
		}
		e.values = q.and(e.values, q.choose(q.holds(k), was, q.choose(was, noCase, anyCase)))
	}
	e.setsID, e.dropsID = q.list(e.sets), q.list(e.drops)
	return e
}

// holds returns the cases in which a condition holds.
func (q *queries) holds(k int32) cases { return q.test(k, noCase, anyCase) }

// list returns the number of a list of conditions.
func (q *queries) list(m map[int32]bool) int {
	key := fmt.Sprint(m)
	if _, ok := q.lists[key]; !ok {
		q.lists[key] = len(q.lists)
	}
	return q.lists[key]
}

// partsOf yields the parts in a key, with the bytes at which they begin and end.
func partsOf(key string) iter.Seq2[facts.Part, [2]int] {
	return func(yield func(facts.Part, [2]int) bool) {
		for i := 0; ; {
			n := strings.IndexByte(key[i:], 'p')
			if n < 0 {
				return
			}
			i += n
			end := i + strings.IndexByte(key[i:], ' ')
			p, _ := strconv.ParseUint(key[i+1:end], 16, 32)
			if !yield(facts.Part(p), [2]int{i, end + 1}) {
				return
			}
			i = end
		}
	}
}

// maxKey limits the length of the keys that lint puts together.
const maxKey = 1 << 12

// replaced returns the key of the condition before a path that equals a condition after it, or "".
func replaced(key string, w *facts.Way) string {
	var b strings.Builder
	from := 0
	for p, at := range partsOf(key) {
		c, ok := changeOf(w, p)
		switch {
		case !ok || c.Copies && c.From[0] == p:
			continue
		case c.Copies:
			fmt.Fprintf(&b, "%sp%x ", key[from:at[0]], uint64(c.From[0]))
		case c.Key == "" || b.Len() > maxKey:
			return ""
		default:
			b.WriteString(key[from:at[0]] + c.Key)
		}
		from = at[1]
	}
	b.WriteString(key[from:])
	return b.String()
}

// rank numbers the nodes so that a node comes before its successors, except at the ends of loops.
func (q *queries) rank() {
	type open struct {
		n       *node
		way, to int
	}
	next := len(q.order)
	seen := map[*node]bool{}
	for _, start := range q.starts {
		if seen[start] {
			continue
		}
		seen[start] = true
		for list := []open{{n: start}}; len(list) > 0; {
			o := &list[len(list)-1]
			switch {
			case o.way == len(o.n.targets):
				next--
				o.n.rank = next
				list = list[:len(list)-1]
			case o.to == len(o.n.targets[o.way]):
				o.way, o.to = o.way+1, 0
			default:
				to := o.n.targets[o.way][o.to]
				o.to++
				if !seen[to] {
					seen[to] = true
					list = append(list, open{n: to})
				}
			}
		}
	}
}

// visit is called with a part that a query follows after a path of a node.
type visit func(part facts.Part)

// step continues the paths of a query from a mark along path k of its node. It calls visit for each part
// that the query follows from there on, and reports whether the paths now have the property.
type step func(m mark, k int, visit visit) (done bool)

// agenda is the marks whose paths must be continued, as a heap by the ranks of nodes.
type agenda struct {
	list []mark
	in   map[mark]bool
}

func (a *agenda) Len() int { return len(a.list) }
func (a *agenda) Less(i, k int) bool {
	return cmp.Or(a.list[i].n.rank-a.list[k].n.rank, int(a.list[i].part-a.list[k].part)) < 0
}
func (a *agenda) Swap(i, k int) { a.list[i], a.list[k] = a.list[k], a.list[i] }
func (a *agenda) Push(x any)    { a.list = append(a.list, x.(mark)) }
func (a *agenda) Pop() any {
	x := a.list[len(a.list)-1]
	a.list = a.list[:len(a.list)-1]
	return x
}

// spread is a query: the cases in which paths lead to marks.
type spread struct {
	*queries
	at     map[mark]cases
	agenda agenda
}

func (q *queries) newSpread() *spread {
	return &spread{queries: q, at: map[mark]cases{}, agenda: agenda{in: map[mark]bool{}}}
}

// add adds cases to a mark.
func (s *spread) add(m mark, c cases) {
	was := s.at[m]
	if c = s.or(was, c); c == was {
		return
	}
	if s.at[m] = c; !s.agenda.in[m] {
		s.agenda.in[m] = true
		heap.Push(&s.agenda, m)
	}
}

// along continues the paths of a mark, on which the given cases hold, along all paths of its node.
func (s *spread) along(m mark, c cases, next step) bool {
	for k := range m.n.ways {
		e := &s.edges[m.n][k]
		taken := s.and(c, e.taken)
		if taken == noCase {
			continue
		}
		after := s.forget(s.and(s.forget(taken, e.sets, e.setsID), e.values), e.drops, e.dropsID)
		if next(m, k, func(part facts.Part) {
			for _, to := range m.n.targets[k] {
				s.add(mark{to, part}, after)
			}
		}) {
			return true
		}
	}
	return false
}

// run continues all paths. It reports whether some path has the property.
func (s *spread) run(next step) bool {
	for s.agenda.Len() > 0 && !s.exhausted() {
		m := heap.Pop(&s.agenda).(mark)
		s.agenda.in[m] = false
		s.steps++
		if s.along(m, s.at[m], next) {
			return true
		}
	}
	return false
}

// exhausted reports whether a limit is exceeded.
func (q *queries) exhausted() bool { return q.full || q.steps > maxSteps }

// before returns the cases in which paths lead to a mark with the given part, or to one with a
// part whose unwritten value it may get. For noPart it returns those in which paths lead to a node.
func (q *queries) before(part facts.Part) map[mark]cases {
	if at, ok := q.kept[part]; ok {
		return at
	}
	s := q.newSpread()
	next := func(m mark, k int, visit visit) bool { visit(noPart); return false }
	if part == noPart {
		for _, n := range q.starts {
			s.add(mark{n, noPart}, anyCase)
		}
	} else {
		next = func(m mark, k int, visit visit) bool { q.passUnwritten(m.n, k, m.part, visit); return false }
		for from := range q.sourcesOf(part) {
			for _, n := range q.starts {
				if !n.mustIn.has(from) {
					s.add(mark{n, from}, anyCase)
				}
			}
		}
	}
	s.run(next)
	if q.keptMarks += len(s.at); q.kept == nil || q.keptMarks > maxKept {
		q.kept, q.keptMarks = map[facts.Part]map[mark]cases{}, len(s.at)
	}
	q.kept[part] = s.at
	return s.at
}

// exists answers a query. If a limit is exceeded, the answer is no, and exists reports once that lint
// does not follow the program.
func (q *queries) exists(addr int64, answer bool) bool {
	if !q.exhausted() {
		return answer
	}
	if !q.warned {
		q.report(addr, diag.NotFollowed, "", "conditions combine in too many ways from here: lint reports no further warning about this program that depends on paths")
	}
	q.warned = true
	return false
}

// reaches reports whether some path through the program takes path k of a node, or any path if k is -1.
func (q *queries) reaches(n *node, k int) bool {
	c := q.before(noPart)[mark{n, noPart}]
	if k >= 0 {
		c = q.and(c, q.edges[n][k].taken)
	}
	return q.exists(n.addr, c != noCase)
}

// readsUnwritten reports whether a node reads a part that is unwritten on some path, and uses the value.
func (q *queries) readsUnwritten(n *node, part facts.Part) bool {
	m := mark{n, part}
	s := q.newSpread()
	found := s.along(m, q.before(part)[m], func(m mark, k int, visit visit) bool { return q.uses(m.n, k, m.part, true, visit) }) ||
		s.run(func(m mark, k int, visit visit) bool { return q.uses(m.n, k, m.part, false, visit) })
	return q.exists(n.addr, found)
}

// exportsUnwritten reports whether one of the nodes exports a part that is unwritten on some path.
func (q *queries) exportsUnwritten(addr int64, nodes []*node, part facts.Part) bool {
	found := false
	before := q.before(part)
	for from := range q.sourcesOf(part) {
		for _, n := range nodes {
			m := mark{n, from}
			found = found || q.newSpread().along(m, before[m], func(m mark, k int, visit visit) (done bool) {
				if n.flushes {
					return from == part
				}
				q.passUnwritten(n, k, from, func(p facts.Part) { done = done || n.ways[k].Ends && p == part })
				return done
			})
		}
	}
	return q.exists(addr, found)
}

// writesTwice reports whether a node writes a part that some path has written since the last export of
// the outputs.
func (q *queries) writesTwice(n *node, part facts.Part) bool {
	s := q.newSpread()
	for x, c := range q.before(noPart) {
		s.along(x, c, func(m mark, k int, visit visit) bool {
			if c, ok := changeOf(&m.n.ways[k], part); ok && !q.moves(*c) && !m.n.flushes {
				visit(noPart)
			}
			return false
		})
	}
	return q.exists(n.addr, s.run(func(m mark, k int, visit visit) bool {
		if !m.n.flushes {
			visit(noPart)
		}
		return m.n == n
	}))
}

// changeOf returns what happens to a part on a path of a node.
func changeOf(w *facts.Way, p facts.Part) (*facts.Change, bool) {
	i, ok := slices.BinarySearchFunc(w.Changes, p, func(c facts.Change, p facts.Part) int { return int(c.Part - p) })
	if !ok {
		return nil, false
	}
	return &w.Changes[i], true
}

// sourcesOf returns a part and the parts from which it may get an unwritten value.
func (q *queries) sourcesOf(part facts.Part) map[facts.Part]bool {
	if q.handed == nil {
		q.handed = map[facts.Part]map[facts.Part]bool{}
		for _, n := range q.order {
			for i := range n.ways {
				for _, c := range n.ways[i].Changes {
					q.hands(n, c, func(p facts.Part) {
						if q.handed[c.Part] == nil {
							q.handed[c.Part] = map[facts.Part]bool{}
						}
						q.handed[c.Part][p] = true
					})
				}
			}
		}
	}
	all := map[facts.Part]bool{part: true}
	for open := []facts.Part{part}; len(open) > 0; {
		p := open[0]
		open = open[1:]
		for from := range q.handed[p] {
			if !all[from] {
				all[from] = true
				open = append(open, from)
			}
		}
	}
	return all
}

// hands calls do for each part whose unwritten value a change hands on.
func (q *queries) hands(n *node, c facts.Change, do func(p facts.Part)) {
	if q.moves(c) {
		do(c.From[0])
		return
	}
	for _, p := range c.From {
		if q.states[c.Part].Carries && n.carried.has(p) {
			do(p)
		}
	}
}

// passUnwritten calls visit for each part that has an unwritten value after path k of a node, if the
// given part has one before.
func (q *queries) passUnwritten(n *node, k int, part facts.Part, visit visit) {
	w := &n.ways[k]
	if c, ok := changeOf(w, part); !ok || c.Indexed && !q.moves(*c) {
		visit(part)
	}
	for _, c := range w.Changes {
		q.hands(n, c, func(p facts.Part) {
			if p == part {
				visit(c.Part)
			}
		})
	}
}

// uses reports whether path k of a node uses the value of a part for more than registers. It calls visit
// for each part that depends on the value after the path and is live. read means that the node reads the
// value, so a move does not count.
func (q *queries) uses(n *node, k int, part facts.Part, read bool, visit visit) (used bool) {
	w := &n.ways[k]
	if slices.Contains(w.Uses, part) || slices.Contains(w.Pushed, part) || n.flushes && q.outputParts.has(part) {
		return true
	}
	live := q.liveAfter(n, k)
	depends := func(p facts.Part) {
		if live.has(p) {
			used = used || w.Ends || len(n.targets[k]) == 0
			visit(p)
		}
	}
	if c, ok := changeOf(w, part); !read && (!ok || c.Weak) {
		depends(part)
	}
	for _, c := range w.Changes {
		if slices.Contains(c.From, part) && !(read && q.moves(c)) {
			depends(c.Part)
		}
	}
	return used
}
