package asm

import (
	"fmt"
	"math/rand"
	"os"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/benchtest"
	"github.com/isago/isago/isa"
)

// benchmarked are machines whose lines are read.
var benchmarked = []struct{ dir, file string }{
	{"../target/pica200", "pica200.xml"}, {"../target/tegra", "tegra.xml"}, {"../target/tesla", "tesla.xml"}, {"../internal/testgpu/heron", "heron.xml"},
}

// BenchmarkRepeating reads many lines that repeat, as those of many programs that were written by one compiler do: few
// instructions with few operands. "new" is by a parser that has seen nothing, "again" by one that has seen all. Their
// names say how many in a hundred are the first of their kind; inside one program it is four in five.
func BenchmarkRepeating(b *testing.B) {
	for _, c := range benchmarked {
		s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
		if err != nil {
			b.Fatal(isa.Explain(err))
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
		_, distinct := benchtest.Distinct([][]string{lines})
		b.Run(fmt.Sprintf("%s/%.0f%%distinct", c.file, distinct), func(b *testing.B) { readLines(b, s, lines) })
	}
}

func readLines(b *testing.B, s *isa.Set, lines []string) {
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	benchtest.Programs(b, 1, func() func(int) (int, int) {
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

// BenchmarkNumbers reads lines of a few hundred instructions that differ in their numbers alone, no two of them the same, as
// those of kernels do: by a parser that has seen nothing.
func BenchmarkNumbers(b *testing.B) {
	for _, c := range benchmarked {
		b.Run(c.file, func(b *testing.B) {
			s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
			if err != nil {
				b.Fatal(isa.Explain(err))
			}
			d, err := s.NewDecoder("")
			if err != nil {
				b.Fatal(err)
			}
			readLines(b, s, differInNumbers(d, rand.New(rand.NewSource(1))))
		})
	}
}

// differInNumbers makes such lines, of instructions of which only fields that are shown as numbers are other ones.
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
		var numbers []isa.Part
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
