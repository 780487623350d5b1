package launch_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/internal/translatetest"
)

var translations = flag.Int("translations", 20, "number of random programs to translate")

// TestTranslated compares translated random programs with the plain engine. Waves have one lane, as the translations.
// 10,000 programs are
//
//	go test . -run '^TestTranslated$' -translations 10000 -timeout 0
//
// and -first has the first seed.
func TestTranslated(t *testing.T) {
	x := translatetest.Open(t)
	_, m := load(t)
	// Programs that return all registers take a driver minutes to compile.
	x.Wanted = func(s *sem.State, number, _ int) bool {
		return s.Kind == sem.FileState && s.Scope == spec.ScopeLane && !s.ReadOnly && number < 8
	}
	for i := range *translations {
		l := randomLaunch(t, m, uint64(i+*first))
		lanes := []int{i % 64}
		after := l.start(lanes)
		flowtest.Record(after)
		after.Run(t.Context())
		x.Known = i%2 == 1
		if err := x.Add(t.Context(), fmt.Sprintf("program %d: %08x", i, l.code), 0, l.start(lanes), after); err != nil {
			t.Fatalf("program %d: %v", i, err)
		}
	}
	x.Run(t)
	t.Log(x)
	if x.Values == 0 {
		t.Error("nothing was compared")
	}
}
