package isa

import (
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Text returns the text that Append appends for an instruction.
func (d *Decoder) Text(in Inst) string { return string(d.Append(nil, in)) }

// Append appends the text of an instruction to dst. It may overwrite up to 64 bytes after the text in
// the capacity of dst. Append does not allocate if dst has capacity for twice the length of the text and
// enough instructions of the same kind were printed before. After Append, Findings returns the findings
// of the word.
func (d *Decoder) Append(dst []byte, in Inst) []byte {
	d.lineStart = len(dst)
	l := d.envMemo(d.env).leafMemo(in.Leaf.model)
	d.quick = d.planned(l, in.Leaf.model)
	d.setTop(in)
	d.checkEntries(d.frames[0].leaf)
	if x := d.choose(l, 0); x != nil {
		dst = d.display(dst, x, 0)
	} else {
		d.addFinding(finding{kind: NoDisplay, leaf: in.Leaf.model})
	}
	d.quick = false
	return dst
}

// checkEntries records a finding for ignored bits that are 1 in a table entry that displays read only
// through paths.
func (d *Decoder) checkEntries(u *model.BoundLeaf) {
	for _, ref := range u.Tables {
		v := d.nestedBits(ref, &d.frames[0].v)
		if leaves := ref.Env.Root.Leaves; len(leaves) == 1 {
			d.dontCare(leaves[0], v)
		}
	}
}

// shownCase returns the index of the first case of a frame's leaf that applies and has a display, or
// -1. It records the findings of the asserts up to that case.
func (d *Decoder) shownCase(depth int) int {
	for i, c := range d.frames[depth].leaf.Cases {
		if c.Cond != nil && d.eval(c.Cond, depth) == 0 {
			continue
		}
		if len(c.Spec.Asserts) > 0 {
			d.asserts(c.Spec, depth)
		}
		if c.Shown {
			return i
		}
	}
	return -1
}

func (d *Decoder) asserts(c *spec.Case, depth int) {
	for _, a := range c.Asserts {
		if got := d.frames[depth].v.And(a.Mask); got != a.Match {
			d.addFinding(finding{kind: Unexpected, assert: a, bitset: c.Bitset, value: got})
		}
	}
}

func (d *Decoder) items(dst []byte, items []model.Item, depth int) []byte {
	for i := range items {
		dst = d.item(dst, &items[i], depth)
	}
	return dst
}

func (d *Decoder) item(dst []byte, it *model.Item, depth int) []byte {
	switch it.Kind {
	case model.ItemText:
		return d.literal(dst, it.Text, depth)
	case model.ItemName:
		if d.watch == watchTokens && it.Text != "" {
			d.nameToken(it.Text, len(dst), depth)
		}
		return append(dst, it.Text...)
	case model.ItemAlign:
		return d.align(dst, it.Column)
	case model.ItemBreak:
		return d.lineBreak(dst, it.Text)
	case model.ItemRemark:
		return d.remark(dst, it, depth)
	}
	if it.Before == "" && it.After == "" {
		return d.reference(dst, it, depth)
	}
	start, shown := len(dst), len(d.trace.shown)
	dst = d.literal(dst, it.Before, depth)
	from := len(dst)
	dst = d.reference(dst, it, depth)
	if len(dst) == from {
		return d.dropText(dst, start, shown)
	}
	return d.literal(dst, it.After, depth)
}

// remark prints a remark as a comment if Remarks is true.
func (d *Decoder) remark(dst []byte, it *model.Item, depth int) []byte {
	if !d.Remarks {
		return dst
	}
	watch := d.watch
	d.watch = watchNothing // a comment is not a part of the instruction
	defer func() { d.watch = watch }()
	start := len(dst)
	dst = append(append(append(dst, '\t'), d.set.Comment()...), ' ')
	from := len(dst)
	if dst = d.reference(dst, it, depth); len(dst) == from {
		return dst[:start]
	}
	if watch == watchTokens {
		d.trace.token(TokenPunctuation, start, start+1)
		d.trace.token(TokenComment, start+1, len(dst))
	}
	return dst
}

// literal prints constant text of a display.
func (d *Decoder) literal(dst []byte, s string, depth int) []byte {
	if d.watch == watchTokens && s != "" {
		d.literalToken(s, len(dst), depth)
	}
	return append(dst, s...)
}

// align pads the line to a column, counted in characters.
func (d *Decoder) align(dst []byte, column int) []byte {
	for n := utf8.RuneCount(dst[d.lineStart:]); n < column; n++ {
		dst = append(dst, ' ')
	}
	return dst
}

// lineBreak starts a new line if Lines is true. Otherwise it prints one blank. further is indentation in
// addition to Indent.
func (d *Decoder) lineBreak(dst []byte, further string) []byte {
	if !d.Lines {
		return append(dst, ' ')
	}
	dst = append(dst, '\n')
	d.lineStart = len(dst)
	return append(append(dst, d.Indent...), further...)
}

func (d *Decoder) reference(dst []byte, it *model.Item, depth int) []byte {
	if it.Kind == model.ItemSet {
		return d.members(dst, it, depth)
	}
	return d.shownValue(dst, it, d.pick(it.Alts, depth), depth)
}

// shownValue prints the value of a reference. ref is nil if the name is undefined.
func (d *Decoder) shownValue(dst []byte, it *model.Item, ref *model.Ref, depth int) []byte {
	if ref == nil {
		d.addFinding(finding{kind: NoField, name: &it.Name})
		return dst
	}
	start := len(dst)
	d.labelled = false
	name, named := d.symbol(ref, depth)
	switch {
	case named:
		dst = append(dst, name...)
	case ref.Kind != spec.KindBitset:
		dst = d.scalar(dst, ref, depth)
	default:
		watch, group := d.watch, d.trace.group
		if watch == watchOperands && !ref.Field.Bitset.HasOperands { // the bitset is one operand, so its parts are not recorded
			d.watch = watchNothing
		}
		dst = d.nested(dst, ref, depth)
		d.watch, d.trace.group = watch, group
	}
	named = named || d.labelled && ref.Kind != spec.KindBitset
	switch d.watch {
	case watchTokens:
		d.valueToken(ref, depth, start, len(dst), named)
	case watchFields:
		d.shown(ref, depth, start, len(dst), named)
	case watchOperands:
		d.walk.field(ref, it.Alts, depth, start, len(dst))
	}
	return dst
}

// symbol returns the program's name for the value of a field. It returns false if the program has no
// name for the value.
func (d *Decoder) symbol(ref *model.Ref, depth int) (string, bool) {
	if d.Symbol == nil || ref.Field == nil || ref.Field.Symbols == "" {
		return "", false
	}
	return d.Symbol(ref.Field.Symbols, d.value(ref, depth))
}

// members prints the members of a set, with the set's separator between members that print something.
func (d *Decoder) members(dst []byte, it *model.Item, depth int) []byte {
	first := len(dst)
	for i := range it.Members {
		start, shown := len(dst), len(d.trace.shown)
		if start > first {
			dst = d.literal(dst, it.Join, depth)
		}
		from := len(dst)
		if dst = d.reference(dst, &it.Members[i], depth); len(dst) == from {
			dst = d.dropText(dst, start, shown)
		}
	}
	return dst
}

// nested prints a field with a bitset type. The value of the field has its own scope.
func (d *Decoder) nested(dst []byte, ref *model.Ref, depth int) []byte {
	inner, x, ok := d.enterDisplayed(ref, depth)
	switch {
	case inner >= maxFrames || d.operands > maxOperands:
		d.reportTooDeep(ref)
	case !ok:
		d.addFinding(finding{kind: NoMatch, leaf: d.frames[inner-1].leaf.Leaf, ref: ref, value: d.frames[inner].v})
	case x == nil:
		d.addFinding(finding{kind: NoDisplay, leaf: d.frames[inner].leaf.Leaf})
	default:
		return d.display(dst, x, inner)
	}
	return dst
}

// enterNested stores the value of a bitset field in a new frame, after the frames of the bitsets on its
// path. inner is the number of that frame, and outer is the number of the frame that contains the
// field. inner is maxFrames if the nesting limit is reached.
func (d *Decoder) enterNested(ref *model.Ref, depth int) (inner, outer int) {
	outer, inner = depth-ref.ScopeDepth, depth+1
	if inner >= maxFrames {
		return inner, outer
	}
	if ref.Prog != nil {
		d.leaveFrames(inner)
		d.frames[inner].v = bits.Of(d.eval(ref.Prog, outer))
		return inner, outer
	}
	v := &d.frames[outer].v
	for _, e := range ref.Path {
		f := &d.frames[inner]
		f.v, f.leaf = *d.nestedBits(e, v), e.Env.Bound(e.Env.Root.Leaves[0])
		if d.watch != watchNothing {
			d.place(e, inner, outer)
		}
		v, outer = &f.v, inner
		if inner++; inner == maxFrames {
			return inner, outer
		}
	}
	d.leaveFrames(inner)
	d.frames[inner].v = *d.nestedBits(ref, v)
	return inner, outer
}

// enterDisplayed stores the value of a bitset field in a new frame. inner is the number of the frame. x
// is the display of the value, or nil. ok is false if no leaf matches or a limit is reached.
func (d *Decoder) enterDisplayed(ref *model.Ref, depth int) (inner int, x *display, ok bool) {
	inner, outer := d.enterNested(ref, depth)
	if d.operands++; inner >= maxFrames || d.operands > maxOperands {
		return inner, nil, false
	}
	if x, ok = d.chosen(ref, inner); ok && d.watch != watchNothing {
		d.place(ref, inner, outer)
	}
	return inner, x, ok
}

// reportTooDeep records a finding that operands are nested too deep or too numerous. It also stops the
// printing of further operands, because their number may grow exponentially with the depth.
func (d *Decoder) reportTooDeep(ref *model.Ref) {
	switch {
	case d.operands <= maxOperands:
		d.addFinding(finding{kind: TooDeep, ref: ref, most: maxFrames})
	case d.operands == maxOperands+1:
		d.addFinding(finding{kind: TooDeep, ref: ref, number: maxOperands})
	}
	d.operands = maxOperands + 1
}

// scalar prints a field that is not a bitset.
func (d *Decoder) scalar(dst []byte, ref *model.Ref, depth int) []byte {
	if ref.Width > 64 {
		return d.wide(dst, ref, depth)
	}
	return d.number(dst, ref, d.value(ref, depth))
}

// number prints the value v of a field of at most 64 bits that is not a bitset.
func (d *Decoder) number(dst []byte, ref *model.Ref, v uint64) []byte {
	switch ref.Kind {
	case spec.KindFloat:
		return model.AppendFloat(dst, v, ref.Width)
	case spec.KindBranch, spec.KindAbsBranch:
		return d.branch(dst, ref, v)
	case spec.KindCustom:
		if d.Custom != nil {
			return d.Custom(dst, ref.Field.Name, v)
		}
	}
	return model.AppendConstant(dst, ref, v)
}

// wide prints a field wider than 64 bits as an unsigned number in hexadecimal or decimal.
func (d *Decoder) wide(dst []byte, ref *model.Ref, depth int) []byte {
	v := ref.Field.Gather(d.pathValue(ref, depth-ref.ScopeDepth))
	if ref.Kind == spec.KindHex {
		return v.AppendHex(dst, 1)
	}
	if v.Len() > 64 && d.set.model.ISA.Strict { // isaspec prints the low 64 bits
		n, _ := new(big.Int).SetString(v.String(), 16)
		return n.Append(dst, 10)
	}
	return strconv.AppendUint(dst, v[0], 10)
}

// branch prints a target as its label or, if it has no label, as a number.
func (d *Decoder) branch(dst []byte, ref *model.Ref, v uint64) []byte {
	if d.Label != nil {
		if name, ok := d.Label(d.target(ref, v), ref.Field.Call); ok {
			d.labelled = true
			return append(dst, name...)
		}
	}
	if ref.Kind == spec.KindAbsBranch && d.set.model.ISA.Strict {
		return strconv.AppendInt(dst, int64(v), 10) // isaspec sign-extends absolute targets too
	}
	return strconv.AppendInt(dst, model.SignExtend(v, ref.Width), 10)
}

// target returns the target address, in bits, of a branch field with the value v.
func (d *Decoder) target(ref *model.Ref, v uint64) int64 {
	unit := int64(ref.Field.Unit)
	if unit == 0 {
		unit = int64(d.root.StoredSize(d.root.Size))
	}
	if ref.Kind == spec.KindAbsBranch {
		return int64(v) * unit
	}
	return d.Addr + model.SignExtend(v, ref.Width)*unit
}
