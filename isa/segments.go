package isa

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// plan is how the displays of a leaf are printed from memos. It is worked out once for all decoders.
type plan struct {
	unit *model.BoundLeaf
	// plain and displays are those without and with memos that were asked for, by case.
	plain, displays []atomic.Pointer[display]
	// prepared guards what is behind it, which is found when the first memo is asked for.
	prepared sync.Once
	// only is the number of the case whose display is printed whatever the bits are, -1 if there is none.
	only int
	// choice are the bits that say which case is printed, where chooses is set.
	choice  key
	chooses bool
	// general tells that operands may be nested in themselves, or are too many: without memos they are counted.
	// branches tells that a display can show a branch target.
	general, branches bool
}

// display is the display of a case, in segments.
type display struct {
	unit *model.BoundLeaf
	// number is that of the case, items what it shows.
	number   int
	items    []model.Item
	segments []segment
	// printed is how many segments print something: not the last without text.
	printed int
	reads   reads
	groups  []group
	// flags are bits of which most words have none: these print usual, without the quiet segments; nil where it is not
	// worth it.
	flags bits.Value
	usual []segment
}

// group is an operand of several pieces, which stands between two places of a display.
type group struct {
	operand  *spec.Operand
	items    []model.Item
	from, to textPlace
}

// textPlace is a place in the constant text of a segment.
type textPlace struct{ segment, offset int }

// segment is constant text and what stands behind it.
type segment struct {
	lit  chunk
	kind segmentKind
	// key are the bits on which a dense or a wide segment depends.
	key key
	memo
	*shownItems
}

// shownItems is what a segment shows.
type shownItems struct {
	// front is the constant text where it is no chunk, fronts the items that it consists of.
	front  string
	fronts []*model.Item
	items  []model.Item
	// operand is the one of which the items are a piece; member tells that they are one of a set.
	operand *spec.Operand
	member  bool
	// looks tells that they may have operands in them, or be one by what else the word says.
	looks bool
	// ref is the field of a number or an operand that is shown without asking for more; direct tells that it is an
	// operand in bits of a frame.
	ref    *model.Ref
	direct bool
	// tables are the entries in which bits of the key are.
	tables []entrySource
	// symbols tells that the program may have a name for a value.
	symbols bool
	alike   cacheKey
	// quiet tells that nothing is printed where no flag of the display is set.
	quiet bool
}

type segmentKind uint8

const (
	segmentDense   segmentKind = iota // a text that depends on few bits
	segmentEnd                        // constant text alone
	segmentNamed                      // a text that depends on few bits, unless the program has a name for it
	segmentBreak                      // a blank, unless lines are broken
	segmentWide                       // a text that depends on more
	segmentNumber                     // a number that is formatted sooner than found
	segmentOperand                    // an operand whose own segments are remembered
	segmentItem                       // what is printed as an item
)

// planned reports whether an instruction of a leaf is printed from memos: not where that is not worth it yet, or not
// possible.
func (d *Decoder) planned(l *leafMemo, leaf *model.Leaf) bool {
	if d.general {
		return false
	}
	if l.plan == nil {
		if d.uses++; d.uses <= minUses {
			return false
		}
		l.make(d, d.env.Bound(leaf))
	}
	return !l.plan.general
}

// choose returns the display of the first case that applies and has one, and finds what the cases before
// it do not expect; nil if there is none.
func (d *Decoder) choose(l *leafMemo, depth int) *display {
	c := l.choice
	switch {
	case d.quick && l.only != nil:
		return l.only
	case !d.quick || c == nil:
		return d.firstCase(l, depth)
	}
	bits := c.key.from(&d.frames[depth].from)
	x := c.at(bits)
	if x == nil {
		found := len(d.findings)
		if x = d.firstCase(l, depth); x != nil && len(d.findings) == found {
			c.put(bits, x)
		}
	}
	return x
}

func (d *Decoder) firstCase(l *leafMemo, depth int) *display {
	i := d.shownCase(depth)
	switch {
	case i < 0:
		return nil
	case d.quick:
		return l.display(d, i)
	}
	return plainDisplayOf(d.frames[depth].leaf, i)
}

// chosen finds the leaf of the value of a frame, and its display, nil where it has none.
func (d *Decoder) chosen(ref *model.Ref, depth int) (x *display, ok bool) {
	m := d.envMemo(ref.Env)
	if !d.quick {
		if !d.enter(ref.Env, depth) {
			return nil, false
		}
		return d.firstCase(m.leafMemo(d.frames[depth].leaf.Leaf), depth), true
	}
	width := ref.Width
	if ref.Field.Table != nil {
		width = ref.Field.Table.Type.Size
	}
	if width > m.width {
		m.prepare(ref.Env, width)
	}
	var bits uint64
	choice := m.choice
	if choice != nil && ref.Prog != nil && d.frames[depth].v.Len() > m.width {
		choice = nil
	}
	if choice != nil {
		bits = choice.key.from(&d.frames[depth].from)
		if x := choice.at(bits); x != nil {
			d.frames[depth].leaf = x.unit
			return x, true
		}
	}
	found := len(d.findings)
	if !d.enter(ref.Env, depth) {
		return nil, false
	}
	u := d.frames[depth].leaf
	l := m.leafMemo(u.Leaf)
	if l.plan == nil {
		l.make(d, u)
	}
	if x = d.choose(l, depth); x != nil && choice != nil && len(d.findings) == found {
		choice.put(bits, x)
	}
	return x, true
}

// display prints a display.
func (d *Decoder) display(dst []byte, x *display, depth int) []byte {
	if d.watch != watchNothing {
		return d.view(dst, x, depth)
	}
	from := &d.frames[depth].from
	if !x.reads.find(d, from) {
		x = plainDisplayOf(x.unit, x.number)
	}
	known := segmentBreak // up to which kind texts are copied
	switch {
	case d.Symbol != nil:
		known = segmentEnd
	case d.Lines:
		known = segmentNamed
	}
	list := x.segments[:x.printed]
	if v, f := from[0], &x.flags; x.usual != nil && v[0]&f[0]|v[1]&f[1]|v[2]&f[2]|v[3]&f[3] == 0 {
		list = x.usual
	}
	for at := 0; at < len(list); at++ {
		if list[at].kind <= known {
			done, room := copyTexts(list[at:], dst[len(dst):cap(dst)], from, known)
			dst = dst[:cap(dst)-room]
			if at += done; at == len(list) {
				break
			}
		}
		p := &list[at]
		if dst = p.constant(dst); p.kind != segmentEnd {
			dst = d.segment(dst, p, depth)
		}
	}
	return dst
}

// copyTexts prints segments of kinds up to the one given as long as their texts are chunks that are known, and there is
// room. It returns how many it has printed, and how much room is left. It calls nothing, so that what it needs stays in
// registers.
func copyTexts(segments []segment, room []byte, from *sources, known segmentKind) (done, left int) {
	for i := range segments {
		p := &segments[i]
		if p.kind > known || len(room) < 2*len(chunk{}) {
			return i, len(room)
		}
		x := p.key.first.of(from)
		if len(p.key.rest) > 0 {
			if len(p.key.rest) > 1 {
				return i, len(room)
			}
			w := &p.key.rest[0]
			x |= w.of(from) << (w.at & 63)
		}
		c := &p.texts[x]
		size, more := p.lit[chunkLen]-1, c[chunkLen]-1
		if size|more > uint8(chunkLen) {
			return i, len(room)
		}
		to := (*[2 * len(chunk{})]byte)(room)
		*(*chunk)(to[:]) = p.lit
		*(*chunk)(to[size&15:]) = *c
		room = room[size&15+more&15:]
	}
	return len(segments), len(room)
}

// prependText puts a segment behind a constant text.
func (p *segment) prependText(text string) {
	p.lit = newChunk(text)
	if p.lit[chunkLen] == longText {
		p.front = text
	}
}

// constant appends the constant text of a segment.
func (p *segment) constant(dst []byte) []byte {
	n, size := len(dst), int(p.lit[chunkLen])-1
	switch {
	case size > chunkLen:
		return append(dst, p.front...)
	case cap(dst)-n < len(chunk{}):
		return append(dst, p.lit[:size]...)
	}
	dst = dst[:n+len(chunk{})]
	*(*chunk)(dst[n:]) = p.lit
	return dst[:n+size]
}

// segment prints what stands behind the text of a segment.
func (d *Decoder) segment(dst []byte, p *segment, depth int) []byte {
	switch {
	case p.symbols && d.Symbol != nil:
		return d.items(dst, p.items, depth)
	case !p.hasMemo() || p.skip():
		return d.rest(dst, p, depth)
	}
	x := p.key.from(&d.frames[depth].from)
	if text, ok := p.memo.text(x); ok {
		return append(dst, text...)
	}
	start, found := len(dst), len(d.findings)
	if dst = d.rest(dst, p, depth); len(d.findings) == found {
		p.keep(x, dst[start:])
	}
	return dst
}

// rest prints what stands behind the text of a segment without a memo of its own.
func (d *Decoder) rest(dst []byte, p *segment, depth int) []byte {
	switch {
	case p.ref == nil:
		return d.items(dst, p.items, depth)
	case p.direct && d.quick:
		return d.direct(dst, p.ref, depth)
	case p.ref.Kind == spec.KindBitset:
		return d.nested(dst, p.ref, depth)
	}
	return d.number(dst, p.ref, d.value(p.ref, depth))
}

// direct prints an operand in bits of a frame by the display that they choose, where that is known. Operands are few
// enough not to be counted where they are printed from memos.
func (d *Decoder) direct(dst []byte, ref *model.Ref, depth int) []byte {
	m, inner := d.envMemo(ref.Env), &d.frames[depth+1]
	d.leaveFrames(depth + 1)
	inner.v = bits.Value{d.frames[depth-ref.ScopeDepth].v.Uint(ref.Low, ref.Width)}
	if ref.Width <= m.width && m.choice != nil {
		if x := m.choice.at(m.choice.key.from(&inner.from)); x != nil {
			inner.leaf = x.unit
			return d.display(dst, x, depth+1)
		}
	}
	return d.nested(dst, ref, depth)
}

// plainDisplayOf returns the display of a case without memos.
func plainDisplayOf(u *model.BoundLeaf, number int) *display {
	to := &planOf(u).plain[number]
	x := to.Load()
	if x == nil {
		x = newDisplay(u, number)
		to.Store(x)
	}
	return x
}

// planOf returns the plan of a leaf, made at first use.
func planOf(u *model.BoundLeaf) *plan {
	if p, ok := u.Printer.Load().(*plan); ok {
		return p
	}
	p := &plan{unit: u, plain: make([]atomic.Pointer[display], len(u.Cases)), displays: make([]atomic.Pointer[display], len(u.Cases)), only: -1}
	u.Printer.Store(p)
	return p
}

// prepare finds what memos need.
func (p *plan) prepare() {
	inside := contentsOf{}.boundLeaf(p.unit)
	if p.general, p.branches = !inside.bounded(), inside.branches; p.general {
		return
	}
	if p.only = p.onlyCase(); p.only < 0 {
		g := dependencies{budget: maxDependencies}
		g.cases(p.unit, 0)
		p.choice, p.chooses = g.key(64)
		p.chooses = p.chooses && len(g.tables) == 0
	}
}

// display returns the display of a case, made at first use.
func (p *plan) display(set *Set, number int) *display {
	x := p.displays[number].Load()
	if x == nil {
		x = newDisplay(p.unit, number)
		x.findMemos()
		x.findFlags(set)
		p.displays[number].Store(x)
	}
	return x
}

// onlyCase returns the number of the case whose display is printed whatever the bits are, -1 if there is
// none.
func (p *plan) onlyCase() int {
	for i, c := range p.unit.Cases {
		if c.Cond != nil || len(c.Spec.Asserts) > 0 {
			return -1
		}
		if c.Shown {
			return i
		}
	}
	return -1
}

// prepare finds the bits that say which display a value of a bitset has, of at most so many bits.
func (m *envMemo) prepare(env *model.Env, width int) {
	m.width, m.choice = width, nil
	g := dependencies{budget: maxDependencies}
	for _, l := range env.Root.Leaves {
		g.masks[0] = g.masks[0].Or(l.Mask).Or(l.DontCare)
		g.cases(env.Bound(l), 0)
	}
	g.masks[0] = g.masks[0].And(bits.Ones(width))
	if k, ok := g.key(maxChoice); ok && len(g.tables) == 0 {
		m.choice = newChoice(k)
	}
}

// contents are what displays have in them.
type contents struct {
	// operands and depth are the greatest numbers of operands, and of frames in which they are printed.
	operands, depth int
	// branches tells that a branch target may be shown, placed that the text depends on where in a line it stands.
	branches, placed bool
}

// bounded reports whether neither bound is reached.
func (n contents) bounded() bool { return n.operands <= maxOperands && n.depth < maxFrames }

// max returns what one of both has.
func (n contents) max(o contents) contents {
	return contents{
		min(max(n.operands, o.operands), maxOperands+1), min(max(n.depth, o.depth), maxFrames),
		n.branches || o.branches, n.placed || o.placed,
	}
}

// plus returns what both have, one behind the other.
func (n contents) plus(o contents) contents {
	o.operands += n.operands
	return n.max(o)
}

// contentsOf has what is in the displays of operands, by their environment.
type contentsOf map[*model.Env]contents

func (c contentsOf) boundLeaf(u *model.BoundLeaf) (most contents) {
	for _, x := range u.Cases {
		most = most.max(c.items(x.Items))
	}
	return most
}

func (c contentsOf) items(items []model.Item) (n contents) {
	for i := range items {
		it := &items[i]
		if it.Kind == model.ItemText || it.Kind == model.ItemName {
			continue
		}
		n = n.plus(c.items(it.Members))
		var most contents
		for _, a := range it.Alts {
			most = most.max(c.ref(a.Ref))
		}
		n = n.plus(most)
		n.placed = n.placed || it.Kind == model.ItemAlign || it.Kind == model.ItemBreak || it.Kind == model.ItemRemark
	}
	return n
}

func (c contentsOf) ref(ref *model.Ref) (n contents) {
	if ref == nil {
		return n
	}
	n.branches = ref.Kind == spec.KindBranch || ref.Kind == spec.KindAbsBranch
	if ref.Kind == spec.KindBitset {
		n = c.env(ref.Env)
		n.operands++
		n.depth += 1 + len(ref.Path)
	}
	return n
}

func (c contentsOf) env(env *model.Env) (most contents) {
	if n, ok := env.Contents.Load().(contents); ok {
		return n
	}
	if n, ok := c[env]; ok {
		return n
	}
	c[env] = contents{operands: maxOperands + 1, depth: maxFrames} // where it is met inside of itself
	for _, l := range env.Root.Leaves {
		most = most.max(c.boundLeaf(env.Bound(l)))
	}
	if c[env] = most; most.bounded() { // so that it is in no circle
		env.Contents.Store(most)
	}
	return most
}

// newDisplay returns the display of a case, no segment of which is remembered.
func newDisplay(u *model.BoundLeaf, number int) *display {
	b := displayBuilder{x: &display{unit: u, number: number, items: u.Cases[number].Items}}
	b.x.segments = make([]segment, 0, len(b.x.items)/2+1) // half of most are text
	for items := b.x.items; len(items) > 0; {
		o, n := sameOperand(items)
		from := b.place()
		b.items(items[:n], o, false)
		if o != nil {
			b.x.groups = append(b.x.groups, group{o, items[:n], from, b.place()})
		}
		items = items[n:]
	}
	b.x.printed = len(b.x.segments)
	if b.text != "" {
		b.x.printed++
	}
	b.add(segment{kind: segmentEnd, memo: memo{texts: noText}, shownItems: &shownItems{}})
	return b.x
}

// findMemos finds which segments can be remembered, and by which bits.
func (x *display) findMemos() {
	for i := range x.segments {
		p := &x.segments[i]
		if p.kind == segmentEnd {
			continue
		}
		if p.depend(); p.hasMemo() && !x.reads.add(&p.key, p.tables) {
			p.kind = p.otherwise()
		}
	}
}

// findFlags finds the segments of which most words print nothing: signs, options and the like.
func (x *display) findFlags(set *Set) {
	d := newDecoder(set, x.unit.Env)
	d.frames[innermost].leaf = x.unit
	for i := range x.segments {
		flags := d.flagsOf(&x.segments[i])
		x.segments[i].quiet, x.flags = !flags.IsZero(), x.flags.Or(flags)
	}
}

// innermost is the frame in which a segment is tried, with room for all around it, whose bits do not matter; maxFlags is
// the greatest width of a key that is.
const innermost, maxFlags = maxFrames - 2, 6

// flagsOf returns the fewest bits of the word without which a segment prints nothing; none where there are none such.
func (d *Decoder) flagsOf(p *segment) (flags bits.Value) {
	outside := func(w window) bool { return w.source != 0 }
	if p.kind != segmentDense || p.key.width > maxFlags || outside(p.key.first) || slices.ContainsFunc(p.key.rest, outside) {
		return flags
	}
	needed := uint64(1)<<p.key.width - 1
	var loud []uint64 // keys that print something
	for x := range needed + 1 {
		d.frames[innermost].v = p.key.word(x)
		if d.text = d.rest(d.text[:0], p, innermost); len(d.text)+len(d.findings) > 0 {
			loud = append(loud, x)
		}
		if len(loud) > 0 && loud[0] == 0 {
			return flags
		}
	}
	for bit := needed/2 + 1; bit > 0; bit /= 2 {
		if less := needed &^ bit; !slices.ContainsFunc(loud, func(x uint64) bool { return x&less == 0 }) {
			needed = less
		}
	}
	return p.key.word(needed)
}

// dropQuiet makes the segments that words without flags print, if they are fewer by some.
func (x *display) dropQuiet() {
	list, text := make([]segment, 0, len(x.segments)), ""
	for _, p := range x.segments {
		if text += string(p.constant(nil)); p.quiet || p.kind == segmentEnd && text == "" {
			continue
		}
		if len(text) > chunkLen {
			own := *p.shownItems
			p.shownItems = &own
		}
		p.prependText(text)
		list, text = append(list, p), ""
	}
	if len(list)+2 < x.printed {
		x.usual = list
	}
}

// displayBuilder makes the segments of a display.
type displayBuilder struct {
	x *display
	// text and texts belong to no segment yet.
	text  string
	texts []*model.Item
}

// place returns the place of what comes next.
func (b *displayBuilder) place() textPlace { return textPlace{len(b.x.segments), len(b.text)} }

// add appends a segment, behind the constant text that has gathered.
func (b *displayBuilder) add(p segment) {
	p.prependText(b.text)
	p.fronts = b.texts
	b.text, b.texts = "", nil
	b.x.segments = append(b.x.segments, p)
}

// items appends items, all of one operand if they are of any; member tells that they are those of a set.
func (b *displayBuilder) items(items []model.Item, o *spec.Operand, member bool) {
	for i := range items {
		it := &items[i]
		switch {
		case it.Kind == model.ItemText || it.Kind == model.ItemName:
			b.text += it.Text
			b.texts = append(b.texts, it)
		case it.Kind == model.ItemSet && it.Join == "" && it.Before == "" && it.After == "":
			b.items(it.Members, o, true)
		default:
			p := newSegment(items[i : i+1])
			p.operand, p.member = o, member
			b.add(p)
		}
	}
}

// newSegment returns the segment of an item, the only one of a list.
func newSegment(items []model.Item) segment {
	it := &items[0]
	p := segment{shownItems: &shownItems{items: items, symbols: true}}
	if it.Kind == model.ItemRef && len(it.Alts) == 1 && it.Alts[0].Cond == nil && it.Before == "" && it.After == "" {
		if ref := it.Alts[0].Ref; ref != nil && ref.Field != nil && (ref.Kind == spec.KindBitset || ref.Width <= 64) {
			p.ref = ref
			p.direct = ref.Kind == spec.KindBitset && ref.Low >= 0 && ref.Prog == nil && len(ref.Path) == 0 && ref.Field.Table == nil
		}
	}
	p.looks = len(it.Members) > 0 || slices.ContainsFunc(it.Alts, func(a model.Alt) bool {
		if a.Ref == nil || a.Ref.Field == nil {
			return false
		}
		f := a.Ref.Field
		return p.ref == nil && f.IsOperand() || f.Bitset != nil && f.Bitset.HasOperands
	})
	if p.kind = p.otherwise(); p.kind == segmentBreak {
		p.texts = blank
	}
	return p
}

// noText and blank are texts that depend on nothing.
var noText, blank = []chunk{newChunk("")}, []chunk{newChunk(" ")}

// depend finds the bits on which the text of a segment depends, and whether it is worth remembering by them. It reports
// whether these are few enough.
func (p *segment) depend() (ok bool) {
	g := dependencies{budget: maxDependencies}
	g.item(&p.items[0], 0)
	p.symbols, p.tables = g.symbols, g.tables
	p.key, ok = g.key(64)
	switch {
	case ok && p.key.width <= maxDense && p.symbols:
		p.kind = segmentNamed
	case ok && p.key.width <= maxDense:
		p.kind = segmentDense
	case ok && (p.ref == nil || !plainNumber(p.ref)):
		p.kind = segmentWide
	}
	if p.hasMemo() {
		p.alike = p.cacheKey()
	}
	return ok
}

// hasMemo reports whether the texts of the segment are.
func (p *segment) hasMemo() bool {
	return p.kind == segmentDense || p.kind == segmentNamed || p.kind == segmentWide
}

// plainNumber reports whether a field is a number, which is formatted as soon as found.
func plainNumber(ref *model.Ref) bool {
	switch ref.Kind {
	case spec.KindInt, spec.KindUint, spec.KindHex, spec.KindOffset, spec.KindUOffset, spec.KindBranch, spec.KindAbsBranch, spec.KindCustom:
		return true
	}
	return false
}

// otherwise returns the kind of the segment if there is no memo for it.
func (p *segment) otherwise() segmentKind {
	switch {
	case p.items[0].Kind == model.ItemBreak:
		return segmentBreak
	case p.ref == nil:
		return segmentItem
	case p.ref.Kind == spec.KindBitset:
		return segmentOperand
	}
	return segmentNumber
}

// cacheKey is what the texts of a segment of one item depend on beside its key: the type of a field, and what is around
// it where that matters too, which is the same in the same environment. The zero value is where that is not all.
type cacheKey struct {
	kind          spec.Kind
	width         int
	enum          *model.Enum
	env           *model.Env
	display       *string
	before, after string
	// field is what has bits around it that matter, so far out, by the key of that name.
	field *spec.Field
	depth int
	key   string
	// style and said are where the kinds of letters are meant, and not the texts.
	style      *tokenStyle
	styleField *spec.Field
}

func (p *segment) cacheKey() (l cacheKey) {
	it := &p.items[0]
	if it.Kind != model.ItemRef || len(it.Alts) != 1 || it.Alts[0].Cond != nil {
		return l
	}
	ref := it.Alts[0].Ref
	if ref == nil || ref.Field == nil || ref.Prog != nil {
		return l
	}
	l = cacheKey{kind: ref.Kind, width: ref.Width, enum: ref.Enum, env: ref.Env, display: ref.Field.Display, before: it.Before, after: it.After}
	if len(p.key.rest) > 0 || ref.Low < 0 || ref.Width != p.key.width || ref.Env != nil && !ref.Env.Closed() {
		l.field, l.depth, l.key = ref.Field, ref.ScopeDepth, p.key.name(p.tables)
	}
	return l
}
