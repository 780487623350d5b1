package asm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// derived has expressions that the assembler inverts. The words have 8 bits with the fields X (bits 0..3), Y (4..6) and
// Z (7); D is the derived field. If several words print the same text, the smallest is expected.
var derived = []struct {
	attrs, expr, display string
	rows                 []row
}{
	// constants, sums, products, powers
	{`type="uint" width="8"`, `5`, `op {D}`, []row{{"op 5", "00", ""}, {"op 4", "", ""}}},
	{`type="uint" width="5"`, `{X} + 1`, `op {D}`, []row{{"op 1", "00", ""}, {"op 16", "0f", ""}, {"op 0", "", ""}, {"op 17", "", ""}}},
	{`type="uint" width="5"`, `2 + {X}`, `op {D}`, []row{{"op 2", "00", ""}, {"op 17", "0f", ""}, {"op 1", "", ""}}},
	{`type="uint" width="6"`, `{X} * 4`, `op {D}`, []row{{"op 12", "03", ""}, {"op 60", "0f", ""}, {"op 13", "", ""}, {"op 64", "", ""}}},
	{`type="uint" width="10"`, `({X} + 1) * 32`, `op {D}`, []row{{"op 32", "00", ""}, {"op 512", "0f", ""}, {"op 0", "", ""}, {"op 33", "", ""}}},
	{`type="uint" width="17"`, `2 << {X}`, `op {D}`, []row{{"op 2", "00", ""}, {"op 32", "04", ""}, {"op 65536", "0f", ""}, {"op 3", "", ""}, {"op 0", "", ""}}},
	{`type="hex" width="64"`, `{X} * 0x1111111111111111ULL`, `op {D}`, []row{{"op ffffffffffffffff", "0f", ""}, {"op 3333333333333333", "03", ""}, {"op 3", "", ""}}},
	{`type="uint" width="5"`, `{X} + {Y}`, `op {D}`, []row{{"op 0", "00", ""}, {"op 9", "09", ""}, {"op 20", "5f", ""}, {"op 22", "7f", ""}, {"op 23", "", ""}}},
	{`type="uint" width="4"`, `15 - {X}`, `op {D}`, []row{{"op 15", "00", ""}, {"op 2", "0d", ""}}},
	{`type="int" width="5"`, `-{X}`, `op {D}`, []row{{"op -3", "03", ""}, {"op 0", "00", ""}, {"op -15", "0f", ""}, {"op -16", "", ""}, {"op 1", "", ""}}},
	{`type="uint" width="3"`, `{X} / 3`, `op {D}`, []row{{"op 0", "00", ""}, {"op 2", "06", ""}, {"op 5", "0f", ""}, {"op 6", "", ""}}},
	{`type="uint" width="3"`, `{X} % 5`, `op {D}`, []row{{"op 3", "03", ""}, {"op 4", "04", ""}, {"op 5", "", ""}}},
	// concatenations
	{`type="hex" width="7"`, `({Y} &lt;&lt; 4) | {X}`, `op {D}`, []row{{"op 5a", "5a", ""}, {"op 7f", "7f", ""}, {"op 80", "", ""}}},
	{`type="hex" width="7"`, `{X} &lt;&lt; 3 | {Y}`, `op {D}`, []row{{"op 55", "5a", ""}}}, // 1010 101
	{`type="uint" width="5"`, `{X} * 2 | {Z}`, `op {D}`, []row{{"op 31", "8f", ""}, {"op 7", "83", ""}, {"op 6", "03", ""}}},
	{`type="hex" width="8"`, `({Z} &lt;&lt; 7) + ({Y} &lt;&lt; 4) + {X}`, `op {D}`, []row{{"op c3", "c3", ""}}},
	{`type="hex" width="8"`, `{X} | 0x20`, `op {D}`, []row{{"op 2a", "0a", ""}, {"op a", "", ""}}},
	{`type="uint" width="2"`, `({X} >> 1 &amp; 1) &lt;&lt; 1 | ({Y} &amp; 1)`, `op {D}`, []row{{"op 3", "12", ""}, {"op 2", "02", ""}, {"op 1", "10", ""}, {"op 4", "", ""}}},
	{`type="uint" width="3"`, `{Z} >> 1`, `op {D}`, []row{{"op 0", "00", ""}, {"op 1", "", ""}}}, // always 0
	// lost bits: the smallest value
	{`type="uint" width="3"`, `{X} >> 1`, `op {D}`, []row{{"op 3", "06", ""}, {"op 7", "0e", ""}, {"op 8", "", ""}}},
	{`type="uint" width="4"`, `{X} &amp; 12`, `op {D}`, []row{{"op 8", "08", ""}, {"op 3", "", ""}}},
	{`type="uint" width="4"`, `{X} ^ 5`, `op {D}`, []row{{"op 0", "05", ""}, {"op 15", "0a", ""}}},
	{`type="uint" width="4"`, `~{X} &amp; 15`, `op {D}`, []row{{"op 0", "0f", ""}, {"op 12", "03", ""}}},
	{`type="uint" width="8"`, `{Z} ? {X} + 1 : {X} * 10`, `op {D}`, []row{{"op 130", "0d", ""}, {"op 16", "8f", ""}, {"op 10", "01", ""}, {"op 17", "", ""}}},
	// predicates: the text specifies a truth value
	{`type="bool" display=".p"`, `{X} > 2 &amp;&amp; {X} &lt; 5`, `op{D}`, []row{{"op.p", "03", ""}, {"op", "00", ""}}},
	{`type="bool" display=".p"`, `{X} == 0 || {Y} == 0`, `op{D}`, []row{{"op.p", "00", ""}, {"op", "11", ""}}},
	{`type="bool" display=".p"`, `!{X}`, `op{D}`, []row{{"op.p", "00", ""}, {"op", "01", ""}}},
	{`type="bool" display=".p"`, `{X}`, `op{D}`, []row{{"op.p", "01", ""}, {"op", "00", ""}}},
	{`type="bool" display=".p"`, `{X} &lt;&lt; 1`, `op{D} {X}`, []row{{"op.p 2", "02", ""}, {"op 0", "00", ""}, {"op 2", "", ""}, {"op.p 0", "", ""}}},
	{`type="bool" display=".p"`, `{X} == {Y}`, `op{D}`, []row{{"op.p", "00", ""}, {"op", "01", ""}}},
	{`type="bool" display=".p"`, `({X} &amp; 6) == 4`, `op{D}`, []row{{"op.p", "04", ""}, {"op", "00", ""}}},
	{`type="bool" display=".p"`, `({X} >> 2) == 3`, `op{D}`, []row{{"op.p", "0c", ""}, {"op", "00", ""}}},
	{`type="bool" display=".p"`, `{X} &lt; 4`, `op{D}`, []row{{"op.p", "00", ""}, {"op", "04", ""}}},
	{`type="bool" display=".p"`, `{X} >= 8 &amp;&amp; {Y} &lt;= 3`, `op{D}`, []row{{"op.p", "08", ""}, {"op", "00", ""}}},
	{`type="bool" display=".p"`, `{Y} == 1 || {X} == 1`, `op{D}`, []row{{"op.p", "01", ""}, {"op", "00", ""}}},
	{`type="bool" display=".p"`, `{X} + {Y} > 20`, `op{D}`, []row{{"op.p", "6f", ""}, {"op", "00", ""}}},
	{`type="bool" display=".p"`, `{Y} &lt; {X}`, `op{D}`, []row{{"op.p", "01", ""}, {"op", "00", ""}}},
	{`type="bool" display=".p"`, `{X} &lt;= 4`, `op{D}`, []row{{"op.p", "00", ""}, {"op", "05", ""}}},
	{`type="bool" display=".p"`, `13 &lt;= {X}`, `op{D}`, []row{{"op.p", "0d", ""}, {"op", "00", ""}}},
	{`type="bool" display=".p"`, `{X} &lt; 0`, `op{D}`, []row{{"op.p", "", ""}, {"op", "00", ""}}},
	{`type="bool" display=".p"`, `-{X} &lt; -3`, `op{D}`, []row{{"op.p", "04", ""}, {"op", "00", ""}}},
	{`type="bool_inv" display=".q"`, `{X} == 3`, `op{D}`, []row{{"op", "03", ""}, {"op.q", "00", ""}}},
	{`type="bool"`, `{X} >= 8`, `op {D}`, []row{{"op 1", "08", ""}, {"op 0", "00", ""}, {"op 2", "", ""}}},
	{`type="bool" display=".big"`, `{X} > 7`, `op{D} {X}`, []row{{"op.big 9", "09", ""}, {"op 3", "03", ""}, {"op.big 3", "", ""}, {"op 9", "", ""}}},
	{`type="bool" display="-"`, `{Y} &gt;&gt; 2`, `op {D}{X}`, []row{{"op -5", "45", ""}, {"op 5", "05", ""}}},
	// the printed width is the width of the expression, or of the type
	{`type="uint" width="4"`, `{X} * 100`, `op {D}`, []row{{"op 1500", "0f", ""}, {"op 0", "00", ""}, {"op 150", "", ""}}},
	{`type="hex" width="4"`, `{X} - 1`, `op {D}`, []row{{"op ffffffffffffffff", "00", ""}, {"op e", "0f", ""}, {"op f", "", ""}}},
	{`type="int"`, `{X}`, `op {D}`, []row{{"op -1", "01", ""}, {"op 0", "00", ""}, {"op 2", "", ""}}}, // one bit, with its sign
	{`type="int" width="5"`, `{X} * 2`, `op {D}`, []row{{"op -2", "0f", ""}, {"op 6", "03", ""}, {"op -16", "08", ""}, {"op 3", "", ""}, {"op 16", "", ""}}},
	{`type="offset" width="6"`, `{Y} &lt;&lt; 3`, `op r{X}{D}`, []row{{"op r1", "01", ""}, {"op r1+24", "31", ""}, {"op r1-8", "71", ""}, {"op r1+4", "", ""}}},
	{`type="bool"`, `{X} - 1`, `op {D}`, []row{{"op 4294967295", "00", ""}, {"op 14", "0f", ""}, {"op 15", "", ""}}},
	{`type="bool_inv"`, `{X}`, `op {D}`, []row{{"op 1", "00", ""}, {"op 0", "01", ""}, {"op 2", "", ""}}},
	{`type="#e" width="2"`, `{X} * 1000`, `op {D}`, []row{{"op 15000", "0f", ""}, {"op 1", "", ""}}},
	// floats: 4<<28 is 2.0, c<<28 is -2.0, and 0 to 3 have the same six decimals
	{`type="float" width="32"`, `{X} &lt;&lt; 28`, `op {D}`, []row{
		{"op 2.000000", "04", ""}, {"op -2.000000", "0c", ""}, {"op 0.000000", "00", ""}, {"op 3.000000", "", ""}}},
	{`type="float" width="32"`, `{X} | 0x7f800000`, `op {D}`, []row{{"op inf", "00", ""}, {"op nan", "01", ""}, {"op -nan", "", ""}}},
	{`type="float" width="16"`, `{X} &lt;&lt; 12 | {X}`, `op {D}`, []row{{"op 0.000489", "01", ""}}}, // 1001: 2^-11 (1 + 1/1024)
	// sums of two fields with more bits than can be tried
	{`type="uint" width="64"`, `{X} * 0x100000001ULL + {Y}`, `op {D}`, []row{{"op 12884901893", "23", ""}, {"op 12884901892", "13", ""}}}, // 3<<32 + 3 + 2, + 1
	// other types
	{`type="#e"`, `{Z} &lt;&lt; 1 | ({X} &amp; 1)`, `op {D}`, []row{{"op one", "01", ""}, {"op two", "80", ""}, {"op three", "81", ""}}},
	{`type="#e" width="40"`, `{Y} * 0x10000000ULL * 0x100ULL | {X}`, `op {D} {Y}`, []row{{"op 9 2", "29", ""}}}, // a number specifies the low 32 bits
	{`type="#reg"`, `{X} + 1`, `op {D}`, []row{{"op r16", "0f", ""}, {"op r1", "00", ""}, {"op r0", "", ""}, {"op r17", "", ""}}},
	{`type="#reg"`, `{Y} &lt;&lt; 2 | {Z}`, `op {D}`, []row{{"op r29", "f0", ""}, {"op r2", "", ""}}}, // 111 01
	// an operand that consists of bits of the word in another order
	{`type="#reg"`, `{X} &lt;&lt; 1 | {Z}`, `op {D}`, []row{{"op r29", "8e", ""}, {"op r2", "01", ""}, {"op r32", "", ""}}},             // 1110 1
	{`type="#reg"`, `({X} &amp; 7) &lt;&lt; 2 ^ {Y} >> 1`, `op {D}`, []row{{"op r29", "27", ""}}},                                       // 111 01
	{`type="#reg"`, `({Z} &lt;&lt; 4) + {X}`, `op {X} {D}`, []row{{"op 3 r19", "83", ""}, {"op 3 r3", "03", ""}, {"op 2 r19", "", ""}}}, // 1 0011
	{`type="offset" width="4"`, `{Y}`, `op r{X}{D}`, []row{{"op r1", "01", ""}, {"op r1+7", "71", ""}}},
	{`type="uint" width="6"`, `{E} * 2`, `op {D}`, []row{{"op 2", "00", ""}, {"op 32", "0f", ""}, {"op 3", "", ""}, {"op 0", "", ""}}}, // E is X + 1
}

func TestDerived(t *testing.T) {
	const xml = `
		<enum name="#e"><value val="0" display="zero"/><value val="1" display="one"/><value val="2" display="two"/><value val="3" display="three"/></enum>
		<bitset name="#reg" size="5"><display>r{N}</display><field name="N" low="0" high="4" type="uint"/></bitset>
		<bitset name="#instruction" size="8">
			<display>%s</display>
			<field name="X" low="0" high="3" type="uint"/>
			<field name="Y" low="4" high="6" type="uint"/>
			<field name="Z" pos="7" type="uint"/>
			<derived name="E" type="uint" width="5"><expr>{X} + 1</expr></derived>
			<derived name="D" %s><expr>%s</expr></derived>
		</bitset>`
	for _, x := range derived {
		expr := strings.NewReplacer("<<", "&lt;&lt;", ">>", "&gt;&gt;").Replace(x.expr)
		tools := toolsFor(t, load(t, fmt.Sprintf(xml, x.display, x.attrs, expr)))
		t.Run(x.expr, func(t *testing.T) {
			for _, r := range x.rows {
				if r.word != "" {
					tools.rows(t, []row{r})
				} else if res, err := tools.p.Parse(r.text); err == nil {
					t.Errorf("%q is %s, expected an error", r.text, res.Inst.Bits)
				}
			}
		})
	}
}

// TestWideBool has bools of several bits. The text is the same for all values other than 0, and the suffix specifies
// the value.
func TestWideBool(t *testing.T) {
	toolsFor(t, load(t, `
		<bitset name="#instruction" size="8">
			<display>op{A}{B} {SUM}</display>
			<field name="A" low="0" high="2" type="bool" display=".a"/>
			<field name="B" low="3" high="4" type="bool_inv" display=".b"/>
			<field name="C" low="5" high="7" type="uint"/>
			<derived name="SUM" type="uint" width="8"><expr>{A} + {B} * 10 + {C} * 100</expr></derived>
		</bitset>`)).rows(t, []row{{"op.b 0", "00", ""}, {"op.a.b 7", "07", ""}, {"op 120", "30", ""}, {"op.a 735", "fd", ""}})
}

// TestPiecesOfPieces has operands that are scattered over a scattered operand.
func TestPiecesOfPieces(t *testing.T) {
	toolsFor(t, load(t, `
		<bitset name="#in" size="2"><display>v{V}</display><field name="V" low="0" high="1" type="uint"/></bitset>
		<bitset name="#mid" size="4"><display>{P}:{Q}</display>
			<field name="P" type="#in"><bits pos="3"/><bits pos="0"/></field><field name="Q" type="#in"><bits low="1" high="2"/></field></bitset>
		<bitset name="#instruction" size="8"><display>op {M}, {N}</display>
			<field name="M" low="4" high="7" type="#mid"/><field name="N" type="#mid"><bits low="2" high="3"/><bits low="0" high="1"/></field></bitset>`)).rows(t, []row{
		{"op v2:v1, v0:v0", "a0", ""}, {"op v1:v2, v0:v0", "50", ""}, // 1 01 0, 0 10 1
		{"op v0:v0, v2:v1", "0a", ""}, {"op v3:v0, v1:v3", "97", ""},
	})
}

func TestFloats(t *testing.T) {
	const xml = `<bitset name="#instruction" size="36"/>
		<bitset name="h" extends="#instruction"><display>h {F}</display>
			<pattern low="16" high="35">00000000000000000000</pattern><field name="F" low="0" high="15" type="float"/></bitset>
		<bitset name="s" extends="#instruction"><display>s {F}</display>
			<pattern low="32" high="35">0001</pattern><field name="F" low="0" high="31" type="float"/></bitset>`
	toolsFor(t, load(t, xml)).rows(t, []row{
		{"h 1.000000", "3c00", ""},
		{"h 1", "3c00", "h 1.000000"},
		{"h +1.", "3c00", "h 1.000000"},
		{"h .5", "3800", "h 0.500000"},
		{"h -2", "c000", "h -2.000000"},
		{"h 5e-1", "3800", "h 0.500000"},
		{"h 0.000000", "0000", ""},
		{"h -0.000000", "8000", ""},
		{"h -0", "8000", "h -0.000000"},
		{"h 0.333252", "3555", ""}, // 1365/1024 / 4
		{"h 65504.000000", "7bff", ""},
		{"h 65519", "7bff", "h 65504.000000"},
		{"h 65519.999", "7bff", "h 65504.000000"},
		{"h 65520", "", "text-range"}, // halfway to 65536, rounds to infinity
		{"h -70000.0", "", "text-range"},
		{"h $(70000)", "", "text-range"},
		{"h 2049", "6800", "h 2048.000000"},
		{"h 2051", "6802", "h 2052.000000"},
		{"h 0.00006103515625", "0400", "h 0.000061"}, // 2^-14, the smallest normal number
		{"h 0.00006097555161", "03ff", "h 0.000061"}, // 1023 * 2^-24
		{"h 5.960464478e-8", "0001", "h 0.000000"},   // 2^-24
		{"h 2.98e-8", "0000", "h 0.000000"},          // below 2^-25
		{"h inf", "7c00", ""},
		{"h -inf", "fc00", ""},
		{"h nan", "7e00", ""},
		{"h -nan", "fe00", ""},
		{"h NaN", "7e00", "h nan"},
		{"h", "", "text-expected"},
		{"h e5", "", "text-expected"},
		{"h 1e", "", "text-expected"},
		{"h 1.2.3", "", "text-expected"},
		{"s 1.500000", "13fc00000", ""},
		{"s 0.1", "13dcccccd", "s 0.100000"},
		{"s 16777217", "14b800000", "s 16777216.000000"},
		{"s -0.000000", "180000000", ""},
		{"s inf", "17f800000", ""},
		{"s -inf", "1ff800000", ""},
		{"s nan", "17fc00000", ""},
		{"s -nan", "1ffc00000", ""},
		{"s 3.4028235e38", "17f7fffff", "s 340282346638528859811704183484516925440.000000"},
		{"s 1e39", "", "text-range"}, // above the largest
		{"s -1e40", "", "text-range"},
		{"s 1e999", "", "text-range"},
		{"s 1e-45", "100000001", "s 0.000000"},
		// Above the middle of 1 and the next float, by less than the precision of a double.
		{"s 1.00000005960464477539062500001", "13f800001", "s 1.000000"},
		{"s 1.000000059604644775390625", "13f800000", "s 1.000000"}, // the middle, ties to even
	})
}

// TestComputedRange parses computed floats for which a range of values has the same text. The computed values have bits
// beyond the width of the float, which are ignored.
func TestComputedRange(t *testing.T) {
	x := toolsFor(t, load(t, `
<bitset name="#instruction" size="16"/>
<bitset name="third" extends="#instruction"><display>third {F}</display>
  <pattern low="8" high="15">00000000</pattern><field name="A" low="0" high="7" type="uint"/>
  <derived name="F" type="float" width="16"><expr>{A} * 3 + 0x50000</expr></derived></bitset>
<bitset name="negative" extends="#instruction"><display>negative {F}</display>
  <pattern low="8" high="15">00000001</pattern><field name="A" low="0" high="7" type="uint"/>
  <derived name="F" type="float" width="32"><expr>0xbf800000 + ({A} * 3) + 0x700000000</expr></derived></bitset>
<bitset name="stepped" extends="#instruction"><display>stepped {F}</display>
  <pattern low="8" high="15">00000010</pattern><field name="A" low="0" high="7" type="uint"/>
  <derived name="F" type="float" width="16"><expr>{A} &lt;&lt; 8 | 0x40</expr></derived></bitset>
<bitset name="before" extends="#instruction"><display>before {F}e{B}</display>
  <pattern low="12" high="15">0001</pattern><field name="A" low="0" high="7" type="uint"/><field name="B" low="8" high="11" type="uint"/>
  <derived name="F" type="float" width="16"><expr>{A} * 3 + 0x50000</expr></derived></bitset>`))
	for w := range uint64(512) {
		text, _, _, _ := x.print(bits.Of(w))
		res, err := x.p.Parse(text)
		if err != nil {
			t.Errorf("%s of %x: %v", text, w, err)
			continue
		}
		if again, _, _, _ := x.print(res.Inst.Bits); again != text {
			t.Errorf("%s of %x reads as %s, which prints %s", text, w, res.Inst.Bits, again)
		}
	}
	x.rows(t, []row{
		{"third 0.000045", "f9", ""}, // 249 * 3 * 2^-24 is 0.00004452, the smallest value that prints so
		{"third 0.000047", "", "text-range"},
		{"before 0.000045e5", "15f9", ""},
		{"stepped 65504", "27b", "stepped 59392.000000"}, // 7b40 is 1.8125 * 2^15, and 7c40 would be a NaN
	})
}

// TestRingOfConditions parses the printed text of fields whose conditions depend on each other.
func TestRingOfConditions(t *testing.T) {
	toolsFor(t, loadXML(t, `<isa>
<bitset name="#instruction" size="8"/>
<bitset name="ring" extends="#instruction"><display>ring {X}</display>
  <override><expr>{Y}</expr><derived name="X" type="uint" width="8"><expr>{A} + 1</expr></derived></override>
  <override><expr>{X}</expr><derived name="Y" type="uint" width="8"><expr>{A} + 2</expr></derived></override>
  <derived name="X" type="uint" width="8"><expr>{A}</expr></derived><derived name="Y" type="uint" width="8"><expr>{A}</expr></derived>
  <pattern low="6" high="7">00</pattern><field name="A" low="0" high="5" type="uint"/></bitset>
<bitset name="free" extends="#instruction"><display>free {A}</display>
  <pattern low="6" high="7">01</pattern><field name="A" low="0" high="5" type="uint"/></bitset></isa>`, isa.Options{})).rows(t, []row{
		{"free 3", "43", ""},
		{"ring 3", "02", ""}, // Y is not 0, so X is A + 1
	})
}

// TestWideDerived parses values computed from fields with far more bits than can be tried.
func TestWideDerived(t *testing.T) {
	for _, x := range []struct{ attrs, expr, text, word string }{
		{`type="uint" width="64"`, `{A} * {A}`, "op 144115188075855872", ""},                              // 2^57 is no square
		{`type="uint" width="64"`, `{A} * {A}`, "op 152399025", "3039"},                                   // 12345^2
		{`type="uint" width="64"`, `{A} / 3 * 2`, "op 2000000", "2dc6c0"},                                 // 3,000,000
		{`type="uint" width="64"`, `({A} + 1) * 3`, "op 3000000", "f423f"},                                // 999,999
		{`type="float" width="32"`, `0x3f000000 | {A} &lt;&lt; 4 | {A} &amp; 15`, "op 1.000006", "80003"}, // 3f800033
		{`type="#reg"`, `{A} + 1`, "op r9000000", "89543f"},
	} {
		tools := toolsFor(t, load(t, fmt.Sprintf(`
			<bitset name="#reg" size="24"><display>r{N}</display><field name="N" low="0" high="23" type="uint"/></bitset>
			<bitset name="#instruction" size="48"><display>op {D}</display>
			<field name="A" low="0" high="23" type="uint"/><field name="B" low="24" high="47" type="uint"/>
			<derived name="D" %s><expr>%s</expr></derived></bitset>`, x.attrs, x.expr)))
		res, err := tools.p.Parse(x.text)
		if err != nil != (x.word == "") || err == nil && res.Inst.Bits.String() != x.word {
			t.Errorf("%q of %s is %s, %v, expected %s", x.text, x.expr, res.Inst.Bits, err, x.word)
		}
	}
}
