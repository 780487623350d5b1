package asm

import (
	"encoding/binary"
	mathbits "math/bits"
	"slices"
)

// This file finds the numbers and selectors of a line, and reads holes where they stand. What is not told from other words
// by its place is written out, so that no reader of text has to know of holes.

// The bytes that stand for numbers, of decimal digits and of hexadecimal ones behind 0x, and for selectors, without
// punctuation at both ends and with it.
const (
	decimalHole  = 1
	hexHole      = 2
	selectorHole = 3
	looseHole    = 4
	lastHole     = looseHole
)

func isHole(c byte) bool { return c-1 < lastHole }

// holesFor has a bit for each hole that may stand for text which starts with a byte.
var holesFor = func() (holes [256]uint8) {
	for c := range holes {
		switch d := digitValue[c]; {
		case d < 10:
			holes[c] = 1<<decimalHole | 1<<hexHole
		case d < 16:
			holes[c] = 1 << hexHole
		}
		if startsSelector(byte(c)) {
			holes[c] |= 1<<selectorHole | 1<<looseHole
		}
	}
	return holes
}()

// allHoles has a bit for each.
const allHoles = 1<<(lastHole+1) - 1<<decimalHole

// Limits of a line that is read with holes. Numbers of more digits, and those behind the first maxHoles, stay text.
const (
	maxHoles      = 24
	maxHoleDigits = 15
)

// holes are the numbers and selectors of a line, which are called its numbers.
type holes struct {
	line []byte
	// shape is the line with a hole in place of each number, hash that of it.
	shape     []byte
	hash      uint64
	numbers   []lineNumber
	values    []uint64   // of them: of a selector the bytes where nobody has said as what it is read
	selectors *selectors // that are known
	folds     *[256]byte
	// written has a bit for each number that is written out in text, which is what is read.
	written uint32
	text    []byte
	// open are the holes in the text as the parser has loaded it.
	open []openHole
	// again tells that the line has to be read again: with other numbers written out, or as it stands where whole is set.
	again, whole bool
	// lost tells that what is found counts for this line alone.
	lost  bool
	cuts  cuts
	facts []fact // of the numbers of a line that was read
	// pairs are of open holes while a line is read, of its numbers then.
	pairs []pair
	fills []holeBits
	// words are the starts of words that go on with digits, packed.
	words []uint64
	// zeroWords are those of words that go on with no digit but a 0, behind which there is none in a number.
	zeroWords []uint64
	wordEnds  [256]bool // the last bytes of both
	// stale tells that the line has another shape by now.
	stale bool
	// points tells that there are words that go on behind a point with what is no selector.
	points bool
}

// lineNumber is a number of a line: the place of its hole in the shape, and of its digits in the line; or a selector.
type lineNumber struct {
	hole, from, to int
	selector       *selector
}

// openHole is a hole whose number was not looked at: its place, which number it is, and what reading relies on.
type openHole struct {
	pos      int
	number   int
	selector *selector
	value    uint64 // of a selector that of its fact's kind
	fact
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
func holesIn(x uint64) uint64 { return (x - (lastHole+1)*everyOne) &^ x & everyTop }

// pointsIn has the top bit set of the first byte that is a point, and of none before.
func pointsIn(x uint64) uint64 {
	x ^= '.' * everyOne
	return (x - everyOne) &^ x & everyTop
}

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
	h.line, h.numbers, h.values, h.stale = line, h.numbers[:0], h.values[:0], false
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
		stops := digitsIn(x) | pointsIn(x)
		binary.LittleEndian.PutUint64(shape[n:], x)
		if stops == 0 {
			n, i = n+8, i+8
			continue
		}
		skip := mathbits.TrailingZeros64(stops) / 8
		n, i = n+skip, i+skip
		if line[i] == '.' {
			n, i = n+1, i+1
			if s, end := h.selectors.at(line, i, h.folds); s != nil && len(h.numbers) < maxHoles && !(h.points && h.isWord(line, i)) {
				h.numbers, h.values = append(h.numbers, lineNumber{n, i, end, s}), append(h.values, s.packed)
				shape[n] = s.hole
				n, i = n+1, end
			}
			continue
		}
		from, end, v, hole := h.numberAt(line, i)
		if hole == 0 || len(h.numbers) == maxHoles || h.selectors.anchors.start().takes(hole) && h.selectors.hasAnchor(line[from:end], line[end:]) {
			n += copy(shape[n:], line[i:end])
			i = end
			continue
		}
		n += copy(shape[n:], line[i:from])
		h.numbers, h.values = append(h.numbers, lineNumber{n, from, end, nil}), append(h.values, v)
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
			if from, end, v, hole = hexadecimal(line, at+2); v == 0 && h.isZeroWord(line, from) {
				hole = 0
			}
			return from, end, v, hole
		case h.isZeroWord(line, at):
			return at, end, 0, 0
		case radixes[next] != 0:
			_, end, _, _ = hexadecimal(line, at+2)
			return at, end, 0, 0
		}
	}
	if end-at > maxHoleDigits || next == '.' && end+1 < len(line) && line[end+1]-'0' < 10 ||
		at > 1 && line[at-1] == '.' && line[at-2]-'0' < 10 || at > 0 && h.wordEnds[line[at-1]|0x20] && h.isWord(line, at) {
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

// wordBefore returns the last bytes of the word that goes on at a place, or behind a point there, up to 4, as a number; 0
// where it has no letter.
func wordBefore(line []byte, at int) (word uint64) {
	letters := false
	if at > 0 && line[at-1] == '.' {
		word, at = 1, at-1
	}
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
	for _, c := range []byte(" \t,;.([{<|!+-*\x01\x02\x03\x04") {
		set[c] = true
	}
	return set
}()

// isWord reports whether the digits at a place belong to a word.
func (h *holes) isWord(line []byte, at int) bool {
	return slices.Contains(h.words, wordBefore(line, at))
}

// isZeroWord reports whether the 0 at a place belongs to a word.
func (h *holes) isZeroWord(line []byte, at int) bool {
	return len(h.zeroWords) > 0 && at > 0 && h.wordEnds[line[at-1]|0x20] && slices.Contains(h.zeroWords, wordBefore(line, at))
}

// start makes the text that is to be read.
func (h *holes) start() {
	h.again, h.whole, h.lost, h.pairs = false, false, false, h.pairs[:0]
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
	for i, n := range h.numbers {
		if n.selector != nil {
			h.values[i] = n.selector.packed
		}
	}
	k := 0
	for pos, c := range src {
		if !isHole(c) {
			continue
		}
		for h.written>>uint(k)&1 != 0 {
			k++
		}
		h.open = append(h.open, openHole{pos, k, h.numbers[k].selector, h.values[k], noFact})
		k++
	}
}

// spell returns a loaded text in which the holes from a place on are written out, and of what was there up to end the size.
// There is room for 8 bytes behind it, as there is behind what was loaded.
func (h *holes) spell(whole []byte, pos, end int) (text []byte, size int) {
	text = append(make([]byte, 0, len(whole)+len(h.line)+8), whole[:pos]...)
	for i := pos; i < len(whole); i++ {
		if i == end {
			size = len(text) - pos
		}
		if !isHole(whole[i]) {
			text = append(text, whole[i])
			continue
		}
		n := &h.numbers[h.open[h.from(i)].number]
		for _, c := range h.line[n.from:n.to] {
			text = append(text, h.folds[c])
		}
	}
	return text, size
}

// from returns the index of the first open hole at a place or behind.
func (h *holes) from(pos int) (i int) {
	for i < len(h.open) && h.open[i].pos < pos {
		i++
	}
	return i
}

// writeOut has the line read again with the number of the hole at a place.
func (p *Parser) writeOut(pos int) {
	h := p.holes
	h.again = true
	h.written |= 1 << uint(h.open[h.from(pos)].number)
}

// isInWord has the line read again with the number of the hole at a place, whose digits may be part of what is around them,
// and tells words of that kind from numbers from now on. zero tells that it may be if it is 0; again is false where it is not.
func (p *Parser) isInWord(pos int, zero bool) (again bool) {
	h := p.holes
	open, words := &h.open[h.from(pos)], &h.words
	if zero = zero && p.src[pos] < selectorHole; zero {
		if words = &h.zeroWords; open.value != 0 {
			open.least = max(open.least, 1)
			return false
		}
	}
	p.writeOut(pos)
	w := wordBefore(p.src, pos)
	if w == 0 || len(*words) == maxWords || p.src[pos] == hexHole && !zero || slices.Contains(*words, w) {
		return true
	}
	*words = append(*words, w)
	h.wordEnds[p.src[pos-1]|0x20], h.stale = true, true
	h.points = h.points || p.src[pos] >= selectorHole
	return true
}

// maxWords bounds the words with digits that are known.
const maxWords = 24

// holeAt reports whether there is a hole at a place.
func (p *Parser) holeAt(pos int) bool {
	return p.shaped && pos < len(p.src) && isHole(p.src[pos])
}

// holeNumber reads the number of a hole in digits of a base.
func (p *Parser) holeNumber(n *number, pos int, base uint64) bool {
	if p.src[pos] >= selectorHole && base <= 10 {
		return false
	}
	if base != p.baseAt(pos) {
		p.isInWord(pos, false)
		return false
	}
	h := p.holes
	i := h.from(pos)
	n.hole, n.mag[0], n.end = uint8(i+1), h.open[i].value, pos+1
	p.see(pos + 1)
	return true
}

// baseAt returns the base of the hole at a place, 0 for a selector.
func (p *Parser) baseAt(pos int) uint64 {
	switch p.src[pos] {
	case decimalHole:
		return 10
	case hexHole:
		return 16
	}
	return 0
}

// cutting says whether the number of a hole could end sooner.
type cutting uint8

const (
	uncut     cutting = iota
	cutHere           // since a digit could come behind it
	cutBehind         // that depends on what stands behind the value that is read alone
)

// cutting says whether the number of the hole at a place could end sooner. A selector could too where more of it, or the
// point before it, could come; behind a blank as well where it has punctuation inside.
func (p *Parser) cutting(next *node, pos int) cutting {
	f := p.firstSets(next).node
	selects, some, broken := p.src[pos] >= selectorHole, uint8(1)<<p.src[pos], false
	if selects {
		some, broken = allHoles, p.holes.open[p.holes.from(pos)].selector.broken
	}
	for frame := p.frame; ; frame = p.frames[frame].parent {
		if broken {
			f = f.touching()
		}
		if f.touch&some != 0 || selects && f.bytes.has('.') {
			return cutHere
		}
		fr := &p.frames[frame]
		switch {
		case f.through && fr.parent >= 0:
		case f.through && p.helps != nil:
			return cutBehind
		default:
			return uncut
		}
		f = p.firstSets(fr.ret).node
	}
}

// saveCut leaves open that the number of the hole at a place ends sooner, if it could.
func (p *Parser) saveCut(e *edge, pos int) {
	if p.cutting(e.next, pos) != uncut {
		p.save(e, again{n: int32(pos), as: cutShort})
	}
}

// saveCuts is saveCut for the holes of an operand at the present place. Those that could end sooner in a way that comes
// before the known ones are cut at once.
func (p *Parser) saveCuts(e *edge, o *operand) {
	first := p.holes.from(p.pos)
	for left := o.cuts.all; left != 0; left &= left - 1 {
		i := mathbits.TrailingZeros32(left)
		if pos := p.holes.open[first+i].pos; o.cuts.first>>uint(i)&1 != 0 {
			p.cut(e.next, pos, true)
		} else {
			p.saveCut(e, pos)
		}
	}
}

// cut has the line read again with the number of the hole at a place, if it could end sooner. Where a value is read alone and
// what stands behind it says so, that is noted; first tells that no way was found before.
func (p *Parser) cut(next *node, pos int, first bool) {
	h := p.holes
	switch bit := uint32(1) << uint(h.from(pos)); p.cutting(next, pos) {
	case cutHere:
		p.writeOut(pos)
	case cutBehind:
		h.cuts.all |= bit
		if first || len(p.helps.found) == 0 {
			h.cuts.first |= bit
		}
	}
}

// holeComes reports whether a text, of which what stands from pos up to end is read, could go on with what the hole there
// stands for, and whether with nothing but a 0.
func (p *Parser) holeComes(pos, end int, text string) (comes, zero bool) {
	i := 0
	for _, c := range p.src[pos:end] {
		if i < len(text) && c == text[i] { // or it is a free blank
			i++
		}
	}
	if i == len(text) { // which stands here, and is too long
		return false, false
	}
	return holesFor[text[i]]>>p.src[end]&1 != 0, text[i] == '0'
}
