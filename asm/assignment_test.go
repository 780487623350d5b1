package asm

import (
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// newAssignment returns the assignment of a word of size bits. None of the bits is known.
func newAssignment(size int) *assignment {
	a := &assignment{}
	a.nspaces, a.scopes = spaceTable, []scope{{up: -1, size: size}}
	return a
}

// TestAssignment checks that setting a known bit to the same value does nothing, that setting it to the other value
// fails, and that undo makes the bits unknown that were set since a mark of the trail.
func TestAssignment(t *testing.T) {
	a := newAssignment(128)
	word := &a.spaces[spaceWord]
	if !a.setSome(spaceWord, 60, 8, 0x5a, 0xff, 0) { // across two limbs: 0xa in the first, 0x5 in the second
		t.Fatal("unknown bits could not be set")
	}
	if want := (bits.Value{0xa << 60, 5}); word.val != want || word.known != bits.Range(60, 8) {
		t.Errorf("%s of %s, want %s", word.val, word.known, want)
	}
	mark := len(a.trail)
	if !a.setSome(spaceWord, 60, 8, 0x5a, 0xff, 0) || len(a.trail) != mark {
		t.Error("setting the same again is not nothing")
	}
	if a.setSome(spaceWord, 67, 1, 1, 1, 0) {
		t.Error("bit 67, which is 0, became 1")
	}
	if !a.setSome(spaceWord, 64, 8, 0xf5, 0xff, 0) {
		t.Fatal("bits 64 to 71 could not become 0xf5")
	}
	if a.undo(mark); word.known != bits.Range(60, 8) || word.val != (bits.Value{0xa << 60, 5}) {
		t.Errorf("%s of %s after undoing", word.val, word.known)
	}
}

// TestScopePieces checks that a field of a nested value in two pieces is mapped to these pieces of the word, the most
// significant first.
func TestScopePieces(t *testing.T) {
	a := newAssignment(32)
	outer := &a.scopes[0]
	low, parts := outer.place([]bits.Part{{Low: 20, Width: 4}, {Low: 8, Width: 4}}) // bits 7..4 and 3..0 of the value
	nested := scope{space: spaceWord, low: low, size: 8, parts: parts}
	if !a.setPieces(&nested, []bits.Part{{Low: 2, Width: 4}}, bits.Of(0b1001), bits.Ones(4), 0) {
		t.Fatal("bits 5..2 of the value could not be set")
	}
	if got, want := a.spaces[spaceWord], bits.Of(0b10<<20|0b01<<10); got.val != want || got.known != bits.Of(0b11<<20|0b11<<10) {
		t.Errorf("%s of %s, want %s", got.val, got.known, want)
	}
}

// fieldNode returns the expression of a field of the word.
func fieldNode(low, width int) *model.Node {
	ref := &model.Ref{Kind: spec.KindUint, Low: low, At: low, Width: width, Field: &spec.Field{Parts: []bits.Part{{Low: low, Width: width}}}}
	return &model.Node{Op: spec.OpField, Alts: []model.Alt{{Ref: ref}}}
}

// TestSolver checks that the solver inverts an operator if one operand is known, and otherwise searches.
func TestSolver(t *testing.T) {
	x, y := fieldNode(0, 4), fieldNode(4, 4)
	op := func(op spec.Op, x, y *model.Node) *model.Node { return &model.Node{Op: op, X: x, Y: y} }
	number := func(v uint64) *model.Node { return &model.Node{Op: spec.OpConst, Value: v} }
	for _, c := range []struct {
		what string
		n    *model.Node
		want uint64
		word uint64 // the smallest word; above 0xff for none
	}{
		{"X + 3 == 10", op(spec.OpAdd, x, number(3)), 10, 7},
		{"X - 3 == 10", op(spec.OpSub, x, number(3)), 10, 13},
		{"X * 3 == 15", op(spec.OpMul, x, number(3)), 15, 5},
		{"X * 3 == 16", op(spec.OpMul, x, number(3)), 16, 1 << 8},
		{"X + 3 == 20", op(spec.OpAdd, x, number(3)), 20, 1 << 8},
		{"X << 2 == 12", op(spec.OpShl, x, number(2)), 12, 3},
		{"X * Y == 91, which is 7 times 13", op(spec.OpMul, x, y), 91, 0x7d},
		{"X + Y == 30", op(spec.OpAdd, x, y), 30, 0xff},
		{"X + Y == 31", op(spec.OpAdd, x, y), 31, 1 << 8},
	} {
		s := &solver{assignment: *newAssignment(8)}
		ok := s.addConstraint(&constraint{prog: &model.Prog{Root: c.n}, kind: wantValue, value: c.want, mask: ^uint64(0)}, 0) && s.solve()
		switch got := s.spaces[spaceWord].val; {
		case ok != (c.word < 1<<8):
			t.Errorf("%s: solved %v", c.what, ok)
		case ok && got != bits.Of(c.word):
			t.Errorf("%s: %s, want %02x", c.what, got, c.word)
		}
	}
}
