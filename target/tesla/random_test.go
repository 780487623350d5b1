package tesla_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/benchtest"
	"github.com/isago/isago/isa"
)

// roundTrip prints words as source and reads them back.
type roundTrip struct {
	d    *isa.Decoder
	p    *asm.Parser
	l    *asm.Lossless
	text []byte
}

func newRoundTrip(tb testing.TB, s *isa.Set) *roundTrip {
	tb.Helper()
	d, err := s.NewDecoder("")
	if err != nil {
		tb.Fatal(err)
	}
	p, err := asm.New(s, "")
	if err != nil {
		tb.Fatal(err)
	}
	return &roundTrip{d: d, p: p, l: asm.NewLossless(d, p)}
}

func (m *roundTrip) set(ctx bits.Value) {
	m.d.SetContext(ctx)
	m.p.SetContext(ctx)
}

// check reports a word whose text does not give the word back. Unknown words have no text.
func (m *roundTrip) check(tb testing.TB, word bits.Value) (known bool) {
	in, ok := m.d.Decode(word)
	if !ok {
		return false
	}
	m.text, ok = m.l.Append(m.text[:0], in)
	if !ok {
		tb.Errorf("%x is %q, which does not give it back", in.Bits, m.d.Append(nil, in))
		return true
	}
	res, err := m.p.ParseBytes(m.text)
	if err != nil || res.Inst.Bits != in.Bits || res.Inst.Leaf.Size != in.Leaf.Size {
		tb.Errorf("%x is %q, which is read as %x of %d bits, %v", in.Bits, m.text, res.Inst.Bits, res.Inst.Leaf.Size, err)
	}
	return true
}

// TestRandomWords prints random words of each chip and stage and reads them back; -words says how many.
func TestRandomWords(t *testing.T) {
	s := load(t)
	m := newRoundTrip(t, s)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, chip := range []string{"g80", "g84", "g200", "mcp77", "gt215"} {
		for _, stage := range []string{"vp", "gp", "fp", "cp"} {
			m.set(context(t, s, chip, stage))
			known := 0
			for range *words {
				if m.check(t, bits.Of(rnd.Uint64())) {
					known++
				}
				if t.Failed() {
					t.Fatalf("on %s, %s", chip, stage)
				}
			}
			if known < *words/2 {
				t.Errorf("%s, %s: %d words of %d are known", chip, stage, known, *words)
			}
		}
	}
}

// TestContextsAlternate prints each word in another context than the one before, of which there are more than a decoder
// remembers, as decoders do that know one context alone.
func TestContextsAlternate(t *testing.T) {
	s := load(t)
	var contexts []bits.Value
	var own []*isa.Decoder
	for _, chip := range []string{"g80", "g84", "g200", "mcp77", "gt215"} {
		for _, stage := range []string{"vp", "gp", "fp", "cp"} {
			d := newRoundTrip(t, s).d
			contexts, own = append(contexts, context(t, s, chip, stage)), append(own, d)
			d.SetContext(contexts[len(contexts)-1])
		}
	}
	all := newRoundTrip(t, s).d
	rnd := rand.New(rand.NewPCG(7, 8))
	words := make([]bits.Value, 200)
	for i := range words {
		words[i] = bits.Of(rnd.Uint64())
	}
	tell := func(d *isa.Decoder, w bits.Value) []any {
		in, ok := d.Decode(w)
		if !ok {
			return []any{fmt.Sprint(d.Findings())}
		}
		text, tokens := d.AppendTokens(nil, nil, in)
		return []any{string(d.Append(nil, in)), fmt.Sprint(d.Findings()), string(text), tokens, d.Fields(nil, in), d.Operands(nil, in)}
	}
	for i := range 8_000 {
		at, w := rnd.IntN(len(contexts)), words[rnd.IntN(len(words))]
		if i%3 == 0 {
			at = i / 3 % 4 // some contexts more often
		}
		all.SetContext(contexts[at])
		if got, want := tell(all, w), tell(own[at], w); !reflect.DeepEqual(got, want) {
			t.Fatalf("%x:\n%v\nexpected\n%v", w, got, want)
		}
	}
}

// benchSize is the number of different instructions that benchmarks go through: more than a memo of texts holds.
const benchSize = 50_000

// BenchmarkPrint decodes and prints compute instructions that all differ.
func BenchmarkPrint(b *testing.B) {
	d, words := benchWords(b)
	benchtest.RunPrograms(b, 1, func() func(int) (int, int) {
		d, err := d.Set().NewDecoder("")
		if err != nil {
			b.Fatal(err)
		}
		text := make([]byte, 0, 1<<22)
		return func(int) (int, int) {
			text = text[:0]
			for _, w := range words {
				in, _ := d.Decode(w)
				text = append(d.Append(text, in), '\n')
			}
			return len(words), len(text)
		}
	})
}

// BenchmarkAssemble makes a program of such instructions, with a label at each fourth; the compiler is new each time.
func BenchmarkAssemble(b *testing.B) {
	d, words := benchWords(b)
	var text []byte
	for i, w := range words {
		if i%4 == 0 {
			text = fmt.Appendf(text, "l%d:\n", i)
		}
		in, _ := d.Decode(w)
		text = append(d.Append(text, in), '\n')
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := compile(b, string(text), "cp"); err != nil {
			b.Fatal(diag.Render(err))
		}
	}
	b.ReportMetric(float64(b.N*len(words))/b.Elapsed().Seconds()/1e6, "Minst/s")
}

// benchWords returns the compute instructions of the rows with other operands, so that no two are the
// same: in each some bits of fields are turned. Those whose text is one of an instruction are taken,
// pairs of short words together.
func benchWords(b *testing.B) (*isa.Decoder, []bits.Value) {
	b.Helper()
	m := newRoundTrip(b, load(b))
	rnd := rand.New(rand.NewPCG(3, 4))
	rows := readRows(b)
	seen := map[bits.Value]bool{}
	var words []bits.Value
	half := bits.Value{} // a short word that waits for another
	for len(words) < benchSize {
		w, ok := m.draw(rnd, &rows[rnd.IntN(len(rows))])
		if !ok || seen[w] {
			continue
		}
		seen[w] = true
		in, _ := m.d.Decode(w)
		switch {
		case in.Leaf.Size == m.d.Root().Size:
			words = append(words, w)
		case half.IsZero():
			half = w
		default:
			words, half = append(words, half, w), bits.Value{}
		}
	}
	return m.d, words
}

// benchPrograms returns compute instructions that all differ, of as few shapes as real programs have: 735 programs of 105,888
// lines have 3,208, one for 33 lines. Words are of one shape here whose texts differ in digits alone.
func benchPrograms(b *testing.B) (*isa.Decoder, []bits.Value) {
	b.Helper()
	const each = 33
	d, kinds := benchWords(b)
	p, err := asm.New(d.Set(), "")
	if err != nil {
		b.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	seen := map[bits.Value]bool{}
	var words []bits.Value
	for i := 0; len(words) < benchSize; i++ {
		kind, _ := d.Decode(kinds[i])
		shape := shapeOf(d.Append(nil, kind))
		for n, tries := 0, 0; n < each && tries < 20*each; tries++ {
			w := kinds[i]
			for range rnd.IntN(12) {
				at := rnd.IntN(kind.Leaf.Size)
				w.SetUint(at, 1, w.Uint(at, 1)^1)
			}
			in, ok := d.Decode(w)
			if !ok || seen[w] || in.Leaf.Size < d.Root().Size {
				continue
			}
			text := d.Append(nil, in)
			if res, err := p.ParseBytes(text); err != nil || res.Inst.Bits != w || len(d.Findings()) > 0 || shapeOf(text) != shape {
				continue
			}
			seen[w] = true
			words = append(words, w)
			n++
		}
	}
	rnd.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return d, words[:benchSize]
}

// shapeOf returns a text with one 0 in place of each run of digits.
func shapeOf(text []byte) string {
	var shape []byte
	for i, c := range text {
		digit := c-'0' < 10 || c >= 'a' && c <= 'f' && i > 0 && (text[i-1] == 'x' || shape[len(shape)-1] == '0')
		switch {
		case !digit:
			shape = append(shape, c)
		case len(shape) == 0 || shape[len(shape)-1] != '0':
			shape = append(shape, '0')
		}
	}
	return string(shape)
}

// draw turns bits of a row's fields. The text of the result gives it back, and needs no suffix.
func (m *roundTrip) draw(rnd *rand.Rand, r *row) (bits.Value, bool) {
	in, ok := m.d.Decode(r.word)
	if !ok || r.stage != "cp" {
		return r.word, false
	}
	word, known := in.Bits, in.Leaf.Mask.Or(in.Leaf.DontCare)
	for range 6 {
		at := rnd.IntN(in.Leaf.Size)
		if known.Uint(at, 1) == 0 {
			word.SetUint(at, 1, word.Uint(at, 1)^1)
		}
	}
	if in, ok = m.d.Decode(word); !ok {
		return word, false
	}
	m.text = m.d.Append(m.text[:0], in)
	res, err := m.p.ParseBytes(m.text)
	return res.Inst.Bits, err == nil && !bytes.Contains(m.text, []byte("?")) && len(m.d.Findings()) == 0
}
