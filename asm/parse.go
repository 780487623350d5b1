// Package asm turns text into instructions: the display templates of a description, read backwards.
package asm

import (
	"math"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Parser reads the instructions of one root. It is reused over a whole program, and not for use by
// several goroutines at once.
type Parser struct {
	// Symbol gives the address of a name, in bits from the start of the program; nil knows none.
	Symbol func(name string) (addr int64, ok bool)
	// Addr is the address of the instruction in bits; relative branch targets count from it.
	Addr int64
	// Tables place the entries beside the code, one for each table of the set; a nil Table gives
	// each instruction entries of its own, from 0 upwards.
	Tables []Table

	set     *isa.Set
	root    *isa.Root
	env     *model.Env
	top     *grammar
	folding bool
	comment string
	enums   map[*model.Enum]*trie
	context bits.Value

	// The input as given; then with its blanks collapsed, and in src folded.
	line     []byte
	src, raw []byte
	pos      int
	node     *node
	frame    int32

	spaces  [maxSpaces]space
	nspaces int
	trail   []undo
	frames  []callFrame
	scopes  []scope
	choices []choice
	cons    []constraint
	units   []boundUnit
	general bool
	steps   int

	solver  solver
	suffix  []suffix
	failure *failure
	entries []Entry
	decoder *isa.Decoder
}

// Limits. A line that needs more is refused with an error.
const (
	maxSpaces = 8
	maxSteps  = 1 << 20
	maxLine   = 1 << 16
)

// space is a group of bits that text fixes: the word, the contexts, or an entry of a table.
type space struct {
	val, known bits.Value
	// field is the index field of a table entry; scope the scope that it stands in.
	field *spec.Field
	scope int32
}

const (
	spaceWord = iota
	spaceContext
	spaceTable
)

// undo restores bits of a space that were unknown before.
type undo struct {
	low   int16
	width uint8
	space uint8
	known uint64
}

// scope maps the bits of a nested value to the space that it lies in.
type scope struct {
	up    int32
	space uint8
	// low is the place of bit 0 where the value is in one piece, else -1 and parts has the pieces.
	low   int
	size  int
	parts []spec.Part
}

// callFrame is where to go on when a nested value, or a member of a set, has been read.
type callFrame struct {
	parent int32
	scope  int32
	ret    *node
	// set and used belong to a member of a set.
	set    *setItem
	used   uint64
	extent extent
	from   int
}

// choice is a way not yet tried.
type choice struct {
	node                                  *node
	item                                  *item
	next                                  *node
	pos                                   int
	frame                                 int32
	state                                 int // what to try next, in the terms of the item or the node
	trail, frames, scopes, cons, unitsLen int
	nspaces                               int
}

type boundUnit struct {
	unit  *model.Unit
	scope int32
}

// New returns a parser for a root of the set, "" being that of instructions.
func New(set *isa.Set, root string) (*Parser, error) {
	r, err := set.Root(root)
	if err != nil {
		return nil, err
	}
	m := set.Model()
	p := &Parser{
		set: set, root: r, env: m.Top(r), folding: m.ISA.Text.Fold, comment: m.ISA.Text.Comment,
		enums: map[*model.Enum]*trie{}, context: m.Context, Tables: make([]Table, len(m.ISA.Tables)),
	}
	p.top = p.grammarOf(p.env)
	return p, nil
}

// SetContext gives the contexts their values, as made by isa.Set.ParseContext.
func (p *Parser) SetContext(ctx bits.Value) { p.context = ctx }

func (p *Parser) fold(s string) string {
	if p.folding {
		return strings.ToLower(s)
	}
	return s
}

// Result is an instruction that was read.
type Result struct {
	Inst isa.Inst
	// Context holds the contexts; those that belong to the text have the values it gives.
	Context bits.Value
	// Entries are the table entries of the instruction.
	Entries []Entry
}

// Parse reads one instruction; a comment after it is skipped. The result's Entries are valid until
// the next call. The error is an *Error.
func (p *Parser) Parse(text string) (Result, error) {
	if len(text) > maxLine {
		return Result{}, &Error{Code: diag.XMLLimit, Msg: "line of more than 65536 bytes"}
	}
	p.line = append(p.line[:0], text...)
	return p.parse(p.line)
}

// ParseBytes is Parse for a text that is not a string; it does not keep line.
func (p *Parser) ParseBytes(line []byte) (Result, error) {
	if len(line) > maxLine {
		return p.Parse(string(line))
	}
	return p.parse(line)
}

// parse reads one instruction from line, which it does not keep.
func (p *Parser) parse(line []byte) (Result, error) {
	body, err := p.split(line)
	if err == nil {
		p.load(body)
		if p.run() {
			var res Result
			if res, err = p.complete(); err == nil {
				return res, nil
			}
		} else {
			err = p.explain(body)
		}
	}
	return Result{}, err
}

// load puts the input into src and raw with its runs of blanks collapsed.
func (p *Parser) load(body []byte) {
	p.src, p.raw = p.src[:0], p.raw[:0]
	blank := true
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch c {
		case ' ', '\t', '\r', '\n':
			if blank {
				continue
			}
			c, blank = ' ', true
		default:
			blank = false
		}
		p.raw = append(p.raw, c)
		if p.folding && c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		p.src = append(p.src, c)
	}
	if n := len(p.src); n > 0 && p.src[n-1] == ' ' {
		p.src, p.raw = p.src[:n-1], p.raw[:n-1]
	}
}

// run reads the whole input as an instruction. It stops at the first way that encodes. At first
// small operands are read as whole words, in one way each; where that fails, in every way.
func (p *Parser) run() bool {
	p.ready(p.top)
	for _, general := range []bool{false, true} {
		p.general = general || p.failure != nil
		p.reset(p.root.Size)
		p.node = p.top.start
		if p.search() {
			return true
		}
		if p.failure != nil {
			break
		}
	}
	return false
}

func (p *Parser) reset(size int) {
	p.pos, p.frame, p.nspaces, p.steps = 0, 0, spaceTable, 0
	p.spaces[spaceWord] = space{}
	p.spaces[spaceContext] = space{val: p.context, known: bits.Ones(bits.Size)}
	for _, c := range p.set.Model().ISA.Contexts {
		if c.FromText {
			p.spaces[spaceContext].known.SetUint(c.Low, c.Width, 0)
			p.spaces[spaceContext].val.SetUint(c.Low, c.Width, 0)
		}
	}
	p.trail, p.choices, p.cons, p.units = p.trail[:0], p.choices[:0], p.cons[:0], p.units[:0]
	p.frames = append(p.frames[:0], callFrame{parent: -1})
	p.scopes = append(p.scopes[:0], scope{up: -1, size: size})
}

// search goes on from the present place, trying the ways left open when it gets stuck.
func (p *Parser) search() bool {
	ok := p.advance(0)
	for {
		switch {
		case ok && p.node == nil:
			return true
		case ok:
			ok = p.advance(0)
		case len(p.choices) == 0 || p.steps > maxSteps:
			return false
		default:
			ok = p.retry()
		}
		p.steps++
	}
}

// save leaves a way open.
func (p *Parser) save(c choice) {
	c.pos, c.frame = p.pos, p.frame
	c.trail, c.frames, c.scopes = len(p.trail), len(p.frames), len(p.scopes)
	c.cons, c.unitsLen, c.nspaces = len(p.cons), len(p.units), p.nspaces
	p.choices = append(p.choices, c)
}

// retry goes back to the way left open last.
func (p *Parser) retry() bool {
	n := len(p.choices) - 1
	c := p.choices[n]
	p.choices = p.choices[:n]
	p.pos, p.frame, p.nspaces = c.pos, c.frame, c.nspaces
	p.undo(c.trail)
	p.frames, p.scopes = p.frames[:c.frames], p.scopes[:c.scopes]
	p.cons, p.units = p.cons[:c.cons], p.units[:c.unitsLen]
	p.node = c.node
	if c.item != nil {
		return p.match(c.item, c.next, c.state)
	}
	return p.advance(c.state)
}

func (p *Parser) undo(to int) {
	for n := len(p.trail) - 1; n >= to; n-- {
		u := p.trail[n]
		s := &p.spaces[u.space]
		old := s.val.Uint(int(u.low), int(u.width))
		s.known.SetUint(int(u.low), int(u.width), u.known)
		s.val.SetUint(int(u.low), int(u.width), old&u.known)
	}
	p.trail = p.trail[:to]
}

// The ways out of a node, in the order in which they are tried: its literals, longest first
// (state is the limit of their length, encoded), then its other edges, then its ends.
const (
	stateEdges   = 1 << 20
	stateAccepts = 2 << 20
)

// advance takes a way out of the present node. state says from which on.
func (p *Parser) advance(state int) bool {
	n := p.node
	if n.set != nil {
		return p.member(n, state)
	}
	if state < stateEdges {
		if n.literals != nil && p.literal(n, state) {
			return true
		}
		state = stateEdges
	}
	if state < stateAccepts {
		i := state - stateEdges
		if i < len(n.others) {
			e := n.others[i]
			if i+1 < len(n.others) || len(n.accepts) > 0 {
				p.save(choice{node: n, state: state + 1})
			}
			return p.match(e.item, e.next, 0)
		}
		state = stateAccepts
	}
	i := state - stateAccepts
	if i >= len(n.accepts) {
		return false
	}
	if i+1 < len(n.accepts) {
		p.save(choice{node: n, state: state + 1})
	}
	return p.accept(n.accepts[i])
}

// literal takes the longest literal edge that stands here and is shorter than what was tried.
func (p *Parser) literal(n *node, state int) bool {
	pos := p.skipBlank()
	limit := len(p.src) + 1
	if state > 0 {
		limit = state
	}
	found, end := n.literals.find(p.src, pos, limit)
	if found == nil {
		p.expectLiterals(n, pos)
		return false
	}
	if len(n.others)+len(n.accepts) > 0 || end > pos+1 && len(n.edges) > 1 {
		p.save(choice{node: n, state: max(end, 1)})
	}
	p.pos, p.node = end, n.edges[found.values[0]].next
	return true
}

// skipBlank returns the place after a blank that is free because it stands beside punctuation.
func (p *Parser) skipBlank() int {
	if p.pos < len(p.src) && p.src[p.pos] == ' ' &&
		(p.pos == 0 || loose[p.src[p.pos-1]] || p.pos+1 < len(p.src) && loose[p.src[p.pos+1]]) {
		return p.pos + 1
	}
	return p.pos
}

// match reads one item and goes on behind it. state 0 is the first try.
func (p *Parser) match(it *item, next *node, state int) bool {
	if len(it.conds) > 0 && !p.require(it.conds) {
		return false
	}
	switch it.kind {
	case itemBlank:
		return p.matchBlank(next)
	case itemEnum:
		return p.matchWord(it, next, state)
	case itemCall:
		return p.matchCall(it, next)
	case itemSet:
		p.frames = append(p.frames, callFrame{parent: p.frame, scope: p.frames[p.frame].scope, ret: next, set: it.set, extent: it.extent, from: p.pos})
		p.frame = int32(len(p.frames) - 1)
		return p.member(&node{set: it.set}, 0)
	case itemSetEnd:
		return p.memberDone()
	case itemNothing:
		p.node = next
		return it.extent != someText
	}
	return p.matchNumber(it, next, state)
}

// matchBlank takes a blank, or nothing beside punctuation, another blank, or an end of the line.
func (p *Parser) matchBlank(next *node) bool {
	switch {
	case p.pos < len(p.src) && p.src[p.pos] == ' ':
		p.pos++
	case p.pos == 0 || p.pos == len(p.src) || p.src[p.pos-1] == ' ' || loose[p.src[p.pos-1]] || loose[p.src[p.pos]]:
	default:
		p.expect(p.pos, "a blank")
		return false
	}
	p.node = next
	return true
}

// matchWord reads a text of an enum or a bool. state is the limit of the text's end, times 256,
// plus the number of values of that text already tried.
func (p *Parser) matchWord(it *item, next *node, state int) bool {
	pos := p.pos
	if it.extent != noText {
		pos = p.skipBlank()
	}
	limit, tried := len(p.src)+1, state&0xff
	if state > 0 {
		limit = state >> 8
	}
	if it.extent == noText {
		limit = pos + 1
	}
	found, end := it.words.find(p.src, pos, limit)
	if found == nil || end == pos && it.extent == someText {
		if it.ref.Kind == spec.KindEnum && it.extent != noText && state == 0 {
			return p.matchNumber(it, next, 0)
		}
		p.expectItem(pos, it)
		return false
	}
	switch {
	case tried+1 < len(found.values):
		p.save(choice{node: p.node, item: it, next: next, state: (end+1)<<8 | tried + 1})
	case end > pos:
		p.save(choice{node: p.node, item: it, next: next, state: max(end, 1) << 8})
	}
	if end == pos {
		end = p.pos // nothing was read, the blank included
	}
	if !p.bind(it, found.values[tried], end) {
		return false
	}
	p.pos, p.node = end, next
	return true
}

// matchCall reads a nested value.
func (p *Parser) matchCall(it *item, next *node) bool {
	g := p.ready(it.call)
	pos := p.pos
	if it.extent != noText {
		pos = p.skipBlank()
	}
	if !p.general && g.quick != nil && it.extent == anyExtent && it.ref.Prog == nil {
		if v, end, ok := g.quick.find(p.src, pos); ok {
			if !p.bindMasked(it.ref, v.val, v.known, g.env.Root.Size, end) {
				return false
			}
			if end > pos {
				p.pos = end
			}
			p.node = next
			return true
		}
	}
	inner, ok := p.open(it.ref)
	if !ok {
		return false
	}
	p.frames = append(p.frames, callFrame{parent: p.frame, scope: inner, ret: next, extent: it.extent, from: p.pos})
	p.frame = int32(len(p.frames) - 1)
	p.node = g.start
	return true
}

// scopeOf returns the scope of the present frame, hops scopes up.
func (p *Parser) scopeOf(hops int) int32 {
	s := p.frames[p.frame].scope
	for ; hops > 0; hops-- {
		s = p.scopes[s].up
	}
	return s
}

// open makes the scope of a nested value, and those that a path to it passes through.
func (p *Parser) open(ref *model.Ref) (int32, bool) {
	from := p.scopeOf(ref.Hops)
	up := p.frames[p.frame].scope
	if ref.Prog != nil {
		return p.openDerived(ref, from, up)
	}
	for _, e := range ref.Enter {
		var ok bool
		if from, ok = p.inner(e, from, up); !ok {
			return 0, false
		}
		up = from
	}
	return p.inner(ref, from, up)
}

// inner adds the scope of a bitset field of scope from; names climb from it to scope up.
func (p *Parser) inner(ref *model.Ref, from, up int32) (int32, bool) {
	s := scope{up: up, size: ref.Env.Root.Size}
	if ref.Field.Table != nil {
		sp, ok := p.entry(ref.Field, from)
		if !ok {
			return 0, false
		}
		s.space = sp
	} else {
		outer := p.scopes[from]
		s.space = outer.space
		s.low, s.parts = outer.place(ref)
	}
	p.scopes = append(p.scopes, s)
	return int32(len(p.scopes) - 1), true
}

// openDerived makes a space of its own for a nested value that is computed; its bits are compared
// with the expression when they are known.
func (p *Parser) openDerived(ref *model.Ref, from, up int32) (int32, bool) {
	if p.nspaces == maxSpaces {
		p.fail(diag.TextAmbiguous, p.pos, "more than %d operands beside the word", maxSpaces)
		return 0, false
	}
	sp := uint8(p.nspaces)
	p.spaces[p.nspaces] = space{scope: from}
	p.nspaces++
	p.scopes = append(p.scopes, scope{up: up, space: sp, size: ref.Env.Root.Size})
	inner := int32(len(p.scopes) - 1)
	p.cons = append(p.cons, constraint{prog: ref.Prog, scope: from, nested: inner, kind: wantNested, width: ref.Env.Root.Size})
	return inner, true
}

// entry returns the space of a table entry, one for each index field.
func (p *Parser) entry(f *spec.Field, scope int32) (uint8, bool) {
	for i := spaceTable; i < p.nspaces; i++ {
		if p.spaces[i].field == f {
			return uint8(i), true
		}
	}
	if p.nspaces == maxSpaces {
		p.fail(diag.TextAmbiguous, p.pos, "more than %d operands beside the word", maxSpaces)
		return 0, false
	}
	p.spaces[p.nspaces] = space{field: f, scope: scope}
	p.nspaces++
	return uint8(p.nspaces - 1), true
}

// place maps a field of the scope to bits of its space.
func (s *scope) place(ref *model.Ref) (low int, parts []spec.Part) {
	if s.parts == nil && len(ref.Field.Parts) == 1 {
		return s.low + ref.Field.Parts[0].Low, nil
	}
	for _, part := range ref.Field.Parts {
		parts = append(parts, s.compose(part)...)
	}
	return -1, parts
}

// compose finds a run of bits of the scope in its space, the most significant piece first.
func (s *scope) compose(part spec.Part) []spec.Part {
	if s.parts == nil {
		return []spec.Part{{Low: s.low + part.Low, Width: part.Width}}
	}
	var out []spec.Part
	base := 0
	for i := len(s.parts) - 1; i >= 0; i-- {
		o := s.parts[i]
		lo, hi := max(part.Low, base), min(part.Low+part.Width, base+o.Width)
		if lo < hi {
			out = append([]spec.Part{{Low: o.Low + lo - base, Width: hi - lo}}, out...)
		}
		base += o.Width
	}
	return out
}

// bind gives a reference a value that text has named.
func (p *Parser) bind(it *item, v uint64, end int) bool {
	ref := it.ref
	if ref.Context != nil {
		return p.setBits(spaceContext, ref.Low, ref.Width, v, end)
	}
	scope := p.scopeOf(ref.Hops)
	if ref.Prog != nil {
		p.cons = append(p.cons, derivedConstraint(ref, scope, v))
		return p.propagateLast(end)
	}
	return p.bindField(ref, scope, v, end)
}

// bindField sets the bits of a field that stands in scope, or at the end of a path from it.
func (p *Parser) bindField(ref *model.Ref, scope int32, v uint64, end int) bool {
	if ref.Width < 64 && v>>uint(ref.Width) != 0 {
		if p.failure == nil {
			return false
		}
		p.fail(diag.TextRange, end, "%d does not fit the %d bits of %s", v, ref.Width, ref.Name())
		return false
	}
	if len(ref.Enter) == 0 && ref.Low >= 0 {
		s := &p.scopes[scope]
		if s.parts == nil {
			return p.setBits(s.space, s.low+ref.Low, ref.Width, v, end)
		}
	}
	return p.bindMaskedAt(ref, scope, bits.Of(v), bits.Ones(ref.Width), ref.Width, end)
}

// bindMasked sets those bits of a field that are set in mask.
func (p *Parser) bindMasked(ref *model.Ref, v, mask uint64, width, end int) bool {
	scope := p.scopeOf(ref.Hops)
	if len(ref.Enter) == 0 && ref.Low >= 0 && ref.Field.Table == nil && mask == ^uint64(0)>>(64-uint(width)) {
		if s := &p.scopes[scope]; s.parts == nil {
			return p.setBits(s.space, s.low+ref.Low, width, v, end)
		}
	}
	return p.bindMaskedAt(ref, scope, bits.Of(v), bits.Of(mask), width, end)
}

func (p *Parser) bindMaskedAt(ref *model.Ref, scope int32, v, mask bits.Value, width, end int) bool {
	sp, parts, low, ok := p.locate(ref, scope)
	if !ok {
		return false
	}
	if parts == nil {
		return p.setMasked(sp, low, width, v, mask, end)
	}
	at := 0
	for i := len(parts) - 1; i >= 0; i-- {
		w := parts[i].Width
		if !p.setMasked(sp, parts[i].Low, w, v.Slice(at, w), mask.Slice(at, w), end) {
			return false
		}
		at += w
	}
	return true
}

// locate finds the bits of a field of bits: in one piece from low upwards, or in parts. For the
// index of a table it is the entry.
func (p *Parser) locate(ref *model.Ref, from int32) (sp uint8, parts []spec.Part, low int, ok bool) {
	s := p.scopes[from]
	for _, e := range ref.Enter {
		if s, ok = p.step(e, s, from); !ok {
			return 0, nil, 0, false
		}
	}
	if ref.Field.Table != nil && ref.Kind == spec.KindBitset && ref.Env != nil {
		sp, ok = p.entry(ref.Field, from)
		return sp, nil, 0, ok
	}
	low, parts = s.place(ref)
	return s.space, parts, low, true
}

// step enters one field of a path without adding a scope.
func (p *Parser) step(e *model.Ref, s scope, from int32) (scope, bool) {
	if e.Field.Table != nil {
		sp, ok := p.entry(e.Field, from)
		return scope{space: sp}, ok
	}
	s.low, s.parts = s.place(e)
	return s, true
}

// setMasked sets bits run by run of the mask.
func (p *Parser) setMasked(sp uint8, low, width int, v, mask bits.Value, end int) bool {
	for at := 0; at < width; {
		if mask.Bit(at) == 0 {
			at++
			continue
		}
		n := 1
		for at+n < width && n < 64 && mask.Bit(at+n) == 1 {
			n++
		}
		if !p.setBits(sp, low+at, n, v.Uint(at, n), end) {
			return false
		}
		at += n
	}
	return true
}

// setBits fixes up to 64 bits. It fails where one of them is known to be different.
func (p *Parser) setBits(sp uint8, low, width int, v uint64, end int) bool {
	s := &p.spaces[sp]
	known := s.known.Uint(low, width)
	if known != 0 && (s.val.Uint(low, width)^v)&known != 0 {
		if p.failure != nil {
			p.fail(diag.TextConflict, end, "bits %d..%d would have to be %#x and %#x", low, low+width-1, s.val.Uint(low, width)&known, v&known)
		}
		return false
	}
	if known == ^uint64(0)>>(64-uint(width)) {
		return true
	}
	p.trail = append(p.trail, undo{int16(low), uint8(width), sp, known})
	s.val.SetUint(low, width, v)
	s.known.SetUint(low, width, ^uint64(0))
	return true
}

// accept ends a template: its leaf's fixed bits are set and its conditions noted. The whole input
// is done when this was the outermost one.
func (p *Parser) accept(a *accept) bool {
	f := p.frames[p.frame]
	switch {
	case f.extent == someText && p.pos == f.from, f.extent == noText && p.pos != f.from:
		return false
	case f.parent < 0 && p.pos < len(p.src):
		p.expect(p.pos, "the end of the instruction")
		return false
	}
	leaf := a.unit.Leaf
	if !p.bindPattern(f.scope, leaf.Match, leaf.Mask, leaf.Size) {
		return false
	}
	p.units = append(p.units, boundUnit{a.unit, f.scope})
	for _, r := range a.unit.Requires {
		if !p.constrain(constraint{prog: r, scope: f.scope, kind: wantTrue}) {
			return false
		}
	}
	if a.own != nil && !p.constrain(constraint{prog: a.own, scope: f.scope, kind: wantTrue}) {
		return false
	}
	if len(a.not) > 0 && !p.allKnown(f.scope) {
		for _, n := range a.not {
			p.cons = append(p.cons, constraint{prog: n, scope: f.scope, kind: wantFalse, soft: true})
		}
	}
	if f.parent < 0 {
		p.node = nil
		return p.solve()
	}
	p.frame, p.node = f.parent, f.ret
	return true
}

// bindPattern sets the fixed bits of a leaf.
func (p *Parser) bindPattern(scope int32, match, mask bits.Value, size int) bool {
	s := &p.scopes[scope]
	if s.parts == nil {
		if s.low == 0 && size <= 64 && p.spaces[s.space].known[0]&mask[0] == 0 && mask[0] != 0 {
			sp := &p.spaces[s.space]
			p.trail = append(p.trail, undo{0, uint8(size), s.space, sp.known.Uint(0, size)})
			sp.val[0] |= match[0]
			sp.known[0] |= mask[0]
			return true
		}
		return p.setMasked(s.space, s.low, size, match, mask, p.pos)
	}
	at := 0
	for i := len(s.parts) - 1; i >= 0; i-- {
		w := s.parts[i].Width
		if !p.setMasked(s.space, s.parts[i].Low, w, match.Slice(at, w), mask.Slice(at, w), p.pos) {
			return false
		}
		at += w
	}
	return true
}

// allKnown tells whether every bit of a scope has its value.
func (p *Parser) allKnown(scope int32) bool {
	s := &p.scopes[scope]
	if s.parts != nil {
		return false
	}
	known := p.spaces[s.space].known.Slice(s.low, s.size)
	return known == bits.Ones(s.size)
}

// member reads the next member of a set, in any order, or ends it. state is the member to try.
func (p *Parser) member(n *node, state int) bool {
	f := p.frames[p.frame]
	s := n.set
	for i := state; i < len(s.members); i++ {
		if f.used>>uint(i)&1 != 0 || f.extent == noText {
			continue
		}
		p.save(choice{node: n, state: i + 1})
		if f.used != 0 && !p.text(s.join) {
			return false
		}
		f.used |= 1 << uint(i)
		p.frames = append(p.frames, f)
		p.frame = int32(len(p.frames) - 1)
		p.node = s.members[i]
		return true
	}
	if f.extent == someText && f.used == 0 {
		return false
	}
	return p.absent(s, f)
}

// absent gives every member that was not read the value that prints nothing, and goes on.
func (p *Parser) absent(s *setItem, f callFrame) bool {
	for i, n := range s.absent {
		if f.used>>uint(i)&1 == 0 && !p.quiet(n) {
			return false
		}
	}
	p.frame, p.node = f.parent, f.ret
	return true
}

// quiet binds a member that is absent: one of its edges must match nothing.
func (p *Parser) quiet(n *node) bool {
	at := p.pos
	for _, e := range n.others {
		if e.item.kind == itemCall {
			continue // an operand with a value of its own cannot be left out
		}
		choices := len(p.choices)
		if p.match(e.item, e.next, 0) && p.pos == at {
			p.choices = p.choices[:choices]
			return true
		}
		p.choices = p.choices[:choices]
		p.pos = at
	}
	return false
}

// memberDone returns from a member to its set.
func (p *Parser) memberDone() bool {
	p.node = &node{set: p.frames[p.frame].set}
	return true
}

// text takes a piece of text with its blanks.
func (p *Parser) text(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			if !p.matchBlank(p.node) {
				return false
			}
			continue
		}
		if p.pos = p.skipBlank(); p.pos >= len(p.src) || p.src[p.pos] != s[i] {
			p.expectText(p.pos, s)
			return false
		}
		p.pos++
	}
	return true
}

// matchNumber reads a number, a float or a branch target.
func (p *Parser) matchNumber(it *item, next *node, state int) bool {
	pos := p.skipBlank()
	kind := it.ref.Kind
	if it.kind == itemBranch {
		if v, end, ok := p.symbol(it, pos); ok {
			if !p.bind(it, v, end) {
				return false
			}
			p.pos, p.node = end, next
			return true
		}
	}
	signed := kind == spec.KindOffset || kind == spec.KindUOffset
	n, ok := p.number(it, pos, state)
	if signed && (!ok || it.extent == noText || state > 0) {
		if it.extent == someText || !p.bind(it, 0, p.pos) {
			return false
		}
		p.node = next
		return true
	}
	if !ok || it.extent == noText {
		p.expectItem(pos, it)
		return false
	}
	if signed {
		p.save(choice{node: p.node, item: it, next: next, state: 1})
	} else if it.kind == itemNumber && n.end-n.digits > 1 {
		p.save(choice{node: p.node, item: it, next: next, state: n.end - 1})
	}
	if it.kind == itemEnum {
		if _, named := it.ref.Enum.Lookup(n.mag); named {
			p.expectItem(pos, it)
			return false
		}
	}
	if it.ref.Width > 64 {
		if !p.bindMaskedAt(it.ref, p.scopeOf(it.ref.Hops), n.wide, bits.Ones(it.ref.Width), it.ref.Width, n.end) {
			return false
		}
		p.pos, p.node = n.end, next
		return true
	}
	v, fits := p.fit(it.ref, n)
	if !fits && p.failure == nil {
		return false
	}
	if !fits {
		p.failAt(diag.TextRange, pos, n.end, "%s does not fit %s, expected %s", p.src[pos:n.end], it.ref.Name(), limits(it.ref))
		return false
	}
	if !p.bind(it, v, n.end) {
		return false
	}
	p.pos, p.node = n.end, next
	return true
}

// number is a number as it was read.
type number struct {
	neg, isFloat bool
	mag          uint64
	wide         bits.Value
	f            float64
	digits, end  int
}

// number reads a number of the item's kind at pos; it ends before limit if that is not 0.
func (p *Parser) number(it *item, pos, limit int) (number, bool) {
	var n number
	i := pos
	if limit == 0 || it.ref.Kind == spec.KindOffset || it.ref.Kind == spec.KindUOffset {
		limit = len(p.src)
	}
	if i < limit && (p.src[i] == '-' || p.src[i] == '+') {
		n.neg = p.src[i] == '-'
		i++
		if i < limit && p.src[i] == ' ' {
			i++
		}
	}
	if it.kind == itemFloat {
		return p.float(pos, i, limit)
	}
	if it.ref.Kind == spec.KindOffset && i == pos || it.ref.Kind == spec.KindUOffset && (i == pos || n.neg) {
		return n, false
	}
	base := uint64(10)
	if it.ref.Kind == spec.KindHex {
		base = 16
	}
	if i+2 < limit && p.src[i] == '0' {
		switch p.src[i+1] | 0x20 {
		case 'x':
			base, i = 16, i+2
		case 'o':
			base, i = 8, i+2
		case 'b':
			if base == 10 {
				base, i = 2, i+2
			}
		}
	}
	n.digits = i
	return p.digits(n, i, limit, base)
}

func (p *Parser) digits(n number, i, limit int, base uint64) (number, bool) {
	for ; i < limit; i++ {
		d := uint64(digitValue[p.src[i]])
		if d >= base {
			break
		}
		if n.wide[3]>>59 != 0 {
			return n, false
		}
		if n.mag > math.MaxUint64/16-1 || n.wide[1]|n.wide[2]|n.wide[3] != 0 {
			n.wide = addDigit(n.wide, base, d)
			n.mag = n.wide[0]
			continue
		}
		n.mag = n.mag*base + d
		n.wide[0] = n.mag
	}
	n.end = i
	return n, i > n.digits
}

// addDigit returns v*base + d.
func addDigit(v bits.Value, base, d uint64) bits.Value {
	carry := d
	for i := 0; i < 8; i++ {
		x := v.Uint(32*i, 32)*base + carry
		v.SetUint(32*i, 32, x)
		carry = x >> 32
	}
	return v
}

var digitValue = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i := range 10 {
		t['0'+i] = byte(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = byte(10+i), byte(10+i)
	}
	return t
}()

// float reads a decimal float, nan or inf.
func (p *Parser) float(from, i, limit int) (number, bool) {
	n := number{isFloat: true, digits: i, end: i}
	neg := i > from && p.src[from] == '-'
	for _, word := range []string{"nan", "inf"} {
		if i+3 <= limit && strings.EqualFold(string(p.src[i:i+3]), word) {
			n.f, n.end = math.NaN(), i+3
			if word == "inf" {
				n.f = math.Inf(1)
			}
			n.neg = neg
			return n, true
		}
	}
	end := i
	for end < limit && (digitValue[p.src[end]] < 10 || p.src[end] == '.' || p.src[end]|0x20 == 'e' ||
		end > i && (p.src[end] == '-' || p.src[end] == '+') && p.src[end-1]|0x20 == 'e') {
		end++
	}
	f, err := strconv.ParseFloat(string(p.src[i:end]), 64)
	if err != nil && !math.IsInf(f, 0) || end == i {
		return n, false
	}
	n.f, n.neg, n.end = f, neg, end
	return n, true
}

// fit converts a number to the bits of a field; ok is false where it does not fit.
func (p *Parser) fit(ref *model.Ref, n number) (v uint64, ok bool) {
	if n.isFloat {
		return floatBits(n, ref.Width), true
	}
	if n.wide != bits.Of(n.mag) {
		return 0, false
	}
	width := ref.Width
	if ref.Prog != nil && !ref.Field.WidthGiven && ref.Kind != spec.KindInt && ref.Kind != spec.KindOffset {
		width = 64 // a derived value is as wide as its expression
	}
	switch ref.Kind {
	case spec.KindInt, spec.KindOffset, spec.KindBranch:
		return fitSigned(n, width)
	case spec.KindAbsBranch:
		if n.neg { // printed as a signed number where the top bit is set
			return fitSigned(n, width)
		}
	}
	if ref.Kind == spec.KindBoolInv && ref.Prog == nil && !n.neg && n.mag <= 1 {
		return 1 - n.mag, true
	}
	if n.neg && n.mag != 0 || width < 64 && n.mag>>uint(width) != 0 {
		return 0, false
	}
	return n.mag, true
}

// fitSigned accepts the range of a two's complement number, and its bit pattern written unsigned.
func fitSigned(n number, width int) (uint64, bool) {
	if width <= 0 || width > 64 {
		width = 64
	}
	mask := ^uint64(0) >> (64 - uint(width))
	if n.neg {
		return -n.mag & mask, n.mag <= 1<<uint(width-1)
	}
	return n.mag, n.mag <= mask
}

func floatBits(n number, width int) uint64 {
	f := n.f
	if n.neg {
		f = math.Copysign(f, -1)
	}
	if width == 16 {
		return uint64(halfBits(f))
	}
	b := math.Float32bits(float32(f))
	if n.neg {
		b |= 1 << 31
	}
	return uint64(b)
}

// halfBits rounds to the nearest IEEE 754 half, ties to even.
func halfBits(f float64) uint16 {
	var sign uint16
	if math.Signbit(f) {
		sign, f = 0x8000, -f
	}
	switch {
	case math.IsNaN(f):
		return sign | 0x7e00
	case f >= 65520: // halfway between the largest half and the next power
		return sign | 0x7c00
	case f < 1.0/16384: // below the smallest normal number
		return sign | uint16(math.RoundToEven(math.Ldexp(f, 24)))
	}
	frac, exp := math.Frexp(f)
	m := int(math.RoundToEven(math.Ldexp(frac, 11)))
	return sign | uint16((exp+13)<<10+m)
}

// symbol reads a name at pos and turns its address into the value of a branch.
func (p *Parser) symbol(it *item, pos int) (v uint64, end int, ok bool) {
	end = pos
	for end < len(p.raw) && isSymbolByte(p.raw[end], end == pos) {
		end++
	}
	if end == pos || p.Symbol == nil {
		return 0, pos, false
	}
	addr, known := p.Symbol(string(p.raw[pos:end]))
	if !known {
		p.failAt(diag.TextSymbol, pos, end, "%s is no label", p.raw[pos:end])
		return 0, pos, false
	}
	unit := int64(it.ref.Field.Unit)
	if unit == 0 {
		unit = int64(p.root.Size)
	}
	if it.ref.Kind == spec.KindBranch {
		addr -= p.Addr
	}
	if addr%unit != 0 {
		p.failAt(diag.TextSymbol, pos, end, "label %s is not at a multiple of %d bits", p.raw[pos:end], unit)
		return 0, pos, false
	}
	n := number{neg: addr < 0, mag: uint64(addr / unit)}
	if n.neg {
		n.mag = -n.mag
	}
	n.wide = bits.Of(n.mag)
	v, fits := p.fit(it.ref, n)
	if !fits {
		p.failAt(diag.TextRange, pos, end, "label %s is %d away, expected %s", p.raw[pos:end], addr/unit, limits(it.ref))
		return 0, pos, false
	}
	return v, end, true
}

func isSymbolByte(c byte, first bool) bool {
	return c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || !first && c >= '0' && c <= '9'
}
