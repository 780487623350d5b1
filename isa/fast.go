package isa

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// line is the display of a case, flattened for printing without a trace. It prints what Decoder.items
// prints of the same template, with the same findings: an op that meets anything but a text it
// keeps hands its item to the general printer.
type line struct {
	ops []op
	// entries are the table entries in which ops find their bits.
	entries []entrySource
	// hops is the number of enclosing words in which ops find their bits.
	hops int
	// room is what the chunks of all ops need at most.
	room int
}

// op prints a constant text, and after it what a run of bits says.
type op struct {
	lit chunk
	// The value is source[src][limb]>>shift & mask; src is sourceNone for an item that has none.
	src, limb, shift uint8
	// across tells that the run goes on in the next limb.
	across bool
	mask   uint64
	// A field in two pieces has the upper one here, up bits higher; upMask is 0 for others.
	upLimb, upShift, up uint8
	upMask              uint64
	// short is indexed by the value, and empty for a number that is formatted.
	short []chunk
	texts *texts
	item  *model.Item
	// keyed is set where the text depends on few bits, of this frame and of those around it.
	keyed *keyed
	// nested is set where the value is an operand that is printed in a frame of its own.
	nested *nested
}

// nested is what printing an operand needs that is a plain field of a bitset type.
type nested struct {
	ref     *model.Ref
	printer *printer
}

// The sources of values: the word, then up to two table entries, then up to three enclosing words.
const (
	sourceWord  = 0
	sourceEntry = 1
	sourceNone  = 3
	sourceOuter = 4
	maxOuter    = 3
)

// entrySource says which entry of a table a word names.
type entrySource struct {
	table       int
	limb, shift uint8
	mask        uint64
}

// line prints the display of the unit in a frame.
func (d *Decoder) line(dst []byte, l *line, depth int) []byte {
	var sources [8]*bits.Value
	word := &d.frames[depth].v
	sources[sourceWord] = word
	for i := range l.entries {
		e := &l.entries[i]
		index := word[e.limb&3] >> (e.shift & 63) & e.mask
		if t := d.tables[e.table]; index < uint64(len(t)) {
			sources[(sourceEntry+i)&7] = &t[index]
		}
	}
	for i := range l.hops {
		sources[(sourceOuter+i)&7] = &d.frames[depth-1-i].v
	}
	buf, n := room(dst, l.room)
	for i := range l.ops {
		o := &l.ops[i]
		*(*chunk)(buf[n:]) = o.lit
		n += int(o.lit[chunkLen])
		var x uint64
		v := sources[o.src&7]
		if v != nil {
			x = v[o.limb&3] >> (o.shift & 63) & o.mask
			if o.across {
				x |= v[(o.limb+1)&3] << (64 - o.shift&63) & o.mask
			}
			if o.upMask != 0 {
				x |= v[o.upLimb&3] >> (o.upShift & 63) & o.upMask << (o.up & 63)
			}
			if x < uint64(len(o.short)) {
				c := &o.short[x]
				if size := c[chunkLen]; size <= uint8(chunkLen) {
					*(*chunk)(buf[n:]) = *c
					n += int(size)
					continue
				}
			}
		}
		buf, n = room(d.slow(buf[:n], o, v != nil, x, depth), l.room)
	}
	return buf[:n]
}

// room returns dst with all its capacity and its length, after making sure of n more bytes.
func room(dst []byte, n int) ([]byte, int) {
	dst = slices.Grow(dst, n)
	return dst[:cap(dst)], len(dst)
}

// slow prints an op that is no chunk: a number, a long text, or an item in the general way.
func (d *Decoder) slow(dst []byte, o *op, found bool, x uint64, depth int) []byte {
	if o.nested != nil {
		return d.operand(dst, o.nested, x, depth)
	}
	if found && o.texts == nil {
		return d.number(dst, o.item.Alts[0].Ref, x)
	}
	if found {
		if text, ok := o.texts.append(dst, x); ok {
			return text
		}
	} else if o.keyed != nil {
		if text, ok := o.keyed.append(dst, d, depth); ok {
			return text
		}
	}
	return d.item(dst, o.item, depth)
}

// operand is Decoder.nestedValue on flattened displays.
func (d *Decoder) operand(dst []byte, n *nested, x uint64, depth int) []byte {
	inner := depth + 1
	if inner >= maxFrames || len(d.missing) > 0 || len(d.known) > 0 || d.operands >= maxOperands {
		return d.nestedValue(dst, n.ref, bits.Of(x), depth)
	}
	d.operands++
	f := &d.frames[inner]
	f.v = bits.Of(x)
	leaf := d.match(n.ref.Env, inner)
	if leaf == nil {
		return d.noOperand(dst, n.ref, inner)
	}
	l := d.linesOf(n.printer, n.ref.Env, leaf)
	f.unit = l.unit
	return d.quick(dst, l, inner)
}

// lines are the flattened displays of a unit.
type lines struct {
	unit *model.Unit
	// only is the display that is printed whatever the bits are, nil if there is none.
	only *line
	// cases are the displays of the unit's cases, nil for one that has none.
	cases []*line
	// conds are the conditions of the cases that depend on few bits; those of others are evaluated.
	conds []*keyedCond
}

// quick is Decoder.unit on flattened displays.
func (d *Decoder) quick(dst []byte, l *lines, depth int) []byte {
	if l.only != nil {
		return d.line(dst, l.only, depth)
	}
	for i, c := range l.unit.Cases {
		if c.Cond != nil {
			holds := false
			if k := l.conds[i]; k != nil {
				holds = k.holds(d, depth)
			} else {
				holds = d.eval(c.Cond, depth) != 0
			}
			if !holds {
				continue
			}
		}
		if len(c.Spec.Asserts) > 0 {
			d.asserts(c.Spec, depth)
		}
		if c.Shown {
			return d.line(dst, l.cases[i], depth)
		}
	}
	return d.noDisplay(dst, l.unit)
}

// linesOf returns the flattened displays of a leaf, made at first use.
func (d *Decoder) linesOf(p *printer, env *model.Env, leaf *model.Leaf) *lines {
	l := p.lines[leaf.ID].Load()
	if l == nil {
		l = d.makeLines(env.Unit(leaf))
		p.lines[leaf.ID].Store(l)
	}
	return l
}

func (d *Decoder) makeLines(u *model.Unit) *lines {
	l := &lines{unit: u, cases: make([]*line, len(u.Cases)), conds: make([]*keyedCond, len(u.Cases))}
	for i, c := range u.Cases {
		if c.Cond != nil && !c.Cond.Simple {
			l.conds[i] = d.set.newKeyedCond(u, c.Cond)
		}
		if c.Shown {
			b := lineBuilder{d: d, unit: u, line: &line{}}
			l.cases[i] = b.build(c.Items)
		}
	}
	for i, c := range u.Cases {
		if c.Cond != nil || len(c.Spec.Asserts) > 0 {
			break
		}
		if l.only = l.cases[i]; l.only != nil {
			break
		}
	}
	return l
}

// lineBuilder flattens a template.
type lineBuilder struct {
	d    *Decoder
	unit *model.Unit
	line *line
	lit  string // constant text not yet in an op
}

func (b *lineBuilder) build(items []model.Item) *line {
	b.items(items)
	if b.lit != "" {
		b.add(b.constant())
	}
	b.line.room = len(chunk{}) // the last chunk is written whole
	for i := range b.line.ops {
		b.line.room += b.line.ops[i].longest()
	}
	return b.line
}

func (b *lineBuilder) items(items []model.Item) {
	for i := range items {
		it := &items[i]
		switch {
		case it.Kind == model.ItemText || it.Kind == model.ItemName:
			b.lit += it.Text
			continue
		case it.Kind == model.ItemSet && it.Join == "" && it.Before == "" && it.After == "":
			b.items(it.Members)
			continue
		}
		o, ok := b.value(it)
		if !ok {
			o = op{src: sourceNone, keyed: b.d.set.newKeyed(b.unit, it)}
		}
		o.item = it
		b.add(o)
	}
}

// longest returns the length of the longest text of an op, as far as it consists of chunks.
func (o *op) longest() int {
	n := 0
	for i := range o.short {
		if size := o.short[i][chunkLen]; size != notShort {
			n = max(n, int(size))
		}
	}
	return n + int(o.lit[chunkLen])
}

// add appends an op, and before it the constant text that has gathered.
func (b *lineBuilder) add(o op) {
	for len(b.lit) > chunkLen {
		c := b.constant()
		c.lit, b.lit = newChunk(b.lit[:chunkLen]), b.lit[chunkLen:]
		b.line.ops = append(b.line.ops, c)
	}
	o.lit, b.lit = newChunk(b.lit), ""
	b.line.ops = append(b.line.ops, o)
}

// constant returns an op without a value.
func (b *lineBuilder) constant() op {
	return op{src: sourceWord, short: []chunk{{}}}
}

// value returns the op of a reference; ok is false where it is left to the general printer.
func (b *lineBuilder) value(it *model.Item) (o op, ok bool) {
	if it.Kind != model.ItemRef || len(it.Alts) != 1 || it.Alts[0].Cond != nil {
		return o, false
	}
	ref := it.Alts[0].Ref
	if ref == nil || ref.Field == nil || ref.Hops > maxOuter || ref.Hops > 0 && (len(ref.Enter) > 0 || ref.Prog != nil || ref.Low < 0) || ref.Field.Table != nil {
		return o, false
	}
	if ref.Prog != nil {
		return b.derived(it, ref)
	}
	if o, ok = b.place(ref); !ok {
		return o, false
	}
	switch t := b.texts(ref); {
	case t != nil:
		o.texts = t.between(it.Before, it.After)
		o.short = o.texts.short
	case ref.Kind == spec.KindBitset && len(ref.Enter) == 0 && it.Before == "" && it.After == "":
		o.nested = &nested{ref, printerOf(ref.Env)}
	case ref.Kind == spec.KindBitset || it.Before != "" || it.After != "":
		return o, false
	}
	return o, true
}

// pieces sets where a field in two pieces is.
func (o *op) pieces(ref *model.Ref) (ok bool) {
	if len(ref.Field.Parts) != 2 || ref.Width > 64 {
		return false
	}
	upper, lower := ref.Field.Parts[0], ref.Field.Parts[1]
	if o.upLimb, o.upShift, o.upMask, ok = window(upper.Low, upper.Width); !ok {
		return false
	}
	o.up = uint8(lower.Width)
	o.limb, o.shift, o.mask, ok = window(lower.Low, lower.Width)
	return ok
}

// derived returns the op of a computed value that depends on one small field and nothing else: its
// texts are those of the field's values.
func (b *lineBuilder) derived(it *model.Item, ref *model.Ref) (o op, ok bool) {
	source := onlyField(ref.Prog.Root, nil)
	if source == nil || len(ref.Prog.Missing) > 0 {
		return o, false
	}
	switch ref.Kind {
	case spec.KindEnum, spec.KindBool, spec.KindBoolInv, spec.KindInt, spec.KindUint, spec.KindHex, spec.KindOffset, spec.KindUOffset:
	default:
		return o, false
	}
	if o, ok = b.place(source); !ok {
		return o, false
	}
	t := newTexts(1 << source.Width)
	d := newDecoder(b.d.set, b.d.env)
	for v := range t.short {
		d.frames[0] = frame{fieldBits(source, uint64(v)), ref.Owner}
		t.set(v, string(model.AppendConstant(nil, ref, d.eval(ref.Prog, 0))))
	}
	o.texts = t.between(it.Before, it.After)
	o.short = o.texts.short
	return o, true
}

// onlyField returns the field that an expression reads, if it is one of few bits of the scope itself and
// nothing else is read; found is the one so far.
func onlyField(n *model.Node, found *model.Ref) *model.Ref {
	if n == nil {
		return found
	}
	if n.Op == spec.OpField {
		if len(n.Alts) != 1 || n.Alts[0].Cond != nil {
			return nil
		}
		r := n.Alts[0].Ref
		if r == nil || r.Field == nil || r.Prog != nil || r.Hops != 0 || len(r.Enter) > 0 || r.Field.Table != nil ||
			r.Width > maxTexts || found != nil && found.Field != r.Field {
			return nil
		}
		return r
	}
	for _, x := range []*model.Node{n.X, n.Y, n.Z} {
		if x == nil || constantTree(x) {
			continue
		}
		if found = onlyField(x, found); found == nil {
			return nil
		}
	}
	return found
}

// constantTree tells whether an expression reads nothing.
func constantTree(n *model.Node) bool {
	return n == nil || n.Op != spec.OpField && constantTree(n.X) && constantTree(n.Y) && constantTree(n.Z)
}

// fieldBits returns a word in which a field has a value.
func fieldBits(ref *model.Ref, x uint64) (v bits.Value) {
	for i := len(ref.Field.Parts) - 1; i >= 0; i-- {
		p := ref.Field.Parts[i]
		v.SetUint(p.Low, p.Width, x)
		x >>= uint(p.Width)
	}
	return v
}

func (b *lineBuilder) texts(ref *model.Ref) *texts {
	if ref.Kind == spec.KindBitset {
		return b.d.textsOf(ref.Env)
	}
	return b.d.set.scalarTexts(ref)
}

// place finds the bits of a reference: in the word, or in an entry of a table that its path enters.
func (b *lineBuilder) place(ref *model.Ref) (o op, ok bool) {
	o.src = sourceWord
	if ref.Hops > 0 {
		o.src = uint8(sourceOuter + ref.Hops - 1)
		b.line.hops = max(b.line.hops, ref.Hops)
	}
	low, size := 0, bits.Size
	for _, e := range ref.Enter {
		if e.Prog != nil || e.Low < 0 || e.Low+e.Width > size {
			return o, false
		}
		low, size = low+e.Low, e.Width
		if e.Field.Table == nil {
			continue
		}
		if o.src, ok = b.entry(o.src, e.Field.Table.Index, low, size); !ok {
			return o, false
		}
		low, size = 0, bits.Size
	}
	if ref.Low < 0 {
		return o, len(ref.Enter) == 0 && o.pieces(ref)
	}
	if ref.Low+ref.Width > size {
		return o, false
	}
	low += ref.Low
	if o.limb, o.shift, o.mask, ok = window(low, ref.Width); !ok && ref.Width > 0 && ref.Width <= 64 {
		o.limb, o.shift, o.mask = uint8(low>>6), uint8(low&63), ^uint64(0)>>(64-uint(ref.Width))
		o.across, ok = true, true
	}
	return o, ok
}

// entry returns the source for the entry whose index is in these bits of the word.
func (b *lineBuilder) entry(src uint8, table, low, width int) (uint8, bool) {
	e := entrySource{table: table}
	var ok bool
	if e.limb, e.shift, e.mask, ok = window(low, width); !ok || src != sourceWord {
		return 0, false
	}
	i := slices.Index(b.line.entries, e)
	if i < 0 {
		if i = len(b.line.entries); sourceEntry+i == sourceNone {
			return 0, false
		}
		b.line.entries = append(b.line.entries, e)
	}
	return uint8(sourceEntry + i), true
}

// window tells how to read a run of bits; ok is false where they are in two limbs.
func window(low, width int) (limb, shift uint8, mask uint64, ok bool) {
	if width <= 0 || low>>6 != (low+width-1)>>6 {
		return 0, 0, 0, false
	}
	return uint8(low >> 6), uint8(low & 63), ^uint64(0) >> (64 - uint(width)), true
}
