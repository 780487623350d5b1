// Package sem parses and checks the semantics of a description. It lowers the semantics of an instruction to Code, a list of
// typed operations. docs/ir.md describes the operations, their order and their guards; the table operations has their
// signatures, and Code.Verify checks them.
package sem

import (
	"slices"
	"strconv"

	"github.com/isago/isago/internal/spec"
)

// Kind is the kind of a type.
type Kind uint8

// The kinds of types. None is the kind of code that returns nothing. Int and Real are the kinds of numbers that have no type
// yet: literals, fields, and results of computations with them.
const (
	None Kind = iota
	Bool
	Uint
	Sint
	Float
	Int
	Real
	Tuple
)

// Type is the type of an expression.
type Type struct {
	Kind Kind
	// Width is the number of bits of a component.
	Width int
	// Len is the number of components of a vector, or 0.
	Len int
	// rare is nil for most types. With it a type has four fields, as many as travel in registers.
	rare *rareType
}

// rareType is what few types have.
type rareType struct {
	maybe bool
	elems []Type
	enum  *spec.Enum
}

var justMaybe = &rareType{maybe: true}

// tupleOf returns the type of a tuple.
func tupleOf(elems []Type) Type { return Type{Kind: Tuple, rare: &rareType{elems: elems}} }

// elems are the types of a tuple.
func (t Type) elems() []Type {
	if t.rare == nil {
		return nil
	}
	return t.rare.elems
}

// enum is the enum of which an Int is a value, or nil.
func (t Type) enum() *spec.Enum {
	if t.rare == nil {
		return nil
	}
	return t.rare.enum
}

// maybe reports whether there may be no value: T?.
func (t Type) maybe() bool { return t.rare != nil && t.rare.maybe }

// optional returns T? for T, or T for T?.
func (t Type) optional(maybe bool) Type {
	switch {
	case t.Kind == Tuple:
		t.rare = &rareType{maybe: maybe, elems: t.elems()}
	case maybe:
		t.rare = justMaybe
	default:
		t.rare = nil
	}
	return t
}

// Frequent types.
var (
	BoolType = Type{Kind: Bool, Width: 1}
	U32      = Type{Kind: Uint, Width: 32}
	U64      = Type{Kind: Uint, Width: 64}
	F32      = Type{Kind: Float, Width: 32}
	intType  = Type{Kind: Int}
	realType = Type{Kind: Real}
)

// Elem returns the type of a component.
func (t Type) Elem() Type {
	if t.Len = 0; t.Kind != Tuple {
		t.rare = nil
	}
	return t
}

// Count returns the number of components.
func (t Type) Count() int {
	if t.Kind == None {
		return 0
	}
	return max(1, t.Len)
}

// String returns the type in the syntax of descriptions.
func (t Type) String() string { return string(t.append(nil)) }

func (t Type) append(dst []byte) []byte {
	width := int64(t.Width)
	switch t.Kind {
	case None:
		dst = append(dst, "nothing"...)
	case Bool:
		dst = append(dst, "bool"...)
	case Uint:
		dst = strconv.AppendInt(append(dst, 'u'), width, 10)
	case Sint:
		dst = strconv.AppendInt(append(dst, 's'), width, 10)
	case Float:
		dst = strconv.AppendInt(append(dst, 'f'), width, 10)
	case Int:
		if e := t.enum(); e != nil {
			return append(dst, e.Name...)
		}
		dst = append(dst, "number"...)
	case Real:
		dst = append(dst, "number with a fraction"...)
	case Tuple:
		dst = append(dst, '(')
		for i, e := range t.elems() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = e.append(dst)
		}
		dst = append(dst, ')')
	}
	if t.Len > 0 {
		dst = strconv.AppendInt(append(dst, 'x'), int64(t.Len), 10)
	}
	if t.maybe() {
		dst = append(dst, '?')
	}
	return dst
}

// same reports whether two types are one, whether or not there may be no value.
func (t Type) same(u Type) bool {
	if t.Kind != u.Kind || t.Width != u.Width || t.Len != u.Len || t.enum() != u.enum() {
		return false
	}
	return t.rare == u.rare || slices.EqualFunc(t.elems(), u.elems(), Type.same)
}

func (t Type) integer() bool { return t.Kind == Uint || t.Kind == Sint }

// loose reports whether the type is still to be settled.
func (t Type) loose() bool { return t.Kind == Int || t.Kind == Real }

// mask returns the bits of a component.
func (t Type) mask() uint64 {
	if t.Width >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(t.Width) - 1
}

// signed reads the bits of a component as a number of the type.
func (t Type) signed(x uint64) int64 {
	if t.Kind == Sint && t.Width < 64 {
		return int64(x<<uint(64-t.Width)) >> uint(64-t.Width)
	}
	return int64(x)
}
