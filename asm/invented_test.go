package asm

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/internal/randisa"
	"github.com/isago/isago/isa"
)

// eachInvented runs a test for n generated descriptions.
func eachInvented(t *testing.T, n int, test func(t *testing.T, s *isa.Set, source string, seed int64)) {
	for _, kind := range []struct {
		name string
		of   func(seed uint64) string
	}{{"texts", randisa.Texts}, {"words", randisa.Words}, {"programs", randisa.Programs}} {
		loaded := 0
		for i := range int64(n) {
			seed := *linesSeed*int64(n) + i
			source := kind.of(uint64(seed))
			s, err := isa.Load(fstest.MapFS{"invented.xml": {Data: []byte(source)}}, "invented.xml", isa.Options{})
			if err != nil {
				continue
			}
			if loaded++; i%2 == 1 && slices.Contains(s.Syntaxes(), "alt") {
				if s, err = s.WithOptions(isa.Options{Syntax: "alt"}); err != nil {
					t.Fatal(err, source)
				}
			}
			t.Run(fmt.Sprint(kind.name, seed), func(t *testing.T) {
				defer func() {
					if t.Failed() {
						t.Log(source)
					}
				}()
				test(t, s, source, seed)
			})
		}
		if loaded < n/8 {
			t.Errorf("only %d of %d descriptions of %s are some", loaded, n, kind.name)
		}
	}
}

// TestInvented compares parsers with and without a cache for generated descriptions.
func TestInvented(t *testing.T) { eachInvented(t, 40, compareInvented) }

// compareInvented prints words of a description, and compares the results of the parsers for the lines and for
// variations of the lines.
func compareInvented(t *testing.T, s *isa.Set, _ string, seed int64) {
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewSource(seed))
	randomTables(d, r)
	var lines, seen []string
	for _, l := range d.Root().Leaves {
		for range 24 {
			in, ok := d.Decode(randomValue(r).AndNot(l.Mask.Or(l.DontCare)).Or(l.Match))
			if !ok {
				continue
			}
			line := string(d.Append(nil, in))
			other := numbersIn.ReplaceAllStringFunc(line, func(string) string { return fmt.Sprint(r.Intn(1 << r.Intn(8))) })
			lines = append(lines, line, nearly(otherSelectors(other, &seen, r), r))
		}
	}
	remembers, forgets := twoParsers(t, s, "")
	for range 3 {
		for _, line := range lines {
			emptyTables(forgets)
			sameReading(t, remembers, forgets, line)
		}
		r.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
	}
}

// nearly inserts a byte into some lines, or removes one.
func nearly(line string, r *rand.Rand) string {
	if r.Intn(10) > 0 || line == "" {
		return line
	}
	at := r.Intn(len(line))
	return line[:at] + []string{"", " ", "1", "x", ".", "*", "r", ",", "0x", "L"}[r.Intn(10)] + line[at+r.Intn(2):]
}
