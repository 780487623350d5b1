package translate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
)

// The kinds of host callbacks, as in spec.ServiceKinds.
const (
	textureKind = "texture"
	emitKind    = "emit"
)

// builtins are the values of the pipeline by their words in descriptions, with the only stages that have them.
var builtins = map[string]struct {
	value  shade.Builtin
	typ    shade.Type
	stages []Shape
}{
	"vertex-index":      {shade.VertexIndex, shade.I32, []Shape{Vertex}},
	"instance-index":    {shade.InstanceIndex, shade.I32, []Shape{Vertex}},
	"fragment-position": {shade.FragCoord, shade.F32.Vec(4), []Shape{Fragment}},
	"fragment-w":        {shade.FragCoord, shade.F32.Vec(4), []Shape{Fragment}}, // its last component
	"front-facing":      {shade.FrontFacing, shade.B, []Shape{Fragment}},
	"point-position":    {shade.PointCoord, shade.F32.Vec(2), []Shape{Fragment}},
	"position":          {shade.Position, shade.F32.Vec(4), []Shape{Vertex, Geometry}},
	"point-size":        {shade.PointSize, shade.F32, []Shape{Vertex, Geometry}},
	"depth":             {shade.FragDepth, shade.F32, []Shape{Fragment}},
	"discard":           {shade.NotBuiltin, shade.B, []Shape{Fragment}},
}

// Texture is a texture that a text samples.
type Texture struct {
	Name string
	// Number is the number of the texture in the program, and Dimension is 1d, 2d or 3d.
	Number       int
	Dimension    string
	Set, Binding int
	// Sampler is the number of its sampler in the program, or 0 if samplers have no numbers of their own.
	Sampler int
	// SamplerBinding is the binding of the sampler in WGSL, and the register of the sampler in HLSL, where textures have no samplers.
	SamplerBinding int
}

// Buffer is a buffer with the bytes of memories, from address 0 on, or with the parameters of a kernel.
type Buffer struct {
	Name string
	// States are the names of the memories that have these bytes. They are empty for parameters.
	States []string
	// Set and Binding are the numbers of the buffer. Push constants have none.
	Set, Binding int
	// Uniform is set for parameters, which are a uniform block or push constants. Other buffers are storage buffers.
	Uniform bool
	// Size is the size of a uniform block or of push constants in bytes. A storage buffer has any multiple of 4 bytes above 0: a
	// load outside of it gives 0, and a store outside of it does nothing.
	Size int
	// ReadOnly is set if the program does not write the buffer.
	ReadOnly bool
	// Parameters are the parameters of a kernel in their buffer, as far as they are known.
	Parameters []Parameter
}

// dimensions are the names of the dimensions of textures, by their numbers in host callbacks.
var dimensions = [...]struct {
	name string
	dim  shade.Dim
	n    int
}{{"1d", shade.Dim1, 1}, {"2d", shade.Dim2, 2}, {"3d", shade.Dim3, 3}}

// sample is a sample of a texture.
type sample struct {
	number, dimension int
	op                shade.Op
	at, offset        []*node
	unnormalised      bool
	lod               *node
	gradients         [2][]*node
}

// callback returns the kind of a host callback that the text does itself, or "".
func (b *builder) callback(n *node) string {
	if n.Op != sem.OpService || b.options.Shape == Function {
		return ""
	}
	return n.Service().Kind
}

// arguments returns the values that an operation with an effect uses.
func (b *builder) arguments(n *node) (list []*node) {
	list = slices.Clone(n.args)
	switch b.callback(n) {
	case textureKind:
		x := b.sample(n)
		list = slices.Concat(list, x.at, x.offset, x.gradients[0], x.gradients[1])
		if x.lod != nil {
			list = append(list, x.lod)
		}
	case emitKind:
		for _, p := range n.Service().Params {
			list = append(list, b.argument(n, p.Name)...)
		}
		b.eachEmitted(n, func(_ register, _ int, a *node) { list = append(list, a) })
	default:
		for _, a := range slices.Concat(n.Args(), n.Seen()) {
			list = append(list, b.nodes[a])
		}
	}
	return list
}

// argument returns the components of an argument of a host callback, or nil if it has no such parameter.
func (b *builder) argument(n *node, name string) (list []*node) {
	first, count := n.Service().Find(name)
	for _, a := range n.Args()[first : first+count] {
		list = append(list, b.nodes[a])
	}
	return list
}

// known returns the value of an argument that must be a constant of the program.
func (b *builder) known(n *node, name string) (v uint64, ok bool) {
	a := b.argument(n, name)
	if len(a) == 0 {
		return 0, false
	}
	if a[0].Op != sem.OpConst {
		b.refuse(b.p.Addrs[n.id], "a sample of a texture whose argument %s is computed", name)
		return 0, false
	}
	return a[0].Imm, true
}

// zero reports whether values are the constant 0 or -0.
func zero(list []*node) bool {
	return !slices.ContainsFunc(list, func(n *node) bool { return !n.zero() })
}

// sample returns the sample that a host callback for textures takes.
func (b *builder) sample(n *node) *sample {
	x := b.samples[n]
	if x != nil {
		return x
	}
	x = &sample{dimension: 1}
	b.samples[n] = x
	if d := b.argument(n, "dimension"); len(d) > 0 { // the coordinates may depend on it
		defer func() {
			for i, a := range x.at {
				x.at[i] = b.under(a, d[0], uint64(x.dimension))
			}
		}()
	}
	flag := func(name string) bool {
		v, _ := b.known(n, name)
		return v != 0
	}
	number, _ := b.known(n, "number")
	if len(b.argument(n, "sampler")) > 0 {
		sampler, _ := b.known(n, "sampler")
		if old, ok := b.samplers[int(number)]; ok && old != int(sampler) {
			b.refuse(b.p.Addrs[n.id], "texture %d with the samplers %d and %d", number, old, sampler)
		}
		b.samplers[int(number)] = int(sampler)
	}
	x.number, x.unnormalised = int(number), flag("unnormalised")
	if d, ok := b.options.Dimensions[x.number]; ok {
		x.dimension = slices.IndexFunc(dimensions[:], func(y struct {
			name string
			dim  shade.Dim
			n    int
		}) bool {
			return y.name == d
		})
	} else if a := b.argument(n, "dimension"); len(a) > 0 && a[0].Op == sem.OpConst {
		x.dimension = int(a[0].Imm)
	} else if len(a) > 0 {
		b.assumed = true
	}
	if x.dimension < 0 || x.dimension >= len(dimensions) {
		b.refuse(b.p.Addrs[n.id], "a sample of a cube map")
		x.dimension = 1
	}
	if old, ok := b.textures[x.number]; ok && old != x.dimension {
		b.refuse(b.p.Addrs[n.id], "texture %d as %s and as %s", x.number, dimensions[old].name, dimensions[x.dimension].name)
	}
	b.textures[x.number] = x.dimension
	size := dimensions[x.dimension].n
	part := func(name string) []*node {
		a := b.argument(n, name)
		return a[:min(size, len(a))]
	}
	if x.at = part("at"); len(x.at) < size {
		b.refuse(b.p.Addrs[n.id], "a sample of a %s texture at %d coordinates", dimensions[x.dimension].name, len(x.at))
	}
	if o := part("offset"); len(o) == size && !zero(o) {
		x.offset = o
	}
	lod := b.argument(n, "lod")
	level := flag("given") || len(b.argument(n, "computed")) > 0 && !flag("computed")
	switch {
	case level || b.options.Shape != Fragment:
		x.op = shade.SampleLod
		if level && len(lod) > 0 && !zero(lod) {
			x.lod = lod[0]
		}
	case flag("with_gradients"):
		x.op, x.gradients = shade.SampleGrad, [2][]*node{part("horizontal"), part("vertical")}
		if !zero(lod) {
			b.refuse(b.p.Addrs[n.id], "a sample of a texture with derivatives and a bias")
		}
	case len(lod) > 0 && !zero(lod):
		x.op, x.lod = shade.SampleBias, lod[0]
	default:
		x.op = shade.Sample
	}
	return x
}

// under returns the value that a value has if another one is a constant: the part of a selection by that value.
func (b *builder) under(n, other *node, v uint64) *node {
	var known func(n *node) (v uint64, ok bool)
	known = func(n *node) (uint64, bool) {
		switch {
		case same(n, other):
			return v, true
		case n.Op == sem.OpConst:
			return n.Imm, true
		case !n.Op.Pure() || len(n.args) == 0:
			return 0, false
		}
		var args [3]uint64
		for i, a := range n.args {
			x, ok := known(a)
			if !ok {
				return 0, false
			}
			args[i] = x
		}
		return sem.Apply(&n.Inst, args[0], args[1], args[2]), true
	}
	for n.Op == sem.OpSelect && other.Op != sem.OpConst {
		cond, ok := known(n.args[0])
		if !ok {
			break
		}
		n = n.args[2-cond&1]
	}
	return n
}

// texture returns the sample of a texture.
func (b *builder) texture(n *node) []*stmt {
	x := b.sample(n)
	s := &stmt{kind: sampleTexture, sample: x, addrs: []uint64{b.p.Addrs[n.id]}, dest: b.result(n)}
	add := func(list []*node) {
		if len(list) > 0 {
			s.params = append(s.params, b.vector(list))
		}
	}
	add(x.at)
	add(x.offset)
	if x.lod != nil {
		add([]*node{x.lod})
	}
	add(x.gradients[0])
	add(x.gradients[1])
	return b.guarded(n, s)
}

// sampled returns the statement that samples a texture.
func (g *lowering) sampled(s *stmt) *shade.Stmt {
	x, args := s.sample, g.list(s.params)
	next := func() *shade.Expr {
		a := args[0]
		args = args[1:]
		return a
	}
	v := g.textures[x.number]
	if v == nil {
		d := dimensions[x.dimension]
		v = &shade.Var{Name: g.b.names.unique(fmt.Sprint("texture", x.number)), Type: shade.Type{Kind: shade.Texture, Dim: d.dim, Of: shade.Float}, Storage: shade.Sampled}
		g.textures[x.number] = v
	}
	size := func() *shade.Expr {
		n := dimensions[x.dimension].n
		e := shade.Make(shade.Size, shade.I32.Vec(n), shade.Int32(0))
		e.Var = v
		return shade.Make(shade.Convert, shade.F32.Vec(n), e)
	}
	at := next()
	if len(x.offset) > 0 && x.unnormalised {
		at = shade.Apply(shade.Add, at, next())
	}
	if x.unnormalised {
		at = shade.Apply(shade.Div, at, size())
	} else if len(x.offset) > 0 {
		at = shade.Apply(shade.Add, at, shade.Apply(shade.Div, next(), size()))
	}
	e := shade.Make(x.op, shade.F32.Vec(4), at)
	e.Var = v
	for len(args) > 0 {
		e.Args = append(e.Args, next())
	}
	if x.op == shade.SampleLod && x.lod == nil {
		e.Args = append(e.Args, shade.Lit(shade.F32, 0))
	}
	return assignTo(shade.Value(g.variable(s.dest)), e)
}

// resources declares textures and memories. The bindings follow that of the uniform block: first all memories of the machine that
// become buffers, then the textures by their numbers.
func (g *lowering) resources(x *shade.Shader, t *Text, s *source, o Options) {
	set, memories := o.Set, s.memories()
	if o.Uniforms == Plain { // OpenGL has no sets
		set = -1
	}
	most := 0 // the greatest number of a texture in any program of the machine
	for _, name := range s.machine.Services() {
		if sv := s.machine.Service(name); sv.Kind == textureKind {
			for _, p := range sv.Params {
				if p.Name == "number" {
					most = max(most, 1<<min(p.Type.Width, 16)-1)
				}
			}
		}
	}
	for i, m := range memories {
		v := g.spaces[m.states[0]]
		if v == nil {
			continue
		}
		v.Block.Set, v.Block.Binding = set, o.Binding+1+i
		x.Blocks = append(x.Blocks, v.Block)
		b := Buffer{Name: v.Name, Set: o.Set, Binding: v.Block.Binding, ReadOnly: v.Block.ReadOnly}
		for _, st := range m.states {
			b.States = append(b.States, st.Name)
		}
		t.Buffers = append(t.Buffers, b)
	}
	for _, st := range s.machine.States {
		if v := g.spaces[st]; v != nil && v.Block == nil {
			x.Globals = append(x.Globals, v)
		}
	}
	for n, v := range g.textures {
		v.Set, v.Binding = set, o.Binding+1+len(memories)+n
		v.SamplerBinding = v.Binding + most + 1
		x.Globals = append(x.Globals, v)
		t.Textures = append(t.Textures, Texture{v.Name, n, dimensions[g.b.textures[n]].name, o.Set, v.Binding, g.b.samplers[n], v.SamplerBinding})
	}
	slices.SortFunc(t.Textures, func(a, b Texture) int { return cmp.Compare(a.Number, b.Number) })
	slices.SortStableFunc(x.Globals, func(a, b *shade.Var) int { return cmp.Compare(a.Binding, b.Binding) })
}

// place returns the place that the description declares for a register, or nil.
func (s *source) place(list []*sem.Place, x *Binding) *sem.Place {
	if x.place != nil {
		return x.place
	}
	for _, p := range list {
		if !p.Chosen && x.Count == 1 && p.State().Name == x.State && x.First >= p.Number && x.First < p.Number+p.Count {
			return p
		}
	}
	return nil
}

// enter returns the value of an input that is a value of the pipeline.
func (g *lowering) enter(x *shade.Shader, t *Text, s *source, p *shade.Var) *shade.Expr {
	in := &t.Inputs[slices.IndexFunc(t.Inputs, func(b Binding) bool { return b.Name == p.Name })]
	if in.Builtin == "" {
		return g.divided(x, in, p)
	}
	e := g.builtin(x, in.Builtin, shade.Input)
	if in.Builtin == "fragment-w" {
		e = shade.Pick(e, 3)
	}
	part := p.Type.Scalar()
	converted := func(y *shade.Expr) *shade.Expr {
		switch {
		case y.Type == part:
			return y
		case part.Kind == shade.Bool:
			return shade.Apply(shade.Ne, y, shade.Lit(y.Type, 0))
		}
		return shade.Make(shade.Convert, part, y)
	}
	comps := s.place(s.ins, in).Comps
	switch {
	case p.Type.N == 0 && e.Type.N == 0:
		return converted(e)
	case p.Type.N > 0 && e.Type.N == 0 && len(comps) == int(p.Type.N):
		return shade.Make(shade.Splat, p.Type, converted(e))
	}
	value := shade.Make(shade.Construct, p.Type)
	for k := range p.Type.Count() {
		y := shade.Lit(part, 0)
		if i := slices.Index(comps, k); i >= 0 && i < e.Type.Count() {
			y = converted(e)
			if e.Type.N > 0 {
				y = converted(shade.Pick(e, i))
			}
		}
		value.Args = append(value.Args, y)
	}
	if p.Type.N == 0 {
		return value.Args[0]
	}
	return value
}

// exit returns the statements that give the pipeline the values of outputs.
func (g *lowering) exit(x *shade.Shader, t *Text, main *shade.Func) (out []*shade.Stmt) {
	for _, o := range t.Outputs {
		if o.Builtin == "" {
			continue
		}
		value := shade.Value(main.Locals[slices.IndexFunc(main.Locals, func(v *shade.Var) bool { return v.Name == o.Name })])
		if o.Builtin == "discard" {
			out = append(out, &shade.Stmt{Kind: shade.If, Value: value, Body: []*shade.Stmt{{Kind: shade.Discard}}})
			continue
		}
		dest := g.builtin(x, o.Builtin, shade.Output)
		if n := dest.Type.Count(); n < value.Type.Count() {
			value = shade.Pick(value, []int{0, 1, 2, 3}[:n]...)
		}
		out = append(out, assignTo(dest, filled(value, dest.Type)))
	}
	return out
}

// filled returns a vector with the components of another one, and 0 or, for the fourth, 1.
func filled(value *shade.Expr, t shade.Type) *shade.Expr {
	n := value.Type.Count()
	if n == t.Count() {
		return value
	}
	value = shade.Make(shade.Construct, t, value)
	for k := n; k < t.Count(); k++ {
		value.Args = append(value.Args, shade.Lit(shade.F32, map[bool]uint64{true: 0x3f800000}[k == 3]))
	}
	return value
}

// builtin returns a value of the pipeline, and declares it.
func (g *lowering) builtin(x *shade.Shader, word string, storage shade.Storage) *shade.Expr {
	y := builtins[word]
	for _, v := range x.Globals {
		if v.Builtin == y.value {
			return shade.Value(v)
		}
	}
	v := &shade.Var{Name: g.b.names.unique(identifier(word)), Type: y.typ, Storage: storage, Builtin: y.value}
	x.Globals = append(x.Globals, v)
	return shade.Value(v)
}

// global returns the variable outside of functions with a name.
func (g *lowering) global(x *shade.Shader, name string) *shade.Var {
	return x.Globals[slices.IndexFunc(x.Globals, func(v *shade.Var) bool { return v.Name == name })]
}
