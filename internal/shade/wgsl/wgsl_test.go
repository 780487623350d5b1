package wgsl

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/shadetest"
)

// TestStages validates a shader of each stage with what WGSL has of the builtins, textures and statements of its stage, and
// checks what WGSL lacks.
func TestStages(t *testing.T) {
	texts, lacks := map[string]string{}, map[string]bool{}
	for name, s := range shadetest.Stages() {
		s.Blocks = slices.DeleteFunc(s.Blocks, func(b *shade.Block) bool { return b.Kind == shade.PushConstants })
		try := func(stmt *shade.Stmt) (without *shade.Stmt) {
			used := []*shade.Var{}
			shade.Walk([]*shade.Stmt{stmt}, func(e *shade.Expr) {
				if e.Var != nil {
					used = append(used, e.Var)
				}
			})
			part := *s
			part.Globals = slices.DeleteFunc(slices.Clone(s.Globals), func(v *shade.Var) bool { return !slices.Contains(used, v) })
			part.Entry = &shade.Func{Name: "main", Body: []*shade.Stmt{stmt}}
			part.Funcs = []*shade.Func{part.Entry}
			if _, err := Print(&part); err != nil {
				lacks[strings.TrimSuffix(err.Error(), ", which WGSL lacks")] = true
				return nil
			}
			return stmt
		}
		var body []*shade.Stmt
		uses := map[*shade.Var]bool{}
		for _, stmt := range s.Entry.Body {
			member := false
			shade.Walk([]*shade.Stmt{stmt}, func(e *shade.Expr) { member = member || e.Op == shade.Ref && e.Var.Storage == shade.Member })
			if !member && try(stmt) != nil {
				body = append(body, stmt)
				shade.Walk([]*shade.Stmt{stmt}, func(e *shade.Expr) {
					if e.Var != nil {
						uses[e.Var] = true
					}
				})
			}
		}
		s.Entry.Body = body
		s.Globals = slices.DeleteFunc(s.Globals, func(v *shade.Var) bool { return !uses[v] && v.Builtin != shade.Position })
		text, err := Print(s)
		if err != nil {
			lacks[strings.TrimSuffix(err.Error(), ", which WGSL lacks")] = true
			continue
		}
		texts[name] = text.Source
	}
	want := []string{
		"a level of a texture of one dimension", "comparisons in a given level of a texture", "early tests", "geometry shaders", "samples of a texture of integers",
		"the variable clip", "the variable helper", "the variable layer", "the variable point", "the variable primitive", "the variable size", "the variable viewport",
	}
	if got := slices.Sorted(maps.Keys(lacks)); !slices.Equal(got, want) {
		t.Errorf("WGSL lacks %q, expected %q", got, want)
	}
	delete(texts, "layers") // without the layer, nothing is left
	if got := slices.Sorted(maps.Keys(texts)); !slices.Equal(got, []string{"fragment", "vertex"}) {
		t.Errorf("the texts are of %q", got)
	}
	shadetest.Validate(t, texts)
}

// TestExpressions checks where operators need parentheses, and the forms of constants.
func TestExpressions(t *testing.T) {
	v := func(name string, t shade.Type) *shade.Expr { return shade.Value(&shade.Var{Name: name, Type: t}) }
	a, b, c, x := v("a", shade.U32), v("b", shade.I32), v("c", shade.B), v("x", shade.F32)
	apply := shade.Apply
	for _, e := range []struct {
		e    *shade.Expr
		want string
	}{
		{apply(shade.Mul, apply(shade.Add, a, a), a), "(a + a) * a"},
		{apply(shade.Sub, a, apply(shade.Sub, a, a)), "a - (a - a)"},
		{apply(shade.And, apply(shade.And, a, a), apply(shade.Or, a, a)), "a & a & (a | a)"},
		{apply(shade.And, apply(shade.ShiftRight, a, shade.Int32(4)), a), "(a >> 4u) & a"},
		{apply(shade.ShiftLeft, apply(shade.Add, a, a), b), "(a + a) << u32(b)"},
		{apply(shade.LogicAnd, apply(shade.LogicOr, c, c), apply(shade.Lt, a, a)), "(c || c) && a < a"},
		{apply(shade.LogicXor, apply(shade.Lt, x, x), c), "(x < x) != c"},
		{apply(shade.Ne, x, x), "!(x == x)"},
		{apply(shade.Select, apply(shade.Lt, x, x), x, x), "select(x, x, (x < x))"},
		{apply(shade.Neg, apply(shade.Neg, b)), "-(-b)"},
		{shade.Int32(-1 << 31), "i32(-2147483648)"},
		{shade.Int32(-4), "-4i"},
		{shade.Lit(shade.F32, 0x3f800000), "1.0f"},
		{shade.Lit(shade.F32, 0x80000000), "bitcast<f32>(0x80000000u)"},
		{shade.Lit(shade.F32, 0x7fc00000), "bitcast<f32>(isago_zero + 0x7fc00000u)"},
		{shade.Make(shade.Bitcast, shade.I32, a), "i32(a)"},
		{shade.Make(shade.Bitcast, shade.U32, x), "bitcast<u32>(x)"},
		{apply(shade.FindMSB, a), "i32(firstLeadingBit(a))"},
		{v("target", shade.F32), "target_"},
	} {
		p := &printer{Shader: &shade.Shader{}}
		if got := p.expr(e.e).s; got != e.want {
			t.Errorf("%s, expected %s", got, e.want)
		}
	}
}

// TestText reads functions with what WGSL writes in its own way: overloads, parameters that return values, assignments to several
// components, arrays of constants that are not finite, calls of functions of the surroundings in a Select, and Once.
func TestText(t *testing.T) {
	f4, value := shade.F32.Vec(4), shade.Value
	param := func(name string, t shade.Type) *shade.Var {
		return &shade.Var{Name: name, Type: t, Storage: shade.Param}
	}
	a, a4, out, n := param("a", shade.F32), param("a", f4), param("out", f4), param("n", shade.U32)
	out.Out = true
	scalar := &shade.Func{Name: "twice", Params: []*shade.Var{a}, Result: shade.F32, Body: []*shade.Stmt{shadetest.Return(shade.Apply(shade.Add, value(a), value(a)))}}
	vector := &shade.Func{Name: "twice", Params: []*shade.Var{a4}, Result: f4, Body: []*shade.Stmt{shadetest.Return(shade.Apply(shade.Add, value(a4), value(a4)))}}
	given := &shade.Func{Name: "given", Params: []*shade.Var{n}, Result: shade.F32, External: true}
	table := &shade.Var{Name: "table", Type: shade.F32.Array(2), Storage: shade.Const, Bits: []uint64{0x3f800000, 0x7f800000}}
	once, r, two := &shade.Var{Name: "once", Type: f4}, &shade.Var{Name: "r", Type: f4}, shade.F32.Vec(2)
	swap := shade.Make(shade.Construct, two, shade.At(value(table), value(n)), shade.Lit(shade.F32, 0))
	block := &shade.Block{Name: "uniforms", Set: 1, Binding: 2}
	list := &shade.Var{Name: "list", Type: shade.U32.Array(3), Storage: shade.Member, Block: block, Stride: 16}
	last := &shade.Var{Name: "last", Type: shade.U32, Storage: shade.Member, Block: block, Offset: 64}
	block.Members = []*shade.Var{list, last}
	f := &shade.Func{Name: "f", Params: []*shade.Var{n, out}, Locals: []*shade.Var{r}, Body: []*shade.Stmt{
		shadetest.Declare(once, shade.CallOf(vector, shade.Make(shade.Splat, f4, shade.Make(shade.Convert, shade.F32, shade.At(value(list), value(n)))))),
		shadetest.Set(value(r), value(once)),
		shadetest.Set(&shade.Expr{Op: shade.Swizzle, Type: two, Args: []*shade.Expr{value(r)}, Comps: []int{1, 2}}, swap),
		shadetest.Set(&shade.Expr{Op: shade.Swizzle, Type: two, Args: []*shade.Expr{value(r)}, Comps: []int{3, 0}}, swap),
		shadetest.Set(shade.Pick(value(r), 0), shade.Apply(shade.Select, shade.Apply(shade.Eq, value(n), value(last)), shade.CallOf(given, value(n)), shade.CallOf(scalar, shade.Lit(shade.F32, 0)))),
		{Kind: shade.Once, Body: []*shade.Stmt{shadetest.Set(value(out), value(r))}},
	}}
	text, err := Print(&shade.Shader{Header: []string{"A test."}, Blocks: []*shade.Block{block}, Globals: []*shade.Var{table}, Funcs: []*shade.Func{given, scalar, vector, f}, Entry: f})
	if err != nil {
		t.Fatal(err)
	}
	const want = `// A test.

struct uniforms_t {
	@size(64) list: array<vec4<u32>, 3>,
	last: u32,
}
@group(1) @binding(2) var<uniform> uniforms: uniforms_t;

var<private> table = array<u32, 2>(0x3f800000u, 0x7f800000u);
// fn given(n: u32) -> f32;
fn twice(a: f32) -> f32 { return a + a; }
fn twice_vec4(a: vec4<f32>) -> vec4<f32> { return a + a; }

fn f(n: u32, out: ptr<function, vec4<f32>>) {
	var r: vec4<f32>;
	let once = twice_vec4(vec4<f32>(f32(uniforms.list[n].x)));
	r = once;
	r = vec4<f32>(r.x, vec2<f32>(bitcast<f32>(table[n]), 0.0f), r.w);
	{
		let parts = vec2<f32>(bitcast<f32>(table[n]), 0.0f);
		r.w = parts.x;
		r.x = parts.y;
	}
	if n == uniforms.last {
		r.x = given(n);
	} else {
		r.x = twice(0.0f);
	}
	loop {
		(*out) = r;
		break;
	}
}
`
	if text.Source != want {
		t.Errorf("%s\nexpected\n%s", text.Source, want)
	}
	shadetest.Validate(t, map[string]string{"text": strings.Replace(text.Source, "// fn given(n: u32) -> f32;", "fn given(n: u32) -> f32 { return 0.0f; }", 1)})
}
