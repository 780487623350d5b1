package translate

import (
	"testing"

	"github.com/isago/isago/internal/shade"
)

// TestMemoryFunctions reads the functions of all kinds of memories.
func TestMemoryFunctions(t *testing.T) {
	buffer := func(readOnly bool) *shade.Var {
		b := &shade.Block{Kind: shade.StorageBuffer, ReadOnly: readOnly}
		b.Members = []*shade.Var{{Name: "m", Type: shade.U32.Array(-1), Storage: shade.Member, Block: b, Stride: 4}}
		return b.Members[0]
	}
	for _, x := range []struct {
		v    *shade.Var
		want int // the functions
	}{
		{buffer(false), 14}, {buffer(true), 8},
		{&shade.Var{Name: "m", Type: shade.U32.Array(4), Storage: shade.Workgroup}, 14},
		{&shade.Var{Name: "m", Type: shade.U32.Array(4), Storage: shade.Private}, 13},
	} {
		g := newLowering(&builder{})
		list := g.functionsOf(x.v)
		if len(list) != x.want {
			t.Errorf("%d functions, expected %d", len(list), x.want)
		}
		s := &shade.Shader{Funcs: append(list, &shade.Func{Name: "main"})}
		s.Entry = s.Funcs[len(list)]
		if err := shade.Check(s); err != nil {
			t.Error(err)
		}
	}
}
