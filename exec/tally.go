package exec

import (
	"cmp"
	"slices"
)

// Report is what a run reports beside its outputs.
type Report struct {
	// Stops tells for each reason and place how many lanes stopped so.
	Stops []StopCount
	// Findings are reads of what nobody wrote and what is not known of the machine, each with the number of lanes.
	Findings []FindingCount
	// Instructions counts those that were dispatched, LaneInstructions those that lanes ran.
	Instructions, LaneInstructions int64
	// Races are places in the memory of a block that waves reach for in no order, where somebody asked.
	Races []Race
}

// StopCount is a reason for which lanes stopped.
type StopCount struct {
	Stop
	// Program is the number of the program in a run of several, 0 otherwise.
	Program int
	Count   int
	// First is the first lane of the run that did.
	First int
}

// FindingCount is a finding of a run.
type FindingCount struct {
	Finding
	// Program is that of StopCount.
	Program int
	Count   int
}

// Tally joins what waves tell: each stop and each finding is there once, with its total.
type Tally struct {
	instructions, laneInstructions int64
	stops                          map[stopKey]*StopCount
	findings                       map[findingKey]*FindingCount
	races                          map[raceKey]*Race
}

// stopKey tells stops apart: by the reason and the place, not by what the first of the lanes did.
type stopKey struct {
	reason, text string
	pc, address  uint64
	program      int
}

type findingKey struct {
	Finding
	program int
}

// NewTally returns one of no waves.
func NewTally() *Tally {
	return &Tally{stops: map[stopKey]*StopCount{}, findings: map[findingKey]*FindingCount{}, races: map[raceKey]*Race{}}
}

// Add counts what a wave tells, whose first lane has that number in the run.
func (t *Tally) Add(w *Wave, first int) {
	t.instructions += w.Instructions
	t.laneInstructions += w.LaneInstructions
	for _, s := range w.Stops() {
		t.stop(StopCount{Stop: s, Count: popcount(s.Lanes), First: first + trailing(s.Lanes)})
	}
	for f, lanes := range w.findings {
		t.finding(FindingCount{Finding: f, Count: popcount(lanes)})
	}
}

// Join counts what a report tells.
func (t *Tally) Join(res *Report) {
	t.instructions += res.Instructions
	t.laneInstructions += res.LaneInstructions
	for _, s := range res.Stops {
		t.stop(s)
	}
	for _, f := range res.Findings {
		t.finding(f)
	}
	for i := range res.Races {
		r := res.Races[i]
		t.race(r.key(), &r)
	}
}

func (t *Tally) stop(s StopCount) {
	key := stopKey{s.Reason, s.Text, s.PC, s.Address, s.Program}
	s.Lanes = 0
	old := t.stops[key]
	if old == nil {
		t.stops[key] = &s
		return
	}
	count := old.Count + s.Count
	if s.First < old.First {
		*old = s
	}
	old.Count = count
}

func (t *Tally) finding(f FindingCount) {
	key := findingKey{f.Finding, f.Program}
	if old := t.findings[key]; old != nil {
		old.Count += f.Count
		return
	}
	t.findings[key] = &f
}

// race counts a race, of which the one in the first block is kept.
func (t *Tally) race(key raceKey, r *Race) {
	old := t.races[key]
	if old == nil {
		t.races[key] = r
		return
	}
	count := old.Count + r.Count
	if r.Block < old.Block {
		*old = *r
	}
	old.Count = count
}

// merge counts what another tally counted.
func (t *Tally) merge(u *Tally) {
	t.instructions += u.instructions
	t.laneInstructions += u.laneInstructions
	for _, s := range u.stops {
		t.stop(*s)
	}
	for _, f := range u.findings {
		t.finding(*f)
	}
	for key, r := range u.races {
		t.race(key, r)
	}
}

// Finish puts all that was counted into a report: stops by their first lanes, findings by program, address and register.
func (t *Tally) Finish(res *Report) {
	res.Instructions, res.LaneInstructions = t.instructions, t.laneInstructions
	res.Stops, res.Findings, res.Races = nil, nil, sortRaces(t.races)
	for _, c := range t.stops {
		res.Stops = append(res.Stops, *c)
	}
	slices.SortFunc(res.Stops, func(a, b StopCount) int {
		return cmp.Or(cmp.Compare(a.Program, b.Program), cmp.Compare(a.First, b.First), cmp.Compare(a.PC, b.PC))
	})
	for _, c := range t.findings {
		res.Findings = append(res.Findings, *c)
	}
	slices.SortFunc(res.Findings, func(a, b FindingCount) int { return cmp.Or(cmp.Compare(a.Program, b.Program), a.compare(b.Finding)) })
}
