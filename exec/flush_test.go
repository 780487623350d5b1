package exec

import (
	"strings"
	"testing"
)

// A description says in its own words that small floats are flushed, and that is one operation.
func TestFlush(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="u32" count="2" init="0"/>
<function name="flush(x: u32): u32">return x[30:23] == 0 ? x &amp; 0x80000000 : x;</function>
<bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/>
<semantics>r[1] = flush(r[0]);</semantics></bitset>
</isa>`)
	p := m.program("#instruction", Words{}, 0)
	code, err := p.lowered(0)
	if err != nil || !strings.Contains(code.String(), "= flush %") || strings.Contains(code.String(), "select") {
		t.Errorf("%v\n%s", err, code)
	}
	w := NewWave(p)
	values := map[uint64]uint64{0: 0, 1: 0, 0x807fffff: 0x80000000, 0x00800000: 0x00800000, 0x7f800001: 0x7f800001, 0xff800000: 0xff800000}
	w.Start(len(values), 0)
	lanes := map[int]uint64{}
	for v, want := range values {
		lane := len(lanes)
		lanes[lane] = want
		w.Set(m.state("r"), 0, 0, lane, v)
	}
	w.Run(t.Context())
	for lane, want := range lanes {
		wantState(t, w, "r", 1, lane, want)
	}
}

// A description says in its own words that a zero wins over infinity and NaN, and with it that denormals are zeros:
// that is one operation too.
func TestProduct(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="f32" count="4" init="0"/>
<function name="flush(x: f32): f32">return bits(x)[30:23] == 0 ? f32(bits(x) &amp; 0x80000000) : x;</function>
<function name="mul(a: f32, b: f32): f32">return a == 0.0 || b == 0.0 ? 0.0 : a * b;</function>
<bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/>
<semantics>r[2] = mul(r[0], r[1]); r[3] = mul(flush(r[0]), flush(r[1]));</semantics></bitset>
</isa>`)
	p := m.program("#instruction", Words{}, 0)
	code, err := p.lowered(0)
	if err != nil || !strings.Contains(code.String(), "= product %") || !strings.Contains(code.String(), "= product flushed %") || strings.Contains(code.String(), "select") {
		t.Errorf("%v\n%s", err, code)
	}
	rows := [][4]uint64{ // factors, and the products without and with denormals
		{0x40000000, 0x40400000, 0x40c00000, 0x40c00000},
		{0x80000000, 0x40400000, 0, 0},
		{0x7f800000, 0, 0, 0},
		{0x80000000, 0x7fc00000, 0, 0},
		{0x7f800000, 0xbf800000, 0xff800000, 0xff800000},
		{0x00400000, 0x40000000, 0x00800000, 0},
		{0x40000000, 0x80400000, 0x80800000, 0},
		{0x7fc00000, 0x3f800000, 0x7fc00000, 0x7fc00000},
	}
	w := NewWave(p)
	w.Start(len(rows), 0)
	for lane, row := range rows {
		w.Set(m.state("r"), 0, 0, lane, row[0])
		w.Set(m.state("r"), 1, 0, lane, row[1])
	}
	w.Run(t.Context())
	for lane, row := range rows {
		wantState(t, w, "r", 2, lane, row[2])
		wantState(t, w, "r", 3, lane, row[3])
	}
}

// Where all lanes run an instruction, what it wrote is known to it, and what it writes twice it writes once; a read of
// what nobody wrote is told all the same.
func TestWhole(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="u32" count="4"/>
<bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/>
<semantics>r[1] = r[0] + 1; r[1] = r[1] + r[0]; if (r[3] == 1) { r[2] = 5; } r[2] = r[2] + r[1]; let x = r[3] == r[3] ? r[1] : r[2]; r[1] = x;</semantics></bitset>
</isa>`)
	p := m.program("#instruction", Words{}, 0)
	code, err := p.lowered(0)
	if err != nil {
		t.Fatal(err)
	}
	whole := code.Whole()
	if text := whole.String(); strings.Count(text, "write r[1]") != 1 || strings.Count(text, "read r[0]") != 1 || strings.Count(text, "read r[1]") != 0 || strings.Count(text, "write r[2]") != 2 {
		t.Error(text)
	}
	w := NewWave(p)
	w.Start(3, 0)
	for lane := range 3 {
		w.Set(m.state("r"), 0, 0, lane, uint64(10*lane))
	}
	w.Set(m.state("r"), 3, 0, 1, 1)
	w.Run(t.Context())
	for lane, want := range [][2]uint64{{1, 1}, {21, 26}, {41, 41}} {
		wantState(t, w, "r", 1, lane, want[0])
		wantState(t, w, "r", 2, lane, want[1])
	}
	var found []string
	for _, f := range w.Findings() {
		found = append(found, f.Register())
	}
	if strings.Join(found, " ") != "r2 r3" {
		t.Errorf("findings %v", found)
	}
}

// What is read or written where no lane goes is not known behind it.
func TestWholeRegion(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="u32" count="4" init="0"/>
<bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/>
<semantics>if (r[3] == 1) { r[1] = (r[0] * 3 + 7) * (r[0] + 5) / (r[0] + 1) ^ r[0] * 11; } let before = r[0]; r[0] = 9; r[2] = before + r[1];</semantics></bitset>
</isa>`)
	p := m.program("#instruction", Words{}, 0)
	for _, taken := range []uint64{0, 1} {
		w := NewWave(p)
		w.Start(3, 0)
		for lane := range 3 {
			w.Set(m.state("r"), 0, 0, lane, uint64(lane+1))
			w.Set(m.state("r"), 1, 0, lane, 100)
			w.Set(m.state("r"), 3, 0, lane, taken)
		}
		w.Run(t.Context())
		for lane, inside := range []uint64{10*6/2 ^ 11, 13*7/3 ^ 22, 16*8/4 ^ 33} {
			if taken == 0 {
				inside = 100
			}
			wantState(t, w, "r", 1, lane, inside)
			wantState(t, w, "r", 2, lane, inside+uint64(lane+1))
		}
	}
}

// Constants are printed in the form of their type: whole numbers in decimal, floats as their bits and their value.
func TestPrintsConstants(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="s32" count="1" init="0"/><file name="f" type="f32" count="1" init="0"/><file name="u" type="u32" count="1" init="0"/>
<bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/>
<semantics>r[0] = r[0] * -12; f[0] = f[0] * 1.5; u[0] = u[0] * 3000000000;</semantics></bitset>
</isa>`)
	code, err := m.program("#instruction", Words{}, 0).lowered(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" -12\n", " 0x3fc00000 (1.5)\n", " 3000000000\n"} {
		if !strings.Contains(code.String(), want) {
			t.Errorf("no %q in\n%s", want, code)
		}
	}
}
