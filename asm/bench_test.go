package asm

import (
	"fmt"
	"math/rand"
	"os"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// benchProgram returns a decoder and a parser for PICA200 with a full table of operands, and a
// program of words in which every instruction occurs and arithmetic occurs most, no two of them the same
// but by chance and none with a finding.
func benchProgram(tb testing.TB) (*isa.Decoder, *Parser, []isa.Inst) {
	s, err := isa.Load(os.DirFS("../target/pica200"), "pica200.xml", isa.Options{})
	if err != nil {
		tb.Fatal(isa.Explain(err))
	}
	d, err := s.NewDecoder("")
	if err != nil {
		tb.Fatal(err)
	}
	p, err := New(s, "")
	if err != nil {
		tb.Fatal(err)
	}
	r := rand.New(rand.NewSource(1))
	d.SetTable(0, benchTable(r))
	var program []isa.Inst
	for len(program) < manyBench {
		for _, l := range d.Root().Leaves {
			v := bits.Of(uint64(r.Uint32())).AndNot(l.Mask.Or(l.DontCare)).Or(l.Match)
			in, ok := d.Decode(v)
			if ok && d.Append(nil, in) != nil && len(d.Findings()) == 0 && (len(program) < manyBench*3/4 || len(l.Name) == 3) && len(program) < manyBench {
				program = append(program, in)
			}
		}
	}
	return d, p, program
}

// manyBench is the number of words of a benchmark: more than a real program has, and than is remembered.
const manyBench = 1 << 13

// benchTable returns operand descriptors such as programs have: often a plain swizzle or one letter.
func benchTable(r *rand.Rand) []bits.Value {
	swizzles := []uint64{0x1b, 0x1b, 0x1b, 0x00, 0x55, 0xaa, 0xff, 0x1a, 0x6c}
	masks := []uint64{15, 15, 15, 14, 8, 4, 2, 1}
	var table []bits.Value
	for range 128 {
		e := masks[r.Intn(len(masks))]
		for _, low := range []int{4, 13, 22} {
			if r.Intn(4) == 0 {
				e |= 1 << low
			}
			e |= swizzles[r.Intn(len(swizzles))] << (low + 1)
		}
		table = append(table, bits.Of(e))
	}
	return table
}

func BenchmarkParse(b *testing.B) {
	d, p, program := benchProgram(b)
	var lines []string
	size := 0
	for _, in := range program {
		lines = append(lines, string(d.Append(nil, in)))
		size += len(lines[len(lines)-1]) + 1
	}
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, x := range lines {
			if _, err := p.Parse(x); err != nil {
				b.Fatal(x, err)
			}
		}
	}
	b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds()/1e6, "Minst/s")
}

// BenchmarkLossless prints and reads back a program that was assembled, so that it needs few
// suffixes: its entries are shared as the assembler shares them.
func BenchmarkLossless(b *testing.B) {
	d, p, program := assembled(b)
	l := NewLossless(d, p)
	b.ReportAllocs()
	buf := make([]byte, 0, 1<<19)
	for b.Loop() {
		buf = buf[:0]
		for _, in := range program {
			var ok bool
			if buf, ok = l.Append(buf, in); !ok {
				b.Fatal(in.Bits)
			}
			buf = append(buf, '\n')
		}
	}
	b.SetBytes(int64(len(buf)))
	b.ReportMetric(float64(b.N*len(program))/b.Elapsed().Seconds()/1e6, "Minst/s")
}

// assembled returns the program of benchProgram with the table that assembling it gives.
func assembled(tb testing.TB) (*isa.Decoder, *Parser, []isa.Inst) {
	d, p, program := benchProgram(tb)
	table := &GrowingTable{Size: 128}
	p.Tables[0] = table
	for i, in := range program {
		res, err := p.Parse(string(d.Append(nil, in)))
		if err != nil {
			tb.Fatal(err)
		}
		program[i] = res.Inst
	}
	d.SetTable(0, table.Entries)
	p.Tables[0] = &FixedTable{table.Entries}
	return d, p, program
}

// BenchmarkProgram reads programs of few instructions with few operands, as real ones are: first by a parser that
// has seen nothing, then again by the same.
func BenchmarkProgram(b *testing.B) {
	for _, c := range []struct{ dir, file string }{
		{"../target/pica200", "pica200.xml"}, {"../target/tegra", "tegra.xml"}, {"../target/tesla", "tesla.xml"}, {"../internal/testgpu/heron", "heron.xml"},
	} {
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
		for _, first := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/first=%v", c.file, first), func(b *testing.B) { readLines(b, s, lines, first) })
		}
	}
}

func readLines(b *testing.B, s *isa.Set, lines []string, first bool) {
	p, err := New(s, "")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if first {
			p.memo = &memo{}
		}
		for _, x := range lines {
			p.Try(x)
		}
	}
	b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds()/1e6, "Minst/s")
}

// BenchmarkNumbers reads lines of a few hundred instructions that differ in their numbers alone, no two of them the same, as
// those of kernels do: by a parser that has seen nothing.
func BenchmarkNumbers(b *testing.B) {
	for _, c := range []struct{ dir, file string }{
		{"../target/pica200", "pica200.xml"}, {"../target/tegra", "tegra.xml"}, {"../target/tesla", "tesla.xml"}, {"../internal/testgpu/heron", "heron.xml"},
	} {
		b.Run(c.file, func(b *testing.B) {
			s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
			if err != nil {
				b.Fatal(isa.Explain(err))
			}
			d, err := s.NewDecoder("")
			if err != nil {
				b.Fatal(err)
			}
			readLines(b, s, differInNumbers(d, rand.New(rand.NewSource(1))), true)
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
