// Package spec reads descriptions: isaspec's XML with isago's additions. The result is a checked model in which every node
// has its source position.
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

// ISA is a whole description, its imports included.
type ISA struct {
	Source *diag.Source
	Span   diag.Span
	// Strict is set by <isa strict="true">: what is unsound does not load.
	Strict bool
	// Name is the name attribute of <isa>, "" in plain isaspec.
	Name string
	Doc  string
	Text TextStyle

	// All in the order of the file, those of imports first.
	Contexts  []*Context
	Tables    []*Table
	Enums     []*Enum
	Exprs     []*Expr
	Templates []*Template
	Bitsets   []*Bitset
	// Files are the register files and the views on them.
	Files    []*File
	Memories []*Memory
	Stacks   []*Stack
	// Hints say what to write instead of an instruction that the machine has not.
	Hints []*Hint
	// Products are other names of the machine, in the order of the file.
	Products []*Product
	Limits   []*Limit
	// Outputs are what outputs of programs can mean to what follows in the pipeline.
	Outputs []*Output
	// Modifiers are the names of all modifiers, the three that every machine may have first.
	Modifiers []string
	Meaning   Meaning

	// Remarks are findings that do not keep a plain description from loading: stray text, unknown
	// elements and attributes. In a strict description they are errors.
	Remarks diag.List

	enums    map[string]*Enum
	exprs    map[string]*Expr
	bitsets  map[string]*Bitset
	contexts map[string]*Context
	tables   map[string]*Table
}

// TextStyle is the <text> element: the conventions of a machine's programs and of their text.
type TextStyle struct {
	// HighFirst tells that an instruction of several words is stored with its most significant word first.
	HighFirst bool
	// Storage is the number of bits of such a word, of which each instruction takes whole ones; 0 where
	// the description does not say.
	Storage int
	// Swapped tells that of each word of 32 bits the high half is stored first.
	Swapped bool
	// Comment starts a comment that runs to the end of the line; "" if there is none.
	Comment string
	// Fold tells that letters of either case are read as the same.
	FoldCase bool
	// Syntax is the name of the plain spelling, "" if it has none.
	Syntax string
}

// Enum is a set of named values.
type Enum struct {
	Name   string
	Doc    string
	Span   diag.Span
	Values []*Value
	// OperandKind is what a field of this type is as an operand; OperandNone where the field says it.
	OperandKind OperandKind
	// Speaks is set where a field of this type is an operand.
	DescribesOperand bool

	byName map[string]*Value
}

// Named returns the value that expressions call by a name, or nil.
func (e *Enum) Named(name string) *Value { return e.byName[name] }

// Value is one named value of an enum.
type Value struct {
	Val uint64
	// Display is the text, "" being a real, empty text.
	Display string
	// Name is the name by which an expression may call the value; Display where none is given.
	Name string
	// Syntax is the spelling that the text belongs to, "" for the plain one.
	Syntax  string
	Aliases []string
	// Reg is the register that the value names, nil for none.
	Reg  *Reg
	Doc  string
	Span diag.Span
}

// Context is something outside the word that changes how it is read: a stage, a chip, a mode.
type Context struct {
	Name string
	Enum *Enum // nil for a bool
	// Default is the value where nobody says otherwise.
	Default uint64
	// FromText is set by bind="text": the value belongs to one instruction and is part of its text.
	FromText bool
	// Low and Width place the context in the word of all contexts, in which it is read like a field.
	Low, Width int
	Doc        string
	Span       diag.Span
}

// Table is a table beside the code whose entries hold a part of the operands.
type Table struct {
	Name string
	Type *Bitset
	// Size is the number of entries.
	Size int
	// Index is the place in ISA.Tables.
	Index int
	Doc   string
	Span  diag.Span
}

// Template is text with references in braces: a display, an alias, or a named piece of one.
type Template struct {
	Name   string // of a <template>, else ""
	Syntax string
	Text   string
	Span   diag.Span
	// Used tells of a <template> that a display has it.
	Used bool

	src   text
	isa   *ISA
	once  sync.Once
	items []Item
}

// Items returns the pieces of the text, found when they are first asked for.
func (t *Template) Items() []Item {
	t.once.Do(func() { t.items, _ = t.isa.parseTemplate(nil, t.src) })
	return t.items
}

// Expr is an expression, named or inline.
type Expr struct {
	Name string // "" for an inline one
	Text string
	Span diag.Span
	// Within is the condition of the override in which the expression is written, nil outside of one: it
	// holds where the expression is computed.
	Within *Expr

	isa   *ISA
	runs  []run
	once  sync.Once
	root  *Node
	fetch []string
}

// Root returns the operation on top, of a description without mistakes parsed when it is first asked for.
func (e *Expr) Root() *Node {
	e.once.Do(e.mustParse)
	return e.root
}

// FieldNames lists the fields that are named, in ASCII order, each once.
func (e *Expr) FieldNames() []string {
	e.once.Do(e.mustParse)
	return e.fetch
}

// Bitset is a node of a tree of encodings: a root has a size, the others extend it.
type Bitset struct {
	Name string
	// DisplayName is what {NAME} prints, Name where none is given.
	DisplayName string
	// SyntaxNames are the display names of the other spellings.
	SyntaxNames map[string]string
	Doc         string
	Span        diag.Span
	// Size in bits; that of the parent where the bitset gives none of its own.
	Size    int
	Extends *Bitset
	// Children in the order of the file.
	Children []*Bitset
	// Min and Max are the generations in which the bitset exists, both inclusive.
	Min, Max uint32
	Patterns []*Pattern
	// Cases are the overrides in order, then the default, whose Expr is nil.
	Cases    []*Case
	Requires []*Expr
	Hazards  []*Hazard
	// Refines names the bitsets with which this one overlaps on purpose, being the narrower.
	Refines  []Name
	Defaults []*Default
	// Forced are the values that an encoder for Mesa gives fields whatever the text.
	Forced []*Default
	// Encode is what Mesa's generator of encoders is told, nil for nothing.
	Encode *Encode
	Unused []*Unused
	// OperandKind is what a field of this type is as an operand; OperandNone where the field says it.
	OperandKind OperandKind
	// DescribesOperand is set of a root whose leaves say what they are as operands, HasOperands of one whose leaves
	// have operands, HasFlows of one whose leaves, or those of what is nested in them, have flows, HasIndexes
	// where they have fields that name table entries.
	DescribesOperand, HasOperands, HasFlows, HasIndexes bool
	// Operands group the pieces of an operand under a name.
	Operands []*Operand
	Flows    []*Flow
	// Layout is nil where nothing is said.
	Layout *Layout
	// Runs is nil where nothing is run.
	Runs *Runs
	// Limits bound what source may say of fields, by their names.
	Limits  []*Limit
	Arounds []*Around
	Meta    map[string]string

	extendsName           string
	extendsSpan, sizeSpan diag.Span
	sizeGiven             bool
}

// Encode is the <encode> of a bitset: C for a generated encoder.
type Encode struct {
	// Type is the C type of what is encoded, "" where nothing is said.
	Type string
	// CasePrefix starts the names of the constants by which a program's own function chooses the leaf; Cases tells
	// that there are such constants, since the prefix may be empty.
	CasePrefix string
	Cases      bool
	Maps       []EncodeMap
	Span       diag.Span
}

// EncodeMap is an expression of C for a field.
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

// Text returns, for people, the display that the bitset has where no override holds, its parent's where it
// has none: the names of its fields, and in brackets what may be missing. It is "" where nobody has one.
func (b *Bitset) Text(syntax string) string {
	for at := b; at != nil; at = at.Extends {
		if n := len(at.Cases) - 1; n >= 0 {
			if t := at.Cases[n].Displays[syntax]; t != nil {
				return b.sketch(t, syntax)
			}
			if t := at.Cases[n].Displays[""]; t != nil {
				return b.sketch(t, syntax)
			}
		}
	}
	return ""
}

// sketch writes a template as manuals do. A field keeps its braces where its name would run together with what
// stands beside it.
func (b *Bitset) sketch(t *Template, syntax string) string {
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

// touches reports whether the item has a letter or a digit, or may have one, at its start or at its end.
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

// DisplayIn returns what {NAME} prints in a spelling.
func (b *Bitset) DisplayIn(syntax string) string {
	if name, ok := b.SyntaxNames[syntax]; ok && syntax != "" {
		return name
	}
	return b.DisplayName
}

// Name is a name with the place where it stands.
type Name struct {
	Name string
	Span diag.Span
}

// Pattern is a run of fixed bits; it serves assert too.
type Pattern struct {
	Low, High int
	// Match are the bits that must be 1; Mask those that must have their value; DontCare the x.
	Match, Mask, DontCare bits.Value
	Span                  diag.Span
}

// Case is a bitset's default or one of its overrides.
type Case struct {
	Bitset *Bitset
	// Expr is the condition, nil for the default case.
	Expr *Expr
	// Displays holds the templates by spelling; "" is the plain one. Nil map: the case has none.
	Displays map[string]*Template
	Aliases  []*Template
	Fields   []*Field
	Sets     []*Set
	Asserts  []*Pattern
	Facts    Facts
	Span     diag.Span
	Actions

	hidden []*Field // whose names later fields took
}

// Field returns the case's field of that name, or nil.
func (c *Case) Field(name string) *Field {
	for _, f := range c.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Set returns the case's set of that name, or nil.
func (c *Case) Set(name string) *Set {
	for _, s := range c.Sets {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Kind is what a field's type makes of its bits.
type Kind uint8

// The field types of isaspec. KindBitset and KindEnum stand for the types that a description names.
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
	// TypeName is the type as written.
	TypeName string
	Enum     *Enum
	Bitset   *Bitset
	// Parts are the bits, the most significant part first; empty for a derived field.
	Parts []bits.Part
	// Width is the number of bits of all parts; of a derived field its width attribute, default 1.
	Width int
	// WidthGiven tells that a derived field has a width attribute.
	WidthGiven bool
	// Expr is the value of a derived field, nil otherwise.
	Expr *Expr
	// Display is the display attribute; nil if there is none.
	Display *string
	Call    bool
	// Unit is the number of bits that a branch counts in; 0 is the size of an instruction.
	Unit   int
	Params []Param
	// AllParams is <param name="*"/>: names climb to the enclosing scope.
	AllParams bool
	// Symbols names the space in which a program may give the value a name; "" for none.
	Symbols string
	// Remark tells that a derived field is printed as a comment, for people alone.
	Remark bool
	// Role and OperandKind say what the field is as an operand.
	Role        Role
	OperandKind OperandKind
	// Table is set where the bits are the index of an entry; the type is the entry's.
	Table *Table

	typeSpan diag.Span
}

// Gather joins the parts of the field in a value of its bitset, the first part on top.
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

// Param passes a name into the scope of a nested bitset.
type Param struct {
	Name, As string
	Span     diag.Span
}

// Set is a group of fields that are shown in one place and read in any order.
type Set struct {
	Name string
	// Join stands between the members that print something.
	Join    string
	Members []Name
	// Free tells that a member which text leaves out is as if it were not shown: its bits have their
	// default, also where that prints something.
	AbsentIsDefault bool
	Doc             string
	Span            diag.Span
}

// Default gives the value of a field whose bits no text fixes.
type Default struct {
	Path string
	Val  uint64
	// Expr computes the value from bits that are known by then; nil where it is Val.
	Expr *Expr
	Span diag.Span
}

// Hazard is a condition under which an instruction does not do what its text seems to say.
type Hazard struct {
	Name string
	Expr *Expr
	// Refused is set where assemblers of programs do not take such an instruction.
	Refused bool
	// Text tells what is wrong.
	Text string
	Span diag.Span
}

// Unused says that an instruction does not care about a part of a table entry.
type Unused struct {
	Path string
	// Expr is the condition, nil for always.
	Expr *Expr
	Span diag.Span
}

// Enum returns the enum of that name, or nil.
func (s *ISA) Enum(name string) *Enum { return s.enums[name] }

// Bitset returns the bitset of that name, the last where several are defined, or nil.
func (s *ISA) Bitset(name string) *Bitset { return s.bitsets[name] }

// Context returns the context of that name, or nil.
func (s *ISA) Context(name string) *Context { return s.contexts[name] }

// Syntaxes lists the spellings in the order in which they first appear, the plain one ("") first.
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

// Under reports whether b is a or extends it, directly or not.
func (b *Bitset) Under(a *Bitset) bool {
	for ; b != nil; b = b.Extends {
		if b == a {
			return true
		}
	}
	return false
}

// Hint says what to write instead of instructions, by their names, that the machine has not.
type Hint struct {
	For  []string
	Text string
	Span diag.Span
}

// Hint returns what to write instead of an instruction that the machine has not, whatever the case of its
// name; "" where the description does not say.
func (isa *ISA) Hint(name string) string {
	for _, h := range isa.Hints {
		if slices.ContainsFunc(h.For, func(s string) bool { return strings.EqualFold(s, name) }) {
			return h.Text
		}
	}
	return ""
}
