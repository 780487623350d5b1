package equal

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// input is an input or uniform of both programs, or of one of them.
type input struct {
	key  string
	typ  sem.Type
	at   [2]flow.Variable // without a state if the program does not read it
	same bool             // all lanes have the same value
	// parameter is the number of the parameter of a kernel, and element the number of the value in its argument.
	parameter, element int
}

// search runs both programs with special and random inputs, until an output differs.
func (c *comparison) search(ctx context.Context) error {
	inputs := c.inputs()
	kernels := c.programs[0].Kernel != nil && c.programs[1].Kernel != nil
	if kernels {
		var err error
		if inputs, err = c.arguments(); err != nil {
			c.reason("the kernels did not run: %v", err)
			return nil
		}
	} else if len(c.outputs) == 0 {
		c.reason("the programs have no outputs that a run could compare")
		return nil
	}
	r := rand.New(rand.NewPCG(c.Seed, 1))
	runs := c.Runs
	if runs == 0 {
		runs = DefaultRuns
	}
	if kernels {
		c.hints = nil
	}
	ran := 0
	for i := range len(c.hints) + runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		lanes := exec.Lanes
		if i < len(c.hints) || c.OneLane || kernels {
			lanes = 1
		}
		var values [][]uint64
		if i < len(c.hints) {
			for _, x := range inputs {
				values = append(values, []uint64{leafValue(inputName(x.key), x.typ, c.hints[i])})
			}
		} else {
			values = c.samples(r, inputs, lanes, i-len(c.hints))
		}
		d, finished, err := c.try(ctx, inputs, values, lanes)
		for lane := 0; err == nil && finished < 0 && d == nil && lane < maxAlone; lane++ {
			// Lanes stopped abnormally: single lanes show which.
			one := 0
			if d, one, err = c.try(ctx, inputs, slice(inputs, values, lane), 1); one > 0 {
				ran++
			}
		}
		if err != nil {
			return err
		}
		ran += max(finished, 0)
		if d == nil {
			continue
		}
		if lanes > 1 && d.Lanes > 1 {
			one, _, err := c.try(ctx, inputs, slice(inputs, values, d.Lane), 1)
			if err != nil {
				return err
			}
			if one != nil {
				d = one
			}
		}
		for _, v := range d.Outputs {
			if k := slices.IndexFunc(c.result.Outputs, func(o Output) bool { return o.Name == v.Name }); k >= 0 {
				c.result.Outputs[k].Found = &v
			}
		}
		if d.Lanes == 1 {
			if d, err = c.reduce(ctx, d); err != nil {
				return err
			}
		}
		c.result.Verdict, c.result.Difference, c.result.Reasons = Differs, d, nil
		break
	}
	c.result.Lanes = ran
	if c.result.Verdict == Undecided {
		c.reason("no difference in %d runs with special and random inputs", ran)
	}
	return nil
}

// maxReductions limits the runs that search for a difference with more zeros among the inputs.
const maxReductions = 400

// reduce replaces inputs by 0 as long as the programs still differ.
func (c *comparison) reduce(ctx context.Context, d *Difference) (*Difference, error) {
	runs := 0
	for size := len(d.values); size > 0; size /= 2 {
		for from := 0; from < len(d.values) && runs < maxReductions; from += size {
			values := slices.Clone(d.values)
			changed := false
			for k := from; k < min(from+size, len(values)); k++ {
				changed = changed || values[k][0] != 0
				values[k] = []uint64{0}
			}
			if !changed {
				continue
			}
			runs++
			x, _, err := c.try(ctx, d.inputs, values, 1)
			if err != nil {
				return nil, err
			}
			if x != nil {
				d = x
			}
		}
	}
	return d, nil
}

// slice returns the values of one lane.
func slice(inputs []input, values [][]uint64, lane int) [][]uint64 {
	list := make([][]uint64, len(values))
	for k := range inputs {
		list[k] = []uint64{values[k][min(lane, len(values[k])-1)]}
	}
	return list
}

// inputs returns the inputs and uniforms that the programs read. If a program could not be specialised, they are all of its inputs and
// uniforms.
func (c *comparison) inputs() []input {
	index := map[string]int{}
	var list []input
	for side, x := range c.programs {
		if len(c.leaves[side]) == 0 {
			for _, ports := range c.lists(side, false) {
				for i := range ports {
					if p := &ports[i]; p.View == nil && p.State.Kind == exec.Registers {
						for n := range p.Count {
							for _, k := range p.Components() {
								v := flow.Variable{State: machineOf(x).States[p.State.Index], Number: p.First + n, Comp: k}
								c.leaves[side][v] = c.key(side, v, false)
							}
						}
					}
				}
			}
		}
		fixed := c.fixed(side)
		vars := make([]flow.Variable, 0, len(c.leaves[side]))
		for v := range c.leaves[side] {
			if _, is := fixed[v]; !is && !c.isConstant(side, v) && v.State.Index >= 0 && !v.State.ReadOnly && c.programs[side].Launch.Program.Machine.States[v.State.Index].Scope != exec.ScopeWave {
				vars = append(vars, v)
			}
		}
		slices.SortFunc(vars, compareVariables)
		for _, v := range vars {
			key := c.leaves[side][v]
			i, ok := index[key]
			if !ok {
				i = len(list)
				index[key] = i
				list = append(list, input{key: key, typ: v.Type()})
			}
			list[i].at[side] = v
			list[i].same = list[i].same || x.Launch.Program.Machine.States[v.State.Index].Scope >= exec.ScopeBlock
		}
	}
	return list
}

// isConstant reports whether a register has a value that is in the file.
func (c *comparison) isConstant(side int, v flow.Variable) bool {
	for i := range c.programs[side].Launch.Constants {
		p := &c.programs[side].Launch.Constants[i]
		if p.State.Index == v.State.Index && v.Number >= p.First && v.Number < p.First+p.Count && slices.Contains(p.Components(), v.Comp) {
			return true
		}
	}
	return false
}

func compareVariables(a, b flow.Variable) int {
	if a.State.Index != b.State.Index {
		return a.State.Index - b.State.Index
	}
	if a.Number != b.Number {
		return a.Number - b.Number
	}
	return a.Comp - b.Comp
}

// maxAlone limits the lanes of a run that run again as the only lane because lanes stopped abnormally.
const maxAlone = 8

// try runs both programs. It returns the first difference, and the number of lanes in which both programs ended. If several lanes run
// and one of them stops abnormally, the number is negative, and the lanes are not compared.
func (c *comparison) try(ctx context.Context, inputs []input, values [][]uint64, lanes int) (*Difference, int, error) {
	return c.run(ctx, inputs, values, lanes, nil)
}

// run is try with a function that is called for each event.
func (c *comparison) run(ctx context.Context, inputs []input, values [][]uint64, lanes int, trace func(side int, w *exec.Wave, e exec.Event)) (*Difference, int, error) {
	if c.programs[0].Kernel != nil && c.programs[1].Kernel != nil {
		return c.call(ctx, inputs, values, trace)
	}
	var outs [2][]exec.Plane
	var stops [2]string
	var calls [2]*[exec.Lanes][]call
	for side, x := range c.programs {
		var in, out []exec.Port
		var given []exec.Plane
		states := x.Launch.Program.Machine.States
		for k := range inputs {
			if v := inputs[k].at[side]; v.State != nil {
				in = append(in, exec.Port{State: states[v.State.Index], First: v.Number, Count: 1, Mask: maskOf(v)})
				given = append(given, plane(values[k], inputs[k].typ))
			}
		}
		for _, o := range c.outputs {
			v := o.at[side]
			out = append(out, exec.Port{State: states[v.State.Index], First: v.Number, Count: 1, Mask: maskOf(v)})
		}
		b := x.Launch.Bind(in, out)
		b.Engine = exec.Plain
		outs[side] = exec.NewPlanes(b.Outputs, lanes)
		before := x.Launch.Services
		x.Launch.Services, calls[side] = c.recorders(side)
		defer func() { x.Launch.Services = before }()
		opt := exec.RunOptions{Budget: c.budget, Jobs: 1}
		if trace != nil {
			opt.Trace = func(w *exec.Wave, e exec.Event) { trace(side, w, e) }
		}
		report, err := b.Run(ctx, lanes, given, outs[side], opt)
		if err != nil {
			return nil, 0, err
		}
		for _, s := range report.Stops {
			if text := describe(s.Stop); text != "" {
				stops[side] = text
			}
		}
	}
	if stops[0] == "budget" || stops[1] == "budget" {
		c.halve()
		if lanes > 1 {
			return nil, -1, nil
		}
		return nil, 0, nil
	}
	if lanes > 1 && stops != [2]string{} {
		return nil, -1, nil
	}
	for lane := range lanes {
		d := &Difference{Lane: lane, Lanes: lanes, c: c, inputs: inputs, values: values}
		if (stops[0] == "") != (stops[1] == "") {
			d.Stops = stops
		}
		for k, o := range c.outputs {
			if stops != [2]string{} || c.emits() {
				break
			}
			if x, y := outs[0][k].At(lane), outs[1][k].At(lane); c.differ(o.at[0].Type(), x, y) {
				d.Outputs = append(d.Outputs, Value{o.name, component(c.programs[0], o.at[0]), [2]uint64{x, y}})
			}
		}
		if stops == [2]string{} && c.same {
			d.Outputs = append(d.Outputs, c.compareCalls(calls[0][lane], calls[1][lane])...)
		}
		if d.Stops == [2]string{} && len(d.Outputs) == 0 {
			continue
		}
		for k, x := range inputs {
			v := values[k][min(lane, len(values[k])-1)]
			side := 0
			if x.at[0].State == nil {
				side = 1
			}
			d.Inputs = append(d.Inputs, Value{c.names[x.key], component(c.programs[side], x.at[side]), [2]uint64{v, v}})
		}
		return d, lanes, nil
	}
	return nil, lanes, nil
}

// halve lowers the limit on instructions after a run that reached it.
func (c *comparison) halve() { c.budget = max(c.budget/2, MinInstructions) }

// emits reports whether the outputs of the programs count only when they are emitted.
func (c *comparison) emits() bool { return c.programs[0].Launch.Emits && c.programs[1].Launch.Emits }

// differ reports whether two values of an output of a type differ.
func (c *comparison) differ(t sem.Type, x, y uint64) bool {
	x, y = sem.Canonical(x, t), sem.Canonical(y, t)
	return x != y && !(c.ZeroSign && t.Kind == sem.Float && isZero(x, t) && isZero(y, t))
}

// call is a call of the host by a lane: its arguments, and the values of the outputs that the host reads.
type call struct {
	service *sem.Service
	args    []uint64
	outputs map[int]uint64
}

// recorders returns the host callbacks for a run of a program. Those with an effect only record their calls.
func (c *comparison) recorders(side int) (map[string]exec.Service, *[exec.Lanes][]call) {
	x := c.programs[side]
	calls := new([exec.Lanes][]call)
	services := maps.Clone(x.Launch.Services)
	if services == nil {
		services = map[string]exec.Service{}
	}
	for _, name := range machineOf(x).Services() {
		s := machineOf(x).Service(name)
		if s.Result.Kind != sem.None {
			continue
		}
		services[name] = func(e *exec.Call) {
			for lane := range exec.Lanes {
				if e.Mask>>uint(lane)&1 == 0 {
					continue
				}
				now := call{service: s, outputs: map[int]uint64{}}
				for _, a := range e.Args {
					now.args = append(now.args, a[lane])
				}
				for k, o := range c.outputs {
					if v := o.at[side]; slices.Contains(s.Reads, v.State) {
						now.outputs[k] = e.Wave.Get(x.Launch.Program.Machine.States[v.State.Index], v.Number, v.Comp, lane)
					}
				}
				calls[lane] = append(calls[lane], now)
			}
		}
	}
	return services, calls
}

// compareCalls returns the values of the first calls that differ.
func (c *comparison) compareCalls(a, b []call) (list []Value) {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x.service.Name != y.service.Name {
			return append(list, Value{fmt.Sprintf("calls of %s after %d calls", x.service.Name, i), number, [2]uint64{1, 0}})
		}
		show := func(name string, t isa.Type, x, y uint64) {
			list = append(list, Value{fmt.Sprintf("%s in call %d of the host, %s", name, i+1, a[i].service.Name), t, [2]uint64{x, y}})
		}
		for k, o := range c.outputs {
			if v, ok := x.outputs[k]; ok && c.differ(o.at[0].Type(), v, y.outputs[k]) {
				show(o.name, component(c.programs[0], o.at[0]), v, y.outputs[k])
			}
		}
		for k, v := range x.args {
			if v != y.args[k] {
				show(fmt.Sprintf("argument %d", k+1), number, v, y.args[k])
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	if len(a) != len(b) {
		list = append(list, Value{"the number of calls of the host", number, [2]uint64{uint64(len(a)), uint64(len(b))}})
	}
	return list
}

// number is the type of a number that is not the value of a register.
var number = isa.Type{Kind: isa.Unsigned, Bits: 32, Lanes: 1}

// Trace runs both programs again with the inputs that show a difference, and calls trace for each event. side is 0 or 1.
func (d *Difference) Trace(ctx context.Context, trace func(side int, w *exec.Wave, e exec.Event)) error {
	_, _, err := d.c.run(ctx, d.inputs, d.values, d.Lanes, trace)
	return err
}

// component returns the type of a component of a register.
func component(p Program, v flow.Variable) isa.Type {
	c := exec.Component{State: p.Launch.Program.Machine.States[v.State.Index], Number: v.Number, Comp: v.Comp}
	return c.Type()
}

// describe returns why a lane stopped, or "" if it came to the end of the program.
func describe(s exec.Stop) string {
	switch s.Reason {
	case "end":
		return ""
	case "trap":
		return "trap: " + s.Text
	}
	return s.Reason
}

func maskOf(v flow.Variable) uint { return 1 << uint(v.Comp) }

func isZero(x uint64, t sem.Type) bool { return x<<(65-uint(t.Width)) == 0 }

// plane returns values as a plane.
func plane(values []uint64, t sem.Type) exec.Plane {
	if t.Width > 32 {
		return exec.Plane{U64: values}
	}
	p := exec.Plane{U32: make([]uint32, len(values))}
	for i, v := range values {
		p.U32[i] = uint32(v)
	}
	return p
}

// specials are floats at which something happens.
var specials = []float64{0, 1, -1, 2, 0.5, -0.5, 3, 1e-40, -1e-40, 1e38, 6.0e-8, 65504, 127, 0.25}

// specialsOf returns the special values of a type of floats.
func specialsOf(t sem.Type) []uint64 { return specialBitsOf()[t.Width] }

var specialBitsOf = sync.OnceValue(func() map[int][]uint64 {
	all := map[int][]uint64{}
	for _, width := range []int{16, 32, 64} {
		t := sem.Type{Kind: sem.Float, Width: width}
		sign := uint64(1) << uint(width-1)
		list := []uint64{sign, infinity(t), infinity(t) | sign, infinity(t) | 1}
		for _, x := range specials {
			list = append(list, sem.FloatBits(x, width))
		}
		all[width] = list
	}
	return all
})

// samples returns values for the inputs of a run. round selects their kind: in some rounds, all values are special, some inputs are equal,
// and some are near a constant of a program or near another input.
func (c *comparison) samples(r *rand.Rand, inputs []input, lanes, round int) [][]uint64 {
	values := make([][]uint64, len(inputs))
	for k, x := range inputs {
		n := lanes
		if x.same {
			n = 1
		}
		for range n {
			values[k] = append(values[k], sample(r, x.typ, round))
		}
	}
	if round%4 < 2 {
		return values
	}
	for lane := range lanes {
		common := map[sem.Type]uint64{}
		for k, x := range inputs {
			if x.same && lane > 0 {
				continue
			}
			v := &values[k][min(lane, len(values[k])-1)]
			if _, ok := common[x.typ]; !ok {
				if common[x.typ] = *v; r.IntN(2) == 0 {
					if list := c.constants[x.typ]; len(list) > 0 {
						common[x.typ] = list[r.IntN(len(list))]
					}
				}
			}
			ones := ^uint64(0) >> (64 - uint(x.typ.Width))
			switch n := r.IntN(8); {
			case n < 3:
				*v = common[x.typ]
			case n == 3:
				*v = (common[x.typ] + 1) & ones // one unit in the last place
			case n == 4:
				*v = (common[x.typ] - 1) & ones
			case n == 5:
				*v = common[x.typ] ^ (ones>>1 + 1)
			case n == 6 && len(c.constants[x.typ]) > 0:
				*v = c.constants[x.typ][r.IntN(len(c.constants[x.typ]))]
			case n == 7 && k > 0 && inputs[k-1].typ == x.typ:
				*v = values[k-1][min(lane, len(values[k-1])-1)]
			}
		}
	}
	return values
}

// collect records the constants of a program, and the sums and differences of them with one unit.
func (c *comparison) collect(p *flow.Program) {
	for i := range p.Insts {
		in := &p.Insts[i]
		if t := in.Type(); in.Op == sem.OpConst && t.Width > 1 && len(c.constants[t]) < maxConstants && !slices.Contains(c.constants[t], in.Imm) {
			c.constants[t] = append(c.constants[t], in.Imm)
		}
	}
}

// maxConstants limits the constants of a type that inputs get.
const maxConstants = 64

// sample returns a value of a type. round selects its kind.
func sample(r *rand.Rand, t sem.Type, round int) uint64 {
	ones := ^uint64(0) >> (64 - uint(t.Width))
	if t.Kind != sem.Float {
		switch {
		case t.Width <= 8 || round%4 == 3:
			return r.Uint64() & ones
		case round%4 == 2:
			return []uint64{0, 1, ones, ones >> 1, ones>>1 + 1}[r.IntN(5)]
		}
		if r.IntN(2) == 0 {
			return 1 << r.IntN(min(t.Width, 10)) // a size
		}
		return uint64(r.IntN(8))
	}
	switch k := r.IntN(8); {
	case round%4 == 3 && k < 2:
		return r.Uint64() & ones
	case k < 4 && round%2 == 1:
		return specialsOf(t)[r.IntN(len(specialsOf(t)))]
	}
	return sem.FloatBits(r.NormFloat64()*2, t.Width)
}

// infinity returns the bits of infinity.
func infinity(t sem.Type) uint64 {
	switch t.Width {
	case 16:
		return 0x7c00
	case 32:
		return 0x7f800000
	}
	return 0x7ff << 52
}

// Text returns the value of a program, 0 or 1, as a number.
func (v *Value) Text(program int) string {
	return exec.Format(v.Bits[program], v.Type)
}
