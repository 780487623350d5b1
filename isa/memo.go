package isa

import (
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/internal/model"
)

// The memo of the printer: texts by the bits on which they depend. The printer without it makes them. What
// something is found in is not remembered, so that it is found again each time.

// chunk is a text of up to 15 bytes, and one more than its length in the last byte, so that an empty chunk
// says that nothing is known. It is copied with one move of 16 bytes whatever its length; what is too much is
// overwritten by what follows.
type chunk [16]byte

const (
	chunkLen = len(chunk{}) - 1
	// longText stands in place of the length of a text that is no chunk.
	longText = 0xff
)

func newChunk[T []byte | string](s T) chunk {
	if len(s) > chunkLen {
		return chunk{chunkLen: longText}
	}
	c := chunk{chunkLen: byte(len(s) + 1)}
	copy(c[:chunkLen], s)
	return c
}

// maxDense is the greatest width of a key of which each value has a place for its text, in bits.
const maxDense = 10

// slots have values by a key, each in the one slot that it can have. Programs have few different operands, random words
// hardly the same one twice: where looking is in vain most of the time, it is left for a while.
type slots[T any] struct {
	list []slot[T]
	// misses counts those that found another key in their slot, since the slots were made.
	misses int
	// score rises with what is found and falls with what is not; pause is how often not to look.
	score, pause int
}

type slot[T any] struct {
	key   uint64
	known bool
	value T
}

// A miss costs missCost hits; at poorScore it is not looked for longPause times.
const missCost, lowScore, goodScore, longPause = 2, -512, 512, 1 << 13

// skip reports whether not to look this time.
func (w *slots[T]) skip() bool {
	if w.pause == 0 {
		return false
	}
	w.pause--
	return true
}

// place is where among slots a key is.
func place(x uint64, slots int) uint64 {
	at, _ := mathbits.Mul64(x*0x9e3779b97f4a7c15, uint64(slots))
	return at
}

// initialSlots is how many there are at first.
const initialSlots = 1 << 3

// find returns the value of a key, nil where there is none.
func (w *slots[T]) find(x uint64) *T {
	if w.list == nil {
		w.list = make([]slot[T], initialSlots)
	}
	s := &w.list[place(x, len(w.list))]
	if s.key == x && s.known {
		w.score = min(w.score+1, goodScore)
		return &s.value
	}
	if w.score -= missCost; w.score < lowScore {
		w.score, w.pause = 0, longPause
	}
	return nil
}

// put returns the room for the value of a key, with what another had there. There are at most many.
func (w *slots[T]) put(x uint64, many int) *T {
	to := &w.list[place(x, len(w.list))]
	if to.known {
		w.misses++
	}
	if w.misses > len(w.list)/2 && len(w.list) < many {
		old := w.list
		w.list, w.misses = make([]slot[T], 4*len(old)), 0
		for i := range old {
			if s := &old[i]; s.known {
				w.list[place(s.key, len(w.list))] = *s
			}
		}
		to = &w.list[place(x, len(w.list))]
	}
	to.key, to.known = x, true
	return &to.value
}

// maxWideTexts is how many texts of a wide key are kept.
const maxWideTexts = 1 << 11

// memo has texts by a key.
type memo struct {
	// texts has one for each value of a narrow key; nil for a wider one.
	texts []chunk
	*moreTexts
}

// moreTexts are those of a memo that are no chunk, or of a wider key.
type moreTexts struct {
	long [][]byte // by the value of a narrow key, nil before there are any
	slots[slotText]
}

// slotText is a text that a slot has room for, and its length.
type slotText struct {
	size uint8
	text [38]byte
}

// newMemo returns a memo for the texts of a segment that are remembered, or for what is as long.
func newMemo(p *segment) memo {
	m := memo{moreTexts: &moreTexts{}}
	if p.kind != segmentWide {
		m.texts = make([]chunk, 1<<p.key.width)
	}
	return m
}

// text returns the text of a key, and whether there is one.
func (m *memo) text(x uint64) (text []byte, ok bool) {
	if m.texts == nil {
		if s := m.find(x); s != nil {
			return s.text[:s.size], true
		}
		return nil, false
	}
	c := &m.texts[x]
	switch c[chunkLen] {
	case 0:
		return nil, false
	case longText:
		return m.long[x], true
	}
	return c[:c[chunkLen]-1], true
}

// keep remembers the text of a key, if there is room.
func (m *memo) keep(x uint64, s []byte) {
	switch {
	case m.texts == nil && len(s) <= len(slotText{}.text):
		to := m.put(x, maxWideTexts)
		to.size = uint8(copy(to.text[:], s))
		return
	case m.texts == nil:
		return
	}
	if m.texts[x] = newChunk(s); len(s) <= chunkLen {
		return
	}
	if m.long == nil {
		m.long = make([][]byte, len(m.texts))
	}
	m.long[x] = slices.Clone(s)
}

// choice has the displays that are printed, by the bits that choose one.
type choice struct {
	key key
	// places are one more than where in displays each stands, 0 where that is not known; nil for a wide key.
	places   []uint8
	displays []*display
	slots[*display]
}

// maxChoice is the greatest width of a key of which each value has a place for its display, maxDisplays how many
// displays it can have; manyChoices is how many values of a wide key are kept.
const (
	maxChoice      = 12
	maxDisplays    = 255
	maxWideChoices = 1 << 10
)

func newChoice(k key) *choice {
	c := &choice{key: k}
	if k.width <= maxChoice {
		c.places = make([]uint8, 1<<k.width)
	}
	return c
}

// at returns the display for the bits x, nil where it is not known.
func (c *choice) at(x uint64) *display {
	if c.places == nil {
		if s := c.find(x); s != nil {
			return *s
		}
		return nil
	}
	if i := c.places[x]; i > 0 {
		return c.displays[i-1]
	}
	return nil
}

func (c *choice) put(x uint64, to *display) {
	if c.places == nil {
		*c.slots.put(x, maxWideChoices) = to
		return
	}
	i := slices.Index(c.displays, to)
	if i < 0 {
		if i = len(c.displays); i == maxDisplays {
			return
		}
		c.displays = append(c.displays, to)
	}
	c.places[x] = uint8(i + 1)
}

// envMemo is what a decoder remembers of a bitset in its environment.
type envMemo struct {
	// choice tells the displays of its values of so many bits; nil where that depends on too much, or is
	// not asked for.
	choice *choice
	width  int
	leaves []*leafMemo // by Leaf.ID
}

// leafMemo is what a decoder remembers of a leaf in its environment.
type leafMemo struct {
	// plan is nil before there is one.
	plan     *plan
	displays []*display // by case; nil before they are printed
	// only is the display that is printed whatever the bits are; nil if there is none.
	only   *display
	choice *choice // nil where it depends on too much
}

// minUses is how many instructions a decoder prints without memos, and how often it meets an operand before it is worth
// one: what is found for a memo is more than a short program needs. Tests need fewer.
var minUses = 32

func (d *Decoder) envMemo(env *model.Env) *envMemo {
	if env.Index >= len(d.memos) {
		d.memos = append(d.memos, make([]*envMemo, env.Index+1-len(d.memos))...)
	}
	m := d.memos[env.Index]
	if m == nil {
		m = &envMemo{leaves: make([]*leafMemo, len(env.Root.Leaves))}
		d.memos[env.Index] = m
	}
	return m
}

// leafMemo returns what is remembered of a leaf.
func (m *envMemo) leafMemo(leaf *model.Leaf) *leafMemo {
	l := m.leaves[leaf.ID]
	if l == nil {
		l = &leafMemo{}
		m.leaves[leaf.ID] = l
	}
	return l
}

// display returns the display of a case with memos of the decoder's own.
func (l *leafMemo) display(d *Decoder, number int) *display {
	if l.displays[number] == nil {
		l.displays[number] = d.withMemos(l.plan.display(d.set, number))
	}
	return l.displays[number]
}

// make gives a leaf its plan.
func (l *leafMemo) make(d *Decoder, u *model.BoundLeaf) {
	l.plan = planOf(u)
	l.plan.prepared.Do(l.plan.prepare)
	l.displays = make([]*display, len(u.Cases))
	if l.plan.only >= 0 {
		l.only = l.display(d, l.plan.only)
	} else if l.plan.chooses {
		l.choice = newChoice(l.plan.choice)
	}
}

// withMemos returns a display with memos of the decoder's own.
func (d *Decoder) withMemos(x *display) *display {
	own := *x
	own.segments = slices.Clone(x.segments)
	for i := range own.segments {
		if p := &own.segments[i]; p.hasMemo() {
			p.memo = d.memoOf(p, p.alike)
		}
	}
	own.dropQuiet()
	return &own
}

// memoOf returns the memo of a segment, the same for all that are alike; unless nothing is.
func (d *Decoder) memoOf(p *segment, alike cacheKey) memo {
	m, ok := d.alike[alike]
	if ok && alike != (cacheKey{}) {
		return m
	}
	if d.alike == nil {
		d.alike = map[cacheKey]memo{}
	}
	m = newMemo(p)
	d.alike[alike] = m
	return m
}
