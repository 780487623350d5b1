package pica200

import (
	"bytes"
	"fmt"
	"math"
	mathbits "math/bits"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/isa"
)

// Picasso is the tool whose reading AssembleOptions.Compat takes over: picasso 2.7. It reads numbers with C's atoi,
// atof and strtoll, which pass over what follows a number, and keeps a register as a number in one row of all
// registers, of which each operand takes what its bits hold. (Facts from picasso's source, 2.6 to 2.7.1, and from
// runs of 2.7.1.)
const Picasso = "picasso"

// compatFlag is how messages name the option.
const compatFlag = "--compat " + Picasso

// position is where a register stands, which settles what its number means.
type position uint8

const (
	sourcePosition position = iota
	destinationPosition
	intPosition
	boolPosition
)

// positions are those of directives that name a register of a bank.
var positions = [...]position{inputBank: sourcePosition, floatBank: sourcePosition, outputBank: destinationPosition, intBank: intPosition, boolBank: boolPosition}

// row has the numbers that picasso gives to registers.
type row struct {
	temporaries, floats, ints, bools, end int
}

// rowOf returns the row: inputs and outputs have the same numbers, which temporaries, float uniforms, integers and
// booleans follow. There is room for twice the integers that exist, as in the uniform tables of shader files.
func (b *banks) row() row {
	var r row
	r.temporaries = b.files[inputBank].Count
	r.floats = r.temporaries + b.temporaries.Count
	r.ints = r.floats + b.files[floatBank].Count
	r.bools = r.ints + int(uniformFirst[boolBank]-uniformFirst[intBank])
	r.end = r.bools + b.files[boolBank].Count
	return r
}

// numberOf returns the number of a register.
func (b *banks) numberOf(file *isa.File, num int) int {
	switch r := b.row(); file {
	case b.temporaries:
		return r.temporaries + num
	case b.files[floatBank]:
		return r.floats + num
	case b.files[intBank]:
		return r.ints + num
	case b.files[boolBank]:
		return r.bools + num
	}
	return num
}

// numbered returns the register that a number is at a position; ok is false where none can stand there. The number of
// an integer may be beyond those that exist.
func (b *banks) numbered(n int, at position) (file *isa.File, num int, ok bool) {
	r := b.row()
	switch {
	case at == intPosition:
		return b.files[intBank], n - r.ints, n >= r.ints && n < r.bools
	case at == boolPosition:
		return b.files[boolBank], n - r.bools, n >= r.bools && n < r.end
	case n >= r.floats:
		return b.files[floatBank], n - r.floats, at == sourcePosition && n < r.ints
	case n >= r.temporaries:
		return b.temporaries, n - r.temporaries, true
	case at == destinationPosition:
		return b.files[outputBank], n, n >= 0
	}
	return b.files[inputBank], n, n >= 0
}

// reading is a register as picasso reads it.
type reading struct {
	number int
	operand
}

// mostSuffix bounds the offsets and numbers that are followed: no register is beyond.
const mostSuffix = 255

// picassoRegister reads [-]NAME[INDEX][.SWIZZLE]; ok is false where picasso refuses the text. Address registers are
// read where they may be.
func (r *assembly) picassoRegister(text string, indexable bool) (p reading, ok bool) {
	text, p.neg = strings.CutPrefix(text, "-")
	p.swz = noSwizzle
	name, rest, offset := text, text, 0
	if open := strings.IndexByte(text, '['); open >= 0 {
		inner, behind, closed := strings.Cut(text[open+1:], "]")
		if !closed {
			return p, false
		}
		if offset, p.index, ok = r.banks.picassoIndex(strings.TrimSpace(inner), indexable); !ok {
			return p, false
		}
		name, rest = text[:open], behind
	}
	if dot := strings.IndexByte(rest, '.'); dot >= 0 {
		letters := rest[dot+1:]
		if p.disordered = !r.banks.components.ordered(letters); letters == "" {
			letters = string(r.banks.components.letters[:1])
		}
		if p.swz, ok = r.banks.components.parse(letters); !ok {
			return p, false
		}
		name = name[:min(len(name), len(text)-len(rest)+dot)]
	}
	if a := r.aliases[name]; a != nil {
		p.number, p.neg, p.swz = r.banks.numberOf(a.file, a.num), p.neg != a.neg, p.swz.of(a.swz)
		p.number += offset
		return p, !a.failed
	}
	if p.number, ok = r.picassoNumber(name); !ok {
		return p, false
	}
	uniform := p.number >= r.banks.row().floats && p.number < r.banks.row().ints
	p.number += offset
	return p, p.index == 0 || uniform
}

// picassoNumber reads the name of a register. A letter in upper case is taken for a register and adds nothing to the
// number.
func (r *assembly) picassoNumber(name string) (number int, ok bool) {
	if !r.banks.isRegister(name) {
		return 0, false
	}
	n, _, ok := cInteger(name[1:], 0)
	file := r.banks.letters[name[0]]
	if !ok || n < 0 || n > mostSuffix || file == nil {
		return int(n), ok && n >= 0 && n <= mostSuffix
	}
	number = r.banks.numberOf(file, int(n))
	most := file.Count
	switch file {
	case r.banks.files[inputBank]:
		most-- // the last is refused
	case r.banks.files[outputBank]:
		if r.program().geometry {
			most = r.most.rasterised
		}
	case r.banks.files[intBank]:
		most = r.banks.row().bools - r.banks.row().ints
	}
	return number, int(n) < most
}

// picassoIndex reads what stands between brackets: an address register, one plus a number, or a number, which is 0
// where the text is none. (2.7.1 refuses a plus after what is no address register.) ok is false where picasso refuses
// it, as it does address registers where none may be.
func (b *banks) picassoIndex(inner string, indexable bool) (offset int, register uint8, ok bool) {
	register = b.named[strings.ToLower(inner)]
	left, right, plus := strings.Cut(inner, "+")
	if plus = plus && register == 0; plus {
		register = b.named[strings.ToLower(strings.TrimSpace(left))]
		inner = strings.TrimSpace(right)
	}
	n, _, _ := cInteger(inner, 10)
	return int(n), register, n >= 0 && n <= mostSuffix && (indexable || register == 0 && !plus)
}

// cInteger reads the number with which a text starts, as C's strtoll does: base 0 looks at its prefix. ok is false
// where there is no number, which C reads as 0.
func cInteger(text string, base int) (n int64, rest string, ok bool) {
	form := cDecimal()
	if base == 0 {
		form = cPrefixed()
	}
	text = strings.TrimLeft(text, " \t\v\f\r")
	digits := form.FindString(text)
	n, err := strconv.ParseInt(digits, base, 64) // out of range it is the nearest, as in C
	_ = err
	return n, text[len(digits):], digits != ""
}

var (
	cDecimal  = lazy.Regexp(`^[+-]?[0-9]+`)
	cPrefixed = lazy.Regexp(`^[+-]?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)`)
	// cNumber is what C's atof reads.
	cNumber = lazy.Regexp(`^[+-]?(0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)([pP][+-]?[0-9]+)?|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:infinity|inf|nan))`)
)

// picassoComponent is one value of a constant as picasso reads it.
func picassoComponent(bank bank, text string) uint32 {
	if bank != floatBank {
		n, _, _ := cInteger(text, 10)
		return uint32(uint8(n))
	}
	text = cNumber().FindString(text)
	lower := strings.ToLower(text)
	if strings.HasSuffix(lower, "nan") { // whose exponent is beyond the largest
		return truncate24(float32(math.Copysign(math.Inf(1), sign(lower))))
	}
	if strings.Contains(lower, "0x") && !strings.Contains(lower, "p") {
		lower += "p0"
	}
	f, _ := strconv.ParseFloat(lower, 64) // 0 where there is no number, as in C
	return truncate24(float32(f))
}

// sign returns -1 for a text that starts with a minus, else 1.
func sign(text string) float64 {
	if strings.HasPrefix(text, "-") {
		return -1
	}
	return 1
}

// picassoText formats a component for a message.
func picassoText(bank bank, value uint32) string {
	if bank == floatBank {
		return sourceFloat(value)
	}
	return strconv.Itoa(int(value))
}

// asPicasso warns of what is assembled as picasso does.
func (r *assembly) asPicasso(span diag.Span, format string, args ...any) {
	r.warn(diag.AsPicasso, span, format, args...)
}

// offer says of the mistake that was reported at a place of r.errs, if one was, what picasso makes of it.
func (r *assembly) offer(at int, format string, args ...any) {
	if at < len(r.errs) {
		r.errs[at].Help = append(r.errs[at].Help, compatFlag+" assembles what picasso does: "+fmt.Sprintf(format, args...))
	}
}

// either reads the register at text[off:end] with own, and for compatibility as picasso does. fits tells which
// registers picasso takes there; whole that it looks at neither sign nor components.
func (r *assembly) either(at position, text string, off, end int, whole bool, fits func(*operand) bool, own func() (operand, bool)) (operand, bool) {
	errs, warnings := len(r.errs), len(r.warnings)
	o, ok := own()
	if ok && !r.compat {
		return o, true
	}
	written := strings.Trim(text[off:end], " \t")
	p, reads := r.picassoRegister(written, at == sourcePosition && !whole)
	if reads {
		p.file, p.num, reads = r.banks.numbered(p.number, at)
	}
	if p.neg = p.neg && at == sourcePosition; whole {
		p.neg, p.swz, p.disordered = false, noSwizzle, false
	}
	is, was := p.operand, o
	is.disordered, was.disordered = false, false
	switch {
	case !reads || !fits(&p.operand) || ok && is == was:
		return o, ok
	case !r.compat:
		r.offer(errs, "%s", r.spelled(&p.operand, at))
		return o, ok
	}
	return r.preferred(p.operand, at, o, ok, written, r.span(off, end), errs, warnings), true
}

// preferred returns what picasso reads, with a warning in place of what was reported of o, what isago reads if ok.
// errs and warnings are how many there were before it.
func (r *assembly) preferred(p operand, at position, o operand, ok bool, written string, span diag.Span, errs, warnings int) operand {
	why := ""
	if ok {
		why = ", not as " + r.spelled(&o, at)
	} else if errs < len(r.errs) {
		why = ": " + r.errs[errs].Msg
	}
	r.errs, r.warnings = r.errs[:errs], r.warnings[:warnings]
	r.asPicasso(span, "%s is assembled as %s, as picasso does%s", written, r.spelled(&p, at), why)
	return p
}

// aliasOf returns a register that a number is, without a file if it is none.
func (b *banks) aliasOf(n int) (o operand) {
	for _, at := range []position{sourcePosition, intPosition, boolPosition} {
		if file, num, ok := b.numbered(n, at); ok {
			return operand{file: file, num: num}
		}
	}
	return o
}

// spelled returns an operand as source would have it.
func (r *assembly) spelled(o *operand, at position) string {
	is, beyond := *o, ""
	if o.num >= o.file.Count && at == intPosition {
		is.num, beyond = o.num%o.file.Count, " with a bit set above its number"
	}
	return string(r.appendOperand(nil, &is, at == destinationPosition)) + beyond
}

// overflow is what of a register's number does not fit its field.
type overflow struct {
	field string
	value int
}

// put sets the bits above the field, where picasso leaves what does not fit.
func (o overflow) put(r *assembly, in *isa.Inst) {
	for _, f := range r.fresh.Fields(nil, *in) {
		if f.Path == o.field && len(f.Parts) == 1 {
			in.Bits.SetUint(f.Parts[0].Low+f.Parts[0].Width, mathbits.Len(uint(o.value)), uint64(o.value))
		}
	}
}

// immediate reads the number at text[off:end]. For picasso anything may follow it.
func (r *assembly) immediate(text string, off, end int) bool {
	written := text[off:end]
	n, rest, ok := cInteger(written, 0)
	if !ok || rest == "" {
		return true
	}
	r.line.Keep(off)
	if _, ok := r.parser.Try(string(r.line.Text) + written); ok {
		return true
	}
	rest = strings.Trim(rest, " \t")
	message := fmt.Sprintf("%q after the number %d", rest, n)
	if !r.compat {
		r.fail(diag.TextExpected, r.span(end-len(rest), end), "%s", message)
		r.offer(len(r.errs)-1, "%d", n)
		return false
	}
	r.asPicasso(r.span(off, end), "%s is assembled as %d, as picasso does: %s", written, n, message)
	r.line.Text = strconv.AppendInt(r.line.Text, n, 10)
	r.line.Replace(end)
	return true
}

// modifiers leaves out the words at text[off:end] that the instruction does not have: picasso reports them, and
// assembles the rest.
func (r *assembly) modifiers(text string, off, end int) {
	if !r.compat {
		return
	}
	r.line.Keep(off)
	start := len(r.line.Text)
	for word := range strings.FieldsSeq(text[off:end]) {
		longer := string(r.line.Text) + " " + word
		if _, ok := r.parser.Try(longer); ok {
			r.line.Text = append(append(r.line.Text, ' '), word...)
		} else {
			r.asPicasso(r.span(off, end), "%s is ignored, as in picasso, which reports it and continues", word)
		}
	}
	if len(r.line.Text) == start { // no operand is left behind the comma
		r.line.Text = bytes.TrimRight(r.line.Text, " \t,")
	}
	r.line.Replace(end)
}
