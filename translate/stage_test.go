package translate_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/translatetest"
	"github.com/isago/isago/internal/vulkan"
	"github.com/isago/isago/isa"
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

// TestFetches compares vertex programs that compute the addresses of their attributes with the plain engine: the vertex shader
// gets its number from the device, and the bytes from a storage buffer.
func TestFetches(t *testing.T) {
	x := translatetest.Open(t)
	for _, e := range stages[:3] {
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
