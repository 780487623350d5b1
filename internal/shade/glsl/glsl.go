// Package glsl prints shaders as GLSL 4.50 for Vulkan or as GLSL ES 3.10; geometry shaders are GLSL ES 3.20.
package glsl

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/text"
)

// Dialect is a version of the language.
type Dialect uint8

// The dialects.
const (
	Vulkan450 Dialect = iota
	ES                // version 3.10, or 3.20 for a Geometry shader
)

// Text is a printed shader.
type Text struct {
	Source string
	// Lines are the numbers of lines of the statements of the functions, without comments.
	Lines map[*shade.Func]int
}

// Print prints a shader. The error says what the dialect cannot express.
func Print(s *shade.Shader, d Dialect) (*Text, error) {
	p := &printer{Shader: s, es: d == ES, lines: map[*shade.Func]int{}}
	version := "450"
	switch {
	case p.es && s.Stage == shade.Geometry:
		version = "320 es"
	case p.es:
		version = "310 es"
	}
	if p.es {
		p.refuse()
	}
	if s.Stage != shade.Library {
		p.Line("#version %s", version)
	}
	for _, l := range s.Header {
		p.Line("// %s", l)
	}
	for _, e := range p.extensions() {
		p.Line("#extension %s : require", e)
	}
	if p.es {
		if s.Stage != shade.Geometry { // version 3.20 has precise
			p.Line("#extension GL_EXT_gpu_shader5 : enable")
			p.Line("#ifndef GL_EXT_gpu_shader5")
			p.Line("#define precise")
			p.Line("#endif")
		}
		p.precisions()
	}
	for _, c := range s.Controls {
		p.Line("spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [%d], %d, %d); // %s", c.Mode+5, c.Mode, c.Width, c.Mode)
	}
	p.layouts()
	p.Line("")
	for _, b := range s.Blocks {
		p.block(b)
	}
	for _, v := range s.Globals {
		p.global(v)
	}
	for _, f := range s.Funcs {
		p.function(f)
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Text{p.Out.String(), p.lines}, nil
}

// Prototype returns the declaration of a function.
func Prototype(f *shade.Func) string { return signature(f) + ";" }

// printer prints a shader.
type printer struct {
	*shade.Shader
	text.Writer
	es    bool
	err   error
	lines map[*shade.Func]int
}

// fail records what the dialect cannot express.
func (p *printer) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format+", which "+map[bool]string{false: "GLSL 4.50", true: "GLSL ES"}[p.es]+" lacks", args...)
	}
}

// refuse reports what GLSL ES lacks.
func (p *printer) refuse() {
	if doubles, integers := p.Needs(); doubles || integers {
		p.fail("numbers of 64 bits")
	}
	for _, b := range p.Blocks {
		if b.Kind == shade.PushConstants {
			p.fail("push constants")
		}
	}
	for _, v := range p.Globals {
		switch v.Builtin {
		case shade.ClipDistance, shade.ViewportIndex, shade.SampleID:
			p.fail("the variable %s", builtins[v.Builtin])
		case shade.PrimitiveID, shade.Layer:
			if p.Stage != shade.Geometry {
				p.fail("the variable %s", builtins[v.Builtin])
			}
		}
		if v.Interpolation == shade.NoPerspective {
			p.fail("noperspective")
		}
		if v.Type.Dim == shade.Dim1 || v.Type.Dim == shade.Cube && v.Type.Arrayed {
			p.fail("the type %s", Type(v.Type.Elem()))
		}
	}
}

// extensions returns the extensions that the shader needs.
func (p *printer) extensions() (list []string) {
	add := func(is bool, name string) {
		if is && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	add(len(p.Controls) > 0, "GL_EXT_spirv_intrinsics")
	_, int64s := p.Needs()
	add(int64s, "GL_ARB_gpu_shader_int64")
	for _, v := range p.Globals {
		add(p.es && p.Stage == shade.Geometry && v.Builtin == shade.PointSize, "GL_EXT_geometry_point_size")
		add(p.Stage == shade.Vertex && (v.Builtin == shade.Layer || v.Builtin == shade.ViewportIndex), "GL_ARB_shader_viewport_layer_array")
	}
	return list
}

// precisions writes the default precisions.
func (p *printer) precisions() {
	types := []string{"float", "int"}
	for _, v := range p.Globals {
		if t := Type(v.Type.Elem()); v.Storage == shade.Sampled && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	for _, t := range types {
		p.Line("precision highp %s;", t)
	}
}

// binding returns the numbers of a block or texture. OpenGL ES and OpenGL, for which set is -1, have no sets.
func (p *printer) binding(set, binding int) string {
	if p.es || set < 0 {
		return fmt.Sprintf("binding = %d", binding)
	}
	return fmt.Sprintf("set = %d, binding = %d", set, binding)
}

// widened reports whether a member of a uniform block has four components, of which the shader reads the first ones. GLSL ES
// cannot state offsets, and would put a small member next to the one before it.
func (p *printer) widened(v *shade.Var) bool {
	return p.es && v.Storage == shade.Member && v.Block.Kind == shade.UniformBlock && v.Type.Len == 0 && v.Type.N < 3
}

// layouts writes the layout of the stage.
func (p *printer) layouts() {
	switch p.Stage {
	case shade.Compute:
		switch {
		case p.LocalSize != [3]int{}:
			p.Line("layout(local_size_x = %d, local_size_y = %d, local_size_z = %d) in;", p.LocalSize[0], p.LocalSize[1], p.LocalSize[2])
		case p.es:
			p.fail("a workgroup whose size is a specialization constant")
		default:
			p.Line("layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;")
		}
	case shade.Geometry:
		p.Line("layout(%s) in;", primitives[p.From])
		p.Line("layout(%s, max_vertices = %d) out;", primitives[p.To], p.MaxVertices)
	case shade.Fragment:
		if p.EarlyTests {
			p.Line("layout(early_fragment_tests) in;")
		}
	}
}

var primitives = map[shade.Primitive]string{
	shade.Points: "points", shade.Lines: "lines", shade.LinesAdjacency: "lines_adjacency", shade.Triangles: "triangles", shade.TrianglesAdjacency: "triangles_adjacency",
	shade.LineStrip: "line_strip", shade.TriangleStrip: "triangle_strip",
}

// block writes a block.
func (p *printer) block(b *shade.Block) {
	member := func(v *shade.Var) string {
		t := v.Type.Elem()
		if p.widened(v) {
			t = t.Vec(4)
		}
		s := Type(t) + " " + v.Name
		switch {
		case v.Type.Len > 0:
			s += fmt.Sprintf("[%d]", v.Type.Len)
		case v.Type.Len < 0:
			s += "[]"
		}
		return s
	}
	if b.Kind == shade.PlainUniforms {
		for _, v := range b.Members {
			p.Line("uniform %s;", member(v))
		}
		p.Line("")
		return
	}
	switch b.Kind {
	case shade.UniformBlock:
		p.Line("layout(std140, %s) uniform %s {", p.binding(b.Set, b.Binding), b.Name)
	case shade.PushConstants:
		p.Line("layout(std140, push_constant) uniform %s {", b.Name)
	case shade.StorageBuffer:
		access := ""
		if b.ReadOnly {
			access = "readonly "
		}
		if b.WriteOnly {
			access += "writeonly "
		}
		p.Line("layout(std430, %s) %sbuffer %s {", p.binding(b.Set, b.Binding), access, b.Name)
	}
	at := 0
	for i, v := range b.Members {
		switch {
		case !p.es:
			p.Line("\tlayout(offset = %d) %s;", v.Offset, member(v))
			continue
		case v.Offset > at && b.Kind == shade.UniformBlock:
			p.Line("\tuvec4 %s_pad%d[%d];", b.Name, i, (v.Offset-at)/16)
		}
		p.Line("\t%s; // offset %d", member(v), v.Offset)
		at = v.Offset + 16*max(1, v.Type.Len)
	}
	p.Line("};")
	p.Line("")
}

// global writes the declaration of a variable outside of functions.
func (p *printer) global(v *shade.Var) {
	if v.Builtin != shade.NotBuiltin {
		if v.Builtin == shade.ClipDistance && v.Storage == shade.Output {
			p.Line("out float gl_ClipDistance[%d];", v.Type.Len)
		}
		return
	}
	t, array := Type(v.Type.Elem()), ""
	if v.Type.Len > 0 {
		array = fmt.Sprintf("[%d]", v.Type.Len)
	}
	precise := ""
	if v.Precise {
		precise = "precise "
	}
	interpolation := ""
	if v.Storage == shade.Input && p.Stage == shade.Fragment || v.Storage == shade.Output && p.Stage != shade.Fragment {
		interpolation = []string{"", "flat ", "noperspective "}[v.Interpolation]
		if k := v.Type.Kind; k == shade.Int || k == shade.Uint {
			interpolation = "flat "
		}
		if v.Centroid {
			interpolation += "centroid "
		}
	}
	switch v.Storage {
	case shade.Const:
		n := v.Type.Elem().Count()
		var list []string
		for i := 0; i < len(v.Bits); i += n {
			list = append(list, p.expr(&shade.Expr{Op: shade.Literal, Type: v.Type.Elem(), Bits: v.Bits[i : i+n]}).s)
		}
		if v.Type.Len > 0 {
			p.Line("const %s %s%s = %s[](%s);", t, v.Name, array, t, strings.Join(list, ", "))
			return
		}
		p.Line("const %s %s = %s;", t, v.Name, list[0])
	case shade.Private:
		p.Line("%s%s %s%s;", precise, t, v.Name, array)
	case shade.Workgroup:
		p.Line("shared %s %s%s;", t, v.Name, array)
	case shade.Input:
		p.Line("layout(location = %d) %sin %s %s%s;", v.Location, interpolation, t, v.Name, array)
	case shade.Output:
		p.Line("layout(location = %d) %s%sout %s %s%s;", v.Location, interpolation, precise, t, v.Name, array)
	case shade.Sampled:
		p.Line("layout(%s) uniform %s %s%s;", p.binding(v.Set, v.Binding), t, v.Name, array)
	}
}

// signature returns the declaration of a function without what follows the parameters.
func signature(f *shade.Func) string {
	var params []string
	for _, v := range f.Params {
		s := ""
		if v.Precise {
			s = "precise "
		}
		if v.Out {
			s += "out "
		}
		s += Type(v.Type.Elem()) + " " + v.Name
		if v.Type.Len > 0 {
			s += fmt.Sprintf("[%d]", v.Type.Len)
		}
		params = append(params, s)
	}
	return fmt.Sprintf("%s %s(%s)", Type(f.Result), f.Name, strings.Join(params, ", "))
}

// function writes a function.
func (p *printer) function(f *shade.Func) {
	if f.External {
		p.Line("%s", Prototype(f))
		return
	}
	guard := strings.ToUpper(f.Name)
	if f.Result.N > 0 {
		guard += "_" + strings.ToUpper(Type(f.Result))
	}
	short := len(f.Body) == 1 && f.Body[0].Kind == shade.Return && len(f.Comment)+len(f.Locals) == 0
	switch {
	case f.Guarded:
		p.Line("#ifndef %s", guard)
		p.Line("#define %s", guard)
	case !short:
		p.Line("")
	}
	if short {
		p.Line("%s { return %s; }", signature(f), p.expr(f.Body[0].Value).s)
		p.lines[f] = 1
	} else {
		p.Line("%s {", signature(f))
		p.Depth++
		for _, c := range f.Comment {
			p.Line("// %s", c)
		}
		p.locals(f.Locals)
		p.Count = 0
		p.language().Statements(f.Body)
		p.lines[f] = p.Count
		p.Depth--
		p.Line("}")
	}
	if f.Guarded {
		p.Line("#endif")
	}
}

// locals writes the declarations of variables, sorted by type.
func (p *printer) locals(list []*shade.Var) {
	byType := map[string][]string{}
	for _, v := range list {
		t := Type(v.Type.Elem())
		if v.Precise {
			t = "precise " + t
		}
		name := v.Name
		if v.Type.Len > 0 {
			name += fmt.Sprintf("[%d]", v.Type.Len)
		}
		byType[t] = append(byType[t], name)
	}
	for _, t := range slices.Sorted(maps.Keys(byType)) {
		p.Line("%s %s;", t, strings.Join(byType[t], ", "))
	}
}

// language returns the syntax of statements.
func (p *printer) language() *text.Language {
	return &text.Language{
		Writer: &p.Writer, Expr: func(e *shade.Expr) string { return p.expr(e).s }, Simple: p.simple, Other: p.other, Condition: "(%s)",
		Forever: "while (true) {", Once: "do {", OnceEnd: "} while (false);", CaseBreak: "break;",
	}
}

// simple returns the text of a declaration, an assignment or a call.
func (p *printer) simple(s *shade.Stmt) string {
	switch s.Kind {
	case shade.Declare:
		precise, array, value := "", "", ""
		if s.Var.Precise {
			precise = "precise "
		}
		if s.Var.Type.Len > 0 {
			array = fmt.Sprintf("[%d]", s.Var.Type.Len)
		}
		if s.Value != nil {
			value = " = " + p.expr(s.Value).s
		}
		return fmt.Sprintf("%s%s %s%s%s", precise, Type(s.Var.Type.Elem()), s.Var.Name, array, value)
	case shade.Assign:
		dest := p.expr(s.Dest).s
		switch operator, b := text.Update(s, func(op shade.Op) string { return updates[op] }); {
		case b != nil:
			return dest + " " + operator + " " + p.expr(b).s
		case operator != "":
			return dest + operator
		}
		return dest + " = " + p.expr(s.Value).s
	}
	return p.expr(s.Value).s
}

// updates are the operators that an assignment can contain.
var updates = map[shade.Op]string{
	shade.Add: "+", shade.Sub: "-", shade.Mul: "*", shade.Div: "/", shade.And: "&", shade.Or: "|", shade.Xor: "^", shade.ShiftLeft: "<<", shade.ShiftRight: ">>",
}

// other writes the statements that only GLSL has in this form.
func (p *printer) other(s *shade.Stmt) {
	switch s.Kind {
	case shade.Barrier:
		p.Line("memoryBarrier();")
		p.Line("barrier();")
	case shade.EmitVertex:
		p.Line("EmitVertex();")
	case shade.EndPrimitive:
		p.Line("EndPrimitive();")
	}
}
