package catalog_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// interesting are bits of floats and numbers in which engines differ first: zeros, denormals, infinities, NaNs, limits.
var interesting = []uint64{0, 0x80000000, 1, 0x807fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0x3f800000, 0xbf800000, 0x7fffffff, 0xffffffff}

// Planes give the bits that rows give, and the same report, on every machine, for one wave at a time and for several.
func TestPlanesAreRows(t *testing.T) {
	for _, row := range []struct{ machine, file, stage string }{
		{"pica200", "pica200/light.shbin", ""}, {"pica200", "pica200/skin.shbin", ""}, {"pica200", "pica200/flow.shbin", ""},
		{"pica200", "pica200/every.shbin", ""}, {"tegra", "tegra/textured.vp", ""}, {"tegra", "tegra/skin.vp", ""}, {"tegra", "tegra/wave.vp", ""},
		{"a2xx", "a2xx/choices.fs.bin", "fs"}, {"a2xx", "a2xx/calls.vs.bin", "vs"}, {"a2xx", "a2xx/lights.vs.bin", "vs"},
		{"tesla", "tesla/fade.s", "fp"},
	} {
		t.Run(row.file, func(t *testing.T) {
			l := launchOf(t, row.machine, row.file, row.stage)
			inputs := slices.Clone(l.Inputs)
			if len(inputs) == 0 { // the file names none: all registers of lanes that a wave has at its start
				for _, name := range []string{"R0", "R1", "R2", "r0", "r1", "r2", "v[0x10]", "v[0x14]"} {
					if p, err := l.Find(name); err == nil {
						inputs = append(inputs, p)
					}
				}
			}
			b := l.Bind(inputs, l.Outputs)
			if len(b.Inputs) == 0 || len(b.Outputs) == 0 {
				t.Fatalf("%d inputs, %d outputs", len(b.Inputs), len(b.Outputs))
			}
			r := rand.New(rand.NewPCG(50, 4))
			for _, lanes := range []int{1, 64, 333, 1500} {
				rows := exec.Input{Lanes: lanes, Ports: inputs}
				in, out := exec.NewPlanes(b.Inputs, lanes), exec.NewPlanes(b.Outputs, lanes)
				for i := range in {
					in[i].Missing = make([]uint64, (lanes+63)/64)
				}
				for lane := range lanes {
					values, missing := make([]uint64, len(in)), make([]bool, len(in))
					for i := range in {
						values[i] = uint64(0x3f000000 + r.Uint32N(0x01800000))
						if r.IntN(4) == 0 {
							values[i] = interesting[r.IntN(len(interesting))]
						}
						if missing[i] = r.IntN(50) == 0; missing[i] {
							in[i].Missing[lane/64] |= 1 << uint(lane%64)
						}
						if in[i].U64 != nil {
							in[i].U64[lane] = values[i]
						} else {
							in[i].U32[lane] = uint32(values[i])
						}
					}
					rows.Values, rows.Missing = append(rows.Values, values), append(rows.Missing, missing)
				}
				if lanes == 1500 {
					rows.Missing = nil
					for i := range in {
						in[i].Missing = nil
					}
				}
				for _, jobs := range []int{1, 3} {
					opt := exec.RunOptions{Jobs: jobs, Budget: 10000}
					want, err := l.Run(t.Context(), rows, opt)
					if err != nil {
						t.Fatal(err)
					}
					report, err := b.Run(t.Context(), lanes, in, out, opt)
					if err != nil {
						t.Fatal(err)
					}
					if !reflect.DeepEqual(*report, want.Report) {
						t.Errorf("%d lanes: report %+v, rows have %+v", lanes, *report, want.Report)
					}
					for lane, values := range want.Values {
						for i := range out {
							var got uint64
							if out[i].U64 != nil {
								got = out[i].U64[lane]
							} else {
								got = uint64(out[i].U32[lane])
							}
							if got != values[i] {
								t.Fatalf("%d lanes, lane %d, output %d: %#x, rows have %#x", lanes, lane, i, got, values[i])
							}
						}
					}
				}
			}
		})
	}
}

// launchOf opens an example; raw code and source are for a stage.
func launchOf(t *testing.T, machine, file, stage string) *exec.Launch {
	t.Helper()
	m, err := catalog.Lookup(machine)
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	data, err := os.ReadFile("../../examples/" + file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := set.DefaultContext()
	if stage != "" {
		if ctx, err = set.ParseContext(ctx, "stage", stage); err != nil {
			t.Fatal(err)
		}
	}
	if strings.HasSuffix(file, ".s") {
		c, err := m.NewCompiler()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Compile([]*diag.Source{{Name: file, Text: string(data)}}, catalog.CompileOptions{Context: func(*isa.Set) (bits.Value, error) { return ctx, nil }})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		var words []uint32
		for i := 0; i < len(out.Bytes); i += 4 {
			words = append(words, binary.LittleEndian.Uint32(out.Bytes[i:]))
		}
		semantics, err := exec.Open(set)
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		l, err := exec.Raw(semantics, words, 0, ctx, nil)
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		return m.Words(l).(feed.Launched).Launched()
	}
	r, err := m.Launch(feed.Request{Set: set, Context: ctx, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return r.(feed.Launched).Launched()
}
