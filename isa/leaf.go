package isa

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
)

func init() {
	inside.Open(func(set any) *model.Machine { return set.(*Set).model }, func(leaf any) *model.Leaf { return leaf.(*Leaf).model })
}

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
	// Unit is the number of bits in the words in which programs are stored, each instruction in whole
	// ones; HighFirst tells that the most significant of several comes first.
	Unit      int
	HighFirst bool
}

// Stored returns the number of bits that an instruction of so many bits takes in a program.
func (r *Root) Stored(size int) int { return (size + r.Unit - 1) / r.Unit * r.Unit }

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
}

// Doc returns the leaf's documentation, its parent's where it has none.
func (l *Leaf) Doc() string { return l.model.Doc() }

// Meta returns an attribute of the leaf's <meta>, of the nearest ancestor's where it has none, ""
// where nobody has it.
func (l *Leaf) Meta(name string) string { return l.model.Meta(name) }

// Template returns the text of the leaf's display where no override holds, with the names of fields in
// braces, in the spelling of the set.
func (l *Leaf) Template() string { return l.model.Spec.Text(l.set.model.Syntax) }

// Asserted returns the bits that are expected to have a certain value in some case.
func (l *Leaf) Asserted() bits.Value {
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
		root := &Root{ID: r.ID, Name: r.Name, Doc: r.Spec.Doc, Size: r.Size, MinSize: r.MinSize, Unit: r.Unit, HighFirst: r.HighFirst}
		for _, l := range r.Leaves {
			root.Leaves = append(root.Leaves, &Leaf{
				ID: l.ID, Root: root, Name: l.Name, Display: l.Display, Size: l.Size,
				Match: l.Match, Mask: l.Mask, DontCare: l.DontCare, model: l, set: s,
			})
		}
		s.roots = append(s.roots, root)
	}
}
