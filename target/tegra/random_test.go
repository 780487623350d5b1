package tegra_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
)

var (
	manyWords    = flag.Int("words", 500, "number of random words of TestRandomWords")
	manyPrograms = flag.Int("programs", 50, "number of random programs of TestRandomPrograms")
)

// TestRandomWords prints random words of 128 bits without loss and reads the text back, in both
// spellings. Half of the words have the usual values in the fields that an instruction may not use.
func TestRandomWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, syntax := range []string{"", "seed"} {
		d, p := tools(t, syntax)
		lossless := asm.NewLossless(d, p)
		var buf []byte
		for range *manyWords {
			word := randomWord(rng)
			in, ok := d.Decode(word)
			if !ok {
				t.Fatalf("%s is not an instruction", word)
			}
			if buf, ok = lossless.Append(buf[:0], in); !ok {
				t.Fatalf("%s has no text", word)
			}
			res, err := p.ParseBytes(buf)
			if err != nil {
				t.Fatalf("%s: %s: %v", word, buf, err)
			}
			if res.Inst.Bits != word {
				t.Fatalf("%s: %s is %s", word, buf, res.Inst.Bits)
			}
		}
	}
}

// randomWord returns a word that is random throughout, or one whose operations are random and whose
// other fields are those of a NOP or random, each.
func randomWord(rng *rand.Rand) bits.Value {
	word := bits.Value{rng.Uint64(), rng.Uint64()}
	if rng.IntN(2) == 0 {
		return word
	}
	for _, f := range []struct {
		low, width int
		usual      uint64
	}{
		{1, 1, 0}, {2, 5, 31}, {7, 6, 63}, {13, 4, 0}, {17, 4, 0}, {21, 17, 0x1b00}, {38, 17, 0x1b00}, {55, 17, 0x1b00}, {72, 4, 0},
		{76, 10, 0}, {96, 2, 0}, {98, 8, 0x1b}, {106, 3, 0}, {109, 1, 0}, {110, 1, 0}, {111, 6, 63}, {117, 3, 0}, {120, 1, 0}, {121, 7, 0},
	} {
		if rng.IntN(3) > 0 {
			word.SetUint(f.low, f.width, f.usual)
		}
	}
	return word
}
