package catalog_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// TestOperandBits changes instructions of each machine by one bit. An operand stays what it is unless the bit is listed as
// its own, or as that of another operand, or makes the word another instruction or one with other operands.
func TestOperandBits(t *testing.T) {
	for _, m := range catalog.Machines() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			set, err := m.Load(isa.Options{})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			r := rand.New(rand.NewPCG(47, 1))
			for _, root := range set.Roots() {
				d, err := set.NewDecoder(root.Name)
				if err != nil {
					t.Fatal(err)
				}
				for i, x := range set.Tables() {
					table := make([]bits.Value, x.Size)
					for k := range table {
						table[k] = bits.Of(r.Uint64()).And(bits.Ones(x.Bits))
					}
					d.SetTable(i, table)
				}
				for range 6 {
					for _, l := range root.Leaves {
						v := bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
						in, ok := d.Decode(v.AndNot(l.Mask.Or(l.DontCare)).Or(l.Match).And(bits.Ones(l.Size)))
						if ok && !flipEach(t, d, in) {
							return
						}
					}
				}
			}
		})
	}
}

// mnemonics returns the mnemonics in the text of an instruction, of which it has one for each thing that it does.
func mnemonics(d *isa.Decoder, in isa.Inst) (list []string) {
	text, tokens := d.AppendTokens(nil, nil, in)
	for _, x := range tokens {
		if x.Kind == isa.TokenMnemonic {
			list = append(list, string(text[x.Start:x.End]))
		}
	}
	return list
}

// flipEach changes each bit of an instruction. It reports whether the operands changed as their bits say.
func flipEach(t *testing.T, d *isa.Decoder, in isa.Inst) bool {
	t.Helper()
	text, list := d.AppendOperands(nil, nil, in)
	all := make([]bits.Value, len(list))
	for i := range list {
		for _, b := range list[i].Bits {
			own := bits.Range(b.Low, b.Width)
			if b.Table < 0 {
				if twice := all[i].And(own); !twice.IsZero() {
					t.Errorf("%s: %s lists bits twice: %v", text, list[i].Name, list[i].Bits)
				}
				all[i] = all[i].Or(own)
			}
		}
	}
	for b := range in.Leaf.Size {
		v := in.Bits.Xor(bits.Range(b, 1))
		other, ok := d.Decode(v)
		if !ok || other.Leaf != in.Leaf || slices.ContainsFunc(all, func(m bits.Value) bool { return m.Bit(b) == 1 }) {
			continue
		}
		otherText, others := d.AppendOperands(nil, nil, other)
		if !slices.EqualFunc(list, others, func(x, y isa.Operand) bool { return x.Name == y.Name }) || !slices.Equal(mnemonics(d, in), mnemonics(d, other)) {
			continue
		}
		for i := range list {
			x, y := list[i], others[i]
			same := string(text[x.Start:x.End]) == string(otherText[y.Start:y.End])
			entry := func(b isa.BitRange) bool { return b.Table >= 0 }
			if slices.ContainsFunc(x.Bits, entry) || slices.ContainsFunc(y.Bits, entry) {
				continue // which follows the number of the entry
			}
			x.Start, x.End, y.Start, y.End = 0, 0, 0, 0
			if !same || !reflect.DeepEqual(x, y) {
				t.Errorf("%s %s (%v): bit %d makes operand %s of %q one of %q; its bits are %v", in.Leaf.Name, in.Bits, d.Root().Name, b, x.Name, text, otherText, x.Bits)
				return false
			}
		}
	}
	return true
}
