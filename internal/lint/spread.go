package lint

import "github.com/isago/isago/facts"

// set is a set of components of registers, by their places.
type set []uint64

func (s set) has(p int) bool { return p >= 0 && s[p>>6]>>uint(p&63)&1 != 0 }

func (s set) add(p int) {
	if p >= 0 {
		s[p>>6] |= 1 << uint(p&63)
	}
}

func (s set) remove(p int) {
	if p >= 0 {
		s[p>>6] &^= 1 << uint(p&63)
	}
}

// layOut gives each component of each register a place.
func (l *linter) layOut() {
	l.first = map[*facts.State]int{}
	for _, s := range l.Facts.States() {
		if s.Kind == facts.Registers {
			l.first[s] = l.size
			l.size += s.Count * max(1, len(s.Components))
		}
	}
}

// accesses notes what an instruction reads and writes.
func (l *linter) accesses(in *inst) {
	in.must, in.may = l.newSet(), l.newSet()
	for a := range in.facts.Reads() {
		switch {
		case a.State.Kind != facts.Registers || a.Number < 0 || a.Kept || given(a.State) || l.beyond(a):
		case a.Carried:
			in.carried = append(in.carried, a)
		default:
			in.reads = append(in.reads, a)
		}
	}
	for a := range in.facts.Writes() {
		if a.State.Kind == facts.Registers {
			l.writes(in, a)
		}
	}
}

// given reports whether a register holds something before the program writes it.
func given(s *facts.State) bool {
	return s.Defined || s.Use == "input" || s.Use == "constant" || s.Scope == "block" || s.Scope == "launch"
}

// beyond reports whether a register is behind those that the program was given, and so 0.
func (l *linter) beyond(a facts.Access) bool {
	if l.Counted == nil {
		return false
	}
	n := l.Counted.Count(a.State.Name)
	return n > 0 && a.Number >= n
}

func (l *linter) newSet() set { return make(set, (l.size+63)/64) }

// place is that of a component of a register, -1 for none.
func (l *linter) place(s *facts.State, number, comp int) int {
	n := max(1, len(s.Components))
	if comp >= n || number >= s.Count {
		return -1
	}
	return l.first[s] + number*n + comp
}

func (l *linter) writes(in *inst, a facts.Access) {
	if a.State.Carries {
		in.carries = append(in.carries, a)
	}
	from, to := a.Number, a.Number+1
	if a.Number < 0 {
		from, to = 0, a.State.Count
	}
	for n := from; n < to; n++ {
		for k := range max(1, len(a.State.Components)) {
			if a.Mask>>uint(k)&1 == 0 {
				continue
			}
			p := l.place(a.State, n, k)
			in.may.add(p)
			if a.Number >= 0 { // what a predicate leaves out is no way of its own
				in.must.add(p)
			}
		}
	}
}

// spread finds what is written before each instruction: on all ways to it, and on some.
func (l *linter) spread() {
	var open []*node
	for _, n := range l.starts {
		n.mustIn, n.mayIn, n.onceIn, n.known = l.newSet(), l.newSet(), l.newSet(), true
		l.give(n)
		open = append(open, n)
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		for _, to := range n.to {
			if l.join(n, to) {
				open = append(open, to)
			}
		}
	}
}

// give notes what registers hold when the program starts.
func (l *linter) give(n *node) {
	for _, s := range l.Facts.States() {
		for p := range s.Given * max(1, len(s.Components)) {
			n.mustIn.add(l.first[s] + p)
			n.mayIn.add(l.first[s] + p)
		}
	}
}

// behind returns what is written behind a node: on all ways, and on some. A register that carries what nobody wrote is
// as unwritten as that.
func (l *linter) behind(n *node) (must, may set) {
	must, may = l.newSet(), l.newSet()
	for i := range must {
		must[i], may[i] = n.mustIn[i]|n.must[i], n.mayIn[i]|n.may[i]
	}
	for _, a := range n.carried {
		for k := range 64 {
			if a.Mask>>uint(k)&1 == 0 {
				continue
			}
			p := l.place(a.State, a.Number, k)
			l.lose(n, !n.mustIn.has(p), must)
			l.lose(n, !n.mayIn.has(p), may)
		}
	}
	return must, may
}

// lose takes the registers that a node's instruction hands something on in out of a set.
func (l *linter) lose(n *node, unwritten bool, s set) {
	for _, a := range n.carries {
		if unwritten && a.Number >= 0 {
			s.remove(l.place(a.State, a.Number, 0))
		}
	}
}

// join tells a node what is written behind one before it, and reports whether that is news.
func (l *linter) join(n, to *node) bool {
	news := !to.known
	if news {
		to.mustIn, to.mayIn, to.onceIn, to.known = l.newSet(), l.newSet(), l.newSet(), true
		for i := range to.mustIn {
			to.mustIn[i] = ^uint64(0)
		}
	}
	mustOut, mayOut := l.behind(n)
	for i := range to.mustIn {
		must, may := to.mustIn[i]&mustOut[i], to.mayIn[i]|mayOut[i]
		once := to.onceIn[i]
		if len(n.facts.Own.Services) == 0 {
			once |= n.onceIn[i] | n.may[i]
		}
		news = news || must != to.mustIn[i] || may != to.mayIn[i] || once != to.onceIn[i]
		to.mustIn[i], to.mayIn[i], to.onceIn[i] = must, may, once
	}
	return news
}
