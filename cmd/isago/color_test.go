package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestColourAlone holds for the examples that --color always changes only colour: without the escapes, the output, the errors and
// the exit status of each command are those without colour.
func TestColourAlone(t *testing.T) {
	const examples = "../../examples/"
	commands := [][]string{
		{"list"}, {"list", "--isa", "tesla"}, {"list", "--isa", "pica200", "--instructions"}, {"explain", "mad"},
		{"explain", "--isa", "tesla", "2000c8090420478"}, {"explain", "--isa", "a2xx", "--stage", "vs", "MULADDv"},
		{"explain", examples + "pica200/light.shbin@main"}, {"asm", "--isa", "pica200", examples + "tegra/wave.asm"},
		{"diff", examples + "pica200/light.shbin", examples + "pica200/skin.shbin"},
		{"survey", examples + "pica200/light.shbin", examples + "pica200/skin.shbin"}, {"dis", "--isa", "nope", "x"},
	}
	for _, pattern := range []string{"pica200/*.shbin", "tegra/*.vp", "tesla/*.cubin", "a2xx/*.vs.bin", "a2xx/*.fs.bin"} {
		files, err := filepath.Glob(examples + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, name := range files[:1] {
			args := []string{"dis", name}
			if strings.HasPrefix(pattern, "a2xx") {
				args = append(args, "--isa", "a2xx", "--stage", strings.Split(name, ".")[len(strings.Split(name, "."))-2])
			} else {
				commands = append(commands, []string{"list", name})
			}
			for _, flags := range []string{"", "--listing", "--addresses --words", "--jumps", "--lossless", "--ir"} {
				commands = append(commands, append(args[:len(args):len(args)], strings.Fields(flags)...))
			}
		}
	}
	for _, args := range commands {
		var out, errs, colourOut, colourErrs bytes.Buffer
		want := run(append(args, "--color", "never"), nil, &out, &errs)
		got := run(append(args, "--color", "always"), nil, &colourOut, &colourErrs)
		stripped, strippedErrs := escapes.ReplaceAllString(colourOut.String(), ""), escapes.ReplaceAllString(colourErrs.String(), "")
		if got != want || stripped != out.String() || strippedErrs != errs.String() {
			t.Errorf("isago %s: status %d, without colour %d\n%s%s\nwithout colour\n%s%s", strings.Join(args, " "), got, want, stripped, strippedErrs, out.String(), errs.String())
		}
		if colourOut.Len() > out.Len() || colourErrs.Len() > errs.Len() {
			continue
		}
		if last := args[len(args)-1]; last != "x" && last != "--lossless" && last != "--ir" {
			t.Errorf("isago %s has no colour", strings.Join(args, " "))
		}
	}
}
