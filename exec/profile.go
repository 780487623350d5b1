package exec

// Profile counts what runs at each address.
type Profile struct {
	// Lines are by address. Width is the number of lanes of a wave.
	Lines map[uint64]*ProfileLine
	Width int
}

// ProfileLine counts what runs at an address: Times instructions, Lanes lanes in all. Short are the times when not
// all lanes of the wave ran it, Parted those after which fewer lanes run than before.
type ProfileLine struct{ Times, Lanes, Short, Parted int64 }

// NewProfile returns a profile of waves of so many lanes.
func NewProfile(width int) *Profile {
	return &Profile{Lines: map[uint64]*ProfileLine{}, Width: width}
}

// like returns an empty profile of its kind; of nil, nil.
func (p *Profile) like() *Profile {
	if p == nil {
		return nil
	}
	return NewProfile(p.Width)
}

// add counts what another profile counted.
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

// count notes an instruction that lanes ran, and how many run behind it.
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
