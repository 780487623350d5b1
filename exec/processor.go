package exec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Setup describes the program and the environment of a Processor.
type Setup struct {
	// Lanes is the number of lanes, from 1 to 64. 0 means 1. Each lane has its own registers.
	Lanes int
	// Fetch returns the bits of the program that start at an address, in units of the program counter, with the
	// instruction in the low bits. ok is false if the program has no word there. The processor caches words, so the
	// program must not change.
	Fetch func(addr uint64) (v bits.Value, ok bool)
	// Context holds the values of the contexts. Zero means the defaults. Tables holds the entries of the tables.
	Context bits.Value
	Tables  [][]bits.Value
	// Quirks holds the values of quirks by name. Other quirks have their defaults.
	Quirks map[string]string
	// Services holds the host callbacks by name. A call of a missing callback stops the lane.
	Services map[string]Service
}

// Processor runs instructions for emulators and tests. Registers have the names of the description, such as r5 or cmp,
// and values are bits. A Processor is not safe for concurrent use.
type Processor struct {
	m     *Machine
	w     *Wave
	lanes int
	given map[*State][]byte // memories that SetMemory set
	// wrote lists the components that Write set, in the order of their first Write. wroteAt holds their positions in
	// wrote.
	wrote   []written
	wroteAt map[registerPart]int
}

// registerPart is a component of a register in a lane.
type registerPart struct {
	state              *State
	number, comp, lane int
}

// written is a value that Write set.
type written struct {
	registerPart
	value uint64
}

// NewProcessor returns a processor that starts at address 0. It returns an error if the description or the setup is
// invalid.
func NewProcessor(set *isa.Set, s Setup) (*Processor, error) {
	switch {
	case s.Lanes < 0 || s.Lanes > Lanes:
		return nil, fmt.Errorf("the wave has %d lanes, expected 1 to %d", s.Lanes, Lanes)
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

// Start sets the address of all lanes. Registers get the values of the latest Write. Memories from SetMemory keep their
// contents. All other state is reset to its initial values.
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

// find returns the register with a name.
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

// Write sets the components of a register in a lane, beginning with the first, now and at each later Start. It returns
// an error if the register, a component or the lane does not exist. For a register that all lanes share, it ignores the
// number of the lane.
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

// SetMemory sets the bytes of a memory. The processor does not copy data, so the program's stores change it. SetMemory
// returns an error if the memory does not exist, or if each lane has its own.
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

// Read returns the components of a register in a lane. Every NaN has the same bits.
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

// Run dispatches at most this number of instructions, and returns early if all lanes have stopped. It returns why lanes
// have stopped since Start.
func (p *Processor) Run(instructions int) []Stop {
	for ; instructions > 0 && !p.w.Done(); instructions-- {
		p.w.Step()
	}
	return p.w.Stops()
}

// PC returns the address at which a lane continues. ok is false if the lane has stopped.
func (p *Processor) PC(lane int) (pc uint64, ok bool) {
	p.w.PCs(func(at, lanes uint64) {
		if lanes>>uint(lane)&1 != 0 {
			pc, ok = at, true
		}
	})
	return pc, ok
}
