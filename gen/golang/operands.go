package golang

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
)

// operandTypes are the types of operands.
const operandTypes = `
// Role is what an instruction does with an operand.
type Role uint8

// The roles; RoleNone if the description has none.
const (
	RoleNone Role = iota
	RoleRead
	RoleWrite
	RoleBoth
)

// OperandKind is what an operand is.
type OperandKind uint8

// The kinds of operands. OperandUnknown is an operand without facts in the description.
const (
	OperandUnknown OperandKind = iota
	OperandRegister
	OperandImmediate
	OperandMemory
	OperandTarget
	OperandCondition
	OperandModifier
	OperandSampler
)

// TypeKind is what the bits of a value are.
type TypeKind uint8

// The kinds of values.
const (
	TypeUnsigned TypeKind = iota
	TypeSigned
	TypeFloat
	TypeBool
)

// Type is the type of a value: Lanes, each of Bits bits.
type Type struct {
	Kind        TypeKind
	Bits, Lanes int
}

// Reg is a register, a part of one, or several consecutive ones; its File is FileNone for none.
type Reg struct {
	// File is the register file. View is the view through which the text names the register, FileNone for none.
	File, View File
	// Number is the number of the first register in File, without the relative part. Count is the number of registers; they
	// end with the file.
	Number int64
	Count  int
	// Low and Width are the bits of the register.
	Low, Width int
	// Component is the selected component, -1 for all.
	Component int
}

// Operand is an operand that the text of an instruction shows.
type Operand struct {
	// Name is the name in the description.
	Name string
	Role Role
	Kind OperandKind
	// Relative is added to the number of Reg or to the address.
	Reg, Relative Reg
	// Swizzle has the source component in the register for each component, if Swizzled is set. Mask has a bit for each
	// component that is written, the first in bit 0, if Masked is set.
	Swizzle          [4]uint8
	Mask             uint8
	Swizzled, Masked bool
	Modifiers        uint64
	Memory           Memory
	// Type is the type of an immediate, or of an access to memory.
	Type Type
	// Value is an immediate, sign-extended; the address of memory in bytes, or of a target in bits; the bits of other operands.
	Value uint64
}
`

// registerFiles declares the register files and views, the memories and the modifiers.
func (w *writer) registerFiles() {
	w.f("\n// File is a register file, or a view on one.\ntype File uint16\n\n// The register files, and the views on them.\nconst (\n")
	for i, f := range w.p.Files {
		w.numbered("File", f.Name, f.Doc, "File", fmt.Sprint(i))
	}
	w.f("\tFileNone File = %d\n)\n", len(w.p.Files))
	if w.p.Mesa {
		return
	}
	w.f("\n// Memory is a memory.\ntype Memory uint16\n\n// The memories.\nconst (\n")
	for i, m := range w.p.ISA.Memories {
		w.numbered("Memory", m.Name, m.Doc, "Memory", fmt.Sprint(i))
	}
	w.f("\tMemoryNone Memory = %d\n)\n\n// The changes of an operand's value, a bit each.\nconst (\n", len(w.p.ISA.Memories))
	for i, m := range w.p.ISA.Modifiers {
		w.numbered("Modifier", m, "", "", fmt.Sprintf("1 << %d", i))
	}
	w.f(")\n%s", operandTypes)
}

// numbered declares a constant.
func (w *writer) numbered(prefix, name, doc, kind, value string) {
	if doc == "" {
		doc = name
	}
	w.f("\t%s %s = %s // %s\n", w.names.Unique(prefix+camel(gen.Lower(name)), ""), kind, value, gen.Comment(doc))
}

// operands writes what lists the operands of an instruction.
func (w *writer) operands() {
	for _, r := range w.p.MainFirst() {
		if !r.Top || len(r.Leaves) == 0 {
			continue
		}
		w.f(`
// Operands returns the operands in the text of the instruction, in the order of the text.
func (in %s) Operands(o *Options) []Operand {
	quiet := *o
	quiet.Field = nil
	p := &printer{o: &quiet, unit: %d}
	if int(in.Op) >= len(leaves%s) {
		return nil
	}
	w := in.Bits
	s := &scope{w: %s, leaf: &leaves%s[in.Op]}
`, w.of("Inst", r), r.Stored, camel(r.Name), w.fill("TOLIMBS"), camel(r.Name))
		b := &body{w: w}
		w.eachClass(b, func(c int) { b.dispatch(r.Decoders[c].Collect, "in.Op") })
		w.f("%s\treturn p.list\n}\n", b.b.String())
	}
	w.funcsOf(forOperands)
}

// addOperand adds an operand if its text is not empty, and says what it is.
func (f *body) addOperand(s *gen.Stmt) {
	f.line("{")
	if len(s.Body) > 0 {
		f.marks++
		f.line("from%d := len(p.out)", f.marks)
		n := f.marks
		f.stmts(s.Body)
		f.line("if len(p.out) != from%d {", n)
	}
	f.line("p.openOperand(%q, %d, %d)", s.Text, s.Numbers[0], s.Numbers[1])
	f.stmts(s.Else)
	f.line("p.closeOperand()")
	if len(s.Body) > 0 {
		f.line("}")
	}
	f.line("}")
}

// act calls a function of the runtime.
func (f *body) act(s *gen.Stmt) {
	var list []string
	for _, n := range s.Numbers {
		if n < 0 { // a file that there is not
			n = len(f.w.p.Files)
		}
		list = append(list, fmt.Sprint(n))
	}
	for _, x := range s.Values {
		list = append(list, f.value(x))
	}
	f.line("p.%s(%s)", local(s.Text), strings.Join(list, ", "))
}
