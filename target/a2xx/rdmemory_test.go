package a2xx

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Memory is what the latest buffer has that holds an address, to the end of that buffer.
func TestCaptureMemory(t *testing.T) {
	type buffer struct {
		addr uint64
		data []byte
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var m rdMemory
		var all []buffer
		base := []uint64{0, 1 << 40, math.MaxUint64 - 60}[random.IntN(3)]
		for n := range 60 {
			b := buffer{base + random.Uint64N(60), bytes.Repeat([]byte{byte(n)}, random.IntN(20))}
			for i := range b.data {
				b.data[i] += byte(i) << 4 // not all alike
			}
			m.write(b.addr, b.data)
			all = append(all, b)
			for addr := base; addr-base < 60; addr++ {
				words := random.Uint64N(4)
				var want []byte
				for _, b := range slices.Backward(all) {
					if end := min(uint64(len(b.data)), math.MaxUint64-b.addr); addr >= b.addr && addr-b.addr < end {
						want = b.data[addr-b.addr : end]
						want = want[:min(uint64(len(want)), 4*words)]
						break
					}
				}
				if got := m.read(addr, words); !bytes.Equal(got, want) {
					t.Fatalf("%d buffers, byte 0x%x: got %x, want %x", len(all), addr, got, want)
				}
			}
		}
		count := 0
		for i, l := range m.layers {
			count += len(l)
			for k := 1; k < len(l); k++ {
				if l[k-1].to > l[k].from {
					t.Fatalf("layer %d: %v overlaps %v", i, l[k-1], l[k])
				}
			}
		}
		if count != m.parts {
			t.Fatalf("%d parts, counted as %d", count, m.parts)
		}
	}
}

// The latest buffers are known, however many there are, in few layers.
func TestCaptureMemoryBound(t *testing.T) {
	var m rdMemory
	data := []byte{1, 2, 3, 4}
	const n = 3 * MaxBuffers
	for i := range uint64(n) {
		m.write(8*i, data)
	}
	if m.parts > MaxBuffers || len(m.layers) > 40 {
		t.Errorf("%d parts in %d layers, expected at most %d in at most 40", m.parts, len(m.layers), MaxBuffers)
	}
	for i := range uint64(n) {
		switch got := m.read(8*i, 1); {
		case i >= n-MaxBuffers/4 && !bytes.Equal(got, data):
			t.Fatalf("buffer %d of %d is forgotten", i, n)
		case i < n-MaxBuffers && got != nil:
			t.Fatalf("buffer %d of %d is known", i, n)
		}
	}
}
