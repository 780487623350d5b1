package spirv

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/shadetest"
	"github.com/isago/isago/internal/vulkan"
)

type (
	E = shade.Expr
	S = shade.Stmt
)

func local(name string, t shade.Type) *shade.Var { return &shade.Var{Name: name, Type: t} }
func param(name string, t shade.Type) *shade.Var {
	return &shade.Var{Name: name, Type: t, Storage: shade.Param}
}
func comment(text string) *S { return &S{Kind: shade.Comment, Text: text} }

var (
	leave              = &S{Kind: shade.Break}
	again              = &S{Kind: shade.Continue}
	u                  = shade.Uint32
	calc               = shade.Apply
	set, declare, when = shadetest.Set, shadetest.Declare, shadetest.If
	give               = shadetest.Return
)

// steps returns a function with a loop that has a condition, a Break and a Continue.
func steps() *shade.Func {
	start, rest, n, count := param("start", shade.U32), param("rest", shade.U32), local("n", shade.U32), local("count", shade.U32)
	rest.Out = true
	N, C := shade.Value(n), shade.Value(count)
	return &shade.Func{Name: "steps", Params: []*shade.Var{start, rest}, Result: shade.U32, Locals: []*shade.Var{n, count}, Body: []*S{
		set(N, shade.Value(start)),
		set(C, u(0)),
		{Kind: shade.Loop, Value: calc(shade.Ne, N, u(1)), Body: []*S{
			when(calc(shade.Ge, C, u(20)), leave, set(C, u(99))), // nothing follows a Break
			set(C, calc(shade.Add, C, u(1))),
			when(calc(shade.Eq, calc(shade.And, N, u(1)), u(0)), set(N, calc(shade.ShiftRight, N, u(1))), again),
			set(N, calc(shade.Add, calc(shade.Mul, N, u(3)), u(1))),
		}},
		set(shade.Value(rest), N),
		give(calc(shade.Add, C, calc(shade.Sub, shade.Value(rest), N))),
	}}
}

func stepsWant(n uint32) (count, rest uint32) {
	for n != 1 && count < 20 {
		count++
		if n&1 == 0 {
			n >>= 1
			continue
		}
		n = 3*n + 1
	}
	return count, n
}

// turns returns a function with a loop over a Switch that only a Return leaves.
func turns() *shade.Func {
	start, n, next := param("start", shade.U32), local("n", shade.U32), local("next", shade.U32)
	N, X := shade.Value(n), shade.Value(next)
	return &shade.Func{Name: "turns", Params: []*shade.Var{start}, Result: shade.U32, Body: []*S{
		declare(n, shade.Value(start)),
		declare(next, u(0)),
		{Kind: shade.Loop, Body: []*S{{Kind: shade.Switch, Value: X, Cases: []shade.Case{
			{Number: 0, Body: []*S{{Kind: shade.If, Value: calc(shade.Gt, N, u(10)), Body: []*S{set(X, u(1))}, Else: []*S{set(X, u(2))}}}},
			{Number: 1, Body: []*S{set(N, calc(shade.Sub, N, u(7))), set(X, u(0))}},
			{Number: 2, Body: []*S{give(calc(shade.Mul, N, u(2)))}},
		}}}},
	}}
}

func turnsWant(n uint32) uint32 {
	for n > 10 {
		n -= 7
	}
	return 2 * n
}

// choice returns a function with a Once that is left inside an If, and an If whose parts both end.
func choice() *shade.Func {
	n, x := param("n", shade.U32), local("x", shade.U32)
	N, X := shade.Value(n), shade.Value(x)
	return &shade.Func{Name: "choice", Params: []*shade.Var{n}, Result: shade.U32, Body: []*S{
		declare(x, u(0)),
		{Kind: shade.Once, Body: []*S{
			when(calc(shade.Eq, N, u(3)), leave),
			set(X, u(1)),
			when(calc(shade.Gt, N, u(5)), set(X, u(2)), leave),
			set(X, calc(shade.Add, X, u(10))),
		}},
		{Kind: shade.If, Value: calc(shade.Eq, N, u(4)), Body: []*S{give(u(77))}, Else: []*S{give(X)}},
	}}
}

func choiceWant(n uint32) uint32 {
	switch {
	case n == 3:
		return 0
	case n == 4:
		return 77
	case n > 5:
		return 2
	}
	return 11
}

// TestControl runs control flow, calls, arrays and uniforms on a device.
func TestControl(t *testing.T) {
	device := vulkan.Open(t)
	f4 := shade.F32.Vec(4)
	block := &shade.Block{Kind: shade.UniformBlock, Name: "uniforms", Binding: 2}
	scale := &shade.Var{Name: "scale", Type: f4.Array(3), Storage: shade.Member, Block: block, Stride: 16}
	offset := &shade.Var{Name: "offset", Type: shade.F32.Vec(3), Storage: shade.Member, Block: block, Offset: 48}
	block.Members = []*shade.Var{scale, offset}
	table := &shade.Var{Name: "table", Type: shade.U32.Vec(2).Array(3), Storage: shade.Const, Bits: []uint64{5, 6, 7, 8, 9, 10}}
	pair := &shade.Var{Name: "pair", Type: shade.U32.Vec(2), Storage: shade.Const, Bits: []uint64{40, 41}}
	private := &shade.Var{Name: "total", Type: shade.U32, Storage: shade.Private}
	n := param("n", shade.U32)
	N, T := shade.Value(n), shade.Value(private)
	step, turn, pick := steps(), turns(), choice()
	list, k := param("list", f4.Array(3)), param("k", shade.U32)
	last := &shade.Func{Name: "last", Params: []*shade.Var{list, k}, Result: shade.F32, Body: []*S{
		set(T, calc(shade.Add, T, u(1))),
		give(shade.Pick(shade.At(shade.Value(list), shade.Value(k)), 3)),
	}}
	f := &shade.Func{Name: "test", Params: []*shade.Var{n}}
	add := func(list ...*S) { f.Body = append(f.Body, list...) }
	put := func(e *E) {
		v := param(fmt.Sprint("result", len(f.Params)), e.Type)
		v.Out = true
		f.Params = append(f.Params, v)
		add(set(shade.Value(v), e))
	}
	rest := local("rest", shade.U32)
	add(set(T, u(100)), declare(rest, nil))
	put(shade.CallOf(step, N, shade.Value(rest)))
	put(shade.Value(rest))
	put(shade.CallOf(turn, N))
	put(shade.CallOf(pick, N))
	third := calc(shade.Mod, N, u(3))
	put(shade.At(shade.Value(table), third))
	array := local("array", shade.I32.Array(4))
	add(declare(array, nil))
	for i := range 4 {
		add(set(shade.At(shade.Value(array), u(uint32(i))), shade.Int32(int32(-i))))
	}
	add(set(shade.At(shade.Value(array), shade.Make(shade.Bitcast, shade.I32, calc(shade.And, N, u(3)))), shade.Int32(50)))
	for i := range 4 {
		put(shade.At(shade.Value(array), u(uint32(i))))
	}
	v := local("v", f4)
	V := shade.Value(v)
	add(declare(v, shade.At(shade.Value(scale), third)),
		set(shade.Pick(V, 2, 0), calc(shade.Add, shade.Pick(shade.Value(offset), 0, 1), shade.Pick(V, 1, 3))))
	put(V)
	put(shade.CallOf(last, shade.Value(scale), third))
	add(&S{Kind: shade.Do, Value: shade.CallOf(last, shade.Value(scale), third)}, &S{Kind: shade.Barrier})
	put(calc(shade.Add, T, shade.Pick(shade.Value(pair), 1)))
	module := compute(t, &shade.Shader{
		Blocks: []*shade.Block{block}, Globals: []*shade.Var{table, pair, private}, Funcs: []*shade.Func{step, turn, pick, last, f}, Entry: f,
	})
	const words = 17
	s := &vulkan.Shader{Module: module, Groups: 1, Size: 4 * lanes * words}
	for i := range lanes {
		s.Inputs = binary.LittleEndian.AppendUint32(s.Inputs, uint32(i+1))
	}
	uniform := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0.5, 0.25, 0.125}
	for _, x := range uniform {
		s.Uniforms = binary.LittleEndian.AppendUint32(s.Uniforms, math.Float32bits(x))
	}
	device.Run([]*vulkan.Shader{s})
	if s.Err != nil {
		t.Fatal(s.Err)
	}
	for i := range uint32(lanes) {
		n := i + 1
		count, rest := stepsWant(n)
		want := []uint32{1, count, rest, turnsWant(n), choiceWant(n), 5 + 2*(n%3), 6 + 2*(n%3)}
		for k := range uint32(4) {
			want = append(want, map[bool]uint32{true: 50, false: -k}[k == n&3])
		}
		x := uniform[4*(n%3):]
		for _, f := range []float32{0.25 + x[3], x[1], 0.5 + x[1], x[3], x[3]} {
			want = append(want, math.Float32bits(f))
		}
		want = append(want, 102+41)
		var got []uint32
		for k := range words {
			got = append(got, binary.LittleEndian.Uint32(s.Results[4*(int(i)*words+k):]))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("for %d: %x, expected %x", n, got, want)
		}
	}
}

// TestStages validates a shader of each stage.
func TestStages(t *testing.T) {
	device := vulkan.Open(t)
	for name, s := range shadetest.Stages() {
		module, err := write(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := device.Validate(module); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefused checks that what SPIR-V for Vulkan does not have is an error.
func TestRefused(t *testing.T) {
	with := func(change func(s *shade.Shader)) *shade.Shader {
		f := &shade.Func{Name: "main"}
		s := &shade.Shader{Stage: shade.Vertex, Funcs: []*shade.Func{f}, Entry: f}
		change(s)
		return s
	}
	flags := &shade.Var{Name: "flags", Type: shade.B, Storage: shade.Member}
	for _, c := range []struct {
		s    *shade.Shader
		want string
	}{
		{with(func(s *shade.Shader) { s.Stage = shade.Library }), "SPIR-V: Vulkan links no modules, so that no other shader can use a module of functions"},
		{with(func(s *shade.Shader) { s.Blocks = []*shade.Block{{Kind: shade.PlainUniforms}} }), "SPIR-V: Vulkan has no plain uniforms"},
		{with(func(s *shade.Shader) { s.Blocks = []*shade.Block{{Members: []*shade.Var{flags}}} }), "SPIR-V: the member flags of type bool"},
		{with(func(s *shade.Shader) {
			s.Entry.Locals = []*shade.Var{local("half", shade.Type{Kind: shade.Float, Width: 16})}
		}), "SPIR-V: numbers of 16 bits"},
		{with(func(s *shade.Shader) {
			s.Entry.Body = []*S{set(shade.Value(local("x", shade.F32)), shade.Lit(shade.F32, 0))}
		}), "SPIR-V: the variable x is not declared"},
		{with(func(s *shade.Shader) { s.Stage = shade.Geometry }), "SPIR-V: a geometry shader from primitives 0 to 0"},
	} {
		if _, err := Write(c.s); err == nil || err.Error() != c.want {
			t.Errorf("the error is %v, expected %s", err, c.want)
		}
	}
}

// example returns a small vertex shader.
func example() *shade.Shader {
	f4 := shade.F32.Vec(4)
	block := &shade.Block{Name: "light_uniforms", Binding: 3}
	rows := &shade.Var{Name: "rows", Type: f4.Array(2), Storage: shade.Member, Block: block, Stride: 16}
	block.Members = []*shade.Var{rows}
	in := &shade.Var{Name: "place", Type: f4, Storage: shade.Input, Location: 1}
	out := &shade.Var{Name: "gl_Position", Type: f4, Storage: shade.Output, Builtin: shade.Position}
	x := local("r0", f4)
	main := &shade.Func{Name: "main", Locals: []*shade.Var{x}, Body: []*S{
		comment("0x00  add r0, v0, c1"),
		set(shade.Value(x), calc(shade.Add, shade.Value(in), shade.At(shade.Value(rows), u(1)))),
		when(calc(shade.Lt, shade.Pick(shade.Value(x), 0), shade.Lit(shade.F32, 0)),
			comment("0x08  mov r0.x, 1"),
			set(shade.Pick(shade.Value(x), 0), shade.Lit(shade.F32, 0x3f800000))),
		set(shade.Value(out), shade.Value(x)),
	}}
	return &shade.Shader{Stage: shade.Vertex, Header: []string{"Translated by isago."}, Controls: []shade.Control{{Mode: shade.SignedZeroInfNanPreserve, Width: 32}},
		Blocks: []*shade.Block{block}, Globals: []*shade.Var{in, out}, Funcs: []*shade.Func{main}, Entry: main}
}

// TestText reads a small module as assembly text.
func TestText(t *testing.T) {
	if _, err := exec.LookPath("spirv-dis"); err != nil {
		t.Skip("SKIPPED: spirv-dis is not installed (apt-get install spirv-tools)")
	}
	module, err := write(example())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "module.spv")
	if err := os.WriteFile(name, module, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("spirv-dis", "--no-color", "--no-indent", name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := string(out); got != text {
		t.Errorf("%s\nexpected\n%s", got, text)
	}
}

const text = `; SPIR-V
; Version: 1.3
; Generator: Khronos; 0
; Bound: 38
; Schema: 0
OpCapability Shader
OpCapability SignedZeroInfNanPreserve
OpExtension "SPV_KHR_float_controls"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %place %gl_Position
OpExecutionMode %main SignedZeroInfNanPreserve 32
%1 = OpString "program"
OpSource Unknown 0 %1 "Translated by isago.
main:
0x00  add r0, v0, c1
0x08  mov r0.x, 1
"
OpName %light_uniforms "light_uniforms"
OpName %uniforms "uniforms"
OpMemberName %light_uniforms 0 "rows"
OpName %place "place"
OpName %gl_Position "gl_Position"
OpName %main "main"
OpName %r0 "r0"
OpDecorate %_arr_v4float_uint_2 ArrayStride 16
OpDecorate %light_uniforms Block
OpMemberDecorate %light_uniforms 0 Offset 0
OpDecorate %uniforms DescriptorSet 0
OpDecorate %uniforms Binding 3
OpDecorate %place Location 1
OpDecorate %gl_Position BuiltIn Position
OpDecorate %25 NoContraction
%float = OpTypeFloat 32
%v4float = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%uint_2 = OpConstant %uint 2
%_arr_v4float_uint_2 = OpTypeArray %v4float %uint_2
%light_uniforms = OpTypeStruct %_arr_v4float_uint_2
%_ptr_Uniform_light_uniforms = OpTypePointer Uniform %light_uniforms
%uniforms = OpVariable %_ptr_Uniform_light_uniforms Uniform
%uint_0 = OpConstant %uint 0
%_ptr_Input_v4float = OpTypePointer Input %v4float
%place = OpVariable %_ptr_Input_v4float Input
%_ptr_Output_v4float = OpTypePointer Output %v4float
%gl_Position = OpVariable %_ptr_Output_v4float Output
%void = OpTypeVoid
%_ptr_Function_v4float = OpTypePointer Function %v4float
%uint_1 = OpConstant %uint 1
%_ptr_Uniform_v4float = OpTypePointer Uniform %v4float
%float_0 = OpConstant %float 0
%bool = OpTypeBool
%float_1 = OpConstant %float 1
%_ptr_Function_float = OpTypePointer Function %float
%37 = OpTypeFunction %void
%main = OpFunction %void None %37
%17 = OpLabel
%r0 = OpVariable %_ptr_Function_v4float Function
OpLine %1 3 0
%20 = OpLoad %v4float %place
%23 = OpAccessChain %_ptr_Uniform_v4float %uniforms %uint_0 %uint_1
%24 = OpLoad %v4float %23
%25 = OpFAdd %v4float %20 %24
OpStore %r0 %25
%26 = OpLoad %v4float %r0
%27 = OpCompositeExtract %float %26 0
%30 = OpFOrdLessThan %bool %27 %float_0
OpSelectionMerge %32 None
OpBranchConditional %30 %31 %32
%31 = OpLabel
OpLine %1 4 0
%35 = OpAccessChain %_ptr_Function_float %r0 %uint_0
OpStore %35 %float_1
OpBranch %32
%32 = OpLabel
OpLine %1 3 0
%36 = OpLoad %v4float %r0
OpStore %gl_Position %36
OpReturn
OpFunctionEnd
`

// withoutResult are the instructions without a result.
var withoutResult = []uint32{
	opSource, opSourceContinued, opName, opMemberName, opLine, opExtension, opMemoryModel, opEntryPoint, opExecutionMode, opCapability,
	opFunctionEnd, opStore, opDecorate, opMemberDecorate, opEmitVertex, opEndPrimitive, opControlBarrier, opLoopMerge, opSelectionMerge,
	opBranch, opBranchConditional, opSwitch, opKill, opReturn, opReturnValue, opUnreachable,
}

// TestNumbers checks each module by its own numbers: each result is defined once, and the bound is the next number.
func TestNumbers(t *testing.T) {
	list := shadetest.Stages()
	list["example"] = example()
	for name, s := range list {
		module, err := write(s)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Write(s); !slices.Equal(module, again) {
			t.Errorf("%s: two modules of a shader differ", name)
		}
		word := func(i int) uint32 { return binary.LittleEndian.Uint32(module[4*i:]) }
		bound, results := word(3), map[uint32]bool{}
		for i := 5; i < len(module)/4; {
			n, op := int(word(i)>>16), word(i)&0xffff
			if n == 0 || i+n > len(module)/4 {
				t.Fatalf("%s: the instruction at word %d has %d words", name, i, n)
			}
			at := 2
			switch {
			case slices.Contains(withoutResult, op):
				at = 0
			case op == opLabel, op == opString, op == opExtInstImport, op >= opTypeVoid && op <= opTypeFunction: // without a type
				at = 1
			}
			if at > 0 {
				r := word(i + at)
				if results[r] || r == 0 || r >= bound {
					t.Errorf("%s: the instruction %d at word %d has the result %d; the bound is %d", name, op, i, r, bound)
				}
				results[r] = true
			}
			i += n
		}
		if len(results) != int(bound)-1 {
			t.Errorf("%s: %d results below the bound %d", name, len(results), bound)
		}
	}
	if s := strings.Repeat("é\x00\xff", 3); len(literal(s)) != 4 { // 3 times 2 + 1 + 1 bytes, and the end
		t.Errorf("%q has %d words", s, len(literal(s)))
	}
}
