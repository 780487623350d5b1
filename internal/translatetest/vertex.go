package translatetest

import (
	"fmt"
	"strings"

	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/vulkan"
	"github.com/isago/isago/translate"
)

// attributes returns the attributes of a vertex shader.
func attributes(text *translate.Text) (list []vulkan.Attribute) {
	for _, b := range text.Inputs {
		for n := range b.Count {
			if b.Builtin != "" {
				continue
			}
			list = append(list, vulkan.Attribute{Location: b.Location + n, Components: b.Components, Kind: b.Type[0]})
		}
	}
	return list
}

// geometry returns a geometry shader that writes the outputs of a vertex shader. The first word of a vertex says whether
// gl_Position has the bits of the output that the shader assigns to it.
func geometry(text *translate.Text) string {
	var w, body strings.Builder
	w.WriteString(`#version 450
layout(points) in;
layout(points, max_vertices = 1) out;
layout(std430, binding = 1) writeonly buffer test_results { uint test_out[]; };
uint test_bits(float x) { return floatBitsToUint(x); }
uint test_bits(uint x) { return x; }
uint test_bits(int x) { return uint(x); }
`)
	position := ""
	shade.Walk(text.Shader(inside.Key{}).Entry.Body, func(e *shade.Expr) {
		if e.Op == shade.Ref && e.Var.Storage == shade.Output && e.Var.Builtin == shade.NotBuiltin {
			position = e.Var.Name
		}
	})
	at, size, same := 1, 1, "true"
	for _, b := range text.Outputs {
		size += b.Components
	}
	for i, b := range text.Outputs {
		t, vector := types(b.Type)
		if b.Components > 1 {
			t = fmt.Sprint(vector, b.Components)
		}
		name := fmt.Sprintf("o%d[0]", i)
		switch b.Builtin {
		case "":
			fmt.Fprintf(&w, "layout(location = %d) in %s o%d[];\n", b.Location, t, i)
		case "position":
			name = "gl_in[0].gl_Position"
		case "point-size":
			name = "vec4(gl_in[0].gl_PointSize)"
		}
		for k := range 4 {
			v := []string{"0.0", "0.0", "0.0", "1.0"}[k]
			if k < b.Components {
				v = name
				if b.Components > 1 {
					v += "." + "xyzw"[k:k+1]
				}
				fmt.Fprintf(&body, "\ttest_out[gl_PrimitiveIDIn * %d + %d] = test_bits(%s);\n", size, at, v)
				at++
			}
			if b.Name == position {
				same += fmt.Sprintf(" && test_bits(gl_in[0].gl_Position.%c) == test_bits(%s)", "xyzw"[k], v)
			}
		}
	}
	fmt.Fprintf(&w, "void main() {\n\ttest_out[gl_PrimitiveIDIn * %d] = uint(%s);\n%s}\n", size, same, body.String())
	return w.String()
}
