package tegra_test

import (
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/isa"
)

// benchWords are words as programs have them: most of their fields are usual, all operations occur.
func benchWords(b *testing.B, d *isa.Decoder) []isa.Inst {
	rng := rand.New(rand.NewPCG(3, 4))
	var list []isa.Inst
	for len(list) < 1000 {
		word := randomWord(rng)
		word.SetUint(120, 1, 0)
		word.SetUint(127, 1, 0)
		word.SetUint(95, 1, 0)
		in, ok := d.Decode(word)
		if !ok {
			b.Fatal(word)
		}
		list = append(list, in)
	}
	return list
}

func BenchmarkPrint(b *testing.B) {
	d, _ := tools(b, "")
	list := benchWords(b, d)
	buf := make([]byte, 0, 1<<20)
	b.ReportAllocs()
	for b.Loop() {
		buf = buf[:0]
		for i := range list {
			in, _ := d.Decode(list[i].Bits)
			buf = append(d.Append(buf, in), '\n')
		}
	}
	b.SetBytes(int64(len(buf)))
	b.ReportMetric(float64(b.N*len(list))/b.Elapsed().Seconds()/1e6, "Minst/s")
}

func BenchmarkParse(b *testing.B) {
	d, p := tools(b, "")
	var lines [][]byte
	size := 0
	for _, in := range benchWords(b, d) {
		res, err := p.ParseBytes(d.Append(nil, in))
		if err != nil {
			continue // two operands that share a field and differ
		}
		lines = append(lines, d.Append(nil, res.Inst))
		size += len(lines[len(lines)-1]) + 1
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range lines {
			if _, err := p.ParseBytes(l); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds()/1e6, "Minst/s")
}

func BenchmarkLossless(b *testing.B) {
	d, p := tools(b, "")
	list := benchWords(b, d)
	l := asm.NewLossless(d, p)
	buf := make([]byte, 0, 1<<20)
	for b.Loop() {
		buf = buf[:0]
		for _, in := range list {
			var ok bool
			if buf, ok = l.Append(buf, in); !ok {
				b.Fatal(in.Bits)
			}
		}
	}
	b.ReportMetric(float64(b.N*len(list))/b.Elapsed().Seconds()/1e6, "Minst/s")
}
