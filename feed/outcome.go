package feed

import (
	"slices"

	"github.com/isago/isago/exec"
)

// Ran is one of several programs of a run, such as the fragment program. Its diagnostics count its lanes.
type Ran struct {
	// Name distinguishes programs with the same Nouns. It is "" if Nouns is sufficient.
	Name  string
	Nouns string
	Lanes int
}

// Program returns the number of a program for Join. It adds the program if necessary. Numbers start at 1.
func (o *Outcome) Program(name, nouns string) int {
	i := slices.IndexFunc(o.Programs, func(r Ran) bool { return r.Name == name && r.Nouns == nouns })
	if i < 0 {
		i = len(o.Programs)
		o.Programs = append(o.Programs, Ran{Name: name, Nouns: nouns})
	}
	return i + 1
}

// Of returns the program with a number, with the number and the name of its lanes. 0 is the program of a run with only
// one program.
func (o *Outcome) Of(program int) Ran {
	if program == 0 {
		return Ran{Nouns: o.Nouns, Lanes: o.Lanes}
	}
	return o.Programs[program-1]
}

// Join adds the report of some lanes of a program. first is the number of the first of these lanes. Equal diagnostics
// are merged.
func (o *Outcome) Join(report *exec.Report, program, first, lanes int) {
	if program > 0 {
		o.Programs[program-1].Lanes += lanes
	} else {
		o.Lanes += lanes
	}
	t := exec.NewTally()
	t.Join(&o.Report)
	next := *report
	next.Stops, next.Findings, next.Races = slices.Clone(report.Stops), slices.Clone(report.Findings), slices.Clone(report.Races)
	for i := range next.Stops {
		next.Stops[i].Program, next.Stops[i].First = program, next.Stops[i].First+first
	}
	for i := range next.Findings {
		next.Findings[i].Program = program
	}
	for i := range next.Races {
		next.Races[i].Program = program
	}
	t.Join(&next)
	t.Finish(&o.Report)
}
