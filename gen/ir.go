package gen

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/spec"
)

// Bits is a value of 256 bits.
type Bits = bits.Value

// ExprKind tells expressions apart.
type ExprKind uint8

// The kinds of expressions.
const (
	Const    ExprKind = iota
	BitsOf            // bits of a value in scope
	Context           // the value of a context
	Gen               // the generation
	Call              // of an expression's function, in the scope Hops up
	Test              // whether the bits of Mask are as in Match, of the scope Hops up
	Operator          // Op of X and Y
	Choose            // X ? Y : Z
	Local             // a value that the function looked up before, by its number
	Absent            // finds that Name is defined nowhere, and is 0
)

// Expr is computed in 64 bits, each value being sign- or zero-extended from its type.
type Expr struct {
	Kind    ExprKind
	Op      spec.Op
	Type    spec.Type
	X, Y, Z *Expr
	Value   uint64
	Name    string
	Source  Source
	Hops    int
	Func    *Func
	Context *spec.Context
	Mask    Bits
	Match   Bits
	// Effects tells that computing it may find something.
	Effects bool
}

// Source is where bits are: in the value of the scope Hops up, or in a table entry.
type Source struct {
	Hops  int
	Entry *Entry
	// Parts are the bits, the most significant first; nil is the whole value.
	Parts []bits.Part
	Width int
}

// Limbs returns the number of 64-bit words of the value.
func (s *Source) Limbs() int {
	n := s.Width
	if s.Parts != nil {
		n = 0
		for _, p := range s.Parts {
			n += p.Width
		}
	}
	return max(1, (n+63)/64)
}

// PartsOf returns the places of one limb of the value.
func (s *Source) PartsOf(limb int) []bits.Part {
	return Slice(s.Parts, bits.Part{Low: 64 * limb, Width: 64})
}

// Entry is an entry of a table.
type Entry struct {
	Table *spec.Table
	Index *Expr
}

// StmtKind tells statements apart.
type StmtKind uint8

// The kinds of statements.
const (
	Text     StmtKind = iota
	LeafName          // the name of the leaf, as displays show it
	Align
	Break
	Remark
	Optional // Before, Body and After if Body prints something
	Set      // Members that print something, joined by Text
	If       // Body where Value is not 0, else Else
	Scalar
	Nested
	Symbol   // the name of Value in the space Text, else Body
	Notify   // tells the host of a field, Text, with Value
	NoField  // finds that a name, Text, is defined nowhere
	NoText   // finds that the leaf has no display
	Part     // what Func prints in the same scope
	Expected // finds bits that are not as an assert says
	Done     // returns
	Compute  // computes Value for what it finds
	Ignored  // finds ignored bits of Leaf, if there is one, in the value of Nested
	// AddOperand adds an operand, Text, of the role and kind in Numbers, if Body prints something, and says with Else
	// what it is; Body is empty where its text never is.
	AddOperand
	Act // calls a function of the runtime, Text, with Numbers and Values
)

// Stmt is a statement of the function that prints a leaf.
type Stmt struct {
	Kind          StmtKind
	Text          string
	Before, After string
	Column        int
	Value         *Expr
	Body, Else    []Stmt
	Members       [][]Stmt
	Scalar        *ScalarType
	Nested        *NestedField
	Assert        *spec.Pattern
	Leaf          *Leaf
	Func          *Func
	Numbers       []int
	Values        []*Expr
}

// ScalarType is how a number is printed.
type ScalarType struct {
	Kind    spec.Kind
	Width   int
	Name    string // of the field
	Display *string
	Enum    *Enum
	Call    bool
	Unit    int
	// Wide is where the bits of a number of more than 64 are; else the value is the statement's.
	Wide *Source
}

// NestedField is a field whose value is printed in a scope of its own.
type NestedField struct {
	Show *Func
	// Steps are the values of scopes that stand between.
	Steps []Step
	// Value is where the bits are; nil where the value is computed: Computed.
	Value    *Source
	Computed *Expr
	// Field is its name, for what is found.
	Field string
}

// Step is a value through which a path passes, and the leaf that it counts as.
type Step struct {
	Source
	Leaf *Leaf
}

// FuncKind tells functions apart.
type FuncKind uint8

// The kinds of functions.
const (
	Eval  FuncKind = iota // computes an expression in a scope
	Show                  // prints a leaf, or a part of one, in a scope
	Match                 // finds the leaf of a value
	Enter                 // finds the leaf of a nested value and prints it
)

// Func is a function of the generated code.
type Func struct {
	Kind FuncKind
	// Name is an identifier, unique in the program.
	Name string
	// Doc says in a line what it is of.
	Doc  string
	Body []Stmt
	Eval *Evaluation
	Tree *Tree
	// Root and Leaves are those of an Enter; Shows their functions, nil where a leaf does not exist.
	Root  *Root
	Match *Func
	Shows []*Func
	// Scoped tells that the function needs the scope, and Effects that it may find something.
	Effects bool
	// Cyclic tells that it may call itself.
	Cyclic bool
	// Most is the largest value that the function of an expression returns, Cost the number of expressions
	// that it computes at most.
	Most, Cost uint64

	key string
}

// Evaluation is what the function of an expression does.
type Evaluation struct {
	Value *Expr
	// Missing are the names that may resolve nowhere: Text is found where Value is 0, once in a scope, by
	// the slot Told.
	Told    int // -1 for none
	Missing []MissingName
	// Cycle is what is found of an expression inside itself, "" of others.
	Cycle string
	// Open is set where the value found first counts, kept in the slot Known.
	Open  bool
	Known int
	Fetch []*Expr
	// Mesa is set where the expression is computed as Mesa's tools do: Locals are looked up first, on a
	// stack on which the expression is ID.
	Mesa   bool
	ID     int
	Locals []MissingName
}

// MissingName is a name and what it means; Found is 0 where it resolves nowhere, nil where it never does.
type MissingName struct {
	Name  string
	Found *Expr
	Value *Expr
}

// Tree finds the leaf of a value.
type Tree struct {
	// Runs are bits, each run in one limb; Next has a subtree for some of their values, the first run lowest.
	Runs []bits.Part
	Next []Branch
	// Leaves are the candidates where Next is empty, in the order in which they are tried.
	Leaves []Candidate
	// First tells that the first candidate that matches is the one.
	First bool
}

// Branch is a subtree and the values that lead to it.
type Branch struct {
	Values []uint64
	Tree   *Tree
}

// Candidate is a leaf and what is left to be verified of it.
type Candidate struct {
	Leaf        *Leaf
	Mask, Match Bits
	Requires    []*Expr
	// Refined are the candidates before it that refine it: it does not count where one of them is found.
	Refined []*Leaf
}

// Layout is where the fields of a leaf are, for packing and unpacking.
type Layout struct {
	Fields []*Field
	// Rest are the bits that no field has, those of overrides aside, and no pattern fixes, Expected what they
	// are to be.
	Rest, Expected Bits
	// Cases are the overrides with bits of their own, the outermost first.
	Cases []LayoutCase
}

// Field is bits of a leaf by a name.
type Field struct {
	Spec *spec.Field
	Name string // as an identifier
	// Parts are the bits, the most significant part first.
	Parts  []bits.Part
	Width  int
	Signed bool
	Bool   bool
	Enum   *Enum
	Root   *Root
	// Where is the condition of the override that has the field, for people; "" for none.
	Where string
}

// LayoutCase is an override: where Cond is not 0, its fields are written and its bits expected.
type LayoutCase struct {
	Cond   *Expr
	Fields []*Field
	// Covers are the bits of Layout.Rest that its fields have.
	Rest, Expected, Covers Bits
}
