package pica200_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/target/pica200"
)

// refused are sources and what is wrong with them, by line of testdata/refused.txt: the source, in
// which \n and \t stand for themselves and | starts the next file, then the errors, each behind an
// arrow.
func refused(t *testing.T) (sources []string, errors [][]string) {
	t.Helper()
	data, err := os.ReadFile("testdata/refused.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "  -> "):
			errors[len(errors)-1] = append(errors[len(errors)-1], line[len("  -> "):])
		default:
			sources, errors = append(sources, line), append(errors, nil)
		}
	}
	return sources, errors
}

func unescape(text string) []string {
	return strings.Split(strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(text), "|")
}

// TestRefused checks the exact message and position of everything that is refused or warned of.
func TestRefused(t *testing.T) {
	a := newAssembler(t)
	list, want := refused(t)
	for i, text := range list {
		opt := pica200.AssembleOptions{}
		body, plain := strings.CutPrefix(text, "--no-nop ")
		opt.NoPad = plain
		out, err := a.Assemble(sources(unescape(body)...), opt)
		var got diag.List
		if !errors.As(err, &got) {
			got = nil
		}
		if err == nil {
			got = out.Warnings
		}
		lines := strings.Split(got.Error(), "\n")
		if strings.Join(lines, "\n") != strings.Join(want[i], "\n") {
			t.Errorf("%s\n  -> %s", text, strings.Join(lines, "\n  -> "))
		}
	}
}

// TestSizes checks limits that need long programs.
func TestSizes(t *testing.T) {
	a := newAssembler(t)
	program := func(head, proc string, n int) string {
		return fmt.Sprintf("%s\n.proc %s\n%s.end\n", head, proc, strings.Repeat("nop\n", n))
	}
	body := func(text string) string { return ".proc main\n" + text + "end\n.end\n" }
	for _, x := range []struct {
		name, text, want string
	}{
		{"512 words", body(strings.Repeat("nop\n", 511)), ""},
		{"513 words", body(strings.Repeat("nop\n", 512)),
			"0.pica:514:1: word 513: the code memory of vertex shaders has 512 words, all files together [program-size]"},
		{"4096 words", ".gsh point c0\n" + body(strings.Repeat("nop\n", 4095)), ""},
		{"4097 words", ".gsh point c0\n" + body(strings.Repeat("nop\n", 4096)),
			"0.pica:4099:1: word 4097: the code memory of geometry shaders has 4096 words, all files together [program-size]"},
		{"a procedure of 255", program("", "p", 255) + body("call p\nnop\n"), ""},
		{"a procedure of 256", program("", "p", 256) + body("call p\nnop\n"),
			"0.pica:261:6: procedure p has a length of 256: 256 does not fit NUM, expected 0 to 255 [text-range]"},
		{"an else of 255", body("ifu b0\nnop\n.else\n" + strings.Repeat("nop\n", 255) + ".end\n"), ""},
		{"an else of 256", body("ifu b0\nnop\n.else\n" + strings.Repeat("nop\n", 256) + ".end\n"),
			"0.pica:261:1: the block has 256 words up to here: 256 does not fit NUM, expected 0 to 255 [text-range]"},
		{"32 blocks", body(strings.Repeat("ifu b0\n", 31) + "nop\n" + strings.Repeat(".end\n", 31)), ""},
		{"33 blocks", body(strings.Repeat("ifu b0\n", 32) + "nop\n" + strings.Repeat(".end\n", 32)),
			"0.pica:33:1: blocks nested more than 32 deep [block-nesting]"},
	} {
		_, err := a.Assemble(sources(x.text), pica200.AssembleOptions{})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != x.want {
			t.Errorf("%s: %s\nexpected %s", x.name, got, x.want)
		}
	}
}
