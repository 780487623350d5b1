package exec

// Profile counts the instructions at each address.
type Profile struct {
	// Lines holds the counts by address. Width is the number of lanes of a wave.
	Lines map[uint64]*ProfileLine
	Width int
}

// ProfileLine holds the counts for an address. Times counts how often the instruction was dispatched, and Lanes counts
// the lanes that ran it. Short counts how often only some lanes of the wave ran it. Parted counts how often the lanes
// diverged after it.
type ProfileLine struct{ Times, Lanes, Short, Parted int64 }

// NewProfile returns an empty profile for waves of width lanes.
func NewProfile(width int) *Profile {
	return &Profile{Lines: map[uint64]*ProfileLine{}, Width: width}
}

// like returns an empty profile with the same width, or nil for nil.
func (p *Profile) like() *Profile {
	if p == nil {
		return nil
	}
	return NewProfile(p.Width)
}

// add adds the counts of another profile.
func (p *Profile) add(q *Profile) {
	if p == nil {
		return
	}
	for pc, from := range q.Lines {
		to := p.line(pc)
		to.Times += from.Times
		to.Lanes += from.Lanes
		to.Short += from.Short
		to.Parted += from.Parted
	}
}

func (p *Profile) line(pc uint64) *ProfileLine {
	l := p.Lines[pc]
	if l == nil {
		l = &ProfileLine{}
		p.Lines[pc] = l
	}
	return l
}

// count counts an instruction. lanes ran it, and behind are the lanes that continue together.
func (p *Profile) count(pc uint64, lanes, behind uint64) {
	l := p.line(pc)
	n := popcount(lanes)
	l.Times++
	l.Lanes += int64(n)
	if n < p.Width {
		l.Short++
	}
	if behind != 0 && popcount(behind) < n {
		l.Parted++
	}
}
