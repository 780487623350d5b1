package catalog_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// TestMachines loads every machine and checks what the commands rely on.
func TestMachines(t *testing.T) {
	var names []string
	for _, m := range catalog.Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Errorf("%s: %s", m.Name, diag.Render(err))
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
	for _, name := range []string{"", "nope"} {
		if _, err := catalog.Lookup(name); err == nil {
			t.Errorf("there is a machine %q", name)
		}
	}
	_, err = catalog.Lookup("nope")
	if want := `unknown machine "nope", expected one of pica200, tegra, a2xx, tesla, example`; err == nil || err.Error() != want {
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

// Each name is that of one machine or of one product, and what products set exists.
func TestProducts(t *testing.T) {
	owner := map[string]string{}
	for _, m := range catalog.Machines() {
		owner[m.Name] = m.Name
	}
	for _, m := range catalog.Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		products, err := m.Products()
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		if !reflect.DeepEqual(products, set.Products()) {
			t.Errorf("%s: read alone the products are %v, with the rest %v", m.Name, products, set.Products())
		}
		for _, p := range products {
			if p.ByteOrder != "" && m.Raw != nil && len(m.Raw.Orders) > 0 && !slices.Contains(m.Raw.Orders, p.ByteOrder) {
				t.Errorf("%s: %v have the order %s, expected one of %v", m.Name, p.Names, p.ByteOrder, m.Raw.Orders)
			}
			for _, name := range p.Names {
				if other := owner[name]; other != "" {
					t.Errorf("%s is a name of %s and of %s", name, other, m.Name)
				}
				owner[name] = m.Name
				if found, q, err := catalog.Find(strings.ToUpper(name)); err != nil || found.Name != m.Name || !slices.Equal(q.Names, p.Names) {
					t.Errorf("%s is %v of %s, %v", name, q.Names, found.Name, err)
				}
			}
		}
	}
	for name, want := range map[string]string{
		"3ds": "pica200", "tegra3": "tegra", "adreno200": "a2xx", "xbox360": "a2xx", "nv50": "tesla", "gt200": "tesla", "nv98": "tesla",
	} {
		if owner[name] != want {
			t.Errorf("%s is %q, expected %s", name, owner[name], want)
		}
	}
}
