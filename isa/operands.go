package isa

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/spec"
)

// Operand is an operand of a decoded instruction.
type Operand struct {
	// Name is the name in the description, such as DST or A.
	Name string
	Role Role
	Kind OperandKind
	// Register is the register, if Kind is RegisterOperand. Otherwise its File is nil.
	Register Register
	// Relative is the register that is added to the register number or to the address. Its File is nil
	// if there is none.
	Relative Register
	// Swizzle gives, for each component of the operand, the component of the register that it reads.
	// Swizzled reports whether the description declares a swizzle. Without one, each component reads
	// itself.
	Swizzle  [4]uint8
	Swizzled bool
	// Mask has bit i set if component i is written. Masked reports whether the description declares a
	// mask. Without one, all components are written.
	Mask   uint8
	Masked bool
	// Modifiers are the changes of the value, such as negation.
	Modifiers Modifiers
	// Memory is the memory that the operand is in, or nil. Its address is Value, in bytes.
	Memory *Memory
	// Type is the type of an immediate or of a memory access.
	Type Type
	// Value is the number of an immediate, sign-extended if its Type is signed. For a branch target it
	// is the address in bits from the start of the program. For other kinds it is the bits of the
	// operand.
	Value uint64
	// Bits are the bits on which the operand depends in this word, each listed once. The bits of its
	// text come first, in the order of the text and most significant first. The bits of a nested
	// bitset precede those of its parameters. Then follow the bits that determine the parts of the
	// operand and their meaning, except those that select the instruction or belong to a mnemonic or
	// to another operand.
	Bits []BitRange
	// Start and End delimit the operand in the text, in bytes.
	Start, End int
}

// BitRange is a run of bits in the word or in a table entry.
type BitRange struct {
	bits.Part
	// Table is the index of the table, or -1 for the word. Entry is the index of the entry.
	Table, Entry int
}

// Register is a register, a part of one, or several consecutive registers.
type Register struct {
	// File is the register file, or nil if there is no register. View is the view that names the
	// register, or nil.
	File, View *File
	// Index is the number of the first register in File, before Relative is added. Count is the number
	// of registers, not counting any beyond the end of the file.
	Index, Count int
	// Low and Width are the bits of the register. For example, $r2h is bits 16 to 31 of r2.
	Low, Width int
	// Component is the component of the register, or -1 for all components.
	Component int
}

// Role is what an instruction does with an operand.
type Role uint8

// The roles. RoleNone is the role of an operand for which the description gives none.
const (
	RoleNone  = Role(spec.RoleNone)
	Read      = Role(spec.RoleRead)
	Write     = Role(spec.RoleWrite)
	ReadWrite = Role(spec.RoleBoth)
)

// String returns read, write, both, or "" for RoleNone.
func (r Role) String() string { return spec.Role(r).String() }

// OperandKind is the kind of an operand.
type OperandKind uint8

// The kinds of operands. UnknownOperand is the kind of an operand for which the description gives none.
const (
	UnknownOperand   = OperandKind(spec.OperandNone)
	RegisterOperand  = OperandKind(spec.OperandRegister)
	ImmediateOperand = OperandKind(spec.OperandImmediate)
	MemoryOperand    = OperandKind(spec.OperandMemory)
	TargetOperand    = OperandKind(spec.OperandTarget)
	ConditionOperand = OperandKind(spec.OperandCondition)
	ModifierOperand  = OperandKind(spec.OperandModifier)
	SamplerOperand   = OperandKind(spec.OperandSampler)
)

// String returns the kind as descriptions write it: register, immediate and so on; "" for UnknownOperand.
func (k OperandKind) String() string { return spec.OperandKind(k).String() }

// Modifiers is a set of changes of an operand's value, one bit each.
type Modifiers uint64

// The modifiers that every machine may have. Set.Modifiers names the others.
const (
	Negate Modifiers = 1 << iota
	Absolute
	Saturate
)

// Modifiers lists the names of a machine's modifiers. The index of a name is the number of its bit.
func (s *Set) Modifiers() []string { return s.model.ISA.Modifiers }

// Files lists the register files and the views of them, in the order of the description.
func (s *Set) Files() []*File { return s.declared.files }

// File returns a register file or view by name, or nil.
func (s *Set) File(name string) *File { return s.declared.file(s.model.ISA.File(name)) }

// Memories lists the memories.
func (s *Set) Memories() []*Memory { return s.declared.memories }

// Limit returns a limit of programs that the description declares. ok is false if there is no limit of
// that name.
func (s *Set) Limit(name string) (most uint64, ok bool) {
	if l := s.model.ISA.Limit(name); l != nil {
		return l.Most, true
	}
	return 0, false
}

// Outputs lists the purposes that outputs of programs can have.
func (s *Set) Outputs() []*Output { return s.declared.outputs }

// StackDepth returns the capacity of a stack, or 0 if it is not known. ok is false if there is no stack of
// that name.
func (s *Set) StackDepth(name string) (depth int, ok bool) {
	if x := s.model.ISA.Stack(name); x != nil {
		return x.Depth, true
	}
	return 0, false
}

// Operands appends the operands in the text of an instruction to buf, in the order of the text. It
// reuses the capacity of buf and of its Bits. Start and End refer to the text that Append appends to
// an empty slice.
func (d *Decoder) Operands(buf []Operand, in Inst) []Operand {
	text, buf := d.AppendOperands(d.text[:0], buf, in)
	d.text = text
	return buf
}

// AppendOperands combines Append and Operands.
func (d *Decoder) AppendOperands(dst []byte, buf []Operand, in Inst) ([]byte, []Operand) {
	w := &d.walk
	w.d, w.out, w.start = d, buf, len(dst)
	d.watch = watchOperands
	dst = d.Append(dst, in)
	d.watch = watchNothing
	buf, w.out = w.out, nil
	return dst, buf
}

// Register returns the register that a word selects, if the decoder's root is a kind of operand. Its
// File is nil if the word does not select a register.
func (d *Decoder) Register(in Inst) Register {
	r := Register{Component: -1}
	d.setTop(in)
	d.walk.d = d
	d.walk.register(&r, d.frames[0].leaf.LeafFacts().Own.Regs, 0)
	return r
}
