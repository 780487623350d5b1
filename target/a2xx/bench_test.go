package a2xx_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/target/a2xx"
)

// example is a program with its stage.
type example struct {
	stage  string
	words  []uint32
	source string
}

// variants is the number of times that each example is taken, each time with other registers: what a program
// says is mostly said for the first time.
const variants = 40

// otherRegisters returns a source with the number of each register moved up.
func otherRegisters(source string, by int) string {
	return registerName.ReplaceAllStringFunc(source, func(name string) string {
		n, _ := strconv.Atoi(name[1:])
		return "R" + strconv.Itoa((n+by)%64)
	})
}

var registerName = regexp.MustCompile(`\bR[0-9]+\b`)

func examples(b *testing.B) (list []example, units int) {
	files, err := filepath.Glob("../../examples/a2xx/*.a2xx")
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		for by := range variants {
			p := example{stage: strings.Split(filepath.Base(f), ".")[1], source: otherRegisters(string(text), by)}
			out, err := toolsFor(b, "", p.stage).assemble(b, p.source)
			if err != nil {
				b.Fatal(err)
			}
			p.words = out.Words
			units += len(out.Words) / 3
			list = append(list, p)
		}
	}
	return list, units
}

// report adds the units a second: an instruction or two clauses each.
func report(b *testing.B, units int, bytes int64) {
	b.SetBytes(bytes)
	b.ReportMetric(float64(units)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Munits/s")
}

// BenchmarkSource disassembles to source that assembles back.
func BenchmarkSource(b *testing.B) {
	list, units := examples(b)
	x := toolsFor(b, "", "vs")
	d, err := a2xx.NewDisassembler(x.set)
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n = 0
		for i := range list {
			buf = d.Append(buf[:0], list[i].words, x.ctx)
			n += len(buf)
		}
	}
	report(b, units, int64(n))
}

// BenchmarkPrint prints the same instructions without looking whether their texts say everything.
func BenchmarkPrint(b *testing.B) {
	list, units := examples(b)
	x := toolsFor(b, "", "vs")
	d, err := a2xx.NewDisassembler(x.set)
	if err != nil {
		b.Fatal(err)
	}
	d.Lossy = true
	var buf []byte
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n = 0
		for i := range list {
			buf = d.Append(buf[:0], list[i].words, x.ctx)
			n += len(buf)
		}
	}
	report(b, units, int64(n))
}

// BenchmarkAssemble assembles the sources that the disassembler prints.
func BenchmarkAssemble(b *testing.B) { benchmarkAssemble(b, false) }

// BenchmarkAssembleFirst forgets after each pass what was read before.
func BenchmarkAssembleFirst(b *testing.B) { benchmarkAssemble(b, true) }

func benchmarkAssemble(b *testing.B, first bool) {
	list, units := examples(b)
	x := toolsFor(b, "", "vs")
	d, err := a2xx.NewDisassembler(x.set)
	if err != nil {
		b.Fatal(err)
	}
	a, err := a2xx.NewAssembler(x.set, x.ctx)
	if err != nil {
		b.Fatal(err)
	}
	var sources []*diag.Source
	n := 0
	for i := range list {
		ctx := x.ctx
		ctx, _ = x.set.ParseContext(ctx, "stage", list[i].stage)
		text := string(d.Append(nil, list[i].words, ctx))
		sources = append(sources, &diag.Source{Name: "bench", Text: text})
		n += len(text)
	}
	b.ReportAllocs()
	for b.Loop() {
		if first {
			if a, err = a2xx.NewAssembler(x.set, x.ctx); err != nil {
				b.Fatal(err)
			}
		}
		for _, src := range sources {
			if _, err := a.Assemble(src); err != nil {
				b.Fatal(err)
			}
		}
	}
	report(b, units, int64(n))
}
