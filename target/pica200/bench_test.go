package pica200_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// benchLines is the number of instructions of a program of the benchmarks.
const benchLines = 350

// benchSource makes a vertex shader as people write them: named inputs, uniforms and outputs, a dozen
// temporaries, mostly plain swizzles, some blocks. Programs of different seeds share few lines that
// read registers.
func benchSource(seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 9))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	names := make([]string, 8)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", pick("world", "view", "bone", "light", "fog", "tex", "bias"), rng.IntN(1000)*8+i)
	}
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, ".fvec %s[8]\n", n)
	}
	b.WriteString(".in position\n.in normal\n.out o position\n.out c color\n.proc main\n")
	temp := func() string { return fmt.Sprintf("r%d", rng.IntN(14)) }
	narrow := func() string { return pick("", "", "", "-") + temp() + pick("", "", "", ".x", ".w", ".xyz") }
	wide := func() string {
		switch rng.IntN(3) {
		case 0:
			return fmt.Sprintf("%s[%d]", pick(names...), rng.IntN(8)) + pick("", "", ".x", ".w")
		case 1:
			return pick("position", "normal")
		}
		return narrow()
	}
	dest := func() string { return temp() + pick("", "", "", ".x", ".y", ".xyz") }
	for n := 0; n < benchLines; n++ {
		switch rng.IntN(12) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "\tdp4 %s, %s[%d], %s\n", dest(), pick(names...), rng.IntN(8), temp())
		case 3, 4:
			fmt.Fprintf(&b, "\tmul %s, %s, %s\n", dest(), wide(), narrow())
		case 5, 6:
			fmt.Fprintf(&b, "\tadd %s, %s, %s\n", dest(), wide(), narrow())
		case 7:
			fmt.Fprintf(&b, "\tmad %s, %s, %s[%d], %s\n", pick("r0", "r1.xyz", "r2"), temp(), pick(names...), rng.IntN(8), temp())
		case 8, 9:
			fmt.Fprintf(&b, "\tmov %s, %s\n", dest(), wide())
		case 10:
			fmt.Fprintf(&b, "\t%s %s, %s\n", pick("rsq", "rcp", "flr"), dest(), temp()+".x")
		case 11:
			fmt.Fprintf(&b, "\tcmp %s, ge, lt, %s\n\tifc cmp.x\n\tmov %s, %s\n\t.end\n", temp(), temp(), dest(), wide())
		}
	}
	return b.String() + "\tend\n.end\n"
}

// BenchmarkAssemble assembles programs that were not seen before, and one program again and again: an
// assembler keeps what it has read.
func BenchmarkAssemble(b *testing.B) {
	var texts []string
	for seed := range uint64(64) { // their lines are fewer than an assembler keeps
		texts = append(texts, benchSource(seed))
	}
	for _, x := range []struct {
		name  string
		texts []string
	}{{"first", texts}, {"again", texts[:1]}} {
		b.Run(x.name, func(b *testing.B) {
			a := newAssembler(b)
			words, size, i := 0, 0, 0
			for b.Loop() {
				text := x.texts[i%len(x.texts)]
				out, err := a.Assemble(sources(text), pica200.AssembleOptions{})
				if err != nil {
					b.Fatal(diag.Render(err))
				}
				words, size = words+len(out.File.DVLP.Code), size+len(text)
				if i++; i%len(x.texts) == 0 && len(x.texts) > 1 {
					a = newAssembler(b) // which has seen none of them
				}
			}
			b.SetBytes(int64(size / b.N))
			b.ReportMetric(float64(words)/b.Elapsed().Seconds()/1e6, "Minst/s")
		})
	}
}

// BenchmarkSource writes files as source that gives them back: files that were not seen before, and one again
// and again.
func BenchmarkSource(b *testing.B) {
	a := newAssembler(b)
	var files [][]byte
	var sizes []int
	for seed := range uint64(64) {
		out, err := a.Assemble(sources(benchSource(seed)), pica200.AssembleOptions{})
		if err != nil {
			b.Fatal(diag.Render(err))
		}
		files, sizes = append(files, out.Bytes), append(sizes, len(out.File.DVLP.Code))
	}
	for _, x := range []struct {
		name  string
		files [][]byte
	}{{"first", files}, {"again", files[:1]}} {
		b.Run(x.name, func(b *testing.B) {
			a := newAssembler(b)
			words, size, i := 0, 0, 0
			for b.Loop() {
				text, err := a.Source(x.files[i%len(x.files)])
				if err != nil {
					b.Fatal(err)
				}
				words, size = words+sizes[i%len(x.files)], size+len(text)
				if i++; i%len(x.files) == 0 && len(x.files) > 1 {
					a = newAssembler(b) // which has seen none of them
				}
			}
			b.SetBytes(int64(size / b.N))
			b.ReportMetric(float64(words)/b.Elapsed().Seconds()/1e6, "Minst/s")
		})
	}
}

// BenchmarkPrint prints the words of many programs, each with its descriptors.
func BenchmarkPrint(b *testing.B) {
	a := newAssembler(b)
	set, err := pica200.Load(isa.Options{Syntax: pica200.Syntax})
	if err != nil {
		b.Fatal(isa.Explain(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		b.Fatal(err)
	}
	var files []*pica200.SHBIN
	var tables [][]bits.Value
	for seed := range uint64(64) {
		out, err := a.Assemble(sources(benchSource(seed)), pica200.AssembleOptions{})
		if err != nil {
			b.Fatal(diag.Render(err))
		}
		var table []bits.Value
		for _, e := range out.File.DVLP.Descriptors {
			table = append(table, bits.Of(uint64(e.Value)))
		}
		files, tables = append(files, out.File), append(tables, table)
	}
	b.ReportAllocs()
	words, size, i := 0, 0, 0
	buf := make([]byte, 0, 1<<20)
	for b.Loop() {
		f := files[i%len(files)]
		d.SetTable(0, tables[i%len(files)])
		buf = buf[:0]
		for _, w := range f.DVLP.Code {
			in, _ := d.Decode(bits.Of(uint64(w)))
			buf = append(d.Append(buf, in), '\n')
		}
		words, size, i = words+len(f.DVLP.Code), size+len(buf), i+1
	}
	b.SetBytes(int64(size / b.N))
	b.ReportMetric(float64(words)/b.Elapsed().Seconds()/1e6, "Minst/s")
}
