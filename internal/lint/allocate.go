package lint

import (
	"slices"

	"github.com/isago/isago/facts"
)

// unallocated reports whether a register is not among the n registers that a launch allocates. A read
// of such a register returns 0. n is 0 if all registers are allocated.
func (l *linter) unallocated(a facts.Access, n int) bool {
	return n > 0 && a.State.Allocated && a.Number >= n
}

// dropUnallocated removes reads of registers that are probably not allocated, if the number of
// allocated registers is unknown. It assumes that the registers up to the highest one that the program
// writes are allocated. Compilers read higher registers to get 0.
func (l *linter) dropUnallocated() {
	if l.Registers > 0 {
		return
	}
	least := map[*facts.State]int{}
	for _, s := range l.Facts.States() {
		least[s] = 1
		for _, n := range s.Given {
			least[s] = max(least[s], n+1)
		}
	}
	for _, n := range l.order {
		for a := range n.facts.Writes() {
			if a.Number < 0 {
				least[a.State] = a.State.Count
			}
			least[a.State] = max(least[a.State], a.Number+1)
		}
	}
	for _, n := range l.order {
		n.reads = slices.DeleteFunc(n.reads, func(a facts.Access) bool { return l.unallocated(a, least[a.State]) })
	}
}
