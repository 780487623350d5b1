// Package equal decides whether two programs compute the same.
//
// Equal means: for all inputs, each output has the same bits, and the programs end in the same way. What they store to memories that
// other lanes can read, their barriers and their calls of the host that have an effect are the same and in the same order. The
// answer has a proof, which a separate checker has repeated. NaN has one form, as in all results of runs. What a lane that
// stops abnormally leaves behind is not compared.
//
// Differs means: a run of both programs on the reference engine gave different results for the inputs in the answer.
//
// Undecided means that there is neither a proof nor such a run.
package equal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// Limits of a comparison.
const (
	// MaxNodes limits the parts of the values of both programs, and the steps of their simplification.
	MaxNodes = 1 << 20
	// DefaultRuns is the number of runs of up to 64 lanes that search for a difference.
	DefaultRuns = 64
	// MaxInstructions limits the instructions of a wave in a run. After each run that reaches the limit, it is halved for further runs,
	// down to MinInstructions.
	MaxInstructions = 1 << 14
	MinInstructions = 1 << 10
	// MaxCases limits the conditions that the proof for a pair of values distinguishes, and MaxQueries the searches of the SAT solver.
	MaxCases   = 64
	MaxQueries = 200

	// maxAttempts limits how often values of loops are paired anew.
	maxAttempts = 8

	// textDepth is the depth of Output.Values.
	textDepth = 4
)

// Verdict is the answer of a comparison.
type Verdict uint8

// The verdicts.
const (
	Undecided Verdict = iota
	Equal
	Differs
)

// String returns the name of the verdict.
func (v Verdict) String() string {
	return [...]string{Undecided: "undecided", Equal: "equal", Differs: "differs"}[v]
}

// Program is a program to compare.
type Program struct {
	Launch *exec.Launch
	// Registers is the number of registers that the launch allocates, or 0 for all.
	Registers int
	// Kernel, if it is not nil, runs the program, which gets arguments and has no outputs but arrays.
	Kernel feed.Called
}

// Options are the options of a comparison.
type Options struct {
	// Map maps names of inputs, uniforms and outputs of the first program to those of the second. Other names are matched by
	// equality, and then by register.
	Map map[string]string
	// Fixed are uniforms that have the values in the launches. Other uniforms may have any value, except for constants of a file.
	Fixed []string
	// ZeroSign is set if the sign of a zero in an output does not matter.
	ZeroSign bool
	// OneLane is set if the programs run in waves of one lane.
	OneLane bool
	// SearchOnly is set if the programs only run, without a search for a proof.
	SearchOnly bool
	// Runs is the number of runs that search for a difference. 0 means DefaultRuns. Seed selects their inputs.
	Runs int
	Seed uint64
}

// Result is the answer of a comparison.
type Result struct {
	Verdict Verdict
	// Outputs are the compared outputs.
	Outputs []Output
	// Reasons say why nothing was decided.
	Reasons []string
	// Unmatched are outputs without a counterpart.
	Unmatched []string
	// Difference is the run that shows the difference, or nil.
	Difference *Difference
	// Steps is the number of steps of the proof, Nodes the number of its values, and Runs the number of lanes that ran.
	Steps, Nodes, Lanes int
}

// Output is a component of an output.
type Output struct {
	// Name is the name in the first program. Proved is set if the output is proved to be equal.
	Name   string
	Proved bool
	// Values are the values in both programs as terms, if the output is not proved to be equal.
	Values [2]string
	// Found has values that differ in a run, or is nil. The inputs of that run are not those of Result.Difference.
	Found *Value
}

// Value is a value of an input or an output. Bits has a value for each program.
type Value struct {
	Name string
	Type isa.Type
	Bits [2]uint64
}

// Difference is a run with different results.
type Difference struct {
	// Inputs are the inputs and uniforms that the programs read, and Outputs the outputs that differ.
	Inputs, Outputs []Value
	// Stops says how each program stops, if they stop in different ways.
	Stops [2]string
	// Lane is the lane with the difference, and Lanes the number of lanes of the run.
	Lane, Lanes int

	// conflict is set if the difference may depend on the order in which the threads of a kernel run.
	conflict bool

	c      *comparison
	inputs []input
	values [][]uint64
}

// comparison is the state of Compare.
type comparison struct {
	Options
	programs [2]Program
	outputs  []output
	// leaves has the key of each input that a program reads, owners is its inverse, and names has the names for messages.
	leaves [2]map[flow.Variable]string
	owners [2]map[string]flow.Variable
	names  map[string]string
	same   bool // the programs have the same machine
	// hints are the numbers of valuations under which outputs differ, and constants are those of the programs.
	hints     []int
	constants map[sem.Type][]uint64
	budget    int64 // the limit on the instructions of a wave
	result    Result
}

// output is a component of an output of both programs.
type output struct {
	name string
	at   [2]flow.Variable
}

// Compare compares two programs. Instruction sets with the same name must have the same description. Compare returns an error if an option names something that does not exist, or if ctx is cancelled.
func Compare(ctx context.Context, a, b Program, o Options) (*Result, error) {
	c := &comparison{Options: o, programs: [2]Program{a, b}, constants: map[sem.Type][]uint64{}, budget: MaxInstructions}
	c.same = machineOf(a).Model == machineOf(b).Model || a.Launch.Program.Machine.Set().Name() == b.Launch.Program.Machine.Set().Name()
	if err := c.match(); err != nil {
		return nil, err
	}
	wave := machineOf(a).Wave || machineOf(b).Wave
	for _, oneLane := range []bool{o.OneLane, true} {
		if o.SearchOnly || oneLane && !o.OneLane && !wave {
			break
		}
		if err := c.proveFor(ctx, oneLane); err != nil {
			return nil, err
		}
		if c.result.Verdict == Equal || o.OneLane {
			break
		}
	}
	if c.result.Verdict == Equal {
		return &c.result, nil
	}
	if err := c.search(ctx); err != nil {
		return nil, err
	}
	return &c.result, nil
}

// machineOf returns the semantics of the machine of a program.
func machineOf(p Program) *sem.Machine { return p.Launch.Program.Machine.Inside(inside.Key{}) }

// proveFor specialises the programs, and tries to prove that they are equal.
func (c *comparison) proveFor(ctx context.Context, oneLane bool) error {
	var programs [2]*flow.Program
	for side := range c.programs {
		config := c.config(side)
		config.OneLane = oneLane && config.Machine.Wave
		p, err := flow.Specialise(ctx, config)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.reason("program %d cannot be specialised: %v", side+1, err)
			return nil
		}
		programs[side] = p
		c.collect(p)
	}
	p, err := c.prove(ctx, programs)
	if err != nil {
		return err
	}
	c.result.Steps, c.result.Nodes = len(p.g.steps), len(p.g.nodes)
	c.result.Outputs = nil
	for _, x := range p.outputs {
		out := Output{Name: x.what, Proved: p.same(x.a, x.b) && p.reason == ""}
		if !out.Proved && x.a != none && x.b != none {
			out.Values = [2]string{p.g.text(x.a, textDepth, c.names), p.g.text(x.b, textDepth, c.names)}
		}
		c.result.Outputs = append(c.result.Outputs, out)
	}
	switch {
	case p.reason != "":
		c.reason("%s", p.reason)
	case len(p.open) > 0:
		for _, x := range p.open {
			c.reason("%s: not proved to be equal", x.what)
		}
	case len(c.result.Unmatched) > 0:
		c.reason("outputs without a counterpart: %s", strings.Join(c.result.Unmatched, ", "))
	case oneLane && !c.OneLane && !(c.independent(0, programs[0]) && c.independent(1, programs[1])):
		c.reason("proved only for waves of one lane: the programs look at other lanes")
	default:
		c.result.Verdict, c.result.Reasons = Equal, nil
		for _, o := range c.outputs {
			if c.emits() {
				c.result.Outputs = append(c.result.Outputs, Output{Name: o.name, Proved: true})
			}
		}
	}
	return nil
}

// independent reports whether what a program computes in a lane does not depend on the other lanes of its wave.
func (c *comparison) independent(side int, p *flow.Program) bool {
	config := c.config(side)
	seen := map[uint64]bool{}
	for _, addr := range p.Addrs {
		if addr == flow.NoAddr || seen[addr] {
			continue
		}
		seen[addr] = true
		if code, err := config.Code(addr); err != nil || flow.OtherLanes(code, config.Machine.Lanes, true) != "" {
			return false
		}
	}
	return true
}

// reason adds a reason why nothing was decided.
func (c *comparison) reason(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.result.Reasons, text) {
		c.result.Reasons = append(c.result.Reasons, text)
	}
}

// config returns the configuration for which a program is specialised.
func (c *comparison) config(side int) flow.Config {
	x := c.programs[side]
	config := x.Launch.Flow(inside.Key{})
	if x.Registers > 0 {
		config.Count = func(s *sem.State) int {
			if s.Allocated {
				return min(x.Registers, s.Count)
			}
			return s.Count
		}
	}
	wanted := map[flow.Variable]bool{}
	for _, o := range c.outputs {
		wanted[o.at[side]] = true
	}
	config.Wanted = func(s *sem.State, number, comp int) bool {
		return wanted[flow.Variable{State: s, Number: number, Comp: comp}]
	}
	if known := c.fixed(side); len(known) > 0 {
		before := config.Known
		config.Known = func(s *sem.State, number, comp int) (uint64, bool) {
			if v, ok := known[flow.Variable{State: s, Number: number, Comp: comp}]; ok {
				return v, true
			}
			return before(s, number, comp)
		}
	}
	return config
}
