package exec

import (
	"context"
	"sync"
)

// Grid is blocks of waves that run one program and share a launch's state; each block has state of its own.
type Grid struct {
	Program *Program
	// Shared is what all share.
	Shared *Shared
	// Blocks is the number of blocks, and Threads the number of lanes of a block. The description defines how many of them
	// make a wave.
	Blocks, Threads int
	Entry           uint64
	Services        map[string]Service
	// Fit prepares a wave before it is used for the first time: its numbers of registers, the sizes of its memories.
	Fit func(w *Wave)
	// Begin gives a block and its waves, which have been started, what they have at the beginning.
	Begin func(block int, own *Shared, waves []*Wave)
}

// GridOptions bound the run of a grid.
type GridOptions struct {
	// Jobs is the number of blocks that run at the same time; what they do to the memory that all share comes in
	// no order then.
	Jobs int
	// Budget is the number of instructions that each wave may dispatch; 0 is no bound.
	Budget int64
	// Total is the number of instructions that all waves may dispatch together; 0 is no bound.
	Total  int64
	Strict bool
	// Trace is told of each instruction of one wave, whose number among those of the grid is Traced.
	Trace  func(w *Wave, e Event)
	Traced int
	// Races asks for places in the memory of a block that waves reach for in no order.
	Races bool
	// Profile counts what runs; nil for nobody who asks. Watch is told of each access to a memory, one call at a
	// time.
	Profile *Profile
	Watch   func(w *Wave, a *Access)
	// Progress is told how many lanes of all are done, one call at a time.
	Progress func(done, all int)
}

// Waves returns the number of waves of a block.
func (g *Grid) Waves() int { return (g.Threads + g.width() - 1) / g.width() }

// width returns the number of lanes of a wave.
func (g *Grid) width() int { return g.Program.Machine.Lanes }

// Run runs the blocks in order, or several at a time. It ends with the first block in which lanes stop otherwise
// than by an end. The error is that of the context.
func (g *Grid) Run(ctx context.Context, opt GridOptions) (*Report, error) {
	r := &gridRun{g: g, opt: opt, tally: NewTally(), allowed: newAllowance(opt.Total)}
	jobs := max(1, min(opt.Jobs, g.Blocks))
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() { r.work(ctx, jobs > 1) })
	}
	wg.Wait()
	if r.err != nil {
		return nil, r.err
	}
	report := &Report{}
	r.tally.Finish(report)
	return report, nil
}

// gridRun is a run of a grid.
type gridRun struct {
	g   *Grid
	opt GridOptions

	mu      sync.Mutex
	next    int
	failed  bool
	err     error
	done    int
	tally   *Tally
	atomic  sync.Mutex
	allowed *allowance
}

// take returns the next block to run.
func (r *gridRun) take() (block int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed || r.err != nil || r.next == r.g.Blocks {
		return 0, false
	}
	r.next++
	return r.next - 1, true
}

// work runs blocks until there are no more.
func (r *gridRun) work(ctx context.Context, parallel bool) {
	block, ok := r.take()
	if !ok {
		return
	}
	own := NewShared(r.g.Program.Machine, ScopeBlock, ScopeBlock)
	waves := make([]*Wave, r.g.Waves())
	b := newBlock(waves)
	b.allowed = r.allowed
	if r.opt.Races {
		b.races = newRaceWatch(len(waves), r.g.Program.Machine)
	}
	profile := r.opt.Profile.like()
	for i := range waves {
		w := NewWave(r.g.Program, own, r.g.Shared)
		w.Services, w.Strict, w.Profile = r.g.Services, r.opt.Strict, profile
		w.Number, w.width = i, r.g.width()
		if parallel {
			w.Lock = &r.atomic
		}
		if r.g.Fit != nil {
			r.g.Fit(w)
		}
		w.Watch = r.watch(b)
		waves[i] = w
	}
	for ; ok; block, ok = r.take() {
		r.begin(b, own, block)
		good, err := b.run(ctx)
		if err == nil {
			err = ctx.Err()
		}
		r.finish(b, block, good, err)
	}
	r.mu.Lock()
	r.opt.Profile.add(profile)
	r.mu.Unlock()
}

// watch returns what is told of the accesses of a block, nil where nobody asks.
func (r *gridRun) watch(b *block) func(w *Wave, a *Access) {
	told := r.opt.Watch
	switch {
	case b.races == nil && told == nil:
		return nil
	case told == nil:
		return b.races.access
	}
	return func(w *Wave, a *Access) {
		if b.races != nil {
			b.races.access(w, a)
		}
		r.mu.Lock()
		told(w, a)
		r.mu.Unlock()
	}
}

// begin starts the waves of a block.
func (r *gridRun) begin(b *block, own *Shared, block int) {
	own.Reset()
	b.reset()
	for i, w := range b.waves {
		w.Budget = 1 << 62
		if r.opt.Budget > 0 {
			w.Budget = r.opt.Budget
		}
		w.Start(min(r.g.width(), r.g.Threads-i*r.g.width()), r.g.Entry)
		w.Trace = nil
		if r.opt.Trace != nil && block*len(b.waves)+i == r.opt.Traced {
			w.Trace = r.opt.Trace
		}
	}
	if r.g.Begin != nil {
		r.g.Begin(block, own, b.waves)
	}
}

// finish notes what a block gave.
func (r *gridRun) finish(b *block, block int, good bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.err = err
		return
	}
	for i, w := range b.waves {
		r.tally.Add(w, block*r.g.Threads+i*r.g.width())
	}
	if b.races != nil {
		b.races.collect(r.tally, block)
	}
	r.failed = r.failed || !good
	r.done++
	if r.opt.Progress != nil {
		r.opt.Progress(r.done*r.g.Threads, r.g.Blocks*r.g.Threads)
	}
}
