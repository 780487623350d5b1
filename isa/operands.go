package isa

import (
	"slices"

	"github.com/isago/isago/internal/spec"
)

// Operand is an operand of a decoded instruction, as the description says it.
type Operand struct {
	// Name is the description's, such as DST or A.
	Name string
	Role Role
	Kind OperandKind
	// Register is the register of a Register; its File is nil elsewhere.
	Register Register
	// Relative is what is added to the number of the register or to the address; its File is nil where
	// nothing is.
	Relative Register
	// Swizzle gives for each component of the operand the one of the register that it is. Swizzled
	// reports whether the description has one; else each is itself.
	Swizzle  [4]uint8
	Swizzled bool
	// Mask has bit 0 set where the first component is written, and so on. Masked reports whether the
	// description has one; else all are.
	Mask   uint8
	Masked bool
	// Modifiers are the changes of the value.
	Modifiers Modifiers
	// Memory is where the operand lies, of a Memory; nil elsewhere. Its address is Value, in bytes.
	Memory *Memory
	// Type is that of an immediate, and that with which memory is reached.
	Type Type
	// Value is the number of an immediate, sign-extended where its Type is signed; of a Target the
	// address in bits from the start of the program; elsewhere the operand's bits.
	Value uint64
	// Bits are where the operand is, its pieces in the order of the text, of each piece the most
	// significant bits first.
	Bits []BitRange
	// Start and End are the place in the text, in bytes.
	Start, End int
}

// BitRange is a run of bits of the word, or of a table entry.
type BitRange struct {
	Part
	// Table is the number of the table, -1 for the word; Entry is that of its entry.
	Table, Entry int
}

// Register is a register, or a part of one, or several in a row.
type Register struct {
	// File is the register file, nil for no register; View is the view through which the register is
	// named, nil for none.
	File, View *File
	// Index is the number of the first register in File, without what is added to it; Count is how many
	// there are.
	Index, Count int
	// Low and Width are the bits of the register: $r2h is bits 16 to 31 of r2.
	Low, Width int
	// Component is the one component that is meant, -1 for all.
	Component int
}

// Role says what an instruction does with an operand: its String is read, write, both, or "" for none.
type Role = spec.Role

// The roles; RoleNone where the description does not say.
const (
	RoleNone  = spec.RoleNone
	Read      = spec.RoleRead
	Write     = spec.RoleWrite
	ReadWrite = spec.RoleBoth
)

// OperandKind says what an operand is. Its String is as descriptions write it: register, immediate and so on; "" for
// unknown.
type OperandKind = spec.OperandKind

// The kinds of operands. UnknownOperand is one of which the description says nothing.
const (
	UnknownOperand   = spec.OperandNone
	RegisterOperand  = spec.OperandRegister
	ImmediateOperand = spec.OperandImmediate
	MemoryOperand    = spec.OperandMemory
	TargetOperand    = spec.OperandTarget
	ConditionOperand = spec.OperandCondition
	ModifierOperand  = spec.OperandModifier
	SamplerOperand   = spec.OperandSampler
)

// Type is the type of a value: the Kind and size in Bits of one component, and how many Lanes there are, 1 for a plain
// value. Size is that of all, in bits; its String is as descriptions write it: u32, f32x4.
type Type = spec.ValueType

// TypeKind is what the bits of a value are.
type TypeKind = spec.ValueKind

// The kinds of values.
const (
	Unsigned = spec.ValueUnsigned
	Signed   = spec.ValueSigned
	Float    = spec.ValueFloat
	Bool     = spec.ValueBool
)

// File is a register file, or a view on one.
type File struct {
	Name, Doc string
	// Type is that of a register; Count is the number of registers.
	Type  Type
	Count int
	// Use says what the registers are for: temporary, input, output, constant, address, condition,
	// predicate, counter or special; "" where the description does not say.
	Use string
	// Components are the names of a register's components, empty where it has one.
	Components []string
	// Of is the file that a view looks at, nil for a file.
	Of *File
	// Align is what the number of a view's first register is a multiple of.
	Align int
}

// Memory is a memory that instructions reach by address.
type Memory struct {
	Name, Doc string
	// Use says what the memory is for: temporary, input, output, constant and so on, as files; "" where
	// the description does not say.
	Use string
	// Size is the number of bytes, 0 where a launch decides.
	Size int64
	// Access are the types with which it can be reached; empty where the description does not say.
	Access []Type
}

// Modifiers are changes of an operand's value, a bit each.
type Modifiers uint64

// The modifiers that every machine may have. Set.Modifiers names the others.
const (
	Negate Modifiers = 1 << iota
	Absolute
	Saturate
)

// Modifiers lists the names of a machine's modifiers; the bit of each is its place.
func (s *Set) Modifiers() []string { return s.model.ISA.Modifiers }

// Files lists the register files and the views on them, in the order of the description.
func (s *Set) Files() []*File { return s.files }

// File returns a register file or view by name, nil where there is none.
func (s *Set) File(name string) *File {
	if i := slices.IndexFunc(s.files, func(f *File) bool { return f.Name == name }); i >= 0 {
		return s.files[i]
	}
	return nil
}

// Memories lists the memories.
func (s *Set) Memories() []*Memory { return s.memories }

// Limit returns a number that the description gives a bound of programs; ok is false where there is
// none of that name.
func (s *Set) Limit(name string) (most uint64, ok bool) {
	if l := s.model.ISA.Limit(name); l != nil {
		return l.Most, true
	}
	return 0, false
}

// Stack returns how many places a stack keeps, 0 where that is not known; ok is false where there is none
// of that name.
func (s *Set) Stack(name string) (depth int, ok bool) {
	if x := s.model.ISA.Stack(name); x != nil {
		return x.Depth, true
	}
	return 0, false
}

// loadFiles makes the files and memories of a set.
func (s *Set) loadFiles() {
	for _, f := range s.model.ISA.Files {
		file := &File{Name: f.Name, Doc: f.Doc, Type: f.Type, Count: f.Count, Use: f.Use, Align: f.Align, Components: componentNames(f)}
		s.files = append(s.files, file)
	}
	for i, f := range s.model.ISA.Files {
		if f.Of != nil {
			s.files[i].Of = s.files[f.Of.Index]
		}
	}
	for _, m := range s.model.ISA.Memories {
		memory := &Memory{Name: m.Name, Doc: m.Doc, Use: m.Use, Size: m.Size}
		for _, a := range m.Access {
			t, _ := spec.ParseValueType(a) // one that is none was refused
			memory.Access = append(memory.Access, t)
		}
		s.memories = append(s.memories, memory)
	}
}

func componentNames(f *spec.File) []string {
	if f.Type.Lanes == 1 {
		return nil
	}
	names := make([]string, f.Type.Lanes)
	for i := range names {
		if names[i] = string("xyzw"[i&3]); i > 3 {
			names[i] = ""
		}
	}
	if f.Names != nil {
		for _, v := range f.Names.Values {
			if v.Val < uint64(len(names)) && v.Syntax == "" {
				names[v.Val] = v.Display
			}
		}
	}
	return names
}

// Operands appends the operands that the text of an instruction shows to buf, in the order of the
// text. What buf has room for is reused, the bits of operands too. The places in the text are those of
// Append on an empty slice.
func (d *Decoder) Operands(buf []Operand, in Inst) []Operand {
	text, buf := d.AppendOperands(d.text[:0], buf, in)
	d.text = text
	return buf
}

// AppendOperands is Append and Operands in one.
func (d *Decoder) AppendOperands(dst []byte, buf []Operand, in Inst) ([]byte, []Operand) {
	w := &d.walk
	w.d, w.out, w.start = d, buf, len(dst)
	d.watch = watchOperands
	dst = d.Append(dst, in)
	d.watch = watchNothing
	buf, w.out = w.out, nil
	return dst, buf
}

// Register returns the register that a word means, of a decoder whose root is a kind of operand; its File
// is nil where the word means none.
func (d *Decoder) Register(in Inst) Register {
	r := Register{Component: -1}
	d.take(in)
	d.walk.d = d
	d.walk.register(&r, d.frames[0].leaf.Knowledge().Own.Regs, 0)
	return r
}
