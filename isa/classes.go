package isa

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/spec"
)

// Class is a kind of operation that tools count, such as a texture fetch.
type Class struct{ Name, Doc string }

// Classes lists the classes of operations, in the order of the description.
func (s *Set) Classes() (list []Class) {
	for _, c := range s.model.ISA.Classes {
		list = append(list, Class{c.Name, c.Doc})
	}
	return list
}

// Classes appends the names of the classes of an instruction and of its operands to buf. A name can occur
// several times.
func (d *Decoder) Classes(buf []string, in Inst) []string {
	if !in.Leaf.model.Root.Spec.HasClasses {
		return buf
	}
	d.setTop(in)
	found := len(d.findings)
	buf = d.classes(buf, 0)
	d.dropFindings(found)
	return buf
}

// classes appends the classes of a frame's leaf and of its nested bitsets.
func (d *Decoder) classes(buf []string, depth int) []string {
	u := d.frames[depth].leaf
	list := u.LeafFacts().Classes
	for i := range list {
		if c := &list[i]; c.When == nil || d.eval(c.When, depth) != 0 {
			buf = append(buf, c.Spec.Name)
		}
	}
	for _, named := range u.NamedFields() {
		ref := d.pick(named.Alts, depth)
		if ref == nil || ref.Field == nil || ref.Field.Bitset == nil || !ref.Field.Bitset.HasClasses {
			continue
		}
		if inner, _, ok := d.enterDisplayed(ref, depth); ok {
			buf = d.classes(buf, inner)
		}
	}
	return buf
}

// ProgramLimit is an upper bound for something that a program uses.
type ProgramLimit struct {
	Name, Doc string
	Most      uint64
	// File is the register file whose registers the limit counts. It is nil for a limit of the length of the code, in
	// units of Unit bits.
	File *File
	Unit int
	// Program is the only kind of program to which the limit applies. It is "" if the limit applies to programs of no
	// particular kind.
	Program string
	// Source names the source of the limit, or is "".
	Source string
}

// ProgramLimits lists the limits of which the description states what they bound in a program.
func (s *Set) ProgramLimits() (list []ProgramLimit) {
	for _, l := range s.model.ISA.Limits {
		if l.Of != "" && l.Of != spec.LimitOfBlock {
			list = append(list, ProgramLimit{l.Name, l.Doc, l.Most, s.File(l.Of), l.Unit, l.Program, l.Source})
		}
	}
	return list
}

// MaxBlock returns the largest number of lanes of a block, or 0 if the description states none.
func (s *Set) MaxBlock() (most int) {
	for _, l := range s.model.ISA.Limits {
		if l.Of == spec.LimitOfBlock && (most == 0 || l.Most < uint64(most)) {
			most = int(min(l.Most, 1<<30))
		}
	}
	return most
}

// Processor is a part of the machine that runs blocks of waves at the same time.
type Processor struct {
	Name, Doc string
	// Source names the source of the numbers.
	Source string
	Holds  []Hold
}

// HoldKind is a kind of resource.
type HoldKind uint8

// The kinds of resources.
const (
	HoldsWaves HoldKind = iota
	HoldsBlocks
	HoldsRegisters
	HoldsMemory
)

// Hold is a resource that the blocks of a processor share.
type Hold struct {
	Kind HoldKind
	// Name is waves, blocks, or the name of a register file or a memory.
	Name string
	// Most is the number of waves, blocks, registers or bytes of the processor.
	Most int
	// A block gets a multiple of Unit. For registers, its waves count as a multiple of Waves.
	Unit, Waves int
}

// Processors lists the processors of machines in the given contexts.
func (s *Set) Processors(ctx bits.Value) (list []Processor) {
	for _, p := range s.model.ISA.Processors {
		if !p.In.Holds(ctx) {
			continue
		}
		out := Processor{Name: p.Name, Doc: p.Doc, Source: p.Source}
		for _, h := range p.Holds {
			kind := HoldsMemory
			switch {
			case h.Of == spec.HoldsWaves:
				kind = HoldsWaves
			case h.Of == spec.HoldsBlocks:
				kind = HoldsBlocks
			case s.File(h.Of) != nil:
				kind = HoldsRegisters
			}
			out.Holds = append(out.Holds, Hold{kind, h.Of, h.Most, h.Unit, h.Waves})
		}
		list = append(list, out)
	}
	return list
}
