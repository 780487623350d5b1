package translatetest

import (
	"errors"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/shadetest"
)

// body returns what define returns, in the form of shade.
func body(f *shade.Func, program string, memory *shade.Expr, before flowtest.Before, states []*exec.State) ([]*shade.Stmt, error) {
	apply, number := shade.Apply, func(n int) *shade.Expr { return shade.Uint32(uint32(n)) }
	local := func(name string) *shade.Var { return &shade.Var{Name: name, Type: shade.U32} }
	if rest, ok := strings.CutPrefix(f.Name, program+"_load_"); ok {
		for _, s := range states {
			if s.Name != rest {
				continue
			}
			a, first, shift, w := shade.Value(f.Params[0]), local("first"), local("shift"), local("w")
			next := shade.At(memory, apply(shade.Add, shade.Value(first), number(1)))
			more := apply(shade.ShiftLeft, next, apply(shade.Sub, number(32), shade.Value(shift)))
			return []*shade.Stmt{
				shadetest.If(apply(shade.Gt, a, number(max(len(before.Memory(s))-4, 0))), shadetest.Return(number(0))),
				shadetest.Declare(first, apply(shade.ShiftRight, a, number(2))),
				shadetest.Declare(shift, apply(shade.Mul, apply(shade.And, a, number(3)), number(8))),
				shadetest.Declare(w, apply(shade.ShiftRight, shade.At(memory, shade.Value(first)), shade.Value(shift))),
				shadetest.If(apply(shade.Ne, shade.Value(shift), number(0)), shadetest.Set(shade.Value(w), apply(shade.Or, shade.Value(w), more))),
				shadetest.Return(shade.Value(w)),
			}, nil
		}
	}
	if strings.HasPrefix(f.Name, program+"_store_") || strings.HasPrefix(f.Name, program+"_load_") {
		return nil, errors.New("no definition of " + f.Name)
	}
	sum := local("sum")
	list := []*shade.Stmt{shadetest.Declare(sum, number(3))}
	for _, p := range f.Params {
		for k := range p.Type.Count() {
			part := shadetest.Part(shade.Value(p), k)
			word := shadetest.ToWords(part)[0]
			if part.Type == shade.F32 { // all NaN are equal
				nan := apply(shade.Gt, apply(shade.And, word, number(0x7fffffff)), number(0x7f800000))
				word = shade.Make(shade.Select, shade.U32, nan, number(0x7fc00000), word)
			}
			list = append(list, shadetest.Set(shade.Value(sum), apply(shade.Add, apply(shade.Mul, shade.Value(sum), number(31)), word)))
		}
	}
	if f.Result == shade.None {
		return list, nil
	}
	var parts []*shade.Expr
	for k := range f.Result.Count() {
		mask := 0xff
		if f.Result.Kind == shade.Bool {
			mask = 1
		}
		word := apply(shade.And, apply(shade.Add, shade.Value(sum), number(k)), number(mask))
		parts = append(parts, shadetest.FromWords(f.Result.Scalar(), func() *shade.Expr { return word }))
	}
	return append(list, shadetest.Return(shadetest.Vector(f.Result, parts))), nil
}
