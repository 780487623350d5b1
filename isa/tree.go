package isa

import (
	mathbits "math/bits"
	"slices"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
)

// tree finds the leaves that may match a word. It branches on bits that tell leaves apart; whoever asks verifies all
// bits of a candidate.
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
	// key has the runs of bits by whose value next is indexed; nil where nothing matches.
	key  key
	next []*treeNode
	// leaves are the candidates of a node that asks for nothing.
	leaves []*model.Leaf
}

// Candidate lists up to fewLeaves are searched one by one. A node asks for at most maxAskedBits, in at most maxRuns runs,
// of which each leaves no more than worthIt of the candidates that there were, and each leaf stands in maxCopies lists or
// so.
const (
	fewLeaves    = 2
	maxAskedBits = 11
	maxRuns      = 4
	worthIt      = 0.97
	maxCopies    = 4
	// maxGrowth bounds the work of making a tree: how often it is looked whether a bit divides a candidate. What is left
	// undone is searched one by one.
	maxGrowth = 1 << 26
)

// newTree returns the tree of a root that is still a list.
func newTree(r *model.Root, strict bool) *tree {
	leaves := slices.Clone(r.Leaves)
	narrowFirst(leaves)
	t := &tree{root: &treeNode{leaves: leaves}, first: strict, flat: len(leaves) > fewLeaves}
	for _, l := range r.Leaves {
		t.requires = append(t.requires, conditional(l))
	}
	return t
}

// grown returns the tree of a list; words are of that size.
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

// grow makes the node of some leaves of that size. used are the bits that were asked for on the way, left is the work that
// it may take; nodes below it have parts of that by their candidates.
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

// ask chooses bits one by one, each so that a word has the fewest candidates if all leaves are as frequent. It returns
// them and how many there are, none where none helps. It takes its work from left.
func ask(leaves []*model.Leaf, used bits.Value, size int, left *int) (mask bits.Value, asked int) {
	if len(leaves) <= fewLeaves {
		return mask, 0
	}
	lists := [][]share{nil}
	var fixed [bits.Size]int // how many leaves fix a bit
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

// runs returns how many runs of bits there are in a mask with one bit more.
func runs(mask bits.Value, bit int) (n int) {
	mask.SetUint(bit, 1, 1)
	for _, limb := range mask {
		n += mathbits.OnesCount64(limb &^ (limb << 1))
	}
	return n
}

// share is a leaf in a list of candidates, and how much of its words is there.
type share struct {
	mask, match *bits.Value
	of          float64
}

// divided returns, for both lists into which a bit divides one, the sum of the candidates that the words of all leaves
// have, and the length.
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

// divide divides lists by a bit.
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

// lookup returns the leaves that may match, in the order in which they are to be tried.
func (t *tree) lookup(v *bits.Value) []*model.Leaf {
	n, word := t.root, sources{v}
	for n.next != nil {
		if n = n.next[n.key.from(&word)]; n == nil {
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
