package main

import (
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// TestListedNames holds that run accepts each name that list --registers prints, for registers and for memories with a size. Views,
// stacks and roms are left out.
func TestListedNames(t *testing.T) {
	for _, m := range catalog.Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		machine, err := exec.Open(set)
		if err != nil {
			t.Fatal(err)
		}
		l, err := exec.Raw(machine, nil, 0, set.DefaultContext(), nil)
		if err != nil {
			t.Fatalf("%s: %v", m.Name, diag.Render(err))
		}
		names := 0
		for _, r := range view.States(set) {
			list := r.Names
			for _, a := range r.Aliases {
				if r.Kind == "file" {
					a += "0"
				}
				if r.Kind == "memory" {
					a += "[ADDRESS]"
				}
				list = append(list, a)
			}
			switch {
			case r.Kind == "view" || r.Kind == "stack" || r.Kind == "rom":
				continue
			case r.Kind == "memory" && r.Bytes == 0 && r.Scope != "lane": // a launch sets its size
				continue
			}
			for _, name := range list {
				names++
				name = strings.Replace(name, "ADDRESS", "0x0", 1)
				if p, err := l.Find(name); err != nil || p.State.Name != r.Name && p.State.Group != r.Name {
					t.Errorf("%s: %s is %v, %v", m.Name, name, p, err)
				}
			}
		}
		if names == 0 {
			t.Errorf("%s has no names", m.Name)
		}
	}
}
