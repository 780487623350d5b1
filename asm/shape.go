package asm

import (
	"hash/maphash"
	"slices"
)

// Lines that differ in their numbers and selectors alone are read alike. So a line is read with holes in their place, whose
// values are known: what reading it relies on of a value, its range or some of its bits, is a fact. What was read
// counts for each line of the same shape whose numbers meet the facts, and so it is for operands. Where a hole and the
// text of an item would have to be compared, the number is written out, and the line read again.

// scan finds the numbers and selectors of a line; ok is false where it is read as it stands.
func (p *Parser) scan(line []byte) (ok bool) {
	h, t := p.holes, &p.memo.selectors
	if t.anchors == nil {
		t.anchors = p.top.anchored(p).words
	}
	h.selectors, h.folds = t, p.folds
	return h.scan(line)
}

// asItStands has a line that is read with holes read again as it stands.
func (p *Parser) asItStands() { p.holes.again, p.holes.whole = true, true }

// forThisLine notes that what is found counts for this line alone.
func (p *Parser) forThisLine() {
	if p.shaped {
		p.holes.lost = true
	}
}

// shapes are the shapes of lines that were read.
type shapes struct {
	hashTable[shapeFacts]
	texts arena[byte]
	// Of the last looked lines known were known. Where these are few, lines are not looked for until left of them have passed.
	looked, known, left int
}

// Of lookedAt lines that are looked for one in fewKnown has to be known, or the next leftAlone are read as they stand.
const (
	lookedAt  = 1 << 11
	fewKnown  = 16
	leftAlone = 1 << 15
)

// worth reports whether to look for the next line.
func (t *shapes) worth() bool {
	if t.left > 0 {
		t.left--
		return false
	}
	if t.looked++; t.looked == lookedAt {
		if t.known < lookedAt/fewKnown {
			t.left = leftAlone
		}
		t.looked, t.known = 0, 0
	}
	return true
}

// shapeFacts say of the numbers of a shape which are written out, and of which bits it depends what is read. whole tells
// that lines of the shape are read as they stand.
type shapeFacts struct {
	text    []byte
	written uint32
	whole   bool
	masks   [maxHoles]uint64
	// kinds say as what the selectors are read that were looked at or written out. Other lines of the shape, where they are
	// read as something else, have a variant of their own, the next one.
	kinds   [maxHoles]uint16
	variant uint64
	next    *shapeFacts
}

// maxVariants bounds the variants of a shape.
const maxVariants = 8

// find returns what is known of a shape, nil for one that is new.
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
	hash ^= x.variant
	for i, v := range values {
		if m := x.masks[i]; m != 0 {
			hash = mix(hash, v&m)
		}
	}
	return hash
}

// takeSelectors gives the selectors of the present line the values of what they are read as in lines of the shape, and
// reports whether all are known as that.
func (x *shapeFacts) takeSelectors(h *holes) bool {
	all := true
	for i := range h.numbers {
		s := h.numbers[i].selector
		switch {
		case s == nil:
		case x.kinds[i] == 0 || x.kinds[i] == writtenOut:
			h.values[i] = s.packed
		default:
			v, ok := s.as(x.kinds[i])
			h.values[i], all = v, all && ok
		}
	}
	return all
}

// readsAs reports whether selectors of the present line were read as they were in other lines of the shape.
func (x *shapeFacts) readsAs(h *holes) bool {
	for i := range h.facts {
		if k, known := h.facts[i].kind, x.kinds[i]; k != known && k != 0 && known != 0 {
			return false
		}
	}
	return true
}

// recalled is what is known of a line by its shape.
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
	h.hash = hash
	h.written = 0
	first := p.memo.shapes.find(hash, h.shape)
	for x := first; x != nil; x = x.next {
		if x.whole {
			return isText
		}
		if x.takeSelectors(h) && p.recallAt(t, x.key(hash, h.values), x.text, 0, h.values) {
			return p.whatIsKnown()
		}
	}
	if first != nil {
		h.written = first.written
	}
	return isNew
}

// whatIsKnown says what the line is that was recalled.
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
			p.shapeFacts().whole = true
			return isText
		}
	}
	switch {
	case err == nil:
		p.learnShape()
		return isKnown
	case p.wrong != nil || p.steps > p.limit:
		return isText
	}
	p.leaf, p.plan = nil, nil
	p.learnShape()
	return isRefused
}

// shapeFacts returns what is known of the present shape.
func (p *Parser) shapeFacts() *shapeFacts {
	h, t := p.holes, &p.memo.shapes
	x := t.find(h.hash, h.shape)
	if x == nil {
		x = &shapeFacts{text: t.texts.keep(h.shape)}
		t.add(h.hash, x, maxLines)
	}
	return x
}

// learnShape keeps what a line with holes was read as, nothing where it is no instruction.
func (p *Parser) learnShape() {
	h := p.holes
	if h.lost || h.stale || p.asked {
		return
	}
	h.facts = h.facts[:0]
	for i, v := range h.values {
		f := fact{most: ^uint64(0), mask: ^uint64(0), match: v}
		if h.numbers[i].selector != nil {
			f.kind = writtenOut
		}
		h.facts = append(h.facts, f)
	}
	for i := range h.open {
		h.facts[h.open[i].number] = h.open[i].fact
	}
	x := p.variant()
	if x == nil {
		return
	}
	x.written |= h.written
	for i := range h.facts {
		x.masks[i] |= h.facts[i].mask
		x.kinds[i] = max(x.kinds[i], h.facts[i].kind)
		h.facts[i].number = uint8(i)
	}
	x.takeSelectors(h)
	h.facts = slices.DeleteFunc(h.facts, func(f fact) bool { return f.isNone() })
	for i := range h.pairs {
		x := &h.pairs[i]
		x.a, x.b = uint8(h.open[x.a].number), uint8(h.open[x.b].number)
	}
	p.findFills()
	t, key := &p.memo.shaped, x.key(h.hash, h.values)
	if r := t.find(key, x.text, 0, h.values); r != nil { // with other answers
		answers, same := p.answers(r)
		if same { // but for a selector that is new
			return
		}
		key = mix(key, answers)
	}
	t.line = key
	p.learn(t, x.text, 0, Note{})
}

// variant returns the variant of the present shape whose selectors are read as those of the line, nil where there are too
// many others.
func (p *Parser) variant() *shapeFacts {
	x := p.shapeFacts()
	for !x.readsAs(p.holes) {
		switch {
		case x.next != nil:
		case x.variant == maxVariants:
			return nil
		default:
			x.next = &shapeFacts{text: x.text, variant: x.variant + 1}
		}
		x = x.next
	}
	return x
}

// findFills lists the bits of the word, the contexts and the planned entries, which are spaces behind these, that numbers of
// the line give.
func (p *Parser) findFills() {
	h := p.holes
	h.fills = h.fills[:0]
	var entries [maxSpaces]uint8 // the space of each as a planned entry, 0 for a computed value
	next := uint8(spaceTable)
	for i := spaceTable; i < p.nspaces; i++ {
		if p.spaces[i].field != nil {
			entries[i] = next
			next++
		}
	}
	for i := range p.trail {
		u := &p.trail[i]
		f := holeBits{u.set, u.space, u.limb, u.tag}
		if u.space >= spaceTable {
			f.space = entries[u.space]
		}
		if u.hole == 0 || p.leaf == nil || u.space >= spaceTable && f.space == 0 { // bits of the word follow, which were looked at
			continue
		}
		f.hole = uint8(h.open[u.hole-1].number) + 1
		h.fills = append(h.fills, f)
	}
}
