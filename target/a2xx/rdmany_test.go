package a2xx_test

import (
	"testing"
	"time"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
)

// manyShaders is a capture of n different vertex shaders, loaded from one buffer each or out of the command stream. They
// have one length and one first word.
func manyShaders(t testing.TB, n int, buffers bool) []byte {
	words := shaderWords(t, "light.vs")
	var c capture
	var stream []uint32
	c.section(13, 201)
	for i := range n {
		words[len(words)-1] = uint32(i)
		if buffers {
			at := uint32(0x10000000 + 0x1000*i)
			c.section(3, at, uint32(4*len(words)), 0)
			c.raw(12, appendWords(nil, words))
			stream = append(stream, packet3(0x27, at, uint32(len(words)))...)
		} else {
			stream = append(stream, packet3(0x2b, append([]uint32{0, uint32(len(words))}, words...)...)...)
		}
	}
	c.section(3, 0x08000000, uint32(4*len(stream)), 0)
	c.raw(12, appendWords(nil, stream))
	c.section(6, 0x08000000, uint32(len(stream)))
	return c.Bytes()
}

// Sixteen times as many shaders take about sixteen times as long, not 256 times.
func TestManyShaders(t *testing.T) {
	for _, buffers := range []bool{false, true} {
		var least [2]time.Duration
		for i, n := range []int{4000, 64000} {
			data := manyShaders(t, n, buffers)
			for range 5 {
				start := time.Now()
				c, err := a2xx.ReadCapture(data)
				took := time.Since(start)
				if err != nil || len(c.Shaders) != n || len(c.Notes) > 0 {
					t.Fatalf("%v, %d shaders, notes %q, expected %d shaders", err, len(c.Shaders), c.Notes, n)
				}
				if least[i] == 0 || took < least[i] {
					least[i] = took
				}
			}
		}
		if least[1] > 160*least[0] { // the larger one leaves the caches
			t.Errorf("buffers: %v: %v for 4000 shaders, %v for 64000", buffers, least[0], least[1])
		}
	}
}

// The pieces of a capture are counted before they are made.
func TestPiecesAreCounted(t *testing.T) {
	set, err := a2xx.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{sample(t), manyShaders(t, 100, true), oddShaders(t)} {
		im, err := a2xx.Open(set, data)
		if err != nil {
			t.Fatal(err)
		}
		if len(im.Pieces) == 0 || cap(im.Pieces) != len(im.Pieces) {
			t.Errorf("%d pieces in room for %d", len(im.Pieces), cap(im.Pieces))
		}
	}
}

// oddShaders is a capture of programs that are cut off at each word.
func oddShaders(t testing.TB) []byte {
	words := shaderWords(t, "light.vs")
	var stream []uint32
	for n := 1; n < len(words); n++ {
		stream = append(stream, packet3(0x2b, append([]uint32{0, uint32(n)}, words[:n]...)...)...)
	}
	var c capture
	c.section(13, 201)
	c.section(3, 0x08000000, uint32(4*len(stream)), 0)
	c.raw(12, appendWords(nil, stream))
	c.section(6, 0x08000000, uint32(len(stream)))
	return c.Bytes()
}
