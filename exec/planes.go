package exec

import (
	"context"
	"fmt"
	"sync"

	"github.com/isago/isago/internal/inorder"
	"github.com/isago/isago/isa"
)

// Plane holds one component of the lanes of a run, one cell for each lane. The cells are in U64 if the component has more
// than 32 bits, and in U32 otherwise. As an input, a plane with fewer cells than lanes repeats, so one cell is the value of
// all lanes.
type Plane struct {
	U32 []uint32
	U64 []uint64
	// Missing marks the cells of an input without a value: bit i of word k is for cell 64k+i. nil means that all cells
	// have values.
	Missing []uint64
}

// NewPlanes returns planes for components, with one cell for each lane. The planes lie apart in memory so that the cells of
// one lane do not compete for one set of a cache.
func NewPlanes(list []Component, lanes int) []Plane {
	planes := make([]Plane, len(list))
	stride := lanes + apart
	var narrow []*Plane
	for i := range list {
		if list[i].wide() {
			planes[i].U64 = make([]uint64, lanes)
		} else {
			narrow = append(narrow, &planes[i])
		}
	}
	cells := make([]uint32, len(narrow)*stride)
	for i, p := range narrow {
		p.U32 = cells[i*stride:][:lanes:lanes]
	}
	return planes
}

// Len returns the number of cells.
func (p *Plane) Len() int { return max(len(p.U32), len(p.U64)) }

// part returns the cells from from up to to. from is a multiple of 64.
func (p *Plane) part(from, to int) (q Plane) {
	if p.U64 != nil {
		q.U64 = p.U64[from:to]
	} else {
		q.U32 = p.U32[from:to]
	}
	if p.Missing != nil {
		q.Missing = p.Missing[from/Lanes:]
	}
	return q
}

// repeated returns n cells of a plane that repeats, beginning with cell first.
func (p *Plane) repeated(first, n int) (q Plane) {
	size := p.Len()
	if p.U64 != nil {
		q.U64 = make([]uint64, n)
	} else {
		q.U32 = make([]uint32, n)
	}
	if p.Missing != nil {
		q.Missing = make([]uint64, (n+Lanes-1)/Lanes)
	}
	for i := range n {
		from := (first + i) % size
		if p.U64 != nil {
			q.U64[i] = p.U64[from]
		} else {
			q.U32[i] = p.U32[from]
		}
		if p.missing(from) {
			q.Missing[i/Lanes] |= 1 << uint(i%Lanes)
		}
	}
	return q
}

// missing reports whether a cell has no value.
func (p *Plane) missing(cell int) bool {
	return p.Missing != nil && p.Missing[cell/Lanes]>>uint(cell%Lanes)&1 != 0
}

// Set sets the bits of a cell.
func (p *Plane) Set(cell int, v uint64) {
	if p.U64 != nil {
		p.U64[cell] = v
	} else {
		p.U32[cell] = uint32(v)
	}
}

// At returns the bits of a lane. In a plane with only one cell, all lanes have this value.
func (p *Plane) At(lane int) uint64 {
	if p.Len() == 1 {
		lane = 0
	}
	if p.U64 != nil {
		return p.U64[lane]
	}
	return uint64(p.U32[lane])
}

// Component is one component of a register, or a word of a memory.
type Component struct {
	State *State
	// Number is the number of the register or word, and Comp is that of the component.
	Number, Comp int
	// View is the view that contains the register, or nil for a register of State itself.
	View *View
}

// Type returns the type of the component.
func (c *Component) Type() isa.Type {
	p := Port{State: c.State, View: c.View}
	return scalarOf(p.Type())
}

func (c *Component) wide() bool { return c.Type().Bits > 32 }

// shared reports whether all lanes of a launch share the component.
func (c *Component) shared() bool { return c.State.Scope >= ScopeBlock }

// Binding is a launch with a list of inputs and outputs, for any number of runs on planes. An input may be a uniform.
// Its plane then has one cell.
type Binding struct {
	Launch *Launch
	// Inputs and Outputs are the components to which the planes belong, in order.
	Inputs, Outputs []Component
	// Engine runs the lanes. nil means Plain.
	Engine Engine
}

// Bind returns a binding for the components of ports, in order. If an input occurs twice, its last plane has priority.
func (l *Launch) Bind(inputs, outputs []Port) *Binding {
	for i := range inputs {
		l.reach(&inputs[i])
	}
	return &Binding{Launch: l, Inputs: flatten(inputs), Outputs: flatten(outputs)}
}

// flatten returns the components of ports in order.
func flatten(ports []Port) []Component {
	var list []Component
	for i := range ports {
		comps := ports[i].Components()
		for n := range ports[i].Count {
			for _, k := range comps {
				list = append(list, Component{ports[i].State, ports[i].First + n, k, ports[i].View})
			}
		}
	}
	return list
}

// Run runs the program for a number of lanes. It reads the inputs from the planes in, writes the outputs to the planes
// out, and keeps no references to the planes. Every NaN in out has the same bits. Run returns an error if the planes do
// not fit the binding, or if the context is cancelled.
func (b *Binding) Run(ctx context.Context, lanes int, in, out []Plane, opt RunOptions) (*Report, error) {
	if err := checkPlanes("input", b.Inputs, in, min(1, lanes)); err != nil {
		return nil, err
	}
	if err := checkPlanes("output", b.Outputs, out, lanes); err != nil {
		return nil, err
	}
	given := make([]Plane, len(in))
	for i := range in {
		if given[i] = in[i]; !b.Inputs[i].shared() {
			continue
		}
		if in[i].Len() != 1 {
			return nil, fmt.Errorf("input plane %d has %d cells, expected 1: all lanes share a register of %s", i, in[i].Len(), b.Inputs[i].State.Name)
		}
		b.Launch.Shared.stores[b.Inputs[i].State.Index].put(b.Inputs[i], 0, in[i].At(0))
		given[i] = Plane{}
	}
	return b.run(ctx, lanes, opt, stream{worker: func() (fill, drain func(*Part)) {
		partIn, partOut := make([]Plane, len(in)), make([]Plane, len(out))
		return func(p *Part) {
			p.In, p.Out = partIn, partOut
			to := p.First + p.Lanes
			for i := range given {
				switch n := given[i].Len(); {
				case n <= 1:
					p.In[i] = given[i]
				case n < to:
					p.In[i] = given[i].repeated(p.First, p.Lanes)
				default:
					p.In[i] = given[i].part(p.First, to)
				}
			}
			for i := range out {
				p.Out[i] = out[i].part(p.First, to)
			}
		}, func(*Part) {}
	}, take: func(*Part) error { return nil }})
}

// checkPlanes returns an error if planes do not fit components, or have fewer cells than cells.
func checkPlanes(what string, list []Component, planes []Plane, cells int) error {
	if len(planes) != len(list) {
		return fmt.Errorf("there are %d %s planes, expected %d", len(planes), what, len(list))
	}
	for i := range planes {
		p, bits, n := &planes[i], 32, len(planes[i].U32)
		if list[i].wide() {
			bits, n = 64, len(p.U64)
		}
		if p.Len() != n || n < cells || (p.U32 != nil) == (p.U64 != nil) && n > 0 {
			return fmt.Errorf("%s plane %d has %d cells of 32 bits and %d of 64, expected at least %d of %d and none of the other", what, i, len(p.U32), len(p.U64), cells, bits)
		}
		if p.Missing != nil && len(p.Missing) < (n+Lanes-1)/Lanes {
			return fmt.Errorf("%s plane %d has %d words of missing cells, expected %d", what, i, len(p.Missing), (n+Lanes-1)/Lanes)
		}
	}
	return nil
}

// Engine runs the lanes of a binding. All engines compute the same bits.
type Engine interface {
	// Worker returns a worker for parts of one run. Only one goroutine uses it. parallel is set if the run has several
	// workers.
	Worker(b *Binding, opt *RunOptions, parallel bool) (Worker, error)
}

// Worker runs parts of a run, one after another.
type Worker interface {
	// Run runs the lanes of a part, and adds the results to t. It returns an error if the context is cancelled.
	Run(ctx context.Context, p *Part, t *Tally) error
	// Close ends the run.
	Close()
}

// Part is a range of consecutive lanes of a run.
type Part struct {
	// First is the number of the first lane in the run, a multiple of 64. Lanes is the number of lanes.
	First, Lanes int
	// In and Out are the planes of the binding for these lanes. A plane of In has a cell for each lane, or one cell for
	// all lanes, or no cells if the component keeps its value.
	In, Out []Plane

	// changed marks the outputs that the program changed. It is nil if the launch does not request this.
	changed []bool
	// words holds the written words of output memories that are not outputs of the binding.
	words map[Component][]uint64
	// rows holds the outputs as rows, for a run that returns rows.
	rows *Rows
	wait func()
	err  error
}

// Wait waits until all lanes before the part have run. A worker must call it before lanes access shared state that
// programs can write.
func (p *Part) Wait() { p.wait() }

// stream provides the planes of a run part by part.
type stream struct {
	// worker returns functions for one goroutine: fill sets the planes of a part, and drain processes its outputs.
	worker func() (fill, drain func(p *Part))
	// take is called for the finished parts in order, one at a time.
	take func(p *Part) error
}

// maxTogether is the maximum number of waves of a part.
const maxTogether = 16

// run runs the program for all lanes, in parts.
func (b *Binding) run(ctx context.Context, lanes int, opt RunOptions, s stream) (*Report, error) {
	waves := lanes / Lanes
	if lanes%Lanes > 0 {
		waves++
	}
	jobs := max(1, min(opt.Jobs, waves))
	if opt.Trace != nil {
		jobs = 1
	}
	engine := b.Engine
	if engine == nil {
		engine = Plain
	}
	together := Lanes * maxTogether
	if jobs > 1 { // each worker gets several parts
		together = Lanes * max(1, min(waves/(4*jobs), maxTogether))
	}
	turns := turns{done: map[int]int{}}
	turns.passed.L = &turns.mu
	parts := func(yield func(*Part) bool) {
		for first := 0; first < lanes; {
			p := &Part{First: first, Lanes: min(together, lanes-first)}
			p.wait = func() { turns.wait(p) }
			if !yield(p) {
				return
			}
			first += p.Lanes
		}
	}
	var tallies []*Tally
	var workers []Worker
	start := func() (func(*Part) *Part, error) {
		w, err := engine.Worker(b, &opt, jobs > 1)
		if err != nil {
			return nil, err
		}
		tally := NewTally()
		tallies, workers = append(tallies, tally), append(workers, w)
		fill, drain := s.worker()
		return func(p *Part) *Part {
			defer turns.pass(p)
			fill(p)
			if p.err = w.Run(ctx, p, tally); p.err == nil {
				drain(p)
			}
			return p
		}, nil
	}
	err := inorder.Run(jobs, parts, start, func(p *Part, _ bool) error {
		if p.err != nil {
			return p.err
		}
		if opt.Progress != nil {
			opt.Progress(p.First+p.Lanes, lanes)
		}
		return s.take(p)
	})
	for _, w := range workers {
		w.Close()
	}
	if err != nil {
		return nil, err
	}
	all := NewTally()
	for _, t := range tallies {
		all.merge(t)
	}
	report := &Report{}
	all.Finish(report)
	return report, nil
}

// turns records which lanes have run: all lanes before next, and the lanes of later parts, by their first lane.
type turns struct {
	mu     sync.Mutex
	passed sync.Cond
	next   int
	done   map[int]int
}

// wait waits until all lanes before a part have run. The first part that has not run never waits.
func (t *turns) wait(p *Part) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.next < p.First {
		t.passed.Wait()
	}
}

// pass records that the lanes of a part have run.
func (t *turns) pass(p *Part) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[p.First] = p.Lanes
	for n, ok := t.done[t.next]; ok; n, ok = t.done[t.next] {
		delete(t.done, t.next)
		t.next += n
	}
	t.passed.Broadcast()
}
