package translate

import (
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/glsl"
)

// Language is the language of the text.
type Language uint8

// The languages.
const (
	// GLSL is GLSL 4.50 for Vulkan.
	GLSL Language = iota
	// GLSLES is GLSL ES 3.10. It has no 64 bits, so that exp2, log2, sin, cos and fused sums need Options.Approximate.
	GLSLES
)

// String returns the name of the language.
func (l Language) String() string { return [...]string{"GLSL", "GLSL ES"}[l] }

// has64 reports whether a language has floats and integers of 64 bits.
func (l Language) has64() bool { return l == GLSL }

// print prints a shader.
func (l Language) print(x *shade.Shader) (*glsl.Text, error) {
	dialect := glsl.Vulkan450
	if l == GLSLES {
		dialect = glsl.ES310
	}
	text, err := glsl.Print(x, dialect)
	if err != nil {
		return nil, &Refusal{NoAddr, err.Error()}
	}
	return text, nil
}
