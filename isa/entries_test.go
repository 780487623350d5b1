package isa_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// TestIgnoredBitsOfEntries requires one finding if ignored bits are 1 in an entry that displays read
// only through paths. It prints with memos, without memos and with tokens.
func TestIgnoredBitsOfEntries(t *testing.T) {
	const text = `<isa strict="true">
	<bitset name="#entry" size="8">
	  <display>{A}{B}</display>
	  <field name="A" low="0" high="3" type="uint"/>
	  <field name="B" low="4" high="6" type="uint"/>
	  <pattern pos="7">x</pattern>
	</bitset>
	<table name="entries" type="#entry" size="4"/>
	<bitset name="#instruction" size="8"/>
	<bitset name="op" extends="#instruction">
	  <display>op {E.A}, {E.B}, {E.A}</display>
	  <pattern low="2" high="7">000000</pattern>
	  <field name="E" low="0" high="1" type="#entry" table="entries"/>
	</bitset></isa>`
	set, err := isa.Load(fstest.MapFS{"t.xml": {Data: []byte(text)}}, "t.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	d.SetTable(0, []bits.Value{bits.Of(0x21), bits.Of(0xa1)})
	for _, c := range []struct {
		word     uint64
		findings []string
	}{
		{0, nil},
		{1, []string{"dontcare bits in #entry: 00000080"}},
	} {
		in, ok := d.Decode(bits.Of(c.word))
		if !ok {
			t.Fatalf("%x is unknown", c.word)
		}
		check := func(text []byte) {
			if string(text) != "op 1, 2, 1" {
				t.Errorf("%x prints %q", c.word, text)
			}
			var got []string
			for _, f := range d.Findings() {
				got = append(got, f.Text)
			}
			if len(got) != len(c.findings) || len(got) > 0 && got[0] != c.findings[0] {
				t.Errorf("%x: findings %q, expected %q", c.word, got, c.findings)
			}
		}
		check(d.Append(nil, in))
		d.Decode(bits.Of(c.word))
		tokens, _ := d.AppendTokens(nil, nil, in)
		check(tokens)
	}
}

// TestOperandsOfEntries requires that the bits of an operand in an entry are in the entry that the word
// selects, even after another word has selected another entry.
func TestOperandsOfEntries(t *testing.T) {
	d := strict(t, `
	<bitset name="#entry" size="8">
	  <display>r{N}</display>
	  <field name="N" low="0" high="7" type="uint" role="read"/>
	</bitset>
	<table name="entries" type="#entry" size="4"/>
	<bitset name="#instruction" size="8">
	  <display>op {E}</display>
	  <pattern low="2" high="7">000000</pattern>
	  <field name="E" low="0" high="1" type="#entry" table="entries"/>
	</bitset>`)
	d.SetTable(0, []bits.Value{bits.Of(5), bits.Of(5), bits.Of(5), bits.Of(5)})
	for i := range 100 {
		in, _ := d.Decode(bits.Of(uint64(i % 4)))
		list := d.Operands(nil, in)
		if len(list) == 0 || len(list[len(list)-1].Bits) != 1 || list[len(list)-1].Bits[0].Entry != i%4 {
			t.Fatalf("word %d, the %dth: operands %+v", i%4, i+1, list)
		}
	}
}

// TestMissingEntries requires that Decode finds each missing entry that the word selects: directly, in
// an operand or in another entry. Printing must not add findings.
func TestMissingEntries(t *testing.T) {
	const inEntry = `
	<bitset name="#leaf" size="4"><display>{V}</display><field name="V" low="0" high="3" type="uint"/></bitset>
	<table name="leaves" type="#leaf" size="16"/>
	<bitset name="#pair" size="8">
	  <display>{X}:{Y}</display>
	  <field name="X" low="0" high="3" type="#leaf" table="leaves"/>
	  <field name="Y" low="4" high="7" type="#leaf" table="leaves"/>
	</bitset>
	<table name="pairs" type="#pair" size="4"/>
	<bitset name="#instruction" size="8"/>
	<bitset name="nop" extends="#instruction"><display>nop</display><pattern low="0" high="7">11111111</pattern></bitset>
	<bitset name="op" extends="#instruction">
	  <display>op</display>
	  <override><expr>{LONG}</expr><display>op {P}</display></override>
	  <pattern low="3" high="7">00000</pattern>
	  <field name="P" low="0" high="1" type="#pair" table="pairs"/>
	  <field name="LONG" pos="2" type="bool"/>
	</bitset>`
	for _, c := range []struct {
		description string
		tables      [][]bits.Value
		word        uint64
		findings    string
	}{
		// A is 1 01 10 1, so E is 5. B is 1 10 00 1, so E is 6.
		{nestedIndexXML, [][]bits.Value{nil}, 0x606d, "no entry 5 in table shared of 0 [table-entry], no entry 6 in table shared of 0 [table-entry]"},
		{nestedIndexXML, [][]bits.Value{make([]bits.Value, 6)}, 0x606d, "no entry 6 in table shared of 6 [table-entry]"},
		{nestedIndexXML, [][]bits.Value{make([]bits.Value, 7)}, 0x606d, ""},
		{nestedIndexXML, [][]bits.Value{nil}, 0, ""},                                                                                          // add r0, r0
		{nestedIndexXML, [][]bits.Value{nil}, 0x202d, "no entry 5 in table shared of 0 [table-entry]"},                                        // B is r1
		{inEntry, [][]bits.Value{nil, nil}, 0xff, ""},                                                                                         // nop
		{inEntry, [][]bits.Value{nil, nil}, 6, "no entry 2 in table pairs of 0 [table-entry], no entry 0 in table leaves of 0 [table-entry]"}, // printed
		{inEntry, [][]bits.Value{nil, nil}, 2, "no entry 2 in table pairs of 0 [table-entry], no entry 0 in table leaves of 0 [table-entry]"}, // not printed
		{inEntry, [][]bits.Value{{bits.Of(3)}, {bits.Of(0x10)}}, 4, "no entry 1 in table leaves of 1 [table-entry]"},                          // in the entry
		{inEntry, [][]bits.Value{{bits.Of(3), bits.Of(4)}, {bits.Of(0x10)}}, 4, ""},
	} {
		d := strict(t, c.description)
		for i, table := range c.tables {
			d.SetTable(i, table)
		}
		for range 40 { // until the caches are used
			in, ok := d.Decode(bits.Of(c.word))
			if !ok || in.MissingEntry != (c.findings != "") {
				t.Fatalf("%x: known %v, missing %v, expected %q", c.word, ok, in.MissingEntry, c.findings)
			}
			for _, when := range []string{"decoded", "printed", "listed"} {
				var got []string
				for _, f := range d.Findings() {
					if got = append(got, f.Text); f.Kind != isa.NoEntry {
						t.Errorf("%x: kind %d", c.word, f.Kind)
					}
				}
				if strings.Join(got, ", ") != c.findings {
					t.Fatalf("%x, %s: findings %q, expected %q", c.word, when, got, c.findings)
				}
				if when == "decoded" {
					d.Append(nil, in)
				} else {
					d.Fields(nil, in)
				}
			}
		}
		if n := testing.AllocsPerRun(100, func() { d.Decode(bits.Of(c.word)) }); n > 0 {
			t.Errorf("%x: Decode allocates %v times", c.word, n)
		}
	}
}
