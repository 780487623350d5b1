package launch_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/target/pica200/launch"
)

// geometryInput is what a geometry shader is run on.
type geometryInput struct {
	// csv or json are the vertices, same what all of them have, as NAME=VALUE,...
	csv, json, same string
	options         map[string][]string
	quirks          map[string]string
	strict          bool
	trace           func(*exec.Wave, exec.Event)
	// set is the instruction set, nil for the shipped one.
	set *isa.Set
}

// runGeometry runs a geometry shader in picasso's language and returns what it gives: for each vertex of a triangle the
// numbers of the primitive and of the triangle, whether it is inverted, and the outputs; then what is reported, and stops.
func runGeometry(t *testing.T, in geometryInput, sources ...string) (rows []string, err error) {
	t.Helper()
	c, err := pica200.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	var list []*diag.Source
	for i, text := range sources {
		list = append(list, &diag.Source{Name: fmt.Sprint("source", i), Text: text})
	}
	out, err := c.Compile(list, program.CompileOptions{})
	if err != nil {
		t.Fatalf("%s: %v", sources, err)
	}
	if in.set == nil {
		in.set, _ = load(t)
	}
	r, err := launch.Open(feed.Request{Set: in.set, Data: out.Bytes, Program: fmt.Sprint(len(sources) - 1), Options: in.options, Quirks: in.quirks})
	if err != nil {
		return nil, err
	}
	if name, values, ok := strings.Cut(in.same, "="); ok {
		if err := r.Set(name, strings.Split(values, ",")); err != nil {
			t.Fatal(err)
		}
	}
	for format, text := range map[string]string{"csv": in.csv, "json": in.json} {
		if text == "" {
			continue
		}
		if err := r.Read([]byte(text), format); err != nil {
			return nil, err
		}
	}
	o, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Budget: 1000, Strict: in.strict, Trace: in.trace}, Stats: true})
	if err != nil {
		return nil, err
	}
	for _, row := range o.Tables[0].Rows {
		text := fmt.Sprint(row[0], row[1], row[2])
		for _, v := range row[3:] {
			text += fmt.Sprint(" ", math.Float32frombits(uint32(v)))
		}
		rows = append(rows, text)
	}
	for i := range o.Findings {
		f := &o.Findings[i]
		rows = append(rows, fmt.Sprintf("%d at 0x%x: %s%s", f.Count, f.Address, f.Text, f.Register()))
	}
	for i := range o.Stops {
		if o.Noted(&o.Stops[i]) {
			rows = append(rows, fmt.Sprintf("%d %s", o.Stops[i].Count, o.Stops[i].Stop))
		}
	}
	return append(rows, o.Stats...), nil
}

// vertices is the option of that name, "" for none.
func vertices(n string) map[string][]string {
	if n == "" {
		return nil
	}
	return map[string][]string{"vertices": {n}}
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
				"1 0 1 -1 0 0 0;1 0 1 -2 0 0 0;1 0 1 -3 0 0 0;1 1 0 -1 0 0 0;1 1 0 -2 0 0 0;1 1 0 1 -0 -0 -0;attributes of a vertex: 1 (the highest attribute that the inputs name)",
		},
		{
			// What is not written again is that of two emits before: the third vertex has y to w of the
			// first, the fourth those of the second.
			"banks", "point c0", "\tsetemit 0\n\tmov o0, v0\n\temit\n\tsetemit 1\n\tmov o0, v1\n\temit\n\tsetemit 2, prim\n\tmov o0.x, v2\n\temit\n\tsetemit 0, prim\n\tmov o0.y, v2\n\temit\n",
			"v0.x,v0.y,v0.z,v0.w\n1,2,3,4\n5,6,7,8\n9,10,11,12\n", "3",
			"0 0 0 1 2 3 4;0 0 0 5 6 7 8;0 0 0 9 2 3 4;0 1 0 5 10 7 8;0 1 0 5 6 7 8;0 1 0 9 2 3 4;attributes of a vertex: 1 (the highest attribute that the inputs name)",
		},
		{
			// The slots keep their vertices from one primitive to the next: the second gives its own in
			// slot 2 alone.
			"slots", "point c0", "\tcmp c95, ne, ne, v0\n\tjmpc cmp.x, last\n\tsetemit 0\n\tmov o0, v1\n\temit\n\tsetemit 1\n\tmov o0, v2\n\temit\nlast:\n\tsetemit 2, prim\n\tmov o0, v0\n\temit\n",
			"v0.x,v0.y,v1.x,v1.y,v2.x,v2.y\n0,0,1,1,2,2\n7,7,3,3,4,4\n", "",
			"0 0 0 1 1 0 0;0 0 0 2 2 0 0;0 0 0 0 0 0 0;1 0 0 1 1 0 0;1 0 0 2 2 0 0;1 0 0 7 7 0 0;" +
				"2 at 0x0: c95.x;2 at 0x0: c95.y;1 at 0xc: v1.z;1 at 0xc: v1.w;1 at 0x18: v2.z;1 at 0x18: v2.w;2 at 0x24: v0.z;2 at 0x24: v0.w",
		},
		{
			// c0 is the number of vertices. The first two have both attributes, the third the first alone:
			// c1, c2; c3, c4; c5.
			"variable", "variable c48 2", "\tsetemit 0\n\tmov o0, c0\n\temit\n\tsetemit 1\n\tmov o0, c4\n\temit\n\tsetemit 2, prim\n\tmov o0, c5\n\temit\n",
			"v0.x,v0.y,v0.z,v0.w,v1.x,v1.y,v1.z,v1.w\n1,1,1,1,10,10,10,10\n2,2,2,2,20,20,20,20\n3,3,3,3,30,30,30,30\n", "",
			"0 0 0 3 3 3 3;0 0 0 20 20 20 20;0 0 0 3 3 3 3;attributes of a vertex: 2 (the highest attribute that the inputs name)",
		},
		{
			// An array of two vertices from c10 on.
			"fixed", "fixed c48 c10 2", "\tsetemit 0\n\tmov o0, c10\n\temit\n\tsetemit 1\n\tmov o0, c11\n\temit\n\tsetemit 2, prim\n\tmov o0, c13\n\temit\n",
			"v0.x,v0.y,v0.z,v0.w,v1.x,v1.y,v1.z,v1.w\n1,1,1,1,10,10,10,10\n2,2,2,2,20,20,20,20\n3,3,3,3,30,30,30,30\n4,4,4,4,40,40,40,40\n", "",
			"0 0 0 1 1 1 1;0 0 0 10 10 10 10;0 0 0 20 20 20 20;1 0 0 3 3 3 3;1 0 0 30 30 30 30;1 0 0 40 40 40 40;attributes of a vertex: 2 (the highest attribute that the inputs name)",
		},
	} {
		rows, err := runGeometry(t, geometryInput{csv: test.csv, options: vertices(test.vertices)}, ".gsh "+test.head+"\n.out - position o0\n.proc main\n"+test.body+"\tend\n.end\n")
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if text := strings.Join(rows, ";"); text != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, text, test.want)
		}
	}
}

func TestGeometryMistakes(t *testing.T) {
	source := func(head string) string {
		return ".gsh " + head + "\n.out - position o0\n.proc main\n\tmov o0, v0\n\tsetemit 0\n\temit\n\tend\n.end\n"
	}
	for _, test := range []struct{ head, csv, vertices, want string }{
		{"point c0", "v0.x\n1\n2\n", "3", "2 vertices, expected a multiple of 3, the number of vertices of a primitive"},
		{"point c0", "v0.x\n1\n", "x", `--vertices "x", expected a number`},
		{"fixed c48 c10 2", "v0.x\n1\n", "3", "--vertices 3, but a primitive in the file has 2 vertices"},
		{"point c0", "v15.x\n1\n2\n", "2", "reaches beyond v15"},
		{"point c0", "c5.x\n1\n", "", "c5 is not an attribute of a vertex"},
	} {
		if _, err := runGeometry(t, geometryInput{csv: test.csv, options: vertices(test.vertices)}, source(test.head)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.head, err, test.want)
		}
	}
}

// geometryRow is a run of a geometry shader, of which want is what runGeometry returns.
type geometryRow struct {
	name, head, body string
	geometryInput
	want string
}

func (row *geometryRow) check(t *testing.T, sources ...string) {
	t.Helper()
	got, err := runGeometry(t, row.geometryInput, append(sources, ".gsh "+row.head+"\n.out - position o0.xy\n.proc main\n"+row.body+"\tend\n.end\n")...)
	if err != nil {
		got = []string{err.Error()}
	}
	if text := strings.Join(got, ";"); text != row.want {
		t.Errorf("%s:\n%s, want\n%s", row.name, text, row.want)
	}
}

// filled stores v0 in slots 0 and 1.
const filled = "\tsetemit 0\n\tmov o0, v0\n\temit\n\tsetemit 1\n\tmov o0, v0\n\temit\n"

// A trace has the instructions of the first primitive, here a nop and an end.
func TestGeometryTrace(t *testing.T) {
	starts := 0
	in := geometryInput{csv: "v0.x\n1\n2\n", trace: func(_ *exec.Wave, e exec.Event) {
		if e.Kind == exec.Starts {
			starts++
		}
	}}
	if _, err := runGeometry(t, in, ".gsh point c0\n.out - position o0.xy\n.proc main\n\tnop\n\tend\n.end\n"); err != nil || starts != 2 {
		t.Errorf("%d instructions, %v, want 2", starts, err)
	}
}

// An emit of a component that nobody wrote is reported, in each bank, and so is a triangle with a slot in which nothing
// was stored.
func TestGeometryUnwritten(t *testing.T) {
	const csv = "v0.x,v0.y,v0.z,v0.w\n1,2,3,4\n"
	empty := func(slot int, at string) string {
		return fmt.Sprintf("1 at %s: a triangle with slot %d, in which no vertex was stored: its outputs are 0 here", at, slot)
	}
	for _, row := range []geometryRow{
		{"nothing is emitted", "point c0", "\tnop\n", geometryInput{csv: csv}, ""},
		{"a component is not written", "point c0", "\tmov o0.x, v0\n\temit\n", geometryInput{csv: csv}, "1 at 0x4: o0.y"},
		{"with strict it stops", "point c0", "\tmov o0.x, v0\n\temit\n", geometryInput{csv: csv, strict: true}, "1 at 0x4: o0.y;1 trap: read of an unwritten register at 0x4"},
		// Emits 1 and 3 have one bank, emit 2 the other, in which nobody wrote y.
		{"the other bank", "point c0", "\tmov o0, v0\n\temit\n\tmov o0.x, v0\n\temit\n\tmov o0.x, v0\n\temit\n", geometryInput{csv: csv}, "1 at 0xc: o0.y"},
		{"both banks", "point c0", "\tmov o0.x, v0\n\temit\n\tmov o0.x, v0\n\temit\n\temit\n", geometryInput{csv: csv}, "1 at 0x4: o0.y;1 at 0xc: o0.y;1 at 0x10: o0.y"},
		{"two empty slots", "point c0", "\tsetemit 0, prim\n\tmov o0, v0\n\temit\n", geometryInput{csv: csv}, "0 0 0 1 2;0 0 0 0 0;0 0 0 0 0;" + empty(1, "0x8") + ";" + empty(2, "0x8")},
		{"an empty slot, strictly", "point c0", filled + "\tsetemit 1, prim\n\tmov o0, v0\n\temit\n", geometryInput{csv: csv, strict: true}, empty(2, "0x20") + ";1 trap: unknown: a triangle with slot 2, in which no vertex was stored: its outputs are 0 here at 0x20"},
		{"slots that an earlier primitive filled", "point c0", "\tmov r0, v0\n\tsetemit 0\n\tjmpu b15, last\n" + filled + "\tsetemit 2\nlast:\n\tsetemit 2, prim\n\tmov o0, v0\n\temit\n",
			geometryInput{csv: "v0.x,v0.y,v0.z,v0.w\n1,2,3,4\n5,6,7,8\n"}, "0 0 0 1 2;0 0 0 1 2;0 0 0 1 2;1 0 0 1 2;1 0 0 1 2;1 0 0 5 6"},
	} {
		row.check(t)
	}
}

// From one primitive to the next, registers start afresh, and keep their values with the quirk.
func TestGeometryNextPrimitive(t *testing.T) {
	const csv = "v0.x,v0.y,v0.z,v0.w\n1,2,3,4\n5,6,7,8\n"
	kept := map[string]string{"registers_kept": "true"}
	// The first primitive, for which b15 is false, fills all slots and writes what the second one reads.
	first := func(write, then string) string {
		return "\tjmpu b15, later\n" + write + filled + "\tsetemit 2, prim\n\tmov o0, v0\n\temit\n\tend\nlater:\n\tsetemit 2, prim\n" + then + "\temit\n"
	}
	const before = "0 0 0 1 2;0 0 0 1 2;0 0 0 1 2;1 0 0 1 2;1 0 0 1 2;"
	for _, row := range []geometryRow{
		{"a temporary", "point c0", first("\tmov r0, v0\n", "\tmov o0, r0\n"), geometryInput{csv: csv},
			before + "1 0 0 0 0;1 at 0x34: r0.x;1 at 0x34: r0.y;1 at 0x34: r0.z;1 at 0x34: r0.w"},
		{"a temporary, kept", "point c0", first("\tmov r0, v0\n", "\tmov o0, r0\n"), geometryInput{csv: csv, quirks: kept}, before + "1 0 0 1 2"},
		{"an output", "point c0", first("\tnop\n", "\tnop\n"), geometryInput{csv: csv}, before + "1 0 0 0 0;1 at 0x38: o0.x;1 at 0x38: o0.y"},
		// Three emits, so that the fourth has the bank of the second.
		{"an output, kept", "point c0", first("\tnop\n", "\tnop\n"), geometryInput{csv: csv, quirks: kept}, before + "1 0 0 1 2"},
		{"an address register", "point c0", first("\tmova a0.x, v0\n", "\tmov o0, c0[a0.x]\n"), geometryInput{csv: csv, same: "c1=9,8,7,6"},
			before + "1 0 0 0 0;1 at 0x34: c0.x;1 at 0x34: c0.y;1 at 0x34: c0.z;1 at 0x34: c0.w;1 at 0x34: a0.x"},
		{"an address register, kept", "point c0", first("\tmova a0.x, v0\n", "\tmov o0, c0[a0.x]\n"), geometryInput{csv: csv, same: "c1=9,8,7,6", quirks: kept}, before + "1 0 0 9 8"},
		// A register that is given at the start is given once where registers are kept.
		{"what --set gives", "point c0", first("\tmov r0, v0\n", "\tmov o0, r0\n"), geometryInput{csv: csv, same: "r0=9,8,7,6"}, before + "1 0 0 9 8"},
		{"what --set gives, kept", "point c0", first("\tmov r0, v0\n", "\tmov o0, r0\n"), geometryInput{csv: csv, same: "r0=9,8,7,6", quirks: kept}, before + "1 0 0 1 2"},
		{"an input that a row leaves out", "point c0", first("\tnop\n", "\tmov o0, v0\n"), geometryInput{json: `[{"v0": [1, 2, 3, 4]}, {"v0": [5]}]`}, before + "1 0 0 5 0;1 at 0x34: v0.y;1 at 0x34: v0.z;1 at 0x34: v0.w"},
		{"an input that a row leaves out, kept", "point c0", first("\tnop\n", "\tmov o0, v0\n"), geometryInput{json: `[{"v0": [1, 2, 3, 4]}, {"v0": [5]}]`, quirks: kept}, before + "1 0 0 5 2"},
	} {
		row.check(t)
	}
}

// A vertex has as many attributes as the option says, or else the file, or else the inputs name.
func TestGeometryAttributes(t *testing.T) {
	const vertexShader = ".in a v0\n.in b v1\n.out - position o0\n.out - color o1\n.out - view o2\n.proc vmain\n\tmov o0, a\n\tmov o1, b\n\tmov o2, b\n\tend\n.end\n.entry vmain\n"
	const two = "v0.x,v0.y,v1.x,v1.y\n1,2,10,20\n3,4,30,40\n"
	// The triangle is of three registers, from c1 on: v0 and v1 of the first vertex are c1 and c2, and v0 of the second
	// is the one that follows the attributes of the first.
	emits := func(a, b, c string) string {
		text := ""
		for i, source := range []string{a, b, c} {
			text += fmt.Sprintf("\tsetemit %d%s\n\tmov o0.xy, %s\n\temit\n", i, []string{"", "", ", prim"}[i], source)
		}
		return text
	}
	attributes := func(n string) map[string][]string { return map[string][]string{"attributes": {n}} }
	for _, row := range []geometryRow{
		{"one that the inputs name", "variable c48 2", emits("c1.xy", "c2.xy", "c0.xy"), geometryInput{csv: "v0.x,v0.y\n1,2\n3,4\n"},
			"0 0 0 1 2;0 0 0 3 4;0 0 0 2 2;attributes of a vertex: 1 (the highest attribute that the inputs name)"},
		{"two that the inputs name", "variable c48 2", emits("c1.xy", "c2.xy", "c3.xy"), geometryInput{csv: two},
			"0 0 0 1 2;0 0 0 10 20;0 0 0 3 4;attributes of a vertex: 2 (the highest attribute that the inputs name)"},
		{"by the option", "variable c48 2", emits("c1.xy", "c2.xy", "c4.xy"), geometryInput{csv: two, options: attributes("3")},
			"0 0 0 1 2;0 0 0 10 20;0 0 0 3 4;attributes of a vertex: 3 (--attributes)"},
		{"fixed, by the option", "fixed c48 c10 2", emits("c10.xy", "c11.xy", "c13.xy"), geometryInput{csv: two, options: attributes("3")},
			"0 0 0 1 2;0 0 0 10 20;0 0 0 3 4;attributes of a vertex: 3 (--attributes)"},
		{"what no row has is unwritten", "variable c48 2", emits("c1.xy", "c3.xy", "c4.xy"), geometryInput{csv: two, options: attributes("3"), same: "c3=5,5,5,5"},
			"0 0 0 1 2;0 0 0 0 0;0 0 0 3 4;1 at 0x10: c3.x;1 at 0x10: c3.y;attributes of a vertex: 3 (--attributes)"},
		{"more than the option", "variable c48 2", emits("c1.xy", "c2.xy", "c4.xy"), geometryInput{csv: two, options: attributes("1")},
			"the inputs name 2 attributes of a vertex, up to v1, expected at most 1 (--attributes)"},
		{"fixed, more than the option", "fixed c48 c10 2", emits("c10.xy", "c11.xy", "c13.xy"), geometryInput{csv: two, options: attributes("1")},
			"the inputs name 2 attributes of a vertex, up to v1, expected at most 1 (--attributes)"},
		{"point, more than the option", "point c0", "\tnop\n", geometryInput{csv: two, options: attributes("1")},
			"the inputs name 2 attributes of a vertex, up to v1, expected at most 1 (--attributes)"},
		{"beyond the uniforms", "fixed c95 c90 2", "\tnop\n", geometryInput{csv: two, options: attributes("4")},
			"a primitive of 2 vertices with 4 attributes reaches beyond c95"},
		{"no number", "point c0", "\tnop\n", geometryInput{csv: two, options: attributes("none")},
			`--attributes "none", expected a number of at least 1`},
		{"what all vertices have in common", "variable c48 2", emits("c1.xy", "c2.xy", "c4.xy"), geometryInput{csv: "v0.x,v0.y\n1,2\n3,4\n", same: "v1=10,20"},
			"0 0 0 1 2;0 0 0 10 20;0 0 0 10 20;attributes of a vertex: 2 (the highest attribute that the inputs name)"},
		{"one vertex without rows", "variable c48 2", emits("c0.xy", "c1.xy", "c1.xy"), geometryInput{same: "v0=5,6"},
			"0 0 0 1 1;0 0 0 5 6;0 0 0 5 6;attributes of a vertex: 1 (the highest attribute that the inputs name)"},
		{"a row of point mode has all inputs", "point c0", emits("v0.xy", "v1.xy", "v1.xy"), geometryInput{csv: "v0.x,v0.y,v1.x,v1.y\n1,2,10,20\n"},
			"0 0 0 1 2;0 0 0 10 20;0 0 0 10 20"},
	} {
		row.check(t)
	}
	for _, row := range []geometryRow{
		{"by the vertex shader", "variable c48 2", emits("c1.xy", "c2.xy", "c4.xy"), geometryInput{csv: two},
			"0 0 0 1 2;0 0 0 10 20;0 0 0 3 4;attributes of a vertex: 3 (the outputs of the file's vertex shader)"},
		{"point, by the vertex shader", "point c0", emits("v0.xy", "v1.xy", "v3.xy"), geometryInput{csv: two, options: vertices("2")},
			"0 0 0 1 2;0 0 0 10 20;0 0 0 3 4;attributes of a vertex: 3 (the outputs of the file's vertex shader)"},
		{"a row of point mode has all declared inputs", "point c0\n.in a v0\n.in b v1\n.in c v2\n.in d v3", emits("v0.xy", "v3.xy", "v3.xy"), geometryInput{csv: "v0.x,v0.y,v3.x,v3.y\n1,2,10,20\n"},
			"0 0 0 1 2;0 0 0 10 20;0 0 0 10 20"},
		{"more than the vertex shader", "variable c48 2", "\tnop\n", geometryInput{csv: "v3.x\n1\n"},
			"the inputs name 4 attributes of a vertex, up to v3, expected at most 3 (the outputs of the file's vertex shader); --attributes N sets another number"},
	} {
		row.check(t, vertexShader)
	}
	declared := geometryRow{"by the declared inputs", "variable c48 2\n.in a v0\n.in b v1\n.in c v2", emits("c1.xy", "c2.xy", "c4.xy"), geometryInput{csv: two},
		"0 0 0 1 2;0 0 0 10 20;0 0 0 3 4;attributes of a vertex: 3 (the inputs that the shader declares)"}
	declared.check(t)
	declared = geometryRow{"point, by the declared inputs", "point c0\n.in a v0\n.in b v1\n.in c v2\n.in d v3", emits("v0.xy", "v1.xy", "v2.xy"), geometryInput{csv: two, options: vertices("2")},
		"0 0 0 1 2;0 0 0 10 20;0 0 0 3 4;attributes of a vertex: 2 (the inputs that the shader declares for all vertices)"}
	declared.check(t)
}

// TestGeometryPlaces runs a geometry shader with a description whose inputs are in other registers.
func TestGeometryPlaces(t *testing.T) {
	data, err := pica200.FS.ReadFile("pica200.xml")
	if err != nil {
		t.Fatal(err)
	}
	open := func(changes ...string) *isa.Set {
		t.Helper()
		for i := 0; i < len(changes); i += 2 {
			if !strings.Contains(string(data), changes[i]) {
				t.Fatalf("the description has no %s", changes[i])
			}
		}
		set, err := isa.Load(fstest.MapFS{"pica200.xml": {Data: []byte(strings.NewReplacer(changes...).Replace(string(data)))}}, "pica200.xml", isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		return set
	}
	in := geometryInput{csv: "v0.x,v0.y\n1,2\n3,4\n", options: map[string][]string{"vertices": {"1"}}}
	source := ".gsh variable c48 1\n.out - position o0.xy\n.proc main\n\tjmpu b3, last\n\tsetemit 0\n\tmov o0.xy, c7\n\temit\n" +
		"\tsetemit 1\n\tmov o0.xy, c8\n\temit\nlast:\n\tsetemit 2, prim\n\tmov o0.xy, c8\n\temit\n\tend\n.end\n"
	in.set = open(`name="vertices" file="c" number="0"`, `name="vertices" file="c" number="7"`,
		`name="vertex" file="c" number="1"`, `name="vertex" file="c" number="8"`, `name="again" file="b" number="15"`, `name="again" file="b" number="3"`)
	rows, err := runGeometry(t, in, source)
	want := "0 0 0 1 1;0 0 0 1 2;0 0 0 1 2;1 0 0 1 1;1 0 0 1 2;1 0 0 3 4;attributes of a vertex: 1 (the highest attribute that the inputs name)"
	if text := strings.Join(rows, ";"); err != nil || text != want {
		t.Errorf("%s, error %v, want %s", text, err, want)
	}
	in.set = open(`<input name="again"`, `<input name="other"`)
	if _, err = runGeometry(t, in, source); err == nil || err.Error() != `the description has no <input name="again">, which this launch needs` {
		t.Errorf("error %v, want one that names the input", err)
	}
	in.set = open(`<limit name="slots"`, `<limit name="other"`)
	if _, err = runGeometry(t, in, source); err == nil || err.Error() != `the description has no <limit name="slots">, which this launch needs` {
		t.Errorf("error %v, want one that names the limit", err)
	}
}
