package translate_test

import (
	"testing"

	"github.com/isago/isago/internal/vulkan"
	"github.com/isago/isago/translate"
)

// stages are examples in the shapes of their stages.
var stages = []struct {
	example
	shape translate.Shape
	stage string
}{
	{example{"a2xx/light.vs.bin", "a2xx", "vs"}, translate.Vertex, "vert"},
	{example{"a2xx/lights.vs.bin", "a2xx", "vs"}, translate.Vertex, "vert"},
	{example{"a2xx/calls.vs.bin", "a2xx", "vs"}, translate.Vertex, "vert"},
	{example{"a2xx/choices.fs.bin", "a2xx", "fs"}, translate.Fragment, "frag"},
	{example{"a2xx/textures.fs.bin", "a2xx", "fs"}, translate.Fragment, "frag"},
	{example{"pica200/points.shbin", "pica200", ""}, translate.Geometry, "geom"},
}

// TestStages compiles and validates examples in the shapes of their stages, in each language.
func TestStages(t *testing.T) {
	device := vulkan.Open(t)
	for _, e := range stages {
		for _, language := range []translate.Language{translate.GLSL, translate.SPIRV} {
			text, err := translate.Translate(t.Context(), e.launch(t), translate.Options{Language: language, Shape: e.shape})
			if err != nil {
				t.Errorf("%s: %v", e.file, err)
				continue
			}
			if language == translate.SPIRV {
				_, err = device.Validate(text.Module)
			} else {
				_, err = device.Compile(text.Source, e.stage)
			}
			if err != nil {
				t.Errorf("%s as %s: %v\n%s", e.file, language, err, text.Source)
			}
		}
	}
}
