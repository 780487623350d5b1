package exec

import (
	"encoding/binary"
	"math"
	"testing"
)

const always = 15

// t3 is a word of the small Tesla: an operation, its predicate and its operands.
func t3(op, cond, flags, d, a, b, c uint64) uint64 {
	return op<<24 | cond<<19 | flags<<17 | d<<12 | a<<8 | b<<4 | c
}

func control(op, cond, flags, target uint64) uint64 { return op<<24 | cond<<19 | flags<<17 | target }

const teslaExit = 8<<24 | always<<19 | 1<<16 | 15<<12 | 15<<8 // add r15, r15, 0 exit

func runTesla(t *testing.T, lanes int, set func(w *Wave, m *machine), words ...uint64) *Wave {
	t.Helper()
	m := load(t, "tesla.xml")
	w := NewWave(m.program("#instruction", Words{}, append(words, teslaExit)...), NewShared(m.Machine, ScopeBlock, ScopeLaunch))
	w.Budget = 1000
	w.Start(lanes, 0)
	if set != nil {
		set(w, m)
	}
	w.Run(t.Context())
	if s := w.Stops(); len(s) != 1 || s[0].Reason != "end" {
		t.Errorf("stops %v", s)
	}
	return w
}

func wantState(t *testing.T, w *Wave, name string, n, lane int, want uint64) {
	t.Helper()
	if got := w.Get(w.Program.Machine.State(name), n, 0, lane); got != want {
		t.Errorf("%s[%d] of lane %d = %#x, want %#x", name, n, lane, got, want)
	}
}

// 16-bit sums that overflow stop at the ends of their range; Z and S are of what is written, C and O of the sum.
func TestAdd16Saturated(t *testing.T) {
	for _, row := range []struct{ a, b, sum, flags uint64 }{
		{0x7fff, 0x0001, 0x7fff, 8},     // overflow up
		{0x8000, 0xffff, 0x8000, 8 | 6}, // overflow down, with a carry, negative
		{0xffff, 0x0001, 0x0000, 4 | 1}, // carry and zero
		{0x0003, 0x0004, 0x0007, 0},
	} {
		// rh2 and rh3 are the halves of r1, rh5 is the high half of r2.
		w := runTesla(t, 1, func(w *Wave, m *machine) {
			w.Set(m.state("r"), 1, 0, 0, row.b<<16|row.a)
			w.Set(m.state("r"), 2, 0, 0, 0x1234abcd)
		}, t3(1, always, 0, 5, 2, 3, 1))
		wantState(t, w, "r", 2, 0, row.sum<<16|0xabcd)
		wantState(t, w, "c", 1, 0, row.flags)
	}
}

// A load steps its address register behind the access.
func TestPostIncrement(t *testing.T) {
	w := runTesla(t, 2, func(w *Wave, m *machine) {
		mem := w.Memory(m.state("s"))
		binary.LittleEndian.PutUint32(mem[8:], 0xcafe0001)
		binary.LittleEndian.PutUint32(mem[12:], 0xcafe0002)
		w.Set(m.state("a"), 1, 0, 0, 8)
		w.Set(m.state("a"), 1, 0, 1, 0x400) // outside reads 0
	}, t3(2, always, 0, 3, 1, 0, 1), t3(2, always, 0, 4, 1, 0, 1))
	wantState(t, w, "r", 3, 0, 0xcafe0001)
	wantState(t, w, "r", 4, 0, 0xcafe0002)
	wantState(t, w, "a", 1, 0, 16)
	wantState(t, w, "r", 3, 1, 0)
}

// The product of a mad is cut off, not rounded: (1+2^-23)^2 = 1+2^-22+2^-46 either way, but
// (1+2^-12)*(1+2^-12+2^-23) has a rest above half a bit.
func TestMad(t *testing.T) {
	a, b := float32(1+0x1p-12), float32(1+0x1p-12+0x1p-23)
	exact := float64(a) * float64(b)
	cut := math.Float32frombits(math.Float32bits(float32(exact)))
	if float64(cut) > exact {
		cut = math.Nextafter32(cut, 0)
	}
	w := runTesla(t, 2, func(w *Wave, m *machine) {
		w.Set(m.state("r"), 1, 0, 0, f(a))
		w.Set(m.state("r"), 2, 0, 0, f(b))
		w.Set(m.state("r"), 3, 0, 0, f(1))
		w.Set(m.state("r"), 1, 0, 1, f(0x1p-130)) // flushed
		w.Set(m.state("r"), 2, 0, 1, f(0x1p100))
		w.Set(m.state("r"), 3, 0, 1, f(-0x1p-140))
	}, t3(3, always, 0, 4, 1, 2, 3))
	wantState(t, w, "r", 4, 0, f(cut+1))
	wantState(t, w, "r", 4, 1, 0)
}

func TestConvert(t *testing.T) {
	w := runTesla(t, 3, func(w *Wave, m *machine) {
		for lane, x := range []float32{2.5, -1e9, float32(math.NaN())} {
			w.Set(m.state("r"), 1, 0, lane, f(x))
		}
		for lane, x := range []uint64{0x7fffffff, 0x80000000, 0xfeffffff} {
			w.Set(m.state("r"), 2, 0, lane, x)
		}
		for lane, x := range []float32{65520, 0x1p-24, 1 + 0x1p-11} {
			w.Set(m.state("r"), 3, 0, lane, f(x))
		}
	}, t3(4, always, 0, 8, 1, 0, 0), t3(4, always, 0, 5, 2, 0, 1), t3(4, always, 0, 12, 3, 0, 2))
	for lane, want := range []uint64{2, 0x8000, 0} { // to the nearest even; the end of the range; NaN
		wantState(t, w, "r", 4, lane, want)
	}
	for lane, want := range []uint64{0x4effffff, 0xcf000000, 0xcb800000} { // toward 0
		wantState(t, w, "r", 5, lane, want)
	}
	for lane, want := range []uint64{0x7c00, 0x0001, 0x3c00} { // infinity, the smallest, a tie
		wantState(t, w, "r", 6, lane, want)
	}
}

func TestQuads(t *testing.T) {
	w := runTesla(t, 8, func(w *Wave, m *machine) {
		for lane := range 8 {
			w.Set(m.state("r"), 1, 0, lane, f(float32(lane*lane)))
		}
	}, t3(5, always, 0, 2, 1, 0, 1))
	for lane, want := range []float32{1, 0, -3, -8, 9, 0, -11, -24} {
		wantState(t, w, "r", 2, lane, f(want))
	}
}

// A vote sees the lanes that are on, and gives all of them the same flags.
func TestVote(t *testing.T) {
	w := runTesla(t, 4, nil,
		t3(7, always, 0, 1, 2, 0, 0), // r1 = lane, c0 = flags of lane-2
		t3(6, 2, 0, 0, 0, 0, 1),      // c1: does e hold in a lane? in lane 2
		t3(7, always, 0, 1, 9, 0, 2), // c2 = flags of lane-9
		t3(6, 2, 2, 0, 0, 0, 3))      // c3: nowhere
	for lane := range 4 {
		wantState(t, w, "c", 1, lane, 0)
		wantState(t, w, "c", 3, lane, 1)
	}
}

// A pair is two registers, the low one first.
func TestPair(t *testing.T) {
	w := runTesla(t, 1, func(w *Wave, m *machine) {
		w.Set(m.state("r"), 2, 0, 0, 0xffffffff)
		w.Set(m.state("r"), 3, 0, 0, 7)
	}, t3(9, always, 0, 4, 2, 0, 0))
	wantState(t, w, "r", 4, 0, 0)
	wantState(t, w, "r", 5, 0, 8)
}

// Lanes part at a branch and go on together behind the join.
func TestDivergence(t *testing.T) {
	w := runTesla(t, 4, nil,
		t3(7, always, 0, 1, 2, 0, 0), // r1 = lane, c0 = flags of lane-2
		control(17, 0, 0, 7),         // joinat 7
		control(16, 2, 0, 5),         // bra 5 if lane == 2
		t3(8, always, 0, 2, 1, 0, 1), // the others: r2 = lane+1
		control(16, always, 0, 6),
		t3(8, always, 0, 2, 1, 0, 9), // lane 2: r2 = lane+9
		control(18, 0, 0, 0),         // join
		t3(8, always, 0, 3, 2, 0, 1)) // all: r3 = r2+1
	for lane, want := range []uint64{2, 3, 12, 5} {
		wantState(t, w, "r", 3, lane, want)
	}
}

// Lanes that exit do not come back; the others go on.
func TestExitOfSome(t *testing.T) {
	w := runTesla(t, 3, nil,
		t3(7, always, 0, 1, 1, 0, 0),       // c0 = flags of lane-1
		control(16, 2, 0, 3),               // bra 3 if lane == 1
		control(16, always, 0, 4),          // the others go on
		t3(8, always, 0, 2, 1, 0, 5)|1<<16, // lane 1: r2 = 6, exit
		t3(8, always, 0, 2, 1, 0, 1))       // r2 = lane+1
	for lane, want := range []uint64{1, 6, 3} {
		wantState(t, w, "r", 2, lane, want)
	}
}

// Two waves of a block meet at a barrier: what one stores before it, the other reads behind it.
func TestBarrier(t *testing.T) {
	m := load(t, "tesla.xml")
	p := m.program("#instruction", Words{},
		t3(10, always, 0, 1, 2, 0, 0), // s[r2] = r1
		control(19, 0, 0, 2<<4),
		t3(2, always, 0, 3, 0, 0, 0), // r3 = s[a0]
		teslaExit)
	block := NewShared(m.Machine, ScopeBlock, ScopeLaunch)
	waves := []*Wave{NewWave(p, block), NewWave(p, block)}
	for i, w := range waves {
		w.Start(32, 0)
		for lane := range 32 {
			n := uint64(i*32 + lane)
			w.Set(m.state("r"), 1, 0, lane, 100+n)
			w.Set(m.state("r"), 2, 0, lane, 4*n&0xff)
			w.Set(m.state("a"), 0, 0, lane, 4*(63-n))
		}
	}
	RunBlock(t.Context(), waves)
	for i, w := range waves {
		for lane := range 32 {
			wantState(t, w, "r", 3, lane, uint64(100+63-i*32-lane))
		}
	}
}
