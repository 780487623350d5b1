package launch_test

import (
	"math"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
)

// Words by their fields, for control flow that no assembler makes.
func call(to, n uint32) uint32   { return 0x24<<26 | to<<10 | n }
func ifu(b, to, n uint32) uint32 { return 0x27<<26 | b<<22 | to<<10 | n }
func loop(i, last uint32) uint32 { return 0x29<<26 | i<<22 | last<<10 }
func jmpu(b, to uint32) uint32   { return 0x2d<<26 | b<<22 | to<<10 }

// bump adds uniform n, which is (2^n, ...), to r0.
func bump(n uint32) uint32 { return 0x00<<26 | 16<<21 | (0x20+n)<<12 | 16<<7 }

const (
	nop = 0x84000000
	end = 0x88000000
)

// marks runs words in which bumps leave marks, and returns those that did: bit n for c of n. b0 is true, i0 is
// (1, 0, 1), i1 (0, 0, 1).
func marks(t *testing.T, words ...uint32) (sum uint64, w *exec.Wave) {
	t.Helper()
	_, m := load(t)
	root, _ := m.Model.Root("")
	table := sem.Words{Context: m.Model.Context, Tables: [][]bits.Value{{bits.Of(0x36f | 0x1b<<14)}}}
	shared := exec.NewShared(m, exec.OfBlock, exec.OfLaunch)
	for n := range 20 {
		for k := range 4 {
			shared.Set(m.State("c"), n, k, uint64(math.Float32bits(float32(uint64(1)<<uint(n)))))
		}
	}
	shared.Set(m.State("b"), 0, 0, 1)
	shared.Set(m.State("i"), 0, 0, 1)
	shared.Set(m.State("i"), 0, 2, 1)
	shared.Set(m.State("i"), 1, 2, 1)
	w = exec.NewWave(exec.NewProgram(m, root, table, exec.Words32(m, root, words, 0)), shared)
	w.Budget = 1000
	w.Start(2, 0)
	for k := range 4 {
		w.Set(m.State("r"), 0, k, 0, 0)
		w.Set(m.State("r"), 0, k, 1, 0)
	}
	w.Run(t.Context())
	if s := w.Stops(); len(s) != 1 || s[0].Reason != "end" {
		t.Errorf("stops %v", s)
	}
	return uint64(math.Float32frombits(uint32(w.Get(m.State("r"), 0, 0, 1)))), w
}

// 3dbrew 2018-07: procedures whose ends meet return together, but the fourth return in one word goes nowhere.
func TestFourReturns(t *testing.T) {
	got, _ := marks(t,
		call(3, 1), // ends at 4
		bump(0), end,
		call(5, 1), // returns to 4, where its caller ends
		bump(9), call(7, 1),
		end, bump(1), // the third: returns to 6
		nop)
	if got != 1<<1|1<<0 {
		t.Errorf("three returns: marks %b, want those of words 7 and 1", got)
	}
	got, _ = marks(t,
		call(2, 1), // 0: P1 is word 2, ends at 3
		end,
		call(5, 1), // 2: P2 is word 5, returns to 3
		bump(3),    // 3: where the fourth return would not go on from
		end,
		call(7, 1), // 5: P3, returns to 6
		end,
		call(9, 1), // 7: P4, returns to 8
		end,
		bump(1)) // 9: P4, ends at 10: returns to 8, 6 and 3; the return of P1 to 1 is lost
	if got != 1<<1|1<<3 {
		t.Errorf("four returns: marks %b, want those of words 9 and 3", got)
	}
}

// A jump as the last word of a scope never happens: the end of the scope overrules it.
func TestJumpAtEndOfScope(t *testing.T) {
	got, _ := marks(t,
		ifu(0, 2, 1), // words 1; else word 2; behind word 3
		jmpu(0, 5),
		bump(0), // else
		bump(1), end,
		bump(2), end)
	if got != 1<<1 {
		t.Errorf("marks %b, want that of word 3", got)
	}
	got, _ = marks(t,
		loop(0, 2), // words 1 and 2, twice
		bump(0),
		jmpu(0, 5),
		bump(4), end,
		bump(5), end)
	if got != 2<<0|1<<4 {
		t.Errorf("marks %b, want word 1 twice and word 3", got)
	}
}

// Where an IF and a LOOP end at one word, the LOOP, which comes later, says where to go on.
func TestScopesEndTogether(t *testing.T) {
	got, w := marks(t,
		loop(0, 2), // words 1 and 2, twice
		ifu(0, 3, 2),
		bump(0),
		bump(5), end, // behind the loop, and the else part
		bump(6), end)
	// The IF's end would go to word 5; the LOOP goes back to word 1, and at last to word 3.
	if got != 2<<0|1<<5 {
		t.Errorf("marks %b, want word 2 twice and word 3", got)
	}
	if d := w.Depth(w.Program.Machine.State("ifs"), 0); d != 0 {
		t.Errorf("%d entries are left on the IF stack", d)
	}
}

// The stacks are rings: a fifth CALL overwrites the oldest, whose return is then lost.
func TestCallsOverflow(t *testing.T) {
	got, w := marks(t,
		call(2, 2), // P1 is words 2 and 3; its return to 1 is lost
		bump(9),
		call(5, 2), bump(1), // ends at 4
		end,
		call(8, 2), bump(2), end, // P2
		call(11, 2), bump(3), end, // P3
		call(14, 1), bump(4), end, // P4
		bump(5), end) // P5
	if got != 1<<5|1<<4|1<<3|1<<2|1<<1 {
		t.Errorf("marks %b, want those of P5 to P1, and then word 4", got)
	}
	if d := w.Depth(w.Program.Machine.State("calls"), 0); d != 0 {
		t.Errorf("%d entries are left on the CALL stack", d)
	}
}
