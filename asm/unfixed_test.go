package asm_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// TestAssertedBits checks that bits that no text specifies get the values that the asserts of the applicable cases
// expect.
func TestAssertedBits(t *testing.T) {
	x := toolsFor(t, loadXML(t, `<isa>
<bitset name="#opd" size="4"><display>r{V}</display><field name="V" low="0" high="1" type="uint"/><assert low="2" high="3">10</assert></bitset>
<bitset name="#instruction" size="16"/>
<bitset name="ld" extends="#instruction">
  <override><expr>{IND}</expr><display>ld [{REG}]</display><field name="REG" low="0" high="2" type="uint"/><assert low="3" high="5">101</assert></override>
  <override><expr>{ADDR} &gt; 60</expr><assert low="7" high="8">11</assert></override>
  <display>ld {ADDR}</display>
  <field name="ADDR" low="0" high="5" type="uint"/><field name="IND" pos="6" type="bool"/>
  <field name="X" low="7" high="8" type="uint"/><assert low="9" high="11">010</assert><pattern low="12" high="15">0000</pattern></bitset>
<bitset name="mov" extends="#instruction"><display>mov {A}, {B}</display>
  <field name="A" low="0" high="3" type="#opd"/><field name="B" low="4" high="7" type="#opd"/>
  <assert low="8" high="11">0110</assert><pattern low="12" high="15">0001</pattern></bitset>
</isa>`, isa.Options{}))
	x.rows(t, []row{
		{"ld 17", "0411", ""},
		{"ld 61", "05bd", ""},
		{"ld [3]", "006b", ""}, // the case is the first with a display, so the asserts of the default case do not count
		{"mov r1, r2", "16a9", ""},
	})
	for _, text := range []string{"ld 17", "ld 61", "ld [3]", "mov r1, r2"} {
		res, _ := x.p.Parse(text)
		if _, _, found, _ := x.print(res.Inst.Bits); len(found) > 0 {
			t.Errorf("%s has findings %v", text, found)
		}
	}
}

// TestLeftBits parses displays of an operand that follow cases for other values of bits of the word. The text does not
// specify these bits, and they get the only remaining value, or the smallest.
func TestLeftBits(t *testing.T) {
	x := toolsFor(t, loadXML(t, `<isa>
<bitset name="#two" size="2">
  <override><expr>{F} == 1</expr><display>a{V}</display></override>
  <override><expr>{F} == 3</expr><display>b{V}</display></override>
  <override><expr>{F} == 1</expr><display>c{V}</display></override>
  <override><expr>{F} == 0</expr><display>d{V}</display></override>
  <display>r{V}</display><field name="V" low="0" high="1" type="uint"/></bitset>
<bitset name="#three" size="2">
  <override><expr>{F} == 0</expr><display>a{V}</display></override>
  <override><expr>{F} == 1</expr><display>b{V}</display></override>
  <override><expr>{F} == 3</expr><display>c{V}</display></override>
  <display>r{V}</display><field name="V" low="0" high="1" type="uint"/></bitset>
<bitset name="#instruction" size="8"/>
<bitset name="two" extends="#instruction"><display>two {A}, {B}</display>
  <field name="A" low="0" high="1" type="#two"><param name="F"/></field><field name="B" low="2" high="3" type="#two"><param name="F"/></field>
  <field name="F" low="4" high="5" type="uint"/><pattern low="6" high="7">00</pattern></bitset>
<bitset name="three" extends="#instruction"><display>three {A}</display>
  <field name="A" low="0" high="1" type="#three"><param name="F"/></field>
  <field name="F" low="2" high="4" type="uint"/><pattern low="5" high="7">010</pattern></bitset>
</isa>`, isa.Options{}))
	x.rows(t, []row{
		{"two r1, r3", "2d", ""}, // F is 2: the other cases are 0, 1 (twice) and 3
		{"two a1, a3", "1d", ""},
		{"two b1, b3", "3d", ""},
		{"two r1, b3", "", "text-condition"}, // F cannot be both
		{"three r1", "49", ""},               // F is 2, 4, 5, 6 or 7
		{"three c1", "4d", ""},
	})
}

// TestSmallestBits parses the texts of all words of random descriptions. The expected word is one of the words that
// print the text without a finding. Each default, in order, keeps only the words with its bits if there are such words;
// bits that are equal in all words do not count. The expected word is the smallest that remains.
func TestSmallestBits(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	conds := []string{"{A} &gt; 2", "{A} == {B}", "{B} &amp; 1", "{A} + {B} &lt; 5", "{C}", "({A} ^ {B}) == 3", "{A} * 2 &gt; {B} + {C}", "!{B}", "{A} % 3 == 1"}
	shown := []string{"{A}", "{B}", "{D}", "{E}", "{C}", ""}
	asserts := []string{"", `<assert low="6" high="7">01</assert>`, `<assert pos="7">1</assert><assert pos="6">0</assert>`}
	pick := func(list []string) string { return list[r.Intn(len(list))] }
	for range 150 {
		var body strings.Builder
		fmt.Fprintf(&body, `<bitset name="#instruction" size="8"><display>d %s %s</display>`, pick(shown), pick(shown))
		for i := range r.Intn(3) {
			fmt.Fprintf(&body, `<override><expr>%s</expr><display>o%d %s %s</display>%s</override>`, pick(conds), i, pick(shown), pick(shown), pick(asserts))
		}
		fmt.Fprintf(&body, `<field name="A" low="0" high="2" type="uint"/><field name="B" low="3" high="4" type="uint"/><field name="C" pos="5" type="uint"/>
			<field name="X" low="6" high="7" type="uint"/>
			<derived name="D" type="uint" width="8"><expr>%s</expr></derived><derived name="E" type="bool" display="e"><expr>%s</expr></derived>`,
			pick([]string{"{A} + {B}", "{A} &gt;&gt; 1", "{A} ^ {B}", "{A} * {C}", "{A} / 3"}), pick(conds))
		var defaults []bits.Part
		var values []uint64
		for _, f := range []struct {
			name       string
			low, width int
		}{{"B", 3, 2}, {"A", 0, 3}, {"X", 6, 2}} {
			if r.Intn(3) == 0 {
				v := uint64(r.Intn(1 << f.width))
				fmt.Fprintf(&body, `<default name="%s" val="%d"/>`, f.name, v)
				defaults, values = append(defaults, bits.Part{Low: f.low, Width: f.width}), append(values, v)
			}
		}
		body.WriteString(`</bitset>`)
		x := toolsFor(t, loadXML(t, `<isa>`+body.String()+`</isa>`, isa.Options{}))
		words := map[string][]uint64{}
		for w := range uint64(256) {
			if text, _, found, _ := x.print(bits.Of(w)); len(found) == 0 {
				words[text] = append(words[text], w)
			}
		}
		for text, list := range words {
			for i, d := range defaults {
				open := varying(list) & ((1<<d.Width - 1) << d.Low)
				if kept := slices.DeleteFunc(slices.Clone(list), func(w uint64) bool { return (w^values[i]<<d.Low)&open != 0 }); len(kept) > 0 {
					list = kept
				}
			}
			want := list[0]
			res, err := x.p.Parse(text)
			if err != nil || res.Inst.Bits != bits.Of(want) {
				t.Fatalf("%q is %s, %v, expected %02x\n%s", text, res.Inst.Bits, err, want, body.String())
			}
		}
	}
}

// varying returns the bits in which words differ.
func varying(list []uint64) (open uint64) {
	for _, w := range list {
		open |= w ^ list[0]
	}
	return open
}
