package exec

import (
	"context"
	"fmt"
)

// turn is the number of instructions that a wave of a block runs before the next wave.
const turn = 16

// barrier describes what a wave does at a barrier.
type barrier struct {
	there, arrives, waits bool
	number, count         uint64
	pc                    uint64
}

// block is a group of waves that share memory and synchronize at barriers.
type block struct {
	waves   []*Wave
	bars    map[uint64]*meeting // by number
	waiting map[*Wave]barrier
	races   *raceWatch // nil if races are not reported
	allowed *allowance // nil for no limit
}

// meeting is the state of a barrier of a block.
type meeting struct {
	arrived int
	count   uint64 // number of waves that must arrive; 0 for all
	// round counts how often the barrier was released. in is the round in which a wave arrived that has not waited yet.
	round int
	in    map[*Wave]int
	knew  []uint32 // the clocks of the waves that arrived in the last round
}

// newBlock returns a block of started waves.
func newBlock(waves []*Wave) *block {
	return &block{waves: waves, bars: map[uint64]*meeting{}, waiting: map[*Wave]barrier{}}
}

// reset resets the barriers of the block.
func (b *block) reset() {
	clear(b.bars)
	clear(b.waiting)
	if b.races != nil {
		b.races.reset()
	}
}

// RunBlock runs the waves of a block until all have stopped, or until the context is cancelled.
func RunBlock(ctx context.Context, waves []*Wave) error {
	_, err := newBlock(waves).run(ctx)
	return err
}

// run runs the waves in turns of a few instructions, in order, until all have stopped. If lanes stop abnormally, run
// returns early, and good is false, because the results of the other lanes are then meaningless. The error is that of
// the context.
func (b *block) run(ctx context.Context) (good bool, err error) {
	if len(b.waves) == 1 {
		return b.alone(ctx)
	}
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		ran := false
		for _, w := range b.waves {
			if _, waits := b.waiting[w]; waits || w.Done() {
				continue
			}
			ran = true
			if !w.spend(turn, b.allowed) {
				b.halt()
				return false, nil
			}
			b.meet(w)
			if w.failed() {
				return false, nil
			}
		}
		if ran {
			continue
		}
		if len(b.waiting) == 0 {
			return true, nil
		}
		b.deadlock()
		return false, nil
	}
}

// alone runs a block of one wave.
func (b *block) alone(ctx context.Context) (good bool, err error) {
	w := b.waves[0]
	for !w.Done() {
		enough, err := w.run(ctx, b.allowed)
		if err != nil {
			return false, err
		}
		if !enough {
			b.halt()
			break
		}
		b.meet(w)
		if _, waits := b.waiting[w]; waits {
			b.deadlock()
		}
	}
	return !w.failed(), nil
}

// GridBudget is Stop.Reason of lanes that stop because GridOptions.Total is used up.
const GridBudget = "grid budget"

// halt stops the remaining waves, because the allowance is used up.
func (b *block) halt() {
	clear(b.waiting)
	for _, w := range b.waves {
		w.halt(GridBudget, "")
	}
}

// failed reports whether lanes of a wave stopped abnormally.
func (w *Wave) failed() bool {
	for i := range w.stops {
		if r := w.stops[i].Reason; r != "end" && r != errNoWord.Error() {
			return true
		}
	}
	return false
}

// meet updates the barriers after the turn of a wave.
func (b *block) meet(w *Wave) {
	at := w.barrier
	w.barrier.there = false
	if at.there {
		b.come(w, at)
	}
	if w.Done() { // the remaining waves may all have arrived
		for number, m := range b.bars {
			if m.count == 0 && m.arrived > 0 {
				b.goOn(number, m)
			}
		}
	}
}

// come records that a wave arrives or waits at a barrier. A wave does not wait if the barrier was released after the
// wave arrived.
func (b *block) come(w *Wave, at barrier) {
	m := b.bars[at.number]
	if m == nil {
		m = &meeting{in: map[*Wave]int{}}
		b.bars[at.number] = m
	}
	m.count = at.count
	if at.arrives {
		m.arrived++
		m.in[w] = m.round
		if b.races != nil {
			b.races.arrive(w, at.number)
		}
	}
	round, arrived := m.in[w]
	if at.waits {
		delete(m.in, w)
		if !arrived || round == m.round {
			b.waiting[w] = at
		} else if b.races != nil {
			b.races.leave(w, m.knew)
		}
	}
	b.goOn(at.number, m)
}

// goOn releases the waiting waves of a barrier if enough waves have arrived.
func (b *block) goOn(number uint64, m *meeting) {
	if m.arrived < b.needed(m.count) {
		return
	}
	m.arrived = 0
	m.round++
	if b.races != nil {
		m.knew = b.races.joined[number]
		delete(b.races.joined, number)
	}
	for w, at := range b.waiting {
		if at.number != number {
			continue
		}
		delete(b.waiting, w)
		if b.races != nil {
			b.races.leave(w, m.knew)
		}
	}
}

// needed returns the number of waves that must arrive at a barrier. For a count of 0, these are all waves that have not
// stopped.
func (b *block) needed(count uint64) int {
	if count > 0 {
		return int(min(count, 1<<30))
	}
	n := 0
	for _, w := range b.waves {
		if !w.Done() {
			n++
		}
	}
	return max(n, 1)
}

// deadlock stops the waiting waves, because no wave can run.
func (b *block) deadlock() {
	for _, w := range b.waves {
		at, waits := b.waiting[w]
		if !waits {
			continue
		}
		delete(b.waiting, w)
		for _, g := range w.groups {
			text := fmt.Sprintf("barrier %d waits for %d, but only %d arrive", at.number, b.needed(at.count), b.bars[at.number].arrived)
			w.stops = append(w.stops, Stop{Reason: "deadlock", Text: text, PC: at.pc, Address: w.Program.Machine.Address(at.pc), Lanes: w.running(g.mask)})
		}
	}
	for _, w := range b.waves {
		w.groups = w.groups[:0]
	}
}
