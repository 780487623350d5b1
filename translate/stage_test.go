package translate_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	osexec "os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/shade/shadetest"
	"github.com/isago/isago/internal/translatetest"
	"github.com/isago/isago/internal/vulkan"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/translate"
)

// stages are examples in the shapes of their stages.
var stages = func() (list []stage) {
	for _, e := range examples {
		x := stage{e, translate.Vertex, "vert"}
		if e.stage == "fs" {
			x.shape, x.extension = translate.Fragment, "frag"
		}
		list = append(list, x)
	}
	return append(list, stage{example{"pica200/points.shbin", "pica200", ""}, translate.Geometry, "geom"})
}()

// ofMachine returns the examples of a machine in a shape.
func ofMachine(machine string, shape translate.Shape) []stage {
	return slices.DeleteFunc(slices.Clone(stages), func(x stage) bool { return x.machine != machine || x.shape != shape })
}

// stage is an example in a shape.
type stage struct {
	example
	shape     translate.Shape
	extension string
}

// TestStages compiles and validates examples in the shapes of their stages, in each language. spirv-cross converts the modules to GLSL
// ES.
func TestStages(t *testing.T) {
	device := vulkan.Open(t)
	if _, err := osexec.LookPath("spirv-cross"); err != nil {
		t.Skip("SKIPPED: spirv-cross is not installed (apt-get install spirv-cross)")
	}
	texts := map[string]string{}
	for _, e := range stages {
		for _, language := range translate.Languages() {
			o := translate.Options{Language: language, Shape: e.shape}
			o.Approximate = language != translate.GLSL && slices.Contains(transcendental, e.file)
			text, err := translate.Translate(t.Context(), e.launch(t), o)
			if language == translate.WGSL && e.shape == translate.Geometry {
				if want := "cannot be translated: geometry shaders, which WGSL lacks"; err == nil || err.Error() != want {
					t.Errorf("%s: the error is %v, expected %s", e.file, err, want)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s as %s: %v", e.file, language, err)
				continue
			}
			if text.Approximate != nil != o.Approximate || o.Approximate && text.Source != "" && !strings.Contains(text.Source, "by at most: "+text.Approximate[0]) {
				t.Errorf("%s: approximate: %q\n%s", e.file, text.Approximate, text.Source)
			}
			switch language {
			case translate.WGSL:
				texts[strings.ReplaceAll(e.file, "/", "-")] = text.Source
			case translate.GLSLES:
				err = device.CompileES(text.Source, e.extension)
			case translate.GLSL:
				_, err = device.Compile(text.Source, e.extension)
			case translate.SPIRV:
				var module, source string
				if module, err = device.Validate(text.Module); err == nil {
					if source, err = vulkan.Cross(module, e.shape == translate.Geometry); err == nil {
						err = device.CompileES(source, e.extension)
					}
				}
			}
			if err != nil {
				t.Errorf("%s as %s: %v\n%s", e.file, language, err, text.Source)
			}
		}
	}
	shadetest.Validate(t, texts)
}

// TestFetches compares vertex programs that compute the addresses of their attributes with the plain engine: the vertex shader
// gets its number from the device, and the bytes from a storage buffer.
func TestFetches(t *testing.T) {
	x := translatetest.Open(t)
	for _, e := range ofMachine("a2xx", translate.Vertex) {
		l := e.launch(t)
		o := translate.Options{Shape: translate.Vertex, Binding: 2}
		for _, o.Language = range []translate.Language{translate.GLSL, translate.SPIRV} {
			text, err := translate.Translate(t.Context(), l, o)
			if err != nil {
				t.Fatalf("%s: %v", e.file, err)
			}
			before, after := wave(l, 1, exec.Lanes), wave(l, 1, exec.Lanes)
			prepare(t, l, before, after)
			if err := after.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := x.AddText(fmt.Sprintf("%s, %v", e.file, o.Language), text, before, after); err != nil {
				t.Errorf("%s: %v", e.file, err)
			}
		}
	}
	x.Run(t)
	t.Log(x)
	if x.Programs != 6 || len(x.Refused) > 0 {
		t.Errorf("%d programs were compared, expected 6", x.Programs)
	}
}

// TestFragments compares fragment programs with the plain engine. They draw into a picture with several render targets.
func TestFragments(t *testing.T) {
	x := translatetest.Open(t)
	for i, e := range ofMachine("a2xx", translate.Fragment) {
		for _, language := range []translate.Language{translate.GLSL, translate.SPIRV} {
			l := e.launch(t)
			text, err := translate.Translate(t.Context(), l, translate.Options{Language: language, Shape: translate.Fragment, Binding: 2})
			if err != nil {
				t.Fatalf("%s: %v", e.file, err)
			}
			if kills := strings.Contains(text.Source, "\tif (killed) discard;\n"); language == translate.GLSL && kills != (i == 0) {
				t.Errorf("%s: discard: %v", e.file, kills)
			}
			for seed := range uint64(4) {
				before, after := wave(l, seed, exec.Lanes), wave(l, seed, exec.Lanes)
				for _, w := range []*exec.Wave{before, after} {
					flush(l, w)
					if len(text.Textures) > 0 {
						coordinates(t, l, w, seed)
					}
				}
				after.Services = map[string]exec.Service{"texture": translatetest.Texels(text)}
				if err := after.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := x.AddText(e.file, text, before, after); err != nil {
					t.Errorf("%s: %v", e.file, err)
				}
			}
		}
	}
	x.Run(t)
	t.Log(x)
	if x.Programs != 16 || len(x.Refused) > 0 {
		t.Errorf("%d programs were compared, expected 16", x.Programs)
	}
}

// coordinates gives lanes and constants numbers that are coordinates in textures: odd multiples of 1/64 from -2 to 2. They are
// between texels of no level. The constants of textures say only that these have two dimensions.
func coordinates(t *testing.T, l *exec.Launch, w *exec.Wave, seed uint64) {
	constants, err := exec.PlaceOf(l.Program.Machine, l.Program.Context, "fetch constants")
	if err != nil {
		t.Fatal(err)
	}
	for n := range constants.Count {
		for k := range 6 {
			l.Shared.Set(constants.State(), n, k, uint64([6]int{5: 1 << 9}[k]))
		}
	}
	r := rand.New(rand.NewPCG(seed, 7))
	number := func() uint64 { return uint64(math.Float32bits(float32(2*r.IntN(128)-127) / 64)) }
	for _, s := range l.Program.Machine.States {
		if s.Kind != exec.Registers || s.ReadOnly || s.Type.Kind != isa.Float {
			continue
		}
		for n := range s.Count {
			for k := range s.Type.Lanes {
				if s.Scope != exec.ScopeLane {
					l.Shared.Set(s, n, k, number())
					continue
				}
				for lane := range exec.Lanes {
					w.Set(s, n, k, lane, number())
				}
			}
		}
	}
}

// prepare gives lanes their numbers, memories random bytes, and vertex buffers places in them.
func prepare(t *testing.T, l *exec.Launch, waves ...*exec.Wave) {
	r := rand.New(rand.NewPCG(3, 4))
	number := func() uint32 { return r.Uint32()&0x807fffff | 0x3f800000 } // no result is a denormal, which devices may flush
	for _, s := range l.Program.Machine.States {
		if s.Kind == exec.Registers && s.Scope >= exec.ScopeBlock && s.Type.Kind == isa.Float && !s.ReadOnly {
			for n := range s.Count {
				for k := range s.Type.Lanes {
					l.Shared.Set(s, n, k, uint64(number()))
				}
			}
		}
		if s.Kind == exec.Memory {
			data := make([]byte, 8192)
			for i := 0; i < len(data); i += 4 {
				binary.LittleEndian.PutUint32(data[i:], number())
			}
			l.Shared.SetMemory(s, data)
		}
	}
	place, err := exec.PlaceOf(l.Program.Machine, l.Program.Context, "fetch constants")
	if err != nil {
		t.Fatal(err)
	}
	for n := range place.Count {
		for k := range 3 { // the address, and the size in bytes: some fetches are beyond the end
			l.Shared.Set(place.State(), n, 2*k, uint64(64*(n+k)+3))
			l.Shared.Set(place.State(), n, 2*k+1, uint64(640))
		}
	}
	numbers := make([]uint64, exec.Lanes)
	for lane := range numbers {
		numbers[lane] = uint64(lane)
	}
	vertex, err := exec.PlaceOf(l.Program.Machine, l.Program.Context, "vertex")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range waves {
		w.Give(vertex, numbers...)
	}
}

// TestPrimitives checks the primitives of a geometry shader. points.shbin gets a point with the registers v0 and v1.
func TestPrimitives(t *testing.T) {
	l := example{"pica200/points.shbin", "pica200", ""}.launch(t)
	for _, x := range []struct {
		o    translate.Options
		want []string
	}{
		{translate.Options{}, []string{"layout(points) in;", "layout(triangle_strip, max_vertices = 6) out;", "layout(location = 0) in vec4 v0[1];", "layout(location = 1) in vec4 v1[1];"}},
		// The registers of the second vertex of two registers are v2 and v3, which the program does not read.
		{translate.Options{Vertices: 3, Attributes: 2}, []string{"layout(triangles) in;", "layout(location = 1) in vec4 v1[3];"}},
		// v1 is the only register of the second vertex.
		{translate.Options{Vertices: 2, Attributes: 1, MaxVertices: 9}, []string{"layout(lines) in;", "max_vertices = 9)", "in vec4 v0[2];", " v0[1]"}},
	} {
		x.o.Shape = translate.Geometry
		text, err := translate.Translate(t.Context(), l, x.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range x.want {
			if !strings.Contains(text.Source, want) {
				t.Errorf("%+v: no %s\n%s", x.o, want, text.Source)
			}
		}
	}
	for _, x := range []struct {
		o    translate.Options
		want string
	}{
		{translate.Options{Vertices: 5, Attributes: 1}, "its primitives have a number of vertices that geometry shaders do not have"},
		{translate.Options{Vertices: 3}, "its file does not say how many registers a vertex has"},
	} {
		x.o.Shape = translate.Geometry
		var refusal *translate.Refusal
		if _, err := translate.Translate(t.Context(), l, x.o); !errors.As(err, &refusal) || refusal.Reason != x.want {
			t.Errorf("%+v: the error is %v, expected %s", x.o, err, x.want)
		}
	}
}
