package randisa_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/randisa"
	"github.com/isago/isago/isa"
)

// TestIsaspecLoads loads the descriptions that must load.
func TestIsaspecLoads(t *testing.T) {
	for seed := range uint64(300) {
		text := randisa.Isaspec(seed)
		if _, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(text)}}, "a.xml", isa.Options{}); err != nil {
			t.Errorf("seed %d: %s\n%s", seed, diag.Render(err), text)
		}
	}
}
