package asm_test

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/isago/isago/bits"
)

var firstWord = flag.Uint64("first", 0, "the word with which -exhaustive starts, to go on with a run that was stopped")

var exhaustive = flag.Bool("exhaustive", false, "TestExhaustive tries all 2^32 words of PICA200, not a sample")

// roundTrip prints a word losslessly, and parses the text with the same table.
func (r *rig) roundTrip(w bits.Value) (known bool, err error) {
	in, ok := r.d.Decode(w)
	if !ok {
		return false, nil
	}
	r.text, ok = r.lossless[1].Append(r.text[:0], in)
	if !ok {
		if len(r.d.Findings()) == 0 {
			return true, fmt.Errorf("%s has no lossless text", w)
		}
		return true, nil
	}
	if r.text[len(r.text)-1] != '}' {
		return true, nil // the printer has parsed the text and compared the word
	}
	res, err := r.fixed.Parse(string(r.text))
	if err != nil {
		return true, fmt.Errorf("%s prints %q: %w", w, r.text, err)
	}
	if res.Inst.Bits != w {
		return true, fmt.Errorf("%s prints %q, which is %s", w, r.text, res.Inst.Bits)
	}
	return true, nil
}

// TestExhaustive checks that words of PICA200 keep all bits, with one table: a sample in steps of a prime, or all
// words. Each goroutine has its own tools, and takes blocks of words.
func TestExhaustive(t *testing.T) {
	stride, count := uint64(16381), uint64(1)<<18
	if *exhaustive {
		stride, count = 1, 1<<32
	}
	const block = 1 << 12
	start := time.Now()
	var mu sync.Mutex
	next, known, failures := *firstWord, 0, 0
	take := func() (from uint64, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		from = next
		next += block
		if from != 0 && from%(1<<28) == 0 {
			t.Logf("%d of %d words after %v, %d failures", from, count, time.Since(start).Round(time.Second), failures)
		}
		return from, from < count && failures < 20
	}
	set := loadFile(t, "pica200") // shared
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		r := newRigOf(t, set)
		i := uint64(0)
		r.fill(func() bits.Value { // all entries different, all bits in use
			i++
			return bits.Of(i * 0x9e3779b97f4a7c15 >> 33)
		})
		wg.Go(func() {
			mine := 0
			for from, ok := take(); ok; from, ok = take() {
				for n := from; n < from+block; n++ {
					known, err := r.roundTrip(bits.Of(n * stride & 0xffffffff))
					if err != nil {
						t.Error(err)
						mu.Lock()
						failures++
						mu.Unlock()
					}
					if known {
						mine++
					}
				}
			}
			mu.Lock()
			known += mine
			mu.Unlock()
		})
	}
	wg.Wait()
	took := time.Since(start)
	t.Logf("%d words, %d of them instructions, in %v: %.0f words/s", count-*firstWord, known, took.Round(time.Millisecond), float64(count-*firstWord)/took.Seconds())
}
