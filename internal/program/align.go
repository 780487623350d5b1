package program

import (
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Alignments returns, for each leaf by its ID, the number of bits of which the address of its words is
// a multiple: what <layout> says, 0 where that says nothing. It is nil where no leaf says anything.
func Alignments(root *isa.Root) []int64 {
	var list []int64
	for _, leaf := range root.Leaves {
		n := leaf.Layout().Align
		if n == 0 {
			continue
		}
		if list == nil {
			list = make([]int64, len(root.Leaves))
		}
		list[leaf.ID] = int64(n)
	}
	return list
}

// AddressUnit returns the number of bits in which listings count addresses: that of the targets of branches
// where all of the root count in one unit, so that a number in a text is one of the column; else that of
// which all places are multiples.
func AddressUnit(root *isa.Root) int64 {
	unit, seen := 0, false
	for _, leaf := range root.Leaves {
		for b := inside.Leaf(leaf).Spec; b != nil; b = b.Extends {
			for _, f := range branches(b) {
				if f.Unit == 0 || seen && f.Unit != unit {
					return int64(root.Step())
				}
				unit, seen = f.Unit, true
			}
		}
	}
	if !seen {
		return int64(root.Step())
	}
	return int64(unit)
}

// branches lists the fields of a bitset that are targets of branches.
func branches(b *spec.Bitset) (list []*spec.Field) {
	for _, c := range b.Cases {
		for _, f := range c.Fields {
			if f.Kind == spec.KindBranch || f.Kind == spec.KindAbsBranch {
				list = append(list, f)
			}
		}
	}
	return list
}
