package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/internal/invented"
)

// TestInventedPrograms disassembles random bytes as programs of machines that are made up, and assembles what is printed.
func TestInventedPrograms(t *testing.T) {
	dir, programs := t.TempDir(), 0
	spec, data, source := filepath.Join(dir, "x.xml"), filepath.Join(dir, "x.bin"), filepath.Join(dir, "x.s")
	for seed := range uint64(60) {
		for _, text := range []string{invented.Texts(seed), invented.Words(seed)} {
			if !strings.Contains(text, `strict="true"`) || strings.Contains(text, "overlap=") || strings.Contains(text, "<table") {
				continue // words may be two leaves, and bytes have no entries
			}
			r := rand.New(rand.NewPCG(seed, 4))
			want := make([]byte, 5*40)
			for i := range want {
				want[i] = byte(r.Uint32() & r.Uint32())
			}
			write(t, spec, text)
			write(t, data, string(want))
			var out, errs bytes.Buffer
			if status := run([]string{"dis", "--lossless", "--spec", spec, data}, nil, &out, &errs); status != exitOK && status != exitFindings {
				continue // a name is missing in the description
			}
			write(t, source, out.String())
			var got bytes.Buffer
			if status := run([]string{"asm", "--spec", spec, "-o", "-", source}, nil, &got, &errs); status != exitOK || !bytes.Equal(got.Bytes(), want) {
				t.Fatalf("seed %d: %s\n%x comes back as\n%x\n%s\n%s", seed, errs.String(), want, got.Bytes(), out.String(), text)
			}
			programs++
		}
	}
	if programs < 30 {
		t.Errorf("only %d programs", programs)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
