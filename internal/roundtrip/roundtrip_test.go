package roundtrip_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

var (
	words    = flag.Int("words", 10_000, "how many random words each description is tried with")
	specFile = flag.String("spec", "", "TestSpec tries this description")
	specGen  = flag.Uint("gen", 0, "the generation for -spec")
)

// maxFailures limits the failures that a test reports.
const maxFailures = 20

// maxSearch limits the words that are tried to reach the last cases.
const maxSearch = 400_000

func TestHeron(t *testing.T) {
	for _, gen := range testgpu.Gens {
		t.Run(fmt.Sprint(gen), func(t *testing.T) {
			t.Parallel()
			try(t, heron(t, gen), *words/len(testgpu.Gens))
		})
	}
}

func heron(t *testing.T, gen uint32) *isa.Set {
	t.Helper()
	set, err := isa.Load(testgpu.Files(), testgpu.File, isa.Options{Gen: gen})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return set
}

func TestPICA200(t *testing.T) {
	t.Parallel()
	set, err := pica200.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	try(t, set, *words)
}

// TestDescriptions checks descriptions in the style of other projects.
func TestDescriptions(t *testing.T) {
	for file, gens := range map[string][]uint32{"microcode.xml": {5, 6, 7}, "vector.xml": {0}, "marks.xml": {0}} {
		for _, gen := range gens {
			t.Run(fmt.Sprint(file, gen), func(t *testing.T) {
				t.Parallel()
				set, err := isa.Load(os.DirFS("testdata"), file, isa.Options{Gen: gen})
				if err != nil {
					t.Fatal(diag.Render(err))
				}
				try(t, set, min(*words, 2000))
			})
		}
	}
}

func TestSpec(t *testing.T) {
	if *specFile == "" {
		t.Skip("no -spec")
	}
	set, err := isa.Load(os.DirFS(filepath.Dir(*specFile)), filepath.Base(*specFile), isa.Options{Gen: uint32(*specGen)})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	try(t, set, *words)
}

// trial is the state of a test of one description.
type trial struct {
	t      *testing.T
	check  *roundtrip.Checker
	cases  *roundtrip.Cases
	failed map[string]int // by leaf

	words, insts, clean, same int
}

// try checks words of every leaf in turn and random words. It then checks words that use a case that
// no earlier word has used.
func try(t *testing.T, set *isa.Set, count int) {
	c, err := roundtrip.NewChecker(set, "")
	if err != nil {
		t.Fatal(err)
	}
	x := &trial{t: t, check: c, cases: roundtrip.NewCases(c.Decoder), failed: map[string]int{}}
	source := roundtrip.NewWords(set, 1)
	leaves := c.Decoder.Root().Leaves
	if len(leaves) == 0 {
		t.Fatal("no instruction exists in this generation")
	}
	start := time.Now()
	for i := 0; i < count && len(x.failed) < maxFailures; i++ {
		if i%1000 == 0 {
			fill(c, set, source)
		}
		w := source.Random().And(bits.Ones(c.Decoder.Root().Size))
		if i%8 > 0 {
			w = source.Leaf(leaves[i%len(leaves)])
		}
		x.word(w)
	}
	for i := range maxSearch {
		if all, reached := x.cases.Len(); all == reached {
			break
		}
		w := source.Leaf(leaves[i%len(leaves)])
		if in, ok := c.Decoder.Decode(w); ok && x.cases.Count(in) {
			x.word(w)
		}
	}
	if len(set.Tables()) == 0 {
		if err := c.Program(set, source, min(count, 1000)); err != nil {
			t.Errorf("a program: %v", err)
		}
	}
	all, reached := x.cases.Len()
	t.Logf("%d words: %d instructions, %d of them without findings, %d of those the same from plain text; %d of %d cases; %v",
		x.words, x.insts, x.clean, x.same, reached, all, time.Since(start).Round(time.Millisecond))
	for _, m := range first(x.cases.Missing(), maxFailures) {
		t.Errorf("no word reaches %s", m)
	}
	for leaf, n := range x.failed {
		t.Logf("%s: %d failures", leaf, n)
	}
}

// word checks one word.
func (x *trial) word(w bits.Value) {
	o, err := x.check.Check(w)
	x.words++
	if o.Known {
		x.insts++
		x.cases.Count(o.Inst)
	}
	if o.Clean {
		x.clean++
	}
	if o.Same {
		x.same++
	}
	if err == nil {
		return
	}
	name := "no leaf"
	if o.Known {
		name = o.Inst.Leaf.Name
	}
	if x.failed[name]++; x.failed[name] == 1 {
		x.t.Errorf("%s: %v", name, err)
	}
}

func first(list []string, n int) []string { return list[:min(n, len(list))] }

// fill sets tables and contexts to random values.
func fill(c *roundtrip.Checker, set *isa.Set, source *roundtrip.Words) {
	for i, info := range set.Tables() {
		entries := make([]bits.Value, info.Size)
		for j := range entries {
			entries[j] = source.Random().And(bits.Ones(info.Bits))
		}
		c.SetTable(i, entries)
	}
	ctx := set.DefaultContext()
	for _, x := range set.Contexts() {
		ctx, _ = set.ParseContext(ctx, x.Name, x.Values[source.Random()[0]%uint64(len(x.Values))])
	}
	c.SetContext(ctx)
}
