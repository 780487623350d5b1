// Package wavetest starts waves and compares their lanes, for tests of machines.
package wavetest

import (
	"testing"

	"github.com/isago/isago/exec"
)

// Start starts a wave at address 0. lanes has a number for each lane, and a negative number leaves the
// lane inactive. A wave with an inactive lane runs every instruction under a mask.
func Start(w *exec.Wave, lanes []int) {
	w.Start(len(lanes), 0)
	exists := uint64(0)
	for lane, from := range lanes {
		if from >= 0 {
			exists |= 1 << uint(lane)
		}
	}
	w.SetLanes(exists)
}

// Diverged returns lanes with the last one inactive.
func Diverged(lanes []int) []int {
	list := append([]int{}, lanes...)
	list[len(list)-1] = -1
	return list
}

// CheckStopped checks that each lane of a wave has stopped exactly once, with a reason.
func CheckStopped(t *testing.T, w *exec.Wave) {
	t.Helper()
	var stopped uint64
	for _, s := range w.Stops() {
		if s.Reason == "" || stopped&s.Lanes != 0 {
			t.Errorf("stop %+v", s)
		}
		stopped |= s.Lanes
	}
	if stopped != w.Exists() {
		t.Errorf("lanes %b stopped, expected %b", stopped, w.Exists())
	}
}

// CheckSameLane compares lane x of wave a with lane y of wave b after the same program: the reason to
// stop, registers, stacks and findings. A budget applies to a whole wave, so if alone is set, lanes
// that exhausted the budget are not compared.
func CheckSameLane(t *testing.T, program int, a *exec.Wave, x int, b *exec.Wave, y int, alone bool) {
	t.Helper()
	m := a.Program.Machine
	stop := func(w *exec.Wave, lane int) exec.Stop {
		for _, s := range w.Stops() {
			if s.Lanes>>uint(lane)&1 != 0 {
				s.Lanes = 0
				return s
			}
		}
		return exec.Stop{}
	}
	sa, sb := stop(a, x), stop(b, y)
	if alone && (sa.Reason == "budget" || sb.Reason == "budget") {
		return
	}
	if sa != sb {
		t.Errorf("program %d, lane %d: stops with %v in one run and with %v in the other", program, x, sa, sb)
	}
	for _, s := range m.States {
		if s.Kind == exec.Stack && s.Scope > exec.ScopeLane && alone && len(a.Stops()) > 1 {
			continue // the wave continued after the lane ended
		}
		if s.Kind == exec.Stack {
			if da, db := a.Depth(s, x), b.Depth(s, y); da != db {
				t.Errorf("program %d, lane %d: %d entries on one stack %s and %d on the other", program, x, da, s.Name, db)
			}
			continue
		}
		if s.Scope != exec.ScopeLane {
			continue
		}
		for n := range s.Count {
			for k := range s.Type.Lanes {
				va, vb := exec.Canonical(a.Get(s, n, k, x), s.Type), exec.Canonical(b.Get(s, n, k, y), s.Type)
				if va != vb {
					t.Errorf("program %d, lane %d: %s%d component %d is %x and %x", program, x, s.Name, n, k, va, vb)
				}
				if wa, wb := a.Written(s, n, k)>>uint(x)&1, b.Written(s, n, k)>>uint(y)&1; wa != wb {
					t.Errorf("program %d, lane %d: %s%d component %d has the written flag %d in one run and %d in the other", program, x, s.Name, n, k, wa, wb)
				}
			}
		}
	}
	type read struct {
		pc           uint64
		s            *exec.State
		number, comp int
		text         string
	}
	reads := func(w *exec.Wave, lane int) map[read]bool {
		out := map[read]bool{}
		for _, f := range w.Findings() {
			if f.Lanes>>uint(lane)&1 != 0 {
				out[read{f.PC, f.State, f.Number, f.Comp, f.Text}] = true
			}
		}
		return out
	}
	ra, rb := reads(a, x), reads(b, y)
	for f := range ra {
		if !rb[f] {
			t.Errorf("program %d, lane %d: finding %+v in only one of the waves", program, x, f)
		}
	}
	if len(ra) != len(rb) {
		t.Errorf("program %d, lane %d: %d findings in one wave and %d in the other", program, x, len(ra), len(rb))
	}
}
