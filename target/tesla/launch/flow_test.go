package launch

import (
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/internal/sem"
)

// TestSpecialised compares specialised random programs with the plain engine, in warps of one thread and in whole warps.
func TestSpecialised(t *testing.T) {
	base, err := (&kernels{}).set(optBlock, "32").open([]byte("architecture {sm_13}\ncode { name = k bincode { } }"))
	if err != nil {
		t.Fatal(err)
	}
	var tally flowtest.Tally
	tally.Count = func(s *sem.State) int {
		if s.Allocated {
			return 20 // the registers that the text allocates
		}
		return s.Count
	}
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
