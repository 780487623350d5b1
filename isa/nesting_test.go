package isa_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/isa/mesa"
)

// TestEndlessOperands has operands that contain themselves, and operands whose number doubles at each
// level. Printing them must end quickly, with a finding. The same applies to the printer with Mesa's
// rules. Mesa's tools recurse until their stack overflows.
func TestEndlessOperands(t *testing.T) {
	var doubling strings.Builder // 2 to the 22nd operands
	for i := range 22 {
		fmt.Fprintf(&doubling, `<bitset name="#b%d" size="32"><display>{X}{X}</display><field name="X" low="0" high="31" type="#b%d"/></bitset>`, i, i+1)
	}
	doubling.WriteString(`<bitset name="#b22" size="32"><display>!</display><field name="V" low="0" high="31" type="uint"/></bitset>`)
	for _, x := range []struct{ name, body, root, found string }{
		{"itself", `<bitset name="#instruction" size="32"><display>({X}{X}{X})</display><field name="X" low="0" high="31" type="#instruction"/></bitset>`,
			"", "operands nested more than 24 deep in X"},
		{"each other", `<bitset name="#b" size="32"><display>b {A}</display><field name="A" low="0" high="31" type="#instruction"/></bitset>
			<bitset name="#instruction" size="32"><display>a {B}, {B}</display><field name="B" low="0" high="31" type="#b"/></bitset>`,
			"", "operands nested more than 24 deep in"},
		{"doubling", doubling.String(), "#b0", "more than 4096 operands in X"},
		{"with names handed in", `<bitset name="#instruction" size="32"><display>({X}{X}{D})</display><field name="X" low="0" high="31" type="#instruction"><param name="D"/></field>
			<derived name="D" type="uint" width="32"><expr>{X} + 1</expr></derived></bitset>`,
			"", "operands nested more than 24 deep in X"},
	} {
		s := loadXML(t, `<isa>`+x.body+`</isa>`, isa.Options{})
		start := time.Now()
		d, err := s.NewDecoder(x.root)
		if err != nil {
			t.Fatal(err)
		}
		in, ok := d.Decode(bits.Of(5))
		if !ok {
			t.Fatalf("%s: no instruction", x.name)
		}
		text := d.Append(nil, in)
		if f := d.Findings(); len(f) != 1 || !strings.HasPrefix(f[0].Text, x.found) || f[0].Kind != isa.TooDeep {
			t.Errorf("%s: findings %v, expected %q", x.name, f, x.found)
		}
		if len(text) > 1<<16 || len(d.Fields(nil, in)) > 1<<13 {
			t.Errorf("%s: %d bytes of text, %d fields", x.name, len(text), len(d.Fields(nil, in)))
		}
		m, err := mesa.New(s, x.root)
		if err != nil {
			t.Fatal(err)
		}
		m.Append(nil, bits.Of(5))
		if found := m.Findings(); x.name != "doubling" && (len(found) != 1 || !strings.HasPrefix(found[0], x.found)) {
			t.Errorf("%s: as Mesa: findings %v, expected %q", x.name, found, x.found)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %v", x.name, took)
		}
	}
}

// TestMesaConditionsOfEachOther requires a limit on the evaluation of mutually dependent conditions.
func TestMesaConditionsOfEachOther(t *testing.T) {
	var body strings.Builder
	const n = 40
	body.WriteString(`<bitset name="#instruction" size="32"><display>{D0}</display><field name="A" low="0" high="31" type="uint"/>`)
	for i := range n {
		fmt.Fprintf(&body, `<override><expr>{D%d} + {D%d}</expr><derived name="D%d" type="uint" width="32"><expr>{D%d} + {A}</expr></derived></override>`,
			(i+1)%n, (i+7)%n, i, (i+3)%n)
	}
	body.WriteString(`</bitset>`)
	s := loadXML(t, `<isa>`+body.String()+`</isa>`, isa.Options{})
	m, err := mesa.New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	m.Append(nil, bits.Of(5))
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestDoublingExpressions has expressions that each use another one twice. Each must be evaluated once.
func TestDoublingExpressions(t *testing.T) {
	var plainly, under strings.Builder
	const n = 60
	plainly.WriteString(`<bitset name="#instruction" size="64"><display>{NAME} {D0}</display><field name="A" low="0" high="63" type="uint"/>`)
	under.WriteString(plainly.String())
	for i := range n {
		fmt.Fprintf(&plainly, `<derived name="D%d" type="uint" width="64"><expr>({D%d} + {D%d}) / 2</expr></derived>`, i, i+1, i+1)
		fmt.Fprintf(&under, `<override><expr>{D%d} + 1 &gt; {D%d}</expr><derived name="D%d" type="uint" width="64"><expr>({D%d} + {D%d}) / 2</expr></derived></override>
			<derived name="D%d" type="uint" width="64"><expr>{A}</expr></derived>`, i+1, i+1, i, i+1, i+1, i)
	}
	for _, b := range []*strings.Builder{&plainly, &under} {
		fmt.Fprintf(b, `<derived name="D%d" type="uint" width="64"><expr>{A}</expr></derived></bitset>`, n)
		check(t, plain(t, b.String()), []row{{7, "#instruction 7", ""}, {1 << 40, "#instruction 1099511627776", ""}})
	}
}

// TestFindingsOutliveKeptTexts requires the same findings for an operand each time, even if its text
// is cached, with and without dependencies on the environment.
func TestFindingsOutliveKeptTexts(t *testing.T) {
	d := plain(t, `<bitset name="#alone" size="4"><display>a{V}</display><field name="V" low="0" high="2" type="uint"/><pattern pos="3">x</pattern></bitset>
		<bitset name="#inside" size="4"><display>{P}b{V}</display><override><expr>{P}</expr><display>p{V}</display><assert pos="3">0</assert></override>
		<field name="V" low="0" high="2" type="uint"/><field name="W" pos="3" type="bool"/></bitset>
		<bitset name="#instruction" size="16"><display>op {A} {B} {C}</display>
		<field name="A" low="0" high="3" type="#alone"/>
		<field name="B" low="4" high="7" type="#inside"><param name="FLAG" as="P"/></field>
		<override><expr>{FLAG}</expr><field name="C" low="8" high="11" type="#alone"/></override>
		<field name="C" low="8" high="11" type="uint"/>
		<field name="FLAG" pos="12" type="bool" display="!"/><pattern low="13" high="15">000</pattern></bitset>`)
	for range 300 {
		check(t, d, []row{
			{0x1f9b, "op a3 p1 a7", "dontcare bits in #alone: 00000008, WARNING: unexpected bits[3:3] in #inside: 00000001 vs 00000000, dontcare bits in #alone: 00000008"},
			{0x0f9b, "op a3 b1 15", "dontcare bits in #alone: 00000008"},
			{0x1713, "op a3 p1 a7", ""},
		})
		if t.Failed() {
			return
		}
	}
}

// TestDoublingExpressionsOfOperand requires the same for a small operand whose texts are cached.
func TestDoublingExpressionsOfOperand(t *testing.T) {
	var body strings.Builder
	const n = 60
	body.WriteString(`<bitset name="#r" size="4"><display>r{D0}</display><override><expr>{D0} &gt; 9</expr><display>t{D1}</display></override>`)
	for i := range n {
		fmt.Fprintf(&body, `<derived name="D%d" type="uint" width="8"><expr>({D%d} + {D%d}) / 2</expr></derived>`, i, i+1, i+1)
	}
	fmt.Fprintf(&body, `<derived name="D%d" type="uint" width="8"><expr>{A}</expr></derived><field name="A" low="0" high="3" type="uint"/></bitset>
		<bitset name="#instruction" size="8"><display>{R} {S}</display><field name="R" low="0" high="3" type="#r"/><field name="S" low="4" high="7" type="#r"/></bitset>`, n)
	check(t, plain(t, body.String()), []row{{0x97, "r7 r9", ""}, {0xfa, "t10 t15", ""}})
}
