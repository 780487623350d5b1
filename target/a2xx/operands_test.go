package a2xx_test

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

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

var update = flag.Bool("update", false, "write testdata/operands.txt anew")

const operandsFile = "testdata/operands.txt"

// operandWords are words beside those of testdata/words.txt: operands that are addressed relatively, exports of
// both halves, an operation with a constant.
var operandWords = []row{
	{root: "alu", word: "46eec989 9849cfbe 4086a435"},
	{root: "alu", word: "ac1f0302 00000040 81010000"},
	{root: "alu", word: "004f4241 f8000000 0b414305"},
	{root: "fetch", word: "45454ee1 00000053 00000000"},
}

// TestOperands tells the operands of a word of each leaf as the golden rows have them. The words are the first
// ones of testdata/words.txt that have something new; each row was read against the handbook.
func TestOperands(t *testing.T) {
	var got strings.Builder
	set := toolsFor(t, "", "vs").set
	decoders, covered := map[string]*isa.Decoder{}, map[*isa.Leaf]bool{}
	for _, name := range []string{"alu", "fetch", "cf"} {
		decoders[name], _ = set.NewDecoder(name)
	}
	listed := rows(t)
	for i, r := range append(listed, operandWords...) {
		d := decoders[r.root]
		if d == nil {
			continue // a constant is no instruction
		}
		d.SetContext(r.context(t, set))
		word, err := program.ParseLine(set, r.word)
		if err != nil {
			t.Fatal(err)
		}
		in, _ := d.Decode(word.Word)
		before := len(covered)
		if note(d, in, covered); len(covered) > before || i >= len(listed) {
			writeOperands(&got, set, d, r.word, in)
		}
	}
	for _, d := range decoders {
		for _, l := range d.Root().Leaves {
			if !covered[l] {
				t.Errorf("no row is a %s", l.Name)
			}
		}
	}
	if *update {
		if err := os.WriteFile(operandsFile, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(operandsFile)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() == string(want) {
		return
	}
	g, w := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d:\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
	t.Fatalf("%d lines, expected %d", len(g), len(w))
}

// writeOperands writes a word, its text, mnemonic and flow, and a line for each operand.
func writeOperands(b *strings.Builder, set *isa.Set, d *isa.Decoder, word string, in isa.Inst) {
	text, ops := d.AppendOperands(nil, nil, in)
	fmt.Fprintf(b, "%s\t%s\t%s", word, d.Mnemonic(in), strings.ReplaceAll(string(text), "\t", " "))
	for _, f := range d.Flows(nil, in) {
		fmt.Fprintf(b, "\t%s", f.Kind)
		if f.Target >= 0 {
			fmt.Fprintf(b, " to %d", f.Target/48)
		}
		if f.Maybe {
			b.WriteString(" maybe")
		}
		if f.Stack != "" {
			b.WriteString(" on " + f.Stack)
		}
	}
	b.WriteByte('\n')
	for i := range ops {
		writeOperand(b, set, &ops[i], string(text))
	}
}

func writeOperand(b *strings.Builder, set *isa.Set, o *isa.Operand, text string) {
	fmt.Fprintf(b, "\t%s\t%s\t%s\t", o.Name, o.Role, o.Kind)
	switch {
	case o.Register.File != nil:
		b.WriteString(registerText(o.Register))
		if o.Relative.File != nil {
			b.WriteString(" + " + registerText(o.Relative))
		}
	default:
		fmt.Fprintf(b, "%d", o.Value)
	}
	if o.Swizzled {
		b.WriteString(" swizzle ")
		for _, c := range o.Swizzle {
			b.WriteByte("xyzw"[c])
		}
	}
	if o.Masked {
		fmt.Fprintf(b, " mask %04b", o.Mask)
	}
	for i, name := range set.Modifiers() {
		if o.Modifiers>>i&1 == 1 {
			b.WriteString(" " + name)
		}
	}
	b.WriteString("\tbits")
	for _, p := range o.Bits {
		fmt.Fprintf(b, " %d..%d", p.Low, p.Low+p.Width-1)
	}
	fmt.Fprintf(b, "\t%q\n", text[o.Start:o.End])
}

func registerText(r isa.Register) string {
	s := r.File.Name + "[" + strconv.Itoa(r.Index) + "]"
	if r.View != nil {
		s += fmt.Sprintf(" bits %d..%d", r.Low, r.Low+r.Width-1)
	}
	if r.Component >= 0 {
		s += "." + string("xyzw"[r.Component])
	}
	return s
}

var (
	registerPattern = regexp.MustCompile(`\b(R|C|export)(\d+)(?:\[(a0|aL)\])?`)
	clausePattern   = regexp.MustCompile(`(BOOL_ADDR|LOOP_ID)\((?:0x)?([0-9a-f]+)\)`)
	fetchPattern    = regexp.MustCompile(`CONST\((\d+)(?:, (\d))?\)`)
)

// registersOf reads the registers of a plain text, knowing nothing of the description.
func registersOf(text string) (list []string) {
	export := ""
	for _, m := range registerPattern.FindAllStringSubmatch(text, -1) {
		s := m[1] + "[" + m[2] + "]"
		if m[1] == "export" && export != "" {
			list = append(list, export) // both halves export to the number of the first, what is added included
			continue
		}
		if m[3] != "" {
			s += " + " + m[3]
		}
		if m[1] == "export" {
			export = s
		}
		list = append(list, s)
	}
	for _, m := range fetchPattern.FindAllStringSubmatch(text, -1) {
		if m[2] != "3" { // there is no fourth third
			list = append(list, "sampler["+m[1]+"]")
		}
	}
	for _, m := range clausePattern.FindAllStringSubmatch(text, -1) {
		base, file := 10, "loop"
		if m[1] == "BOOL_ADDR" {
			base, file = 16, "bools"
		}
		n, _ := strconv.ParseUint(m[2], base, 16)
		list = append(list, fmt.Sprintf("%s[%d]", file, n))
	}
	slices.Sort(list)
	return list
}

// TestOperandsAndText compares the registers of random words with those that their texts have.
func TestOperandsAndText(t *testing.T) {
	set := toolsFor(t, "", "vs").set
	r := rand.New(rand.NewPCG(2, 13))
	var ops []isa.Operand
	for _, root := range []string{"#alu", "#fetch", "#cf"} {
		d, err := set.NewDecoder(root)
		if err != nil {
			t.Fatal(err)
		}
		for range 2000 {
			l := d.Root().Leaves[r.IntN(len(d.Root().Leaves))]
			v := bits.Value{r.Uint64(), r.Uint64()}.And(bits.Ones(l.Size))
			in, _ := d.Decode(v.AndNot(l.Mask).AndNot(l.DontCare).Or(l.Match))
			var text []byte
			text, ops = d.AppendOperands(nil, ops[:0], in)
			plain := strings.HasPrefix(l.Name, "#fetch") || clean(l.Name) // texts of numbers alone
			var got []string
			for i := range ops {
				o := &ops[i]
				if o.Register.File == nil {
					continue
				}
				s := fmt.Sprintf("%s[%d]", o.Register.File.Name, o.Register.Index)
				if o.Relative.File != nil {
					s += " + " + o.Relative.File.Name
				}
				got = append(got, s)
			}
			slices.Sort(got)
			want := registersOf(string(text))
			if plain {
				want = nil
			}
			if !slices.Equal(got, want) {
				t.Errorf("%x %s\n got %q\nwant %q", in.Bits[:2], text, got, want)
			}
		}
	}
}

// clean reports whether a clause has other bits where others have a bool constant.
func clean(name string) bool {
	return slices.Contains([]string{"EXEC", "EXEC_END", "COND_PRED_EXEC", "COND_PRED_EXEC_END"}, name)
}
