package survey_test

import (
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/survey"
)

// BenchmarkInstruction counts random words.
func BenchmarkInstruction(b *testing.B) {
	set, d := example(b)
	s := survey.New(set)
	s.SkipFeatures = true
	random := rand.New(rand.NewPCG(1, 2))
	n := 0
	for b.Loop() {
		w, at := bits.Of(random.Uint64N(1<<16)), survey.Place{Addr: int64(16 * n)}
		if in, ok := d.Decode(w); ok {
			s.CountInstruction(d, in, at)
		} else {
			s.CountUnknown(d.Root(), w, at)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "words/s")
}
