package pica200_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/benchtest"
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

// benchFiles are the sources of the benchmarks' programs, and their files.
func benchFiles(b *testing.B) (texts []string, files []*pica200.Assembled) {
	b.Helper()
	a := newAssembler(b)
	for seed := range uint64(64) {
		text := benchSource(seed)
		out, err := a.Assemble(sources(text), pica200.AssembleOptions{})
		if err != nil {
			b.Fatal(diag.Render(err))
		}
		texts, files = append(texts, text), append(files, out)
	}
	return texts, files
}

// TestBenchSource holds what the benchmarks say of their programs: their lines differ as those of programs do, of which 82
// to 92 in a hundred are the first of their kind (those in examples, of each machine).
func TestBenchSource(t *testing.T) {
	var lines [][]string
	for seed := range uint64(8) {
		lines = append(lines, strings.Split(benchSource(seed), "\n"))
	}
	if each, _ := benchtest.DistinctShares(lines); each < 75 || each > 95 {
		t.Errorf("%.0f %% of the lines are distinct", each)
	}
}

// BenchmarkAssemble assembles programs as people write them.
func BenchmarkAssemble(b *testing.B) {
	texts, files := benchFiles(b)
	benchtest.RunPrograms(b, len(texts), func() func(int) (int, int) {
		a := newAssembler(b)
		return func(i int) (int, int) {
			if _, err := a.Assemble(sources(texts[i]), pica200.AssembleOptions{}); err != nil {
				b.Fatal(diag.Render(err))
			}
			return len(files[i].File.DVLP.Code), len(texts[i])
		}
	})
}

// BenchmarkSource writes files as source that gives them back.
func BenchmarkSource(b *testing.B) {
	_, files := benchFiles(b)
	benchtest.RunPrograms(b, len(files), func() func(int) (int, int) {
		a := newAssembler(b)
		return func(i int) (int, int) {
			text, err := a.Source(files[i].Bytes)
			if err != nil {
				b.Fatal(err)
			}
			return len(files[i].File.DVLP.Code), len(text)
		}
	})
}

// BenchmarkPrint prints the words of many programs, each with its descriptors.
func BenchmarkPrint(b *testing.B) {
	_, files := benchFiles(b)
	set, err := pica200.Load(isa.Options{Syntax: pica200.Syntax})
	if err != nil {
		b.Fatal(diag.Render(err))
	}
	var tables [][]bits.Value
	for _, f := range files {
		var table []bits.Value
		for _, e := range f.File.DVLP.Descriptors {
			table = append(table, bits.Of(uint64(e.Value)))
		}
		tables = append(tables, table)
	}
	benchtest.RunPrograms(b, len(files), func() func(int) (int, int) {
		d, err := set.NewDecoder("")
		if err != nil {
			b.Fatal(err)
		}
		buf := make([]byte, 0, 1<<20)
		return func(i int) (int, int) {
			d.SetTable(0, tables[i])
			buf = buf[:0]
			for _, w := range files[i].File.DVLP.Code {
				in, _ := d.Decode(bits.Of(uint64(w)))
				buf = append(d.Append(buf, in), '\n')
			}
			return len(files[i].File.DVLP.Code), len(buf)
		}
	})
}
