package testgpu_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
)

// minLeaves is the minimum number of leaves over all generations.
const minLeaves = 250

func load(t testing.TB, gen uint32) *isa.Set {
	t.Helper()
	s, err := isa.Load(testgpu.Files(), testgpu.File, isa.Options{Gen: gen})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return s
}

func TestSize(t *testing.T) {
	leaves := map[string]bool{} // by location, because some names occur several times
	for _, gen := range testgpu.Gens {
		root, err := load(t, gen).Root("")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range root.Leaves {
			leaves[inside.Leaf(l).Spec.Span.String()] = true
		}
	}
	if len(leaves) < minLeaves {
		t.Errorf("%d instructions, expected at least %d", len(leaves), minLeaves)
	}
}

//go:embed testdata/words.txt
var wordRows string

// printed formats a word like the rows: its text, and findings after "\t; ".
func printed(d *isa.Decoder, in isa.Inst) string {
	line := string(d.Append(nil, in))
	var found []string
	for _, f := range d.Findings() {
		found = append(found, f.Text)
	}
	if len(found) > 0 {
		line += "\t; " + strings.Join(found, ", ")
	}
	return line
}

// TestWords checks the rows and that they use every case of every leaf in some generation.
func TestWords(t *testing.T) {
	decoders := map[string]*isa.Decoder{}
	cases := map[string]*roundtrip.Cases{}
	for _, gen := range testgpu.Gens {
		d, err := load(t, gen).NewDecoder("")
		if err != nil {
			t.Fatal(err)
		}
		decoders[fmt.Sprint(gen)], cases[fmt.Sprint(gen)] = d, roundtrip.NewCases(d)
	}
	for i, row := range strings.Split(strings.TrimSpace(wordRows), "\n") {
		if strings.HasPrefix(row, "#") {
			continue
		}
		columns := strings.SplitN(row, "\t", 3)
		d := decoders[columns[0]]
		word, err := bits.ParseHex(columns[1])
		if err != nil {
			t.Fatal(err)
		}
		in, ok := d.Decode(word)
		if !ok {
			t.Errorf("words.txt:%d: generation %s: %s is no instruction, expected %q", i+1, columns[0], word, columns[2])
			continue
		}
		if got := printed(d, in); got != columns[2] {
			t.Errorf("words.txt:%d: generation %s, %s\n got %q\nwant %q", i+1, columns[0], columns[1], got, columns[2])
		}
		cases[columns[0]].Count(in)
	}
	for _, m := range missingEverywhere(cases) {
		t.Errorf("no row has %s", m)
	}
}

// missingEverywhere lists the cases that the words of no generation use.
func missingEverywhere(cases map[string]*roundtrip.Cases) []string {
	missing, reached := map[string]bool{}, map[string]bool{}
	for _, c := range cases {
		for _, m := range c.Missing() {
			missing[m] = true
		}
		for _, r := range c.Reached() {
			reached[r] = true
		}
	}
	var list []string
	for m := range missing {
		if !reached[m] {
			list = append(list, m)
		}
	}
	slices.Sort(list)
	return list
}
