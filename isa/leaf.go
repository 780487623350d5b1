package isa

import (
	"slices"
	"sync"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
)

// Root is a tree of encodings in a Set: its instructions or one kind of operand. It is represented by
// the list of its leaves.
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
	// whole words. HighFirst means that the most significant word comes first.
	WordSize  int
	HighFirst bool
	// Swapped means that the high half of each 32-bit word is stored first.
	Swapped bool
}

// BitAt converts an offset in a stored instruction to the number of a bit in the decoded
// instruction. The offset is a multiple of 8, and
// stored is the stored size of the instruction. All values are in bits.
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
	// A word w matches if w&Mask == Match. DontCare bits are ignored but are expected to be 0.
	Match, Mask, DontCare bits.Value

	model *model.Leaf
	set   *Set

	named     sync.Once // mnemonics are computed on first use
	mnemonics []string
}

// Inside returns the bound description of the leaf. Only packages of this module can call it.
func (l *Leaf) Inside(inside.Key) *model.Leaf { return l.model }

// Set returns the instruction set of the leaf.
func (l *Leaf) Set() *Set { return l.set }

// Doc returns the documentation of the leaf or of its nearest ancestor that has some.
func (l *Leaf) Doc() string { return l.model.Doc() }

// Meta returns an attribute of <meta> from the leaf or from its nearest ancestor that has the
// attribute. It returns "" if none has it.
func (l *Leaf) Meta(name string) string { return l.model.Meta(name) }

// Template returns the leaf's default display in the syntax of the set, with field names in braces.
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

// Runs describes instructions of a leaf that run words elsewhere in the program, as a clause does.
type Runs struct {
	// Roots are the roots of these words. All have the same size.
	Roots []*Root
	// Address is the part of the instruction that holds the index of the first word, counted in words
	// of that size from the start of the program. Count is the part that holds the number of words.
	Address, Count bits.Part
	// Context is the name of the context that the instruction sets for each word, or "".
	Context string
	// Steps are the parts of the instruction for the first word, the second word and so on. Their
	// number is the maximum number of words.
	Steps []RunsStep
}

// RunsStep is where an instruction gives the root of an instruction that it runs, as an index in Runs.Roots, and the
// value of the context. A part of no bits gives nothing.
type RunsStep struct{ Root, Context bits.Part }

// Runs returns what instructions of the leaf run. ok is false if they run nothing.
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

// FieldLimit is the greatest value that source text may give a field, if that is less than the bits
// can hold.
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

// FlowForm is a control flow that some instruction of a leaf may have.
type FlowForm struct {
	Kind FlowKind
	// Target and Count are the names of the fields that hold the target and the count, or "".
	Target, Count string
	// Maybe reports whether the instruction may decide at run time. Sometimes reports whether only
	// some words of the leaf have the flow.
	Maybe, Sometimes bool
	Stack            string
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

// AssertedBits returns the bits for which some case has an expected value.
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

// loadRoots creates the roots and leaves of a set. Their IDs are those of the model.
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
