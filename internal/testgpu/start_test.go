package testgpu_test

import (
	"runtime"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
)

// Limits of the bytes allocated up to the first printed word, and from there to the first assembled
// line. They are a third more than needed. Compiling every leaf or the whole grammar would take
// several times as many.
const (
	maxLoaded    = 3700 << 10
	maxAssembled = 900 << 10
)

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestStartAllocates requires that a large description is compiled only as far as needed.
func TestStartAllocates(t *testing.T) {
	var set *isa.Set
	loaded := allocated(func() {
		set = load(t, testgpu.Gens[len(testgpu.Gens)-1])
		d, err := set.NewDecoder("")
		if err != nil {
			t.Fatal(err)
		}
		if in, ok := d.Decode(bits.Of(0x2000800000010203)); !ok || len(d.Append(nil, in)) == 0 {
			t.Fatal("not decoded")
		}
	})
	assembled := allocated(func() {
		p, err := asm.New(set, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Parse("fadd r1.x, r2.x, c3.y"); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%d KiB to the first word, %d KiB to the first line", loaded>>10, assembled>>10)
	if loaded > maxLoaded || assembled > maxAssembled {
		t.Errorf("%d KiB to the first word and %d KiB to the first line, expected at most %d and %d", loaded>>10, assembled>>10, maxLoaded>>10, maxAssembled>>10)
	}
}
