package a2xx_test

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"

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
	if want := "24 bytes of code at byte 0x150 of a file of 356 bytes, expected whole words inside of it"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, expected %s", err, want)
	}
	bad := slices.Clone(data)
	binary.BigEndian.PutUint32(bad[0x10:], 0x10000)
	if s, err := a2xx.ReadXenosShader(set, bad); err != nil || len(s.Words) != 6 || len(s.Literals) != 2 {
		t.Errorf("without constants: %+v, %v", s, err)
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
