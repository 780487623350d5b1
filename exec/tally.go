package exec

import (
	"cmp"
	"slices"
)

// Report is the result of a run, except for its outputs.
type Report struct {
	// Stops holds the number of stopped lanes for each reason and address.
	Stops []StopCount
	// Findings holds the reads of unwritten registers and the unknown behaviour, each with the number of lanes.
	Findings []FindingCount
	// Instructions counts the dispatched instructions. LaneInstructions counts each of them once for every lane.
	Instructions, LaneInstructions int64
	// Races are the data races, if the options request them.
	Races []Race
}

// StopCount is a reason why lanes stopped, with the number of lanes.
type StopCount struct {
	Stop
	// Program is the number of the program in a run of several programs, and 0 otherwise.
	Program int
	Count   int
	// First is the number of the first of these lanes in the run.
	First int
}

// FindingCount is a finding of a run, with the number of lanes.
type FindingCount struct {
	Finding
	// Program is that of StopCount.
	Program int
	Count   int
}

// Tally merges the results of waves. It contains each stop, finding and race once, with a total.
type Tally struct {
	instructions, laneInstructions int64
	stops                          map[stopKey]*StopCount
	findings                       map[findingKey]*FindingCount
	races                          map[raceKey]*Race
}

// stopKey identifies a stop by its reason and address.
type stopKey struct {
	reason, text string
	pc, address  uint64
	program      int
}

type findingKey struct {
	Finding
	program int
}

// NewTally returns an empty tally.
func NewTally() *Tally {
	return &Tally{stops: map[stopKey]*StopCount{}, findings: map[findingKey]*FindingCount{}, races: map[raceKey]*Race{}}
}

// Add adds the results of a wave. first is the number of its first lane in the run.
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

// Join adds a report.
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

// race adds a race. The occurrence in the first block is kept.
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

// merge adds another tally.
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

// Finish moves the results to a report. It sorts stops by program and first lane, and findings by program, address and
// register.
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
