package launch_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/internal/translatetest"
)

var translations = flag.Int("translations", 25, "number of random programs to translate")

// TestTranslated compares translated random programs with the plain engine. A quarter of them are any words. 10,000 programs are
//
//	go test . -run '^TestTranslated$' -translations 10000 -timeout 0
//
// and -first has the first seed.
func TestTranslated(t *testing.T) {
	x := translatetest.Open(t)
	_, m := load(t)
	root, _ := m.Root("")
	for i := range *translations {
		seed := uint64(i + *first)
		r := rand.New(rand.NewPCG(seed, 1000))
		code, table := structuredProgram(r)
		if i%4 == 0 {
			code, table = randomProgram(r)
		}
		words := m.Words32(root, code, 0)
		words.Tables[0] = table
		p := exec.NewProgram(m, words)
		shared := exec.NewShared(m, exec.ScopeBlock, exec.ScopeLaunch)
		for n := range 96 {
			for k := range 4 {
				shared.Set(m.State("c"), n, k, randomFloat(r))
			}
		}
		for n := range 4 {
			for k := range 4 {
				shared.Set(m.State("i"), n, k, uint64(r.IntN(5)))
			}
		}
		for n := range 16 {
			shared.Set(m.State("b"), n, 0, uint64(r.IntN(2)))
		}
		all := make([]int, exec.Lanes)
		for k := range all {
			all[k] = k
		}
		before := startRandom(m, exec.NewWave(p, shared), seed, all)
		after := startRandom(m, exec.NewWave(p, shared), seed, all)
		flowtest.Record(after)
		after.Run(t.Context())
		x.Known = i%2 == 1
		if err := x.Add(t.Context(), fmt.Sprintf("program %d: %08x", i, code), 0, before, after); err != nil {
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
	_, m := load(t)
	x.Rows(t, rows, *translations, func(_ int, cells []string) *translatetest.Row {
		_, p, entry := rowProgram(t, m, cells)
		return &translatetest.Row{Program: p, Entry: entry, Lanes: exec.Lanes, Set: func(w *exec.Wave) { setRow(t, w, cells, 1) }}
	})
}
