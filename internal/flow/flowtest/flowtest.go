// Package flowtest compares the results of specialised programs with the results of package exec.
// Tests of machines use it.
package flowtest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
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
	Given                             func(s *sem.State, number, comp int) bool
	Programs, TooLarge, Lanes, Values int
	// Others counts the programs that were not specialised for other reasons, by reason.
	Others map[string]int
}

// String returns the counts as text.
func (x Tally) String() string {
	return fmt.Sprintf("%d programs, %d of them too large, not specialised: %v; %d lanes and %d values compared", x.Programs, x.TooLarge, x.Others, x.Lanes, x.Values)
}

// Check specialises a program and compares its results with a wave that has run. after is that wave.
// before is a wave of the same program, with the same initial values, that has not run. Check compares
// all writable lane registers. If the program number is odd, Check
// specialises the program for the uniforms of the wave.
func (x *Tally) Check(t *testing.T, program int, before, after *exec.Wave) {
	t.Helper()
	own := func(s *sem.State, _, _ int) bool {
		return s.Kind == sem.FileState && s.Scope == spec.ScopeLane && !s.ReadOnly
	}
	m := after.Program.Machine
	c := flow.Config{Machine: m, Code: after.Program.Code, Given: own, Wanted: own}
	if x.Given != nil {
		c.Given = x.Given
	}
	if program%2 == 1 {
		c.Known = func(s *sem.State, number, comp int) (uint64, bool) { return before.Get(s, number, comp, 0), true }
	}
	x.Programs++
	p, err := flow.Specialise(t.Context(), c)
	if errors.Is(err, flow.ErrTooLarge) {
		x.TooLarge++
		return
	}
	if err != nil {
		if x.Others == nil {
			x.Others = map[string]int{}
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			err = e
		}
		x.Others[err.Error()]++
		return
	}
	if err := p.Verify(); err != nil {
		t.Errorf("program %d: %v\n%s", program, err, p)
		return
	}
	x.compare(t, program, p, before, after)
}

func (x *Tally) compare(t *testing.T, program int, p *flow.Program, before, after *exec.Wave) {
	t.Helper()
	for _, s := range after.Stops() {
		for lane := program % 8; lane < exec.Lanes; lane += 8 {
			if s.Lanes>>uint(lane)&1 == 0 || s.Reason == "budget" {
				continue
			}
			out, stop, ok := p.Run(func(v flow.Variable) uint64 { return before.Get(v.State, v.Number, v.Comp, lane) }, 1<<16)
			if !ok {
				t.Errorf("program %d, lane %d: does not end, expected %v", program, lane, s)
				return
			}
			if (stop == "") != (s.Reason == "end") {
				t.Errorf("program %d, lane %d: stops by %q, expected %v", program, lane, stop, s)
				return
			}
			x.Lanes++
			for v, got := range out {
				x.Values++
				want := after.Get(v.State, v.Number, v.Comp, lane)
				if sem.Canonical(got, v.Type()) != sem.Canonical(want, v.Type()) {
					t.Errorf("program %d, lane %d: %s is %x, expected %x\n%s", program, lane, v, got, want, p)
					return
				}
			}
		}
	}
}
