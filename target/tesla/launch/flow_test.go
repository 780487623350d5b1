package launch

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/internal/sem"
)

// specialising returns what runs kernels of up to 20 registers, and the tally of the specialised ones.
func specialising(t *testing.T) (*session, *flowtest.Tally) {
	t.Helper()
	base, err := (&kernels{}).set(optBlock, "32").open([]byte("architecture {sm_13}\ncode { name = k bincode { } }"))
	if err != nil {
		t.Fatal(err)
	}
	return base, &flowtest.Tally{Count: func(s *sem.State) int {
		if s.Allocated {
			return 20
		}
		return s.Count
	}}
}

// TestSpecialisedForms specialises programs with what random programs do not have: a branch that all threads of a warp
// take between quadon and quadpop, where a token of the branch would be in the way, and atomic additions of all threads
// to one number, each of which returns a sum of the threads before it. By hand: in the second, thread n adds n + 1, so
// that it reads n * (n + 1) / 2, and the number ends as 528.
func TestSpecialisedForms(t *testing.T) {
	base, tally := specialising(t)
	for name, body := range map[string]string{
		"quad":   "mov b32 $r1 0x1\nand b32 $c0 # $r1 $r1\nquadon\n(lg $c0) bra on\nmov b32 $r1 0x2\non:\nquadpop\nexit nop\n",
		"atomic": "mov b32 $r1 b32 s[0x10]\ncvt u32 $r2 u16 $r0l\nmov b32 $r3 0x1\nadd b32 $r3 $r2 $r3\nld add u32 $r4 g14[$r1] $r3\nexit nop\n",
	} {
		text := "architecture {sm_13}\ncode {\n\tname = k\n\treg = 20\n\tsmem = 20\n\tbincode {\n" + body + "\t}\n}\n"
		var err error
		if base.module, err = read([]byte(text), set.DefaultContext()); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var before flowtest.Before
		var after *exec.Wave
		data := run32(t, base, text, 0, words(32*8, func(int) uint32 { return 0 }), func(w *exec.Wave) { before, after = flowtest.Snapshot(w), w })
		if err := tally.Check(t.Context(), 0, before, after); err != nil || tally.TooLarge > 0 || len(tally.Others) > 0 {
			t.Errorf("%s: %v, %v", name, err, tally)
		}
		r4 := after.Get(after.Program.Machine.State("r"), 4, 0, 31)
		if sum := binary.LittleEndian.Uint32(data); name == "atomic" && (sum != 528 || r4 != 496) {
			t.Errorf("the sum is %d and thread 31 reads %d, expected 528 and 496", sum, r4)
		}
	}
}

// TestSpecialised compares specialised random programs with the plain engine, in warps of one thread and in whole warps.
func TestSpecialised(t *testing.T) {
	base, tally := specialising(t)
	var err error
	for i := range flowtest.Programs(*programs) {
		p := &drawn{r: rand.New(rand.NewPCG(uint64(i), 9))}
		text := p.write()
		if base.module, err = read([]byte(text), set.DefaultContext()); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		data := words(32*8, func(int) uint32 { return p.r.Uint32() >> (p.r.IntN(4) * 8) })
		var before flowtest.Before
		var after *exec.Wave
		run32(t, base, text, uint64(i&1), data, func(w *exec.Wave) {
			if i%4 >= 2 {
				w.SetLanes(1)
			}
			w.Memory(base.places.local.State()) // a snapshot leaves out memories that nothing has read
			before, after = flowtest.Snapshot(w), w
		})
		if err := tally.Check(t.Context(), i, before, after); err != nil {
			t.Errorf("%v", err)
		}
		if t.Failed() {
			t.Fatalf("program %d:\n%s", i, text)
		}
	}
	t.Log(tally)
}
