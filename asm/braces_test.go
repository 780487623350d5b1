package asm_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/gentest"
	"github.com/isago/isago/isa"
)

// TestBraces checks that braces in a text are printed and parsed, also with a suffix in braces after them.
func TestBraces(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"m.xml": {Data: []byte(gentest.Braces)}}, "m.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	p, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		word        uint64
		text, whole string // the printed text, and the text with its suffix
	}{
		{0x01, "push {r1} {}", "push {r1} {}"},
		{0x06, "push {r2} }{", "push {r2} }{"},
		{0x0f, "push {r3}", "push {r3}"},
		{0x3f, "push {r3}", "push {r3} {H=0x3}"},
		{0x2b, "push {r3} {A=1}", "push {r3} {A=1} {H=0x2}"},
		{0x45, "{ {A} 5", "{ {A} 5"},
		{0x5a, "{ {A} a{b}", "{ {A} a{b}"},
	} {
		in, _ := d.Decode(bits.Of(row.word))
		if got := string(d.Append(nil, in)); got != row.text {
			t.Errorf("%02x prints %q, want %q", row.word, got, row.text)
		}
		if res, err := p.Parse(row.whole); err != nil || res.Inst.Bits != bits.Of(row.word) {
			t.Errorf("%q is %v, %v, want %02x", row.whole, res.Inst.Bits, err, row.word)
		}
	}
	if res, err := p.Parse("braces {5{b}}"); err != nil || res.Inst.Bits != bits.Of(0x55) {
		t.Errorf("the alias is %v, %v, want 55", res.Inst.Bits, err)
	}
}
