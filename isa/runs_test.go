package isa_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// TestRuns reads the description of the words that an instruction runs.
func TestRuns(t *testing.T) {
	files := fstest.MapFS{"x.xml": {Data: []byte(`<isa name="x" strict="true">
<context name="wait" type="bool"/>
<bitset name="#add" size="16"><display>{N}</display><field name="N" low="0" high="15" type="uint"/></bitset>
<bitset name="#load" size="16"><display>{N}</display><field name="N" low="0" high="15" type="uint"/></bitset>
<bitset name="#slot" size="2"><display>{KIND}{WAIT}</display>
  <field name="KIND" pos="0" type="uint"/><field name="WAIT" pos="1" type="uint"/></bitset>
<bitset name="#instruction" size="16"/>
<bitset name="run" extends="#instruction">
  <display>{NAME} {AT} {COUNT} {FIRST} {SECOND}</display>
  <pattern low="14" high="15">01</pattern>
  <runs roots="#add #load" address="AT" count="COUNT" context="wait">
    <step root="FIRST.KIND" context="FIRST.WAIT"/>
    <step root="SECOND.KIND"/>
  </runs>
  <field name="AT" low="0" high="7" type="uint"/>
  <field name="COUNT" low="8" high="9" type="uint"/>
  <field name="FIRST" low="10" high="11" type="#slot"/>
  <field name="SECOND" low="12" high="13" type="#slot"/>
</bitset>
<bitset name="nop" extends="#instruction"><display>nop</display><pattern low="0" high="15">0000000000000000</pattern></bitset>
</isa>`)}}
	set, err := isa.Load(files, "x.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	root, err := set.Root("")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := root.Leaves[1].Runs(); ok {
		t.Error("nop runs something")
	}
	r, ok := root.Leaves[0].Runs()
	if !ok || len(r.Roots) != 2 || r.Roots[1].Name != "#load" || r.Context != "wait" {
		t.Fatalf("%+v", r)
	}
	if r.Address != (bits.Part{Low: 0, Width: 8}) || r.Count != (bits.Part{Low: 8, Width: 2}) {
		t.Errorf("%+v", r)
	}
	want := []isa.RunsStep{{Root: bits.Part{Low: 10, Width: 1}, Context: bits.Part{Low: 11, Width: 1}}, {Root: bits.Part{Low: 12, Width: 1}}}
	if len(r.Steps) != 2 || r.Steps[0] != want[0] || r.Steps[1] != want[1] {
		t.Errorf("steps %+v, expected %+v", r.Steps, want)
	}
}
