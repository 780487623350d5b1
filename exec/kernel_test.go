package exec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/internal/sem"
)

// ops are operations with the number of their arguments.
var ops = []struct {
	op   sem.Op
	args int
}{
	{sem.OpAdd, 2}, {sem.OpSub, 2}, {sem.OpMul, 2}, {sem.OpMulHigh, 2}, {sem.OpDiv, 2}, {sem.OpMod, 2}, {sem.OpFma, 3}, {sem.OpSqrt, 1},
	{sem.OpExp2, 1}, {sem.OpLog2, 1}, {sem.OpSin, 1}, {sem.OpCos, 1}, {sem.OpRint, 1}, {sem.OpNeg, 1}, {sem.OpNot, 1}, {sem.OpAnd, 2}, {sem.OpOr, 2},
	{sem.OpXor, 2}, {sem.OpShl, 2}, {sem.OpShr, 2}, {sem.OpMin, 2}, {sem.OpMax, 2}, {sem.OpEq, 2}, {sem.OpNe, 2}, {sem.OpLt, 2}, {sem.OpLe, 2},
	{sem.OpSelect, 3}, {sem.OpCast, 1}, {sem.OpFlush, 1}, {sem.OpSlice, 1}, {sem.OpProduct, 2}, {sem.OpConvert, 1},
}

var types = []sem.Type{
	{Kind: sem.Uint, Width: 8}, {Kind: sem.Uint, Width: 32}, {Kind: sem.Uint, Width: 64}, {Kind: sem.Sint, Width: 16}, {Kind: sem.Sint, Width: 32},
	{Kind: sem.Float, Width: 32}, {Kind: sem.Float, Width: 64}, {Kind: sem.Float, Width: 16}, {Kind: sem.Bool, Width: 1},
}

// fits reports whether an operation is one of the type.
func fitsType(op sem.Op, t sem.Type) bool {
	whole := t.Kind == sem.Uint || t.Kind == sem.Sint
	switch op {
	case sem.OpSelect:
		return true
	case sem.OpNot, sem.OpAnd, sem.OpOr, sem.OpXor:
		return t.Kind != sem.Float
	case sem.OpFlush:
		return t.Width == 32 && t.Kind != sem.Sint
	case sem.OpProduct:
		return t.Kind == sem.Float && t.Width == 32
	case sem.OpFma, sem.OpSqrt, sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos, sem.OpRint:
		return t.Kind == sem.Float
	case sem.OpMulHigh, sem.OpMod, sem.OpShl, sem.OpShr, sem.OpMin, sem.OpMax, sem.OpSlice, sem.OpCast:
		return whole
	}
	return t.Kind != sem.Bool
}

// Each operation on a wave gives in each lane what Apply gives, whatever does it: under a mask too, and where
// all lanes have the same value.
func TestKernels(t *testing.T) {
	m := parse(t, `<isa strict="true"><register name="spare" type="u8"/><bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/><semantics>spare = 1;</semantics></bitset></isa>`)
	r := rand.New(rand.NewPCG(3, 4))
	for _, o := range ops {
		for _, typ := range types {
			if !fitsType(o.op, typ) {
				continue
			}
			rounds := 6
			if o.op == sem.OpConvert { // into each type, in each mode
				rounds = 200
			}
			for round := range rounds {
				checkKernel(t, m, r, o.op, o.args, typ, round)
			}
		}
	}
}

func checkKernel(t *testing.T, m *machine, r *rand.Rand, op sem.Op, args int, typ sem.Type, round int) {
	t.Helper()
	result, from := typ, typ
	var imm uint64
	switch op {
	case sem.OpEq, sem.OpNe, sem.OpLt, sem.OpLe:
		result = sem.BoolType
	case sem.OpProduct:
		imm = uint64(round % 2)
	case sem.OpConvert:
		if result, imm = types[r.IntN(len(types)-1)], uint64(r.IntN(5)); result.Kind != sem.Float && typ.Kind != sem.Float {
			imm = 0
		}
	case sem.OpSlice:
		result, imm = sem.Type{Kind: sem.Uint, Width: 5}, 2
	case sem.OpCast:
		if result = (sem.Type{Kind: sem.Uint, Width: min(typ.Width, 12)}); round%3 == 0 {
			result.Width = typ.Width
		}
		if round == 3 && (typ.Width == 32 || typ.Width == 64) {
			result.Kind = sem.Float
		}
	case sem.OpRint, sem.OpAdd, sem.OpMul, sem.OpFma, sem.OpSqrt, sem.OpDiv, sem.OpSub:
		if typ.Kind == sem.Float {
			imm = uint64(round % 5)
		}
	}
	states := make([]*sem.State, args+1)
	code := &sem.Code{Next: 1}
	ids := [3]sem.ID{sem.NoID, sem.NoID, sem.NoID}
	blank := sem.Inst{A: sem.NoID, B: sem.NoID, C: sem.NoID, Guard: sem.NoID}
	for i := range states {
		states[i] = &sem.State{Type: typ, Count: 1, Single: true, Scope: 1, Index: i, Name: string(rune('a' + i))}
		if op == sem.OpSelect && i == 0 {
			states[i].Type = sem.BoolType
		}
		if (op == sem.OpShl || op == sem.OpShr) && i == 1 {
			states[i].Type.Kind = sem.Uint
		}
		if i == args {
			states[i].Type = result
			continue
		}
		in := blank.Typed(states[i].Type, sem.Type{})
		in.Op, in.State = sem.OpRead, states[i]
		if round == 5 && i == args-1 { // a constant
			in.Op, in.State, in.Uniform, in.Imm = sem.OpConst, nil, true, 1
		}
		ids[i] = sem.ID(len(code.Insts))
		code.Insts = append(code.Insts, in)
	}
	in := sem.Inst{Op: op, Imm: imm, A: ids[0], B: ids[1], C: ids[2], Guard: sem.NoID}
	in = in.Typed(result, from)
	code.Insts = append(code.Insts, in)
	out := blank.Typed(result, sem.Type{})
	out.Op, out.State, out.B = sem.OpWrite, states[args], sem.ID(len(code.Insts)-1)
	code.Insts = append(code.Insts, out)
	if err := code.Verify(); err != nil {
		t.Fatal(err)
	}
	w := &Wave{Program: &Program{Machine: m.Machine}, width: Lanes, consts: map[uint64]*plane{}, resultPlanes: map[*sem.Inst][]*plane{}, findings: map[Finding]uint64{}}
	w.exists, w.whole, w.active = ^uint64(0), ^uint64(0), ^uint64(0)
	if round%2 == 1 {
		w.active = r.Uint64()
	}
	if round == 2 || round == 3 { // half as many lanes
		w.width = Lanes / 2
		w.exists, w.whole, w.active = w.exists>>32, w.whole>>32, w.active>>32
	}
	for _, s := range states {
		w.stores = append(w.stores, newStore(s, nil))
	}
	values := [3][Lanes]uint64{}
	for i := range args {
		for lane := range Lanes {
			v := randomBits(r, states[i].Type)
			if round == 5 && i == args-1 {
				v = 1
			}
			values[i][lane] = v
			w.stores[i].set(0, 0, lane, v)
		}
	}
	(&compiled{code: code}).run(w)
	for lane := range Lanes {
		want := sem.Canonical(sem.Apply(&in, values[0][lane], values[1][lane], values[2][lane]), result)
		if w.active>>uint(lane)&1 == 0 {
			want = 0
		}
		if got := sem.Canonical(w.stores[args].get(0, 0, lane), result); got != want {
			t.Fatalf("%s %s of %x, %x, %x (%d): %x, want %x", op, typ, values[0][lane], values[1][lane], values[2][lane], imm, got, want)
		}
	}
}

// randomBits makes values, among them those at which something happens.
func randomBits(r *rand.Rand, t sem.Type) uint64 {
	mask := ^uint64(0) >> uint(64-t.Width)
	if t.Kind == sem.Float && t.Width == 32 && r.IntN(2) == 0 {
		return uint64([]uint32{0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 1, 0x3f800000, 0x7f7fffff, math.Float32bits(-2.5)}[r.IntN(10)])
	}
	switch r.IntN(4) {
	case 0:
		return r.Uint64() & 7 & mask
	case 1:
		return ^(r.Uint64() & 3) & mask
	}
	return r.Uint64() & mask
}
