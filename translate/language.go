package translate

import (
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/glsl"
	"github.com/isago/isago/internal/shade/spirv"
)

// Language is the language of the text.
type Language uint8

// The languages.
const (
	// GLSL is GLSL 4.50 for Vulkan.
	GLSL Language = iota
	// GLSLES is GLSL ES 3.10. It has no 64 bits, so that exp2, log2, sin, cos and fused sums need Options.Approximate.
	GLSLES
	// SPIRV is a SPIR-V 1.3 module for Vulkan 1.1, whose entry point is main. It is no Function, because Vulkan links no modules,
	// and has no Plain uniforms.
	SPIRV
)

// String returns the name of the language.
func (l Language) String() string { return [...]string{"GLSL", "GLSL ES", "SPIR-V"}[l] }

// has64 reports whether a language has floats and integers of 64 bits.
func (l Language) has64() bool { return l != GLSLES }

// print prints a shader. program is the function whose lines are counted.
func (l Language) print(x *shade.Shader, program *shade.Func, t *Text) error {
	if l == SPIRV {
		module, err := spirv.Write(x)
		if err != nil {
			return &Refusal{NoAddr, err.Error()}
		}
		t.Module = module
		return nil
	}
	dialect := glsl.Vulkan450
	if l == GLSLES {
		dialect = glsl.ES310
	}
	text, err := glsl.Print(x, dialect)
	if err != nil {
		return &Refusal{NoAddr, err.Error()}
	}
	t.Source, t.Lines = text.Source, text.Lines[program]
	return nil
}
