package mesa_test

import (
	"flag"
	"math/rand"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/randisa"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/isa/mesa"
)

// TestDecoderPrintsAlike prints random words of a GPU with 350 bitsets, from memos and step by step,
// and compares texts and findings. It also requires that nearly all instructions are printed from
// memos.
func TestDecoderPrintsAlike(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for _, gen := range testgpu.Gens {
		set, err := isa.Load(testgpu.Files(), testgpu.File, isa.Options{Gen: gen})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		quick, err := mesa.New(set, "")
		if err != nil {
			t.Fatal(err)
		}
		slow, err := mesa.New(set, "")
		if err != nil {
			t.Fatal(err)
		}
		slow.Stepwise = true
		label := func(index int64, call bool) (string, bool) { return "l", index&1 == 0 && !call }
		quick.Label, slow.Label = label, label
		source := roundtrip.NewWords(set, uint64(gen))
		known := 0
		root, err := set.Root("")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range root.Leaves {
			for i := range 40 {
				w := source.Leaf(l)
				if i&1 == 0 {
					w = bits.Of(r.Uint64()).AndNot(l.Mask).Or(l.Match) // Its expected bits are ignored here.
				}
				quick.Index, slow.Index = int64(i), int64(i)
				text, ok := quick.Append(nil, w)
				want, wanted := slow.Append(nil, w)
				if string(text) != string(want) || ok != wanted || !slices.Equal(quick.Findings(), slow.Findings()) {
					t.Fatalf("%s: %q, %v, %q; step by step %q, %v, %q", w, text, ok, quick.Findings(), want, wanted, slow.Findings())
				}
				quick.Reset()
				slow.Reset()
			}
			if quick.Alike(l.ID) {
				known++
			}
		}
		if n := len(root.Leaves); known < n*9/10 {
			t.Errorf("generation %d: %d of %d instructions from memos", gen, known, n)
		}
	}
}

var (
	alikeSeed  = flag.Uint64("alike-seed", 1, "the first random description that TestAlikeOfRandom prints")
	alikeCount = flag.Uint64("alike-count", 60, "how many")
)

// TestAlikeOfRandom prints random descriptions with cyclic expressions and undefined names, from memos
// and step by step.
func TestAlikeOfRandom(t *testing.T) {
	known := 0
	for seed := range *alikeCount {
		source := randisa.Isaspec(*alikeSeed + seed)
		set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(source)}}, "a.xml", isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		quick, err := mesa.New(set, "")
		if err != nil {
			t.Fatal(err)
		}
		slow, _ := mesa.New(set, "")
		slow.Stepwise = true
		words := roundtrip.NewWords(set, seed)
		root, err := set.Root("")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range root.Leaves {
			for range 100 {
				w := words.Leaf(l)
				text, ok := quick.Append(nil, w)
				want, wanted := slow.Append(nil, w)
				if string(text) != string(want) || ok != wanted || !slices.Equal(quick.Findings(), slow.Findings()) {
					t.Fatalf("seed %d, %s: %q, %v, %q; step by step %q, %v, %q\n%s", *alikeSeed+seed, w, text, ok, quick.Findings(), want, wanted, slow.Findings(), source)
				}
				quick.Reset()
				slow.Reset()
			}
			if quick.Alike(l.ID) {
				known++
			}
		}
	}
	if known < int(*alikeCount)/10 {
		t.Errorf("%d instructions from memos: this tests too little", known)
	}
	t.Logf("%d instructions from memos", known)
}
