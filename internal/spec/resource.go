package spec

import (
	"slices"

	"github.com/isago/isago/diag"
)

// Limit is an upper bound for a property of programs, or for the values of a field in source.
type Limit struct {
	Name, Doc string
	Span      diag.Span
	Most      uint64
	// Of is what the limit bounds: LimitOfCode, the name of a register file, or LimitOfBlock. It is "" if only the tools of
	// the machine know.
	Of string
	// Unit is the number of bits of code that count as one.
	Unit int
	// Program is the kind of program to which the limit applies, or "" for programs without an instruction of such a kind.
	Program string
	// Source names the source of the fact.
	Source string
}

// What limits bound besides registers.
const (
	// LimitOfCode is the length of the code of a program.
	LimitOfCode = "code"
	// LimitOfBlock is the number of lanes of a block.
	LimitOfBlock = "block"
)

// Class is a kind of operation that is counted, such as a texture fetch.
type Class struct {
	Name, Doc string
	Span      diag.Span
}

// ClassOf states that an instruction or an operand is of a class, if When holds. A nil When always holds.
type ClassOf struct {
	Class *Class
	When  *Expr
}

// Processor is a <processor>: what runs blocks of waves, and what all blocks that it runs at a time share.
type Processor struct {
	Name, Doc, Source string
	Span              diag.Span
	In                In
	Holds             []Hold
}

// The resources of a processor that are not registers or memories.
const (
	HoldsWaves  = "waves"
	HoldsBlocks = "blocks"
)

// Hold is a resource of a processor. Of is HoldsWaves, HoldsBlocks, or the name of a register file or of a memory. A block
// gets a multiple of Unit. For registers, Waves is the number of which the waves of a block count as a multiple.
type Hold struct {
	Of                string
	Most, Unit, Waves int
}

// maxHeld is the largest amount of a resource.
const maxHeld = 1 << 30

// readLimit reads a <limit>. Of isa, it may state what it bounds.
func (l *loader) readLimit(n *node) *Limit {
	x := &Limit{Name: l.readName(n), Doc: docOf(n), Span: n.span, Most: uint64(l.readNumber(n, "most", 0, 1<<62)), Of: n.value("of"), Program: n.value("program"), Source: n.value("source")}
	x.Unit = l.readOptional(n, "unit", 0, 8, 1<<16)
	if x.Of == "" {
		for _, name := range []string{"unit", "program", "source"} {
			if n.attr(name) != nil {
				l.fail(diag.Errorf(diag.XMLAttribute, n.at(name), "%s needs of", name))
			}
		}
		return x
	}
	switch {
	case x.Of == LimitOfCode && x.Unit == 0:
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("of"), "of=%q needs unit", LimitOfCode))
	case x.Of == LimitOfCode:
	case x.Of == LimitOfBlock && x.Unit == 0:
	case x.Unit != 0:
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("unit"), "unit needs of=%q", LimitOfCode))
	case l.isa.File(x.Of) == nil:
		l.fail(diag.Errorf(diag.Unresolved, n.at("of"), "of=%q, expected %s, %s or a register file", x.Of, LimitOfCode, LimitOfBlock))
	}
	return x
}

// readClass reads a <class> of isa, which declares a class.
func (l *loader) readClass(n *node) {
	c := &Class{Name: l.readName(n), Doc: docOf(n), Span: n.span}
	if old := l.isa.Class(c.Name); old != nil {
		l.failDuplicate(n, c.Name, old.Span)
		return
	}
	if n.attr("when") != nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("when"), "when in a <class> of isa, expected it in a bitset"))
	}
	l.isa.Classes = append(l.isa.Classes, c)
}

// readClassOf reads a <class> of a bitset.
func (l *loader) readClassOf(n *node, b *Bitset) {
	c := &ClassOf{Class: l.isa.Class(l.readName(n)), When: l.readExprAttr(n, "when", false)}
	if c.Class == nil {
		l.fail(diag.Errorf(diag.Unresolved, n.at("name"), "unknown class %q, expected one that a <class> of isa declares", n.value("name")))
		return
	}
	b.Classes = append(b.Classes, c)
}

// readProcessor reads a <processor>.
func (l *loader) readProcessor(n *node) {
	p := &Processor{Name: l.readName(n), Doc: docOf(n), Source: n.value("source"), Span: n.span, In: l.readIn(n)}
	if p.Source == "" {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<processor> without source"))
	}
	if i := slices.IndexFunc(l.isa.Processors, func(o *Processor) bool { return o.Name == p.Name }); i >= 0 {
		l.failDuplicate(n, p.Name, l.isa.Processors[i].Span)
	}
	for _, c := range n.children {
		if c.name != "holds" {
			continue
		}
		h := Hold{Of: c.value("of"), Most: l.readNumber(c, "most", 1, maxHeld), Unit: l.readOptional(c, "unit", 1, 1, maxHeld), Waves: l.readOptional(c, "waves", 1, 1, MaxLanes)}
		file := l.isa.File(h.Of) != nil
		switch {
		case slices.ContainsFunc(p.Holds, func(o Hold) bool { return o.Of == h.Of }):
			l.fail(diag.Errorf(diag.Duplicate, c.at("of"), "second <holds> of %q", h.Of))
		case h.Of != HoldsWaves && h.Of != HoldsBlocks && !file && l.isa.Memory(h.Of) == nil:
			l.fail(diag.Errorf(diag.Unresolved, c.at("of"), "of=%q, expected %s, %s, a register file or a memory", h.Of, HoldsWaves, HoldsBlocks))
		case c.attr("waves") != nil && !file:
			l.fail(diag.Errorf(diag.XMLAttribute, c.at("waves"), "waves in a <holds> that is not of a register file"))
		}
		p.Holds = append(p.Holds, h)
	}
	for _, of := range []string{HoldsWaves, HoldsBlocks} {
		if !slices.ContainsFunc(p.Holds, func(h Hold) bool { return h.Of == of }) {
			l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<processor> without <holds of=%q>", of))
		}
	}
	l.isa.Processors = append(l.isa.Processors, p)
}

// Class returns the class with the given name, or nil.
func (s *ISA) Class(name string) *Class {
	return find(s.Classes, name, func(c *Class) string { return c.Name })
}
