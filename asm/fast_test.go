package asm

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// TestAhead checks that a parser with FIRST sets and the cache returns the same results and errors as a parser that
// tries all alternatives.
func TestAhead(t *testing.T) {
	for _, c := range []struct {
		dir, file string
		n         int
	}{
		{"../target/pica200", "pica200.xml", 20_000},
		{"../target/tegra", "tegra.xml", 2_000},
		{"../target/example", "example.xml", 20_000},
		{"../internal/spec/testdata", "everything.xml", 20_000},
		{"testdata", "fast.xml", 20_000},
		{"testdata", "pieces.xml", 20_000},
		{"../internal/testgpu/heron", "heron.xml", 4_000},
		{"../target/tesla", "tesla.xml", 1_000},
	} {
		t.Run(c.file, func(t *testing.T) {
			s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			compareReading(t, s, c.n)
		})
	}
}

func compareReading(t *testing.T, s *isa.Set, n int) {
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	fast, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	general, _ := New(s, "")
	general.exhaustive = true
	r := rand.New(rand.NewSource(4))
	for i := range n {
		if i%64 == 0 {
			randomTables(d, r)
			emptyTables(fast)
			emptyTables(general)
			ctx := randomContext(t, s, r)
			d.SetContext(ctx)
			fast.SetContext(ctx)
			general.SetContext(ctx)
		}
		text := randomText(d, r)
		got, err := fast.Parse(text)
		want, wantErr := general.Parse(text)
		if fmt.Sprint(got, err) != fmt.Sprint(want, wantErr) {
			t.Fatalf("%q is\n%v %v\nand in the general way\n%v %v", text, got, err, want, wantErr)
		}
	}
}

// randomTables sets random tables in a decoder.
func randomTables(d *isa.Decoder, r *rand.Rand) {
	for i, t := range d.Set().Tables() {
		entries := make([]bits.Value, t.Size)
		for j := range entries {
			entries[j] = randomValue(r).And(bits.Ones(t.Bits))
		}
		d.SetTable(i, entries)
	}
}

func randomContext(t *testing.T, s *isa.Set, r *rand.Rand) bits.Value {
	ctx := s.DefaultContext()
	for _, c := range s.Contexts() {
		var err error
		if ctx, err = s.ParseContext(ctx, c.Name, c.Values[r.Intn(len(c.Values))]); err != nil {
			t.Fatal(err)
		}
	}
	return ctx
}

func emptyTables(p *Parser) {
	for i, t := range p.set.Tables() {
		p.Tables[i] = &GrowingTable{Size: t.Size}
	}
}

func randomValue(r *rand.Rand) bits.Value {
	v := bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	if r.Intn(2) == 0 {
		v = v.And(bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
	}
	return v
}

// randomText prints a random word and changes the text, usually without a change of the meaning.
func randomText(d *isa.Decoder, r *rand.Rand) string {
	leaves := d.Root().Leaves
	l := leaves[r.Intn(len(leaves))]
	in, ok := d.Decode(randomValue(r).AndNot(l.Mask.Or(l.DontCare)).Or(l.Match))
	if !ok {
		return l.Display
	}
	text := d.Append(nil, in)
	switch r.Intn(6) {
	case 0:
		text = bytes.ReplaceAll(text, []byte(", "), []byte(" ,"))
	case 1:
		text = bytes.ToUpper(text)
	case 2:
		at := r.Intn(len(text) + 1)
		text = append(text[:at:at], append([]byte(" "), text[at:]...)...)
	case 3:
		at := r.Intn(len(text))
		text = append(text[:at:at], text[at+1:]...)
	case 4:
		text[r.Intn(len(text))] = " ,.-+0x1rz!&|"[r.Intn(13)]
	}
	return string(text)
}

// TestBlankKeepsCase checks that an additional blank next to punctuation does not change the instruction. The parser
// uses a reading that prints through another case only if no reading prints the text.
func TestBlankKeepsCase(t *testing.T) {
	s, err := isa.Load(os.DirFS("../internal/testgpu/heron"), "heron.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	p, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Parse("(sy)bfi r32.y, r32.x, -(last)r24.x, -r2.x")
	if err != nil {
		t.Fatal(err)
	}
	for _, p.exhaustive = range []bool{false, true} {
		got, err := p.Parse("(sy)bfi r32.y , r32.x, -(last)r24.x, -r2.x")
		if err != nil || got.Inst.Bits != want.Inst.Bits {
			t.Errorf("with a blank %s, without %s, %v", got.Inst.Bits, want.Inst.Bits, err)
		}
	}
}
