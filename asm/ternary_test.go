package asm

import (
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// TestJoin checks that join keeps the bits that are known and equal in both values.
func TestJoin(t *testing.T) {
	for _, c := range []struct{ x, y, want ternary }{
		{ternary{0, 3}, exactly(3), ternary{0, 3}},
		{exactly(3), ternary{0, 3}, ternary{0, 3}},
		{exactly(5), exactly(4), ternary{4, 1}},
		{ternary{4, 2}, ternary{4, 8}, ternary{4, 10}},
	} {
		if got := c.x.join(c.y); got != c.want {
			t.Errorf("%x or %x is %x, want %x", c.x, c.y, got, c.want)
		}
	}
}

// TestWhole evaluates expressions of X, which has four bits. Only the lowest bit is known, and is 1. Bitwise evaluation
// determines some bits of each expression. Otherwise the values are unknown.
func TestWhole(t *testing.T) {
	field := func(low, width int) *model.Ref {
		return &model.Ref{Low: low, At: low, Width: width, Field: &spec.Field{Parts: []bits.Part{{Low: low, Width: width}}}}
	}
	name := func(alts ...model.Alt) *model.Node { return &model.Node{Op: spec.OpField, Alts: alts} }
	number := func(v uint64) *model.Node { return &model.Node{Op: spec.OpConst, Value: v} }
	x := name(model.Alt{Ref: field(0, 4)})
	p := &Parser{}
	p.scopes = []scope{{up: -1, size: 4}}
	p.spaces[spaceWord].val, p.spaces[spaceWord].known = bits.Of(1), bits.Of(1)
	for _, c := range []struct {
		what string
		n    *model.Node
		want ternary
	}{
		{"X", x, ternary{1, 14}},
		{"!X", &model.Node{Op: spec.OpNot, X: x}, exactly(0)},
		{"X && 1", &model.Node{Op: spec.OpAndAnd, X: x, Y: number(1)}, exactly(1)},
		{"X & 1", &model.Node{Op: spec.OpAnd, X: x, Y: number(1)}, exactly(1)},
		{"X & 0", &model.Node{Op: spec.OpAnd, X: x, Y: number(0)}, exactly(0)},
		{"X >> 1 ? 5 : 5", &model.Node{Op: spec.OpCond, X: &model.Node{Op: spec.OpShr, X: x, Y: number(1)}, Y: number(5), Z: number(5)}, exactly(5)},
		{"bit 0 of X in all cases", name(model.Alt{Cond: &model.Prog{Root: name(model.Alt{Ref: field(1, 1)})}, Ref: field(0, 1)}, model.Alt{Ref: field(0, 1)}), exactly(1)},
	} {
		if got := p.ternary(c.n, 0); got != c.want {
			t.Errorf("%s is %x, want %x", c.what, got, c.want)
		}
		if v, known := p.eval(c.n, 0); known {
			t.Errorf("%s is %d as a whole, want nothing known", c.what, v)
		}
	}
	if v, known := p.eval(name(model.Alt{Ref: field(0, 1)}), 0); v != 1 || !known {
		t.Errorf("bit 0 of X is %d, known %v, want 1", v, known)
	}
}
