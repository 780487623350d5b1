package prove

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/isa"
)

// bigISA writes a description of 64 bits with 256 leaves in the manner of a GPU: groups with flags
// before the mnemonic, operands that depend on a flag outside, overrides for immediates and for the
// forms of a memory access, a condition, two generations. more goes between the leaves.
func bigISA(more string) string {
	var b strings.Builder
	b.WriteString(`<isa>
<enum name="#cond">
  <value val="0" display=""/><value val="1" display=".eq"/><value val="2" display=".ne"/><value val="3" display=".lt"/>
  <value val="4" display=".le"/><value val="5" display=".gt"/><value val="6" display=".ge"/><value val="7" display=".never"/>
</enum>
<enum name="#type">
  <value val="0" display="f16"/><value val="1" display="f32"/><value val="2" display="u16"/><value val="3" display="u32"/>
</enum>
<bitset name="#src" size="12"/>
<bitset name="#src-reg" extends="#src">
  <display>{ABS}{LAST}{HALF}r{NUM}.{COMP}</display>
  <pattern low="10" high="11">00</pattern>
  <field name="NUM" low="2" high="7" type="uint"/>
  <field name="COMP" low="0" high="1" type="#comp"/>
  <field name="ABS" pos="8" type="bool" display="(abs)"/>
  <field name="LAST" pos="9" type="bool" display="(last)"/>
</bitset>
<enum name="#comp"><value val="0" display="x"/><value val="1" display="y"/><value val="2" display="z"/><value val="3" display="w"/></enum>
<bitset name="#src-const" extends="#src">
  <display>{HALF}c{NUM}.{COMP}</display>
  <pattern low="10" high="11">01</pattern>
  <field name="NUM" low="2" high="9" type="uint"/>
  <field name="COMP" low="0" high="1" type="#comp"/>
</bitset>
<bitset name="#src-imm" extends="#src">
  <display>{HALF}#{IMM}</display>
  <pattern pos="11">1</pattern>
  <field name="IMM" low="0" high="10" type="int"/>
</bitset>
<bitset name="#instruction" size="64"/>
<bitset name="#all" extends="#instruction">
  <field name="SY" pos="63" type="bool" display="(sy)"/>
  <field name="SS" pos="62" type="bool" display="(ss)"/>
  <field name="REPEAT" low="60" high="61" type="#rpt"/>
</bitset>
<enum name="#rpt"><value val="0" display=""/><value val="1" display="(rpt1)"/><value val="2" display="(rpt2)"/><value val="3" display="(rpt3)"/></enum>
<bitset name="#alu" extends="#all">
  <display>{SY}{SS}{REPEAT}{NAME}{SAT}{COND} {DST_HALF}r{DST}, {SRC1}, {SRC2}</display>
  <field name="DST" low="0" high="7" type="uint"/>
  <field name="DST_HALF" pos="8" type="bool" display="h"/>
  <field name="FULL" pos="9" type="bool_inv" display="h"/>
  <field name="SRC1" low="10" high="21" type="#src"><param name="FULL" as="HALF"/></field>
  <field name="SRC2" low="22" high="33" type="#src"><param name="FULL" as="HALF"/></field>
  <field name="COND" low="34" high="36" type="#cond"/>
  <field name="SAT" pos="37" type="bool" display=".sat"/>
  <override><expr>{KIND} == 1</expr>
    <display>{SY}{SS}{REPEAT}{NAME}{SAT}{COND} p{DST}, {SRC1}, {SRC2}</display>
    <assert low="1" high="7">0000000</assert>
    <field name="DST" pos="0" type="uint"/>
  </override>
  <derived name="KIND" type="uint"><expr>{COND} == 7 &amp;&amp; {DST_HALF}</expr></derived>
  <pattern low="38" high="49">xxxxxxxxxxxx</pattern>
</bitset>
<bitset name="#mem" extends="#all">
  <display>{SY}{SS}{REPEAT}{NAME}.{TYPE} r{DST}, {SRC1}[{OFF}]</display>
  <field name="TYPE" low="0" high="1" type="#type"/>
  <field name="DST" low="2" high="9" type="uint"/>
  <field name="SRC1" low="10" high="21" type="#src"><param name="HALF_ADDR" as="HALF"/></field>
  <field name="HALF_ADDR" pos="22" type="bool" display="h"/>
  <field name="LOW" low="23" high="30" type="uint"/>
  <field name="HIGH" low="31" high="35" type="uint"/>
  <field name="DIRECT" pos="36" type="bool"/>
  <derived name="OFF" type="int" width="13"><expr>({HIGH} &lt;&lt; 8) | {LOW}</expr></derived>
  <override><expr>{DIRECT}</expr>
    <display>{SY}{SS}{REPEAT}{NAME}.{TYPE} r{DST}, {SRC1}+{OFF}, direct</display>
  </override>
  <pattern low="37" high="49">xxxxxxxxxxxxx</pattern>
</bitset>
`)
	for i := range 256 {
		group, gen := "#alu", ""
		if i%4 == 3 {
			group = "#mem"
		}
		if i%16 == 5 {
			gen = "<gen min=\"6\"/>"
		}
		fmt.Fprintf(&b, "<bitset name=\"op%d.%c\" extends=\"%s\">%s<pattern low=\"50\" high=\"59\">%010b</pattern></bitset>\n", i, 'a'+rune(i%7), group, gen, i)
		if i == 100 {
			b.WriteString(more)
		}
	}
	b.WriteString("</isa>\n")
	return b.String()
}

func checkBig(t testing.TB, more string) *Report {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{"big.xml": {Data: []byte(bigISA(more))}}, "big.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	r, err := Check(set, Options{Search: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// planted are defects, each of which the big description must be found to have.
var planted = []struct {
	code diag.Code
	text string
}{
	{diag.LeafOverlap, `<bitset name="overlap" extends="#alu"><pattern low="50" high="59">00000x1110</pattern></bitset>`},
	{diag.LeafNever, `<bitset name="late" extends="#alu"><gen min="9" max="8"/><pattern low="50" high="59">1000000001</pattern></bitset>`},
	{diag.OverrideNever, `<bitset name="never" extends="#alu"><pattern low="50" high="59">1000000010</pattern>
<override><expr>{DST} + {COND} == 263</expr><display>{NAME}</display></override></bitset>`},
	{diag.OverrideAlways, `<bitset name="always" extends="#alu"><pattern low="50" high="59">1000000011</pattern>
<override><expr>{DST} + {COND} &lt; 263</expr><derived name="KIND" type="uint"><expr>0</expr></derived></override></bitset>`},
	{diag.HiddenBits, `<bitset name="hidden" extends="#alu"><pattern low="50" high="59">1000000100</pattern>
<display>{SY}{SS}{REPEAT}{NAME}{COND} {DST_HALF}r{DST}, {SRC1}, {SRC2}</display></bitset>`},
	{diag.SameText, `<bitset name="same" extends="#alu" displayname="op8.b"><pattern low="50" high="59">1000000101</pattern></bitset>`},
	{diag.Unresolved, `<bitset name="nowhere" extends="#alu"><pattern low="50" high="59">1000000110</pattern>
<display>{SY}{SS}{REPEAT}{NAME}{SAT}{COND} {DST_HALF}r{DST}, {SRC1}, {SRC2}, {SRC3}</display></bitset>`},
	{diag.ExprUndefined, `<bitset name="shift" extends="#alu"><pattern low="50" high="59">1000000111</pattern>
<override><expr>(1u &lt;&lt; {DST}) == 4</expr><display>{SY}{SS}{REPEAT}{NAME}{SAT}{COND} {DST_HALF}r{DST} {SRC1} {SRC2}</display></override></bitset>`},
	{diag.AssertNever, `<bitset name="assert" extends="#alu"><pattern low="50" high="59">1000001000</pattern>
<override><expr>{COND} == 6</expr><assert pos="34">1</assert></override></bitset>`},
	{diag.FieldUnused, `<bitset name="unused" extends="#alu"><pattern low="50" high="59">1000001001</pattern>
<derived name="UNUSED" type="uint"><expr>{DST}</expr></derived></bitset>`},
}

func TestBig(t *testing.T) {
	t.Parallel()
	r := checkBig(t, "")
	for _, f := range r.Findings {
		if f.Code != diag.UnmatchedWords {
			t.Errorf("the big description: %s", f.Explain())
		}
	}
	for _, c := range r.Claims {
		if !c.Proved {
			t.Errorf("the big description: %s", c.Text)
		}
	}
}

func TestBigPlanted(t *testing.T) {
	t.Parallel()
	var all []string
	for _, p := range planted {
		all = append(all, p.text)
	}
	source := bigISA(strings.Join(all, "\n"))
	set, err := isa.Load(fstest.MapFS{"big.xml": {Data: []byte(source)}}, "big.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	r, err := Check(set, Options{Gens: []uint32{6}, Search: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Findings {
		verify(t, set, &r.Findings[i])
	}
	for _, p := range planted {
		from, _ := diag.Span{Src: &diag.Source{Text: source}, Off: strings.Index(source, p.text)}.LineCol()
		to := from + strings.Count(p.text, "\n")
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == p.code && within(&f, from, to) }) {
			t.Errorf("%s is not found in %s", p.code, p.text)
		}
	}
}

// within tells whether a finding is in some lines, or one that takes part in it is.
func within(f *Finding, from, to int) bool {
	spans := []diag.Span{f.Span}
	for _, n := range f.Notes {
		spans = append(spans, n.Span)
	}
	for _, s := range spans {
		if line, _ := s.LineCol(); from <= line && line <= to {
			return true
		}
	}
	return false
}

func BenchmarkBig(b *testing.B) {
	for b.Loop() {
		checkBig(b, "")
	}
}
