package source_test

import (
	"fmt"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/isa"
)

// pinnedXML has branches some of whose bits something else gives too.
const pinnedXML = `<isa name="x" strict="true"><text comment=";"/>
<bitset name="#instruction" size="8"/>
<bitset name="nop" extends="#instruction"><display>nop</display><pattern low="0" high="7">00000000</pattern></bitset>
<bitset name="end" extends="#instruction"><display>end {T}</display><pattern low="5" high="7">001</pattern>
  <field name="X" low="0" high="4" type="uint"/><derived name="T" type="absbranch" width="3"><expr>3</expr></derived></bitset>
<bitset name="fix" extends="#instruction"><display>fix {T}</display><pattern low="3" high="7">01001</pattern>
  <field name="LOW" low="0" high="2" type="uint"/>
  <derived name="T" type="absbranch" width="4"><expr>({LOW} &amp; 1) | 2</expr></derived></bitset>
<bitset name="sel" extends="#instruction"><display>sel {SWZ}, {T}</display><pattern low="5" high="7">011</pattern>
  <field name="SWZ" low="0" high="4" type="hex"/><derived name="T" type="branch" width="5"><expr>{SWZ}</expr></derived></bitset>
<bitset name="jmp" extends="#instruction"><display>jmp {T}</display><pattern low="5" high="7">100</pattern>
  <field name="T" low="0" high="4" type="branch"/></bitset>
<bitset name="two" extends="#instruction"><display>two {T}</display><pattern low="5" high="7">101</pattern>
  <field name="A" low="0" high="4" type="uint"/><derived name="T" type="absbranch" width="6" unit="4"><expr>{A} * 2</expr></derived></bitset>
</isa>`

// assembleOn assembles a program on pinnedXML.
func assembleOn(t *testing.T, set *isa.Set, text string) ([]uint64, error) {
	t.Helper()
	p, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	root, _ := set.Root("")
	code, err := source.Assemble(p, set, root, &diag.Source{Name: "x.s", Text: text})
	var words []uint64
	for _, w := range code.Insts() {
		words = append(words, w.Word[0])
	}
	return words, err
}

// A branch to a fixed value is assembled from a label that stands there, further down too; one that
// stands elsewhere is a mistake.
func TestLabelOfFixedBranch(t *testing.T) {
	set := load(t, pinnedXML)
	for text, want := range map[string]string{
		"end l\nnop\nnop\nl: nop":    "[32 0 0 0]",
		"fix l\nnop\nl: nop":         "[72 0 0]",
		"nop\nsel 2, l\nnop\nl: nop": "[0 98 0 0]",
		"l: jmp m\nm: jmp l":         "[129 159]",
	} {
		if words, err := assembleOn(t, set, text); err != nil || fmt.Sprint(words) != want {
			t.Errorf("%q is %v, %v, expected %s", text, words, err, want)
		}
	}
	for _, text := range []string{"end l\nl: nop", "nop\nsel 3, l\nnop\nl: nop", "fix l\nl: nop"} {
		if words, err := assembleOn(t, set, text); err == nil {
			t.Errorf("%q is %v, though the branch cannot go there", text, words)
		}
	}
}

// Lossless text shows no label where something else gives bits of the branch: it would no longer be
// true once the program has changed.
func TestPinnedBranchIsNumber(t *testing.T) {
	set := load(t, pinnedXML)
	p, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	d.Label = func(addr int64, _ bool) (string, bool) { return fmt.Sprintf("l%d", addr/8), true }
	p.Symbol = func(name string) (addr int64, ok bool) {
		_, err := fmt.Sscanf(name, "l%d", &addr)
		return 8 * addr, err == nil
	}
	l := asm.NewLossless(d, p)
	d.Addr = 24
	for word, want := range map[uint64]string{
		32:  "end 3",
		37:  "end 3 {X=0x5}",
		72:  "fix 2",
		79:  "fix 3 {LOW=0x7}",
		98:  "sel 2, 2",
		129: "jmp l4",
		159: "jmp l2",
		163: "two l3",
	} {
		in, ok := d.Decode(bits.Of(word))
		text, back := l.Append(nil, in)
		if !ok || !back || string(text) != want {
			t.Errorf("%d is %q, %v, expected %q", word, text, back, want)
		}
		if res, err := p.Parse(string(text)); err != nil || res.Inst.Bits != bits.Of(word) {
			t.Errorf("%s is %s, %v", text, res.Inst.Bits, err)
		}
	}
}

// A label whose bits are left open stands beside what must be searched for, and beside what no bits give.
func TestPinnedBesideComputed(t *testing.T) {
	set := load(t, `<isa name="x" strict="true"><text comment=";"/>
<bitset name="#instruction" size="12"/>
<bitset name="loop" extends="#instruction">
  <override expr="{A} * {B} == 6"><display>loop six {T} {S}</display></override>
  <override expr="{A} &gt; {B}"><display>loop {T} x {P}</display></override>
  <display>loop {T} {P} {S}</display>
  <field name="A" low="0" high="2" type="uint"/><field name="B" low="3" high="5" type="uint"/>
  <field name="T" low="6" high="9" type="branch"/><pattern low="10" high="11">00</pattern>
  <derived name="P" type="uint" width="6"><expr>{A} * {B}</expr></derived>
  <derived name="S" type="uint" width="4"><expr>{A} + {B}</expr></derived></bitset>
</isa>`)
	p, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	d.Label = func(addr int64, _ bool) (string, bool) { return fmt.Sprintf("l%d", addr), true }
	p.Symbol = func(name string) (addr int64, ok bool) {
		_, err := fmt.Sscanf(name, "l%d", &addr)
		return addr, err == nil
	}
	l := asm.NewLossless(d, p)
	for w := range uint64(1 << 10) {
		in, _ := d.Decode(bits.Of(w))
		text, ok := l.Append(nil, in)
		if res, err := p.ParseBytes(text); !ok || err != nil || res.Inst.Bits != in.Bits {
			t.Errorf("%03x is %q, %v, which is %s, %v", w, text, ok, res.Inst.Bits, err)
		}
	}
	for _, text := range []string{"loop l16 50 1", "loop six l16 3", "loop l16 x 13"} {
		if words, err := assembleOn(t, set, text+"\nl16: loop 0 0 0"); err == nil {
			t.Errorf("%s is %v, though no bits give it", text, words)
		}
	}
}
