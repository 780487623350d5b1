package a2xx

import (
	"fmt"
	"strings"

	"github.com/isago/isago/diag"
)

// problem is something of a program that hardware cannot do, or may not.
type problem struct {
	code diag.Code
	// clause and unit are where it is; -1 for none.
	clause, unit int
	text         string
}

// problems looks for what the machine cannot do.
func (p *layout) problems() (list []problem) {
	ends := false
	for i := range p.clauses {
		c := &p.clauses[i]
		ends = ends || c.ends
		for _, text := range p.clauseProblems(c) {
			list = append(list, problem{diag.ProgramSize, i, -1, text})
		}
	}
	if !ends {
		list = append(list, problem{diag.MissingEnd, -1, -1, "no clause ends the program"})
	}
	return list
}

func (p *layout) clauseProblems(c *placedClause) (texts []string) {
	if c.runs && c.count > c.steps {
		texts = append(texts, fmt.Sprintf("the clause has %d instructions, but sequence bits for only %d", c.count, c.steps))
	}
	if c.runs && c.address >= c.store {
		texts = append(texts, fmt.Sprintf("the clause starts at unit %d, which its address cannot reach: there are %d units", c.address, c.store))
	}
	if c.runs && c.count > 0 && c.address+c.count > len(p.units) {
		texts = append(texts, fmt.Sprintf("the clause runs units %d to %d, but the program has %d units", c.address, c.address+c.count-1, len(p.units)))
	}
	if !c.goes || c.clauses == 0 {
		return texts
	}
	switch to := c.target; {
	case to >= c.clauses:
		texts = append(texts, fmt.Sprintf("clause %d, which its address cannot reach: there are %d clauses", to, c.clauses))
	case to > len(p.clauses):
		texts = append(texts, fmt.Sprintf("clause %d, but the program has %d clauses", to, len(p.clauses)))
	}
	return texts
}

// list formats the numbers that are set.
func list(has []bool) string {
	var parts []string
	for i := 0; i < len(has); i++ {
		if !has[i] {
			continue
		}
		first := i
		for i+1 < len(has) && has[i+1] {
			i++
		}
		if first == i {
			parts = append(parts, fmt.Sprint(i))
		} else {
			parts = append(parts, fmt.Sprintf("%d to %d", first, i))
		}
	}
	return strings.Join(parts, ", ")
}
