package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibraryExamples checks that each block of the page on the library is part of an example or a program, and runs
// the programs.
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
	programs := map[string]bool{}
	for _, pattern := range []string{"../examples/library/*/main.go", "../examples/peers/*/main.*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			programs[string(data)] = true
		}
	}
	for _, b := range blocks(t, "library.md") {
		switch {
		case b.kind == "rust": // no registry of Rust's is in reach of the tests
			continue
		case b.kind == "output":
			library(t, b)
			continue
		case b.kind == "golang", b.kind == "c", strings.Contains(b.text, "\nfunc main() {"):
			if !programs[b.text] {
				t.Errorf("library.md:%d: no file in examples is this program", b.line)
			}
			delete(programs, b.text)
			continue
		case b.kind != "go":
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
	if found == 0 || len(programs) > 0 {
		t.Errorf("%d pieces of code, and %d programs in examples that the page does not show", found, len(programs))
	}
}

// library runs the program whose output a block shows: the command is in the line before it.
func library(t *testing.T, b block) {
	t.Helper()
	page, err := os.ReadFile("library.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(page), "\n")
	_, command, _ := strings.Cut(lines[b.line-4], "`go ")
	command, _, ok := strings.Cut(command, "`")
	if !ok {
		t.Fatalf("library.md:%d: no `go run ...` before an output", b.line)
	}
	run := exec.Command("go", strings.Fields(command)...)
	run.Dir = ".."
	out, err := run.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), b.text) {
		t.Errorf("library.md:%d: go %s: %v\n%s", b.line, command, err, out)
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
