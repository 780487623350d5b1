package catalog_test

import (
	"strings"
	"testing"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
	"github.com/isago/isago/target/catalog"
)

// unproved has the claim of a machine that is not proved. Tesla's bits that an operand does not use are
// not in its text: the lossless suffix shows them.
var unproved = map[string]string{"tesla": "not proved: that no two words of #instruction print one text", "pica200": "-", "example": "-"}

// Every shipped description is proved sound, but for what it says itself
// beside the line.
func TestCheck(t *testing.T) {
	for _, m := range catalog.Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Fatalf("%s: %s", m.Name, isa.Explain(err))
		}
		r, err := prove.Check(set, prove.Options{Search: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Findings {
			t.Errorf("%s: %s", m.Name, r.Findings[i].Explain())
		}
		for _, c := range r.Claims {
			if !c.Proved && !strings.HasPrefix(c.Text, unproved[m.Name]) {
				t.Errorf("%s: %s", m.Name, c.Text)
			}
		}
	}
}
