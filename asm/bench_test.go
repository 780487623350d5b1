package asm

import (
	"fmt"
	"math/rand"
	"os"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/benchtest"
	"github.com/isago/isago/isa"
)

// benchmarked lists the machines whose lines the benchmarks parse.
var benchmarked = []struct{ dir, file string }{
	{"../target/pica200", "pica200.xml"}, {"../target/tegra", "tegra.xml"}, {"../target/tesla", "tesla.xml"}, {"../internal/testgpu/heron", "heron.xml"},
}

// BenchmarkRepeating parses lines that repeat, as in many programs of one compiler: few instructions with few operands.
// "new" uses a parser that has parsed nothing before, and "again" uses a parser that has parsed all lines. The names
// contain the percentage of distinct lines. In a single program it is about 80.
func BenchmarkRepeating(b *testing.B) {
	for _, c := range benchmarked {
		s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
		if err != nil {
			b.Fatal(diag.Render(err))
		}
		d, err := s.NewDecoder("")
		if err != nil {
			b.Fatal(err)
		}
		r := rand.New(rand.NewSource(1))
		randomTables(d, r)
		few := newFew(d, r)
		var lines []string
		for range 50_000 {
			if text := few.line(d, r); len(d.Findings()) == 0 {
				lines = append(lines, text)
			}
		}
		_, distinct := benchtest.DistinctShares([][]string{lines})
		b.Run(fmt.Sprintf("%s/%.0f%%distinct", c.file, distinct), func(b *testing.B) { readLines(b, s, lines) })
	}
}

func readLines(b *testing.B, s *isa.Set, lines []string) {
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	benchtest.RunPrograms(b, 1, func() func(int) (int, int) {
		p, err := New(s, "")
		if err != nil {
			b.Fatal(err)
		}
		return func(int) (int, int) {
			for _, x := range lines {
				p.Try(x)
			}
			return len(lines), size
		}
	})
}

// BenchmarkNumbers parses distinct lines of a few hundred instructions. The lines differ only in numbers, as in compute
// kernels.
func BenchmarkNumbers(b *testing.B) {
	for _, c := range benchmarked {
		b.Run(c.file, func(b *testing.B) {
			s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
			if err != nil {
				b.Fatal(diag.Render(err))
			}
			d, err := s.NewDecoder("")
			if err != nil {
				b.Fatal(err)
			}
			readLines(b, s, differInNumbers(d, rand.New(rand.NewSource(1))))
		})
	}
}

// differInNumbers returns lines that differ only in numbers. It varies only fields that are printed as numbers.
func differInNumbers(d *isa.Decoder, r *rand.Rand) (lines []string) {
	randomTables(d, r)
	leaves := d.Root().Leaves
	shape := func(in isa.Inst) string { return numbersIn.ReplaceAllString(string(d.Append(nil, in)), "#") }
	seen := map[string]bool{}
	for range 300 {
		l := leaves[r.Intn(len(leaves))]
		in, ok := d.Decode(randomValue(r).AndNot(l.Mask.Or(l.DontCare)).Or(l.Match).And(bits.Ones(l.Size)))
		if !ok {
			continue
		}
		var numbers []bits.Part
		for _, f := range d.Fields(nil, in) {
			if len(f.Parts) == 1 && f.Table == "" && !f.Index && f.Parts[0].Width <= 10 {
				other := in
				other.Bits.SetUint(f.Parts[0].Low, f.Parts[0].Width, f.Value[0]^1)
				if string(d.Append(nil, other)) != string(d.Append(nil, in)) && shape(other) == shape(in) {
					numbers = append(numbers, f.Parts[0])
				}
			}
		}
		for range 100 {
			for _, n := range numbers {
				in.Bits.SetUint(n.Low, n.Width, uint64(r.Intn(1<<n.Width)))
			}
			if text := string(d.Append(nil, in)); !seen[text] && len(d.Findings()) == 0 {
				seen[text] = true
				lines = append(lines, text)
			}
		}
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return lines
}
