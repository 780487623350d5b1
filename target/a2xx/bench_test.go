package a2xx_test

import (
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/benchtest"
	"github.com/isago/isago/target/a2xx"
)

// example is a program with its stage.
type example struct {
	stage  string
	words  []uint32
	source string
}

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
		p := example{stage: strings.Split(filepath.Base(f), ".")[1], source: string(text)}
		out, err := toolsFor(b, "", p.stage).assemble(b, p.source)
		if err != nil {
			b.Fatal(err)
		}
		p.words = out.Words
		units += len(out.Words) / 3
		list = append(list, p)
	}
	return list, units
}

// variants are so many programs made of examples, with other registers, constants, swizzles and masks: units
// as real programs have them, of which hardly any is like another.
func variants(b *testing.B, count int) (list []example, units int) {
	b.Helper()
	base, _ := examples(b)
	swizzles := []uint32{0x00, 0x00, 0x6c, 0xb1, 0xc6, 0x1b, 0x44, 0x20} // xyzw, and of one component, or exchanged
	r := rand.New(rand.NewPCG(7, 8))
	x := toolsFor(b, "", "vs")
	d, err := a2xx.NewDisassembler(x.set)
	if err != nil {
		b.Fatal(err)
	}
	for i := range count {
		p := base[i%len(base)]
		p.words = slices.Clone(p.words)
		for at, fetches := range unitsRun(p.words) {
			w := p.words[3*at:][:3]
			if fetches { // other registers
				w[0] = w[0]&^0x1f000 | r.Uint32N(32)<<12
				w[0] = w[0]&^0x3e0 | r.Uint32N(32)<<5
				continue
			}
			if w[0]>>15&1 == 0 {
				w[0] = w[0]&^0xf001f | r.Uint32N(32) | (1+r.Uint32N(15))<<16
			}
			w[1] = w[1]&^0xffff00 | swizzles[r.IntN(8)]<<16 | swizzles[r.IntN(8)]<<8
			w[2] = w[2]&^0x1f1f00 | r.Uint32N(32)<<16 | r.Uint32N(32)<<8
		}
		ctx, _ := x.set.ParseContext(x.ctx, "stage", p.stage)
		p.source = string(d.Append(nil, p.words, ctx))
		units += len(p.words) / 3
		list = append(list, p)
	}
	return list, units
}

// unitsRun yields the units that clauses run, and whether they are fetches. The first of them stands behind the last clause.
func unitsRun(words []uint32) iter.Seq2[int, bool] {
	return func(yield func(unit int, fetches bool) bool) {
		for i, first := 0, len(words); i+2 < min(first, len(words)); i += 3 {
			for _, clause := range []uint64{uint64(words[i]) | uint64(words[i+1]&0xffff)<<32, uint64(words[i+1]>>16) | uint64(words[i+2])<<16} {
				at, count, op := int(clause&0x1ff), int(clause>>12&7), clause>>44
				if op < 1 || op > 6 && op != 13 && op != 14 {
					continue
				}
				for k := range count {
					first = min(first, 3*at)
					if !yield(at+k, clause>>16>>(2*k)&1 == 1) {
						return
					}
				}
			}
		}
	}
}

// variedPrograms is how many programs the benchmarks take.
const variedPrograms = 1000

// BenchmarkSource disassembles to source that assembles back.
func BenchmarkSource(b *testing.B) { disassemble(b, false) }

// BenchmarkPrint prints the same instructions without looking whether their texts say everything.
func BenchmarkPrint(b *testing.B) { disassemble(b, true) }

// disassemble measures what prints programs. An instruction is a unit: an instruction or two clauses.
func disassemble(b *testing.B, lossy bool) {
	list, _ := variants(b, variedPrograms)
	x := toolsFor(b, "", "vs")
	benchtest.RunPrograms(b, len(list), func() func(int) (int, int) {
		d, err := a2xx.NewDisassembler(x.set)
		if err != nil {
			b.Fatal(err)
		}
		d.Lossy = lossy
		var buf []byte
		return func(i int) (int, int) {
			buf = d.Append(buf[:0], list[i].words, x.ctx)
			return len(list[i].words) / 3, len(buf)
		}
	})
}

// BenchmarkAssemble assembles the sources that the disassembler prints.
func BenchmarkAssemble(b *testing.B) {
	list, _ := variants(b, variedPrograms)
	x := toolsFor(b, "", "vs")
	benchtest.RunPrograms(b, len(list), func() func(int) (int, int) {
		a, err := a2xx.NewAssembler(x.set, x.ctx)
		if err != nil {
			b.Fatal(err)
		}
		return func(i int) (int, int) {
			if _, err := a.Assemble(&diag.Source{Name: "bench", Text: list[i].source}); err != nil {
				b.Fatal(diag.Render(err))
			}
			return len(list[i].words) / 3, len(list[i].source)
		}
	})
}
