package isa

import (
	"github.com/isago/isago/internal/spec"
)

// TypeKind is the kind of a value: an unsigned integer, a signed integer, a floating-point number or a
// Boolean.
type TypeKind uint8

// The kinds of values.
const (
	Unsigned = TypeKind(spec.ValueUnsigned)
	Signed   = TypeKind(spec.ValueSigned)
	Float    = TypeKind(spec.ValueFloat)
	Bool     = TypeKind(spec.ValueBool)
)

// Type is the type of a register, an immediate or a memory access. The zero Type means that there is no
// type.
type Type struct {
	// Kind is the kind of each component.
	Kind TypeKind
	// Bits is the size of one component in bits. Lanes is the number of components, which is 1 for a
	// scalar.
	Bits, Lanes int
}

// Size returns the total size of all components in bits.
func (t Type) Size() int { return t.Bits * t.Lanes }

// String returns the type in the notation of descriptions, such as u32 or f32x4.
func (t Type) String() string { return string(t.Append(nil)) }

// Append appends the result of String to dst.
func (t Type) Append(dst []byte) []byte {
	return spec.ValueType{Kind: spec.ValueKind(t.Kind), Bits: t.Bits, Lanes: t.Lanes}.Append(dst)
}

func typeOf(t spec.ValueType) Type { return Type{Kind: TypeKind(t.Kind), Bits: t.Bits, Lanes: t.Lanes} }

// File is a register file or a view. A view names the registers of another file in a second way: each
// name refers to several registers or to a part of a register. The sets that WithOptions returns have
// the same files as the original Set, so pointers to files can be compared.
type File struct {
	Name, Doc string
	// Aliases are other names that users may write.
	Aliases []string
	// Index is the position in Set.Files.
	Index int
	// Type is the type of one register.
	Type Type
	// Components holds the name of each component of a register, or "" for a component without a name.
	// It is nil if a register has only one component.
	Components []string
	// Count is the number of registers.
	Count int
	// Use is the purpose of the registers: temporary, input, output, constant, address, condition,
	// predicate, counter or special. It is "" if the description declares no purpose.
	Use string
	// Single reports whether the file consists of a single register, whose name has no number.
	Single bool
	// Of is the file whose registers a view names. It is nil if the File is not a view. Register numbers
	// in a view are multiples of Align.
	Of    *File
	Align int
}

// Memory is a memory that instructions access by address.
type Memory struct {
	Name, Doc string
	// Aliases are other names that users may write. The first one is the name in assembly text.
	Aliases []string
	// Index is the position in Set.Memories.
	Index int
	// Use is the purpose of the memory, one of the values that File.Use can have. It is "" if the
	// description declares no purpose.
	Use string
	// Size is the size in bytes, or 0 if each launch sets the size.
	Size int64
	// Access lists the types of the values that code loads and stores, in the notation of descriptions.
	// It is nil if the description declares no types.
	Access []string
	// Group is the name of the group that contains the memory, such as c for c0 to c15. It is "" if the
	// memory is not in a group. Number is the number of the memory in the group, and Count is the number
	// of memories in the group.
	Group         string
	Number, Count int
}

// Output is a meaning that an output register can have for the next pipeline stage.
type Output struct {
	Name, Doc string
	// File is the file of the registers. Number is the number of the first of Count registers, or -1 if
	// each program chooses the register.
	File          *File
	Number, Count int
	// Bit i of Mask is set if component i has this meaning.
	Mask uint64
	// Required reports whether a program must have this output if any of its outputs has a meaning.
	Required bool
	in       spec.In
}

// declared holds the files, memories and outputs of a description. Sets that differ only in their
// options share one declared.
type declared struct {
	files    []*File
	memories []*Memory
	outputs  []*Output
}

func newDeclared(d *spec.ISA) *declared {
	x := &declared{}
	for _, f := range d.Files {
		x.files = append(x.files, &File{
			Name: f.Name, Doc: f.Doc, Aliases: f.Aliases, Index: f.Index, Type: typeOf(f.Type), Components: f.Components(),
			Count: f.Count, Use: f.Use, Single: f.Single, Align: f.Align,
		})
	}
	for i, f := range d.Files {
		x.files[i].Of = x.file(f.Of)
	}
	for _, m := range d.Memories {
		x.memories = append(x.memories, &Memory{
			Name: m.Name, Doc: m.Doc, Aliases: m.Aliases, Index: m.Index, Use: m.Use, Size: m.Size, Access: m.Access,
			Group: m.Of, Number: m.Number, Count: m.Count,
		})
	}
	for _, o := range d.Outputs {
		x.outputs = append(x.outputs, &Output{
			Name: o.Name, Doc: o.Doc, File: x.file(o.File), Number: o.Number, Count: o.Count, Mask: o.Mask, Required: o.Required, in: o.In,
		})
	}
	return x
}

// file returns the public form of f, or nil if f is nil.
func (x *declared) file(f *spec.File) *File {
	if f == nil {
		return nil
	}
	return x.files[f.Index]
}
