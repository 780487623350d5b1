package asm

import (
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Parser reads the instructions of one root. It is reused over a whole program, and not for use by
// several goroutines at once.
type Parser struct {
	// Symbol gives the address of a name, in bits from the start of the program; nil knows none.
	Symbol func(name string) (addr int64, ok bool)
	// Later reports whether a name that Symbol does not know is one all the same, whose address is not
	// known yet: the bits that it would give are left open. nil knows none.
	Later func(name string) bool
	// Custom reads a field of type custom at the start of text, as isa.Decoder.Custom prints it: its
	// value and the number of bytes read. nil reads a number.
	Custom func(text []byte, field string) (value uint64, n int, ok bool)
	// Constant computes the constant expression of $(EXPRESSION), where a number stands, at the start of text, which
	// starts at its parenthesis: its value and the number of bytes read. An error, an *Error, counts from the start of
	// text. nil reads a decimal number.
	Constant func(text string) (value int64, n int, err error)
	// Comment starts a comment. New takes it from the description; "" is none.
	Comment string
	// Addr is the address of the instruction in bits; relative branch targets count from it.
	Addr int64
	// Tables place the entries beside the code, one for each table of the set; a nil Table gives
	// each instruction entries of its own, from 0 upwards.
	Tables []Table

	language
	context bits.Value
	input
	finding
	progress
	names
	outcome

	// cache is nil for a parser that remembers nothing.
	cache *cache
	// leniently reads text too that would be printed through another case of its instruction.
	leniently bool
	// noncanonical tells that some text was not read as it would be printed: a number in another
	// spelling, a blank too few, an alias. strict refuses such text.
	noncanonical, strict bool
	// careful tries ways that lead nowhere, and remembers nothing; tests compare with it.
	careful bool
	// silent tells that nobody wants to know why a text cannot be read, which failure collects.
	silent  bool
	failure *failure
	first   finding // of a line that is verified
	solver  solver
	// ignorant knows no bit; most are those that can be set in the values of expressions.
	ignorant *Parser
	most     map[*model.Node]uint64
	scalar   []byte // room for what a value prints
}

// language is what a parser reads.
type language struct {
	set     *isa.Set
	root    *model.Root
	leaves  []*isa.Leaf // of the root
	env     *model.Env
	top     *grammar
	folding bool
	folds   *[256]byte
	enums   map[*model.Enum]*trie
	bools   map[boolText]*trie
	// textContexts are the bits of contexts that text can give.
	textContexts bits.Value
}

// input is a line: as it was given, then with its blanks collapsed, and in src folded.
type input struct {
	line     []byte
	src, raw []byte
	room     []byte // of raw
}

// progress is how far a line was read, what is to be undone and tried yet, and the work that it has taken.
type progress struct {
	pos     int
	node    *node
	frame   int32
	trail   []undo
	frames  []callFrame
	choices []choice
	cons    []constraint
	roots   []*node // of starts
	looking []*node // of firstSets
	steps   int
	work    int // expressions inside others that were computed for the line
}

// names are what a line has asked of its surroundings.
type names struct {
	// asks are the names of labels that were asked for; asked tells that a hook was that can say something else the next
	// time.
	asked bool
	asks  []ask
	// pinning asks whether the branch targets of a line are given by other things than their labels, which
	// are left open; pinned is the answer.
	pinning, pinned bool
	// wrong is why a constant expression of the line has no value.
	wrong *Error
}

// outcome is what a line was read as.
type outcome struct {
	leaf          *isa.Leaf
	suffix        []suffix
	plan          []planned // its entries, before they have their places: made, or those of a line that is known
	made          []planned
	entries       []Entry
	decoder       *isa.Decoder // with which suffixes are resolved
	fields        []isa.Field  // of the decoder
	keptElsewhere bool         // the line is remembered elsewhere, as the text of a word
}

// Limits. A line that needs more is refused with an error.
const (
	maxSpaces = 8
	maxSteps  = 1 << 18
	// maxNested is the number of operands inside each other that are printed too.
	maxNested = 24
	maxLine   = 1 << 16
	maxWork   = 1 << 22
)

// space is a group of bits that text fixes: the word, the contexts, or an entry of a table.
type space struct {
	val, known bits.Value
	// assumed are the known bits that come from defaults: the text does not give them.
	assumed bits.Value
	// field is the index field of a table entry; home is the scope that it stands in.
	field *spec.Field
	home  scope
}

const (
	spaceWord = iota
	spaceContext
	spaceTable
)

// undo are bits of a limb of a space that were unknown before.
type undo struct {
	space, limb uint8
	set         uint64
}

// has reports whether a bit is one of them.
func (u *undo) has(b freeBit) bool {
	return b.space == u.space && uint8(b.low>>6) == u.limb && u.set>>uint(b.low&63)&1 != 0
}

// scope maps the bits of a nested value to the space that it lies in.
type scope struct {
	up    int32 // -1 for the instruction itself
	space uint8
	// low is the place of bit 0 where the value is in one piece, else -1 and parts has the pieces.
	low   int
	size  int
	parts []spec.Part
}

// atTop reports whether a scope is that of the instruction itself.
func (s *scope) atTop() bool { return s.up < 0 }

// callFrame is where to go on when a nested value, or a member of a set, has been read.
type callFrame struct {
	parent int32
	scope  int32
	ret    *node
	// set, used and closing belong to a member of a set: which members have been read, and that no
	// other will be.
	set     *setItem
	used    uint64
	closing bool
	extent  extent
	from    int
	// depth is the number of nested values that it is in.
	depth int
}

// again is what a choice leaves to be tried of a node or an item.
type again struct {
	// n is the number of the next way of a node, a set or an operand; of a piece of text, before which place it has to
	// end, 0 for anywhere.
	n int32
	// tried is how many values of a text of an enum were.
	tried uint8
	as    manner
}

// nth leaves the ways from a number on.
func nth(n int) again { return again{n: int32(n)} }

// manner is how a piece of text is read, where there are several ways.
type manner uint8

const (
	asPrinted manner = iota
	asNumber         // of an enum or a branch
	pastBlank        // a blank that is free does not count, though a text of the enum could have it
	asNothing        // of an offset
	asRange          // a computed float that is any that prints as the text
)

// choice is a way not yet tried.
type choice struct {
	node                                       *node
	edge                                       *edge // nil for a way from the node
	again                                      again
	pos, frame                                 int32
	trail, frames, scopes, cons, leafScopesLen int32
	nspaces                                    uint8
	noncanonical                               bool
	off                                        float64
}

type leafScope struct {
	leaf   *model.BoundLeaf
	scope  int32
	accept *accept
}

// New returns a parser for a root of the set, "" being that of instructions.
func New(set *isa.Set, root string) (*Parser, error) {
	r, err := set.Root(root)
	if err != nil {
		return nil, err
	}
	m := inside.Machine(set)
	p := &Parser{
		language: language{
			set: set, root: m.Roots[r.ID], leaves: r.Leaves, env: m.Top(m.Roots[r.ID]),
			folding: m.ISA.Text.Fold, folds: foldTable(m.ISA.Text.Fold), enums: map[*model.Enum]*trie{}, bools: map[boolText]*trie{},
		},
		Comment: m.ISA.Text.Comment, Tables: make([]Table, len(m.ISA.Tables)), context: m.Context, cache: &cache{},
	}
	p.top = p.grammarOf(p.env)
	for _, c := range m.ISA.Contexts {
		if c.FromText {
			p.textContexts.SetUint(c.Low, c.Width, ^uint64(0))
		}
	}
	return p, nil
}

// SetContext gives the contexts their values, as made by isa.Set.ParseContext.
func (p *Parser) SetContext(ctx bits.Value) {
	if ctx == p.context {
		return
	}
	p.context = ctx
	if p.cache != nil {
		p.cache.leave()
	}
}

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

// Try is Parse for those who do not want to know why a text is no instruction, which takes longer to find out than to
// read one.
func (p *Parser) Try(text string) (res Result, ok bool) {
	before := p.silent
	p.silent = true
	res, err := p.Parse(text)
	p.silent = before
	return res, err == nil
}

// Parse reads one instruction; a comment after it is skipped. Where the texts of the machine have in
// them what starts a comment, as much of the line is the instruction as can be. The result's Entries
// are valid until the next call. The error is an *Error.
func (p *Parser) Parse(text string) (Result, error) {
	p.line = append(p.line[:0], text...)
	return p.ParseBytes(p.line)
}

// ParseBytes is Parse for a text that is not a string; it does not keep line.
func (p *Parser) ParseBytes(line []byte) (Result, error) {
	if len(line) > maxLine {
		return Result{}, &Error{Code: diag.XMLLimit, Msg: "line of more than 65536 bytes"}
	}
	res, err := p.parse(line)
	if e, ok := err.(*Error); ok && !p.silent {
		p.swapped(e, line)
	}
	return res, err
}

// parse reads one instruction from line, which it does not keep.
func (p *Parser) parse(line []byte) (res Result, err error) {
	if p.Comment != "" {
		if i := p.commentIn(line); i >= 0 {
			return p.commented(line, i)
		}
	}
	return p.uncommented(line)
}

func (p *Parser) uncommented(line []byte) (res Result, err error) {
	text := line
	for n := len(text); n > 0 && p.folds[text[n-1]] == ' '; n-- {
		text = text[:n-1]
	}
	lines, place := p.remembers(), uint64(0)
	if lines {
		var r *reading
		p.cache.enter(p.context, hooks{p.Symbol != nil, p.Custom != nil, p.Constant != nil})
		if r, place = p.cache.find(text, p.answer); r != nil && p.recall(r, &res) {
			return res, nil
		}
	}
	p.asked, p.asks = false, p.asks[:0]
	body, err := p.split(text)
	asked := p.asked // by the suffix
	if err == nil {
		err = p.parseBody(&res, body)
	}
	if err != nil && len(body) < len(text) { // the braces may be the instruction's own
		p.suffix = p.suffix[:0]
		if p.parseBody(&res, text) == nil {
			err = nil
		}
	}
	if err != nil {
		return Result{}, err
	}
	if lines && !asked && !p.asked {
		p.cache.keep(place, reading{text: text, leaf: p.leaf, word: p.spaces[spaceWord].val, context: p.spaces[spaceContext].val, named: p.named}, p.plan, p.asks)
	}
	return res, nil
}

// remembers reports whether the cache counts for the present line.
func (p *Parser) remembers() bool {
	return p.cache != nil && !p.careful && !p.pinning && !p.keptElsewhere
}

// recall makes what a line was read as before that of the present line. ok is false where its entries have no places.
func (p *Parser) recall(r *reading, res *Result) (ok bool) {
	p.leaf, p.named, p.noncanonical, p.asked = r.leaf, r.named, false, false
	p.spaces[spaceWord].val, p.spaces[spaceContext].val, p.nspaces = r.word, r.context, spaceTable
	p.plan, p.asks = r.plan, append(p.asks[:0], r.asks...)
	return p.result(res) == nil
}

// parseBody reads an instruction without its suffix, which has been read. The result counts where
// there is no error.
func (p *Parser) parseBody(res *Result, body []byte) error {
	p.asked, p.asks = false, p.asks[:0]
	p.load(body)
	if err := p.read(body); err != nil {
		return err
	}
	return p.complete(res)
}

// read reads what has been loaded of an instruction.
func (p *Parser) read(body []byte) error {
	p.wrong = nil
	if !p.run() {
		if p.silent {
			return errSilent
		}
		return p.explain(body)
	}
	if p.noncanonical {
		p.verify()
	}
	if p.off > 0 {
		p.nearest()
	}
	p.lastDefaults()
	p.leaf = p.leaves[p.leafScopes[len(p.leafScopes)-1].leaf.Leaf.ID]
	return nil
}

// load puts the input into src and raw with its runs of blanks collapsed.
func (p *Parser) load(body []byte) {
	p.unspent()
	p.src = slices.Grow(p.src[:0], len(body))
	p.raw = body
	src, n := p.src[:len(body)], len(body)
	folds, text := p.folds, src
	for i, c := range body {
		f := folds[c]
		if f == ' ' && (c != ' ' || i == 0 || text[i-1] == ' ') {
			p.room = slices.Grow(p.room[:0], len(body))
			p.raw = p.room[:len(body)]
			n = p.collapse(src, p.raw, body)
			break
		}
		text[i] = f
	}
	if n > 0 && src[n-1] == ' ' {
		n--
	}
	p.src, p.raw = src[:n], p.raw[:n:n]
}

// collapse folds a text, and makes every run of blanks one but for those at the start; raw, if it is not nil, has what is
// not folded. It returns the size of both.
func (p *Parser) collapse(src, raw, body []byte) (n int) {
	blank := true
	for _, c := range body {
		f := p.folds[c]
		if f == ' ' {
			if blank {
				continue
			}
			c = ' '
		}
		blank = f == ' '
		if src[n] = f; raw != nil {
			raw[n] = c
		}
		n++
	}
	return n
}

func init() { inside.OpenParser(func(p any) int { return p.(*Parser).spent() }) }

// spent returns the work that the last line took.
func (p *Parser) spent() int { return p.work + p.steps + p.solver.all + p.solver.trials }

// unspent gives a line all the work that it may take.
func (p *Parser) unspent() { p.work, p.steps, p.solver.all, p.solver.trials = 0, 0, 0, 0 }

// foldTable returns what each byte of the input is read as: blanks are one, and case counts or not.
func foldTable(folding bool) *[256]byte {
	t := new([256]byte)
	for i := range t {
		t[i] = byte(i)
		if folding && i >= 'A' && i <= 'Z' {
			t[i] |= 0x20
		}
	}
	for _, c := range []byte(blanks) {
		t[c] = ' '
	}
	return t
}

// run reads the whole input as an instruction. It stops at the first way that encodes.
func (p *Parser) run() bool {
	if p.leniently = p.failure != nil; p.leniently {
		return p.from(p.ready(p.top).start)
	}
	read := false
	starts, complete := p.startsFor(func(start *node) bool {
		read = p.from(start)
		return read
	})
	if read || !complete && p.from(p.ready(p.top).start) {
		return true
	}
	p.leniently = true
	return slices.ContainsFunc(starts, p.from) || !complete && p.from(p.ready(p.top).start)
}

// from reads the whole input as one of the templates of a grammar.
func (p *Parser) from(start *node) bool {
	p.reset(p.root.Size)
	p.node = start
	return p.search()
}

// reset forgets what was read before, for a word of that size.
func (p *Parser) reset(size int) {
	p.pos, p.nspaces, p.frame = 0, spaceTable, 0
	p.noncanonical, p.named, p.off = false, false, 0
	p.spaces[spaceWord].val, p.spaces[spaceWord].known = bits.Value{}, bits.Value{}
	p.spaces[spaceWord].assumed = bits.Value{}
	known := bits.Ones(bits.Size).AndNot(p.textContexts) // contexts that text can give are not
	p.spaces[spaceContext].val, p.spaces[spaceContext].known = p.context.And(known), known
	p.trail, p.choices, p.cons, p.leafScopes = p.trail[:0], p.choices[:0], p.cons[:0], p.leafScopes[:0]
	p.scopes = append(p.scopes[:0], scope{up: -1, size: size})
	p.frames = append(p.frames[:0], callFrame{parent: -1})
}

// search goes on from the present place, trying the ways left open when it gets stuck.
func (p *Parser) search() bool { return p.resume(p.advance(0)) }

// resume goes on after a step that went well or did not.
func (p *Parser) resume(ok bool) bool {
	for {
		for ; ok && p.node != nil; p.steps++ {
			ok = p.advance(0)
		}
		if ok || len(p.choices) == 0 || p.steps > maxSteps {
			return ok
		}
		ok = p.retry()
		p.steps++
	}
}

// save leaves a way open: another one from the present node, or an item to be read in another way.
func (p *Parser) save(e *edge, s again) {
	p.choices = append(p.choices, choice{
		node: p.node, edge: e, again: s, pos: int32(p.pos), frame: p.frame,
		trail: int32(len(p.trail)), frames: int32(len(p.frames)), scopes: int32(len(p.scopes)),
		cons: int32(len(p.cons)), leafScopesLen: int32(len(p.leafScopes)), nspaces: uint8(p.nspaces), noncanonical: p.noncanonical, off: p.off,
	})
}

// retry goes back to the way left open last.
func (p *Parser) retry() bool {
	n := len(p.choices) - 1
	c := &p.choices[n]
	p.choices = p.choices[:n]
	p.pos, p.frame, p.nspaces, p.noncanonical, p.off = int(c.pos), c.frame, int(c.nspaces), c.noncanonical, c.off
	p.undo(int(c.trail))
	p.frames, p.scopes = p.frames[:c.frames], p.scopes[:c.scopes]
	p.cons, p.leafScopes = p.cons[:c.cons], p.leafScopes[:c.leafScopesLen]
	p.node = c.node
	if c.edge != nil {
		return p.match(c.edge, c.again)
	}
	return p.advance(int(c.again.n))
}

func (p *Parser) undo(to int) {
	for n := len(p.trail) - 1; n >= to; n-- {
		u := &p.trail[n]
		s := &p.spaces[u.space]
		s.known[u.limb] &^= u.set
		s.val[u.limb] &^= u.set
		s.assumed[u.limb] &^= u.set
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
	n.open()
	if e := n.only; e != nil && e.item.kind != itemLiteral {
		return p.match(e, again{})
	}
	if n.set != nil {
		return p.member(state)
	}
	if state < stateEdges {
		if (n.literal != nil || n.literals != nil) && p.literalWay(n, state) {
			return true
		}
		state = stateEdges
	}
	state = p.nextWay(n, state)
	if state < stateAccepts {
		e := n.others[state-stateEdges]
		if next := p.nextWay(n, state+1); p.isWay(n, next) {
			p.save(nil, nth(next))
		}
		return p.match(e, again{})
	}
	i := state - stateAccepts
	if i >= len(n.accepts) {
		return false
	}
	if i+1 < len(n.accepts) {
		p.save(nil, nth(state+1))
	}
	return p.accept(n.accepts[i])
}

// nextWay returns the first way from state on, other than a literal, that the text can go.
func (p *Parser) nextWay(n *node, state int) int {
	if i := state - stateEdges; i < len(n.others) {
		if p.everyWay() {
			return state
		}
		for a := p.firstSets(n); i < len(n.others); i++ {
			if p.goesOn(&a.others[i], p.pos) {
				return i + stateEdges
			}
		}
	}
	return max(state, stateAccepts)
}

// isWay reports whether the way that nextWay has found is one.
func (p *Parser) isWay(n *node, state int) bool {
	if state < stateAccepts {
		return true
	}
	return len(n.accepts) > 0 && (p.everyWay() || p.endsAt(p.pos))
}

// everyWay reports whether ways are tried that lead nowhere: where the reasons are wanted.
func (p *Parser) everyWay() bool { return p.failure != nil || p.careful }

// findLiteral returns the longest literal edge that stands at pos and ends before limit, nil if there is
// none, with its end.
func (p *Parser) findLiteral(n *node, pos, limit int) (e *edge, end int) {
	if e = n.literal; e != nil {
		if end, ok := p.literalAt(pos, limit, e.item.text); ok {
			return e, end
		}
		return nil, 0
	}
	found, end := p.findWord(n.literals, pos, limit)
	if found == nil {
		return nil, 0
	}
	return n.edges[found.values[0]], end
}

// literalAt returns the end of a text at pos, and whether it stands there and ends before limit.
func (p *Parser) literalAt(pos, limit int, text string) (end int, ok bool) {
	end, ok = stands(p.src, pos, limit, text, p.strict)
	return end, ok
}

// literalWay takes the longest literal edge that stands here and is shorter than what was tried.
func (p *Parser) literalWay(n *node, state int) bool {
	pos := p.skipBlank()
	limit := len(p.src) + 1
	if state > 0 {
		limit = state
	}
	e, end := p.findLiteral(n, pos, limit)
	if e == nil {
		p.expectLiterals(n, pos)
		return false
	}
	if e.longer || len(n.others)+len(n.accepts) > 0 && p.isWay(n, p.nextWay(n, stateEdges)) {
		p.save(nil, nth(max(end, 1)))
	}
	if !p.spelled(end-p.pos == len(e.item.text)) {
		return false
	}
	p.pos, p.node = end, e.next
	return true
}

// spelled notes whether a piece of text is as it would be printed, and reports whether it can be read.
func (p *Parser) spelled(exactly bool) bool {
	p.noncanonical = p.noncanonical || !exactly
	return exactly || !p.strict
}

// skipBlank returns the place after a blank that is free because it stands beside punctuation.
func (p *Parser) skipBlank() int {
	if !p.strict && p.pos < len(p.src) && p.src[p.pos] == ' ' &&
		(p.pos == 0 || loose[p.src[p.pos-1]] || p.pos+1 < len(p.src) && loose[p.src[p.pos+1]]) {
		return p.pos + 1
	}
	return p.pos
}

// accept ends a template: its leaf's fixed bits are set and its conditions noted. The whole input
// is done when this was the outermost one.
func (p *Parser) accept(a *accept) bool {
	f := &p.frames[p.frame]
	switch {
	case f.extent == someText && p.pos == f.from, f.extent == noText && p.pos != f.from:
		return false
	case f.parent < 0 && p.pos < len(p.src):
		p.expect(p.pos, "the end of the instruction")
		return false
	}
	if !p.spelled(!a.alias) {
		return false
	}
	leaf := a.unit.Leaf
	if !p.bindPattern(f.scope, leaf) {
		return false
	}
	if f.parent < 0 || a.completes {
		p.leafScopes = append(p.leafScopes, leafScope{a.unit, f.scope, a})
	}
	for _, r := range a.unit.Requires {
		if !p.constrain(r, f.scope, true) {
			return false
		}
	}
	if a.own != nil && !p.constrain(a.own, f.scope, true) {
		return false
	}
	if !p.notBefore(a, f.scope) {
		return false
	}
	switch {
	case f.parent < 0:
		p.node = nil
		p.notePinned()
		return p.solve()
	}
	p.frame, p.node = f.parent, f.ret
	return true
}

// notBefore notes that no case before that of a template applies. One that does where all bits are
// known would print the word: the text is an alias then.
func (p *Parser) notBefore(a *accept, scope int32) bool {
	all, every := len(a.not) > 0 && !a.anyOutside && p.allKnown(scope), p.everyWay()
	for i := len(a.not) - 1; i >= 0; i-- { // the last says of bits what others ask of too, as a rule
		e := &a.not[i]
		if e.outside && !every {
			if !p.constrain(e.cond, scope, false) {
				return false
			}
			continue
		}
		v, known := p.eval(e.cond.Root, scope)
		switch {
		case !all && (every || !known || v != 0 && p.leniently):
			p.cons = append(p.cons, constraint{prog: e.cond, scope: scope, kind: wantFalse, soft: !e.outside})
		case v != 0 && (!p.leniently || !p.spelled(false)):
			return false
		}
	}
	return true
}
