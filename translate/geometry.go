package translate

import (
	"slices"

	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
)

// slots is the number of vertices of a triangle, which a host callback of the kind emit stores.
const slots = 3

// primitives are the primitives with a number of vertices.
var primitives = map[int]shade.Primitive{1: shade.Points, 2: shade.Lines, 3: shade.Triangles, 4: shade.LinesAdjacency, 6: shade.TrianglesAdjacency}

// live returns the operations that have an effect or whose values are used.
func (b *builder) live() map[*node]bool {
	live := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if live[n] {
			return
		}
		live[n] = true
		if n.Guard != flow.NoID {
			visit(b.nodes[n.Guard])
		}
		args := n.args
		if b.effect(n) {
			args = b.arguments(n)
		}
		for _, a := range args {
			visit(a)
		}
	}
	for _, x := range b.p.Blocks {
		for _, id := range x.Insts {
			if n := b.nodes[id]; b.effect(n) {
				visit(n)
			}
		}
		if x.End.Cond != flow.NoID {
			visit(b.nodes[x.End.Cond])
		}
		for _, e := range x.End.Edges {
			for _, a := range e.Args {
				visit(b.nodes[a])
			}
		}
		for _, o := range x.End.Outputs {
			visit(b.nodes[o.ID])
		}
	}
	return live
}

// emits lists the registers of the vertices that a program emits: the outputs that the launch names.
func (s *source) emits(b *builder) {
	if s.primitive == nil || !slices.ContainsFunc(b.nodes, func(n *node) bool { return b.callback(n) == emitKind }) {
		b.refuse(NoAddr, "it emits no vertices, as a geometry shader does")
	}
	for _, p := range s.outputs {
		for n := range p.count {
			if r := (register{p.state, p.first + n}); !slices.Contains(b.emitted, r) {
				b.emitted = append(b.emitted, r)
			}
		}
	}
}

// primitiveOf returns the numbers of vertices of a primitive and of registers of a vertex.
func (s *source) primitiveOf(b *builder) (vertices, attributes int, reason string) {
	p, o := s.primitive, b.options
	vertices, attributes = p.Vertices, p.Attributes
	if o.Vertices > 0 && p.Chosen {
		vertices = o.Vertices
	}
	if o.Attributes > 0 {
		attributes = o.Attributes
	}
	if vertices == 1 {
		attributes = p.First.Count
	}
	switch {
	case vertices == 0:
		return 0, 0, "primitives with any number of vertices, which geometry shaders do not have"
	case o.Vertices > 0 && o.Vertices != vertices:
		return 0, 0, "its file sets another number of vertices of a primitive"
	case primitives[vertices] == shade.NoPrimitive:
		return 0, 0, "its primitives have a number of vertices that geometry shaders do not have"
	case attributes == 0:
		return 0, 0, "its file does not say how many registers a vertex has"
	}
	return vertices, attributes, ""
}

// ofVertex reports whether a register has an attribute of a vertex of a primitive.
func (s *source) ofVertex(b *builder, r register) bool {
	if b.options.Shape != Geometry || s.primitive == nil {
		return false
	}
	p := s.primitive
	vertices, attributes, _ := s.primitiveOf(b)
	return s.machine.States[p.First.State.Index] == r.state && r.number >= p.First.First && r.number < p.First.First+min(vertices*attributes, p.First.Count)
}

// vertices makes inputs of the registers that have the attributes of the vertices of a primitive.
func (s *source) vertices(b *builder, reads []flow.Variable, live map[*node]bool) {
	if b.options.Shape != Geometry || s.primitive == nil {
		return
	}
	vertices, attributes, reason := s.primitiveOf(b)
	if reason != "" {
		b.refuse(NoAddr, "%s", reason)
		return
	}
	first, state := s.primitive.First.First, s.machine.States[s.primitive.First.State.Index]
	for n := range live {
		if n.Op == sem.OpReadX && n.State == state {
			b.refuse(b.p.Addrs[n.id], "a computed register number of %s, which has the vertices of a primitive", state.Name)
		}
	}
	names := map[int]*variable{}
	for _, v := range reads {
		r := register{v.State, v.Number}
		if !s.ofVertex(b, r) {
			continue
		}
		k := (r.number - first) % attributes
		if names[k] == nil {
			name := s.registerName(flow.Variable{State: state, Number: first + k, Comp: v.Comp})
			names[k] = &variable{name: b.names.unique(identifier(name)), typ: state.Type.Elem(), size: state.Type.Len, count: vertices, given: true}
			b.attributes[names[k]] = first + k
		}
		b.inputs[r], b.elements[r] = names[k], (r.number-first)/attributes
	}
}

// eachEmitted calls visit for each component of a vertex that a program emits.
func (b *builder) eachEmitted(n *node, visit func(r register, comp int, a *node)) {
	n.EachSeen(func(st *sem.State, number, comp int, a flow.ID) {
		if r := (register{st, number}); slices.Contains(b.emitted, r) {
			visit(r, comp, b.nodes[a])
		}
	})
}

// emit stores a vertex.
func (b *builder) emit(n *node) []*stmt {
	s := &stmt{kind: storeVertex, addrs: []uint64{b.p.Addrs[n.id]}}
	for _, name := range []string{"slot", "primitive", "inverted"} {
		value := &expr{form: constant, typ: sem.BoolType, values: []uint64{0}}
		if a := b.argument(n, name); len(a) > 0 {
			value = b.value(a[0])
		}
		s.params = append(s.params, value)
	}
	parts := map[register][]*node{}
	b.eachEmitted(n, func(r register, _ int, a *node) { parts[r] = append(parts[r], a) })
	for _, r := range b.emitted {
		s.params = append(s.params, b.vector(parts[r]))
	}
	return b.guard(n, []*stmt{s})
}

// storeVertex returns the statements that store a vertex, and that emit a triangle if the slots are one.
func (g *lowering) storeVertex(s *stmt) (out []*shade.Stmt) {
	args := g.list(s.params)
	slot, primitive, inverted := args[0], args[1], args[2]
	if g.triangle == nil {
		g.triangle = &shade.Func{Name: g.b.names.unique("emit_triangle"), Params: []*shade.Var{{Name: "inverted", Type: shade.B, Storage: shade.Param}}}
		g.accessed = append(g.accessed, g.triangle)
		for _, r := range g.b.emitted {
			x := g.b.outputs[r]
			g.slots = append(g.slots, &shade.Var{Name: g.b.names.unique(x.name + "_slots"), Type: shadeType(x.typ, x.size).Array(slots), Storage: shade.Private})
		}
	}
	var list []*shade.Stmt
	for i, v := range g.slots {
		list = append(list, assignTo(shade.At(shade.Value(v), slot), args[3+i]))
	}
	switch {
	case !slot.IsLiteral():
		out = append(out, &shade.Stmt{Kind: shade.If, Value: shade.Apply(shade.Lt, slot, shade.Uint32(slots)), Body: list})
	case slot.Bits[0] < slots:
		out = append(out, list...)
	}
	emit := &shade.Stmt{Kind: shade.Do, Value: shade.CallOf(g.triangle, inverted)}
	switch {
	case !primitive.IsLiteral():
		out = append(out, &shade.Stmt{Kind: shade.If, Value: primitive, Body: []*shade.Stmt{emit}})
	case primitive.Bits[0] != 0:
		out = append(out, emit)
	}
	return out
}

// The numbers of vertices and of their components that a geometry shader can emit on every device.
const (
	mostVertices   = 256
	mostComponents = 1024
)

// maxVertices returns the number of vertices that a program can emit.
func (g *lowering) maxVertices(list []*stmt, t *Text) int {
	if n := g.b.options.MaxVertices; n > 0 {
		return n
	}
	components := 4
	for _, o := range t.Outputs {
		components += o.Components
	}
	most := min(mostVertices, mostComponents/components) / slots * slots
	n, loops := emissions(list)
	if loops || slots*n > most {
		return most
	}
	return max(slots*n, 1)
}

// emissions counts the statements that can emit a triangle, and reports whether one is in a loop.
func emissions(list []*stmt) (n int, loops bool) {
	for _, s := range list {
		if p := s.params; s.kind == storeVertex && !(p[1].form == constant && p[1].values[0] == 0) {
			n++
		}
		parts := [][]*stmt{s.body, s.els}
		for _, c := range s.cases {
			parts = append(parts, c.body)
		}
		for _, part := range parts {
			k, in := emissions(part)
			n, loops = n+k, loops || in || k > 0 && (s.kind == loop || s.kind == turns)
		}
	}
	return n, loops
}

// primitives completes a geometry shader: its layout, and the function that emits a triangle. It returns the statements that
// empty the slots.
func (g *lowering) primitives(x *shade.Shader, t *Text, s *source) (out []*shade.Stmt) {
	vertices, _, _ := s.primitiveOf(g.b)
	x.From, x.To, x.MaxVertices = primitives[vertices], shade.TriangleStrip, t.MaxVertices
	if g.triangle == nil {
		return nil
	}
	slot := &shade.Var{Name: "slot", Type: shade.U32, Storage: shade.Param}
	vertex := &shade.Func{Name: g.b.names.unique("emit_vertex"), Params: []*shade.Var{slot}}
	position := g.position(t, *g.b.options)
	for i, r := range g.b.emitted {
		v, value := g.variable(g.b.outputs[r]), shade.At(shade.Value(g.slots[i]), shade.Value(slot))
		vertex.Body = append(vertex.Body, assignTo(shade.Value(v), value))
		if v.Name == position {
			dest := g.builtin(x, "position", shade.Output)
			vertex.Body = append(vertex.Body, assignTo(dest, filled(value, dest.Type)))
		}
		for n := range slots {
			out = append(out, assignTo(shade.At(shade.Value(g.slots[i]), shade.Uint32(uint32(n))), g.expr(repeated(g.b.outputs[r], 0))))
		}
	}
	vertex.Body = append(vertex.Body, &shade.Stmt{Kind: shade.EmitVertex})
	inverted := shade.Value(g.triangle.Params[0])
	call := func(slot *shade.Expr) {
		g.triangle.Body = append(g.triangle.Body, &shade.Stmt{Kind: shade.Do, Value: shade.CallOf(vertex, slot)})
	}
	call(shade.Apply(shade.Select, inverted, shade.Uint32(1), shade.Uint32(0)))
	call(shade.Apply(shade.Select, inverted, shade.Uint32(0), shade.Uint32(1)))
	call(shade.Uint32(2))
	g.triangle.Body = append(g.triangle.Body, &shade.Stmt{Kind: shade.EndPrimitive})
	x.Globals = append(x.Globals, g.slots...)
	at := slices.Index(x.Funcs, g.triangle)
	x.Funcs = slices.Insert(x.Funcs, at, vertex)
	return out
}
