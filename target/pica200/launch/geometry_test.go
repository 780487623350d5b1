package launch_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/target/pica200/launch"
)

// runGeometry runs a geometry shader in picasso's language on vertices in CSV, and returns what it gives: for each
// vertex of a triangle the numbers of the primitive and of the triangle, whether it is inverted, and o0.
func runGeometry(t *testing.T, source, csv string, options map[string][]string) (rows []string, err error) {
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
	r, err := launch.Open(exec.Request{Set: set, Data: out.Bytes, Format: "SHBIN", Options: options})
	if err != nil {
		return nil, err
	}
	if csv != "" {
		if err := r.Read([]byte(csv), "csv"); err != nil {
			return nil, err
		}
	}
	o, err := r.Run(exec.RunOptions{Budget: 1000})
	if err != nil {
		return nil, err
	}
	for i := range o.Stops {
		if o.Noted(&o.Stops[i]) {
			t.Errorf("stop %v", o.Stops[i])
		}
	}
	for _, f := range o.Findings {
		rows = append(rows, "finding "+f.Text+f.Register())
	}
	for _, row := range o.Tables[0].Rows {
		text := fmt.Sprint(row[0], row[1], row[2])
		for _, v := range row[3:7] {
			text += fmt.Sprint(" ", math.Float32frombits(uint32(v)))
		}
		rows = append(rows, text)
	}
	return rows, nil
}

func TestGeometry(t *testing.T) {
	three := "\tsetemit 0\n\tmov o0, v0\n\temit\n\tsetemit 1\n\tmov o0, v1\n\temit\n\tsetemit 2, prim inv\n\tmov o0, v2\n\temit\n"
	for _, test := range []struct {
		name, head, body, csv string
		vertices              string
		want                  string
	}{
		{
			// Three rows are a primitive, of one attribute each. The second triangle of a primitive takes
			// what slots 0 and 1 hold, and is not inverted.
			"point", "point c0", three + "\tsetemit 2, prim\n\tmov o0, -v0\n\temit\n",
			"v0.x,v0.y,v0.z,v0.w\n1,2,3,4\n5,6,7,8\n9,10,11,12\n-1,0,0,0\n-2,0,0,0\n-3,0,0,0\n", "3",
			"0 0 1 1 2 3 4;0 0 1 5 6 7 8;0 0 1 9 10 11 12;0 1 0 1 2 3 4;0 1 0 5 6 7 8;0 1 0 -1 -2 -3 -4;" +
				"1 0 1 -1 0 0 0;1 0 1 -2 0 0 0;1 0 1 -3 0 0 0;1 1 0 -1 0 0 0;1 1 0 -2 0 0 0;1 1 0 1 -0 -0 -0",
		},
		{
			// What is not written again is that of two emits before: the third vertex has y to w of the
			// first, the fourth those of the second.
			"banks", "point c0", "\tsetemit 0\n\tmov o0, v0\n\temit\n\tsetemit 1\n\tmov o0, v1\n\temit\n\tsetemit 2, prim\n\tmov o0.x, v2\n\temit\n\tsetemit 0, prim\n\tmov o0.y, v2\n\temit\n",
			"v0.x,v0.y,v0.z,v0.w\n1,2,3,4\n5,6,7,8\n9,10,11,12\n", "3",
			"0 0 0 1 2 3 4;0 0 0 5 6 7 8;0 0 0 9 2 3 4;0 1 0 5 10 7 8;0 1 0 5 6 7 8;0 1 0 9 2 3 4",
		},
		{
			// The slots keep their vertices from one primitive to the next: the second gives its own in
			// slot 2 alone.
			"slots", "point c0", "\tcmp c95, ne, ne, v0\n\tjmpc cmp.x, last\n\tsetemit 0\n\tmov o0, v1\n\temit\n\tsetemit 1\n\tmov o0, v2\n\temit\nlast:\n\tsetemit 2, prim\n\tmov o0, v0\n\temit\n",
			"v0.x,v0.y,v1.x,v1.y,v2.x,v2.y\n0,0,1,1,2,2\n7,7,3,3,4,4\n", "",
			"0 0 0 1 1 0 0;0 0 0 2 2 0 0;0 0 0 0 0 0 0;1 0 0 1 1 0 0;1 0 0 2 2 0 0;1 0 0 7 7 0 0",
		},
		{
			// c0 is the number of vertices. The first two have both attributes, the third the first alone:
			// c1, c2; c3, c4; c5.
			"variable", "variable c48 2", "\tsetemit 0\n\tmov o0, c0\n\temit\n\tsetemit 1\n\tmov o0, c4\n\temit\n\tsetemit 2, prim\n\tmov o0, c5\n\temit\n",
			"v0.x,v0.y,v0.z,v0.w,v1.x,v1.y,v1.z,v1.w\n1,1,1,1,10,10,10,10\n2,2,2,2,20,20,20,20\n3,3,3,3,30,30,30,30\n", "",
			"0 0 0 3 3 3 3;0 0 0 20 20 20 20;0 0 0 3 3 3 3",
		},
		{
			// An array of two vertices from c10 on.
			"fixed", "fixed c48 c10 2", "\tsetemit 0\n\tmov o0, c10\n\temit\n\tsetemit 1\n\tmov o0, c11\n\temit\n\tsetemit 2, prim\n\tmov o0, c13\n\temit\n",
			"v0.x,v0.y,v0.z,v0.w,v1.x,v1.y,v1.z,v1.w\n1,1,1,1,10,10,10,10\n2,2,2,2,20,20,20,20\n3,3,3,3,30,30,30,30\n4,4,4,4,40,40,40,40\n", "",
			"0 0 0 1 1 1 1;0 0 0 10 10 10 10;0 0 0 20 20 20 20;1 0 0 3 3 3 3;1 0 0 30 30 30 30;1 0 0 40 40 40 40",
		},
	} {
		options := map[string][]string{}
		if test.vertices != "" {
			options["vertices"] = []string{test.vertices}
		}
		rows, err := runGeometry(t, ".gsh "+test.head+"\n.out - position o0\n.proc main\n"+test.body+"\tend\n.end\n", test.csv, options)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, r := range rows {
			if !strings.HasPrefix(r, "finding") {
				got = append(got, r)
			}
		}
		if text := strings.Join(got, ";"); text != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, text, test.want)
		}
	}
}

func TestGeometryMistakes(t *testing.T) {
	source := func(head string) string {
		return ".gsh " + head + "\n.out - position o0\n.proc main\n\tmov o0, v0\n\tsetemit 0\n\temit\n\tend\n.end\n"
	}
	for _, test := range []struct{ head, csv, vertices, want string }{
		{"point c0", "v0.x\n1\n2\n", "3", "2 vertices, expected a multiple of the 3 of a primitive"},
		{"point c0", "v0.x\n1\n", "x", `--vertices "x", expected a number`},
		{"fixed c48 c10 2", "v0.x\n1\n", "3", "--vertices 3, but the file says that a primitive has 2"},
		{"point c0", "v15.x\n1\n2\n", "2", "reaches beyond v15"},
		{"point c0", "c5.x\n1\n", "", "c5 is no attribute of a vertex"},
	} {
		options := map[string][]string{}
		if test.vertices != "" {
			options["vertices"] = []string{test.vertices}
		}
		if _, err := runGeometry(t, source(test.head), test.csv, options); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.head, err, test.want)
		}
	}
}
