package lint

// cases is a set of cases: of assignments of true and false to conditions. It is the index of the root
// of a binary decision diagram.
type cases int32

const (
	noCase   cases = 0
	anyCase  cases = 1
	maxNodes       = 1 << 18
)

// decision is an inner node of a diagram: the cases in which a condition does not hold, and those in
// which it holds.
type decision struct {
	condition int32
	no, yes   cases
}

// diagrams holds binary decision diagrams. Equal sets are equal numbers.
type diagrams struct {
	nodes  []decision
	of     map[decision]cases
	chosen map[[3]cases]cases
	forgot map[forgotten]cases
	full   bool // a limit is exceeded, so sets may have too many cases
}

type forgotten struct {
	from cases
	list int
}

func newDiagrams() *diagrams {
	const last = 1<<31 - 1
	return &diagrams{nodes: []decision{{last, 0, 0}, {last, 1, 1}}, of: map[decision]cases{}, chosen: map[[3]cases]cases{}, forgot: map[forgotten]cases{}}
}

func (d *diagrams) test(condition int32, no, yes cases) cases {
	if no == yes {
		return no
	}
	n := decision{condition, no, yes}
	c, ok := d.of[n]
	if !ok {
		if len(d.nodes) >= maxNodes {
			d.full = true
			return anyCase
		}
		c = cases(len(d.nodes))
		d.nodes = append(d.nodes, n)
		d.of[n] = c
	}
	return c
}

// choose returns the cases of yes among the cases of c, and those of no among the others.
func (d *diagrams) choose(c, yes, no cases) cases {
	switch {
	case c == anyCase || yes == no:
		return yes
	case c == noCase:
		return no
	case yes == anyCase && no == noCase:
		return c
	}
	key := [3]cases{c, yes, no}
	if r, ok := d.chosen[key]; ok {
		return r
	}
	top := min(d.nodes[c].condition, d.nodes[yes].condition, d.nodes[no].condition)
	side := func(c cases, holds bool) cases {
		switch n := d.nodes[c]; {
		case n.condition != top:
			return c
		case holds:
			return n.yes
		default:
			return n.no
		}
	}
	r := d.test(top, d.choose(side(c, false), side(yes, false), side(no, false)), d.choose(side(c, true), side(yes, true), side(no, true)))
	d.chosen[key] = r
	return r
}

func (d *diagrams) and(a, b cases) cases { return d.choose(a, b, noCase) }

func (d *diagrams) or(a, b cases) cases { return d.choose(a, anyCase, b) }

// forget adds the cases that differ only in conditions of a list. id is the number of the list.
func (d *diagrams) forget(c cases, list map[int32]bool, id int) cases {
	if c <= anyCase || len(list) == 0 {
		return c
	}
	key := forgotten{c, id}
	if r, ok := d.forgot[key]; ok {
		return r
	}
	n := d.nodes[c]
	no, yes := d.forget(n.no, list, id), d.forget(n.yes, list, id)
	r := noCase
	if list[n.condition] {
		r = d.or(no, yes)
	} else {
		r = d.choose(d.test(n.condition, noCase, anyCase), yes, no)
	}
	d.forgot[key] = r
	return r
}
