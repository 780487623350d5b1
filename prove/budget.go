package prove

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/circuit"
)

// DefaultEffort is the default for Options.Effort, in millions of steps.
const DefaultEffort = 1_000

// Costs in steps, besides those of circuits. A step takes about 50 ns.
const (
	stateCost   = 10    // a state of an automaton, or a pair of states
	pairCost    = 1     // a comparison of the fixed bits of two leaves
	cubeCost    = 4     // a cube in one step of the search for unmatched words
	printCost   = 100   // a random or enumerated word that is decoded and printed
	witnessCost = 1_000 // a word that is decoded and printed for a finding
	readCost    = 10    // a step of the assembler
)

// stop is the reason why a search or a proof ended early. It is a panic value that attempt recovers, as is
// circuit.TooLarge.
type stop string

// budget is the number of steps left for all searches and proofs of one generation. A nil budget is
// unlimited.
type budget struct {
	ctx  context.Context
	left int64
	// nextCheck is the value of left at which spend checks the context again.
	nextCheck int64
	effort    int
}

// newBudget divides the effort into equal parts and returns the budget for one of them.
func newBudget(ctx context.Context, opt *Options, parts int) *budget {
	steps := opt.steps
	if steps == 0 {
		steps = min(int64(opt.Effort), math.MaxInt64/1_000_000) * 1_000_000
	}
	left := steps / int64(max(parts, 1))
	return &budget{ctx: ctx, left: left, nextCheck: left, effort: opt.Effort}
}

// spend subtracts steps. It panics with a stop, which ends the attempt, if no steps are left or the
// context is cancelled.
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

// interrupted reports whether a search or a proof ended early in some generation. If so, something
// that was not found may still exist.
func (c *checker) interrupted() bool {
	return slices.ContainsFunc(c.machines, func(m *machine) bool { return m.interrupted })
}

// attempt runs a search or a proof. If it ends early, done is false and attempt records a finding at
// the given location. what completes the message "not proved: ".
func (m *machine) attempt(at diag.Span, what string, run func()) (done bool) {
	defer func() {
		if bug := recover(); bug != nil {
			if _, ok := bug.(stop); !ok && bug != circuit.TooLarge {
				panic(bug)
			}
			m.interrupted = true
			m.c.limit(m, at, "not proved: %s%s; %v", what, m.genText(), bug)
		}
	}()
	m.budget.spend(0)
	run()
	return true
}
