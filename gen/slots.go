package gen

import (
	"slices"

	"github.com/isago/isago/internal/spec"
)

// slots numbers what a scope stores for each expression: its value, or that it has reported its findings. The code of a
// nested operand is shared by instructions and computes expressions in the scope of each of them. So an expression has one
// number everywhere, and two have the same number only where no leaf has both.
type slots struct {
	// all are the leaves of the program; leaves, those that have an expression.
	all    []*spec.Bitset
	leaves map[*spec.Expr][]*spec.Bitset
	number map[slotKey]int
	taken  map[slotOf]bool
	// most is the number of slots that a scope needs.
	most int
}

// slotKey is an expression, or its use inside itself.
type slotKey struct {
	expr  *spec.Expr
	cycle bool
}

type slotOf struct {
	leaf   *spec.Bitset
	number int
}

func newSlots(p *Program) *slots {
	s := &slots{leaves: map[*spec.Expr][]*spec.Bitset{}, number: map[slotKey]int{}, taken: map[slotOf]bool{}}
	for _, r := range p.Roots {
		for _, l := range r.Leaves {
			s.all = append(s.all, l.Spec)
			for b := l.Spec; b != nil; b = b.Extends {
				for _, e := range b.Requires {
					s.has(l.Spec, e)
				}
				for _, c := range b.Cases {
					s.has(l.Spec, c.Expr)
					for _, f := range c.Fields {
						s.has(l.Spec, f.Expr)
					}
				}
			}
		}
	}
	return s
}

// has records that a leaf has an expression.
func (s *slots) has(leaf *spec.Bitset, e *spec.Expr) {
	if e != nil && !slices.Contains(s.leaves[e], leaf) {
		s.leaves[e] = append(s.leaves[e], leaf)
	}
}

// of returns the number of an expression, the first that no other expression of its leaves has.
func (s *slots) of(e *spec.Expr, cycle bool) int {
	key := slotKey{e, cycle}
	if n, ok := s.number[key]; ok {
		return n
	}
	leaves := s.leaves[e]
	if len(leaves) == 0 { // it is not of a case, but of a register, say
		leaves = s.all
	}
	n := 0
	for slices.ContainsFunc(leaves, func(l *spec.Bitset) bool { return s.taken[slotOf{l, n}] }) {
		n++
	}
	for _, l := range leaves {
		s.taken[slotOf{l, n}] = true
	}
	s.number[key] = n
	s.most = max(s.most, n+1)
	return n
}
