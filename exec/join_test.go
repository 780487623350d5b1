package exec

import (
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/internal/sem"
)

// What is done in one loop gives what its operations give one after another, by Apply.
func TestJoins(t *testing.T) {
	m := parse(t, `<isa strict="true"><register name="spare" type="u8"/><bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/><semantics>spare = 1;</semantics></bitset></isa>`)
	type op struct {
		op      sem.Op
		imm     uint64
		a, b, c sem.ID // 0 to 3 are what is read, 4 and so on the operations before
	}
	const none = sem.NoID
	rows := [][]op{
		{{sem.OpLt, 0, 0, 1, none}, {sem.OpSelect, 0, 4, 2, 3}},
		{{sem.OpLe, 0, 0, 1, none}, {sem.OpSelect, 0, 4, 0, 1}},
		{{sem.OpLe, 0, 1, 0, none}, {sem.OpMul, 0, 0, 1, none}, {sem.OpSelect, 0, 4, 5, 0}},
		{{sem.OpMul, 0, 0, 1, none}, {sem.OpAdd, 0, 4, 2, none}},
		{{sem.OpProduct, 0, 0, 1, none}, {sem.OpAdd, 0, 2, 4, none}},
		{{sem.OpProduct, 1, 0, 1, none}, {sem.OpFlush, 0, 2, none, none}, {sem.OpAdd, 0, 4, 5, none}},
		{{sem.OpFlush, 0, 2, none, none}, {sem.OpMul, 0, 0, 1, none}, {sem.OpAdd, 0, 4, 5, none}},
		{{sem.OpProduct, 1, 0, 1, none}, {sem.OpProduct, 0, 2, 3, none}, {sem.OpAdd, 0, 4, 5, none}},
		{{sem.OpProduct, 1, 0, 0, none}, {sem.OpAdd, 0, 4, 4, none}},
	}
	f32 := sem.Type{Kind: sem.Float, Width: 32}
	r := rand.New(rand.NewPCG(8, 9))
	for n, row := range rows {
		for round := range 8 {
			code := &sem.Code{Next: 1}
			var states []*sem.State
			for i := range 5 {
				states = append(states, &sem.State{Type: f32, Count: 1, Single: true, Scope: 1, Index: i, Name: string(rune('a' + i))})
			}
			for _, s := range states[:4] {
				code.Insts = append(code.Insts, sem.Inst{Op: sem.OpRead, State: s, A: none, B: none, C: none, Guard: none}.Typed(f32, sem.Type{}))
			}
			for _, o := range row {
				typ := f32
				if o.op == sem.OpLt || o.op == sem.OpLe {
					typ = sem.BoolType
				}
				code.Insts = append(code.Insts, sem.Inst{Op: o.op, Imm: o.imm, A: o.a, B: o.b, C: o.c, Guard: none}.Typed(typ, f32))
			}
			code.Insts = append(code.Insts, sem.Inst{Op: sem.OpWrite, State: states[round%5], A: none, B: sem.ID(len(code.Insts) - 1), C: none, Guard: none}.Typed(f32, sem.Type{}))
			if err := code.Verify(); err != nil {
				t.Fatal(err)
			}
			w := &Wave{Program: &Program{Machine: m.Machine}, width: Lanes, consts: map[uint64]*plane{}, resultPlanes: map[*sem.Inst][]*plane{}, findings: map[Finding]uint64{}}
			w.exists, w.whole, w.active = ^uint64(0), ^uint64(0), ^uint64(0)
			if round >= 5 {
				w.active = r.Uint64()
			}
			for _, s := range states {
				w.stores = append(w.stores, newStore(s, nil))
			}
			var want [Lanes]uint64
			for lane := range Lanes {
				var values []uint64
				for i := range 4 {
					values = append(values, randomBits(r, f32))
					w.stores[i].set(0, 0, lane, values[i])
				}
				want[lane] = w.stores[round%5].get(0, 0, lane)
				for _, in := range code.Insts[4 : len(code.Insts)-1] {
					at := func(id sem.ID) uint64 {
						if id == none {
							return 0
						}
						return values[id]
					}
					values = append(values, sem.Apply(&in, at(in.A), at(in.B), at(in.C)))
				}
				if w.active>>uint(lane)&1 != 0 {
					want[lane] = values[len(values)-1]
				}
			}
			(&compiled{code: code}).run(w)
			for lane := range Lanes {
				if got := sem.Canonical(w.stores[round%5].get(0, 0, lane), f32); got != sem.Canonical(want[lane], f32) {
					t.Fatalf("row %d, round %d, lane %d: %x, want %x", n, round, lane, got, want[lane])
				}
			}
		}
	}
}
