package mesa_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/isa/mesa"
)

// wide returns a GPU with 82 instructions of 128 bits in plain isaspec. Each has a destination and up
// to three sources. The text of a source depends on bits elsewhere in the word: its use, the kind of
// register, and the type, which two fields encode.
func wide() string {
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	enum := func(name string, texts ...string) {
		put(`<enum name="%s">`, name)
		for i, t := range texts {
			put(`<value val="%d" display="%s"/>`, i, t)
		}
		put(`</enum>`)
	}
	put(`<isa>`)
	enum("#cond", "", ".gt", ".lt", ".ge", ".le", ".eq", ".ne", ".and", ".or", ".xor", ".not", ".nz", ".gez", ".gz", ".lez", ".lz")
	enum("#type", "", ".s32", ".s8", ".u16", ".f16", ".s16", ".u32", ".u8")
	enum("#round", "", ".rtz", ".rtne", ".rnd3")
	enum("#threads", "", ".t0", ".t1")
	enum("#mode", "", "[a.x]", "[a.y]", "[a.z]", "[a.w]")
	enum("#group", "t", "i", "u", "u", "th", "i5", "i6", "imm")
	enum("#swiz", ".x", ".y", ".z", ".w")
	put(`<expr name="#is-imm">{GROUP} == 7</expr><expr name="#is-uniform">{GROUP} == 2 || {GROUP} == 3</expr><expr name="#is-temp">{GROUP} == 0</expr>
<expr name="#high">{GROUP} == 3</expr><expr name="#float">{TYPE} == 0 || {TYPE} == 4</expr><expr name="#signed">{TYPE} == 1 || {TYPE} == 2 || {TYPE} == 5</expr>
<expr name="#imm-float">{KIND} == 0 &amp;&amp; {TYPE} == 0</expr><expr name="#imm-int">{KIND} == 1 || {TYPE} == 1</expr><expr name="#imm-uint">{KIND} == 2 || {TYPE} == 6</expr>
<expr name="#full">{MASK} == 15</expr>`)
	put(`<bitset name="#swizzle" size="8"><display>{X}{Y}{Z}{W}</display><override><expr>{W} == 3 &amp;&amp; {Z} == 2 &amp;&amp; {Y} == 1 &amp;&amp; {X} == 0</expr><display></display></override>`)
	for i, c := range "XYZW" {
		put(`<field name="%c" low="%d" high="%d" type="#swiz"/>`, c, 2*i, 2*i+1)
	}
	put(`</bitset>`)
	put(`<bitset name="#mask" size="4"><display>.{C0}{C1}{C2}{C3}</display><override><expr>{C0} &amp;&amp; {C1} &amp;&amp; {C2} &amp;&amp; {C3}</expr><display></display></override>`)
	for i := range 4 {
		put(`<field name="C%d" pos="%d" type="bool_inv" display="_"/>`, i, i)
	}
	put(`</bitset>`)
	put(`<bitset name="#dst" size="12"><display>void</display>
  <override><expr>{USED} &amp;&amp; {MODE} == 0</expr><display>t{REG}{MASK}</display></override>
  <override><expr>{USED}</expr><display>t{REG}{MODE}{MASK}</display></override>
  <field name="MASK" low="0" high="3" type="#mask"/><field name="REG" low="4" high="10" type="uint"/><pattern pos="11">0</pattern></bitset>`)
	put(`<bitset name="#src" size="24"><display>void</display>
  <override><expr>{USED} &amp;&amp; {IMM} &amp;&amp; {IMM_FLOAT}</expr><display>{VALUE_F}</display></override>
  <override><expr>{USED} &amp;&amp; {IMM} &amp;&amp; {IMM_INT}</expr><display>{VALUE_S}</display></override>
  <override><expr>{USED} &amp;&amp; {IMM} &amp;&amp; {IMM_UINT}</expr><display>{VALUE}</display></override>
  <override><expr>{USED} &amp;&amp; {UNIFORM} &amp;&amp; {HIGH} &amp;&amp; {ABS}</expr><display>{NEG}|{GROUP}{BIG}{MODE}{SWIZ}|</display></override>
  <override><expr>{USED} &amp;&amp; {UNIFORM} &amp;&amp; {HIGH}</expr><display>{NEG}{GROUP}{BIG}{MODE}{SWIZ}</display></override>
  <override><expr>{USED} &amp;&amp; {ABS}</expr><display>{NEG}|{GROUP}{REG}{MODE}{SWIZ}|</display></override>
  <override><expr>{USED}</expr><display>{NEG}{GROUP}{REG}{MODE}{SWIZ}</display></override>
  <derived name="BIG" type="uint" width="10"><expr>{REG} + 512</expr></derived>
  <derived name="IMM" type="bool" expr="#is-imm"/><derived name="UNIFORM" type="bool" expr="#is-uniform"/><derived name="HIGH" type="bool" expr="#high"/>
  <derived name="IMM_FLOAT" type="bool" expr="#imm-float"/><derived name="IMM_INT" type="bool" expr="#imm-int"/><derived name="IMM_UINT" type="bool" expr="#imm-uint"/>
  <derived name="VALUE" type="uint" width="20"><expr>{REG} | {SWIZ} &lt;&lt; 9 | {NEG} &lt;&lt; 17 | {ABS} &lt;&lt; 18</expr></derived>
  <derived name="VALUE_S" type="int" width="20"><expr>{REG} | {SWIZ} &lt;&lt; 9 | {NEG} &lt;&lt; 17 | {ABS} &lt;&lt; 18</expr></derived>
  <derived name="VALUE_F" type="float" width="32"><expr>({REG} | {SWIZ} &lt;&lt; 9 | {NEG} &lt;&lt; 17) &lt;&lt; 12</expr></derived>
  <derived name="KIND" type="uint" width="2"><expr>{MODE} &amp; 3</expr></derived>
  <field name="REG" low="0" high="8" type="uint"/><field name="SWIZ" low="9" high="16" type="#swizzle"/>
  <field name="NEG" pos="17" type="bool" display="-"/><field name="ABS" pos="18" type="bool"/><pattern low="19" high="23">00000</pattern></bitset>`)
	put(`<template name="HEAD">{NAME}{FULL}{SAT}{COND}{SKIP}{TYPE}{ROUND}{THREADS}</template>`)
	put(`<bitset name="#instruction" size="128">
  <field name="OP" low="0" high="0" type="uint"/>`)
	put(`</bitset>`)
	put(`<bitset name="#alu" extends="#instruction">
  <display>{HEAD} {DST:align=24}, {SRC0}, {SRC1}, {SRC2}</display>
  <override expr="#full"><display>{HEAD} {DST:align=24}, {SRC0}, {SRC1}, {SRC2} ;</display></override>
  <derived name="TYPE" type="#type"><expr>{TYPE_HIGH} &lt;&lt; 2 | {TYPE_LOW}</expr></derived>
  <derived name="MASK" type="uint" width="4"><expr>{DST} &amp; 15</expr></derived>
  <field name="COND" low="1" high="4" type="#cond"/><field name="SAT" pos="5" type="bool" display=".sat"/><field name="SKIP" pos="6" type="bool" display=".skip"/>
  <field name="TYPE_LOW" low="7" high="8" type="uint"/><field name="TYPE_HIGH" pos="9" type="uint"/><field name="ROUND" low="10" high="11" type="#round"/>
  <field name="THREADS" low="12" high="13" type="#threads"/><field name="FULL" pos="14" type="bool" display=".full"/>
  <field name="DST_USED" pos="15" type="bool"/><field name="DST_MODE" low="16" high="18" type="#mode"/>
  <field name="DST" low="19" high="30" type="#dst"><param name="DST_USED" as="USED"/><param name="DST_MODE" as="MODE"/></field>`)
	for i := range 3 {
		low := 31 + 30*i
		put(`<field name="SRC%d" low="%d" high="%d" type="#src"><param name="USED%d" as="USED"/><param name="MODE%d" as="MODE"/><param name="GROUP%d" as="GROUP"/><param name="TYPE"/></field>
  <field name="USED%d" pos="%d" type="bool"/><field name="MODE%d" low="%d" high="%d" type="#mode"/>`, i, low, low+23, i, i, i, i, low+24, i, low+25, low+26)
		put(`<field name="GROUP%d" low="%d" high="%d" type="#group"/>`, i, low+27, low+29)
	}
	put(`</bitset>`)
	for i := range 82 {
		put(`<bitset name="op%d" extends="#alu"><pattern low="121" high="127">%07b</pattern></bitset>`, i, i)
	}
	return b.String() + "</isa>\n"
}

func loadWide(tb testing.TB) (*isa.Set, []bits.Value) {
	set, err := isa.Load(fstest.MapFS{"wide.xml": {Data: []byte(wide())}}, "wide.xml", isa.Options{})
	if err != nil {
		tb.Fatal(diag.Render(err))
	}
	source := roundtrip.NewWords(set, 1)
	root, err := set.Root("")
	if err != nil {
		tb.Fatal(err)
	}
	var words []bits.Value
	for range 200 {
		for _, l := range root.Leaves {
			words = append(words, source.Leaf(l))
		}
	}
	return set, words
}

// TestWideFromMemos prints a GPU whose operands depend on each other and requires that its decoder
// prints it from memos.
func TestWideFromMemos(t *testing.T) {
	set, words := loadWide(t)
	quick, err := mesa.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	slow, _ := mesa.New(set, "")
	slow.Stepwise = true
	for i, w := range words {
		got, ok := quick.Append(nil, w)
		if i > 40*82 {
			continue
		}
		want, wanted := slow.Append(nil, w)
		if string(got) != string(want) || ok != wanted || strings.Join(quick.Findings(), "|") != strings.Join(slow.Findings(), "|") {
			t.Fatalf("%s: %q %q; step by step %q %q", w, got, quick.Findings(), want, slow.Findings())
		}
		quick.Reset()
		slow.Reset()
	}
	for i := range 82 {
		if !quick.Alike(i) {
			t.Fatalf("op%d is printed step by step", i)
		}
	}
}

// BenchmarkWide prints with both methods.
func BenchmarkWide(b *testing.B) {
	set, words := loadWide(b)
	d, err := set.NewDecoder("")
	if err != nil {
		b.Fatal(err)
	}
	p, err := mesa.New(set, "")
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 1<<12)
	b.Run("plain", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			in, _ := d.Decode(words[i%len(words)])
			buf = d.Append(buf[:0], in)
		}
	})
	b.Run("mesa", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			buf, _ = p.Append(buf[:0], words[i%len(words)])
			p.Reset()
		}
	})
}
