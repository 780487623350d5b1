package asm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// TestDoublingExpressions checks that expressions that each use another expression twice are soon rejected with an
// error.
func TestDoublingExpressions(t *testing.T) {
	var plainly, under strings.Builder
	const n = 40
	const start = `<bitset name="#instruction" size="32"><display>x {D0}</display><field name="A" low="0" high="31" type="uint"/>`
	plainly.WriteString(start)
	under.WriteString(start)
	for i := range n {
		fmt.Fprintf(&plainly, `<derived name="D%d" type="uint" width="32"><expr>{D%d} + {D%d}</expr></derived>`, i, i+1, i+1)
		fmt.Fprintf(&under, `<override><expr>{D%d} == {D%d} + {A}</expr><derived name="D%d" type="uint" width="32"><expr>{D%d} + {D%d}</expr></derived></override>
			<derived name="D%d" type="uint" width="32"><expr>{A}</expr></derived>`, i+1, i+1, i, i+1, i+1, i)
	}
	for _, b := range []*strings.Builder{&plainly, &under} {
		fmt.Fprintf(b, `<derived name="D%d" type="uint" width="32"><expr>{A}</expr></derived></bitset>`, n)
		begin := time.Now()
		toolsFor(t, load(t, b.String())).rows(t, []row{{"x 5", "", "text-ambiguous"}})
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

// TestOperandsInThemselves checks operands that contain operands of their own type, or each other. They are parsed to
// the depth to which they are printed, and in a short time for any line.
func TestOperandsInThemselves(t *testing.T) {
	const word = `<bitset name="#instruction" size="16"><display>op {X}</display><field name="X" low="0" high="7" type="#r0"/><pattern low="8" high="15">00000000</pattern></bitset>`
	const twice = `<override><expr>{X} &lt; 300</expr><field name="A" low="0" high="7" type="#r0">%[1]s</field></override>
		<override><expr>{X} &lt; 400</expr><field name="B" low="0" high="7" type="#r0">%[1]s</field></override><field name="X" low="0" high="7" type="uint"/></bitset>`
	var doubling strings.Builder
	for i := range 22 {
		name := fmt.Sprintf("#r%d", i)
		fmt.Fprintf(&doubling, `<bitset name="%s" size="8"><display>{A}{A}</display><field name="A" low="0" high="7" type="#r%d"/></bitset>`, name, i+1)
	}
	doubling.WriteString(`<bitset name="#r22" size="8"><display>x</display><field name="V" low="0" high="7" type="uint"/></bitset>`)
	for _, x := range []struct{ name, body, reads string }{
		{"twice", `<bitset name="#r0" size="8"><display>{A}{B}</display>` + fmt.Sprintf(twice, ""), ""},
		{"with names handed in", `<bitset name="#r0" size="8"><display>{A}{B}x</display>` + fmt.Sprintf(twice, `<param name="X" as="P"/>`), ""},
		{"or not", `<bitset name="#r0" size="8"><override><expr>{X} != 3</expr><display>{A}{B}</display></override><display>x</display>` + fmt.Sprintf(twice, ""), "op x"},
		{"doubling", doubling.String(), ""},
	} {
		begin := time.Now()
		tools := toolsFor(t, loadXML(t, "<isa>"+word+x.body+"</isa>", isa.Options{}))
		l := asm.NewLossless(tools.d, tools.p)
		for w := range uint64(256) {
			if in, ok := tools.d.Decode(bits.Of(w)); ok && w%50 == 0 {
				l.Append(nil, in)
			}
		}
		for _, text := range []string{"op", "op x", "op xxxxxxxxx", "op (((", strings.Repeat("op x", 50)} {
			if _, err := tools.p.Parse(text); (err == nil) != (text == x.reads) {
				t.Errorf("%s: %.20q: %v", x.name, text, err)
			}
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%s took %v", x.name, took)
		}
	}
}

// TestLongFloats checks that a float with many digits is parsed in a short time, although the next item could start at
// each digit.
func TestLongFloats(t *testing.T) {
	x := toolsFor(t, load(t, `<enum name="#e"><value val="0" display="q"/><value val="1" display="0"/></enum>
		<bitset name="#instruction" size="32"><display>op {F}{E}</display><field name="F" low="16" high="31" type="float"/>
		<field name="E" low="0" high="0" type="#e"/><pattern low="1" high="15">000000000000000</pattern></bitset>`))
	begin, half := time.Now(), "op 0.5"+strings.Repeat("0", 40000)
	if res, err := x.p.Parse(half + "q"); err != nil || res.Inst.Bits != bits.Of(0x38000000) {
		t.Errorf("0.5 is %s with error %v, expected 38000000", res.Inst.Bits, err)
	}
	if res, err := x.p.Parse(half + "z"); err == nil {
		t.Errorf("what is after 0.5 is read as %s", res.Inst.Bits)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestSharedSets checks that the common prefix of templates is parsed only once, including a set.
func TestSharedSets(t *testing.T) {
	work := func(cases int) int {
		var b strings.Builder
		b.WriteString(`<bitset name="#instruction" size="16"/><bitset name="op" extends="#instruction">`)
		for i := range cases {
			fmt.Fprintf(&b, `<override><expr>{K} == %d</expr><display>op{OPTS} {A}, {B} with %[1]d</display></override>`, i)
		}
		b.WriteString(`
				<display>op{OPTS} {A}, {B}, {K}</display>
				<set name="OPTS">
					<field name="X" pos="15" type="bool" display=".x"/>
					<field name="Y" pos="14" type="bool" display=".y"/>
				</set>
				<pattern low="12" high="13">00</pattern>
				<field name="K" low="8" high="11" type="uint"/>
				<field name="A" low="4" high="7" type="uint"/>
				<field name="B" low="0" high="3" type="uint"/>
			</bitset>`)
		p, err := asm.New(load(t, b.String()), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Parse(fmt.Sprintf("op.x.y 1, 2 with %d", cases-1)); err != nil {
			t.Fatal(err)
		}
		return p.Work()
	}
	if few, many := work(2), work(10); many > few+8 {
		t.Errorf("a line takes %d steps with two templates that start alike, %d with ten", few, many)
	}
}

// TestComparedBits checks that the high bits that a comparison determines are set without a search.
func TestComparedBits(t *testing.T) {
	p, err := asm.New(load(t, `
		<bitset name="#instruction" size="32"/>
		<bitset name="op" extends="#instruction">
			<override><expr>{N} &gt;= 0x780000</expr><display>high</display></override>
			<display>low {N}</display>
			<pattern low="23" high="31">000000000</pattern>
			<field name="N" low="0" high="22" type="uint"/>
		</bitset>`), "")
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Parse("high")
	if err != nil || res.Inst.Bits != bits.Of(0x780000) {
		t.Errorf("got %s, %v", res.Inst.Bits, err)
	}
	if work := p.Work(); work > 20 {
		t.Errorf("it took %d steps", work)
	}
}

// TestSetWords checks that members of a set are distinguished by whole words. One word may be a prefix of another.
func TestSetWords(t *testing.T) {
	x := toolsFor(t, load(t, `
		<bitset name="#instruction" size="8"/>
		<bitset name="op" extends="#instruction">
			<display>op{OPTS} {N}</display>
			<set name="OPTS">
				<field name="LONG" pos="7" type="bool" display=".sat"/>
				<field name="SHORT" pos="6" type="bool" display=".s"/>
				<field name="OTHER" pos="5" type="bool" display="x"/>
			</set>
			<pattern pos="4">0</pattern>
			<field name="N" low="0" high="3" type="uint"/>
		</bitset>`))
	for text, word := range map[string]string{
		"op 1": "1", "op.sat 1": "81", "op.s 1": "41", "op.s.sat 1": "c1", "op.satx.s 1": "e1", "opx.s 1": "61",
		"op.sx 1": "61", "op.sa 1": "", "op.s.s 1": "", "op.satat 1": "",
	} {
		res, err := x.p.Parse(text)
		if got := res.Inst.Bits.String(); (err == nil) != (word != "") || err == nil && got != word {
			t.Errorf("%q is %s, %v, expected %q", text, got, err, word)
		}
	}
}

// TestLetters parses adjacent letters as enums. Their fields may be far apart or may repeat, and the letters may also
// match numbers or longer texts.
func TestLetters(t *testing.T) {
	x := toolsFor(t, load(t, `
		<enum name="#xyzw">
			<value val="0" display="x"/><value val="1" display="y"/><value val="2" display="z"/><value val="3" display="w"/>
		</enum>
		<enum name="#some"><value val="1" display="a"/><value val="2" display="b"/><value val="3" display="bb"/></enum>
		<bitset name="#instruction" size="72"/>
		<bitset name="far" extends="#instruction">
			<display>far {A}{B}{C}</display>
			<pattern low="66" high="69">0000</pattern>
			<field name="A" low="0" high="1" type="#xyzw"/>
			<pattern low="2" high="62">0000000000000000000000000000000000000000000000000000000000000</pattern>
			<field name="B" low="63" high="64" type="#xyzw"/>
			<pattern pos="65">0</pattern>
			<field name="C" low="70" high="71" type="#xyzw"/>
		</bitset>
		<bitset name="twice" extends="#instruction">
			<display>twice {A}{B}{A}</display>
			<pattern low="66" high="71">000001</pattern>
			<pattern low="4" high="65">00000000000000000000000000000000000000000000000000000000000000</pattern>
			<field name="A" low="2" high="3" type="#xyzw"/>
			<field name="B" low="0" high="1" type="#xyzw"/>
		</bitset>
		<bitset name="some" extends="#instruction">
			<display>some {A}{B}</display>
			<pattern low="66" high="71">000010</pattern>
			<pattern low="6" high="65">000000000000000000000000000000000000000000000000000000000000</pattern>
			<field name="A" low="0" high="3" type="#some"/>
			<field name="B" low="4" high="5" type="#xyzw"/>
		</bitset>`))
	for text, word := range map[string]string{
		"far wyz": "808000000000000003", "far www": "c18000000000000003", "far xyx": "8000000000000000", "far wy": "", "far wyq": "", "far w yz": "",
		"twice xyx": "40000000000000001", "twice wzw": "4000000000000000e", "twice wzx": "",
		"some ax": "80000000000000001", "some bz": "80000000000000022", "some bbz": "80000000000000023", "some 5w": "80000000000000035", "some zz": "",
	} {
		res, err := x.p.Parse(text)
		if got := res.Inst.Bits.String(); (err == nil) != (word != "") || err == nil && got != word {
			t.Errorf("%q is %s, %v, expected %q", text, got, err, word)
		}
	}
}
