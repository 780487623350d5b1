package exec

import (
	"context"
	"slices"
)

// Input holds the inputs of lanes as rows.
type Input struct {
	// Lanes is the number of lanes.
	Lanes int
	// Ports are the inputs of the lanes. Values has a row for each lane: the bits of the components in order. If there
	// are fewer rows than lanes, the rows repeat. Missing marks the components without a value, or is nil.
	Ports   []Port
	Values  [][]uint64
	Missing [][]bool
	// Row, if it is not nil, replaces Values: it fills in the row of a lane. It must be safe for concurrent use. With
	// Row, the memory need not hold the inputs of all lanes.
	Row func(lane int, row []uint64)
	// Same holds inputs with one value for all lanes. They have priority over Ports.
	Same []Given
}

// Given is an input with one value for all lanes. Values holds the bits of its components, beginning with the first.
type Given struct {
	Port   Port
	Values []uint64
}

// RunOptions are the options of a run.
type RunOptions struct {
	// Jobs is the number of waves that run in parallel. The results do not depend on it: before a wave accesses shared
	// state that programs can write, it waits for all earlier waves.
	Jobs int
	// Budget limits the instructions that each wave dispatches. 0 is no limit. Strict is that of Wave.
	Budget int64
	Strict bool
	// Trace, if it is not nil, is called for each event of the first wave. The waves then run one after another.
	Trace func(w *Wave, e Event)
	// Progress, if it is not nil, is called with the number of finished lanes and of all lanes. Calls do not overlap.
	Progress func(done, all int)
}

// Result is the result of a run on rows.
type Result struct {
	Report
	// Values has a row for each lane: the bits of the components of Outputs, in order. Every NaN has the same bits.
	Values [][]uint64
	// Outputs are the outputs of the launch, and the words of output memories that the program wrote at computed
	// addresses.
	Outputs []Port
	// Changed reports for each component of the launch's outputs whether the program changed it, or wrote it for the
	// first time, in any lane. It is nil unless Launch.Changed is set.
	Changed []bool
}

// Run runs the program for all lanes. It returns an error if the context is cancelled.
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

// Rows holds the outputs of consecutive lanes as rows of components.
type Rows struct {
	// First is the number of the first lane in the run, and Lanes is the number of lanes.
	First, Lanes int
	// Changed is like Result.Changed, for these lanes.
	Changed []bool

	values []uint64 // the launch's outputs, lane by lane
	words  map[Component][]uint64
}

// Cells returns the number of values in all rows.
func (r *Rows) Cells() int { return len(r.values) + len(r.words)*r.Lanes }

// Stream is like Run, but passes the rows of the lanes to take, in order, some at a time. If take returns an error, the
// run ends, and Stream returns this error.
func (l *Launch) Stream(ctx context.Context, in Input, opt RunOptions, take func(*Rows) error) (*Report, error) {
	b := l.Bind(in.Ports, l.Outputs)
	n := len(b.Inputs)
	var same []Plane
	for _, g := range in.Same {
		l.reach(&g.Port)
		for i, c := range flatten([]Port{g.Port})[:len(g.Values)] {
			b.Inputs = append(b.Inputs, c)
			p := NewPlanes([]Component{c}, 1)[0]
			p.Set(0, g.Values[i])
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

// transposed converts between rows and planes.
type transposed struct {
	planes []Plane
	// cells holds the cells of all planes if all have 32 bits. Each plane has stride cells.
	cells  []uint32
	stride int
	row    []uint64
}

// apart is the number of unused cells between planes, so that the cells of a lane are in different sets of the
// processor's cache. It is more than the 64 cells of a wave.
const apart = 80

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

// part returns the planes of the first lanes lanes.
func (t *transposed) part(lanes int) []Plane {
	list := make([]Plane, len(t.planes))
	for i := range list {
		list[i] = t.planes[i].part(0, lanes)
	}
	return list
}

// fill writes the inputs of a part to the planes.
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

// put writes the components of a lane to the planes.
func (t *transposed) put(lane int, row []uint64) {
	if t.cells == nil {
		for i, v := range row {
			t.planes[i].Set(lane, v)
		}
		return
	}
	for _, v := range row {
		t.cells[lane] = uint32(v)
		lane += t.stride
	}
}

// miss marks the lanes from from up to to as missing in plane i.
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

// Shape describes the outputs in the rows of a run: those of the launch, and words that the program wrote at computed
// addresses.
type Shape struct {
	Outputs []Port
	// Changed is like Result.Changed.
	Changed []bool

	all   []Component // the components of the outputs
	named int         // number of components of the launch's outputs
	words map[Component]bool
}

// Shape returns the shape of some rows.
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

// Values returns the values of rows in this shape, with a row for each lane.
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

// Late returns the name of a word that is in the rows but not in the shape, or "".
func (s *Shape) Late(r *Rows) string {
	for word := range r.words {
		if !s.words[word] {
			return WordName(word.State, word.Number)
		}
	}
	return ""
}
