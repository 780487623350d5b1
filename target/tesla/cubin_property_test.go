package tesla_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/isago/isago/target/tesla"
)

// TestCubinsComeBack draws text cubins of all manners of writing.
func TestCubinsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawCubin(t)
		source, err := tesla.SourceOf([]byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		back, err := compileText(string(source), "cp")
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		if string(back) != text {
			t.Fatalf("%q\nbecame\n%q\nby way of\n%s", text, back, source)
		}
	})
}

func drawCubin(t *rapid.T) string {
	var b strings.Builder
	eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
	line := func(s string) { b.WriteString(s + eol) }
	fmt.Fprintf(&b, "architecture {sm_1%d}%s", rapid.IntRange(0, 3).Draw(t, "sm"), eol)
	line("abiversion   {1}")
	for range rapid.IntRange(0, 3).Draw(t, "kernels") {
		line(rapid.SampledFrom([]string{"# by hand {", "// }", "/* bincode { */", `sourcefile = "a } b.cu"`, "unknown { x = 1 }", ""}).Draw(t, "noise"))
		line("code {")
		line("\tname = " + rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,20}`).Draw(t, "name"))
		line("\tconst {")
		line("\t\tsegname = const")
		line("\t\tmem { 0x3f800000 }")
		line("\t}")
		b.WriteString("\tbincode" + rapid.SampledFrom([]string{"  {", " {", "{"}).Draw(t, "open"))
		drawWords(t, &b, eol)
		line("}")
		line("}")
	}
	return b.String()
}

// drawWords writes the words of a block, in columns or as it comes.
func drawWords(t *rapid.T, b *strings.Builder, eol string) {
	words := rapid.SliceOfN(rapid.Uint32(), 0, 24).Draw(t, "words")
	columns := rapid.IntRange(1, 8).Draw(t, "columns")
	wild := rapid.Bool().Draw(t, "wild")
	verb := rapid.SampledFrom([]string{"0x%08x", "0x%08X", "0x%x", "%d"}).Draw(t, "verb")
	gap := func() string {
		if !wild {
			return " "
		}
		return rapid.SampledFrom([]string{" ", "  ", "\t", eol, " // } {" + eol, " # #x" + eol, "/* \"{\" */"}).Draw(t, "gap")
	}
	b.WriteString(eol + "\t\t")
	for i, w := range words {
		if i > 0 {
			b.WriteString(gap())
			if i%columns == 0 {
				b.WriteString(eol + "\t\t")
			}
		}
		if wild && rapid.Bool().Draw(t, "odd") {
			fmt.Fprintf(b, "0x%X", w)
			continue
		}
		fmt.Fprintf(b, verb, w)
	}
	b.WriteString(rapid.SampledFrom([]string{" " + eol + "\t", eol, "\t"}).Draw(t, "last"))
}
