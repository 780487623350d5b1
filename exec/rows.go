package exec

import (
	"context"
	"slices"
)

// Input is what the lanes are given.
type Input struct {
	// Lanes is their number.
	Lanes int
	// Ports are the inputs that lanes are given, Values for each lane the bits of their components in order; where there
	// are fewer rows than lanes, they repeat. Missing tells which of them a lane is not given; nil for none.
	Ports   []Port
	Values  [][]uint64
	Missing [][]bool
	// Row stands for Values where lanes are too many to have theirs in memory, unless it is nil: it fills the row of a lane.
	// Several goroutines call it.
	Row func(lane int, row []uint64)
	// Same are inputs that all lanes have in common, given behind the others.
	Same []Given
}

// Given is an input that is the same for all lanes: components from the first on.
type Given struct {
	Port   Port
	Values []uint64
}

// RunOptions bound a run.
type RunOptions struct {
	// Jobs is the number of waves that run at the same time. The result does not depend on it: a wave that reaches for what
	// waves share and programs can write waits for those before it.
	Jobs int
	// Budget is the number of instructions that each wave may dispatch; 0 is no bound.
	Budget int64
	Strict bool
	// Trace is told of each instruction of the first wave; it makes the run one wave after another.
	Trace func(w *Wave, e Event)
	// Progress is told how many lanes of all are done, one call at a time.
	Progress func(done, all int)
}

// Result is what a run gives.
type Result struct {
	Report
	// Values are for each lane the bits of the components of the launch's outputs in order; a NaN is the one that there is.
	Values [][]uint64
	// Outputs are those of the launch and the words of memories that the program wrote at addresses that it computed.
	Outputs []Port
	// Changed tells of each component of the outputs whether the program wrote it first or changed it in a lane, where the
	// launch asks for that.
	Changed []bool
}

// Run runs the program for all lanes. The error is that of the context.
func (l *Launch) Run(ctx context.Context, in Input, opt RunOptions) (*Result, error) {
	var all []*Rows
	report, err := l.Stream(ctx, in, opt, func(r *Rows) error {
		all = append(all, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := l.Shape(all)
	res := &Result{Report: *report, Outputs: s.Outputs, Changed: s.Changed}
	for _, r := range all {
		res.Values = append(res.Values, s.Values(r)...)
	}
	return res, nil
}

// Rows are the outputs of lanes that follow each other, as rows of components.
type Rows struct {
	// First is the number of the first lane in the run, Lanes the number of lanes.
	First, Lanes int
	// Changed is that of Result, for these lanes.
	Changed []bool

	values []uint64 // of the launch's outputs, lane by lane
	words  map[Component][]uint64
}

// Cells returns how many values the rows have together.
func (r *Rows) Cells() int { return len(r.values) + len(r.words)*r.Lanes }

// Stream is Run for results that do not fit in memory: take gets the rows of the lanes in order, some at a time. Its error
// ends the run, and is returned.
func (l *Launch) Stream(ctx context.Context, in Input, opt RunOptions, take func(*Rows) error) (*Report, error) {
	b := l.Bind(in.Ports, l.Outputs)
	n := len(b.Inputs)
	var same []Plane
	for _, g := range in.Same {
		l.reach(&g.Port)
		for i, c := range flatten([]Port{g.Port})[:len(g.Values)] {
			b.Inputs = append(b.Inputs, c)
			p := NewPlanes([]Component{c}, 1)[0]
			p.put(0, g.Values[i])
			same = append(same, p)
		}
	}
	lanes := min(in.Lanes, maxTogether*Lanes)
	return b.run(ctx, in.Lanes, opt, stream{worker: func() (fill, drain func(*Part)) {
		t := newTransposed(b.Inputs[:n], lanes)
		out := newTransposed(b.Outputs, lanes)
		return func(p *Part) {
			t.fill(&in, p)
			p.In = append(t.part(p.Lanes), same...)
			p.Out = out.part(p.Lanes)
		}, func(p *Part) { p.rows = out.rows(p) }
	}, take: func(p *Part) error { return take(p.rows) }})
}

// transposed are planes that rows become, or that become rows.
type transposed struct {
	planes []Plane
	// cells are those of all planes, where all have 32 bits; each plane has stride of them.
	cells  []uint32
	stride int
	row    []uint64
}

// apart are cells between planes, so that those of a lane are not all in one set of a cache.
const apart = 16

func newTransposed(list []Component, lanes int) *transposed {
	t := &transposed{planes: make([]Plane, len(list)), stride: lanes + apart, row: make([]uint64, len(list))}
	if slices.ContainsFunc(list, func(c Component) bool { return c.wide() }) {
		t.planes = NewPlanes(list, lanes)
		return t
	}
	t.cells = make([]uint32, len(list)*t.stride)
	for i := range t.planes {
		t.planes[i].U32 = t.cells[i*t.stride:][:lanes]
	}
	return t
}

// part returns the planes of the first lanes.
func (t *transposed) part(lanes int) []Plane {
	list := make([]Plane, len(t.planes))
	for i := range list {
		list[i] = t.planes[i].part(0, lanes)
	}
	return list
}

// fill puts the inputs of a part into the planes.
func (t *transposed) fill(in *Input, p *Part) {
	for i := range t.planes {
		t.planes[i].Missing = nil
	}
	switch {
	case in.Row != nil:
		for lane := range p.Lanes {
			in.Row(p.First+lane, t.row)
			t.put(lane, t.row)
		}
	case len(in.Values) == 0:
		clear(t.row)
		for i := range t.planes {
			t.miss(i, 0, p.Lanes)
		}
	default:
		for lane := range p.Lanes {
			at := (p.First + lane) % len(in.Values)
			row := in.Values[at]
			t.put(lane, row[:min(len(row), len(t.planes))])
			for i := len(row); i < len(t.planes); i++ {
				t.miss(i, lane, lane+1)
			}
			if in.Missing == nil {
				continue
			}
			for i, missing := range in.Missing[at][:min(len(in.Missing[at]), len(t.planes))] {
				if missing {
					t.miss(i, lane, lane+1)
				}
			}
		}
	}
}

// put puts the components of a lane into the planes.
func (t *transposed) put(lane int, row []uint64) {
	if t.cells == nil {
		for i, v := range row {
			t.planes[i].put(lane, v)
		}
		return
	}
	for _, v := range row {
		t.cells[lane] = uint32(v)
		lane += t.stride
	}
}

// miss notes that lanes from one up to another have no value of a plane.
func (t *transposed) miss(i, from, to int) {
	p := &t.planes[i]
	if p.Missing == nil {
		p.Missing = make([]uint64, (t.stride+Lanes-1)/Lanes)
	}
	for lane := from; lane < to; lane++ {
		p.Missing[lane/Lanes] |= 1 << uint(lane%Lanes)
	}
}

// rows returns the outputs of a part as rows.
func (t *transposed) rows(p *Part) *Rows {
	step := len(t.planes)
	r := &Rows{First: p.First, Lanes: p.Lanes, values: make([]uint64, p.Lanes*step), Changed: p.changed, words: p.words}
	for from := 0; from < p.Lanes; from += Lanes {
		to := min(from+Lanes, p.Lanes)
		for i := range t.planes {
			at := from*step + i
			if wide := t.planes[i].U64; wide != nil {
				for _, v := range wide[from:to] {
					r.values[at] = v
					at += step
				}
				continue
			}
			for _, v := range t.planes[i].U32[from:to] {
				r.values[at] = uint64(v)
				at += step
			}
		}
	}
	return r
}

// Shape is which outputs the rows of a run have: those of the launch, and words that the program wrote where it computed.
type Shape struct {
	Outputs []Port
	// Changed is that of Result.
	Changed []bool

	all   []Component // of the outputs
	named int         // how many of the launch's there are
	words map[Component]bool
}

// Shape returns that of some rows.
func (l *Launch) Shape(list []*Rows) *Shape {
	s := &Shape{Outputs: slices.Clone(l.Outputs), named: len(flatten(l.Outputs)), words: map[Component]bool{}}
	if l.Changed {
		s.Changed = make([]bool, s.named)
	}
	for _, r := range list {
		for i, changed := range r.Changed {
			s.Changed[i] = s.Changed[i] || changed
		}
		for word := range r.words {
			if !s.words[word] {
				s.words[word] = true
				s.Outputs = withWords(s.Outputs, Port{State: word.State, First: word.Number, Count: 1})
			}
		}
	}
	s.all = flatten(s.Outputs)
	return s
}

// Values returns the values of rows of this shape, a row for each lane.
func (s *Shape) Values(r *Rows) [][]uint64 {
	list := make([][]uint64, r.Lanes)
	for lane := range list {
		row := r.values[lane*s.named : (lane+1)*s.named : (lane+1)*s.named]
		if list[lane] = row; len(s.words) == 0 {
			continue
		}
		whole, next := make([]uint64, len(s.all)), 0
		for i, c := range s.all {
			switch {
			case !s.words[c]:
				whole[i] = row[next]
				next++
			case r.words[c] != nil:
				whole[i] = r.words[c][lane]
			}
		}
		list[lane] = whole
	}
	return list
}

// Late returns the name of a word that rows have and the shape does not; "" if there is none.
func (s *Shape) Late(r *Rows) string {
	for word := range r.words {
		if !s.words[word] {
			return WordName(word.State, word.Number)
		}
	}
	return ""
}
