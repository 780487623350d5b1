package isa

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// plan holds the displays of a leaf, prepared for printing from memos. All decoders share the plan of a
// leaf.
type plan struct {
	unit *model.BoundLeaf
	// plain holds the displays without memos, and displays holds the displays with memos, both by case.
	// They are created on first use.
	plain, displays []atomic.Pointer[display]
	// prepared guards the following fields, which are computed when the first memo is needed.
	prepared sync.Once
	// only is the index of the case whose display is used for all words, or -1.
	only int
	// choice is the key that selects the case. It is valid if chooses is true.
	choice  key
	chooses bool
	// general means that operands may contain themselves or be too numerous. Such a leaf is printed
	// without memos, and its operands are counted. branches reports whether a display can contain a
	// branch target.
	general, branches bool
}

// display is the display of a case, divided into segments.
type display struct {
	unit *model.BoundLeaf
	// number is the index of the case. items are the items of its display.
	number   int
	items    []model.Item
	segments []segment
	// printed is the number of segments to print. It excludes a last segment without text.
	printed int
	reads   reads
	groups  []group
	// flags are bits that are 0 in most words. Words in which all flags are 0 are printed from usual,
	// which lacks the quiet segments. usual is nil if it would save too little.
	flags bits.Value
	usual []segment
}

// group is an operand with several parts, between two positions of a display.
type group struct {
	operand  *spec.Operand
	items    []model.Item
	from, to textPlace
}

// textPlace is a position in the constant text of a segment.
type textPlace struct{ segment, offset int }

// segment is constant text followed by an item.
type segment struct {
	lit  chunk
	kind segmentKind
	// key selects the text of a segment that has a memo.
	key key
	memo
	*shownItems
}

// shownItems holds the items of a segment and their properties.
type shownItems struct {
	// front is the constant text if it does not fit in a chunk. fronts are the items of the constant
	// text.
	front  string
	fronts []*model.Item
	items  []model.Item
	// operand is the operand to which the items belong, or nil. member means that the items are members
	// of a set.
	operand *spec.Operand
	member  bool
	// looks means that the items must be printed without the memo to find their operands.
	looks bool
	// ref is the field of the only item if the item has no conditions and no other text. direct means
	// that the field is a nested bitset whose value is in contiguous bits of a frame.
	ref    *model.Ref
	direct bool
	// tables are the table entries that the key reads.
	tables []entrySource
	// symbols reports whether the program may have a name for a value in the text.
	symbols bool
	alike   cacheKey
	// quiet means that the item prints nothing if all flags of the display are 0.
	quiet bool
}

type segmentKind uint8

const (
	segmentDense   segmentKind = iota // a text that depends on few bits
	segmentEnd                        // only constant text
	segmentNamed                      // a text that depends on few bits and on the names that the program has for values
	segmentBreak                      // a blank or a line break
	segmentWide                       // a text that depends on more bits
	segmentNumber                     // a number, which is faster to format than to look up
	segmentOperand                    // an operand whose own segments have memos
	segmentItem                       // any other item, printed without a memo
)

// planned reports whether to print an instruction of a leaf from memos. It returns false if memos are
// impossible or not worthwhile yet.
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

// choose returns the display of the first case that applies and has a display, or nil if there is no
// such case. It records the findings of the asserts up to that case.
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

// chosen finds the leaf that matches the value of a frame and stores the leaf in the frame. x is the
// display of the leaf. It is nil if no display applies. ok is false if no leaf matches.
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

// display prints the text of an instruction or operand from a display.
func (d *Decoder) display(dst []byte, x *display, depth int) []byte {
	if d.watch != watchNothing {
		return d.view(dst, x, depth)
	}
	from := &d.frames[depth].from
	if !x.reads.find(d, from) {
		x = plainDisplayOf(x.unit, x.number)
	}
	known := segmentBreak // copyTexts copies segments up to this kind
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
			done, left := copyTexts(list[at:], dst[len(dst):cap(dst)], from, known)
			dst = dst[:cap(dst)-left]
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

// copyTexts copies the texts of segments whose kind is at most known. It stops at any other segment, at
// a key with more than two windows, and at a text that is not cached as a chunk. It also stops when too
// little space is left. It returns the number of copied segments and the remaining space in bytes. All
// functions that it calls are small enough to be inlined, so that its variables stay in registers.
func copyTexts(segments []segment, space []byte, from *sources, known segmentKind) (done, left int) {
	for i := range segments {
		p := &segments[i]
		if p.kind > known || len(space) < 2*len(chunk{}) {
			return i, len(space)
		}
		x := p.key.first.of(from)
		if len(p.key.rest) > 0 {
			if len(p.key.rest) > 1 {
				return i, len(space)
			}
			w := &p.key.rest[0]
			x |= w.of(from) << (w.at & 63)
		}
		c := &p.texts[x]
		size, more := p.lit[chunkLen]-1, c[chunkLen]-1
		if size|more > uint8(chunkLen) {
			return i, len(space)
		}
		to := (*[2 * len(chunk{})]byte)(space)
		*(*chunk)(to[:]) = p.lit
		*(*chunk)(to[size&15:]) = *c
		space = space[size&15+more&15:]
	}
	return len(segments), len(space)
}

// prependText sets the constant text of a segment.
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

// segment prints the part of a segment that follows its constant text.
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

// rest prints the item of a segment without the segment's memo.
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

// direct prints a nested bitset whose value is in contiguous bits of a frame. If the display for this
// value is cached, direct uses it and does not count the operand. The count is unnecessary, because
// leaves with too many operands are printed without memos. If the display is not cached, direct calls
// nested.
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

// plainDisplayOf returns the display of a case without memos. It is created on first use.
func plainDisplayOf(u *model.BoundLeaf, number int) *display {
	to := &planOf(u).plain[number]
	x := to.Load()
	if x == nil {
		x = newDisplay(u, number)
		to.Store(x)
	}
	return x
}

// planOf returns the plan of a leaf. It is created on first use.
func planOf(u *model.BoundLeaf) *plan {
	if p, ok := u.Printer.Load().(*plan); ok {
		return p
	}
	p := &plan{unit: u, plain: make([]atomic.Pointer[display], len(u.Cases)), displays: make([]atomic.Pointer[display], len(u.Cases)), only: -1}
	u.Printer.Store(p)
	return p
}

// prepare computes the fields of the plan that are needed to print from memos.
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

// display returns the display of a case with memos. It is created on first use.
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

// onlyCase returns the index of the case that is used for all words, or -1.
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

// prepare computes the key that selects the display for a value of width bits.
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

// contents summarizes what displays contain.
type contents struct {
	// operands and depth are the maximum numbers of operands and of nested frames.
	operands, depth int
	// branches reports whether a branch target may be printed. placed reports whether the text depends
	// on its column.
	branches, placed bool
}

// bounded reports whether both numbers are within their limits.
func (n contents) bounded() bool { return n.operands <= maxOperands && n.depth < maxFrames }

// max returns the contents of a display that prints either n or o.
func (n contents) max(o contents) contents {
	return contents{
		min(max(n.operands, o.operands), maxOperands+1), min(max(n.depth, o.depth), maxFrames),
		n.branches || o.branches, n.placed || o.placed,
	}
}

// plus returns the contents of a display that prints both n and o.
func (n contents) plus(o contents) contents {
	o.operands += n.operands
	return n.max(o)
}

// contentsOf caches the contents of operands by environment.
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
	c[env] = contents{operands: maxOperands + 1, depth: maxFrames} // for an operand that contains itself
	for _, l := range env.Root.Leaves {
		most = most.max(c.boundLeaf(env.Bound(l)))
	}
	if c[env] = most; most.bounded() { // the operand does not contain itself
		env.Contents.Store(most)
	}
	return most
}

// newDisplay returns the display of a case without memos.
func newDisplay(u *model.BoundLeaf, number int) *display {
	b := displayBuilder{x: &display{unit: u, number: number, items: u.Cases[number].Items}}
	b.x.segments = make([]segment, 0, len(b.x.items)/2+1) // about half of the items are text
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

// findMemos determines which segments can have a memo and sets the keys of these segments.
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

// findFlags marks the segments that print nothing for most words, such as signs and options. It also
// collects the flags of these segments.
func (x *display) findFlags(set *Set) {
	d := newDecoder(set, x.unit.Env)
	d.frames[innermost].leaf = x.unit
	for i := range x.segments {
		flags := d.flagsOf(&x.segments[i])
		x.segments[i].quiet, x.flags = !flags.IsZero(), x.flags.Or(flags)
	}
}

// innermost is the frame in which findFlags tries a segment. The frames before it are the enclosing
// frames, whose bits do not matter. maxFlags is the greatest key width that findFlags tries.
const innermost, maxFlags = maxFrames - 2, 6

// flagsOf returns a minimal set of bits of the word with this property: if all of them are 0, the
// segment prints nothing. It returns no bits if no such set exists.
func (d *Decoder) flagsOf(p *segment) (flags bits.Value) {
	outside := func(w window) bool { return w.source != 0 }
	if p.kind != segmentDense || p.key.width > maxFlags || outside(p.key.first) || slices.ContainsFunc(p.key.rest, outside) {
		return flags
	}
	needed := uint64(1)<<p.key.width - 1
	var printing []uint64 // keys with output
	for x := range needed + 1 {
		d.frames[innermost].v = p.key.word(x)
		if d.text = d.rest(d.text[:0], p, innermost); len(d.text)+len(d.findings) > 0 {
			printing = append(printing, x)
		}
		if len(printing) > 0 && printing[0] == 0 {
			return flags
		}
	}
	for bit := needed/2 + 1; bit > 0; bit /= 2 {
		if less := needed &^ bit; !slices.ContainsFunc(printing, func(x uint64) bool { return x&less == 0 }) {
			needed = less
		}
	}
	return p.key.word(needed)
}

// dropQuiet sets usual to the segments for words in which all flags are 0. It leaves usual nil if at
// most two segments would be saved.
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

// displayBuilder divides a display into segments.
type displayBuilder struct {
	x *display
	// text is the constant text for the next segment, and texts are its items.
	text  string
	texts []*model.Item
}

// place returns the position at which the next item will be.
func (b *displayBuilder) place() textPlace { return textPlace{len(b.x.segments), len(b.text)} }

// add appends a segment with the constant text collected before it.
func (b *displayBuilder) add(p segment) {
	p.prependText(b.text)
	p.fronts = b.texts
	b.text, b.texts = "", nil
	b.x.segments = append(b.x.segments, p)
}

// items appends items to the display. o is the operand to which the items belong, or nil. member means
// that the items are members of a set.
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

// newSegment returns a segment for items, which must have exactly one element.
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

// noText and blank are the texts of segments that always print the same text.
var noText, blank = []chunk{newChunk("")}, []chunk{newChunk(" ")}

// depend determines the key of a segment and whether a memo is worthwhile. It reports whether the text
// depends on few enough bits.
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

// hasMemo reports whether the texts of the segment are cached.
func (p *segment) hasMemo() bool {
	return p.kind == segmentDense || p.kind == segmentNamed || p.kind == segmentWide
}

// plainNumber reports whether a field is a number that is faster to format than to look up.
func plainNumber(ref *model.Ref) bool {
	switch ref.Kind {
	case spec.KindInt, spec.KindUint, spec.KindHex, spec.KindOffset, spec.KindUOffset, spec.KindBranch, spec.KindAbsBranch, spec.KindCustom:
		return true
	}
	return false
}

// otherwise returns the kind of the segment without a memo.
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

// cacheKey identifies the texts of a segment. If two segments have equal cache keys, they print the same
// text for the same value of the segment's key, so they share a memo. A cacheKey consists of the type of
// the field, the text around the field and, if necessary, the source of the bits. A segment with the
// zero cacheKey does not share its memo.
type cacheKey struct {
	kind          spec.Kind
	width         int
	enum          *model.Enum
	env           *model.Env
	display       *string
	before, after string
	// field, depth and key identify the source of the bits. They are set only if the text may depend on
	// more than the field's own bits.
	field *spec.Field
	depth int
	key   string
	// style and styleField are set if the memo holds token kinds instead of texts.
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
