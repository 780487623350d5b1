package program_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
)

// toy has instructions of 32 and 64 bits, a branch of either length, and two tables, of which one
// instruction uses one twice.
const toy = `<isa name="toy" strict="true">
<text comment="#"/>
<bitset name="#entry" size="16"><display>e{V}</display><field name="V" low="0" high="15" type="hex"/></bitset>
<table name="one" type="#entry" size="8"/>
<bitset name="#instruction" size="32"/>
<bitset name="#short" extends="#instruction"><pattern pos="0">0</pattern></bitset>
<bitset name="#long" extends="#instruction" size="64"><pattern pos="0">1</pattern></bitset>
<bitset name="nop" extends="#short">
  <display>{NAME}</display><pattern low="1" high="31">0000000000000000000000000000000</pattern>
</bitset>
<bitset name="bra" extends="#short">
  <display>bra {T}</display><pattern low="1" high="4">0001</pattern>
  <field name="T" low="5" high="8" type="branch" unit="32"/><pattern low="9" high="31">00000000000000000000000</pattern>
</bitset>
<bitset name="bra-long" extends="#long">
  <display>bra {T}</display><pattern low="1" high="4">0001</pattern><pattern low="5" high="31">000000000000000000000000000</pattern>
  <field name="T" low="32" high="63" type="branch" unit="32"/>
</bitset>
<bitset name="two" extends="#short">
  <display>{NAME} {A}, {B}</display><pattern low="1" high="4">0010</pattern>
  <field name="A" low="5" high="8" type="#entry" table="one"/>
  <field name="B" low="9" high="12" type="#entry" table="one"/>
  <pattern low="13" high="31">0000000000000000000</pattern>
</bitset>
<bitset name="ldi" extends="#long">
  <display>{NAME} {IMM}</display><pattern low="1" high="4">0100</pattern><pattern low="5" high="31">000000000000000000000000000</pattern>
  <field name="IMM" low="32" high="63" type="uint"/>
</bitset>
</isa>`

// wide has words of 128 bits, the most significant first.
const wide = `<isa name="wide" strict="true">
<text words="high-first" comment="//"/>
<bitset name="#instruction" size="128"/>
<bitset name="set" extends="#instruction">
  <display>{NAME} {A}</display><pattern low="64" high="127">1010000000000000000000000000000000000000000000000000000000000000</pattern>
  <field name="A" low="0" high="63" type="hex"/>
</bitset>
</isa>`

func load(t testing.TB, text string) *isa.Set {
	t.Helper()
	if text == "" {
		s, err := example.Load(isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		return s
	}
	s, err := isa.Load(fstest.MapFS{"x.xml": {Data: []byte(text)}}, "x.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return s
}

func decoder(t testing.TB, s *isa.Set) *isa.Decoder {
	t.Helper()
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestParseLine(t *testing.T) {
	low, high := load(t, toy), load(t, wide)
	for _, x := range []struct {
		set     *isa.Set
		text    string
		word    string
		bits    int
		entries []string
	}{
		{low, "1", "1", 4, nil},
		{low, "0x0001", "1", 16, nil},
		{low, " \t0XaBcD \r", "abcd", 16, nil},
		{low, "1 2", "200000001", 64, nil},
		{high, "1 2", "100000002", 64, nil},
		{high, "0x1 0x2 3 4", "1000000020000000300000004", 128, nil},
		{low, "1/2", "1", 4, []string{"2"}},
		{low, "1 / 2 3 /0x4", "1", 4, []string{"300000002", "4"}},
		{high, "1 / 2 3", "1", 4, []string{"200000003"}},
		{low, strings.Repeat("f", 64), strings.Repeat("f", 64), 256, nil},
		{low, "00" + strings.Repeat("f", 64), strings.Repeat("f", 64), 264, nil},
	} {
		line, err := program.ParseLine(x.set, x.text)
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
			continue
		}
		var entries []string
		for _, e := range line.Entries {
			entries = append(entries, e.String())
		}
		if line.Word.String() != x.word || line.Bits != x.bits || !cmp.Equal(entries, x.entries) {
			t.Errorf("%q is %s of %d bits, entries %v", x.text, line.Word, line.Bits, entries)
		}
	}
}

func TestParseLineErrors(t *testing.T) {
	s := load(t, toy)
	for text, want := range map[string]string{
		"":                             `no hexadecimal digits [hex-syntax]`,
		" / 1":                         `no hexadecimal digits [hex-syntax]`,
		"1 /":                          `table entry 0: no hexadecimal digits [hex-syntax]`,
		"1 / 2 / 0x":                   `table entry 1: no hexadecimal digits after 0x [hex-syntax]`,
		"0x0x1":                        `"0x1", expected hexadecimal digits [hex-syntax]`,
		"12g":                          `"12g", expected hexadecimal digits [hex-syntax]`,
		"-1":                           `"-1", expected hexadecimal digits [hex-syntax]`,
		"é":                            `"é", expected hexadecimal digits [hex-syntax]`,
		"123456789 1":                  `"123456789" has more than 32 bits, the size of a word in a list [hex-size]`,
		"1" + strings.Repeat("0", 64):  `a number with more than 256 bits [hex-size]`,
		strings.Repeat("1 ", 9):        `the line has 9 words, expected at most 8 [hex-size]`,
		strings.Repeat("x", 50):        `"` + strings.Repeat("x", 40) + `...", expected hexadecimal digits [hex-syntax]`,
		"1" + strings.Repeat("/1", 65): `more than 64 table entries [table-entry]`,
	} {
		if _, err := program.ParseLine(s, text); err == nil || err.Error() != want {
			t.Errorf("%q\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestWordsRoundTrip writes words in either order and reads them back.
func TestWordsRoundTrip(t *testing.T) {
	sets := []*isa.Set{load(t, toy), load(t, wide)}
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SampledFrom(sets).Draw(t, "set")
		size := rapid.IntRange(1, bits.Size).Draw(t, "size")
		v := value(t, size)
		text := program.AppendWords(nil, set, v, size)
		line, err := program.ParseLine(set, string(text))
		if err != nil || line.Word != v {
			t.Fatalf("%s of %d bits is written %q and read as %s, %v", v, size, text, line.Word, err)
		}
		if groups := len(strings.Fields(string(text))); groups != (size+31)/32 {
			t.Fatalf("%d bits are %d groups", size, groups)
		}
	})
}

// stored has a storage and an order to be put in.
const stored = `<isa strict="true"><text storage="%s" words="%s"/><bitset name="#instruction" size="12">
<display>{V}</display><field name="V" low="0" high="11" type="hex"/></bitset></isa>`

// TestStorage stores instructions of 20 bits. The first bytes are those of the word that comes first, itself
// little-endian.
func TestStorage(t *testing.T) {
	for _, c := range []struct{ storage, order, bytes, data string }{
		{"8", "low-first", "78 56 04", ".word 0x78, 0x56, 0x04"},
		{"8", "high-first", "04 56 78", ".word 0x04, 0x56, 0x78"},
		{"16", "low-first", "78 56 04 00", ".word 0x5678, 0x0004"},
		{"16", "high-first", "04 00 78 56", ".word 0x0004, 0x5678"},
		{"32", "low-first", "78 56 04 00", ".word 0x00045678"},
		{"32", "high-first", "78 56 04 00", ".word 0x00045678"},
		{`32" halves="high-first`, "low-first", "04 00 78 56", ".word 0x00045678"},
	} {
		root, err := load(t, fmt.Sprintf(stored, c.storage, c.order)).Root("")
		if err != nil {
			t.Fatal(err)
		}
		v := bits.Of(0x45678)
		data := program.AppendBytes(nil, root, v, 20)
		if got := fmt.Sprintf("% x", data); got != c.bytes {
			t.Errorf("storage %s, %s: bytes %s, expected %s", c.storage, c.order, got, c.bytes)
		}
		if got := string(program.AppendData(nil, root, v, 20)); got != c.data {
			t.Errorf("storage %s, %s: %q, expected %q", c.storage, c.order, got, c.data)
		}
		im, err := program.Raw(root, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, n := im.At(0, root, 20); back != v || n != 8*len(data) {
			t.Errorf("storage %s, %s: % x are read as %s of %d bits", c.storage, c.order, data, back, n)
		}
	}
}

// TestDataRoundTrip writes a word as a directive and as bytes, and reads it back.
func TestDataRoundTrip(t *testing.T) {
	sets := []*isa.Set{load(t, toy), load(t, wide), load(t, "")}
	for _, storage := range []string{"8", "16", "32", `32" halves="high-first`} {
		for _, order := range []string{"low-first", "high-first"} {
			sets = append(sets, load(t, fmt.Sprintf(stored, storage, order)))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SampledFrom(sets).Draw(t, "set")
		root, _ := set.Root("")
		unit := root.WordSize
		size := unit * rapid.IntRange(1, bits.Size/unit).Draw(t, "units")
		v := value(t, size)
		text := program.AppendData(nil, root, v, size)
		words, ok, err := source.Numbers(string(text), unit, nil)
		if !ok || err != nil {
			t.Fatalf("%q: %v %v", text, ok, err)
		}
		if back, n := program.Data(root, words); back != v || n != size {
			t.Fatalf("%s of %d bits is written %q and read as %s of %d", v, size, text, back, n)
		}
		data := program.AppendBytes(nil, root, v, size)
		im, err := program.Raw(root, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, n := im.At(0, root, size); back != v || n != size {
			t.Fatalf("%s of %d bits is stored % x and read as %s of %d", v, size, data, back, n)
		}
	})
}

func value(t *rapid.T, size int) bits.Value {
	var v bits.Value
	for i := range v {
		v[i] = rapid.Uint64().Draw(t, "limb")
	}
	return v.And(bits.Ones(size))
}

// nested has the index of an entry in an operand of 4 bits, where the highest of them is set.
const nested = `<isa name="nested" strict="true">
<bitset name="#entry" size="16"><display>e{V}</display><field name="V" low="0" high="15" type="hex"/></bitset>
<table name="one" type="#entry" size="8"/>
<bitset name="#source" size="4"/>
<bitset name="#register" extends="#source"><display>r{N}</display><pattern pos="3">0</pattern><field name="N" low="0" high="2" type="uint"/></bitset>
<bitset name="#place" extends="#source"><display>[{E}]</display><pattern pos="3">1</pattern><field name="E" low="0" high="2" type="#entry" table="one"/></bitset>
<bitset name="#instruction" size="8"><display>{A}, {B}</display><field name="A" low="4" high="7" type="#source"/><field name="B" low="0" high="3" type="#source"/></bitset>
</isa>`

// An entry that an operand names is given behind the word, and its number follows it to another place.
func TestEntryOfOperand(t *testing.T) {
	s := load(t, nested)
	p := program.NewPlacer(decoder(t, s))
	for _, x := range []struct{ text, want string }{
		{"2d / 77", "r2, [e77]"},
		{"d2 / 77", "[e77], r2"},
		{"de / 12 / 34", "[e12], [e34]"},
		{"dd / 12 / 34", "error: #instruction names entry 5 of table one twice, with different values [table-entry]"},
		{"de / 12", "error: table entries: 1 given, but #instruction uses 2 [table-entry]"},
		{"22 / 12", "error: table entries: 1 given, but #instruction uses 0 [table-entry]"},
	} {
		if got := prepared(t, s, p, x.text); got != x.want {
			t.Errorf("%s: got %q, want %q", x.text, got, x.want)
		}
	}
	roles, err := program.NewRoles(s)
	if err != nil {
		t.Fatal(err)
	}
	l, err := program.NewLayout(s, roles)
	if err != nil {
		t.Fatal(err)
	}
	words := []uint64{0xde, 0x55, 0xe5, 0xcd}
	for _, w := range words {
		l.Add(program.Placed{Inst: l.Decode(bits.Of(w))}, program.Target{})
	}
	l.Swap(0, 5, 6)
	for i, want := range []uint64{0xed, 0x55, 0xd5, 0xce} {
		if got := l.Words[i].Inst.Bits; got != bits.Of(want) {
			t.Errorf("%x becomes %s, want %x", words[i], got, want)
		}
	}
}

func TestPrepare(t *testing.T) {
	s := load(t, toy)
	p := program.NewPlacer(decoder(t, s))
	for _, x := range []struct{ text, want string }{
		{"0", "nop"},
		{"00000009 00000007", "ldi 7"},
		{"0000000700000009", "ldi 7"},
		{"e", "unknown"},
		// A at 1, B at 2, then both at 3
		{"00000424 / 11 / 22", "two e11, e22"},
		{"00000664 / 33 / 33", "two e33, e33"},
		{"00000664 / 33 / 34", "error: two names entry 3 of table one twice, with different values [table-entry]"},
		{"00000424 / 11", "error: table entries: 1 given, but two uses 2 [table-entry]"},
		{"00000424", "two e0, e0; no entry 1 in table one of 0 [table-entry]; no entry 2 in table one of 0 [table-entry]"},
		{"00000424 / 11 / 22 / 33", "error: table entries: 3 given, but two uses 2 [table-entry]"},
		{"00001224 / 1 / 2", "error: two names entry 9 of table one, which has 8 entries [table-entry]"},
		{"00000424 / 11 / 12345", "error: table entry 1 has 17 bits, but entries of one have 16 [hex-size]"},
		{"0 / 1", "error: table entries: 1 given, but nop uses 0 [table-entry]"},
		{"9", "error: 4 bits, but ldi has 64 [hex-size]"},
		{"100000000", "error: 33 bits, but nop has 32 [hex-size]"},
		{"1 2 3", "error: 66 bits, but an instruction has at most 64 [hex-size]"},
	} {
		if got := prepared(t, s, p, x.text); got != x.want {
			t.Errorf("%s\n got %s\nwant %s", x.text, got, x.want)
		}
	}
}

func prepared(t *testing.T, s *isa.Set, p *program.Placer, text string) string {
	t.Helper()
	line, err := program.ParseLine(s, text)
	if err != nil {
		t.Fatal(err)
	}
	in, ok, err := p.Prepare(&line)
	switch {
	case err != nil:
		return "error: " + err.Error()
	case !ok:
		return "unknown"
	}
	got := string(p.Decoder().Append(nil, in))
	if odd := p.Decoder().NumFindings() > 0; odd != in.MissingEntry {
		t.Errorf("%s: missing %v, %q", text, in.MissingEntry, p.Decoder().Findings())
	}
	for _, f := range p.Decoder().Findings() {
		got += "; " + f.Text
	}
	return got
}

// A line without entries has those of a table that the decoder was given, also after lines that have their own.
func TestPrepareWithTables(t *testing.T) {
	s := load(t, toy)
	d := decoder(t, s)
	d.SetTable(0, []bits.Value{bits.Of(0x10), bits.Of(0x11), bits.Of(0x12)})
	p := program.NewPlacer(d)
	for _, x := range []struct{ text, want string }{
		{"00000424", "two e11, e12"},
		{"00000424 / 21 / 22", "two e21, e22"},
		{"00000424 / 21", "error: table entries: 1 given, but two uses 2 [table-entry]"},
		{"00000424", "two e11, e12"},
		{"00000664", "two e0, e0; no entry 3 in table one of 3 [table-entry]"},
	} {
		if got := prepared(t, s, p, x.text); got != x.want {
			t.Errorf("%s: got %q, want %q", x.text, got, x.want)
		}
	}
}

func TestLineSize(t *testing.T) {
	s := load(t, toy)
	root, _ := s.Root("")
	for text, want := range map[string]int{"0": 32, "1 2": 64, "0000000000000001": 64, "ffffffff0": 64, "1 2 3": 96} {
		line, err := program.ParseLine(s, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := line.Size(root); got != want {
			t.Errorf("%s has %d bits, expected %d", text, got, want)
		}
	}
}

func TestLabels(t *testing.T) {
	l := program.NewLabels(32*10, 32, []program.Entry{
		{Addr: 32 * 4, Name: "main"}, {Addr: 0, Name: "b"}, {Addr: 0, Name: "a"}, {Addr: 0, Name: "a"},
		{Addr: 32 * 99, Name: "outside"}, {Addr: -32, Name: "below"}, {Addr: 7, Name: "crooked"}, {Addr: 32 * 9, Name: "l8"},
	})
	for i := range int64(10) {
		if i == 6 { // in the middle of an instruction
			continue
		}
		var targets []isa.BranchTarget
		if i == 1 {
			for _, x := range []struct {
				at   int64
				call bool
			}{{4, true}, {4, false}, {2, false}, {3, true}, {3, false}, {6, false}, {10, false}, {-1, true}, {1 << 50, true}} {
				targets = append(targets, isa.BranchTarget{Addr: 32 * x.at, Call: x.call})
			}
			targets = append(targets, isa.BranchTarget{Addr: 5})
		}
		l.Add(32*i, targets)
	}
	for _, x := range []struct {
		at       int64
		names    string
		function bool
	}{
		{0, "[a b]", true}, {1, "[]", false}, {2, "[l8_]", false}, {3, "[fxnc lc]", true},
		{4, "[main l10]", true}, {5, "[]", false}, {9, "[l8]", true}, {10, "[]", false}, {-1, "[]", false},
	} {
		names, function := l.At(32 * x.at)
		if fmt.Sprint(names) != x.names || function != x.function {
			t.Errorf("at %d: %v %v, expected %s %v", x.at, names, function, x.names, x.function)
		}
		for _, n := range names {
			if addr, ok := l.Address(n); !ok || addr != 32*x.at {
				t.Errorf("%s is at %d, %v, expected %d", n, addr, ok, 32*x.at)
			}
		}
	}
	for _, x := range []struct {
		at   int64
		call bool
		name string
		ok   bool
	}{
		{4, true, "main", true}, {4, false, "l10", true}, {3, true, "fxnc", true}, {3, false, "lc", true},
		{2, false, "l8_", true}, {2, true, "fxn8", false}, {5, false, "l14", false}, {6, false, "", false},
		{10, false, "", false}, {-1, true, "", false}, {0, true, "a", true},
	} {
		name, ok := l.Name(32*x.at, x.call)
		if ok != x.ok || name != x.name {
			t.Errorf("target %d, call %v: %q %v, expected %q %v", x.at, x.call, name, ok, x.name, x.ok)
		}
	}
	for _, n := range []string{"", "l", "l14", "l99", "l-1", "fxn", "fxn10", "nowhere", "outside", "l8__", "l0c", "lC", "c", "fxnl8", "l99999999999999999999"} {
		if addr, ok := l.Address(n); ok {
			t.Errorf("%q is at %d", n, addr)
		}
	}
}

// TestMembers holds that names and places count from the start of each program of an image.
func TestMembers(t *testing.T) {
	root := &isa.Root{}
	im := &program.Image{Words: make([]uint32, 6), Names: map[int64]string{0: "first", 96: "second"}, Pieces: []program.Piece{
		{Root: root, Addr: 0, Size: 64}, {Root: root, Addr: 64, Size: 32},
		{Root: root, Addr: 128, Size: 64, Base: 96}, {Root: root, Addr: 96, Size: 32, Base: 96},
	}}
	list := im.Members()
	if len(list) != 2 || list[0].End != 96 || list[1].Start != 96 || list[1].End != 192 || !list[1].Several {
		t.Fatalf("%+v", list)
	}
	for addr, want := range map[int64]string{0: ":first@0x0", 64: ":first@0x8", 96: ":second@0x0", 160: ":second@0x8"} {
		if got := list.Place(addr).String(); got != want {
			t.Errorf("%d bits: %s, expected %s", addr, got, want)
		}
	}
	labels := program.NewLabels(192, 32, nil)
	labels.Split(list)
	for addr := range int64(6) {
		labels.Add(32*addr, []isa.BranchTarget{{Addr: 64}, {Addr: 160}})
	}
	for _, x := range []struct{ from, at int64 }{{0, 64}, {96, 160}} {
		if name, ok := labels.Name(x.at, false); !ok || name != "l8" {
			t.Errorf("%d bits: %q %v, expected l8", x.at, name, ok)
		}
		if addr, ok := labels.AddressFrom(x.from, "l8"); !ok || addr != x.at {
			t.Errorf("l8 of the program at %d is at %d, %v; expected %d", x.from, addr, ok, x.at)
		}
	}
	if _, err := list.Named("third"); err == nil || err.Error() != "unknown program third, expected one of first, second" {
		t.Errorf("%v", err)
	}
	whole := (&program.Image{Words: make([]uint32, 6)}).Members()
	if got := whole.Place(160).String(); got != "@0x14" {
		t.Errorf("%s, expected @0x14", got)
	}
	if _, err := whole.Named("third"); err == nil || err.Error() != "unknown program third: the file contains only one program" {
		t.Errorf("%v", err)
	}
}

// TestRaw reads pieces of 16 bits, of which two are in a word.
func TestRaw(t *testing.T) {
	s := load(t, "")
	root, _ := s.Root("")
	im, err := program.Raw(root, []byte{1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	if im.Size() != 48 {
		t.Errorf("%d bits", im.Size())
	}
	for _, x := range []struct {
		addr  int64
		value string
		n     int
	}{{0, "4030201", 32}, {16, "6050403", 32}, {32, "605", 16}, {48, "0", 0}} {
		if v, n := im.At(x.addr, root, 32); v.String() != x.value || n != x.n {
			t.Errorf("at %d: %s, %d bits, expected %s, %d", x.addr, v, n, x.value, x.n)
		}
	}
	if _, err := program.Raw(root, []byte{1}); err == nil || !strings.Contains(err.Error(), "1 bytes, expected a multiple of 2, the size of a word") {
		t.Error(err)
	}
}

func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{"0", "1 2", "0x4c028000 / 36f", "00000424/11/22", "zz", "1/", "/", "0x", "\xff", strings.Repeat("f", 65)} {
		f.Add(seed)
	}
	sets := []*isa.Set{load(f, toy), load(f, wide), load(f, "")}
	var placers []*program.Placer
	for _, s := range sets {
		placers = append(placers, program.NewPlacer(decoder(f, s)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i, s := range sets {
			line, err := program.ParseLine(s, text)
			if err != nil {
				continue
			}
			in, ok, err := placers[i].Prepare(&line)
			if err == nil && ok {
				placers[i].Decoder().Append(nil, in)
			}
			size := min((line.Word.Len()+31)/32*32, bits.Size)
			back, err := program.ParseLine(s, string(program.AppendWords(nil, s, line.Word, max(size, 1))))
			if err != nil || back.Word != line.Word {
				t.Errorf("%q is %s, written again %s, %v", text, line.Word, back.Word, err)
			}
		}
	})
}
