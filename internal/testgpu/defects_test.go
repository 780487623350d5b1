package testgpu_test

import (
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
)

// TestDefects checks that each flaw can be planted and that its word demonstrates it.
func TestDefects(t *testing.T) {
	for _, d := range testgpu.Defects {
		t.Run(d.Name, func(t *testing.T) {
			files, err := d.Plant()
			if err != nil {
				t.Fatal(err)
			}
			set, err := isa.Load(files, testgpu.File, isa.Options{Gen: d.Gen})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			if d.Printed == "" {
				return
			}
			dec, err := set.NewDecoder("")
			if err != nil {
				t.Fatal(err)
			}
			got := "no match"
			if in, ok := dec.Decode(bits.Of(d.Word)); ok {
				got = printed(dec, in)
			} else if found := dec.Findings(); len(found) > 0 {
				got += "\t; " + found[0].Text
			}
			if got != d.Printed {
				t.Errorf("%016x prints %q, expected %q", d.Word, got, d.Printed)
			}
		})
	}
}
