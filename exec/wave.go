package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Words are the words of a program, and the settings that determine what the words mean.
type Words struct {
	// Root is the root of the words that the program counter addresses.
	Root *isa.Root
	// Fetch returns the bits that start at an address, in units of the program counter, with the instruction in the
	// low bits. ok is false if the program has no word at the address.
	Fetch func(addr uint64) (v bits.Value, ok bool)
	// Inner returns a word that an instruction executes. number is the position of the word, in words of the size of
	// root. Inner may be nil if no instruction executes others.
	Inner func(root *isa.Root, number uint64) (v bits.Value, ok bool)
	// Context holds the values of the contexts.
	Context bits.Value
	// Tables holds the entries of the tables that are separate from the code, in the order of isa.Set.Tables.
	Tables [][]bits.Value
	// Quirks holds values that Machine.ParseQuirks returned. Other quirks have their defaults.
	Quirks map[string]uint64
}

// Program is a program that waves run. Each word is lowered when it is first reached. A Program is safe for concurrent
// use.
type Program struct {
	Machine *Machine
	Words

	root *model.Root
	mu   sync.Mutex
	code map[uint64]*sem.Code
	errs map[uint64]error
}

// NewProgram returns a program.
func NewProgram(m *Machine, words Words) *Program {
	return &Program{Machine: m, Words: words, root: m.sem.Model.Roots[words.Root.ID], code: map[uint64]*sem.Code{}, errs: map[uint64]error{}}
}

// Quirk returns the value of a quirk for this program. The values false and true are 0 and 1. Quirk returns 0 if the
// machine has no quirk with this name.
func (p *Program) Quirk(name string) uint64 {
	for _, q := range p.Machine.sem.Quirks() {
		if q.Name != name {
			continue
		}
		if v, ok := p.Quirks[name]; ok {
			return v
		}
		return q.Default
	}
	return 0
}

// Code returns the lowered instruction at an address, and caches it. It returns an error if the program has no word at
// the address, or if the word is not an instruction or has no semantics. Only packages of this module can call Code.
func (p *Program) Code(_ inside.Key, addr uint64) (*sem.Code, error) { return p.lowered(addr) }

// Lower lowers a word at an address. Only packages of this module can call it.
func (p *Program) Lower(_ inside.Key, v bits.Value, addr uint64) (*sem.Code, error) {
	return p.lower(v, addr)
}

func (p *Program) lower(v bits.Value, addr uint64) (*sem.Code, error) {
	return p.Machine.sem.Lower(p.root, p.words(), v, addr)
}

// words returns the settings for lowering a word of the program.
func (p *Program) words() *sem.Words {
	w := &sem.Words{Context: p.Context, Tables: p.Tables, Quirks: p.Quirks}
	if p.Inner != nil {
		roots := p.Machine.set.Roots()
		w.Word = func(root *model.Root, number uint64) (bits.Value, bool) { return p.Inner(roots[root.ID], number) }
	}
	return w
}

// maxKept is the most instructions that are kept lowered, and prepared for a wave: each takes some 20 kB. Those of a
// program that is longer are all forgotten then, and made again where they are reached again.
const maxKept = 1 << 14

// errNoWord is the error of an address at which the program has no word.
var errNoWord = errors.New("end of words")

// lowered returns the lowered instruction at an address.
func (p *Program) lowered(addr uint64) (*sem.Code, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.code[addr]; ok {
		return c, p.errs[addr]
	}
	if len(p.code) >= maxKept {
		clear(p.code)
		clear(p.errs)
	}
	v, ok := p.Fetch(addr)
	c, err := (*sem.Code)(nil), errNoWord
	if ok {
		c, err = p.lower(v, addr)
	}
	p.code[addr], p.errs[addr] = c, err
	return c, err
}

// Shared is the state that waves share: of a launch, or of a block.
type Shared struct {
	stores []*store // by State.Index; nil for a state that it does not hold
	// placed counts how often a memory was given bytes: waves remember where it can be reached.
	placed int
}

// NewShared returns the state of the scopes from one up to another, as it is before anybody writes it.
func NewShared(m *Machine, from, to Scope) *Shared {
	s := &Shared{stores: make([]*store, len(m.States))}
	for i, st := range m.States {
		if st.Scope >= from && st.Scope <= to {
			s.stores[i] = newStore(m.sem.States[i], st)
			s.stores[i].data(0) // now: several goroutines may use it
		}
	}
	return s
}

// Stop says why lanes no longer run.
type Stop struct {
	// Reason is end, trap, budget, deadlock, unknown word, end of words, or why the instruction has no meaning.
	Reason string
	// Text says more of a trap.
	Text string
	// Detail says what the first of the lanes did.
	Detail string
	// PC is the address of the instruction, in units of the program counter; Address is the same in bytes, or the address
	// of the instruction that this one runs.
	PC, Address uint64
	// Lanes are the lanes that stopped so, bit 0 the first.
	Lanes uint64
}

// String returns the reason and the place.
func (s Stop) String() string {
	text := s.Reason
	if s.Text != "" {
		text += ": " + s.Text
	}
	if s.Detail != "" {
		text += " (" + s.Detail + ")"
	}
	return fmt.Sprintf("%s at 0x%x", text, s.Address)
}

// Finding is a read of what nobody wrote, or something that is not known of the machine.
type Finding struct {
	// PC is the address of the instruction, in units of the program counter; Address is the same in bytes, or the address
	// of the instruction that this one runs.
	PC, Address uint64
	// State, Number and Comp are what was read; State is nil where Text says what is not known.
	State  *State
	Number int
	Comp   int
	Text   string
	// Lanes are those in which it happened, bit 0 the first.
	Lanes uint64
}

// Event is a moment of which a trace is told: before an instruction, before each that it runs, and behind it.
type Event struct {
	Kind EventKind
	// PC is the address of the instruction, Lanes those that run it, or what it runs.
	PC, Lanes uint64
	// Op is the number of the operation with which an instruction starts that the one at PC runs.
	Op int
}

// EventKind tells events apart.
type EventKind uint8

// The kinds of events: an instruction starts, it runs another of the program, it ends.
const (
	Starts EventKind = iota
	Runs
	Ends
)

// Service answers a call of the surroundings, once for all lanes of the mask.
type Service func(c *Call)

// Call is a call of a service.
type Call struct {
	Wave *Wave
	// Mask are the lanes that call, bit 0 the first.
	Mask uint64
	// Args and Results are components, in the order of the parameters and of the result, each with its bits by lane. Args
	// are to be read while the call lasts; Results hold something old until they are given.
	Args, Results []*[Lanes]uint64
	service       *sem.Service
}

// Arg returns the argument for the parameter with a name: its components, each with its bits by lane. It returns nil if the
// callback has no such parameter.
func (c *Call) Arg(name string) []*[Lanes]uint64 {
	first, n := c.service.Find(name)
	if n == 0 {
		return nil
	}
	return c.Args[first : first+n]
}

// Unknown notes that nobody knows what the surroundings do for the lanes of the call.
func (c *Call) Unknown(text string) { c.Wave.unknown(text, c.Mask) }

// Wave is up to 64 lanes that run one program. It is not for use by several goroutines at once.
type Wave struct {
	Program *Program
	// Services by name; a call of one that is missing traps.
	Services map[string]Service
	// Budget is the number of instructions that may still be dispatched, each for as many lanes as come to it.
	Budget int64
	// Strict traps where what nobody wrote is read.
	Strict bool
	// Trace is told of each instruction.
	Trace func(w *Wave, e Event)
	// Watch is called before each access to a memory.
	Watch func(w *Wave, a *Access)
	// Lock is held while lanes do what is atomic: where waves run at the same time.
	Lock sync.Locker
	// Profile counts what runs; nil for nobody who asks.
	Profile *Profile
	// Number is that of the wave in its block.
	Number int
	// Instructions counts what was dispatched, LaneInstructions what lanes ran; both count what other
	// instructions run.
	Instructions, LaneInstructions int64

	// turn waits until all waves before this one are done; nil for a wave that comes in no order. It is called before an
	// instruction that writes what waves share, or reads what others may write.
	turn func()

	stores   []*store
	own      []*store
	exists   uint64
	width    int    // the lanes that it may have: no other is worked at
	whole    uint64 // the lanes with which it started: what others hold does not matter
	groups   []group
	stops    []Stop
	findings map[Finding]uint64 // the lanes of each, which is kept without them

	code         map[uint64]*compiled
	dense        []*compiled
	active       uint64
	lanes        uint64 // those of active that run: what the others hold nobody asks for
	pcs          plane
	jumped       uint64
	along        bool // all lanes jumped, to the first of pcs
	ended        uint64
	barrier      barrier
	pc           uint64
	inner        inner
	on           *uint64 // what running reads, nil for a machine whose lanes have counters of their own
	consts       map[uint64]*plane
	resultPlanes map[*sem.Inst][]*plane
	temps        []*plane
}

// inner is the address in bytes of an instruction that the one at the program counter runs, if it is at one.
type inner struct {
	there   bool
	address uint64
}

// group are lanes that go on at the same address.
type group struct {
	pc   uint64
	mask uint64
}

// compare orders findings by address, then register, then text.
func (f Finding) compare(g Finding) int {
	index := func(s *State) int {
		if s == nil {
			return -1
		}
		return s.Index
	}
	return cmp.Or(cmp.Compare(f.PC, g.PC), cmp.Compare(f.Address, g.Address), cmp.Compare(index(f.State), index(g.State)), cmp.Compare(f.Number, g.Number), cmp.Compare(f.Comp, g.Comp), strings.Compare(f.Text, g.Text))
}

// NewWave returns a wave whose shared state is given; what no Shared holds is its own.
func NewWave(p *Program, shared ...*Shared) *Wave {
	w := &Wave{Program: p, width: Lanes, Budget: 1 << 40, findings: map[Finding]uint64{}, code: map[uint64]*compiled{}, consts: map[uint64]*plane{}, resultPlanes: map[*sem.Inst][]*plane{}}
	for i, s := range p.Machine.sem.States {
		var st *store
		for _, sh := range shared {
			if st == nil {
				st = sh.stores[i]
			}
		}
		if st == nil {
			st = newStore(s, p.Machine.States[i])
			w.own = append(w.own, st)
		}
		w.stores = append(w.stores, st)
		if p.Machine.sem.Wave && s.InitExists && st.wide() {
			w.on = &st.scalars[0]
		}
	}
	return w
}

// Start gives the wave so many lanes, 0 to 64, which begin at an address, and its own state what it has before anybody
// writes it.
func (w *Wave) Start(lanes int, pc uint64) {
	w.start(lanes, pc, func(*sem.State) bool { return false })
}

func (w *Wave) start(lanes int, pc uint64, keeps func(s *sem.State) bool) {
	w.exists = ^uint64(0) >> uint(Lanes-lanes)
	w.whole = w.exists
	for _, st := range w.own {
		if !keeps(st.state) {
			st.reset(w.exists)
		}
	}
	w.groups = w.groups[:0]
	if lanes > 0 {
		w.groups = append(w.groups, group{pc, w.exists})
	}
	w.stops = w.stops[:0]
	clear(w.findings)
	w.Instructions, w.LaneInstructions = 0, 0
}

// Restart begins the program again, with as many lanes as at Start. Registers hold what they held, and what was written
// still counts as written; stacks and memories of the wave are as they are at Start.
func (w *Wave) Restart(pc uint64) {
	lanes := popcount(w.whole)
	w.start(lanes, pc, func(s *sem.State) bool {
		return s.Kind == sem.FileState && s.Scope != spec.ScopeInstruction && !s.InitExists
	})
}

// SetLanes says which lanes there are, bit 0 the first, where that is not all from the first on. It is said behind Start.
func (w *Wave) SetLanes(mask uint64) {
	w.exists = mask
	for _, st := range w.own {
		if st.state.InitExists {
			st.reset(mask)
		}
	}
	for i := range w.groups {
		w.groups[i].mask &= mask
	}
	w.groups = slices.DeleteFunc(w.groups, func(g group) bool { return g.mask == 0 })
}

// Exists returns the lanes that there are, bit 0 the first.
func (w *Wave) Exists() uint64 { return w.exists }

// Set gives a component of a register its bits in a lane, no more than the component has, and Get returns them. There has
// to be such a register, such a component and such a lane. What lanes share has one value, whatever the lane.
func (w *Wave) Set(s *State, number, comp, lane int, v uint64) {
	w.stores[s.Index].set(number, comp, lane, v)
}

// Get returns the bits of a component of a register in a lane: a NaN as it is.
func (w *Wave) Get(s *State, number, comp, lane int) uint64 {
	return w.stores[s.Index].get(number, comp, lane)
}

// Written returns the lanes in which somebody wrote a component of a register, bit 0 the first; of a memory for input or
// output, a word.
func (w *Wave) Written(s *State, number, comp int) uint64 {
	st := w.stores[s.Index]
	if st.state.Kind == sem.MemoryState {
		if number >= len(st.known) {
			return 0
		}
		return st.known[number]
	}
	return st.written[number*st.comps+comp]
}

// Get returns the value of a component of a shared register.
func (s *Shared) Get(st *State, number, comp int) uint64 {
	return s.stores[st.Index].get(number, comp, 0)
}

// Memory returns the bytes of a memory; of one that each lane has those of all lanes, one behind the other.
func (w *Wave) Memory(s *State) []byte {
	st := w.stores[s.Index]
	st.data(0)
	return st.bytes
}

// Used reports whether a memory has its bytes: nothing made, read or wrote one that has none, and it holds 0.
func (w *Wave) Used(s *State) bool { return w.stores[s.Index].bytes != nil }

// SetMemory gives a memory its bytes, which are used and not copied.
func (w *Wave) SetMemory(s *State, data []byte) {
	st := w.stores[s.Index]
	w.fit(st, len(data))
	st.bytes = data
}

// fit gives a memory its size. Instructions that were prepared remember where it can be reached.
func (w *Wave) fit(st *store, n int) {
	if st.size == n {
		return
	}
	st.bytes, st.size = nil, n
	w.forget()
}

// forget drops what was prepared.
func (w *Wave) forget() {
	clear(w.code)
	clear(w.dense)
	clear(w.consts)
	clear(w.resultPlanes)
}

// SetSize says how many bytes a memory has, of each lane where each has its own.
func (w *Wave) SetSize(s *State, n int) { w.fit(w.stores[s.Index], n) }

// SetCount says how many registers of a file there are: those from that number on are outside. It is said before
// the wave runs. A file whose numbers wrap has always all of them.
func (w *Wave) SetCount(s *State, n int) {
	w.stores[s.Index].limit(n)
}

// Allocate gives the wave n registers of each file of which a launch decides how many there are. It is said before the
// wave runs.
func (w *Wave) Allocate(n int) {
	for _, st := range w.stores {
		if st.state.Allocated {
			st.limit(n)
		}
	}
}

// Set gives a component of a shared register its value.
func (s *Shared) Set(st *State, number, comp int, v uint64) {
	s.stores[st.Index].set(number, comp, 0, v)
}

// Clear gives a component of a shared register the value that it has before anybody writes it, and it counts as unwritten.
func (s *Shared) Clear(st *State, number, comp int) {
	x := s.stores[st.Index]
	i := number*x.comps + comp
	x.scalars[i], x.written[i] = x.state.Init, 0
}

// Memory returns the bytes of a shared memory.
func (s *Shared) Memory(st *State) []byte { return s.stores[st.Index].data(0) }

// SetMemory gives a shared memory its bytes, which are used and not copied, and says which parts of it hold
// something, in order; none where all does.
func (s *Shared) SetMemory(st *State, data []byte, areas ...Area) {
	m := s.stores[st.Index]
	m.bytes, m.size, m.areas = data, len(data), areas
	s.placed++
}

// Reset gives what is shared the values that it has before anybody writes it.
func (s *Shared) Reset() {
	for _, st := range s.stores {
		if st != nil {
			st.reset(0)
		}
	}
}

// Depth returns the number of entries of a stack in a lane.
func (w *Wave) Depth(s *State, lane int) int { return w.stores[s.Index].depthIn(lane) }

// Entry returns the bits of a slot of the entry k below the top of a stack in a lane, of which there have to be more than k.
func (w *Wave) Entry(s *State, k, slot, lane int) uint64 {
	st := w.stores[s.Index]
	at, _ := st.entry(k, lane)
	return st.get(at, slot, lane)
}

// PushEntry puts an entry onto a stack in a lane: the bits of each slot. It reports false where the stack is full and that
// traps.
func (w *Wave) PushEntry(s *State, lane int, slots []uint64) bool {
	st := w.stores[s.Index]
	if st.wide() {
		lane = 0
	} else {
		st.part()
	}
	return st.push(lane, func(i int) uint64 { return slots[i] })
}

// Stops lists why lanes stopped, in the order in which they did.
func (w *Wave) Stops() []Stop { return w.stops }

// Findings lists reads of what nobody wrote, by address and register, and what is not known of the machine.
func (w *Wave) Findings() []Finding {
	list := slices.SortedFunc(maps.Keys(w.findings), Finding.compare)
	for i := range list {
		list[i].Lanes = w.findings[list[i]]
	}
	return list
}

// PCs calls f with the addresses at which lanes go on, the lowest first, and with the lanes, bit 0 the first.
func (w *Wave) PCs(f func(pc, lanes uint64)) {
	for _, g := range w.groups {
		f(g.pc, g.mask)
	}
}

// Run runs until all lanes have stopped, or wait at a barrier. The error is that of the context; the wave can go on then.
func (w *Wave) Run(ctx context.Context) error {
	_, err := w.run(ctx, nil)
	return err
}

// slice is the number of instructions after which a wave that runs alone looks whether it is to go on.
const slice = 1 << 12

// run is Run for a wave that shares an allowance, which is nil for none. It reports whether that was enough.
func (w *Wave) run(ctx context.Context, a *allowance) (enough bool, err error) {
	for {
		if !w.spend(slice, a) {
			return false, nil
		}
		if w.Done() || w.Waits() {
			return true, nil
		}
		if err := ctx.Err(); err != nil {
			return true, err
		}
	}
}

// spend is RunFor, as far as an allowance goes. It reports false where nothing is left of it.
func (w *Wave) spend(n int, a *allowance) bool {
	if a == nil {
		w.RunFor(n)
		return true
	}
	if n = a.take(n); n == 0 {
		return false
	}
	before := w.Budget
	w.RunFor(n)
	a.left.Add(int64(n) - (before - w.Budget))
	return true
}

// allowance is the number of instructions that waves may still dispatch together.
type allowance struct{ left atomic.Int64 }

// newAllowance returns an allowance of n instructions, nil where n is 0: no bound.
func newAllowance(n int64) *allowance {
	if n == 0 {
		return nil
	}
	a := &allowance{}
	a.left.Store(n)
	return a
}

// take takes up to n instructions from the allowance, and returns how many.
func (a *allowance) take(n int) int {
	for {
		left := a.left.Load()
		taken := min(int64(n), left)
		if a.left.CompareAndSwap(left, left-taken) {
			return int(taken)
		}
	}
}

// RunFor dispatches so many instructions, fewer where all lanes stop before, or the wave comes to a barrier.
func (w *Wave) RunFor(n int) {
	w.barrier.there = false
	for ; n > 0 && len(w.groups) > 0 && !w.barrier.there; n-- {
		w.Step()
	}
}

// Waits reports whether the wave stands at a barrier; Run goes on behind it.
func (w *Wave) Waits() bool { return w.barrier.there && w.barrier.waits }

// Done reports whether all lanes have stopped.
func (w *Wave) Done() bool { return len(w.groups) == 0 }

// halt stops the lanes that still run.
func (w *Wave) halt(reason, text string) {
	for _, g := range w.groups {
		w.stops = append(w.stops, Stop{Reason: reason, Text: text, PC: g.pc, Address: w.Program.Machine.Address(g.pc), Lanes: w.running(g.mask)})
	}
	w.groups = w.groups[:0]
}

// running returns the lanes of a group that run: where the wave has one counter for all, a register that starts as
// the mask of the lanes there are says it.
func (w *Wave) running(lanes uint64) uint64 {
	if w.on != nil && *w.on&lanes != 0 {
		return *w.on & lanes
	}
	return lanes
}

// Step dispatches one instruction, for the lanes at the lowest address.
func (w *Wave) Step() {
	g := w.groups[0]
	if w.Budget <= 0 {
		w.halt("budget", "")
		return
	}
	w.Budget--
	c := w.at(g.pc)
	if c.err != nil {
		w.groups = w.groups[1:]
		w.stops = append(w.stops, Stop{Reason: c.err.Error(), PC: g.pc, Address: w.Program.Machine.Address(g.pc), Lanes: w.running(g.mask)})
		return
	}
	w.Instructions++
	lanes := g.mask
	if w.on != nil {
		lanes &= *w.on
	}
	w.lanes = lanes
	w.LaneInstructions += int64(popcount(lanes))
	w.active, w.jumped, w.along, w.ended, w.pc, w.inner.there = g.mask, 0, false, 0, g.pc, false
	if w.Trace != nil {
		w.Trace(w, Event{Kind: Starts, PC: g.pc, Lanes: lanes})
	}
	c.run(w)
	if w.Trace != nil {
		w.Trace(w, Event{Kind: Ends, PC: g.pc, Lanes: lanes})
	}
	if w.Profile != nil {
		w.Profile.count(g.pc, lanes, w.running(g.mask&^w.ended))
	}
	switch {
	case w.jumped|w.ended == 0:
		w.advance(c.next)
	case w.along && w.ended == 0:
		w.advance(w.pcs[0])
	default:
		w.split(g, c.next)
	}
}

// advance moves the first group on.
func (w *Wave) advance(next uint64) {
	w.groups[0].pc = next
	if len(w.groups) > 1 && next >= w.groups[1].pc {
		g := w.groups[0]
		w.groups = w.groups[1:]
		w.insert(g)
	}
}

// split sends the lanes of the first group where each of them goes.
func (w *Wave) split(g group, next uint64) {
	w.groups = append(w.groups[:0], w.groups[1:]...)
	rest := g.mask &^ w.ended
	if w.along {
		fill(w.pcs[:], w.pcs[0])
	}
	if stay := rest &^ w.jumped; stay != 0 {
		w.insert(group{next, stay})
	}
	for left := rest & w.jumped; left != 0; {
		first := trailing(left)
		to := group{pc: w.pcs[first]}
		each(left, func(lane int) {
			if w.pcs[lane] == to.pc {
				to.mask |= 1 << uint(lane)
			}
		})
		left &^= to.mask
		w.insert(to)
	}
}

// insert keeps the groups sorted by address; those that meet are one again.
func (w *Wave) insert(g group) {
	i := sort.Search(len(w.groups), func(i int) bool { return w.groups[i].pc >= g.pc })
	if i < len(w.groups) && w.groups[i].pc == g.pc {
		w.groups[i].mask |= g.mask
		return
	}
	w.groups = append(w.groups, group{})
	copy(w.groups[i+1:], w.groups[i:])
	w.groups[i] = g
}

// at returns the compiled instruction at an address.
func (w *Wave) at(pc uint64) *compiled {
	if pc < uint64(len(w.dense)) && w.dense[pc] != nil {
		return w.dense[pc]
	}
	c := w.code[pc]
	if c == nil {
		if len(w.code) >= maxKept {
			w.forget()
		}
		code, err := w.Program.lowered(pc)
		if c = (&compiled{code: code, err: err}); err == nil {
			c.next = code.Next
			c.watch(w)
			c.atomic = slices.ContainsFunc(code.Insts, func(in sem.Inst) bool { return in.Op == sem.OpAtomic })
		}
		w.code[pc] = c
	}
	if pc < maxKept {
		for uint64(len(w.dense)) <= pc {
			w.dense = append(w.dense, nil)
		}
		w.dense[pc] = c
	}
	return c
}

// stop takes lanes out of the run.
func (w *Wave) stop(mask uint64, reason, text string) { w.stopWith(mask, reason, text, nil) }

// stopWith takes lanes out of the run; detail says more of the first of them.
func (w *Wave) stopWith(mask uint64, reason, text string, detail func() string) {
	if mask &= w.active &^ w.ended; mask == 0 {
		return
	}
	w.ended |= mask
	for i := range w.stops {
		if s := &w.stops[i]; s.Reason == reason && s.Text == text && s.PC == w.pc && s.Address == w.address() {
			s.Lanes |= mask
			return
		}
	}
	s := Stop{Reason: reason, Text: text, PC: w.pc, Address: w.address(), Lanes: mask}
	if detail != nil {
		s.Detail = detail()
	}
	w.stops = append(w.stops, s)
}

// Unwritten notes that a service reads what nobody wrote, in the lanes of a mask.
func (w *Wave) Unwritten(s *State, number, comp int, lanes uint64) {
	w.unwritten(w.stores[s.Index], number, comp, lanes)
}

// address returns the address in bytes of the instruction that runs: the one at the program counter, or one that it runs.
func (w *Wave) address() uint64 {
	if w.inner.there {
		return w.inner.address
	}
	return w.Program.Machine.Address(w.pc)
}

// unwritten notes that lanes read what nobody wrote.
func (w *Wave) unwritten(st *store, number, comp int, lanes uint64) {
	w.findings[Finding{PC: w.pc, Address: w.address(), State: st.public, Number: number, Comp: comp}] |= lanes
	if w.Strict {
		w.stop(lanes, "trap", "read of an unwritten register")
	}
}

// unknown notes that lanes come to something that is not known of the machine.
func (w *Wave) unknown(text string, lanes uint64) {
	if lanes == 0 {
		return
	}
	w.findings[Finding{PC: w.pc, Address: w.address(), Text: text}] |= lanes
	if w.Strict {
		w.stop(lanes, "trap", "unknown: "+text)
	}
}

// Register names what was read; "" where nothing was.
func (f Finding) Register() string {
	if f.State == nil {
		return ""
	}
	return registerName(f.State, f.Number, f.Comp)
}

func registerName(s *State, number, comp int) string {
	if s.Kind == Memory {
		return WordName(s, number)
	}
	name := s.Name
	if !s.Single {
		name += strconv.Itoa(number)
	}
	if s.Components != nil {
		name += "." + s.Components[comp]
	}
	return name
}

// Values returns the bits of the components of all registers in a lane, by name such as r0.x: for traces.
func (w *Wave) Values(lane int) map[string]uint64 {
	out := map[string]uint64{}
	for _, st := range w.stores {
		for n, lanes := range st.known {
			if lanes>>uint(lane)&1 != 0 {
				out[WordName(st.public, n)] = st.wordAt(n, lane)
			}
		}
		if st.state.Kind != sem.FileState || st.state.ReadOnly {
			continue
		}
		for n := range st.state.Count {
			for k := range st.comps {
				out[registerName(st.public, n, k)] = st.get(n, k, lane)
			}
		}
	}
	return out
}

// Text returns a value of Values as a person reads it.
func (w *Wave) Text(name string, v uint64) string {
	for _, st := range w.stores {
		if st.known != nil && strings.HasPrefix(WordName(st.public, 0), name[:strings.IndexByte(name+"[", '[')]+"[") {
			return sem.Number(v, st.state.Word)
		}
		rest, ok := strings.CutPrefix(name, st.state.Name)
		if ok && (rest == "" || rest[0] == '.' || rest[0] >= '0' && rest[0] <= '9') {
			return sem.Number(v, st.state.Type)
		}
	}
	return fmt.Sprint(v)
}
