package main

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/internal/randisa"
)

var (
	inventedSeed  = flag.Uint64("invented-seed", 0, "the first machine that TestInventedPrograms makes up")
	inventedCount = flag.Uint64("invented-count", 60, "how many of each kind")
)

// TestInventedPrograms disassembles random bytes as programs of generated machines, and assembles the listings.
func TestInventedPrograms(t *testing.T) {
	dir, programs := t.TempDir(), 0
	spec, data, source := filepath.Join(dir, "x.xml"), filepath.Join(dir, "x.bin"), filepath.Join(dir, "x.s")
	for seed := *inventedSeed; seed < *inventedSeed+*inventedCount; seed++ {
		for _, text := range []string{randisa.Texts(seed), randisa.Words(seed), randisa.Programs(seed)} {
			if !strings.Contains(text, `strict="true"`) || strings.Contains(text, "overlap=") || strings.Contains(text, "<table") {
				continue // words may be two leaves, and bytes have no entries
			}
			r := rand.New(rand.NewPCG(seed, 4))
			want := make([]byte, 5*40)
			for i := range want {
				want[i] = byte(r.Uint32() & r.Uint32())
			}
			in := append(someContexts(text, r), "--spec", spec)
			if strings.Contains(text, `syntax="alt"`) && r.IntN(3) == 0 {
				in = append(in, "--syntax", "alt")
			}
			write(t, spec, text)
			write(t, data, string(want))
			var out, errs bytes.Buffer
			if status := run(append([]string{"dis", "--lossless", data}, in...), nil, &out, &errs); status != exitOK && status != exitFindings {
				continue // a name is missing in the description
			}
			write(t, source, out.String())
			var got bytes.Buffer
			if status := run(append([]string{"asm", "-o", "-", source}, in...), nil, &got, &errs); status != exitOK || !bytes.Equal(got.Bytes(), want) {
				t.Fatalf("seed %d, %s: %s\n%x comes back as\n%x\n%s\n%s", seed, in, errs.String(), want, got.Bytes(), out.String(), text)
			}
			programs++
		}
	}
	if programs < int(*inventedCount)/2 {
		t.Errorf("only %d programs", programs)
	}
}

// someContexts are flags that set some of the contexts of a machine.
func someContexts(text string, r *rand.Rand) (flags []string) {
	for _, set := range []string{"mode=b", "mode=n", "hue=b", "other=true", "k=true"} {
		name, value, _ := strings.Cut(set, "=")
		if strings.Contains(text, `<context name="`+name) && (value == "true" || strings.Contains(text, `display="`+value+`"/>`)) && r.IntN(3) == 0 {
			flags = append(flags, "--context", set)
		}
	}
	return flags
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
