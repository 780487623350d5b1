package program

import "github.com/isago/isago/isa"

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
