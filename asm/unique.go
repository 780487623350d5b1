package asm

import (
	"bytes"
	"slices"
	"strings"

	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Most texts can be read as what printed them and as nothing else, and that is so whatever their numbers are. This file
// is an automaton of all texts that a grammar prints. Its states are made when a text first leads to them; one is
// the set of all places in templates where the reading of a text can be. A text that has been read in one way alone is
// known by its path: the templates, the alternatives in them, and where their values are. What a text does not say
// follows from its path and from bits that it does not show, and of these it is remembered.
//
// Numbers are taken for any digits, floats and labels for more than they are, and conditions are not looked at but for
// those of contexts. So there may be ways in it that no parser takes, but none is missing that takes each piece of a text
// as it is printed.

// uniqueness is that automaton.
type uniqueness struct {
	p      *Parser
	start  *textState
	states map[string]*textState
	count  int
	// class numbers the bytes that were met.
	class   [256]uint8
	classes int

	spots   []spot
	spotIDs map[spot]int32
	frames  []textFrame
	frameID map[textFrame]int32
	scopes  []scope
	inner   map[innerScope]int32
	marks   []mark
	markIDs map[markKey]int32
	runs    []run
	runIDs  map[string]int32
	marked  []int32
	joins   map[joinKey]*node
	paths   map[uint64][]*path
	kept    int // of what follows from texts

	// words are steps of whole words, found by their hashes, used of them.
	words    []textWord
	used     int
	shift    int
	likeness []byte

	// Of the step that is being made: its byte, whether a blank stands before it, where it comes from, the marks that
	// were passed, and what it leads to.
	next   byte
	blank  bool
	from   int
	passed []int32
	doubt  bool
	steps  int
	failed bool
	to     *textStep
	// taken are the steps of a text.
	taken []*textStep
	run   []int32
	only  *path
	tried int
}

// Limits of an automaton: its states, what one step may take, what is kept of texts, and words, in powers of two at first.
const (
	maxTextStates = 1 << 14
	maxTextSteps  = 1 << 14
	maxTextDepth  = 10
	maxOutcomes   = 1 << 16
	fewTextWords  = 10
	mostTextWords = 1 << 15
)

// spot is where the reading of a text can be: at a node, or inside an item.
type spot struct {
	node *node
	edge *edge
	// words are what the texts of the item go on with; at is how much of a literal was read, or what of a number.
	words *trie
	at    int32
	frame int32
	// doubt tells that a parser may not find the way.
	doubt bool
}

// What was read of a number.
const (
	signRead = iota
	numberRead
	nameRead
)

// textFrame is a callFrame of which no text is known but that there was some.
type textFrame struct {
	parent  int32
	ret     *node
	scope   int32
	extent  extent
	fresh   bool // nothing was read yet, which matters to it
	set     *setItem
	used    uint64
	closing bool
	depth   int8
}

type innerScope struct {
	ref    *model.Ref
	from   int32
	inside int32
}

type joinKey struct {
	set    *setItem
	member int
}

// textWord is the step of a word from a state.
type textWord struct {
	hash  uint64
	state *textState
	text  [textWordSize]byte
	size  uint8
	// exact tells that only words like it are known that have its very numbers.
	exact bool
	step  *textStep
}

// textWordSize is the size of the longest word that is kept.
const textWordSize = 24

// run is what is passed between two spots.
type run struct {
	// marks are the numbers of marks, the last first.
	marks []int32
	// hash is that of the marks, power what a hash of those behind them is multiplied by.
	hash, power uint64
}

// textState is a set of spots.
type textState struct {
	hash  uint64
	spots []int32
	blank bool
	next  []*textStep
}

// textStep is what a byte leads to from a state, to nil where no text goes on so. from has for each spot of the next
// state those before it.
type textStep struct {
	to    *textState
	spots []spot
	from  []wayBack
	// more are further spots before some, nil where there are none.
	more [][]wayBack
}

// others returns the spots before one but for the first.
func (t *textStep) others(spot int32) []wayBack {
	if t.more == nil {
		return nil
	}
	return t.more[spot]
}

// add adds a spot before one.
func (t *textStep) add(spot int, back wayBack) {
	if spot == len(t.from) {
		if t.from = append(t.from, back); t.more != nil {
			t.more = append(t.more, nil)
		}
		return
	}
	if t.more == nil {
		t.more = make([][]wayBack, len(t.from))
	}
	t.more[spot] = append(t.more[spot], back)
}

// wayBack is a spot before a step, with the number of what was passed from there.
type wayBack struct{ spot, run int32 }

func newUniqueness(p *Parser) *uniqueness {
	u := &uniqueness{
		p: p, states: map[string]*textState{}, spotIDs: map[spot]int32{}, frameID: map[textFrame]int32{},
		inner: map[innerScope]int32{}, markIDs: map[markKey]int32{}, runIDs: map[string]int32{}, words: make([]textWord, 1<<fewTextWords), shift: 64 - fewTextWords, joins: map[joinKey]*node{}, paths: map[uint64][]*path{},
		runs: []run{{power: 1}}, scopes: []scope{{up: -1, size: p.root.Size}},
	}
	top := u.frame(textFrame{parent: -1})
	u.start = u.state([]spot{{node: p.ready(p.top).start, frame: top}}, true)
	return u
}

// full reports whether the automaton has become too large.
func (u *uniqueness) full() bool { return u.count > maxTextStates || u.kept > maxOutcomes }

// path returns the one path on which the text that is loaded can be read; nil where there are several, or it cannot
// be said.
func (u *uniqueness) path() *path {
	state := u.start
	u.taken = u.taken[:0]
	for text := u.p.whole; len(text) > 0; {
		n := wordSize(text)
		if state = u.word(state, text[:n]); state == nil {
			return nil
		}
		text = text[n:]
	}
	u.only, u.tried = nil, 0
	for i := range state.spots {
		if u.spots[state.spots[i]].doubt || !u.back(len(u.taken), wayBack{int32(i), 0}, 0, 0, 1) {
			return nil
		}
	}
	return u.only
}

// wordSize returns the size of the word that a text starts with, with the blank behind it: one that is too long is taken
// in pieces.
func wordSize(text []byte) int {
	n := bytes.IndexByte(text, ' ') + 1
	if n == 0 {
		n = len(text)
	}
	if n <= textWordSize {
		return n
	}
	if n = bytes.IndexByte(text[:textWordSize], ')') + 1; n == 0 {
		n = textWordSize
	}
	return n
}

// back goes back from a spot before a step, with so many marks passed behind it and their hash, and reports whether there
// is one path at the most so far that a text can take.
func (u *uniqueness) back(step int, w wayBack, passed int, hash, power uint64) bool {
	for u.run = u.run[:passed]; ; step-- {
		if w.run != 0 {
			r := &u.runs[w.run]
			u.run = append(u.run, r.marks...)
			hash, power = hash+r.hash*power, power*r.power
		}
		if step == 0 {
			return u.take(hash)
		}
		s := u.taken[step-1]
		n := len(u.run)
		for _, x := range s.others(w.spot) {
			if !u.back(step-1, x, n, hash, power) {
				return false
			}
			u.run = u.run[:n]
		}
		w = s.from[w.spot]
	}
}

// maxTaken bounds the ways to read a text that are looked at.
const maxTaken = 32

// take adds the path of the marks that were passed, if there can be a text of it.
func (u *uniqueness) take(hash uint64) bool {
	if u.tried++; u.tried > maxTaken {
		return false
	}
	var x *path
	for _, known := range u.paths[hash] {
		if slices.Equal(known.marks, u.run) {
			x = known
		}
	}
	if x == nil {
		x = u.newPath()
		u.paths[hash] = append(u.paths[hash], x)
	}
	if x.never {
		return true
	}
	first := u.only == nil
	u.only = x
	return first
}

// word takes a word with the blank behind it, byte by byte or, where one like it was met before, as one step: programs
// have few words, and of those that differ in numbers fewer. It returns nil where there is no text that goes on so.
func (u *uniqueness) word(state *textState, text []byte) *textState {
	like := u.like(text)
	x, known := u.find(state, like)
	if known && x.exact {
		like = text
		x, known = u.find(state, like)
	}
	if known {
		u.taken = append(u.taken, x.step)
		return x.step.to
	}
	from := len(u.taken)
	to := u.bytes(state, text)
	if to == nil || !u.again(x, state, like) {
		return to
	}
	y := textWord{hash: state.hashOf(like), state: state, size: uint8(len(like))}
	copy(y.text[:], like)
	if y.exact = !bytes.Equal(like, text) && !u.generic(state, text, u.taken[from:]); !y.exact {
		y.step = u.along(u.taken[from:], to)
	}
	if y.exact || y.step != nil {
		*x = y
	}
	return to
}

// bytes takes a word byte by byte.
func (u *uniqueness) bytes(state *textState, text []byte) *textState {
	for _, c := range text {
		s := u.step(state, c)
		if s == nil || s.to == nil {
			return nil
		}
		u.taken, state = append(u.taken, s), s.to
	}
	return state
}

// hashOf returns a hash of a word at a state.
func (s *textState) hashOf(text []byte) uint64 {
	hash := s.hash
	for len(text) > 0 {
		x := uint64(0)
		n := min(len(text), 8)
		for i, c := range text[:n] {
			x |= uint64(c) << (8 * i)
		}
		hash, text = mix(hash, x), text[n:]
	}
	return hash
}

// find returns the place of a word, and whether it is known there.
func (u *uniqueness) find(state *textState, text []byte) (x *textWord, known bool) {
	hash := state.hashOf(text)
	x = &u.words[hash>>u.shift]
	return x, x.hash == hash && x.state == state && string(x.text[:x.size]) == string(text)
}

// again reports whether a word that is not known was met before, and notes that it is now.
func (u *uniqueness) again(x *textWord, state *textState, text []byte) bool {
	hash := state.hashOf(text)
	if x.hash != hash {
		*x = textWord{hash: hash}
		return false
	}
	if u.used++; u.used > len(u.words)/2 && len(u.words) < mostTextWords {
		u.words, u.used, u.shift = make([]textWord, 4*len(u.words)), 0, u.shift-2
		return false
	}
	return true
}

// What stands for any decimal number in what a word is like, and for any in hexadecimal behind 0x.
const (
	likeNumber = 1 + iota
	likeHex
)

// like returns a word with its numbers replaced.
func (u *uniqueness) like(text []byte) []byte {
	out := u.likeness[:0]
	for i := 0; i < len(text); {
		n := numberRun(text, i)
		switch {
		case n == 0:
			out = append(out, text[i])
			i++
		case isHexRun(text, i):
			out = append(out, likeHex)
		default:
			out = append(out, likeNumber)
		}
		i += n
	}
	u.likeness = out
	return out
}

// numberRun returns the length of the number that starts at a place, 0 for none: 0x is none, what is behind it is.
func numberRun(text []byte, at int) (n int) {
	hex := isHexRun(text, at)
	if !hex && at+1 < len(text) && text[at] == '0' && text[at+1] == 'x' {
		return 0
	}
	for at+n < len(text) && (digitValue[text[at+n]] < 10 || hex && digitValue[text[at+n]] < 16 && text[at+n] >= 'a') {
		n++
	}
	return n
}

// isHexRun reports whether a place is behind 0x.
func isHexRun(text []byte, at int) bool { return at >= 2 && text[at-1] == 'x' && text[at-2] == '0' }

// generic reports whether each number of a word could be any other: all digits lead to one state, which they do not
// leave. Steps are those of the word.
func (u *uniqueness) generic(state *textState, text []byte, steps []*textStep) bool {
	for i := 0; i < len(text); {
		n := numberRun(text, i)
		if n == 0 {
			i++
			continue
		}
		before := state
		if i > 0 {
			before = steps[i-1].to
		}
		digits := "0123456789"
		if isHexRun(text, i) {
			digits = "0123456789abcdef"
		}
		for k := range len(digits) {
			if first := u.step(before, digits[k]); first == nil || !first.same(steps[i]) {
				return false
			}
			if next := u.step(steps[i].to, digits[k]); next == nil || next.to != steps[i].to || !next.stays() {
				return false
			}
		}
		i += n
	}
	return true
}

// same reports whether a step does what another does.
func (t *textStep) same(x *textStep) bool {
	return t.to == x.to && slices.Equal(t.from, x.from) && t.more == nil && x.more == nil
}

// stays reports whether a step leaves each spot where it is.
func (t *textStep) stays() bool {
	for i, w := range t.from {
		if w != (wayBack{int32(i), 0}) {
			return false
		}
	}
	return t.more == nil
}

// along makes one step of several; nil if there are too many ways.
func (u *uniqueness) along(list []*textStep, to *textState) *textStep {
	all := &textStep{to: to}
	for i := range to.spots {
		ways := 0
		if !u.join(all, i, list, wayBack{spot: int32(i)}, nil, &ways) {
			return nil
		}
	}
	return all
}

// join adds the ways that some steps lead to a spot, from one with the marks behind it; ok is false where there are too
// many.
func (u *uniqueness) join(all *textStep, to int, list []*textStep, w wayBack, behind []int32, ways *int) (ok bool) {
	for n := len(list); ; n-- {
		behind = append(behind[:len(behind):len(behind)], u.runs[w.run].marks...)
		if n == 0 {
			all.add(to, wayBack{w.spot, u.runID(behind)})
			*ways++
			return *ways <= maxTaken
		}
		s := list[n-1]
		for _, x := range s.others(w.spot) {
			if !u.join(all, to, list[:n-1], x, behind, ways) {
				return false
			}
		}
		w = s.from[w.spot]
	}
}

// step returns what a byte leads to from a state.
func (u *uniqueness) step(s *textState, c byte) *textStep {
	class := int(u.class[c])
	if class < len(s.next) && s.next[class] != nil {
		return s.next[class]
	}
	if class == 0 {
		if u.classes == 255 {
			return nil
		}
		u.classes++
		u.class[c], class = uint8(u.classes), u.classes
	}
	for len(s.next) <= class {
		s.next = append(s.next, nil)
	}
	s.next[class] = u.newStep(s, c)
	return s.next[class]
}

// newStep makes the step of a byte.
func (u *uniqueness) newStep(s *textState, c byte) *textStep {
	u.to, u.next, u.blank, u.steps, u.failed = &textStep{}, c, s.blank, 0, false
	for i, id := range s.spots {
		x := u.spots[id]
		u.from, u.doubt, u.passed = i, x.doubt, u.passed[:0]
		u.spot(&x)
	}
	t := u.to
	if len(t.spots) > 0 && !u.failed {
		t.to = u.state(t.spots, c == ' ')
	}
	t.spots = nil
	return t
}

// state returns the state of some spots; blank tells that it is behind a blank or at the start.
func (u *uniqueness) state(spots []spot, blank bool) *textState {
	key := make([]byte, 0, 4*len(spots)+1)
	if blank {
		key = append(key, 1)
	}
	s := &textState{blank: blank}
	for _, x := range spots {
		id, ok := u.spotIDs[x]
		if !ok {
			id = int32(len(u.spots))
			u.spots, u.spotIDs[x] = append(u.spots, x), id
		}
		s.spots = append(s.spots, id)
		key = append(key, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
	}
	if old := u.states[string(key)]; old != nil {
		return old
	}
	u.count++
	s.hash = mix(uint64(u.count), 0)
	u.states[string(key)] = s
	return s
}

// frame returns the number of a frame.
func (u *uniqueness) frame(f textFrame) int32 {
	id, ok := u.frameID[f]
	if !ok {
		id = int32(len(u.frames))
		u.frames, u.frameID[f] = append(u.frames, f), id
	}
	return id
}

// readIn returns the frame when text has been read in it; ok is false where there must be none.
func (u *uniqueness) readIn(id int32) (to int32, ok bool) {
	f := u.frames[id]
	if f.fresh && f.extent == noText {
		return 0, false
	}
	parent := f.parent
	if parent >= 0 {
		if parent, ok = u.readIn(parent); !ok {
			return 0, false
		}
	}
	if !f.fresh && parent == f.parent {
		return id, true
	}
	f.fresh, f.parent = false, parent
	return u.frame(f), true
}

// arrive notes a spot behind the byte.
func (u *uniqueness) arrive(x spot) {
	frame, ok := u.readIn(x.frame)
	if !ok {
		return
	}
	x.frame = frame
	u.reach(x)
}

// reach notes a spot, and how it was reached.
func (u *uniqueness) reach(x spot) {
	t := u.to
	u.marked = append(u.marked[:0], u.passed...)
	slices.Reverse(u.marked)
	back := wayBack{int32(u.from), u.runID(u.marked)}
	x.doubt = u.doubt
	i := slices.Index(t.spots, x)
	if i < 0 {
		i, t.spots = len(t.spots), append(t.spots, x)
	}
	t.add(i, back)
}

// runID returns the number of a run of marks, 0 for none.
func (u *uniqueness) runID(marks []int32) int32 {
	if len(marks) == 0 {
		return 0
	}
	key := make([]byte, 0, 128)
	for _, m := range marks {
		key = append(key, byte(m), byte(m>>8), byte(m>>16), byte(m>>24))
	}
	id, ok := u.runIDs[string(key)]
	if !ok {
		id = int32(len(u.runs))
		r := run{marks: slices.Clone(marks), power: 1}
		for _, m := range marks {
			const prime = 0x9e3779b97f4a7c15
			r.hash, r.power = r.hash+r.power*mix(1, uint64(m)), r.power*prime
		}
		u.runs, u.runIDs[string(key)] = append(u.runs, r), id
	}
	return id
}

// spot takes the byte at a spot, behind everything there that takes none.
func (u *uniqueness) spot(x *spot) {
	if x.node != nil {
		u.node(x.node, x.frame)
		return
	}
	it := &x.edge.item
	switch {
	case x.words != nil:
		if kid := x.words.kid(u.next); kid != nil {
			u.arrive(spot{edge: x.edge, words: kid, frame: x.frame})
		}
		if x.words.ends {
			u.text(x.edge, x.words, x.frame)
		}
	case it.kind == itemLiteral:
		u.literal(x.edge, int(x.at), x.frame)
	default:
		u.number(x.edge, x.at, x.frame)
	}
}

// node goes on from a node.
func (u *uniqueness) node(n *node, frame int32) {
	if u.steps++; u.steps > maxTextSteps {
		u.failed = true
		return
	}
	n.open()
	if n.set != nil {
		u.set(n, frame)
		return
	}
	for _, e := range n.edges {
		u.edge(e, frame)
	}
	for _, a := range n.accepts {
		u.accept(a, frame)
	}
}

// behind goes on behind an item, of which a mark is left.
func (u *uniqueness) behind(e *edge, frame int32, key markKey) {
	n := len(u.passed)
	if e.item.ref != nil && e.item.kind != itemCall {
		u.passed = append(u.passed, u.valueMark(e, frame, key))
	}
	u.node(e.next, frame)
	u.passed = u.passed[:n]
}

// edge takes the byte at the start of an item, or goes on behind it if it takes none.
func (u *uniqueness) edge(e *edge, frame int32) {
	it := &e.item
	n := len(u.passed)
	if len(it.conds) > 0 {
		if u.excluded(it.conds) {
			return
		}
		u.passed = append(u.passed, u.condMark(e, frame))
	}
	switch it.kind {
	case itemLiteral:
		u.literal(e, 0, frame)
	case itemBlank:
		switch {
		case u.next == ' ':
			u.arrive(spot{node: e.next, frame: frame})
		case u.blank || u.next == '\n' || it.padding:
			u.node(e.next, frame)
		}
	case itemNothing:
		if it.extent != someText {
			u.node(e.next, frame)
		}
	case itemSetEnd:
		u.node(u.frames[frame].set.at, frame)
	case itemSet:
		f := &u.frames[frame]
		u.node(it.set.at, u.frame(textFrame{parent: frame, ret: e.next, scope: f.scope, extent: it.extent, set: it.set, depth: f.depth}))
	case itemCall:
		u.call(e, frame)
	case itemEnum:
		u.enum(e, frame)
	default:
		u.scalar(e, frame)
	}
	u.passed = u.passed[:n]
}

// literal takes the byte as one of a literal.
func (u *uniqueness) literal(e *edge, at int, frame int32) {
	switch text := e.item.text; {
	case text[at] != u.next:
	case at+1 == len(text):
		u.arrive(spot{node: e.next, frame: frame})
	default:
		u.arrive(spot{edge: e, at: int32(at + 1), frame: frame})
	}
}

// enum starts with the texts of an enum or a bool.
func (u *uniqueness) enum(e *edge, frame int32) {
	it := &e.item
	if it.extent != noText {
		if kid := it.words.kid(u.next); kid != nil {
			u.arrive(spot{edge: e, words: kid, frame: frame})
		}
		if digitValue[u.next] < 10 && it.numbers && it.ref.Kind == spec.KindEnum {
			u.arrive(spot{edge: e, at: numberRead, frame: frame})
		}
	}
	if it.words.ends && it.extent != someText {
		u.text(e, it.words, frame)
	}
}

// text goes on behind a text of an enum or a bool, once for each of its values. Blanks alone are printed, and are nothing
// beside others.
func (u *uniqueness) text(e *edge, words *trie, frame int32) {
	values := 0
	for _, alias := range words.aliases {
		values += int(truthBit(!alias || words.size == 0))
	}
	for i, alias := range words.aliases {
		switch {
		case alias && words.size > 0:
		case values == 1:
			u.behind(e, frame, markKey{})
		default:
			u.behind(e, frame, markKey{value: words.values[i] + 1})
		}
	}
}

// scalar starts with a number.
func (u *uniqueness) scalar(e *edge, frame int32) {
	it, c := &e.item, u.next
	if it.mayBeAbsent() && it.extent != someText {
		u.behind(e, frame, markKey{})
	}
	if it.extent == noText {
		return
	}
	switch {
	case numberByte(it, c):
		u.arrive(spot{edge: e, at: numberRead, frame: frame})
	case c == '-' || c == '+':
		u.arrive(spot{edge: e, at: signRead, frame: frame})
	}
	if it.kind == itemBranch && isSymbolByte(c, true) {
		u.arrive(spot{edge: e, at: nameRead, frame: frame})
	}
}

// number goes on with a number, or behind it. A parser may take what touches a number for a part of it, and find no way
// to read it.
func (u *uniqueness) number(e *edge, at, frame int32) {
	it, c := &e.item, u.next
	switch {
	case at == nameRead && isSymbolByte(c, false), at != nameRead && numberByte(it, c):
		u.arrive(spot{edge: e, at: max(at, numberRead), frame: frame})
	}
	if at != signRead {
		doubt := u.doubt
		u.doubt = doubt || numberByte(it, c) || strings.IndexByte("xXoObB", c) >= 0
		u.behind(e, frame, markKey{asks: at == nameRead})
		u.doubt = doubt
	}
}

// numberByte reports whether a byte can be one of a number behind its sign.
func numberByte(it *item, c byte) bool {
	switch {
	case it.kind == itemFloat:
		return digitValue[c] < 10 || c == '.' || c == '+' || c == '-' || strings.IndexByte("einfaEINFA", c) >= 0
	case it.kind != itemEnum && (it.ref.Kind == spec.KindHex || it.ref.Width > 64):
		return digitValue[c] < 16 || c == 'x'
	}
	return digitValue[c] < 10
}

// call enters a nested value.
func (u *uniqueness) call(e *edge, frame int32) {
	it, f := &e.item, u.frames[frame]
	if f.depth == maxTextDepth {
		u.failed = true
		return
	}
	inner, ok := u.open(it.ref, f.scope)
	if !ok {
		u.failed = true
		return
	}
	n := len(u.passed)
	if it.ref.Prog != nil {
		u.passed = append(u.passed, u.valueMark(e, frame, markKey{}))
	}
	into := u.frame(textFrame{parent: frame, ret: e.next, scope: inner, extent: it.extent, fresh: it.extent != anyExtent, depth: f.depth + 1})
	u.node(u.p.ready(it.call).start, into)
	u.passed = u.passed[:n]
}

// accept ends a template.
func (u *uniqueness) accept(a *accept, frame int32) {
	f := u.frames[frame]
	if a.alias || f.fresh && f.extent == someText || slices.ContainsFunc(a.unit.Requires, func(r *model.Prog) bool { return u.never(r, true) }) ||
		a.own != nil && u.never(a.own, true) {
		return
	}
	n := len(u.passed)
	u.passed = append(u.passed, u.acceptMark(a, f.scope))
	switch {
	case f.parent >= 0:
		u.node(f.ret, f.parent)
	case u.next == '\n':
		u.reach(spot{frame: frame})
	}
	u.passed = u.passed[:n]
}

// set reads the next member of a set, in order, or ends it.
func (u *uniqueness) set(n *node, frame int32) {
	f, s := u.frames[frame], n.set
	for i, member := range s.members {
		if f.used>>uint(i) != 0 || f.extent == noText || f.closing {
			continue
		}
		x := f
		x.used |= 1 << uint(i)
		if f.used != 0 && s.join != "" {
			member = u.joined(s, i)
		}
		u.node(member, u.frame(x))
	}
	if !f.closing && f.extent == someText && f.used == 0 {
		return
	}
	f.closing = true
	for i, absent := range s.absent {
		if f.used>>uint(i)&1 == 0 {
			f.used |= 1 << uint(i)
			u.node(absent, u.frame(f))
			return
		}
	}
	u.node(f.ret, f.parent)
}

// joined returns the node of a member of a set with what stands before it.
func (u *uniqueness) joined(s *setItem, member int) *node {
	key := joinKey{s, member}
	if n := u.joins[key]; n != nil {
		return n
	}
	next := s.members[member]
	for i := len(s.join) - 1; i >= 0; i-- {
		e := &edge{next: next, item: item{kind: itemLiteral, text: s.join[i : i+1]}}
		if s.join[i] == ' ' {
			e.item = item{kind: itemBlank}
		}
		next = &node{edges: []*edge{e}}
		next.opening.Do(func() { next.opened.Store(true) })
	}
	u.joins[key] = next
	return next
}

// open returns the scope of a nested value; ok is false where it cannot be said.
func (u *uniqueness) open(ref *model.Ref, inside int32) (id int32, ok bool) {
	from := inside
	for scopeDepth := ref.ScopeDepth; scopeDepth > 0; scopeDepth-- {
		if from = u.scopes[from].up; from < 0 {
			return 0, false
		}
	}
	if ref.Prog != nil {
		s := scope{up: inside, space: spaceTable, size: ref.Env.Root.Size}
		if list, ok := u.sources(ref.Prog.Root, from); ok && s.size <= len(list) {
			s.space, s.low, s.parts = spaceWord, -1, partsOf(list[:s.size])
		}
		return u.innerScope(innerScope{ref, from, inside}, s), true
	}
	up := inside
	for _, e := range append(slices.Clone(ref.Enter), ref) {
		if e.Field == nil || e.Field.Table != nil || e.Prog != nil {
			return 0, false
		}
		outer := &u.scopes[from]
		s := scope{up: up, space: outer.space, size: e.Env.Root.Size}
		s.low, s.parts = outer.place(e)
		from = u.innerScope(innerScope{e, from, up}, s)
		up = from
	}
	return from, true
}

// innerScope returns the number of the scope of a nested value.
func (u *uniqueness) innerScope(key innerScope, s scope) int32 {
	id, ok := u.inner[key]
	if !ok {
		id = int32(len(u.scopes))
		u.scopes, u.inner[key] = append(u.scopes, s), id
	}
	return id
}

// excluded reports whether one of some conditions cannot be met with the contexts as they are.
func (u *uniqueness) excluded(conds []condition) bool {
	return slices.ContainsFunc(conds, func(c condition) bool { return u.never(c.prog, c.want) })
}

// never reports whether the contexts, and nothing else, say that a condition is not as it must be.
func (u *uniqueness) never(prog *model.Prog, want bool) bool {
	v, known := u.settled(prog.Root)
	return known && (v != 0) != want
}

// settled computes an expression from contexts alone.
func (u *uniqueness) settled(n *model.Node) (v uint64, known bool) {
	switch n.Op {
	case spec.OpConst:
		return n.Value, true
	case spec.OpField:
		if len(n.Alts) != 1 || n.Alts[0].Cond != nil || n.Alts[0].Ref == nil || n.Alts[0].Ref.Context == nil {
			return 0, false
		}
		ref := n.Alts[0].Ref
		return u.p.context.Uint(ref.Low, ref.Width), true
	case spec.OpCond, spec.OpGen, spec.OpComma:
		return 0, false
	}
	x, kx := u.settled(n.X)
	y, ky := uint64(0), true
	if n.Y != nil {
		y, ky = u.settled(n.Y)
	}
	if n.Op == spec.OpAndAnd || n.Op == spec.OpOrOr {
		decider := n.Op == spec.OpOrOr
		if kx && (x != 0) == decider || ky && (y != 0) == decider {
			return truthBit(decider), true
		}
		return truthBit(!decider), kx && ky
	}
	if !kx || !ky {
		return 0, false
	}
	return model.Apply(n, x, y), true
}

// provable reports whether the automaton can say anything of a parser's texts: contexts that text gives it does not
// know, nor bits beyond which it takes all for 0.
func provable(p *Parser) bool {
	if slices.ContainsFunc(p.root.Leaves, func(l *model.Leaf) bool { return l.Size > beyond }) {
		return false
	}
	for _, c := range inside.Machine(p.set).ISA.Contexts {
		if c.FromText {
			return false
		}
	}
	return len(p.Tables) == 0
}
