package asm_test

import (
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// TestComputedDefault checks a default that is computed from other fields: from a field that the text specifies, and
// from a field with an earlier default.
func TestComputedDefault(t *testing.T) {
	x := toolsFor(t, load(t, `
<bitset name="#op" size="2"/>
<bitset name="#instruction" size="16"><display>{OP}</display>
  <field name="OP" low="14" high="15" type="#op"/>
  <field name="A" low="0" high="3" type="uint"/>
  <field name="B" low="4" high="7" type="uint"/>
  <field name="C" low="8" high="13" type="uint"/>
  <default name="A" expr="{OP} == 0 ? 15 : {OP} + 1"/>
  <default name="B" expr="{OP} == 2 ? {A} : 0"/>
  <default name="C" val="9"/>
</bitset>
<bitset name="none" extends="#op"><display>none</display><pattern low="0" high="1">00</pattern></bitset>
<bitset name="one" extends="#op"><display>one</display><pattern low="0" high="1">01</pattern></bitset>
<bitset name="two" extends="#op"><display>two</display><pattern low="0" high="1">10</pattern></bitset>
<bitset name="three" extends="#op"><display>three</display><pattern low="0" high="1">11</pattern></bitset>`))
	for text, want := range map[string]uint64{
		"none":           0x090f,
		"one":            0x4902,
		"two":            0x8933, // A is 3, and B is A
		"three":          0xc904,
		"two {A=5}":      0x8935, // a suffix changes a field that the text has specified
		"two {B=0, C=0}": 0x8003,
	} {
		res, err := x.p.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if res.Inst.Bits != bits.Of(want) {
			t.Errorf("%s is %s, expected %x", text, res.Inst.Bits, want)
		}
	}
}

// TestDefaultOfOpenBits checks a default that is computed from a bit that nothing specifies. The bit is 0 in the word,
// and counts as 0 for the default, whether or not the condition on it is settled before the defaults.
func TestDefaultOfOpenBits(t *testing.T) {
	x := toolsFor(t, load(t, `
<bitset name="#operand" size="3"/>
<bitset name="o" extends="#operand"><display>o{M}</display>
  <override expr="{N} &gt; 2"><display>z{M}</display></override>
  <pattern pos="2">1</pattern>
  <field name="N" pos="1" type="uint"/>
  <field name="M" pos="0" type="uint"/>
</bitset>
<bitset name="#instruction" size="16"/>
<bitset name="op" extends="#instruction"><display>op {A}</display>
  <field name="A" low="0" high="2" type="#operand"/>
  <field name="C" low="3" high="5" type="uint"/>
  <pattern low="6" high="15">0000000100</pattern>
  <default name="C" expr="{A}"/>
</bitset>`))
	for i := range 5 {
		for text, want := range map[string]uint64{"op o1": 0x012d, "op o0": 0x0124} { // C is A: 5, 4
			if res, err := x.p.Parse(text); err != nil || res.Inst.Bits != bits.Of(want) {
				t.Errorf("%s, time %d: %s, %v, expected %x", text, i+1, res.Inst.Bits, err, want)
			}
		}
	}
}

// TestAbsentMembers parses sets without a member that always prints something.
func TestAbsentMembers(t *testing.T) {
	x := toolsFor(t, load(t, `
<enum name="#mode"><value val="0" display=".lo"/><value val="1" display=".hi"/></enum>
<bitset name="#part" size="3"><display>.p{N}</display><field name="N" low="0" high="2" type="uint"/></bitset>
<bitset name="op" extends="#instruction"><display>op{OPTS} {A}</display>
  <set name="OPTS" absent="default">
    <field name="MODE" pos="0" type="#mode"/>
    <field name="PART" low="1" high="3" type="#part"/>
    <field name="SAT" pos="4" type="bool" display=".sat"/>
  </set>
  <field name="A" low="5" high="7" type="uint"/>
  <default name="PART" val="5"/>
</bitset>
<bitset name="#instruction" size="8"/>`))
	for text, want := range map[string]uint64{
		"op 1":             0x2a, // PART is 5, MODE and SAT are 0
		"op.hi 1":          0x2b,
		"op.p0 1":          0x20,
		"op.sat.p7.hi 1":   0x3f,
		"op.lo.p5 1":       0x2a,
		"op.p1.sat 2":      0x52,
		"op.lo.p5 1 {A=2}": 0x4a,
	} {
		res, err := x.p.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if res.Inst.Bits != bits.Of(want) {
			t.Errorf("%s is %s, expected %x", text, res.Inst.Bits, want)
		}
	}
	for _, text := range []string{"op.hi.lo 1", "op.p1.p1 1"} {
		if _, err := x.p.Parse(text); err == nil {
			t.Errorf("%s is read, though a member stands there twice", text)
		}
	}
}

// TestForcedMap uses the forced maps of an encoder for Mesa as defaults, if they are numbers. Expressions in C are
// ignored.
func TestForcedMap(t *testing.T) {
	x := toolsFor(t, loadXML(t, `<isa>
<bitset name="#instruction" size="16">
  <field name="F" low="8" high="9" type="uint"/>
  <field name="G" low="10" high="11" type="uint"/>
  <field name="H" low="12" high="13" type="uint"/>
  <encode type="struct x *"><map name="F" force="true">1</map><map name="G" force="true">0x2</map></encode>
</bitset>
<bitset name="plain" extends="#instruction"><display>plain {A}</display>
  <pattern low="14" high="15">00</pattern><field name="A" low="0" high="7" type="uint"/>
  <encode><map name="A">src->a</map><map name="H" force="true">!!src->h</map><map name="NOWHERE" force="true">1</map></encode></bitset>
<bitset name="shown" extends="#instruction"><display>shown {F}</display>
  <pattern low="14" high="15">01</pattern><field name="A" low="0" high="7" type="uint"/>
  <encode><map name="G" force="true"> 3 </map><map name="H" force="false">1</map></encode></bitset>
<bitset name="own" extends="#instruction"><display>own</display>
  <pattern low="14" high="15">10</pattern><field name="A" low="0" high="7" type="uint"/>
  <default name="F" val="2"/><encode><map name="F" force="true">3</map></encode></bitset>
</isa>`, isa.Options{}))
	x.rows(t, []row{
		{"plain 7", "0907", ""},
		{"shown 0", "4c00", ""}, // the text has priority, then the leaf, then its parent
		{"shown 3", "4f00", ""},
		{"own", "8a00", ""},
	})
}
