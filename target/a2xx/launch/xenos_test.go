package launch_test

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/xenostest"
	"github.com/isago/isago/target/a2xx/launch"
)

// A shader file of the Xbox 360 runs as Xenos does, unless somebody says otherwise: a stride of 1 is a word.
func TestXenosFile(t *testing.T) {
	code := assemble(t, "ALLOC POSITION SIZE(0x0) / EXEC_END / FETCH: VERTEX R1 = R0.x FMT_32_FLOAT SIGNED STRIDE(1) CONST(0, 0) / (S)ALU: MAXv export62 = R1, R1")
	// the kind, what lies before the code, where its header is, and there its place and its size
	words := []uint32{0x102a1101, 0x3c, uint32(4 * len(code)), 0, 0, 0, 0x24, 0, 0, 0, uint32(4 * len(code)), 0, 0, 0, 0}
	var data []byte
	for _, w := range append(words, code...) {
		data = binary.BigEndian.AppendUint32(data, w)
	}
	var buffer []byte
	for _, v := range []float32{1, 2, 3, 4} {
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(v))
	}
	set, m := load(t)
	for quirk, want := range map[string]float32{"": 3, "adreno": 1} {
		quirks := map[string]string{}
		if quirk != "" {
			quirks["machine"] = quirk
		}
		r, err := launch.Open(feed.Request{Set: set, Machine: m, Context: set.DefaultContext(), Data: data, Quirks: quirks, Options: map[string][]string{"buffer": {"0=b"}}, File: files{"b": buffer}.read})
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}, Count: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := math.Float32frombits(uint32(out.Values[2][0])); got != want {
			t.Errorf("machine %q: vertex 2 has %v, want %v", quirk, got, want)
		}
	}
}

// namedVertex is a vertex program as Microsoft's compiler leaves it, whose fetches the runtime fills in: it adds the vector
// of C1 to a position, and hands on a coordinate and a normal.
func namedVertex(t *testing.T) []byte {
	const fetch = " = R0.x FMT_1_REVERSE UNSIGNED STRIDE(0) CONST(31, 2)"
	code := assemble(t, "EXEC / FETCH: VERTEX R1.xyzw"+fetch+" / FETCH: VERTEX R2.xy01"+fetch+" / FETCH: VERTEX R3.yzx1"+fetch+
		" / ALLOC POSITION SIZE(0x0) / EXEC / (S)ALU: ADDv export62 = R1, C1 / ALLOC PARAM/PIXEL SIZE(0x1) / EXEC_END / ALU: MAXv export0 = R2, R2 / ALU: MAXv export1 = R3, R3")
	s := xenostest.Shader{
		Vertex: true, Words: code, Constants: []xenostest.Constant{{Name: "$offset", Set: 2, First: 1, Count: 1}},
		Elements:      xenostest.Semantics([3]int{0, 0, 3}, [3]int{5, 0, 4}, [3]int{3, 0, 5}),
		Interpolators: xenostest.Semantics([3]int{5, 1, 0}, [3]int{3, 0, 0}),
	}
	return s.File()
}

// A vertex program of the Xbox 360 gets its inputs by their names: the same for all, or a row for each vertex; what is left
// out of an input is 0, 0, 0 and 1. Outputs and constants have names too.
func TestXenosVertexInputs(t *testing.T) {
	set, m := load(t)
	for _, c := range []struct {
		name   string
		set    [][]string
		csv    string
		json   string
		quirks map[string]string
		count  int
		// want are position, coordinate and normal of the last vertex.
		want    []float32
		lanes   int
		missing string
	}{
		{name: "the same for all", set: [][]string{{"$offset", "10", "20", "30", "0"}, {"position", "1", "2", "3"}, {"texcoord0", "0.5", "0.25"}, {"normal0", "7", "8", "9"}},
			want: []float32{11, 22, 33, 1, 0.5, 0.25, 0, 1, 8, 9, 7, 1}, lanes: 1},
		{name: "rows", set: [][]string{{"normal", "7", "8", "9"}, {"C1", "0", "0", "0", "0"}}, csv: "position0.x,texcoord0.y,R9.x\n1,2,0\n3,4,0\n",
			want: []float32{3, 0, 0, 1, 0, 4, 0, 1, 8, 9, 7, 1}, lanes: 2},
		{name: "rows again", csv: "position.x,position.w,texcoord.x,normal.x\n1,2,3,4\n5,6,7,8\n", set: [][]string{{"$offset", "1", "1", "1", "1"}}, count: 4,
			want: []float32{6, 1, 1, 7, 7, 0, 0, 1, 0, 0, 8, 1}, lanes: 4},
		{name: "objects, of which one lacks an input", json: `[{"position": [1, 2, 3, 4], "texcoord0": [1]}, {"texcoord0": [2], "normal0": [1]}]`, set: [][]string{{"$offset", "0", "0", "0", "0"}},
			want: []float32{0, 0, 0, 1, 2, 0, 0, 1, 0, 0, 1, 1}, lanes: 2},
		{name: "bytes count as words do", quirks: map[string]string{"machine": "adreno"}, set: [][]string{{"$offset", "0", "0", "0", "0"}, {"normal0", "1"}}, csv: "position.x,texcoord.x\n1,2\n3,4\n",
			want: []float32{3, 0, 0, 1, 4, 0, 0, 1, 0, 0, 1, 1}, lanes: 2},
		{name: "words said", quirks: map[string]string{"machine": "adreno", "vertex_unit": "words"}, set: [][]string{{"$offset", "0", "0", "0", "0"}, {"normal0", "1"}}, csv: "position.x,texcoord.x\n1,2\n3,4\n",
			want: []float32{3, 0, 0, 1, 4, 0, 0, 1, 0, 0, 1, 1}, lanes: 2},
		{name: "nothing", set: [][]string{{"C1", "0", "0", "0", "0"}, {"normal", "1"}}, count: 3, want: []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1}, lanes: 3,
			missing: "position0.x position0.y position0.z position0.w texcoord0.x texcoord0.y texcoord0.z texcoord0.w"},
	} {
		r, err := launch.Open(feed.Request{Set: set, Machine: m, Context: set.DefaultContext(), Data: namedVertex(t), Quirks: c.quirks, File: files{}.read})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.set {
			if err := r.Set(s[0], s[1:]); err != nil {
				t.Fatal(err)
			}
		}
		if text := c.csv + c.json; text != "" {
			format := map[bool]string{true: "csv", false: "json"}[c.csv != ""]
			if err := r.Read([]byte(text), format); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // a run leaves what was given as it is
			out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}, Count: c.count})
			if err != nil {
				t.Fatal(err)
			}
			row := map[string][]float32{}
			at := 0
			for _, col := range out.Tables[0].Columns {
				for range col.Components {
					row[col.Name] = append(row[col.Name], math.Float32frombits(uint32(out.Values[len(out.Values)-1][at])))
					at++
				}
			}
			got := slices.Concat(row["export62"], row["texcoord1"], row["normal0"])
			if !slices.Equal(got, c.want) || len(out.Values) != c.lanes {
				t.Errorf("%s: %v of %d vertices, want %v of %d", c.name, got, len(out.Values), c.want, c.lanes)
			}
			var missing []string
			for _, f := range out.Findings {
				missing = append(missing, f.Register())
				if at := map[string]uint64{"position0": 36, "texcoord0": 48}[f.State.Name]; f.Address != at {
					t.Errorf("%s: %s is read at byte %d, want %d", c.name, f.Register(), f.Address, at)
				}
			}
			if s := strings.Join(missing, " "); s != c.missing {
				t.Errorf("%s: findings of %q, want %q", c.name, s, c.missing)
			}
		}
	}
}

// A fetch that is filled in already reads its buffer, and a fragment program gets interpolators by their names.
func TestXenosOtherInputs(t *testing.T) {
	set, m := load(t)
	code := assemble(t, "ALLOC POSITION SIZE(0x0) / EXEC_END / FETCH: VERTEX R1 = R0.x FMT_32_FLOAT SIGNED STRIDE(1) CONST(31, 2) / (S)ALU: MAXv export62 = R1, R1")
	s := xenostest.Shader{Vertex: true, Words: code, Elements: xenostest.Semantics([3]int{0, 0, 2})}
	r, err := launch.Open(feed.Request{Set: set, Machine: m, Context: set.DefaultContext(), Data: s.File(), Options: map[string][]string{"buffer": {"31.2=b"}}, File: files{"b": {0, 0, 0, 0, 0, 0, 0x80, 0x40}}.read})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Set("position0", []string{"1"}); err == nil {
		t.Error("an input of a fetch that is filled in")
	}
	out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}, Count: 2})
	if err != nil || math.Float32frombits(uint32(out.Values[1][0])) != 4 {
		t.Errorf("%v, %v", out.Values, err)
	}

	code = assemble(t, "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / ALU: ADDv export0 = R0, R2")
	s = xenostest.Shader{Words: code, Interpolators: xenostest.Semantics([3]int{5, 1, 2}, [3]int{10, 0, 0})}
	if r, err = launch.Open(feed.Request{Set: set, Machine: m, Context: set.DefaultContext(), Data: s.File(), File: files{}.read}); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"texcoord1": "1", "color": "2"} {
		if err := r.Set(name, []string{value}); err != nil {
			t.Fatal(err)
		}
	}
	if out, err = r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}}); err != nil || math.Float32frombits(uint32(out.Values[0][0])) != 3 {
		t.Errorf("%v, %v", out.Values, err)
	}
}

// TestXenosRun runs a vertex program of the Xbox 360 by the names of its inputs: position plus an offset, a coordinate, and
// the normal.
func TestXenosRun(t *testing.T) {
	r, err := launch.Open(feed.Request{Data: namedVertex(t), File: files{}.read})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := feed.Run(t.Context(), r, map[string][]float32{
			"$offset": {10, 20, 30, 0}, "position.xyz": {1, 2, 3, 4, 5, 6}, "texcoord0.xy": {0.5, 0.25}, "normal0.xyz": {7, 8, 9},
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string][]float32{
			"export62": {11, 22, 33, 1, 14, 25, 36, 1}, "texcoord1": {0.5, 0.25, 0, 1, 0.5, 0.25, 0, 1}, "normal0": {8, 9, 7, 1, 8, 9, 7, 1},
		} {
			if !slices.Equal(got[name], want) {
				t.Errorf("%s is %v, expected %v", name, got[name], want)
			}
		}
		got, err = feed.Run(t.Context(), r, map[string][]float32{"$offset": {1, 1, 1, 1}}) // one vertex without inputs
		if err != nil || !slices.Equal(got["export62"], []float32{1, 1, 1, 2}) {
			t.Errorf("%v, error %v", got, err)
		}
	}
}
