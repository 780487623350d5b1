package a2xx_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
)

var manyWords = flag.Int("words", 400, "number of random words of each kind in TestRandomWords")

// TestRandomWords prints random words of each kind in both spellings and reads them back.
func TestRandomWords(t *testing.T) {
	for _, syntax := range []string{"", "mesa"} {
		set := toolsFor(t, syntax, "vs").set
		for _, root := range []string{"alu", "fetch", "cf"} {
			t.Run(root+syntax, func(t *testing.T) { randomWords(t, set, root) })
		}
	}
}

func randomWords(t *testing.T, set *isa.Set, root string) {
	d, err := set.NewDecoder(root)
	if err != nil {
		t.Fatal(err)
	}
	p, err := asm.New(set, root)
	if err != nil {
		t.Fatal(err)
	}
	lossless := asm.NewLossless(d, p)
	r := rand.New(rand.NewPCG(1, 2))
	suffixed := 0
	for i := range *manyWords {
		v := randomWord(r, i, d.Root().Size)
		ctx := set.DefaultContext()
		for _, c := range []string{"stage", "sync", "later"} {
			info := contextInfo(t, set, c)
			ctx, _ = set.ParseContext(ctx, c, info.Values[r.IntN(2)])
		}
		d.SetContext(ctx)
		p.SetContext(ctx)
		in, ok := d.Decode(v)
		if !ok {
			t.Fatalf("%s is not an instruction", v)
		}
		plain := string(d.Append(nil, in))
		text, ok := lossless.Append(nil, in)
		if !ok {
			t.Fatalf("%s: no text gives %q back", v, plain)
		}
		if len(text) > len(plain) {
			suffixed++
		}
		if set.Syntax() == "" && len(text) > len(plain) {
			if res, err := p.Parse(plain); err != nil || res.Inst.Bits.Xor(v).AndNot(unsaid(in)) != (bits.Value{}) {
				t.Fatalf("%s: %q says less than it could: %v", v, plain, err)
			}
		}
		res, err := p.Parse(string(text))
		if err != nil || res.Inst.Bits != v || res.Context != ctx {
			t.Fatalf("%s: %q reads as %s: %v", v, text, res.Inst.Bits, err)
		}
	}
	t.Logf("%d of %d words need a suffix", suffixed, *manyWords)
}

// unsaid returns the bits that the default spelling need not say: those that are ignored, those of the
// second source in operations with one, and the destination of the scalar half in exports.
func unsaid(in isa.Inst) bits.Value {
	l, mask := in.Leaf, in.Leaf.DontCare
	if l.Meta("export") != "" && in.Bits.Bit(15) == 1 {
		mask = mask.Or(bits.Range(8, 6))
	}
	if inside.Leaf(l).Spec.Extends.Name == "#alu-1" {
		mask = mask.Or(bits.Range(40, 8)).Or(bits.Range(57, 1)).Or(bits.Range(72, 8)).Or(bits.Range(94, 1))
	}
	return mask
}

// randomWord is any word; of four, one has few bits set and one few bits clear.
func randomWord(r *rand.Rand, i, size int) bits.Value {
	word := func() bits.Value { return bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()} }
	v := word()
	switch i % 4 {
	case 1:
		v = v.And(word()).And(word())
	case 2:
		v = v.Or(word()).Or(word())
	}
	return v.And(bits.Ones(size))
}

func contextInfo(t *testing.T, set *isa.Set, name string) isa.ContextInfo {
	t.Helper()
	for _, c := range set.Contexts() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no context %s", name)
	return isa.ContextInfo{}
}
