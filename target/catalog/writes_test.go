package catalog

import (
	"slices"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
)

// What a whole launch or block shares and programs can write: constants, and the memory that A2XX fetches vertices from, are
// only read.
func TestSharedStateThatProgramsWrite(t *testing.T) {
	want := map[string][]string{"tesla": {"g", "s", "locks"}}
	for _, m := range Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		machine, err := exec.Open(set)
		if err != nil {
			t.Fatal(err)
		}
		inner := machine.Inside(inside.Key{})
		for _, s := range machine.States {
			name := s.Name
			if s.Group != "" {
				name = s.Group
			}
			if s.Scope < exec.ScopeBlock {
				continue
			}
			if got, want := inner.Writes(inner.States[s.Index]), slices.Contains(want[m.Name], name); got != want {
				t.Errorf("%s: programs write %s: %v, expected %v", m.Name, s.Name, got, want)
			}
		}
	}
}
