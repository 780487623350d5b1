package pica200

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
)

// constArray is a .constfa that is open.
type constArray struct {
	name   string
	span   diag.Span
	size   int // -1: as many as there are
	values [][16]byte
	// failed is set if the array could not be read, which was reported where it was.
	failed bool
}

// constant returns the directive that presets the next free register of a bank.
func constant(bank bank) func(*assembly, *args, diag.Span) {
	return func(r *assembly, a *args, span diag.Span) {
		d := r.program()
		name, at, payload, ok := r.valued(bank, a, span)
		defer r.undefined(name, at)
		if !ok {
			return
		}
		if !isConstantName(name) && !r.anyName(name, at) {
			return
		}
		r.constants(d, bank, name, at, [][16]byte{payload})
	}
}

// isConstantName reports whether a name can be given to a constant: picasso takes any that an operand can
// spell, such as 2pi and half-pi.
func isConstantName(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsAny(name, " \t.,:[](){}!")
}

// anyName reports whether a constant gets a name that is none, as picasso gives it.
func (r *assembly) anyName(name string, at diag.Span) bool {
	message := fmt.Sprintf("%q, expected a name of letters, digits, _ and $", name)
	if r.compat {
		r.asPicasso(at, "a constant is declared as in picasso: %s", message)
		return true
	}
	r.fail(diag.Directive, at, "%s", message)
	r.offer(len(r.errs)-1, "a constant called %q", name)
	return false
}

// constants gives values registers of their own.
func (r *assembly) constants(d *dvleState, bank bank, name string, span diag.Span, values [][16]byte) {
	if r.taken(name, span) {
		return
	}
	first, ok := r.space(d).banks[bank].constant(len(values))
	if !ok {
		r.fail(diag.SpaceFull, span, "not enough free registers for %s: it needs %s in addition to the uniforms", name, count(len(values), "register"))
		return
	}
	if !r.define(name, span, operand{file: r.banks.files[bank], num: first, swz: noSwizzle}, len(values)) {
		return
	}
	for i, v := range values {
		d.Constants = append(d.Constants, Constant{Type: bank.constant(), ID: uint16(first + i), Payload: v})
	}
}

// preset returns the directive that presets a register which is named.
func preset(bank bank) func(*assembly, *args, diag.Span) {
	return func(r *assembly, a *args, span diag.Span) {
		d := r.program()
		start := a.pos + blanksAt(a.text[a.pos:])
		name, _, payload, ok := r.valued(bank, a, span)
		if !ok {
			return
		}
		o, ok := r.registerOf(bank, a.text, start, start+len(name))
		if !ok {
			return
		}
		d.Constants = append(d.Constants, Constant{Type: bank.constant(), ID: uint16(o.num), Payload: payload})
		r.spans = append(r.spans, program.Declaration{File: o.file.Name, Number: o.num, Count: 1, Span: span})
	}
}

func (r *assembly) setb(a *args, at diag.Span) {
	d := r.program()
	o, _, ok := a.register(boolBank)
	if !ok {
		return
	}
	word, span := a.word()
	value, known := boolWords[strings.ToLower(word)]
	if !known {
		r.fail(diag.Directive, span, "%q, expected true, false, on, off, 1 or 0", word)
		return
	}
	if a.done() {
		c := Constant{Type: ConstantBool, ID: uint16(o.num)}
		c.Payload[0] = value
		d.Constants = append(d.Constants, c)
		r.spans = append(r.spans, program.Declaration{File: o.file.Name, Number: o.num, Count: 1, Span: at})
	}
}

var boolWords = map[string]uint8{"true": 1, "on": 1, "1": 1, "false": 0, "off": 0, "0": 0}

// valued reads NAME(X, Y, Z, W). The name is read where the values are not.
func (r *assembly) valued(bank bank, a *args, span diag.Span) (name string, at diag.Span, payload [16]byte, ok bool) {
	text, _ := a.rest()
	start := a.pos
	name, values, closed := strings.Cut(text, "(")
	if !closed || !strings.Contains(values, ")") {
		r.fail(diag.Directive, r.span(start, len(a.text)), "%q, expected NAME(X, Y, Z, W)", text)
		name, _, _ = strings.Cut(name, " ")
		return name, span, payload, false
	}
	open := start + len(name) + 1
	name = trimEnd(name)
	at = r.span(start, start+len(name))
	payload, ok = r.tuple(bank, values, open)
	return name, at, payload, ok
}

// tuple reads X, Y, Z, W) at off. The first three end at commas, whatever is in them, as in picasso.
func (r *assembly) tuple(bank bank, text string, off int) (payload [16]byte, ok bool) {
	parts := strings.SplitN(text, ",", 4)
	last, behind, closed := strings.Cut(parts[len(parts)-1], ")")
	parts[len(parts)-1] = last
	end := off + len(text) - len(behind)
	if closed {
		end--
	}
	n := len(parts) + strings.Count(last, ",")
	span := r.span(off, end)
	switch {
	case !closed || n < 4:
		values, _, _ := strings.Cut(text, ")")
		r.fail(diag.Directive, r.span(off, off+len(values)), "%s, expected 4", count(strings.Count(values, ",")+1, "value"))
		return payload, false
	case n > 4 && r.compat:
		parts[3], _, _ = strings.Cut(last, ",")
		r.asPicasso(span, "the first 4 values are used, as picasso does: %s, expected 4", count(n, "value"))
	case n > 4:
		r.fail(diag.Directive, span, "%s, expected 4", count(n, "value"))
		r.offer(len(r.errs)-1, "the first 4 values")
		return payload, false
	}
	r.ignored("values", behind, end+1)
	return r.vector(bank, parts, off)
}

// ignored warns of a text at off that picasso does not look at, after what it does.
func (r *assembly) ignored(behind, text string, off int) {
	if rest := strings.TrimSpace(text); rest != "" {
		off += blanksAt(text)
		r.warn(diag.IgnoredText, r.span(off, off+len(rest)), "%q after the %s is ignored; comments start with ;", rest, behind)
	}
}

// vector reads four values, which start at off with a comma between them, into a constant's payload.
func (r *assembly) vector(bank bank, parts []string, off int) (payload [16]byte, ok bool) {
	ok = true
	for i, part := range parts {
		span := r.span(off+blanksAt(part), off+len(trimEnd(part)))
		text := strings.TrimSpace(part)
		c := componentOf(bank, text)
		picasso := picassoComponent(bank, text)
		switch {
		case r.compat && c.problem != "":
			r.asPicasso(span, "%q is read as %s, as picasso does: expected %s", text, picassoText(bank, picasso), c.problem)
		case r.compat && c.value != picasso && !strings.HasPrefix(text, float24Prefix):
			r.asPicasso(span, "%q is read as %s, as picasso does, not as %s", text, picassoText(bank, picasso), picassoText(bank, c.value))
		case c.problem != "":
			r.fail(diag.TextExpected, span, "%q, expected %s", text, c.problem)
			r.offer(len(r.errs)-1, "%s", picassoText(bank, picasso))
			ok = false
		case c.warning != "":
			r.warn(c.warning, span, "%s %s", text, c.note)
		}
		if r.compat && !strings.HasPrefix(text, float24Prefix) {
			c.value = picasso
		}
		if bank == floatBank {
			binary.LittleEndian.PutUint32(payload[4*i:], c.value)
		} else {
			payload[i] = byte(c.value)
		}
		off += len(part) + 1
	}
	return payload, ok
}

// component is one value of a constant.
type component struct {
	value   uint32
	problem string // what was expected, where it cannot be read
	warning diag.Code
	note    string // what there is to warn of
}

// componentOf reads one value of a constant.
func componentOf(bank bank, text string) component {
	if bank == floatBank {
		return parseFloat24(text)
	}
	n, ok := number(wholeNumber(text))
	if !ok || n < -128 || n > 255 {
		return component{problem: "a number from -128 to 255"}
	}
	c := component{value: uint32(uint8(n))}
	if isHexadecimal(text) && n != 0 {
		c.warning, c.note = diag.ReadDiffers, fmt.Sprintf("is %d; picasso reads 0", n)
	}
	return c
}

// isHexadecimal reports whether a number has digits that picasso does not read where it reads whole
// numbers alone.
func isHexadecimal(text string) bool { return strings.Contains(strings.ToLower(text), "0x") }

// wholeNumber leaves out what picasso skips without another meaning: a plus, and a fraction of zero.
func wholeNumber(text string) string {
	if digits, ok := strings.CutPrefix(text, "+"); ok && digits != "" && digits[0] != '-' {
		text = digits
	}
	if whole, fraction, ok := strings.Cut(text, "."); ok && strings.Trim(fraction, "0") == "" {
		text = whole
	}
	return text
}

// float24Prefix starts a float that is given by its bits, in hexadecimal.
const float24Prefix = "f24:"

// parseFloat24 reads a number as picasso does: it becomes a float of 32 bits, of which the lowest
// bits of the mantissa are cut off.
func parseFloat24(text string) component {
	if digits, ok := strings.CutPrefix(text, float24Prefix); ok {
		n, err := strconv.ParseUint(digits, 16, 24)
		if err != nil {
			return component{problem: "f24: and up to six hexadecimal digits"}
		}
		return component{value: uint32(n)}
	}
	lower := strings.ToLower(text)
	switch hex := strings.HasPrefix(strings.TrimLeft(lower, "+-"), "0x"); {
	case hex && !strings.Contains(lower, "p"):
		lower += "p0"
	case !hex && !strings.HasSuffix(lower, "inf"):
		lower = strings.TrimSuffix(lower, "f") // as C marks a float
	}
	f, err := strconv.ParseFloat(lower, 64)
	c := component{value: truncate24(float32(f))}
	switch {
	case strings.Contains(text, "_") || err != nil && !math.IsInf(f, 0):
		c.problem = "a number such as 0.5, 1e-3, inf or f24:3f0000"
	case math.IsNaN(f):
		c.problem = "a number; f24:7f8000 is a NaN"
	case strings.Contains(lower, "inf") || c.value>>float24MantissaBits&float24ExponentMax < float24ExponentMax:
	case c.value&(1<<float24MantissaBits-1) == 0:
		c.warning, c.note = diag.TooLarge, "becomes infinity"
	default:
		c.problem = "a number below 2^64 (1.8e19), or inf; picasso makes a NaN of it"
	}
	return c
}

// truncate24 is picasso's conversion: what is too small becomes a zero of its sign.
func truncate24(f float32) uint32 {
	b := math.Float32bits(f)
	sign := b >> 31 << 23
	exponent := int(b>>float32MantissaBits&float32ExponentMax) - float32Bias + float24Bias
	mantissa := b >> (float32MantissaBits - float24MantissaBits) & (1<<float24MantissaBits - 1)
	switch {
	case exponent < 0:
		return sign
	case exponent > float24ExponentMax:
		return sign | float24ExponentMax<<float24MantissaBits
	}
	return sign | uint32(exponent)<<float24MantissaBits | mantissa
}

// constfa opens an array of constants, or adds a value to the one that is open.
func (r *assembly) constfa(a *args, span diag.Span) {
	text, at := a.rest()
	if r.array != nil {
		if !strings.HasPrefix(text, "(") || !strings.Contains(text, ")") {
			r.array.failed = true
			r.fail(diag.Directive, at, "%q, expected (X, Y, Z, W), or .end of the array %s", text, r.array.name)
			return
		}
		if r.array.size >= 0 && len(r.array.values) == r.array.size {
			r.fail(diag.Directive, at, "the array %s has %s, expected no more values", r.array.name, count(r.array.size, "value"))
			return
		}
		payload, ok := r.tuple(floatBank, text[1:], a.pos+1)
		r.array.values, r.array.failed = append(r.array.values, payload), r.array.failed || !ok
		return
	}
	name, rest, ok := strings.Cut(text, "[")
	inner, behind, closed := strings.Cut(rest, "]")
	name, inner = strings.TrimSpace(name), strings.TrimSpace(inner)
	r.array = &constArray{name: name, span: span, size: -1}
	if !ok || !closed || strings.TrimSpace(behind) != "" || !isIdentifier(name) {
		r.array.failed = true
		r.fail(diag.Directive, at, "%q, expected NAME[SIZE] or NAME[]", text)
		return
	}
	if inner == "" {
		return
	}
	if r.array.size, ok = r.size(inner, at); !ok {
		r.array.size, r.array.failed = -1, true
	}
}

// size reads the number of registers of an array.
func (r *assembly) size(text string, span diag.Span) (n int, ok bool) {
	if n, ok = number(text); ok && n >= 1 {
		return n, true
	}
	message := fmt.Sprintf("size %q, expected a number of at least 1", text)
	c, _, _ := cInteger(text, 10)
	if c >= 1 && c <= mostSuffix && r.compat {
		r.asPicasso(span, "%d is used, as picasso does: %s", c, message)
		return int(c), true
	}
	r.fail(diag.TextRange, span, "%s", message)
	if c >= 1 && c <= mostSuffix {
		r.offer(len(r.errs)-1, "%d", c)
	}
	return 0, false
}

// endArray closes a .constfa: what is missing of its size is zero.
func (r *assembly) endArray() {
	array := r.array
	r.array = nil
	defer r.undefined(array.name, array.span)
	if array.failed {
		return
	}
	n := max(len(array.values), array.size)
	if n == 0 {
		r.fail(diag.Directive, array.span, "the array %s has no values", array.name)
		return
	}
	if n > r.banks.files[floatBank].Count {
		r.fail(diag.SpaceFull, array.span, "not enough registers for %s: it has %s", array.name, count(n, "value"))
		return
	}
	values := append(array.values, make([][16]byte, n-len(array.values))...)
	r.constants(r.program(), floatBank, array.name, array.span, values)
}
