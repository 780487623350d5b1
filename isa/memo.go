package isa

import (
	"iter"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// The memo of the printer: each item of a display remembers its text by the bits on which the text
// depends. The general printer fills it. What it found something in is not remembered, so that it finds
// it again each time.

// remembered is what a decoder remembers of a leaf in its environment.
type remembered struct {
	unit *model.Unit
	// displays are those of the unit's cases; an item is nil where a case has none.
	displays []*display
	// choice has the number of the case whose display is printed, by the bits of choiceKey; nil where the
	// conditions are cheaper.
	choice    *memo
	choiceKey key
	chooses   bool
	// only is the number of the case whose display is printed whatever the bits are, -1 if there is none;
	// single is this display.
	only   int
	single *display
}

// display is the display of a case.
type display struct {
	items []piece
	reads reads
	// room is what the chunks of all pieces need at most.
	room int
}

// piece is constant text and what stands behind it.
type piece struct {
	text string
	// lit is the text where it is short.
	lit chunk
	// item is nil behind the last text.
	item *model.Item
	// memo has the texts by the bits of key; nil where they are not kept, since they depend on too much.
	memo *memo
	key  key
	kept bool
	// number is set for a field that is formatted sooner than found, nested for an operand whose own pieces
	// are remembered.
	number, nested *model.Ref
	// symbols tells that the program may have a name for a value.
	symbols bool
}

// chunk is a text of up to 15 bytes with its length in the last one. Such a text is copied with one move
// of 16 bytes whatever its length; what is too much is overwritten by what follows.
type chunk [16]byte

// chunkLen is the longest text that a chunk holds, and the place of the length. Instead of a length there
// may be notShort, for a text that is no chunk, or nothing, where none is known.
const (
	chunkLen = len(chunk{}) - 1
	notShort = 0xff
	nothing  = 0xfe
)

func newChunk(s []byte) chunk {
	if len(s) > chunkLen {
		return chunk{chunkLen: notShort}
	}
	c := chunk{chunkLen: byte(len(s))}
	copy(c[:chunkLen], s)
	return c
}

// memo has texts, or in their place the numbers of cases, by the bits on which they depend. A key has one place among the
// slots, of which there are a power of two.
type memo struct {
	// short are the texts that are chunks, with as many operands in them as most.
	short []chunk
	// keys tell whose the slots are, where there are more keys than slots; they are nil where each key has
	// a slot of its own.
	keys []uint64
	// width is the number of bits of a key.
	width int
	// operands is the number of operands in most texts.
	operands int
	// rest has what is not in short, nil before there is any.
	rest []text
	// clashes counts the keys that found another in their place since the slots were made.
	clashes int
}

// text is a text that is no chunk, or has another number of operands in it.
type text struct {
	s        []byte
	operands int
}

// Slots start few, since most decoders see few values, and grow while keys clash. The numbers are those of
// bits.
const (
	firstSlots = 4
	mostSlots  = 11
)

func newMemo(width int) *memo {
	m := &memo{width: width}
	m.resize(1 << min(width, firstSlots))
	return m
}

func (m *memo) resize(n int) {
	m.short, m.keys, m.rest, m.clashes = make([]chunk, n), nil, nil, 0
	for i := range m.short {
		m.short[i][chunkLen] = nothing
	}
	if m.width >= mathbits.Len(uint(n)) {
		m.keys = make([]uint64, n)
	}
}

// slot returns the place of a key.
func (m *memo) slot(x uint64) int {
	if m.keys != nil {
		x = (x * 0x9e3779b97f4a7c15) >> 33
	}
	return int(x) & (len(m.short) - 1)
}

// has reports whether a slot is a key's.
func (m *memo) has(i int, x uint64) bool {
	return m.short[i][chunkLen] != nothing && (m.keys == nil || m.keys[i] == x)
}

// put remembers a text.
func (m *memo) put(x uint64, s []byte, operands int) {
	i := m.slot(x)
	if m.keys != nil && m.short[i][chunkLen] != nothing && m.keys[i] != x {
		if m.clashes++; m.clashes > len(m.short)/2 && len(m.short) < 1<<mostSlots {
			m.grow()
			i = m.slot(x)
		}
	}
	if m.keys != nil {
		m.keys[i] = x
	}
	if m.short[i] = newChunk(s); m.short[i][chunkLen] != notShort && operands == m.operands {
		return
	}
	if m.short[i][chunkLen] = notShort; m.rest == nil {
		m.rest = make([]text, len(m.short))
	}
	t := &m.rest[i]
	t.s, t.operands = append(t.s[:0], s...), operands
}

// grow doubles the slots. What was remembered is forgotten: it comes again if it is frequent.
func (m *memo) grow() { m.resize(2 * len(m.short)) }

// quick prints the display of a unit.
func (d *Decoder) quick(dst []byte, r *remembered, depth int) []byte {
	if r.single != nil {
		return d.display(dst, r.single, depth)
	}
	i := d.choose(r, depth)
	if i == len(r.displays) {
		return d.noDisplay(dst, r.unit)
	}
	return d.display(dst, r.displays[i], depth)
}

// choose returns the number of the case whose display is printed, and finds what the cases before it
// expect.
func (d *Decoder) choose(r *remembered, depth int) int {
	if r.choice == nil {
		return d.chooseCase(r, depth)
	}
	x := r.choiceKey.read(d, depth)
	if i := r.choice.slot(x); r.choice.has(i, x) {
		return int(r.choice.short[i][0])
	}
	found := len(d.findings)
	i := d.chooseCase(r, depth)
	if len(d.findings) == found {
		r.choice.put(x, []byte{byte(i)}, 0)
	}
	return i
}

func (d *Decoder) chooseCase(r *remembered, depth int) int {
	for i, c := range r.unit.Cases {
		if c.Cond != nil && d.eval(c.Cond, depth) == 0 {
			continue
		}
		if len(c.Spec.Asserts) > 0 {
			d.asserts(c.Spec, depth)
		}
		if c.Shown {
			return i
		}
	}
	return len(r.displays)
}

// display prints a display.
func (d *Decoder) display(dst []byte, l *display, depth int) []byte {
	var from sources
	if !l.reads.find(d, depth, &from) || d.operands > maxOperands-maxOfDisplay {
		return d.generally(dst, l, depth)
	}
	buf, n := room(dst, l.room)
	for i := range l.items {
		p := &l.items[i]
		if size := p.lit[chunkLen]; size != notShort {
			*(*chunk)(buf[n:]) = p.lit
			n += int(size)
		} else {
			n += copy(buf[n:], p.text)
		}
		m := p.memo
		if m == nil || p.symbols && d.Symbol != nil {
			if p.item != nil {
				buf, n = room(d.unremembered(buf[:n], p, depth), l.room)
			}
			continue
		}
		x := p.key.from(&from)
		i := m.slot(x)
		c := &m.short[i]
		size := c[chunkLen]
		if size <= uint8(chunkLen) && (m.keys == nil || m.keys[i] == x) {
			*(*chunk)(buf[n:]) = *c
			n += int(size)
			d.operands += m.operands
			continue
		}
		if size == nothing || m.keys != nil && m.keys[i] != x {
			buf, n = room(d.remember(buf[:n], p, x, depth), l.room)
			continue
		}
		t := &m.rest[i]
		d.operands += t.operands
		buf, n = room(append(buf[:n], t.s...), l.room)
	}
	return buf[:n]
}

// A remembered text has at most maxInPieces operands in it, and the remembered texts of a display at most
// maxOfDisplay: so it is enough to ask once for each display whether the bound on operands is near.
const (
	maxInPieces  = 4
	maxOfDisplay = 1 << 10
)

// generally prints a display in the general way.
func (d *Decoder) generally(dst []byte, l *display, depth int) []byte {
	for i := range l.items {
		p := &l.items[i]
		if dst = append(dst, p.text...); p.item != nil {
			dst = d.item(dst, p.item, depth)
		}
	}
	return dst
}

// unremembered prints a piece whose text is not remembered.
func (d *Decoder) unremembered(dst []byte, p *piece, depth int) []byte {
	switch {
	case p.symbols && d.Symbol != nil:
	case p.number != nil:
		return d.number(dst, p.number, d.value(p.number, depth))
	case p.nested != nil:
		return d.nested(dst, p.nested, depth)
	}
	return d.item(dst, p.item, depth)
}

// remember prints a piece in the general way and remembers its text.
func (d *Decoder) remember(dst []byte, p *piece, x uint64, depth int) []byte {
	start, found, operands := len(dst), len(d.findings), d.operands
	dst = d.item(dst, p.item, depth)
	operands = d.operands - operands
	if len(d.findings) > found || operands > maxInPieces {
		return dst
	}
	p.memo.put(x, dst[start:], operands)
	return dst
}

// room returns dst with all its capacity and its length, after making sure of n more bytes.
func room(dst []byte, n int) ([]byte, int) {
	if cap(dst)-len(dst) < n {
		dst = append(dst, make([]byte, n)...)[:len(dst)]
	}
	return dst[:cap(dst)], len(dst)
}

// rememberedOf returns what is remembered of a leaf, made at first use.
func (d *Decoder) rememberedOf(env *model.Env, leaf *model.Leaf) *remembered {
	for env.Index >= len(d.memos) {
		d.memos = append(d.memos, nil)
	}
	of := d.memos[env.Index]
	if of == nil {
		of = make([]*remembered, len(env.Root.Leaves))
		d.memos[env.Index] = of
	}
	if of[leaf.ID] == nil {
		of[leaf.ID] = d.newRemembered(env.Unit(leaf))
	}
	return of[leaf.ID]
}

// newRemembered returns a leaf of which nothing is remembered yet. What does not depend on the decoder is
// worked out once for all of them.
func (d *Decoder) newRemembered(u *model.Unit) *remembered {
	plan, ok := u.Printer.Load().(*remembered)
	if !ok {
		plan = newPlan(u)
		u.Printer.Store(plan)
	}
	r := *plan
	r.displays = make([]*display, len(plan.displays))
	for i, l := range plan.displays {
		if l != nil {
			r.displays[i] = d.withMemos(l)
		}
	}
	if plan.only >= 0 {
		r.single = r.displays[plan.only]
	}
	if plan.chooses {
		r.choice = newMemo(r.choiceKey.width)
	}
	return &r
}

// withMemos returns a display with memos of the decoder's own.
func (d *Decoder) withMemos(l *display) *display {
	own := *l
	own.items = slices.Clone(l.items)
	for i := range own.items {
		if p := &own.items[i]; p.kept {
			p.memo = d.memoOf(p.item, &p.key)
		}
	}
	return &own
}

// newPlan works out on which bits the texts of a leaf depend.
func newPlan(u *model.Unit) *remembered {
	r := &remembered{unit: u, displays: make([]*display, len(u.Cases))}
	for i, c := range u.Cases {
		if c.Shown {
			r.displays[i] = newDisplay(c.Items)
		}
	}
	if r.only = onlyDisplay(r); r.only < 0 && len(u.Cases) < notShort {
		r.plan(u)
	}
	return r
}

// onlyDisplay returns the number of the case whose display is printed whatever the bits are, -1 if there is
// none.
func onlyDisplay(r *remembered) int {
	for i, c := range r.unit.Cases {
		if c.Cond != nil || len(c.Spec.Asserts) > 0 {
			return -1
		}
		if r.displays[i] != nil {
			return i
		}
	}
	return -1
}

// plan finds the bits that say which case is printed, unless asking the conditions is as fast, or they depend
// on too much.
func (r *remembered) plan(u *model.Unit) {
	simple := true
	g := dependencies{budget: maxDependencies}
	for _, c := range u.Cases {
		if len(c.Spec.Asserts) > 0 {
			return
		}
		if c.Cond != nil {
			simple = simple && c.Cond.Simple
			g.prog(c.Cond, 0)
		}
	}
	if k, ok := g.key(); ok && !simple && len(k.tables) == 0 {
		r.chooses, r.choiceKey = true, k
	}
}

func newDisplay(items []model.Item) *display {
	l := &display{}
	l.add(items)
	if n := len(l.items); n == 0 || l.items[n-1].item != nil {
		l.items = append(l.items, piece{})
	}
	l.room = len(chunk{}) // the last chunk is written whole
	for i := range l.items {
		p := &l.items[i]
		p.lit = newChunk([]byte(p.text))
		l.room += len(p.text) + chunkLen
		if p.kept {
			l.reads.add(&p.key)
		}
	}
	for i := range l.items {
		if p := &l.items[i]; p.kept {
			p.kept = len(l.items) <= maxOfDisplay/maxInPieces && l.reads.locate(&p.key)
		}
	}
	return l
}

// add appends the pieces of a template; constant text joins up.
func (l *display) add(items []model.Item) {
	for i := range items {
		it := &items[i]
		n := len(l.items)
		if n == 0 || l.items[n-1].item != nil {
			l.items = append(l.items, piece{})
			n++
		}
		switch {
		case it.Kind == model.ItemText || it.Kind == model.ItemName:
			l.items[n-1].text += it.Text
		case it.Kind == model.ItemSet && it.Join == "" && it.Before == "" && it.After == "":
			l.add(it.Members)
		default:
			l.items[n-1].set(it)
		}
	}
}

// set sets the item of a piece.
func (p *piece) set(it *model.Item) {
	p.item = it
	if len(it.Alts) == 1 && it.Alts[0].Cond == nil {
		p.number = plainNumber(it, it.Alts[0].Ref)
	}
	g := dependencies{budget: maxDependencies}
	g.item(it, 0)
	p.symbols = g.symbols
	k, ok := g.key()
	if !ok && it.Kind == model.ItemRef && len(it.Alts) == 1 && it.Alts[0].Cond == nil && it.Before == "" && it.After == "" {
		if ref := it.Alts[0].Ref; ref != nil && ref.Kind == spec.KindBitset {
			p.nested = ref
		}
	}
	p.key, p.kept = k, ok && p.number == nil
}

// alike are items whose texts are the same for the same values.
type alike struct {
	kind          spec.Kind
	width         int
	enum          *model.Enum
	env           *model.Env
	display       *string
	before, after string
}

// memoOf returns the memo of an item. Those that show one run of bits of the same type share theirs.
func (d *Decoder) memoOf(it *model.Item, k *key) *memo {
	operands := 0
	if len(it.Alts) > 0 && it.Alts[0].Ref != nil && it.Alts[0].Ref.Kind == spec.KindBitset {
		operands = 1
	}
	if len(it.Alts) != 1 || it.Alts[0].Cond != nil || len(k.rest) > 0 {
		return newItemMemo(k.width, operands)
	}
	ref := it.Alts[0].Ref
	if ref.Field == nil || ref.Prog != nil || ref.Low < 0 || ref.Width != k.width || ref.Env != nil && !ref.Env.Closed() {
		return newItemMemo(k.width, operands)
	}
	a := alike{ref.Kind, ref.Width, ref.Enum, ref.Env, ref.Field.Display, it.Before, it.After}
	m := d.alike[a]
	if m == nil {
		if d.alike == nil {
			d.alike = map[alike]*memo{}
		}
		m = newItemMemo(k.width, operands)
		d.alike[a] = m
	}
	return m
}

func newItemMemo(width, operands int) *memo {
	m := newMemo(width)
	m.operands = operands
	return m
}

// plainNumber returns a reference whose value is formatted sooner than its text is found: a number of so
// many bits that hardly a text comes again.
func plainNumber(it *model.Item, ref *model.Ref) *model.Ref {
	const few = 16
	if ref == nil || ref.Field == nil || ref.Width <= few || ref.Width > 64 || it.Before != "" || it.After != "" || it.Kind != model.ItemRef {
		return nil
	}
	switch ref.Kind {
	case spec.KindInt, spec.KindUint, spec.KindHex, spec.KindOffset, spec.KindUOffset:
		return ref
	}
	return nil
}

// key reads the bits on which something depends as one number.
type key struct {
	// first is the lowest window, of no bits where the key depends on nothing.
	first window
	rest  []window
	// width is the number of bits of all windows.
	width int
	// tables are the entries in which windows are.
	tables []entrySource
}

// windows yields the windows of a key.
func (k *key) windows() iter.Seq[*window] {
	return func(yield func(*window) bool) {
		if !yield(&k.first) {
			return
		}
		for i := range k.rest {
			if !yield(&k.rest[i]) {
				return
			}
		}
	}
}

// window is a run of bits of a source, which stand in the key from bit at upwards.
type window struct {
	// source is the number of a frame further out, of an entry from sourceEntry on, or sourceContext.
	source, limb, shift, at uint8
	mask                    uint64
}

// sources are where the bits of keys are: the frame at hand and those around it, entries of tables, and
// the contexts.
type sources [8]*bits.Value

const (
	sourceEntry   = 4
	sourceContext = 7
	maxHops       = sourceEntry - 1
	maxEntries    = sourceContext - sourceEntry
)

// entrySource says which entry of a table a word names.
type entrySource struct {
	table       int
	limb, shift uint8
	mask        uint64
}

// reads are the sources that the pieces of a display need.
type reads struct {
	hops    int
	entries []entrySource
}

// add notes the sources of a key.
func (r *reads) add(k *key) {
	for _, e := range k.tables {
		if !r.has(e) && len(r.entries) < maxEntries {
			r.entries = append(r.entries, e)
		}
	}
	for w := range k.windows() {
		if w.source <= maxHops {
			r.hops = max(r.hops, int(w.source))
		}
	}
}

func (r *reads) has(e entrySource) bool {
	for _, x := range r.entries {
		if x == e {
			return true
		}
	}
	return false
}

// locate numbers the entries of a key as those of the display. It reports whether all have a place.
func (r *reads) locate(k *key) bool {
	for w := range k.windows() {
		if w.source < sourceEntry || w.source == sourceContext {
			continue
		}
		found := false
		for n, e := range r.entries {
			if e == k.tables[w.source-sourceEntry] {
				w.source, found = uint8(sourceEntry+n), true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// find finds the sources. It reports whether there are all: the word may name an entry beyond its table.
func (r *reads) find(d *Decoder, depth int, to *sources) bool {
	to[0], to[sourceContext] = &d.frames[depth].v, &d.ctx
	for h := 1; h <= r.hops; h++ {
		to[h&7] = &d.frames[depth-h].v
	}
	for i := range r.entries {
		e := &r.entries[i]
		index := to[0][e.limb&3] >> (e.shift & 63) & e.mask
		t := d.tables[e.table]
		if index >= uint64(len(t)) {
			return false
		}
		to[(sourceEntry+i)&7] = &t[index]
	}
	return true
}

// from reads a key from its sources.
func (k *key) from(s *sources) uint64 {
	x := s[k.first.source&7][k.first.limb&3] >> (k.first.shift & 63) & k.first.mask
	if len(k.rest) > 0 {
		x |= k.others(s)
	}
	return x
}

// others reads the bits of all windows but the first.
func (k *key) others(s *sources) (x uint64) {
	for i := range k.rest {
		w := &k.rest[i]
		x |= s[w.source&7][w.limb&3] >> (w.shift & 63) & w.mask << (w.at & 63)
	}
	return x
}

// read reads a key without entries.
func (k *key) read(d *Decoder, depth int) uint64 {
	var s sources
	s[0], s[sourceContext] = &d.frames[depth].v, &d.ctx
	for w := range k.windows() {
		if w.source <= maxHops {
			s[w.source] = &d.frames[depth-int(w.source)].v
		}
	}
	return k.from(&s)
}
