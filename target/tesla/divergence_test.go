package tesla_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
)

var divergent = flag.Int("divergent", 8, "number of random programs for TestDivergence")

// TestDivergence runs random programs whose threads part at branches, loops, calls and returns, and finds that each
// thread ends with what it ends with alone, whichever side of a branch runs first; -divergent says how many.
func TestDivergence(t *testing.T) {
	s := load(t)
	m, err := exec.Open(s)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	d := divergence{t: t, m: m, root: root, context: context(t, s, "g200", "cp")}
	for i := range *divergent {
		source := (&flowDrawer{rnd: rand.New(rand.NewPCG(uint64(i), 21))}).program()
		data, err := compileFor(source, "g200", "cp")
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		d.code = d.code[:0]
		for ; len(data) >= 4; data = data[4:] {
			d.code = append(d.code, binary.LittleEndian.Uint32(data))
		}
		d.seed = uint64(i)
		together := d.run(0, 32, 0)
		other := d.run(0, 32, 1)
		for lane := range 32 {
			alone := d.run(lane, 1, uint64(lane%2))
			for n := range flowRegisters {
				if got, want := together(lane, n), alone(0, n); got != want {
					t.Fatalf("program %d: r%d of thread %d is %#x with the others, %#x alone\n%s", i, n, lane, got, want, source)
				}
				if got, want := other(lane, n), alone(0, n); got != want {
					t.Fatalf("program %d: r%d of thread %d is %#x with the others, the other side first, %#x alone\n%s", i, n, lane, got, want, source)
				}
			}
		}
	}
}

// divergence runs a program on some threads.
type divergence struct {
	t       *testing.T
	m       *exec.Machine
	root    *isa.Root
	context bits.Value
	code    []uint32
	seed    uint64
}

const flowRegisters = 8

// run runs threads from a first one on and returns what tells their registers.
func (d *divergence) run(first, lanes int, fallThroughFirst uint64) func(lane, n int) uint64 {
	words := d.m.Words32(d.root, d.code, 0)
	words.Context, words.Quirks = d.context, map[string]uint64{"fall_through_first": fallThroughFirst}
	w := exec.NewWave(exec.NewProgram(d.m, words))
	w.Budget = 200_000
	w.Start(lanes, 0)
	r := d.m.State("r")
	for lane := range lanes {
		draw := rand.New(rand.NewPCG(d.seed, uint64(first+lane)))
		for n := range flowRegisters {
			w.Set(r, n, 0, lane, uint64(draw.Uint32()))
		}
	}
	w.Run(d.t.Context())
	for _, s := range w.Stops() {
		if s.Reason != "end" {
			d.t.Fatalf("%v of threads %#x", s, s.Lanes)
		}
	}
	return func(lane, n int) uint64 { return w.Get(r, n, 0, lane) }
}

// flowDrawer draws programs: arithmetic on $r0 to $r7, and control flow that depends on it. Loops count in the registers
// behind.
type flowDrawer struct {
	rnd       *rand.Rand
	out       strings.Builder
	labels    int
	functions int
	calls     bool // functions may be called
	counters  int  // the register of the outermost loop
}

func (f *flowDrawer) program() string {
	f.functions, f.calls, f.counters = 2, true, 10
	f.block(0, false, true)
	f.line("exit (never) nop")
	f.calls, f.counters = false, 15
	for i := range f.functions {
		f.line("function%d:", i)
		f.block(2, false, true)
		f.line("ret")
	}
	return f.out.String()
}

func (f *flowDrawer) line(format string, args ...any) { fmt.Fprintf(&f.out, format+"\n", args...) }

func (f *flowDrawer) register() int { return f.rnd.IntN(flowRegisters) }

func (f *flowDrawer) label() string {
	f.labels++
	return fmt.Sprintf("place%d", f.labels)
}

// condition sets $c1 and returns a condition of it.
func (f *flowDrawer) condition() string {
	f.line("mov b32 $r20 0x%x", 1<<f.rnd.IntN(8))
	f.line("and b32 $c1 $r20 $r%d $r20", f.register())
	switch f.rnd.IntN(12) {
	case 0:
		return "(never)"
	case 1:
		return ""
	}
	return []string{"(e $c1)", "(lg $c1)"}[f.rnd.IntN(2)]
}

func (f *flowDrawer) arithmetic() {
	a, b, c := f.register(), f.register(), f.register()
	switch f.rnd.IntN(4) {
	case 0:
		f.line("long add b32 $r%d $r%d $r%d", a, b, c)
	case 1:
		f.line("xor b32 $r%d $r%d $r%d", a, b, c)
	case 2:
		f.line("long mul $r%d u16 $r%dl u16 $r%dl", a, b, c)
	case 3:
		f.line("shr u32 $r%d $r%d 0x%x", a, b, f.rnd.IntN(9))
	}
}

// block draws statements. A thread may leave the loop around it, or the function.
func (f *flowDrawer) block(depth int, loop, function bool) {
	for range 1 + f.rnd.IntN(3) {
		f.arithmetic()
		if depth > 3 {
			continue
		}
		switch f.rnd.IntN(9) {
		case 0, 1:
			f.choice(depth, loop, function)
		case 2:
			f.countedLoop(depth, function)
		case 3:
			f.branchLoop(depth)
		case 4:
			if f.calls {
				f.line("call #function%d", f.rnd.IntN(f.functions))
			}
		case 5:
			if loop {
				f.line("%s break", f.condition())
			}
		case 6:
			if function {
				f.line("%s ret", f.condition())
			}
		}
	}
}

// choice draws two branches that join.
func (f *flowDrawer) choice(depth int, loop, function bool) {
	other, behind := f.label(), f.label()
	condition := f.condition()
	f.line("joinat #%s", behind)
	f.line("%s bra #%s", condition, other)
	f.block(depth+1, loop, function)
	f.line("bra #%s", behind)
	f.line("%s:", other)
	f.block(depth+1, loop, function)
	f.line("%s:", behind)
	f.line("join (never) nop")
}

// countedLoop draws a loop that threads leave by break.
func (f *flowDrawer) countedLoop(depth int, function bool) {
	start, behind, counter := f.label(), f.label(), f.counters+depth
	f.count(counter)
	f.line("breakaddr #%s", behind)
	f.line("%s:", start)
	f.line("sub b32 $c2 $r%d $r%d $r30", counter, counter)
	f.line("(s $c2) break")
	f.block(depth+1, true, function)
	f.line("bra #%s", start)
	f.line("%s:", behind)
}

// branchLoop draws a loop that threads leave by not branching back.
func (f *flowDrawer) branchLoop(depth int) {
	start, behind, counter := f.label(), f.label(), f.counters+depth
	f.count(counter)
	f.line("joinat #%s", behind)
	f.line("%s:", start)
	f.block(depth+1, false, false)
	f.line("sub b32 $c2 $r%d $r%d $r30", counter, counter)
	f.line("(ns $c2) bra #%s", start)
	f.line("%s:", behind)
	f.line("join (never) nop")
}

// count gives a counter a few turns, as many as each thread has.
func (f *flowDrawer) count(counter int) {
	f.line("mov b32 $r30 0x3")
	f.line("and b32 $r%d $r%d $r30", counter, f.register())
	f.line("mov b32 $r30 0x1")
}
