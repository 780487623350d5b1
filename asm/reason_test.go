package asm_test

import (
	"strings"
	"testing"
)

// TestReasons checks that messages quote the text of the user, the allowed values and the nearest one, and no
// expression of the description.
func TestReasons(t *testing.T) {
	x := toolsFor(t, load(t, `
<enum name="#idx"><value val="0" display=""/><value val="1" display="[aL]"/><value val="2" display="[a0]"/></enum>
<bitset name="#instruction" size="32"/>
<bitset name="bra" extends="#instruction"><display>bra {TARGET}</display>
  <pattern low="28" high="31">0000</pattern><field name="T" low="0" high="21" type="uint"/><pattern low="22" high="27">000000</pattern>
  <derived name="TARGET" type="absbranch" width="24" unit="8"><doc>The address in bytes, a multiple of 4. It is so.</doc><expr>{T} &lt;&lt; 2</expr></derived></bitset>
<bitset name="hexa" extends="#instruction"><display>hexa 0x{H}</display>
  <pattern low="28" high="31">0001</pattern><field name="V" low="0" high="7" type="uint"/><pattern low="8" high="27">00000000000000000000</pattern>
  <derived name="H" type="hex" width="12"><expr>{V} * 16</expr></derived></bitset>
<bitset name="copy" extends="#instruction"><display>copy {C}, {X}</display>
  <pattern low="28" high="31">0010</pattern><field name="C" low="0" high="6" type="uint"/><pattern low="7" high="27">000000000000000000000</pattern>
  <derived name="X" type="uint" width="7"><expr>{C}</expr></derived></bitset>
<bitset name="inc" extends="#instruction">
  <override expr="{INC} ? {D} == 3 : {D} &gt; 8"><display>inc {INC} r{D}!</display></override><display>inc {INC} r{D}</display>
  <pattern low="28" high="31">0011</pattern><field name="INC" pos="0" type="uint"/><field name="D" low="4" high="7" type="uint"/>
  <pattern low="1" high="3">000</pattern><pattern low="8" high="27">00000000000000000000</pattern></bitset>
<bitset name="sgn" extends="#instruction"><display>sgn {S}</display>
  <pattern low="28" high="31">0100</pattern><field name="V" low="0" high="3" type="uint"/><pattern low="4" high="27">000000000000000000000000</pattern>
  <derived name="S" type="int" width="8"><expr>({V} - 8) * 2</expr></derived></bitset>
<bitset name="ind" extends="#instruction"><display>ind {N}{IDX}</display>
  <pattern low="28" high="31">0101</pattern><field name="N" low="0" high="3" type="uint"/><field name="R" pos="4" type="bool"/>
  <pattern low="5" high="27">00000000000000000000000</pattern>
  <derived name="IDX" type="#idx"><expr>{R} ? 1 : 0</expr></derived></bitset>
<bitset name="few" extends="#instruction"><display>few {S}</display>
  <pattern low="28" high="31">0110</pattern><field name="V" low="0" high="1" type="uint"/><pattern low="2" high="27">00000000000000000000000000</pattern>
  <derived name="S" type="uint" width="8"><expr>1 &lt;&lt; {V}</expr></derived></bitset>
<bitset name="flt" extends="#instruction"><display>flt {F}</display>
  <pattern low="28" high="31">0111</pattern><field name="V" low="0" high="3" type="uint"/><pattern low="4" high="27">000000000000000000000000</pattern>
  <derived name="F" type="float" width="16"><expr>{V} * 3</expr></derived></bitset>
<bitset name="rel" extends="#instruction"><display>rel {C}{A}, {B}</display>
  <pattern low="28" high="31">1000</pattern><field name="R" pos="0" type="bool"/><field name="S" pos="1" type="bool"/><field name="L" pos="2" type="bool"/>
  <field name="C" low="4" high="7" type="uint"/><pattern pos="3">0</pattern><pattern low="8" high="27">00000000000000000000</pattern>
  <derived name="A" type="#idx"><expr>{S} ? 1 + {L} : 0</expr></derived>
  <derived name="B" type="#idx"><expr>{R} || {S} ? 1 + {L} : 0</expr></derived></bitset>
`))
	for text, want := range map[string]string{
		"bra 16777216": "16777216 does not fit TARGET, expected 0 to 16777212 in steps of 4, the nearest is 16777212 (The address in bytes, a multiple of 4)",
		"bra 6":        "6 does not fit TARGET, expected 0 to 16777212 in steps of 4, the nearest is 4 (The address in bytes, a multiple of 4)",
		"hexa 0x1000":  "1000 does not fit H, expected 0x0 to 0xff0 in steps of 16, the nearest is 0xff0",
		"copy 3, 128":  "128 does not fit X, expected 3",
		"inc 0 r4!":    `"0" at column 5 and "4" at column 8 conflict`,
		"sgn 15":       "15 does not fit S, expected -16 to 14 in steps of 2, the nearest is 14",
		"ind 3[a0]":    "[a0] does not fit IDX, expected nothing or [aL]",
		// 15 * 3 * 2^-24 is 0.0000027
		"flt 1.0": "1.0 does not fit F, expected 0.000000, 0.000001, 0.000002 or 0.000003",
		// A sets S, and B clears it.
		"rel 3[aL], ": "[aL] does not fit A, expected nothing",
		"few 3":       "3 does not fit S, expected 1, 2, 4 or 8",
	} {
		_, err := x.p.Parse(text)
		if err == nil || !strings.HasPrefix(err.Error(), want+" [text-") {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}
