package asm

import (
	"hash/maphash"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/internal/spec"
)

// Lines of programs differ in their numbers more than in anything else. A line is known by its shape: its text without
// the numbers that only give bits of the word. Which these are, and for which values, is noted while a line of the shape is
// read (trace.go). Lines alike but for these numbers take the same way through the parser, step for step.

// shape is what lines are read as that differ in the numbers of holes alone, of which the word of the reading has no bits.
type shape struct {
	reading
	class *class
	// fixed are the values of the other numbers, which are those of mask.
	fixed []uint64
	mask  uint64
	holes []hole
	pairs []pair
}

// class is a text without its numbers. masks say which numbers are part of shapes of it: a number that is as good as any
// other in most lines may have a value that is not.
type class struct {
	text  []byte
	runs  int
	masks []uint64
	// met and learned count its lines and shapes.
	met, learned int
}

// digits are a number of a line as it would be printed: decimal, or hexadecimal behind 0x.
type digits struct {
	from, to int
	hex      bool
	value    uint64
}

// shapeTable has the shapes of lines.
type shapeTable struct {
	classes hashTable[class]
	shapes  hashTable[shape]
	once    marks
	// key is the text of the present line without its numbers, runs; class is nil where that is not known.
	key   []byte
	runs  []digits
	hash  uint64
	class *class
	// shaped, holes and so on are room for shapes.
	shaped arena[shape]
	holes  arena[hole]
	free   []hole // those of the shape that is learned
	tests  arena[holeTest]
	// asked and used count lines, and those of a known shape.
	asked, used int
	// eager learns each shape when it is met first; tests do.
	eager bool
}

// Limits: the shapes that are kept, the numbers of a line, the digits of a number, and how many lines are looked at before it
// is seen whether that is of use; later so few of as many.
const (
	maxShapes  = 1 << 14
	maxRuns    = 64
	maxDecimal = 18
	maxHex     = 16
	maxMasks   = 4
	manyAsked  = 1 << 10
	fewAsked   = 1 << 6
)

// What stands for a number in the text of a class; no text has these bytes.
const (
	decimalRun = iota
	hexRun
	plainByte
)

// cut takes the numbers out of a text; ok is false where it cannot have a shape.
func cut(key []byte, runs []digits, text []byte) (k []byte, r []digits, ok bool) {
	for i := 0; i < len(text); {
		c := text[i]
		if c < '0' || c > '9' {
			if c < plainByte {
				return key, runs, false
			}
			key = append(key, c)
			i++
			continue
		}
		d, end := digitsAt(text, i)
		switch {
		case end == d.to && d.hex:
			key, runs = append(key, '0', 'x', hexRun), append(runs, d)
		case end == d.to:
			key, runs = append(key, decimalRun), append(runs, d)
		default:
			key = append(key, text[i:end]...)
		}
		i = end
	}
	return key, runs, len(runs) <= maxRuns
}

// digitsAt returns the number that starts at a digit, and the end of its digits; that is not the number's where it is
// not as it would be printed.
func digitsAt(text []byte, i int) (d digits, end int) {
	base, most := uint64(10), maxDecimal
	if i+2 < len(text) && text[i] == '0' && text[i+1] == 'x' && isDigitOf(text[i+2], 16) {
		base, most, i, d.hex = 16, maxHex, i+2, true
	}
	d.from = i
	for ; i < len(text) && isDigitOf(text[i], base); i++ {
		d.value = d.value*base + uint64(digitValue[text[i]])
	}
	if n := i - d.from; n > most || n > 1 && text[d.from] == '0' || i < len(text) && text[d.from] == '0' && isRadix(text[i]) {
		return d, i
	}
	d.to = i
	return d, i
}

// isDigitOf reports whether a byte is a digit, of small letters.
func isDigitOf(c byte, base uint64) bool { return uint64(digitValue[c]) < base && (c < 'A' || c > 'F') }

// isRadix reports whether a letter behind 0 says in which radix the number is that follows.
func isRadix(c byte) bool { return c|0x20 == 'x' || c|0x20 == 'o' || c|0x20 == 'b' }

// alike reads a line as others of its shape; ok is false where there are none. What comes behind its text has been read.
func (p *Parser) alike(res *Result, text []byte) (ok bool) {
	t := &p.memo.shapes
	if t.key = t.key[:0]; t.hopeless() {
		return false
	}
	s := p.shapeOf(text)
	if s == nil || len(s.plan) > 0 && len(p.suffix) > 0 {
		return false
	}
	if _, same := p.answers(&s.reading); !same {
		return false
	}
	p.restore(&s.reading)
	word := &p.spaces[spaceWord].val
	for i := range s.holes {
		h := &s.holes[i]
		v := t.runs[h.run].value + h.add
		for j := len(h.parts) - 1; j >= 0; j-- {
			if h.parts[j].Low != zeros {
				word.SetUint(h.parts[j].Low, h.parts[j].Width, v)
			}
			v >>= uint(h.parts[j].Width)
		}
	}
	t.used++
	s.class.met++
	if len(p.suffix) > 0 {
		return p.complete(res) == nil
	}
	return p.result(res) == nil
}

// hopeless reports whether the present line is not worth a look, for few had a shape that was known.
func (t *shapeTable) hopeless() bool {
	t.asked++
	return t.asked > manyAsked && t.used < t.asked/4 && t.asked%manyAsked >= fewAsked && !t.eager
}

// shapeOf returns the shape of a line, nil where it is not known.
func (p *Parser) shapeOf(text []byte) *shape {
	t := &p.memo.shapes
	var ok bool
	t.key, t.runs, ok = cut(t.key[:0], t.runs[:0], text)
	if t.class = nil; !ok {
		t.key, t.runs = t.key[:0], t.runs[:0]
		return nil
	}
	t.hash = maphash.Bytes(p.memo.seed, t.key)
	if t.class = t.findClass(); t.class == nil {
		return nil
	}
	for _, mask := range t.class.masks {
		hash := t.fixedHash(mask)
		for i := range t.shapes.probes() {
			slot := t.shapes.slot(hash, i)
			if slot.value == nil {
				break
			}
			if s := slot.value; slot.hash == hash && s.class == t.class && s.mask == mask && t.holds(s) {
				return s
			}
		}
	}
	return nil
}

func (t *shapeTable) findClass() *class {
	for i := range t.classes.probes() {
		s := t.classes.slot(t.hash, i)
		if s.value == nil {
			break
		}
		if c := s.value; s.hash == t.hash && c.runs == len(t.runs) && string(c.text) == string(t.key) {
			return c
		}
	}
	return nil
}

// fixedHash returns the hash of the present line with the numbers of mask, which are part of its shape.
func (t *shapeTable) fixedHash(mask uint64) uint64 {
	hash := mix(t.hash, mask)
	for ; mask != 0; mask &= mask - 1 {
		hash = mix(hash, t.runs[mathbits.TrailingZeros64(mask)].value)
	}
	return hash
}

// holds reports whether the numbers of the present line are such that it has a shape of its class.
func (t *shapeTable) holds(s *shape) bool {
	for i, mask := 0, s.mask; mask != 0; i, mask = i+1, mask&(mask-1) {
		if s.fixed[i] != t.runs[mathbits.TrailingZeros64(mask)].value {
			return false
		}
	}
	for i := range s.holes {
		if h := &s.holes[i]; !h.takes(t.runs[h.run].value) {
			return false
		}
	}
	for _, x := range s.pairs {
		if (t.runs[x.a].value == t.runs[x.b].value) != x.same {
			return false
		}
	}
	return true
}

// worthy reports whether the shape of the present line, which is not known, is to be learned: where its class comes again,
// and has not too many shapes for its lines already.
func (t *shapeTable) worthy() bool {
	switch {
	case len(t.key) == 0:
		return false
	case t.class != nil:
	case t.eager || t.once.met(t.hash):
		t.class = &class{text: slices.Clone(t.key), runs: len(t.runs)}
		t.classes.add(t.hash, t.class, maxShapes)
	default:
		return false
	}
	t.class.met++
	return t.class.met > t.class.learned*t.class.learned || t.eager
}

// learnShape keeps what the present line was read as while it was traced.
func (p *Parser) learnShape() {
	t, tr := &p.memo.shapes, p.trace
	if p.noncanonical || p.asked || p.off > 0 || len(p.suffix) > 0 && p.nspaces > spaceTable {
		return
	}
	t.class.learned++
	s := &t.shaped.keep([]shape{{class: t.class, pairs: slices.Clone(tr.pairs), reading: reading{
		leaf: p.leaf, word: p.spaces[spaceWord].val, context: p.spaces[spaceContext].val,
		named: p.named, plan: slices.Clone(p.plan), asks: slices.Clone(p.asks),
	}}})[0]
	tr.finish()
	s.mask = t.class.maskFor(tr.fixed)
	t.free = t.free[:0]
	for i, h := range tr.holes {
		if s.mask>>i&1 != 0 {
			s.fixed = append(s.fixed, t.runs[i].value)
			continue
		}
		h.run, h.tests = i, t.tests.keep(h.tests)
		t.free = append(t.free, h)
		s.word = s.word.AndNot(maskOf(h.parts))
	}
	s.holes = t.holes.keep(t.free)
	t.shapes.add(t.fixedHash(s.mask), s, maxShapes)
}

// maskFor returns the numbers that are part of a shape of which these are; more, where the class has too many masks.
func (c *class) maskFor(fixed uint64) uint64 {
	if slices.Contains(c.masks, fixed) {
		return fixed
	}
	if len(c.masks) < maxMasks {
		c.masks = append(c.masks, fixed)
		return fixed
	}
	c.masks[maxMasks-1] |= fixed
	return c.masks[maxMasks-1]
}

// hole is a number of a shape, and what is known of the values for which lines are alike.
type hole struct {
	run       int
	low, high uint64
	tests     []holeTest
	// parts are the bits of the word that it gives, the most significant first, which are its value and add.
	parts []spec.Part
	add   uint64
}

// holeTest says of the sum of a value and add whether it has some bits.
type holeTest struct {
	mask, match, add uint64
	want             bool
}

func (x *holeTest) holds(v uint64) bool { return ((v+x.add)&x.mask == x.match) == x.want }

// takes reports whether lines with a value are alike.
func (h *hole) takes(v uint64) bool {
	if v < h.low || v > h.high {
		return false
	}
	for i := range h.tests {
		if !h.tests[i].holds(v) {
			return false
		}
	}
	return true
}
