package step

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	mathbits "math/bits"
	"slices"
	"strings"

	"github.com/isago/isago/exec"
)

// DefaultSteps is the maximum number of instructions that a wave dispatches if the query has no other.
const DefaultSteps = 10000

// memorySize is the number of bytes of a memory, or of the memory of a lane, whose size the description leaves open.
const memorySize = 1 << 16

// Runner runs programs of one machine. It is not safe for concurrent use.
type Runner struct {
	m *exec.Machine
	// sorted lists the states that a run can change, by name.
	sorted []*exec.State
	waves  [2]*exec.Wave // for one lane, and for several; nil before the first use
	mark   exec.Mark
	images []*image // by exec.State.Index; nil for registers and stacks
	dirty  []*image // the memories that may not be 0

	// The result of the latest run.
	result Result
	values []uint64
	calls  []Call
}

// image records which bytes of a memory may not be 0, and holds the contents before the run.
type image struct {
	state   *exec.State
	size    int      // the bytes of the memory, or of the memory of a lane
	touched []uint64 // a bit for each page
	dirty   bool     // whether a page is touched
	before  []byte   // nil before the first use
}

// sizeOf returns the number of bytes of a memory, or of the memory of a lane.
func sizeOf(s *exec.State) int { return cmp.Or(s.Count, memorySize) }

// pageBits is the logarithm of the size of a page.
const pageBits = 6

// Program is a program that a Runner runs.
type Program struct {
	program *exec.Program
	waves   [2]*exec.Wave // as in Runner
}

// Query is a program, and how it runs.
type Query struct {
	Program *Program
	// Lanes is the number of lanes, 0 to 64. 0 means 1.
	Lanes int
	// Active is the mask of the lanes that exist. 0 means all of them.
	Active uint64
	// Steps is the maximum number of instructions that the wave dispatches. 0 means DefaultSteps.
	Steps int64
	// Initial is the state before the run, with the program counter of all lanes. What it does not name is 0 or the initial
	// value of the description, and stacks are empty.
	Initial State
	// Read lists names of states whose registers the result has even if they did not change.
	Read []string
	// Trace, if it is not nil, is called for each event of the wave.
	Trace func(w *exec.Wave, e exec.Event)
}

// Result is what a run did.
type Result struct {
	// Changed has the registers, stacks and bytes that changed, and the registers that the query reads. All NaNs are equal.
	// PC is not set.
	Changed State
	// Calls are the calls of host callbacks, in order. Each callback returns 0.
	Calls []Call
	// Stops are the reasons why lanes stopped, ordered by the first lane. Waits is set if lanes wait at a barrier.
	Stops []exec.Stop
	Waits bool
	// Findings lists reads of unwritten registers, and behaviour of the machine that is not known.
	Findings []exec.Finding
	// Instructions is the number of instructions that the wave dispatched.
	Instructions int64
}

// Call is a call of a host callback by a lane. Args are the components of the arguments in hexadecimal.
type Call struct {
	Name string   `json:"name"`
	Args []string `json:"args"`
	Lane int      `json:"lane"`
}

// NewRunner returns a runner for a machine.
func NewRunner(m *exec.Machine) *Runner {
	r := &Runner{m: m, images: make([]*image, len(m.States))}
	for _, s := range m.States {
		if s.Scope != exec.ScopeInstruction && !s.ReadOnly {
			r.sorted = append(r.sorted, s)
		}
		if s.Kind == exec.Memory {
			x := &image{state: s, size: sizeOf(s)}
			all := x.size
			if s.Scope < exec.ScopeWave {
				all *= exec.Lanes
			}
			x.touched = make([]uint64, all>>pageBits/64+1)
			r.images[s.Index] = x
		}
	}
	slices.SortFunc(r.sorted, func(a, b *exec.State) int { return strings.Compare(a.Name, b.Name) })
	return r
}

// Machine returns the machine whose programs the runner runs.
func (r *Runner) Machine() *exec.Machine { return r.m }

// Program prepares a program for any number of runs. The instructions are compiled in the first of these.
func (r *Runner) Program(p *exec.Program) *Program { return &Program{program: p} }

// wave returns the wave on which a program runs.
func (r *Runner) wave(p *Program, lanes int) *exec.Wave {
	i := min(lanes-1, 1)
	if p.waves[i] == nil {
		if r.waves[i] == nil {
			r.waves[i] = r.newWave(p.program, lanes)
		}
		p.waves[i] = r.waves[i].Twin(p.program)
	}
	return p.waves[i]
}

// newWave returns a wave for one lane, or for any number if lanes is more.
func (r *Runner) newWave(p *exec.Program, lanes int) *exec.Wave {
	w := exec.NewWave(p)
	if lanes == 1 {
		w.SetWidth(1)
	}
	for _, x := range r.images {
		if x != nil {
			w.SetSize(x.state, x.size)
		}
	}
	w.KeepMemories, w.Watch = true, r.watch
	w.Services = map[string]exec.Service{}
	for _, name := range r.m.Services() {
		w.Services[name] = func(c *exec.Call) { r.called(name, c) }
	}
	return w
}

// called records the calls of a host callback, which all return 0.
func (r *Runner) called(name string, c *exec.Call) {
	for mask := c.Mask; mask != 0; mask &= mask - 1 {
		call := Call{Name: name, Args: []string{}, Lane: mathbits.TrailingZeros64(mask)}
		for _, a := range c.Args {
			call.Args = append(call.Args, fmt.Sprintf("%x", a[call.Lane]))
		}
		r.calls = append(r.calls, call)
	}
}

// watch records the pages that an instruction stores to.
func (r *Runner) watch(_ *exec.Wave, a *exec.Access) {
	if !a.Store {
		return
	}
	x := r.images[a.State.Index]
	for mask := a.Lanes; mask != 0; mask &= mask - 1 {
		lane := mathbits.TrailingZeros64(mask)
		if at := a.Addr(lane); at < uint64(x.size) && a.Size <= uint64(x.size)-at {
			r.touch(x, x.start(lane)+int(at), int(a.Size))
		}
	}
}

// start returns the position of the first byte of the memory of a lane.
func (x *image) start(lane int) int {
	if x.state.Scope >= exec.ScopeWave {
		return 0
	}
	return lane * x.size
}

// touch records that n bytes from a position on may not be 0.
func (r *Runner) touch(x *image, at, n int) {
	if !x.dirty {
		x.dirty = true
		r.dirty = append(r.dirty, x)
	}
	for page := at >> pageBits; page <= (at+n-1)>>pageBits; page++ {
		x.touched[page>>6] |= 1 << uint(page&63)
	}
}

// pages calls f for each page that may not be 0, in ascending order.
func (x *image) pages(size int, f func(from, to int)) {
	for i, word := range x.touched {
		for ; word != 0; word &= word - 1 {
			page := i<<6 + mathbits.TrailingZeros64(word)
			f(page<<pageBits, min((page+1)<<pageBits, size))
		}
	}
}

// Run runs a program. The result is valid until the next call. Run returns an error if the query has a mistake, and the
// error of ctx if that ends the run.
func (r *Runner) Run(ctx context.Context, q *Query) (*Result, error) {
	w, lanes, err := r.start(q)
	if err != nil {
		return nil, err
	}
	r.result, r.values, r.calls = Result{Changed: State{Registers: r.result.Changed.Registers[:0], Stacks: r.result.Changed.Stacks[:0], Memories: r.result.Changed.Memories[:0]}}, r.values[:0], nil
	w.Mark(&r.mark)
	if err := w.Run(ctx); err != nil {
		return nil, err
	}
	for _, name := range q.Read {
		if s := r.m.State(name); s == nil || s.Kind == exec.Memory {
			return nil, fmt.Errorf("read: unknown register %q", name)
		}
	}
	r.changes(w, q, lanes)
	out := &r.result
	out.Calls, out.Waits, out.Stops, out.Findings, out.Instructions = r.calls, w.Waits(), w.Stops(), w.Findings(), w.Instructions
	if len(out.Stops) > 1 {
		slices.SortStableFunc(out.Stops, func(a, b exec.Stop) int { return cmp.Compare(a.Lanes&-a.Lanes, b.Lanes&-b.Lanes) })
	}
	return out, nil
}

// start starts a wave with the initial state of a query.
func (r *Runner) start(q *Query) (w *exec.Wave, lanes int, err error) {
	lanes = max(1, q.Lanes)
	if err := cmp.Or(q.checkSize(), q.checkPC()); err != nil {
		return nil, 0, err
	}
	w = r.wave(q.Program, lanes)
	w.Budget, w.Trace = cmp.Or(q.Steps, DefaultSteps), q.Trace
	w.Start(lanes, q.Initial.PC)
	if q.Active != 0 {
		if q.Active&^w.Exists() != 0 {
			return nil, 0, activeError(fmt.Sprintf("%x", q.Active), lanes)
		}
		w.SetLanes(q.Active)
	}
	r.clear()
	return w, lanes, r.set(w, &q.Initial, lanes)
}

// checkSize checks the numbers of lanes and steps.
func (q *Query) checkSize() error {
	switch {
	case q.Lanes > exec.Lanes:
		return fmt.Errorf("the wave has %d lanes, expected at most %d", q.Lanes, exec.Lanes)
	case q.Steps < 0:
		return fmt.Errorf("steps %d, expected the maximum number of instructions, or 0 for the default", q.Steps)
	}
	return nil
}

// checkPC checks that the program has a word at the program counter.
func (q *Query) checkPC() error {
	if _, ok := q.Program.program.Fetch(q.Initial.PC); !ok {
		return fmt.Errorf("no instruction starts at pc %d", q.Initial.PC)
	}
	return nil
}

func activeError(text string, lanes int) error {
	return fmt.Errorf("active %q, expected a nonzero hexadecimal mask of %d lanes", text, lanes)
}

// clear sets all bytes of the memories to 0.
func (r *Runner) clear() {
	for _, x := range r.dirty {
		for _, w := range r.waves { // each has memories of its own
			if w != nil && w.Used(x.state) {
				data := w.Memory(x.state)
				x.pages(len(data), func(from, to int) { clear(data[from:to]) })
			}
		}
		if x.before != nil {
			x.pages(len(x.before), func(from, to int) { clear(x.before[from:to]) })
		}
		clear(x.touched)
		x.dirty = false
	}
	r.dirty = r.dirty[:0]
}

// set sets the state of a wave.
func (r *Runner) set(w *exec.Wave, state *State, lanes int) error {
	for i := range state.Registers {
		x := &state.Registers[i]
		s := r.m.State(x.Name)
		if s == nil || s.Kind != exec.Registers || x.Number < 0 || x.Number >= s.Count || !has(s, x.Lane, lanes) || len(x.Values) > s.Type.Lanes {
			return fmt.Errorf("no register %s %d with %d components in lane %d", x.Name, x.Number, len(x.Values), x.Lane)
		}
		for k, v := range x.Values {
			w.Set(s, x.Number, k, max(x.Lane, 0), v)
		}
	}
	for i := range state.Stacks {
		if err := r.setStack(w, &state.Stacks[i], lanes); errors.Is(err, errFull) {
			return &stackError{i, max(state.Stacks[i].Lane, 0), err}
		} else if err != nil {
			return err
		}
	}
	for i := range state.Memories {
		x := &state.Memories[i]
		s := r.m.State(x.Name)
		if s == nil || s.Kind != exec.Memory || !has(s, x.Lane, lanes) {
			return fmt.Errorf("no memory %s in lane %d", x.Name, x.Lane)
		}
		image, data := r.images[s.Index], w.Memory(s)
		if x.Address > uint64(image.size) || uint64(len(x.Bytes)) > uint64(image.size)-x.Address {
			return fmt.Errorf("memory %s: %d bytes at address %d, expected an address within the %d bytes of the memory", x.Name, len(x.Bytes), x.Address, image.size)
		}
		if image.before == nil {
			image.before = make([]byte, len(image.touched)<<(6+pageBits))
		}
		at := image.start(x.Lane) + int(x.Address)
		copy(data[at:], x.Bytes)
		copy(image.before[at:], x.Bytes)
		if len(x.Bytes) > 0 {
			r.touch(image, at, len(x.Bytes))
		}
	}
	return nil
}

// has reports whether a wave of some lanes has a state in a lane, or in lane -1 if lanes share it.
func has(s *exec.State, lane, lanes int) bool {
	return lane < lanes && lane >= 0 == (s.Scope < exec.ScopeWave)
}

// stackError is the error for a full stack of the initial state, by its index.
type stackError struct {
	index, lane int
	error
}

var errFull = errors.New("more entries than the stack can hold")

func (r *Runner) setStack(w *exec.Wave, x *Stack, lanes int) error {
	s := r.m.State(x.Name)
	if s == nil || s.Kind != exec.Stack || !has(s, x.Lane, lanes) {
		return fmt.Errorf("no stack %s in lane %d", x.Name, x.Lane)
	}
	for _, e := range x.Entries {
		slots := make([]uint64, len(s.Slots))
		for i, slot := range s.Slots {
			slots[i] = e[slot.Name]
		}
		if !w.PushEntry(s, max(x.Lane, 0), slots) {
			return fmt.Errorf("%s: %w", x.Name, errFull)
		}
	}
	return nil
}

// changes records what changed, and what the query reads.
func (r *Runner) changes(w *exec.Wave, q *Query, lanes int) {
	for _, s := range r.sorted {
		switch {
		case s.Kind == exec.Memory:
			r.memory(w, s, lanes)
		case slices.Contains(q.Read, s.Name):
			all := ^uint64(0) >> uint(exec.Lanes-lanes)
			if s.Scope >= exec.ScopeWave {
				all = 1
			}
			for n := range s.Count {
				r.add(w, s, n, all)
				if s.Kind == exec.Stack {
					break
				}
			}
		default:
			w.Changed(&r.mark, s, func(n int, mask uint64) { r.add(w, s, n, mask) })
		}
	}
}

// add records a register or a stack in some lanes.
func (r *Runner) add(w *exec.Wave, s *exec.State, number int, mask uint64) {
	for ; mask != 0; mask &= mask - 1 {
		lane := mathbits.TrailingZeros64(mask)
		if s.Kind == exec.Stack {
			r.result.Changed.Stacks = append(r.result.Changed.Stacks, stackOf(w, s, lane))
			continue
		}
		x := register(s, number, lane)
		first := len(r.values)
		for k := range s.Type.Lanes {
			r.values = append(r.values, exec.Canonical(w.Get(s, number, k, lane), s.Type))
		}
		x.Values = r.values[first:len(r.values):len(r.values)]
		r.result.Changed.Registers = append(r.result.Changed.Registers, x)
	}
}

func stackOf(w *exec.Wave, s *exec.State, lane int) Stack {
	x := Stack{Name: s.Name, Lane: owner(s, lane), Entries: []map[string]uint64{}}
	for k := w.Depth(s, lane) - 1; k >= 0; k-- {
		e := map[string]uint64{}
		for i, slot := range s.Slots {
			e[slot.Name] = w.Entry(s, k, i, lane)
		}
		x.Entries = append(x.Entries, e)
	}
	return x
}

// memory records the runs of bytes of a memory that changed.
func (r *Runner) memory(w *exec.Wave, s *exec.State, lanes int) {
	x := r.images[s.Index]
	if !x.dirty {
		return
	}
	data := w.Memory(s)
	if x.before == nil {
		x.before = make([]byte, len(x.touched)<<(6+pageBits))
	}
	list := &r.result.Changed.Memories
	lane, end := 0, -1 // of the latest run
	x.pages(len(data), func(from, to int) {
		if bytes.Equal(data[from:to], x.before[from:to]) {
			return
		}
		for i := from; i < to; i++ {
			if data[i] == x.before[i] {
				continue
			}
			if i == end && (i%x.size > 0 || x.start(1) == 0) {
				m := &(*list)[len(*list)-1]
				at := x.start(lane) + int(m.Address)
				m.Bytes = data[at : i+1]
			} else {
				if x.start(1) > 0 {
					lane = i / x.size
				}
				*list = append(*list, Memory{s.Name, owner(s, lane), uint64(i - x.start(lane)), data[i : i+1]})
			}
			end = i + 1
		}
	})
}

// Final returns the state after the latest run, whose query was q: all that q.Initial names, and all that changed. PC is
// where the first lane continues or has stopped.
func (r *Runner) Final(q *Query) State {
	w, out := r.wave(q.Program, max(1, q.Lanes)), State{}
	if stops := r.result.Stops; len(stops) > 0 {
		out.PC = stops[0].PC
	}
	w.PCs(func(pc, lanes uint64) {
		if len(r.result.Stops) == 0 || lanes&-lanes < r.result.Stops[0].Lanes&-r.result.Stops[0].Lanes {
			out.PC = pc
		}
	})
	type place struct {
		name         string
		number, lane int
	}
	registers, stacks := map[place]bool{}, map[place]bool{}
	for _, list := range [][]Register{q.Initial.Registers, r.result.Changed.Registers} {
		for _, x := range list {
			at := place{x.Name, x.Number, x.Lane}
			if registers[at] {
				continue
			}
			registers[at] = true
			s := r.m.State(x.Name)
			x = register(s, x.Number, x.Lane)
			for k := range s.Type.Lanes {
				x.Values = append(x.Values, exec.Canonical(w.Get(s, x.Number, k, max(x.Lane, 0)), s.Type))
			}
			out.Registers = append(out.Registers, x)
		}
	}
	for _, list := range [][]Stack{q.Initial.Stacks, r.result.Changed.Stacks} {
		for _, x := range list {
			if at := (place{name: x.Name, lane: x.Lane}); !stacks[at] {
				stacks[at] = true
				x = stackOf(w, r.m.State(x.Name), max(x.Lane, 0))
				out.Stacks = append(out.Stacks, x)
			}
		}
	}
	out.Memories = r.finalMemories(w, slices.Concat(q.Initial.Memories, r.result.Changed.Memories))
	return out
}

// finalMemories returns the bytes of runs, of which those that touch or overlap are one.
func (r *Runner) finalMemories(w *exec.Wave, runs []Memory) (out []Memory) {
	slices.SortFunc(runs, func(a, b Memory) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Address, b.Address))
	})
	for _, x := range runs {
		s := r.m.State(x.Name)
		data := w.Memory(s)[r.images[s.Index].start(max(x.Lane, 0)):]
		end := x.Address + uint64(len(x.Bytes))
		if n := len(out) - 1; n >= 0 && out[n].Name == x.Name && out[n].Lane == x.Lane && x.Address <= out[n].Address+uint64(len(out[n].Bytes)) {
			out[n].Bytes = data[out[n].Address:max(end, out[n].Address+uint64(len(out[n].Bytes)))]
			continue
		}
		x.Bytes = data[x.Address:end]
		out = append(out, x)
	}
	for i := range out {
		out[i].Bytes = bytes.Clone(out[i].Bytes)
	}
	return out
}
