package launch_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/target/pica200/launch"
)

// TestLaunchFacts has a row for each fact of a launch: what a program finds at its start, and where. The placements of
// geometry shaders have theirs in TestGeometry too. The source of each is what picasso writes and Azahar and libctru do.
func TestLaunchFacts(t *testing.T) {
	const main = ".proc main\n"
	for _, row := range []struct {
		fact, source string
		set          []string
		want         string
	}{
		{"the program starts at its entry", ".entry other\n.out out position\n.constf k(1,2,3,4)\n" + main + "mov out, -k\nend\n.end\n.proc other\nmov out, k\nend\n.end\n", nil,
			"position 1 2 3 4"},
		{"float constants are in their uniforms", ".out out position\n.constf k(1,-2,0.5,0)\n" + main + "mov out, c95\nend\n.end\n", nil, "position 1 -2 0.5 0"},
		{"float constants for a given uniform", ".out out position\n.setf c7(1,2,3,4)\n" + main + "mov out, c7\nend\n.end\n", nil, "position 1 2 3 4"},
		// x is the number of rounds less one, y the first value of aL, z what is added to it: c10, c12 and c14.
		{"integer constants", ".out out position\n.seti i1(2,0,2,0)\n.setf c10(1,1,1,1)\n.setf c12(2,2,2,2)\n.setf c14(4,4,4,4)\n.setf c0(0,0,0,0)\n" + main +
			"mov r0, c0\nfor i1\nadd r0, c10[aL], r0\n.end\nmov out, r0\nend\n.end\n", nil, "position 7 7 7 7"},
		{"boolean constants", ".out out position\n.setb b3 true\n.constf k(1,2,3,4)\n" + main + "mov out, -k\nifu b3\nmov out, k\n.end\nend\n.end\n", nil, "position 1 2 3 4"},
		{"booleans that nobody sets are false", ".out out position\n.constf k(1,2,3,4)\n" + main + "mov out, k\nifu b3\nmov out, -k\n.end\nend\n.end\n", nil, "position 1 2 3 4"},
		{"inputs in the registers that the file names", ".in pos v2\n.out out position\n" + main + "mov out, v2\nend\n.end\n", []string{"pos=1,2,3,4"}, "position 1 2 3 4"},
		{"uniforms, one register after the other", ".fvec a, m[2]\n.out out position\n" + main + "mov out, c2\nend\n.end\n", []string{"a=9,9,9,9", "m[1]=1,2,3,4"}, "position 1 2 3 4"},
		{"outputs by what they mean, with the components that the file names", ".in pos v0\n.out o1 position\n.out o2 texcoord0.xy\n" + main + "mov o1, pos\nmov o2, pos\nend\n.end\n",
			[]string{"pos=1,2,3,4"}, "position 1 2 3 4 texcoord0 1 2"},
		{"outputs that nobody writes are 0", ".in pos v0\n.out o1 position\n" + main + "mov o1.xy, pos\nend\n.end\n", []string{"pos=1,2,3,4"}, "position 1 2 0 0"},
		{"slots of a geometry shader that nothing was stored in are 0", ".gsh point c0\n.out - position o0\n" + main + "setemit 2, prim\nmov o0, v0\nemit\nend\n.end\n",
			[]string{"v0=1,2,3,4"}, "position 0 0 0 0 position 0 0 0 0 position 1 2 3 4"},
		{"the number of vertices in all components of c0", ".gsh variable c48 1\n.out - position o0\n" + main + "setemit 0\nmov o0, c0\nemit\nsetemit 1\nmov o0, c0\nemit\nsetemit 2, prim\nmov o0, c0\nemit\nend\n.end\n",
			[]string{"rows=v0.x\n1\n2\n"}, "position 2 2 2 2 position 2 2 2 2 position 2 2 2 2"},
	} {
		t.Run(row.fact, func(t *testing.T) {
			if got := runSource(t, row.source, row.set); got != row.want {
				t.Errorf("%s, expected %s", got, row.want)
			}
		})
	}
}

// runSource runs a program of a source, and returns the names of its outputs with their values.
func runSource(t *testing.T, source string, give []string) string {
	t.Helper()
	c, err := pica200.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Compile([]*diag.Source{{Name: "row", Text: source}}, program.CompileOptions{})
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	set, _ := load(t)
	r, err := launch.Open(feed.Request{Set: set, Context: set.DefaultContext(), Data: out.Bytes})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range give {
		name, value, _ := strings.Cut(s, "=")
		if name == "rows" {
			err = r.Read([]byte(value), "csv")
		} else {
			err = r.Set(name, strings.Split(value, ","))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	o, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Budget: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, values := range o.Tables[0].Rows {
		for _, c := range o.Tables[0].Columns {
			if c.Type.Bits == 32 && len(c.Components) > 0 {
				list = append(list, c.Name)
				for _, v := range values[:c.Count()] {
					list = append(list, fmt.Sprint(math.Float32frombits(uint32(v))))
				}
			}
			values = values[c.Count():]
		}
	}
	return strings.Join(list, " ")
}
