package wgsl

import (
	"strings"
	"testing"

	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/shadetest"
)

// TestCompute checks atomic arrays, a condition that decides on a barrier, and a size of workgroups that the host chooses.
func TestCompute(t *testing.T) {
	block, words := shadetest.Buffer("words", 0)
	shared := shade.Value(&shade.Var{Name: "shared", Type: shade.U32.Array(4), Storage: shade.Workgroup})
	size := &shade.Var{Name: "gl_WorkGroupSize", Type: shade.U32.Vec(3), Storage: shade.Input, Builtin: shade.WorkgroupSize}
	seen := &shade.Var{Name: "seen", Type: shade.U32}
	zero, first := shade.Uint32(0), shade.At(words, shade.Uint32(0))
	swap := func(a *shade.Expr) *shade.Stmt {
		return shadetest.Declare(seen, shade.Apply(shade.AtomicSwap, shade.At(a, zero), first, shade.Uint32(5)))
	}
	main := &shade.Func{Name: "main", Body: []*shade.Stmt{
		swap(words),
		shadetest.Set(shade.At(words, shade.Uint32(1)), shade.Value(seen)),
		{Kind: shade.If, Value: shade.Apply(shade.Eq, first, zero), Uniform: true, Body: []*shade.Stmt{{Kind: shade.Barrier}}},
		shadetest.Set(shade.At(shared, zero), shade.Pick(shade.Value(size), 1)),
	}}
	text, err := Print(&shade.Shader{
		Stage: shade.Compute, Blocks: []*shade.Block{block}, Globals: []*shade.Var{shared.Var, size}, Funcs: []*shade.Func{main}, Entry: main,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\twords: array<atomic<u32>>,\n", "var<workgroup> shared_: array<u32, 4>;", "@id(1) override isago_size_y: u32 = 1u;",
		"@compute @workgroup_size(isago_size_x, isago_size_y, isago_size_z)", "@builtin(local_invocation_index) isago_index_in: u32",
		"let isago_expected = atomicLoad(&words_buffer.words[0]);", "let parts = atomicCompareExchangeWeak(&words_buffer.words[0], isago_expected, 5u);",
		"if parts.exchanged || seen != isago_expected { break; }",
		"atomicStore(&words_buffer.words[1], seen);", "if isago_uniform(atomicLoad(&words_buffer.words[0]) == 0u) {", "shared_[0] = isago_size_y;",
	} {
		if !strings.Contains(text.Source, want) {
			t.Errorf("no %q in\n%s", want, text.Source)
		}
	}
	shadetest.Validate(t, map[string]string{"compute": text.Source})
}
