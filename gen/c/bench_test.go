package c_test

import (
	"encoding/binary"
	"flag"
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

var beside = flag.String("beside", "", "a folder of C that was generated before, to be measured on the same words")

// BenchmarkBesideTheLibrary measures generated C and the library on the same words in one run: distinct random words, most
// of them of some leaf, with what is found. It tells the millions of words that are decoded, and that are decoded and
// printed, a second; the size of the object files, and the processor time that gcc -O2 takes for them.
func BenchmarkBesideTheLibrary(b *testing.B) {
	compiler(b, "gcc")
	for _, x := range gentest.Descriptions(b) {
		b.Run(x.Name, func(b *testing.B) {
			set, p := x.Program(b)
			root := p.Main
			dir := b.TempDir()
			write(b, dir, p)
			words := distinct(b, set, root.Spec.Name)
			file, err := os.Create(filepath.Join(dir, "words"))
			if err != nil {
				b.Fatal(err)
			}
			for _, w := range words {
				_ = binary.Write(file, binary.LittleEndian, w[:p.Limbs])
			}
			file.Close()
			for _, f := range written(b, p) {
				if strings.HasSuffix(f.Name, ".c") {
					size, took := object(b, dir, dir, f.Name)
					what := strings.TrimSuffix(strings.TrimPrefix(f.Name, p.Name), ".c")
					b.ReportMetric(float64(size)/1024, "KiB"+what)
					b.ReportMetric(took.Seconds(), "s-gcc"+what)
				}
			}
			now := measured(b, dir, dir, p, x.Gens[0])
			var before func() (decoded, printed float64)
			if *beside != "" {
				before = measured(b, dir, *beside, p, x.Gens[0])
			}
			d, err := set.NewDecoder(root.Spec.Name)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				decoded, printed := now()
				b.ReportMetric(decoded, "Mdecoded/s")
				b.ReportMetric(printed, "Mprinted/s")
				if before != nil {
					decoded, printed = before()
					b.ReportMetric(decoded, "Mdecoded/s-before")
					b.ReportMetric(printed, "Mprinted/s-before")
				}
				b.ReportMetric(library(d, words), "Mprinted/s-library")
			}
		})
	}
}

// object compiles a file into a folder, and returns the size of its code and data and the processor time that it took.
func object(b *testing.B, dir, from, name string) (bytes int64, took time.Duration) {
	cc := exec.Command("gcc", "-std=c11", "-O2", "-c", "-o", filepath.Join(dir, strings.TrimSuffix(name, ".c")+".o"), name)
	cc.Dir = from
	if out, err := cc.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(filepath.Join(dir, strings.TrimSuffix(name, ".c")+".o"))
	if err != nil {
		b.Fatal(err)
	}
	return info.Size(), cc.ProcessState.UserTime()
}

// measured builds a program that measures the C in a folder, and returns what runs it.
func measured(b *testing.B, dir, from string, p *gen.Program, gpu uint32) func() (decoded, printed float64) {
	source := strings.NewReplacer("NAME", p.Name, "GEN", genMember(p, gpu)).Replace(benchText)
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(source), 0o666); err != nil {
		b.Fatal(err)
	}
	object(b, dir, from, p.Name+".c")
	program := "now"
	if from != dir {
		program = "before"
	}
	compile(b, dir, "gcc", "-std=gnu11", "-O2", "-I", from, "-o", program, "main.c", p.Name+".o")
	return func() (decoded, printed float64) {
		cmd := exec.Command(filepath.Join(dir, program))
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := fmt.Sscan(string(out), &decoded, &printed); err != nil {
			b.Fatal(err)
		}
		return decoded, printed
	}
}

func genMember(p *gen.Program, g uint32) string {
	if len(p.Classes) > 1 || p.Uses.Gen {
		return fmt.Sprintf("o.gen = %d;", g)
	}
	return ""
}

// distinct makes random words, three of four of some leaf.
func distinct(b *testing.B, set *isa.Set, root string) (list []bits.Value) {
	d, err := set.NewDecoder(root)
	if err != nil {
		b.Fatal(err)
	}
	const count = 1 << 16
	source := roundtrip.NewWords(set, 1)
	leaves := d.Root().Leaves
	seen := map[bits.Value]bool{}
	for tries := 0; len(list) < count && tries < 4*count; tries++ {
		w := source.Random()
		if tries%4 > 0 {
			w = source.Leaf(leaves[tries%len(leaves)])
		}
		if !seen[w] {
			seen[w] = true
			list = append(list, w)
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
	static struct NAME_finding list[64];
	struct NAME_findings findings = {list, 64, 0};
	char text[4096];
	double start = now(), first;
	NAME_options_init(&o);
	o.findings = &findings;
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
