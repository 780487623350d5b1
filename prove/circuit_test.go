package prove

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

var binary = []spec.Op{
	spec.OpOrOr, spec.OpAndAnd, spec.OpOr, spec.OpXor, spec.OpAnd, spec.OpEq, spec.OpNe, spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe,
	spec.OpShl, spec.OpShr, spec.OpAdd, spec.OpSub, spec.OpMul, spec.OpDiv, spec.OpMod, spec.OpNot, spec.OpInv, spec.OpNeg, spec.OpComma,
}

// extended extends a value from its type to 64 bits, as an operator expects it.
func extended(t spec.Type, v uint64) uint64 {
	switch t {
	case spec.I32:
		return uint64(int64(int32(v)))
	case spec.U32:
		return uint64(uint32(v))
	}
	return v
}

func typedNode(t *rapid.T) (*model.Node, uint64, uint64) {
	types := rapid.SampledFrom([]spec.Type{spec.I32, spec.U32, spec.I64, spec.U64})
	numbers := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 70), rapid.SampledFrom([]uint64{1 << 31, 1 << 63, 1<<63 - 1, ^uint64(0), 1<<32 - 1}))
	tx, ty := types.Draw(t, "tx"), types.Draw(t, "ty")
	n := &model.Node{Op: rapid.SampledFrom(binary).Draw(t, "op"), Type: types.Draw(t, "t"), X: &model.Node{Type: tx}, Y: &model.Node{Type: ty}}
	return n, extended(tx, numbers.Draw(t, "x")), extended(ty, numbers.Draw(t, "y"))
}

// TestApply compares the circuits with the results of the decoder.
func TestApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, x, y := typedNode(t)
		got, ok := (&world{Circuit: circuit.New()}).apply(n, constant(x), constant(y)).Value()
		if want := model.Apply(n, x, y); !ok || got != want {
			t.Fatalf("op %d type %d of %#x and %#x: got %#x, want %#x", n.Op, n.Type, x, y, got, want)
		}
	})
}

// TestSatisfyFindsOperand requires that satisfy finds an operand, of which eight bits are unknown, for
// a given result of an operator.
func TestSatisfyFindsOperand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, x, y := typedNode(t)
		x &= 0xff
		c := &world{Circuit: circuit.New()}
		in := constant(0)
		for i := range 8 {
			in[i] = c.Input()
		}
		goal := c.And(c.Equal(c.apply(n, in, constant(y)), constant(model.Apply(n, x, y))), c.IsSet(in))
		a, ans := c.Satisfy(goal)
		if x == 0 {
			return
		}
		if ans != circuit.Sometimes {
			t.Fatalf("op %d: answer %d", n.Op, ans)
		}
		var found uint64
		for i := range 8 {
			if a.Value(in[i]) {
				found |= 1 << i
			}
		}
		if model.Apply(n, found, y) != model.Apply(n, x, y) {
			t.Fatalf("op %d of %#x: %#x is not a solution", n.Op, y, found)
		}
	})
}
