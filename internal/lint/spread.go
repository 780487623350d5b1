package lint

import (
	"maps"
	"slices"

	"github.com/isago/isago/facts"
)

// set is a set of register parts.
type set []uint64

func (s set) has(p facts.Part) bool { return s[p>>6]>>uint(p&63)&1 != 0 }

func (s set) add(p facts.Part) { s[p>>6] |= 1 << uint(p&63) }

func (s set) remove(p facts.Part) { s[p>>6] &^= 1 << uint(p&63) }

// addAll adds the parts of another set. It reports whether s changed.
func (s set) addAll(o set) (news bool) {
	for i := range s {
		news = news || o[i]&^s[i] != 0
		s[i] |= o[i]
	}
	return news
}

func (s set) addParts(list []facts.Part) {
	for _, p := range list {
		s.add(p)
	}
}

func (l *linter) newSet() set { return make(set, (l.Facts.Parts()+63)/64) }

// mapParts records the state to which each part belongs.
func (l *linter) mapParts() {
	l.states = make([]*facts.State, l.Facts.Parts())
	for _, s := range l.Facts.States() {
		for n := range s.Count {
			for k := range max(1, len(s.Components)) {
				if p, ok := l.Facts.Part(s, n, k); ok {
					l.states[p] = s
				}
			}
		}
	}
}

// parts calls do for each part of an access, with its component.
func (l *linter) parts(a facts.Access, do func(p facts.Part, comp int)) {
	for k := range 64 {
		if a.Mask>>uint(k)&1 == 0 {
			continue
		}
		if p, ok := l.Facts.Part(a.State, a.Number, k); ok {
			do(p, k)
		}
	}
}

// recordReads records the reads of an instruction.
func (l *linter) recordReads(in *inst) {
	in.carried = l.newSet()
	for a := range in.facts.Reads() {
		switch {
		case !a.State.Changes() || a.Number < 0 || a.Kept || l.unallocated(a, l.Registers):
		case a.Carried:
			l.parts(a, func(p facts.Part, _ int) { in.carried.add(p) })
		default:
			in.reads = append(in.reads, a)
		}
	}
	in.flushes = in.inst.Leaf.Layout().Flushes != nil
}

// constants holds the known register values at a node. It is immutable.
type constants struct{ of map[facts.Part]uint64 }

// tracks reports whether lint tracks the values of a register. If lanes share a program counter, it
// tracks only the registers of the wave, which decide where control goes.
func (l *linter) tracks(s *facts.State) bool { return !l.Facts.Waves() || s.Scope == "wave" }

// initial returns the register values known at the start of a program. A wave has one lane.
func (l *linter) initial() *constants {
	c := &constants{map[facts.Part]uint64{}}
	for p, s := range l.states {
		first, _ := l.Facts.Part(s, 0, 0)
		given := slices.Contains(s.Given, (p-int(first))/max(1, len(s.Components)))
		switch {
		case !l.tracks(s):
		case s.Lanes && s.Scope == "wave":
			c.of[facts.Part(p)] = 1
		case s.Defined && !s.Lanes && s.Use != "special" && !given:
			c.of[facts.Part(p)] = s.Init
		}
	}
	return c
}

// constantsAfter returns the values that are known after a path of a node.
func (l *linter) constantsAfter(n *node, w *facts.Way) *constants {
	c := n.constants
	out := c
	own := func() {
		if out == c {
			out = &constants{maps.Clone(c.of)}
		}
	}
	for _, x := range w.Changes {
		was, ok := out.of[x.Part]
		switch {
		case !l.tracks(l.states[x.Part]):
		case x.Known && (!ok || was != x.Value):
			own()
			out.of[x.Part] = x.Value
		case !x.Known && ok:
			own()
			delete(out.of, x.Part)
		}
	}
	return out
}

// mergeConstants merges the known values of a predecessor into the node. It reports whether the known
// values of the node changed.
func (l *linter) mergeConstants(n *node, c *constants) bool {
	if n.constants == nil {
		n.constants = c
		return true
	}
	if n.constants == c {
		return false
	}
	out := n.constants
	for p, v := range n.constants.of {
		if w, ok := c.of[p]; !ok || v != w {
			if out == n.constants {
				out = &constants{maps.Clone(n.constants.of)}
			}
			delete(out.of, p)
		}
	}
	if out == n.constants {
		return false
	}
	if n.merges++; n.merges > maxMerges { // dropping values one by one would take too long
		maps.DeleteFunc(out.of, func(p facts.Part, _ uint64) bool { return l.states[p].Scope != "wave" })
	}
	n.constants = out
	return true
}

// maxMerges is the number of merges that may each remove some known values from a node. The next such
// merge removes all known values, except those of the registers of a wave, which decide where control
// goes.
const maxMerges = 16

// propagateWrites computes the parts written before each instruction, on all paths and on some path.
func (l *linter) propagateWrites() {
	var open []*node
	for _, n := range l.starts {
		n.mustIn, n.mayIn, n.onceIn, n.known = l.newSet(), l.newSet(), l.newSet(), true
		l.addGiven(n)
		open = append(open, n)
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		for i := range n.ways {
			must, may, once := l.writtenAfter(n, &n.ways[i])
			for _, to := range n.targets[i] {
				if l.mergeInto(to, must, may, once) {
					open = append(open, to)
				}
			}
		}
	}
}

// addGiven adds the registers that hold a value when the program starts.
func (l *linter) addGiven(n *node) {
	for _, s := range l.Facts.States() {
		for _, k := range s.Given {
			for c := range max(1, len(s.Components)) {
				if p, ok := l.Facts.Part(s, k, c); ok {
					n.mustIn.add(p)
					n.mayIn.add(p)
				}
			}
		}
	}
}

// writtenAfter returns the parts that are written after a path of a node: on all paths to there, on
// some path, and on some path since the last export of the outputs. The target of a move (see moves)
// counts as written only if its source is written. A register that carries an unwritten value counts
// as unwritten. A predicated write counts as a write.
func (l *linter) writtenAfter(n *node, w *facts.Way) (must, may, once set) {
	must, may, once = slices.Clone(n.mustIn), slices.Clone(n.mayIn), slices.Clone(n.onceIn)
	if n.flushes {
		clear(once)
	}
	for _, c := range w.Changes {
		to := l.states[c.Part]
		if l.moves(c) {
			copyBit(must, c.Part, n.mustIn, c.From[0])
			copyBit(may, c.Part, n.mayIn, c.From[0])
			continue
		}
		if !c.Indexed {
			must.add(c.Part)
		}
		may.add(c.Part)
		if to.Once && !n.flushes {
			once.add(c.Part)
		}
		for _, p := range c.From {
			if to.Carries && n.carried.has(p) {
				if !n.mustIn.has(p) {
					must.remove(c.Part)
				}
				if !n.mayIn.has(p) {
					may.remove(c.Part)
				}
			}
		}
	}
	return must, may, once
}

// moves reports whether a change only copies a register with an initial value to another such
// register, as when banks swap. This does not count as a read.
func (l *linter) moves(c facts.Change) bool {
	return c.Copies && c.From[0] != c.Part && l.states[c.Part].Defined && l.states[c.From[0]].Defined
}

func copyBit(to set, p facts.Part, from set, q facts.Part) {
	if from.has(q) {
		to.add(p)
	} else {
		to.remove(p)
	}
}

// mergeInto merges the parts written on one path into a node. It reports whether the node changed.
func (l *linter) mergeInto(to *node, must, may, once set) bool {
	news := !to.known
	if news {
		to.mustIn, to.mayIn, to.onceIn, to.known = slices.Clone(must), l.newSet(), l.newSet(), true
	}
	for i := range must {
		news = news || to.mustIn[i]&^must[i] != 0
		to.mustIn[i] &= must[i]
	}
	news = to.mayIn.addAll(may) || news
	return to.onceIn.addAll(once) || news
}

// propagateLiveness computes the parts that are live before each instruction. A value is live if an
// output, a memory, a condition, a register number or a host callback depends on it. of selects the
// live components of each output.
func (l *linter) propagateLiveness(of func(*Output) uint64) {
	l.setLiveAtEnd(of)
	var open []*node
	for _, n := range l.order {
		n.liveIn, n.needed = l.newSet(), l.newSet()
		open = append(open, n)
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if l.liveBefore(n) {
			open = append(open, n.from...)
		}
	}
}

// setLiveAtEnd computes the output parts and the parts that are live at the end of the program. If the
// outputs are unknown, all parts are live at the end. If instructions export the outputs, no part is
// live at the end. Otherwise the output parts are live.
func (l *linter) setLiveAtEnd(of func(*Output) uint64) {
	l.liveAtEnd, l.outputParts = l.newSet(), l.newSet()
	for i := range l.Outputs {
		o := &l.Outputs[i]
		if s := l.state(o.State); s != nil {
			l.parts(facts.Access{State: s, Number: o.Number, Mask: of(o)}, func(p facts.Part, _ int) { l.outputParts.add(p) })
		}
	}
	switch {
	case l.Emits:
	case len(l.Outputs) > 0:
		l.liveAtEnd = l.outputParts
	default:
		for i := range l.liveAtEnd {
			l.liveAtEnd[i] = ^uint64(0)
		}
	}
}

// liveAfter returns the parts that are live after a path of a node.
func (l *linter) liveAfter(n *node, i int) set {
	w := &n.ways[i]
	switch {
	case w.Stops != "":
		return l.newSet()
	case w.Ends:
		return l.liveAtEnd
	}
	out := l.newSet()
	if len(n.targets[i]) == 0 { // unknown target
		for k := range out {
			out[k] = ^uint64(0)
		}
	}
	for _, to := range n.targets[i] {
		out.addAll(to.liveIn)
	}
	return out
}

// liveBefore computes the parts that are live before a node and the parts that the node needs. It
// reports whether the live parts changed.
func (l *linter) liveBefore(n *node) bool {
	in := l.newSet()
	for i := range n.ways {
		w := &n.ways[i]
		behind := l.liveAfter(n, i)
		for _, c := range w.Changes {
			if !behind.has(c.Part) {
				continue
			}
			in.addParts(c.From)
			if !l.moves(c) {
				n.needed.addParts(c.From)
			}
		}
		for _, c := range w.Changes {
			behind = remove(behind, c)
		}
		n.needed.addParts(w.Uses)
		in.addParts(w.Uses)
		in.addParts(w.Pushed)
		in.addAll(behind)
	}
	if n.flushes {
		in.addAll(l.outputParts)
	}
	return n.liveIn.addAll(in)
}

// remove returns the live parts without the part of a change. If the change is weak, the part stays
// live, because the path may leave the part unchanged.
func remove(s set, c facts.Change) set {
	if c.Weak || !s.has(c.Part) {
		return s
	}
	s = slices.Clone(s)
	s.remove(c.Part)
	return s
}
