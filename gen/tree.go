package gen

import (
	"slices"

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
	if l.p.ISA.Strict {
		narrowFirst(list)
	}
	g := grower{strict: l.p.ISA.Strict, size: root.Size}
	f.Tree = g.grow(list, Bits{})
	l.p.Uses.Conflict = l.p.Uses.Conflict || g.conflict
	f = l.add(f, "match_"+root.Name)
	l.match[env] = f
	return f
}

// requires returns the conditions under which a leaf exists.
func (l *lowering) requires(env *model.Env, x *model.Leaf) []*model.Prog {
	for b := x.Spec; b != nil; b = b.Extends {
		if len(b.Requires) > 0 {
			return env.Unit(x).Requires
		}
	}
	return nil
}

type candidate struct {
	leaf *model.Leaf
	out  Candidate
}

// narrowFirst moves each leaf before those that it refines, keeping the order otherwise.
func narrowFirst(list []candidate) {
	for i := 1; i < len(list); i++ {
		c := list[i]
		j := slices.IndexFunc(list[:i], func(o candidate) bool { return slices.Contains(c.leaf.Refines, o.leaf) })
		if j >= 0 {
			copy(list[j+1:i+1], list[j:i])
			list[j] = c
		}
	}
}

// grower builds a tree of switches. They are as wide as tells most leaves apart, since compilers make tables of
// them.
type grower struct {
	strict   bool
	size     int
	conflict bool
}

const (
	fewCandidates = 2
	widestSwitch  = 8
)

// grow builds the tree for candidates of which the bits in known are verified.
func (g *grower) grow(list []candidate, known Bits) *Tree {
	t := &Tree{First: g.strict || apart(list)}
	if len(list) > fewCandidates {
		if low, width := g.window(list, known); width > 0 {
			g.branch(t, list, known.Or(maskOf(low, width)), low, width)
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

func maskOf(low, width int) Bits {
	var m Bits
	m.SetUint(low, width, ^uint64(0))
	return m
}

// branch makes a switch of some bits. Values that lead to the same leaves share a subtree.
func (g *grower) branch(t *Tree, list []candidate, known Bits, low, width int) {
	t.Limb, t.Shift, t.Mask = low/64, low%64, ones(width)
	buckets := map[string]int{}
	var members [][]candidate
	for v := range uint64(1) << width {
		var in []candidate
		key := make([]byte, 0, 64)
		for i, c := range list {
			if v&c.leaf.Mask.Uint(low, width) == c.leaf.Match.Uint(low, width) {
				in = append(in, c)
				key = append(key, byte(i), byte(i>>8))
			}
		}
		if len(in) == 0 {
			continue
		}
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

// window returns the run of bits, all in one limb, whose switch leaves the fewest candidates in its largest
// branch, without copying them into many; width 0 if none tells any apart.
func (g *grower) window(list []candidate, known Bits) (low, width int) {
	best := len(list)
	for w := 1; w <= widestSwitch && 1<<w <= 4*len(list); w++ {
		for lo := 0; lo+w <= g.size; lo++ {
			if lo/64 != (lo+w-1)/64 || known.Uint(lo, w) != 0 {
				continue
			}
			if n := largest(list, lo, w, best); n < best {
				best, low, width = n, lo, w
			}
		}
	}
	return low, width
}

// largest returns the number of candidates in the largest branch, or limit if the window is no better or copies
// too much.
func largest(list []candidate, low, width, limit int) int {
	var count [1 << widestSwitch]int
	total, most := 0, 0
	for _, c := range list {
		mask, match := c.leaf.Mask.Uint(low, width), c.leaf.Match.Uint(low, width)
		free := ^mask & ones(width)
		for sub := free; ; sub = (sub - 1) & free {
			i := match | sub
			count[i]++
			most = max(most, count[i])
			if total++; most >= limit || total > 3*len(list) {
				return limit
			}
			if sub == 0 {
				break
			}
		}
	}
	return most
}
