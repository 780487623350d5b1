// Package spec reads descriptions: isaspec's XML with isago's additions. The result is a checked model in which every
// node has its source position.
package spec

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// ISA is a whole description, with its imports.
type ISA struct {
	Source *diag.Source
	Span   diag.Span
	// Strict is the attribute strict of <isa>. In a strict description, mistakes that Mesa ignores are errors.
	Strict bool
	// Name is the name attribute of <isa>, "" in plain isaspec.
	Name string
	Doc  string
	Text TextStyle

	// The elements of each list are in the order of the file. Elements of imported files precede them.
	Contexts  []*Context
	Tables    []*Table
	Enums     []*Enum
	Exprs     []*Expr
	Templates []*Template
	Bitsets   []*Bitset
	// Files are the register files and their views.
	Files    []*File
	Memories []*Memory
	Stacks   []*Stack
	// Hints are replacements for instructions that other machines have and this machine lacks.
	Hints []*Hint
	// Products are other names of the machine, in the order of the file.
	Products []*Product
	Limits   []*Limit
	// Classes are the kinds of operations that are counted.
	Classes []*Class
	// Processors are what runs blocks of waves, one for each revision of the machine.
	Processors []*Processor
	// Outputs are the semantics of program outputs, by which the next stage of the pipeline finds them.
	Outputs []*Output
	// Inputs are the places of the values that a program starts with.
	Inputs []*Input
	// Modifiers are the names of all modifiers. negate, absolute and saturate, which every machine has, come first.
	Modifiers []string
	Meaning   Meaning

	// Remarks are findings that do not prevent a plain description from loading, such as stray text, unknown elements
	// and unknown attributes. In a strict description, they are errors.
	Remarks diag.List

	enums    map[string]*Enum
	exprs    map[string]*Expr
	bitsets  map[string]*Bitset
	contexts map[string]*Context
	tables   map[string]*Table
}

// TextStyle is the <text> element: how programs are stored and written.
type TextStyle struct {
	// HighFirst is set if the most significant word of an instruction is stored first.
	HighFirst bool
	// Storage is the size of a stored word in bits: 8, 16 or 32, or 0 if the description does not define it. An
	// instruction occupies whole words.
	Storage int
	// Swapped is set if the high half of each 32-bit word is stored first.
	Swapped bool
	// Comment is the text that starts a comment, which extends to the end of the line. It is "" if the syntax has no
	// comments.
	Comment string
	// FoldCase is set if the assembler ignores the case of letters.
	FoldCase bool
	// Syntax is the name of the main syntax. It is "" if the main syntax has no name.
	Syntax string
}

// Enum is a set of named values.
type Enum struct {
	Name   string
	Doc    string
	Span   diag.Span
	Values []*Value
	// OperandKind is the kind of an operand of this type, OperandNone if each field defines its own.
	OperandKind OperandKind
	// DescribesOperand is set if a field of this type is an operand.
	DescribesOperand bool

	byName map[string]*Value
}

// Named returns the value that has the given name in expressions, or nil.
func (e *Enum) Named(name string) *Value { return e.byName[name] }

// Value is one named value of an enum.
type Value struct {
	Val uint64
	// Display is the text, which may be empty.
	Display string
	// Name is the name of the value in expressions. The default is Display.
	Name string
	// Syntax is the syntax to which the text belongs. "" means the main syntax.
	Syntax  string
	Aliases []string
	// Reg is the register that the value names, or nil.
	Reg  *Reg
	Doc  string
	Span diag.Span
}

// Context is a value outside the word that changes how the word decodes, such as a shader stage, a chip or a mode.
type Context struct {
	Name string
	Enum *Enum // nil for a bool
	// Default is the value of the context if the caller does not set it.
	Default uint64
	// FromText is set by bind="text": the value belongs to one instruction and is part of its text.
	FromText bool
	// Low is the first bit of the context in the word that holds all contexts. Width is its number of bits.
	Low, Width int
	Doc        string
	Span       diag.Span
}

// Table is a table outside of the code. Its entries hold some of the operands of an instruction.
type Table struct {
	Name string
	Type *Bitset
	// Size is the number of entries.
	Size int
	// Index is the position in ISA.Tables.
	Index int
	Doc   string
	Span  diag.Span
}

// Template is a text with references in braces. It is a display, an alias, or a named piece of text that displays
// include.
type Template struct {
	Name   string // name of a <template>, otherwise ""
	Syntax string
	Text   string
	Span   diag.Span
	// Used is set if a display uses this <template>, directly or through another template.
	Used bool

	src   text
	isa   *ISA
	once  sync.Once
	items []Item
}

// Items returns the pieces of the text. The first call parses them.
func (t *Template) Items() []Item {
	t.once.Do(func() { t.items, _ = t.isa.parseTemplate(nil, t.src) })
	return t.items
}

// Expr is an expression, named or inline.
type Expr struct {
	Name string // "" for an inline expression
	Text string
	Span diag.Span
	// Within is the condition of the override that contains the expression, or nil. The condition holds whenever the
	// expression is evaluated.
	Within *Expr

	isa   *ISA
	runs  []run
	once  sync.Once
	root  *Node
	fetch []string
}

// Root returns the root node of the expression. If the description is known to be valid, the first call parses it.
func (e *Expr) Root() *Node {
	e.once.Do(e.mustParse)
	return e.root
}

// FieldNames returns the names of the fields in the expression, in ASCII order, without duplicates.
func (e *Expr) FieldNames() []string {
	e.once.Do(e.mustParse)
	return e.fetch
}

// Bitset is a node of a tree of encodings. A root has a size, and other bitsets extend it.
type Bitset struct {
	Name string
	// DisplayName is the text of {NAME}. The default is Name.
	DisplayName string
	// SyntaxNames are the texts of {NAME} in other syntaxes, by syntax.
	SyntaxNames map[string]string
	Doc         string
	Span        diag.Span
	// Size is the number of bits. The default is the size of the parent.
	Size    int
	Extends *Bitset
	// Children are the bitsets that extend this one, in the order of the file.
	Children []*Bitset
	// Min is the first generation that has the bitset, and Max is the last one.
	Min, Max uint32
	Patterns []*Pattern
	// Cases are the overrides in the order of the file, then the default case, whose Expr is nil.
	Cases    []*Case
	Requires []*Expr
	Hazards  []*Hazard
	// Refines are the bitsets with which this bitset overlaps on purpose. Words that match both decode to this bitset.
	Refines  []Name
	Defaults []*Default
	// Forced are the values from maps that have force="true" and contain only a number. They apply to fields whose bits
	// the text does not determine.
	Forced []*Default
	// Encode is the <encode> element, or nil.
	Encode *Encode
	Unused []*Unused
	// OperandKind is the kind of an operand of this type, OperandNone if each field defines its own.
	OperandKind OperandKind
	// The following marks describe a whole tree and are set only on its root. DescribesOperand is set if a bitset of
	// the tree defines an operand kind, a register or a memory location. HasOperands is set if a bitset has an operand
	// with a display, or a field with a role. HasFlows is set if a bitset of the tree or of a nested tree has a flow, and
	// HasClasses if one has a class.
	// HasIndexes is set if a bitset of the tree or of a nested tree has a field that is a table index.
	DescribesOperand, HasOperands, HasFlows, HasClasses, HasIndexes bool
	// Operands are the <operand> elements. Each gives one name to the parts of an operand.
	Operands []*Operand
	Flows    []*Flow
	// Layout is nil without a <layout>.
	Layout *Layout
	// Runs is nil without a <runs>.
	Runs *Runs
	// Limits are upper bounds for the values of fields in source. The name of a limit is the name of the field.
	Limits  []*Limit
	Classes []*ClassOf
	Arounds []*Around
	Meta    map[string]string

	extendsName           string
	extendsSpan, sizeSpan diag.Span
	sizeGiven             bool
}

// Encode is the <encode> element of a bitset: C code for a generated encoder.
type Encode struct {
	// Type is the C type of the encoded value, "" if none is given.
	Type string
	// CasePrefix is the prefix of the constants with which the user's code selects a leaf. Cases is set if the
	// attribute case-prefix is present, because the prefix may be empty.
	CasePrefix string
	Cases      bool
	Maps       []EncodeMap
	Span       diag.Span
}

// EncodeMap is a <map>: a C expression for a field.
type EncodeMap struct {
	Name, Text string
	Force      bool
	Span       diag.Span
}

// Root returns the bitset at the top of the tree.
func (b *Bitset) Root() *Bitset {
	for b.Extends != nil {
		b = b.Extends
	}
	return b
}

// Text returns a short form of the display in the default case, for people. The short form has the names of the fields.
// Optional parts are in brackets. If the bitset has no display, Text uses the display of the nearest ancestor that has
// one. It returns "" if there is none.
func (b *Bitset) Text(syntax string) string {
	for at := b; at != nil; at = at.Extends {
		if n := len(at.Cases) - 1; n >= 0 {
			if t := at.Cases[n].Displays[syntax]; t != nil {
				return b.Sketch(t, syntax)
			}
			if t := at.Cases[n].Displays[""]; t != nil {
				return b.Sketch(t, syntax)
			}
		}
	}
	return ""
}

// Sketch formats a template as manuals show the syntax of instructions. The name of a field stays in braces if it would
// otherwise touch a letter, a digit or another name.
func (b *Bitset) Sketch(t *Template, syntax string) string {
	var out strings.Builder
	items := t.Items()
	for i, it := range items {
		name := strings.TrimPrefix(it.Ref, "@")
		switch {
		case it.Kind == ItemText:
			out.WriteString(it.Text)
		case it.Kind != ItemRef:
			out.WriteString(" ")
		case name == "NAME":
			out.WriteString(b.DisplayIn(syntax))
		case it.Before+it.After != "":
			out.WriteString("[" + it.Before + name + it.After + "]")
		case i > 0 && items[i-1].touches(false), i+1 < len(items) && items[i+1].touches(true):
			out.WriteString("{" + name + "}")
		default:
			out.WriteString(name)
		}
	}
	return out.String()
}

// touches reports whether the item starts (or ends, if start is false) with a letter or a digit, or may do so.
func (it *Item) touches(start bool) bool {
	switch {
	case it.Kind == ItemRef:
		return it.Before+it.After == ""
	case it.Kind != ItemText || it.Text == "":
		return false
	}
	c := rune(it.Text[len(it.Text)-1])
	if start {
		c = rune(it.Text[0])
	}
	return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// DisplayIn returns the text of {NAME} in a syntax.
func (b *Bitset) DisplayIn(syntax string) string {
	if name, ok := b.SyntaxNames[syntax]; ok && syntax != "" {
		return name
	}
	return b.DisplayName
}

// Name is a name with its position.
type Name struct {
	Name string
	Span diag.Span
}

// Pattern is a <pattern> or an <assert>: the values of a run of bits.
type Pattern struct {
	Low, High int
	// Mask has the fixed bits, Match has the fixed bits that are 1, and DontCare has the x bits.
	Match, Mask, DontCare bits.Value
	Span                  diag.Span
}

// Case is an override of a bitset, or its default case.
type Case struct {
	Bitset *Bitset
	// Expr is the condition, nil for the default case.
	Expr *Expr
	// Displays are the templates by syntax, "" for the main syntax. The map is nil if the case has none.
	Displays map[string]*Template
	Aliases  []*Template
	Fields   []*Field
	Sets     []*Set
	Asserts  []*Pattern
	Facts    Facts
	Span     diag.Span
	Actions

	hidden []*Field // fields that later fields of the same name have replaced
}

// Field returns the field of the case with the given name, or nil.
func (c *Case) Field(name string) *Field {
	for _, f := range c.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Set returns the set of the case with the given name, or nil.
func (c *Case) Set(name string) *Set {
	for _, s := range c.Sets {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Kind is the kind of a field's type. It defines how the bits of the field print.
type Kind uint8

// The field types of isaspec. KindBitset and KindEnum are the types that a description defines.
const (
	KindInt Kind = iota
	KindUint
	KindHex
	KindOffset
	KindUOffset
	KindFloat
	KindBool
	KindBoolInv
	KindEnum
	KindBitset
	KindBranch
	KindAbsBranch
	KindCustom
)

var kindNames = map[string]Kind{
	"int": KindInt, "uint": KindUint, "hex": KindHex, "offset": KindOffset, "uoffset": KindUOffset,
	"float": KindFloat, "bool": KindBool, "bool_inv": KindBoolInv, "branch": KindBranch,
	"absbranch": KindAbsBranch, "custom": KindCustom,
}

// Field is a named group of bits, or a derived value.
type Field struct {
	Name string
	Doc  string
	Span diag.Span
	Kind Kind
	// TypeName is the name of the type, as the description writes it.
	TypeName string
	Enum     *Enum
	Bitset   *Bitset
	// Parts are the bits, the most significant part first. A derived field has none.
	Parts []bits.Part
	// Width is the number of bits of all parts. For a derived field, it is the attribute width, 1 by default.
	Width int
	// WidthGiven is set if a derived field has the attribute width.
	WidthGiven bool
	// Expr is the value of a derived field, otherwise nil.
	Expr *Expr
	// Display is the attribute display, nil if it is absent.
	Display *string
	Call    bool
	// Unit is the size of one step of a branch target, in bits. 0 means the size of an instruction.
	Unit   int
	Params []Param
	// AllParams is set by <param name="*"/>: the nested scope contains all names of the enclosing scope.
	AllParams bool
	// Symbols is the name of a group of numbers to which the value belongs, or "". Programs may define names for the
	// numbers of a group.
	Symbols string
	// Remark is set if a derived field prints only as a comment.
	Remark bool
	// Role and OperandKind describe the field as an operand.
	Role        Role
	OperandKind OperandKind
	// Table is set if the bits are an index of a table. The type of the field is then the type of the entries.
	Table *Table

	typeSpan diag.Span
}

// Gather returns the value of the field in v, which is a value of the field's bitset. It joins the parts of the field,
// the most significant part first.
func (f *Field) Gather(v *bits.Value) bits.Value {
	if f.Width <= 64 {
		var x uint64
		for _, p := range f.Parts {
			x = x<<uint(p.Width) | v.Uint(p.Low, p.Width)
		}
		return bits.Of(x)
	}
	var w bits.Value
	for _, p := range f.Parts {
		w = w.Shl(p.Width).Or(v.Slice(p.Low, p.Width))
	}
	return w
}

// Param passes a name into the scope of a nested bitset. Name is the name in the enclosing scope, and As is the name in
// the nested scope.
type Param struct {
	Name, As string
	Span     diag.Span
}

// Set is a group of fields that a display shows in one place. The assembler accepts them in any order.
type Set struct {
	Name string
	// Join is the text between members that print something.
	Join    string
	Members []Name
	// AbsentIsDefault is set by absent="default": a member that the text omits has its default, even if the default
	// prints something.
	AbsentIsDefault bool
	Doc             string
	Span            diag.Span
}

// Default is the value of a field whose bits the text does not determine.
type Default struct {
	Path string
	Val  uint64
	// Expr computes the value from bits that are already known. If it is nil, the value is Val.
	Expr *Expr
	Span diag.Span
}

// Hazard is a condition under which an instruction is legal but probably does not do what its text suggests.
type Hazard struct {
	Name string
	Expr *Expr
	// Refused is set if program assemblers reject such an instruction.
	Refused bool
	// Text is the message.
	Text string
	Span diag.Span
}

// Unused is an <unused>: a part of a table entry that an instruction does not use.
type Unused struct {
	Path string
	// Expr is the condition, nil for always.
	Expr *Expr
	Span diag.Span
}

// Enum returns the enum with the given name, or nil.
func (s *ISA) Enum(name string) *Enum { return s.enums[name] }

// Bitset returns the bitset with the given name, or nil. If several bitsets have this name, it returns the last one.
func (s *ISA) Bitset(name string) *Bitset { return s.bitsets[name] }

// Context returns the context with the given name, or nil.
func (s *ISA) Context(name string) *Context { return s.contexts[name] }

// Syntaxes returns the names of the syntaxes, in the order in which they first appear. The main syntax, whose name here
// is "", is the first.
func (s *ISA) Syntaxes() []string {
	seen := map[string]bool{"": true}
	list := []string{""}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	for _, e := range s.Enums {
		for _, v := range e.Values {
			add(v.Syntax)
		}
	}
	for _, b := range s.Bitsets {
		for _, name := range slices.Sorted(maps.Keys(b.SyntaxNames)) {
			add(name)
		}
		for _, c := range b.Cases {
			for _, t := range bySpelling(c.Displays) {
				add(t.Syntax)
			}
		}
	}
	return list
}

// Under reports whether b and a are the same bitset, or whether b extends a, directly or through other bitsets.
func (b *Bitset) Under(a *Bitset) bool {
	for ; b != nil; b = b.Extends {
		if b == a {
			return true
		}
	}
	return false
}

// Hint is a text that suggests a replacement for instructions that other machines have and this machine lacks.
type Hint struct {
	For  []string
	Text string
	Span diag.Span
}

// Hint returns the replacement for an instruction that the machine lacks. Hint ignores the case of the name. It returns
// "" if the description has no such replacement.
func (isa *ISA) Hint(name string) string {
	for _, h := range isa.Hints {
		if slices.ContainsFunc(h.For, func(s string) bool { return strings.EqualFold(s, name) }) {
			return h.Text
		}
	}
	return ""
}
