// Package wgsl prints shaders as WGSL, the language of WebGPU.
//
// WGSL has no prototypes: functions that another text defines become comments. It has no overloads: the form of a function for
// vectors has the type in its name. Inputs and outputs are private variables, which the entry point fills and returns.
package wgsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/text"
)

// Text is a printed shader.
type Text struct {
	Source string
	// Lines are the numbers of lines of the statements of the functions, without comments.
	Lines map[*shade.Func]int
}

// Print prints a shader. The error says what WGSL cannot express.
func Print(s *shade.Shader) (*Text, error) {
	p := &printer{Shader: s, lines: map[*shade.Func]int{}, names: map[any]string{}, taken: map[string]bool{zero: true, uniform: true, decision: true}, atomic: map[*shade.Var]bool{}}
	decides := false
	for _, f := range s.Funcs {
		shade.Walk(f.Body, func(e *shade.Expr) {
			if e.Op == shade.AtomicSwap {
				p.atomic[e.Args[0].Args[0].Var] = true
			}
		})
		shade.EachStmt(f.Body, func(s *shade.Stmt) { decides = decides || s.Uniform })
	}
	if decides {
		p.index = p.localIndex()
	}
	for _, l := range s.Header {
		p.Line("// %s", l)
	}
	if p.samples() {
		p.Line("diagnostic(off, derivative_uniformity);")
	}
	p.Line("")
	if doubles, integers := s.Needs(); doubles || integers {
		p.fail("numbers of 64 bits")
	}
	if s.Stage == shade.Geometry {
		p.fail("geometry shaders")
	}
	var body strings.Builder
	start := p.Out.String()
	p.Out.Reset()
	for _, b := range s.Blocks {
		p.block(b)
	}
	for _, v := range p.Globals {
		p.global(v)
	}
	if s.Stage == shade.Compute && s.LocalSize == [3]int{} {
		for i, name := range p.localSize() {
			p.Line("@id(%d) override %s: u32 = 1u;", i, name)
		}
	}
	if decides {
		p.Line("var<workgroup> %s: u32;", decision)
		p.Line("")
		p.Line("fn %s(decides: bool) -> bool {", uniform)
		p.Line("\t// All invocations have the same value, which WGSL cannot prove.")
		p.Line("\tif %s == 0u { %s = u32(decides); }", p.name(p.index, ""), decision)
		p.Line("\treturn workgroupUniformLoad(&%s) != 0u;", decision)
		p.Line("}")
	}
	for _, f := range s.Funcs {
		switch {
		case f.External:
			p.Line("// %s;", p.signature(f))
		case f != s.Entry || s.Stage == shade.Library:
			p.function(f)
		}
	}
	if s.Stage != shade.Library {
		p.entry()
	}
	body.WriteString(p.Out.String())
	if p.nonfinite {
		start += "var<private> " + zero + ": u32; // 0, for infinities and NaN, which constants may not be\n"
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Text{start + body.String(), p.lines}, nil
}

// Source prints a shader, for callers that count no lines.
func Source(s *shade.Shader) (string, error) {
	text, err := Print(s)
	if err != nil {
		return "", err
	}
	return text.Source, nil
}

// Prototype returns the declaration of a function.
func Prototype(f *shade.Func) string {
	p := &printer{Shader: &shade.Shader{}, names: map[any]string{}, taken: map[string]bool{}}
	return p.signature(f) + ";"
}

// zero is the name of a variable that is 0, and uniform that of a function whose result WGSL knows to be the same in a workgroup.
// decision is its variable.
const (
	zero     = "isago_zero"
	uniform  = "isago_uniform"
	decision = "isago_decision"
)

// localIndex returns the variable with the number of the invocation. It adds the variable if the shader has none.
func (p *printer) localIndex() *shade.Var {
	for _, v := range p.Globals {
		if v.Builtin == shade.LocalIndex {
			return v
		}
	}
	s := *p.Shader
	v := &shade.Var{Name: "isago_index", Type: shade.U32, Storage: shade.Input, Builtin: shade.LocalIndex}
	s.Globals = append(slices.Clip(s.Globals), v)
	p.Shader = &s
	return v
}

// localSize returns the size of a workgroup in x, y and z.
func (p *printer) localSize() (list []string) {
	for i, n := range p.LocalSize {
		if list = append(list, fmt.Sprintf("%du", n)); p.LocalSize == [3]int{} {
			list[i] = "isago_size_" + "xyz"[i:i+1]
		}
	}
	return list
}

// printer prints a shader.
type printer struct {
	*shade.Shader
	text.Writer
	err       error
	lines     map[*shade.Func]int
	names     map[any]string // of variables outside of functions, of functions and of blocks
	taken     map[string]bool
	changed   map[*shade.Var]bool // the variables of the function that have another value later
	nonfinite bool                // a constant is infinite or NaN
	atomic    map[*shade.Var]bool // the arrays of which an AtomicSwap sets an element
	index     *shade.Var          // the number of the invocation, if an If is Uniform
}

func (p *printer) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format+", which WGSL lacks", args...)
	}
}

// samples reports whether a function uses derivatives, which WGSL allows only where it can prove that all lanes run.
func (p *printer) samples() (yes bool) {
	for _, f := range p.Funcs {
		shade.Walk(f.Body, func(e *shade.Expr) {
			yes = yes || e.Op == shade.Sample || e.Op == shade.SampleBias || e.Op == shade.DerivX || e.Op == shade.DerivY
		})
	}
	return yes
}

// unreserved returns a name that is no word of the language.
func unreserved(name string) string {
	if reserved[name] {
		return name + "_"
	}
	return name
}

// name returns the name of a variable, function or block outside of functions. No two have the same.
func (p *printer) name(of any, name string) string {
	if s, ok := p.names[of]; ok {
		return s
	}
	s := unreserved(name)
	for i := 2; p.taken[s]; i++ {
		s = fmt.Sprintf("%s_%d", name, i)
	}
	p.names[of], p.taken[s] = s, true
	return s
}

// funcName returns the name of a function.
func (p *printer) funcName(f *shade.Func) string {
	name := f.Name
	if n := f.Result.N; n > 0 && slices.ContainsFunc(p.Funcs, func(o *shade.Func) bool { return o != f && o.Name == f.Name }) {
		name += fmt.Sprint("_vec", n)
	}
	return p.name(f, name)
}

// Type returns the name of a type.
func Type(t shade.Type) string {
	if t.Len != 0 {
		if t.Len < 0 {
			return fmt.Sprintf("array<%s>", Type(t.Elem()))
		}
		return fmt.Sprintf("array<%s, %d>", Type(t.Elem()), t.Len)
	}
	s := map[shade.Type]string{shade.B: "bool", shade.U32: "u32", shade.I32: "i32", shade.F32: "f32"}[t.Scalar()]
	if t.N > 0 {
		return fmt.Sprintf("vec%d<%s>", t.N, s)
	}
	return s
}

// atomics returns the name of the type of an array of atomic numbers.
func atomics(t shade.Type) string {
	return strings.Replace(Type(t), Type(t.Elem()), fmt.Sprintf("atomic<%s>", Type(t.Elem())), 1)
}

// widened reports whether the elements of an array in a uniform block have four components, of which the shader reads the
// first ones: elements are 16 bytes apart.
func widened(v *shade.Var) bool {
	return v.Storage == shade.Member && v.Block.Kind != shade.StorageBuffer && v.Type.Len > 0 && v.Type.N < 3
}

// block writes a block.
func (p *printer) block(b *shade.Block) {
	if b.Kind == shade.PushConstants {
		p.fail("push constants")
	}
	if b.Kind == shade.PlainUniforms {
		p.fail("uniforms outside of a block")
	}
	name := p.name(b, b.Name)
	p.Line("struct %s_t {", name)
	for i, v := range b.Members {
		t := v.Type
		if widened(v) {
			t = t.Vec(4)
		}
		size, components := "", 4*v.Type.Count()*max(1, v.Type.Len)
		if v.Type.Len != 0 {
			components = v.Stride * v.Type.Len
		}
		typ := Type(t)
		if p.atomic[v] {
			typ = atomics(t)
		}
		if i+1 < len(b.Members) && b.Members[i+1].Offset-v.Offset != components {
			size = fmt.Sprintf("@size(%d) ", b.Members[i+1].Offset-v.Offset)
		}
		p.Line("\t%s%s: %s,", size, unreserved(v.Name), typ)
	}
	p.Line("}")
	space := "uniform"
	if b.Kind == shade.StorageBuffer {
		space = "storage, read_write"
		if b.ReadOnly {
			space = "storage, read"
		}
	}
	p.Line("@group(%d) @binding(%d) var<%s> %s: %s_t;", b.Set, b.Binding, space, name, name)
	p.Line("")
}

// special reports whether a value of an array cannot be a constant.
func special(t shade.Type, bits uint64) bool {
	return t.Kind == shade.Float && bits>>23&0xff == 0xff
}

// bitsOf reports whether an array of constants is stored as bits.
func bitsOf(v *shade.Var) bool {
	return v.Storage == shade.Const && slices.ContainsFunc(v.Bits, func(b uint64) bool { return special(v.Type, b) })
}

// global writes the declaration of a variable outside of functions.
func (p *printer) global(v *shade.Var) {
	name := p.name(v, v.Name)
	switch v.Storage {
	case shade.Const:
		t, kind := v.Type, "const"
		if bitsOf(v) { // in a variable, because constants may be neither infinite nor NaN
			t.Kind, kind = shade.Uint, "var<private>"
		}
		n := t.Elem().Count()
		var list []string
		for i := 0; i < len(v.Bits); i += n {
			list = append(list, p.expr(&shade.Expr{Op: shade.Literal, Type: t.Elem(), Bits: v.Bits[i : i+n]}).s)
		}
		if t.Len > 0 {
			p.Line("%s %s = %s(%s);", kind, name, Type(t), strings.Join(list, ", "))
			return
		}
		p.Line("%s %s = %s;", kind, name, list[0])
	case shade.Private, shade.Input, shade.Output:
		if v.Builtin == shade.WorkgroupSize {
			return
		}
		p.Line("var<private> %s: %s;", name, Type(v.Type))
	case shade.Workgroup:
		t := Type(v.Type)
		if p.atomic[v] {
			t = atomics(v.Type)
		}
		p.Line("var<workgroup> %s: %s;", name, t)
	case shade.Sampled:
		t := map[shade.Dim]string{shade.Dim1: "1d", shade.Dim2: "2d", shade.Dim3: "3d", shade.Cube: "cube"}[v.Type.Dim]
		if v.Type.Arrayed {
			t += "_array"
		}
		if v.Type.Len != 0 {
			p.fail("arrays of textures")
		}
		of := map[shade.Kind]string{shade.Float: "f32", shade.Int: "i32", shade.Uint: "u32"}[v.Type.Of]
		sampler := "sampler"
		if v.Type.Shadow {
			sampler = "sampler_comparison"
			p.Line("@group(%d) @binding(%d) var %s: texture_depth_%s;", v.Set, v.Binding, name, t)
		} else {
			p.Line("@group(%d) @binding(%d) var %s: texture_%s<%s>;", v.Set, v.Binding, name, t, of)
		}
		p.Line("@group(%d) @binding(%d) var %s_sampler: %s;", v.Set, v.SamplerBinding, name, sampler)
	}
}

// builtin is a value of the pipeline: its name, and its type if that is not the one of the shader.
type builtin struct {
	name string
	typ  shade.Type
}

func (p *printer) builtin(v *shade.Var) builtin {
	b, ok := map[shade.Builtin]builtin{
		shade.Position: {"position", v.Type}, shade.FragCoord: {"position", v.Type}, shade.VertexIndex: {"vertex_index", shade.U32}, shade.InstanceIndex: {"instance_index", shade.U32},
		shade.FrontFacing: {"front_facing", v.Type}, shade.SampleID: {"sample_index", shade.U32}, shade.FragDepth: {"frag_depth", v.Type}, shade.LocalID: {"local_invocation_id", v.Type},
		shade.LocalIndex: {"local_invocation_index", v.Type}, shade.GlobalID: {"global_invocation_id", v.Type}, shade.WorkgroupID: {"workgroup_id", v.Type}, shade.NumWorkgroups: {"num_workgroups", v.Type},
	}[v.Builtin]
	if !ok {
		p.fail("the variable %s", v.Name)
	}
	return b
}

// port is an input or output of the entry point. Each element of an array is one.
type port struct {
	attributes, name, typ string
	v                     *shade.Var
	element               int // -1 if the variable is no array
}

// ports returns the inputs or the outputs.
func (p *printer) ports(storage shade.Storage) (list []port) {
	for _, v := range p.Globals {
		if v.Storage != storage || v.Builtin == shade.WorkgroupSize {
			continue
		}
		name := p.name(v, v.Name)
		if v.Builtin != shade.NotBuiltin {
			b := p.builtin(v)
			list = append(list, port{fmt.Sprintf("@builtin(%s) ", b.name), name, Type(b.typ), v, -1})
			continue
		}
		attribute := ""
		if p.Stage == shade.Vertex && storage == shade.Output || p.Stage == shade.Fragment && storage == shade.Input {
			kind := []string{"perspective", "flat", "linear"}[v.Interpolation]
			if k := v.Type.Kind; k == shade.Int || k == shade.Uint {
				kind = "flat"
			}
			if v.Centroid && kind != "flat" {
				kind += ", centroid"
			}
			if kind != "perspective" {
				attribute = fmt.Sprintf("@interpolate(%s) ", kind)
			}
		}
		for i := range max(1, v.Type.Len) {
			x := port{fmt.Sprintf("@location(%d) %s", v.Location+i, attribute), name, Type(v.Type.Elem()), v, -1}
			if v.Type.Len > 0 {
				x.name, x.element = fmt.Sprintf("%s_%d", name, i), i
			}
			list = append(list, x)
		}
	}
	return list
}

// variable returns the private variable or element of a port.
func (p *printer) variable(x port) string {
	if x.element >= 0 {
		return fmt.Sprintf("%s[%d]", p.name(x.v, ""), x.element)
	}
	return p.name(x.v, "")
}

// entry writes the entry point.
func (p *printer) entry() {
	f := p.Entry
	name := p.funcName(f)
	returns := false
	shade.EachStmt(f.Body, func(s *shade.Stmt) { returns = returns || s.Kind == shade.Return })
	body := f.Body
	if returns {
		inner := *f
		inner.Name = f.Name + "_body"
		p.function(&inner)
		body = []*shade.Stmt{{Kind: shade.Do, Value: shade.CallOf(&inner)}}
	}
	in, out := p.ports(shade.Input), p.ports(shade.Output)
	p.Line("")
	result := ""
	if len(out) > 0 {
		p.Line("struct %s_out {", name)
		for _, x := range out {
			p.Line("\t%s%s: %s,", x.attributes, x.name, x.typ)
		}
		p.Line("}")
		p.Line("")
		result = fmt.Sprintf(" -> %s_out", name)
	}
	switch p.Stage {
	case shade.Vertex:
		p.Line("@vertex")
	case shade.Fragment:
		if p.EarlyTests {
			p.fail("early tests")
		}
		p.Line("@fragment")
	case shade.Compute:
		p.Line("@compute @workgroup_size(%s)", strings.Join(p.localSize(), ", "))
	}
	var params []string
	for _, x := range in {
		params = append(params, fmt.Sprintf("%s%s_in: %s", x.attributes, x.name, x.typ))
	}
	p.Line("fn %s(%s)%s {", name, strings.Join(params, ", "), result)
	p.Depth++
	for _, x := range in {
		value := x.name + "_in"
		if t := Type(x.v.Type.Elem()); t != x.typ {
			value = fmt.Sprintf("%s(%s)", t, value)
		}
		p.Line("%s = %s;", p.variable(x), value)
	}
	p.locals(f)
	p.Count = 0
	p.language().Statements(body)
	p.lines[f] = p.Count
	if len(out) > 0 {
		var values []string
		for _, x := range out {
			values = append(values, p.variable(x))
		}
		p.Line("return %s_out(%s);", name, strings.Join(values, ", "))
	}
	p.Depth--
	p.Line("}")
}

// signature returns the declaration of a function without its body.
func (p *printer) signature(f *shade.Func) string {
	var params []string
	for _, v := range f.Params {
		t := Type(v.Type)
		if v.Out {
			t = fmt.Sprintf("ptr<function, %s>", t)
		}
		params = append(params, unreserved(v.Name)+": "+t)
	}
	s := fmt.Sprintf("fn %s(%s)", p.funcName(f), strings.Join(params, ", "))
	if f.Result != shade.None {
		s += " -> " + Type(f.Result)
	}
	return s
}

// function writes a function.
func (p *printer) function(f *shade.Func) {
	if len(f.Body) == 1 && f.Body[0].Kind == shade.Return && f.Body[0].Value != nil && len(f.Comment)+len(f.Locals) == 0 {
		p.Line("%s { return %s; }", p.signature(f), p.expr(f.Body[0].Value).s)
		p.lines[f] = 1
		return
	}
	p.Line("")
	p.Line("%s {", p.signature(f))
	p.Depth++
	for _, c := range f.Comment {
		p.Line("// %s", c)
	}
	p.locals(f)
	p.Count = 0
	p.language().Statements(f.Body)
	p.lines[f] = p.Count
	if f.Result != shade.None && !text.Ends(f.Body) { // after an endless loop: naga demands a result even there
		p.Line("return %s();", Type(f.Result))
	}
	p.Depth--
	p.Line("}")
}

// root returns the variable of a destination.
func root(e *shade.Expr) *shade.Var {
	for e.Op != shade.Ref {
		e = e.Args[0]
	}
	return e.Var
}

// locals writes the declarations at the start of a function, and finds its variables that have several values.
func (p *printer) locals(f *shade.Func) {
	p.changed = map[*shade.Var]bool{}
	shade.EachStmt(f.Body, func(s *shade.Stmt) {
		if s.Kind == shade.Assign {
			p.changed[root(s.Dest)] = true
		}
	})
	shade.Walk(f.Body, func(e *shade.Expr) {
		for i, a := range e.Args {
			if e.Op == shade.Call && e.Func.Params[i].Out {
				p.changed[a.Var] = true
			}
		}
	})
	for _, v := range f.Locals {
		p.Line("var %s: %s;", unreserved(v.Name), Type(v.Type))
	}
}

// language returns the syntax of statements.
func (p *printer) language() *text.Language {
	return &text.Language{
		Writer: &p.Writer, Expr: func(e *shade.Expr) string { return p.expr(e).s }, Simple: p.simple, Other: p.other, Uniform: uniform + "(%s)", Condition: "%s", Braces: true,
		Forever: "loop {", Once: "loop {", OnceBreak: "break;", OnceEnd: "}", Default: "default: { }",
	}
}

// simple returns the text of a declaration, an assignment or a call, or writes an assignment that needs several statements.
func (p *printer) simple(s *shade.Stmt) string {
	switch s.Kind {
	case shade.Declare:
		switch name := unreserved(s.Var.Name); {
		case s.Value != nil && s.Value.Op == shade.AtomicSwap:
			p.swap(s)
			return ""
		case s.Value == nil:
			return fmt.Sprintf("var %s: %s", name, Type(s.Var.Type))
		case p.changed[s.Var]:
			return fmt.Sprintf("var %s: %s = %s", name, Type(s.Var.Type), p.expr(s.Value).s)
		default:
			return fmt.Sprintf("let %s = %s", name, p.expr(s.Value).s)
		}
	case shade.Assign:
		if v := s.Value; v.Op == shade.Select && v.Args[0].Type == shade.B && (external(v.Args[1]) || external(v.Args[2])) { // a function select computes both
			set := func(v *shade.Expr) []*shade.Stmt { return []*shade.Stmt{{Kind: shade.Assign, Dest: s.Dest, Value: v}} }
			p.language().Statements([]*shade.Stmt{{Kind: shade.If, Value: v.Args[0], Body: set(v.Args[1]), Else: set(v.Args[2])}})
			return ""
		}
		return p.assign(s)
	}
	if s.Value.Type != shade.None { // a result is not dropped without a word
		return "_ = " + p.expr(s.Value).s
	}
	return p.expr(s.Value).s
}

// other writes barriers.
func (p *printer) other(s *shade.Stmt) {
	if s.Kind != shade.Barrier {
		p.fail("geometry shaders")
		return
	}
	p.Line("workgroupBarrier();")
	p.Line("storageBarrier();")
}

// swap writes the declaration of a variable whose value is an AtomicSwap. WGSL has only one that may fail although the value is the
// expected one.
func (p *printer) swap(s *shade.Stmt) {
	name, args := unreserved(s.Var.Name), s.Value.Args
	p.Line("var %s: %s;", name, Type(s.Var.Type))
	p.Line("loop {")
	expected := p.expr(args[1]).s
	if args[1].Op != shade.Ref && !args[1].IsLiteral() {
		p.Line("\tlet isago_expected = %s;", expected)
		expected = "isago_expected"
	}
	p.Line("\tlet parts = atomicCompareExchangeWeak(&%s, %s, %s);", p.element(args[0]), expected, p.list(args[2:]))
	p.Line("\t%s = parts.old_value;", name)
	p.Line("\tif parts.exchanged || %s != %s { break; }", name, expected)
	p.Line("}")
}

// external reports whether an expression calls a function of the surroundings.
func external(e *shade.Expr) (yes bool) {
	shade.Walk([]*shade.Stmt{{Value: e}}, func(e *shade.Expr) { yes = yes || e.Op == shade.Call && e.Func.External })
	return yes
}

// assign returns the text of an assignment. WGSL has none to several components: the others are set to themselves, or each has
// its own assignment.
func (p *printer) assign(s *shade.Stmt) string {
	dest, value := s.Dest, s.Value
	n := len(dest.Comps)
	if dest.Op == shade.Index && p.atomic[dest.Args[0].Var] {
		return fmt.Sprintf("atomicStore(&%s, %s)", p.element(dest), p.expr(value).s)
	}
	if dest.Op != shade.Swizzle || n == 1 {
		name := p.expr(dest).s
		switch operator, b := text.Update(s, func(op shade.Op) string { return updates[op] }); {
		case b != nil:
			return name + " " + operator + " " + p.expr(b).s
		case operator != "":
			return name + operator
		}
		return name + " = " + p.expr(value).s
	}
	whole, size := dest.Args[0], int(dest.Args[0].Type.N)
	name := p.expr(whole).in(atom)
	first, run := dest.Comps[0], true
	for i, k := range dest.Comps {
		run = run && k == first+i
	}
	if !run {
		p.Line("{")
		p.Line("\tlet parts = %s;", p.expr(value).s)
		for i, k := range dest.Comps {
			p.Line("\t%s.%c = parts.%c;", name, "xyzw"[k], "xyzw"[i])
		}
		p.Line("}")
		return ""
	}
	var parts []string
	if first > 0 {
		parts = append(parts, name+"."+"xyzw"[:first])
	}
	parts = append(parts, p.expr(value).s)
	if first+n < size {
		parts = append(parts, name+"."+"xyzw"[first+n:size])
	}
	return fmt.Sprintf("%s = %s(%s)", name, Type(whole.Type), strings.Join(parts, ", "))
}

// updates are the operators that an assignment can contain.
var updates = map[shade.Op]string{shade.Add: "+", shade.Sub: "-", shade.Mul: "*", shade.Div: "/", shade.And: "&", shade.Or: "|", shade.Xor: "^"}
