package isa

import (
	"slices"
	"sync"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
)

// Root is a tree of encodings of a Set, its instructions or one kind of operand, seen as the list of its
// leaves.
type Root struct {
	// ID is the index in Set.Roots.
	ID   int
	Name string
	// Doc is what the description says of it.
	Doc    string
	Leaves []*Leaf
	// Size is the length of the longest leaf in bits, MinSize that of the shortest.
	Size, MinSize int
	// WordSize is the number of bits in the words in which programs are stored, each instruction in whole
	// ones; HighFirst tells that the most significant of several comes first.
	WordSize  int
	HighFirst bool
	// Swapped tells that of each word of 32 bits the high half is stored first.
	Swapped bool
}

// BitAt returns the bit of an instruction, stored in so many bits, that is bit 0 of the byte at a place in bits.
func (r *Root) BitAt(stored, at int) int {
	if r.Swapped {
		at ^= 16
	}
	if r.HighFirst {
		return stored - r.WordSize - at/r.WordSize*r.WordSize + at%r.WordSize
	}
	return at
}

// StoredSize returns the number of bits that an instruction of so many bits takes in a program.
func (r *Root) StoredSize(size int) int { return (size + r.WordSize - 1) / r.WordSize * r.WordSize }

// Alignment returns the number of bits of which the places of all instructions of a program are multiples.
func (r *Root) Alignment() int {
	step := r.StoredSize(max(r.MinSize, 1))
	for _, l := range r.Leaves {
		for rest := r.StoredSize(l.Size); rest > 0; {
			step, rest = rest, step%rest
		}
	}
	return step
}

// Leaf is one instruction of a Set, or one form of an operand.
type Leaf struct {
	// ID is the index in Root.Leaves.
	ID   int
	Root *Root
	// Name is the description's own name; Display is what {NAME} prints.
	Name, Display string
	// Size is the length in bits.
	Size int
	// A word w is this leaf's if w&Mask == Match; DontCare bits are expected to be 0.
	Match, Mask, DontCare bits.Value

	model *model.Leaf
	set   *Set

	named     sync.Once // mnemonics are found when they are first asked for
	mnemonics []string
}

// Inside returns the bound description of the leaf. Only packages of this module can call it.
func (l *Leaf) Inside(inside.Key) *model.Leaf { return l.model }

// Set returns the instruction set that has the leaf.
func (l *Leaf) Set() *Set { return l.set }

// Doc returns the leaf's documentation, its parent's where it has none.
func (l *Leaf) Doc() string { return l.model.Doc() }

// Meta returns an attribute of the leaf's <meta>, of the nearest ancestor's where it has none, ""
// where nobody has it.
func (l *Leaf) Meta(name string) string { return l.model.Meta(name) }

// Template returns the text of the leaf's display where no override holds, with the names of fields in
// braces, in the spelling of the set.
func (l *Leaf) Template() string { return l.model.Spec.Text(l.set.model.Syntax) }

// Layout holds what a compiler of whole programs needs to know about an instruction.
type Layout struct {
	// Align is the number of bits that the address is a multiple of, 0 for any address.
	Align int
	// Filler reports whether the instruction fills a place in which one is required and nothing is to be done.
	Filler bool
	// Terminator reports whether the instruction ends a program that no other instruction ends.
	Terminator bool
	// NotLast is "scope" for an instruction that must not be the last word of a block or procedure, "loop" for one that
	// must not be the last word of a loop, "" for neither.
	NotLast string
	// Flushes is the file whose registers the instruction hands on, nil for none.
	Flushes *File
	// Program is the kind of program that the instruction belongs to, "" for any.
	Program string
}

// Layout returns the layout of the leaf, or of its nearest ancestor that has one.
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

// Runs says that instructions of a leaf run others, which stand elsewhere in the program.
type Runs struct {
	// Roots are the kinds of what is run, all of one size.
	Roots []*Root
	// Address is where in the word the place of the first one is said, counted in their size from the
	// start of the program; Count where it is said how many there are.
	Address, Count bits.Part
	// Context is the context whose value the instruction says for each of them, "" for none.
	Context string
	// Steps are where in the word it says that of the first one, the second one and so on: as many as it
	// can run.
	Steps []RunsStep
}

// RunsStep is where an instruction gives the root of an instruction that it runs, as an index in Runs.Roots, and the
// value of the context. A part of no bits gives nothing.
type RunsStep struct{ Root, Context bits.Part }

// Runs returns what instructions of the leaf run; ok is false for those that run nothing.
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

// FieldLimit is the greatest value that source may give a field whose bits hold more.
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

// FlowForm is a flow that instructions of a leaf can have.
type FlowForm struct {
	Kind FlowKind
	// Target and Count are the fields that say where, and how much is there; "" for none.
	Target, Count string
	// Maybe is set where the instruction may decide while it runs; Some where only some words of the leaf
	// have the flow.
	Maybe, Sometimes bool
	Stack            string
}

// FlowForms lists the flows that instructions of the leaf can have, as far as its own description says, not
// that of operands in it.
func (l *Leaf) FlowForms() []FlowForm {
	var list []FlowForm
	for b := l.model.Spec; b != nil; b = b.Extends {
		for _, f := range b.Flows {
			list = append(list, FlowForm{FlowKind(f.Kind), f.Target, f.Count, f.Maybe != nil, f.When != nil, f.Stack})
		}
	}
	return list
}

// AssertedBits returns the bits that are expected to have a certain value in some case.
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

// loadRoots makes the roots and leaves of a set, with the numbers that they have in its model.
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
