package sem

import (
	"fmt"
	"testing"
)

// TestSimplerBits extends or cuts an integer twice, for all widths up to 9 bits. The single operation that remains has the
// value of the two operations, and no operation remains if the second one restores the integer.
func TestSimplerBits(t *testing.T) {
	const most = 9
	number := func(width int) Type { return Type{Kind: Uint, Width: width} }
	check := func(first, second Op, from, between, to, low int) {
		b := newBuilder()
		defer b.release()
		leaf := blank(OpLane).Typed(number(from), Type{})
		b.push(&leaf)
		inner := b.op(first, number(between), number(from), 0, 0)
		outer := b.op(second, number(to), number(between), uint64(low), inner)
		name := fmt.Sprintf("%s from %d to %d bits, then %s from bit %d to %d bits", first, from, between, second, low, to)
		if from == to && low == 0 && between >= from && outer != 0 {
			t.Errorf("%s: %s remains", name, b.insts[outer].Op)
		}
		one, two := blank(first).Typed(number(between), number(from)), blank(second).Typed(number(to), number(between))
		two.Imm = uint64(low)
		for v := range uint64(1) << from {
			want := Apply(&two, Apply(&one, v, 0, 0), 0, 0)
			got := v
			for _, id := range chain(b, outer) {
				got = Apply(&b.insts[id], got, 0, 0)
			}
			if got != want {
				t.Fatalf("%s: %#x becomes %#x, expected %#x", name, v, got, want)
			}
		}
	}
	for from := 1; from <= most; from++ {
		for between := 1; between <= most; between++ {
			for to := 1; to <= most; to++ {
				for _, first := range []Op{OpCast, OpSext} {
					if first == OpSext && between < from {
						continue // a sign is only extended
					}
					check(first, OpCast, from, between, to, 0)
					for low := 0; low+to <= between; low++ {
						check(first, OpSlice, from, between, to, low)
					}
				}
			}
		}
	}
}

// chain returns the operations between the first one and a value, in order.
func chain(b *builder, id ID) []ID {
	if id == 0 {
		return nil
	}
	return append(chain(b, b.insts[id].A), id)
}
