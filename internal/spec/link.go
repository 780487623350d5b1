package spec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// link resolves the parent and the size of each bitset, expands the templates, and parses the displays unless the
// description is known to be valid.
func (l *loader) link() {
	for _, b := range l.isa.Bitsets {
		l.resolveParent(b)
	}
	l.breakCycles()
	if len(l.errs) > 0 {
		return
	}
	for _, b := range l.isa.Bitsets {
		if b.Extends != nil {
			b.Extends.Children = append(b.Extends.Children, b)
		}
	}
	for _, b := range l.isa.Bitsets {
		if b.Extends == nil {
			l.inheritSizes(b, 0)
		}
	}
	if l.isa.Strict {
		l.expandStrict()
	} else {
		l.expandPlain()
	}
	l.isa.Bitsets = slices.DeleteFunc(l.isa.Bitsets, l.isShadowed)
	for _, b := range l.isa.Bitsets {
		b.Children = slices.DeleteFunc(b.Children, l.isShadowed)
	}
	if !l.sound {
		l.splitTemplates()
	}
}

// splitTemplates parses all displays and reports their errors.
func (l *loader) splitTemplates() {
	var items []Item
	for _, b := range l.isa.Bitsets {
		for _, t := range b.templates() {
			var errs diag.List
			items, errs = l.isa.parseTemplate(items[:0], t.src)
			t.once.Do(func() { t.items = append(t.items, items...) })
			for _, e := range errs {
				l.fail(e)
			}
		}
		l.checkOperandDisplays(b)
	}
}

// isShadowed reports whether a later bitset has the same name and has children. In that case, b is neither a parent nor
// a leaf.
func (l *loader) isShadowed(b *Bitset) bool {
	last := l.isa.bitsets[b.Name]
	return b != last && len(last.Children) > 0
}

// templates returns the displays and aliases of all cases and operands.
func (b *Bitset) templates() []*Template {
	var list []*Template
	for _, c := range b.Cases {
		list = append(append(list, bySpelling(c.Displays)...), c.Aliases...)
	}
	for _, o := range b.Operands {
		list = append(list, bySpelling(o.Displays)...)
	}
	return list
}

// bySpelling returns displays sorted by the names of their syntaxes, so that the order does not depend on the map.
func bySpelling(displays map[string]*Template) []*Template {
	var list []*Template
	for _, syntax := range slices.Sorted(maps.Keys(displays)) {
		list = append(list, displays[syntax])
	}
	return list
}

func (l *loader) resolveParent(b *Bitset) {
	switch {
	case b.extendsName == "" && !b.sizeGiven:
		l.fail(diag.Errorf(diag.Extends, b.Span, "bitset %s has neither size nor extends", b.Name))
	case b.extendsName == "":
	case b.sizeGiven && !l.isa.Strict:
		l.fail(diag.Errorf(diag.Extends, b.extendsSpan, "bitset %s has both size and extends", b.Name))
	default:
		if b.Extends = l.isa.bitsets[b.extendsName]; b.Extends == nil {
			l.fail(diag.Errorf(diag.Extends, b.extendsSpan, "bitset %s extends %s, which is not defined", b.Name, b.extendsName).Meant(b.extendsName, namesOf(l.isa.bitsets)))
		}
	}
}

// breakCycles reports bitsets that extend themselves, directly or through other bitsets, and removes the cycles.
func (l *loader) breakCycles() {
	done := map[*Bitset]bool{}
	for _, b := range l.isa.Bitsets {
		path := map[*Bitset]bool{}
		for ; b != nil && !done[b]; b = b.Extends {
			done[b], path[b] = true, true
			if path[b.Extends] {
				l.fail(diag.Errorf(diag.Extends, b.extendsSpan, "bitset %s extends itself", b.Name))
				b.Extends = nil
			}
		}
	}
}

// inheritSizes sets the sizes of bitsets without the attribute size. The low bits of a bitset are the bits of its
// parent, so a child cannot be smaller.
func (l *loader) inheritSizes(b *Bitset, depth int) {
	if depth > MaxExtends {
		l.fail(diag.Errorf(diag.XMLLimit, b.extendsSpan, "more than %d levels of extends", MaxExtends))
		return
	}
	for _, c := range b.Children {
		if !c.sizeGiven {
			c.Size = b.Size
		} else if c.Size < b.Size {
			l.fail(diag.Errorf(diag.Extends, c.sizeSpan, "bitset %s of %d bits extends %s of %d bits, expected at least as many bits", c.Name, c.Size, b.Name, b.Size))
		}
		l.inheritSizes(c, depth+1)
	}
}

// resolveTypes resolves the types of all fields.
func (l *loader) resolveTypes() {
	for _, b := range l.isa.Bitsets {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				l.resolveType(f)
			}
		}
	}
}

// typeNames returns the names of all possible field types.
func (l *loader) typeNames() []string {
	return slices.Concat(namesOf(kindNames), namesOf(l.isa.enums), namesOf(l.isa.bitsets))
}

// namesOf returns the keys of a map in alphabetical order.
func namesOf[T any](table map[string]T) []string { return slices.Sorted(maps.Keys(table)) }

func (l *loader) resolveType(f *Field) {
	switch {
	case f.TypeName == "":
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "field %s has no type, expected a built-in type, an enum or a bitset", f.Name))
		return
	case l.isa.enums[f.TypeName] != nil: // an enum named like a built-in type replaces it
		f.Kind, f.Enum = KindEnum, l.isa.enums[f.TypeName]
	case l.isa.bitsets[f.TypeName] != nil:
		f.Kind, f.Bitset = KindBitset, l.isa.bitsets[f.TypeName]
		l.checkBitsetField(f)
	default:
		kind, ok := kindNames[f.TypeName]
		if !ok {
			l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "unknown type %q of field %s, expected a built-in type, an enum or a bitset", f.TypeName, f.Name).Meant(f.TypeName, l.typeNames()))
		}
		f.Kind = kind
	}
	if f.Kind == KindFloat && f.Width != 16 && f.Width != 32 {
		l.failStrict(diag.Errorf(diag.FieldType, f.typeSpan, "float field %s has %d bits, expected 16 or 32", f.Name, f.Width))
	}
	if f.Width > 64 && f.Kind != KindHex && f.Kind != KindUint && f.Kind != KindBitset {
		l.failStrict(diag.Errorf(diag.FieldType, f.typeSpan, "%s field %s has %d bits: only hex, uint and bitset fields may be wider than 64 bits", f.TypeName, f.Name, f.Width))
	}
	if f.Table != nil && f.Kind != KindBitset {
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "field %s is an index of table %s: its type must be the bitset of the entries", f.Name, f.Table.Name))
	}
}

func (l *loader) checkBitsetField(f *Field) {
	root := f.Bitset
	switch {
	case root.Extends != nil:
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "type %s of field %s extends another bitset, expected the root %s", root.Name, f.Name, root.Root().Name))
	case f.Table != nil && f.Table.Type != root:
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "field %s has the type %s, but table %s holds %s", f.Name, root.Name, f.Table.Name, f.Table.Type.Name))
	case f.Expr == nil && f.Table == nil && f.Width != root.Size:
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "field %s of %d bits has the type %s of %d bits, expected the same size", f.Name, f.Width, root.Name, root.Size))
	case f.Expr != nil && !l.isa.Strict:
		l.fail(diag.Errorf(diag.FieldType, f.typeSpan, "derived field %s has a bitset type, which only a strict description allows", f.Name))
	}
}

// check reports bits of leaves with no definition or two definitions, bits outside their bitset, and invalid sets and
// operands.
func (l *loader) check() {
	if len(l.errs) > 0 {
		return
	}
	seen := map[[2]diag.Span]bool{}
	for _, b := range l.isa.Bitsets {
		l.checkInside(b)
		if len(b.Children) == 0 {
			l.checkCoverage(b, seen)
			l.checkSets(b)
			l.checkOperandNames(b)
		}
	}
}

// checkSets reports sets inside sets.
func (l *loader) checkSets(leaf *Bitset) {
	names := map[string]bool{}
	var members []Name
	for b := leaf; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			for _, s := range c.Sets {
				names[s.Name] = true
				members = append(members, s.Members...)
			}
		}
	}
	for _, m := range members {
		if names[m.Name] {
			l.fail(diag.Errorf(diag.FieldType, m.Span, "%s is a set, expected a field", m.Name))
		}
	}
}

// checkOperandDisplays reports displays of operands that refer to no field.
func (l *loader) checkOperandDisplays(b *Bitset) {
	for _, o := range b.Operands {
		for _, t := range bySpelling(o.Displays) {
			if !slices.ContainsFunc(t.Items(), func(it Item) bool { return it.Kind == ItemRef }) {
				l.fail(diag.Errorf(diag.TemplateText, t.Span, "the display of operand %s names no field", o.Name))
			}
		}
	}
}

// checkOperandNames reports operands that have the name of a field and do not show that field. In a display, such a
// name would be ambiguous.
func (l *loader) checkOperandNames(leaf *Bitset) {
	for b := leaf; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				if o := leaf.Operand(f.Name); o != nil && !o.clash && !o.shows(f.Name) {
					o.clash = true
					l.fail(diag.Errorf(diag.Duplicate, o.Span, "operand %s has the name of a field that it does not show", o.Name).With(f.Span, "the field"))
				}
			}
		}
	}
}

// checkInside reports bits outside the bitset.
func (l *loader) checkInside(b *Bitset) {
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

// claim is the owner of a bit: a pattern, an assert or a field.
type claim struct {
	what, of string
	span     diag.Span
}

// fieldClaim is the value of claim.what for a field.
const fieldClaim = "field "

func (c claim) String() string { return c.what + c.of }

// checkCoverage reports bits of a leaf for which the leaf and its parents have two definitions or none. seen contains
// the pairs of definitions that were already reported, so that an overlap of two parents is not reported again for each
// leaf.
func (l *loader) checkCoverage(b *Bitset, seen map[[2]diag.Span]bool) {
	if covered(b) {
		return
	}
	var owner [bits.Size]claim
	twice := false
	for p := b; p != nil; p = p.Extends {
		eachClaim(p, func(mask bits.Value, c claim) {
			for ; !twice && !mask.IsZero(); mask.SetUint(mask.TrailingZeros(), 1, 0) {
				bit := mask.TrailingZeros()
				if old := owner[bit]; old.what != "" {
					twice = true
					if pair := [2]diag.Span{c.span, old.span}; !seen[pair] {
						seen[pair] = true
						e := diag.Errorf(diag.BitOverlap, c.span, "bit %d of %s belongs to %s and to %s", bit, b.Name, c, old).
							With(old.span, "%s is defined here", old)
						if c.what == fieldClaim && old.what == fieldClaim {
							e.Help = append(e.Help, "make the bit a separate field and pass it to both operands with <param>, or compute the second field with <derived>")
						}
						l.fail(e)
					}
				}
				owner[bit] = c
			}
		})
	}
	if twice {
		return
	}
	if gaps, is := gaps(owner[:b.Size]); gaps != "" {
		l.fail(diag.Errorf(diag.BitMissing, b.Span, "%s of %s %s covered by no pattern, field or assert", gaps, b.Name, is))
	}
}

// gaps returns the bits without an owner as text, and the verb that agrees with it. It returns "" if every bit has an
// owner.
func gaps(owner []claim) (names, verb string) {
	var runs []string
	count := 0
	for from := 0; from < len(owner); from++ {
		to := from
		for to < len(owner) && owner[to].what == "" {
			to++
		}
		switch count += to - from; to - from {
		case 0:
		case 1:
			runs = append(runs, strconv.Itoa(from))
		default:
			runs = append(runs, fmt.Sprintf("%d..%d", from, to-1))
		}
		from = to
	}
	switch count {
	case 0:
		return "", ""
	case 1:
		return "bit " + runs[0], "is"
	}
	return "bits " + strings.Join(runs, ", "), "are"
}

// covered reports whether each bit of a leaf has exactly one definition.
func covered(b *Bitset) bool {
	var taken bits.Value
	once := true
	for p := b; p != nil; p = p.Extends {
		eachClaim(p, func(mask bits.Value, _ claim) {
			both := taken.And(mask)
			once = once && both.IsZero()
			taken = taken.Or(mask)
		})
	}
	missing := bits.Ones(b.Size).AndNot(taken)
	return once && missing.IsZero()
}

// eachClaim calls f for each pattern of the bitset, and for each field and assert of its default case.
func eachClaim(b *Bitset, f func(mask bits.Value, by claim)) {
	for _, p := range b.Patterns {
		f(bits.Range(p.Low, p.High-p.Low+1), claim{"a pattern of ", b.Name, p.Span})
	}
	def := b.Cases[len(b.Cases)-1]
	for _, a := range def.Asserts {
		f(bits.Range(a.Low, a.High-a.Low+1), claim{"an assert of ", b.Name, a.Span})
	}
	for _, fields := range [][]*Field{def.Fields, def.hidden} {
		for _, field := range fields {
			for _, p := range field.Parts {
				f(bits.Range(p.Low, p.Width), claim{fieldClaim, field.Name, field.Span})
			}
		}
	}
}
