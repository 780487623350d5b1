package gen

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
)

// matching returns the function that finds the leaf of a value.
func (l *lowering) matching(env *model.Env) *Func {
	if f := l.match[env]; f != nil {
		return f
	}
	root := l.p.Roots[env.Root.ID]
	var list []candidate
	f := &Func{Kind: Match, Root: root, Doc: env.Root.Name}
	for _, x := range env.Root.Leaves {
		c := candidate{leaf: x, out: Candidate{Leaf: l.leaves[x.Spec], Mask: x.Mask, Match: x.Match}}
		for _, p := range l.requires(env, x) {
			e := l.prog(p, 0)
			if e.Kind == Const && e.Value != 0 {
				continue
			}
			c.out.Requires = append(c.out.Requires, e)
			f.Effects = f.Effects || e.Effects
		}
		if !x.DontCare.IsZero() {
			l.p.Uses.DontCare = true
		}
		list = append(list, c)
	}
	if !l.p.Mesa {
		narrowFirst(list)
	}
	if l.p.Mesa {
		l.byName(list)
	}
	g := grower{strict: l.p.ISA.Strict, size: root.Size, l: l, at: env.Root.Spec.Span, all: len(list)}
	f.Tree = g.grow(list, Bits{})
	l.p.Uses.Conflict = l.p.Uses.Conflict || g.conflict
	f = l.add(f, "match_"+root.Name)
	l.match[env] = f
	return f
}

// byName puts leaves where the first of their name stands, in any generation: Mesa's tools find them in that order, which
// a conflict shows.
func (l *lowering) byName(list []candidate) {
	first := map[string]int{}
	for i, b := range l.p.ISA.Bitsets {
		if _, ok := first[b.Name]; !ok {
			first[b.Name] = i
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return first[a.leaf.Name] - first[b.leaf.Name] })
}

// requires returns the conditions under which a leaf exists, of which Mesa's tools know nothing.
func (l *lowering) requires(env *model.Env, x *model.Leaf) []*model.Prog {
	if l.p.Mesa {
		return nil
	}
	for b := x.Spec; b != nil; b = b.Extends {
		if len(b.Requires) > 0 {
			return env.Bound(x).Requires
		}
	}
	return nil
}

type candidate struct {
	leaf *model.Leaf
	out  Candidate
}

// narrowFirst moves each leaf before those that it refines, keeping the order otherwise, and tells these of it.
func narrowFirst(list []candidate) {
	for i := 1; i < len(list); i++ {
		c := list[i]
		j := slices.IndexFunc(list[:i], func(o candidate) bool { return slices.Contains(c.leaf.Refines, o.leaf) })
		if j >= 0 {
			copy(list[j+1:i+1], list[j:i])
			list[j] = c
		}
	}
	for i := range list {
		for _, o := range list[:i] {
			if slices.Contains(o.leaf.Refines, list[i].leaf) {
				list[i].out.Refined = append(list[i].out.Refined, o.out.Leaf)
			}
		}
	}
}

// grower builds a tree of tables. Each looks at the runs of bits that tell most leaves apart.
type grower struct {
	strict   bool
	size     int
	conflict bool
	l        *lowering
	// at is where the root stands, of so many leaves; work counts the comparisons with a leaf.
	at        diag.Span
	all, work int
}

// spend counts work, and ends it where it is too much or the context is cancelled.
func (g *grower) spend(work int) {
	if g.work += work; g.work > MaxGrowth {
		refuse(g.at, "distinguishing its %d leaves needs more than %d comparisons", g.all, MaxGrowth)
	}
}

const (
	fewCandidates = 2
	// widestRun and widestTable are numbers of bits, of a run and of all runs of a table.
	widestRun, widestTable = 10, 12
	// firstRuns and laterRuns are the numbers of runs at which the first table looks and those behind it.
	firstRuns, laterRuns = 5, 1
	// copies bounds how often each leaf is in a table.
	copies = 32
	// MaxGrowth bounds the comparisons that make the trees of a root; a leaf in a table counts as entryCost of them.
	MaxGrowth, entryCost = 1 << 29, 256
)

// grow builds the tree for candidates of which the bits in known are verified.
func (g *grower) grow(list []candidate, known Bits) *Tree {
	if err := g.l.ctx.Err(); err != nil {
		panic(refusal{err})
	}
	t := &Tree{First: g.strict || apart(list)}
	if len(list) > fewCandidates {
		if runs := g.runs(list, known); len(runs) > 0 {
			for _, r := range runs {
				known = known.Or(bits.Range(r.Low, r.Width))
			}
			g.branch(t, list, known, runs)
			return t
		}
	}
	for _, c := range list {
		c.out.Mask, c.out.Match = c.out.Mask.AndNot(known), c.out.Match.AndNot(known)
		t.Leaves = append(t.Leaves, c.out)
		if t.First && c.out.Mask.IsZero() && len(c.out.Requires) == 0 {
			break // those behind it are never tried
		}
	}
	g.conflict = g.conflict || !t.First
	return t
}

// take returns the bits of some runs side by side, the first run's lowest.
func take(v *Bits, runs []bits.Part) (x uint64) {
	at := 0
	for _, r := range runs {
		x |= v.Uint(r.Low, r.Width) << at
		at += r.Width
	}
	return x
}

func width(runs []bits.Part) (n int) {
	for _, r := range runs {
		n += r.Width
	}
	return n
}

// Width returns the number of bits at which the tree looks first.
func (t *Tree) Width() int { return width(t.Runs) }

// Bits returns where these bits are.
func (t *Tree) Bits() *Source {
	s := &Source{Parts: slices.Clone(t.Runs), Width: t.Width()}
	slices.Reverse(s.Parts)
	return s
}

// branch makes a table of some bits. Values that lead to the same leaves share a subtree.
func (g *grower) branch(t *Tree, list []candidate, known Bits, runs []bits.Part) {
	t.Runs = runs
	buckets := map[string]int{}
	var members [][]candidate
	for v := range uint64(1) << width(runs) {
		g.spend(len(list))
		var in []candidate
		key := make([]byte, 0, 64)
		for i, c := range list {
			if v&take(&c.leaf.Mask, runs) == take(&c.leaf.Match, runs) {
				in = append(in, c)
				key = append(key, byte(i), byte(i>>8))
			}
		}
		if len(in) == 0 {
			continue
		}
		g.spend(entryCost * len(in))
		n, ok := buckets[string(key)]
		if !ok {
			n = len(members)
			buckets[string(key)] = n
			members = append(members, in)
			t.Next = append(t.Next, Branch{})
		}
		t.Next[n].Values = append(t.Next[n].Values, v)
	}
	for i, in := range members {
		t.Next[i].Tree = g.grow(in, known)
	}
}

// apart reports whether no two of the candidates match one word.
func apart(list []candidate) bool {
	for i, a := range list {
		for _, b := range list[:i] {
			both := a.leaf.Mask.And(b.leaf.Mask)
			if a.leaf.Match.And(both) == b.leaf.Match.And(both) {
				return false
			}
		}
	}
	return true
}

// runs returns the runs of bits, each in one limb, that leave the fewest candidates together, one found after the
// other; none if none tells any apart.
func (g *grower) runs(list []candidate, known Bits) (runs []bits.Part) {
	best := len(list)
	mostRuns := laterRuns
	if known.IsZero() {
		mostRuns = firstRuns
	}
	for len(runs) < mostRuns && best > fewCandidates {
		run, most := g.run(list, known, runs, best)
		if run.Width == 0 {
			break
		}
		runs, best = append(runs, run), most
		known = known.Or(bits.Range(run.Low, run.Width))
	}
	return runs
}

// run returns the run that leaves the fewest candidates beside others, which leave best; Width 0 if none leaves fewer.
func (g *grower) run(list []candidate, known Bits, runs []bits.Part, best int) (run bits.Part, most int) {
	before := width(runs)
	for w := 1; w <= widestRun && w+before <= widestTable && 1<<(w+before) <= 32*len(list); w++ {
		for lo := 0; lo+w <= g.size; lo++ {
			if lo/64 != (lo+w-1)/64 || known.Uint(lo, w) != 0 {
				continue
			}
			r := bits.Part{Low: lo, Width: w}
			if n := g.largest(list, append(runs[:len(runs):len(runs)], r), best); n < best {
				best, run = n, r
			}
		}
	}
	return run, best
}

// largest returns the number of candidates behind the value that has the most of them, or limit if that is no fewer or
// leaves are behind too many values.
func (g *grower) largest(list []candidate, runs []bits.Part, limit int) int {
	var count [1 << widestTable]uint16
	total, most := 0, 0
	defer func() { g.spend(total + 1) }()
	for i := range list {
		mask, match := take(&list[i].leaf.Mask, runs), take(&list[i].leaf.Match, runs)
		free := ^mask & ones(width(runs))
		for sub := free; ; sub = (sub - 1) & free {
			n := match | sub
			count[n]++
			most = max(most, int(count[n]))
			if total++; most >= limit || total > copies*len(list) {
				return limit
			}
			if sub == 0 {
				break
			}
		}
	}
	return most
}
