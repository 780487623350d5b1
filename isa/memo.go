package isa

import (
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/internal/model"
)

// Memos cache printed texts by the bits on which they depend. The texts come from the printer that works
// without memos. A text with a finding is never cached, so that the finding is reported each time.

// chunk is a text of up to 15 bytes. The last byte is the length plus 1, so a zero chunk marks an
// unknown text. A chunk is always copied as 16 bytes. The next copy overwrites the excess bytes.
type chunk [16]byte

const (
	chunkLen = len(chunk{}) - 1
	// longText replaces the length if the text is too long for a chunk.
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

// maxDense is the greatest width, in bits, of a key whose memo has one element for each value of the
// key.
const maxDense = 10

// slots is a direct-mapped cache: each key can be in only one slot. Real programs have few different
// operands, but random words rarely repeat an operand. If too many lookups fail, the cache skips the
// next lookups.
type slots[T any] struct {
	list []slot[T]
	// misses counts the values that replaced the value of another key since the slots were allocated.
	misses int
	// score rises with each hit and falls with each miss. pause is the number of lookups to skip.
	score, pause int
}

type slot[T any] struct {
	key   uint64
	known bool
	value T
}

// A miss lowers the score by missCost, and a hit raises it by 1, up to goodScore. When the score falls
// below lowScore, the next longPause lookups are skipped.
const missCost, lowScore, goodScore, longPause = 2, -512, 512, 1 << 13

// skip reports whether to skip this lookup.
func (w *slots[T]) skip() bool {
	if w.pause == 0 {
		return false
	}
	w.pause--
	return true
}

// place returns the slot index of a key.
func place(x uint64, slots int) uint64 {
	at, _ := mathbits.Mul64(x*0x9e3779b97f4a7c15, uint64(slots))
	return at
}

const initialSlots = 1 << 3

// find returns the value of a key, or nil if the value is not cached.
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

// put returns storage for the value of a key. The storage may contain the value of another key. If there
// are fewer than many slots and too many values have been replaced, put first quadruples the number of
// slots.
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

// maxWideTexts is the maximum number of cached texts for a wide key.
const maxWideTexts = 1 << 11

// memo caches texts by key.
type memo struct {
	// texts has one chunk for each value of a narrow key. It is nil for a wide key.
	texts []chunk
	*moreTexts
}

// moreTexts holds the texts that do not fit in a chunk if the key is narrow, or all texts if the key is
// wide.
type moreTexts struct {
	long [][]byte // by the value of a narrow key; nil if there are none
	slots[slotText]
}

type slotText struct {
	size uint8
	text [38]byte
}

// newMemo returns an empty memo for the texts of a segment, or for other data with the same key.
func newMemo(p *segment) memo {
	m := memo{moreTexts: &moreTexts{}}
	if p.kind != segmentWide {
		m.texts = make([]chunk, 1<<p.key.width)
	}
	return m
}

// text returns the cached text for a key. ok is false if no text is cached.
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

// keep caches the text for a key if the text fits in the cache.
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

// choice caches displays by the bits that select them.
type choice struct {
	key key
	// places holds, for each value of the key, the index in displays plus 1, or 0 if the display is
	// unknown. It is nil for a wide key.
	places   []uint8
	displays []*display
	slots[*display]
}

// maxChoice is the greatest width, in bits, of a key for which places has one element per value.
// maxDisplays is the greatest number of displays to which places can refer. maxWideChoices is the number
// of slots at which the cache for a wide key stops growing.
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

// at returns the display for key x, or nil if the display is unknown.
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

// envMemo holds a decoder's memos for a bitset in one environment.
type envMemo struct {
	// choice caches the display of a value of at most width bits. It is nil before it is needed, and if
	// the display depends on too many bits.
	choice *choice
	width  int
	leaves []*leafMemo // by Leaf.ID
}

// leafMemo holds a decoder's memos for a leaf in one environment.
type leafMemo struct {
	// plan is nil until it is needed.
	plan     *plan
	displays []*display // by case; nil until they are printed
	// only is the display that is used for all words, or nil.
	only   *display
	choice *choice // nil if only is set or the display depends on too many bits
}

// minUses is the number of instructions that a decoder prints before it uses memos. It is also the
// number of uses of an operand before the operand gets a memo. Short programs would not benefit from
// memos. Tests use a smaller number.
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

func (m *envMemo) leafMemo(leaf *model.Leaf) *leafMemo {
	l := m.leaves[leaf.ID]
	if l == nil {
		l = &leafMemo{}
		m.leaves[leaf.ID] = l
	}
	return l
}

// display returns the display of a case with the decoder's own memos.
func (l *leafMemo) display(d *Decoder, number int) *display {
	if l.displays[number] == nil {
		l.displays[number] = d.withMemos(l.plan.display(d.set, number))
	}
	return l.displays[number]
}

// make prepares a leaf for printing from memos.
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

// withMemos returns a copy of a display with the decoder's own memos.
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

// memoOf returns the memo of a segment. Segments with the same cache key share one memo, unless the
// cache key is zero.
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
