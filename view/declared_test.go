package view_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/isago/isago/internal/cubintest"
	"github.com/isago/isago/internal/xenostest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// printed returns how two files differ, which are of one format.
func printed(t *testing.T, a, b []byte) string {
	t.Helper()
	m, format, ok := catalog.Recognise(a)
	if !ok {
		t.Fatal("no format is recognised")
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return printedDiff(t, difference(t, opened(t, set, format, a), opened(t, set, format, b)))
}

func printedDiff(t *testing.T, d *view.Diff) string {
	t.Helper()
	var out strings.Builder
	if err := d.Print(&out, view.Palette{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// captureLoading returns a capture that loads shaders of a stage.
func captureLoading(stage uint32, shaders ...[]uint32) []byte {
	var s []uint32
	for _, words := range shaders {
		s = append(append(s, 3<<30|uint32(len(words)+1)<<16|0x2b<<8, stage, uint32(len(words))), words...)
	}
	data := cubintest.Words(13, 4, 201, 3, 12, 0x30000000, uint32(4*len(s)), 0, 12, uint32(4*len(s)))
	return append(append(data, cubintest.Words(s...)...), cubintest.Words(6, 12, 0x30000000, uint32(len(s)), 0)...)
}

func shaderOf(t *testing.T, name string) []uint32 {
	t.Helper()
	data, err := os.ReadFile("../examples/a2xx/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return wordsOf(data)
}

// The numbers of shaders in a capture are the order in which they were loaded, so diff does not match shaders by number.
func TestCapturesInAnotherOrder(t *testing.T) {
	light, calls, lights := shaderOf(t, "light.vs.bin"), shaderOf(t, "calls.vs.bin"), shaderOf(t, "lights.vs.bin")
	if got := printed(t, captureLoading(0, light, calls), captureLoading(0, calls, light)); got != "" {
		t.Errorf("the same shaders differ:\n%s", got)
	}
	if got := printed(t, captureLoading(0, light, calls), captureLoading(0, lights, calls, light)); !strings.HasPrefix(got, "+ program 0\n") || strings.Contains(got, "\n-") {
		t.Errorf("the shader 0, and nothing else, is new:\n%s", got)
	}
	if got := printed(t, captureLoading(0, light), captureLoading(1, light)); !strings.HasPrefix(got, "- stage vs\n+ stage fs\n") {
		t.Errorf("another stage:\n%s", got)
	}
}

// Words that no clause runs count.
func TestDataDiffers(t *testing.T) {
	m, err := catalog.Lookup("a2xx")
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	code := shaderOf(t, "light.vs.bin")
	open := func(last uint32) *view.Listing {
		im, err := m.Raw.Open(set, set.DefaultContext(), cubintest.Words(append(code, 1, 2, last)...), "little")
		if err != nil {
			t.Fatal(err)
		}
		return ofImage(t, set, im)
	}
	if d := difference(t, open(3), open(3)); !d.Equal() {
		t.Errorf("the same data differs:\n%s", printedDiff(t, d))
	}
	got := printedDiff(t, difference(t, open(3), open(4)))
	if !strings.Contains(got, ".word 0x00000001, 0x00000002, 0x00000003") || !strings.Contains(got, ".word 0x00000001, 0x00000002, 0x00000004") {
		t.Errorf("got:\n%s", got)
	}
}

// Names, registers and semantics of a shader file of Xenos.
func TestXenosDeclarations(t *testing.T) {
	base := func() *xenostest.Shader {
		return &xenostest.Shader{
			Vertex: true, Constants: []xenostest.Constant{{Name: "matrix", Set: 2, First: 0, Count: 4}, {Name: "map", Set: 3, First: 1, Count: 1}},
			Elements: []xenostest.Semantic{{Usage: 0, Place: 5}}, Interpolators: []xenostest.Semantic{{Usage: 5}}, Words: shaderOf(t, "light.vs.bin"),
		}
	}
	for _, c := range []struct {
		change func(s *xenostest.Shader)
		want   string
	}{
		{func(s *xenostest.Shader) { s.Constants[0], s.Constants[1] = s.Constants[1], s.Constants[0] }, ""},
		{func(s *xenostest.Shader) { s.Constants[0].Name = "model" }, "- @uniform(C0-C3) matrix\n+ @uniform(C0-C3) model\n"},
		{func(s *xenostest.Shader) { s.Constants[1].First = 2 }, "- @sampler(1) map\n+ @sampler(2) map\n"},
		{func(s *xenostest.Shader) { s.Interpolators[0].Usage = 10 }, "- interpolator texcoord0 in export0\n+ interpolator color0 in export0\n"},
		{func(s *xenostest.Shader) { s.Elements[0].Usage = 3 }, "- vertex element position0 fetched at 0x3c\n+ vertex element normal0 fetched at 0x3c\n"},
	} {
		s := base()
		c.change(s)
		if got := printed(t, base().File(), s.File()); got != c.want {
			t.Errorf("got:\n%swant:\n%s", got, c.want)
		}
	}
}

// Declarations of an ELF cubin have the names that text cubins use.
func TestELFDeclarations(t *testing.T) {
	data := elfCubin()
	for _, c := range []struct{ from, to, want string }{
		{"\x07\x00\x00\x00", "\x08\x00\x00\x00", "- c1[0x0] = 0x00000007\n+ c1[0x0] = 0x00000008\n"},
		{"counter", "pointer", "- symbol counter: STB_GLOBAL STT_OBJECT in .nv.global[0x10], 12 bytes\n"},
	} {
		at := bytes.LastIndex(data[:binary.LittleEndian.Uint32(data[0x20:])], []byte(c.from))
		changed := bytes.Clone(data)
		copy(changed[at:], c.to)
		if got := printed(t, data, changed); !strings.Contains(got, c.want) {
			t.Errorf("%q in place of %q:\n%swant:\n%s", c.to, c.from, got, c.want)
		}
	}
}
