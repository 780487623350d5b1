package spec

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
)

// ValueType is the type of a register or of a location in memory.
type ValueType struct {
	// Kind is the kind of one component.
	Kind ValueKind
	// Bits is the size of one component in bits. Lanes is the number of components, 1 for a scalar.
	Bits, Lanes int
}

// Size returns the size of the whole value in bits.
func (t ValueType) Size() int { return t.Bits * t.Lanes }

// String returns the type as a description writes it: u32, f32x4.
func (t ValueType) String() string { return string(t.Append(nil)) }

// Append appends the type as String returns it.
func (t ValueType) Append(dst []byte) []byte {
	if t.Kind == ValueBool {
		dst = append(dst, "bool"...)
	} else {
		dst = strconv.AppendInt(append(dst, "usf"[t.Kind]), int64(t.Bits), 10)
	}
	if t.Lanes > 1 {
		dst = strconv.AppendInt(append(dst, 'x'), int64(t.Lanes), 10)
	}
	return dst
}

// ValueKind defines how the bits of a value are interpreted.
type ValueKind uint8

// The kinds of values.
const (
	ValueUnsigned ValueKind = iota
	ValueSigned
	ValueFloat
	ValueBool
)

// ParseValueType parses a type: bool, u1 to u64, s1 to s64, f16, f32, f64, or a vector of 2 to 16 of these, such as
// f32x4. The second result reports whether s is a type.
func ParseValueType(s string) (ValueType, bool) {
	elem, lanes, vector := strings.Cut(s, "x")
	t := ValueType{Lanes: 1}
	if vector {
		n, err := strconv.Atoi(lanes)
		if err != nil || n < 2 || n > maxComponents || strconv.Itoa(n) != lanes {
			return t, false
		}
		t.Lanes = n
	}
	switch elem {
	case "":
		return t, false
	case "bool":
		t.Kind, t.Bits = ValueBool, 1
		return t, true
	}
	kind := strings.IndexByte("usf", elem[0])
	n, err := strconv.Atoi(elem[1:])
	if kind < 0 || err != nil || n < 1 || n > 64 || strconv.Itoa(n) != elem[1:] {
		return t, false
	}
	t.Kind, t.Bits = ValueKind(kind), n
	return t, t.Kind != ValueFloat || n == 16 || n == 32 || n == 64
}

// maxComponents is the largest number of components of a vector.
const maxComponents = 16

// File is a register file or a view of one. Its registers have one type and are numbered from 0.
type File struct {
	Name, Doc string
	Span      diag.Span
	Type      ValueType
	// Count is the number of registers.
	Count int
	// Use is the purpose of the registers, one of Uses, or "".
	Use string
	// Scope, Outside and Init are for running programs. They are "" if the description does not define them.
	Scope, Outside, Init string
	// Single is set for a <register>, which is not part of a file.
	Single bool
	// Once is set if a program should write each component at most once.
	Once bool
	// Given is the number of registers, starting with register 0, that have a value when a program starts.
	Given int
	// Carries has the meaning of Register.Carries.
	Carries bool
	// Allocated is set if each launch defines how many of the registers a program has. An access to any other register
	// counts as an access outside the file.
	Allocated bool
	// Names is the enum of the component names. It is nil if the names are x, y, z and w.
	Names *Enum
	// Of is the register file on which a view is defined. It is nil for a register file. A narrower view splits each
	// register of Of, the low bits first. A wider view joins consecutive registers of Of, the low bits first.
	Of *File
	// Align is 1 by default. The number of each register of a view must be a multiple of Align.
	Align int
	// Index is the position in ISA.Files.
	Index int
	// Aliases are other names that users may write.
	Aliases []string

	of     string
	ofSpan diag.Span
}

// Components returns the names of the components of a register. The name of an unnamed component is "". For a file of
// scalars, the result is nil.
func (f *File) Components() []string {
	if f.Type.Lanes == 1 {
		return nil
	}
	names := make([]string, f.Type.Lanes)
	copy(names, []string{"x", "y", "z", "w"})
	if f.Names != nil {
		for _, v := range f.Names.Values {
			if v.Val < uint64(len(names)) && v.Syntax == "" {
				names[v.Val] = v.Display
			}
		}
	}
	return names
}

// Extent describes a view. It returns the number of registers of Of that one register of the view uses, and the number
// of registers in Of. If register numbers wrap, the second result is the largest int32.
func (f *File) Extent() (count, end int) {
	if count = max(1, f.Type.Size()/f.Of.Type.Size()); f.Of.Outside == "wrap" {
		return count, math.MaxInt32
	}
	return count, f.Of.Count
}

// Uses lists the purposes of registers and memories.
var Uses = []string{"temporary", "input", "output", "constant", "address", "condition", "predicate", "counter", "special"}

var scopes = []string{"instruction", "lane", "wave", "block", "launch"}

// Memory is a memory that instructions address.
type Memory struct {
	Name, Doc string
	Span      diag.Span
	// Scope defines which lanes share the memory. It is "" if the description does not define it.
	Scope string
	// Size is the size in bytes, or 0 if each launch defines it.
	Size int64
	// Use is the purpose of the memory, one of Uses, or "".
	Use string
	// Access lists the types of accesses, as the description writes them. Outside is the effect of an access outside
	// the memory.
	Access  []string
	Outside string
	// Banks is the number of banks that hold consecutive words of 32 bits in turn, or 0 if the memory has no banks.
	Banks int
	// Aliases are other names that users may write. The first one is the name in assembly text.
	Aliases []string
	// Index is the position in ISA.Memories.
	Index int
	// Of is the name of the memory's group, such as c for c0 to c15, or "" for a memory without a group. Number is the
	// number in the group, and Count the number of memories in it.
	Of            string
	Number, Count int
}

// Output is a semantic of program outputs, such as position, by which the next stage of the pipeline finds them.
type Output struct {
	Name, Doc string
	Span      diag.Span
	// File is the file of the registers. It is nil if Register has the semantic, which is not in a file, or if the memory
	// named Memory has it at the address Offset. Number is the number of the first of Count registers, or -1 if each program
	// chooses the register.
	File          *File
	Register      *Register
	Memory        Code
	Offset        int64
	Number, Count int
	// Type is the type of each of Count values in a memory or in consecutive registers. Without it, each register is a value.
	Type Code
	// Default is the number of values of a program, unless the launch says otherwise. It is at most Count.
	Default int
	// After is the name of the output whose values the registers follow, or "".
	After string
	In    In
	// Mask has a bit for each component that has the semantic. Bit 0 is the first component.
	Mask uint64
	// Required is set if each program must declare this output. A program whose outputs all have an empty Mask need not
	// declare it.
	Required bool
	// Builtin is one of OutputBuiltins, or "".
	Builtin string
}

// OutputBuiltins are the values of the pipeline that an output can be.
var OutputBuiltins = []string{"position", "point-size", "depth", "discard"}

// Role defines how an instruction uses an operand.
type Role uint8

// The roles.
const (
	RoleNone Role = iota
	RoleRead
	RoleWrite
	RoleBoth
)

var roles = []string{"", "read", "write", "both"}

// String returns the role as a description writes it, "" for none.
func (r Role) String() string { return roles[r] }

// OperandKind is the kind of an operand.
type OperandKind uint8

// The kinds of operands. OperandNone means that the description does not define the kind.
const (
	OperandNone OperandKind = iota
	OperandRegister
	OperandImmediate
	OperandMemory
	OperandTarget
	OperandCondition
	OperandModifier
	OperandSampler
	OperandMnemonic // not an operand: the field is part of the instruction's name
)

var operandKinds = []string{"", "register", "immediate", "memory", "target", "condition", "modifier", "sampler", "mnemonic"}

// String returns the kind as a description writes it, "" for none.
func (k OperandKind) String() string { return operandKinds[k] }

// Operand is an <operand>, which gives one name to the parts of an operand.
type Operand struct {
	Name, Doc string
	Span      diag.Span
	Role      Role
	Kind      OperandKind
	// Displays are the templates by syntax, "" for the main syntax.
	Displays map[string]*Template
	Facts    Facts
	Actions

	clash bool // whether checkOperandNames has reported a field with this name
}

// shows reports whether each display of the operand refers to the field.
func (o *Operand) shows(field string) bool {
	for _, t := range o.Displays {
		if !slices.ContainsFunc(t.Items(), func(it Item) bool { return it.Ref == field }) {
			return false
		}
	}
	return true
}

// Facts defines the register or the memory location that an operand selects, and the modifications of its value.
type Facts struct {
	Reg       *Reg
	Mem       *Mem
	Relative  *Relative
	Modifiers []*Modifier
	// Swizzle has an expression for each component: the number of the register component that it reads. Mask has an
	// expression for each component, which is true if the component is written. nil means all components in order.
	Swizzle, Mask []*Expr
}

// IsZero reports whether no fact is defined.
func (f *Facts) IsZero() bool {
	return f.Reg == nil && f.Mem == nil && f.Relative == nil && f.Modifiers == nil && f.Swizzle == nil && f.Mask == nil
}

// Reg is a <reg>: the bits select a register.
type Reg struct {
	File *File
	// Index is the number of the register. Component is the number of the component, if the bits select only one, and
	// nil if they select all components.
	Index, Component *Expr
	// When is the condition under which the element applies, nil for always.
	When *Expr
	Span diag.Span

	file string
}

// Mem is a <mem>: the bits select a location in memory.
type Mem struct {
	// Memory is the memory, or the first memory of a group. It is nil if the enclosing operand defines it.
	Memory *Memory
	// Index is the number of the memory in its group, nil for a memory without a group.
	Index *Expr
	// Offset is the address in bytes, without the value of the relative register. It is nil if another part defines the
	// address.
	Offset *Expr
	// Type is the type of the access, or nil.
	Type *ValueType
	Span diag.Span

	memory string
}

// Relative is a <relative>: a register whose value is added to a register number or to an address.
type Relative struct {
	// Field is the part of the operand that selects the register. If Field is "", Reg selects the register.
	Field string
	Reg   Reg
	// Of is the only register file to which the addition applies. It is nil if the addition applies to any file.
	Of   *File
	Span diag.Span

	of string
}

// Modifier is a modification of a value: negate, absolute, saturate, or another name in the description.
type Modifier struct {
	Name string
	// Index is the position of the name in ISA.Modifiers.
	Index int
	// When is the condition under which the modifier applies.
	When *Expr
	Span diag.Span
}

// Flow is a <flow>: where a program may continue after an instruction, other than at the next instruction.
type Flow struct {
	Kind FlowKind
	Span diag.Span
	// Target is the field with the target. Count is the field with the length of the code at the target. "" means that
	// there is no such field.
	Target, Count string
	// Maybe is a condition on the word. If it holds, the instruction decides at run time whether control follows this
	// flow. nil means that it never decides at run time.
	Maybe *Expr
	// When is a condition on the word. The instruction has this flow only if it holds. nil means always.
	When *Expr
	// Stack is the name of the stack that the flow uses, or "" if it uses none.
	Stack string
}

// FlowKind is a kind of control flow.
type FlowKind uint8

// The kinds of flow. FlowIf and FlowLoop open a block that ends at the target, and FlowLoopEnd closes one. FlowPush
// saves an address for a later instruction. FlowWait waits for other threads and continues at the next instruction. If
// the flow names a stack, it waits for the threads whose newest saved address is on that stack.
const (
	FlowNext FlowKind = iota
	FlowJump
	FlowCall
	FlowReturn
	FlowEnd
	FlowIf
	FlowLoop
	FlowLoopEnd
	FlowBreak
	FlowPush
	FlowWait
)

var flowKinds = []string{"next", "jump", "call", "return", "end", "if", "loop", "loop-end", "break", "push", "wait"}

// String returns the kind as a description writes it.
func (k FlowKind) String() string { return flowKinds[k] }

// Stack is a stack on which control flow saves addresses.
type Stack struct {
	Name, Doc string
	Span      diag.Span
	// Depth is the capacity in entries, or 0 if it is unknown.
	Depth int
	// FullTraps is set if a push onto a full stack traps. Otherwise it overwrites the oldest entry. EmptyTraps is set
	// if a pop from an empty stack traps. Otherwise it has no effect.
	FullTraps, EmptyTraps bool
	Scope                 Scope
	Slots                 []Slot
}

// Layout is a <layout>: rules for the use of an instruction in a program.
type Layout struct {
	Span diag.Span
	// Align is the alignment of the address in bits, 0 for none.
	Align int
	// Filler is set for the instruction that an assembler inserts where a program needs an instruction, such as at the
	// end of a scope. Terminator is set for the instruction that an assembler adds to a program without an end.
	Filler, Terminator bool
	// NotLast defines where the instruction must not be the last word. "scope" means blocks and procedures, "loop"
	// means loops, and "" means that there is no such rule.
	NotLast string
	// Flushes is the file whose registers the instruction sends to the next stage, or nil. After the instruction, the
	// program may write these registers again.
	Flushes *File
	// Program is the kind of program that may contain the instruction. "" means any kind.
	Program string

	flushes string
}

// File returns the register file or view with the given name, or nil.
func (s *ISA) File(name string) *File {
	return find(s.Files, name, func(f *File) string { return f.Name })
}

// Memory returns the memory with the given name, or nil.
func (s *ISA) Memory(name string) *Memory {
	return find(s.Memories, name, func(m *Memory) string { return m.Name })
}

// group returns the first memory of the group with the given name, or nil.
func (s *ISA) group(name string) *Memory {
	if name == "" {
		return nil // Of is "" for memories without a group
	}
	return find(s.Memories, name, func(m *Memory) string { return m.Of })
}

// Limit returns the limit with the given name, or nil.
func (s *ISA) Limit(name string) *Limit {
	return find(s.Limits, name, func(l *Limit) string { return l.Name })
}

// Stack returns the stack with the given name, or nil.
func (s *ISA) Stack(name string) *Stack {
	return find(s.Stacks, name, func(x *Stack) string { return x.Name })
}

func find[T any](list []*T, name string, of func(*T) string) *T {
	if i := slices.IndexFunc(list, func(x *T) bool { return of(x) == name }); i >= 0 {
		return list[i]
	}
	return nil
}

// readChoice reads an attribute that is one of several words. It returns "" if the attribute is absent or invalid.
func (l *loader) readChoice(n *node, name string, words []string) string {
	v := n.value(name)
	if n.attr(name) != nil && (v == "" || !slices.Contains(words, v)) {
		words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
		l.fail(diag.Errorf(diag.XMLAttribute, n.at(name), "%s=%q, expected %s", name, v, joinOr(words)))
		return ""
	}
	return v
}

// readWordOrNumber reads an attribute that is one of several words or a number. It returns "" if the attribute is
// absent or invalid.
func (l *loader) readWordOrNumber(n *node, name string, words ...string) string {
	v := n.value(name)
	if _, _, ok := parseLiteral(v); n.attr(name) == nil || ok {
		return v
	}
	return l.readChoice(n, name, append(words, "a number"))
}

func (l *loader) readRole(n *node) Role {
	return Role(slices.Index(roles, l.readChoice(n, "role", roles)))
}

func (l *loader) readOperandKind(n *node) OperandKind {
	return OperandKind(slices.Index(operandKinds, l.readChoice(n, "kind", operandKinds)))
}

// readValueType reads the attribute type.
func (l *loader) readValueType(n *node) ValueType {
	t, ok := ParseValueType(n.value("type"))
	if !ok {
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("type"), "type=%q, expected bool, u1 to u64, s1 to s64, f16, f32, f64 or a vector such as f32x4", n.value("type")))
	}
	return t
}

// failDuplicate reports a second definition of a name, such as the name of a register file or of a memory.
func (l *loader) failDuplicate(n *node, name string, old diag.Span) {
	l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "%s %s is defined twice", n.name, name).With(old, "the other definition"))
}

func (l *loader) readFile(n *node) {
	f := &File{Name: l.readIdentifier(n), Doc: docOf(n), Span: n.span, Type: l.readValueType(n), Align: 1, Index: len(l.isa.Files), Aliases: l.readAliases(n)}
	if old := l.isa.File(f.Name); old != nil {
		l.failDuplicate(n, f.Name, old.Span)
	}
	if n.name == "view" {
		f.of, f.ofSpan = n.value("file"), n.at("file")
		if n.attr("align") != nil {
			f.Align = l.readNumber(n, "align", 1, 1<<16)
		}
	} else {
		f.Count = l.readNumber(n, "count", 1, 1<<20)
		f.Use, f.Scope = l.readChoice(n, "use", Uses), l.readChoice(n, "scope", scopes)
		f.Outside, f.Init = l.readWordOrNumber(n, "outside", "zero", "wrap", "trap"), l.readWordOrNumber(n, "init", "undefined")
		f.Once, f.Carries, f.Allocated = l.readBool(n, "once"), l.readBool(n, "carries"), l.readBool(n, "allocated")
		if n.attr("given") != nil {
			f.Given = l.readNumber(n, "given", 1, int64(f.Count))
		}
	}
	l.readComponentNames(n, f)
	l.isa.Files = append(l.isa.Files, f)
}

// readComponentNames resolves the enum that the attribute components names.
func (l *loader) readComponentNames(n *node, f *File) {
	a := n.attr("components")
	if a == nil {
		return
	}
	if f.Names = l.isa.enums[a.value.s]; f.Names == nil {
		l.fail(diag.Errorf(diag.Unresolved, a.value.span, "unknown enum %q", a.value.s))
	}
}

// checkAliases reports an alias that is the name or an alias of another register or memory.
func (l *loader) checkAliases() {
	check := func(what string, known map[string]bool, aliases []string, at diag.Span) {
		for _, a := range aliases {
			if known[a] {
				l.fail(diag.Errorf(diag.Duplicate, at, "%s is already the name of another %s", a, what))
			}
			known[a] = true
		}
	}
	registers, memories := map[string]bool{}, map[string]bool{}
	for _, f := range l.isa.Files {
		registers[f.Name] = true
	}
	for _, r := range l.isa.Meaning.Registers {
		registers[r.Name] = true
	}
	for _, m := range l.isa.Memories {
		memories[m.Name] = true
	}
	for _, f := range l.isa.Files {
		if !f.Single {
			check("register", registers, f.Aliases, f.Span)
		}
	}
	for _, r := range l.isa.Meaning.Registers {
		check("register", registers, r.Aliases, r.Span)
	}
	for _, m := range l.isa.Memories {
		if m.Number == 0 {
			check("memory", memories, m.Aliases, m.Span)
		}
	}
}

// linkViews resolves the file of each view.
func (l *loader) linkViews() {
	for _, v := range l.isa.Files {
		if v.Count > 0 || !v.ofSpan.IsValid() {
			continue
		}
		f := l.isa.File(v.of)
		switch {
		case f == nil || f.ofSpan.IsValid():
			l.fail(diag.Errorf(diag.Unresolved, v.ofSpan, "view %s of %q, expected a register file", v.Name, v.of))
			continue
		case v.Type.Size() == 0 || f.Type.Size() == 0: // readValueType has reported it
			continue
		case v.Type.Size()%f.Type.Size() != 0 && f.Type.Size()%v.Type.Size() != 0:
			l.fail(diag.Errorf(diag.FieldType, v.Span, "view %s of %d bits on registers of %d bits, expected one size to be a multiple of the other", v.Name, v.Type.Size(), f.Type.Size()))
			continue
		}
		v.Of, v.Use, v.Scope = f, f.Use, f.Scope
		if v.Count = f.Count; v.Type.Size() < f.Type.Size() {
			v.Count *= f.Type.Size() / v.Type.Size()
		}
	}
}

func (l *loader) readMemory(n *node) {
	m := Memory{Name: l.readIdentifier(n), Doc: docOf(n), Span: n.span, Scope: l.readChoice(n, "scope", scopes), Use: l.readChoice(n, "use", Uses), Outside: l.readWordOrNumber(n, "outside", "zero", "wrap", "trap"), Access: l.readAccess(n), Aliases: l.readAliases(n), Banks: l.readOptional(n, "banks", 0, 1, MaxLanes), Count: 1}
	if n.attr("size") != nil {
		m.Size = int64(l.readNumber(n, "size", 1, 1<<40))
	}
	if n.attr("count") == nil {
		l.addMemory(n, m)
		return
	}
	if old := l.isa.group(m.Name); old != nil {
		l.failDuplicate(n, m.Name, old.Span)
		return
	}
	m.Of, m.Count = m.Name, l.readNumber(n, "count", 1, maxMemories)
	for m.Number = range m.Count {
		m.Name = m.Of + strconv.Itoa(m.Number)
		l.addMemory(n, m)
	}
}

// maxMemories is the largest number of memories in a group.
const maxMemories = 256

func (l *loader) addMemory(n *node, m Memory) {
	if old := l.isa.Memory(m.Name); old != nil {
		l.failDuplicate(n, m.Name, old.Span)
	}
	m.Index = len(l.isa.Memories)
	l.isa.Memories = append(l.isa.Memories, &m)
}

// readAliases reads the other names of a register file, register or memory.
func (l *loader) readAliases(n *node) (list []string) {
	for _, c := range n.children {
		if c.name != "alias" {
			continue
		}
		switch text := c.text(); {
		case text.s == "" || strings.ContainsAny(text.s, " \t\r\n[]=,.") || n.name != "register" && strings.ContainsAny(text.s[len(text.s)-1:], "0123456789"):
			l.fail(diag.Errorf(diag.XMLAttribute, c.span, "<alias> %q of %s, expected a name without blanks, brackets, dots, commas, = or a final digit", text.s, n.value("name")))
		case slices.Contains(list, text.s) || text.s == n.value("name"):
			l.fail(diag.Errorf(diag.Duplicate, c.span, "%s already has the name %s", n.value("name"), text.s))
		default:
			list = append(list, text.s)
		}
	}
	return list
}

// readAccess reads the types of accesses to a memory.
func (l *loader) readAccess(n *node) []string {
	list := strings.Fields(n.value("access"))
	for _, s := range list {
		if _, ok := ParseValueType(s); !ok {
			l.fail(diag.Errorf(diag.XMLAttribute, n.at("access"), "access=%q, expected types such as u8 and f32x4", s))
		}
	}
	return list
}

func (l *loader) readStack(n *node) {
	s := &Stack{Name: l.readIdentifier(n), Doc: docOf(n), Span: n.span}
	if old := l.isa.Stack(s.Name); old != nil {
		l.failDuplicate(n, s.Name, old.Span)
	}
	if n.attr("depth") != nil {
		s.Depth = l.readNumber(n, "depth", 1, 1<<16)
	}
	l.readSlots(n, s)
	l.isa.Stacks = append(l.isa.Stacks, s)
}

// readOutput reads <output name="position" file="o" components="xyzw"/>. The reader of the semantics resolves the names of
// memories.
func (l *loader) readOutput(n *node) {
	o := &Output{
		Name: l.readName(n), Doc: docOf(n), Span: n.span, Number: -1, Count: 1, Required: l.readBool(n, "required"), File: l.isa.File(n.value("file")),
		In: l.readIn(n), Builtin: l.readChoice(n, "builtin", OutputBuiltins), Memory: l.readCode(n, "memory"), Type: l.readCode(n, "type"),
	}
	for _, old := range l.isa.Outputs {
		if old.Name == o.Name && old.In.overlaps(o.In) {
			l.failDuplicate(n, o.Name, old.Span)
			break
		}
	}
	if file, memory := n.attr("file"), n.attr("memory"); (file == nil) == (memory == nil) {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<output> with %s, expected a file or a memory", map[bool]string{true: "both", false: "neither"}[file != nil]))
		return
	}
	reject := func(attributes, of string) {
		for _, a := range n.attrs {
			if contains(attributes, a.name) {
				l.fail(diag.Errorf(diag.XMLAttribute, a.named(), "%s in an <output> of %s", a.name, of))
			}
		}
	}
	if n.attr("memory") != nil {
		reject("number components required after", "a memory")
		o.Number, o.Offset = 0, int64(l.readOptional(n, "offset", 0, 0, 1<<62))
		o.Count = l.readOptional(n, "count", 1, 1, 1<<20)
		o.Default = l.readOptional(n, "default", o.Count, 0, int64(o.Count))
		l.isa.Outputs = append(l.isa.Outputs, o)
		return
	}
	reject("offset", "a file")
	if o.File == nil {
		o.Register = find(l.isa.Meaning.Registers, n.value("file"), func(r *Register) string { return r.Name })
	}
	switch {
	case o.Register != nil:
		o.Number, o.Default = 0, 1
		reject("number count components required type default after", "a register that is not in a file")
		l.isa.Outputs = append(l.isa.Outputs, o)
		return
	case o.File == nil:
		l.fail(diag.Errorf(diag.Unresolved, n.at("file"), "unknown register file %q", n.value("file")).Meant(n.value("file"), l.fileNames()))
		return
	}
	if a := n.attr("after"); a != nil {
		o.After = a.value.s
		if n.attr("number") != nil {
			l.fail(diag.Errorf(diag.XMLAttribute, a.named(), "after in an <output> with number"))
		}
		if !slices.ContainsFunc(l.isa.Outputs, func(p *Output) bool { return p.Name == o.After && p.File == o.File && p.Number >= 0 && p.In == o.In }) {
			l.fail(diag.Errorf(diag.Unresolved, a.value.span, "after=%q, expected an output with a number of %s before this one in the same context", o.After, o.File.Name))
		}
		o.Number = 0
	} else if n.attr("number") != nil {
		o.Number = l.readNumber(n, "number", 0, int64(max(o.File.Count-1, 0)))
		o.Count = l.readOptional(n, "count", 1, 1, int64(max(o.File.Count-o.Number, 1)))
	} else if a := n.attr("count"); a != nil {
		l.fail(diag.Errorf(diag.XMLAttribute, a.named(), "count in an <output> without number"))
	}
	o.Default = l.readOptional(n, "default", o.Count, 0, int64(o.Count))
	if a := n.attr("components"); a != nil && o.Type.Text() != "" {
		l.fail(diag.Errorf(diag.XMLAttribute, a.named(), "components in an <output> with type"))
	}
	names := o.File.Components()
	for _, c := range n.value("components") {
		k := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, string(c)) })
		if k < 0 {
			l.fail(diag.Errorf(diag.XMLAttribute, n.at("components"), "component %q, expected a component of %s: %s", string(c), o.File.Name, strings.Join(names, "")))
			return
		}
		o.Mask |= 1 << uint(k)
	}
	l.isa.Outputs = append(l.isa.Outputs, o)
}

// declareMeta reads <attribute name="..."/>, which declares an attribute of <meta>.
func (l *loader) declareMeta(n *node) { l.metas[l.readName(n)] = true }

func (l *loader) readOperand(n *node, b *Bitset) {
	o := &Operand{Name: l.readIdentifier(n), Doc: docOf(n), Span: n.span, Role: l.readRole(n), Kind: l.readOperandKind(n)}
	for _, old := range b.Operands {
		if old.Name == o.Name {
			l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "operand %s is defined twice", o.Name).With(old.Span, "the other definition"))
		}
	}
	for _, c := range n.children {
		switch {
		case c.name == "display":
			l.addDisplay(&o.Displays, c)
		case !l.readFacts(c, &o.Facts):
			l.readActions(c, &o.Actions)
		}
	}
	if code := o.Semantics != nil || o.Write != nil; o.Displays[""] == nil && !code {
		l.fail(diag.Errorf(diag.XMLElement, n.span, "operand %s without <display>", o.Name))
	}
	b.Operands = append(b.Operands, o)
}

// readFacts reads an element such as <reg> or <mask>, which describes an operand. It reports whether n is such an
// element.
func (l *loader) readFacts(n *node, f *Facts) bool {
	switch n.name {
	case "reg":
		if f.Reg != nil {
			l.failSecond(n, f.Reg.Span)
		}
		f.Reg = l.readReg(n)
	case "mem":
		if f.Mem != nil {
			l.failSecond(n, f.Mem.Span)
		}
		f.Mem = l.readMem(n)
	case "relative":
		if f.Relative != nil {
			l.failSecond(n, f.Relative.Span)
		}
		f.Relative = l.readRelative(n)
	case "modifier":
		f.Modifiers = append(f.Modifiers, l.readModifier(n))
	case "swizzle":
		f.Swizzle = l.readComponents(n, f.Swizzle)
	case "mask":
		f.Mask = l.readComponents(n, f.Mask)
	default:
		return false
	}
	return true
}

func (l *loader) failSecond(n *node, old diag.Span) {
	l.fail(diag.Errorf(diag.Duplicate, n.span, "<%s> occurs twice", n.name).With(old, "the first"))
}

// readExprAttr reads an attribute that is an expression. If the attribute is absent, it returns nil, and reports an
// error if needed is true.
func (l *loader) readExprAttr(n *node, name string, needed bool) *Expr {
	a := n.attr(name)
	if a == nil {
		if needed {
			l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<%s> without %s", n.name, name))
		}
		return nil
	}
	if e := l.isa.exprs[a.value.s]; e != nil {
		return e
	}
	return l.newInlineExpr(a.value)
}

func (l *loader) readReg(n *node) *Reg {
	if n.attr("file") == nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<%s> without file", n.name))
	}
	return &Reg{
		file: n.value("file"), Index: l.readExprAttr(n, "index", true), Component: l.readExprAttr(n, "component", false),
		When: l.readExprAttr(n, "when", false), Span: n.span,
	}
}

func (l *loader) readMem(n *node) *Mem {
	m := &Mem{memory: n.value("memory"), Index: l.readExprAttr(n, "index", false), Offset: l.readExprAttr(n, "offset", false), Span: n.span}
	if n.attr("type") != nil {
		t := l.readValueType(n)
		m.Type = &t
	}
	return m
}

func (l *loader) readRelative(n *node) *Relative {
	r := &Relative{Field: n.value("field"), of: n.value("of"), Span: n.span}
	switch {
	case r.Field == "":
		r.Reg = *l.readReg(n)
	case n.attr("file") != nil:
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("file"), "<relative> with field and file, expected one of them"))
	default:
		r.Reg.When = l.readExprAttr(n, "when", false)
	}
	return r
}

func (l *loader) readModifier(n *node) *Modifier {
	m := &Modifier{Name: l.readName(n), When: l.readExprAttr(n, "when", true), Span: n.span}
	if m.Index = slices.Index(l.isa.Modifiers, m.Name); m.Index < 0 {
		m.Index = len(l.isa.Modifiers)
		l.isa.Modifiers = append(l.isa.Modifiers, m.Name)
	}
	if m.Index >= maxModifiers {
		l.fail(diag.Errorf(diag.XMLLimit, n.span, "more than %d modifier names", maxModifiers))
	}
	return m
}

// maxModifiers is the largest number of modifier names: a set of them must fit in 64 bits.
const maxModifiers = 64

// readComponents reads the attributes x, y, z and w, up to the last one that is present. An absent attribute before
// that one is an error.
func (l *loader) readComponents(n *node, old []*Expr) []*Expr {
	if old != nil {
		l.failSecond(n, old[0].Span)
	}
	var list []*Expr
	last := 0
	for i, name := range []string{"x", "y", "z", "w"} {
		if n.attr(name) != nil {
			last = i
		}
	}
	for _, name := range []string{"x", "y", "z", "w"}[:last+1] {
		if e := l.readExprAttr(n, name, true); e != nil {
			list = append(list, e)
		}
	}
	return list
}

func (l *loader) readFlow(n *node) *Flow {
	f := &Flow{
		Kind: FlowKind(max(0, slices.Index(flowKinds, l.readChoice(n, "kind", flowKinds[1:])))), Span: n.span,
		Target: n.value("target"), Count: n.value("count"), Maybe: l.readExprAttr(n, "maybe", false),
		When: l.readExprAttr(n, "when", false), Stack: n.value("stack"),
	}
	if n.attr("kind") == nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<flow> without kind"))
	}
	if f.Stack != "" && l.isa.Stack(f.Stack) == nil {
		l.fail(diag.Errorf(diag.Unresolved, n.at("stack"), "unknown stack %q", f.Stack))
	}
	return f
}

func (l *loader) readLayout(n *node, b *Bitset) {
	if b.Layout != nil {
		l.failSecond(n, b.Layout.Span)
	}
	b.Layout = &Layout{
		Span: n.span, Filler: l.readBool(n, "filler"), Terminator: l.readBool(n, "terminator"),
		NotLast: l.readChoice(n, "not-last", []string{"scope", "loop"}), Program: n.value("program"), flushes: n.value("flushes"),
	}
	if n.attr("align") != nil {
		b.Layout.Align = l.readNumber(n, "align", 1, 1<<16)
	}
	if f := b.Layout.flushes; f != "" {
		if b.Layout.Flushes = l.isa.File(f); b.Layout.Flushes == nil {
			l.fail(diag.Errorf(diag.Unresolved, n.at("flushes"), "unknown register file %q", f).Meant(f, l.fileNames()))
		}
	}
}

// resolveOperands resolves the files and memories that facts name.
func (l *loader) resolveOperands() {
	for _, e := range l.isa.Enums {
		for _, v := range e.Values {
			if v.Reg != nil {
				l.resolveReg(v.Reg)
				l.foldReg(v.Reg)
			}
		}
	}
	for _, b := range l.isa.Bitsets {
		for _, o := range b.Operands {
			l.resolveFacts(&o.Facts)
		}
		for _, c := range b.Cases {
			l.resolveFacts(&c.Facts)
		}
	}
}

func (l *loader) resolveFacts(f *Facts) {
	if f.Reg != nil {
		l.resolveReg(f.Reg)
	}
	if f.Relative != nil {
		l.resolveRelative(f.Relative)
	}
	if f.Mem != nil {
		l.resolveMem(f.Mem)
	}
}

func (l *loader) memoryNames() (names []string) {
	for _, m := range l.isa.Memories {
		names = append(names, m.Name)
	}
	return names
}

func (l *loader) fileNames() (names []string) {
	for _, f := range l.isa.Files {
		names = append(names, f.Name)
	}
	return names
}

func (l *loader) resolveMem(m *Mem) {
	one, group := l.isa.Memory(m.memory), l.isa.group(m.memory)
	switch {
	case m.memory == "" && m.Index == nil:
	case m.Index != nil && group == nil:
		l.fail(diag.Errorf(diag.Unresolved, m.Span, "unknown memory group %q, expected a <memory> with count because <mem> has index", m.memory))
	case m.Index != nil:
		m.Memory = group
	case one == nil && group != nil:
		l.fail(diag.Errorf(diag.XMLAttribute, m.Span, "<mem> without index, expected one because %s is a group of %d memories", m.memory, group.Count))
	case one == nil:
		l.fail(diag.Errorf(diag.Unresolved, m.Span, "unknown memory %q", m.memory).Meant(m.memory, l.memoryNames()))
	default:
		m.Memory = one
	}
}

func (l *loader) resolveRelative(r *Relative) {
	if r.Field == "" {
		l.resolveReg(&r.Reg)
	}
	if r.of == "" {
		return
	}
	if r.Of = l.isa.File(r.of); r.Of == nil {
		l.fail(diag.Errorf(diag.Unresolved, r.Span, "unknown register file %q", r.of).Meant(r.of, l.fileNames()))
	}
}

// foldReg replaces the expressions in the <reg> of an enum value with constants. They must be constant, because an enum
// value has no fields.
func (l *loader) foldReg(r *Reg) {
	for _, e := range []*Expr{r.Index, r.Component, r.When} {
		if e == nil {
			continue
		}
		v, ok := foldConstant(e.Root())
		if !ok || e == r.When {
			l.fail(diag.Errorf(diag.XMLAttribute, e.Span, "%s in the <reg> of a value, expected only a constant index and component", e.Text))
			continue
		}
		e.root = &Node{Op: OpConst, Value: v, Span: e.Span}
	}
}

func (l *loader) resolveReg(r *Reg) {
	if r.file == "" {
		return // readReg has reported it
	}
	if r.File = l.isa.File(r.file); r.File == nil {
		l.fail(diag.Errorf(diag.Unresolved, r.Span, "unknown register file %q", r.file).Meant(r.file, l.fileNames()))
	}
}

// markOperands sets DescribesOperand on enums, and the marks of roots.
func (l *loader) markOperands() {
	for _, e := range l.isa.Enums {
		e.DescribesOperand = e.OperandKind != OperandNone || slices.ContainsFunc(e.Values, func(v *Value) bool { return v.Reg != nil })
	}
	for _, b := range l.isa.Bitsets {
		root := b.Root()
		root.DescribesOperand = root.DescribesOperand || b.OperandKind != OperandNone
		root.HasOperands = root.HasOperands || slices.ContainsFunc(b.Operands, func(o *Operand) bool { return o.Displays[""] != nil })
		root.HasFlows = root.HasFlows || len(b.Flows) > 0
		root.HasClasses = root.HasClasses || len(b.Classes) > 0
		for _, c := range b.Cases {
			root.DescribesOperand = root.DescribesOperand || c.Facts.Reg != nil || c.Facts.Mem != nil
			root.HasOperands = root.HasOperands || slices.ContainsFunc(c.Fields, func(f *Field) bool { return f.Role != RoleNone })
			root.HasIndexes = root.HasIndexes || slices.ContainsFunc(c.Fields, func(f *Field) bool { return f.Table != nil })
		}
	}
	for l.propagateMarks() {
	}
}

// propagateMarks copies HasFlows, HasClasses and HasIndexes from nested roots to their enclosing roots. The caller repeats it until
// it returns false, because a mark may have to move several levels. It reports whether it set a mark.
func (l *loader) propagateMarks() (marked bool) {
	for _, b := range l.isa.Bitsets {
		root := b.Root()
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				if x := f.Bitset; x != nil && (x.HasFlows && !root.HasFlows || x.HasClasses && !root.HasClasses || x.HasIndexes && !root.HasIndexes) {
					root.HasFlows, root.HasClasses = root.HasFlows || x.HasFlows, root.HasClasses || x.HasClasses
					root.HasIndexes, marked = root.HasIndexes || x.HasIndexes, true
				}
			}
		}
	}
	return marked
}

// Operand returns the operand with the given name. It searches the bitset first and then its ancestors, the nearest
// first. It returns nil if there is none.
func (b *Bitset) Operand(name string) *Operand {
	for ; b != nil; b = b.Extends {
		for _, o := range b.Operands {
			if o.Name == name {
				return o
			}
		}
	}
	return nil
}

// KindOfOperand returns the operand kind of the field. If the field does not define a kind, KindOfOperand returns the
// kind of the field's type.
func (f *Field) KindOfOperand() OperandKind {
	switch {
	case f.OperandKind != OperandNone:
		return f.OperandKind
	case f.Bitset != nil:
		return f.Bitset.OperandKind
	case f.Enum != nil:
		return f.Enum.OperandKind
	}
	return OperandNone
}

// IsOperand reports whether the field is an operand by itself.
func (f *Field) IsOperand() bool {
	switch k := f.KindOfOperand(); {
	case k == OperandMnemonic:
		return false
	case k != OperandNone || f.Role != RoleNone:
		return true
	}
	switch f.Kind {
	case KindBitset:
		return f.Bitset.DescribesOperand
	case KindEnum:
		return f.Enum.DescribesOperand
	case KindBool, KindBoolInv, KindCustom:
		return false
	}
	return true // a number, or a branch target
}
