package equal

import (
	"context"
	"fmt"
	"math/bits"
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
		accesses := accesses{}
		opt := feed.RunOptions{RunOptions: exec.RunOptions{Budget: c.budget, Jobs: 1}, Watch: accesses.add}
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
				c.halve()
				return nil, 0, nil
			default:
				d.Stops[side] = text
			}
		}
		outs[side] = out.Named
		d.conflict = d.conflict || accesses.conflict()
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
	switch {
	case len(d.Outputs) == 0:
		return nil, 1, nil
	case d.conflict:
		// The outputs depend on the order in which the threads run.
		c.reason("the results of a run differ, but its threads access the same bytes of a memory in no certain order")
		return nil, 1, nil
	}
	return d, 1, nil
}

// accesses are the accesses to memories that all threads share, by byte.
type accesses map[byteOf]access

// byteOf is a byte of a memory.
type byteOf struct {
	state *exec.State
	addr  uint64
}

// access is what accesses to a byte have in common. thread is the only thread that accesses it, or -1 if there are several.
type access struct {
	thread         int
	stored, atomic bool
}

// add adds an access. It is for feed.RunOptions.
func (m accesses) add(w *exec.Wave, a *exec.Access) {
	if a.State.Scope != exec.ScopeLaunch {
		return
	}
	for lanes := a.Lanes; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros64(lanes)
		thread := w.Number*exec.Lanes + lane
		for i := range a.Size {
			at := byteOf{a.State, a.Addr(lane) + i}
			x, ok := m[at]
			if !ok {
				x = access{thread: thread, atomic: true}
			}
			if x.thread != thread {
				x.thread = -1
			}
			x.stored, x.atomic = x.stored || a.Store, x.atomic && a.Atomic
			m[at] = x
		}
	}
}

// conflict reports whether several threads access a byte, at least one of them stores it, and not all of the accesses are atomic.
func (m accesses) conflict() bool {
	for _, x := range m {
		if x.thread < 0 && x.stored && !x.atomic {
			return true
		}
	}
	return false
}
