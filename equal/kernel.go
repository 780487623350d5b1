package equal

import (
	"context"
	"fmt"
	"slices"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// elements is the number of elements of an array that a kernel gets in a run.
const elements = 64

// arguments returns the values of the arguments of both kernels.
func (c *comparison) arguments() (list []input, err error) {
	var params [2][]feed.Parameter
	for side, x := range c.programs {
		if params[side], err = x.Kernel.Parameters(); err != nil {
			return nil, err
		}
	}
	if !slices.Equal(params[0], params[1]) {
		return nil, exec.Optionf("the kernels have different parameters")
	}
	for k, p := range params[0] {
		n, t := p.Count, typeOf(p.Type)
		if p.Pointer {
			n = elements
		}
		for i := range n {
			key := fmt.Sprintf("argument %d %d", k, i)
			name := p.Name
			if n > 1 {
				name = fmt.Sprintf("%s[%d]", p.Name, i)
			}
			list = append(list, input{key: c.show(key, name), typ: t, same: true, parameter: k, element: i})
		}
	}
	return list, nil
}

// typeOf returns the type of a number.
func typeOf(t isa.Type) sem.Type {
	kind := sem.Uint
	switch t.Kind {
	case isa.Float:
		kind = sem.Float
	case isa.Signed:
		kind = sem.Sint
	}
	return sem.Type{Kind: kind, Width: t.Bits}
}

// rawValues are the bits of an argument.
type rawValues struct {
	bits []uint64
	typ  isa.Type
}

func (v *rawValues) Len() int                               { return len(v.bits) }
func (v *rawValues) Type() isa.Type                         { return v.typ }
func (v *rawValues) Bits(i int, _ isa.Type) (uint64, error) { return v.bits[i], nil }

// call runs both kernels. It is run for kernels.
func (c *comparison) call(ctx context.Context, inputs []input, values [][]uint64, trace func(side int, w *exec.Wave, e exec.Event)) (*Difference, int, error) {
	var outs [2][]feed.Output
	d := &Difference{Lanes: 1, c: c, inputs: inputs, values: values}
	params, err := c.programs[0].Kernel.Parameters()
	if err != nil {
		return nil, 0, err
	}
	for side, x := range c.programs {
		args := make([]feed.Argument, len(params))
		raw := make([]*rawValues, len(params))
		for k, p := range params {
			raw[k] = &rawValues{typ: p.Type}
			args[k] = feed.Argument{Name: p.Name, Values: raw[k]}
		}
		for k, in := range inputs {
			raw[in.parameter].bits = append(raw[in.parameter].bits, values[k][0])
		}
		opt := feed.RunOptions{RunOptions: exec.RunOptions{Budget: MaxInstructions, Jobs: 1}}
		if trace != nil {
			opt.Trace = func(w *exec.Wave, e exec.Event) { trace(side, w, e) }
		}
		out, err := x.Kernel.Call(ctx, args, opt)
		if err != nil {
			return nil, 0, err
		}
		for i := range out.Stops {
			switch text := describe(out.Stops[i].Stop); text {
			case "":
			case "budget", exec.GridBudget:
				return nil, 0, nil
			default:
				d.Stops[side] = text
			}
		}
		outs[side] = out.Named
	}
	for k, in := range inputs {
		d.Inputs = append(d.Inputs, Value{c.names[in.key], params[in.parameter].Type, [2]uint64{values[k][0], values[k][0]}})
	}
	switch {
	case (d.Stops[0] == "") != (d.Stops[1] == ""):
		return d, 1, nil
	case d.Stops[0] != "":
		return nil, 1, nil
	}
	for i, o := range outs[0] {
		if i >= len(outs[1]) || outs[1][i].Name != o.Name {
			break
		}
		for p := range o.Planes {
			for k := range min(o.Planes[p].Len(), outs[1][i].Planes[p].Len()) {
				if x, y := o.Planes[p].At(k), outs[1][i].Planes[p].At(k); x != y {
					d.Outputs = append(d.Outputs, Value{fmt.Sprintf("%s[%d]", o.Name, k), o.Type, [2]uint64{x, y}})
				}
			}
		}
	}
	if len(d.Outputs) == 0 {
		return nil, 1, nil
	}
	return d, 1, nil
}
