package c_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/gentest"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/isa"
)

// BenchmarkBesideTheLibrary measures generated C and the library on the same words in one run: words that are decoded,
// and those that are decoded and printed, a second; the size of the object file, and the processor time that gcc -O2 takes.
func BenchmarkBesideTheLibrary(b *testing.B) {
	compiler(b, "gcc")
	for _, x := range gentest.Descriptions(b) {
		b.Run(x.Name, func(b *testing.B) {
			set, err := x.Load(isa.Options{Gen: x.Gens[0]})
			if err != nil {
				b.Fatal(err)
			}
			p, err := gen.New(set, gen.Options{Fallback: x.Name, AllGens: len(x.Gens) > 1})
			if err != nil {
				b.Fatal(err)
			}
			root := p.Main
			dir := b.TempDir()
			write(b, dir, p)
			words := sound(b, set, root.Spec.Name)
			source := strings.NewReplacer("NAME", p.Name, "GEN", genMember(p, x.Gens[0])).Replace(benchText)
			if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(source), 0o666); err != nil {
				b.Fatal(err)
			}
			file, err := os.Create(filepath.Join(dir, "words"))
			if err != nil {
				b.Fatal(err)
			}
			for _, w := range words {
				_ = binary.Write(file, binary.LittleEndian, w[:p.Limbs])
			}
			file.Close()
			cc := exec.Command("gcc", "-std=c11", "-O2", "-c", p.Name+".c")
			cc.Dir = dir
			if err := cc.Run(); err != nil {
				b.Fatal(err)
			}
			took := cc.ProcessState.UserTime()
			object, err := os.Stat(filepath.Join(dir, p.Name+".o"))
			if err != nil {
				b.Fatal(err)
			}
			compile(b, dir, "gcc", "-std=gnu11", "-O2", "-o", "main", "main.c", p.Name+".o")
			var decoded, printed float64
			for b.Loop() {
				cmd := exec.Command(filepath.Join(dir, "main"))
				cmd.Dir = dir
				out, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				if _, err := fmt.Sscan(string(out), &decoded, &printed); err != nil {
					b.Fatal(err)
				}
			}
			d, err := set.NewDecoder(root.Spec.Name)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(decoded, "Mdecoded/s")
			b.ReportMetric(printed, "Mprinted/s")
			b.ReportMetric(library(d, words), "Mprinted/s-library")
			b.ReportMetric(float64(object.Size())/1024, "KiB-object")
			b.ReportMetric(took.Seconds(), "s-gcc-CPU")
		})
	}
}

func genMember(p *gen.Program, g uint32) string {
	if len(p.Classes) > 1 || p.Uses.Gen {
		return fmt.Sprintf("o.gen = %d;", g)
	}
	return ""
}

// sound makes words of each leaf that print without a finding.
func sound(b *testing.B, set *isa.Set, root string) (list []bits.Value) {
	d, err := set.NewDecoder(root)
	if err != nil {
		b.Fatal(err)
	}
	source := roundtrip.NewWords(set, 1)
	for range 64 {
		for _, l := range d.Root().Leaves {
			w := source.Leaf(l)
			in, ok := d.Decode(w)
			if ok && len(d.Append(nil, in)) > 0 && len(d.Findings()) == 0 {
				list = append(list, w)
			}
		}
	}
	return list
}

// library decodes and prints the words, and returns how many millions a second.
func library(d *isa.Decoder, words []bits.Value) float64 {
	buf := make([]byte, 0, 1<<12)
	start, n := time.Now(), 0
	for time.Since(start) < time.Second {
		for _, w := range words {
			in, ok := d.Decode(w)
			if ok {
				buf = d.Append(buf[:0], in)
			}
		}
		n += len(words)
	}
	return float64(n) / time.Since(start).Seconds() / 1e6
}

const benchText = `#include "NAME.h"
#include <stdio.h>
#include <time.h>
static NAME_word words[1 << 16];
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
int main(void)
{
	FILE *f = fopen("words", "rb");
	size_t n = fread(words, sizeof words[0], 1 << 16, f), i;
	unsigned long done = 0, sum = 0;
	struct NAME_options o;
	struct NAME_inst in;
	char text[4096];
	double start = now(), first;
	NAME_options_init(&o);
	GEN
	for (; now() - start < 1; done += n)
		for (i = 0; i < n; i++)
			if (NAME_decode(words[i], &o, &in))
				sum += in.size + (unsigned)in.op;
	first = (double)done / (now() - start) / 1e6;
	start = now();
	for (done = 0; now() - start < 1; done += n)
		for (i = 0; i < n; i++)
			if (NAME_decode(words[i], &o, &in))
				sum += NAME_print(&in, &o, text, sizeof text);
	printf("%.2f %.2f\n", first, (double)done / (now() - start) / 1e6);
	return sum == 0;
}
`
