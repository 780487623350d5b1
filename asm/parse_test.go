package asm_test

import (
	"testing"

	"github.com/isago/isago/isa"
)

// features has a small description for each feature of templates. Words are computed by hand; the comments show their
// bits.
var features = []struct {
	name string
	xml  string
	rows []row
}{
	{
		"flags before the mnemonic",
		`<bitset name="#instruction" size="8">
			<display>{SY}{SS}{NAME} r{D}</display>
			<field name="SY" pos="7" type="bool" display="(sy)"/>
			<field name="SS" pos="6" type="bool" display="(ss)"/>
			<field name="D" low="0" high="3" type="uint"/>
		</bitset>
		<bitset name="add" extends="#instruction"><pattern low="4" high="5">01</pattern></bitset>
		<bitset name="addc" extends="#instruction"><pattern low="4" high="5">10</pattern></bitset>`,
		[]row{
			{"add r1", "11", ""},           // 00 01 0001
			{"(sy)add r1", "91", ""},       // 10 01 0001
			{"(ss)addc r2", "62", ""},      // 01 10 0010
			{"(sy)(ss)addc r15", "ef", ""}, // 11 10 1111
			{"(sy) (ss) addc r15", "ef", "(sy)(ss)addc r15"},
			{"(ss)(sy)add r1", "", "text-expected"},
			{"(sy)(sy)add r1", "", "text-expected"},
			{"(sy)", "", "text-expected"},
			{"add  r16", "", "text-range"},
			{"addc r1 r2", "", "text-expected"},
			{"sub r1", "", "text-unknown"},
		},
	},
	{
		"overrides are alternatives",
		`<bitset name="#instruction" size="8"/>
		<bitset name="mov" extends="#instruction">
			<override expr="{IMM}">
				<display>mov #{V}</display>
				<field name="V" low="0" high="5" type="int"/>
			</override>
			<display>mov r{V}</display>
			<pattern pos="7">0</pattern>
			<field name="IMM" pos="6" type="bool"/>
			<field name="V" low="0" high="5" type="uint"/>
		</bitset>`,
		[]row{
			{"mov r33", "21", ""},             // 0 0 100001
			{"mov #-32", "60", ""},            // 0 1 100000
			{"mov #31", "5f", ""},             // 0 1 011111
			{"mov #0x3f", "7f", "mov #-1"},    // the bit pattern
			{"mov #63", "", "text-range"},     // the number
			{"mov #64", "", "text-range"},     // 7 bits
			{"mov #-33", "", "text-range"},    // below -32
			{"mov r-1", "", "text-range"},     // no sign
			{"mov # -1", "7f", "mov #-1"},     // an optional blank
			{"mov #0x1f", "5f", "mov #31"},    // any radix
			{"mov #0b11111", "5f", "mov #31"}, //
		},
	},
	{
		"a field whose type an override changes",
		`<bitset name="#instruction" size="8"/>
		<enum name="#sr"><value val="0" display="pc"/><value val="1" display="sp"/></enum>
		<bitset name="jmp" extends="#instruction">
			<override expr="{S}"><field name="R" low="0" high="2" type="#sr"/></override>
			<display>jmp {R}</display>
			<pattern low="4" high="7">1010</pattern>
			<field name="S" pos="3" type="bool"/>
			<field name="R" low="0" high="2" type="hex"/>
		</bitset>`,
		[]row{
			{"jmp sp", "a9", ""}, // 1010 1 001
			{"jmp 1", "a1", ""},  // 1010 0 001: a number with a name is not read as the enum
			{"jmp 7", "af", ""},  // a7 has the same text; the override has priority
			{"jmp pc", "a8", ""},
		},
	},
	{
		"a case that needs a value other than 0",
		`<bitset name="#instruction" size="4"/>
		<bitset name="end" extends="#instruction">
			<override expr="{NOP} != 0"><display>(nop{NOP})end</display></override>
			<display>end</display>
			<pattern pos="3">0</pattern>
			<field name="NOP" low="0" high="2" type="uint"/>
		</bitset>`,
		[]row{
			{"end", "0", ""},
			{"(nop3)end", "3", ""},
			{"(nop0)end", "", "text-condition"},
			{"(nop8)end", "", "text-range"},
		},
	},
	{
		"the negation of earlier cases chooses a hidden bit",
		`<bitset name="#instruction" size="6"/>
		<bitset name="x" extends="#instruction">
			<override expr="{H} == 0"><display>a{X}</display></override>
			<override expr="{H} == 1"><display>b{X}</display></override>
			<display>c{X}</display>
			<field name="H" low="4" high="5" type="uint"/>
			<field name="X" low="0" high="3" type="uint"/>
		</bitset>`,
		[]row{
			{"a3", "03", ""},
			{"b3", "13", ""},
			{"c3", "23", ""}, // 2 and 3 print alike: the smallest
		},
	},
	{
		"aliases of displays and of values",
		`<enum name="#c">
			<value val="0" display="eq"><alias>z</alias><alias>equal</alias></value>
			<value val="1" display="ne"/>
		</enum>
		<bitset name="#instruction" size="4"/>
		<bitset name="br" extends="#instruction">
			<display>br.{C} {T}</display>
			<alias>b{C} {T}</alias>
			<alias>if ({C}) goto {T}</alias>
			<field name="C" pos="3" type="#c"/>
			<field name="T" low="0" high="2" type="uint"/>
		</bitset>`,
		[]row{
			{"br.ne 5", "d", ""},
			{"br.z 5", "5", "br.eq 5"},
			{"bequal 5", "5", "br.eq 5"},
			{"bne 5", "d", "br.ne 5"},
			{"if(ne)goto 5", "d", "br.ne 5"},
			{"if ( ne ) goto 5", "d", "br.ne 5"},
			{"if (ne)goto5", "", "text-expected"},
		},
	},
	{
		"text that prints through another case",
		`<enum name="#c"><value val="0" display="x"/><value val="1" display="y"/></enum>
		<bitset name="#instruction" size="2"/>
		<bitset name="swz" extends="#instruction">
			<override expr="{A} == 0 &amp;&amp; {B} == 1"><display>r</display></override>
			<override expr="{A} == {B}"><display>r.{A}</display></override>
			<display>r.{A}{B}</display>
			<field name="A" pos="1" type="#c"/>
			<field name="B" pos="0" type="#c"/>
		</bitset>`,
		[]row{
			{"r", "1", ""},
			{"r.x", "0", ""},
			{"r.y", "3", ""},
			{"r.yx", "2", ""},
			{"r.xx", "0", "r.x"},
			{"r.yy", "3", "r.y"},
			{"r.xy", "1", "r"},
		},
	},
	{
		"texts of an enum that are empty, prefixes of one another, doubled",
		`<enum name="#e">
			<value val="0" display=""/><value val="1" display="a"/><value val="2" display="ab"/><value val="3" display="a"/>
		</enum>
		<bitset name="#instruction" size="4"/>
		<bitset name="op" extends="#instruction">
			<display>op{E} {N}</display>
			<field name="E" low="2" high="3" type="#e"/>
			<field name="N" low="0" high="1" type="uint"/>
		</bitset>`,
		[]row{
			{"op 2", "2", ""},
			{"opa 2", "6", ""},  // 01 10: the first of the two
			{"opab 2", "a", ""}, // 10 10
			{"opabc 2", "", "text-expected"},
		},
	},
	{
		"enum values without a text are numbers",
		`<enum name="#e"><value val="0" display="zero"/><value val="2" display="two"/></enum>
		<bitset name="#instruction" size="4"/>
		<bitset name="op" extends="#instruction"><display>op {E}</display><field name="E" low="0" high="3" type="#e"/></bitset>`,
		[]row{
			{"op zero", "0", ""},
			{"op 1", "1", ""},
			{"op 15", "f", ""},
			{"op 0xf", "f", "op 15"},
			{"op 2", "", "text-expected"}, // printed as two
			{"op 16", "", "text-range"},
		},
	},
	{
		"fields that touch",
		`<enum name="#e"><value val="0" display=""/><value val="1" display="a"/><value val="2" display="ab"/></enum>
		<enum name="#f"><value val="0" display=""/><value val="1" display="b"/><value val="2" display="c"/></enum>
		<bitset name="#instruction" size="8"/>
		<bitset name="ef" extends="#instruction">
			<display>{E}{F}!</display>
			<pattern low="4" high="7">0000</pattern>
			<field name="E" low="2" high="3" type="#e"/>
			<field name="F" low="0" high="1" type="#f"/>
		</bitset>
		<bitset name="num" extends="#instruction">
			<display>n{A}{B}</display>
			<pattern low="4" high="7">0001</pattern>
			<field name="A" low="2" high="3" type="uint"/>
			<field name="B" low="0" high="1" type="uint"/>
		</bitset>
		<bitset name="wide" extends="#instruction">
			<display>w{A}{B}</display>
			<pattern pos="7">1</pattern>
			<field name="A" low="2" high="6" type="uint"/>
			<field name="B" low="0" high="1" type="uint"/>
		</bitset>`,
		[]row{
			{"!", "00", ""},
			{"a!", "04", ""},
			{"b!", "01", ""},
			{"ab!", "08", ""}, // the longest text of E; a and b would have the same text
			{"abb!", "09", ""},
			{"ac!", "06", ""},
			{"abc!", "0a", ""},
			{"bb!", "", "text-expected"},
			{"n12", "16", ""},           // 0001 01 10
			{"n3", "", "text-expected"}, // B is missing
			{"n123", "", "text-range"},  // one digit too many
			{"w31", "8d", ""},           // 1 00011 01: 31 would fit A, but leaves nothing for B
			{"w313", "ff", ""},          // 1 11111 11
			{"w111", "ad", ""},          // 1 01011 01: 11 and 1
			{"w333", "", "text-range"},  // 33 fits neither of them
		},
	},
	{
		"bool and bool_inv",
		`<bitset name="#instruction" size="4"/>
		<bitset name="op" extends="#instruction">
			<display>op{D}{I} {P} {Q}</display>
			<field name="D" pos="3" type="bool" display=".s"/>
			<field name="I" pos="2" type="bool_inv" display=".n"/>
			<field name="P" pos="1" type="bool"/>
			<field name="Q" pos="0" type="bool_inv"/>
		</bitset>`,
		[]row{
			{"op.n 0 1", "0", ""},   // inverted bools print where the bit is 0
			{"op.s.n 0 1", "8", ""}, // D
			{"op 0 1", "4", ""},     // I
			{"op.n 1 1", "2", ""},   // P
			{"op.n 0 0", "1", ""},   // Q
			{"op.s 1 0", "f", ""},
			{"op.n.s 0 0", "", "text-expected"},
			{"op 2 0", "", "text-range"},
		},
	},
	{
		"a bit bound twice must agree",
		`<bitset name="#instruction" size="4"/>
		<bitset name="clr" extends="#instruction"><display>clr r{D}, r{D}</display><field name="D" low="0" high="3" type="uint"/></bitset>`,
		[]row{
			{"clr r5, r5", "5", ""},
			{"clr r5, r6", "", "text-conflict"},
		},
	},
	{
		"a param binds bits outside",
		`<bitset name="#reg" size="3">
			<override expr="{HALF}"><display>{SIGN}h{N}</display></override>
			<display>{SIGN}r{N}</display>
			<field name="N" low="0" high="2" type="uint"/>
		</bitset>
		<bitset name="#instruction" size="10"/>
		<bitset name="op" extends="#instruction">
			<display>op {A}, {B}</display>
			<pattern pos="9">0</pattern>
			<field name="H" pos="8" type="bool"/>
			<field name="A" low="0" high="2" type="#reg"><param name="H" as="HALF"/><param name="NA" as="SIGN"/></field>
			<field name="B" low="3" high="5" type="#reg"><param name="H" as="HALF"/><param name="NB" as="SIGN"/></field>
			<field name="NA" pos="6" type="bool" display="-"/>
			<field name="NB" pos="7" type="bool" display="-"/>
		</bitset>`,
		[]row{
			{"op r1, r2", "011", ""},   // 0 0 00 010 001
			{"op h1, h2", "111", ""},   // 0 1 00 010 001
			{"op -r1, r2", "051", ""},  // 0 0 01 010 001
			{"op h1, -h2", "191", ""},  // 0 1 10 010 001
			{"op -h7, -h7", "1ff", ""}, // 0 1 11 111 111
			{"op h1, r2", "", "text-condition"},
			{"op - r1 , r2", "051", "op -r1, r2"},
		},
	},
	{
		"a star passes every name in",
		`<bitset name="#imm" size="3">
			<override expr="{SHIFT} == 1"><display>{N}&lt;&lt;{BY}</display></override>
			<display>{N}</display>
			<field name="N" low="0" high="2" type="uint"/>
		</bitset>
		<bitset name="#instruction" size="8"/>
		<bitset name="op" extends="#instruction">
			<display>op {I}</display>
			<pattern pos="7">0</pattern>
			<field name="SHIFT" pos="6" type="bool"/>
			<field name="BY" low="3" high="5" type="uint"/>
			<field name="I" low="0" high="2" type="#imm"><param name="*"/></field>
		</bitset>`,
		[]row{
			{"op 5", "05", ""},
			{"op 5<<3", "5d", ""}, // 0 1 011 101
			{"op 5 << 3", "5d", "op 5<<3"},
			{"op 5<<0", "45", ""},
		},
	},
	{
		"dotted paths",
		`<bitset name="#reg" size="4">
			<display>r{N}.{C}</display>
			<field name="N" low="0" high="1" type="uint"/><field name="C" low="2" high="3" type="uint"/>
		</bitset>
		<bitset name="#pair" size="8">
			<display>{A} {B}</display>
			<field name="A" low="0" high="3" type="#reg"/><field name="B" low="4" high="7" type="#reg"/>
		</bitset>
		<bitset name="#instruction" size="8"/>
		<bitset name="op" extends="#instruction">
			<display>op {P.A.N}:{P.B.N} {P.A.C},{P.B.C}</display>
			<alias>op {P.B} {P.A}</alias>
			<field name="P" low="0" high="7" type="#pair"/>
		</bitset>`,
		[]row{
			{"op 1:2 3,0", "2d", ""}, // 00 10 11 01
			{"op r2.0 r1.3", "2d", "op 1:2 3,0"},
		},
	},
	{
		"scattered fields",
		`<bitset name="#reg" size="4">
			<display>r{N}.{C}</display>
			<field name="N" type="uint"><bits pos="0"/><bits low="2" high="3"/></field>
			<field name="C" pos="1" type="uint"/>
		</bitset>
		<bitset name="#instruction" size="16"/>
		<bitset name="op" extends="#instruction">
			<display>op {IMM}, {R}</display>
			<pattern low="4" high="7">1001</pattern>
			<field name="IMM" type="hex"><bits low="0" high="3"/><bits low="12" high="15"/></field>
			<field name="R" type="#reg"><bits low="8" high="9"/><bits low="10" high="11"/></field>
		</bitset>`,
		[]row{
			{"op 5a, r0.0", "a095", ""}, // high part 5 in bits 0..3, low part a in bits 12..15
			// R = N0 from its bit 0, N2..1 from bits 3..2; bit 1 is C. r5.1: N = 101, bit 0 is 1, bits 3..2 are 01, C
			// is 1: 0111. Bits 3..2 are in 9..8 of the word, bits 1..0 in 11..10: 11 01.
			{"op 0, r5.1", "0d90", ""},
			{"op 100, r0.0", "", "text-range"},
		},
	},
	{
		"sets in any order",
		`<bitset name="#instruction" size="6"/>
		<bitset name="op" extends="#instruction">
			<display>op{OPTS} {N}</display>
			<pattern pos="5">0</pattern>
			<set name="OPTS">
				<field name="A" pos="4" type="bool" display=".a"/>
				<field name="B" pos="3" type="bool" display=".b"/>
				<field name="C" pos="2" type="bool_inv" display=".c"/>
			</set>
			<field name="N" low="0" high="1" type="uint"/>
		</bitset>`,
		[]row{
			{"op 1", "05", ""}, // C is inverted
			{"op.a 1", "15", ""},
			{"op.a.b.c 1", "19", ""},
			{"op.c.b.a 1", "19", "op.a.b.c 1"},
			{"op.b.b 1", "", "text-expected"},
			{"op.d 1", "", "text-expected"},
		},
	},
	{
		"sets with a join",
		`<enum name="#o"><value val="0" display=""/><value val="1" display="ui"/><value val="2" display="si"/></enum>
		<bitset name="#instruction" size="4"/>
		<bitset name="st" extends="#instruction">
			<display>st{ ?OPTS}</display>
			<set name="OPTS" join=" | ">
				<field name="X" low="2" high="3" type="#o"/>
				<field name="Y" pos="1" type="bool" display="y"/>
				<field name="Z" pos="0" type="bool" display="z"/>
			</set>
		</bitset>`,
		[]row{
			{"st", "0", ""},
			{"st z", "1", ""},
			{"st si | z", "9", ""},
			{"st ui | y | z", "7", ""},
			{"st z|y|ui", "7", "st ui | y | z"},
			{"st z y", "", "text-expected"},
			{"st z |", "", "text-expected"},
			{"st ui | si", "", "text-expected"},
		},
	},
	{
		"a set with an operand",
		`<bitset name="#b" size="1"><override><expr>{V}</expr><display>.b</display></override><display/><field name="V" pos="0" type="uint"/></bitset>
		<bitset name="#instruction" size="4"/>
		<bitset name="op" extends="#instruction">
			<display>op{O} {X}</display>
			<set name="O"><field name="B" pos="0" type="#b"/><field name="C" pos="1" type="bool" display=".c"/></set>
			<field name="X" low="2" high="3" type="uint"/>
		</bitset>`,
		[]row{
			{"op 1", "4", ""},
			{"op.b 1", "5", ""},
			{"op.c 0", "2", ""},
			{"op.c.b 2", "b", "op.b.c 2"},
		},
	},
	{
		"a member of a set that means several things",
		`<bitset name="#instruction" size="4"/>
		<bitset name="op" extends="#instruction">
			<override expr="{X} == 1"><field name="A" pos="0" type="bool" display=".one"/></override>
			<override expr="{X} == 2"><field name="A" pos="0" type="bool_inv" display=".two"/></override>
			<display>op{O} {X}</display>
			<set name="O"><member name="A"/><field name="C" pos="1" type="bool" display=".c"/></set>
			<field name="A" pos="0" type="bool" display=".a"/>
			<field name="X" low="2" high="3" type="uint"/>
		</bitset>`,
		[]row{
			{"op 0", "0", ""},
			{"op.a 0", "1", ""},
			{"op 1", "4", ""},
			{"op.one 1", "5", ""},
			{"op.two 2", "8", ""}, // printed where the bit is 0
			{"op 2", "9", ""},
			{"op.c.two 2", "a", "op.two.c 2"},
			{"op.a.c 3", "f", ""},
			{"op.one 2", "", "text-conflict"},
		},
	},
	{
		"a blank that belongs to an optional word",
		`<bitset name="#instruction" size="4"/>
		<bitset name="op" extends="#instruction">
			<display>{SAT? }op{ ?W} {N}</display>
			<field name="SAT" pos="3" type="bool" display="sat"/>
			<field name="W" pos="2" type="bool" display="wide"/>
			<field name="N" low="0" high="1" type="uint"/>
		</bitset>`,
		[]row{
			{"op 1", "1", ""},
			{"sat op 1", "9", ""},
			{"op wide 1", "5", ""},
			{"sat op wide 1", "d", ""},
			{"satop 1", "", "text-expected"},
			{"opwide 1", "", "text-expected"},
		},
	},
	{
		"text around an optional value",
		`<bitset name="#instruction" size="4"/>
		<bitset name="ld" extends="#instruction">
			<display>ld [{r0 ?OFF}]{,?F}</display>
			<field name="OFF" low="1" high="3" type="offset"/>
			<field name="F" pos="0" type="bool" display="f"/>
		</bitset>`,
		[]row{
			{"ld []", "0", ""},
			{"ld [r0 +1]", "2", ""}, // 001 0
			{"ld [r0 -4]", "8", ""}, // 100 0
			{"ld [ r0 - 4 ] , f", "9", "ld [r0 -4],f"},
			{"ld [r0 +3],f", "7", ""},
			{"ld [r0]", "", "text-expected"},
			{"ld [],", "", "text-expected"},
		},
	},
	{
		"offsets",
		`<bitset name="#instruction" size="8"/>
		<bitset name="ld" extends="#instruction">
			<display>ld [r{R}{OFF}]</display>
			<pattern pos="7">0</pattern>
			<field name="R" low="5" high="6" type="uint"/>
			<field name="OFF" low="0" high="4" type="offset"/>
		</bitset>
		<bitset name="st" extends="#instruction">
			<display>st [r{R}{OFF}]</display>
			<pattern pos="7">1</pattern>
			<field name="R" low="5" high="6" type="uint"/>
			<field name="OFF" low="0" high="4" type="uoffset"/>
		</bitset>`,
		[]row{
			{"ld [r1]", "20", ""},
			{"ld [r1+15]", "2f", ""},
			{"ld [r1-16]", "30", ""}, // 10000
			{"ld [r1 + 0xf]", "2f", "ld [r1+15]"},
			{"ld [r1+0]", "20", "ld [r1]"},
			{"ld [r1-17]", "", "text-range"},
			{"st [r1+31]", "bf", ""}, // 1 01 11111
			{"st [r1]", "a0", ""},
			{"st [r1+32]", "", "text-range"},
			{"st [r1-1]", "", "text-expected"},
		},
	},
	{
		"defaults, and the smallest value that satisfies",
		`<bitset name="#instruction" size="8"/>
		<bitset name="op" extends="#instruction">
			<override expr="{K} &gt; 4"><display>opk</display></override>
			<display>op</display>
			<pattern low="6" high="7">00</pattern>
			<field name="D" low="3" high="5" type="uint"/>
			<field name="K" low="0" high="2" type="uint"/>
			<default name="D" val="6"/>
		</bitset>
		<bitset name="op2" extends="#instruction">
			<override expr="{K} &gt; 4"><display>op2k</display></override>
			<display>op2</display>
			<pattern low="6" high="7">01</pattern>
			<field name="D" low="3" high="5" type="uint"/>
			<field name="K" low="0" high="2" type="uint"/>
			<default name="K" val="7"/>
		</bitset>`,
		[]row{
			{"op", "30", ""},   // 00 110 000
			{"opk", "35", ""},  // 00 110 101: 5 is the smallest above 4
			{"op2k", "47", ""}, // the default, 7
			{"op2", "40", ""},  // the default is above 4: the smallest, 0
		},
	},
	{
		"case folding",
		`<text case="fold"/>
		<enum name="#c"><value val="0" display="EQ"/><value val="1" display="ne"/></enum>
		<bitset name="#instruction" size="8"/>
		<bitset name="Mov" extends="#instruction">
			<display>{NAME}.{C} R{D}{W}</display>
			<pattern low="6" high="7">00</pattern>
			<field name="C" pos="5" type="#c"/>
			<field name="W" pos="4" type="bool" display="Wide"/>
			<field name="D" low="0" high="3" type="hex"/>
		</bitset>`,
		[]row{
			{"Mov.EQ Ra", "0a", ""},
			{"mov.eq ra", "0a", "Mov.EQ Ra"},
			{"MOV.NE RAWIDE", "3a", "Mov.ne RaWide"},
			{"mOv.nE r0XA", "2a", "Mov.ne Ra"},
		},
	},
	{
		"case matters without folding",
		`<bitset name="#instruction" size="4"/>
		<bitset name="Mov" extends="#instruction"><display>{NAME} R{D}</display><field name="D" low="0" high="3" type="hex"/></bitset>`,
		[]row{
			{"Mov Ra", "a", ""},
			{"Mov RA", "a", "Mov Ra"}, // digits have no case
			{"mov Ra", "", "text-unknown"},
		},
	},
	{
		"blanks",
		`<bitset name="#instruction" size="4"/>
		<bitset name="op" extends="#instruction">
			<display>op [{A}], {B} end</display>
			<field name="A" low="2" high="3" type="uint"/>
			<field name="B" low="0" high="1" type="uint"/>
		</bitset>`,
		[]row{
			{"op [1], 2 end", "6", ""},
			{"  op\t[ 1 ] ,2   end  ", "6", "op [1], 2 end"},
			{"op[1],2 end", "6", "op [1], 2 end"},
			{"op [1], 2end", "", "text-expected"}, // a blank that is not next to punctuation
			{"o p [1], 2 end", "", "text-unknown"},
			{"op [1], 2 e nd", "", "text-expected"},
		},
	},
	{
		"line breaks and columns of a template are blanks",
		`<bitset name="#instruction" size="4"/>
		<bitset name="op" extends="#instruction">
			<display>
				a{A}
				b{B}{:align=12}end
			</display>
			<field name="A" low="2" high="3" type="uint"/>
			<field name="B" low="0" high="1" type="uint"/>
		</bitset>`,
		[]row{
			{"a1 b2       end", "6", ""},
			{"a1\nb2\tend", "6", "a1 b2       end"},
			{"a1b2 end", "", "text-expected"},
		},
	},
	{
		"numbers",
		`<bitset name="#instruction" size="12"/>
		<bitset name="u" extends="#instruction"><display>u {V}</display><pattern low="8" high="11">0000</pattern><field name="V" low="0" high="7" type="uint"/></bitset>
		<bitset name="i" extends="#instruction"><display>i {V}</display><pattern low="8" high="11">0001</pattern><field name="V" low="0" high="7" type="int"/></bitset>
		<bitset name="h" extends="#instruction"><display>h {V}</display><pattern low="8" high="11">0010</pattern><field name="V" low="0" high="7" type="hex"/></bitset>
		<bitset name="x" extends="#instruction"><display>x 0x{V}</display><pattern low="8" high="11">0011</pattern><field name="V" low="0" high="7" type="hex"/></bitset>`,
		[]row{
			{"u 255", "0ff", ""},
			{"u 0xFF", "0ff", "u 255"},
			{"u 0o377", "0ff", "u 255"},
			{"u 0b11111111", "0ff", "u 255"},
			{"u 0255", "0ff", "u 255"}, // a leading 0 is not octal
			{"u +255", "0ff", "u 255"},
			{"u -0", "000", "u 0"},
			{"u 256", "", "text-range"},
			{"u -1", "", "text-range"},
			{"u 99999999999999999999999", "", "text-range"},
			{"u 0x", "", "text-expected"},
			{"u", "", "text-expected"},
			{"u a", "", "text-expected"},
			{"i 127", "17f", ""},
			{"i -128", "180", ""},
			{"i -0x80", "180", "i -128"},
			{"i 0x80", "180", "i -128"}, // a bit pattern
			{"i 0b10000000", "180", "i -128"},
			{"i 128", "", "text-range"}, // does not fit an int of 8 bits
			{"i $(128)", "", "text-range"},
			{"i $", "", "text-expected"},
			{"i $(", "", "text-expected"},
			{"i $(1", "", "text-expected"},
			{"i -129", "", "text-range"},
			{"i 256", "", "text-range"},
			{"h ff", "2ff", ""},
			{"h FF", "2ff", "h ff"},
			{"h 0xff", "2ff", "h ff"},
			{"h 10", "210", ""},       // hexadecimal without a prefix
			{"h 0b1", "2b1", "h b1"},  // digits, not a radix
			{"h 0o20", "210", "h 10"}, // o is not a digit
			{"h 100", "", "text-range"},
			{"x 0xff", "3ff", ""},
			{"x 0x0xff", "3ff", "x 0xff"},
		},
	},
	{
		"wide numbers",
		`<bitset name="#instruction" size="128"/>
		<bitset name="li" extends="#instruction">
			<display>li {V}</display>
			<pattern low="120" high="127">10100101</pattern>
			<field name="V" low="0" high="119" type="hex"/>
		</bitset>`,
		[]row{
			{"li 0", "a5000000000000000000000000000000", ""},
			{"li 123456789abcdef0fedcba98765432", "a5123456789abcdef0fedcba98765432", ""},
			{"li 0xffffffffffffffffffffffffffffff", "a5ffffffffffffffffffffffffffffff", "li ffffffffffffffffffffffffffffff"},
			{"li 1000000000000000000000000000000", "", "text-range"}, // bit 120
			{"li -1", "", "text-range"},
			{"li ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "", "text-range"},
		},
	},
	{
		"fields of 256 bits",
		`<bitset name="#instruction" size="256"/>
		<bitset name="all" extends="#instruction"><display>{V}</display><field name="V" low="0" high="255" type="uint"/></bitset>`,
		[]row{
			{"0", "0", ""},
			{"18446744073709551616", "10000000000000000", ""}, // 2 to the power of 64
			{"340282366920938463463374607431768211455", "ffffffffffffffffffffffffffffffff", ""},
			{"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
				"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
				"115792089237316195423570985008687907853269984665640564039457584007913129639935"}, // 2^256 - 1
			{"115792089237316195423570985008687907853269984665640564039457584007913129639936", "", "text-range"},
		},
	},
	{
		"words of 256 bits",
		`<bitset name="#instruction" size="256"/>
		<bitset name="big" extends="#instruction">
			<display>big {A}, {B}, r{C}</display>
			<pattern low="192" high="255">1000000000000000000000000000000000000000000000000000000000000001</pattern>
			<field name="A" low="60" high="67" type="uint"/>
			<field name="B" type="hex"><bits low="128" high="191"/><bits low="68" high="127"/></field>
			<field name="C" low="0" high="59" type="uint"/>
		</bitset>`,
		[]row{
			// C is 1, A is 0x12: its low digit in bits 60..63, its high digit in 64..67; B has 64 + 60 bits.
			{"big 18, 123456789abcdef0fedcba987654321, r1", "8000000000000001123456789abcdef0fedcba9876543211" + "2000000000000001", ""},
		},
	},
	{
		"several lengths",
		`<bitset name="#instruction" size="32"/>
		<bitset name="mov" extends="#instruction">
			<display>mov r{D}, {V}</display>
			<pattern pos="31">0</pattern>
			<field name="D" low="16" high="30" type="uint"/>
			<field name="V" low="0" high="15" type="hex"/>
		</bitset>
		<bitset name="movl" extends="#instruction" size="64">
			<display>mov r{D}, {V}</display>
			<pattern pos="31">1</pattern>
			<field name="D" low="16" high="30" type="uint"/>
			<field name="V" type="hex"><bits low="32" high="63"/><bits low="0" high="15"/></field>
		</bitset>`,
		[]row{
			{"mov r1, ffff", "0001ffff", ""},
			{"mov r1, 10000", "0000000180010000", ""}, // does not fit the short form
			{"mov r2, 123456789abc", "1234567880029abc", ""},
		},
	},
}

// TestRefined parses texts whose word would belong to a leaf that refines the leaf of the text. Leaves are refined by
// pattern and by requirement, at the top and in operands. The parser chooses a word that prints the text, if there is
// one.
func TestRefined(t *testing.T) {
	x := toolsFor(t, load(t, `
		<enum name="#e"><value val="1" display=".s"><alias>x</alias></value><value val="4" display=".s"/><value val="5" display=".t"/></enum>
		<context name="new" type="bool" default="true"/>
		<bitset name="#o" size="3"/>
		<bitset name="o" extends="#o"><display>o{E}</display><field name="E" low="0" high="2" type="#e"/></bitset>
		<bitset name="low" extends="#o" overlap="refines o"><display>low</display><pattern low="0" high="2">001</pattern></bitset>
		<bitset name="#instruction" size="8"/>
		<bitset name="a" extends="#instruction"><display>a {E}, {N}</display><pattern low="6" high="7">00</pattern>
			<field name="E" low="0" high="2" type="#e"/><field name="N" low="3" high="5" type="uint"/></bitset>
		<bitset name="one" extends="#instruction" overlap="refines a some"><display>one</display><pattern low="0" high="7">00000001</pattern></bitset>
		<bitset name="some" extends="#instruction" overlap="refines a"><display>some {N}</display><pattern low="6" high="7">00</pattern>
			<pattern low="0" high="2">001</pattern><field name="N" low="3" high="5" type="uint"/><require>{N} &gt; 4 &amp;&amp; {@new}</require></bitset>
		<bitset name="use" extends="#instruction"><display>use {O}</display><pattern low="6" high="7">01</pattern><pattern low="3" high="5">000</pattern>
			<field name="O" low="0" high="2" type="#o"/></bitset>`))
	for range 4 { // cached lines too
		x.rows(t, []row{
			{"a .s, 0", "4", ""}, {"a .s, 1", "9", ""}, {"a .s, 4", "21", ""}, {"a .s, 5", "2c", ""}, {"a .s, 7", "3c", ""}, {"a .t, 7", "3d", ""},
			{"one", "1", ""}, {"some 5", "29", ""}, {"some 4", "", "text-condition"},
			{"a x, 0", "1", "one"}, {"a x, 6", "31", "some 6"}, // no other word
			{"use o.s", "44", ""}, {"use o.t", "45", ""}, {"use low", "41", ""}, {"use ox", "41", "use low"},
		})
	}
}

func TestFeatures(t *testing.T) {
	for _, f := range features {
		t.Run(f.name, func(t *testing.T) {
			toolsFor(t, load(t, f.xml)).rows(t, f.rows)
		})
	}
}

// TestSyntaxes parses and prints a word in each syntax.
func TestSyntaxes(t *testing.T) {
	s := load(t, `
		<enum name="#c"><value val="0" display="x"/><value val="0" display="r" syntax="rgb"/><value val="1" display="y"/></enum>
		<bitset name="#instruction" size="4"/>
		<bitset name="mov" extends="#instruction">
			<displayname syntax="rgb">copy</displayname>
			<display>{NAME} {N}.{C}</display>
			<display syntax="rgb">{NAME} {C}:{N}</display>
			<alias>move {N}.{C}</alias>
			<alias syntax="rgb">c {N}</alias>
			<field name="C" pos="3" type="#c"/>
			<field name="N" low="0" high="2" type="uint"/>
		</bitset>`)
	toolsFor(t, s).rows(t, []row{
		{"mov 5.x", "5", ""},
		{"mov 5.y", "d", ""},
		{"move 5.y", "d", "mov 5.y"},
		{"copy x:5", "", "text-unknown"},
		{"c 5", "", "text-unknown"},
	})
	rgb, err := s.WithOptions(isa.Options{Syntax: "rgb"})
	if err != nil {
		t.Fatal(err)
	}
	toolsFor(t, rgb).rows(t, []row{
		{"copy r:5", "5", ""},
		{"copy y:5", "d", ""},           // no syntax of its own
		{"copy x:5", "5", "copy r:5"},   // the default syntax is accepted too
		{"move 5.r", "5", "copy r:5"},   // an alias without a syntax belongs to all
		{"c 5", "5", "copy r:5"},        // C is not in the text: the smallest
		{"mov 5.x", "", "text-unknown"}, // replaced the default display
	})
}
