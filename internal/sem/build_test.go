package sem

import (
	"fmt"
	"math"
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

// leaves returns a builder with two values of a type, and a function that computes a value from them.
func leaves(t *testing.T, typ Type) (b *builder, x, y ID, value func(id ID, v, w uint64) uint64) {
	b = newBuilder()
	t.Cleanup(b.release)
	for range 2 {
		leaf := blank(OpParam).Typed(typ, Type{})
		b.push(&leaf)
	}
	value = func(id ID, v, w uint64) uint64 {
		switch in := &b.insts[id]; {
		case id == 0:
			return v
		case id == 1:
			return w
		case in.Op == OpConst:
			return in.Imm
		default:
			var args [3]uint64
			for i, a := range [3]ID{in.A, in.B, in.C} {
				if a != NoID {
					args[i] = value(a, v, w)
				}
			}
			return Apply(in, args[0], args[1], args[2])
		}
	}
	return b, 0, 1, value
}

// TestRelated joins two comparisons of the same numbers, each also negated and the other way round. NaN is neither less nor equal.
func TestRelated(t *testing.T) {
	float := func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	values := map[Type][]uint64{
		{Kind: Uint, Width: 2}: {0, 1, 2, 3},
		{Kind: Sint, Width: 2}: {0, 1, 2, 3},
		F32:                    {float(0), 1 << 31, float(1), float(-2), float(math.Inf(1)), float(math.NaN())},
	}
	for typ, list := range values {
		b, x, y, value := leaves(t, typ)
		var all []ID
		for _, op := range []Op{OpEq, OpNe, OpLt, OpLe} {
			for _, p := range [2][2]ID{{x, y}, {y, x}} {
				id := b.op(op, BoolType, typ, 0, p[0], p[1])
				all = append(all, id, b.not(id))
			}
		}
		joins := map[Op]int{}
		for _, first := range all {
			for _, second := range all {
				for _, op := range []Op{OpAnd, OpOr} {
					id := b.op(op, BoolType, BoolType, 0, first, second)
					if b.insts[id].Op == op {
						joins[op]++
					}
					for _, v := range list {
						for _, w := range list {
							p, q := value(first, v, w), value(second, v, w)
							want := p & q
							if op == OpOr {
								want = p | q
							}
							if got := value(id, v, w); got != want {
								t.Fatalf("%s: %s of %v and %v: %d for %#x and %#x, expected %d", typ, op, b.insts[first], b.insts[second], got, v, w, want)
							}
						}
					}
				}
			}
		}
		if typ.integer() && len(joins) > 0 {
			t.Errorf("%s: comparisons remain joined: %v", typ, joins)
		}
	}
}

// TestOverChoice computes with a choice of constants: a choice between two numbers by a comparison, and one that is in another.
func TestOverChoice(t *testing.T) {
	typ := Type{Kind: Uint, Width: 2}
	for _, op := range []Op{OpEq, OpNe, OpLt, OpLe, OpAnd, OpOr, OpXor, OpShl, OpShr, OpSlice, OpCast} {
		for n := range uint64(64) {
			b, x, y, value := leaves(t, typ)
			number := func(k uint64) ID { return b.constant(typ, n>>(2*k)) }
			choice := func(cond, first, second ID) ID { return b.op(OpSelect, typ, typ, 0, cond, first, second) }
			inner := choice(b.op(OpLt, BoolType, typ, 0, x, y), number(0), number(1))
			for _, arg := range []ID{inner, choice(b.op(OpEq, BoolType, typ, 0, x, y), number(1), inner)} {
				result, args, imm := typ, []ID{arg, number(2)}, uint64(0)
				switch op {
				case OpEq, OpNe, OpLt, OpLe:
					result = BoolType
				case OpSlice:
					result, args, imm = Type{Kind: Uint, Width: 1}, args[:1], n>>4&1
				case OpCast:
					result, args = Type{Kind: Uint, Width: 4}, args[:1]
				}
				id := b.op(op, result, typ, imm, args...)
				direct := blank(op).Typed(result, typ)
				direct.Imm = imm
				for v := range uint64(4) {
					for w := range uint64(4) {
						if got, want := value(id, v, w), Apply(&direct, value(arg, v, w), n>>4&3, 0); got != want {
							t.Fatalf("%s with the numbers %#x: %d for %d and %d, expected %d", op, n, got, v, w, want)
						}
					}
				}
			}
		}
	}
}

// TestPart takes bits of sums and products of extended numbers, and of concatenations.
func TestPart(t *testing.T) {
	typ := Type{Kind: Uint, Width: 3}
	b, x, y, value := leaves(t, typ)
	narrow := 0
	for all := 3; all <= 6; all++ {
		for _, op := range []Op{OpAdd, OpSub, OpMul, OpConcat} {
			for _, extend := range []Op{OpCast, OpSext} {
				wide := Type{Kind: Uint, Width: all}
				from, args := wide, []ID{b.op(extend, wide, typ, 0, x), b.op(extend, wide, typ, 0, y)}
				if op == OpConcat {
					wide.Width, from, args = 6, typ, []ID{x, y}
				}
				whole := b.op(op, wide, from, 0, args...)
				for low := range wide.Width {
					for width := 1; low+width <= wide.Width; width++ {
						id := b.op(OpSlice, Type{Kind: Uint, Width: width}, wide, uint64(low), whole)
						if in := b.insts[id]; in.Op == op && in.Type().Width < all {
							narrow++
						}
						for v := range uint64(8) {
							for w := range uint64(8) {
								if got, want := value(id, v, w), value(whole, v, w)>>low&(1<<width-1); got != want {
									t.Fatalf("bits %d to %d of %s in %d bits: %d for %d and %d, expected %d", low, low+width-1, op, all, got, v, w, want)
								}
							}
						}
					}
				}
			}
		}
	}
	if narrow == 0 {
		t.Error("no sum or product became narrower")
	}
}
