package launch

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/translatetest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
	"github.com/isago/isago/translate"
)

// contextOf returns the contexts of a stage.
func contextOf(t *testing.T, stage string) bits.Value {
	t.Helper()
	ctx, err := set.ParseContext(set.DefaultContext(), "stage", stage)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// launched returns the launch of a program of a stage, in source.
func launched(t *testing.T, stage, source string) *exec.Launch {
	t.Helper()
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := tesla.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	ctx := contextOf(t, stage)
	out, err := compiler.Compile([]*diag.Source{{Text: source}}, program.CompileOptions{Context: func(*isa.Set) (bits.Value, error) { return ctx, nil }})
	if err != nil {
		t.Fatalf("%s\n%v", source, err)
	}
	var code []uint32
	for at := 0; at < len(out.Bytes); at += 4 {
		code = append(code, binary.LittleEndian.Uint32(out.Bytes[at:]))
	}
	l, err := exec.Raw(m, code, 0, ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// inputs gives a wave random words in the memories of inputs and of constants. For a shader of a stage, they are coordinates
// of the centres of texels and of levels, no denormals, and w is 1, because each fragment of a test is a point.
func inputs(w *exec.Wave, lanes int, seed uint64, shader bool) {
	for _, s := range w.Program.Machine.States {
		r := rand.New(rand.NewPCG(seed, 21))
		switch {
		case s.Kind != exec.Memory:
		case s.Use == "input":
			for n := range 64 {
				for lane := range lanes {
					v := translatetest.Word(r)
					if shader {
						v = math.Float32bits(float32(r.IntN(64)-24)/8 + 1./16)
					}
					if shader && s.Name == "v" && n == 0 {
						v = math.Float32bits(1)
					}
					w.Set(s, n, 0, lane, uint64(v))
				}
			}
		case s.Use == "constant" && s.Name == "c0":
			data := w.Memory(s)
			for i := range 256 {
				data[i] = byte(r.Uint32())
			}
		}
	}
}

// started returns a wave with random inputs.
func started(l *exec.Launch, text *translate.Text, lanes int, seed uint64, shader bool) *exec.Wave {
	w := exec.NewWave(l.Program)
	w.Budget = 1000
	for _, s := range l.Program.Machine.States {
		if s.Kind == exec.Memory && s.Count == 0 {
			w.SetSize(s, 1<<14)
		}
	}
	w.Start(lanes, 0)
	inputs(w, lanes, seed, shader)
	st := &stageRun{}
	for _, s := range l.Program.Machine.States {
		if s.Name == "v" {
			st.attributes = s
		}
	}
	w.Services = map[string]exec.Service{"varying": st.varying, "sample": translatetest.Texels(text)}
	return w
}

// The programs of stages. What only these stages have is in them: inputs, outputs, interpolation, textures, discard.
var stagePrograms = []struct {
	name, stage, source string
	outputs             map[string]int
}{
	{"copy", "vp", "mov b32 $r1 a[0x10]\nmov b32 o[0x0] $r1\nadd f32 o[0x4] a[0x4] $r1\nmov b32 o[0x14] a[0x18]\nexit mov b32 o[0x20] a[0x3c]", nil},
	{"constants", "vp", "mov b32 $r1 a[0x0]\nmul f32 $r2 $r1 c0[0x4]\nadd f32 o[0x0] $r2 c0[0x8]\nld $r3 b32 c0[0x10]\nexit mov b32 o[0x4] $r3", nil},
	{"condition", "vp", "mov b32 $r1 a[0x0]\nmov b32 $r2 a[0x4]\nset $c0 # l f32 $r1 $r2\nmov b32 o[0x0] $r1\n(lg $c0) mov b32 o[0x0] $r2\n(e $c0) mov b32 o[0x8] $r1\nexit nop", nil},
	{"branch", "vp", "mov b32 $r1 a[0x0]\nmov b32 $r2 a[0x4]\nset $c0 # l s32 $r1 $r2\njoinat out\n(lg $c0) bra less\nmov b32 o[0x0] $r1\nadd b32 $r3 $r1 $r2\nbra out\nless:\nmov b32 o[0x0] $r2\nxor b32 $r3 $r1 $r2\nout:\njoin nop\nexit mov b32 o[0x4] $r3", nil},
	{"loop", "vp", "mov b32 $r1 a[0x0]\nand b32 $r1 $r1 0xf\nmov b32 $r2 0x0\nmov b32 $r3 0x1\nbreakaddr out\nagain:\nadd b32 $r2 $r2 $r1\nsub b32 $c0 $r1 $r1 $r3\n(s $c0) break\nbra again\nout:\nexit mov b32 o[0x10] $r2", nil},
	{"call", "vp", "mov b32 $r1 a[0x0]\ncall twice\ncall twice\nmov b32 o[0x0] $r1\nexit nop\ntwice:\nadd b32 $r1 $r1 $r1\nret", nil},
	{"memory", "vp", "mov b32 $r1 a[0x0]\nst b32 l[0x10] $r1\nmov b32 $r2 a[0x4]\nst u16 l[0x12] $r2\nld b32 $r3 l[0x10]\nld u8 $r4 l[0x11]\nmov b32 o[0x0] $r3\nexit mov b32 o[0x4] $r4", nil},
	{"memory at computed addresses", "vp", "mov b32 $r1 a[0x0]\nshr u32 $r1 $r1 0x1c\nshl b32 $r1 $r1 0x2\nshl $a1 $r1 0x0\nmov b32 $r2 a[0x4]\nst b32 l[$a1+0x20] $r2\nld b32 $r3 l[0x24]\nexit mov b32 o[0x0] $r3", nil},
	{"half", "vp", "mov b32 $r1 a[0x0]\nmov b16 o[0x8] $r1h\nexit add b16 o[0xc] $r1l $r1h", nil},
	{"interpolated", "fp", "interp $r4 v[0x0]\nrcp f32 $r4 $r4\ninterp $r0 v[0x4] $r4\ninterp $r1 v[0x8] neg $r4\nlong interp $r2 v[0xc] $r4\nexit interp $r3 v[0x10] $r4", nil},
	{"linear", "fp", "interp $r0 v[0x4]\ninterp $r1 v[0xc]\ninterp $r2 cent v[0x24]\nexit interp $r3 flat v[0x34]", nil},
	{"discarded", "fp", "interp $r0 v[0x4]\ninterp $r1 v[0x8]\nset $c1 # g f32 $r0 $r1\n(lg $c1) discard\nexit mov b32 $r2 $r1", nil},
	{"discarded in a branch", "fp", "interp $r0 v[0x4]\ninterp $r1 v[0x8]\nset $c0 # g f32 $r0 $r1\njoinat out\n(lg $c0) bra more\nadd f32 $r2 $r0 $r1\nbra out\nmore:\nmov b32 $r3 0x3f800000\nset $c1 # g f32 $r0 $r3\n(lg $c1) discard\nmov b32 $r2 $r0\nout:\njoin nop\nexit mov b32 $r3 $r3", nil},
	{"targets", "fp", "interp $r0 v[0x4]\ninterp $r5 v[0x8]\ninterp $r8 v[0xc]\nexit mov b32 $r3 $r5", map[string]int{"colour": 2, "depth": 1}},
	{"depth only", "fp", "interp $r0 v[0x4]\nexit nop", map[string]int{"colour": 0, "depth": 1}},
	{"sample", "fp", "interp $r0 v[0x4]\ninterp $r1 v[0x8]\nexit texauto all $r0:$r1:$r2:$r3 $t1 $s1 $r0:$r1", nil},
	{"sample of some components", "fp", "interp $r0 v[0x4]\ninterp $r1 v[0x8]\nexit texauto live #:$r0:#:$r1 $t2 $s0 $r0:$r1 0x1 -0x2 0x0", nil},
	{"sample with a bias", "fp", "interp $r0 v[0x4]\ninterp $r1 v[0x8]\ninterp $r2 v[0xc]\nexit texbias all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0", nil},
	{"sample of a level", "fp", "interp $r0 v[0x4]\ninterp $r1 v[0x8]\ninterp $r2 v[0xc]\nexit texlod all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0", nil},
	{"quads", "fp", "quadon\ninterp $r0 v[0x4]\nquadpop\nexit mov b32 $r1 $r0", nil},
}

// TestTranslatedStages compares vertex and fragment programs with the plain engine.
func TestTranslatedStages(t *testing.T) {
	x := translatetest.Open(t)
	programs := slices.Clone(stagePrograms)
	fade, err := os.ReadFile(example("fade.s"))
	if err != nil {
		t.Fatal(err)
	}
	programs = append(programs, stagePrograms[0])
	programs[len(programs)-1].name, programs[len(programs)-1].stage, programs[len(programs)-1].source = "fade", "fp", string(fade)
	want := 0
	for i, p := range programs {
		l := launched(t, p.stage, p.source)
		shapes := []translate.Shape{translate.Function}
		if *translations > 0 && i%4 != 0 || strings.Contains(p.source, "quadop") || strings.Contains(p.source, "tex") || strings.Contains(p.source, " l[") {
			shapes = nil // only a shader has memories, textures and neighbours; the short test compares few functions
		}
		if p.stage == "fp" {
			shapes = append(shapes, translate.Fragment)
		} else {
			shapes = append(shapes, translate.Vertex)
		}
		for _, shape := range shapes {
			text, err := translate.Translate(t.Context(), l, translate.Options{Shape: shape, Name: "program", Binding: 2, Outputs: p.outputs})
			if err != nil {
				t.Errorf("%s: %v", p.name, err)
				continue
			}
			shader := shape != translate.Function
			before, after := started(l, text, exec.Lanes/2, uint64(i), shader), started(l, text, exec.Lanes/2, uint64(i), shader)
			if err := after.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := x.AddText(p.name, text, before, after); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
			if want++; shape == translate.Function {
				want++ // also as SPIR-V
			}
		}
	}
	x.Run(t)
	t.Log(x)
	if x.Programs != want || len(x.Refused) > 0 {
		t.Errorf("%d programs were compared, expected %d", x.Programs, want)
	}
}

// TestStageTexts tests what vertex and fragment programs become, and which of them are refused.
func TestStageTexts(t *testing.T) {
	for _, c := range []struct {
		stage, source string
		language      translate.Language
		has           []string // parts of the text, or of the refusal if the first one is "refused"
	}{
		{"vp", "mov b32 $r1 a[0x14]\nexit mov b32 o[0x2c] $r1", translate.GLSL, []string{"layout(location = 1) in vec4 attr1;", "layout(location = 1) precise out vec4 o1;", "o1 = vec4(0.0, 0.0, 0.0, attr1.y);"}},
		{"fp", "interp $r0 v[0x0]\nrcp f32 $r0 $r0\nexit interp $r0 v[0x4] $r0", translate.GLSL, []string{"layout(location = 0) in vec4 v0_in;", "v0 = v0_in * gl_FragCoord.w;", "program(gl_FragCoord.w, v0);"}},
		{"fp", "exit interp $r0 v[0x14]", translate.GLSL, []string{"layout(location = 1) noperspective in vec4 v1;"}},
		{"fp", "exit interp $r0 flat v[0x14]", translate.GLSL, []string{"layout(location = 1) flat in vec4 v1;"}},
		{"fp", "exit interp $r0 cent v[0x14]", translate.GLSL, []string{"layout(location = 1) noperspective centroid in vec4 v1;"}},
		{"fp", "(lg $c0) discard\nexit nop", translate.GLSL, []string{"if (discarded) discard;"}},
		{"fp", "interp $r1 v[0x4]\ninterp $r2 v[0x8]\nexit quadop f32 sub subr sub subr $r0 dx $r1 $r2", translate.GLSL, []string{"refused", "the operation lane, whose result depends on the other lanes of a wave (instruction 0x8)"}},
		{"fp", "interp $r1 v[0x4]\nexit quadop f32 add add add add $r0 l1 $r1 $r1", translate.GLSL, []string{"refused", "the other lanes of a wave"}},
		{"fp", "interp $r1 v[0x4]\nexit (l02) mov b32 $r0 $r1", translate.GLSL, []string{"refused", "the other lanes of a wave"}},
		{"fp", "interp $r0 v[0x4]\nexit interp $r1 flat v[0x8]", translate.GLSL, []string{"refused", "interpolated in different ways, here and at 0x0: they have one location (instruction 0x8)"}},
		{"vp", "mov b32 $r1 a[0x0]\nshl $a1 $r1 0x2\nld b32 $r2 a[$a1+0x4]\nexit mov b32 o[0x0] $r2", translate.GLSL, []string{"refused", "an access to attr at a computed address"}},
		{"fp", "interp $r0 v[0x4]\nexit texfetch all $r0:$r1:$r2:$r3 $t0 $s0 $r0", translate.GLSL, []string{"refused", "texel("}},
		{"fp", "interp $r0 v[0x4]\nmov b32 $r4 $r0\ntexauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0\ntexauto all $r4:$r5:$r6:$r7 $t0 $s1 $r4\nexit nop", translate.GLSL, []string{"refused", "texture 0 with the samplers 0 and 1"}},
		{"fp", "interp $r0 v[0x4]\nexit rcp f32 $r0 $r0", translate.WGSL, []string{"fn isago_u64_multiply(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {"}},
		{"fp", "exit interp $r0 v[0x4]", translate.GLSLES, []string{"refused", "noperspective, which GLSL ES lacks"}},
	} {
		shape := map[string]translate.Shape{"vp": translate.Vertex, "fp": translate.Fragment}[c.stage]
		text, err := translate.Translate(t.Context(), launched(t, c.stage, c.source), translate.Options{Shape: shape, Language: c.language})
		got := ""
		switch refused := c.has[0] == "refused"; {
		case refused != (err != nil):
			t.Errorf("%s\ngives the error %v", c.source, err)
			continue
		case refused:
			got, c.has = err.Error(), c.has[1:]
		default:
			got = text.Source
		}
		for _, part := range c.has {
			if !strings.Contains(got, part) {
				t.Errorf("%s\nhas no %q:\n%s", c.source, part, got)
			}
		}
	}
	l := launched(t, "fp", "exit interp $r0 v[0x4]")
	for outputs, want := range map[string]string{"color": "there is no output color", "colour": "9 values of the output colour, expected at most 8"} {
		if _, err := translate.Translate(t.Context(), l, translate.Options{Outputs: map[string]int{outputs: 9}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", outputs, err, want)
		}
	}
}
