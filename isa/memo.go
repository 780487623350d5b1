package isa

import (
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// The memo of the printer: texts by the bits on which they depend. The general printer makes them. What it
// found something in is not remembered, so that it is found again each time.

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

// dense has the text of each value of a narrow key.
type dense struct {
	texts []chunk
	// long are the texts that are no chunk, nil if there are none.
	long [][]byte
}

// maxDense is the greatest width of a key for which a dense memo is made, in bits.
const maxDense = 10

// find returns the text of a key, and whether it is known.
func (m *dense) find(x uint64) (text []byte, ok bool) {
	c := &m.texts[x]
	switch c[chunkLen] {
	case 0:
		return nil, false
	case longText:
		return m.long[x], true
	}
	return c[:c[chunkLen]-1], true
}

func (m *dense) put(x uint64, s []byte) {
	if m.texts[x] = newChunk(s); len(s) <= chunkLen {
		return
	}
	if m.long == nil {
		m.long = make([][]byte, len(m.texts))
	}
	m.long[x] = slices.Clone(s)
}

// wide has the texts of some values of a wide key, each in the one slot that it can have.
type wide struct {
	slots []slot
	luck
}

// luck says whether it is worth looking. Programs have few different operands, random words hardly the same one twice:
// where looking is in vain most of the time, it is left for a while.
type luck struct {
	// misses counts those that found another key in their slot, since the slots were made.
	misses int
	// score rises with what is found and falls with what is not; pause is how often not to look.
	score, pause int
}

// A miss costs missCost hits; at poorScore it is not looked for longPause times.
const missCost, poorScore, goodScore, longPause = 2, -512, 512, 1 << 13

// skip reports whether not to look this time.
func (l *luck) skip() bool {
	if l.pause == 0 {
		return false
	}
	l.pause--
	return true
}

func (l *luck) hit() { l.score = min(l.score+1, goodScore) }

func (l *luck) miss() {
	if l.score -= missCost; l.score < poorScore {
		l.score, l.pause = 0, longPause
	}
}

// crowded reports whether there should be more slots, of which one is taken by another key; at most many.
func (l *luck) crowded(slots, many int) bool {
	l.misses++
	if l.misses <= slots/2 || slots >= many {
		return false
	}
	l.misses = 0
	return true
}

// place is where among slots a key is.
func place(x uint64, slots int) uint64 {
	at, _ := mathbits.Mul64(x*0x9e3779b97f4a7c15, uint64(slots))
	return at
}

// slot has the text of a key, and one more than its length.
type slot struct {
	key  uint64
	size uint8
	text [39]byte
}

const fewSlots, manySlots = 1 << 5, 1 << 11

// find returns the text of a key, and whether there is one.
func (w *wide) find(x uint64) (text []byte, ok bool) {
	if w.slots == nil {
		w.slots = make([]slot, fewSlots)
	}
	s := &w.slots[place(x, len(w.slots))]
	if s.key == x && s.size > 0 {
		w.hit()
		return s.text[:s.size-1], true
	}
	w.miss()
	return nil, false
}

func (w *wide) put(x uint64, s []byte) {
	if len(s) > len(slot{}.text) {
		return
	}
	to := &w.slots[place(x, len(w.slots))]
	if to.size > 0 && w.crowded(len(w.slots), manySlots) {
		old := w.slots
		w.slots = make([]slot, 4*len(old))
		for i := range old {
			if s := &old[i]; s.size > 0 {
				w.slots[place(s.key, len(w.slots))] = *s
			}
		}
		to = &w.slots[place(x, len(w.slots))]
	}
	to.key, to.size = x, uint8(len(s)+1)
	copy(to.text[:], s)
}

// memo has texts, by a narrow key in the dense one, by a wider one in the other.
type memo struct {
	dense *dense
	wide  *wide
}

// newMemo returns a memo for the texts of a segment that are remembered, or for what is as long.
func newMemo(p *segment) memo {
	if p.kind == segmentWide {
		return memo{wide: &wide{}}
	}
	return memo{dense: &dense{texts: make([]chunk, 1<<p.key.width)}}
}

// find returns the text of a key, and whether there is one.
func (m *memo) find(x uint64) (text []byte, ok bool) {
	if m.dense != nil {
		return m.dense.find(x)
	}
	return m.wide.find(x)
}

func (m *memo) put(x uint64, s []byte) {
	if m.dense != nil {
		m.dense.put(x, s)
	} else {
		m.wide.put(x, s)
	}
}

// choice has the displays that are printed, by the bits that choose one.
type choice struct {
	key key
	// places are one more than where in displays each stands, 0 where that is not known.
	places   []uint8
	displays []*display
}

// maxChoice is the greatest width of the key of a choice, maxDisplays how many displays it can have.
const (
	maxChoice   = 12
	maxDisplays = 255
)

func newChoice(k key) *choice { return &choice{key: k, places: make([]uint8, 1<<k.width)} }

// at returns the display for the bits x, nil where it is not known.
func (c *choice) at(x uint64) *display {
	if i := c.places[x]; i > 0 {
		return c.displays[i-1]
	}
	return nil
}

func (c *choice) put(x uint64, to *display) {
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
	// single is the only leaf, which has each value; nil if there is none.
	single *model.BoundLeaf
	leaves []*leafMemo // by Leaf.ID
}

// leafMemo is what a decoder remembers of a leaf in its environment.
type leafMemo struct {
	// uses counts the instructions that were printed before there was a plan.
	uses uint8
	// plains are the displays without memos, by case; nil before they are printed.
	plains []*display
	// plan is nil before there is one.
	plan     *plan
	displays []*display // by case; nil where a case has none
	// only is the display that is printed whatever the bits are; nil if there is none.
	only   *display
	choice *choice // nil where it depends on too much
}

// fewUses is how many instructions of a leaf are printed in the general way before it is worth a plan.
const fewUses = 3

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

// plainDisplay returns the display of a case without memos.
func (l *leafMemo) plainDisplay(u *model.BoundLeaf, number int) *display {
	if l.plains == nil {
		l.plains = make([]*display, len(u.Cases))
	}
	if l.plains[number] == nil {
		l.plains[number] = newDisplay(u, number)
	}
	return l.plains[number]
}

// make gives a leaf displays with memos of the decoder's own.
func (l *leafMemo) make(d *Decoder, u *model.BoundLeaf) {
	l.plan = planOf(u)
	l.displays = make([]*display, len(l.plan.displays))
	for i, x := range l.plan.displays {
		if x != nil {
			l.displays[i] = d.withMemos(x)
		}
	}
	if l.plan.only >= 0 {
		l.only = l.displays[l.plan.only]
	} else if l.plan.chooses {
		l.choice = newChoice(l.plan.choice)
	}
}

// withMemos returns a display with memos of the decoder's own.
func (d *Decoder) withMemos(x *display) *display {
	own := *x
	own.segments = slices.Clone(x.segments)
	for i := range own.segments {
		p := &own.segments[i]
		if p.remembered() {
			d.giveMemo(p)
		}
		if r := p.ref; r != nil && r.Kind == spec.KindBitset && r.Low >= 0 && r.ScopeDepth == 0 && len(r.Enter) == 0 && r.Field.Table == nil {
			p.env = d.envMemo(r.Env)
		}
	}
	return &own
}

// giveMemo gives a segment its memo, which those that are alike share.
func (d *Decoder) giveMemo(p *segment) {
	have, ok := d.alike[p.alike]
	if ok {
		p.memo = have
		return
	}
	p.memo = newMemo(p)
	if p.alike == "" {
		return
	}
	if d.alike == nil {
		d.alike = map[string]memo{}
	}
	d.alike[p.alike] = p.memo
}
