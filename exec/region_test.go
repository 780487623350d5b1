package exec

import (
	"testing"

	"github.com/isago/isago/internal/sem"
)

// Regions that are long enough to be skipped: one that returns, and one whose write lands behind it.
const regions = `<isa strict="true">
<file name="r" type="u32" count="4" init="0"/>
<fetch unit="8"/>
<function name="pick(x: u32): u32"><![CDATA[
  if (x == 7) { return 1; }
  if (x > 10) {
    let y = x * 3 ^ x >> 1 ^ x * 5;
    if (y % 2 == 0) { return (y * 7 ^ y >> 2 ^ y * 11) | 0x80000000; }
  }
  return x;
]]></function>
<function name="some(x: u32): u32?"><![CDATA[
  if (x > 10) { if ((x * 3 ^ x >> 1 ^ x * 5 ^ x >> 3) % 2 == 0) { return; } }
  return x + 1;
]]></function>
<bitset name="#instruction" size="8"/>
<bitset name="run" extends="#instruction">
  <display>run</display>
  <pattern low="0" high="7">00000001</pattern>
  <semantics><![CDATA[
    let x = r[0];
    r[1] = pick(x);
    together {
      if (x > 10) {
        if ((x * 3 ^ x >> 1 ^ x * 5 ^ x >> 3) % 2 == 0) { r[2] = x * 9 ^ x >> 1 ^ x * 13; }
      }
    }
    if let v = some(x) { r[3] = v; }
    end;
  ]]></semantics>
</bitset>
</isa>`

// regionsOf is what the instruction gives, in Go.
func regionsOf(x uint32) (r [4]uint32) {
	r = [4]uint32{x, x, 0, x + 1}
	if x == 7 {
		r[1] = 1
	}
	if x <= 10 {
		return r
	}
	if y := x*3 ^ x>>1 ^ x*5; y%2 == 0 {
		r[1] = y*7 ^ y>>2 ^ y*11 | 0x80000000
	}
	if (x*3^x>>1^x*5^x>>3)%2 == 0 {
		r[2], r[3] = x*9^x>>1^x*13, 0
	}
	return r
}

// What a skipped region computed the last time is not taken for what it would give now.
func TestSkippedRegions(t *testing.T) {
	m := parse(t, regions)
	p := m.program("#instruction", sem.Words{}, 1)
	w := NewWave(p)
	for _, lanes := range [][]uint32{{20, 7, 3, 21, 11, 12}, {3, 3, 3, 3, 3, 3}, {7, 7, 12, 7, 7, 7}, {7, 3, 7, 3, 7, 3}, {11, 10, 9, 8, 7, 13}, {1}} {
		w.Start(len(lanes), 0)
		for i, x := range lanes {
			w.Set(m.state("r"), 0, 0, i, uint64(x))
		}
		w.Run()
		for i, x := range lanes {
			for n, want := range regionsOf(x) {
				if got := w.Get(m.state("r"), n, 0, i); got != uint64(want) {
					t.Errorf("lanes %v: r%d of lane %d is %#x, want %#x", lanes, n, i, got, want)
				}
			}
		}
	}
	if code, err := p.Code(0); err != nil || code.Verify() != nil {
		t.Error(err, code.Verify())
	}
}
