package isa

import (
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Append appends the text of an instruction to dst. Nothing is allocated while dst has room for the
// longest text of its kind and 16 bytes more, which may be overwritten, and nothing is found.
// Findings returns what is odd about the word.
func (d *Decoder) Append(dst []byte, in Inst) []byte {
	d.lineStart, d.operands = len(dst), 0
	d.missing = d.missing[:0]
	d.frames[0].v = in.Bits
	if d.flat() {
		lines := d.linesOf(d.printer, d.env, in.Leaf)
		d.frames[0].unit = lines.unit
		d.checkEntries(lines.unit)
		return d.quick(dst, lines, 0)
	}
	d.frames[0].unit = d.env.Unit(in.Leaf)
	d.checkEntries(d.frames[0].unit)
	return d.unit(dst, 0)
}

// checkEntries reports the ignored bits that are set in the table entries of the instruction.
// Templates reach into entries by paths, on which nothing is matched.
func (d *Decoder) checkEntries(u *model.Unit) {
	for _, ref := range u.Tables {
		v := d.inner(ref, &d.frames[0].v)
		if leaves := ref.Env.Root.Leaves; len(leaves) == 1 {
			d.dontCare(leaves[0], v)
		}
	}
}

// flat tells whether displays may be printed in their flattened form, which records no tokens and
// knows no names of the program.
func (d *Decoder) flat() bool { return d.trace == nil && !d.general && d.Symbol == nil }

// unit prints the leaf of a frame: the display of the first case that applies and has one.
func (d *Decoder) unit(dst []byte, depth int) []byte {
	u := d.frames[depth].unit
	for _, c := range u.Cases {
		if c.Cond != nil && d.eval(c.Cond, depth) == 0 {
			continue
		}
		if len(c.Spec.Asserts) > 0 {
			d.asserts(c.Spec, depth)
		}
		if c.Shown {
			return d.items(dst, c.Items, depth)
		}
	}
	return d.noDisplay(dst, u)
}

func (d *Decoder) noDisplay(dst []byte, u *model.Unit) []byte {
	d.find(NoDisplay, "%s: no display template", u.Leaf.Spec.DisplayName)
	return dst
}

func (d *Decoder) asserts(c *spec.Case, depth int) {
	for _, a := range c.Asserts {
		got := d.frames[depth].v.And(a.Mask)
		if got != a.Match {
			d.find(Unexpected, "WARNING: unexpected bits[%d:%d] in %s: %s vs %s", a.Low, a.High, c.Bitset.DisplayName,
				d.hex(got.Shr(a.Low)), d.hex(a.Match.Shr(a.Low)))
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
		return d.literal(dst, Literal, it.Text)
	case model.ItemName:
		return d.literal(dst, Mnemonic, it.Text)
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
	start, traced := len(dst), d.trace.mark()
	dst = d.literal(dst, Literal, it.Before)
	from := len(dst)
	dst = d.reference(dst, it, depth)
	if len(dst) == from {
		d.trace.reset(traced)
		return dst[:start]
	}
	return d.literal(dst, Literal, it.After)
}

// remark prints what a description says to people, as a comment at the end of a line.
func (d *Decoder) remark(dst []byte, it *model.Item, depth int) []byte {
	if !d.Remarks {
		return dst
	}
	saved := d.trace
	d.trace = nil // a comment is no part of the instruction
	defer func() { d.trace = saved }()
	start := len(dst)
	dst = append(append(append(dst, '\t'), d.set.Comment()...), ' ')
	from := len(dst)
	if dst = d.reference(dst, it, depth); len(dst) == from {
		return dst[:start]
	}
	return dst
}

func (d *Decoder) literal(dst []byte, kind TokenKind, s string) []byte {
	if d.trace != nil && s != "" {
		d.trace.token(kind, len(dst), len(dst)+len(s))
	}
	return append(dst, s...)
}

// align pads to a column of the line, counted in characters.
func (d *Decoder) align(dst []byte, column int) []byte {
	for n := utf8.RuneCount(dst[d.lineStart:]); n < column; n++ {
		dst = append(dst, ' ')
	}
	return dst
}

// lineBreak starts a line, which is indented further than others by the given blanks.
func (d *Decoder) lineBreak(dst []byte, further string) []byte {
	if !d.Lines {
		return append(dst, ' ')
	}
	dst = append(dst, '\n')
	d.lineStart = len(dst)
	return append(append(dst, d.Indent...), further...)
}

// reference prints what stands in braces.
func (d *Decoder) reference(dst []byte, it *model.Item, depth int) []byte {
	if it.Kind == model.ItemSet {
		return d.members(dst, it, depth)
	}
	ref := d.pick(it.Alts, depth)
	if ref == nil {
		d.find(NoField, "no field '%s'", it.Name)
		return dst
	}
	start, traced := len(dst), d.trace.mark()
	name, named := d.symbol(ref, depth)
	if named {
		dst = append(dst, name...)
	} else if ref.Kind == spec.KindBitset {
		dst = d.nested(dst, ref, depth)
	} else {
		dst = d.scalar(dst, ref, depth)
	}
	if d.trace != nil {
		d.trace.shown(d, ref, depth, start, len(dst), traced, named)
	}
	return dst
}

// symbol returns the program's own name for the value of a field.
func (d *Decoder) symbol(ref *model.Ref, depth int) (string, bool) {
	if d.Symbol == nil || ref.Field == nil || ref.Field.Symbols == "" {
		return "", false
	}
	return d.Symbol(ref.Field.Symbols, d.value(ref, depth))
}

// members prints a set: its members that print something, joined.
func (d *Decoder) members(dst []byte, it *model.Item, depth int) []byte {
	first := len(dst)
	for i := range it.Members {
		start, traced := len(dst), d.trace.mark()
		if start > first {
			dst = d.literal(dst, Literal, it.Join)
		}
		from := len(dst)
		if dst = d.reference(dst, &it.Members[i], depth); len(dst) == from {
			d.trace.reset(traced)
			dst = dst[:start]
		}
	}
	return dst
}

// nested prints a field whose type is a bitset in a scope of its own.
func (d *Decoder) nested(dst []byte, ref *model.Ref, depth int) []byte {
	from := depth - ref.Hops
	if ref.Prog != nil {
		return d.nestedValue(dst, ref, bits.Of(d.eval(ref.Prog, from)), depth)
	}
	if d.trace == nil && ref.Field.Table == nil && ref.Width <= maxTexts {
		if t := d.textsOf(ref.Env); t != nil {
			if text, ok := t.append(dst, d.value(ref, depth)); ok {
				return text
			}
		}
	}
	v := d.frames[from].v
	for _, e := range ref.Enter {
		v = *d.inner(e, &v)
		if depth++; depth == maxFrames {
			break
		}
		d.frames[depth] = frame{v, e.Env.Unit(e.Env.Root.Leaves[0])}
		if d.trace != nil {
			d.trace.enter(d, e, depth)
		}
	}
	return d.nestedValue(dst, ref, *d.inner(ref, &v), depth)
}

func (d *Decoder) nestedValue(dst []byte, ref *model.Ref, v bits.Value, depth int) []byte {
	depth++
	if d.operands++; depth >= maxFrames || d.operands > maxOperands {
		d.tooDeep(ref)
		return dst
	}
	for n := len(d.missing); n > 0 && d.missing[n-1].depth >= depth; n-- {
		d.missing = d.missing[:n-1]
	}
	d.frames[depth].v = v
	if d.trace != nil {
		d.trace.enter(d, ref, depth)
	}
	if !d.enter(ref.Env, depth) {
		return d.noOperand(dst, ref, depth)
	}
	if d.flat() {
		return d.quick(dst, d.linesOf(printerOf(ref.Env), ref.Env, d.frames[depth].unit.Leaf), depth)
	}
	return d.unit(dst, depth)
}

// tooDeep reports that operands are nested too deep or are too many, and sees to it that no more of the
// instruction are printed: there could be one for each way through them.
func (d *Decoder) tooDeep(ref *model.Ref) {
	switch {
	case d.operands <= maxOperands:
		d.find(TooDeep, "operands nested more than %d deep in %s", maxFrames, ref.Field.Name)
	case d.operands == maxOperands+1:
		d.find(TooDeep, "more than %d operands in %s", maxOperands, ref.Field.Name)
	}
	d.operands = maxOperands + 1
}

// noOperand reports the value of a frame that is no leaf of its field's type.
func (d *Decoder) noOperand(dst []byte, ref *model.Ref, depth int) []byte {
	outer := d.frames[depth-1].unit.Leaf.Spec.DisplayName
	d.find(NoMatch, "no match: FIELD: '%s.%s': %s", outer, ref.Field.Name, d.hex(d.frames[depth].v))
	return dst
}

// scalar prints a field of any other type.
func (d *Decoder) scalar(dst []byte, ref *model.Ref, depth int) []byte {
	if ref.Width > 64 {
		return d.wide(dst, ref, depth)
	}
	return d.number(dst, ref, d.value(ref, depth))
}

// number prints the value of a field that is no bitset.
func (d *Decoder) number(dst []byte, ref *model.Ref, v uint64) []byte {
	switch ref.Kind {
	case spec.KindFloat:
		return appendFloat(dst, v, ref.Width)
	case spec.KindBranch, spec.KindAbsBranch:
		return d.branch(dst, ref, v)
	case spec.KindCustom:
		if d.Custom != nil {
			return d.Custom(dst, ref.Field.Name, v)
		}
		return dst
	}
	return appendConstant(dst, ref, v)
}

// appendConstant prints a value of a type whose texts depend on the value alone.
func appendConstant(dst []byte, ref *model.Ref, v uint64) []byte {
	switch ref.Kind {
	case spec.KindEnum:
		if s, ok := ref.Enum.Lookup(v); ok {
			return append(dst, s...)
		}
		return strconv.AppendUint(dst, v&math.MaxUint32, 10)
	case spec.KindBool, spec.KindBoolInv:
		return appendBool(dst, ref, v)
	case spec.KindInt:
		return strconv.AppendInt(dst, signExtend(v, ref.Width), 10)
	case spec.KindUint:
		return strconv.AppendUint(dst, v, 10)
	case spec.KindHex:
		return strconv.AppendUint(dst, v, 16)
	case spec.KindOffset:
		if v == 0 {
			return dst
		}
		return appendSigned(dst, signExtend(v, ref.Width))
	case spec.KindUOffset:
		if v != 0 {
			return strconv.AppendUint(append(dst, '+'), v, 10)
		}
	}
	return dst
}

// wide prints a number of more than 64 bits: hexadecimal or unsigned.
func (d *Decoder) wide(dst []byte, ref *model.Ref, depth int) []byte {
	v := gather(ref.Field, d.entered(ref, depth-ref.Hops))
	if ref.Kind == spec.KindHex {
		return v.AppendHex(dst, 1)
	}
	if v.Len() > 64 && d.set.model.ISA.Strict { // isaspec prints the low 64 bits
		n, _ := new(big.Int).SetString(v.String(), 16)
		return n.Append(dst, 10)
	}
	return strconv.AppendUint(dst, v[0], 10)
}

func appendBool(dst []byte, ref *model.Ref, v uint64) []byte {
	on := (v != 0) == (ref.Kind == spec.KindBool)
	if ref.Field == nil || ref.Field.Display == nil {
		if ref.Kind == spec.KindBoolInv {
			return strconv.AppendUint(dst, boolean(on), 10)
		}
		return strconv.AppendUint(dst, v&math.MaxUint32, 10)
	}
	if on {
		return append(dst, *ref.Field.Display...)
	}
	return dst
}

// signExtend reads the low bits of v as a two's complement number of that width.
func signExtend(v uint64, width int) int64 {
	if width <= 0 || width >= 64 {
		return int64(v)
	}
	return int64(v<<uint(64-width)) >> uint(64-width)
}

// appendSigned prints a number with its sign. Zero has a plus: only a computed value beyond its
// width comes to that.
func appendSigned(dst []byte, v int64) []byte {
	if v >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, v, 10)
}

// appendFloat prints six decimals, and what is no number in glibc's spelling.
func appendFloat(dst []byte, v uint64, width int) []byte {
	var x float64
	switch width {
	case 16:
		x = halfFloat(uint16(v))
	default:
		x = float64(math.Float32frombits(uint32(v)))
	}
	switch {
	case math.IsNaN(x):
		if v>>(min(uint(width), 32)-1)&1 != 0 {
			dst = append(dst, '-')
		}
		return append(dst, "nan"...)
	case math.IsInf(x, 1):
		return append(dst, "inf"...)
	case math.IsInf(x, -1):
		return append(dst, "-inf"...)
	}
	return strconv.AppendFloat(dst, x, 'f', 6, 64)
}

// halfFloat converts an IEEE 754 half.
func halfFloat(h uint16) float64 {
	exp, frac := int(h>>10&31), float64(h&0x3ff)
	var x float64
	switch exp {
	case 0:
		x = math.Ldexp(frac, -24)
	case 31:
		if x = math.Inf(1); frac != 0 {
			x = math.NaN()
		}
	default:
		x = math.Ldexp(frac+1024, exp-25)
	}
	if h>>15 != 0 {
		x = -x
	}
	return x
}

// branch prints a target as a label where there is one.
func (d *Decoder) branch(dst []byte, ref *model.Ref, v uint64) []byte {
	if d.Label != nil {
		if name, ok := d.Label(d.target(ref, v), ref.Field.Call); ok {
			return append(dst, name...)
		}
	}
	if ref.Kind == spec.KindAbsBranch && d.set.model.ISA.Strict {
		return strconv.AppendInt(dst, int64(v), 10) // isaspec sign-extends absolute targets too
	}
	return strconv.AppendInt(dst, signExtend(v, ref.Width), 10)
}

// target returns the address in bits that a branch field of the given value means.
func (d *Decoder) target(ref *model.Ref, v uint64) int64 {
	unit := int64(ref.Field.Unit)
	if unit == 0 {
		unit = int64(d.root.Size)
	}
	if ref.Kind == spec.KindAbsBranch {
		return int64(v) * unit
	}
	return d.Addr + signExtend(v, ref.Width)*unit
}
