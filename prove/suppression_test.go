package prove_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
)

// TestSuppressionsOfFields checks two hidden fields with suppressions for one, both or neither of
// them.
func TestSuppressionsOfFields(t *testing.T) {
	const head, body = "<isa name=\"x\" strict=\"true\">\n", `<bitset name="#instruction" size="8">
  <display>nop</display>
  <field name="HINT" low="0" high="3" type="uint"/>
  <field name="MODE" low="4" high="7" type="uint"/>
  <default name="HINT" val="0"/>
  <default name="MODE" val="0"/>
</bitset></isa>`
	for _, c := range []struct {
		suppression       string
		found, suppressed int
	}{
		{"", 2, 0},
		{"<!-- check: ignore hidden-bits of HINT in this file: a hint. -->\n", 1, 1},
		{"<!-- check: ignore hidden-bits of HINT MODE in this file: hints. -->\n", 0, 2},
		// The other finding remains, and the suppression is unused.
		{"<!-- check: ignore hidden-bits of OTHER in this file: a hint. -->\n", 3, 0},
		{"<!-- check: ignore hidden-bits in this file: hints. -->\n", 0, 2},
		// A lower-case name is not a field name, so the suppression is malformed.
		{"<!-- check: ignore hidden-bits of hint in this file: a hint. -->\n", 3, 0},
	} {
		files := fstest.MapFS{"x.xml": {Data: []byte(head + c.suppression + body)}}
		set, err := isa.Load(files, "x.xml", isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		r, err := prove.Check(t.Context(), set, prove.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i := range r.Findings {
			if code := r.Findings[i].Code; code == "hidden-bits" || code == "exception-idle" || code == "exception-form" {
				found++
			}
		}
		suppressed := 0
		for i := range r.Suppressed {
			if r.Suppressed[i].Code == "hidden-bits" {
				suppressed++
			}
		}
		if found != c.found || suppressed != c.suppressed {
			t.Errorf("%q: %d found and %d suppressed, expected %d and %d: %v", c.suppression, found, suppressed, c.found, c.suppressed, r.Findings)
		}
	}
}

// TestSuppressionsOfFieldsFoundBySearch checks a field that a nested display hides. Only the random
// search finds it, because nothing can be proved about two adjacent numbers.
func TestSuppressionsOfFieldsFoundBySearch(t *testing.T) {
	const head, body = "<isa name=\"x\" strict=\"true\">\n", `<bitset name="#number" size="12">
  <!-- check: ignore hidden-bits: the other number has no effect. -->
  <display>{ONE}</display>
  <alias>{OTHER}</alias>
  <field name="ONE" low="0" high="5" type="uint"/>
  <field name="OTHER" low="6" high="11" type="uint"/>
</bitset>
<bitset name="#instruction" size="20">
  <override expr="{X} &gt; 9 || {Y} &gt; 9"><display>op {NUMBER} {X} {Y}</display></override>
  <display>op {NUMBER} {X}{Y}</display>
  <field name="A" low="0" high="5" type="uint"/>
  <field name="B" low="6" high="11" type="uint"/>
  <field name="X" low="12" high="15" type="uint"/>
  <field name="Y" low="16" high="19" type="uint"/>
  <derived name="NUMBER" type="#number" width="12"><expr>{A} | {B} &lt;&lt; 6</expr></derived>
</bitset></isa>`
	for suppression, want := range map[string]int{
		"": 1,
		"<!-- check: ignore same-text of B in this file: no effect. -->\n": 0,
		"<!-- check: ignore same-text of A in this file: no effect. -->\n": 1,
	} {
		files := fstest.MapFS{"x.xml": {Data: []byte(head + suppression + body)}}
		set, err := isa.Load(files, "x.xml", isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		r, err := prove.Check(t.Context(), set, prove.Options{Search: 1000})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i := range r.Findings {
			if r.Findings[i].Code == "same-text" {
				found++
			}
		}
		if found != want {
			t.Errorf("%q: %d findings, expected %d: %v", suppression, found, want, r.Findings)
		}
	}
}
