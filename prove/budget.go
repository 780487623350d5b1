package prove

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/isago/isago/diag"
)

// DefaultEffort is how many million steps a check may take.
const DefaultEffort = 1_000

// What is done costs this many steps. A step takes about 50 ns.
const (
	gateCost    = 10  // a gate of a circuit
	stateCost   = 10  // a state of an automaton, or a pair of them
	pairCost    = 1   // two leaves whose fixed bits are compared
	cubeCost    = 4   // the words of a leaf where the space of words is divided
	printCost   = 100 // a word that is decoded and printed
	witnessCost = 1_000
	readCost    = 10 // a step of the assembler
)

// stop is why a search or a proof ends before it is done. It unwinds to the attempt.
type stop string

// budget counts the steps that all searches and proofs of one generation may still take. A nil budget has no end.
type budget struct {
	ctx  context.Context
	left int64
	// nextCheck is the number of steps left at which the context is asked again.
	nextCheck int64
	effort    int
}

// newBudget returns one of so many parts of the effort.
func newBudget(ctx context.Context, opt *Options, parts int) *budget {
	steps := opt.steps
	if steps == 0 {
		steps = min(int64(opt.Effort), math.MaxInt64/1_000_000) * 1_000_000
	}
	left := steps / int64(max(parts, 1))
	return &budget{ctx: ctx, left: left, nextCheck: left, effort: opt.Effort}
}

// spend takes steps, and ends the attempt where none are left or the context is cancelled.
func (b *budget) spend(steps int) {
	if b == nil {
		return
	}
	if b.left -= int64(steps); b.left > b.nextCheck {
		return
	}
	if b.ctx.Err() != nil {
		panic(stop("it was cancelled"))
	}
	if b.left <= 0 {
		panic(stop(fmt.Sprintf("the effort of %d million steps is used up", b.effort)))
	}
	b.nextCheck = max(0, b.left-1<<16)
}

// interrupted reports whether a search or a proof ended early in some generation, so that what was not seen may be there.
func (c *checker) interrupted() bool {
	return slices.ContainsFunc(c.machines, func(m *machine) bool { return m.interrupted })
}

// attempt runs a search or a proof. done is false where it ended early; what it was to show is then a finding at a place.
func (m *machine) attempt(at diag.Span, what string, run func()) (done bool) {
	defer func() {
		if bug := recover(); bug != nil {
			why, ok := bug.(stop)
			if !ok {
				panic(bug)
			}
			m.interrupted = true
			m.c.limit(m, at, "not proved: %s%s; %s", what, m.genText(), why)
		}
	}()
	m.budget.spend(0)
	run()
	return true
}
