package translate_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/translatetest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/translate"
)

// triangle emits a triangle of registers.
func triangle(a, b, c, how string) string {
	return "\tsetemit 0\n\tmov pos, " + a + "\n\tmov tint, -" + a + "\n\temit\n\tsetemit 1\n\tmov pos, " + b + "\n\tmov tint, " + b + "\n\temit\n\tsetemit 2, prim" + how +
		"\n\tmov r4, " + a + "\n\tmov r5, " + b + "\n\tadd pos, " + c + ", r4\n\tmul tint, " + c + ", r5\n\temit\n"
}

// geometries are geometry programs, and the options of their runs.
var geometries = []struct {
	name, file, head, body string
	vertices, attributes   int
}{
	{name: "a square from a point", file: "pica200/points.shbin"},
	{name: "points", head: "point c0", body: triangle("v0", "v1", "v2", "")},
	{name: "lines", head: "point c0", body: triangle("v0", "v1", "v0", " inv"), vertices: 2, attributes: 1},
	{name: "triangles", head: "point c0", body: triangle("v0", "v2", "v4", "") + triangle("v1", "v3", "v5", " inv"), vertices: 3, attributes: 2},
	{name: "lines with adjacency", head: "point c0", body: triangle("v0", "v1", "v3", ""), vertices: 4, attributes: 1},
	{name: "triangles with adjacency", head: "point c0", body: triangle("v0", "v2", "v4", "") + triangle("v1", "v3", "v5", ""), vertices: 6, attributes: 1},
	{name: "mode fixed", head: "fixed c48 c10 3", body: triangle("c10", "c12", "c14", "") + triangle("c11", "c13", "c15", " inv"), attributes: 2},
	{name: "a loop", head: "point c0", body: "\tmov r0, v0\n\tfor i0\n\t\tadd r0, c5, r0\n" + triangle("r0", "v1", "c6", "") + "\t.end\n"},
	{name: "under conditions", head: "point c0", body: "\tcmp v0, lt, ge, v1\n\tifc cmp.x\n" + triangle("v0", "v1", "v1", "") + "\t.else\n\t\tifc cmp.y\n" + triangle("v1", "v0", "c6", " inv") + "\t\t.end\n\t.end\n"},
	// The second triangle has the vertices of slots 0 and 1 of the first one.
	{name: "slots that stay", head: "point c0", body: triangle("v0", "v1", "v1", "") + "\tsetemit 2, prim\n\tmov pos, v1\n\tmov tint, v0\n\temit\n"},
	// Outputs alternate between two banks: the third vertex has the colour of the first.
	{name: "banks", head: "point c0", body: "\tsetemit 0\n\tmov pos, v0\n\tmov tint, v1\n\temit\n\tsetemit 1\n\tmov pos, v1\n\tmov tint, v0\n\temit\n\tsetemit 2, prim\n\tmov pos, v0\n\temit\n"},
	// 3 of slot is not a vertex of a triangle, and the triangle has zeros where no vertex was stored.
	{name: "an empty slot", head: "point c0", body: "\tsetemit 2, prim\n\tmov pos, v0\n\tmov tint, v1\n\temit\n"},
}

// TestGeometry compares geometry programs with the plain engine: the vertices of all triangles, in their order.
func TestGeometry(t *testing.T) {
	const primitives = 20
	x := translatetest.Open(t)
	m, _, err := catalog.Find("pica200")
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	for i, g := range geometries {
		var data []byte
		if g.file != "" {
			if data, err = os.ReadFile(filepath.Join("..", "examples", g.file)); err != nil {
				t.Fatal(err)
			}
		} else {
			c, err := pica200.NewCompiler()
			if err != nil {
				t.Fatal(err)
			}
			source := ".gsh " + g.head + "\n.out pos position\n.out tint color\n.constf nothing(0.0, 0.0, 0.0, 0.0)\n.proc main\n" + g.body + "\tend\n.end\n"
			out, err := c.Compile([]*diag.Source{{Name: g.name, Text: source}}, program.CompileOptions{})
			if err != nil {
				t.Fatalf("%s: %v\n%s", g.name, diag.Render(err), source)
			}
			data = out.Bytes
		}
		options := map[string][]string{}
		per, attributes := max(1, g.vertices), max(2, g.attributes)
		if g.vertices > 0 {
			options["vertices"] = []string{fmt.Sprint(g.vertices)}
		}
		if strings.HasPrefix(g.head, "fixed") {
			per = 3
		}
		if g.attributes > 0 {
			attributes = g.attributes
			options["attributes"] = []string{fmt.Sprint(g.attributes)}
		}
		if g.name == "points" {
			attributes = 3
		}
		r, err := m.Launch(feed.Request{Set: set, Context: set.DefaultContext(), Data: data, Options: options})
		if err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		l := r.(feed.Launched).Launched()
		before := wave(l, 5, exec.Lanes)
		flush(l, before)
		random := rand.New(rand.NewPCG(9, 9))
		var rows []map[string][]string
		values := map[string][]uint64{}
		for n := range per * primitives {
			row := map[string][]string{}
			for a := range attributes {
				var list []uint64
				var texts []string
				for range 4 {
					v := specials[random.IntN(len(specials))]
					if v&0x7fffffff < 0x20000000 && v&0x7fffffff != 0 || random.IntN(3) > 0 {
						v = uint64(random.Uint32()&0x83ffffff | 0x3c000000)
					}
					list, texts = append(list, v), append(texts, fmt.Sprintf("0x%08x", v))
				}
				values[fmt.Sprint(n, " ", a)] = list
				row[fmt.Sprint("v", a)] = texts
			}
			rows = append(rows, row)
		}
		text, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Read(text, "json"); err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		languages := []translate.Language{translate.GLSL, translate.SPIRV}
		if i > 0 { // the lowering is the same
			languages = languages[i%2:][:1]
		}
		for _, language := range languages {
			o := translate.Options{Language: language, Shape: translate.Geometry, Binding: 2, Vertices: g.vertices, Attributes: g.attributes}
			text, err := translate.Translate(t.Context(), l, o)
			if err != nil {
				t.Errorf("%s: %v", g.name, err)
				continue
			}
			first := l.Primitive.First.First
			outcome, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Budget: 10000}})
			if err != nil {
				t.Fatal(err)
			}
			// A row has the numbers of the primitive and of the triangle, whether it is inverted, and the outputs.
			var want [][]uint64
			for i, row := range outcome.Tables[0].Rows {
				want = append(want, row[3:])
				if i%3 == 1 && row[2] != 0 {
					want[i], want[i-1] = want[i-1], want[i]
				}
			}
			if len(want) < 3 {
				t.Errorf("%s: no triangles", g.name)
			}
			x.AddGeometry(fmt.Sprint(g.name, ", ", language), text, before, len(rows), func(n int, b translate.Binding) []uint64 {
				return values[fmt.Sprint(n, " ", b.First-first)]
			}, want)
		}
	}
	x.Run(t)
	t.Log(x)
	if want := 1 + len(geometries); x.Programs != want {
		t.Errorf("%d programs were compared, expected %d", x.Programs, want)
	}
}
