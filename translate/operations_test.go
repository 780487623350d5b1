package translate

import (
	little "encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/shadetest"
	"github.com/isago/isago/internal/shade/spirv"
	"github.com/isago/isago/internal/shade/wgsl"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/internal/vulkan"
)

func uint_(w int) sem.Type { return sem.Type{Kind: sem.Uint, Width: w} }
func sint(w int) sem.Type  { return sem.Type{Kind: sem.Sint, Width: w} }

// operationCase is an operation on values of some types.
type operationCase struct {
	op       sem.Op
	typ      sem.Type
	from     sem.Type
	args     []sem.Type
	imm      uint64
	constant map[int]uint64 // arguments that are constants
}

// needs64 reports whether an operation has values of 64 bits, or rounds a result of 64 bits.
func (c operationCase) needs64() bool {
	if slices.ContainsFunc(append([]sem.Type{c.typ, c.from}, c.args...), func(t sem.Type) bool { return t.Width > 32 }) {
		return true
	}
	switch c.op {
	case sem.OpAdd, sem.OpSub, sem.OpMul:
		return c.imm != 0 || isHalf(c.typ)
	case sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos:
		return true
	case sem.OpConvert:
		return isHalf(c.typ) || c.typ == sem.F32 && c.from.Kind != sem.Float && c.from.Width > 24 && c.imm != 0
	}
	return false
}

// operationCases are operations of all kinds.
func operationCases() (list []operationCase) {
	f, b, u, s := sem.F32, sem.BoolType, sem.U32, sint(32)
	add := func(op sem.Op, typ, from sem.Type, imm uint64, args ...sem.Type) {
		list = append(list, operationCase{op, typ, from, args, imm, nil})
	}
	none := sem.Type{}
	for _, op := range []sem.Op{sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpDiv} {
		add(op, f, none, 0, f, f)
		for _, c := range []uint64{0, 0x80000000} { // drivers simplify arithmetic with 0
			for k := range 2 {
				list = append(list, operationCase{op, f, none, []sem.Type{f, f}, 0, map[int]uint64{k: c}})
			}
		}
	}
	add(sem.OpFma, f, none, 0, f, f, f)
	for _, op := range []sem.Op{sem.OpSqrt, sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos, sem.OpNeg, sem.OpFlush} {
		add(op, f, none, 0, f)
	}
	for _, mode := range []sem.Mode{sem.Nearest, sem.Zero, sem.Down, sem.Up} {
		add(sem.OpRint, f, none, uint64(mode), f)
		for _, t := range []sem.Type{s, u, uint_(8), sint(16)} {
			add(sem.OpConvert, t, f, uint64(mode), f)
		}
	}
	add(sem.OpFlush, u, none, 0, u)
	add(sem.OpProduct, f, none, 0, f, f)
	add(sem.OpProduct, f, none, 1, f, f)
	types := []sem.Type{u, s, uint_(8), sint(16), uint_(3), sint(5)}
	for _, t := range types {
		for _, op := range []sem.Op{sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpAnd, sem.OpOr, sem.OpXor, sem.OpMin, sem.OpMax} {
			add(op, t, none, 0, t, t)
		}
		if t.Kind == sem.Uint {
			add(sem.OpDiv, t, none, 0, t, t)
			add(sem.OpMod, t, none, 0, t, t)
			add(sem.OpMulHigh, t, none, 0, t, t)
		}
		add(sem.OpNeg, t, none, 0, t)
		add(sem.OpNot, t, none, 0, t)
		add(sem.OpShl, t, none, 0, t, uint_(6))
		add(sem.OpShr, t, none, 0, t, uint_(6))
		for _, n := range []uint64{0, 3, 31, 40} {
			for _, op := range []sem.Op{sem.OpShl, sem.OpShr} {
				list = append(list, operationCase{op, t, none, []sem.Type{t, u}, 0, map[int]uint64{1: n}})
			}
		}
		add(sem.OpClz, u, t, 0, t)
		add(sem.OpPopcount, u, t, 0, t)
		add(sem.OpCarry, b, t, 0, t, t, b)
		add(sem.OpOverflow, b, t, 0, t, t, b)
		add(sem.OpSlice, uint_(2), t, 1, t)
		add(sem.OpConvert, f, t, 0, t)
		for _, to := range types {
			if to != t {
				add(sem.OpConvert, to, t, 0, t)
				add(sem.OpCast, to, t, 0, t)
			}
			if to.Width >= t.Width {
				add(sem.OpSext, to, t, 0, t)
			}
			add(sem.OpEq, b, t, 0, t, t)
		}
		add(sem.OpNe, b, t, 0, t, t)
		add(sem.OpLt, b, t, 0, t, t)
		add(sem.OpLe, b, t, 0, t, t)
		add(sem.OpSelect, t, none, 0, b, t, t)
	}
	for _, op := range []sem.Op{sem.OpEq, sem.OpNe, sem.OpLt, sem.OpLe} {
		add(op, b, f, 0, f, f)
	}
	for _, op := range []sem.Op{sem.OpAnd, sem.OpOr, sem.OpXor} {
		add(op, b, none, 0, b, b)
	}
	add(sem.OpNot, b, none, 0, b)
	add(sem.OpSelect, f, none, 0, b, f, f)
	add(sem.OpCast, u, f, 0, f)
	add(sem.OpCast, f, u, 0, u)
	add(sem.OpSlice, uint_(1), f, 31, f)
	add(sem.OpSlice, uint_(23), f, 0, f)
	// Rounding in modes, 64 and 16 bits.
	d, h := sem.Type{Kind: sem.Float, Width: 64}, sem.Type{Kind: sem.Float, Width: 16}
	add(sem.OpClz, u, uint_(64), 0, uint_(64))
	add(sem.OpClz, u, uint_(40), 0, uint_(40))
	add(sem.OpPopcount, u, uint_(64), 0, uint_(64))
	for _, mode := range []sem.Mode{sem.Nearest, sem.Zero, sem.Down, sem.Up} {
		m := uint64(mode)
		for _, op := range []sem.Op{sem.OpAdd, sem.OpSub, sem.OpMul} {
			add(op, d, none, m, d, d)
			if mode != sem.Nearest {
				add(op, f, none, m, f, f)
			}
		}
		for _, t := range []sem.Type{h, f} {
			add(sem.OpConvert, t, d, m, d)
		}
		add(sem.OpConvert, h, f, m, f)
		add(sem.OpRint, h, none, m, h)
		for _, t := range []sem.Type{uint_(64), sint(64), u, s, uint_(16), sint(8), uint_(40)} {
			add(sem.OpConvert, t, d, m, d)
			add(sem.OpConvert, d, t, m, t)
			add(sem.OpConvert, f, t, m, t)
			add(sem.OpConvert, t, f, m, f)
			if t.Width < 64 {
				add(sem.OpConvert, h, t, m, t)
			}
			add(sem.OpConvert, t, h, m, h)
		}
	}
	add(sem.OpFma, d, none, 0, d, d, d)
	for _, op := range []sem.Op{sem.OpAdd, sem.OpSub, sem.OpMul} {
		add(op, h, none, 0, h, h)
	}
	add(sem.OpConvert, d, h, 0, h)
	add(sem.OpConvert, f, h, 0, h)
	add(sem.OpLt, b, h, 0, h, h)
	add(sem.OpSlice, uint_(1), h, 15, h)
	add(sem.OpConcat, h, uint_(1), 0, uint_(1), uint_(15))
	add(sem.OpConcat, u, uint_(8), 0, uint_(8), uint_(24))
	add(sem.OpConcat, f, uint_(1), 0, uint_(1), uint_(31))
	add(sem.OpConcat, uint_(8), uint_(3), 0, uint_(3), uint_(5))
	return list
}

// TestOperations compares operations on a device with sem.Apply, in each language.
func TestOperations(t *testing.T) {
	device := vulkan.Open(t)
	for _, language := range []Language{GLSL, GLSLES, SPIRV, WGSL} {
		cases := operationCases()
		if language.lacks(true, true) {
			cases = slices.DeleteFunc(cases, operationCase.needs64) // TestPairs has them
		}
		failed := map[int]int{}
		runOperations(t, device, cases, Options{Language: language}, 3, func(i int, inputs []uint32, got, want uint32) {
			if failed[i]++; got != want && failed[i] == 1 {
				c := cases[i]
				t.Errorf("%s: %s of %v to %s, immediate %d, constants %v: %x gives %x, expected %x", language, c.op, c.args, c.typ, c.imm, c.constant, inputs, got, want)
			} else if got == want {
				failed[i]--
			}
		})
	}
}

// TestPairs compares operations on values of 64 bits in languages that have none.
func TestPairs(t *testing.T) {
	device := vulkan.Open(t)
	device.Unoptimized = true
	var cases []operationCase
	for _, c := range operationCases() {
		if c.needs64() {
			cases = append(cases, c)
		}
	}
	failed := map[int]int{}
	for first := 0; first < len(cases); first += 10 { // each operation in one language: the pairs are the same in both
		part, language := cases[first:min(first+10, len(cases))], []Language{GLSLES, WGSL}[first/10%2]
		runOperations(t, device, part, Options{Language: language}, 3, func(i int, inputs []uint32, got, want uint32) {
			if failed[first+i]++; got != want && failed[first+i] == 1 {
				c := part[i]
				t.Errorf("%s: %s of %v to %s, immediate %d: %x gives %x, expected %x", language, c.op, c.args, c.typ, c.imm, inputs, got, want)
			} else if got == want {
				failed[first+i]--
			}
		})
	}
}

// TestFma compares fused sums of many arguments.
func TestFma(t *testing.T) {
	device := vulkan.Open(t)
	cases := []operationCase{{sem.OpFma, sem.F32, sem.Type{}, []sem.Type{sem.F32, sem.F32, sem.F32}, 0, nil}}
	failed := 0
	for seed := range uint64(12) {
		runOperations(t, device, cases, Options{}, seed, func(_ int, inputs []uint32, got, want uint32) {
			if failed++; got == want {
				failed--
			} else if failed < 10 {
				t.Errorf("%x gives %x, expected %x", inputs, got, want)
			}
		})
	}
}

// TestApproximate checks that the operations that the device computes are as near as the header says, for arguments of a usual
// size.
func TestApproximate(t *testing.T) {
	device := vulkan.Open(t)
	var cases []operationCase
	for _, c := range operationCases() {
		if slices.ContainsFunc(approximations, func(a approximation) bool { return a.op == c.op }) && c.typ == sem.F32 && c.constant == nil {
			cases = append(cases, c)
		}
	}
	for _, language := range []Language{GLSL, GLSLES, SPIRV} {
		worst := map[sem.Op]float64{}
		runOperations(t, device, cases, Options{Language: language, Approximate: true}, 3, func(i int, inputs []uint32, got, want uint32) {
			x, y := float64(math.Float32frombits(got)), float64(math.Float32frombits(want))
			for k := range cases[i].args {
				if v := math.Abs(float64(math.Float32frombits(inputs[k]))); !(v < 100 && v > 0.01) {
					return
				}
			}
			if y != y && x != x {
				return
			}
			difference := math.Abs(x - y)
			switch op := cases[i].op; op {
			case sem.OpExp2, sem.OpDiv, sem.OpSqrt, sem.OpProduct:
				difference /= math.Abs(y)
			case sem.OpFma:
				a, b, c := math.Float32frombits(inputs[0]), math.Float32frombits(inputs[1]), math.Float32frombits(inputs[2])
				difference /= math.Abs(float64(a)*float64(b)) + math.Abs(float64(c))
			}
			if difference != difference {
				difference = math.Inf(1)
			}
			worst[cases[i].op] = max(worst[cases[i].op], difference)
		})
		for _, a := range approximations {
			t.Logf("%s: %s: 2^%.1f", language, a.op, math.Log2(worst[a.op]))
			if worst[a.op] > a.bound {
				t.Errorf("%s: %s differs by %g, expected at most %g", language, a.op, worst[a.op], a.bound)
			}
		}
	}
}

// runOperations runs operations on a device, and calls check for each result.
func runOperations(t *testing.T, device *vulkan.Device, cases []operationCase, o Options, seed uint64, check func(i int, inputs []uint32, got, want uint32)) {
	const groups = 16
	r := rand.New(rand.NewPCG(seed, 3))
	var inputs []uint32
	specials := []uint32{0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xffffffff, 0x7fffffff, 0x3fc00000, 0x4b000001, 0x4f000000, 0x5f000000, 0x3ff00000, 0xbff00000, 0x7ff00000, 0x00100000, 0x43300000, 0x38000000, 0x3c00, 0x7bff, 0x8000}
	for range groups * 64 * 3 {
		v := r.Uint32()
		switch r.IntN(4) {
		case 0:
			v = specials[r.IntN(len(specials))]
		case 1:
			v = math.Float32bits(float32(r.NormFloat64() * 20))
		case 2:
			v >>= uint(r.IntN(32))
		}
		inputs = append(inputs, v)
		if n := len(inputs); n%9 == 0 { // nearly the product, with the other sign
			product := float64(math.Float32frombits(inputs[n-3])) * float64(math.Float32frombits(inputs[n-2]))
			inputs[n-1] = math.Float32bits(-float32(product)) + uint32(r.IntN(5)) - 2
		}
	}
	// run runs a shader whose results of a lane follow some other words.
	run := func(shader *vulkan.Shader, first, n, before int, eval func(i int, inputs []uint32) uint32) {
		for _, v := range inputs {
			shader.Inputs = little.LittleEndian.AppendUint32(shader.Inputs, v)
		}
		device.Run([]*vulkan.Shader{shader})
		if shader.Err != nil {
			t.Fatalf("%v\n%s", shader.Err, shader.Source)
		}
		for lane := range groups * 64 {
			for i := range n {
				got := little.LittleEndian.Uint32(shader.Results[4*(lane*(before+n)+before+i):])
				check(first+i, inputs[3*lane:3*lane+3], got, eval(i, inputs[3*lane:3*lane+3]))
			}
		}
	}
	var write func(s *shade.Shader) ([]byte, error)
	switch o.Language {
	case WGSL:
		write = shadetest.Naga(t, wgsl.Source)
	case SPIRV:
		write = spirv.Write
		o.Language = GLSL // a Function has no SPIR-V form: a compute shader that calls it has
	}
	in := &sem.State{Name: "given", Count: 1, Single: true, Scope: spec.ScopeLane, Type: sem.Type{Kind: sem.Uint, Width: 32, Len: 3}, Use: "input", Index: 0}
	version := map[Language]string{GLSL: "450", GLSLES: "310 es"}[o.Language]
	for first := 0; first < len(cases); first += 60 {
		part := cases[first:min(first+60, len(cases))]
		out := &sem.State{Name: "o", Count: len(part), Scope: spec.ScopeLane, Type: sem.U32, Index: 1}
		p, eval := program(part, in, out)
		s := source{cells: newCells(), program: p, machine: &sem.Machine{States: []*sem.State{in, out}}, nameOf: func(flow.Variable) string { return "" }}
		o.Name = "program"
		text, err := s.translate(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if write != nil {
			shader := &vulkan.Shader{Groups: groups, Size: groups * 64 * 4 * (1 + len(part)), Loose: o.Language == WGSL}
			if shader.Module, err = shadetest.Compute(text.shader, 0, nil, write); err != nil {
				t.Fatal(err)
			}
			run(shader, first, len(part), 1, eval)
			continue
		}
		var w strings.Builder
		w.WriteString("#version " + version + "\n#extension GL_EXT_spirv_intrinsics : require\n" + text.Source + `
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer test_inputs { uint test_in[]; };
layout(std430, binding = 1) writeonly buffer test_results { uint test_out[]; };
void main() {
	uint lane = gl_GlobalInvocationID.x;
`)
		var args, store []string
		for i := range part {
			fmt.Fprintf(&w, "\tuint r%d;\n", i)
			args = append(args, fmt.Sprint("r", i))
			store = append(store, fmt.Sprintf("\ttest_out[lane * %du + %du] = r%d;\n", len(part), i, i))
		}
		fmt.Fprintf(&w, "\tprogram(uvec3(test_in[lane * 3u], test_in[lane * 3u + 1u], test_in[lane * 3u + 2u]), %s);\n%s}\n", strings.Join(args, ", "), strings.Join(store, ""))
		shader := &vulkan.Shader{Source: w.String(), Groups: groups, Size: groups * 64 * 4 * len(part)}
		run(shader, first, len(part), 0, eval)
	}
}

// program returns a program that computes operations, and a function that computes them with sem.Apply.
func program(cases []operationCase, in, out *sem.State) (p *flow.Program, eval func(i int, inputs []uint32) uint32) {
	p = &flow.Program{Written: map[flow.ID]flow.Variable{}}
	b := &flow.Block{}
	p.Blocks = []*flow.Block{b}
	put := func(x sem.Inst, place bool) flow.ID {
		p.Insts, p.Addrs = append(p.Insts, x), append(p.Addrs, flow.NoAddr)
		id := flow.ID(len(p.Insts) - 1)
		if place {
			b.Insts = append(b.Insts, id)
		}
		return id
	}
	make := func(op sem.Op, typ, from sem.Type, imm uint64, args ...flow.ID) flow.ID {
		x := sem.Inst{Op: op, A: flow.NoID, B: flow.NoID, C: flow.NoID, Guard: flow.NoID, Imm: imm}
		for i, a := range args {
			switch i {
			case 0:
				x.A = a
			case 1:
				x.B = a
			case 2:
				x.C = a
			}
		}
		return put(x.Typed(typ, from), op != sem.OpConst)
	}
	var reads [3]flow.ID
	for k := range reads {
		reads[k] = put(sem.Reading(in, 0, k), true)
	}
	b.End = flow.Terminator{Kind: flow.Exit, Cond: flow.NoID, Lanes: flow.NoID}
	for i, c := range cases {
		var args []flow.ID
		for k, t := range c.args {
			id := reads[k]
			switch v, constant := c.constant[k]; {
			case constant:
				id = make(sem.OpConst, t, sem.Type{}, v)
			case t.Width > 32:
				id = make(sem.OpConcat, uint_(64), sem.U32, 0, reads[(k+1)%3], id)
				if t.Width < 64 {
					id = make(sem.OpSlice, t, uint_(64), 7, id)
				} else if t.Kind != sem.Uint {
					id = make(sem.OpCast, t, uint_(64), 0, id)
				}
			case t != sem.U32:
				id = make(sem.OpCast, t, sem.U32, 0, id)
			}
			args = append(args, id)
		}
		id := make(c.op, c.typ, c.from, c.imm, args...)
		if c.typ.Width > 32 {
			wide := id
			if c.typ != uint_(64) {
				wide = make(sem.OpCast, uint_(64), c.typ, 0, id)
			}
			id = make(sem.OpXor, sem.U32, sem.Type{}, 0, make(sem.OpSlice, sem.U32, uint_(64), 0, wide), make(sem.OpSlice, sem.U32, uint_(64), 32, wide))
		} else if c.typ != sem.U32 {
			id = make(sem.OpCast, sem.U32, c.typ, 0, id)
		}
		b.End.Outputs = append(b.End.Outputs, flow.Param{ID: id, Variable: flow.Variable{State: out, Number: i}})
	}
	return p, func(i int, inputs []uint32) uint32 {
		var value func(id flow.ID) uint64
		value = func(id flow.ID) uint64 {
			if id == flow.NoID {
				return 0
			}
			switch x := &p.Insts[id]; x.Op {
			case sem.OpRead:
				return uint64(inputs[x.Comp])
			case sem.OpConst:
				return x.Imm
			default:
				return sem.Apply(x, value(x.A), value(x.B), value(x.C))
			}
		}
		return uint32(value(b.End.Outputs[i].ID))
	}
}
