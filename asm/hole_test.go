package asm

import (
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/isa"
)

// TestScan finds the numbers of lines: <12> is one with a hole for decimal digits, <x1f> one for those behind 0x. Those in
// which a name may start are none.
func TestScan(t *testing.T) {
	h := &holes{selectors: &selectors{anchors: trieOf("99d", "aab")}, folds: foldTable(false)}
	for _, line := range []string{
		"mov r<12>, c<3>.x", "<1>", "<0>", "add 0x<x1f>, -<5>", "<12345678> <123456789> <123456789012345>", "a<1>b<2>c<3>d<4>e<5>f<6>g<7>",
		"1234567890123456", "007 00 0x01 0x", "0b101 0o17 0B1", "1.5 0.25 .<5>", "r1.2x", "v<1>.x <2>.", "0x1F 0X1f", "0x<xabcdef> 0x1234567890abcdef",
		"nothing", "", "a\x01 1", "\x02", "\x00 1", "é<1>",
		"99d <1>", "<98> <99> <9> 199d <19>c <99>;d <1991>d", "0x<xab> 0x<xaa> 0x1aab 0xaab 0x<xba> 0x<xaa7> 0x<x1a>",
	} {
		shape := regexp.MustCompile(`<x[0-9a-f]*>`).ReplaceAllString(line, "\x02")
		shape = regexp.MustCompile(`<[0-9]*>`).ReplaceAllString(shape, "\x01")
		text := strings.NewReplacer("<x", "", "<", "", ">", "").Replace(line)
		var want []uint64
		for _, n := range regexp.MustCompile(`<[^>]*>`).FindAllString(line, -1) {
			digits, hex := strings.CutPrefix(strings.Trim(n, "<>"), "x")
			base := 10
			if hex {
				base = 16
			}
			v, _ := strconv.ParseUint(digits, base, 64)
			want = append(want, v)
		}
		ok := h.scan([]byte(text))
		switch {
		case ok != (want != nil):
			t.Errorf("%q has numbers: %v", text, ok)
		case ok && (string(h.shape) != shape || fmt.Sprint(h.values) != fmt.Sprint(want)):
			t.Errorf("%q is %q with %v, expected %q with %v", text, h.shape, h.values, shape, want)
		}
	}
	many := strings.Repeat("r7 ", maxHoles+2)
	if h.scan([]byte(many)); string(h.shape) != strings.Repeat("r\x01 ", maxHoles)+"r7 r7 " {
		t.Errorf("%q is %q", many, h.shape)
	}
}

// trieOf returns a trie of texts.
func trieOf(texts ...string) *trie {
	t := &trie{}
	for i, text := range texts {
		t.add(text, uint64(i), false)
	}
	t.finish()
	return t
}

// TestShapes holds that lines that differ in their numbers are read as they are by a parser that remembers nothing: in
// each, numbers are replaced by others, of which many are the greatest or least of some field.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		dir, file, root string
		n               int
	}{
		{"../target/pica200", "pica200.xml", "", 300},
		{"../target/tegra", "tegra.xml", "", 100},
		{"../target/tesla", "tesla.xml", "", 100},
		{"../target/a2xx", "a2xx.xml", "#cf", 100},
		{"../target/a2xx", "a2xx.xml", "#alu", 10},
		{"../target/a2xx", "a2xx.xml", "#fetch", 40},
		{"../internal/testgpu/heron", "heron.xml", "", 120},
		{"../internal/spec/testdata", "everything.xml", "", 200},
		{"testdata", "tables.xml", "", 200},
		{"testdata", "inside.xml", "", 200},
		{"testdata", "derived.xml", "", 200},
		{"testdata", "flags.xml", "", 200},
		{"testdata", "touch.xml", "", 200},
		{"testdata", "long.xml", "", 200},
		{"testdata", "scopes.xml", "", 200},
	} {
		t.Run(c.file+c.root, func(t *testing.T) {
			t.Parallel()
			s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
			if err != nil {
				t.Fatal(isa.Explain(err))
			}
			t.Logf("%d lines of %d were known by their shapes", compareShapes(t, s, c.root, c.n), c.n*numbersOfLine)
		})
	}
}

// numbersOfLine is how often the numbers of a line are replaced.
const numbersOfLine = 12

// compareShapes compares a parser that remembers with one that does not, and returns how many lines were known.
func compareShapes(t *testing.T, s *isa.Set, root string, n int) (known int) {
	t.Helper()
	d, err := s.NewDecoder(root)
	if err != nil {
		t.Fatal(err)
	}
	remembers, forgets := twoParsers(t, s, root)
	r := rand.New(rand.NewSource(*memoSeed))
	randomTables(d, r)
	var words []string
	for range n {
		leaves := d.Root().Leaves
		l := leaves[r.Intn(len(leaves))]
		in, ok := d.Decode(randomValue(r).AndNot(l.Mask.Or(l.DontCare)).Or(l.Match))
		if !ok {
			continue
		}
		line := string(d.Append(nil, in))
		for range numbersOfLine {
			text := otherSelectors(otherNumbers(line, r), &words, r)
			emptyTables(forgets)
			before := remembers.memo.shaped.known
			remembers.memo.shapes.left = 0 // whether it pays or not
			sameReading(t, remembers, forgets, text)
			known += remembers.memo.shaped.known - before
		}
	}
	return known
}

// twoParsers returns a parser that remembers and one that does not, which know the same labels.
func twoParsers(t *testing.T, s *isa.Set, root string) (remembers, forgets *Parser) {
	t.Helper()
	remembers, err := New(s, root)
	if err != nil {
		t.Fatal(err)
	}
	forgets, _ = New(s, root)
	forgets.memo = nil
	withLabels(remembers, forgets)
	remembers.memo.ready(remembers)
	return remembers, forgets
}

// withLabels makes each name that starts with an l a label, whose address tells how long it is.
func withLabels(parsers ...*Parser) {
	for _, p := range parsers {
		p.Symbol = func(name string) (int64, bool) { return int64(len(name)) * 512, strings.HasPrefix(name, "l") }
	}
}

// sameReading compares what two parsers read of a line, without asking why not and with it.
func sameReading(t *testing.T, remembers, forgets *Parser, line string) {
	t.Helper()
	want, wantErr := forgets.Parse(line)
	expected := fmt.Sprint(want, wantErr)
	emptyTables(remembers)
	if got, ok := remembers.Try(line); ok != (wantErr == nil) || ok && fmt.Sprint(got, nil) != expected {
		t.Fatalf("%q is remembered as\n%v %v\nand read as\n%v", line, got, ok, expected)
	}
	emptyTables(remembers)
	if got, err := remembers.Parse(line); fmt.Sprint(got, err) != expected {
		t.Fatalf("%q is remembered as\n%v %v\nand read as\n%v", line, got, err, expected)
	}
}

var numbersIn = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)

// otherNumbers replaces some numbers of a line.
func otherNumbers(line string, r *rand.Rand) string {
	used := []uint64{}
	return numbersIn.ReplaceAllStringFunc(line, func(was string) string {
		v := uint64(1)<<r.Intn(20) - uint64(r.Intn(2))
		switch r.Intn(6) {
		case 0:
			return was
		case 1:
			if len(used) > 0 {
				v = used[r.Intn(len(used))]
			}
		case 2, 3:
			v = uint64(r.Intn(200))
		}
		used = append(used, v)
		if strings.HasPrefix(was, "0x") {
			return fmt.Sprintf("0x%x", v)
		}
		return strconv.FormatUint(v, 10)
	})
}

var selectorsIn = regexp.MustCompile(`\.[a-zA-Z_*][a-zA-Z_*0-9]*`)

// otherSelectors replaces some words behind points by others that were seen, or that are made of the same letters.
func otherSelectors(line string, seen *[]string, r *rand.Rand) string {
	return selectorsIn.ReplaceAllStringFunc(line, func(was string) string {
		if !slices.Contains(*seen, was) {
			*seen = append(*seen, was)
		}
		switch r.Intn(8) {
		case 0, 1, 2:
			return was
		case 3:
			letters := []byte(was)
			for i := range letters[1:] {
				letters[1+i] = was[1+r.Intn(len(was)-1)]
			}
			return string(letters)
		}
		return (*seen)[r.Intn(len(*seen))]
	})
}

// TestScanSelectors finds selectors: {xy} is one with a hole, {*y} one with punctuation at an end.
func TestScanSelectors(t *testing.T) {
	h := &holes{selectors: &selectors{anchors: trieOf("pp[")}, folds: foldTable(true)}
	for _, c := range "xyw0_*abcdefghp" {
		h.selectors.letters[c] = true
	}
	for _, line := range []string{
		"mov r<1>.{xy}, r<2>.{XY}", "a.{x0_w} <3>", "a.{abcdefgh}.{xy}", "a.{*y},.{x*}", ".{xy}", "[<2>.{xy}]",
		"a.*y <1>", "a.x*\t<1>", "a.xyz", "xy", "a.{abcdefgh}", "a.abcdefgha", "a. xy", "a.0xy", "a..{xy}", "a.xy<2>", "a.", "a.{xy}.<5>",
		"a.xp[<5>", "a.xp", "a.{xpx}",
	} {
		shape := regexp.MustCompile(`<[0-9]*>`).ReplaceAllString(line, "\x01")
		shape = regexp.MustCompile(`{[^}*]*}`).ReplaceAllString(shape, "\x03")
		shape = regexp.MustCompile(`{[^}]*}`).ReplaceAllString(shape, "\x04")
		text := strings.NewReplacer("{", "", "}", "", "<", "", ">", "").Replace(line)
		if ok := h.scan([]byte(text)); ok != (shape != line) || ok && string(h.shape) != shape {
			t.Errorf("%q is %q, %v, expected %q", text, h.shape, ok, shape)
		}
	}
}

// TestShapeFacts reads lines of one shape one after another, of which the later ones differ by what the first ones relied on.
func TestShapeFacts(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"facts.xml": {Data: []byte(`<isa name="facts" strict="true">
		<enum name="#digit"><value val="0" display="0"/><value val="1" display="2"/><value val="2" display="r4"/><value val="3" display="12"/></enum>
		<bitset name="#reg" size="4"><override><expr>{N} == 9</expr><display>r9</display></override><display>r{N}</display><field name="N" low="0" high="3" type="uint"/></bitset>
		<bitset name="#scaled" size="6"><display>[{N}]</display><field name="N" low="0" high="5" type="uint"/></bitset>
		<bitset name="#instruction" size="32"/>
		<bitset name="short" extends="#instruction"><display>op {A}, {B}</display><pattern low="28" high="31">0000</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="A" low="0" high="3" type="uint"/><field name="B" low="4" high="7" type="int"/></bitset>
		<bitset name="long" extends="#instruction"><display>op {A}, {B}</display><pattern low="28" high="31">0001</pattern><pattern low="18" high="27">xxxxxxxxxx</pattern>
			<field name="A" low="0" high="7" type="uint"/><field name="B" low="8" high="17" type="int"/></bitset>
		<bitset name="same" extends="#instruction"><display>same {A}, {A}, {B}</display><pattern low="28" high="31">0010</pattern><pattern low="16" high="27">xxxxxxxxxxxx</pattern>
			<field name="A" low="0" high="7" type="uint"/><field name="B" low="8" high="15" type="uint"/></bitset>
		<bitset name="apart" extends="#instruction"><display>same {A}, {B}, {C}</display><pattern low="28" high="31">0011</pattern><pattern low="24" high="27">xxxx</pattern>
			<field name="A" low="0" high="7" type="uint"/><field name="B" low="8" high="15" type="uint"/><field name="C" low="16" high="23" type="uint"/></bitset>
		<bitset name="words" extends="#instruction"><display>word {E} {R}{E2}</display><pattern low="28" high="31">0100</pattern><pattern low="2" high="3">xx</pattern><pattern low="10" high="27">xxxxxxxxxxxxxxxxxx</pattern>
			<field name="E" low="0" high="1" type="#digit"/><field name="R" low="4" high="7" type="#reg"/><field name="E2" low="8" high="9" type="#digit"/></bitset>
		<bitset name="scaled" extends="#instruction"><display>at {S}{O}, {H}</display><pattern low="28" high="31">0101</pattern><pattern low="18" high="27">xxxxxxxxxx</pattern>
			<derived name="S" type="#scaled"><expr>{X} &lt;&lt; 2</expr></derived><field name="X" low="0" high="3" type="uint"/>
			<field name="O" low="4" high="9" type="offset"/><field name="H" low="10" high="17" type="hex"/></bitset>
		<bitset name="plain" extends="#instruction"><display>plain {R}, {Q}</display><pattern low="28" high="31">0110</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="R" low="0" high="3" type="#reg"/><derived name="Q" type="uint" width="8"><expr>{Y} + 3</expr></derived><field name="Y" low="4" high="7" type="uint"/></bitset>
		<bitset name="sum" extends="#instruction"><display>sum {A} {B} {D}</display><pattern low="28" high="31">0111</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="A" low="0" high="3" type="uint"/><field name="B" low="4" high="7" type="uint"/><derived name="D" type="uint" width="5"><expr>{A} + {B}</expr></derived></bitset>
		<bitset name="touch" extends="#instruction"><display>touch {R}{N}</display><pattern low="28" high="31">1000</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="R" low="0" high="3" type="#reg"/><field name="N" low="4" high="7" type="uint"/></bitset>
		<bitset name="near" extends="#instruction"><display>near {S}</display><pattern low="28" high="31">1001</pattern><pattern low="4" high="27">xxxxxxxxxxxxxxxxxxxxxxxx</pattern>
			<derived name="S" type="#scaled"><expr>{X} + 1</expr></derived><field name="X" low="0" high="3" type="uint"/></bitset>
		<bitset name="literal" extends="#instruction"><display>lit r4 {A}</display><pattern low="28" high="31">1010</pattern><pattern low="4" high="27">xxxxxxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="A" low="0" high="3" type="uint"/></bitset>
		<bitset name="number" extends="#instruction"><display>lit r{B} {A}</display><pattern low="28" high="31">1011</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="A" low="0" high="3" type="uint"/><field name="B" low="4" high="7" type="uint"/></bitset>
		<bitset name="jump" extends="#instruction"><display>jump {T}, {A}</display><pattern low="28" high="31">1100</pattern><pattern low="12" high="27">xxxxxxxxxxxxxxxx</pattern>
			<field name="A" low="0" high="3" type="uint"/><field name="T" low="4" high="11" type="branch"/></bitset>
		<bitset name="alone" extends="#instruction"><display>solo [4] {A}</display><pattern low="28" high="31">1101</pattern><pattern low="4" high="27">xxxxxxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="A" low="0" high="3" type="uint"/></bitset>
		<bitset name="operand" extends="#instruction"><display>solo {R} {A}</display><pattern low="28" high="31">1110</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="A" low="0" high="1" type="uint"/><field name="R" low="2" high="7" type="#scaled"/></bitset>
		<bitset name="none" extends="#instruction"><display>pick {A}, {B}</display><pattern low="24" high="31">11110000</pattern><pattern low="8" high="23">xxxxxxxxxxxxxxxx</pattern><require>{A} == 0</require>
			<field name="A" low="0" high="3" type="uint"/><field name="B" low="4" high="7" type="uint"/></bitset>
		<bitset name="all" extends="#instruction"><display>pick {A}, {B}</display><pattern low="24" high="31">11110100</pattern><pattern low="8" high="23">xxxxxxxxxxxxxxxx</pattern><require>{A} == 15</require>
			<field name="A" low="0" high="3" type="uint"/><field name="B" low="4" high="7" type="uint"/></bitset>
		<bitset name="some" extends="#instruction"><display>pick {A}, {B}</display><pattern low="24" high="31">11111000</pattern><pattern low="8" high="23">xxxxxxxxxxxxxxxx</pattern>
			<field name="A" low="0" high="3" type="uint"/><field name="B" low="4" high="7" type="uint"/></bitset>
		</isa>`)}}, "facts.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	compareGroups(t, s, [][]string{
		{"op 3, 4", "op 5, 6", "op 7, 0", "op 15, 7", "op 16, 7", "op 15, 8", "op 200, 300", "op 256, 1", "op 3, 511", "op 3, 512"},
		{"op 3, -4", "op 3, -5", "op 3, -8", "op 3, -9", "op 3, -512", "op 3, -513", "op 3, -0", "op 3, -1"},
		{"same 4, 4, 6", "same 5, 5, 7", "same 5, 6, 7", "same 6, 7, 7", "same 7, 7, 255", "same 7, 7, 256", "same 8, 9, 255"},
		{"word 0 r3", "word 2 r3", "word 12 r3", "word 1 r3", "word 2 r9", "word 0 r12", "word 0 r142", "word 0 r30", "word 0 r16"},
		{"at [4]+5, 6", "at [8]+6, 10", "at [9]+6, 10", "at [60]+1, 99", "at [64]+1, 99", "at [4]+0, 6", "at [4]+31, 255", "at [4]+32, 6", "at [4]-32, 6", "at [4]-33, 6", "at [4], 6"},
		{"at [4], a", "at [4], 1a", "at [4], 0x1a", "at [8], 0x1b", "at [8], 0x1c"},
		{"plain r1, 3", "plain r2, 4", "plain r9, 5", "plain r3, 18", "plain r4, 19", "plain r4, 2", "plain r10, 11", "plain r16, 11"},
		{"sum 3 4 7", "sum 5 2 7", "sum 5 4 7", "sum 5 4 9", "sum 15 15 30", "sum 0 0 0", "sum 1 0 2"},
		{"touch r12", "touch r34", "touch r123", "touch r1", "touch r415", "touch r1512", "touch r91", "touch r1616", "touch r99"},
		{"near [3]", "near [4]", "near [16]", "near [17]", "near [0]", "near [63]"},
		{"lit r3 5", "lit r5 6", "lit r4 7", "lit r4 8", "lit r15 15", "lit r16 3", "lit r40 3"},
		{"solo [3] 1", "solo [5] 2", "solo [4] 3", "solo [6] 3", "solo [4] 9", "solo [9] 3"},
		{"pick 3, 5", "pick 4, 6", "pick 5, 7", "pick 0, 5", "pick 15, 5", "pick 7, 7", "pick 0, 1", "pick 15, 1", "pick 16, 1"},
		{"jump l1, 2", "jump l12, 3", "jump l12, 4", "jump l134, 4", "jump 7, 4", "jump 8, 5", "jump -8, 6", "jump 127, 6", "jump 128, 6", "jump x1, 2", "jump l1l, 2"},
		{"op 03, 4", "op 04, 5", "op 05, 6", "op 3,4", "op 4,5", "op 5,6", "op 16,5", "op  6, 5", "op  17, 5", "op  18, 5"},
	})
}

// TestKnownShapes reads lines of one shape, of which the third and those behind it are known: they differ in what nothing
// relied on. The last one of each group is something else, and is read so.
func TestKnownShapes(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"known.xml": {Data: []byte(`<isa name="known" strict="true">
		<bitset name="#i" size="32"/>
		<bitset name="#reg" size="3"><override><expr>{N} == 7</expr><display>none</display></override><display>r{N}</display><field name="N" low="0" high="2" type="uint"/></bitset>
		<bitset name="#place" size="8"><override><expr>{BASE} == 0</expr><display>0x{V}</display></override>
			<override><expr>{V} == 0</expr><display>b{BASE}</display></override><display>b{BASE}+0x{V}</display><field name="V" low="0" high="7" type="hex"/></bitset>
		<bitset name="#step" size="8"><override><expr>{ON}</expr><display>++0x{V}</display></override><display>+0x{V}</display><field name="V" low="0" high="7" type="hex"/></bitset>
		<bitset name="add" extends="#i"><display>add {A}, 0x{H}</display><pattern low="24" high="31">00000001</pattern><pattern low="11" high="23">xxxxxxxxxxxxx</pattern>
			<field name="A" low="0" high="2" type="#reg"/><field name="H" low="3" high="10" type="hex"/></bitset>
		<bitset name="load" extends="#i"><display>load [{P}]</display><pattern low="24" high="31">00000010</pattern><pattern low="11" high="23">xxxxxxxxxxxxx</pattern>
			<field name="P" type="#place"><bits low="3" high="6"/><bits low="7" high="10"/><param name="BASE"/></field><field name="BASE" low="0" high="2" type="uint"/></bitset>
		<bitset name="store" extends="#i"><display>store [{P}]</display><pattern low="24" high="31">00000011</pattern><pattern low="8" high="23">xxxxxxxxxxxxxxxx</pattern>
			<derived name="P" type="#place"><expr>{X} &lt;&lt; 2</expr><param name="BASE"/></derived><field name="X" low="3" high="7" type="uint"/><field name="BASE" low="0" high="2" type="uint"/></bitset>
		<bitset name="move" extends="#i"><display>move [{P}]</display><pattern low="24" high="31">00000100</pattern><pattern low="9" high="23">xxxxxxxxxxxxxxx</pattern>
			<derived name="P" type="#step"><expr>({ON} ? {X} ^ 16 : {X}) &lt;&lt; 1</expr><param name="ON"/></derived><field name="X" low="3" high="7" type="uint"/><field name="ON" pos="8" type="uint"/><pattern low="0" high="2">xxx</pattern></bitset>
		<bitset name="carry" extends="#i"><display>sum 0x0, {A}</display><pattern low="24" high="31">00000101</pattern><pattern low="0" high="7">xxxxxxxx</pattern><pattern low="12" high="23">xxxxxxxxxxxx</pattern>
			<field name="A" low="8" high="11" type="uint"/></bitset>
		<bitset name="sum" extends="#i"><display>sum 0x{H}, {A}</display><pattern low="24" high="31">00000110</pattern><pattern low="12" high="23">xxxxxxxxxxxx</pattern>
			<field name="H" low="0" high="7" type="hex"/><field name="A" low="8" high="11" type="uint"/></bitset>
		<bitset name="#odd" size="8"><display>{V}{F}</display><field name="V" low="1" high="7" type="uint"/><field name="F" pos="0" type="bool" display="!"/></bitset>
		<bitset name="odd" extends="#i"><display>odd {ON}{P}</display><pattern low="24" high="31">00000111</pattern><pattern low="9" high="23">xxxxxxxxxxxxxxx</pattern>
			<derived name="P" type="#odd"><expr>{ON} ? {X} &lt;&lt; 4 : {X}</expr></derived><field name="X" low="0" high="3" type="uint"/><pattern low="4" high="7">xxxx</pattern><field name="ON" pos="8" type="bool" display="+"/></bitset>
		<bitset name="twice" extends="#i"><display>twice [{P}]</display><pattern low="24" high="31">00001000</pattern><pattern low="4" high="23">xxxxxxxxxxxxxxxxxxxx</pattern>
			<derived name="P" type="#step"><expr>{X} | {X} &lt;&lt; 4</expr><param name="ON"/></derived><derived name="ON" type="uint"><expr>0</expr></derived><field name="X" low="0" high="3" type="uint"/></bitset>
		<bitset name="#ab" extends="#i"><display>{NAME} {A}, {B}</display><field name="A" low="0" high="3" type="uint"/><field name="B" low="4" high="7" type="uint"/></bitset>
		<bitset name="most" extends="#ab"><pattern low="8" high="31">00010000xxxxxxxxxxxxxxxx</pattern><require>{A} != 15</require></bitset>
		<bitset name="most-other" displayname="most" extends="#ab"><pattern low="8" high="31">00010001xxxxxxxxxxxxxxxx</pattern></bitset>
		<bitset name="high" extends="#ab"><pattern low="8" high="31">00010010xxxxxxxxxxxxxxxx</pattern><require>{A} &gt;&gt; 1 != 7</require></bitset>
		<bitset name="high-other" displayname="high" extends="#ab"><pattern low="8" high="31">00010011xxxxxxxxxxxxxxxx</pattern></bitset>
		<bitset name="low" extends="#ab"><pattern low="8" high="31">00010100xxxxxxxxxxxxxxxx</pattern><require>({A} &amp; 7) != 0</require></bitset>
		<bitset name="low-other" displayname="low" extends="#ab"><pattern low="8" high="31">00010101xxxxxxxxxxxxxxxx</pattern></bitset>
		<bitset name="both" extends="#ab"><pattern low="8" high="31">00010110xxxxxxxxxxxxxxxx</pattern><require>({A} | {B} &lt;&lt; 4) != 0</require></bitset>
		<bitset name="both-other" displayname="both" extends="#ab"><pattern low="8" high="31">00010111xxxxxxxxxxxxxxxx</pattern></bitset>
		</isa>`)}}, "known.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	groups := [][]string{
		{"add r1, 0x1a", "add r2, 0xa", "add r3, 0xca", "add r6, 0xfa", "add r0, 0x1", "add r7, 0x1"},
		{"load [b1+0x7]", "load [b2+0x8]", "load [b3+0xf0]", "load [b7+0x1]", "load [b0+0x1]"},
		{"load [b1+0x8]", "load [b2+0x7]", "load [b3+0xf0]", "load [b7+0x1]", "load [b1+0x0]"},
		{"load [0x1]", "load [0x2]", "load [0xff]", "load [0x34]", "load [0x100]"},
		{"store [b1+0x4]", "store [b2+0x8]", "store [b3+0x7c]", "store [b3+0x40]", "store [b3+0x42]"},
		{"store [b1+0x4]", "store [b2+0x8]", "store [b3+0x7c]", "store [b3+0x40]", "store [b3+0x80]"},
		{"store [b1]", "store [b2]", "store [b3]", "store [b7]", "store [b0]"},
		{"move [+0x2]", "move [+0x4]", "move [+0x3e]", "move [+0x18]", "move [+0x19]"},
		{"move [++0x2]", "move [++0x2]", "move [++0x2]", "move [++0x20]"},
		{"sum 0x1, 1", "sum 0x2, 2", "sum 0xff, 3", "sum 0x34, 0", "sum 0x0, 1"},
		{"sum 0x0, 1", "sum 0x0, 2", "sum 0x0, 3", "sum 0x0, 0", "sum 0x1, 0"},
		{"sum 0x0, 1", "sum 0x0, 2", "sum 0x5, 3", "sum 0x6, 4", "sum 0xff, 5", "sum 0x0, 6"},
		{"odd +8", "odd +16", "odd +24", "odd +120", "odd +4"},
		{"odd 1", "odd 2", "odd 3", "odd 5", "odd 16"},
		{"twice [+0x11]", "twice [+0x22]", "twice [+0x33]", "twice [+0x12]"},
		{"most 3, 1", "most 4, 2", "most 1, 5", "most 14, 0", "most 15, 0"},
		{"high 3, 1", "high 4, 2", "high 1, 5", "high 13, 0", "high 14, 0"},
		{"low 7, 1", "low 7, 2", "low 6, 5", "low 15, 0", "low 8, 0"},
		{"both 0, 1", "both 0, 2", "both 0, 3", "both 0, 5", "both 0, 0"},
		{"both 8, 0", "both 9, 0", "both 11, 0", "both 15, 0", "both 0, 0"},
	}
	for _, lines := range groups {
		remembers, forgets := twoParsers(t, s, "")
		for i, line := range lines {
			sameReading(t, remembers, forgets, line)
			if last := i == len(lines)-1; i > 2 && !last && !remembers.byShape {
				t.Errorf("%q is not known by %q", line, lines[:i])
			}
		}
	}
	compareGroups(t, s, groups)
}

// TestSelectors reads lines of one shape one after another, of which the later ones have other selectors.
func TestSelectors(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"selectors.xml": {Data: []byte(`<isa name="selectors" strict="true">
		<enum name="#c"><value val="0" display="x"/><value val="1" display="y"/><value val="2" display="z"/><value val="3" display="w"/></enum>
		<enum name="#x"><value val="0" display="*"/><value val="1" display="x"/></enum>
		<enum name="#y"><value val="0" display="*"/><value val="1" display="y"/></enum>
		<enum name="#word"><value val="0" display="xy"/><value val="1" display="yz"/><value val="2" display="zw"/><value val="3" display="zwx"/></enum>
		<bitset name="#pair" size="4"><display>{A}{B}</display><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#swizzle" size="4">
			<override><expr>{A} == 0 &amp;&amp; {B} == 1</expr><display/><alias>.xy</alias></override>
			<override><expr>{A} == {B}</expr><display>.{A}{B}</display><alias>.{A}</alias></override>
			<display>.{A}{B}</display><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#mask" size="2"><display>{X}{Y}</display><field name="X" pos="0" type="#x"/><field name="Y" pos="1" type="#y"/></bitset>
		<bitset name="#last" size="2"><display>{A}</display><field name="A" low="0" high="1" type="#c"/></bitset>
		<bitset name="#reg" size="8"><display>r{N}{S}</display><field name="N" low="0" high="3" type="uint"/><field name="S" low="4" high="7" type="#swizzle"/></bitset>
		<bitset name="#i" size="32"/>
		<bitset name="short" extends="#i"><display>op {N}.{P}, {A}</display><pattern low="28" high="31">0000</pattern><pattern low="12" high="27">xxxxxxxxxxxxxxxx</pattern><require>{P} != 5</require>
			<field name="N" low="0" high="3" type="uint"/><field name="P" low="4" high="7" type="#pair"/><field name="A" low="8" high="11" type="uint"/></bitset>
		<bitset name="long" extends="#i"><display>op {N}.{P}, {A}</display><pattern low="28" high="31">0001</pattern><pattern low="16" high="27">xxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="P" low="4" high="7" type="#pair"/><field name="A" low="8" high="15" type="uint"/></bitset>
		<bitset name="same" extends="#i"><display>same {N}.{P}, {N}.{P}</display><pattern low="28" high="31">0010</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="P" low="4" high="7" type="#pair"/></bitset>
		<bitset name="literal" extends="#i"><display>lit {N}.xz {N}</display><pattern low="28" high="31">0011</pattern><pattern low="4" high="27">xxxxxxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/></bitset>
		<bitset name="unliteral" extends="#i"><display>lit {N}.{P} {A}</display><pattern low="28" high="31">0100</pattern><pattern low="12" high="27">xxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="P" low="4" high="7" type="#pair"/><field name="A" low="8" high="11" type="uint"/></bitset>
		<bitset name="word" extends="#i"><display>word {N}.{W}{A}</display><pattern low="28" high="31">0101</pattern><pattern low="10" high="27">xxxxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="W" low="4" high="5" type="#word"/><field name="A" low="6" high="9" type="uint"/></bitset>
		<bitset name="pair" extends="#i"><display>word {N}.{P}{L}, {A}</display><pattern low="28" high="31">0110</pattern><pattern low="14" high="27">xxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="P" low="4" high="7" type="#pair"/><field name="L" low="8" high="9" type="#last"/><field name="A" low="10" high="13" type="uint"/></bitset>
		<bitset name="mask" extends="#i"><display>mask {N}.{M}, {A}</display><pattern low="28" high="31">0111</pattern><pattern low="10" high="27">xxxxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="M" low="4" high="5" type="#mask"/><field name="A" low="6" high="9" type="uint"/></bitset>
		<bitset name="free" extends="#i"><display>free {N}.{M} - {A}</display><pattern low="28" high="31">1000</pattern><pattern low="10" high="27">xxxxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="M" low="4" high="5" type="#mask"/><field name="A" low="6" high="9" type="uint"/></bitset>
		<bitset name="regs" extends="#i"><display>regs {R}, {Q}</display><pattern low="28" high="31">1001</pattern><pattern low="16" high="27">xxxxxxxxxxxx</pattern>
			<field name="R" low="0" high="7" type="#reg"/><field name="Q" low="8" high="15" type="#reg"/></bitset>
		<bitset name="sum" extends="#i"><display>sum {N}.{P}, {D}</display><pattern low="28" high="31">1010</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="P" low="4" high="7" type="#pair"/><derived name="D" type="uint" width="6"><expr>{N} + {P.A}</expr></derived></bitset>
		<bitset name="hexes" extends="#i"><display>hex {N}.{H}</display><pattern low="28" high="31">1011</pattern><pattern low="20" high="27">xxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="H" low="4" high="19" type="hex"/></bitset>
		<bitset name="labels" extends="#i"><display>hex {N}.{T}</display><pattern low="28" high="31">1100</pattern><pattern low="20" high="27">xxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="T" low="4" high="19" type="branch"/></bitset>
		<bitset name="yzw" extends="#i"><display>{N} yzw {A}</display><pattern low="28" high="31">1101</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="A" low="4" high="7" type="uint"/></bitset>
		<bitset name="shown" extends="#i"><override><expr>{P} == 6</expr><display>none {N}.{P}</display></override><display>show {N}.{P}</display><pattern low="28" high="31">1110</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="P" low="4" high="7" type="#pair"/></bitset>
		<bitset name="floats" extends="#i"><display>fl {N}.{F}</display><pattern low="28" high="31">1111</pattern><pattern low="20" high="27">xxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="F" low="4" high="19" type="float"/></bitset>
		</isa>`)}}, "selectors.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	compareGroups(t, s, [][]string{
		{"op 1.xy, 3", "op 2.zw, 4", "op 3.yx, 5", "op 3.yy, 5", "op 4.yy, 6", "op 5.xz, 77", "op 6.yy, 77", "op 6.xq, 7", "op 6.x, 7", "op 6.xyz, 7", "op 7.xx, 7"},
		{"same 1.xy, 1.xy", "same 1.zw, 1.zw", "same 2.xy, 2.yz", "same 2.xx, 3.xx", "same 3.yy, 3.yy"},
		{"lit 1.xy 1", "lit 1.xz 1", "lit 2.yz 1", "lit 2.xz 3", "lit 2.xz 2", "lit 3.zw 3"},
		{"word 1.xy2", "word 1.xyz, 2", "word 1.zwx, 2", "word 2.zwx2", "word 2.zw3", "word 3.yzw, 5", "word 1.xx, 2", "word 1.zw2x", "word 2.xyx, 3", "word 2.zwy, 3"},
		{"mask 1.xy, 2", "mask 1.x*, 2", "mask 2.**, 3", "mask 3.*y, 4", "mask 3.*y , 4", "mask 3.x* , 4", "mask 3.xy , 4", "mask 3.x*,4", "mask 3.**,4"},
		{"free 1.xy - 2", "free 1.x* - 2", "free 1.*y-2", "free 1.xy-2", "free 1.x*- 2", "free 1.xy- 2", "free 1.** -2", "free 1.x* -2"},
		{"regs r1.zw, r2.xx", "regs r1.x, r2.y", "regs r1.zw, r2.y", "regs r1, r2", "regs r1.xy, r2.yx", "regs r3.yx, r4.xz", "regs r1.zz, r2.w", "regs r3.wz, r1.x", "regs r1.xyz, r2"},
		{"sum 1.xy, 1", "sum 2.yy, 3", "sum 3.yz, 4", "sum 3.zz, 4", "sum 3.zx, 5", "sum 4.wx, 7", "sum 4.wx, 8"},
		{"hex 1.ab", "hex 1.l1", "hex 2.xy", "hex 2.lx", "hex 2.ff", "hex 3.yx", "hex 1.l", "hex 2.7"},
		{"1 yzw 3", "op 1.zw, 3", "op 1.yz, 3", "op 2.wz, 4", "word 3.yzw, 5", "word 4.yzw, 6", "2 yzw 4"},
		{"show 1.xy", "show 2.zw", "none 2.zy", "none 3.xy", "show 3.zy", "show 4.yx", "show 5.wz", "none 6.wz"},
		{"fl 1.nan", "fl 1.inf", "fl 2.xy", "fl 1.5", "fl 1..5", "fl 1.yz"},
		{"op 1.XY, 3", "op 01.xy, 3", "op 0x2.yz, 4", "op 0x3.zw, 5", "op  3.zw , 5", "op  4.yz , 6", "op 5. yz, 6"},
	})
}

// TestSelectorKinds is TestSelectors for words that are more than one operand, or less than all of one.
func TestSelectorKinds(t *testing.T) {
	const head = `<display>%s</display><pattern low="27" high="31">%05b</pattern><pattern low="%d" high="26">%s</pattern>`
	const n, a4, a8 = `<field name="N" low="0" high="3" type="uint"/>`, `<field name="A" low="12" high="15" type="uint"/>`, `<field name="A" low="12" high="19" type="uint"/>`
	var b strings.Builder
	count := 0
	inst := func(display, fields string) {
		width := 20
		if !strings.Contains(fields, a8) {
			width = 16
		}
		fmt.Fprintf(&b, `<bitset name="i%d" extends="#i">`+head+"%s</bitset>", count, display, count, width, strings.Repeat("x", 27-width), fields)
		count++
	}
	field := func(name, typ string, width int) string {
		rest := ""
		if width < 8 {
			rest = fmt.Sprintf(`<pattern low="%d" high="11">%s</pattern>`, 4+width, strings.Repeat("x", 8-width))
		}
		return fmt.Sprintf(`<field name="%s" low="4" high="%d" type="%s"/>%s`, name, 3+width, typ, rest)
	}
	free := `<pattern low="4" high="11">xxxxxxxx</pattern>`
	inst("BANG {N}.{S}, {A}", n+a4+field("S", "#bang", 5))
	inst("AMB {N}.{S}, {A}", n+a4+field("S", "#amb", 5)+"<require>{S} &lt; 16</require>")
	inst("AMB {N}.{S}, {A}", n+a8+field("S", "#amb", 5)+"<require>{S} &gt; 15</require>")
	inst("PAR {N}.{S}, {A}", n+a4+`<field name="S" low="4" high="7" type="#par"><param name="N"/></field><pattern low="8" high="11">xxxx</pattern>`)
	inst("PT {N}{S}, {A}", n+a8+field("S", "#point", 5))
	inst("PT {N}.{S}, {A}", n+a4+field("S", "#point", 5))
	inst("CUT {N}{S}{C}, {A}", n+a4+`<field name="S" low="4" high="7" type="#short"/><field name="C" low="8" high="9" type="#c"/><pattern low="10" high="11">xx</pattern>`)
	inst("AL {N}{S}, {A}", n+a4+field("S", "#some", 4))
	inst("AL {N}{D}{C}, {A}", n+a4+`<field name="D" pos="4" type="#dot"/><field name="C" low="5" high="6" type="#c"/><pattern low="7" high="11">xxxxx</pattern>`)
	inst("FR {N}.{S} #{A}", n+a4+field("S", "#mask", 2))
	inst("CF {N}.{S}, {A}", n+a4+field("S", "#pair", 4))
	inst("CF {N}.{S}, {A}", n+a8+field("S", "#swapped", 4))
	inst("HX {N}.{S}, {A}", n+a4+field("S", "#hex-pair", 4))
	inst("HEX {N}.{H}", n+`<field name="H" low="4" high="15" type="hex"/>`)
	inst("JUMP {N}.{T}", n+`<field name="T" low="4" high="15" type="branch"/>`)
	inst("DOT {N}{S}.{P}, {A}", n+a4+`<field name="S" low="4" high="7" type="#some"/><field name="P" low="8" high="11" type="#pair"/>`)
	inst("DG {N}{S}{A}", n+a4+field("S", "#digits", 4))
	inst("tri {N}.{S} {A}", n+a4+field("S", "#three", 6))
	inst("{E} {N}{D}pqr {A}", n+a8+`<field name="E" pos="4" type="#names"/><field name="D" pos="5" type="#dot"/><pattern low="6" high="11">xxxxxx</pattern>`)
	// What is read so where it should have been read otherwise.
	inst("BANG {N}.{P}{F}, {A}", n+a4+`<field name="P" low="4" high="7" type="#pair"/><field name="F" pos="8" type="bool" display="!"/><pattern low="9" high="11">xxx</pattern>`)
	inst("CUT {N}{K}, {A}", n+a4+field("K", "#some", 4))
	inst("DOT {N}{K}, {A}", n+a4+field("K", "#some", 4))
	inst("DG {N}{K}", n+`<pattern low="12" high="15">xxxx</pattern>`+field("K", "#digits", 4))
	inst("SOFT {N}{S}, {A}", n+a4+free+`<derived name="S" type="#on"><expr>{N} == 1</expr></derived>`)
	s, err := isa.Load(fstest.MapFS{"kinds.xml": {Data: []byte(`<isa name="kinds" strict="true">
		<enum name="#c"><value val="0" display="x"/><value val="1" display="y"/><value val="2" display="z"/><value val="3" display="w"/></enum>
		<enum name="#h"><value val="0" display="a"/><value val="1" display="b"/><value val="2" display="c"/><value val="3" display="l"/></enum>
		<enum name="#d"><value val="0" display="x"/><value val="1" display="y"/><value val="2" display="1"/><value val="3" display="2"/></enum>
		<enum name="#p"><value val="0" display="p"/><value val="1" display="q"/><value val="2" display="r"/><value val="3" display="s"/></enum>
		<enum name="#dot"><value val="0" display="."/><value val="1" display=":"/></enum>
		<enum name="#names"><value val="0" display="tri"/><value val="1" display="quad"/></enum>
		<enum name="#x"><value val="0" display="*"/><value val="1" display="x"/></enum>
		<enum name="#y"><value val="0" display="*"/><value val="1" display="y"/></enum>
		<bitset name="#mask" size="2"><display>{X}{Y}</display><field name="X" pos="0" type="#x"/><field name="Y" pos="1" type="#y"/></bitset>
		<bitset name="#pair" size="4"><display>{A}{B}</display><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#swapped" size="4"><display>{B}{A}</display><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#hex-pair" size="4"><display>{A}{B}</display><field name="A" low="0" high="1" type="#h"/><field name="B" low="2" high="3" type="#h"/></bitset>
		<bitset name="#digits" size="4"><display>.{A}{B}</display><override><expr>{A} == {B}</expr><display>.{A}{B}</display><alias>.{A}</alias></override>
			<field name="A" low="0" high="1" type="#d"/><field name="B" low="2" high="3" type="#d"/></bitset>
		<bitset name="#three" size="6"><display>{A}{B}{C}</display><field name="A" low="0" high="1" type="#p"/><field name="B" low="2" high="3" type="#p"/><field name="C" low="4" high="5" type="#p"/></bitset>
		<bitset name="#some" size="4"><override><expr>{A} == 0 &amp;&amp; {B} == 1</expr><display/><alias>.xy</alias></override>
			<override><expr>{A} == {B}</expr><display>.{A}{B}</display><alias>.{A}</alias></override>
			<display>.{A}{B}</display><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#short" size="4"><override><expr>{A} == {B}</expr><display>.{A}</display></override><display>.{A}{B}</display>
			<field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#bang" size="5"/>
		<bitset name="#bang-0" extends="#bang"><display>{A}{B}</display><pattern pos="4">0</pattern><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#bang-1" extends="#bang"><display>{A}{B}!</display><pattern pos="4">1</pattern><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#par" size="4"><override><expr>{N} == 3</expr><display>!</display></override><display>{A}{B}</display><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#amb" size="5"/>
		<bitset name="#amb-0" extends="#amb"><display>{A}{B}</display><pattern pos="4">0</pattern><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#amb-1" extends="#amb"><display>{A}x</display><pattern low="2" high="4">1xx</pattern><field name="A" low="0" high="1" type="#c"/></bitset>
		<bitset name="#point" size="5"/>
		<bitset name="#point-0" extends="#point"><display>.{A}{B}</display><pattern pos="4">0</pattern><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#point-1" extends="#point"><display>{A}{B}</display><pattern pos="4">1</pattern><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#on" size="1"><override><expr>{ON} == 0</expr><display/></override><display>!</display><field name="ON" pos="0" type="uint"/></bitset>
		<bitset name="#i" size="32"/>` + b.String() + `</isa>`)}}, "kinds.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	compareGroups(t, s, [][]string{
		{"BANG 1.xy, 2", "BANG 2.zw, 3", "BANG 3.yy, 3", "BANG 1.xy!, 2", "BANG 2.zw!, 3", "BANG 2.yx!, 3", "BANG 3.xy, 4", "BANG 3.yx!, 4"},
		{"AMB 1.yz, 3", "AMB 2.zw, 3", "AMB 2.yx, 3", "AMB 3.zx, 3", "AMB 3.zx, 77", "AMB 2.yx, 78", "AMB 2.yz, 77", "AMB 4.yz, 5", "AMB 4.zx, 5", "AMB 5.xx, 60"},
		{"PAR 1.xy, 2", "PAR 2.yx, 3", "PAR 3.xy, 3", "PAR 3.yx, 4", "PAR 4.yx, 4", "PAR 3.zw, 5", "PAR 4.zw, 5"},
		{"PT 1.xy, 2", "PT 2.zw, 3", "PT 1.zw, 77", "PT 2.xy, 78", "PT 3.xy, 4", "PT 3.yz, 99"},
		{"CUT 1.xyz, 2", "CUT 1.xy, 2", "CUT 2.zw, 3", "CUT 1x, 2", "CUT 2.yy, 4", "CUT 3.wz, 5", "CUT 3.zzw, 5", "CUT 3.xx, 5"},
		{"AL 1.xx, 2", "AL 2.zw, 2", "AL 1.x, 2", "AL 2.y, 3", "AL 3, 3", "AL 4.xy, 3", "AL 5.wz, 4", "AL 5.w, 4"},
		{"FR 1.x* #2", "FR 1.xy #2", "FR 1.x*#2", "FR 2.**#3", "FR 3.x*#4", "FR 3.*y#4", "FR 3.xy#4", "FR 4.**#5", "FR 4.x* #5"},
		{"CF 1.xy, 2", "CF 2.zw, 3", "CF 1.yz, 77", "CF 2.xy, 78", "CF 3.zw, 79", "CF 4.zw, 5", "CF 4.yx, 255"},
		{"HX 1.ab, 2", "HX 2.ba, 3", "HX 3.la, 3", "HX 4.lb, 3", "HEX 1.ab", "HEX 2.ba", "HEX 3.cab", "HEX 1.la", "JUMP 1.la", "JUMP 2.lb", "JUMP 2.ab", "HEX 3.bb", "HX 1.bb, 2"},
		{"DOT 1.zw, 2", "DOT 2.xx, 3", "DOT 1.zw.xy, 2", "DOT 2.yx.xx, 3", "DOT 3.xx, 3", "DOT 4.zw, 4", "DOT 4.xy.zw, 4", "DOT 5.wz, 4"},
		{"DG 1.x1", "DG 2.y2", "DG 1.xy3", "DG 2.yx4", "DG 3.y1", "DG 3.x2", "DG 3.xx2", "DG 4.y12", "DG 4.x23", "DG 4.y"},
		{"tri 1.rqp 3", "tri 2.pqr 4", "tri 3.qrr 5", "tri 1.pqr 77", "quad 2.pqr 4", "tri 2.rqp 77", "tri 3.pqr 78", "quad 3.rqp 4", "tri 3.pqr 5"},
		{"SOFT 1!, 2", "SOFT 0, 2", "SOFT 0!, 2", "SOFT 1, 2", "SOFT 2!, 3", "SOFT 3, 3"},
	})
}

// TestSelectorsBesideHoles is TestSelectors for operands that have more holes behind the selector, ways of more than one
// size, or words in which a blank is free.
func TestSelectorsBesideHoles(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"beside.xml": {Data: []byte(`<isa name="beside" strict="true">
		<enum name="#c"><value val="0" display="x"/><value val="1" display="y"/><value val="2" display="z"/><value val="3" display="w"/></enum>
		<enum name="#times"><value val="0" display="x*y"/><value val="1" display="x"/><value val="2" display="y"/><value val="3" display="y*x"/></enum>
		<enum name="#rest"><value val="0" display="*y"/><value val="1" display="*x"/><value val="2" display="q"/></enum>
		<bitset name="#pair" size="4"><display>{A}{B}</display><field name="A" low="0" high="1" type="#c"/><field name="B" low="2" high="3" type="#c"/></bitset>
		<bitset name="#quad" size="8"><display>{P}{Q}</display><field name="P" low="0" high="3" type="#pair"/><field name="Q" low="4" high="7" type="#pair"/></bitset>
		<bitset name="#reg" size="4"><display>r.{P}</display><field name="P" low="0" high="3" type="#pair"/></bitset>
		<bitset name="#indexed" size="12"><display>{Q}[{R}]</display><field name="Q" low="0" high="7" type="#quad"/><field name="R" low="8" high="11" type="#reg"/></bitset>
		<bitset name="#numbered" size="4"><display>n{N}</display><field name="N" low="0" high="3" type="uint"/></bitset>
		<bitset name="#counted" size="8"><display>{P}[{N}]</display><field name="P" low="0" high="3" type="#pair"/><field name="N" low="4" high="7" type="#numbered"/></bitset>
		<bitset name="#term" size="2"><display>{A}</display><field name="A" low="0" high="1" type="#times"/></bitset>
		<bitset name="#short-first" size="5"/>
		<bitset name="#short-first-1" extends="#short-first"><display>{A}</display><pattern low="2" high="4">0xx</pattern><field name="A" low="0" high="1" type="#c"/></bitset>
		<bitset name="#short-first-2" extends="#short-first"><display>{B}{C}</display><pattern pos="4">1</pattern><field name="B" low="0" high="1" type="#c"/><field name="C" low="2" high="3" type="#c"/></bitset>
		<bitset name="#mark" size="3"/>
		<bitset name="#mark-alone" extends="#mark"><display>!</display><pattern low="0" high="2">0xx</pattern></bitset>
		<bitset name="#mark-of" extends="#mark"><display>{A}!</display><pattern pos="2">1</pattern><field name="A" low="0" high="1" type="#c"/></bitset>
		<bitset name="#two-or-four" size="9"/>
		<bitset name="#four" extends="#two-or-four"><display>{Q}</display><pattern pos="8">0</pattern><field name="Q" low="0" high="7" type="#quad"/></bitset>
		<bitset name="#only-two" extends="#two-or-four"><display>{P}</display><pattern low="4" high="8">1xxxx</pattern><field name="P" low="0" high="3" type="#pair"/></bitset>
		<bitset name="#i" size="32"/>
		<bitset name="op" extends="#i"><display>op {N}.{P}, {A}</display><pattern low="28" high="31">0000</pattern><pattern low="12" high="27">xxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="P" low="4" high="7" type="#pair"/><field name="A" low="8" high="11" type="uint"/></bitset>
		<bitset name="at" extends="#i"><display>at [{R}], {A}</display><pattern low="28" high="31">0001</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="R" low="0" high="3" type="#reg"/><field name="A" low="4" high="7" type="uint"/></bitset>
		<bitset name="by" extends="#i"><display>by {N}.{K}, {A}</display><pattern low="28" high="31">0010</pattern><pattern low="20" high="27">xxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="K" low="4" high="15" type="#indexed"/><field name="A" low="16" high="19" type="uint"/></bitset>
		<bitset name="count" extends="#i"><display>count {N}.{K}, {A}</display><pattern low="28" high="31">0011</pattern><pattern low="16" high="27">xxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="K" low="4" high="11" type="#counted"/><field name="A" low="12" high="15" type="uint"/></bitset>
		<bitset name="place-1" extends="#i"><override><expr>{M} == 5</expr><display>five</display></override><display>place [n{M}], {A}</display><pattern low="28" high="31">1011</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="M" low="0" high="3" type="uint"/><field name="A" low="4" high="7" type="uint"/></bitset>
		<bitset name="place-2" extends="#i"><display>place [{R}], {A}</display><pattern low="28" high="31">1100</pattern><pattern low="8" high="27">xxxxxxxxxxxxxxxxxxxx</pattern>
			<field name="R" low="0" high="3" type="#numbered"/><field name="A" low="4" high="7" type="uint"/></bitset>
		<bitset name="term" extends="#i"><display>term {N}.{T}, {A}</display><pattern low="28" high="31">0100</pattern><pattern low="10" high="27">xxxxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="T" low="4" high="5" type="#term"/><field name="A" low="6" high="9" type="uint"/></bitset>
		<bitset name="times-1" extends="#i"><display>times {N}.{T} {S} = {A}</display><pattern low="28" high="31">0101</pattern><pattern low="12" high="27">xxxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="T" low="4" high="5" type="#term"/><field name="S" low="6" high="7" type="#rest"/><field name="A" low="8" high="11" type="uint"/></bitset>
		<bitset name="times-2" extends="#i"><display>times {N}.{T} = {A}</display><pattern low="28" high="31">0110</pattern><pattern low="12" high="27">xxxxxxxxxxxxxxxx</pattern><pattern low="4" high="7">xxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="T" low="8" high="9" type="#term"/><field name="A" low="10" high="11" type="uint"/></bitset>
		<bitset name="short" extends="#i"><display>short {N}.{S}, {A}</display><pattern low="28" high="31">0111</pattern><pattern low="13" high="27">xxxxxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="S" low="4" high="8" type="#short-first"/><field name="A" low="9" high="12" type="uint"/></bitset>
		<bitset name="marked" extends="#i"><display>mark {N}.{S}{M}, {A}</display><pattern low="28" high="31">1000</pattern><pattern low="16" high="27">xxxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="S" low="4" high="8" type="#short-first"/><field name="M" low="9" high="11" type="#mark"/><field name="A" low="12" high="15" type="uint"/></bitset>
		<bitset name="first" extends="#i"><display>first {N}.{S}, {A}</display><pattern low="28" high="31">1001</pattern><pattern low="17" high="27">xxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="S" low="4" high="12" type="#two-or-four"/><field name="A" low="13" high="16" type="uint"/></bitset>
		<bitset name="second" extends="#i"><display>second {N}.{S}, {A}</display><pattern low="28" high="31">1010</pattern><pattern low="17" high="27">xxxxxxxxxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="S" low="4" high="12" type="#two-or-four"/><field name="A" low="13" high="16" type="uint"/></bitset>
		</isa>`)}}, "beside.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	pairs := []string{"op 1.xy, 2", "op 2.zw, 3", "op 3.zz, 4", "op 4.xy, 5", "op 5.zw, 6", "op 6.yz, 7"}
	for i, groups := range [][][]string{
		{pairs, {"at [r.xy], 4", "at [r.zw], 4", "at [r.yy], 5", "at [r.zw], 6"},
			{"by 1.xyzw[r.xy], 2", "by 2.zwxy[r.zw], 3", "by 3.zxxx[r.yy], 4", "by 4.zzzz[r.zz], 4", "by 4.yzzz[r.wz], 4", "by 4.yzzz[r.wz], 99"},
			{"at [r.xy], 4", "at [r.yy], 5"}},
		{pairs, {"place [n5], 99", "place [n5], 98"}, {"count 1.xy[n1], 99", "count 2.zw[n2], 98"}, {"place [n5], 5", "place [n6], 5", "count 1.xy[n1], 9"}},
		{{"term 1.x*y, 2", "term 2.x*y, 3", "term 3.x*y, 4", "term 1.x*y, 2"},
			{"times 1.x*y=2", "times 2.x*y=2", "times 3.x*y=2", "times 3.y*x=2", "times 3.x *x=2", "times 3.y = 2"}},
		{{"short 1.xy, 2", "short 2.zw, 3", "short 3.z, 4", "short 4.zw, 5"}, {"mark 1.xy!, 2", "mark 2.zw!, 3", "mark 3.yz!, 4", "mark 4.y!, 4"}},
		{{"second 1.xyzw, 1", "second 2.xyzw, 1", "second 3.xyzw, 1", "second 4.xyzw, 1"},
			{"first 1.zw, 1", "first 2.zw, 2", "first 3.zw, 3", "first 4.zw, 1", "first 1.x, 1", "first 1.yyxx, 1", "first 1.xzwy, 1"}},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) { compareGroups(t, s, groups) })
	}
}

// TestNumberCutFirst reads operands whose number does not fit, which are read as less of it or as nothing, in this order.
func TestNumberCutFirst(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"cut.xml": {Data: []byte(`<isa name="cut" strict="true">
		<bitset name="#small" size="6"><override><expr>{N} &gt; 1</expr><display/></override><display>{N}</display>
			<field name="N" low="0" high="1" type="uint"/><pattern low="2" high="5">xxxx</pattern></bitset>
		<bitset name="#nested" size="6"><display>{S}</display><field name="S" low="0" high="5" type="#small"/></bitset>
		<bitset name="#i" size="32"/>
		<bitset name="at" extends="#i"><display>at {S}{T}</display><pattern low="28" high="31">0001</pattern><pattern low="14" high="27">xxxxxxxxxxxxxx</pattern>
			<field name="S" low="0" high="5" type="#small"/><field name="T" low="6" high="13" type="branch"/></bitset>
		<bitset name="in" extends="#i"><display>in {S}{A}</display><pattern low="28" high="31">0010</pattern><pattern low="14" high="27">xxxxxxxxxxxxxx</pattern>
			<field name="S" low="0" high="5" type="#nested"/><field name="A" low="6" high="13" type="uint"/></bitset>
		</isa>`)}}, "cut.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	compareGroups(t, s, [][]string{
		{"at 17", "at 14", "at 117", "at 7", "at 2", "at 1", "at 013", "at 127"}, {"in 17", "in 14", "in 117", "in 7", "in 2", "in 255", "in 1255"},
	})
}

// TestHooksSeeText reads operands with selectors and a constant expression: what the hook is asked for has no holes.
func TestHooksSeeText(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"hook.xml": {Data: []byte(`<isa name="hook" strict="true">
		<enum name="#c"><value val="0" display="x"/><value val="1" display="y"/></enum>
		<bitset name="#pair" size="2"><display>{A}{B}</display><field name="A" pos="0" type="#c"/><field name="B" pos="1" type="#c"/></bitset>
		<bitset name="#counted" size="6"><display>{P}[{N}]</display><field name="P" low="0" high="1" type="#pair"/><field name="N" low="2" high="5" type="uint"/></bitset>
		<bitset name="#i" size="16"/>
		<bitset name="op" extends="#i"><display>op {N}.{P}, {A}</display><pattern low="12" high="15">0000</pattern><pattern low="10" high="11">xx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="P" low="4" high="5" type="#pair"/><field name="A" low="6" high="9" type="uint"/></bitset>
		<bitset name="count" extends="#i"><display>count {N}.{K}, {A}</display><pattern low="14" high="15">01</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="K" low="4" high="9" type="#counted"/><field name="A" low="10" high="13" type="uint"/></bitset>
		</isa>`)}}, "hook.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	p, _ := New(s, "")
	p.Constant = func(text string) (int64, int, error) {
		if !strings.HasPrefix(text, "(1+2)") {
			t.Errorf("the hook is asked for %q", text)
		}
		return 3, len("(1+2)"), nil
	}
	for range 4 {
		for _, line := range []string{"op 1.xy, 2", "op 2.yx, 3", "op 3.yy, 4", "count 1.xy[$(1+2)], 1", "count 2.yx[$(1+2)], 2"} {
			if _, err := p.Parse(line); err != nil {
				t.Error(line, err)
			}
		}
	}
}

// TestNumbersLikeAnchors reads instructions whose names start with digits.
func TestNumbersLikeAnchors(t *testing.T) {
	const fields = `<field name="A" low="0" high="7" type="%s"/></bitset>`
	s, err := isa.Load(fstest.MapFS{"anchors.xml": {Data: []byte(`<isa name="anchors" strict="true"><bitset name="#i" size="16"/>
		<bitset name="line" extends="#i"><display>1d {A}</display><pattern low="8" high="15">00000001</pattern>` + fmt.Sprintf(fields, "uint") + `
		<bitset name="word" extends="#i"><display>32 {A}</display><pattern low="8" high="15">00000010</pattern>` + fmt.Sprintf(fields, "uint") + `
		<bitset name="behind" extends="#i"><display>{A}fa</display><pattern low="8" high="15">00000011</pattern>` + fmt.Sprintf(fields, "hex") + `
		<bitset name="other" extends="#i"><display>other {A}</display><pattern low="8" high="15">00000100</pattern>` + fmt.Sprintf(fields, "uint") + `
		</isa>`)}}, "anchors.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	compareGroups(t, s, [][]string{{"1d 1", "1d 2", "1d 3"}, {"other 2", "other 4", "other 5"}, {"32 5", "32 6", "32 77", "33 7"}, {"0x12fa", "0x13fa", "0x1fa", "0x14f"}})
}

// TestDeepOperand reads a value nested too deep, and then less deep.
func TestDeepOperand(t *testing.T) {
	var b strings.Builder
	for i := 40; i > 5; i-- {
		fmt.Fprintf(&b, `<bitset name="#e%d" size="%d"/><bitset name="#x%d" extends="#e%d"><display>x</display><pattern low="0" high="%d">%s</pattern></bitset>`, i, i, i, i, i-1, strings.Repeat("0", i))
		fmt.Fprintf(&b, `<bitset name="#y%d" extends="#e%d"><display>({A})</display><pattern pos="0">1</pattern><field name="A" low="1" high="%d" type="#e%d"/></bitset>`, i, i, i-1, i-1)
	}
	s, err := isa.Load(fstest.MapFS{"deep.xml": {Data: []byte(`<isa name="deep" strict="true">` + b.String() + `
		<bitset name="#e5" size="5"><display>x</display><pattern low="0" high="4">00000</pattern></bitset><bitset name="#i" size="64"/>
		<bitset name="whole" extends="#i"><display>whole {E}, {B}</display><pattern low="48" high="63">0000000000000000</pattern>
			<field name="E" low="0" high="39" type="#e40"/><field name="B" low="40" high="47" type="uint"/></bitset>
		<bitset name="part" extends="#i"><display>part {E}, {B}</display><pattern low="48" high="63">0000000000000001</pattern><pattern low="30" high="39">xxxxxxxxxx</pattern>
			<field name="E" low="0" high="29" type="#e30"/><field name="B" low="40" high="47" type="uint"/></bitset></isa>`)}}, "deep.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	nest := func(n int) string { return strings.Repeat("(", n) + "x" + strings.Repeat(")", n) }
	compareGroups(t, s, [][]string{
		{"whole " + nest(30) + ", 1", "whole " + nest(30) + ", 2", "whole " + nest(30) + ", 3"},
		{"part " + nest(14) + ", 1", "part " + nest(14) + ", 2", "part " + nest(20) + ", 2"},
	})
}

// TestLessDeepOperand reads an operand that is handed the same in two places, of which the first that was read is deeper.
func TestLessDeepOperand(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"deep.xml": {Data: []byte(`<isa name="deep" strict="true">
		<enum name="#c"><value val="0" display="x"/><value val="1" display="y"/></enum>
		<bitset name="#pair" size="2"><override><expr>{A} == {B}</expr><display>{A}{B}</display><alias></alias></override><display>{A}{B}</display>
			<field name="A" pos="0" type="#c"/><field name="B" pos="1" type="#c"/></bitset>
		<bitset name="#two" size="4"><display>{P}-{Q}</display>
			<field name="P" low="0" high="1" type="#pair"/><field name="Q" low="2" high="3" type="#pair"><param name="P" as="OTHER"/></field></bitset>
		<bitset name="#i" size="16"/>
		<bitset name="deep" extends="#i"><display>deep {N} {T}</display><pattern low="12" high="15">0000</pattern><pattern low="8" high="11">xxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="T" low="4" high="7" type="#two"><param name="N"/></field></bitset>
		<bitset name="plain" extends="#i"><display>plain {N} {T}</display><pattern low="12" high="15">0001</pattern><pattern low="8" high="11">xxxx</pattern>
			<field name="N" low="0" high="3" type="uint"/><field name="T" low="4" high="7" type="#two"/></bitset></isa>`)}}, "deep.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	compareGroups(t, s, [][]string{{"deep 1 xy-yx", "deep 2 xx-", "deep 3 -yy", "deep 4 -"}, {"plain 1 xy-yx", "plain 2 yx-", "plain 3 -xy", "plain 4 -"}})
}

// compareGroups holds that lines are read as they are by a parser that remembers nothing.
func compareGroups(t *testing.T, s *isa.Set, groups [][]string) {
	t.Helper()
	remembers, forgets := twoParsers(t, s, "")
	for _, group := range append(groups, groups...) {
		for range 6 {
			for _, line := range group {
				sameReading(t, remembers, forgets, line)
			}
			remembers.memo.lines = lineTable{} // or it would be known by itself
			remembers.memo.shapes.left = 0
		}
		if testing.Verbose() {
			for _, line := range group {
				res, ok := forgets.Try(line)
				t.Log(line, res.Inst.Bits, ok)
			}
		}
	}
	if remembers.memo.shaped.known == 0 {
		t.Error("no shape was known")
	}
}
