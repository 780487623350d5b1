package catalog_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

var identity = []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}

// quad is a geometry shader that makes a point a square of two triangles.
const quad = `.gsh point c0
.fvec size
.constf corner(-1.0, 1.0, 0.0, 0.0)
.in center v0
.out - position
.proc main
	mov r0, corner
	setemit 0
	mad o0, r0.xxzz, size, center
	emit
	setemit 1
	mad o0, r0.yxzz, size, center
	emit
	setemit 2, prim
	mad o0, r0.xyzz, size, center
	emit
	end
.end
`

// TestRun runs programs of several machines by the names of their inputs. The results are computed by hand.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, file, source string
		options            map[string][]string
		in, want           map[string][]float32
	}{
		{
			name: "PICA200 vertex shader", file: "pica200/sprite.shbin", // x and y are half and a quarter, minus 1
			in: map[string][]float32{
				"screen": {0.5, 0.25, 1, 1}, "place": {0, 0, 0, 1}, "atlas": {2, 4, 1, 1},
				"position": {4, 8, 0, 1, 8, 16, 0, 1}, "texcoord": {0.5, 0.25, 0, 0},
			},
			want: map[string][]float32{"position": {1, 1, 0, 1, 3, 3, 0, 1}, "texcoord0": {2, 2, 2, 2}, "color": {1, 1, 1, 1, 1, 1, 1, 1}},
		},
		{
			name: "PICA200 geometry shader", source: quad,
			in: map[string][]float32{"size": {2, 1, 0, 0}, "center": {0, 0, 0.5, 1, 10, 20, 0.5, 1}},
			want: map[string][]float32{
				"primitive": {0, 0, 0, 1, 1, 1}, "triangle": {0, 0, 0, 0, 0, 0}, "inverted": {0, 0, 0, 0, 0, 0},
				"position": {-2, -1, 0.5, 1, 2, -1, 0.5, 1, -2, 1, 0.5, 1, 8, 19, 0.5, 1, 12, 19, 0.5, 1, 8, 21, 0.5, 1},
			},
		},
		{
			name: "Tegra program", file: "tegra/light.vp", // the light meets the first normal, and not the second
			in: map[string][]float32{
				"position": {0, 0, -5, 1}, "normal.xyz": {0, 0, 1, 0, 0, -1}, "light": {0, 0, 1}, "diffuse": {0.5, 0.5, 0.5}, "ambient": {0.25, 0, 0},
				"modelView": identity, "projection": identity,
			},
			want: map[string][]float32{"gl_Position": {0, 0, -5, 1, 0, 0, -5, 1}, "colour": {0.75, 0.5, 0.5, 1, 0.25, 0, 0, 1}},
		},
		{
			name: "Tesla kernel", file: "tesla/vecadd.cubin",
			options: map[string][]string{"block": {"4"}, "params": {"a:ptr b:ptr c:ptr n:s32"}},
			in:      map[string][]float32{"a": {1.5, 2, 3, 4}, "b": {10.5, 20, 30, 40}, "c": make([]float32, 4), "n": {4}},
			want:    map[string][]float32{"a": {1.5, 2, 3, 4}, "b": {10.5, 20, 30, 40}, "c": {12, 22, 33, 44}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var data []byte
			if c.source != "" {
				data = compiledPica(t, c.source)
			} else {
				var err error
				if data, err = os.ReadFile("../../examples/" + c.file); err != nil {
					t.Fatal(err)
				}
			}
			r, err := catalog.Open(feed.Request{Data: data, Options: c.options})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // a run leaves nothing behind but uniforms
				got, err := feed.Run(t.Context(), r, c.in)
				if err != nil {
					t.Fatal(err)
				}
				for name, want := range c.want {
					if !slices.Equal(got[name], want) {
						t.Errorf("%s is %v, expected %v", name, got[name], want)
					}
				}
				if len(got) != len(c.want) {
					t.Errorf("outputs %v, expected those of %v", got, c.want)
				}
			}
		})
	}
}

func compiledPica(t *testing.T, source string) []byte {
	t.Helper()
	m, err := catalog.Lookup("pica200")
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := m.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	out, err := compiler.Compile([]*diag.Source{{Name: "a.pica", Text: source}}, catalog.CompileOptions{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return out.Bytes
}

// TestRunCalls runs two launches of a kernel that share memory, on integers.
func TestRunCalls(t *testing.T) {
	data, err := os.ReadFile("../../examples/tesla/reduce.cubin")
	if err != nil {
		t.Fatal(err)
	}
	r, err := catalog.Open(feed.Request{Data: data, Options: map[string][]string{
		"pointer-size": {"4"}, "call": {"reduce<<<4,256>>>(in, part, 1000)", "reduce<<<1,256>>>(part, sum, 4)"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	in := make([]int32, 1000)
	for i := range in {
		in[i] = int32(i)
	}
	got, err := feed.Run(t.Context(), r, map[string][]int32{"in": in, "part": make([]int32, 4), "sum": {0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if sum := got["sum"]; !slices.Equal(sum, []int32{499500, 0}) {
		t.Errorf("sum %d, expected 499500", sum)
	}
}

// TestOpenErrors opens what cannot be run, and runs kernels with arguments that have no names.
func TestOpenErrors(t *testing.T) {
	const unknown = "expected a program file of a known machine"
	if _, err := catalog.Open(feed.Request{Data: []byte("hello")}); err == nil || err.Error() != unknown {
		t.Errorf("error %v, expected %s", err, unknown)
	}
	data, err := os.ReadFile("../../examples/tesla/vecadd.cubin")
	if err != nil {
		t.Fatal(err)
	}
	r, err := catalog.Open(feed.Request{Data: data, Options: map[string][]string{"block": {"2"}}})
	if err != nil {
		t.Fatal(err)
	}
	in := map[string][]float32{"a": {1, 2}, "b": {3, 4}, "c": {0, 0}, "n": {2}}
	const names = "the parameters of the kernel have no names: "
	if _, err := feed.Run(t.Context(), r, in); err == nil || !strings.HasPrefix(err.Error(), names) {
		t.Errorf("error %v, expected %s...", err, names)
	}
	numbered := map[string][]float32{"0": {1, 2}, "1": {3, 4}, "2": {0, 0}, "3": {2}} // the bits of 2.0 are a large number
	if got, err := feed.Run(t.Context(), r, numbered); err != nil || !slices.Equal(got["2"], []float32{4, 6}) {
		t.Errorf("%v, error %v", got, err)
	}
}

// TestRunWords runs a Tesla vertex program without a container: its inputs, outputs and constants are words of memories.
func TestRunWords(t *testing.T) {
	m, err := catalog.Lookup("tesla")
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	ctx, err := set.ParseContext(set.DefaultContext(), "stage", "vp")
	if err != nil {
		t.Fatal(err)
	}
	machine, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	l, err := exec.Raw(machine, []uint32{0xb1000001, 0x00200788, 0x10000205, 0x0423c789}, 0, ctx, nil) // the first and last line of move.s
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	got, err := feed.Run(t.Context(), m.Words(l), map[string][]float32{"a[0x0]": {1, 2}, "a[0x4]": {3}, "c0[0x0]": {10}})
	if err != nil || !slices.Equal(got["o[0x0]"], []float32{11, 12}) || !slices.Equal(got["o[0x4]"], []float32{3, 3}) {
		t.Errorf("%v, error %v", got, err)
	}
}
