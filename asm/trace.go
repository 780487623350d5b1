package asm

import (
	"math"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// While a line is traced, each step of the parser that depends on a number of it is noted: as a condition on the number
// where that is simple, or else the number is fixed. What was tried in vain counts as much as what was read in the end.

// trace are the notes of a line.
type trace struct {
	// runs are the numbers of the line as it is read, and holes and pairs what is known of them; those of fixed
	// decide in other ways.
	runs  []digits
	holes []hole
	pairs []pair
	fixed uint64
	// placed are the numbers that have given bits, in the order in which they did.
	placed []placedHole
	// binding is the number that is giving bits, nil for none.
	binding *placedHole
	key     []byte // of the line
	// of says of each byte which number it is in, from 1 on.
	of    []uint8
	whole [1]spec.Part // room for compared
}

// placedHole is a number that has given bits to a space.
type placedHole struct {
	hole  int
	space uint8
	parts []spec.Part // the most significant first
	mask  bits.Value
	// add is what their value is more than the number.
	add uint64
	// trail is the size of the parser's trail before.
	trail int
	// nested is the scope of the computed value that gave them, 0 for none.
	nested int32
}

const noHole = -1

// begin starts notes for a text; ok is false where it has not the numbers of the line as it was given.
func (t *trace) begin(src []byte, runs []digits) (ok bool) {
	t.key, t.runs, ok = cut(t.key[:0], t.runs[:0], src)
	t.holes, t.pairs, t.placed, t.fixed, t.binding = t.holes[:0], t.pairs[:0], t.placed[:0], 0, nil
	t.of = append(t.of[:0], make([]uint8, len(src)+1)...)
	for i, r := range t.runs {
		if t.holes = t.holes[:i]; i < cap(t.holes) { // with the room of its tests
			t.holes = t.holes[:i+1]
		} else {
			t.holes = append(t.holes, hole{})
		}
		t.holes[i] = hole{high: math.MaxUint64, tests: t.holes[i].tests[:0]}
		for pos := r.from; pos < r.to; pos++ {
			t.of[pos] = uint8(i + 1)
		}
	}
	return ok && slices.EqualFunc(t.runs, runs, func(a, b digits) bool { return a.hex == b.hex && a.value == b.value })
}

// finish gives the holes their bits; a number that is not in bits of the word alone is fixed.
func (t *trace) finish() {
	for i := range t.placed {
		if x := &t.placed[i]; x.space == spaceWord {
			t.holes[x.hole].parts, t.holes[x.hole].add = x.parts, x.add
		}
	}
	for i := range t.holes {
		if t.holes[i].parts == nil {
			t.fix(i)
		}
	}
}

func (t *trace) fix(hole int) { t.fixed |= 1 << hole }

// at returns the number that a byte of the text is in, noHole for none.
func (t *trace) at(pos int) int { return int(t.of[pos]) - 1 }

// read notes that the text from a place up to another was read as something else than numbers.
func (t *trace) read(from, end int) {
	for i := range t.runs {
		if r := &t.runs[i]; r.from < end && from < r.to {
			t.fix(i)
		}
	}
}

// isDigit reports whether a byte can be a digit of the number.
func (d *digits) isDigit(c byte) bool { return isDigitOf(c, d.base()) }

func (d *digits) base() uint64 {
	if d.hex {
		return 16
	}
	return 10
}

// start notes that it was asked whether the byte at a place, which may be a letter of a number, is a digit.
func (t *trace) start(pos int) {
	if i := t.at(pos); i != noHole && t.runs[i].hex {
		t.fix(i)
	}
}

// literal notes that a text was looked for at a place.
func (t *trace) literal(src []byte, pos int, text string, exactly bool) {
	start := pos
	for i := 0; i < len(text) && pos < len(src); pos++ {
		if n := t.at(pos); n != noHole && t.runs[n].isDigit(text[i]) {
			t.sought(n, pos, text[i:])
		}
		switch {
		case src[pos] == text[i]:
			i++
		case exactly || !freeBlank(src, pos, start):
			return
		}
	}
}

// sought notes that a text that starts with a digit was looked for at a byte of a number.
func (t *trace) sought(n, pos int, text string) {
	r := &t.runs[n]
	value, size := uint64(0), 0
	for size < len(text) && r.isDigit(text[size]) {
		value = value*r.base() + uint64(digitValue[text[size]])
		size++
	}
	if pos > r.from || size > maxSought {
		t.fix(n)
		return
	}
	t.differs(n, value, size == len(text))
}

// maxSought bounds the digits of the texts that are looked for.
const maxSought = 6

// words notes that the texts of a trie were looked for at a place.
func (t *trace) words(w *trie, src []byte, pos int, exactly bool) {
	for start := pos; pos < len(src); pos++ {
		if n := t.at(pos); n != noHole && slices.ContainsFunc(w.bytes, t.runs[n].isDigit) {
			if pos > t.runs[n].from {
				t.fix(n)
			} else {
				t.wordsIn(w, n, 0, 0)
			}
		}
		switch next := w.kid(src[pos]); {
		case next != nil:
			w = next
		case exactly || !freeBlank(src, pos, start):
			return
		}
	}
}

// wordsIn notes that the texts of a trie behind so many digits of a value were looked for in a number.
func (t *trace) wordsIn(w *trie, n int, value uint64, size int) {
	for i, c := range w.bytes {
		if !t.runs[n].isDigit(c) {
			continue
		}
		kid, v := w.kids[i], value*t.runs[n].base()+uint64(digitValue[c])
		if size == maxSought {
			t.fix(n)
			return
		}
		if kid.ends || slices.ContainsFunc(kid.bytes, func(c byte) bool { return !t.runs[n].isDigit(c) }) {
			t.differs(n, v, kid.ends)
		}
		t.wordsIn(kid, n, v, size+1)
	}
}

// differs notes that a number was compared with the digits of a value, behind which others may stand if prefix.
func (t *trace) differs(n int, value uint64, prefix bool) {
	is, base := t.runs[n].value, t.runs[n].base()
	if is == value || prefix && value > 0 && is >= value*base {
		t.fix(n)
		return
	}
	t.test(n, math.MaxUint64, value, 0)
	if prefix && value > 0 {
		t.fits(n, value*base-1, true)
	}
}

// first notes that the byte at a place was looked for in a set.
func (t *trace) first(set *byteSet, pos int) {
	n := t.at(pos)
	if n == noHole {
		return
	}
	r, in, out := &t.runs[n], false, false
	for c := byte('0'); c <= 'f'; c++ {
		if r.isDigit(c) {
			in, out = in || set.has(c), out || !set.has(c)
		}
	}
	if in && (out || pos > r.from) {
		t.fix(n)
	}
}

// looked notes that bits of a space were looked at, so many from low on.
func (t *trace) looked(space uint8, low, width int) {
	if len(t.placed) > 0 {
		t.lookedIn(space, bits.Range(low, width))
	}
}

func (t *trace) lookedIn(space uint8, mask bits.Value) {
	for i := range t.placed {
		if x := &t.placed[i]; x.space == space && x.mask.And(mask) != (bits.Value{}) {
			t.fix(x.hole)
		}
	}
}

// compared notes that bits of a space, val from low on, were compared with others in those of mask.
func (t *trace) compared(space uint8, low int, val, match, mask uint64) {
	t.whole[0] = spec.Part{Low: low, Width: min(64, bits.Size-low)}
	t.comparedParts(space, t.whole[:], val, match, mask)
}

// comparedParts is compared for bits that stand in parts, the most significant first.
func (t *trace) comparedParts(space uint8, parts []spec.Part, val, match, mask uint64) {
	if mask == 0 {
		return
	}
	var numbers uint64
	n := 0
	t.eachIn(space, parts, mask, func(_ *placedHole, m uint64, _ int) { numbers, n = numbers|m, n+1 })
	differ := (val ^ match) & mask
	if x := t.binding; x != nil {
		x.eachIn(space, parts, mask&^numbers, func(x *placedHole, m uint64, by int) { t.test(x.hole, toValue(m, by), toValue(val&m, by), x.add) })
		if differ&^numbers == 0 {
			t.twice(x, space, parts, mask)
		}
		return
	}
	if n == 0 || differ&^numbers != 0 { // whatever the numbers are
		return
	}
	t.eachIn(space, parts, mask, func(x *placedHole, m uint64, by int) {
		if differ != 0 && n > 1 {
			t.fix(x.hole)
			return
		}
		t.test(x.hole, toValue(m, by), toValue(match&m, by), x.add)
	})
}

// twice notes that a number is given bits that others have given.
func (t *trace) twice(x *placedHole, space uint8, parts []spec.Part, mask uint64) {
	for i := range t.placed {
		y := &t.placed[i]
		y.eachIn(space, parts, mask, func(*placedHole, uint64, int) {
			if x.add != y.add || !slices.Equal(x.parts, y.parts) {
				t.fix(x.hole)
				t.fix(y.hole)
				return
			}
			t.pair(x.hole, y.hole, t.runs[x.hole].value == t.runs[y.hole].value)
		})
	}
}

func (t *trace) pair(a, b int, same bool) {
	if x := (pair{a, b, same}); !slices.Contains(t.pairs, x) {
		t.pairs = append(t.pairs, x)
	}
}

// eachIn goes through what numbers have given of the bits of mask, which stand in parts of a space; in the number they
// stand so many bits further up.
func (t *trace) eachIn(space uint8, parts []spec.Part, mask uint64, do func(x *placedHole, bits uint64, by int)) {
	for i := range t.placed {
		t.placed[i].eachIn(space, parts, mask, do)
	}
}

func (x *placedHole) eachIn(space uint8, parts []spec.Part, mask uint64, do func(x *placedHole, bits uint64, by int)) {
	if x.space != space {
		return
	}
	from := 0
	for i := len(parts) - 1; i >= 0 && from < 64; from, i = from+parts[i].Width, i-1 {
		run, at := parts[i], 0
		for j := len(x.parts) - 1; j >= 0; at, j = at+x.parts[j].Width, j-1 {
			part := x.parts[j]
			low, high := max(run.Low, part.Low), min(run.Low+run.Width, part.Low+part.Width)
			if run.Low == zeros || part.Low == zeros || low >= high {
				continue
			}
			if m := ones(high-low) << uint(low-run.Low+from) & mask; m != 0 {
				do(x, m, at-part.Low+run.Low-from)
			}
		}
	}
}

// toValue moves bits from a window of a space to their places in a number so many bits further up.
func toValue(v uint64, by int) uint64 {
	if by < 0 {
		return v >> uint(-by)
	}
	return v << uint(by)
}

// test notes whether the sum of a number and add has some bits.
func (t *trace) test(hole int, mask, match, add uint64) {
	x := holeTest{mask: mask, match: match, add: add}
	x.want = (t.runs[hole].value+add)&mask == match
	if h := &t.holes[hole]; !slices.Contains(h.tests, x) {
		h.tests = append(h.tests, x)
	}
}

// fits notes that a number was asked to be at most most, and whether it is.
func (t *trace) fits(hole int, most uint64, fits bool) {
	h := &t.holes[hole]
	if fits {
		h.high = min(h.high, most)
	} else {
		h.low = max(h.low, most+1)
	}
}

// undo forgets the numbers that have given bits since the trail had that size.
func (t *trace) undo(trail int) {
	n := len(t.placed)
	for n > 0 && t.placed[n-1].trail >= trail {
		n--
	}
	t.placed = t.placed[:n]
}

// number notes that a number was read at a place as an item, and returns which one of the line it is; noHole where it is
// not just that.
func (t *trace) number(p *Parser, e *edge, pos int, n *number, ok bool) int {
	it := &e.item
	i := t.at(n.digits)
	if !ok || i == noHole || !it.isPlain() || n.neg || t.runs[i].from != n.digits || t.runs[i].to != n.end ||
		(it.ref.Kind == spec.KindHex || n.pattern) != t.runs[i].hex {
		end := max(n.end, pos)
		for it.kind == itemFloat && end < len(p.src) && (floatBytes[p.src[end]] || end == pos+1 && p.src[end] == ' ') {
			end++
		}
		t.read(pos, end)
		t.start(pos)
		return noHole
	}
	if p.digitFollows(e.next, p.frame, &t.runs[i]) { // it could end before its last digit
		t.fix(i)
	}
	if it.mayBeAbsent() { // 0 is not printed
		t.fits(i, 0, t.runs[i].value == 0)
	}
	return i
}

// digitFollows reports whether what comes at a node, or behind the values that can end there, can start with a digit
// of a number, no blank before it.
func (p *Parser) digitFollows(n *node, frame int32, d *digits) bool {
	if n.set != nil {
		return d.startsIn(&p.firstSets(n).node) || p.digitBehind(frame, d)
	}
	n.open()
	for _, e := range n.edges {
		switch it := &e.item; {
		case it.kind == itemBlank && !it.padding:
		case it.kind == itemBlank, it.kind == itemNothing, it.extent == noText:
			if p.digitFollows(e.next, frame, d) {
				return true
			}
		default:
			f := p.firstOfItem(it)
			if d.startsIn(&f) || f.empty && p.digitFollows(e.next, frame, d) {
				return true
			}
		}
	}
	return len(n.accepts) > 0 && p.digitBehind(frame, d)
}

// digitBehind is digitFollows for what comes behind the value of a frame.
func (p *Parser) digitBehind(frame int32, d *digits) bool {
	f := &p.frames[frame]
	return f.parent >= 0 && p.digitFollows(f.ret, f.parent, d)
}

// startsIn reports whether a way can start with a digit of the number.
func (d *digits) startsIn(f *firstSet) bool {
	for c := byte('0'); c <= 'f'; c++ {
		if d.isDigit(c) && f.bytes.has(c) {
			return true
		}
	}
	return false
}

// isPlain tells of an item that it is a number of at most 64 bits, and nothing but bits.
func (it *item) isPlain() bool {
	r := it.ref
	if it.kind != itemNumber && it.kind != itemBranch || r.Width > 64 || r.Context != nil || r.Field == nil || r.Field.Table != nil {
		return false
	}
	switch r.Kind {
	case spec.KindUint, spec.KindHex, spec.KindInt, spec.KindOffset, spec.KindUOffset, spec.KindBranch, spec.KindAbsBranch:
		return true
	}
	return false
}

// most returns the largest value of an item that is printed without a sign, and read from a number.
func (p *Parser) most(ref *model.Ref, n *number) uint64 {
	most := ones(min(max(p.readWidth(ref), 1), 64))
	switch ref.Kind {
	case spec.KindInt, spec.KindOffset, spec.KindBranch:
		if n.pattern {
			return most
		}
		return most >> 1
	}
	return most
}

// aligned notes whether a number has 0 where its parts have, and beyond them.
func (t *trace) aligned(x *placedHole) {
	if m := zerosOf(x.parts); m != 0 {
		t.test(x.hole, m, 0, x.add)
	}
}

// floatBytes marks what floats are made of.
var floatBytes = func() (set [256]bool) {
	for _, c := range []byte("+-.0123456789eE") {
		set[c] = true
	}
	return set
}()

// bindHole is bindNumber for a number of the line that is traced, or for none.
func (p *Parser) bindHole(e *edge, hole int, v uint64, end, state int) bool {
	if hole == noHole {
		return p.bindNumber(e, v, end, state)
	}
	t, it := p.trace, &e.item
	if it.ref.Kind == spec.KindAbsBranch { // it may be printed with a sign
		most := ones(it.ref.Width) >> 1
		t.fits(hole, most, v <= most)
	}
	x, ok := p.placeOf(it, hole)
	t.aligned(&x)
	fits := (v+x.add)&zerosOf(x.parts) == 0
	if !ok || !fits && x.add != 0 { // a sum can have more bits than count
		t.fix(hole)
		return p.bindNumber(e, v, end, state)
	}
	if known := p.spaces[x.space].known.And(x.mask); known != (bits.Value{}) {
		var is ternary
		p.untraced(func() { is = p.pieces(&scope{space: x.space}, x.parts) })
		t.binding = &x
		t.comparedParts(x.space, x.parts, is.val, v+x.add, ^is.open)
		t.binding = nil
		fits = fits && (is.val^(v+x.add))&^is.open == 0
	}
	p.untraced(func() { ok = p.bindNumber(e, v, end, state) })
	if ok != fits { // for another reason
		t.fix(hole)
		t.lookedIn(x.space, x.mask)
	}
	if ok {
		t.placed = append(t.placed, x)
	}
	return ok
}

// placeOf returns where the bits of a number are that is read as an item; ok is false where they are not just that.
func (p *Parser) placeOf(it *item, hole int) (x placedHole, ok bool) {
	scope := p.scopeOf(it.ref.ScopeDepth)
	x = placedHole{hole: hole, trail: len(p.trail)}
	switch {
	case it.spread != nil:
		home := &p.scopes[p.up(scope, it.spread.scopeDepth)]
		x.space, x.parts = home.space, home.compose(it.spread.parts)
	case it.ref.Prog == nil:
		s, _ := p.enter(it.ref, scope)
		x.space, x.parts = s.space, s.compose(it.ref.Field.Parts)
	default:
		n, add := p.summand(p.chosen(it.ref.Prog.Root, scope))
		c := derivedConstraint(it.ref, scope, 0)
		if n == nil || c.kind != wantValue {
			return x, false
		}
		w, ok := model.WiringOf(n)
		if !ok {
			return x, false
		}
		home := &p.scopes[p.up(scope, w.ScopeDepth)]
		wires := w.Wires[:min(mathbits.Len64(c.mask), len(w.Wires))] // of others the number says nothing
		x.space, x.parts, x.add = home.space, home.compose(runsOf(wires)), add
	}
	return x, x.cover()
}

// cover notes which bits of the space a number gives; ok is false where it gives one of them twice.
func (x *placedHole) cover() (ok bool) {
	ok = true
	for _, part := range x.parts {
		if part.Low != zeros {
			m := bits.Range(part.Low, part.Width)
			ok, x.mask = ok && x.mask.And(m) == (bits.Value{}), x.mask.Or(m)
		}
	}
	return ok
}

// summand returns what a constant is added to in an expression, and what it is more than that; nil for nil.
func (p *Parser) summand(n *model.Node) (x *model.Node, add uint64) {
	for n != nil && (n.Op == spec.OpAdd || n.Op == spec.OpSub) {
		switch {
		case n.Y.Op == spec.OpConst && n.Op == spec.OpSub:
			n, add = n.X, add+n.Y.Value
		case n.Y.Op == spec.OpConst:
			n, add = n.X, add-n.Y.Value
		case n.X.Op == spec.OpConst && n.Op == spec.OpAdd:
			n, add = n.Y, add-n.X.Value
		default:
			return n, add
		}
	}
	return n, add
}

// untraced does what notes nothing.
func (p *Parser) untraced(do func()) {
	t := p.trace
	p.trace = nil
	do()
	p.trace = t
}

// deriveTraced is deriveNested, after which a number in the computed value counts as one of the bits that this is made of.
func (p *Parser) deriveTraced(c *constraint) (s status) {
	t, own := p.trace, p.scopes[c.nested].space
	n := p.chosen(c.prog.Root, c.scope)
	if n == nil || c.width > len(model.Wires{}) {
		t.looked(own, 0, c.width)
		return p.deriveNested(c)
	}
	w, ok := model.WiringOf(n)
	if !ok {
		t.looked(own, 0, c.width)
		return p.deriveNested(c)
	}
	home := &p.scopes[p.up(c.scope, w.ScopeDepth)]
	l := link{nested: c.nested, own: own, wires: w.Wires[:c.width], home: *home, trail: len(p.trail)}
	l.known = p.spaces[home.space].known.And(maskOf(home.compose(runsOf(l.wires))))
	p.untraced(func() { s = p.deriveNested(c) })
	if s == broken {
		t.unlinked(&l)
	} else {
		t.linked(&l)
	}
	return s
}

// link is what a computed value is made of: wires of a scope, of whose bits some were known.
type link struct {
	nested int32
	own    uint8
	wires  []int16
	home   scope
	known  bits.Value
	trail  int
}

// parts returns the bits that a number in the computed value is made of.
func (l *link) parts(x *placedHole) (parts []spec.Part) {
	for _, part := range x.parts {
		if part.Low != zeros {
			parts = append(parts, l.home.compose(runsOf(l.wires[part.Low:part.Low+part.Width]))...)
			continue
		}
		parts = append(parts, part)
	}
	return parts
}

// unlinked notes why a computed value cannot be what text gives: for the bits of one number, or for all.
func (t *trace) unlinked(l *link) {
	for i := range t.placed {
		if x := &t.placed[i]; x.space == l.own {
			if m := zerosOf(l.parts(x)); (t.runs[x.hole].value+x.add)&m != 0 {
				t.test(x.hole, m, 0, x.add)
				return
			}
		}
	}
	t.looked(l.own, 0, len(l.wires))
	t.lookedIn(l.home.space, maskOf(l.home.compose(runsOf(l.wires))))
}

// linked notes where the bits are of the numbers in a computed value.
func (t *trace) linked(l *link) {
	for i := range t.placed {
		if x := &t.placed[i]; x.nested == l.nested {
			l.known = l.known.AndNot(x.mask)
		}
	}
	for _, x := range t.placed {
		switch {
		case x.space == l.home.space && x.nested != l.nested && x.mask.And(l.known) != (bits.Value{}):
			t.fix(x.hole)
		case x.space == l.own && !slices.ContainsFunc(t.placed, func(y placedHole) bool { return y.hole == x.hole && y.nested == l.nested }):
			y := placedHole{hole: x.hole, space: l.home.space, parts: l.parts(&x), add: x.add, trail: l.trail, nested: l.nested}
			if !y.cover() || y.mask.And(l.known) != (bits.Value{}) {
				t.fix(x.hole)
			}
			t.aligned(&y)
			t.placed = append(t.placed, y)
		}
	}
}

// chosen returns an expression with the one side of each choice that is known, nil where one is not.
func (p *Parser) chosen(n *model.Node, scope int32) *model.Node {
	switch {
	case n == nil:
		return nil
	case n.Op == spec.OpCond:
		v, known := p.eval(n.X, scope)
		switch {
		case !known:
			return nil
		case v != 0:
			return p.chosen(n.Y, scope)
		}
		return p.chosen(n.Z, scope)
	case n.X == nil:
		return n
	}
	out := *n
	out.X, out.Y = p.chosen(n.X, scope), p.chosen(n.Y, scope)
	if out.X == nil || n.Y != nil && out.Y == nil {
		return nil
	}
	return &out
}

// pair are two numbers that were compared.
type pair struct {
	a, b int
	same bool
}

// pairOf returns the numbers that the two sides of a comparison are; ok is false where they are not just that.
func (p *Parser) pairOf(n *model.Node, scope int32) (x pair, ok bool) {
	if x.a = p.numberOf(n.X, scope); x.a != noHole {
		x.b = p.numberOf(n.Y, scope)
	}
	return x, x.a != noHole && x.b != noHole
}

// numberOf returns the number that is the value of a field, noHole where it is not just that.
func (p *Parser) numberOf(n *model.Node, scope int32) int {
	if n.Op != spec.OpField || len(n.Alts) != 1 || n.Alts[0].Cond != nil {
		return noHole
	}
	ref := n.Alts[0].Ref
	if ref == nil || ref.Prog != nil || ref.Context != nil || ref.Field.Table != nil || len(ref.Enter) > 0 {
		return noHole
	}
	s := &p.scopes[p.up(scope, ref.ScopeDepth)]
	parts := s.compose(ref.Field.Parts)
	i := slices.IndexFunc(p.trace.placed, func(x placedHole) bool { return x.space == s.space && x.add == 0 && slices.Equal(x.parts, parts) })
	if i < 0 {
		return noHole
	}
	return p.trace.placed[i].hole
}

// comparePair is value for a comparison of two numbers.
func (p *Parser) comparePair(n *model.Node, scope int32, x pair) (t ternary) {
	p.untraced(func() { t = p.ternary(n, scope) })
	if t.known() {
		p.trace.pair(x.a, x.b, t.val == truthBit(n.Op == spec.OpEq))
	}
	return t
}
