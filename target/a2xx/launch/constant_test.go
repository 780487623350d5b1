package launch_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/a2xx/launch"
)

// places are where the fields of a texture's constant are, by the headers of drivers: word and lowest bit.
var places = map[string][2]uint{
	"sign": {0, 2}, "clamp-x": {0, 10}, "clamp-y": {0, 13}, "pitch": {0, 22}, "tiled": {0, 31}, "format": {1, 0}, "order": {1, 6}, "base": {1, 12}, "width": {2, 0},
	"height": {2, 13}, "integer": {3, 0}, "swizzle": {3, 1}, "exp": {3, 13}, "mag": {3, 19}, "min": {3, 21}, "mip": {3, 23}, "aniso": {3, 25}, "arbitrary": {3, 28}, "last": {4, 6}, "bias": {4, 12}, "border": {5, 0}, "dim": {5, 9},
}

const (
	plain   = 0 | 1<<3 | 2<<6 | 3<<9 // the swizzle xyzw
	basemap = 2
)

// constantWords makes a constant: pairs of a field and a number. What is not said is plain, of two dimensions and one level.
func constantWords(t *testing.T, text string) (w [6]uint32) {
	t.Helper()
	for _, pair := range strings.Fields(text) {
		var v uint32
		name, number, _ := strings.Cut(pair, "=")
		if _, err := fmt.Sscan(number, &v); err != nil || places[name] == ([2]uint{}) && name != "tiled" {
			t.Fatalf("%s: %v", pair, err)
		}
		w[places[name][0]] |= v << places[name][1]
	}
	if !strings.Contains(text, "swizzle=") {
		w[3] |= plain << 1
	}
	if !strings.Contains(text, "mip=") {
		w[3] |= basemap << 23
	}
	if !strings.Contains(text, "dim=") {
		w[5] |= 1 << 9
	}
	return w
}

// sampleOf runs a fragment program that samples texture 0 with R0.
func sampleOf(t *testing.T, how, at string, f files) (*feed.Outcome, [4]float32) {
	t.Helper()
	code := "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / FETCH: SET_TEX_LOD R2.____ = R0.www CONST(0) / FETCH: SAMPLE R1 = R0.xyz CONST(0) " + how + " / (S)ALU: MAXv export0 = R1, R1"
	r, err := openSource(t, "fs", code, f, map[string][]string{"scene": {"s.json"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Set("R0", strings.Split(at, ",")); err != nil {
		t.Fatal(err)
	}
	out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var v [4]float32
	for k := range v {
		v[k] = math.Float32frombits(uint32(out.Values[0][k]))
	}
	return out, v
}

// Textures in memory, as captures have them: what a sample is follows from the words of the constant. Bytes are hex;
// the sample is at R0.xyz, and R0.w is the level of detail where REG_LOD asks for it.
func TestTextureConstants(t *testing.T) {
	const rgba = "0080ff40ff000000" // two texels of 8 bits a component
	row := strings.Repeat("00", 128-8)
	four := "ff000000" + "00ff0000" + "0000ff00" + "000000ff" // red, green, blue, alpha in a row
	red := strings.Repeat("ff0000ff", 32*32)
	for _, x := range []struct {
		name, words, bytes, mips, how, at string
		want                              [4]float32
		unknown                           string
	}{
		{"bytes", "format=6 width=1 pitch=1", rgba, "", "", "0.25,0.5,0,0", [4]float32{0, 128. / 255, 1, 64. / 255}, ""},
		{"the second texel", "format=6 width=1 pitch=1", rgba, "", "", "0.75,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"a swizzle, and constants", fmt.Sprint("format=6 width=1 pitch=1 swizzle=", 2|1<<3|4<<6|5<<9), rgba, "", "", "0.25,0.5,0,0", [4]float32{1, 128. / 255, 0, 1}, ""},
		{"the filter of the constant", "format=6 width=1 pitch=1 clamp-x=2 mag=1 min=1", rgba, "", "", "0.5,0.5,0,0", [4]float32{0.5, 64. / 255, 0.5, 32. / 255}, ""},
		{"the filter of the instruction", "format=6 width=1 pitch=1 mag=1 min=1", rgba, "", "MAG(POINT) MIN(POINT)", "0.6,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"no filter of its own", "format=6 width=1 pitch=1", rgba, "", "ARBITRARY(NONE)", "0.75,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"no filter of its own, by the old name", "format=6 width=1 pitch=1", rgba, "", "ARBITRARY(2x4_SYM)", "0.75,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"nor one of the constant's, which Adreno does not have", "format=6 width=1 pitch=1 arbitrary=4", rgba, "", "", "0.75,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"a filter of its own", "format=6 width=1 pitch=1", rgba, "", "ARBITRARY(4x4_SYM)", "0.75,0.5,0,0", [4]float32{1, 0, 0, 0}, "filters"},
		{"no filter across layers, of which there are none", "format=6 width=1 pitch=1", rgba, "", "VOL_MAG(POINT) VOL_MIN(LINEAR)", "0.75,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"a ratio of 1 to 1", "format=6 width=1 pitch=1", rgba, "", "ANISO(MAX_1_1)", "0.75,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"the same in the constant", "format=6 width=1 pitch=1 aniso=1", rgba, "", "", "0.75,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"a ratio of 2 to 1", "format=6 width=1 pitch=1", rgba, "", "ANISO(MAX_2_1)", "0.75,0.5,0,0", [4]float32{1, 0, 0, 0}, "filters"},
		{"the same in the constant", "format=6 width=1 pitch=1 aniso=2", rgba, "", "", "0.75,0.5,0,0", [4]float32{1, 0, 0, 0}, "filters"},
		{"the next row, a pitch of 32 texels further", "format=6 width=1 height=1 pitch=1", rgba + row + "00ff000000000000", "", "", "0.25,0.75,0,0", [4]float32{0, 1, 0, 0}, ""},
		{"one beyond the memory", "format=6 width=1 height=7 pitch=1", rgba, "", "", "0.25,0.9,0,0", [4]float32{}, ""},
		{"5, 6 and 5 bits", "format=4 width=1 pitch=1", "1f00e0ff", "", "", "0.25,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"of which the lowest is x", "format=4 width=1 pitch=1", "1f00e0ff", "", "", "0.75,0.5,0,0", [4]float32{0, 1, 1, 0}, ""},
		{"1, 5, 5 and 5 bits", "format=3 width=1 pitch=1", "00801f7c", "", "", "0.25,0.5,0,0", [4]float32{0, 0, 0, 1}, ""},
		{"2, 10, 10 and 10 bits", "format=7 pitch=1", "ff0300c0", "", "", "0.5,0.5,0,0", [4]float32{1, 0, 0, 1}, ""},
		{"bytes of halves changed", "format=4 width=1 pitch=1 order=1", "001fffe0", "", "", "0.25,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"bytes of words reversed", "format=6 width=1 pitch=1 order=2", "40ff8000", "", "", "0.25,0.5,0,0", [4]float32{0, 128. / 255, 1, 64. / 255}, ""},
		{"halves of words changed", "format=4 width=1 pitch=1 order=3", "00001f00", "", "", "0.25,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"signed and biased", "format=6 pitch=1 sign=165", "8181ffff", "", "", "0.5,0.5,0,0", [4]float32{-1, -1, 1, 1}, ""}, // x and y signed, z and w biased
		{"the least signed number", "format=6 pitch=1 sign=1", "80000000", "", "", "0.5,0.5,0,0", [4]float32{-1, 0, 0, 0}, ""},
		{"integers", "format=6 pitch=1 integer=1 sign=1", "80ff0000", "", "", "0.5,0.5,0,0", [4]float32{-128, 255, 0, 0}, ""},
		{"an exponent", "format=6 pitch=1 exp=1", "ff000000", "", "", "0.5,0.5,0,0", [4]float32{2, 0, 0, 0}, ""},
		{"a negative exponent", "format=6 pitch=1 exp=62", "ff000000", "", "", "0.5,0.5,0,0", [4]float32{0.25, 0, 0, 0}, ""},
		{"floats of 16 bits", "format=31 pitch=1", "003c00c0", "", "", "0.5,0.5,0,0", [4]float32{1, -2, 0, 0}, ""},
		{"floats of 32 bits", "format=36 pitch=1", "0000803f", "", "", "0.5,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"repeat", "format=6 width=3 pitch=1", four, "", "", "1.1,0.5,0,0", [4]float32{1, 0, 0, 0}, ""},
		{"mirror", "format=6 width=3 pitch=1 clamp-x=1", four, "", "", "1.1,0.5,0,0", [4]float32{0, 0, 0, 1}, ""},
		{"clamp", "format=6 width=3 pitch=1 clamp-x=2", four, "", "", "7,0.5,0,0", [4]float32{0, 0, 0, 1}, ""},
		{"mirror once", "format=6 width=3 pitch=1 clamp-x=3", four, "", "", "-0.3,0.5,0,0", [4]float32{0, 1, 0, 0}, ""},
		{"and clamp", "format=6 width=3 pitch=1 clamp-x=3", four, "", "", "-3,0.5,0,0", [4]float32{0, 0, 0, 1}, ""},
		{"a black border", "format=6 width=3 pitch=1 clamp-x=6", four, "", "", "-0.1,0.5,0,0", [4]float32{}, ""},
		{"a white border", "format=6 width=3 pitch=1 clamp-x=6 border=1", four, "", "", "1.1,0.5,0,0", [4]float32{1, 1, 1, 1}, ""},
		{"half of a border at the side", "format=6 width=3 pitch=1 clamp-x=4 border=1 mag=1 min=1", four, "", "", "-5,0.5,0,0", [4]float32{1, 0.5, 0.5, 0.5}, ""},
		{"which a point does not see", "format=6 width=3 pitch=1 clamp-x=4 border=1", four, "", "", "5,0.5,0,0", [4]float32{0, 0, 0, 1}, ""},
		{"a mirror, then a border", "format=6 width=3 pitch=1 clamp-x=7 border=1", four, "", "", "-0.3,0.5,0,0", [4]float32{0, 1, 0, 0}, ""},
		{"DXT1: the first colour", "format=18 width=3 height=3 pitch=1", "00f81f00" + "e4000000", "", "", "0.1,0.1,0,0", [4]float32{1, 0, 0, 1}, ""},
		{"the second", "format=18 width=3 height=3 pitch=1", "00f81f00" + "e4000000", "", "", "0.3,0.1,0,0", [4]float32{0, 0, 1, 1}, ""},
		{"a third between them", "format=18 width=3 height=3 pitch=1", "00f81f00" + "e4000000", "", "", "0.6,0.1,0,0", [4]float32{2. / 3, 0, 1. / 3, 1}, ""},
		{"DXT1: none", "format=18 width=3 height=3 pitch=1", "1f0000f8" + "e4000000", "", "", "0.9,0.1,0,0", [4]float32{}, ""},
		{"DXT3: alpha of four bits", "format=19 width=3 height=3 pitch=1", "5000000000000000" + "00f81f00" + "00000000", "", "", "0.3,0.1,0,0", [4]float32{1, 0, 0, 1. / 3}, ""},
		{"DXT5: alpha between two", "format=20 width=3 height=3 pitch=1", "ff00" + "020000000000" + "00f81f00" + "00000000", "", "", "0.1,0.1,0,0", [4]float32{1, 0, 0, 6. / 7}, ""},
		{"tiles: the fifth texel of a row is at byte 32", "format=6 width=31 height=31 pitch=1 tiled=1", strings.Repeat("00", 32) + "ff000000", "", "", "0.14,0.01,0,0", [4]float32{1, 0, 0, 0}, "tiled"},
		{"tiles: the second row is at byte 16", "format=6 width=31 height=31 pitch=1 tiled=1", strings.Repeat("00", 16) + "ff000000", "", "", "0.01,0.04,0,0", [4]float32{1, 0, 0, 0}, "tiled"},
		{"a level of detail of 1", "format=6 width=31 height=31 pitch=1 mip=0 last=1", red, "00ff00ff", "LOD(0) REG_LOD(1)", "0.01,0.01,0,1", [4]float32{0, 1, 0, 1}, "levels"},
		{"of 0", "format=6 width=31 height=31 pitch=1 mip=0 last=1", red, "00ff00ff", "LOD(0) REG_LOD(1)", "0.01,0.01,0,0", [4]float32{1, 0, 0, 1}, "levels"},
		{"of a half", "format=6 width=31 height=31 pitch=1 mip=1 last=1", red, "00ff00ff", "LOD(0) REG_LOD(1)", "0.01,0.01,0,0.5", [4]float32{0.5, 0.5, 0, 1}, "levels"},
		{"the bias of the constant, in 1/32", "format=6 width=31 height=31 pitch=1 mip=1 last=1 bias=16", red, "00ff00ff", "LOD(0)", "0.01,0.01,0,0", [4]float32{0.5, 0.5, 0, 1}, "levels"},
		{"the first level alone", "format=6 width=31 height=31 pitch=1 mip=2 last=1", red, "00ff00ff", "LOD(0) REG_LOD(1)", "0.01,0.01,0,1", [4]float32{1, 0, 0, 1}, ""},
		{"one dimension", "format=6 width=3 pitch=1 dim=0", four, "", "", "0.3,77,0,0", [4]float32{0, 1, 0, 0}, "two-dimensional"},
		{"gamma", "format=6 pitch=1 sign=3", "ff000000", "", "", "0.5,0.5,0,0", [4]float32{1, 0, 0, 0}, "sRGB"},
	} {
		data, err := hex.DecodeString(x.bytes)
		if err != nil {
			t.Fatal(err)
		}
		mips, _ := hex.DecodeString(x.mips)
		w := constantWords(t, x.words)
		words := fmt.Sprintf(`["%#x","%#x","%#x","%#x","%#x","%#x"]`, w[0], w[1], w[2], w[3], w[4], w[5])
		scene := `{"textures": [{"constant": 0, "file": "t.bin", "mips": "m.bin", "words": ` + words + `}]}`
		out, got := sampleOf(t, x.how, x.at, files{"t.bin": data, "m.bin": mips, "s.json": []byte(scene)})
		for k := range got {
			if math.Abs(float64(got[k]-x.want[k])) > 1e-7 {
				t.Errorf("%s: %v, want %v", x.name, got, x.want)
				break
			}
		}
		var told string
		for _, f := range out.Findings {
			told += f.Text
		}
		if (told == "") != (x.unknown == "") || !strings.Contains(told, x.unknown) {
			t.Errorf("%s: findings %q, want %q", x.name, told, x.unknown)
		}
	}
}

// TestHalfTexels samples the half floats 0x7c00 and 0x83ff. In IEEE arithmetic they are infinity and the denormal
// -1023/1024 * 2^-14. On Xenos the first is the number 2^(31-15), and the second is 0.
func TestHalfTexels(t *testing.T) {
	set, m := load(t)
	ctx, err := set.ParseContext(set.DefaultContext(), "stage", "fs")
	if err != nil {
		t.Fatal(err)
	}
	code := bytesOf(assemble(t, "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / FETCH: SAMPLE R1 = R0.xyz CONST(0) / (S)ALU: MAXv export0 = R1, R1"))
	w := constantWords(t, "format=31 pitch=1")
	words := fmt.Sprintf(`["%#x","%#x","%#x","%#x","%#x","%#x"]`, w[0], w[1], w[2], w[3], w[4], w[5])
	f := files{"t.bin": {0x00, 0x7c, 0xff, 0x83}, "s.json": []byte(`{"textures": [{"constant": 0, "file": "t.bin", "words": ` + words + `}]}`)}
	for _, x := range []struct {
		machine string
		want    [2]float32
	}{
		{"adreno", [2]float32{float32(math.Inf(1)), -1023. / (1 << 24)}},
		{"xenos", [2]float32{65536, 0}},
	} {
		r, err := launch.Open(feed.Request{Set: set, Machine: m, Context: ctx, Data: code, Quirks: map[string]string{"machine": x.machine}, Options: map[string][]string{"scene": {"s.json"}}, File: f.read})
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}})
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range x.want {
			if got := math.Float32frombits(uint32(out.Values[0][k])); got != want {
				t.Errorf("%s: component %d is %v, want %v", x.machine, k, got, want)
			}
		}
	}
}

// filledPicture is a picture of one colour.
func filledPicture(t *testing.T, w, h int, c color.NRGBA) []byte {
	t.Helper()
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		im.SetNRGBA(i%w, i/w, c)
	}
	var data bytes.Buffer
	if err := png.Encode(&data, im); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// Textures of several pictures: layers, faces, and smaller levels. Coordinates of faces are from 1 to 2, as CUBEv and
// the programs of Mesa's compiler make them.
func TestPictures(t *testing.T) {
	f := files{"small.png": smallTexture(t)}
	var faces []string
	for n := range 6 {
		name := fmt.Sprintf("%d.png", n)
		f[name], faces = filledPicture(t, 2, 2, color.NRGBA{uint8(51 * n), 0, 0, 255}), append(faces, `"`+name+`"`)
	}
	six := `"files": [` + strings.Join(faces, ",") + `]`
	for _, x := range []struct {
		name, texture, how, at string
		want                   float32
	}{
		{"a face", `"dimension": "cube", ` + six, "", "1.5,1.5,3,0", 0.6},
		{"the last face", `"dimension": "cube", ` + six, "", "1.5,1.5,9,0", 1},
		{"a layer", `"dimension": "3d", "filter": "nearest", ` + six, "", "0.5,0.5,0.4,0", 0.4},
		{"the next, beyond the back", `"dimension": "3d", "filter": "nearest", ` + six, "", "0.5,0.5,1.01,0", 0},
		{"one dimension", `"dimension": "1d", "file": "line.png"`, "", "0.5,7,0,0", 0.2},
		{"the mean of four texels", `"file": "small.png", "mipmaps": true`, "LOD(0) REG_LOD(1)", "0.5,0.5,0,1", 0.25},
		{"the first level", `"file": "small.png", "mipmaps": true`, "LOD(0) REG_LOD(1)", "0.75,0.25,0,0", 1},
	} {
		f["line.png"] = filledPicture(t, 4, 1, color.NRGBA{51, 0, 0, 255})
		f["s.json"] = []byte(`{"textures": [{"constant": 0, ` + x.texture + `}]}`)
		out, got := sampleOf(t, x.how, x.at, f)
		if math.Abs(float64(got[0]-x.want)) > 1e-6 {
			t.Errorf("%s: %v, want %v", x.name, got[0], x.want)
		}
		if len(out.Findings) != 1 || out.Findings[0].Text == "" {
			t.Errorf("%s: findings %v, want that nobody knows", x.name, out.Findings)
		}
	}
	for want, texture := range map[string]string{
		"expected 1d, 2d, 3d or cube":           `"file": "small.png", "dimension": "4d"`,
		"1 pictures, expected 6 to 6":           `"file": "small.png", "dimension": "cube"`,
		"the picture has 2 rows, expected one":  `"file": "small.png", "dimension": "1d"`,
		"expected (2,2), the size of the first": `"files": ["small.png", "line.png"], "dimension": "3d"`,
		"0 pictures":                            `"filter": "linear"`,
		"5 words, expected 6":                   `"file": "small.png", "words": ["1","2","3","4","5"]`,
		"expected a 32-bit number":              `"file": "small.png", "words": ["1","2","3","4","5","x"]`,
		"format FMT_ETC1_RGB is not":            `"file": "small.png", "words": ["0","47","0","0","0","512"]`,
		"texels, expected at most":              `"file": "small.png", "words": ["0","6","0x3ffffff","0","0","512"]`,
		"no file nothing.bin":                   `"file": "nothing.bin", "words": ["0","6","0","0","0","512"]`,
	} {
		f["s.json"] = []byte(`{"textures": [{"constant": 0, ` + texture + `}]}`)
		if _, err := openSource(t, "fs", "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / ALU: MAXv export0 = R0, R0", f, map[string][]string{"scene": {"s.json"}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", texture, err, want)
		}
	}
}

// A program of a capture runs with the textures that its fetch constants describe; one that cannot be read is told of
// where it is fetched.
func TestCaptureTexture(t *testing.T) {
	for _, x := range []struct {
		format, unknown string
		want            [4]float32
	}{{"6", "", [4]float32{0, 128. / 255, 1, 64. / 255}}, {"47", "texture 0: format FMT_ETC1_RGB is not supported", [4]float32{0, 0, 0, 1}}} {
		code := assemble(t, "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / FETCH: SAMPLE R1 = R0.xyx CONST(0) / (S)ALU: MAXv export0 = R1, R1")
		w := constantWords(t, "width=1 pitch=1 base=4 format="+x.format)
		var c []uint32
		section := func(kind uint32, words ...uint32) {
			c = append(append(c, kind, uint32(4*len(words))), words...)
		}
		packet := func(op uint32, words ...uint32) []uint32 {
			return append([]uint32{3<<30 | uint32(len(words)-1)<<16 | op<<8}, words...)
		}
		stream := packet(0x2b, append([]uint32{1, uint32(len(code))}, code...)...)
		stream = append(stream, packet(0x2d, append([]uint32{1 << 16}, w[:]...)...)...)
		stream = append(stream, packet(0x22, 0, 0)...)
		section(13, 201)
		section(3, 0x4000, 8, 0)
		section(12, 0x40ff8000, 0x000000ff)
		section(3, 0x8000, uint32(4*len(stream)), 0)
		section(12, stream...)
		section(6, 0x8000, uint32(len(stream)), 0)
		set, m := load(t)
		r, err := launch.Open(feed.Request{Set: set, Machine: m, Context: set.DefaultContext(), Data: bytesOf(c), File: files{}.read})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Set("R0", []string{"0.25", "0.5", "0", "0"}); err != nil {
			t.Fatal(err)
		}
		out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}})
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range x.want {
			if got := math.Float32frombits(uint32(out.Values[0][k])); got != want {
				t.Errorf("format %s: component %d is %v, want %v", x.format, k, got, want)
			}
		}
		var told string
		for _, f := range out.Findings {
			told += f.Text
		}
		if told != x.unknown {
			t.Errorf("format %s: findings %q, want %q", x.format, told, x.unknown)
		}
	}
}

// The words of a constant stand behind the file of --texture, too.
func TestTextureOption(t *testing.T) {
	w := constantWords(t, "format=6 width=1 pitch=1")
	f := files{"t.bin": {0, 128, 255, 64, 255, 0, 0, 0}, "t.png": smallTexture(t)}
	code := "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / FETCH: SAMPLE R1 = R0.xyx CONST(0) LOD(0) / (S)ALU: MAXv export0 = R1, R1"
	for text, want := range map[string]string{
		fmt.Sprintf("0=t.bin,%#x,%#x,%#x,%#x,%#x,%#x", w[0], w[1], w[2], w[3], w[4], w[5]): "",
		"0=t.png,mipmaps,2d": "",
		"0=t.bin,1,2,3":      "3 words, expected 6",
		"0=t.png,4d":         `"4d", expected`,
	} {
		r, err := openSource(t, "fs", code, f, map[string][]string{"texture": {text}})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %s", text, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Set("R0", []string{"0.75", "0.25", "0", "0"}); err != nil {
			t.Fatal(err)
		}
		out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}})
		if err != nil || math.Float32frombits(uint32(out.Values[0][0])) != 1 {
			t.Errorf("%s: %v, %v", text, out.Values, err)
		}
	}
}
