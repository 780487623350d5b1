package asm

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// matchNumber reads a number, a float or a branch target. state is the limit of the text's end.
func (p *Parser) matchNumber(e *edge, state int) bool {
	it, next := &e.item, e.next
	pos := p.skipBlank()
	if it.kind == itemBranch && state <= 0 {
		limit := len(p.raw)
		if state <= stateShorter {
			limit, state = stateShorter-state, 0
		}
		if t, ok := p.symbol(it, pos, limit); ok {
			return p.takeSymbol(e, t, pos)
		}
	}
	ranged := state <= stateRange && it.kind == itemFloat
	if ranged {
		state = stateRange - state
	}
	n, ok := p.number(it, pos, state)
	if !ok && n.pattern && n.end > pos && p.follows(next, n.end-1) {
		n, ok = p.number(it, pos, n.end-1) // a 0, and the letter is what comes next
	}
	if it.mayBeAbsent() && (!ok || it.extent == noText || state == stateAbsent) {
		if it.extent == someText || !p.bind(it, 0, p.pos) {
			return false
		}
		p.node = next
		return true
	}
	if !ok || it.extent == noText {
		p.expectItem(pos, it)
		return false
	}
	if !ranged {
		p.saveNumber(e, &n)
	}
	if it.kind == itemEnum && !p.unnamed(it.ref, &n) {
		p.expectItem(pos, it)
		return false
	}
	if it.ref.Width > 64 {
		return p.takeWide(e, &n, pos)
	}
	v, fits := p.fit(it.ref, n)
	if !fits {
		p.failRange(it, pos, &n)
		return false
	}
	if n.isFloat && it.ref.Prog != nil {
		v = p.attainable(it.ref, v)
	}
	p.off += n.offBy(v, it.ref.Width)
	if !p.spelled(pos == p.pos && p.printed(it.ref, v, pos, n.end)) || !p.bindNumber(e, v, n.end, state, ranged) {
		return false
	}
	p.pos, p.node = n.end, next
	return true
}

// mayBeAbsent tells of a number that it is printed with its sign, and not at all where it is 0.
func (it *item) mayBeAbsent() bool {
	return it.ref.Kind == spec.KindOffset || it.ref.Kind == spec.KindUOffset
}

// takeSymbol takes the name of a label that has been read.
func (p *Parser) takeSymbol(e *edge, t target, pos int) bool {
	it, next := &e.item, e.next
	if t.end-pos > 1 && p.splits(next, pos, t.end) {
		p.save(e, stateShorter-t.end+1)
	}
	switch {
	case p.pinning:
		p.cons = append(p.cons, constraint{ref: it.ref, scope: p.frames[p.frame].scope, kind: wantNothing})
	case !t.open && !p.bind(it, t.value, t.end):
		return false
	}
	p.pos, p.node, p.named = t.end, next, true
	return true
}

// saveNumber leaves the other ways open to read what has been read as a number.
func (p *Parser) saveNumber(e *edge, n *number) {
	it, next := &e.item, e.next
	switch several := n.end-n.digits > 1 && p.splits(next, n.digits, n.end); {
	case several && it.kind == itemEnum:
		p.save(e, stateShorter-n.end+1)
	case several:
		p.save(e, n.end-1)
	case it.mayBeAbsent() && (p.everyWay() || p.follows(next, p.pos)):
		p.save(e, stateAbsent)
	}
}

// takeWide takes a number of more than 64 bits.
func (p *Parser) takeWide(e *edge, n *number, pos int) bool {
	it, next := &e.item, e.next
	if n.over || n.wide.Len() > it.ref.Width || n.neg && !n.wide.IsZero() {
		p.failRange(it, pos, n)
		return false
	}
	if !p.spelled(n.digits == p.pos && !n.pattern && (p.src[pos] != '0' || n.end == pos+1)) {
		return false
	}
	if !p.bindMasked(it.ref, p.scopeOf(it.ref.ScopeDepth), n.wide, bits.Ones(it.ref.Width), n.end) {
		return false
	}
	p.pos, p.node = n.end, next
	return true
}

// failRange notes that a number does not fit its field.
func (p *Parser) failRange(it *item, pos int, n *number) {
	if p.failure != nil {
		from := pos
		if it.ref.Kind == spec.KindHex && bytes.HasSuffix(p.src[:pos], []byte("0x")) {
			from -= len("0x") // which the template has
		}
		text := p.raw[from:n.end]
		if n.computed {
			text = fmt.Appendf(nil, "$(%d)", int64(n.mag))
			if n.neg {
				text = fmt.Appendf(nil, "$(%d)", -int64(n.mag))
			}
		}
		hex := it.ref.Kind == spec.KindHex || bytes.Contains(text, []byte("0x"))
		p.failAt(diag.TextRange, pos, n.end, "%s does not fit %s, expected %s", text, it.ref.Name(), p.limits(it.ref, hex))
	}
}

// splits reports whether a number or a name can end before its last character, but behind its first.
func (p *Parser) splits(next *node, from, end int) bool {
	if p.everyWay() {
		return true
	}
	for end--; end > from; end-- {
		if p.follows(next, end) {
			return true
		}
	}
	return false
}

// bindNumber is bind for a number, which for some types are the low 32 bits alone.
func (p *Parser) bindNumber(e *edge, v uint64, end, state int, ranged bool) bool {
	it := &e.item
	ref := it.ref
	switch {
	case ref.Prog != nil:
		return p.bindDerived(e, v, end, state, ranged)
	case ref.Kind == spec.KindBool && ref.Width > 32:
		return p.bindSome(ref, p.scopeOf(ref.ScopeDepth), v, math.MaxUint32, end)
	}
	return p.bind(it, v, end)
}

// bindDerived notes what a number says about an expression.
func (p *Parser) bindDerived(e *edge, v uint64, end, state int, ranged bool) bool {
	it := &e.item
	if it.kind == itemFloat && !ranged {
		p.save(e, stateRange-state)
	}
	if it.spread != nil && it.kind != itemEnum && !ranged && p.failure == nil {
		return p.bind(it, v, end)
	}
	c := derivedConstraint(it.ref, p.scopeOf(it.ref.ScopeDepth), v)
	switch {
	case it.kind == itemEnum:
		c.mask = math.MaxUint32
	case ranged:
		c.kind = wantRange
		c.value, c.high = p.samePrint(it.ref, c.value)
	}
	return p.bindComputed(c, end)
}

// stateRange less a limit is the state in which a computed float is any that prints as the text, which ends before the
// limit.
const stateRange = -2

// samePrint returns the lowest and the highest bits that print as those of a float do. They are in
// one run, as the magnitude grows with the bits.
func (p *Parser) samePrint(ref *model.Ref, v uint64) (low, high uint64) {
	width := uint(32)
	if ref.Width == 16 {
		width = 16
	}
	text := string(model.AppendScalar(nil, ref, v, true))
	same := func(x uint64) bool {
		p.scalar = model.AppendScalar(p.scalar[:0], ref, x, true)
		return string(p.scalar) == text
	}
	sign := v & (1 << (width - 1))
	below, above := int(v-sign), int(1<<(width-1)-1-(v-sign))
	low = v - uint64(sort.Search(below, func(n int) bool { return !same(v - uint64(n) - 1) }))
	high = v + uint64(sort.Search(above, func(n int) bool { return !same(v + uint64(n) + 1) }))
	return low, high
}

// unnamed makes of a number the value of an enum that prints so: one without a name, of which the
// low 32 bits are printed. ok is false where there is none. Of a computed value the number is left as
// it is; where that is given more than 32 bits, a number with a name may be the low part of one without.
func (p *Parser) unnamed(ref *model.Ref, n *number) (ok bool) {
	if ref.Prog != nil {
		_, named := ref.Enum.Lookup(n.mag)
		wide := ref.Field != nil && ref.Field.WidthGiven && ref.Width > 32
		return !named || wide
	}
	for v := n.mag; ; v += 1 << 32 {
		if _, named := ref.Enum.Lookup(v); !named {
			n.mag, n.wide = v, bits.Of(v)
			return true
		}
		if ref.Width <= 32 || v>>32 >= 1<<uint(min(ref.Width-32, 16))-1 || n.neg {
			return false
		}
	}
}

// printed reports whether a value prints as the text from pos up to end.
func (p *Parser) printed(ref *model.Ref, v uint64, pos, end int) bool {
	p.scalar = model.AppendScalar(p.scalar[:0], ref, v, inside.Machine(p.set).ISA.Strict)
	return string(p.scalar) == string(p.src[pos:end])
}

// number is a number as it was read.
type number struct {
	neg, isFloat bool
	// word tells of a float that was written as inf or nan.
	word bool
	// pattern tells of a number written in hexadecimal, octal or binary, which says bits as well: of a
	// signed field also those of a negative number.
	pattern bool
	// computed tells of the value of a constant expression.
	computed bool
	// over tells that the number has more than 256 bits.
	over bool
	mag  uint64
	wide bits.Value
	// f is a float, rounded once; literal is what was written, as far as a float of 64 bits says it.
	f, literal float64
	// It can end anywhere behind digits, up to end.
	digits, end int
}

// number reads a number of the item's kind at pos, any radix or $(EXPRESSION); it ends before limit if that
// is not 0.
func (p *Parser) number(it *item, pos, limit int) (number, bool) {
	var n number
	i := pos
	if limit <= 0 {
		limit = len(p.src)
	}
	p.see(i)
	if i < limit && (p.src[i] == '-' || p.src[i] == '+') {
		n.neg = p.src[i] == '-'
		i++
		if i < limit && p.src[i] == ' ' {
			i++
		}
		p.see(i)
	}
	if it.kind == itemFloat && (i >= limit || p.src[i] != '$') {
		return p.float(it.ref.Width, pos, i, limit)
	}
	if i+1 < limit && (p.src[i] == '$' || p.src[i] == '0') {
		p.see(i + 1)
	}
	if i+1 < limit && p.src[i] == '$' && p.src[i+1] == '(' {
		return p.constant(n, it, i+2, limit)
	}
	if it.ref.Kind == spec.KindOffset && i == pos || it.ref.Kind == spec.KindUOffset && (i == pos || n.neg) {
		return n, false
	}
	n.digits = i
	base := uint64(10)
	if it.ref.Kind == spec.KindHex {
		base = 16
	}
	if i+1 < limit && p.src[i] == '0' && strings.IndexByte("xob", p.src[i+1]|0x20) >= 0 {
		p.see(i + 2) // without a digit behind it the letter is none of the number
	}
	if i+2 < limit && p.src[i] == '0' {
		switch p.src[i+1] | 0x20 {
		case 'x':
			base, i, n.pattern = 16, i+2, true
		case 'o':
			base, i, n.pattern = 8, i+2, true
		case 'b':
			if base == 10 {
				base, i, n.pattern = 2, i+2, true
			}
		}
	}
	return p.digits(n, i, limit, base)
}

// constant reads the rest of $(EXPRESSION), in which numbers are decimal whatever the type, from behind
// the parenthesis. It needs no sign where the type prints one.
func (p *Parser) constant(n number, it *item, i, limit int) (number, bool) {
	if p.Constant != nil {
		return p.compute(n, it, i-1, limit)
	}
	if i < limit && p.src[i] == '-' {
		n.neg = !n.neg
		i++
	}
	n, ok := p.digits(n, i, limit, 10)
	if !ok || n.end >= limit || p.src[n.end] != ')' {
		return n, false
	}
	return n.whole(it, n.end+1), true
}

// whole makes a number one that ends at end and cannot be read in part.
func (n number) whole(it *item, end int) number {
	n.digits, n.end = end-1, end
	if it.ref.Kind == spec.KindFloat {
		n.isFloat, n.f, n.literal = true, float64(n.mag), float64(n.mag)
	}
	return n
}

// compute reads the constant expression in parentheses at i.
func (p *Parser) compute(n number, it *item, i, limit int) (number, bool) {
	p.asked = true
	v, size, err := p.Constant(string(p.raw[i:]))
	p.see(i + size)
	if e, ok := Shifted(err, i).(*Error); ok && p.wrong == nil {
		p.wrong = e
	}
	if err != nil || i+size > limit {
		return n, false
	}
	if v < 0 {
		n.neg, v = !n.neg, -v
	}
	n.mag, n.wide, n.computed = uint64(v), bits.Of(uint64(v)), true
	return n.whole(it, i+size), true
}

// maxDigits bounds a number with its leading zeros, of which each start may have to be tried. It is
// enough for 256 binary digits.
const maxDigits = 300

func (p *Parser) digits(n number, i, limit int, base uint64) (number, bool) {
	from := i
	for ; i < limit; i++ {
		d := uint64(digitValue[p.src[i]])
		if d >= base {
			break
		}
		if i-from == maxDigits {
			return n, false
		}
		if n.over = n.over || n.wide[3]>>60 != 0; n.over {
			continue
		}
		if n.mag > math.MaxUint64/16-1 || n.wide[1]|n.wide[2]|n.wide[3] != 0 {
			n.wide = addDigit(n.wide, base, d)
			n.mag = n.wide[0]
			continue
		}
		n.mag = n.mag*base + d
		n.wide[0] = n.mag
	}
	n.end = i
	p.see(i)
	return n, i > from
}

// addDigit returns v*base + d.
func addDigit(v bits.Value, base, d uint64) bits.Value {
	carry := d
	for i := 0; i < 8; i++ {
		x := v.Uint(32*i, 32)*base + carry
		v.SetUint(32*i, 32, x)
		carry = x >> 32
	}
	return v
}

var digitValue = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i := range 10 {
		t['0'+i] = byte(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = byte(10+i), byte(10+i)
	}
	return t
}()

// float reads a decimal float for a field of that width, nan or inf.
func (p *Parser) float(width, from, i, limit int) (number, bool) {
	n := number{isFloat: true, neg: i > from && p.src[from] == '-', digits: i}
	if i < limit && (p.src[i]|0x20 == 'n' || p.src[i]|0x20 == 'i') {
		p.see(i + 2)
	}
	for _, word := range []string{"nan", "inf"} {
		if i+3 <= limit && strings.EqualFold(string(p.src[i:i+3]), word) {
			n.f, n.digits, n.end, n.word = math.NaN(), i+2, i+3, true
			if word == "inf" {
				n.f = math.Inf(1)
			}
			return n, true
		}
	}
	n.end = floatEnd(p.src[:limit], i)
	if p.see(n.end + len("e+")); n.end-i > maxDigits {
		n.digits = n.end - 1 // which is whole: each end would take as long as the text
	}
	size := 64
	if width == 32 {
		size = 32 // rounded once
	}
	var err error
	text := string(p.src[i:n.end])
	n.f, err = strconv.ParseFloat(text, size)
	if n.literal = n.f; size == 32 {
		n.literal, _ = strconv.ParseFloat(text, 64)
	}
	return n, err == nil || math.IsInf(n.f, 0)
}

// floatEnd returns the end of the decimal float that starts at a place, which may be none.
func floatEnd(src []byte, i int) int {
	end := digitsEnd(src, i)
	if end < len(src) && src[end] == '.' {
		end = digitsEnd(src, end+1)
	}
	exponent := end + 1
	if end == len(src) || src[end]|0x20 != 'e' {
		return end
	}
	if exponent < len(src) && (src[exponent] == '+' || src[exponent] == '-') {
		exponent++
	}
	if e := digitsEnd(src, exponent); e > exponent {
		return e
	}
	return end
}

// digitsEnd returns the end of the decimal digits at a place.
func digitsEnd(src []byte, i int) int {
	for i < len(src) && digitValue[src[i]] < 10 {
		i++
	}
	return i
}

// fit converts a number to the bits of a field; ok is false where it does not fit.
func (p *Parser) fit(ref *model.Ref, n number) (v uint64, ok bool) {
	if n.isFloat {
		v := floatBits(n, ref.Width)
		return v, !math.IsInf(model.FloatValue(v, ref.Width), 0) || n.word
	}
	if n.over || n.wide != bits.Of(n.mag) {
		return 0, false
	}
	width := p.readWidth(ref)
	switch ref.Kind {
	case spec.KindInt, spec.KindOffset, spec.KindBranch:
		return fitSigned(n, width)
	case spec.KindAbsBranch:
		if n.neg { // printed as a signed number where the top bit is set
			return fitSigned(n, width)
		}
	}
	if ref.Kind == spec.KindBoolInv {
		return 1 - n.mag, n.mag <= 1 && !n.neg
	}
	if n.neg && n.mag != 0 || width < 64 && n.mag>>uint(width) != 0 {
		return 0, false
	}
	return n.mag, true
}

// readWidth returns the number of bits that the text of a number can say. A computed value is as wide
// as its expression, but where it is signed.
func (p *Parser) readWidth(ref *model.Ref) int {
	switch ref.Kind {
	case spec.KindBool, spec.KindEnum:
		if ref.Prog != nil {
			return 32
		}
		if ref.Kind == spec.KindBool {
			return min(ref.Width, 32)
		}
	case spec.KindInt, spec.KindOffset, spec.KindBranch:
		return ref.Width
	case spec.KindAbsBranch:
		if !inside.Machine(p.set).ISA.Strict {
			return ref.Width
		}
	}
	if ref.Prog != nil {
		return 64
	}
	return ref.Width
}

// fitSigned accepts the range of a two's complement number, and its bit pattern where that is written.
func fitSigned(n number, width int) (uint64, bool) {
	if width <= 0 || width > 64 {
		width = 64
	}
	mask := ^uint64(0) >> (64 - uint(width))
	if n.neg {
		return -n.mag & mask, n.mag <= 1<<uint(width-1)
	}
	if n.pattern {
		return n.mag, n.mag <= mask
	}
	return n.mag, n.mag <= mask>>1
}

func floatBits(n number, width int) uint64 {
	f := n.f
	if n.neg {
		f = math.Copysign(f, -1)
	}
	if width == 16 {
		return uint64(halfBits(f))
	}
	b := math.Float32bits(float32(f))
	if n.neg {
		b |= 1 << 31
	}
	return uint64(b)
}

// offBy is how far the bits of a float are from what was written.
func (n *number) offBy(v uint64, width int) float64 {
	if !n.isFloat || n.word {
		return 0
	}
	written := n.literal
	if n.neg {
		written = -written
	}
	return math.Abs(model.FloatValue(v, width) - written)
}

// attainable rounds the bits of a computed float to the nearest that end as its values all do: in zeros,
// where the bits of a field are shifted. Only the fraction is rounded.
func (p *Parser) attainable(ref *model.Ref, v uint64) uint64 {
	t := p.ternary(ref.Prog.Root, p.scopeOf(ref.ScopeDepth))
	step, fraction := t.open&-t.open, uint64(1)<<23
	if ref.Width == 16 {
		fraction = 1 << 10
	}
	if step == 0 || step > fraction {
		return v
	}
	off := (v - t.val) & (step - 1)
	down, up := v-off, v-off+step
	if x := model.FloatValue(up, ref.Width); off <= step/2 || math.IsInf(x, 0) || math.IsNaN(x) {
		return down
	}
	return up
}

// halfBits rounds to the nearest IEEE 754 half, ties to even.
func halfBits(f float64) uint16 {
	var sign uint16
	if math.Signbit(f) {
		sign, f = 0x8000, -f
	}
	switch {
	case math.IsNaN(f):
		return sign | 0x7e00
	case f >= 65520: // halfway between the largest half and the next power
		return sign | 0x7c00
	case f < 1.0/16384: // below the smallest normal number
		return sign | uint16(math.RoundToEven(math.Ldexp(f, 24)))
	}
	frac, exp := math.Frexp(f)
	m := int(math.RoundToEven(math.Ldexp(frac, 11)))
	return sign | uint16((exp+13)<<10+m)
}

// maxName bounds the names that more text may touch.
const maxName = 256

// target is a label that was read: the value that it gives its branch.
type target struct {
	value uint64
	end   int
	// open tells that its address is not known yet.
	open bool
}

// symbol reads the longest name at pos that is known and ends at most at limit.
func (p *Parser) symbol(it *item, pos, limit int) (t target, ok bool) {
	if bytes.HasPrefix(p.raw[pos:], []byte("$(")) {
		return t, false
	}
	end := pos
	for end < limit && isSymbolByte(p.raw[end], end == pos) {
		end++
	}
	p.see(end)
	if end == pos || p.Symbol == nil {
		return t, false
	}
	a := p.ask(it, pos, end)
	if !a.known && limit == len(p.raw) {
		p.failAt(diag.TextSymbol, pos, end, "%s is no label", p.raw[pos:end])
	}
	for !a.known { // perhaps more text touches it
		if end--; end == pos || end-pos > maxName {
			return t, false
		}
		a = p.ask(it, pos, end)
	}
	if t.end = end; a.open || p.pinning {
		t.open = true
		return t, true
	}
	t.value, ok = p.reach(it, a.addr, pos, end)
	return t, ok
}

// ask returns what the name from pos up to end means, and notes it.
func (p *Parser) ask(it *item, pos, end int) answer {
	x := ask{name: string(p.raw[pos:end]), relative: it.ref.Kind == spec.KindBranch}
	x.answer = p.answer(x.name, x.relative)
	switch {
	case slices.Contains(p.asks, x):
	case len(p.asks) == maxAsks:
		p.asked = true
	default:
		p.asks = append(p.asks, x)
	}
	return x.answer
}

// answer returns the address of a name, for a relative one from the line on.
func (p *Parser) answer(name string, relative bool) (a answer) {
	a.addr, a.known = p.Symbol(name)
	switch {
	case !a.known:
		a.known = p.Later != nil && p.Later(name)
		a.addr, a.open = 0, a.known
	case relative:
		a.addr -= p.Addr
	}
	return a
}

// reach turns the address of the label from pos up to end into the value of a branch; ok is false where
// the branch does not reach it.
func (p *Parser) reach(it *item, addr int64, pos, end int) (v uint64, ok bool) {
	unit := int64(it.ref.Field.Unit)
	if unit == 0 {
		unit = int64(p.root.Stored(p.root.Size))
	}
	if addr%unit != 0 {
		p.failAt(diag.TextSymbol, pos, end, "label %s is not at a multiple of %d bits", p.raw[pos:end], unit)
		return 0, false
	}
	n := number{neg: addr < 0, mag: uint64(addr / unit)}
	if n.neg {
		n.mag = -n.mag
	}
	n.wide = bits.Of(n.mag)
	v, ok = p.fit(it.ref, n)
	switch {
	case ok:
	case it.ref.Kind == spec.KindBranch:
		p.failAt(diag.TextRange, pos, end, "label %s is %d away, expected %s", p.raw[pos:end], addr/unit, p.limits(it.ref, false))
	default:
		p.failAt(diag.TextRange, pos, end, "label %s is at %d, expected %s", p.raw[pos:end], addr/unit, p.limits(it.ref, false))
	}
	return v, ok
}

func isSymbolByte(c byte, first bool) bool {
	return c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || !first && c >= '0' && c <= '9'
}
