package translate_test

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/vulkan"
	"github.com/isago/isago/translate"
)

// interfaceOf returns the declarations of a text outside of functions, one per line, with the lines that declare uniforms.
func interfaceOf(t *testing.T, e example, o translate.Options) (uniforms []string, rest string, text *translate.Text) {
	t.Helper()
	text, err := translate.Translate(t.Context(), e.launch(t), o)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.Source) {
		switch trimmed := strings.TrimSpace(line); {
		case strings.Contains(line, "uniform") || strings.HasPrefix(trimmed, "layout(offset"):
			uniforms = append(uniforms, trimmed)
		case strings.HasPrefix(line, "spirv_") || strings.HasPrefix(line, "#extension") || strings.HasPrefix(line, "//"), trimmed == "};", trimmed == "":
		default:
			rest += line
		}
	}
	return uniforms, rest, text
}

// TestUniformForms compiles each form of the uniforms. The forms differ only in the declarations.
func TestUniformForms(t *testing.T) {
	device := vulkan.Open(t)
	light := examples[0]
	block, want, _ := interfaceOf(t, light, translate.Options{Shape: translate.Vertex, Name: "light", Set: 1, Binding: 3})
	if got := block[0]; got != "layout(std140, set = 1, binding = 3) uniform light_uniforms {" {
		t.Errorf("the block starts with %s", got)
	}
	push, rest, text := interfaceOf(t, light, translate.Options{Shape: translate.Vertex, Name: "light", Uniforms: translate.Push})
	if rest != want || push[0] != "layout(std140, push_constant) uniform light_uniforms {" || push[1] != block[1] {
		t.Errorf("push constants:\n%s", text.Source)
	}
	if _, err := device.Compile(text.Source, "vert"); err != nil {
		t.Error(err)
	}
	plain, rest, text := interfaceOf(t, light, translate.Options{Shape: translate.Vertex, Name: "light", Uniforms: translate.Plain})
	if rest != want || plain[0] != "uniform vec4 projection[4];" || len(plain) != len(block)-1 {
		t.Errorf("plain uniforms:\n%s", text.Source)
	}
	file := filepath.Join(t.TempDir(), "light.vert")
	if err := os.WriteFile(file, []byte(text.Source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("glslangValidator", "-G", "--auto-map-locations", "-o", os.DevNull, file).CombinedOutput(); err != nil {
		t.Errorf("OpenGL: %s", out)
	}
}

// TestLocations checks the places of inputs and outputs. light.shbin has the inputs v0 to v3, and the outputs o0 to o2.
func TestLocations(t *testing.T) {
	places := func(list []translate.Binding) (s string) {
		for _, b := range list {
			s += b.Name + string(rune('0'+b.Location)) + " "
		}
		return s
	}
	for _, x := range []struct {
		o               translate.Options
		inputs, outputs string
	}{
		{translate.Options{}, "position0 normal1 color2 texcoord3 ", "out_position0 out_color1 texcoord02 "},
		{translate.Options{Locations: map[string]int{"normal": 0, "texcoord": 1, "out_color": 7}}, "position2 normal0 color3 texcoord1 ", "out_position0 out_color7 texcoord01 "},
		{translate.Options{Registers: true}, "v00 v11 v22 v33 ", "o00 o11 o22 "},
	} {
		_, _, text := interfaceOf(t, examples[0], x.o)
		if got := places(text.Inputs); got != x.inputs {
			t.Errorf("%+v: inputs %s, expected %s", x.o, got, x.inputs)
		}
		if got := places(text.Outputs); got != x.outputs {
			t.Errorf("%+v: outputs %s, expected %s", x.o, got, x.outputs)
		}
	}
	var refusal *translate.Refusal
	_, err := translate.Translate(t.Context(), examples[0].launch(t), translate.Options{Locations: map[string]int{"normal": 0, "color": 0}})
	if !errors.As(err, &refusal) || refusal.Reason != "normal and color have the location 0" {
		t.Errorf("the error is %v", err)
	}
}

// TestRegisters checks that the interface does not depend on the program: the uniforms are the whole register files c and b.
// The program does not read the file i of 4 registers between them.
func TestRegisters(t *testing.T) {
	uniforms, _, text := interfaceOf(t, examples[0], translate.Options{Registers: true})
	if got, want := strings.Join(uniforms[1:], " "), "layout(offset = 0) vec4 c[96]; layout(offset = 1600) uint b[16];"; got != want {
		t.Errorf("uniforms %s, expected %s\n%s", got, want, text.Source)
	}
}

// modesOf returns the execution modes of SPV_KHR_float_controls in a module, sorted, each with a width.
func modesOf(module []byte) (list [][2]uint32) {
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(module[4*i:]) }
	const executionMode = 16 // the opcode
	for i := 5; i < len(module)/4; i += int(word(i) >> 16) {
		if word(i)&0xffff == executionMode && word(i+2) >= 4459 {
			list = append(list, [2]uint32{word(i + 2), word(i + 3)})
		}
	}
	slices.SortFunc(list, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	return list
}

// TestDemand checks the execution modes of GLSL and SPIR-V. Floats of 64 bits have modes of their own, which GLSL cannot state.
func TestDemand(t *testing.T) {
	device := vulkan.Open(t)
	const denormals, specials, nearest = 4459, 4461, 4462 // the numbers in SPV_KHR_float_controls
	for demand, modes := range map[translate.Demand][]uint32{
		translate.DemandRounding: {specials, nearest}, translate.DemandDenormals: {denormals, specials, nearest}, translate.DemandNothing: nil,
	} {
		for _, e := range []example{{"pica200/light.shbin", "pica200", ""}, {"tegra/wave.vp", "tegra", ""}} {
			o := translate.Options{Shape: translate.Vertex, Demand: demand}
			text, err := translate.Translate(t.Context(), e.launch(t), o)
			if err != nil {
				t.Fatal(err)
			}
			var narrow, all [][2]uint32
			for _, m := range modes {
				narrow = append(narrow, [2]uint32{m, 32})
				if all = append(all, [2]uint32{m, 32}); text.Doubles {
					all = append(all, [2]uint32{m, 64})
				}
			}
			if text.Doubles != (e.machine == "tegra") {
				t.Errorf("%s: 64 bits: %v", e.file, text.Doubles)
			}
			file, err := device.Compile(text.Source, "vert")
			if err != nil {
				t.Fatal(err)
			}
			compiled, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			o.Language = translate.SPIRV
			module, err := translate.Translate(t.Context(), e.launch(t), o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := device.Validate(module.Module); err != nil {
				t.Error(err)
			}
			if a, b := modesOf(compiled), modesOf(module.Module); !slices.Equal(a, narrow) || !slices.Equal(b, all) {
				t.Errorf("%s: GLSL has the modes %v, expected %v; SPIR-V %v, expected %v", e.file, a, narrow, b, all)
			}
			for name, is := range map[string]bool{"Denormals are exact only": demand != translate.DemandDenormals, "It has no execution modes": demand == translate.DemandNothing, "for 64 bits too": text.Doubles && demand != translate.DemandNothing} {
				if strings.Contains(text.Source, name) != is {
					t.Errorf("%s: %q is in the header: %v", e.file, name, !is)
				}
			}
		}
	}
}

// TestComments checks the comments of instructions that compute nothing: a branch precedes its condition, and a move precedes the
// output that it writes.
func TestComments(t *testing.T) {
	l := examples[0].launch(t)
	text, err := translate.Translate(t.Context(), l, translate.Options{Comment: comments(t, l)})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\t// 0x0050  ifu b0, 22, 1\n\tif (useVertexColor != 0u) {\n",
		"\t// 0x005c  mov o2.xy, v3\n\ttexcoord0.xy = texcoord.xy;\n",
	} {
		if !strings.Contains(text.Source, want) {
			t.Errorf("the text does not contain\n%s\n%s", want, text.Source)
		}
	}
}
