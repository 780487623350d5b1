package asm

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// TestMatcher checks that the parser uses a shorter text of an enum if the longest does not lead to an instruction, and
// that a strict matcher rejects text that is not in printed form.
func TestMatcher(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa name="a" strict="true">
		<enum name="#first"><value val="0" display="a"/><value val="1" display="ab"/></enum>
		<enum name="#second"><value val="0" display="bc"/><value val="1" display="d"/></enum>
		<bitset name="#instruction" size="8"><display>op {A}{B}, {N}</display><field name="A" pos="0" type="#first"/><field name="B" pos="1" type="#second"/>
			<field name="N" low="2" high="6" type="uint"/></bitset>
		<bitset name="op" extends="#instruction"><pattern pos="7">0</pattern></bitset></isa>`)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	p, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text       string
		word       uint64 // N, B and A
		ok, strict bool
	}{
		{"op abc, 3", 3 << 2, true, true},
		{"op abd, 3", 3<<2 | 1<<1 | 1, true, true},
		{"op ad, 0x1f", 31<<2 | 1<<1, true, false}, // printed as 31
		{"op abc ,3", 3 << 2, true, false},         // blanks in other places
		{"op abcd, 3", 0, false, false},
		{"op abc, 32", 0, false, false},
	} {
		m := &p.matcher
		m.load([]byte(c.text))
		if ok := m.run(); ok != c.ok || ok && m.spaces[spaceWord].val != bits.Of(c.word) {
			t.Errorf("%q is %s, %v, want %02x, %v", c.text, m.spaces[spaceWord].val, ok, c.word, c.ok)
		}
		m.load([]byte(c.text))
		m.strict = true
		if ok := m.run(); ok != c.strict {
			t.Errorf("%q is as it is printed: %v, want %v", c.text, ok, c.strict)
		}
		m.strict = false
	}
}
