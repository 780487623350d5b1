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
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// matchNumber reads a number, a float or a branch target.
func (m *matcher) matchNumber(e *edge, s resumePoint) bool {
	it, next := &e.item, e.next
	pos := m.skipBlank()
	if it.kind == itemBranch && s.as != asNumber {
		if t, ok := m.symbol(it, pos, int(s.n)); ok {
			return m.bindLabel(e, t, pos)
		}
		s = resumePoint{}
	}
	var n number
	ok := m.number(&n, it, pos, int(s.n))
	if !ok && n.pattern && n.end > pos && m.follows(next, n.end-1) {
		ok = m.number(&n, it, pos, n.end-1) // the number is 0, and the letter belongs to the next item
	}
	if it.mayBeAbsent() && (!ok || it.extent == noText || s.as == asNothing) {
		if it.extent == someText || !m.bind(it, 0, m.pos) {
			return false
		}
		m.node = next
		return true
	}
	if !ok || it.extent == noText {
		m.failure.expect(pos, it)
		return false
	}
	if s.as != asRange {
		m.saveNumber(e, &n)
	}
	if it.kind == itemEnum && !m.unnamed(it.ref, &n) {
		m.failure.expect(pos, it)
		return false
	}
	if it.ref.Width > 64 {
		return m.bindWide(e, &n, pos)
	}
	v, fits := m.fit(it.ref, &n)
	if !fits {
		m.failRange(it, pos, &n)
		return false
	}
	if it.kind == itemFloat && it.ref.Prog != nil {
		v = m.attainable(it.ref, v)
	}
	m.off += n.offBy(v, it.ref)
	if !m.spelled(pos == m.pos && m.printed(it.ref, v, pos, &n)) || !m.bindNumber(e, v, &n, s) {
		return false
	}
	m.accept(it, pos, n.end, next)
	return true
}

// mayBeAbsent reports whether the number prints with its sign, and as nothing if it is 0.
func (it *item) mayBeAbsent() bool {
	return it.ref.Kind == spec.KindOffset || it.ref.Kind == spec.KindUOffset
}

// bindLabel binds a label that was read at pos, and continues after it.
func (m *matcher) bindLabel(e *edge, t target, pos int) bool {
	it, next := &e.item, e.next
	if t.end-pos > 1 && m.splits(next, pos, t.end) {
		m.save(e, resumePoint{n: int32(t.end - 1)})
	}
	switch {
	case m.pinning:
		m.cons = append(m.cons, constraint{prog: &leftOpen, ref: it.ref, scope: m.frames[m.frame].scope})
	case !t.open && !m.bind(it, t.value, t.end):
		return false
	}
	m.named = true
	m.accept(it, pos, t.end, next)
	return true
}

// saveNumber saves a choice for another reading of a number: a shorter number or no text.
func (m *matcher) saveNumber(e *edge, n *number) {
	it, next := &e.item, e.next
	switch {
	case n.end-n.digits > 1 && m.splits(next, n.digits, n.end):
		m.save(e, resumePoint{n: int32(n.end - 1), as: asNumber})
	case it.mayBeAbsent() && (m.triesAll() || m.follows(next, m.pos)):
		m.save(e, resumePoint{as: asNothing})
	}
}

// bindWide binds a number to a field of more than 64 bits, and continues after it.
func (m *matcher) bindWide(e *edge, n *number, pos int) bool {
	it, next := &e.item, e.next
	if n.over || n.mag.Len() > it.ref.Width || n.neg && !n.mag.IsZero() {
		m.failRange(it, pos, n)
		return false
	}
	if !m.spelled(n.digits == m.pos && (m.src[pos] != '0' || n.end == pos+1)) {
		return false
	}
	if !m.bindMasked(it.ref, m.scopeOf(it.ref.ScopeDepth), n.mag, bits.Ones(it.ref.Width), n.end) {
		return false
	}
	m.accept(it, pos, n.end, next)
	return true
}

// failRange records that a number does not fit its field.
func (m *matcher) failRange(it *item, pos int, n *number) {
	if m.failure != nil {
		from := pos
		if it.ref.Kind == spec.KindHex && bytes.HasSuffix(m.src[:pos], []byte("0x")) {
			from -= len("0x") // which is text of the template
		}
		text := m.raw[from:n.end]
		if n.computed {
			sign := ""
			if n.neg {
				sign = "-"
			}
			text = fmt.Appendf(nil, "$(%s%d)", sign, n.mag[0])
		}
		hex := it.ref.Kind == spec.KindHex || bytes.Contains(text, []byte("0x"))
		m.failure.failAt(diag.TextRange, pos, n.end, "%s does not fit %s, expected %s", text, it.ref.Name(), m.numbers(it.ref, hex))
	}
}

// splits reports whether a number or a name that starts at from may end before end, after at least one character.
func (m *matcher) splits(next *node, from, end int) bool {
	if m.triesAll() {
		return true
	}
	for end--; end > from; end-- {
		if m.follows(next, end) {
			return true
		}
	}
	return false
}

// bindNumber is like bind, but for a number. For a bool of more than 32 bits, it sets only the low 32 bits.
func (m *matcher) bindNumber(e *edge, v uint64, n *number, s resumePoint) bool {
	it, ref, end := &e.item, e.item.ref, n.end
	switch {
	case ref.Prog != nil:
		return m.bindDerived(e, v, end, s)
	case ref.Kind == spec.KindBool && ref.Width > 32:
		return m.bindSome(ref, m.scopeOf(ref.ScopeDepth), v, math.MaxUint32, end)
	}
	return m.bind(it, v, end)
}

// bindDerived is like bindNumber, but for a computed field.
func (m *matcher) bindDerived(e *edge, v uint64, end int, s resumePoint) bool {
	it, ranged := &e.item, s.as == asRange
	if it.kind == itemFloat && !ranged {
		m.save(e, resumePoint{n: s.n, as: asRange})
	}
	if it.spread != nil && it.kind != itemEnum && !ranged && m.failure == nil {
		return m.bind(it, v, end)
	}
	c := derivedConstraint(it.ref, m.scopeOf(it.ref.ScopeDepth), v)
	switch {
	case it.kind == itemEnum:
		c.mask = math.MaxUint32
	case ranged:
		c.kind = wantRange
		c.value, c.high = m.samePrint(it.ref, c.value)
	}
	return m.bindComputed(c, end)
}

// samePrint returns the smallest and the largest bit pattern that print the same text as v, the bit pattern of a float.
// All bit patterns between them also print this text, because the magnitude of a float increases with its bit pattern.
func (m *matcher) samePrint(ref *model.Ref, v uint64) (low, high uint64) {
	width := floatWidth(ref)
	text := string(model.AppendScalar(nil, ref, v, true))
	same := func(x uint64) bool {
		m.scalar = model.AppendScalar(m.scalar[:0], ref, x, true)
		return string(m.scalar) == text
	}
	sign := v & (1 << (width - 1))
	below, above := int(v-sign), int(1<<(width-1)-1-(v-sign))
	low = v - uint64(sort.Search(below, func(n int) bool { return !same(v - uint64(n) - 1) }))
	high = v + uint64(sort.Search(above, func(n int) bool { return !same(v + uint64(n) + 1) }))
	return low, high
}

// unnamed converts a number to the smallest value of an enum that has no name and that prints as the number. Only the
// low 32 bits of a value are printed. ok is false if there is no such value. For a computed value, unnamed does not
// change the number, and ok is false if the number has a name. There is one exception: if the width of the computed
// value is given and above 32, ok is true. The number may then be the low part of a value without a name.
func (m *matcher) unnamed(ref *model.Ref, n *number) (ok bool) {
	if ref.Prog != nil {
		_, named := ref.Enum.Lookup(n.mag[0])
		wide := ref.Field != nil && ref.Field.WidthGiven && ref.Width > 32
		return !named || wide
	}
	for v := n.mag[0]; ; v += 1 << 32 {
		if _, named := ref.Enum.Lookup(v); !named {
			n.mag = bits.Of(v)
			return true
		}
		if ref.Width <= 32 || v>>32 >= 1<<uint(min(ref.Width-32, 16))-1 || n.neg {
			return false
		}
	}
}

// printed reports whether v prints as the text of number n, which starts at pos.
func (m *matcher) printed(ref *model.Ref, v uint64, pos int, n *number) bool {
	m.scalar = model.AppendScalar(m.scalar[:0], ref, v, m.env.Machine.ISA.Strict)
	return string(m.scalar) == string(m.src[pos:n.end])
}

// number holds a number as the text writes it.
type number struct {
	neg bool
	// word reports whether a float was written as inf or nan.
	word bool
	// pattern reports whether the number is hexadecimal, octal or binary. For a signed field such a number may also be
	// the bits of a negative value.
	pattern bool
	// computed reports whether the number is the value of a constant expression.
	computed bool
	// over reports whether the number has more than 256 bits.
	over bool
	mag  bits.Value
	// f is the magnitude of a float, rounded once to the precision of the field. literal is the magnitude as a 64-bit
	// float.
	f, literal float64
	// A shorter reading of the number can end at any position between digits and end.
	digits, end int
}

// number reads the number at pos into n, in any radix or as $(EXPRESSION). It reports whether there is a number that
// the item accepts. If limit is not 0, the number ends at limit or before.
func (m *matcher) number(n *number, it *item, pos, limit int) bool {
	*n = number{}
	i := pos
	if limit <= 0 {
		limit = len(m.src)
	}
	if i < limit && (m.src[i] == '-' || m.src[i] == '+') {
		n.neg = m.src[i] == '-'
		i++
		if i < limit && m.src[i] == ' ' {
			i++
		}
	}
	if it.kind == itemFloat && (i >= limit || m.src[i] != '$') {
		return m.float(n, it.ref.Width, i, limit)
	}
	if i+1 < limit && m.src[i] == '$' && m.src[i+1] == '(' {
		return m.constant(n, it, i+2, limit)
	}
	if it.ref.Kind == spec.KindOffset && i == pos || it.ref.Kind == spec.KindUOffset && (i == pos || n.neg) {
		return false
	}
	n.digits = i
	base := uint64(10)
	if it.ref.Kind == spec.KindHex {
		base = 16
	}
	if i+1 < limit && m.src[i] == '0' {
		if radix := uint64(radixes[m.src[i+1]]); radix != 0 && (radix != 2 || base != 16) {
			if i+2 < limit { // without a digit after it, the letter does not belong to the number
				base, i, n.pattern = radix, i+2, true
			}
		}
	}
	return m.digits(n, i, limit, base)
}

// radixes maps the letter after a leading 0 to the radix.
var radixes = [256]uint8{'x': 16, 'X': 16, 'o': 8, 'O': 8, 'b': 2, 'B': 2}

// constant reads the rest of $(EXPRESSION) after the parenthesis. Without a hook, the expression is a decimal number
// for fields of all types. An offset needs no sign.
func (m *matcher) constant(n *number, it *item, i, limit int) bool {
	if m.caller.Constant != nil {
		return m.compute(n, it, i-1, limit)
	}
	if i < limit && m.src[i] == '-' {
		n.neg = !n.neg
		i++
	}
	if !m.digits(n, i, limit, 10) || n.end >= limit || m.src[n.end] != ')' {
		return false
	}
	n.whole(it, n.end+1)
	return true
}

// whole sets the end of a number that has no shorter reading.
func (n *number) whole(it *item, end int) {
	n.digits, n.end = end-1, end
	if it.ref.Kind == spec.KindFloat {
		n.f, n.literal = float64(n.mag[0]), float64(n.mag[0])
	}
}

// compute reads the constant expression whose opening parenthesis is at i.
func (m *matcher) compute(n *number, it *item, i, limit int) bool {
	m.asked = true
	v, size, err := m.caller.Constant(string(m.raw[i:]))
	if e, ok := Shifted(err, i).(*Error); ok && m.constantErr == nil {
		m.constantErr = e
	}
	if err != nil || i+size > limit {
		return false
	}
	if v < 0 {
		n.neg, v = !n.neg, -v
	}
	n.mag, n.computed = bits.Of(uint64(v)), true
	n.whole(it, i+size)
	return true
}

// maxDigits limits the number of digits of a number, because each prefix may have to be tried. It allows 256 binary
// digits.
const maxDigits = 300

// digits reads the digits of a number, starting at i. It returns false if there are no digits or more than maxDigits.
func (m *matcher) digits(n *number, i, limit int, base uint64) bool {
	from := i
	for ; i < limit; i++ {
		d := uint64(digitValue[m.src[i]])
		if d >= base {
			break
		}
		if i-from == maxDigits {
			return false
		}
		if n.over = n.over || n.mag[3]>>60 != 0; n.over {
			continue
		}
		if n.mag[0] > math.MaxUint64/16-1 || n.long() {
			n.mag = addDigit(n.mag, base, d)
			continue
		}
		n.mag[0] = n.mag[0]*base + d
	}
	n.end = i
	return i > from
}

// long reports whether the number has more than 64 bits.
func (n *number) long() bool { return n.mag[1]|n.mag[2]|n.mag[3] != 0 }

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

// float reads nan, inf or a decimal float without its sign, for a field of width bits.
func (m *matcher) float(n *number, width, i, limit int) bool {
	n.digits = i
	for _, word := range []string{"nan", "inf"} {
		if i+3 <= limit && strings.EqualFold(string(m.src[i:i+3]), word) {
			n.f, n.digits, n.end, n.word = math.NaN(), i+2, i+3, true
			if word == "inf" {
				n.f = math.Inf(1)
			}
			return true
		}
	}
	n.end = floatEnd(m.src[:limit], i)
	if n.end-i > maxDigits {
		n.digits = n.end - 1 // do not try prefixes, because parsing each takes time proportional to its length
	}
	size := 64
	if width == 32 {
		size = 32 // round once
	}
	var err error
	text := string(m.src[i:n.end])
	n.f, err = strconv.ParseFloat(text, size)
	if n.literal = n.f; size == 32 {
		n.literal, _ = strconv.ParseFloat(text, 64)
	}
	return err == nil || math.IsInf(n.f, 0)
}

// floatEnd returns the end of the decimal float at i. It returns i if there is none.
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

// digitsEnd returns the end of the decimal digits at i.
func digitsEnd(src []byte, i int) int {
	for i < len(src) && digitValue[src[i]] < 10 {
		i++
	}
	return i
}

// fit converts a number to the bits of a field. ok is false if the number does not fit.
func (m *matcher) fit(ref *model.Ref, n *number) (v uint64, ok bool) {
	if ref.Kind == spec.KindFloat {
		v := floatBits(n, ref.Width)
		return v, !math.IsInf(model.FloatValue(v, ref.Width), 0) || n.word
	}
	if n.over || n.long() {
		return 0, false
	}
	if ref.Kind == spec.KindBoolInv {
		return 1 - n.mag[0], n.mag[0] <= 1 && !n.neg
	}
	v = n.mag[0]
	if n.neg {
		v = -v & wholeWidth(readWidth(ref))
	}
	return v, n.mag[0] <= mostOf(ref, n)
}

// mostOf returns the largest magnitude that fits a field for a number with the sign and radix of n. Signed fields have
// the range of two's complement, but a hexadecimal, octal or binary number may use all bits of the field.
func mostOf(ref *model.Ref, n *number) uint64 {
	all := wholeWidth(readWidth(ref))
	signed := false
	switch ref.Kind {
	case spec.KindInt, spec.KindOffset, spec.KindBranch:
		signed = true
	case spec.KindAbsBranch: // printed as a signed number if the top bit is set
		signed = n.neg
	}
	switch {
	case n.neg && signed:
		return all>>1 + 1
	case n.neg:
		return 0
	case signed && !n.pattern:
		return all >> 1
	}
	return all
}

// wholeWidth returns a mask with width ones, or with 64 ones if width is not from 1 to 64.
func wholeWidth(width int) uint64 {
	if width <= 0 || width > 64 {
		width = 64
	}
	return ones(width)
}

// readWidth returns the number of bits that the text of a number can specify. It is 64 for a computed value, unless the
// type limits the printed bits.
func readWidth(ref *model.Ref) int {
	switch {
	case ref.Kind == spec.KindFloat:
		return floatWidth(ref)
	case ref.Kind == spec.KindBool && ref.Prog == nil:
		return min(ref.Width, 32)
	case ref.Prog == nil:
		return ref.Width
	}
	switch ref.Kind {
	case spec.KindBool, spec.KindEnum:
		return 32
	case spec.KindInt, spec.KindOffset, spec.KindBranch:
		return ref.Width
	case spec.KindAbsBranch:
		if !ref.Owner.Env.Machine.ISA.Strict {
			return ref.Width
		}
	}
	return 64
}

// floatWidth returns the width of a float: 16 for a half, otherwise 32.
func floatWidth(ref *model.Ref) int {
	if ref.Width == 16 {
		return 16
	}
	return 32
}

func floatBits(n *number, width int) uint64 {
	if width == 16 {
		return halfBits(n.f) | truthBit(n.neg)<<15
	}
	return uint64(math.Float32bits(float32(n.f))) | truthBit(n.neg)<<31
}

// offBy returns the absolute difference between the float with bits v and the number as written.
func (n *number) offBy(v uint64, ref *model.Ref) float64 {
	if ref.Kind != spec.KindFloat || n.word {
		return 0
	}
	return math.Abs(math.Abs(model.FloatValue(v, ref.Width)) - n.literal)
}

// attainable rounds the bits of a computed float to the nearest bits that its expression can have. For example, if the
// expression shifts a field left, the low bits of all results are equal. It rounds only bits of the fraction.
func (m *matcher) attainable(ref *model.Ref, v uint64) uint64 {
	t := m.ternary(ref.Prog.Root, m.scopeOf(ref.ScopeDepth))
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

// halfBits rounds a magnitude to the nearest IEEE 754 half, ties to even.
func halfBits(f float64) uint64 {
	switch {
	case math.IsNaN(f):
		return 0x7e00
	case f >= 65520: // halfway between the largest half and the next power of 2
		return 0x7c00
	case f < 1.0/16384: // below the smallest normal number
		return uint64(math.RoundToEven(math.Ldexp(f, 24)))
	}
	frac, exp := math.Frexp(f)
	return uint64((exp+13)<<10 + int(math.RoundToEven(math.Ldexp(frac, 11))))
}

// maxName is the length of the longest name whose prefixes are tried as labels.
const maxName = 256

// target is a label that was read, with its value for the branch.
type target struct {
	value uint64
	end   int
	// open reports whether the address is not known yet.
	open bool
}

// symbol reads the longest name at pos that is a label. ok is false if there is none, or if the branch cannot reach the
// label. If limit is not 0, the name ends at limit or before.
func (m *matcher) symbol(it *item, pos, limit int) (t target, ok bool) {
	if bytes.HasPrefix(m.raw[pos:], []byte("$(")) {
		return t, false
	}
	end, whole := pos, limit == 0
	if whole {
		limit = len(m.raw)
	}
	for end < limit && isSymbolByte(m.raw[end], end == pos) {
		end++
	}
	if m.caller.Symbol == nil {
		return t, false
	}
	if end == pos {
		return t, false
	}
	a := m.ask(it, pos, end)
	if !a.known && whole {
		m.failure.failAt(diag.TextSymbol, pos, end, "%s is not a label", m.raw[pos:end])
	}
	for !a.known { // the name may be followed by other text without a separator
		if end--; end == pos || end-pos > maxName {
			return t, false
		}
		a = m.ask(it, pos, end)
	}
	if t.end = end; a.open || m.pinning {
		t.open = true
		return t, true
	}
	t.value, ok = m.reach(it, a.addr, pos, end)
	return t, ok
}

// ask looks up the name from pos to end as a label, and records the answer.
func (m *matcher) ask(it *item, pos, end int) answer {
	x := ask{name: string(m.raw[pos:end]), relative: it.ref.Kind == spec.KindBranch}
	x.answer = m.answer(x.name, x.relative)
	switch {
	case slices.Contains(m.asks, x):
	case len(m.asks) == maxAsks:
		m.asked = true
	default:
		m.asks = append(m.asks, x)
	}
	return x.answer
}

// answer looks up a label. If relative, the address in the answer is relative to the instruction.
func (m *matcher) answer(name string, relative bool) (a answer) {
	a.addr, a.known = m.caller.Symbol(name)
	switch {
	case !a.known:
		a.known = m.caller.Later != nil && m.caller.Later(name)
		a.addr, a.open = 0, a.known
	case relative:
		a.addr -= m.caller.Addr
	}
	return a
}

// reach converts addr to the value of a branch. The name of the label is the text from pos to end. ok is false if the
// branch cannot reach the address.
func (m *matcher) reach(it *item, addr int64, pos, end int) (v uint64, ok bool) {
	unit := int64(it.ref.Field.Unit)
	if unit == 0 {
		unit = int64(m.root.StoredSize(m.root.Size))
	}
	if addr%unit != 0 {
		m.failure.failAt(diag.TextSymbol, pos, end, "label %s is not at a multiple of %d bits", m.raw[pos:end], unit)
		return 0, false
	}
	n := number{neg: addr < 0, mag: bits.Of(uint64(addr / unit))}
	if n.neg {
		n.mag[0] = -n.mag[0]
	}
	v, ok = m.fit(it.ref, &n)
	if !ok {
		where := fmt.Sprintf("at %d", addr/unit)
		if it.ref.Kind == spec.KindBranch {
			where = fmt.Sprintf("%d away", addr/unit)
		}
		m.failure.failAt(diag.TextRange, pos, end, "label %s is %s, expected %s", m.raw[pos:end], where, m.numbers(it.ref, false))
	}
	return v, ok
}

func isSymbolByte(c byte, first bool) bool {
	return c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || !first && c >= '0' && c <= '9'
}
