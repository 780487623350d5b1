package launch_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx/launch"
)

// files are what options name.
type files map[string][]byte

func (f files) read(name string) ([]byte, error) {
	if data, ok := f[name]; ok {
		return data, nil
	}
	return nil, errors.New("no file " + name)
}

func bytesOf(words []uint32) []byte {
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// openSource opens a program of source for a stage.
func openSource(t *testing.T, stage, lines string, f files, options map[string][]string) (feed.Runner, error) {
	t.Helper()
	set, m := load(t)
	return openWith(t, set, m, stage, lines, f, options)
}

func openWith(t *testing.T, set *isa.Set, m *exec.Machine, stage, lines string, f files, options map[string][]string) (feed.Runner, error) {
	t.Helper()
	ctx, err := set.ParseContext(set.DefaultContext(), "stage", stage)
	if err != nil {
		t.Fatal(err)
	}
	return launch.Open(feed.Request{Set: set, Machine: m, Context: ctx, Data: bytesOf(assemble(t, lines)), Options: options, File: f.read})
}

func drawnBy(t *testing.T, stage, lines string, f files, options map[string][]string) *feed.Outcome {
	t.Helper()
	r, err := openSource(t, stage, lines, f, options)
	if err != nil {
		t.Fatal(err)
	}
	return drawn(t, r)
}

func drawn(t *testing.T, r feed.Runner) *feed.Outcome {
	t.Helper()
	out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1, Budget: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Stops {
		if out.Noted(&out.Stops[i]) {
			t.Errorf("stop %v", out.Stops[i])
		}
	}
	return out
}

// two by two texels: black and red, green and blue.
func smallTexture(t *testing.T) []byte {
	im := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	im.Set(0, 0, color.NRGBA{0, 0, 0, 255})
	im.Set(1, 0, color.NRGBA{255, 0, 0, 255})
	im.Set(0, 1, color.NRGBA{0, 255, 0, 255})
	im.Set(1, 1, color.NRGBA{0, 0, 255, 255})
	var data bytes.Buffer
	if err := png.Encode(&data, im); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// Samples at given coordinates: x and y from the left and the top, a texel's centre being at half of it. Between two
// centres the linear filter mixes, behind the sides the texture goes on as it is told.
func TestSamples(t *testing.T) {
	f := files{"t.png": smallTexture(t)}
	for _, row := range []struct {
		how, texture, at string
		want             [3]float32
	}{
		{"MAG(POINT) MIN(POINT)", "0=t.png", "0.25,0.25,0,0", [3]float32{0, 0, 0}},
		{"MAG(POINT) MIN(POINT)", "0=t.png", "0.75,0.25,0,0", [3]float32{1, 0, 0}},
		{"MAG(POINT) MIN(POINT)", "0=t.png", "0.25,0.75,0,0", [3]float32{0, 1, 0}},
		{"MAG(POINT) MIN(POINT)", "0=t.png", "0.999,0.5,0,0", [3]float32{0, 0, 1}},
		{"MAG(LINEAR) MIN(LINEAR)", "0=t.png", "0.75,0.25,0,0", [3]float32{1, 0, 0}},
		{"MAG(LINEAR) MIN(LINEAR)", "0=t.png", "0.5,0.25,0,0", [3]float32{0.5, 0, 0}},
		{"MAG(LINEAR) MIN(LINEAR)", "0=t.png", "0.5,0.5,0,0", [3]float32{0.25, 0.25, 0.25}},
		{"MAG(LINEAR) MIN(LINEAR)", "0=t.png,clamp", "0,0.75,0,0", [3]float32{0, 1, 0}},
		{"MAG(LINEAR) MIN(LINEAR)", "0=t.png,repeat", "0,0.75,0,0", [3]float32{0, 0.5, 0.5}},
		{"MAG(LINEAR) MIN(LINEAR)", "0=t.png,mirror", "0,0.75,0,0", [3]float32{0, 1, 0}},
		{"MAG(POINT) MIN(POINT)", "0=t.png,repeat", "-0.25,1.25,0,0", [3]float32{1, 0, 0}},
		{"MAG(POINT) MIN(POINT)", "0=t.png,clamp", "-7,7,0,0", [3]float32{0, 1, 0}},
		{"MAG(POINT) MIN(POINT)", "0=t.png,mirror", "1.25,0.25,0,0", [3]float32{1, 0, 0}},
		{"MAG(POINT) MIN(POINT) DENORM", "0=t.png", "1.5,0.5,0,0", [3]float32{1, 0, 0}},
		{"MAG(POINT) MIN(POINT) OFFSET(2,0,0)", "0=t.png", "0.25,0.25,0,0", [3]float32{1, 0, 0}},
		{"", "0=t.png,nearest", "0.6,0.25,0,0", [3]float32{1, 0, 0}},
		{"", "0=t.png", "0.5,0.25,0,0", [3]float32{0.5, 0, 0}},
		{"MAG(POINT) MIN(LINEAR) LOD(0) LOD_BIAS(16)", "0=t.png", "0.5,0.25,0,0", [3]float32{0.5, 0, 0}},
		{"MAG(POINT) MIN(LINEAR) LOD(0) LOD_BIAS(-16)", "0=t.png", "0.5,0.25,0,0", [3]float32{1, 0, 0}},
		{"MAG(POINT) MIN(POINT)", "0=t.png", "nan,inf,0,0", [3]float32{0, 0, 0}},
	} {
		r, err := openSource(t, "fs", "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / FETCH: SAMPLE R1 = R0.xyx CONST(0) "+row.how+" / (S)ALU: MAXv export0 = R1, R1", f, map[string][]string{"texture": {row.texture}})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Set("R0", strings.Split(row.at, ",")); err != nil {
			t.Fatal(err)
		}
		out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}})
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range row.want {
			if got := math.Float32frombits(uint32(out.Values[0][k])); got != want {
				t.Errorf("%s of %s at %s: component %d is %v, want %v", row.how, row.texture, row.at, k, got, want)
			}
		}
	}
}

// A fragment program over a rectangle knows where each pixel is, and drops those that it kills.
func TestRectangle(t *testing.T) {
	out := drawnBy(t, "fs", "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / ALU: KILLGTv R1.____ = R0.xxxx, C0.xxxx / ALU: MAXv export0.xy01 = R0, R0", files{"s.json": []byte(`{"size": [5, 3], "fragment": {"constants": {"C0": [0.8, 9, 9, 9]}}}`)}, map[string][]string{"scene": {"s.json"}})
	p := out.Picture.(interface{ NRGBAAt(x, y int) color.NRGBA })
	if b := out.Picture.Bounds(); b != image.Rect(0, 0, 5, 3) {
		t.Fatalf("a picture of %v", b)
	}
	for y := range 3 {
		for x := range 5 {
			want := color.NRGBA{uint8((float32(x)+0.5)/5*255 + 0.5), uint8((float32(y)+0.5)/3*255 + 0.5), 0, 255}
			if x == 4 { // at 0.9
				want = color.NRGBA{}
			}
			if got := p.NRGBAAt(x, y); got != want {
				t.Errorf("pixel %d,%d is %v, want %v", x, y, got, want)
			}
		}
	}
}

// Two triangles of a buffer, the nearer drawn first: it stays. Parameter 0 is R0 of the fragments.
func TestTriangles(t *testing.T) {
	vs := "FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(20, 1) / EXEC / (S)ALU: ADDv R2 = R0.x, C0.x"
	vs = "ALLOC POSITION SIZE(0x0) / ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / " + vs[:strings.Index(vs, " / EXEC")] + " / (S)ALU: MAXv export62 = R1, R1 / ALU: SETGTEv export0.x001 = R0, C0"
	fs := bytesOf(assemble(t, "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / ALU: MAXv export0 = R0, R0"))
	scene := `{"vertex": {"constants": {"C0": [3]}}, "fragment": {"program": "a.bin"}, "size": [8, 8], "indices": [0, 1, 2, 3, 4, 5],
	  "buffers": [{"constant": [20, 1], "floats": [-1,-1,0, 3,-1,0, -1,3,0, -1,-1,0.5, 3,-1,0.5, -1,3,0.5]}]}`
	out := drawnBy(t, "vs", vs, files{"d/s.json": []byte(scene), "d/a.bin": fs}, map[string][]string{"scene": {"d/s.json"}})
	p := out.Picture.(interface{ NRGBAAt(x, y int) color.NRGBA })
	for _, at := range []image.Point{{0, 0}, {7, 7}, {3, 4}} {
		if got := p.NRGBAAt(at.X, at.Y); got != (color.NRGBA{0, 0, 0, 255}) {
			t.Errorf("pixel %v is %v, want that of the nearer triangle, black", at, got)
		}
	}
}

// What a fragment program does wrong is there once, with the total of all fragments, however many are run at a time; and
// of fragments, where vertices run too.
func TestFragmentDiagnosticsOnce(t *testing.T) {
	const fs = "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / ALU: MAXv export0.x = R1, R1"
	once := func(out *feed.Outcome, lanes int) {
		t.Helper()
		if len(out.Findings) != 1 {
			t.Fatalf("findings %v, expected one", out.Findings)
		}
		f := out.Findings[0]
		if of := out.Of(f.Program); f.Register() != "R1.x" || of.Nouns != "fragments" || f.Count != of.Lanes || lanes > 0 && of.Lanes != lanes {
			t.Errorf("%s: %d of %d %s, expected R1.x of all of %d fragments", f.Register(), f.Count, of.Lanes, of.Nouns, lanes)
		}
	}
	const side = 300 // 150 by 150 quads, more than run at a time
	once(drawnBy(t, "fs", fs, files{}, map[string][]string{"size": {"300x300"}}), side*side)

	const vs = "ALLOC POSITION SIZE(0x0) / EXEC_END / FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(20, 1) / (S)ALU: MAXv export62 = R1, R1"
	scene := `{"fragment": {"program": "a.bin"}, "size": [300, 300], "indices": [0, 1, 2, 3, 4, 5],
	  "buffers": [{"constant": [20, 1], "floats": [-1,-1,0, 3,-1,0, -1,3,0, -1,-1,0.5, 3,-1,0.5, -1,3,0.5]}]}`
	f := files{"s.json": []byte(scene), "a.bin": bytesOf(assemble(t, fs))}
	once(drawnBy(t, "vs", vs, f, map[string][]string{"scene": {"s.json"}}), 0)
}

// What is wrong with options and scenes is said.
func TestWrongOptions(t *testing.T) {
	f := files{"t.png": smallTexture(t), "no.png": []byte("no"), "s.json": []byte(`{"sizes": [1, 2]}`), "size.json": []byte(`{"size": [0, 2]}`),
		"loop.json": []byte(`{"vertex": {"loops": {"0": [300, 0, 1]}}}`), "index.json": []byte(`{"indices": [-1]}`), "bool.json": []byte(`{"vertex": {"bools": [256]}}`),
		"const.json": []byte(`{"vertex": {"constants": {"C255": [1,2,3,4,5]}}}`), "buffer.json": []byte(`{"buffers": [{"constant": [32]}]}`),
		"flag.json": []byte(`{"vertex": {"constants": {"bools3": [1]}}}`), "odd.json": []byte(`{"indices": "odd"}`), "odd": {0, 0, 1}}
	for _, row := range []struct{ option, value, want string }{
		{"texture", "0", "expected NUMBER=FILE"}, {"texture", "0=none.png", "no file none.png"}, {"texture", "0=no.png", "no.png: "},
		{"texture", "32=t.png", "expected 0 to 31"}, {"texture", "0=t.png,cubic", "expected nearest"},
		{"buffer", "20", "expected NUMBER=FILE"}, {"buffer", "20.3=t.png", "expected 0 to 31 and 0 to 2"},
		{"size", "7", "expected WIDTHxHEIGHT"}, {"size", "0x7", "expected 1 to 8192"}, {"fragment", "none.bin", "no file none.bin"},
		{"scene", "s.json", "sizes"}, {"scene", "size.json", "expected 1 to 8192"}, {"scene", "loop.json", "count"}, {"scene", "index.json", "index 0 is -1"},
		{"scene", "bool.json", "expected 0 to 255"}, {"scene", "const.json", "beyond the last constant"}, {"scene", "buffer.json", "fetch constant 32"},
		{"scene", "flag.json", "0x3f800000 for bools3, expected components of type bool"}, {"scene", "odd.json", "odd has 3 bytes, expected a multiple of 2, the size of an index"},
		{"size", "4x4a", "expected WIDTHxHEIGHT"}, {"size", "4", "expected WIDTHxHEIGHT"}, {"size", "-4x4", "expected 1 to 8192"},
		{"size", "8193x1", "expected 1 to 8192"}, {"size", "1x8193", "expected 1 to 8192"},
	} {
		_, err := openSource(t, "vs", "ALU: MAXv R0 = R0, R0", f, map[string][]string{row.option: {row.value}})
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("--%s %s: %v, want %q", row.option, row.value, err, row.want)
		}
	}
	for _, size := range []string{"8192x1", "1x8192"} {
		if _, err := openSource(t, "vs", "ALU: MAXv R0 = R0, R0", f, map[string][]string{"size": {size}}); err != nil {
			t.Errorf("--size %s: %v", size, err)
		}
	}
}

// A fragment program cannot run before another fragment program. With --fragment, that is a mistake on the command line.
func TestFragmentAfterFragment(t *testing.T) {
	f := files{"a.bin": nil, "s.json": []byte(`{"fragment": {"program": "a.bin"}}`)}
	for option, value := range map[string]string{"fragment": "a.bin", "scene": "s.json"} {
		_, err := openSource(t, "fs", "ALU: MAXv R0 = R0, R0", f, map[string][]string{option: {value}})
		if err == nil || !strings.Contains(err.Error(), "needs a vertex program to run first, but this program is a fragment program") {
			t.Errorf("--%s: %v", option, err)
		}
		var misuse *exec.OptionError
		if errors.As(err, &misuse) != (option == "fragment") {
			t.Errorf("--%s: %T", option, err)
		}
	}
}

// A vertex knows its number, also where programs of Mesa's driver look for it.
func TestNumbers(t *testing.T) {
	r, err := openSource(t, "vs", "ALLOC POSITION SIZE(0x0) / EXEC_END / ALU: ADDv export62 = R0, R2.xxxx", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}, Count: 3})
	if err != nil || len(out.Findings) > 0 {
		t.Fatal(err, out.Findings)
	}
	for n, row := range out.Values {
		for k, v := range row {
			if got := math.Float32frombits(uint32(v)); got != float32(2*n) {
				t.Errorf("vertex %d: component %d is %v", n, k, got)
			}
		}
	}
}

// A depth that fragments export decides which is nearer, and one that is killed leaves neither colour nor depth. The
// first triangle is nearer by its position; its fragments say 0.75, those of the second 0.5, and its right half is killed.
func TestDepth(t *testing.T) {
	vs := "ALLOC POSITION SIZE(0x0) / ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE(20) CONST(0, 0) / FETCH: VERTEX R2.xy__ = R0.x FMT_32_32_FLOAT SIGNED STRIDE(20) OFFSET(12) CONST(0, 0) / (S)ALU: MAXv export62 = R1, R1 / ALU: MAXv export0 = R2, R2"
	fs := bytesOf(assemble(t, "ALLOC PARAM/PIXEL SIZE(0x1) / EXEC_END / ALU: KILLGTv R3.____ = R0.yyyy, C0 / ALU: MAXv export61.x___ = R0, R0 / ALU: MAXv export0.xyz1 = R0.xxxx, R0.xxxx"))
	scene := `{"fragment": {"program": "a.bin", "constants": {"C0": [0.5, 0.5, 0.5, 0.5]}}, "size": [2, 2], "vertices": 6,
	  "buffers": [{"constant": [0, 0], "floats": [-1,-1,0.1,0.75,0, 3,-1,0.1,0.75,0, -1,3,0.1,0.75,0, -1,-1,0.9,0.5,0, 3,-1,0.9,0.5,2, -1,3,0.9,0.5,0]}]}`
	out := drawnBy(t, "vs", vs, files{"s.json": []byte(scene), "a.bin": fs}, map[string][]string{"scene": {"s.json"}})
	p := out.Picture.(interface{ NRGBAAt(x, y int) color.NRGBA })
	for y := range 2 {
		for x, want := range []uint8{128, 191} { // the second is killed where its parameter is above a half: at 0.75
			if got := p.NRGBAAt(x, y).R; got != want {
				t.Errorf("pixel %d,%d is %d, want %d", x, y, got, want)
			}
		}
	}
}

// Any text is a scene, or is refused.
func FuzzScene(f *testing.F) {
	f.Add([]byte(`{"vertex": {"constants": {"C0": [1, 2]}, "bools": [1], "loops": {"0": [3, 0, 1]}}, "vertices": 3, "indices": [0, 1, 2], "size": [4, 4]}`))
	f.Add([]byte(`{"buffers": [{"constant": [20, 1], "floats": [1, 2, 3]}], "textures": [{"constant": 0, "file": "t.png", "wrap": "clamp", "filter": "nearest"}]}`))
	f.Add([]byte(`{"textures": [{"constant": 3, "file": "s.json", "mips": "s.json", "words": ["0x80000002", "0x12", "0x3f00f", "0", "0xc0", "0xc00"]}]}`))
	f.Add([]byte(`{"textures": [{"constant": 1, "files": ["a", "b"], "dimension": "3d", "mipmaps": true}, {"constant": 2, "file": "s.json", "words": ["0", "38", "7", "1", "0xffffffff", "0x600"]}]}`))
	set, m := load(f)
	code := bytesOf(assemble(f, "ALU: MAXv export62 = R0, R0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1000 {
			return
		}
		_, _ = launch.Open(feed.Request{Set: set, Machine: m, Context: set.DefaultContext(), Data: code, Options: map[string][]string{"scene": {"s.json"}}, File: files{"s.json": data}.read})
	})
}

// TestRectangleInputs shades a rectangle with inputs that are given: all pixels get them, beside the coordinates, which
// an input of R0 replaces. Several rows have no pixels of their own.
func TestRectangleInputs(t *testing.T) {
	const add = "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / ALU: ADDv export0 = R1, R0.xxxx"
	for _, c := range []struct {
		set   []string // a name and its values
		csv   string
		first color.NRGBA
		fails string
	}{
		// 2 pixels: the coordinate x is 0.25 and 0.75; 255 * 0.25 = 63.75
		{[]string{"R1", "0.25", "0", "0", "0.75"}, "", color.NRGBA{128, 64, 64, 255}, ""},
		{nil, "R1.x,R1.w\n0.25,0.75\n", color.NRGBA{128, 64, 64, 255}, ""},
		{[]string{"R0", "0", "0", "0", "0"}, "R1.x,R1.y,R1.z,R1.w\n1,0,1,1\n", color.NRGBA{255, 0, 255, 255}, ""},
		{nil, "R1.x\n1\n2\n", color.NRGBA{}, "inputs of 2 fragments, expected one row, which applies to all pixels"},
	} {
		r, err := openSource(t, "fs", add, nil, map[string][]string{"size": {"2x1"}})
		if err != nil {
			t.Fatal(err)
		}
		if c.csv != "" {
			if err := r.Read([]byte(c.csv), "csv"); err != nil {
				t.Fatal(err)
			}
		}
		if c.set != nil {
			if err := r.Set(c.set[0], c.set[1:]); err != nil {
				t.Fatal(err)
			}
		}
		out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}})
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%q: %v, expected %s", c.csv, err, c.fails)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Picture.At(0, 0); got != c.first {
			t.Errorf("%q %q: %v, expected %v", c.set, c.csv, got, c.first)
		}
		if strings.Contains(c.csv, "R1.y") && len(out.Findings) > 0 {
			t.Errorf("%q: %v", c.csv, out.Findings)
		}
	}
}

// TestRectangleFindingsOnce shades more pixels than run at a time: a read of what nobody wrote is told once, with its total.
func TestRectangleFindingsOnce(t *testing.T) {
	r, err := openSource(t, "fs", "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / ALU: MAXv export0 = R40.xxxx, R40.xxxx", nil, map[string][]string{"size": {"512x512"}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Findings) != 1 || out.Findings[0].Count != 512*512 || out.Findings[0].Register() != "R40.x" {
		t.Errorf("%v", out.Findings)
	}
}
