package asm_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
)

// errorXML is the description for the rows of diagnoses.
const errorXML = `
	<text comment=";"/>
	<enum name="#cond"><value val="0" display="eq"/><value val="1" display="ne"/><value val="2" display="lt"/><value val="20" display="big"/></enum>
	<enum name="#a"><value val="0" display=""/><value val="1" display="a"/></enum>
	<enum name="#many">
		<value val="0" display="a0"/><value val="1" display="a1"/><value val="2" display="a2"/><value val="3" display="a3"/>
		<value val="4" display="a4"/><value val="5" display="a5"/><value val="6" display="a6"/><value val="7" display="a7"/>
		<value val="8" display="a8"/><value val="9" display="a9"/><value val="10" display="b0"/><value val="11" display="b1"/>
	</enum>
	<bitset name="#opd" size="8"><display>{M}.{S}</display>
		<field name="M" low="0" high="3" type="uint"/><field name="S" low="4" high="7" type="uint"/></bitset>
	<bitset name="#reg" size="4"><display>r{N}</display><field name="N" low="0" high="3" type="uint"/></bitset>
	<table name="opd" type="#opd" size="2"/>
	<bitset name="#instruction" size="128"/>
	<bitset name="mov" extends="#instruction"><display>mov r{D}, {V}</display>
		<pattern low="120" high="127">00000000</pattern><field name="D" low="8" high="11" type="uint"/><field name="V" low="0" high="7" type="int"/>
		<field name="REST" low="12" high="119" type="hex"/></bitset>
	<bitset name="add" extends="#instruction"><display>add {D}, {D}, {A}</display>
		<pattern low="120" high="127">00000001</pattern><field name="D" low="8" high="11" type="#reg"/><field name="A" low="4" high="7" type="#reg"/>
		<pattern low="0" high="3">0000</pattern><field name="REST" low="12" high="119" type="hex"/></bitset>
	<bitset name="br" extends="#instruction"><display>br.{C} {T}</display>
		<pattern low="120" high="127">00000010</pattern><field name="C" low="8" high="11" type="#cond"/><field name="T" low="0" high="7" type="branch"/>
		<field name="REST" low="12" high="119" type="hex"/></bitset>
	<bitset name="sel" extends="#instruction"><display>sel {M}</display>
		<pattern low="120" high="127">00000011</pattern><field name="M" low="0" high="3" type="#many"/><field name="REST" low="4" high="119" type="hex"/></bitset>
	<bitset name="end" extends="#instruction">
		<override expr="{N} != 0"><display>(nop{N})end</display></override><display>end</display>
		<pattern low="120" high="127">00000100</pattern><field name="N" low="0" high="7" type="uint"/><field name="REST" low="8" high="119" type="hex"/></bitset>
	<bitset name="tab" extends="#instruction"><display>tab {D.M}</display>
		<pattern low="120" high="127">00000101</pattern><field name="D" low="0" high="7" type="#opd" table="opd"/><field name="REST" low="8" high="119" type="hex"/></bitset>
	<bitset name="flt" extends="#instruction"><display>flt {B}, {F}</display>
		<pattern low="120" high="127">00000110</pattern><field name="F" low="0" high="15" type="float"/><field name="B" pos="16" type="bool"/>
		<field name="REST" low="17" high="119" type="hex"/></bitset>
	<bitset name="wide" extends="#instruction"><display>wide {W}</display>
		<pattern low="120" high="127">00000111</pattern><field name="W" low="0" high="99" type="hex"/><field name="REST" low="100" high="119" type="hex"/></bitset>
	<bitset name="sum" extends="#instruction"><override expr="{D} * {E} == 37"><display>sum {F}</display></override><display>sum</display>
		<pattern low="120" high="127">00001000</pattern><field name="D" low="0" high="3" type="uint"/><field name="E" low="4" high="7" type="uint"/>
		<field name="F" low="8" high="11" type="uint"/><field name="REST" low="12" high="119" type="hex"/></bitset>
	<bitset name="many" extends="#instruction">
		<display>many {A0}{A1}{A2}{A3}{A4}{A5}{A6}{A7}{A8}{A9}{A10}{A11}{A12}{A13}{A14}{A15}{A16}{A17}{A18}{A19}{A20}{A21}{A22}{A23}</display>
		<pattern low="120" high="127">00001001</pattern><field name="REST" low="24" high="119" type="hex"/>
		<field name="A0" pos="0" type="#a"/><field name="A1" pos="1" type="#a"/><field name="A2" pos="2" type="#a"/><field name="A3" pos="3" type="#a"/><field name="A4" pos="4" type="#a"/><field name="A5" pos="5" type="#a"/><field name="A6" pos="6" type="#a"/><field name="A7" pos="7" type="#a"/><field name="A8" pos="8" type="#a"/><field name="A9" pos="9" type="#a"/><field name="A10" pos="10" type="#a"/><field name="A11" pos="11" type="#a"/><field name="A12" pos="12" type="#a"/><field name="A13" pos="13" type="#a"/><field name="A14" pos="14" type="#a"/><field name="A15" pos="15" type="#a"/><field name="A16" pos="16" type="#a"/><field name="A17" pos="17" type="#a"/><field name="A18" pos="18" type="#a"/><field name="A19" pos="19" type="#a"/><field name="A20" pos="20" type="#a"/><field name="A21" pos="21" type="#a"/><field name="A22" pos="22" type="#a"/><field name="A23" pos="23" type="#a"/></bitset>
	<bitset name="seven" extends="#instruction"><display>seven {D0.M} {D1.M} {D2.M} {D3.M} {D4.M} {D5.M} {D6.M}</display>
		<pattern low="120" high="127">00001010</pattern><field name="REST" low="7" high="119" type="hex"/>
		<field name="D0" pos="0" type="#opd" table="opd"/><field name="D1" pos="1" type="#opd" table="opd"/><field name="D2" pos="2" type="#opd" table="opd"/><field name="D3" pos="3" type="#opd" table="opd"/><field name="D4" pos="4" type="#opd" table="opd"/><field name="D5" pos="5" type="#opd" table="opd"/><field name="D6" pos="6" type="#opd" table="opd"/></bitset>
`

// diagnoses has a row for each kind of error: the offsets in bytes, the code and the message.
var diagnoses = []struct {
	text     string
	off, end int
	code     string
	msg      string
}{
	{"", 0, 0, "text-expected", `nothing, expected an instruction`},
	{" ; add r1, r1, r1", 0, 0, "text-expected", `nothing, expected an instruction`},
	{"mv r1, 2", 0, 2, "text-unknown", `no instruction starts with "mv"; did you mean mov?`},
	{"xyzzy 1", 0, 5, "text-unknown", `no instruction starts with "xyzzy"`},
	{"MOV r1, 2", 0, 3, "text-unknown", `no instruction starts with "MOV"; did you mean mov?`},

	{"mov", 3, 4, "text-expected", `the line ends here, expected "r"`},
	{"mov r", 5, 6, "text-expected", `the line ends here, expected a number for D (0 to 15)`},
	{"mov r1 2", 7, 8, "text-expected", `"2", expected ","`},
	{"mov r1, x", 8, 9, "text-expected", `"x", expected a number for V (-128 to 127)`},
	{"  mov\tr1 ,  x", 12, 13, "text-expected", `"x", expected a number for V (-128 to 127)`}, // the offsets count blanks as written
	{"mov r1, 2 3", 10, 11, "text-expected", `"3", expected the end of the instruction`},
	{"mov x1, 2", 4, 6, "text-expected", `"x1", expected "r"`},
	{"mov中", 3, 4, "text-expected", `"中", expected a blank`},
	{"movr1, 2", 3, 5, "text-expected", `"movr1", expected a blank after "mov"`},
	{"br.xx 1", 3, 5, "text-expected", `"xx", expected "big", "eq", "lt" or "ne"`},
	{"br.eq", 5, 6, "text-expected", `the line ends here, expected a label or a number`},
	{"sel c1", 4, 6, "text-expected", `"c1", expected one of a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 2 more`},
	{"flt 1, x", 7, 8, "text-expected", `"x", expected a number for F (-65504 to 65504, inf or nan)`},
	{"wide x", 5, 6, "text-expected", `"x", expected a number for W (a number of 100 bits)`},

	{"mov r16, 2", 5, 7, "text-range", `16 does not fit D, expected 0 to 15`},
	{"mov r1, 256", 8, 11, "text-range", `256 does not fit V, expected -128 to 127`},
	{"mov r1, 0x100", 8, 13, "text-range", `0x100 does not fit V, expected -0x80 to 0x7f`},
	{"mov r1, 200", 8, 11, "text-range", `200 does not fit V, expected -128 to 127`},
	{"flt 1, 70000.0", 7, 14, "text-range", `70000.0 does not fit F, expected -65504 to 65504, inf or nan`},
	{"mov r1, -129", 8, 9, "text-range", `-129 does not fit V, expected -128 to 127`},
	{"wide 10000000000000000000000000", 5, 31, "text-range", `10000000000000000000000000 does not fit W, expected a number of 100 bits`},
	{"br.big 1", 3, 6, "text-range", `20 does not fit the 4 bits of C`},
	{"br.eq far", 6, 9, "text-range", `label far is 1000 away, expected -128 to 127`},
	{"br.eq odd", 6, 9, "text-symbol", `label odd is not at a multiple of 128 bits`},
	{"br.eq nowhere", 6, 13, "text-symbol", `nowhere is not a label`},

	{"add r1, r2, r3", 9, 10, "text-conflict", `bits 8..11 would have to be 0x1 by "1" at column 6 and 0x2 by "2"`},
	{"  add r1 ,\t r2, r3", 13, 14, "text-conflict", `bits 8..11 would have to be 0x1 by "1" at column 8 and 0x2 by "2"`},
	{"(nop0)end", 9, 10, "text-condition", `"0" at column 5 conflicts with the rest of the text, expected 1 to 255`},
	{"sum 3", 5, 6, "text-condition", `no instruction has this text`},

	{"mov r1, 2 {}", 11, 11, "text-suffix", `"", expected FIELD=VALUE, FIELD@ENTRY or LOW..HIGH=VALUE`},
	{"mov r1, 2 {=1}", 11, 13, "text-suffix", `"=1", expected FIELD=VALUE, FIELD@ENTRY or LOW..HIGH=VALUE`},
	{"mov r1, 2 {D=}", 11, 13, "text-suffix", `"" is not a value`},
	{"mov r1, 2 {D=x}", 11, 14, "text-suffix", `"x" is not a value`},
	{"mov r1, 2 {D=2, X=1}", 16, 19, "text-suffix", `this instruction has no field "X"`},
	{"mov r1, 2 {D=16}", 11, 15, "text-suffix", `0x10 does not fit the 4 bits of D`},
	{"mov r1, 2 {8..4=1}", 11, 17, "text-suffix", `"8..4", expected bits such as 44..50`},
	{"mov r1, 2 {4..5=7}", 11, 17, "text-suffix", `0x7 does not fit 2 bits`},
	{"mov r1, 2 {128=1}", 11, 16, "text-suffix", `bit 128, but the instruction has 128 bits`},
	{"mov r1, 2 {D@1}", 11, 14, "text-suffix", `mov has no table entry D`},
	{"mov r1, 2 {D.4..5=1}", 11, 19, "text-suffix", `D is not a table entry, expected FIELD=VALUE or LOW..HIGH=VALUE`},
	{"tab 1 {D@x}", 7, 10, "text-suffix", `"x", expected the number of a table entry after @`},
	{"tab 1 {D.S=16}", 7, 13, "text-suffix", `0x10 does not fit the 4 bits of D.S`},
	{"tab 1 {D.6..8=1}", 7, 15, "text-suffix", `bit 8, but the entry has 8 bits`},
	{"tab 1 {@x=1}", 7, 11, "text-suffix", `unknown context "x", or its value is too large`},

	{"tab 1 {D@256}", 7, 12, "table-full", `opd: entry 256 does not fit D of 8 bits`},

	{"many aaaaaaaaaaa!", 0, 17, "text-ambiguous", `too many possible parses of this line`},
	{"seven 1 1 1 1 1 1 1", 18, 19, "text-ambiguous", `more than 8 operands in addition to the word`},
	{strings.Repeat(" ", 65537), 0, 0, "xml-limit", `line longer than 65536 bytes`},
}

func TestDiagnoses(t *testing.T) {
	x := toolsFor(t, load(t, errorXML))
	addresses := map[string]int64{"here": 0, "odd": 8, "far": 128 * 1000}
	x.p.Symbol = func(name string) (int64, bool) {
		addr, ok := addresses[name]
		return addr, ok
	}
	seen := map[string]bool{}
	for _, d := range diagnoses {
		_, err := x.p.Parse(d.text)
		var e *asm.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: error %v, expected %s", d.text, err, d.code)
			continue
		}
		seen[string(e.Code)] = true
		if string(e.Code) != d.code || e.Off != d.off || e.End != d.end || e.Msg != d.msg {
			t.Errorf("%.60q\n got %d..%d %s: %s\nwant %d..%d %s: %s", d.text, e.Off, e.End, e.Code, e.Msg, d.off, d.end, d.code, d.msg)
		}
	}
	for _, code := range codesUsed(t) {
		if !seen[code] {
			t.Errorf("no row is a %s", code)
		}
	}
}

// codesUsed lists the codes in the source of the package.
func codesUsed(t *testing.T) []string {
	t.Helper()
	names := regexp.MustCompile(`(\w+) +Code = "([a-z-]+)"`)
	source, err := os.ReadFile("../diag/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]string{}
	for _, m := range names.FindAllStringSubmatch(string(source), -1) {
		codes[m[1]] = m[2]
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var used []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`diag\.(\w+)`).FindAllStringSubmatch(string(source), -1) {
			if code := codes[m[1]]; code != "" && !slices.Contains(used, code) {
				used = append(used, code)
			}
		}
	}
	if len(used) < 8 {
		t.Fatalf("only the codes %s were found", used)
	}
	return used
}

// TestComputedEnumIsNoNumber checks that a number is not parsed as a computed enum whose text is empty, but as the item
// before the enum.
func TestComputedEnumIsNoNumber(t *testing.T) {
	x := toolsFor(t, load(t, `
<enum name="#index"><value val="0" display="" name="none"/><value val="1" display="[a]"/></enum>
<bitset name="#i" size="8"/>
<bitset name="mov" extends="#i">
  <display>mov r{N}{IDX}</display>
  <pattern low="6" high="7">00</pattern>
  <field name="N" low="0" high="3" type="uint"/>
  <field name="REL" pos="4" type="bool"/>
  <pattern pos="5">x</pattern>
  <derived name="IDX" type="#index"><expr>{REL} ? 1 : 0</expr></derived>
</bitset>`))
	if res, err := x.p.Parse("mov r10[a]"); err != nil || res.Inst.Bits != bits.Of(0x1a) {
		t.Errorf("mov r10[a] is %s, %v", res.Inst.Bits, err)
	}
	for _, text := range []string{"mov r100", "mov r101", "mov r150", "mov r10 0"} {
		res, err := x.p.Parse(text)
		var e *asm.Error
		if !errors.As(err, &e) {
			t.Errorf("%s is %s, %v", text, res.Inst.Bits, err)
		}
	}
}

// TestConflictBits checks that the error for a conflict contains the bits of the word.
func TestConflictBits(t *testing.T) {
	x := toolsFor(t, load(t, errorXML))
	_, err := x.p.Parse("add r1, r2, r3")
	var e *asm.Error
	if !errors.As(err, &e) || e.Bits != bits.Range(8, 4) {
		t.Errorf("%v", err)
	}
	if _, err = x.p.Parse("mov r16, 2"); !errors.As(err, &e) || e.Bits != (bits.Value{}) {
		t.Errorf("%v", err)
	}
}

// TestDocumentedErrors checks that errors about bits and computed values quote the documentation of a field that all
// instructions have.
func TestDocumentedErrors(t *testing.T) {
	x := toolsFor(t, load(t, `
<bitset name="#i" size="16">
  <field name="A" low="0" high="3" type="uint"><doc>The register
  that both operands share. And more.</doc></field>
  <field name="S" pos="4" type="bool" display=".s"/>
  <field name="FLAG" pos="5" type="bool"><doc>It is set.</doc></field>
</bitset>
<bitset name="add" extends="#i">
  <display>add{S} r{A}, r{A}</display>
  <pattern low="6" high="7">00</pattern>
  <field name="OWN" low="8" high="15" type="uint"><doc>Not of all.</doc></field>
</bitset>
<bitset name="own" extends="#i">
  <display>own {OWN}, {OWN}</display>
  <pattern low="6" high="7">01</pattern>
  <field name="OWN" low="8" high="15" type="uint"><doc>Not of all.</doc></field>
</bitset>
<bitset name="twice" extends="#i">
  <display>twice {D}</display>
  <pattern low="6" high="7">10</pattern>
  <pattern low="8" high="15">00000000</pattern>
  <derived name="D" type="uint" width="8"><doc>Twice the register.</doc><expr>{A} * 2</expr></derived>
</bitset>
<bitset name="if" extends="#i">
  <display>if {X} {Y}</display>
  <pattern low="6" high="7">11</pattern>
  <pattern low="10" high="15">000000</pattern>
  <field name="X" pos="8" type="#n"><param name="FLAG"/></field>
  <field name="Y" pos="9" type="#n"><param name="FLAG"/></field>
</bitset>
<bitset name="#n" size="1">
  <override expr="{FLAG}"><display>on{N}</display></override>
  <display>off{N}</display>
  <field name="N" pos="0" type="uint"/>
</bitset>`))
	for text, want := range map[string]string{
		"add r1, r2":  `bits 0..3 would have to be 0x1 by "1" at column 6 and 0x2 by "2" (A: The register that both operands share)`,
		"own 1, 2":    `bits 8..15 would have to be 0x1 by "1" at column 5 and 0x2 by "2"`,
		"twice 3":     `3 does not fit D, expected 0 to 30 in steps of 2, the nearest is 2 (Twice the register)`,
		"if on1 off1": `no instruction has this text (FLAG: It is set)`,
	} {
		_, err := x.p.Parse(text)
		var e *asm.Error
		if !errors.As(err, &e) || e.Msg != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestConflictNamesGiver checks that the error for a conflict quotes the text that set the bits, not another field that
// overlaps them.
func TestConflictNamesGiver(t *testing.T) {
	x := toolsFor(t, load(t, `
<bitset name="#i" size="16">
  <override expr="{WIDE}"><field name="B" low="0" high="7" type="hex"/></override>
  <display>mix{WIDE} {A}, {B}, {A}</display>
  <field name="WIDE" pos="15" type="bool" display=".wide"/>
  <field name="A" low="0" high="3" type="uint"/>
  <field name="B" low="8" high="14" type="hex"/>
  <pattern low="4" high="7">xxxx</pattern>
</bitset>`))
	_, err := x.p.Parse("mix.wide 1, 0x21, 2")
	var e *asm.Error
	if want := `bits 0..3 would have to be 0x1 by "1" at column 10 and 0x2 by "2"`; !errors.As(err, &e) || e.Msg != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestBitInTwoPlaces computes a value that contains a bit twice.
func TestBitInTwoPlaces(t *testing.T) {
	x := toolsFor(t, load(t, `
<bitset name="#i" size="8">
  <display>twice {D}</display>
  <field name="A" low="0" high="3" type="uint"/>
  <pattern low="4" high="7">0000</pattern>
  <derived name="D" type="hex" width="8"><expr>{A} | {A} &lt;&lt; 4</expr></derived>
</bitset>`))
	if r, err := x.p.Parse("twice 0x66"); err != nil || r.Inst.Bits != bits.Of(6) {
		t.Errorf("0x66 gives %v, %v, expected 6", r.Inst.Bits, err)
	}
	if r, err := x.p.Parse("twice 0x67"); err == nil {
		t.Errorf("0x67 gives %v, expected an error: its halves differ", r.Inst.Bits)
	}
}

// TestOutputsAreNotRead checks the error for an output in place of a source operand. An output in place of another
// operand is only unexpected, and a name that only starts like an output is not an output.
func TestOutputsAreNotRead(t *testing.T) {
	x := toolsFor(t, load(t, `
		<file name="r" type="u32" count="4" use="temporary"/>
		<file name="out" type="u32" count="4" use="output"/>
		<bitset name="#r" size="2"><display>r{N}</display><field name="N" low="0" high="1" type="uint"/><reg file="r" index="{N}"/></bitset>
		<bitset name="#o" size="2"><display>out{N}</display><field name="N" low="0" high="1" type="uint"/><reg file="out" index="{N}"/></bitset>
		<bitset name="#instruction" size="8"/>
		<bitset name="add" extends="#instruction"><display>{NAME} {D}, {A}, {B}</display><pattern low="6" high="7">00</pattern>
			<field name="D" low="0" high="1" type="#o" role="write"/><field name="A" low="2" high="3" type="#r" role="read"/><field name="B" low="4" high="5" type="#r" role="read"/></bitset>
		<bitset name="put" extends="#instruction"><display>{NAME} {D}, {A}</display><pattern low="4" high="7">0100</pattern>
			<field name="D" low="0" high="1" type="#r" role="write"/><field name="A" low="2" high="3" type="#r" role="read"/></bitset>`))
	for text, want := range map[string]string{
		"add out0, out1, r2":   `"out1", expected "r": outputs cannot be read`,
		"add out0, r1, out3":   `"out3", expected "r": outputs cannot be read`,
		"add out0, out1, out2": `"out1", expected "r": outputs cannot be read`,
		"put out0, r1":         `"out0", expected "r"`,
		"put r0, out":          `"out", expected "r"`,
		"put r0, output":       `"output", expected "r"`,
		"put r0, out1":         `"out1", expected "r": outputs cannot be read`,
		"add r0, r1, r2":       `"r0", expected "out"`,
	} {
		_, err := x.p.Parse(text)
		if e, ok := err.(*asm.Error); !ok || e.Msg != want {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}
