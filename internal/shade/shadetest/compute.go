// Package shadetest makes compute shaders that run the functions of a library, for tests.
package shadetest

import (
	"fmt"
	"slices"

	"github.com/isago/isago/internal/shade"
)

// Buffer returns a storage buffer, and its array of uint.
func Buffer(name string, binding int) (*shade.Block, *shade.Expr) {
	b := &shade.Block{Kind: shade.StorageBuffer, Name: name + "_buffer", Binding: binding}
	v := &shade.Var{Name: name, Type: shade.U32.Array(-1), Storage: shade.Member, Block: b, Stride: 4}
	b.Members = []*shade.Var{v}
	return b, shade.Value(v)
}

// Set returns an assignment.
func Set(dest, value *shade.Expr) *shade.Stmt {
	return &shade.Stmt{Kind: shade.Assign, Dest: dest, Value: value}
}

// Declare returns a declaration. value may be nil.
func Declare(v *shade.Var, value *shade.Expr) *shade.Stmt {
	return &shade.Stmt{Kind: shade.Declare, Var: v, Value: value}
}

// If returns an If without an else part.
func If(cond *shade.Expr, body ...*shade.Stmt) *shade.Stmt {
	return &shade.Stmt{Kind: shade.If, Value: cond, Body: body}
}

// Return returns a Return of a value.
func Return(value *shade.Expr) *shade.Stmt { return &shade.Stmt{Kind: shade.Return, Value: value} }

// Part returns a component of a scalar or vector.
func Part(e *shade.Expr, k int) *shade.Expr {
	if e.Type.N == 0 {
		return e
	}
	return shade.Pick(e, k)
}

// Vector returns the scalar or vector of components.
func Vector(t shade.Type, parts []*shade.Expr) *shade.Expr {
	if t.N == 0 {
		return parts[0]
	}
	return shade.Make(shade.Construct, t, parts...)
}

// Size returns the number of words that hold a component.
func Size(t shade.Type) int { return max(1, int(t.Width)/32) }

// FromWords returns the scalar whose bits are in words.
func FromWords(t shade.Type, next func() *shade.Expr) *shade.Expr {
	switch {
	case t.Kind == shade.Bool:
		return shade.Apply(shade.Ne, next(), shade.Uint32(0))
	case t.Width == 64:
		return shade.Make(shade.Bitcast, t, shade.Make(shade.Construct, shade.U32.Vec(2), next(), next()))
	}
	return shade.Make(shade.Bitcast, t, next())
}

// ToWords returns the words with the bits of a scalar.
func ToWords(e *shade.Expr) []*shade.Expr {
	switch {
	case e.Type.Kind == shade.Bool:
		return []*shade.Expr{shade.Make(shade.Convert, shade.U32, e)}
	case e.Type.Width == 64:
		pair := shade.Make(shade.Bitcast, shade.U32.Vec(2), e)
		return []*shade.Expr{shade.Pick(pair, 0), shade.Pick(pair, 1)}
	}
	return []*shade.Expr{shade.Make(shade.Bitcast, shade.U32, e)}
}

// InputBytes is the size of the uniform block with the arguments of lanes.
const InputBytes = 1 << 16

// Together is the number of invocations that run the same lane if the arguments are in a uniform block.
const Together = 4

// Compute prints a compute shader that calls the function of a library for each lane, of which a workgroup has 64. Set 0 has
// the words of the arguments of each lane at binding 0 and the results at binding 1: a word that is 0 if the function returned
// false, and the words of the values that it returned in parameters. Binding 3 has the words of a memory. define returns the
// bodies of the functions that the library declares; it may be nil if there are none.
//
// If lanes is not 0, the arguments are in a uniform block at binding 4 instead, those of each lane from a multiple of 16 bytes on:
// lavapipe compiles a load from a storage buffer to a loop, and takes very long for many of them. The block has the arguments of
// the first lanes, which the other lanes share. Together invocations after each other then run the same lane: lavapipe, which runs
// that many in step, gives wrong values after some loops that invocations leave at different places.
func Compute(lib *shade.Shader, lanes int, define func(f *shade.Func, memory *shade.Expr) ([]*shade.Stmt, error), print func(s *shade.Shader) ([]byte, error)) ([]byte, error) {
	in, inputs := Buffer("test_in", 0)
	if lanes > 0 {
		in = &shade.Block{Kind: shade.UniformBlock, Name: "test_in_block", Binding: 4}
		v := &shade.Var{Name: "test_in", Type: shade.U32.Vec(4).Array(InputBytes / 16), Storage: shade.Member, Block: in, Stride: 16}
		in.Members, inputs = []*shade.Var{v}, shade.Value(v)
	}
	out, outputs := Buffer("test_out", 1)
	memory, bytes := Buffer("test_bytes", 3)
	in.ReadOnly, memory.ReadOnly, out.WriteOnly = lanes == 0, true, true
	id := &shade.Var{Name: "test_id", Type: shade.U32.Vec(3), Storage: shade.Input, Builtin: shade.GlobalID}
	s := *lib
	s.Stage, s.LocalSize = shade.Compute, [3]int{64, 1, 1}
	lane := shade.Pick(shade.Value(id), 0)
	if lanes > 0 {
		s.LocalSize[0] *= Together
		lane = shade.Apply(shade.Div, lane, shade.Uint32(Together))
	}
	s.Blocks = append([]*shade.Block{in, out, memory}, lib.Blocks...)
	s.Globals = append([]*shade.Var{id}, lib.Globals...)
	s.Controls = lib.Modes(shade.SignedZeroInfNanPreserve, shade.RoundingModeRTE)
	s.Entry = main(lib.Entry, lane, lanes, inputs, outputs)
	s.Funcs = append(slices.Clip(lib.Funcs), s.Entry)
	for _, f := range lib.Funcs {
		if !f.External {
			continue
		}
		body, err := define(f, bytes)
		if err != nil {
			return nil, err
		}
		f.External, f.Body = false, body
		defer func() { f.External, f.Body = true, nil }() // calls refer to it
	}
	return print(&s)
}

// main returns the function that calls f for a lane.
func main(f *shade.Func, lane *shade.Expr, lanes int, inputs, outputs *shade.Expr) *shade.Func {
	reads, writes := 0, 1
	for _, p := range f.Params {
		n := p.Type.Count() * max(1, p.Type.Len) * Size(p.Type)
		if p.Out {
			writes += n
		} else {
			reads += n
		}
	}
	at := func(buffer, lane *shade.Expr, perLane, k int) *shade.Expr {
		return shade.At(buffer, shade.Apply(shade.Add, shade.Apply(shade.Mul, lane, shade.Uint32(uint32(perLane))), shade.Uint32(uint32(k))))
	}
	in, out := -1, -1
	read := func() *shade.Expr {
		if in++; lanes > 0 {
			return shade.Pick(at(inputs, shade.Apply(shade.Mod, lane, shade.Uint32(uint32(lanes))), (reads+3)/4, in/4), in%4)
		}
		return at(inputs, lane, reads, in)
	}
	write := func() *shade.Expr {
		out++
		return at(outputs, lane, writes, out)
	}
	var args []*shade.Expr
	var body []*shade.Stmt
	for i, p := range f.Params {
		v := &shade.Var{Name: fmt.Sprint("test_", i), Type: p.Type}
		args, body = append(args, shade.Value(v)), append(body, Declare(v, nil))
		for n := 0; !p.Out && n < max(1, p.Type.Len); n++ {
			dest := shade.Value(v)
			if p.Type.Len > 0 {
				dest = shade.At(dest, shade.Uint32(uint32(n)))
			}
			var parts []*shade.Expr
			for range p.Type.Count() {
				parts = append(parts, FromWords(p.Type.Scalar(), read))
			}
			body = append(body, Set(dest, Vector(dest.Type, parts)))
		}
	}
	call, ok := shade.CallOf(f, args...), shade.Uint32(1)
	if call.Type == shade.None {
		body = append(body, &shade.Stmt{Kind: shade.Do, Value: call}, Set(write(), ok))
	} else {
		body = append(body, Set(write(), ToWords(call)[0]))
	}
	for i, p := range f.Params {
		for k := 0; p.Out && k < p.Type.Count(); k++ {
			for _, w := range ToWords(Part(args[i], k)) {
				body = append(body, Set(write(), w))
			}
		}
	}
	return &shade.Func{Name: "main", Body: body}
}
