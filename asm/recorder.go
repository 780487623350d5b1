package asm

import (
	"hash/maphash"
	"math"
	"reflect"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/spec"
)

// recorder notes on what reading a line has depended, so that other lines can be known to be read alike.
//
// The reader goes from word to word. What it does within one depends on that word, on where it comes from,
// and on bits that other words have given, which it consults. So a line is described by the states in which
// words are left, by the steps between them, by what was consulted, and by text that was read across words:
// this is its trace, kept as a hash. Take two lines of one trace, and put a word of the one in the place of
// that in the other: step by step, what decides is the same. So the bits that it gave there it gives here.
type recorder struct {
	words []span
	looks []byte
	found []int
	// of is the word of each byte, -1 between words; cur is the word being read.
	of    []int
	cur   int
	trace uint64
	// frames and choices are how many there were where the word was entered.
	frames, choices int
	// from is the word that each entry of the trail comes from.
	from []int
	// names are the words that are, for the most part, text of instructions and not of operands.
	names []bool
	// facts are what was consulted for the question that is being asked.
	facts  []consultation
	asking bool
	// whole tells that all of the line was looked at at once.
	whole bool
}

// startRecording begins to note what reading the line depends on.
func (p *Parser) startRecording() {
	r := &p.memo.rec
	r.of = r.of[:0]
	for range len(p.src) + 1 {
		r.of = append(r.of, -1)
	}
	for i, w := range r.words {
		for pos := w.from; pos < w.to; pos++ {
			r.of[pos] = i
		}
	}
	r.names = append(r.names[:0], make([]bool, len(r.words))...)
	r.cur, r.trace, r.whole = -1, 0, false
	p.rec = r
}

func (r *recorder) mix(x uint64) {
	r.trace = (r.trace ^ x) * 0x9e3779b97f4a7c15
	r.trace ^= r.trace >> 29
}

func (r *recorder) mixValue(v *bits.Value) {
	for _, x := range v {
		r.mix(x)
	}
}

func (r *recorder) mixPointer(x any) { r.mix(uint64(reflect.ValueOf(x).Pointer())) }

// place is a position as far as it does not depend on the lengths of words.
func (r *recorder) place(pos int) uint64 {
	if w := r.of[pos]; w >= 0 {
		return uint64(w)<<1 | truthBit(pos > r.words[w].from)
	}
	cuts := 0
	for pos > 0 && r.of[pos-1] < 0 {
		pos--
		cuts++
	}
	if pos == 0 {
		return uint64(cuts) << 32
	}
	return uint64(r.of[pos-1]+1)<<1 | uint64(cuts+1)<<32
}

// step notes that the reader is at a node, unless it is within the word that it was in.
func (r *recorder) step(p *Parser, state int) {
	if r.cur >= 0 && (r.of[p.pos] == r.cur || p.pos == r.words[r.cur].to && int(p.frame) >= r.frames) {
		return
	}
	r.enter(p, r.of[p.pos], state)
}

// enter notes the state in which the reader goes to a word, or between two.
func (r *recorder) enter(p *Parser, word, state int) {
	r.cur, r.frames, r.choices = word, len(p.frames), len(p.choices)
	r.mix(r.place(p.pos))
	r.mixPointer(p.node)
	r.mix(uint64(state))
	r.mix(uint64(p.nspaces) | uint64(p.effort)<<8 | truthBit(p.strict)<<16 | truthBit(p.loosely)<<17)
	r.mix(math.Float64bits(p.off))
	r.state(p)
}

// state notes what is known, open and unfinished.
func (r *recorder) state(p *Parser) {
	for i := range p.nspaces {
		s := &p.spaces[i]
		r.mixValue(&s.known)
		r.mixValue(&s.assumed)
		if i >= spaceTable {
			r.mixPointer(s.field)
			r.scope(&s.home)
		}
	}
	for f := p.frame; f >= 0; f = p.frames[f].parent {
		fr := &p.frames[f]
		r.mixPointer(fr.ret)
		r.mixPointer(fr.set)
		r.mix(fr.used)
		r.mix(uint64(fr.extent) | truthBit(fr.closing)<<8 | uint64(fr.depth)<<16)
		r.mix(r.place(fr.from))
		r.scopes(p, fr.scope)
	}
	for i := range p.cons {
		c := &p.cons[i]
		r.mixPointer(c.prog)
		r.mix(uint64(c.kind) | truthBit(c.soft)<<8 | uint64(c.width)<<16)
		r.mix(c.value)
		r.mix(c.mask)
		r.mix(c.high)
		r.scopes(p, c.scope)
	}
	for i := range p.units {
		r.mixPointer(p.units[i].accept)
		r.scopes(p, p.units[i].scope)
	}
}

// scopes notes where a scope and those around it are.
func (r *recorder) scopes(p *Parser, scope int32) {
	for ; scope >= 0; scope = p.scopes[scope].up {
		r.scope(&p.scopes[scope])
	}
}

func (r *recorder) scope(s *scope) {
	r.mix(uint64(s.space) | uint64(s.size)<<8 | uint64(s.low+1)<<32)
	for _, part := range s.parts {
		r.mix(uint64(part.Low) | uint64(part.Width)<<32)
	}
}

// again notes that the reader has gone back to a way left open, the n-th, unless it was left open in the same
// word.
func (r *recorder) again(p *Parser, n int, c *choice) {
	if r.cur >= 0 && n >= r.choices {
		return
	}
	r.mixPointer(c.item)
	r.mixPointer(c.next)
	r.enter(p, r.of[p.pos], c.state)
}

// item notes that an item is read, which may stand behind a blank in the next word.
func (r *recorder) item(p *Parser, it *item) {
	if w := r.of[p.skipBlank()]; w >= 0 && w != r.cur {
		r.mixPointer(it)
		r.enter(p, w, 0)
	}
}

// text notes that text was looked at at once; what concerns the present word, or one word, alone is not noted.
func (r *recorder) text(p *Parser, from, to int) {
	one := r.cur
	for pos := from; pos < min(to, len(p.src)); pos++ {
		w := r.of[pos]
		switch {
		case w < 0 || w == one:
		case one < 0:
			one = w
		default:
			r.mix(maphash.Bytes(p.memo.seed, p.src[from:min(to, len(p.src))]))
			return
		}
	}
}

// reads notes that text which ends at end is being read.
func (r *recorder) reads(p *Parser, end int) {
	if w := r.wordUpTo(p, end); w != r.cur {
		r.cur, r.frames, r.choices = w, len(p.frames), len(p.choices)
	}
}

// wordUpTo returns the last word of the text that is being read and ends at end, or the present one.
func (r *recorder) wordUpTo(p *Parser, end int) int {
	for end--; end >= p.pos; end-- {
		if r.of[end] >= 0 {
			return r.of[end]
		}
	}
	return r.cur
}

// bound notes which word has given the bits of the last entry of the trail, by text that ends at end.
func (r *recorder) bound(p *Parser, end int) {
	from := r.wordUpTo(p, end)
	n := len(p.trail) - 1
	for len(r.from) <= n {
		r.from = append(r.from, -1)
	}
	r.from[n] = from
}

// quick notes that whole operands were looked for up to end, and one byte more where a blank there is free.
func (r *recorder) quick(p *Parser, pos, end int) {
	if end < len(p.src) && p.src[end-1] == ' ' && loose[p.src[end]] {
		end++
	}
	r.text(p, pos, end)
}

// number notes that a number was looked for, behind whose sign a blank may stand.
func (r *recorder) number(p *Parser, pos, end int) {
	if pos+1 < len(p.src) && p.src[pos+1] == ' ' && (p.src[pos] == '-' || p.src[pos] == '+') {
		end = max(end, pos+3)
	}
	r.text(p, pos, end)
}

// fact is the value of bits that a word has given.
type consultation struct {
	word     int
	from, to int
	value    uint64
}

// ask begins a question about what is known, between words, if it is not part of one. What is consulted for
// it counts by the answer alone where it is of one word.
func (r *recorder) ask() (outermost bool) {
	if r == nil || r.asking || r.cur >= 0 {
		return false
	}
	r.asking, r.facts = true, r.facts[:0]
	return true
}

// answer ends a question, since which the trail has grown from mark on.
func (r *recorder) answer(p *Parser, answer uint64, mark int) {
	r.asking = false
	if len(r.facts) == 0 {
		return
	}
	r.mix(answer)
	one := true
	for _, f := range r.facts {
		one = one && f.word == r.facts[0].word
	}
	if !one {
		for _, f := range r.facts {
			r.mix(uint64(f.word)<<32 | uint64(f.from)<<16 | uint64(f.to))
			r.mix(f.value)
		}
		return
	}
	r.mix(uint64(r.facts[0].word))
	for _, u := range p.trail[min(mark, len(p.trail)):] {
		r.mix(uint64(u.space) | uint64(u.low)<<8 | uint64(u.width)<<24)
		r.mix(p.spaces[u.space].val.Uint(int(u.low), int(u.width)))
	}
}

// consulted notes the value of bits that other words than the present have given.
func (r *recorder) consulted(p *Parser, sp uint8, low, width int) {
	for i, u := range p.trail {
		from, to := max(low, int(u.low)), min(low+width, int(u.low)+int(u.width))
		if u.space != sp || from >= to || r.from[i] < 0 || r.from[i] == r.cur {
			continue
		}
		f := consultation{r.from[i], from, to, p.spaces[sp].val.Uint(from, to-from)}
		r.facts = append(r.facts, f)
		if !r.asking {
			r.facts = r.facts[:len(r.facts)-1]
			r.mix(uint64(f.word)<<32 | uint64(f.from)<<16 | uint64(f.to))
			r.mix(f.value)
		}
	}
}

func (r *recorder) consultedParts(p *Parser, sp uint8, parts []spec.Part, low, width int) {
	if parts == nil {
		r.consulted(p, sp, low, min(width, 64))
	}
	for _, part := range parts {
		r.consulted(p, sp, part.Low, min(part.Width, 64))
	}
}

// literal notes that a literal stands from pos up to end, or does not go on there.
func (r *recorder) literal(p *Parser, pos, end int, ok bool) {
	if !ok {
		r.text(p, pos, end+1)
		return
	}
	r.text(p, pos, end)
	for i := pos; i < end; i++ {
		w := r.of[i]
		if w < 0 || r.names[w] {
			continue
		}
		here := min(end, r.words[w].to) - i
		size := r.words[w].to - r.words[w].from
		r.names[w] = here == size || p.frame == 0 && (w == 0 || 2*here >= size)
	}
}
