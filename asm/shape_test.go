package asm

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

var shapeSeed = flag.Int64("shape-seed", 1, "which random lines TestShapes reads")

// Lines of a known shape are read as they are read without: programs of few instructions, in which numbers are changed to
// those at which something else may be meant.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		dir, file, root string
		n, used         int
	}{
		{"../target/pica200", "pica200.xml", "", 3_000, 500},
		{"../target/tegra", "tegra.xml", "", 600, 10},
		{"../target/tesla", "tesla.xml", "", 1_500, 300},
		{"../target/a2xx", "a2xx.xml", "#cf", 2_000, 300},
		{"../target/a2xx", "a2xx.xml", "#alu", 100, 0},
		{"../internal/testgpu/heron", "heron.xml", "", 2_000, 200},
		{"../internal/spec/testdata", "everything.xml", "", 3_000, 500},
		{"testdata", "tables.xml", "", 3_000, 300},
		{"testdata", "derived.xml", "", 3_000, 300},
		{"testdata", "flags.xml", "", 3_000, 300},
		{"testdata", "touch.xml", "", 3_000, 0},
	} {
		t.Run(c.file+c.root, func(t *testing.T) {
			s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
			if err != nil {
				t.Fatal(isa.Explain(err))
			}
			if used := compareShapes(t, s, c.root, c.n); used < c.used {
				t.Errorf("%d lines had a shape that was known, expected %d", used, c.used)
			}
		})
	}
}

func compareShapes(t *testing.T, s *isa.Set, root string, n int) (used int) {
	d, err := s.NewDecoder(root)
	if err != nil {
		t.Fatal(err)
	}
	shapes, err := New(s, root)
	if err != nil {
		t.Fatal(err)
	}
	forgets, _ := New(s, root)
	forgets.memo, forgets.silent, shapes.silent = nil, true, true
	r := rand.New(rand.NewSource(*shapeSeed))
	randomTables(d, r)
	few := newFew(d, r)
	for i := range n {
		if i%(n/4) == 0 {
			ctx := randomContext(t, s, r)
			d.SetContext(ctx)
			shapes.SetContext(ctx)
			forgets.SetContext(ctx)
		}
		text := few.line(d, r)
		for range 4 {
			emptyTables(shapes)
			emptyTables(forgets)
			shapes.memo.ready(shapes)
			shapes.memo.lines = lineTable{} // or the line itself would be known
			shapes.memo.shapes.eager = true
			before := shapes.memo.shapes.used
			got, err := shapes.Parse(text)
			used += shapes.memo.shapes.used - before
			want, wantErr := forgets.Parse(text)
			if (err != nil) != (wantErr != nil) || err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("line %d, %q, is\n%v %v\nby its shape, and read as\n%v %v", i, text, got, err, want, wantErr)
			}
			text = renumbered(text, r)
		}
	}
	return used
}

var numbers = regexp.MustCompile(`[0-9]+`)

// renumbered changes a number of a text.
func renumbered(text string, r *rand.Rand) string {
	at := numbers.FindAllStringIndex(text, -1)
	if len(at) == 0 {
		return text
	}
	i := at[r.Intn(len(at))]
	was, _ := strconv.Atoi(text[i[0]:i[1]])
	other := at[r.Intn(len(at))]
	is := []string{
		strconv.Itoa(r.Intn(4)), strconv.Itoa(r.Intn(40)), strconv.Itoa(was + 1), strconv.Itoa(max(was-1, 0)), strconv.Itoa(was ^ 1<<r.Intn(8)),
		strconv.Itoa(1 << r.Intn(10)), strconv.Itoa(1<<r.Intn(10) - 1), text[other[0]:other[1]], "0" + text[i[0]:i[1]],
	}[r.Intn(9)]
	return text[:i[0]] + is + text[i[1]:]
}

// Each way in which a number decides of more than its bits is noted: what a shape was learned from is not what is asked for.
func TestShapeFacts(t *testing.T) {
	s := loadShapes(t, `<enum name="#e"><value val="0" display="x"/><value val="1" display="3"/></enum>
		<bitset name="#reg" size="4"><override expr="{N} == 9"><display>none</display></override><display>r{N}</display><field name="N" low="0" high="3" type="uint"/></bitset>
		<bitset name="#at" size="6"><display>at {N}</display><field name="N" low="0" high="5" type="uint"/></bitset>
		<bitset name="#instruction" size="16"><field name="A" low="8" high="11" type="#reg"/></bitset>
		<bitset name="range" extends="#instruction"><display>i {A}, {C}</display><pattern low="12" high="15">0000</pattern>
			<pattern low="4" high="7">0000</pattern><field name="C" low="0" high="3" type="uint"/></bitset>
		<bitset name="wide" extends="#instruction"><display>i {A}, {W}</display><pattern low="12" high="15">0001</pattern>
			<field name="W" low="0" high="7" type="uint"/></bitset>
		<bitset name="twice" extends="#instruction"><display>twice {A}, {A}, {C}</display><pattern low="12" high="15">0010</pattern>
			<pattern low="4" high="7">0000</pattern><field name="C" low="0" high="3" type="uint"/></bitset>
		<bitset name="same" extends="#instruction"><override expr="{A} == {B}"><display>same {A}, {C}</display></override><display>same {A}, {B}, {C}</display><pattern low="12" high="15">0011</pattern>
			<field name="B" low="4" high="7" type="#reg"/><field name="C" low="0" high="3" type="uint"/></bitset>
		<bitset name="even" extends="#instruction"><display>even {A}, {D}</display><pattern low="12" high="15">0100</pattern>
			<pattern low="4" high="7">0000</pattern><field name="C" low="0" high="3" type="uint"/><derived name="D" type="uint" width="5" expr="{C} &lt;&lt; 1"/></bitset>
		<bitset name="more" extends="#instruction"><display>more {A}, {D}</display><pattern low="12" high="15">0101</pattern>
			<pattern low="4" high="7">0000</pattern><field name="C" low="0" high="3" type="uint"/><derived name="D" type="uint" width="6" expr="{C} + 30"/></bitset>
		<bitset name="default" extends="#instruction"><display>default {A}, {C}</display><pattern low="12" high="15">0110</pattern>
			<field name="C" low="0" high="3" type="uint"/><field name="F" low="4" high="7" type="uint"/><default name="F" expr="{C} &gt; 5"/></bitset>
		<bitset name="split" extends="#instruction"><display>split {A}, {C}{E}</display><pattern low="12" high="15">0111</pattern>
			<field name="C" low="0" high="3" type="uint"/><pattern low="5" high="7">000</pattern><field name="E" pos="4" type="#e"/></bitset>
		<bitset name="nested" extends="#instruction"><display>nested {A}, {N}</display><pattern low="12" high="15">1000</pattern>
			<field name="C" low="0" high="3" type="uint"/><pattern low="5" high="7">000</pattern><field name="M" pos="4" type="uint"/>
			<derived name="N" type="#at" expr="{M} ? {C} &lt;&lt; 2 : {C}"/></bitset>
		<bitset name="word" extends="#instruction"><display>word 12 {A}, {C}</display><pattern low="12" high="15">1001</pattern>
			<pattern low="4" high="7">0000</pattern><field name="C" low="0" high="3" type="uint"/></bitset>
		<bitset name="words" extends="#instruction"><display>word {B} {A}, {C}</display><pattern low="12" high="15">1010</pattern>
			<field name="B" low="4" high="7" type="#reg"/><field name="C" low="0" high="3" type="uint"/></bitset>
		<bitset name="plus" extends="#instruction"><display>plus {A}{O}</display><pattern low="12" high="15">1011</pattern>
			<field name="O" low="0" high="7" type="uoffset"/></bitset>
		<bitset name="again" extends="#instruction"><display>again {A}, {D}</display><pattern low="12" high="15">1100</pattern>
			<pattern low="4" high="7">0000</pattern><field name="C" low="0" high="3" type="uint"/><derived name="D" type="uint" width="8" expr="({C} &lt;&lt; 4) + {C}"/></bitset>
		<bitset name="letters" extends="#instruction"><display>letters {C}e{B}</display><pattern low="12" high="15">1101</pattern>
			<field name="B" low="4" high="7" type="uint"/><field name="C" low="0" high="3" type="hex"/></bitset>
		<bitset name="low" extends="#instruction"><display>low {A}, {D}</display><pattern low="12" high="15">1110</pattern><pattern low="4" high="7">0000</pattern>
			<field name="C" low="0" high="3" type="uint"/><derived name="D" type="int" width="3" expr="{C} - 4"/><default name="C" val="8"/></bitset>
		<bitset name="sum" extends="#instruction"><display>sum {A}, {C}, {D}</display><pattern low="12" high="15">1110</pattern><pattern low="4" high="7">0001</pattern>
			<field name="C" low="0" high="3" type="uint"/><derived name="D" type="int" width="2" expr="{C} + 30"/></bitset>
		<bitset name="by" extends="#instruction"><display>by 0x{C}x{B}</display><pattern low="12" high="15">1111</pattern>
			<field name="B" low="4" high="7" type="uint"/><field name="C" low="0" high="3" type="hex"/></bitset>`)
	p, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	forgets, _ := New(s, "")
	forgets.memo = nil
	for _, c := range []struct {
		lines string   // the first ones are learned from
		words []uint64 // none where it counts alone that they are what they are without shapes
	}{
		{"i r1, 2|i r2, 3|i r2, 16|i r3, 15|i r15, 255|i r1, 256|i none, 1|i r9, 1|i r16, 1", []uint64{0x0102, 0x0203, 0x1210, 0x030f, 0x1fff, 0, 0x0901, 0x0901, 0}},
		{"twice r1, r1, 2|twice r2, r2, 3|twice r2, r3, 3", []uint64{0x2102, 0x2203, 0}},
		{"same r1, r2, 3|same r1, r3, 4|same r3, 4|same r3, r3, 4", []uint64{0x3123, 0x3134, 0x3334, 0x3334}},
		{"even r1, 4|even r1, 6|even r2, 30|even r2, 7|even r2, 32", []uint64{0x4102, 0x4103, 0x420f, 0, 0}},
		{"more r1, 31|more r1, 32|more r2, 45|more r2, 29|more r2, 46", []uint64{0x5101, 0x5102, 0x520f, 0, 0}},
		{"default r1, 3|default r1, 4|default r2, 6|default r2, 15", []uint64{0x6103, 0x6104, 0x6216, 0x621f}},
		{"split r1, 4x|split r1, 5x|split r1, 13|split r2, 63|split r2, 93|split r2, 12", []uint64{0x7104, 0x7105, 0x7111, 0x7216, 0x7219, 0}},
		{"nested r1, at 4|nested r2, at 5|nested r2, at 15|nested r2, at 17|nested r2, at 60", []uint64{0x8104, 0x8205, 0x820f, 0, 0x821f}},
		{"word r3 r1, 4|word r5 r2, 3|word 12 r1, 4|word 12 r2, 5|word 13 r2, 5", []uint64{0xa134, 0xa253, 0x9104, 0x9205, 0}},
		{"plus r1+4|plus r2+5|plus r2+255|plus r2+256|plus r3|plus r2+0", []uint64{0xb104, 0xb205, 0xb2ff, 0, 0xb300, 0xb200}},
		{"again r1, 17|again r1, 34|again r2, 51|again r2, 1", []uint64{0xc101, 0xc102, 0xc203, 0}},
		{"letters 2e3|letters 4e5|letters ae5", []uint64{0xd032, 0xd054, 0xd05a}},
		{"low r1, 1|low r1, 0|low r2, 3", []uint64{0xe10d, 0xe10c, 0xe20f}},
		{"sum r1, 2, 0|sum r1, 3, 0|sum r2, 6, 0|sum r2, 3, 1", []uint64{0xe112, 0, 0xe216, 0xe213}},
		{"by 0x1x2|by 0x3x4|by 0x0x2|by 0x0x2", nil},
	} {
		for i, line := range strings.Split(c.lines, "|") {
			p.memo.ready(p)
			p.memo.lines, p.memo.shapes.eager = lineTable{}, true
			res, err := p.Parse(line)
			if other, otherErr := forgets.Parse(line); fmt.Sprint(res, err) != fmt.Sprint(other, otherErr) {
				t.Errorf("%s is %v, %v, and without shapes %v, %v", line, res, err, other, otherErr)
			}
			if c.words == nil {
				continue
			}
			if want := c.words[i]; (err != nil) != (want == 0) || err == nil && res.Inst.Bits != bits.Of(want) {
				t.Errorf("%s is %s, %v, expected %04x", line, res.Inst.Bits, err, want)
			}
		}
	}
	if p.memo.shapes.used < 10 {
		t.Errorf("%d lines had a shape that was known, expected 10", p.memo.shapes.used)
	}
}

// A text that is looked for may stand in a number.
func TestShapeTexts(t *testing.T) {
	const n = `<field name="N" low="0" high="7" type="uint"/></bitset>`
	sameWithoutShapes(t, `<bitset name="#instruction" size="16"/>
		<bitset name="a" extends="#instruction"><display>{N}x mn</display><pattern low="8" high="15">00000000</pattern>`+n+`
		<bitset name="b" extends="#instruction"><display>{N}2x mn</display><pattern low="8" high="15">00000001</pattern>`+n,
		"1x mn", "3x mn", "12x mn", "13x mn")
	sameWithoutShapes(t, `<bitset name="#instruction" size="16"/>
		<bitset name="f" extends="#instruction"><display>ff {N}</display><pattern low="8" high="15">00000011</pattern>`+n+`
		<bitset name="g" extends="#instruction"><display>ff 12{N}</display><pattern low="8" high="15">00000100</pattern>`+n+`
		<bitset name="h" extends="#instruction"><display>ff 31</display><pattern low="0" high="15">0000010100000000</pattern></bitset>
		<bitset name="s" extends="#instruction"><display>ss {N} 1</display><pattern low="8" high="15">00000110</pattern>`+n+`
		<bitset name="v" extends="#instruction"><display>ss {N}1</display><pattern low="8" high="15">00000111</pattern>`+n+`
		<bitset name="u" extends="#instruction"><display>uu{O}</display><pattern low="8" high="15">00001000</pattern><field name="O" low="0" high="7" type="uoffset"/></bitset>
		<bitset name="t" extends="#instruction"><display>tt {L}{N4}</display><pattern low="8" high="15">00001001</pattern>
			<field name="L" pos="7" type="bool" display="2"/><field name="N4" low="0" high="6" type="uint"/></bitset>`,
		"ff 3", "ff 5", "ff 12", "ff 127", "ff 31", "ff 4", // literals that start as a number
		"ss 5 1", "ss 6 1", "ss 7", "ss 61 1", "ss 71", "ss 61", // a number that could end before its last digit
		"uu+5", "uu+6", "uu+0", "uu", // a sign behind which 0 is not printed
		"tt 4", "tt 40", "tt 2", "tt 24") // a number behind a text that is one
}

// sameWithoutShapes reads lines of a description one after another, each of whose shapes is learned at once.
func sameWithoutShapes(t *testing.T, body string, lines ...string) {
	t.Helper()
	s := loadShapes(t, body)
	p, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	forgets, _ := New(s, "")
	forgets.memo = nil
	for _, line := range lines {
		p.memo.ready(p)
		p.memo.lines, p.memo.shapes.eager = lineTable{}, true
		res, err := p.Parse(line)
		if other, otherErr := forgets.Parse(line); fmt.Sprint(res, err) != fmt.Sprint(other, otherErr) {
			t.Errorf("%s is %v, %v, and without shapes %v, %v", line, res, err, other, otherErr)
		}
	}
}

func loadShapes(t *testing.T, body string) *isa.Set {
	s, err := isa.Load(fstest.MapFS{"shapes.xml": {Data: []byte(`<isa name="shapes" strict="true">` + body + `</isa>`)}}, "shapes.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	return s
}

// A line whose suffix computes a value is not kept, though what stands before the suffix has a known shape.
func TestShapeBesideConstant(t *testing.T) {
	s := loadShapes(t, `<bitset name="#instruction" size="12"><display>op {A}, {B}</display><field name="A" low="0" high="3" type="uint"/>
		<field name="B" low="4" high="7" type="uint"/><field name="C" low="8" high="11" type="uint"/></bitset>`)
	p, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	k := int64(0)
	p.Constant = func(string) (int64, int, error) { return k, len("(k)"), nil }
	p.memo.ready(p)
	p.memo.shapes.eager = true
	for k = range int64(9) {
		for _, line := range []string{"op 1, 2 {C=5}", "op 2, 1 {C=5}", "op 3, 4 {C=$(k)}"} {
			want := map[string]uint64{"op 1, 2 {C=5}": 0x521, "op 2, 1 {C=5}": 0x512}[line]
			if want == 0 {
				want = uint64(k)<<8 | 0x043
			}
			if res, err := p.Parse(line); err != nil || res.Inst.Bits != bits.Of(want) {
				t.Fatalf("where k is %d, %s is %s, %v, expected %03x", k, line, res.Inst.Bits, err, want)
			}
		}
	}
}

// A default that asks whether two numbers are the same is worked out for each line that answers otherwise.
func TestShapePair(t *testing.T) {
	s := loadShapes(t, `<bitset name="#instruction" size="9"><display>alike {A}, {B}</display>
		<field name="A" low="5" high="8" type="uint"/><field name="B" low="1" high="4" type="uint"/>
		<field name="F" pos="0" type="uint"/><default name="F" expr="{A} == {B}"/></bitset>`)
	p, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	p.memo.ready(p)
	p.memo.shapes.eager = true
	for _, c := range []struct {
		line string
		word uint64
	}{{"alike 1, 2", 0x024}, {"alike 3, 4", 0x068}, {"alike 5, 5", 0x0ab}, {"alike 7, 7", 0x0ef}, {"alike 7, 6", 0x0ec}} {
		p.memo.lines = lineTable{}
		if res, err := p.Parse(c.line); err != nil || res.Inst.Bits != bits.Of(c.word) {
			t.Errorf("%s is %s, %v, expected %03x", c.line, res.Inst.Bits, err, c.word)
		}
	}
	if p.memo.shapes.used != 3 {
		t.Errorf("%d lines had a shape that was known, expected 3", p.memo.shapes.used)
	}
}

// A number that is a word of another template is not as good as any other there.
func TestShapeLiteral(t *testing.T) {
	s := loadShapes(t, `<bitset name="#instruction" size="9"><field name="A" low="0" high="3" type="uint"/></bitset>
		<bitset name="twelve" extends="#instruction"><display>op 12, {A}</display><pattern low="4" high="8">10000</pattern></bitset>
		<bitset name="any" extends="#instruction"><display>op {B}, {A}</display><pattern pos="8">0</pattern><field name="B" low="4" high="7" type="uint"/></bitset>`)
	p, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	p.memo.ready(p)
	p.memo.shapes.eager = true
	for _, c := range []struct {
		line string
		word uint64
	}{{"op 13, 1", 0x0d1}, {"op 11, 2", 0x0b2}, {"op 12, 3", 0x103}, {"op 12, 4", 0x104}, {"op 1, 4", 0x014}} {
		p.memo.lines = lineTable{}
		if res, err := p.Parse(c.line); err != nil || res.Inst.Bits != bits.Of(c.word) {
			t.Errorf("%s is %s, %v, expected %03x", c.line, res.Inst.Bits, err, c.word)
		}
	}
	if p.memo.shapes.used == 0 {
		t.Error("no line had a shape that was known")
	}
}
