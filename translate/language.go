package translate

import (
	"context"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/glsl"
	"github.com/isago/isago/internal/shade/spirv"
	"github.com/isago/isago/internal/shade/wgsl"
)

// Language is the language of the text.
type Language uint8

// The languages.
const (
	// GLSL is GLSL 4.50 for Vulkan.
	GLSL Language = iota
	// GLSLES is GLSL ES 3.10, and 3.20 for a Geometry shader. It has no values of 64 bits: each is a uvec2, and functions of the text
	// compute with it.
	GLSLES
	// SPIRV is a SPIR-V 1.3 module for Vulkan 1.1, whose entry point is main. It is no Function, because Vulkan links no modules,
	// and has no Plain uniforms.
	SPIRV
	// WGSL is the language of WebGPU. It has no values of 64 bits either, and lets devices assume that there are no infinities and NaN,
	// flush denormals and fuse products and sums. It has no Push and no Plain uniforms.
	WGSL
	// HLSL is the language of Direct3D, for a Vertex, Fragment or Compute shader. The program spirv-cross of the user makes it of
	// the SPIR-V module: its bits were not compared. It has neither Push nor Plain uniforms. It is for
	// shader model 5.1, or 6.0 if it has integers of 64 bits. In a text with floats of 64 bits, all values of 64 bits are pairs, as in
	// GLSL ES. Binding n of a set is the register n of the space with the number
	// of the set: b for uniforms and parameters, t and s for a texture and its sampler, t for a buffer that is only read, and u
	// for other buffers. Location n is the semantic TEXCOORD n, or SV_Target n of a Fragment shader.
	HLSL
)

// The names of languages, shapes, forms of uniforms and demands.
var (
	languages    = [...]string{GLSL: "glsl", GLSLES: "glsl-es", SPIRV: "spirv", WGSL: "wgsl", HLSL: "hlsl"}
	shapes       = [...]string{Function: "function", Vertex: "vertex", Fragment: "fragment", Geometry: "geometry", Compute: "compute"}
	uniformForms = [...]string{Block: "block", Push: "push", Plain: "plain"}
	demands      = [...]string{DemandRounding: "rounding", DemandDenormals: "denormals", DemandNothing: "nothing"}
)

// Languages returns all languages.
func Languages() []Language { return all[Language](len(languages)) }

// Shapes returns all shapes.
func Shapes() []Shape { return all[Shape](len(shapes)) }

// UniformForms returns all forms of uniforms.
func UniformForms() []UniformForm { return all[UniformForm](len(uniformForms)) }

// Dimensions returns the names of all dimensions of textures.
func Dimensions() (names []string) {
	for _, d := range dimensions {
		names = append(names, d.name)
	}
	return names
}

// Demands returns all demands.
func Demands() []Demand { return all[Demand](len(demands)) }

func all[T ~uint8](n int) (list []T) {
	for i := range n {
		list = append(list, T(i))
	}
	return list
}

// String returns the name of the language, such as glsl-es.
func (l Language) String() string { return languages[l] }

// String returns the name of the shape, such as function.
func (s Shape) String() string { return shapes[s] }

// String returns the name of the form, such as block.
func (u UniformForm) String() string { return uniformForms[u] }

// String returns the name of the demand, such as rounding.
func (d Demand) String() string { return demands[d] }

// Extension returns the usual extension of a file with a text, such as .vert.
func (o Options) Extension() string {
	extension := [...]string{Function: ".glsl", Vertex: ".vert", Fragment: ".frag", Geometry: ".geom", Compute: ".comp"}[o.Shape]
	switch o.Language {
	case SPIRV:
		extension += ".spv"
	case WGSL:
		extension = ".wgsl"
	case HLSL:
		extension += ".hlsl"
	}
	return extension
}

// Bytes returns the contents of a file with the text: Source or Module.
func (t *Text) Bytes() []byte {
	if t.Language == SPIRV {
		return t.Module
	}
	return []byte(t.Source)
}

// lacks reports whether a language lacks floats of 64 bits, if the text needs them, or integers of 64 bits likewise. Pairs of 32 bits
// then replace them.
func (l Language) lacks(doubles, integers bool) bool {
	switch l {
	case GLSL, SPIRV:
		return false
	case HLSL:
		return doubles
	}
	return doubles || integers
}

// prototype returns the declaration of a function.
func (l Language) prototype(f *shade.Func) string {
	if l == WGSL {
		return wgsl.Prototype(f)
	}
	return glsl.Prototype(f)
}

// print prints a shader. program is the function whose lines are counted.
func (l Language) print(ctx context.Context, x *shade.Shader, program *shade.Func, t *Text) error {
	var err error
	switch l {
	case SPIRV:
		t.Module, err = spirv.Write(x)
	case HLSL:
		err = t.hlsl(ctx, x)
	case WGSL:
		var text *wgsl.Text
		if text, err = wgsl.Print(x); err == nil {
			t.Source, t.Lines = text.Source, text.Lines[program]
		}
	default:
		var text *glsl.Text
		if text, err = glsl.Print(x, map[Language]glsl.Dialect{GLSL: glsl.Vulkan450, GLSLES: glsl.ES}[l]); err == nil {
			t.Source, t.Lines = text.Source, text.Lines[program]
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &Refusal{NoAddr, err.Error()}
	}
	return nil
}
