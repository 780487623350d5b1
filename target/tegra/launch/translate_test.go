package launch_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/internal/translatetest"
)

var translations = flag.Int("translations", 20, "number of random programs to translate")

// TestTranslated compares translated random programs with the plain engine. Most lanes of three quarters of them end normally.
// 10,000 programs are
//
//	go test . -run '^TestTranslated$' -translations 10000 -timeout 0
//
// and -first has the first seed.
func TestTranslated(t *testing.T) {
	x := translatetest.Open(t)
	// Programs that return all registers take a driver minutes to compile.
	x.Wanted = func(s *sem.State, number, _ int) bool {
		return s.Kind == sem.FileState && s.Scope == spec.ScopeLane && !s.ReadOnly && number < 4
	}
	all := allLanes()
	for i, n := 0, 0; n < *translations; i++ {
		l, p, _, seed := randomLaunch(t, i)
		after := runRandom(l, seed, all)
		if n%4 != 0 && !translatetest.Ends(after) {
			continue
		}
		n++
		x.Known = n%2 == 1
		if err := x.Add(t.Context(), fmt.Sprintf("program %d: %s", i, p.Words), 0, startRandom(l, seed, all), after); err != nil {
			t.Fatalf("program %d: %v", i, err)
		}
	}
	x.Run(t)
	t.Log(x)
	if x.Values == 0 {
		t.Error("nothing was compared")
	}
}

// TestTranslatedInstructions compares the translated rows of meaning.txt with the plain engine, with what the rows state and with
// random registers. -translations 0 compares all rows.
func TestTranslatedInstructions(t *testing.T) {
	x := translatetest.Open(t)
	set, m := load(t)
	parser, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	x.Rows(t, rows, *translations, func(line int, cells []string) *translatetest.Row {
		r := row{t: t, isa: set, machine: m, parser: parser, line: line, quirks: map[string]string{}}
		_, l := r.launch(cells)
		return &translatetest.Row{Program: l.Program, Lanes: exec.Lanes, Set: func(w *exec.Wave) { r.set(l, w, cells, 1) }}
	})
}
