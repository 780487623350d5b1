package equal

import (
	"fmt"
	"math"
	"testing"

	"github.com/isago/isago/internal/sem"
)

// smallTypes are the types for which identities are tried with all values.
var smallTypes = []sem.Type{
	sem.BoolType, {Kind: sem.Uint, Width: 1}, {Kind: sem.Uint, Width: 3}, {Kind: sem.Sint, Width: 3}, {Kind: sem.Sint, Width: 4},
}

// largeTypes are the types for which identities are tried with special values.
var largeTypes = []sem.Type{
	{Kind: sem.Float, Width: 16}, {Kind: sem.Float, Width: 32}, {Kind: sem.Float, Width: 64}, sem.U32, {Kind: sem.Sint, Width: 32}, sem.U64,
}

// specialBits returns values of a type at which an identity could fail.
func specialBits(t sem.Type) []uint64 {
	ones := ^uint64(0) >> (64 - uint(t.Width))
	if t.Kind != sem.Float {
		return []uint64{0, 1, 2, ones, ones >> 1, ones>>1 + 1, 31, 0x5555555555555555 & ones}
	}
	sign := ones>>1 + 1
	inf := sem.FloatBits(math.Inf(1), t.Width)
	list := []uint64{0, 1, inf, inf - 1, inf | 1, inf | (sign >> 5), ones, sem.FloatBits(1, t.Width), sem.FloatBits(1.5, t.Width), sem.FloatBits(3, t.Width), sem.FloatBits(0x1p-13, t.Width), sem.FloatBits(1.0/3, t.Width)}
	for _, x := range list[:len(list):len(list)] {
		list = append(list, x^sign)
	}
	return list
}

// TestIdentities tries each identity: with all values of small types, all floats of 16 bits where it has one variable, and special values
// of other types.
func TestIdentities(t *testing.T) {
	for _, r := range rules().all {
		tried := 0
		for _, typ := range append(smallTypes, largeTypes...) {
			tried += tryIdentity(t, r, typ)
		}
		if tried == 0 {
			t.Errorf("%s: not tried with any type", r.text)
		}
		if t.Failed() {
			return
		}
	}
}

// tryIdentity tries an identity for variables of a type. It returns the number of tries.
func tryIdentity(t *testing.T, r *rule, typ sem.Type) (tries int) {
	names := variablesOf(r.left, map[string]bool{})
	values := specialBits(typ)
	switch {
	case typ.Width <= 4, typ.Width == 16 && len(names) == 1:
		values = nil
		for v := range uint64(1) << uint(typ.Width) {
			values = append(values, v)
		}
	}
	for _, root := range rootTypes(r, typ) {
		for mode := sem.Nearest; mode <= sem.Away; mode++ {
			x := trial{r: r, typ: typ, root: root, mode: mode, vars: map[string]uint64{}, types: map[string]sem.Type{}}
			if r.modes != nil && !contains(r.modes, mode) || mode > 0 && (!rounds(r.left.op) || root.Kind != sem.Float) {
				continue
			}
			x.typeOf(r.left, root)
			if x.bad || r.when != nil && !r.when(root, x.types) {
				continue
			}
			x.each(names, values, func() {
				tries++
				if a, b := x.eval(r.left, root), x.eval(r.right, root); a != b {
					t.Fatalf("%s for %s, mode %d: %x gives %x and %x", r.text, typ, mode, x.vars, a, b)
				}
			})
		}
	}
	return tries
}

func contains(list []sem.Mode, m sem.Mode) bool {
	for _, x := range list {
		if x == m {
			return true
		}
	}
	return false
}

func variablesOf(t *term, seen map[string]bool) (names []string) {
	if t.isVariable() && !seen[t.name] {
		seen[t.name] = true
		return []string{t.name}
	}
	for _, a := range t.args {
		names = append(names, variablesOf(a, seen)...)
	}
	return names
}

// rootTypes returns the types that the left term can have if its variables have a type.
func rootTypes(r *rule, typ sem.Type) (list []sem.Type) {
	types := []sem.Type{typ}
	switch r.left.op {
	case sem.OpEq, sem.OpNe, sem.OpLt, sem.OpLe, sem.OpCarry, sem.OpOverflow:
		types = []sem.Type{sem.BoolType}
	case sem.OpCast, sem.OpConvert:
		types = append(smallTypes[1:], largeTypes...)
	case opCanon:
		types = floatTypes()
	}
	for _, t := range types {
		for _, k := range r.kinds {
			if t.Kind == k {
				list = append(list, t)
			}
		}
	}
	return list
}

func floatTypes() []sem.Type { return largeTypes[:3] }

// trial is an identity with types for its terms.
type trial struct {
	r         *rule
	typ, root sem.Type
	mode      sem.Mode
	vars      map[string]uint64
	types     map[string]sem.Type
	bad       bool
}

// argTypes returns the types of the arguments of a term of a type.
func (x *trial) argTypes(t *term, typ sem.Type) []sem.Type {
	switch t.op {
	case sem.OpSelect:
		return []sem.Type{sem.BoolType, typ, typ}
	case sem.OpEq, sem.OpNe, sem.OpLt, sem.OpLe:
		return []sem.Type{x.typ, x.typ}
	case sem.OpCarry, sem.OpOverflow:
		return []sem.Type{x.typ, x.typ, {Kind: sem.Uint, Width: 1}}
	case sem.OpCast, sem.OpConvert:
		if len(t.args) > 0 && t.args[0].op == sem.OpCast && t.args[0].name == "" {
			return []sem.Type{unsigned(typ)}
		}
		return []sem.Type{x.typ}
	}
	return []sem.Type{typ, typ, typ}
}

// typeOf finds the types of the variables of a term of a type.
func (x *trial) typeOf(t *term, typ sem.Type) {
	if t.isVariable() {
		if old, ok := x.types[t.name]; ok && old != typ {
			x.bad = true
		}
		x.types[t.name] = typ
		return
	}
	args := x.argTypes(t, typ)
	for i, a := range t.args {
		if i == 0 && t == x.r.left && a.name == "" {
			x.types["("] = args[0]
		}
		x.typeOf(a, args[i])
	}
	switch t.op {
	case sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpNeg, sem.OpMin, sem.OpMax, sem.OpMulHigh, sem.OpShl, sem.OpShr:
		x.bad = x.bad || typ.Kind == sem.Bool
	case opCanon, sem.OpFma, sem.OpSqrt, sem.OpProduct, sem.OpDiv, sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos, sem.OpRint:
		x.bad = x.bad || t.name == "" && typ.Kind != sem.Float || t.op == sem.OpProduct && typ.Width != 32
	case sem.OpCarry, sem.OpOverflow, sem.OpConvert:
		x.bad = x.bad || x.typ.Kind == sem.Bool || t.op != sem.OpConvert && x.typ.Kind == sem.Float
	case sem.OpLt, sem.OpLe:
		x.bad = x.bad || x.typ.Kind == sem.Bool
	case sem.OpCast:
		x.bad = x.bad || x.types["a"].Width != typ.Width
	}
}

// each calls f for all values of the variables.
func (x *trial) each(names []string, values []uint64, f func()) {
	if len(names) == 0 {
		f()
		return
	}
	list := values
	if t := x.types[names[0]]; t.Width <= 1 {
		list = []uint64{0, 1}
	}
	for _, v := range list {
		x.vars[names[0]] = v
		x.each(names[1:], values, f)
	}
}

// eval evaluates a term by the arithmetic of the engine.
func (x *trial) eval(t *term, typ sem.Type) uint64 {
	if t.isVariable() {
		return x.vars[t.name]
	}
	if t.name != "" {
		v, ok := constantBits(t.name, typ)
		if !ok {
			panic(fmt.Sprintf("%s: no constant %s of type %s", x.r.text, t.name, typ))
		}
		return v
	}
	args := x.argTypes(t, typ)
	var v [3]uint64
	for i, a := range t.args {
		v[i] = x.eval(a, args[i])
	}
	n := node{op: t.op, typ: typ, from: args[0]}
	if rounds(t.op) && typ.Kind == sem.Float {
		n.imm = uint64(x.mode)
	}
	return evaluate(&n, v)
}
