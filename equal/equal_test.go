package equal_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/isago/isago/equal"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/catalog"
)

// open opens an example as run does.
func open(t *testing.T, machine, file string) *exec.Launch {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../examples", machine, file))
	if err != nil {
		t.Fatal(err)
	}
	m, err := catalog.Lookup(machine)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Launch(feed.Request{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return r.(feed.Launched).Launched()
}

// TestExamples compares examples with themselves, and with other examples of the machine.
func TestExamples(t *testing.T) {
	for _, x := range []struct {
		machine, a, b string
		want          equal.Verdict
	}{
		{"pica200", "light.shbin", "light.shbin", equal.Equal},
		{"pica200", "flow.shbin", "flow.shbin", equal.Equal},
		{"pica200", "skin.shbin", "skin.shbin", equal.Equal},
		{"pica200", "light.shbin", "skin.shbin", equal.Differs},
		{"tegra", "wave.vp", "wave.vp", equal.Equal},
		{"tegra", "skin.vp", "skin.vp", equal.Equal},
		{"tegra", "light.vp", "textured.vp", equal.Undecided}, // the outputs have other names
	} {
		a, b := equal.Program{Launch: open(t, x.machine, x.a)}, equal.Program{Launch: open(t, x.machine, x.b)}
		r, err := equal.Compare(t.Context(), a, b, equal.Options{Runs: 8})
		if err != nil || r.Verdict != x.want {
			t.Errorf("%s and %s: %v, %+v, expected %s", x.a, x.b, err, r, x.want)
		}
	}
}
