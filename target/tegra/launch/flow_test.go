package launch_test

import (
	"testing"

	"github.com/isago/isago/internal/flow/flowtest"
)

// TestSpecialised compares specialised random programs with the plain engine.
func TestSpecialised(t *testing.T) {
	all := allLanes()
	var tally flowtest.Tally
	for i := range flowtest.Programs(*programs) {
		l, p, _, seed := randomLaunch(t, i)
		if err := tally.Check(t.Context(), i, startRandom(l, seed, all), runRandom(l, seed, all)); err != nil {
			t.Errorf("%v", err)
		}
		if t.Failed() {
			t.Fatalf("program %d: %032x", i, p.Words)
		}
	}
	t.Log(tally)
}
