package asm_test

import (
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
)

// TestCanonical checks the canonical forms of PICA200 operand descriptors. The mask is in bits 0 to 3, with x in bit 3.
// The swizzles are in bits 5 to 12, 14 to 21 and 23 to 30, two bits for each component, x on top. The value of x is 0;
// 0x1b is xyzw, which prints as nothing.
func TestCanonical(t *testing.T) {
	x := toolsFor(t, loadFile(t, "pica200"))
	res, err := x.p.Parse("mul r0, r1, r2")
	if err != nil {
		t.Fatal(err)
	}
	c := asm.NewCanonical(x.d, x.p)
	entry := func(mask, one, two, three uint64) bits.Value { return bits.Of(mask | one<<5 | two<<14 | three<<23) }
	for _, test := range []struct {
		name       string
		have, want bits.Value
	}{
		{"all components count, and there is no third source", entry(15, 0x1b, 0xb1, 0x55), entry(15, 0x1b, 0xb1, 0x1b)},
		{"x alone counts, which is x and z", entry(8, 0x1b, 0xb1, 0x55), entry(8, 0, 0xaa, 0x1b)},
		{"z and w count, which are zw and zz: xyzw, and z repeated", entry(3, 0x1b, 0x1a, 0x1b), entry(3, 0x1b, 0xaa, 0x1b)},
	} {
		for range 2 { // the second time from the cache
			x.d.SetTable(0, []bits.Value{test.have})
			if got := c.Entry(res.Inst, test.have).Entry; got != test.want {
				t.Errorf("%s: %s becomes %s, expected %s", test.name, test.have, got, test.want)
			}
		}
	}
}
