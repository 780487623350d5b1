package exec

import (
	"testing"
)

// runGroups runs words of groups.xml.
func runGroups(t *testing.T, set func(w *Wave, m *machine), words ...uint64) (*Wave, *machine) {
	t.Helper()
	m := load(t, "groups.xml")
	w := NewWave(m.program("#instruction", Words{}, words...), NewShared(m.Machine, ScopeBlock, ScopeLaunch))
	w.Start(2, 0)
	set(w, m)
	w.Run(t.Context())
	return w, m
}

// A memory of a group is the one of the number in the word.
func TestMemoryGroup(t *testing.T) {
	w, m := runGroups(t, func(w *Wave, m *machine) {
		w.Memory(m.state("g1"))[4] = 7
		w.Set(m.state("r"), 2, 0, 0, 4)
	}, 1<<8|1<<7|2<<3|1, // ld r1 = g1[r2]
		2<<8|0<<7|2<<3|1) // st g0[r2] = r1
	wantState(t, w, "r", 1, 0, 7)
	if got := w.Memory(m.state("g0"))[4]; got != 7 {
		t.Errorf("g0[4] = %d, want 7", got)
	}
}

// In the code of an operand its name means the field, and so it does elsewhere if it has no code.
func TestOperandOfField(t *testing.T) {
	w, _ := runGroups(t, func(w *Wave, m *machine) {
		w.Set(m.state("r"), 2, 0, 0, 4)
	}, 1<<6|2<<3|1) // mov r1 = -r2, r2 = 9 + 1
	wantState(t, w, "r", 1, 0, 0xfffffffc)
	wantState(t, w, "r", 2, 0, 10)
}

// What starts as the mask of the lanes knows those that are set afterwards.
func TestSetLanes(t *testing.T) {
	w, _ := runGroups(t, func(w *Wave, m *machine) {
		w.SetLanes(2)
		w.Set(m.state("r"), 2, 0, 0, 5)
		w.Set(m.state("r"), 2, 0, 1, 4)
	}, 2<<3|1)
	wantState(t, w, "active", 0, 0, 2)
	wantState(t, w, "r", 1, 0, 0)
	wantState(t, w, "r", 1, 1, 4)
}

// Memories of the wave's own are made when they are first used.
func TestUsed(t *testing.T) {
	m := load(t, "groups.xml")
	w := NewWave(m.program("#instruction", Words{}, 1<<8|1))
	w.Start(1, 0)
	if w.Used(m.state("g0")) {
		t.Error("g0 has bytes, and nothing used it")
	}
	w.Run(t.Context())
	if !w.Used(m.state("g0")) || w.Used(m.state("g1")) {
		t.Error("g0 was read and has no bytes, or g1 has some")
	}
}
