package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/alloctest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// fillTables gives a decoder full tables of random entries.
func fillTables(d *isa.Decoder, r *rand.Rand) {
	for i, t := range d.Set().Tables() {
		table := make([]bits.Value, t.Size)
		for k := range table {
			table[k] = bits.Of(r.Uint64()).And(bits.Ones(t.Bits))
		}
		d.SetTable(i, table)
	}
}

// sample returns a decoder of a machine with full tables, and instructions of each of its leaves in which
// nothing is found.
func sample(tb testing.TB, m catalog.Machine) (*isa.Decoder, []isa.Inst) {
	tb.Helper()
	set, err := m.Load(isa.Options{})
	if err != nil {
		tb.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		tb.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	fillTables(d, r)
	var list []isa.Inst
	var text []byte
	for range 40 {
		for _, l := range d.Root().Leaves {
			v := bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
			in, ok := d.Decode(v.AndNot(l.Mask.Or(l.DontCare).Or(l.AssertedBits())).Or(l.Match).And(bits.Ones(l.Size)))
			if !ok {
				continue
			}
			if text = d.Append(text[:0], in); len(d.Findings()) == 0 {
				list = append(list, in)
			}
		}
	}
	if len(list) > 48 {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list = list[:48]
	}
	return d, list
}

// knowing are the ways to ask about an instruction, printing first.
func knowing(d *isa.Decoder) []struct {
	name string
	do   func(in isa.Inst)
} {
	var text []byte
	var tokens []isa.Token
	var fields []isa.Field
	var operands []isa.Operand
	var flows []isa.Flow
	return []struct {
		name string
		do   func(in isa.Inst)
	}{
		{"print", func(in isa.Inst) { text = d.Append(text[:0], in) }},
		{"operands", func(in isa.Inst) { operands = d.Operands(operands[:0], in) }},
		{"tokens", func(in isa.Inst) { text, tokens = d.AppendTokens(text[:0], tokens[:0], in) }},
		{"fields", func(in isa.Inst) { fields = d.Fields(fields[:0], in) }},
		{"layout", func(in isa.Inst) { fields = d.FieldValues(fields[:0], in) }},
		{"flows", func(in isa.Inst) { flows = d.Flows(flows[:0], in) }},
		{"mnemonic", func(in isa.Inst) { d.Mnemonic(in) }},
	}
}

// TestKnowingAllocates asks about instructions of each machine, for the second time without allocating.
func TestKnowingAllocates(t *testing.T) {
	for _, m := range catalog.Machines() {
		d, list := sample(t, m)
		for _, k := range knowing(d) {
			for range 120 { // texts are kept once they have been asked for often
				for _, in := range list {
					k.do(in)
				}
			}
			alloctest.None(t, fmt.Sprintf("%s: %s of %d instructions", m.Name, k.name, len(list)), 1, func() {
				for _, in := range list {
					k.do(in)
				}
			})
		}
	}
}

// programs returns different instructions as programs have them: few values in a field or two of few others.
func programs(d *isa.Decoder, list []isa.Inst) (out []isa.Inst) {
	r := rand.New(rand.NewPCG(3, 4))
	var values [8]uint64
	for i := range values {
		values[i] = r.Uint64() >> r.IntN(64)
	}
	seen := map[bits.Value]bool{}
	for range 8000 {
		in := list[r.IntN(min(12, len(list)))]
		fields := d.FieldValues(nil, in)
		for range min(2, len(fields)) {
			f := &fields[r.IntN(len(fields))]
			if len(f.Parts) == 1 && f.Table == "" && f.Parts[0].Width <= 16 {
				in.Bits.SetUint(f.Parts[0].Low, f.Parts[0].Width, values[r.IntN(len(values))])
			}
		}
		if in, ok := d.Decode(in.Bits); ok && !seen[in.Bits] {
			seen[in.Bits] = true
			out = append(out, in)
		}
	}
	return out
}

// random returns different instructions of all leaves, whose other bits are random.
func random(d *isa.Decoder) (out []isa.Inst) {
	r := rand.New(rand.NewPCG(5, 6))
	leaves := d.Root().Leaves
	for range 20_000 {
		l := leaves[r.IntN(len(leaves))]
		v := bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
		if in, ok := d.Decode(v.AndNot(l.Mask.Or(l.DontCare)).Or(l.Match).And(bits.Ones(l.Size))); ok {
			out = append(out, in)
		}
	}
	return out
}

// BenchmarkKnowing asks about different instructions that were all seen before, as programs have them and random ones.
// Whatever is asked should take at most three times as long as printing.
func BenchmarkKnowing(b *testing.B) {
	for _, m := range catalog.Machines() {
		d, list := sample(b, m)
		for _, words := range []struct {
			name string
			list []isa.Inst
		}{{"programs", programs(d, list)}, {"random", random(d)}} {
			for _, k := range knowing(d) {
				b.Run(m.Name+"/"+words.name+"/"+k.name, func(b *testing.B) {
					for _, in := range words.list {
						k.do(in)
					}
					b.ReportAllocs()
					for b.Loop() {
						for _, in := range words.list {
							k.do(in)
						}
					}
					b.ReportMetric(float64(b.N*len(words.list))/b.Elapsed().Seconds()/1e6, "Minst/s")
				})
			}
		}
	}
}
