package spec

import (
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
)

// link ties each bitset to its parent and splits the templates.
func (l *loader) link() {
	for _, b := range l.isa.Bitsets {
		l.parent(b)
	}
	if len(l.errs) > 0 {
		return
	}
	for _, b := range l.isa.Bitsets {
		if b.Extends == nil {
			l.sizes(b)
		}
	}
	for _, b := range l.isa.Bitsets {
		for _, c := range b.Cases {
			l.templates(c)
		}
	}
}

func (l *loader) parent(b *Bitset) {
	if b.extendsName == "" {
		if !b.sizeGiven {
			l.fail(diag.Errorf(diag.Extends, b.Span, "bitset %s has neither size nor extends", b.Name))
		}
		return
	}
	if b.sizeGiven && !l.isa.Strict {
		l.fail(diag.Errorf(diag.Extends, b.Span, "bitset %s has both size and extends", b.Name))
		return
	}
	b.Extends = l.isa.bitsets[b.extendsName]
	if b.Extends == nil {
		l.fail(diag.Errorf(diag.Extends, b.Span, "bitset %s extends %s, which is not defined", b.Name, b.extendsName))
		return
	}
	for p := b.Extends; p != nil; p = l.isa.bitsets[p.extendsName] {
		if p == b {
			l.fail(diag.Errorf(diag.Extends, b.Span, "bitset %s extends itself", b.Name))
			b.Extends = nil
			return
		}
		if p.extendsName == "" || p.Extends != nil && p != b.Extends && p.Name == b.Name {
			break
		}
	}
	b.Extends.Children = append(b.Extends.Children, b)
}

// sizes hands the size down; a child's bits start with its parent's, so it may only grow.
func (l *loader) sizes(b *Bitset) {
	for _, c := range b.Children {
		if !c.sizeGiven {
			c.Size = b.Size
		} else if c.Size < b.Size {
			l.fail(diag.Errorf(diag.Extends, c.Span, "bitset %s of %d bits extends %s of %d bits, expected at least as many", c.Name, c.Size, b.Name, b.Size))
		}
		l.sizes(c)
	}
}

// templates replaces {NAME} of <template>s, one pass for each, and splits the text.
func (l *loader) templates(c *Case) {
	expand := func(t *Template) {
		before := t.Text
		for _, named := range l.isa.Templates {
			t.Text = strings.ReplaceAll(t.Text, "{"+named.Name+"}", named.Text)
		}
		at := t.Span
		if t.Text != before {
			at = diag.Span{Src: at.Src, Off: at.Off, End: at.End}
		}
		items, errs := l.isa.parseTemplate(t.Text, at)
		t.Items = items
		l.errs = append(l.errs, errs...)
	}
	for _, syntax := range c.syntaxOrder() {
		expand(c.Displays[syntax])
	}
	for _, a := range c.Aliases {
		expand(a)
	}
}

// types settles the type of every field.
func (l *loader) types() {
	for _, b := range l.isa.Bitsets {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				l.fieldType(f)
			}
		}
	}
}

func (l *loader) fieldType(f *Field) {
	switch {
	case l.isa.enums[f.TypeName] != nil: // an enum named like a built-in type replaces it
		f.Kind, f.Enum = KindEnum, l.isa.enums[f.TypeName]
	case l.isa.bitsets[f.TypeName] != nil:
		f.Kind, f.Bitset = KindBitset, l.isa.bitsets[f.TypeName]
		l.bitsetField(f)
	default:
		kind, ok := kindNames[f.TypeName]
		if !ok {
			l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "type %q of field %s, expected a built-in type, an enum or a bitset", f.TypeName, f.Name))
		}
		f.Kind = kind
	}
	if f.Kind == KindFloat && f.Width != 16 && f.Width != 32 {
		l.odd(diag.Errorf(diag.FieldType, f.typeSpan, "float field %s of %d bits, expected 16 or 32", f.Name, f.Width))
	}
	if f.Width > 64 && f.Kind != KindHex && f.Kind != KindBitset && f.Kind != KindUint {
		l.odd(diag.Errorf(diag.FieldType, f.typeSpan, "%s field %s of %d bits: only hex, uint and bitset fields may be wider than 64", f.TypeName, f.Name, f.Width))
	}
	if f.Table != nil && f.Kind != KindBitset {
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "field %s is an index of table %s: its type must be the bitset of the entries", f.Name, f.Table.Name))
	}
}

func (l *loader) bitsetField(f *Field) {
	root := f.Bitset
	switch {
	case root.Extends != nil:
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "type %s of field %s extends another bitset, expected the root %s", root.Name, f.Name, root.Root().Name))
	case f.Table != nil && f.Table.Type != root:
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "field %s has the type %s, but table %s holds %s", f.Name, root.Name, f.Table.Name, f.Table.Type.Name))
	case f.Expr == nil && f.Table == nil && f.Width != root.Size:
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "field %s of %d bits has the type %s of %d bits", f.Name, f.Width, root.Name, root.Size))
	case f.Expr != nil && !l.isa.Strict:
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "derived field %s has a bitset as its type", f.Name))
	}
}

// check looks at each leaf: every bit has one meaning, and under strict every leaf has a display.
func (l *loader) check() {
	if len(l.errs) > 0 {
		return
	}
	for _, b := range l.isa.Bitsets {
		l.inside(b)
		if len(b.Children) == 0 {
			l.coverage(b)
		}
	}
}

// inside reports bits beyond the bitset's size.
func (l *loader) inside(b *Bitset) {
	report := func(what string, high int, span diag.Span) {
		if high >= b.Size {
			l.fail(diag.Errorf(diag.BitRange, span, "%s uses bit %d of %s, which has %d bits", what, high, b.Name, b.Size))
		}
	}
	for _, p := range b.Patterns {
		report("pattern", p.High, p.Span)
	}
	for _, c := range b.Cases {
		for _, a := range c.Asserts {
			report("assert", a.High, a.Span)
		}
		for _, f := range c.Fields {
			for _, p := range f.Parts {
				report("field "+f.Name, p.Low+p.Width-1, f.Span)
			}
		}
	}
}

// claim is what has taken a bit: a pattern, an assert or a field.
type claim struct {
	what string
	span diag.Span
}

func (l *loader) coverage(b *Bitset) {
	var owner [bits.Size]claim
	for p := b; p != nil; p = p.Extends {
		for _, c := range claims(p) {
			for bit := range bits.Size {
				if c.mask.Bit(bit) == 0 {
					continue
				}
				if old := owner[bit]; old.what != "" {
					l.fail(diag.Errorf(diag.BitOverlap, c.span, "bit %d of %s belongs to %s and to %s", bit, b.Name, c.what, old.what).
						With(old.span, "%s is defined here", old.what))
					return
				}
				owner[bit] = c.claim
			}
		}
	}
	for bit := range b.Size {
		if owner[bit].what == "" {
			l.fail(diag.Errorf(diag.BitMissing, b.Span, "bit %d of %s is covered by no pattern, field or assert", bit, b.Name))
			return
		}
	}
}

type maskedClaim struct {
	claim
	mask bits.Value
}

// claims lists what a bitset itself takes: its patterns, and the fields and asserts of its
// default case.
func claims(b *Bitset) []maskedClaim {
	var list []maskedClaim
	for _, p := range b.Patterns {
		list = append(list, maskedClaim{claim{"a pattern of " + b.Name, p.Span}, bits.Range(p.Low, p.High-p.Low+1)})
	}
	def := b.Cases[len(b.Cases)-1]
	for _, a := range def.Asserts {
		list = append(list, maskedClaim{claim{"an assert of " + b.Name, a.Span}, bits.Range(a.Low, a.High-a.Low+1)})
	}
	for _, f := range def.Fields {
		if f.Expr != nil {
			continue
		}
		for _, p := range f.Parts {
			list = append(list, maskedClaim{claim{"field " + f.Name, f.Span}, bits.Range(p.Low, p.Width)})
		}
	}
	return list
}
