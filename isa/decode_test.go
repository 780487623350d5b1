package isa_test

import (
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// TestContext decodes one word with each value of a context. Some leaves exist for only one value.
func TestContext(t *testing.T) {
	d := strict(t, `
		<enum name="#stage"><value val="0" display="vs"/><value val="1" display="fs"/><value val="2" display="gs"/></enum>
		<context name="stage" type="#stage" default="fs"/>
		<context name="new" type="bool" default="true"/>
		<bitset name="#instruction" size="4"/>
		<bitset name="tex" extends="#instruction"><display>tex {@stage}</display><require>{@stage} == #stage.fs &amp;&amp; {@new}</require><pattern low="0" high="3">0001</pattern></bitset>
		<bitset name="fetch" extends="#instruction"><display>fetch {@new}</display><require>{@stage} == #stage.vs</require><pattern low="0" high="3">0001</pattern></bitset>`)
	s := d.Set()
	for _, x := range []struct{ stage, new, text string }{
		{"vs", "true", "fetch 1"}, {"vs", "false", "fetch 0"}, {"fs", "true", "tex fs"}, {"fs", "false", "unknown"}, {"gs", "true", "unknown"},
	} {
		ctx, err := s.ParseContext(bits.Value{}, "stage", x.stage)
		if err != nil {
			t.Fatal(err)
		}
		if ctx, err = s.ParseContext(ctx, "new", x.new); err != nil {
			t.Fatal(err)
		}
		d.SetContext(ctx)
		check(t, d, []row{{1, x.text, ""}})
	}
	for _, bad := range []string{"ps", ""} {
		if _, err := s.ParseContext(bits.Value{}, "stage", bad); err == nil {
			t.Errorf("stage %q has no error", bad)
		}
	}
	if _, err := s.ParseContext(bits.Value{}, "none", "1"); err == nil {
		t.Error("an unknown context has no error")
	}
	d.SetContext(s.DefaultContext())
	check(t, d, []row{{1, "tex fs", ""}})
}

// TestRefines requires that the narrower of two overlapping leaves wins, in any file order.
func TestRefines(t *testing.T) {
	d := strict(t, `<bitset name="#instruction" size="8"/>
		<bitset name="any" extends="#instruction"><display>any {X}</display><pattern low="4" high="7">0001</pattern><field name="X" low="0" high="3" type="hex"/></bitset>
		<bitset name="some" extends="#instruction" overlap="refines any"><display>some {X}</display><pattern low="2" high="7">000111</pattern><field name="X" low="0" high="1" type="hex"/></bitset>
		<bitset name="one" extends="#instruction" overlap="refines any some"><display>one</display><pattern low="0" high="7">00011111</pattern></bitset>`)
	check(t, d, []row{{0x10, "any 0", ""}, {0x1b, "any b", ""}, {0x1c, "some 0", ""}, {0x1e, "some 2", ""}, {0x1f, "one", ""}, {0x2f, "unknown", ""}})
}

// TestRefinesPlain is TestRefines for a description that is not strict, in which other leaves may
// overlap by mistake.
func TestRefinesPlain(t *testing.T) {
	d := decoder(t, loadXML(t, `<isa><bitset name="#instruction" size="8"/>
		<bitset name="any" extends="#instruction"><display>any</display><pattern pos="7">0</pattern><pattern low="0" high="6">xxxxxxx</pattern></bitset>
		<bitset name="one" extends="#instruction" overlap="refines some"><display>one</display><pattern low="0" high="7">00000011</pattern></bitset>
		<bitset name="some" extends="#instruction" overlap="refines any"><display>some</display><pattern low="2" high="7">000000</pattern><pattern low="0" high="1">xx</pattern></bitset>
		<bitset name="lost" extends="#instruction"><display>lost</display><pattern low="0" high="7">00010000</pattern></bitset></isa>`, isa.Options{}))
	check(t, d, []row{{0x00, "some", ""}, {0x03, "one", ""}, {0x40, "any", "dontcare bits in any: 00000040"}, {0x10, "unknown", "bitset conflict: any vs lost"}})
}

// TestFindingOfRequirement decodes a word twice. The word does not match because a requirement uses an
// undefined name. Each decoding must record the finding.
func TestFindingOfRequirement(t *testing.T) {
	d := decoder(t, loadXML(t, `<isa><bitset name="#instruction" size="8"/>
		<bitset name="a" extends="#instruction"><display>a</display><require>{P} == 1</require><pattern low="0" high="7">00000000</pattern></bitset></isa>`, isa.Options{}))
	check(t, d, []row{{0, "unknown", "no field 'P'"}, {0, "unknown", "no field 'P'"}})
}

// TestOperandWithoutLeaves prints an operand whose type has no leaf in the generation.
func TestOperandWithoutLeaves(t *testing.T) {
	const xml = `<isa><bitset name="#reg" size="2"/>
		<bitset name="r" extends="#reg"><gen min="3"/><display>r{V}</display><field name="V" low="0" high="1" type="uint"/></bitset>
		<bitset name="#instruction" size="8"/>
		<bitset name="a" extends="#instruction"><display>a {R}</display><pattern low="2" high="7">000000</pattern><field name="R" low="0" high="1" type="#reg"/></bitset></isa>`
	d := decoder(t, loadXML(t, xml, isa.Options{}))
	for range 100 { // the first instructions are printed without memos
		check(t, d, []row{{1, "a ", "no match: FIELD: 'a.R': 00000001"}})
	}
	check(t, decoder(t, loadXML(t, xml, isa.Options{Gen: 3})), []row{{1, "a r1", ""}})
}

// TestGenerations decodes with the leaves of each generation.
func TestGenerations(t *testing.T) {
	const xml = `<isa>
		<bitset name="#instruction" size="4"><gen max="700"/></bitset>
		<bitset name="old" extends="#instruction"><gen max="599"/><display>old {G}</display><pattern low="0" high="3">0001</pattern><derived name="G" type="uint"><expr>ISA_GPU_ID() / 100</expr></derived></bitset>
		<bitset name="new" extends="#instruction"><gen min="600" max="1000"/><display>new {G}</display><pattern low="0" high="3">0001</pattern><derived name="G" type="uint"><expr>ISA_GPU_ID() / 100</expr></derived></bitset></isa>`
	for gen, text := range map[uint32]string{0: "old 0", 599: "old 5", 600: "new 6", 700: "new 7", 701: "unknown"} {
		check(t, decoder(t, loadXML(t, xml, isa.Options{Gen: gen})), []row{{1, text, ""}})
	}
}

// TestLengths decodes leaves of several lengths in one root. Bits above a shorter leaf are ignored.
func TestLengths(t *testing.T) {
	d := strict(t, `<bitset name="#instruction" size="32"><field name="X" low="0" high="7" type="hex"/></bitset>
		<bitset name="short" extends="#instruction"><display>short {X}</display><pattern low="8" high="31">000000000000000000000001</pattern></bitset>
		<bitset name="long" extends="#instruction" size="64"><display>long {X} {Y}</display><pattern low="8" high="31">000000000000000000000010</pattern><field name="Y" low="32" high="63" type="hex"/></bitset>
		<bitset name="giant" extends="#instruction" size="256"><display>giant {X} {Y}</display><pattern low="8" high="31">000000000000000000000011</pattern><field name="Y" low="32" high="255" type="hex"/></bitset>`)
	r := d.Root()
	if r.Size != 256 || r.MinSize != 32 {
		t.Errorf("lengths from %d to %d, expected 32 to 256", r.MinSize, r.Size)
	}
	tail := bits.Range(32, 224)
	for _, x := range []struct {
		low  uint64
		size int
		text string
	}{
		{0x1ab, 32, "short ab"}, {0x2ab, 64, "long ab ffffffff"}, {0x3ab, 256, "giant ab ffffffffffffffffffffffffffffffffffffffffffffffffffffffff"},
	} {
		in, ok := d.Decode(bits.Of(x.low).Or(tail))
		if !ok || in.Leaf.Size != x.size || in.Bits != bits.Of(x.low).Or(tail).And(bits.Ones(x.size)) {
			t.Errorf("%x has %d bits, %s, expected %d", x.low, in.Leaf.Size, in.Bits, x.size)
		}
		if text := string(d.Append(nil, in)); text != x.text {
			t.Errorf("%x prints %q, expected %q", x.low, text, x.text)
		}
	}
}

// TestTree compares the decision tree with a linear search of PICA200's leaves.
func TestTree(t *testing.T) {
	s, err := pica200.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := decoder(t, s)
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 200000 {
		w := uint64(rnd.Uint32())
		var want *isa.Leaf
		for _, l := range d.Root().Leaves {
			if w&l.Mask[0] == l.Match[0] {
				want = l
				break
			}
		}
		in, ok := d.Decode(bits.Of(w))
		if in.Leaf != want || ok != (want != nil) {
			t.Fatalf("%08x decodes as %v, expected %v", w, in.Leaf, want)
		}
	}
}

// TestConflictOfOperand requires a finding if two leaves match an operand, but no conflict of the word.
func TestConflictOfOperand(t *testing.T) {
	d := plain(t, `<bitset name="#in" size="2"/>
		<bitset name="a" extends="#in"><display>a</display><pattern low="0" high="1">1x</pattern></bitset>
		<bitset name="b" extends="#in"><display>b</display><pattern low="0" high="1">x1</pattern></bitset>
		<bitset name="#op" size="2"><display>op {I}</display><field name="I" low="0" high="1" type="#in"/></bitset>`)
	in, ok := d.Decode(bits.Of(3))
	if text := string(d.Append(nil, in)); !ok || text != "op " {
		t.Errorf("%v %q", ok, text)
	}
	f := d.Findings()
	if len(f) != 2 || f[0].Kind != isa.Conflict || f[0].Text != "bitset conflict: a vs b" || d.Conflict() != nil {
		t.Errorf("findings %v, conflict %v", f, d.Conflict())
	}
}
