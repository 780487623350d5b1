package facts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/isago/isago/internal/sem"
)

// deed is what an instruction of a made-up program does to its stack: takes so many entries off, and puts these on.
type deed struct {
	pops int
	push []uint64
	to   int
}

// do does it; ok is false where the stack has too few entries, or lists too few.
func (d deed) do(e entries) (entries, bool) {
	if d.pops > len(e.slots) {
		return e, false
	}
	e.slots = slices.Clone(e.slots[:len(e.slots)-d.pops])
	for _, v := range d.push {
		e.slots = append(e.slots, []number{{true, v}})
	}
	return e, true
}

// All that a program can reach with its whole stack it reaches with the newest entries of it: nothing is lost, whatever is
// pushed, taken off and replaced.
func TestBelowLosesNothing(t *testing.T) {
	const places, deepest = 5, 7
	state := &sem.State{Name: "s"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var code [places][]deed
		for i := range code {
			for range 1 + r.IntN(2) {
				d := deed{pops: r.IntN(3), to: r.IntN(places)}
				for range r.IntN(3) {
					d.push = append(d.push, uint64(r.IntN(2)))
				}
				code[i] = append(code[i], d)
			}
		}
		whole := reached(code[:], state, NewBelow(0), deepest)
		for most := 2; most <= 4; most++ {
			listed := reached(code[:], state, NewBelow(most), deepest)
			for key, e := range whole {
				if n := len(e.slots) - most; n > 0 {
					key = fmt.Sprint(key[:1], (&entries{state, e.slots[n:], true}).key())
				}
				if _, ok := listed[key]; !ok {
					t.Fatalf("%v with %d entries: %s is not reached", code, most, key)
				}
			}
		}
	}
}

// reached returns the stacks that a program reaches, up to a depth, by their places and keys.
func reached(code [][]deed, state *sem.State, below *Below, deepest int) map[string]entries {
	all := map[string]entries{}
	for more := true; more; more = below.Grew() {
		seen := map[string]bool{}
		var follow func(at int, e entries)
		follow = func(at int, e entries) {
			key := fmt.Sprint(at, e.key())
			if seen[key] || len(e.slots) > deepest {
				return
			}
			seen[key], all[key] = true, e
			for _, d := range code[at] {
				x, ok := d.do(e)
				if !ok {
					continue
				}
				for _, s := range below.After(Stacks{}.with(e), Stacks{}.with(x)) {
					follow(d.to, s.of(state))
				}
			}
		}
		follow(0, entries{state: state})
	}
	return all
}
