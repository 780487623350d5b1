package lint

import (
	"fmt"
	"slices"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
)

// A query asks whether some path through the program has a property, such as a read of a register
// before any write. A path on which a condition both holds and does not hold, although nothing changes
// it in between, does not count. To track all conditions would take too long. So a query starts with no
// conditions, and starts again with one more if the path that it finds contradicts itself.

// mark is a place on a path and the part that the query follows there. ahead means that the path already
// has passed the instruction that the query is about.
type mark struct {
	n     *node
	part  facts.Part
	ahead bool
}

// noPart is the part of a mark of a query that follows none.
const noPart facts.Part = -1

// Limits of a query. maxTracked limits the conditions that it tracks, two bits for each. maxMarks limits
// the marks that it visits. maxVisits limits the marks that all queries about a program visit, and
// maxKept the marks that are kept for other queries.
const (
	maxTracked = 16
	maxMarks   = 1 << 16
	maxVisits  = 1 << 21
	maxKept    = 1 << 18
)

// visit is a mark with what is known of the tracked conditions there. from is the index of the visit
// before it, or -1, and over the path between them.
type visit struct {
	mark
	values uint32
	from   int
	over   edge
}

// edge is a path of a node and the index of one of the alternatives of its conditions.
type edge struct {
	way         *facts.Way
	alternative int
}

func (e edge) conditions() []facts.Condition { return e.way.Conditions[e.alternative] }

// visits are the visits of a query or of its first part, in the order in which they were found.
type visits struct {
	l       *linter
	tracked []facts.Condition
	list    []visit
	seen    map[visit]bool
	at      map[*node][]int // the indices of the visits to a node
	ahead   bool            // the visits follow the instruction that the query is about
	full    bool            // a limit is exceeded
}

func (l *linter) newVisits(tracked []facts.Condition) *visits {
	return &visits{l: l, tracked: tracked, seen: map[visit]bool{}, at: map[*node][]int{}}
}

func (s *visits) add(v visit) {
	key := visit{mark: v.mark, values: v.values}
	if s.full || s.seen[key] {
		return
	}
	s.l.visited++
	s.full = len(s.list) == maxMarks || s.l.visited > maxVisits
	s.seen[key] = true
	s.at[v.n] = append(s.at[v.n], len(s.list))
	s.list = append(s.list, v)
}

// run continues all paths. next calls visit for each part that the query follows after path k of a
// mark's node, and reports whether the path now has the property. run returns the index of the last visit
// of such a path and the rest of it, or -1.
func (s *visits) run(next func(m mark, k int, visit func(part facts.Part)) bool) (last int, over edge) {
	for i := 0; i < len(s.list) && !s.full; i++ {
		v := s.list[i]
		for k := range v.n.ways {
			w := &v.n.ways[k]
			for a := range w.Conditions {
				over := edge{w, a}
				values, possible := follow(s.tracked, v.values, over)
				if possible && next(v.mark, k, func(part facts.Part) {
					for _, to := range v.n.targets[k] {
						s.add(visit{mark{to, part, s.ahead}, values, i, over})
					}
				}) {
					return i, over
				}
			}
		}
	}
	return -1, edge{}
}

// before returns the path to a visit, from its last part to its first, and the index of its first visit.
func (s *visits) before(i int) (path []edge, first int) {
	for ; s.list[i].from >= 0; i = s.list[i].from {
		path = append(path, s.list[i].over)
	}
	return path, i
}

// start returns the visits to all places that paths reach on which a part is unwritten, or to all places
// for noPart.
func (l *linter) start(part facts.Part, tracked []facts.Condition) *visits {
	key := fmt.Sprint(part)
	for _, c := range tracked {
		key += " " + c.Key
	}
	if s := l.kept[key]; s != nil {
		return s
	}
	s := l.newVisits(tracked)
	if part == noPart {
		for _, n := range l.starts {
			s.add(visit{mark: mark{n: n, part: noPart}, from: -1})
		}
		s.run(func(m mark, k int, visit func(facts.Part)) bool { visit(noPart); return false })
	} else {
		for from := range l.sourcesOf(part) {
			for _, n := range l.starts {
				if !n.mustIn.has(from) {
					s.add(visit{mark: mark{n: n, part: from}, from: -1})
				}
			}
		}
		s.run(func(m mark, k int, visit func(facts.Part)) bool { l.passUnwritten(m.n, k, m.part, visit); return false })
	}
	l.keep(key, s)
	return s
}

func (l *linter) keep(key string, s *visits) {
	if l.keptMarks += len(s.list); l.kept == nil || l.keptMarks > maxKept {
		l.kept, l.keptMarks = map[string]*visits{}, len(s.list)
	}
	l.kept[key] = s
}

// exists reports whether some path has a property. The first part of the path leads to one of the nodes,
// with the part unwritten unless it is noPart. There begin takes over, and continues the path as run does.
// If the query exceeds a limit, exists reports false, and a warning that the program is not followed.
func (l *linter) exists(addr int64, part facts.Part, nodes []*node, begin func(m mark, k int, visit func(part facts.Part)) bool) bool {
	var tracked []facts.Condition
	for len(tracked) <= maxTracked {
		first := l.start(part, tracked)
		rest := l.newVisits(tracked)
		rest.ahead = true
		var from []int
		for _, n := range nodes {
			for _, i := range first.at[n] {
				v := first.list[i]
				if rest.add(visit{mark: v.mark, values: v.values, from: -1}); len(rest.list) > len(from) {
					from = append(from, i)
				}
			}
		}
		i, over := rest.run(begin)
		if i < 0 {
			if first.full || rest.full {
				break
			}
			return false
		}
		path := []edge{over}
		more, at := rest.before(i)
		path = append(path, more...)
		more, _ = first.before(from[at])
		path = append(path, more...)
		slices.Reverse(path)
		clash := contradiction(path)
		if clash == nil {
			return true
		}
		tracked = append(tracked, *clash)
	}
	l.report(addr, diag.NotFollowed, "conditions", "there are too many paths to here: lint does not report warnings about this instruction that depend on conditions")
	return false
}

// follow returns what is known of the tracked conditions after an edge. It uses two bits for
// each condition: 0 for unknown, 2 for one that does not hold, 3 for one that holds. possible is false
// if the edge contradicts what is known.
func follow(tracked []facts.Condition, values uint32, over edge) (after uint32, possible bool) {
	for i := range tracked {
		c := &tracked[i]
		at := 2 * i
		for _, d := range over.conditions() {
			if d.Key != c.Key {
				continue
			}
			holds := uint32(2)
			if d.Holds {
				holds = 3
			}
			if was := values >> at & 3; was != 0 && was != holds {
				return 0, false
			}
			values |= holds << at
		}
		if changes(over.way, c) {
			values &^= 3 << at
		}
	}
	return values, true
}

// changes reports whether a path of a node may change the value of a condition.
func changes(w *facts.Way, c *facts.Condition) bool {
	return slices.ContainsFunc(c.Parts, func(p facts.Part) bool {
		x, ok := changeOf(w, p)
		return ok && !(x.Copies && x.From[0] == p)
	})
}

// changeOf returns what happens to a part on a path of a node.
func changeOf(w *facts.Way, p facts.Part) (*facts.Change, bool) {
	i, ok := slices.BinarySearchFunc(w.Changes, p, func(c facts.Change, p facts.Part) int { return int(c.Part - p) })
	if !ok {
		return nil, false
	}
	return &w.Changes[i], true
}

// contradiction returns the first condition that a path requires to hold and not to hold, or nil.
func contradiction(path []edge) *facts.Condition {
	known := map[string]facts.Condition{}
	for _, e := range path {
		for _, c := range e.conditions() {
			if was, ok := known[c.Key]; ok && was.Holds != c.Holds {
				return &c
			}
			known[c.Key] = c
		}
		for key, c := range known {
			if changes(e.way, &c) {
				delete(known, key)
			}
		}
	}
	return nil
}

// reaches reports whether some path through the program takes path k of a node, or any path if k is -1.
func (l *linter) reaches(n *node, k int) bool {
	return l.exists(n.addr, noPart, []*node{n}, func(m mark, i int, visit func(facts.Part)) bool { return i == k || k < 0 })
}

// readsUnwritten reports whether a node reads a part that is unwritten on some path, and uses the value.
func (l *linter) readsUnwritten(n *node, part facts.Part) bool {
	return l.exists(n.addr, part, []*node{n}, func(m mark, k int, visit func(facts.Part)) bool {
		return (m.ahead || m.part == part) && l.uses(m.n, k, m.part, !m.ahead, visit)
	})
}

// exportsUnwritten reports whether one of the nodes exports a part that is unwritten on some path.
func (l *linter) exportsUnwritten(addr int64, nodes []*node, part facts.Part) bool {
	return l.exists(addr, part, nodes, func(m mark, k int, visit func(facts.Part)) (done bool) {
		if m.n.flushes {
			return m.part == part
		}
		l.passUnwritten(m.n, k, m.part, func(p facts.Part) { done = done || m.n.ways[k].Ends && p == part })
		return done
	})
}

// writesTwice reports whether a node writes a part that some path has written since the last export of
// the outputs.
func (l *linter) writesTwice(n *node, part facts.Part) bool {
	writes := func(n *node, k int) bool {
		c, ok := changeOf(&n.ways[k], part)
		return ok && !l.moves(*c) && !n.flushes
	}
	var nodes []*node
	for _, x := range l.order {
		for k := range x.ways {
			if writes(x, k) {
				nodes = append(nodes, x)
				break
			}
		}
	}
	return l.exists(n.addr, noPart, nodes, func(m mark, k int, visit func(facts.Part)) bool {
		switch {
		case !m.ahead && !writes(m.n, k) || m.ahead && m.n.flushes:
		case m.ahead && m.n == n:
			return true
		default:
			visit(noPart)
		}
		return false
	})
}

// sourcesOf returns a part and the parts from which it may get an unwritten value.
func (l *linter) sourcesOf(part facts.Part) map[facts.Part]bool {
	if l.handed == nil {
		l.handed = map[facts.Part]map[facts.Part]bool{}
		for _, n := range l.order {
			for i := range n.ways {
				for _, c := range n.ways[i].Changes {
					l.hands(n, c, func(p facts.Part) {
						if l.handed[c.Part] == nil {
							l.handed[c.Part] = map[facts.Part]bool{}
						}
						l.handed[c.Part][p] = true
					})
				}
			}
		}
	}
	all := map[facts.Part]bool{part: true}
	for open := []facts.Part{part}; len(open) > 0; {
		p := open[0]
		open = open[1:]
		for q := range l.handed[p] {
			if !all[q] {
				all[q] = true
				open = append(open, q)
			}
		}
	}
	return all
}

// hands calls do for each part whose unwritten value a change hands on.
func (l *linter) hands(n *node, c facts.Change, do func(p facts.Part)) {
	if l.moves(c) {
		do(c.From[0])
		return
	}
	for _, p := range c.From {
		if l.states[c.Part].Carries && n.carried.has(p) {
			do(p)
		}
	}
}

// passUnwritten calls visit for each part that has an unwritten value after path k of a node, if the
// given part has one before.
func (l *linter) passUnwritten(n *node, k int, part facts.Part, visit func(part facts.Part)) {
	w := &n.ways[k]
	if c, ok := changeOf(w, part); !ok || c.Indexed && !l.moves(*c) {
		visit(part)
	}
	for _, c := range w.Changes {
		l.hands(n, c, func(p facts.Part) {
			if p == part {
				visit(c.Part)
			}
		})
	}
}

// uses reports whether path k of a node uses the value of a part for more than registers. It calls visit
// for each part that depends on the value after the path and is live. read means that the node reads the
// value, so a move does not count.
func (l *linter) uses(n *node, k int, part facts.Part, read bool, visit func(part facts.Part)) (used bool) {
	w := &n.ways[k]
	if slices.Contains(w.Uses, part) || slices.Contains(w.Pushed, part) || n.flushes && l.outputParts.has(part) {
		return true
	}
	live := l.liveAfter(n, k)
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
		if slices.Contains(c.From, part) && !(read && l.moves(c)) {
			depends(c.Part)
		}
	}
	return used
}
