package main

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPicture compares the picture of the README with the current output of the command.
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
	drawn := filepath.Join(t.TempDir(), "demo.png")
	if out, err := exec.Command(program, "run", "--demo", "--png", drawn).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := differ(t, drawn, demo); n > 1000 { // processors with fused multiply-add draw slightly different edges
		t.Errorf("%d pixels of %s are not what the command draws: go run ./internal/picture writes it anew", n, demo)
	}
}

// differ counts the pixels that differ visibly.
func differ(t *testing.T, a, b string) (n int) {
	t.Helper()
	var images [2]image.Image
	for i, name := range []string{a, b} {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if images[i], err = png.Decode(file); err != nil {
			t.Fatal(err)
		}
	}
	box := images[0].Bounds()
	if box != images[1].Bounds() {
		t.Fatalf("%s is of size %v, %s of %v", a, box, b, images[1].Bounds())
	}
	for y := range box.Dy() {
		for x := range box.Dx() {
			p, q := color.RGBAModel.Convert(images[0].At(x, y)).(color.RGBA), color.RGBAModel.Convert(images[1].At(x, y)).(color.RGBA)
			if max(p.R, q.R)-min(p.R, q.R) > 8 || max(p.G, q.G)-min(p.G, q.G) > 8 || max(p.B, q.B)-min(p.B, q.B) > 8 {
				n++
			}
		}
	}
	return n
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
