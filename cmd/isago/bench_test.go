package main

import (
	"bytes"
	"io"
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

func BenchmarkDisLines(b *testing.B) {
	runBench(b, pica200Words(b, benchLines), "dis", "--isa", "pica200", "--plain", "--hex", "-")
}

func BenchmarkAsmLines(b *testing.B) {
	var text bytes.Buffer
	run([]string{"dis", "--isa", "pica200", "--plain", "--hex", "-"}, bytes.NewReader(pica200Words(b, benchLines)), &text, io.Discard)
	runBench(b, text.Bytes(), "asm", "--isa", "pica200", "--plain", "--hex", "-")
}
