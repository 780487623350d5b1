package exec

import (
	"strings"
	"testing"

	"github.com/isago/isago/isa"
)

const edges = `<isa strict="true">
<file name="r" type="u32" count="4" init="0"/>
<file name="few" type="u32" count="4" init="0" outside="trap"/>
<file name="w" type="u32" count="2" scope="wave" init="7" outside="trap"/>
<register name="k" type="u32" scope="wave" init="0"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8">
  <display>{NAME} {N}</display>
  <field name="N" low="0" high="3" type="uint"/>
</bitset>
<bitset name="get" extends="#instruction"><pattern low="4" high="7">0000</pattern><semantics>r[0] = w[k];</semantics></bitset>
<bitset name="put" extends="#instruction"><pattern low="4" high="7">0001</pattern><semantics>w[k] = 5;</semantics></bitset>
<bitset name="part" extends="#instruction"><pattern low="4" high="7">0010</pattern><semantics>pc = r[2];</semantics></bitset>
<bitset name="look" extends="#instruction"><pattern low="4" high="7">0011</pattern><semantics>r[0] = from(clz(r[1]), {N}); r[3] = from(r[1] == 0 ? r[1] : r[2], {N});</semantics></bitset>
<bitset name="third" extends="#instruction"><pattern low="4" high="7">0100</pattern><semantics>r[0] = few[3];</semantics></bitset>
<bitset name="third_put" extends="#instruction"><pattern low="4" high="7">0101</pattern><semantics>few[3] = r[1];</semantics></bitset>
</isa>`

const (
	edgeGet = iota << 4
	edgePut
	edgePart
	edgeLook
	edgeThird
	edgeThirdPut
)

func startEdges(t *testing.T, lanes int, words ...uint64) (*Wave, *machine) {
	m := parse(t, edges)
	w := NewWave(m.program("#instruction", Words{}, words...))
	w.Start(lanes, 0)
	return w, m
}

// What all lanes share is outside for all of them: none goes on.
func TestSharedOutside(t *testing.T) {
	for _, word := range []uint64{edgeGet, edgePut} {
		w, m := startEdges(t, 3, word)
		w.Set(m.state("k"), 0, 0, 0, 2)
		w.Run(t.Context())
		wantStop(t, w, "trap: w has no such register at 0x0", 7)
	}
	w, m := startEdges(t, 3, edgePut, edgeGet)
	w.Set(m.state("k"), 0, 0, 0, 1)
	w.Run(t.Context())
	wantState(t, w, "r", 0, 2, 5)
}

// Registers that a launch has taken away trap as those do that there never were, whoever names them.
func TestCountTraps(t *testing.T) {
	for _, word := range []uint64{edgeThird, edgeThirdPut} {
		w, m := startEdges(t, 2, word)
		w.SetCount(m.state("few"), 3)
		w.Run(t.Context())
		wantStop(t, w, "trap: few has no such register at 0x0", 3)
	}
}

// A lane sees what another has though that one is elsewhere.
func TestFromElsewhere(t *testing.T) {
	w, m := startEdges(t, 2, edgePart, edgeLook|1)
	for lane, pc := range []uint64{1, 2} {
		w.Set(m.state("r"), 2, 0, lane, pc)
		w.Set(m.state("r"), 1, 0, lane, uint64(lane)<<7)
	}
	w.Run(t.Context())
	wantState(t, w, "r", 0, 0, 24) // zeros before 1 << 7
	wantState(t, w, "r", 3, 0, 2)  // r[2] of lane 1
}

// A wave without lanes has nothing to do, and does nothing.
func TestNoLanes(t *testing.T) {
	w, _ := startEdges(t, 0, edgeGet)
	if w.Run(t.Context()); !w.Done() || w.Instructions != 0 || len(w.Stops()) != 0 {
		t.Errorf("%d instructions, stops %v", w.Instructions, w.Stops())
	}
	w.Start(2, 0)
	w.SetLanes(0)
	if w.Run(t.Context()); !w.Done() || w.Instructions != 0 || len(w.Stops()) != 0 {
		t.Errorf("%d instructions, stops %v", w.Instructions, w.Stops())
	}
}

func wantStop(t *testing.T, w *Wave, text string, lanes uint64) {
	t.Helper()
	stops := w.Stops()
	if len(stops) != 1 || stops[0].String() != text || stops[0].Lanes != lanes {
		var all []string
		for _, s := range stops {
			all = append(all, s.String())
		}
		t.Errorf("stops %s of lanes %b, want %s of %b", strings.Join(all, ", "), w.Stops()[0].Lanes, text, lanes)
	}
}

// Numbers of a launch fit their type, with a sign or without, or are refused.
func TestParseFits(t *testing.T) {
	var l Launch
	of := func(kind isa.TypeKind, bits int) isa.Type { return isa.Type{Kind: kind, Bits: bits, Lanes: 1} }
	u8, s8, b := of(isa.Unsigned, 8), of(isa.Signed, 8), of(isa.Bool, 1)
	u32, u64, f32 := of(isa.Unsigned, 32), of(isa.Unsigned, 64), of(isa.Float, 32)
	for _, row := range []struct {
		text string
		typ  isa.Type
		want uint64
		err  string
	}{
		{"255", u8, 255, ""},
		{"-1", u8, 255, ""},
		{"-128", s8, 0x80, ""},
		{"256", u8, 0, `"256" does not fit u8`},
		{"-129", s8, 0, `"-129" does not fit s8`},
		{"4294967296", u32, 0, `"4294967296" does not fit u32`},
		{"18446744073709551615", u64, 1<<64 - 1, ""},
		{"18446744073709551615", u32, 0, `"18446744073709551615" does not fit u32`},
		{"1", b, 1, ""},
		{"2", b, 0, `"2" does not fit bool`},
		{"-1", b, 0, `"-1" does not fit bool`},
		{"inf", f32, 0x7f800000, ""},
		{"3.4028235e38", f32, 0x7f7fffff, ""},
		{"1e39", f32, 0, `"1e39" does not fit f32`},
		{"70000", of(isa.Float, 16), 0, `"70000" does not fit f16`},
		{"1e-46", f32, 0, ""},
		{"-0", f32, 1 << 31, ""},
	} {
		got, err := l.Parse(row.text, row.typ)
		if text := ""; err != nil {
			if text = err.Error(); text != row.err {
				t.Errorf("%s as %s: error %s, want %q", row.text, row.typ, text, row.err)
			}
		} else if row.err != "" || got != row.want {
			t.Errorf("%s as %s: %#x, want %#x %s", row.text, row.typ, got, row.want, row.err)
		}
	}
}

// A pair may be missing as a number may: code that returns nothing on a path.
func TestPairOrNothing(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="u32" count="4" init="0"/>
<function name="pair(x: u32): (u32, u32)?">if (x == 0) { return; } return (x, x + 1);</function>
<bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/>
<semantics>r[1] = 9; if let v = pair(r[0]) { let (a, b) = v; r[1] = a; r[2] = b; }</semantics></bitset>
</isa>`)
	w := NewWave(m.program("#instruction", Words{}, 0))
	w.Start(2, 0)
	w.Set(m.state("r"), 0, 0, 1, 5)
	w.Run(t.Context())
	wantState(t, w, "r", 1, 0, 9)
	wantState(t, w, "r", 2, 0, 0)
	wantState(t, w, "r", 1, 1, 5)
	wantState(t, w, "r", 2, 1, 6)
}

// Components of components are those of the register that they stand for, to read and to write, under the bit of the mask that
// is theirs.
func TestComponentsOfComponents(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="v" type="u32x4" count="4" init="0"/>
<bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/>
<semantics>
v[1].x = v[0].wyxx.w; v[1].y = v[0].wz.y; v[1].z = zext(v[0][7:4].wzyx.x, 32); v[1].w = zext(v[0].x[7:4][1], 32);
v[2].zw.y = 5; v[3].where(6).zy.xy = u32x2(7, 8); v[3].where(6).wx = u32x2(9, 9);
</semantics></bitset>
</isa>`)
	w := NewWave(m.program("#instruction", Words{}, 0))
	w.Start(1, 0)
	for comp, v := range []uint64{0x21, 0x32, 0x43, 0x54} {
		w.Set(m.state("v"), 0, comp, 0, v)
	}
	w.Run(t.Context())
	for n, want := range [][4]uint64{1: {0x21, 0x43, 5, 1}, 2: {3: 5}, 3: {1: 8, 2: 7}} {
		for comp, v := range want {
			if got := w.Get(m.state("v"), n, comp, 0); n > 0 && got != v {
				t.Errorf("component %d of v[%d] is %#x, want %#x", comp, n, got, v)
			}
		}
	}
}

// The value of a bitset with a mask says which components are written; that of a bitset with a swizzle has their numbers, also
// as an argument of a function and where components are assigned.
func TestMaskAndSwizzleAreValues(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="v" type="u32x4" count="5" init="9"/>
<function name="pick(v: u32x4, k: u4x4): u32x4">return v.[k];</function>
<bitset name="#mask" size="4"><display>{N}</display><field name="N" low="0" high="3" type="uint"/>
<mask x="{N} &amp; 8" y="{N} &amp; 4" z="{N} &amp; 2" w="{N} &amp; 1"/></bitset>
<bitset name="#swizzle" size="8"><display>{A}{B}{C}{D}</display>
<field name="A" low="6" high="7" type="uint"/><field name="B" low="4" high="5" type="uint"/><field name="C" low="2" high="3" type="uint"/><field name="D" low="0" high="1" type="uint"/>
<swizzle x="{A}" y="{B}" z="{C}" w="{D}"/></bitset>
<bitset name="#instruction" size="12"><display>{M} {S}</display>
<field name="M" low="8" high="11" type="#mask"/><field name="S" low="0" high="7" type="#swizzle"/>
<semantics>
v[1].where({M}) = v[0].[{S}]; v[2] = pick(v[0], {S}); v[3].[{S}] = v[0]; v[4].where({M}.wzyx) = u32x4(select({M}, u32x4(1), u32x4(2)));
</semantics></bitset>
</isa>`)
	w := NewWave(m.program("#instruction", Words{}, 0b1010_01_11_00_10)) // x and z; y, w, x, z
	w.Start(1, 0)
	for comp := range 4 {
		w.Set(m.state("v"), 0, comp, 0, uint64(comp))
	}
	w.Run(t.Context())
	for n, want := range [][4]uint64{1: {1, 9, 0, 9}, 2: {1, 3, 0, 2}, 3: {2, 0, 3, 1}, 4: {9, 2, 9, 2}} {
		for comp, v := range want {
			if got := w.Get(m.state("v"), n, comp, 0); n > 0 && got != v {
				t.Errorf("component %d of v[%d] is %d, want %d", comp, n, got, v)
			}
		}
	}
}
