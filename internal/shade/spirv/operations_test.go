package spirv

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/shadetest"
	"github.com/isago/isago/internal/vulkan"
)

const lanes = 64

// compute returns the module that runs a function for each lane.
func compute(t *testing.T, lib *shade.Shader) []byte {
	t.Helper()
	module, err := shadetest.Compute(lib, 0, nil, write)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// write checks a shader and writes it.
func write(s *shade.Shader) ([]byte, error) {
	if err := shade.Check(s); err != nil {
		return nil, err
	}
	return Write(s)
}

// operation is an operation on values of some types, with as many components as its type.
type operation struct {
	op   shade.Op
	typ  shade.Type
	args []shade.Type
}

func (o operation) String() string {
	return fmt.Sprintf("operation %d of %v to %v", o.op, o.args, o.typ)
}

// operationsOf returns operations of all kinds, on scalars and vectors.
func operationsOf() (list []operation) {
	type T = shade.Type
	add := func(op shade.Op, t T, args ...T) {
		for _, n := range []int{1, 2 + len(list)/2%3} {
			var vectors []T
			for _, a := range args {
				vectors = append(vectors, a.Vec(n))
			}
			list = append(list, operation{op, t.Vec(n), vectors})
		}
	}
	u, i, f, u64, i64, f64, b := shade.U32, shade.I32, shade.F32, shade.U64, shade.I64, shade.F64, shade.B
	for _, t := range []T{u, i, f, u64, i64, f64} {
		for _, op := range []shade.Op{shade.Add, shade.Sub, shade.Mul, shade.Div, shade.Min, shade.Max} {
			add(op, t, t, t)
		}
		for _, op := range []shade.Op{shade.Eq, shade.Ne, shade.Lt, shade.Le, shade.Gt, shade.Ge} {
			add(op, b, t, t)
		}
		if t.Kind != shade.Uint {
			add(shade.Neg, t, t)
		}
		add(shade.Select, t, b, t, t)
	}
	for _, t := range []T{u, i, u64, i64} {
		for _, op := range []shade.Op{shade.And, shade.Or, shade.Xor} {
			add(op, t, t, t)
		}
		add(shade.Complement, t, t)
		for _, n := range []T{u, i} {
			add(shade.ShiftLeft, t, t, n)
			add(shade.ShiftRight, t, t, n)
		}
	}
	add(shade.Mod, u, u, u)
	add(shade.Mod, u64, u64, u64)
	for _, t := range []T{i, f, i64, f64} {
		add(shade.Abs, t, t)
	}
	for _, t := range []T{f, f64} {
		for _, op := range []shade.Op{shade.Floor, shade.Ceil, shade.Trunc, shade.RoundEven, shade.Sqrt, shade.InverseSqrt} {
			add(op, t, t)
		}
		add(shade.Fma, t, t, t, t)
		for _, n := range []T{u, i, u64, i64} {
			add(shade.Convert, t, n)
			add(shade.Convert, n, t)
		}
	}
	for _, op := range []shade.Op{shade.Exp2, shade.Log2, shade.Sin, shade.Cos} {
		add(op, f, f)
	}
	add(shade.FindMSB, i, u)
	add(shade.BitCount, i, u)
	add(shade.Convert, f64, f)
	add(shade.Convert, f, f64)
	add(shade.Convert, u64, u)
	add(shade.Convert, u, u64)
	add(shade.Convert, i64, i)
	add(shade.Convert, i, i64)
	for _, t := range []T{u, i, f, f64, u64} {
		add(shade.Convert, t, b)
	}
	for _, pair := range [][2]T{{u, i}, {u, f}, {i, f}, {u64, i64}, {u64, f64}} {
		add(shade.Bitcast, pair[0], pair[1])
		add(shade.Bitcast, pair[1], pair[0])
	}
	add(shade.Not, b, b)
	add(shade.Eq, b, b, b)
	add(shade.Ne, b, b, b)
	for _, op := range []shade.Op{shade.LogicAnd, shade.LogicOr, shade.LogicXor} {
		list = append(list, operation{op, b, []T{b, b}})
	}
	for n := 2; n <= 4; n++ {
		list = append(list, operation{shade.Any, b, []T{b.Vec(n)}}, operation{shade.All, b, []T{b.Vec(n)}}, operation{shade.Select, f.Vec(n), []T{b, f.Vec(n), f.Vec(n)}})
	}
	return list
}

// random returns the bits of a component for which an operation is defined.
func random(r *rand.Rand, o operation, arg int) uint64 {
	t := o.args[arg].Scalar()
	mask := uint64(1)<<t.Width - 1
	if t.Width == 64 {
		mask = math.MaxUint64
	}
	switch t.Kind {
	case shade.Bool:
		return uint64(r.IntN(2))
	case shade.Float:
		f := r.NormFloat64() * 1000
		specials := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2.5, math.Inf(1), math.Inf(-1), math.NaN(), 1 << 24}
		special := r.IntN(3) == 0
		switch o.op {
		case shade.Convert:
			if o.typ.Kind != shade.Float {
				special, f = false, f*1000
				if o.typ.Kind == shade.Uint {
					f = math.Abs(f)
				}
			}
		case shade.Min, shade.Max, shade.Abs:
			special = false
		case shade.Exp2, shade.Sin, shade.Cos:
			special, f = false, f/1000
		case shade.Log2, shade.Sqrt, shade.InverseSqrt:
			special, f = false, math.Abs(f)
		case shade.Div, shade.Fma:
			special = t.Width == 64
		}
		if special {
			f = specials[r.IntN(len(specials))]
		}
		if t.Width == 32 {
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	}
	v := r.Uint64() >> uint(r.IntN(64)) & mask
	if r.IntN(4) == 0 {
		v = []uint64{0, 1, mask, mask >> 1, mask>>1 + 1}[r.IntN(5)]
	}
	switch {
	case o.op == shade.ShiftLeft && arg == 1, o.op == shade.ShiftRight && arg == 1:
		v &= uint64(o.args[0].Width) - 1
	case o.op == shade.Div && arg == 1, o.op == shade.Mod && arg == 1:
		v = max(1, v&(mask>>1))
	}
	return v
}

// signed returns the value of an int.
func signed(v uint64, t shade.Type) int64 { return int64(v<<(64-t.Width)) >> (64 - t.Width) }

func float(v uint64, t shade.Type) float64 {
	if t.Width == 32 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// apply computes a component. approximate is set if a device may round it otherwise.
func apply(o operation, args []uint64) (v uint64, approximate bool) {
	t, from := o.typ.Scalar(), o.args[len(o.args)-1].Scalar()
	if o.op != shade.Select {
		from = o.args[0].Scalar()
	}
	a := args[0]
	b, c := uint64(0), uint64(0)
	if len(args) > 1 {
		b = args[1]
	}
	if len(args) > 2 {
		c = args[2]
	}
	truth := func(x bool) uint64 {
		if x {
			return 1
		}
		return 0
	}
	cut := func(x uint64) uint64 {
		if t.Width == 32 {
			return x & 0xffffffff
		}
		return x
	}
	round := func(x float64) uint64 {
		if t.Width == 32 {
			return uint64(math.Float32bits(float32(x)))
		}
		return math.Float64bits(x)
	}
	less := func(a, b uint64) bool {
		switch from.Kind {
		case shade.Int:
			return signed(a, from) < signed(b, from)
		case shade.Float:
			return float(a, from) < float(b, from)
		}
		return a < b
	}
	equal := func(a, b uint64) bool {
		if from.Kind == shade.Float {
			return float(a, from) == float(b, from)
		}
		return a == b
	}
	switch o.op {
	case shade.Eq:
		return truth(equal(a, b)), false
	case shade.Ne:
		return truth(!equal(a, b)), false
	case shade.Lt:
		return truth(less(a, b)), false
	case shade.Le:
		return truth(less(a, b) || equal(a, b)), false
	case shade.Gt:
		return truth(less(b, a)), false
	case shade.Ge:
		return truth(less(b, a) || equal(a, b)), false
	case shade.Select:
		if a != 0 {
			return b, false
		}
		return c, false
	case shade.Min:
		if less(a, b) {
			return a, false
		}
		return b, false
	case shade.Max:
		if less(a, b) {
			return b, false
		}
		return a, false
	case shade.And, shade.LogicAnd:
		return a & b, false
	case shade.Or, shade.LogicOr:
		return a | b, false
	case shade.Xor, shade.LogicXor:
		return a ^ b, false
	case shade.Not:
		return a ^ 1, false
	case shade.Complement:
		return cut(^a), false
	case shade.ShiftLeft:
		return cut(a << b), false
	case shade.ShiftRight:
		if t.Kind == shade.Int {
			return cut(uint64(signed(a, t) >> b)), false
		}
		return a >> b, false
	case shade.Mod:
		return a % b, false
	case shade.FindMSB:
		return cut(uint64(bits.Len64(a) - 1)), false
	case shade.BitCount:
		return uint64(bits.OnesCount64(a)), false
	case shade.Bitcast:
		return a, false
	case shade.Convert:
		switch {
		case from.Kind == shade.Float && t.Kind == shade.Float:
			return round(float(a, from)), false
		case from.Kind == shade.Float:
			return cut(uint64(int64(float(a, from)))), false
		case from.Kind == shade.Int && t.Kind == shade.Float && t.Width == 32:
			return uint64(math.Float32bits(float32(signed(a, from)))), false
		case from.Kind == shade.Int && t.Kind == shade.Float:
			return math.Float64bits(float64(signed(a, from))), false
		case t.Kind == shade.Float && t.Width == 32:
			return uint64(math.Float32bits(float32(a))), false
		case t.Kind == shade.Float:
			return math.Float64bits(float64(a)), false
		case from.Kind == shade.Int:
			return cut(uint64(signed(a, from))), false
		}
		return cut(a), false
	}
	if t.Kind != shade.Float {
		x, y := signed(a, t), signed(b, t)
		switch o.op {
		case shade.Add:
			return cut(a + b), false
		case shade.Sub:
			return cut(a - b), false
		case shade.Mul:
			return cut(a * b), false
		case shade.Neg:
			return cut(-a), false
		case shade.Abs:
			return cut(uint64(max(x, -x))), false
		case shade.Div:
			if t.Kind == shade.Int {
				return cut(uint64(x / y)), false
			}
			return a / b, false
		}
	}
	x, y, z := float(a, t), float(b, t), float(c, t)
	narrow := t.Width == 32
	switch o.op {
	case shade.Add: // a sum, difference or product of 32 bits that is rounded to 64 and then to 32 bits is rounded right
		return round(x + y), false
	case shade.Sub:
		return round(x - y), false
	case shade.Mul:
		return round(x * y), false
	case shade.Div:
		return round(x / y), narrow
	case shade.Neg:
		return a ^ 1<<(t.Width-1), false
	case shade.Abs:
		return round(math.Abs(x)), false
	case shade.Floor:
		return round(math.Floor(x)), false
	case shade.Ceil:
		return round(math.Ceil(x)), false
	case shade.Trunc:
		return round(math.Trunc(x)), false
	case shade.RoundEven:
		return round(math.RoundToEven(x)), false
	case shade.Fma:
		return round(math.FMA(x, y, z)), true
	case shade.Sqrt:
		return round(math.Sqrt(x)), narrow
	case shade.InverseSqrt:
		return round(1 / math.Sqrt(x)), true
	case shade.Exp2:
		return round(math.Exp2(x)), true
	case shade.Log2:
		return round(math.Log2(x)), true
	case shade.Sin:
		return round(math.Sin(x)), true
	case shade.Cos:
		return round(math.Cos(x)), true
	}
	panic(o)
}

// TestOperations runs each operation on a device, and compares it with Go's arithmetic.
func TestOperations(t *testing.T) {
	device := vulkan.Open(t)
	all := operationsOf()
	const perShader = 60
	var shaders []*vulkan.Shader
	var parts [][]operation
	for part := range slices.Chunk(all, perShader) {
		f := &shade.Func{Name: "operations"}
		param := func(name string, t shade.Type) *shade.Var {
			v := &shade.Var{Name: fmt.Sprint(name, len(f.Params)), Type: t, Storage: shade.Param, Out: name == "result"}
			f.Params = append(f.Params, v)
			return v
		}
		writes := 1
		for _, o := range part {
			var args []*shade.Expr
			for _, a := range o.args {
				args = append(args, shade.Value(param("a", a)))
			}
			f.Body = append(f.Body, shadetest.Set(shade.Value(param("result", o.typ)), shade.Make(o.op, o.typ, args...)))
			writes += o.typ.Count() * shadetest.Size(o.typ)
		}
		s := &vulkan.Shader{Module: compute(t, &shade.Shader{Funcs: []*shade.Func{f}, Entry: f}), Groups: 1, Size: 4 * lanes * writes}
		r := rand.New(rand.NewPCG(uint64(len(parts)), 7))
		for range lanes {
			for _, o := range part {
				for k, a := range o.args {
					for range a.Count() {
						v := random(r, o, k)
						s.Inputs = binary.LittleEndian.AppendUint32(s.Inputs, uint32(v))
						if a.Width == 64 {
							s.Inputs = binary.LittleEndian.AppendUint32(s.Inputs, uint32(v>>32))
						}
					}
				}
			}
		}
		shaders, parts = append(shaders, s), append(parts, part)
	}
	device.Run(shaders)
	for i, s := range shaders {
		if s.Err != nil {
			t.Fatal(s.Err)
		}
		in, out := s.Inputs, s.Results
		next := func(from *[]byte, t shade.Type) uint64 {
			v := uint64(binary.LittleEndian.Uint32(*from))
			if *from = (*from)[4:]; t.Width == 64 {
				v |= uint64(binary.LittleEndian.Uint32(*from)) << 32
				*from = (*from)[4:]
			}
			return v
		}
		failed := map[string]bool{}
		for range lanes {
			if next(&out, shade.U32) != 1 {
				t.Fatal("a lane did not end")
			}
			for _, o := range parts[i] {
				values := make([][]uint64, len(o.args))
				for k, a := range o.args {
					for range a.Count() {
						values[k] = append(values[k], next(&in, a))
					}
				}
				if o.op == shade.Any || o.op == shade.All {
					want := uint64(0)
					if slices.Contains(values[0], 1) && o.op == shade.Any || !slices.Contains(values[0], 0) {
						want = 1
					}
					if got := next(&out, o.typ); got != want {
						t.Errorf("%v of %v is %d, expected %d", o, values, got, want)
					}
					continue
				}
				for k := range o.typ.Count() {
					var args []uint64
					for _, v := range values {
						args = append(args, v[min(k, len(v)-1)])
					}
					want, approximate := apply(o, args)
					got := next(&out, o.typ)
					if same(got, want, o.typ, approximate) || failed[o.String()] {
						continue
					}
					failed[o.String()] = true
					t.Errorf("component %d of %v of %x is %x, expected %x", k, o, args, got, want)
				}
			}
		}
	}
}

// same reports whether two results are equal. NaN may have any bits.
func same(a, b uint64, t shade.Type, approximate bool) bool {
	if t.Kind != shade.Float {
		return a == b
	}
	x, y := float(a, t), float(b, t)
	if x != x || y != y {
		return x != x && y != y
	}
	return a == b || approximate && (x == y || math.Abs(x-y) < 1e-5*max(1, math.Abs(y)))
}
