package tegra_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/target/tegra"
)

// TestExamples assembles every example to the file that stands beside it, without a warning, and
// takes that file apart and together again.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/tegra/*.asm")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	set, a := load(t), assembler(t)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(f, ".asm") + ".vp")
		if err != nil {
			t.Fatal(err)
		}
		p, warnings := assemble(t, a, string(text))
		if len(warnings) > 0 {
			t.Errorf("%s: %v", f, warnings)
		}
		if got := tegra.AppendContainer(nil, set, p); string(got) != string(want) {
			t.Errorf("%s: assembled\n%s\nexpected\n%s", f, got, want)
		}
		source, err := tegra.SourceOf(want)
		if err != nil {
			t.Fatal(err)
		}
		back, err := a.Assemble(&diag.Source{Name: f, Text: string(source)})
		if err != nil {
			t.Fatal(err)
		}
		if got := tegra.AppendContainer(nil, set, back.Program); string(got) != string(want) {
			t.Errorf("%s: the source of the file is assembled\n%s\nexpected\n%s", f, got, want)
		}
		if strings.Contains(string(source), "{") {
			t.Errorf("%s: source with a suffix\n%s", f, source)
		}
	}
}
