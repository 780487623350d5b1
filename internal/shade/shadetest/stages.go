package shadetest

import (
	"fmt"

	"github.com/isago/isago/internal/shade"
)

// Stages returns a shader of each stage, with all builtins, textures and statements that its stage has.
func Stages() map[string]*shade.Shader {
	f, f2, f4, i := shade.F32, shade.F32.Vec(2), shade.F32.Vec(4), shade.I32
	in := func(name string, t shade.Type, location int) *shade.Var {
		return &shade.Var{Name: name, Type: t, Storage: shade.Input, Location: location}
	}
	out := func(name string, t shade.Type, location int) *shade.Var {
		return &shade.Var{Name: name, Type: t, Storage: shade.Output, Location: location}
	}
	builtin := func(v *shade.Var, b shade.Builtin) *shade.Var {
		v.Builtin = b
		return v
	}
	list := map[string]*shade.Shader{}
	add := func(name string, s *shade.Shader, body ...*shade.Stmt) {
		s.Entry = &shade.Func{Name: "main", Body: body}
		s.Funcs = append(s.Funcs, s.Entry)
		list[name] = s
	}
	value := shade.Value
	number := func(v *shade.Var) *shade.Expr { return shade.Make(shade.Convert, f, value(v)) }

	vertexIndex, instance := builtin(in("vertex", i, 0), shade.VertexIndex), builtin(in("instance", i, 0), shade.InstanceIndex)
	attribute, many := in("given", f4, 0), in("many", f2.Array(2), 1)
	position, size := builtin(out("position", f4, 0), shade.Position), builtin(out("size", f, 0), shade.PointSize)
	clip := builtin(out("clip", f.Array(2), 0), shade.ClipDistance)
	color, flat := out("color", f4, 0), out("number", i, 1)
	flat.Interpolation, color.Interpolation, color.Centroid = shade.Flat, shade.NoPerspective, true
	push := &shade.Block{Kind: shade.PushConstants, Name: "push"}
	pushed := &shade.Var{Name: "pushed", Type: f4.Array(2), Storage: shade.Member, Block: push, Stride: 16, Offset: 16}
	push.Members = []*shade.Var{pushed}
	add("vertex", &shade.Shader{Stage: shade.Vertex, Blocks: []*shade.Block{push}, Globals: []*shade.Var{vertexIndex, instance, attribute, many, position, size, clip, color, flat}},
		Set(value(position), shade.Apply(shade.Add, value(attribute), shade.At(value(pushed), shade.Uint32(1)))),
		Set(shade.Pick(value(position), 3), number(vertexIndex)),
		Set(value(size), shade.Lit(f, 0x3f800000)),
		Set(shade.At(value(clip), shade.Uint32(1)), shade.Pick(shade.At(value(many), shade.Uint32(1)), 0)),
		Set(value(color), value(attribute)),
		Set(value(flat), value(instance)))
	layer := builtin(out("layer", i, 0), shade.Layer)
	add("layers", &shade.Shader{Stage: shade.Vertex, Globals: []*shade.Var{layer}}, Set(value(layer), shade.Int32(1)))

	var globals []*shade.Var
	var body []*shade.Stmt
	sum := &shade.Var{Name: "sum", Type: f4}
	total := value(sum)
	more := func(e *shade.Expr) {
		if e.Type.N == 0 {
			e = shade.Make(shade.Splat, f4, e)
		}
		body = append(body, Set(total, shade.Apply(shade.Add, total, e)))
	}
	body = append(body, Declare(sum, shade.Make(shade.Splat, f4, shade.Lit(f, 0))))
	varying, steady := in("place", f4, 0), in("steady", i, 1)
	varying.Interpolation, varying.Centroid = shade.NoPerspective, true
	globals = append(globals, varying, steady)
	more(value(varying))
	more(number(steady))
	for _, b := range []struct {
		name string
		t    shade.Type
		b    shade.Builtin
	}{{"coordinate", f4, shade.FragCoord}, {"front", shade.B, shade.FrontFacing}, {"point", f2, shade.PointCoord}, {"helper", shade.B, shade.HelperInvocation}, {"sample", i, shade.SampleID}, {"primitive", i, shade.PrimitiveID}, {"layer", i, shade.Layer}, {"viewport", i, shade.ViewportIndex}} {
		v := builtin(in(b.name, b.t, 0), b.b)
		globals = append(globals, v)
		switch {
		case b.t.Kind != shade.Float:
			more(number(v))
		case b.t.N == 2:
			more(shade.Pick(value(v), 0, 1, 1, 0))
		default:
			more(value(v))
		}
	}
	at := value(varying)
	for k, x := range []struct {
		dim             shade.Dim
		arrayed, shadow bool
		of              shade.Kind
		comps           int
	}{{shade.Dim1, false, false, shade.Float, 1}, {shade.Dim2, false, false, shade.Float, 2}, {shade.Dim3, false, false, shade.Float, 3}, {shade.Cube, false, false, shade.Float, 3},
		{shade.Dim2, true, false, shade.Float, 3}, {shade.Cube, true, false, shade.Float, 4}, {shade.Dim2, false, true, shade.Float, 3}, {shade.Cube, false, true, shade.Float, 4}, {shade.Dim2, false, false, shade.Uint, 2}} {
		v := &shade.Var{Name: fmt.Sprint("texture", k), Type: shade.Type{Kind: shade.Texture, Dim: x.dim, Arrayed: x.arrayed, Shadow: x.shadow, Of: x.of}, Storage: shade.Sampled, Set: 1, Binding: k, SamplerBinding: 16 + k}
		globals = append(globals, v)
		texel := shade.Type{Kind: x.of, Width: 32, N: 4}
		if x.shadow {
			texel = f
		}
		comps := []int{0, 1, 2, 3}[:x.comps]
		coordinate := shade.Pick(at, comps...)
		derivative := coordinate // of the image, which has no layer and no reference
		dims := map[shade.Dim]int{shade.Dim1: 1, shade.Dim2: 2, shade.Dim3: 3, shade.Cube: 3}[x.dim]
		if dims < x.comps {
			derivative = shade.Pick(at, comps[:dims]...)
		}
		use := func(op shade.Op, t shade.Type, args ...*shade.Expr) {
			e := &shade.Expr{Op: op, Type: t, Args: args, Var: v}
			if t.Kind != shade.Float {
				e = shade.Make(shade.Convert, f.Vec(int(t.N)), e)
			}
			if e.Type.N == 2 || e.Type.N == 3 {
				e = shade.Pick(e, 0)
			}
			more(e)
		}
		use(shade.Sample, texel, coordinate)
		use(shade.SampleBias, texel, coordinate, shade.Pick(at, 3))
		use(shade.SampleLod, texel, coordinate, shade.Pick(at, 3))
		use(shade.SampleGrad, texel, coordinate, derivative, derivative)
		if x.dim != shade.Cube && !x.shadow {
			whole := shade.Make(shade.Convert, i.Vec(x.comps), coordinate)
			use(shade.Fetch, texel, whole, shade.Int32(0))
		}
		sizes := dims
		if x.dim == shade.Cube {
			sizes = 2
		}
		if x.arrayed {
			sizes++
		}
		use(shade.Size, i.Vec(sizes), shade.Int32(0))
	}
	more(shade.Apply(shade.DerivX, at))
	more(shade.Apply(shade.DerivY, at))
	target, depth := out("target", f4, 0), builtin(out("depth", f, 0), shade.FragDepth)
	globals = append(globals, target, depth)
	body = append(body, If(shade.Apply(shade.Lt, shade.Pick(total, 0), shade.Lit(f, 0)), &shade.Stmt{Kind: shade.Discard}),
		Set(value(target), total), Set(value(depth), shade.Pick(total, 1)))
	add("fragment", &shade.Shader{Stage: shade.Fragment, Globals: globals, EarlyTests: false}, body...)
	add("early", &shade.Shader{Stage: shade.Fragment, Globals: []*shade.Var{target}, EarlyTests: true}, Set(value(target), shade.Make(shade.Splat, f4, shade.Lit(f, 0))))

	corners := builtin(in("corners", f4.Array(3), 0), shade.Position)
	colors, to := in("colors", f4.Array(3), 0), builtin(out("position", f4, 0), shade.Position)
	primitive, view := builtin(out("primitive", i, 0), shade.PrimitiveID), builtin(out("view", i, 0), shade.ViewportIndex)
	toLayer := builtin(out("layer", i, 0), shade.Layer)
	add("geometry", &shade.Shader{Stage: shade.Geometry, From: shade.Triangles, To: shade.TriangleStrip, MaxVertices: 3, Globals: []*shade.Var{corners, colors, to, primitive, view, toLayer, size}},
		Set(value(to), shade.Apply(shade.Add, shade.At(value(corners), shade.Uint32(0)), shade.At(value(colors), shade.Uint32(2)))),
		Set(value(primitive), shade.Int32(0)), Set(value(view), shade.Int32(0)), Set(value(toLayer), shade.Int32(0)), Set(value(size), shade.Lit(f, 0x3f800000)),
		&shade.Stmt{Kind: shade.EmitVertex}, &shade.Stmt{Kind: shade.EndPrimitive})
	return list
}
