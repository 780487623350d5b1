package isa_test

import (
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// TestHazards checks the hazards of words, including those of parent bitsets and of operand parts.
func TestHazards(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"x.xml": {Data: []byte(`<isa strict="true">
<bitset name="#reg" size="3"><display>r{N}</display><field name="N" low="0" high="2" type="uint"/></bitset>
<bitset name="#instruction" size="8"><hazard name="top" expr="{A.N} == 7">the last
  register</hazard></bitset>
<bitset name="add" extends="#instruction"><display>add {A}, {B}</display>
  <field name="A" low="0" high="2" type="#reg"/><field name="B" low="3" high="5" type="#reg"/>
  <pattern low="6" high="7">00</pattern>
  <hazard name="same" refused="true"><expr>{A} == {B}</expr>both are one</hazard>
</bitset>
</isa>`)}}, "x.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	same, top := isa.Hazard{Name: "same", Text: "both are one", Rejected: true}, isa.Hazard{Name: "top", Text: "the last register"}
	for word, want := range map[uint64][]isa.Hazard{0x0a: nil, 0x09: {same}, 0x07: {top}, 0x3f: {same, top}} {
		in, ok := d.Decode(bits.Of(word))
		if !ok {
			t.Fatalf("%x is unknown", word)
		}
		if got := d.Hazards(nil, in); !reflect.DeepEqual(got, want) {
			t.Errorf("%x: %v, expected %v", word, got, want)
		}
	}
}
