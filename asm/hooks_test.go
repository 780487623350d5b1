package asm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
)

// TestCustom checks that the hook parses custom fields, and that they are numbers without a hook.
func TestCustom(t *testing.T) {
	x := toolsFor(t, load(t, `<bitset name="#instruction" size="8"><display>ld [{A}] {B}</display>
		<field name="A" low="4" high="7" type="custom"/><field name="B" low="0" high="3" type="uint"/></bitset>`))
	x.rows(t, []row{
		{"ld [0] 3", "03", ""}, {"ld [15] 3", "f3", ""}, {"ld [0xf] 3", "f3", "ld [15] 3"},
		{"ld [16] 3", "", "text-range"}, {"ld [] 3", "", "text-expected"}, {"ld [@] 3", "", "text-expected"},
	})
	x.p.Custom = func(text []byte, field string) (uint64, int, bool) {
		if field == "A" && len(text) > 1 && text[0] == '@' {
			return uint64(text[1] - 'a'), 2, true
		}
		return 0, 0, false
	}
	if res, err := x.p.Parse("ld [@c] 3"); err != nil || res.Inst.Bits != bits.Of(0x23) {
		t.Errorf("ld [@c] 3 is %s with error %v, expected 23", res.Inst.Bits, err)
	}
	if res, err := x.p.Parse("ld [] 3"); err == nil {
		t.Errorf("ld [] 3 is %s, expected an error", res.Inst.Bits)
	}
}

// TestOwnBraces checks that braces at the end are a suffix if possible, and otherwise belong to the instruction.
func TestOwnBraces(t *testing.T) {
	x := toolsFor(t, load(t, `<enum name="#e"><value val="0" display="none"/><value val="1" display="{all}"/></enum>
		<bitset name="#instruction" size="8"><display>sync {E}</display>
		<field name="E" pos="0" type="#e"/><pattern low="1" high="7">xxxxxxx</pattern></bitset>`))
	x.rows(t, []row{
		{"sync none", "00", ""},
		{"sync {all}", "01", ""},
		{"sync {none}", "", "text-suffix"},
	})
	for text, want := range map[string]uint64{"sync {all} {1..7=0x2}": 5, "sync none {E=1}": 1} {
		if res, err := x.p.Parse(text); err != nil || res.Inst.Bits != bits.Of(want) {
			t.Errorf("%q is %s with error %v, expected %x", text, res.Inst.Bits, err, want)
		}
	}
}

// TestNestedIndex checks table entries whose index is in an operand. Two operands have an entry each, also at the end
// of a path, and a suffix pins each entry by its path.
func TestNestedIndex(t *testing.T) {
	s := load(t, `
		<bitset name="#entry" size="4"><display>{V}</display><field name="V" low="0" high="3" type="hex"/></bitset>
		<table name="entries" type="#entry" size="4"/>
		<bitset name="#operand" size="2"><display>[{INDEX}]</display><field name="INDEX" low="0" high="1" type="#entry" table="entries"/></bitset>
		<bitset name="#instruction" size="4"><display>op {A}, {B}</display>
			<field name="A" low="0" high="1" type="#operand"/><field name="B" low="2" high="3" type="#operand"/></bitset>`)
	x := toolsFor(t, s)
	table := []bits.Value{bits.Of(5), bits.Of(7), bits.Of(5), bits.Of(7)}
	x.d.SetTable(0, table)
	x.p.Tables[0] = &asm.FixedTable{Entries: table}
	l := asm.NewLossless(x.d, x.p)
	for word, want := range map[uint64]string{
		0x4: "op [5], [7]", // A 0, B 1: the first entries that match
		0xe: "op [5], [7] {A.INDEX@2, B.INDEX@3}",
		0x6: "op [5], [7] {A.INDEX@2}",
	} {
		in, _ := x.d.Decode(bits.Of(word))
		text, ok := l.Append(nil, in)
		if !ok || string(text) != want {
			t.Errorf("%x prints %q, expected %q", word, text, want)
		}
		if res, err := x.p.Parse(want); err != nil || res.Inst.Bits != bits.Of(word) {
			t.Errorf("%q is %s with error %v, expected %x", want, res.Inst.Bits, err, word)
		}
	}
}

// TestConstantsAgain checks that the hook for constants is called for each line. Results from earlier operands, or from
// lines parsed without a hook, are not reused.
func TestConstantsAgain(t *testing.T) {
	x := toolsFor(t, load(t, `
		<bitset name="#reg" size="4"><display>r{N}</display><field name="N" low="0" high="3" type="uint"/></bitset>
		<bitset name="#instruction" size="8"><display>mov {A}, {B}</display>
			<field name="A" low="4" high="7" type="#reg"/><field name="B" low="0" high="3" type="#reg"/></bitset>`))
	for range 3 {
		if res, err := x.p.Parse("mov r$(3), r1"); err != nil || res.Inst.Bits != bits.Of(0x31) {
			t.Fatalf("without a hook it is %s, %v, expected 31", res.Inst.Bits, err)
		}
	}
	k := int64(0)
	x.p.Constant = func(text string) (int64, int, error) { return k, len("(3)"), nil }
	for k = range int64(9) {
		for _, text := range []string{"mov r$(3), r1", "mov r$(k), r1"} {
			if res, err := x.p.Parse(text); err != nil || res.Inst.Bits != bits.Of(uint64(k<<4|1)) {
				t.Errorf("where the constant is %d, %q is %s, %v", k, text, res.Inst.Bits, err)
			}
		}
	}
}

// TestEntryOfNothing checks that an instruction needs no entry if the text does not refer to one, whatever was parsed
// before. A suffix that pins the entry sets the index.
func TestEntryOfNothing(t *testing.T) {
	x := toolsFor(t, load(t, `
		<bitset name="#entry" size="4"><display>{V}</display><field name="V" low="0" high="3" type="hex"/></bitset>
		<table name="entries" type="#entry" size="4"/>
		<bitset name="#reg" size="4"><display>r{N}</display><field name="N" low="0" high="3" type="uint"/></bitset>
		<bitset name="#instruction" size="12"><display>op {A}, {C}</display>
			<field name="A" low="0" high="3" type="#reg"/><field name="B" low="4" high="7" type="uint"/>
			<field name="T" low="8" high="9" type="#entry" table="entries"/><unused path="T.V"/>
			<field name="D" low="10" high="11" type="uint"/>
			<derived name="C" type="#reg"><expr>{B} + 1</expr></derived></bitset>`))
	for i := range 64 {
		a, c := i/8, 1+i%8
		for suffix, index := range map[string]int{"": 0, " {T@2}": 2, " {T@3, D=1}": 0x7} {
			text := fmt.Sprintf("op r%d, r%d%s", a, c, suffix)
			res, err := x.p.Parse(text)
			if want := bits.Of(uint64(a | (c-1)<<4 | index<<8)); err != nil || len(res.Entries) > 0 || res.Inst.Bits != want {
				t.Fatalf("%q is %s with entries %v, error %v, expected %s", text, res.Inst.Bits, res.Entries, err, want)
			}
		}
	}
	if _, err := x.p.Parse("op r1, r2 {T@4}"); codeOf(err) != "text-suffix" {
		t.Errorf("an entry that the field cannot name: %v", err)
	}
}

// TestTouchingNumbers checks values of an enum without a name, which are numbers and may be adjacent to another number.
// Each number has as many digits as fit.
func TestTouchingNumbers(t *testing.T) {
	x := toolsFor(t, load(t, `<enum name="#group"><value val="0" display="t"/><value val="1" display=""/></enum>
		<bitset name="#instruction" size="16"><display>mov {G}{R}{G2}</display>
		<field name="G" low="13" high="15" type="#group"/><field name="R" low="4" high="12" type="uint"/><field name="G2" low="0" high="3" type="#group"/></bitset>`))
	x.rows(t, []row{{"mov t17t", "0110", ""}, {"mov 5t", "2050", ""}, {"mov 7511t", "fff0", ""}, {"mov 9511t", "", "text-range"}})
	for _, w := range []uint64{0xc0b4, 0x5faf, 0x7fff, 0xfff2, 0x2001, 0x3ffe} {
		in, _ := x.d.Decode(bits.Of(w))
		text := string(x.d.Append(nil, in))
		res, err := x.p.Parse(text)
		if err != nil || string(x.d.Append(nil, res.Inst)) != text {
			t.Errorf("%x prints %q, which is read as %s with error %v", w, text, res.Inst.Bits, err)
		}
	}
}

// TestNumbersEnd checks that a number ends where the rest of the text requires it, even after the 0 of a possible
// radix. A float can end before a possible point or exponent.
func TestNumbersEnd(t *testing.T) {
	for display, rows := range map[string]map[string]uint64{
		"by 0x{H}x{U}": {"by 0x0x2": 0x02, "by 0xfx2": 0xf2, "by 0x0x2x3": 0x23},
		"by {U}x{H}":   {"by 0x0": 0x00, "by 0x2": 0x20, "by 3xf": 0xf3, "by 0x3x2": 0x23},
		"by {U}o{I}":   {"by 0o0": 0x000, "by 0o7": 0x700, "by 0o7o1": 0x107, "by 15o-8": 0x80f},
		"by {U}b{I}":   {"by 0b1": 0x100, "by 0b1b0": 0x001},
		"by {U}xg {H}": {"by 0xg f": 0xf0, "by 3xg 0": 0x03, "by 0xexg 1": 0x1e},
		"by {U}ob":     {"by 0ob": 0, "by 0o7ob": 7},
		"by {F}.{U}":   {"by 1.500000.7": 0x3e000007, "by 1.5.7": 0x3e000007, "by -.5.0": 0xb8000000, "by 2..3": 0x40000003},
		"by {F}e{U}":   {"by 1.500000e7": 0x3e000007, "by infe1": 0x7c000001, "by 1e1e1": 0x49000001},
		"by {F}{E}":    {"by 1.500000e": 0x3e000000, "by 1.500000.5": 0x3e001000, "by 1e1": 0x3c002000},
	} {
		x := toolsFor(t, load(t, fmt.Sprintf(`<enum name="#e"><value val="0" display="e"/><value val="1" display=".5"/><value val="2" display="e1"/></enum>
			<bitset name="#instruction" size="32"><display>%s</display>
			<field name="F" low="16" high="31" type="float"/><field name="I" low="8" high="11" type="int"/>
			<field name="H" low="4" high="7" type="hex"/><field name="U" low="0" high="3" type="uint"/>
			<field name="E" low="12" high="13" type="#e"/><pattern low="14" high="15">xx</pattern></bitset>`, display)))
		for text, want := range rows {
			if res, err := x.p.Parse(text); err != nil || res.Inst.Bits != bits.Of(want) {
				t.Errorf("of %q, %q is %s with error %v, expected %x", display, text, res.Inst.Bits, err, want)
			}
		}
	}
}

// TestWordsAsPrinted checks a blank that is optional in some texts: x ,y prints as x,y, but x ,yz prints as itself. If
// a longer text matches only without an optional blank, the values of the shorter text are tried in printed form.
func TestWordsAsPrinted(t *testing.T) {
	toolsFor(t, load(t, `
<enum name="#e"><value val="0" display="x"/><value val="3" display="x"/><value val="1" display="x,y"/><value val="2" display="x,y"/></enum>
<enum name="#f"><value val="0" display="z"/><value val="1" display=" ,yz"/><value val="2" display=""/></enum>
<bitset name="#instruction" size="8"><display>op {E}{F}</display><pattern low="4" high="7">0000</pattern>
  <field name="E" low="0" high="1" type="#e"/><field name="F" low="2" high="3" type="#f"/></bitset>`)).rows(t, []row{
		{"op x ,y", "09", "op x,y"}, {"op x ,yz", "04", ""}, {"op x,yz", "01", ""},
	})
}

// TestPrintedByLater checks a line that matches an alias of one instruction and the display of a later one.
func TestPrintedByLater(t *testing.T) {
	toolsFor(t, load(t, `
<enum name="#e"><value val="0" display="pop"/><value val="1" display="top"/></enum>
<enum name="#f"><value val="0" display="now"/><value val="1" display="end"/></enum>
<bitset name="#instruction" size="4"/>
<bitset name="last" extends="#instruction"><display>{E} now</display><pattern low="1" high="3">000</pattern>
  <field name="E" low="0" high="0" type="#e"/></bitset>
<bitset name="first" extends="#instruction"><display>pull {F}</display><alias>pop {F}</alias><pattern low="1" high="3">001</pattern>
  <field name="F" low="0" high="0" type="#f"/></bitset>`)).rows(t, []row{
		{"pop now", "0", ""}, {"top now", "1", ""}, {"pull now", "2", ""}, {"pop end", "3", "pull end"},
	})
}

// TestBlankWords checks a blank next to punctuation that is optional or the text of an enum. The parser chooses the
// reading that prints the line.
func TestBlankWords(t *testing.T) {
	x := toolsFor(t, load(t, `<enum name="#e"><value val="0" display=" "/><value val="1" display="y"/><value val="2" display=""/><value val="3" display=" z"/></enum>
		<bitset name="#instruction" size="8"><display>op.{A} {D} end</display>
		<field name="A" low="0" high="1" type="#e"/><field name="D" low="2" high="7" type="uoffset"/></bitset>`))
	for w := range uint64(256) {
		in, _ := x.d.Decode(bits.Of(w))
		text := string(x.d.Append(nil, in))
		res, err := x.p.Parse(text)
		if got := x.d.Append(nil, res.Inst); err != nil || strings.Join(strings.Fields(text), " ") != strings.Join(strings.Fields(string(got)), " ") {
			t.Errorf("%02x prints %q, which is read as %s with error %v", w, text, res.Inst.Bits, err)
		}
	}
	x.rows(t, []row{{"op.y  +0x10 end", "41", "op.y +16 end"}, {"op. z +16 end", "43", ""}, {"op.z +16 end", "43", "op. z +16 end"}})
}

// TestLabelsAhead checks that FIRST sets include labels, which can start with any letter.
func TestLabelsAhead(t *testing.T) {
	x := toolsFor(t, load(t, `
<enum name="#neg"><value val="0" display=""/><value val="1" display="-"/></enum>
<bitset name="jf" extends="#instruction"><display>jf {T}{F}</display><pattern low="12" high="15">0110</pattern>
  <field name="T" low="0" high="3" type="absbranch"/><field name="U" low="4" high="7" type="uint"/><pattern low="8" high="11">0000</pattern>
  <derived name="F" type="uoffset" width="4"><expr>{U} * 2</expr></derived></bitset>
<bitset name="jfi" extends="#instruction"><display>jf #{A}</display><pattern low="12" high="15">0111</pattern>
  <field name="A" low="0" high="3" type="uint"/><pattern low="4" high="11">00000000</pattern></bitset>
<bitset name="#reg" size="4"><display>{V}</display><field name="V" low="0" high="3" type="uint"/></bitset>
<bitset name="#instruction" size="16"/>
<bitset name="ld" extends="#instruction"><display>ld {NEG}{A}</display><pattern low="12" high="15">0000</pattern>
  <field name="A" low="0" high="3" type="uint"/><field name="NEG" pos="4" type="#neg"/><pattern low="5" high="11">0000000</pattern></bitset>
<bitset name="ldr" extends="#instruction"><display>ld #{A}</display><pattern low="12" high="15">0001</pattern>
  <field name="A" low="0" high="3" type="uint"/><pattern low="4" high="11">00000000</pattern></bitset>
<bitset name="st" extends="#instruction"><display>st {R}{OFF}</display><pattern low="12" high="15">0010</pattern>
  <field name="R" low="0" high="3" type="#reg"/><field name="OFF" low="4" high="7" type="uoffset"/><pattern low="8" high="11">0000</pattern></bitset>
<bitset name="sti" extends="#instruction"><display>st #{A}</display><pattern low="12" high="15">0011</pattern>
  <field name="A" low="0" high="3" type="uint"/><pattern low="4" high="11">00000000</pattern></bitset>
<bitset name="jmp" extends="#instruction"><display>jmp {NEG}{T}</display><pattern low="12" high="15">0100</pattern>
  <field name="T" low="0" high="3" type="absbranch"/><field name="NEG" pos="4" type="#neg"/><pattern low="5" high="11">0000000</pattern></bitset>
<bitset name="jmpi" extends="#instruction"><display>jmp #{A}</display><pattern low="12" high="15">0101</pattern>
  <field name="A" low="0" high="3" type="uint"/><pattern low="4" high="11">00000000</pattern></bitset>`))
	x.p.Symbol = func(name string) (int64, bool) { return 7 * 16, name == "loop" || name == "_x" }
	for text, want := range map[string]uint64{
		"ld -5": 0x0015, "ld 3": 0x0003, "ld #3": 0x1003,
		"st 4": 0x2004, "st 5+2": 0x2025, "st #4": 0x3004,
		"jmp loop": 0x4007, "jmp -loop": 0x4017, "jmp _x": 0x4007, "jmp 3": 0x4003, "jmp #3": 0x5003,
		"jf loop+4": 0x6027, "jf _x": 0x6007, "jf 3+2": 0x6013, "jf #3": 0x7003,
	} {
		if res, err := x.p.Parse(text); err != nil || res.Inst.Bits != bits.Of(want) {
			t.Errorf("%s is %s, %v, expected %04x", text, res.Inst.Bits, err, want)
		}
	}
}
