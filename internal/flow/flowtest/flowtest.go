// Package flowtest compares the results of specialised programs with the results of package exec.
// Tests of machines use it.
package flowtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// Programs returns the number of random programs that a test of a machine specialises. It is the
// larger of asked and a default, which is smaller in short mode.
func Programs(asked int) int {
	if testing.Short() {
		return max(100, asked)
	}
	return max(2000, asked)
}

// Tally counts the programs, lanes and values that were compared.
type Tally struct {
	// Given is Config.Given. nil is all writable lane registers.
	Given func(s *sem.State, number, comp int) bool
	// Count is Config.Count.
	Count func(s *sem.State) int
	// Entry is the address at which the programs start.
	Entry uint64
	// Calls are the calls that the wave has made, from Record. nil is none.
	Calls *Calls

	Programs, TooLarge, Irreducible, Lanes, Values, Called int
	// Others counts the programs that were not specialised for other reasons, by reason.
	Others map[string]int
}

// Before holds the values of a wave before it runs. A Wave is a Before.
type Before interface {
	Get(s *exec.State, number, comp, lane int) uint64
	Memory(s *exec.State) []byte
}

// Snapshot returns the present values of a wave.
func Snapshot(w *exec.Wave) Before {
	x := snapshot{map[register][exec.Lanes]uint64{}, map[*exec.State][]byte{}}
	for _, s := range w.Program.Machine.States {
		switch {
		case s.Kind == exec.Memory && w.Used(s):
			x.memories[s] = slices.Clone(w.Memory(s))
		case s.Kind == exec.Registers:
			for n := range s.Count {
				for comp := range s.Type.Lanes {
					var values [exec.Lanes]uint64
					for lane := range values {
						values[lane] = w.Get(s, n, comp, lane)
					}
					x.registers[register{s, n, comp}] = values
				}
			}
		}
	}
	return x
}

type snapshot struct {
	registers map[register][exec.Lanes]uint64
	memories  map[*exec.State][]byte
}

// register is a component of a register.
type register struct {
	state        *exec.State
	number, comp int
}

func (x snapshot) Get(s *exec.State, number, comp, lane int) uint64 {
	return x.registers[register{s, number, comp}][lane]
}

func (x snapshot) Memory(s *exec.State) []byte { return x.memories[s] }

// String returns the counts as text.
func (x Tally) String() string {
	return fmt.Sprintf("%d programs, %d of them too large, %d without a structure, not specialised: %v; %d lanes, %d values and %d calls compared", x.Programs, x.TooLarge, x.Irreducible, x.Others, x.Lanes, x.Values, x.Called)
}

// Config returns the configuration for a program that starts at an address.
func Config(p *exec.Program, entry uint64) flow.Config {
	code := func(addr uint64) (*sem.Code, error) { return p.Code(inside.Key{}, addr) }
	return flow.Config{Machine: p.Machine.Inside(inside.Key{}), Code: code, Entry: entry}
}

// Check specialises a program and compares its results with a wave that has run. after is that wave.
// before has the values before the run. Check compares all writable lane registers and the memories. If
// the lanes of the machine share a program counter, Check specialises the program for a wave, and if the
// wave has one lane, also for a wave of one lane. Otherwise it compares every eighth lane. If the program
// number is odd, Check specialises the program for the uniforms of the wave.
func (x *Tally) Check(ctx context.Context, program int, before Before, after *exec.Wave) error {
	own := func(s *sem.State, _, _ int) bool {
		return s.Kind == sem.FileState && s.Scope == spec.ScopeLane && !s.ReadOnly
	}
	c := Config(after.Program, x.Entry)
	c.Count, c.Given, c.Wanted = x.Count, own, own
	if x.Given != nil {
		c.Given = x.Given
	}
	if program%2 == 1 {
		c.Known = func(s *sem.State, number, comp int) (uint64, bool) {
			return before.Get(after.Program.Machine.States[s.Index], number, comp, 0), true
		}
	}
	exists := after.Exists()
	groups := []uint64{exists}
	if !c.Machine.Wave && exists != 1 {
		groups = nil
		for lane := program % 8; lane < exec.Lanes; lane += 8 {
			groups = append(groups, exists&(1<<uint(lane)))
		}
	}
	if err := x.check(ctx, c, groups, before, after); err != nil || !c.Machine.Wave || exists != 1 {
		return err
	}
	c.OneLane = true
	return x.check(ctx, c, groups, before, after)
}

// check specialises a program and compares the results for groups of lanes.
func (x *Tally) check(ctx context.Context, c flow.Config, groups []uint64, before Before, after *exec.Wave) error {
	x.Programs++
	p, err := flow.Specialise(ctx, c)
	switch {
	case errors.Is(err, flow.ErrTooLarge):
		x.TooLarge++
		return nil
	case err != nil:
		if x.Others == nil {
			x.Others = map[string]int{}
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			err = e
		}
		x.Others[err.Error()]++
		return nil
	}
	if err := p.Verify(); err != nil {
		return fmt.Errorf("%w\n%s", err, p)
	}
	switch tree, err := p.Structure(); {
	case errors.Is(err, flow.ErrIrreducible):
		x.Irreducible++
	case err != nil:
		return err
	default:
		if err := p.VerifyTree(tree); err != nil {
			return fmt.Errorf("%w\n%s", err, p)
		}
	}
	for _, lanes := range groups {
		if lanes == 0 {
			continue
		}
		if err := x.compare(p, before, after, lanes); err != nil {
			return fmt.Errorf("%w\n%s", err, p)
		}
	}
	return nil
}

// compare runs a specialised program in the lanes of a mask, and compares the results.
func (x *Tally) compare(p *flow.Program, before Before, after *exec.Wave, lanes uint64) error {
	stops := make([]exec.Stop, exec.Lanes)
	for _, s := range after.Stops() {
		if s.Lanes&lanes != 0 && s.Reason == "budget" {
			return nil
		}
		for lane := range stops {
			if s.Lanes>>uint(lane)&1 != 0 {
				stops[lane] = s
			}
		}
	}
	states := after.Program.Machine.States
	mask := lanes
	h := host{before, states, 0, map[memory][]byte{}}
	if !p.Wave {
		h.first, mask = bits.TrailingZeros64(lanes), 1
	}
	provided, calls := flow.Host{Read: h.read, Load: h.load, Store: h.store}, &Calls{}
	if x.Calls != nil {
		provided.Call = func(c *flow.Call) { calls.answer(c, h.first) }
	}
	res, ok := p.Run(provided, mask, 1<<16)
	if !ok {
		return fmt.Errorf("lanes %x: does not end, expected %v", lanes, after.Stops())
	}
	for i, stop := range res.Stops {
		lane := i + h.first
		if lanes>>uint(lane)&1 == 0 {
			continue
		}
		if want := stops[lane]; (stop == "") != (want.Reason == "end") {
			return fmt.Errorf("lane %d: stops by %q, expected %v", lane, stop, want)
		}
		x.Lanes++
		if x.Calls != nil {
			if x.Called += len(calls[lane]); !slices.Equal(calls[lane], x.Calls[lane]) {
				return fmt.Errorf("lane %d: calls %v, expected %v", lane, calls[lane], x.Calls[lane])
			}
		}
		for v, values := range res.Outputs {
			x.Values++
			got, want := values[i], after.Get(states[v.State.Index], v.Number, v.Comp, lane)
			if sem.Canonical(got, v.Type()) != sem.Canonical(want, v.Type()) {
				return fmt.Errorf("lane %d: %s is %x, expected %x", lane, v, got, want)
			}
		}
	}
	for m, got := range h.memories {
		if want := part(after, states[m.Index], m.lane); !bytes.Equal(got, want) {
			return fmt.Errorf("lane %d: %s is %x, expected %x", m.lane, m.Name, got, want)
		}
	}
	return nil
}

// host provides the initial values of a wave.
type host struct {
	wave     Before
	states   []*exec.State
	first    int // the lane of the wave that runs as lane 0
	memories map[memory][]byte
}

// memory is a memory that the program has accessed. lane is 0 for a memory that lanes share.
type memory struct {
	*sem.State
	lane int
}

func (h host) read(v flow.Variable, lane int) uint64 {
	return h.wave.Get(h.states[v.State.Index], v.Number, v.Comp, lane+h.first)
}

// bytes returns size bytes of a memory, or nil if the memory does not contain them.
func (h host) bytes(s *sem.State, lane int, addr, size uint64) []byte {
	key := memory{s, 0}
	if s.Scope == spec.ScopeLane {
		key.lane = lane + h.first
	}
	m, ok := h.memories[key]
	if !ok {
		m = slices.Clone(part(h.wave, h.states[s.Index], key.lane))
		h.memories[key] = m
	}
	if n := uint64(len(m)); addr > n || size > n-addr {
		return nil
	}
	return m[addr : addr+size]
}

func (h host) load(s *sem.State, lane int, addr, size uint64) (v uint64, ok bool) {
	b := h.bytes(s, lane, addr, size)
	for i, x := range b {
		v |= uint64(x) << uint(8*i)
	}
	return v, b != nil
}

func (h host) store(s *sem.State, lane int, addr, size, v uint64) bool {
	b := h.bytes(s, lane, addr, size)
	for i := range b {
		b[i] = byte(v >> uint(8*i))
	}
	return b != nil
}

// part returns the bytes of a memory that belong to a lane.
func part(w Before, s *exec.State, lane int) []byte {
	m := w.Memory(s)
	if s.Scope != exec.ScopeLane {
		return m
	}
	n := len(m) / exec.Lanes
	return m[lane*n : (lane+1)*n]
}
