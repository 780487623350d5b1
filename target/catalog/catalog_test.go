package catalog_test

import (
	"slices"
	"testing"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// TestMachines loads every machine and checks what the commands rely on.
func TestMachines(t *testing.T) {
	var names []string
	for _, m := range catalog.Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Errorf("%s: %s", m.Name, isa.Explain(err))
			continue
		}
		if set.Name() != m.Name {
			t.Errorf("%s: the description calls itself %q", m.Name, set.Name())
		}
		if m.Title == "" {
			t.Errorf("%s has no title", m.Name)
		}
		if slices.Contains(names, m.Name) {
			t.Errorf("two machines are called %s", m.Name)
		}
		names = append(names, m.Name)
		if _, err := set.NewDecoder(""); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if r := m.Raw; r != nil && (r.Open == nil || r.Source == nil || m.NewCompiler == nil) {
			t.Errorf("%s: raw programs are not complete", m.Name)
		}
		for _, f := range m.Formats {
			if f.Name == "" || f.Is == nil || f.Open == nil {
				t.Errorf("%s: format %q is not complete", m.Name, f.Name)
			}
			for _, data := range []string{"", "\x00", "plain text\n"} {
				if f.Is([]byte(data)) {
					t.Errorf("%s: %q is %s", m.Name, data, f.Name)
				}
			}
		}
	}
}

func TestLookup(t *testing.T) {
	m, err := catalog.Lookup("pica200")
	if err != nil || m.Name != "pica200" {
		t.Errorf("pica200 is %q, %v", m.Name, err)
	}
	for _, name := range []string{"", "PICA200", "nope"} {
		if _, err := catalog.Lookup(name); err == nil {
			t.Errorf("there is a machine %q", name)
		}
	}
	_, err = catalog.Lookup("nope")
	if want := `unknown machine "nope"; there are pica200, tegra, a2xx, tesla, example`; err == nil || err.Error() != want {
		t.Errorf("got %v, expected %s", err, want)
	}
}

func TestRecognise(t *testing.T) {
	for _, x := range []struct{ data, machine, format string }{
		{"DVLB", "pica200", "SHBIN"},
		{"DVLBxyz", "pica200", "SHBIN"},
		{"DVL", "", ""},
		{"xDVLB", "", ""},
		{"", "", ""},
	} {
		m, f, ok := catalog.Recognise([]byte(x.data))
		if m.Name != x.machine || f.Name != x.format || ok != (x.machine != "") {
			t.Errorf("%q is %s of %s, %v, expected %s of %s", x.data, f.Name, m.Name, ok, x.format, x.machine)
		}
	}
}
