package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The code of the page on the library is code that runs: each block is part of an example.
func TestLibraryExamples(t *testing.T) {
	files, err := filepath.Glob("../*/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	targets, err := filepath.Glob("../target/*/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for _, f := range append(files, targets...) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, unindent(string(data)))
	}
	found := 0
	var shown strings.Builder
	for _, b := range blocks(t, "library.md") {
		if b.kind == "golang" { // of another module
			continue
		}
		if b.kind != "go" {
			t.Errorf("library.md:%d: block of kind %q", b.line, b.kind)
		}
		if !anyContains(examples, unindent(b.text)) {
			t.Errorf("library.md:%d: no example has this code:\n%s", b.line, b.text)
		}
		found++
		shown.WriteString(b.text)
	}
	for _, call := range []string{"set.NewDecoder(", "d.SetTable(", "d.Decode(", "d.Append(", "p.Write(", "p.Start(", "p.Run(", "p.Read("} {
		if !strings.Contains(shown.String(), call) {
			t.Errorf("library.md does not show %s...)", call)
		}
	}
	if found == 0 {
		t.Error("no code")
	}
}

func unindent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return b.String()
}

func anyContains(texts []string, part string) bool {
	for _, t := range texts {
		if strings.Contains(t, part) {
			return true
		}
	}
	return false
}
