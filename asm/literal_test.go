package asm_test

import (
	"bytes"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/isa"
)

// TestNearestEncoding parses literals that several instructions can encode. The parser chooses the instruction with the
// exact value, otherwise with the nearest value, and the first of several.
func TestNearestEncoding(t *testing.T) {
	toolsFor(t, load(t, `
<bitset name="#instruction" size="40"/>
<bitset name="movh" extends="#instruction"><display>mov {F}</display>
  <pattern low="16" high="39">000000000000000000000000</pattern><field name="F" low="0" high="15" type="float"/></bitset>
<bitset name="movs" extends="#instruction"><display>mov {F}</display>
  <pattern low="32" high="39">00000001</pattern><field name="F" low="0" high="31" type="float"/></bitset>
<bitset name="top" extends="#instruction"><display>top {F}</display>
  <pattern low="20" high="39">00000000000000000110</pattern><field name="IM" low="0" high="19" type="hex"/>
  <derived name="F" type="float" width="32"><expr>{IM} &lt;&lt; 12</expr></derived></bitset>`)).rows(t, []row{
		{"mov 0.5", "3800", "mov 0.500000"},      // both can encode it: the first
		{"mov 0.1", "13dcccccd", "mov 0.100000"}, // 0.09998 in a half
		{"mov -0.1", "1bdcccccd", "mov -0.100000"},
		{"mov 2049", "145001000", "mov 2049.000000"}, // 2048 in a half
		{"mov 70000.0", "14788b800", "mov 70000.000000"},
		{"mov 1e40", "", "text-range"},
		{"mov inf", "7c00", ""},
		{"mov -0.0", "8000", "mov -0.000000"},
		{"top 1.5", "63fc00", "top 1.500000"},
		{"top 0.1", "63dccd", "top 0.100006"}, // 3dcccccd, for which 3dccd is nearer than 3dccc
		{"top -0.1", "6bdccd", "top -0.100006"},
		{"top 1e40", "", "text-range"},
	})
}

// TestLargeImmediates parses immediates of several types with few possible values. The limit is ten times the actual
// work, and far below the million of steps that trying all bits would need.
func TestLargeImmediates(t *testing.T) {
	x := toolsFor(t, loadXML(t, `<isa>
<bitset name="#src" size="32">
  <override><expr>{RG} == 7 &amp;&amp; {TY} == 0</expr><display>{F}</display>
    <derived name="F" type="float" width="32"><expr>{IM} &lt;&lt; 12</expr></derived></override>
  <override><expr>{RG} == 7 &amp;&amp; {TY} == 1</expr><display>{I}</display>
    <derived name="I" type="int" width="20"><expr>{IM}</expr></derived></override>
  <override><expr>{RG} == 7 &amp;&amp; {TY} == 2</expr><display>{U}</display>
    <derived name="U" type="uint" width="20"><expr>{IM}</expr></derived></override>
  <override><expr>{RG} == 7 &amp;&amp; {TY} == 3</expr><display>{H}</display>
    <derived name="H" type="float" width="16"><expr>{IM}</expr></derived></override>
  <display>r{RG}</display>
  <derived name="IM" type="uint" width="20"><expr>({X2} &lt;&lt; 18) | ({X1} &lt;&lt; 9) | {X0}</expr></derived>
  <field name="X0" low="0" high="8" type="uint"/><field name="X1" low="9" high="17" type="uint"/><field name="X2" low="18" high="19" type="uint"/>
  <field name="TY" low="20" high="21" type="uint"/><field name="RG" low="22" high="24" type="uint"/><pattern low="25" high="31">0000000</pattern>
</bitset>
<bitset name="#instruction" size="64"><display>op {A}, {B}</display>
  <field name="A" low="0" high="31" type="#src"/><field name="B" low="32" high="63" type="#src"/>
</bitset></isa>`, isa.Options{}))
	for text, want := range map[string]string{
		"op 1048575, 1048575": "1efffff01efffff",
		"op -524288, 524288":  "1e8000001d80000",
		"op 0.1, 2.5":         "1c4020001c3dccd",
		"op 3000000000, 1":    "1c3f80001c4f32d", // 0x4f32d05e, rounded
	} {
		res, err := x.p.Parse(text)
		if err != nil || res.Inst.Bits.String() != want {
			t.Errorf("%s is %s, %v, expected %s", text, res.Inst.Bits, err, want)
		}
		if work := x.p.Work(); work > 1000 {
			t.Errorf("%s took %d steps", text, work)
		}
	}
}

// TestDividedImmediates parses quotients and remainders of wide fields.
func TestDividedImmediates(t *testing.T) {
	toolsFor(t, load(t, `
<bitset name="#instruction" size="64"><display>op {X}, {Y}</display>
  <field name="A" low="0" high="31" type="uint"/><field name="B" low="32" high="63" type="uint"/>
  <derived name="X" type="uint" width="32"><expr>{A} / 3</expr></derived>
  <derived name="Y" type="uint" width="32"><expr>{B} % 1000003</expr></derived>
</bitset>`)).rows(t, []row{
		{"op 70000, 70000", "0001117000033450", ""}, // 210000 is 0x33450
		{"op 1431655765, 1000002", "000f4242ffffffff", ""},
		{"op 715827882, 0", "7ffffffe", ""}, // 7fffffff has the same quotient
		{"op 1431655766, 0", "", "text-range"},
		{"op 0, 1000003", "", "text-range"},
	})
}

// TestWideEnum parses the numbers of an enum of more than 32 bits, which prints the low 32 bits, and of a bool whose
// text does not specify the other bits.
func TestWideEnum(t *testing.T) {
	toolsFor(t, load(t, `
<enum name="#e"><value val="1" display="one"/></enum>
<bitset name="#instruction" size="40"/>
<bitset name="e" extends="#instruction"><display>e {E}</display><pattern low="36" high="39">0000</pattern><field name="E" low="0" high="35" type="#e"/></bitset>
<bitset name="b" extends="#instruction"><display>b {B}</display><pattern low="36" high="39">0001</pattern><field name="B" low="0" high="35" type="bool"/></bitset>`)).rows(t, []row{
		{"e one", "1", ""},
		{"e 1", "100000001", ""}, // 1 has a name
		{"e 4294967295", "ffffffff", ""},
		{"e 68719476736", "", "text-range"},
		{"b 4294967295", "10ffffffff", ""},
		{"b 4294967296", "", "text-range"},
	})
}

// TestNearestEncodingOfPrinted parses text that two formats print. A printed half may become the single that is nearer
// to its six decimals, and check reports that these words have the same text. Lossless text assembles to the half.
func TestNearestEncodingOfPrinted(t *testing.T) {
	x := toolsFor(t, load(t, `
<bitset name="#instruction" size="40"/>
<bitset name="movh" extends="#instruction"><display>mov {F}</display>
  <pattern low="16" high="39">000000000000000000000000</pattern><field name="F" low="0" high="15" type="float"/></bitset>
<bitset name="movs" extends="#instruction"><display>mov {F}</display>
  <pattern low="32" high="39">00000001</pattern><field name="F" low="0" high="31" type="float"/></bitset>`))
	x.rows(t, []row{{"mov 0.099976", "13dccc038", ""}}) // 2e66 is 0.0999755859375, 3dccc038 is 0.099976
	l := asm.NewLossless(x.d, x.p)
	for word, plain := range map[string]bool{"2e66": false, "13dccc038": true, "3800": true, "13f000000": false} {
		in, _ := x.d.Decode(parseHex(t, word))
		text, ok := l.Append(nil, in)
		if !ok || bytes.Contains(text, []byte("{")) == plain {
			t.Errorf("%s is %q, %v", word, text, ok)
		}
		if res, err := x.p.ParseBytes(text); err != nil || res.Inst.Bits != in.Bits {
			t.Errorf("%s reads as %s, %v", text, res.Inst.Bits, err)
		}
	}
}
