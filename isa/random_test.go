package isa_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// TestRandomLeaves has many leaves with random patterns, for which no small decision tree exists. The
// time to build the tree must be bounded, and words must decode.
func TestRandomLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("<isa>\n<bitset name=\"#instruction\" size=\"64\"/>\n")
	type leaf struct{ mask, match uint64 }
	var leaves []leaf
	for i := range 2000 {
		var l leaf
		for _, bit := range r.Perm(64)[:20] {
			l.mask |= 1 << bit
		}
		l.match = r.Uint64() & l.mask
		leaves = append(leaves, l)
		fmt.Fprintf(&b, "<bitset name=\"l%d\" extends=\"#instruction\"><display>l%d</display><pattern low=\"0\" high=\"63\">", i, i)
		for bit := 63; bit >= 0; bit-- {
			switch {
			case l.mask>>bit&1 == 0:
				b.WriteByte('x')
			default:
				b.WriteByte("01"[l.match>>bit&1])
			}
		}
		b.WriteString("</pattern></bitset>\n")
	}
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(b.String() + "</isa>")}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for n := range 1000 {
		l := leaves[n]
		word := r.Uint64()&^l.mask | l.match
		var found []string
		for i, x := range leaves {
			if word&x.mask == x.match {
				found = append(found, fmt.Sprintf("l%d", i))
			}
		}
		in, ok := d.Decode(bits.Of(word))
		if ok != (len(found) == 1) || ok && in.Leaf.Name != found[0] {
			t.Fatalf("%#x is %v, want %v", word, ok, found)
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
