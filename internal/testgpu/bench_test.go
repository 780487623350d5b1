package testgpu_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/benchtest"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/isa/mesa"
)

// inMemory returns the files of the description in memory, so that benchmarks do not measure the file
// system.
func inMemory(b *testing.B) fs.FS {
	b.Helper()
	m := fstest.MapFS{}
	files := testgpu.Files()
	names, err := fs.Glob(files, "*.xml")
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range names {
		data, err := fs.ReadFile(files, n)
		if err != nil {
			b.Fatal(err)
		}
		m[n] = &fstest.MapFile{Data: data}
	}
	return m
}

// program returns a word or two of every instruction, none with a finding.
func program(b *testing.B, set *isa.Set) (*isa.Decoder, []bits.Value) {
	b.Helper()
	d, err := set.NewDecoder("")
	if err != nil {
		b.Fatal(err)
	}
	source := roundtrip.NewWords(set, 1)
	var words []bits.Value
	for _, l := range d.Root().Leaves {
		for range 4 {
			w := source.Leaf(l)
			in, ok := d.Decode(w)
			if ok && d.Append(nil, in) != nil && len(d.Findings()) == 0 {
				words = append(words, w)
			}
		}
	}
	return d, words
}

const benchGen = 300

// BenchmarkLoad measures the time from the files' bytes to the first printed word.
func BenchmarkLoad(b *testing.B) {
	files := inMemory(b)
	for b.Loop() {
		s, err := isa.Load(files, testgpu.File, isa.Options{Gen: benchGen})
		if err != nil {
			b.Fatal(err)
		}
		d, err := s.NewDecoder("")
		if err != nil {
			b.Fatal(err)
		}
		in, ok := d.Decode(bits.Of(0x2000800000010203))
		if !ok || len(d.Append(nil, in)) == 0 {
			b.Fatal("not decoded")
		}
	}
}

// BenchmarkLoadAssembler measures the time from the files' bytes to the first assembled line.
func BenchmarkLoadAssembler(b *testing.B) {
	files := inMemory(b)
	for b.Loop() {
		s, err := isa.Load(files, testgpu.File, isa.Options{Gen: benchGen})
		if err != nil {
			b.Fatal(err)
		}
		p, err := asm.New(s, "")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Parse("fadd r1.x, r2.x, c3.y"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPrint decodes and prints every instruction.
func BenchmarkPrint(b *testing.B) {
	d, words := program(b, load(b, benchGen))
	buf := make([]byte, 0, 1<<18)
	b.ReportAllocs()
	for b.Loop() {
		buf = buf[:0]
		for _, w := range words {
			in, ok := d.Decode(w)
			if !ok {
				b.Fatalf("%s is no instruction", w)
			}
			buf = append(d.Append(buf, in), '\n')
		}
	}
	b.SetBytes(int64(len(buf)))
	b.ReportMetric(float64(b.N*len(words))/b.Elapsed().Seconds()/1e6, "Minst/s")
}

// BenchmarkMesa prints every instruction as Mesa does.
func BenchmarkMesa(b *testing.B) {
	set := load(b, benchGen)
	_, words := program(b, set)
	m, err := mesa.New(set, "")
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 1<<18)
	b.ReportAllocs()
	for b.Loop() {
		buf = buf[:0]
		for _, w := range words {
			text, ok := m.Append(buf, w)
			if !ok {
				b.Fatalf("%s is no instruction", w)
			}
			buf = append(text, '\n')
		}
	}
	b.SetBytes(int64(len(buf)))
	b.ReportMetric(float64(b.N*len(words))/b.Elapsed().Seconds()/1e6, "Minst/s")
}

// BenchmarkParse parses a line of every instruction.
func BenchmarkParse(b *testing.B) {
	set := load(b, benchGen)
	d, words := program(b, set)
	var lines []string
	size := 0
	for _, w := range words {
		in, _ := d.Decode(w)
		lines = append(lines, string(d.Append(nil, in)))
		size += len(lines[len(lines)-1]) + 1
	}
	benchtest.RunPrograms(b, 1, func() func(int) (int, int) {
		p, err := asm.New(set, "")
		if err != nil {
			b.Fatal(err)
		}
		return func(int) (int, int) {
			for _, x := range lines {
				if _, err := p.Parse(x); err != nil {
					b.Fatal(x, err)
				}
			}
			return len(lines), size
		}
	})
}
