package translate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/internal/shade/shadetest"
	"github.com/isago/isago/internal/shade/wgsl"
	"github.com/isago/isago/internal/translatetest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/translate"
)

// example is a bundled program.
type example struct{ file, machine, stage string }

var examples = []example{
	{"pica200/light.shbin", "pica200", ""}, {"pica200/flow.shbin", "pica200", ""}, {"pica200/skin.shbin", "pica200", ""}, {"pica200/sprite.shbin", "pica200", ""},
	{"tegra/light.vp", "tegra", ""}, {"tegra/skin.vp", "tegra", ""}, {"tegra/textured.vp", "tegra", ""}, {"tegra/wave.vp", "tegra", ""},
	{"a2xx/light.vs.bin", "a2xx", "vs"}, {"a2xx/lights.vs.bin", "a2xx", "vs"}, {"a2xx/calls.vs.bin", "a2xx", "vs"},
	{"a2xx/choices.fs.bin", "a2xx", "fs"}, {"a2xx/textures.fs.bin", "a2xx", "fs"},
}

// launch opens an example as the command run does.
func (e example) launch(t testing.TB) *exec.Launch {
	t.Helper()
	m, req := e.request(t)
	r, err := m.Launch(req)
	if err != nil {
		t.Fatal(err)
	}
	return r.(feed.Launched).Launched()
}

// request returns the machine of an example, and a request for its program.
func (e example) request(t testing.TB) (catalog.Machine, feed.Request) {
	t.Helper()
	m, _, err := catalog.Find(e.machine)
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	ctx := set.DefaultContext()
	if e.stage != "" {
		if ctx, err = set.ParseContext(ctx, "stage", e.stage); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join("..", "examples", e.file))
	if err != nil {
		t.Fatal(err)
	}
	return m, feed.Request{Set: set, Context: ctx, Data: data}
}

// comments returns the disassembly of the instructions of a program.
func comments(t testing.TB, l *exec.Launch) func(addr uint64) string {
	d, err := l.Program.Machine.Set().NewDecoder(l.Program.Root.Name)
	if err != nil {
		t.Fatal(err)
	}
	d.SetTables(l.Program.Tables)
	return func(addr uint64) string {
		word, _ := l.Program.Fetch(addr)
		in, _ := d.Decode(word)
		return fmt.Sprintf("0x%04x  %s", l.Program.Machine.Address(addr), d.Append(nil, in))
	}
}

// specials are floats at which something happens.
var specials = []uint64{0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x40000000}

func random(r *rand.Rand, t isa.Type) uint64 {
	switch {
	case t.Kind != isa.Float:
		return uint64(r.IntN(6)) & (1<<t.Bits - 1)
	case r.IntN(3) == 0:
		return specials[r.IntN(len(specials))]
	}
	return uint64(r.Uint32()&0x83ffffff | 0x3c000000)
}

// wave starts a wave of an example with random inputs.
func wave(l *exec.Launch, seed uint64, lanes int) *exec.Wave {
	r := rand.New(rand.NewPCG(seed, 1))
	constant := map[[3]int]bool{}
	for _, p := range l.Constants {
		for n := range p.Count {
			for _, k := range p.Components() {
				constant[[3]int{p.State.Index, p.First + n, k}] = true
			}
		}
	}
	states := l.Program.Machine.States
	for _, s := range states {
		if s.Kind != exec.Registers || s.Scope < exec.ScopeBlock || s.ReadOnly {
			continue
		}
		for n := range s.Count {
			for k := range s.Type.Lanes {
				if v := random(r, s.Type); !constant[[3]int{s.Index, n, k}] {
					l.Shared.Set(s, n, k, v)
				}
			}
		}
	}
	w := exec.NewWave(l.Program, l.Shared)
	w.Budget = 10000
	w.Start(lanes, l.Entry)
	for _, s := range states {
		if s.Kind != exec.Registers || s.Scope != exec.ScopeLane || s.Use != "input" && s.Name != "R" || s.ReadOnly {
			continue
		}
		for n := range s.Count {
			for k := range s.Type.Lanes {
				for lane := range lanes {
					w.Set(s, n, k, lane, random(r, s.Type))
				}
			}
		}
	}
	return w
}

// TestExamples compares the translated examples with the plain engine. Programs whose lanes share a program counter run in
// waves of one lane.
func TestExamples(t *testing.T) {
	t.Run("names", func(t *testing.T) { testExamples(t, translatetest.Options) })
	t.Run("registers", func(t *testing.T) {
		o := translatetest.Options
		o.Registers = true
		testExamples(t, o)
	})
	t.Run("wgsl", func(t *testing.T) {
		o := translatetest.Options
		o.Language = translate.WGSL
		testExamples(t, o)
	})
	t.Run("es", func(t *testing.T) {
		o := translatetest.Options
		o.Language = translate.GLSLES
		testExamples(t, o)
	})
}

// transcendental are the examples that need exp2, log2, sin or cos, which GPUs compute approximately.
var transcendental = []string{"tegra/wave.vp"}

func testExamples(t *testing.T, o translate.Options) {
	x := translatetest.Open(t)
	if o.Language == translate.WGSL {
		x.WGSL = shadetest.Naga(t, wgsl.Source)
	}
	for _, e := range examples {
		l := e.launch(t)
		if (o.Language == translate.GLSLES || o.Language == translate.WGSL) && slices.Contains(transcendental, e.file) {
			continue // the driver takes too long to compile a sine of pairs, which TestPairs compares
		}
		o.Comment = comments(t, l)
		text, err := translate.Translate(context.Background(), l, o)
		if err != nil {
			t.Errorf("%s: %v", e.file, err)
			continue
		}
		t.Logf("%s: %d lines for %d instructions", e.file, text.Lines, text.Words)
		rounds, lanes := uint64(4), exec.Lanes
		if e.machine == "a2xx" {
			rounds, lanes = 8, 1
		}
		if o.Language != translate.GLSL { // the lowering is the same
			rounds /= 2
		}
		for seed := range rounds {
			before, after := wave(l, seed, lanes), wave(l, seed, lanes)
			flowtest.Record(after)
			if err := after.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := x.AddText(e.file, text, before, after); err != nil {
				t.Errorf("%s: %v", e.file, err)
			}
		}
	}
	x.Run(t)
	t.Log(x)
	if len(x.Refused) > 0 {
		t.Error("an example was not compared")
	}
}

// flush replaces numbers below 2^-63 in the inputs and uniforms of a wave by 0. Their products are denormals, which llvmpipe replaces by
// 0 in the stages of its graphics pipeline.
func flush(l *exec.Launch, w *exec.Wave) {
	for _, s := range l.Program.Machine.States {
		if s.Kind != exec.Registers || s.ReadOnly || s.Type.Kind != isa.Float {
			continue
		}
		for n := range s.Count {
			for k := range s.Type.Lanes {
				for lane := range exec.Lanes {
					v := w.Get(s, n, k, lane)
					switch small := v&0x7fffffff < 0x20000000 && v&0x7fffffff != 0; {
					case small && s.Scope == exec.ScopeLane:
						w.Set(s, n, k, lane, 0)
					case small:
						l.Shared.Set(s, n, k, 0)
					}
				}
			}
		}
	}
}

// TestVertex compares the examples that are vertex programs with the plain engine, as vertex shaders in both languages of
// Vulkan. The locations are others than in a function, and the uniforms are a block or push constants.
func TestVertex(t *testing.T) {
	x := translatetest.Open(t)
	for _, e := range examples {
		if e.machine == "a2xx" { // they need functions that read memory
			continue
		}
		l := e.launch(t)
		o := translate.Options{Shape: translate.Vertex, Name: strings.Split(filepath.Base(e.file), ".")[0], Binding: 2, Comment: comments(t, l)}
		for _, o.Language = range []translate.Language{translate.GLSL, translate.SPIRV} {
			for _, o.Uniforms = range []translate.UniformForm{translate.Block, translate.Push} {
				for _, o.Registers = range []bool{false, true} {
					text, err := translate.Translate(t.Context(), l, o)
					if err != nil {
						t.Errorf("%s: %v", e.file, err)
						continue
					}
					last := text.Uniforms[len(text.Uniforms)-1]
					if o.Uniforms == translate.Push && last.Offset+16*last.Count > 128 {
						continue // more than a device must have
					}
					before, after := wave(l, 1, exec.Lanes), wave(l, 1, exec.Lanes)
					flush(l, before)
					flush(l, after)
					if err := after.Run(t.Context()); err != nil {
						t.Fatal(err)
					}
					if err := x.AddText(fmt.Sprintf("%s, %v, %v", e.file, o.Language, o.Uniforms), text, before, after); err != nil {
						t.Errorf("%s: %v", e.file, err)
					}
				}
			}
		}
	}
	x.Run(t)
	t.Log(x)
	if len(x.Refused) > 0 {
		t.Error("an example was not compared")
	}
}

// TestWGSL validates the functions that need no others as WGSL.
func TestWGSL(t *testing.T) {
	texts := map[string]string{}
	for _, e := range examples {
		l := e.launch(t)
		o := translate.Options{Language: translate.WGSL, Comment: comments(t, l), Approximate: slices.Contains(transcendental, e.file)}
		text, err := translate.Translate(t.Context(), l, o)
		if err != nil {
			t.Errorf("%s: %v", e.file, err)
			continue
		}
		if len(text.Shared) == 0 {
			texts[strings.ReplaceAll(e.file, "/", "-")] = text.Source
		} else if !strings.Contains(text.Source, "// fn "+text.Shared[0][3:]) {
			t.Errorf("%s needs %q:\n%s", e.file, text.Shared, text.Source)
		}
	}
	if len(texts) < 8 {
		t.Errorf("%d texts", len(texts))
	}
	shadetest.Validate(t, texts)
}

// TestReadable reads the function that light.shbin becomes. Each line is the arithmetic of the instructions before it, with the
// names of the file. The comments are left out.
func TestReadable(t *testing.T) {
	text, err := translate.Translate(t.Context(), examples[0].launch(t), translate.Options{Name: "light"})
	if err != nil {
		t.Fatal(err)
	}
	const want = `void light(vec4 position, vec4 normal, vec4 color, vec4 texcoord, precise out vec4 out_position, precise out vec4 out_color, precise out vec4 texcoord0) {
	vec3 r0, r1;
	texcoord0.zw = vec2(0.0);
	r0.x = light_dot4(modelView[0], position);
	r0.y = light_dot4(modelView[1], position);
	r0.z = light_dot4(modelView[2], position);
	out_position.x = light_dot4(projection[0], vec4(r0, 1.0));
	out_position.y = light_dot4(projection[1], vec4(r0, 1.0));
	out_position.z = light_dot4(projection[2], vec4(r0, 1.0));
	out_position.w = light_dot4(projection[3], vec4(r0, 1.0));
	r1.x = light_dot3(modelView[0].xyz, normal.xyz);
	r1.y = light_dot3(modelView[1].xyz, normal.xyz);
	r1.z = light_dot3(modelView[2].xyz, normal.xyz);
	float r2 = light_root(light_dot3(r1, r1));
	r2 = light_dot3(lightDirection.xyz, light_mul(r1, vec3(r2)));
	r2 = light_maximum(0.0, r2);
	precise vec3 r3 = light_mul(vec3(r2), lightColor.xyz) + ambient.xyz;
	if (useVertexColor != 0u) {
		out_color = light_mul(vec4(r3, ambient.w), color);
	} else {
		out_color = vec4(r3, ambient.w);
	}
	texcoord0.xy = texcoord.xy;
}
`
	if _, got, _ := strings.Cut(text.Source, "\n\nvoid"); "void"+got != want {
		t.Errorf("%s\nexpected\n%s", text.Source, want)
	}
}

// TestRefused checks that a program is refused in the shape of another stage, and which functions a program needs.
func TestRefused(t *testing.T) {
	l := example{"a2xx/light.vs.bin", "a2xx", "vs"}.launch(t)
	var refusal *translate.Refusal
	if _, err := translate.Translate(t.Context(), l, translate.Options{Shape: translate.Fragment}); !errors.As(err, &refusal) || refusal.Reason != "R0 is the vertex-index, which a fragment shader does not have" {
		t.Errorf("the error is %v", err)
	}
	for o, want := range map[*translate.Options]string{
		{Shape: translate.Geometry}: "cannot be translated: it emits no vertices, as a geometry shader does",
		{Language: translate.SPIRV}: "cannot be translated: SPIR-V: Vulkan links no modules, so that no other shader can use a module of functions",
		{Language: translate.SPIRV, Shape: translate.Vertex, Uniforms: translate.Plain}: "cannot be translated: SPIR-V: Vulkan has no plain uniforms",
	} {
		if _, err := translate.Translate(t.Context(), examples[0].launch(t), *o); !errors.As(err, &refusal) || refusal.Error() != want {
			t.Errorf("the error is %v, expected %s", err, want)
		}
	}
	// A refusal of the interface has no address.
	if _, err := translate.Translate(t.Context(), examples[0].launch(t), translate.Options{Shape: translate.Vertex, Position: "nothing"}); !errors.As(err, &refusal) || refusal.Addr != translate.NoAddr {
		t.Errorf("the error is %v", err)
	}
	text, err := translate.Translate(t.Context(), l, translate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"uint program_load_memory(uint address);"}; !slices.Equal(text.Shared, want) {
		t.Errorf("it needs %q, expected %q", text.Shared, want)
	}
}
