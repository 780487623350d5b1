package translate

import (
	"fmt"
	"slices"

	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/spec"
)

// interpolateKind is the kind of host callbacks that interpolate an input.
const interpolateKind = "interpolate"

// cells are the register files that replace the values that the description declares in memories of a lane, and in several
// registers together. A register of such a file is an input or output of the text.
type cells struct {
	files  map[*sem.Place]*sem.State
	places map[*sem.State]*sem.Place
	// modes are the ways in which inputs are interpolated.
	modes map[register]mode
	// loose are the memories of which not every access is one to an input or output.
	loose map[*sem.State]bool
}

// mode is the way in which an input is interpolated. addr is the address of the first instruction that does it.
type mode struct {
	interpolation Interpolation
	centroid      bool
	addr          uint64
}

// Interpolation is the way in which the input of a fragment shader is interpolated.
type Interpolation string

// The ways. The program multiplies a Perspective input by w: what it gets is the input divided by w, interpolated linearly in the
// window. A Linear input is interpolated linearly in the window.
const (
	Perspective Interpolation = "perspective"
	Linear      Interpolation = "linear"
	Flat        Interpolation = "flat"
)

func newCells() *cells {
	return &cells{files: map[*sem.Place]*sem.State{}, places: map[*sem.State]*sem.Place{}, modes: map[register]mode{}, loose: map[*sem.State]bool{}}
}

// holds reports whether a place is in a memory of a lane, so that its values are inputs or outputs of the text.
func (c *cells) holds(p *sem.Place) bool {
	st := p.State()
	return st.Kind == sem.MemoryState && st.Scope <= spec.ScopeLane && (st.Use == "input" || st.Use == "output")
}

// file returns the register file for the values of a place.
func (c *cells) file(p *sem.Place) *sem.State {
	f := c.files[p]
	if f == nil {
		of := p.State()
		f = &sem.State{Kind: sem.FileState, Name: of.Name, Index: of.Index, Type: p.Type, Count: p.Count, Scope: spec.ScopeLane, Use: of.Use, Init: of.Init}
		if p.Joins {
			f.Name = p.Name
		}
		if f.Single = p.Count == 1; f.Single {
			f.Name = p.Name
		}
		if n := len(p.Comps); n > 1 {
			f.Type.Len = n
		}
		c.files[p], c.places[f] = f, p
	}
	return f
}

// find returns the register for bytes of a memory.
func (c *cells) find(list []*sem.Place, memory *sem.State, addr, size uint64) (v flow.Variable, ok bool) {
	for _, p := range list {
		width := uint64(p.Type.Width / 8)
		if !c.holds(p) || p.State() != memory || addr < p.Offset || size != width || (addr-p.Offset)%width != 0 {
			continue
		}
		n, k := uint64(len(p.Comps)), (addr-p.Offset)/width
		if k < n*uint64(p.Count) {
			return flow.Variable{State: c.file(p), Number: int(k / n), Comp: int(k % n)}, true
		}
	}
	return v, false
}

// first returns the number of the first register of an output, if outputs have the numbers of values that counts says.
func first(p *sem.Place, counts func(p *sem.Place) int) int {
	if p.After == nil {
		return p.Number
	}
	return first(p.After, counts) + counts(p.After)*len(p.After.Comps)
}

// start returns the number of the first register of a place, or its address in a memory.
func (s *source) start(o Options, p *sem.Place) int {
	if p.Joins {
		return first(p, func(p *sem.Place) int { return s.values(o, p) })
	}
	return int(p.Offset)
}

// stride returns the distance of the values of a place in registers, or in bytes of a memory.
func (c *cells) stride(p *sem.Place) int {
	if p.Joins {
		return len(p.Comps)
	}
	return len(p.Comps) * p.Type.Width / 8
}

// values returns the number of values of an output.
func (s *source) values(o Options, p *sem.Place) int {
	if n, ok := o.Outputs[p.Name]; ok {
		return n
	}
	return p.Default
}

// checkOutputs returns an error if the options set the number of values of an output that does not exist or has not so many.
func (s *source) checkOutputs(o Options) error {
	for name, n := range o.Outputs {
		i := slices.IndexFunc(s.outs, func(p *sem.Place) bool { return p.Name == name })
		if i < 0 {
			return &Refusal{NoAddr, fmt.Sprintf("there is no output %s", name)}
		}
		if n < 0 || n > s.outs[i].Count {
			return &Refusal{NoAddr, fmt.Sprintf("%d values of the output %s, expected at most %d", n, name, s.outs[i].Count)}
		}
	}
	return nil
}

// joined returns the output that a register is a part of, and its place in it.
func (s *source) joined(o Options, v flow.Variable) (w flow.Variable, ok bool) {
	for _, p := range s.outs {
		if !p.Joins || p.State() != v.State {
			continue
		}
		n := len(p.Comps)
		if k := v.Number - s.start(o, p); k >= 0 && k < n*s.values(o, p) {
			return flow.Variable{State: s.cells.file(p), Number: k / n, Comp: k % n}, true
		}
	}
	return w, false
}

// cell returns the register for a store of the program, as Config.Cell.
func (s *source) cell(memory *sem.State, addr, size uint64) (flow.Variable, bool) {
	if s.cells.loose[memory] {
		return flow.Variable{}, false
	}
	return s.cells.find(s.outs, memory, addr, size)
}

// findLoose finds the memories of inputs and outputs that the program also accesses at computed addresses, or at other bytes
// than those of an input or output. It reports whether a new one is the memory of an output. Only a Function can have such
// memories.
func (s *source) findLoose(o Options) (outputs bool, err error) {
	for _, x := range s.program.Blocks {
		for _, id := range x.Insts {
			in := &s.program.Insts[id]
			st, list := s.accessed(in)
			if st == nil || s.cells.loose[st] || !slices.ContainsFunc(list, func(p *sem.Place) bool { return s.cells.holds(p) && p.State() == st }) {
				continue
			}
			if _, ok := s.inputOf(in); ok {
				continue
			}
			if o.Shape != Function {
				return false, &Refusal{s.program.Addrs[id], fmt.Sprintf("an access to %s at a computed address, or to other bytes than those of an input or output", st.Name)}
			}
			s.cells.loose[st], outputs = true, outputs || in.Op == sem.OpStore
		}
	}
	return outputs, nil
}

// accessed returns the memory that an operation accesses, and the places that may be in it. It returns nil for other operations.
func (s *source) accessed(in *sem.Inst) (*sem.State, []*sem.Place) {
	switch {
	case in.Op == sem.OpLoad:
		return in.State, s.ins
	case in.Op == sem.OpStore:
		return in.State, s.outs
	case in.Op == sem.OpService && in.Service().Kind == interpolateKind:
		return in.Service().Reads[0], s.ins
	}
	return nil, nil
}

// inputOf returns the register that an operation reads from the memory of an input.
func (s *source) inputOf(in *sem.Inst) (v flow.Variable, ok bool) {
	addr, size := in.A, in.Imm
	switch in.Op {
	case sem.OpService:
		n, _ := in.Service().Find("place")
		addr, size = in.Args()[n], uint64(in.Service().Result.Width/8)
	case sem.OpStore:
		return v, false
	}
	st, list := s.accessed(in)
	if a := &s.program.Insts[addr]; a.Op == sem.OpConst && !s.cells.loose[st] {
		return s.cells.find(list, st, a.Imm, size)
	}
	return v, false
}

// replaceCells replaces loads of inputs by reads of registers, and the registers that are joined to outputs by the outputs.
func (s *source) replaceCells(o Options) error {
	p := s.program
	add := func(in sem.Inst, addr uint64) flow.ID {
		p.Insts, p.Addrs = append(p.Insts, in), append(p.Addrs, addr)
		return flow.ID(len(p.Insts) - 1)
	}
	cast := func(a flow.ID, t sem.Type) sem.Inst {
		in := sem.Inst{Op: sem.OpCast, A: a, B: flow.NoID, C: flow.NoID, Guard: flow.NoID}
		return in.Typed(t, p.Insts[a].Type())
	}
	read := map[flow.ID]bool{} // the services that became reads
	for _, x := range p.Blocks {
		var list []flow.ID
		for _, id := range x.Insts {
			in := p.Insts[id]
			if st, _ := s.accessed(&in); st != nil {
				if v, ok := s.inputOf(&in); ok {
					if err := s.setMode(o, &in, v, p.Addrs[id]); err != nil {
						return err
					}
					r := sem.Reading(v.State, v.Number, v.Comp)
					if in.Op == sem.OpService {
						p.Insts[id], read[id] = r, true
					} else {
						n := add(r, p.Addrs[id])
						list = append(list, n)
						p.Insts[id] = cast(n, in.Type())
					}
				}
			}
			if in.Op == sem.OpResult && read[in.A] {
				p.Insts[id] = cast(in.A, in.Type())
			}
			list = append(list, id)
		}
		x.Insts = list
		for i, q := range x.End.Outputs {
			v, ok := s.joined(o, q.Variable)
			if !ok {
				continue
			}
			w := p.Writers[q.Variable]
			if p.Writers[v] = w; v.Type() != q.Variable.Type() {
				if in := p.Insts[q.ID]; in.Op == sem.OpConst {
					q.ID = add(in.Typed(v.Type(), sem.Type{}), NoAddr)
				} else {
					q.ID = add(cast(q.ID, v.Type()), p.Addrs[q.ID])
					x.Insts = append(x.Insts, q.ID)
					p.Written[q.ID] = v
				}
			}
			x.End.Outputs[i] = flow.Param{ID: q.ID, Variable: v}
		}
	}
	return nil
}

// setMode records how an operation interpolates an input.
func (s *source) setMode(o Options, in *sem.Inst, v flow.Variable, addr uint64) error {
	if in.Op != sem.OpService || s.cells.places[v.State].Builtin != "" {
		return nil
	}
	m := mode{interpolation: Linear, addr: addr}
	arg := func(name string) *sem.Inst {
		n, count := in.Service().Find(name)
		if count == 0 {
			return nil
		}
		return &s.program.Insts[in.Args()[n]]
	}
	flag := func(name string) bool {
		a := arg(name)
		return a != nil && a.Op == sem.OpConst && a.Imm != 0
	}
	m.centroid = flag("centroid")
	if f := arg("factor"); f != nil && (f.Op != sem.OpConst || f.Imm != 0x3f800000) {
		m.interpolation = Perspective
	}
	if flag("flat") {
		m.interpolation = Flat
	}
	r := register{v.State, v.Number}
	old, ok := s.cells.modes[r]
	if ok && (old.interpolation != m.interpolation || old.centroid != m.centroid) {
		if o.Shape != Function {
			return &Refusal{addr, fmt.Sprintf("the components of an input that are interpolated in different ways, here and at %#x: they have one location", old.addr)}
		}
		m.interpolation = ""
	}
	s.cells.modes[r] = m
	return nil
}

// interpolations are the ways of an input of a shader. A Perspective input has another variable.
var interpolations = map[Interpolation]shade.Interpolation{Linear: shade.NoPerspective, Flat: shade.Flat}

// divided returns an input divided by w, as a program gets an input that it multiplies by w.
func (g *lowering) divided(x *shade.Shader, in *Binding, p *shade.Var) *shade.Expr {
	v := &shade.Var{Name: g.b.names.unique(in.Name + "_in"), Type: p.Type, Storage: shade.Input, Location: in.Location, Centroid: in.Centroid}
	x.Globals = append(x.Globals, v)
	w := shade.Pick(g.builtin(x, "fragment-w", shade.Input), 3)
	if p.Type.N > 0 {
		w = shade.Make(shade.Splat, p.Type, w)
	}
	return shade.Apply(shade.Mul, shade.Value(v), w)
}

// cleared returns the statements that fill the memories of a lane with zeros.
func (g *lowering) cleared(s *source) (out []*shade.Stmt) {
	for _, st := range s.machine.States {
		if v := g.spaces[st]; v != nil && v.Storage == shade.Private {
			out = append(out, g.zeros(v, shade.Uint32(0), shade.Uint32(1))...)
		}
	}
	return out
}

// maxPrivate is the size in bytes of a memory of a lane that is accessed at computed addresses, unless the description says
// its size.
const maxPrivate = 1 << 14

// zeros returns the statements that set every step-th word of a memory to 0, starting with the word first.
func (g *lowering) zeros(v *shade.Var, first, step *shade.Expr) []*shade.Stmt {
	i := &shade.Var{Name: g.b.names.unique("i"), Type: shade.U32}
	at := shade.Value(i)
	return []*shade.Stmt{{Kind: shade.Declare, Var: i, Value: first}, {
		Kind: shade.Loop, Value: shade.Apply(shade.Lt, at, shade.Uint32(uint32(v.Type.Len))),
		Body: []*shade.Stmt{assignTo(shade.At(shade.Value(v), at), shade.Uint32(0)), assignTo(at, shade.Apply(shade.Add, at, step))},
	}}
}
