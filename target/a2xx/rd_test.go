package a2xx_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/target/a2xx"
)

// capture builds a capture of sections.
type capture struct{ bytes.Buffer }

func (c *capture) section(kind uint32, words ...uint32) {
	c.raw(kind, appendWords(nil, words))
}

func (c *capture) raw(kind uint32, data []byte) {
	c.Write(appendWords(nil, []uint32{kind, uint32(len(data))}))
	c.Write(data)
}

func appendWords(dst []byte, words []uint32) []byte {
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint32(dst, w)
	}
	return dst
}

// packet3 is a packet of type 3: the count is that of the words behind it less one.
func packet3(op uint32, words ...uint32) []uint32 {
	return append([]uint32{3<<30 | uint32(len(words)-1)<<16 | op<<8}, words...)
}

// shaderWords are those of an example.
func shaderWords(t testing.TB, name string) []uint32 {
	t.Helper()
	data, err := os.ReadFile("../../examples/a2xx/" + name + ".bin")
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

// sample is a capture with both ways to load a shader: one loaded from memory, one in the stream, twice.
func sample(t testing.TB) []byte {
	vs, fs := shaderWords(t, "light.vs"), shaderWords(t, "choices.fs")
	var c capture
	c.section(13, 201)               // the GPU
	c.raw(2, []byte("glxgears\x00")) // the command, of any length
	c.Write(bytes.Repeat([]byte{0xff}, 16))
	c.section(3, 0x10000000, uint32(4*len(vs)), 0)
	c.raw(12, appendWords(nil, vs))
	inner := packet3(0x2b, append([]uint32{1, uint32(len(fs))}, fs...)...)
	c.section(3, 0x20000000, uint32(4*len(inner)), 0)
	c.raw(12, appendWords(nil, inner))
	outer := []uint32{0x00012000, 1, 2, 0x80000000} // type 0 of two registers, type 2
	outer = append(outer, packet3(0x27, 0x10000000, uint32(len(vs)))...)
	outer = append(outer, packet3(0x37, 0x20000000, uint32(len(inner)))...)
	outer = append(outer, packet3(0x3f, 0x20000000, uint32(len(inner)))...)
	c.section(3, 0x30000000, uint32(4*len(outer)), 0)
	c.raw(12, appendWords(nil, outer))
	c.section(6, 0x30000000, uint32(len(outer)), 0)
	return c.Bytes()
}

// Words that start as a section of text does are no capture where no text follows.
func TestNoCapture(t *testing.T) {
	for _, c := range []struct {
		words   []uint32
		capture bool
	}{
		{[]uint32{1, 16, 0, 0x4e000000}, false},
		{[]uint32{1, 0, 8, 0, 0x4241, 0x4443, 0, 0}, false},
		{[]uint32{2, 4}, false},
		{[]uint32{1, 0}, false},
		{[]uint32{1, 4, 0x00656c67}, true},                             // "gle"
		{[]uint32{1<<32 - 1, 1<<32 - 1, 1, 0, 2, 4, 0x65686361}, true}, // a name that is empty, then "ache"
	} {
		if got := a2xx.IsCapture(appendWords(nil, c.words)); got != c.capture {
			t.Errorf("%#x is a capture: %v", c.words, got)
		}
	}
}

func TestCapture(t *testing.T) {
	data := sample(t)
	for _, packed := range []bool{false, true} {
		if packed {
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			w.Write(data)
			w.Close()
			data = z.Bytes()
		}
		if !a2xx.IsCapture(data) {
			t.Errorf("packed %t: not recognised", packed)
		}
		c, err := a2xx.ReadCapture(data)
		if err != nil {
			t.Fatal(err)
		}
		if c.GPU != 201 || len(c.Shaders) != 2 || len(c.Notes) > 0 {
			t.Fatalf("GPU %d, %d shaders, %v", c.GPU, len(c.Shaders), c.Notes)
		}
		vs, fs := c.Shaders[0], c.Shaders[1]
		if vs.Stage != 0 || vs.Address != 0x10000000 || vs.Loads != 1 || !slices.Equal(vs.Words, shaderWords(t, "light.vs")) {
			t.Errorf("the vertex shader is %+v", vs)
		}
		if fs.Stage != 1 || fs.Address != 0x2000000c || fs.Loads != 2 || !slices.Equal(fs.Words, shaderWords(t, "choices.fs")) {
			t.Errorf("the fragment shader is %+v", fs)
		}
	}
}

// TestOpenCapture lists the shaders of a capture, each with its stage and address.
func TestOpenCapture(t *testing.T) {
	im, err := a2xx.Open(toolsFor(t, "", "vs").set, sample(t))
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, p := range im.Contents {
		titles = append(titles, p.Title)
	}
	want := []string{"shader 0: vs, address 0x10000000, 72 words, loaded 1 times", "shader 1: fs, address 0x2000000c, 30 words, loaded 2 times"}
	if !slices.Equal(titles, want) {
		t.Errorf("%q, expected %q", titles, want)
	}
	if n := len(im.Pieces); n != 6+21+8+6 {
		t.Errorf("%d pieces", n)
	}
}

// TestCaptureDamaged reads captures that are cut off, of other GPUs, or no captures.
func TestCaptureDamaged(t *testing.T) {
	data := sample(t)
	for n := range data {
		c, err := a2xx.ReadCapture(data[:n])
		if err != nil {
			t.Fatalf("cut off at %d: %v", n, err)
		}
		if len(c.Shaders) > 2 {
			t.Errorf("cut off at %d: %d shaders", n, len(c.Shaders))
		}
	}
	var other capture
	other.section(13, 630)
	loop := packet3(0x37, 0x1000, 3)
	var endless capture
	endless.section(3, 0x1000, 12)
	endless.raw(12, appendWords(nil, loop))
	endless.section(6, 0x1000, 3)
	var lost capture
	lost.section(6, 0x1000, 8)
	var chip capture
	chip.section(14, 0x06030000, 0)
	for _, x := range []struct {
		name string
		data []byte
		want string
	}{
		{"another GPU", other.Bytes(), "the capture is of GPU 630, expected an A2XX GPU, 200 to 299"},
		{"another chip", chip.Bytes(), "the capture is of GPU 630, expected an A2XX GPU, 200 to 299"},
		{"no capture", appendWords(nil, []uint32{0x12345678, 0, 0}), "byte 0x0: a section of type 0x12345678, expected at most 32"},
		{"damaged gzip", []byte{0x1f, 0x8b, 1, 2, 3}, "unpacking: "},
		{"a stream that calls itself", endless.Bytes(), "note: command stream at 0x1000 is not read: there are too many commands or nested streams"},
		{"a stream that is not there", lost.Bytes(), "note: command stream at 0x1000: 0 of 8 words are captured"},
	} {
		c, err := a2xx.ReadCapture(x.data)
		got := fmt.Sprint(err)
		if err == nil {
			got = "note: " + strings.Join(c.Notes, "; ")
		}
		if !strings.Contains(got, x.want) {
			t.Errorf("%s: %s, expected %s", x.name, got, x.want)
		}
	}
}

// TestCaptureSections reads captures of odd sections and packets.
func TestCaptureSections(t *testing.T) {
	load := func(stage, start uint32, words ...uint32) []uint32 {
		return packet3(0x2b, append([]uint32{stage, start<<16 | uint32(len(words))}, words...)...)
	}
	stream := func(c *capture, addr uint32, words []uint32) {
		c.section(3, addr, uint32(4*len(words)), 0)
		c.raw(12, appendWords(nil, words))
		c.section(6, addr, uint32(len(words)), 0)
	}
	for _, x := range []struct {
		name  string
		build func(c *capture)
		want  []a2xx.Shader
		notes int
	}{
		{"nothing but a device", func(*capture) {}, nil, 0},
		{"unknown sections, and one without bytes", func(c *capture) { c.raw(17, []byte("log")); c.raw(4, nil); c.raw(32, make([]byte, 5)) }, nil, 0},
		{"two devices of the family", func(c *capture) { c.section(13, 220); stream(c, 0x1000, load(1, 0, 1, 2, 3)) },
			[]a2xx.Shader{{Stage: 1, Address: 0x100c, Words: []uint32{1, 2, 3}, Loads: 1}}, 0},
		{"a shader after the start of the store, of no whole unit", func(c *capture) { stream(c, 0x1000, load(0, 7, 1, 2)) },
			[]a2xx.Shader{{Stage: 0, Address: 0x100c, Words: []uint32{1, 2}, Loads: 1}}, 0},
		{"stages that there are not, and no words", func(c *capture) {
			stream(c, 0x1000, load(2, 0, 1))
			stream(c, 0x2000, load(3, 0, 1))
			stream(c, 0x3000, load(0, 0))
		}, nil, 0},
		{"a buffer that another one covers", func(c *capture) {
			stream(c, 0x1000, load(0, 0, 1))
			stream(c, 0x1000, load(0, 0, 2))
		}, []a2xx.Shader{{Stage: 0, Address: 0x100c, Words: []uint32{1}, Loads: 1}, {Stage: 0, Address: 0x100c, Words: []uint32{2}, Loads: 1}}, 0},
		{"a packet that says more words than there are", func(c *capture) { stream(c, 0x1000, []uint32{3<<30 | 0x3fff<<16 | 0x2b<<8, 0, 9, 1, 2}) },
			[]a2xx.Shader{{Stage: 0, Address: 0x100c, Words: []uint32{1, 2}, Loads: 1}}, 0},
		{"a packet of one word", func(c *capture) { stream(c, 0x1000, packet3(0x2b, 0)) }, nil, 0},
		{"contents without a buffer, a stream without words", func(c *capture) { c.raw(12, []byte{1}); c.section(6); c.raw(6, []byte{1, 2, 3}) }, nil, 0},
		{"a shader that is not captured", func(c *capture) { stream(c, 0x1000, packet3(0x27, 0x9000, 3)) }, nil, 1},
		{"a shader that is captured in part", func(c *capture) {
			c.section(3, 0x9000, 8, 0)
			c.section(12, 1, 2)
			stream(c, 0x1000, packet3(0x27, 0x9000, 3))
		}, nil, 1},
		{"an address beyond 32 bits", func(c *capture) {
			words := load(0, 0, 5)
			c.section(3, 0x1000, uint32(4*len(words)), 1)
			c.raw(12, appendWords(nil, words))
			c.section(6, 0x1000, uint32(len(words)), 1)
		}, []a2xx.Shader{{Stage: 0, Address: 0x10000100c, Words: []uint32{5}, Loads: 1}}, 0},
	} {
		var c capture
		c.section(13, 201)
		x.build(&c)
		got, err := a2xx.ReadCapture(c.Bytes())
		if err != nil || !reflect.DeepEqual(got.Shaders, x.want) || len(got.Notes) != x.notes {
			t.Errorf("%s: %+v, %v", x.name, got, err)
		}
	}
}

// TestCaptureChanged reads captures of which some bytes are others, packed or not: shaders or an error.
func TestCaptureChanged(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	data := sample(t)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(data)
	w.Close()
	set := toolsFor(t, "", "vs").set
	for i := range 400 {
		changed := bytes.Clone([][]byte{data, z.Bytes()}[i%2])
		for range 1 + r.IntN(4) {
			changed[r.IntN(len(changed))] = byte(r.Uint32())
		}
		a2xx.IsCapture(changed)
		if c, err := a2xx.ReadCapture(changed); (c == nil) == (err == nil) {
			t.Fatalf("%x: %v, %v", changed, c, err)
		}
		if i%40 == 0 {
			if im, err := a2xx.Open(set, changed); (im == nil) == (err == nil) {
				t.Fatalf("%x: %v, %v", changed, im, err)
			}
		}
	}
}

func FuzzCapture(f *testing.F) {
	data := sample(f)
	f.Add(data)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(data[:400])
	w.Close()
	f.Add(z.Bytes())
	f.Add(data[:100])
	set, err := loadSet("")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a2xx.IsCapture(data)
		if im, err := a2xx.Open(set, data); err == nil && im == nil {
			t.Error("neither an image nor an error")
		}
	})
}

// A shader has the constants that were set when something was first drawn with it: those of its stage, counted from
// where the stage's start, and the bytes of the buffers that fetch constants describe.
func TestCaptureConstants(t *testing.T) {
	vs, fs := shaderWords(t, "light.vs"), shaderWords(t, "choices.fs")
	var c capture
	c.section(13, 201)
	c.section(3, 0x40000000, 16, 0)
	c.section(12, 1, 2, 3, 4)
	var s []uint32
	s = append(s, packet3(0x2b, append([]uint32{0, uint32(len(vs))}, vs...)...)...)
	s = append(s, packet3(0x2b, append([]uint32{1, uint32(len(fs))}, fs...)...)...)
	s = append(s, packet3(0x2d, 4<<16|0x307, 0x00100020, 0x000e0120)...)           // the stages' first constants
	s = append(s, packet3(0x2d, 4*0x21, 10, 20, 30, 40)...)                        // C1 of vertices
	s = append(s, packet3(0x2d, 4*0x120, 50)...)                                   // C0.x of fragments
	s = append(s, packet3(0x2d, 1<<16|2*60, 0x40000003, 8|2)...)                   // a buffer of two words, bytes swapped
	s = append(s, packet3(0x2d, 1<<16|6*3, 2, 0x40000006, 1, 4, 5, 0x40001000)...) // a texture of which the levels are elsewhere
	s = append(s, packet3(0x2d, 2<<16, 0x5)...)                                    // bools 0 and 2
	s = append(s, packet3(0x2d, 3<<16|1, 0x00010203)...)                           // loop 1
	s = append(s, packet3(0x22, 0, 0)...)                                          // the first draw
	s = append(s, packet3(0x2d, 4*0x21, 99, 99, 99, 99)...)                        // too late
	s = append(s, packet3(0x22, 0, 0)...)
	c.section(3, 0x30000000, uint32(4*len(s)), 0)
	c.raw(12, appendWords(nil, s))
	c.section(6, 0x30000000, uint32(len(s)), 0)
	got, err := a2xx.ReadCapture(c.Bytes())
	if err != nil || len(got.Shaders) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	v, f := got.Shaders[0].Constants, got.Shaders[1].Constants
	if v == nil || f == nil {
		t.Fatal("no constants")
	}
	if v.Floats[1] != [4]uint32{10, 20, 30, 40} || len(v.Floats) < 1 {
		t.Errorf("constants of vertices %v", v.Floats)
	}
	if f.Floats[0] != [4]uint32{50} || len(f.Floats) != 1 {
		t.Errorf("constants of fragments %v", f.Floats)
	}
	if want := appendWords(nil, []uint32{1, 2}); !bytes.Equal(v.Buffers[60], want) || v.Orders[60] != 2 {
		t.Errorf("buffers %v, orders %v", v.Buffers, v.Orders)
	}
	if x, ok := f.Textures[3]; !ok || len(f.Textures) != 1 || x.Words != [6]uint32{2, 0x40000006, 1, 4, 5, 0x40001000} || len(x.Base) != 16 || x.Mips != nil {
		t.Errorf("textures %v", f.Textures)
	}
	if !v.Bools[0] || v.Bools[1] || !v.Bools[2] || v.Loops[1] != 0x00010203 {
		t.Errorf("bools %v, loops %v", v.Bools, v.Loops)
	}
}
