package isa_test

import (
	"fmt"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// TestTypes prints a field and a derived field of each type by the rules of isaspec.
func TestTypes(t *testing.T) {
	const field, derived = `<field name="F" low="0" high="%d" type="%s" %s/>`, `<field name="X" low="0" high="%d" type="uint"/><derived name="F" type="%s" %s><expr>{X}</expr></derived>`
	for _, x := range []struct {
		name, form string
		high       int
		typ, attrs string
		rows       []row
	}{
		{"int", field, 3, "int", "", []row{{0, "[0]", ""}, {7, "[7]", ""}, {8, "[-8]", ""}, {15, "[-1]", ""}}},
		{"int of 64 bits", field, 63, "int", "", []row{{1 << 63, "[-9223372036854775808]", ""}, {1<<63 - 1, "[9223372036854775807]", ""}}},
		{"derived int without width is one bit", derived, 3, "int", "", []row{{3, "[-1]", ""}, {2, "[0]", ""}}},
		{"derived int", derived, 3, "int", `width="3"`, []row{{3, "[3]", ""}, {4, "[-4]", ""}, {12, "[-4]", ""}}},
		{"uint", field, 3, "uint", "", []row{{0, "[0]", ""}, {15, "[15]", ""}}},
		{"uint of 64 bits", field, 63, "uint", "", []row{{1<<64 - 1, "[18446744073709551615]", ""}}},
		{"derived uint prints beyond its width", derived, 7, "uint", `width="2"`, []row{{255, "[255]", ""}}},
		{"hex", field, 15, "hex", "", []row{{0, "[0]", ""}, {0xabc, "[abc]", ""}}},
		{"offset", field, 3, "offset", "", []row{{0, "[]", ""}, {1, "[+1]", ""}, {8, "[-8]", ""}}},
		{"uoffset", field, 3, "uoffset", "", []row{{0, "[]", ""}, {1, "[+1]", ""}, {8, "[+8]", ""}}},
		{"half", field, 15, "float", "", []row{
			{0x3c00, "[1.000000]", ""}, {0xc000, "[-2.000000]", ""}, {0x8000, "[-0.000000]", ""}, {0x7bff, "[65504.000000]", ""},
			{0x3555, "[0.333252]", ""}, // 1365/1024 / 4
			{0x0001, "[0.000000]", ""}, // 2^-24
			{0x7c00, "[inf]", ""}, {0xfc00, "[-inf]", ""}, {0x7e00, "[nan]", ""}, {0x7c01, "[nan]", ""}, {0xfe00, "[-nan]", ""},
		}},
		{"single", field, 31, "float", "", []row{
			{0x3fc00000, "[1.500000]", ""}, {0x3dcccccd, "[0.100000]", ""}, {0x80000000, "[-0.000000]", ""}, {0x4b800000, "[16777216.000000]", ""},
			{0x00000001, "[0.000000]", ""}, {0x7f800000, "[inf]", ""}, {0xff800000, "[-inf]", ""}, {0x7fc00000, "[nan]", ""}, {0xff800001, "[-nan]", ""},
		}},
		{"bool", field, 1, "bool", "", []row{{0, "[0]", ""}, {1, "[1]", ""}, {3, "[3]", ""}}},
		{"bool with display", field, 1, "bool", `display=" (sy) "`, []row{{0, "[]", ""}, {1, "[(sy)]", ""}, {2, "[(sy)]", ""}}},
		{"bool with an empty display", field, 1, "bool", `display=""`, []row{{0, "[]", ""}, {1, "[]", ""}}},
		{"bool_inv", field, 1, "bool_inv", "", []row{{0, "[1]", ""}, {1, "[0]", ""}, {2, "[0]", ""}}},
		{"bool_inv with display", field, 1, "bool_inv", `display="!"`, []row{{0, "[!]", ""}, {1, "[]", ""}, {2, "[]", ""}}},
		{"derived bool", derived, 3, "bool", `display="y"`, []row{{0, "[]", ""}, {8, "[y]", ""}}},
		{"enum", field, 3, "#e", "", []row{{0, "[zero]", ""}, {1, "[]", ""}, {2, "[2]", ""}, {3, "[first]", ""}, {15, "[15]", ""}}},
		{"derived enum", derived, 3, "#e", `width="4"`, []row{{0, "[zero]", ""}, {9, "[9]", ""}}},
		{"branch", field, 3, "branch", "", []row{{7, "[7]", ""}, {8, "[-8]", ""}}},
		{"absbranch is signed in isaspec", field, 3, "absbranch", "", []row{{7, "[7]", ""}, {8, "[-8]", ""}}},
		{"custom without a hook", field, 3, "custom", "", []row{{7, "[7]", ""}, {15, "[15]", ""}}},
		{"bitset", field, 3, "#b", "", []row{
			{0, "[low 0]", ""}, {5, "[low 5]", ""},
			{8, "[]", "no match: FIELD: '#instruction.F': 00000008"},
			{12, "[high]", ""}, {14, "[high]", "dontcare bits in #b-high: 00000002"},
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := plain(t, `
				<enum name="#e"><value val="0" display="zero"/><value val="1" display=""/><value val="3" display="first"/><value val="0x3" display="second"/></enum>
				<bitset name="#b" size="4"/>
				<bitset name="#b-low" extends="#b"><display>low {V}</display><pattern pos="3">0</pattern><field name="V" low="0" high="2" type="uint"/></bitset>
				<bitset name="#b-high" extends="#b"><display>high</display><pattern low="0" high="3">11xx</pattern></bitset>
				<bitset name="#instruction" size="64"><display>[{F}]</display>`+
				fmt.Sprintf(x.form, x.high, x.typ, x.attrs)+rest(x.high)+`</bitset>`)
			for _, r := range x.rows {
				if r.found != "" { // as many digits as the instruction has, here 64 bits
					r.found = r.found[:len(r.found)-8] + "00000000" + r.found[len(r.found)-8:]
				}
				check(t, d, []row{r})
			}
		})
	}
}

func rest(high int) string {
	if high == 63 {
		return ""
	}
	return fmt.Sprintf(`<field name="REST" low="%d" high="63" type="hex"/>`, high+1)
}

func TestHooks(t *testing.T) {
	d := strict(t, `<bitset name="#instruction" size="16"><display>{C} {R} {A}</display>
		<field name="C" low="0" high="3" type="custom"/><field name="R" low="4" high="7" type="branch" unit="4"/>
		<field name="A" low="8" high="11" type="absbranch" call="true"/><field name="S" low="12" high="15" type="uint"/></bitset>`)
	check(t, d, []row{{0xfaf5, "5 -1 10", ""}}) // absbranch is unsigned in strict descriptions
	d.Custom = func(dst []byte, field string, v uint64) []byte { return fmt.Appendf(dst, "<%s %d>", field, v) }
	d.Label = func(addr int64, call bool) (string, bool) { return fmt.Sprintf("L%d.%v", addr, call), addr != 76 }
	d.Addr = 80
	check(t, d, []row{{0xfaf5, "<C 5> -1 L160.true", ""}, {0xfae5, "<C 5> L72.false L160.true", ""}}) // 80 - 1*4, 80 - 2*4, 10*16
}

// TestCases checks which override determines a display and a field. The first override that holds wins.
// Overrides of the leaf come before overrides of its parents. Asserts are checked up to the override
// that wins.
func TestCases(t *testing.T) {
	d := plain(t, `
		<expr name="#a">{A}</expr>
		<bitset name="#instruction" size="8">
			<override expr="#a"><field name="F" low="4" high="7" type="hex"/><assert pos="6">0</assert></override>
			<override><expr>{B}</expr><display>b {F} {G}</display><derived name="G" type="uint" expr="#a"/></override>
			<override><expr>{B}</expr><display>never</display></override>
			<display>{NAME} {F} {G}</display>
			<field name="A" pos="0" type="bool"/>
			<field name="B" pos="1" type="bool"/>
			<field name="F" low="4" high="7" type="uint"/>
			<derived name="G" type="uint"><expr>7</expr></derived>
		</bitset>
		<bitset name="low" extends="#instruction"><pattern low="2" high="3">00</pattern></bitset>
		<bitset name="high" extends="#instruction" displayname="HIGH">
			<override><expr>{A} &amp;&amp; {B}</expr><display/></override>
			<pattern low="2" high="3">01</pattern>
		</bitset>
		<bitset name="last" extends="#instruction"><pattern low="2" high="3">10</pattern><display>last</display></bitset>`)
	check(t, d, []row{
		{0xf0, "low 15 7", ""},
		{0xb1, "low b 7", ""}, // A holds: F is hexadecimal, and the display is the default one
		// Bit 6 of the assert. Findings have 8 digits for each 32 bits of the instruction.
		{0xf1, "low f 7", "WARNING: unexpected bits[6:6] in #instruction: 00000001 vs 00000000"},
		{0xf2, "b 15 0", ""},
		{0xb3, "b b 1", ""},
		{0xf4, "HIGH 15 7", ""},
		{0xf6, "b 15 0", ""},
		{0xf7, "", ""}, // An empty display counts, so the parent's asserts are not checked.
		{0xf8, "last", ""},
		{0xf9, "last", ""},
	})
}

// TestScopes requires that a nested name resolves in the enclosing scope only if it is a parameter.
func TestScopes(t *testing.T) {
	const nested = `
		<bitset name="#r" size="4"><override><expr>{H}</expr><display>h{V}{Q}</display></override><display>r{V}{Q}</display>
			<field name="V" low="0" high="3" type="uint"/></bitset>
		<bitset name="#instruction" size="12"><display>{R} {S}</display>
			<field name="H" pos="7" type="bool"/>
			<field name="K" low="4" high="6" type="hex"/>
			<field name="R" low="0" high="3" type="#r"><param name="H"/><param name="K" as="Q"/></field>
			<field name="S" low="8" high="11" type="#r">%s</field>
		</bitset>`
	check(t, plain(t, fmt.Sprintf(nested, ``)), []row{
		{0x521, "r12 r5", "no field 'H', no field 'Q'"}, // without a parameter, a name does not resolve in the outer scope, and it reads 0
		{0x5a1, "h12 r5", "no field 'H', no field 'Q'"},
	})
	check(t, plain(t, fmt.Sprintf(nested, `<param name="K" as="H"/><param name="H" as="Q"/>`)), []row{
		{0x521, "r12 h50", ""}, // the outer field keeps its type
		{0x581, "h10 r51", ""},
	})
	check(t, strict(t, `
		<bitset name="#r" size="4"><override><expr>{H}</expr><display>h{V}{K}</display></override><display>r{V}{K}</display>
			<field name="V" low="0" high="3" type="uint"/></bitset>
		<bitset name="#instruction" size="8"><display>{S}</display>
			<field name="H" pos="7" type="bool"/><field name="K" low="4" high="6" type="hex"/>
			<field name="S" low="0" high="3" type="#r"><param name="*"/></field></bitset>`), []row{
		{0x21, "r12", ""}, {0xa1, "h12", ""},
	})
}

// TestSpeculation has a condition that uses a field that its own override defines.
func TestSpeculation(t *testing.T) {
	d := plain(t, `<bitset name="#instruction" size="4"><override><expr>{X} == 3</expr><display>three {X}</display><field name="X" low="2" high="3" type="uint"/></override>
		<display>other {X}</display><field name="X" low="0" high="1" type="uint"/><field name="Y" low="2" high="3" type="uint"/></bitset>`)
	check(t, d, []row{{0xd, "three 3", ""}, {0x7, "other 3", ""}, {0x3, "other 3", ""}})
}

func TestTemplates(t *testing.T) {
	for _, x := range []struct {
		name, display string
		strict        bool
		word          uint64
		text, found   string
	}{
		{"trimmed, inner blanks kept", "\n  a   {X}  ", false, 1, "a   1", ""},
		{"NAME", "{NAME}.{X}", true, 1, "op.1", ""},
		{"a prefix of NAME", "{N}{NA}{NAM}{}", false, 1, "opopopop", ""},
		{"no escape", "{{X}", false, 1, "", "no field '{X'"},
		{"an open brace", "a{X", false, 1, "a{X", ""},
		{"unknown field", "a{Q:align=5}b", false, 1, "ab", "no field 'Q'"},
		{"align", "a{X:align=4}b", true, 1, "a   1b", ""},
		{"align never cuts", "abcdef{X:align=4}b", true, 1, "abcdef1b", ""},
		{"align alone", "a{:align=4}b", true, 1, "a   b", ""},
		{"align counts characters", "\u00e9{:align=4}b", true, 1, "\u00e9   b", ""},
		{"optional blank", "{S? }op{ ?S} {X}", true, 1, "op 1", ""},
		{"optional blank shown", "{S? }op{ ?S} {X}", true, 9, "s op s 1", ""},
		{"a line break is one blank", "a\n\t\t b{X}", true, 1, "a b1", ""},
		{"isaspec keeps a line break", "a\n b{X}", false, 1, "a\n b1", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			load := plain
			if x.strict {
				load = strict
			}
			d := load(t, `<bitset name="#instruction" size="4"/><bitset name="op" extends="#instruction"><display>`+x.display+`</display>
				<field name="X" low="0" high="2" type="uint"/><field name="S" pos="3" type="bool" display="s"/></bitset>`)
			check(t, d, []row{{x.word, x.text, x.found}})
		})
	}
}

// TestLines prints a display of two lines. Columns count from the start of the line.
func TestLines(t *testing.T) {
	d := strict(t, `<bitset name="#instruction" size="4"><display>
			abc {X}
			d{:align=4}e
		</display><field name="X" low="0" high="3" type="uint"/></bitset>`)
	check(t, d, []row{{5, "abc 5 de", ""}}) // on one line, the text has already passed column 4
	d.Lines, d.Indent = true, "  "
	check(t, d, []row{{5, "abc 5\n  d e", ""}}) // the indentation counts
}

func TestSets(t *testing.T) {
	d := strict(t, `<bitset name="#instruction" size="4"><display>op{ ?O}</display>
		<set name="O" join=", "><field name="A" pos="0" type="bool" display="a"/><member name="C"/><field name="B" pos="1" type="bool" display="b"/></set>
		<field name="C" low="2" high="3" type="offset"/></bitset>`)
	check(t, d, []row{{0, "op", ""}, {1, "op a", ""}, {3, "op a, b", ""}, {7, "op a, +1, b", ""}, {0xe, "op -1, b", ""}})
}

func TestFindings(t *testing.T) {
	d := plain(t, `<bitset name="#instruction" size="40"><field name="F" low="0" high="7" type="hex"/></bitset>
		<bitset name="one" extends="#instruction" displayname="ONE"><display>{NAME} {F}</display><pattern low="8" high="39">1xxx0000000000000000000000000000</pattern></bitset>
		<bitset name="two" extends="#instruction"><display>two</display><pattern low="8" high="39">10000000000000000000000000000001</pattern></bitset>
		<bitset name="two-again" extends="#instruction" displayname="TWO"><display>two</display><pattern low="8" high="39">1000000000000000000000000000000x</pattern></bitset>
		<bitset name="mute" extends="#instruction"><pattern low="8" high="39">00000000000000000000000000000001</pattern></bitset>
		<bitset name="sure" extends="#instruction"><display>sure</display><pattern low="24" high="39">0000000000000001</pattern><assert low="8" high="23">0000000011110000</assert></bitset>`)
	check(t, d, []row{
		{0x8000000112, "unknown", "bitset conflict: two vs TWO"},
		{0xf000000012, "ONE 12", "dontcare bits in ONE: 0000007000000000"}, // two words of 8 digits
		{0x8000000012, "unknown", "bitset conflict: ONE vs TWO"},
		{0x0000000112, "", "mute: no display template"},
		{0x000100f012, "sure", ""},
		{0x000100f112, "sure", "WARNING: unexpected bits[8:23] in sure: 00000000000000f1 vs 00000000000000f0"},
		{0x0000000000, "unknown", ""},
	})
	// Bits above the instruction are ignored.
	if in, ok := d.Decode(bits.Of(0x000100f012).Or(bits.Range(40, 200))); !ok || in.Bits != bits.Of(0x000100f012) {
		t.Errorf("bits beyond the size are kept: %s", in.Bits)
	}
	_, _ = d.Decode(bits.Of(0x8000000112))
	if f := d.Findings(); len(f) != 1 || f[0].Kind != isa.Conflict {
		t.Errorf("findings %v, expected one conflict", f)
	}
}
