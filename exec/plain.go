package exec

import (
	"context"
	"slices"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// Plain is the reference engine. It runs the semantics of one instruction at a time, for up to 64 lanes.
var Plain Engine = plain{}

type plain struct{}

// Worker returns a worker with a wave.
func (plain) Worker(b *Binding, opt *RunOptions, parallel bool) (Worker, error) {
	l := b.Launch
	w := &plainWorker{Binding: b, opt: opt, wave: l.wave(parallel)}
	l.fitMemories(w.wave.Wave)
	w.wave.Services, w.wave.Strict = l.Services, opt.Strict
	w.gives, w.leaves = w.direct(b.Inputs), w.direct(b.Outputs)
	w.inOrder = repeats(b.Inputs)
	for i := range b.Outputs {
		if b.Outputs[i].Type() != (isa.Type{Kind: isa.Float, Bits: 32, Lanes: 1}) {
			w.leaves[i].st = nil
		}
	}
	return w, nil
}

// direct returns the planes of the wave for components. st is nil for a component without a plane.
func (w *plainWorker) direct(list []Component) []place {
	places := make([]place, len(list))
	for i := range list {
		c := &list[i]
		if st := w.wave.stores[c.State.Index]; !st.wide() && c.State.Kind == Registers && c.View == nil {
			places[i] = place{st, c.Number*st.comps + c.Comp}
		}
	}
	return places
}

// repeats reports whether a component may occur twice, directly or through a view.
func repeats(list []Component) bool {
	seen := map[Component]bool{}
	for _, c := range list {
		if c.View != nil || seen[c] {
			return true
		}
		seen[c] = true
	}
	return false
}

// place is a plane of a wave.
type place struct {
	st *store
	at int
}

// copied is a pair of planes, of a part and of a wave, between which all lanes are copied.
type copied struct {
	cells   []uint32
	plane   *plane
	written *uint64
}

// sort finds the planes of a part that can be copied for all lanes of a wave at once.
func (w *plainWorker) sort(p *Part) {
	w.in, w.rest = copies(w.in[:0], w.rest[:0], w.gives, p.In, p.Lanes)
	if w.inOrder {
		w.in, w.rest = w.in[:0], w.rest[:0]
		for i := range w.Inputs {
			w.rest = append(w.rest, i)
		}
	}
	w.out, w.others = copies(w.out[:0], w.others[:0], w.leaves, p.Out, p.Lanes)
}

func copies(list []copied, rest []int, places []place, planes []Plane, lanes int) ([]copied, []int) {
	for i := range planes {
		st, at, p := places[i].st, places[i].at, &planes[i]
		if st == nil || p.Missing != nil || len(p.U32) < max(lanes, Lanes) {
			rest = append(rest, i)
			continue
		}
		st.use(at)
		list = append(list, copied{p.U32, &st.planes[at], &st.written[at]})
	}
	return list, rest
}

// plainWorker runs parts on one wave.
type plainWorker struct {
	*Binding
	opt  *RunOptions
	wave idleWave
	// gives holds the places of the inputs, and leaves those of the outputs that are 32-bit floats.
	gives, leaves []place
	// in and out are the planes of a part that are copied for whole waves. rest and others are the numbers of the other
	// planes.
	in, out      []copied
	rest, others []int
	// inOrder is set if one input may overwrite another.
	inOrder bool
	// before holds the values of the outputs, and wrote the lanes that wrote them, before the program runs.
	before []plane
	wrote  []uint64
}

// Close keeps the wave for later runs.
func (w *plainWorker) Close() {
	w.wave.Trace = nil
	w.Launch.done(w.wave)
}

// Run runs a part, one wave after another.
func (w *plainWorker) Run(ctx context.Context, p *Part, t *Tally) error {
	if w.wave.ordered {
		w.wave.turn = p.wait
	}
	if w.Launch.Changed {
		p.changed = make([]bool, len(w.Outputs))
	}
	w.sort(p)
	for at := 0; at < p.Lanes; at += Lanes {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := w.runWave(ctx, p, at)
		t.Add(w.wave.Wave, p.First+at)
		if err != nil {
			return err
		}
	}
	return nil
}

// runWave runs the lanes of a part for one wave. at is the first of them.
func (w *plainWorker) runWave(ctx context.Context, p *Part, at int) error {
	n, v := min(Lanes, p.Lanes-at), w.wave.Wave
	v.Budget = 1 << 62
	if w.opt.Budget > 0 {
		v.Budget = w.opt.Budget
	}
	v.Number = (p.First + at) / Lanes
	v.Trace = nil
	if p.First+at == 0 { // only the first wave is traced
		v.Trace = w.opt.Trace
	}
	if n < Lanes {
		v.Start(n, w.Launch.Entry)
		for i := range w.Inputs {
			w.give(i, &p.In[i], at, n)
		}
	} else {
		w.startWhole(p, at)
	}
	w.remember(p, n)
	if err := RunBlock(ctx, []*Wave{v}); err != nil { // the only wave of its block waits for no other
		return err
	}
	if n < Lanes {
		for i := range w.Outputs {
			w.leave(i, &p.Out[i], at, n)
		}
	} else {
		for i := range w.out {
			o := &w.out[i]
			narrow((*[Lanes]uint32)(o.cells[at:]), o.plane)
		}
		for _, i := range w.others {
			w.leave(i, &p.Out[i], at, n)
		}
	}
	w.compare(p, at, n)
	w.leaveWords(p, at, n)
	return nil
}

// startWhole starts a wave with all lanes and sets their inputs. The start does not clear the registers that are set.
func (w *plainWorker) startWhole(p *Part, at int) {
	for i := range w.in {
		*w.in[i].written = 0
	}
	w.wave.Start(Lanes, w.Launch.Entry)
	for i := range w.in {
		widen(w.in[i].plane, (*[Lanes]uint32)(w.in[i].cells[at:]))
		*w.in[i].written = ^uint64(0)
	}
	for _, i := range w.rest {
		w.give(i, &p.In[i], at, Lanes)
	}
}

// give sets input i of n lanes from the cells of a plane, beginning with cell at.
func (w *plainWorker) give(i int, p *Plane, at, n int) {
	if p.Len() == 0 {
		return
	}
	lanes := ^uint64(0) >> uint(Lanes-n)
	if p.Missing != nil {
		if p.Len() == 1 {
			at = 0
		}
		if lanes &^= p.Missing[at/Lanes]; p.missing(0) && p.Len() == 1 {
			lanes = 0
		}
	}
	place := w.gives[i]
	if place.st == nil || p.Missing != nil {
		c := &w.Inputs[i]
		each(lanes, func(lane int) { w.wave.stores[c.State.Index].put(*c, lane, p.At(at+lane)) })
		return
	}
	place.st.use(place.at)
	place.st.written[place.at] |= lanes
	to := &place.st.planes[place.at]
	switch {
	case p.Len() == 1:
		fill(to[:n], p.At(0))
	case p.U64 != nil:
		copy(to[:n], p.U64[at:])
	default:
		for lane, v := range p.U32[at : at+n] {
			to[lane%Lanes] = uint64(v)
		}
	}
}

// leave copies output i of n lanes to the cells of a plane, beginning with cell at.
func (w *plainWorker) leave(i int, p *Plane, at, n int) {
	var values plane
	w.wave.column(w.Outputs[i], values[:n])
	for lane, v := range values[:n] {
		p.Set(at+lane, v)
	}
}

// narrow copies a plane of 32-bit floats into the cells of all lanes, with canonical NaNs.
func narrow(to *[Lanes]uint32, from *plane) {
	if truncate(to, from) {
		for lane, v := range from {
			to[lane] = uint32(sem.Canonical(v, sem.F32))
		}
	}
}

// remember records the outputs of n lanes before the program runs, if the launch requests the changed outputs.
func (w *plainWorker) remember(p *Part, n int) {
	if p.changed == nil {
		return
	}
	if w.before == nil {
		w.before, w.wrote = make([]plane, len(w.Outputs)), make([]uint64, len(w.Outputs))
	}
	for i, c := range w.Outputs {
		w.wave.column(c, w.before[i][:n])
		w.wrote[i] = w.wave.wrote(c)
	}
}

// compare records the outputs that the program changed, or wrote for the first time, in n lanes of a part.
func (w *plainWorker) compare(p *Part, at, n int) {
	for i := range p.changed {
		p.changed[i] = p.changed[i] || w.wave.wrote(w.Outputs[i])&^w.wrote[i] != 0
		for lane := range n {
			p.changed[i] = p.changed[i] || p.Out[i].At(at+lane) != w.before[i][lane]
		}
	}
}

// leaveWords adds to the part the written words of output memories that are not outputs of the binding.
func (w *plainWorker) leaveWords(p *Part, at, n int) {
	for _, st := range w.wave.stores {
		if st.known == nil || st.state.Use != "output" {
			continue
		}
		for number, lanes := range st.known {
			c := Component{State: st.public, Number: number}
			if lanes == 0 || slices.Contains(w.Outputs, c) {
				continue
			}
			if p.words == nil {
				p.words = map[Component][]uint64{}
			}
			if p.words[c] == nil {
				p.words[c] = make([]uint64, p.Lanes)
			}
			w.wave.column(c, p.words[c][at:at+n])
		}
	}
}
