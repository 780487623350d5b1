package prove_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
)

// TestExceptionsOfFields has two hidden fields, of which an exception names one, both, or neither.
func TestExceptionsOfFields(t *testing.T) {
	const head, body = "<isa name=\"x\" strict=\"true\">\n", `<bitset name="#instruction" size="8">
  <display>nop</display>
  <field name="HINT" low="0" high="3" type="uint"/>
  <field name="MODE" low="4" high="7" type="uint"/>
  <default name="HINT" val="0"/>
  <default name="MODE" val="0"/>
</bitset></isa>`
	for _, c := range []struct {
		exception       string
		found, silenced int
	}{
		{"", 2, 0},
		{"<!-- check: ignore hidden-bits of HINT in this file: a hint. -->\n", 1, 1},
		{"<!-- check: ignore hidden-bits of HINT MODE in this file: hints. -->\n", 0, 2},
		// The other finding remains, and the exception says nothing.
		{"<!-- check: ignore hidden-bits of OTHER in this file: a hint. -->\n", 3, 0},
		{"<!-- check: ignore hidden-bits in this file: hints. -->\n", 0, 2},
		// A name in small letters is no field's, and the form cannot be read.
		{"<!-- check: ignore hidden-bits of hint in this file: a hint. -->\n", 3, 0},
	} {
		files := fstest.MapFS{"x.xml": {Data: []byte(head + c.exception + body)}}
		set, err := isa.Load(files, "x.xml", isa.Options{})
		if err != nil {
			t.Fatal(isa.Explain(err))
		}
		r, err := prove.Check(set, prove.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i := range r.Findings {
			if code := r.Findings[i].Code; code == "hidden-bits" || code == "exception-idle" || code == "exception-form" {
				found++
			}
		}
		silenced := 0
		for i := range r.Silenced {
			if r.Silenced[i].Code == "hidden-bits" {
				silenced++
			}
		}
		if found != c.found || silenced != c.silenced {
			t.Errorf("%q: %d found and %d silenced, expected %d and %d: %v", c.exception, found, silenced, c.found, c.silenced, r.Findings)
		}
	}
}
