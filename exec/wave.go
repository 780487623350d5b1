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

// Functions returns the functions of the description that compute a scalar. Only packages of this module can call it.
func (p *Program) Functions(_ inside.Key) []*sem.Function {
	return p.Machine.sem.Functions(p.words())
}

// Lower lowers a word at an address. Only packages of this module can call it.
func (p *Program) Lower(_ inside.Key, v bits.Value, addr uint64) (*sem.Code, error) {
	return p.lower(v, addr)
}

// Traced returns the code of the word at an address and its origins. Only packages of this module can call it.
func (p *Program) Traced(_ inside.Key, addr uint64) (*sem.Code, *sem.Origins, error) {
	v, ok := p.Fetch(addr)
	if !ok {
		return nil, nil, errNoWord
	}
	return p.Machine.sem.Traced(p.root, p.words(), v, addr)
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

// maxKept limits the cached instructions of a program, lowered or compiled for a wave. Each takes about 20 kB. When the
// cache is full, it is cleared.
const maxKept = 1 << 14

// errNoWord is the error for an address at which the program has no word.
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

// Shared is state that several waves share: the waves of a launch or of a block.
type Shared struct {
	stores []*store // by State.Index; nil if the state is not shared
	// placed counts the calls of SetMemory. Waves cache the accessible addresses of a memory.
	placed int
}

// NewShared returns the states with a scope in the range from to to, with their initial values.
func NewShared(m *Machine, from, to Scope) *Shared {
	s := &Shared{stores: make([]*store, len(m.States))}
	for i, st := range m.States {
		if st.Scope >= from && st.Scope <= to {
			s.stores[i] = newStore(m.sem.States[i], st)
			s.stores[i].data(0) // now, because several goroutines may use it later
		}
	}
	return s
}

// Stop is the reason why lanes stopped.
type Stop struct {
	// Reason is end, trap, budget, grid budget, deadlock, unknown word, end of words, or the reason why the instruction
	// has no semantics.
	Reason string
	// Text describes a trap or a deadlock.
	Text string
	// Detail describes what the first of the lanes did.
	Detail string
	// PC is the address of the instruction, in units of the program counter; Address is the same in bytes, or the address
	// of the instruction that this one runs.
	PC, Address uint64
	// Lanes is the mask of the stopped lanes. Bit 0 is the first lane.
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

// Finding is a read of an unwritten register, or behaviour of the machine that is not known.
type Finding struct {
	// PC is the address of the instruction, in units of the program counter; Address is the same in bytes, or the address
	// of the instruction that this one runs.
	PC, Address uint64
	// State, Number and Comp are the component that was read. If State is nil, Text describes the unknown behaviour.
	State  *State
	Number int
	Comp   int
	Text   string
	// Lanes is the mask of the lanes with this finding. Bit 0 is the first lane.
	Lanes uint64
}

// Event is a step of a trace.
type Event struct {
	Kind EventKind
	// PC is the address of the instruction. Lanes is the mask of the lanes that run it. For the event Runs, they are
	// the lanes that run the inner instruction.
	PC, Lanes uint64
	// Op is the index of the first operation of the inner instruction, for the event Runs.
	Op int
}

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events: an instruction starts, it runs an inner instruction, and it ends.
const (
	Starts EventKind = iota
	Runs
	Ends
)

// Service is a host callback. It is called once for all lanes of Call.Mask.
type Service func(c *Call)

// Call is a call of a host callback.
type Call struct {
	Wave *Wave
	// Mask is the mask of the calling lanes. Bit 0 is the first lane.
	Mask uint64
	// Args and Results hold the components of the parameters and of the result, in order. Each component has the bits
	// for every lane. Args are valid only during the call. The callback sets Results for the lanes of Mask; their
	// previous contents are undefined.
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

// Unknown records a finding: it is not known what the hardware does for the lanes of the call.
func (c *Call) Unknown(text string) { c.Wave.unknown(text, c.Mask) }

// Wave is a group of up to 64 lanes that run one program. It is not safe for concurrent use.
type Wave struct {
	Program *Program
	// Services holds the host callbacks by name. A call of a missing callback is a trap.
	Services map[string]Service
	// Budget is the number of instructions that the wave may still dispatch. An instruction that several lanes run
	// together counts once.
	Budget int64
	// Strict makes a read of an unwritten register, and unknown behaviour, a trap.
	Strict bool
	// Trace, if it is not nil, is called for each Event.
	Trace func(w *Wave, e Event)
	// Watch, if it is not nil, is called before each access to a memory.
	Watch func(w *Wave, a *Access)
	// Lock, if it is not nil, is held during atomic operations. It is necessary if waves run in parallel.
	Lock sync.Locker
	// Profile, if it is not nil, counts the instructions.
	Profile *Profile
	// KeepMemories makes Start keep the contents of memories.
	KeepMemories bool
	// Number is the number of the wave in its block.
	Number int
	// Instructions counts the dispatched instructions. LaneInstructions counts each of them once for every lane. Both
	// include inner instructions.
	Instructions, LaneInstructions int64

	// turn waits until all earlier waves have finished. It is called before an instruction that writes shared state, or
	// reads shared state that programs can write. It is nil if the waves have no order.
	turn func()

	stores   []*store
	own      []*store
	exists   uint64
	width    int    // the number of lanes that instructions compute
	whole    uint64 // the lanes at Start; the values of other lanes do not matter
	groups   []group
	stops    []Stop
	findings map[Finding]uint64 // the lanes of each finding, whose own Lanes is 0

	code         map[uint64]*compiled
	dense        []*compiled
	active       uint64
	lanes        uint64 // the active lanes that run; the values of other lanes do not matter
	pcs          plane
	jumped       uint64
	along        bool // all lanes jumped to the first of pcs
	ended        uint64
	barrier      barrier
	pc           uint64
	inner        inner
	on           *uint64 // the mask that running uses; nil if each lane has its own program counter
	consts       map[uint64]*plane
	resultPlanes map[*sem.Inst][]*plane
	temps        []*plane
}

// inner is the address in bytes of the inner instruction that runs, if there is one.
type inner struct {
	there   bool
	address uint64
}

// group is a set of lanes that continue at the same address.
type group struct {
	pc   uint64
	mask uint64
}

// compare orders findings by address, register and text.
func (f Finding) compare(g Finding) int {
	index := func(s *State) int {
		if s == nil {
			return -1
		}
		return s.Index
	}
	return cmp.Or(cmp.Compare(f.PC, g.PC), cmp.Compare(f.Address, g.Address), cmp.Compare(index(f.State), index(g.State)), cmp.Compare(f.Number, g.Number), cmp.Compare(f.Comp, g.Comp), strings.Compare(f.Text, g.Text))
}

func newWave(p *Program) *Wave {
	return &Wave{Program: p, width: Lanes, Budget: 1 << 40, findings: map[Finding]uint64{}, code: map[uint64]*compiled{}, consts: map[uint64]*plane{}, resultPlanes: map[*sem.Inst][]*plane{}}
}

// NewWave returns a wave. States that are in none of the given Shared belong to the wave.
func NewWave(p *Program, shared ...*Shared) *Wave {
	w := newWave(p)
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

// Start starts a number of lanes, 0 to 64, at an address. It resets the wave's own state to its initial values.
func (w *Wave) Start(lanes int, pc uint64) {
	w.start(lanes, pc, func(*sem.State) bool { return false })
}

func (w *Wave) start(lanes int, pc uint64, keeps func(s *sem.State) bool) {
	w.exists = ^uint64(0) >> uint(Lanes-lanes)
	w.whole = w.exists
	for _, st := range w.own {
		if !keeps(st.state) {
			st.resetValues(w.exists)
			if !w.KeepMemories {
				clear(st.bytes)
			}
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

// Restart starts the program again, with as many lanes as Start. Registers keep their values, and written registers
// still count as written. Stacks and the wave's own memories are reset.
func (w *Wave) Restart(pc uint64) {
	lanes := popcount(w.whole)
	w.start(lanes, pc, func(s *sem.State) bool {
		return s.Kind == sem.FileState && s.Scope != spec.ScopeInstruction && !s.InitExists
	})
}

// SetLanes sets the mask of the existing lanes. Bit 0 is the first lane. Call it after Start.
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

// Exists returns the mask of the existing lanes.
func (w *Wave) Exists() uint64 { return w.exists }

// Set sets the bits of a component of a register in a lane. The register, the component and the lane must exist, and v
// must not have more bits than the component. lane is ignored for registers that all lanes share.
func (w *Wave) Set(s *State, number, comp, lane int, v uint64) {
	w.stores[s.Index].set(number, comp, lane, v)
}

// Get returns the bits of a component of a register in a lane. It does not change the bits of a NaN; Canonical does.
func (w *Wave) Get(s *State, number, comp, lane int) uint64 {
	return w.stores[s.Index].get(number, comp, lane)
}

// Written returns the mask of the lanes in which a component of a register was written. For a memory whose use is input
// or output, number is that of a word.
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

// Get returns the bits of a component of a shared register.
func (s *Shared) Get(st *State, number, comp int) uint64 {
	return s.stores[st.Index].get(number, comp, 0)
}

// Memory returns the bytes of a memory. If each lane has its own memory, the memories of all lanes follow each other.
func (w *Wave) Memory(s *State) []byte {
	st := w.stores[s.Index]
	st.data(0)
	return st.bytes
}

// Used reports whether a memory was set, read or written. A memory that was not contains only 0.
func (w *Wave) Used(s *State) bool { return w.stores[s.Index].bytes != nil }

// SetMemory sets the bytes of a memory. The wave uses data without copying it.
func (w *Wave) SetMemory(s *State, data []byte) {
	st := w.stores[s.Index]
	w.fit(st, len(data))
	st.bytes = data
}

// fit sets the size of a memory. It clears the compiled instructions, because these contain the accessible addresses.
func (w *Wave) fit(st *store, n int) {
	if st.size == n {
		return
	}
	st.bytes, st.size = nil, n
	w.forget()
}

// forget clears the compiled instructions.
func (w *Wave) forget() {
	clear(w.code)
	clear(w.dense)
	clear(w.consts)
	clear(w.resultPlanes)
}

// SetSize sets the size of a memory in bytes. If each lane has its own memory, n is the size for one lane.
func (w *Wave) SetSize(s *State, n int) { w.fit(w.stores[s.Index], n) }

// SetCount sets the number of registers in a file. Other registers are outside the file. Call it before the wave runs.
// It has no effect on a file whose register numbers wrap.
func (w *Wave) SetCount(s *State, n int) {
	w.stores[s.Index].limit(n)
}

// Allocate sets the number of registers in each file whose size the launch decides. Call it before the wave runs.
func (w *Wave) Allocate(n int) {
	for _, st := range w.stores {
		if st.state.Allocated {
			st.limit(n)
		}
	}
}

// Set sets the bits of a component of a shared register.
func (s *Shared) Set(st *State, number, comp int, v uint64) {
	s.stores[st.Index].set(number, comp, 0, v)
}

// Clear resets a component of a shared register to its initial value. The component then counts as unwritten.
func (s *Shared) Clear(st *State, number, comp int) {
	x := s.stores[st.Index]
	i := number*x.comps + comp
	x.scalars[i], x.written[i] = x.state.Init, 0
}

// Memory returns the bytes of a shared memory.
func (s *Shared) Memory(st *State) []byte { return s.stores[st.Index].data(0) }

// SetMemory sets the bytes of a shared memory, without copying them. areas are the accessible parts of the memory, in
// ascending order. Without areas, all of the memory is accessible.
func (s *Shared) SetMemory(st *State, data []byte, areas ...Area) {
	m := s.stores[st.Index]
	m.bytes, m.size, m.areas = data, len(data), areas
	s.placed++
}

// Reset resets the state to its initial values.
func (s *Shared) Reset() {
	for _, st := range s.stores {
		if st != nil {
			st.reset(0)
		}
	}
}

// Depth returns the number of entries of a stack in a lane.
func (w *Wave) Depth(s *State, lane int) int { return w.stores[s.Index].depthIn(lane) }

// Entry returns the bits of a slot of a stack entry in a lane. k is 0 for the top entry, and must be less than the
// depth.
func (w *Wave) Entry(s *State, k, slot, lane int) uint64 {
	st := w.stores[s.Index]
	at, _ := st.entry(k, lane)
	return st.get(at, slot, lane)
}

// PushEntry pushes an entry with the bits of each slot onto a stack in a lane. It returns false if the push is a trap
// because the stack is full.
func (w *Wave) PushEntry(s *State, lane int, slots []uint64) bool {
	st := w.stores[s.Index]
	if st.wide() {
		lane = 0
	} else {
		st.part()
	}
	return st.push(lane, func(i int) uint64 { return slots[i] })
}

// Stops returns why lanes stopped, in the order in which they stopped.
func (w *Wave) Stops() []Stop { return w.stops }

// Findings returns the findings of the run, ordered by address and register.
func (w *Wave) Findings() []Finding {
	list := slices.SortedFunc(maps.Keys(w.findings), Finding.compare)
	for i := range list {
		list[i].Lanes = w.findings[list[i]]
	}
	return list
}

// PCs calls f for each address at which lanes continue, in ascending order, with the mask of these lanes.
func (w *Wave) PCs(f func(pc, lanes uint64)) {
	for _, g := range w.groups {
		f(g.pc, g.mask)
	}
}

// Run runs the wave until all lanes have stopped, or wait at a barrier. If the context is cancelled, Run returns its
// error, and the wave can continue later.
func (w *Wave) Run(ctx context.Context) error {
	_, err := w.run(ctx, nil)
	return err
}

// slice is the number of instructions between two checks of the context.
const slice = 1 << 12

// run is like Run, but also takes the instructions from an allowance, if a is not nil. It returns whether the allowance
// was sufficient.
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

// spend is like RunFor, but takes the instructions from an allowance. It returns false if the allowance is used up.
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

// allowance is the number of instructions that several waves together may still dispatch.
type allowance struct{ left atomic.Int64 }

// newAllowance returns an allowance of n instructions, or nil for n = 0, which is no limit.
func newAllowance(n int64) *allowance {
	if n == 0 {
		return nil
	}
	a := &allowance{}
	a.left.Store(n)
	return a
}

// take takes up to n instructions from the allowance, and returns their number.
func (a *allowance) take(n int) int {
	for {
		left := a.left.Load()
		taken := min(int64(n), left)
		if a.left.CompareAndSwap(left, left-taken) {
			return int(taken)
		}
	}
}

// RunFor dispatches up to n instructions. It returns early if all lanes have stopped, or if the wave reaches a barrier.
func (w *Wave) RunFor(n int) {
	w.barrier.there = false
	for ; n > 0 && len(w.groups) > 0 && !w.barrier.there; n-- {
		w.Step()
	}
}

// Waits reports whether the wave waits at a barrier. The next Run continues after the barrier.
func (w *Wave) Waits() bool { return w.barrier.there && w.barrier.waits }

// Done reports whether all lanes have stopped.
func (w *Wave) Done() bool { return len(w.groups) == 0 }

// halt stops the lanes that have not stopped.
func (w *Wave) halt(reason, text string) {
	for _, g := range w.groups {
		w.stops = append(w.stops, Stop{Reason: reason, Text: text, PC: g.pc, Address: w.Program.Machine.Address(g.pc), Lanes: w.running(g.mask)})
	}
	w.groups = w.groups[:0]
}

// running returns the lanes of a group that run. If the wave has one program counter for all lanes, a mask register
// determines them.
func (w *Wave) running(lanes uint64) uint64 {
	if w.on != nil && *w.on&lanes != 0 {
		return *w.on & lanes
	}
	return lanes
}

// Step dispatches one instruction for the lanes at the lowest address.
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

// advance moves the first group to an address.
func (w *Wave) advance(next uint64) {
	w.groups[0].pc = next
	if len(w.groups) > 1 && next >= w.groups[1].pc {
		g := w.groups[0]
		w.groups = w.groups[1:]
		w.insert(g)
	}
}

// split divides the first group by the addresses to which its lanes go.
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

// insert inserts a group, sorted by address, and merges groups at the same address.
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

// stop stops lanes.
func (w *Wave) stop(mask uint64, reason, text string) { w.stopWith(mask, reason, text, nil) }

// stopWith stops lanes. detail, if it is not nil, describes what the first lane did.
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

// Unwritten records that a host callback read an unwritten component in some lanes.
func (w *Wave) Unwritten(s *State, number, comp int, lanes uint64) {
	w.unwritten(w.stores[s.Index], number, comp, lanes)
}

// address returns the address in bytes of the instruction that runs: the inner instruction, or else the one at the
// program counter.
func (w *Wave) address() uint64 {
	if w.inner.there {
		return w.inner.address
	}
	return w.Program.Machine.Address(w.pc)
}

// unwritten records that lanes read an unwritten component.
func (w *Wave) unwritten(st *store, number, comp int, lanes uint64) {
	w.findings[Finding{PC: w.pc, Address: w.address(), State: st.public, Number: number, Comp: comp}] |= lanes
	if w.Strict {
		w.stop(lanes, "trap", "read of an unwritten register")
	}
}

// unknown records that lanes reached unknown behaviour.
func (w *Wave) unknown(text string, lanes uint64) {
	if lanes == 0 {
		return
	}
	w.findings[Finding{PC: w.pc, Address: w.address(), Text: text}] |= lanes
	if w.Strict {
		w.stop(lanes, "trap", "unknown: "+text)
	}
}

// Register returns the name of the component that was read, or "" for unknown behaviour.
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

// Values returns the bits of all register components in a lane, by names such as r0.x. Traces use it.
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

// Text formats a value that Values returned under a name.
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
