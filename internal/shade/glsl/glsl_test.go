package glsl

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/shadetest"
)

// TestStages compiles a shader of each stage, with all builtins, textures and statements that its stage has.
func TestStages(t *testing.T) {
	suffixes := map[shade.Stage]string{shade.Vertex: "vert", shade.Fragment: "frag", shade.Geometry: "geom", shade.Compute: "comp"}
	for name, s := range shadetest.Stages() {
		if name == "fragment" {
			if _, err := Print(s, Vulkan450); err == nil || err.Error() != "a level for samplerCubeShadow, which GLSL 4.50 lacks" {
				t.Errorf("the error is %v", err)
			}
			s.Entry.Body = slices.DeleteFunc(s.Entry.Body, func(s *shade.Stmt) (cube bool) {
				shade.Walk([]*shade.Stmt{s}, func(e *shade.Expr) {
					cube = cube || e.Op == shade.SampleLod && e.Var.Type.Shadow && e.Var.Type.Dim == shade.Cube
				})
				return cube
			})
		}
		text, err := Print(s, Vulkan450)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compile(t, text.Source, "."+suffixes[s.Stage], "-V", "--target-env", "vulkan1.2", "-o", os.DevNull)
	}
}

// compile compiles a text with glslangValidator.
func compile(t *testing.T, source, extension string, options ...string) {
	t.Helper()
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip("SKIPPED: glslangValidator is not installed (apt-get install glslang-tools)")
	}
	file := filepath.Join(t.TempDir(), "a"+extension)
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("glslangValidator", append(options, file)...).CombinedOutput(); err != nil || strings.Contains(string(out), "WARNING") {
		t.Errorf("%v\n%s\n%s", err, out, source)
	}
}

// TestES checks what GLSL ES cannot express.
func TestES(t *testing.T) {
	for name, want := range map[string]string{
		"vertex": "push constants, which GLSL ES lacks", "layers": "the variable gl_Layer, which GLSL ES lacks",
		"fragment": "noperspective, which GLSL ES lacks", "geometry": "the variable gl_ViewportIndex, which GLSL ES lacks",
	} {
		if _, err := Print(shadetest.Stages()[name], ES); err == nil || err.Error() != want {
			t.Errorf("%s: the error is %v, expected %s", name, err, want)
		}
	}
	geometry := shadetest.Stages()["geometry"]
	viewport := func(v *shade.Var) bool { return v != nil && v.Builtin == shade.ViewportIndex }
	geometry.Globals = slices.DeleteFunc(geometry.Globals, viewport)
	geometry.Entry.Body = slices.DeleteFunc(geometry.Entry.Body, func(s *shade.Stmt) bool { return s.Dest != nil && viewport(s.Dest.Var) })
	text, err := Print(geometry, ES)
	if err != nil {
		t.Fatal(err)
	}
	compile(t, text.Source, ".geom")
	if text, err := Print(shadetest.Stages()["early"], ES); err != nil || !strings.Contains(text.Source, "layout(early_fragment_tests) in;\n") {
		t.Errorf("%v\n%v", err, text)
	}
}

// TestExpressions checks where operators need parentheses, and the forms of constants.
func TestExpressions(t *testing.T) {
	v := func(name string, t shade.Type) *shade.Expr { return shade.Value(&shade.Var{Name: name, Type: t}) }
	a, b, c, x := v("a", shade.I32), v("b", shade.I32), v("c", shade.B), v("x", shade.F32)
	apply := shade.Apply
	for _, e := range []struct {
		e    *shade.Expr
		want string
	}{
		{apply(shade.Mul, apply(shade.Add, a, b), a), "(a + b) * a"},
		{apply(shade.Sub, a, apply(shade.Sub, b, a)), "a - (b - a)"},
		{apply(shade.Sub, apply(shade.Sub, a, b), a), "a - b - a"},
		{apply(shade.Neg, apply(shade.Neg, a)), "-(-a)"},
		{apply(shade.Neg, shade.Int32(-1)), "-(-1)"},
		{apply(shade.Complement, apply(shade.ShiftLeft, a, shade.Int32(3))), "~(a << 3)"},
		{apply(shade.And, apply(shade.ShiftLeft, a, b), apply(shade.Or, a, b)), "(a << b) & (a | b)"},
		{apply(shade.Select, c, a, apply(shade.Select, c, a, b)), "c ? a : c ? a : b"},
		{apply(shade.Select, c, apply(shade.Select, c, a, b), a), "c ? (c ? a : b) : a"},
		{apply(shade.LogicAnd, apply(shade.LogicOr, c, c), apply(shade.Not, c)), "(c || c) && !c"},
		{apply(shade.Not, apply(shade.Eq, a, b)), "!(a == b)"},
		{shade.Pick(apply(shade.Add, v("p", shade.F32.Vec(3)), v("q", shade.F32.Vec(3))), 2, 0), "(p + q).zx"},
		{apply(shade.Lt, v("p", shade.F32.Vec(3)), v("q", shade.F32.Vec(3))), "lessThan(p, q)"},
		{apply(shade.Select, v("m", shade.B.Vec(3)), v("p", shade.F32.Vec(3)), v("q", shade.F32.Vec(3))), "mix(q, p, m)"},
		{shade.Int32(-1 << 31), "int(0x80000000u)"},
		{shade.Lit(shade.U64, 5), "5ul"},
		{shade.Lit(shade.I64, 1<<64-2), "-2l"},
		{shade.Lit(shade.F32, 0x3f800000), "1.0"},
		{shade.Lit(shade.F32, 0x80000000), "uintBitsToFloat(0x80000000u)"},
		{shade.Lit(shade.F32, 0x7f800000), "uintBitsToFloat(0x7f800000u)"},
		{shade.Lit(shade.F32, 1), "uintBitsToFloat(0x1u)"},
		{shade.Lit(shade.F64, 0x3ff8000000000000), "1.5lf"},
		{shade.Lit(shade.F64, 0x3fd5555555555555), "packDouble2x32(uvec2(0x55555555u, 0x3fd55555u))"},
		{shade.Make(shade.Bitcast, shade.U64, v("w", shade.U32.Vec(2))), "packUint2x32(w)"},
		{shade.Make(shade.Bitcast, shade.U32, a), "uint(a)"},
		{shade.Make(shade.Convert, shade.F64, x), "double(x)"},
		{shade.At(v("list", shade.F32.Array(4)), shade.Uint32(2)), "list[2]"},
	} {
		if got := (&printer{Shader: &shade.Shader{}}).expr(e.e).s; got != e.want {
			t.Errorf("%s, expected %s", got, e.want)
		}
	}
}

// TestOffsets checks that a uniform block of GLSL ES has the offsets of the members.
func TestOffsets(t *testing.T) {
	b := &shade.Block{Name: "block", Binding: 3}
	add := func(name string, t shade.Type, offset int) *shade.Expr {
		v := &shade.Var{Name: name, Type: t, Storage: shade.Member, Block: b, Offset: offset, Stride: 16}
		b.Members = append(b.Members, v)
		return shade.Value(v)
	}
	one, pair, triple := add("one", shade.U32, 0), add("pair", shade.F32.Vec(2), 16), add("triple", shade.F32.Vec(3), 32)
	list := add("list", shade.F32.Array(2), 80)
	r := &shade.Var{Name: "r", Type: shade.F32}
	set := func(e *shade.Expr) *shade.Stmt { return shadetest.Set(shade.Value(r), e) }
	f := &shade.Func{Name: "f", Locals: []*shade.Var{r}, Body: []*shade.Stmt{
		set(shade.Make(shade.Convert, shade.F32, one)), set(shade.Pick(pair, 1)), set(shade.Pick(triple, 2)), set(shade.At(list, shade.Int32(1))),
		set(shade.Pick(shade.Apply(shade.Add, pair, pair), 0)),
	}}
	s := &shade.Shader{Blocks: []*shade.Block{b}, Funcs: []*shade.Func{f}, Entry: f}
	text, err := Print(s, ES)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"layout(std140, binding = 3) uniform block {\n\tuvec4 one; // offset 0\n\tvec4 pair; // offset 16\n\tvec3 triple; // offset 32\n\tuvec4 block_pad3[2];\n\tfloat list[2]; // offset 80\n};\n",
		"\tr = float(one.x);\n\tr = pair.y;\n\tr = triple.z;\n\tr = list[1];\n\tr = (pair.xy + pair.xy).x;\n",
	} {
		if !strings.Contains(text.Source, want) {
			t.Errorf("%s\nexpected\n%s", text.Source, want)
		}
	}
	if text, err = Print(s, Vulkan450); err != nil || !strings.Contains(text.Source, "\tlayout(offset = 16) vec2 pair;\n") {
		t.Errorf("%v\n%v", err, text)
	}
	b.Kind = shade.PlainUniforms
	if text, err = Print(s, Vulkan450); err != nil || !strings.Contains(text.Source, "uniform vec2 pair;\n") {
		t.Errorf("%v\n%v", err, text)
	}
}

// TestStatements checks the form of statements, and which lines count.
func TestStatements(t *testing.T) {
	c := &shade.Var{Name: "c", Type: shade.B}
	n := &shade.Var{Name: "n", Type: shade.U32, Precise: true}
	value, set := shade.Value(c), shadetest.Set(shade.Value(n), shade.Uint32(1))
	when := func(body []*shade.Stmt, els ...*shade.Stmt) *shade.Stmt {
		return &shade.Stmt{Kind: shade.If, Value: value, Body: body, Else: els}
	}
	list := func(s ...*shade.Stmt) []*shade.Stmt { return s }
	leave := &shade.Stmt{Kind: shade.Break}
	f := &shade.Func{Name: "f", Locals: []*shade.Var{c, n}, Body: list(
		&shade.Stmt{Kind: shade.Comment, Text: "note"},
		when(list(set), when(list(set), set)),
		&shade.Stmt{Kind: shade.Loop, Body: list(when(list(leave)), &shade.Stmt{Kind: shade.Once, Body: list(leave)})},
		&shade.Stmt{Kind: shade.Loop, Value: value, Body: list(&shade.Stmt{Kind: shade.Switch, Value: shade.Value(n), Cases: []shade.Case{{Number: 3, Body: list(set)}}})},
		shadetest.Declare(&shade.Var{Name: "d", Type: shade.F32, Precise: true}, shade.Lit(shade.F32, 0)),
	)}
	text, err := Print(&shade.Shader{Funcs: []*shade.Func{f}, Entry: f}, Vulkan450)
	if err != nil {
		t.Fatal(err)
	}
	const want = `
void f() {
	bool c;
	precise uint n;
	// note
	if (c) {
		n = 1u;
	} else if (c) {
		n = 1u;
	} else {
		n = 1u;
	}
	while (true) {
		if (c) break;
		do {
			break;
		} while (false);
	}
	while (c) {
		switch (n) {
		case 3u: {
			n = 1u;
			break;
		}
		}
	}
	precise float d = 0.0;
}
`
	if !strings.HasSuffix(text.Source, want) {
		t.Errorf("%s\nexpected\n%s", text.Source, want)
	}
	if lines := strings.Split(strings.TrimSpace(want), "\n"); text.Lines[f] != len(lines)-5 || slices.Contains(lines, "") { // without the declarations, the comment and the braces
		t.Errorf("%d lines", text.Lines[f])
	}
}
