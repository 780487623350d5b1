package launch_test

import (
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/target/tegra"
	"github.com/isago/isago/target/tegra/launch"
)

// TestSpecialised compares specialised random programs with the plain engine.
func TestSpecialised(t *testing.T) {
	set, m := load(t)
	quirks := []map[string]string{{}, {"float": "nv30"}, {"legacy": "true", "swapped": "true", "set_before_clamp": "true"}}
	var all []int
	for k := range exec.Lanes {
		all = append(all, k)
	}
	var tally flowtest.Tally
	for i := range flowtest.Programs(*programs) {
		seed := uint64(i + *first)
		r := rand.New(rand.NewPCG(seed, 1000))
		p := &tegra.Program{Words: randomWords(r)}
		l, err := launch.New(m, set, p, quirks[i%len(quirks)])
		if err != nil {
			t.Fatal(err)
		}
		for n := range 32 {
			for k := range 4 {
				l.Shared.Set(m.State("c"), n, k, randomFloat(r))
			}
		}
		tally.Check(t, i, startRandom(l, seed, all), runRandom(l, seed, all))
		if t.Failed() {
			t.Fatalf("program %d", i)
		}
	}
	t.Log(tally)
}
