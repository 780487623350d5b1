package launch_test

import (
	"testing"

	"github.com/isago/isago/internal/flow/flowtest"
)

// TestSpecialised compares specialised random programs with the plain engine, in waves of one lane.
func TestSpecialised(t *testing.T) {
	_, m := load(t)
	var tally flowtest.Tally
	for i := range flowtest.Programs(*programs) {
		x := randomLaunch(t, m, uint64(i+*first))
		lane := []int{i % 64}
		tally.Check(t, i, x.start(lane), x.run(lane))
		if t.Failed() {
			t.Fatalf("program %d: %08x", i, x.code)
		}
	}
	t.Log(tally)
}
