package tegra_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/benchtest"
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

// benchPrograms are the texts and words of many such programs.
func benchPrograms(b *testing.B) (texts []string, words [][]bits.Value) {
	a := assembler(b)
	for seed := range uint64(64) {
		p, _ := assemble(b, a, benchProgram(seed))
		texts, words = append(texts, benchProgram(seed)), append(words, p.Words)
	}
	return texts, words
}

// BenchmarkPrint prints instructions.
func BenchmarkPrint(b *testing.B) {
	_, words := benchPrograms(b)
	benchtest.RunPrograms(b, len(words), func() func(int) (int, int) {
		d, _ := tools(b, "")
		var buf []byte
		return func(i int) (int, int) {
			buf = buf[:0]
			for _, w := range words[i] {
				in, _ := d.Decode(w)
				buf = append(d.Append(buf, in), '\n')
			}
			return len(words[i]), len(buf)
		}
	})
}

// BenchmarkAssemble assembles programs.
func BenchmarkAssemble(b *testing.B) {
	texts, words := benchPrograms(b)
	benchtest.RunPrograms(b, len(texts), func() func(int) (int, int) {
		a := assembler(b)
		return func(i int) (int, int) {
			if _, err := a.Assemble(&diag.Source{Name: "x.asm", Text: texts[i]}); err != nil {
				b.Fatal(err)
			}
			return len(words[i]), len(texts[i])
		}
	})
}

// BenchmarkSource writes programs as source.
func BenchmarkSource(b *testing.B) {
	_, words := benchPrograms(b)
	set := load(b)
	benchtest.RunPrograms(b, len(words), func() func(int) (int, int) {
		return func(i int) (int, int) {
			text, err := tegra.AppendSource(nil, set, &tegra.Program{Words: words[i]})
			if err != nil {
				b.Fatal(err)
			}
			return len(words[i]), len(text)
		}
	})
}
