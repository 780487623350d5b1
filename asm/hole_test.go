package asm

import (
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/isa"
)

// TestScan finds the numbers of lines: <12> is one with a hole for decimal digits, <x1f> one for those behind 0x.
func TestScan(t *testing.T) {
	h := &holes{}
	for _, line := range []string{
		"mov r<12>, c<3>.x", "<1>", "<0>", "add 0x<x1f>, -<5>", "<12345678> <123456789> <123456789012345>", "a<1>b<2>c<3>d<4>e<5>f<6>g<7>",
		"1234567890123456", "007 00 0x01 0x", "0b101 0o17 0B1", "1.5 0.25 .<5>", "r1.2x", "v<1>.x <2>.", "0x1F 0X1f", "0x<xabcdef> 0x1234567890abcdef",
		"nothing", "", "a\x01 1", "\x02", "\x00 1", "é<1>",
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
			known := compareShapes(t, s, c.root, c.n)
			if lines := c.n * numbersOfLine; known < lines/10 {
				t.Logf("%d lines of %d were known by their shapes", known, lines)
			}
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
	remembers, err := New(s, root)
	if err != nil {
		t.Fatal(err)
	}
	forgets, _ := New(s, root)
	forgets.memo = nil
	r := rand.New(rand.NewSource(*memoSeed))
	withLabels(remembers, forgets)
	randomTables(d, r)
	remembers.memo.ready(remembers)
	for range n {
		leaves := d.Root().Leaves
		l := leaves[r.Intn(len(leaves))]
		in, ok := d.Decode(randomValue(r).AndNot(l.Mask.Or(l.DontCare)).Or(l.Match))
		if !ok {
			continue
		}
		line := string(d.Append(nil, in))
		for range numbersOfLine {
			text := otherNumbers(line, r)
			emptyTables(forgets)
			before := remembers.memo.shaped.known
			remembers.memo.shapes.left = 0 // whether it pays or not
			sameReading(t, remembers, forgets, text)
			known += remembers.memo.shaped.known - before
		}
	}
	return known
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
	remembers, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	forgets, _ := New(s, "")
	forgets.memo = nil
	withLabels(remembers, forgets)
	for _, group := range [][]string{
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
	} {
		for range 4 {
			for _, line := range group {
				sameReading(t, remembers, forgets, line)
			}
			remembers.memo.lines = lineTable{} // or it would be known by itself
		}
	}
	if remembers.memo.shaped.known == 0 {
		t.Error("no shape was known")
	}
}
