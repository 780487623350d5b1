package pica200_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/operandtest"
	"github.com/isago/isago/isa"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestOperands compares what is known of the operands of the rows of words.txt, among which each
// instruction is, with testdata/operands.txt.
func TestOperands(t *testing.T) {
	d, err := load(t).NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(operandtest.Legend)
	covered := map[*isa.Leaf]bool{}
	for _, r := range rows(t) {
		in, text, _ := decode(d, r)
		if text == unknown {
			continue
		}
		covered[in.Leaf] = true
		fmt.Fprintf(&b, "%08x / %08x %s", r.word, r.desc, operandtest.Describe(d, in, 32))
	}
	for _, l := range d.Root().Leaves {
		if !covered[l] {
			t.Errorf("no row is a %s", l.Name)
		}
	}
	operandtest.CompareGolden(t, "testdata/operands.txt", b.String(), *update)
}

// registerText is a register in the text of an instruction: a letter and a number, with the address
// register in brackets that is added to a float uniform, and that to others has no effect.
var registerText = regexp.MustCompile(`\b([vrocib])(\d+)\b(?:\[(a0\.x|a0\.y|aL)\])?|\b(a0)\b`)

// registersIn finds the registers in a text.
func registersIn(text string) (list []string) {
	for _, m := range registerText.FindAllStringSubmatch(text, -1) {
		switch {
		case m[4] != "":
			list = append(list, "a00")
		case m[1] == "c" && m[3] != "":
			list = append(list, m[1]+m[2]+" + "+map[string]string{"a0.x": "a00.x", "a0.y": "a00.y", "aL": "aL0"}[m[3]])
		default:
			list = append(list, m[1]+m[2])
		}
	}
	return list
}

// TestRegistersOfRandomWords compares the registers of operands with those that a reader of the text finds.
func TestRegistersOfRandomWords(t *testing.T) {
	d, err := load(t).NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(200, 13))
	table := make([]bits.Value, 128)
	for i := range table {
		table[i] = bits.Of(uint64(r.Uint32() & 0x7fffffff))
	}
	d.SetTable(0, table)
	seen := map[*isa.Leaf]int{}
	var buf []isa.Operand
	for n := 0; n < 2000; {
		in, ok := d.Decode(bits.Of(uint64(r.Uint32())))
		if !ok {
			continue
		}
		n++
		seen[in.Leaf]++
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
	if len(seen) != len(d.Root().Leaves) {
		t.Errorf("%d of %d instructions among the words", len(seen), len(d.Root().Leaves))
	}
}
