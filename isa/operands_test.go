package isa_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
)

// handbook returns the description in a chapter of the language's handbook.
func handbook(t *testing.T, chapter string) *isa.Set {
	t.Helper()
	page, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## "+chapter+"\n")
	_, text, _ = strings.Cut(text, "```xml\n")
	text, _, _ = strings.Cut(text, "```")
	s, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(text)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return s
}

// say formats operands, one per line.
func say(text string, list []isa.Operand, set *isa.Set) string {
	var b strings.Builder
	for _, o := range list {
		fmt.Fprintf(&b, "%s %q %s %s", o.Name, text[o.Start:o.End], o.Role, o.Kind)
		if r := o.Register; r.File != nil {
			fmt.Fprintf(&b, " %s%d+%d bits %d+%d", r.File.Name, r.Index, r.Count, r.Low, r.Width)
			if r.View != nil {
				fmt.Fprintf(&b, " by %s", r.View.Name)
			}
			if r.Component >= 0 {
				fmt.Fprintf(&b, " component %d", r.Component)
			}
		}
		if r := o.Relative; r.File != nil {
			fmt.Fprintf(&b, " plus %s%d", r.File.Name, r.Index)
		}
		if o.Memory != nil {
			fmt.Fprintf(&b, " in %s at %d", o.Memory.Name, o.Value)
		}
		if o.Type.Bits > 0 {
			fmt.Fprintf(&b, " %s", o.Type)
		}
		if o.Kind == isa.ImmediateOperand || o.Kind == isa.TargetOperand || o.Kind == isa.ConditionOperand {
			fmt.Fprintf(&b, " =%d", int64(o.Value))
		}
		for i, name := range set.Modifiers() {
			if o.Modifiers>>i&1 != 0 {
				b.WriteString(" " + name)
			}
		}
		if o.Swizzled {
			fmt.Fprintf(&b, " swizzle %v", o.Swizzle)
		}
		if o.Masked {
			fmt.Fprintf(&b, " mask %04b", o.Mask)
		}
		for _, r := range o.Bits {
			fmt.Fprintf(&b, " %d..%d", r.Low+r.Width-1, r.Low)
			if r.Table >= 0 {
				fmt.Fprintf(&b, "@%d:%d", r.Table, r.Entry)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

type operandRow struct {
	word       uint64
	text, want string
}

func checkOperands(t *testing.T, d *isa.Decoder, rows []operandRow) {
	t.Helper()
	var buf []isa.Operand
	for _, x := range rows {
		in, ok := d.Decode(bits.Of(x.word))
		if !ok {
			t.Errorf("%x is not an instruction", x.word)
			continue
		}
		text := string(d.Append(nil, in))
		if text != x.text {
			t.Errorf("%x is %q, want %q", x.word, text, x.text)
		}
		both, list := d.AppendOperands([]byte("> "), buf[:0], in)
		if string(both) != "> "+text {
			t.Errorf("%x prints %q with its operands, %q without", x.word, both, text)
		}
		if got := say(text, list, d.Set()); got != x.want {
			t.Errorf("%s: got\n%swant\n%s", text, got, x.want)
		}
		if again := d.Operands(nil, in); !slices.EqualFunc(again, list, func(a, b isa.Operand) bool {
			return say(text, []isa.Operand{a}, d.Set()) == say(text, []isa.Operand{b}, d.Set())
		}) {
			t.Errorf("%s: other operands the second time", text)
		}
		buf = list
	}
}

// TestOperands compares the operands of the handbook's example with the table below it. Bits 5 and 4
// of a register that is not a constant have no effect.
func TestOperands(t *testing.T) {
	checkOperands(t, decoder(t, handbook(t, "Operands")), []operandRow{
		{0x411b8301, "mov r1, -c[3].wzyx",
			"DST \"r1\" write register r1+1 bits 0+128 7..6 3..0\n" +
				"A \"-c[3].wzyx\" read register c3+1 bits 0+128 negate swizzle [3 2 1 0] 24..24 15..8 23..16\n"},
		{0x40e4c543, "mov h3, c[a0+5].xyzw",
			"DST \"h3\" write register r1+1 bits 64+64 by h 7..6 3..0\n" +
				"A \"c[a0+5].xyzw\" read register c5+1 bits 0+128 plus a0 swizzle [0 1 2 3] 24..24 15..8 23..16\n"},
		{0x80002102, "ld r2, s[33]",
			"DST \"r2\" write register r2+1 bits 0+128 7..6 3..0\n" +
				"FROM \"s[33]\" read memory in shared at 132 f32 17..8\n"},
	})
}

// TestExampleOperands checks the operands of the template machine: registers, an override that turns
// one into a number if bit 4 is set, a computed operand, and a target.
func TestExampleOperands(t *testing.T) {
	s, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d := decoder(t, s)
	d.Addr = 160
	checkOperands(t, d, []operandRow{
		{0x2243, "add r1, r2, r3",
			"DST \"r1\" write register r1+1 bits 0+16 12..9\nA \"r2\" read register r2+1 bits 0+16 8..5\nB \"r3\" read register r3+1 bits 0+16 3..0 4..4\n"},
		{0x4e1f, "mul r7, r0, -1",
			"DST \"r7\" write register r7+1 bits 0+16 12..9\nA \"r0\" read register r0+1 bits 0+16 8..5\nB \"-1\" read immediate s4 =-1 3..0 4..4\n"},
		{0x6b43, "shl r5, s2, 4", // N is COUNT + 1
			"DST \"r5\" write register r5+1 bits 0+16 12..9\nA \"s2\" read register s2+1 bits 0+16 8..5\nN \"4\" read immediate u5 =4 3..0\n"},
		{0x8bfe, "br.eq -2", // from word 10 to word 8, of 16 bits
			"COND \".eq\"  condition =1 12..11\nTARGET \"-2\"  target =128 8..0\n"},
		{0x0000, "nop", ""},
	})
}

// TestOperandSaysFirst requires that facts of an operand have priority over facts of its parts, that a
// relative register applies only to registers of one file, and that a single register can be an
// operand.
func TestOperandSaysFirst(t *testing.T) {
	d := strict(t, `<file name="r" type="u8x4" count="2"/><file name="c" type="u8x4" count="2"/>
		<register name="a" type="s32x2" use="address"/><register name="flag" type="bool"/>
		<enum name="#add"><value val="0" display=""/><value val="1" display="+a"><reg file="a" index="0" component="1"/></value></enum>
		<bitset name="#letters" size="2"><display>.{L}</display><field name="L" low="0" high="1" type="uint"/>
			<mask x="{L} &amp; 1" y="{L} &gt;&gt; 1" z="1"/><swizzle x="{L}"/></bitset>
		<bitset name="#reg" size="2"><field name="N" pos="0" type="uint"/></bitset>
		<bitset name="#reg-r" extends="#reg"><display>r{N}</display><pattern pos="1">0</pattern><reg file="r" index="{N}"/></bitset>
		<bitset name="#reg-c" extends="#reg"><display>c{N}</display><pattern pos="1">1</pattern><reg file="c" index="{N}"/></bitset>
		<bitset name="#instruction" size="8"><display>{A}</display>
			<operand name="A" role="read"><display>{REG}{ADD}{L}</display><relative field="ADD" of="c"/><mask x="{L.L} == 3"/><swizzle x="2"/></operand>
			<field name="REG" low="0" high="1" type="#reg"/><field name="ADD" pos="2" type="#add"/><field name="L" low="3" high="4" type="#letters"/>
			<pattern low="5" high="7">000</pattern></bitset>`)
	checkOperands(t, d, []operandRow{
		{0x1f, "c1+a.3", "A \"c1+a.3\" read register c1+1 bits 0+32 plus a0 swizzle [2 0 0 0] mask 0001 1..0 2..2 4..3\n"},
		{0x0d, "r1+a.1", "A \"r1+a.1\" read register r1+1 bits 0+32 swizzle [2 0 0 0] mask 0000 1..0 2..2 4..3\n"},
	})
	if a := d.Set().File("a"); a == nil || a.Use != "address" || a.Count != 1 || a.Type.String() != "s32x2" {
		t.Errorf("a is %+v", a)
	}
	if d.Set().File("flag") != nil {
		t.Error("a register without use is a file")
	}
}

// TestRegister checks the register that the word of an operand selects.
func TestRegister(t *testing.T) {
	s := handbook(t, "Operands")
	d, err := s.NewDecoder("#reg")
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[uint64]string{0x03: "r 3 +0", 0x43: "r 1 +64", 0x85: "c 5 +0", 0xc5: "c 5 +0"} {
		in, _ := d.Decode(bits.Of(word))
		r := d.Register(in)
		if got := fmt.Sprintf("%s %d +%d", r.File.Name, r.Index, r.Low); got != want {
			t.Errorf("%x is %s, want %s", word, got, want)
		}
	}
}

func TestFlows(t *testing.T) {
	s, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d := decoder(t, s)
	d.Addr = 160
	for _, x := range []struct {
		word uint64
		want string
	}{
		{0x2243, "[]"},
		{0x8bfe, "[{jump true 128 0 }]"},  // br.eq -2
		{0x83fe, "[{jump false 128 0 }]"}, // br -2
		{0x8601, "[{call false 176 0 }]"}, // brl 1
	} {
		in, _ := d.Decode(bits.Of(x.word))
		if got := fmt.Sprint(d.Flows(nil, in)); got != x.want {
			t.Errorf("%x: %s, want %s", x.word, got, x.want)
		}
	}
	// Without declared flow, each branch may be taken.
	plain := strict(t, `<bitset name="#instruction" size="16"><display>br {A} {B}</display>
		<field name="A" low="0" high="7" type="branch"/><field name="B" low="8" high="15" type="absbranch" call="true" unit="8"/></bitset>`)
	plain.Addr = 32
	in, _ := plain.Decode(bits.Of(0x0301))
	if got := fmt.Sprint(plain.Flows(nil, in)); got != "[{jump true 48 0 } {call true 24 0 }]" {
		t.Errorf("without flow: %s", got)
	}
}

func TestMnemonics(t *testing.T) {
	d := strict(t, `<enum name="#op" kind="mnemonic"><value val="0" display="add"/><value val="1" display="sub"/></enum>
		<bitset name="#instruction" size="8"/>
		<bitset name="named" extends="#instruction"><display>{NAME}{S} {V}</display><pattern low="6" high="7">00</pattern>
			<field name="S" pos="5" type="bool" display=".s" kind="mnemonic"/><field name="V" low="0" high="4" type="uint"/></bitset>
		<bitset name="alu" extends="#instruction"><display>{@m?!}{OP}{U} {V}</display><pattern low="6" high="7">01</pattern>
			<field name="OP" pos="5" type="#op"/><field name="U" pos="4" type="bool" display=".u"/><field name="V" low="0" high="3" type="uint"/></bitset>
		<bitset name="words" extends="#instruction"><display>{P? }jump.far to {V}</display><pattern low="6" high="7">10</pattern>
			<field name="P" pos="5" type="bool" display="@p"/><field name="V" low="0" high="4" type="uint"/></bitset>
		<bitset name="none" extends="#instruction"><display>{V}</display><pattern low="6" high="7">11</pattern><field name="V" low="0" high="5" type="uint"/></bitset>
		<context name="m" type="bool"/>`)
	for word, want := range map[uint64]string{0x01: "named", 0x21: "named.s", 0x41: "add", 0x71: "sub", 0xa1: "jump.far", 0xc1: ""} {
		in, _ := d.Decode(bits.Of(word))
		if got := d.Mnemonic(in); got != want {
			t.Errorf("%x: %q, want %q", word, got, want)
		}
	}
	var all []string
	for _, l := range d.Root().Leaves {
		all = append(all, fmt.Sprint(l.Mnemonics()))
	}
	if got := fmt.Sprint(all); got != "[[named named.s] [add sub] [jump.far] []]" {
		t.Errorf("mnemonics %s", got)
	}
	if forms := d.Root().LeavesByMnemonic("sub"); len(forms) != 1 || forms[0].Name != "alu" {
		t.Errorf("forms %v", forms)
	}
}

// TestCode decodes instructions of several lengths. The words of longer instructions are stored in
// either order.
func TestCode(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"", "[0:a+16 16:b+32 48:?+16 64:cut+8]"},
		{`<text words="high-first" storage="16"/>`, "[0:a+16 16:b+32 48:?+16 64:cut+8]"},
	} {
		d := strict(t, x.text+`<bitset name="#instruction" size="16"/>
			<bitset name="a" extends="#instruction"><display>a {V}</display><pattern low="12" high="15">0001</pattern><field name="V" low="0" high="11" type="uint"/></bitset>
			<bitset name="b" extends="#instruction" size="32"><display>b {V} {W}</display><pattern low="12" high="15">0010</pattern>
				<field name="V" low="0" high="11" type="uint"/><field name="W" low="16" high="31" type="hex"/></bitset>`)
		code := []byte{0x01, 0x10, 0x02, 0x20, 0x34, 0x92, 0, 0, 0x55}
		if x.text != "" { // most significant word first
			code = []byte{0x01, 0x10, 0x34, 0x92, 0x02, 0x20, 0, 0, 0x55}
		}
		var got []string
		for w := range d.DecodeAll(code) {
			name := "?"
			if w.Inst.Leaf != nil {
				name = w.Inst.Leaf.Name
			} else if !w.Present {
				name = "cut"
			}
			if d.Addr != w.Addr {
				t.Errorf("the decoder stands at %d, the word at %d", d.Addr, w.Addr)
			}
			if name == "b" && string(d.Append(nil, w.Inst)) != "b 2 9234" {
				t.Errorf("%s", d.Append(nil, w.Inst))
			}
			got = append(got, fmt.Sprintf("%d:%s+%d", w.Addr, name, w.Size))
		}
		if s := fmt.Sprint(got); s != x.want {
			t.Errorf("%s: %s, want %s", x.text, s, x.want)
		}
	}
	d := decoder(t, handbook(t, "Operands"))
	for range d.DecodeAll(make([]byte, 100)) {
		break
	}
}

// TestOperandsInMemoriesOfAGroup has a group of memories. A number selects a member. An operand with a
// number outside of the group has no memory. It also checks flows that wait and name a stack.
func TestOperandsInMemoriesOfAGroup(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa strict="true">
<memory name="c" count="3" use="constant" size="64" access="u8 u32"/>
<stack name="others"/>
<bitset name="#instruction" size="16"/>
<bitset name="ld" extends="#instruction">
  <display>ld {FROM}{LIVE? }</display>
  <pattern pos="15">0</pattern>
  <operand name="FROM" role="read"><display>c{N}[{AT}]</display><mem memory="c" index="{N}" offset="{AT} * 4" type="u32"/></operand>
  <field name="N" low="8" high="9" type="uint"/>
  <field name="AT" low="0" high="7" type="uint"/>
  <field name="LIVE" pos="10" type="bool" display=" live" kind="modifier"/>
  <pattern low="11" high="14">xxxx</pattern>
</bitset>
<bitset name="bar" extends="#instruction">
  <display>bar{ALL}</display>
  <flow kind="wait" when="{ALL}"/>
  <flow kind="wait" stack="others" when="!{ALL}"/>
  <pattern pos="15">1</pattern>
  <field name="ALL" pos="0" type="bool" display=".all"/>
  <pattern low="1" high="14">xxxxxxxxxxxxxx</pattern>
</bitset>
</isa>`)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	if m := s.Memories(); len(m) != 3 || m[2].Name != "c2" || m[2].Use != "constant" || m[2].Size != 64 || fmt.Sprint(m[2].Access) != "[u8 u32]" {
		t.Errorf("memories %v", m)
	}
	d := decoder(t, s)
	checkOperands(t, d, []operandRow{
		{0x0203, "ld c2[3]", "FROM \"c2[3]\" read memory in c2 at 12 u32 9..8 7..0\n"},
		{0x0303, "ld c3[3]", "FROM \"c3[3]\" read  u32 9..8 7..0\n"},
	})
	for word, want := range map[uint64]string{0x8001: "wait ", 0x8000: "wait others"} {
		in, _ := d.Decode(bits.Of(word))
		if f := d.Flows(nil, in); len(f) != 1 || f[0].Kind.String()+" "+f[0].Stack != want {
			t.Errorf("%x: flows %v, want %s", word, f, want)
		}
	}
	in, _ := d.Decode(bits.Of(0x0400))
	if list := d.Operands(nil, in); len(list) != 2 || list[1].Kind != isa.ModifierOperand || list[1].Value != 1 {
		t.Errorf("operands %v, want live to be a modifier of value 1", list)
	}
}

// TestOperandsOfOneWordAfterAnother requires that the value of an expression that needs its own value
// does not persist to the next word.
func TestOperandsOfOneWordAfterAnother(t *testing.T) {
	d := plain(t, `<bitset name="#instruction" size="8"><display>base {D} {V}</display>
		<override><expr>{D} == 9</expr><display>over {D} {V}</display><field name="V" low="4" high="7" type="uint"/></override>
		<derived name="D" type="uint"><expr>{V} + 1</expr></derived><field name="V" low="0" high="3" type="uint"/><field name="W" low="4" high="7" type="hex"/></bitset>`)
	for _, x := range []struct {
		word uint64
		text string
	}{{0x02, "base 3 2"}, {0x05, "base 6 5"}} {
		in, _ := d.Decode(bits.Of(x.word))
		if text, _ := d.AppendOperands(nil, nil, in); string(text) != x.text {
			t.Errorf("got %q, want %q", text, x.text)
		}
	}
}

// TestOperandBits requires that the bits of an operand's text precede the bits that determine its form
// in this word. Bits of the name, of the pattern and of other operands must not be listed. Bits without
// effect must not be listed either.
func TestOperandBits(t *testing.T) {
	d := strict(t, `<file name="r" type="u32" count="16"/><file name="c" type="u32" count="16"/><file name="a" type="u32" count="1"/>
		<enum name="#op" kind="mnemonic"><value val="0" display="mov"/><value val="1" display="not"/></enum>
		<enum name="#size" kind="modifier"><value val="0" display=".b"/><value val="1" display=".w"/></enum>
		<bitset name="#src" size="6">
			<override expr="{MODE} &amp;&amp; {SIZE} &amp;&amp; {OP} &amp;&amp; {REL}"><display>c[a+{N}]</display><reg file="c" index="{N}"/><relative file="a" index="0"/></override>
			<override expr="{MODE}"><display>c{LOW}</display><reg file="c" index="{LOW}"/></override>
			<display>r{N}</display><reg file="r" index="{N}"/>
			<modifier name="negate" when="{NEG}"/>
			<field name="N" low="0" high="3" type="uint"/><derived name="LOW" type="uint" expr="{WIDE} ? {N} : {N} &amp; 3"/>
			<pattern low="4" high="5">0x</pattern></bitset>
		<bitset name="#instruction" size="16"><display>{OP}{NEG}{SIZE} {A} {B}</display>
			<field name="A" low="0" high="5" type="#src" role="read"><param name="MODE"/><param name="REL"/><param name="SIZE"/><param name="OP"/><param name="WIDE"/><param name="NEG"/></field>
			<field name="MODE" pos="6" type="bool"/><field name="REL" pos="7" type="bool"/><field name="SIZE" pos="8" type="#size"/>
			<field name="OP" pos="9" type="#op"/><field name="WIDE" pos="10" type="bool"/><field name="NEG" pos="11" type="bool" display=".neg"/>
			<field name="B" low="12" high="13" type="uint"/><override expr="{KIND}"><field name="B" low="12" high="13" type="int"/></override>
			<field name="KIND" pos="14" type="bool"/><pattern pos="15">0</pattern></bitset>`)
	checkOperands(t, d, []operandRow{
		// A register: bit 4 is ignored, bit 5 selects the kind, bit 6 excludes a constant, and bit 11
		// negates it. Bit 14 makes B unsigned.
		{0x000f, "mov.b r15 0", "SIZE \".b\"  modifier 8..8\nA \"r15\" read register r15+1 bits 0+32 5..5 3..0 6..6 11..11\n" + "B \"0\"  immediate u2 =0 13..12 14..14\n"},
		// A constant: bits 3 and 2 have no effect because bit 10 is 0. Bit 7 has no effect because of
		// bits 8 and 9.
		{0x784d, "mov.neg.b c1 -1", "SIZE \".b\"  modifier 8..8\nA \"c1\" read register c1+1 bits 0+32 negate 5..5 1..0 10..10 6..6 11..11\n" + "B \"-1\"  immediate s2 =-1 13..12 14..14\n"},
		{0x07cd, "not.w c[a+13] 0", "SIZE \".w\"  modifier 8..8\nA \"c[a+13]\" read register c13+1 bits 0+32 plus a0 5..5 3..0 6..6 7..7 11..11\n" + "B \"0\"  immediate u2 =0 13..12 14..14\n"},
	})
}

// TestOperandBitsEnd has fields that each use another one twice. Each must be examined once.
func TestOperandBitsEnd(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<bitset name="#instruction" size="8"><display>{D60}</display><field name="D0" low="0" high="7" type="uint"/>`)
	for i := range 60 {
		fmt.Fprintf(&b, `<derived name="D%d" type="uint" width="64" expr="{D%d} + {D%d}"/>`, i+1, i, i)
	}
	d := strict(t, b.String()+`</bitset>`)
	checkOperands(t, d, []operandRow{{0x03, "3458764513820540928", "D60 \"3458764513820540928\"  immediate u64 =3458764513820540928 7..0\n"}})
}

// TestRowsOfRegisters requires that consecutive registers end with the file, unless numbers wrap
// around to 0.
func TestRowsOfRegisters(t *testing.T) {
	d := strict(t, `<file name="r" type="u32" count="6"/><view name="rq" file="r" type="u32x4"/>
		<file name="w" type="u32" count="6" outside="wrap"/><view name="wq" file="w" type="u32x4"/>
		<bitset name="#r" size="3"><display>r{N}</display><reg file="rq" index="{N}"/><field name="N" low="0" high="2" type="uint"/></bitset>
		<bitset name="#w" size="3"><display>w{N}</display><reg file="wq" index="{N}"/><field name="N" low="0" high="2" type="uint"/></bitset>
		<bitset name="#instruction" size="8"><display>{R} {W}</display><field name="R" low="0" high="2" type="#r"/><field name="W" low="3" high="5" type="#w"/>
			<pattern low="6" high="7">00</pattern></bitset>`)
	checkOperands(t, d, []operandRow{
		{0x12, "r2 w2", "R \"r2\"  register r2+4 bits 0+32 by rq 2..0\nW \"w2\"  register w2+4 bits 0+32 by wq 5..3\n"},
		{0x1b, "r3 w3", "R \"r3\"  register r3+3 bits 0+32 by rq 2..0\nW \"w3\"  register w3+4 bits 0+32 by wq 5..3\n"},
		{0x2d, "r5 w5", "R \"r5\"  register r5+1 bits 0+32 by rq 2..0\nW \"w5\"  register w5+4 bits 0+32 by wq 5..3\n"},
	})
}

// TestOperandBitsOfCycles has fields that need their own value in a plain description. The bits of such
// a field are the bits of all fields in its expression.
func TestOperandBitsOfCycles(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa><bitset name="#instruction" size="8"><display>{A}</display>
		<field name="N" low="0" high="3" type="uint"/><field name="M" low="4" high="7" type="uint"/>
		<derived name="A" type="uint" width="8"><expr>{B} + {N}</expr></derived><derived name="B" type="uint" width="8"><expr>{M} ? {A} : 1</expr></derived></bitset></isa>`)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d := decoder(t, s)
	in, _ := d.Decode(bits.Of(0x03))
	text, list := d.AppendOperands(nil, nil, in)
	if got := say(string(text), list, s); !strings.HasSuffix(got, " 7..4 3..0\n") {
		t.Errorf("%s: %s", text, got)
	}
}
