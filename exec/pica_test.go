package exec

import (
	"math"
	"testing"
)

func mul(d, a, b uint64) uint64 { return 1<<24 | d<<16 | a<<8 | b }
func add(d, a, b uint64) uint64 { return 2<<24 | d<<16 | a<<8 | b }

const (
	picaBreakC = 6 << 24
	picaEnd    = 0xff << 24
	picaNop    = 0
)

func f(x float32) uint64 { return uint64(math.Float32bits(x)) }

// runPICA runs words on lanes whose r0 is given, with c0 of (1, 1, 1, 1), c1, c2, ... of that number, and the
// integers i0 to i3.
func runPICA(t *testing.T, ints [4][3]uint64, r0 [][4]float32, words ...uint64) *Wave {
	t.Helper()
	m := load(t, "pica.xml")
	shared := NewShared(m.Machine, ScopeLaunch, ScopeLaunch)
	for n := range 96 {
		for k := range 4 {
			v := float32(n)
			if n == 0 {
				v = 1
			}
			shared.Set(m.state("c"), n, k, f(v))
		}
	}
	for n, v := range ints {
		for k, x := range v {
			shared.Set(m.state("i"), n, k, x)
		}
	}
	w := NewWave(m.program("#instruction", Words{}, words...), shared)
	w.Budget = 10000
	w.Start(len(r0), 0)
	for lane, v := range r0 {
		for k, x := range v {
			w.Set(m.state("r"), 0, k, lane, f(x))
			for n := 1; n < 4; n++ {
				w.Set(m.state("r"), n, k, lane, 0)
			}
		}
	}
	w.Run(t.Context())
	return w
}

func wantReg(t *testing.T, w *Wave, n, lane int, want ...float32) {
	t.Helper()
	for k, x := range want {
		if got := math.Float32frombits(uint32(w.Get(w.Program.Machine.State("r"), n, k, lane))); got != x && (got == got || x == x) {
			t.Errorf("r%d component %d of lane %d = %v, want %v", n, k, lane, got, x)
		}
	}
}

func TestInfinityTimesZero(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	w := runPICA(t, [4][3]uint64{}, [][4]float32{{inf, nan, 3, -inf}, {0, 2, inf, 1}},
		mul(1, 0, 2), // r2 is 0
		mul(3, 0, 0), picaEnd)
	wantReg(t, w, 1, 0, 0, nan, 0, 0)
	wantReg(t, w, 3, 0, inf, nan, 9, inf)
	wantReg(t, w, 3, 1, 0, 4, inf, 1)
	if s := w.Stops(); len(s) != 1 || s[0].Reason != "end" || s[0].PC != 2 || s[0].Lanes != 3 {
		t.Errorf("stops %v", s)
	}
}

// A loop runs INT.x+1 times, aL starts at INT.y and grows by INT.z each time.
func TestLoop(t *testing.T) {
	// loop i0 { add r1, r1, c[aL] }: with i0 = (2, 5, 3), c5 + c8 + c11
	w := runPICA(t, [4][3]uint64{{2, 5, 3}}, [][4]float32{{1, 0, 0, 0}}, 5<<24|1, add(1, 1, 0x80), picaEnd)
	wantReg(t, w, 1, 0, 24, 24, 24, 24)
	if got := w.Get(w.Program.Machine.State("aL"), 0, 0, 0); got != 14 {
		t.Errorf("aL = %d after the loop, want 14: it grows after each turn", got)
	}
}

// An inner loop gives the outer one its aL back.
func TestNestedLoops(t *testing.T) {
	w := runPICA(t, [4][3]uint64{{1, 10, 1}, {2, 1, 1}}, [][4]float32{{0, 0, 0, 0}},
		5<<24|4,         // loop i0, up to word 4
		5<<24|1<<16|2,   // loop i1, up to word 2
		add(1, 1, 0x80), // + c1 + c2 + c3
		picaNop,
		add(2, 2, 0x80), // + c10, + c11
		picaEnd)
	wantReg(t, w, 1, 0, 12)
	wantReg(t, w, 2, 0, 21)
}

// Lanes part at a condition and meet again.
func TestBreakAndIf(t *testing.T) {
	cmp := func(x, a, b uint64) uint64 { return 3<<24 | x<<19 | a<<8 | b }
	w := runPICA(t, [4][3]uint64{{9, 0, 0}}, [][4]float32{{2, 0, 0, 0}, {5, 0, 0, 0}, {100, 0, 0, 0}},
		5<<24|4,         // loop i0: ten turns
		add(1, 1, 0x80), // r1 += c0, which is 1
		cmp(5, 1, 0),    // cmp.x = r1.x >= r0.x
		picaBreakC,
		picaNop,
		8<<24|8<<8|1,    // ifc: then words 6 and 7, else word 8
		add(2, 2, 0x80), // r2 += 1
		add(2, 2, 0x80),
		add(3, 3, 0x80), // else: r3 += 1
		picaEnd)
	wantReg(t, w, 1, 0, 2)
	wantReg(t, w, 1, 1, 5)
	wantReg(t, w, 1, 2, 10)
	wantReg(t, w, 2, 0, 2)
	wantReg(t, w, 3, 0, 0)
	wantReg(t, w, 2, 2, 0)
	wantReg(t, w, 3, 2, 1)
}

// Procedures that end at the same word all return; a fourth return in one word goes nowhere.
func TestCalls(t *testing.T) {
	call := func(to, n uint64) uint64 { return 7<<24 | to<<8 | n }
	w := runPICA(t, [4][3]uint64{}, [][4]float32{{0, 0, 0, 0}},
		call(3, 3),      // words 3 to 5
		add(2, 2, 0x80), // r2 += 1
		picaEnd,
		add(1, 1, 0x80),
		call(5, 1),      // word 5: ends where its caller ends
		add(1, 1, 0x80), // r1 += 1
	)
	// word 5 runs in the inner procedure, which returns to word 5+0: next is 5, not the end 6.
	wantReg(t, w, 1, 0, 3)
	wantReg(t, w, 2, 0, 1)
}

func TestLitp(t *testing.T) {
	w := runPICA(t, [4][3]uint64{}, [][4]float32{{-1, 500, 7, 2}, {3, -500, 7, -2}, {0, 1, 1, float32(math.NaN())}}, 4<<24|1<<16, picaEnd)
	wantReg(t, w, 1, 0, 0, 127.9961, 0, 2)
	wantReg(t, w, 1, 1, 3, -127.9961, 0, 0)
	wantReg(t, w, 1, 2, 0, 1, 0, 0)
	cmp := w.Program.Machine.State("cmp")
	for lane, want := range [][2]uint64{{0, 1}, {1, 0}, {1, 0}} {
		if x, y := w.Get(cmp, 0, 0, lane), w.Get(cmp, 0, 1, lane); x != want[0] || y != want[1] {
			t.Errorf("lane %d: cmp = %d, %d, want %v", lane, x, y, want)
		}
	}
}

// Reading what nobody wrote is a finding, and gives 0.
func TestUnwritten(t *testing.T) {
	w := runPICA(t, [4][3]uint64{}, [][4]float32{{1, 2, 3, 4}}, add(1, 9, 0), picaEnd)
	wantReg(t, w, 1, 0, 1, 2, 3, 4)
	if n := len(w.Findings()); n != 4 {
		t.Fatalf("%d findings, want one for each component of r9", n)
	}
	if f := w.Findings()[2]; f.PC != 0 || f.State.Name != "r" || f.Number != 9 || f.Comp != 2 {
		t.Errorf("%+v", f)
	}
}
