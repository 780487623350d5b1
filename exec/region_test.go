package exec

import (
	"strings"
	"testing"
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
	p := m.program("#instruction", Words{}, 1)
	w := NewWave(p)
	for _, lanes := range [][]uint32{{20, 7, 3, 21, 11, 12}, {3, 3, 3, 3, 3, 3}, {7, 7, 12, 7, 7, 7}, {7, 3, 7, 3, 7, 3}, {11, 10, 9, 8, 7, 13}, {1}} {
		w.Start(len(lanes), 0)
		for i, x := range lanes {
			w.Set(m.state("r"), 0, 0, i, uint64(x))
		}
		w.Run(t.Context())
		for i, x := range lanes {
			for n, want := range regionsOf(x) {
				if got := w.Get(m.state("r"), n, 0, i); got != uint64(want) {
					t.Errorf("lanes %v: r%d of lane %d is %#x, want %#x", lanes, n, i, got, want)
				}
			}
		}
	}
	if _, err := p.lowered(0); err != nil {
		t.Error(err)
	}
}

// What a lane sees of one that is elsewhere is computed there: code that no lane at hand needs, and what it reads of a memory
// or of a stack. What a service gives is 0 there.
func TestSeenElsewhere(t *testing.T) {
	const picks = `from(pick(r[0]), 1)`
	long := regionsOf(20)[1]
	for text, want := range map[string]uint32{
		picks:                               long,
		`r[0] < 10 ? ` + picks + ` : 0`:     long,
		`from(m.u32[r[0] - 16], 1)`:         77,
		`from(r[0] > 10 ? m.u32[4] : 5, 1)`: 77,
		`from(m.u32[r[0]], 1)`:              0, // behind the last byte, where no lane asks
		`from(top(s).x, 1)`:                 78,
		`from(top(s).x == 78, 1) ? 1 : 2`:   1,
		`from(ask(r[0]), 1)`:                0,
	} {
		m := parse(t, strings.Replace(regions, `<bitset name="#instruction"`, `<memory name="m" size="16" scope="lane" outside="trap"/>
<stack name="s" depth="2" full="trap" empty="trap"><slot name="x" type="u32"/></stack><service name="ask(x: u32): u32"/>
<bitset name="look" extends="#instruction"><display>look</display><pattern low="0" high="7">00000010</pattern>
<semantics><![CDATA[r[3] = `+text+`;]]></semantics></bitset>
<bitset name="part" extends="#instruction"><display>part</display><pattern low="0" high="7">00000011</pattern>
<semantics>if (lane == 1) { m.u32[4] = 77; push s { x = 78 }; pc = next + 1; } else { push s { x = 1 }; }</semantics></bitset>
<bitset name="#instruction"`, 1))
		w := NewWave(m.program("#instruction", Words{}, 3, 2))
		w.Services = map[string]Service{"ask": func(c *Call) { each(c.Mask, func(i int) { c.Results[0][i] = 9 }) }}
		w.Start(2, 0)
		for lane, x := range []uint64{3, 20} {
			w.Set(m.state("r"), 0, 0, lane, x)
		}
		w.Run(t.Context())
		if got := w.Get(m.state("r"), 3, 0, 0); got != uint64(want) {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
	}
}

// What always holds is no guard, wherever it was met first: in a region that may be skipped, say.
func TestAlwaysHolds(t *testing.T) {
	m := parse(t, strings.Replace(regions, `<bitset name="#instruction"`, `<file name="f" type="f32" count="1" init="0"/>
<bitset name="always" extends="#instruction"><display>always</display><pattern low="0" high="7">00000010</pattern>
<semantics><![CDATA[
  if (r[1] > 3) { if (r[2] > 5) { pc = next + (r[0] * 3 ^ r[0] >> 1 ^ r[0] * 5 ^ r[0] >> 3); } }
  if (u32(1) <= u32(1) && isnan(f[0])) { r[3] = 1; } else { r[3] = 2; }
]]></semantics></bitset>
<bitset name="#instruction"`, 1))
	w := NewWave(m.program("#instruction", Words{}, 2)) // which verifies it
	w.Start(1, 0)
	w.Run(t.Context())
	wantState(t, w, "r", 3, 0, 2)
}
