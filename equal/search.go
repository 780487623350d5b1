package equal

import (
	"context"
	"math/rand/v2"
	"slices"

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
	ran := 0
	for i := range runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		lanes := exec.Lanes
		if c.OneLane || kernels {
			lanes = 1
		}
		values := make([][]uint64, len(inputs))
		for k, x := range inputs {
			n := lanes
			if x.same {
				n = 1
			}
			for range n {
				values[k] = append(values[k], sample(r, x.typ, i))
			}
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
		opt := exec.RunOptions{Budget: MaxInstructions, Jobs: 1}
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
			if stops != [2]string{} {
				break
			}
			t := o.at[0].Type()
			x, y := sem.Canonical(outs[0][k].At(lane), t), sem.Canonical(outs[1][k].At(lane), t)
			if x != y && !(c.ZeroSign && t.Kind == sem.Float && isZero(x, t) && isZero(y, t)) {
				d.Outputs = append(d.Outputs, Value{o.name, component(c.programs[0], o.at[0]), [2]uint64{x, y}})
			}
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
		return uint64(r.IntN(8))
	}
	switch k := r.IntN(8); {
	case round%4 == 3 && k < 4:
		return r.Uint64() & ones
	case round%2 == 1 && k == 0:
		return sem.FloatBits(0, t.Width) ^ (ones>>1 + 1) // -0
	case round%2 == 1 && k == 1:
		return []uint64{infinity(t), infinity(t) | (ones>>1 + 1), infinity(t) | 1}[r.IntN(3)]
	case k < 4 && round%2 == 1:
		return sem.FloatBits(specials[r.IntN(len(specials))], t.Width)
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
