// Package spirv writes shaders as SPIR-V modules for Vulkan.
//
// A Go program needs no other tool, and a module states what a text cannot: each float operation has the
// decoration NoContraction, and the module has the execution modes of SPV_KHR_float_controls. The version is 1.3, the highest that
// each device with Vulkan 1.1 accepts. It has storage buffers without an extension, and needs SPV_KHR_float_controls, which
// almost all devices have.
//
// Variables are in memory, as in unoptimised output of glslang: drivers make values of them.
package spirv

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/internal/shade"
)

// place is where a variable is.
type place struct {
	// value is the value of a constant or parameter. It is 0 for other variables.
	value id
	// pointer points to the variable, or to the block whose member it is. storage is its storage class.
	pointer id
	storage uint32
	member  id  // the constant number of a member of a block, or 0
	index   int // the number of a member
	strided bool
	widened bool // the member has four components, of which the shader reads the first ones
}

// writer writes a shader.
type writer struct {
	*module
	shader *shade.Shader
	places map[*shade.Var]*place
	funcs  map[*shade.Func]id
	// lines are the lines of the source text: the comments of the shader. OpLine refers to them.
	lines []string
	file  id
}

// Write writes a shader, which has passed shade.Check, as a module of little-endian words. Its entry point is main. The error
// says what SPIR-V for Vulkan cannot express: a Library, because Vulkan links no modules, and plain uniforms.
func Write(s *shade.Shader) ([]byte, error) {
	w := &writer{module: newModule(), shader: s, places: map[*shade.Var]*place{}, funcs: map[*shade.Func]id{}}
	w.capability(capabilityShader)
	w.emit(sectionMemoryModel, opMemoryModel, addressingLogical, memoryGLSL450)
	w.note(s.Header...)
	w.file = w.next()
	w.emit(sectionStrings, opString, append([]uint32{uint32(w.file)}, literal("program")...)...)
	for _, b := range s.Blocks {
		w.block(b)
	}
	var ports []uint32
	for _, v := range s.Globals {
		w.global(v)
		if p := w.places[v].pointer; p != 0 && (v.Storage == shade.Input || v.Storage == shade.Output) {
			ports = append(ports, uint32(p))
		}
	}
	for _, f := range s.Funcs {
		w.function(f)
	}
	w.entry(ports)
	w.source()
	if w.err != nil {
		return nil, w.err
	}
	return w.bytes(), nil
}

// note adds lines to the source text.
func (w *writer) note(lines ...string) {
	for _, l := range lines {
		w.lines = append(w.lines, strings.ReplaceAll(l, "\n", " "))
	}
}

// block declares the buffer of a block.
func (w *writer) block(b *shade.Block) {
	storage := uint32(storageUniform)
	switch b.Kind {
	case shade.PushConstants:
		storage = storagePushConstant
	case shade.StorageBuffer:
		storage = storageStorageBuffer
	case shade.PlainUniforms:
		w.fail("Vulkan has no plain uniforms")
	}
	if len(b.Members) == 0 {
		return
	}
	var members []uint32
	numbers := make([]int, len(b.Members))
	gaps := map[int]int{} // the offsets of members that nothing reads
	// ES has no offsets. So that spirv-cross can make ES of the module, the rules of std140 give each member its offset.
	uniform, at := b.Kind != shade.StorageBuffer, 0
	widened := func(v *shade.Var) bool { return uniform && v.Type.Len == 0 && v.Type.N < 3 }
	for i, v := range b.Members {
		if v.Type.Kind == shade.Bool {
			w.fail("the member %s of type bool", v.Name)
		}
		if uniform && v.Offset > at {
			gaps[len(members)] = at
			members = append(members, uint32(w.strided(shade.U32.Vec(4).Array((v.Offset-at)/16), 16)))
		}
		at = v.Offset + 16*max(1, v.Type.Len)
		numbers[i] = len(members)
		switch t := v.Type; {
		case widened(v):
			members = append(members, uint32(w.typeID(t.Vec(4))))
		case t.Len == 0:
			members = append(members, uint32(w.typeID(t)))
		default:
			members = append(members, uint32(w.strided(t, v.Stride)))
		}
	}
	structure := w.distinct(opTypeStruct, members...)
	w.name(structure, b.Name)
	w.decorate(structure, decorationBlock)
	pointer := w.variable(storage, structure, 0)
	if b.Kind == shade.StorageBuffer {
		w.name(pointer, b.Members[0].Name)
	} else {
		w.name(pointer, "uniforms")
	}
	for _, i := range slices.Sorted(maps.Keys(gaps)) {
		w.memberName(structure, i, fmt.Sprint("pad", i))
		w.decorateMember(structure, i, decorationOffset, uint32(gaps[i]))
	}
	for n, v := range b.Members {
		i := numbers[n]
		w.memberName(structure, i, v.Name)
		w.decorateMember(structure, i, decorationOffset, uint32(v.Offset))
		if b.Kind == shade.StorageBuffer && b.ReadOnly {
			w.decorateMember(structure, i, decorationNonWritable)
		}
		if b.Kind == shade.StorageBuffer && b.WriteOnly {
			w.decorateMember(structure, i, decorationNonReadable)
		}
		w.places[v] = &place{pointer: pointer, storage: storage, member: w.number(uint32(i)), index: i, strided: v.Type.Len != 0, widened: widened(v)}
	}
	if b.Kind != shade.PushConstants {
		w.decorate(pointer, decorationDescriptorSet, uint32(b.Set))
		w.decorate(pointer, decorationBinding, uint32(b.Binding))
	}
}

// variable declares a variable outside of functions. init is a constant or 0.
func (w *writer) variable(storage uint32, t id, init id) id {
	of := w.pointer(storage, t)
	x := w.next()
	operands := []uint32{uint32(of), uint32(x), storage}
	if init != 0 {
		operands = append(operands, uint32(init))
	}
	w.emit(sectionGlobals, opVariable, operands...)
	return x
}

// global declares a variable outside of functions.
func (w *writer) global(v *shade.Var) {
	p := &place{storage: storagePrivate}
	w.places[v] = p
	if v.Builtin == shade.WorkgroupSize {
		p.value = w.workgroupSize()
		return
	}
	switch v.Storage {
	case shade.Const:
		if p.value = w.value(v.Type, v.Bits); v.Type.Len == 0 {
			return
		}
	case shade.Input:
		p.storage = storageInput
	case shade.Output:
		p.storage = storageOutput
	case shade.Sampled:
		p.storage = storageUniformConstant
	case shade.Workgroup:
		p.storage = storageWorkgroup
	}
	p.pointer = w.variable(p.storage, w.typeID(v.Type), p.value)
	w.name(p.pointer, v.Name)
	switch v.Storage {
	case shade.Sampled:
		w.decorate(p.pointer, decorationDescriptorSet, uint32(v.Set))
		w.decorate(p.pointer, decorationBinding, uint32(v.Binding))
	case shade.Input, shade.Output:
		w.interfaceOf(v, p.pointer)
	}
}

// workgroupSize returns the size of a workgroup, as a constant.
func (w *writer) workgroupSize() id {
	return w.once("WorkgroupSize", func() id {
		if w.shader.LocalSize != [3]int{} {
			var bits []uint64
			for _, n := range w.shader.LocalSize {
				bits = append(bits, uint64(n))
			}
			return w.value(shade.U32.Vec(3), bits)
		}
		operands := []uint32{uint32(w.typeID(shade.U32.Vec(3))), uint32(w.next())}
		for n := range uint32(3) {
			x := w.next()
			w.emit(sectionGlobals, opSpecConstant, uint32(w.typeID(shade.U32)), uint32(x), 1)
			w.decorate(x, decorationSpecID, n)
			operands = append(operands, uint32(x))
		}
		w.emit(sectionGlobals, opSpecConstantComposite, operands...)
		w.decorate(id(operands[1]), decorationBuiltIn, builtins[shade.WorkgroupSize])
		return id(operands[1])
	})
}

// interfaceOf adds the decorations of an input or output.
func (w *writer) interfaceOf(v *shade.Var, x id) {
	if number, ok := builtins[v.Builtin]; ok {
		w.decorate(x, decorationBuiltIn, number)
	} else {
		w.decorate(x, decorationLocation, uint32(v.Location))
	}
	stage := w.shader.Stage
	switch whole := v.Type.Kind == shade.Int || v.Type.Kind == shade.Uint; {
	case v.Interpolation == shade.Flat, whole && stage == shade.Fragment && v.Storage == shade.Input:
		w.decorate(x, decorationFlat)
	case v.Interpolation == shade.NoPerspective:
		w.decorate(x, decorationNoPerspective)
	}
	if v.Centroid {
		w.decorate(x, decorationCentroid)
	}
	switch v.Builtin {
	case shade.ClipDistance:
		w.capability(capabilityClipDistance)
	case shade.SampleID:
		w.capability(capabilitySampleRateShading)
	case shade.PointSize:
		if stage == shade.Geometry {
			w.capability(capabilityGeometryPointSize)
		}
	case shade.PrimitiveID:
		w.capability(capabilityGeometry)
	case shade.Layer, shade.ViewportIndex:
		switch {
		case stage == shade.Vertex:
			w.extension("SPV_EXT_shader_viewport_index_layer")
			w.capability(capabilityShaderViewportIndexLayer)
		case v.Builtin == shade.Layer:
			w.capability(capabilityGeometry)
		default:
			w.capability(capabilityMultiViewport)
		}
	}
}

// The execution modes of a Geometry shader.
var (
	modesFrom = map[shade.Primitive]uint32{
		shade.Points: modeInputPoints, shade.Lines: modeInputLines, shade.LinesAdjacency: modeInputLinesAdjacency,
		shade.Triangles: modeTriangles, shade.TrianglesAdjacency: modeInputTrianglesAdjacency,
	}
	modesTo = map[shade.Primitive]uint32{
		shade.Points: modeOutputPoints, shade.LineStrip: modeOutputLineStrip, shade.TriangleStrip: modeOutputTriangleStrip,
	}
)

// entry declares the entry point.
func (w *writer) entry(ports []uint32) {
	s, main := w.shader, w.funcs[w.shader.Entry]
	models := map[shade.Stage]uint32{shade.Vertex: modelVertex, shade.Fragment: modelFragment, shade.Geometry: modelGeometry, shade.Compute: modelGLCompute}
	model, ok := models[s.Stage]
	if !ok {
		w.fail("Vulkan links no modules, so that no other shader can use a module of functions")
	}
	w.emit(sectionEntryPoints, opEntryPoint, slices.Concat([]uint32{model, uint32(main)}, literal("main"), ports)...)
	mode := func(number uint32, operands ...uint32) {
		w.emit(sectionModes, opExecutionMode, append([]uint32{uint32(main), number}, operands...)...)
	}
	switch s.Stage {
	case shade.Fragment:
		mode(modeOriginUpperLeft)
		if s.EarlyTests {
			mode(modeEarlyFragmentTests)
		}
		if slices.ContainsFunc(s.Globals, func(v *shade.Var) bool { return v.Builtin == shade.FragDepth }) {
			mode(modeDepthReplacing)
		}
	case shade.Geometry:
		w.capability(capabilityGeometry)
		from, ok1 := modesFrom[s.From]
		to, ok2 := modesTo[s.To]
		if !ok1 || !ok2 {
			w.fail("a geometry shader from primitives %d to %d", s.From, s.To)
		}
		mode(from)
		mode(modeInvocations, 1)
		mode(to)
		mode(modeOutputVertices, uint32(s.MaxVertices))
	case shade.Compute:
		if s.LocalSize == [3]int{} {
			w.workgroupSize() // which replaces the mode
		}
		mode(modeLocalSize, uint32(max(1, s.LocalSize[0])), uint32(max(1, s.LocalSize[1])), uint32(max(1, s.LocalSize[2])))
	}
	for _, c := range s.Controls {
		w.extension("SPV_KHR_float_controls")
		w.capability(uint32(c.Mode) + capabilityOfControl)
		mode(uint32(c.Mode), uint32(c.Width))
	}
}

// maxSource is the most bytes of source text in an instruction.
const maxSource = 1 << 17

// source writes the source text, of which no line is longer than maxSource.
func (w *writer) source() {
	op, operands, part := uint32(opSource), []uint32{languageUnknown, 0, uint32(w.file)}, ""
	for i, l := range w.lines {
		part += l[:min(len(l), maxSource)] + "\n"
		if i == len(w.lines)-1 || len(part)+len(w.lines[i+1]) > maxSource {
			w.emit(sectionStrings, op, append(operands, literal(part)...)...)
			op, operands, part = opSourceContinued, nil, ""
		}
	}
}

// flow is where a Break and a Continue lead, or 0.
type flow struct{ out, again id }

// function is a function under construction.
type function struct {
	*writer
	f          *shade.Func
	vars, body []uint32
	places     map[*shade.Var]*place
	around     flow
	open       bool        // the current block has no end yet
	reached    map[id]bool // the blocks to which a branch leads
	line       int         // the source line of the current statement, or 0
	shown      int         // that of the last instruction of the block
	titled     bool        // the source text has the name of the function
}

// function writes a function.
func (w *writer) function(f *shade.Func) {
	x := &function{writer: w, f: f, places: map[*shade.Var]*place{}, reached: map[id]bool{}}
	result, self := w.typeID(f.Result), w.next()
	w.funcs[f] = self
	w.name(self, f.Name)
	types, head := []uint32{uint32(result)}, []uint32(nil)
	x.label(w.next())
	start := x.body
	x.body = nil
	for _, p := range f.Params {
		t := w.typeID(p.Type)
		if p.Out {
			t = w.pointer(storageFunction, t)
		}
		types = append(types, uint32(t))
		v := w.next()
		w.name(v, p.Name)
		head = w.instruction(head, opFunctionParameter, uint32(t), uint32(v))
		switch {
		case p.Out:
			x.places[p] = &place{pointer: v, storage: storageFunction}
		case p.Type.Len > 0: // for Index, which needs memory
			x.local(p)
			x.do(opStore, x.places[p].pointer, v)
		default:
			x.places[p] = &place{value: v}
		}
	}
	for _, v := range f.Locals {
		x.local(v)
	}
	x.comment(f.Comment...)
	x.statements(f.Body)
	switch {
	case x.open && f.Result == shade.None:
		x.end(opReturn)
	case x.open:
		x.end(opUnreachable)
	}
	w.emit(sectionFunctions, opFunction, uint32(result), uint32(self), 0, uint32(w.declare(opTypeFunction, types...)))
	w.words[sectionFunctions] = slices.Concat(w.words[sectionFunctions], head, start, x.vars, x.body)
	w.emit(sectionFunctions, opFunctionEnd)
}

// comment adds lines to the source text, after the name of the function.
func (x *function) comment(lines ...string) {
	if len(lines) > 0 && !x.titled {
		x.note(x.f.Name + ":")
		x.titled = true
	}
	x.note(lines...)
}

// local declares a variable of the function.
func (x *function) local(v *shade.Var) {
	of := x.pointer(storageFunction, x.typeID(v.Type))
	p := &place{pointer: x.next(), storage: storageFunction}
	x.vars = x.instruction(x.vars, opVariable, uint32(of), uint32(p.pointer), storageFunction)
	x.name(p.pointer, v.Name)
	x.places[v] = p
}

// words returns results as operands.
func words(list ...id) []uint32 {
	out := make([]uint32, len(list))
	for i, x := range list {
		out[i] = uint32(x)
	}
	return out
}

// add adds an instruction to the current block.
func (x *function) add(op uint32, operands ...uint32) {
	if x.line != 0 && x.line != x.shown {
		x.shown = x.line
		x.body = x.instruction(x.body, opLine, uint32(x.file), uint32(x.line), 0)
	}
	x.body = x.instruction(x.body, op, operands...)
}

// do adds an instruction without a result.
func (x *function) do(op uint32, operands ...id) { x.add(op, words(operands...)...) }

// op adds an instruction with a result of a type.
func (x *function) op(op uint32, t id, operands ...uint32) id {
	r := x.next()
	x.add(op, append(words(t, r), operands...)...)
	return r
}

// label starts a block.
func (x *function) label(l id) {
	x.body = x.instruction(x.body, opLabel, uint32(l))
	x.open, x.shown = true, 0
}

// join starts the block where paths meet.
func (x *function) join(l id) {
	x.label(l)
	if !x.reached[l] {
		x.end(opUnreachable)
	}
}

// end ends the block.
func (x *function) end(op uint32, operands ...uint32) {
	x.body = x.instruction(x.body, op, operands...)
	x.open = false
}

// jump ends the block, if it has no end, with a branch.
func (x *function) jump(to id) {
	if x.open {
		x.reached[to] = true
		x.end(opBranch, uint32(to))
	}
}

// fork ends the block with a branch to one of two blocks.
func (x *function) fork(cond, yes, no id) {
	x.reached[yes], x.reached[no] = true, true
	x.end(opBranchConditional, words(cond, yes, no)...)
}

// merge says where the paths of the construct that starts at the end of the block meet.
func (x *function) merge(op uint32, operands ...id) {
	x.body = x.instruction(x.body, op, append(words(operands...), 0)...)
}

// part writes the statements of a construct, inside which Break and Continue lead to around, and a jump.
func (x *function) part(list []*shade.Stmt, around flow, to id) {
	saved, line := x.around, x.line
	x.around = around
	x.statements(list)
	x.around, x.line = saved, line
	x.jump(to)
}

// statements writes statements up to the first that no path leaves.
func (x *function) statements(list []*shade.Stmt) {
	for _, s := range list {
		if !x.open {
			return
		}
		x.statement(s)
	}
}

func (x *function) statement(s *shade.Stmt) {
	switch s.Kind {
	case shade.Declare:
		x.local(s.Var)
		if s.Value != nil {
			x.do(opStore, x.places[s.Var].pointer, x.expr(s.Value))
		}
	case shade.Assign:
		x.assign(s.Dest, x.expr(s.Value))
	case shade.Do:
		x.expr(s.Value)
	case shade.If:
		cond := x.expr(s.Value)
		yes, end := x.next(), x.next()
		no := end
		if len(s.Else) > 0 {
			no = x.next()
		}
		x.merge(opSelectionMerge, end)
		x.fork(cond, yes, no)
		x.label(yes)
		x.part(s.Body, x.around, end)
		if no != end {
			x.label(no)
			x.part(s.Else, x.around, end)
		}
		x.join(end)
	case shade.Loop:
		if s.Init != nil {
			x.statement(s.Init)
		}
		head, body, next, end := x.next(), x.next(), x.next(), x.next()
		x.jump(head)
		x.label(head)
		cond := id(0)
		if s.Value != nil {
			cond = x.expr(s.Value)
		}
		x.merge(opLoopMerge, end, next)
		if cond != 0 {
			x.fork(cond, body, end)
		} else {
			x.jump(body)
		}
		x.label(body)
		x.part(s.Body, flow{end, next}, next)
		x.label(next)
		if s.Step != nil {
			x.statement(s.Step)
		}
		x.jump(head)
		x.join(end)
	case shade.Once: // a switch that has only a default
		body, end := x.next(), x.next()
		x.merge(opSelectionMerge, end)
		x.end(opSwitch, words(x.number(0), body)...)
		x.label(body)
		x.part(s.Body, flow{out: end}, end)
		x.join(end)
	case shade.Switch:
		value, end := x.expr(s.Value), x.next()
		operands := words(value, end)
		var starts []id
		for _, c := range s.Cases {
			starts = append(starts, x.next())
			operands = append(operands, c.Number, uint32(starts[len(starts)-1]))
		}
		x.merge(opSelectionMerge, end)
		x.end(opSwitch, operands...)
		x.reached[end] = true
		for i, c := range s.Cases {
			x.label(starts[i])
			x.part(c.Body, flow{}, end)
		}
		x.join(end)
	case shade.Break:
		x.jump(x.around.out)
	case shade.Continue:
		x.jump(x.around.again)
	case shade.Return:
		if s.Value == nil {
			x.end(opReturn)
		} else {
			x.end(opReturnValue, uint32(x.expr(s.Value)))
		}
	case shade.Discard:
		x.end(opKill)
	case shade.Barrier:
		scope := x.number(scopeWorkgroup)
		x.do(opControlBarrier, scope, scope, x.number(semanticsOfBarrier))
	case shade.EmitVertex:
		x.do(opEmitVertex)
	case shade.EndPrimitive:
		x.do(opEndPrimitive)
	case shade.Comment:
		x.comment(s.Text)
		x.line = len(x.lines)
	}
}
