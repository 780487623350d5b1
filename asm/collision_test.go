package asm

import (
	"math/rand"
	"os"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// TestCollisions exchanges the readings of lines in the cache, as if their hashes were equal. The cache compares more
// than hashes.
func TestCollisions(t *testing.T) {
	for _, c := range []struct{ dir, file string }{
		{"../target/tesla", "tesla.xml"}, {"testdata", "scopes.xml"}, {"testdata", "flags.xml"}, {"../internal/spec/testdata", "everything.xml"},
	} {
		s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		t.Run(c.file, func(t *testing.T) { collide(t, s) })
	}
}

func collide(t *testing.T, s *isa.Set) {
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewSource(1))
	randomTables(d, r)
	few := newFew(d, r)
	words := map[string]bits.Value{}
	for range 4000 {
		line := few.line(d, r)
		if res, err := p.Parse(line); err == nil {
			words[line] = res.Inst.Bits
		}
	}
	check := func(of string) {
		for line, want := range words {
			if res, err := p.Parse(line); err != nil || res.Inst.Bits != want {
				t.Fatalf("%s is %s, %v, expected %s, where those of %s are exchanged", line, res.Inst.Bits, err, want, of)
			}
		}
	}
	check("none")
	if exchanged := rotate(p.cache.lines.slots); exchanged < 2 {
		t.Errorf("%d lines were exchanged, too few to see anything", exchanged)
	}
	check("lines")
	*p.cache.lines = lineTable{}
	check("none")
}

// rotate moves the values of a table to other hashes, and returns the number of values.
func rotate[T any](slots []hashSlot[T]) (n int) {
	var before *hashSlot[T]
	for i := range slots {
		if s := &slots[i]; s.value != nil {
			if before != nil {
				before.value, s.value = s.value, before.value
			}
			before = s
			n++
		}
	}
	return n
}
