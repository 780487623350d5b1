package isa

import (
	"slices"
	"sync"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
)

// Root is a tree of encodings in a Set: either the instructions or one kind of operand. Only the leaves
// of the tree are listed.
type Root struct {
	// ID is the index in Set.Roots.
	ID   int
	Name string
	// Doc is the documentation in the description.
	Doc    string
	Leaves []*Leaf
	// Size and MinSize are the lengths of the longest and the shortest leaf, in bits.
	Size, MinSize int
	// WordSize is the size in bits of the words in which programs are stored. An instruction occupies
	// whole words. HighFirst reports whether the most significant word comes first.
	WordSize  int
	HighFirst bool
	// Swapped reports whether the high half of each 32-bit word is stored first.
	Swapped bool
}

// BitAt converts an offset in a stored instruction to a bit number in the decoded instruction. at is
// the offset, a multiple of 8, and stored is the stored size of the instruction. All values are in
// bits.
func (r *Root) BitAt(stored, at int) int {
	if r.Swapped {
		at ^= 16
	}
	if r.HighFirst {
		return stored - r.WordSize - at/r.WordSize*r.WordSize + at%r.WordSize
	}
	return at
}

// StoredSize returns the number of bits that an instruction of size bits occupies in a program.
func (r *Root) StoredSize(size int) int { return (size + r.WordSize - 1) / r.WordSize * r.WordSize }

// Alignment returns the greatest number of bits that divides every instruction address in every
// program.
func (r *Root) Alignment() int {
	step := r.StoredSize(max(r.MinSize, 1))
	for _, l := range r.Leaves {
		for rest := r.StoredSize(l.Size); rest > 0; {
			step, rest = rest, step%rest
		}
	}
	return step
}

// Leaf is an instruction of a Set or one form of an operand.
type Leaf struct {
	// ID is the index in Root.Leaves.
	ID   int
	Root *Root
	// Name is the name of the bitset. Display is the text that {NAME} prints.
	Name, Display string
	// Size is the length in bits.
	Size int
	// A word w matches if w&Mask == Match. DontCare bits are ignored in the comparison, but a word in
	// which one of them is 1 has a finding.
	Match, Mask, DontCare bits.Value

	model *model.Leaf
	set   *Set

	named     sync.Once // guards mnemonics, which are computed on first use
	mnemonics []string
}

// Inside returns the bound description of the leaf. Only packages of this module can call it.
func (l *Leaf) Inside(inside.Key) *model.Leaf { return l.model }

// Set returns the instruction set of the leaf.
func (l *Leaf) Set() *Set { return l.set }

// Doc returns the documentation of the leaf or, if the leaf has none, of its nearest documented
// ancestor.
func (l *Leaf) Doc() string { return l.model.Doc() }

// Meta returns an attribute of <meta> from the leaf or from its nearest ancestor that has the attribute.
// It returns "" if neither the leaf nor an ancestor has the attribute.
func (l *Leaf) Meta(name string) string { return l.model.Meta(name) }

// Template returns the leaf's default display in the syntax of the set, with field names in braces.
func (l *Leaf) Template() string { return l.model.Spec.Text(l.set.model.Syntax) }

// Layout holds properties of an instruction that a compiler needs to lay out a whole program.
type Layout struct {
	// Align is the required alignment of the address, in bits. It is 0 if any address is valid.
	Align int
	// Filler reports whether compilers insert the instruction as a no-op where an instruction is
	// required, such as at the end of a scope.
	Filler bool
	// Terminator reports whether compilers append the instruction to a program that has no end
	// instruction.
	Terminator bool
	// NotLast is "scope" if the instruction must not be the last word of a block or procedure. It is
	// "loop" if the instruction must not be the last word of a loop. Otherwise it is "".
	NotLast string
	// Flushes is the register file whose registers the instruction sends to the next pipeline stage, or
	// nil.
	Flushes *File
	// Program is the only kind of program that can contain the instruction. It is "" if any program can
	// contain it.
	Program string
}

// Layout returns the layout of the leaf or of its nearest ancestor that has a layout. It returns the
// zero Layout if there is none.
func (l *Leaf) Layout() Layout {
	x := l.model.Layout()
	if x == nil {
		return Layout{}
	}
	return Layout{
		Align: x.Align, Filler: x.Filler, Terminator: x.Terminator, NotLast: x.NotLast,
		Flushes: l.set.declared.file(x.Flushes), Program: x.Program,
	}
}

// Runs describes the words elsewhere in the program, such as a clause, that an instruction runs.
type Runs struct {
	// Roots are the roots to which these words may belong. The words of all these roots have the same
	// size.
	Roots []*Root
	// Address holds the bits of the instruction that contain the index of the first word. The index
	// counts words of the size that all Roots have, from the start of the program. Count holds the bits
	// that contain the number of words.
	Address, Count bits.Part
	// Context is the name of the context that the instruction sets for each word, or "".
	Context string
	// Steps has one element for each word that the instruction can run, in order.
	Steps []RunsStep
}

// RunsStep locates the bits of an instruction that describe one of the words that it runs. The bits in
// Root contain the index of the word's root in Runs.Roots. The bits in Context contain the value of the
// context. A part whose width is 0 is absent.
type RunsStep struct{ Root, Context bits.Part }

// Runs describes the words that instructions of the leaf run. ok is false if these instructions do not
// run other words.
func (l *Leaf) Runs() (r Runs, ok bool) {
	x := l.model.Runs()
	if x == nil {
		return Runs{}, false
	}
	r.Address, r.Count = x.Address, x.Count
	for _, step := range x.Steps {
		r.Steps = append(r.Steps, RunsStep(step))
	}
	for _, b := range x.Roots {
		if i := slices.IndexFunc(l.set.roots, func(root *Root) bool { return root.Name == b.Name }); i >= 0 {
			r.Roots = append(r.Roots, l.set.roots[i])
		}
	}
	if x.Context != nil {
		r.Context = x.Context.Name
	}
	return r, true
}

// FieldLimit is a limit on the value of a field. Assemblers reject values above Max, even if the bits of
// the field can hold them.
type FieldLimit struct {
	Field string
	Max   uint64
}

// FieldLimits lists the limits of the leaf's fields.
func (l *Leaf) FieldLimits() []FieldLimit {
	var list []FieldLimit
	for b := l.model.Spec; b != nil; b = b.Extends {
		for _, x := range b.Limits {
			list = append(list, FieldLimit{x.Name, x.Most})
		}
	}
	return list
}

// FlowForm describes a control flow that instructions of a leaf can have.
type FlowForm struct {
	Kind FlowKind
	// Target and Count are the names of the fields that hold the target and the count, or "".
	Target, Count string
	// Maybe reports whether the flow can depend on a condition at run time. Sometimes reports whether
	// only some words of the leaf have the flow.
	Maybe, Sometimes bool
	// Stack is the name of the stack that the flow uses, or "".
	Stack string
}

// FlowForms lists the possible control flow of the leaf's instructions. It does not include the flow
// of operands.
func (l *Leaf) FlowForms() []FlowForm {
	var list []FlowForm
	for b := l.model.Spec; b != nil; b = b.Extends {
		for _, f := range b.Flows {
			list = append(list, FlowForm{FlowKind(f.Kind), f.Target, f.Count, f.Maybe != nil, f.When != nil, f.Stack})
		}
	}
	return list
}

// AssertedBits returns a mask of the bits for which a case of the leaf or of an ancestor expects a fixed
// value.
func (l *Leaf) AssertedBits() bits.Value {
	var mask bits.Value
	for b := l.model.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			for _, a := range c.Asserts {
				mask = mask.Or(a.Mask)
			}
		}
	}
	return mask
}

// loadRoots creates the roots and leaves of a set. They have the same IDs as in the model.
func (s *Set) loadRoots() {
	for _, r := range s.model.Roots {
		root := &Root{ID: r.ID, Name: r.Name, Doc: r.Spec.Doc, Size: r.Size, MinSize: r.MinSize, WordSize: r.WordSize, HighFirst: r.HighFirst, Swapped: r.Swapped}
		for _, l := range r.Leaves {
			root.Leaves = append(root.Leaves, &Leaf{
				ID: l.ID, Root: root, Name: l.Name, Display: l.Display, Size: l.Size,
				Match: l.Match, Mask: l.Mask, DontCare: l.DontCare, model: l, set: s,
			})
		}
		s.roots = append(s.roots, root)
	}
}
