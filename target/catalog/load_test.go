package catalog_test

import (
	"embed"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
	"github.com/isago/isago/target/example"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/target/tegra"
	"github.com/isago/isago/target/tesla"
)

// Programs load the shipped descriptions without looking for mistakes. There are none, in any spelling.
func TestDescriptionsAreSound(t *testing.T) {
	for file, files := range map[string]embed.FS{
		"a2xx.xml": a2xx.FS, "example.xml": example.FS, "pica200.xml": pica200.FS, "tegra.xml": tegra.FS, "tesla.xml": tesla.FS,
	} {
		set, err := isa.Load(files, file, isa.Options{})
		if err != nil {
			t.Errorf("%s: %s", file, diag.Render(err))
			continue
		}
		for _, syntax := range set.Syntaxes() {
			if _, err := set.WithOptions(isa.Options{Syntax: syntax}); err != nil {
				t.Errorf("%s, %q: %s", file, syntax, diag.Render(err))
			}
		}
		if _, err := exec.Open(set); err != nil {
			t.Errorf("%s: %s", file, diag.Render(err))
		}
	}
}
