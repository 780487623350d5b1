package launch_test

import (
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow/flowtest"
)

// TestSpecialised compares specialised random programs with the plain engine, in waves of one lane and in whole waves.
func TestSpecialised(t *testing.T) {
	_, m := load(t)
	var tally flowtest.Tally
	for i := range flowtest.Programs(*programs) {
		x := randomLaunch(t, m, uint64(i+*first))
		lanes := []int{i % 64}
		if i%4 >= 2 {
			lanes = lanes[:0]
			for k := range exec.Lanes {
				lanes = append(lanes, k)
			}
		}
		after := x.start(lanes)
		tally.Calls = flowtest.Record(after)
		after.Run(t.Context())
		if err := tally.Check(t.Context(), i, x.start(lanes), after); err != nil {
			t.Errorf("%v", err)
		}
		if t.Failed() {
			t.Fatalf("program %d: %08x", i, x.code)
		}
	}
	t.Log(tally)
	if tally.Called == 0 {
		t.Error("no program calls a service")
	}
}
