package asm

import (
	"slices"
	"strconv"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Lines of programs differ in the numbers of their registers more than in anything else. Where a caller says which
// parts of its lines are registers, a line is known by its shape: its text with the number 0 for each of them. What the
// shape was read as has the fields of its registers, of which nothing else of the instruction depends.

// shape is what lines that differ in the numbers of registers alone are read as.
type shape struct {
	reading
	// fields are those of the registers, in the order of the text; none where they cannot be told.
	fields []*registerField
	// sure tells that a second line was read as the first has it.
	sure, hopeless bool
}

// registerField is a field of the word that names a register, with its value for each register of each file.
type registerField struct {
	low, width int
	values     map[*isa.File][]uint64
}

// lineRegister is the number of a register, at a place of the text.
type lineRegister struct {
	from, to int32
	file     *isa.File
	number   int
}

// Limits: the shapes that are remembered, and the lines after which they are, for it takes a while to find the fields.
const (
	maxShapes = 1 << 13
	fewLines  = 1 << 6
)

// Register appends a register. Whatever its number is, no template may take it for anything but a register of its file.
func (l *Line) Register(f *isa.File, number int) {
	l.Text = append(l.Text, f.Name...)
	from := len(l.Text)
	l.Text = strconv.AppendInt(l.Text, int64(number), 10)
	l.registers = append(l.registers, lineRegister{int32(from), int32(len(l.Text)), f, number})
}

// shapeOf finds the shape of a line, nil where it is not known.
func (p *Parser) shapeOf(l *Line) *shape {
	key, from := p.shapeText[:0], int32(0)
	for i := range l.registers {
		r := &l.registers[i]
		key, from = append(append(key, l.Text[from:r.from]...), '0'), r.to
	}
	p.shapeText = append(key, l.Text[from:]...)
	return p.memo.shapes[string(p.shapeText)]
}

// like reads a line as others of its shape.
func (p *Parser) like(s *shape, l *Line) (res Result, ok bool) {
	if _, same := p.answers(&s.reading); !same {
		return res, false
	}
	p.restore(&s.reading)
	p.suffix = p.suffix[:0]
	ok = s.number(&p.spaces[spaceWord].val, l)
	return res, ok && p.result(&res) == nil
}

// number gives the fields of a word the registers of a line.
func (s *shape) number(word *bits.Value, l *Line) (ok bool) {
	for i, f := range s.fields {
		r := &l.registers[i]
		if r.number >= len(f.values[r.file]) {
			return false
		}
		word.SetUint(f.low, f.width, f.values[r.file][r.number])
	}
	return true
}

// learnShape notes what a line was read as that is like no other, or whether it is like the others of its shape.
func (p *Parser) learnShape(s *shape, l *Line) {
	p.memo.shaped++
	switch {
	case p.asked || p.memo.shaped < fewLines || s != nil && (s.sure || s.hopeless):
	case s != nil:
		word := s.word
		s.sure = s.number(&word, l) && s.leaf == p.leaf && slices.EqualFunc(s.plan, p.plan, samePlan) &&
			word == p.spaces[spaceWord].val && s.context == p.spaces[spaceContext].val
		s.hopeless = !s.sure
	default:
		fields, clear := p.registersOf(l)
		if clear {
			if p.memo.shapes == nil || len(p.memo.shapes) == maxShapes {
				p.memo.shapes = map[string]*shape{}
			}
			p.memo.shapes[string(p.shapeText)] = &shape{fields: fields, hopeless: fields == nil, reading: reading{
				leaf: p.leaf, word: p.spaces[spaceWord].val, context: p.spaces[spaceContext].val,
				named: p.named, redone: p.redone, plan: slices.Clone(p.plan), asks: slices.Clone(p.asks),
			}}
		}
	}
}

func samePlan(a, b planned) bool {
	return a.field == b.field && a.home.same(&b.home) && a.Index == b.Index && a.Value == b.Value && a.Care == b.Care && a.Bound == b.Bound
}

// registersOf finds the field of each register of the line that was read. clear is false where another line may tell
// more: two fields have one register.
func (p *Parser) registersOf(l *Line) (list []*registerField, clear bool) {
	fields := p.registerFields(p.leaf)
	word := &p.spaces[spaceWord].val
	for i := range l.registers {
		r := &l.registers[i]
		var found *registerField
		for _, f := range fields {
			if v := f.values[r.file]; r.number >= len(v) || word.Uint(f.low, f.width) != v[r.number] {
				continue
			}
			if found != nil {
				return nil, false
			}
			found = f
		}
		switch {
		case found == nil:
			return nil, true
		case slices.Contains(list, found):
			return nil, false
		}
		list = append(list, found)
	}
	return list, true
}

// registerFields returns the fields of a leaf that name registers and nothing else.
func (p *Parser) registerFields(leaf *isa.Leaf) []*registerField {
	if list, ok := p.registers[leaf.ID]; ok {
		return list
	}
	var list []*registerField
	u := p.env.Bound(p.root.Leaves[leaf.ID])
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				if f.Symbols == "" || f.Bitset == nil || len(f.Parts) != 1 || f.Width > maxRegisterBits || depends(u, f, 0) {
					continue
				}
				if values := p.registersNamed(f.Bitset.Name); values != nil {
					list = append(list, &registerField{f.Parts[0].Low, f.Width, values})
				}
			}
		}
	}
	if p.registers == nil {
		p.registers = map[int][]*registerField{}
	}
	p.registers[leaf.ID] = list
	return list
}

// Limits of what is looked through.
const (
	maxRegisterBits = 10
	maxNestedRead   = 6
)

// registersNamed returns the values of an operand type by the registers whose names are their texts; nil where the type
// has not all registers of a file, or two values for one.
func (p *Parser) registersNamed(typ string) map[*isa.File][]uint64 {
	d, err := p.set.NewDecoder(typ)
	if err != nil {
		return nil
	}
	found, values := map[*isa.File]int{}, map[*isa.File][]uint64{}
	for word := range uint64(1) << d.Root().Size {
		in, ok := d.Decode(bits.Of(word))
		if !ok {
			continue
		}
		r := d.Register(in)
		if r.File == nil || r.Index >= r.File.Count || string(d.Append(nil, in)) != r.File.Name+strconv.Itoa(r.Index) {
			return nil
		}
		if values[r.File] == nil {
			values[r.File] = make([]uint64, r.File.Count)
		}
		values[r.File][r.Index] = word
		found[r.File]++
	}
	for f, n := range found {
		if n != f.Count {
			return nil
		}
	}
	return values
}

// depends reports whether an expression of a leaf, or of what is nested in it so deep, reads a field of the word.
func depends(u *model.BoundLeaf, f *spec.Field, depth int) bool {
	reads := func(p *model.Prog) bool { return p != nil && readsField(p.Root, f, depth) }
	alts := func(list []model.Alt) bool {
		return slices.ContainsFunc(list, func(a model.Alt) bool { return reads(a.Cond) || a.Ref != nil && nestedReads(a.Ref, f, depth) })
	}
	var items func(list []model.Item) bool
	items = func(list []model.Item) bool {
		return slices.ContainsFunc(list, func(it model.Item) bool { return alts(it.Alts) || items(it.Members) })
	}
	return depth > maxNestedRead || slices.ContainsFunc(u.Requires, reads) ||
		slices.ContainsFunc(u.Defaults, func(x model.Default) bool { return reads(x.Prog) }) ||
		slices.ContainsFunc(u.Unused, func(x model.Unused) bool { return reads(x.Cond) }) ||
		slices.ContainsFunc(u.Cases, func(c *model.Case) bool {
			return reads(c.Cond) || items(c.Items) || slices.ContainsFunc(c.Aliases, items)
		})
}

// nestedReads reports whether the value of a reference, or what is shown of it, reads a field of the word; that it is the
// field itself does not count.
func nestedReads(r *model.Ref, f *spec.Field, depth int) bool {
	if r.Prog != nil && readsField(r.Prog.Root, f, depth) {
		return true
	}
	if r.Env == nil || r.Field == f {
		return false
	}
	return slices.ContainsFunc(r.Env.Root.Leaves, func(l *model.Leaf) bool { return depends(r.Env.Bound(l), f, depth+1) })
}

// readsField reports whether an expression so many scopes inside the word reads a field of it.
func readsField(n *model.Node, f *spec.Field, depth int) bool {
	if n == nil {
		return false
	}
	for _, a := range n.Alts {
		if a.Cond != nil && readsField(a.Cond.Root, f, depth) || a.Ref != nil && (overlaps(a.Ref, f, depth) || a.Ref.Prog != nil && readsField(a.Ref.Prog.Root, f, depth)) {
			return true
		}
	}
	return readsField(n.X, f, depth) || readsField(n.Y, f, depth) || readsField(n.Z, f, depth)
}

// overlaps reports whether a reference so many scopes inside the word may be bits of a field of it.
func overlaps(r *model.Ref, f *spec.Field, depth int) bool {
	first := r
	if len(r.Enter) > 0 {
		first = r.Enter[0]
	}
	if first.Field == nil || r.ScopeDepth < depth {
		return false
	}
	return slices.ContainsFunc(first.Field.Parts, func(x spec.Part) bool {
		y := f.Parts[0]
		return x.Low < y.Low+y.Width && y.Low < x.Low+x.Width
	})
}
