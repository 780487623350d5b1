package catalog_test

import (
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
	"github.com/isago/isago/target/catalog"
)

// unproved are the claims that are too large to decide. Words of Tegra print one text anyway, as the
// exception beside its display says; random words of A2XX are printed and read by its own tests. Tesla's text leaves out
// what an operand does not use: the lossless suffix shows that.
var unproved = map[string]string{
	"tegra": "not proved: that no two words of #instruction print the same text;",
	"a2xx":  "not proved: that no two words of #",
	"tesla": "not proved: that no two words of #instruction print the same text",
}

// Every shipped description is proved sound, but for what it says itself
// beside the line.
func TestCheck(t *testing.T) {
	for _, m := range catalog.Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Fatalf("%s: %s", m.Name, diag.Render(err))
		}
		r, err := prove.Check(t.Context(), set, prove.Options{Search: -1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Findings {
			t.Errorf("%s: %s", m.Name, r.Findings[i].Explain())
		}
		for _, c := range r.Claims {
			if text, ok := unproved[m.Name]; !c.Proved && !(ok && strings.HasPrefix(c.Text, text)) {
				t.Errorf("%s: %s", m.Name, c.Text)
			}
		}
	}
}
