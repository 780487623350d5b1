package feed_test

import (
	"math"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
)

// callXML is a machine whose instruction copies an input of each type to an output. stop stops in lane 1 of several.
const callXML = `<isa strict="true">
<file name="u" type="u32" count="1" use="input" init="0"/><file name="s" type="s16" count="1" use="input" init="0"/>
<file name="b" type="bool" count="1" use="input" init="0"/><file name="w" type="u64" count="1" use="input" init="0"/>
<file name="f" type="f32x2" count="1" use="input" init="0"/><file name="h" type="f16" count="1" use="input" init="0"/>
<file name="c" type="f32x2" count="2" scope="launch" use="constant" init="0"/>
<file name="ou" type="u32" count="1" use="output"/><file name="os" type="s16" count="1" use="output"/>
<file name="ob" type="bool" count="1" use="output"/><file name="ow" type="u64" count="1" use="output"/>
<file name="of" type="f32x2" count="1" use="output"/><file name="oh" type="f16" count="1" use="output"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"/>
<bitset name="copy" extends="#instruction"><display>copy</display><pattern low="0" high="7">00000000</pattern>
<semantics>ou[0] = u[0]; os[0] = s[0]; ob[0] = b[0]; ow[0] = w[0]; of[0] = f[0] + c[0] + c[1]; oh[0] = h[0]; if (u[0] == 13) { trap "bad luck"; }</semantics></bitset>
</isa>`

func callBatch(t *testing.T) *feed.Batch {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{"call.xml": {Data: []byte(callXML)}}, "call.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	l, err := exec.Raw(m, []uint32{0}, 8, set.DefaultContext(), nil)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return feed.NewBatch(l)
}

// TestRunConverts passes numbers of a Go type through registers of each type.
func TestRunConverts(t *testing.T) {
	t.Run("float64", func(t *testing.T) {
		big := float64(1 << 63)
		run(t, map[string][]float64{
			"u0": {0, 1, math.MaxUint32}, "s0": {-32768, 0, 32767}, "b0": {1, 0, 1}, "w0": {0, big, 3},
			"f0": {0.5, -2, math.Inf(1), 0.1, 3, 4}, "h0": {65504, 1.0 / 3, -0.25}, "c0": {1, 0},
		}, map[string][]float64{
			"ou0": {0, 1, math.MaxUint32}, "os0": {-32768, 0, 32767}, "ob0": {1, 0, 1}, "ow0": {0, big, 3},
			"of0": {1.5, -2, math.Inf(1), float64(float32(0.1)), 4, 4}, "oh0": {65504, 1365.0 / 4096, -0.25},
		})
	})
	t.Run("uint64", func(t *testing.T) {
		run(t, map[string][]uint64{"u0": {7}, "s0": {5, 6}, "b0": {1}, "w0": {math.MaxUint64, 9}, "f0": {1 << 24, 2, 1 << 40, 3}, "h0": {2048}, "c1": {0, 1}},
			map[string][]uint64{"ou0": {7, 7}, "os0": {5, 6}, "ob0": {1, 1}, "ow0": {math.MaxUint64, 9}, "of0": {1 << 24, 3, 1 << 40, 4}, "oh0": {2048, 2048}})
	})
	t.Run("int8", func(t *testing.T) {
		run(t, map[string][]int8{"s0": {-128, 127}, "f0.y": {-3}, "h0": {-1}},
			map[string][]int8{"ou0": {0, 0}, "os0": {-128, 127}, "ob0": {0, 0}, "ow0": {0, 0}, "of0": {0, -3, 0, -3}, "oh0": {-1, -1}})
	})
}

func run[T feed.Number](t *testing.T, in, want map[string][]T) {
	t.Helper()
	got, err := feed.Run(t.Context(), callBatch(t), in)
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range want {
		if !slices.Equal(got[name], list) {
			t.Errorf("%s is %v, expected %v", name, got[name], list)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d outputs, expected %d: %v", len(got), len(want), got)
	}
}

// TestRunErrors runs programs with inputs that do not fit, and a program that traps.
func TestRunErrors(t *testing.T) {
	for _, c := range []struct {
		in   map[string][]float32
		want string
	}{
		{map[string][]float32{"u0": {0.5}}, "u0: a register of type u32 cannot hold 0.5"},
		{map[string][]float32{"u0": {1, -1}}, "u0: a register of type u32 cannot hold -1"},
		{map[string][]float32{"u0": {1 << 32}}, "u0: a register of type u32 cannot hold 4.294967296e+09"},
		{map[string][]float32{"s0": {32768}}, "s0: a register of type s16 cannot hold 32768"},
		{map[string][]float32{"s0": {-32769}}, "s0: a register of type s16 cannot hold -32769"},
		{map[string][]float32{"s0": {float32(math.NaN())}}, "s0: a register of type s16 cannot hold NaN"},
		{map[string][]float32{"b0": {2}}, "b0: a register of type bool cannot hold 2"},
		{map[string][]float32{"w0": {1 << 64}}, "w0: a register of type u64 cannot hold 1.8446744073709552e+19"},
		{map[string][]float32{"f0": {1, 2, 3}}, "f0: 3 values, expected 2 for each vertex"},
		{map[string][]float32{"f0": {}}, "f0: 0 values, expected 2 for each vertex"},
		{map[string][]float32{"f0": {1, 2, 3, 4}, "u0": {1, 2, 3}}, "u0: values for 3 vertices, but f0 has values for 2"},
		{map[string][]float32{"c0": {1, 2, 3}}, "c0: 3 values, expected at most 2"},
		{map[string][]float32{"ou0": {1}}, "ou0: expected an input or a uniform, not an output"},
		{map[string][]float32{"f0.z": {1}}, `f0 has no component "z"`},
		{map[string][]float32{"f0.yx": {1, 2}}, "f0.yx: expected each component once, in the order of the register"},
		{map[string][]float32{"g0": {1}}, `unknown input, uniform or register "g0", expected one of u0 to u0, s0 to s0, b0 to b0, w0 to w0, f0 to f0, h0 to h0, c0 to c1, ou0 to ou0, os0 to os0, ob0 to ob0, ow0 to ow0, of0 to of0, 1 more`},
		{map[string][]float32{"u0": {12, 13, 13}}, "2 of 3 vertices, the first 1: trap: bad luck at 0x0"},
		{map[string][]float32{"u0": {1 << 24}, "w0": {1 << 25}}, ""},
	} {
		_, err := feed.Run(t.Context(), callBatch(t), c.in)
		if text := ""; err != nil {
			text = err.Error()
			if text != c.want {
				t.Errorf("%v: error %s, expected %s", c.in, text, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%v: no error, expected %s", c.in, c.want)
		}
	}
	const inexact = "output ow0: type float32 cannot hold 16777217"
	b := callBatch(t)
	if err := b.Set("w0", []string{"16777217"}); err != nil { // an input of all lanes
		t.Fatal(err)
	}
	if _, err := feed.Run(t.Context(), b, map[string][]float32{}); err == nil || err.Error() != inexact {
		t.Errorf("error %v, expected %s", err, inexact)
	}
	const whole = "output of0: type int32 cannot hold 0.5"
	if err := b.Set("c0", []string{"0.5"}); err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Run(t.Context(), b, map[string][]int32{"f0": {0, 0}}); err == nil || err.Error() != whole {
		t.Errorf("error %v, expected %s", err, whole)
	}
}
