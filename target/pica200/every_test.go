package pica200_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

var every = flag.Uint64("every", 10007, "TestEveryWord prints and reads one word of so many; 1 takes an hour and a half of two processors")

// TestEveryWord prints words under a table of descriptors and reads them back as the same bits. Words of one test have
// the same low bits, which number the descriptor in most instructions: operands come again, as they do in programs.
func TestEveryWord(t *testing.T) {
	const lowBits = 7
	set, err := pica200.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	table := make([]bits.Value, 1<<lowBits)
	for i := range table {
		table[i] = bits.Of(uint64(rng.Uint32() >> 1)) // without the ignored bit, of which each word would have a finding
	}
	for low := range uint64(1) << lowBits {
		t.Run(fmt.Sprintf("%02x", low), func(t *testing.T) {
			t.Parallel()
			r := newReader(t, set, table)
			for high := uint64(0); high < 1<<(32-lowBits); high += *every {
				if err := r.read(bits.Of(high<<lowBits | low)); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d words, %d of them told by their text alone, %d unknown", r.words, r.plain, r.unknown)
		})
	}
}

// reader prints words and reads them back.
type reader struct {
	decoder  *isa.Decoder
	parser   *asm.Parser
	lossless *asm.Lossless
	text     []byte
	// words counts those that were read, plain those whose text alone gives them, unknown those that are no instructions.
	words, plain, unknown int
}

func newReader(t *testing.T, set *isa.Set, table []bits.Value) *reader {
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	p, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	d.SetTable(0, table)
	p.Tables[0] = &asm.FixedTable{Entries: table}
	return &reader{decoder: d, parser: p, lossless: asm.NewLossless(d, p)}
}

// read prints a word, without loss where its text is that of another word too, and reads the text.
func (r *reader) read(word bits.Value) error {
	r.words++
	in, ok := r.decoder.Decode(word)
	if !ok {
		r.unknown++
		return nil
	}
	// The text alone does not tell ignored bits, which are findings.
	r.text = r.decoder.Append(r.text[:0], in)
	if r.decoder.NumFindings() == 0 {
		if res, err := r.parser.ParseBytes(r.text); err == nil && res.Inst.Bits == word {
			r.plain++
			return nil
		}
	}
	if r.text, ok = r.lossless.Append(r.text[:0], in); !ok {
		return fmt.Errorf("%s has no text", word)
	}
	res, err := r.parser.ParseBytes(r.text)
	if err != nil || res.Inst.Bits != word {
		return fmt.Errorf("%s: %s is %s, %v", word, r.text, res.Inst.Bits, err)
	}
	return nil
}
