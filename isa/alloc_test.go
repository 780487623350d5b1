package isa_test

import (
	"fmt"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/alloctest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// TestNoAllocations decodes, prints and parses PICA200 instructions without allocations.
func TestNoAllocations(t *testing.T) {
	s, err := pica200.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := decoder(t, s)
	p, err := asm.New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	table := make([]bits.Value, 128)
	for i := range table {
		table[i] = bits.Of(0x6c36f) // all components, xyzw twice
	}
	d.SetTable(0, table)
	p.Tables[0] = &asm.FixedTable{Entries: table}
	buf := make([]byte, 0, 256)
	// Words from PICA200's words.txt in which all ignored bits are 0.
	for _, word := range []uint64{0x024a1980, 0x4e000000, 0xe000005f, 0xc000085f, 0x88000000, 0x94000001, 0x9c000404} {
		in, ok := d.Decode(bits.Of(word))
		if !ok {
			t.Fatalf("%x is unknown", word)
		}
		text := string(d.Append(buf[:0], in))
		for range 120 { // the decoder fills caches and sorts leaves only for frequent instructions
			in, _ = d.Decode(bits.Of(word))
			d.Append(buf[:0], in)
		}
		if _, err := p.Parse(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		alloctest.None(t, fmt.Sprintf("printing %q", text), 100, func() {
			in, _ := d.Decode(bits.Of(word))
			buf = d.Append(buf[:0], in)
		})
		alloctest.None(t, fmt.Sprintf("reading %q", text), 100, func() { _, _ = p.Parse(text) })
	}
}
