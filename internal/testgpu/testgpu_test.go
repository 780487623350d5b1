package testgpu_test

import (
	"testing"

	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
)

// minLeaves is the size that the description was asked to have, over all generations.
const minLeaves = 250

func load(t testing.TB, gen uint32) *isa.Set {
	t.Helper()
	s, err := isa.Load(testgpu.Files(), testgpu.File, isa.Options{Gen: gen})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	return s
}

func TestSize(t *testing.T) {
	leaves := map[string]bool{} // by place in the files: names occur several times
	for _, gen := range testgpu.Gens {
		root, err := load(t, gen).Root("")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range root.Leaves {
			leaves[l.Spec.Span.String()] = true
		}
	}
	if len(leaves) < minLeaves {
		t.Errorf("%d instructions, expected at least %d", len(leaves), minLeaves)
	}
}
