package tesla_test

import (
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
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

func BenchmarkPrint(b *testing.B) {
	s := load(b)
	d, err := s.NewDecoder("")
	if err != nil {
		b.Fatal(err)
	}
	insts := benchInsts(b, d)
	var text []byte
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		text = d.Append(text[:0], insts[n%len(insts)])
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "inst/s")
}

func BenchmarkParse(b *testing.B) {
	s := load(b)
	d, err := s.NewDecoder("")
	if err != nil {
		b.Fatal(err)
	}
	p, err := asm.New(s, "")
	if err != nil {
		b.Fatal(err)
	}
	var lines [][]byte
	for _, in := range benchInsts(b, d) {
		lines = append(lines, d.Append(nil, in))
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, err := p.ParseBytes(lines[n%len(lines)]); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "inst/s")
}

// benchInsts returns the compute instructions among the rows.
func benchInsts(b *testing.B, d *isa.Decoder) []isa.Inst {
	b.Helper()
	var insts []isa.Inst
	for _, r := range readRows(b) {
		if in, ok := d.Decode(r.word); ok && r.stage == "cp" {
			insts = append(insts, in)
		}
	}
	return insts
}
