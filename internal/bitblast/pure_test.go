package bitblast

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

func number(kind sem.Kind, width int) sem.Type { return sem.Type{Kind: kind, Width: width} }

// operation is a pure operation. A has the type from if that is not none, as the other arguments have.
type operation struct {
	op   sem.Op
	of   sem.Type
	args []sem.Type
	imm  uint64
}

// operations returns each pure operation with each kind of type, and with each rounding mode.
func operations() (list []operation) {
	boolean := sem.BoolType
	var integers []sem.Type
	for _, w := range []int{1, 7, 16, 24, 32, 64} {
		integers = append(integers, number(sem.Uint, w), number(sem.Sint, w))
	}
	floats := []sem.Type{number(sem.Float, 16), number(sem.Float, 32), number(sem.Float, 64)}
	logical := append([]sem.Type{boolean}, integers...)
	all := append(append([]sem.Type{}, logical...), floats...)
	add := func(op sem.Op, of sem.Type, imm uint64, args ...sem.Type) {
		list = append(list, operation{op: op, of: of, args: args, imm: imm})
	}
	for _, t := range all {
		add(sem.OpSplat, t, 0, t)
		add(sem.OpSelect, t, 0, boolean, t, t)
		for _, op := range []sem.Op{sem.OpEq, sem.OpNe} {
			add(op, boolean, 0, t, t)
		}
		for _, u := range all {
			add(sem.OpCast, t, 0, u)
			if t.Kind == sem.Uint && t.Width <= u.Width {
				add(sem.OpSlice, t, uint64(u.Width-t.Width), u)
			}
			if u.Kind == sem.Uint && t.Width > u.Width {
				add(sem.OpConcat, t, 0, u, number(sem.Uint, t.Width-u.Width))
			}
		}
	}
	for _, t := range logical {
		add(sem.OpNot, t, 0, t)
		add(sem.OpClz, sem.U32, 0, t)
		add(sem.OpPopcount, sem.U32, 0, t)
		for _, op := range []sem.Op{sem.OpAnd, sem.OpOr, sem.OpXor} {
			add(op, t, 0, t, t)
		}
	}
	for _, t := range integers {
		for _, op := range []sem.Op{sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpMulHigh, sem.OpDiv, sem.OpMod, sem.OpMin, sem.OpMax} {
			add(op, t, 0, t, t)
		}
		add(sem.OpNeg, t, 0, t)
		for _, op := range []sem.Op{sem.OpShl, sem.OpShr} {
			add(op, t, 0, t, sem.U32)
			add(op, t, 0, t, number(sem.Uint, 3))
		}
		for _, op := range []sem.Op{sem.OpLt, sem.OpLe} {
			add(op, boolean, 0, t, t)
		}
		for _, op := range []sem.Op{sem.OpCarry, sem.OpOverflow} {
			add(op, boolean, 0, t, t, boolean)
		}
		for _, u := range integers {
			add(sem.OpConvert, t, 0, u)
			if u.Width <= t.Width {
				add(sem.OpSext, t, 0, u)
			}
		}
	}
	for _, t := range floats {
		add(sem.OpNeg, t, 0, t)
		for _, op := range []sem.Op{sem.OpLt, sem.OpLe} {
			add(op, boolean, 0, t, t)
		}
		for _, op := range []sem.Op{sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos} {
			add(op, t, 0, t)
		}
		for mode := range uint64(sem.Away) + 1 {
			for _, op := range []sem.Op{sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpDiv} {
				add(op, t, mode, t, t)
			}
			add(sem.OpFma, t, mode, t, t, t)
			add(sem.OpSqrt, t, mode, t)
			add(sem.OpRint, t, mode, t)
			for _, u := range integers {
				add(sem.OpConvert, t, mode, u)
				add(sem.OpConvert, u, mode, t)
			}
			for _, u := range floats {
				if u != t {
					add(sem.OpConvert, t, mode, u)
				}
			}
		}
	}
	f32 := floats[1]
	add(sem.OpFlush, sem.U32, 0, sem.U32)
	add(sem.OpFlush, f32, 0, f32)
	add(sem.OpProduct, f32, 0, f32, f32)
	add(sem.OpProduct, f32, 1, f32, f32)
	return list
}

// argument returns a random value of a type: any, a small number, a number of the size of the type, or a special float.
func argument(rnd *rand.Rand, t sem.Type) uint64 {
	mask := ^uint64(0) >> (64 - t.Width)
	v := rnd.Uint64()
	if t.Kind == sem.Float {
		f := fractionBits(t.Width)
		exponent := uint64(bias(t.Width) + rnd.IntN(150) - 75)
		switch rnd.IntN(6) {
		case 0:
			exponent = uint64(rnd.IntN(3) - 1)
		case 1:
			exponent = uint64(2*bias(t.Width) + 1)
		case 2:
			return v & mask
		}
		v = v&(1<<f-1)&^(-uint64(rnd.IntN(2))<<rnd.IntN(f+1)) | exponent<<f | uint64(rnd.IntN(2))<<(t.Width-1)
		if rnd.IntN(8) == 0 {
			v &^= 1<<f - 1
		}
		return v & mask
	}
	switch rnd.IntN(5) {
	case 0:
		v %= 8
	case 1:
		v = -(v % 8)
	case 2:
		v = 1<<(t.Width-1) + v%3 - 1
	case 3:
		v >>= rnd.IntN(64)
	}
	return v & mask
}

// TestOperations compares the value of each pure operation with the one that sem.Apply gives.
func TestOperations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	exact := map[sem.Op]bool{}
	for _, o := range operations() {
		code := &sem.Code{}
		args := [3]sem.ID{sem.NoID, sem.NoID, sem.NoID}
		for i, a := range o.args {
			st := &sem.State{Name: fmt.Sprint(i), Type: a, Count: 1, Scope: spec.ScopeLane}
			code.Insts = append(code.Insts, sem.Inst{Op: sem.OpRead, A: sem.NoID, B: sem.NoID, C: sem.NoID, Guard: sem.NoID, State: st}.Typed(a, sem.Type{}))
			args[i] = sem.ID(i)
		}
		id := sem.ID(len(args[:len(o.args)]))
		in := sem.Inst{Op: o.op, A: args[0], B: args[1], C: args[2], Guard: sem.NoID, Imm: o.imm}.Typed(o.of, o.args[0])
		code.Insts = append(code.Insts, in)
		s := New(code, Options{})
		value := s.Value(id)
		if len(value) != o.of.Width {
			t.Fatalf("%s: %d bits", code, len(value))
		}
		exact[o.op] = exact[o.op] || len(s.opaque) == 0
		inputs, want, given := map[int]uint64{}, [64]uint64{}, [64][3]uint64{}
		for lane := range 64 {
			for i, a := range o.args {
				given[lane][i] = argument(rnd, a)
				if lane > 0 && rnd.IntN(3) == 0 {
					given[lane][i] = given[lane][0] & (^uint64(0) >> (64 - a.Width))
				}
				for k, l := range s.Value(sem.ID(i)) {
					inputs[l.Node()] |= given[lane][i] >> k & 1 << lane
				}
			}
			want[lane] = sem.Apply(&in, given[lane][0], given[lane][1], given[lane][2])
			for n, b := range s.opaque {
				inputs[n] |= want[lane] >> b.bit & 1 << lane
			}
		}
		got := s.Evaluate(inputs, value...)
		for lane := range 64 {
			v := uint64(0)
			for k := range got {
				v |= got[k] >> lane & 1 << k
			}
			if v != want[lane] {
				t.Errorf("%sof %#x: %#x, expected %#x", code, given[lane][:len(o.args)], v, want[lane])
				break
			}
		}
	}
	for _, op := range []sem.Op{sem.OpMul, sem.OpDiv, sem.OpRint, sem.OpConvert, sem.OpClz, sem.OpLe} {
		if !exact[op] {
			t.Errorf("%s is never exact", op)
		}
	}
}
