package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
)

// Run runs a program with named inputs, and returns its outputs by name. The names are those of the program's file, or of
// registers, such as v0. An input of a vertex may also be some of its components, such as position.xy.
//
// The values of an input are the components of the first vertex, then those of the second, and so on. All inputs have
// values for the same number of vertices, or for one, whose values all vertices have. A uniform keeps its value in later
// runs. The outputs have the order of the inputs. The same holds for fragments and primitives.
//
// The inputs of a Tesla kernel are its arguments. A pointer is an array, and the outputs are the arrays after the run.
// Without the option params, the kernel's parameters have no names: then the names are their numbers, from 0 on.
//
// Numbers are converted between T and the type of the register. A float is rounded to a float. Run returns an error for a
// value that the other type cannot hold, such as 0.5 in an integer, or 16777217 in a float32. It also returns an error if
// lanes stop before the end of the program, or if ctx is cancelled.
func Run[T Number](ctx context.Context, r Runner, inputs map[string][]T) (map[string][]T, error) {
	var args []Argument
	for name, list := range inputs {
		args = append(args, Argument{name, ValuesOf(list)})
	}
	slices.SortFunc(args, func(a, b Argument) int { return compareNames(a.Name, b.Name) })
	out, err := r.Call(ctx, args, RunOptions{RunOptions: exec.RunOptions{Jobs: runtime.GOMAXPROCS(0)}})
	if err != nil {
		return nil, err
	}
	if err := out.Err(); err != nil {
		return nil, err
	}
	outputs := map[string][]T{}
	for i := range out.Named {
		o := &out.Named[i]
		list, err := OutputValues[T](o)
		if err != nil {
			return nil, err
		}
		outputs[o.Name] = list
	}
	return outputs, nil
}

// compareNames orders names that are numbers by their values, before the others.
func compareNames(a, b string) int {
	n, err := strconv.Atoi(a)
	m, err2 := strconv.Atoi(b)
	switch {
	case err == nil && err2 == nil:
		return cmp.Compare(n, m)
	case err == nil:
		return -1
	case err2 == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// Argument is an input or a uniform of a call, by its name.
type Argument struct {
	Name   string
	Values Values
}

// Output is an output of a call.
type Output struct {
	Name string
	// Type is the type of a component.
	Type isa.Type
	// Planes has a plane for each component.
	Planes []exec.Plane
}

// OutputValues returns the values of an output: the components of the first lane, then those of the second, and so on. It
// converts them as Run does.
func OutputValues[T Number](o *Output) ([]T, error) {
	if len(o.Planes) == 0 {
		return nil, nil
	}
	step, lanes := len(o.Planes), o.Planes[0].Len()
	list := make([]T, step*lanes)
	for k := range o.Planes {
		p := &o.Planes[k]
		if floats, ok := any(list).([]float32); ok && isF32Type(o.Type) {
			for i, v := range p.U32 {
				floats[i*step+k] = math.Float32frombits(v)
			}
			continue
		}
		for i := range lanes {
			x := numberFrom(p.At(i), o.Type)
			v, ok := numberAs[T](x)
			if !ok {
				return nil, fmt.Errorf("output %s: type %T cannot hold %s", o.Name, v, x)
			}
			list[i*step+k] = v
		}
	}
	return list, nil
}

func isF32Type(t isa.Type) bool { return t.Kind == isa.Float && t.Bits == 32 }

// Values is a list of numbers of some Go type.
type Values interface {
	// Len returns the number of values.
	Len() int
	// Type returns the type that a register needs to hold any number of the Go type.
	Type() isa.Type
	// Bits returns the value with an index as the bits of a component. It returns an error if the type of the component
	// cannot hold the value. A float may be rounded.
	Bits(i int, t isa.Type) (uint64, error)
}

// ValuesOf returns numbers as Values. The list is not copied.
func ValuesOf[T Number](list []T) Values { return values[T](list) }

type values[T Number] []T

func (v values[T]) Len() int { return len(v) }

func (v values[T]) Type() isa.Type {
	var zero T
	t := isa.Type{Kind: isa.Unsigned, Bits: 8 * int(unsafe.Sizeof(zero)), Lanes: 1}
	switch {
	case isFloat[T]():
		t.Kind = isa.Float
	case zero-1 < zero:
		t.Kind = isa.Signed
	}
	return t
}

func (v values[T]) Bits(i int, t isa.Type) (uint64, error) {
	x := numberOf(v[i])
	bits, ok := x.bits(t)
	if !ok {
		return 0, fmt.Errorf("a register of type %s cannot hold %s", t, x)
	}
	return bits, nil
}

// fillPlane sets the cells of a plane to every step-th value, beginning with the first.
func fillPlane(p *exec.Plane, v Values, first, step int, t isa.Type) error {
	if floats, ok := v.(values[float32]); ok && isF32Type(t) {
		for i := range p.U32 {
			p.U32[i] = math.Float32bits(floats[first+i*step])
		}
		return nil
	}
	for i := range p.Len() {
		x, err := v.Bits(first+i*step, t)
		if err != nil {
			return err
		}
		p.Set(i, x)
	}
	return nil
}

// findPart is like Find, but also accepts components of an input, such as position.xy.
func (b *Batch) findPart(name string) (exec.Port, error) {
	p, err := b.Find(name)
	dot := strings.LastIndexByte(name, '.')
	if err == nil || dot < 0 {
		return p, err
	}
	p, other := b.Find(name[:dot])
	if other != nil {
		return p, err
	}
	mask := uint(0)
	for _, letter := range name[dot+1:] {
		k := slices.IndexFunc(p.Components(), func(k int) bool { return p.Letter(k) == string(letter) })
		if k < 0 {
			return p, fmt.Errorf("%s has no component %q", name[:dot], string(letter))
		}
		if k = p.Components()[k]; mask>>uint(k) != 0 {
			return p, fmt.Errorf("%s: expected each component once, in the order of the register", name)
		}
		mask |= 1 << uint(k)
	}
	p.Mask = mask
	return p, nil
}

// arguments are the inputs of lanes in a call.
type arguments struct {
	ports []exec.Port
	// planes are those of the components of the ports. A plane has a cell for each lane, or one for all.
	planes []exec.Plane
	// lanes is the number of lanes for which there are values, or 0 if there are no inputs of lanes. from is the input
	// with these values.
	lanes int
	from  string
}

// arguments sets uniforms, and returns the inputs of lanes.
func (b *Batch) arguments(args []Argument) (*arguments, error) {
	in := &arguments{}
	for _, a := range args {
		p, err := b.findPart(a.Name)
		if err != nil {
			return nil, err
		}
		comps := p.Count * len(p.Components())
		if p.State.Scope >= exec.ScopeBlock {
			err = b.setUniform(p, a.Values, comps)
		} else if p.State.Use == "output" {
			err = errors.New("expected an input or a uniform, not an output")
		} else {
			err = b.addInput(in, p, a, comps)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	return in, nil
}

func (b *Batch) setUniform(p exec.Port, v Values, comps int) error {
	if v.Len() > comps {
		return fmt.Errorf("%d values, expected at most %d", v.Len(), comps)
	}
	list := make([]uint64, v.Len())
	for i := range list {
		var err error
		if list[i], err = v.Bits(i, p.Type()); err != nil {
			return err
		}
	}
	return b.SetUniform(p, list)
}

// addInput adds an input of lanes.
func (b *Batch) addInput(in *arguments, p exec.Port, a Argument, comps int) error {
	n := a.Values.Len()
	lanes := n / comps
	switch {
	case n == 0 || n%comps != 0:
		return fmt.Errorf("%d values, expected %d for each %s", n, comps, b.Noun)
	case lanes > 1 && in.lanes > 1 && lanes != in.lanes:
		return fmt.Errorf("values for %d %s, but %s has values for %d", lanes, b.Nouns, in.from, in.lanes)
	case lanes > in.lanes:
		in.lanes, in.from = lanes, a.Name
	}
	in.ports = append(in.ports, p)
	planes := exec.NewPlanes(b.Bind([]exec.Port{p}, nil).Inputs, lanes)
	for k := range planes {
		if err := fillPlane(&planes[k], a.Values, k, comps, p.Type()); err != nil {
			return err
		}
	}
	in.planes = append(in.planes, planes...)
	return nil
}

// Call runs the program with arguments. Inputs that Set has given to all lanes come before the arguments. Named of the
// outcome has the outputs, and Tables is empty.
func (b *Batch) Call(ctx context.Context, args []Argument, opt RunOptions) (*Outcome, error) {
	in, err := b.arguments(args)
	if err != nil {
		return nil, err
	}
	lanes := max(1, cmp.Or(opt.Count, in.lanes))
	binding := b.Bind(in.ports, b.Outputs)
	planes := in.planes
	for _, g := range b.in.Same {
		list := b.Bind([]exec.Port{g.Port}, nil).Inputs[:len(g.Values)]
		same := exec.NewPlanes(list, 1)
		for i, v := range g.Values {
			same[i].Set(0, v)
		}
		binding.Inputs = append(list, binding.Inputs...)
		planes = append(same, planes...)
	}
	out := exec.NewPlanes(binding.Outputs, lanes)
	report, err := binding.Run(ctx, lanes, planes, out, opt.RunOptions)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Result: exec.Result{Report: *report}, Noun: b.Noun, Nouns: b.Nouns, Lanes: lanes, Open: b.Open}
	for _, c := range columnsOf(b.Outputs) {
		n := c.Count()
		o.addOutput(Output{c.Name, c.Type, out[:n:n]})
		out = out[n:]
	}
	return o, nil
}

// addOutput adds an output. Outputs with the same name become one, with the components of both.
func (o *Outcome) addOutput(x Output) {
	if i := slices.IndexFunc(o.Named, func(y Output) bool { return y.Name == x.Name }); i >= 0 {
		o.Named[i].Planes = append(o.Named[i].Planes, x.Planes...)
		return
	}
	o.Named = append(o.Named, x)
}

// CallRows is Call for a Runner with a Run of its own: run finds the arguments as the rows of Given. The outputs are the
// columns of the tables.
func (b *Batch) CallRows(ctx context.Context, args []Argument, opt RunOptions, run func(context.Context, RunOptions) (*Outcome, error)) (*Outcome, error) {
	in, err := b.arguments(args)
	if err != nil {
		return nil, err
	}
	before, read := b.in, b.read
	defer func() { b.in, b.read = before, read }()
	b.in = exec.Input{Same: before.Same}
	if b.read = in.lanes > 0; b.read {
		b.in.Lanes, b.in.Ports = in.lanes, in.ports
		for lane := range in.lanes {
			row := make([]uint64, len(in.planes))
			for i := range in.planes {
				row[i] = in.planes[i].At(lane)
			}
			b.in.Values = append(b.in.Values, row)
		}
	}
	out, err := run(ctx, opt)
	if err != nil {
		return nil, err
	}
	for i := range out.Tables {
		t := &out.Tables[i]
		at := 0
		for _, c := range t.Columns {
			o := Output{c.Name, c.Type, make([]exec.Plane, c.Count())}
			for k := range o.Planes {
				o.Planes[k] = t.plane(at, c.Type)
				at++
			}
			out.addOutput(o)
		}
	}
	return out, nil
}

// plane returns the column of a component.
func (t *Table) plane(at int, typ isa.Type) (p exec.Plane) {
	if typ.Bits > 32 {
		p.U64 = make([]uint64, len(t.Rows))
	} else {
		p.U32 = make([]uint32, len(t.Rows))
	}
	for i, row := range t.Rows {
		p.Set(i, row[at])
	}
	return p
}

// Err returns an error if lanes stopped before the end of the program.
func (o *Outcome) Err() error {
	var list []error
	for i := range o.Stops {
		if s := &o.Stops[i]; o.Noted(s) {
			list = append(list, errors.New(o.Describe(s)))
		}
	}
	return errors.Join(list...)
}

// Describe returns how many lanes stopped, why and where.
func (o *Outcome) Describe(s *exec.StopCount) string {
	of := o.Of(s.Program)
	return fmt.Sprintf("%d of %d %s, the first %d: %s", s.Count, of.Lanes, of.Nouns, s.First, s.Stop)
}
