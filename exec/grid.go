package exec

import (
	"context"
	"sync"
)

// Grid is a number of blocks of waves that run one program. All blocks share the state of the launch, and each block
// has its own state.
type Grid struct {
	Program *Program
	// Shared is the state that all blocks share.
	Shared *Shared
	// Blocks is the number of blocks, and Threads the number of lanes of a block. The description defines how many of them
	// make a wave.
	Blocks, Threads int
	Entry           uint64
	Services        map[string]Service
	// Fit, if it is not nil, prepares a new wave: it sets the numbers of registers and the sizes of memories.
	Fit func(w *Wave)
	// Begin, if it is not nil, sets the initial state of a block and its started waves.
	Begin func(block int, own *Shared, waves []*Wave)
}

// GridOptions are the options of Grid.Run.
type GridOptions struct {
	// Jobs is the number of blocks that run in parallel. The order of their accesses to shared memory is then
	// undefined.
	Jobs int
	// Budget limits the instructions that each wave dispatches. 0 is no limit.
	Budget int64
	// Total limits the instructions that all waves together dispatch. 0 is no limit. Strict is that of Wave.
	Total  int64
	Strict bool
	// Trace, if it is not nil, is called for each event of the wave whose number in the grid is Traced.
	Trace  func(w *Wave, e Event)
	Traced int
	// Races makes the run report data races in the memories of the blocks.
	Races bool
	// Profile, if it is not nil, counts the instructions. Watch, if it is not nil, is called before each access to a
	// memory. Calls do not overlap.
	Profile *Profile
	Watch   func(w *Wave, a *Access)
	// Progress, if it is not nil, is called with the number of finished lanes and of all lanes. Calls do not overlap.
	Progress func(done, all int)
}

// Waves returns the number of waves of a block.
func (g *Grid) Waves() int { return (g.Threads + g.width() - 1) / g.width() }

// width returns the number of lanes of a wave.
func (g *Grid) width() int { return g.Program.Machine.Lanes }

// Run runs the blocks in order, or several in parallel. It starts no more blocks after lanes of a block have stopped
// abnormally. It returns an error if the context is cancelled.
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

// take returns the number of the next block.
func (r *gridRun) take() (block int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed || r.err != nil || r.next == r.g.Blocks {
		return 0, false
	}
	r.next++
	return r.next - 1, true
}

// work runs blocks until none are left.
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

// watch returns the function that is called before each access of a block, or nil.
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

// finish records the results of a block.
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
