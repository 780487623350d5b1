package isa

import (
	"encoding/binary"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
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

// number returns what stands in place of a long text.
func (c *chunk) number() uint32 { return binary.LittleEndian.Uint32(c[:]) }

// longestKept is the greatest length of a text that is remembered.
const longestKept = 80

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
const missCost, poorScore, goodScore, longPause = 2, -512, 512, 1 << 13

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

// fewSlots is how many there are at first.
const fewSlots = 1 << 3

// hit returns the value of a key, nil where there is none.
func (w *slots[T]) hit(x uint64) *T {
	if len(w.list) == 0 {
		return nil
	}
	s := &w.list[place(x, len(w.list))]
	if s.key != x || !s.known {
		return nil
	}
	w.score = min(w.score+1, goodScore)
	return &s.value
}

// find is hit, and notes where it was in vain.
func (w *slots[T]) find(x uint64) *T {
	if v := w.hit(x); v != nil {
		return v
	}
	if w.score -= missCost; w.score < poorScore {
		w.score, w.pause = 0, longPause
	}
	return nil
}

// put returns the room for the value of a key, with what another had there. There are at most many.
func (w *slots[T]) put(x uint64, many int) *T {
	if w.list == nil {
		w.list = make([]slot[T], fewSlots)
	}
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

// manyTexts is how many texts of a wide key are kept.
const manyTexts = 1 << 11

// memo has texts by a key.
type memo struct {
	// texts has one for each value of a narrow key; nil for a wider one.
	texts []chunk
	*moreTexts
}

// moreTexts are those of a memo that are no chunk, or of a wider key.
type moreTexts struct {
	long [][]byte // by the number that stands in place of each
	slots[chunk]
}

// newMemo returns a memo for the texts of a segment that are remembered, or for what is as long.
func newMemo(p *segment) memo {
	m := memo{moreTexts: &moreTexts{}}
	if p.key.width <= maxDense {
		m.texts = make([]chunk, 1<<p.key.width)
	}
	return m
}

// text returns the text of a key, and whether there is one.
func (m *memo) text(x uint64) (text []byte, ok bool) {
	var c *chunk
	if m.texts != nil {
		c = &m.texts[x]
	} else if c = m.find(x); c == nil {
		return nil, false
	}
	switch c[chunkLen] {
	case 0:
		return nil, false
	case longText:
		return m.long[c.number()], true
	}
	return c[:c[chunkLen]-1], true
}

// keep remembers the text of a key, if there is room.
func (m *memo) keep(x uint64, s []byte) {
	if len(s) > longestKept {
		return
	}
	var c *chunk
	if m.texts != nil {
		c = &m.texts[x]
	} else {
		c = m.put(x, manyTexts)
	}
	old := *c
	if *c = newChunk(s); len(s) <= chunkLen {
		return
	}
	if old[chunkLen] != longText { // else its place is free
		binary.LittleEndian.PutUint32(old[:], uint32(len(m.long)))
		m.long = append(m.long, nil)
	}
	n := old.number()
	binary.LittleEndian.PutUint32(c[:], n)
	m.long[n] = append(m.long[n][:0], s...)
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
	maxChoice   = 12
	maxDisplays = 255
	manyChoices = 1 << 10
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
		*c.slots.put(x, manyChoices) = to
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

// memory is what a decoder remembers while the contexts are what they are.
type memory struct {
	ctx   bits.Value
	memos []*envMemo // by Env.Index
	alike map[likeness]memo
	tops  [2][]*site // without and with a voice
	sites int        // that are kept
}

// maxMemories is how many contexts a decoder remembers.
const maxMemories = 16

// recollect takes out the memory of contexts, which are not those of the last.
func (d *Decoder) recollect(ctx bits.Value) {
	if i := slices.IndexFunc(d.memories, func(m *memory) bool { return m.ctx == ctx }); i >= 0 {
		d.memory = d.memories[i]
		return
	}
	if d.memos == nil { // nothing was printed yet
		*d.memory = memory{ctx: ctx}
		return
	}
	if len(d.memories) == 0 {
		d.memories = append(d.memories, d.memory)
	}
	d.memory = &memory{ctx: ctx}
	if len(d.memories) < maxMemories {
		d.memories = append(d.memories, d.memory)
		return
	}
	d.memories[d.forgotten%maxMemories] = d.memory
	d.forgotten++
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

// fewUses is how many instructions a decoder prints without memos, and how often it meets an operand before it is worth
// one: what is found for a memo is more than a short program needs. Tests need fewer.
var fewUses = 32

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
		if p := &own.segments[i]; p.remembered() {
			p.memo = d.memoOf(p, p.alike)
		}
	}
	own.leaveOut()
	return &own
}

// memoOf returns the memo of a segment, the same for all that are alike; unless nothing is.
func (d *Decoder) memoOf(p *segment, alike likeness) memo {
	m, ok := d.alike[alike]
	if ok && alike != (likeness{}) {
		return m
	}
	if d.alike == nil {
		d.alike = map[likeness]memo{}
	}
	m = newMemo(p)
	d.alike[alike] = m
	return m
}
