package a2xx_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/target/a2xx"
)

// FuzzProgram takes any bytes apart as a program, and puts them together again.
func FuzzProgram(f *testing.F) {
	files, _ := filepath.Glob("../../examples/a2xx/*.bin")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, false)
		f.Add(data[:len(data)-5], true)
	}
	f.Fuzz(func(t *testing.T, data []byte, fragments bool) {
		if len(data) > 600 {
			return
		}
		stage := "vs"
		if fragments {
			stage = "fs"
		}
		toolsFor(t, "", stage).roundTrip(t, data)
	})
}

// FuzzSource assembles any text. What assembles comes back.
func FuzzSource(f *testing.F) {
	files, _ := filepath.Glob("../../examples/a2xx/*.a2xx")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(".org 5\n.word 1, 2, 3\n.byte 4\n@uniform m[4]\nEXEC\n FETCH: OP(5) 0x1, 0x2, 0x3 {19=0x1}")
	x := toolsFor(f, "", "vs")
	a, err := a2xx.NewAssembler(x.set, x.ctx)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4000 {
			return
		}
		out, err := a.Assemble(&diag.Source{Name: "fuzz", Text: text})
		if err != nil {
			_ = diag.Render(err)
			return
		}
		data := out.Bytes()
		if len(data) > 1200 {
			return
		}
		y := *x
		y.ctx = out.Context
		back, err := y.assemble(t, y.source(t, data))
		if err != nil || !bytes.Equal(back.Bytes(), data) {
			t.Errorf("%q becomes %x, which does not come back: %v", text, data, err)
		}
	})
}
