package launch_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/internal/translatetest"
)

var translations = flag.Int("translations", 20, "number of random programs to translate")

// TestTranslated compares translated random programs with the plain engine.
func TestTranslated(t *testing.T) {
	x := translatetest.Open(t)
	// Programs that return all registers take a driver minutes to compile.
	x.Wanted = func(s *sem.State, number, _ int) bool {
		return s.Kind == sem.FileState && s.Scope == spec.ScopeLane && !s.ReadOnly && number < 4
	}
	all := allLanes()
	for i := range *translations {
		l, p, _, seed := randomLaunch(t, i)
		x.Known = i%2 == 1
		if err := x.Add(t.Context(), fmt.Sprintf("program %d: %032x", i, p.Words), 0, startRandom(l, seed, all), runRandom(l, seed, all)); err != nil {
			t.Fatalf("program %d: %v", i, err)
		}
	}
	x.Run(t)
	t.Log(x)
	if x.Values == 0 {
		t.Error("nothing was compared")
	}
}
