package launch_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
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

// TestTranslatedInstructions compares the translated rows of meaning.txt with the plain engine, with what the rows state and with
// random registers. -translations 0 compares all rows. Waves have one lane if a clause depends on other lanes.
func TestTranslatedInstructions(t *testing.T) {
	x := translatetest.Open(t)
	_, m := load(t)
	x.Rows(t, rows, *translations, func(line int, cells []string) *translatetest.Row {
		if strings.Contains(cells[1], "aL=") {
			return nil // a launch does not set it: rows with loops test it
		}
		code := assemble(t, cells[0])
		row := &translatetest.Row{Program: newProgram(t, m, code, rowQuirks(cells)), Lanes: exec.Lanes}
		for n := range uint64(len(code) * 32 / 48) {
			if asks(clauseAt(code, n), true) {
				row.Lanes = 1
			}
		}
		row.Set = func(w *exec.Wave) {
			w.SetMemory(m.State("memory"), make([]byte, 64))
			setRow(t, w, line, cells, 1)
		}
		return row
	})
}
