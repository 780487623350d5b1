package translatetest

import (
	"math"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/shadetest"
	"github.com/isago/isago/translate"
)

// TextureSize is the size of textures, in texels along each side.
const TextureSize = 4

// Texel is the host callback that returns what textures contain in a comparison of fragment shaders: numbers made of the bits of
// the coordinates, of the number of the texture and of the level of detail.
func Texel(c *exec.Call) {
	at, offset := c.Arg("at"), c.Arg("offset")
	for lane := range exec.Lanes {
		sum := uint32(c.Arg("number")[0][lane])
		for k := range 2 {
			x := math.Float32frombits(uint32(at[k][lane]))
			x += float32(math.Float32frombits(uint32(offset[k][lane])) / TextureSize)
			sum = sum*31 + math.Float32bits(x)
		}
		if c.Arg("given")[0][lane] != 0 {
			sum = sum*31 + uint32(c.Arg("lod")[0][lane])
		}
		for k := range c.Results {
			c.Results[k][lane] = uint64((sum+uint32(k))&0x7fffff | 0x3f800000)
		}
	}
}

// fragment returns a compute shader that does what a fragment shader does for each lane. Its textures have two dimensions.
func fragment(text *translate.Text) *shade.Shader {
	s := *text.Shader(inside.Key{})
	in, inputs := shadetest.Buffer("test_in", 0)
	out, outputs := shadetest.Buffer("test_out", 1)
	in.ReadOnly, out.WriteOnly = true, true
	id := &shade.Var{Name: "test_id", Type: shade.U32.Vec(3), Storage: shade.Input, Builtin: shade.GlobalID}
	program := s.Funcs[len(s.Funcs)-2]
	s.Stage, s.LocalSize, s.Blocks = shade.Compute, [3]int{64, 1, 1}, append([]*shade.Block{in, out}, s.Blocks...)
	number := func(n int) *shade.Expr { return shade.Uint32(uint32(n)) }
	word := func(buffer *shade.Expr, size, n int) *shade.Expr {
		lane := shade.Pick(shade.Value(id), 0)
		return shade.At(buffer, shade.Apply(shade.Add, shade.Apply(shade.Mul, lane, number(size)), number(n)))
	}
	main := &shade.Func{Name: "main"}
	globals := []*shade.Var{id}
	byName := map[string]*shade.Expr{}
	for _, v := range s.Globals {
		if v.Builtin != shade.NotBuiltin || v.Storage == shade.Sampled {
			continue
		}
		globals = append(globals, v)
		if v.Storage == shade.Input || v.Storage == shade.Output {
			byName[v.Name], v.Storage, v.Precise = shade.Value(v), shade.Private, false
		}
	}
	s.Globals = globals
	size, at := 0, 0
	for _, b := range text.Inputs {
		size += b.Components
	}
	for _, b := range text.Inputs {
		v := byName[b.Name]
		var parts []*shade.Expr
		for range b.Components {
			parts = append(parts, shadetest.FromWords(v.Type.Scalar(), func() *shade.Expr { at++; return word(inputs, size, at-1) }))
		}
		main.Body = append(main.Body, shadetest.Set(v, shadetest.Vector(v.Type, parts)))
	}
	call := shade.CallOf(program)
	for _, p := range program.Params {
		v := &shade.Var{Name: p.Name, Type: p.Type}
		main.Locals, byName[p.Name] = append(main.Locals, v), shade.Value(v)
		call.Args = append(call.Args, shade.Value(v))
	}
	main.Body = append(main.Body, &shade.Stmt{Kind: shade.Do, Value: call})
	size, at = 1, 1
	for _, b := range text.Outputs {
		size += b.Components
	}
	main.Body = append(main.Body, shadetest.Set(word(outputs, size, 0), number(1)))
	for _, b := range text.Outputs {
		for k := range b.Components {
			main.Body = append(main.Body, shadetest.Set(word(outputs, size, at), shadetest.ToWords(shadetest.Part(byName[b.Name], k))[0]))
			at++
		}
	}
	texels := map[*shade.Var]*shade.Func{}
	for _, t := range text.Textures {
		for _, v := range text.Shader(inside.Key{}).Globals {
			if v.Name == t.Name {
				texels[v] = texel(v.Name, t.Number)
				s.Funcs = append([]*shade.Func{texels[v]}, s.Funcs...)
			}
		}
	}
	for _, f := range s.Funcs {
		shade.Walk(f.Body, func(e *shade.Expr) {
			f := texels[e.Var]
			switch {
			case f == nil:
			case e.Op == shade.Size:
				*e = shade.Expr{Op: shade.Literal, Type: e.Type, Bits: []uint64{TextureSize, TextureSize}}
			default:
				level, given := shade.Lit(shade.F32, 0), shade.Lit(shade.B, 0)
				if e.Op == shade.SampleLod {
					level, given = e.Args[1], shade.Lit(shade.B, 1)
				}
				*e = *shade.CallOf(f, e.Args[0], level, given)
			}
		})
	}
	s.Entry = main
	s.Funcs[len(s.Funcs)-1] = main
	return &s
}

// texel returns the function that does what Texel does.
func texel(name string, number int) *shade.Func {
	at := &shade.Var{Name: "at", Type: shade.F32.Vec(2), Storage: shade.Param}
	level := &shade.Var{Name: "level", Type: shade.F32, Storage: shade.Param}
	given := &shade.Var{Name: "given", Type: shade.B, Storage: shade.Param}
	next := func(sum, x *shade.Expr) *shade.Expr {
		return shade.Apply(shade.Add, shade.Apply(shade.Mul, sum, shade.Uint32(31)), shade.Make(shade.Bitcast, shade.U32, x))
	}
	sum := next(next(shade.Uint32(uint32(number)), shade.Pick(shade.Value(at), 0)), shade.Pick(shade.Value(at), 1))
	sum = shade.Apply(shade.Select, shade.Value(given), next(sum, shade.Value(level)), sum)
	value := shade.Make(shade.Construct, shade.F32.Vec(4))
	for k := range 4 {
		bits := shade.Apply(shade.And, shade.Apply(shade.Add, sum, shade.Uint32(uint32(k))), shade.Uint32(0x7fffff))
		value.Args = append(value.Args, shade.Make(shade.Bitcast, shade.F32, shade.Apply(shade.Or, bits, shade.Uint32(0x3f800000))))
	}
	return &shade.Func{Name: name + "_texel", Params: []*shade.Var{at, level, given}, Result: shade.F32.Vec(4), Body: []*shade.Stmt{shadetest.Return(value)}}
}
