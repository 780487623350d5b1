package a2xx_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/xenostest"
	"github.com/isago/isago/target/a2xx"
)

// xenosFile is a shader file put together by hand: a shader that exports matrix[1] * a literal, beside a
// bool, a sampler and a loop. Each part is filled up to the place that the others expect it at.
func xenosFile(t testing.TB, vertex bool) []byte {
	t.Helper()
	var b []byte
	words := func(list ...uint32) {
		for _, w := range list {
			b = binary.BigEndian.AppendUint32(b, w)
		}
	}
	at := func(place int) {
		if len(b) > place {
			t.Fatalf("the part before 0x%x ends at 0x%x", place, len(b))
		}
		b = append(b, make([]byte, place-len(b))...)
	}
	magic, float := uint32(0x102a1100), uint32(256+255)
	if vertex {
		magic, float = magic|1, 255
	}
	// The header: what the GPU reads starts at 0x140, the constants at 0x24, the literals at 0xe0, the shader at 0x120.
	words(magic, 0x140, 16+24, 0, 0x24, 0xe0, 0x120, 0, 0)
	// The constants, a size and then the table, at 0x28: from there texts are counted, the entries at 28.
	words(0xb8, 28, 0x70, 0xffff0300, 4, 28, 0, 0x7c)
	constant := func(name, set, first, count uint32) { words(name, set<<16|first, count<<16, 0, 0) }
	constant(0x84, 2, 4, 4)
	constant(0x8c, 0, 3, 1)
	constant(0x90, 3, 0, 1)
	constant(0x98, 1, 2, 1)
	for _, text := range []struct {
		place int
		text  string
	}{{0x70, "2.0.6995.0"}, {0x7c, "ps_3_0"}, {0x84, "matrix"}, {0x8c, "fog"}, {0x90, "image"}, {0x98, "lights"}} {
		at(0x28 + text.place)
		b = append(b, text.text...)
	}
	// The literals: four words and a size, a float of four components whose values are the first that the GPU reads, the
	// end, a loop of 3 rounds from 1 in steps of -2, the end.
	at(0xe0)
	words(0, 1, 0, 0, 24, float<<16|4, 0, 0, (0x2320+4*5)<<16|1, 0x00fe0103, 0)
	// The shader: its code is behind the literal, 24 bytes.
	at(0x120)
	words(16, 24, 0, 0, 0, 0)
	at(0x140)
	words(0x3f800000, 0xbf000000, 0, 0x40000000)
	// EXEC_END 1, 1 and MULv export0 = C5, C255
	words(0x00001001, 0x00002000, 0, 0x000f8000, 0, 0x0105ff00)
	return b
}

// TestXenosShader reads the stage, the code and the constants of a file.
func TestXenosShader(t *testing.T) {
	set := toolsFor(t, "", "vs").set
	for _, vertex := range []bool{false, true} {
		data := xenosFile(t, vertex)
		if !a2xx.IsXenosShader(data) || a2xx.IsXenosShader(data[:20]) {
			t.Error("not recognised")
		}
		s, err := a2xx.ReadXenosShader(set, data)
		if err != nil {
			t.Fatal(err)
		}
		if stage := map[bool]int{false: 1, true: 0}[vertex]; s.Stage != stage || s.CodeAt != 0x150 || len(s.Notes) > 0 {
			t.Errorf("stage %d, code at %#x, %v", s.Stage, s.CodeAt, s.Notes)
		}
		if want := []uint32{0x00001001, 0x00002000, 0, 0x000f8000, 0, 0x0105ff00}; !slices.Equal(s.Words, want) {
			t.Errorf("%08x", s.Words)
		}
		if s.Creator != "2.0.6995.0" || s.Target != "ps_3_0" {
			t.Errorf("for %q by %q", s.Target, s.Creator)
		}
		im, err := a2xx.OpenXenosShader(toolsFor(t, "", "vs").set, data)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"@uniform(C4-C7) matrix", "@bool(3) fog", "@sampler(0) image", "@loop(2) lights",
			"@const(C255) 1, -0.5, 0, 2", "@loop(5) count 3, start 1, step -2",
		}
		if got := im.Contents[1].Lines; !slices.Equal(got, want) {
			t.Errorf("%q\nexpected\n%q", got, want)
		}
		text, err := json.Marshal(im.Contents[1].Data)
		if err != nil || !strings.Contains(string(text), `{"name":"matrix","kind":"uniform","prefix":"C","first":4,"last":7}`) {
			t.Errorf("constants %s, %v", text, err)
		}
		if name, ok := im.Symbol(0, "source", 5); name != "matrix[1]" || !ok {
			t.Errorf("C5 is %q", name)
		}
		if name, ok := im.Symbol(0, "source", 256+5); ok {
			t.Errorf("R5 is %q", name)
		}
	}
}

// TestXenosShaderDamaged reads files that are cut off, or whose words are wrong.
func TestXenosShaderDamaged(t *testing.T) {
	set := toolsFor(t, "", "vs").set
	data := xenosFile(t, true)
	for n := range data {
		if s, err := a2xx.ReadXenosShader(set, data[:n]); err == nil {
			t.Errorf("%d bytes: %d words", n, len(s.Words))
		}
	}
	for at := 4; at < 0x140; at += 4 {
		for _, w := range []uint32{1, 0x7fff, 0xffffffff} {
			bad := slices.Clone(data)
			binary.BigEndian.PutUint32(bad[at:], w)
			if s, err := a2xx.ReadXenosShader(set, bad); err == nil && len(s.Notes) > 10 {
				t.Errorf("%#x at %#x: %d notes", w, at, len(s.Notes))
			}
		}
	}
	_, err := a2xx.ReadXenosShader(set, data[:len(data)-4])
	if want := "24 bytes of code at byte 0x150 of a file of 356 bytes, expected whole words inside the file"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, expected %s", err, want)
	}
	bad := slices.Clone(data)
	binary.BigEndian.PutUint32(bad[0x10:], 0x10000)
	if s, err := a2xx.ReadXenosShader(set, bad); err != nil || len(s.Words) != 6 || len(s.Literals) != 2 {
		t.Errorf("without constants: %+v, %v", s, err)
	}
}

// TestXenosOpenWords reads the words of open meaning of both stages: each holds its place in the file.
func TestXenosOpenWords(t *testing.T) {
	set := toolsFor(t, "", "vs").set
	for _, vertex := range []bool{false, true} {
		data := xenosFile(t, vertex)
		want := []a2xx.OpenWord{}
		put := func(from uint64, part string, places ...uint64) {
			for _, n := range places {
				binary.BigEndian.PutUint32(data[from+n:], uint32(from+n))
				want = append(want, a2xx.OpenWord{Name: fmt.Sprintf("%s word +0x%02x", part, n), Value: uint32(from + n)})
			}
		}
		put(0, "header", 0x0c, 0x1c, 0x20)
		put(0x120, "shader", 0x08, 0x0c, 0x10)
		s, err := a2xx.ReadXenosShader(set, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !slices.Contains(s.Open, w) {
				t.Errorf("vertex %v: no %+v in %+v", vertex, w, s.Open)
			}
		}
	}
}

// FuzzXenosShader opens whatever looks like a file.
func FuzzXenosShader(f *testing.F) {
	f.Add(xenosFile(f, false))
	f.Add(xenosFile(f, true))
	set := toolsFor(f, "", "vs").set
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		im, err := a2xx.OpenXenosShader(set, data)
		if err == nil && len(im.Words) > len(data)/4 {
			t.Errorf("%d words of %d bytes", len(im.Words), len(data))
		}
	})
}

// oddNames are names as Microsoft's compiler and others write them, and such as source must not take for its own words.
var oddNames = []string{
	"$WorldViewProj", "matrix", "light[0].pos", "a.b", "héé", "new\nline", "; comment", `"quoted"`, "@uniform(C0) x", "", "9lives",
	"C5", "R1", "export0", "aL", "a0", "ALU", "EXEC", "CONST", "FETCH", "MAXv", "SIZE", "ADDR", "l0", "l2", "matrix", "xyzw", "_", "$", "\xff",
	"S0", "SEQ", "FMT_32", "tab\there", "{SDST=0x1}", ".stage", "x:",
}

// TestXenosSourceComesBack prints the code of files as source in each spelling, whatever the names of constants are: source
// gives the same words in the same order of bytes, and of the stage.
func TestXenosSourceComesBack(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 1))
	for i := range 120 {
		s := xenostest.Shader{Vertex: i%2 == 0, Words: xenosWords(r, 3*r.IntN(12)+r.IntN(3))}
		for at := 0; at < 300; {
			c := xenostest.Constant{Name: oddNames[r.IntN(len(oddNames))], Set: r.IntN(4), First: at, Count: 1 + r.IntN(5)}
			s.Constants = append(s.Constants, c)
			at += r.IntN(8)
		}
		for n := range r.IntN(3) {
			s.Elements = append(s.Elements, xenostest.Semantic{Usage: r.IntN(16), Index: n, Place: r.IntN(99)})
			s.Interpolators = append(s.Interpolators, xenostest.Semantic{Usage: r.IntN(16), Index: n, Place: n})
		}
		if !s.Vertex {
			s.Elements = nil
		}
		for _, syntax := range []string{"", "mesa"} {
			x := toolsFor(t, syntax, "vs")
			text, err := a2xx.SourceOfXenosShader(x.set, s.File())
			if err != nil {
				t.Fatal(err)
			}
			out, err := x.assemble(t, string(text))
			if err != nil {
				t.Fatalf("%s\n%s", text, diag.Render(err))
			}
			var data []byte
			for _, w := range s.Words {
				data = binary.BigEndian.AppendUint32(data, w)
			}
			if !bytes.Equal(out.Bytes(), data) {
				t.Fatalf("%08x becomes\n%s\nand then\n%08x", s.Words, text, out.Words)
			}
			fs := toolsFor(t, syntax, "fs").ctx
			if syntax == "" && (out.Context == fs) != !s.Vertex {
				t.Errorf("vertex %v: %s", s.Vertex, text)
			}
		}
	}
}

// xenosWords are those of a program that a clause starts, mostly.
func xenosWords(r *rand.Rand, n int) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = r.Uint32()
	}
	if n >= 6 && r.IntN(4) > 0 {
		words[0], words[1] = 0x1001|uint32(n/3-1)&7<<12, words[1]&^0xffff|0x2000
	}
	return words
}

// TestXenosNames has names in operands where source declares them, and a comment where the name of the file is another.
func TestXenosNames(t *testing.T) {
	x := toolsFor(t, "", "vs")
	out, err := x.assemble(t, "EXEC\n ALU: MULADDv R0 = C7, R1, C1[a0]\n FETCH: SAMPLE R1 = R0.xyz CONST(0)\nLOOP_START ADDR(l) LOOP_ID(2)\nl:\nEXEC_END\n ALU: MAXv export62 = C5, C0")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	s := xenostest.Shader{Vertex: true, Words: out.Words, Constants: []xenostest.Constant{
		{Name: "$WorldViewProj", Set: 2, First: 0, Count: 4}, {Name: "light[0].pos", Set: 2, First: 5, Count: 1}, {Name: "C9", Set: 2, First: 7, Count: 1},
		{Name: "image", Set: 3, First: 0, Count: 1}, {Name: "count", Set: 1, First: 2, Count: 1}, {Name: "bones", Set: 2, First: 3, Count: 2},
	}}
	text, err := a2xx.SourceOfXenosShader(x.set, s.File())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"@uniform(C0-C3) $WorldViewProj\n", "@uniform(C5) light_0__pos\t; \"light[0].pos\"\n", "@uniform(C7) C9_2\t; \"C9\"\n", "@sampler(0) image\n", "@loop(2) count\n",
		"; @uniform(C3-C4) bones\n", // C3 has a name already
		"MULADDv\tR0 = C9_2, R1, $WorldViewProj[1][a0]\n", "CONST(image)\n", "LOOP_ID(count)\n", "MAXv\texport62 = light_0__pos, $WorldViewProj[0]\t; gl_Position\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestXenosSemantics reads the vertex elements, which stand behind words to skip, and the interpolators.
func TestXenosSemantics(t *testing.T) {
	code := []uint32{0x00001001, 0x00002000, 0, 0x000f8000, 0, 0x0105ff00}
	for _, c := range []struct {
		shader xenostest.Shader
		titles []string
		data   string
	}{
		{
			xenostest.Shader{Vertex: true, Skip: 2, Words: code, Elements: xenostest.Semantics([3]int{0, 0, 3}, [3]int{5, 1, 4}), Interpolators: xenostest.Semantics([3]int{10, 0, 0}, [3]int{15, 2, 0})},
			[]string{"position0 fetched at 0x24", "texcoord1 fetched at 0x30", "color0 in export0", "usage15_2 in export1"},
			`[{"name":"position0","address":36},{"name":"texcoord1","address":48}]`,
		}, {
			xenostest.Shader{Words: code, Interpolators: xenostest.Semantics([3]int{5, 0, 2}, [3]int{3, 0, 0})},
			[]string{"texcoord0 in R2", "normal0 in R0"},
			`[{"name":"texcoord0","register":"R2"},{"name":"normal0","register":"R0"}]`,
		},
	} {
		im, err := a2xx.OpenXenosShader(toolsFor(t, "", "vs").set, c.shader.File())
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, p := range im.Contents[2:] {
			lines = append(lines, p.Lines...)
		}
		if !slices.Equal(lines, c.titles) {
			t.Errorf("%q, expected %q", lines, c.titles)
		}
		if text, err := json.Marshal(im.Contents[2].Data); err != nil || string(text) != c.data {
			t.Errorf("%s, %v, expected %s", text, err, c.data)
		}
		for _, line := range lines {
			if !slices.ContainsFunc(im.Header, func(h string) bool { return strings.HasSuffix(h, line) }) {
				t.Errorf("%q is not in the header of a listing: %q", line, im.Header)
			}
		}
	}
}
