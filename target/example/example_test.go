package example_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
)

// rows has a row for every case of every instruction: the word in hexadecimal, a tab, its text, and
// after another tab what is found in it. The bits were put together by hand; the lines above say how.
const rows = `
# 000 0000000000000
0000	nop
# 000 0000000000001: an ignored bit is set
0001	nop	dontcare bits in nop: 00000001
# 001 dst a imm b: 0001 0010 0 0011
2243	add r1, r2, r3
# 001 1000 1111 0 0111
31e7	add s0, s7, r7
# 001 0001 0010 1 0111
2257	add r1, r2, 7
# 001 0001 0010 1 1000: -8
2258	add r1, r2, -8
# 010 0000 0000 0 1001
4009	mul r0, r0, s1
# 010 0111 0000 1 1111: -1
4e1f	mul r7, r0, -1
# 011 dst a 0 count: 0001 0010 0 0000, by one more than count
6240	shl r1, r2, 1
# 011 1001 0010 0 1111
724f	shl s1, r2, 16
# 011 0001 0010 1 0000: bit 4 is expected to be 0
6250	shl r1, r2, 1	WARNING: unexpected bits[4:4] in shl: 00000001 vs 00000000
# 100 cond link likely target: 00 0 1 000000101
8205	br 5
# 100 01 0 1 111111111: -1
8bff	br.eq -1
# 100 10 1 0 011111111
94ff	brl.ne 255
# 100 11 0 0 100000000: -256
9900	br.lt -256
# 101, 110 and 111 are no instructions
a000	unknown
c000	unknown
ffff	unknown
`

func TestRows(t *testing.T) {
	s, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	covered := map[*isa.Leaf]bool{}
	for _, line := range strings.Split(rows, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		hex, want, _ := strings.Cut(line, "\t")
		word, err := bits.ParseHex(hex)
		if err != nil {
			t.Fatal(err)
		}
		in, got := printWord(d, word)
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", hex, got, want)
		}
		covered[in.Leaf] = true
	}
	for _, l := range d.Root().Leaves {
		if !covered[l] {
			t.Errorf("no row is a %s", l.Name)
		}
	}
}

// printWord returns the text of a word, and after tabs what is found in it.
func printWord(d *isa.Decoder, word bits.Value) (isa.Inst, string) {
	in, ok := d.Decode(word)
	if !ok {
		return in, "unknown"
	}
	text := string(d.Append(nil, in))
	for _, f := range d.Findings() {
		text += "\t" + f.Text
	}
	return in, text
}

// TestChip reads a word as the first model does, which cannot multiply.
func TestChip(t *testing.T) {
	s, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := s.ParseContext(s.DefaultContext(), "chip", "one")
	if err != nil {
		t.Fatal(err)
	}
	d.SetContext(ctx)
	if _, text := printWord(d, bits.Of(0x4009)); text != "unknown" {
		t.Errorf("the first model reads 4009 as %q", text)
	}
	if _, text := printWord(d, bits.Of(0x2243)); text != "add r1, r2, r3" {
		t.Errorf("the first model reads 2243 as %q", text)
	}
}

// TestLabel prints a branch with a label.
func TestLabel(t *testing.T) {
	s, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	d.Addr = 3 * 16 // of the fourth instruction, in bits
	d.Label = func(addr int64, call bool) (string, bool) { return "start", addr == 2*16 }
	if _, text := printWord(d, bits.Of(0x8bff)); text != "br.eq start" {
		t.Errorf("8bff is %q", text)
	}
}

func ExampleLoad() {
	set, err := example.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	d, err := set.NewDecoder("")
	if err != nil {
		fmt.Println(err)
		return
	}
	in, _ := d.Decode(bits.Of(0x2257))
	fmt.Println(string(d.Append(nil, in)))
	// Output: add r1, r2, 7
}
