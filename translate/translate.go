// Package translate converts programs to text for GPUs. The text computes the same bits as package exec, except where its
// header says otherwise.
//
// A program is specialised first, so that the text has no program counter and no stacks: it has loops, conditions, functions
// and expressions, with the names of the program's file. The result is a shader of package internal/shade, which the packages
// below it print in each Language.
//
//	text, err := translate.Translate(ctx, launch, translate.Options{Name: "light"})
package translate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/pairs"
	"github.com/isago/isago/internal/shade/tidy"
	"github.com/isago/isago/internal/spec"
)

// Shape is the form of the text.
type Shape uint8

// The shapes.
const (
	// Function is a function whose parameters are the inputs and outputs. Another shader includes the text.
	Function Shape = iota
	// Vertex is a vertex shader, with a uniform block and with variables for inputs and outputs. Textures are samplers, and
	// memories are storage buffers: the program computes the addresses of its vertices from the number of the vertex and from
	// uniforms, as on the machine.
	Vertex
	// Fragment is a fragment shader, likewise.
	Fragment
	// Geometry is a geometry shader, likewise. Its input is a primitive of Options.Vertices vertices.
	Geometry
	// Compute is a compute shader. Only Kernel.Translate makes it.
	Compute
)

// UniformForm is the form in which the text declares the uniforms.
type UniformForm uint8

// The forms of uniforms.
const (
	// Block is a uniform block with the layout std140.
	Block UniformForm = iota
	// Push is a block of push constants with the layout std140. Vulkan guarantees 128 bytes.
	Push
	// Plain are uniforms outside of a block, for OpenGL. The text is then for OpenGL, not for Vulkan.
	Plain
)

// Demand is what a shader demands of the device for floats. It is stated in execution modes of SPV_KHR_float_controls, which
// SPIR-V and GLSL for Vulkan have. A device that lacks a mode rejects the shader.
type Demand uint8

// The demands.
const (
	// DemandRounding demands that signed zeros, infinities and NaN are kept, and that results are rounded to nearest.
	DemandRounding Demand = iota
	// DemandDenormals demands also that denormals are kept.
	DemandDenormals
	// DemandNothing is for devices without these modes.
	DemandNothing
)

// Options are the options of a translation.
type Options struct {
	Language Language
	Shape    Shape
	Uniforms UniformForm
	// Name is the name of the function, and the start of the names of the functions that it calls. The default is program.
	Name string
	// Set and Binding are the numbers of the uniform block. The bindings of memories and textures follow: one for each memory
	// of the machine that lanes share, and then one for each number of a texture.
	Set, Binding int
	// Dimensions are the dimensions of textures by number: 1d, 2d or 3d. The default is that in the program, or 2d.
	Dimensions map[int]string
	// Vertices is the number of vertices of a primitive that a Geometry shader gets: 1 (points), 2 (lines), 3 (triangles), 4
	// (lines with adjacency) or 6 (triangles with adjacency). The default is that in the file.
	Vertices int
	// Attributes is the number of registers that a Geometry shader gets for each vertex. The default is that in the file.
	Attributes int
	// MaxVertices is the number of vertices that a Geometry shader can emit. If it is 0, it is that of a program without loops,
	// and otherwise the largest number that every device allows.
	MaxVertices int
	// Registers makes the interface independent of the program: names are names of registers instead of names of the file,
	// uniforms are whole register files, and the location of an input or output is the number of its register.
	Registers bool
	// Outputs are the numbers of values of outputs, by their names in the description. The others have the default there, such
	// as one colour.
	Outputs map[string]int
	// Locations are the locations of inputs and outputs by name. The others have the smallest free locations.
	Locations map[string]int
	// Demand is stated in the header of a Function, because the shader that includes it has the execution modes.
	Demand Demand
	// Position is the name of the output that becomes gl_Position in a vertex shader. If it is "", it is the first output whose
	// name contains pos, or the first output.
	Position string
	// Approximate replaces exact computations by those of the device: exp2, log2, sin and cos, quotients, square roots and fused
	// sums, and products without the rule that 0 times anything is 0. The header of the text names what the program uses.
	Approximate bool
	// Comment returns the source or the disassembly of the instruction at an address, for a comment. If it is nil, the text has
	// no such comments.
	Comment func(addr uint64) string
}

// Text is a translated program.
type Text struct {
	Language Language
	// Source is the text. It is empty for SPIR-V, and Module is the module, in little-endian words.
	Source string
	Module []byte
	// Name is the name of the function.
	Name string
	// Uniforms, Inputs and Outputs are the registers that the text names.
	Uniforms, Inputs, Outputs []Binding
	// Textures and Buffers are the textures and memories of a shader, which has no parameters for them.
	Textures []Texture
	Buffers  []Buffer
	// MaxVertices is the number of vertices that a Geometry shader can emit.
	MaxVertices int
	// Shared are the declarations of the functions that the including shader must define.
	Shared []string
	// Doubles and Integers64 are set if the text needs floats or integers of 64 bits.
	Doubles, Integers64 bool
	// Approximate says how far the operations that the text does not compute exactly differ from those of isago.
	Approximate []string
	// Stops is set if the program can end abnormally. The function then returns whether it ended normally.
	Stops bool
	// Lines is the number of lines of the function without comments, and Words the number of instructions that they are for.
	Lines, Words int

	shader *shade.Shader
}

// Shader returns the form of the program before it is printed. Only packages of this module can call it.
func (t *Text) Shader(inside.Key) *shade.Shader { return t.shader }

// Binding is a variable for registers.
type Binding struct {
	Name string
	// State is the name of the register file. First is the number of the first register, and Count the number of registers.
	State        string
	First, Count int
	// Comp is the number of the first component, and Components the number of components of each register.
	Comp, Components int
	// Type is the type of a component in the program.
	Type string
	// Mask has a bit for each component of an output that the program writes. The text sets the others to their initial value.
	Mask uint
	// Offset is the place in the uniform block in bytes. Each register takes 16 bytes. Location is the location of an input or
	// output of a stage: the number of the register in its <input> or <output> if the description declares one.
	Offset, Location int
	// Builtin is the value of the pipeline that an input or output is, such as depth, or "". It then has no location.
	Builtin string
	// Interpolation is that of an input of a fragment program that interpolates its inputs itself. It is "" for other inputs,
	// and for one of a Function whose components are interpolated in different ways. Centroid is set if it is interpolated at
	// the centroid of the covered samples.
	Interpolation Interpolation
	Centroid      bool

	place  *sem.Place // nil unless the value is one of a memory, or of several registers
	number int        // of the value in the place
}

// Refusal is the error for a program that cannot be translated.
type Refusal struct {
	// Addr is the address of the instruction, in units of the program counter, or NoAddr.
	Addr   uint64
	Reason string
}

// NoAddr is the address of a Refusal that concerns no single instruction.
const NoAddr = flow.NoAddr

func (r *Refusal) Error() string {
	if r.Addr == NoAddr {
		return "cannot be translated: " + r.Reason
	}
	return fmt.Sprintf("cannot be translated: %s (instruction %#x)", r.Reason, r.Addr)
}

// Translate translates a program. If the lanes of the machine share a program counter, it translates the program for waves of
// one lane. The error is a *Refusal if the program cannot be translated.
func Translate(ctx context.Context, l *exec.Launch, o Options) (*Text, error) {
	machine := l.Program.Machine.Inside(inside.Key{})
	s := source{functions: l.Program.Functions(inside.Key{}), machine: machine}
	c := l.Flow(inside.Key{})
	c.OneLane = machine.Wave
	s.ins, s.outs = machine.Inputs(l.Program.Context), machine.Outputs(l.Program.Context)
	c.Wanted, c.Cell, s.cells = s.wanted(l, o), s.cell, newCells()
	if err := s.checkOutputs(o); err != nil {
		return nil, err
	}
	for again := true; again; {
		if err := s.specialise(ctx, c); err != nil {
			return nil, err
		}
		var err error
		if again, err = s.findLoose(o); err != nil {
			return nil, err
		}
	}
	if err := s.replaceCells(o); err != nil {
		return nil, err
	}
	if o.Shape != Function && machine.Wave {
		if err := s.checkLanes(c.Code, machine.Lanes, false); err != nil {
			return nil, err
		}
	}
	s.primitive = l.Primitive
	s.nameOf = func(v flow.Variable) string {
		return l.NameOf(l.Program.Machine.States[v.State.Index], v.Number, v.Comp)
	}
	for _, u := range l.Uniforms {
		if u.View == nil && u.State.Kind == exec.Registers {
			s.uniforms = append(s.uniforms, port{u.Name, machine.States[u.State.Index], u.First, u.Count})
		}
	}
	return s.translate(ctx, o)
}

// ShapeOf returns the shape of a shader of the stage that a program is for: Geometry if the program emits vertices, the only
// stage that has a value of the pipeline that the description declares for the program, or else Vertex.
func ShapeOf(l *exec.Launch) Shape {
	if l.Emits {
		return Geometry
	}
	machine := l.Program.Machine.Inside(inside.Key{})
	for _, p := range slices.Concat(machine.Inputs(l.Program.Context), machine.Outputs(l.Program.Context)) {
		if stages := builtins[p.Builtin].stages; len(stages) == 1 {
			return stages[0]
		}
	}
	return Vertex
}

// Translate translates a specialised program, whose registers have no names of a file. given is Config.Given. Only packages of this
// module can call it.
func (o Options) Translate(_ inside.Key, p *flow.Program, from *exec.Program, given func(s *sem.State, number, comp int) bool) (*Text, error) {
	s := source{program: p, machine: from.Machine.Inside(inside.Key{}), functions: from.Functions(inside.Key{}), given: given, cells: newCells()}
	s.nameOf = func(flow.Variable) string { return "" }
	return s.translate(context.Background(), o)
}

// wanted returns Config.Wanted: the registers for outputs, and the other outputs of the description and of the launch. A program
// that emits vertices has no outputs at its end.
func (s *source) wanted(l *exec.Launch, o Options) func(st *sem.State, number, comp int) bool {
	for _, p := range l.Outputs {
		if p.View == nil && p.State.Kind == exec.Registers {
			s.outputs = append(s.outputs, port{p.Name, s.machine.States[p.State.Index], p.First, p.Count})
		}
	}
	return func(st *sem.State, number, _ int) bool {
		if o.Shape == Geometry {
			return false
		}
		return st.Use == "output" || slices.ContainsFunc(s.outputs, func(p port) bool {
			return p.state == st && s.own(st) && number >= p.first && number < p.first+p.count
		}) || slices.ContainsFunc(s.outs, func(p *sem.Place) bool {
			if _, ok := s.joined(o, flow.Variable{State: st, Number: number}); ok || p.Joins {
				return ok
			}
			return slices.Contains(p.States, st) && s.own(st) && number >= p.Number && number < p.Number+p.Count
		})
	}
}

// specialise specialises the program.
func (s *source) specialise(ctx context.Context, c flow.Config) (err error) {
	s.program, err = flow.Specialise(ctx, c)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return &Refusal{NoAddr, err.Error()}
	}
	return err
}

// source is a specialised program with names.
type source struct {
	program   *flow.Program
	machine   *sem.Machine
	functions []*sem.Function
	uniforms  []port
	kernel    *Kernel // nil for other programs
	outputs   []port
	// ins and outs are the places of the inputs and outputs in the description.
	ins, outs []*sem.Place
	cells     *cells
	// primitive is Launch.Primitive.
	primitive *exec.Primitive
	// assumes is set if the dimension of a texture is an assumption.
	assumes bool
	nameOf  func(v flow.Variable) string
	// given is Config.Given.
	given func(s *sem.State, number, comp int) bool
}

// port is a name for registers.
type port struct {
	name         string
	state        *sem.State
	first, count int
}

// gives reports whether the launch sets a register before the program starts.
func (s *source) gives(st *sem.State, number, comp int) bool {
	if s.given != nil {
		return s.given(st, number, comp)
	}
	return st.Use == "input" || slices.Contains(st.Given, number)
}

// own reports whether each lane has its own copy of a state.
func (s *source) own(st *sem.State) bool {
	return st.Scope <= spec.ScopeLane || s.machine.Wave && st.Scope == spec.ScopeWave
}

// uniformFile reports whether a state is a register file that can be an array in a uniform block.
func (s *source) uniformFile(st *sem.State) bool {
	return st.Kind == sem.FileState && !st.Single && !st.ReadOnly && st.Type.Len <= 4 && !s.own(st)
}

// builder returns a builder in which inputs, outputs and uniforms have variables.
func (s *source) builder(o Options) *builder {
	b := &builder{
		decides: map[*flow.Block]bool{},
		p:       s.program, names: &names{taken: map[string]bool{}}, functions: newFunctions(s.functions),
		inputs: map[register]*variable{}, outputs: map[register]*variable{}, uniforms: map[register]*variable{},
		arrays: map[*sem.State]*variable{}, wholes: map[*sem.State]bool{}, current: map[register]*variable{}, services: map[flow.ID]*variable{},
		options: &o, samples: map[*node]*sample{}, textures: map[int]int{}, samplers: map[int]int{}, elements: map[register]int{}, attributes: map[*variable]int{},
	}
	b.own = s.own
	if o.Registers {
		s.uniforms, s.nameOf = nil, func(flow.Variable) string { return "" }
	}
	b.names.unique(o.Name)
	b.load()
	if o.Shape == Geometry {
		s.emits(b)
	} else if i := slices.IndexFunc(b.nodes, func(n *node) bool { return b.callback(n) == emitKind }); i >= 0 {
		b.refuse(b.p.Addrs[i], "it emits vertices, which a %s shader does not", o.Shape)
	}
	live := b.live()
	b.markLate()
	b.findRaw()
	var reads []flow.Variable
	for _, x := range b.p.Blocks {
		for _, id := range x.Insts {
			n := b.nodes[id]
			switch {
			case !live[n]:
			case n.Op == sem.OpReadX && b.fixed(n):
				b.wholes[n.State] = true
			case n.Op == sem.OpRead && b.fixed(n) && !n.State.ReadOnly:
				reads = append(reads, flow.Variable{State: n.State, Number: int(n.Imm), Comp: n.Comp})
				if o.Registers && s.uniformFile(n.State) && !s.ofVertex(b, register{n.State, int(n.Imm)}) {
					b.wholes[n.State] = true
				}
			}
		}
	}
	for _, st := range s.machine.States {
		if b.wholes[st] || slices.Contains(b.p.Arrays, st) {
			if st.Type.Len > 4 {
				b.refuse(NoAddr, "a computed register number of %s, whose registers have %d components", st.Name, st.Type.Len)
			}
			b.array(st)
		}
		if slices.Contains(b.p.Arrays, st) {
			for n := range st.Count {
				if s.gives(st, n, 0) {
					s.input(b, register{st, n}, 0)
				}
			}
		}
	}
	s.vertices(b, reads, live)
	for _, u := range s.uniforms {
		if u.state.Type.Len > 4 || b.wholes[u.state] || !slices.ContainsFunc(reads, func(v flow.Variable) bool {
			return v.State == u.state && v.Number >= u.first && v.Number < u.first+u.count
		}) {
			continue
		}
		x := &variable{name: b.names.unique(identifier(u.name)), typ: u.state.Type.Elem(), size: u.state.Type.Len, given: true}
		if u.count > 1 {
			x.count = u.count
		}
		for n := range u.count {
			if r := (register{u.state, u.first + n}); b.uniforms[r] == nil {
				b.uniforms[r] = x
			}
		}
	}
	for _, v := range reads {
		switch r := (register{v.State, v.Number}); {
		case b.wholes[v.State] || b.inputs[r] != nil:
		case s.own(v.State):
			s.input(b, r, v.Comp)
		default:
			x := &variable{typ: v.Type(), size: v.State.Type.Len, given: true}
			name := s.nameOf(v)
			if name == "" || v.State.Type.Len > 4 {
				name = v.State.Name
				if !v.State.Single {
					name += fmt.Sprint(v.Number)
				}
			}
			if v.State.Type.Len > 4 {
				r.number, x.size = v.Number*v.State.Type.Len+v.Comp, 0
				name += "_" + v.State.Letter(v.Comp)
			}
			if b.uniforms[r] == nil {
				x.name = b.names.unique(identifier(name))
				b.uniforms[r] = x
			}
		}
	}
	for _, x := range b.p.Blocks {
		for _, out := range x.End.Outputs {
			s.output(b, out.Variable)
		}
	}
	for _, r := range b.emitted {
		s.output(b, flow.Variable{State: r.state, Number: r.number})
		b.outputs[r].taken[0] = true // it holds no value before the vertex is emitted
	}
	return b
}

// output gives a register that the program returns a variable.
func (s *source) output(b *builder, v flow.Variable) {
	r := register{v.State, v.Number}
	if b.outputs[r] != nil {
		return
	}
	if v.State.Type.Len > 4 {
		b.refuse(NoAddr, "the output %s, which has %d components", v, v.State.Type.Len)
	}
	name := identifier(s.registerName(v))
	if b.names.taken[name] {
		name = "out_" + name
	}
	b.outputs[r] = &variable{name: b.names.unique(name), typ: v.State.Type.Elem(), size: v.State.Type.Len, taken: map[int]bool{}, given: true, register: r.name()}
}

// registerName returns the name of a register.
func (s *source) registerName(v flow.Variable) string {
	if name := s.nameOf(v); name != "" {
		return name
	}
	return register{v.State, v.Number}.name()
}

// input gives a register that the launch sets a variable.
func (s *source) input(b *builder, r register, comp int) {
	if b.inputs[r] != nil {
		return
	}
	if r.state.Type.Len > 4 {
		b.refuse(NoAddr, "the input %s, which has %d components", r.state.Name, r.state.Type.Len)
	}
	name := s.registerName(flow.Variable{State: r.state, Number: r.number, Comp: comp})
	b.inputs[r] = &variable{name: b.names.unique(identifier(name)), typ: r.state.Type.Elem(), size: r.state.Type.Len, given: true, stored: s.cells.places[r.state] != nil}
}

// translate prints the program.
func (s *source) translate(ctx context.Context, o Options) (*Text, error) {
	if o.Name = identifier(cmp.Or(o.Name, "program")); reserved[o.Name] {
		o.Name = "_" + o.Name
	}
	tree, err := s.program.Structure()
	if err != nil && !errors.Is(err, flow.ErrIrreducible) {
		return nil, &Refusal{NoAddr, err.Error()}
	}
	if reason := o.crossRefusal(); reason != "" {
		return nil, &Refusal{NoAddr, reason}
	}
	if o.Shape == Compute && s.kernel == nil {
		return nil, &Refusal{NoAddr, "only a kernel of a container becomes a compute shader"}
	}
	b := s.builder(o)
	b.open = o.Shape == Compute
	b.plan()
	if b.open {
		b.checkBarriers()
	}
	if b.err != nil {
		return nil, b.err
	}
	b.shrink()
	s.assumes = b.assumed
	list := b.body(tree)
	if b.err != nil {
		return nil, b.err
	}
	g := newLowering(b)
	g.source = s
	g.comment, g.language, g.fast = o.Comment, o.Language, o.Approximate
	if o.Shape == Function || o.Language == HLSL { // whose functions, such as mul, could be overloaded
		g.prefix = o.Name + "_"
	}
	t := &Text{Name: o.Name, Language: o.Language, Stops: b.stops}
	g.interfaces(t, s, o)
	if o.Shape == Geometry {
		t.MaxVertices = g.maxVertices(list, t)
	}
	x, program := g.shader(t, s, o, list)
	if b.err != nil {
		return nil, b.err
	}
	if err := shade.Check(x); err != nil {
		return nil, err
	}
	if o.Shape == Compute { // it sets its registers itself
		t.Inputs = nil
	}
	t.shader = x
	if err := o.Language.print(ctx, x, program, t); err != nil {
		return nil, err
	}
	words := map[uint64]bool{}
	for _, a := range s.program.Addrs {
		if a != NoAddr {
			words[a] = true
		}
	}
	t.Words = len(words)
	return t, nil
}

// interfaces lists the uniforms, inputs and outputs.
func (g *lowering) interfaces(t *Text, s *source, o Options) {
	b := g.b
	offset := 0
	add := func(list *[]Binding, x *variable, r register) {
		st := r.state
		y := Binding{Name: x.name, State: st.Name, First: r.number, Count: max(1, x.count), Components: max(1, x.size), Type: x.typ.String()}
		if st.Type.Len > 4 {
			y.First, y.Comp, y.Components = r.number/st.Type.Len, r.number%st.Type.Len, 1
		}
		if p := s.cells.places[st]; p != nil {
			y.place, y.number, y.State, y.First = p, r.number, p.State().Name, s.start(o, p)+r.number*s.cells.stride(p)
			y.Interpolation, y.Centroid = s.cells.modes[r].interpolation, s.cells.modes[r].centroid
		}
		*list = append(*list, y)
	}
	for _, st := range s.machine.States {
		if b.wholes[st] && !st.ReadOnly && !s.own(st) {
			add(&t.Uniforms, b.arrays[st], register{st, 0})
			g.stored[b.arrays[st]] = st.Type.Kind == sem.Bool
		}
	}
	for _, r := range sorted(b.uniforms) {
		x := b.uniforms[r]
		add(&t.Uniforms, x, r)
		g.stored[x] = x.typ.Kind == sem.Bool
	}
	at := map[string]int{} // with Registers, a file has the same place in all programs
	for _, st := range s.machine.States {
		if o.Registers && s.uniformFile(st) {
			at[st.Name] = offset
			offset += 16 * st.Count
		}
	}
	for i := range t.Uniforms {
		x := &t.Uniforms[i]
		first, ok := at[x.State]
		if !ok {
			first = offset
			offset += 16 * x.Count
		}
		x.Offset = first
		if strings.HasSuffix(x.Type, "64") {
			g.refuse("the uniform %s of type %s", x.Name, x.Type)
		}
	}
	for _, st := range s.machine.States {
		if b.wholes[st] && !st.ReadOnly && s.own(st) && !slices.Contains(b.p.Arrays, st) {
			add(&t.Inputs, b.arrays[st], register{st, 0})
		}
	}
	for _, r := range sorted(b.inputs) {
		add(&t.Inputs, b.inputs[r], r)
		if _, ok := b.elements[r]; ok { // all vertices have one location
			x := &t.Inputs[len(t.Inputs)-1]
			x.First, x.Count = b.attributes[b.inputs[r]], 1
		}
	}
	for _, r := range sorted(b.outputs) {
		add(&t.Outputs, b.outputs[r], r)
		for k := range max(1, r.state.Type.Len) {
			if slices.Contains(b.emitted, r) {
				t.Outputs[len(t.Outputs)-1].Mask |= 1 << uint(k)
			}
		}
		for k := range b.written(r) {
			t.Outputs[len(t.Outputs)-1].Mask |= 1 << uint(k)
		}
	}
	g.locate(s, t.Inputs, s.ins, o)
	g.locate(s, t.Outputs, s.outs, o)
}

// locate gives inputs or outputs their locations. places are their places in the description.
func (g *lowering) locate(s *source, list []Binding, places []*sem.Place, o Options) {
	taken := map[int]string{}
	take := func(x *Binding, first int) {
		x.Location = first
		for n := first; n < first+x.Count; n++ {
			if other := taken[n]; other != "" {
				g.refuse("%s and %s have the location %d", other, x.Name, n)
			}
			taken[n] = x.Name
		}
	}
	var rest []*Binding
	for i := range list {
		x := &list[i]
		p := s.place(places, x)
		moved := p != nil && p.Builtin == "position" && o.Position != ""
		if p != nil && p.Builtin != "" && !moved {
			if x.Builtin = p.Builtin; o.Shape != Function && !slices.Contains(builtins[x.Builtin].stages, o.Shape) {
				g.refuse("%s is the %s, which a %s shader does not have", x.Name, x.Builtin, o.Shape)
			}
			continue
		}
		if n, ok := o.Locations[x.Name]; ok {
			take(x, n)
		} else if x.place != nil && !moved {
			take(x, x.number)
		} else if p != nil && x.place == nil {
			take(x, x.First-p.Number)
		} else if o.Shape != Function && x.Mask != 0 && s.elsewhere(places, x) {
			g.b.refuse(g.writer(x), "%s is not an output of a %s shader, unless it gets a location", x.Name, o.Shape)
		} else if o.Registers {
			take(x, x.First)
		} else {
			rest = append(rest, x)
		}
	}
	for _, x := range rest {
		first := 0
		for n := first; n < first+x.Count; n++ {
			if taken[n] != "" {
				first = n + 1
			}
		}
		take(x, first)
	}
}

// elsewhere reports whether the description has a place for an array of outputs in the file of a binding, but not for the binding:
// all varyings or colours are in the array.
func (s *source) elsewhere(list []*sem.Place, x *Binding) bool {
	return s.place(list, x) == nil && slices.ContainsFunc(list, func(p *sem.Place) bool { return !p.Chosen && p.Count > 1 && p.State().Name == x.State })
}

// writer returns the address of the first instruction that writes an output, or NoAddr.
func (g *lowering) writer(x *Binding) uint64 {
	addr := uint64(NoAddr)
	for v, list := range g.b.p.Writers {
		if v.State.Name == x.State && v.Number == x.First && len(list) > 0 {
			addr = min(addr, slices.Min(list))
		}
	}
	return addr
}

// shader returns the shader, and the function that is the program.
func (g *lowering) shader(t *Text, s *source, o Options, list []*stmt) (x *shade.Shader, program *shade.Func) {
	x = &shade.Shader{}
	x.Stage = [...]shade.Stage{Function: shade.Library, Vertex: shade.Vertex, Fragment: shade.Fragment, Geometry: shade.Geometry, Compute: shade.Compute}[o.Shape]
	program = &shade.Func{Name: o.Name, Result: shade.None}
	if t.Stops {
		program.Result = shade.B
	}
	g.declare(x, program, t, s, o)
	for _, f := range g.b.called {
		g.functions[f] = &shade.Func{Name: g.b.names.unique(identifier(g.prefix + f.name)), Result: shadeType(f.result.Type(), 0)}
		g.function(f)
	}
	program.Body = append(program.Body, g.start()...)
	program.Body = append(program.Body, g.statements(list, true)...)
	registers := map[*shade.Var]string{}
	for _, v := range g.b.locals {
		program.Locals = append(program.Locals, g.variable(v))
		registers[g.variable(v)] = v.register
	}
	for _, v := range g.b.outputs {
		registers[g.variable(v)] = v.register
	}
	tidy.Func(program, func(v *shade.Var) string { return registers[v] }, g.b.names.unique)

	g.resources(x, t, s, o)
	for _, name := range slices.Sorted(maps.Keys(g.external)) {
		x.Funcs = append(x.Funcs, g.external[name])
		t.Shared = append(t.Shared, o.Language.prototype(g.external[name]))
	}
	if len(t.Shared) > 0 && o.Shape != Function {
		g.refuse("it needs %s, which only a function can be given", strings.Join(t.Shared, " "))
	}
	for _, f := range g.helpers {
		x.Funcs = append(x.Funcs, append([]*shade.Func{f}, g.overloads[f]...)...)
	}
	for _, c := range g.b.called {
		f := g.functions[c]
		x.Funcs = append(x.Funcs, append([]*shade.Func{f}, g.overloads[f]...)...)
	}
	x.Funcs = append(append(x.Funcs, g.accessed...), program)
	x.Entry = program
	if o.Shape != Function && o.Shape != Compute {
		x.Entry = g.main(x, program, t, s, o)
		x.Entry.Body = append(g.cleared(s), x.Entry.Body...)
		x.Funcs = append(x.Funcs, x.Entry)
	}
	if o.Shape == Compute {
		x.Entry = g.computeMain(x, program, t, s, o)
		x.Funcs = append(x.Funcs, x.Entry)
	}
	program = g.pairs(x, program)
	t.Doubles, t.Integers64 = x.Needs()
	for _, a := range approximations {
		if g.inexact[a.op] {
			t.Approximate = append(t.Approximate, a.text)
		}
	}
	modes := o.modes()
	if o.Shape != Function {
		x.Controls = x.Modes(modes...)
	}
	if o.Language == GLSL { // glslang keeps one width of a mode
		x.Controls = slices.DeleteFunc(x.Controls, func(c shade.Control) bool { return c.Width != 32 })
	}
	x.Header = header(o, t, s, modes)
	if g.paired {
		x.Header = append(x.Header, "The language has no values of 64 bits: each is a pair of 32 bits, with which functions compute.")
	}
	return x, program
}

// pairs replaces values of 64 bits if the language lacks them. It returns the new function of the program.
func (g *lowering) pairs(x *shade.Shader, program *shade.Func) *shade.Func {
	if !g.language.lacks(x.Needs()) {
		return program
	}
	g.paired = true
	functions, err := pairs.Lower(x, func(name string) *shade.Func { return library()[name] })
	if err != nil {
		g.addr = NoAddr
		g.refuse("%v, which %s lacks", err, g.language)
	}
	return functions[program]
}

// blockKinds are the kinds of uniform blocks by the forms of uniforms.
var blockKinds = [...]shade.BlockKind{Block: shade.UniformBlock, Push: shade.PushConstants, Plain: shade.PlainUniforms}

// declare declares the variables of the interface, and the arrays. The program starts with statements that prepare them.
func (g *lowering) declare(x *shade.Shader, program *shade.Func, t *Text, s *source, o Options) {
	b := g.b
	byName := map[string]*variable{}
	for _, m := range []map[register]*variable{b.inputs, b.outputs, b.uniforms} {
		for _, v := range m {
			byName[v.name] = v
		}
	}
	for _, v := range b.arrays {
		byName[v.name] = v
	}
	global := func(v *variable, storage shade.Storage) *shade.Var {
		y := g.variable(v)
		y.Storage, y.Precise = storage, storage == shade.Output
		x.Globals = append(x.Globals, y)
		return y
	}
	if len(t.Uniforms) > 0 {
		block := &shade.Block{
			Kind: blockKinds[o.Uniforms], Name: o.Name + "_uniforms", Set: o.Set, Binding: o.Binding,
		}
		for _, u := range t.Uniforms {
			v := byName[u.Name]
			y := g.variable(v)
			y.Storage, y.Precise, y.Block, y.Offset, y.Stride = shade.Member, false, block, u.Offset, 16
			if g.stored[v] {
				y.Type = shade.U32.Vec(v.size).Array(v.count)
			}
			block.Members = append(block.Members, y)
		}
		x.Blocks = append(x.Blocks, block)
	}
	isInput := map[*variable]bool{}
	for _, y := range t.Inputs {
		isInput[byName[y.Name]] = true
	}
	for _, st := range s.machine.States {
		v := b.arrays[st]
		switch {
		case v == nil || !s.own(st) && !st.ReadOnly:
		case st.ReadOnly:
			y := global(v, shade.Const)
			for _, n := range st.Values {
				y.Bits = append(y.Bits, literal(v.typ, n).Bits[0])
			}
		case o.Shape == Function || !isInput[v]:
			global(v, shade.Private)
		}
	}
	for _, in := range t.Inputs {
		v := byName[in.Name]
		switch {
		case o.Shape != Function && in.Builtin == "" && (o.Shape != Fragment || in.Interpolation != Perspective):
			if v.typ.Kind == sem.Bool || wide(v.typ) {
				g.refuse("the input %s of type %s", in.Name, in.Type)
			}
			if o.Shape == Compute {
				global(v, shade.Private)
				continue
			}
			y := global(v, shade.Input)
			if y.Location = in.Location; o.Shape == Fragment {
				y.Interpolation, y.Centroid = interpolations[in.Interpolation], in.Centroid
				if v.typ.Kind != sem.Float {
					y.Interpolation = shade.Flat
				}
			}
		case v.count > 0:
			y := g.variable(v)
			p := &shade.Var{Name: v.name + "_in", Type: y.Type, Storage: shade.Param}
			program.Params = append(program.Params, p)
			program.Body = append(program.Body, assignTo(shade.Value(y), shade.Value(p)))
		default:
			y := g.variable(v)
			y.Storage, y.Precise = shade.Param, false
			program.Params = append(program.Params, y)
		}
	}
	for _, out := range t.Outputs {
		v := byName[out.Name]
		if o.Shape == Function || out.Builtin != "" {
			y := g.variable(v)
			y.Storage, y.Out = shade.Param, true
			program.Params = append(program.Params, y)
			continue
		}
		if v.typ.Kind == sem.Bool || wide(v.typ) {
			g.refuse("the output %s of type %s", out.Name, out.Type)
		}
		y := global(v, shade.Output)
		y.Location = out.Location
		if v.typ.Kind != sem.Float && o.Shape != Fragment {
			y.Interpolation = shade.Flat
		}
	}
	// Components that the program never writes have their initial value.
	stopped := slices.ContainsFunc(b.p.Blocks, func(x *flow.Block) bool { return x.End.Kind == flow.Stop && len(x.End.Outputs) == 0 }) || b.traps
	for _, r := range sorted(b.outputs) {
		v, written := b.outputs[r], b.written(r)
		if o.Shape == Geometry || len(written) >= max(1, v.size) && !stopped {
			continue
		}
		value, missing := repeated(v, r.state.Init), []int(nil)
		for k := range v.size {
			if !written[k] || stopped {
				missing = append(missing, k)
			}
		}
		if value.n = len(missing); value.n == 1 {
			value = value.args[0]
		}
		program.Body = append(program.Body, assignTo(swizzle(shade.Value(g.variable(v)), missing), g.expr(value)))
	}
}

// main returns the entry point of a stage.
func (g *lowering) main(x *shade.Shader, program *shade.Func, t *Text, s *source, o Options) *shade.Func {
	f := &shade.Func{Name: "main"}
	if o.Shape == Geometry {
		f.Body = g.primitives(x, t, s)
	}
	call := shade.CallOf(program)
	for _, p := range program.Params {
		if p.Out {
			v := &shade.Var{Name: p.Name, Type: p.Type, Precise: true}
			f.Locals = append(f.Locals, v)
			call.Args = append(call.Args, shade.Value(v))
		} else {
			value := g.enter(x, t, s, p)
			if value.Op == shade.Mul { // only a precise variable keeps the product as it is
				v := &shade.Var{Name: p.Name, Type: p.Type, Precise: true}
				f.Locals = append(f.Locals, v)
				f.Body = append(f.Body, assignTo(shade.Value(v), value))
				value = shade.Value(v)
			}
			call.Args = append(call.Args, value)
		}
	}
	f.Body = append(f.Body, &shade.Stmt{Kind: shade.Do, Value: call})
	if o.Shape == Geometry {
		return f
	}
	f.Body = append(f.Body, g.exit(x, t, f)...)
	if o.Shape == Vertex {
		f.Body = append(f.Body, g.setPosition(x, t, s, o)...)
	}
	return f
}

// setPosition returns the statement that sets gl_Position, unless the description declares which output it is.
func (g *lowering) setPosition(x *shade.Shader, t *Text, s *source, o Options) []*shade.Stmt {
	if o.Position == "" && slices.ContainsFunc(s.outs, func(p *sem.Place) bool { return p.Builtin == "position" }) {
		return nil
	}
	name := g.position(t, o)
	if name == "" {
		return nil
	}
	dest := g.builtin(x, "position", shade.Output)
	return []*shade.Stmt{assignTo(dest, filled(shade.Value(g.global(x, name)), dest.Type))}
}

// written returns the components of an output that the program writes.
func (b *builder) written(r register) map[int]bool {
	list := map[int]bool{}
	for _, x := range b.p.Blocks {
		for _, out := range x.End.Outputs {
			if out.Variable.State == r.state && out.Variable.Number == r.number {
				list[out.Variable.Comp] = true
			}
		}
	}
	return list
}

// position returns the name of the output that becomes gl_Position.
func (g *lowering) position(t *Text, o Options) string {
	first := ""
	for _, x := range t.Outputs {
		if !strings.HasPrefix(x.Type, "f") || x.Builtin != "" {
			continue
		}
		if o.Position == x.Name || o.Position == "" && strings.Contains(strings.ToLower(x.Name), "pos") {
			return x.Name
		}
		if first == "" && o.Position == "" {
			first = x.Name
		}
	}
	if o.Position != "" {
		g.b.refuse(NoAddr, "there is no output %s", o.Position)
	}
	return first
}

// modes returns the execution modes that make floats exact.
func (o Options) modes() (list []shade.ControlMode) {
	if o.Language == GLSLES || o.Language == WGSL || o.Language == HLSL || o.Uniforms == Plain || o.Demand == DemandNothing {
		return nil
	}
	list = []shade.ControlMode{shade.SignedZeroInfNanPreserve, shade.RoundingModeRTE}
	if o.Demand == DemandDenormals {
		list = append(list, shade.DenormPreserve)
	}
	return list
}

// header returns the lines of the comment at the start of the text.
func header(o Options, t *Text, s *source, modes []shade.ControlMode) (lines []string) {
	line := func(is bool, text string) {
		if is {
			lines = append(lines, text)
		}
	}
	es, wgsl := o.Language == GLSLES, o.Language == WGSL
	line(len(t.Approximate) == 0 && o.Language != HLSL, "Translated by isago. It computes the bits that isago run computes. NaN may have other bits.")
	line(len(t.Approximate) > 0, "Translated by isago. It is approximate: the device computes some operations, whose results differ from those of isago run.")
	line(len(t.Approximate) > 0, "On llvmpipe, for arguments between 0.01 and 100, they differ by at most: "+strings.Join(t.Approximate, ", ")+".")
	line(o.Shape == Function && !es && !wgsl, "The including shader starts with #version 450 or later.")
	line(o.Shape == Function && es, "The including shader starts with #version 310 es or later.")
	var names []string
	for _, m := range modes {
		names = append(names, m.String())
	}
	line(o.Shape == Function && len(modes) > 0, fmt.Sprintf("It must have the execution modes %s for 32 bits.", strings.Join(names, " and ")))
	line(t.Doubles && len(modes) > 0 && o.Language == GLSL, "GLSL has no execution modes for 64 bits too: signed zeros, infinities, NaN and roundings of 64 bits are exact only on devices that keep them.")
	without := "It has no execution modes"
	switch {
	case wgsl:
		without = "WGSL lets devices take infinities and NaN for impossible, and fuse products and sums"
	case o.Language == HLSL:
		without = "HLSL has no execution modes"
	case es:
		without = "OpenGL ES has no execution modes"
	case o.Uniforms == Plain:
		without = "OpenGL has no execution modes"
	}
	line(len(modes) == 0, without+": signed zeros, infinities, NaN and roundings are exact only on devices that keep them.")
	line(es && o.Shape != Geometry, "Without GL_EXT_gpu_shader5, a device may fuse products and sums, and so round them once instead of twice.")
	line(o.Demand != DemandDenormals || len(modes) == 0, "Denormals are exact only on devices that keep them.")
	line(s.machine.Wave, "The program is translated for waves of one lane: conditions that a wave decides together hold for each lane alone.")
	line(t.Doubles, "It needs floats of 64 bits (feature shaderFloat64), whose sums, products and quotients are rounded to nearest.")
	line(t.Integers64, "It needs integers of 64 bits (feature shaderInt64).")
	line(s.kernel != nil && s.machine.Wave, "Threads of a wave do not run in step: a kernel whose threads rely on that without a barrier differs.")
	line(o.Shape == Compute, "An access outside of a memory loads 0 and stores nothing, where isago run ends the thread.")
	line(len(t.Shared) > 0, "The including shader defines the functions that are declared here without a body.")
	line(len(t.Textures) > 0, "The sampler filters textures. Offsets, levels and biases are exact only as far as the device computes them.")
	line(len(t.Textures) > 0 && s.assumes, "The program does not say the dimensions of its textures.")
	line(len(t.Buffers) > 0 && o.Shape != Compute, "A storage buffer has the bytes of a memory from address 0 on.")
	line(o.Shape == Geometry, fmt.Sprintf("It emits at most %d vertices. Slots are empty at the start of a primitive, and a triangle with an empty slot has zeros.", t.MaxVertices))
	line(t.Stops && o.Shape == Function, "The function returns whether the program ended normally.")
	return lines
}
