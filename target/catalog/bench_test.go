package catalog_test

import (
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// sample returns a decoder of a machine with full tables, and instructions of each of its leaves in which
// nothing is found.
func sample(tb testing.TB, m catalog.Machine) (*isa.Decoder, []isa.Inst) {
	tb.Helper()
	set, err := m.Load(isa.Options{})
	if err != nil {
		tb.Fatal(isa.Explain(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		tb.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i, t := range set.Tables() {
		table := make([]bits.Value, t.Size)
		for k := range table {
			table[k] = bits.Of(r.Uint64()).And(bits.Ones(t.Bits))
		}
		d.SetTable(i, table)
	}
	var list []isa.Inst
	var text []byte
	for range 40 {
		for _, l := range d.Root().Leaves {
			v := bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
			in, ok := d.Decode(v.AndNot(l.Mask.Or(l.DontCare).Or(l.Asserted())).Or(l.Match).And(bits.Ones(l.Size)))
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
		{"layout", func(in isa.Inst) { fields = d.Layout(fields[:0], in) }},
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
			if n := testing.AllocsPerRun(1, func() {
				for _, in := range list {
					k.do(in)
				}
			}); n > 0 {
				t.Errorf("%s: %s of %d instructions allocates %v times", m.Name, k.name, len(list), n)
			}
		}
	}
}

func BenchmarkKnowing(b *testing.B) {
	for _, m := range catalog.Machines() {
		d, list := sample(b, m)
		for _, k := range knowing(d) {
			b.Run(m.Name+"/"+k.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for _, in := range list {
						k.do(in)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(list)), "ns/inst")
			})
		}
	}
}
