package tegra_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/operandtest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tegra"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestOperands compares what is known of the operands of the rows of words.txt, among which each operation
// of both units is (TestWords), with testdata/operands.txt.
func TestOperands(t *testing.T) {
	d, _ := tools(t, "")
	data, err := os.ReadFile("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(operandtest.Legend)
	for line := range strings.Lines(string(data) + moreWords) {
		if line[0] == '#' {
			continue
		}
		hex, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		word, err := bits.ParseHex(strings.ReplaceAll(hex, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		in, ok := d.Decode(word)
		if !ok {
			t.Fatalf("%s is unknown", hex)
		}
		fmt.Fprintf(&b, "%s %s", hex, operandtest.Describe(d, in, 128))
	}
	operandtest.CompareGolden(t, "testdata/operands.txt", b.String(), *update)
}

// moreWords are words of which words.txt has no like: branches that are taken, always where lt, eq and gt are
// all there (bits 106 to 108) and maybe with gt alone, and an odd number in the place of A0 (bits 116 to 111).
const moreWords = `001f9c6c 4800000d 8006c01c 80001ffc
001f906c 4800000d 8006c01c 80001ffc
001f9c6c 5800000d 8006c01c 80001ffc
001f906c 6000000d 8006c003 60001ffc
009f9c6c 4000000d 8006c036 2f2808fc
009f906c 5000000d 8006c036 2f2808fc
0003806c 03400072 1286c003 60017ffc
`

// registerText is a register in the text of a word, or the destination of an operation on A0.
var registerText = regexp.MustCompile(`\b(?:ARLv|ARRv|ARAv) r(\d+)|\br(\d+)\.|\b(a|c|export)\[(?:A0\.([xyzw]) \+ )?(\d+)\]|\(cr=(\d)\)`)

// registersIn finds the registers in a text. Numbers that are none are left out: a temporary register above
// 31, an export above 15, and an odd number in the place of A0.
func registersIn(text string) (list []string) {
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	for _, m := range registerText.FindAllStringSubmatch(text, -1) {
		name := ""
		switch {
		case m[1] != "" && number(m[1])%2 == 0:
			name = "A00"
		case m[2] != "" && number(m[2]) < 32:
			name = "r" + m[2]
		case m[3] != "" && (m[3] != "export" || number(m[5]) < 16):
			name = m[3] + m[5]
		case m[6] != "":
			name = "cr" + m[6]
		default:
			continue
		}
		if m[4] != "" {
			name += " + A00." + m[4]
		}
		list = append(list, name)
	}
	return list
}

// TestRegistersOfRandomWords compares the registers of operands with those that a reader of the text finds.
func TestRegistersOfRandomWords(t *testing.T) {
	d, _ := tools(t, "")
	rng := rand.New(rand.NewPCG(2, 13))
	var buf []isa.Operand
	for range 2000 {
		in, _ := d.Decode(randomWord(rng))
		text, list := d.AppendOperands(nil, buf[:0], in)
		var got []string
		for _, o := range list {
			if o.Register.File == nil {
				continue
			}
			name := operandtest.Register(o.Register)
			if o.Relative.File != nil {
				name += " + " + operandtest.Register(o.Relative)
			}
			got = append(got, name)
		}
		if want := registersIn(string(text)); !slices.Equal(got, want) {
			t.Errorf("%s: registers %q, want %q", text, got, want)
		}
		buf = list
	}
}

// TestEndField checks that a slip in what the description says of the end of programs is told of.
func TestEndField(t *testing.T) {
	checkDescription(t, map[[2]string]string{
		{`<meta ends="END"/>`, `<meta ends="ENDS"/>`}:                               `<meta ends="ENDS">`,
		{`<meta ends="END"/>`, `<meta ends="CREL"/>`}:                               `no <flow kind="end">`,
		{`<meta ends="END"/>`, `<meta end="END"/>`}:                                 `end`,
		{`<limit name="uniforms"`, `<limit name="uniform"`}:                         `needs a limit "uniforms"`,
		{`count="16" use="output"`, `count="16" use="special"`}:                     `needs register files for`,
		{`<flow kind="jump" target="TARGET"`, `<flow kind="jump" target="TARGETS"`}: `TARGETS is not a field`,
	})
}

// checkDescription replaces a text of the description and expects an error.
func checkDescription(t *testing.T, changes map[[2]string]string) {
	t.Helper()
	text, err := tegra.FS.ReadFile("tegra.xml")
	if err != nil {
		t.Fatal(err)
	}
	for change, want := range changes {
		bad := strings.Replace(string(text), change[0], change[1], 1)
		if bad == string(text) {
			t.Fatalf("the description has no %s", change[0])
		}
		set, err := isa.Load(fstest.MapFS{"tegra.xml": {Data: []byte(bad)}}, "tegra.xml", isa.Options{})
		if err == nil {
			_, err = tegra.NewAssembler(set)
		}
		if err == nil || !strings.Contains(diag.Render(err), want) {
			t.Errorf("%s: %v, expected %s", change[1], err, want)
		}
	}
}
