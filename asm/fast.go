package asm

import (
	"math"

	wide "github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// This file reads what most lines are: text in which the first way that fits at each place is the
// right one. It takes the first step that Parser.search would take, every time, so that no way has
// to be left open and no bit ever given back; where that step needs more than is done here, or
// leads nowhere, it gives up and the line is read by Parser.search from its start.

// place is where the bits of a reference are, in terms that do not change while text is read.
type place struct {
	// index is the field whose table entry they are in, nil for the scope of the reference.
	index      *spec.Field
	low, width int
	// hops is the number of enclosing values up to the one that the bits are in.
	hops    int
	context bool
}

// placeOf returns the place of a reference; ok is false where it is not a run of bits of the scope
// itself or of an entry.
func placeOf(ref *model.Ref) (pl place, ok bool) {
	if ref != nil && ref.Prog != nil {
		return placeOfCopy(ref)
	}
	if ref == nil || ref.Low < 0 || ref.Width < 1 || ref.Width > 64 {
		return pl, false
	}
	if ref.Context != nil {
		return place{context: true, low: ref.Low, width: ref.Width}, true
	}
	for i, e := range ref.Enter {
		if e.Prog != nil || e.Low < 0 || e.Field.Table != nil && i > 0 {
			return pl, false
		}
		if pl.low += e.Low; e.Field.Table != nil {
			pl.index, pl.low = e.Field, 0
		}
	}
	pl.low, pl.width, pl.hops = pl.low+ref.Low, ref.Width, ref.Hops
	return pl, pl.hops == 0 || pl.index == nil
}

// placeOfCopy returns the place of a derived field that is another field as it is.
func placeOfCopy(ref *model.Ref) (pl place, ok bool) {
	n := ref.Prog.Root
	if n.Op != spec.OpField || len(n.Alts) != 1 || n.Alts[0].Cond != nil || n.Alts[0].Ref == nil || n.Alts[0].Ref.Width != ref.Width {
		return pl, false
	}
	pl, ok = placeOf(n.Alts[0].Ref)
	pl.hops += ref.Hops
	return pl, ok && !pl.context && (pl.hops == 0 || pl.index == nil)
}

// fixedBits is a run of bits that must have a value.
type fixedBits struct {
	place
	value uint64
}

// conjunction returns the bits that are fixed where an expression holds; ok is false where it is
// anything but a conjunction of comparisons of fields with constants.
func conjunction(n *model.Node) (list []fixedBits, ok bool) {
	switch n.Op {
	case spec.OpAndAnd:
		x, okX := conjunction(n.X)
		y, okY := conjunction(n.Y)
		return append(x, y...), okX && okY
	case spec.OpEq:
		if n.Y.Op == spec.OpConst {
			return fixedField(n.X, n.Y.Value)
		}
	case spec.OpNot:
		return fixedField(n.X, 0)
	case spec.OpField:
		if list, ok = fixedField(n, 1); ok && list[0].width == 1 {
			return list, true
		}
	}
	return nil, false
}

func fixedField(n *model.Node, v uint64) ([]fixedBits, bool) {
	if n.Op != spec.OpField || len(n.Alts) != 1 || n.Alts[0].Cond != nil {
		return nil, false
	}
	if ref := n.Alts[0].Ref; pieced(ref) {
		return fixedPieces(ref, v)
	}
	pl, ok := placeOf(n.Alts[0].Ref)
	if !ok || pl.context || v&^ones(pl.width) != 0 {
		return nil, false
	}
	return []fixedBits{{pl, v}}, true
}

func ones(width int) uint64 { return ^uint64(0) >> (64 - uint(width)) }

// ending is what an accept asks of the bits, where that can be told without the solver.
type ending struct {
	// own are the bits that the case fixes; each of not is a case that must not apply.
	own []fixedBits
	not [][]fixedBits
	ok  bool
	// rules are the care rules of the leaf, if ruled.
	rules []careRule
	ruled bool
}

func endingOf(a *accept) (e ending) {
	e.ok = len(a.unit.Requires) == 0
	e.rules, e.ruled = careRules(a.unit)
	if a.own != nil {
		var ok bool
		e.own, ok = conjunction(a.own.Root)
		e.ok = e.ok && ok
	}
	for _, n := range a.not {
		list, ok := conjunction(n.Root)
		e.not, e.ok = append(e.not, list), e.ok && ok
	}
	return e
}

// careRule says which bits of an entry an instruction does not depend on: those of mask, where the
// bits of cond are known to be match. All of them are among the low 64.
type careRule struct {
	index             *spec.Field
	mask, cond, match uint64
}

// careRules returns the rules of a unit; ok is false where they need the solver.
func careRules(u *model.Unit) (rules []careRule, ok bool) {
	for i := range u.Unused {
		x := &u.Unused[i]
		pl, ok := placeOf(x.Ref)
		if !ok || pl.index == nil || x.Ref.Field.Table != nil || pl.low+pl.width > 64 {
			return nil, false
		}
		r := careRule{index: pl.index, mask: ones(pl.width) << uint(pl.low)}
		if x.Cond == nil {
			rules = append(rules, r)
			continue
		}
		list, ok := conjunction(x.Cond.Root)
		for _, b := range list {
			ok = ok && b.index == pl.index && b.low+b.width <= 64
			r.cond |= ones(b.width) << uint(b.low)
			r.match |= b.value << uint(b.low)
		}
		if !ok {
			return nil, false
		}
		rules = append(rules, r)
	}
	return rules, true
}

// fastCare is Parser.care where the rules are simple.
func (p *Parser) fastCare(s *space, rules []careRule) wide.Value {
	care := s.known
	for i := range rules {
		r := &rules[i]
		if r.index == s.field && s.known[0]&r.cond == r.cond && s.val[0]&r.cond == r.match {
			care[0] &^= r.mask
		}
	}
	return care
}

// fastFrame is a nested value that is being read: where its bits are, and what follows it.
type fastFrame struct {
	space uint8
	low   int
	ret   *node
	// from is where its text starts, of the extent that it must have.
	from   int
	extent extent
}

// fastDepth bounds the nested values that are read here.
const fastDepth = 8

// verdict says how a step went.
type verdict uint8

const (
	took   verdict = iota
	absent         // the item does not stand here and has taken nothing
	giveUp
)

// straight reads the whole input without looking back; ok is false where it has to be read in the
// general way.
func (p *Parser) straight(start *node) (ok bool) {
	p.fast, p.pending = append(p.fast[:0], fastFrame{}), p.pending[:0]
	if !p.follow(start, nil) {
		return false
	}
	p.settlePending()
	return true
}

// isDirect tells of the start of a grammar that all templates start with a text.
func (n *node) isDirect() bool {
	return (n.literal != nil || n.literals != nil) && len(n.others)+len(n.accepts) == 0
}

// What is known of whether straight can read what starts at a node.
const (
	unknownSuit = iota
	suited
	unsuited
)

// suits reports whether straight can read the templates that start at a node, as far as can be told
// without the text.
func (p *Parser) suits(n *node) bool {
	suit := n.suit.Load()
	if suit == unknownSuit {
		n.suit.Store(suited) // a value nested in itself
		if suit = suited; !p.allSuit(n) {
			suit = unsuited
		}
		n.suit.Store(suit)
	}
	return suit == suited
}

func (p *Parser) allSuit(n *node) bool {
	for _, a := range n.accepts {
		if !a.ending.ok {
			return false
		}
	}
	for _, e := range n.edges {
		it := &e.item
		if len(it.conds) > 0 || it.ref != nil && !it.placed && it.ref.Prog != nil || it.call != nil && !p.suits(p.ready(it.call).start) {
			return false
		}
		if !p.allSuit(e.next) {
			return false
		}
	}
	return true
}

// follow reads from a node on until it gets to the node to; ok is false where the input has to be read
// in the general way.
func (p *Parser) follow(n, to *node) (ok bool) {
	for n != to {
		if n.set != nil {
			return false
		}
		if next := p.fastOnly(n.only); next != nil {
			n = next
			continue
		}
		if e, end := p.findLiteral(n, p.skipBlank(), len(p.src)+1); e != nil {
			p.loosely = p.loosely || end-p.pos != len(e.item.text)
			p.pos, n = end, e.next
			continue
		}
		next, v := p.fastEdge(n)
		if v == absent {
			next, v = p.fastAccept(n)
		}
		if v != took {
			return false
		}
		n = next
	}
	return true
}

// fastOnly takes the only edge of a node if it is a blank or a literal that stands here as it is;
// nil otherwise.
func (p *Parser) fastOnly(e *edge) *node {
	if e == nil {
		return nil
	}
	switch e.item.kind {
	case itemLiteral:
		pos, text := p.skipBlank(), e.item.text
		if len(p.src)-pos >= len(text) && string(p.src[pos:pos+len(text)]) == text {
			p.loosely = p.loosely || pos != p.pos
			p.pos = pos + len(text)
			return e.next
		}
	case itemBlank:
		if p.pos < len(p.src) && p.src[p.pos] == ' ' {
			p.pos++
			return e.next
		}
	}
	return nil
}

// fastEdge takes the first edge, other than a literal, that stands here.
func (p *Parser) fastEdge(n *node) (next *node, v verdict) {
	for _, e := range n.others {
		if e.item.kind == itemBlank && len(n.others) > 1 {
			next, v = p.fastBehindBlank(e)
		} else {
			next, v = p.fastItem(e)
		}
		if v != absent {
			return next, v
		}
	}
	return nil, absent
}

func (p *Parser) fastItem(e *edge) (next *node, v verdict) {
	it := &e.item
	if it.kind == itemBlank {
		return e.next, p.fastBlank(it)
	}
	if it.kind == itemSet {
		return e.next, p.fastSet(it)
	}
	if p.Name != nil && it.symbols != "" {
		return nil, giveUp
	}
	if !it.placed || len(it.conds) > 0 {
		return p.fastOther(e)
	}
	switch it.kind {
	case itemEnum:
		return e.next, p.fastWord(it)
	case itemCall:
		return p.fastCall(e)
	case itemNumber, itemBranch:
		return e.next, p.fastNumber(it)
	}
	return nil, giveUp
}

// fastBlank is Parser.matchBlank.
func (p *Parser) fastBlank(it *item) verdict {
	switch {
	case p.pos < len(p.src) && p.src[p.pos] == ' ':
		p.pos++
	case p.pos == 0 || p.pos == len(p.src) || p.src[p.pos-1] == ' ':
	case it.padding:
	case loose[p.src[p.pos-1]] || loose[p.src[p.pos]]:
		p.loosely = true
	default:
		return absent
	}
	return took
}

// fastWord is the first try of Parser.matchWord.
func (p *Parser) fastWord(it *item) verdict {
	pos, limit := p.pos, len(p.src)+1
	if it.extent == noText {
		limit = pos + 1
	} else {
		pos = p.skipBlank()
	}
	found, end := it.words.find(p.src, pos, limit)
	if found == nil || end == pos && it.extent == someText {
		if it.ref.Kind == spec.KindEnum && it.extent != noText && pos < len(p.src) && numeric[p.src[pos]] {
			return giveUp
		}
		return absent
	}
	if !p.put(&it.place, found.first) {
		return giveUp
	}
	p.loosely = p.loosely || found.firstAlias || found.size > 0 && end-p.pos != found.size
	if end > pos {
		p.pos = end
	}
	return took
}

// numeric marks what numbers start with.
var numeric = func() (set [256]bool) {
	for _, c := range []byte("+-0123456789") {
		set[c] = true
	}
	return set
}()

// fastSet reads the members of a set.
func (p *Parser) fastSet(it *item) verdict {
	used := uint64(0)
	for it.extent != noText {
		i, v := p.fastMember(it.set, used)
		if v == giveUp {
			return giveUp
		}
		if v == absent {
			break
		}
		p.loosely = p.loosely || used>>uint(i) != 0
		used |= 1 << uint(i)
	}
	if it.extent == someText && used == 0 {
		return absent
	}
	for i, n := range it.set.absent {
		if used>>uint(i)&1 == 0 && !p.fastQuiet(n) {
			return giveUp
		}
	}
	return took
}

// fastMember reads one more member of a set.
func (p *Parser) fastMember(s *setItem, used uint64) (member int, v verdict) {
	from := p.pos
	if used != 0 && !p.text(s.join) {
		p.pos = from
		return 0, absent
	}
	for i, n := range s.members {
		if used>>uint(i)&1 != 0 || !p.stands(&p.look(n).node, p.pos) {
			continue
		}
		for _, e := range n.others {
			if v := p.fastPart(e); v != absent {
				return i, v
			}
		}
	}
	p.pos = from
	return 0, absent
}

// fastPart reads a member of a set as a whole.
func (p *Parser) fastPart(e *edge) verdict {
	if e.item.kind == itemCall && !p.starts(&e.item) {
		return absent
	}
	next, v := p.fastItem(e)
	if v != took || next == e.next {
		return v
	}
	if !p.follow(next, e.next) {
		return giveUp
	}
	return took
}

// starts reports whether a nested value may stand here: one of the literals that its texts start with,
// if they all start with one.
func (p *Parser) starts(it *item) bool {
	n := p.ready(it.call).start
	if n.literal == nil && n.literals == nil || len(n.others)+len(n.accepts) > 0 {
		return true
	}
	e, _ := p.findLiteral(n, p.skipBlank(), len(p.src)+1)
	return e != nil
}

// fastQuiet is Parser.quiet where the first edge that stands here reads nothing.
func (p *Parser) fastQuiet(n *node) bool {
	for _, e := range n.others {
		if e.item.kind == itemCall {
			continue
		}
		at := p.pos
		if _, v := p.fastItem(e); v != absent {
			return v == took && p.pos == at
		}
	}
	return false
}

// fastCall reads a nested value, as a whole or piece by piece.
func (p *Parser) fastCall(e *edge) (*node, verdict) {
	it := &e.item
	if it.ref.Field == nil || it.ref.Field.Table != nil {
		return nil, giveUp
	}
	g := p.ready(it.call)
	f := &p.fast[len(p.fast)-1]
	sp, low, ok := p.resolve(&it.place, f)
	if !ok {
		return nil, giveUp
	}
	if g.quick != nil && it.extent == anyExtent {
		pos := p.skipBlank()
		if q, end := g.quick.find(p.src, pos); q != nil {
			if !p.putMasked(sp, low, g.env.Root.Size, q.val, q.known) {
				return nil, giveUp
			}
			p.loosely = p.loosely || q.size > 0 && end-p.pos != q.size
			if q.defaults != 0 {
				p.pending = append(p.pending, pending{sp, low, g.env.Root.Size, q.val, q.defaults})
			}
			if end > pos {
				p.pos = end
			}
			return e.next, took
		}
	}
	if len(p.fast) > fastDepth {
		return nil, giveUp
	}
	p.fast = append(p.fast, fastFrame{space: sp, low: low, ret: e.next, from: p.pos, extent: it.extent})
	return g.start, took
}

// fastNumber is the first try of Parser.matchNumber for numbers of a run of bits.
func (p *Parser) fastNumber(it *item) verdict {
	ref := it.ref
	if it.extent == noText || ref.Kind == spec.KindOffset || ref.Kind == spec.KindUOffset || ref.Kind == spec.KindBoolInv {
		return giveUp
	}
	pos := p.skipBlank()
	if it.kind == itemBranch {
		if t, ok := p.symbol(it, pos, len(p.raw)); ok {
			p.named = true
			return p.took(t.open || p.put(&it.place, t.value), t.end)
		}
	}
	v, end := uint64(0), pos
	if ref.Kind != spec.KindHex {
		v, end = p.decimal(pos)
	}
	if end > pos && it.isSigned() && v>>uint(ref.Width-1) != 0 {
		return giveUp
	}
	plain := end > pos && (end == pos+1 || p.src[pos] != '0') && v>>uint(ref.Width-1) == 0
	if end == pos {
		n, ok := p.number(it, pos, 0)
		if !ok {
			return absent
		}
		fits := false
		if v, fits = p.fit(ref, n); !fits {
			return giveUp
		}
		end = n.end
	}
	p.loosely = p.loosely || pos != p.pos || !plain && !p.printed(ref, v, pos, end)
	return p.took(p.put(&it.place, v), end)
}

// isSigned tells of an item that it is printed with its sign.
func (it *item) isSigned() bool {
	switch it.ref.Kind {
	case spec.KindInt, spec.KindOffset, spec.KindBranch:
		return true
	}
	return false
}

// decimal reads a plain decimal number that is small; end is pos where none stands there.
func (p *Parser) decimal(pos int) (v uint64, end int) {
	end = pos
	for ; end < len(p.src) && digitValue[p.src[end]] < 10; end++ {
		v = v*10 + uint64(p.src[end]-'0')
	}
	if end-pos > 9 || v > math.MaxInt32 || end < len(p.src) && isSymbolByte(p.src[end], true) {
		return 0, pos
	}
	return v, end
}

// took moves on to end if the bits were put.
func (p *Parser) took(ok bool, end int) verdict {
	if !ok {
		return giveUp
	}
	p.pos = end
	return took
}

// fastAccept is Parser.accept, without conditions that need the solver.
func (p *Parser) fastAccept(n *node) (next *node, v verdict) {
	if len(n.accepts) == 0 {
		return nil, giveUp
	}
	a := n.accepts[0]
	f := p.fast[len(p.fast)-1]
	top := f.ret == nil
	switch {
	case !a.ending.ok, top && p.pos < len(p.src), !top && (a.asserts || len(a.unit.Defaults)+len(a.unit.Unused) > 0),
		f.extent == someText && p.pos == f.from, f.extent == noText && p.pos != f.from:
		return nil, giveUp
	}
	leaf := a.unit.Leaf
	for i := 0; 64*i < leaf.Size; i++ {
		if !p.putMasked(f.space, f.low+64*i, min(leaf.Size-64*i, 64), leaf.Match[i], leaf.Mask[i]) {
			return nil, giveUp
		}
	}
	if !p.fastEnding(&a.ending, &f) {
		return nil, giveUp
	}
	p.loosely = p.loosely || a.alias
	if top {
		p.units = append(p.units, boundUnit{a.unit, 0, a})
		p.ending = &a.ending
		return nil, took
	}
	p.fast = p.fast[:len(p.fast)-1]
	return f.ret, took
}

// fastEnding sets the bits that the case fixes, and reports whether the cases before it are known
// not to apply.
func (p *Parser) fastEnding(e *ending, f *fastFrame) bool {
	for i := range e.own {
		if !p.put(&e.own[i].place, e.own[i].value) {
			return false
		}
	}
	for i := len(e.not) - 1; i >= 0; i-- { // the later ones settle bits for those before them
		if !p.differs(e.not[i], f) && !p.deny(e.not[i], f) {
			return false
		}
	}
	return true
}

// deny makes a run differ, where it is the only one that is not known to agree and has one bit.
func (p *Parser) deny(list []fixedBits, f *fastFrame) bool {
	var open *fixedBits
	for i := range list {
		b := &list[i]
		sp, low, ok := p.resolve(&b.place, f)
		if !ok {
			return false
		}
		if p.spaces[sp].known.Uint(low, b.width) == ones(b.width) {
			continue
		}
		if open != nil || b.width != 1 {
			return false
		}
		open = b
	}
	return open != nil && p.put(&open.place, 1-open.value)
}

// differs reports whether one of the runs is known to have another value.
func (p *Parser) differs(list []fixedBits, f *fastFrame) bool {
	for i := range list {
		b := &list[i]
		sp, low, ok := p.resolve(&b.place, f)
		if !ok {
			return false
		}
		s := &p.spaces[sp]
		if s.known.Uint(low, b.width) == ones(b.width) && s.val.Uint(low, b.width) != b.value {
			return true
		}
	}
	return false
}

// resolve finds the bits of a place in the present spaces. ok is false where there is no room for
// the entry that they are in.
func (p *Parser) resolve(pl *place, f *fastFrame) (sp uint8, low int, ok bool) {
	switch {
	case pl.context:
		return spaceContext, pl.low, true
	case pl.index == nil && pl.hops > 0:
		outer := &p.fast[max(len(p.fast)-1-pl.hops, 0)]
		return outer.space, outer.low + pl.low, true
	case pl.index == nil:
		return f.space, f.low + pl.low, true
	case len(p.fast) > 1:
		return 0, 0, false // the scope of the index is not the word
	}
	sp, ok = p.entry(pl.index, &p.scopes[0])
	return sp, pl.low, ok
}

// put fixes the bits of a place. ok is false where it does not fit or they are known otherwise.
func (p *Parser) put(pl *place, v uint64) (ok bool) {
	sp, low, ok := p.resolve(pl, &p.fast[len(p.fast)-1])
	mask := ones(pl.width)
	return ok && v&^mask == 0 && p.putMasked(sp, low, pl.width, v, mask)
}

// putMasked is Parser.setMasked for up to 64 bits that are never given back.
func (p *Parser) putMasked(sp uint8, low, width int, v, mask uint64) bool {
	s := &p.spaces[sp]
	if shift := uint(low) & 63; shift+uint(width) <= 64 {
		val, known := &s.val[low>>6&3], &s.known[low>>6&3]
		v, mask = v<<shift, mask<<shift
		if (*val^v)&*known&mask != 0 {
			return false
		}
		*val, *known = *val&^mask|v&mask, *known|mask
		return true
	}
	old, known := s.val.Uint(low, width), s.known.Uint(low, width)
	if (old^v)&known&mask != 0 {
		return false
	}
	s.val.SetUint(low, width, old&^mask|v&mask)
	s.known.SetUint(low, width, known|mask)
	return true
}

// pending is the default of an operand that was read as a whole: the bits of mask, where nothing
// else gives them.
type pending struct {
	space      uint8
	low, width int
	val, mask  uint64
}

// settlePending gives the bits that are still unknown the defaults of the operands.
func (p *Parser) settlePending() {
	for i := range p.pending {
		d := &p.pending[i]
		s := &p.spaces[d.space]
		mask := d.mask &^ s.known.Uint(d.low, d.width)
		p.putMasked(d.space, d.low, d.width, d.val, mask)
		if d.space >= spaceTable {
			s.assumed.SetUint(d.low, d.width, s.assumed.Uint(d.low, d.width)|mask)
		}
	}
}
