package translate_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/shade/shadetest"
	"github.com/isago/isago/internal/translatetest"
	"github.com/isago/isago/internal/vulkan"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/target/tesla/launch"
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
	list = append(list, stage{example{"pica200/points.shbin", "pica200", ""}, translate.Geometry, "geom"})
	for _, name := range []string{"bitonic", "blackscholes", "histogram", "mandelbrot", "matmul", "reduce", "reverse", "saxpy", "vecadd"} {
		list = append(list, stage{example{"tesla/" + name + ".cubin", "tesla", ""}, translate.Compute, "comp"})
	}
	return list
}()

// wideKernels are kernels that need 64 bits.
var wideKernels = []string{"tesla/blackscholes.cubin", "tesla/histogram.cubin", "tesla/mandelbrot.cubin", "tesla/matmul.cubin", "tesla/reduce.cubin", "tesla/saxpy.cubin", "tesla/vecadd.cubin"}

// translate translates an example. A kernel has a block of 64 threads.
func (e stage) translate(t *testing.T, o translate.Options) (*translate.Text, error) {
	if e.shape != translate.Compute {
		return translate.Translate(t.Context(), e.launch(t), o)
	}
	_, req := e.request(t)
	req.Options = map[string][]string{"block": {"64"}}
	return launch.Translate(t.Context(), req, o)
}

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
			if language == translate.HLSL && e.shape == translate.Compute {
				continue // checkHLSL is for stages
			}
			text, err := e.translate(t, o)
			if language == translate.WGSL && e.shape == translate.Geometry {
				if want := "cannot be translated: geometry shaders, which WGSL lacks"; err == nil || err.Error() != want {
					t.Errorf("%s: the error is %v, expected %s", e.file, err, want)
				}
				continue
			}
			if language == translate.HLSL && e.shape == translate.Geometry {
				if err == nil || !strings.HasPrefix(err.Error(), "cannot be translated: a geometry in hlsl: ") {
					t.Errorf("%s as HLSL: the error is %v", e.file, err)
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
			case translate.HLSL:
				err = checkHLSL(t, text, e.extension)
			case translate.SPIRV:
				var module, source string
				if module, err = device.Validate(text.Module); err == nil && !slices.Contains(wideKernels, e.file) {
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

// checkHLSL compiles HLSL, and looks for the names of the map and the header.
func checkHLSL(t *testing.T, text *translate.Text, extension string) error {
	name := filepath.Join(t.TempDir(), "text.hlsl")
	if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
		return err
	}
	out, err := osexec.Command("glslangValidator", "-D", "-V", "-S", extension, "-e", "main", "-o", name+".spv", name).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	want := []string{"// Translated by isago and spirv-cross ", " Its bits were not compared with those of isago run.\n"}
	for _, x := range text.Uniforms {
		want = append(want, fmt.Sprintf(" : packoffset(c%d)", x.Offset/16), " "+x.Name)
	}
	for _, x := range text.Inputs {
		if x.Builtin == "" {
			want = append(want, fmt.Sprintf("%s : TEXCOORD%d;", x.Name, x.Location))
		}
	}
	semantic := "TEXCOORD"
	if extension == "frag" {
		semantic = "SV_Target"
	}
	for _, x := range text.Outputs {
		if x.Builtin == "" {
			want = append(want, fmt.Sprintf("%s : %s%d;", x.Name, semantic, x.Location))
		}
	}
	for _, x := range text.Textures {
		want = append(want, fmt.Sprintf("%s : register(t%d, space%d)", x.Name, x.Binding, x.Set), fmt.Sprintf(" : register(s%d, space%d)", x.SamplerBinding, x.Set))
	}
	for _, x := range text.Buffers { // programs of stages only read them
		want = append(want, fmt.Sprintf("ByteAddressBuffer %s : register(t%d, space%d)", x.Name, x.Binding, x.Set))
	}
	for _, w := range want {
		if !strings.Contains(text.Source, w) {
			t.Errorf("%s: no %q in\n%s", text.Name, w, text.Source)
		}
	}
	return nil
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

// fragments are fragment programs in source, for what the examples do not have.
var fragments = []struct{ name, machine, source string }{
	{"four colours", "a2xx", `ALLOC PARAM/PIXEL SIZE(0x3)
EXEC_END
	ALU:	MAXv	export0 = R0, R0
	ALU:	MAXv	export2 = R1, R1
	ALU:	ADDv	export1 = R0, R1
	ALU:	MULv	export3 = R0, R1`},
	{"a depth", "xenos", `EXEC
	ALU:	KILLGTv	R2.x___ = R1, R0
ALLOC PARAM/PIXEL SIZE(0x1)
EXEC_END
	ALU:	MAXv	export0 = R1, R1
	ALU:	MAXv	export61.x___ = R0, R0`},
	{"one dimension", "xenos", `EXEC
	FETCH:	SAMPLE	R0.xyzw = R0.xxx CONST(2)
ALLOC PARAM/PIXEL SIZE(0x0)
EXEC_END
	ALU:	MAXv	export0 = R0, R0`},
	{"three dimensions", "xenos", `EXEC
	FETCH:	SAMPLE	R0.zyxw = R0.xyz CONST(1) DIM(3D) OFFSET(2,0,-2)
ALLOC PARAM/PIXEL SIZE(0x0)
EXEC_END
	ALU:	MAXv	export0 = R0, R0`},
	{"coordinates that count texels", "xenos", `EXEC
	FETCH:	SAMPLE	R1.xyzw = R0.xyx CONST(3) DENORM DIM(2D) LOD(0)
	FETCH:	SAMPLE	R2.xyzw = R0.yxx CONST(3) DENORM DIM(2D) OFFSET(1,3,0)
ALLOC PARAM/PIXEL SIZE(0x0)
EXEC_END
	ALU:	ADDv	export0 = R1, R2`},
	{"derivatives", "xenos", `EXEC
	FETCH:	SET_GRADIENTS_H	R1.____ = R1.xxx CONST(0)
	FETCH:	SET_GRADIENTS_V	R2.____ = R2.xxx CONST(0)
	FETCH:	SAMPLE	R0.xyzw = R0.xyx CONST(0) DIM(2D) USE_REG_GRADIENTS
ALLOC PARAM/PIXEL SIZE(0x0)
EXEC_END
	ALU:	MAXv	export0 = R0, R0`},
	{"a bias, and a texture on two ways", "a2xx", `EXEC
	ALU:	SETGTv	R2 = R1, C0
EXEC
	(S)ALU:	MAXv	R3.____ = R1, R1
		PRED_SETGTs	R3.x___ = R1.x
COND_PRED_EXEC COND(1)
	FETCH:	SAMPLE	R0.xyzw = R0.xyx CONST(0) LOD_BIAS(16)
COND_PRED_EXEC COND(0)
	FETCH:	SAMPLE	R0.xyzw = R0.yxx CONST(0)
ALLOC PARAM/PIXEL SIZE(0x0)
EXEC_END
	ALU:	ADDv	export0 = R0, R2`},
}

// TestFragments compares fragment programs with the plain engine. They draw into a picture with several render targets.
func TestFragments(t *testing.T) {
	x := translatetest.Open(t)
	add := func(name string, rounds uint64, launch func() *exec.Launch, languages ...translate.Language) {
		for _, language := range languages {
			l := launch()
			text, err := translate.Translate(t.Context(), l, translate.Options{Language: language, Shape: translate.Fragment, Binding: 2})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			for seed := range rounds {
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
				if err := x.AddText(fmt.Sprint(name, ", ", language), text, before, after); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	for _, e := range ofMachine("a2xx", translate.Fragment) {
		add(e.file, 2, func() *exec.Launch { return e.launch(t) }, translate.GLSL, translate.SPIRV)
	}
	for i, f := range fragments {
		language := []translate.Language{translate.GLSL, translate.SPIRV}[i%2] // the lowering is the same
		add(f.name, 1, func() *exec.Launch { return compile(t, f.machine, "fs", ".stage fs\n"+f.source+"\n") }, language)
	}
	x.Run(t)
	t.Log(x)
	if want := 8 + len(fragments); x.Programs != want || len(x.Refused) > 0 {
		t.Errorf("%d programs were compared, expected %d", x.Programs, want)
	}
}

// compile opens a program in source.
func compile(t *testing.T, machine, stage, source string) *exec.Launch {
	t.Helper()
	m, product, err := catalog.Find(machine)
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	ctx := set.DefaultContext()
	if stage != "" {
		if ctx, err = set.ParseContext(ctx, "stage", stage); err != nil {
			t.Fatal(err)
		}
	}
	c, err := m.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Compile([]*diag.Source{{Name: machine, Text: source}}, program.CompileOptions{})
	if err != nil {
		t.Fatalf("%s\n%s", diag.Render(err), source)
	}
	quirks := map[string]string{}
	for _, v := range product.Settings {
		quirks[v.Name] = v.Value
	}
	r, err := m.Launch(feed.Request{Set: set, Context: ctx, Data: out.Bytes, Quirks: quirks})
	if err != nil {
		t.Fatal(err)
	}
	return r.(feed.Launched).Launched()
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

// TestStagesRefused checks what stages cannot express, and where the program has it.
func TestStagesRefused(t *testing.T) {
	const exports = "ALLOC MEMORY SIZE(0x0)\nEXEC\n\tALU:\tMAXv\texport32 = R0, R0\nALLOC %s SIZE(0x0)\nEXEC_END\n\tALU:\tMAXv\texport%d = R0, R0\n"
	for _, x := range []struct {
		machine, stage, source string
		o                      translate.Options
		want                   string
	}{
		{"a2xx", "fs", fmt.Sprintf(exports, "PARAM/PIXEL", 0), translate.Options{Shape: translate.Fragment}, "export32 is not an output of a fragment shader, unless it gets a location"},
		{"a2xx", "vs", fmt.Sprintf(exports, "POSITION", 62), translate.Options{Shape: translate.Vertex}, "export32 is not an output of a vertex shader, unless it gets a location"},
		{"a2xx", "vs", fmt.Sprintf(exports, "POSITION", 62), translate.Options{Shape: translate.Vertex, Locations: map[string]int{"export32": 16}}, ""},
		{"xenos", "fs", "EXEC\n\tFETCH:\tSAMPLE\tR0.xyzw = R0.xyz CONST(0) DIM(CUBE)\nALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END\n\tALU:\tMAXv\texport0 = R0, R0\n", translate.Options{Shape: translate.Fragment}, "a sample of a cube map"},
	} {
		_, err := translate.Translate(t.Context(), compile(t, x.machine, x.stage, ".stage "+x.stage+"\n"+x.source), x.o)
		var refusal *translate.Refusal
		switch {
		case x.want == "":
			if err != nil {
				t.Errorf("%s: %v", x.source, err)
			}
		case !errors.As(err, &refusal) || refusal.Reason != x.want || refusal.Addr == translate.NoAddr:
			t.Errorf("%s: the error is %v, expected %s and an address", x.source, err, x.want)
		}
	}
	points := example{"pica200/points.shbin", "pica200", ""}.launch(t)
	if _, err := translate.Translate(t.Context(), points, translate.Options{Shape: translate.Vertex}); err == nil || err.Error() != "cannot be translated: it emits vertices, which a vertex shader does not (instruction 0x4)" {
		t.Errorf("the error is %v", err)
	}
	variable := compile(t, "pica200", "", ".gsh variable c48 2\n.out - position o0\n.proc main\n\tsetemit 2, prim\n\tmov o0, c5\n\temit\n\tend\n.end\n")
	const want = "cannot be translated: primitives with any number of vertices, which geometry shaders do not have"
	if _, err := translate.Translate(t.Context(), variable, translate.Options{Shape: translate.Geometry}); err == nil || err.Error() != want {
		t.Errorf("the error is %v, expected %s", err, want)
	}
}
