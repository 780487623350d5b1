package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The picture of the README is what the command prints today.
func TestPicture(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	t.Chdir("../..")
	program := filepath.Join(t.TempDir(), "isago")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/isago").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	picture, err := draw(program)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("docs/isago.svg")
	if err != nil {
		t.Fatal(err)
	}
	if picture != string(kept) {
		t.Error("docs/isago.svg is not what the command prints: go run ./internal/picture writes it anew")
	}
}

func TestRuns(t *testing.T) {
	got := svg([]string{"a \x1b[1;34mb<c\x1b[0m\x1b[2m d\x1b[0m"})
	for _, want := range []string{
		`<text x="18" y="32" textLength="8">a</text>`,
		`<text x="34" y="32" textLength="24" class="b c34">b&lt;c</text>`,
		`<text x="66" y="32" textLength="8" class="dim">d</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
