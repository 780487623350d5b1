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
	// Register is the register that the operand names. Its File is nil if the operand names no register
	// of a declared file. Conditions and samplers can name a register too.
	Register Register
	// Relative is the register whose value is added to the register number or to the address. Its File
	// is nil if no register is added.
	Relative Register
	// Swizzle holds, for each component of the operand, the number of the register component that it
	// reads. Swizzled reports whether the description declares a swizzle. Without a swizzle, each
	// component reads the register component with the same number.
	Swizzle  [4]uint8
	Swizzled bool
	// Bit i of Mask is set if component i is written. Masked reports whether the description declares a
	// mask. Without a mask, all components are written.
	Mask   uint8
	Masked bool
	// Modifiers are the changes to the value, such as negation.
	Modifiers Modifiers
	// Memory is the memory that contains the operand, or nil.
	Memory *Memory
	// Type is the type of an immediate or of a memory access.
	Type Type
	// Value depends on Kind. For an immediate, Value is the number, sign-extended if Type is signed. For
	// a memory operand, Value is the address in bytes before Relative is added. For a branch target,
	// Value is the address in bits from the start of the program. For a condition, a modifier or a
	// sampler, Value holds the bits of the operand. For a register, Value is 0 or, if Register.File is
	// nil, the number in the word.
	Value uint64
	// Bits are the bits on which the operand depends in this word, each listed once. The bits of the
	// printed parts come first, in the order of the text. Within a part, the most significant bits come
	// first. The bits of a nested bitset precede the bits of its parameters. Last come the bits that
	// determine which parts the operand has and what they mean. These last bits exclude bits that select
	// the instruction and bits of a mnemonic or of another operand.
	Bits []BitRange
	// Start and End delimit the operand in the text, in bytes.
	Start, End int
}

// BitRange is a run of bits in the word or in a table entry.
type BitRange struct {
	bits.Part
	// Table is the index of the table in Set.Tables, or -1 for bits of the word. Entry is the index of
	// the table entry.
	Table, Entry int
}

// Register is a register, a part of a register, or several consecutive registers.
type Register struct {
	// File is the register file, or nil if there is no register. View is the view that names the
	// register, or nil.
	File, View *File
	// Index is the number of the first register in File, before Relative is added. Count is the number
	// of registers. Registers beyond the end of the file are not counted.
	Index, Count int
	// Low is the lowest bit of the part of the register, and Width is the number of bits. Both are 16
	// for $r2h if $r2h consists of bits 16 to 31 of $r2.
	Low, Width int
	// Component is the component of the register, or -1 for all components.
	Component int
}

// Role records whether an instruction reads or writes an operand.
type Role uint8

// The roles. An operand has RoleNone if the description declares no role for it.
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

// The kinds of operands. An operand has UnknownOperand if the description does not determine its kind.
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

// String returns the name of the kind in descriptions, such as register or immediate. It returns "" for
// UnknownOperand.
func (k OperandKind) String() string { return spec.OperandKind(k).String() }

// Modifiers is a set of changes to an operand's value, such as negation. Each change has one bit.
type Modifiers uint64

// The modifiers that are the same for all machines. A description can add others. Set.Modifiers lists
// the names of all modifiers.
const (
	Negate Modifiers = 1 << iota
	Absolute
	Saturate
)

// Modifiers lists the names of the machine's modifiers. The name at index i belongs to bit i of
// Modifiers.
func (s *Set) Modifiers() []string { return s.model.ISA.Modifiers }

// Files lists the register files and views, in the order of the description.
func (s *Set) Files() []*File { return s.declared.files }

// File returns the register file or view with the given name, or nil if there is none.
func (s *Set) File(name string) *File { return s.declared.file(s.model.ISA.File(name)) }

// Memories lists the memories, in the order of the description.
func (s *Set) Memories() []*Memory { return s.declared.memories }

// Limit returns the limit on programs that the description declares under the given name. ok is false if
// there is no such limit.
func (s *Set) Limit(name string) (most uint64, ok bool) {
	if l := s.model.ISA.Limit(name); l != nil {
		return l.Most, true
	}
	return 0, false
}

// Outputs lists the meanings that the registers of files can have in the given contexts.
func (s *Set) Outputs(ctx bits.Value) (list []*Output) {
	for _, o := range s.declared.outputs {
		if o.File != nil && o.in.Holds(ctx) {
			list = append(list, o)
		}
	}
	return list
}

// StackDepth returns the number of entries that a stack can hold, or 0 if the number is unknown. ok is
// false if the description declares no stack with that name.
func (s *Set) StackDepth(name string) (depth int, ok bool) {
	if x := s.model.ISA.Stack(name); x != nil {
		return x.Depth, true
	}
	return 0, false
}

// Operands appends the operands in the text of an instruction to buf, in the order of the text. It
// reuses the capacity of buf and of the Bits slices in it. Start and End refer to the text that Append
// appends to an empty slice.
func (d *Decoder) Operands(buf []Operand, in Inst) []Operand {
	text, buf := d.AppendOperands(d.text[:0], buf, in)
	d.text = text
	return buf
}

// AppendOperands appends the text of an instruction to dst like Append, and its operands to buf like
// Operands. Start and End count from the start of that text.
func (d *Decoder) AppendOperands(dst []byte, buf []Operand, in Inst) ([]byte, []Operand) {
	w := &d.walk
	w.d, w.out, w.start = d, buf, len(dst)
	d.watch = watchOperands
	dst = d.Append(dst, in)
	d.watch = watchNothing
	buf, w.out = w.out, nil
	return dst, buf
}

// Register returns the register that a word names, if the decoder's root is a kind of operand. Its File
// is nil if the word does not name a register.
func (d *Decoder) Register(in Inst) Register {
	r := Register{Component: -1}
	d.setTop(in)
	d.walk.d = d
	d.walk.register(&r, d.frames[0].leaf.LeafFacts().Own.Regs, 0)
	return r
}
