package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pica200Words are the words of PICA200's table of test rows, as lines of hex, many times over.
func pica200Words(b *testing.B, lines int) []byte {
	b.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "target", "pica200", "testdata", "words.txt"))
	if err != nil {
		b.Fatal(err)
	}
	var words []string
	for line := range strings.Lines(string(data)) {
		columns := strings.Split(line, "\t")
		if len(columns) > 1 && line[0] != '#' && columns[1] != "unknown\n" {
			words = append(words, columns[0])
		}
	}
	var out bytes.Buffer
	for i := range lines {
		out.WriteString(words[i%len(words)] + "\n")
	}
	return out.Bytes()
}

const benchLines = 100_000

// runBench runs the command over lines of input and reports lines per second.
func runBench(b *testing.B, input []byte, args ...string) {
	b.Helper()
	b.SetBytes(int64(len(input)))
	n := bytes.Count(input, []byte("\n"))
	for b.Loop() {
		if status := run(args, bytes.NewReader(input), io.Discard, io.Discard); status != exitOK && status != exitFindings {
			b.Fatalf("exit status %d", status)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// BenchmarkDisLines and BenchmarkAsmLines run whole commands over 100,000 lines, a few hundred of them distinct.
func BenchmarkDisLines(b *testing.B) {
	runBench(b, pica200Words(b, benchLines), "dis", "--isa", "pica200", "--plain", "--hex", "-")
}

func BenchmarkAsmLines(b *testing.B) {
	var text bytes.Buffer
	run([]string{"dis", "--isa", "pica200", "--plain", "--hex", "-"}, bytes.NewReader(pica200Words(b, benchLines)), &text, io.Discard)
	runBench(b, text.Bytes(), "asm", "--isa", "pica200", "--plain", "--hex", "-")
}

// lineMakers return lines for machines; n draws a number below its argument. (A2XX programs are small; target/a2xx has their
// benchmark.)
var lineMakers = []struct {
	name       string
	head, tail string
	args       []string
	line       func(n func(most int) int) string
}{
	{"tesla", "", "", []string{"--isa", "tesla"}, func(n func(int) int) string {
		switch n(4) {
		case 0:
			return fmt.Sprintf("mul f32 $r%d $r%d $r%d", n(100), n(100), n(100))
		case 1:
			return fmt.Sprintf("ld b32 $r%d g0[$r%d]", n(100), n(100))
		case 2:
			return fmt.Sprintf("mov b32 $r%d 0x%x", n(100), n(1<<16))
		}
		return fmt.Sprintf("add b32 $r%d $r%d $r%d", n(100), n(100), n(100))
	}},
	{"tegra", ".isago long\n.asm\n", "EXEC_END NOPv;\n", []string{"--isa", "tegra"}, func(n func(int) int) string {
		if n(2) == 0 {
			return fmt.Sprintf("EXEC MOVv r%d.xyzw, c[%d].xyzw;", n(32), n(200))
		}
		return fmt.Sprintf("EXEC MULv r%d.xyz*, r%d.xyzw, -r%d.wwww;", n(32), n(32), n(32))
	}},
	{"pica200", ".isago unchecked\n.out o position\n.fvec m[90]\n.proc main\n", "end\n.end\n", []string{"--isa", "pica200"}, func(n func(int) int) string {
		return fmt.Sprintf("\tmul r%d.xy, m[%d], r%d.wzyx", n(16), n(90), n(16))
	}},
	{"example", "", "", []string{"--isa", "example"}, func(n func(int) int) string {
		return fmt.Sprintf("add r%d, r%d, r%d", n(8), n(8), n(8))
	}},
}

// BenchmarkPrograms assembles programs as a whole, on all processors, the start of the command included: with few
// operands, as real ones have them, and with all there are.
func BenchmarkPrograms(b *testing.B) {
	for _, m := range lineMakers {
		for _, x := range []struct {
			name string
			most int
		}{{"few", 6}, {"all", 1 << 16}} {
			b.Run(m.name+"/"+x.name, func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				text := []byte(m.head)
				for range benchLines / 10 {
					text = append(text, m.line(func(most int) int { return rng.IntN(min(most, x.most)) })+"\n"...)
				}
				text = append(text, m.tail...)
				runBench(b, text, append([]string{"asm", "--output", filepath.Join(b.TempDir(), "out"), "-"}, m.args...)...)
			})
		}
	}
}
