package asm

import (
	mathbits "math/bits"
	"slices"
	"strconv"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// This file notes what reading relies on of the numbers for which holes stand. It says rather too much than too little: a
// fact that is not needed has a line read again that could be known.

// fact says of a number that it is from least to most, and what the bits of mask are. Of a selector it says so of what it is
// as the kind with that number, which is 0 for one that was not looked at.
type fact struct {
	least, most, mask, match uint64
	kind                     uint16
	number                   uint8 // of a line, which is the one
}

// noFact holds of each number.
var noFact = fact{most: ^uint64(0)}

func (f *fact) holds(v uint64) bool { return f.least <= v && v <= f.most && v&f.mask == f.match }

// isNone reports whether a fact holds of each number.
func (f *fact) isNone() bool { return f.least == 0 && f.most == ^uint64(0) && f.mask == 0 }

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

// allHold reports whether facts hold of the open holes from one on.
func (h *holes) allHold(facts []fact, first int) bool {
	if first+len(facts) > len(h.open) {
		return false
	}
	for i := range facts {
		f, x := &facts[i], &h.open[first+i]
		v, ok := x.value, true
		if f.kind != 0 {
			v, ok = x.selector.as(f.kind)
		}
		if !ok || !f.holds(v) {
			return false
		}
	}
	return true
}

// holdsOf reports whether the facts of a line hold of the numbers of the present one.
func (r *reading) holdsOf(values []uint64) bool {
	for i := range r.facts {
		if f := &r.facts[i]; !f.holds(values[f.number]) {
			return false
		}
	}
	for i := range r.pairs {
		if x := &r.pairs[i]; !x.holds(values[x.a], values[x.b]) {
			return false
		}
	}
	return true
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

// printedHole is printed for the number of a hole. Where a value prints as its text, so do all with the same facts.
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
	if mask := p.spaces[space].holes.Uint(low, width); mask != 0 {
		p.relyOnSome(space, low, mask)
	}
}

// testRun are bits of a test from at on: so many of a space from low on, or zeros.
type testRun struct {
	space          uint8
	low, width, at int
}

// runsOf lists where the low 64 bits of what is tested in a scope are.
func (p *Parser) runsOf(t *model.Test, s *scope) []testRun {
	runs := p.runs[:0]
	switch {
	case t.Context:
		runs = append(runs, testRun{space: spaceContext, width: 64})
	case s.parts == nil:
		runs = append(runs, testRun{space: s.space, low: s.low + t.Low, width: 64})
	default:
		at := 0
		for low, width := range s.pieces([]spec.Part{{Width: min(s.size, 64)}}) {
			runs = append(runs, testRun{s.space, low, width, at})
			at += width
		}
	}
	p.runs = runs
	return runs
}

// relyOnTest relies on those bits of a test in a scope that its result depends on. val and set are of the bits of the test.
func (p *Parser) relyOnTest(t *model.Test, s *scope, val, set uint64) {
	runs, given := p.runsOf(t, s), uint64(0)
	for _, r := range runs {
		if r.low != zeros {
			given |= p.spaces[r.space].holes.Uint(r.low, r.width) << uint(r.at)
		}
	}
	differ := (val ^ t.Match) & t.Mask & set
	switch given &= t.Mask; {
	case given == 0 || differ&^given != 0 || differ != 0 && p.relyOnOther(t, runs, given):
		return
	case differ != 0:
		given = topBit(differ)
	}
	for _, r := range runs {
		if r.low != zeros {
			p.relyOnSome(r.space, r.low, given>>uint(r.at)&ones(r.width))
		}
	}
}

// relyOnSome relies on those of up to 64 bits of a space from low on that are in the mask and given by holes.
func (p *Parser) relyOnSome(space uint8, low int, mask uint64) {
	limb, shift := low>>6&3, uint(low)&63
	if m := mask << shift; m != 0 {
		p.relyOnBits(space, limb, m)
	}
	if m := mask >> 1 >> (^shift & 63); m != 0 {
		p.relyOnBits(space, limb+1, m)
	}
}

// relyOnOther relies on given bits of a test being others than those that it asks for, where they are all of a number but for
// its lowest ones. Where those are the least or the greatest that there are, the number is greater, or less. It reports
// whether that can be said.
func (p *Parser) relyOnOther(t *model.Test, runs []testRun, given uint64) bool {
	var hole uint8
	var asked, match, known uint64 // of the number and of the test
	for _, r := range runs {
		limb, shift := r.low>>6&3, uint(r.low)&63
		for i := range p.trail {
			u := &p.trail[i]
			mask := u.set >> shift & ones(r.width) << uint(r.at) & given
			switch {
			case r.low == zeros || u.hole == 0 || u.space != r.space || int(u.limb) != limb || mask == 0:
				continue
			case u.negated || hole != 0 && u.hole != hole:
				return false
			}
			by := int16(shift) - int16(r.at) - u.shift
			hole, known = u.hole, known|mask
			asked, match = asked|shifted(mask, by), match|shifted(t.Match&mask, by)
		}
	}
	if known != given {
		return false
	}
	f, below := p.fact(hole), asked&-asked-1
	switch {
	case fill(f.most)&^(f.mask&^f.match)&^(asked|below) != 0: // it may have other bits
		return false
	case match == 0:
		f.least = max(f.least, below+1)
	case match == asked:
		f.most = min(f.most, asked-1)
	default:
		return false
	}
	return true
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
	if both = p.ofOthers(space, limb, both); s.holes[limb]&both == 0 && p.tag.hole == 0 || both == 0 {
		return
	}
	differ := (s.val[limb] ^ v) & both
	if p.relyOnPair(space, limb, both, differ == 0) || p.tag.hole == 0 && differ&^s.holes[limb] != 0 { // whatever numbers are
		return
	}
	if differ != 0 {
		both = topBit(differ)
	}
	p.relyOnBits(space, limb, both)
	if p.tag.hole != 0 {
		p.relyOnTag(p.tag, both)
	}
}

// ofOthers returns those bits of a limb that were not given by the hole of the tag, and as it does.
func (p *Parser) ofOthers(space uint8, limb int, both uint64) uint64 {
	if p.tag.hole == 0 || p.spaces[space].holes[limb]&both == 0 {
		return both
	}
	for i := range p.trail {
		if u := &p.trail[i]; u.space == space && int(u.limb) == limb && u.tag == p.tag {
			both &^= u.set
		}
	}
	return both
}

// pair says of two numbers that their bits of mask are the same, or that some of them are not.
type pair struct {
	mask uint64
	a, b uint8
	same bool
}

func (x *pair) holds(a, b uint64) bool { return ((a^b)&x.mask == 0) == x.same }

// relyOnPair relies on bits of a limb that one hole has given being those that another one gives, or not, which is less than
// to rely on both. It reports whether that can be said.
func (p *Parser) relyOnPair(space uint8, limb int, both uint64, same bool) bool {
	if p.tag.hole == 0 || p.helps != nil || both&^p.spaces[space].holes[limb] != 0 {
		return false
	}
	for i := range p.trail {
		u := &p.trail[i]
		if u.space != space || int(u.limb) != limb || u.set&both == 0 {
			continue
		}
		if u.set&both != both || u.negated || p.tag.negated || u.shift != p.tag.shift {
			return false
		}
		x := pair{shifted(both, -u.shift), u.hole - 1, p.tag.hole - 1, same}
		if !slices.Contains(p.holes.pairs, x) {
			p.holes.pairs = append(p.holes.pairs, x)
		}
		return true
	}
	return false
}

// known is what is known of holes.
type known struct {
	facts []fact
	cuts  cuts
}

// cuts have a bit for each hole whose number could end sooner, for all that is known of an operand that is read alone. That
// comes behind the first way to read it, but for those that come first.
type cuts struct{ all, first uint32 }

// alone starts what is known of the holes in what is read alone from a place on, and returns what is known around it.
func (h *holes) alone(pos int) known {
	around := known{cuts: h.cuts}
	h.cuts = cuts{}
	for i := h.from(pos); i < len(h.open); i++ {
		around.facts = append(around.facts, h.open[i].fact)
		h.open[i].fact = noFact
	}
	return around
}

// back makes what was known around what was read alone from a place on what is known again.
func (h *holes) back(pos int, around known) {
	h.cuts = around.cuts
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
		x := &p.holes.open[first+i]
		switch kind := facts[i].kind; {
		case kind == 0 || kind == x.kind:
		case x.kind != 0: // it was something else before
			p.writeOut(x.pos)
			return
		default:
			x.kind = kind
			x.value, _ = x.selector.as(kind)
		}
		x.join(&facts[i])
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

// relyOnOnes relies on bits of a value that is tagged being 1, or on one of them being 0.
func (p *Parser) relyOnOnes(v, ones uint64) {
	if differ := ones &^ v; differ != 0 {
		ones = topBit(differ)
	}
	if ones != 0 {
		p.relyOnTag(p.tag, ones)
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
