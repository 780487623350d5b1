package isa

import (
	mathbits "math/bits"
	"slices"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
)

// tree finds the leaves that may match a word. It branches on bits that distinguish leaves. The caller
// checks all bits of a candidate.
type tree struct {
	root *treeNode
	// first means that the first matching candidate is the result. It is true for strict descriptions:
	// two of their leaves match the same word only if one refines the other, and the refining leaf
	// comes first.
	first bool
	// requires reports, by Leaf.ID, whether a leaf has requirements.
	requires []bool
	// flat means that the root is still a list of all leaves. asked counts the searches of that list.
	flat  bool
	asked atomic.Int32
}

// maxAsked is the number of linear searches before the tree is built. Building the tree takes as long
// as several hundred searches.
const maxAsked = 100

type treeNode struct {
	// key reads the bits that index next. next is nil for a node without a key, and an element of next
	// is nil if no leaf matches.
	key  key
	next []*treeNode
	// leaves are the candidates of a node without a key.
	leaves []*model.Leaf
}

// Lists of up to fewLeaves candidates are searched linearly. A node reads at most maxAskedBits bits in
// at most maxRuns runs. Each bit must reduce the expected number of candidates to less than worthIt
// times the previous number. On average, a leaf may be in at most maxCopies lists.
const (
	fewLeaves    = 2
	maxAskedBits = 11
	maxRuns      = 4
	worthIt      = 0.97
	maxCopies    = 4
	// maxGrowth limits the work of building a tree. The unit of work is one check of whether a bit
	// distinguishes a candidate. When the limit is reached, the lists that are still undivided are
	// searched linearly.
	maxGrowth = 1 << 26
)

// newTree returns a tree whose only node lists all leaves of a root.
func newTree(r *model.Root, strict bool) *tree {
	leaves := slices.Clone(r.Leaves)
	narrowFirst(leaves)
	t := &tree{root: &treeNode{leaves: leaves}, first: strict, flat: len(leaves) > fewLeaves}
	for _, l := range r.Leaves {
		t.requires = append(t.requires, conditional(l))
	}
	return t
}

// grown returns the full tree for words of size bits.
func (t *tree) grown(size int) *tree {
	return &tree{root: grow(t.root.leaves, bits.Value{}, size, maxGrowth), first: t.first, requires: t.requires}
}

func conditional(l *model.Leaf) bool {
	for b := l.Spec; b != nil; b = b.Extends {
		if len(b.Requires) > 0 {
			return true
		}
	}
	return false
}

// narrowFirst moves each leaf before the leaves that it refines. It otherwise keeps the order.
func narrowFirst(leaves []*model.Leaf) {
	for i := 1; i < len(leaves); i++ {
		l := leaves[i]
		if len(l.Refines) == 0 {
			continue
		}
		for j := range i {
			if !slices.Contains(l.Refines, leaves[j]) {
				continue
			}
			copy(leaves[j+1:i+1], leaves[j:i])
			leaves[j] = l
			break
		}
	}
}

// grow builds the node for a list of candidates. size is the number of bits in a word. used contains the
// bits that the nodes above read. left limits the work. The nodes below share the remaining work in
// proportion to their numbers of candidates.
func grow(leaves []*model.Leaf, used bits.Value, size, left int) *treeNode {
	n := &treeNode{leaves: leaves}
	mask, asked := ask(leaves, used, size, &left)
	if asked == 0 {
		return n
	}
	g := dependencies{}
	g.masks[0] = mask
	n.key, _ = g.key(bits.Size)
	n.leaves = nil
	buckets, entries := make([][]*model.Leaf, 1<<asked), 0
	for _, l := range leaves {
		match, free := n.key.from(&sources{&l.Match}), n.key.from(&sources{&l.Mask})^(1<<asked-1)
		for sub := free; ; sub = (sub - 1) & free {
			buckets[match|sub] = append(buckets[match|sub], l)
			entries++
			if sub == 0 {
				break
			}
		}
	}
	n.next = make([]*treeNode, len(buckets))
	for i, b := range buckets {
		if len(b) > 0 {
			n.next[i] = grow(b, used.Or(mask), size, left/entries*len(b))
		}
	}
	return n
}

// ask chooses bits one by one. Each choice minimizes the expected number of candidates under the
// assumption that all leaves are equally frequent. It returns the bits and their number, which is 0 if
// no bit helps. It subtracts its work from left.
func ask(leaves []*model.Leaf, used bits.Value, size int, left *int) (mask bits.Value, asked int) {
	if len(leaves) <= fewLeaves {
		return mask, 0
	}
	lists := [][]share{nil}
	var fixed [bits.Size]int // the number of leaves that fix each bit
	for _, l := range leaves {
		lists[0] = append(lists[0], share{&l.Mask, &l.Match, 1})
		for m := l.Mask.AndNot(used); !m.IsZero(); {
			i := m.TrailingZeros()
			fixed[i]++
			m.SetUint(i, 1, 0)
		}
	}
	least := float64(len(leaves) * len(leaves))
	for ; asked < maxAskedBits && 1<<asked < 8*len(leaves) && *left > 0; asked++ {
		best, cost := -1, least*worthIt
		for i := range size {
			if fixed[i] <= len(leaves)/8 || mask.Uint(i, 1) != 0 || runs(mask, i) > maxRuns {
				continue
			}
			var x float64
			entries := 0
			for _, list := range lists {
				c, n := divided(list, i)
				x += c
				entries += n
				*left -= len(list)
			}
			if x < cost && entries <= maxCopies*len(leaves) {
				best, cost = i, x
			}
		}
		if best < 0 {
			break
		}
		mask.SetUint(best, 1, 1)
		lists, least = divide(lists, best), cost
	}
	return mask, asked
}

// runs returns the number of runs of ones in a mask after setting bit.
func runs(mask bits.Value, bit int) (n int) {
	mask.SetUint(bit, 1, 1)
	for _, limb := range mask {
		n += mathbits.OnesCount64(limb &^ (limb << 1))
	}
	return n
}

// share is a leaf in a list of candidates. of is the fraction of the leaf's words that lead to the
// list.
type share struct {
	mask, match *bits.Value
	of          float64
}

// divided returns the cost and the length of the two lists into which a bit divides one list. The cost
// is the expected number of candidates, multiplied by the number of leaves.
func divided(list []share, bit int) (cost float64, entries int) {
	limb, at := bit>>6&3, uint(bit&63)
	var of [2]float64
	var n [2]int
	for i := range list {
		x := &list[i]
		if x.mask[limb]>>at&1 != 0 {
			value := x.match[limb] >> at & 1
			of[value] += x.of
			n[value]++
			continue
		}
		of[0] += float64(x.of / 2)
		of[1] += float64(x.of / 2)
		n[0]++
		n[1]++
	}
	return float64(of[0]*float64(n[0])) + float64(of[1]*float64(n[1])), n[0] + n[1]
}

// divide divides each list by the value of a bit.
func divide(lists [][]share, bit int) (out [][]share) {
	for _, list := range lists {
		var parts [2][]share
		for _, x := range list {
			if x.mask.Uint(bit, 1) != 0 {
				value := x.match.Uint(bit, 1)
				parts[value] = append(parts[value], x)
				continue
			}
			x.of /= 2
			parts[0], parts[1] = append(parts[0], x), append(parts[1], x)
		}
		for _, part := range parts {
			if len(part) > 0 {
				out = append(out, part)
			}
		}
	}
	return out
}

// lookup returns the leaves that may match, in the order in which to try them.
func (t *tree) lookup(v *bits.Value) []*model.Leaf {
	n, word := t.root, sources{v}
	for n.next != nil {
		if n = n.next[n.key.from(&word)]; n == nil {
			return nil
		}
	}
	return n.leaves
}

// matches reports whether all fixed bits of a leaf match.
func matches(l *model.Leaf, v *bits.Value) bool {
	if l.Size <= 64 {
		return v[0]&l.Mask[0] == l.Match[0]
	}
	return v[0]&l.Mask[0] == l.Match[0] && v[1]&l.Mask[1] == l.Match[1] &&
		v[2]&l.Mask[2] == l.Match[2] && v[3]&l.Mask[3] == l.Match[3]
}
