package isa

import (
	"slices"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
)

// tree finds the leaves that may match a word. It branches on runs of bits that most leaves fix;
// whoever asks verifies all bits of a candidate.
type tree struct {
	root *treeNode
	// first tells that the first candidate that matches is the one: the description is known to
	// have no overlap but those it declares, and they are sorted the narrower first.
	first bool
	// requires tells which leaves, by ID, exist only under a condition.
	requires []bool
	// flat tells that root is a list of all leaves that could be a tree, and asked how often it was looked through.
	flat  bool
	asked atomic.Int32
}

// maxAsked is how often the list of all leaves is looked through before a tree is made of it, which takes as long as
// several hundred times.
const maxAsked = 100

type treeNode struct {
	// The value of the bits is word[limb]>>shift & mask.
	limb, shift uint8
	mask        uint64
	next        []*treeNode // by that value; nil where nothing matches
	leaves      []*model.Leaf
}

// Candidate lists up to fewLeaves are searched one by one.
const (
	fewLeaves = 3
	maxWindow = 9
)

// newTree returns the tree of a root that is still a list.
func newTree(r *model.Root, strict bool) *tree {
	leaves := slices.Clone(r.Leaves)
	if strict {
		narrowFirst(leaves)
	}
	t := &tree{root: &treeNode{leaves: leaves}, first: strict, flat: len(leaves) > fewLeaves}
	for _, l := range r.Leaves {
		t.requires = append(t.requires, conditional(l))
	}
	return t
}

// grown returns the tree of a list; words are of that size.
func (t *tree) grown(size int) *tree {
	return &tree{root: grow(t.root.leaves, bits.Value{}, size), first: t.first, requires: t.requires}
}

func conditional(l *model.Leaf) bool {
	for b := l.Spec; b != nil; b = b.Extends {
		if len(b.Requires) > 0 {
			return true
		}
	}
	return false
}

// narrowFirst moves each leaf before those that it refines, keeping the order otherwise.
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

func grow(leaves []*model.Leaf, used bits.Value, size int) *treeNode {
	n := &treeNode{leaves: leaves}
	if len(leaves) <= fewLeaves {
		return n
	}
	low, width := chooseWindow(leaves, used, size)
	if width == 0 {
		return n
	}
	n.limb, n.shift, n.mask, _ = runOf(low, width)
	n.next = make([]*treeNode, 1<<width)
	used = used.Or(bits.Range(low, width))
	buckets := split(leaves, low, width)
	for i, b := range buckets {
		if len(b) > 0 {
			n.next[i] = grow(b, used, size)
		}
	}
	n.leaves = nil
	return n
}

// split puts each leaf into every bucket whose bits it accepts.
func split(leaves []*model.Leaf, low, width int) [][]*model.Leaf {
	buckets := make([][]*model.Leaf, 1<<width)
	for _, l := range leaves {
		mask, match := l.Mask.Uint(low, width), l.Match.Uint(low, width)
		for i := range buckets {
			if uint64(i)&mask == match {
				buckets[i] = append(buckets[i], l)
			}
		}
	}
	return buckets
}

// chooseWindow returns the run of unused bits, all in one limb, that leaves the smallest largest bucket without
// copying leaves into many buckets; width 0 if no run tells any leaves apart.
func chooseWindow(leaves []*model.Leaf, used bits.Value, size int) (low, width int) {
	var fixed [bits.Size]int // how many leaves fix a bit
	for _, l := range leaves {
		for m := l.Mask; !m.IsZero(); {
			i := m.Low()
			fixed[i]++
			m.SetUint(i, 1, 0)
		}
	}
	for _, few := range []int{len(leaves) / 8, 0} { // bits that few leaves fix hardly tell them apart
		free := used
		for i := range size {
			if fixed[i] <= few {
				free.SetUint(i, 1, 1)
			}
		}
		if low, width = bestWindow(leaves, free, size); width > 0 {
			break
		}
	}
	return low, width
}

// bestWindow is chooseWindow among all bits but those not to be used.
func bestWindow(leaves []*model.Leaf, used bits.Value, size int) (low, width int) {
	best := len(leaves)
	for w := 1; w <= maxWindow && 1<<w <= 4*len(leaves); w++ {
		for lo := 0; lo+w <= size; lo++ {
			if _, _, _, whole := runOf(lo, w); !whole || used.Uint(lo, w) != 0 {
				continue
			}
			if n := largestBucket(leaves, lo, w, best); n < best {
				best, low, width = n, lo, w
			}
		}
	}
	return low, width
}

// largestBucket returns the size of the largest bucket, or limit if the window is no better than
// that or copies too much.
func largestBucket(leaves []*model.Leaf, low, width, limit int) int {
	var count [1 << maxWindow]int
	total, largest := 0, 0
	for _, l := range leaves {
		mask, match := l.Mask.Uint(low, width), l.Match.Uint(low, width)
		free := ^mask & (1<<width - 1)
		for sub := free; ; sub = (sub - 1) & free {
			i := match | sub
			count[i]++
			largest = max(largest, count[i])
			if total++; largest >= limit || total > 3*len(leaves) {
				return limit
			}
			if sub == 0 {
				break
			}
		}
	}
	return largest
}

// lookup returns the leaves that may match, in the order in which they are to be tried.
func (t *tree) lookup(v *bits.Value) []*model.Leaf {
	n := t.root
	for n.next != nil {
		if n = n.next[v[n.limb&3]>>(n.shift&63)&n.mask]; n == nil {
			return nil
		}
	}
	return n.leaves
}

// matches reports whether all fixed bits of the leaf are as they must be.
func matches(l *model.Leaf, v *bits.Value) bool {
	if l.Size <= 64 {
		return v[0]&l.Mask[0] == l.Match[0]
	}
	return v[0]&l.Mask[0] == l.Match[0] && v[1]&l.Mask[1] == l.Match[1] &&
		v[2]&l.Mask[2] == l.Match[2] && v[3]&l.Mask[3] == l.Match[3]
}

// runOf tells how to read a run of bits; ok is false where they are in two limbs.
func runOf(low, width int) (limb, shift uint8, mask uint64, ok bool) {
	if width <= 0 || low>>6 != (low+width-1)>>6 {
		return 0, 0, 0, false
	}
	return uint8(low >> 6), uint8(low & 63), ^uint64(0) >> (64 - uint(width)), true
}
