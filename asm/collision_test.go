package asm

import (
	"math/rand"
	"os"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// TestCollisions gives what is remembered of the ends of lines to others, as if their hashes were the same: it is told
// by more than its hash what it belongs to.
func TestCollisions(t *testing.T) {
	s, err := isa.Load(os.DirFS("../target/tesla"), "tesla.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
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
		p.memo.lines = lineTable{} // or a line that comes again would ask for no completion
		p.memo.lines = lineTable{} // or a line that comes again would ask for no completion
	}
	exchanged := exchange(p.memo)
	for line, want := range words {
		p.memo.lines = lineTable{} // or the line itself would be known
		if res, err := p.Parse(line); err != nil || res.Inst.Bits != want {
			t.Fatalf("%s is %s, %v, expected %s", line, res.Inst.Bits, err, want)
		}
	}
	if exchanged < 2 {
		t.Errorf("%d were exchanged, too few to see anything", exchanged)
	}
}

// exchange gives each hash what belongs to another one, and returns how many it did so with.
func exchange(m *memo) (n int) {
	for _, all := range m.completions {
		var before *completion
		for hash, e := range all.by {
			if before != nil {
				all.by[hash] = before
				n++
			}
			before = e
		}
	}
	return n
}
