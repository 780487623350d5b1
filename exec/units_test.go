package exec

import (
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// tegraWord is a word of the small Tegra, by the low bit of each field.
func tegraWord(fields map[int]uint64) uint64 {
	var w uint64
	for low, v := range fields {
		w |= v << uint(low)
	}
	return w
}

// field places of the small Tegra.
const (
	tegraV, tegraS, tegraVD, tegraSD, tegraA, tegraB     = 0, 2, 4, 10, 16, 21
	tegraVMask, tegraSMask, tegraOut, tegraShared        = 26, 30, 34, 39
	tegraCCSet, tegraCC, tegraTest, tegraEnd, tegraNoReg = 40, 41, 42, 45, 63
)

func runTegra(t *testing.T, r [][4]float32, words ...uint64) *Wave {
	t.Helper()
	m := load(t, "tegra.xml")
	w := NewWave(m.program("#instruction", Words{}, words...))
	w.Start(1, 0)
	for n, v := range r {
		for k, x := range v {
			w.Set(m.state("r"), n, k, 0, f(x))
		}
	}
	w.Run(t.Context())
	return w
}

func wantVector(t *testing.T, w *Wave, file string, n int, want ...float32) {
	t.Helper()
	for k, x := range want {
		if got := w.Get(w.Program.Machine.State(file), n, k, 0); got != f(x) {
			t.Errorf("%s[%d] component %d = %#x, want %v", file, n, k, got, x)
		}
	}
}

// Both units read r1 before the vector unit writes it; the scalar unit owns the export; the condition codes
// follow the vector result under its mask.
func TestTwoUnits(t *testing.T) {
	w := runTegra(t, [][4]float32{{2, -3, 0, 5}, {4, 1, 1, 1}}, tegraWord(map[int]uint64{
		tegraV: 2, tegraS: 1, tegraVD: 1, tegraSD: 7, tegraA: 0, tegraB: 1, tegraVMask: 7, tegraSMask: 15,
		tegraOut: 3, tegraShared: 1, tegraCCSet: 1, tegraTest: 7, tegraEnd: 1,
	}))
	wantVector(t, w, "r", 1, 8, -3, 0, 1) // w is masked off
	wantVector(t, w, "r", 7, 0.25, 0.25, 0.25, 0.25)
	wantVector(t, w, "o", 3, 0.25, 0.25, 0.25, 0.25)
	for k, want := range []uint64{4, 1, 2, 2} {
		if got := w.Get(w.Program.Machine.State("cc"), 0, k, 0); got != want {
			t.Errorf("cc component %d = %d, want %d", k, got, want)
		}
	}
}

// A predicate lets the components be written whose condition code is one of those that are named.
func TestPredicate(t *testing.T) {
	set := map[int]uint64{tegraV: 1, tegraVD: tegraNoReg, tegraSD: tegraNoReg, tegraA: 0, tegraVMask: 15, tegraOut: 31, tegraCCSet: 1, tegraTest: 7}
	less := map[int]uint64{tegraV: 1, tegraVD: 2, tegraSD: tegraNoReg, tegraA: 1, tegraVMask: 15, tegraOut: 0, tegraTest: 1, tegraEnd: 1}
	w := runTegra(t, [][4]float32{{-1, 0, 3, -2}, {10, 20, 30, 40}, {1, 1, 1, 1}}, tegraWord(set), tegraWord(less))
	wantVector(t, w, "r", 2, 10, 1, 1, 40)
	wantVector(t, w, "o", 0, 10, 0, 0, 40)
}

// Where both units write one register, the vector unit wins.
func TestBothUnitsWriteOne(t *testing.T) {
	w := runTegra(t, [][4]float32{{1, 2, 3, 4}, {5, 6, 7, 8}}, tegraWord(map[int]uint64{
		tegraV: 1, tegraS: 2, tegraVD: 4, tegraSD: 4, tegraA: 0, tegraB: 1, tegraVMask: 3, tegraSMask: 12, tegraOut: 31, tegraTest: 7, tegraEnd: 1,
	}))
	wantVector(t, w, "r", 4, 1, 2, 0, 0)
}

func alu(vd, sd, vmask, smask, s, a, b uint64, export bool) uint64 {
	w := vd | sd<<6 | vmask<<12 | smask<<16 | s<<20 | a<<22 | b<<28
	if export {
		w |= 1 << 34
	}
	return w
}

func clause(addr, count, when uint64, end bool) uint64 {
	w := addr | count<<8 | when<<11
	if end {
		w |= 1 << 13
	}
	return w
}

func runA2XX(t *testing.T, lanes int, set func(w *Wave, m *machine), words ...uint64) *Wave {
	t.Helper()
	m := load(t, "a2xx.xml")
	p := m.program("#instruction", Words{Inner: func(_ *isa.Root, addr uint64) (bits.Value, bool) {
		if addr >= uint64(len(words)) {
			return bits.Value{}, false
		}
		return bits.Of(words[addr]), true
	}}, words...)
	w := NewWave(p)
	w.Start(lanes, 0)
	set(w, m)
	w.Run(t.Context())
	if s := w.Stops(); len(s) != 1 || s[0].Reason != "end" {
		t.Errorf("stops %v", s)
	}
	return w
}

// The halves of a unit read before either writes, ps goes from unit to unit, and a component that both halves
// export is 1.0: v.x, v.y, then 1.0, then s.
func TestClause(t *testing.T) {
	w := runA2XX(t, 1, func(w *Wave, m *machine) {
		for k, x := range []float32{1, 2, 3, 4} {
			w.Set(m.state("r"), 1, k, 0, f(x))
			w.Set(m.state("r"), 2, k, 0, f(10*x))
		}
	},
		clause(1, 2, 0, true),
		alu(2, 3, 1, 15, 0, 1, 2, false), // r2.x = 11; r3 = ps = 40+10
		alu(5, 0, 7, 12, 1, 1, 2, true))  // s = 40*50
	wantVector(t, w, "r", 2, 11, 20, 30, 40)
	wantVector(t, w, "r", 3, 50, 50, 50, 50)
	wantVector(t, w, "o", 5, 12, 22, 1, 2000)
}

// A predicated clause runs if a lane passes, and in it each unit only where it does.
func TestPredicatedClause(t *testing.T) {
	w := runA2XX(t, 2, func(w *Wave, m *machine) {
		for lane, x := range []float32{0, 7} {
			w.Set(m.state("r"), 1, 3, lane, f(x))
			w.Set(m.state("r"), 2, 0, lane, f(5))
		}
	},
		clause(4, 1, 0, false), // p0 = r1.w == 0
		clause(5, 1, 1, false), // where p0: r3.x = 10
		clause(6, 1, 2, false), // where not: r4.x = 10
		clause(7, 1, 0, true),
		alu(0, 0, 0, 0, 2, 0, 1, false),
		alu(3, 0, 1, 0, 3, 2, 2, false),
		alu(4, 0, 1, 0, 3, 2, 2, false),
		alu(0, 9, 0, 1, 3, 0, 0, false)) // r9.x = ps: 0 where p0 was set, else 1
	for lane, want := range [][3]float32{{10, 0, 0}, {0, 10, 1}} {
		for i, n := range []int{3, 4, 9} {
			if got := w.Get(w.Program.Machine.State("r"), n, 0, lane); got != f(want[i]) {
				t.Errorf("r%d.x of lane %d = %#x, want %v", n, lane, got, want[i])
			}
		}
	}
}

// What a branch returns counts for the lanes that took it alone: a lane that has returned before may meet the
// condition of the next branch too, which is skipped where nobody else does. The words of a clause are those of
// another root, which the counter does not count.
func TestEarlyReturns(t *testing.T) {
	m := load(t, "returns.xml")
	root, err := m.Root("")
	if err != nil || root.Name != "#clause" {
		t.Fatalf("the counter finds words of %v, %v", root, err)
	}
	words := []uint32{0x00000401} // run 1; grade r0, r1
	p := NewProgram(m.Machine, m.Words32(root, words, 0))
	w := NewWave(p)
	for _, values := range [][]uint64{{1, 7}, {12, 20}, {12, 7, 1}} {
		w.Start(len(values), 0)
		for lane, v := range values {
			w.Set(m.state("r"), 1, 0, lane, v)
		}
		w.Run(t.Context())
		for lane, v := range values {
			want := map[uint64]uint64{1: 3, 7: 2, 12: 1, 20: 1}[v]
			if got := w.Get(m.state("r"), 0, 0, lane); got != want {
				t.Errorf("%d gives %d, want %d", v, got, want)
			}
		}
	}
}
