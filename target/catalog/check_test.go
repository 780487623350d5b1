package catalog_test

import (
	"strings"
	"testing"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
	"github.com/isago/isago/target/catalog"
)

// unproved are the machines of which some instructions are too large to prove that no two words print
// one text; their own tests print and read random words.
var unproved = map[string]bool{"a2xx": true}

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
			if !c.Proved && !(unproved[m.Name] && strings.HasPrefix(c.Text, "not proved: that no two words of ")) {
				t.Errorf("%s: %s", m.Name, c.Text)
			}
		}
	}
}
