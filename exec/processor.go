package exec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Setup is what a Processor runs, and where.
type Setup struct {
	// Lanes is the number of lanes, 1 to 64, each with registers of its own; 0 is 1.
	Lanes int
	// Fetch returns the bits of the program from an address on, in units of the program counter, the instruction in the
	// low bits; ok is false where there are none. What is fetched once is kept: a program does not change.
	Fetch func(addr uint64) (v bits.Value, ok bool)
	// Context and Tables are those of the program; the zero values are the description's and none.
	Context bits.Value
	Tables  [][]bits.Value
	// Quirks are choices between documents and hardware, by name; those that are missing have their defaults.
	Quirks map[string]string
	// Services are what the surroundings do, by name; a call of one that is missing stops the lane.
	Services map[string]Service
}

// Processor runs instructions for emulators and tests: registers have the names that the description gives them, r5 or
// cmp, and their components are numbers whose bits are the value. It is not for use by several goroutines at once.
type Processor struct {
	m     *Machine
	w     *Wave
	lanes int
	given map[*State][]byte // memories that are somebody else's
	// wrote are the components that Write gave, in the order in which they were first written; wroteAt are their
	// places in it.
	wrote   []written
	wroteAt map[registerPart]int
}

// registerPart is a component of a register in a lane.
type registerPart struct {
	state              *State
	number, comp, lane int
}

// written is what a component was given.
type written struct {
	registerPart
	value uint64
}

// NewProcessor returns a processor, started at address 0. The error tells what is wrong with the description, or with
// the setup.
func NewProcessor(set *isa.Set, s Setup) (*Processor, error) {
	switch {
	case s.Lanes < 0 || s.Lanes > Lanes:
		return nil, fmt.Errorf("%d lanes, expected 1 to %d", s.Lanes, Lanes)
	case s.Fetch == nil:
		return nil, errors.New("the field Fetch is nil, expected a function that returns the bits of the program")
	}
	m, err := Open(set)
	if err != nil {
		return nil, err
	}
	root, err := set.Root("")
	if err != nil {
		return nil, err
	}
	words := Words{Root: root, Fetch: s.Fetch, Context: s.Context, Tables: s.Tables}
	if words.Context.IsZero() {
		words.Context = set.DefaultContext()
	}
	for len(words.Tables) < len(set.Tables()) {
		words.Tables = append(words.Tables, nil)
	}
	if words.Quirks, err = m.ParseQuirks(s.Quirks); err != nil {
		return nil, err
	}
	p := &Processor{m: m, w: NewWave(NewProgram(m, words)), lanes: max(1, s.Lanes), given: map[*State][]byte{}, wroteAt: map[registerPart]int{}}
	p.w.Services = s.Services
	p.Start(0)
	return p, nil
}

// Start sends all lanes to an address. Registers hold what Write gave them last, before Start or after an earlier one;
// all other state is what it is before anybody writes it, whatever an earlier run left. Memories that were given stay as
// they are.
func (p *Processor) Start(pc uint64) {
	for s := range p.given {
		p.w.stores[s.Index].bytes = nil
	}
	p.w.Start(p.lanes, pc)
	for s, data := range p.given {
		p.w.stores[s.Index].bytes = data
	}
	for _, c := range p.wrote {
		p.w.Set(c.state, c.number, c.comp, c.lane, c.value)
	}
}

// find reads the name of a register.
func (p *Processor) find(name string) (s *State, number int, err error) {
	for _, s := range p.m.States {
		digits, ok := strings.CutPrefix(name, s.Name)
		if !ok || s.Kind != Registers || s.Single != (digits == "") {
			continue
		}
		if n, ok := registerNumber(digits); s.Single || ok && n < s.Count {
			return s, n, nil
		}
	}
	return nil, 0, fmt.Errorf("unknown register %q", name)
}

// Write gives a register its components in a lane, from the first on: at once, and again at each Start. The error tells
// that there is no such register, component or lane. A register that all lanes share has one value, whatever the lane.
func (p *Processor) Write(register string, lane int, components ...uint64) error {
	s, n, err := p.find(register)
	if err != nil {
		return err
	}
	if most := s.Type.Lanes; len(components) > most || lane < 0 || lane >= p.lanes || s.ReadOnly {
		return fmt.Errorf("%d components of %s in lane %d, expected at most %d, and a lane below %d", len(components), register, lane, most, p.lanes)
	}
	if err := fit(register, s.Type, components); err != nil {
		return err
	}
	if s.Scope >= ScopeWave {
		lane = 0
	}
	for k, v := range components {
		c := registerPart{s, n, k, lane}
		i, ok := p.wroteAt[c]
		if !ok {
			i = len(p.wrote)
			p.wroteAt[c] = i
			p.wrote = append(p.wrote, written{registerPart: c})
		}
		p.wrote[i].value = v
		p.w.Set(s, n, k, lane, v)
	}
	return nil
}

// SetMemory gives a memory its bytes, which are used and not copied: what the program stores is in them. The error tells
// that there is no such memory, or that each lane has its own.
func (p *Processor) SetMemory(name string, data []byte) error {
	s := p.m.State(name)
	switch {
	case s == nil || s.Kind != Memory:
		return fmt.Errorf("unknown memory %q", name)
	case s.Scope == ScopeLane:
		return fmt.Errorf("each lane has its own memory %s, expected a memory that all lanes share", name)
	}
	p.given[s] = data
	p.w.SetMemory(s, data)
	return nil
}

// Read returns the components of a register in a lane. A NaN is the one NaN that there is.
func (p *Processor) Read(register string, lane int) ([]uint64, error) {
	s, n, err := p.find(register)
	if err != nil {
		return nil, err
	}
	if lane < 0 || lane >= p.lanes {
		return nil, fmt.Errorf("lane %d, expected a lane below %d", lane, p.lanes)
	}
	var list []uint64
	for k := range s.Type.Lanes {
		list = append(list, Canonical(p.w.Get(s, n, k, lane), s.Type))
	}
	return list, nil
}

// Run dispatches at most so many instructions, fewer where all lanes stop before. It returns why lanes stopped since
// Start, none where all still run.
func (p *Processor) Run(instructions int) []Stop {
	for ; instructions > 0 && !p.w.Done(); instructions-- {
		p.w.Step()
	}
	return p.w.Stops()
}

// PC returns the address at which a lane goes on; ok is false for a lane that has stopped.
func (p *Processor) PC(lane int) (pc uint64, ok bool) {
	p.w.PCs(func(at, lanes uint64) {
		if lanes>>uint(lane)&1 != 0 {
			pc, ok = at, true
		}
	})
	return pc, ok
}
