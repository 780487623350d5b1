package pica200_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// TestExamples assembles every example to the file that stands beside it, without a warning, and
// takes that file apart and together again.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/pica200/*.pica")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	a := newAssembler(t)
	used := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(f, ".pica") + ".shbin")
		if err != nil {
			t.Fatal(err)
		}
		out := assemble(t, a, string(text))
		if out == nil {
			continue
		}
		if len(out.Warnings) > 0 {
			t.Errorf("%s: %v", f, out.Warnings)
		}
		if !bytes.Equal(out.Bytes, want) {
			t.Errorf("%s: assembled\n%x\nexpected\n%x", f, out.Bytes, want)
		}
		roundTrip(t, a, want)
		leaves(t, out.File, used)
	}
	set := load(t)
	root, _ := set.Root("")
	for _, l := range root.Leaves {
		if !used[l.Name] {
			t.Errorf("no example has a %s", l.Name)
		}
	}
}

// leaves notes which instructions a file has.
func leaves(t *testing.T, f *pica200.SHBIN, used map[string]bool) {
	t.Helper()
	d, err := load(t).NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range f.DVLP.Code {
		if in, ok := d.Decode(bits.Of(uint64(w))); ok {
			used[in.Leaf.Name] = true
		}
	}
}

func newAssembler(t testing.TB) *pica200.Assembler {
	t.Helper()
	set, err := pica200.Load(isa.Options{Syntax: pica200.Syntax})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	a, err := pica200.NewAssembler(set)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// assemble assembles files given as texts, named 0.pica and so on.
func assemble(t testing.TB, a *pica200.Assembler, texts ...string) *pica200.Assembled {
	t.Helper()
	out, err := a.Assemble(sources(texts...), pica200.AssembleOptions{})
	if err != nil {
		t.Errorf("%s\n%s", diag.Render(err), strings.Join(texts, "\n---\n"))
		return nil
	}
	return out
}

func sources(texts ...string) []*diag.Source {
	var list []*diag.Source
	for i, text := range texts {
		list = append(list, &diag.Source{Name: string(rune('0'+i)) + ".pica", Text: text})
	}
	return list
}

// roundTrip takes a file apart and together again, and returns the source.
func roundTrip(t testing.TB, a *pica200.Assembler, data []byte) string {
	t.Helper()
	text, err := a.Source(data)
	if err != nil {
		t.Fatalf("%v\n%x", err, data)
	}
	out, err := a.Assemble(sources(string(text)), pica200.AssembleOptions{})
	if err != nil {
		t.Fatalf("%s\n%s", diag.Render(err), text)
	}
	if !bytes.Equal(out.Bytes, data) {
		t.Fatalf("from\n%x\nback\n%x\nsource\n%s", data, out.Bytes, text)
	}
	return string(text)
}
