package c_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/c"
	"github.com/isago/isago/isa"
)

// encodeXML has what <encode> can say: a prefix, maps that are inherited and replaced, forced ones, parameters,
// computed fields, overrides, asserts, a leaf for each generation.
const encodeXML = `<isa>
<expr name="#wide">{SIZE} == 2</expr>
<bitset name="#reg" size="6">
  <display>{HALF}r{NUM}.{COMP}</display>
  <field name="NUM" low="2" high="5" type="uint"/>
  <field name="COMP" low="0" high="1" type="uint"/>
  <encode type="const struct reg *">
    <map name="NUM">src->num >> 2</map>
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
  <field name="DST" low="16" high="21" type="#reg"><param name="IS_HALF" as="HALF"/></field>
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
			p, err := gen.New(set, gen.Options{Fallback: "drv", AllGens: true, Fragments: true})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range c.Write(p) {
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
	p, err := gen.New(set, gen.Options{Fallback: "drv", AllGens: true, Fragments: true})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range c.Write(p) {
		list = append(list, f.Warnings...)
	}
	// Four leaves of three names show SIZE; it stands in the 28th line.
	if want := []string{"drv.xml:28: SIZE has no <map>, and is encoded as 0, in ld.x and 2 more"}; !slices.Equal(list, want) {
		t.Errorf("%q, expected %q", list, want)
	}
}
