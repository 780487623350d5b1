package isa

import (
	"github.com/isago/isago/internal/spec"
)

// TypeKind is what the bits of a value are.
type TypeKind uint8

// The kinds of values.
const (
	Unsigned = TypeKind(spec.ValueUnsigned)
	Signed   = TypeKind(spec.ValueSigned)
	Float    = TypeKind(spec.ValueFloat)
	Bool     = TypeKind(spec.ValueBool)
)

// Type is the type of a register, of an immediate or of an access to memory. The zero Type is no type.
type Type struct {
	// Kind is what the bits of one component are.
	Kind TypeKind
	// Bits is the size of one component; Lanes is the number of components, 1 for a scalar.
	Bits, Lanes int
}

// Size returns the size of all components in bits.
func (t Type) Size() int { return t.Bits * t.Lanes }

// String returns the type as descriptions write it, such as u32 or f32x4.
func (t Type) String() string { return string(t.Append(nil)) }

// Append appends the String of the type to dst.
func (t Type) Append(dst []byte) []byte {
	return spec.ValueType{Kind: spec.ValueKind(t.Kind), Bits: t.Bits, Lanes: t.Lanes}.Append(dst)
}

func typeOf(t spec.ValueType) Type { return Type{Kind: TypeKind(t.Kind), Bits: t.Bits, Lanes: t.Lanes} }

// File is a register file, or a view of one: a second way to name its registers, as vectors or as parts. Sets of the
// same description share their files, so that pointers can be compared.
type File struct {
	Name, Doc string
	// Aliases are other names of the file, for people.
	Aliases []string
	// Index is the position in Set.Files.
	Index int
	// Type is the type of one register.
	Type Type
	// Components are the names of the components of a register, "" for one without a name; nil if a register has one.
	Components []string
	// Count is the number of registers.
	Count int
	// Use is the purpose of the registers: temporary, input, output, constant, address, condition, predicate, counter or
	// special; "" if the description gives none.
	Use string
	// Single reports whether the file is a register without a number.
	Single bool
	// Of is the file that a view names registers of, nil for a file. The number of a view's first register is a multiple
	// of Align.
	Of    *File
	Align int
}

// Memory is a memory that instructions reach by address.
type Memory struct {
	Name, Doc string
	// Aliases are other names of the memory; the first is the one in assembly text.
	Aliases []string
	// Index is the position in Set.Memories.
	Index int
	// Use is the purpose of the memory, as in File.
	Use string
	// Size is the size in bytes, 0 if a launch decides.
	Size int64
	// Access are the types of the accesses that exist, as descriptions write them; nil if the description gives none.
	Access []string
	// Group is the name of the group that the memory belongs to, such as c for c0 to c15, "" for none. Number is the
	// number of the memory in the group, and Count is how many memories the group has.
	Group         string
	Number, Count int
}

// Output is a purpose that an output register can have for the stages after the program.
type Output struct {
	Name, Doc string
	// File is the file of the register, and Number its number, -1 if each program decides.
	File   *File
	Number int
	// Mask has bit i set if component i has this purpose.
	Mask uint64
	// Required reports whether a program that has an output with a purpose must have this one.
	Required bool
}

// declared are the files, memories and outputs of a description. Sets that differ in options share them.
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
			Name: o.Name, Doc: o.Doc, File: x.file(o.File), Number: o.Number, Mask: o.Mask, Required: o.Required,
		})
	}
	return x
}

// file returns the public form of a file, nil for nil.
func (x *declared) file(f *spec.File) *File {
	if f == nil {
		return nil
	}
	return x.files[f.Index]
}
