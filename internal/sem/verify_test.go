package sem

import (
	"strings"
	"testing"

	"github.com/isago/isago/internal/spec"
)

// verified are operations that are well-formed together. %0 to %4 are a u32, a bool, an f32, a value for the wave and a service.
func verified() []Inst {
	file := &State{Name: "r", Type: Type{Kind: Float, Width: 32, Len: 4}, Count: 2, Scope: spec.ScopeLane}
	shared := &State{Name: "w", Type: U32, Count: 1, Scope: spec.ScopeWave}
	in := func(op Op, of, from Type, edit func(in *Inst)) Inst {
		x := blank(op).Typed(of, from)
		edit(&x)
		return x
	}
	number := in(OpLane, U32, Type{}, func(*Inst) {})
	flag := in(OpEq, BoolType, U32, func(x *Inst) { x.A, x.B = 0, 0 })
	float := in(OpRead, F32, Type{}, func(x *Inst) { x.State, x.Imm, x.Comp = file, 1, 3 })
	wide := in(OpRead, U32, Type{}, func(x *Inst) { x.State, x.Uniform = shared, true })
	call := in(OpService, F32, Type{}, func(x *Inst) {
		x.more = &more{service: &Service{Name: "s", Result: Type{Kind: Float, Width: 32, Len: 2}}}
	})
	call.typ = pack(Type{Kind: Float, Width: 32, Len: 2})
	return []Inst{number, flag, float, wide, call}
}

// TestVerifyRejects adds one operation that breaks one rule to well-formed code. The verifier must name what is wrong.
func TestVerifyRejects(t *testing.T) {
	file := &State{Name: "f", Type: F32, Count: 4, Scope: spec.ScopeLane}
	rom := &State{Name: "rom", Type: U32, Count: 4, Scope: spec.ScopeLaunch, ReadOnly: true}
	memory := &State{Name: "m", Kind: MemoryState, Type: Type{Kind: Uint, Width: 8}, Count: 64, Scope: spec.ScopeLaunch}
	stack := &State{Name: "s", Kind: StackState, Count: 4, Scope: spec.ScopeLane, Slots: []Slot{{"a", U32}, {"b", BoolType}}}
	ask := &Service{Name: "ask", Params: []Parameter{{"a", U32}, {"b", Type{Kind: Float, Width: 32, Len: 2}}}}
	u8 := Type{Kind: Uint, Width: 8}
	rows := []struct {
		op       Op
		of, from Type
		edit     func(in *Inst)
		want     string // "" for a well-formed operation
	}{
		{OpAdd, U32, Type{}, func(x *Inst) { x.A, x.B = 0, 0 }, ""},
		{OpAdd, U32, Type{}, func(x *Inst) { x.A = 0 }, "argument B"},
		{OpAdd, U32, Type{}, func(x *Inst) { x.A, x.B, x.C = 0, 0, 0 }, "argument C"},
		{OpAdd, U32, Type{}, func(x *Inst) { x.A, x.B = 0, 9 }, "before it is made"},
		{OpAdd, U32, Type{}, func(x *Inst) { x.A, x.B = 0, 2 }, "%2 is f32, expected u32"},
		{OpAdd, U32, Type{}, func(x *Inst) { x.A, x.B = 0, 4 }, "%4 has no value"},
		{OpAdd, U32, Type{}, func(x *Inst) { x.A, x.B = 0, 3 }, "expected a splat"},
		{OpAdd, U32, Type{}, func(x *Inst) { x.A, x.B, x.Uniform = 0, 3, true }, "%0 has a value for each lane"},
		{OpAdd, U32, Type{}, func(x *Inst) { x.A, x.B, x.Imm = 0, 0, uint64(Zero) }, "expected mode"},
		{OpAdd, U32, Type{}, func(x *Inst) { x.A, x.B, x.Guard = 0, 0, 1 }, "guard"},
		{OpAdd, BoolType, Type{}, func(x *Inst) { x.A, x.B = 1, 1 }, "type bool, expected number"},
		{OpAdd, F32, Type{}, func(x *Inst) { x.A, x.B, x.Imm = 2, 2, uint64(Away) }, ""},
		{OpAdd, F32, Type{}, func(x *Inst) { x.A, x.B, x.Imm = 2, 2, uint64(Away)+1 }, "expected mode"},
		{OpFma, U32, Type{}, func(x *Inst) { x.A, x.B, x.C = 0, 0, 0 }, "type u32, expected float"},
		{OpSin, F32, Type{}, func(x *Inst) { x.A, x.Imm = 2, 1 }, "immediate"},
		{OpMod, F32, Type{}, func(x *Inst) { x.A, x.B = 2, 2 }, "expected integer"},
		{OpShl, F32, Type{}, func(x *Inst) { x.A, x.B = 2, 0 }, "expected integer"},
		{OpLt, BoolType, BoolType, func(x *Inst) { x.A, x.B = 1, 1 }, "from type bool"},
		{OpCarry, BoolType, U32, func(x *Inst) { x.A, x.B, x.C = 0, 0, 0 }, "%0 is u32, expected bool or u1"},
		{OpSlice, u8, U32, func(x *Inst) { x.A, x.Imm = 0, 24 }, ""},
		{OpSlice, u8, U32, func(x *Inst) { x.A, x.Imm = 0, 25 }, "expected lowest bit"},
		{OpSext, u8, U32, func(x *Inst) { x.A = 0 }, "is wider"},
		{OpConcat, U32, u8, func(x *Inst) { x.A, x.B = 0, 0 }, "%0 is u32, expected u8"},
		{OpConvert, u8, U32, func(x *Inst) { x.A, x.Imm = 0, uint64(Up) }, "expected mode"},
		{OpProduct, F32, Type{}, func(x *Inst) { x.A, x.B, x.Imm = 2, 2, 2 }, "expected 0 or 1"},
		{OpFlush, Type{Kind: Sint, Width: 32}, Type{}, func(x *Inst) { x.A = 0 }, "expected s32"},
		{OpConst, u8, Type{}, func(x *Inst) { x.Imm, x.Uniform = 256, true }, "expected bits"},
		{OpSelect, U32, Type{}, func(x *Inst) { x.A, x.B, x.C = 0, 0, 0 }, "%0 is u32, expected bool"},
		{OpOpaque, U32, Type{}, func(x *Inst) {}, "unknown value"},
		{OpRead, F32, Type{}, func(x *Inst) { x.State, x.Imm, x.Guard = file, 3, 1 }, ""},
		{OpRead, F32, Type{}, func(x *Inst) { x.State, x.Imm = file, 4 }, "expected register"},
		{OpRead, F32, Type{}, func(x *Inst) { x.State, x.Comp = file, 1 }, "component 1 of f"},
		{OpRead, F32, Type{}, func(x *Inst) { x.State, x.Guard = file, 0 }, "the guard %0 is u32"},
		{OpRead, F32, Type{}, func(x *Inst) { x.State, x.Uniform = file, true }, "each lane's own"},
		{OpRead, U32, Type{}, func(x *Inst) { x.State = file }, "type u32, expected register"},
		{OpRead, F32, Type{}, func(x *Inst) {}, "missing state"},
		{OpRead, u8, Type{}, func(x *Inst) { x.State = memory }, "another kind"},
		{OpReadX, F32, Type{}, func(x *Inst) { x.State, x.A = file, 2 }, "%2 is f32, expected integer"},
		{OpWrite, F32, Type{}, func(x *Inst) { x.State, x.B = file, 0 }, "%0 is u32, expected f32"},
		{OpWrite, U32, Type{}, func(x *Inst) { x.State, x.B, x.Uniform = rom, 3, true }, "another kind"},
		{OpLoad, U32, Type{}, func(x *Inst) { x.State, x.A, x.Imm = memory, 0, 4 }, ""},
		{OpLoad, U32, Type{}, func(x *Inst) { x.State, x.A, x.Imm = memory, 0, 2 }, "expected bytes"},
		{OpStore, U32, Type{}, func(x *Inst) { x.State, x.A, x.B, x.Imm = memory, 0, 2, 4 }, "%2 is f32, expected u32"},
		{OpTop, BoolType, Type{}, func(x *Inst) { x.State, x.Comp = stack, 1 }, ""},
		{OpTop, BoolType, Type{}, func(x *Inst) { x.State, x.Comp = stack, 0 }, "type bool, expected slot"},
		{OpTop, BoolType, Type{}, func(x *Inst) { x.State, x.Comp = stack, 2 }, "component 2 of s"},
		{OpTop, BoolType, Type{}, func(x *Inst) { x.State, x.Comp, x.Imm = stack, 1, 4 }, "expected entry"},
		{OpPush, Type{}, Type{}, func(x *Inst) { x.State, x.more = stack, &more{args: []ID{0, 1}} }, ""},
		{OpPush, Type{}, Type{}, func(x *Inst) { x.State, x.more = stack, &more{args: []ID{0}} }, "1 values for 2 slots"},
		{OpPush, Type{}, Type{}, func(x *Inst) { x.State, x.more = stack, &more{args: []ID{0, 0, 0}} }, "3 values for 2 slots"},
		{OpPush, Type{}, Type{}, func(x *Inst) { x.State, x.more = stack, &more{args: []ID{0, 0}} }, "%0 is u32, expected bool"},
		{OpPop, Type{}, Type{}, func(x *Inst) { x.State = file }, "another kind"},
		{OpAny, BoolType, Type{}, func(x *Inst) { x.A = 0 }, "%0 is u32, expected bool"},
		{OpJump, Type{}, Type{}, func(x *Inst) { x.A = 2 }, "%2 is f32, expected u32"},
		{OpTrap, Type{}, Type{}, func(x *Inst) {}, "missing text"},
		{OpEnd, Type{}, Type{}, func(x *Inst) { x.more = &more{text: "why"} }, "do not belong here"},
		{OpBarrier, Type{}, Type{}, func(x *Inst) { x.A, x.B = 0, 0 }, "expected parts"},
		{OpService, Type{}, Type{}, func(x *Inst) { x.more = &more{service: ask, args: []ID{0, 2, 2}} }, ""},
		{OpService, Type{}, Type{}, func(x *Inst) { x.more = &more{service: ask, args: []ID{0, 2}} }, "2 arguments of ask, expected 3"},
		{OpService, Type{}, Type{}, func(x *Inst) { x.more = &more{service: ask, args: []ID{0, 2, 1}} }, "%1 is bool, expected f32"},
		{OpService, U32, Type{}, func(x *Inst) { x.more = &more{service: ask, args: []ID{0, 2, 2}} }, "type u32, expected nothing"},
		{OpService, Type{}, Type{}, func(x *Inst) {}, "missing service"},
		{OpResult, F32, Type{}, func(x *Inst) { x.A, x.Comp = 4, 1 }, ""},
		{OpResult, F32, Type{}, func(x *Inst) { x.A, x.Comp = 4, 2 }, "component 2 of f32x2"},
		{OpResult, U32, Type{}, func(x *Inst) { x.A = 4 }, "component 0 of f32x2 as u32"},
		{OpResult, U32, Type{}, func(x *Inst) { x.A = 0 }, "%0 is not a service"},
		{OpSkip, Type{}, Type{}, func(x *Inst) { x.Imm = 6 }, "guard"},
		{OpSkip, Type{}, Type{}, func(x *Inst) { x.Imm, x.Guard = 5, 1 }, "expected end"},
		{OpSkip, Type{}, Type{}, func(x *Inst) { x.Imm, x.Guard = 7, 1 }, "expected end"},
		{OpSkip, Type{}, Type{}, func(x *Inst) { x.Imm, x.Guard = 6, 1 }, ""},
	}
	for _, r := range rows {
		in := blank(r.op).Typed(r.of, r.from)
		r.edit(&in)
		c := &Code{Insts: append(verified(), in)}
		err := c.Verify()
		switch {
		case r.want == "" && err != nil:
			t.Errorf("%v", err)
		case r.want != "" && err == nil:
			t.Errorf("%s passes, expected %q", r.op, r.want)
		case r.want != "" && !strings.Contains(err.Error(), r.want):
			t.Errorf("%v, expected %q", err, r.want)
		}
	}
}

// TestSignatures checks that each operation has a name of its own and a class.
func TestSignatures(t *testing.T) {
	seen := map[string]bool{}
	for o := range operations {
		s := Op(o).signature()
		if s.name == "" || seen[s.name] || s.class == cNone {
			t.Errorf("operation %d: name %q, class %d", o, s.name, s.class)
		}
		seen[s.name] = true
	}
}
