package asm

import (
	"encoding/binary"
	"hash/maphash"
	mathbits "math/bits"
	"slices"
	"strconv"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Lines that differ in their numbers alone are read alike. So a line is read with holes in place of its numbers, whose
// values are known: what reading it relies on of a value, its range or some of its bits, is a fact. What was read
// counts for each line of the same shape whose numbers meet the facts, and so it is for operands. Where a hole and the
// text of an item would have to be compared, the number is written out, and the line read again.

// The bytes that stand for numbers: of decimal digits, and of hexadecimal ones behind 0x.
const (
	decimalHole = 1
	hexHole     = 2
)

func isHole(c byte) bool { return c == decimalHole || c == hexHole }

// Limits of a line that is read with holes. Numbers of more digits, and those behind the first maxHoles, stay text.
const (
	maxHoles      = 16
	maxHoleDigits = 15
)

// holes are the numbers of a line.
type holes struct {
	line []byte
	// shape is the line with a hole in place of each number.
	shape   []byte
	numbers []lineNumber
	values  []uint64 // of them
	// written has a bit for each number that is written out in text, which is what is read.
	written uint32
	text    []byte
	// open are the holes in the text as the parser has loaded it.
	open []openHole
	// again tells that the line has to be read again: with other numbers written out, or as it stands where whole is set.
	again, whole bool
	// lost tells that what is found counts for this line alone.
	lost bool
	// cut has a bit for each open hole whose number could end sooner, for all that is known while an operand is read alone.
	cut   uint32
	facts []fact // of the numbers of a line that was read
	fills []holeBits
	// words are the starts of words that go on with digits, packed.
	words    []uint64
	wordBits uint64 // that one of them may have
}

// lineNumber is a number of a line: the place of its hole in the shape, and of its digits in the line.
type lineNumber struct{ hole, from, to int }

// openHole is a hole whose number was not looked at: its place, which number it is, and what reading relies on.
type openHole struct {
	pos    int
	number int
	value  uint64
	fact
}

// fact says of a number that it is from least to most, and what the bits of mask are.
type fact struct{ least, most, mask, match uint64 }

// noFact holds of each number.
var noFact = fact{most: ^uint64(0)}

func (f *fact) holds(v uint64) bool { return f.least <= v && v <= f.most && v&f.mask == f.match }

// bits adds what some bits of a value are.
func (f *fact) bits(mask, v uint64) { f.mask, f.match = f.mask|mask, f.match|v&mask }

// join adds what another fact says.
func (f *fact) join(x *fact) {
	f.least, f.most = max(f.least, x.least), min(f.most, x.most)
	f.bits(x.mask, x.match)
}

// holeBits are bits of a limb of a space that a number gives.
type holeBits struct {
	set         uint64
	space, limb uint8
	tag
}

// tag says which hole gives bits: one more than its number, 0 for none; how far its value is shifted to the left, and
// whether it is negated before.
type tag struct {
	hole    uint8
	negated bool
	shift   int16
}

// of returns the bits that a value gives.
func (f *holeBits) of(v uint64) uint64 {
	if f.negated {
		v = -v
	}
	return shifted(v, f.shift) & f.set
}

// shifted returns a value shifted to the left, or to the right where by is negative.
func shifted(v uint64, by int16) uint64 {
	if by < 0 {
		return v >> uint(-by)
	}
	return v << uint(by)
}

// Eight bytes at a time: each of them in a number of 64 bits.
const (
	everyOne = 0x0101010101010101
	everyTop = 0x8080808080808080
)

// digitsIn has the top bit of each byte set that is a decimal digit.
func digitsIn(x uint64) uint64 {
	y := x | everyTop
	return (y - '0'*everyOne) &^ (y - ('9'+1)*everyOne) &^ x & everyTop
}

// holesIn is not 0 where a byte is a hole, or 0.
func holesIn(x uint64) uint64 { return (x - (hexHole+1)*everyOne) &^ x & everyTop }

// decimal returns the value of that many digits, 1 to 8, of which the first is the lowest byte.
func decimal(x uint64, size int) uint64 {
	x = x << uint(64-8*size) & (0x0f * everyOne)
	x = (x*10 + x>>8) & 0x00ff00ff00ff00ff
	x = (x*100 + x>>16) & 0x0000ffff0000ffff
	return (x*10000 + x>>32) & 0xffffffff
}

// scan finds the numbers of a line; ok is false where it is read as it stands: it has none, or what a hole looks like.
func (h *holes) scan(text []byte) (ok bool) {
	size := len(text)
	if cap(h.line) < size+16 {
		h.line, h.shape = make([]byte, 0, 2*size+16), make([]byte, 0, 2*size+16)
	}
	line := append(h.line[:0], text...)
	h.line, h.numbers, h.values = line, h.numbers[:0], h.values[:0]
	all, shape := line[:size+16], h.shape[:size+16]
	n, i := 0, 0
	for i < size {
		x := binary.LittleEndian.Uint64(all[i:])
		if left := size - i; left < 8 {
			x |= ' ' * everyOne << uint(8*left) // what stands behind the line
			x &= ^uint64(0)>>uint(64-8*left) | ' '*everyOne<<uint(8*left)
		}
		if holesIn(x) != 0 {
			return false
		}
		digits := digitsIn(x)
		binary.LittleEndian.PutUint64(shape[n:], x)
		if digits == 0 {
			n, i = n+8, i+8
			continue
		}
		skip := mathbits.TrailingZeros64(digits) / 8
		n, i = n+skip, i+skip
		from, end, v, hole := h.numberAt(line, i)
		if hole == 0 || len(h.numbers) == maxHoles {
			n += copy(shape[n:], line[i:end])
			i = end
			continue
		}
		n += copy(shape[n:], line[i:from])
		h.numbers, h.values = append(h.numbers, lineNumber{n, from, end}), append(h.values, v)
		shape[n] = hole
		n, i = n+1, end
	}
	h.shape = shape[:n-max(0, i-size)]
	return len(h.numbers) > 0
}

// numberAt reads the number whose first digit is at a place: where its digits are, its value, and the hole for it; 0
// where it is not spelled as it is printed, or part of a float or a word.
func (h *holes) numberAt(line []byte, at int) (from, end int, v uint64, hole byte) {
	x := binary.LittleEndian.Uint64(line[:len(line)+8][at:])
	if size := mathbits.TrailingZeros64(^digitsIn(x)&everyTop) / 8; size < 8 && at+size <= len(line) {
		end, v = at+size, decimal(x, size)
	} else {
		for end = at; end < len(line) && line[end]-'0' < 10; end++ {
			v = v*10 + uint64(line[end]-'0')
		}
	}
	next := byte(0)
	if end < len(line) {
		next = line[end]
	}
	if line[at] == '0' {
		switch {
		case end > at+1:
			return at, end, 0, 0
		case next == 'x':
			return hexadecimal(line, at+2)
		case radixes[next] != 0:
			_, end, _, _ = hexadecimal(line, at+2)
			return at, end, 0, 0
		}
	}
	if end-at > maxHoleDigits || next == '.' && end+1 < len(line) && line[end+1]-'0' < 10 ||
		at > 1 && line[at-1] == '.' && line[at-2]-'0' < 10 || h.wordBits != 0 && h.isWord(line, at) {
		return at, end, 0, 0
	}
	return at, end, v, decimalHole
}

// hexadecimal is numberAt for the digits behind 0x.
func hexadecimal(line []byte, from int) (_, end int, v uint64, hole byte) {
	hole = hexHole
	for end = from; end < len(line) && digitValue[line[end]] < 16; end++ {
		v = v<<4 | uint64(digitValue[line[end]])
		if line[end] >= 'A' && line[end] <= 'F' {
			hole = 0
		}
	}
	if size := end - from; size == 0 || size > maxHoleDigits || size > 1 && line[from] == '0' {
		hole = 0
	}
	return from, end, v, hole
}

// wordBefore returns the last bytes of the word that goes on at a place, up to 4, as a number; 0 where it has no letter.
func wordBefore(line []byte, at int) (word uint64) {
	letters := false
	for i := at - 1; i >= max(at-4, 0) && !parting[line[i]]; i-- {
		c := line[i] | 0x20
		letters = letters || c >= 'a' && c <= 'z'
		word = word<<8 | uint64(c)
	}
	if !letters {
		return 0
	}
	return word
}

// parting marks the bytes that no word has in it.
var parting = func() (set [256]bool) {
	for _, c := range []byte(" \t,;.([{<|!+-*\x01\x02") {
		set[c] = true
	}
	return set
}()

// isWord reports whether the digits at a place belong to a word.
func (h *holes) isWord(line []byte, at int) bool {
	w := wordBefore(line, at)
	return h.wordBits>>(w*0x9e3779b97f4a7c15>>58)&1 != 0 && slices.Contains(h.words, w)
}

// start makes the text that is to be read.
func (h *holes) start() {
	h.again, h.whole, h.lost = false, false, false
	if h.written == 0 {
		h.text = append(h.text[:0], h.shape...)
		return
	}
	h.text = h.text[:0]
	done := 0
	for k, n := range h.numbers {
		if h.written>>uint(k)&1 == 0 {
			h.text = append(append(h.text, h.line[done:n.from]...), h.shape[n.hole])
			done = n.to
		}
	}
	h.text = append(h.text, h.line[done:]...)
}

// place finds the holes in the text as it was loaded.
func (h *holes) place(src []byte) {
	h.open = h.open[:0]
	k := 0
	for pos, c := range src {
		if !isHole(c) {
			continue
		}
		for h.written>>uint(k)&1 != 0 {
			k++
		}
		h.open = append(h.open, openHole{pos, k, h.values[k], noFact})
		k++
	}
}

// from returns the index of the first open hole at a place or behind.
func (h *holes) from(pos int) (i int) {
	for i < len(h.open) && h.open[i].pos < pos {
		i++
	}
	return i
}

// allHold reports whether facts hold of the open holes from one on.
func (h *holes) allHold(facts []fact, first int) bool {
	if first+len(facts) > len(h.open) {
		return false
	}
	for i := range facts {
		if !facts[i].holds(h.open[first+i].value) {
			return false
		}
	}
	return true
}

// holdsOf reports whether the facts of a line hold of the numbers of the present one.
func (r *reading) holdsOf(values []uint64) bool {
	for i := range r.facts {
		if !r.facts[i].holds(values[i]) {
			return false
		}
	}
	return true
}

// writeOut has the line read again with the number of the hole at a place.
func (p *Parser) writeOut(pos int) {
	h := p.holes
	h.again = true
	h.written |= 1 << uint(h.open[h.from(pos)].number)
}

// isInWord has the line read again with the number of the hole at a place, whose digits may be part of what is around them,
// and tells words of that kind from numbers from now on.
func (p *Parser) isInWord(pos int) {
	p.writeOut(pos)
	h := p.holes
	if w := wordBefore(p.src, pos); w != 0 && len(h.words) < maxWords && p.src[pos] == decimalHole && !slices.Contains(h.words, w) {
		h.words, h.wordBits = append(h.words, w), h.wordBits|1<<(w*0x9e3779b97f4a7c15>>58)
	}
}

// maxWords bounds the words with digits that are known.
const maxWords = 24

// asItStands has the line read as it stands.
func (p *Parser) asItStands() {
	if p.shaped {
		p.holes.again, p.holes.whole = true, true
	}
}

// forThisLine notes that what is found counts for this line alone.
func (p *Parser) forThisLine() {
	if p.shaped {
		p.holes.lost = true
	}
}

// holeAt reports whether there is a hole at a place.
func (p *Parser) holeAt(pos int) bool {
	return p.shaped && pos < len(p.src) && isHole(p.src[pos])
}

// holeNumber reads the number of a hole in digits of a base.
func (p *Parser) holeNumber(n *number, pos int, base uint64) bool {
	if base != p.baseAt(pos) {
		p.isInWord(pos)
		return false
	}
	h := p.holes
	i := h.from(pos)
	n.hole, n.mag[0], n.end = uint8(i+1), h.open[i].value, pos+1
	p.see(pos + 1)
	return true
}

// baseAt returns the base of the hole at a place.
func (p *Parser) baseAt(pos int) uint64 {
	if p.src[pos] == hexHole {
		return 16
	}
	return 10
}

// fact returns what is relied on of a hole, whose number is one less.
func (p *Parser) fact(hole uint8) *fact { return &p.holes.open[hole-1].fact }

// exactly relies on all of a hole's value.
func (p *Parser) exactly(hole uint8) { p.fact(hole).bits(^uint64(0), p.holes.open[hole-1].value) }

// relyOnFit notes what it relies on whether a number fits a field, and that it is printed so.
func (p *Parser) relyOnFit(it *item, n *number, fits bool) {
	f, most := p.fact(n.hole), mostOf(it.ref, n)
	switch {
	case it.kind == itemEnum || !isWhole(it.ref):
		p.exactly(n.hole)
		return
	case (n.neg || it.mayBeAbsent()) && n.mag[0] == 0: // which is printed without its sign, or not at all
		p.exactly(n.hole)
	case n.neg || it.mayBeAbsent():
		f.least = max(f.least, 1)
	}
	if fits {
		f.most = min(f.most, most)
	} else {
		f.least = max(f.least, most+1)
	}
}

// isWhole reports whether a type is that of whole numbers, of which the bits are those of the value.
func isWhole(ref *model.Ref) bool {
	switch ref.Kind {
	case spec.KindBool: // without a text of its own
		return ref.Prog == nil && ref.Field != nil && ref.Field.Display == nil && ref.Width <= 32
	case spec.KindInt, spec.KindUint, spec.KindHex, spec.KindOffset, spec.KindUOffset, spec.KindBranch, spec.KindAbsBranch:
		return true
	}
	return false
}

// printedHole reports whether a value prints as the text of a hole, which ends at end. Where it does, so do others with
// the same facts.
func (p *Parser) printedHole(ref *model.Ref, v uint64, pos int, n *number) bool {
	p.scalar = model.AppendScalar(p.scalar[:0], ref, v, p.env.Machine.ISA.Strict)
	lead := n.end - 1 - pos
	var room [20]byte
	digits := strconv.AppendUint(room[:0], n.mag[0], int(p.baseAt(n.end-1)))
	if len(p.scalar) == lead+len(digits) && string(p.scalar[:lead]) == string(p.src[pos:n.end-1]) && string(p.scalar[lead:]) == string(digits) {
		if ref.Kind == spec.KindAbsBranch && !p.env.Machine.ISA.Strict { // greater ones print as negative
			f := p.fact(n.hole)
			f.most = min(f.most, ones(ref.Width)>>1)
		}
		return true
	}
	p.exactly(n.hole)
	return false
}

// mayCut sees to a hole behind which a digit could come next: the number could end sooner.
func (p *Parser) mayCut(next *node, pos int) {
	f := &p.firstSets(next).node
	for frame := p.frame; ; frame = p.frames[frame].parent {
		if f.digits>>p.src[pos]&1 != 0 {
			p.isInWord(pos)
			return
		}
		if !f.through {
			return
		}
		fr := &p.frames[frame]
		if fr.parent < 0 {
			if h := p.holes; p.helps != nil {
				h.cut |= 1 << uint(h.from(pos))
			}
			return
		}
		f = &p.firstSets(fr.ret).node
	}
}

// mayCutAny is mayCut for the numbers of an operand at the present place that could end sooner.
func (p *Parser) mayCutAny(next *node, cut uint32) {
	for first := p.holes.from(p.pos); cut != 0; cut &= cut - 1 {
		p.mayCut(next, p.holes.open[first+mathbits.TrailingZeros32(cut)].pos)
	}
}

// relyOnBits relies on the bits of a limb that holes give.
func (p *Parser) relyOnBits(space uint8, limb int, mask uint64) {
	for i := range p.trail {
		u := &p.trail[i]
		if u.hole == 0 || u.space != space || int(u.limb) != limb || u.set&mask == 0 {
			continue
		}
		p.relyOnTag(u.tag, u.set&mask)
	}
}

// relyOnTag relies on those bits of a limb that are set in the mask, as a tag says where they are from.
func (p *Parser) relyOnTag(t tag, mask uint64) {
	if t.negated {
		p.exactly(t.hole)
		return
	}
	p.fact(t.hole).bits(shifted(mask, -t.shift), p.holes.open[t.hole-1].value)
}

// relyOnRun relies on the bits of a run of a space that holes give.
func (p *Parser) relyOnRun(space uint8, low, width int) {
	limb, shift := low>>6&3, uint(low)&63
	holes := &p.spaces[space].holes
	if mask := ones(width) << shift & holes[limb]; mask != 0 {
		p.relyOnBits(space, limb, mask)
	}
	if mask := ones(width) >> 1 >> (^shift & 63) & holes[(limb+1)&3]; mask != 0 && int(shift)+width > 64 {
		p.relyOnBits(space, limb+1, mask)
	}
}

// relyOnTest relies on those bits of a test of a run from low on that its result depends on. val and set are of the bits
// of the run.
func (p *Parser) relyOnTest(t *model.Test, space uint8, low int, val, set uint64) {
	given := p.spaces[space].holes.Uint(low, 64) & t.Mask
	if given == 0 {
		return
	}
	differ := (val ^ t.Match) & t.Mask & set
	switch {
	case differ&^given != 0:
		return
	case differ != 0:
		given = topBit(differ)
	}
	limb, shift := low>>6&3, uint(low)&63
	if mask := given << shift; mask != 0 {
		p.relyOnBits(space, limb, mask)
	}
	if mask := given >> 1 >> (^shift & 63); mask != 0 {
		p.relyOnBits(space, limb+1, mask)
	}
}

// setTagged is setSome for a line with holes: the bits are of the tag.
func (p *Parser) setTagged(sp uint8, low int, v, mask uint64) bool {
	limb, shift, t := low>>6&3, uint(low)&63, p.tag
	defer func() { p.tag = t }()
	p.tag.shift = int16(shift) - t.shift
	if !p.setTaggedLimb(sp, limb, v<<shift, mask<<shift) {
		return false
	}
	p.tag.shift -= 64
	above := mask >> 1 >> (^shift & 63)
	return above == 0 || p.setTaggedLimb(sp, (limb+1)&3, v>>1>>(^shift&63), above)
}

// setTaggedLimb is setLimb for bits of the tag.
func (p *Parser) setTaggedLimb(sp uint8, limb int, v, mask uint64) bool {
	s, n := &p.spaces[sp], len(p.trail)
	if both := s.known[limb] & mask; both != 0 {
		p.relyOnAgreement(sp, limb, v, both)
	}
	ok := p.setLimb(sp, limb, v, mask)
	if len(p.trail) > n && p.tag.hole != 0 {
		u := &p.trail[n]
		u.tag = p.tag
		s.holes[limb] |= u.set
	}
	return ok
}

// relyOnAgreement relies on known bits of a limb being the same as those that are set, or not.
func (p *Parser) relyOnAgreement(space uint8, limb int, v, both uint64) {
	s := &p.spaces[space]
	if s.holes[limb]&both == 0 && p.tag.hole == 0 {
		return
	}
	mask := both
	if differ := (s.val[limb] ^ v) & both; differ != 0 {
		if p.tag.hole == 0 && differ&^s.holes[limb] != 0 {
			return // whatever the number is
		}
		mask = topBit(differ)
	}
	p.relyOnBits(space, limb, mask)
	if p.tag.hole != 0 {
		p.relyOnTag(p.tag, mask)
	}
}

// known is what is known of holes.
type known struct {
	facts []fact
	cut   uint32
}

// alone starts what is known of the holes in what is read alone from a place on, and returns what is known around it.
func (h *holes) alone(pos int) known {
	around := known{cut: h.cut}
	h.cut = 0
	for i := h.from(pos); i < len(h.open); i++ {
		around.facts = append(around.facts, h.open[i].fact)
		h.open[i].fact = noFact
	}
	return around
}

// back makes what was known around what was read alone from a place on what is known again.
func (h *holes) back(pos int, around known) {
	h.cut = around.cut
	for i, first := 0, h.from(pos); i < len(around.facts); i++ {
		h.open[first+i].fact = around.facts[i]
	}
}

// factsOf returns the facts of the holes in a text of that size that was read alone from a place on.
func (h *holes) factsOf(pos, size int) (facts []fact) {
	for i := h.from(pos); i < len(h.open) && h.open[i].pos < pos+size; i++ {
		facts = append(facts, h.open[i].fact)
	}
	return facts
}

// relyOnFacts relies on the facts of an operand at the present place.
func (p *Parser) relyOnFacts(facts []fact) {
	first := p.holes.from(p.pos)
	for i := range facts {
		p.holes.open[first+i].join(&facts[i])
	}
}

// holesOf returns the bits that holes from a place on give to what was read alone: the first of those in the low 64 of the
// value itself, and the others.
func (p *Parser) holesOf(from int) (own holeBits, others []holeBits) {
	first := uint8(p.holes.from(from))
	for i := range p.trail {
		u := &p.trail[i]
		if u.hole == 0 {
			continue
		}
		x := holeBits{u.set, u.space, u.limb, u.tag}
		x.hole -= first
		if own.set == 0 && x.space == spaceWord && x.limb == 0 {
			own = x
		} else {
			others = append(others, x)
		}
	}
	return own, others
}

// tagged returns the bits that a hole gives of an operand at the present place, and tags those that are set next with it.
func (p *Parser) tagged(x *holeBits) uint64 {
	t := x.tag
	t.hole += uint8(p.holes.from(p.pos))
	v := x.of(p.holes.open[t.hole-1].value)
	t.shift = -t.shift
	p.tag = t
	return v
}

// giveHole sets the bits of a scope that a hole gives of an operand at the present place.
func (p *Parser) giveHole(s *scope, x *holeBits) bool {
	v := p.tagged(x)
	ok := p.give(s, 64*int(x.limb), v, x.set)
	p.tag = tag{}
	return ok
}

// digitComes reports whether a text, of which what stands from pos up to end is read, could go on with digits there.
func (p *Parser) digitComes(pos, end int, text string) bool {
	i := 0
	for _, c := range p.src[pos:end] {
		if i < len(text) && c == text[i] { // or it is a free blank
			i++
		}
	}
	if i == len(text) { // which stands here, and is too long
		return false
	}
	d := digitValue[text[i]]
	return d < 10 || d < 16 && p.src[end] == hexHole
}

// relyOnZeros relies on bits of a value that is tagged being 0, or on some of them not being so. Bit 0 of both is bit at of
// what is set.
func (p *Parser) relyOnZeros(v, zeros uint64, at int) {
	t := p.tag
	if t.negated {
		p.exactly(t.hole)
		return
	}
	by := t.shift + int16(at)
	f, value := p.fact(t.hole), p.holes.open[t.hole-1].value
	above := mathbits.LeadingZeros64(^zeros) // that many bits from the top are zeros, so that all of them say how great it is
	top := ^uint64(0)
	if above < 64 {
		top = ^(^uint64(0) >> uint(above))
	}
	least := shifted(top&-top, by) // the least value that has one of them
	low := shifted(zeros&^top, by)
	switch {
	case v&zeros == 0:
		f.bits(low, value)
		if above > 0 && least != 0 {
			f.most = min(f.most, least-1)
		}
	case v&top != 0 && least != 0:
		f.least = max(f.least, least)
	default:
		differ := value & shifted(zeros, by)
		f.bits(differ&-differ, value)
	}
}

// isExcess reports whether a computed value has bits that a number of the line gives and the expression cannot have.
// It relies on that, or on all bits that numbers give of the value.
func (p *Parser) isExcess(c *constraint, width int) bool {
	s := p.scopes[c.nested]
	sp := &p.spaces[s.space]
	holes := sp.holes[0] & ones(width)
	if holes == 0 {
		return false
	}
	excess := sp.val[0] & holes &^ p.possible(c.prog.Root)
	if excess == 0 {
		p.relyOnRun(s.space, 0, width)
		return false
	}
	bit := topBit(excess)
	above := p.possible(c.prog.Root)&^(bit-1) == 0 // then all numbers from bit on are too great
	for i := range p.trail {
		u := &p.trail[i]
		if u.hole == 0 || u.space != s.space || u.limb != 0 || u.set&bit == 0 {
			continue
		}
		if above && u.shift == 0 && !u.negated {
			f := p.fact(u.hole)
			f.least = max(f.least, fill(p.possible(c.prog.Root))+1)
		} else {
			p.relyOnTag(u.tag, bit)
		}
	}
	return true
}

// topBit returns the highest bit of a value.
func topBit(x uint64) uint64 { return 1 << uint(mathbits.Len64(x)-1) }

// shapes are the shapes of lines of which more is to be known than what was read.
type shapes struct {
	hashTable[shapeFacts]
	texts arena[byte]
	// met are those that were met once: lines are read with holes when their shape comes again.
	met marks
	// looked counts the lines that were looked for, known those that were known, and again those of a shape that was met once.
	// Where that does not pay, lines are not looked for until left of them have passed, twice as many as the last time.
	looked, known, again, left, pause int
	// rounds is how often that was looked at since.
	rounds int
}

// Of lookedAt lines that are looked for one in fewShapes has to have a shape that was met before, and after patience rounds
// more have to be known than are read with holes, which takes half as long again.
const (
	lookedAt  = 1 << 10
	fewShapes = 4
	patience  = 2
	minPause  = 1 << 12
	maxPause  = 1 << 17
)

// worth reports whether to look for the next line.
func (t *shapes) worth() bool {
	switch {
	case t.left > 0:
		t.left--
		return false
	case t.looked == lookedAt:
		t.rounds++
		few := t.known+t.again < lookedAt/fewShapes || t.rounds > patience && t.known < t.again
		if t.looked, t.known, t.again = 0, 0, 0; few {
			t.rounds = 0
			t.pause = min(max(minPause, 2*t.pause), maxPause)
			t.left = t.pause
			return false
		}
		t.pause = 0
	}
	t.looked++
	return true
}

// shapeFacts say of the numbers of a shape which are written out, and of which bits it depends what is read. whole tells
// that lines of the shape are read as they stand.
type shapeFacts struct {
	text    []byte
	written uint32
	whole   bool
	masks   [maxHoles]uint64
}

func (t *shapes) find(hash uint64, text []byte) *shapeFacts {
	for i := range t.probes() {
		s := t.slot(hash, i)
		if s.value == nil {
			break
		}
		if s.hash == hash && string(s.value.text) == string(text) {
			return s.value
		}
	}
	return nil
}

// key returns the hash by which what was read of a line of the shape is found.
func (x *shapeFacts) key(hash uint64, values []uint64) uint64 {
	for i, v := range values {
		if m := x.masks[i]; m != 0 {
			hash = mix(hash, v&m)
		}
	}
	return hash
}

// maxShapes bounds the slots for shapes.
const maxShapes = maxLines

// outcomes of looking for a line.
type recalled uint8

const (
	isNew     recalled = iota
	isKnown            // as an instruction
	isRefused          // it is none
	isText             // it is read as it stands
)

// recallShape makes what a line with the same shape was read as that of the present line.
func (p *Parser) recallShape() recalled {
	h, t := p.holes, &p.memo.shaped
	hash := maphash.Bytes(p.memo.seed, h.shape)
	if p.recallAt(t, hash, h.shape, 0, h.values) {
		return p.whatIsKnown()
	}
	h.written = 0
	if x := p.memo.shapes.find(hash, h.shape); x != nil {
		if x.whole {
			return isText
		}
		h.written = x.written
		if p.recallAt(t, x.key(hash, h.values), h.shape, 0, h.values) {
			return p.whatIsKnown()
		}
	}
	if p.memo.shapes.met.met(hash) {
		p.memo.shapes.again++
		return isNew
	}
	return isText
}

func (p *Parser) whatIsKnown() recalled {
	p.memo.shapes.known++
	if p.leaf == nil {
		return isRefused
	}
	return isKnown
}

// readShape reads a line with holes in place of its numbers, and remembers what it is read as. It is to be read as it
// stands where the result is isText or, if it is asked why, isRefused. The entries are planned.
func (p *Parser) readShape() recalled {
	h, silent := p.holes, p.silent
	defer func() { p.shaped, p.silent, h.open = false, silent, h.open[:0] }()
	p.silent = true
	h.again = true
	var err error
	for h.again {
		p.asked, p.asks = false, p.asks[:0]
		h.start()
		p.load(h.text)
		h.place(p.src)
		p.shaped = true
		if err = p.read(h.text); err == nil {
			p.plan = nil
			if len(p.suffix) == 0 {
				p.planEntries()
			} else {
				h.lost = h.lost || p.nspaces > spaceTable
			}
		}
		if h.whole {
			p.learnWhole()
			return isText
		}
	}
	switch {
	case err == nil:
		p.learnShape()
		return isKnown
	case p.wrong != nil:
		return isText
	}
	p.leaf, p.plan = nil, nil
	p.learnShape()
	return isRefused
}

// learnWhole notes that lines of the present shape are read as they stand.
func (p *Parser) learnWhole() {
	x := p.shapeFacts()
	x.whole = true
}

// shapeFacts returns what is known of the present shape.
func (p *Parser) shapeFacts() *shapeFacts {
	h, t := p.holes, &p.memo.shapes
	hash := maphash.Bytes(p.memo.seed, h.shape)
	x := t.find(hash, h.shape)
	if x == nil {
		x = &shapeFacts{text: t.texts.keep(h.shape)}
		t.add(hash, x, maxShapes)
	}
	return x
}

// learnShape keeps what a line with holes was read as, nothing where it is no instruction.
func (p *Parser) learnShape() {
	h := p.holes
	if h.lost || p.asked {
		return
	}
	h.facts = h.facts[:0]
	looked := false // at some bits of a number
	for _, v := range h.values {
		h.facts = append(h.facts, fact{most: ^uint64(0), mask: ^uint64(0), match: v})
	}
	for i := range h.open {
		h.facts[h.open[i].number] = h.open[i].fact
	}
	for i := range h.facts {
		looked = looked || h.facts[i].mask != 0
	}
	key := maphash.Bytes(p.memo.seed, h.shape)
	if looked {
		x := p.shapeFacts()
		x.written |= h.written
		for i := range h.facts {
			x.masks[i] |= h.facts[i].mask
		}
		key = x.key(key, h.values)
	}
	h.fills = h.fills[:0]
	for i := range p.trail {
		u := &p.trail[i]
		switch {
		case u.hole == 0 || p.leaf == nil:
			continue
		case u.space >= spaceTable && p.spaces[u.space].field != nil: // an entry, of which nobody has had a use yet
			return
		case u.space >= spaceTable: // a computed value, from which bits of the word follow that were looked at
			continue
		}
		f := holeBits{u.set, u.space, u.limb, u.tag}
		f.hole = uint8(h.open[u.hole-1].number) + 1
		h.fills = append(h.fills, f)
	}
	t := &p.memo.shaped
	if r := t.find(key, h.shape, 0, h.values); r != nil { // with other answers
		answers, _ := p.answers(r)
		key = mix(key, answers)
	}
	t.line = key
	p.learn(&p.memo.shaped, h.shape, 0, Note{})
}
