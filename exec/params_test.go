package exec_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
)

// handedIn has names that are handed in at three depths, as they are and under other names, used in the semantics of
// operands, of an operation inside an instruction, in a write, in the code of an operand and around the instruction.
const handedIn = `<isa strict="true">
<file name="r" type="u32" count="8" init="0"/>
<fetch unit="8"/>
<bitset name="#amount" size="2">
  <display>{V}</display>
  <field name="V" low="0" high="1" type="uint"/>
  <semantics type="u32">return {V} + {MORE};</semantics>
</bitset>
<bitset name="#register" size="5">
  <display>r{N}+{L}</display>
  <field name="N" low="0" high="2" type="uint"/>
  <field name="L" low="3" high="4" type="#amount"><param name="STEP" as="MORE"/></field>
  <semantics type="u32">return r[{N}] + {L};</semantics>
  <write type="u32">r[{N}] = value + {STEP};</write>
</bitset>
<bitset name="#operation" size="6"/>
<bitset name="inc" extends="#operation">
  <display>{R}, {A}</display>
  <field name="R" low="0" high="4" type="#register"><param name="F" as="STEP"/></field>
  <operand name="A"><display>{H}</display><semantics type="u32">return {H} + {F};</semantics></operand>
  <field name="H" pos="5" type="uint"/>
  <semantics>{R} = {R} + {A}; r[6] = {F};</semantics>
</bitset>
<bitset name="#instruction" size="8">
  <around>r[7] = {F}; inner;</around>
  <field name="F" pos="6" type="uint"/>
</bitset>
<bitset name="do" extends="#instruction">
  <display>do {O}, {F}</display>
  <pattern pos="7">0</pattern>
  <field name="O" low="0" high="5" type="#operation"><param name="F"/></field>
  <semantics>{O};</semantics>
</bitset>
<bitset name="all" extends="#instruction">
  <display>all {O}, {F}</display>
  <pattern pos="7">1</pattern>
  <field name="O" low="0" high="5" type="#operation"><param name="*"/></field>
  <semantics>{O};</semantics>
</bitset>
</isa>`

// A name that is handed in is known in code wherever it is in displays. In each word H is 1, L is 2, N is 3, and r3 is 10:
// what is read is 10 + 2 + F, what is added 1 + F, and what is written F more.
func TestHandedIn(t *testing.T) {
	for _, row := range []struct{ word, r3, f uint64 }{
		{0x33, 13, 0},
		{0x73, 16, 1},
		{0xb3, 13, 0},
		{0xf3, 16, 1},
	} {
		p := sound(t, handedIn, exec.Setup{Fetch: fetchOf(row.word)})
		runOne(t, p, map[string]uint64{"r3": 10}, map[string]uint64{"r3": row.r3, "r6": row.f, "r7": row.f})
	}
}

// ofOverride has names that only an override defines, used in its code, in its register and in another field of it.
const ofOverride = `<isa strict="true">
<file name="r" type="u32" count="8" init="0"/>
<fetch unit="8"/>
<bitset name="#register" size="4">
  <display>r{N}</display>
  <pattern pos="2">x</pattern>
  <field name="WIDE" pos="3" type="bool"/>
  <override expr="{WIDE}">
    <display>R{M}</display>
    <field name="M" low="0" high="2" type="uint"/>
    <derived name="TWO" type="uint" width="4" expr="{M} + 2"/>
    <reg file="r" index="{TWO} - 1"/>
  </override>
  <field name="N" low="0" high="1" type="uint"/>
  <reg file="r" index="{N}"/>
</bitset>
<bitset name="#instruction" size="8">
  <display>set {D}, {V}</display>
  <pattern pos="6">0</pattern>
  <field name="D" low="0" high="3" type="#register"/>
  <field name="LONG" pos="7" type="bool"/>
  <override expr="{LONG}">
    <display>set {D}, {BIG}</display>
    <field name="BIG" low="4" high="5" type="hex"/>
    <semantics>{D} = {BIG} + 100;</semantics>
  </override>
  <field name="V" low="4" high="5" type="uint"/>
  <semantics>{D} = 7;</semantics>
</bitset>
</isa>`

// A name that an override defines is known in what else the override says.
func TestOfOverride(t *testing.T) {
	for _, row := range []struct {
		word uint64
		want map[string]uint64
	}{
		{0x03, map[string]uint64{"r3": 7}},
		{0x0d, map[string]uint64{"r6": 7}},   // M is 5, so the register is 5 + 2 - 1
		{0xa2, map[string]uint64{"r2": 102}}, // BIG is 2
		{0xbc, map[string]uint64{"r5": 103}},
	} {
		p := sound(t, ofOverride, exec.Setup{Fetch: fetchOf(row.word)})
		runOne(t, p, nil, row.want)
	}
}

// sound opens a description in which check finds no mistake.
func sound(t *testing.T, text string, setup exec.Setup) *exec.Processor {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{"m.xml": {Data: []byte(text)}}, "m.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	report, err := prove.Check(t.Context(), set, prove.Options{Search: -1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Level == prove.Error {
			t.Error(f.Error())
		}
	}
	p, err := exec.NewProcessor(set, setup)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return p
}

// runOne runs a program from registers of lane 0 and compares others.
func runOne(t *testing.T, p *exec.Processor, from, want map[string]uint64) {
	t.Helper()
	for name, v := range from {
		if err := p.Write(name, 0, v); err != nil {
			t.Fatal(err)
		}
	}
	p.Start(0)
	if stops := p.Run(10); len(stops) != 1 || stops[0].Reason != "end of words" {
		t.Errorf("stops by %v", stops)
	}
	for name, v := range want {
		if got, err := p.Read(name, 0); err != nil || got[0] != v {
			t.Errorf("%s is %d, %v, want %d", name, got, err, v)
		}
	}
}
