package mesa_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/alloctest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/isa/mesa"
)

func loadXML(t testing.TB, xml string) *isa.Set {
	t.Helper()
	s, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(xml)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return s
}

// mesaTests has a row for each difference between Mesa's isaspec and the decoder, and a few rows
// without differences. mesa and ours hold the text of a word and its findings, with " | " before each
// finding. docs/language.md lists the differences under the same names.
var mesaTests = []struct {
	name, leaf string
	word       uint64
	mesa, ours string
}{
	{
		name: "columns of bytes",
		leaf: `<display>é{A:align=5}</display><pattern low="8" high="31">000000000000000000000000</pattern><field name="A" low="0" high="7" type="uint"/>`,
		word: 7, mesa: "é   7", ours: "é    7",
	},
	{
		name: "nothing to align",
		leaf: `<display>a{GONE:align=9}b</display><pattern low="0" high="31">00000000000000000000000000000000</pattern>`,
		word: 0, mesa: "ab | no field 'GONE'", ours: "ab | no field 'GONE'",
	},
	{
		name: "C escapes",
		leaf: `<display>a\tb\x41\102\\ {A}</display><pattern low="8" high="31">000000000000000000000000</pattern><field name="A" low="0" high="7" type="uint"/>`,
		word: 1, mesa: "a\tbAB\\ 1", ours: `a\tb\x41\102\\ 1`,
	},
	{
		name: "names of asserts",
		leaf: `<display>[{x#assert0}]</display><assert low="0" high="31">00000000000000000000000000000000</assert>`,
		word: 0, mesa: "[]", ours: "[] | no field 'x#assert0'",
	},
	{
		name: "expressions that need their own value",
		// The outer D is entered once more, and the inner D is then 0: 1 + (1 + 0).
		leaf: `<display>{D}</display><pattern low="0" high="31">00000000000000000000000000000000</pattern>
		<derived name="D" type="uint" width="8"><expr>{D} + 1</expr></derived>`,
		word: 0, mesa: "2", ours: "2 | expression needs its own value: {D} + 1",
	},
	{
		name: "expressions that need each other",
		// D needs E, which needs D. D is entered once more and needs E, which is 0 there. So the inner
		// D is A, E is 3A + B, and the outer D is 6A + 2B + A. E keeps that value. With A = 15 and B =
		// 11 the results are 127 and 56.
		leaf: `<display>{D} {E} {D}</display><pattern low="8" high="31">000000000000000000000000</pattern><field name="A" low="0" high="3" type="uint"/>
		<field name="B" low="4" high="7" type="uint"/><derived name="D" type="uint" width="8"><expr>{E} * 2 + {A}</expr></derived>
		<derived name="E" type="uint" width="8"><expr>{D} * 3 + {B}</expr></derived>`,
		word: 0xbf, mesa: "127 56 127", ours: "127 56 127 | expression needs its own value: {D} * 3 + {B}",
	},
	{
		name: "expressions that are used by others before",
		// T needs D, which needs D. D is open and not the outermost expression, so the inner D is 0,
		// and D is A from then on.
		leaf: `<display>{T} {D}</display><pattern low="8" high="31">000000000000000000000000</pattern><field name="A" low="0" high="7" type="uint"/>
		<derived name="D" type="uint" width="8"><expr>{D} + {A}</expr></derived><derived name="T" type="uint" width="8"><expr>{D} + 1</expr></derived>`,
		word: 5, mesa: "6 5", ours: "6 5 | expression needs its own value: {D} + {A}",
	},
	{
		name: "computed values have the bits of a word",
		leaf: `<display>{D}</display><pattern low="8" high="31">000000000000000000000000</pattern><field name="A" low="0" high="7" type="uint"/>
		<derived name="D" type="hex" width="64"><expr>{A} - 256</expr></derived>`,
		word: 1, mesa: "ffffff01", ours: "ffffff01",
	},
	{
		name: "an offset beyond its width",
		leaf: `<display>[{D}]</display><pattern low="8" high="31">000000000000000000000000</pattern><field name="A" low="0" high="7" type="uint"/>
		<derived name="D" type="offset" width="4"><expr>{A}</expr></derived>`,
		word: 0x10, mesa: "[+0]", ours: "[+0]",
	},
	{
		name: "missing names, in comments too, by name",
		leaf: `<display>{D}</display><pattern low="0" high="31">00000000000000000000000000000000</pattern>
		<derived name="D" type="uint"><expr>{ZED} + {ACE} /* {MID} */</expr></derived>`,
		word: 0, mesa: "0 | no field 'ACE' | no field 'MID' | no field 'ZED'", ours: "0 | no field 'ACE' | no field 'MID' | no field 'ZED'",
	},
	{
		name: "a condition that uses what its override defines",
		leaf: `<display>plain</display><override><expr>{A} == 3</expr><display>three {A}</display><field name="A" low="0" high="7" type="uint"/></override>
		<field name="A" low="0" high="3" type="uint"/><pattern low="4" high="31">xxxxxxxxxxxxxxxxxxxxxxxxxxxx</pattern>`,
		word: 0x03, mesa: "three 3", ours: "three 3",
	},
	{
		name: "dots in names",
		leaf: `<display>{a.b}</display><pattern low="8" high="31">000000000000000000000000</pattern><field name="a.b" low="0" high="7" type="uint"/>`,
		word: 9, mesa: "9", ours: "9",
	},
}

// oftenMet is the number of prints after which the decoder prints a word if it can.
const oftenMet = 20

func TestMesa(t *testing.T) {
	for _, test := range mesaTests {
		t.Run(test.name, func(t *testing.T) {
			xml := `<isa><bitset name="#instruction" size="32"/><bitset name="x" extends="#instruction">` + test.leaf + `</bitset></isa>`
			set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(xml)}}, "a.xml", isa.Options{})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			m, err := mesa.New(set, "")
			if err != nil {
				t.Fatal(err)
			}
			for try := range oftenMet {
				text, ok := m.Append(nil, bits.Of(test.word))
				if got := strings.Join(append([]string{string(text)}, m.Findings()...), " | "); !ok || got != test.mesa {
					t.Fatalf("as Mesa, time %d: got %q, want %q", try, got, test.mesa)
				}
				m.Reset()
			}
			d, err := set.NewDecoder("")
			if err != nil {
				t.Fatal(err)
			}
			in, ok := d.Decode(bits.Of(test.word))
			if !ok {
				t.Fatal("no match")
			}
			got := string(d.Append(nil, in))
			for _, f := range d.Findings() {
				got += " | " + f.Text
			}
			if got != test.ours {
				t.Errorf("by default: got %q, want %q", got, test.ours)
			}
		})
	}
}

// TestMesaWide has values of more than 64 bits. Mesa prints the low 64 bits.
func TestMesaWide(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa><bitset name="#instruction" size="96"/>
	<bitset name="x" extends="#instruction"><display>{V}</display><field name="V" low="0" high="95" type="hex"/></bitset></isa>`)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := mesa.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	word := bits.FromWords([]uint32{0x1, 0x2, 0x3})
	for try := range oftenMet {
		if text, _ := m.Append(nil, word); string(text) != "200000001" {
			t.Fatalf("as Mesa, time %d: got %q", try, text)
		}
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	in, _ := d.Decode(word)
	if text := d.Append(nil, in); string(text) != "30000000200000001" {
		t.Errorf("by default: got %q", text)
	}
}

// TestMesaLeak requires that the state left by a word that does not decode affects the next word.
func TestMesaLeak(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa><bitset name="#instruction" size="8"/>
	<bitset name="a" extends="#instruction"><display>a</display><pattern low="0" high="7">1xxxxxxx</pattern></bitset>
	<bitset name="b" extends="#instruction"><display>b</display><pattern low="0" high="7">1xxxxxx1</pattern></bitset>
	<bitset name="c" extends="#instruction"><display>c</display><pattern low="0" high="7">00000000</pattern></bitset></isa>`)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := mesa.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Append(nil, bits.Of(0x81)); ok {
		t.Error("0x81 is two instructions")
	}
	text, _ := m.Append(nil, bits.Of(0))
	if string(text) != "c" || !slices.Equal(m.Findings(), []string{"bitset conflict: a vs b"}) {
		t.Errorf("got %q %q", text, m.Findings())
	}
}

// TestMesaStrict requires an error for a strict description, which Mesa's tools cannot read.
func TestMesaStrict(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa name="s" strict="true"><bitset name="#instruction" size="8">
	<display>a</display><pattern low="0" high="7">00000000</pattern></bitset></isa>`)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	if _, err := mesa.New(set, ""); err == nil || !strings.Contains(err.Error(), "s is strict") {
		t.Errorf("got %v", err)
	}
}

// TestMesaStack nests expressions. The eighth one is evaluated, and the ninth one is 0.
func TestMesaStack(t *testing.T) {
	for _, x := range []struct {
		depth int
		text  string
	}{{7, "107"}, {8, "108"}, {9, "8"}} {
		var body strings.Builder
		for i := 1; i < x.depth; i++ {
			fmt.Fprintf(&body, `<derived name="D%d" type="uint" width="16"><expr>{D%d} + 1</expr></derived>`, i, i+1)
		}
		fmt.Fprintf(&body, `<derived name="D%d" type="uint" width="16"><expr>{A} + 1</expr></derived>`, x.depth)
		s := loadXML(t, `<isa><bitset name="#instruction" size="32"><display>{D1}</display><field name="A" low="0" high="31" type="uint"/>`+
			body.String()+`</bitset></isa>`)
		m, err := mesa.New(s, "")
		if err != nil {
			t.Fatal(err)
		}
		for try := range oftenMet {
			if text, ok := m.Append(nil, bits.Of(100)); !ok || string(text) != x.text {
				t.Fatalf("%d expressions inside each other, time %d: %q, expected %q", x.depth, try, text, x.text)
			}
		}
	}
}

// TestMesaAllocations requires no allocations for nested and computed operands after the first words
// of an instruction.
func TestMesaAllocations(t *testing.T) {
	s := loadXML(t, `<isa><bitset name="#reg" size="4"><display>{P}r{V}</display><field name="V" low="0" high="3" type="uint"/></bitset>
		<bitset name="#instruction" size="32"><display>op {SUM} {R}</display><override><expr>{A} &gt; 3</expr><display>{NAME:align=3} {R} {SUM}</display></override>
		<field name="A" low="0" high="7" type="hex"/><field name="R" low="8" high="11" type="#reg"><param name="H" as="P"/></field>
		<field name="H" pos="12" type="bool" display="h"/><derived name="SUM" type="uint" width="8"><expr>{A} + {H}</expr></derived>
		<pattern low="13" high="31">0000000000000000000</pattern></bitset></isa>`)
	m, err := mesa.New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 0, 200)
	for range 20 {
		m.Append(buf, bits.Of(0x1a05))
	}
	alloctest.None(t, "printing", 100, func() {
		text, _ := m.Append(buf, bits.Of(0x1a05))
		if string(text) != "   #instruction hr10 6" {
			t.Errorf("%q", text)
		}
	})
}
