package c_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/isa"
)

// encodeXML has what <encode> can say: a prefix, maps that are inherited and replaced, forced ones, parameters,
// computed fields, overrides, asserts, a leaf for each generation.
const encodeXML = `<isa>
<expr name="#wide">{SIZE} == 2</expr>
<bitset name="#reg" size="6">
  <display>{FOR_HALF}r{NUM}.{COMP}</display>
  <field name="NUM" low="2" high="5" type="uint"/>
  <field name="COMP" low="0" high="1" type="uint"/>
  <encode type="const struct reg *">
    <map name="NUM">p->FOR_HALF ? src->num / 4 : src->num >> 2</map>
    <map name="COMP">src->num &amp; 3</map>
  </encode>
</bitset>
<bitset name="#instruction" size="32">
  <encode type="struct op *" case-prefix="OP_">
    <map name="DST">&amp;src->dst</map>
    <map name="SIZE">src->size</map>
    <map name="SET" force="true">1</map>
    <map name="OFF">src->off</map>
  </encode>
  <field name="SET" pos="31" type="bool"/>
</bitset>
<bitset name="#alu" extends="#instruction">
  <override expr="#wide">
    <display>{NAME}.wide {DST}, {OFF}</display>
    <field name="OFF" low="0" high="15" type="int"/>
  </override>
  <display>{NAME} {DST}, {OFF}</display>
  <field name="DST" low="16" high="21" type="#reg"><param name="IS_HALF" as="FOR_HALF"/></field>
  <field name="SIZE" low="22" high="23" type="uint"/>
  <field name="OFF" low="0" high="7" type="int"/>
  <assert low="8" high="15">10000001</assert>
  <derived name="IS_HALF" type="bool" display="h"><expr>{SIZE} == 1</expr></derived>
</bitset>
<bitset name="ld.x" extends="#alu"><pattern low="24" high="30">0000001</pattern></bitset>
<bitset name="st-y" extends="#alu">
  <pattern low="24" high="30">0000010</pattern>
  <encode><map name="OFF">-src->off</map></encode>
</bitset>
<bitset name="new" extends="#alu"><gen min="5" max="6"/><pattern low="24" high="30">0000011</pattern></bitset>
<bitset name="new" extends="#alu"><gen min="7"/><pattern low="24" high="30">0000100</pattern></bitset>
</isa>`

const encodeDriver = `#include <stdint.h>
#include <stdio.h>
struct encode_state { unsigned gen; };
struct reg { unsigned num; };
struct op { int code; struct reg dst; unsigned size; int off; };
enum { OP_LD_X, OP_ST_Y, OP_NEW };
static inline int __instruction_case(struct encode_state *s, const struct op *src) { (void)s; return src->code; }
#include "drv_encode.h"
int main(void)
{
	static struct op list[] = {
		{OP_LD_X, {21}, 0, -3}, {OP_LD_X, {21}, 2, -300}, {OP_ST_Y, {2}, 1, 5}, {OP_NEW, {0}, 0, 0},
	};
	unsigned i, gen;
	for (gen = 6; gen < 8; gen++) {
		struct encode_state s;
		s.gen = gen;
		for (i = 0; i < 4; i++)
			printf("%08x\n", (unsigned)encode__instruction(&s, NULL, &list[i]));
	}
	return 0;
}
`

// The words by hand. ld.x r5.1, -3: bit 31 forced, opcode 1 at 24, the register 21 at 16, 0x81 expected at 8 and
// -3 in eight bits. Size 2 is at 22 and makes the offset one of 16 bits, -300 being 0xfed4; the assert is
// of the default case, which is not the one that holds, and its bits are in those of the offset. st-y: the size 1
// at 22, register 2, -5. new: opcode 3 in generation 6, 4 in 7.
var encodeWords = []string{
	"811581fd", "8195fed4", "824281fb", "83008100",
	"811581fd", "8195fed4", "824281fb", "84008100",
}

func TestEncodesWhatADriverHas(t *testing.T) {
	for _, cc := range []string{"gcc", "g++"} {
		t.Run(cc, func(t *testing.T) {
			path := compiler(t, cc)
			set, err := isa.Load(fstest.MapFS{"drv.xml": {Data: []byte(encodeXML)}}, "drv.xml", isa.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := gen.New(t.Context(), set, gen.Options{Fallback: "drv", AllGens: true, Fragments: true})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range written(t, p) {
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(encodeDriver), 0o666); err != nil {
				t.Fatal(err)
			}
			std := map[string]string{"gcc": "-std=c11", "g++": "-std=c++17"}[cc]
			compile(t, dir, path, append(strictFlags, std, "-Wno-conversion", "-Wno-sign-conversion", "-o", "main", "main.c")...)
			out, err := exec.Command(filepath.Join(dir, "main")).Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Fields(string(out)); !slices.Equal(got, encodeWords) {
				t.Errorf("%v, expected %v", got, encodeWords)
			}
		})
	}
}

func TestWarnsOfFieldsWithoutAMap(t *testing.T) {
	text := strings.Replace(encodeXML, `<map name="SIZE">src->size</map>`, "", 1)
	set, err := isa.Load(fstest.MapFS{"drv.xml": {Data: []byte(text)}}, "drv.xml", isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := gen.New(t.Context(), set, gen.Options{Fallback: "drv", AllGens: true, Fragments: true})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range written(t, p) {
		list = append(list, f.Warnings...)
	}
	// Four leaves of three names show SIZE; it stands in the 28th line.
	if want := []string{"drv.xml:28: SIZE has no <map>, so it is encoded as 0, in ld.x and 2 more"}; !slices.Equal(list, want) {
		t.Errorf("%q, expected %q", list, want)
	}
}

// finchWords are the words of testdata/finch/driver.c, by hand: the category at bit 61, (sy) at 60, (ss) at 59, the opcode at 53,
// then what the description says. 101 at 32 is an assert. A register is its number times 4 and the component. The text is what
// a reader of the description expects of the word. It hides bits that a map forces, and those of asserts that are not
// looked at when the word is printed; else asm reads the word back.
var finchWords = []struct {
	gen    uint32
	root   string
	word   uint64
	text   string
	hidden bool
}{
	// FULL at 52; r1.y is 5, -r2.x is 1<<14 | 8, c7 is 0x2000 | 7.
	{300, "#instruction", 0x5010_0505_2007_4008, "(sy)add.f r1.y, (neg)r2.x, c7", false},
	// (nop2) is SRC2_R, bit 51. -3 with half registers: 0001, the assert 1100, eight bits.
	{300, "#instruction", 0x4008_0205_1cfd_0008, "(nop2) add.f hr0.z, hr2.x, -3", true},
	// The opcode 6 at 53, FULL and a conversion (50), three repetitions (48), SRC1_R (35); abs is 2<<14, r5.x 20.
	{300, "#instruction", 0x48d7_0f0d_0000_8014, "(ss)(rpt3)absneg.s hr3.w, (abs)(r)r5.x", false},
	{300, "#instruction", 0x40d8_000d_0000_2001, "(nop3) absneg.s r0.x, c1", true},
	// SRC2_R is not shown, but a condition needs it.
	{300, "#instruction", 0x40d9_0005_0000_2001, "(rpt1)absneg.s r0.x, c1", true},
	// The condition 3 at 36; a0.x is register 62, 1000 is 0x3e8.
	{300, "#instruction", 0x4110_0435_13e8_00f8, "cmps.f.ge r1.x, a0.x, 1000", true},
	// From 44 to 40 it is -4; the bit of "!" is 0 where it is shown.
	{300, "#instruction", 0x0022_0000_ffff_fffc, "br !p2, #-4", false},
	{300, "#instruction", 0x1035_0000_0000_0006, "(sy)br p5, #6", false},
	{300, "#instruction", 0x0040_0000_0000_1234, "jump #4660", false},
	{500, "#instruction", 0x0060_0000_0000_1234, "jump #4660", false},
	// Bit 52 is forced, and so is (sy).
	{300, "#instruction", 0x0090_0000_0000_0000, "end", false},
	{300, "#instruction", 0x1090_0000_0000_0000, "end", true},
	// r4.x is 16 at 32; the cache 5 at 29, -5 in 13 bits at 16, 32 bits (2) at 14, 100 and 23 at 0.
	{300, "#instruction", 0xc000_0910_bffb_807b, "ld.g-w.c5.w32 r2.y, [r4.x + -5], 123", false},
	// To an address register it is -5 in 8 bits and the assert 00011, and what is not shown is 0.
	{300, "#instruction", 0xc000_f910_03fb_0000, "ld.g-w a0.y, [r4.x + -5]", false},
	{300, "#instruction", 0xc020_0910_1ff9_0064, "st.g-w.w8 r2.y, [r4.x + -7], 100", false},
	{300, "#instruction", 0xc040_0000_0003_0001, "prefetch 1, 3", false},
	{500, "#instruction", 0xc040_0000_6000_0003, "prefetch.new 3, 3", false},
	{300, "#packet", 0x7000_0000, "nop", false},
	// 7 has three ones, so that bit 23 is set.
	{300, "#packet", 0x4087_1a2b, "set 1a2b, 7", true},
}

func TestEncodesFinch(t *testing.T) {
	fsys := os.DirFS("testdata/finch")
	load := func(gen uint32) *isa.Set {
		set, err := isa.Load(fsys, "finch.xml", isa.Options{Gen: gen})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		return set
	}
	want := ""
	for _, row := range finchWords {
		set := load(row.gen)
		d, err := set.NewDecoder(row.root)
		if err != nil {
			t.Fatal(err)
		}
		in, ok := d.Decode(bits.Of(row.word))
		if got := string(d.Append(nil, in)); !ok || got != row.text || len(d.Findings()) > 0 {
			t.Errorf("%x is %q with %v, expected %q", row.word, got, d.Findings(), row.text)
		}
		p, err := asm.New(set, row.root)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := p.Parse(row.text); !row.hidden && (err != nil || back.Inst.Bits != bits.Of(row.word)) {
			t.Errorf("%q is %x: %v, expected %x", row.text, back.Inst.Bits[0], err, row.word)
		}
		want += fmt.Sprintf("%0*x\n", d.Root().Size/4, row.word)
	}
	p, err := gen.New(t.Context(), load(300), gen.Options{AllGens: true, Fragments: true, Fallback: "finch"})
	if err != nil {
		t.Fatal(err)
	}
	var warnings []string
	for _, f := range written(t, p) {
		warnings = append(warnings, f.Warnings...)
	}
	if want := []string{"finch.xml:151: CACHE is a #cache, which has no <encode> with a type: its map is treated as a number, in ld.g-w and 1 more"}; !slices.Equal(warnings, want) {
		t.Errorf("%q, expected %q", warnings, want)
	}
	driver, err := os.ReadFile("testdata/finch/driver.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, cc := range [][]string{{"gcc", "-std=c11"}, {"g++", "-std=c++17", "-Wno-missing-field-initializers", "-x", "c++"}, {"clang-14", "-std=c11", "-Wno-missing-field-initializers"}} {
		t.Run(cc[0], func(t *testing.T) {
			path := compiler(t, cc[0])
			dir := t.TempDir()
			write(t, dir, p)
			if err := os.WriteFile(filepath.Join(dir, "driver.c"), driver, 0o666); err != nil {
				t.Fatal(err)
			}
			compile(t, dir, path, slices.Concat(strictFlags, cc[1:], []string{"-o", "driver", "driver.c"})...)
			got, err := exec.Command(filepath.Join(dir, "driver")).Output()
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != want {
				t.Errorf("\n%sexpected\n%s", got, want)
			}
		})
	}
}
