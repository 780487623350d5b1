package tegra_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tegra"
)

// benchLine makes a word as programs have them: a vector operation, sometimes a scalar one, mostly
// plain swizzles, a dozen registers, one constant or attribute.
func benchLine(rng *rand.Rand) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	mask := func() string { return pick("xyzw", "xyzw", "xyz*", "x***", "*y**", "**z*", "***w") }
	swizzle := func() string { return pick("xyzw", "xyzw", "xyzw", "xxxx", "yyyy", "zzzz", "wwww", "xyzz") }
	constant, attribute := rng.IntN(256), rng.IntN(16)
	source := func() string {
		reg := fmt.Sprintf("r%d", rng.IntN(16))
		switch rng.IntN(4) {
		case 0:
			reg = fmt.Sprintf("c[%d]", constant)
		case 1:
			reg = fmt.Sprintf("a[%d]", attribute)
		}
		return pick("", "", "", "-") + reg + "." + swizzle()
	}
	options, dst := "", fmt.Sprintf("r%d", rng.IntN(16))
	if rng.IntN(4) == 0 {
		options, dst = fmt.Sprintf("(export[%d]=vector)", rng.IntN(16)), "r63"
	}
	vector := ""
	switch rng.IntN(8) {
	case 0, 1:
		vector = fmt.Sprintf("MOVv %s.%s, %s", dst, mask(), source())
	case 2:
		vector = fmt.Sprintf("ADDv %s.%s, %s, %s", dst, mask(), source(), source())
		return "EXEC" + options + " " + vector + ";"
	case 3:
		vector = fmt.Sprintf("MADv %s.%s, %s, %s, %s", dst, mask(), source(), source(), source())
		return "EXEC" + options + " " + vector + ";"
	default:
		vector = fmt.Sprintf("%sv %s.%s, %s, %s", pick("MUL", "DP3", "DP4", "MAX", "SLT"), dst, mask(), source(), source())
	}
	if rng.IntN(3) == 0 {
		vector += fmt.Sprintf(" %ss r%d.%s, r%d.%s", pick("RCP", "RSQ", "EX2", "LG2"), 16+rng.IntN(8), pick("x***", "*y**", "***w"), rng.IntN(16), pick("xxxx", "yyyy", "wwww"))
	}
	return "EXEC" + options + " " + vector + ";"
}

// manyBench is the number of different words of the benchmarks, much more than is remembered of them.
const manyBench = 100_000

// benchWords are such words, and their texts as they are printed.
func benchWords(b *testing.B, d *isa.Decoder, p *asm.Parser) (list []isa.Inst, lines [][]byte) {
	rng := rand.New(rand.NewPCG(3, 4))
	for len(list) < manyBench {
		res, err := p.Parse(benchLine(rng))
		if err != nil {
			b.Fatal(err)
		}
		list, lines = append(list, res.Inst), append(lines, d.Append(nil, res.Inst))
	}
	return list, lines
}

// perWord runs a benchmark over words that come for the first time, as far as a run gets through them,
// and over a thousand again and again.
func perWord(b *testing.B, run func(b *testing.B, at int) (size int)) {
	for _, x := range []struct {
		name string
		n    int
	}{{"first", manyBench}, {"again", 1000}} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			i, size := 0, 0
			for b.Loop() {
				size += run(b, i%x.n)
				i++
			}
			b.SetBytes(int64(size / b.N))
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Minst/s")
		})
	}
}

func BenchmarkPrint(b *testing.B) {
	d, p := tools(b, "")
	list, _ := benchWords(b, d, p)
	fresh, _ := tools(b, "")
	buf := make([]byte, 0, 1<<10)
	perWord(b, func(_ *testing.B, at int) int {
		in, _ := fresh.Decode(list[at].Bits)
		buf = append(fresh.Append(buf[:0], in), '\n')
		return len(buf)
	})
}

func BenchmarkParse(b *testing.B) {
	d, p := tools(b, "")
	_, lines := benchWords(b, d, p)
	_, fresh := tools(b, "")
	perWord(b, func(b *testing.B, at int) int {
		if _, err := fresh.ParseBytes(lines[at]); err != nil {
			b.Fatal(err)
		}
		return len(lines[at]) + 1
	})
}

func BenchmarkLossless(b *testing.B) {
	d, p := tools(b, "")
	list, _ := benchWords(b, d, p)
	l := asm.NewLossless(tools(b, ""))
	buf := make([]byte, 0, 1<<10)
	perWord(b, func(b *testing.B, at int) int {
		var ok bool
		if buf, ok = l.Append(buf[:0], list[at]); !ok {
			b.Fatal(list[at].Bits)
		}
		return len(buf)
	})
}

// benchProgram is a program of 256 instructions of those words.
func benchProgram(seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 5))
	var text strings.Builder
	text.WriteString(".asm\n")
	for range 255 {
		text.WriteString(benchLine(rng) + "\n")
	}
	text.WriteString("EXEC_END NOPv;\n")
	return text.String()
}

// BenchmarkAssemble assembles programs that were not seen before, and one program again and again: an
// assembler keeps what it has read.
func BenchmarkAssemble(b *testing.B) {
	var texts []string
	for seed := range uint64(64) {
		texts = append(texts, benchProgram(seed))
	}
	for _, x := range []struct {
		name  string
		texts []string
	}{{"first", texts}, {"again", texts[:1]}} {
		b.Run(x.name, func(b *testing.B) {
			a := assembler(b)
			i, size := 0, 0
			for b.Loop() {
				text := x.texts[i%len(x.texts)]
				if i++; i%len(x.texts) == 0 && len(x.texts) > 1 {
					a = assembler(b) // which has seen none of them
				}
				if _, err := a.Assemble(&diag.Source{Name: "x.asm", Text: text}); err != nil {
					b.Fatal(err)
				}
				size += len(text)
			}
			b.SetBytes(int64(size / b.N))
			b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds()/1e6, "Minst/s")
		})
	}
}

// BenchmarkSource writes different programs as source.
func BenchmarkSource(b *testing.B) {
	set, a := load(b), assembler(b)
	var programs [][]bits.Value
	for seed := range uint64(64) {
		p, _ := assemble(b, a, benchProgram(seed))
		programs = append(programs, p.Words)
	}
	i, size := 0, 0
	for b.Loop() {
		text, err := tegra.AppendSource(nil, set, &tegra.Program{Words: programs[i%len(programs)]})
		if err != nil {
			b.Fatal(err)
		}
		size += len(text)
		i++
	}
	b.SetBytes(int64(size / b.N))
	b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds()/1e6, "Minst/s")
}
