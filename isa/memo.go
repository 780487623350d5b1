package isa

import (
	mathbits "math/bits"

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
	// choice has the number of the case whose display is printed, by the bits on which that depends;
	// nil where the conditions are cheaper.
	choice *memo
	// only is the display that is printed whatever the bits are, nil if there is none.
	only *display
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
	// memo is nil where the text of the item depends on too much.
	memo *memo
	// number is set for a field that is formatted sooner than found.
	number *model.Ref
	// symbols tells that the program may have a name for a value.
	symbols bool
}

// chunk is a text of up to 15 bytes with its length in the last one. Such a text is copied with one move
// of 16 bytes whatever its length; what is too much is overwritten by what follows.
type chunk [16]byte

// chunkLen is the longest text that a chunk holds, and the place of the length. A length of notShort
// stands for a text that is no chunk.
const (
	chunkLen = len(chunk{}) - 1
	notShort = 0xff
)

func newChunk(s []byte) chunk {
	if len(s) > chunkLen {
		return chunk{chunkLen: notShort}
	}
	c := chunk{chunkLen: byte(len(s))}
	copy(c[:chunkLen], s)
	return c
}

// memo has texts, or numbers of cases, by the bits on which they depend.
type memo struct {
	key key
	// slots are a power of two; a key has one place among them.
	slots []slot
	// clashes counts the keys that found another in their place since the slots were made.
	clashes int
}

type slot struct {
	key  uint64
	text chunk
	// long is the text that is no chunk.
	long []byte
	// full tells that the slot is taken.
	full bool
	// number is that of a case, or of the operands that are printed in a text.
	number uint8
}

// Slots start few, since most decoders see few values, and grow while keys clash.
const (
	firstSlots = 8
	mostSlots  = 1 << 11
)

// at returns the slot of a key.
func (m *memo) at(x uint64) *slot {
	if len(m.slots) == 0 {
		m.slots = make([]slot, firstSlots)
	}
	return &m.slots[m.place(x)]
}

// place spreads the keys over the slots: those that fit have a slot each.
func (m *memo) place(x uint64) uint64 {
	n := uint64(len(m.slots) - 1)
	if m.key.width <= mathbits.Len64(n) {
		return x & n
	}
	return (x * 0x9e3779b97f4a7c15) >> 33 & n
}

// take returns the slot for a key that is to be remembered.
func (m *memo) take(x uint64) *slot {
	s := m.at(x)
	if s.full && s.key != x {
		if m.clashes++; m.clashes > len(m.slots)/2 && len(m.slots) < mostSlots {
			m.grow()
			s = m.at(x)
		}
	}
	s.full, s.key = true, x
	return s
}

func (m *memo) grow() {
	old := m.slots
	m.slots, m.clashes = make([]slot, 2*len(old)), 0
	for i := range old {
		if s := &old[i]; s.full {
			*m.at(s.key) = *s
		}
	}
}

// quick prints the display of a unit.
func (d *Decoder) quick(dst []byte, r *remembered, depth int) []byte {
	if r.only != nil {
		return d.display(dst, r.only, depth)
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
	x := r.choice.key.read(d, depth)
	if s := r.choice.at(x); s.full && s.key == x {
		return int(s.number)
	}
	found := len(d.findings)
	i := d.chooseCase(r, depth)
	if len(d.findings) == found {
		r.choice.take(x).number = uint8(i)
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
	ok := l.reads.find(d, depth, &from)
	buf, n := room(dst, l.room)
	for i := range l.items {
		p := &l.items[i]
		if size := p.lit[chunkLen]; size != notShort {
			*(*chunk)(buf[n:]) = p.lit
			n += int(size)
		} else {
			n += copy(buf[n:], p.text)
		}
		if p.memo == nil {
			buf, n = room(d.unremembered(buf[:n], p, depth), l.room)
			continue
		}
		if !ok || p.symbols && d.Symbol != nil {
			buf, n = room(d.item(buf[:n], p.item, depth), l.room)
			continue
		}
		x := p.memo.key.from(&from)
		s := p.memo.at(x)
		if !s.full || s.key != x || d.operands > maxOperands-notShort {
			buf, n = room(d.remember(buf[:n], p, x, depth), l.room)
			continue
		}
		d.operands += int(s.number)
		if size := s.text[chunkLen]; size != notShort {
			*(*chunk)(buf[n:]) = s.text
			n += int(size)
			continue
		}
		buf, n = room(append(buf[:n], s.long...), l.room)
	}
	return buf[:n]
}

// unremembered prints a piece whose text is not remembered.
func (d *Decoder) unremembered(dst []byte, p *piece, depth int) []byte {
	switch {
	case p.item == nil:
		return dst
	case p.number != nil && (!p.symbols || d.Symbol == nil):
		return d.number(dst, p.number, d.value(p.number, depth))
	}
	return d.item(dst, p.item, depth)
}

// remember prints a piece in the general way and remembers its text.
func (d *Decoder) remember(dst []byte, p *piece, x uint64, depth int) []byte {
	start, found, operands := len(dst), len(d.findings), d.operands
	dst = d.item(dst, p.item, depth)
	operands = d.operands - operands
	if len(d.findings) > found || operands > notShort {
		return dst
	}
	s := p.memo.take(x)
	s.number = uint8(operands)
	if s.text = newChunk(dst[start:]); s.text[chunkLen] == notShort {
		s.long = append(s.long[:0], dst[start:]...)
	}
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
		of[leaf.ID] = newRemembered(env.Unit(leaf))
	}
	return of[leaf.ID]
}

func newRemembered(u *model.Unit) *remembered {
	r := &remembered{unit: u, displays: make([]*display, len(u.Cases))}
	for i, c := range u.Cases {
		if c.Shown {
			r.displays[i] = newDisplay(c.Items)
		}
	}
	if r.only = onlyDisplay(r); r.only == nil && len(u.Cases) < notShort {
		r.choice = choiceOf(u)
	}
	return r
}

// onlyDisplay returns the display that is printed whatever the bits are, nil if there is none.
func onlyDisplay(r *remembered) *display {
	for i, c := range r.unit.Cases {
		if c.Cond != nil || len(c.Spec.Asserts) > 0 {
			return nil
		}
		if r.displays[i] != nil {
			return r.displays[i]
		}
	}
	return nil
}

// choiceOf returns the memo of which case is printed; nil where asking the conditions is as fast, or
// where they depend on too much.
func choiceOf(u *model.Unit) *memo {
	simple := true
	g := dependencies{budget: maxDependencies}
	for _, c := range u.Cases {
		if len(c.Spec.Asserts) > 0 {
			return nil
		}
		if c.Cond != nil {
			simple = simple && c.Cond.Simple
			g.prog(c.Cond, 0)
		}
	}
	k, ok := g.key()
	if simple || !ok || len(k.tables) > 0 {
		return nil
	}
	return &memo{key: k}
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
		if p.memo != nil {
			l.reads.add(&p.memo.key)
		}
	}
	for i := range l.items {
		if m := l.items[i].memo; m != nil && !l.reads.locate(&m.key) {
			l.items[i].memo = nil
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
			l.items[n-1].of(it)
		}
	}
}

// of sets the item of a piece.
func (p *piece) of(it *model.Item) {
	p.item = it
	if len(it.Alts) == 1 && it.Alts[0].Cond == nil {
		p.number = plainNumber(it, it.Alts[0].Ref)
	}
	g := dependencies{budget: maxDependencies}
	g.item(it, 0)
	p.symbols = g.symbols
	if k, ok := g.key(); ok && p.number == nil {
		p.memo = &memo{key: k}
	}
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
	windows []window
	// width is the number of bits of all windows.
	width int
	// tables are the entries in which windows are.
	tables []entrySource
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
	for _, w := range k.windows {
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
	for i := range k.windows {
		w := &k.windows[i]
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
	var x uint64
	for i := range k.windows {
		w := &k.windows[i]
		x |= s[w.source&7][w.limb&3] >> (w.shift & 63) & w.mask << (w.at & 63)
	}
	return x
}

// read reads a key without entries.
func (k *key) read(d *Decoder, depth int) uint64 {
	var s sources
	s[0], s[sourceContext] = &d.frames[depth].v, &d.ctx
	for i := range k.windows {
		if h := k.windows[i].source; h <= maxHops {
			s[h] = &d.frames[depth-int(h)].v
		}
	}
	return k.from(&s)
}
