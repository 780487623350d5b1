package lint

import (
	"slices"

	"github.com/isago/isago/facts"
)

// unallocated reports whether a register is not among the first n that a launch allocates, and so 0; n is 0 where all are there.
func (l *linter) unallocated(a facts.Access, n int) bool {
	return n > 0 && a.State.Allocated && a.Number >= n
}

// dropUnallocated leaves out reads of registers that are probably not allocated, where nobody says how many are. A program has at
// least those up to the last one that it writes. What it reads above them it never wrote: compilers read 0 from there.
func (l *linter) dropUnallocated() {
	if l.Registers > 0 {
		return
	}
	least := map[*facts.State]int{}
	for _, s := range l.Facts.States() {
		least[s] = max(1, s.Given)
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
