// Package gen turns a description into a plan of a decoder, a printer and an encoder. The plan has few kinds of
// expressions and statements. The packages below gen write it in C or Go.
package gen

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Options choose what is generated.
type Options struct {
	// Name is what all generated names start with; "" is the name of the description, else Fallback.
	Name, Fallback string
	// Gen is the one generation for which code is made; AllGens makes code that is told the generation when
	// it runs.
	Gen     uint32
	AllGens bool
	// Syntax is the spelling, "" for the plain one.
	Syntax string
	// Mesa prints as the decoder does that Mesa's isaspec generates, in the cases that docs/language.md lists.
	Mesa bool
	// Fragments takes the C of <encode> from the description.
	Fragments bool
}

// Program is a description, ready to be written as code.
type Program struct {
	Options
	// Name is the name of the description, for people.
	Title string
	ISA   *spec.ISA
	Roots []*Root
	// Main is the root in which instructions stand.
	Main *Root
	// Limbs is the number of 64-bit words of the longest value.
	Limbs int
	// Classes are the ranges of generations that differ, in order, without gaps; one where there is one.
	Classes  []Class
	Enums    []*Enum
	Contexts []*spec.Context
	Tables   []*spec.Table
	Files    []*spec.File
	// Spaces are the spaces of symbols.
	Spaces []string
	Funcs  []*Func
	// Told and Known are the numbers of slots that a scope needs: for what was told of it, and for values
	// that are found once.
	Told, Known int
	// Deep tells that operands may be nested too deep, or be too many.
	Deep bool
	// Uses tells what of the runtime is needed.
	Uses Uses
}

// Uses are what of the language a program needs.
type Uses struct{ Align, Break, Remark, Optional, Set, Symbol, NoField, Cycle, Gen, Entry, Stack, DontCare, Conflict bool }

// Class is a range of generations, both ends inclusive, in which the same bitsets exist.
type Class struct {
	Min, Max uint32
	set      *isa.Set
	model    *model.Machine
}

// Root is a tree of encodings: the instructions, or a kind of operand.
type Root struct {
	ID     int
	Spec   *spec.Bitset
	Name   string // as an identifier
	Leaves []*Leaf
	// Size is the length of the longest leaf in bits, MinSize that of the shortest.
	Size, MinSize, Stored int
	Unit                  int
	HighFirst, Swapped    bool
	// Top tells that it is no field's type: its words stand alone.
	Top bool
	// Decoders are those of each class.
	Decoders []Decoder
	Doc      string
}

// MainFirst lists the roots, the main one first.
func (p *Program) MainFirst() []*Root {
	var list []*Root
	if p.Main != nil {
		list = append(list, p.Main)
	}
	for _, r := range p.Roots {
		if r != p.Main {
			list = append(list, r)
		}
	}
	return list
}

// Until yields the elements of a list until the context ends.
func Until[E any](ctx context.Context, list []E) iter.Seq[E] {
	return func(yield func(E) bool) {
		for _, e := range list {
			if ctx.Err() != nil || !yield(e) {
				return
			}
		}
	}
}

// Limbs returns the number of 64-bit words of a value.
func (r *Root) Limbs() int { return (r.Size + 63) / 64 }

// Step returns the number of bits from one place of an instruction to the next.
func (r *Root) Step() int {
	if r.Size == r.MinSize {
		return r.Stored
	}
	return r.Unit
}

// Lengths lists the lengths at which an instruction has to be looked for, as code.
func (r *Root) Lengths() string {
	sizes := []int{r.Size}
	if r.HighFirst {
		for _, l := range r.Leaves {
			sizes = append(sizes, l.Size)
		}
	}
	slices.Sort(sizes)
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(slices.Compact(sizes)), " ", ", "), "[]")
}

// Decoder is how words of a root are decoded and printed in a class of generations.
type Decoder struct {
	Match, Show *Func
	// Collect lists the operands that a leaf shows; nil where Mesa's tools are followed, which know of none.
	Collect *Func
	// Checks are done before a leaf is printed, by its number.
	Checks [][]Stmt
}

// Leaf is one instruction, or one form of an operand.
type Leaf struct {
	ID   int
	Root *Root
	Spec *spec.Bitset
	Name string // as an identifier
	// Display is what {NAME} prints, Found what findings call the leaf.
	Display, Found string
	Size           int
	Doc            string
	// Line is where the leaf stands in the description.
	Line string
	// Match, Mask and DontCare as in isa.Leaf.
	Match, Mask, DontCare Bits
	Layout                Layout
}

// Enum is an enum of the description.
type Enum struct {
	Spec   *spec.Enum
	Name   string
	Values []EnumValue
	// Texts are what the values print, in the order of their numbers.
	Texts []model.EnumText
	enums []*model.Enum
}

// EnumValue is a value by its name in code.
type EnumValue struct {
	Name string
	Val  uint64
}

// New plans the code for an instruction set. The error says what is wrong with the options, or what of the description is
// too large, or is that of the context where it is cancelled.
func New(ctx context.Context, set *isa.Set, opt Options) (*Program, error) {
	p := &Program{Options: opt}
	m := inside.Machine(set)
	p.ISA = m.ISA
	p.Title = m.ISA.Name
	if p.Title == "" {
		p.Title = opt.Fallback
	}
	if p.Name == "" {
		p.Name = Lower(p.Title)
	}
	if err := p.classes(set); err != nil {
		return nil, err
	}
	if err := p.instructions(); err != nil {
		return nil, err
	}
	p.Contexts, p.Tables, p.Files = m.ISA.Contexts, m.ISA.Tables, m.ISA.Files
	p.enums()
	if err := p.lower(ctx, false); err != nil {
		return nil, err
	}
	if p.Mesa && (p.Uses.NoField || p.Uses.Cycle || p.Known > 0) {
		if err := p.lower(ctx, true); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// lower makes the functions; exact is for what is odd where it is to be printed as Mesa's tools do.
func (p *Program) lower(ctx context.Context, exact bool) error {
	p.Roots, p.Funcs, p.Spaces, p.Uses = nil, nil, nil, Uses{}
	p.roots()
	l := newLowering(ctx, p)
	l.exact = exact
	return l.all()
}

// classes finds the ranges of generations in which different bitsets exist.
func (p *Program) classes(set *isa.Set) error {
	starts := []uint32{0}
	if p.AllGens {
		for _, b := range p.ISA.Bitsets {
			starts = append(starts, b.Min)
			if b.Max != ^uint32(0) {
				starts = append(starts, b.Max+1)
			}
		}
		slices.Sort(starts)
		starts = slices.Compact(starts)
	}
	for i, from := range starts {
		c := Class{Min: from, Max: ^uint32(0)}
		if i+1 < len(starts) {
			c.Max = starts[i+1] - 1
		}
		gen := from
		if !p.AllGens {
			gen = p.Gen
		}
		var err error
		if c.set, err = set.WithOptions(isa.Options{Gen: gen, Syntax: p.Syntax}); err != nil {
			return err
		}
		c.model = inside.Machine(c.set)
		p.Classes = append(p.Classes, c)
	}
	return nil
}

// Class returns the number of the class of a generation.
func (p *Program) Class(gen uint32) int {
	for i, c := range p.Classes {
		if c.Min <= gen && gen <= c.Max {
			return i
		}
	}
	return 0
}

func (p *Program) enums() {
	names := NewNames()
	for _, e := range p.ISA.Enums {
		out := &Enum{Spec: e, Name: names.Unique(Lower(e.Name), e.Name)}
		for _, c := range p.Classes {
			out.enums = append(out.enums, c.model.Enum(e))
		}
		values := NewNames()
		seen := map[uint64]bool{}
		for _, v := range e.Values {
			if v.Syntax != "" || seen[v.Val] {
				continue
			}
			seen[v.Val] = true
			name := v.Name
			if name == "" {
				name = v.Display
			}
			out.Values = append(out.Values, EnumValue{values.Unique(Upper(name), v.Name), v.Val})
		}
		for _, t := range out.enums[0].Texts {
			if !t.Alias {
				out.Texts = append(out.Texts, t)
			}
		}
		slices.SortStableFunc(out.Texts, func(a, b model.EnumText) int { return cmp.Compare(a.Val, b.Val) })
		p.Enums = append(p.Enums, out)
	}
}

// enum returns the plan of a bound enum.
func (p *Program) enum(e *model.Enum) *Enum {
	for _, x := range p.Enums {
		if x.Spec == e.Spec {
			return x
		}
	}
	return nil
}

// instructions asks for something to decode.
func (p *Program) instructions() error {
	hasLeaves := func(c Class) bool {
		return slices.ContainsFunc(c.model.Roots, func(r *model.Root) bool { return len(r.Leaves) > 0 })
	}
	switch {
	case len(p.Classes[0].model.Roots) == 0:
		return fmt.Errorf("%s: no <bitset>, so there is nothing to decode", p.ISA.Span)
	case !slices.ContainsFunc(p.Classes, hasLeaves):
		return fmt.Errorf("%s: no instruction exists in generation %d", p.Classes[0].model.Roots[0].Spec.Span, p.Gen)
	}
	return nil
}

func (p *Program) roots() {
	used := map[*spec.Bitset]bool{}
	for _, b := range p.ISA.Bitsets {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				used[f.Bitset] = true
			}
		}
	}
	names := NewNames()
	for i, r := range p.Classes[0].model.Roots {
		root := &Root{ID: i, Spec: r.Spec, Name: names.Unique(Lower(r.Name), r.Name), Top: !used[r.Spec], Doc: r.Spec.Doc,
			Unit: r.WordSize, HighFirst: r.HighFirst, Swapped: r.Swapped, MinSize: 256}
		p.leaves(root)
		root.Stored = (root.Size + root.Unit - 1) / root.Unit * root.Unit
		p.Limbs = max(p.Limbs, root.Limbs())
		p.Roots = append(p.Roots, root)
	}
	if main, err := p.Classes[0].model.Root(""); err == nil && main != nil {
		p.Main = p.Roots[main.ID]
		p.Main.Top = true
	}
}

// leaves collects the leaves that a root has in any generation, in the order of the description.
func (p *Program) leaves(root *Root) {
	byBitset := map[*spec.Bitset]*model.Leaf{}
	for _, c := range p.Classes {
		r := c.model.Roots[root.ID]
		root.Size = max(root.Size, r.Size)
		for _, l := range r.Leaves {
			byBitset[l.Spec] = l
		}
	}
	names := NewNames("COUNT", "NONE")
	for _, b := range p.ISA.Bitsets {
		l := byBitset[b]
		if l == nil {
			continue
		}
		root.MinSize = min(root.MinSize, l.Size)
		root.Leaves = append(root.Leaves, &Leaf{
			ID: len(root.Leaves), Root: root, Spec: b, Name: names.Unique(Upper(b.Name), b.Name), Display: l.Display, Found: b.DisplayName,
			Size: l.Size, Doc: l.Doc(), Line: Line(b.Span), Match: Bits(l.Match), Mask: Bits(l.Mask), DontCare: Bits(l.DontCare),
		})
	}
	root.MinSize = min(root.MinSize, root.Size)
}

// LeafNumber returns the number of a leaf in a root of the program, by its number in a set of one generation.
func (p *Program) LeafNumber(set *isa.Set, root *Root, id int) int {
	l := inside.Machine(set).Roots[root.ID].Leaves[id]
	return slices.IndexFunc(root.Leaves, func(x *Leaf) bool { return x.Line == Line(l.Spec.Span) && x.Spec.Name == l.Spec.Name })
}
