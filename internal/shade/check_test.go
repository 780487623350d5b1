package shade

import (
	"strings"
	"testing"
)

// TestCheck checks that each broken rule is reported.
func TestCheck(t *testing.T) {
	x := &Var{Name: "x", Type: F32, Storage: Param}
	y := &Var{Name: "y", Type: U32}
	table := &Var{Name: "table", Type: F32.Array(4), Storage: Const}
	v := Value(x)
	ret := func(e *Expr) []*Stmt { return []*Stmt{{Kind: Return, Value: e}} }
	assign := func(dest, value *Expr) []*Stmt {
		return []*Stmt{{Kind: Assign, Dest: dest, Value: value}, {Kind: Return, Value: v}}
	}
	swap := Apply(AtomicSwap, At(Value(&Var{Name: "shared", Type: U32.Array(4), Storage: Workgroup}), Value(y)), Value(y), Value(y))
	vec := Make(Splat, F32.Vec(3), v)
	for i, c := range []struct {
		body []*Stmt
		want string // "" if there is no error
	}{
		{ret(v), ""},
		{ret(Apply(Select, Apply(Lt, v, v), v, v)), ""},
		{ret(At(Value(table), Value(y))), ""},
		{assign(Value(y), Make(Convert, U32, v)), ""},
		{ret(Pick(Apply(Select, Lit(B, 1), vec, vec), 2)), ""},
		{ret(Value(y)), "the result"},
		{ret(Apply(Add, v, Value(y))), "Add with the argument u32, expected f32"},
		{ret(Apply(And, v, v)), "And of f32"},
		{ret(Make(Bitcast, F32, Value(&Var{Name: "z", Type: F64, Storage: Private}))), "a Bitcast of f64 to f32"},
		{ret(Value(&Var{Name: "z", Type: F32})), "the variable z"},
		{ret(Make(Convert, F32, v)), "a Convert of f32 to f32"},
		{ret(Pick(vec, 3)), "a Swizzle"},
		{ret(Apply(Select, v, v, v)), "Select of f32"},
		{assign(v, v), "an assignment to the parameter x"},
		{assign(Apply(Neg, v), v), "an assignment to Neg"},
		{assign(Value(y), v), "the value of an assignment has the type f32, its destination u32"},
		{[]*Stmt{{Kind: Break}}, "a Break"},
		{[]*Stmt{{Kind: Loop, Body: []*Stmt{{Kind: Once, Body: []*Stmt{{Kind: Continue}}}}}}, "a Continue"},
		{[]*Stmt{{Kind: Loop, Body: []*Stmt{{Kind: Switch, Value: Value(y), Cases: []Case{{0, []*Stmt{{Kind: Break}}}}}}}}, "a Break"},
		{[]*Stmt{{Kind: If, Value: v}}, "the condition of an If"},
		{[]*Stmt{{Kind: Declare, Var: &Var{Name: "old", Type: U32}, Value: swap}, {Kind: Return, Value: v}}, ""},
		{ret(Make(Convert, F32, swap)), "an AtomicSwap in an expression"},
		{ret(Make(Convert, F32, Apply(Length, Value(&Var{Name: "z", Type: U32.Array(4), Storage: Workgroup})))), "a Length"},
		{ret(CallOf(&Func{Name: "g", Result: F32})), "a call of g"},
	} {
		f := &Func{Name: "f", Params: []*Var{x}, Result: F32, Locals: []*Var{y}, Body: c.body}
		err := Check(&Shader{Funcs: []*Func{f}, Entry: f})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), ": "+c.want)) {
			t.Errorf("%d: the error is %v, expected %q", i, err, c.want)
		}
	}
}

// TestNeeds checks that the types of variables and of parts of expressions count.
func TestNeeds(t *testing.T) {
	f := &Func{Name: "f", Result: F32, Body: []*Stmt{{Kind: Return, Value: Make(Convert, F32, Lit(F64, 0))}}}
	if doubles, integers := (&Shader{Funcs: []*Func{f}}).Needs(); !doubles || integers {
		t.Error("a literal of 64 bits")
	}
	f.Body = []*Stmt{{Kind: Declare, Var: &Var{Name: "x", Type: U64}}}
	if doubles, integers := (&Shader{Funcs: []*Func{f}}).Needs(); doubles || !integers {
		t.Error("a declaration of 64 bits")
	}
}
