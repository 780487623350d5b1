package isa_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// An entry that templates reach by paths alone has ignored bits like any other: they are told of
// once, with memos and without, and where tokens are asked for.
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
		t.Fatal(isa.Explain(err))
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

// An operand inside of an entry has its bits in the entry that the word names, however often one like it was met in another.
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
