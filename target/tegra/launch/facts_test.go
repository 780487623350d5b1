package launch_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/tegra"
	"github.com/isago/isago/target/tegra/launch"
)

// TestLaunchFacts has a row for each fact of a launch: what a vertex program finds at its start, and where. They are those
// of grate's loader and of its tests on hardware.
func TestLaunchFacts(t *testing.T) {
	set, m := load(t)
	parser, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		fact, words string
		names       tegra.Program
		set         []string
		want        string
	}{
		{"attributes in the registers that the program names", "(export[7]=vector) MOVv r63.xyzw, a[3].xyzw", tegra.Program{Attributes: []tegra.Name{{Number: 3, Name: "pos"}}}, []string{"pos=1,2,3,4"}, "export7 1 2 3 4"},
		{"a uniform reaches up to the next name", "(export[7]=vector) MOVv r63.xyzw, c[3].xyzw", tegra.Program{Uniforms: []tegra.Name{{Number: 0, Name: "m"}, {Number: 4, Name: "v"}}}, []string{"m[3]=1,2,3,4"}, "export7 1 2 3 4"},
		{"or up to a constant", "(export[7]=vector) MOVv r63.xyzw, c[0].xyzw", tegra.Program{Uniforms: []tegra.Name{{Number: 0, Name: "m"}}, Constants: []tegra.Constant{{Number: 1, Bits: 0}}}, []string{"m[1]=1,2,3,4"},
			"m[1], but m has 1 registers"},
		{"constants are in their registers", "(export[7]=vector) MOVv r63.xyzw, c[5].xyzw", tegra.Program{Constants: []tegra.Constant{{Number: 5, Component: 1, Bits: 0x40000000}}}, nil, "export7 0 2 0 0"},
		{"outputs have the names of the program", "(export[7]=vector) MOVv r63.xyzw, a[0].xyzw", tegra.Program{Exports: []tegra.Name{{Number: 7, Name: "color"}}}, []string{"a0=1,2,3,4"}, "color 1 2 3 4"},
		{"in the order of their numbers, and those without a name that are written", "(export[1]=vector) MOVv r63.xyzw, a[0].xyzw / (export[0]=vector) MOVv r63.xy**, a[0].xyzw", tegra.Program{Exports: []tegra.Name{{Number: 1, Name: "color"}}}, []string{"a0=1,2,3,4"},
			"export0 1 2 0 0 color 1 2 3 4"},
		{"exports that nobody writes are 0", "(export[1]=vector) MOVv r63.xyzw, a[0].xyzw", tegra.Program{Exports: []tegra.Name{{Number: 0, Name: "position"}}}, []string{"a0=1,2,3,4"}, "position 0 0 0 0 export1 1 2 3 4"},
	} {
		t.Run(row.fact, func(t *testing.T) {
			p := row.names
			p.Words = words(t, parser, row.words, false).Words
			l, err := launch.New(m, set, &p, nil)
			if err != nil {
				t.Fatal(err)
			}
			b := feed.NewBatch(l)
			for _, s := range row.set {
				name, value, _ := strings.Cut(s, "=")
				if err = b.Set(name, strings.Split(value, ",")); err != nil {
					break
				}
			}
			if got := ran(t, b, err); got != row.want {
				t.Errorf("%s, expected %s", got, row.want)
			}
		})
	}
}

// ran runs a program that could be given what it is given, and returns the names of its outputs with their values.
func ran(t *testing.T, b *feed.Batch, err error) string {
	t.Helper()
	if err != nil {
		return err.Error()
	}
	out, err := b.Run(t.Context(), feed.RunOptions{})
	if err != nil || len(out.Findings) > 0 {
		t.Fatal(err, out.Findings)
	}
	var list []string
	values := out.Tables[0].Rows[0]
	for _, c := range out.Tables[0].Columns {
		list = append(list, c.Name)
		for _, v := range values[:c.Count()] {
			list = append(list, fmt.Sprint(math.Float32frombits(uint32(v))))
		}
		values = values[c.Count():]
	}
	return strings.Join(list, " ")
}
