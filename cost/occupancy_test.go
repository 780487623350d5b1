package cost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/cost"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
)

// TestProcessors compares what the processors have with the physical limits that version 2 of NVIDIA's CUDA Occupancy
// Calculator states for compute capabilities 1.0 to 1.3, as repeated in the comments of CudaFramework's GPUDefines.hpp
// (github.com/gabyx/CudaFramework): warps, blocks, the register file with the unit of allocation and the granularity of
// warps, shared memory with its unit, and the threads of a block.
func TestProcessors(t *testing.T) {
	set, err := tesla.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := set.MaxBlock(); n != 512 {
		t.Errorf("%d threads in a block", n)
	}
	for _, test := range [][2]string{
		{"g80", "sm_10: waves 24, blocks 8, r 8192 in 256 by 2, s 16384 in 512"},
		{"g84", "sm_11: waves 24, blocks 8, r 8192 in 256 by 2, s 16384 in 512"},
		{"gt215", "sm_12: waves 32, blocks 8, r 16384 in 512 by 2, s 16384 in 512"},
		{"g200", "sm_13: waves 32, blocks 8, r 16384 in 512 by 2, s 16384 in 512"},
	} {
		ctx, err := set.ParseContext(set.DefaultContext(), "chip", test[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range set.Processors(ctx) {
			var list []string
			for _, h := range p.Holds {
				text := fmt.Sprint(h.Name, " ", h.Most)
				if h.Unit != 1 {
					text += fmt.Sprint(" in ", h.Unit)
				}
				if h.Waves != 1 {
					text += fmt.Sprint(" by ", h.Waves)
				}
				list = append(list, text)
			}
			if got := p.Name + ": " + strings.Join(list, ", "); got != test[1] || p.Source == "" {
				t.Errorf("%s: %s, want %s", test[0], got, test[1])
			}
		}
	}
}

// TestOccupancy compares the occupancy with published values.
func TestOccupancy(t *testing.T) {
	set, err := tesla.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	facts, err := facts.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		chip                       string
		threads, registers, shared int
		want                       string
	}{
		// CUDA C Best Practices Guide, "Calculating occupancy": 83 % with 5 blocks, and 66 % with 2 blocks.
		{"g80", 128, 12, 0, "5 blocks, 20 of 24 waves, r"}, // 4*12*32 = 1536; 8192/1536 = 5
		{"g80", 256, 12, 0, "2 blocks, 16 of 24 waves, r"}, // 8*12*32 = 3072; 8192/3072 = 2
		// NVIDIA's forum, "Registers per thread limit and occupancy": both give all 24 warps.
		{"g80", 96, 8, 0, "8 blocks, 24 of 24 waves, waves"},   // 4*8*32 = 1024; 8192/1024 = 8; 24/3 = 8
		{"g80", 128, 10, 0, "6 blocks, 24 of 24 waves, waves"}, // 4*10*32 = 1280; 8192/1280 = 6; 24/4 = 6
		// NVIDIA's forum, "Threads per block equation": 384 threads with 20 registers run, and 21 are the most.
		{"g84", 384, 21, 0, "1 blocks, 12 of 24 waves, r"}, // 12*21*32 = 8064
		{"g84", 384, 22, 0, "0 blocks, 0 of 24 waves, r"},  // 12*22*32 = 8448
		// By hand, with the formula of the CUDA C Programming Guide, "Multiprocessor level", and the numbers above.
		{"gt215", 64, 4, 0, "8 blocks, 16 of 32 waves, blocks"},
		{"g200", 256, 17, 0, "3 blocks, 24 of 32 waves, r"},    // 8*17*32 = 4352, in units of 512: 4608; 16384/4608 = 3
		{"g200", 256, 16, 4100, "3 blocks, 24 of 32 waves, s"}, // 4100 in units of 512: 4608; 16384/4608 = 3
		{"g200", 32, 60, 0, "4 blocks, 4 of 32 waves, r"},      // 1 wave counts as 2: 2*60*32 = 3840, in units of 512: 4096
	} {
		ctx, err := set.ParseContext(set.DefaultContext(), "chip", test.chip)
		if err != nil {
			t.Fatal(err)
		}
		list := set.Processors(ctx)
		if len(list) != 1 {
			t.Fatalf("%s has %d processors", test.chip, len(list))
		}
		b := cost.OccupancyOf(list[0], facts.Lanes(), test.registers, test.shared, []int{test.threads}).Sizes[0]
		if got := fmt.Sprintf("%d blocks, %d of %d waves, %s", b.Blocks, b.Waves, b.Most, b.Limit); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
