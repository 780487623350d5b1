package isa

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// findingsOf returns the findings of some words, printed by one decoder.
func findingsOf(t *testing.T, source string, words ...uint64) (list [][]string) {
	t.Helper()
	s, err := Load(fstest.MapFS{"a.xml": {Data: []byte(source)}}, "a.xml", Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range words {
		in, ok := d.Decode(bits.Of(w))
		if !ok {
			t.Fatalf("%#x is not an instruction", w)
		}
		d.Append(nil, in)
		var found []string
		for _, f := range d.Findings() {
			found = append(found, f.Text)
		}
		list = append(list, found)
	}
	return list
}

func wantFindings(t *testing.T, got [][]string, want ...[]string) {
	t.Helper()
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("word %d: %q, expected %q", i, got[i], want[i])
		}
	}
}

// TestMissingNameOfEachOperand requires a finding for each of two operands, even if the last lookup of
// a name in the instruction came from an operand.
func TestMissingNameOfEachOperand(t *testing.T) {
	got := findingsOf(t, `<isa>
<bitset name="#op" size="2">
  <display>{V}</display>
  <override><expr>{NOPE}</expr><display>x</display></override>
  <override><expr>{H}</expr><display>h{V}</display></override>
  <field name="V" low="0" high="1" type="uint"/>
</bitset>
<bitset name="#instruction" size="8"/>
<bitset name="a" extends="#instruction"><display>{A} {B}</display>
  <pattern low="4" high="7">0001</pattern>
  <field name="A" low="0" high="1" type="#op"><param name="H"/></field>
  <field name="B" low="2" high="3" type="#op"><param name="H"/></field>
  <derived name="H" type="bool"><expr>{GONE}</expr></derived>
</bitset>
</isa>`, 0x10)
	wantFindings(t, got, []string{"no field 'NOPE'", "no field 'GONE'", "no field 'NOPE'"})
}

// TestMissingNameOnceInAScope requires one finding per scope for an undefined name, even if a shared
// operand looks it up again.
func TestMissingNameOnceInAScope(t *testing.T) {
	got := findingsOf(t, `<isa>
<bitset name="#op" size="2">
  <display>{H}{V}</display>
  <field name="V" low="0" high="1" type="uint"/>
</bitset>
<bitset name="#instruction" size="8"/>
<bitset name="#all" extends="#instruction"><display>{H} {A}</display>
  <field name="A" low="0" high="1" type="#op"><param name="H"/></field>
  <derived name="H" type="bool"><expr>{GONE}</expr></derived>
</bitset>
<bitset name="a" extends="#all"><pattern low="2" high="7">000001</pattern></bitset>
<bitset name="b" extends="#all"><pattern low="2" high="7">000010</pattern></bitset>
</isa>`, 0x04, 0x08)
	wantFindings(t, got, []string{"no field 'GONE'"}, []string{"no field 'GONE'"})
}

// TestOperandThatIsNeededForItself has an instruction that needs an operand to compute a parameter of
// the same operand. The operand's parameters must not persist in another instruction.
func TestOperandThatIsNeededForItself(t *testing.T) {
	got := findingsOf(t, `<isa>
<bitset name="#op" size="2">
  <display>{H}{V}</display>
  <field name="V" low="0" high="1" type="uint"/>
</bitset>
<bitset name="#instruction" size="8"/>
<bitset name="#all" extends="#instruction">
  <field name="A" low="0" high="1" type="#op"><param name="H"/></field>
</bitset>
<bitset name="a" extends="#all"><display>{H} {A}</display><pattern low="2" high="7">000001</pattern>
  <derived name="H" type="bool"><expr>{A} == 1</expr></derived>
</bitset>
<bitset name="b" extends="#all"><display>{A}</display><pattern low="2" high="7">000010</pattern></bitset>
</isa>`, 0x04, 0x08)
	wantFindings(t, got, nil, []string{"no field 'H'"})
}
