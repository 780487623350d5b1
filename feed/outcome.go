package feed

import (
	"slices"

	"github.com/isago/isago/exec"
)

// Ran is a program of a run that has several, such as that of fragments, and what its lanes are. A diagnostic counts
// among them.
type Ran struct {
	// Name tells programs apart, "" where Nouns does.
	Name  string
	Nouns string
	Lanes int
}

// Program returns the number of a program of a run, for Join: 1 and above, in the order in which they are named first.
func (o *Outcome) Program(name, nouns string) int {
	i := slices.IndexFunc(o.Programs, func(r Ran) bool { return r.Name == name && r.Nouns == nouns })
	if i < 0 {
		i = len(o.Programs)
		o.Programs = append(o.Programs, Ran{Name: name, Nouns: nouns})
	}
	return i + 1
}

// Of returns what a diagnostic of a program counts among: how many lanes ran, and what they are called. Program 0 is that of
// a run that has one.
func (o *Outcome) Of(program int) Ran {
	if program == 0 {
		return Ran{Nouns: o.Nouns, Lanes: o.Lanes}
	}
	return o.Programs[program-1]
}

// Join adds what lanes of a program gave, of which the first has a number in the run: each diagnostic is there once, with its
// total.
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
